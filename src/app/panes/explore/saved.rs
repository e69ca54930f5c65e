//! Saved searches: named, listed, counted and opened again, on this machine only.
//!
//! Only a count is sent, for the credit that is shown with it. What a search has found is shown
//! again for free.

use crate::app::action::Action;
use crate::app::command::{Availability, Scope, require, shared};
use crate::app::effect::{Effect, ListId};
use crate::app::format::{format_count, format_time_in_sentence, pluralize};
use crate::app::model::load_state::LoadState;
use crate::app::model::record_list::RecordList;
use crate::app::model::record_lists::RecordLists;
use crate::app::notice::Notice;
use crate::app::pane_command::PaneCommand;
use crate::app::panes::explore::messages::{ExploreAction, ExplorePrompt};
use crate::app::panes::explore::{ExplorePane, SearchDraft, dataset_place};
use crate::app::price::Price;
use crate::app::prompt::Prompt;
use crate::app::{Context, Screen};
use crate::domain::book::Dataset;
use crate::domain::named_searches::{NamedSearch, SearchCount};
use crate::domain::search::{RecordSource, Search};

type Row = PaneCommand<ExplorePane>;

pub const COMMANDS: &[Row] = &[
    Row::new(
        "explore.save",
        &["S"],
        "save",
        "save the search under a name, on this machine",
        prompt_name,
    )
    .in_scope(Scope::Explore)
    .available_when(can_save),
    Row::new(
        "explore.saved",
        &["g s"],
        "saved searches",
        "go to the saved searches",
        ExplorePane::open_saved_list,
    )
    .in_scope(Scope::Global),
    Row::at("saved.open", &shared::OPEN, |explore, cx| {
        explore.open_saved_search(cx);
    })
    .with_keys(&["Enter"])
    .with_hint(1)
    .available_when(has_search),
    Row::at("saved.count", &shared::COUNT, count)
        .with_price("1 cr", |_, _| Price::Credits(1))
        .with_hint(2)
        .available_when(can_count),
    Row::at("saved.view", &shared::CREATE, |explore, cx| {
        explore.open_saved_search(cx);
        explore.choose_view_type(cx);
    })
    .with_words(
        "new View",
        "create a View: Dynamic of the conditions, or Static of the rows it has read",
    )
    .with_write()
    .with_hint(3)
    .available_when(has_search),
    Row::at("saved.rename", &shared::RENAME, prompt_rename)
        .with_description("rename the search")
        .with_hint(4)
        .available_when(has_search),
    Row::at("saved.delete", &shared::DELETE, confirm_delete)
        .with_description("delete the saved search (asks first)")
        .with_hint(5)
        .available_when(has_search),
    Row::at("saved.leave", &shared::BACK, |_, cx| {
        cx.perform(Action::GoBack)
    })
    .with_title("back")
    .with_keys(&["Esc", "q", "Tab", "Shift-Tab"])
    .with_hint(6),
];

impl ExplorePane {
    /// What changed since the count before, in words.
    pub(super) fn change_words(&self, search: &NamedSearch, cx: &Context) -> Option<String> {
        search_change(search, cx)
    }

    /// The dataset and the search on the screen: those of the results, or those in the builder.
    fn search_to_save(&self, cx: &Context) -> (Dataset, Search) {
        let results = self
            .displayed_run()
            .filter(|_| self.results_focused)
            .and_then(|run| cx.record_lists.get(&run.list_id()));
        match results {
            Some(list) => (list.source.dataset(), list.search.clone()),
            None => (self.dataset().clone(), self.draft().search()),
        }
    }

    /// The run of a saved search, with its rows.
    pub fn run_of_saved<'a>(
        &self,
        lists: &'a RecordLists,
        search: &NamedSearch,
    ) -> Option<(u64, &'a RecordList)> {
        let (source, wanted) = (search.source(), search.search());
        let mut runs = self
            .runs
            .iter()
            .rev()
            .filter_map(|run| Some((run.number, lists.get(&run.list_id())?)));
        runs.find(|(_, list)| list.matches_search(&source, &wanted))
    }

    /// Names the search that was on the screen.
    pub(super) fn save_search(&mut self, name: &str, cx: &mut Context) {
        let (name, (dataset, search)) = (name.trim(), self.search_to_save(cx));
        if name.is_empty() {
            return;
        }
        let saved_at = cx.service_now();
        let mut saved = NamedSearch {
            name: name.to_owned(),
            dataset,
            filters: search.filters,
            sort: search.sort,
            limit: search.limit,
            saved_at,
            counts: Vec::new(),
        };
        if let Some((number, list)) = self.run_of_saved(&cx.record_lists, &saved) {
            let at = list
                .read_at
                .or_else(|| self.run(number).map(|run| run.sent_at));
            saved
                .counts
                .extend(at.zip(list.total).map(|(at, total)| SearchCount {
                    at,
                    total,
                    is_capped: list.is_capped,
                }));
        }
        match self
            .saved
            .find(name)
            .filter(|known| !known.is_search(&saved.source(), &saved.search()))
        {
            Some(known) => {
                let text = format!(
                    "It searches for:\n{}",
                    self.describe(&known.dataset, &known.filters)
                );
                let then = ExploreAction::ReplaceSaved(Box::new(saved));
                cx.confirm(
                    format!("Replace the saved search {name}?"),
                    text,
                    "replace it",
                    then,
                );
            }
            None => self.store_search(saved, cx),
        }
    }

    pub(super) fn store_search(&mut self, search: NamedSearch, cx: &mut Context) {
        let words = format!("saved as {}, on this machine", search.name);
        cx.emit(Effect::SaveNamedSearch(
            search.name.clone(),
            Some(Box::new(search.clone())),
        ));
        let name = search.name.clone();
        self.saved.insert(search);
        self.arrange_saved(cx);
        let row = self.saved.list.iter().position(|known| known.name == name);
        self.saved.lines.move_to_row(row);
        cx.notice =
            Some(Notice::success(words).with_hint("{explore.saved} lists the saved searches"));
    }

    pub(super) fn rename_search(&mut self, to: &str, cx: &mut Context) {
        let Some(mut search) = self.saved.current().cloned() else {
            return;
        };
        let to = to.trim();
        if to.is_empty() || to == search.name {
            return;
        }
        if self.saved.find(to).is_some() {
            cx.notice = Some(Notice::warning(format!(
                "there is already a saved search {to}; choose another name"
            )));
            return;
        }
        cx.emit(Effect::SaveNamedSearch(search.name.clone(), None));
        self.saved.remove(&search.name);
        search.name = to.to_owned();
        self.store_search(search, cx);
    }

    pub(super) fn delete_search(&mut self, name: &str, cx: &mut Context) {
        self.saved.remove(name);
        self.arrange_saved(cx);
        cx.emit(Effect::SaveNamedSearch(name.to_owned(), None));
        cx.notice = Some(Notice::info(format!(
            "saved search {name} deleted; the rows it has read stay in the history"
        )));
    }

    fn open_saved_list(&mut self, cx: &mut Context) {
        if self.saved.list.is_empty() {
            cx.notice = Some(
                Notice::info("there are no saved searches yet")
                    .with_hint("{explore.save} in Explore saves the search"),
            );
            return;
        }
        if cx.screen() != Screen::Explore {
            cx.perform(Action::GoTo(Screen::Explore));
        }
        self.saved.is_open = true;
    }

    /// Fills the builder with the search under the cursor, and shows its rows if it has read some.
    fn open_saved_search(&mut self, cx: &mut Context) {
        let Some(search) = self.saved.current().cloned() else {
            return;
        };
        self.saved.is_open = false;
        self.stash_unsent_draft(cx);
        self.dataset_index = dataset_place(&search.dataset).unwrap_or(self.dataset_index);
        self.question = None;
        self.read_vocabulary(cx, false);
        let run = self.run_of_saved(&cx.record_lists, &search);
        let known = run.filter(|(_, list)| list.load == LoadState::Ready);
        self.results_focused = known.is_some();
        let notice = match known {
            Some((_, list)) => {
                let rows = pluralize(list.len(), "row");
                let at = list.read_at.map(|at| {
                    format_time_in_sentence(at, cx.service_now(), cx.settings().utc_offset)
                });
                let read = at.map(|at| format!(", read {at}")).unwrap_or_default();
                Notice::info(format!("{}: {rows}{read}, 0 cr", search.name))
                    .with_hint("{records.refresh} reads again")
            }
            None => Notice::info(format!("{}: nothing was read yet", search.name))
                .with_hint("{explore.run} runs it"),
        };
        self.current_run = run.map(|(number, _)| number).or(self.current_run);
        *self.draft_mut() = SearchDraft {
            filters: search.filters,
            sort: search.sort,
            limit: search.limit,
            cursor: 1,
        };
        cx.notice = Some(notice);
    }

    /// Rows of a search were read or counted: a saved search remembers how many match.
    pub(super) fn update_saved_counts(&mut self, cx: &mut Context, list: &ListId) {
        let Some(list) = cx.record_lists.get(list) else {
            return;
        };
        let Some(total) = list
            .total
            .filter(|_| matches!(list.source, RecordSource::Index(_)))
        else {
            return;
        };
        let count = SearchCount {
            at: cx.service_now(),
            total,
            is_capped: list.is_capped,
        };
        let Some(search) = self
            .saved
            .list
            .iter_mut()
            .find(|search| search.is_search(&list.source, &list.search))
        else {
            return;
        };
        search.add_count(count);
        let search = search.clone();
        self.arrange_saved(cx);
        let change = search_change(&search, cx);
        cx.emit(Effect::SaveNamedSearch(
            search.name.clone(),
            Some(Box::new(search)),
        ));
        if let (Some(notice), Some(change)) = (&mut cx.notice, change) {
            notice.text = format!("{}; {change}", notice.text);
        }
    }
}

/// "+4 since 17:10 yesterday"; `None` if there is nothing to compare with.
fn search_change(search: &NamedSearch, cx: &Context) -> Option<String> {
    let (by, since) = search.change()?;
    let sign = if by < 0 { "-" } else { "+" };
    let since = format_time_in_sentence(since, cx.service_now(), cx.settings().utc_offset);
    Some(format!(
        "{sign}{} since {since}",
        format_count(by.unsigned_abs())
    ))
}

fn prompt_name(_: &mut ExplorePane, cx: &mut Context) {
    cx.prompt = Some(Prompt::new("save as", "", ExplorePrompt::SearchName));
}

fn prompt_rename(explore: &mut ExplorePane, cx: &mut Context) {
    let Some(search) = explore.saved.current() else {
        return;
    };
    cx.prompt = Some(Prompt::new(
        "rename to",
        &search.name,
        ExplorePrompt::RenameSearch,
    ));
}

fn confirm_delete(explore: &mut ExplorePane, cx: &mut Context) {
    let Some(search) = explore.saved.current() else {
        return;
    };
    let text = format!(
        "{}\nOnly its name and its counts are deleted, on this machine.",
        explore.describe(&search.dataset, &search.filters)
    );
    let then = ExploreAction::DeleteSaved(search.name.clone());
    let title = format!("Delete the saved search {}?", search.name);
    cx.confirm(title, text, "delete it", then);
}

fn count(explore: &mut ExplorePane, cx: &mut Context) {
    let Some(search) = explore.saved.current().cloned() else {
        return;
    };
    let run = explore.run_for(cx, search.source(), search.search());
    cx.count_records(&run);
}

fn can_count(explore: &ExplorePane, cx: &Context) -> Availability {
    has_search(explore, cx)?;
    let run = explore
        .saved
        .current()
        .and_then(|search| explore.run_of_saved(&cx.record_lists, search));
    crate::app::panes::records::commands::can_count_list(run.map(|(_, list)| list))
}

fn has_search(explore: &ExplorePane, _: &Context) -> Availability {
    require(
        explore.saved.current().is_some(),
        "there is no saved search here",
    )
}

fn can_save(explore: &ExplorePane, cx: &Context) -> Availability {
    let (_, search) = explore.search_to_save(cx);
    if explore.list_filter.is_some() {
        return Err("a filter of a list is not a search of the index".into());
    }
    require(
        !(search.filters.is_empty() && search.sort.is_none()),
        "there are no conditions to save",
    )
}

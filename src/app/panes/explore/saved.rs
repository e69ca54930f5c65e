//! Saved searches: what is searched gets a name, and is opened in the builder again.
//!
//! Nothing is sent but a count. What a search has found is shown again for free.

use super::messages::{ExploreAction, ExplorePrompt};
use super::{ExplorePane, SearchDraft, dataset_place};
use crate::app::Context;
use crate::app::action::SearchUse;
use crate::app::command::{Availability, require};
use crate::app::context::views;
use crate::app::effect::ListId;
use crate::app::format::{format_time_in_sentence, pluralize};
use crate::app::model::load_state::LoadState;
use crate::app::notice::Notice;
use crate::app::prompt::Prompt;
use crate::domain::book::Dataset;
use crate::domain::named_searches::{NamedSearch, SearchCount};
use crate::domain::search::Search;

impl ExplorePane {
    pub(super) fn prompt_search_name(&mut self, cx: &mut Context) {
        cx.ui.prompt = Some(Prompt::new("save as", "", ExplorePrompt::SearchName));
    }

    pub(super) fn can_save_search(&self, cx: &Context) -> Availability {
        let (_, search) = self.search_to_save(cx);
        if self.list_filter.is_some() {
            return Err("a filter of a list is not a search of the index".into());
        }
        require(
            !(search.filters.is_empty() && search.sort.is_none()),
            "there are no conditions to save",
        )
    }

    /// The dataset and the search on the screen: those of the results, or those in the builder.
    fn search_to_save(&self, cx: &Context) -> (Dataset, Search) {
        let results = self
            .displayed_run()
            .filter(|_| self.results_focused)
            .and_then(|run| cx.records.lists.get(&run.list_id()));
        match results {
            Some(list) => (list.source.dataset(), list.search.clone()),
            None => (self.dataset().clone(), self.draft().search()),
        }
    }

    /// Names the search that was on the screen.
    pub(super) fn save_search(&mut self, name: &str, cx: &mut Context) {
        let (name, (dataset, search)) = (name.trim(), self.search_to_save(cx));
        if name.is_empty() {
            return;
        }
        let mut saved = NamedSearch {
            name: name.to_owned(),
            dataset,
            filters: search.filters,
            sort: search.sort,
            limit: search.limit,
            saved_at: cx.clock.service_now(),
            counts: Vec::new(),
        };
        if let Some((id, list)) = cx.records.lists.find_run(&saved.source(), &saved.search()) {
            let sent_at = self.find_run(id).map(|run| run.sent_at);
            let at = list.read_at.or(sent_at);
            saved
                .counts
                .extend(at.zip(list.total).map(|(at, total)| SearchCount {
                    at,
                    total,
                    is_capped: list.is_capped,
                }));
        }
        match cx
            .views
            .search(name)
            .filter(|known| !known.is_search(&saved.source(), &saved.search()))
        {
            Some(known) => {
                let text = format!(
                    "It searches for:\n{}",
                    self.describe(&known.dataset, &known.filters)
                );
                let then = ExploreAction::ReplaceSaved(Box::new(saved));
                cx.ui.confirm(
                    format!("Replace the saved search {name}?"),
                    text,
                    "replace it",
                    then,
                );
            }
            None => self.store_search(saved, cx),
        }
    }

    /// Does what a search was chosen for.
    pub fn use_search(&mut self, search: NamedSearch, purpose: SearchUse, cx: &mut Context) {
        match purpose {
            SearchUse::Count => {
                let run = self.run_for(cx, search.source(), search.search());
                cx.count_records(&run);
            }
            SearchUse::Show => self.open_search(search, cx),
            SearchUse::CreateView => {
                self.open_search(search, cx);
                self.offer_views_once_loaded(cx);
            }
            SearchUse::Edit(words) => {
                self.open_search(search, cx);
                self.results_focused = false;
                let hint = "{explore.save} saves it as a search, {explore.view} as a View";
                cx.ui.notice = Some(Notice::info(words).with_hint(hint));
            }
        }
    }

    /// Fills the builder with a search, and shows its rows if it has read some.
    fn open_search(&mut self, search: NamedSearch, cx: &mut Context) {
        let left = self.cancel_view_edit();
        self.offers_view = false;
        self.stash_unsent_draft(cx);
        self.dataset_index = dataset_place(&search.dataset).unwrap_or(self.dataset_index);
        (self.question, self.as_json) = (None, false);
        self.read_vocabulary(cx, false);
        let run = cx
            .records
            .lists
            .find_run(&search.source(), &search.search());
        let known = run.filter(|(_, list)| list.load == LoadState::Ready);
        self.results_focused = known.is_some();
        let mut notice = match known {
            Some((_, list)) => {
                let rows = pluralize(list.len(), "row");
                let at = list.read_at.map(|at| {
                    format_time_in_sentence(at, cx.clock.service_now(), cx.clock.utc_offset())
                });
                let read = at.map(|at| format!(", read {at}")).unwrap_or_default();
                Notice::info(format!("{}: {rows}{read}, 0 cr", search.name))
                    .with_hint("{records.refresh} reads again")
            }
            None => Notice::info(format!("{}: nothing was read yet", search.name))
                .with_hint("{explore.run} runs it"),
        };
        if let Some((ListId::Explore(number), _)) = run {
            self.current_run = Some(*number);
        }
        *self.draft_mut() = SearchDraft {
            filters: search.filters,
            sort: search.sort,
            limit: search.limit,
            cursor: 1,
        };
        if let Some(title) = left {
            let unchanged = format!("; the View {title} was not changed");
            notice.text.push_str(&unchanged);
        }
        cx.ui.notice = Some(notice);
    }

    pub(super) fn store_search(&self, search: NamedSearch, cx: &mut Context) {
        let words = format!("saved as {}, on this machine", search.name);
        views::save_search(search, &mut cx.work, &mut cx.views);
        cx.ui.notice = Some(Notice::success(words).with_hint("{views.mine} lists what you saved"));
    }
}

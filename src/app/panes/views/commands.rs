//! The commands of what is saved: Views, searches and queue tabs.

use crate::app::action::{Action, SearchUse};
use crate::app::command::{Availability, Scope, require, shared};
use crate::app::context::{queue_settings, views};
use crate::app::effect::ListId;
use crate::app::format::pluralize;
use crate::app::model::load_state::LoadState;
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::{Choice, ChoiceOption};
use crate::app::pane_command::PaneCommand;
use crate::app::panes::records::commands::can_count_list;
use crate::app::panes::views::messages::{ViewsAction, ViewsPrompt};
use crate::app::panes::views::saved_item::{SavedId, SavedItem};
use crate::app::panes::views::{DefinitionFormat, ViewsPane};
use crate::app::price::Price;
use crate::app::prompt::Prompt;
use crate::app::{Context, Screen};
use crate::domain::ViewId;
use crate::domain::book::{Dataset, RecordKind};
use crate::domain::conditions::view_definition::filters_of;
use crate::domain::named_searches::NamedSearch;
use crate::domain::queue_tabs::SavedTab;
use crate::domain::views::{View, ViewDraft};
use crate::domain::writes::{ReversibleWrite, WriteOp};

type Row = PaneCommand<ViewsPane>;

/// In help order.
pub const COMMANDS: &[Row] = &[
    Row::at("views.run", &shared::OPEN, open)
        .with_words(
            "run",
            "show the View's records, the search in Explore, or the tab in the queue; what is \
             loaded is free",
        )
        .with_price("1 cr a row", |views, cx| {
            Price::of_credits(views.run_price(cx))
        })
        .with_hint_text(1, |views, cx| {
            Some(if views.current_view(cx).is_some() {
                "run"
            } else {
                "open"
            })
        })
        .available_when(has_row),
    Row::at("views.count", &shared::COUNT, count)
        .with_price("1 cr", |_, _| Price::Credits(1))
        .with_hint(2)
        .available_when(can_count),
    Row::new(
        "views.favorite",
        &["b"],
        "favorite",
        "favorite or unfavorite the View",
        toggle_favorite,
    )
    .with_hint(3)
    .with_immediate_write()
    .available_when(can_favor),
    Row::new(
        "views.compare",
        &["="],
        "compare",
        "compare two marked Views by their loaded rows",
        compare,
    )
    .with_hint(7)
    .available_when(can_compare),
    Row::at("views.new", &shared::CREATE, create)
        .with_description(
            "create a View for everyone: an empty Static one, or of the search under the cursor",
        )
        .with_hint(5)
        .with_write(),
    Row::new(
        "views.rename",
        &["r", "F2"],
        "rename",
        "rename the View for everyone, or your search or tab on this machine",
        prompt_name,
    )
    .with_write()
    .acts_locally()
    .available_when(can_rename),
    Row::at("views.edit", &shared::EDIT, edit)
        .with_description(
            "edit the conditions in Explore's builder, or save them there as something else",
        )
        .with_hint(9)
        .with_write()
        .acts_locally()
        .available_when(can_edit),
    Row::at("views.definition", &shared::DEFINITION, show_definition)
        .with_hint(8)
        .available_when(has_definition),
    Row::at("views.delete", &shared::DELETE, delete)
        .with_description(
            "delete the View for everyone, or your search or tab on this machine, which cannot be \
             undone; records are kept",
        )
        .with_hint(6)
        .with_write()
        .acts_locally()
        .available_when(can_change),
    Row::new(
        "views.mine",
        &["g s"],
        "saved",
        "go to your saved searches and queue tabs",
        ViewsPane::show_mine,
    )
    .in_scope(Scope::Global),
    Row::at("views.refresh", &shared::REFRESH, |_, cx| {
        views::read_views(&mut cx.work, &mut cx.views)
    }),
    Row::at("views.switch", &shared::OTHER_PANE, |views, _| {
        views.records_focused = true
    })
    .with_title("records")
    .available_when(|views, _| require(views.open.is_some(), "no View was run yet")),
    Row::at("view.back", &shared::OTHER_PANE, |views, _| {
        views.records_focused = false;
    })
    .in_scope(Scope::ViewRecords)
    .with_keys(&["Tab", "Shift-Tab", "h", "Left"])
    .with_title("Saved")
    .with_hint(12),
    Row::new(
        "view.remove",
        &["-"],
        "remove",
        "remove the records from this Static View",
        remove,
    )
    .in_scope(Scope::ViewRecords)
    .with_hint(11)
    .with_immediate_write()
    .available_when(can_remove),
];

/// Opens what is under the cursor where it is worked.
fn open(views: &mut ViewsPane, cx: &mut Context) {
    views.choose_current();
    if let Some(search) = views.current_search(cx) {
        cx.work.perform(Action::UseSearch(search, SearchUse::Show));
    } else if let Some(SavedItem::Tab(at, _)) = views.current_item(cx) {
        cx.queue.show_saved_tab(at);
        cx.work.perform(Action::GoTo(Screen::Queue));
    } else {
        views.run(cx);
    }
}

fn count(views: &mut ViewsPane, cx: &mut Context) {
    views.choose_current();
    if let Some(search) = views.current_search(cx) {
        return cx.work.perform(Action::UseSearch(search, SearchUse::Count));
    }
    views.open_current(cx);
    if let Some(id) = views.open_list_id() {
        cx.count_records(&id);
    }
}

/// Creates a View of the search under the cursor, or an empty one.
fn create(views: &mut ViewsPane, cx: &mut Context) {
    if let Some(search) = views.current_search(cx) {
        return cx
            .work
            .perform(Action::UseSearch(search, SearchUse::CreateView));
    }
    views.new_records = None;
    views.ask_name(cx);
}

fn prompt_name(views: &mut ViewsPane, cx: &mut Context) {
    views.choose_current();
    let Some(item) = views.current_item(cx) else {
        return;
    };
    let prompt = Prompt::new(rename_label(item), &item.name(), ViewsPrompt::Rename);
    cx.ui.prompt = Some(prompt);
    views.renamed = views.chosen.clone();
}

fn rename_label(item: SavedItem<'_>) -> &'static str {
    match item {
        SavedItem::View(_) => "new name, for everyone",
        _ => "new name, on this machine",
    }
}

fn edit(views: &mut ViewsPane, cx: &mut Context) {
    views.choose_current();
    let (search, words) = match views.current_item(cx) {
        Some(SavedItem::View(view)) => return cx.work.perform(Action::EditView(view.id)),
        Some(SavedItem::Search(search)) => {
            let words = format!("{}: the conditions of your saved search", search.name);
            (search.clone(), words)
        }
        Some(SavedItem::Tab(_, tab)) => translate_tab(tab, cx),
        None => return,
    };
    cx.work
        .perform(Action::UseSearch(Box::new(search), SearchUse::Edit(words)));
}

/// What of a tab a search of the index can say, and what is left out, in words.
fn translate_tab(tab: &SavedTab, cx: &Context) -> (NamedSearch, String) {
    let (filters, unsaid) = tab.settings.to_index_filters();
    let left_out = if unsaid.is_empty() {
        String::new()
    } else {
        format!("; left out: {}", unsaid.join(", "))
    };
    let words = format!(
        "{}: all signals of the index, not only your queue{left_out}",
        tab.name
    );
    let search = NamedSearch {
        name: tab.name.clone(),
        dataset: Dataset::Signals,
        filters,
        sort: None,
        limit: None,
        saved_at: cx.clock.service_now(),
        counts: Vec::new(),
    };
    (search, words)
}

fn has_row(views: &ViewsPane, cx: &Context) -> Availability {
    require(views.current_item(cx).is_some(), "there is nothing here")
}

/// What is on this machine can be changed where the Views cannot.
fn can_change(views: &ViewsPane, cx: &Context) -> Availability {
    has_row(views, cx)?;
    match views.selected_views().is_empty() {
        true => Ok(()),
        false => cx.team.can_write(&cx.session),
    }
}

fn can_rename(views: &ViewsPane, cx: &Context) -> Availability {
    has_row(views, cx)?;
    match views.current_view(cx) {
        Some(_) => cx.team.can_write(&cx.session),
        None => Ok(()),
    }
}

fn can_count(views: &ViewsPane, cx: &Context) -> Availability {
    let list = match views.current_item(cx) {
        Some(SavedItem::View(view)) => cx.records.lists.get(&ListId::View(view.id)),
        Some(SavedItem::Search(search)) => cx
            .records
            .lists
            .find_run(&search.source(), &search.search())
            .map(|(_, list)| list),
        Some(SavedItem::Tab(at, _)) => {
            return Err(match cx.queue.saved_count(at) {
                Some(count) => format!("{}, by the loaded rows", pluralize(count, "signal")).into(),
                None => "the queue counts a tab for free once its rows are loaded".into(),
            });
        }
        None => return has_row(views, cx),
    };
    can_count_list(list)
}

fn can_favor(views: &ViewsPane, cx: &Context) -> Availability {
    require(
        !views.selected_views().is_empty(),
        "only Views are favorites",
    )?;
    match cx.views.favorites_unavailable() {
        Some(why) => Err(format!("favorites are unavailable: {why}").into()),
        None => Ok(()),
    }
}

fn toggle_favorite(views: &mut ViewsPane, cx: &mut Context) {
    views.choose_current();
    let ids = views.selected_views();
    let on = ids.iter().any(|id| !cx.views.is_favorite(*id));
    let changes: Vec<ReversibleWrite> = ids
        .into_iter()
        .filter(|id| cx.views.is_favorite(*id) != on)
        .map(|id| ReversibleWrite {
            forward: WriteOp::Favorite(id, on),
            back: Some(WriteOp::Favorite(id, !on)),
        })
        .collect();
    let what = pluralize(changes.len(), "View");
    let scope = format!(
        "{} of {}.",
        changes.len(),
        pluralize(cx.views.list().len(), "View")
    );
    let (verb, words) = if on {
        (
            format!("add {what} to your favorites"),
            format!("{what} added to your favorites"),
        )
    } else {
        (
            format!("remove {what} from your favorites"),
            format!("{what} removed from your favorites"),
        )
    };
    cx.write_or_confirm(&verb, scope, words, changes);
}

fn can_edit(views: &ViewsPane, cx: &Context) -> Availability {
    let view = match views.current_item(cx) {
        Some(SavedItem::View(view)) => view,
        Some(SavedItem::Tab(_, tab)) => {
            let (filters, _) = tab.settings.to_index_filters();
            return require(
                !filters.is_empty(),
                "a tab lists the queue; the index knows none of its conditions",
            );
        }
        _ => return has_row(views, cx),
    };
    cx.team.can_write(&cx.session)?;
    let definition = view.definition.as_ref().ok_or(NO_DEFINITION)?;
    let unreadable = |why| format!("this definition cannot be edited here: {why}");
    filters_of(definition, &[]).map(drop).map_err(unreadable)?;
    Ok(())
}

const NO_DEFINITION: &str = "this View has no definition: it holds the records that somebody added";

fn has_definition(views: &ViewsPane, cx: &Context) -> Availability {
    has_row(views, cx)?;
    let item = views.current_item(cx);
    let has = item.is_some_and(|item| item.conditions_json().is_some());
    require(has || views.shown_definition.is_some(), NO_DEFINITION)
}

/// Shows the conditions of what is under the cursor, in place of the records of a View; then as
/// JSON, then the records again.
fn show_definition(views: &mut ViewsPane, cx: &mut Context) {
    let is_beside = !cx.frame.layout().side_panel.is_empty();
    let shows_sentence = views.shown_definition.is_some() || is_beside && !views.shows_records(cx);
    views.shown_definition = match views.shown_definition {
        Some(DefinitionFormat::Json) => None,
        _ if shows_sentence => Some(DefinitionFormat::Json),
        _ => Some(DefinitionFormat::Sentence),
    };
}

fn can_compare(views: &ViewsPane, cx: &Context) -> Availability {
    let ids = views.selected_views();
    let [one, other] = ids.as_slice() else {
        return Err("mark two Views to compare".into());
    };
    let read = |id: &ViewId| {
        cx.records
            .lists
            .get(&ListId::View(*id))
            .is_some_and(|records| records.load == LoadState::Ready)
    };
    if !read(one) || !read(other) {
        return Err("both Views must be run first; {views.run} runs one".into());
    }
    match (cx.views.get(*one), cx.views.get(*other)) {
        (Some(one), Some(other)) if one.dataset == other.dataset => Ok(()),
        _ => Err("the two Views contain different kinds of records".into()),
    }
}

/// Asks before what is selected is deleted; for several, their number has to be typed.
fn delete(views: &mut ViewsPane, cx: &mut Context) {
    let ids = views.selection();
    let [id] = ids.as_slice() else {
        let names = ids.iter().filter_map(|id| Some(id.find(cx)?.name()));
        let names: Vec<_> = names.collect();
        let (count, what) = (names.len(), describe_deleted(&ids));
        let text = format!("type {count} to delete {what}: {}", names.join(", "));
        cx.ui.warn(text);
        cx.ui.prompt = Some(Prompt::new("number", "", ViewsPrompt::ConfirmDeletion));
        views.pending_deletion = ids;
        return;
    };
    match id.find(cx) {
        Some(SavedItem::View(view)) => {
            let title = view.title();
            let text = format!(
                "{title}: deletion cannot be undone. The records stay.\n\n1 of {}.",
                pluralize(cx.views.list().len(), "View"),
            );
            let verb = format!("delete the View {title} for everyone");
            let deleted = format!("the View {title} deleted");
            let write = Action::Write(deleted, delete_views(vec![view.id]));
            cx.ui.confirm_change(&verb, text, write);
        }
        Some(SavedItem::Search(search)) => {
            let sentence = SavedItem::Search(search).describe().and_then(Result::ok);
            let text = format!(
                "{}\nOnly its name and its counts are deleted, on this machine.",
                sentence.unwrap_or_default()
            );
            let title = format!("Delete the saved search {}?", search.name);
            let then = ViewsAction::DeleteSearch(search.name.clone());
            cx.ui.confirm(title, text, "delete it", then);
        }
        Some(SavedItem::Tab(_, tab)) => {
            let name = tab.name.clone();
            queue_settings::confirm_tab_deletion(&name, &mut cx.ui, &cx.queue);
        }
        None => {}
    }
}

/// `2 Views for everyone and 1 of yours on this machine`.
fn describe_deleted(ids: &[SavedId]) -> String {
    let views = ids.iter().filter_map(SavedId::view_id).count();
    let mine = ids.len() - views;
    let parts = [
        (views, format!("{} for everyone", pluralize(views, "View"))),
        (mine, format!("{mine} of yours on this machine")),
    ];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(_, words)| words).collect();
    parts.join(" and ")
}

fn delete_views(views: Vec<ViewId>) -> Vec<ReversibleWrite> {
    let delete = |id| ReversibleWrite {
        forward: WriteOp::DeleteView(id),
        back: None,
    };
    views.into_iter().map(delete).collect()
}

fn can_remove(views: &ViewsPane, cx: &Context) -> Availability {
    match views.open_view(cx) {
        Some(view) if !view.is_static() => {
            Err("this View is dynamic: its filter decides what is in it".into())
        }
        Some(_)
            if views
                .open_list(cx)
                .is_some_and(|list| list.current_record().is_some()) =>
        {
            Ok(())
        }
        _ => Err("there is no row here".into()),
    }
}

fn remove(views: &mut ViewsPane, cx: &mut Context) {
    let Some(view) = views.open_view(cx) else {
        return;
    };
    let Some(list) = views.open_list(cx) else {
        return;
    };
    let ids = list.selection();
    let (what, title) = (
        pluralize(ids.len(), view.record_kind().singular_name()),
        view.title(),
    );
    let (verb, words) = (
        format!("remove {what} from {title}"),
        format!("{what} removed from {title}"),
    );
    let scope = list.describe_scope(ids.len());
    let is_compared = ids
        .iter()
        .any(|id| list.marked_by_comparison.contains(id) && list.marks.contains(id));
    let changes: Vec<ReversibleWrite> = ids
        .into_iter()
        .map(|id| ReversibleWrite {
            forward: WriteOp::Remove(view.id, id),
            back: Some(WriteOp::Add(view.id, id)),
        })
        .collect();
    if is_compared {
        cx.ui.confirm_change(
            &verb,
            format!("{scope} They were marked by the comparison of two Views."),
            Action::Write(words, changes),
        );
    } else {
        cx.write_or_confirm(&verb, scope, words, changes);
    }
}

impl ViewsPane {
    pub fn on_prompt(&mut self, prompt: ViewsPrompt, text: &str, cx: &mut Context) {
        match prompt {
            ViewsPrompt::Rename if text.is_empty() => {}
            ViewsPrompt::Name if text.is_empty() => {
                cx.ui.warn("a View needs a name");
                self.ask_name(cx);
            }
            ViewsPrompt::Name => match self.new_records.take() {
                Some((kind, records)) => cx.create_static_view(text, &kind, records),
                None => self.choose_kind(text, cx),
            },
            ViewsPrompt::Rename => self.rename(text.trim(), cx),
            ViewsPrompt::ConfirmDeletion => self.confirm_deletion(text, cx),
        }
    }

    /// Creates a View of this name, after asking for its kind of records: proposed is the kind that
    /// the user came from.
    fn choose_kind(&self, name: &str, cx: &mut Context) {
        let here = self.current_view(cx).map(View::record_kind);
        let proposed = self.came_from.as_ref().or(here.as_ref());
        let selected = RecordKind::ALL
            .iter()
            .position(|kind| Some(kind) == proposed)
            .unwrap_or_default();
        let option = |kind: &RecordKind| ChoiceOption {
            label: kind.to_string(),
            note: String::new(),
            action: ViewsAction::Create(name.to_owned(), kind.clone()).into(),
        };
        let options = RecordKind::ALL.iter().map(option).collect();
        let choice = Choice {
            selected,
            ..Choice::new(format!("{name}: a Static View of what?"), "0 cr", options)
        };
        cx.ui.overlay = Some(Overlay::Choice(choice));
    }

    fn rename(&mut self, name: &str, cx: &mut Context) {
        let renamed = self.renamed.take();
        let result = match &renamed {
            Some(SavedId::View(id)) => return rename_view(*id, name, cx),
            Some(SavedId::Search(from)) if from != name => rename_search(from, name, cx),
            Some(SavedId::Tab(from)) if from != name => cx.rename_queue_tab(from, name),
            _ => return,
        };
        match (result, renamed) {
            (Ok(()), Some(SavedId::Search(_))) => {
                self.chosen = Some(SavedId::Search(name.to_owned()))
            }
            (Ok(()), _) => self.chosen = Some(SavedId::Tab(name.to_owned())),
            (Err(why), renamed) => {
                self.renamed = renamed;
                cx.ui
                    .ask_again("new name, on this machine", name, ViewsPrompt::Rename, why);
            }
        }
    }

    pub(super) fn delete_search(&mut self, name: &str, cx: &mut Context) {
        views::delete_search(name, &mut cx.work, &mut cx.views);
        cx.ui.inform(format!(
            "saved search {name} deleted; the rows it has read stay in the history"
        ));
    }

    /// Deletes what was marked if its number was typed.
    fn confirm_deletion(&mut self, typed: &str, cx: &mut Context) {
        let ids = std::mem::take(&mut self.pending_deletion);
        if typed != ids.len().to_string() {
            let text = format!("{typed:?} is not {}: nothing was deleted", ids.len());
            cx.ui.notice = Some(Notice::warning(text).with_hint("{views.delete} retries"));
            return;
        }
        let views: Vec<ViewId> = ids.iter().filter_map(SavedId::view_id).collect();
        for id in &ids {
            match id {
                SavedId::View(_) => {}
                SavedId::Search(name) => views::delete_search(name, &mut cx.work, &mut cx.views),
                SavedId::Tab(name) => cx.delete_queue_tab(name),
            }
        }
        let mine = ids.len() - views.len();
        if mine > 0 {
            let text = format!("{mine} of yours deleted on this machine");
            cx.ui.notice = Some(Notice::success(text));
        }
        if !views.is_empty() {
            let deleted = format!("{} deleted", pluralize(views.len(), "View"));
            cx.work.perform(Action::Write(deleted, delete_views(views)));
        }
    }
}

fn rename_view(id: ViewId, name: &str, cx: &mut Context) {
    let Some(view) = cx.views.get(id).filter(|view| view.title() != name) else {
        return;
    };
    let title = view.title();
    let named = |name: &str| {
        WriteOp::SaveView(ViewDraft {
            view_id: Some(id),
            name: Some(name.to_owned()),
            ..ViewDraft::default()
        })
    };
    let change = ReversibleWrite {
        forward: named(name),
        back: view.name.as_deref().map(named),
    };
    cx.write_changes(format!("View {title} renamed to {name}"), vec![change]);
}

/// # Errors
/// Why it cannot have that name.
fn rename_search(name: &str, to: &str, cx: &mut Context) -> Result<(), String> {
    if cx.views.search(to).is_some() {
        return Err(format!(
            "there is already a saved search {to}; choose another name"
        ));
    }
    if let Some(mut search) = cx.views.search(name).cloned() {
        views::delete_search(name, &mut cx.work, &mut cx.views);
        search.name = to.to_owned();
        views::save_search(search, &mut cx.work, &mut cx.views);
        let text = format!("{name} renamed to {to}, on this machine");
        cx.ui.notice = Some(Notice::success(text));
    }
    Ok(())
}

/// Compares the loaded rows of two Views: how many are in both and in only one of them; rows only
/// in the first are marked.
fn compare(views: &mut ViewsPane, cx: &mut Context) {
    let ids = views.selected_views();
    let [one, other] = ids.as_slice() else { return };
    let [Some(a), Some(b)] = [one, other].map(|id| cx.records.lists.get(&ListId::View(*id))) else {
        return;
    };
    let both = a
        .rows()
        .iter()
        .filter(|row| b.row(row.id).is_some())
        .count();
    let title = |id| cx.views.get(id).map(View::title).unwrap_or_default();
    let partial = if a.has_more() || b.has_more() {
        " (loaded rows)"
    } else {
        ""
    };
    let text = format!(
        "{} in both, {} only in {}, {} only in {}{partial}",
        both,
        a.len() - both,
        title(*one),
        b.len() - both,
        title(*other)
    );
    let only: Vec<_> = a
        .rows()
        .iter()
        .map(|row| row.id)
        .filter(|id| b.row(*id).is_none())
        .collect();
    cx.ui.notice = Some(Notice::info(text).with_hint("records only in the first are marked"));
    if let Some(list) = cx.records.lists.get_mut(&ListId::View(*one)) {
        list.marked_by_comparison = only.iter().copied().collect();
        list.marks = only.into_iter().collect();
    }
    // Marks made for the comparison must not carry over to another command.
    views.marks.clear();
}

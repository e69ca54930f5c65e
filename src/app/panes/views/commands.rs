//! The commands of Views.

use crate::app::Context;
use crate::app::action::Action;
use crate::app::command::{Availability, Scope, require, shared};
use crate::app::effect::ListId;
use crate::app::format::pluralize;
use crate::app::model::load_state::LoadState;
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::{Choice, ChoiceOption};
use crate::app::pane_command::PaneCommand;
use crate::app::panes::records::commands::can_count_list;
use crate::app::panes::views::messages::{ViewsAction, ViewsPrompt};
use crate::app::panes::views::{DefinitionFormat, ViewsPane};
use crate::app::price::Price;
use crate::app::prompt::Prompt;
use crate::domain::ViewId;
use crate::domain::book::RecordKind;
use crate::domain::view_definition::filters_of;
use crate::domain::views::{View, ViewDraft};
use crate::domain::writes::{ReversibleWrite, WriteOp};

type Row = PaneCommand<ViewsPane>;

/// In help order.
pub const COMMANDS: &[Row] = &[
    Row::at("views.run", &shared::OPEN, ViewsPane::run)
        .with_words("run", "show the View's records; loaded ones are free")
        .with_price("1 cr a row", |views, cx| {
            Price::of_credits(views.run_price(cx))
        })
        .with_hint(1)
        .available_when(has_view),
    Row::at("views.count", &shared::COUNT, |views, cx| {
        views.open_current(cx);
        if let Some(id) = views.open_list_id() {
            cx.count_records(&id);
        }
    })
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
    Row::at("views.new", &shared::CREATE, |views, cx| {
        views.new_records = None;
        views.ask_name(cx);
    })
    .with_description("create a Static View, for everyone")
    .with_hint(5)
    .with_write(),
    Row::at("views.rename", &shared::RENAME, |views, cx| {
        let Some(view) = views.current_view(cx) else {
            return;
        };
        let (id, title) = (view.id, view.title());
        views.renamed = Some(id);
        cx.prompt = Some(Prompt::new("new name", &title, ViewsPrompt::Rename));
    })
    .with_description("rename the View, for everyone")
    .with_write()
    .available_when(has_view),
    Row::at("views.edit", &shared::EDIT, |views, cx| {
        if let Some(view) = views.current_view(cx) {
            cx.perform(Action::EditView(view.id));
        }
    })
    .with_description("edit the definition of a Dynamic View in Explore's builder")
    .with_hint(9)
    .with_write()
    .available_when(can_edit),
    Row::at("views.definition", &shared::DEFINITION, show_definition)
        .with_hint(8)
        .available_when(has_definition),
    Row::at("views.delete", &shared::DELETE, delete)
        .with_description("delete the View for everyone, which cannot be undone; records are kept")
        .with_hint(6)
        .with_write()
        .available_when(has_view),
    Row::at("views.refresh", &shared::REFRESH, |_, cx| cx.read_views()),
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
    .with_title("Views")
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

fn has_view(views: &ViewsPane, cx: &Context) -> Availability {
    require(views.current_view(cx).is_some(), "there is no View here")
}

fn can_count(views: &ViewsPane, cx: &Context) -> Availability {
    has_view(views, cx)?;
    can_count_list(
        views
            .current_view(cx)
            .and_then(|view| cx.record_lists.get(&ListId::View(view.id))),
    )
}

fn can_favor(views: &ViewsPane, cx: &Context) -> Availability {
    has_view(views, cx)?;
    match cx.views.favorites_unavailable() {
        Some(why) => Err(format!("favorites are unavailable: {why}").into()),
        None => Ok(()),
    }
}

fn toggle_favorite(views: &mut ViewsPane, cx: &mut Context) {
    views.choose_current(cx);
    let ids = views.selection(cx);
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
    has_view(views, cx)?;
    match views
        .current_view(cx)
        .and_then(|view| view.definition.as_ref())
    {
        None => Err(NO_DEFINITION.into()),
        Some(definition) => {
            let unreadable = |why| format!("this definition cannot be edited here: {why}");
            filters_of(definition, &[])
                .map(drop)
                .map_err(|why| unreadable(why).into())
        }
    }
}

const NO_DEFINITION: &str = "this View has no definition: it holds the records that somebody added";

fn has_definition(views: &ViewsPane, cx: &Context) -> Availability {
    has_view(views, cx)?;
    let has = views
        .current_view(cx)
        .is_some_and(|view| view.definition.is_some());
    require(has || views.shown_definition.is_some(), NO_DEFINITION)
}

/// Shows the definition of the View under the cursor in place of its records, then as JSON, then
/// the records again.
fn show_definition(views: &mut ViewsPane, cx: &mut Context) {
    let is_beside = !cx.layout().side_panel.is_empty();
    let shows_sentence = views.shown_definition.is_some() || is_beside && !views.shows_records(cx);
    views.shown_definition = match views.shown_definition {
        Some(DefinitionFormat::Json) => None,
        _ if shows_sentence => Some(DefinitionFormat::Json),
        _ => Some(DefinitionFormat::Sentence),
    };
}

fn can_compare(views: &ViewsPane, cx: &Context) -> Availability {
    let ids = views.selection(cx);
    let [one, other] = ids.as_slice() else {
        return Err("mark two Views to compare".into());
    };
    let read = |id: &ViewId| {
        cx.record_lists
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

fn delete(views: &mut ViewsPane, cx: &mut Context) {
    let ids = views.selection(cx);
    let titles: Vec<String> = ids
        .iter()
        .filter_map(|id| cx.views.get(*id))
        .map(View::title)
        .collect();
    let words = if let [title] = titles.as_slice() {
        format!("the View {title}")
    } else {
        pluralize(titles.len(), "View")
    };
    let changes = ids
        .into_iter()
        .map(|id| ReversibleWrite {
            forward: WriteOp::DeleteView(id),
            back: None,
        })
        .collect();
    if titles.len() > 1 {
        let text = format!(
            "type {} to delete {} for everyone: {}",
            titles.len(),
            words,
            titles.join(", ")
        );
        cx.notice = Some(Notice::warning(text));
        cx.prompt = Some(Prompt::new("number", "", ViewsPrompt::ConfirmDeletion));
        views.pending_deletion = Some((format!("{words} deleted"), changes));
        return;
    }
    let text = format!(
        "{}: deletion cannot be undone. The records stay.\n\n{} of {}.",
        titles.join(", "),
        titles.len(),
        pluralize(cx.views.list().len(), "View"),
    );
    cx.confirm_change(
        &format!("delete {words} for everyone"),
        text,
        Action::Write(format!("{words} deleted"), changes),
    );
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
        cx.confirm_change(
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
                cx.notice = Some(Notice::warning("a View needs a name"));
                self.ask_name(cx);
            }
            ViewsPrompt::Name => match self.new_records.take() {
                Some((kind, records)) => cx.create_static_view(text, &kind, records),
                None => self.choose_kind(text, cx),
            },
            ViewsPrompt::Rename => self.rename(text, cx),
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
        cx.overlay = Some(Overlay::Choice(choice));
    }

    fn rename(&mut self, name: &str, cx: &mut Context) {
        let Some(view) = self.renamed.take().and_then(|id| cx.views.get(id)) else {
            return;
        };
        let (id, title) = (view.id, view.title());
        if name == title {
            return;
        }
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

    /// Deletes the Views if their number was typed.
    fn confirm_deletion(&mut self, typed: &str, cx: &mut Context) {
        let Some((words, changes)) = self.pending_deletion.take() else {
            return;
        };
        if typed == changes.len().to_string() {
            cx.perform(Action::Write(words, changes));
        } else {
            let text = format!("{typed:?} is not {}: nothing was deleted", changes.len());
            cx.notice = Some(Notice::warning(text).with_hint("{views.delete} retries"));
        }
    }
}

/// Compares the loaded rows of two Views: how many are in both and in only one of them; rows only
/// in the first are marked.
fn compare(views: &mut ViewsPane, cx: &mut Context) {
    let ids = views.selection(cx);
    let [one, other] = ids.as_slice() else { return };
    let [Some(a), Some(b)] = [one, other].map(|id| cx.record_lists.get(&ListId::View(*id))) else {
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
    cx.notice = Some(Notice::info(text).with_hint("records only in the first are marked"));
    if let Some(list) = cx.record_lists.get_mut(&ListId::View(*one)) {
        list.marked_by_comparison = only.iter().copied().collect();
        list.marks = only.into_iter().collect();
    }
    // Marks made for the comparison must not carry over to another command.
    views.marks.clear();
}

//! The commands of Views.

use crate::app::App;
use crate::app::action::Action;
use crate::app::command::{AppCommand, Availability, Scope};
use crate::app::drafts::DraftName;
use crate::app::effect::ListId;
use crate::app::format::pluralize;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::{Choice, ChoiceOption};
use crate::app::panes::records::commands::can_count_list;
use crate::app::pending_writes::{ReversibleWrite, WriteOp};
use crate::app::prompt::PromptKind;
use crate::app::records::LoadState;
use crate::domain::ViewId;
use crate::domain::book::RecordKind;
use crate::domain::views::{View, ViewDraft};

/// In help order.
pub const COMMANDS: &[AppCommand] = &[
    AppCommand::new(
        "views.run",
        &["Enter", "l", "Right"],
        "run",
        "show the View's records; loaded ones are free",
        Scope::Views,
        run,
    )
    .with_cost("1 cr a row")
    .with_hint(1)
    .available_when(has_view),
    AppCommand::new("views.count", &["c"], "count", "count the View's records", Scope::Views, |app| {
        app.open_view();
        app.views.records_focused = false;
        if let Some(view) = app.views.open {
            app.count_records(&ListId::View(view));
        }
    })
    .with_cost("1 cr")
    .with_hint(2)
    .available_when(can_count),
    AppCommand::new("views.mark", &["Space", "x"], "mark", "mark the View and move down", Scope::Views, |app| {
        if let Some(id) = app.views.current_view().map(|view| view.id)
            && !app.views.marks.remove(&id)
        {
            app.views.marks.insert(id);
        }
        app.perform(Action::MoveCursor(1));
    })
    .with_hint(4)
    .available_when(has_view),
    AppCommand::new("views.favorite", &["b"], "favorite", "favorite or unfavorite the View", Scope::Views, toggle_favorite)
        .with_hint(3)
        .with_immediate_write()
        .available_when(can_favor),
    AppCommand::new("views.compare", &["="], "compare", "compare two marked Views by their loaded rows", Scope::Views, |app| {
        app.compare_views()
    })
    .with_hint(7)
    .available_when(can_compare),
    AppCommand::new("views.new", &["A"], "new", "create a Static View, for everyone", Scope::Views, |app| {
        app.open_prompt("name", PromptKind::ViewName, DraftName::ViewName, "");
    })
    .with_hint(5)
    .with_write()
    .available_when(App::can_write),
    AppCommand::new("views.delete", &["D"], "delete", "delete the View for everyone; records are kept", Scope::Views, delete)
        .with_hint(6)
        .with_write()
        .available_when(can_delete),
    AppCommand::new("views.refresh", &["R"], "refresh", "refresh the list of Views", Scope::Views, App::read_views),
    AppCommand::new("views.switch", &["Tab", "Shift-Tab"], "records", "go to the records of the View", Scope::Views, |app| {
        app.views.records_focused = true
    })
    .available_when(|app| if app.views.open.is_some() { Ok(()) } else { Err("no View was run yet".into()) }),
    AppCommand::new(
        "view.back",
        &["Tab", "Shift-Tab", "h", "Left"],
        "Views",
        "go back to the list of Views",
        Scope::ViewRecords,
        |app| {
            app.views.records_focused = false;
        },
    )
    .with_hint(12),
    AppCommand::new("view.remove", &["-"], "remove", "remove the records from this Static View", Scope::ViewRecords, remove)
        .with_hint(11)
        .with_immediate_write()
        .available_when(can_remove),
];

fn has_view(app: &App) -> Availability {
    if app.views.current_view().is_some() { Ok(()) } else { Err("there is no View here".into()) }
}

fn can_count(app: &App) -> Availability {
    has_view(app)?;
    can_count_list(app.views.current_view().and_then(|view| app.record_lists.get(&ListId::View(view.id))))
}

fn run(app: &mut App) {
    app.run_view();
}

fn can_favor(app: &App) -> Availability {
    app.can_write()?;
    has_view(app)?;
    match &app.views.favorites_unavailable {
        Some(why) => Err(format!("favorites are unavailable: {why}").into()),
        None => Ok(()),
    }
}

fn toggle_favorite(app: &mut App) {
    let ids = app.views.selection();
    let on = ids.iter().any(|id| !app.views.favorites.contains(id));
    let changes: Vec<ReversibleWrite> = ids
        .into_iter()
        .filter(|id| app.views.favorites.contains(id) != on)
        .map(|id| ReversibleWrite { forward: WriteOp::Favorite(id, on), back: Some(WriteOp::Favorite(id, !on)) })
        .collect();
    let what = pluralize(changes.len(), "View");
    let scope = format!("{} of {}.", changes.len(), pluralize(app.views.list.len(), "View"));
    let (verb, words) = if on {
        (format!("add {what} to your favorites"), format!("{what} added to your favorites"))
    } else {
        (format!("remove {what} from your favorites"), format!("{what} removed from your favorites"))
    };
    app.write_or_confirm(&verb, scope, words, changes);
}

fn can_compare(app: &App) -> Availability {
    let ids = app.views.selection();
    let [one, other] = ids.as_slice() else { return Err("mark two Views to compare".into()) };
    let read = |id: &ViewId| app.record_lists.get(&ListId::View(*id)).is_some_and(|records| records.load == LoadState::Ready);
    if !read(one) || !read(other) {
        return Err(app.keymap.expand_keys("both Views must be run first; {views.run} runs one").into());
    }
    match (app.views.get(*one), app.views.get(*other)) {
        (Some(one), Some(other)) if one.dataset == other.dataset => Ok(()),
        _ => Err("the two Views contain different kinds of records".into()),
    }
}

fn can_delete(app: &App) -> Availability {
    app.can_write()?;
    has_view(app)
}

fn delete(app: &mut App) {
    let ids = app.views.selection();
    let titles: Vec<String> = ids.iter().filter_map(|id| app.views.get(*id)).map(View::title).collect();
    let words = if let [title] = titles.as_slice() { format!("the View {title}") } else { pluralize(titles.len(), "View") };
    let changes = ids.into_iter().map(|id| ReversibleWrite { forward: WriteOp::DeleteView(id), back: None }).collect();
    let text = format!(
        "{}: deletion cannot be undone. The records stay.\n\n{} of {}.",
        titles.join(", "),
        titles.len(),
        pluralize(app.views.list.len(), "View"),
    );
    app.confirm_change(&format!("delete {words} for everyone"), text, Action::Write(format!("{words} deleted"), changes));
}

fn can_remove(app: &App) -> Availability {
    app.can_write()?;
    match app.views.displayed_view() {
        Some(view) if !view.is_static() => Err("this View is dynamic: its filter decides what is in it".into()),
        Some(_) if app.displayed_view_records().is_some_and(|list| list.current_record().is_some()) => Ok(()),
        _ => Err("there is no row here".into()),
    }
}

fn remove(app: &mut App) {
    let Some(view) = app.views.displayed_view() else { return };
    let Some(list) = app.displayed_view_records() else { return };
    let ids = list.selection();
    let (what, title) = (pluralize(ids.len(), view.record_kind().singular_name()), view.title());
    let (verb, words) = (format!("remove {what} from {title}"), format!("{what} removed from {title}"));
    let scope = list.describe_scope(ids.len());
    let is_compared = ids.iter().any(|id| list.marked_by_comparison.contains(id)) && !list.marks.is_empty();
    let changes: Vec<ReversibleWrite> = ids
        .into_iter()
        .map(|id| ReversibleWrite { forward: WriteOp::Remove(view.id, id), back: Some(WriteOp::Add(view.id, id)) })
        .collect();
    if is_compared {
        app.confirm_change(
            &verb,
            format!("{scope} They were marked by the comparison of two Views."),
            Action::Write(words, changes),
        );
    } else {
        app.write_or_confirm(&verb, scope, words, changes);
    }
}

impl App {
    /// Creates a View of this name, after asking for its kind of records.
    pub fn create_view_named(&mut self, name: &str) {
        if name.is_empty() {
            return;
        }
        let picks = RecordKind::ALL
            .iter()
            .map(|shelf| {
                let draft = ViewDraft {
                    name: Some(name.to_owned()),
                    dataset: Some(shelf.singular_name().to_owned()),
                    kind: Some("static".to_owned()),
                    ..ViewDraft::default()
                };
                let changes = vec![ReversibleWrite { forward: WriteOp::SaveView(draft), back: None }];
                ChoiceOption {
                    label: shelf.to_string(),
                    note: String::new(),
                    action: Action::Write(format!("View {name} created"), changes),
                }
            })
            .collect();
        self.overlay = Some(Overlay::Choice(Choice::new(format!("{name}: a Static View of what?"), "0 cr", picks)));
    }

    /// Compares the loaded rows of two Views: how many are in both and in only one of them; rows only in the first are marked.
    pub fn compare_views(&mut self) {
        let ids = self.views.selection();
        let [one, other] = ids.as_slice() else { return };
        let [Some(a), Some(b)] = [one, other].map(|id| self.record_lists.get(&ListId::View(*id))) else { return };
        let both = a.rows().iter().filter(|row| b.row(row.id).is_some()).count();
        let title = |id| self.views.get(id).map(View::title).unwrap_or_default();
        let partial = if a.has_more() || b.has_more() { " (loaded rows)" } else { "" };
        let text = format!(
            "{} in both, {} only in {}, {} only in {}{partial}",
            both,
            a.len() - both,
            title(*one),
            b.len() - both,
            title(*other)
        );
        let only: Vec<_> = a.rows().iter().map(|row| row.id).filter(|id| b.row(*id).is_none()).collect();
        self.notice = Some(crate::app::notice::Notice::info(text).with_hint("records only in the first are marked"));
        if let Some(list) = self.record_lists.get_mut(&ListId::View(*one)) {
            list.marked_by_comparison = only.iter().copied().collect();
            list.marks = only.into_iter().collect();
        }
        // Marks made for the comparison must not carry over to another command.
        self.views.marks.clear();
    }
}

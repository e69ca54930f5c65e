//! The queue's commands.

use std::collections::BTreeSet;

use super::QueueLine;
use crate::app::action::Action;
use crate::app::command::{Availability, ContextCommand, Scope};
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::filter_form::FilterForm;
use crate::app::prompt::{Prompt, PromptKind};
use crate::app::{Context, Effect, format};
use crate::domain::SignalId;
use crate::domain::queue::{Priority, QueueFilter, QueueSignal, QueueTab};

/// In the order of the help screen.
pub const COMMANDS: &[ContextCommand] = &[
    ContextCommand::new("queue.done", &["e"], "done", "mark done for everyone and move on", Scope::Queue, mark_done)
        .with_hint(1)
        .with_immediate_write()
        .available_when(can_mark_done),
    ContextCommand::new("queue.new", &["U"], "back to New", "move back to New for everyone", Scope::Queue, put_back)
        .with_hint(2)
        .with_immediate_write()
        .available_when(can_put_back),
    ContextCommand::new(
        "queue.open",
        &["Enter", "l", "Right"],
        "open",
        "open the signal, or expand a closed thread",
        Scope::Queue,
        open,
    )
    .with_cost("1 cr once per project")
    .with_hint(3)
    .available_when(has_row),
    ContextCommand::new("queue.mark", &["Space", "x"], "mark", "mark the row or thread and move down", Scope::Queue, mark)
        .with_hint(4)
        .available_when(has_row),
    ContextCommand::new("queue.range", &["v"], "range", "start a range; press again to mark it", Scope::Queue, toggle_range)
        .with_hint(7)
        .available_when(has_row),
    ContextCommand::new("queue.invert", &["V"], "invert", "invert marks (loaded rows)", Scope::Queue, invert_marks),
    ContextCommand::new("queue.mark.all", &["* a"], "all loaded", "mark all loaded rows", Scope::Queue, mark_all),
    ContextCommand::new("queue.mark.none", &["* n"], "none", "clear all marks", Scope::Queue, unmark_all),
    ContextCommand::new(
        "queue.mark.project",
        &["* p"],
        "project",
        "mark the loaded signals of this project",
        Scope::Queue,
        mark_project,
    )
    .available_when(has_row),
    ContextCommand::new("queue.mark.type", &["* t"], "type", "mark the loaded signals of this type", Scope::Queue, mark_type)
        .available_when(has_row),
    ContextCommand::new("queue.mark.high", &["* h"], "high", "mark the loaded high-priority signals", Scope::Queue, mark_high),
    ContextCommand::new(
        "queue.threads",
        &["T"],
        "threads",
        "group the loaded rows by project, or ungroup",
        Scope::Queue,
        toggle_threads,
    )
    .with_hint(8),
    ContextCommand::new("queue.close", &["h", "Left"], "close", "close the thread of this row", Scope::Queue, close_thread)
        .available_when(is_threaded),
    ContextCommand::new("queue.close.all", &["-"], "close all", "close all threads", Scope::Queue, close_all_threads)
        .available_when(is_threaded),
    ContextCommand::new("queue.open.all", &["="], "open all", "open all threads", Scope::Queue, open_all_threads)
        .available_when(is_threaded),
    ContextCommand::new("queue.why", &["W"], "why", "explain this signal's priority", Scope::Queue, show_priority_reason)
        .with_hint(11)
        .available_when(has_row),
    ContextCommand::new("queue.filter", &["f"], "filter", "filter by type, priority, city or text", Scope::Queue, open_filter)
        .with_hint(5),
    ContextCommand::new("queue.filter.clear", &["F"], "no filter", "clear the filter", Scope::Queue, clear_filter)
        .available_when(is_filtered),
    ContextCommand::new("queue.priority", &["!"], "priority", "cycle: high, high + medium, all", Scope::Queue, cycle_priority),
    ContextCommand::new("queue.find", &["/"], "find", "find text in the loaded rows", Scope::Queue, open_find).with_hint(6),
    ContextCommand::new("queue.find.next", &["n"], "next match", "go to the next match", Scope::Queue, find_next)
        .available_when(Context::can_repeat_find),
    ContextCommand::new("queue.find.previous", &["N"], "previous match", "go to the previous match", Scope::Queue, find_previous)
        .available_when(Context::can_repeat_find),
    ContextCommand::new("queue.page.next", &[">"], "200 down", "move 200 rows down", Scope::Queue, |app| {
        app.perform(Action::MoveCursor(200))
    }),
    ContextCommand::new("queue.page.previous", &["<"], "200 up", "move 200 rows up", Scope::Queue, |app| {
        app.perform(Action::MoveCursor(-200))
    }),
    ContextCommand::new("queue.preview", &["p"], "preview", "show or hide the preview", Scope::Queue, |app| {
        app.queue.preview.hidden = !app.queue.preview.hidden;
    }),
    ContextCommand::new(
        "queue.preview.move",
        &["P"],
        "move preview",
        "move the preview beside or below the list",
        Scope::Queue,
        |app| {
            app.queue.preview.below = Some(!app.layout.preview_below);
            app.queue.preview.hidden = false;
        },
    ),
    ContextCommand::new(
        "queue.preview.focus",
        &["Tab", "Shift-Tab"],
        "to preview",
        "switch between list and preview",
        Scope::Queue,
        |app| {
            app.queue.preview.focused = !app.queue.preview.focused;
        },
    )
    .available_when(has_preview),
    ContextCommand::new("queue.preview.down", &["J"], "scroll down", "scroll the preview down", Scope::Queue, |app| {
        app.queue.preview.top = app.queue.preview.top.saturating_add(1);
    }),
    ContextCommand::new("queue.preview.up", &["K"], "scroll up", "scroll the preview up", Scope::Queue, |app| {
        app.queue.preview.top = app.queue.preview.top.saturating_sub(1);
    }),
];

fn has_row(app: &Context) -> Availability {
    if app.queue.current_tab().current_row().is_some() { Ok(()) } else { Err("no signals here".into()) }
}

fn is_threaded(app: &Context) -> Availability {
    if app.queue.current_tab().is_threaded() {
        Ok(())
    } else {
        Err(app.keymap.expand_keys("rows are not grouped; {queue.threads} groups them").into())
    }
}

fn is_filtered(app: &Context) -> Availability {
    if app.queue.is_filtered() { Ok(()) } else { Err("no filter is set".into()) }
}

fn has_preview(app: &Context) -> Availability {
    if app.layout.preview.is_empty() {
        Err(app.keymap.expand_keys("the preview is not visible; {queue.preview} shows it if there is room").into())
    } else {
        Ok(())
    }
}

fn can_mark_done(app: &Context) -> Availability {
    can_triage(app, QueueTab::New, "these signals are already done")
}

fn can_put_back(app: &Context) -> Availability {
    can_triage(app, QueueTab::Done, "these signals are already new")
}

fn can_triage(app: &Context, tab: QueueTab, already: &'static str) -> Availability {
    app.can_write()?;
    if app.queue.tab != tab {
        return Err(already.into());
    }
    if app.queue.current_tab().has_selection() { Ok(()) } else { Err("no signals here".into()) }
}

fn mark_done(app: &mut Context) {
    let ids = app.queue.current_tab().selection();
    app.triage(QueueTab::New, ids);
}

fn put_back(app: &mut Context) {
    let ids = app.queue.current_tab().selection();
    app.triage(QueueTab::Done, ids);
}

fn open(app: &mut Context) {
    if matches!(
        app.queue.current_tab().line_at(app.queue.current_tab().scroll.cursor),
        Some(QueueLine::Thread { open: false, .. })
    ) {
        app.queue.current_tab_mut().set_folded(false);
    } else {
        app.perform(Action::OpenSignal);
    }
}

fn mark(app: &mut Context) {
    let tab = app.queue.current_tab_mut();
    let ids = match tab.line_at(tab.scroll.cursor) {
        Some(QueueLine::Thread { project, .. }) => tab.ids_in_project(project),
        Some(QueueLine::Row(slot)) => tab.list.id_at(slot).into_iter().collect(),
        None => Vec::new(),
    };
    if ids.iter().all(|id| tab.marks.contains(id)) {
        ids.iter().for_each(|id| {
            tab.marks.remove(id);
        });
    } else {
        tab.marks.extend(ids);
    }
    app.perform(Action::MoveCursor(1));
}

fn toggle_range(app: &mut Context) {
    let tab = app.queue.current_tab_mut();
    if tab.range_anchor.is_some() {
        let ids = tab.range_ids();
        let has_gaps = tab.unread_in_range() > 0;
        tab.marks.extend(ids);
        tab.range_anchor = None;
        if has_gaps {
            notify_marked(app);
        }
    } else {
        tab.range_anchor = tab.current_row().map(|row| row.signal.id);
    }
}

fn invert_marks(app: &mut Context) {
    let tab = app.queue.current_tab_mut();
    let loaded: BTreeSet<SignalId> = tab.list.loaded_rows().map(|(_, row)| row.signal.id).collect();
    tab.marks = &tab.marks ^ &loaded;
    notify_marked(app);
}

fn mark_rows_where(app: &mut Context, wanted: impl Fn(&QueueSignal) -> bool) {
    let tab = app.queue.current_tab_mut();
    let ids: Vec<SignalId> = tab.list.loaded_rows().filter(|(_, row)| wanted(row)).map(|(_, row)| row.signal.id).collect();
    tab.marks.extend(&ids);
    notify_marked(app);
}

/// Reports how many rows are marked and, if some are not loaded, which rows were considered.
fn notify_marked(app: &mut Context) {
    let tab = app.queue.current_tab();
    let (marked, all) = (format::format_count(tab.marks.len() as u64), format::pluralize(tab.list.total(), "row"));
    app.notice = Some(Notice::info(match tab.loaded_ranges_label() {
        Some(loaded) => format!("{marked} marked; only {loaded} of {all} are loaded"),
        None => format!("{marked} marked"),
    }));
}

fn mark_all(app: &mut Context) {
    mark_rows_where(app, |_| true);
}

fn unmark_all(app: &mut Context) {
    let tab = app.queue.current_tab_mut();
    tab.marks.clear();
    tab.range_anchor = None;
}

fn mark_project(app: &mut Context) {
    mark_matching(app, |row| &row.signal.project_id);
}

fn mark_type(app: &mut Context) {
    mark_matching(app, |row| &row.signal.signal_type);
}

/// Marks the rows with the same value as the row under the cursor; a row without a value only matches itself.
fn mark_matching<T: Clone + PartialEq>(app: &mut Context, of: fn(&QueueSignal) -> &Option<T>) {
    let Some((id, same)) = app.queue.current_tab().current_row().map(|row| (row.signal.id, of(row).clone())) else { return };
    mark_rows_where(app, |row| row.signal.id == id || same.is_some() && *of(row) == same);
}

fn mark_high(app: &mut Context) {
    mark_rows_where(app, |row| row.priority == Some(Priority::High));
}

fn toggle_threads(app: &mut Context) {
    let on = !app.queue.current_tab().is_threaded();
    app.queue.new.set_threaded(on);
    app.queue.done.set_threaded(on);
}

fn close_thread(app: &mut Context) {
    app.queue.current_tab_mut().set_folded(true);
}

fn close_all_threads(app: &mut Context) {
    app.queue.current_tab_mut().set_all_folded(true);
}

fn open_all_threads(app: &mut Context) {
    app.queue.current_tab_mut().set_all_folded(false);
}

fn show_priority_reason(app: &mut Context) {
    let row = app.queue.current_tab().current_row().cloned();
    app.explain_priority(row);
}

fn open_filter(app: &mut Context) {
    app.overlay = Some(Overlay::Filter(FilterForm::new(&app.queue.filter)));
}

fn clear_filter(app: &mut Context) {
    app.queue.set_filter(QueueFilter::default());
}

fn cycle_priority(app: &mut Context) {
    let priority = match app.queue.filter.priority.len() {
        0 => [Priority::High].into(),
        1 => [Priority::High, Priority::Medium].into(),
        _ => BTreeSet::new(),
    };
    app.queue.set_filter(QueueFilter { priority, ..app.queue.filter.clone() });
}

fn open_find(app: &mut Context) {
    app.prompt = Some(Prompt::new("find", "", PromptKind::FindSignals));
}

fn find_next(app: &mut Context) {
    app.find_signal(true);
}

fn find_previous(app: &mut Context) {
    app.find_signal(false);
}

impl Context {
    /// Goes to the next or previous loaded row that contains the search text.
    pub fn find_signal(&mut self, forward: bool) {
        let wanted = self.last_find.to_lowercase();
        let tab = self.queue.current_tab_mut();
        let read = tab.read_lines(0..usize::MAX);
        let matches: Vec<usize> =
            read.filter(|(_, id)| tab.list.row(*id).is_some_and(|row| row_contains(row, &wanted))).map(|(at, _)| at).collect();
        let (loaded, all) = (tab.loaded_count() as u64, tab.list.total());
        let of = if loaded < all { format!(" in {} loaded rows", format::format_count(loaded)) } else { String::new() };
        self.notice = Some(match tab.scroll.jump_to_next(&matches, forward) {
            Some(at) => Notice::info(format!("{} of {}{of}: {}", at + 1, matches.len(), self.last_find))
                .with_hint("{queue.find.next} {queue.find.previous}"),
            None => Notice::warning(format!("not found{of}: {}", self.last_find)).with_hint("{queue.filter} filters all rows"),
        });
    }

    /// Copies the filter as a CLI command that lists the same rows.
    pub fn copy_queue_filter(&mut self) {
        let mut command = format!("gantry queue list --status {}", self.queue.tab.status());
        let filter = &self.queue.filter;
        filter.signal_type.iter().for_each(|kind| command.push_str(&format!(" --type {kind}")));
        filter.priority.iter().for_each(|priority| command.push_str(&format!(" --priority {priority}")));
        for (option, text) in [("--city", &filter.city), ("--query", &filter.q)] {
            if !text.is_empty() {
                command.push_str(&format!(" {option} '{}'", text.replace('\'', r"'\''")));
            }
        }
        self.notice = Some(Notice::info(format!("sent to the terminal's clipboard: {command}")));
        self.effects.push(Effect::CopyToClipboard(command));
    }
}

/// Whether a visible field of the row contains the (lowercase) text.
pub fn row_contains(row: &QueueSignal, wanted: &str) -> bool {
    let kind = row.signal.signal_type.as_ref().map(|kind| kind.as_str());
    [
        row.signal.project_name.as_deref(),
        row.signal.project_primary_address.as_deref(),
        row.signal.source_filing_id.as_deref(),
        kind,
    ]
    .into_iter()
    .flatten()
    .any(|text| text.to_lowercase().contains(wanted))
}

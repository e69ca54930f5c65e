//! The detail's commands.

use super::DetailTab;
use crate::app::action::Action;
use crate::app::command::{Availability, ContextCommand, Scope};
use crate::app::notice::Notice;
use crate::app::{Context, format};
use crate::domain::queue::QueueTab;

/// In the order of the help screen.
pub const COMMANDS: &[ContextCommand] = &[
    ContextCommand::new(
        "detail.done",
        &["e"],
        "done, next",
        "mark done for everyone and open the next signal",
        Scope::Detail,
        mark_done,
    )
    .with_cost("1 cr once per project")
    .with_hint(1)
    .with_immediate_write()
    .available_when(can_mark_done),
    ContextCommand::new("detail.new", &["U"], "back to New", "move back to New for everyone", Scope::Detail, put_back)
        .with_cost("1 cr once per project")
        .with_hint(2)
        .with_immediate_write()
        .available_when(can_put_back),
    ContextCommand::new("detail.next", &["J"], "next", "open the next signal in the list", Scope::Detail, |app| {
        app.open_adjacent_signal(1)
    })
    .with_cost("1 cr once per project")
    .with_hint(3),
    ContextCommand::new("detail.previous", &["K"], "previous", "open the previous signal in the list", Scope::Detail, |app| {
        app.open_adjacent_signal(-1);
    })
    .with_cost("1 cr once per project")
    .with_hint(4),
    ContextCommand::new(
        "detail.switch",
        &["Tab", "Shift-Tab"],
        "timeline",
        "switch between text and timeline",
        Scope::Detail,
        switch_focus,
    )
    .with_hint(5)
    .available_when(has_timeline_beside),
    ContextCommand::new("detail.why", &["W"], "why", "explain this signal's priority", Scope::Detail, |app| {
        let row = app.detail.as_ref().map(|detail| detail.row.clone());
        app.explain_priority(row);
    })
    .with_hint(6),
    ContextCommand::new("detail.reload", &["r"], "refresh", "refresh the project", Scope::Detail, |app| app.read_project(true))
        .with_cost("1 cr")
        .with_hint(7),
    ContextCommand::new(
        "detail.mark",
        &["* p"],
        "mark project",
        "mark the loaded signals of this project in the list",
        Scope::Detail,
        mark_project,
    ),
    ContextCommand::new("detail.left", &["h", "Left"], "back", "go back to the list", Scope::Detail, |app| {
        app.perform(Action::GoBack)
    }),
];

fn can_mark_done(app: &Context) -> Availability {
    can_triage(app, QueueTab::New, "this signal is already done")
}

fn can_put_back(app: &Context) -> Availability {
    can_triage(app, QueueTab::Done, "this signal is already new")
}

fn can_triage(app: &Context, tab: QueueTab, already: &'static str) -> Availability {
    app.can_write()?;
    match &app.detail {
        Some(detail) if detail.queue_tab == tab && !app.has_left_list(detail) => Ok(()),
        Some(_) => Err(already.into()),
        None => Err("no signal here".into()),
    }
}

fn has_timeline_beside(app: &Context) -> Availability {
    if app.layout.timeline.is_empty() || app.layout.timeline == app.layout.rows {
        return Err(app.keymap.expand_keys("the timeline is a tab at this width; {tab.next} goes there").into());
    }
    Ok(())
}

fn mark_done(app: &mut Context) {
    triage_signal(app, QueueTab::New);
}

fn put_back(app: &mut Context) {
    triage_signal(app, QueueTab::Done);
}

fn triage_signal(app: &mut Context, from: QueueTab) {
    let Some(id) = app.detail.as_ref().map(|detail| detail.row.signal.id) else { return };
    app.triage(from, vec![id]);
    app.advance_detail();
}

fn switch_focus(app: &mut Context) {
    if let Some(detail) = &mut app.detail {
        detail.timeline_focused = !detail.timeline_focused;
    }
}

fn mark_project(app: &mut Context) {
    let ids = app.detail_thread_ids();
    let Some(from) = app.detail.as_ref().map(|detail| detail.queue_tab) else { return };
    app.queue.tab_state_mut(from).marks.extend(&ids);
    app.notice = Some(Notice::info(format!("{} of this project marked in the list", format::pluralize(ids.len(), "signal"))));
}

/// The tabs in order; the timeline is a tab only if it is not shown beside the text.
pub fn visible_tabs(app: &Context) -> &'static [DetailTab] {
    if app.layout.is_wide {
        &[DetailTab::Overview, DetailTab::People, DetailTab::Raw]
    } else {
        &[DetailTab::Overview, DetailTab::Timeline, DetailTab::People, DetailTab::Raw]
    }
}

//! The detail's commands.

use crate::app::action::Action;
use crate::app::command::{Availability, require, shared};
use crate::app::pane_command::PaneCommand;
use crate::app::panes::detail::DetailPane;
use crate::app::price::Price;
use crate::app::{AfterTriage, Context, format};
use crate::domain::queue::QueueTab;

type Row = PaneCommand<DetailPane>;

/// In the order of the help screen.
pub const COMMANDS: &[Row] = &[
    Row::at("detail.done", &shared::DONE, |pane, cx| {
        triage_signal(pane, QueueTab::New, cx)
    })
    .with_words(
        "done, next",
        "mark done for everyone and open the next signal",
    )
    .with_price("1 cr once per project", price_after_triage)
    .with_hint(1)
    .with_immediate_write()
    .available_when(|pane, cx| can_triage(pane, QueueTab::New, "this signal is already done", cx)),
    Row::at("detail.new", &shared::NEW, |pane, cx| {
        triage_signal(pane, QueueTab::Done, cx)
    })
    .with_price("1 cr once per project", price_after_triage)
    .with_hint(2)
    .with_immediate_write()
    .available_when(|pane, cx| can_triage(pane, QueueTab::Done, "this signal is already new", cx)),
    Row::at("detail.snooze", &shared::SNOOZE, |pane, cx| {
        cx.ask_snooze(pane.signal.iter().map(|open| open.row.signal.id).collect())
    })
    .with_hint(2)
    .available_when(can_snooze),
    Row::at("detail.next", &shared::NEXT, |pane, cx| {
        pane.open_adjacent(1, cx);
    })
    .with_price("1 cr once per project", |pane, cx| {
        adjacent_price(pane, 1, cx)
    })
    .with_hint(3),
    Row::at("detail.previous", &shared::PREVIOUS, |pane, cx| {
        pane.open_adjacent(-1, cx);
    })
    .with_price("1 cr once per project", |pane, cx| {
        adjacent_price(pane, -1, cx)
    })
    .with_hint(5),
    Row::at("detail.switch", &shared::OTHER_PANE, |pane, _| {
        pane.timeline_focused = !pane.timeline_focused
    })
    .with_title("timeline")
    .with_hint_text(6, |pane, _| {
        Some(if pane.timeline_focused {
            "to text"
        } else {
            "timeline"
        })
    })
    .available_when(has_timeline_beside),
    Row::at("detail.open", &shared::OPEN, DetailPane::open_current)
        .with_description("open the signal, firm or person")
        .with_price("1 cr once per record", DetailPane::row_price)
        .with_hint(1)
        .available_when(|pane, cx| {
            require(
                pane.focused_list(cx).is_some(),
                "nothing is selected; {tab.next} shows whom to call, {detail.switch} goes to the \
             timeline",
            )
        }),
    Row::at("detail.why", &shared::WHY, |pane, cx| {
        cx.explain_priority(pane.signal.as_ref().map(|open| open.row.clone()));
    })
    .with_hint(7),
    Row::at("detail.reload", &shared::RELOAD, |pane, cx| {
        pane.read_project(true, cx)
    })
    .with_price("1 cr", |pane, _| {
        Price::of_credits(u64::from(
            pane.signal
                .as_ref()
                .is_some_and(|open| open.row.signal.project_id.is_some()),
        ))
    })
    .with_hint(8),
    Row::new(
        "detail.mark",
        &["* p"],
        "mark project",
        "mark the loaded signals of this project in the list",
        mark_project,
    ),
    Row::at("detail.left", &shared::LEFT, |_, cx| {
        cx.work.perform(Action::GoBack)
    }),
];

/// What opening the signal of another row costs.
fn adjacent_price(pane: &DetailPane, rows: isize, cx: &Context) -> Price {
    let tab = cx.queue.current_tab();
    let next = tab.adjacent_line(tab.scroll.cursor, rows);
    let row = next.and_then(|at| tab.row_at(at));
    row.map_or(Price::Free, |row| {
        pane.opening_price(row.signal.project_id, cx)
    })
}

/// What the signal costs that opens after a triage: the next one, on the last signal the previous
/// one.
fn price_after_triage(pane: &DetailPane, cx: &Context) -> Price {
    let tab = cx.queue.current_tab();
    match cx.settings.after_triage {
        AfterTriage::Next if tab.adjacent_line(tab.scroll.cursor, 1).is_some() => {
            adjacent_price(pane, 1, cx)
        }
        AfterTriage::Next => adjacent_price(pane, -1, cx),
        AfterTriage::Stay | AfterTriage::Back => Price::Free,
    }
}

fn can_triage(
    pane: &DetailPane,
    tab: QueueTab,
    already: &'static str,
    cx: &Context,
) -> Availability {
    let open = pane.signal.as_ref().ok_or("no signal here")?;
    if open.row.triage_status.is_none() {
        return Err("this signal is not among the loaded rows of the queue".into());
    }
    let is_listed = cx
        .queue
        .tab_state(tab)
        .list
        .row(open.row.signal.id)
        .is_some();
    require(open.queue_tab == tab && is_listed, already)
}

/// Snoozes are local: they need no permission to write.
fn can_snooze(pane: &DetailPane, cx: &Context) -> Availability {
    let id = pane.signal.as_ref().ok_or("no signal here")?.row.signal.id;
    let is_new = cx.queue.new.list.row(id).is_some() && !cx.outbox.is_signal_pending(id);
    require(
        is_new,
        "only new signals among the loaded rows can be snoozed",
    )
}

fn has_timeline_beside(_: &DetailPane, cx: &Context) -> Availability {
    if cx.frame.layout().side_panel.is_empty()
        || cx.frame.layout().side_panel == cx.frame.layout().rows
    {
        return Err("the timeline is a tab at this width; {tab.next} goes there".into());
    }
    Ok(())
}

fn triage_signal(pane: &mut DetailPane, from: QueueTab, cx: &mut Context) {
    let Some(id) = pane.signal.as_ref().map(|open| open.row.signal.id) else {
        return;
    };
    cx.triage(from, vec![id]);
    pane.advance(cx);
}

fn mark_project(pane: &mut DetailPane, cx: &mut Context) {
    let Some(open) = &pane.signal else { return };
    let ids = open.thread_ids(cx);
    cx.queue.tab_state_mut(open.queue_tab).marks.extend(&ids);
    cx.ui.inform(format!(
        "{} of this project marked in the list",
        format::pluralize(ids.len(), "signal")
    ));
}

//! The dashboard's commands; none of them writes.

use crate::app::DashboardPage;
use crate::app::command::shared;
use crate::app::context::session;
use crate::app::pane_command::PaneCommand;
use crate::app::panes::watch::{WatchPane, change_poll_interval, choices};

type Row = PaneCommand<WatchPane>;

/// In the order of the help screen.
pub const COMMANDS: &[Row] = &[
    Row::new(
        "watch.pause",
        &["Space"],
        "pause",
        "pause the display (polling continues)",
        |watch, cx| {
            watch.frozen_stats = match watch.frozen_stats.take() {
                Some(_) => None,
                None => cx.stats.as_ref().cloned().map(Box::new),
            };
        },
    )
    .with_hint(1),
    Row::new(
        "watch.slower",
        &["+"],
        "slower",
        "poll less often",
        |_, cx| change_poll_interval(true, cx),
    )
    .with_hint(2),
    Row::new(
        "watch.faster",
        &["-"],
        "faster",
        "poll more often",
        |_, cx| change_poll_interval(false, cx),
    )
    .with_hint(3),
    Row::new(
        "watch.bell",
        &["b"],
        "bell",
        "bell and notification for new high-priority signals, on or off",
        |_, cx| choices::toggle_bell(cx),
    )
    .with_hint(4),
    Row::new(
        "watch.hide",
        &["K"],
        "hide names",
        "show or hide names and amounts",
        |_, cx| {
            session::change_dashboard(
                |dashboard| dashboard.hides_names = !dashboard.hides_names,
                &mut cx.settings,
            )
        },
    )
    .with_hint(7),
    Row::new(
        "watch.message",
        &["m"],
        "message",
        "show a line for the room, or none",
        |_, cx| choices::ask_message(cx),
    )
    .with_hint(9),
    Row::new(
        "watch.pages",
        &["p"],
        "pages",
        "choose the pages",
        |watch, cx| watch.choose_pages(DashboardPage::Counts, cx),
    )
    .with_hint(8),
    Row::at("watch.next_page", &shared::NEXT_TAB, |watch, cx| {
        watch.turn_page(true, cx)
    })
    .with_keys(&["Right"])
    .with_title("next page"),
    Row::at("watch.previous_page", &shared::PREVIOUS_TAB, |watch, cx| {
        watch.turn_page(false, cx)
    })
    .with_keys(&["Left"])
    .with_title("previous page"),
    Row::new(
        "watch.theme",
        &["t"],
        "theme",
        "switch to the next color theme",
        |_, cx| cx.switch_to_next_theme(),
    )
    .with_hint(6),
    Row::new(
        "watch.charts",
        &["c"],
        "charts",
        "show or hide the charts",
        |watch, _| watch.charts_hidden = !watch.charts_hidden,
    )
    .with_hint(5),
];

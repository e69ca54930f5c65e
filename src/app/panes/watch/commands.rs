//! The dashboard's commands; none of them writes.

use super::pages::DashboardPage;
use crate::app::App;
use crate::app::command::{AppCommand, Scope};
use crate::app::notice::Notice;

/// In the order of the help screen.
pub const COMMANDS: &[AppCommand] = &[
    AppCommand::new("watch.pause", &["Space"], "pause", "pause the display (polling continues)", Scope::Watch, |app| {
        app.dashboard.frozen_stats = match app.dashboard.frozen_stats.take() {
            Some(_) => None,
            None => app.stats.clone().map(Box::new),
        };
    })
    .with_hint(1),
    AppCommand::new("watch.slower", &["+"], "slower", "poll less often", Scope::Watch, |app| app.change_poll_interval(true))
        .with_hint(2),
    AppCommand::new("watch.faster", &["-"], "faster", "poll more often", Scope::Watch, |app| app.change_poll_interval(false))
        .with_hint(3),
    AppCommand::new(
        "watch.bell",
        &["b"],
        "bell",
        "bell and notification for new high-priority signals, on or off",
        Scope::Watch,
        |app| {
            app.dashboard.bell_enabled = !app.dashboard.bell_enabled;
            app.notice = Some(Notice::info(if app.dashboard.bell_enabled { "bell on for high priority" } else { "bell off" }));
        },
    )
    .with_hint(4),
    AppCommand::new("watch.hide", &["K"], "hide names", "show or hide names and amounts", Scope::Watch, |app| {
        app.settings.dashboard.hides_names = !app.settings.dashboard.hides_names
    })
    .available_when(|app| {
        let has_rows = app.settings.dashboard.pages.iter().any(|page| *page != DashboardPage::Counts);
        if has_rows { Ok(()) } else { Err("only counts are shown, no names or amounts".into()) }
    }),
    AppCommand::new("watch.theme", &["t"], "theme", "switch to the next color theme", Scope::Watch, App::switch_to_next_theme)
        .with_hint(6),
    AppCommand::new("watch.charts", &["c"], "charts", "show or hide the charts", Scope::Watch, |app| {
        app.dashboard.charts_hidden = !app.dashboard.charts_hidden
    })
    .with_hint(5),
];

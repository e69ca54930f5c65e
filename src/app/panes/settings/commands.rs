//! The commands of the settings.

use crate::app::Context;
use crate::app::command::{Availability, Scope, require, shared};
use crate::app::context::configuration;
use crate::app::pane_command::PaneCommand;
use crate::app::panes::settings::{SettingsPane, draw};
use crate::domain::settings::SettingKind;

type Row = PaneCommand<SettingsPane>;

/// In the order of help.
pub const COMMANDS: &[Row] = &[
    Row::new(
        "settings.change",
        &["Enter"],
        "change",
        "change the setting: switch it, pick or type its value, or open the file where it has \
         entries",
        SettingsPane::ask_value,
    )
    .with_hint_text(1, |pane, _| {
        Some(match pane.current()?.kind {
            SettingKind::Switch => "switch",
            SettingKind::Entries => "edit in the file",
            _ => "change",
        })
    })
    .available_when(has_row),
    Row::new(
        "settings.default",
        &["-", "Delete"],
        "default",
        "return to the default: remove the setting from the file",
        SettingsPane::return_to_default,
    )
    .with_hint(2)
    .available_when(can_return),
    Row::at("settings.panel", &shared::DETAILS, |pane, _| {
        pane.panel_open = true;
    })
    .available_when(can_show_panel),
    Row::at("settings.list", &shared::LEFT, |pane, _| {
        pane.panel_open = false
    })
    .with_title("list")
    .with_hint(3)
    .available_when(|_, cx| require(cx.frame.layout().panel.is_empty(), "the list is shown")),
    Row::at("settings.file", &shared::EDIT, |_, cx| {
        configuration::edit_configuration(&mut cx.work)
    })
    .with_words(
        "file",
        "edit the configuration file in your own editor, and then apply it",
    )
    .with_hint(4),
    Row::at("settings.down", &shared::PANEL_DOWN, |pane, _| {
        pane.panel_top = pane.panel_top.saturating_add(1);
    })
    .available_when(can_scroll_down),
    Row::at("settings.up", &shared::PANEL_UP, |pane, _| {
        pane.panel_top = pane.panel_top.saturating_sub(1);
    })
    .available_when(|pane, _| require(pane.panel_top > 0, "the beginning is shown")),
    Row::new(
        "go.settings",
        &["g ,"],
        "settings",
        "go to the settings of this machine, to see and change them",
        SettingsPane::open,
    )
    .in_scope(Scope::Global)
    .available_when(|_, cx| cx.session.can_leave_dashboard()),
];

fn has_row(pane: &SettingsPane, _: &Context) -> Availability {
    require(pane.current().is_some(), "no setting here")
}

fn can_show_panel(pane: &SettingsPane, cx: &Context) -> Availability {
    has_row(pane, cx)?;
    require(cx.frame.layout().side_panel.is_empty(), "they are shown")
}

fn can_scroll_down(pane: &SettingsPane, cx: &Context) -> Availability {
    let area = cx.frame.layout().side_rows;
    let lines = draw::panel_lines(pane, cx, area.width).len();
    require(
        pane.panel_top + usize::from(area.height) < lines,
        "all of it is shown",
    )
}

fn can_return(pane: &SettingsPane, cx: &Context) -> Availability {
    has_row(pane, cx)?;
    match pane.current() {
        Some(row) if row.kind == SettingKind::Entries => {
            Err("it has entries; edit them in the file".into())
        }
        Some(row) if row.is_in_file || pane.is_chosen_on_screen(row, cx) => Ok(()),
        _ => Err("the file does not set it".into()),
    }
}

//! Draws the settings: the list, and what is known of the current one beside it, below it or in its
//! place.

use ratatui::buffer::Buffer;

use super::SettingsPane;
use super::columns::Settings;
use crate::app::Context;
use crate::app::format::format_count;
use crate::app::list::list_of;
use crate::app::model::load_state::LoadState;
use crate::app::panes::fact_list::{FactLine, FactList};
use crate::domain::settings::SettingKind;
use crate::ui::{TextRole, draw_line, panel, scroll, text_span};

/// Width of the panel's labels in cells.
const LABEL_WIDTH: usize = 9;

pub(super) fn draw(pane: &SettingsPane, cx: &Context, buf: &mut Buffer) {
    if !cx.frame.layout().panel.is_empty() {
        draw_list(pane, cx, buf);
    }
    if !cx.frame.layout().side_panel.is_empty() {
        draw_side_panel(pane, cx, buf);
    }
}

fn draw_list(pane: &SettingsPane, cx: &Context, buf: &mut Buffer) {
    let (theme, area, rows) = (
        cx.settings.theme,
        cx.frame.layout().panel,
        cx.frame.layout().rows,
    );
    let mut title = vec![text_span(TextRole::Strong, "Settings")];
    title.extend((!pane.rows.is_empty()).then(|| {
        text_span(
            TextRole::Muted,
            format!(" {}", format_count(pane.rows.len() as u64)),
        )
    }));
    let list = list_of::<Settings>(pane, cx);
    title.extend(cx.arrangement_label(&list));
    panel::draw_panel(buf, area, &title, &[], true, &theme);
    match &pane.load {
        _ if !pane.rows.is_empty() => {}
        LoadState::Failed(why) => {
            let hint = "{settings.file} opens the file   {config.reload} reads it again";
            return cx.draw_error(buf, rows, "the configuration cannot be read", why, hint);
        }
        _ => return cx.draw_message(buf, rows, &[], &["reading the configuration"]),
    }
    cx.draw_list(buf, &list, (area, rows), true);
    if let Some(row) = pane
        .current()
        .filter(|_| cx.frame.layout().side_panel.is_empty())
    {
        draw_line(
            buf,
            panel::footer_area(area),
            &[
                text_span(TextRole::Text, row.title()),
                text_span(TextRole::Muted, format!("  {}", row.description)),
            ],
            &theme,
        );
    }
}

fn draw_side_panel(pane: &SettingsPane, cx: &Context, buf: &mut Buffer) {
    let (theme, area, rows) = (
        cx.settings.theme,
        cx.frame.layout().side_panel,
        cx.frame.layout().side_rows,
    );
    let title = pane
        .current()
        .map(|row| text_span(TextRole::Strong, row.title()));
    panel::draw_panel(
        buf,
        area,
        &title.into_iter().collect::<Vec<_>>(),
        &[],
        cx.frame.layout().panel.is_empty(),
        &theme,
    );
    scroll::draw_scrolled_lines(
        buf,
        area,
        rows,
        &panel_lines(pane, cx, rows.width),
        pane.panel_top,
        &theme,
    );
}

/// What is known of the current setting.
pub(super) fn panel_lines(pane: &SettingsPane, cx: &Context, width: u16) -> Vec<FactLine> {
    let Some(row) = pane.current() else {
        return Vec::new();
    };
    let mut list = FactList::new(width, LABEL_WIDTH);
    list.push_paragraph(TextRole::Text, &format!("{}.", row.description));
    if let Some(problem) = &row.problem {
        list.push_paragraph(TextRole::Error, &format!("{problem}; using the default"));
    }
    if !cx.frame.layout().preview_below {
        list.push_gap();
    }
    let or_none = |text: &str| {
        if text.is_empty() {
            "none".to_owned()
        } else {
            text.to_owned()
        }
    };
    list.push_fact("value", TextRole::Strong, or_none(row.shown_value()));
    if row.shown_default() != row.shown_value() {
        list.push_fact("default", TextRole::Text, or_none(row.shown_default()));
    }
    list.push_fact("from", TextRole::Text, row.source.clone());
    list.push_fact("key", TextRole::Muted, row.key.clone());
    let values = match &row.kind {
        SettingKind::Switch => "on, off".to_owned(),
        SettingKind::Choice(words) | SettingKind::Choices(words) => words.join(", "),
        SettingKind::Typed(form) => (*form).to_owned(),
        SettingKind::Text | SettingKind::Entries => String::new(),
    };
    list.push_fact("values", TextRole::Muted, values);
    if let Some(source) = row.overriding_source() {
        list.push_paragraph(
            TextRole::Warning,
            &format!("{source} overrides the file until the next start without it."),
        );
    }
    if row.applies_at_start {
        list.push_paragraph(TextRole::Warning, "A change applies at the next start.");
    }
    list.into_lines()
}

//! Draws the detail: the text with its tabs, and the timeline beside it if there is room.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{DetailPane, DetailTab, commands, timeline_signals};
use crate::app::Context;
use crate::app::format::{self, format_time};
use crate::app::model::load_state::LoadState;
use crate::app::panes::fact_list::{FactLine, FactList, ROLE_WIDTH};
use crate::app::panes::queue::QueueTabState;
use crate::domain::queue::TriageStatus;
use crate::domain::signals::Signal;
use crate::text;
use crate::ui::{TextRole, TextSpan, area, draw_line, paint, panel, scroll, text_span};

pub fn draw(app: &Context, buf: &mut Buffer) {
    let Some(detail) = &app.detail else { return };
    let theme = app.theme();
    draw_breadcrumb(app, detail, buf);
    let areas = &app.layout;
    let only_timeline = !areas.is_wide && detail.tab == DetailTab::Timeline;
    let text_focus = !areas.timeline_has_focus;
    panel::draw_panel(buf, areas.panel, &[], &[], app.pane_has_focus() && (text_focus || only_timeline), &theme);
    for (area, tab) in tab_areas(app, areas.panel, areas.is_wide) {
        let role = if tab == detail.tab { TextRole::Selected } else { TextRole::Muted };
        draw_line(buf, area, &[text_span(role, format!(" {} ", tab.title()))], &theme);
    }
    if !only_timeline {
        scroll::draw_scrolled_lines(buf, areas.panel, areas.rows, &text_lines(app), detail.top, &theme);
    }
    if areas.timeline_rows.height > 0 {
        if !only_timeline {
            panel::draw_panel(
                buf,
                areas.timeline,
                &[text_span(TextRole::Strong, "Timeline")],
                &timeline_note(app),
                app.pane_has_focus() && !text_focus,
                &theme,
            );
        }
        draw_timeline(app, detail, buf);
    }
}

/// The current position: tab, project, number of the signal.
fn draw_breadcrumb(app: &Context, detail: &DetailPane, buf: &mut Buffer) {
    let theme = app.theme();
    let into = format!(" {} ", theme.glyphs().breadcrumb);
    let area = area::inset_sides(app.layout.tab_bar, 1);
    let tab = app.queue.tab_state(detail.queue_tab);
    let place = format!("{} of {}", format::format_count(tab.scroll.cursor as u64 + 1), format::format_count(tab.total()));
    let next = next_signal_price(app, tab).map(|price| text_span(TextRole::Muted, format!("next {price} cr   ")));
    let age = app.previous_queue_age(detail.queue_tab).map(|age| text_span(TextRole::Warning, format!(" {age}")));
    let place: Vec<TextSpan<'_>> = next.into_iter().chain([text_span(TextRole::Muted, place)]).chain(age).collect();
    let left = paint::draw_line_right(buf, area, &place, &theme);
    let pieces = [
        text_span(TextRole::Muted, detail.queue_tab.title()),
        text_span(TextRole::Faint, into),
        text_span(TextRole::Strong, signal_name(detail)),
    ];
    draw_line(buf, area::area_before(area, left), &pieces, &theme);
}

fn signal_name(detail: &DetailPane) -> String {
    detail.row.signal.project_name.clone().unwrap_or_else(|| "unnamed project".to_owned())
}

/// The price of the signal that opens next, also after a triage; on the last signal that is the previous one.
fn next_signal_price(app: &Context, tab: &QueueTabState) -> Option<u64> {
    let at = tab.scroll.cursor;
    let project = tab.row_at(at + 1).or_else(|| tab.row_at(at.checked_sub(1)?))?.signal.project_id;
    Some(u64::from(project.is_some() && app.records.project(project).is_none()))
}

/// Areas of the tab labels on the panel's top border.
pub fn tab_areas(app: &Context, panel: Rect, wide: bool) -> Vec<(Rect, DetailTab)> {
    let tabs: &[DetailTab] =
        if wide { &[DetailTab::Overview, DetailTab::People, DetailTab::Raw] } else { commands::visible_tabs(app) };
    let mut x = panel.x + 2;
    tabs.iter()
        .map(|tab| {
            let width = u16::try_from(tab.title().len() + 2).unwrap_or(0);
            let area = Rect { x, width, y: panel.y, height: 1 }.intersection(panel);
            x = x.saturating_add(width + 1);
            (area, *tab)
        })
        .collect()
}

/// The text of the current tab.
pub fn text_lines(app: &Context) -> Vec<FactLine> {
    let Some(detail) = &app.detail else { return Vec::new() };
    let mut list = FactList::new(app.layout.rows.width, ROLE_WIDTH);
    match detail.tab {
        DetailTab::Overview | DetailTab::Timeline => write_overview(app, detail, &mut list),
        DetailTab::People => write_people(app, detail, &mut list),
        DetailTab::Raw => write_raw(detail, &mut list),
    }
    list.into_lines()
}

fn write_overview(app: &Context, detail: &DetailPane, list: &mut FactList) {
    let (paid, has_trail) = (app.records.project(detail.row.signal.project_id), !app.layout.tab_bar.is_empty());
    if !has_trail {
        list.push_line(vec![text_span(TextRole::Strong, signal_name(detail))]);
        if paid.is_none() {
            list.push_line(vec![loading_span(app)]);
        }
    }
    app.write_signal_facts(list, &detail.row);
    let Some(paid) = paid else {
        if has_trail {
            list.push_gap();
            list.push_line(vec![loading_span(app)]);
        }
        return;
    };
    let price = match paid.credits {
        Some(1) => "1 credit".to_owned(),
        Some(n) => format!("{n} credits"),
        None => "price unknown".to_owned(),
    };
    let read = format_time(paid.read_at, app.service_now(), app.settings.utc_offset);
    list.push_heading("Project", format!("read {read}, {price}"));
    app.write_project_facts(list, paid);
    list.push_heading("Firms", format::format_count(paid.project_details.accounts.len() as u64));
    app.write_firm_lines(list, paid, 8);
    if let Some(url) = &detail.row.signal.source_url {
        list.push_heading("Source", app.keymap.expand_keys("{source.open} opens it"));
        list.push_paragraph(TextRole::Muted, url);
    }
}

/// Placeholder for a project that is not loaded.
fn loading_span(app: &Context) -> TextSpan<'static> {
    match &app.records.load {
        _ if app.current_signal().is_some_and(|row| row.signal.project_id.is_none()) => {
            text_span(TextRole::Muted, "no project named")
        }
        LoadState::Failed(reason) => text_span(TextRole::Error, format!("could not load the project: {reason}")),
        LoadState::Loading => text_span(TextRole::Muted, "loading the project"),
        LoadState::Idle | LoadState::Ready => {
            text_span(TextRole::Muted, app.keymap.expand_keys("{detail.reload} loads the project, 1 cr"))
        }
    }
}

fn write_people(app: &Context, detail: &DetailPane, list: &mut FactList) {
    let Some(paid) = app.records.project(detail.row.signal.project_id) else {
        list.push_line(vec![loading_span(app)]);
        return;
    };
    list.push_heading("Firms", format::format_count(paid.project_details.accounts.len() as u64));
    for account in &paid.project_details.accounts {
        let role = account.roles.first().or(account.account_types.first()).map(|role| format::humanize(role)).unwrap_or_default();
        let name = account.name.clone().unwrap_or_else(|| "unnamed".to_owned());
        list.push_line(vec![
            text_span(TextRole::Muted, format!("{:<ROLE_WIDTH$}", text::truncate(&role, ROLE_WIDTH - 1, ""))),
            text_span(TextRole::Strong, name),
        ]);
        let reach = [account.public_phone.clone(), account.website.clone().or_else(|| account.domains.first().cloned())];
        list.push_facts(
            "",
            reach.into_iter().flatten().map(|fact| format!("  {fact}")).collect(),
            app.theme().glyphs().separator,
        );
    }
    list.push_heading("People", format::format_count(paid.project_details.contacts.len() as u64));
    for contact in &paid.project_details.contacts {
        let firm = paid
            .project_details
            .accounts
            .iter()
            .find(|account| Some(account.id) == contact.account_id)
            .and_then(|a| a.name.clone());
        let name = contact.name.clone().unwrap_or_else(|| "unnamed".to_owned());
        let title = contact.title.clone().map(|title| format!("  {title}")).unwrap_or_default();
        let firm = firm.map(|firm| format!(", {firm}")).unwrap_or_default();
        list.push_line(vec![text_span(TextRole::Strong, name), text_span(TextRole::Muted, format!("{title}{firm}"))]);
        let reach = [contact.email.clone(), contact.phone.clone()].into_iter().flatten().collect::<Vec<_>>();
        if !reach.is_empty() {
            list.push_line(vec![text_span(
                TextRole::Text,
                format!("  {}", reach.join(&format!(" {} ", app.theme().glyphs().separator))),
            )]);
        }
    }
    if paid.project_details.contacts.is_empty() {
        list.push_line(vec![text_span(TextRole::Muted, "no people known yet")]);
    }
}

fn write_raw(detail: &DetailPane, list: &mut FactList) {
    match (&detail.raw, &detail.raw_load) {
        (Some(signal), _) => {
            list.push_json(signal.raw_data.as_ref().unwrap_or(&serde_json::Value::Null), 1_000);
        }
        (None, LoadState::Failed(reason)) => {
            list.push_line(vec![text_span(TextRole::Error, format!("could not load the payload: {reason}"))])
        }
        (None, _) => list.push_line(vec![text_span(TextRole::Muted, "loading the source's payload")]),
    }
}

fn timeline_note(app: &Context) -> Vec<TextSpan<'static>> {
    vec![text_span(TextRole::Muted, format::pluralize(app.layout.entry_count, "signal"))]
}

fn draw_timeline(app: &Context, detail: &DetailPane, buf: &mut Buffer) {
    let theme = app.theme();
    let area = app.layout.timeline_rows;
    let Some(paid) = app.records.project(detail.row.signal.project_id) else {
        draw_line(buf, area, &[loading_span(app)], &theme);
        return;
    };
    let signals = timeline_signals(paid.project_details);
    for n in 0..area.height {
        let at = detail.timeline_scroll.top + usize::from(n);
        let Some(signal) = signals.get(at) else { break };
        let row = paint::row_rect(area, n);
        let above = at.checked_sub(1).and_then(|above| signals.get(above));
        draw_timeline_entry(app, detail, buf, row, signal, above);
        if app.layout.timeline_has_focus && at == detail.timeline_scroll.cursor {
            buf.set_style(Rect { x: row.x.saturating_sub(1), width: row.width + 2, ..row }, theme.cursor_row_style(true));
        }
    }
    scroll::draw_scrollbar(buf, app.layout.timeline, area, detail.timeline_scroll.top, signals.len(), &theme);
}

/// One signal of the timeline. The year is shown once, at its first signal; the triage status is at the right.
fn draw_timeline_entry(
    app: &Context,
    detail: &DetailPane,
    buf: &mut Buffer,
    row: Rect,
    signal: &Signal,
    above: Option<&&Signal>,
) {
    use chrono::Datelike;
    let theme = app.theme();
    let glyphs = theme.glyphs();
    let day = |signal: &Signal| signal.filed_at.as_ref().and_then(|when| when.date());
    let year = |signal: &Signal| day(signal).map(|day| day.year());
    let same_year = above.is_some_and(|above| year(above) == year(signal));
    let date = match day(signal) {
        Some(day) if same_year => format!("     {}", day.format("%m-%d")),
        Some(day) => day.to_string(),
        None => format!("{:<10}", "undated"),
    };
    let here = signal.id == detail.row.signal.id;
    let node = if here {
        text_span(TextRole::Focus, glyphs.timeline_current)
    } else {
        text_span(TextRole::Faint, glyphs.timeline_entry)
    };
    let kind = signal.signal_type.as_ref().map_or_else(|| "signal".to_owned(), |kind| format::humanize(kind.as_str()));
    let cost = signal.reported_cost_usd.as_ref().map(format::format_dollars).unwrap_or_default();
    let state = triage_label(app, signal);
    let right = [text_span(TextRole::Muted, cost), text_span(TextRole::Text, "  "), state];
    let edge = paint::draw_line_right(buf, row, &right, &theme);
    let pieces = [
        text_span(TextRole::Muted, date),
        text_span(TextRole::Text, " "),
        node,
        text_span(if here { TextRole::Strong } else { TextRole::Text }, format!(" {kind}")),
    ];
    draw_line(buf, Rect { width: edge.saturating_sub(row.x), ..row }, &pieces, &theme);
}

/// New or done, but only if a loaded queue row proves it; timeline records carry no triage status.
fn triage_label(app: &Context, signal: &Signal) -> TextSpan<'static> {
    let row = app.queue.new.list.row(signal.id).or_else(|| app.queue.done.list.row(signal.id));
    match row.and_then(|row| row.triage_status.as_ref()) {
        Some(TriageStatus::New) => text_span(TextRole::Text, "new "),
        Some(TriageStatus::Done) => text_span(TextRole::Success, "done"),
        _ => text_span(TextRole::Faint, format!("{:<4}", app.theme().glyphs().missing)),
    }
}

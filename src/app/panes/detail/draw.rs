//! Draws the detail: the text with its tabs, and the timeline beside it if there is room.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{DetailPane, DetailTab, OpenSignal, timeline_signals};
use crate::app::Context;
use crate::app::format::{self, format_time};
use crate::app::layout::FrameLayout;
use crate::app::model::load_state::LoadState;
use crate::app::model::queue::QueueTabState;
use crate::app::panes::fact_list::{FactLine, FactList, ROLE_WIDTH};
use crate::domain::display_format;
use crate::domain::queue::TriageStatus;
use crate::domain::signals::Signal;
use crate::text;
use crate::ui::{TextRole, TextSpan, area, draw_line, paint, panel, scroll, text_span};

pub fn draw(pane: &DetailPane, cx: &Context, buf: &mut Buffer) {
    let Some(open) = &pane.signal else { return };
    let theme = cx.theme();
    draw_breadcrumb(open, cx, buf);
    let areas = cx.layout();
    let only_timeline = !areas.is_wide && pane.tab == DetailTab::Timeline;
    let text_focus = !areas.side_has_focus;
    panel::draw_panel(
        buf,
        areas.panel,
        &[],
        &[],
        cx.pane_has_focus() && (text_focus || only_timeline),
        &theme,
    );
    for (area, tab) in tab_areas(areas) {
        let role = if tab == pane.tab {
            TextRole::Selected
        } else {
            TextRole::Muted
        };
        draw_line(
            buf,
            area,
            &[text_span(role, format!(" {} ", tab.title()))],
            &theme,
        );
    }
    if !only_timeline {
        scroll::draw_scrolled_lines(
            buf,
            areas.panel,
            areas.rows,
            &text_lines(pane, areas, cx),
            open.top,
            &theme,
        );
    }
    if areas.side_rows.height > 0 {
        if !only_timeline {
            panel::draw_panel(
                buf,
                areas.side_panel,
                &[text_span(TextRole::Strong, "Timeline")],
                &timeline_note(cx),
                cx.pane_has_focus() && !text_focus,
                &theme,
            );
        }
        draw_timeline(open, cx, buf);
    }
}

/// The current position: tab, project, number of the signal.
fn draw_breadcrumb(open: &OpenSignal, cx: &Context, buf: &mut Buffer) {
    let theme = cx.theme();
    let into = format!(" {} ", theme.glyphs().breadcrumb);
    let area = area::inset_sides(cx.layout().tab_bar, 1);
    let tab = cx.queue.tab_state(open.queue_tab);
    let place = format!(
        "{} of {}",
        format::format_count(tab.scroll.cursor as u64 + 1),
        format::format_count(tab.total())
    );
    let next = next_signal_price(tab, cx)
        .map(|price| text_span(TextRole::Muted, format!("next {price} cr   ")));
    let age = cx
        .previous_queue_age(open.queue_tab)
        .map(|age| text_span(TextRole::Warning, format!(" {age}")));
    let place: Vec<TextSpan<'_>> = next
        .into_iter()
        .chain([text_span(TextRole::Muted, place)])
        .chain(age)
        .collect();
    let pieces = [
        text_span(TextRole::Muted, open.queue_tab.title()),
        text_span(TextRole::Faint, into),
        text_span(TextRole::Strong, signal_name(open)),
    ];
    paint::draw_two_sided_line(buf, area, &pieces, &place, &theme);
}

fn signal_name(open: &OpenSignal) -> String {
    open.row
        .signal
        .project_name
        .clone()
        .unwrap_or_else(|| "unnamed project".to_owned())
}

/// The price of the signal that opens next, also after a triage; on the last signal that is the
/// previous one.
fn next_signal_price(tab: &QueueTabState, cx: &Context) -> Option<u64> {
    let at = tab.scroll.cursor;
    let project = tab
        .row_at(at + 1)
        .or_else(|| tab.row_at(at.checked_sub(1)?))?
        .signal
        .project_id;
    Some(u64::from(
        project.is_some() && cx.records.project(project).is_none(),
    ))
}

/// Areas of the tab labels on the panel's top border.
pub fn tab_areas(areas: &FrameLayout) -> Vec<(Rect, DetailTab)> {
    let panel = areas.panel;
    let mut x = panel.x + 2;
    DetailPane::visible_tabs(areas)
        .iter()
        .map(|tab| {
            let width = u16::try_from(tab.title().len() + 2).unwrap_or(0);
            let area = Rect {
                x,
                width,
                y: panel.y,
                height: 1,
            }
            .intersection(panel);
            x = x.saturating_add(width + 1);
            (area, *tab)
        })
        .collect()
}

/// The text of the current tab.
pub fn text_lines(pane: &DetailPane, areas: &FrameLayout, cx: &Context) -> Vec<FactLine> {
    let Some(open) = &pane.signal else {
        return Vec::new();
    };
    let mut list = FactList::new(areas.rows.width, ROLE_WIDTH);
    match pane.tab {
        DetailTab::Overview | DetailTab::Timeline => {
            write_overview(open, !areas.tab_bar.is_empty(), &mut list, cx)
        }
        DetailTab::People => write_people(open, &mut list, cx),
        DetailTab::Raw => write_raw(open, &mut list),
    }
    list.into_lines()
}

/// The signal and its project; its name and the read's progress come first where no breadcrumb is
/// above (`has_breadcrumb`).
fn write_overview(open: &OpenSignal, has_breadcrumb: bool, list: &mut FactList, cx: &Context) {
    let paid = open.project(cx);
    if !has_breadcrumb {
        list.push_line(vec![text_span(TextRole::Strong, signal_name(open))]);
        if paid.is_none() {
            list.push_line(vec![loading_span(open, cx)]);
        }
    }
    list.push_signal(cx, &open.row, "detail.why", true);
    let Some(paid) = paid else {
        if has_breadcrumb {
            list.push_gap();
            list.push_line(vec![loading_span(open, cx)]);
        }
        return;
    };
    let price = match paid.credits {
        Some(1) => "1 credit".to_owned(),
        Some(n) => format!("{n} credits"),
        None => "price unknown".to_owned(),
    };
    let read = format_time(paid.read_at, cx.service_now(), cx.settings().utc_offset);
    list.push_heading("Project", format!("read {read}, {price}"));
    list.push_project(cx, paid);
    list.push_heading(
        "Firms",
        format::format_count(paid.project_details.accounts.len() as u64),
    );
    list.push_firms(paid, 8);
    if let Some(url) = &open.row.signal.source_url {
        list.push_heading("Source", cx.keymap().expand_keys("{source.open} opens it"));
        list.push_paragraph(TextRole::Muted, url);
    }
}

/// Placeholder for a project that is not loaded.
fn loading_span(open: &OpenSignal, cx: &Context) -> TextSpan<'static> {
    match &cx.records.load {
        _ if open.row.signal.project_id.is_none() => text_span(TextRole::Muted, "no project named"),
        LoadState::Failed(reason) => text_span(
            TextRole::Error,
            format!("could not load the project: {reason}"),
        ),
        LoadState::Loading => text_span(TextRole::Muted, "loading the project"),
        LoadState::Idle | LoadState::Ready => text_span(
            TextRole::Muted,
            cx.keymap()
                .expand_keys("{detail.reload} loads the project, 1 cr"),
        ),
    }
}

fn write_people(open: &OpenSignal, list: &mut FactList, cx: &Context) {
    let Some(paid) = open.project(cx) else {
        list.push_line(vec![loading_span(open, cx)]);
        return;
    };
    list.push_heading(
        "Firms",
        format::format_count(paid.project_details.accounts.len() as u64),
    );
    for account in &paid.project_details.accounts {
        let role = account.role().map(format::humanize).unwrap_or_default();
        let name = account.name.clone().unwrap_or_else(|| "unnamed".to_owned());
        list.push_line(vec![
            text_span(
                TextRole::Muted,
                format!("{:<ROLE_WIDTH$}", text::truncate(&role, ROLE_WIDTH - 1, "")),
            ),
            text_span(TextRole::Strong, name),
        ]);
        let reach = [
            account.public_phone.clone(),
            account
                .website
                .clone()
                .or_else(|| account.domains.first().cloned()),
        ];
        list.push_facts(
            "",
            reach
                .into_iter()
                .flatten()
                .map(|fact| format!("  {fact}"))
                .collect(),
            cx.theme().glyphs().separator,
        );
    }
    list.push_heading(
        "People",
        format::format_count(paid.project_details.contacts.len() as u64),
    );
    for contact in &paid.project_details.contacts {
        let firm = paid
            .project_details
            .accounts
            .iter()
            .find(|account| Some(account.id) == contact.account_id)
            .and_then(|a| a.name.clone());
        let name = contact.name.clone().unwrap_or_else(|| "unnamed".to_owned());
        let title = contact
            .title
            .clone()
            .map(|title| format!("  {title}"))
            .unwrap_or_default();
        let firm = firm.map(|firm| format!(", {firm}")).unwrap_or_default();
        list.push_line(vec![
            text_span(TextRole::Strong, name),
            text_span(TextRole::Muted, format!("{title}{firm}")),
        ]);
        let reach = [contact.email.clone(), contact.phone.clone()]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>();
        if !reach.is_empty() {
            list.push_line(vec![text_span(
                TextRole::Text,
                format!(
                    "  {}",
                    reach.join(&format!(" {} ", cx.theme().glyphs().separator))
                ),
            )]);
        }
    }
    if paid.project_details.contacts.is_empty() {
        list.push_line(vec![text_span(TextRole::Muted, "no people known yet")]);
    }
}

fn write_raw(open: &OpenSignal, list: &mut FactList) {
    match (&open.raw, &open.raw_load) {
        (Some(signal), _) => {
            list.push_json(
                signal.raw_data.as_ref().unwrap_or(&serde_json::Value::Null),
                1_000,
            );
        }
        (None, LoadState::Failed(reason)) => list.push_line(vec![text_span(
            TextRole::Error,
            format!("could not load the payload: {reason}"),
        )]),
        (None, _) => list.push_line(vec![text_span(
            TextRole::Muted,
            "loading the source's payload",
        )]),
    }
}

fn timeline_note(cx: &Context) -> Vec<TextSpan<'static>> {
    vec![text_span(
        TextRole::Muted,
        format::pluralize(cx.layout().entry_count, "signal"),
    )]
}

fn draw_timeline(open: &OpenSignal, cx: &Context, buf: &mut Buffer) {
    let theme = cx.theme();
    let area = cx.layout().side_rows;
    let Some(paid) = open.project(cx) else {
        draw_line(buf, area, &[loading_span(open, cx)], &theme);
        return;
    };
    let signals = timeline_signals(paid.project_details);
    for n in 0..area.height {
        let at = open.timeline_scroll.top + usize::from(n);
        let Some(signal) = signals.get(at) else { break };
        let row = paint::row_rect(area, n);
        let above = at.checked_sub(1).and_then(|above| signals.get(above));
        draw_timeline_entry(open, cx, buf, row, signal, above);
        if cx.layout().side_has_focus && at == open.timeline_scroll.cursor {
            buf.set_style(
                Rect {
                    x: row.x.saturating_sub(1),
                    width: row.width + 2,
                    ..row
                },
                theme.cursor_row_style(true),
            );
        }
    }
    scroll::draw_scrollbar(
        buf,
        cx.layout().side_panel,
        area,
        open.timeline_scroll.top,
        signals.len(),
        &theme,
    );
}

/// One signal of the timeline. The year is shown once, at its first signal; the triage status is at
/// the right.
fn draw_timeline_entry(
    open: &OpenSignal,
    cx: &Context,
    buf: &mut Buffer,
    row: Rect,
    signal: &Signal,
    above: Option<&&Signal>,
) {
    use chrono::Datelike;
    let theme = cx.theme();
    let glyphs = theme.glyphs();
    let day = |signal: &Signal| signal.filed_at.as_ref().and_then(|when| when.date());
    let year = |signal: &Signal| day(signal).map(|day| day.year());
    let same_year = above.is_some_and(|above| year(above) == year(signal));
    let date = match day(signal) {
        Some(day) if same_year => format!("     {}", display_format::format_short_date(day)),
        Some(day) => display_format::format_date(day),
        None => format!("{:<10}", "undated"),
    };
    let here = signal.id == open.row.signal.id;
    let node = if here {
        text_span(TextRole::Focus, glyphs.timeline_current)
    } else {
        text_span(TextRole::Faint, glyphs.timeline_entry)
    };
    let kind = signal.signal_type.as_ref().map_or_else(
        || "signal".to_owned(),
        |kind| format::humanize(kind.as_str()),
    );
    let cost = signal
        .reported_cost_usd
        .as_ref()
        .map(format::format_dollars)
        .unwrap_or_default();
    let state = triage_label(cx, signal);
    let right = [
        text_span(TextRole::Muted, cost),
        text_span(TextRole::Text, "  "),
        state,
    ];
    let edge = paint::draw_line_right(buf, row, &right, &theme);
    let pieces = [
        text_span(TextRole::Muted, date),
        text_span(TextRole::Text, " "),
        node,
        text_span(TextRole::strong_if(here), format!(" {kind}")),
    ];
    draw_line(
        buf,
        Rect {
            width: edge.saturating_sub(row.x),
            ..row
        },
        &pieces,
        &theme,
    );
}

/// New or done, but only if a loaded queue row proves it; timeline records carry no triage status.
fn triage_label(cx: &Context, signal: &Signal) -> TextSpan<'static> {
    let row = cx
        .queue
        .new
        .list
        .row(signal.id)
        .or_else(|| cx.queue.done.list.row(signal.id));
    match row.and_then(|row| row.triage_status.as_ref()) {
        Some(TriageStatus::New) => text_span(TextRole::Text, "new "),
        Some(TriageStatus::Done) => text_span(TextRole::Success, "done"),
        _ => text_span(
            TextRole::Faint,
            format!("{:<4}", cx.theme().glyphs().missing),
        ),
    }
}

//! Draws the detail: the text with its tabs, and the timeline beside it if there is room.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::columns::{Participants, Timeline};
use super::{DetailPane, DetailTab, OpenSignal};
use crate::app::Context;
use crate::app::context::cached_queue;
use crate::app::focused_list::FocusedList;
use crate::app::format::{self};
use crate::app::layout::FrameLayout;
use crate::app::list::list_of;
use crate::app::model::load_state::LoadState;
use crate::app::model::queue::QueueTabState;
use crate::app::panes::fact_list::{FactLine, FactList, ROLE_WIDTH};
use crate::ui::{TextRole, TextSpan, area, draw_line, paint, panel, scroll, text_span};

/// With fewer lines left on the page, what the source sent is only on its tab.
const MIN_RAW_LINES: usize = 12;

pub fn draw(pane: &DetailPane, cx: &Context, buf: &mut Buffer) {
    let Some(open) = &pane.signal else { return };
    let theme = cx.settings.theme;
    draw_breadcrumb(open, cx, buf);
    let areas = cx.frame.layout();
    let only_timeline = !areas.is_wide && pane.tab == DetailTab::Timeline;
    let text_focus = !areas.side_has_focus;
    let has_focus = cx.ui.focus.pane_has_focus() && (text_focus || only_timeline);
    let (timeline, people) = (
        list_of::<Timeline>(pane, cx),
        list_of::<Participants>(pane, cx),
    );
    let shows_people = pane.tab == DetailTab::People && !pane.participants.is_empty();
    let note = match (only_timeline, shows_people) {
        (true, _) => cx.arrangement_label(&timeline),
        (false, true) => cx.arrangement_label(&people),
        (false, false) => Vec::new(),
    };
    panel::draw_panel(buf, areas.panel, &[], &note, has_focus, &theme);
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
    if shows_people {
        cx.draw_list(buf, &people, (areas.panel, areas.rows), has_focus);
    } else if !only_timeline {
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
            let mut title = vec![text_span(TextRole::Strong, "Timeline")];
            title.extend(cx.arrangement_label(&timeline));
            let count = format::pluralize(timeline.row_count(), "signal");
            let note = [text_span(TextRole::Muted, count)];
            let has_focus = cx.ui.focus.pane_has_focus() && !text_focus;
            panel::draw_panel(buf, areas.side_panel, &title, &note, has_focus, &theme);
        }
        if open.project(cx).is_none() {
            let loading = [loading_span(open, cx)];
            draw_line(buf, area::inset_sides(areas.side_rows, 1), &loading, &theme);
        } else {
            let panels = (areas.side_panel, areas.side_rows);
            cx.draw_list(buf, &timeline, panels, areas.side_has_focus);
        }
    }
}

/// The current position: tab, project, number of the signal.
fn draw_breadcrumb(open: &OpenSignal, cx: &Context, buf: &mut Buffer) {
    let theme = cx.settings.theme;
    let into = format!(" {} ", theme.glyphs().breadcrumb);
    let area = area::inset_sides(cx.frame.layout().tab_bar, 1);
    let tab = cx.queue.tab_state(open.queue_tab);
    let place = format!(
        "{} of {}",
        format::format_count(tab.scroll.cursor as u64 + 1),
        format::format_count(tab.total())
    );
    let next = next_signal_price(tab, cx)
        .map(|price| text_span(TextRole::Muted, format!("next {price} cr   ")));
    let age = cached_queue::previous_queue_age(open.queue_tab, &cx.clock, &cx.queue)
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
    open.row.signal.project_label().to_owned()
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
        project.is_some() && cx.records.fetched.project(project).is_none(),
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
            write_overview(pane, open, areas, &mut list, cx)
        }
        DetailTab::People => write_people(open, &mut list, cx),
        DetailTab::Raw => write_raw(open, &mut list),
    }
    list.into_lines()
}

/// The signal and its project; its name and the read's progress come first where no breadcrumb is
/// above.
fn write_overview(
    pane: &DetailPane,
    open: &OpenSignal,
    areas: &FrameLayout,
    list: &mut FactList,
    cx: &Context,
) {
    let (paid, has_breadcrumb) = (open.project(cx), !areas.tab_bar.is_empty());
    if !has_breadcrumb {
        list.push_line(vec![text_span(TextRole::Strong, signal_name(open))]);
        if paid.is_none() {
            list.push_line(vec![loading_span(open, cx)]);
        }
    }
    list.push_signal_title(cx, &open.row, "detail.why");
    list.push_gap();
    list.push_signal(cx, &open.row);
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
    let read = cx.clock.format_time(paid.read_at);
    let mut project = FactList::new(areas.rows.width, ROLE_WIDTH);
    project.push_heading("Project", format!("read {read}, {price}"));
    project.push_project(cx, paid);
    if let Some(url) = &open.row.signal.source_url {
        project.push_heading("Source", cx.keymap.expand_keys("{source.open} opens it"));
        project.push_paragraph(TextRole::Muted, url);
    }
    list.push_heading(
        "Firms",
        format::format_count(paid.project_details.accounts.len() as u64),
    );
    // Their people too, where the page has room for all of them.
    let needed = list.len() + pane.participants.len() + 1 + project.len();
    if needed <= usize::from(areas.rows.height) {
        list.push_participants(cx, &pane.participants, usize::MAX);
    } else {
        let firms = pane.participants.iter().filter(|one| !one.is_person());
        list.push_participants(cx, &firms.cloned().collect::<Vec<_>>(), 8);
    }
    list.push_gap();
    list.extend(project);
    // What the source sent begins on the first page, where that has room.
    let room = usize::from(areas.rows.height).saturating_sub(list.len());
    let filed = open
        .raw
        .as_ref()
        .and_then(|signal| signal.raw_data.as_ref());
    if let Some(filed) = filed.filter(|_| room >= MIN_RAW_LINES) {
        list.push_heading("As filed", "");
        list.push_fields(filed);
    }
}

/// Placeholder for a project that is not loaded.
fn loading_span(open: &OpenSignal, cx: &Context) -> TextSpan<'static> {
    match &cx.records.fetched.load {
        _ if open.row.signal.project_id.is_none() => text_span(TextRole::Muted, "no project named"),
        LoadState::Failed(reason) => text_span(
            TextRole::Error,
            format!("could not load the project: {reason}"),
        ),
        LoadState::Loading => text_span(TextRole::Muted, "loading the project"),
        LoadState::Idle | LoadState::Ready => text_span(
            TextRole::Muted,
            cx.keymap
                .expand_keys("{detail.reload} loads the project, 1 cr"),
        ),
    }
}

/// Before the list of firms and people.
fn write_people(open: &OpenSignal, list: &mut FactList, cx: &Context) {
    list.push_line(vec![match open.project(cx) {
        Some(_) => text_span(TextRole::Muted, "no firms or people known yet"),
        None => loading_span(open, cx),
    }]);
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
            format!("could not load what the source sent: {reason}"),
        )]),
        (None, _) => list.push_line(vec![text_span(
            TextRole::Muted,
            "loading what the source sent",
        )]),
    }
}

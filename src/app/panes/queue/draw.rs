//! Draws the queue: the list, and the preview beside or below it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{QueueLine, QueueTabState};
use crate::app::Context;
use crate::app::format::{self, format_count, format_time};
use crate::app::layout::panel_text_area;
use crate::app::model::load_state::LoadState;
use crate::app::model::signal_list::MissingReason;
use crate::app::panes::fact_list::{self, FactList, priority_role};
use crate::domain::queue::{QueueSignal, QueueTab};
use crate::ui::table::{self, TableColumn, layout_columns};
use crate::ui::{TextRole, TextSpan, Theme, area, draw_line, paint, panel, scroll, text_span};

/// From this many days left on, the number is shown as a warning.
const LEAVING_SOON_DAYS: i64 = 7;
/// Minimum width at which types are written out.
const FULL_TYPES_MIN_WIDTH: u16 = 68;

const STATE_COLUMN: TableColumn = TableColumn { title: "", width: 2, max_width: 0, drop_order: 0, align_right: false };
const PRIORITY_COLUMN: TableColumn = TableColumn { title: "P", width: 1, max_width: 0, drop_order: 0, align_right: false };
const TYPE_COLUMN: TableColumn = TableColumn { title: "TYPE", width: 21, max_width: 0, drop_order: 0, align_right: false };
const SHORT_TYPE_COLUMN: TableColumn = TableColumn { title: "TYPE", width: 12, max_width: 0, drop_order: 0, align_right: false };
const FILED_COLUMN: TableColumn = TableColumn { title: "FILED", width: 5, max_width: 0, drop_order: 4, align_right: false };
const PROJECT_COLUMN: TableColumn = TableColumn { title: "PROJECT", width: 18, max_width: 64, drop_order: 0, align_right: false };
const COST_COLUMN: TableColumn = TableColumn { title: "COST", width: 7, max_width: 0, drop_order: 3, align_right: true };
const DAYS_LEFT_COLUMN: TableColumn = TableColumn { title: "LEFT", width: 4, max_width: 0, drop_order: 2, align_right: true };
const TRIAGED_BY_COLUMN: TableColumn = TableColumn { title: "WHO", width: 10, max_width: 16, drop_order: 1, align_right: false };
const TRIAGED_AT_COLUMN: TableColumn = TableColumn { title: "WHEN", width: 11, max_width: 0, drop_order: 2, align_right: false };

pub fn draw(app: &Context, buf: &mut Buffer) {
    let tab = app.queue.current_tab();
    let theme = app.theme();
    let areas = &app.layout;
    let in_preview = app.queue.preview.focused && !areas.preview.is_empty();
    panel::draw_panel(buf, areas.panel, &list_title(app, tab), &list_note(app, tab), !in_preview && app.pane_has_focus(), &theme);
    match (&tab.load, tab.len()) {
        (LoadState::Failed(reason), _) => {
            app.draw_error(buf, areas.rows, "could not load the queue", reason, "{refresh} retries");
        }
        (LoadState::Ready, 0) => draw_empty(app, buf),
        (_, 0) => app.draw_message(buf, areas.rows, &[], &["loading the queue"]),
        _ => {
            draw_heading(app, buf);
            draw_rows(app, buf, tab);
            scroll::draw_scrollbar(buf, areas.panel, areas.rows, tab.scroll.top, tab.len(), &theme);
        }
    }
    if areas.preview.height > 0 {
        draw_preview(app, buf);
    }
}

/// The list's name, position and size.
fn list_title(app: &Context, tab: &QueueTabState) -> Vec<TextSpan<'static>> {
    let mut title = vec![text_span(TextRole::Strong, app.queue.tab.title())];
    if let (Some(last), Some(age)) = (app.queue.previous_queue_for(app.queue.tab), app.previous_queue_age(app.queue.tab)) {
        let at = format_count(tab.scroll.cursor as u64 + 1);
        title.push(text_span(TextRole::Muted, format!(" {at} of {} ", format_count(last.total))));
        title.push(text_span(TextRole::Warning, age));
        return title;
    }
    if tab.load == LoadState::Ready && !tab.is_empty() {
        let (at, all) = (tab.scroll.cursor + 1, tab.list.total());
        let what = if tab.is_threaded() {
            let loaded = tab.loaded_count() as u64;
            if loaded < all {
                format!(", by project (first {} of {})", format_count(loaded), format_count(all))
            } else {
                format!(", by project ({})", format_count(all))
            }
        } else {
            format!(" {} of {}", format_count(at as u64), format_count(all))
        };
        title.push(text_span(TextRole::Muted, what));
    }
    title
}

fn list_note(app: &Context, tab: &QueueTabState) -> Vec<TextSpan<'static>> {
    let mut note = Vec::new();
    if tab.marks.is_empty()
        && tab.range_anchor.is_none()
        && let Some(last) = app.queue.previous_queue_for(app.queue.tab)
        && last.total > last.rows.len() as u64
    {
        note.push(text_span(TextRole::Muted, format!("first {}", format_count(last.rows.len() as u64))));
    }
    if tab.range_anchor.is_some() {
        note.push(text_span(TextRole::Marked, format!("range {}", format_count(tab.range_ids().len() as u64))));
    }
    if !tab.marks.is_empty() {
        let gap = if note.is_empty() { "" } else { "  " };
        note.push(text_span(TextRole::Marked, format!("{gap}{} marked", format_count(tab.marks.len() as u64))));
    }
    for (why, word) in [(MissingReason::Unreadable, "unreadable"), (MissingReason::NotSent, "missing")] {
        let missing = tab.list.missing_count(why);
        if missing > 0 {
            let gap = if note.is_empty() { "" } else { "  " };
            note.push(text_span(TextRole::Warning, format!("{gap}{} {word}", format_count(missing as u64))));
        }
    }
    note
}

/// Why the list is empty: one of three reasons, never an empty box.
fn draw_empty(app: &Context, buf: &mut Buffer) {
    let (what, hint) = match app.queue.tab {
        _ if app.queue.is_filtered() => ("nothing matches this filter", "{queue.filter.clear} clears the filter"),
        QueueTab::New => ("all done", "new signals of subscribed types appear here and drop off 90 days after filing"),
        QueueTab::Done => ("nothing marked done yet", "{queue.done} on the New tab marks a signal done"),
    };
    app.draw_message(buf, app.layout.rows, &[text_span(TextRole::Strong, what)], &[hint]);
}

fn visible_columns(app: &Context) -> Vec<TableColumn> {
    let kind = if has_full_types(app) { TYPE_COLUMN } else { SHORT_TYPE_COLUMN };
    match app.queue.tab {
        QueueTab::New => vec![STATE_COLUMN, PRIORITY_COLUMN, kind, FILED_COLUMN, PROJECT_COLUMN, COST_COLUMN, DAYS_LEFT_COLUMN],
        QueueTab::Done => vec![
            STATE_COLUMN,
            PRIORITY_COLUMN,
            kind,
            FILED_COLUMN,
            PROJECT_COLUMN,
            COST_COLUMN,
            TRIAGED_BY_COLUMN,
            TRIAGED_AT_COLUMN,
        ],
    }
}

/// Types are written out only if names keep their width; the Done tab's WHO and WHEN need more room than the days left.
fn has_full_types(app: &Context) -> bool {
    app.layout.rows.width >= if app.queue.tab == QueueTab::New { FULL_TYPES_MIN_WIDTH } else { FULL_TYPES_MIN_WIDTH + 20 }
}

fn draw_heading(app: &Context, buf: &mut Buffer) {
    let columns = visible_columns(app);
    let rooms = layout_columns(&columns, padded_row(app.layout.heading));
    table::draw_heading(buf, &columns, &rooms, app.layout.heading, &app.theme());
}

/// A row's area, with one cell free at the right border.
fn padded_row(area: Rect) -> Rect {
    Rect { width: area.width.saturating_sub(1), ..area }
}

fn draw_rows(app: &Context, buf: &mut Buffer, tab: &QueueTabState) {
    let columns = visible_columns(app);
    let rooms = layout_columns(&columns, padded_row(app.layout.rows));
    let range = tab.range_start();
    for n in 0..app.layout.rows.height {
        let at = tab.scroll.top + usize::from(n);
        let Some(what) = tab.line_at(at) else { break };
        let row = paint::row_rect(app.layout.rows, n);
        let theme = app.theme();
        if at == tab.scroll.cursor {
            buf.set_style(row, theme.cursor_row_style(true));
        }
        let cells = line_cells(app, tab, what, at, tab.is_in_range(at, range));
        for ((column, room), cell) in
            rooms.iter().map(|(c, room)| (*c, *room)).filter_map(|(c, room)| Some(((c, room), cells.get(c)?)))
        {
            let room = Rect { y: row.y, height: 1, ..room };
            if columns[column].align_right {
                paint::draw_line_right(buf, room, cell, &theme)
            } else {
                draw_line_with_tail(buf, room, cell, &theme)
            };
        }
        if at == tab.scroll.cursor {
            buf.set_style(row, theme.cursor_row_style(true));
        }
    }
}

/// Draws spans without cutting the last: a long name makes room for the count after it.
fn draw_line_with_tail(buf: &mut Buffer, room: Rect, pieces: &[TextSpan<'_>], theme: &Theme) -> u16 {
    let Some((tail, [head])) = pieces.split_last() else { return draw_line(buf, room, pieces, theme) };
    let tail_width = paint::spans_width(std::slice::from_ref(tail));
    let used = draw_line(buf, Rect { width: room.width.saturating_sub(tail_width), ..room }, std::slice::from_ref(head), theme);
    let rest = area::area_after(room, used);
    used + draw_line(buf, rest, std::slice::from_ref(tail), theme)
}

fn line_cells(app: &Context, tab: &QueueTabState, what: QueueLine, at: usize, in_range: bool) -> Vec<Vec<TextSpan<'static>>> {
    let glyphs = app.theme().glyphs();
    let cursor = text_span(TextRole::Focus, if at == tab.scroll.cursor { glyphs.cursor } else { " " });
    let row = match what {
        QueueLine::Row(slot) => tab.list.row_at(slot),
        QueueLine::Thread { first, .. } => tab.list.row_at(first),
    };
    let Some(row) = row else {
        let missing = if let QueueLine::Row(slot) = what { tab.list.missing(slot) } else { None };
        let (dot, name) = match missing {
            None => (glyphs.separator, text_span(TextRole::Faint, glyphs.separator)),
            Some(MissingReason::Unreadable) => (" ", text_span(TextRole::Warning, "unreadable row")),
            Some(MissingReason::NotSent) => (" ", text_span(TextRole::Warning, "row missing from the reply")),
        };
        let dot = || vec![text_span(TextRole::Faint, dot)];
        return vec![vec![cursor], dot(), dot(), dot(), vec![name], Vec::new(), Vec::new(), Vec::new()];
    };
    let thread = match what {
        QueueLine::Thread { project, size, open, .. } => Some((tab.ids_in_project(project), size, open)),
        QueueLine::Row(_) => None,
    };
    let state = state_mark(app, tab, row, thread.as_ref().map(|(ids, ..)| ids.as_slice()), in_range);
    let role = priority_role(row.priority.as_ref());
    let letter = row.priority.as_ref().map_or('?', |priority| priority.letter());
    let signal = &row.signal;
    let kind = match (&thread, signal.signal_type.as_ref()) {
        (Some((_, size, open)), _) => format!("{} {size} signals", if *open { glyphs.expanded } else { glyphs.collapsed }),
        (None, Some(kind)) if has_full_types(app) => format::humanize(kind.as_str()),
        (None, Some(kind)) => kind.short_label().to_owned(),
        (None, None) => glyphs.missing.to_owned(),
    };
    let filed = match signal.filed_at.as_ref().map(|when| (when.date(), when)) {
        Some((Some(day), _)) => day.format("%m-%d").to_string(),
        Some((None, when)) => format::format_full_day(when),
        None => glyphs.missing.to_owned(),
    };
    let name = signal.project_name.clone().unwrap_or_else(|| "unnamed project".to_owned());
    let mut project = vec![text_span(if thread.is_some() { TextRole::Strong } else { TextRole::Text }, name)];
    if let (false, Some(n)) = (tab.is_threaded(), tab.sibling_count(row)) {
        project.push(text_span(TextRole::Muted, format!(" ({n})")));
    }
    let cost = signal.reported_cost_usd.as_ref().map_or_else(
        || text_span(TextRole::Faint, glyphs.missing),
        |cost| text_span(TextRole::Text, format::format_dollars(cost)),
    );
    let mut cells = vec![
        vec![cursor, state],
        vec![text_span(role, letter.to_string())],
        vec![text_span(if thread.is_some() { TextRole::Muted } else { TextRole::Text }, kind)],
        vec![text_span(TextRole::Muted, filed)],
        project,
        vec![cost],
    ];
    match app.queue.tab {
        QueueTab::New => cells.push(vec![days_left(app, row)]),
        QueueTab::Done => {
            let at = row.triaged_at.as_ref().and_then(|when| when.date_time());
            let at = at.map(|at| format_time(at, app.service_now(), app.settings.utc_offset)).unwrap_or_default();
            cells.push(vec![text_span(TextRole::Text, app.user_name(row.triaged_by.as_deref()))]);
            cells.push(vec![text_span(TextRole::Muted, at)]);
        }
    }
    cells
}

/// One symbol per row, the most urgent.
fn state_mark(
    app: &Context,
    tab: &QueueTabState,
    row: &QueueSignal,
    thread: Option<&[crate::domain::SignalId]>,
    in_range: bool,
) -> TextSpan<'static> {
    let glyphs = app.theme().glyphs();
    let id = row.signal.id;
    let marked = match thread {
        Some(ids) => ids.iter().all(|id| tab.marks.contains(id)),
        None => tab.marks.contains(&id),
    };
    if tab.unconfirmed.contains(&id) {
        text_span(TextRole::Warning, glyphs.unknown)
    } else if marked || in_range {
        text_span(TextRole::Marked, glyphs.marked)
    } else if app.is_new_since_start(row) {
        text_span(TextRole::New, glyphs.new_row)
    } else {
        text_span(TextRole::Text, " ")
    }
}

fn days_left(app: &Context, row: &QueueSignal) -> TextSpan<'static> {
    match row.days_left(app.service_now()) {
        Some(days) if days <= LEAVING_SOON_DAYS => text_span(TextRole::Warning, format!("{}d!", days.max(0))),
        Some(days) => text_span(TextRole::Muted, format!("{days}d")),
        None => text_span(TextRole::Faint, app.theme().glyphs().missing),
    }
}

fn draw_preview(app: &Context, buf: &mut Buffer) {
    let theme = app.theme();
    let area = app.layout.preview;
    let Some(row) = app.queue.current_tab().current_row() else {
        panel::draw_panel(buf, area, &[], &[], false, &theme);
        return;
    };
    let name = row.signal.project_name.clone().unwrap_or_else(|| "unnamed project".to_owned());
    let price = if app.records.project(row.signal.project_id).is_some() { "{queue.open} 0 cr" } else { "{queue.open} 1 cr" };
    let price = app.keymap.expand_keys(price);
    let focused = app.queue.preview.focused;
    panel::draw_panel(buf, area, &[text_span(TextRole::Strong, name)], &[text_span(TextRole::Muted, price)], focused, &theme);
    let inner = panel_text_area(area);
    scroll::draw_scrolled_lines(
        buf,
        area,
        inner,
        &preview_lines(app, row, inner.width),
        usize::from(app.queue.preview.top),
        &theme,
    );
}

fn preview_lines(app: &Context, row: &QueueSignal, width: u16) -> Vec<fact_list::FactLine> {
    let mut list = FactList::new(width, 10);
    list.push_signal(app, row, "queue.why", !app.layout.preview_below);
    let paid = app.records.project(row.signal.project_id);
    if let Some(paid) = paid {
        list.push_heading("Project", format!("read {}", format_time(paid.read_at, app.service_now(), app.settings.utc_offset)));
        list.push_project(app, paid);
        list.push_heading("Firms", "");
        list.push_firms(paid, 6);
    }
    if paid.is_none() && !app.layout.preview_below {
        list.push_gap();
        let words = app.keymap.expand_keys("{queue.open} loads the project: facts, firms, people and timeline");
        list.push_fact("", TextRole::Muted, words);
    }
    let siblings = app.queue.current_tab().sibling_count(row).unwrap_or(1);
    if siblings > 1 && !app.layout.preview_below {
        list.push_heading("Also in this list", "");
        app.write_sibling_lines(&mut list, row);
    }
    list.into_lines()
}

impl Context {
    /// Keeps the preview's scroll position within its text.
    pub(in crate::app) fn clamp_preview_scroll(&mut self) {
        let room = panel_text_area(self.layout.preview);
        let row = self.queue.current_tab().current_row().filter(|_| self.queue.preview.top > 0);
        let lines = row.map_or(0, |row| preview_lines(self, row, room.width).len());
        let most = u16::try_from(lines).unwrap_or(u16::MAX).saturating_sub(room.height);
        self.queue.preview.top = self.queue.preview.top.min(most);
    }

    /// Whether the signal was discovered after the console opened and the cursor has not been on it yet.
    pub fn is_new_since_start(&self, row: &QueueSignal) -> bool {
        let found = row.signal.discovered_at.as_ref().and_then(|when| when.date_time());
        let since = self.opened_at.zip(found).is_some_and(|(opened, found)| found > opened);
        since && !self.visited_signals.contains(&row.signal.id)
    }

    /// The other loaded signals of the same project, one line each.
    fn write_sibling_lines(&self, list: &mut FactList, row: &QueueSignal) {
        let tab = self.queue.current_tab();
        let others = row.signal.project_id.map(|project| tab.ids_in_project(project)).unwrap_or_default();
        for other in others.into_iter().filter(|id| *id != row.signal.id).filter_map(|id| tab.list.row(id)).take(8) {
            let kind = other.signal.signal_type.as_ref().map_or_else(String::new, |kind| format::humanize(kind.as_str()));
            let filed = other
                .signal
                .filed_at
                .as_ref()
                .map(|when| format::format_day(when, self.service_now().date_naive()))
                .unwrap_or_default();
            list.push_line(vec![text_span(TextRole::Muted, format!("{filed:<10}")), text_span(TextRole::Text, kind)]);
        }
    }
}

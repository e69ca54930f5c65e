//! Drawing of the queue: the list, and the preview beside or below it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Line, Tab, TabState};
use crate::app::App;
use crate::app::arrange::text_room;
use crate::app::format::{self, count, moment};
use crate::app::panes::facts::{self, Sheet, priority_role};
use crate::app::records::Load;
use crate::app::records::list::Missing;
use crate::domain::queue::QueueSignal;
use crate::ui::table::{self, Column, fit};
use crate::ui::{Piece, Role, Theme, area, line, paint, panel, piece, scroll};

/// Days before a signal leaves the queue at which it is a warning.
const LEAVES_SOON: i64 = 7;
/// Widths from which types are written out.
const FULL_TYPES: u16 = 68;

const STATE: Column = Column { title: "", width: 2, grow_to: 0, leaves: 0, right: false };
const PRIORITY: Column = Column { title: "P", width: 1, grow_to: 0, leaves: 0, right: false };
const TYPE: Column = Column { title: "TYPE", width: 21, grow_to: 0, leaves: 0, right: false };
const SHORT_TYPE: Column = Column { title: "TYPE", width: 12, grow_to: 0, leaves: 0, right: false };
const FILED: Column = Column { title: "FILED", width: 5, grow_to: 0, leaves: 4, right: false };
const PROJECT: Column = Column { title: "PROJECT", width: 18, grow_to: 64, leaves: 0, right: false };
const COST: Column = Column { title: "COST", width: 7, grow_to: 0, leaves: 3, right: true };
const OUT: Column = Column { title: "OUT", width: 4, grow_to: 0, leaves: 2, right: true };
const WHO: Column = Column { title: "WHO", width: 10, grow_to: 16, leaves: 1, right: false };
const WHEN: Column = Column { title: "WHEN", width: 11, grow_to: 0, leaves: 2, right: false };

/// Draws the pane.
pub fn draw(app: &App, buf: &mut Buffer) {
    let tab = app.queue.shown();
    let theme = app.theme();
    let areas = &app.areas;
    let in_preview = app.queue.preview.focused && !areas.preview.is_empty();
    panel::panel(buf, areas.panel, &title(app, tab), &note(app, tab), !in_preview && app.pane_has_keys(), &theme);
    match (&tab.load, tab.len()) {
        (Load::Failed(reason), _) => {
            app.say_failed(buf, areas.rows, "the queue could not be read", reason, "{refresh} tries again");
        }
        (Load::Ready, 0) => empty(app, buf),
        (_, 0) => app.say(buf, areas.rows, &[], &["reading the queue"]),
        _ => {
            heading(app, buf);
            rows(app, buf, tab);
            scroll::bar(buf, areas.panel, areas.rows, tab.scroll.top, tab.len(), &theme);
        }
    }
    if areas.preview.height > 0 {
        preview(app, buf);
    }
}

/// What the list is and how much of it there is.
fn title(app: &App, tab: &TabState) -> Vec<Piece<'static>> {
    let mut title = vec![piece(Role::Strong, app.queue.tab.title())];
    if let (Some(last), Some(age)) = (app.queue.last_of(app.queue.tab), app.last_age(app.queue.tab)) {
        let at = count(tab.scroll.cursor as u64 + 1);
        title.push(piece(Role::Muted, format!(" {at} of {} ", count(last.total))));
        title.push(piece(Role::Warn, age));
        return title;
    }
    if tab.load == Load::Ready && !tab.is_empty() {
        let (at, all) = (tab.scroll.cursor + 1, tab.list.total());
        let what = if tab.is_threaded() {
            let loaded = tab.loaded_count() as u64;
            if loaded < all {
                format!(" threads over {} of {}", count(loaded), count(all))
            } else {
                format!(" threads over {}", count(all))
            }
        } else {
            format!(" {} of {}", count(at as u64), count(all))
        };
        title.push(piece(Role::Muted, what));
    }
    title
}

fn note(app: &App, tab: &TabState) -> Vec<Piece<'static>> {
    let mut note = Vec::new();
    if tab.marks.is_empty()
        && tab.range.is_none()
        && let Some(last) = app.queue.last_of(app.queue.tab)
        && last.total > last.rows.len() as u64
    {
        note.push(piece(Role::Muted, format!("first {}", count(last.rows.len() as u64))));
    }
    if tab.range.is_some() {
        note.push(piece(Role::Marked, format!("range {}", count(tab.range_ids().len() as u64))));
    }
    if !tab.marks.is_empty() {
        let gap = if note.is_empty() { "" } else { "  " };
        note.push(piece(Role::Marked, format!("{gap}{} marked", count(tab.marks.len() as u64))));
    }
    for (why, word) in [(Missing::Unreadable, "unreadable"), (Missing::NotSent, "not sent")] {
        let missing = tab.list.missing_count(why);
        if missing > 0 {
            let gap = if note.is_empty() { "" } else { "  " };
            note.push(piece(Role::Warn, format!("{gap}{} {word}", count(missing as u64))));
        }
    }
    note
}

/// Why there is nothing here: three reasons, never an empty box.
fn empty(app: &App, buf: &mut Buffer) {
    let (what, hint) = match app.queue.tab {
        _ if app.queue.is_filtered() => ("nothing matches this filter", "{queue.filter.clear} shows the whole queue"),
        Tab::New => (
            "nothing left to do here",
            "new signals of the types that the workspace is subscribed to appear here; they leave 90 days after their filing",
        ),
        Tab::Done => ("nothing is marked done", "{queue.done} on the New tab marks a signal done"),
    };
    app.say(buf, app.areas.rows, &[piece(Role::Strong, what)], &[hint]);
}

fn columns(app: &App) -> Vec<Column> {
    let kind = if has_full_types(app) { TYPE } else { SHORT_TYPE };
    match app.queue.tab {
        Tab::New => vec![STATE, PRIORITY, kind, FILED, PROJECT, COST, OUT],
        Tab::Done => vec![STATE, PRIORITY, kind, FILED, PROJECT, COST, WHO, WHEN],
    }
}

/// Types are written out where that takes no room from names: who and when take more than the days that are left.
fn has_full_types(app: &App) -> bool {
    app.areas.rows.width >= if app.queue.tab == Tab::New { FULL_TYPES } else { FULL_TYPES + 20 }
}

fn heading(app: &App, buf: &mut Buffer) {
    let columns = columns(app);
    let rooms = fit(&columns, padded(app.areas.heading));
    table::heading(buf, &columns, &rooms, app.areas.heading, &app.theme());
}

/// A row's room: one cell is left free at the right border.
fn padded(area: Rect) -> Rect {
    Rect { width: area.width.saturating_sub(1), ..area }
}

fn rows(app: &App, buf: &mut Buffer, tab: &TabState) {
    let columns = columns(app);
    let rooms = fit(&columns, padded(app.areas.rows));
    let range = tab.range_start();
    for n in 0..app.areas.rows.height {
        let at = tab.scroll.top + usize::from(n);
        let Some(what) = tab.line(at) else { break };
        let row = paint::row(app.areas.rows, n);
        let theme = app.theme();
        if at == tab.scroll.cursor {
            buf.set_style(row, theme.cursor_row(true));
        }
        let cells = cells(app, tab, what, at, tab.in_range(at, range));
        for ((column, room), cell) in
            rooms.iter().map(|(c, room)| (*c, *room)).filter_map(|(c, room)| Some(((c, room), cells.get(c)?)))
        {
            let room = Rect { y: row.y, height: 1, ..room };
            if columns[column].right {
                paint::line_right(buf, room, cell, &theme)
            } else {
                line_with_tail(buf, room, cell, &theme)
            };
        }
        if at == tab.scroll.cursor {
            buf.set_style(row, theme.cursor_row(true));
        }
    }
}

/// Pieces of which the last is not cut: a long name makes room for the count behind it.
fn line_with_tail(buf: &mut Buffer, room: Rect, pieces: &[Piece<'_>], theme: &Theme) -> u16 {
    let Some((tail, [head])) = pieces.split_last() else { return line(buf, room, pieces, theme) };
    let tail_width = paint::pieces_width(std::slice::from_ref(tail));
    let used = line(buf, Rect { width: room.width.saturating_sub(tail_width), ..room }, std::slice::from_ref(head), theme);
    let rest = area::after(room, used);
    used + line(buf, rest, std::slice::from_ref(tail), theme)
}

/// The cells of a line, column by column.
fn cells(app: &App, tab: &TabState, what: Line, at: usize, in_range: bool) -> Vec<Vec<Piece<'static>>> {
    let glyphs = app.theme().glyphs();
    let cursor = piece(Role::Focus, if at == tab.scroll.cursor { glyphs.cursor } else { " " });
    let row = match what {
        Line::Row(slot) => tab.list.at(slot),
        Line::Thread { first, .. } => tab.list.at(first),
    };
    let Some(row) = row else {
        let missing = if let Line::Row(slot) = what { tab.list.missing(slot) } else { None };
        let (dot, name) = match missing {
            None => (glyphs.dot, piece(Role::Faint, glyphs.dot)),
            Some(Missing::Unreadable) => (" ", piece(Role::Warn, "unreadable row")),
            Some(Missing::NotSent) => (" ", piece(Role::Warn, "row not sent by the service")),
        };
        let dot = || vec![piece(Role::Faint, dot)];
        return vec![vec![cursor], dot(), dot(), dot(), vec![name], Vec::new(), Vec::new(), Vec::new()];
    };
    let thread = match what {
        Line::Thread { project, size, open, .. } => Some((tab.of_project(project), size, open)),
        Line::Row(_) => None,
    };
    let state = state_mark(app, tab, row, thread.as_ref().map(|(ids, ..)| ids.as_slice()), in_range);
    let role = priority_role(row.priority.as_ref());
    let letter = row.priority.as_ref().map_or('?', |priority| priority.letter());
    let signal = &row.signal;
    let kind = match (&thread, signal.signal_type.as_ref()) {
        (Some((_, size, open)), _) => format!("{} {size} signals", if *open { glyphs.open } else { glyphs.closed }),
        (None, Some(kind)) if has_full_types(app) => format::words(kind.as_str()),
        (None, Some(kind)) => kind.short().to_owned(),
        (None, None) => glyphs.none.to_owned(),
    };
    let filed = match signal.filed_at.as_ref().map(|when| (when.day(), when)) {
        Some((Some(day), _)) => day.format("%m-%d").to_string(),
        Some((None, when)) => format::full_day(when),
        None => glyphs.none.to_owned(),
    };
    let name = signal.project_name.clone().unwrap_or_else(|| "unnamed project".to_owned());
    let mut project = vec![piece(if thread.is_some() { Role::Strong } else { Role::Text }, name)];
    if let (false, Some(n)) = (tab.is_threaded(), tab.siblings(row)) {
        project.push(piece(Role::Muted, format!(" ({n})")));
    }
    let cost = signal
        .reported_cost_usd
        .as_ref()
        .map_or_else(|| piece(Role::Faint, glyphs.none), |cost| piece(Role::Text, format::dollars(cost)));
    let mut cells = vec![
        vec![cursor, state],
        vec![piece(role, letter.to_string())],
        vec![piece(if thread.is_some() { Role::Muted } else { Role::Text }, kind)],
        vec![piece(Role::Muted, filed)],
        project,
        vec![cost],
    ];
    match app.queue.tab {
        Tab::New => cells.push(vec![days_left(app, row)]),
        Tab::Done => {
            let at = row.triaged_at.as_ref().and_then(|when| when.at());
            let at = at.map(|at| moment(at, app.service_now(), app.settings.utc_offset)).unwrap_or_default();
            cells.push(vec![piece(Role::Text, app.who(row.triaged_by.as_deref()))]);
            cells.push(vec![piece(Role::Muted, at)]);
        }
    }
    cells
}

/// One mark a row, the most urgent.
fn state_mark(
    app: &App,
    tab: &TabState,
    row: &QueueSignal,
    thread: Option<&[crate::domain::SignalId]>,
    in_range: bool,
) -> Piece<'static> {
    let glyphs = app.theme().glyphs();
    let id = row.signal.id;
    let marked = match thread {
        Some(ids) => ids.iter().all(|id| tab.marks.contains(id)),
        None => tab.marks.contains(&id),
    };
    if tab.unknown.contains(&id) {
        piece(Role::Warn, glyphs.unknown)
    } else if marked || in_range {
        piece(Role::Marked, glyphs.marked)
    } else if app.is_fresh(row) {
        piece(Role::Fresh, glyphs.fresh)
    } else {
        piece(Role::Text, " ")
    }
}

fn days_left(app: &App, row: &QueueSignal) -> Piece<'static> {
    match row.days_left(app.service_now()) {
        Some(days) if days <= LEAVES_SOON => piece(Role::Warn, format!("{}d!", days.max(0))),
        Some(days) => piece(Role::Muted, format!("{days}d")),
        None => piece(Role::Faint, app.theme().glyphs().none),
    }
}

fn preview(app: &App, buf: &mut Buffer) {
    let theme = app.theme();
    let area = app.areas.preview;
    let Some(row) = app.queue.shown().current() else {
        panel::panel(buf, area, &[], &[], false, &theme);
        return;
    };
    let name = row.signal.project_name.clone().unwrap_or_else(|| "unnamed project".to_owned());
    let price = if app.paid(row.signal.project_id).is_some() { "Enter 0 cr" } else { "Enter 1 cr" };
    let focused = app.queue.preview.focused;
    panel::panel(buf, area, &[piece(Role::Strong, name)], &[piece(Role::Muted, price)], focused, &theme);
    let inner = text_room(area);
    scroll::text(buf, area, inner, &preview_lines(app, row, inner.width), usize::from(app.queue.preview.top), &theme);
}

fn preview_lines(app: &App, row: &QueueSignal, width: u16) -> Vec<facts::Line> {
    let mut sheet = Sheet::new(width, 10);
    app.signal_sheet(&mut sheet, row);
    let paid = app.paid(row.signal.project_id);
    if let Some(paid) = paid {
        sheet.heading("Project", format!("read {}", moment(paid.read_at, app.service_now(), app.settings.utc_offset)));
        app.project_sheet(&mut sheet, paid);
        sheet.heading("Firms", "");
        app.firm_lines(&mut sheet, paid, 6);
    }
    if paid.is_none() && !app.areas.preview_below {
        sheet.gap();
        let words = app.keymap.words("{queue.open} reads the project: facts, firms, people and timeline");
        sheet.fact("", Role::Muted, words);
    }
    let siblings = app.queue.shown().siblings(row).unwrap_or(1);
    if siblings > 1 && !app.areas.preview_below {
        sheet.heading("Also in this list", "");
        app.sibling_lines(&mut sheet, row);
    }
    sheet.lines()
}

impl App {
    /// Holds the preview's scroll within what it says.
    pub(in crate::app) fn settle_preview(&mut self) {
        let room = text_room(self.areas.preview);
        let row = self.queue.shown().current().filter(|_| self.queue.preview.top > 0);
        let lines = row.map_or(0, |row| preview_lines(self, row, room.width).len());
        let most = u16::try_from(lines).unwrap_or(u16::MAX).saturating_sub(room.height);
        self.queue.preview.top = self.queue.preview.top.min(most);
    }

    /// A signal that was discovered since the console opened, and that the cursor was not on yet.
    pub fn is_fresh(&self, row: &QueueSignal) -> bool {
        let found = row.signal.discovered_at.as_ref().and_then(|when| when.at());
        let since = self.opened_at.zip(found).is_some_and(|(opened, found)| found > opened);
        since && !self.visited.contains(&row.signal.id)
    }

    /// The other loaded rows of the same project, a line each.
    fn sibling_lines(&self, sheet: &mut Sheet, row: &QueueSignal) {
        let tab = self.queue.shown();
        let others = row.signal.project_id.map(|project| tab.of_project(project)).unwrap_or_default();
        for other in others.into_iter().filter(|id| *id != row.signal.id).filter_map(|id| tab.list.row(id)).take(8) {
            let kind = other.signal.signal_type.as_ref().map_or_else(String::new, |kind| format::words(kind.as_str()));
            let filed =
                other.signal.filed_at.as_ref().map(|when| format::day(when, self.service_now().date_naive())).unwrap_or_default();
            sheet.line(vec![piece(Role::Muted, format!("{filed:<10}")), piece(Role::Text, kind)]);
        }
    }
}

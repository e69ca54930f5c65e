//! Drawing of a list of records: rows, their state, and the price of what comes next.

use std::collections::HashSet;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use uuid::Uuid;

use super::columns::{Column, rooms};
use super::{PAGE, Records, Shown, map};
use crate::app::App;
use crate::app::format::{count, moment, plural, words};
use crate::app::records::Load;
use crate::domain::search::Source;
use crate::ui::{Piece, Role, area, line, paint, panel, piece, scroll, table};

/// The rows within a panel: below the heading and above the line that tells what is loaded.
pub fn rows_area(panel: Rect) -> Rect {
    let inner =
        Rect { x: panel.x + 1, y: panel.y + 1, width: panel.width.saturating_sub(2), height: panel.height.saturating_sub(2) };
    let (head, foot) = (heading_height(inner), u16::from(inner.height >= 5));
    Rect { y: inner.y + head, height: inner.height.saturating_sub(head + foot), ..inner }
}

/// The line within a panel that tells what is loaded; empty where there is no room for one.
pub fn foot_area(panel: Rect) -> Rect {
    let row = paint::row(panel, panel.height.saturating_sub(2));
    area::padded(Rect { height: u16::from(panel.height >= 7), ..row }, 2)
}

fn heading_height(inner: Rect) -> u16 {
    u16::from(inner.height >= 7)
}

/// Draws a list in a panel.
pub fn draw(app: &App, shown: &Shown, title: Vec<Piece<'static>>, area: Rect, focused: bool, buf: &mut Buffer) {
    let theme = app.theme();
    let focused = focused && app.pane_has_keys();
    let Some(list) = app.list(shown) else {
        panel::panel(buf, area, &title, &[], focused, &theme);
        return;
    };
    panel::panel(buf, area, &title, &note(list), focused, &theme);
    if !app.areas.map.is_empty() {
        map::draw(app, list, app.areas.map, buf);
    }
    let rows = rows_area(area);
    match (&list.load, list.len()) {
        (Load::Failed(why), 0) => {
            app.say_failed(buf, rows, "the rows could not be read", why, "{records.open} tries again");
        }
        (Load::Ready, 0) => nothing(app, list, rows, buf),
        (Load::Idle, 0) => unread(app, list, rows, buf),
        (_, 0) => app.say(buf, rows, &[], &["reading; Ctrl-c stops"]),
        _ => {
            draw_rows(app, list, area, rows, focused, buf);
            scroll::bar(buf, area, rows, list.scroll.top, list.len(), &theme);
        }
    }
    if !list.is_empty() {
        foot_line(app, list, foot_area(area), buf);
    }
}

/// What is marked.
fn note(list: &Records) -> Vec<Piece<'static>> {
    let mut note = Vec::new();
    if list.range.is_some() {
        note.push(piece(Role::Marked, format!("range {}", count(list.range_ids().len() as u64))));
    }
    if !list.marks.is_empty() {
        note.push(piece(Role::Marked, format!("{} marked", count(list.marks.len() as u64))));
    }
    if list.unreadable > 0 {
        note.push(piece(Role::Warn, format!("{} unreadable", list.unreadable)));
    }
    let gap = piece(Role::Muted, "  ");
    note.into_iter().flat_map(|part| [gap.clone(), part]).skip(1).collect()
}

/// How many rows there are, as far as it is known: `42`, `1,000+`.
pub fn total_words(list: &Records) -> Option<String> {
    list.total.map(|total| format!("{}{}", count(total), if list.is_capped { "+" } else { "" }))
}

fn unread(app: &App, list: &Records, area: Rect, buf: &mut Buffer) {
    let price = match list.next_price() {
        Some(0) | None => "for nothing".to_owned(),
        Some(most) => format!("for at most {}", plural(most, "credit")),
    };
    let known = total_words(list).map(|total| format!("{total} rows, none read yet"));
    let what = piece(Role::Strong, known.unwrap_or_else(|| "nothing was read yet".to_owned()));
    let reads = format!("{{records.open}} reads the first {PAGE} rows {price}");
    app.say(buf, area, &[what], &[&reads, "{records.count} counts them for 1 credit, {records.narrow} narrows them first"]);
}

fn nothing(app: &App, list: &Records, area: Rect, buf: &mut Buffer) {
    if list.search.is_whole() {
        let hint = match list.source {
            Source::View(..) => "{records.add} on a list of records adds to a Static View",
            Source::Book(_) => "{records.save} on a list of records saves to the book",
            Source::Index(_) => "the service has no such records",
        };
        return app.say(buf, area, &[piece(Role::Strong, "there is nothing here yet")], &[hint]);
    }
    let filter = list.search.filters.line(&list.search.query);
    let what = [piece(Role::Strong, "nothing matches this filter"), piece(Role::Warn, filter)];
    app.say(buf, area, &what, &["{records.whole} drops it, {records.narrow} changes it"]);
}

fn draw_rows(app: &App, list: &Records, panel: Rect, area: Rect, focused: bool, buf: &mut Buffer) {
    let theme = app.theme();
    let glyphs = theme.glyphs();
    let columns = app.columns(&list.source);
    let rooms_at = rooms(&columns, area);
    if area.y > panel.y + 1 {
        for (at, room) in &rooms_at {
            if let Some(column) = at.checked_sub(1).and_then(|at| columns.get(at)) {
                draw_title(app, list, column, Rect { y: area.y - 1, height: 1, ..*room }, buf);
            }
        }
    }
    let range: HashSet<Uuid> = list.range_ids().into_iter().collect();
    for n in 0..area.height {
        let at = list.scroll.top + usize::from(n);
        let Some(record) = list.at(at) else { break };
        let (row, here) = (paint::row(area, n), at == list.scroll.cursor);
        let fields = record.fields();
        for (column, room) in &rooms_at {
            let room = Rect { y: row.y, height: 1, ..*room };
            let Some(column) = column.checked_sub(1).and_then(|column| columns.get(column)) else {
                let state = state_mark(app, list, record.id, range.contains(&record.id));
                line(buf, room, &[piece(Role::Focus, if here { glyphs.cursor } else { " " }), state], &theme);
                continue;
            };
            table::cell(buf, &column.room, room, &[column.cell(&fields, glyphs)], &theme);
        }
        if here {
            buf.set_style(row, theme.cursor_row(focused));
        }
    }
}

/// A column's title; of the one that sorts the list with an arrow, which may take the gap beside it.
fn draw_title(app: &App, list: &Records, column: &Column, room: Rect, buf: &mut Buffer) {
    let theme = app.theme();
    let title = column.room.title;
    let Some(ascending) = list.sorted_by(column.field) else {
        return table::cell(buf, &column.room, room, &[piece(Role::Muted, title)], &theme);
    };
    let arrow = piece(Role::Focus, if ascending { theme.glyphs().up } else { theme.glyphs().down });
    let title = piece(Role::Text, title);
    if column.room.right {
        let room = Rect { x: room.x.saturating_sub(1), width: room.width + 1, ..room };
        paint::line_right(buf, room, &[arrow, title], &theme);
    } else {
        line(buf, Rect { width: room.width + 1, ..room }, &[title, arrow], &theme);
    }
}

/// One mark a row, the most urgent.
fn state_mark(app: &App, list: &Records, id: uuid::Uuid, in_range: bool) -> Piece<'static> {
    let glyphs = app.theme().glyphs();
    if list.reasons.contains_key(&id) {
        piece(Role::Bad, "!")
    } else if app.writes.writes(id) {
        piece(Role::Warn, "~")
    } else if in_range || list.marks.contains(&id) {
        piece(Role::Marked, glyphs.marked)
    } else {
        piece(Role::Text, " ")
    }
}

/// What is loaded and of how many, what the next page costs, how it is narrowed and sorted, and why the row's last write failed.
fn foot_line(app: &App, list: &Records, area: Rect, buf: &mut Buffer) {
    let theme = app.theme();
    let dot = theme.glyphs().dot;
    if let Some(why) = list.current().and_then(|row| list.reasons.get(&row.id)) {
        line(buf, area, &[piece(Role::Bad, why.clone())], &theme);
        return;
    }
    let loaded = count(list.len() as u64);
    let mut pieces = vec![piece(
        Role::Text,
        match total_words(list) {
            Some(total) => format!("{loaded} of {total}"),
            None if list.has_more() => format!("{loaded}, there may be more"),
            None => loaded,
        },
    )];
    if let Some(price) = list.next_price().filter(|_| list.has_more()) {
        pieces.push(piece(Role::Key, format!("   {}", app.keymap.label("records.more"))));
        pieces.push(piece(Role::Muted, format!(" next {price} cr")));
    }
    if !list.search.is_whole() {
        pieces.push(piece(Role::Warn, format!("   {}", list.search.filters.line(&list.search.query))));
    }
    let sort = list.search.sort.as_ref();
    let sort = sort.map(|sort| format!("{} {}", words(&sort.field), if sort.ascending { "up" } else { "down" }));
    let sort = sort.or(list.sort().map(|own| words(&own.field)));
    let read = list.read_at.map(|at| format!(" {dot} read {}", moment(at, app.service_now(), app.settings.utc_offset)));
    let right = format!("{} cr{}", count(list.spent), read.unwrap_or_default());
    let edge = paint::line_right(buf, area, &[piece(Role::Muted, right)], &theme);
    if let Some(sort) = sort {
        pieces.push(piece(Role::Muted, format!("   by {sort}")));
    }
    let room = Rect { width: edge.saturating_sub(area.x + 2), ..area };
    while pieces.len() > 1 && paint::pieces_width(&pieces) > room.width {
        pieces.pop();
    }
    line(buf, room, &pieces, &theme);
}

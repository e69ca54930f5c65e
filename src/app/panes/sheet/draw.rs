//! Drawing of the sheet: the form, what it makes of each record, and what is to be known before it is applied.

use std::collections::BTreeMap;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::form::{Entry, Line, Op};
use super::{Plan, Row, Sheet};
use crate::app::App;
use crate::app::arrange::text_room;
use crate::app::format::{self, count, moment, plural};
use crate::app::known::{Field, Value};
use crate::text;
use crate::ui::{Piece, Role, line, paint, panel, piece, scroll};

/// Cells of a line's name, and of its operation.
const LABEL: u16 = 10;
const OP: u16 = 10;
/// Rows of a note at most, while it is typed.
const NOTE_ROWS: u16 = 8;
/// From this height on the values of now stand under what becomes of them.
const ROOMY: u16 = 20;

/// Where the parts of the sheet stand.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parts {
    form: Rect,
    preview: Rect,
    foot: Rect,
}

/// The cells that a value has.
pub fn value_width(area: Rect) -> u16 {
    text_room(area).width.saturating_sub(LABEL + OP + 1)
}

/// Divides the sheet: the form as high as it is, the foot, and the preview between them.
pub fn parts(app: &App, sheet: &Sheet, area: Rect) -> Parts {
    let inner = text_room(area);
    let wanted: u16 = u16::from(sheet.offers_draft())
        + sheet.form.entries().iter().map(|entry| height(sheet, entry, inner.height)).sum::<u16>();
    let foot = u16::try_from(foot(app, sheet).len()).unwrap_or(0).min(inner.height / 3);
    let form = wanted.min(inner.height.saturating_sub(foot));
    let left = inner.height - form - foot;
    let gap = u16::from(left > 2);
    Parts {
        form: Rect { height: form, ..inner },
        preview: Rect { y: inner.y + form + gap, height: left - gap, ..inner },
        foot: Rect { y: inner.bottom() - foot, height: foot, ..inner },
    }
}

impl Parts {
    /// The lines of what would change.
    pub fn preview(&self) -> Rect {
        // Its heading stands on the first line.
        Rect { y: self.preview.y + 1, height: self.preview.height.saturating_sub(1), ..self.preview }
    }
}

/// The rows of a line of the form: its text, what stands there now where there is room, and the values that are offered.
fn height(sheet: &Sheet, entry: &Entry, room: u16) -> u16 {
    let here = sheet.at == entry.line;
    let text = match entry.line {
        Line::Notes if entry.op != Op::Keep && entry.op != Op::Clear => {
            let rows = u16::try_from(sheet.form.note.rows().len()).unwrap_or(NOTE_ROWS);
            let most = if room >= ROOMY { NOTE_ROWS } else { 3 };
            rows.clamp(if here && room >= ROOMY { 3 } else { 1 }, most)
        }
        _ => 1,
    };
    text + u16::from(shows_now(entry, room)) + u16::from(here && !sheet.in_note && !sheet.offers(entry.line).is_empty())
}

/// What stands there now has a row of its own once something else is to stand there.
fn shows_now(entry: &Entry, room: u16) -> bool {
    room >= ROOMY && entry.op != Op::Keep && entry.line != Line::Untag
}

/// Draws the sheet; answers where the text cursor stands.
pub fn draw(app: &App, sheet: &Sheet, area: Rect, buf: &mut Buffer) -> Option<Position> {
    let theme = app.theme();
    let title = sheet.only().map_or_else(|| plural(sheet.rows.len(), sheet.shelf.one()), |row| row.name.clone());
    let title = [piece(Role::Strong, format!("Annotate {title}"))];
    panel::popup(buf, area, &title, &[piece(Role::Muted, "writing costs 0 cr")], &theme);
    let parts = parts(app, sheet, area);
    let mut cursor = None;
    let mut y = parts.form.y;
    if sheet.offers_draft()
        && let Some(draft) = &sheet.draft
    {
        let row = Rect { height: u16::from(parts.form.height > 0), ..parts.form };
        let offer = [
            piece(Role::Warn, format!("draft of {}: ", app.draft_time(draft))),
            app.key_piece("sheet.enter"),
            piece(Role::Muted, " takes it, "),
            app.key_piece("sheet.forget"),
            piece(Role::Muted, " forgets it"),
        ];
        line(buf, row, &offer, &theme);
        y += 1;
    }
    for entry in sheet.form.entries() {
        let height = height(sheet, entry, text_room(area).height);
        let room = Rect { y, height, ..parts.form }.intersection(parts.form);
        y = y.saturating_add(height);
        if !room.is_empty() {
            cursor = cursor.or(draw_entry(app, sheet, entry, room, text_room(area).height, buf));
        }
    }
    draw_preview(app, sheet, &parts, area, buf);
    for (n, pieces) in (0..parts.foot.height).zip(foot(app, sheet)) {
        line(buf, paint::row(parts.foot, n), &pieces, &theme);
    }
    cursor
}

fn draw_entry(app: &App, sheet: &Sheet, entry: &Entry, area: Rect, room: u16, buf: &mut Buffer) -> Option<Position> {
    let theme = app.theme();
    let glyphs = theme.glyphs();
    let here = sheet.at == entry.line;
    let label = if entry.line == Line::Untag { "tags off" } else { entry.line.field().title() };
    let row = paint::row(area, 0);
    let at = |x: u16, width: u16| Rect { x: row.x + x, width: width.min(row.width.saturating_sub(x)), ..row };
    line(
        buf,
        at(0, LABEL),
        &[piece(Role::Focus, if here { glyphs.cursor } else { " " }), piece(if here { Role::Strong } else { Role::Text }, label)],
        &theme,
    );
    let op_role = match (here, entry.op) {
        (true, _) => Role::Key,
        (false, Op::Keep) => Role::Muted,
        (false, _) => Role::Text,
    };
    line(buf, at(LABEL, OP), &[piece(op_role, format!("[{:^6}]", entry.op.word()))], &theme);
    let value = Rect { height: area.height, ..at(LABEL + OP, row.width) };
    let now = piece(Role::Muted, format!("now {}", now(app, sheet, entry.line)));
    let mut cursor = None;
    let mut below = 1;
    match (entry.line, entry.op) {
        (Line::Untag, Op::Keep) if !here => {}
        (Line::Untag, Op::Keep) => {
            line(buf, value, &[piece(Role::Muted, "tags to take off")], &theme);
        }
        (_, Op::Keep) => {
            line(buf, value, std::slice::from_ref(&now), &theme);
        }
        (_, Op::Clear) => {
            line(buf, value, &[piece(Role::Warn, "nothing stays there")], &theme);
        }
        (Line::Notes, _) => {
            below = height(sheet, entry, room).saturating_sub(u16::from(shows_now(entry, room))).min(area.height);
            let place = sheet.form.note.draw(buf, Rect { height: below, ..value }, &theme);
            cursor = (here && sheet.in_note).then_some(place);
            if here && !sheet.in_note && sheet.form.note.text().is_empty() {
                line(buf, value, &[app.key_piece("sheet.enter"), piece(Role::Muted, " begins to type")], &theme);
            }
        }
        (Line::Tier, _) => {
            let text = entry.input.text();
            let shown =
                if text.is_empty() { piece(Role::Muted, "1, 2, 3 or d") } else { piece(Role::Strong, format::words(text)) };
            line(buf, value, &[shown], &theme);
        }
        _ => {
            let place = entry.input.draw(buf, Rect { height: 1, ..value }, &theme);
            cursor = here.then_some(place);
            if here && sheet.is_new(entry.line) {
                let used = place.x.saturating_sub(value.x) + 2;
                let rest = Rect { x: value.x + used, width: value.width.saturating_sub(used), height: 1, ..value };
                line(buf, rest, &[piece(Role::Warn, "not in use yet")], &theme);
            }
        }
    }
    // While a line is kept, its first character is what it is typed for.
    if here && cursor.is_none() && entry.op == Op::Keep && matches!(entry.line, Line::Status | Line::Tags | Line::Untag) {
        cursor = Some(Position { x: value.x.saturating_sub(1), y: value.y });
    }
    if shows_now(entry, room) {
        line(buf, paint::row(value, below), &[now], &theme);
        below += 1;
    }
    let offers = sheet.offers(entry.line);
    if here && !sheet.in_note && !offers.is_empty() {
        let stands = sheet.form.text(entry.line);
        let stands = if matches!(entry.line, Line::Tags | Line::Untag) {
            stands.rsplit(',').next().unwrap_or_default().trim()
        } else {
            stands
        };
        let keys = app.keymap.words("{sheet.offer.previous} {sheet.offer.next}");
        let mut pieces = vec![piece(Role::Key, keys), piece(Role::Muted, " ")];
        for offer in offers.iter().take(12) {
            let role = if offer == stands { Role::Chosen } else { Role::Muted };
            pieces.push(piece(role, format::words(offer)));
            pieces.push(piece(Role::Faint, format!(" {} ", glyphs.dot)));
        }
        pieces.pop();
        line(buf, paint::row(value, below), &pieces, &theme);
    }
    cursor
}

/// What stands in a field now: of one record the value, of several how many have which.
fn now(app: &App, sheet: &Sheet, line: Line) -> String {
    let field = line.field();
    let none = "none".to_owned();
    if let Some(row) = sheet.only() {
        return match row.known.value(field) {
            None => "not read".to_owned(),
            Some(value) if value.is_empty() => none,
            Some(value) => words(field, value),
        };
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let (mut empty, mut unread) = (0, 0);
    for row in &sheet.rows {
        match row.known.value(field) {
            None => unread += 1,
            Some(value) if value.is_empty() => empty += 1,
            Some(_) if field == Field::Notes => *counts.entry("have one".to_owned()).or_default() += 1,
            Some(value) => value.iter().for_each(|text| *counts.entry(format::words(text)).or_default() += 1),
        }
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    counts.extend([(none, empty), ("not read".to_owned(), unread)].into_iter().filter(|(_, n)| *n > 0));
    let dot = format!(" {} ", app.theme().glyphs().dot);
    counts.into_iter().map(|(word, n)| format!("{} {word}", count(n as u64))).collect::<Vec<_>>().join(&dot)
}

/// A value in words.
fn words(field: Field, value: &Value) -> String {
    match field {
        Field::Tags => value.join(", "),
        Field::Notes => value.join(" "),
        Field::Tier | Field::Status => value.iter().map(|word| format::words(word)).collect(),
    }
}

/// What is to be known before it is applied: how many change, what is not known, how old what is known is.
fn foot(app: &App, sheet: &Sheet) -> Vec<Vec<Piece<'static>>> {
    let plans = sheet.plan();
    let now = app.service_now();
    let mut lines = Vec::new();
    if sheet.form.touched().is_empty() {
        lines.push(vec![piece(Role::Muted, "nothing is to be written yet")]);
        return lines;
    }
    let changing = plans.iter().filter(|plan| plan.writes()).count();
    let saving = plans.iter().filter(|plan| plan.writes() && plan.saves == Some(true)).count();
    if saving > 0 {
        let who = if sheet.only().is_some() {
            "not in the book yet".to_owned()
        } else {
            format!("{} not in the book yet", count(saving as u64))
        };
        lines
            .push(vec![piece(Role::Warn, format!("{who}: this saves {} for everyone", if saving == 1 { "it" } else { "them" }))]);
    }
    let (unread, is_one) = (sheet.unread(now), sheet.only().is_some());
    let blind = plans.iter().filter(|plan| plan.saves != Some(true) && plan.is_blind()).count();
    let age = match sheet.oldest() {
        _ if blind > 0 && is_one => Some("not read yet: ".to_owned()),
        _ if blind > 0 => Some(format!("{} not read yet: ", count(blind as u64))),
        Some(at) if is_one => Some(format!("read {}: ", moment(at, now, app.settings.utc_offset))),
        at => at.map(|at| format!("read {}: ", age(now - at))),
    };
    if let Some(age) = age.filter(|_| !unread.is_empty()) {
        let reads = format!(" reads {}, {} cr", if is_one { "it" } else { "them" }, count(sheet.price(&unread) as u64));
        let role = if blind > 0 { Role::Warn } else { Role::Muted };
        lines.push(vec![piece(role, age), app.key_piece("sheet.read"), piece(Role::Muted, reads)]);
    }
    let price = sheet.write_price();
    if price > 0 {
        let who = if is_one { "it is" } else { "each is" };
        lines.push(vec![piece(Role::Muted, format!("{who} read again before it is written: {} cr", count(price as u64)))]);
    }
    let (all, same) = (sheet.rows.len(), sheet.rows.len() - changing);
    let what = match (is_one, same) {
        (true, 0) => "it changes".to_owned(),
        (true, _) => "it is so already".to_owned(),
        (false, 0) => format!("all {} change", count(all as u64)),
        (false, _) => {
            format!("{} of {} change, {} are so already", count(changing as u64), count(all as u64), count(same as u64))
        }
    };
    let writes = [app.key_piece("sheet.apply"), piece(Role::Text, " writes   ")];
    lines.push(writes.into_iter().filter(|_| changing > 0).chain([piece(Role::Muted, what)]).collect());
    lines
}

fn age(since: chrono::Duration) -> String {
    match since.num_minutes() {
        ..1 => "less than a minute ago".to_owned(),
        minutes @ 1..60 => format!("{minutes} min ago"),
        minutes => format!("{} h ago", minutes / 60),
    }
}

fn draw_preview(app: &App, sheet: &Sheet, parts: &Parts, area: Rect, buf: &mut Buffer) {
    let theme = app.theme();
    let lines = preview(app, sheet, parts.preview.width);
    if parts.preview.height < 2 {
        return;
    }
    if lines.is_empty() {
        return draw_lesson(app, sheet, parts.preview, buf);
    }
    line(buf, parts.preview, &[piece(Role::Strong, "what changes")], &theme);
    let room = parts.preview();
    scroll::text(buf, area, room, &lines, sheet.top, &theme);
}

/// What the operations mean, while nothing is to be done yet.
fn draw_lesson(app: &App, sheet: &Sheet, area: Rect, buf: &mut Buffer) {
    let theme = app.theme();
    if !sheet.form.touched().is_empty() {
        line(buf, area, &[piece(Role::Muted, "nothing would change")], &theme);
        return;
    }
    let lesson = [
        ("", "Type in a field, or choose with {sheet.op.previous} and {sheet.op.next}:"),
        ("keep", "it stays as it is, and is not sent"),
        ("set", "it becomes what you type"),
        ("clear", "it is emptied"),
        ("add", "tags come to those that are there; commas between"),
        ("remove", "tags are taken off"),
        ("append", "a note gets lines more; {sheet.enter} begins to type"),
    ];
    for (n, (op, means)) in (0..area.height).zip(lesson) {
        let op = if op.is_empty() { String::new() } else { format!("{op:<8}") };
        line(buf, paint::row(area, n), &[piece(Role::Text, op), piece(Role::Muted, app.keymap.words(means))], &theme);
    }
}

/// What would change, record by record: first those that need a look.
pub fn preview(app: &App, sheet: &Sheet, width: u16) -> Vec<Vec<Piece<'static>>> {
    let mut lines = Vec::new();
    let name = usize::from((width * 2 / 5).min(22));
    let mut rows: Vec<(&Row, Plan)> = sheet.rows.iter().zip(sheet.plan()).collect();
    rows.sort_by_key(|(row, plan)| plan.unknown.is_empty() && !row.left && row.changed.is_empty());
    for (row, plan) in rows {
        let facts = facts(app, row, &plan);
        for (n, fact) in facts.into_iter().enumerate() {
            let title = if n == 0 { text::line(&row.name).into_owned() } else { String::new() };
            let title = text::cut(&title, name.saturating_sub(1), app.theme().glyphs().cut).into_owned();
            let pad = name.saturating_sub(text::width(&title));
            let title = piece(Role::Text, title + &" ".repeat(pad));
            lines.extend(wrapped(title, fact, usize::from(width)));
        }
    }
    lines
}

/// A fact behind its record's name. What does not fit goes on below its beginning: what is written is never cut off.
fn wrapped(name: Piece<'static>, fact: Vec<Piece<'static>>, width: usize) -> Vec<Vec<Piece<'static>>> {
    let mut fact = fact.into_iter();
    let mut head = vec![name];
    head.extend(fact.next());
    let rest: Vec<_> = fact.collect();
    let indent = usize::from(paint::pieces_width(&head));
    let mut lines = paint::wrap(&rest, width.saturating_sub(indent).max(8)).into_iter();
    head.extend(lines.next().unwrap_or_default());
    let below = lines.map(|line| [vec![piece(Role::Text, " ".repeat(indent))], line].concat());
    std::iter::once(head).chain(below).collect()
}

fn facts(app: &App, row: &Row, plan: &Plan) -> Vec<Vec<Piece<'static>>> {
    let glyphs = app.theme().glyphs();
    let label = |field: Field| piece(Role::Muted, format!("{:<7}", field.title()));
    let mut facts = Vec::new();
    if row.left {
        facts.push(vec![piece(Role::Warn, "has left the book")]);
    }
    for (field, before, after) in &plan.changes {
        let mut pieces = vec![label(*field)];
        let (role, was) = match before {
            None => (Role::Warn, "not read".to_owned()),
            Some(before) if before.is_empty() => (Role::Faint, glyphs.none.to_owned()),
            Some(before) => (Role::Muted, words(*field, before)),
        };
        let added = before.as_ref().filter(|before| *field == Field::Notes && !before.is_empty()).and_then(|before| {
            after.first()?.strip_prefix(before.join("\n").trim_end()).map(|rest| rest.trim_start().to_owned())
        });
        match added {
            Some(added) => pieces.push(piece(Role::Good, format!("+ {}", added.replace('\n', " ")))),
            None => {
                let becomes =
                    if after.is_empty() { piece(Role::Warn, "nothing") } else { piece(Role::Good, words(*field, after)) };
                pieces.extend([piece(role, was), piece(Role::Faint, format!(" {} ", glyphs.arrow)), becomes]);
            }
        }
        if row.changed.contains(field) {
            pieces.push(piece(Role::Warn, " changed since"));
        }
        facts.push(pieces);
    }
    for (field, gone, added) in &plan.unknown {
        let mut pieces = vec![label(*field)];
        if !added.is_empty() {
            pieces.push(piece(Role::Good, format!("+ {}", words(*field, added))));
        }
        if !gone.is_empty() {
            pieces.push(piece(Role::Warn, format!(" - {}", words(*field, gone))));
        }
        pieces.push(piece(Role::Muted, "  to what is there"));
        facts.push(pieces);
    }
    facts
}

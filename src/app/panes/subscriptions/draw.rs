//! Drawing of the subscriptions: the types, and beside them, below them or in their place what the one under the cursor will be.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::sheet::priority_word;
use crate::app::App;
use crate::app::format::{count, day, words};
use crate::app::panes::facts::priority_role;
use crate::app::panes::records::draw::foot_area;
use crate::app::records::Load;
use crate::app::writes::Part;
use crate::domain::signals::SignalType;
use crate::domain::subscriptions::Subscription;
use crate::ui::table::{Column, Table};
use crate::ui::{Piece, Role, line, paint, panel, piece, scroll};

const STATE: Column = Column { title: "", width: 2, grow_to: 0, leaves: 0, right: false };
const TYPE: Column = Column { title: "TYPE", width: 13, grow_to: 23, leaves: 0, right: false };
const PRIORITY: Column = Column { title: "PRIORITY", width: 14, grow_to: 0, leaves: 0, right: false };
const NEW: Column = Column { title: "NEW", width: 5, grow_to: 0, leaves: 0, right: true };
const MAIL: Column = Column { title: "MAIL TO", width: 9, grow_to: 0, leaves: 1, right: false };
const SINCE: Column = Column { title: "SINCE", width: 10, grow_to: 0, leaves: 2, right: false };
const COLUMNS: [Column; 6] = [STATE, TYPE, PRIORITY, NEW, MAIL, SINCE];

/// Draws the pane: what of it has room.
pub fn draw(app: &App, buf: &mut Buffer) {
    if !app.areas.panel.is_empty() {
        draw_list(app, app.areas.panel, buf);
    }
    if !app.areas.aside.is_empty() {
        draw_aside(app, app.areas.aside, buf);
    }
}

fn draw_aside(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = app.theme();
    // Of types that were not read nothing is claimed.
    if app.subscriptions.load != Load::Ready {
        panel::panel(buf, area, &[], &[], app.areas.panel.is_empty(), &theme);
        return;
    }
    let title = app.subscriptions.current().map(|kind| piece(Role::Strong, words(kind.as_str())));
    panel::panel(buf, area, &title.into_iter().collect::<Vec<_>>(), &[], app.areas.panel.is_empty(), &theme);
    let (rows, top) = (app.areas.aside_rows, app.subscriptions.top);
    scroll::text(buf, area, rows, &app.subscription_lines(rows.width, app.areas.preview_below), top, &theme);
}

fn draw_list(app: &App, area: Rect, buf: &mut Buffer) {
    let (subs, theme) = (&app.subscriptions, app.theme());
    let note = match (subs.staged.len(), app.members.len()) {
        (0, 0 | 1) => piece(Role::Muted, "shared by the workspace"),
        (0, members) => piece(Role::Muted, format!("shared by all {members} members")),
        (staged, _) => piece(Role::Marked, format!("{staged} staged")),
    };
    panel::panel(buf, area, &[piece(Role::Strong, "Subscriptions")], &[note], true, &theme);
    let rows = app.areas.rows;
    match &subs.load {
        Load::Failed(why) => {
            let hint = "{subscriptions.refresh} tries again";
            return app.say_failed(buf, rows, "the subscriptions could not be read", why, hint);
        }
        Load::Idle | Load::Loading => return app.say(buf, rows, &[], &["reading the subscriptions"]),
        Load::Ready => {}
    }
    let types = subs.types();
    let table = Table { columns: &COLUMNS, scroll: subs.scroll, len: types.len(), has_keys: true };
    table.draw(buf, area, rows, &theme, |at, here| cells(app, &types[at], here, rows.width >= 40));
    let foot = foot_area(area);
    line(buf, foot, &foot_pieces(app, foot.width), &theme);
}

/// A type's cells: as it is, and with an arrow as it will be.
fn cells(app: &App, kind: &SignalType, here: bool, is_wide: bool) -> [Vec<Piece<'static>>; 6] {
    let (subs, glyphs) = (&app.subscriptions, app.theme().glyphs());
    let (now, after) = (subs.get(kind), subs.after(kind));
    let shown = after.as_ref().or(now);
    let rank = if shown.is_some() { Role::Text } else { Role::Muted };
    let changed = |of: &dyn Fn(&Subscription) -> String| now.map(of) != after.as_ref().map(of);
    let mark = match () {
        () if subs.reasons.contains_key(kind) => piece(Role::Bad, "!"),
        () if app.writes.has(|part| matches!(part, Part::Subscription(of, _) if of == kind)) => piece(Role::Warn, "~"),
        () if subs.staged.contains_key(kind) => piece(Role::Marked, glyphs.marked),
        () => piece(Role::Text, " "),
    };
    let mail_role = match &after {
        None => Role::Muted,
        Some(_) if changed(&mail_words) => Role::Marked,
        Some(_) => rank,
    };
    let name = if is_wide { words(kind.as_str()) } else { kind.short().to_owned() };
    let priority = |it: Option<&Subscription>| it.map_or(if is_wide { "none" } else { glyphs.none }, priority_word).to_owned();
    let role = |it: Option<&Subscription>| it.map_or(Role::Muted, |it| priority_role(it.priority.as_ref()));
    let priority = if changed(&|it| priority_word(it).to_owned()) {
        let was = piece(Role::Muted, format!("{} {} ", priority(now), glyphs.arrow));
        vec![was, piece(role(after.as_ref()), priority(after.as_ref()))]
    } else if now.is_none() {
        vec![piece(Role::Muted, "not subscribed")]
    } else {
        vec![piece(role(now), priority(now))]
    };
    let since = now.and_then(|it| it.created_at.as_ref()).map(|at| day(at, app.service_now().date_naive()));
    [
        vec![piece(Role::Focus, if here { glyphs.cursor } else { " " }), mark],
        vec![piece(rank, name)],
        priority,
        vec![piece(rank, now.and_then(|it| it.new_count).map_or_else(|| glyphs.none.to_owned(), count))],
        vec![piece(mail_role, shown.map_or_else(|| glyphs.none.to_owned(), mail_words))],
        vec![piece(Role::Muted, since.unwrap_or_default())],
    ]
}

/// Who gets mail, in a few cells.
fn mail_words(it: &Subscription) -> String {
    match (it.has_mail(), it.notify_all_members, it.recipient_user_ids.len()) {
        (false, ..) => "off".to_owned(),
        (true, true, _) => "everyone".to_owned(),
        (true, false, 0) => "nobody".to_owned(),
        (true, false, 1) => "1 person".to_owned(),
        (true, false, n) => format!("{n} people"),
    }
}

/// How many types make the queue, and how many new signals of each priority there are and would be.
fn foot_pieces(app: &App, width: u16) -> Vec<Piece<'static>> {
    let (subs, glyphs) = (&app.subscriptions, app.theme().glyphs());
    let mut pieces = vec![piece(Role::Text, format!("{} of {} types", subs.all_after().len(), subs.types().len()))];
    for ((now, after), (word, role)) in
        subs.counts().into_iter().zip([("high", Role::High), ("medium", Role::Medium), ("low", Role::Low)])
    {
        let then = if now == after { count(now) } else { format!("{} {} {}", count(now), glyphs.arrow, count(after)) };
        pieces.push(piece(role, format!("   {word} ")));
        pieces.push(piece(if now == after { Role::Text } else { Role::Marked }, then));
    }
    while pieces.len() > 1 && paint::pieces_width(&pieces) > width {
        pieces.truncate(pieces.len() - 2);
    }
    pieces
}

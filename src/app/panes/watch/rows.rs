//! Drawing of the wall's pages that show rows: what waits, and the team's day.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::draw::{counted, rest, role};
use super::pages::Page;
use crate::app::App;
use crate::app::format::{self, plural, words};
use crate::app::panes::facts::priority_role;
use crate::domain::queue::QueueSignal;
use crate::ui::table::{self, Column, fit};
use crate::ui::{Piece, Role, area, line, paint, piece};

const PRIORITY: Column = Column { title: "P", width: 1, grow_to: 0, leaves: 0, right: false };
const TYPE: Column = Column { title: "TYPE", width: 21, grow_to: 26, leaves: 3, right: false };
const PROJECT: Column = Column { title: "PROJECT", width: 18, grow_to: 64, leaves: 0, right: false };
const COST: Column = Column { title: "COST", width: 8, grow_to: 0, leaves: 4, right: true };
const OUT: Column = Column { title: "OUT", width: 4, grow_to: 0, leaves: 2, right: true };
const COLUMNS: [Column; 5] = [PRIORITY, TYPE, PROJECT, COST, OUT];
/// Cells of a person's name.
const NAME: u16 = 24;
/// What stands in the place of a name or of money.
const HIDDEN: &str = "hidden";

/// Draws the page on the screen below the counts.
pub fn draw(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = app.theme();
    let page = app.wall_page();
    let area = rest(area, 1);
    let title = match page {
        Page::Waiting => "Next in the queue",
        Page::Team | Page::Counts => "Done today",
    };
    let Some(at) = app.watch.read.read_at(page) else {
        return app.say(buf, area, &[], &["reading the queue"]);
    };
    let age = format!("read {}, 0 cr", app.when(at));
    let edge = paint::line_right(buf, area, &[piece(Role::Muted, age)], &theme);
    line(buf, area::before(area, edge), &[piece(Role::Strong, title)], &theme);
    match page {
        Page::Waiting => waiting(app, rest(area, 2), buf),
        Page::Team | Page::Counts => team(app, rest(area, 2), buf),
    }
}

fn waiting(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = app.theme();
    let rows = &app.watch.read.waiting;
    if rows.is_empty() {
        return app.say(buf, area, &[piece(Role::Strong, "nothing left to do here")], &[]);
    }
    let rooms = fit(&COLUMNS, area);
    table::heading(buf, &COLUMNS, &rooms, area, &theme);
    let area = rest(area, 1);
    for (n, signal) in (0..area.height).zip(rows) {
        let cells = cells(app, signal);
        for (at, room) in &rooms {
            let room = Rect { height: 1, ..paint::row(Rect { y: area.y, height: area.height, ..*room }, n) };
            table::cell(buf, &COLUMNS[*at], room, std::slice::from_ref(&cells[*at]), &theme);
        }
    }
}

fn cells(app: &App, row: &QueueSignal) -> [Piece<'static>; 5] {
    let none = app.theme().glyphs().none;
    let hides = app.settings.wall.hides_names;
    let signal = &row.signal;
    let hidden = |text: Option<String>| match text {
        Some(_) if hides => piece(Role::Faint, HIDDEN),
        Some(text) => piece(role(app, Role::Text), text),
        None => piece(Role::Faint, none),
    };
    let letter = row.priority.as_ref().map_or('?', |priority| priority.letter());
    [
        piece(role(app, priority_role(row.priority.as_ref())), letter.to_string()),
        piece(role(app, Role::Text), signal.signal_type.as_ref().map_or(none.to_owned(), |kind| words(kind.as_str()))),
        hidden(signal.project_name.clone()),
        hidden(signal.reported_cost_usd.as_ref().map(format::dollars)),
        piece(Role::Muted, row.days_left(app.service_now()).map_or_else(String::new, |days| format!("{}d", days.max(0)))),
    ]
}

fn team(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = app.theme();
    let mut team: Vec<(&String, u64)> = app.watch.read.team.iter().map(|(who, done)| (who, *done)).collect();
    if team.is_empty() {
        return app.say(buf, area, &[piece(Role::Strong, "nothing was marked done today")], &[]);
    }
    team.sort_by_key(|(_, done)| std::cmp::Reverse(*done));
    let most = team[0].1;
    let partial = u16::from(app.watch.read.is_partial);
    let fit = usize::from(area.height.saturating_sub(partial));
    for (n, (who, done)) in (0u16..).zip(team.iter().take(fit)) {
        let who = Some(who.as_str()).filter(|who| !who.is_empty());
        let name = if app.settings.wall.hides_names { HIDDEN.to_owned() } else { app.who(who) };
        counted(app, paint::row(area, n), (&name, NAME), (*done, most), buf);
    }
    if partial > 0 {
        let read: u64 = team.iter().map(|(_, done)| *done).sum();
        let words = format!("of the first rows alone: {} were read, more were done today", plural(read, "signal"));
        line(buf, paint::row(area, area.height.saturating_sub(1)), &[piece(Role::Muted, words)], &theme);
    }
}

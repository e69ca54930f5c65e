//! A popup: its frame, its body of rows or text, what stands above and below that, and its keys.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::scroll::{self, ScrollState};
use super::{TextRole, TextSpan, Theme, area, draw_line, paint, panel, text_span};

/// A popup that needs more rows leaves two of the screen's.
const TALL_POPUP: u16 = 16;
/// Rows of the body that what is below it does not take.
const MIN_BODY_ROWS: u16 = 3;

/// What a popup consists of; its height follows from it.
pub struct Popup<'a> {
    pub title: Vec<TextSpan<'a>>,
    /// On the right of the title.
    pub note: String,
    pub width: u16,
    pub min_height: u16,
    /// Cells between the border and the text.
    pub margin: u16,
    /// Rows above the body.
    pub above: u16,
    /// Rows of the body: all that there are, however many fit.
    pub rows: usize,
    /// Rows below the body, after a blank one. Where there is little room they go first.
    pub below: usize,
    /// The lines with its keys.
    pub keys: Vec<Vec<TextSpan<'a>>>,
}

impl<'a> Popup<'a> {
    /// A popup of this width with a title and nothing else.
    pub fn new(title: impl Into<std::borrow::Cow<'a, str>>, width: u16) -> Popup<'a> {
        Popup {
            title: vec![text_span(TextRole::Strong, title)],
            note: String::new(),
            width,
            min_height: 0,
            margin: 1,
            above: 0,
            rows: 0,
            below: 0,
            keys: Vec::new(),
        }
    }

    /// The rows that a popup needs besides those of its body.
    fn frame_height(&self) -> u16 {
        let below = if self.below > 0 { self.below + 1 } else { 0 };
        count(below)
            .saturating_add(self.above)
            .saturating_add(count(self.keys.len()) + 3)
    }

    /// Its place on a screen.
    fn area(&self, screen: Rect) -> Rect {
        let most = screen.height.saturating_sub(2).max(TALL_POPUP);
        let wanted = count(self.rows).saturating_add(self.frame_height());
        panel::centered_rect(screen, self.width, wanted.max(self.min_height).min(most))
    }

    /// The rows of its body on a screen, if all of what is below it has room.
    pub fn body_height(&self, screen: Rect) -> u16 {
        self.area(screen).height.saturating_sub(self.frame_height())
    }

    /// Draws the frame, the title and the keys.
    pub fn draw(&self, screen: Rect, buf: &mut Buffer, theme: &Theme) -> PopupAreas {
        let areas = self.lay_out(screen);
        self.draw_in(&areas, buf, theme);
        areas
    }

    /// The same where it was laid out.
    pub fn draw_in(&self, areas: &PopupAreas, buf: &mut Buffer, theme: &Theme) {
        let note = text_span(TextRole::Muted, self.note.as_str());
        let note = if self.note.is_empty() {
            &[][..]
        } else {
            std::slice::from_ref(&note)
        };
        panel::draw_popup(buf, areas.frame, &self.title, note, theme);
        let inner = area::inset_sides(panel::inner_area(areas.frame), self.margin);
        let keys = count(self.keys.len());
        for (n, line) in (0..).zip(&self.keys) {
            let row = paint::row_rect(inner, (inner.height + n).saturating_sub(keys));
            draw_line(buf, row, line, theme);
        }
    }

    /// Where its parts are on a screen.
    pub fn lay_out(&self, screen: Rect) -> PopupAreas {
        let frame = self.area(screen);
        let inner = area::inset_sides(panel::inner_area(frame), self.margin);
        let keys = count(self.keys.len());
        // what is above a list leaves it a row, and the blank row above the keys goes first
        let least = count(self.rows).clamp(1, MIN_BODY_ROWS);
        let above = self.above.min(inner.height.saturating_sub(keys + 1));
        let (above, rest) = area::split_rows(inner, inner.height - above);
        let blank = u16::from(rest.height > keys + least);
        let room = rest.height.saturating_sub(keys + blank);
        let below = count(self.below).min(room.saturating_sub(least + 1));
        let gap = u16::from(below > 0);
        let (body, rest) = area::split_rows(rest, rest.height - (room - below - gap));
        let below = Rect {
            y: rest.y + gap,
            height: below,
            ..rest
        };
        PopupAreas {
            frame,
            above,
            body,
            below,
        }
    }
}

/// Where the parts of a popup are.
#[derive(Clone, Copy, Default)]
pub struct PopupAreas {
    pub frame: Rect,
    pub above: Rect,
    pub body: Rect,
    pub below: Rect,
}

impl PopupAreas {
    /// Draws the rows of a list around its cursor, each with what it is given to draw: the row's
    /// place on the screen, its number, and whether the cursor is on it.
    pub fn draw_rows(
        &self,
        buf: &mut Buffer,
        (cursor, len): (Option<usize>, usize),
        theme: &Theme,
        draw: &mut dyn FnMut(&mut Buffer, Rect, usize, bool),
    ) {
        let list = self.body;
        let scroll = ScrollState::centered_on(cursor.unwrap_or(0), len, list.height);
        for (n, at) in (0..list.height).zip(scroll.top..len) {
            let row = paint::row_rect(list, n);
            let is_current = cursor.is_some() && at == scroll.cursor;
            draw(buf, row, at, is_current);
            if is_current {
                buf.set_style(row, theme.cursor_row_style(true));
            }
        }
        scroll::draw_scrollbar(buf, self.frame, list, scroll.top, len, theme);
    }
}

fn count(rows: usize) -> u16 {
    u16::try_from(rows).unwrap_or(u16::MAX)
}

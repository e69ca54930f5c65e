//! Draws a frame: header, pane, forms beside it, footer, and what lies over them.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use super::{Console, compact, overlay};
use crate::app::pane::Pane;
use crate::app::panes::explore;
use crate::app::{Screen, header};

impl Console {
    /// Draws a frame and returns the position of the text cursor.
    pub fn draw(&self, buf: &mut Buffer) -> Option<Position> {
        let theme = self.theme();
        if self.layout.frame.is_empty() {
            return None;
        }
        if self.is_blank {
            theme.paint_background(buf);
            return None;
        }
        let in_pane = if self.layout.is_compact { compact::draw(self, buf) } else { self.draw_pane(buf) };
        if self.panes.explore.list_filter.is_some() {
            explore::draw::draw_builder(&self.panes.explore, &self.cx, self.layout.list_filter, buf);
        }
        let form = &self.panes.annotation_form;
        let in_form = form.is_open().then(|| form.draw_with_cursor(&self.cx, buf));
        // The footer comes last: a long notice covers whatever is there.
        let has_footer = !self.layout.is_compact && self.screen != Screen::Start;
        let in_footer = if has_footer { self.draw_footer(buf) } else { None };
        let cursor = in_form.unwrap_or(in_pane.or(in_footer));
        if self.showing_continuations {
            self.draw_continuations(buf);
        }
        let on_top = self.overlay.as_ref().and_then(|shown| overlay::draw(self, shown, buf, &theme));
        theme.paint_background(buf);
        if self.overlay.is_some() { on_top } else { cursor }
    }

    /// Draws the pane below its header, and returns the position of its text cursor.
    fn draw_pane(&self, buf: &mut Buffer) -> Option<Position> {
        if self.screen.has_header() {
            self.draw_header(buf);
            // The feed and a record can each be opened from the other, so the way back may be a circle.
            let way_back = std::iter::successors(Some(self.screen), |screen| self.panes.get(*screen).opened_from()).take(4);
            self.draw_screen_bar(way_back.last().unwrap_or(self.screen), buf);
        }
        let pane = self.panes.get(self.cx.screen);
        header::draw_tabs(&pane.tab_labels(&self.cx), self.layout.tab_bar, &self.theme(), buf);
        pane.draw_with_cursor(&self.cx, buf)
    }
}

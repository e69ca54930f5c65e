//! Draws a frame: header, pane, forms beside it, footer, and what lies over them.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::app::Screen;
use crate::app::console::{Console, compact, footer, header, overlay};
use crate::app::pane::Pane;
use crate::app::panes::explore;
use crate::ui::{TextRole, paint, text_span};

impl Console {
    /// Draws a frame and returns the position of the text cursor.
    pub fn draw(&self, buf: &mut Buffer) -> Option<Position> {
        let theme = self.cx.settings.theme;
        if self.cx.frame.layout().frame.is_empty() {
            return None;
        }
        if self.cx.frame.is_blank() {
            let last = Rect {
                y: buf.area.bottom().saturating_sub(1),
                height: 1,
                ..buf.area
            };
            let hint = [text_span(TextRole::Faint, "any key shows the screen again")];
            paint::draw_line_right(buf, last, &hint, &theme);
            theme.paint_background(buf);
            return None;
        }
        let in_pane = if self.cx.frame.layout().is_compact {
            compact::draw(&self.cx, buf)
        } else {
            self.draw_pane(buf)
        };
        if self.panes.explore.list_filter.is_some() {
            explore::draw::draw_builder(
                &self.panes.explore,
                &self.cx,
                self.cx.frame.layout().list_filter,
                buf,
            );
        }
        let form = &self.panes.annotation_form;
        let in_form = form.is_open().then(|| form.draw(&self.cx, buf));
        if let Some(dialog) = self.cx.ui.list_dialog() {
            dialog.draw(&self.cx, buf);
        }
        // The footer comes last: a long notice covers whatever is there.
        let has_footer = !self.cx.frame.layout().is_compact && self.cx.ui.screen() != Screen::Start;
        let in_footer = if has_footer {
            footer::draw_footer(self, buf)
        } else {
            None
        };
        let cursor = match in_form {
            _ if self.cx.ui.dialog_has_keys() => None,
            Some(in_form) if self.cx.ui.list_dialog().is_none() => in_form,
            _ => in_pane.or(in_footer),
        };
        if let Some(prefix) = self.cx.pressed.shown_prefix() {
            footer::draw_continuations(self, prefix, buf);
        }
        let on_top = self
            .cx
            .ui
            .overlay
            .as_ref()
            .and_then(|shown| overlay::draw(self, shown, buf, &theme));
        theme.paint_background(buf);
        if self.cx.ui.overlay.is_some() {
            on_top
        } else {
            cursor
        }
    }

    /// Draws the pane below its header, and returns the position of its text cursor.
    fn draw_pane(&self, buf: &mut Buffer) -> Option<Position> {
        if self.cx.ui.screen().has_header() {
            header::draw_header(&self.cx, buf);
            // The feed and a record can each be opened from the other, so the way back may be a
            // circle.
            let way_back = std::iter::successors(Some(self.cx.ui.screen()), |screen| {
                self.opened_from(*screen)
            })
            .take(4);
            header::draw_screen_bar(
                &self.cx,
                way_back.last().unwrap_or(self.cx.ui.screen()),
                buf,
            );
        }
        let pane = self.panes.get(self.cx.ui.screen());
        let labels = pane.frame(&self.cx).tab_bar.unwrap_or_default();
        let tab_bar = self.cx.frame.layout().tab_bar;
        header::draw_tabs(&labels, tab_bar, &self.cx.settings.theme, buf);
        let cursor = pane.draw(&self.cx, buf);
        header::draw_tab_keys(&self.cx, buf);
        cursor
    }
}

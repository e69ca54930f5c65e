//! Computes the rectangles of a frame.

use ratatui::layout::Rect;

use crate::app::Screen;
use crate::app::console::{Console, footer, header};
use crate::app::layout::{FrameLayout, HitTarget, PaneSize, SCREEN_BAR_MIN_SIZE, WIDE_MIN_WIDTH};
use crate::app::pane::Pane;
use crate::ui::paint;

impl Console {
    pub fn update_layout(&mut self) {
        let (width, height) = self.cx.frame.size();
        let all = Rect::new(0, 0, width, height);
        let is_small = self.cx.frame.is_compact();
        let mut areas = FrameLayout {
            frame: all,
            is_compact: is_small,
            is_wide: width >= WIDE_MIN_WIDTH,
            ..FrameLayout::default()
        };
        areas.pane_size = self.cx.frame.pane_size();
        if is_small && !self.panes.annotation_form.is_open() && self.cx.ui.screen() == Screen::Queue
        {
            self.panes
                .queue
                .layout(&mut areas, Rect { height: 1, ..all }, &mut self.cx);
            areas.notice = paint::row_rect(all, height.saturating_sub(2));
            areas.hints = paint::row_rect(all, height.saturating_sub(1));
        } else {
            areas.is_compact = false;
            let has_screens = self.cx.ui.screen().has_header()
                && height >= SCREEN_BAR_MIN_SIZE.1
                && width >= SCREEN_BAR_MIN_SIZE.0;
            let frame = self.panes.get(self.cx.ui.screen()).frame(&self.cx);
            let has_tabs = frame.tab_bar.is_some();
            let head = if is_small || !self.cx.ui.screen().has_header() {
                0
            } else {
                1 + u16::from(has_screens) + u16::from(has_tabs)
            };
            let foot = if height >= 6 { 2 } else { 0 };
            if head > 0 {
                areas.header = paint::row_rect(all, 0);
            }
            if head > 0 && has_tabs {
                areas.tab_bar = paint::row_rect(all, head - 1);
            }
            if has_screens {
                areas.screen_bar = paint::row_rect(all, 1);
            }
            if foot > 0 {
                areas.notice = paint::row_rect(all, height - 2);
                areas.hints = paint::row_rect(all, height - 1);
            }
            let mut body = Rect {
                y: head,
                height: height - head - foot,
                ..all
            };
            if self.panes.annotation_form.is_open() {
                let beside;
                (body, beside) = areas.split_for_overlay(body);
                self.panes
                    .annotation_form
                    .layout(&mut areas, beside, &mut self.cx);
            }
            let body = self
                .panes
                .explore
                .lay_out_list_filter(&self.cx, &mut areas, body);
            areas.is_wide &= areas.pane_size != PaneSize::Full;
            let pane = self.panes.get_mut(self.cx.ui.screen());
            pane.layout(&mut areas, body, &mut self.cx);
            let labels = frame.tab_bar.unwrap_or_default();
            for (index, area) in header::label_areas(&labels, areas.tab_bar)
                .into_iter()
                .enumerate()
            {
                areas.add_hit_target(area, HitTarget::PaneTab(index));
            }
            for (area, screen) in header::screen_areas(areas.screen_bar) {
                areas.add_hit_target(area, HitTarget::Screen(screen));
            }
        }
        let mut above_footer = all;
        if !areas.notice.is_empty() {
            above_footer.height = areas.notice.y;
        }
        self.cx
            .update_list_dialog(|dialog, cx| dialog.layout(&mut areas, above_footer, cx));
        self.cx.frame.set_layout(areas);
        // Whether a command is available may depend on the layout.
        if !self.cx.frame.layout().is_compact {
            for (area, command) in footer::hint_areas(self, self.cx.frame.layout().hints) {
                self.cx.frame.add_hit_target(area, HitTarget::Hint(command));
            }
        }
    }
}

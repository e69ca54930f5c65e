//! The room on the screen: the size of the terminal, where things are in it, and what is hidden.

use std::collections::BTreeMap;

use ratatui::layout::Rect;

use crate::app::Msg;
use crate::app::layout::{FrameLayout, HitTarget, MIN_LIST_SIZE, PaneSize};
use crate::app::notice::Notice;
use crate::ui::table::{ColumnScroll, ColumnWindow, TableColumn};

/// The columns of the focused list: the name of their preference, their layouts after the row's
/// state, and which one stays.
pub type FocusedColumns = (String, Vec<TableColumn>, usize);

pub(in crate::app) struct Frame {
    size: (u16, u16),
    layout: FrameLayout,
    pane_size: PaneSize,
    /// How many columns of a list are hidden on the left, by the name of its columns' preference.
    skipped_columns: BTreeMap<String, usize>,
    /// The privacy screen shows nothing but how to leave it. Work continues behind it: polls, writes,
    /// a paused dashboard. The key that wakes the screen does nothing else, and neither pastes nor
    /// mouse events reach what is hidden.
    is_blank: bool,
}

impl Frame {
    pub(super) fn new(size: (u16, u16)) -> Frame {
        Frame {
            size,
            layout: FrameLayout::default(),
            pane_size: PaneSize::default(),
            skipped_columns: BTreeMap::new(),
            is_blank: false,
        }
    }

    pub fn size(&self) -> (u16, u16) {
        self.size
    }

    pub fn layout(&self) -> &FrameLayout {
        &self.layout
    }

    /// The terminal has another size.
    pub fn resize(&mut self, width: u16, height: u16) {
        self.size = (width, height);
    }

    pub fn set_layout(&mut self, layout: FrameLayout) {
        self.layout = layout;
    }

    pub fn add_hit_target(&mut self, area: Rect, target: HitTarget) {
        self.layout.add_hit_target(area, target);
    }

    pub fn pane_size(&self) -> PaneSize {
        self.pane_size
    }

    /// Enlarges the focused pane, or shows both panes again.
    pub fn enlarge_pane(&mut self) -> Notice {
        self.pane_size = self.pane_size.next();
        match self.pane_size {
            PaneSize::Normal => Notice::info("panes side by side again"),
            PaneSize::Wide => {
                Notice::info("the focused pane is larger").with_hint("{pane.enlarge} full screen")
            }
            PaneSize::Full => Notice::info("the focused pane has the screen")
                .with_hint("{pane.enlarge} shows both"),
        }
    }

    /// Whether the screen is too small for a list, and for a price beside it.
    pub fn is_compact(&self) -> bool {
        self.size.0 < MIN_LIST_SIZE.0 || self.size.1 < MIN_LIST_SIZE.1
    }

    /// How many columns of a list are hidden on the left, by the name of its columns' preference.
    pub fn skipped_columns(&self, list: &str) -> usize {
        self.skipped_columns.get(list).copied().unwrap_or(0)
    }

    /// Scrolls the columns of the focused list sideways.
    pub fn scroll_columns(
        &mut self,
        (list, columns, frozen): FocusedColumns,
        is_right: bool,
    ) -> Notice {
        let now = self.skipped_columns(&list);
        let rows = self.layout().focused_rows();
        let area = Rect {
            width: rows.width.saturating_sub(1),
            ..rows
        };
        let window = ColumnWindow::new(
            &columns,
            area,
            ColumnScroll {
                frozen,
                skipped: now,
            },
        );
        let next = match is_right {
            true if window.hidden_right == 0 => {
                return Notice::info("the last column is shown");
            }
            true => now + 1,
            false if now == 0 => {
                return Notice::info("the first column is shown");
            }
            false => now - 1,
        };
        let window = ColumnWindow::new(
            &columns,
            area,
            ColumnScroll {
                frozen,
                skipped: next,
            },
        );
        let text = format!(
            "columns hidden: {} on the left, {} on the right",
            window.hidden_left, window.hidden_right
        );
        self.skipped_columns.insert(list, next);
        Notice::info(text).with_hint("{list.left} {list.right}")
    }

    pub fn blank_screen(&mut self) {
        self.is_blank = true;
    }

    pub fn is_blank(&self) -> bool {
        self.is_blank
    }

    /// Whether the blank screen swallows a message: a key wakes it, and input that would act on
    /// something invisible is dropped.
    pub fn is_swallowed_while_blank(&mut self, msg: &Msg) -> bool {
        let is_input = matches!(msg, Msg::Key(_) | Msg::Paste(_) | Msg::Mouse(_));
        let wakes = matches!(msg, Msg::Key(key) if !key.is_release());
        let was_blank = self.is_blank;
        self.is_blank &= !wakes;
        was_blank && is_input
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::Effect;
    use crate::app::command::Scope;
    use crate::app::testing::{TestConsole, morning_queue, queue_row};

    /// The screens with two panes, and the keys that move the focus to the other one.
    /// Explore's results have the screen anyway.
    const SCREENS: &[(Scope, &str)] = &[
        (Scope::Queue, "Tab"),
        (Scope::Views, "Enter"),
        (Scope::ViewRecords, "Tab"),
        (Scope::Skills, "Enter"),
        (Scope::Detail, "Tab"),
        (Scope::Record, "Tab"),
    ];

    #[test]
    fn the_focused_pane_is_enlarged_in_two_steps_and_the_enlargement_follows_the_focus() {
        for (scope, other) in SCREENS {
            let console = TestConsole::at_scope(*scope);
            let widths = |console: &TestConsole| {
                let areas = console.context().frame.layout();
                [areas.panel.width, areas.side_panel.width]
            };
            let normal = widths(&console);
            assert!(normal[0] > 0 && normal[1] > 0, "{scope:?}: {normal:?}");
            let console = console.press("|");
            let wide = widths(&console);
            let focused = usize::from(wide[1] > normal[1]);
            assert!(
                wide[focused] > normal[focused] && wide[1 - focused] > 0,
                "{scope:?}: {normal:?} {wide:?}"
            );
            let console = console.press(other).serve();
            let swapped = widths(&console);
            assert!(
                swapped[1 - focused] > normal[1 - focused],
                "{scope:?}: {normal:?} {swapped:?}"
            );
            let console = console.press("|");
            let full = widths(&console);
            assert_eq!(full[0].max(full[1]), 120, "{scope:?}: {full:?}");
            assert_eq!(
                console.notice_text(),
                "the focused pane has the screen",
                "{scope:?}"
            );
            let both = widths(&console.press("|"));
            assert!(both[0] > 0 && both[1] > 0, "{scope:?}: {both:?}");
        }
    }

    const BLANK: &str = "any key shows the screen again";

    #[test]
    fn a_key_blanks_every_screen_and_the_next_key_only_restores_it() {
        for scope in Scope::ALL
            .iter()
            .filter(|scope| scope.lookup_chain().contains(&Scope::Global))
        {
            let console = TestConsole::at_scope(*scope);
            let seen = console.screen_text();
            let console = console.press("_");
            assert_eq!(console.screen_text().trim(), BLANK, "{scope:?}");
            assert_eq!(console.press("q").screen_text(), seen, "{scope:?}");
        }
    }

    #[test]
    fn paste_and_mouse_do_nothing_while_the_screen_is_blank() {
        let console = TestConsole::with_rows(morning_queue());
        let (seen, at) = (console.screen_text(), console.cursor_id());
        let console = console
            .press("_")
            .click(10, 8)
            .send(Msg::Paste("e".to_owned()));
        assert_eq!(
            (console.screen_text().trim(), console.cursor_id()),
            (BLANK, at)
        );
        assert_eq!(console.press("e").screen_text(), seen);
    }

    #[test]
    fn a_blank_dashboard_rings_no_bell_and_stays_paused() {
        let console = TestConsole::with_rows(morning_queue()).press("9 b Space");
        let console = console.press("_").edit_rows(|rows| {
            rows.insert(
                0,
                queue_row(
                    99,
                    "high",
                    "permit_issued",
                    "2026-07-09",
                    (20, "Skyline One"),
                    None,
                ),
            );
        });
        let console = console.poll().serve();
        assert_eq!(console.screen_text().trim(), BLANK);
        assert!(
            !console
                .effects
                .iter()
                .any(|effect| matches!(effect, Effect::Notify(_)))
        );
        let console = console.press("j");
        assert!(
            console.screen_text().contains("PAUSED"),
            "{}",
            console.screen_text()
        );
    }
}

//! Which layout the size of the terminal has room for, and how large the focused pane is.

use crate::app::context::Context;
use crate::app::layout::{MIN_LIST_SIZE, PaneSize};
use crate::app::notice::Notice;

impl Context {
    pub(in crate::app) fn pane_size(&self) -> PaneSize {
        self.pane_size
    }

    /// Enlarges the focused pane, or shows both panes again.
    pub(in crate::app) fn enlarge_pane(&mut self) {
        self.pane_size = self.pane_size.next();
        self.notice = Some(match self.pane_size {
            PaneSize::Normal => Notice::info("panes side by side again"),
            PaneSize::Wide => {
                Notice::info("the focused pane is larger").with_hint("{pane.enlarge} full screen")
            }
            PaneSize::Full => Notice::info("the focused pane has the screen")
                .with_hint("{pane.enlarge} shows both"),
        });
    }

    /// Whether the screen is too small for a list, and for a price beside it.
    pub(in crate::app) fn is_compact(&self) -> bool {
        self.size.0 < MIN_LIST_SIZE.0 || self.size.1 < MIN_LIST_SIZE.1
    }
}

#[cfg(test)]
mod tests {
    use crate::app::command::Scope;
    use crate::app::testing::TestConsole;

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
                let areas = console.context().layout();
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
}

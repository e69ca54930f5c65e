//! Privacy screen: shows nothing but how to leave it, and rings no bell until a key is pressed.
//!
//! Work continues behind it: polls, writes, a paused dashboard. The key that wakes the screen does
//! nothing else, and neither pastes nor mouse events reach what is hidden.

use crate::app::{Context, Msg};

impl Context {
    pub fn blank_screen(&mut self) {
        self.is_blank = true;
    }

    pub(in crate::app) fn is_blank(&self) -> bool {
        self.is_blank
    }

    /// Whether the blank screen swallows a message: a key wakes it, and input that would act on
    /// something invisible is dropped.
    pub(in crate::app) fn is_swallowed_while_blank(&mut self, msg: &Msg) -> bool {
        let is_input = matches!(msg, Msg::Key(_) | Msg::Paste(_) | Msg::Mouse(_));
        let wakes = matches!(msg, Msg::Key(key) if !key.is_release());
        let was_blank = self.is_blank;
        self.is_blank &= !wakes;
        was_blank && is_input
    }

    /// Drops notifications while the screen is blank.
    pub(in crate::app) fn suppress_alerts(&mut self) {
        if self.is_blank {
            self.work.drop_alerts();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::Effect;
    use crate::app::command::Scope;
    use crate::app::testing::{TestConsole, morning_queue, queue_row};

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

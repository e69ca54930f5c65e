//! A blank screen, for when somebody looks over a shoulder: it tells nothing, by a letter or by a bell, until a key is pressed.
//!
//! The work goes on behind it: polls, writes, a paused wall. The key that wakes the screen does nothing else, and neither a paste nor
//! the mouse reaches what is not seen.

use super::{App, Effect, Msg};

impl App {
    /// Blanks the screen.
    pub fn blank(&mut self) {
        self.is_blank = true;
    }

    /// Whether a message is spent on the blank screen: a key wakes it, and what would act on it unseen is dropped.
    pub(super) fn is_spent_on_blank(&mut self, msg: &Msg) -> bool {
        let is_input = matches!(msg, Msg::Key(_) | Msg::Paste(_) | Msg::Mouse(_));
        let wakes = matches!(msg, Msg::Key(key) if !key.is_release());
        let was_blank = self.is_blank;
        self.is_blank &= !wakes;
        was_blank && is_input
    }

    /// Nothing is told of what happens behind a blank screen.
    pub(super) fn hush(&mut self) {
        if self.is_blank {
            self.out.retain(|effect| !matches!(effect, Effect::Notify(_)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::command::Scope;
    use crate::app::testing::{Console, morning, row};

    #[test]
    fn a_key_blanks_every_screen_and_the_next_one_wakes_it_and_does_nothing_else() {
        for scope in Scope::ALL.iter().filter(|scope| scope.chain().contains(&Scope::Everywhere)) {
            let console = Console::at(*scope);
            let seen = console.screen();
            let console = console.press("_");
            assert_eq!(console.screen().trim(), "", "{scope:?}");
            assert_eq!(console.press("q").screen(), seen, "{scope:?}");
        }
    }

    #[test]
    fn neither_a_paste_nor_the_mouse_acts_on_what_is_not_seen() {
        let console = Console::over(morning());
        let (seen, at) = (console.screen(), console.cursor());
        let console = console.press("_").click(10, 8).send(Msg::Paste("e".to_owned()));
        assert_eq!((console.screen().trim(), console.cursor()), ("", at));
        assert_eq!(console.press("e").screen(), seen);
    }

    #[test]
    fn a_blank_wall_rings_no_bell_and_is_as_paused_as_it_was_when_it_wakes() {
        let console = Console::over(morning()).press("9 b Space");
        let paused = console.screen();
        let console = console.press("_").colleague(|rows| {
            rows.insert(0, row(99, "high", "permit_issued", "2026-07-09", (20, "Skyline One"), None));
        });
        let console = console.poll().serve();
        assert_eq!(console.screen().trim(), "");
        assert!(!console.effects.iter().any(|effect| matches!(effect, Effect::Notify(_))));
        let console = console.press("j");
        assert!(console.app.watch.paused.is_some());
        assert_eq!(console.screen().contains("PAUSED"), paused.contains("PAUSED"));
    }
}

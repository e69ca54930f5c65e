//! The keys pressed so far: from a key to the command of its sequence.

use std::time::Duration;

use crate::app::command::Command;
use crate::app::command::keymap::KeyLookup;
use crate::app::command::keys::{self, Key};
use crate::app::context::Context;
use crate::app::effect::Effect;
use crate::app::msg::Timer;
use crate::app::notice::Notice;

/// After a prefix, its continuations are shown after this delay.
const CONTINUATIONS_DELAY: Duration = Duration::from_millis(400);

#[derive(Default)]
pub(super) struct PressedKeys {
    keys: Vec<Key>,
    prefix_count: u64,
    continuations_shown: bool,
}

/// What a key does.
pub(in crate::app) enum KeyMeaning {
    Command(&'static Command),
    /// It runs nothing: a text field may take it.
    Text,
    /// It is part of a sequence.
    Consumed,
}

impl Context {
    /// Whether a key is held down: what cannot be read meanwhile is drawn once it is released.
    pub(in crate::app) fn is_key_held(&self) -> bool {
        self.is_key_held
    }

    pub(in crate::app) fn set_key_held(&mut self, is_held: bool) {
        self.is_key_held = is_held;
    }

    /// Adds a key to the sequence, and looks up what it does in the scope that has the focus.
    pub(in crate::app) fn press_key(&mut self, key: Key) -> KeyMeaning {
        let scope = self.focused_scope();
        // What was pressed before a dialog opened is not continued in it.
        if !matches!(self.keymap.look_up(scope, &self.pressed.keys), KeyLookup::Prefix) {
            self.clear_pressed_keys();
        }
        self.pressed.keys.push(key);
        match self.keymap.look_up(scope, &self.pressed.keys) {
            KeyLookup::Command(command) => {
                self.clear_pressed_keys();
                KeyMeaning::Command(command)
            }
            KeyLookup::Prefix => {
                self.pressed.prefix_count += 1;
                let timer = Timer::KeyContinuations(self.pressed.prefix_count);
                self.effects.push(Effect::SetTimer { timer, delay: CONTINUATIONS_DELAY });
                KeyMeaning::Consumed
            }
            KeyLookup::Unbound => {
                let keys = self.pressed.keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
                let was_sequence = self.pressed.keys.len() > 1;
                self.clear_pressed_keys();
                if !was_sequence {
                    return KeyMeaning::Text;
                }
                // The key that goes back only closes the list of continuations.
                if !matches!(self.keymap.look_up(scope, &[key]), KeyLookup::Command(command) if command.id == "back") {
                    self.report_unbound(&keys);
                }
                KeyMeaning::Consumed
            }
        }
    }

    /// Says that no command has this key here.
    pub(in crate::app) fn report_unbound(&mut self, keys: &str) {
        let label = keys::sequence_label(keys);
        self.notice = Some(Notice::info(format!("no shortcut {label} here")).with_hint("{help} help"));
    }

    pub(super) fn clear_pressed_keys(&mut self) {
        self.pressed.keys.clear();
        self.pressed.continuations_shown = false;
    }

    pub(in crate::app) fn on_continuations_timer(&mut self, prefix: u64) {
        if prefix == self.pressed.prefix_count && !self.pressed.keys.is_empty() {
            self.pressed.continuations_shown = true;
        }
    }

    /// The prefix whose continuations are to be shown.
    pub(in crate::app) fn shown_prefix(&self) -> Option<&[Key]> {
        self.pressed.continuations_shown.then_some(self.pressed.keys.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use crate::app::command::Scope;
    use crate::app::effect::ServiceCall;
    use crate::app::msg::{Msg, Timer};
    use crate::app::testing::{TestConsole, morning_queue};

    #[test]
    fn a_key_without_a_command_says_so() {
        let console = TestConsole::with_rows(morning_queue()).press("Ctrl-y");
        assert_eq!(console.notice_text(), "no shortcut Ctrl-y here");
        assert!(console.screen_text().contains("? help"), "{}", console.screen_text());
        let calls = console.calls.iter().filter(|call| matches!(call, ServiceCall::Triage { .. })).count();
        assert_eq!((calls, console.context().has_open_question()), (0, false));
        assert_eq!(console.press("g ~").notice_text(), "no shortcut g~ here");
    }

    #[test]
    fn every_screen_answers_a_key_that_it_does_not_know() {
        for scope in Scope::ALL.iter().filter(|scope| !scope.is_dialog() && !scope.takes_text()) {
            let console = TestConsole::at_scope(*scope).press("Ctrl-y");
            assert_eq!(console.notice_text(), "no shortcut Ctrl-y here", "{scope:?}");
        }
    }

    #[test]
    fn esc_closes_the_list_of_continuations_without_a_message() {
        let console = TestConsole::with_rows(morning_queue()).press("g").send(Msg::Elapsed(Timer::KeyContinuations(1)));
        assert!(console.screen_text().contains("go to the first row"), "{}", console.screen_text());
        let console = console.press("Esc");
        assert!(!console.screen_text().contains("go to the first row"), "{}", console.screen_text());
        assert_eq!(console.notice_text(), "");
    }
}

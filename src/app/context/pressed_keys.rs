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

/// A digit opens a screen unless another digit or a motion follows within this time: then it is a count.
const COUNT_DELAY: Duration = Duration::from_millis(250);
/// The highest count; more digits are not added to it.
const MAX_COUNT: usize = 99_999;

/// The commands that take a count.
const COUNTED_COMMANDS: &[&str] = &[
    "go.down",
    "go.up",
    "go.half.down",
    "go.half.up",
    "go.page.down",
    "go.page.up",
    "go.last",
    "find.next",
    "find.previous",
    "queue.mark",
    "records.mark",
    "views.mark",
    "skills.mark",
    "queue.preview.down",
    "queue.preview.up",
    "detail.next",
    "detail.previous",
];

#[derive(Default)]
pub(super) struct PressedKeys {
    /// Digits that may become a count.
    digits: Vec<Key>,
    digits_count: u64,
    keys: Vec<Key>,
    prefix_count: u64,
    continuations_shown: bool,
    /// They come from a custom command.
    is_replaying: bool,
    /// The last one has no command.
    is_unbound: bool,
}

/// What a key does.
pub(in crate::app) enum KeyMeaning {
    Command(&'static Command),
    /// The same, this many times.
    Counted(&'static Command, usize),
    /// It ends a count that is not one: the digits run their commands, then the key is pressed again.
    AfterDigits,
    /// It runs nothing: a text field may take it.
    Text,
    /// It is part of a sequence.
    Consumed,
}

impl Context {
    /// Whether a key is held down: what cannot be read meanwhile is drawn once it is released.
    pub(in crate::app) fn is_scrollbar_held(&self) -> bool {
        self.is_scrollbar_held
    }

    /// The mouse button went down on the scroll bar, or is released.
    pub(in crate::app) fn hold_scrollbar(&mut self, is_held: bool) {
        self.is_scrollbar_held = is_held;
    }

    pub(in crate::app) fn is_key_held(&self) -> bool {
        self.is_key_held
    }

    pub(in crate::app) fn set_key_held(&mut self, is_held: bool) {
        self.is_key_held = is_held;
    }

    /// Adds a key to the sequence, and looks up what it does in the scope that has the focus.
    pub(in crate::app) fn press_key(&mut self, key: Key) -> KeyMeaning {
        if let Some(meaning) = self.press_count_key(key) {
            return meaning;
        }
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

    /// Takes a digit that may begin or continue a count, or the key after it.
    fn press_count_key(&mut self, key: Key) -> Option<KeyMeaning> {
        let is_first = self.pressed.digits.is_empty();
        if key.digit().is_some_and(|digit| !is_first || digit != '0') && self.takes_counts() {
            self.pressed.digits.push(key);
            self.pressed.digits_count += 1;
            let timer = Timer::HeldDigits(self.pressed.digits_count);
            self.effects.push(Effect::SetTimer { timer, delay: COUNT_DELAY });
            return Some(KeyMeaning::Consumed);
        }
        if is_first {
            return None;
        }
        match self.keymap.look_up(self.focused_scope(), &[key]) {
            KeyLookup::Command(command) if COUNTED_COMMANDS.contains(&command.id) => {
                let digits = std::mem::take(&mut self.pressed.digits).into_iter().filter_map(Key::digit);
                let count = digits.fold(0, |count: usize, digit| count * 10 + digit as usize - '0' as usize);
                Some(KeyMeaning::Counted(command, count.min(MAX_COUNT)))
            }
            _ => Some(KeyMeaning::AfterDigits),
        }
    }

    /// Whether a digit may be a count: a list has the keys, and no sequence has begun.
    fn takes_counts(&self) -> bool {
        let is_long = self.pressed.digits.len() >= 9;
        !is_long && self.pressed.keys.is_empty() && !self.has_open_question() && self.has_rows().is_ok()
    }

    /// The commands of digits that were no count.
    pub(in crate::app) fn take_digit_commands(&mut self) -> Vec<&'static Command> {
        let (digits, scope) = (std::mem::take(&mut self.pressed.digits), self.focused_scope());
        let command = |digit: Key| match self.keymap.look_up(scope, &[digit]) {
            KeyLookup::Command(command) => Some(command),
            _ => None,
        };
        digits.into_iter().filter_map(command).collect()
    }

    /// Whether this timer is of the digit pressed last.
    pub(in crate::app) fn is_last_digit(&self, timer: u64) -> bool {
        timer == self.pressed.digits_count
    }

    /// Whether a custom command is pressing keys.
    pub(in crate::app) fn is_replaying(&self) -> bool {
        self.pressed.is_replaying
    }

    pub(in crate::app) fn set_replaying(&mut self, is_replaying: bool) {
        self.pressed.is_replaying = is_replaying;
    }

    /// The price of what a key would do now; none if it does nothing or is free.
    pub(in crate::app) fn key_cost(&self, key: Key) -> Option<&'static str> {
        let keys = [self.pressed.keys.as_slice(), &[key]].concat();
        match self.keymap.look_up(self.focused_scope(), &keys) {
            KeyLookup::Command(command) => Some(command.cost).filter(|cost| !cost.is_empty()),
            KeyLookup::Prefix | KeyLookup::Unbound => None,
        }
    }

    /// Whether the last key had no command; asked once.
    pub(in crate::app) fn take_unbound(&mut self) -> bool {
        std::mem::take(&mut self.pressed.is_unbound)
    }

    /// Says that no command has this key here.
    pub(in crate::app) fn report_unbound(&mut self, keys: &str) {
        self.pressed.is_unbound = true;
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
    use crate::app::Screen;
    use crate::app::testing::{many_rows, signal_id};

    use crate::app::command::Scope;
    use crate::app::effect::ServiceCall;
    use crate::app::msg::{Msg, Timer};
    use crate::app::testing::{TestConsole, morning_queue};

    #[test]
    fn digits_before_a_motion_are_a_count() {
        let at = |keys: &str| TestConsole::with_rows(many_rows(100)).type_keys(keys).cursor_id();
        assert_eq!(at("5 j"), signal_id(6));
        assert_eq!(at("1 2 G"), signal_id(12));
        assert_eq!(at("1 0 Down 3 k"), signal_id(8));
        assert_eq!(at("9 9 9 9 9 9 9 9 9 j"), signal_id(100));
        let console = TestConsole::with_rows(many_rows(100)).type_keys("3 Space");
        assert_eq!((console.cursor_id(), console.context().queue.new.marks.len()), (signal_id(4), 3));
        let console = TestConsole::with_rows(many_rows(3)).type_keys("9 x");
        assert_eq!(console.context().queue.new.marks.len(), 3, "the last row is marked once");
        assert_eq!(console.type_keys("2 j").context().screen(), Screen::Queue);
    }

    #[test]
    fn a_digit_opens_its_screen_after_a_moment_or_with_another_key() {
        let console = TestConsole::with_rows(many_rows(100)).type_keys("2");
        assert_eq!(console.context().screen(), Screen::Queue);
        let console = console.send(Msg::Elapsed(Timer::HeldDigits(1)));
        assert_eq!(console.context().screen(), Screen::Views);
        let console = TestConsole::with_rows(many_rows(100)).type_keys("6 ?");
        assert_eq!(console.context().screen(), Screen::Team);
        assert!(console.context().overlay.is_some());
        let console = TestConsole::with_rows(many_rows(100)).type_keys("5 j").send(Msg::Elapsed(Timer::HeldDigits(1)));
        assert_eq!(console.context().screen(), Screen::Queue, "the timer of a count does nothing");
    }

    #[test]
    fn digits_are_text_in_a_prompt_and_in_a_dialog() {
        let console = TestConsole::with_rows(many_rows(100)).type_keys("# 4 2 Enter");
        assert_eq!(console.cursor_id(), signal_id(42));
    }

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

//! The keys pressed so far: from a key to the command of its sequence.

use std::collections::VecDeque;
use std::mem::{self, Discriminant};
use std::time::Duration;

use crate::app::Screen;
use crate::app::command::Command;
use crate::app::command::keymap::KeyLookup;
use crate::app::command::keys::{self, Key};
use crate::app::context::{Context, Keymap, Ui, Work};
use crate::app::msg::{Timer, Token};
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;

/// After a prefix, its continuations are shown after this delay.
const CONTINUATIONS_DELAY: Duration = Duration::from_millis(400);

/// A digit opens a screen unless another digit or a motion follows within this time: then it is a
/// count.
const COUNT_DELAY: Duration = Duration::from_millis(400);
/// After a digit has opened a screen, what was typed already is read within this time: the timer
/// waits for keys that the terminal has.
const SWITCH_DELAY: Duration = Duration::from_millis(1);
/// Nobody has read the prices of what was just opened within this time.
const LOOK_DELAY: Duration = Duration::from_millis(250);
/// The highest count; more digits are not added to it.
const MAX_COUNT: usize = 99_999;

/// How the notice begins that says which keys wait.
const WAITING: &str = "waiting for the rows";

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
    "list.mark",
    "queue.preview.down",
    "queue.preview.up",
    "detail.next",
    "detail.previous",
];

#[derive(Default)]
pub(in crate::app) struct PressedKeys {
    is_key_held: bool,
    is_scrollbar_held: bool,
    /// Digits that may become a count, and what each does alone.
    digits: Vec<(Key, Option<&'static Command>)>,
    digits_count: u64,
    /// A digit has just opened a screen, and keys still follow.
    is_switching: bool,
    /// The prices of what was just opened were not read yet: the dialog that had the keys then.
    unread: Option<OpenDialog>,
    look_count: u64,
    /// Keys that follow at once are dropped.
    is_guarded: bool,
    /// Keys for a screen that is being opened, in order. They wait for its rows.
    ahead: VecDeque<Key>,
    /// The numbered screen opened last, with the last request before and after.
    opening: Option<(Screen, Token, Token)>,
    keys: Vec<Key>,
    /// The sequence of the command that was looked up last, as messages name it.
    label: String,
    prefix_count: u64,
    continuations_shown: bool,
    /// They come from a custom command.
    is_replaying: bool,
    /// How often Ctrl-c armed or disarmed quitting.
    pub(in crate::app) quit_arm_count: u64,
    /// The last one has no command.
    is_unbound: bool,
}

/// The kind of overlay that has the keys, if any.
type OpenDialog = Option<Discriminant<Overlay>>;

/// What a key does.
pub(in crate::app) enum KeyMeaning {
    Command(&'static Command),
    /// The same, this many times.
    Counted(&'static Command, usize),
    /// It ends a count that is not one: the digits run their commands, then the key is pressed
    /// again.
    AfterDigits,
    /// It runs nothing: a text field may take it.
    Text,
    /// It is part of a sequence.
    Consumed,
}

impl PressedKeys {
    /// Whether a key is held down: what cannot be read meanwhile is drawn once it is released.
    pub fn is_scrollbar_held(&self) -> bool {
        self.is_scrollbar_held
    }

    /// The mouse button went down on the scroll bar, or is released.
    pub fn hold_scrollbar(&mut self, is_held: bool) {
        self.is_scrollbar_held = is_held;
    }

    pub fn is_key_held(&self) -> bool {
        self.is_key_held
    }

    pub fn set_key_held(&mut self, is_held: bool) {
        self.is_key_held = is_held;
    }

    /// Adds a key to the sequence, and looks up what it does in the scope that has the focus.
    pub(in crate::app) fn press_key(
        &mut self,
        key: Key,
        ui: &mut Ui,
        work: &mut Work,
        keymap: &Keymap,
    ) -> KeyMeaning {
        if let Some(meaning) = self.press_count_key(key, ui, work, keymap) {
            return meaning;
        }
        let scope = ui.focused_scope();
        // What was pressed before a dialog opened is not continued in it.
        if !matches!(keymap.look_up(scope, &self.keys), KeyLookup::Prefix) {
            self.clear_pressed_keys();
        }
        self.keys.push(key);
        match keymap.look_up(scope, &self.keys) {
            KeyLookup::Command(command) => {
                self.label = keys::sequence_label(&key_names(&self.keys));
                self.clear_pressed_keys();
                KeyMeaning::Command(command)
            }
            KeyLookup::Prefix => {
                self.prefix_count += 1;
                let timer = Timer::KeyContinuations(self.prefix_count);
                work.set_timer(timer, CONTINUATIONS_DELAY);
                KeyMeaning::Consumed
            }
            KeyLookup::Unbound => {
                let keys = key_names(&self.keys);
                let was_sequence = self.keys.len() > 1;
                self.clear_pressed_keys();
                if !was_sequence {
                    return KeyMeaning::Text;
                }
                // The key that goes back only closes the list of continuations.
                if !matches!(keymap.look_up(scope, &[key]), KeyLookup::Command(command) if command.id == "back")
                {
                    self.report_unbound(&keys, ui, work);
                }
                KeyMeaning::Consumed
            }
        }
    }

    /// Takes a digit that may begin or continue a count, or the key after it.
    fn press_count_key(
        &mut self,
        key: Key,
        ui: &Ui,
        work: &mut Work,
        keymap: &Keymap,
    ) -> Option<KeyMeaning> {
        let is_first = self.digits.is_empty();
        if key.digit().is_some_and(|digit| !is_first || digit != '0') && self.takes_counts(ui) {
            // A question that opens meanwhile may give the digit another meaning.
            let command = match keymap.look_up(ui.focused_scope(), &[key]) {
                KeyLookup::Command(command) => Some(command),
                _ => None,
            };
            self.digits.push((key, command));
            self.await_next_key(COUNT_DELAY, work);
            return Some(KeyMeaning::Consumed);
        }
        if is_first {
            return None;
        }
        match keymap.look_up(ui.focused_scope(), &[key]) {
            KeyLookup::Command(command) if COUNTED_COMMANDS.contains(&command.id) => {
                let digits = std::mem::take(&mut self.digits)
                    .into_iter()
                    .filter_map(|(key, _)| key.digit());
                let count = digits.fold(0, |count: usize, digit| {
                    count * 10 + digit as usize - '0' as usize
                });
                self.label = key.to_string();
                Some(KeyMeaning::Counted(command, count.min(MAX_COUNT)))
            }
            _ => Some(KeyMeaning::AfterDigits),
        }
    }

    fn await_next_key(&mut self, delay: Duration, work: &mut Work) {
        self.digits_count += 1;
        let timer = Timer::HeldDigits(self.digits_count);
        work.set_timer(timer, delay);
    }

    /// A digit opened a screen: what was typed before it could be seen was meant for the one
    /// before, and neither writes nor spends.
    pub(in crate::app) fn begin_switch(&mut self, work: &mut Work) {
        self.is_switching = true;
        self.await_next_key(SWITCH_DELAY, work);
    }

    /// Something was opened: a key that follows at once was pressed before its price could be read,
    /// and does not spend.
    pub(in crate::app) fn begin_look(&mut self, ui: &Ui, work: &mut Work) {
        self.unread = Some(open_dialog(ui));
        self.look_count += 1;
        work.set_timer(Timer::Look(self.look_count), LOOK_DELAY);
    }

    pub(in crate::app) fn on_look_timer(&mut self, timer: u64) {
        if timer == self.look_count {
            self.unread = None;
        }
    }

    /// Whether the prices of what has the keys were not read yet. A prompt, a form and a dialog
    /// that another key opened meanwhile wait for an answer: they were seen.
    pub(in crate::app) fn is_unread(&self, ui: &Ui) -> bool {
        self.unread == Some(open_dialog(ui)) && ui.prompt.is_none() && !ui.focus.is_annotating
    }

    /// The sequence of the command that was looked up last, as messages name it.
    pub(in crate::app) fn last_label(&self) -> &str {
        &self.label
    }

    /// The last key may have been meant as text: then so are the keys that follow at once. They are
    /// dropped until none follows.
    pub(in crate::app) fn guard_next_keys(&mut self, work: &mut Work) {
        self.is_guarded = true;
        self.await_next_key(COUNT_DELAY, work);
    }

    pub(in crate::app) fn is_guarded(&self) -> bool {
        self.is_guarded
    }

    pub(in crate::app) fn end_switch(&mut self) {
        self.is_switching = false;
        self.end_guard();
    }

    pub(in crate::app) fn end_guard(&mut self) {
        self.is_guarded = false;
    }

    pub(in crate::app) fn is_switching(&self) -> bool {
        self.is_switching
    }

    /// The digits that may become a count.
    pub(in crate::app) fn pending_digits(&self) -> String {
        let digits = self.digits.iter();
        digits.filter_map(|(key, _)| key.digit()).collect()
    }

    /// Whether a digit may be a count: a list has the keys, and no sequence has begun.
    fn takes_counts(&self, ui: &Ui) -> bool {
        let is_long = self.digits.len() >= 9;
        !is_long
            && self.keys.is_empty()
            && ui.overlay.is_none()
            && ui.prompt.is_none()
            && ui.focus.has_rows().is_ok()
    }

    /// The commands of digits that were no count.
    pub(in crate::app) fn take_digit_commands(&mut self) -> Vec<&'static Command> {
        std::mem::take(&mut self.digits)
            .into_iter()
            .filter_map(|(_, command)| command)
            .collect()
    }

    /// The screen was opened; this was the last request before.
    pub(in crate::app) fn note_opening(&mut self, before: Token, ui: &Ui, work: &Work) {
        self.opening = Some((ui.screen(), before, work.requests.last()));
    }

    /// Whether what the screen asked for when it was opened is still to come.
    pub(in crate::app) fn is_opening_screen(&self, ui: &Ui, work: &Work) -> bool {
        let Some((screen, before, last)) = self.opening else {
            return false;
        };
        screen == ui.screen()
            && !ui.has_open_question()
            && work.requests.has_open_between(before, last)
    }

    pub(in crate::app) fn has_keys_ahead(&self) -> bool {
        !self.ahead.is_empty()
    }

    /// Adds a key for a screen that the user has not seen yet.
    pub(in crate::app) fn press_ahead(&mut self, key: Key) {
        self.ahead.push_back(key);
    }

    /// Says which keys wait for the screen.
    pub(in crate::app) fn show_keys_ahead(&self, ui: &mut Ui) {
        let keys = key_names(&self.ahead);
        ui.notice =
            Some(Notice::info(format!("{WAITING}, then {keys}")).with_hint("{back} drops that"));
    }

    pub(in crate::app) fn take_key_ahead(&mut self, ui: &mut Ui) -> Option<Key> {
        ui.notice.take_if(|notice| notice.text.starts_with(WAITING));
        self.ahead.pop_front()
    }

    pub(in crate::app) fn drop_keys_ahead(&mut self, ui: &mut Ui) {
        ui.notice.take_if(|notice| notice.text.starts_with(WAITING));
        self.ahead.clear();
    }

    /// Whether this timer is of the digit pressed last.
    pub(in crate::app) fn is_last_digit(&self, timer: u64) -> bool {
        timer == self.digits_count
    }

    /// Whether a custom command is pressing keys.
    pub(in crate::app) fn is_replaying(&self) -> bool {
        self.is_replaying
    }

    pub(in crate::app) fn set_replaying(&mut self, is_replaying: bool) {
        self.is_replaying = is_replaying;
    }

    /// What a key would run now.
    pub(in crate::app) fn command_of(
        &self,
        key: Key,
        ui: &Ui,
        keymap: &Keymap,
    ) -> Option<&'static Command> {
        let keys = [self.keys.as_slice(), &[key]].concat();
        match keymap.look_up(ui.focused_scope(), &keys) {
            KeyLookup::Command(command) => Some(command),
            KeyLookup::Prefix | KeyLookup::Unbound => None,
        }
    }

    /// Whether the last key had no command; asked once.
    pub(in crate::app) fn take_unbound(&mut self) -> bool {
        std::mem::take(&mut self.is_unbound)
    }

    /// Says that no command has this key here.
    pub(in crate::app) fn report_unbound(&mut self, keys: &str, ui: &mut Ui, work: &mut Work) {
        self.is_unbound = true;
        // It may be the beginning of a word that was typed where there is no field.
        if keys.chars().count() == 1 && keys.chars().all(char::is_alphabetic) {
            self.guard_next_keys(work);
        }
        let label = keys::sequence_label(keys);
        // What was written, and how to take it back, stays.
        if ui
            .notice
            .as_ref()
            .is_some_and(|notice| notice.hint.contains("{undo}"))
        {
            return;
        }
        let notice = Notice::info(format!("no shortcut {label} here")).passing();
        let has_signals = matches!(ui.screen(), Screen::Queue | Screen::Detail);
        ui.notice = Some(notice.with_hint(match label.as_str() {
            // As in other programs.
            "d" if has_signals => "{queue.done} done   {help} help",
            _ => "{help} help",
        }));
    }

    pub(super) fn clear_pressed_keys(&mut self) {
        self.keys.clear();
        self.continuations_shown = false;
    }

    pub(in crate::app) fn on_continuations_timer(&mut self, prefix: u64) {
        if prefix == self.prefix_count && !self.keys.is_empty() {
            self.continuations_shown = true;
        }
    }

    /// The prefix whose continuations are to be shown.
    pub(in crate::app) fn shown_prefix(&self) -> Option<&[Key]> {
        self.continuations_shown.then_some(self.keys.as_slice())
    }
}

impl Context {
    /// Whether a command moves the cursor, or acts as often as a count says.
    pub(in crate::app) fn is_counted(command: &Command) -> bool {
        COUNTED_COMMANDS.contains(&command.id)
    }
}

fn open_dialog(ui: &Ui) -> OpenDialog {
    ui.overlay.as_ref().map(mem::discriminant)
}

/// `g g`.
fn key_names<'a>(keys: impl IntoIterator<Item = &'a Key>) -> String {
    let names: Vec<String> = keys.into_iter().map(ToString::to_string).collect();
    names.join(" ")
}

pub(in crate::app) fn last_request(work: &Work) -> Token {
    work.requests.last()
}

#[cfg(test)]
mod tests {
    use crate::app::Screen;
    use crate::app::testing::{many_rows, signal_id};

    use crate::app::command::Scope;
    use crate::app::effect::{Effect, ServiceCall};
    use crate::app::msg::{Msg, Timer};
    use crate::app::overlay::Overlay;
    use crate::app::testing::{TestConsole, morning_queue};
    use crate::domain::request_error::RequestError;

    #[test]
    fn digits_before_a_motion_are_a_count() {
        let at = |keys: &str| {
            TestConsole::with_rows(many_rows(100))
                .type_keys(keys)
                .cursor_id()
        };
        assert_eq!(at("5 j"), signal_id(6));
        assert_eq!(at("1 2 G"), signal_id(12));
        assert_eq!(at("1 0 Down 3 k"), signal_id(8));
        assert_eq!(at("9 9 9 9 9 9 9 9 9 j"), signal_id(100));
        let console = TestConsole::with_rows(many_rows(100)).type_keys("3 Space");
        assert_eq!(
            (console.cursor_id(), console.context().queue.new.marks.len()),
            (signal_id(4), 3)
        );
        let console = TestConsole::with_rows(many_rows(3)).type_keys("9 x");
        assert_eq!(
            console.context().queue.new.marks.len(),
            3,
            "the last row is marked once"
        );
        assert_eq!(
            console.type_keys("2 j").context().ui.screen(),
            Screen::Queue
        );
    }

    #[test]
    fn a_digit_opens_its_screen_after_a_moment_or_with_another_key() {
        let console = TestConsole::with_rows(many_rows(100)).type_keys("2");
        assert_eq!(console.context().ui.screen(), Screen::Queue);
        let console = console.send(Msg::Elapsed(Timer::HeldDigits(1)));
        assert_eq!(console.context().ui.screen(), Screen::Views);
        let console = TestConsole::with_rows(many_rows(100)).type_keys("6 ?");
        assert_eq!(console.context().ui.screen(), Screen::Team);
        assert!(console.context().ui.overlay.is_some());
        let console = TestConsole::with_rows(many_rows(100))
            .type_keys("5 j")
            .send(Msg::Elapsed(Timer::HeldDigits(1)));
        assert_eq!(
            console.context().ui.screen(),
            Screen::Queue,
            "the timer of a count does nothing"
        );
    }

    #[test]
    fn keys_after_a_digit_act_in_order_on_the_screen_that_it_opens() {
        // Skills: opening one is free.
        let slow = TestConsole::with_rows(many_rows(100)).type_keys("7 Enter j");
        assert_eq!(slow.context().ui.screen(), Screen::Skills);
        assert_eq!(slow.notice_text(), "waiting for the rows, then Enter j");
        let apart = TestConsole::with_rows(many_rows(100))
            .type_keys("7")
            .send(Msg::Elapsed(Timer::HeldDigits(1)))
            .serve();
        let apart = apart.type_keys("Enter j").serve();
        assert_eq!(slow.serve().screen_text(), apart.screen_text());
        // Pressed after the screen has changed, but before it has its rows.
        let late = TestConsole::with_rows(many_rows(100))
            .type_keys("7")
            .send(Msg::Elapsed(Timer::HeldDigits(1)));
        assert_eq!(
            late.type_keys("Enter j").serve().screen_text(),
            apart.screen_text()
        );
    }

    #[test]
    fn enters_in_quick_succession_pay_only_for_the_first() {
        let spent = |console: &TestConsole| console.service.spent;
        let project = TestConsole::with_rows(morning_queue())
            .press("Enter")
            .serve()
            .press("g p")
            .serve();
        let before = spent(&project);
        let hasty = project
            .type_keys("Enter")
            .serve()
            .type_keys("Enter")
            .serve()
            .type_keys("Enter")
            .serve();
        assert_eq!(spent(&hasty), before + 1, "{}", hasty.screen_text());
        assert_eq!(
            hasty.notice_text(),
            "Enter was not run: it came right after the screen changed"
        );
        let read = hasty.press("j Enter").serve();
        assert_eq!(spent(&read), before + 2, "its price was on the screen");
    }

    #[test]
    fn an_enter_that_is_held_pays_once() {
        let look = |console: &TestConsole| {
            let mut timers = console.effects.iter().filter_map(|effect| match effect {
                Effect::SetTimer { timer, .. } => Some(*timer),
                _ => None,
            });
            timers.rfind(|timer| matches!(timer, Timer::Look(_)))
        };
        let project = TestConsole::with_rows(morning_queue())
            .press("Enter")
            .serve()
            .press("g p")
            .serve();
        let before = project.service.spent;
        let opened = project.type_keys("Enter").serve();
        let first = look(&opened).expect("a timer");
        let held = opened
            .type_keys("Enter")
            .serve()
            .send(Msg::Elapsed(first))
            .type_keys("Enter")
            .serve();
        assert_eq!(held.service.spent, before + 1, "{}", held.screen_text());
        let last = look(&held).expect("a timer");
        let released = held.send(Msg::Elapsed(last)).type_keys("Enter").serve();
        assert_eq!(released.service.spent, before + 2);
    }

    #[test]
    fn a_refused_sequence_is_named_whole() {
        let console = TestConsole::with_rows(morning_queue())
            .type_keys("Enter")
            .serve()
            .type_keys("g p");
        assert_eq!(console.context().pressed.last_label(), "gp");
    }

    #[test]
    fn a_price_in_a_prompt_is_paid_however_soon_after_an_open() {
        let console = TestConsole::with_rows(morning_queue())
            .press("3")
            .serve()
            .press("Enter")
            .serve()
            .type_keys("Enter")
            .serve()
            .type_keys("Esc X j j Enter Enter")
            .serve();
        assert!(
            !console.notice_text().contains("was not run"),
            "{}",
            console.notice_text()
        );
    }

    #[test]
    fn no_key_after_a_digit_spends_or_writes_before_its_screen_is_seen() {
        let unanswered = |console: &TestConsole| {
            let is_paid =
                |call: &&ServiceCall| call.may_cost() || matches!(call, ServiceCall::Write(_));
            let calls = console.calls.iter().filter(is_paid).count();
            (calls, console.triage_calls().len())
        };
        for keys in ["2 Enter", "3 Enter Enter", "2 b Enter"] {
            let console = TestConsole::with_rows(many_rows(100))
                .type_keys(keys)
                .serve();
            assert_eq!(
                console.notice_text(),
                "Enter was not run: it came right after the screen changed",
                "{keys}"
            );
            assert_eq!(unanswered(&console), (0, 0), "{keys}");
            assert!(console.context().ui.overlay.is_none(), "{keys}");
        }
        let away = || TestConsole::with_rows(many_rows(100)).press("6").serve();
        let console = away().type_keys("1 e").serve();
        assert_eq!(
            (console.context().ui.screen(), unanswered(&console)),
            (Screen::Queue, (0, 0))
        );
        let console = console.press("e").serve();
        assert_eq!(
            console.triage_calls().len(),
            0,
            "it is still the same moment"
        );
        let here = TestConsole::with_rows(many_rows(100))
            .type_keys("1 e")
            .serve();
        assert_eq!(here.triage_calls().len(), 1, "the screen was there before");
    }

    #[test]
    fn digits_that_wait_are_shown() {
        let console = TestConsole::with_rows(many_rows(100)).type_keys("1 2");
        let screen = console.screen_text();
        let foot: Vec<&str> = screen.lines().rev().take(2).collect();
        assert!(
            foot.iter().any(|line| line.trim_end().ends_with("12")),
            "{screen}"
        );
    }

    #[test]
    fn a_search_typed_after_a_digit_runs_no_command() {
        let console = TestConsole::with_rows(many_rows(100))
            .type_keys("7 / c a l l")
            .serve();
        let prompt = console
            .context()
            .ui
            .prompt
            .as_ref()
            .map(|prompt| prompt.field.text().to_owned());
        assert_eq!(prompt.as_deref(), Some("call"), "{}", console.screen_text());
    }

    #[test]
    fn keys_that_wait_for_rows_are_dropped_by_escape_and_answered_when_none_come() {
        let console = TestConsole::with_rows(many_rows(100)).type_keys("7 Enter j Esc");
        assert_eq!(
            (console.context().ui.screen(), console.notice_text()),
            (Screen::Skills, String::new())
        );
        let quiet = TestConsole::with_rows(many_rows(100))
            .type_keys("7")
            .send(Msg::Elapsed(Timer::HeldDigits(1)));
        assert_eq!(console.serve().screen_text(), quiet.serve().screen_text());
        let failed = TestConsole::with_rows(many_rows(100))
            .type_keys("7 Enter")
            .fail_next(RequestError::new_not_sent("no network"));
        assert!(
            failed.screen_text().contains("no network"),
            "{}",
            failed.screen_text()
        );
    }

    #[test]
    fn a_digit_pressed_before_a_question_opens_does_not_answer_it() {
        let asked = |console: TestConsole| {
            console.send(Msg::Pushed(crate::app::msg::Push::JournalFailed(
                "no disk".to_owned(),
            )))
        };
        let console = asked(TestConsole::with_rows(many_rows(100)).type_keys("6"));
        assert!(matches!(
            console.context().ui.overlay,
            Some(Overlay::Choice(_))
        ));
        let console = console.send(Msg::Elapsed(Timer::HeldDigits(1)));
        assert!(
            matches!(console.context().ui.overlay, Some(Overlay::Choice(_))),
            "{}",
            console.screen_text()
        );
        assert_eq!(console.context().ui.screen(), Screen::Team);
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
        assert!(
            console.screen_text().contains("? help"),
            "{}",
            console.screen_text()
        );
        let calls = console
            .calls
            .iter()
            .filter(|call| matches!(call, ServiceCall::Triage { .. }))
            .count();
        assert_eq!(
            (calls, console.context().ui.has_open_question()),
            (0, false)
        );
        assert_eq!(console.press("g ~").notice_text(), "no shortcut g~ here");
    }

    #[test]
    fn a_word_typed_without_a_field_runs_nothing_until_a_key_that_is_no_text() {
        let triaged = |console: &TestConsole| {
            let is_triage = |call: &&ServiceCall| matches!(call, ServiceCall::Triage { .. });
            console.calls.iter().filter(is_triage).count()
        };
        let console = TestConsole::with_rows(morning_queue())
            .type_keys("d e e Enter")
            .serve();
        assert_eq!(triaged(&console), 0, "{}", console.notice_text());
        assert_eq!(triaged(&console.press("Esc e").serve()), 1);
    }

    #[test]
    fn a_key_that_deletes_elsewhere_names_the_one_that_marks_done() {
        let console = TestConsole::with_rows(morning_queue()).press("d");
        let screen = console.screen_text();
        assert!(
            screen.contains("no shortcut d here") && screen.contains("e done   ? help"),
            "{screen}"
        );
    }

    #[test]
    fn every_screen_answers_a_key_that_it_does_not_know() {
        for scope in Scope::ALL
            .iter()
            .filter(|scope| !scope.is_dialog() && !scope.takes_text())
        {
            let console = TestConsole::at_scope(*scope).press("Ctrl-y");
            assert_eq!(
                console.notice_text(),
                "no shortcut Ctrl-y here",
                "{scope:?}"
            );
        }
    }

    #[test]
    fn esc_closes_the_list_of_continuations_without_a_message() {
        let console = TestConsole::with_rows(morning_queue())
            .press("g")
            .send(Msg::Elapsed(Timer::KeyContinuations(1)));
        assert!(
            console.screen_text().contains("go to the first row"),
            "{}",
            console.screen_text()
        );
        let console = console.press("Esc");
        assert!(
            !console.screen_text().contains("go to the first row"),
            "{}",
            console.screen_text()
        );
        assert_eq!(console.notice_text(), "");
    }
}

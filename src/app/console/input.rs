//! Keys: from an event to a command. A paste goes into the text field that has the focus.

use std::mem;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};

use crate::app::action::Action;
use crate::app::command::keymap::KeyLookup;
use crate::app::command::keys::Key;
use crate::app::command::{Availability, Command, Scope, shared};
use crate::app::console::prices::{self, price_of};
use crate::app::console::{Console, find};
use crate::app::context::calls;
use crate::app::context::outbox::deferred_commands;
use crate::app::context::pressed_keys::KeyMeaning;
use crate::app::format::{format_count, pluralize};
use crate::app::list_change::ListChange;
use crate::app::model::records::record_name;
use crate::app::msg::Timer;
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::pane::PaneEvent;
use crate::app::panes::find_command;
use crate::app::price::Price;
use crate::app::selection::Subject;
use crate::app::{Context, Effect, Screen, StartTarget};
use crate::domain::conditions::capitalize;
use crate::ui::TextRole;
use crate::ui::text_input::PasteTooLong;

/// The most times that a count repeats a command which is not a simple motion.
const MAX_REPEATS: usize = 999;

impl Console {
    pub(super) fn handle_key(&mut self, event: KeyEvent) {
        if event.kind == KeyEventKind::Release {
            return;
        }
        let key = Key::from(event);
        if let Some(notice) = &mut self.cx.ui.notice {
            notice.is_read = true;
        }
        if self.cx.pressed.is_switching() {
            self.cx.pressed.begin_switch(&mut self.cx.work);
        }
        if self.is_cancel_key(key) {
            return self.cx.cancel_running();
        }
        if self.cx.pressed.is_guarded() {
            // Other keys are no part of a word, nor its end.
            if key.is_character() || matches!(event.code, KeyCode::Enter | KeyCode::Backspace) {
                return self.cx.pressed.guard_next_keys(&mut self.cx.work);
            }
            self.cx.pressed.end_guard();
        }
        // The card with the first keys names keys: they work at once.
        if matches!(self.cx.ui.overlay, Some(Overlay::FirstRun)) {
            self.cx.close_overlay();
            if self.closes_dialog(key) {
                return;
            }
        }
        if self.cx.ui.focused_scope() == Scope::AnnotationForm {
            if let Some(command) = self.panes.annotation_form.on_key(key, &mut self.cx) {
                self.run_command(command);
            }
            return;
        }
        if self
            .cx
            .ui
            .overlay
            .as_ref()
            .is_some_and(|overlay| overlay.continues_text(key))
        {
            return self.type_key(key);
        }
        if self.awaits_rows() && self.hold_key(key) {
            return;
        }
        match self
            .cx
            .pressed
            .press_key(key, &mut self.cx.ui, &mut self.cx.work, &self.cx.keymap)
        {
            KeyMeaning::Command(command) | KeyMeaning::Counted(command, _)
                if self.is_refused(command) => {}
            KeyMeaning::Command(command) if command.common_id() == shared::OPEN.id => {
                let before = self.place();
                self.run_command(command);
                if self.place() != before {
                    self.cx.pressed.begin_look(&self.cx.ui, &mut self.cx.work);
                }
            }
            KeyMeaning::Command(command) => self.run_command(command),
            KeyMeaning::Counted(command, count) => self.run_counted(command, count),
            KeyMeaning::AfterDigits => {
                let seen = self.cx.ui.screen();
                self.run_digits();
                match () {
                    () if self.cx.ui.screen() == seen || self.awaits_rows() => {
                        self.handle_key(event)
                    }
                    // Pressed at the end of this update.
                    () => self.cx.pressed.press_ahead(key),
                }
            }
            KeyMeaning::Text => self.type_key(key),
            KeyMeaning::Consumed => {}
        }
    }

    /// Runs the commands of digits that turned out to be no count.
    fn run_digits(&mut self) {
        let seen = self.cx.ui.screen();
        for command in self.cx.pressed.take_digit_commands() {
            self.run_command(command);
        }
        if self.cx.ui.screen() != seen {
            self.cx.pressed.begin_switch(&mut self.cx.work);
        }
    }

    /// Whether a key must not run its command, and says why: it came right after the screen
    /// changed, or it is not the key that the screen shows with the price.
    fn is_refused(&mut self, command: &'static Command) -> bool {
        let key = self.cx.pressed.last_label().to_owned();
        let is_unread = self.cx.pressed.is_unread(&self.cx.ui);
        let spends_unread = is_unread && price_of(self, command) != Price::Free;
        if spends_unread {
            // A key that is held spends once.
            self.cx.pressed.begin_look(&self.cx.ui, &mut self.cx.work);
        }
        if spends_unread || self.cx.pressed.is_switching() && self.is_risky(command) {
            let text = format!("{key} was not run: it came right after the screen changed");
            self.cx.ui.notice = Some(Notice::refusal(text).with_hint("press it again"));
            return true;
        }
        if command.common_id() != shared::OPEN.id {
            return false;
        }
        let (price, priced_key) = (price_of(self, command), self.cx.keymap.label(command.id));
        if price == Price::Free || key == priced_key {
            return false;
        }
        let text = format!("{priced_key} opens it,{}", price.suffix());
        self.cx.ui.notice = Some(Notice::refusal(text));
        true
    }

    /// The screen, and the page, list or dialog on it that has the keys.
    fn place(&self) -> impl PartialEq + use<> {
        let ui = &self.cx.ui;
        let focus = self.panes.get(ui.screen()).focus(&self.cx);
        let page = match focus.subject {
            Subject::None => None,
            Subject::Signal(row) => Some(row.signal.id.0),
            Subject::Record(key, _) => Some(key.id),
        };
        let dialog = ui.overlay.as_ref().map(mem::discriminant);
        (ui.screen(), page, focus.list, dialog, ui.prompt.is_some())
    }

    /// Whether a command writes, spends or answers a question.
    fn is_risky(&self, command: &Command) -> bool {
        let answers =
            command.scope.is_dialog() && matches!(self.cx.ui.overlay, Some(Overlay::Choice(_)));
        command.writes
            || price_of(self, command) != Price::Free
            || answers && command.id != "dialog.close"
    }

    /// Whether the list of the screen that was just opened has no rows yet. A list of records is
    /// read only by a key.
    fn awaits_rows(&mut self) -> bool {
        let lines = self.panes.get_mut(self.cx.ui.screen()).list_lines_mut();
        self.cx
            .pressed
            .is_opening_screen(&self.cx.ui, &self.cx.work)
            && lines.is_some_and(|lines| lines.is_empty())
    }

    /// Keeps a key until the screen has its rows, unless it has the same meaning before. The key
    /// that goes back drops all of them.
    fn hold_key(&mut self, key: Key) -> bool {
        let is_first = !self.cx.pressed.has_keys_ahead();
        match self.cx.keymap.look_up(self.cx.ui.focused_scope(), &[key]) {
            KeyLookup::Command(command) if command.id == "back" => {
                self.cx.pressed.drop_keys_ahead(&mut self.cx.ui)
            }
            KeyLookup::Command(command)
                if is_first
                    && matches!(command.scope, Scope::List | Scope::Global)
                    && !Context::is_counted(command)
                    && self.availability(command).is_ok() =>
            {
                return false;
            }
            KeyLookup::Unbound if is_first => return false,
            _ => {
                self.cx.pressed.press_ahead(key);
                self.cx.pressed.show_keys_ahead(&mut self.cx.ui);
                return true;
            }
        }
        !is_first
    }

    /// Presses the keys that waited for a screen, up to a question. The user has not seen the
    /// screen: what would write or spend is not run, and what is spent nevertheless is asked about
    /// if this returns true.
    pub(super) fn press_keys_ahead(&mut self) -> bool {
        let has_pressed = self.cx.pressed.has_keys_ahead() && !self.awaits_rows();
        while !self.awaits_rows() {
            let Some(key) = self.cx.pressed.take_key_ahead(&mut self.cx.ui) else {
                break;
            };
            self.cx.pressed.begin_switch(&mut self.cx.work);
            self.handle_key(key.to_event());
            self.perform_actions();
            if matches!(self.cx.ui.overlay, Some(Overlay::Choice(_))) {
                self.cx.pressed.drop_keys_ahead(&mut self.cx.ui);
            }
        }
        has_pressed
    }

    /// Runs a command this many times, at most until the cursor stays where it is. The last row is
    /// replaced by the row of that number.
    fn run_counted(&mut self, command: &'static Command, count: usize) {
        let rows = isize::try_from(count).unwrap_or(isize::MAX);
        match command.id {
            "go.down" => return self.move_cursor(rows),
            "go.up" => return self.move_cursor(-rows),
            "go.last" => {
                self.move_cursor(isize::MIN);
                return self.move_cursor(rows - 1);
            }
            _ => {}
        }
        let scrolls = command.id.starts_with("queue.preview");
        for _ in 0..count.min(MAX_REPEATS) {
            let before = self.focused_line().0;
            self.run_command(command);
            let is_end = before.is_some() && self.focused_line().0 == before;
            if is_end && !scrolls {
                break;
            }
        }
    }

    /// Whether a key closes a dialog, with or without an answer.
    fn closes_dialog(&self, key: Key) -> bool {
        let meaning = self.cx.keymap.look_up(Scope::Choice, &[key]);
        matches!(meaning, KeyLookup::Command(command) if matches!(command.id, "choice.accept" | "dialog.close"))
    }

    /// Types a key that runs no command into the text field that has the focus.
    fn type_key(&mut self, key: Key) {
        if let Some(Overlay::Call(form)) = &self.cx.ui.overlay
            && form.is_choosing
            && key.to_string().parse::<u8>().is_ok()
        {
            calls::refuse_outcome(&key.to_string(), &mut self.cx.ui, &self.cx.settings);
        } else if let Some(overlay) = &mut self.cx.ui.overlay {
            overlay.type_key(key);
        } else if let Some(prompt) = &mut self.cx.ui.prompt {
            if prompt.field.handle_key(key.to_event()) {
                prompt.on_edited();
            }
            find::on_typed(&mut self.panes, &mut self.cx);
        } else if self.cx.ui.focused_scope().takes_text() {
            self.panes.start.type_key(key);
        } else if !self.cx.ui.focused_scope().is_dialog() {
            self.cx
                .pressed
                .report_unbound(&key.to_string(), &mut self.cx.ui, &mut self.cx.work);
        }
    }

    /// Pastes into the text field that has the focus. Without one the paste is ignored, and a
    /// notice says so.
    pub(super) fn handle_paste(&mut self, text: &str) {
        let pasted = if let Some(overlay) = &mut self.cx.ui.overlay {
            overlay.paste(text)
        } else if self.cx.ui.prompt.is_some() {
            let pasted = self.cx.ui.paste_into_prompt(text);
            find::on_typed(&mut self.panes, &mut self.cx);
            pasted
        } else if self.panes.annotation_form.is_open() {
            self.panes.annotation_form.paste(text)
        } else if self.cx.ui.screen() == Screen::Start {
            self.panes.start.paste(text)
        } else {
            None
        };
        match pasted {
            Some(Ok(())) => {}
            Some(Err(PasteTooLong {
                length,
                available: room,
            })) => {
                let (length, room) = (format_count(length as u64), format_count(room as u64));
                let text = format!(
                    "The paste is too long: {length} characters, room for {room}. Nothing was pasted."
                );
                self.cx.ui.notice = Some(Notice::error(text));
            }
            None => {
                let text =
                    "That looked like a paste. There is no text field here, so it was ignored.";
                self.cx.ui.notice =
                    Some(Notice::warning(text).with_hint("press keys one at a time"));
            }
        }
    }

    fn is_cancel_key(&self, key: Key) -> bool {
        Some(key) == Key::parse("Ctrl-c")
    }

    /// Whether a command is available now; if not, why.
    pub fn availability(&self, command: &Command) -> Availability {
        let Some(bound) = find_command(command.id) else {
            let custom = self.cx.settings.custom_command(command.id);
            return custom.map_or(Ok(()), |custom| self.cx.can_run_custom(custom));
        };
        let availability = bound.behavior.availability(&self.panes, &self.cx);
        availability.map_err(|reason| self.cx.keymap.expand_keys(&reason).into())
    }

    /// The footer text of a command; `None` when it is unavailable or the hint would mislead.
    pub fn hint_text(&self, command: &Command) -> Option<&'static str> {
        find_command(command.id)?
            .behavior
            .hint_text(&self.panes, &self.cx)
    }

    fn must_defer(&self, command: &Command) -> bool {
        find_command(command.id)
            .is_some_and(|bound| bound.behavior.must_defer(&self.panes, &self.cx))
    }

    fn run_now(&mut self, command: &Command) {
        if let Some(bound) = find_command(command.id) {
            bound.behavior.run(&mut self.panes, &mut self.cx);
        } else if let Some(custom) = self.cx.settings.custom_command(command.id).cloned() {
            self.cx.run_custom(&custom);
        }
    }

    /// Presses keys as if typed, for a custom command. Stops at the first question, refusal or
    /// price, so that nothing is confirmed or paid unseen, and says where.
    pub(super) fn press_keys(&mut self, name: &str, keys: &[Key]) {
        self.cx.pressed.set_replaying(true);
        for (at, key) in keys.iter().enumerate() {
            let place = format!("{key}, key {} of {}", at + 1, keys.len());
            let command = self
                .cx
                .pressed
                .command_of(*key, &self.cx.ui, &self.cx.keymap);
            let cost = command
                .filter(|command| prices::price_of(self, command) != Price::Free)
                .map(|command| command.cost);
            // an answer in a list of orders: what it costs is said there
            let is_priced_answer = self.cx.ui.overlay.is_some()
                && prices::shown_price(self, *key).is_some_and(|price| price != Price::Free);
            if let Some(cost) = cost.or(is_priced_answer.then_some("credits")) {
                let text = format!(
                    "{name} stopped before {place}: it may cost {cost}. Press the key yourself."
                );
                self.cx.ui.warn(text);
                break;
            }
            self.cx.ui.notice = None;
            self.cx.pressed.take_unbound();
            self.handle_key(key.to_event());
            self.perform_actions();
            let refusal = self
                .cx
                .ui
                .notice
                .take_if(|notice| matches!(notice.role, TextRole::Warning | TextRole::Error));
            let unbound = self
                .cx
                .pressed
                .take_unbound()
                .then(|| self.cx.ui.notice.take())
                .flatten();
            if let Some(Notice { text, hint, .. }) = refusal.or(unbound) {
                self.cx.ui.notice = Some(
                    Notice::warning(format!("{name} stopped after {place}: {text}"))
                        .with_hint(hint),
                );
                break;
            }
            let why = match self.cx.ui.overlay {
                Some(Overlay::Choice(ref choice)) if choice.is_question() => {
                    "answer the question yourself"
                }
                Some(Overlay::Page(_)) => "it opened a text",
                _ => continue,
            };
            self.cx
                .ui
                .inform(format!("{name} stopped after {place}: {why}"));
            break;
        }
        self.cx.pressed.set_replaying(false);
    }

    /// Runs a command, or shows why it is unavailable.
    pub fn run_command(&mut self, command: &'static Command) {
        // What a dialog does is attributed to what opened it.
        if command.scope.is_dialog() {
            match self.availability(command) {
                Ok(()) => self.run_now(command),
                Err(reason) => {
                    self.cx.ui.notice =
                        Some(Notice::refusal(format!("{}: {reason}", command.title)))
                }
            }
            return self.perform_actions();
        }
        match self.availability(command) {
            _ if self.must_defer(command) && self.cx.team.can_write(&self.cx.session).is_ok() => {
                deferred_commands::defer_command(command, &mut self.cx.ui, &mut self.cx.outbox)
            }
            Ok(()) => {
                self.cx.work.set_request_reason(command.id);
                self.cx.ui.notice.take_if(|notice| notice.is_passing);
                self.run_now(command);
                self.perform_actions();
            }
            Err(reason) => {
                self.cx.ui.notice = Some(Notice::refusal(format!("{}: {reason}", command.title)))
            }
        }
        self.cx.queue.mark_visited();
    }

    /// Runs a command that the user did not press the key of; one that would write at once asks
    /// first.
    pub(super) fn confirm_command(&mut self, command: &'static Command) {
        if !command.writes_immediately || self.availability(command).is_err() {
            return self.run_command(command);
        }
        let on = self
            .cx
            .describe_chosen()
            .map(|what| format!(": {what}"))
            .unwrap_or_default();
        let verb = self.hint_text(command).unwrap_or(command.title);
        let price = match price_of(self, command) {
            Price::Free => String::new(),
            Price::Credits(most) | Price::AtMost(most) => {
                format!(" This costs up to {}.", pluralize(most, "credit"))
            }
            Price::Unstated => " The service does not state its price.".to_owned(),
        };
        let outcome = self.cx.calls.repeated_outcome(&self.cx.settings);
        let words = match outcome.filter(|_| command.id == "annotate.call.repeat") {
            Some(outcome) => format!("log a call with the outcome “{outcome}”, without a note"),
            None => command.description.to_owned(),
        };
        let sentence = format!("{}{on}.{price}", capitalize(&words));
        self.cx
            .ui
            .confirm_change(verb, sentence, Action::RunCommand(command.id));
    }

    pub(super) fn run_command_by_id(&mut self, id: &str) {
        if let Some(bound) = find_command(id) {
            self.run_command(&bound.command);
        }
    }

    pub(super) fn on_timer(&mut self, timer: Timer) {
        match timer {
            Timer::KeyContinuations(prefix) => self.cx.pressed.on_continuations_timer(prefix),
            Timer::HeldDigits(digit) if self.cx.pressed.is_last_digit(digit) => {
                self.run_digits();
                // Nothing was typed meanwhile: what comes now is meant for the new screen.
                self.cx.pressed.end_switch();
            }
            Timer::HeldDigits(_) => {}
            Timer::Look(look) => self.cx.pressed.on_look_timer(look),
            Timer::Minute(tick) => self.panes.watch.on_minute_tick(tick, &mut self.cx),
            Timer::CursorRest => self.cx.descriptions.on_rest_timer(&self.cx.pressed),
            // The time for a second Ctrl-c is over.
            Timer::QuitArmed(armed) if armed == self.cx.pressed.quit_arm_count => {
                self.cx.pressed.quit_arm_count += 1;
            }
            Timer::QuitArmed(_) => {}
        }
    }

    /// Moves the cursor of the focused list or text.
    pub fn move_cursor(&mut self, rows: isize) {
        if self.panes.explore.list_filter.is_some() && self.cx.ui.list_dialog().is_none() {
            return self.panes.explore.draft_mut().move_cursor(rows);
        }
        self.panes
            .act_on_focused(&mut self.cx, |pane, cx| pane.move_cursor(rows, cx));
    }

    /// Moves by pages, or by a fraction of one.
    pub fn move_cursor_by_pages(&mut self, pages: isize, part: isize) {
        let rows =
            isize::try_from(self.cx.frame.layout().focused_rows().height.max(1)).unwrap_or(1);
        self.move_cursor(pages * (rows / part).max(1));
    }

    pub fn switch_tab(&mut self, forward: bool) {
        self.panes.explore.leave_list_filter(&mut self.cx);
        self.send_to_pane(PaneEvent::TabSwitched { forward });
    }

    /// Shows all rows of a list that a search has narrowed, else closes the dialog that it is in or
    /// what is open, clears marks, or goes back one level; never quits.
    pub fn go_back(&mut self) {
        let list = self.panes.list(&self.cx);
        let hides_rows = list
            .filter(|_| self.cx.ui.list_has_focus())
            .and_then(|list| {
                let is_narrowed = list.query().is_some();
                let is_filtered = || list.value_filter().map(|_| ListChange::Filter(None));
                is_narrowed
                    .then_some(ListChange::Narrow(None))
                    .or_else(is_filtered)
            });
        if let Some(change) = hides_rows {
            self.panes.change_list(change, &mut self.cx);
            self.cx.ui.notice = None;
        } else if self.cx.ui.list_dialog().is_some() {
            self.cx.close_overlay();
        } else {
            self.send_to_pane(PaneEvent::Back);
        }
    }

    /// The screen that another one was opened from, if that has no digit.
    pub(super) fn opened_from(&self, screen: Screen) -> Option<Screen> {
        self.panes.get(screen).frame(&self.cx).opened_from
    }

    /// Closes the screen; on the first screen quits, unless writes are in progress.
    pub fn close_screen(&mut self) {
        match self.cx.ui.screen() {
            screen if self.opened_from(screen).is_some() => self.go_back(),
            Screen::Watch if self.cx.session.is_dashboard_only => self.cx.work.emit(Effect::Quit),
            Screen::Queue | Screen::Start => self.quit_if_saved(),
            _ => self.cx.ui.show_screen(Screen::Queue),
        }
    }

    /// Quits, unless input or writes would be lost: that is asked first.
    pub(super) fn quit_if_saved(&mut self) {
        if !self.cx.confirm_quit_with_writes()
            && !self.confirm_quit_with_drafts()
            && !self.confirm_quit_with_staged()
        {
            self.cx.work.emit(Effect::Quit);
        }
    }

    /// Starts again with another profile, unless input or writes would be lost: that is asked
    /// first.
    pub(super) fn switch_profile(&mut self, name: String) {
        let profiles = &self.cx.settings.profiles;
        if !profiles.iter().any(|profile| profile.name == name) {
            let names: Vec<_> = profiles
                .iter()
                .map(|profile| profile.name.as_str())
                .collect();
            let known = if names.is_empty() {
                "gantry login creates one".to_owned()
            } else {
                names.join(", ")
            };
            self.cx
                .ui
                .warn(format!("there is no profile {name}: {known}"));
        } else if !self.cx.confirm_quit_with_writes()
            && !self.confirm_quit_with_drafts()
            && !self.confirm_quit_with_staged()
        {
            self.cx.work.emit(Effect::SwitchProfile(name));
        }
    }

    /// Shows what the program was started with.
    pub(super) fn start_at(&mut self, target: StartTarget) {
        self.cx.close_overlay();
        match target {
            StartTarget::View(name) => self.cx.work.perform(Action::OpenView(name)),
            StartTarget::Signal(signal) => self.panes.detail.open_unlisted(*signal, &mut self.cx),
            StartTarget::Record(key, record, credits) => {
                let name = record_name(&record.fields());
                self.cx
                    .store_fetched_record(key.clone(), *record, credits, None);
                self.cx.work.perform(Action::OpenRecord(key, name));
            }
        }
    }

    /// Goes to the screen where a command works, and names its key there. It runs nothing.
    pub(super) fn go_to_command(&mut self, command: &'static Command) {
        let Some(screen) = command.scope.screen() else {
            return;
        };
        self.cx.close_overlay();
        self.go_to_screen(screen);
        if self.cx.ui.screen() == screen {
            let text = format!(
                "{}: {}",
                self.cx.keymap.label_or_palette_name(command.id),
                command.description
            );
            self.cx.ui.inform(text);
        }
    }
}

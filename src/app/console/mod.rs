//! The console: it hands each message to the pane, the overlay or the subsystem that it is for.
//!
//! [`Console::update`] is the only entry point, [`Console::update_layout`] computes rectangles from
//! size and state, [`Console::draw`] paints. The console lives beside the panes, not above them:
//! neither panes nor subsystems see it.

mod actions;
mod call_form;
mod compact;
mod drafts;
mod draw;
mod find;
mod first_run;
mod footer;
mod frequency;
mod header;
#[cfg(test)]
mod hidden_mark_tests;
mod input;
mod layout;
mod list_table;
mod mouse;
mod overlay;
mod palette;
mod prices;
#[cfg(test)]
mod prompt_tests;
mod prompts;
#[cfg(test)]
mod question_tests;
mod replies;
mod row_values;
mod shown_rows;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod walk_tests;

use chrono::{DateTime, FixedOffset, Utc};

use crate::app::command::Scope;
use crate::app::command::keys::Key;
use crate::app::context::{cached_queue, promises};
use crate::app::context::{
    clipboard, configuration, dispatch, pressed_keys, queue, session, visits,
};
use crate::app::effect::Effect;
use crate::app::model::trail::Place;
use crate::app::msg::{EditorPurpose, Msg, Push, Timer};
use crate::app::notice::Notice;
use crate::app::pane::{PaneEvent, PaneFocus};
use crate::app::panes::views::messages::ViewsAction;
use crate::app::panes::{Panes, build_keymap};
use crate::app::price::Price;
use crate::app::selection::{Focus, FocusedRows};
use crate::app::session::{AppSettings, ConsoleSession};
use crate::app::{Context, Screen};
use crate::domain::queue::QueueSnapshot;
use crate::ui::Theme;

pub struct Console {
    panes: Panes,
    cx: Context,
}

impl Console {
    /// A console of this size, and its first effects.
    pub fn new(
        session: ConsoleSession,
        settings: AppSettings,
        size: (u16, u16),
        now: DateTime<Utc>,
    ) -> (Console, Vec<Effect>) {
        let keymap = build_keymap(&settings.key_overrides);
        settings.display.apply();
        let mut console = Console {
            panes: Panes::default(),
            cx: Context::new(session, settings, keymap, size, now),
        };
        console.update_focus();
        console.open_pane();
        console.cx.show_first_run_card();
        console.update_layout();
        console.cx.read_queue();
        console.cx.start_polling();
        let effects = console.cx.work.take_effects();
        (console, effects)
    }

    #[cfg(test)]
    pub(super) fn panes(&self) -> &Panes {
        &self.panes
    }

    /// The line of the cursor in the focused list, and how many lines that has.
    pub(super) fn focused_line(&self) -> (Option<usize>, usize) {
        let list = self.panes.list(&self.cx);
        list.map_or((None, 0), |list| (list.cursor(), list.line_count()))
    }

    #[cfg(test)]
    pub(super) fn context(&self) -> &Context {
        &self.cx
    }

    #[cfg(test)]
    pub(super) fn context_mut(&mut self) -> &mut Context {
        &mut self.cx
    }

    /// The only entry point: handles a message at time `now` and returns the effects.
    pub fn update(&mut self, msg: Msg, now: DateTime<Utc>) -> Vec<Effect> {
        // A click confirms no price, nor does a key for a screen that was not there yet.
        let mut shown_price = match &msg {
            Msg::Key(key) => prices::shown_price(self, Key::from(*key)),
            Msg::Mouse(_) | Msg::Elapsed(Timer::HeldDigits(_)) => Some(Price::Free),
            _ => None,
        };
        self.cx.settings.display.apply();
        let (had_question, is_event) = (
            self.cx.ui.has_open_question(),
            matches!(msg, Msg::Pushed(_) | Msg::Replied(..)),
        );
        self.cx.begin_message(&msg, now);
        match msg {
            msg if self.cx.frame.is_swallowed_while_blank(&msg) => {}
            Msg::Key(key) => {
                queue::resume_queue_reads(&mut self.cx.queue);
                self.handle_key(key);
            }
            Msg::Paste(text) => self.handle_paste(&text),
            Msg::Mouse(event) => self.handle_mouse(event),
            Msg::Resized(width, height) => self.cx.frame.resize(width, height),
            Msg::Focused(true) => self.cx.poll_now(),
            Msg::Focused(false) | Msg::Resumed => {}
            Msg::Replied(token, result) => self.on_reply(token, result),
            Msg::Pushed(Push::Connected(service)) => self.cx.on_connected(service),
            Msg::Pushed(Push::Stats { result, skew }) => self.cx.on_stats(result, skew),
            Msg::Pushed(Push::QueueSnapshot(last)) => self.cx.show_previous_queue(*last),
            Msg::Pushed(Push::StoredFacts(facts)) => self.cx.on_stored_facts(*facts),
            Msg::Pushed(Push::Snoozes { read_at, snoozes }) => {
                self.cx.sync_snoozes(read_at, snoozes)
            }
            Msg::Pushed(Push::StartAt(target)) => self.start_at(*target),
            Msg::Pushed(Push::SystemSuspended(time)) => self.cx.on_system_resumed(time),
            Msg::Pushed(Push::Warning(line)) => self
                .cx
                .exit_state
                .show_system_warning(line, &mut self.cx.ui),
            Msg::Pushed(Push::JournalFailed(why)) => {
                session::confirm_send_unjournaled(&why, &mut self.cx.ui)
            }
            Msg::Pushed(Push::Health(health)) => self.cx.set_health(health),
            Msg::Pushed(Push::ExportProgressed(token, progress)) => {
                self.cx.on_export_progress(token, progress)
            }
            Msg::Pushed(Push::BrowserFailed { url, reason: why }) => {
                clipboard::on_browser_failed(url, &why, &mut self.cx.ui, &mut self.cx.work)
            }
            Msg::Pushed(Push::Copied { what, result }) => {
                clipboard::on_copied(&what, result, &mut self.cx.ui)
            }
            Msg::Pushed(Push::ProgramEnded(name, output)) => {
                self.cx
                    .programs
                    .on_program_ended(name, &output, &mut self.cx.ui)
            }
            Msg::Pushed(Push::AlertEnded(result)) => {
                self.panes.watch.on_alert_ended(result, &mut self.cx)
            }
            Msg::Pushed(Push::SettingsReloaded { settings, problems }) => {
                let keymap = build_keymap(&settings.key_overrides);
                self.cx
                    .apply_reloaded_settings(*settings, keymap, &problems);
            }
            Msg::Pushed(Push::SettingProblems(problems)) => {
                configuration::show_setting_problems(&problems, &mut self.cx.ui)
            }
            Msg::Pushed(Push::SettingsRead(read)) => {
                self.panes.settings.take_settings(read, &mut self.cx)
            }
            Msg::Pushed(Push::SettingChanged { key, text, result }) => self
                .panes
                .settings
                .on_changed(&key, text, result, &mut self.cx),
            Msg::Pushed(Push::EffectFailed(why)) => self.cx.ui.notice = Some(Notice::error(why)),
            Msg::Elapsed(timer) => self.on_timer(timer),
            Msg::EditorClosed(_, Err(why)) => self.cx.ui.notice = Some(Notice::error(why)),
            Msg::EditorClosed(EditorPurpose::Note, Ok(text)) => self
                .panes
                .annotation_form
                .take_edited_note(&text, &mut self.cx),
            Msg::EditorClosed(EditorPurpose::Record, Ok(text)) => self
                .panes
                .annotation_form
                .take_edited_record(text, &mut self.cx),
            Msg::EditorClosed(EditorPurpose::Skills, Ok(text)) => {
                self.panes.skills.take_edited_text(text, &mut self.cx)
            }
            Msg::Background(background) => {
                dispatch::set_background(background, &mut self.cx.work, &mut self.cx.settings)
            }
        }
        self.perform_actions();
        while let Some(command) = self.cx.next_deferred_command() {
            self.run_command(command);
            self.perform_actions();
        }
        if self.press_keys_ahead() {
            shown_price = Some(Price::Free);
        }
        self.cx.show_join_code();
        self.save_drafts();
        self.cx.queue.apply_facts();
        if promises::update_today(&mut self.cx) {
            self.update_focus();
        }
        self.update_layout();
        self.cx.wake_snoozes();
        visits::remember_leaving(&self.cx.clock, &mut self.cx.queue);
        self.cx.read_descriptions();
        self.cx.read_queue();
        self.cx.start_polling();
        let (declined, notice) = self.cx.check_soft_budget(is_event);
        for (token, failure) in declined {
            self.on_reply(token, Err(failure));
        }
        self.cx.ui.notice = notice.or(self.cx.ui.notice.take());
        self.perform_actions();
        self.cx.record_place();
        if is_event {
            self.cx.refresh_history_list();
        }
        if let Some(shown) = shown_price {
            self.cx.confirm_unseen_cost(shown);
        }
        if self.cx.frame.is_blank() {
            self.cx.work.drop_alerts();
        }
        if self.cx.ui.has_open_question() && !(had_question && is_event) {
            self.cx.work.keep_question_reason();
        }
        self.cx.work.take_effects()
    }

    /// Asks the pane on the screen what has the focus, and what commands act on.
    fn update_focus(&mut self) {
        let PaneFocus {
            scope,
            list,
            subject,
            participant,
        } = self.panes.get(self.cx.ui.screen()).focus(&self.cx);
        self.cx.ui.focus = Focus {
            pane_scope: scope,
            list,
            subject,
            participant,
            is_annotating: self.panes.annotation_form.is_open(),
            list_filter_open: self.panes.explore.list_filter.is_some(),
            rows: FocusedRows::default(),
        };
        let list = self.panes.list(&self.cx);
        let rows = list.map_or_else(FocusedRows::default, |list| list.focused_rows());
        self.cx.ui.set_focused_rows(rows);
    }

    /// The lines printed after the screen is closed.
    pub fn exit_lines(&self) -> Vec<String> {
        self.cx
            .exit_lines()
            .into_iter()
            .chain(self.panes.annotation_form.exit_line(&self.cx))
            .collect()
    }

    /// The exit status: 0 done, 3 not allowed, 5 not reached.
    pub fn exit_status(&self) -> u8 {
        self.cx.exit_state.exit_status()
    }

    pub fn theme(&self) -> Theme {
        self.cx.settings.theme
    }

    /// The scope of the commands that work now.
    pub fn scope(&self) -> Scope {
        self.cx.ui.focus.scope()
    }

    /// Whether the user is being asked something.
    pub fn has_open_question(&self) -> bool {
        self.cx.ui.has_open_question()
    }

    /// Why the last update made its calls, for the ledger.
    pub fn request_reason(&self) -> &'static str {
        self.cx.work.request_reason()
    }

    /// How many changes wait until the request before them is answered.
    pub fn waiting_write_count(&self) -> usize {
        self.cx.outbox.waiting_act_count()
    }

    /// What the next start has to know of this visit: the name and value of a preference.
    pub fn visit_preference(&self) -> Option<(String, String)> {
        self.cx.visit_preference()
    }

    /// The queue as it is shown, to be shown again at the next start.
    pub fn queue_snapshot(&self) -> Option<QueueSnapshot> {
        cached_queue::queue_snapshot(&self.cx.queue, &self.cx.session)
    }

    /// Sets whether a key is held down: what cannot be read meanwhile is drawn once it is released.
    pub fn set_key_held(&mut self, is_held: bool) {
        self.cx.pressed.set_key_held(is_held);
    }

    /// Sets the offset of the user's clock from UTC.
    pub fn set_utc_offset(&mut self, offset: FixedOffset) {
        self.cx.set_utc_offset(offset);
    }

    /// Tells the pane on the screen what happens to it.
    fn send_to_pane(&mut self, event: PaneEvent<'_>) {
        let pane = self.panes.get_mut(self.cx.ui.screen());
        pane.on_event(event, &mut self.cx);
    }

    /// Tells the pane on the screen that it was opened, once there is a service to read from.
    fn open_pane(&mut self) {
        if self.cx.session.is_connected() {
            self.send_to_pane(PaneEvent::Opened);
        }
    }

    /// Goes to a visited place.
    pub fn revisit(&mut self, at: usize) {
        match self.cx.trail.take_place(at) {
            Some(Place::Screen(screen)) => self.go_to_screen(screen),
            Some(Place::View(id, _)) => self
                .panes
                .perform(ViewsAction::Show(id).into(), &mut self.cx),
            Some(Place::Record(key, name)) => self.panes.record.revisit(key, name, &mut self.cx),
            Some(Place::Signal(signal)) => {
                let tab = self.cx.queue.tab;
                if self.cx.queue.tab_state(tab).list.row(signal.id).is_some() {
                    self.cx
                        .queue
                        .tab_state_mut(tab)
                        .move_to_first_of(&[signal.id]);
                    self.panes.detail.open(&mut self.cx);
                } else {
                    self.panes.detail.open_unlisted(*signal, &mut self.cx);
                }
            }
            None => {}
        }
    }

    /// Goes to a numbered screen. What it shows is read only where that is free.
    pub fn go_to_screen(&mut self, screen: Screen) {
        if let Err(reason) = self.cx.session.can_leave_dashboard() {
            return self.cx.ui.inform(reason);
        }
        if self.cx.ui.screen() != screen {
            self.panes.explore.leave_list_filter(&mut self.cx);
            self.cx.ui.enter_screen(screen);
        }
        let before = pressed_keys::last_request(&self.cx.work);
        self.open_pane();
        self.cx
            .pressed
            .note_opening(before, &self.cx.ui, &self.cx.work);
    }
}

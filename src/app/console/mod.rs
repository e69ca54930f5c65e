//! The console: it hands each message to the pane, the overlay or the subsystem that it is for.
//!
//! [`Console::update`] is the only entry point, [`Console::update_layout`] computes rectangles from size and state,
//! [`Console::draw`] paints. The console lives beside the panes, not above them: neither panes nor subsystems see it.

mod actions;
mod compact;
mod drafts;
mod draw;
mod footer;
mod input;
mod layout;
mod mouse;
mod overlay;
mod paste;
mod prompts;
mod replies;

use chrono::{DateTime, Utc};

use super::effect::Effect;
use super::msg::{EditorPurpose, Msg, Push};
use super::notice::Notice;
use super::panes::{Panes, build_keymap};
use super::session::{AppSettings, ConsoleSession};
use super::{Context, Screen};

pub struct Console {
    panes: Panes,
    cx: Context,
}

impl std::ops::Deref for Console {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.cx
    }
}

impl std::ops::DerefMut for Console {
    fn deref_mut(&mut self) -> &mut Context {
        &mut self.cx
    }
}

impl Console {
    /// A console of this size, and its first effects.
    pub fn new(session: ConsoleSession, settings: AppSettings, size: (u16, u16), now: DateTime<Utc>) -> (Console, Vec<Effect>) {
        let keymap = build_keymap(&settings.key_overrides);
        let mut console = Console { panes: Panes::default(), cx: Context::new(session, settings, keymap, size, now) };
        console.update_focus();
        console.open_pane();
        console.update_layout();
        console.read_queue();
        let effects = std::mem::take(&mut console.cx.effects);
        (console, effects)
    }

    #[cfg(test)]
    pub(super) fn panes(&self) -> &Panes {
        &self.panes
    }

    #[cfg(test)]
    pub(super) fn context(&self) -> &Context {
        &self.cx
    }

    /// The only entry point: handles a message at time `now` and returns the effects.
    pub fn update(&mut self, msg: Msg, now: DateTime<Utc>) -> Vec<Effect> {
        self.now = now;
        let is_click = matches!(msg, Msg::Mouse(_));
        let (had_question, is_event) = (self.has_open_question(), matches!(msg, Msg::Pushed(_) | Msg::Replied(..)));
        self.request_reason = match &msg {
            Msg::Pushed(_) => "poll",
            // The reason of the request is found with it.
            Msg::Replied(..) => "console",
            _ if had_question => self.question_reason,
            _ => "console",
        };
        match msg {
            msg if self.is_swallowed_while_blank(&msg) => {}
            Msg::Key(key) => {
                self.resume_queue_reads();
                self.handle_key(key);
            }
            Msg::Paste(text) => self.handle_paste(&text),
            Msg::Mouse(event) => self.handle_mouse(event),
            Msg::Resized(width, height) => self.size = (width, height),
            Msg::Focused(true) => self.poll_now(),
            Msg::Focused(false) | Msg::Resumed => {}
            Msg::Replied(token, result) => self.on_reply(token, result),
            Msg::Pushed(Push::Stats { result, skew }) => self.on_stats(result, skew),
            Msg::Pushed(Push::QueueSnapshot(last)) => self.show_previous_queue(*last),
            Msg::Pushed(Push::SystemSuspended(time)) => self.on_system_resumed(time),
            Msg::Pushed(Push::Warning(line)) => self.show_system_warning(line),
            Msg::Pushed(Push::JournalFailed(why)) => self.confirm_send_unjournaled(&why),
            Msg::Pushed(Push::Health(health)) => self.set_health(health),
            Msg::Pushed(Push::ExportProgressed(token, progress)) => self.on_export_progress(token, progress),
            Msg::Pushed(Push::BrowserFailed { url, reason: why }) => self.on_browser_failed(url, &why),
            Msg::Pushed(Push::EffectFailed(why)) => self.notice = Some(Notice::error(why)),
            Msg::Elapsed(timer) => self.on_timer(timer),
            Msg::EditorClosed(_, Err(why)) => self.notice = Some(Notice::error(why)),
            Msg::EditorClosed(EditorPurpose::Note, Ok(text)) => self.panes.annotation_form.take_edited_note(&text, &mut self.cx),
            Msg::EditorClosed(EditorPurpose::Skills, Ok(text)) => self.panes.skills.take_edited_text(text, &mut self.cx),
            Msg::Background(background) => self.settings.theme.background = background.unwrap_or(self.settings.theme.background),
        }
        self.perform_actions();
        while let Some(command) = self.cx.next_deferred_command() {
            self.run_command(command);
            self.perform_actions();
        }
        self.save_drafts();
        self.update_layout();
        self.read_queue();
        let (declined, notice) = self.cx.check_soft_budget(is_event);
        for (token, failure) in declined {
            self.on_reply(token, Err(failure));
        }
        self.cx.notice = notice.or(self.cx.notice.take());
        self.perform_actions();
        if is_click {
            self.confirm_click_cost();
        }
        self.suppress_alerts();
        if self.has_open_question() && !(had_question && is_event) {
            self.question_reason = self.request_reason;
        }
        std::mem::take(&mut self.effects)
    }

    /// Asks the pane on the screen what has the focus, and what commands act on.
    fn update_focus(&mut self) {
        self.cx.is_annotating = self.panes.annotation_form.is_open();
        self.cx.list_filter_open = self.panes.explore.list_filter.is_some();
        let pane = self.panes.get(self.cx.screen);
        self.cx.focused_list = pane.focused_list();
        self.cx.subject = pane.subject(&self.cx);
        self.cx.pane_scope = pane.scope(&self.cx);
    }

    /// The lines printed after the screen is closed.
    pub fn exit_lines(&self) -> Vec<String> {
        self.cx.exit_lines().into_iter().chain(self.panes.annotation_form.exit_line(&self.cx)).collect()
    }

    /// Tells the pane on the screen that it was opened, once there is a service to read from.
    fn open_pane(&mut self) {
        if self.cx.is_connected() {
            self.panes.get_mut(self.cx.screen).on_open(&mut self.cx);
        }
    }

    /// Goes to a numbered screen. What it shows is read only where that is free.
    pub fn go_to_screen(&mut self, screen: Screen) {
        if self.session.is_dashboard_only {
            self.notice = Some(Notice::info("gantry watch shows only this screen; run gantry for the others"));
            return;
        }
        if self.screen != screen {
            self.panes.explore.leave_list_filter(&mut self.cx);
            self.previous_screen = self.screen;
            self.screen = screen;
            self.notice = None;
        }
        self.open_pane();
    }
}

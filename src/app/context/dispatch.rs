//! What the console does with the context around each message. Panes have no use for it.

use chrono::{DateTime, Utc};

use crate::app::context::Context;
use crate::app::effect::Slot;
use crate::app::msg::{Msg, Token};
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::requests::Request;
use crate::app::session::BACKGROUND_PREFERENCE;
use crate::ui::{Background, TextRole};

impl Context {
    /// Begins to handle a message: sets the time, and the reason of what it causes.
    pub(in crate::app) fn begin_message(&mut self, msg: &Msg, now: DateTime<Utc>) {
        self.clock.now = now;
        self.note_activity(msg);
        if matches!(msg, Msg::Key(_) | Msg::Paste(_) | Msg::Mouse(_)) {
            self.record_presence();
        }
        match msg {
            Msg::Pushed(_) => self.work.set_request_reason("poll"),
            // The reason of the request is found with it.
            Msg::Replied(..) => self.work.set_request_reason("console"),
            _ if self.ui.has_open_question() => self.work.resume_question_reason(),
            _ => self.work.set_request_reason("console"),
        }
    }

    pub(in crate::app) fn set_background(&mut self, background: Background) {
        self.settings.theme.background = background;
        let is_light = background == Background::Light;
        if is_light == self.settings.preference(BACKGROUND_PREFERENCE).is_empty() {
            self.settings.save_preference(
                BACKGROUND_PREFERENCE,
                if is_light { "light" } else { "" },
                &mut self.work,
            );
        }
    }

    /// Takes the request that a reply answers, and the slot of its call; `None` for a stale reply.
    pub(in crate::app) fn take_request(&mut self, token: Token) -> Option<(Slot, Request)> {
        let open = self.work.requests.take(token)?;
        self.work.set_request_reason(open.reason);
        // What the notice says about a failure no longer holds once a retry is answered.
        if let Some(failure) = self.work.requests.take_shown_failure(&open.slot, token) {
            self.ui.notice.take_if(|notice| notice.text == failure);
        }
        Some((open.slot, open.request))
    }

    /// Remembers that the notice shows a failure of this slot, if it shows another one than before.
    pub(in crate::app) fn remember_shown_failure(&mut self, slot: Slot, before: Option<&Notice>) {
        let failure = self
            .ui
            .notice
            .as_ref()
            .filter(|notice| notice.role == TextRole::Error && before != Some(*notice));
        if let Some(failure) = failure {
            self.work
                .requests
                .set_shown_failure(slot, failure.text.clone());
            // The card waits for a start without an error.
            self.ui
                .overlay
                .take_if(|overlay| matches!(overlay, Overlay::FirstRun));
        }
    }
}

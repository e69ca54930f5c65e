//! What the console does with the context around each message. Panes have no use for it.

use chrono::{DateTime, Utc};

use crate::app::AppSettings;
use crate::app::context::{Context, Ui, Work};
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
        self.descriptions.note_activity(msg);
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
}

pub(in crate::app) fn set_background(
    background: Background,
    work: &mut Work,
    settings: &mut AppSettings,
) {
    settings.theme.background = background;
    let is_light = background == Background::Light;
    if is_light == settings.preference(BACKGROUND_PREFERENCE).is_empty() {
        settings.save_preference(
            BACKGROUND_PREFERENCE,
            if is_light { "light" } else { "" },
            work,
        );
    }
}

/// Takes the request that a reply answers, and the slot of its call; `None` for a stale reply.
pub(in crate::app) fn take_request(
    token: Token,
    ui: &mut Ui,
    work: &mut Work,
) -> Option<(Slot, Request)> {
    let open = work.requests.take(token)?;
    work.set_request_reason(open.reason);
    // What the notice says about a failure no longer holds once a retry is answered.
    if let Some(failure) = work.requests.take_shown_failure(&open.slot, token) {
        ui.notice.take_if(|notice| notice.text == failure);
    }
    Some((open.slot, open.request))
}

/// Remembers that the notice shows a failure of this slot, if it shows another one than before.
pub(in crate::app) fn remember_shown_failure(
    slot: Slot,
    before: Option<&Notice>,
    ui: &mut Ui,
    work: &mut Work,
) {
    let failure = ui
        .notice
        .as_ref()
        .filter(|notice| notice.role == TextRole::Error && before != Some(*notice));
    if let Some(failure) = failure {
        work.requests.set_shown_failure(slot, failure.text.clone());
        // The card waits for a start without an error.
        ui.overlay
            .take_if(|overlay| matches!(overlay, Overlay::FirstRun));
    }
}

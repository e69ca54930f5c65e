//! What earlier runs left, and the drafts of this one.

use crate::app::console::Console;
use crate::app::drafts::RestoredDrafts;
use crate::app::format::pluralize;
use crate::app::msg::{CallResult, payload};
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::Choice;
use crate::app::pane::{Pane, PaneEvent};
use crate::domain::journal::SavedState;

impl Console {
    /// Takes what earlier runs left on this machine. After a failure the next poll asks again.
    pub(super) fn on_saved_state_reply(&mut self, result: CallResult) {
        let Ok(mut past) = payload::<Box<SavedState>>(result) else {
            self.cx.header.retry_saved_state();
            return;
        };
        if past.writes_in_other_process > 0 {
            let count = usize::try_from(past.writes_in_other_process).unwrap_or(usize::MAX);
            let text = format!(
                "another gantry on this machine is still sending {}",
                pluralize(count, "change")
            );
            self.cx.ui.notice = Some(Notice::warning(text).with_hint("gantry log shows them"));
        }
        let drafts = RestoredDrafts::new(std::mem::take(&mut past.drafts));
        self.cx.restore_drafts(&drafts, past.is_persistent);
        self.panes
            .for_each(|pane| pane.on_event(PaneEvent::DraftsRestored(&drafts), &mut self.cx));
        self.cx.restore_saved_state(*past);
    }

    pub(super) fn save_drafts(&mut self) {
        self.panes
            .for_each(|pane| pane.on_event(PaneEvent::MessageHandled, &mut self.cx));
        self.cx.save_drafts();
    }

    /// Asks before quitting with input that is not saved anywhere. Returns whether there is any.
    pub(super) fn confirm_quit_with_drafts(&mut self) -> bool {
        let mut lost: Vec<String> = Vec::new();
        if !self.cx.drafts.has_persistent_drafts() {
            self.panes
                .for_each(|pane| lost.extend(pane.unsaved_input()));
        }
        if !lost.is_empty() {
            let text = format!("Not saved, and lost if you quit: {}.", lost.join(", and "));
            self.cx.ui.overlay = Some(Overlay::Choice(Choice::confirm_quit(text)));
        }
        !lost.is_empty()
    }

    /// Asks before leaving with staged changes, which are in effect for nobody yet. Returns
    /// whether there are any.
    pub(super) fn confirm_quit_with_staged(&mut self) -> bool {
        let staged = self.panes.subscriptions.unsaved_input();
        let Some(staged) = staged else { return false };
        let text = format!("Not sent yet: {staged}. It is kept until you return.");
        self.cx.ui.overlay = Some(Overlay::Choice(Choice::confirm_quit(text)));
        true
    }
}

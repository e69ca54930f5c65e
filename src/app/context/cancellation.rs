//! Ctrl-c: cancels what is running; pressed twice, quits. Quitting with writes that are not saved.

use std::time::Duration;

use crate::app::context::Context;
use crate::app::context::outbox::{deferred_commands, undo};
use crate::app::effect::{Effect, Slot};
use crate::app::format::pluralize;
use crate::app::model::record_list::RecordList;
use crate::app::msg::Timer;
use crate::app::notice::Notice;
use crate::domain::exit_status;

/// A second Ctrl-c within this time quits.
const QUIT_CONFIRM_WINDOW: Duration = Duration::from_secs(2);

impl Context {
    /// Cancels what is running; a second time within two seconds, quits.
    pub(in crate::app) fn cancel_running(&mut self) {
        let armed = self.pressed.quit_arm_count % 2 == 1;
        if armed {
            self.exit_state.status = exit_status::INTERRUPTED;
            self.work.emit(Effect::Quit);
            return;
        }
        self.pressed.quit_arm_count += 1;
        let timer = Timer::QuitArmed(self.pressed.quit_arm_count);
        self.work.set_timer(timer, QUIT_CONFIRM_WINDOW);
        self.pressed.clear_pressed_keys();
        self.pressed.drop_keys_ahead(&mut self.ui);
        let slots = [
            Slot::Question,
            Slot::Record,
            Slot::AnnotationForm,
            Slot::MissingRecords,
            Slot::PreflightRecords,
        ];
        let reading: Vec<Slot> = self
            .records
            .lists
            .iter()
            .filter(|(_, list)| list.is_reading())
            .map(|(id, _)| Slot::Records(id.clone()))
            .chain(self.exports.is_running().then_some(Slot::Export))
            .chain(
                slots
                    .into_iter()
                    .filter(|slot| self.work.requests.is_slot_open(slot)),
            )
            .collect();
        let is_loading_queue = self.queue.stop_reading_all();
        let is_describing = self.descriptions.stop_descriptions();
        let running = undo::is_writing(&self.outbox)
            || !reading.is_empty()
            || is_loading_queue
            || is_describing;
        self.records
            .lists
            .values_mut()
            .for_each(RecordList::stop_after_page);
        self.cancel_writes();
        self.work.emit_all(reading.into_iter().map(Effect::Cancel));
        let text = if running {
            "canceled; waiting for what was sent"
        } else {
            "nothing is running"
        };
        let dropped = deferred_commands::drop_deferred_commands(&mut self.outbox);
        self.ui.notice =
            Some(Notice::info(format!("{text}{dropped}")).with_hint("Ctrl-c again quits"));
    }

    /// Refuses to quit while writes are in progress, and asks first if some could not be sent.
    /// Returns whether there are any.
    pub(in crate::app) fn confirm_quit_with_writes(&mut self) -> bool {
        if undo::is_writing(&self.outbox) {
            let waiting = pluralize(self.outbox.pending_count(), "write");
            self.ui.notice = Some(
                Notice::warning(format!("{waiting} still in progress"))
                    .with_hint("Ctrl-c twice quits anyway"),
            );
            return true;
        }
        let has_unsent = self.outbox.outbox_len(&self.queue) > 0;
        if has_unsent {
            self.confirm_quit_with_outbox();
        }
        has_unsent
    }
}

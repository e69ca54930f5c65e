//! Snoozes of the conversation: the same as the console's, on this machine only.

use chrono::Local;

use crate::cli::snooze;
use crate::domain::SignalId;
use crate::domain::journal::{EntryCause, JournalChange};
use crate::domain::snooze::{Snooze, SnoozeChange, parse_snooze_until, split_snooze_reason};

use super::steps::{SnoozeStep, UndoableStep};
use super::{
    CliError, Conversation, ConversationRow, NO_SIGNAL_MESSAGE, messages, prefixes, print_line,
};

impl Conversation<'_> {
    /// Snoozes this signal on this machine, with a time and a reason as the user writes them, and
    /// goes to the next.
    pub(super) async fn snooze(&mut self, words: &str) -> Result<(), CliError> {
        let Some(ConversationRow { signal, is_done }) = self.rows.get(self.position) else {
            return print_line(NO_SIGNAL_MESSAGE);
        };
        if *is_done {
            return print_line("It is done, so it cannot be snoozed. n goes to the next.");
        }
        let now = self.now();
        let (time, reason) = split_snooze_reason(words);
        let until = parse_snooze_until(time, &now.with_timezone(&Local));
        let reason = reason.map(snooze::parse_reason).transpose();
        let (until, reason) = match until.and_then(|until| Ok((until, reason?))) {
            Ok(read) => read,
            Err(why) => return print_line(&format!("Not snoozed: {why}.")),
        };
        let id = signal.signal.id;
        let after = Snooze::new(signal.clone(), now, until).with_reason(reason.as_deref());
        let step = SnoozeStep {
            op: None,
            description: format!("snooze of {}", messages::project_name(signal)),
            change: SnoozeChange {
                id,
                before: self.snoozes.get(&id).cloned(),
                after: Some(after),
            },
        };
        print_line(&format!(
            "Snoozed: {} until {}, on this machine only. u undoes.",
            messages::project_name(signal),
            messages::spoken_until(until, now)
        ))?;
        self.history.pop_step(&EntryCause::New);
        self.apply_snooze(&EntryCause::New, step);
        self.move_cursor(true).await
    }

    /// Ends the snooze of a signal that is done.
    pub(super) fn end_snooze(&mut self, id: SignalId) {
        if let Some(before) = self.snoozes.get(&id).cloned() {
            let name = messages::project_name(&before.row);
            let step = SnoozeStep {
                op: None,
                description: format!("end of the snooze of {name}"),
                change: SnoozeChange {
                    id,
                    before: Some(before),
                    after: None,
                },
            };
            self.apply_snooze(&EntryCause::New, step);
        }
    }

    /// Changes a snooze on this machine, and journals it.
    fn apply_snooze(&mut self, cause: &EntryCause, step: SnoozeStep) {
        let change = &step.change;
        let changes = vec![change.clone()];
        let journaled = JournalChange::Snooze { changes };
        let op = self.record(cause, step.op, &step.description, journaled);
        let store = snooze::snooze_store(self.session);
        match &change.after {
            Some(snooze) => {
                store.save(vec![snooze.clone()]);
                self.snoozes.insert(change.id, snooze.clone());
            }
            None => {
                store.remove(vec![change.id]);
                self.snoozes.remove(&change.id);
            }
        }
        let step = Box::new(SnoozeStep {
            op: Some(op),
            ..step
        });
        self.history
            .push_step(cause, true, UndoableStep::Snooze(step));
    }

    /// Undoes or redoes a snooze. It concerns nobody else, so nothing is checked before.
    pub(super) async fn replay_snooze(
        &mut self,
        cause: EntryCause,
        step: SnoozeStep,
    ) -> Result<(), CliError> {
        let (id, change) = (step.change.id, step.change.inverse());
        let state = if change.after.is_some() {
            "snoozed"
        } else {
            "back in New"
        };
        print_line(&format!(
            "{}done: {}. It is {state}, on this machine.",
            prefixes(&cause).0,
            step.description
        ))?;
        self.apply_snooze(&cause, SnoozeStep { change, ..step });
        self.go_to_changed(&cause, Some(id.0)).await
    }
}

//! The machine below the console in tests: what it stores, and what the next start finds there.

use chrono::Duration;
use serde_json::Value;
use uuid::Uuid;

use super::{TestConsole, morning_queue};
use crate::app::effect::Slot;
use crate::app::{AppSettings, ConsoleSession, Effect};
use crate::domain::drafts::Draft;
use crate::domain::journal::{EntryCause, JournalChange, JournalEntry, SavedState};
use crate::domain::runs::SavedSearchRun;

impl TestConsole {
    /// Stores what an effect contains, as the real store would.
    pub(super) fn store_effect(&mut self, effect: &Effect) {
        match effect {
            Effect::SaveDraft { name, content: typed } => self.store_draft(name, typed.clone()),
            Effect::SaveSearchRun { run, first_row: from } => self.store_run(run, *from),
            Effect::JournalWrite { slot, cause, description: words, change, .. } => self.store_entry(slot, cause, words, change),
            Effect::JournalApplied { slot, change } => {
                let begun = self.started_writes.iter().find(|(of, _)| of == slot).map(|(_, act)| act.clone());
                let Some(act) = begun else { return };
                self.saved_state.entries.retain(|known| known.op != act.op);
                self.saved_state.entries.push(JournalEntry { change: change.clone(), ..act });
            }
            _ => {}
        }
    }

    /// A write counts as applied unless a later effect says what was.
    fn store_entry(&mut self, slot: &Slot, cause: &EntryCause, words: &str, change: &JournalChange) {
        let (op, at, reason) =
            (Uuid::from_u128(self.started_writes.len() as u128), self.now, self.context().request_reason().to_owned());
        let act = JournalEntry {
            op,
            at,
            cause: cause.clone(),
            original_op: None,
            reason,
            description: words.to_owned(),
            change: change.clone(),
        };
        self.saved_state.entries.push(act.clone());
        self.started_writes.push((slot.clone(), act));
    }

    fn store_run(&mut self, run: &SavedSearchRun, from: usize) {
        let same = |kept: &SavedSearchRun| (&kept.source, &kept.search) == (&run.source, &run.search);
        match self.saved_state.search_runs.iter_mut().find(|kept| same(kept)) {
            Some(kept) => {
                let rows = kept.rows.iter().take(from).chain(&run.rows).cloned().collect();
                *kept = SavedSearchRun { rows, ..run.clone() };
            }
            None => self.saved_state.search_runs.push(run.clone()),
        }
    }

    fn store_draft(&mut self, name: &str, typed: Option<Value>) {
        let at = self.now;
        self.saved_state.drafts.retain(|draft| draft.name != name);
        self.saved_state.drafts.extend(typed.map(|typed| Draft {
            name: name.to_owned(),
            at,
            content: typed,
            is_open_elsewhere: false,
        }));
    }

    /// The program ends as it is, and starts again on the same machine an hour later.
    pub fn restart(self) -> TestConsole {
        self.restart_after(Duration::hours(1))
    }

    /// The program ends as it is, and starts again on the same machine.
    pub fn restart_after(self, after: Duration) -> TestConsole {
        let session =
            ConsoleSession { label: "acme-west".to_owned(), connected: true, read_only: false, is_dashboard_only: false };
        let mut console = TestConsole::with_session(session, morning_queue(), (120, 36), AppSettings::default());
        console.rows = self.rows;
        console.service = self.service;
        console.saved_state = SavedState { is_persistent: true, ..self.saved_state };
        console.now = self.now + after;
        console.poll().serve()
    }
}

//! The machine below the console in tests: what it keeps, and what the next start finds there.

use chrono::Duration;
use serde_json::Value;
use uuid::Uuid;

use super::{Console, morning};
use crate::app::effect::Slot;
use crate::app::{Effect, Session, Settings};
use crate::domain::drafts::Draft;
use crate::domain::journal::{EntryCause, JournalChange, JournalEntry, SavedState};
use crate::domain::runs::SavedSearchRun;

impl Console {
    /// Keeps what an effect says, as the store would.
    pub(super) fn keep(&mut self, effect: &Effect) {
        match effect {
            Effect::Keep { name, typed } => self.keep_typed(name, typed.clone()),
            Effect::Ran { run, from } => self.keep_run(run, *from),
            Effect::Journal { slot, wish, words, change, .. } => self.keep_act(slot, wish, words, change),
            Effect::Applied { slot, change } => {
                let begun = self.begun.iter().find(|(of, _)| of == slot).map(|(_, act)| act.clone());
                let Some(act) = begun else { return };
                self.past.entries.retain(|known| known.op != act.op);
                self.past.entries.push(JournalEntry { change: change.clone(), ..act });
            }
            _ => {}
        }
    }

    /// Triage is taken to be applied, unless it is told of which signals it was; of a write that is told.
    fn keep_act(&mut self, slot: &Slot, wish: &EntryCause, words: &str, change: &JournalChange) {
        let (op, at, reason) = (Uuid::from_u128(self.begun.len() as u128), self.now, self.app.reason().to_owned());
        let act = JournalEntry {
            op,
            at,
            cause: wish.clone(),
            original_op: None,
            reason,
            description: words.to_owned(),
            change: change.clone(),
        };
        if matches!(change, JournalChange::Triage { .. }) {
            self.past.entries.push(act.clone());
        }
        self.begun.push((slot.clone(), act));
    }

    fn keep_run(&mut self, run: &SavedSearchRun, from: usize) {
        let same = |kept: &SavedSearchRun| (&kept.source, &kept.search) == (&run.source, &run.search);
        match self.past.search_runs.iter_mut().find(|kept| same(kept)) {
            Some(kept) => {
                let rows = kept.rows.iter().take(from).chain(&run.rows).cloned().collect();
                *kept = SavedSearchRun { rows, ..run.clone() };
            }
            None => self.past.search_runs.push(run.clone()),
        }
    }

    fn keep_typed(&mut self, name: &str, typed: Option<Value>) {
        let at = self.now;
        self.past.drafts.retain(|draft| draft.name != name);
        self.past.drafts.extend(typed.map(|typed| Draft { name: name.to_owned(), at, content: typed, is_open_elsewhere: false }));
    }

    /// The program ends as it stands, and is started again on the same machine an hour later.
    pub fn restarted(self) -> Console {
        self.again(Duration::hours(1))
    }

    /// The program ends as it stands, and is started again on the same machine.
    pub fn again(self, after: Duration) -> Console {
        let session = Session { label: "acme-west".to_owned(), connected: true, read_only: false, watches: false };
        let mut console = Console::with(session, morning(), (120, 36), Settings::default());
        console.rows = self.rows;
        console.desk = self.desk;
        console.past = SavedState { is_persistent: true, ..self.past };
        console.now = self.now + after;
        console.poll().serve()
    }
}

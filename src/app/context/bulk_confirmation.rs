//! Bulk writes ask first: from twenty rows on, a confirmation says what will be written. Its preselected answer changes nothing.

use crate::app::Context;
use crate::app::action::Action;
use crate::app::format::{format_count, pluralize};
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::Choice;
use crate::domain::SignalId;
use crate::domain::queue::QueueTab;
use crate::domain::writes::ReversibleWrite;

/// A write of this many rows asks first.
pub(in crate::app) const BULK_THRESHOLD: usize = 20;

impl Context {
    /// Asks before a change: `verb` says what it does, as in `mark 99 signals done`, `scope` to how many rows.
    pub(in crate::app) fn confirm_change(&mut self, verb: &str, scope: String, then: Action) {
        self.overlay = Some(Overlay::Choice(Choice::confirm_write(verb, scope, then)));
    }

    /// Writes changes; asks first when there are many.
    pub fn write_or_confirm(&mut self, verb: &str, scope: String, words: String, changes: Vec<ReversibleWrite>) {
        if changes.len() < BULK_THRESHOLD {
            self.write_changes(words, changes);
        } else {
            self.confirm_change(verb, format!("{scope} This applies to the whole team."), Action::Write(words, changes));
        }
    }

    /// Whether triage of these signals asks first: they are many, or the range includes rows that are not loaded.
    pub(in crate::app) fn is_bulk_triage(&self, from: QueueTab, ids: &[SignalId]) -> bool {
        ids.len() >= BULK_THRESHOLD || ids.len() > 1 && self.queue.tab_state(from).unread_in_range() > 0
    }

    pub(in crate::app) fn confirm_triage(&mut self, from: QueueTab, ids: Vec<SignalId>) {
        let tab = self.queue.tab_state(from);
        let signals = pluralize(ids.len(), "signal");
        let verb = match from {
            QueueTab::New | QueueTab::Snoozed => format!("mark {signals} done"),
            QueueTab::Done => format!("move {signals} back to New"),
        };
        let scope = format!("{} of {}", format_count(ids.len() as u64), pluralize(tab.list.total(), "row"));
        let scope = match (tab.loaded_ranges_label(), ids.iter().filter(|id| tab.list.row(**id).is_none()).count()) {
            (None, _) => format!("{scope} in this list."),
            (Some(loaded), 0) => {
                format!("{scope} in this list. Only {loaded} are loaded; rows that are not loaded stay as they are.")
            }
            (Some(loaded), gone) => {
                let gone = format_count(gone as u64);
                format!(
                    "{scope} in this list; {gone} were marked and are no longer loaded. Only {loaded} are; others stay as they are."
                )
            }
        };
        self.confirm_change(&verb, format!("{scope} This applies to the whole team."), Action::Triage(from, ids));
    }
}

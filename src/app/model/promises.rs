//! The open promises in the notes of records, as far as the notes were read or written.

use std::collections::BTreeMap;

use chrono::NaiveDateTime;
use uuid::Uuid;

use crate::domain::book::RecordKind;
use crate::domain::promises::{Promise, PromisingNote, describe_due, open_promises};

/// The notes that promise something, by record, with what is open in them.
#[derive(Clone, Debug, Default)]
pub struct Promises {
    notes: BTreeMap<Uuid, (PromisingNote, Vec<Promise>)>,
}

/// An open promise for a record, as listed.
#[derive(Clone, Debug, PartialEq)]
pub struct PromiseRow {
    pub kind: RecordKind,
    pub id: Uuid,
    /// Of the record.
    pub name: String,
    pub promise: Promise,
    /// Seen from now.
    pub due_text: String,
    pub is_due: bool,
}

impl PromiseRow {
    /// What a search looks at.
    pub(super) fn text(&self) -> String {
        let by = self.promise.by.as_deref().unwrap_or_default();
        format!("{} {} {by}", self.promise.text, self.name)
    }
}

impl Promises {
    /// Takes a note, unless a newer one is known. Returns whether that changes what is kept.
    pub fn take_note(&mut self, note: PromisingNote) -> bool {
        let known = self.note(note.id);
        if known.is_some_and(|known| known.noted_at > note.noted_at) {
            return false;
        }
        let open: Vec<Promise> = open_promises(&note.text).collect();
        // What was closed is remembered: an older copy of the note must not bring it back.
        if open.is_empty() && known.is_none() {
            return false;
        }
        let is_other = known.is_none_or(|known| known.text != note.text || known.name != note.name);
        self.notes.insert(note.id, (note, open));
        is_other
    }

    pub fn note(&self, record: Uuid) -> Option<&PromisingNote> {
        self.notes.get(&record).map(|(note, _)| note)
    }

    /// All open promises, with the notes that they are in.
    pub fn open(&self) -> impl Iterator<Item = (&PromisingNote, &Promise)> {
        let notes = self.notes.values();
        notes.flat_map(|(note, open)| open.iter().map(move |promise| (note, promise)))
    }

    /// The open promises that are not a colleague's, what is due first.
    pub fn list_own(
        &self,
        now: NaiveDateTime,
        is_colleague: impl Fn(&str) -> bool,
    ) -> Vec<PromiseRow> {
        let open = self.own(is_colleague);
        let mut rows: Vec<PromiseRow> = open
            .map(|(note, promise)| PromiseRow {
                kind: note.kind.clone(),
                id: note.id,
                name: note.name.clone(),
                promise: promise.clone(),
                due_text: describe_due(promise.due(), now),
                is_due: promise.due() <= now,
            })
            .collect();
        rows.sort_by_key(|row| (row.promise.due(), row.name.clone()));
        rows
    }

    /// How many of them are due by the user's clock.
    pub fn due_count(&self, now: NaiveDateTime, is_colleague: impl Fn(&str) -> bool) -> usize {
        let own = self.own(is_colleague);
        own.filter(|(_, promise)| promise.due() <= now).count()
    }

    fn own(
        &self,
        is_colleague: impl Fn(&str) -> bool,
    ) -> impl Iterator<Item = (&PromisingNote, &Promise)> {
        let is_own = move |promise: &Promise| !promise.by.as_deref().is_some_and(&is_colleague);
        self.open().filter(move |(_, promise)| is_own(promise))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::book::RecordKind;

    fn note(text: &str, minute: u32) -> PromisingNote {
        PromisingNote {
            kind: RecordKind::Accounts,
            id: Uuid::from_u128(7),
            name: "Calder".to_owned(),
            text: text.to_owned(),
            noted_at: format!("2026-07-09T09:{minute:02}:00Z").parse().unwrap(),
        }
    }

    #[test]
    fn the_newest_note_tells_what_is_promised() {
        let mut promises = Promises::default();
        assert!(!promises.take_note(note("met at the fair", 1)));
        let text = "> 2026-07-09 call\n> 2026-07-10 Dana: send plans\n> 2026-07-08 Ray: visit";
        assert!(promises.take_note(note(text, 2)));
        assert!(
            !promises.take_note(note("met at the fair", 1)),
            "it is older"
        );
        let due = |time: &str| promises.due_count(time.parse().unwrap(), |by| by != "Dana");
        assert_eq!(due("2026-07-08T23:59:00"), 0, "Ray's is not mine");
        assert_eq!(due("2026-07-09T00:00:00"), 1);
        assert_eq!(due("2026-07-10T08:00:00"), 2);
        assert!(promises.take_note(note("x 2026-07-09 call (done 2026-07-09)", 3)));
        assert_eq!(promises.open().count(), 0);
        assert!(
            !promises.take_note(note(text, 2)),
            "what is closed stays closed"
        );
    }
}

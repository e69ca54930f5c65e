//! Promises: what comes back on its day. Those on signals are snoozes, on this machine only; those
//! on accounts, contacts and projects are lines of their shared notes.

use chrono::{DateTime, FixedOffset, NaiveDateTime, Utc};
use uuid::Uuid;

use crate::app::action::Action;
use crate::app::annotation_cache::{AnnotationField, CachedAnnotation, annotation_from_values};
use crate::app::command::{Availability, require};
use crate::app::effect::{Effect, ListId, RecordKey};
use crate::app::model::records::record_name;
use crate::app::notice::Notice;
use crate::app::overlay::list_dialog::{DialogRows, ListDialog, PromiseRow, PromiseTarget};
use crate::app::price::Price;
use crate::app::selection::Subject;
use crate::app::{Context, Screen};
use crate::domain::annotate::AnnotationAddition;
use crate::domain::book::{Dataset, RecordKind};
use crate::domain::person::Person;
use crate::domain::promises::{Closing, Promise, PromisingNote, close_promise, describe_due};
use crate::domain::queue::{QueueSignal, QueueTab};
use crate::domain::records::{Record, RecordFields};
use crate::domain::snooze::{Snooze, SnoozeUntil};
use crate::domain::writes::{ReversibleWrite, WriteOp};

impl Context {
    pub(in crate::app) fn restore_promises(&mut self, notes: Vec<PromisingNote>) {
        for note in notes {
            self.promises.take_note(note);
        }
    }

    /// Remembers what a note promises.
    pub(super) fn note_promises(
        &mut self,
        kind: &RecordKind,
        id: Uuid,
        name: Option<String>,
        text: String,
        noted_at: DateTime<Utc>,
    ) {
        let known = self.promises.note(id).map(|note| note.name.clone());
        let note = PromisingNote {
            kind: kind.clone(),
            id,
            name: name
                .or(known)
                .unwrap_or_else(|| self.find_record_name(kind, id)),
            text,
            noted_at,
        };
        if self.promises.take_note(note) {
            let note = self.promises.note(id).cloned().map(Box::new);
            self.effects.extend(note.map(Effect::SavePromises));
            self.update_promise_list();
        }
    }

    fn find_record_name(&self, kind: &RecordKind, id: Uuid) -> String {
        let rows = self.record_lists.of_kind(kind);
        let row = rows.filter_map(|list| list.row(id)).next();
        let row = row.map(|row| record_name(&row.fields()));
        let kept = || self.outbox.record_name(id).map(str::to_owned);
        let name = row.or_else(kept);
        name.unwrap_or_else(|| format!("a {}", kind.singular_name()))
    }

    /// The note of an annotation, where it was observed.
    pub(super) fn note_observed_promises(
        &mut self,
        kind: &RecordKind,
        id: Uuid,
        known: &CachedAnnotation,
    ) {
        if let Some(note) = known.observed(AnnotationField::Notes) {
            let (text, at) = (note.value.join("\n"), note.observed_at);
            self.note_promises(kind, id, None, text, at);
        }
    }

    /// What a record that was read promises.
    pub(super) fn note_record_promises(
        &mut self,
        key: &RecordKey,
        fields: &RecordFields,
        read_at: DateTime<Utc>,
    ) {
        let note = AnnotationField::Notes.read_from(fields);
        if let Some(note) = note.filter(|_| key.in_book) {
            let (kind, name) = (key.dataset.as_str().into(), record_name(fields));
            self.note_promises(&kind, key.id, Some(name), note.concat(), read_at);
        }
    }

    /// What the rows of a list promise, from this one on.
    pub(super) fn note_row_promises(&mut self, shown: &ListId, first_row: usize) {
        let Some(list) = self.record_lists.get(shown) else {
            return;
        };
        let (Some(kind), Some(read_at)) = (list.source.record_kind(), list.read_at) else {
            return;
        };
        let rows = list.rows().get(first_row..).unwrap_or_default();
        // Decoding every row would cost more than it tells.
        let may_promise =
            |row: &&Record| row.json().contains('>') || self.promises.note(row.id).is_some();
        let key = |row: &Record| (RecordKey::for_book(&kind, row.id), row.fields());
        let found: Vec<_> = rows.iter().filter(may_promise).map(key).collect();
        for (key, fields) in found {
            self.note_record_promises(&key, &fields, read_at);
        }
    }

    pub(super) fn local_now(&self) -> NaiveDateTime {
        self.local_time(self.service_now())
    }

    /// The same, with the offset of the clock.
    pub(super) fn zoned_now(&self) -> DateTime<FixedOffset> {
        self.service_now().with_timezone(&self.settings.utc_offset)
    }

    /// A time of the service by the user's clock.
    pub(super) fn local_time(&self, at: DateTime<Utc>) -> NaiveDateTime {
        at.with_timezone(&self.settings.utc_offset).naive_local()
    }

    /// The promises on records that are due.
    pub(in crate::app) fn due_promise_count(&self) -> usize {
        let me = self.caller();
        let labels: Vec<&str> = me.iter().flat_map(Person::labels).collect();
        let is_me = |by: &str| labels.iter().any(|label| label.eq_ignore_ascii_case(by));
        self.promises.due_count(self.local_now(), is_me)
    }

    /// Lists what was promised, what is due first.
    pub(in crate::app) fn open_promise_list(&mut self) {
        let rows = DialogRows::new(self.promise_rows());
        self.open_list_dialog(ListDialog::Promises(rows));
    }

    /// Lists the promises again, if they are listed.
    pub(in crate::app) fn update_promise_list(&mut self) {
        if !matches!(self.list_dialog(), Some(ListDialog::Promises(_))) {
            return;
        }
        let items = self.promise_rows();
        if let Some(ListDialog::Promises(rows)) = self.list_dialogs.last_mut() {
            rows.set_items(items);
        }
        self.rearrange_list_dialog();
    }

    fn promise_rows(&self) -> Vec<PromiseRow> {
        let now = self.local_now();
        let snoozed = self.queue.snoozes.all();
        let on_signals = snoozed.map(|snooze| self.snooze_row(snooze, now));
        let on_records = self.promises.open();
        let on_records = on_records
            .enumerate()
            .map(|(n, (note, promise))| PromiseRow {
                id: format!("{} {} {n}", note.id, promise),
                due: Some(promise.due()),
                due_text: describe_due(promise.due(), now),
                is_due: promise.due() <= now,
                what: promise.text.clone(),
                on: note.name.clone(),
                by: promise.by.clone().unwrap_or_default(),
                target: PromiseTarget::Record(note.kind.clone(), note.id, promise.clone()),
            });
        let mut rows: Vec<PromiseRow> = on_signals.chain(on_records).collect();
        rows.sort_by_key(|row| (row.due.is_none(), row.due, row.on.clone()));
        rows
    }

    fn snooze_row(&self, snooze: &Snooze, now: NaiveDateTime) -> PromiseRow {
        let signal = &snooze.row.signal;
        let due = match (snooze.until, snooze.returned_at) {
            (SnoozeUntil::Time(at), _) | (_, Some(at)) => Some(at),
            (SnoozeUntil::NextFiling, None) => None,
        };
        let due = due.map(|at| self.local_time(at));
        PromiseRow {
            id: signal.id.to_string(),
            due,
            due_text: due.map_or_else(
                || self.format_until_short(snooze.until),
                |due| describe_due(due, now),
            ),
            is_due: due.is_some_and(|due| due <= now),
            what: snooze.reason.clone().unwrap_or_else(|| signal.type_label()),
            on: signal.project_label().to_owned(),
            by: String::new(),
            target: PromiseTarget::Signal(Box::new(snooze.row.clone())),
        }
    }

    fn current_promise(&self) -> Option<&PromiseRow> {
        match self.list_dialog() {
            Some(ListDialog::Promises(rows)) => rows.current(),
            _ => None,
        }
    }

    pub(in crate::app) fn open_promise(&mut self) {
        let Some(row) = self.current_promise().cloned() else {
            return self.fold_or_close_dialog();
        };
        self.close_overlay();
        match row.target {
            PromiseTarget::Signal(signal) => self.open_promised_signal(*signal),
            PromiseTarget::Record(kind, id, _) => {
                self.perform(Action::OpenRecord(RecordKey::for_book(&kind, id), row.on));
            }
        }
    }

    /// Opens a signal from its list, or as it was when it was put aside.
    fn open_promised_signal(&mut self, row: QueueSignal) {
        let id = row.signal.id;
        let is_loaded = |tab: &QueueTab| self.queue.tab_state(*tab).list.row(id).is_some();
        let mut tabs = [QueueTab::New, QueueTab::Snoozed, QueueTab::Done].into_iter();
        match tabs.find(is_loaded) {
            Some(tab) => self.go_to_signal(tab, id),
            None => self.perform(Action::OpenUnlisted(Box::new(row))),
        }
    }

    pub(in crate::app) fn promise_price(&self) -> Price {
        match self.current_promise().map(|row| &row.target) {
            Some(PromiseTarget::Record(kind, id, _)) => {
                self.record_price(RecordKey::for_book(kind, *id))
            }
            Some(PromiseTarget::Signal(row)) => self.opened_project_price(row.signal.project_id),
            None => Price::Free,
        }
    }

    /// What acting on the promise under the cursor costs: its record is read right before its note
    /// is written.
    pub(in crate::app) fn promise_write_price(&self) -> Price {
        match self.current_promise().map(|row| &row.target) {
            Some(PromiseTarget::Record(..)) => Price::Credits(1),
            _ => Price::Free,
        }
    }

    /// The promise is kept: a line of the note says so, or the signal is marked done.
    pub(in crate::app) fn keep_promise(&mut self) {
        let today = self.local_now().date();
        match self.current_promise().cloned() {
            Some(PromiseRow {
                target: PromiseTarget::Signal(row),
                ..
            }) => self.triage(QueueTab::New, vec![row.signal.id]),
            Some(row) => self.close_promise_of(row, Closing::Kept(today)),
            None => {}
        }
        self.update_promise_list();
    }

    /// Nothing will come of it: a line of the note says so, or the signal is back in New.
    pub(in crate::app) fn drop_promise(&mut self) {
        let today = self.local_now().date();
        match self.current_promise().cloned() {
            Some(PromiseRow {
                target: PromiseTarget::Signal(row),
                ..
            }) => self.end_snoozes(&[row.signal.id]),
            Some(row) => self.close_promise_of(row, Closing::Dropped(today)),
            None => {}
        }
        self.update_promise_list();
    }

    /// Asks for another day.
    pub(in crate::app) fn ask_new_day(&mut self) {
        match self.current_promise().cloned() {
            Some(PromiseRow {
                target: PromiseTarget::Signal(row),
                ..
            }) => self.ask_snooze(vec![row.signal.id]),
            Some(row) => self.ask_promise_day(row),
            None => {}
        }
    }

    pub(in crate::app) fn move_promise(&mut self, row: PromiseRow, text: &str) {
        match Closing::move_to(text, &self.zoned_now()) {
            Ok(closing) => self.close_promise_of(row, closing),
            Err(why) => self.notice = Some(Notice::warning(why)),
        }
    }

    fn close_promise_of(&mut self, row: PromiseRow, closing: Closing) {
        let PromiseTarget::Record(kind, id, promise) = row.target else {
            return;
        };
        if self.outbox.is_record_pending(id) {
            let text = format!("{} is still being written; try again in a moment", row.on);
            return self.notice = Some(Notice::warning(text));
        }
        let before = self.promises.note(id).map(|note| note.text.clone());
        let before = before.unwrap_or_default();
        let Some(after) = close_promise(&before, &promise, &closing) else {
            let text = format!(
                "The note of {} has changed: it does not promise this.",
                row.on
            );
            return self.notice = Some(Notice::warning(text));
        };
        let annotate = |note: String| {
            let values = [(AnnotationField::Notes, vec![note])];
            WriteOp::Annotate(kind.clone(), id, annotation_from_values(values))
        };
        let change = ReversibleWrite {
            forward: annotate(after),
            back: Some(annotate(before)),
        };
        let how = closing.describe(self.local_now());
        let words = format!("promise to {} {how}: {}", row.what, row.on);
        self.write_changes(words, vec![change]);
    }

    /// Whether a promise can be made for the record under the cursor.
    pub(in crate::app) fn can_promise(&self) -> Availability {
        require(self.promised_record().is_some(), "there is no record here")
    }

    /// The record under the cursor. On a signal a promise is a snooze.
    fn promised_record(&self) -> Option<(RecordKind, Uuid, String)> {
        if matches!(self.screen, Screen::Queue | Screen::Detail) {
            return None;
        }
        if let Subject::Record(key, name) = &self.focus.subject {
            let kind = RecordKind::from(key.dataset.as_str());
            let is_signal = key.dataset == Dataset::Signals;
            return (!is_signal).then(|| (kind, key.id, name.clone()));
        }
        let list = self.displayed_list()?;
        let (kind, row) = (list.source.record_kind()?, list.current_record()?);
        Some((kind, row.id, record_name(&row.fields())))
    }

    pub(in crate::app) fn new_promise_price(&self) -> Price {
        match self.promised_record() {
            Some((kind, id, _)) => match self.is_known_in_book(&kind, id) {
                Some(true) => Price::Credits(1),
                Some(false) => Price::Free,
                None => Price::AtMost(1),
            },
            None => Price::Free,
        }
    }

    /// Asks what is promised for the record under the cursor, and for when.
    pub(in crate::app) fn ask_promise(&mut self) {
        if let Some((kind, id, name)) = self.promised_record() {
            self.ask_promise_of(kind, id, name);
        }
    }

    /// Writes a promise into the note of a record.
    pub(in crate::app) fn promise(&mut self, kind: &RecordKind, id: Uuid, name: &str, text: &str) {
        let promise = match Promise::from_words(text, self.own_name(), &self.zoned_now()) {
            Ok(promise) => promise,
            Err(why) => return self.notice = Some(Notice::warning(why)),
        };
        let words = format!(
            "promise for {}: {}, {name}",
            describe_due(promise.due(), self.local_now()),
            promise.text
        );
        let addition = AnnotationAddition {
            note: Some(promise.to_string()),
            ..AnnotationAddition::default()
        };
        let change = self.addition_change(kind, id, &addition);
        self.write_changes(words, vec![change]);
    }

    /// The name that the caller's promises carry.
    pub(super) fn own_name(&self) -> Option<String> {
        self.caller().map(|me| self.user_name(Some(&me)))
    }
}

#[cfg(test)]
mod tests {
    use chrono::Duration;

    use crate::app::command::Scope;
    use crate::app::testing::TestConsole;

    /// A console in the book, on an account.
    fn on_account() -> TestConsole {
        TestConsole::at_scope(Scope::Book)
    }

    /// The only note that promises something, or did.
    fn note_text(console: &TestConsole) -> &str {
        let notes = console.service.book.values();
        let mut notes = notes.filter_map(|fields| fields.get("notes")?.as_str());
        notes.find(|note| note.contains("Ana R.:")).unwrap()
    }

    #[test]
    fn what_is_promised_for_an_account_stands_in_its_note_and_comes_back_on_its_day() {
        let console = on_account().press("H");
        let console = console.type_text("fri call Ann about glazing");
        let screen = console.screen_text();
        assert!(screen.contains("Promise for Juniper Capital"), "{screen}");
        let console = console.press("Enter").serve();
        let line = "> 2026-07-10 Ana R.: call Ann about glazing";
        assert!(
            note_text(&console).ends_with(line),
            "{}",
            note_text(&console)
        );
        assert!(!console.screen_text().contains(" 1 due "));
        let console = console.advance_time(Duration::days(1)).poll();
        let screen = console.screen_text();
        assert!(screen.contains(" 1 due "), "{screen}");
    }

    #[test]
    fn a_promise_is_kept_moved_or_dropped_with_one_key_and_its_line_says_so() {
        let console = on_account().press("H").type_text("tomorrow send plans");
        let console = console.press("Enter").serve().press("'");
        let screen = console.screen_text();
        let row = screen.lines().find(|line| line.contains("send plans"));
        let row = row.unwrap_or_else(|| panic!("{screen}"));
        for cell in ["tomorrow", "Juniper Capital", "Ana R."] {
            assert!(row.contains(cell), "{cell}: {row}");
        }
        let moved = console.press("H").type_text("3d").press("Enter").serve();
        let lines = "x 2026-07-10 Ana R.: send plans (moved to 2026-07-12)\n\
                     > 2026-07-12 Ana R.: send plans";
        assert!(note_text(&moved).ends_with(lines), "{}", note_text(&moved));
        let kept = moved.press("' e").serve();
        let line = "x 2026-07-12 Ana R.: send plans (done 2026-07-09)";
        assert!(note_text(&kept).ends_with(line), "{}", note_text(&kept));
        let undone = kept.press("Esc z").advance_time(Duration::seconds(1));
        let undone = undone.press("Enter").serve();
        assert!(
            note_text(&undone).ends_with(lines),
            "{}",
            undone.screen_text()
        );
        let dropped = undone.press("' D").serve();
        let line = "x 2026-07-12 Ana R.: send plans (dropped 2026-07-09)";
        assert!(
            note_text(&dropped).ends_with(line),
            "{}",
            note_text(&dropped)
        );
        let screen = dropped.press("'").screen_text();
        assert!(
            screen.contains("Nothing is promised or snoozed."),
            "{screen}"
        );
    }

    #[test]
    fn what_a_colleague_wrote_below_a_promise_stays_when_it_is_done() {
        let console = on_account().press("H").type_text("tomorrow send plans");
        let mut console = console.press("Enter").serve();
        let notes = console.service.book.values_mut();
        let note = notes.filter_map(|fields| fields.get_mut("notes"));
        for note in note {
            if let Some(text) = note.as_str().filter(|text| text.contains("Ana R.:")) {
                *note = format!("{text}\nBen: they asked for steel").into();
            }
        }
        let console = console.press("' e").serve();
        let lines = "x 2026-07-10 Ana R.: send plans (done 2026-07-09)\n\
                     Ben: they asked for steel";
        assert!(
            note_text(&console).ends_with(lines),
            "{}",
            console.screen_text()
        );
    }

    #[test]
    fn snoozed_signals_are_listed_beside_promises() {
        let console = TestConsole::at_scope(Scope::Queue).press("H");
        let console = console.type_text("3d the lender").press("Enter '");
        let screen = console.screen_text();
        assert!(screen.contains("the lender"), "{screen}");
        let dropped = console.press("D");
        assert_eq!(dropped.notice_text(), "back to New: Mill & 4th Mixed Use");
    }
}

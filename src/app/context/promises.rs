//! Promises: what comes back on its day. Those on signals are snoozes, on this machine only; those
//! on accounts, contacts and projects are lines of their shared notes.

use chrono::{DateTime, NaiveDate, Utc};
use uuid::Uuid;

use crate::app::action::Action;
use crate::app::annotation_cache::{AnnotationField, annotation_from_values};
use crate::app::command::{Availability, require};
use crate::app::context::clock::Clock;
use crate::app::context::remembered::PutOff;
use crate::app::context::{Team, Ui};
use crate::app::effect::{Effect, ListId, RecordKey};
use crate::app::model::known_records::KnownRecords;
use crate::app::model::promises::{PromiseRow, Promises};
use crate::app::model::queue::SignalQueue;
use crate::app::model::queue::today::TodaySources;
use crate::app::model::record_lists::RecordLists;
use crate::app::model::records::record_name;
use crate::app::outbox::Outbox;
use crate::app::price::Price;
use crate::app::selection::Subject;
use crate::app::{Context, Screen};
use crate::domain::annotate::AnnotationAddition;
use crate::domain::book::{Dataset, RecordKind};
use crate::domain::promises::{Closing, Promise, PromisingNote, close_promise, describe_due};
use crate::domain::queue::QueueTab;
use crate::domain::records::{Record, RecordFields};
use crate::domain::writes::{ReversibleWrite, WriteOp};

impl Context {
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
                .unwrap_or_else(|| find_record_name(kind, id, &self.records.lists, &self.outbox)),
            text,
            noted_at,
        };
        if self.promises.take_note(note) {
            let note = self.promises.note(id).cloned().map(Box::new);
            self.work.emit_all(note.map(Effect::SavePromises));
            self.queue.is_today_stale = true;
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
        let Some(list) = self.records.lists.get(shown) else {
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

    fn current_promise(&self) -> Option<&PromiseRow> {
        self.queue.current_tab().current_promise()
    }

    /// The promise is kept, or nothing comes of it, as a line of the note then says.
    pub(in crate::app) fn end_promise(&mut self, ending: fn(NaiveDate) -> Closing) {
        let today = self.clock.local_now().date_naive();
        if let Some(row) = self.current_promise().cloned() {
            self.close_promise_of(row, ending(today));
        }
    }

    /// Asks for another day.
    pub(in crate::app) fn ask_new_day(&mut self) {
        let Some(row) = self.current_promise().cloned() else {
            return;
        };
        let title = format!("Move to another day: {}", row.promise.text);
        let note = "In the note, for everyone 1 cr";
        self.ask_until(title, note, None, PutOff::Moved(Box::new(row)));
    }

    pub(in crate::app) fn move_promise(&mut self, row: PromiseRow, text: &str) {
        match Closing::move_to(text, &self.clock.local_now()) {
            Ok(closing) => self.close_promise_of(row, closing),
            Err(why) => self.ui.warn(why),
        }
    }

    fn close_promise_of(&mut self, row: PromiseRow, closing: Closing) {
        let PromiseRow {
            kind,
            id,
            name,
            promise,
            ..
        } = row;
        if self.outbox.is_record_pending(id) {
            let text = format!("{name} is still being written; try again in a moment");
            return self.ui.warn(text);
        }
        let before = self.promises.note(id).map(|note| note.text.clone());
        let before = before.unwrap_or_default();
        let Some(after) = close_promise(&before, &promise, &closing) else {
            let text = format!("The note of {name} has changed: it does not promise this.");
            return self.ui.warn(text);
        };
        let annotate = |note: String| {
            let values = [(AnnotationField::Notes, vec![note])];
            WriteOp::Annotate(kind.clone(), id, annotation_from_values(values))
        };
        let change = ReversibleWrite {
            forward: annotate(after),
            back: Some(annotate(before)),
        };
        let how = closing.describe(self.clock.local_now().naive_local());
        let words = format!("promise to {} {how}: {name}", promise.text);
        self.write_changes(words, vec![change]);
    }

    /// Asks what is promised for the record under the cursor, and for when.
    pub(in crate::app) fn ask_promise(&mut self) {
        let Some((kind, id, name)) = promised_record(&self.ui, &self.records.lists) else {
            return;
        };
        let price = new_promise_price(&self.ui, &self.records).suffix();
        let title = format!("Promise for {name}");
        let summary =
            format!("In its note, for everyone{price}; such as: thu call Ann about glazing");
        self.ask_until(title, &summary, None, PutOff::Promise(kind, id, name));
    }

    /// Writes a promise into the note of a record.
    pub(in crate::app) fn promise(&mut self, kind: &RecordKind, id: Uuid, name: &str, text: &str) {
        let now = self.clock.local_now();
        let promise = match Promise::from_words(text, own_name(&self.team, &self.queue), &now) {
            Ok(promise) => promise,
            Err(why) => return self.ui.warn(why),
        };
        let words = format!(
            "promise for {}: {}, {name}",
            describe_due(promise.due(), now.naive_local()),
            promise.text
        );
        let addition = AnnotationAddition {
            note: Some(promise.to_string()),
            ..AnnotationAddition::default()
        };
        let change = self.records.addition_change(kind, id, &addition);
        self.write_changes(words, vec![change]);
    }
}

pub(in crate::app) fn new_promise_price(ui: &Ui, records: &KnownRecords) -> Price {
    match promised_record(ui, &records.lists) {
        Some((kind, id, _)) => match records.is_known_in_book(&kind, id) {
            Some(true) => Price::Credits(1),
            Some(false) => Price::Free,
            None => Price::AtMost(1),
        },
        None => Price::Free,
    }
}

/// Shows the Today tab, from everywhere.
pub(in crate::app) fn show_today(cx: &mut Context) {
    cx.close_overlay();
    cx.work.perform(Action::GoTo(Screen::Queue));
    cx.queue.show_own_tab(QueueTab::Today);
}

/// Puts the Today tab together where it is on the screen and something has changed; returns
/// whether it did.
pub(in crate::app) fn update_today(cx: &mut Context) -> bool {
    let is_first = cx.settings.shows_today_first
        && !cx.visits.has_begun
        && cx.ui.screen() == Screen::Queue
        && cx.queue.tab == QueueTab::New;
    if is_first && due_count(&cx.promises, &cx.queue, &cx.team, &cx.clock) > 0 {
        cx.queue.show_own_tab(QueueTab::Today);
    }
    let now = cx.clock.local_now();
    if !cx.queue.needs_plan(now) {
        return false;
    }
    cx.queue.plan_today(TodaySources {
        promises: cx
            .promises
            .list_own(now.naive_local(), |by| cx.team.is_colleague(by)),
        me: cx.team.caller(),
        waiting: cx.outbox.offline.waiting_ids().collect(),
        now,
    });
    true
}

fn find_record_name(
    kind: &RecordKind,
    id: Uuid,
    record_lists: &RecordLists,
    outbox: &Outbox,
) -> String {
    let rows = record_lists.of_kind(kind);
    let row = rows.filter_map(|list| list.row(id)).next();
    let row = row.map(|row| record_name(&row.fields()));
    let kept = || outbox.record_name(id).map(str::to_owned);
    let name = row.or_else(kept);
    name.unwrap_or_else(|| format!("a {}", kind.singular_name()))
}

/// How many promises are due, and how many signals have returned from a snooze.
pub(in crate::app) fn due_count(
    promises: &Promises,
    queue: &SignalQueue,
    team: &Team,
    clock: &Clock,
) -> usize {
    let now = clock.local_now().naive_local();
    promises.due_count(now, |by| team.is_colleague(by)) + queue.snoozes.returned_count()
}

/// The record under the cursor. On a signal a promise is a snooze.
fn promised_record(ui: &Ui, record_lists: &RecordLists) -> Option<(RecordKind, Uuid, String)> {
    if matches!(ui.screen(), Screen::Queue | Screen::Detail) {
        return None;
    }
    if let Subject::Record(key, name) = &ui.focus.subject {
        let kind = RecordKind::from(key.dataset.as_str());
        let is_signal = key.dataset == Dataset::Signals;
        return (!is_signal).then(|| (kind, key.id, name.clone()));
    }
    let list = record_lists.shown_list(ui.focused_list())?;
    let (kind, row) = (list.source.record_kind()?, list.current_record()?);
    Some((kind, row.id, record_name(&row.fields())))
}

/// Whether a promise can be made for the record under the cursor.
pub(super) fn can_promise(cx: &Context) -> Availability {
    let record = promised_record(&cx.ui, &cx.records.lists);
    require(record.is_some(), "there is no record here")
}

/// The name that the caller's promises and calls carry.
pub(super) fn own_name(team: &Team, queue: &SignalQueue) -> Option<String> {
    team.caller().map(|me| queue.user_name(Some(&me)))
}

#[cfg(test)]
mod tests {
    use chrono::Duration;

    use crate::app::command::Scope;
    use crate::app::testing::{TestConsole, morning_queue};
    use crate::app::{AppSettings, Screen};
    use crate::domain::queue::QueueTab;

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
        assert!(
            screen.contains("In its note, for everyone 1 cr; such as"),
            "{screen}"
        );
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
        // What comes later is at the end of Today.
        let console = console.press("Enter").serve().press("' G");
        let screen = console.screen_text();
        let is_row = |line: &&str| line.contains("send plans") && line.contains("tomorrow");
        let row = screen.lines().find(is_row);
        let row = row.unwrap_or_else(|| panic!("{screen}"));
        for cell in ["tomorrow", "Juniper Capital", "Ana R."] {
            assert!(row.contains(cell), "{cell}: {row}");
        }
        for hint in ["e done 1 cr", "H move 1 cr", "D drop 1 cr"] {
            assert!(screen.contains(hint), "{hint}: {screen}");
        }
        let moved = console.press("H").type_text("3d").press("Enter").serve();
        let lines = "x 2026-07-10 Ana R.: send plans (moved to 2026-07-12)\n\
                     > 2026-07-12 Ana R.: send plans";
        assert!(note_text(&moved).ends_with(lines), "{}", note_text(&moved));
        let kept = moved.press("e").serve();
        let line = "x 2026-07-12 Ana R.: send plans (done 2026-07-09)";
        assert!(note_text(&kept).ends_with(line), "{}", note_text(&kept));
        let undone = kept.press("z").advance_time(Duration::seconds(1));
        let undone = undone.press("Enter").serve();
        assert!(
            note_text(&undone).ends_with(lines),
            "{}",
            undone.screen_text()
        );
        let dropped = undone.press("G D").serve();
        let line = "x 2026-07-12 Ana R.: send plans (dropped 2026-07-09)";
        assert!(
            note_text(&dropped).ends_with(line),
            "{}",
            dropped.screen_text()
        );
        assert!(!dropped.screen_text().contains("later"));
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
        let console = console.press("' G e").serve();
        let lines = "x 2026-07-10 Ana R.: send plans (done 2026-07-09)\n\
                     Ben: they asked for steel";
        assert!(
            note_text(&console).ends_with(lines),
            "{}",
            console.screen_text()
        );
    }

    #[test]
    fn what_is_due_is_on_top_of_today_and_the_record_is_one_key_away() {
        let console = TestConsole::at_scope(Scope::Promise);
        let screen = console.screen_text();
        let due = screen.find("send plans").unwrap();
        assert!(due < screen.find("best new signals").unwrap(), "{screen}");
        assert!(screen.contains(" Today 1 "), "{screen}");
        let opened = console.press("Enter").serve();
        let screen = opened.screen_text();
        assert!(screen.contains("Juniper Capital"), "{screen}");
        assert_eq!(opened.context().ui.screen(), Screen::Record);
    }

    #[test]
    fn today_opens_first_while_something_is_due_and_no_key_was_pressed() {
        let settings = AppSettings {
            shows_today_first: true,
            ..AppSettings::default()
        };
        let start = || TestConsole::with_size(morning_queue(), (120, 36), settings.clone());
        let tab = |console: &TestConsole| console.context().queue.tab;
        let console = start().poll().serve();
        assert_eq!(tab(&console), QueueTab::New, "nothing is due");
        let console = console.press("H").type_text("4h the lender");
        let mut console = console.press("Enter").advance_time(Duration::hours(5));
        let mut next = start();
        next.share_machine(&mut console);
        let next = next.serve().poll().serve();
        assert_eq!(tab(&next), QueueTab::Today, "{}", next.screen_text());
        assert_eq!(tab(&next.press("]").poll().serve()), QueueTab::New);
    }
}

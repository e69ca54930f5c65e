//! Promises: what comes back on its day. Those on signals are snoozes, on this machine only; those
//! on accounts, contacts and projects are lines of their shared notes.

use chrono::{DateTime, NaiveDateTime, NaiveTime, Utc};
use uuid::Uuid;

use crate::app::action::Action;
use crate::app::annotation_cache::{AnnotationField, annotation_from_values};
use crate::app::command::{Availability, require};
use crate::app::context::clock::Clock;
use crate::app::context::remembered::PutOff;
use crate::app::context::{Team, Ui, prices, snooze};
use crate::app::effect::{Effect, ListId, RecordKey};
use crate::app::model::known_records::KnownRecords;
use crate::app::model::promises::Promises;
use crate::app::model::queue::SignalQueue;
use crate::app::model::record_lists::RecordLists;
use crate::app::model::records::record_name;
use crate::app::outbox::Outbox;
use crate::app::overlay::list_dialog::{DialogRows, ListDialog, PromiseRow, PromiseTarget};
use crate::app::price::Price;
use crate::app::selection::Subject;
use crate::app::{Context, Screen};
use crate::domain::annotate::AnnotationAddition;
use crate::domain::book::{Dataset, RecordKind};
use crate::domain::display_format;
use crate::domain::person::Person;
use crate::domain::promises::{Closing, Promise, PromisingNote, close_promise};
use crate::domain::queue::QueueTab;
use crate::domain::records::{Record, RecordFields};
use crate::domain::snooze::{Snooze, SnoozeUntil, parse_snooze_until, split_snooze_reason};
use crate::domain::writes::{ReversibleWrite, WriteOp};

/// What is promised where only a day is given.
const FOLLOW_UP: &str = "follow up";

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
            self.update_promise_list();
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

    /// Lists what was promised, what is due first.
    pub(in crate::app) fn open_promise_list(&mut self) {
        let rows = DialogRows::new(promise_rows(&self.clock, &self.queue, &self.promises));
        self.open_list_dialog(ListDialog::Promises(rows));
    }

    /// Lists the promises again, if they are listed.
    pub(in crate::app) fn update_promise_list(&mut self) {
        if !matches!(self.ui.list_dialog(), Some(ListDialog::Promises(_))) {
            return;
        }
        let items = promise_rows(&self.clock, &self.queue, &self.promises);
        if let Some(ListDialog::Promises(rows)) = self.ui.list_dialogs.last_mut() {
            rows.set_items(items);
        }
        self.rearrange_list_dialog();
    }

    pub(in crate::app) fn open_promise(&mut self) {
        let Some(row) = current_promise(&self.ui).cloned() else {
            return self.fold_or_close_dialog();
        };
        self.close_overlay();
        match row.target {
            // From its list, or as it was when it was put aside.
            PromiseTarget::Signal(signal) => {
                let id = signal.signal.id;
                let is_loaded = |tab: &QueueTab| self.queue.tab_state(*tab).list.row(id).is_some();
                let mut tabs = [QueueTab::New, QueueTab::Snoozed, QueueTab::Done].into_iter();
                match tabs.find(is_loaded) {
                    Some(tab) => self.go_to_signal(tab, id),
                    None => self.work.perform(Action::OpenUnlisted(signal)),
                }
            }
            PromiseTarget::Record(kind, id, _) => {
                self.work
                    .perform(Action::OpenRecord(RecordKey::for_book(&kind, id), row.on));
            }
        }
    }

    pub(in crate::app) fn promise_price(&self) -> Price {
        match current_promise(&self.ui).map(|row| &row.target) {
            Some(PromiseTarget::Record(kind, id, _)) => {
                self.records.record_price(RecordKey::for_book(kind, *id))
            }
            Some(PromiseTarget::Signal(row)) => prices::opened_project_price(
                row.signal.project_id,
                &self.frame,
                &self.records.fetched,
            ),
            None => Price::Free,
        }
    }

    /// The promise is kept or dropped, as a line of its note says; a signal is marked done, or is
    /// back in New.
    pub(in crate::app) fn end_promise(&mut self, is_kept: bool) {
        let Some(row) = current_promise(&self.ui).cloned() else {
            return;
        };
        let today = self.clock.local_now().date_naive();
        match (&row.target, is_kept) {
            (PromiseTarget::Signal(signal), true) => {
                self.triage(QueueTab::New, vec![signal.signal.id]);
            }
            (PromiseTarget::Signal(signal), false) => self.end_snoozes(&[signal.signal.id]),
            (_, true) => self.close_promise_of(row, "done", Closing::Kept(today)),
            (_, false) => self.close_promise_of(row, "dropped", Closing::Dropped(today)),
        }
        self.update_promise_list();
    }

    /// Asks for another day.
    pub(in crate::app) fn ask_new_day(&mut self) {
        let Some(row) = current_promise(&self.ui).cloned() else {
            return;
        };
        if let PromiseTarget::Signal(signal) = &row.target {
            return self.ask_snooze(vec![signal.signal.id]);
        }
        let title = format!("Move to which day: {}", row.what);
        let note = "in the note, for everyone 1 cr";
        self.ask_until(title, note, None, PutOff::Moved(Box::new(row)));
    }

    pub(in crate::app) fn move_promise(&mut self, row: PromiseRow, text: &str) {
        let (time, what) = split_snooze_reason(text);
        match parse_promised_day(time, &self.clock) {
            Ok(due) => {
                let closing = Closing::Moved {
                    day: due.date(),
                    time: time_of(due),
                    text: what.map(str::to_owned),
                };
                let verb = format!(
                    "moved to {}",
                    describe_due(due, self.clock.local_now().naive_local())
                );
                self.close_promise_of(row, &verb, closing);
            }
            Err(why) => self.ui.warn(why),
        }
    }

    fn close_promise_of(&mut self, row: PromiseRow, verb: &str, closing: Closing) {
        let PromiseTarget::Record(kind, id, promise) = row.target else {
            return;
        };
        if self.outbox.is_record_pending(id) {
            let text = format!("{} is still being written; try again in a moment", row.on);
            return self.ui.warn(text);
        }
        let before = self.promises.note(id).map(|note| note.text.clone());
        let before = before.unwrap_or_default();
        let Some(after) = close_promise(&before, &promise, &closing) else {
            let text = format!(
                "The note of {} has changed: it does not promise this.",
                row.on
            );
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
        let words = format!("promise to {} {verb}: {}", row.what, row.on);
        self.write_changes(words, vec![change]);
    }

    /// Asks what is promised for the record under the cursor, and for when.
    pub(in crate::app) fn ask_promise(&mut self) {
        let Some((kind, id, name)) = promised_record(&self.ui, &self.records.lists) else {
            return;
        };
        let title = format!("Promise for {name}");
        let note = format!(
            "in its note, for everyone{}; such as: thu call Ann about glazing",
            new_promise_price(&self.ui, &self.records).suffix()
        );
        self.ask_until(title, &note, None, PutOff::Promise(kind, id, name));
    }

    /// Writes a promise into the note of a record.
    pub(in crate::app) fn promise(&mut self, kind: &RecordKind, id: Uuid, name: &str, text: &str) {
        let (time, what) = split_snooze_reason(text);
        let due = match parse_promised_day(time, &self.clock) {
            Ok(due) => due,
            Err(why) => return self.ui.warn(why),
        };
        let promise = new_promise(due, what.unwrap_or(FOLLOW_UP), &self.team, &self.queue);
        let words = format!(
            "promise for {}: {}, {name}",
            describe_due(due, self.clock.local_now().naive_local()),
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

/// How many promises on records are due.
pub(in crate::app) fn due_count(promises: &Promises, team: &Team, clock: &Clock) -> usize {
    let me = team.caller();
    let labels: Vec<&str> = me.iter().flat_map(Person::labels).collect();
    let is_me = |by: &str| labels.iter().any(|label| label.eq_ignore_ascii_case(by));
    promises.due_count(clock.local_now().naive_local(), is_me)
}

fn promise_rows(clock: &Clock, queue: &SignalQueue, promises: &Promises) -> Vec<PromiseRow> {
    let now = clock.local_now().naive_local();
    let snoozed = queue.snoozes.all();
    let on_signals = snoozed.map(|snooze| snooze_row(snooze, clock));
    let on_records = promises
        .open()
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

fn snooze_row(snooze: &Snooze, clock: &Clock) -> PromiseRow {
    let now = clock.local_now().naive_local();
    let signal = &snooze.row.signal;
    let due = match (snooze.until, snooze.returned_at) {
        (SnoozeUntil::Time(at), _) | (_, Some(at)) => Some(clock.to_local(at)),
        (SnoozeUntil::NextFiling, None) => None,
    };
    PromiseRow {
        id: signal.id.to_string(),
        due,
        due_text: due.map_or_else(
            || snooze::format_until_short(snooze.until, clock),
            |due| describe_due(due, now),
        ),
        is_due: due.is_some_and(|due| due <= now),
        what: snooze.reason.clone().unwrap_or_else(|| signal.type_label()),
        on: signal.project_label().to_owned(),
        by: String::new(),
        target: PromiseTarget::Signal(Box::new(snooze.row.clone())),
    }
}

fn current_promise(ui: &Ui) -> Option<&PromiseRow> {
    match ui.list_dialog() {
        Some(ListDialog::Promises(rows)) => rows.current(),
        _ => None,
    }
}

/// What acting on the promise under the cursor costs: its record is read right before its note is
/// written.
pub(in crate::app) fn write_price(ui: &Ui) -> Price {
    match current_promise(ui).map(|row| &row.target) {
        Some(PromiseTarget::Record(..)) => Price::Credits(1),
        _ => Price::Free,
    }
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

/// A promise of the caller.
pub(super) fn new_promise(
    due: NaiveDateTime,
    text: &str,
    team: &Team,
    queue: &SignalQueue,
) -> Promise {
    Promise {
        day: due.date(),
        time: time_of(due),
        by: team.caller().map(|me| queue.user_name(Some(&me))),
        text: text.to_owned(),
    }
}

/// When a promise is due, as the user writes it.
fn parse_promised_day(text: &str, clock: &Clock) -> Result<NaiveDateTime, String> {
    match parse_snooze_until(text, &clock.local_now())? {
        SnoozeUntil::Time(at) => Ok(clock.to_local(at)),
        SnoozeUntil::NextFiling => {
            Err("only a signal waits for a filing; a promise needs a day".to_owned())
        }
    }
}

/// A day begins at midnight.
fn time_of(due: NaiveDateTime) -> Option<NaiveTime> {
    Some(due.time()).filter(|time| *time != NaiveTime::MIN)
}

/// When a promise is due, seen from now: `2 days late`, `today 09:30`, `Thu`, `12-03`.
pub(super) fn describe_due(due: NaiveDateTime, now: NaiveDateTime) -> String {
    let time = time_of(due).map(|time| time.format(" %H:%M").to_string());
    let time = time.unwrap_or_default();
    let day = match (due.date() - now.date()).num_days() {
        -1 => return "1 day late".to_owned(),
        days if days < 0 => return format!("{} days late", -days),
        0 => "today".to_owned(),
        1 => "tomorrow".to_owned(),
        2..=6 => due.format("%a").to_string(),
        _ => display_format::format_recent_date(due.date(), now.date()),
    };
    format!("{day}{time}")
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

//! Reads records that cost a credit once, and keeps the paid ones up to date.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::app::change::Change;
use crate::app::context::clock::Clock;
use crate::app::context::{Work, record_lists, saved_lists};
use crate::app::effect::{Effect, ListId, RecordKey, ServiceCall, Slot};
use crate::app::model::load_state::LoadState;
use crate::app::model::record_lists::RecordLists;
use crate::app::model::records::{FetchedRecord, FetchedRecords};
use crate::app::msg::{CallResult, RecordReply, payload};
use crate::app::notice::Notice;
use crate::app::requests::Request;
use crate::app::{Context, Screen};
use crate::domain::records::{Record, RecordFields};
use crate::domain::request_error::RequestErrorKind;

/// How long a record that was read is not paid for again.
const REREAD_PAUSE: TimeDelta = TimeDelta::minutes(1);

impl FetchedRecords {
    /// What the index says of a contact, where it was read: phone and e-mail are not in the book.
    pub(in crate::app) fn indexed_contact(&self, id: Uuid) -> Option<&RecordFields> {
        let key = RecordKey::for_indexed_contact(id);
        self.get(&key).map(|read| &read.fields)
    }
}

impl Context {
    /// Requests a record, unless it is cached and `again` is false.
    pub fn read_record(&mut self, key: RecordKey, again: bool) {
        if !again
            && (self.records.fetched.get(&key).is_some()
                || self
                    .work
                    .requests
                    .is_open(|request| matches!(request, Request::Record(asked) if *asked == key)))
        {
            return;
        }
        if again && was_just_read(&key, &self.clock, &self.records.fetched) {
            let text = "read less than a minute ago, so it was not read again";
            return self.ui.inform(text);
        }
        if is_reading_record(&self.work) {
            self.work.emit(Effect::Cancel(Slot::Record));
        }
        self.records.fetched.load = LoadState::Loading;
        self.work.call_service(
            Slot::Record,
            ServiceCall::Record {
                key: key.clone(),
                bypass_cache: again,
            },
            Request::Record(key),
        );
    }

    pub(in crate::app) fn on_missing_record(&mut self, key: RecordKey, result: CallResult) {
        if !key.in_book
            && result
                .as_ref()
                .is_err_and(|failure| failure.status() == Some(404))
        {
            self.records.fetched.mark_missing(key.clone());
        }
        let taken = if key.in_book {
            let kind = key.dataset.as_str().into();
            self.store_annotated_record(&kind, key.id, result).map(drop)
        } else {
            payload::<RecordReply>(result).map(|(record, kept, credits)| {
                self.store_fetched_record(key, record, credits, kept);
            })
        };
        match taken {
            Err(failure) if failure.kind == RequestErrorKind::Cancelled => {}
            Err(failure) => self
                .ui
                .show_failure("could not load the record", &failure, ""),
            Ok(()) => {}
        }
        self.update_gaps();
    }

    /// Takes a record, fresh or stored at an earlier time.
    pub(in crate::app) fn on_record_reply(&mut self, key: RecordKey, result: CallResult) {
        match payload::<RecordReply>(result) {
            Ok((record, kept, credits)) => {
                self.records.fetched.load = LoadState::Ready;
                let before = self
                    .records
                    .fetched
                    .get(&key)
                    .map(|read| read.record.clone());
                if let Some(before) = before.filter(|_| kept.is_none()) {
                    let text = match before == record {
                        true => "read again: nothing changed",
                        false => "read again",
                    };
                    self.ui.notice = Some(Notice::success(text));
                }
                self.store_fetched_record(key.clone(), record, credits, kept);
                self.work.publish(Change::RecordRead(key));
            }
            Err(failure) if failure.kind == RequestErrorKind::Cancelled => {
                self.records.fetched.load = LoadState::Idle;
            }
            // A record that left the book since its row was read is still in the index.
            Err(failure) if failure.status() == Some(404) && key.in_book => {
                let outside = RecordKey {
                    in_book: false,
                    ..key.clone()
                };
                self.work.publish(Change::LeftBook(key));
                self.read_record(outside, false);
            }
            Err(failure) => {
                self.records.fetched.load = LoadState::Failed(failure.message.clone());
                // A page without content shows the error itself.
                if self.ui.screen() != Screen::Record || self.records.fetched.get(&key).is_some() {
                    self.ui.show_failure(
                        "could not load the record",
                        &failure,
                        "{record.reload} retries",
                    );
                }
            }
        }
    }

    /// Caches a record that was read now, or paid for earlier at `kept`.
    pub(in crate::app) fn store_fetched_record(
        &mut self,
        key: RecordKey,
        record: Record,
        credits: Option<u64>,
        kept: Option<DateTime<Utc>>,
    ) {
        let paid = FetchedRecord::new(
            record,
            &key.dataset,
            kept.unwrap_or(self.clock.service_now()),
            credits,
        );
        if kept.is_none() {
            // The record is newer than its rows.
            for list in self.records.lists.of_dataset_mut(&key.dataset) {
                list.update_record(key.id, |row| row.with_refreshed_fields(&paid.fields));
            }
            saved_lists::update_saved_rows(key.id, paid.fields.clone(), &mut self.work);
        }
        self.work
            .record_spend(if kept.is_none() { credits } else { Some(0) });
        self.queue
            .facts
            .learn_record(&key.dataset, &paid.record, key.in_book.then_some(true));
        record_lists::on_facts_changed(&mut self.queue, &self.records.lists);
        self.note_record_promises(&key, &paid.fields, paid.read_at);
        self.records.fetched.insert(key.clone(), paid);
        update_records_from_rows(
            |changed, _| *changed == key,
            &self.records.lists,
            &mut self.records.fetched,
        );
    }
}

/// Whether a record is so new that a second press is likelier than a colleague's change.
fn was_just_read(key: &RecordKey, clock: &Clock, records: &FetchedRecords) -> bool {
    let age = |read: &FetchedRecord| clock.service_now() - read.read_at;
    let read = records.get(key);
    read.is_some_and(|read| (TimeDelta::zero()..REREAD_PAUSE).contains(&age(read)))
}

/// Reads records that a list or a form lacks, for a credit each.
pub(in crate::app) fn read_missing_records(keys: Vec<RecordKey>, work: &mut Work) {
    for key in keys {
        let call = ServiceCall::Record {
            key: key.clone(),
            bypass_cache: key.in_book,
        };
        work.call_service(Slot::MissingRecords, call, Request::MissingRecord(key));
    }
}

pub(in crate::app) fn is_reading_missing(work: &Work) -> bool {
    work.requests.is_slot_open(&Slot::MissingRecords)
}

pub fn is_reading_record(work: &Work) -> bool {
    work.requests
        .is_open(|request| matches!(request, Request::Record(_)))
}

/// Drops a record that left the book; a read under way may be older than that.
pub(in crate::app) fn drop_fetched_record(
    key: &RecordKey,
    work: &mut Work,
    records: &mut FetchedRecords,
) {
    records.remove(key);
    if work
        .requests
        .is_open(|request| matches!(request, Request::Record(asked) if asked == key))
    {
        work.abandon_slot(Slot::Record);
        records.load = LoadState::Idle;
    }
}

/// Rows of a list arrived: updates the paid records among them.
pub(in crate::app) fn update_fetched_records(
    shown: &ListId,
    record_lists: &RecordLists,
    records: &mut FetchedRecords,
) {
    update_records_from_rows(
        |key, lists| {
            lists.get(shown).is_some_and(|list| {
                list.source.dataset() == key.dataset && list.row(key.id).is_some()
            })
        },
        record_lists,
        records,
    );
}

/// Updates paid records from rows that were read after them.
fn update_records_from_rows(
    applies: impl Fn(&RecordKey, &RecordLists) -> bool,
    record_lists: &RecordLists,
    records: &mut FetchedRecords,
) {
    let lists = record_lists;
    for (key, paid) in records.iter_mut().filter(|(key, _)| applies(key, lists)) {
        lists
            .newer_rows(&key.dataset, key.id, paid.read_at)
            .iter()
            .for_each(|fields| paid.update_fields(fields));
    }
}

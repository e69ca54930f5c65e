//! Records that were paid for. They are kept while the program runs, so that showing one again costs nothing.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use crate::app::change::Change;
use crate::app::effect::{Effect, ListId, RecordKey, ServiceCall, Slot};
use crate::app::model::load_state::LoadState;
use crate::app::model::record_lists::RecordLists;
use crate::app::msg::{RecordReply, Reply, payload};
use crate::app::requests::Request;
use crate::app::{Context, Screen};
use crate::domain::ProjectId;
use crate::domain::book::Dataset;
use crate::domain::projects::ProjectDetails;
use crate::domain::records::{Record, RecordFields};
use crate::domain::request_error::{RequestError, RequestErrorKind};

#[derive(Clone, Debug)]
pub struct FetchedRecord {
    /// The record with its related records.
    pub record: Record,
    /// Its fields, parsed once because a page draws them on every frame.
    pub fields: RecordFields,
    /// Related records by include.
    related: BTreeMap<&'static str, Vec<Record>>,
    /// The record as a project; None for other kinds.
    project_details: Option<ProjectDetails>,
    pub read_at: DateTime<Utc>,
    credits: Option<u64>,
}

impl FetchedRecord {
    fn new(record: Record, dataset: &Dataset, read_at: DateTime<Utc>, credits: Option<u64>) -> Self {
        let fields = record.fields();
        let around = dataset.available_includes().iter().map(|include| (*include, fields.embedded_records(include))).collect();
        let dossier = (*dataset == Dataset::Projects).then(|| serde_json::from_str(record.json()).ok()).flatten();
        FetchedRecord { record, fields, related: around, project_details: dossier, read_at, credits }
    }

    pub fn related(&self, include: &str) -> &[Record] {
        self.related.get(include).map_or(&[], Vec::as_slice)
    }

    /// Updates the fields it has from a newer row.
    fn update_fields(&mut self, newer: &RecordFields) {
        self.record = self.record.with_refreshed_fields(newer);
        self.fields = self.record.fields();
    }

    /// Merges fields of a newer response.
    fn merge_fields(&mut self, newer: &Map<String, Value>) {
        self.record = self.record.with_fields(newer);
        self.fields = self.record.fields();
    }
}

#[derive(Clone, Copy, Debug)]
pub struct FetchedProject<'a> {
    /// The project with its related records.
    pub project_details: &'a ProjectDetails,
    pub read_at: DateTime<Utc>,
    pub credits: Option<u64>,
}

/// The paid records, by the route they were read from.
#[derive(Clone, Debug, Default)]
pub struct FetchedRecords {
    by_key: HashMap<RecordKey, FetchedRecord>,
    /// How far the last read has come.
    pub load: LoadState,
}

impl FetchedRecords {
    pub fn get(&self, key: &RecordKey) -> Option<&FetchedRecord> {
        self.by_key.get(key)
    }

    /// A project, from the book or from the index.
    pub fn project(&self, project: Option<ProjectId>) -> Option<FetchedProject<'_>> {
        let id = project?.0;
        let paid = |in_book| self.get(&RecordKey { dataset: Dataset::Projects, id, in_book });
        let paid = paid(false).or_else(|| paid(true))?;
        Some(FetchedProject { project_details: paid.project_details.as_ref()?, read_at: paid.read_at, credits: paid.credits })
    }

    pub fn count(&self) -> usize {
        self.by_key.len()
    }

    /// The records of a dataset, by any route.
    pub fn of_dataset(&self, dataset: &Dataset) -> impl Iterator<Item = &Record> {
        self.by_key.iter().filter(move |(key, _)| key.dataset == *dataset).map(|(_, paid)| &paid.record)
    }

    /// Merges fields of a newer response into a record.
    pub fn merge_fields(&mut self, key: &RecordKey, newer: &Map<String, Value>) {
        if let Some(paid) = self.by_key.get_mut(key) {
            paid.merge_fields(newer);
        }
    }

    /// Updates records from rows that were read after them.
    fn update_from_rows(&mut self, lists: &RecordLists, applies: impl Fn(&RecordKey) -> bool) {
        for (key, paid) in self.by_key.iter_mut().filter(|(key, _)| applies(key)) {
            let newer = lists.of_dataset(&key.dataset).filter_map(|list| {
                let read_at = list.read_at.filter(|at| *at > paid.read_at)?;
                Some((read_at, list.row(key.id)?.fields()))
            });
            let mut newer: Vec<(DateTime<Utc>, RecordFields)> = newer.collect();
            newer.sort_by_key(|(at, _)| *at);
            newer.iter().for_each(|(_, fields)| paid.update_fields(fields));
        }
    }
}

impl Context {
    /// Requests a record, unless it is cached and `again` is false.
    pub fn read_record(&mut self, key: RecordKey, again: bool) {
        if !again
            && (self.records.get(&key).is_some()
                || self.requests.is_open(|request| matches!(request, Request::Record(asked) if *asked == key)))
        {
            return;
        }
        if self.is_reading_record() {
            self.effects.push(Effect::Cancel(Slot::Record));
        }
        self.records.load = LoadState::Loading;
        self.call_service(Slot::Record, ServiceCall::Record { key: key.clone(), bypass_cache: again }, Request::Record(key));
    }

    pub fn is_reading_record(&self) -> bool {
        self.requests.is_open(|request| matches!(request, Request::Record(_)))
    }

    /// Takes a record, fresh or stored at an earlier time.
    pub(in crate::app) fn on_record_reply(&mut self, key: RecordKey, result: Result<Reply, RequestError>) {
        match payload::<RecordReply>(result) {
            Ok((record, kept, credits)) => {
                self.records.load = LoadState::Ready;
                self.store_fetched_record(key, record, credits, kept);
                self.point_timeline_at_signal();
            }
            Err(failure) if failure.kind == RequestErrorKind::Cancelled => {
                self.records.load = LoadState::Failed("not read: canceled".to_owned())
            }
            // A record that left the book since its row was read is still in the index.
            Err(failure) if failure.status() == Some(404) && key.in_book => {
                let outside = RecordKey { in_book: false, ..key.clone() };
                self.publish(Change::LeftBook(key));
                self.read_record(outside, false);
            }
            Err(failure) => {
                self.records.load = LoadState::Failed(failure.message.clone());
                // A page without content shows the error itself.
                if self.screen != Screen::Record || self.records.get(&key).is_some() {
                    self.show_failure("could not load the record", &failure, "{record.reload} retries");
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
        let paid = FetchedRecord::new(record, &key.dataset, kept.unwrap_or(self.service_now()), credits);
        if kept.is_none() {
            // The record is newer than its rows.
            for list in self.record_lists.of_dataset_mut(&key.dataset) {
                list.update_record(key.id, |row| row.with_refreshed_fields(&paid.fields));
            }
        }
        self.record_spend(if kept.is_none() { credits } else { Some(0) });
        self.records.by_key.insert(key.clone(), paid);
        self.records.update_from_rows(&self.record_lists, |changed| *changed == key);
    }

    /// Drops a record that left the book; a read under way may be older than that.
    pub(in crate::app) fn drop_fetched_record(&mut self, key: &RecordKey) {
        self.records.by_key.remove(key);
        if self.requests.is_open(|request| matches!(request, Request::Record(asked) if asked == key)) {
            self.abandon_slot(Slot::Record);
            self.records.load = LoadState::Idle;
        }
    }

    /// Rows of a list arrived: updates the paid records among them.
    pub(in crate::app) fn update_fetched_records(&mut self, shown: &ListId) {
        let Some(list) = self.record_lists.get(shown) else { return };
        let dataset = list.source.dataset();
        self.records.update_from_rows(&self.record_lists, |key| key.dataset == dataset && list.row(key.id).is_some());
    }
}

/// The display name of a record.
pub fn record_name(fields: &RecordFields) -> String {
    let name = fields.text("name").or(fields.text("project_name")).filter(|name| !name.trim().is_empty());
    name.unwrap_or("unnamed").to_owned()
}

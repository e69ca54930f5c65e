//! Records that were paid for. They are kept while the program runs, so that showing one again
//! costs nothing.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use crate::app::effect::RecordKey;
use crate::app::model::load_state::LoadState;
use crate::app::model::record_list::locations::parse_location;
use crate::domain::ProjectId;
use crate::domain::book::Dataset;
use crate::domain::projects::ProjectDetails;
use crate::domain::records::{Record, RecordFields};
use crate::ui::map::GeoPoint;

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
    /// Where it is, and its city.
    location: Option<(GeoPoint, String)>,
    pub read_at: DateTime<Utc>,
    credits: Option<u64>,
}

impl FetchedRecord {
    pub fn new(
        record: Record,
        dataset: &Dataset,
        read_at: DateTime<Utc>,
        credits: Option<u64>,
    ) -> Self {
        let fields = record.fields();
        let around = dataset
            .available_includes()
            .iter()
            .map(|include| (*include, fields.embedded_records(include)))
            .collect();
        let dossier = (*dataset == Dataset::Projects)
            .then(|| serde_json::from_str::<ProjectDetails>(record.json()).ok())
            .flatten()
            .map(ProjectDetails::arranged);
        let location = parse_location(&record);
        FetchedRecord {
            record,
            fields,
            related: around,
            project_details: dossier,
            location,
            read_at,
            credits,
        }
    }

    pub fn location(&self) -> Option<&(GeoPoint, String)> {
        self.location.as_ref()
    }

    pub fn related(&self, include: &str) -> &[Record] {
        self.related.get(include).map_or(&[], Vec::as_slice)
    }

    /// Updates the fields it has from a newer row.
    pub fn update_fields(&mut self, newer: &RecordFields) {
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
    /// The service has no such records.
    missing: HashSet<RecordKey>,
    /// How far the last read has come.
    pub load: LoadState,
}

impl FetchedRecords {
    pub fn get(&self, key: &RecordKey) -> Option<&FetchedRecord> {
        self.by_key.get(key)
    }

    /// A project, from the book or from the index.
    pub fn project(&self, project: Option<ProjectId>) -> Option<FetchedProject<'_>> {
        let key = RecordKey::of_project(project?);
        let paid = self.get(&key).or_else(|| {
            self.get(&RecordKey {
                in_book: true,
                ..key.clone()
            })
        })?;
        Some(FetchedProject {
            project_details: paid.project_details.as_ref()?,
            read_at: paid.read_at,
            credits: paid.credits,
        })
    }

    pub fn count(&self) -> usize {
        self.by_key.len()
    }

    /// The records of a dataset, by any route.
    pub fn of_dataset(&self, dataset: &Dataset) -> impl Iterator<Item = &Record> {
        self.by_key
            .iter()
            .filter(move |(key, _)| key.dataset == *dataset)
            .map(|(_, paid)| &paid.record)
    }

    /// Merges fields of a newer response into a record.
    pub fn merge_fields(&mut self, key: &RecordKey, newer: &Map<String, Value>) {
        if let Some(paid) = self.by_key.get_mut(key) {
            paid.merge_fields(newer);
        }
    }

    pub fn insert(&mut self, key: RecordKey, record: FetchedRecord) {
        self.by_key.insert(key, record);
    }

    pub fn remove(&mut self, key: &RecordKey) {
        self.by_key.remove(key);
    }

    /// The service answered that it has no such record.
    pub fn mark_missing(&mut self, key: RecordKey) {
        self.missing.insert(key);
    }

    pub fn is_missing(&self, key: &RecordKey) -> bool {
        self.missing.contains(key)
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&RecordKey, &mut FetchedRecord)> {
        self.by_key.iter_mut()
    }
}

/// The display name of a record.
pub fn record_name(fields: &RecordFields) -> String {
    let name = fields
        .text("name")
        .or(fields.text("project_name"))
        .filter(|name| !name.trim().is_empty());
    name.unwrap_or("unnamed").to_owned()
}

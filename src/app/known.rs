//! What is known of what the workspace wrote on a record: from rows, pages, own writes and reads, the newest of each field.
//!
//! A row of a View tells no note, a row of the index tells nothing: what was not told is unknown, which is not the same as empty.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::App;
use super::effect::RecordKey;
use crate::domain::book::{Annotation, IcpTier, RecordKind};
use crate::domain::patch::Patch;
use crate::domain::records::RecordFields;
use crate::domain::search::RecordSource;

/// A field that the workspace writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// How well an account fits.
    Tier,
    /// The workflow state.
    Status,
    /// The tags.
    Tags,
    /// The note.
    Notes,
}

/// What stands in a field: one text, none for null, any number of tags.
pub type Value = Vec<String>;

/// What was told of a field, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// What stood there.
    pub value: Value,
    /// When, on the service's clock.
    pub at: DateTime<Utc>,
}

/// What is known of a record's annotation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    in_book: Option<(bool, DateTime<Utc>)>,
    told: BTreeMap<Field, Told>,
}

impl Field {
    /// All of them, in the order of the sheet.
    pub const ALL: [Field; 4] = [Field::Tier, Field::Status, Field::Tags, Field::Notes];

    /// Those that records of a kind have.
    pub fn of(shelf: &RecordKind) -> Vec<Field> {
        Field::ALL.into_iter().filter(|field| *field != Field::Tier || *shelf == RecordKind::Accounts).collect()
    }

    /// Its name in the interface.
    pub fn wire(self) -> &'static str {
        match self {
            Field::Tier => "icp_tier",
            Field::Status => "workspace_status",
            Field::Tags => "tags",
            Field::Notes => "notes",
        }
    }

    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            Field::Tier => "tier",
            Field::Status => "status",
            Field::Tags => "tags",
            Field::Notes => "note",
        }
    }

    /// What stands in the field of a record; none when the record does not tell.
    pub fn read(self, fields: &RecordFields) -> Option<Value> {
        if !fields.contains_field(self.wire()) {
            return None;
        }
        Some(match self {
            Field::Tags => fields.list("tags").into_iter().map(str::to_owned).collect(),
            _ => fields.text(self.wire()).filter(|text| !text.is_empty()).map(str::to_owned).into_iter().collect(),
        })
    }

    /// Whether two values are the same; tags are a set.
    pub fn same(self, one: &[String], other: &[String]) -> bool {
        match self {
            Field::Tags => one.iter().all(|tag| other.contains(tag)) && other.iter().all(|tag| one.contains(tag)),
            _ => one == other,
        }
    }
}

impl Known {
    /// What fields that were read at a moment tell.
    pub fn of(fields: &RecordFields, in_book: Option<bool>, at: DateTime<Utc>) -> Known {
        let told = Field::ALL.into_iter().filter_map(|field| Some((field, Told { value: field.read(fields)?, at })));
        Known { in_book: in_book.map(|is| (is, at)), told: told.collect() }
    }

    /// A record that is not in the book: nothing is written on it.
    pub fn outside(at: DateTime<Utc>) -> Known {
        let told = Field::ALL.into_iter().map(|field| (field, Told { value: Value::new(), at }));
        Known { in_book: Some((false, at)), told: told.collect() }
    }

    /// What was written at a moment.
    pub fn written(annotation: &Annotation, at: DateTime<Utc>) -> Known {
        let told = values(annotation).into_iter().map(|(field, value)| (field, Told { value, at }));
        Known { in_book: Some((true, at)), told: told.collect() }
    }

    /// Takes in what is told elsewhere; of each field the newer counts.
    pub fn hear(&mut self, other: Known) {
        if other.in_book.is_some_and(|(_, at)| self.in_book.is_none_or(|(_, known)| known <= at)) {
            self.in_book = other.in_book;
        }
        for (field, told) in other.told {
            if self.told.get(&field).is_none_or(|known| known.at <= told.at) {
                self.told.insert(field, told);
            }
        }
    }

    /// Whether the record is in the book, where that is known.
    pub fn in_book(&self) -> Option<bool> {
        self.in_book.map(|(is, _)| is)
    }

    /// What was told of a field.
    pub fn told(&self, field: Field) -> Option<&Told> {
        self.told.get(&field)
    }

    /// What stood in a field.
    pub fn value(&self, field: Field) -> Option<&Value> {
        self.told(field).map(|told| &told.value)
    }
}

/// The annotation that writes these values.
pub fn annotation(values: impl IntoIterator<Item = (Field, Value)>) -> Annotation {
    let mut annotation = Annotation::default();
    for (field, value) in values {
        let text = || value.first().map_or(Patch::Clear, |text| Patch::Set(text.clone()));
        match field {
            Field::Status => annotation.workspace_status = text(),
            Field::Notes => annotation.notes = text(),
            Field::Tier => {
                annotation.icp_tier = value.first().map_or(Patch::Clear, |tier| Patch::Set(IcpTier::from(tier.as_str())))
            }
            Field::Tags => annotation.tags = Some(value),
        }
    }
    annotation
}

/// What an annotation writes, field by field.
pub fn values(annotation: &Annotation) -> Vec<(Field, Value)> {
    fn value<T: ToString>(patch: &Patch<T>) -> Option<Value> {
        match patch {
            Patch::Keep => None,
            Patch::Clear => Some(Value::new()),
            Patch::Set(value) => Some(vec![value.to_string()]),
        }
    }
    let all = [
        (Field::Tier, value(&annotation.icp_tier)),
        (Field::Status, value(&annotation.workspace_status)),
        (Field::Tags, annotation.tags.clone()),
        (Field::Notes, value(&annotation.notes)),
    ];
    all.into_iter().filter_map(|(field, value)| Some((field, value?))).collect()
}

impl App {
    /// What is known of a record's annotation.
    pub fn known(&self, shelf: &RecordKind, id: Uuid) -> Known {
        let key = RecordKey::for_book(shelf, id);
        let mut known = Known::default();
        for list in self.lists().filter(|list| list.source.record_kind().as_ref() == Some(shelf)) {
            let (Some(row), Some(at)) = (list.row(id), list.read_at) else { continue };
            let fields = row.fields();
            known.hear(match list.source {
                RecordSource::Index(_) => continue,
                RecordSource::View(..) if fields.is_outside_book() => Known::outside(at),
                RecordSource::View(..) | RecordSource::Book(_) => Known::of(&fields, Some(true), at),
            });
        }
        if let Some(paid) = self.page(&key) {
            known.hear(Known::of(&paid.fields, Some(true), paid.read_at));
        }
        if let Some(told) = self.told.get(&key) {
            known.hear(told.clone());
        }
        known
    }

    /// Remembers what was told of a record by a write, or by a read of it.
    pub fn hear(&mut self, shelf: &RecordKind, id: Uuid, known: Known) {
        self.told.entry(RecordKey::for_book(shelf, id)).or_default().hear(known);
    }

    /// What a record's annotation is, as far as it was read: enough to write it back. None when it was not read.
    pub fn known_annotation(&self, shelf: &RecordKind, id: Uuid) -> Option<Annotation> {
        let known = self.known(shelf, id);
        known.told(Field::Tags)?;
        let written = Field::ALL.into_iter().filter_map(|field| Some((field, known.value(field)?.clone())));
        Some(annotation(written.filter(|(_, value)| !value.is_empty())))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::records::Record;

    fn at(minute: u32) -> DateTime<Utc> {
        format!("2026-07-09T09:{minute:02}:00Z").parse().unwrap()
    }

    fn fields(value: serde_json::Value) -> RecordFields {
        let mut value = value;
        value["id"] = json!("018f4d3a-0000-7000-8000-000000000001");
        Record::try_from(&value).unwrap().fields()
    }

    #[test]
    fn what_was_not_told_is_unknown_and_null_is_empty() {
        let known = Known::of(&fields(json!({ "tags": ["q3"], "workspace_status": null })), Some(true), at(1));
        assert_eq!(known.value(Field::Tags), Some(&vec!["q3".to_owned()]));
        assert_eq!((known.value(Field::Status), known.value(Field::Notes)), (Some(&Value::new()), None));
    }

    #[test]
    fn of_each_field_the_newer_counts() {
        let mut known = Known::of(&fields(json!({ "tags": ["old"], "notes": "a note" })), Some(true), at(1));
        known.hear(Known::of(&fields(json!({ "tags": ["new"] })), Some(true), at(2)));
        known.hear(Known::of(&fields(json!({ "tags": ["older"] })), None, at(0)));
        assert_eq!(known.value(Field::Tags), Some(&vec!["new".to_owned()]));
        assert_eq!(known.value(Field::Notes), Some(&vec!["a note".to_owned()]));
        known.hear(Known::outside(at(3)));
        assert_eq!((known.in_book(), known.value(Field::Notes)), (Some(false), Some(&Value::new())));
    }

    #[test]
    fn values_and_annotations_are_two_forms_of_one_thing() {
        let written = [(Field::Tier, vec!["tier_1".to_owned()]), (Field::Status, vec![]), (Field::Tags, vec![])];
        let annotation = annotation(written.clone());
        assert_eq!(json!(annotation), json!({ "icp_tier": "tier_1", "workspace_status": null, "tags": [] }));
        assert_eq!(values(&annotation), written);
    }
}

//! Records as they came: an id and the JSON around it (interface: Resources and fields, View-record rows).
//!
//! Which fields a row has depends on the route, and the interface shows some of them only; so a record is kept as it was sent, and
//! a field is read when it is wanted. What is missing or odd is unknown.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::book::{Dataset, RecordKind};
use super::lenient::{DateOrDateTime, Number};

/// A row of a search, or the record of a get with what it embeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its id.
    pub id: Uuid,
    /// Shared: a copy of a record is a pointer.
    json: Arc<str>,
}

/// A record, and the route that knows it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordKey {
    /// What it is.
    pub dataset: Dataset,
    /// Its id.
    pub id: Uuid,
    /// Read from the book, with what the workspace wrote on it; else from the index.
    pub in_book: bool,
}

impl RecordKey {
    /// A record of the book.
    pub fn for_book(shelf: &RecordKind, id: Uuid) -> RecordKey {
        RecordKey { dataset: shelf.into(), id, in_book: true }
    }
}

/// The fields of a record, read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordFields(Map<String, Value>);

impl Record {
    /// The record as it was sent.
    pub fn json(&self) -> &str {
        &self.json
    }

    /// Its fields.
    pub fn fields(&self) -> RecordFields {
        RecordFields(serde_json::from_str(&self.json).unwrap_or_default())
    }

    /// The same record with some of its fields as a newer answer has them.
    pub fn with_fields(&self, newer: &Map<String, Value>) -> Record {
        let mut fields = self.fields().0;
        fields.extend(newer.iter().map(|(name, value)| (name.clone(), value.clone())));
        fields.insert("id".to_owned(), self.id.to_string().into());
        Record { id: self.id, json: Value::Object(fields).to_string().into() }
    }

    /// The same record: of the fields that it has, those that a newer answer tells as that has them. What only one of the two tells
    /// stays as it is.
    pub fn with_refreshed_fields(&self, newer: &RecordFields) -> Record {
        let known = self.fields();
        self.with_fields(
            &newer
                .0
                .iter()
                .filter(|(name, _)| known.contains_field(name))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
        )
    }
}

impl TryFrom<&Value> for Record {
    type Error = serde_json::Error;

    fn try_from(value: &Value) -> Result<Self, Self::Error> {
        serde_json::from_str(&value.to_string())
    }
}

impl<'de> Deserialize<'de> for Record {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct RecordIdField {
            // The receipts of Skills name it so.
            #[serde(alias = "skill_id")]
            id: Uuid,
        }
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let RecordIdField { id } = serde_json::from_str(raw.get()).map_err(serde::de::Error::custom)?;
        // A value that no field could be read from is no record.
        serde_json::from_str::<Map<String, Value>>(raw.get()).map_err(serde::de::Error::custom)?;
        Ok(Record { id, json: raw.get().into() })
    }
}

impl Serialize for Record {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.fields().0.serialize(serializer)
    }
}

impl RecordFields {
    /// A field as it was sent; none when it is missing or null.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// A text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    /// The texts of a list; empty when it is missing.
    pub fn list(&self, name: &str) -> Vec<&str> {
        self.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// A number.
    pub fn number(&self, name: &str) -> Option<Number> {
        serde_json::from_value(self.get(name)?.clone()).ok()
    }

    /// A day or a moment.
    pub fn date_time(&self, name: &str) -> Option<DateOrDateTime> {
        Some(DateOrDateTime::from(self.text(name)?))
    }

    /// Records that a get embedded.
    pub fn embedded_records(&self, name: &str) -> Vec<Record> {
        match self.get(name) {
            Some(Value::Array(items)) => items.iter().filter_map(|item| Record::try_from(item).ok()).collect(),
            Some(item) => Record::try_from(item).into_iter().collect(),
            None => Vec::new(),
        }
    }

    /// The field is there, be it null.
    pub fn contains_field(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// A row of a View says so of a record that is visible there without being in the book: its overlay is null throughout.
    pub fn is_outside_book(&self) -> bool {
        let null = |name: &str| self.0.get(name).is_some_and(Value::is_null);
        null("updated_at") && null("tags")
    }

    /// All of them, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn test_record(value: Value) -> Record {
        serde_json::from_value(value).unwrap()
    }

    const TEST_ID: &str = "018f4d3a-0000-7000-8000-000000000001";

    #[test]
    fn a_record_keeps_its_raw_json_and_is_parsed_on_demand() {
        let record =
            test_record(json!({"id": TEST_ID, "name": "Calder", "tags": ["a", 7, "b"], "tomorrow": {"x": 1}, "city": null}));
        let fields = record.fields();
        assert_eq!((fields.text("name"), fields.list("tags"), fields.text("city")), (Some("Calder"), vec!["a", "b"], None));
        assert!(fields.contains_field("city") && record.json().contains("tomorrow"));
    }

    #[test]
    fn a_row_without_an_id_is_not_a_record() {
        for bad in [json!({"name": "x"}), json!({"id": 7}), json!([TEST_ID]), json!(null)] {
            assert!(serde_json::from_value::<Record>(bad).is_err());
        }
    }

    #[test]
    fn a_view_row_outside_the_book_differs_from_an_empty_book_row() {
        let outside = test_record(json!({"id": TEST_ID, "updated_at": null, "tags": null, "workspace_status": null}));
        let inside =
            test_record(json!({"id": TEST_ID, "updated_at": "2026-07-01T00:00:00Z", "tags": [], "workspace_status": null}));
        assert!(outside.fields().is_outside_book() && !inside.fields().is_outside_book());
        assert!(
            !test_record(json!({"id": TEST_ID})).fields().is_outside_book(),
            "a row that has no overlay says nothing of the book"
        );
    }

    #[test]
    fn a_newer_response_updates_the_fields_it_names() {
        let old = test_record(json!({"id": TEST_ID, "name": "Calder", "tags": ["a"]}));
        let new = old.with_fields(json!({"tags": ["b"]}).as_object().unwrap());
        assert_eq!((new.fields().text("name"), new.fields().list("tags")), (Some("Calder"), vec!["b"]));
    }
}

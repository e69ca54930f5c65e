//! Records as received: an id and its JSON (interface: Resources and fields, View-record rows).
//!
//! The fields of a row depend on the route, and the interface shows only some of them; so a record
//! is kept as received, and fields are read on demand. What is missing or invalid is unknown.

mod text;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::ProjectId;
use super::book::{Dataset, RecordKind};
use super::json_field::find_field;
use super::lenient::{DateOrDateTime, Number};
pub use text::RecordsBuilder;
use text::SharedText;

/// A row of a search, or the record of a get with its includes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub id: Uuid,
    /// Shared, so that cloning a record is cheap.
    json: SharedText,
}

/// A record and the route it was read from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordKey {
    pub dataset: Dataset,
    pub id: Uuid,
    /// Read from the book, with the workspace's annotation; otherwise from the index.
    pub in_book: bool,
}

impl RecordKey {
    pub fn for_book(kind: &RecordKind, id: Uuid) -> RecordKey {
        RecordKey {
            dataset: kind.into(),
            id,
            in_book: true,
        }
    }

    /// Phone and e-mail of a contact are in the index, not in the book.
    pub fn for_indexed_contact(id: Uuid) -> RecordKey {
        RecordKey {
            dataset: Dataset::Contacts,
            id,
            in_book: false,
        }
    }

    /// A signal's project is read from the index, which has it whether or not it is in the book.
    pub fn of_project(project: ProjectId) -> RecordKey {
        RecordKey {
            dataset: Dataset::Projects,
            id: project.0,
            in_book: false,
        }
    }
}

/// The decoded fields of a record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordFields(Map<String, Value>);

impl Record {
    /// The JSON as received.
    pub fn json(&self) -> &str {
        self.json.as_str()
    }

    /// A field as it is written; `None` if the record does not have it. Nothing else is decoded.
    pub fn field_json(&self, name: &str) -> Option<&str> {
        find_field(self.json(), name)
    }

    /// A field as received, null included; `None` if the record does not have it.
    pub fn field(&self, name: &str) -> Option<Value> {
        serde_json::from_str(self.field_json(name)?).ok()
    }

    /// As [`RecordFields::is_outside_book`].
    pub fn is_outside_book(&self) -> bool {
        ["updated_at", "tags"]
            .iter()
            .all(|name| self.field_json(name) == Some("null"))
    }

    pub fn fields(&self) -> RecordFields {
        RecordFields(serde_json::from_str(self.json()).unwrap_or_default())
    }

    /// The record with some fields replaced by newer values.
    pub fn with_fields(&self, newer: &Map<String, Value>) -> Record {
        let mut fields = self.fields().0;
        fields.extend(
            newer
                .iter()
                .map(|(name, value)| (name.clone(), value.clone())),
        );
        fields.insert("id".to_owned(), self.id.to_string().into());
        Record {
            id: self.id,
            json: Value::Object(fields).to_string().as_str().into(),
        }
    }

    /// The record with its own fields updated from a newer response. Fields that only one of the
    /// two has stay as they are.
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
            // The receipts of Skills use this name.
            #[serde(alias = "skill_id")]
            id: Uuid,
        }
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let RecordIdField { id } =
            serde_json::from_str(raw.get()).map_err(serde::de::Error::custom)?;
        // JSON that is not an object is not a record.
        serde_json::from_str::<Map<String, Value>>(raw.get()).map_err(serde::de::Error::custom)?;
        Ok(Record {
            id,
            json: raw.get().into(),
        })
    }
}

impl Serialize for Record {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.fields().0.serialize(serializer)
    }
}

impl From<Map<String, Value>> for RecordFields {
    fn from(fields: Map<String, Value>) -> RecordFields {
        RecordFields(fields)
    }
}

impl RecordFields {
    /// A field as received; `None` if missing or null.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    /// The texts of a list; empty if missing.
    pub fn list(&self, name: &str) -> Vec<&str> {
        self.get(name)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect()
    }

    pub fn number(&self, name: &str) -> Option<Number> {
        serde_json::from_value(self.get(name)?.clone()).ok()
    }

    pub fn date_time(&self, name: &str) -> Option<DateOrDateTime> {
        Some(DateOrDateTime::from(self.text(name)?))
    }

    /// All fields as one noun; `None` if they do not parse.
    pub fn parse<T: for<'de> Deserialize<'de>>(&self) -> Option<T> {
        serde_json::from_value(Value::Object(self.0.clone())).ok()
    }

    /// Records included by a get.
    pub fn embedded_records(&self, name: &str) -> Vec<Record> {
        match self.get(name) {
            Some(Value::Array(items)) => items
                .iter()
                .filter_map(|item| Record::try_from(item).ok())
                .collect(),
            Some(item) => Record::try_from(item).into_iter().collect(),
            None => Vec::new(),
        }
    }

    /// Whether the field is present, possibly null.
    pub fn contains_field(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Whether this row of a View is visible there without being in the book: all its annotation
    /// fields are null.
    pub fn is_outside_book(&self) -> bool {
        let null = |name: &str| self.0.get(name).is_some_and(Value::is_null);
        null("updated_at") && null("tags")
    }

    /// All fields, sorted by name.
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
        let record = test_record(
            json!({"id": TEST_ID, "name": "Calder", "tags": ["a", 7, "b"], "tomorrow": {"x": 1}, "city": null}),
        );
        let fields = record.fields();
        assert_eq!(
            (
                fields.text("name"),
                fields.list("tags"),
                fields.text("city")
            ),
            (Some("Calder"), vec!["a", "b"], None)
        );
        assert!(fields.contains_field("city") && record.json().contains("tomorrow"));
    }

    #[test]
    fn a_row_without_an_id_is_not_a_record() {
        for bad in [
            json!({"name": "x"}),
            json!({"id": 7}),
            json!([TEST_ID]),
            json!(null),
        ] {
            assert!(serde_json::from_value::<Record>(bad).is_err());
        }
    }

    #[test]
    fn a_view_row_outside_the_book_differs_from_an_empty_book_row() {
        let outside = test_record(
            json!({"id": TEST_ID, "updated_at": null, "tags": null, "workspace_status": null}),
        );
        let inside = test_record(
            json!({"id": TEST_ID, "updated_at": "2026-07-01T00:00:00Z", "tags": [], "workspace_status": null}),
        );
        assert!(outside.fields().is_outside_book() && !inside.fields().is_outside_book());
        assert!(
            !test_record(json!({"id": TEST_ID}))
                .fields()
                .is_outside_book(),
            "a row without annotation fields says nothing about the book"
        );
    }

    #[test]
    fn a_newer_response_updates_the_fields_it_names() {
        let old = test_record(json!({"id": TEST_ID, "name": "Calder", "tags": ["a"]}));
        let new = old.with_fields(json!({"tags": ["b"]}).as_object().unwrap());
        assert_eq!(
            (new.fields().text("name"), new.fields().list("tags")),
            (Some("Calder"), vec!["b"])
        );
    }
}

//! Views: saved record sets shared by a workspace, and a person's favorites (interface: Views and
//! Favorites).
//!
//! The interface shows id, dataset and type of a View; the other fields are those of our own
//! service and may be missing elsewhere.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ViewId;
use super::aliased_fields::{AliasedFields, names_match};
use super::book::RecordKind;
use super::lenient::DateOrDateTime;
use super::open_enum::open_enum;

open_enum! {
    /// How a View selects its records.
    ViewType {
        /// An explicit list of records.
        Static = "static",
        /// A stored filter definition.
        Dynamic = "dynamic",
    }
}

/// A View. The interface shows its id, its dataset and its type, but not their names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "AliasedFields")]
pub struct View {
    pub id: ViewId,
    pub name: Option<String>,
    pub description: Option<String>,
    /// `account`, `contact` or `project`.
    pub dataset: Option<String>,
    #[serde(rename = "type")]
    pub kind: Option<ViewType>,
    /// The stored filter of a Dynamic View, in its own grammar.
    pub definition: Option<Value>,
    /// Number of records, if known.
    pub records_count: Option<u64>,
    pub updated_at: Option<DateOrDateTime>,
}

/// Field names that services use for Views.
pub mod names {
    pub const ID: &[&str] = &["id", "view_id", "uuid"];
    pub const NAME: &[&str] = &["name", "title", "label", "view_name", "display_name"];
    pub const DESCRIPTION: &[&str] = &["description", "summary"];
    pub const DATASET: &[&str] = &[
        "dataset",
        "view_dataset",
        "entity",
        "entity_type",
        "record_type",
        "object_type",
        "object",
        "resource",
    ];
    pub const KIND: &[&str] = &["type", "view_type", "kind", "mode"];
    pub const COUNT: &[&str] = &["records_count", "record_count", "count", "size", "total"];
}

/// The record kind that a word names: `account`, `Accounts`.
fn parse_record_kind(word: &str) -> Option<RecordKind> {
    RecordKind::ALL
        .iter()
        .find(|kind| names_match(kind.as_str(), word) || names_match(kind.singular_name(), word))
        .cloned()
}

impl TryFrom<AliasedFields> for View {
    type Error = &'static str;

    fn try_from(sent: AliasedFields) -> Result<Self, Self::Error> {
        // A service may call the dataset "type" and the type "kind": values count before field
        // names.
        let words = |all: &[&[&str]]| -> Vec<String> {
            all.iter()
                .flat_map(|names| names.iter().filter_map(|name| sent.text(&[name])))
                .collect()
        };
        let kinds = words(&[names::KIND, names::DATASET]);
        let known = |word: &String| {
            Some(ViewType::parse_lenient(word)).filter(|kind| ViewType::ALL.contains(kind))
        };
        let dynamic: Option<bool> = sent.parse(&["is_dynamic", "dynamic"]);
        let dynamic = dynamic.or_else(|| {
            sent.parse(&["is_static", "static"])
                .map(|is_static: bool| !is_static)
        });
        let by_flag = dynamic.map(|dynamic| {
            if dynamic {
                ViewType::Dynamic
            } else {
                ViewType::Static
            }
        });
        let datasets = words(&[names::DATASET, names::KIND]);
        Ok(View {
            // A View with an unreadable id gets the nil id: it is shown by its name.
            id: match sent.parse(names::ID) {
                Some(id) => id,
                None if sent.get(names::NAME).is_some() => ViewId(uuid::Uuid::nil()),
                None => return Err("a View without an id and without a name"),
            },
            name: sent.text(names::NAME),
            description: sent.text(names::DESCRIPTION),
            dataset: datasets
                .iter()
                .find_map(|word| parse_record_kind(word))
                .map(|kind| kind.singular_name().to_owned())
                .or_else(|| sent.text(names::DATASET)),
            kind: kinds
                .iter()
                .find_map(known)
                .or(by_flag)
                .or_else(|| Some(ViewType::parse_lenient(&sent.text(names::KIND)?))),
            definition: sent
                .get(&["definition", "filter_definition", "filters"])
                .cloned(),
            records_count: sent.count(names::COUNT),
            updated_at: sent.parse(&["updated_at", "modified_at"]),
        })
    }
}

impl View {
    pub fn record_kind(&self) -> RecordKind {
        let word = self.dataset.as_deref().unwrap_or_default();
        parse_record_kind(word).unwrap_or_else(|| format!("{word}s").as_str().into())
    }

    /// Its name, otherwise its id.
    pub fn title(&self) -> String {
        self.name
            .clone()
            .filter(|name| !name.trim().is_empty())
            .unwrap_or_else(|| self.id.to_string())
    }

    /// Whether records can be added and removed.
    pub fn is_static(&self) -> bool {
        self.kind == Some(ViewType::Static)
    }
}

/// A favorite. The interface does not show how it names the View.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "AliasedFields")]
pub struct Favorite {
    pub view_id: ViewId,
}

impl TryFrom<AliasedFields> for Favorite {
    type Error = &'static str;

    /// Reads the View from the field of that name, as an id or a View; otherwise the object itself
    /// is the View.
    fn try_from(sent: AliasedFields) -> Result<Self, Self::Error> {
        let view = sent.get(&["view_id", "view", "favorite_view_id"]);
        let id = match view {
            Some(Value::Object(view)) => view.get("id").cloned(),
            Some(view) => Some(view.clone()),
            None => sent.get(&["id"]).cloned(),
        };
        let view_id = id
            .and_then(|id| serde_json::from_value(id).ok())
            .ok_or("missing the id of a View")?;
        Ok(Favorite { view_id })
    }
}

/// A View to be written; the interface shows no body, so these are the names of our own service.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ViewDraft {
    /// The View to change; a new one if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view_id: Option<ViewId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// `account`, `contact` or `project`; cannot be changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dataset: Option<String>,
    /// `static` or `dynamic`; cannot be changed.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The stored filter definition of a Dynamic View, in its own grammar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub definition: Option<Value>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_view_is_read_with_any_known_field_alias() {
        let id = "018f4d3a-0000-7000-8000-000000000001";
        let read = |json: Value| {
            let view: View = serde_json::from_value(json.clone())
                .unwrap_or_else(|error| panic!("{json}: {error}"));
            (
                view.title(),
                view.record_kind(),
                view.kind.clone(),
                view.records_count,
            )
        };
        let expected = (
            "Calder".to_owned(),
            RecordKind::Accounts,
            Some(ViewType::Static),
            Some(1_234),
        );
        for view in [
            json!({"id": id, "name": "Calder", "dataset": "account", "type": "static", "records_count": 1234}),
            json!({"id": id, "title": "Calder", "dataset": "accounts", "kind": "Static", "record_count": "1,234"}),
            json!({"view_id": id, "label": "Calder", "entity": "Account", "view_type": "STATIC", "count": 1234.0}),
            json!({"ID": id, "Name": "Calder", "Dataset": "ACCOUNT", "Type": "Static", "RecordsCount": 1234}),
            json!({"id": id, "name": "Calder", "title": "x", "type": "account", "kind": "static", "recordsCount": 1234}),
            json!({"id": id, "name": "Calder", "entityType": "accounts", "is_dynamic": false, "size": 1234}),
        ] {
            assert_eq!(read(view.clone()), expected, "{view}");
        }
        let odd = json!({"id": id, "name": 7, "dataset": "deal", "type": "smart", "records_count": -1, "updated_at": []});
        assert_eq!(
            read(odd),
            ("7".to_owned(), "deals".into(), Some("smart".into()), None)
        );
        assert_eq!(
            read(json!({"id": 7, "name": "Calder"})).0,
            "Calder",
            "an invalid id does not cost the row"
        );
    }

    #[test]
    fn a_stored_view_round_trips() {
        let view: View = serde_json::from_value(
            json!({"view_id": ViewId(uuid::Uuid::nil()), "title": "a", "kind": "Dynamic"}),
        )
        .unwrap();
        assert_eq!(serde_json::from_value::<View>(json!(view)).unwrap(), view);
    }
}

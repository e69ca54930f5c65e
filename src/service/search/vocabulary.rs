//! The table of fields as the interface presents it: field discovery and the fields of filter
//! entities (decisions 2.16 and 2.17). Never here: keys of its own, except for Skills, which have
//! no search.

use serde_json::{Map, Value, json};

use super::fields::{self, FilterDialect, FilterKey, FilterKind};
use crate::service::dataset::Dataset;

/// What can be filtered: a dataset or a workspace's records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterEntity {
    /// A dataset of the Data API (`projects`), or the same records within a workspace (`project`:
    /// book and Views).
    Records(Dataset, FilterDialect),
    /// Skills (`skill`).
    Skill,
}

impl FilterEntity {
    /// The entity with this name. Signals exist only in the Data API.
    pub fn from_name(name: &str) -> Option<FilterEntity> {
        if name == "skill" {
            return Some(FilterEntity::Skill);
        }
        Dataset::ALL.into_iter().find_map(|dataset| {
            let book = if dataset == Dataset::Signals {
                FilterDialect::Data
            } else {
                FilterDialect::Book
            };
            let place = if name == dataset.plural() {
                FilterDialect::Data
            } else {
                book
            };
            (name == dataset.plural() || name == dataset.singular())
                .then_some(FilterEntity::Records(dataset, place))
        })
    }

    pub fn fields(self) -> Vec<Value> {
        match self {
            FilterEntity::Records(dataset, place) => fields::filter_keys(dataset, place)
                .into_iter()
                .map(|field| describe_key(field, place))
                .collect(),
            FilterEntity::Skill => skill_fields(),
        }
    }
}

/// One field, as returned by discovery.
pub fn describe_key(field: &FilterKey, place: FilterDialect) -> Value {
    let several = matches!(
        field.kind,
        FilterKind::Text(_) | FilterKind::Enum(_) | FilterKind::Uuid
    );
    let mut descriptor = Map::from_iter([
        ("key".to_owned(), json!(field.key)),
        ("label".to_owned(), json!(field.label)),
        ("kind".to_owned(), json!(kind_name(&field.kind))),
        ("multi".to_owned(), json!(several)),
        (
            "exact_match".to_owned(),
            json!(matches!(field.kind, FilterKind::Text(_))),
        ),
    ]);
    match &field.kind {
        FilterKind::Enum(words) => {
            descriptor.insert("values".to_owned(), json!(words.to_vec()));
        }
        FilterKind::Relation(relation) => {
            let inner: Vec<Value> = field
                .inner_keys(place)
                .into_iter()
                .map(|field| describe_key(field, place))
                .collect();
            descriptor.insert("related".to_owned(), json!(relation.related.plural()));
            descriptor.insert("negated".to_owned(), json!(relation.negated));
            descriptor.insert("fields".to_owned(), json!(inner));
        }
        _ => {}
    }
    Value::Object(descriptor)
}

fn kind_name(kind: &FilterKind) -> &'static str {
    match kind {
        FilterKind::Text(_) => "text",
        FilterKind::Enum(_) => "enum",
        FilterKind::Uuid => "uuid",
        FilterKind::Boolean => "boolean",
        FilterKind::Number => "number",
        FilterKind::Date => "date",
        FilterKind::Relation(_) => "relation",
    }
}

/// The enums of Skills: key, values, and whether several values are accepted at once.
pub const SKILL_ENUMS: &[(&str, &[&str], bool)] = &[
    ("source", &["custom", "official"], true),
    ("lifecycle", &["draft", "published", "unpublished"], true),
    ("audience", &["personal", "workspace"], true),
    ("installed", &["installed", "not_installed"], false),
];

/// The filter fields of Skills (interface: Skill filter fields).
fn skill_fields() -> Vec<Value> {
    let mut fields = vec![json!({"key": "q", "kind": "text", "multi": false, "max_length": 500})];
    let word = |(key, values, multi): &(&str, &[&str], bool)| json!({"key": key, "kind": "enum", "multi": multi, "values": values});
    fields.extend(SKILL_ENUMS.iter().map(word));
    let wire_keys = ["updated_after", "updated_before"];
    fields.push(json!({"key": "updated", "kind": "date", "multi": false, "wire_keys": wire_keys, "format": "YYYY-MM-DD"}));
    fields
}

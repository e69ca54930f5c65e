//! The table of fields as the wire tells it: fields discovery and the vocabulary of filter entities (decisions 2.16 and 2.17). Never
//! here: a key of its own, but for Skills, which have no search.

use serde_json::{Map, Value, json};

use super::Dataset;
use super::fields::{self, Field, Kind, Place};

/// What can be asked of a dataset or of a workspace's records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entity {
    /// A dataset of the Data API (`projects`), or the same records as a workspace sees them (`project`: book and Views).
    Records(Dataset, Place),
    /// Skills (`skill`).
    Skill,
}

impl Entity {
    /// The entity of this name. Signals are known to the Data API only.
    pub fn named(name: &str) -> Option<Entity> {
        if name == "skill" {
            return Some(Entity::Skill);
        }
        Dataset::ALL.into_iter().find_map(|dataset| {
            let book = if dataset == Dataset::Signals { Place::Data } else { Place::Book };
            let place = if name == dataset.plural() { Place::Data } else { book };
            (name == dataset.plural() || name == dataset.singular()).then_some(Entity::Records(dataset, place))
        })
    }

    /// Its vocabulary.
    pub fn fields(self) -> Vec<Value> {
        match self {
            Entity::Records(dataset, place) => {
                fields::fields(dataset, place).into_iter().map(|field| described(field, place)).collect()
            }
            Entity::Skill => skill(),
        }
    }
}

/// One field, as discovery tells it.
pub fn described(field: &Field, place: Place) -> Value {
    let several = matches!(field.kind, Kind::Text(_) | Kind::Enum(_) | Kind::Uuid);
    let mut told = Map::from_iter([
        ("key".to_owned(), json!(field.key)),
        ("label".to_owned(), json!(field.label)),
        ("kind".to_owned(), json!(kind(&field.kind))),
        ("multi".to_owned(), json!(several)),
        ("exact_match".to_owned(), json!(matches!(field.kind, Kind::Text(_)))),
    ]);
    match &field.kind {
        Kind::Enum(words) => {
            told.insert("values".to_owned(), json!(words.all()));
        }
        Kind::Relation(relation) => {
            let inner: Vec<Value> = field.inner(place).into_iter().map(|field| described(field, place)).collect();
            told.insert("related".to_owned(), json!(relation.related.plural()));
            told.insert("negated".to_owned(), json!(relation.negated));
            told.insert("fields".to_owned(), json!(inner));
        }
        _ => {}
    }
    Value::Object(told)
}

fn kind(kind: &Kind) -> &'static str {
    match kind {
        Kind::Text(_) => "text",
        Kind::Enum(_) => "enum",
        Kind::Uuid => "uuid",
        Kind::Boolean => "boolean",
        Kind::Number => "number",
        Kind::Date => "date",
        Kind::Relation(_) => "relation",
    }
}

/// The enums of Skills: key, values, and whether several may be asked for at once.
pub const SKILL_ENUMS: &[(&str, &[&str], bool)] = &[
    ("source", &["custom", "official"], true),
    ("lifecycle", &["draft", "published", "unpublished"], true),
    ("audience", &["personal", "workspace"], true),
    ("installed", &["installed", "not_installed"], false),
];

/// Interface: Skill filter fields.
fn skill() -> Vec<Value> {
    let mut fields = vec![json!({"key": "q", "kind": "text", "multi": false, "max_length": 500})];
    let word =
        |(key, values, multi): &(&str, &[&str], bool)| json!({"key": key, "kind": "enum", "multi": multi, "values": values});
    fields.extend(SKILL_ENUMS.iter().map(word));
    let wire_keys = ["updated_after", "updated_before"];
    fields.push(json!({"key": "updated", "kind": "date", "multi": false, "wire_keys": wire_keys, "format": "YYYY-MM-DD"}));
    fields
}

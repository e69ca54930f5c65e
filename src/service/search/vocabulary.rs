//! The table of fields as the interface presents it: field discovery and the fields of filter
//! entities (decisions 2.16 and 2.17). Never here: keys of its own, except for Skills, which have
//! no search.

use serde_json::{Map, Value, json};

use super::SearchScope;
use super::fields::{self, FilterDialect, FilterKey, FilterKind, SortKey};
use crate::service::dataset::Dataset;

/// A relation or none, and a key of its records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyPath(pub Option<&'static str>, pub &'static str);

/// The keys of an entity, then those of its related records; and the words that each takes: the
/// values of an enum, or the name of the records that a relation leads to.
pub struct EntityKeys {
    pub entity: FilterEntity,
    keys: Vec<(KeyPath, Vec<&'static str>)>,
}

impl EntityKeys {
    /// The values of all enums.
    pub fn list_values(&self) -> impl Iterator<Item = &'static str> {
        let words = self.keys.iter().flat_map(|(_, words)| words).copied();
        words.filter(|word| Dataset::from_plural(word).is_none())
    }

    /// A key of the first of these relations that has it; none are the records themselves.
    pub fn find_key(&self, relations: &[Option<&str>], key: &str) -> Option<KeyPath> {
        let mut relations = relations.iter();
        relations.find_map(|relation| {
            let mut paths = self.keys.iter().map(|(path, _)| *path);
            paths.find(|path| path.0 == *relation && path.1 == key)
        })
    }

    /// The key that takes a word, of the records or else of related ones.
    pub fn find_word(&self, word: &str) -> Option<KeyPath> {
        let mut keys = self.keys.iter();
        Some(keys.find(|(_, words)| words.contains(&word))?.0)
    }
}

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

    /// The name of its records: `projects`.
    pub fn plural(self) -> &'static str {
        match self {
            FilterEntity::Records(dataset, _) => dataset.plural(),
            FilterEntity::Skill => "skills",
        }
    }

    pub fn list_keys(self) -> EntityKeys {
        let keys = match self {
            FilterEntity::Records(dataset, place) => list_record_keys(dataset, place),
            FilterEntity::Skill => {
                let keys = SKILL_ENUMS.iter();
                let keys = keys.map(|(key, values, _)| (KeyPath(None, key), values.to_vec()));
                keys.collect()
            }
        };
        EntityKeys { entity: self, keys }
    }

    /// The keys that its records can be sorted by.
    pub fn sort_keys(self) -> &'static [SortKey] {
        let FilterEntity::Records(dataset, place) = self else {
            return &[];
        };
        let scope = match place {
            FilterDialect::Book => SearchScope::Book,
            _ => SearchScope::Data,
        };
        fields::sort_keys(dataset, &scope).0
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

fn list_record_keys(dataset: Dataset, place: FilterDialect) -> Vec<(KeyPath, Vec<&'static str>)> {
    let fields = fields::filter_keys(dataset, place);
    let own = fields.iter().map(|field| (None, *field));
    let related = fields.iter().flat_map(|relation| {
        let inner = relation.inner_keys(place).into_iter();
        inner.map(|field| (Some(relation.key), field))
    });
    let list_words = |(relation, field): (_, &'static FilterKey)| {
        let words = match &field.kind {
            FilterKind::Enum(values) => values.to_vec(),
            FilterKind::Relation(relation) => vec![relation.related.plural()],
            _ => Vec::new(),
        };
        (KeyPath(relation, field.key), words)
    };
    own.chain(related).map(list_words).collect()
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

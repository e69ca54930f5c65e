//! The fields by which a dataset can be filtered, as reported by the service (interface: Data API,
//! fields discovery; decisions 2.16).
//!
//! The interface does not show the shape of the response: names are looked up, missing data is
//! inferred from the rest, and unknown kinds are preserved. Conditions are checked against it in
//! [`conditions`](super::conditions).

use serde::Deserialize;
use serde_json::Value;

use super::book::{Dataset, IcpTier, RecordKind};
use super::conditions::{Conditions, Test};
use super::lenient;
use super::open_enum::open_enum;
use super::search::SortOrder;

open_enum! {
    /// The type of a field's values.
    ValueKind {
        /// Texts, compared loosely by default.
        Text = "text",
        /// One of a list of words.
        Enum = "enum",
        /// Ids of records.
        Uuid = "uuid",
        Boolean = "boolean",
        /// A range of numbers.
        Number = "number",
        /// A range of dates.
        Date = "date",
        /// Conditions on a related record.
        Relation = "relation",
    }
}

/// The filter fields of a dataset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "Value")]
pub struct Vocabulary {
    /// In the service's order. Empty if its response could not be read.
    pub fields: Vec<VocabularyField>,
    /// Conditions on them are tested on this machine, which can tell more than a service can be
    /// asked for: unknown values, excluded words and ranges.
    pub is_local: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "RawVocabularyField")]
pub struct VocabularyField {
    /// The key in `filters`.
    pub key: String,
    /// The name for people; may be empty.
    pub label: String,
    pub kind: ValueKind,
    /// Accepts several values at once.
    pub multi: bool,
    /// Accepts `exact_match`.
    pub exact: bool,
    /// A text that is always compared exactly.
    pub as_written: bool,
    /// The words of an enum.
    pub values: Vec<String>,
    /// The dataset of a relation; may be empty.
    pub related: String,
    /// A relation that requires that there is no such record.
    pub negated: bool,
    /// The fields within a relation.
    pub fields: Vec<VocabularyField>,
}

/// A descriptor as received.
#[derive(Deserialize)]
struct RawVocabularyField {
    key: String,
    #[serde(default, deserialize_with = "lenient::option")]
    label: Option<String>,
    #[serde(default, deserialize_with = "lenient::option")]
    kind: Option<ValueKind>,
    #[serde(default, deserialize_with = "lenient::option")]
    multi: Option<bool>,
    #[serde(default, deserialize_with = "lenient::option")]
    exact_match: Option<bool>,
    #[serde(default, deserialize_with = "lenient::list")]
    values: Vec<String>,
    #[serde(default, deserialize_with = "lenient::option")]
    related: Option<String>,
    #[serde(default, deserialize_with = "lenient::option")]
    negated: Option<bool>,
    #[serde(default, deserialize_with = "lenient::list")]
    fields: Vec<VocabularyField>,
}

impl VocabularyField {
    /// A field of texts, of which only the key is known.
    pub fn of_text(key: &str) -> VocabularyField {
        VocabularyField {
            key: key.to_owned(),
            label: String::new(),
            kind: ValueKind::Text,
            multi: true,
            exact: true,
            as_written: false,
            values: Vec::new(),
            related: String::new(),
            negated: false,
            fields: Vec::new(),
        }
    }
}

impl From<RawVocabularyField> for VocabularyField {
    fn from(told: RawVocabularyField) -> Self {
        let kind = told.kind.unwrap_or(match () {
            () if !told.fields.is_empty() => ValueKind::Relation,
            () if !told.values.is_empty() => ValueKind::Enum,
            () => ValueKind::Text,
        });
        VocabularyField {
            label: told.label.unwrap_or_default(),
            multi: told.multi.unwrap_or(true),
            exact: told.exact_match.unwrap_or(kind == ValueKind::Text),
            as_written: false,
            values: told.values,
            related: told.related.unwrap_or_default(),
            negated: told
                .negated
                .unwrap_or_else(|| told.key.starts_with("without_")),
            fields: told.fields,
            key: told.key,
            kind,
        }
    }
}

impl From<Value> for Vocabulary {
    /// Finds the list of descriptors anywhere in the response.
    fn from(answer: Value) -> Self {
        let list = match &answer {
            Value::Array(_) => Some(&answer),
            Value::Object(object) => object
                .get("fields")
                .or_else(|| object.values().find(|value| value.is_array())),
            _ => None,
        };
        let fields = list.and_then(Value::as_array).into_iter().flatten();
        Vocabulary {
            fields: fields
                .filter_map(|field| serde_json::from_value(field.clone()).ok())
                .collect(),
            is_local: false,
        }
    }
}

/// Keys, each with its inner keys.
type BookKeys = &'static [(&'static str, &'static [&'static str])];

/// The index keys that book searches and View-record searches accept, each with the inner keys of a
/// relation (interface: Workspace: search; those of projects are not shown, and we assume those of
/// the index).
const INDEX_KEYS_OF_BOOK: &[(RecordKind, BookKeys)] = &[
    (
        RecordKind::Accounts,
        &[
            ("name", &[]),
            ("city", &[]),
            ("state", &[]),
            ("account_type", &[]),
            (
                "has_project",
                &["stage", "primary_use", "city", "residential_units"],
            ),
            ("has_signal", &["signal_type", "filed_at"]),
            ("has_contact", &["title", "name"]),
        ],
    ),
    (
        RecordKind::Contacts,
        &[
            ("name", &[]),
            ("title", &[]),
            ("account_id", &[]),
            ("at_account", &["account_type", "name"]),
            ("on_project", &["stage", "primary_use", "city"]),
        ],
    ),
    (
        RecordKind::Projects,
        &[
            ("stage", &[]),
            ("primary_use", &[]),
            ("city", &[]),
            ("state", &[]),
            ("name", &[]),
            ("gc_status", &[]),
            ("stories", &[]),
            ("residential_units", &[]),
            ("gross_floor_area_sf", &[]),
            ("cost_of_construction_usd", &[]),
            ("last_signal_at", &[]),
            ("has_account", &["role", "name", "account_type"]),
            ("has_signal", &["signal_type", "filed_at"]),
            ("has_contact", &["title", "name"]),
        ],
    ),
];

impl Vocabulary {
    /// The fields of a book search or a View-record search: the workspace's own, then those of the
    /// index that the route accepts. Fields missing from the index's vocabulary are left out.
    pub fn for_book(kind: &RecordKind, index: &Vocabulary) -> Vocabulary {
        let own = |key: &str, label: &str, kind: ValueKind, values: Vec<String>| VocabularyField {
            key: key.to_owned(),
            label: label.to_owned(),
            multi: true,
            exact: kind == ValueKind::Text,
            as_written: kind == ValueKind::Text,
            kind,
            values,
            related: String::new(),
            negated: false,
            fields: Vec::new(),
        };
        let tiers = || {
            IcpTier::ALL
                .iter()
                .map(|tier| tier.as_str().to_owned())
                .collect()
        };
        let mut fields = vec![
            own(
                "workspace_status",
                "Workspace status",
                ValueKind::Text,
                Vec::new(),
            ),
            own("tags", "Tags", ValueKind::Text, Vec::new()),
        ];
        if *kind == RecordKind::Accounts {
            fields.insert(0, own("icp_tier", "ICP tier", ValueKind::Enum, tiers()));
            fields.push(own(
                "atlas_score",
                "Atlas score",
                ValueKind::Number,
                Vec::new(),
            ));
        }
        if *kind == RecordKind::Contacts {
            fields.push(own("email", "Email address", ValueKind::Text, Vec::new()));
        }
        let keys = INDEX_KEYS_OF_BOOK
            .iter()
            .find(|(known, _)| known == kind)
            .map_or(&[][..], |(_, keys)| keys);
        fields.extend(keys.iter().filter_map(|(key, inner)| {
            let mut field = index.field(key)?.clone();
            field
                .fields
                .retain(|field| inner.contains(&field.key.as_str()));
            Some(field)
        }));
        Vocabulary {
            fields,
            is_local: false,
        }
    }

    pub fn field(&self, key: &str) -> Option<&VocabularyField> {
        self.fields.iter().find(|field| field.key == key)
    }

    /// The opposite relation: `without_account` for `has_account`.
    pub fn opposite_relation(&self, relation: &VocabularyField) -> Option<&VocabularyField> {
        let noun =
            |field: &VocabularyField| field.key.split_once('_').map(|(_, noun)| noun.to_owned());
        let is_twin = |field: &&VocabularyField| {
            field.kind == ValueKind::Relation
                && field.negated != relation.negated
                && noun(field).is_some()
                && noun(field) == noun(relation)
        };
        self.fields.iter().find(is_twin)
    }
}

impl VocabularyField {
    pub fn field(&self, key: &str) -> Option<&VocabularyField> {
        self.fields.iter().find(|field| field.key == key)
    }

    /// A blank filter on this field.
    pub fn empty_filter(&self) -> Test {
        match self.kind {
            ValueKind::Relation => Test::Related(Conditions::default()),
            ValueKind::Number | ValueKind::Date => Test::KNOWN,
            ValueKind::Boolean => Test::Values {
                values: vec![true.into()],
                exact: false,
                exclude: false,
            },
            _ => Test::Values {
                values: Vec::new(),
                exact: false,
                exclude: false,
            },
        }
    }
}

/// A question that is understood whichever cities the sources cover.
pub fn example_question(dataset: &Dataset) -> &'static str {
    match dataset {
        Dataset::Accounts => "developers",
        Dataset::Contacts => "contacts at architects",
        Dataset::Signals => "permits issued this month",
        _ => "hotels over $5M",
    }
}

/// A plain-language question, as understood by the service (decisions 2.17).
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct NlTranslation {
    /// The filters, as received.
    #[serde(default)]
    pub filters: Value,
    /// The order that was asked for, if the service has it.
    #[serde(default, deserialize_with = "lenient::option")]
    pub sort: Option<NlSort>,
    /// How many rows of the order were asked for.
    #[serde(default, deserialize_with = "lenient::option")]
    pub limit: Option<u32>,
    /// How it was interpreted.
    #[serde(default, deserialize_with = "lenient::option")]
    pub explanation: Option<String>,
    /// The parts that were not understood.
    #[serde(default, deserialize_with = "lenient::list")]
    pub unmatched: Vec<String>,
    /// What the answer cost, if the service states it.
    #[serde(skip)]
    pub credits: Option<u64>,
}

/// The order of a translated question, as in requests.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct NlSort {
    pub field: String,
    pub order: String,
}

impl NlSort {
    pub fn to_sort_order(&self) -> SortOrder {
        SortOrder {
            field: self.field.clone(),
            ascending: self.order == "asc",
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_vocabulary_is_found_anywhere_and_skips_malformed_fields() {
        let field = json!({"key": "city", "kind": "text", "multi": true, "exact_match": true, "tomorrow": 1});
        for answer in [
            json!({"dataset": "projects", "fields": [field, 7, {"kind": "text"}]}),
            json!([field]),
            json!({"list": [field]}),
        ] {
            let vocabulary: Vocabulary = serde_json::from_value(answer.clone()).unwrap();
            assert_eq!(
                vocabulary
                    .fields
                    .iter()
                    .map(|field| field.key.as_str())
                    .collect::<Vec<_>>(),
                ["city"],
                "{answer}"
            );
        }
        assert!(
            serde_json::from_value::<Vocabulary>(json!("soon"))
                .unwrap()
                .fields
                .is_empty()
        );
    }

    #[test]
    fn missing_field_properties_are_inferred() {
        let field = |json: Value| serde_json::from_value::<VocabularyField>(json).unwrap();
        assert_eq!(
            field(json!({"key": "stage", "values": ["approved"]})).kind,
            ValueKind::Enum
        );
        let none =
            field(json!({"key": "without_account", "fields": [{"key": "role"}], "multi": "yes"}));
        assert_eq!(
            (none.kind, none.negated, none.fields[0].kind.clone()),
            (ValueKind::Relation, true, ValueKind::Text)
        );
        assert_eq!(
            field(json!({"key": "shape", "kind": "polygon"})).kind,
            ValueKind::from("polygon")
        );
    }
}

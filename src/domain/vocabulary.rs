//! What a dataset can be filtered by, as the service tells it (interface: Data API, fields discovery; decisions 2.16).
//!
//! The answer's shape is not shown by the interface: names are looked for, what is missing is guessed from what is there, a kind of
//! tomorrow is kept. What a filter is held against is in [`conditions`](super::conditions).

use serde::Deserialize;
use serde_json::Value;

use super::book::{Shelf, Tier};
use super::filters::{Filter, Filters};
use super::lenient;
use super::open_enum::open_enum;

open_enum! {
    /// What a key takes.
    Kind {
        /// Texts, compared loosely unless exactly is asked for.
        Text = "text",
        /// Words of a list.
        Enum = "enum",
        /// Ids of records.
        Uuid = "uuid",
        /// True or false.
        Boolean = "boolean",
        /// A range of numbers.
        Number = "number",
        /// A range of days.
        Date = "date",
        /// Conditions that a related record meets.
        Relation = "relation",
    }
}

/// The keys of a dataset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "Value")]
pub struct Vocabulary {
    /// The keys, in the service's order. Empty where its answer could not be read.
    pub fields: Vec<Field>,
}

/// A key.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "Told")]
pub struct Field {
    /// The key of `filters`.
    pub key: String,
    /// Its name for people; empty when it was not told.
    pub label: String,
    /// What it takes.
    pub kind: Kind,
    /// Several values can be asked for at once.
    pub multi: bool,
    /// `exact_match` can be asked for.
    pub exact: bool,
    /// A text that is compared as it is written, whatever is asked for.
    pub as_written: bool,
    /// The words of an enum.
    pub values: Vec<String>,
    /// The dataset that a relation leads to; empty when it was not told.
    pub related: String,
    /// A relation that asks for there being none.
    pub negated: bool,
    /// The keys within a relation.
    pub fields: Vec<Field>,
}

/// A descriptor as it is sent.
#[derive(Deserialize)]
struct Told {
    key: String,
    #[serde(default, deserialize_with = "lenient::option")]
    label: Option<String>,
    #[serde(default, deserialize_with = "lenient::option")]
    kind: Option<Kind>,
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
    fields: Vec<Field>,
}

impl From<Told> for Field {
    fn from(told: Told) -> Self {
        let kind = told.kind.unwrap_or(match () {
            () if !told.fields.is_empty() => Kind::Relation,
            () if !told.values.is_empty() => Kind::Enum,
            () => Kind::Text,
        });
        Field {
            label: told.label.unwrap_or_default(),
            multi: told.multi.unwrap_or(true),
            exact: told.exact_match.unwrap_or(kind == Kind::Text),
            as_written: false,
            values: told.values,
            related: told.related.unwrap_or_default(),
            negated: told.negated.unwrap_or_else(|| told.key.starts_with("without_")),
            fields: told.fields,
            key: told.key,
            kind,
        }
    }
}

impl From<Value> for Vocabulary {
    /// The list of descriptors, wherever the answer has it.
    fn from(answer: Value) -> Self {
        let list = match &answer {
            Value::Array(_) => Some(&answer),
            Value::Object(object) => object.get("fields").or_else(|| object.values().find(|value| value.is_array())),
            _ => None,
        };
        let fields = list.and_then(Value::as_array).into_iter().flatten();
        Vocabulary { fields: fields.filter_map(|field| serde_json::from_value(field.clone()).ok()).collect() }
    }
}

/// Keys, each with the keys within it.
type Keys = &'static [(&'static str, &'static [&'static str])];

/// The keys that book searches and View-record searches take of those of the index, each with the inner keys of a relation
/// (interface: Workspace: search; of projects they are not shown, and decided to be those of the index).
const OF_INDEX: &[(Shelf, Keys)] = &[
    (
        Shelf::Accounts,
        &[
            ("name", &[]),
            ("city", &[]),
            ("state", &[]),
            ("account_type", &[]),
            ("has_project", &["stage", "primary_use", "city", "residential_units"]),
            ("has_signal", &["signal_type", "filed_at"]),
            ("has_contact", &["title", "name"]),
        ],
    ),
    (
        Shelf::Contacts,
        &[
            ("name", &[]),
            ("title", &[]),
            ("account_id", &[]),
            ("at_account", &["account_type", "name"]),
            ("on_project", &["stage", "primary_use", "city"]),
        ],
    ),
    (
        Shelf::Projects,
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
    /// The keys of a book search or a View-record search: the workspace's own, then those of the index that the route takes. What the
    /// index was not read to have is not there.
    pub fn of_book(shelf: &Shelf, index: &Vocabulary) -> Vocabulary {
        let own = |key: &str, label: &str, kind: Kind, values: Vec<String>| Field {
            key: key.to_owned(),
            label: label.to_owned(),
            multi: true,
            exact: kind == Kind::Text,
            as_written: kind == Kind::Text,
            kind,
            values,
            related: String::new(),
            negated: false,
            fields: Vec::new(),
        };
        let tiers = || Tier::ALL.iter().map(|tier| tier.as_str().to_owned()).collect();
        let mut fields = vec![
            own("workspace_status", "Workspace status", Kind::Text, Vec::new()),
            own("tags", "Tags", Kind::Text, Vec::new()),
        ];
        if *shelf == Shelf::Accounts {
            fields.insert(0, own("icp_tier", "ICP tier", Kind::Enum, tiers()));
            fields.push(own("atlas_score", "Atlas score", Kind::Number, Vec::new()));
        }
        if *shelf == Shelf::Contacts {
            fields.push(own("email", "E-mail address", Kind::Text, Vec::new()));
        }
        let keys = OF_INDEX.iter().find(|(known, _)| known == shelf).map_or(&[][..], |(_, keys)| keys);
        fields.extend(keys.iter().filter_map(|(key, inner)| {
            let mut field = index.field(key)?.clone();
            field.fields.retain(|field| inner.contains(&field.key.as_str()));
            Some(field)
        }));
        Vocabulary { fields }
    }

    /// A key.
    pub fn field(&self, key: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.key == key)
    }

    /// The relation that asks for the opposite: `without_account` of `has_account`.
    pub fn twin(&self, relation: &Field) -> Option<&Field> {
        let noun = |field: &Field| field.key.split_once('_').map(|(_, noun)| noun.to_owned());
        let is_twin = |field: &&Field| {
            field.kind == Kind::Relation
                && field.negated != relation.negated
                && noun(field).is_some()
                && noun(field) == noun(relation)
        };
        self.fields.iter().find(is_twin)
    }
}

impl Field {
    /// A key within a relation.
    pub fn field(&self, key: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.key == key)
    }

    /// A filter on it that asks for nothing yet.
    pub fn blank(&self) -> Filter {
        match self.kind {
            Kind::Relation => Filter::Relation(Filters::default()),
            Kind::Number | Kind::Date => Filter::Range { min: None, max: None },
            Kind::Boolean => Filter::Field { values: vec![true.into()], exact: false, exclude: false },
            _ => Filter::Field { values: Vec::new(), exact: false, exclude: false },
        }
    }
}

/// A question in plain words, as the service understood it (decisions 2.17).
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Understood {
    /// The filters, as they came.
    #[serde(default)]
    pub filters: Value,
    /// How it was read.
    #[serde(default, deserialize_with = "lenient::option")]
    pub explanation: Option<String>,
    /// What of it was not understood.
    #[serde(default, deserialize_with = "lenient::list")]
    pub unmatched: Vec<String>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_vocabulary_is_found_wherever_the_answer_has_it_and_an_odd_descriptor_costs_itself_alone() {
        let field = json!({"key": "city", "kind": "text", "multi": true, "exact_match": true, "tomorrow": 1});
        for answer in
            [json!({"dataset": "projects", "fields": [field, 7, {"kind": "text"}]}), json!([field]), json!({"list": [field]})]
        {
            let vocabulary: Vocabulary = serde_json::from_value(answer.clone()).unwrap();
            assert_eq!(vocabulary.fields.iter().map(|field| field.key.as_str()).collect::<Vec<_>>(), ["city"], "{answer}");
        }
        assert!(serde_json::from_value::<Vocabulary>(json!("soon")).unwrap().fields.is_empty());
    }

    #[test]
    fn what_a_descriptor_does_not_say_is_guessed_from_what_it_does() {
        let field = |json: Value| serde_json::from_value::<Field>(json).unwrap();
        assert_eq!(field(json!({"key": "stage", "values": ["approved"]})).kind, Kind::Enum);
        let none = field(json!({"key": "without_account", "fields": [{"key": "role"}], "multi": "yes"}));
        assert_eq!((none.kind, none.negated, none.fields[0].kind.clone()), (Kind::Relation, true, Kind::Text));
        assert_eq!(field(json!({"key": "shape", "kind": "polygon"})).kind, Kind::from("polygon"));
    }
}

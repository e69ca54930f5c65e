//! The generated part of the description, which follows from the table of fields.
//!
//! `BLESS=1 cargo test --lib openapi` updates it.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::service::dataset::Dataset;
use crate::service::sample::vocabulary;
use crate::service::search::fields::{self, FilterDialect, FilterKey, FilterKind, TextMatch};
use crate::service::search::{MAX_FUZZY_CHARS, MAX_FUZZY_VALUES, SearchScope};
use crate::service::validation::{parse_email, parse_name};

const GENERATED_BEGIN: &str =
    "    # <generated: BLESS=1 cargo test --lib openapi updates the lines between these markers>\n";
const GENERATED_END: &str = "    # </generated>";
/// Maximum nesting of the conditions of a definition.
const MAX_SCHEMA_DEPTH: usize = 3;

type Schemas = BTreeMap<String, Value>;

fn schema_reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

fn schema_title(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

fn closed_object(properties: Map<String, Value>, required: &[&str]) -> Value {
    let mut schema =
        json!({"type": "object", "additionalProperties": false, "properties": properties});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn object(pairs: &[(&str, Value)], required: &[&str]) -> Value {
    closed_object(
        pairs
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.clone()))
            .collect(),
        required,
    )
}

/// One value, or an array of alternatives.
fn one_or_many(one: Value) -> Value {
    one_or_up_to(100, one)
}

fn one_or_up_to(most: usize, one: Value) -> Value {
    json!({"anyOf": [one, {"type": "array", "minItems": 1, "maxItems": most, "items": one}]})
}

/// The words of an enum; a list with a name is referenced by it.
fn enum_schema(all: &[&str]) -> Value {
    let named = [
        ("AccountType", vocabulary::ACCOUNT_TYPES),
        ("Stage", vocabulary::STAGES),
        ("PrimaryUse", vocabulary::PRIMARY_USES),
        ("GcStatus", vocabulary::GC_STATUSES),
    ];
    match named.iter().find(|(_, list)| *list == all) {
        Some((name, _)) => schema_reference(name),
        None if all.contains(&"permit_filed") => schema_reference("SignalType"),
        None if all.contains(&"tier_1") => schema_reference("IcpTier"),
        None => json!({"type": "string", "enum": all}),
    }
}

fn value_schema(kind: &FilterKind) -> Value {
    match kind {
        FilterKind::Text(_) => json!({"type": "string", "maxLength": 500}),
        FilterKind::Enum(list) => enum_schema(&list.to_vec()),
        FilterKind::Uuid => json!({"type": "string", "format": "uuid"}),
        FilterKind::Boolean => json!({"type": "boolean"}),
        FilterKind::Number => json!({"type": "number"}),
        FilterKind::Date => json!({"type": "string", "format": "date"}),
        FilterKind::Relation(_) => Value::Null,
    }
}

fn range_schema(kind: &FilterKind) -> Value {
    object(
        &[("min", value_schema(kind)), ("max", value_schema(kind))],
        &[],
    )
}

fn filter_schema(field: &FilterKey, place: FilterDialect) -> Value {
    match &field.kind {
        FilterKind::Text(TextMatch::Fuzzy) => schema_reference("FuzzyFilter"),
        FilterKind::Text(_) => schema_reference("TextFilter"),
        FilterKind::Number => schema_reference("NumberRange"),
        FilterKind::Date => schema_reference("DateRange"),
        FilterKind::Relation(_) => filters_schema(&field.inner_keys(place), place),
        kind => object(
            &[
                ("value", one_or_many(value_schema(kind))),
                ("exclude", json!({"type": "boolean"})),
            ],
            &["value"],
        ),
    }
}

fn filters_schema(known: &[&FilterKey], place: FilterDialect) -> Value {
    closed_object(
        known
            .iter()
            .map(|field| (field.key.to_owned(), filter_schema(field, place)))
            .collect(),
        &[],
    )
}

fn sort_schema(dataset: Dataset, base: &SearchScope<'_>) -> Value {
    let (keys, descending) = fields::sort_keys(dataset, base);
    let keys: Vec<&str> = keys.iter().map(|sort| sort.key).collect();
    let order = json!({"type": "string", "enum": ["asc", "desc"], "default": "desc"});
    let mut schema = object(
        &[
            ("field", json!({"type": "string", "enum": keys})),
            ("order", order),
        ],
        &["field"],
    );
    schema["description"] = json!(format!(
        "{} {} by default.",
        keys[0],
        if descending { "desc" } else { "asc" }
    ));
    schema
}

/// A group of conditions over these fields, and all groups nested in it.
fn add_group_schema(
    name: &str,
    known: &[&'static FilterKey],
    depth: usize,
    schemas: &mut Schemas,
) -> String {
    let name = if depth == MAX_SCHEMA_DEPTH {
        format!("{name}Definition")
    } else {
        format!("{name}DefinitionWithin{}", MAX_SCHEMA_DEPTH - depth)
    };
    if schemas.contains_key(&name) {
        return name;
    }
    schemas.insert(name.clone(), Value::Null);
    let conditions = json!({"type": "array", "maxItems": 50, "items": {"anyOf": condition_schemas(known, depth, schemas)}});
    schemas.insert(
        name.clone(),
        object(
            &[
                ("match", schema_reference("Match")),
                ("conditions", conditions),
            ],
            &["conditions"],
        ),
    );
    name
}

fn condition_schemas(
    known: &[&'static FilterKey],
    depth: usize,
    schemas: &mut Schemas,
) -> Vec<Value> {
    let (mut all, mut led) = (Vec::new(), Vec::new());
    let (mut knowable, mut alike) = (Vec::new(), Vec::<(Vec<&str>, (&[&str], Value))>::new());
    for field in known {
        if let FilterKind::Relation(relation) = &field.kind {
            let word = relation.related.singular();
            if depth == 1 || led.contains(&word) {
                continue;
            }
            led.push(word);
            let inner = field.inner_keys(FilterDialect::Definition);
            let role = inner.iter().any(|field| field.key == "role");
            let within = add_group_schema(
                &format!(
                    "{}{}",
                    if role { "Project" } else { "" },
                    schema_title(word)
                ),
                &inner,
                depth - 1,
                schemas,
            );
            let op = json!({"type": "string", "enum": ["has", "has_no"]});
            let conditions =
                json!({"$ref": format!("#/components/schemas/{within}/properties/conditions")});
            let parts = [
                ("relation", json!({"const": word})),
                ("op", op),
                ("match", schema_reference("Match")),
                ("conditions", conditions),
            ];
            all.push(object(&parts, &["relation", "op", "conditions"]));
            continue;
        }
        if !matches!(field.kind, FilterKind::Boolean) {
            knowable.push(field.key);
        }
        let is: &[&str] = &["is", "is_not"];
        let said: Vec<(&[&str], Value)> = match &field.kind {
            FilterKind::Number => vec![(&["between"], schema_reference("NumberRange"))],
            FilterKind::Date => vec![(&["between"], schema_reference("DateRange"))],
            FilterKind::Text(TextMatch::Fuzzy) => {
                vec![
                    (is, schema_reference("Texts")),
                    (&["contains"], schema_reference("FuzzyTexts")),
                ]
            }
            FilterKind::Text(_) => vec![(is, schema_reference("Texts"))],
            kind => vec![(is, one_or_many(value_schema(kind)))],
        };
        for (ops, value) in said {
            match alike
                .iter_mut()
                .find(|(_, have)| *have == (ops, value.clone()))
            {
                Some((keys, _)) => keys.push(field.key),
                None => alike.push((vec![field.key], (ops, value))),
            }
        }
    }
    for (keys, (ops, value)) in alike {
        let [field, op] =
            [keys.as_slice(), ops].map(|words| json!({"type": "string", "enum": words}));
        all.push(object(
            &[("field", field), ("op", op), ("value", value)],
            &["field", "op", "value"],
        ));
    }
    let op = json!({"type": "string", "enum": ["known", "unknown"]});
    all.push(object(
        &[
            ("field", json!({"type": "string", "enum": knowable})),
            ("op", op),
        ],
        &["field", "op"],
    ));
    all
}

fn all_schemas() -> Schemas {
    let mut schemas = Schemas::new();
    for (name, list) in [
        ("AccountType", vocabulary::ACCOUNT_TYPES),
        ("Stage", vocabulary::STAGES),
        ("PrimaryUse", vocabulary::PRIMARY_USES),
        ("GcStatus", vocabulary::GC_STATUSES),
        ("Disposition", vocabulary::DISPOSITIONS),
    ] {
        schemas.insert(name.into(), json!({"type": "string", "enum": list}));
    }
    schemas.insert(
        "Texts".into(),
        one_or_many(value_schema(&FilterKind::Text(TextMatch::Fuzzy))),
    );
    schemas.insert(
        "FuzzyTexts".into(),
        one_or_up_to(
            MAX_FUZZY_VALUES,
            json!({"type": "string", "maxLength": MAX_FUZZY_CHARS}),
        ),
    );
    let flag = json!({"type": "boolean", "default": false});
    let text_filter = object(
        &[
            ("value", schema_reference("Texts")),
            ("exact_match", flag.clone()),
            ("exclude", flag.clone()),
        ],
        &["value"],
    );
    schemas.insert("TextFilter".into(), text_filter);
    let fuzzy = object(
        &[
            ("value", schema_reference("FuzzyTexts")),
            ("exact_match", flag.clone()),
            ("exclude", flag.clone()),
        ],
        &["value"],
    );
    let is_exact = json!({"const": true});
    let exact = object(
        &[
            ("value", schema_reference("Texts")),
            ("exact_match", is_exact),
            ("exclude", flag),
        ],
        &["value", "exact_match"],
    );
    schemas.insert("FuzzyFilter".into(), json!({"anyOf": [fuzzy, exact]}));
    schemas.insert("NumberRange".into(), range_schema(&FilterKind::Number));
    schemas.insert("DateRange".into(), range_schema(&FilterKind::Date));
    schemas.insert(
        "Match".into(),
        json!({"type": "string", "enum": ["all", "any"], "default": "all"}),
    );
    for dataset in Dataset::ALL {
        let name = schema_title(dataset.plural());
        schemas.insert(
            format!("Data{name}Filters"),
            filters_schema(
                &fields::filter_keys(dataset, FilterDialect::Data),
                FilterDialect::Data,
            ),
        );
        schemas.insert(
            format!("Data{name}Sort"),
            sort_schema(dataset, &SearchScope::Data),
        );
        if dataset != Dataset::Signals {
            schemas.insert(
                format!("Book{name}Filters"),
                filters_schema(
                    &fields::filter_keys(dataset, FilterDialect::Book),
                    FilterDialect::Book,
                ),
            );
            schemas.insert(
                format!("Book{name}Sort"),
                sort_schema(dataset, &SearchScope::Book),
            );
            schemas.insert(
                format!("View{name}Sort"),
                sort_schema(dataset, &SearchScope::Static(uuid::Uuid::nil().into())),
            );
            add_group_schema(
                &schema_title(dataset.singular()),
                &fields::filter_keys(dataset, FilterDialect::Definition),
                MAX_SCHEMA_DEPTH,
                &mut schemas,
            );
        }
    }
    schemas
}

/// JSON as YAML: on one line if it fits.
fn write_yaml(value: &Value, indent: usize, out: &mut String) {
    let pad = " ".repeat(indent);
    let rows: Vec<(String, &Value)> = match value {
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| (format!("{}:", plain_scalar(key)), value))
            .collect(),
        Value::Array(items) => items.iter().map(|item| ("-".to_owned(), item)).collect(),
        _ => return,
    };
    for (key, value) in rows {
        let line = format!("{pad}{key} {}", flow_yaml(value));
        if line.len() <= 118 || !(value.is_object() || value.is_array()) {
            out.push_str(&line);
            out.push('\n');
        } else if key == "-" {
            let mut inner = String::new();
            write_yaml(value, indent + 2, &mut inner);
            out.push_str(&format!("{pad}- {}", &inner[indent + 2..]));
        } else {
            out.push_str(&format!("{pad}{key}\n"));
            write_yaml(value, indent + 2, out);
        }
    }
}

fn flow_yaml(value: &Value) -> String {
    let joined = |parts: Vec<String>| parts.join(", ");
    match value {
        Value::Object(map) => {
            format!(
                "{{{}}}",
                joined(
                    map.iter()
                        .map(|(key, value)| format!("{}: {}", plain_scalar(key), flow_yaml(value)))
                        .collect()
                )
            )
        }
        Value::Array(items) => format!("[{}]", joined(items.iter().map(flow_yaml).collect())),
        Value::String(text) => plain_scalar(text),
        other => other.to_string(),
    }
}

fn plain_scalar(text: &str) -> String {
    let is_word = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '$')
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_ .$-".contains(c));
    if is_word {
        text.to_owned()
    } else {
        format!("'{text}'")
    }
}

#[test]
fn the_filters_in_the_openapi_description_match_the_field_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/openapi.yaml");
    let text = std::fs::read_to_string(path).unwrap();
    let mut part = String::new();
    write_yaml(&json!(all_schemas()), 4, &mut part);
    let start = text
        .find(GENERATED_BEGIN)
        .expect("the description has the begin marker")
        + GENERATED_BEGIN.len();
    let end = start
        + text[start..]
            .find(GENERATED_END)
            .expect("the description has the end marker");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, format!("{}{part}{}", &text[..start], &text[end..])).unwrap();
    } else {
        assert_eq!(
            text[start..end],
            part,
            "the generated part is stale: BLESS=1 cargo test --lib openapi updates it"
        );
    }
}

#[test]
fn a_name_and_an_address_that_the_description_allows_are_accepted() {
    let description: Value =
        serde_yaml_ng::from_str(include_str!("../../../../assets/openapi.yaml")).unwrap();
    let pattern = |pointer: &str| {
        let text = description
            .pointer(&format!("/components/schemas/{pointer}/pattern"))
            .unwrap()
            .as_str()
            .unwrap();
        regex_lite::Regex::new(text).unwrap()
    };
    let (name, address) = (
        pattern("Name/allOf/1"),
        pattern("InvitationCreate/properties/email"),
    );
    let mut allowed = 0;
    for c in char::MIN..=char::MAX {
        if name.is_match(&c.to_string()) {
            assert!(parse_name(&format!("a{c}b")).is_some(), "{c:?} in a name");
            allowed += 1;
        }
        let email = format!("a{c}b@desk.example");
        assert!(
            !address.is_match(&email) || parse_email(&email).is_some(),
            "{c:?} in an address"
        );
    }
    assert!(allowed > 100_000, "{allowed}");
}

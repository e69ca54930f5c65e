//! The part of the description that the table of fields decides.
//!
//! `BLESS=1 cargo test --lib openapi` writes it anew.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::service::sample::vocabulary;
use crate::service::search::fields::{self, Field, Kind, Place, Rule};
use crate::service::search::{Base, Dataset, LIKE_MAX, LIKE_TEXT_MAX};

const BEGIN: &str = "    # <generated: BLESS=1 cargo test --lib openapi writes what stands between these two lines>\n";
const END: &str = "    # </generated>";
/// How deep the conditions of a definition go.
const DEPTH: usize = 3;

type Schemas = BTreeMap<String, Value>;

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

fn title(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

fn closed(properties: Map<String, Value>, required: &[&str]) -> Value {
    let mut schema = json!({"type": "object", "additionalProperties": false, "properties": properties});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn object(pairs: &[(&str, Value)], required: &[&str]) -> Value {
    closed(pairs.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect(), required)
}

/// One value, or an array of which one is enough.
fn one_or_many(one: Value) -> Value {
    one_or_up_to(100, one)
}

fn one_or_up_to(most: usize, one: Value) -> Value {
    json!({"anyOf": [one, {"type": "array", "minItems": 1, "maxItems": most, "items": one}]})
}

/// The words of an enum; those of a list that has a name by that name.
fn words(all: &[&str]) -> Value {
    let named = [
        ("AccountType", vocabulary::ACCOUNT_TYPES),
        ("Stage", vocabulary::STAGES),
        ("PrimaryUse", vocabulary::PRIMARY_USES),
        ("GcStatus", vocabulary::GC_STATUSES),
    ];
    match named.iter().find(|(_, list)| *list == all) {
        Some((name, _)) => reference(name),
        None if all.contains(&"permit_filed") => reference("SignalType"),
        None if all.contains(&"tier_1") => reference("IcpTier"),
        None => json!({"type": "string", "enum": all}),
    }
}

fn value(kind: &Kind) -> Value {
    match kind {
        Kind::Text(_) => json!({"type": "string", "maxLength": 500}),
        Kind::Enum(list) => words(&list.all()),
        Kind::Uuid => json!({"type": "string", "format": "uuid"}),
        Kind::Boolean => json!({"type": "boolean"}),
        Kind::Number => json!({"type": "number"}),
        Kind::Date => json!({"type": "string", "format": "date"}),
        Kind::Relation(_) => Value::Null,
    }
}

fn range(kind: &Kind) -> Value {
    object(&[("min", value(kind)), ("max", value(kind))], &[])
}

fn filter(field: &Field, place: Place) -> Value {
    match &field.kind {
        Kind::Text(Rule::Fuzzy) => reference("FuzzyFilter"),
        Kind::Text(_) => reference("TextFilter"),
        Kind::Number => reference("NumberRange"),
        Kind::Date => reference("DateRange"),
        Kind::Relation(_) => filters(&field.inner(place), place),
        kind => object(&[("value", one_or_many(value(kind))), ("exclude", json!({"type": "boolean"}))], &["value"]),
    }
}

fn filters(known: &[&Field], place: Place) -> Value {
    closed(known.iter().map(|field| (field.key.to_owned(), filter(field, place))).collect(), &[])
}

fn sort(dataset: Dataset, base: &Base<'_>) -> Value {
    let (keys, descending) = fields::sorts(dataset, base);
    let keys: Vec<&str> = keys.iter().map(|sort| sort.key).collect();
    let order = json!({"type": "string", "enum": ["asc", "desc"], "default": "desc"});
    let mut schema = object(&[("field", json!({"type": "string", "enum": keys})), ("order", order)], &["field"]);
    schema["description"] = json!(format!("{} {} when left out.", keys[0], if descending { "desc" } else { "asc" }));
    schema
}

/// A group of conditions over these fields, and all groups within it.
fn group(name: &str, known: &[&'static Field], depth: usize, schemas: &mut Schemas) -> String {
    let name = if depth == DEPTH { format!("{name}Definition") } else { format!("{name}DefinitionWithin{}", DEPTH - depth) };
    if schemas.contains_key(&name) {
        return name;
    }
    schemas.insert(name.clone(), Value::Null);
    let conditions = json!({"type": "array", "maxItems": 50, "items": {"anyOf": conditions(known, depth, schemas)}});
    schemas.insert(name.clone(), object(&[("match", reference("Match")), ("conditions", conditions)], &["conditions"]));
    name
}

fn conditions(known: &[&'static Field], depth: usize, schemas: &mut Schemas) -> Vec<Value> {
    let (mut all, mut led) = (Vec::new(), Vec::new());
    let (mut knowable, mut alike) = (Vec::new(), Vec::<(Vec<&str>, (&[&str], Value))>::new());
    for field in known {
        if let Kind::Relation(relation) = &field.kind {
            let word = relation.related.singular();
            if depth == 1 || led.contains(&word) {
                continue;
            }
            led.push(word);
            let inner = field.inner(Place::Definition);
            let role = inner.iter().any(|field| field.key == "role");
            let within = group(&format!("{}{}", if role { "Project" } else { "" }, title(word)), &inner, depth - 1, schemas);
            let op = json!({"type": "string", "enum": ["has", "has_no"]});
            let conditions = json!({"$ref": format!("#/components/schemas/{within}/properties/conditions")});
            let parts =
                [("relation", json!({"const": word})), ("op", op), ("match", reference("Match")), ("conditions", conditions)];
            all.push(object(&parts, &["relation", "op", "conditions"]));
            continue;
        }
        if !matches!(field.kind, Kind::Boolean) {
            knowable.push(field.key);
        }
        let is: &[&str] = &["is", "is_not"];
        let said: Vec<(&[&str], Value)> = match &field.kind {
            Kind::Number => vec![(&["between"], reference("NumberRange"))],
            Kind::Date => vec![(&["between"], reference("DateRange"))],
            Kind::Text(Rule::Fuzzy) => vec![(is, reference("Texts")), (&["contains"], reference("FuzzyTexts"))],
            Kind::Text(_) => vec![(is, reference("Texts"))],
            kind => vec![(is, one_or_many(value(kind)))],
        };
        for (ops, value) in said {
            match alike.iter_mut().find(|(_, have)| *have == (ops, value.clone())) {
                Some((keys, _)) => keys.push(field.key),
                None => alike.push((vec![field.key], (ops, value))),
            }
        }
    }
    for (keys, (ops, value)) in alike {
        let [field, op] = [keys.as_slice(), ops].map(|words| json!({"type": "string", "enum": words}));
        all.push(object(&[("field", field), ("op", op), ("value", value)], &["field", "op", "value"]));
    }
    let op = json!({"type": "string", "enum": ["known", "unknown"]});
    all.push(object(&[("field", json!({"type": "string", "enum": knowable})), ("op", op)], &["field", "op"]));
    all
}

fn schemas() -> Schemas {
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
    schemas.insert("Texts".into(), one_or_many(value(&Kind::Text(Rule::Fuzzy))));
    schemas.insert("FuzzyTexts".into(), one_or_up_to(LIKE_MAX, json!({"type": "string", "maxLength": LIKE_TEXT_MAX})));
    let flag = json!({"type": "boolean", "default": false});
    let text_filter =
        object(&[("value", reference("Texts")), ("exact_match", flag.clone()), ("exclude", flag.clone())], &["value"]);
    schemas.insert("TextFilter".into(), text_filter);
    let fuzzy =
        object(&[("value", reference("FuzzyTexts")), ("exact_match", flag.clone()), ("exclude", flag.clone())], &["value"]);
    let is_exact = json!({"const": true});
    let exact = object(&[("value", reference("Texts")), ("exact_match", is_exact), ("exclude", flag)], &["value", "exact_match"]);
    schemas.insert("FuzzyFilter".into(), json!({"anyOf": [fuzzy, exact]}));
    schemas.insert("NumberRange".into(), range(&Kind::Number));
    schemas.insert("DateRange".into(), range(&Kind::Date));
    schemas.insert("Match".into(), json!({"type": "string", "enum": ["all", "any"], "default": "all"}));
    for dataset in Dataset::ALL {
        let name = title(dataset.plural());
        schemas.insert(format!("Data{name}Filters"), filters(&fields::fields(dataset, Place::Data), Place::Data));
        schemas.insert(format!("Data{name}Sort"), sort(dataset, &Base::Data));
        if dataset != Dataset::Signals {
            schemas.insert(format!("Book{name}Filters"), filters(&fields::fields(dataset, Place::Book), Place::Book));
            schemas.insert(format!("Book{name}Sort"), sort(dataset, &Base::Book));
            schemas.insert(format!("View{name}Sort"), sort(dataset, &Base::Static(uuid::Uuid::nil().into())));
            group(&title(dataset.singular()), &fields::fields(dataset, Place::Definition), DEPTH, &mut schemas);
        }
    }
    schemas
}

/// JSON as YAML: on one line where it fits.
fn yaml(value: &Value, indent: usize, out: &mut String) {
    let pad = " ".repeat(indent);
    let rows: Vec<(String, &Value)> = match value {
        Value::Object(map) => map.iter().map(|(key, value)| (format!("{}:", plain(key)), value)).collect(),
        Value::Array(items) => items.iter().map(|item| ("-".to_owned(), item)).collect(),
        _ => return,
    };
    for (key, value) in rows {
        let line = format!("{pad}{key} {}", flow(value));
        if line.len() <= 118 || !(value.is_object() || value.is_array()) {
            out.push_str(&line);
            out.push('\n');
        } else if key == "-" {
            let mut inner = String::new();
            yaml(value, indent + 2, &mut inner);
            out.push_str(&format!("{pad}- {}", &inner[indent + 2..]));
        } else {
            out.push_str(&format!("{pad}{key}\n"));
            yaml(value, indent + 2, out);
        }
    }
}

fn flow(value: &Value) -> String {
    let joined = |parts: Vec<String>| parts.join(", ");
    match value {
        Value::Object(map) => {
            format!("{{{}}}", joined(map.iter().map(|(key, value)| format!("{}: {}", plain(key), flow(value))).collect()))
        }
        Value::Array(items) => format!("[{}]", joined(items.iter().map(flow).collect())),
        Value::String(text) => plain(text),
        other => other.to_string(),
    }
}

fn plain(text: &str) -> String {
    let is_word = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '$')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "_ .$-".contains(c));
    if is_word { text.to_owned() } else { format!("'{text}'") }
}

#[test]
fn the_filters_of_the_description_are_those_of_the_table_of_fields() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/openapi.yaml");
    let text = std::fs::read_to_string(path).unwrap();
    let mut part = String::new();
    yaml(&json!(schemas()), 4, &mut part);
    let start = text.find(BEGIN).expect("the description has the beginning of the part") + BEGIN.len();
    let end = start + text[start..].find(END).expect("the description has the end of the part");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, format!("{}{part}{}", &text[..start], &text[end..])).unwrap();
    } else {
        assert_eq!(text[start..end], part, "the part is stale: BLESS=1 cargo test --lib openapi writes it");
    }
}

//! The definition of a Dynamic View: built from the filters of a search, turned back into them, and
//! described in a sentence. The conditions are the same, in another grammar.
//!
//! The interface does not show the grammar of definitions; this is that of our own service.

use serde_json::{Map, Value, json};

use super::{Conditions, Test, capitalize};
use crate::domain::field_kind::humanize_key;
use crate::domain::sentence::{describe_criterion, describe_known};
use crate::domain::vocabulary::{ValueKind, VocabularyField};

/// The definition that matches what these filters match.
///
/// # Errors
/// The condition that a definition cannot express.
pub fn definition_of(filters: &Conditions, fields: &[VocabularyField]) -> Result<Value, String> {
    let mut conditions = Vec::new();
    for (key, filter) in filters.criteria() {
        let field = fields.iter().find(|field| field.key == *key);
        let known_field = key.strip_suffix("_known");
        conditions.push(match filter {
            Test::Values {
                values, exclude, ..
            } if known_field.is_some() && values.len() == 1 => {
                let is_known = values[0] == Value::Bool(!exclude);
                let op = if is_known { "known" } else { "unknown" };
                json!({ "field": known_field, "op": op })
            }
            Test::Values {
                values,
                exact,
                exclude,
            } => {
                let is_similar = !exact && field.is_some_and(|field| field.exact);
                let op = match (is_similar, exclude) {
                    (true, true) => {
                        return Err(format!(
                            "{key} excludes similar text, which a View cannot: set it to exactly"
                        ));
                    }
                    (true, false) => "contains",
                    (false, true) => "is_not",
                    (false, false) => "is",
                };
                json!({ "field": key, "op": op, "value": values })
            }
            Test::Range {
                min: None,
                max: None,
                exclude: true,
            } => json!({ "field": key, "op": "unknown" }),
            Test::Range { exclude: true, .. } => {
                return Err(format!(
                    "{key} excludes a range, which a View cannot: set the other range"
                ));
            }
            Test::Range { min, max, .. } => {
                let end =
                    |name: &str, value: &Option<Value>| Some((name.to_owned(), value.clone()?));
                let bounds: Map<String, Value> = [end("min", min), end("max", max)]
                    .into_iter()
                    .flatten()
                    .collect();
                json!({ "field": key, "op": "between", "value": bounds })
            }
            Test::Related(inner) => {
                let (prefix, relation) = key
                    .split_once('_')
                    .ok_or_else(|| format!("{key} is not a relation of a View"))?;
                let mut condition = definition_of(inner, field.map_or(&[], |field| &field.fields))?;
                condition["relation"] = relation.into();
                condition["op"] = if prefix == "without" { "has_no" } else { "has" }.into();
                condition
            }
        });
    }
    Ok(json!({ "match": "all", "conditions": conditions }))
}

/// The filters that match what this definition matches.
///
/// # Errors
/// The condition that filters cannot express.
pub fn filters_of(definition: &Value, fields: &[VocabularyField]) -> Result<Conditions, String> {
    let group = Group::read(definition, &[])?;
    if group.is_any && group.conditions.len() > 1 {
        return Err("it matches any of its conditions, and the builder matches all".to_owned());
    }
    let mut conditions = Conditions::default();
    for condition in group.conditions {
        let (key, filter) = match Condition::read(condition)? {
            Condition::Related { relation, is_none } => {
                let is_this = |field: &&VocabularyField| {
                    field.kind == ValueKind::Relation
                        && field.negated == is_none
                        && field
                            .key
                            .split_once('_')
                            .is_some_and(|(_, noun)| noun == relation)
                };
                let prefix = if is_none { "without" } else { "has" };
                let field = fields.iter().find(is_this);
                let key =
                    field.map_or_else(|| format!("{prefix}_{relation}"), |field| field.key.clone());
                let inner = Value::Object(condition_group(condition));
                let inner = filters_of(&inner, field.map_or(&[], |field| &field.fields))?;
                (key, Test::Related(inner))
            }
            Condition::Field { key, op, value } => {
                let field = fields.iter().find(|field| field.key == key);
                let known_key = format!("{key}_known");
                let has_known_key = fields.iter().any(|field| field.key == known_key);
                if op == "unknown" && !has_known_key {
                    return Err(format!(
                        "{} is unknown, which the builder cannot ask for",
                        humanize_key(key)
                    ));
                }
                let is_exact = op != "contains" && field.is_some_and(|field| field.exact);
                match op {
                    "known" | "unknown" if has_known_key => {
                        let is_known = json!(op == "known");
                        (known_key, read_test("is", &is_known, false))
                    }
                    _ => (key.to_owned(), read_test(op, value, is_exact)),
                }
            }
        };
        if conditions.criteria().iter().any(|(known, _)| *known == key) {
            return Err(format!(
                "it has two conditions on {}, and the builder has one",
                humanize_key(&key)
            ));
        }
        conditions.criteria_mut().push((key, filter));
    }
    Ok(conditions)
}

/// Describes a definition in the words of the builder: `Projects whose stage is permitted, and with
/// no general contractor.`
///
/// # Errors
/// What of it is not in the grammar that is known here.
pub fn describe_definition(dataset: &str, definition: &Value) -> Result<String, String> {
    let parts = describe_group(definition, &[], ", ")?;
    Ok(if parts.is_empty() {
        format!("All {dataset}.")
    } else {
        format!("{} {parts}.", capitalize(&humanize_key(dataset)))
    })
}

/// The conditions of a group in words, joined by `and` or `or`.
fn describe_group(group: &Value, other_keys: &[&str], comma: &str) -> Result<String, String> {
    let group = Group::read(group, other_keys)?;
    let parts: Vec<String> = group
        .conditions
        .iter()
        .map(describe_condition)
        .collect::<Result<_, _>>()?;
    let word = if group.is_any { "or" } else { "and" };
    Ok(match parts.as_slice() {
        [rest @ .., last] if !rest.is_empty() => {
            let link = if comma == " " {
                format!(" {word} ")
            } else {
                comma.to_owned()
            };
            format!("{}{comma}{word} {last}", rest.join(&link))
        }
        parts => parts.concat(),
    })
}

fn describe_condition(condition: &Value) -> Result<String, String> {
    match Condition::read(condition)? {
        Condition::Related { relation, is_none } => {
            let keys = ["relation", "op"];
            Group::read(condition, &keys)?;
            let how = if is_none { "without" } else { "has" };
            if let Ok(all) = filters_of(&Value::Object(condition_group(condition)), &[]) {
                let key = format!("{how}_{relation}");
                return Ok(describe_criterion(&key, &Test::Related(all), None));
            }
            let words = describe_group(condition, &keys, " ")?;
            let number = if is_none { "no" } else { "at least one" };
            Ok(format!("with {number} {} {words}", humanize_key(relation)))
        }
        Condition::Field {
            key, op: "unknown", ..
        } => Ok(format!("with {}", describe_known(key, false))),
        Condition::Field { key, op, value } => {
            let filter = read_test(op, value, false);
            let kind = match &filter {
                Test::Range { min, max, .. } if min.iter().chain(max).any(Value::is_string) => {
                    ValueKind::Date
                }
                Test::Range { .. } => ValueKind::Number,
                _ if op == "contains" => ValueKind::Text,
                _ => ValueKind::Enum,
            };
            let field = VocabularyField {
                kind,
                ..VocabularyField::of_text(key)
            };
            Ok(describe_criterion(key, &filter, Some(&field)))
        }
    }
}

/// The test of a condition on a field; whether its texts are compared as a whole depends on the
/// field.
fn read_test(op: &str, value: &Value, exact: bool) -> Test {
    let bound = |name: &str| value.get(name).filter(|bound| !bound.is_null()).cloned();
    match op {
        "known" => Test::KNOWN,
        "unknown" => Test::UNKNOWN,
        "between" => Test::Range {
            min: bound("min"),
            max: bound("max"),
            exclude: false,
        },
        op => Test::Values {
            values: value
                .as_array()
                .cloned()
                .unwrap_or_else(|| vec![value.clone()]),
            exact,
            exclude: op == "is_not",
        },
    }
}

/// Conditions that all hold, or of which any holds.
struct Group<'a> {
    is_any: bool,
    conditions: &'a [Value],
}

enum Condition<'a> {
    Related {
        relation: &'a str,
        is_none: bool,
    },
    Field {
        key: &'a str,
        op: &'a str,
        value: &'a Value,
    },
}

impl Group<'_> {
    fn read<'a>(group: &'a Value, other_keys: &[&str]) -> Result<Group<'a>, String> {
        let object = group.as_object().ok_or("it is not a group of conditions")?;
        reject_other_keys(object, &[&["match", "conditions"], other_keys].concat())?;
        let conditions = object
            .get("conditions")
            .and_then(Value::as_array)
            .ok_or("it has no list of conditions")?;
        match object.get("match").map_or(Some("all"), Value::as_str) {
            Some(all @ ("all" | "any")) => Ok(Group {
                is_any: all == "any",
                conditions,
            }),
            _ => Err("it matches neither all nor any of its conditions".to_owned()),
        }
    }
}

impl Condition<'_> {
    fn read(condition: &Value) -> Result<Condition<'_>, String> {
        let object = condition
            .as_object()
            .ok_or("a condition is not an object")?;
        let op = object
            .get("op")
            .and_then(Value::as_str)
            .ok_or("a condition has no op")?;
        if let Some(relation) = object.get("relation") {
            reject_other_keys(object, &["relation", "op", "match", "conditions"])?;
            let relation = relation.as_str().ok_or("a relation has no name")?;
            return match op {
                "has" | "has_no" => Ok(Condition::Related {
                    relation,
                    is_none: op == "has_no",
                }),
                op => Err(format!("the op {op} is not known here")),
            };
        }
        reject_other_keys(object, &["field", "op", "value"])?;
        let key = object
            .get("field")
            .and_then(Value::as_str)
            .ok_or("a condition has no field")?;
        match op {
            "is" | "is_not" | "contains" | "between" | "known" | "unknown" => {
                Ok(Condition::Field {
                    key,
                    op,
                    value: object.get("value").unwrap_or(&Value::Null),
                })
            }
            op => Err(format!("the op {op} is not known here")),
        }
    }
}

/// The group of conditions in a condition on a relation.
fn condition_group(condition: &Value) -> Map<String, Value> {
    let parts = condition.as_object().into_iter().flatten();
    parts
        .filter(|(key, _)| matches!(key.as_str(), "match" | "conditions"))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

fn reject_other_keys(object: &Map<String, Value>, known: &[&str]) -> Result<(), String> {
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(format!("the key {key} is not known here")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::vocabulary::Vocabulary;

    fn fields() -> Vec<VocabularyField> {
        let field = |key: &str, kind: &str, exact: bool| json!({ "key": key, "kind": kind, "exact_match": exact });
        let json = json!({ "fields": [field("city", "text", true), field("stage", "enum", false), field("stories", "number", false)] });
        serde_json::from_value::<Vocabulary>(json)
            .expect("a vocabulary")
            .fields
    }

    fn parse_conditions(line: &str) -> Conditions {
        Conditions::parse(line.split(' ')).unwrap()
    }

    fn definition(line: &str) -> Result<Value, String> {
        definition_of(&parse_conditions(line), &fields())
    }

    #[test]
    fn every_condition_of_a_search_has_its_place_in_a_definition() {
        let field = |field: &str, op: &str, value: Value| json!({ "field": field, "op": op, "value": value });
        for (line, condition) in [
            (
                "city=Austin,Dallas",
                field("city", "contains", json!(["Austin", "Dallas"])),
            ),
            ("city==Austin", field("city", "is", json!(["Austin"]))),
            (
                "stage!=completed",
                field("stage", "is_not", json!(["completed"])),
            ),
            (
                "stories>=5",
                field("stories", "between", json!({ "min": 5 })),
            ),
            (
                "stories_known=no",
                json!({ "field": "stories", "op": "unknown" }),
            ),
            (
                "without_account.role=gc",
                json!({ "relation": "account", "op": "has_no", "match": "all", "conditions": [field("role", "is", json!(["gc"]))] }),
            ),
            (
                "has_signal=*",
                json!({ "relation": "signal", "op": "has", "match": "all", "conditions": [] }),
            ),
        ] {
            assert_eq!(
                definition(line),
                Ok(json!({ "match": "all", "conditions": [condition] })),
                "{line}"
            );
        }
    }

    #[test]
    fn what_a_definition_cannot_express_is_named() {
        assert_eq!(
            definition("city!=Austin").unwrap_err(),
            "city excludes similar text, which a View cannot: set it to exactly"
        );
    }

    #[test]
    fn the_conditions_of_a_definition_are_those_it_was_made_of() {
        for line in [
            "city=Austin,Dallas",
            "city==Austin",
            "stage!=completed stories>=5",
            "without_account.role=gc",
            "has_signal=*",
        ] {
            let filters = parse_conditions(line);
            let back = filters_of(&definition_of(&filters, &fields()).unwrap(), &fields()).unwrap();
            assert_eq!(back.to_line(""), filters.to_line(""), "{line}");
        }
    }

    #[test]
    fn a_definition_is_described_in_the_words_of_the_builder() {
        let field = |field: &str, op: &str, value: Value| json!({ "field": field, "op": op, "value": value });
        let all = |conditions: Value| json!({ "match": "all", "conditions": conditions });
        let any = |conditions: Value| json!({ "match": "any", "conditions": conditions });
        let gc = field("role", "is", json!("gc"));
        let relation = |op: &str, matching: &str, conditions: Value| json!({ "relation": "account", "op": op, "match": matching, "conditions": conditions });
        for (definition, words) in [
            (all(json!([])), "All projects."),
            (
                all(json!([field("stage", "is", json!(["under_construction"]))])),
                "Projects whose stage is under construction.",
            ),
            (
                all(json!([
                    field("city", "contains", json!(["Austin", "Dallas"])),
                    field("cost", "between", json!({ "min": 20_000_000 }))
                ])),
                "Projects in Austin or Dallas, and with a cost of 20,000,000 or more.",
            ),
            (
                any(json!([
                    field("stage", "is_not", json!(["completed"])),
                    { "field": "stories", "op": "unknown" },
                    relation("has_no", "all", json!([gc])),
                ])),
                "Projects whose stage is not completed, with an unknown number of stories, or with no general contractor.",
            ),
            (
                all(json!([relation(
                    "has",
                    "any",
                    json!([gc, field("name", "contains", json!("Calder"))])
                )])),
                "Projects with at least one account whose role is general contractor or whose name is like Calder.",
            ),
            (
                all(json!([field(
                    "last_signal_at",
                    "between",
                    json!({ "max": "2026-07-01" })
                )])),
                "Projects whose last signal was on or before July 1, 2026.",
            ),
        ] {
            assert_eq!(
                describe_definition("projects", &definition),
                Ok(words.to_owned()),
                "{definition}"
            );
        }
    }

    #[test]
    fn a_definition_in_another_grammar_is_not_described_and_not_edited() {
        let condition = |condition: Value| json!({ "match": "all", "conditions": [condition] });
        for (definition, why) in [
            (
                json!({ "query": "hotel" }),
                "the key query is not known here",
            ),
            (
                condition(json!({ "field": "city", "op": "near", "value": "Austin" })),
                "the op near is not known here",
            ),
            (
                condition(json!({ "field": "city", "op": "is", "value": "Austin", "boost": 2 })),
                "the key boost is not known here",
            ),
        ] {
            assert_eq!(
                describe_definition("projects", &definition).unwrap_err(),
                why
            );
            assert_eq!(filters_of(&definition, &fields()).unwrap_err(), why);
        }
        let unknown = condition(json!({ "field": "stories", "op": "unknown" }));
        assert_eq!(
            filters_of(&unknown, &fields()).unwrap_err(),
            "stories is unknown, which the builder cannot ask for"
        );
    }
}

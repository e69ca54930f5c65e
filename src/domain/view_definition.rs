//! The definition of a Dynamic View, built from the filters of a search: the same conditions in another grammar.
//!
//! The interface does not show the grammar of definitions; this is that of our own service.

use serde_json::{Map, Value, json};

use super::filters::{Filter, Filters};
use super::vocabulary::VocabularyField;

/// The definition that matches what these filters match.
///
/// # Errors
/// The condition that a definition cannot express.
pub fn definition_of(filters: &Filters, fields: &[VocabularyField]) -> Result<Value, String> {
    let mut conditions = Vec::new();
    for (key, filter) in filters.criteria() {
        let field = fields.iter().find(|field| field.key == *key);
        conditions.push(match filter {
            Filter::Field { values, exact, exclude } => {
                let is_similar = !exact && field.is_some_and(|field| field.exact);
                let op = match (is_similar, exclude) {
                    (true, true) => return Err(format!("{key} excludes similar text, which a View cannot: set it to exactly")),
                    (true, false) => "contains",
                    (false, true) => "is_not",
                    (false, false) => "is",
                };
                json!({ "field": key, "op": op, "value": values })
            }
            Filter::Range { min, max } => {
                let end = |name: &str, value: &Option<Value>| Some((name.to_owned(), value.clone()?));
                let bounds: Map<String, Value> = [end("min", min), end("max", max)].into_iter().flatten().collect();
                json!({ "field": key, "op": "between", "value": bounds })
            }
            Filter::Relation(inner) => {
                let (prefix, relation) = key.split_once('_').ok_or_else(|| format!("{key} is not a relation of a View"))?;
                let mut condition = definition_of(inner, field.map_or(&[], |field| &field.fields))?;
                condition["relation"] = relation.into();
                condition["op"] = if prefix == "without" { "has_no" } else { "has" }.into();
                condition
            }
        });
    }
    Ok(json!({ "match": "all", "conditions": conditions }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::vocabulary::Vocabulary;

    fn fields() -> Vec<VocabularyField> {
        let field = |key: &str, kind: &str, exact: bool| json!({ "key": key, "kind": kind, "exact_match": exact });
        let json =
            json!({ "fields": [field("city", "text", true), field("stage", "enum", false), field("stories", "number", false)] });
        serde_json::from_value::<Vocabulary>(json).expect("a vocabulary").fields
    }

    fn definition(line: &str) -> Result<Value, String> {
        definition_of(&Filters::parse_line(line).unwrap().1, &fields())
    }

    #[test]
    fn every_condition_of_a_search_has_its_place_in_a_definition() {
        let field = |field: &str, op: &str, value: Value| json!({ "field": field, "op": op, "value": value });
        for (line, condition) in [
            ("city=Austin,Dallas", field("city", "contains", json!(["Austin", "Dallas"]))),
            ("city==Austin", field("city", "is", json!(["Austin"]))),
            ("stage!=completed", field("stage", "is_not", json!(["completed"]))),
            ("stories>=5", field("stories", "between", json!({ "min": 5 }))),
            (
                "without_account.role=gc",
                json!({ "relation": "account", "op": "has_no", "match": "all", "conditions": [field("role", "is", json!(["gc"]))] }),
            ),
            ("has_signal=*", json!({ "relation": "signal", "op": "has", "match": "all", "conditions": [] })),
        ] {
            assert_eq!(definition(line), Ok(json!({ "match": "all", "conditions": [condition] })), "{line}");
        }
    }

    #[test]
    fn what_a_definition_cannot_express_is_named() {
        assert_eq!(definition("city!=Austin").unwrap_err(), "city excludes similar text, which a View cannot: set it to exactly");
    }
}

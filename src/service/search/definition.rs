//! The stored definition of a Dynamic View (decisions 2.7): a different grammar from a request's
//! filters, but the same criteria.

use serde_json::{Value, json};

use super::criterion::{Criterion, Predicate};
use super::fields::{self, FilterDialect, FilterKey, FilterKind, TextMatch};
use super::grammar::{IssueList, child, parse_range, parse_values};
use crate::service::api_error::ApiError;
use crate::service::dataset::Dataset;
use crate::service::validation::InputValue;

/// Maximum nesting of conditions.
const MAX_CONDITION_DEPTH: usize = 3;
/// Maximum number of conditions in a group.
const MAX_CONDITIONS: usize = 50;

/// A parsed definition.
#[derive(Clone, Debug)]
pub struct ViewDefinition(pub(super) Criterion);

/// Parses the definition of a View over this dataset, from a request (so the issues' paths begin
/// with `definition`) or as stored.
pub fn parse(dataset: Dataset, definition: &Value) -> Result<ViewDefinition, ApiError> {
    let at = InputValue {
        value: definition,
        path: vec![json!("definition")],
    };
    let mut issues = IssueList::default();
    let criterion = parse_group(
        &mut issues,
        &at,
        &fields::filter_keys(dataset, FilterDialect::Definition),
        MAX_CONDITION_DEPTH,
        &[],
    );
    issues.into_result()?;
    Ok(ViewDefinition(
        criterion.unwrap_or(Criterion::All(Vec::new())),
    ))
}

/// `{match, conditions}`, and other keys that the caller reads.
fn parse_group(
    issues: &mut IssueList,
    at: &InputValue<'_>,
    known: &[&'static FilterKey],
    depth: usize,
    more: &[&str],
) -> Option<Criterion> {
    issues.collect(at.object())?;
    issues.reject_unknown_keys(at, &[&["match", "conditions"], more].concat());
    let any =
        child(at, "match").map_or(Some("all"), |at| issues.collect(at.one_of(&["all", "any"])));
    let conditions = issues
        .required_child(at, "conditions")
        .and_then(|at| issues.collect(at.items(0, MAX_CONDITIONS)))?;
    let each: Vec<Criterion> = conditions
        .iter()
        .filter_map(|at| parse_condition(issues, at, known, depth))
        .collect();
    Some(if any? == "any" && !each.is_empty() {
        Criterion::Any(each)
    } else {
        Criterion::All(each)
    })
}

fn parse_condition(
    issues: &mut IssueList,
    at: &InputValue<'_>,
    known: &[&'static FilterKey],
    depth: usize,
) -> Option<Criterion> {
    issues.collect(at.object())?;
    if child(at, "relation").is_some() {
        parse_relation_condition(issues, at, known, depth)
    } else {
        parse_field_condition(issues, at, known)
    }
}

fn parse_relation_condition(
    issues: &mut IssueList,
    at: &InputValue<'_>,
    known: &[&'static FilterKey],
    depth: usize,
) -> Option<Criterion> {
    // a relation is named after the dataset it leads to
    let relations = || {
        known.iter().filter_map(|field| {
            if let FilterKind::Relation(to) = &field.kind {
                Some((*field, to))
            } else {
                None
            }
        })
    };
    let mut words: Vec<&str> = relations().map(|(_, to)| to.related.singular()).collect();
    words.dedup();
    let word = child(at, "relation").and_then(|at| issues.collect(at.one_of(&words)));
    let op = issues
        .required_child(at, "op")
        .and_then(|at| issues.collect(at.one_of(&["has", "has_no"])));
    let (word, op) = (word?, op?);
    if depth == 1 {
        issues.push(at.issue(
            "not_allowed",
            format!("conditions can be nested {MAX_CONDITION_DEPTH} levels deep at most"),
            json!({ "maximum": MAX_CONDITION_DEPTH }),
        ));
        return None;
    }
    let (field, _) = relations().find(|(_, to)| to.related.singular() == word)?;
    let inner = parse_group(
        issues,
        at,
        &field.inner_keys(FilterDialect::Definition),
        depth - 1,
        &["relation", "op"],
    )?;
    Some(Criterion::Related {
        field,
        none: op == "has_no",
        inner: Box::new(inner),
    })
}

fn parse_field_condition(
    issues: &mut IssueList,
    at: &InputValue<'_>,
    known: &[&'static FilterKey],
) -> Option<Criterion> {
    issues.reject_unknown_keys(at, &["field", "op", "value"]);
    let keys: Vec<&str> = known
        .iter()
        .filter(|field| !field.is_relation())
        .map(|field| field.key)
        .collect();
    let key = issues
        .required_child(at, "field")
        .and_then(|at| issues.collect(at.one_of(&keys)));
    let op = issues.required_child(at, "op");
    let field = known.iter().find(|field| Some(field.key) == key)?;
    let op = issues.collect(op?.one_of(operators(field)))?;
    let exclude = matches!(op, "is_not" | "unknown");
    let test = match op {
        "known" | "unknown" => {
            if let Some(value) = child(at, "value") {
                issues.push(value.issue("not_allowed", "must not have a value", Value::Null));
            }
            Predicate::Known
        }
        "between" => {
            let value = issues.required_child(at, "value")?;
            issues.collect(value.object())?;
            issues.reject_unknown_keys(&value, &["min", "max"]);
            parse_range(issues, field, child(&value, "min"), child(&value, "max"))?
        }
        op => {
            let value = issues.required_child(at, "value")?;
            parse_values(issues, &value, field, op == "contains")?
        }
    };
    Some(Criterion::Field {
        field,
        test,
        exclude,
    })
}

/// The operators of a field.
fn operators(field: &FilterKey) -> &'static [&'static str] {
    match field.kind {
        FilterKind::Text(TextMatch::Fuzzy) => &["is", "is_not", "contains", "known", "unknown"],
        FilterKind::Number | FilterKind::Date => &["between", "known", "unknown"],
        FilterKind::Boolean | FilterKind::Relation(_) => &["is", "is_not"],
        FilterKind::Text(_) | FilterKind::Enum(_) | FilterKind::Uuid => {
            &["is", "is_not", "known", "unknown"]
        }
    }
}

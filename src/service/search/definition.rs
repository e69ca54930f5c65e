//! The stored definition of a Dynamic View (decisions 2.7): another grammar than a request's filters, the same criteria.

use serde_json::{Value, json};

use super::Dataset;
use super::criterion::{Criterion, Test};
use super::fields::{self, Field, Kind, Place, Rule};
use super::grammar::{Issues, part, values, within};
use crate::service::form::At;
use crate::service::refusal::Refusal;

/// How deep conditions may be nested.
const DEPTH: usize = 3;
/// How many conditions may stand side by side.
const CONDITIONS_MAX: usize = 50;

/// A definition that has been read.
#[derive(Clone, Debug)]
pub struct Definition(pub(super) Criterion);

/// Reads the definition of a View over this dataset, from a request (so the issues' paths begin with `definition`) or as stored.
///
/// # Errors
/// 400 with all issues.
pub fn read(dataset: Dataset, definition: &Value) -> Result<Definition, Refusal> {
    let at = At { value: definition, path: vec![json!("definition")] };
    let mut issues = Issues::default();
    let criterion = group(&mut issues, &at, &fields::fields(dataset, Place::Definition), DEPTH, &[]);
    issues.refuse()?;
    Ok(Definition(criterion.unwrap_or(Criterion::All(Vec::new()))))
}

/// `{match, conditions}`, with other keys that the caller reads.
fn group(issues: &mut Issues, at: &At<'_>, known: &[&'static Field], depth: usize, more: &[&str]) -> Option<Criterion> {
    issues.take(at.object())?;
    issues.only(at, &[&["match", "conditions"], more].concat());
    let any = part(at, "match").map_or(Some("all"), |at| issues.take(at.word(&["all", "any"])));
    let conditions = issues.need(at, "conditions").and_then(|at| issues.take(at.items(0, CONDITIONS_MAX)))?;
    let each: Vec<Criterion> = conditions.iter().filter_map(|at| condition(issues, at, known, depth)).collect();
    Some(if any? == "any" && !each.is_empty() { Criterion::Any(each) } else { Criterion::All(each) })
}

fn condition(issues: &mut Issues, at: &At<'_>, known: &[&'static Field], depth: usize) -> Option<Criterion> {
    issues.take(at.object())?;
    if part(at, "relation").is_some() { related(issues, at, known, depth) } else { plain(issues, at, known) }
}

fn related(issues: &mut Issues, at: &At<'_>, known: &[&'static Field], depth: usize) -> Option<Criterion> {
    // a relation is called by the dataset that it leads to
    let relations =
        || known.iter().filter_map(|field| if let Kind::Relation(to) = &field.kind { Some((*field, to)) } else { None });
    let mut words: Vec<&str> = relations().map(|(_, to)| to.related.singular()).collect();
    words.dedup();
    let word = part(at, "relation").and_then(|at| issues.take(at.word(&words)));
    let op = issues.need(at, "op").and_then(|at| issues.take(at.word(&["has", "has_no"])));
    let (word, op) = (word?, op?);
    if depth == 1 {
        issues.add(at.issue("not_allowed", format!("conditions go {DEPTH} deep at most"), json!({ "maximum": DEPTH })));
        return None;
    }
    let (field, _) = relations().find(|(_, to)| to.related.singular() == word)?;
    let inner = group(issues, at, &field.inner(Place::Definition), depth - 1, &["relation", "op"])?;
    Some(Criterion::Related { field, none: op == "has_no", inner: Box::new(inner) })
}

fn plain(issues: &mut Issues, at: &At<'_>, known: &[&'static Field]) -> Option<Criterion> {
    issues.only(at, &["field", "op", "value"]);
    let keys: Vec<&str> = known.iter().filter(|field| !field.is_relation()).map(|field| field.key).collect();
    let key = issues.need(at, "field").and_then(|at| issues.take(at.word(&keys)));
    let op = issues.need(at, "op");
    let field = known.iter().find(|field| Some(field.key) == key)?;
    let op = issues.take(op?.word(ops(field)))?;
    let exclude = matches!(op, "is_not" | "unknown");
    let test = match op {
        "known" | "unknown" => {
            if let Some(value) = part(at, "value") {
                issues.add(value.issue("not_allowed", "takes no value", Value::Null));
            }
            Test::Known
        }
        "between" => {
            let value = issues.need(at, "value")?;
            issues.take(value.object())?;
            issues.only(&value, &["min", "max"]);
            within(issues, field, part(&value, "min"), part(&value, "max"))?
        }
        op => {
            let value = issues.need(at, "value")?;
            values(issues, &value, field, op == "contains")?
        }
    };
    Some(Criterion::Field { field, test, exclude })
}

/// What can be said of a field.
fn ops(field: &Field) -> &'static [&'static str] {
    match field.kind {
        Kind::Text(Rule::Fuzzy) => &["is", "is_not", "contains", "known", "unknown"],
        Kind::Number | Kind::Date => &["between", "known", "unknown"],
        Kind::Boolean | Kind::Relation(_) => &["is", "is_not"],
        Kind::Text(_) | Kind::Enum(_) | Kind::Uuid => &["is", "is_not", "known", "unknown"],
    }
}

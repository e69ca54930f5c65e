//! Filters as a sentence that a person can check before paying: `Projects whose stage is permitted,
//! and with no general contractor.`
//!
//! "No account that is a gc" and "some account that is not a gc" are different filters, so their
//! sentences differ.

use super::conditions::{capitalize, join_with_or};
use super::field_kind::{humanize_key, role_name};
use super::filters::{Filter, Filters, display_value};
use super::lenient::Number;
use super::number_format;
use super::vocabulary::{ValueKind, Vocabulary, VocabularyField};

/// Describes a search of a dataset in a sentence, and its words in another.
pub fn describe_search(
    dataset: &str,
    filters: &Filters,
    query: &str,
    vocabulary: &Vocabulary,
) -> String {
    let subject = capitalize(&humanize_key(dataset));
    let parts: Vec<String> = filters
        .criteria()
        .iter()
        .map(|(key, filter)| describe_criterion(key, filter, vocabulary.field(key)))
        .collect();
    let sentence = match parts.as_slice() {
        [] => format!("All {dataset}."),
        [one] => format!("{subject} {one}."),
        [rest @ .., last] => format!("{subject} {}, and {last}.", rest.join(", ")),
    };
    match query {
        "" => sentence,
        words => format!("{sentence} Words: {words}."),
    }
}

pub(super) fn describe_criterion(
    key: &str,
    filter: &Filter,
    field: Option<&VocabularyField>,
) -> String {
    let name = humanize_key(key);
    match filter {
        Filter::Field {
            values,
            exact,
            exclude,
        } => {
            let is_text = field.map_or(key == "name", |field| {
                field.kind == ValueKind::Text && !field.as_written
            });
            let not = if *exclude { "not " } else { "" };
            let like = match exact {
                true => "exactly ",
                false if key == "name" => "like ",
                false => "",
            };
            let values: Vec<String> = values
                .iter()
                .map(|value| {
                    if is_text {
                        display_value(value)
                    } else {
                        humanize_key(&display_value(value))
                    }
                })
                .collect();
            match values.as_slice() {
                [] => format!("whose {name} is ... (no value yet)"),
                values if key == "role" => {
                    let roles: Vec<String> = values.iter().map(|role| role_name(role)).collect();
                    let article = indefinite_article(&roles[0]);
                    format!("that is {not}{article} {}", join_with_or(&roles))
                }
                values if key == "signal_type" => {
                    format!("{not}of the type {}", join_with_or(values))
                }
                values if matches!(key, "city" | "state") && !exact => {
                    format!("{not}in {}", join_with_or(values))
                }
                values => {
                    let verb = match (is_plural(&name), like.is_empty(), *exclude) {
                        (true, true, false) => "include",
                        (true, true, true) => "do not include",
                        (true, false, false) => "are",
                        (true, false, true) => "are not",
                        (false, _, false) => "is",
                        (false, _, true) => "is not",
                    };
                    format!("whose {name} {verb} {like}{}", join_with_or(values))
                }
            }
        }
        Filter::Range { min, max } => {
            let is_day = match field {
                Some(field) => field.kind == ValueKind::Date,
                None => min.iter().chain(max).any(serde_json::Value::is_string),
            };
            let is_cost = key == "cost_of_construction_usd";
            let name = name.trim_end_matches(" count");
            let is_count = is_plural(name);
            let shown =
                |bound: &serde_json::Value| match serde_json::from_value::<Number>(bound.clone()) {
                    Ok(Number::Int(dollars)) if key.ends_with("_usd") => {
                        format_exact_dollars(dollars)
                    }
                    Ok(Number::Int(n)) => number_format::group_digits(&n.to_string()),
                    _ => display_value(bound),
                };
            let of = |amount: String| match (is_cost, is_count) {
                (true, _) => format!("costing {amount}"),
                (false, true) if amount != "1" => format!("with {amount} {name}"),
                (false, _) => format!("with {name} of {amount}"),
            };
            // Filed, found, updated: what happened on the day.
            let event = match name.strip_suffix(" at").filter(|_| is_day) {
                Some(event) if event.ends_with("ed") => event.to_owned(),
                Some(event) => format!("with the {event}"),
                None => format!("with {name}"),
            };
            match (min.as_ref().map(shown), max.as_ref().map(shown)) {
                (Some(min), Some(max)) if is_day && min == max => format!("{event} on {min}"),
                (Some(min), Some(max)) if is_day => format!("{event} between {min} and {max}"),
                (Some(min), Some(max)) if min == max => of(min),
                (Some(min), Some(max)) if is_cost || is_count => of(format!("{min} to {max}")),
                (Some(min), Some(max)) => format!("with {name} from {min} to {max}"),
                (Some(min), None) if is_day => format!("{event} {min} or later"),
                (Some(min), None) => of(format!("{min} or more")),
                (None, Some(max)) if is_day => format!("{event} {max} or earlier"),
                (None, Some(max)) if is_count => of(format!("{max} or fewer")),
                (None, Some(max)) => of(format!("{max} or less")),
                (None, None) => format!("with known {name}"),
            }
        }
        Filter::Relation(inner) => {
            let parts = inner.criteria().iter().map(|(key, filter)| {
                describe_criterion(key, filter, field.and_then(|field| field.field(key)))
            });
            let parts: Vec<String> = parts.collect();
            let words = parts.join(" and ");
            match key.split_once('_') {
                Some(("has", noun)) => describe_related(noun, false, &words, parts.len()),
                Some(("without", noun)) => describe_related(noun, true, &words, parts.len()),
                Some((how @ ("at" | "on" | "for"), noun)) => {
                    let article = indefinite_article(noun);
                    format!("{how} {article} {} {words}", humanize_key(noun))
                }
                _ => format!("related by {name} {words}"),
            }
            .trim_end()
            .to_owned()
        }
    }
}

/// That there are related records which this many conditions describe, or none. One that is nothing
/// but a role goes by the role: `with no general contractor`.
pub(super) fn describe_related(
    noun: &str,
    is_none: bool,
    words: &str,
    conditions: usize,
) -> String {
    let role = words.strip_prefix("that is a").filter(|_| conditions == 1);
    match (role.and_then(|role| role.split_once(' ')), is_none) {
        (Some((article, role)), false) => format!("with a{article} {role}"),
        (Some((_, role)), true) => format!("with no {role}"),
        (None, false) => format!("with at least one {} {words}", humanize_key(noun)),
        (None, true) => format!("with no {} {words}", humanize_key(noun)),
    }
}

/// Exact, and as short as people write it: `$20M`, `$250k`, `$1,234,567`.
fn format_exact_dollars(dollars: i64) -> String {
    match dollars {
        n if n >= 1_000_000 && n % 100_000 == 0 => format!("${}M", n as f64 / 1e6),
        n if n >= 1_000 && n % 100 == 0 => format!("${}k", n as f64 / 1e3),
        n => format!("${}", number_format::group_digits(&n.to_string())),
    }
}

/// Whether a field's name is a plural, as in `tags`, but not `status` or `address`.
fn is_plural(name: &str) -> bool {
    name.ends_with('s') && !name.ends_with("us") && !name.ends_with("ss")
}

fn indefinite_article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o']) {
        "an"
    } else {
        "a"
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_search_is_described_in_a_sentence() {
        let role = json!([{"key": "role", "kind": "enum"}, {"key": "name", "kind": "text"}]);
        let vocabulary = serde_json::from_value(json!([
            {"key": "primary_use", "kind": "enum"}, {"key": "city", "kind": "text"}, {"key": "filed_at", "kind": "date"},
            {"key": "tags", "kind": "enum"}, {"key": "signal_type", "kind": "enum"},
            {"key": "has_account", "kind": "relation", "fields": role}, {"key": "without_account", "kind": "relation", "fields": role},
        ]))
        .unwrap();
        let role =
            |key: &str, exclude: bool| json!({key: {"role": {"value": "gc", "exclude": exclude}}});
        for (filters, words) in [
            (json!({}), "All projects."),
            (
                json!({"primary_use": {"value": "mixed_use"}}),
                "Projects whose primary use is mixed use.",
            ),
            (
                json!({"primary_use": {"value": "multifamily"}, "city": {"value": "Austin"}, "cost_of_construction_usd": {"min": 20_000_000}}),
                "Projects in Austin, costing $20M or more, and whose primary use is multifamily.",
            ),
            (
                json!({"city": {"value": ["A", "B", "C"], "exclude": true}}),
                "Projects not in A, B or C.",
            ),
            (
                json!({"city": {"value": "A", "exclude": true, "exact_match": true}}),
                "Projects whose city is not exactly A.",
            ),
            (
                role("without_account", false),
                "Projects with no general contractor.",
            ),
            (
                role("has_account", true),
                "Projects with at least one account that is not a general contractor.",
            ),
            (
                json!({"has_account": {}}),
                "Projects with at least one account.",
            ),
            (
                json!({"tags": {"value": "q3"}}),
                "Projects whose tags include q3.",
            ),
            (
                json!({"tags": {"value": "q3", "exclude": true}}),
                "Projects whose tags do not include q3.",
            ),
            (
                json!({"filed_at": {"min": "2026-07-01"}}),
                "Projects filed 2026-07-01 or later.",
            ),
            (
                json!({"filed_at": {"min": "2026-11-01", "max": "2026-11-30"}, "signal_type": {"value": "permit_issued"}}),
                "Projects filed between 2026-11-01 and 2026-11-30, and of the type permit issued.",
            ),
            (json!({"stories": {}}), "Projects with known stories."),
            (
                json!({"state": {"value": "TX"}, "stories": {"min": 12}, "residential_units": {"max": 99}}),
                "Projects with 99 or fewer residential units, in TX, and with 12 or more stories.",
            ),
            (
                json!({"signals_count": {"min": 5, "max": 9}, "stage": {"value": "not_started"}}),
                "Projects with 5 to 9 signals, and whose stage is not started.",
            ),
            (
                json!({"last_signal_at": {"min": "2026-01-01"}}),
                "Projects with the last signal 2026-01-01 or later.",
            ),
            (
                json!({"at_account": {"name": {"value": "X"}}}),
                "Projects at an account whose name is like X.",
            ),
        ] {
            assert_eq!(
                describe_search(
                    "projects",
                    &Filters::from_json(&filters).unwrap(),
                    "",
                    &vocabulary
                ),
                words
            );
        }
    }
}

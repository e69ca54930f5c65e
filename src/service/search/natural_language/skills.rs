//! Questions about Skills, which have no search: only their enums, without negation.

use serde_json::{Value, json};

use super::FilterTranslation;
use super::lexicon::{CLAUSE_STARTS, STOP_WORDS, negation_length, starts_with, starts_with_value};
use crate::service::search::vocabulary::SKILL_ENUMS;

/// Finds Skills by their enums; negated values make no condition.
pub(super) fn translate(words: &[String]) -> FilterTranslation {
    let mut found = FilterTranslation::default();
    let (mut at, mut not) = (0, false);
    while at < words.len() {
        let rest = &words[at..];
        let enums = SKILL_ENUMS.iter().flat_map(|(key, values, multi)| {
            values.iter().map(move |value| (*key, *value, *multi))
        });
        let mut fits: Vec<_> = enums
            .filter(|(_, value, _)| starts_with(rest, &value.split('_').collect::<Vec<_>>()))
            .collect();
        fits.sort_by_key(|(_, value, _)| std::cmp::Reverse(value.len()));
        let word = rest[0].as_str();
        let filter = fits.first().map(|fit| {
            (
                fit,
                found
                    .filters
                    .get(fit.0)
                    .and_then(Value::as_str)
                    .is_some_and(|one| one != fit.1),
            )
        });
        if let Some(((key, value, multi), false)) = filter
            && !not
        {
            found.understood.push(format!("{key} is {value}"));
            let filter = found
                .filters
                .entry(*key)
                .or_insert_with(|| if *multi { json!([]) } else { json!(value) });
            if let Some(values) = filter.as_array_mut() {
                values.push(json!(value));
            }
            at += value.split('_').count();
            continue;
        }
        let count = negation_length(rest).unwrap_or(1);
        not = if negation_length(rest).is_some() {
            true
        } else {
            not && word != "." && !CLAUSE_STARTS.contains(&word)
        };
        let carries_nothing = [",", ".", "and", "or"].contains(&word)
            || CLAUSE_STARTS.contains(&word)
            || STOP_WORDS.contains(&word);
        if !carries_nothing && !starts_with_value(&rest[..1], &["skill"]) {
            found
                .unmatched
                .push(rest[..count].join(" ").trim_start_matches('"').to_owned());
        }
        at += count;
    }
    found
}

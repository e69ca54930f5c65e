//! Conditions as text: what is printed is read back the same.

use std::fmt;

use serde_json::Value;

use crate::domain::quoting::{escape_alternatives, quote_term, quote_text};

use super::line::{ConditionLine, Words};
use super::names::{is_field_name, is_range_field};
use super::types::{ANY_VALUE, Conditions, Test};
use super::values::{display_value, exclusive_bound, format_number};

impl Conditions {
    /// Formats the conditions as terms for [`Conditions::parse`].
    pub fn to_terms(&self) -> Vec<String> {
        let mut terms = Vec::new();
        for (key, test) in &self.0 {
            test.push_terms(key, &mut terms);
        }
        terms
    }

    /// Formats the conditions and the text of a search as a line for [`ConditionLine::parse`].
    pub fn to_line(&self, query: &str) -> String {
        let word = |text: &str| Words {
            text: text.to_owned(),
            exclude: false,
        };
        let line = ConditionLine {
            words: query.split_whitespace().map(word).collect(),
            conditions: self.clone(),
        };
        line.to_string()
    }
}

impl Test {
    /// The value as typed by a person: `a,b`, `5..9`, `5..`; empty for any.
    pub fn value_text(&self) -> String {
        match self {
            Test::Values { values, .. } => values.iter().fold(String::new(), |mut text, value| {
                if !text.is_empty() {
                    // A backslash right before the comma would escape it.
                    text.push_str(if text.ends_with('\\') { " ," } else { "," });
                }
                text + &escape_alternatives(&display_value(value))
            }),
            Test::Range {
                min: None,
                max: None,
                ..
            }
            | Test::Related(_) => String::new(),
            Test::Range { min, max, .. } if min == max => {
                min.as_ref().map(format_bound).unwrap_or_default()
            }
            Test::Range { min, max, .. } => {
                let side = |bound: &Option<Value>, is_min: bool| {
                    let (sign, text) = format_side(bound.as_ref()?, is_min);
                    // Inclusive is what a range usually is.
                    let sign = if sign.ends_with('=') { "" } else { sign };
                    Some(format!("{sign}{text}"))
                };
                format!(
                    "{}..{}",
                    side(min, true).unwrap_or_default(),
                    side(max, false).unwrap_or_default()
                )
            }
        }
    }

    /// Appends the terms of a condition, as a person would type them.
    fn push_terms(&self, key: &str, terms: &mut Vec<String>) {
        match self {
            Test::Values { exact, exclude, .. } => {
                let not = if *exclude { "!" } else { "" };
                let operator = if *exact { "==" } else { "=" };
                terms.push(format!("{key}{not}{operator}{}", self.value_text()));
            }
            Test::Range {
                min: None,
                max: None,
                exclude: true,
            } if is_field_name(key) => terms.push(format!("!{key}")),
            Test::Range {
                min: None,
                max: None,
                exclude: true,
            } => terms.push(format!("!{key}={ANY_VALUE}")),
            Test::Range { exclude: true, .. } => {
                terms.push(format!("!{key}={}", self.value_text()));
            }
            Test::Range { min, max, .. } => {
                let is_exclusive = |bound: &Option<Value>, is_min: bool| {
                    bound
                        .as_ref()
                        .is_some_and(|bound| exclusive_bound(bound, is_min).is_some())
                };
                match (min, max) {
                    (None, None) => terms.push(format!("{key}={ANY_VALUE}")),
                    (Some(_), Some(_))
                        if is_range_field(key)
                            && !is_exclusive(min, true)
                            && !is_exclusive(max, false) =>
                    {
                        terms.push(format!("{key}={}", self.value_text()));
                    }
                    _ => {
                        let sides = [(min, true), (max, false)];
                        terms.extend(sides.into_iter().filter_map(|(bound, is_min)| {
                            let (sign, text) = format_side(bound.as_ref()?, is_min);
                            Some(format!("{key}{sign}{text}"))
                        }));
                    }
                }
            }
            Test::Related(inner) if inner.is_empty() => terms.push(format!("{key}={ANY_VALUE}")),
            Test::Related(inner) => {
                for (name, test) in &inner.0 {
                    test.push_terms(&format!("{key}.{name}"), terms);
                }
            }
        }
    }
}

/// As [`ConditionLine::parse`] reads it.
impl fmt::Display for ConditionLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.words.iter().map(ToString::to_string);
        let terms = self.conditions.to_terms();
        let terms = terms.iter().map(|term| quote_term(term));
        f.write_str(&words.chain(terms).collect::<Vec<_>>().join(" "))
    }
}

impl fmt::Display for Words {
    /// In quotes where the words would be read as something else.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = &self.text;
        let is_plain = !text.contains(|c: char| "=<>~".contains(c) || c.is_whitespace());
        match self.exclude {
            true if is_plain => write!(f, "!{}", text.replace('"', "\\\"")),
            true => write!(f, "!{}", quote_text(text)),
            false if is_plain && !text.starts_with('!') && !is_field_name(text) => {
                f.write_str(&text.replace('"', "\\\""))
            }
            false => f.write_str(&quote_text(text)),
        }
    }
}

/// A bound as people write it.
fn format_bound(bound: &Value) -> String {
    if bound.is_number() {
        format_number(bound)
    } else {
        display_value(bound)
    }
}

/// The sign of a bound, and the bound.
fn format_side(bound: &Value, is_min: bool) -> (&'static str, String) {
    match exclusive_bound(bound, is_min) {
        Some(bound) => (if is_min { ">" } else { "<" }, format_bound(&bound)),
        None => (if is_min { ">=" } else { "<=" }, format_bound(bound)),
    }
}

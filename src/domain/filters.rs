//! Search filters (interface: Filter grammar): parsed from typed text, written as JSON and as a
//! sentence.
//!
//! A term is `key=value`, `key!=value`, `key==value` (exactly), `key!==value` (not exactly),
//! `key>=value`, `key<=value` or `key=from..to`; `a,b` means either; `has_account.role=developer`
//! filters by related records; `has_account=*` is any related record and `stories=*` any number.
//! The service defines the keys ([`Vocabulary`](super::vocabulary::Vocabulary)).

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::field_kind::humanize_key;
use super::quoting::{escape_alternatives, quote_term, quote_text, split_alternatives, split_line};

/// Keys that take a range, so that `stories=5` means from 5 to 5. Any other key takes values.
const RANGE_KEYS: &[&str] = &[
    "stories",
    "residential_units",
    "gross_floor_area_sf",
    "cost_of_construction_usd",
    "last_signal_at",
    "filed_at",
    "discovered_at",
    "atlas_score",
];

/// Reserved words of a criterion; they are not allowed as keys, because the key would look like a
/// relation.
const RESERVED_WORDS: &[&str] = &["value", "min", "max", "exact_match", "exclude"];

const ANY_VALUE: &str = "*";

/// Criteria that must all match; each key occurs once, in the order given. The serialized form is
/// for this machine only and includes order and incomplete criteria; the interface's form is
/// [`Filters::to_json`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filters(Vec<(String, Filter)>);

/// The criterion for one key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Filter {
    /// Any of these values.
    Field {
        /// Texts; a boolean for `stories_known`.
        values: Vec<Value>,
        /// Match the whole value, ignoring case; otherwise a similar value is enough.
        exact: bool,
        /// Match none of them.
        exclude: bool,
    },
    /// Within both bounds. A record without a value never matches.
    Range {
        /// Lower bound, inclusive.
        min: Option<Value>,
        /// Upper bound, inclusive.
        max: Option<Value>,
    },
    /// A related record that matches all of these.
    Relation(Filters),
}

impl Filters {
    /// Parses terms as typed by a person.
    ///
    /// # Errors
    /// The invalid term and how to write it, in one line.
    pub fn parse<T: AsRef<str>>(terms: impl IntoIterator<Item = T>) -> Result<Filters, String> {
        let mut filters = Filters::default();
        for term in terms {
            filters
                .parse_term(term.as_ref())
                .map_err(|why| format!("the filter {:?} {why}", term.as_ref()))?;
        }
        Ok(filters)
    }

    /// Parses a line of words and terms into the search text and the criteria. A value with spaces
    /// is quoted: `city="San Francisco"`; what begins with a quote is always text.
    pub fn parse_line(line: &str) -> Result<(String, Filters), String> {
        let (terms, words): (Vec<_>, Vec<_>) = split_line(line)
            .into_iter()
            .partition(|(part, is_text)| !is_text && part.contains(['=', '<', '>']));
        let words = words
            .iter()
            .flat_map(|(words, _)| words.split_whitespace())
            .collect::<Vec<_>>();
        Ok((
            words.join(" "),
            Filters::parse(terms.into_iter().map(|(term, _)| term))?,
        ))
    }

    /// Formats the criteria and this text as a line for [`Filters::parse_line`].
    pub fn to_line(&self, query: &str) -> String {
        let text = |word: &str| {
            if word.contains(['=', '<', '>']) {
                quote_text(word)
            } else {
                word.replace('"', "\\\"")
            }
        };
        let mut parts: Vec<String> = query.split_whitespace().map(text).collect();
        parts.extend(self.to_terms().into_iter().map(|term| quote_term(&term)));
        parts.join(" ")
    }

    /// Formats the criteria as terms for [`Filters::parse`].
    pub fn to_terms(&self) -> Vec<String> {
        let mut terms = Vec::new();
        self.0
            .iter()
            .for_each(|(key, filter)| filter.push_terms(key, &mut terms));
        terms
    }

    pub fn criteria(&self) -> &[(String, Filter)] {
        &self.0
    }

    /// The criteria, for a builder, which must keep keys unique: a duplicate key would overwrite
    /// the first.
    pub fn criteria_mut(&mut self) -> &mut Vec<(String, Filter)> {
        &mut self.0
    }

    /// Parses the `filters` object of a body.
    ///
    /// # Errors
    /// What is not valid in the grammar, in one line.
    pub fn from_json(json: &Value) -> Result<Filters, String> {
        let object = json.as_object().ok_or("the filters are not an object")?;
        let read =
            |(key, value): (&String, &Value)| Ok((key.clone(), Filter::from_json(key, value)?));
        object
            .iter()
            .map(read)
            .collect::<Result<_, String>>()
            .map(Filters)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The `filters` object of a body.
    pub fn to_json(&self) -> Value {
        Value::Object(
            self.0
                .iter()
                .map(|(key, filter)| (key.clone(), filter.to_json()))
                .collect(),
        )
    }

    fn parse_term(&mut self, term: &str) -> Result<(), String> {
        const SYNTAX_HINT: &str = "is invalid; write it like city=Austin, stage!=approved, stories>=5 or has_account.role=developer";
        let at = term.find(['=', '!', '<', '>']).ok_or(SYNTAX_HINT)?;
        let (key, rest) = term.split_at(at);
        let operator = ["!==", "!=", "==", ">=", "<=", "="]
            .into_iter()
            .find(|operator| rest.starts_with(operator));
        let Some(operator) = operator else {
            return Err(match rest.split_at(1) {
                ("!", _) => SYNTAX_HINT.to_owned(),
                (bound, value) => format!("lacks an equals sign; write {key}{bound}={value}"),
            });
        };
        let value = rest.get(operator.len()..).unwrap_or_default().trim();
        let path: Vec<&str> = key.trim().split('.').collect();
        if split_alternatives(value)
            .next()
            .is_none_or(|first| first.starts_with('='))
            || path.iter().any(|part| {
                part.is_empty() || !part.chars().all(|c| c.is_alphanumeric() || c == '_')
            })
        {
            return Err(SYNTAX_HINT.to_owned());
        }
        match path.as_slice() {
            [key] => self.add_criterion(key, parse_filter(key, operator, value)?),
            [range, _] if RANGE_KEYS.contains(range) => Err(format!(
                "goes through {range}, which is a number or a date, not a relation"
            )),
            [_, word] if RESERVED_WORDS.contains(word) => {
                Err(format!("uses {word} as a key, which is a reserved word"))
            }
            [relation, key] => {
                let mut inner = Filters::default();
                inner.add_criterion(key, parse_filter(key, operator, value)?)?;
                self.add_criterion(relation, Filter::Relation(inner))
            }
            _ => Err("goes through two relations; only one is allowed".to_owned()),
        }
    }

    /// Adds a criterion; two criteria of the same key are joined where that makes sense.
    fn add_criterion(&mut self, key: &str, filter: Filter) -> Result<(), String> {
        let Some((_, there)) = self.0.iter_mut().find(|(known, _)| known == key) else {
            self.0.push((key.to_owned(), filter));
            return Ok(());
        };
        match (there, filter) {
            (
                Filter::Field {
                    values,
                    exact,
                    exclude,
                },
                Filter::Field {
                    values: more,
                    exact: e,
                    exclude: x,
                },
            ) if (*exact, *exclude) == (e, x) => {
                values.extend(more);
                Ok(())
            }
            (
                Filter::Range { min, max },
                Filter::Range {
                    min: least,
                    max: most,
                },
            ) if !(min.is_some() && least.is_some() || max.is_some() && most.is_some()) => {
                *min = min.take().or(least);
                *max = max.take().or(most);
                Ok(())
            }
            (Filter::Relation(inner), Filter::Relation(more)) => more
                .0
                .into_iter()
                .try_for_each(|(key, filter)| inner.add_criterion(&key, filter)),
            _ => Err(format!(
                "conflicts with an earlier one for {key}; use each field once"
            )),
        }
    }
}

fn parse_filter(key: &str, operator: &str, value: &str) -> Result<Filter, String> {
    let is_range = RANGE_KEYS.contains(&key);
    Ok(match operator {
        "=" if value == ANY_VALUE && is_relation(key) => Filter::Relation(Filters::default()),
        _ if is_relation(key) => {
            return Err(format!(
                "names no field of the related records; write {key}.name={value} or {key}=*"
            ));
        }
        "=" if value == ANY_VALUE && is_range => Filter::Range {
            min: None,
            max: None,
        },
        ">=" => Filter::Range {
            min: Some(parse_bound(value)?),
            max: None,
        },
        "<=" => Filter::Range {
            min: None,
            max: Some(parse_bound(value)?),
        },
        "=" | "==" if is_range => parse_range(value)?,
        _ if is_range => return Err("excludes a range; ranges cannot be negated".to_owned()),
        operator => Filter::Field {
            values: split_alternatives(value)
                .map(|text| {
                    if key.ends_with("_known") {
                        parse_boolean(&text)
                    } else {
                        Ok(text.into())
                    }
                })
                .collect::<Result<_, _>>()?,
            exact: operator.ends_with("=="),
            exclude: operator.starts_with('!'),
        },
    })
}

/// `5..9`, `5..`, `..9`, `5`, `>=5`, `<=9`, or empty for any value.
fn parse_range(text: &str) -> Result<Filter, String> {
    let side = |text: &str| {
        if text.trim().is_empty() {
            Ok(None)
        } else {
            parse_bound(text).map(Some)
        }
    };
    let (min, max) = match (text.trim(), text.split_once("..")) {
        (ANY_VALUE, _) => ("", ""),
        (_, Some(sides)) => sides,
        (text, None) if text.starts_with(">=") => (&text[2..], ""),
        (text, None) if text.starts_with("<=") => ("", &text[2..]),
        (text, None) => (text, text),
    };
    Ok(Filter::Range {
        min: side(min)?,
        max: side(max)?,
    })
}

/// Whether a key is a relation: in the interface its first word names the kind of relation.
fn is_relation(key: &str) -> bool {
    ["has_", "without_"]
        .iter()
        .any(|word| key.starts_with(word))
        || ["at_account", "on_project", "for_project", "for_account"].contains(&key)
}

fn parse_boolean(text: &str) -> Result<Value, String> {
    match text {
        "true" | "yes" => Ok(true.into()),
        "false" | "no" => Ok(false.into()),
        _ => Err("must be true or false".to_owned()),
    }
}

/// A bound: a date as `2026-07-02`, or a number, which may be written `5_000`, `12k` or `1.5M`.
fn parse_bound(text: &str) -> Result<Value, String> {
    let text = text.trim();
    if text.parse::<chrono::NaiveDate>().is_ok() {
        return Ok(text.into());
    }
    let plain = text.replace('_', "");
    let (digits, times) = match plain.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1_000),
        None => plain
            .strip_suffix('M')
            .map_or((plain.as_str(), 1), |digits| (digits, 1_000_000)),
    };
    if let Some(number) = digits
        .parse::<i64>()
        .ok()
        .and_then(|number| number.checked_mul(times))
    {
        return Ok(number.into());
    }
    match digits.parse::<f64>() {
        #[expect(
            clippy::cast_precision_loss,
            reason = "a thousand and a million are exact"
        )]
        Ok(number) if number.is_finite() => Ok(number_value(number * times as f64)),
        _ => Err("has a bound that is neither a number nor a date like 2026-07-02".to_owned()),
    }
}

fn number_value(number: f64) -> Value {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a whole number well within i64"
    )]
    if number.fract() == 0.0 && number.abs() < 9e15 {
        (number as i64).into()
    } else {
        json!(number)
    }
}

impl Filter {
    /// The criterion's value as typed by a person: `a,b`, `5..9`, `5..`; empty for any.
    pub fn value_text(&self) -> String {
        match self {
            Filter::Field { values, .. } => values.iter().fold(String::new(), |mut text, value| {
                if !text.is_empty() {
                    // A backslash right before the comma would escape it.
                    text.push_str(if text.ends_with('\\') { " ," } else { "," });
                }
                text + &escape_alternatives(&display_value(value))
            }),
            Filter::Range {
                min: None,
                max: None,
            }
            | Filter::Relation(_) => String::new(),
            Filter::Range { min, max } => {
                let side =
                    |bound: &Option<Value>| bound.as_ref().map(display_value).unwrap_or_default();
                format!("{}..{}", side(min), side(max))
            }
        }
    }

    /// The criterion with a typed value.
    ///
    /// # Errors
    /// The invalid bound, in one line.
    pub fn with_value_text(&self, text: &str) -> Result<Filter, String> {
        Ok(match self {
            Filter::Field { exact, exclude, .. } => Filter::Field {
                values: split_alternatives(text).map(Value::from).collect(),
                exact: *exact,
                exclude: *exclude,
            },
            Filter::Range { .. } if text.trim().is_empty() => Filter::Range {
                min: None,
                max: None,
            },
            Filter::Range { .. } => parse_range(text)?,
            Filter::Relation(inner) => Filter::Relation(inner.clone()),
        })
    }

    fn from_json(key: &str, json: &Value) -> Result<Filter, String> {
        let object = json
            .as_object()
            .ok_or_else(|| format!("{key} is not a filter"))?;
        let flag = |name: &str| {
            object
                .get(name)
                .and_then(Value::as_bool)
                .unwrap_or_default()
        };
        if let Some(value) = object.get("value") {
            let values = value
                .as_array()
                .cloned()
                .unwrap_or_else(|| vec![value.clone()]);
            if values
                .iter()
                .any(|value| value.is_object() || value.is_array() || value.is_null())
            {
                return Err(format!(
                    "{key} has a value that is not text, a number or a boolean"
                ));
            }
            return Ok(Filter::Field {
                values,
                exact: flag("exact_match"),
                exclude: flag("exclude"),
            });
        }
        let bound = |name: &str| object.get(name).filter(|bound| !bound.is_null()).cloned();
        if object.contains_key("min") || object.contains_key("max") || RANGE_KEYS.contains(&key) {
            return Ok(Filter::Range {
                min: bound("min"),
                max: bound("max"),
            });
        }
        Filters::from_json(json).map(Filter::Relation)
    }

    /// Appends the criterion's terms, as a person would type them.
    fn push_terms(&self, key: &str, terms: &mut Vec<String>) {
        match self {
            Filter::Field { exact, exclude, .. } => {
                let not = if *exclude { "!" } else { "" };
                let operator = if *exact { "==" } else { "=" };
                terms.push(format!("{key}{not}{operator}{}", self.value_text()));
            }
            Filter::Range {
                min: None,
                max: None,
            } => terms.push(format!("{key}={ANY_VALUE}")),
            Filter::Range {
                min: Some(_),
                max: Some(_),
            } => terms.push(format!("{key}={}", self.value_text())),
            Filter::Range { min, max } => {
                terms.extend(
                    min.as_ref()
                        .map(|min| format!("{key}>={}", display_value(min))),
                );
                terms.extend(
                    max.as_ref()
                        .map(|max| format!("{key}<={}", display_value(max))),
                );
            }
            Filter::Relation(inner) if inner.is_empty() => terms.push(format!("{key}={ANY_VALUE}")),
            Filter::Relation(inner) => {
                for (name, filter) in &inner.0 {
                    filter.push_terms(&format!("{key}.{name}"), terms);
                }
            }
        }
    }

    fn to_json(&self) -> Value {
        let mut object = Map::new();
        match self {
            Filter::Field {
                values,
                exact,
                exclude,
            } => {
                let value = if let [one] = values.as_slice() {
                    one.clone()
                } else {
                    values.clone().into()
                };
                object.insert("value".to_owned(), value);
                for (name, flag) in [("exact_match", exact), ("exclude", exclude)] {
                    if *flag {
                        object.insert(name.to_owned(), true.into());
                    }
                }
            }
            Filter::Range { min, max } => {
                for (name, bound) in [("min", min), ("max", max)] {
                    if let Some(bound) = bound {
                        object.insert(name.to_owned(), bound.clone());
                    }
                }
            }
            Filter::Relation(inner) => return inner.to_json(),
        }
        Value::Object(object)
    }
}

impl fmt::Display for Filters {
    /// Formats as a sentence: `city like Austin; an account with role like developer; stories 5 or
    /// more`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, (key, filter)) in self.0.iter().enumerate() {
            if n > 0 {
                f.write_str("; ")?;
            }
            write_filter(f, key, filter)?;
        }
        Ok(())
    }
}

/// A value without the quotes of JSON.
pub(super) fn display_value(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn write_filter(f: &mut fmt::Formatter<'_>, key: &str, filter: &Filter) -> fmt::Result {
    match filter {
        Filter::Field {
            values,
            exact,
            exclude,
        } => {
            let values: Vec<_> = values.iter().map(display_value).collect();
            let words = match (exact, exclude) {
                (true, true) => "not exactly",
                (true, false) => "exactly",
                (false, true) => "not",
                (false, false) => "like",
            };
            write!(f, "{} {words} {}", humanize_key(key), values.join(" or "))
        }
        Filter::Range { min, max } => {
            let key = humanize_key(key);
            match (min, max) {
                (Some(min), Some(max)) if min == max => write!(f, "{key} {}", display_value(min)),
                (Some(min), Some(max)) => {
                    write!(f, "{key} {} to {}", display_value(min), display_value(max))
                }
                (Some(min), None) => write!(f, "{key} {} or more", display_value(min)),
                (None, Some(max)) => write!(f, "{key} {} or less", display_value(max)),
                (None, None) => write!(f, "{key} known"),
            }
        }
        Filter::Relation(inner) => {
            let (word, noun) = match key.split_once('_') {
                Some(("without", noun)) => ("no", noun),
                Some((_, noun)) => ("some", noun),
                None => ("some", key),
            };
            let with = if inner.is_empty() { "" } else { " with " };
            write!(
                f,
                "{word} {noun}{with}{}",
                inner.to_string().replace("; ", " and ")
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_terms_become_filter_json_and_a_sentence() {
        for (terms, expected, sentence) in [
            (
                vec!["city=Austin"],
                json!({"city": {"value": "Austin"}}),
                "city like Austin",
            ),
            (
                vec!["name==Harbor Yard"],
                json!({"name": {"value": "Harbor Yard", "exact_match": true}}),
                "name exactly Harbor Yard",
            ),
            (
                vec!["stage!=approved,permitted"],
                json!({"stage": {"value": ["approved", "permitted"], "exclude": true}}),
                "stage not approved or permitted",
            ),
            (
                vec!["name=Turner\\, Inc."],
                json!({"name": {"value": "Turner, Inc."}}),
                "name like Turner, Inc.",
            ),
            (
                vec!["stories>=5"],
                json!({"stories": {"min": 5}}),
                "stories 5 or more",
            ),
            (
                vec!["stories>=5", "stories<=9"],
                json!({"stories": {"min": 5, "max": 9}}),
                "stories 5 to 9",
            ),
            (
                vec!["stories=5..9"],
                json!({"stories": {"min": 5, "max": 9}}),
                "stories 5 to 9",
            ),
            (
                vec!["stories=5"],
                json!({"stories": {"min": 5, "max": 5}}),
                "stories 5",
            ),
            (
                vec!["cost_of_construction_usd>=1.5M"],
                json!({"cost_of_construction_usd": {"min": 1_500_000}}),
                "cost of construction 1500000 or more",
            ),
            (
                vec!["last_signal_at>=2026-01-01"],
                json!({"last_signal_at": {"min": "2026-01-01"}}),
                "last signal at 2026-01-01 or more",
            ),
            (
                vec!["stories_known=true"],
                json!({"stories_known": {"value": true}}),
                "stories known like true",
            ),
            (
                vec![
                    "city=Austin",
                    "has_account.role=developer",
                    "has_account.name=Turner",
                    "stories>=5",
                ],
                json!({"city": {"value": "Austin"}, "has_account": {"role": {"value": "developer"}, "name": {"value": "Turner"}}, "stories": {"min": 5}}),
                "city like Austin; some account with role like developer and name like Turner; stories 5 or more",
            ),
            (
                vec!["without_signal.filed_at>=2026-01-01"],
                json!({"without_signal": {"filed_at": {"min": "2026-01-01"}}}),
                "no signal with filed at 2026-01-01 or more",
            ),
            (
                vec!["tags=a", "tags=b"],
                json!({"tags": {"value": ["a", "b"]}}),
                "tags like a or b",
            ),
        ] {
            let filters = Filters::parse(&terms).unwrap();
            assert_eq!(
                (filters.to_json(), filters.to_string().as_str()),
                (expected, sentence),
                "{terms:?}"
            );
        }
    }

    #[test]
    fn a_line_round_trips() {
        for line in [
            "calder yard city=\"San Francisco\" tags=a,b",
            "name==\"Turner\\, Inc.\" stage!=approved",
            "stories=5..9 last_signal_at>=2026-01-01 without_account.role=gc",
            "name!==\"Turner \\\"Tower\\\"\" has_signal=* stories=* city!=Austin",
            "turner \\\"tower\\\" \"a=b\" name=\"Harbor Yard\"\\",
            "",
        ] {
            let (query, filters) = Filters::parse_line(line).unwrap();
            assert_eq!(filters.to_line(&query), line);
        }
        let (query, filters) = Filters::parse_line("  calder   stories>=5 ").unwrap();
        assert_eq!(
            (query.as_str(), filters.to_json()),
            ("calder", json!({"stories": {"min": 5}}))
        );
    }

    #[test]
    fn filter_json_round_trips() {
        let json = json!({
            "name": {"value": "Turner", "exact_match": true, "exclude": true}, "stage": {"value": ["approved", "permitted"]},
            "stories_known": {"value": false}, "stories": {}, "last_signal_at": {"min": "2026-01-01"},
            "without_account": {}, "has_account": {"role": {"value": "gc"}}, "tomorrow": {"max": 7.5},
        });
        assert_eq!(Filters::from_json(&json).unwrap().to_json(), json);
        for odd in [
            json!([]),
            json!({"city": "Austin"}),
            json!({"city": {"value": null}}),
            json!({"city": {"value": {}}}),
        ] {
            assert!(Filters::from_json(&odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn an_invalid_term_is_rejected_with_a_syntax_hint() {
        for (terms, words) in [
            (vec!["Austin"], "write it like city=Austin"),
            (vec!["city="], "write it like"),
            (vec!["city=,"], "write it like"),
            (vec!["city= =Austin"], "write it like"),
            (vec!["the city=Austin"], "write it like"),
            (vec![".x=1"], "write it like"),
            (vec!["cost>5M"], "lacks an equals sign; write cost>=5M"),
            (vec!["city!Austin"], "write it like"),
            (vec!["stories>=many"], "neither a number nor a date"),
            (vec!["stories!=5"], "cannot be negated"),
            (vec!["a.b.c=1"], "two relations"),
            (vec!["stories.city=Austin"], "not a relation"),
            (vec!["has_account.min=1"], "reserved word"),
            (vec!["city=Austin", "city!=Dallas"], "use each field once"),
            (vec!["stories>=5", "stories>=6"], "use each field once"),
            (vec!["stories_known=maybe"], "must be true or false"),
            (
                vec!["has_account=gc"],
                "has_account.name=gc or has_account=*",
            ),
        ] {
            let said = Filters::parse(&terms).unwrap_err();
            assert!(said.contains(words), "{said}");
        }
    }
}

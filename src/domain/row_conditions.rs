//! Conditions on loaded queue rows: `cost>=5M city=Austin days<=7 "child care" !account`.
//!
//! They are tested on this machine, so they cost nothing and may use what the service cannot filter
//! by; what is unknown about a row never matches, except an exclusion. Terms are separated by
//! spaces and must all match; `a,b` means either of two texts. A word on its own is looked for in
//! all texts of a row, the name of a field means that its value is known, and `!` excludes.
//!
//! Never here: the filters of the service ([`QueueFilter`](super::queue::QueueFilter)).

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use chrono::{NaiveDate, NaiveTime};

use super::field_kind::FieldKind;
use super::lenient::DateOrDateTime;
use super::quoting::{escape_alternatives, quote_text, split_alternatives, split_line};
use super::row_columns::{
    Origin, ROW_COLUMNS, RowColumn, RowFacts, RowValue, WordSearch, parse_column,
};

/// Conditions that must all match. Without any, every row matches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowConditions {
    terms: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq)]
struct Term {
    is_excluded: bool,
    test: Test,
}

#[derive(Clone, Debug, PartialEq)]
enum Test {
    /// Some text of the row contains these words.
    Contains(String),
    /// The field has a value.
    IsKnown(&'static RowColumn),
    /// The field compares like this with one of the values.
    Compare(&'static RowColumn, Operator, Vec<Operand>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    /// Contains the text.
    Like,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// Longer ones first, as they are looked for.
const OPERATORS: &[(&str, Operator)] = &[
    ("<=", Operator::AtMost),
    (">=", Operator::AtLeast),
    ("=", Operator::Equal),
    ("~", Operator::Like),
    ("<", Operator::Less),
    (">", Operator::Greater),
];

#[derive(Clone, Debug, PartialEq)]
enum Operand {
    Number(f64),
    Date(chrono::DateTime<chrono::Utc>),
    Text(String),
}

impl RowConditions {
    /// # Errors
    /// What is wrong with which term.
    pub fn parse(text: &str) -> Result<RowConditions, String> {
        let terms = join_operators(split_line(text))
            .into_iter()
            .map(|(term, is_quoted)| parse_term(&term, is_quoted));
        Ok(RowConditions {
            terms: terms.collect::<Result<_, _>>()?,
        })
    }

    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Adds the conditions of another set; a field that it compares replaces the same comparison
    /// here.
    pub fn add_conditions(mut self, more: RowConditions) -> RowConditions {
        let subject = |term: &Term| match &term.test {
            Test::Compare(field, operator, _) => Some((*field, *operator, term.is_excluded)),
            _ => None,
        };
        for term in more.terms {
            self.terms.retain(|known| {
                *known != term && (subject(known).is_none() || subject(known) != subject(&term))
            });
            self.terms.push(term);
        }
        self
    }

    /// That a field has one of these values.
    pub fn one_of(field: &'static RowColumn, values: Vec<String>) -> RowConditions {
        let values = values.into_iter().map(Operand::Text).collect();
        RowConditions::compare(field, vec![(Operator::Equal, values)])
    }

    /// That a number is at least the first and below the second, or is that number if they are the
    /// same.
    pub fn in_range(field: &'static RowColumn, from: f64, below: f64) -> RowConditions {
        let value = |number| vec![Operand::Number(number)];
        let terms = match from == below {
            true => vec![(Operator::Equal, value(from))],
            false => vec![
                (Operator::AtLeast, value(from)),
                (Operator::Less, value(below)),
            ],
        };
        RowConditions::compare(field, terms)
    }

    /// That a date is on the first day or later, and before the second.
    pub fn in_days(field: &'static RowColumn, from: NaiveDate, before: NaiveDate) -> RowConditions {
        let value = |day: NaiveDate| vec![Operand::Date(day.and_time(NaiveTime::MIN).and_utc())];
        let terms = vec![
            (Operator::AtLeast, value(from)),
            (Operator::Less, value(before)),
        ];
        RowConditions::compare(field, terms)
    }

    fn compare(field: &'static RowColumn, terms: Vec<(Operator, Vec<Operand>)>) -> RowConditions {
        let term = |(operator, values)| Term {
            is_excluded: false,
            test: Test::Compare(field, operator, values),
        };
        RowConditions {
            terms: terms.into_iter().map(term).collect(),
        }
    }

    /// That a field has no value.
    pub fn unknown(field: &'static RowColumn) -> RowConditions {
        RowConditions {
            terms: vec![Term {
                is_excluded: true,
                test: Test::IsKnown(field),
            }],
        }
    }

    /// The values of which a field must have one; `None` unless exactly one term says so.
    pub fn equal_values(&self, field: &str) -> Option<Vec<&str>> {
        let mut terms = self
            .terms
            .iter()
            .filter_map(|term| term.equal_values(field));
        terms.next().filter(|_| terms.next().is_none())
    }

    /// Without the terms of [`RowConditions::equal_values`].
    pub fn without_equal(mut self, field: &str) -> RowConditions {
        self.terms.retain(|term| term.equal_values(field).is_none());
        self
    }

    /// Whether they test what only the description of a signal tells.
    pub fn need_descriptions(&self) -> bool {
        self.terms.iter().any(|term| match &term.test {
            Test::Contains(_) => true,
            Test::IsKnown(field) | Test::Compare(field, ..) => field.origin == Origin::Description,
        })
    }

    /// The words that a word of conditions may become: fields with their usual operator; after an
    /// operator, the values of the field.
    pub fn complete_word(
        word: &str,
        values: impl Fn(&RowColumn) -> BTreeSet<String>,
    ) -> Vec<String> {
        let Some(at) = word.find(['=', '~']) else {
            let excluded = if word.starts_with('!') { "!" } else { "" };
            return ROW_COLUMNS
                .iter()
                .map(|field| format!("{excluded}{field}{}", usual_operator(field)))
                .collect();
        };
        let subject = &word[..=at];
        let field = parse_column(word[..at].trim_matches('!'));
        let quoted = |value: String| {
            if value.contains(char::is_whitespace) {
                quote_text(&value)
            } else {
                value
            }
        };
        field
            .into_iter()
            .flat_map(values)
            .map(|value| format!("{subject}{}", quoted(value)))
            .collect()
    }

    pub fn matches(&self, facts: &RowFacts<'_>) -> bool {
        self.terms
            .iter()
            .all(|term| term.test.matches(facts) != term.is_excluded)
    }
}

/// The operator that a condition on a field usually has.
fn usual_operator(field: &RowColumn) -> &'static str {
    match field.spec.kind {
        FieldKind::Days => "<=",
        kind if kind.descends() => ">=",
        _ if field.word_search == WordSearch::FreeText => "~",
        _ => "=",
    }
}

/// Joins what was typed with spaces around an operator: `cost >= 5M`.
fn join_operators(parts: Vec<(String, bool)>) -> Vec<(String, bool)> {
    let begins = |part: &str| {
        OPERATORS
            .iter()
            .any(|(sign, _)| part.starts_with(sign) || part.starts_with(&format!("!{sign}")))
    };
    let ends = |part: &str| OPERATORS.iter().any(|(sign, _)| part.ends_with(sign));
    let mut joined: Vec<(String, bool)> = Vec::new();
    for (part, is_quoted) in parts {
        match joined.last_mut() {
            Some((last, false)) if ends(last) || (!is_quoted && begins(&part)) => {
                last.push_str(&part)
            }
            _ => joined.push((part, is_quoted)),
        }
    }
    joined
}

fn parse_term(term: &str, is_quoted: bool) -> Result<Term, String> {
    let contains = |text: &str, is_excluded| Term {
        is_excluded,
        test: Test::Contains(text.to_lowercase()),
    };
    if is_quoted {
        return Ok(contains(term, false));
    }
    let at = OPERATORS
        .iter()
        .filter_map(|(sign, operator)| Some((term.find(sign)?, sign.len(), *operator)));
    // The first sign in the term; of two that begin there, the longer.
    let Some((at, len, operator)) = at.min_by_key(|(at, len, _)| (*at, usize::MAX - len)) else {
        let (is_excluded, word) = term
            .strip_prefix('!')
            .map_or((false, term), |word| (true, word));
        return match (parse_column(word), word) {
            (_, "") => Err("! needs a word that is excluded".to_owned()),
            (Ok(field), _) => Ok(Term {
                is_excluded,
                test: Test::IsKnown(field),
            }),
            (Err(_), word) => Ok(contains(word, is_excluded)),
        };
    };
    let (name, value) = (&term[..at], &term[at + len..]);
    let (is_excluded, name) = name
        .strip_suffix('!')
        .or(name.strip_prefix('!'))
        .map_or((false, name), |name| (true, name));
    let field = parse_column(name).map_err(|all| format!("{name} is not a field; {all}"))?;
    let parts = match field.spec.kind.is_numeric() && !value.is_empty() {
        // Commas separate thousands.
        true => vec![value.to_owned()],
        false => split_alternatives(value).collect(),
    };
    let values: Vec<Operand> = parts
        .iter()
        .map(|value| parse_operand(field, operator, value))
        .collect::<Result<_, _>>()?;
    if values.is_empty() {
        return Err(format!("{name} needs a value"));
    }
    Ok(Term {
        is_excluded,
        test: Test::Compare(field, operator, values),
    })
}

fn parse_operand(field: &RowColumn, operator: Operator, value: &str) -> Result<Operand, String> {
    match field.spec.kind {
        kind if kind.is_numeric() => {
            let example = if kind == FieldKind::Days { "14" } else { "5M" };
            parse_amount(value)
                .map(Operand::Number)
                .ok_or_else(|| format!("{field} needs a number like {example}, not {value}"))
        }
        FieldKind::Date => DateOrDateTime::from(value)
            .date_time()
            .map(Operand::Date)
            .ok_or_else(|| format!("{field} needs a date like 2026-07-02, not {value}")),
        _ if matches!(operator, Operator::Equal | Operator::Like) => {
            Ok(Operand::Text(value.to_owned()))
        }
        _ => Err(format!("{field} is a text: use = or ~")),
    }
}

/// A number as people write it: `5M`, `$250k`, `1,000`, `2.5m`, `7d`.
fn parse_amount(text: &str) -> Option<f64> {
    let text = text
        .trim()
        .trim_start_matches('$')
        .replace([',', '_'], "")
        .to_lowercase();
    let (digits, factor) = match text.as_bytes().last()? {
        b'k' => (&text[..text.len() - 1], 1e3),
        b'm' => (&text[..text.len() - 1], 1e6),
        b'b' => (&text[..text.len() - 1], 1e9),
        b'd' => (&text[..text.len() - 1], 1.0),
        _ => (text.as_str(), 1.0),
    };
    digits
        .parse::<f64>()
        .ok()
        .filter(|number| number.is_finite())
        .map(|number| number * factor)
}

/// A text in lowercase, with blanks for underscores: `permit_issued` is `Permit issued`.
fn folded(text: &str) -> String {
    text.replace('_', " ").to_lowercase()
}

impl Term {
    fn equal_values(&self, wanted: &str) -> Option<Vec<&str>> {
        match &self.test {
            Test::Compare(field, Operator::Equal, operands)
                if field.spec.key == wanted && !self.is_excluded =>
            {
                operands.iter().map(Operand::as_text).collect()
            }
            _ => None,
        }
    }
}

impl Test {
    fn matches(&self, facts: &RowFacts<'_>) -> bool {
        match self {
            Test::Contains(text) => ROW_COLUMNS
                .iter()
                .filter(|column| column.word_search != WordSearch::Never)
                .any(|column| {
                    let value = facts.value(column);
                    value
                        .as_ref()
                        .and_then(RowValue::as_text)
                        .is_some_and(|value| {
                            value.to_lowercase().contains(text) || folded(value).contains(text)
                        })
                }),
            Test::IsKnown(field) => facts.value(field).is_some(),
            Test::Compare(field, operator, operands) => facts.value(field).is_some_and(|value| {
                operands
                    .iter()
                    .any(|operand| operator.holds(&value, operand))
            }),
        }
    }
}

impl Operator {
    fn holds(self, value: &RowValue<'_>, operand: &Operand) -> bool {
        let order = match (value, operand) {
            (RowValue::Number(value), Operand::Number(operand)) => value.total_cmp(operand),
            (RowValue::Date(value), Operand::Date(operand)) => match self {
                // A date without a time means the whole day.
                Operator::Equal | Operator::Like => value.date_naive().cmp(&operand.date_naive()),
                _ => value.cmp(operand),
            },
            (RowValue::Text(value) | RowValue::Ranked(_, value), Operand::Text(operand)) => {
                return match self {
                    Operator::Like => folded(value).contains(&folded(operand)),
                    _ => folded(value) == folded(operand),
                };
            }
            _ => return false,
        };
        match self {
            Operator::Equal | Operator::Like => order.is_eq(),
            Operator::Less => order.is_lt(),
            Operator::AtMost => order.is_le(),
            Operator::Greater => order.is_gt(),
            Operator::AtLeast => order.is_ge(),
        }
    }
}

/// As [`RowConditions::parse`] reads it.
impl fmt::Display for RowConditions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, term) in self.terms.iter().enumerate() {
            f.write_str(if n > 0 { " " } else { "" })?;
            term.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let not = if self.is_excluded { "!" } else { "" };
        match &self.test {
            Test::Contains(text) if !self.is_excluded => f.write_str(&quote_text(text)),
            Test::Contains(text) => write!(f, "!{text}"),
            Test::IsKnown(field) => write!(f, "{not}{field}"),
            Test::Compare(field, operator, operands) => {
                let sign = OPERATORS
                    .iter()
                    .find(|(_, known)| known == operator)
                    .map_or("=", |(sign, _)| *sign);
                let values: Vec<Cow<'_, str>> = operands.iter().map(Operand::to_text).collect();
                let values = values.join(",");
                let values = if values.contains(char::is_whitespace) {
                    quote_text(&values)
                } else {
                    values
                };
                write!(f, "{field}{not}{sign}{values}")
            }
        }
    }
}

impl Operand {
    fn as_text(&self) -> Option<&str> {
        if let Operand::Text(text) = self {
            Some(text)
        } else {
            None
        }
    }

    fn to_text(&self) -> Cow<'_, str> {
        match self {
            Operand::Text(text) => escape_alternatives(text).into(),
            Operand::Date(at) => at.format("%Y-%m-%d").to_string().into(),
            Operand::Number(number) => {
                let units = [(1e9, "B"), (1e6, "M"), (1e3, "k")];
                let unit = units
                    .into_iter()
                    .find(|(unit, _)| *number >= *unit && (number / unit * 100.0).fract() == 0.0);
                unit.map_or_else(
                    || number.to_string(),
                    |(unit, sign)| format!("{}{sign}", number / unit),
                )
                .into()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::queue::QueueSignal;

    fn test_row() -> QueueSignal {
        serde_json::from_value(json!({
            "id": "018f4d3a-0000-7000-8000-000000000001", "signal_type": "permit_issued", "project_name": "Residences at Juniper",
            "project_primary_address": "415 Mission St", "filed_at": "2026-07-02", "reported_cost_usd": 7_500_000, "priority": "high",
        }))
        .unwrap()
    }

    fn is_match(conditions: &str) -> bool {
        let row = test_row();
        let today = NaiveDate::from_ymd_opt(2026, 9, 25);
        let facts = RowFacts {
            description: Some("New child care center"),
            city: Some("Austin"),
            is_city_certain: true,
            ..RowFacts::of_row(&row, today)
        };
        RowConditions::parse(conditions).unwrap().matches(&facts)
    }

    #[test]
    fn conditions_test_what_is_known_about_a_row() {
        for conditions in [
            "",
            "cost>=5M",
            "cost > $7,400k",
            "cost=7.5m",
            "days<=7",
            "days = 5",
            "city=austin",
            "city=Dallas,Austin",
            "type=permit_issued",
            "type=\"permit issued\"",
            "description~child",
            "\"child care\"",
            "mission juniper",
            "filed>=2026-07-01 filed=2026-07-02",
            "!account",
            "city!=Dallas",
            "!crane",
            "priority=high,medium cost>1M",
        ] {
            assert!(is_match(conditions), "{conditions}");
        }
        for conditions in [
            "cost<5M",
            "city=Aus",
            "account",
            "tier=tier_1",
            "area>0",
            "crane",
            "!mission",
            "!city",
            "days>5",
            "filed<2026-07-01",
        ] {
            assert!(!is_match(conditions), "{conditions}");
        }
    }

    #[test]
    fn conditions_are_written_as_they_are_read() {
        for text in [
            "cost>=5M city=Austin",
            "days<=7 !account",
            "type=\"permit issued\"",
            "city!=Dallas,Austin",
            "\"child care\"",
            "!crane tier",
        ] {
            assert_eq!(RowConditions::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(
            RowConditions::parse("cost > $2,500k").unwrap().to_string(),
            "cost>2.5M"
        );
        assert_eq!(
            RowConditions::parse("filed>2026-07-02")
                .unwrap()
                .to_string(),
            "filed>2026-07-02"
        );
    }

    #[test]
    fn a_wrong_condition_is_named() {
        let error = |text| RowConditions::parse(text).unwrap_err();
        assert!(error("size>5").starts_with("size is not a field; the fields are days, cost"));
        assert_eq!(error("cost>much"), "cost needs a number like 5M, not much");
        assert_eq!(
            error("filed>soon"),
            "filed needs a date like 2026-07-02, not soon"
        );
        assert_eq!(error("city>Austin"), "city is a text: use = or ~");
        assert_eq!(error("cost>="), "cost needs a value");
        assert_eq!(error("!"), "! needs a word that is excluded");
    }

    #[test]
    fn adding_a_condition_replaces_the_same_comparison() {
        let conditions = |text| RowConditions::parse(text).unwrap();
        assert_eq!(
            conditions("cost>=5M crane").add_conditions(conditions("cost>=9M city=Austin")),
            conditions("crane cost>=9M city=Austin")
        );
    }
}

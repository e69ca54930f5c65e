//! Numbers, dates and bounds as people write them.

use chrono::NaiveDate;
use serde_json::{Value, json};

use crate::domain::vocabulary::ValueKind;

use super::types::ANY_VALUE;

/// Numbers that are always whole, of which the next one is known.
const WHOLE_NUMBERS: &[&str] = &["stories", "residential_units", "atlas_score", "days"];

/// A number or a date, whichever the key takes; while that is not known, either.
///
/// # Errors
/// What is needed instead, in words that follow the name of the field.
pub(super) fn read_bound(key: &str, kind: Option<&ValueKind>, text: &str) -> Result<Value, String> {
    let text = text.trim();
    let date = is_iso_date(text).then(|| text.into());
    date.or_else(|| read_number(text))
        .ok_or_else(|| match kind {
            Some(kind) => format!("needs {}, not {text}", expected_value(key, kind)),
            None => format!("needs a number like 5M or a date like 2026-07-02, not {text}"),
        })
}

/// What a value of this kind looks like.
pub(super) fn expected_value(key: &str, kind: &ValueKind) -> &'static str {
    match kind {
        ValueKind::Number if WHOLE_NUMBERS.contains(&key) => "a number like 14",
        ValueKind::Number => "a number like 5M",
        ValueKind::Date => "a date like 2026-07-02",
        ValueKind::Boolean => "true or false",
        ValueKind::Uuid => "the id of a record",
        _ => "a text",
    }
}

/// Both bounds of `5..9`, `5..`, `..9`, `>5..<9`, `>=5`, `<9`, `5`, or `*` for none.
///
/// # Errors
/// As [`read_bound`].
pub(super) fn read_range(
    key: &str,
    kind: Option<&ValueKind>,
    text: &str,
) -> Result<(Option<Value>, Option<Value>), String> {
    let side = |text: &str, is_min: bool| {
        let text = text.trim();
        let signs = if is_min { [">=", ">"] } else { ["<=", "<"] };
        let inclusive = text.strip_prefix(signs[0]);
        let exclusive = text.strip_prefix(signs[1]);
        match (inclusive, exclusive) {
            _ if text.is_empty() => Ok(None),
            (Some(text), _) => read_bound(key, kind, text).map(Some),
            (None, Some(text)) => {
                let bound = read_bound(key, kind, text)?;
                Ok(Some(strict_bound(&bound, key, is_min)))
            }
            (None, None) => read_bound(key, kind, text).map(Some),
        }
    };
    match (text.trim(), text.split_once("..")) {
        (ANY_VALUE | "", _) => Ok((None, None)),
        (_, Some((from, to))) => Ok((side(from, true)?, side(to, false)?)),
        (text, None) if text.starts_with('>') => Ok((side(text, true)?, None)),
        (text, None) if text.starts_with('<') => Ok((None, side(text, false)?)),
        (text, None) => Ok((side(text, true)?, side(text, false)?)),
    }
}

/// Whether nothing is between two bounds.
pub(super) fn is_above(min: Option<&Value>, max: Option<&Value>) -> bool {
    match (min, max) {
        (Some(Value::Number(min)), Some(Value::Number(max))) => min.as_f64() > max.as_f64(),
        // Days in order of time are in order of text.
        (Some(Value::String(min)), Some(Value::String(max))) => min > max,
        _ => false,
    }
}

/// The inclusive bound that says the same as an exclusive one: the next day, the next whole number
/// or the next number there is.
pub fn strict_bound(bound: &Value, key: &str, is_min: bool) -> Value {
    if let Some(day) = bound.as_str().and_then(|day| day.parse::<NaiveDate>().ok()) {
        let next = if is_min {
            day.succ_opt()
        } else {
            day.pred_opt()
        };
        return next.map_or_else(|| bound.clone(), |day| day.to_string().into());
    }
    match (bound.as_i64(), bound.as_f64()) {
        (Some(whole), _) if WHOLE_NUMBERS.contains(&key) => {
            whole.saturating_add(if is_min { 1 } else { -1 }).into()
        }
        (_, Some(number)) if is_min => json!(number.next_up()),
        (_, Some(number)) => json!(number.next_down()),
        _ => bound.clone(),
    }
}

/// The number that a bound excludes, if it is the number next to a round one: more than 5M, less
/// than 2.5.
pub fn exclusive_bound(bound: &Value, is_min: bool) -> Option<Value> {
    let number = bound
        .as_f64()
        .filter(|_| !bound.is_i64() && !bound.is_u64())?;
    let next = match is_min {
        true => number.next_down(),
        false => number.next_up(),
    };
    (next.to_string().len() + 4 < number.to_string().len()).then(|| number_value(next))
}

pub(super) fn read_boolean(text: &str) -> Option<Value> {
    match text {
        "true" | "yes" => Some(true.into()),
        "false" | "no" => Some(false.into()),
        _ => None,
    }
}

/// `YYYY-MM-DD` and a valid date.
pub(super) fn is_iso_date(text: &str) -> bool {
    text.len() == 10 && text.parse::<NaiveDate>().is_ok()
}

/// A number as people write it: `5M`, `$250k`, `1,000`, `5_000`, `2.5m`, `7d`.
fn read_number(text: &str) -> Option<Value> {
    let text = text.trim_start_matches('$').to_lowercase();
    let units = [("k", 3), ("m", 6), ("b", 9), ("d", 0)];
    let unit = units
        .into_iter()
        .find_map(|(unit, zeros)| Some((text.strip_suffix(unit)?, zeros)));
    let (digits, zeros) = unit.unwrap_or((&text, 0));
    let digits = without_separators(digits.trim())?;
    let whole: Option<i64> = digits.parse().ok();
    if let Some(number) = whole.and_then(|number| number.checked_mul(10_i64.pow(zeros))) {
        return Some(number.into());
    }
    // Shifted as a text, which is exact: 1.13M is 1130000.
    let number: f64 = match zeros {
        0 => digits.parse().ok()?,
        zeros => format!("{digits}e{zeros}").parse().ok()?,
    };
    number.is_finite().then(|| number_value(number))
}

/// The digits without underscores, and without commas between thousands; `None` if a comma is
/// elsewhere.
fn without_separators(digits: &str) -> Option<String> {
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    let mut others = groups.peekable();
    let is_first_right = others.peek().is_none() || (1..=4).contains(&first.len());
    (is_first_right && others.all(|group| group.len() == 3) && !fraction.contains(','))
        .then(|| digits.replace([',', '_'], ""))
}

/// A number of JSON, whole if it is.
pub fn number_value(number: f64) -> Value {
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

/// A number as short as it can be written exactly: `5M`, `2.5k`.
pub(super) fn format_number(number: &Value) -> String {
    let short = |number: f64| {
        let units = [(1e9, "B"), (1e6, "M"), (1e3, "k")];
        units
            .into_iter()
            .find(|(unit, _)| number.abs() >= *unit && (number / unit * 100.0).fract() == 0.0)
            .map(|(unit, sign)| format!("{}{sign}", number / unit))
    };
    let text = number.as_f64().and_then(short);
    text.filter(|text| read_number(text).as_ref() == Some(number))
        .unwrap_or_else(|| number.to_string())
}

/// A value without the quotes of JSON.
pub(in crate::domain) fn display_value(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

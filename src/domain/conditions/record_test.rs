//! Tests conditions on records that were already read, where the result is certain to be the
//! service's (interface: Filter grammar, book searches).
//!
//! Words of an enum, exact texts, tags, numbers and dates are certain. Similar texts and relations
//! are not, nor are fields that a row does not have; there the service has to be asked.

use std::cmp::Ordering;

use serde_json::Value;

use crate::domain::lenient::DateOrDateTime;
use crate::domain::records::Record;
use crate::domain::row_columns::RowValue;
use crate::domain::vocabulary::ValueKind;

use super::{Conditions, Test, TestMatcher};

/// The conditions that rows which match `wider` still have to be tested for; `None` if rows of the
/// narrower search may be missing among them.
pub fn remaining_conditions<'a>(
    wider: &Conditions,
    narrower: &'a Conditions,
) -> Option<Vec<&'a (String, Test)>> {
    let narrower = narrower.criteria();
    let same_key = |key: &str| narrower.iter().find(|(known, _)| known == key);
    let is_wider = wider
        .criteria()
        .iter()
        .all(|(key, test)| same_key(key).is_some_and(|(_, narrow)| implies(narrow, test)));
    is_wider.then(|| {
        narrower
            .iter()
            .filter(|condition| !wider.criteria().contains(condition))
            .collect()
    })
}

/// Whether every record that matches the one also matches the other.
fn implies(narrower: &Test, wider: &Test) -> bool {
    match (narrower, wider) {
        (one, other) if one == other => true,
        (
            Test::Values {
                values,
                exact,
                exclude: false,
            },
            Test::Values {
                values: all,
                exact: is_exact,
                exclude: false,
            },
        ) => exact == is_exact && values.iter().all(|value| all.contains(value)),
        (
            Test::Range {
                min,
                max,
                exclude: false,
            },
            Test::Range {
                min: least,
                max: most,
                exclude: false,
            },
        ) => {
            let order = |bound: &Option<Value>, outer: &Value| {
                bound
                    .as_ref()
                    .and_then(|bound| compare_bounds(bound, outer))
            };
            let is_above = |least: &Value| order(min, least).is_some_and(Ordering::is_ge);
            let is_below = |most: &Value| order(max, most).is_some_and(Ordering::is_le);
            least.as_ref().is_none_or(is_above) && most.as_ref().is_none_or(is_below)
        }
        _ => false,
    }
}

/// Two numbers, or two dates.
fn compare_bounds(one: &Value, other: &Value) -> Option<Ordering> {
    match (one, other) {
        (Value::String(one), Value::String(other)) => Some(one.cmp(other)),
        _ => one.as_f64()?.partial_cmp(&other.as_f64()?),
    }
}

/// The field of a row that a key tests, and how; `None` if that is not certain.
fn tested_field<'a>(key: &'a str, test: &Test) -> Option<(&'a str, ValueKind)> {
    match (key, test) {
        (_, Test::Related(_)) => None,
        (_, Test::Range { .. }) => Some((key, ValueKind::Number)),
        ("account_type", _) => Some(("account_types", ValueKind::Enum)),
        (
            "stage" | "primary_use" | "gc_status" | "icp_tier" | "signal_type" | "tags"
            | "workspace_status" | "state" | "account_id" | "project_id",
            _,
        ) => Some((key, ValueKind::Enum)),
        ("name" | "city" | "title" | "email", Test::Values { exact: true, .. }) => {
            Some((key, ValueKind::Text))
        }
        _ => None,
    }
}

/// Whether a row matches a condition; `None` if only the service can tell.
pub fn matches_condition(row: &Record, key: &str, test: &Test) -> Option<bool> {
    if let (
        "stories_known",
        Test::Values {
            values, exclude, ..
        },
    ) = (key, test)
    {
        let is_known = !row.field("stories")?.is_null();
        return Some(values.contains(&Value::Bool(is_known)) != *exclude);
    }
    let (field, kind) = tested_field(key, test)?;
    let found = match row.field(field)? {
        // Whether a service counts a missing value as another one is not specified.
        Value::Null if test.is_excluded() => return None,
        Value::Null => return Some(false),
        Value::Array(items) => items,
        value => vec![value],
    };
    let matcher = TestMatcher::new(test, &kind);
    let matched: Vec<bool> = found
        .iter()
        .map(|value| matcher.matches(&row_value(value, test)?))
        .collect::<Option<_>>()?;
    let is_match = match test.is_excluded() {
        true => matched.iter().all(|is_match| *is_match),
        false => matched.contains(&true),
    };
    // Where a word differs only in its case, services may disagree.
    let is_certain = match test {
        Test::Values { values, .. } if kind == ValueKind::Enum => {
            (is_match != test.is_excluded()) == found.iter().any(|value| values.contains(value))
        }
        _ => true,
    };
    is_certain.then_some(is_match)
}

/// A value as a test of words or of bounds takes it.
fn row_value<'a>(value: &'a Value, test: &Test) -> Option<RowValue<'a>> {
    match (value, test) {
        (Value::Number(number), _) => Some(RowValue::Number(number.as_f64()?)),
        (Value::String(text), Test::Range { .. }) => Some(RowValue::Date(
            DateOrDateTime::from(text.as_str()).date_time()?,
        )),
        (Value::String(text), _) => Some(RowValue::Text(text.as_str().into())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn row() -> Record {
        serde_json::from_value(json!({
            "id": "018f4d3a-0000-7000-8000-000000000001", "name": "Calder Yard", "stage": "permitted", "city": "Austin", "state": "TX",
            "tags": ["bid", "Hotel"], "account_types": ["architect", "engineer"], "workspace_status": "to call", "stories": 12,
            "residential_units": null, "cost_of_construction_usd": 12_500_000.0, "last_signal_at": "2026-07-02T23:30:00Z", "gc_status": null,
        }))
        .expect("a record")
    }

    fn matches(term: &str) -> Option<bool> {
        let filters = Conditions::parse([term]).expect("a filter");
        let [(key, filter)] = filters.criteria() else {
            panic!("one criterion")
        };
        matches_condition(&row(), key, filter)
    }

    #[test]
    fn certain_criteria_are_tested_as_the_service_would() {
        for (term, expected) in [
            ("stage=permitted,approved", true),
            ("stage=approved", false),
            ("stage!=approved", true),
            ("stage!=permitted", false),
            ("account_type=engineer", true),
            ("account_type!=engineer", false),
            ("tags=bid", true),
            ("tags=steel", false),
            ("workspace_status=to call", true),
            ("city==austin", true),
            ("city==Dallas", false),
            ("city!==Dallas", true),
            ("name==Calder", false),
            ("state=TX", true),
            ("stories>=12", true),
            ("stories=13..20", false),
            ("stories=*", true),
            ("stories_known=yes", true),
            ("stories_known=no", false),
            ("cost_of_construction_usd=10M..20M", true),
            ("residential_units>=1", false),
            ("residential_units=*", false),
            ("gc_status=unknown", false),
            ("last_signal_at=2026-07-02", true),
            ("last_signal_at>=2026-07-03", false),
        ] {
            assert_eq!(matches(term), Some(expected), "{term}");
        }
    }

    #[test]
    fn what_is_not_certain_is_left_to_the_service() {
        for term in [
            "city=Austin",
            "name=calder",
            "has_account.role=gc",
            "without_account.role=gc",
            "icp_tier=tier_1",
            "gross_floor_area_sf>=1",
            "gc_status!=unknown",
            "tags=hotel",
            "state=tx",
            "stories>=2026-07-01",
            "unheard_of=1",
        ] {
            assert_eq!(matches(term), None, "{term}");
        }
    }

    #[test]
    fn only_a_wider_search_has_all_rows_of_a_narrower_one() {
        let remaining = |wider: &[&str], narrower: &[&str]| {
            let [wider, narrower] =
                [wider, narrower].map(|terms| Conditions::parse(terms).expect("filters"));
            remaining_conditions(&wider, &narrower).map(|criteria| {
                criteria
                    .iter()
                    .map(|(key, _)| key.clone())
                    .collect::<Vec<_>>()
            })
        };
        let some =
            |keys: &[&str]| Some(keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>());
        assert_eq!(
            remaining(&[], &["stage=approved", "city=Austin"]),
            some(&["stage", "city"])
        );
        assert_eq!(
            remaining(&["city=Austin"], &["city=Austin", "stories>=5"]),
            some(&["stories"]),
            "a fuzzy condition stays as it is"
        );
        assert_eq!(
            remaining(&["stories>=5"], &["stories=6..9"]),
            some(&["stories"])
        );
        assert_eq!(
            remaining(&["stage=approved,permitted"], &["stage=approved"]),
            some(&["stage"])
        );
        assert_eq!(remaining(&["stories>=5"], &["stories>=4"]), None);
        assert_eq!(remaining(&["stories=5..9"], &["stories>=5"]), None);
        assert_eq!(remaining(&["city=Austin"], &[]), None);
        assert_eq!(
            remaining(&["stage!=approved"], &["stage!=approved,permitted"]),
            None
        );
        assert_eq!(
            remaining(
                &["last_signal_at>=2026-07-01"],
                &["last_signal_at>=2026-07-02"]
            ),
            some(&["last_signal_at"])
        );
    }
}

//! Tests filters on rows that were already read, where the result is certain to be the service's
//! (interface: Filter grammar, book searches).
//!
//! Words of an enum, exact texts, tags, numbers and dates are certain. Fuzzy texts and relations
//! are not, nor are fields that a row does not have; there the service has to be asked.

use serde_json::Value;

use super::filters::{Filter, Filters};
use super::lenient::DateOrDateTime;
use super::records::Record;

/// The criteria that rows which match `wider` still have to be tested for; `None` if rows of the
/// narrower search may be missing among them.
pub fn remaining_criteria<'a>(
    wider: &Filters,
    narrower: &'a Filters,
) -> Option<Vec<&'a (String, Filter)>> {
    let same_key = |key: &str| {
        narrower
            .criteria()
            .iter()
            .find(|(known, _)| known == key)
            .map(|(_, filter)| filter)
    };
    let is_wider = wider
        .criteria()
        .iter()
        .all(|(key, filter)| same_key(key).is_some_and(|narrow| implies(narrow, filter)));
    is_wider.then(|| {
        narrower
            .criteria()
            .iter()
            .filter(|criterion| !wider.criteria().contains(criterion))
            .collect()
    })
}

/// Whether every record that matches the one also matches the other.
fn implies(narrower: &Filter, wider: &Filter) -> bool {
    if narrower == wider {
        return true;
    }
    match (narrower, wider) {
        (
            Filter::Field {
                values,
                exact,
                exclude: false,
            },
            Filter::Field {
                values: all,
                exact: is_exact,
                exclude: false,
            },
        ) => exact == is_exact && values.iter().all(|value| all.contains(value)),
        (
            Filter::Range { min, max },
            Filter::Range {
                min: least,
                max: most,
            },
        ) => {
            let is_within =
                |bound: &Option<Value>, outer: &Option<Value>, is_lower: bool| match (bound, outer)
                {
                    (_, None) => true,
                    (None, Some(_)) => false,
                    (Some(bound), Some(outer)) => {
                        compare_bounds(bound, outer).is_some_and(|order| {
                            if is_lower {
                                order.is_ge()
                            } else {
                                order.is_le()
                            }
                        })
                    }
                };
            is_within(min, least, true) && is_within(max, most, false)
        }
        _ => false,
    }
}

/// Two numbers, or two dates.
fn compare_bounds(one: &Value, other: &Value) -> Option<std::cmp::Ordering> {
    match (one, other) {
        (Value::String(one), Value::String(other)) => Some(one.cmp(other)),
        _ => one.as_f64()?.partial_cmp(&other.as_f64()?),
    }
}

/// How the values of a field are compared.
enum Comparison {
    /// As written. Where only the case differs, services may disagree.
    AsWritten,
    IgnoringCase,
}

/// The field of a row that a key tests, and how; `None` if that is not certain.
fn tested_field(key: &str, is_exact: bool) -> Option<(&str, Comparison)> {
    match key {
        "account_type" => Some(("account_types", Comparison::AsWritten)),
        "stage" | "primary_use" | "gc_status" | "icp_tier" | "signal_type" | "tags"
        | "workspace_status" | "state" | "account_id" | "project_id" => {
            Some((key, Comparison::AsWritten))
        }
        "name" | "city" | "title" | "email" if is_exact => Some((key, Comparison::IgnoringCase)),
        _ => None,
    }
}

/// Whether a row matches a criterion; `None` if only the service can tell.
pub fn matches_criterion(row: &Record, key: &str, filter: &Filter) -> Option<bool> {
    match filter {
        Filter::Relation(_) => None,
        Filter::Range { min, max } => {
            let value = row.field(key)?;
            if value.is_null() {
                return Some(false);
            }
            let is_lower_met = min.as_ref().map_or(Some(true), |min| {
                Some(compare_to_bound(&value, min)?.is_ge())
            })?;
            let is_upper_met = max.as_ref().map_or(Some(true), |max| {
                Some(compare_to_bound(&value, max)?.is_le())
            })?;
            Some(is_lower_met && is_upper_met)
        }
        Filter::Field {
            values, exclude, ..
        } if key == "stories_known" => {
            let is_known = !row.field("stories")?.is_null();
            Some(values.contains(&Value::Bool(is_known)) != *exclude)
        }
        Filter::Field {
            values,
            exact,
            exclude,
        } => {
            let (field, comparison) = tested_field(key, *exact)?;
            let found = match row.field(field)? {
                // Whether a service counts a missing value as another one is not specified.
                Value::Null if *exclude => return None,
                Value::Null => return Some(false),
                Value::Array(items) => items,
                value => vec![value],
            };
            Some(has_any(&found, values, &comparison)? != *exclude)
        }
    }
}

fn has_any(found: &[Value], wanted: &[Value], comparison: &Comparison) -> Option<bool> {
    let mut is_unclear = false;
    for (found, wanted) in found
        .iter()
        .flat_map(|found| wanted.iter().map(move |wanted| (found, wanted)))
    {
        let (found, wanted) = (found.as_str()?, wanted.as_str()?);
        let is_same = found == wanted;
        let is_similar = || found.to_lowercase() == wanted.to_lowercase();
        match comparison {
            _ if is_same => return Some(true),
            Comparison::IgnoringCase if is_similar() => return Some(true),
            Comparison::AsWritten if is_similar() => is_unclear = true,
            _ => {}
        }
    }
    (!is_unclear).then_some(false)
}

/// A number against a number, or the day of a time in UTC against a date.
fn compare_to_bound(value: &Value, bound: &Value) -> Option<std::cmp::Ordering> {
    match (value, bound) {
        (Value::Number(value), Value::Number(bound)) => {
            value.as_f64()?.partial_cmp(&bound.as_f64()?)
        }
        (Value::String(value), Value::String(bound)) => Some(
            DateOrDateTime::from(value.as_str())
                .date()?
                .cmp(&bound.parse::<chrono::NaiveDate>().ok()?),
        ),
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
        let filters = Filters::parse([term]).expect("a filter");
        let [(key, filter)] = filters.criteria() else {
            panic!("one criterion")
        };
        matches_criterion(&row(), key, filter)
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
                [wider, narrower].map(|terms| Filters::parse(terms).expect("filters"));
            remaining_criteria(&wider, &narrower).map(|criteria| {
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

//! What conditions are.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Keys that take a range, so that `stories=5` means from 5 to 5. Any other key takes values.
pub(super) const RANGE_KEYS: &[&str] = &[
    "stories",
    "residential_units",
    "gross_floor_area_sf",
    "cost_of_construction_usd",
    "last_signal_at",
    "filed_at",
    "discovered_at",
    "atlas_score",
    "days",
    "when",
];

/// The value of a condition that only asks whether there is one.
pub(super) const ANY_VALUE: &str = "*";

/// Conditions that must all hold, in the order given. In a search each key occurs once. The
/// serialized form is for this machine only and includes order and incomplete conditions; the
/// interface's form is [`Conditions::to_json`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conditions(pub(super) Vec<(String, Test)>);

/// What a condition says about the value of its field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Test {
    /// It is any of these.
    #[serde(rename = "field")]
    Values {
        /// Texts; a boolean for `stories_known`.
        values: Vec<Value>,
        /// The whole text, in any case; otherwise a similar text is enough.
        exact: bool,
        /// It is none of them.
        exclude: bool,
    },
    /// It is within both bounds; without any, it is known.
    Range {
        /// Lower bound, inclusive.
        min: Option<Value>,
        /// Upper bound, inclusive.
        max: Option<Value>,
        /// It is not, or not known.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        exclude: bool,
    },
    /// A related record meets all of these.
    #[serde(rename = "relation")]
    Related(Conditions),
}

impl Conditions {
    /// One condition.
    pub fn single(key: &str, test: Test) -> Conditions {
        Conditions(vec![(key.to_owned(), test)])
    }

    pub fn criteria(&self) -> &[(String, Test)] {
        &self.0
    }

    /// The conditions, for a builder of a search, which must keep keys unique: a duplicate key
    /// would overwrite the first.
    pub fn criteria_mut(&mut self) -> &mut Vec<(String, Test)> {
        &mut self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The values of which a field must have one, or be similar to; `None` unless exactly one
    /// condition says so.
    pub fn values_of(&self, key: &str) -> Option<Vec<&str>> {
        let mut values = self
            .0
            .iter()
            .filter_map(|condition| required_values(condition, key));
        values.next().filter(|_| values.next().is_none())
    }

    /// Removes the conditions of [`Conditions::values_of`].
    pub fn remove_values_of(&mut self, key: &str) {
        self.0
            .retain(|condition| required_values(condition, key).is_none());
    }

    /// Adds a condition; it is joined with one of the same key where both say one thing. Returns
    /// whether another condition on the field stays beside it.
    pub(super) fn add(&mut self, key: &str, test: Test) -> bool {
        let (mut left, mut is_repeated) = (Some(test), false);
        for (_, known) in self.0.iter_mut().filter(|(known, _)| known == key) {
            left = match (known, left) {
                (Test::Related(inner), Some(Test::Related(more))) => {
                    for (key, test) in more.0 {
                        is_repeated |= inner.add(&key, test);
                    }
                    None
                }
                (known, left) => left.and_then(|test| known.join(test)),
            };
            is_repeated |= left.is_some();
        }
        self.0.extend(left.map(|test| (key.to_owned(), test)));
        is_repeated
    }
}

fn required_values<'a>((key, test): &'a (String, Test), wanted: &str) -> Option<Vec<&'a str>> {
    match test {
        Test::Values {
            values,
            exact: false,
            exclude: false,
        } if key == wanted => values.iter().map(Value::as_str).collect(),
        _ => None,
    }
}

impl Test {
    /// A value that is known, whatever it is.
    pub const KNOWN: Test = Test::Range {
        min: None,
        max: None,
        exclude: false,
    };

    /// A value that is not known.
    pub const UNKNOWN: Test = Test::Range {
        min: None,
        max: None,
        exclude: true,
    };

    pub fn is_excluded(&self) -> bool {
        matches!(
            self,
            Test::Values { exclude: true, .. } | Test::Range { exclude: true, .. }
        )
    }

    pub(super) fn is_same_kind(&self, other: &Test) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
            && self.is_excluded() == other.is_excluded()
    }

    /// The same range, with the bounds of an older one where it has none; any other test as it is.
    pub(super) fn or_bounds_of(self, older: Test) -> Test {
        match (self, older) {
            (
                Test::Range { min, max, exclude },
                Test::Range {
                    min: least,
                    max: most,
                    ..
                },
            ) if min.is_some() || max.is_some() => Test::Range {
                min: min.or(least),
                max: max.or(most),
                exclude,
            },
            (test, _) => test,
        }
    }

    /// Joins another test of the same field into this one; returns it if there is no such test.
    fn join(&mut self, more: Test) -> Option<Test> {
        match (self, more) {
            (
                Test::Values {
                    values,
                    exact,
                    exclude,
                },
                Test::Values {
                    values: more,
                    exact: is_exact,
                    exclude: is_excluded,
                },
            ) if (*exact, *exclude) == (is_exact, is_excluded) => {
                values.extend(more);
                None
            }
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
            ) if !(min.is_some() && least.is_some() || max.is_some() && most.is_some()) => {
                *min = min.take().or(least);
                *max = max.take().or(most);
                None
            }
            (_, more) => Some(more),
        }
    }
}

/// The text with its first letter in upper case.
pub fn capitalize(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

/// `a, b or c`.
pub fn join_with_or(words: &[String]) -> String {
    match words {
        [rest @ .., last] if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        words => words.concat(),
    }
}

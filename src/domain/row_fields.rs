//! The fields of a queue row by name: what rows are sorted by, and what conditions on loaded rows
//! test.
//!
//! A row alone does not carry all of them: what is being built, its city and the team's accounts
//! come from other reads, and are unknown until then.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use chrono::{DateTime, NaiveDate, Utc};

use super::person::Person;
use super::queue::{Priority, QueueSignal};

/// Declares the fields: their name as typed, their title, and whether their largest or newest
/// values come first by default.
macro_rules! row_fields {
    ($($(#[$doc:meta])* $field:ident: $name:literal, $title:literal, $descends:literal;)+) => {
        /// A field of a queue row.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum RowField {
            $($(#[$doc])* $field,)+
        }

        impl RowField {
            /// The most useful ones first.
            pub const ALL: &[RowField] = &[$(RowField::$field),+];

            /// The name in conditions and options.
            pub fn name(self) -> &'static str {
                match self {
                    $(RowField::$field => $name,)+
                }
            }

            /// The name shown to users.
            pub fn title(self) -> &'static str {
                match self {
                    $(RowField::$field => $title,)+
                }
            }

            /// Whether a sort begins with its largest or newest values, by default.
            pub fn descends(self) -> bool {
                match self {
                    $(RowField::$field => $descends,)+
                }
            }
        }
    };
}

row_fields! {
    /// Days until the signal drops off the queue.
    DaysLeft: "days", "days left", false;
    /// As reported by the filing, in US dollars.
    Cost: "cost", "cost", true;
    Priority: "priority", "priority", false;
    Type: "type", "type", false;
    /// What is being built.
    Description: "description", "description", false;
    Project: "project", "project", false;
    Address: "address", "address", false;
    City: "city", "city", false;
    Source: "source", "source", false;
    /// The number of the filing at its source.
    Filing: "filing", "filing", false;
    /// As reported by the filing, in square feet.
    Area: "area", "area", true;
    Filed: "filed", "filed", true;
    Discovered: "found", "found", true;
    /// An account or a contact of the book that the project involves.
    Account: "account", "account", false;
    Tier: "tier", "account's tier", false;
    TriagedBy: "who", "who marked it done", false;
    TriagedAt: "when", "when it was done", true;
}

impl RowField {
    /// The field with this name or title.
    pub fn parse(name: &str) -> Option<RowField> {
        let name = name.trim().to_lowercase();
        RowField::ALL
            .iter()
            .copied()
            .find(|field| field.name() == name || field.title() == name)
    }
}

impl fmt::Display for RowField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum RowValue<'a> {
    Number(f64),
    Date(DateTime<Utc>),
    Text(Cow<'a, str>),
    /// A word with a place of its own in the order.
    Ranked(u8, Cow<'a, str>),
}

impl<'a> RowValue<'a> {
    /// A text, unless it is missing or empty.
    pub fn text(text: Option<&'a str>) -> Option<RowValue<'a>> {
        text.filter(|text| !text.is_empty())
            .map(|text| RowValue::Text(text.into()))
    }

    #[expect(clippy::cast_precision_loss, reason = "counts that people read fit")]
    pub fn count(count: u64) -> RowValue<'a> {
        RowValue::Number(count as f64)
    }
}

impl RowValue<'_> {
    /// A text or a ranked word.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            RowValue::Text(text) | RowValue::Ranked(_, text) => Some(text),
            RowValue::Number(_) | RowValue::Date(_) => None,
        }
    }

    /// Numbers and dates by size, texts by the alphabet, ignoring case.
    fn compare(&self, other: &RowValue<'_>) -> Ordering {
        match (self, other) {
            (RowValue::Number(one), RowValue::Number(other)) => one.total_cmp(other),
            (RowValue::Date(one), RowValue::Date(other)) => one.cmp(other),
            (RowValue::Ranked(one, _), RowValue::Ranked(other, _)) => one.cmp(other),
            (RowValue::Text(one), RowValue::Text(other)) => {
                let folded = |text: &str| {
                    text.chars()
                        .flat_map(char::to_lowercase)
                        .collect::<String>()
                };
                folded(one).cmp(&folded(other))
            }
            _ => Ordering::Equal,
        }
    }
}

/// A queue row, with what is known about it from other reads.
#[derive(Clone, Copy, Debug)]
pub struct RowFacts<'a> {
    pub row: &'a QueueSignal,
    /// The day from which days left are counted; without it they are unknown.
    pub today: Option<NaiveDate>,
    pub description: Option<&'a str>,
    pub city: Option<&'a str>,
    /// The name of the account or contact of the book that the project involves.
    pub account: Option<&'a str>,
    /// The account's tier, as named by the service.
    pub tier: Option<&'a str>,
}

impl<'a> RowFacts<'a> {
    /// What the row alone says.
    pub fn of_row(row: &'a QueueSignal, today: Option<NaiveDate>) -> RowFacts<'a> {
        RowFacts {
            row,
            today,
            description: None,
            city: None,
            account: None,
            tier: None,
        }
    }

    /// The value of a field; `None` if it is unknown.
    pub fn value(&self, field: RowField) -> Option<RowValue<'a>> {
        let signal = &self.row.signal;
        let text = RowValue::text;
        let date = |when: &Option<super::lenient::DateOrDateTime>| {
            Some(RowValue::Date(when.as_ref()?.date_time()?))
        };
        let number = |number: &Option<super::lenient::Number>| {
            Some(RowValue::Number(number.as_ref()?.as_f64()?))
        };
        match field {
            #[expect(clippy::cast_precision_loss, reason = "days fit")]
            RowField::DaysLeft => {
                let midnight = self.today?.and_hms_opt(0, 0, 0)?.and_utc();
                self.row
                    .days_left(midnight)
                    .map(|days| RowValue::Number(days as f64))
            }
            RowField::Cost => number(&signal.reported_cost_usd),
            RowField::Area => number(&signal.reported_gross_floor_area_sf),
            RowField::Priority => text(self.row.priority.as_ref().map(Priority::as_str)),
            RowField::Type => text(signal.signal_type.as_ref().map(|kind| kind.as_str())),
            RowField::Description => text(self.description),
            RowField::Project => text(signal.project_name.as_deref()),
            RowField::Address => text(signal.project_primary_address.as_deref()),
            RowField::City => text(self.city),
            RowField::Source => text(
                signal
                    .source_display_name
                    .as_deref()
                    .or(signal.source_slug.as_deref()),
            ),
            RowField::Filing => text(signal.source_filing_id.as_deref()),
            RowField::Filed => date(&signal.filed_at),
            RowField::Discovered => date(&signal.discovered_at),
            RowField::Account => text(self.account),
            RowField::Tier => text(self.tier),
            RowField::TriagedBy => text(self.row.triaged_by.as_ref().map(Person::key)),
            RowField::TriagedAt => date(&self.row.triaged_at),
        }
    }
}

/// An order of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowSort {
    pub field: RowField,
    pub is_descending: bool,
}

impl RowSort {
    /// In the direction that is usual for the field.
    pub fn usual_order(field: RowField) -> RowSort {
        RowSort {
            field,
            is_descending: field.descends(),
        }
    }

    pub fn reversed(self) -> RowSort {
        RowSort {
            is_descending: !self.is_descending,
            ..self
        }
    }

    /// `cost`, `cost:asc` or `cost:desc`.
    ///
    /// # Errors
    /// What is wrong, and which fields there are.
    pub fn parse(text: &str) -> Result<RowSort, String> {
        let (name, direction) = text
            .split_once(':')
            .map_or((text, None), |(name, direction)| {
                (name, Some(direction.trim()))
            });
        let field = RowField::parse(name).ok_or_else(|| {
            let names: Vec<&str> = RowField::ALL.iter().map(|field| field.name()).collect();
            format!(
                "cannot sort by {}: the fields are {}",
                name.trim(),
                names.join(", ")
            )
        })?;
        match direction {
            None => Ok(RowSort::usual_order(field)),
            Some("asc") => Ok(RowSort {
                field,
                is_descending: false,
            }),
            Some("desc") => Ok(RowSort {
                field,
                is_descending: true,
            }),
            Some(other) => Err(format!("the direction is asc or desc, not {other}")),
        }
    }

    /// Compares two rows; a row without the value comes last in both directions.
    pub fn compare(self, one: &RowFacts<'_>, other: &RowFacts<'_>) -> Ordering {
        self.compare_keys(&self.key(one), &self.key(other))
    }

    /// What a row is sorted by.
    pub fn key<'a>(self, facts: &RowFacts<'a>) -> Option<RowValue<'a>> {
        if self.field == RowField::Priority {
            let rank = match facts.row.priority.as_ref()? {
                Priority::High => 0.0,
                Priority::Medium => 1.0,
                Priority::Low => 2.0,
                Priority::Other(_) => 3.0,
            };
            return Some(RowValue::Number(rank));
        }
        facts.value(self.field)
    }

    /// Compares two rows by their [`RowSort::key`].
    pub fn compare_keys(
        self,
        one: &Option<RowValue<'_>>,
        other: &Option<RowValue<'_>>,
    ) -> Ordering {
        compare_values(one, other, self.is_descending)
    }
}

/// Compares what two rows are sorted by; a row without a value comes last in both directions.
pub fn compare_values(
    one: &Option<RowValue<'_>>,
    other: &Option<RowValue<'_>>,
    is_descending: bool,
) -> Ordering {
    match (one, other) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(one), Some(other)) if is_descending => other.compare(one),
        (Some(one), Some(other)) => one.compare(other),
    }
}

/// As [`RowSort::parse`] reads it.
impl fmt::Display for RowSort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_descending == self.field.descends() {
            true => self.field.fmt(f),
            false => write!(
                f,
                "{}:{}",
                self.field,
                if self.is_descending { "desc" } else { "asc" }
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn test_row(cost: Option<u64>, filed: &str, priority: &str) -> QueueSignal {
        let id = "018f4d3a-0000-7000-8000-000000000001";
        serde_json::from_value(
            json!({"id": id, "reported_cost_usd": cost, "filed_at": filed, "priority": priority}),
        )
        .unwrap()
    }

    #[test]
    fn a_sort_puts_rows_without_the_value_last_in_both_directions() {
        let rows = [
            test_row(None, "2026-07-01", "low"),
            test_row(Some(5), "2026-07-02", "high"),
            test_row(Some(7), "", "medium"),
        ];
        let order = |sort: &str| {
            let sort = RowSort::parse(sort).unwrap();
            let mut at: Vec<usize> = (0..rows.len()).collect();
            at.sort_by(|one, other| {
                let facts =
                    |at: &usize| RowFacts::of_row(&rows[*at], NaiveDate::from_ymd_opt(2026, 7, 9));
                sort.compare(&facts(one), &facts(other))
            });
            at
        };
        assert_eq!(order("cost"), [2, 1, 0]);
        assert_eq!(order("cost:asc"), [1, 2, 0]);
        assert_eq!(
            order("days"),
            [0, 1, 2],
            "the row that leaves first comes first"
        );
        assert_eq!(order("priority"), [1, 2, 0]);
    }

    #[test]
    fn a_sort_is_written_as_it_is_read() {
        for text in ["days", "days:desc", "cost", "cost:asc", "when"] {
            assert_eq!(RowSort::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(
            RowSort::parse("days left").unwrap(),
            RowSort::usual_order(RowField::DaysLeft)
        );
        assert!(
            RowSort::parse("size")
                .unwrap_err()
                .starts_with("cannot sort by size: the fields are days, cost")
        );
        assert_eq!(
            RowSort::parse("cost:down").unwrap_err(),
            "the direction is asc or desc, not down"
        );
    }
}

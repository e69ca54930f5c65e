//! The fields of a queue row by name: what rows are sorted by, and what conditions on loaded rows
//! test.
//!
//! A row alone does not carry all of them: what is being built, its city and the team's accounts
//! come from other reads, and are unknown until then.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use chrono::{DateTime, NaiveDate, Utc};

use super::field_kind::{FieldKind, ListSort};
use super::lenient::{DateOrDateTime, Number};
use super::person::Person;
use super::queue::QueueSignal;

/// Declares the fields, each with its name as typed, its title, its kind, its heading with the
/// width of its column and the width up to which that grows, and its value in a row.
macro_rules! row_fields {
    ($($(#[$doc:meta])* $field:ident: $name:literal, $title:literal, $kind:ident,
        $heading:literal, $width:literal..=$max_width:literal, $value:expr;)+) => {
        /// A field of a queue row, and a column of the queue.
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

            pub fn kind(self) -> FieldKind {
                match self {
                    $(RowField::$field => FieldKind::$kind,)+
                }
            }

            /// The heading of its column.
            pub fn heading(self) -> &'static str {
                match self {
                    $(RowField::$field => $heading,)+
                }
            }

            /// The width of its column in cells, and the width up to which that grows.
            pub fn width(self) -> std::ops::RangeInclusive<u16> {
                match self {
                    $(RowField::$field => $width..=$max_width,)+
                }
            }
        }

        impl<'a> RowFacts<'a> {
            /// The value of a field; `None` if it is unknown.
            pub fn value(&self, field: RowField) -> Option<RowValue<'a>> {
                let value: for<'f> fn(&RowFacts<'f>) -> Option<RowValue<'f>> = match field {
                    $(RowField::$field => $value,)+
                };
                value(self)
            }
        }
    };
}

row_fields! {
    /// Days until the signal drops off the queue.
    DaysLeft: "days", "days left", Days, "LEFT", 4..=4, |facts| facts.days_left();
    /// As reported by the filing, in US dollars.
    Cost: "cost", "cost", Money, "COST", 7..=7,
        |facts| number(&facts.row.signal.reported_cost_usd);
    Priority: "priority", "priority", Rank, "P", 1..=1, |facts| facts.priority();
    Type: "type", "type", Word, "TYPE", 12..=12,
        |facts| RowValue::text(facts.row.signal.signal_type.as_ref().map(|kind| kind.as_str()));
    /// What is being built.
    Description: "description", "description", Name, "WHAT", 22..=90,
        |facts| RowValue::text(facts.description);
    Project: "project", "project", Name, "PROJECT", 18..=30,
        |facts| RowValue::text(facts.row.signal.project_name.as_deref());
    Address: "address", "address", Name, "ADDRESS", 16..=30,
        |facts| RowValue::text(facts.row.signal.project_primary_address.as_deref());
    City: "city", "city", Text, "CITY", 13..=18, |facts| RowValue::text(facts.city);
    Source: "source", "source", Text, "SOURCE", 14..=20, |facts| facts.source();
    /// The number of the filing at its source.
    Filing: "filing", "filing", Name, "FILING", 14..=20,
        |facts| RowValue::text(facts.row.signal.source_filing_id.as_deref());
    /// As reported by the filing, in square feet.
    Area: "area", "area", Count, "AREA SF", 9..=9,
        |facts| number(&facts.row.signal.reported_gross_floor_area_sf);
    Filed: "filed", "filed", Date, "FILED", 5..=5, |facts| date(&facts.row.signal.filed_at);
    Discovered: "found", "found", Date, "FOUND", 5..=5,
        |facts| date(&facts.row.signal.discovered_at);
    /// An account or a contact of the book that the project involves.
    Account: "account", "account", Name, "ACCOUNT", 16..=28, |facts| RowValue::text(facts.account);
    Tier: "tier", "account's tier", Word, "TIER", 6..=6, |facts| RowValue::text(facts.tier);
    TriagedBy: "who", "who marked it done", Text, "WHO", 10..=16,
        |facts| RowValue::text(facts.row.triaged_by.as_ref().map(Person::key));
    TriagedAt: "when", "when it was done", Date, "WHEN", 11..=11,
        |facts| date(&facts.row.triaged_at);
}

impl RowField {
    /// The field with this name.
    pub fn of_name(name: &str) -> Option<RowField> {
        let mut all = RowField::ALL.iter().copied();
        all.find(|field| field.name() == name)
    }

    /// The field with this name or title, as people type it.
    pub fn parse(name: &str) -> Option<RowField> {
        let name = name.trim().to_lowercase();
        RowField::ALL
            .iter()
            .copied()
            .find(|field| field.name() == name || field.title() == name)
    }

    /// In the direction that is usual for the field.
    pub fn usual_sort(self) -> ListSort {
        ListSort::usual_order(self.name(), self.kind())
    }

    /// `cost`, `cost:asc` or `cost:desc`.
    ///
    /// # Errors
    /// What is wrong, and which fields there are.
    pub fn parse_sort(text: &str) -> Result<ListSort, String> {
        ListSort::parse(text, |name| {
            let field = RowField::parse(name).ok_or_else(|| {
                let names: Vec<&str> = RowField::ALL.iter().map(|field| field.name()).collect();
                format!("cannot sort by {name}: the fields are {}", names.join(", "))
            })?;
            Ok(field.usual_sort())
        })
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

    #[expect(clippy::cast_precision_loss, reason = "days fit")]
    fn days_left(&self) -> Option<RowValue<'a>> {
        let midnight = self.today?.and_hms_opt(0, 0, 0)?.and_utc();
        let days = self.row.days_left(midnight)?;
        Some(RowValue::Number(days as f64))
    }

    fn priority(&self) -> Option<RowValue<'a>> {
        let priority = self.row.priority.as_ref()?;
        Some(RowValue::Ranked(priority.rank(), priority.as_str().into()))
    }

    fn source(&self) -> Option<RowValue<'a>> {
        let signal = &self.row.signal;
        let name = signal.source_display_name.as_deref();
        RowValue::text(name.or(signal.source_slug.as_deref()))
    }
}

fn date<'a>(when: &Option<DateOrDateTime>) -> Option<RowValue<'a>> {
    Some(RowValue::Date(when.as_ref()?.date_time()?))
}

fn number<'a>(number: &Option<Number>) -> Option<RowValue<'a>> {
    Some(RowValue::Number(number.as_ref()?.as_f64()?))
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
            let sort = RowField::parse_sort(sort).unwrap();
            let field = RowField::of_name(sort.key).unwrap();
            let mut at: Vec<usize> = (0..rows.len()).collect();
            at.sort_by(|one, other| {
                let facts =
                    |at: &usize| RowFacts::of_row(&rows[*at], NaiveDate::from_ymd_opt(2026, 7, 9));
                let value = |at| facts(at).value(field);
                compare_values(&value(one), &value(other), sort.is_descending)
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
            assert_eq!(RowField::parse_sort(text).unwrap().to_string(), text);
        }
        assert_eq!(
            RowField::parse_sort("days left").unwrap(),
            RowField::DaysLeft.usual_sort()
        );
        assert!(
            RowField::parse_sort("size")
                .unwrap_err()
                .starts_with("cannot sort by size: the fields are days, cost")
        );
        assert_eq!(
            RowField::parse_sort("cost:down").unwrap_err(),
            "the direction is asc or desc, not down"
        );
    }
}

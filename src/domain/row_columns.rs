//! The columns of the queue: what the console shows of a row, what rows are sorted, counted and
//! exported by, and what conditions on loaded rows test.
//!
//! A row alone does not carry all of them: what is being built, its city and the team's accounts
//! come from other reads, and are unknown until then.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::sync::LazyLock;

use chrono::{DateTime, NaiveDate, Utc};

use super::column::{Column, column};
use super::field_kind::{FieldKind, ListSort};
use super::lenient::{DateOrDateTime, Number};
use super::person::Person;
use super::queue::{Priority, QueueSignal, QueueTab};
use super::vocabulary::{ValueKind, Vocabulary, VocabularyField};

/// A column of the queue, which conditions and options call a field.
#[derive(Debug)]
pub struct RowColumn {
    pub spec: Column,
    /// In cells; for a growing column, the minimum.
    pub width: u16,
    /// The width up to which it grows; 0 for a column that does not.
    pub max_width: u16,
    /// The order in which a narrow screen drops it: the highest first, 0 never.
    pub drop_order: u8,
    pub origin: Origin,
    pub word_search: WordSearch,
    value: ReadValue,
}

/// What a column reads from a row; `None` if it is unknown.
type ReadValue = for<'a> fn(&RowFacts<'a>) -> Option<RowValue<'a>>;

/// Where the values of a column come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Row,
    /// Of the row, once it is marked as done.
    Triage,
    /// Another read: the description of the signal.
    Description,
    /// Another read: the book.
    Book,
}

/// How conditions look for words in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordSearch {
    /// Only where they name it.
    Never,
    /// Also a word on its own; they usually compare it as a whole.
    Names,
    /// Also a word on its own; they usually look for a part of it.
    FreeText,
}

/// The most useful ones first.
pub static ROW_COLUMNS: &[RowColumn] = &[
    RowColumn::new(FieldKind::Days, ("days", "LEFT"), (4, 2), |facts| {
        facts.days_left()
    })
    .with_name("days left"),
    RowColumn::new(FieldKind::Money, ("cost", "COST"), (7, 3), |facts| {
        number(&facts.row.signal.reported_cost_usd)
    }),
    RowColumn::new(FieldKind::Rank, ("priority", "P"), (1, 0), |facts| {
        facts.priority()
    }),
    RowColumn::new(FieldKind::Word, ("type", "TYPE"), (12, 6), |facts| {
        RowValue::text(
            facts
                .row
                .signal
                .signal_type
                .as_ref()
                .map(|kind| kind.as_str()),
        )
    })
    .searched_as(WordSearch::Names),
    RowColumn::new(FieldKind::Name, ("description", "WHAT"), (20, 4), |facts| {
        RowValue::text(facts.description)
    })
    .growing_to(90)
    .read_from(Origin::Description)
    .searched_as(WordSearch::FreeText),
    RowColumn::new(FieldKind::Name, ("project", "PROJECT"), (18, 0), |facts| {
        RowValue::text(facts.row.signal.project_name.as_deref())
    })
    .growing_to(30)
    .searched_as(WordSearch::FreeText),
    RowColumn::new(FieldKind::Name, ("address", "ADDRESS"), (16, 0), |facts| {
        RowValue::text(facts.row.signal.project_primary_address.as_deref())
    })
    .growing_to(30)
    .searched_as(WordSearch::FreeText),
    RowColumn::new(FieldKind::Text, ("city", "CITY"), (13, 5), |facts| {
        RowValue::text(facts.city.filter(|_| facts.is_city_certain))
    })
    .growing_to(18)
    .read_from(Origin::Description)
    .searched_as(WordSearch::Names),
    RowColumn::new(FieldKind::Text, ("source", "SOURCE"), (14, 9), |facts| {
        facts.source()
    })
    .growing_to(20)
    .searched_as(WordSearch::Names),
    RowColumn::new(FieldKind::Name, ("filing", "FILING"), (14, 0), |facts| {
        RowValue::text(facts.row.signal.source_filing_id.as_deref())
    })
    .growing_to(20)
    .searched_as(WordSearch::Names),
    RowColumn::new(FieldKind::Count, ("area", "AREA SF"), (9, 0), |facts| {
        number(&facts.row.signal.reported_gross_floor_area_sf)
    }),
    RowColumn::new(FieldKind::Date, ("filed", "FILED"), (5, 7), |facts| {
        date(&facts.row.signal.filed_at)
    }),
    RowColumn::new(FieldKind::Date, ("found", "FOUND"), (5, 0), |facts| {
        date(&facts.row.signal.discovered_at)
    }),
    RowColumn::new(FieldKind::Name, ("account", "ACCOUNT"), (16, 8), |facts| {
        RowValue::text(facts.account)
    })
    .growing_to(28)
    .read_from(Origin::Book)
    .searched_as(WordSearch::Names),
    RowColumn::new(FieldKind::Word, ("tier", "TIER"), (6, 0), |facts| {
        RowValue::text(facts.tier)
    })
    .with_name("account's tier")
    .read_from(Origin::Book),
    RowColumn::new(FieldKind::Name, ("owner", "OWNER"), (10, 3), |facts| {
        RowValue::text(facts.owner)
    })
    .growing_to(16)
    .with_name("whose account it is")
    .read_from(Origin::Book)
    .searched_as(WordSearch::Names),
    RowColumn::new(FieldKind::Text, ("who", "WHO"), (10, 1), |facts| {
        RowValue::text(facts.row.triaged_by.as_ref().map(Person::key))
    })
    .growing_to(16)
    .with_name("who marked it done")
    .read_from(Origin::Triage),
    RowColumn::new(FieldKind::Date, ("when", "WHEN"), (11, 2), |facts| {
        date(&facts.row.triaged_at)
    })
    .with_name("when it was done")
    .read_from(Origin::Triage),
];

/// The columns that a tab shows by default, in order.
pub fn usual_columns(tab: QueueTab) -> &'static [&'static str] {
    match tab {
        QueueTab::New => &[
            "priority",
            "type",
            "filed",
            "project",
            "description",
            "city",
            "account",
            "owner",
            "source",
            "cost",
            "days",
        ],
        QueueTab::Done => &[
            "priority",
            "type",
            "filed",
            "project",
            "description",
            "city",
            "cost",
            "who",
            "when",
        ],
        QueueTab::Today => &[
            "priority",
            "type",
            "project",
            "description",
            "city",
            "account",
            "owner",
            "cost",
            "days",
        ],
    }
}

impl RowColumn {
    const fn new(
        kind: FieldKind,
        (key, heading): (&'static str, &'static str),
        (width, drop_order): (u16, u8),
        value: ReadValue,
    ) -> RowColumn {
        RowColumn {
            spec: column(key, heading, kind),
            width,
            max_width: 0,
            drop_order,
            origin: Origin::Row,
            word_search: WordSearch::Never,
            value,
        }
    }

    /// The same column with another name for the user than its key.
    const fn with_name(self, name: &'static str) -> RowColumn {
        RowColumn {
            spec: self.spec.with_name(name),
            ..self
        }
    }

    /// The same column, growing with the remaining width.
    const fn growing_to(self, max_width: u16) -> RowColumn {
        RowColumn { max_width, ..self }
    }

    const fn read_from(self, origin: Origin) -> RowColumn {
        RowColumn { origin, ..self }
    }

    /// Whether a row alone carries its values.
    pub fn is_in_row(&self) -> bool {
        matches!(self.origin, Origin::Row | Origin::Triage)
    }

    fn to_field(&self) -> VocabularyField {
        VocabularyField {
            label: self.spec.title(),
            kind: match self.spec.kind {
                kind if kind.is_numeric() => ValueKind::Number,
                kind if kind.is_date() => ValueKind::Date,
                // The key of a user is no text that is similar to others.
                FieldKind::Name | FieldKind::Text if self.spec.key != "who" => ValueKind::Text,
                _ => ValueKind::Enum,
            },
            values: match self.spec.key {
                "priority" => Priority::ALL
                    .iter()
                    .map(|priority| priority.as_str().to_owned())
                    .collect(),
                _ => Vec::new(),
            },
            ..VocabularyField::of_text(self.spec.key)
        }
    }

    const fn searched_as(self, word_search: WordSearch) -> RowColumn {
        RowColumn {
            word_search,
            ..self
        }
    }
}

impl PartialEq for RowColumn {
    fn eq(&self, other: &RowColumn) -> bool {
        self.spec.key == other.spec.key
    }
}

impl fmt::Display for RowColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.spec.key)
    }
}

/// The columns as fields of conditions, which are tested on this machine.
pub fn queue_fields() -> &'static Vocabulary {
    static FIELDS: LazyLock<Vocabulary> = LazyLock::new(|| Vocabulary {
        fields: ROW_COLUMNS.iter().map(RowColumn::to_field).collect(),
        is_local: true,
    });
    &FIELDS
}

/// The column with this key.
pub fn find_column(key: &str) -> Option<&'static RowColumn> {
    ROW_COLUMNS.iter().find(|column| column.spec.key == key)
}

/// The column with this key or title, as people type it.
///
/// # Errors
/// Which columns there are.
pub fn parse_column(name: &str) -> Result<&'static RowColumn, String> {
    let name = name.trim().to_lowercase();
    let mut columns = ROW_COLUMNS.iter();
    let is_named = |column: &&RowColumn| column.spec.key == name || column.spec.title() == name;
    columns.find(is_named).ok_or_else(|| {
        let keys: Vec<&str> = ROW_COLUMNS.iter().map(|column| column.spec.key).collect();
        format!("the fields are {}", keys.join(", "))
    })
}

/// `cost`, `cost:asc` or `cost:desc`.
///
/// # Errors
/// What is wrong, and which fields there are.
pub fn parse_sort(text: &str) -> Result<ListSort, String> {
    ListSort::parse(text, |name| {
        let column = parse_column(name).map_err(|all| format!("cannot sort by {name}: {all}"))?;
        Ok(column.spec.usual_sort())
    })
}

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum RowValue<'a> {
    Number(f64),
    Date(DateTime<Utc>),
    Text(Cow<'a, str>),
    /// A word with a place of its own in the order.
    Ranked(u16, Cow<'a, str>),
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
    /// Otherwise it is a guess, which is shown and not tested.
    pub is_city_certain: bool,
    /// The name of the account or contact of the book that the project involves.
    pub account: Option<&'a str>,
    /// The account's tier, as named by the service.
    pub tier: Option<&'a str>,
    /// Whose project or account it is, by its tag.
    pub owner: Option<&'a str>,
}

impl<'a> RowFacts<'a> {
    /// The value of a column; `None` if it is unknown.
    pub fn value(&self, column: &RowColumn) -> Option<RowValue<'a>> {
        (column.value)(self)
    }

    /// What the row alone says.
    pub fn of_row(row: &'a QueueSignal, today: Option<NaiveDate>) -> RowFacts<'a> {
        RowFacts {
            row,
            today,
            description: None,
            city: None,
            is_city_certain: false,
            account: None,
            tier: None,
            owner: None,
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
        Some(RowValue::Ranked(
            priority.rank().into(),
            priority.as_str().into(),
        ))
    }

    fn source(&self) -> Option<RowValue<'a>> {
        RowValue::text(self.row.signal.source_name())
    }
}

fn date<'a>(when: &Option<DateOrDateTime>) -> Option<RowValue<'a>> {
    Some(RowValue::Date(when.as_ref()?.date_time()?))
}

fn number<'a>(number: &Option<Number>) -> Option<RowValue<'a>> {
    Some(RowValue::Number(number.as_ref()?.as_f64()?))
}

/// Sorts rows by a value of each. Rows with the same value stay in their order.
pub fn sort_by_value<'a, R>(
    rows: impl Iterator<Item = R>,
    is_descending: bool,
    value: impl Fn(&R) -> Option<RowValue<'a>>,
) -> Vec<R> {
    let mut sorted: Vec<_> = rows.map(|row| (value(&row), row)).collect();
    sorted.sort_by(|(one, _), (other, _)| compare_values(one, other, is_descending));
    sorted.into_iter().map(|(_, row)| row).collect()
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
            let sort = parse_sort(sort).unwrap();
            let column = find_column(sort.key).unwrap();
            let mut at: Vec<usize> = (0..rows.len()).collect();
            at.sort_by(|one, other| {
                let facts =
                    |at: &usize| RowFacts::of_row(&rows[*at], NaiveDate::from_ymd_opt(2026, 7, 9));
                let value = |at| facts(at).value(column);
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
            assert_eq!(parse_sort(text).unwrap().to_string(), text);
        }
        assert_eq!(
            parse_sort("days left").unwrap(),
            find_column("days").unwrap().spec.usual_sort()
        );
        assert!(
            parse_sort("size")
                .unwrap_err()
                .starts_with("cannot sort by size: the fields are days, cost")
        );
        assert_eq!(
            parse_sort("cost:down").unwrap_err(),
            "the direction is asc or desc, not down"
        );
    }
}

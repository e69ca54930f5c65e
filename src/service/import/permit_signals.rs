//! What a row says about its permit: its key, its dates, its state, and the signals that follow
//! from them.
//!
//! Never here: what is written to the database.

use std::borrow::Cow;

use chrono::{DateTime, Utc};

use super::columns::{PermitColumn, PermitColumns, PermitRow, all_match, any_matches};
use super::layout::PermitLayout;
use super::words::PermitState;
use super::{dates, values};
use crate::domain::signals::SignalType;

/// A column of dates, or a column of years and one of months.
pub enum DateColumn {
    Whole(PermitColumn),
    YearAndMonth(PermitColumn, PermitColumn),
}

impl DateColumn {
    pub fn is_found(&self) -> bool {
        match self {
            DateColumn::Whole(date) => date.is_found(),
            DateColumn::YearAndMonth(year, month) => year.is_found() && month.is_found(),
        }
    }

    /// What the file has, whatever it means.
    fn written<'r>(&self, row: &'r impl PermitRow) -> &'r str {
        match self {
            DateColumn::Whole(column) | DateColumn::YearAndMonth(column, _) => row.text(column),
        }
    }

    /// The date as written. A month is its first day.
    fn text<'r>(&self, row: &'r impl PermitRow) -> Cow<'r, str> {
        match self {
            DateColumn::Whole(date) => row.get(date).into(),
            DateColumn::YearAndMonth(year, month) => match (row.get(year), row.get(month)) {
                ("", _) | (_, "") => "".into(),
                (year, month) => match dates::month_number(month) {
                    Some(month) => format!("{year}-{month:02}-01").into(),
                    None => format!("{year} {month}").into(),
                },
            },
        }
    }
}

/// `Issued`, or `Year + Month` if no column has that name.
pub fn find_date_column(name: &str, column: &impl Fn(&str) -> PermitColumn) -> DateColumn {
    let whole = column(name);
    match name.split_once(" + ") {
        Some((year, month)) if !whole.is_found() => {
            DateColumn::YearAndMonth(column(year), column(month))
        }
        _ => DateColumn::Whole(whole),
    }
}

/// What a row says about its permit.
#[derive(Debug, Default)]
pub struct PermitSignals {
    /// What identifies the permit within its source: its number, with what the layout adds.
    pub key: String,
    pub signals: Vec<(SignalType, DateTime<Utc>)>,
    /// A date that cannot be read.
    pub unreadable_date: Option<String>,
    /// A status unknown to the layout.
    pub unknown_status: Option<String>,
}

/// The signals of a row. A permit that was withdrawn, denied or has expired has only that one.
pub fn permit_signals(
    layout: &PermitLayout,
    columns: &PermitColumns,
    row: &impl PermitRow,
) -> PermitSignals {
    let mut found = PermitSignals::default();
    let mut first_date: Option<DateTime<Utc>> = None;
    for rule in &columns.rules {
        let applies = all_match(&rule.when, row) && !any_matches(&rule.unless, row);
        match first_day(layout, &rule.dates, row) {
            Ok(Some(day)) => {
                first_date = first_date.min(Some(day)).or(Some(day));
                found
                    .signals
                    .extend(applies.then(|| (rule.signal_type.clone(), day)));
            }
            Err(text) if applies => found.unreadable_date = Some(text.into_owned()),
            Ok(None) | Err(_) => {}
        }
    }
    found.key = permit_key(columns, row, first_date);
    let (state, unknown_status) = permit_state(layout, columns, row);
    found.unknown_status = unknown_status;
    let decided = first_day(layout, &columns.decided, row).ok().flatten();
    let ending = match state {
        PermitState::Active | PermitState::Completed => return found,
        PermitState::Approved => {
            found
                .signals
                .extend(decided.map(|day| (SignalType::EntitlementApproval, day)));
            return found;
        }
        PermitState::Withdrawn => SignalType::Withdrawal,
        PermitState::Denied => SignalType::EntitlementDenial,
        PermitState::Expired => SignalType::Expiration,
    };
    let changed = || first_day(layout, &columns.changed, row).ok().flatten();
    let latest = found.signals.iter().map(|(_, day)| *day).max();
    let day = decided
        .filter(|_| state == PermitState::Denied)
        .or_else(changed)
        .or(decided)
        .or(latest);
    found.signals = day.map(|day| (ending, day)).into_iter().collect();
    found
}

/// The state of the permit of a row, and a status whose meaning is not known.
fn permit_state(
    layout: &PermitLayout,
    columns: &PermitColumns,
    row: &impl PermitRow,
) -> (PermitState, Option<String>) {
    let mut state = PermitState::Active;
    let mut unknown = None;
    for text in columns
        .status
        .iter()
        .map(|column| row.get(column))
        .filter(|text| !text.is_empty())
    {
        let known = layout
            .status
            .values
            .iter()
            .find(|(value, _)| value.eq_ignore_ascii_case(text));
        match known
            .map(|(_, state)| *state)
            .or_else(|| PermitState::of_status(text))
        {
            Some(known) => state = state.max(known),
            None => unknown = Some(text.to_owned()),
        }
    }
    (state, unknown)
}

/// The day in the first of the columns that has one.
///
/// # Errors
/// The text of the first column that cannot be read, if none has a day.
fn first_day<'r>(
    layout: &PermitLayout,
    columns: &[DateColumn],
    row: &'r impl PermitRow,
) -> Result<Option<DateTime<Utc>>, Cow<'r, str>> {
    let mut unreadable = None;
    for text in columns
        .iter()
        .map(|column| column.text(row))
        .filter(|text| !text.is_empty())
    {
        match values::parse_date(&text, layout) {
            Some(day) if dates::is_placeholder(day.date_naive()) => {}
            Some(day) => return Ok(Some(day)),
            None => unreadable = unreadable.or(Some(text)),
        }
    }
    unreadable.map_or(Ok(None), Err)
}

/// What identifies a permit of this source: its number, with what the layout adds.
fn permit_key(
    columns: &PermitColumns,
    row: &impl PermitRow,
    first_date: Option<DateTime<Utc>>,
) -> String {
    let mut key = row.get(&columns.permit).to_owned();
    for part in &columns.permit_parts {
        key.push('/');
        match part {
            // the same city, however it is written
            Some(column) if *column == columns.city => {
                key.push_str(&values::name_key(values::city_name(row.get(column))))
            }
            Some(column) => key.push_str(row.get(column)),
            None => key.extend(first_date.map(|day| day.format("%Y").to_string())),
        }
    }
    key
}

/// The first text in the columns of dates, whatever it means.
pub fn written_date<'r>(columns: &PermitColumns, row: &'r impl PermitRow) -> &'r str {
    let dates = columns.rules.iter().flat_map(|rule| &rule.dates);
    dates
        .map(|date| date.written(row))
        .find(|text| !text.is_empty())
        .unwrap_or_default()
}

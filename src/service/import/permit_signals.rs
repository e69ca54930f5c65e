//! What a row says about its permit: its key, its dates, its state, and the signals that follow
//! from them.
//!
//! Never here: what is written to the database.

use std::borrow::Cow;

use chrono::{DateTime, Duration, NaiveDate, Utc};

use super::columns::{PermitColumn, PermitColumns, PermitRow, all_match, any_matches};
use super::layout::PermitLayout;
use super::permit_state::PermitState;
use super::{dates, values, words};
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

    pub fn name(&self) -> &str {
        match self {
            DateColumn::Whole(column) | DateColumn::YearAndMonth(column, _) => column.name(),
        }
    }

    /// What the file has, whatever it means.
    fn written<'r>(&self, row: &'r impl PermitRow) -> &'r str {
        match self {
            DateColumn::Whole(column) | DateColumn::YearAndMonth(column, _) => row.text(column),
        }
    }

    /// The date as written. A month is its first day.
    pub fn text<'r>(&self, row: &'r impl PermitRow) -> Cow<'r, str> {
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
    /// The last day of which the row tells.
    pub newest: Option<DateTime<Utc>>,
    /// The status says that the permit was withdrawn, denied or has expired: that is its signal.
    pub is_ended: bool,
    /// The day of a completion that is none: it is planned, or that of an inspection or a
    /// certificate that does not complete the permit.
    pub open_completion: Option<DateTime<Utc>>,
    /// The status that says that nobody has issued it, beside the day of an issue.
    pub unissued_status: Option<String>,
    /// The status that says that it was issued or approved, where no date says when.
    pub undated_status: Option<String>,
    /// The status that completes or ends it, where no date says when: its last day counts.
    pub undated_end: Option<String>,
}

/// How far ahead of the import a date can be: whatever is later is none.
const MAX_DAYS_AHEAD: i64 = 366;

/// The signals of a row, read at this time. A permit that was withdrawn, denied or has expired has
/// only that one.
pub fn permit_signals(
    columns: &PermitColumns<'_>,
    now: DateTime<Utc>,
    row: &impl PermitRow,
) -> PermitSignals {
    let first_day = |dates: &[DateColumn]| first_day(columns.layout, dates, now, row);
    let mut found = PermitSignals::default();
    let mut first_date: Option<DateTime<Utc>> = None;
    for rule in &columns.rules {
        let applies = all_match(&rule.when, row) && !any_matches(&rule.unless, row);
        match first_day(&rule.dates) {
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
    let parts = columns.permit_parts.iter().map(|part| match part {
        Some(column) if *column == columns.city => KeyPart::City(row.get(column)),
        Some(column) => KeyPart::Text(row.get(column)),
        None => KeyPart::Year(first_date.map(|day| day.date_naive())),
    });
    found.key = permit_key(row.get(&columns.permit), parts);
    let status = status_of(columns, row);
    let is_uncertified = is_without_certificate(columns, row);
    let is_other = |(signal_type, _): &(SignalType, _)| *signal_type != SignalType::Completion;
    let completion = found.signals.iter().find(|signal| !is_other(signal));
    found.open_completion = completion.map(|(_, day)| *day).filter(|day| {
        is_uncertified || *day > now + Duration::days(1) || says_open(status, columns, row)
    });
    if found.open_completion.is_some() {
        found.signals.retain(is_other);
    }
    let ended = columns
        .ends
        .iter()
        .filter_map(|(column, state)| Some((*state, end_in(column, columns.layout, now, row)?)))
        // a finished permit needs no renewal
        .filter(|(state, _)| (status, *state) != (PermitState::Completed, PermitState::Expired))
        .max();
    let state = ended.map_or(status, |(state, _)| state.max(status));
    let decided = first_day(&columns.decided).ok().flatten();
    let approved = decided.filter(|_| columns.decides_approvals);
    let ruled = decided.filter(|_| !columns.decides_approvals);
    let changed = first_day(&columns.changed).ok().flatten();
    let latest = found.signals.iter().map(|(_, day)| *day).max();
    found.newest = latest.max(decided).max(changed);
    let ending = match state {
        PermitState::Applied => {
            found.unissued_status = keep_application(&mut found.signals)
                .then(|| status_with(PermitState::Applied, columns, row))
                .flatten();
            let is_ready = |text| words::has_value_word("not_issued_yet", text);
            let approval = approved.filter(|_| status_texts(columns, row).any(is_ready));
            (found.signals).extend(approval.map(|day| (SignalType::EntitlementApproval, day)));
            return found;
        }
        PermitState::Active | PermitState::Approved | PermitState::Completed => {
            let has = |wanted| (found.signals.iter()).any(|(known, _)| *known == wanted);
            // a procedure that is over completes nothing: its decision counts
            let is_procedure =
                decided.is_some() && !has(SignalType::PermitIssued) && !is_accepted(columns, row);
            let is_completed = state == PermitState::Completed
                && !is_procedure
                && !is_uncertified
                && !has(SignalType::Completion);
            let is_granted = has(SignalType::PermitIssued) || has(SignalType::DemolitionPermit);
            let is_only_approved = approved.is_some() && !is_granted;
            // a decision with its day and no other: `Development permit issued`
            let is_issued = !has(SignalType::PermitIssued) && says_issued(columns, row);
            let day = changed.or(latest.max(decided)).filter(|_| is_completed);
            (found.signals).extend(day.map(|day| (SignalType::Completion, day)));
            if day.is_some() && changed.is_none() {
                found.undated_end = status_with(PermitState::Completed, columns, row);
            }
            let is_approved = is_issued || is_only_approved || says_approved(columns, row);
            let is_filed = |(known, _): &(SignalType, _)| *known == SignalType::PermitFiled;
            // the day since which it has this status, if nothing says more
            let since = changed.filter(|_| found.signals.iter().all(is_filed));
            let granted = match decided {
                Some(day) => Some((SignalType::EntitlementApproval, day)),
                None if is_issued => since.map(|day| (SignalType::PermitIssued, day)),
                None => since.map(|day| (SignalType::EntitlementApproval, day)),
            };
            found.signals.extend(granted.filter(|_| is_approved));
            if found.signals.iter().all(is_filed) {
                found.undated_status = granting_status(columns, row).map(str::to_owned);
            }
            return found;
        }
        PermitState::Withdrawn => SignalType::Withdrawal,
        PermitState::Denied => SignalType::EntitlementDenial,
        PermitState::Expired => SignalType::Expiration,
    };
    let expires = first_day(&columns.expires).ok().flatten();
    let day = ended
        .and_then(|(_, day)| day)
        .or_else(|| ruled.filter(|_| state == PermitState::Denied))
        .or_else(|| expires.filter(|day| state == PermitState::Expired && *day <= now))
        .or(changed)
        .or(ruled.and(ruled.max(latest)));
    if day.is_none() && latest.max(approved).is_some() {
        let status = status_with(state, columns, row);
        found.undated_end = status.or_else(|| Some(state.word().to_owned()));
    }
    let day = day.or(latest.max(approved));
    found.signals = day.map(|day| (ending, day)).into_iter().collect();
    found.newest = found.newest.max(day);
    found.is_ended = true;
    found
}

/// What nobody has issued yet is filed, whatever the column with its date is called. Returns whether
/// it had the day of an issue too.
fn keep_application(signals: &mut Vec<(SignalType, DateTime<Utc>)>) -> bool {
    let has = |wanted| signals.iter().any(|(known, _)| *known == wanted);
    let is_filed = has(SignalType::PermitFiled);
    let is_issued = has(SignalType::PermitIssued) || has(SignalType::DemolitionPermit);
    signals.retain(|(signal_type, _)| *signal_type != SignalType::PermitIssued || !is_filed);
    for (signal_type, _) in signals {
        if matches!(
            signal_type,
            SignalType::PermitIssued | SignalType::DemolitionPermit
        ) {
            *signal_type = SignalType::PermitFiled;
        }
    }
    is_issued
}

/// Whether a certificate is for a while or was taken back: it completes no permit.
fn is_without_certificate(columns: &PermitColumns<'_>, row: &impl PermitRow) -> bool {
    let is_temporary = |column| {
        let text = row.get(column);
        PermitState::is_temporary(text)
            && columns.layout.status.state_of(text) != Some(PermitState::Completed)
    };
    let is_gone = |column| {
        let mut lists = ["denied", "withdrawn", "expired"].iter();
        lists.any(|list| words::has_value_word(list, row.get(column)))
    };
    let mut all = columns.status.iter().chain(&columns.certificate);
    all.any(is_temporary) || columns.certificate.iter().any(is_gone)
}

/// Whether the status says that nothing is complete, whatever day a column for completions has:
/// that nobody has issued it, that it is being built, or that it is issued, beside the day of an
/// inspection, which may have failed.
fn says_open(status: PermitState, columns: &PermitColumns<'_>, row: &impl PermitRow) -> bool {
    let has_text = status_texts(columns, row).any(|text| !text.is_empty());
    let is_built = |text| words::has_value_word("under_construction", text);
    let rules = (columns.rules.iter()).filter(|rule| rule.signal_type == SignalType::Completion);
    let dates = rules.flat_map(|rule| &rule.dates);
    let mut written = dates.filter(|date| !date.written(row).is_empty());
    match status {
        PermitState::Applied => true,
        PermitState::Active if status_texts(columns, row).any(is_built) => true,
        PermitState::Active => {
            let mut texts = status_texts(columns, row);
            let is_inspected = texts.any(|text| words::has_value_word("inspected", text));
            has_text
                && !is_inspected
                && written.all(|date| words::has_value_word("inspection", date.name()))
        }
        _ => false,
    }
}

/// What the status and the decision of a row say. What nobody understands is asked before.
fn status_of(columns: &PermitColumns<'_>, row: &impl PermitRow) -> PermitState {
    states_of(columns, row).max().unwrap_or(PermitState::Active)
}

/// Whether the decision is an approval, whatever the status of the procedure is.
fn says_approved(columns: &PermitColumns<'_>, row: &impl PermitRow) -> bool {
    states_of(columns, row).any(|state| state == PermitState::Approved)
}

/// Whether the decision is that a permit was issued.
fn says_issued(columns: &PermitColumns<'_>, row: &impl PermitRow) -> bool {
    status_texts(columns, row).any(PermitState::is_issued)
}

/// The status or decision that says this.
fn status_with(
    state: PermitState,
    columns: &PermitColumns<'_>,
    row: &impl PermitRow,
) -> Option<String> {
    let mut texts = status_texts(columns, row);
    let text =
        texts.find(|text| !text.is_empty() && columns.layout.status.state_of(text) == Some(state));
    text.map(str::to_owned)
}

/// The status or decision that a permit has only if it was issued or approved.
fn granting_status<'r>(columns: &'r PermitColumns<'_>, row: &'r impl PermitRow) -> Option<&'r str> {
    status_texts(columns, row).find(|text| {
        let is_approved = || columns.layout.status.state_of(text) == Some(PermitState::Approved);
        let lists = ["under_way", "under_construction"];
        let is_under_way = || lists.iter().any(|list| words::has_value_word(list, text));
        !text.is_empty() && (PermitState::is_issued(text) || is_approved() || is_under_way())
    })
}

/// Whether the status is that what was built is accepted.
fn is_accepted(columns: &PermitColumns<'_>, row: &impl PermitRow) -> bool {
    status_texts(columns, row).any(|text| words::has_value_word("acceptance", text))
}

/// What the status and the decision of a row mean, as far as they are known.
fn states_of<'r>(
    columns: &'r PermitColumns<'_>,
    row: &'r impl PermitRow,
) -> impl Iterator<Item = PermitState> + 'r {
    status_texts(columns, row)
        .filter(|text| !text.is_empty())
        .filter_map(|text| columns.layout.status.state_of(text))
}

/// The status and the decision of a row.
fn status_texts<'r>(
    columns: &'r PermitColumns<'_>,
    row: &'r impl PermitRow,
) -> impl Iterator<Item = &'r str> {
    columns.status.iter().map(|column| row.get(column))
}

/// The day in a column that ends a permit, or a yes without one; nothing if the permit goes on, or
/// ends on a day to come.
fn end_in(
    column: &PermitColumn,
    layout: &PermitLayout,
    now: DateTime<Utc>,
    row: &impl PermitRow,
) -> Option<Option<DateTime<Utc>>> {
    let text = row.get(column);
    match values::parse_date(text, layout) {
        Some(day) => {
            Some(Some(day)).filter(|_| day <= now && !dates::is_placeholder(day.date_naive()))
        }
        None => (values::parse_yes_or_no(text) == Some(true)).then_some(None),
    }
}

/// The day in the first of the columns that has one.
///
/// # Errors
/// The text of the first column that cannot be read, if none has a day.
fn first_day<'r>(
    layout: &PermitLayout,
    columns: &[DateColumn],
    now: DateTime<Utc>,
    row: &'r impl PermitRow,
) -> Result<Option<DateTime<Utc>>, Cow<'r, str>> {
    let latest = now + Duration::days(MAX_DAYS_AHEAD);
    let mut unreadable = None;
    for text in columns
        .iter()
        .map(|column| column.text(row))
        .filter(|text| !text.is_empty())
    {
        match values::parse_date(&text, layout) {
            Some(day) if dates::is_placeholder(day.date_naive()) => {}
            Some(day) if day <= latest => return Ok(Some(day)),
            _ => unreadable = unreadable.or(Some(text)),
        }
    }
    unreadable.map_or(Ok(None), Err)
}

/// A part of what identifies a permit with its number.
pub enum KeyPart<'r> {
    City(&'r str),
    Text(&'r str),
    /// The year of its first day.
    Year(Option<NaiveDate>),
}

/// What identifies a permit of its source: its number, with what the layout adds.
pub fn permit_key<'r>(number: &str, parts: impl Iterator<Item = KeyPart<'r>>) -> String {
    let mut key = number.to_owned();
    for part in parts {
        key.push('/');
        match part {
            // the same city, however it is written
            KeyPart::City(city) => key.push_str(&values::name_key(values::city_name(city))),
            KeyPart::Text(text) => key.push_str(text),
            KeyPart::Year(day) => key.extend(day.map(|day| day.format("%Y").to_string())),
        }
    }
    key
}

/// The first text in the columns of dates, whatever it means.
pub fn written_date<'r>(columns: &PermitColumns<'_>, row: &'r impl PermitRow) -> &'r str {
    let dates = columns.rules.iter().flat_map(|rule| &rule.dates);
    dates
        .chain(&columns.decided)
        .map(|date| date.written(row))
        .find(|text| !text.is_empty())
        .unwrap_or_default()
}

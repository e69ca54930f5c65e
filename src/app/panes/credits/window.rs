//! The rolling 24-hour window: past usage, the forecast if nothing more is spent, and when credits
//! are released.
//!
//! The ledger knows when this machine's credits leave the window. Of others only the sum is known,
//! so the forecast keeps it constant.

use chrono::{DateTime, Duration, Utc};

use crate::domain::credits::{LedgerReport, METER_WINDOW};
use crate::domain::lenient::saturating_sum;

/// A column of the chart: credits in the window at the column's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowColumn {
    Past(u64),
    /// If nothing more is spent.
    Forecast(u64),
}

impl WindowColumn {
    pub fn credits(self) -> u64 {
        match self {
            WindowColumn::Past(credits) | WindowColumn::Forecast(credits) => credits,
        }
    }
}

/// The window over the 24 hours before and the 24 hours after now, `columns` columns each. The last
/// past column is the meter's current value.
pub fn window_series(
    statement: &LedgerReport,
    now: DateTime<Utc>,
    columns: u16,
) -> Vec<WindowColumn> {
    let columns = i32::from(columns.max(1));
    let step = |n: i32| now + METER_WINDOW * n / columns;
    let used = statement
        .reconciliation
        .as_ref()
        .map_or(own_credits_at(statement, now), |settled| settled.used);
    let was = (1 - columns..0).map(step).map(|at| {
        WindowColumn::Past(
            own_credits_at(statement, at).saturating_add(other_credits_at(statement, at)),
        )
    });
    let stays = used.saturating_sub(own_credits_at(statement, now));
    let will_be = (1..=columns).map(step).map(|at| {
        WindowColumn::Forecast(own_credits_remaining(statement, at, now).saturating_add(stays))
    });
    was.chain([WindowColumn::Past(used)])
        .chain(will_be)
        .collect()
}

/// This machine's credits in the window at a past moment.
fn own_credits_at(statement: &LedgerReport, at: DateTime<Utc>) -> u64 {
    saturating_sum(
        statement
            .usage
            .iter()
            .filter(|tally| tally.at > at - METER_WINDOW && tally.at <= at)
            .map(|tally| tally.credits),
    )
}

/// The part of this machine's current credits that is still in the window at a later moment.
fn own_credits_remaining(statement: &LedgerReport, at: DateTime<Utc>, now: DateTime<Utc>) -> u64 {
    saturating_sum(
        statement
            .usage
            .iter()
            .filter(|tally| tally.at > at - METER_WINDOW && tally.at <= now)
            .map(|tally| tally.credits),
    )
}

/// Credits of others in the window, from the last meter reading before `at`.
fn other_credits_at(statement: &LedgerReport, at: DateTime<Utc>) -> u64 {
    let last = statement
        .readings
        .iter()
        .rev()
        .find(|(read, _)| *read <= at);
    last.map_or(0, |(read, used)| {
        used.saturating_sub(own_credits_at(statement, *read))
    })
}

/// Whether credits or the meter are known of three hours ago or longer; less makes no curve.
pub fn has_three_hours(statement: &LedgerReport, now: DateTime<Utc>) -> bool {
    let is_old = |at: DateTime<Utc>| at > now - METER_WINDOW && at <= now - Duration::hours(3);
    let spent = statement.usage.iter().filter(|sum| sum.credits > 0);
    let readings = statement.readings.iter().map(|(at, _)| *at);
    spent.map(|sum| sum.at).chain(readings).any(is_old)
}

/// This machine's credits that leave the window within the next hour.
pub fn credits_expiring_next_hour(statement: &LedgerReport, now: DateTime<Utc>) -> u64 {
    own_credits_remaining(statement, now, now).saturating_sub(own_credits_remaining(
        statement,
        now + Duration::hours(1),
        now,
    ))
}

/// The quarter hour in which most of this machine's credits leave the window, and how many.
pub fn largest_expiry(
    statement: &LedgerReport,
    now: DateTime<Utc>,
) -> Option<(DateTime<Utc>, u64)> {
    let mut quarters: Vec<(DateTime<Utc>, u64)> = Vec::new();
    for tally in statement
        .usage
        .iter()
        .filter(|tally| tally.at > now - METER_WINDOW && tally.at <= now)
    {
        match quarters.last_mut().filter(|(at, _)| *at == tally.at) {
            Some((_, credits)) => *credits = credits.saturating_add(tally.credits),
            None => quarters.push((tally.at, tally.credits)),
        }
    }
    quarters
        .into_iter()
        .max_by_key(|(at, credits)| (*credits, *at))
        .filter(|(_, most)| *most > 0)
        .map(|(at, most)| (at + METER_WINDOW, most))
}

/// When the limit is reached at the pace of the last hour, if within a day.
pub fn ceiling_at(statement: &LedgerReport, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let meter = statement.meter.as_ref().ok()?;
    let left = meter.limit?.saturating_sub(meter.used?);
    let hour = now - Duration::hours(1);
    let pace = saturating_sum(
        statement
            .usage
            .iter()
            .filter(|tally| tally.at > hour)
            .map(|tally| tally.credits),
    );
    let minutes = left.saturating_mul(60).checked_div(pace)?;
    (minutes < 24 * 60).then(|| now + Duration::minutes(i64::try_from(minutes).unwrap_or(0)))
}

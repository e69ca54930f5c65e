//! `gantry queue list --aging`: the signals that leave the queue soon, soonest first.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::client::paging::Pager;
use crate::client::queue;
use crate::domain::exit_status;
use crate::domain::queue::{MAX_QUEUE_PAGE_ROWS, QueueFilter, QueueSignal};

use super::columns::{Column, FieldKind, ID, QUEUE_COLUMNS, column, join_columns};
use super::error::CliError;
use super::print;
use super::session::Session;

/// The columns of the queue, with the days left after the id.
const COLUMNS: &[Column] = &join_columns::<18>(&[
    &[ID, column("days_left", "DAYS LEFT", FieldKind::Days)],
    QUEUE_COLUMNS.split_at(1).1,
]);

/// A signal with its days left.
#[derive(Serialize)]
struct AgingSignal {
    days_left: i64,
    #[serde(flatten)]
    sent: serde_json::Map<String, serde_json::Value>,
}

/// Prints the signals that match and leave the queue within this many days, at most `limit` of
/// them. The exit status is 1 if there are any.
pub(super) async fn print_aging(
    days: i64,
    limit: Option<u32>,
    filter: &QueueFilter,
    session: &Session,
) -> Result<(), CliError> {
    let mut pages: Pager<Box<RawValue>> = Pager::new(
        &session.client,
        queue::list(filter),
        u32::MAX,
        MAX_QUEUE_PAGE_ROWS,
    );
    let mut found = Vec::new();
    while let Some(answer) = pages.next().await? {
        let now = answer.date.unwrap_or_else(Utc::now);
        found.extend(
            answer
                .value
                .rows
                .into_iter()
                .filter_map(|row| Some((days_left(&row, now)?, row))),
        );
    }
    if !pages.is_complete() {
        let line =
            "the service did not send the whole queue, so signals that leave soon may be missing";
        return Err(CliError::failed(line));
    }
    found.retain(|(left, _)| *left <= days);
    found.sort_by_key(|(left, _)| *left);
    let most = limit.map_or(usize::MAX, |limit| limit as usize);
    let rows = found.iter().take(most).map(|(days_left, row)| AgingSignal {
        days_left: *days_left,
        sent: serde_json::from_str(row.get()).unwrap_or_default(),
    });
    session.output.print_rows(rows, COLUMNS)?;
    let within = print::pluralize(days, "day");
    if found.is_empty() {
        print::write_note(&format!("no signal leaves the queue within {within}"));
        return Ok(());
    }
    let all = print::pluralize(found.len(), "signal");
    print::write_note(&match found.len() {
        1 => format!("{all} leaves the queue within {within}"),
        count if count > most => format!("{most} of {all} that leave the queue within {within}"),
        _ => format!("{all} leave the queue within {within}"),
    });
    Err(CliError::silent(exit_status::FAILED))
}

/// Whole days until a row drops off the queue.
fn days_left(row: &RawValue, now: DateTime<Utc>) -> Option<i64> {
    serde_json::from_str::<QueueSignal>(row.get())
        .ok()?
        .days_left(now)
}

//! `gantry queue snooze`, `unsnooze` and `snoozed`: signals put aside on this machine. Nothing is
//! written to the service.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Local, Utc};
use clap::Args;
use serde::Serialize;

use crate::client::paging::Pager;
use crate::client::queue;
use crate::domain::SignalId;
use crate::domain::exit_status;
use crate::domain::queue::{MAX_QUEUE_PAGE_ROWS, QueueFilter, QueueSignal, TriageStatus};
use crate::domain::snooze::{Snooze, SnoozeUntil, check_snooze_text, parse_snooze_until};
use crate::store::snoozes::SnoozeStore;

use super::columns::{
    Column, FILED_AT, FieldKind, ID, PRIORITY, PROJECT, REPORTED_COST, SIGNAL_TYPE, column, hidden,
    text_column,
};
use super::error::{CliError, Context};
use super::ids::{IdArgs, IdList, InvalidId, print_invalid_ids};
use super::list_args::ListArgs;
use super::print;
use super::session::Session;
use super::unchanged_signals::read_queue;

const SNOOZE_COLUMNS: &[Column] = &[
    ID,
    column("snoozed_until", "UNTIL", FieldKind::Time),
    text_column("has_returned", "RETURNED"),
    PRIORITY,
    SIGNAL_TYPE.with_link("source_url"),
    FILED_AT,
    REPORTED_COST,
    PROJECT,
    hidden("project_primary_address"),
    hidden("project_id"),
    hidden("snoozed_at"),
    hidden("returned_at"),
    text_column("snooze_reason", "REASON"),
];

const MAX_REASON_CHARS: usize = 200;

#[derive(Debug, Args)]
pub struct SnoozeArgs {
    /// When they return
    #[arg(long, value_name = "WHEN", value_parser = check_until)]
    until: String,
    /// Why; it stays on this machine and is in the handoff
    #[arg(long, value_name = "TEXT", value_parser = parse_reason)]
    reason: Option<String>,
    #[command(flatten)]
    ids: IdArgs,
}

#[derive(Debug, Args)]
pub struct UnsnoozeArgs {
    /// Signal ids
    #[arg(value_name = "ID", required_unless_present_any = ["stdin", "all"], conflicts_with_all = ["stdin", "all"])]
    ids: Vec<String>,
    /// Read ids from standard input, one per line
    #[arg(long, conflicts_with = "all")]
    stdin: bool,
    /// End all snoozes
    #[arg(long)]
    all: bool,
}

/// A past date may lie ahead on the service's clock, so only the form is checked here.
fn check_until(text: &str) -> Result<String, String> {
    check_snooze_text(text).map(|()| text.to_owned())
}

pub(super) fn parse_reason(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("the reason is empty".to_owned()),
        text if text.chars().count() > MAX_REASON_CHARS || text.contains(char::is_control) => {
            Err(format!(
                "the reason is longer than {MAX_REASON_CHARS} characters or has a control character"
            ))
        }
        text => Ok(text.to_owned()),
    }
}

/// What was done, also printed as JSON.
#[derive(Debug, Serialize)]
struct SnoozeReport {
    snoozed: Vec<SignalId>,
    until: SnoozeUntil,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Signals that are not new in this workspace's queue.
    not_new: Vec<SignalId>,
    bad_lines: Vec<InvalidId>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
}

#[derive(Debug, Serialize)]
struct UnsnoozeReport {
    ended: Vec<SignalId>,
    /// Signals that were not snoozed.
    not_snoozed: Vec<SignalId>,
}

/// A row of `queue snoozed`.
#[derive(Serialize)]
struct SnoozedRow<'a> {
    #[serde(flatten)]
    snooze: &'a Snooze,
    has_returned: bool,
}

pub(super) async fn snooze(args: &SnoozeArgs, session: &Session) -> Result<(), CliError> {
    let given: IdList<SignalId> = args.ids.read().await?;
    let (mut rows, now) = find_new_rows(&given.ids, session)
        .await
        .context("read the signals")?;
    let until =
        parse_snooze_until(&args.until, &now.with_timezone(&Local)).map_err(CliError::usage)?;
    let (dry_run, reason) = (given.dry.dry_run, args.reason.as_deref());
    let snoozes: Vec<Snooze> = given
        .ids
        .iter()
        .filter_map(|id| rows.remove(id))
        .map(|row| Snooze::new(row, now, until).with_reason(reason))
        .collect();
    let snoozed: Vec<SignalId> = snoozes.iter().map(|snooze| snooze.row.signal.id).collect();
    let not_new: Vec<SignalId> = given
        .ids
        .iter()
        .copied()
        .filter(|id| !snoozed.contains(id))
        .collect();
    let outlasting = snoozes
        .iter()
        .filter(|snooze| snooze.outlasts_queue())
        .count();
    if !dry_run {
        snooze_store(session).save(snoozes);
    }
    let count = print::pluralize(snoozed.len(), "signal");
    let sentence = match dry_run {
        true => format!(
            "would snooze {count} until {}; nothing was saved",
            describe_until(until)
        ),
        false => format!(
            "{count} snoozed until {}, on this machine only",
            describe_until(until)
        ),
    };
    let report = SnoozeReport {
        snoozed,
        until,
        reason: args.reason.clone(),
        not_new,
        bad_lines: given.invalid,
        dry_run,
    };
    print_invalid_ids(&report.bad_lines);
    report
        .not_new
        .iter()
        .for_each(|id| print::write_note(&format!("{id}: not new in this queue")));
    session.output.print_summary(&sentence, &report)?;
    if outlasting > 0 {
        print::write_note(&format!(
            "{} will have left the queue by then",
            print::pluralize(outlasting, "signal")
        ));
    }
    match (
        report.snoozed.is_empty(),
        report.not_new.is_empty() && report.bad_lines.is_empty(),
    ) {
        (true, false) => Err(CliError::not_found("no signal was snoozed")),
        (false, false) => Err(CliError::silent(exit_status::FAILED)),
        _ => Ok(()),
    }
}

pub(super) async fn unsnooze(args: &UnsnoozeArgs, session: &Session) -> Result<(), CliError> {
    let snoozed = snoozed_ids(session).await?;
    let asked: Vec<SignalId> = match args.all {
        true => snoozed.iter().copied().collect(),
        false => {
            let given = IdArgs::new(&args.ids, args.stdin, super::dry_run::DryRun::default())
                .read()
                .await?;
            given.report_invalid()?;
            given.ids
        }
    };
    let (ended, not_snoozed): (Vec<SignalId>, Vec<SignalId>) =
        asked.into_iter().partition(|id| snoozed.contains(id));
    snooze_store(session).remove(ended.clone());
    not_snoozed
        .iter()
        .for_each(|id| print::write_note(&format!("{id}: not snoozed")));
    let is_found = not_snoozed.is_empty() || !ended.is_empty();
    let sentence = format!("{} ended", print::pluralize(ended.len(), "snooze"));
    session
        .output
        .print_summary(&sentence, &UnsnoozeReport { ended, not_snoozed })?;
    if is_found {
        Ok(())
    } else {
        Err(CliError::not_found("no snooze was ended"))
    }
}

/// Lists the snoozes as the queue has them now: those of signals that are no longer new end.
pub(super) async fn print_snoozed(list: &ListArgs, session: &Session) -> Result<(), CliError> {
    let store = snooze_store(session);
    let now = session.service_time().await.unwrap_or_else(Utc::now);
    let mut snoozes = load_snoozes(&store, now).await?;
    if snoozes.is_empty() {
        print::write_note("no signal is snoozed on this machine");
    } else {
        match read_queue(&session.client, &TriageStatus::New).await {
            Ok((rows, is_whole)) => update_snoozes(&mut snoozes, &rows, is_whole, now, &store),
            Err(failure) => print::write_note(&format!(
                "as last known; cannot read the queue: {}",
                failure.message
            )),
        }
    }
    let rows = snoozes.iter().map(|snooze| SnoozedRow {
        snooze,
        has_returned: snooze.has_returned(now),
    });
    list.print_rows(rows, SNOOZE_COLUMNS, session.output)
}

/// Updates snoozes from the new signals of the queue. Those of signals that are no longer new end
/// with a note.
fn update_snoozes(
    snoozes: &mut Vec<Snooze>,
    rows: &HashMap<SignalId, QueueSignal>,
    is_whole: bool,
    now: DateTime<Utc>,
    store: &SnoozeStore,
) {
    let mut changed = Vec::new();
    for snooze in snoozes.iter_mut() {
        if let Some(row) = rows.get(&snooze.row.signal.id) {
            snooze.row = row.clone();
        }
        if snooze.returned_at.is_none() && rows.values().any(|row| snooze.is_ended_by(&row.signal))
        {
            snooze.returned_at = Some(now);
            changed.push(snooze.clone());
        }
    }
    if !changed.is_empty() {
        store.save(changed);
    }
    if is_whole {
        let is_new = |snooze: &Snooze| rows.contains_key(&snooze.row.signal.id);
        let (kept, gone): (Vec<_>, Vec<_>) = std::mem::take(snoozes).into_iter().partition(is_new);
        *snoozes = kept;
        store.remove(gone.iter().map(|snooze| snooze.row.signal.id).collect());
        for snooze in gone {
            let name = snooze
                .row
                .signal
                .project_name
                .as_deref()
                .unwrap_or("a signal");
            print::write_note(&format!(
                "{name}: no longer new in the queue; its snooze ended"
            ));
        }
    }
}

/// The signals that are snoozed and have not returned.
pub(super) async fn snoozed_ids(session: &Session) -> Result<HashSet<SignalId>, CliError> {
    let now = session.service_time().await.unwrap_or_else(Utc::now);
    let snoozes = load_snoozes(&snooze_store(session), now).await?;
    Ok(snoozes
        .iter()
        .filter(|snooze| !snooze.has_returned(now))
        .map(|snooze| snooze.row.signal.id)
        .collect())
}

/// The snoozes of signals that are still in the queue's window; the others are forgotten.
pub(super) async fn load_snoozes(
    store: &SnoozeStore,
    now: DateTime<Utc>,
) -> Result<Vec<Snooze>, CliError> {
    let (left, kept): (Vec<_>, Vec<_>) = store
        .load_all()
        .await?
        .into_iter()
        .partition(|snooze| snooze.has_left_queue(now));
    if !left.is_empty() {
        store.remove(left.iter().map(|snooze| snooze.row.signal.id).collect());
    }
    Ok(kept)
}

pub(super) fn snooze_store(session: &Session) -> SnoozeStore {
    session
        .store
        .snoozes(session.meter(), session.client.workspace_id())
}

/// Reads the queue's new signals until these are found. Returns the rows and the time on the
/// service's clock.
async fn find_new_rows(
    ids: &[SignalId],
    session: &Session,
) -> Result<(HashMap<SignalId, QueueSignal>, DateTime<Utc>), CliError> {
    let filter = QueueFilter {
        status: [TriageStatus::New].into(),
        ..QueueFilter::default()
    };
    let mut pages = Pager::<QueueSignal>::new(
        &session.client,
        queue::list(&filter),
        u32::MAX,
        MAX_QUEUE_PAGE_ROWS,
    );
    let (mut rows, mut now) = (HashMap::new(), None);
    let mut missing: HashSet<SignalId> = ids.iter().copied().collect();
    while !missing.is_empty()
        && let Some(page) = pages.next().await?
    {
        now = now.or(page.date);
        rows.extend(
            page.value
                .rows
                .into_iter()
                .filter(|row| missing.remove(&row.signal.id))
                .map(|row| (row.signal.id, row)),
        );
    }
    Ok((rows, now.unwrap_or_else(Utc::now)))
}

pub(super) fn describe_until(until: SnoozeUntil) -> String {
    match until {
        SnoozeUntil::Time(at) => at
            .with_timezone(&Local)
            .format("%A, %-d %B %Y, %H:%M")
            .to_string(),
        SnoozeUntil::NextFiling => "the project's next filing".to_owned(),
    }
}

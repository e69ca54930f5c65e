//! Triages any number of signals in batches of a hundred, and reports what changed, what did not,
//! and why.

use serde::Serialize;

use crate::client::{Client, queue};
use crate::domain::SignalId;
use crate::domain::queue::{MAX_TRIAGE_SIGNALS, TriageStatus};
use crate::domain::request_error::{RequestError, RequestErrorKind};

use super::error::{CliError, Context};
use super::ids::{IdList, InvalidId, count_invalid_ids, print_invalid_ids};
use super::options::OutputFormat;
use super::print;
use super::progress::ProgressReporter;
use super::session::Session;
use super::unchanged_signals::{self, UnchangedReason, UnchangedSignal};

/// Unchanged signals listed on standard error; JSON lists all.
const MAX_UNCHANGED_LISTED: usize = 20;

/// The result, also printed as JSON.
#[derive(Debug, Serialize)]
struct TriageReport {
    status: TriageStatus,
    /// Distinct ids given.
    asked: usize,
    /// Signals whose state changed, by the service's count.
    changed: u64,
    /// Signals sent without effect: they already had the status, or are not in this workspace's
    /// queue.
    unchanged: u64,
    /// The unchanged signals with reasons, as far as the queue shows them.
    not_changed: Vec<UnchangedSignal>,
    /// Signals of a retried batch whose first response was lost: they have the status now, and may
    /// have had it before.
    #[serde(skip_serializing_if = "is_zero")]
    uncounted: u64,
    /// Signals that the service rejected.
    refused: Vec<RejectedSignal>,
    /// Signals that may or may not have been marked.
    unknown: Vec<SignalId>,
    /// The number of signals not sent.
    not_sent: usize,
    /// Invalid input lines.
    bad_lines: Vec<InvalidId>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
}

#[derive(Debug, Serialize)]
struct RejectedSignal {
    id: SignalId,
    message: String,
}

/// What came of the batches besides the counts in the report.
#[derive(Default)]
struct BatchesSent<'i> {
    /// The batches of which fewer changed than were sent, with the number that changed.
    short: Vec<(&'i [SignalId], u64)>,
    /// What ended the sending early.
    failure: Option<RequestError>,
}

pub(super) async fn run(
    given: IdList<SignalId>,
    status: TriageStatus,
    session: &Session,
) -> Result<(), CliError> {
    let dry_run = given.dry.dry_run;
    let mut report = TriageReport {
        status: status.clone(),
        asked: given.ids.len(),
        changed: 0,
        unchanged: 0,
        not_changed: Vec::new(),
        uncounted: 0,
        refused: Vec::new(),
        unknown: Vec::new(),
        not_sent: given.ids.len(),
        bad_lines: given.invalid,
        dry_run,
    };
    let sent = if dry_run {
        BatchesSent::default()
    } else {
        send_batches(&given.ids, &session.client, &mut report).await
    };
    if !sent.short.is_empty() {
        match unchanged_signals::find_unchanged(&session.client, &sent.short, &status).await {
            Ok(signals) => report.not_changed = signals,
            Err(failure) => print::write_note(&format!(
                "cannot list the signals that did not change: {}",
                failure.message
            )),
        }
    }
    print_invalid_ids(&report.bad_lines);
    if given.duplicates > 0 {
        print::write_note(&format!(
            "{} given more than once",
            print::pluralize(given.duplicates, "id")
        ));
    }
    let printed = session.output.print_summary(&summary(&report), &report);
    if session.output.format == OutputFormat::Table {
        let named = report.not_changed.iter().take(MAX_UNCHANGED_LISTED);
        named.for_each(|signal| {
            print::write_note(&format!("{}: {}", signal.id, signal.describe(&status)))
        });
        if report.not_changed.len() > MAX_UNCHANGED_LISTED {
            print::write_note(&format!(
                "and {} more; --json lists all",
                report.not_changed.len() - MAX_UNCHANGED_LISTED
            ));
        }
    }
    sent.failure.map_or(Ok(()), Err).context("mark the rest")?;
    check_report(&report)?;
    printed
}

/// Sends the ids in batches, and counts the results. A rejected batch is split in halves until the
/// invalid id is isolated.
async fn send_batches<'i>(
    ids: &'i [SignalId],
    client: &Client,
    report: &mut TriageReport,
) -> BatchesSent<'i> {
    let mut sent = BatchesSent::default();
    let mut progress = ProgressReporter::new(Some(ids.len()), "signals");
    if ids.len() > MAX_TRIAGE_SIGNALS {
        progress.show_bar();
    }
    // The batches still to send, the next one last.
    let mut waiting: Vec<&[SignalId]> = ids.chunks(MAX_TRIAGE_SIGNALS).rev().collect();
    while let Some(ids) = waiting.pop() {
        progress.set_in_flight(ids.len());
        match client.triage(ids, &report.status).await {
            Ok(answer) => {
                let rest = (ids.len() as u64).saturating_sub(answer.value);
                report.changed += answer.value;
                if answer.was_retried {
                    // The first attempt may have changed what the second did not.
                    report.uncounted += rest;
                } else if rest > 0 {
                    report.unchanged += rest;
                    sent.short.push((ids, answer.value));
                }
            }
            Err(failure) if is_id_error(&failure) && ids.len() > 1 => {
                let (first, second) = ids.split_at(ids.len() / 2);
                waiting.extend([second, first]);
                continue;
            }
            Err(failure) if is_id_error(&failure) => {
                report.refused.extend(ids.iter().map(|&id| RejectedSignal {
                    id,
                    message: failure.message.clone(),
                }));
                // Every id of a full batch was rejected: the ids are not the cause.
                let taken = report.changed + report.unchanged + report.uncounted;
                if taken == 0 && report.refused.len() == MAX_TRIAGE_SIGNALS && !waiting.is_empty() {
                    waiting.clear();
                    sent.failure = Some(failure);
                }
            }
            Err(failure) => {
                if failure.kind == RequestErrorKind::Ambiguous {
                    report.unknown.extend(ids);
                    report.not_sent -= ids.len();
                }
                sent.failure = Some(failure);
                break;
            }
        }
        report.not_sent -= ids.len();
        progress.advance(ids.len());
    }
    sent
}

/// Whether everything given was marked, as far as the command promises it: signals that already had
/// the status are no failure.
fn check_report(report: &TriageReport) -> Result<(), CliError> {
    if let Some(first) = report.refused.first() {
        let refused = print::pluralize(report.refused.len(), "signal");
        return Err(CliError::failed(format!(
            "{refused} not marked: {}",
            first.message
        )));
    }
    if !report.bad_lines.is_empty() {
        return Err(count_invalid_ids(report.bad_lines.len(), report.asked == 0));
    }
    match report
        .not_changed
        .iter()
        .filter(|signal| signal.reason == UnchangedReason::NotInQueue)
        .count()
    {
        0 => Ok(()),
        1 if report.asked == 1 => Err(CliError::not_found("no signal was marked")),
        missing => {
            let line = format!(
                "{} of {} signals are not in this queue",
                missing, report.asked
            );
            Err(CliError::failed(line))
        }
    }
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// Whether a rejection depends on the ids, so that other ids may succeed.
fn is_id_error(failure: &RequestError) -> bool {
    matches!(failure.status(), Some(400 | 404 | 409 | 422))
}

/// "3 not changed (1 already done, 1 not in this queue)".
fn unchanged_summary(report: &TriageReport) -> String {
    let count = |reason| {
        report
            .not_changed
            .iter()
            .filter(|signal| signal.reason == reason)
            .count() as u64
    };
    let (already, missing) = (
        count(UnchangedReason::Already),
        count(UnchangedReason::NotInQueue),
    );
    if already + missing == 0 {
        return format!(
            "{} not changed: already {}, or not in this queue",
            report.unchanged, report.status
        );
    }
    // The rest was new before; new signals carry no mark that would distinguish them from those set
    // to new now.
    let already = already.max(report.unchanged.saturating_sub(missing));
    let parts = [
        (already, format!("already {}", report.status)),
        (missing, "not in this queue".to_owned()),
    ];
    let parts: Vec<_> = parts
        .into_iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, why)| format!("{n} {why}"))
        .collect();
    format!("{} not changed ({})", report.unchanged, parts.join(", "))
}

fn summary(report: &TriageReport) -> String {
    let signals = |n| print::pluralize(n, "signal");
    if report.dry_run {
        return format!(
            "would mark {} as {} with {}; nothing was sent",
            signals(report.asked as u64),
            report.status,
            queue::triage(&[], &report.status)
        );
    }
    let mut parts = vec![format!(
        "{} changed to {}",
        signals(report.changed),
        report.status
    )];
    if report.unchanged > 0 {
        parts.push(unchanged_summary(report));
    }
    if report.uncounted > 0 {
        parts.push(format!(
            "{} are {} now, but a reply was lost: some may have been before",
            report.uncounted, report.status
        ));
    }
    if !report.refused.is_empty() {
        parts.push(format!("{} rejected", report.refused.len()));
    }
    if !report.unknown.is_empty() {
        parts.push(format!("{} unknown", report.unknown.len()));
    }
    if report.not_sent > 0 {
        parts.push(format!("{} not sent", report.not_sent));
    }
    parts.join("; ")
}

//! Any number of signals, sent by hundreds; what was changed, what was not, and why.

use serde::Serialize;

use crate::client::{Client, queue};
use crate::domain::SignalId;
use crate::domain::failure::{Failure, Kind};
use crate::domain::queue::{TRIAGE_MAX, TriageStatus};

use super::ids::{Bad, Given};
use super::output::Output;
use super::print;
use super::progress::Progress;
use super::stop::{self, Stop};

/// What came of it; also the JSON.
#[derive(Debug, Serialize)]
struct Report {
    status: TriageStatus,
    /// Ids that were given, each once.
    asked: usize,
    /// Signals whose state changed, by the service's count.
    changed: u64,
    /// Signals that were sent and did not change: they were so already, or are not in this workspace's queue.
    unchanged: u64,
    /// Signals of a hundred whose first answer was lost: they have the state now, and may have had it before.
    #[serde(skip_serializing_if = "is_zero")]
    uncounted: u64,
    /// Signals that the service refused.
    refused: Vec<Refused>,
    /// Signals of which it is not known whether they were marked.
    unknown: Vec<SignalId>,
    /// Signals that were not sent.
    not_sent: usize,
    /// Lines that are no id.
    bad_lines: Vec<Bad>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
}

#[derive(Debug, Serialize)]
struct Refused {
    id: SignalId,
    message: String,
}

pub(super) async fn run(given: Given<SignalId>, status: TriageStatus, client: &Client, output: Output) -> Result<(), Stop> {
    let dry_run = given.dry.dry_run;
    let mut report = Report {
        status: status.clone(),
        asked: given.ids.len(),
        changed: 0,
        unchanged: 0,
        uncounted: 0,
        refused: Vec::new(),
        unknown: Vec::new(),
        not_sent: given.ids.len(),
        bad_lines: given.bad,
        dry_run,
    };
    let mut broken = None;
    if !dry_run {
        let mut progress = Progress::of(Some(given.ids.len()), "signals");
        if given.ids.len() > TRIAGE_MAX {
            progress.draw();
        }
        // What is still to be sent, the next at the end. A refused hundred is halved until the one that spoils it is alone.
        let mut waiting: Vec<&[SignalId]> = given.ids.chunks(TRIAGE_MAX).rev().collect();
        while let Some(ids) = waiting.pop() {
            progress.under_way(ids.len());
            match client.triage(ids, &status).await {
                Ok(answer) => {
                    let rest = (ids.len() as u64).saturating_sub(answer.value);
                    report.changed += answer.value;
                    // Of a hundred that was sent twice, the first send may have changed what the second did not.
                    *(if answer.repeated { &mut report.uncounted } else { &mut report.unchanged }) += rest;
                }
                Err(failure) if is_about_ids(&failure) && ids.len() > 1 => {
                    let (first, second) = ids.split_at(ids.len() / 2);
                    waiting.extend([second, first]);
                    continue;
                }
                Err(failure) if is_about_ids(&failure) => {
                    report.refused.extend(ids.iter().map(|&id| Refused { id, message: failure.message.clone() }));
                    // Of a whole hundred none was taken: that is not about the ids.
                    let taken = report.changed + report.unchanged + report.uncounted;
                    if taken == 0 && report.refused.len() == TRIAGE_MAX && !waiting.is_empty() {
                        waiting.clear();
                        broken = Some(failure);
                    }
                }
                Err(failure) => {
                    if failure.kind == Kind::Ambiguous {
                        report.unknown.extend(ids);
                        report.not_sent -= ids.len();
                    }
                    broken = Some(failure);
                    break;
                }
            }
            report.not_sent -= ids.len();
            progress.done(ids.len());
        }
    }
    report.bad_lines.iter().for_each(|bad| print::note(&format!("line {}: {:?} is no id", bad.line, bad.text)));
    if given.doubles > 0 {
        print::note(&format!("{} ids were given more than once", given.doubles));
    }
    let said = output.done(&sentence(&report), &report);
    match broken {
        Some(failure) => {
            let stop = Stop::from(failure);
            Err(Stop { line: format!("cannot mark the rest: {}", stop.line), ..stop })
        }
        None if !report.refused.is_empty() => {
            let why = report.refused.first().map(|refused| refused.message.as_str()).unwrap_or_default();
            Err(Stop::new(stop::FAILED, format!("{} signals were not marked: {why}", report.refused.len())))
        }
        None if !report.bad_lines.is_empty() => {
            Err(Stop::new(stop::FAILED, format!("{} lines were no ids", report.bad_lines.len())))
        }
        None => said,
    }
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// A refusal that other ids might not get.
fn is_about_ids(failure: &Failure) -> bool {
    matches!(failure.status(), Some(400 | 404 | 409 | 422))
}

fn sentence(report: &Report) -> String {
    let signals = |n: u64| if n == 1 { "1 signal".to_owned() } else { format!("{n} signals") };
    if report.dry_run {
        return format!(
            "would send {} to {} by {}; nothing was sent",
            signals(report.asked as u64),
            report.status,
            queue::triage(&[], &report.status)
        );
    }
    let mut parts = vec![format!("{} changed to {}", signals(report.changed), report.status)];
    if report.unchanged > 0 {
        parts.push(format!("{} not changed: {} already, or not in this queue", report.unchanged, report.status));
    }
    if report.uncounted > 0 {
        parts.push(format!("{} {} now, changed or not: an answer was lost", report.uncounted, report.status));
    }
    if !report.refused.is_empty() {
        parts.push(format!("{} refused", report.refused.len()));
    }
    if !report.unknown.is_empty() {
        parts.push(format!("{} not known", report.unknown.len()));
    }
    if report.not_sent > 0 {
        parts.push(format!("{} not sent", report.not_sent));
    }
    parts.join("; ")
}

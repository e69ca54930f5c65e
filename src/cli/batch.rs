//! Writes of many records, by hundreds: each item answers for itself, and what failed is told with its reason.

use std::fmt::Display;

use serde::Serialize;

use crate::client::{Client, Request};
use crate::domain::batch::{BATCH_MAX, Item, ItemError};
use crate::domain::failure::Kind;

use super::args::Format;
use super::columns;
use super::ids::Given;
use super::output::{Output, raw};
use super::print;
use super::progress::Progress;
use super::stop::{self, Stop};

/// What came of one record.
#[derive(Debug, Serialize)]
struct Outcome {
    id: String,
    /// `ok`, `error`, `unknown` or `not_sent`.
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ItemError>,
}

/// Sends all ids, a hundred at a time, and prints what came of each. `done` is the word for a success ("saved").
pub(super) async fn run<T: Copy + Display>(
    done: &str,
    given: Given<T>,
    client: &Client,
    output: Output,
    request: impl Fn(&[T]) -> Request,
) -> Result<(), Stop> {
    let mut outcomes: Vec<Outcome> = Vec::new();
    let mut broken = None;
    let mut progress = Progress::of(Some(given.ids.len()), "records");
    if given.ids.len() > BATCH_MAX {
        progress.draw();
    }
    for ids in given.ids.chunks(BATCH_MAX) {
        progress.under_way(ids.len());
        match client.rows::<Item>(request(ids)).await {
            Ok(answer) => outcomes.extend(ids.iter().enumerate().map(|(n, id)| {
                let item = answer.value.rows.iter().find(|item| item.index == n);
                let status = item.map_or("unknown", |item| if item.is_ok() { "ok" } else { "error" });
                Outcome { id: id.to_string(), status, error: item.and_then(|item| item.error.clone()) }
            })),
            Err(failure) => {
                let status = if failure.kind == Kind::Ambiguous { "unknown" } else { "not_sent" };
                outcomes.extend(ids.iter().map(|id| Outcome { id: id.to_string(), status, error: None }));
                broken = Some(failure);
                break;
            }
        }
        progress.done(ids.len());
    }
    drop(progress);
    let sent = outcomes.len();
    outcomes.extend(given.ids.iter().skip(sent).map(|id| Outcome { id: id.to_string(), status: "not_sent", error: None }));
    given.bad.iter().for_each(|bad| print::note(&format!("line {}: {:?} is no id", bad.line, bad.text)));

    let count = |status: &str| outcomes.iter().filter(|outcome| outcome.status == status).count();
    if output.format == Format::Table {
        let mut parts = vec![format!("{} {done}", count("ok"))];
        for (status, word) in [("error", "failed"), ("unknown", "not known"), ("not_sent", "not sent")] {
            if count(status) > 0 {
                parts.push(format!("{} {word}", count(status)));
            }
        }
        print::data(&format!("{}\n", parts.join(", ")))?;
        for outcome in outcomes.iter().filter(|outcome| outcome.status == "error") {
            let error = outcome.error.clone().unwrap_or_default();
            print::note(&format!("{}: {} ({})", outcome.id, error.message, error.code));
        }
    } else {
        let rows: Vec<_> = outcomes.iter().map(raw).collect::<Result<_, _>>()?;
        output.rows(&rows, columns::OUTCOMES)?;
    }
    let failed = outcomes.len() - count("ok");
    match broken {
        Some(failure) => Err(failure.into()),
        None if failed > 0 => Err(Stop::new(stop::FAILED, format!("{failed} of {} records were not {done}", outcomes.len()))),
        None if !given.bad.is_empty() => Err(Stop::new(stop::FAILED, format!("{} lines were no ids", given.bad.len()))),
        None => Ok(()),
    }
}

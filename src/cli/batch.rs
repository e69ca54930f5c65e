//! Record writes: a single record uses the single-record route, many are sent in batches of a
//! hundred. Each item has its own result, and failures are reported with their reasons.

use std::fmt::Display;

use serde::Serialize;
use uuid::Uuid;

use crate::client::{Client, Request};
use crate::domain::batch::{BatchItemError, BatchItemResult, MAX_BATCH_ITEMS};
use crate::domain::request_error::{RequestError, RequestErrorKind};
use crate::domain::{SkillId, ViewId};

use super::columns;
use super::error::CliError;
use super::ids::IdList;
use super::options::OutputFormat;
use super::print;
use super::progress::ProgressReporter;
use super::session::Session;

/// A record that a write changes or creates.
pub(super) trait BatchTarget: Display {
    /// The id of an existing record; `None` for one to be created.
    fn record_id(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl BatchTarget for Uuid {}

impl BatchTarget for ViewId {}

impl BatchTarget for SkillId {}

/// The result for one record.
#[derive(Debug, Serialize)]
struct BatchOutcome {
    /// The record, or the newly created one.
    id: Option<String>,
    /// The input line, for a record to be created.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<String>,
    /// The copy made of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    made: Option<String>,
    /// `ok`, `error`, `unknown` or `not_sent`.
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<BatchItemError>,
}

impl BatchOutcome {
    fn new(
        thing: &impl BatchTarget,
        status: &'static str,
        item: Option<&BatchItemResult>,
    ) -> BatchOutcome {
        let (id, answered) = (
            thing.record_id(),
            item.and_then(|item| Some(item.record.as_ref()?.id.to_string())),
        );
        BatchOutcome {
            input: id.is_none().then(|| thing.to_string()),
            made: answered
                .clone()
                .filter(|made| id.as_ref().is_some_and(|id| id != made)),
            id: id.or(answered),
            status,
            error: item.and_then(|item| item.error.clone()),
        }
    }
}

/// Writes a single record with `one`, many with `many` in batches of a hundred, and prints the
/// result of each. `done` is the word for a success ("saved").
pub(super) async fn run<T: BatchTarget>(
    done: &str,
    given: IdList<T>,
    session: &Session,
    one: impl Fn(&T) -> Request,
    many: impl Fn(&[T]) -> Request,
) -> Result<(), CliError> {
    run_with_preparation(
        MAX_BATCH_ITEMS,
        async |_| Ok(session.client.clone()),
        done,
        given,
        session,
        one,
        many,
    )
    .await
}

/// Like [`run`] with batches of `size`. Right before each is sent, `before` prepares it and returns
/// the client that sends it.
#[allow(
    clippy::too_many_arguments,
    reason = "the arguments of run, plus the preparation"
)]
pub(super) async fn run_with_preparation<T: BatchTarget>(
    size: usize,
    before: impl AsyncFn(&[T]) -> Result<Client, RequestError>,
    done: &str,
    given: IdList<T>,
    session: &Session,
    one: impl Fn(&T) -> Request,
    many: impl Fn(&[T]) -> Request,
) -> Result<(), CliError> {
    let is_single = given.by_record || given.single().is_some();
    let request = |ids: &[T]| {
        ids.first()
            .filter(|_| is_single)
            .map_or_else(|| many(ids), &one)
    };
    let (size, unsent) = if is_single {
        (1, 1)
    } else {
        (size, MAX_BATCH_ITEMS)
    };
    if given.dry.print_unsent(
        session.output,
        &given.ids.chunks(unsent).map(request).collect::<Vec<_>>(),
    )? {
        return given.report_invalid();
    }
    let mut outcomes: Vec<BatchOutcome> = Vec::new();
    let mut broken = None;
    let mut progress = ProgressReporter::new(Some(given.ids.len()), "records");
    if given.ids.len() > MAX_BATCH_ITEMS {
        progress.show_bar();
    }
    for ids in given.ids.chunks(size) {
        progress.set_in_flight(ids.len());
        let written = match before(ids).await {
            Ok(client) => send_items(&client, request(ids), is_single).await,
            Err(failure) => Err(failure),
        };
        match written {
            Ok(items) => outcomes.extend(ids.iter().enumerate().map(|(n, id)| {
                let item = items.iter().find(|item| item.index == n);
                let status =
                    item.map_or("unknown", |item| if item.is_ok() { "ok" } else { "error" });
                BatchOutcome::new(id, status, item)
            })),
            Err(failure) => {
                let status = if failure.kind == RequestErrorKind::Ambiguous {
                    "unknown"
                } else {
                    "not_sent"
                };
                outcomes.extend(ids.iter().map(|id| BatchOutcome::new(id, status, None)));
                broken = Some(failure);
                break;
            }
        }
        progress.advance(ids.len());
    }
    drop(progress);
    let sent = outcomes.len();
    outcomes.extend(
        given
            .ids
            .iter()
            .skip(sent)
            .map(|id| BatchOutcome::new(id, "not_sent", None)),
    );
    outcomes.extend(
        given
            .missing
            .iter()
            .map(|id| BatchOutcome::new(id, "error", Some(&not_found_item()))),
    );

    let count = |status: &str| {
        outcomes
            .iter()
            .filter(|outcome| outcome.status == status)
            .count()
    };
    let printed = if session.output.format == OutputFormat::Table {
        let or_missing = if given.ok_if_missing && count("ok") > 0 {
            " or not found"
        } else {
            ""
        };
        let mut parts = vec![format!("{} {done}{or_missing}", count("ok"))];
        for (status, word) in [
            ("error", "failed"),
            ("unknown", "unknown"),
            ("not_sent", "not sent"),
        ] {
            if count(status) > 0 {
                parts.push(format!("{} {word}", count(status)));
            }
        }
        let written = print::write_data(&format!("{}\n", parts.join(", ")));
        for (thing, outcome) in given
            .ids
            .iter()
            .chain(&given.missing)
            .zip(&outcomes)
            .filter(|(_, outcome)| outcome.status == "error")
        {
            let error = outcome.error.clone().unwrap_or_default();
            print::write_note(&format!("{thing}: {} ({})", error.message, error.code));
        }
        written.map_err(CliError::from)
    } else {
        session
            .output
            .print_rows(&outcomes, columns::OUTCOME_COLUMNS)
    };
    let failed = outcomes.len() - count("ok");
    let bad = given.report_invalid();
    let is_missing = |outcome: &BatchOutcome| {
        outcome
            .error
            .as_ref()
            .is_some_and(|error| error.code == "not_found")
    };
    match broken {
        Some(failure) => Err(failure.into()),
        None if given.ids.len() + given.missing.len() == 1 && outcomes.iter().all(is_missing) => {
            Err(CliError::not_found(format!("the record was not {done}")))
        }
        None if failed > 0 => Err(CliError::failed(format!(
            "{failed} of {} records were not {done}",
            outcomes.len()
        ))),
        None => bad.and(printed),
    }
}

/// The result of a record that is known not to exist.
fn not_found_item() -> BatchItemResult {
    let error = BatchItemError {
        code: "not_found".to_owned(),
        message: "not found".to_owned(),
    };
    BatchItemResult {
        status: "error".to_owned(),
        error: Some(error),
        ..BatchItemResult::ok()
    }
}

async fn send_items(
    client: &Client,
    request: Request,
    is_single: bool,
) -> Result<Vec<BatchItemResult>, RequestError> {
    if is_single {
        Ok(vec![client.write_item(request).await?])
    } else {
        client.fetch_all(request).await
    }
}

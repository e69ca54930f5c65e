//! Writes of records: one by the route for one, many by hundreds. Each item answers for itself, and what failed is told with its
//! reason.

use std::fmt::Display;

use serde::Serialize;
use uuid::Uuid;

use crate::client::{Client, Request};
use crate::domain::batch::{BatchItemError, BatchItemResult, MAX_BATCH_ITEMS};
use crate::domain::failure::{RequestError, RequestErrorKind};
use crate::domain::{SkillId, ViewId};

use super::args::Format;
use super::columns;
use super::ids::Given;
use super::output::{Output, raw};
use super::print;
use super::progress::Progress;
use super::stop::{self, Stop};

/// What a write is about.
pub(super) trait Thing: Display {
    /// The record, where it is there already.
    fn id(&self) -> Option<String>;
}

impl Thing for Uuid {
    fn id(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl Thing for ViewId {
    fn id(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl Thing for SkillId {
    fn id(&self) -> Option<String> {
        Some(self.to_string())
    }
}

/// What came of one record.
#[derive(Debug, Serialize)]
struct Outcome {
    /// The record; of one that was to be made, the new one.
    id: Option<String>,
    /// What stands for a record that was to be made.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<String>,
    /// The copy that was made of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    made: Option<String>,
    /// `ok`, `error`, `unknown` or `not_sent`.
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<BatchItemError>,
}

impl Outcome {
    fn of(thing: &impl Thing, status: &'static str, item: Option<&BatchItemResult>) -> Outcome {
        let (id, answered) = (thing.id(), item.and_then(|item| Some(item.record.as_ref()?.id.to_string())));
        Outcome {
            input: id.is_none().then(|| thing.to_string()),
            made: answered.clone().filter(|made| id.as_ref().is_some_and(|id| id != made)),
            id: id.or(answered),
            status,
            error: item.and_then(|item| item.error.clone()),
        }
    }
}

/// Writes on one record by `one`, on many by `many`, a hundred at a time, and prints what came of each. `done` is the word for a
/// success ("saved").
pub(super) async fn run<T: Thing>(
    done: &str,
    given: Given<T>,
    client: &Client,
    output: Output,
    one: impl Fn(&T) -> Request,
    many: impl Fn(&[T]) -> Request,
) -> Result<(), Stop> {
    run_after(MAX_BATCH_ITEMS, async |_| Ok(()), done, given, client, output, one, many).await
}

/// The same, so many at a time, and with something to do right before each of these requests is made.
#[allow(clippy::too_many_arguments, reason = "those of run, and what is done before")]
pub(super) async fn run_after<T: Thing>(
    size: usize,
    before: impl AsyncFn(&[T]) -> Result<(), RequestError>,
    done: &str,
    given: Given<T>,
    client: &Client,
    output: Output,
    one: impl Fn(&T) -> Request,
    many: impl Fn(&[T]) -> Request,
) -> Result<(), Stop> {
    let request = |ids: &[T]| given.alone().map_or_else(|| many(ids), &one);
    if given.dry.tells(output, &given.ids.chunks(MAX_BATCH_ITEMS).map(request).collect::<Vec<_>>())? {
        return given.bad_lines();
    }
    let mut outcomes: Vec<Outcome> = Vec::new();
    let mut broken = None;
    let mut progress = Progress::of(Some(given.ids.len()), "records");
    if given.ids.len() > MAX_BATCH_ITEMS {
        progress.draw();
    }
    for ids in given.ids.chunks(size) {
        progress.under_way(ids.len());
        let written = match before(ids).await {
            Ok(()) => items(client, request(ids), given.alone().is_some()).await,
            Err(failure) => Err(failure),
        };
        match written {
            Ok(items) => outcomes.extend(ids.iter().enumerate().map(|(n, id)| {
                let item = items.iter().find(|item| item.index == n);
                let status = item.map_or("unknown", |item| if item.is_ok() { "ok" } else { "error" });
                Outcome::of(id, status, item)
            })),
            Err(failure) => {
                let status = if failure.kind == RequestErrorKind::Ambiguous { "unknown" } else { "not_sent" };
                outcomes.extend(ids.iter().map(|id| Outcome::of(id, status, None)));
                broken = Some(failure);
                break;
            }
        }
        progress.done(ids.len());
    }
    drop(progress);
    let sent = outcomes.len();
    outcomes.extend(given.ids.iter().skip(sent).map(|id| Outcome::of(id, "not_sent", None)));
    outcomes.extend(given.missing.iter().map(|id| Outcome::of(id, "error", Some(&not_there()))));

    let count = |status: &str| outcomes.iter().filter(|outcome| outcome.status == status).count();
    let said = if output.format == Format::Table {
        let or_missing = if given.ok_if_missing && count("ok") > 0 { " or not there" } else { "" };
        let mut parts = vec![format!("{} {done}{or_missing}", count("ok"))];
        for (status, word) in [("error", "failed"), ("unknown", "not known"), ("not_sent", "not sent")] {
            if count(status) > 0 {
                parts.push(format!("{} {word}", count(status)));
            }
        }
        let said = print::data(&format!("{}\n", parts.join(", ")));
        for (thing, outcome) in
            given.ids.iter().chain(&given.missing).zip(&outcomes).filter(|(_, outcome)| outcome.status == "error")
        {
            let error = outcome.error.clone().unwrap_or_default();
            print::note(&format!("{thing}: {} ({})", error.message, error.code));
        }
        said.map_err(Stop::from)
    } else {
        let rows: Vec<_> = outcomes.iter().map(raw).collect::<Result<_, _>>()?;
        output.rows(&rows, columns::OUTCOMES)
    };
    let failed = outcomes.len() - count("ok");
    let bad = given.bad_lines();
    let is_missing = |outcome: &Outcome| outcome.error.as_ref().is_some_and(|error| error.code == "not_found");
    match broken {
        Some(failure) => Err(failure.into()),
        None if given.ids.len() + given.missing.len() == 1 && outcomes.iter().all(is_missing) => {
            Err(Stop::new(stop::NOT_FOUND, format!("the record was not {done}")))
        }
        None if failed > 0 => Err(Stop::new(stop::FAILED, format!("{failed} of {} records were not {done}", outcomes.len()))),
        None => bad.and(said),
    }
}

/// The item of a record that is known not to be there.
fn not_there() -> BatchItemResult {
    let error = BatchItemError { code: "not_found".to_owned(), message: "it is not there".to_owned() };
    BatchItemResult { status: "error".to_owned(), error: Some(error), ..BatchItemResult::ok() }
}

async fn items(client: &Client, request: Request, alone: bool) -> Result<Vec<BatchItemResult>, RequestError> {
    if alone { Ok(vec![client.item(request).await?]) } else { Ok(client.rows(request).await?.value.rows) }
}

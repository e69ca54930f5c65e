//! `gantry brief`: what to know before a call, from what was read.

use chrono::{DateTime, Local, Utc};
use clap::Args;
use serde::Serialize;
use uuid::Uuid;

use crate::client::{book, data};
use crate::domain::ProjectId;
use crate::domain::book::{Dataset, RecordKind};
use crate::domain::brief::{BriefLine, BriefSources, write_brief};
use crate::domain::projects::ProjectDetails;
use crate::domain::records::{Record, RecordFields, RecordKey};
use crate::store::records::StoredRecord;

use super::book::parse_kind;
use super::columns::{Column, text_column};
use super::data::includes_or_all;
use super::error::{CliError, Context};
use super::options::OutputFormat;
use super::print;
use super::session::Session;

const BRIEF_COLUMNS: &[Column] = &[text_column("label", "ABOUT"), text_column("text", "BRIEF")];

#[derive(Debug, Args)]
#[command(
    after_help = "Example: gantry --demo brief --kind accounts $(gantry --demo book search accounts --limit 1 --json id --jq '.[].id')"
)]
pub struct BriefArgs {
    /// Name of a record that was opened on this machine, or an id
    #[arg(value_name = "NAME", required = true)]
    who: Vec<String>,
    /// Kind of the record
    #[arg(long, value_parser = parse_kind())]
    kind: Option<RecordKind>,
    /// Read the record again, for 1 credit
    #[arg(long)]
    refresh: bool,
}

/// A brief as JSON.
#[derive(Serialize)]
struct Brief<'a> {
    dataset: &'a Dataset,
    id: Uuid,
    name: &'a str,
    read_at: DateTime<Utc>,
    lines: &'a [BriefLine],
}

pub(super) async fn run(args: &BriefArgs, session: &Session) -> Result<(), CliError> {
    let key = find_record(args, session).await?;
    let now = session.service_time().await.unwrap_or_else(Utc::now);
    let stored = match args.refresh {
        true => None,
        false => session.record_store().get(key.clone(), now).await?,
    };
    let kept = match stored {
        Some(kept) => kept,
        None => read_record(&key, now, session).await?,
    };
    let fields = kept.record.fields();
    let lines = write_brief(BriefSources {
        dataset: &key.dataset,
        id: key.id,
        fields: &fields,
        projects: &read_projects(&fields, session).await?,
        now: now.with_timezone(&Local).naive_local(),
    });
    let name = fields.text("name").unwrap_or("unnamed");
    if matches!(
        session.output.format,
        OutputFormat::Table | OutputFormat::Csv
    ) {
        let read_at = kept.read_at.with_timezone(&Local);
        let read_at = read_at.format("%Y-%m-%d %H:%M");
        print::write_note(&format!("{name}, as read {read_at}"));
        return session.output.print_rows(&lines, BRIEF_COLUMNS);
    }
    let brief = Brief {
        dataset: &key.dataset,
        id: key.id,
        name,
        read_at: kept.read_at,
        lines: &lines,
    };
    session.output.print_json(&brief)
}

/// Finds the record that is meant: an id, or the name of one that is stored.
async fn find_record(args: &BriefArgs, session: &Session) -> Result<RecordKey, CliError> {
    let who = args.who.join(" ");
    let kind = args.kind.as_ref();
    let is_kind = |key: &RecordKey| kind.is_none_or(|kind| Dataset::from(kind) == key.dataset);
    let id = who.parse::<Uuid>().ok();
    let mut found = session.record_store().find_named(&who, id).await?;
    found.retain(|(key, _)| is_kind(key));
    let is_exact = |(_, name): &(RecordKey, String)| name.eq_ignore_ascii_case(&who);
    if found.iter().any(is_exact) {
        found.retain(is_exact);
    }
    // A record may be stored as read from the book and from the index.
    let one = match found.as_slice() {
        [(first, _), rest @ ..] if rest.iter().all(|(key, _)| key.id == first.id) => Some(first),
        _ => None,
    };
    match (one, id) {
        (Some(key), _) => Ok(key.clone()),
        (None, Some(id)) => match kind {
            Some(kind) => Ok(RecordKey::for_book(kind, id)),
            None => {
                let line = "no record with this id was opened on this machine";
                Err(CliError::usage(line).with_hint("--kind accounts reads it, for 1 credit"))
            }
        },
        (None, None) if found.is_empty() => {
            let line = format!("no record named {who:?} was opened on this machine");
            let hint = format!("gantry book search accounts {who:?} finds its id, 1 credit a row");
            Err(CliError::not_found(line).with_hint(hint))
        }
        (None, None) => {
            let names = found.iter().take(5);
            let names = names.map(|(key, name)| format!("{name} ({})", key.id));
            let names: Vec<String> = names.collect();
            let line = format!("{who:?} is in several names: {}", names.join("; "));
            Err(CliError::usage(line).with_hint("use an id"))
        }
    }
}

/// Reads a record of the book, or else of the index, for 1 credit, and keeps it.
async fn read_record(
    key: &RecordKey,
    now: DateTime<Utc>,
    session: &Session,
) -> Result<StoredRecord, CliError> {
    let kind = RecordKind::from(key.dataset.as_str());
    let includes = || includes_or_all(&[], &key.dataset);
    let client = &session.client;
    let what = format!("read {}", key.id);
    let in_book = client.fetch_value::<Record>(book::get(&kind, key.id, includes()));
    let (response, is_in_book) = match in_book.await {
        Err(failure) if failure.status() == Some(404) => {
            let request = data::get(&key.dataset, key.id, includes());
            (client.fetch_value::<Record>(request).await, false)
        }
        response => (response, true),
    };
    let response = response.context(&what)?;
    session.output.print_cost(response.credits);
    let kept = StoredRecord {
        record: response.value,
        credits: response.credits,
        read_at: now,
    };
    let key = RecordKey {
        in_book: is_in_book,
        ..key.clone()
    };
    session.record_store().save(key, kept.clone());
    Ok(kept)
}

/// The record's projects that are stored, with their firms.
async fn read_projects(
    fields: &RecordFields,
    session: &Session,
) -> Result<Vec<ProjectDetails>, CliError> {
    let projects = fields.embedded_records("projects");
    let ids = projects.iter().map(|project| ProjectId(project.id));
    let store = session.record_store();
    let stored = store.find_facts(ids.collect(), false).await?;
    Ok(stored
        .iter()
        .filter_map(|(_, record)| record.fields().parse())
        .collect())
}

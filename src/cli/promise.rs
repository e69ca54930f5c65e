//! `gantry promise`: what the team said it would do for a record, on which day. A promise is a line
//! of the record's shared note; see [`crate::domain::promises`].

use chrono::{DateTime, Local, NaiveDateTime, Utc};
use clap::{Args, Subcommand};
use serde::Serialize;
use uuid::Uuid;

use crate::domain::annotate::append_note;
use crate::domain::book::{Annotation, RecordKind};
use crate::domain::patch::Patch;
use crate::domain::person::Person;
use crate::domain::promises::{
    Closing, Promise, PromisingNote, close_promise, describe_due, open_promises,
};
use crate::domain::records::Record;
use crate::store::promises::PromiseStore;

use super::book::{parse_kind, read_record};
use super::columns::{Column, hidden, text_column};
use super::error::{CliError, Context};
use super::list_args::ListArgs;
use super::print;
use super::record_annotation::{ReadRecord, find_caller};
use super::session::Session;

const PROMISE_COLUMNS: &[Column] = &[
    text_column("due", "DUE"),
    text_column("text", "PROMISE"),
    text_column("name", "RECORD"),
    text_column("by", "BY"),
    hidden("day"),
    hidden("time"),
    hidden("is_due"),
    hidden("kind"),
    hidden("id"),
    hidden("noted_at"),
];

#[derive(Debug, Subcommand)]
pub enum PromiseCommand {
    /// List the open promises in the notes that this machine has read, what is due first
    #[command(after_help = "Example: gantry --demo promise list --due --json")]
    List(PromiseListArgs),
    /// Promise something for a record, as a line of its note for everyone; 1 credit
    #[command(
        after_help = "Example: gantry --demo promise add accounts $(gantry --demo book search accounts --limit 1 --json id --jq '.[].id') 'thu 9:30 call Ann about glazing'"
    )]
    Add(NewPromiseArgs),
    /// Say in the note that a promise was kept; 1 credit
    #[command(
        after_help = "Example: gantry promise done accounts aa920b28-bbc7-4f25-bc35-ea1328912f19 --about glazing"
    )]
    Done(PromiseArgs),
    /// Move a promise to another day; 1 credit
    #[command(
        after_help = "Example: gantry promise move accounts aa920b28-bbc7-4f25-bc35-ea1328912f19 --to 'fri 9:30'"
    )]
    Move(MovePromiseArgs),
    /// Say in the note that nothing comes of a promise; 1 credit
    #[command(
        after_help = "Example: gantry promise drop accounts aa920b28-bbc7-4f25-bc35-ea1328912f19"
    )]
    Drop(PromiseArgs),
}

#[derive(Debug, Args)]
pub struct PromiseListArgs {
    /// Only what is due by now
    #[arg(long)]
    due: bool,
    #[command(flatten)]
    list: ListArgs,
}

#[derive(Debug, Args)]
struct RecordArgs {
    /// Kind of the record
    #[arg(value_parser = parse_kind())]
    kind: RecordKind,
    /// Id of the record
    #[arg(value_name = "ID")]
    id: Uuid,
}

#[derive(Debug, Args)]
pub struct NewPromiseArgs {
    #[command(flatten)]
    record: RecordArgs,
    /// The day, with an hour if you like, and what is promised: "thu 9:30 call Ann"
    #[arg(value_name = "WORDS", required = true)]
    words: Vec<String>,
}

#[derive(Debug, Args)]
pub struct PromiseArgs {
    #[command(flatten)]
    record: RecordArgs,
    /// The promise whose words contain this; without it, the one that is due first
    #[arg(long, value_name = "WORDS")]
    about: Option<String>,
}

#[derive(Debug, Args)]
pub struct MovePromiseArgs {
    #[command(flatten)]
    promise: PromiseArgs,
    /// The new day: fri, "fri 9:30", 3d, 2026-12-04
    #[arg(long, value_name = "WHEN")]
    to: String,
}

/// A promise, as listed and reported.
#[derive(Serialize)]
struct PromiseRow<'a> {
    day: String,
    time: Option<String>,
    /// Seen from now.
    due: String,
    is_due: bool,
    text: &'a str,
    by: Option<&'a str>,
    kind: &'a RecordKind,
    id: Uuid,
    name: &'a str,
    noted_at: DateTime<Utc>,
}

impl<'a> PromiseRow<'a> {
    fn new(note: &'a PromisingNote, promise: &'a Promise, now: NaiveDateTime) -> PromiseRow<'a> {
        PromiseRow {
            day: promise.day.to_string(),
            time: promise.time.map(|time| time.format("%H:%M").to_string()),
            due: describe_due(promise.due(), now),
            is_due: promise.due() <= now,
            text: &promise.text,
            by: promise.by.as_deref(),
            kind: &note.kind,
            id: note.id,
            name: &note.name,
            noted_at: note.noted_at,
        }
    }
}

pub(super) async fn run(verb: &PromiseCommand, session: &Session) -> Result<(), CliError> {
    let now = session.service_time().await.unwrap_or_else(Utc::now);
    let now = now.with_timezone(&Local);
    let today = now.date_naive();
    match verb {
        PromiseCommand::List(args) => print_promises(args, now.naive_local(), session).await,
        PromiseCommand::Add(args) => add_promise(args, &now, session).await,
        PromiseCommand::Done(args) => close(args, Closing::Kept(today), &now, session).await,
        PromiseCommand::Drop(args) => close(args, Closing::Dropped(today), &now, session).await,
        PromiseCommand::Move(args) => {
            let closing = Closing::move_to(&args.to, &now).map_err(CliError::usage)?;
            close(&args.promise, closing, &now, session).await
        }
    }
}

async fn print_promises(
    args: &PromiseListArgs,
    now: NaiveDateTime,
    session: &Session,
) -> Result<(), CliError> {
    let store = promise_store(session);
    let notes = store.load_all().await?;
    let open: Vec<(&PromisingNote, Promise)> = notes
        .iter()
        .flat_map(|note| open_promises(&note.text).map(move |promise| (note, promise)))
        .collect();
    let mut rows: Vec<PromiseRow<'_>> = open
        .iter()
        .filter(|(_, promise)| !args.due || promise.due() <= now)
        .map(|(note, promise)| PromiseRow::new(note, promise, now))
        .collect();
    rows.sort_by(|one, other| (&one.day, &one.time).cmp(&(&other.day, &other.time)));
    if rows.is_empty() {
        let due = if args.due { "due" } else { "promised" };
        print::write_note(&format!(
            "nothing is {due} in the notes that this machine has read"
        ));
    }
    args.list.print_rows(rows, PROMISE_COLUMNS, session.output)
}

fn promise_store(session: &Session) -> PromiseStore {
    session
        .store
        .promises(session.meter(), session.client.workspace_id())
}

async fn add_promise(
    args: &NewPromiseArgs,
    now: &DateTime<Local>,
    session: &Session,
) -> Result<(), CliError> {
    let words = args.words.join(" ");
    let mut promise = Promise::from_words(&words, None, now).map_err(CliError::usage)?;
    let what = "promise something";
    let me = find_caller(&session.client).await.context(what)?;
    promise.by = me.map(|me| me.label(None).to_owned());
    let add = |note: &str| match open_promises(note).any(|open| open == promise) {
        true => Err(CliError::failed("its note promises this already")),
        false => Ok(append_note(note, &promise.to_string())),
    };
    let local_now = now.naive_local();
    let due = describe_due(promise.due(), local_now);
    let verb = format!("promise for {due}: {}", promise.text);
    let note = write_note(&args.record, add, &verb, session).await?;
    let sentence = format!("promised for {due}: {}, {}", promise.text, note.name);
    let row = PromiseRow::new(&note, &promise, local_now);
    session.output.print_summary(&sentence, &row)
}

async fn close(
    args: &PromiseArgs,
    closing: Closing,
    now: &DateTime<Local>,
    session: &Session,
) -> Result<(), CliError> {
    let me = find_caller(&session.client)
        .await
        .context("close a promise")?;
    let mut closed = None;
    let close = |note: &str| {
        let promise = choose_promise(note, args.about.as_deref(), me.as_ref())?;
        let after = close_promise(note, &promise, &closing);
        closed = Some(promise);
        after.ok_or_else(|| CliError::failed("its note has changed"))
    };
    let local_now = now.naive_local();
    let how = closing.describe(local_now);
    let note = write_note(&args.record, close, &format!("promise {how}"), session).await?;
    let Some(promise) = closed else {
        return Ok(());
    };
    let sentence = format!("{how}: {}, {}", promise.text, note.name);
    let open = promise.successor(&closing);
    let row = PromiseRow::new(&note, open.as_ref().unwrap_or(&promise), local_now);
    session.output.print_summary(&sentence, &row)
}

/// The promise that is meant: the first that is due and not a colleague's, or the only one.
fn choose_promise(
    note: &str,
    about: Option<&str>,
    me: Option<&Person>,
) -> Result<Promise, CliError> {
    let wanted = about.unwrap_or_default().to_lowercase();
    let is_meant = |promise: &Promise| promise.text.to_lowercase().contains(&wanted);
    let meant: Vec<Promise> = open_promises(note).filter(is_meant).collect();
    let is_me = |by: &str| me.is_some_and(|me| me.is_called(by));
    let own = meant
        .iter()
        .filter(|promise| promise.by.as_deref().is_none_or(is_me));
    match (own.min(), meant.as_slice(), about) {
        (Some(own), ..) => Ok(own.clone()),
        (None, [one], _) => Ok(one.clone()),
        (None, [], Some(about)) => Err(CliError::not_found(format!(
            "no open promise about {about:?} in its note"
        ))),
        (None, [], None) => Err(CliError::not_found("no open promise in its note")),
        (None, several, _) => {
            let lines = several.iter().map(ToString::to_string);
            let line = format!(
                "several promises of colleagues are open: {}",
                lines.collect::<Vec<_>>().join("; ")
            );
            Err(CliError::usage(line).with_hint("--about chooses one"))
        }
    }
}

/// Reads a record, and writes its note as `change` makes it of the one that is there.
async fn write_note(
    record: &RecordArgs,
    change: impl FnOnce(&str) -> Result<String, CliError>,
    verb: &str,
    session: &Session,
) -> Result<PromisingNote, CliError> {
    let (kind, id) = (&record.kind, record.id);
    let what = format!("write the note of {id}");
    let read = read_record(kind, id, &session.client)
        .await
        .context(&what)?;
    let before = read.as_ref().map(Record::fields);
    let text = |name| before.as_ref().and_then(|fields| fields.text(name));
    let known = session.store.record_names(vec![id]).await;
    let known = known.ok().and_then(|mut names| names.remove(&id));
    let name = text("name").map(str::to_owned).or(known);
    let name = name.unwrap_or_else(|| id.to_string());
    session.output.print_cost(read.as_ref().map(|_| 1));
    let note = change(text("notes").unwrap_or_default())?;
    let after = Annotation {
        notes: Patch::Set(note.clone()),
        ..Annotation::default()
    };
    let record = ReadRecord {
        kind,
        id,
        before: before.as_ref(),
    };
    let description = format!("{verb}: {name}");
    let written = record
        .annotate(after, "promise", description, session)
        .await
        .context(&what)?;
    let refusal = match written {
        None => Some("the service did not say whether it was written".to_owned()),
        Some(item) => item.error.map(|refused| refused.message),
    };
    if let Some(why) = refusal {
        return Err(CliError::failed(format!("cannot {what}: {why}")));
    }
    let note = PromisingNote {
        kind: kind.clone(),
        id,
        name,
        text: note,
        noted_at: session.service_time().await.unwrap_or_else(Utc::now),
    };
    promise_store(session).save(note.clone());
    Ok(note)
}

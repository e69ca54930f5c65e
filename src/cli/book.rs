//! `gantry book`: the records that the workspace has saved, and their annotations.

use std::cell::RefCell;
use std::collections::HashMap;

use chrono::Utc;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use futures_util::future::join_all;
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::client::Client;
use crate::client::book::{self, RecordRef};
use crate::domain::annotate::append_note;
use crate::domain::book::{Annotation, Dataset, IcpTier, RecordKind};
use crate::domain::journal::{EntryCause, JournalChange, JournalEntry};
use crate::domain::patch::Patch;
use crate::domain::records::{Record, RecordFields};
use crate::domain::request_error::{RequestError, RequestErrorKind};
use crate::domain::writes::ReversibleWrite;

use super::book_import::{self, BookImportArgs};
use super::dry_run::DryRun;
use super::error::{CliError, Context};
use super::ids::{IdArgs, IdList, parse_id};
use super::search_args::SearchArgs;
use super::session::Session;
use super::word_args::parse_explained_word;
use super::{batch, columns, data, paging, print};

/// Records read together right before they are written. Matches the client's limit of concurrent
/// requests.
const MAX_CONCURRENT_READS: usize = 4;

/// The book: what to do, then with which records, as in `data search projects`. The other order is
/// accepted too.
#[derive(Debug, Subcommand)]
pub enum BookCommand {
    /// Search the book; 1 credit per row
    #[command(after_help = "Example: gantry --demo book search accounts icp_tier=tier_1 --limit 5")]
    Search {
        /// Records to search
        #[arg(value_parser = parse_kind())]
        kind: RecordKind,
        #[command(flatten)]
        search: BookSearchArgs,
    },
    /// Show a record and its related records; 1 credit
    #[command(
        after_help = "Example: gantry --demo book show accounts $(gantry --demo book search accounts --limit 1 --json id --jq '.[].id')"
    )]
    Show {
        /// Kind of the record
        #[arg(value_parser = parse_kind())]
        kind: RecordKind,
        #[command(flatten)]
        show: BookShowArgs,
    },
    /// Save records in the book and annotate them; fields that are not given stay as they are
    #[command(
        after_help = "Example: gantry --demo data search accounts state=TX --limit 3 --json | gantry --demo book set accounts --stdin --status called --tag +austin"
    )]
    Set {
        /// Kind of the records
        #[arg(value_parser = parse_kind())]
        kind: RecordKind,
        #[command(flatten)]
        set: Box<AnnotateArgs>,
    },
    /// Remove records from the book; their annotations are lost
    #[command(
        after_help = "Example: gantry --demo book search contacts --limit 3 --json | gantry --demo book remove contacts --stdin"
    )]
    Remove {
        /// Kind of the records
        #[arg(value_parser = parse_kind())]
        kind: RecordKind,
        #[command(flatten)]
        ids: IdArgs,
    },
    /// Firms: search, show, set, remove
    #[command(subcommand, hide = true)]
    Accounts(BookAction),
    /// People: search, show, set, remove
    #[command(subcommand, hide = true)]
    Contacts(BookAction),
    /// Projects: search, show, set, remove
    #[command(subcommand, hide = true)]
    Projects(BookAction),
    /// Match a list of names, domains, email addresses or addresses with the index, and save what
    /// is found; at most 5 credits per line
    Import(BookImportArgs),
}

/// The same after the kind of the records.
#[derive(Debug, Subcommand)]
pub enum BookAction {
    /// Search the book; 1 credit per row
    #[command(after_help = "Example: gantry --demo book accounts search icp_tier=tier_1 --limit 5")]
    Search(BookSearchArgs),
    /// Show a record and its related records; 1 credit
    #[command(
        after_help = "Example: gantry --demo book accounts show $(gantry --demo book accounts search --limit 1 --format csv | tail -n +2 | cut -d, -f1)"
    )]
    Show(BookShowArgs),
    /// Save records in the book and annotate them; fields that are not given stay as they are
    #[command(
        after_help = "Example: gantry --demo data search accounts state=TX --limit 3 --json | gantry --demo book accounts set --stdin --status called --tag +austin"
    )]
    Set(Box<AnnotateArgs>),
    /// Remove records from the book; their annotations are lost
    #[command(
        after_help = "Example: gantry --demo book contacts search --limit 3 --json | gantry --demo book contacts remove --stdin"
    )]
    Remove(IdArgs),
}

pub(super) fn parse_kind() -> impl TypedValueParser<Value = RecordKind> {
    parse_explained_word([
        ("accounts", "Firms"),
        ("contacts", "People"),
        ("projects", "Projects"),
    ])
}

#[derive(Debug, Args)]
pub struct BookSearchArgs {
    #[command(flatten)]
    criteria: SearchArgs,
    /// Text to search for
    #[arg(long, default_value = "", hide_default_value = true)]
    query: String,
}

#[derive(Debug, Args)]
pub struct BookShowArgs {
    /// Record id
    #[arg(value_parser = parse_id::<Uuid>)]
    id: Uuid,
    /// Include only these related records [default: all]
    #[arg(long, value_name = "KEY", value_delimiter = ',')]
    include: Vec<String>,
}

#[derive(Debug, Args)]
pub struct AnnotateArgs {
    #[command(flatten)]
    which: RecordSelectorArgs,
    /// Workflow status
    #[arg(long, value_name = "TEXT", conflicts_with = "clear_status")]
    status: Option<String>,
    /// Clear the workflow status
    #[arg(long)]
    clear_status: bool,
    /// Replace the note; each record is read first, for 1 credit, and its note printed
    #[arg(long, value_name = "TEXT", conflicts_with = "clear_notes")]
    notes: Option<String>,
    /// Add a line to the note; each record is read first, for 1 credit
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["notes", "clear_notes"])]
    add_note: Option<String>,
    /// Clear the note
    #[arg(long)]
    clear_notes: bool,
    /// Tags to add and remove, as +A,-B; each record is read first, for 1 credit
    #[arg(
        long,
        value_name = "+A,-B",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    tag: Vec<String>,
    /// Replace all tags, as A,B; empty for none
    #[arg(long, value_name = "A,B", conflicts_with = "tag")]
    tags: Option<String>,
    /// Ideal customer profile tier of the account
    #[arg(long, conflicts_with = "clear_tier", value_parser = parse_tier())]
    tier: Option<IcpTier>,
    /// Clear the tier
    #[arg(long)]
    clear_tier: bool,
    #[command(flatten)]
    dry: DryRun,
}

/// The records to annotate.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub struct RecordSelectorArgs {
    /// Record ids
    #[arg(value_name = "ID", conflicts_with_all = ["stdin", "domain", "email"])]
    ids: Vec<String>,
    /// Read ids from standard input, one per line, or rows as JSON, JSON Lines or CSV
    #[arg(long, conflicts_with_all = ["domain", "email"])]
    stdin: bool,
    /// The account with this domain; accounts only
    #[arg(long, conflicts_with = "email")]
    domain: Option<String>,
    /// The contact with this email address; contacts only
    #[arg(long)]
    email: Option<String>,
}

/// Parses the number of a tier, or its word in the interface.
fn parse_tier() -> impl TypedValueParser<Value = IcpTier> {
    let tier = |number, word| PossibleValue::new(number).alias(word);
    let tiers = [
        tier("1", "tier_1"),
        tier("2", "tier_2"),
        tier("3", "tier_3"),
    ];
    let others = [PossibleValue::new("disqualified")];
    PossibleValuesParser::new(tiers.into_iter().chain(others)).map(|word| match word.as_str() {
        number @ ("1" | "2" | "3") => format!("tier_{number}").as_str().into(),
        word => word.into(),
    })
}

pub(super) async fn run(verb: &BookCommand, session: &Session) -> Result<(), CliError> {
    match verb {
        BookCommand::Search { kind, search } => print_search(kind, search, session).await,
        BookCommand::Show { kind, show } => print_record(kind, show, session).await,
        BookCommand::Set { kind, set } => annotate(kind, set, session).await,
        BookCommand::Remove { kind, ids } => remove(kind, ids, session).await,
        BookCommand::Accounts(action) => run_action(&RecordKind::Accounts, action, session).await,
        BookCommand::Contacts(action) => run_action(&RecordKind::Contacts, action, session).await,
        BookCommand::Projects(action) => run_action(&RecordKind::Projects, action, session).await,
        BookCommand::Import(args) => book_import::run(args, session).await,
    }
}

async fn run_action(
    kind: &RecordKind,
    action: &BookAction,
    session: &Session,
) -> Result<(), CliError> {
    match action {
        BookAction::Search(search) => print_search(kind, search, session).await,
        BookAction::Show(show) => print_record(kind, show, session).await,
        BookAction::Set(set) => annotate(kind, set, session).await,
        BookAction::Remove(ids) => remove(kind, ids, session).await,
    }
}

async fn print_search(
    kind: &RecordKind,
    search: &BookSearchArgs,
    session: &Session,
) -> Result<(), CliError> {
    let request = book::search(kind, &search.criteria.to_search(&search.query)?);
    let pages = search.criteria.pager(&session.client, request);
    let what = format!("search the book's {kind}");
    paging::print_pages(session, pages, columns::book_columns(kind), &what).await
}

async fn print_record(
    kind: &RecordKind,
    show: &BookShowArgs,
    session: &Session,
) -> Result<(), CliError> {
    let request = book::get(
        kind,
        show.id,
        data::includes_or_all(&show.include, &Dataset::from(kind)),
    );
    let what = format!("show {} of the book", show.id);
    session
        .fetch_and_print(request, columns::book_columns(kind), &what)
        .await
}

async fn remove(kind: &RecordKind, ids: &IdArgs, session: &Session) -> Result<(), CliError> {
    let mut given = read_ids(kind, ids).await?;
    (given.by_record, given.ok_if_missing) = (!given.is_piped, given.is_piped);
    let question = |count: &str| {
        format!("Remove {count} from the book of the whole workspace? The annotations are lost")
    };
    given
        .confirm(session.output, question, kind.singular_name())
        .await?;
    let (one, many) = (
        |id: &Uuid| book::delete(kind, *id),
        |ids: &[Uuid]| book::delete_batch(kind, ids),
    );
    batch::run("removed", given, session, one, many)
        .await
        .context(&format!("remove {kind}"))
}

/// Reads the ids of records. A row of another dataset names its record, as `project_id`.
async fn read_ids(kind: &RecordKind, ids: &IdArgs) -> Result<IdList<Uuid>, CliError> {
    ids.read_fields(&[&format!("{}_id", kind.singular_name()), "id"])
        .await
}

async fn annotate(
    kind: &RecordKind,
    set: &AnnotateArgs,
    session: &Session,
) -> Result<(), CliError> {
    save_annotations(kind, set, session)
        .await
        .context(&format!("annotate {kind}"))
}

async fn save_annotations(
    kind: &RecordKind,
    set: &AnnotateArgs,
    session: &Session,
) -> Result<(), CliError> {
    let annotation = set.annotation(kind)?;
    if set.which.domain.is_some() && *kind != RecordKind::Accounts
        || set.which.email.is_some() && *kind != RecordKind::Contacts
    {
        let line = "--domain works only for accounts and --email only for contacts";
        return Err(CliError::usage(line).with_hint("use an id for other records"));
    }
    let who = match (&set.which.domain, &set.which.email) {
        (Some(domain), _) => Some(RecordRef::Domain(domain.clone())),
        (_, Some(email)) => Some(RecordRef::Email(email.clone())),
        _ => None,
    };
    if let Some(who) = who {
        match set.reading_option() {
            None => {}
            // Scripts rely on it: it only sets the text.
            Some("--notes") => print::write_note(
                "the note that was there is replaced unread: a record is read only by its id",
            ),
            Some(option) => {
                let line = format!("{option} needs an id, because the record is read first");
                let hint = format!("gantry book search {kind} lists the ids");
                return Err(CliError::usage(line).with_hint(hint));
            }
        }
        let request = book::upsert(kind, &who, &annotation);
        if set.dry.print_unsent(session.output, [&request])? {
            return Ok(());
        }
        let answer = session.client.fetch_value::<Box<RawValue>>(request).await?;
        let done = serde_json::json!({"saved": true});
        return session.output.print_write_result(
            &answer.value,
            columns::book_columns(kind),
            "saved",
            &done,
        );
    }
    let given = read_ids(kind, &IdArgs::new(&set.which.ids, set.which.stdin, set.dry)).await?;
    set.edit_tags(Vec::new())?;
    let reading = set.reading_option();
    if let Some(option) = reading.filter(|_| set.dry.dry_run) {
        print::write_note(&format!(
            "present tags and notes are not shown: {option} reads each record first, for 1 credit, and a dry run does not"
        ));
    }
    let from_reads = RefCell::new(HashMap::new());
    let input = |id: &Uuid| {
        let from_reads = from_reads.borrow();
        let annotation = from_reads.get(id).unwrap_or(&annotation);
        (RecordRef::Id(*id), annotation.clone())
    };
    let one = |id: &Uuid| {
        let (who, annotation) = input(id);
        book::upsert(kind, &who, &annotation)
    };
    let many = |ids: &[Uuid]| book::upsert_batch(kind, &ids.iter().map(input).collect::<Vec<_>>());
    if reading.is_none() {
        return batch::run("saved", given, session, one, many).await;
    }
    let group = Some(Uuid::now_v7());
    // Read right before the write, because what a colleague adds in between would be removed.
    let before = async |ids: &[Uuid]| {
        let reads = ids.iter().map(|id| read_record(kind, *id, &session.client));
        let mut changes = Vec::new();
        let mut names = Vec::new();
        for (id, record) in ids.iter().zip(join_all(reads).await) {
            let fields = record?.as_ref().map(Record::fields);
            let after = set.annotate_read(&annotation, fields.as_ref());
            let name = fields.as_ref().and_then(|fields| fields.text("name"));
            let name = name.map_or_else(|| id.to_string(), str::to_owned);
            set.print_replaced_note(&name, fields.as_ref());
            names.push(name);
            from_reads.borrow_mut().insert(*id, after.clone());
            let change = ReversibleWrite::annotate_record(kind, *id, fields.as_ref(), after);
            changes.push(change);
        }
        let op = Uuid::now_v7();
        session.journal().record_entry(JournalEntry {
            op,
            at: Utc::now(),
            cause: EntryCause::New,
            original_op: None,
            group,
            reason: "book set".to_owned(),
            description: format!("annotation of {}", names.join(", ")),
            change: JournalChange::Write {
                things: ids.len(),
                changes,
            },
        });
        Ok(session.client_for(op))
    };
    batch::run_with_preparation(
        MAX_CONCURRENT_READS,
        before,
        "saved",
        given,
        session,
        one,
        many,
    )
    .await
}

/// A record of the book; `None` if it is not there.
pub(super) async fn read_record(
    kind: &RecordKind,
    id: Uuid,
    client: &Client,
) -> Result<Option<Record>, RequestError> {
    match client.fetch_value(book::get(kind, id, [])).await {
        Ok(answer) => Ok(Some(answer.value)),
        Err(failure) if failure.status() == Some(404) => Ok(None),
        // Only a read failed: nothing was written, whatever its result.
        Err(failure) if failure.kind == RequestErrorKind::Ambiguous => {
            Err(RequestError::new_not_sent(failure.message))
        }
        Err(failure) => Err(failure),
    }
}

fn patch<T: Clone>(value: &Option<T>, clear: bool) -> Patch<T> {
    match value {
        Some(value) => Patch::Set(value.clone()),
        None if clear => Patch::Clear,
        None => Patch::Keep,
    }
}

impl AnnotateArgs {
    fn annotation(&self, kind: &RecordKind) -> Result<Annotation, CliError> {
        if *kind != RecordKind::Accounts && (self.tier.is_some() || self.clear_tier) {
            return Err(CliError::usage("only accounts have a tier"));
        }
        let list = |tags: &String| {
            tags.split(',')
                .map(str::trim)
                .filter(|tag| !tag.is_empty())
                .map(str::to_owned)
                .collect()
        };
        Ok(Annotation {
            workspace_status: patch(&self.status, self.clear_status),
            notes: patch(&self.notes, self.clear_notes),
            tags: self.tags.as_ref().map(list),
            icp_tier: patch(&self.tier, self.clear_tier),
        })
    }

    /// The option that has each record read before it is written.
    fn reading_option(&self) -> Option<&'static str> {
        let options = [
            ("--tag", !self.tag.is_empty()),
            ("--notes", self.notes.is_some()),
            ("--add-note", self.add_note.is_some()),
        ];
        let given = options.into_iter().find(|(_, is_given)| *is_given);
        given.map(|(option, _)| option)
    }

    /// The annotation of a record as just read; `None` if it is not in the book yet.
    fn annotate_read(&self, annotation: &Annotation, now: Option<&RecordFields>) -> Annotation {
        let mut annotation = annotation.clone();
        if !self.tag.is_empty() {
            let tags = now.map(|now| now.list("tags")).unwrap_or_default();
            let tags = tags.into_iter().map(str::to_owned).collect();
            annotation.tags = self.edit_tags(tags).ok();
        }
        if let Some(text) = &self.add_note {
            let note = now.and_then(|now| now.text("notes")).unwrap_or_default();
            annotation.notes = Patch::Set(append_note(note, text));
        }
        annotation
    }

    /// Prints the note that `--notes` replaces.
    fn print_replaced_note(&self, name: &str, now: Option<&RecordFields>) {
        let Some(text) = &self.notes else { return };
        let note = now.and_then(|now| now.text("notes")).unwrap_or_default();
        if !note.trim().is_empty() && note != text {
            print::write_note(&format!(
                "the note of {name} before: {note:?}; --add-note adds to it instead"
            ));
        }
    }

    /// Applies `--tag` to the current tags.
    fn edit_tags(&self, mut tags: Vec<String>) -> Result<Vec<String>, CliError> {
        for change in self
            .tag
            .iter()
            .map(|change| change.trim())
            .filter(|change| !change.is_empty())
        {
            match (change.strip_prefix('+'), change.strip_prefix('-')) {
                (Some(tag), _) if tags.iter().all(|there| there != tag) => {
                    tags.push(tag.to_owned())
                }
                (Some(_), _) => {}
                (_, Some(tag)) => tags.retain(|there| there != tag),
                _ => {
                    return Err(
                        CliError::usage(format!("{change:?} is neither +TAG nor -TAG"))
                            .with_hint("--tags replaces all tags"),
                    );
                }
            }
        }
        Ok(tags)
    }
}

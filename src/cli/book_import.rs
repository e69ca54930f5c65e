//! `gantry book import`: matches a list with the index, price first, and saves what was found to
//! the book or to a Static View.
//!
//! Only what is certain is saved: a line that may mean several records is reported with its
//! candidates.

use std::fs::File;
use std::io::Read as _;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use uuid::Uuid;

use crate::client::book::{self, RecordRef};
use crate::client::{Client, Request, search, views};
use crate::domain::ViewId;
use crate::domain::batch::{BatchItemResult, MAX_BATCH_ITEMS};
use crate::domain::book::{Annotation, RecordKind};
use crate::domain::list_import::{
    ColumnRole, LineState, ListFile, ListImport, ListLine, MAX_LIST_BYTES,
};
use crate::domain::request_error::RequestError;
use crate::domain::views::{View, ViewDraft};
use crate::platform::tasks;

use super::columns::{Column, FieldKind, ID, NAME, column, hidden, text_column};
use super::dry_run::DryRun;
use super::error::{CliError, Context};
use super::output::Output;
use super::print;
use super::progress::ProgressReporter;
use super::session::Session;
use super::word_args::parse_word;

/// What a name may be called in a list of columns.
const COLUMN_COLUMNS: &[Column] = &[
    column("column", "COLUMN", FieldKind::Number),
    text_column("heading", "HEADING"),
    text_column("role", "HOLDS"),
    text_column("samples", "SAMPLES"),
];
const LINE_COLUMNS: &[Column] = &[
    column("line", "LINE", FieldKind::Number),
    text_column("input", "INPUT"),
    text_column("result", "RESULT"),
    text_column("match", "MATCH"),
    NAME,
    text_column("detail", "DETAIL"),
    ID,
    hidden("candidates"),
    hidden("error"),
];

#[derive(Debug, Args)]
#[command(
    after_help = "Example: printf 'Company,State\\nNo Such Firm,TX\\n' | gantry --demo book import - --dry-run"
)]
pub struct BookImportArgs {
    /// List: CSV, or one name per line; - for standard input
    file: PathBuf,
    /// What the list is of [default: guessed from its columns]
    #[arg(long, value_parser = parse_word::<RecordKind>(["accounts", "contacts", "projects"]))]
    kind: Option<RecordKind>,
    /// What a column holds, as HEADING=name, domain, email, address, city, state or none; a number,
    /// from 1, works too
    #[arg(long = "column", value_name = "HEADING=ROLE")]
    columns: Vec<String>,
    /// Add the records to this Static View instead of saving them in the book; it is created if it
    /// does not exist
    #[arg(long, value_name = "NAME")]
    to_view: Option<String>,
    /// Also save a record whose name is only similar, if it is the only one
    #[arg(long)]
    similar: bool,
    /// Match, and save nothing
    #[arg(long)]
    no_save: bool,
    /// Do not start if it may cost more
    #[arg(long, value_name = "CREDITS")]
    max_credits: Option<u64>,
    #[command(flatten)]
    dry: DryRun,
}

pub(super) async fn run(args: &BookImportArgs, session: &Session) -> Result<(), CliError> {
    let mut file = ListFile::parse(&read_list(args).await?)
        .map_err(CliError::usage)
        .context(&format!("import {}", args.file.display()))?;
    args.apply_to(&mut file)?;
    let import = ListImport::new(&file);
    let (lines, kind) = (print::pluralize(import.lines.len(), "line"), &import.kind);
    let price = format!(
        "{lines} of {kind} ({}): at most {} and {}",
        file.encoding,
        search_count(&import),
        print::pluralize(import.max_credits(), "credit")
    );
    if args.dry.dry_run {
        print_columns(&file, session.output)?;
        print::write_note(&format!("{price}; nothing was requested"));
        return Ok(());
    }
    if import.lines.is_empty() {
        return Err(
            CliError::usage("no line has a name, domain, email or address to look for")
                .with_hint("--column sets what a column holds"),
        );
    }
    if let Some(most) = args.max_credits.filter(|most| import.max_credits() > *most) {
        return Err(CliError::usage(format!(
            "{price}, more than the {most} of --max-credits; nothing was requested"
        )));
    }
    print::write_note(&price);
    let mut results = Results {
        import,
        output: session.output,
        is_printed: false,
    };
    let matched = match_lines(&mut results.import, &session.client).await;
    results
        .import
        .lines
        .iter_mut()
        .filter(|line| args.similar && line.state == LineState::Similar)
        .for_each(|line| line.chosen = Some(0));
    let written = match &matched {
        Ok(()) if !args.no_save => save(args, &mut results.import, &session.client).await,
        _ => Ok(()),
    };
    results.print()?;
    matched.context("match the list")?;
    written.context("save the list")?;
    results.check(args.no_save)
}

/// The file, at most one byte more than a list may have.
async fn read_list(args: &BookImportArgs) -> Result<Vec<u8>, CliError> {
    let path = args.file.clone();
    let read = tasks::run_blocking(move || {
        let (mut bytes, limit) = (Vec::new(), MAX_LIST_BYTES as u64 + 1);
        match path.to_str() {
            Some("-") => std::io::stdin().lock().take(limit).read_to_end(&mut bytes),
            _ => File::open(&path).and_then(|file| file.take(limit).read_to_end(&mut bytes)),
        }
        .map(|_| bytes)
    });
    let read = read.await.map_err(CliError::failed)?;
    read.map_err(|error| CliError::usage(format!("cannot read {}: {error}", args.file.display())))
}

impl BookImportArgs {
    /// Replaces what was guessed.
    fn apply_to(&self, file: &mut ListFile) -> Result<(), CliError> {
        if let Some(kind) = &self.kind {
            file.kind = kind.clone();
        }
        for term in &self.columns {
            let (heading, role) = term.rsplit_once('=').unwrap_or((term, ""));
            let role = match role {
                "none" => ColumnRole::Ignored,
                _ => *ColumnRole::ALL.iter().find(|known| known.title() == role).ok_or_else(|| {
                    CliError::usage(format!("--column {term}: write HEADING=name, domain, email, address, city, state or none"))
                })?,
            };
            let numbered = heading
                .parse::<usize>()
                .ok()
                .and_then(|number| number.checked_sub(1));
            let at = (0..file.column_count())
                .find(|at| file.heading(*at).eq_ignore_ascii_case(heading))
                .or(numbered);
            let at = at.filter(|at| *at < file.column_count()).ok_or_else(|| {
                let known: Vec<String> = (0..file.column_count())
                    .map(|at| file.heading(at))
                    .collect();
                CliError::usage(format!("--column {term}: there is no column {heading:?}"))
                    .with_hint(format!("the file has {}", known.join(", ")))
            })?;
            file.set_role(at, role);
        }
        Ok(())
    }
}

fn search_count(import: &ListImport) -> String {
    match import.max_searches() {
        1 => "1 search".to_owned(),
        searches => format!("{searches} searches"),
    }
}

fn print_columns(file: &ListFile, output: Output) -> Result<(), CliError> {
    let row = |at: usize| {
        json!({
            "column": at + 1,
            "heading": file.heading(at),
            "role": file.roles.get(at).map(|role| role.title()),
            "samples": file.samples(at),
        })
    };
    output.print_rows((0..file.column_count()).map(row), COLUMN_COLUMNS)
}

async fn match_lines(import: &mut ListImport, client: &Client) -> Result<(), RequestError> {
    let mut progress = ProgressReporter::new(Some(import.lines.len()), "lines");
    if import.lines.len() > 20 {
        progress.show_bar();
    }
    let mut waiting = import.waiting_count();
    while let Some(step) = import.next_step() {
        let request = search::search_page(&import.source(), &step.search, None, step.limit);
        match client.search_page(request, step.limit).await {
            Ok(page) => {
                let credits = page.value.credits.unwrap_or(page.value.rows.len() as u64);
                import.on_rows(&step, &page.value.rows, credits);
            }
            // The service understood and rejected it: other lines may be fine.
            Err(failure) if failure.status() == Some(400) => {
                import.on_failure(&step, &failure.message)
            }
            Err(failure) => return Err(failure),
        }
        let left = import.waiting_count();
        progress.advance(waiting - left);
        waiting = left;
    }
    Ok(())
}

async fn save(
    args: &BookImportArgs,
    import: &mut ListImport,
    client: &Client,
) -> Result<(), RequestError> {
    let ids: Vec<Uuid> = import
        .chosen_records()
        .into_iter()
        .map(|record| record.id)
        .collect();
    if ids.is_empty() {
        return Ok(());
    }
    let view = match &args.to_view {
        Some(name) => Some(find_or_create_view(name, &import.kind, client).await?),
        None => None,
    };
    for ids in ids.chunks(MAX_BATCH_ITEMS) {
        let items = client
            .fetch_all::<BatchItemResult>(write_request(&import.kind, view, ids))
            .await?;
        for (n, id) in ids.iter().enumerate() {
            let result = match items.iter().find(|item| item.index == n) {
                Some(item) if item.is_ok() => Ok(()),
                Some(item) => Err(item.error.clone().unwrap_or_default().message),
                None => Err("the service returned no result".to_owned()),
            };
            import.on_saved(*id, result);
        }
    }
    Ok(())
}

fn write_request(kind: &RecordKind, view: Option<ViewId>, ids: &[Uuid]) -> Request {
    match view {
        Some(view) => views::add_records(view, ids),
        None => {
            let inputs: Vec<_> = ids
                .iter()
                .map(|id| (RecordRef::Id(*id), Annotation::default()))
                .collect();
            book::upsert_batch(kind, &inputs)
        }
    }
}

async fn find_or_create_view(
    name: &str,
    kind: &RecordKind,
    client: &Client,
) -> Result<ViewId, RequestError> {
    let list = client.fetch_all::<View>(views::list()).await?;
    let is_named = |view: &&View| {
        view.is_static() && view.record_kind() == *kind && view.title().eq_ignore_ascii_case(name)
    };
    if let Some(view) = list.iter().find(is_named) {
        return Ok(view.id);
    }
    let draft = ViewDraft {
        name: Some(name.to_owned()),
        dataset: Some(kind.singular_name().to_owned()),
        kind: Some("static".to_owned()),
        ..ViewDraft::default()
    };
    Ok(client
        .fetch_value::<View>(views::upsert(&draft))
        .await?
        .value
        .id)
}

/// The results so far. An interrupted import still prints them, because they were paid for.
struct Results {
    import: ListImport,
    output: Output,
    is_printed: bool,
}

impl Drop for Results {
    fn drop(&mut self) {
        if self.import.credits > 0 {
            let _ = self.print();
        }
    }
}

impl Results {
    fn print(&mut self) -> Result<(), CliError> {
        if std::mem::replace(&mut self.is_printed, true) {
            return Ok(());
        }
        let rows = self.import.lines.iter().map(line_row);
        self.output.print_rows(rows, LINE_COLUMNS)?;
        let credits = print::pluralize(self.import.credits, "credit");
        print::write_note(&format!("{}; {credits}", self.summary()));
        Ok(())
    }

    /// `9 saved, 2 several, 1 none`.
    fn summary(&self) -> String {
        let mut counts: Vec<(&str, usize)> = Vec::new();
        for title in self.import.lines.iter().map(result_of) {
            match counts.iter_mut().find(|(known, _)| *known == title) {
                Some((_, count)) => *count += 1,
                None => counts.push((title, 1)),
            }
        }
        counts
            .iter()
            .map(|(title, count)| format!("{count} {title}"))
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Whether every line became a record.
    fn check(&self, no_save: bool) -> Result<(), CliError> {
        let done = if no_save {
            LineState::Found
        } else {
            LineState::Saved
        };
        let left = self
            .import
            .lines
            .iter()
            .filter(|line| line.state != done)
            .count();
        if left == 0 {
            return Ok(());
        }
        let what = if no_save { "found" } else { "saved" };
        Err(CliError::failed(format!(
            "{left} of {} were not {what}",
            print::pluralize(self.import.lines.len(), "line")
        )))
    }
}

/// What became of a line.
fn result_of(line: &ListLine) -> &'static str {
    match line.state {
        LineState::Waiting => "not searched",
        _ => line.state.title(),
    }
}

fn line_row(line: &ListLine) -> serde_json::Value {
    let record = line.chosen_record().or_else(|| {
        line.candidates
            .first()
            .filter(|_| line.candidates.len() == 1)
    });
    let error = match &line.state {
        LineState::Failed(why) | LineState::NotSaved(why) => Some(why),
        _ => None,
    };
    let candidates: Vec<_> = line
        .candidates
        .iter()
        .map(|record| json!({"id": record.id, "name": record.name, "detail": record.detail}))
        .collect();
    json!({
        "line": line.number,
        "input": line.terms.label(),
        "result": result_of(line),
        "match": record.map(|record| if record.is_same() { "same" } else { "similar" }),
        "id": record.map(|record| record.id),
        "name": record.map(|record| &record.name),
        "detail": record.map(|record| &record.detail),
        "candidates": candidates,
        "error": error,
    })
}

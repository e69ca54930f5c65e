//! Rows to a file: which, in what form, where, and how far that has come. The runtime writes it.
//!
//! What is loaded was paid for and costs nothing; the rest of a list is read for its price, which stands beside the choice. An export
//! that was given up or failed is gone on with from its last page.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::App;
use super::action::Action;
use super::effect::{ServiceCall, Slot};
use super::format::{format_count, pluralize};
use super::msg::Token;
use super::notice::Notice;
use super::overlay::Overlay;
use super::overlay::choice::{Choice, ChoiceOption};
use super::panes::records::{RecordList, columns};
use super::prompt::{Prompt, PromptKind};
use crate::domain::records::Record;
use crate::domain::request_error::{RequestError, RequestErrorKind};
use crate::domain::search::{RecordSource, Search};
use crate::domain::views::View;

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExportFormat {
    /// A line a row under a header, for spreadsheets.
    Csv,
    /// A JSON object a line, as the service sent it.
    JsonLines,
}

impl ExportFormat {
    fn extension(self) -> &'static str {
        match self {
            ExportFormat::Csv => "csv",
            ExportFormat::JsonLines => "jsonl",
        }
    }
}

/// Which rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportSelection {
    /// The marked ones.
    Marked,
    /// All that are loaded.
    Loaded,
    /// All that the list has, also those that are not loaded.
    All,
}

/// An order to write rows to a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportRequest {
    /// Where; as it was typed.
    pub path: PathBuf,
    /// How.
    pub format: ExportFormat,
    /// The fields that CSV begins with.
    pub fields: Vec<String>,
    /// Rows that are loaded: they come first. What is kept of an export has written them.
    #[serde(skip)]
    pub rows: Vec<Record>,
    /// What is read after them.
    pub rest: Option<RemainingRows>,
    /// Goes on with a file that was begun.
    pub written: Option<ExportProgress>,
}

/// Rows that are not loaded; 1 credit each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemainingRows {
    /// The route.
    pub source: RecordSource,
    /// What is looked for.
    pub search: Search,
    /// Where the loaded rows end.
    pub after: Option<String>,
    /// How many there are, where that is known.
    pub left: Option<u64>,
}

/// How far an export has come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportProgress {
    /// The file as it will be called; while it is not whole, `.partial` stands behind it.
    pub path: PathBuf,
    /// The columns of CSV.
    pub fields: Vec<String>,
    /// Rows that are in the file.
    pub rows: u64,
    /// Its bytes.
    pub bytes: u64,
    /// Credits that it has cost.
    pub credits: u64,
    /// Where the next page begins.
    pub after: Option<String>,
}

/// The export that is asked about, the one under way, and the one that stopped.
#[derive(Clone, Debug, Default)]
pub struct ExportState {
    draft: Option<ExportJob>,
    running: Option<(Token, ExportJob)>,
    stopped: Option<ExportJob>,
}

/// The name under which an export that is not whole is kept.
pub(super) const EXPORT_DRAFT_KEY: &str = "export";

#[derive(Clone, Debug, Serialize, Deserialize)]
struct ExportJob {
    export: ExportRequest,
    /// Rows in all, where that is known.
    total: Option<u64>,
    progress: ExportProgress,
}

impl ExportState {
    /// An export is under way.
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }
}

impl App {
    /// Takes over the export that was not whole when the program ended: it can be gone on with.
    pub(super) fn restore_export(&mut self, kept: Value) {
        if self.exports.stopped.is_none() && self.exports.running.is_none() {
            self.exports.stopped = serde_json::from_value(kept).ok();
        }
    }

    /// Keeps how far an export of rows that are paid for has come, or that it is whole.
    fn save_export_draft(&mut self, job: Option<&ExportJob>) {
        self.save_draft(EXPORT_DRAFT_KEY, job.filter(|job| job.export.rest.is_some()));
    }

    /// Asks which rows of the list on the screen are to be written, and how; the price stands beside each choice.
    pub fn choose_export(&mut self) {
        if let Some((_, job)) = &self.exports.running {
            let text = format!("export in progress: {} written", pluralize(job.progress.rows, "row"));
            self.notice = Some(Notice::warning(text).with_hint("Ctrl-c stops it"));
            return;
        }
        let Some(list) = self.displayed_list() else { return };
        let mut choices: Vec<(ExportSelection, String, String)> = Vec::new();
        let marked = list.marks.len();
        if marked > 0 {
            choices.push((ExportSelection::Marked, format!("{} marked", pluralize(marked, "row")), "0 cr".to_owned()));
        }
        if !list.is_empty() {
            choices.push((ExportSelection::Loaded, format!("{} loaded", pluralize(list.len(), "row")), "0 cr".to_owned()));
        }
        if list.is_empty() || list.has_more() {
            let (rows, price) = match (list.remaining(), list.total) {
                (Some(left), _) if list.is_empty() => {
                    (format!("all {}", pluralize(left, "row")), format!("{} cr", format_count(left)))
                }
                (Some(left), _) => (
                    format!("all {}", pluralize(left.saturating_add(list.len() as u64), "row")),
                    format!("{} more, {0} cr", format_count(left)),
                ),
                (None, Some(total)) => (format!("all rows, more than {}", format_count(total)), "1 cr a row".to_owned()),
                (None, None) => (self.keymap.expand_keys("all rows; {records.count} counts them"), "1 cr a row".to_owned()),
            };
            choices.push((ExportSelection::All, rows, price));
        }
        let pick = |(rows, label, note): &(ExportSelection, String, String), format: ExportFormat| ChoiceOption {
            label: format!("{label}, as {}", if format == ExportFormat::Csv { "CSV" } else { "JSON lines" }),
            note: note.clone(),
            action: Action::ChooseExportPath(*rows, format),
        };
        let picks = choices.iter().flat_map(|choice| [pick(choice, ExportFormat::Csv), pick(choice, ExportFormat::JsonLines)]);
        let go_on = self.exports.stopped.as_ref().map(|job| ChoiceOption {
            label: format!("resume {} after {}", display_file_name(&job.progress.path), pluralize(job.progress.rows, "row")),
            note: job
                .total
                .map_or("1 cr a row".to_owned(), |all| format!("{} cr", format_count(all.saturating_sub(job.progress.rows)))),
            action: Action::ResumeExport,
        });
        let picks = go_on.into_iter().chain(picks).collect();
        self.overlay = Some(Overlay::Choice(Choice::new("Export", "to a file on this machine", picks)));
    }

    /// Asks where to: the last question before rows are read and written.
    pub fn ask_export_path(&mut self, rows: ExportSelection, format: ExportFormat) {
        let Some(list) = self.displayed_list() else { return };
        let path = format!("{}-{}.{}", self.export_file_name(list), self.service_now().format("%Y-%m-%d"), format.extension());
        let all =
            list.remaining().map(|left| left.saturating_add(list.len() as u64)).filter(|_| list.is_empty() || list.has_more());
        let chosen = list.rows().iter().filter(|row| rows != ExportSelection::Marked || list.marks.contains(&row.id));
        let export = ExportRequest {
            path: PathBuf::from(&path),
            format,
            fields: self.export_fields(&list.source),
            rows: chosen.cloned().collect(),
            rest: (rows == ExportSelection::All).then(|| RemainingRows {
                source: list.source.clone(),
                search: list.search.clone(),
                after: list.next_cursor().map(str::to_owned),
                left: list.remaining(),
            }),
            written: None,
        };
        let total = if rows == ExportSelection::All { all } else { Some(export.rows.len() as u64) };
        self.exports.draft = Some(ExportJob { export, total, progress: ExportProgress::default() });
        self.prompt = Some(Prompt::new("file", &path, PromptKind::ExportPath));
    }

    /// A file is named after the list.
    fn export_file_name(&self, list: &RecordList) -> String {
        let title = match &list.source {
            RecordSource::View(view, _) => self.views.get(*view).map(View::title).unwrap_or_default(),
            RecordSource::Book(shelf) => format!("book {shelf}"),
            RecordSource::Index(dataset) => dataset.to_string(),
        };
        let plain: String = title.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { ' ' }).collect();
        let words: Vec<&str> = plain.split_whitespace().collect();
        if words.is_empty() { list.source.dataset().to_string() } else { words.join("-") }
    }

    /// The columns of a file: the id, those on the screen in their order, then the others that the source has.
    fn export_fields(&self, source: &RecordSource) -> Vec<String> {
        let (usual, more) = columns::available_columns(source);
        let mut fields = vec!["id".to_owned()];
        for field in self.record_columns(source).iter().chain(usual).chain(more).map(|column| column.field) {
            if !fields.iter().any(|known| known == field) {
                fields.push(field.to_owned());
            }
        }
        fields
    }

    /// Writes the export that was asked about to a file of this name.
    pub fn export_to_file(&mut self, path: &str) {
        let Some(mut job) = self.exports.draft.take() else { return };
        if path.is_empty() {
            self.notice = Some(Notice::info("no file name: nothing was written"));
            return;
        }
        job.export.path = PathBuf::from(path);
        self.start_export(job);
    }

    /// Goes on with the export that stopped.
    pub fn resume_export(&mut self) {
        let Some(mut job) = self.exports.stopped.take() else { return };
        job.export.rows.clear();
        job.export.written = Some(job.progress.clone());
        self.start_export(job);
    }

    fn start_export(&mut self, job: ExportJob) {
        let token = self.call_service(Slot::Export, ServiceCall::Export(Box::new(job.export.clone())));
        self.exports.running = Some((token, job));
        self.notice = Some(Notice::info("exporting").with_hint("Ctrl-c stops"));
    }

    /// An export has come further.
    pub fn on_export_progress(&mut self, token: Token, progress: ExportProgress) {
        let Some((asked, job)) = &mut self.exports.running else { return };
        if *asked != token {
            return;
        }
        let credits = progress.credits.saturating_sub(job.progress.credits);
        let of = job.total.map(|total| format!(" of {}", format_count(total))).unwrap_or_default();
        let text = format!("{}: {}{of} rows", display_file_name(&progress.path), format_count(progress.rows));
        job.progress = progress;
        let kept = job.clone();
        self.save_export_draft(Some(&kept));
        if credits > 0 {
            self.record_spend(Some(credits));
        }
        self.notice = Some(Notice::info(text).with_hint("Ctrl-c stops"));
    }

    /// Takes the end of an export; false when the reply belongs to none.
    pub fn on_export_reply(&mut self, token: Token, result: Result<ExportProgress, RequestError>) -> bool {
        let Some((_, job)) = self.exports.running.take_if(|(asked, _)| *asked == token) else { return false };
        let rows = pluralize(job.progress.rows, "row");
        let began = job.progress.bytes > 0;
        self.notice = Some(match result {
            Ok(done) => {
                self.exports.stopped = None;
                self.save_export_draft(None);
                let price = if done.credits == 0 { String::new() } else { format!(", {} cr", format_count(done.credits)) };
                Notice::success(format!("{}{price}: {}", pluralize(done.rows, "row"), done.path.display()))
            }
            Err(failure) => {
                let is_cancelled = failure.kind == RequestErrorKind::Cancelled;
                let text = match (is_cancelled, began) {
                    (true, true) => {
                        format!("stopped after {rows}; they are in {}.partial", display_file_name(&job.progress.path))
                    }
                    (true, false) => "stopped; nothing was written".to_owned(),
                    (false, true) => format!("stopped after {rows}: {}", failure.message),
                    (false, false) => format!("nothing was written: {}", failure.message),
                };
                if began && job.export.rest.is_some() {
                    self.exports.stopped = Some(job);
                } else if !is_cancelled && job.export.written.is_none() && !self.is_typing() {
                    // The name can be mended, and what was asked for is not asked again.
                    self.prompt = Some(Prompt::new("file", &job.export.path.display().to_string(), PromptKind::ExportPath));
                    self.exports.draft = Some(job);
                }
                let notice = if is_cancelled { Notice::info(text) } else { Notice::warning(text) };
                if self.exports.stopped.is_some() { notice.with_hint("{records.export} resumes") } else { notice }
            }
        });
        true
    }
}

fn display_file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

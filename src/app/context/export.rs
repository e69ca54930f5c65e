//! Export of rows to a file: which rows, which format, where, and the progress. The runtime writes
//! the file.
//!
//! Loaded rows are paid for and free; the rest of a list costs credits, shown next to the choice.
//! An export that was canceled or failed resumes from its last page.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use uuid::Uuid;

use crate::app::action::Action;
use crate::app::context::{Work, record_columns};
use crate::app::drafts::{DraftName, DraftStore, RestoredDrafts};
use crate::app::effect::{ServiceCall, Slot};
use crate::app::export::{ExportJob, ExportState};
use crate::app::format::{format_count, pluralize};
use crate::app::model::record_list::{RecordList, columns};
use crate::app::model::views::Views;
use crate::app::msg::{CallResult, Token, payload};
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::{Choice, ChoiceOption};
use crate::app::price::Price;
use crate::app::prompt::{Prompt, PromptKind};
use crate::app::requests::Request;
use crate::app::{AppSettings, Context};
use crate::domain::export::{
    ExportFormat, ExportProgress, ExportRequest, ExportSelection, RemainingRows,
};
use crate::domain::request_error::RequestErrorKind;
use crate::domain::search::RecordSource;
use crate::domain::views::View;

impl ExportState {
    /// Restores the unfinished export of an earlier run, so that it can be resumed.
    pub(in crate::app) fn restore_export(&mut self, drafts: &RestoredDrafts) {
        if self.stopped.is_none() && self.running.is_none() {
            self.stopped = drafts.content(&DraftName::Export);
        }
    }

    /// What writing the file costs: a credit for each row that is not loaded.
    fn export_price(&self) -> Price {
        match self.draft.as_ref().and_then(|job| job.export.rest.as_ref()) {
            Some(rest) => rest.left.map_or(Price::Unstated, Price::of_credits),
            None => Price::Free,
        }
    }
}

impl Context {
    /// Asks which rows to export and in which format, with the price of each choice.
    pub fn choose_export(&mut self) {
        if let Some(job) = &self.exports.running {
            let text = format!(
                "export in progress: {} written",
                pluralize(job.progress.rows, "row")
            );
            self.ui.notice = Some(Notice::warning(text).with_hint("Ctrl-c stops it"));
            return;
        }
        let Some(list) = self.records.lists.shown_list(self.ui.focused_list()) else {
            return;
        };
        let mut choices: Vec<(ExportSelection, String, String)> = Vec::new();
        let marked = list.marked_ids().len();
        if marked > 0 {
            choices.push((
                ExportSelection::Marked,
                format!("{} marked", pluralize(marked, "row")),
                "0 cr, all fields".to_owned(),
            ));
        }
        if !list.is_empty() {
            choices.push((
                ExportSelection::Loaded,
                format!("{} loaded", pluralize(list.len(), "row")),
                "0 cr, all fields".to_owned(),
            ));
        }
        if list.is_empty() || list.has_more() {
            let (rows, price) = match (list.remaining(), list.total) {
                (Some(left), _) if list.is_empty() => (
                    format!("all {}", pluralize(left, "row")),
                    format!("{} cr", format_count(left)),
                ),
                (Some(left), _) => (
                    format!(
                        "all {}",
                        pluralize(left.saturating_add(list.len() as u64), "row")
                    ),
                    format!("{} more, {0} cr", format_count(left)),
                ),
                (None, Some(total)) => (
                    format!("all rows, more than {}", format_count(total)),
                    "1 cr a row".to_owned(),
                ),
                (None, None) => (
                    self.keymap
                        .expand_keys("all rows; {records.count} counts them"),
                    "1 cr a row".to_owned(),
                ),
            };
            choices.push((ExportSelection::All, rows, price));
        }
        let pick = |(rows, label, note): &(ExportSelection, String, String),
                    format: ExportFormat| ChoiceOption {
            label: format!("{label}, as {}", format.title()),
            note: note.clone(),
            action: Action::ChooseExportPath(*rows, format),
        };
        let picks = choices.iter().flat_map(|choice| {
            [
                pick(choice, ExportFormat::Csv),
                pick(choice, ExportFormat::JsonLines),
            ]
        });
        let go_on = self.exports.stopped.as_ref().map(|job| ChoiceOption {
            label: format!(
                "resume {} after {}",
                display_file_name(&job.progress.path),
                pluralize(job.progress.rows, "row")
            ),
            note: job.total.map_or("1 cr a row".to_owned(), |all| {
                format!("{} cr", format_count(all.saturating_sub(job.progress.rows)))
            }),
            action: Action::ResumeExport,
        });
        let shown = [
            ExportFormat::Csv,
            ExportFormat::JsonLines,
            ExportFormat::Markdown,
        ]
        .map(|format| ChoiceOption {
            label: format!(
                "{} as shown, as {}",
                if marked > 0 { "marked rows" } else { "rows" },
                format.title()
            ),
            note: "0 cr, shown columns".to_owned(),
            action: Action::ChooseShownExportPath(format),
        });
        let picks = go_on.into_iter().chain(picks).chain(shown).collect();
        self.ui.overlay = Some(Overlay::Choice(Choice::new(
            "Export",
            "to a file on this machine",
            picks,
        )));
    }

    /// Asks for the path: the last question before rows are read and written.
    pub fn ask_export_path(&mut self, rows: ExportSelection, format: ExportFormat) {
        let Some(list) = self.records.lists.shown_list(self.ui.focused_list()) else {
            return;
        };
        let path = format!(
            "{}-{}.{}",
            export_file_name(list, &self.views),
            self.clock.service_now().format("%Y-%m-%d"),
            format.extension()
        );
        let all = list
            .remaining()
            .map(|left| left.saturating_add(list.len() as u64))
            .filter(|_| list.is_empty() || list.has_more());
        let marked: HashSet<Uuid> = list.marked_ids().into_iter().collect();
        let chosen = list
            .rows()
            .iter()
            .filter(|row| rows != ExportSelection::Marked || marked.contains(&row.id));
        let export = ExportRequest {
            path: PathBuf::from(&path),
            format,
            fields: export_fields(&list.source, &self.settings),
            rows: chosen.cloned().collect(),
            rest: (rows == ExportSelection::All).then(|| RemainingRows {
                source: list.source.clone(),
                search: list.search.clone(),
                after: list.next_cursor().map(str::to_owned),
                left: list.remaining(),
            }),
            written: None,
        };
        let total = if rows == ExportSelection::All {
            all
        } else {
            Some(export.rows.len() as u64)
        };
        self.exports.draft = Some(ExportJob {
            export,
            total,
            progress: ExportProgress::default(),
        });
        self.ui.prompt = Some(
            Prompt::new("file", &path, PromptKind::ExportPath)
                .with_price(self.exports.export_price()),
        );
    }

    pub fn export_to_file(&mut self, path: &str) {
        let Some(mut job) = self.exports.draft.take() else {
            return;
        };
        if path.is_empty() {
            self.ui.inform("no file name: nothing was written");
            return;
        }
        job.export.path = PathBuf::from(job.export.format.complete_file_name(path));
        self.start_export(job);
    }

    pub fn resume_export(&mut self) {
        let Some(mut job) = self.exports.stopped.take() else {
            return;
        };
        job.export.rows.clear();
        job.export.written = Some(job.progress.clone());
        if let (Some(rest), Some(total)) = (&mut job.export.rest, job.total) {
            rest.left = Some(total.saturating_sub(job.progress.rows));
        }
        self.start_export(job);
    }

    fn start_export(&mut self, job: ExportJob) {
        self.work.call_service(
            Slot::Export,
            ServiceCall::Export(Box::new(job.export.clone())),
            Request::Export,
        );
        self.exports.running = Some(job);
        self.ui.notice = Some(Notice::info("exporting").with_hint("Ctrl-c stops"));
    }

    pub fn on_export_progress(&mut self, token: Token, progress: ExportProgress) {
        let Some(job) = self
            .exports
            .running
            .as_mut()
            .filter(|_| self.work.requests.contains(token))
        else {
            return;
        };
        let credits = progress.credits.saturating_sub(job.progress.credits);
        let of = job
            .total
            .map(|total| format!(" of {}", format_count(total)))
            .unwrap_or_default();
        let text = format!(
            "{}: {}{of} rows",
            display_file_name(&progress.path),
            format_count(progress.rows)
        );
        job.progress = progress;
        let kept = job.clone();
        save_export_draft(Some(&kept), &mut self.work, &mut self.drafts);
        if credits > 0 {
            self.work.record_spend(Some(credits));
        }
        self.ui.notice = Some(Notice::info(text).with_hint("Ctrl-c stops"));
    }

    /// Takes the end of an export.
    pub(in crate::app) fn on_export_reply(&mut self, result: CallResult) {
        let Some(job) = self.exports.running.take() else {
            return;
        };
        let rows = pluralize(job.progress.rows, "row");
        let began = job.progress.bytes > 0;
        self.ui.notice = Some(match payload::<ExportProgress>(result) {
            Ok(done) => {
                self.exports.stopped = None;
                save_export_draft(None, &mut self.work, &mut self.drafts);
                let price = if done.credits == 0 {
                    String::new()
                } else {
                    format!(", {} cr", format_count(done.credits))
                };
                Notice::success(format!(
                    "{}{price}: {}",
                    pluralize(done.rows, "row"),
                    done.path.display()
                ))
            }
            Err(failure) => {
                let is_cancelled = failure.kind == RequestErrorKind::Cancelled;
                let text = match (is_cancelled, began) {
                    (true, true) => {
                        format!(
                            "stopped after {rows}; they are in {}.partial",
                            display_file_name(&job.progress.path)
                        )
                    }
                    (true, false) => "stopped; nothing was written".to_owned(),
                    (false, true) => format!("stopped after {rows}: {}", failure.message),
                    (false, false) => format!("nothing was written: {}", failure.message),
                };
                if began && job.export.rest.is_some() {
                    self.exports.stopped = Some(job);
                } else if !is_cancelled && job.export.written.is_none() && !self.ui.is_typing() {
                    // The path can be corrected without asking everything else again.
                    let path = job.export.path.display().to_string();
                    self.ui.prompt = Some(
                        Prompt::with_rejected("file", &path, PromptKind::ExportPath)
                            .with_price(self.exports.export_price()),
                    );
                    self.exports.draft = Some(job);
                }
                let notice = if is_cancelled {
                    Notice::info(text)
                } else {
                    Notice::warning(text)
                };
                if self.exports.stopped.is_some() {
                    notice.with_hint("{records.export} resumes")
                } else {
                    notice
                }
            }
        });
    }
}

/// Saves the progress of an export with paid rows; `None` or a free export deletes it.
fn save_export_draft(job: Option<&ExportJob>, work: &mut Work, drafts: &mut DraftStore) {
    drafts.save_draft(
        &DraftName::Export,
        job.filter(|job| job.export.rest.is_some()),
        work,
    );
}

/// The file is named after the list.
pub(in crate::app) fn export_file_name(list: &RecordList, views: &Views) -> String {
    let title = match &list.source {
        RecordSource::View(view, _) => views.get(*view).map(View::title).unwrap_or_default(),
        RecordSource::Book(record_kind) => format!("book {record_kind}"),
        RecordSource::Index(dataset) => dataset.to_string(),
    };
    let plain: String = title
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                ' '
            }
        })
        .collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    if words.is_empty() {
        list.source.dataset().to_string()
    } else {
        words.join("-")
    }
}

/// The columns of a file: ID, the visible columns in their order, then the others that the
/// source has.
fn export_fields(source: &RecordSource, settings: &AppSettings) -> Vec<String> {
    let mut fields = vec!["id".to_owned()];
    for field in record_columns::record_columns(source, settings)
        .iter()
        .chain(columns::available_columns(source))
        .map(|column| column.key)
    {
        if !fields.iter().any(|known| known == field) {
            fields.push(field.to_owned());
        }
    }
    fields
}

fn display_file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

//! An export of rows to a file: which rows, which format, where, and the progress.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::records::Record;
use super::search::{RecordSource, Search};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExportFormat {
    /// One line per row under a header, for spreadsheets.
    Csv,
    /// One JSON object per line, as the service sent it.
    JsonLines,
    /// A table for a document or a message.
    Markdown,
}

impl ExportFormat {
    pub fn extension(self) -> &'static str {
        match self {
            ExportFormat::Csv => "csv",
            ExportFormat::JsonLines => "jsonl",
            ExportFormat::Markdown => "md",
        }
    }

    /// A file name as it was typed, with the ending of the format if it has none. A spreadsheet
    /// program opens these formats, but not under the ending of its own.
    pub fn complete_file_name(self, typed: &str) -> String {
        let plain = typed.to_ascii_lowercase();
        let foreign = [".xlsx", ".xls", ".ods"].into_iter();
        let typed = match foreign
            .filter_map(|ending| plain.strip_suffix(ending))
            .next()
        {
            Some(name) => &typed[..name.len()],
            None => typed,
        };
        let is_folder = typed.ends_with(['/', '\\', '.']);
        let ending = std::path::Path::new(typed).extension();
        let has_ending = ending
            .and_then(|ending| ending.to_str())
            .is_some_and(|ending| ending.chars().all(char::is_alphabetic));
        match is_folder || has_ending {
            true => typed.to_owned(),
            false => format!("{typed}.{}", self.extension()),
        }
    }

    /// The name shown to users.
    pub fn title(self) -> &'static str {
        match self {
            ExportFormat::Csv => "CSV",
            ExportFormat::JsonLines => "JSON Lines",
            ExportFormat::Markdown => "Markdown",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportSelection {
    Marked,
    Loaded,
    /// All rows of the list, including those that are not loaded.
    All,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportRequest {
    /// As the user typed it.
    pub path: PathBuf,
    pub format: ExportFormat,
    /// The first columns of CSV.
    pub fields: Vec<String>,
    /// Loaded rows, written first. Not saved: a resumed export has already written them.
    #[serde(skip)]
    pub rows: Vec<Record>,
    /// What to read after them.
    pub rest: Option<RemainingRows>,
    /// The progress to resume from.
    pub written: Option<ExportProgress>,
}

/// Rows that are not loaded; 1 credit each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemainingRows {
    pub source: RecordSource,
    pub search: Search,
    /// The cursor after the last loaded row.
    pub after: Option<String>,
    /// `None` when unknown.
    pub left: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportProgress {
    /// The final file name; `.partial` is appended until the export is complete.
    pub path: PathBuf,
    /// The columns of CSV.
    pub fields: Vec<String>,
    /// Rows written to the file.
    pub rows: u64,
    /// Size of the file.
    pub bytes: u64,
    /// Credits spent.
    pub credits: u64,
    /// The cursor of the next page.
    pub after: Option<String>,
}

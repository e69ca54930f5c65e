//! The dialogs that are lists, as plain data: past writes, coverage gaps, and the frequency table of
//! a column. Their columns are in `app/dialog_lists.rs`.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};

use crate::app::command::Scope;
use crate::app::effect::RecordKey;
use crate::app::model::coverage::CoverageGap;
use crate::app::model::list_table::ListLines;
use crate::app::outbox::failures::Failure;
use crate::app::outbox::undo_history::UndoStep;
use crate::app::overlay::frequency_list::FrequencyList;
use crate::domain::SignalId;
use crate::domain::queue::QueueTab;

#[derive(Clone, Debug)]
pub enum ListDialog {
    /// Past writes, the newest first.
    History(HistoryKind, DialogRows<HistoryEntry>),
    Gaps(DialogRows<CoverageGap>, GapSummary),
    /// How often each value of a column occurs in the list below it.
    Frequency(Box<FrequencyList>),
}

/// What is known of the signals besides their coverage gaps.
#[derive(Clone, Debug, Default)]
pub struct GapSummary {
    /// In sentences.
    pub lines: Vec<String>,
    /// The records that are checked next: the first of which it is not known whether they are in
    /// the book with a status.
    pub unchecked: Vec<RecordKey>,
}

/// The rows of a list in a dialog.
#[derive(Clone, Debug)]
pub struct DialogRows<T> {
    /// In their usual order.
    pub items: Vec<T>,
    pub lines: ListLines,
    /// The ids of the marked rows.
    pub marks: BTreeSet<String>,
    /// They are being read.
    pub is_loading: bool,
}

pub trait DialogRow {
    /// What its mark is kept by.
    fn id(&self) -> String;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryKind {
    /// What can be undone.
    Steps,
    /// What failed in this session, and what waits.
    Failures,
    /// What this machine wrote.
    Journal,
}

/// A past write.
#[derive(Clone, Debug)]
pub struct HistoryEntry {
    pub id: String,
    /// When it was, on the service's clock; `None` for what waits.
    pub at: Option<DateTime<Utc>>,
    pub what: String,
    /// How many signals or changes a step has, and what it has.
    pub size: (usize, &'static str),
    /// What became of it, or what undoing it would meet.
    pub result: String,
    /// It is as it should be.
    pub is_ok: bool,
    /// Why it was done, or why it failed.
    pub reason: Option<String>,
    /// Shown below the list when the cursor is on it.
    pub details: Vec<String>,
    pub target: HistoryTarget,
}

/// What the keys act on.
#[derive(Clone, Debug)]
pub enum HistoryTarget {
    Step(Box<UndoStep>),
    Failure(Box<Failure>),
    /// A triage that waits for the service.
    Waiting(QueueTab, SignalId),
    /// The command that does the same.
    Command(Option<String>),
}

impl<T: DialogRow> DialogRows<T> {
    pub fn new(items: Vec<T>) -> DialogRows<T> {
        DialogRows {
            items,
            lines: ListLines::default(),
            marks: BTreeSet::new(),
            is_loading: false,
        }
    }

    /// The row under the cursor; none on the heading of a group.
    pub fn current(&self) -> Option<&T> {
        self.items.get(self.lines.current_row())
    }

    /// Replaces its rows; the marks of those that are gone go too.
    pub fn set_items(&mut self, items: Vec<T>) {
        self.items = items;
        self.retain(|_| true);
    }

    /// Keeps only some of its rows, and their marks.
    pub fn retain(&mut self, is_kept: impl Fn(&T) -> bool) {
        self.items.retain(is_kept);
        let ids: BTreeSet<String> = self.items.iter().map(DialogRow::id).collect();
        self.marks.retain(|id| ids.contains(id));
    }

    pub fn marks_mut(&mut self) -> &mut BTreeSet<String> {
        &mut self.marks
    }

    pub fn is_marked(&self, item: &T) -> bool {
        !self.marks.is_empty() && self.marks.contains(&item.id())
    }

    /// The marked rows that are shown, else the one under the cursor.
    pub fn list_chosen(&self) -> Vec<&T> {
        let shown = self.lines.rows().filter_map(|row| self.items.get(row));
        let marked: Vec<&T> = shown.filter(|item| self.is_marked(item)).collect();
        if marked.is_empty() {
            self.current().into_iter().collect()
        } else {
            marked
        }
    }
}

impl HistoryEntry {
    /// The command that does the same.
    pub fn command(&self) -> Option<&str> {
        match &self.target {
            HistoryTarget::Command(command) => command.as_deref(),
            _ => None,
        }
    }

    pub fn failure(&self) -> Option<&Failure> {
        match &self.target {
            HistoryTarget::Failure(failure) => Some(failure),
            _ => None,
        }
    }
}

impl DialogRow for HistoryEntry {
    fn id(&self) -> String {
        self.id.clone()
    }
}

impl DialogRow for CoverageGap {
    fn id(&self) -> String {
        self.id.to_string()
    }
}

impl ListDialog {
    pub fn scope(&self) -> Scope {
        match self {
            ListDialog::History(HistoryKind::Steps, _) => Scope::History,
            ListDialog::History(HistoryKind::Failures, _) => Scope::Failures,
            ListDialog::History(HistoryKind::Journal, _) => Scope::Journal,
            ListDialog::Gaps(..) => Scope::Gaps,
            ListDialog::Frequency(_) => Scope::Frequency,
        }
    }

    pub fn lines(&self) -> &ListLines {
        match self {
            ListDialog::History(_, rows) => &rows.lines,
            ListDialog::Gaps(rows, _) => &rows.lines,
            ListDialog::Frequency(list) => &list.rows.lines,
        }
    }

    pub fn lines_mut(&mut self) -> &mut ListLines {
        match self {
            ListDialog::History(_, rows) => &mut rows.lines,
            ListDialog::Gaps(rows, _) => &mut rows.lines,
            ListDialog::Frequency(list) => &mut list.rows.lines,
        }
    }

    pub fn title(&self) -> String {
        match self {
            ListDialog::History(HistoryKind::Steps, _) => "What can be undone".to_owned(),
            ListDialog::History(HistoryKind::Failures, _) => {
                "What failed in this session".to_owned()
            }
            ListDialog::History(HistoryKind::Journal, _) => "Journal of this machine".to_owned(),
            ListDialog::Gaps(..) => "Coverage gaps".to_owned(),
            ListDialog::Frequency(list) => {
                let of_marked = match list.is_of_marked {
                    true => ", marked rows",
                    false => "",
                };
                format!("Frequency of {}{of_marked}", list.column.title())
            }
        }
    }

    /// What stands in place of its rows.
    pub fn empty_text(&self) -> &'static str {
        match self {
            ListDialog::History(_, rows) if rows.is_loading => "Reading…",
            ListDialog::History(HistoryKind::Steps, _) => "Nothing to undo.",
            ListDialog::History(HistoryKind::Failures, _) => "Nothing failed, and nothing waits.",
            ListDialog::History(HistoryKind::Journal, _) => {
                "Nothing was written from this machine."
            }
            ListDialog::Gaps(..) | ListDialog::Frequency(_) => "",
        }
    }
}

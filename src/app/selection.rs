//! What the commands that work on several screens act on.

use crate::app::command::{Availability, Scope};
use crate::app::effect::{ListId, RecordKey};
use crate::domain::queue::QueueSignal;
use crate::domain::text_query::TextQuery;

/// What the commands that work on several screens act on.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    None,
    /// The open signal.
    Signal(Box<QueueSignal>),
    /// An open record and its name.
    Record(RecordKey, String),
}

/// What has the focus, and what commands act on: the console asks the panes after each message.
pub(in crate::app) struct Focus {
    /// The scope of the pane on the screen.
    pub pane_scope: Scope,
    /// The list of records that has the focus.
    pub list: Option<ListId>,
    /// What the pane on the screen offers to commands that work on several screens.
    pub subject: Subject,
    /// The annotation form is open beside the pane and has the keys.
    pub is_annotating: bool,
    /// The builder over a list has the keys.
    pub list_filter_open: bool,
    /// A list with rows has the keys.
    pub has_rows: bool,
    pub is_grouped: bool,
    /// Its rows can be marked.
    pub has_marks: bool,
    /// Whether the row under the cursor can be marked, or why not.
    pub can_mark_row: Availability,
}

impl Default for Focus {
    fn default() -> Focus {
        Focus {
            pane_scope: Scope::Queue,
            list: None,
            subject: Subject::None,
            is_annotating: false,
            list_filter_open: false,
            has_rows: false,
            is_grouped: false,
            has_marks: false,
            can_mark_row: Ok(()),
        }
    }
}

/// Which rows are marked, or no longer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MarkChange<'q> {
    /// That under the cursor, or all of its group; it is unmarked if it is marked.
    Row,
    /// Starts a range at the cursor, or marks the one that was started.
    Range,
    Invert,
    All,
    /// Those that a search finds.
    Matches(&'q TextQuery),
    None,
}

//! What the commands that work on several screens act on.

use crate::app::command::{Availability, Scope, require};
use crate::app::effect::{ListId, RecordKey};
use crate::domain::participants::Participant;
use crate::domain::queue::QueueSignal;

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
    /// The firm or person under the cursor.
    pub participant: Option<Participant>,
    /// The annotation form is open beside the pane and has the keys.
    pub is_annotating: bool,
    /// The builder over a list has the keys.
    pub list_filter_open: bool,
    pub rows: FocusedRows,
}

impl Default for Focus {
    fn default() -> Focus {
        Focus {
            pane_scope: Scope::Queue,
            list: None,
            subject: Subject::None,
            participant: None,
            is_annotating: false,
            list_filter_open: false,
            rows: FocusedRows::default(),
        }
    }
}

impl Focus {
    /// Whether a list with rows has the focus.
    pub fn has_rows(&self) -> Availability {
        require(self.rows.exist, "there are no rows here")
    }

    pub fn is_grouped(&self) -> Availability {
        self.has_rows()?;
        if self.rows.is_grouped {
            Ok(())
        } else {
            let text = "rows are not grouped; {list.group} groups them";
            Err(text.into())
        }
    }

    pub fn can_mark(&self) -> Availability {
        require(self.rows.has_marks, "rows cannot be marked here")
    }

    /// Whether the pane has the keys, rather than the annotation form or the builder beside it.
    pub fn pane_has_focus(&self) -> bool {
        !self.is_annotating && !self.list_filter_open
    }

    /// The scope of the screen, whatever lies over it.
    pub fn scope(&self) -> Scope {
        if self.is_annotating {
            return Scope::AnnotationForm;
        }
        if self.list_filter_open {
            return Scope::ListFilter;
        }
        self.pane_scope
    }
}

/// What can be done with the rows of the focused list.
#[derive(Debug, PartialEq)]
pub struct FocusedRows {
    /// There are rows, and they have the keys.
    pub exist: bool,
    pub is_grouped: bool,
    /// They can be marked: something acts on several.
    pub has_marks: bool,
    /// A range of them can be marked.
    pub has_ranges: bool,
    /// Whether the row under the cursor can be marked, or why not.
    pub can_mark_row: Availability,
}

impl Default for FocusedRows {
    /// There is no list.
    fn default() -> FocusedRows {
        FocusedRows {
            exist: false,
            is_grouped: false,
            has_marks: false,
            has_ranges: false,
            can_mark_row: Err("there are no rows here".into()),
        }
    }
}

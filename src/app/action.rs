//! What a choice does: plain data that an overlay carries until the user picks it.

use std::time::Duration;

use uuid::Uuid;

use crate::app::Screen;
use crate::app::command::Command;
use crate::app::command::keys::Key;
use crate::app::effect::{ListId, RecordKey};
use crate::app::list_change::ListChange;
use crate::app::model::list_field::ValueFilter;
use crate::app::outbox::undo_history::UndoStep;
use crate::app::panes::messages::PaneAction;
use crate::app::prompt::PromptKind;
use crate::domain::book::RecordKind;
use crate::domain::export::{ExportFormat, ExportSelection};
use crate::domain::named_searches::NamedSearch;
use crate::domain::queue::{QueueFilter, QueueTab};
use crate::domain::writes::ReversibleWrite;
use crate::domain::{SignalId, ViewId};
use crate::ui::ColorScheme;

/// Something to do after the user chose or confirmed it.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Load all remaining rows of a list.
    LoadRest(ListId),
    /// Read this many rows of a list again.
    RefreshRecords(ListId, usize),
    /// Ask for the export path of these rows, in this format.
    ChooseExportPath(ExportSelection, ExportFormat),
    /// Ask for the path of an export of the focused list as it is shown.
    ChooseShownExportPath(ExportFormat),
    /// Offer to export the focused list as it is shown.
    ChooseShownExport,
    /// Copy the chosen rows of the focused list as they are shown.
    CopyRows,
    /// Ask which column of the focused list to copy.
    ChooseCopiedColumn,
    /// Resume the export that stopped.
    ResumeExport,
    /// Write changes under this description.
    Write(String, Vec<ReversibleWrite>),
    /// Poll at this interval, or not at all.
    SetPollInterval(Option<Duration>),
    /// Switch to this color scheme.
    SetTheme(ColorScheme),
    /// Switch to the user's theme of this name.
    SetCustomTheme(String),
    /// Quit; unsaved input is lost.
    Quit,
    Undo(Box<UndoStep>),
    Redo(Box<UndoStep>),
    /// Read these records, then perform the action.
    ReadRecordsThen(Vec<(RecordKind, Uuid)>, Box<Action>),
    Pane(PaneAction),
    /// Open the builder over the current list of records.
    OpenListFilter,
    /// Spend what was held back; `true` means: do not ask again until the program exits.
    ApproveSpend(bool),
    /// Triage signals of this tab: mark them done, or put them back to New.
    Triage(QueueTab, Vec<SignalId>),
    /// Write these changes; many of them only after a confirmation that names the verb and the
    /// scope.
    WriteOrConfirm {
        /// What is done, as in `add 50 accounts to Calls`.
        verb: String,
        /// How many of how many.
        scope: String,
        /// What was done, for the journal.
        description: String,
        changes: Vec<ReversibleWrite>,
    },
    /// Read these signals for their descriptions.
    DescribeRows(Vec<SignalId>),
    RunCommand(&'static str),
    /// Copy these values, which are called this.
    CopyValues(&'static str, Vec<String>),
    /// Run a command; one that would write at once asks first.
    ConfirmCommand(&'static Command),
    /// Press keys as if typed, for the custom command of this name.
    PressKeys(&'static str, Vec<Key>),
    /// Run a command that was selected in the palette, which closes if the command is available.
    RunFromPalette(&'static Command),
    /// Go to the screen of a command that was selected in the palette; it does not run.
    GoToCommand(&'static Command),
    /// Put a text into the field of the palette.
    TypeInPalette(String),
    /// Close the palette before what was selected in it is done.
    CloseOverlay,
    /// Show the coverage gaps that are known.
    OpenGaps,
    /// Show the handoff of a period, as the user wrote it.
    OpenHandoff(String),
    /// Go to the View of this name.
    OpenView(String),
    /// Edit the definition of a Dynamic View in Explore's builder.
    EditView(ViewId),
    /// Open a search in Explore.
    UseSearch(Box<NamedSearch>, SearchUse),
    /// Delete the tab of the queue with this name.
    DeleteQueueTab(String),
    /// Ask for the name of a new Static View that holds these records.
    CreateView(RecordKind, Vec<Uuid>),
    /// Filter the queue.
    FilterQueue(Box<QueueFilter>),
    /// List the saved connections, to switch to one.
    ChooseProfile,
    /// Start again with this profile, unless input or writes would be lost: that is asked first.
    SwitchProfile(String),
    /// Quit, unless input or writes would be lost: that is asked first.
    QuitIfSaved,
    /// Open the signal under the queue's cursor.
    OpenSignal,
    /// Open the page of a record with this name.
    OpenRecord(RecordKey, String),
    /// Go to a numbered screen.
    GoTo(Screen),
    /// Go to a visited place, by its index.
    Revisit(usize),
    /// Move the cursor of the focused list or text.
    MoveCursor(isize),
    /// Move by pages, or by a fraction of one.
    MoveByPages(isize, isize),
    SwitchTab {
        forward: bool,
    },
    /// Close what is open, else clear marks, else go back one level; never quits.
    GoBack,
    AnswerPrompt(PromptKind, String),
    /// The prompt was closed without an answer.
    CancelPrompt(PromptKind),
    /// Ask what the focused list is to be sorted by.
    ChooseListSort,
    ChangeList(ListChange<'static>),
    /// Open the column chooser of the focused list.
    ChooseListColumns,
    /// Show the frequency table of the column of the focused list that is most likely of interest.
    OpenFrequency,
    /// Show the frequency table of a column of the focused list.
    ShowFrequency {
        column: String,
        is_of_marked: bool,
    },
    /// Ask which value of the row under the cursor other rows of the focused list must have, to be
    /// shown or marked.
    ChooseRowValue(PromptKind),
    /// Show only the loaded rows of the focused list with some values.
    FilterValues(Box<ValueFilter>),
    /// Ungroup the focused list, or ask what it is to be grouped by.
    ToggleGroup,
    /// Scroll the columns of the focused list.
    ScrollColumns {
        is_right: bool,
    },
    /// Ask what to find in the focused list.
    OpenFind,
    /// Go to the next or the previous match of the last search.
    GoToMatch {
        is_forward: bool,
    },
    /// Put an older or a newer answer into the prompt.
    RecallAnswer {
        is_older: bool,
    },
    /// Complete the last word in the prompt.
    CompleteWord {
        is_forward: bool,
    },
    CloseScreen,
    CancelRunning,
    /// Nothing: the user decided against it.
    Decline,
    /// Nothing: it is unavailable, for this reason.
    ShowUnavailable(String),
    /// Send writes although they cannot be journaled first.
    SendUnjournaled,
}

/// What Explore does with a search.
#[derive(Clone, Debug, PartialEq)]
pub enum SearchUse {
    /// Shows the rows that it has read, or its conditions.
    Show,
    /// Counts what matches, wherever the user is.
    Count,
    /// Offers to create a View of it.
    CreateView,
    /// Shows its conditions, and says this.
    Edit(String),
}

impl<A: Into<PaneAction>> From<A> for Action {
    fn from(action: A) -> Action {
        Action::Pane(action.into())
    }
}

impl Action {
    /// The verb of a confirmation that undoes or redoes a step.
    pub fn undo_verb(&self) -> &'static str {
        if matches!(self, Action::Redo(_)) {
            "redo"
        } else {
            "undo"
        }
    }
}

//! A one-line prompt in the footer; what is shown above it stays unchanged.

use std::borrow::Cow;

use crate::app::drafts::DraftName;
use crate::app::model::completion::Completion;
use crate::app::panes::explore::messages::ExplorePrompt;
use crate::app::panes::import::messages::ImportPrompt;
use crate::app::panes::messages::PanePrompt;
use crate::app::panes::queue::messages::QueuePrompt;
use crate::app::panes::team::messages::TeamPrompt;
use crate::app::panes::views::messages::ViewsPrompt;
use crate::app::price::Price;
use crate::domain::export::ExportFormat;
use crate::ui::text_input::TextInput;

#[derive(Clone, Debug)]
pub struct Prompt {
    /// What is asked for, in a word.
    pub label: Cow<'static, str>,
    pub field: TextInput,
    pub kind: PromptKind,
    /// What taking the text costs.
    pub price: Price,
    /// The name under which its text is saved as it is typed, and the text before anything is
    /// typed. Short texts that are quickly typed again are not saved.
    pub draft: Option<(DraftName, String)>,
    /// The earlier answer that is shown, by its place in the history, and the text that was typed
    /// before it.
    pub recalled: Option<(usize, String)>,
    /// The last word is being completed.
    pub completion: Option<Completion>,
}

/// What the answer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptKind {
    /// What to find in the loaded rows of the focused list.
    Find,
    /// What the rows to be marked contain.
    MarkMatches,
    /// The column whose value the shown rows have in common with the row under the cursor.
    FilterValue,
    /// The same of the marked rows.
    MarkValue,
    /// What the focused list is sorted by.
    Sort,
    /// The column of the frequency table.
    FrequencyColumn,
    /// The column that the focused list is grouped by.
    GroupColumn,
    ExportPath,
    /// Where to export the focused list as it is shown.
    ShownExportPath(ExportFormat),
    /// Which column to copy.
    CopiedColumn,
    /// When the chosen signals return, or a promise is due.
    PutOffUntil,
    Pane(PanePrompt),
}

impl<P: Into<PanePrompt>> From<P> for PromptKind {
    fn from(prompt: P) -> PromptKind {
        PromptKind::Pane(prompt.into())
    }
}

impl Prompt {
    /// With a text that was there before: it is selected, so that typing replaces it.
    pub fn new(
        label: impl Into<Cow<'static, str>>,
        text: &str,
        kind: impl Into<PromptKind>,
    ) -> Prompt {
        let field = TextInput::with_selected_text(text);
        Prompt {
            label: label.into(),
            field,
            kind: kind.into(),
            price: Price::Free,
            draft: None,
            recalled: None,
            completion: None,
        }
    }

    /// With an answer that was rejected, to be corrected.
    pub fn with_rejected(
        label: impl Into<Cow<'static, str>>,
        text: &str,
        kind: impl Into<PromptKind>,
    ) -> Prompt {
        Prompt {
            field: TextInput::with_text(text),
            ..Prompt::new(label, "", kind)
        }
    }

    pub fn with_price(self, price: Price) -> Prompt {
        Prompt { price, ..self }
    }

    /// The preference that keeps its earlier answers: one for each kind. Confirmations and row
    /// numbers have none.
    pub fn history_preference(&self) -> Option<String> {
        let name = match self.kind {
            // Both look for text in rows.
            PromptKind::Find | PromptKind::MarkMatches => return Some("find.history".to_owned()),
            PromptKind::Pane(
                PanePrompt::Team(TeamPrompt::ConfirmRemoval)
                | PanePrompt::Views(ViewsPrompt::ConfirmDeletion | ViewsPrompt::Rename)
                | PanePrompt::Queue(QueuePrompt::Row)
                | PanePrompt::Settings(_),
            ) => return None,
            PromptKind::Sort => "sort of a list".to_owned(),
            PromptKind::FilterValue | PromptKind::MarkValue => return None,
            PromptKind::FrequencyColumn => "frequency".to_owned(),
            PromptKind::GroupColumn => "group".to_owned(),
            PromptKind::ExportPath | PromptKind::ShownExportPath(_) => "export file".to_owned(),
            PromptKind::CopiedColumn => "copied column".to_owned(),
            PromptKind::PutOffUntil => "snooze".to_owned(),
            PromptKind::Pane(PanePrompt::Import(ImportPrompt::Words(_))) => return None,
            // A condition's prompt is named after its field.
            PromptKind::Pane(PanePrompt::Explore(ExplorePrompt::Condition(_))) => {
                format!("condition {}", self.label)
            }
            PromptKind::Pane(prompt) => format!("{prompt:?}"),
        };
        Some(format!("history.{name}"))
    }

    /// Shows the answer before the shown one, or with `is_older` not set the one after it; below
    /// the newest is what was typed. Returns whether there is one.
    pub fn recall(&mut self, is_older: bool, history: &[String]) -> bool {
        let at = self.recalled.as_ref().map_or(history.len(), |(at, _)| *at);
        let Some(at) = (if is_older {
            at.checked_sub(1)
        } else {
            Some(at + 1)
        }) else {
            return false;
        };
        if at > history.len() {
            return false;
        }
        let typed = self
            .recalled
            .take()
            .map_or_else(|| self.text(), |(_, typed)| typed);
        self.field = TextInput::with_text(history.get(at).unwrap_or(&typed));
        self.completion = None;
        self.recalled = (at < history.len()).then_some((at, typed));
        true
    }

    /// Completes the last word, or shows the next or previous word that completes it. Returns
    /// whether there is one.
    pub fn complete(&mut self, is_forward: bool, words: impl Iterator<Item = String>) -> bool {
        let start = || Completion::start(self.field.text(), is_forward, words);
        let Some(text) = Completion::advance(&mut self.completion, is_forward, start) else {
            return false;
        };
        self.field = TextInput::with_text(&text);
        self.recalled = None;
        true
    }

    /// The user changed the text.
    pub fn on_edited(&mut self) {
        (self.recalled, self.completion) = (None, None);
    }

    pub fn text(&self) -> String {
        self.field.text().to_owned()
    }
}

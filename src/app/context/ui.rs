//! What is on the screen beside the panes, and what has the keys.

use std::borrow::Cow;

use crate::app::Screen;
use crate::app::action::Action;
use crate::app::command::Scope;
use crate::app::effect::ListId;
use crate::app::model::find::FindState;
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::{Choice, ChoiceOption};
use crate::app::overlay::frequency_list::FrequencyList;
use crate::app::overlay::list_dialog::ListDialog;
use crate::app::prompt::{Prompt, PromptKind};
use crate::app::selection::{Focus, FocusedRows, Subject};
use crate::domain::conditions::LineError;
use crate::domain::request_error::RequestError;
use crate::ui::text_input::PasteTooLong;

/// The visible fields are what a pane may change itself.
pub(in crate::app) struct Ui {
    pub notice: Option<Notice>,
    pub overlay: Option<Overlay>,
    pub prompt: Option<Prompt>,
    /// The search in loaded rows.
    pub find: FindState,
    pub focus: Focus,
    /// The one on top is shown.
    pub(super) list_dialogs: Vec<ListDialog>,
    screen: Screen,
    previous_screen: Screen,
}

impl Ui {
    pub(super) fn new(screen: Screen) -> Ui {
        Ui {
            notice: None,
            overlay: None,
            prompt: None,
            find: FindState::default(),
            focus: Focus::default(),
            list_dialogs: Vec::new(),
            screen,
            previous_screen: Screen::Queue,
        }
    }

    pub fn screen(&self) -> Screen {
        self.screen
    }

    pub fn previous_screen(&self) -> Screen {
        self.previous_screen
    }

    /// The list of records that has the focus.
    pub fn focused_list(&self) -> Option<&ListId> {
        self.focus.list.as_ref()
    }

    pub fn subject(&self) -> &Subject {
        &self.focus.subject
    }

    /// The dialog that is a list, if one is open.
    pub fn list_dialog(&self) -> Option<&ListDialog> {
        self.list_dialogs.last()
    }

    /// Whether the user is being asked something. What the answer does is attributed to the reason
    /// of the question.
    pub fn has_open_question(&self) -> bool {
        self.overlay.is_some() || self.prompt.is_some() || self.list_dialog().is_some()
    }

    /// Whether a dialog that is a list has the keys, rather than what was opened from it.
    pub fn dialog_has_keys(&self) -> bool {
        self.list_dialog().is_some() && self.overlay.is_none() && self.prompt.is_none()
    }

    /// Whether the focused list has the keys, or what was opened from it: a dialog's, or the pane's.
    pub fn list_has_focus(&self) -> bool {
        self.list_dialog().is_some() || self.focus.pane_has_focus()
    }

    /// Shows a pane's screen. The screen that is left is not one to come back to.
    pub fn show_screen(&mut self, screen: Screen) {
        self.screen = screen;
    }

    /// The pages of a screen were closed: the user cannot come back to it.
    pub fn forget_screen(&mut self, screen: Screen) {
        if self.previous_screen == screen {
            self.previous_screen = Screen::Queue;
        }
    }

    /// Sets what can be done with the rows of the focused list, which depends on what has the focus.
    pub fn set_focused_rows(&mut self, rows: FocusedRows) {
        self.focus.rows = rows;
        self.focus.rows.exist &= self.list_has_focus();
    }

    /// Goes to a numbered screen, and remembers the one before it.
    pub fn enter_screen(&mut self, screen: Screen) {
        self.previous_screen = self.screen;
        self.screen = screen;
        self.notice = None;
    }

    /// Asks before something is done.
    pub fn confirm(
        &mut self,
        title: impl Into<String>,
        text: impl Into<String>,
        verb: impl AsRef<str>,
        then: impl Into<Action>,
    ) {
        let choice = Choice::confirm(title, text, verb, then.into());
        self.overlay = Some(Overlay::Choice(choice));
    }

    /// Asks before a change: `verb` says what it does, as in `mark 99 signals done`, `scope` to how
    /// many rows.
    pub fn confirm_change(&mut self, verb: &str, scope: String, then: Action) {
        self.overlay = Some(Overlay::Choice(Choice::confirm_write(verb, scope, then)));
    }

    /// Closes the frequency table, so that the list that it counts has the keys.
    pub fn close_frequency_list(&mut self) -> Option<ListDialog> {
        self.list_dialogs
            .pop_if(|dialog| matches!(dialog, ListDialog::Frequency(_)))
    }

    pub fn frequency_list(&self) -> Option<&FrequencyList> {
        match self.list_dialog() {
            Some(ListDialog::Frequency(list)) => Some(list),
            _ => None,
        }
    }

    /// The dialog that is a list, without the frequency table over it.
    pub fn counted_dialog(&self) -> Option<&ListDialog> {
        let mut dialogs = self.list_dialogs.iter().rev();
        dialogs.find(|dialog| !matches!(dialog, ListDialog::Frequency(_)))
    }

    /// The keys go into a text or a choice: a late reply must not open a question now, or it would
    /// swallow them.
    pub fn is_typing(&self) -> bool {
        self.has_open_question() || self.focus.is_annotating
    }

    pub fn inform(&mut self, text: impl Into<String>) {
        self.notice = Some(Notice::info(text));
    }

    pub fn warn(&mut self, text: impl Into<String>) {
        self.notice = Some(Notice::warning(text));
    }

    /// Opens a prompt again with the text that was rejected, and says why.
    pub fn ask_again(
        &mut self,
        label: impl Into<Cow<'static, str>>,
        text: &str,
        kind: impl Into<PromptKind>,
        why: impl Into<String>,
    ) {
        self.prompt = Some(Prompt::with_rejected(label, text, kind));
        self.notice = Some(Notice::warning(why));
    }

    /// The same for a line of conditions, with the cursor behind the part that is wrong.
    pub fn ask_for_line_again(
        &mut self,
        text: &str,
        kind: impl Into<PromptKind>,
        error: LineError,
    ) {
        self.ask_again("conditions", text, kind, error.message);
        let before = text.get(..error.place.end).unwrap_or(text);
        if let Some(prompt) = &mut self.prompt {
            prompt.field.set_cursor(before.chars().count());
        }
    }

    /// Completes the last word in the prompt with words that its pane knows.
    pub fn complete_word(&mut self, is_forward: bool, words: Vec<String>) {
        let is_completed = self
            .prompt
            .as_mut()
            .is_some_and(|prompt| prompt.complete(is_forward, words.into_iter()));
        if !is_completed {
            self.notice = Some(Notice::info("nothing to complete"));
        }
    }

    pub fn paste_into_prompt(&mut self, text: &str) -> Option<Result<(), PasteTooLong>> {
        self.prompt.as_mut().map(|prompt| {
            prompt.on_edited();
            prompt.field.paste(text)
        })
    }

    /// The scope in which keys are looked up: of the overlay, else of the prompt, else of the dialog
    /// that is a list, else of the screen.
    pub fn focused_scope(&self) -> Scope {
        match &self.overlay {
            Some(overlay) => overlay.scope().unwrap_or_else(|| self.focus.scope()),
            None if self.prompt.is_some() => Scope::Prompt,
            None => {
                let dialog = self.list_dialog();
                dialog.map_or_else(|| self.focus.scope(), ListDialog::scope)
            }
        }
    }

    /// Shows what failed and why; `hint` says what to do next.
    pub fn show_failure(&mut self, what: &str, failure: &RequestError, hint: &'static str) {
        self.notice = Some(Notice::error(format!("{what}: {}", failure.message)).with_hint(hint));
    }

    /// Lists what can be copied, each with what it is called when it was copied.
    pub fn offer_copies<const N: usize>(&mut self, copies: [(&str, &'static str, Vec<String>); N]) {
        let options: Vec<ChoiceOption> = copies
            .into_iter()
            .filter(|(_, _, values)| !values.is_empty())
            .map(|(label, what, values)| ChoiceOption::new(label, Action::CopyValues(what, values)))
            .collect();
        if options.is_empty() {
            return self.notice = Some(Notice::info("nothing else to copy here"));
        }
        self.overlay = Some(Overlay::Choice(Choice::new("Copy", "0 cr", options)));
    }
}

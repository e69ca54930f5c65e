//! A list of options to choose from, or one action to confirm. The selected option's action is performed.

use super::OverlayOutcome;
use crate::app::action::Action;
use crate::app::command::keys::Key;

#[derive(Clone, Debug)]
pub struct Choice {
    /// The question.
    pub title: String,
    /// The price, or a remark, on the right of the title.
    pub note: String,
    /// What to know before choosing.
    pub text: String,
    pub options: Vec<ChoiceOption>,
    /// Index of the selected option.
    pub selected: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ChoiceOption {
    pub label: String,
    /// A remark on the right.
    pub note: String,
    pub action: Action,
}

impl Choice {
    pub fn new(title: impl Into<String>, note: impl Into<String>, picks: Vec<ChoiceOption>) -> Choice {
        Choice { title: title.into(), note: note.into(), text: String::new(), options: picks, selected: 0 }
    }

    /// One action that is performed only when confirmed.
    pub fn confirm(title: impl Into<String>, text: impl Into<String>, verb: impl Into<String>, then: Action) -> Choice {
        let pick = ChoiceOption { label: verb.into(), note: String::new(), action: then };
        Choice { text: text.into(), ..Choice::new(title, "", vec![pick]) }
    }

    /// A question before a change of shared data: the preselected answer changes nothing.
    pub fn confirm_write(verb: &str, text: impl Into<String>, then: Action) -> Choice {
        let title: String = verb.chars().take(1).flat_map(char::to_uppercase).chain(verb.chars().skip(1)).chain(['?']).collect();
        let pick = |label: String, then| ChoiceOption { label, note: String::new(), action: then };
        let picks = vec![pick("no, change nothing".to_owned(), Action::Decline), pick(format!("yes, {verb}"), then)];
        Choice { text: text.into(), ..Choice::new(title, "", picks) }
    }

    pub fn handle_key(&mut self, key: Key) -> OverlayOutcome {
        let is = |name: &str| Some(key) == Key::parse(name);
        let len = self.options.len().max(1);
        match () {
            () if is("Esc") || is("q") => return OverlayOutcome::Close,
            () if is("Enter") => {
                return self
                    .options
                    .get(self.selected)
                    .map_or(OverlayOutcome::Close, |pick| OverlayOutcome::Perform(pick.action.clone()));
            }
            () if is("Down") || is("j") || is("Tab") => self.selected = (self.selected + 1) % len,
            () if is("Up") || is("k") || is("Shift-Tab") => self.selected = (self.selected + len - 1) % len,
            () if is("Home") => self.selected = 0,
            () if is("End") => self.selected = len - 1,
            () => {}
        }
        OverlayOutcome::Stay
    }
}

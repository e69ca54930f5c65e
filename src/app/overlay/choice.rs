//! A list of options to choose from, or one action to confirm. The selected option's action is performed.

use crate::app::action::Action;
use crate::domain::conditions::capitalize;

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

    /// A question before quitting loses something: the preselected answer stays.
    pub fn confirm_quit(text: impl Into<String>) -> Choice {
        let pick = |label: &str, action| ChoiceOption { label: label.to_owned(), note: String::new(), action };
        let picks = vec![pick("no, stay", Action::Decline), pick("yes, quit", Action::Quit)];
        Choice { text: text.into(), ..Choice::new("Quit?", "", picks) }
    }

    /// A question before a change of shared data: the preselected answer changes nothing.
    pub fn confirm_write(verb: &str, text: impl Into<String>, then: Action) -> Choice {
        let title = format!("{}?", capitalize(verb));
        let pick = |label: String, then| ChoiceOption { label, note: String::new(), action: then };
        let picks = vec![pick("no, change nothing".to_owned(), Action::Decline), pick(format!("yes, {verb}"), then)];
        Choice { text: text.into(), ..Choice::new(title, "", picks) }
    }

    /// Whether it is a question before a change.
    pub fn is_confirmation(&self) -> bool {
        matches!(self.options.as_slice(), [no, _] if no.action == Action::Decline)
    }

    /// Selects the option this many further, around the end.
    pub fn step(&mut self, options: usize) {
        self.selected = (self.selected + options) % self.options.len().max(1);
    }
}

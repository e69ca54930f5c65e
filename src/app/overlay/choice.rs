//! A list of things to choose from, or one thing to confirm; what is chosen is done.

use super::OverlayOutcome;
use crate::app::action::Action;
use crate::app::command::keys::Key;

/// A choice.
#[derive(Clone, Debug)]
pub struct Choice {
    /// What is asked.
    pub title: String,
    /// What it costs.
    pub note: String,
    /// What there is to know before choosing.
    pub text: String,
    /// What can be chosen.
    pub options: Vec<ChoiceOption>,
    /// The one that has the keys.
    pub selected: usize,
}

/// Something that can be chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct ChoiceOption {
    /// Its name.
    pub label: String,
    /// What is known of it.
    pub note: String,
    /// What choosing it does.
    pub action: Action,
}

impl Choice {
    /// A choice among some.
    pub fn new(title: impl Into<String>, note: impl Into<String>, picks: Vec<ChoiceOption>) -> Choice {
        Choice { title: title.into(), note: note.into(), text: String::new(), options: picks, selected: 0 }
    }

    /// One thing that is done only when it is confirmed.
    pub fn confirm(title: impl Into<String>, text: impl Into<String>, verb: impl Into<String>, then: Action) -> Choice {
        let pick = ChoiceOption { label: verb.into(), note: String::new(), action: then };
        Choice { text: text.into(), ..Choice::new(title, "", vec![pick]) }
    }

    /// A question before something that changes data: the answer that is selected changes nothing.
    pub fn confirm_write(verb: &str, text: impl Into<String>, then: Action) -> Choice {
        let title: String = verb.chars().take(1).flat_map(char::to_uppercase).chain(verb.chars().skip(1)).chain(['?']).collect();
        let pick = |label: String, then| ChoiceOption { label, note: String::new(), action: then };
        let picks = vec![pick("no, change nothing".to_owned(), Action::Decline), pick(format!("yes, {verb}"), then)];
        Choice { text: text.into(), ..Choice::new(title, "", picks) }
    }

    /// Gives a key to the choice.
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

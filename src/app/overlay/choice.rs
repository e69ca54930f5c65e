//! A list of things to choose from, or one thing to confirm; what is chosen is done.

use super::Outcome;
use crate::app::command::keys::Key;
use crate::app::intent::Intent;

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
    pub picks: Vec<Pick>,
    /// The one that has the keys.
    pub at: usize,
}

/// Something that can be chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Pick {
    /// Its name.
    pub label: String,
    /// What is known of it.
    pub note: String,
    /// What choosing it does.
    pub then: Intent,
}

impl Choice {
    /// A choice among some.
    pub fn new(title: impl Into<String>, note: impl Into<String>, picks: Vec<Pick>) -> Choice {
        Choice { title: title.into(), note: note.into(), text: String::new(), picks, at: 0 }
    }

    /// One thing that is done only when it is confirmed.
    pub fn confirm(title: impl Into<String>, text: impl Into<String>, verb: impl Into<String>, then: Intent) -> Choice {
        let pick = Pick { label: verb.into(), note: String::new(), then };
        Choice { text: text.into(), ..Choice::new(title, "", vec![pick]) }
    }

    /// A question before something that changes data: the answer that is selected changes nothing.
    pub fn ask(verb: &str, text: impl Into<String>, then: Intent) -> Choice {
        let title: String = verb.chars().take(1).flat_map(char::to_uppercase).chain(verb.chars().skip(1)).chain(['?']).collect();
        let pick = |label: String, then| Pick { label, note: String::new(), then };
        let picks = vec![pick("no, change nothing".to_owned(), Intent::Nothing), pick(format!("yes, {verb}"), then)];
        Choice { text: text.into(), ..Choice::new(title, "", picks) }
    }

    /// Gives a key to the choice.
    pub fn key(&mut self, key: Key) -> Outcome {
        let is = |name: &str| Some(key) == Key::parse(name);
        let len = self.picks.len().max(1);
        match () {
            () if is("Esc") || is("q") => return Outcome::Close,
            () if is("Enter") => {
                return self.picks.get(self.at).map_or(Outcome::Close, |pick| Outcome::Do(pick.then.clone()));
            }
            () if is("Down") || is("j") || is("Tab") => self.at = (self.at + 1) % len,
            () if is("Up") || is("k") || is("Shift-Tab") => self.at = (self.at + len - 1) % len,
            () if is("Home") => self.at = 0,
            () if is("End") => self.at = len - 1,
            () => {}
        }
        Outcome::Stay
    }
}

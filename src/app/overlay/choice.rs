//! A list of options to choose from, or one action to confirm. The selected option's action is performed.

use super::Overlay;
use crate::app::Context;
use crate::app::action::Action;
use crate::app::command::{ContextCommand, Scope};

/// In the order of help.
pub const COMMANDS: &[ContextCommand] = &[
    ContextCommand::new("choice.accept", &["Enter"], "select", "do what the selected option says", Scope::Choice, accept),
    ContextCommand::new("choice.down", &["Down", "j", "Tab"], "down", "select the next option", Scope::Choice, |app| {
        update(app, |choice| choice.step(1));
    }),
    ContextCommand::new("choice.up", &["Up", "k", "Shift-Tab"], "up", "select the previous option", Scope::Choice, |app| {
        update(app, |choice| choice.step(choice.options.len().saturating_sub(1)));
    }),
    ContextCommand::new("choice.first", &["Home"], "first", "select the first option", Scope::Choice, |app| {
        update(app, |choice| choice.selected = 0);
    }),
    ContextCommand::new("choice.last", &["End"], "last", "select the last option", Scope::Choice, |app| {
        update(app, |choice| choice.selected = choice.options.len().saturating_sub(1));
    }),
    ContextCommand::new("choice.cancel", &["Esc", "q"], "cancel", "close and do nothing", Scope::Choice, Context::close_overlay),
];

fn update(app: &mut Context, change: impl FnOnce(&mut Choice)) {
    if let Some(Overlay::Choice(choice)) = &mut app.overlay {
        change(choice);
    }
}

fn accept(app: &mut Context) {
    if let Some(Overlay::Choice(choice)) = app.overlay.take()
        && let Some(option) = choice.options.into_iter().nth(choice.selected)
    {
        app.perform(option.action);
    }
}

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

    /// Selects the option this many further, around the end.
    fn step(&mut self, options: usize) {
        self.selected = (self.selected + options) % self.options.len().max(1);
    }
}

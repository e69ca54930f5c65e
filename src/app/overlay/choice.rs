//! A list of options to choose from, or a question. The selected option's action is performed.
//!
//! Only Enter answers. Letters select the option that begins with the typed word, so that no text
//! that was meant for another place answers anything.

use crate::app::action::Action;
use crate::app::command::keys::Key;
use crate::app::model::type_ahead::TypeAhead;
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
    /// The word that is typed to select an option.
    pub typed: TypeAhead,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ChoiceOption {
    pub label: String,
    /// A remark on the right.
    pub note: String,
    pub action: Action,
}

impl ChoiceOption {
    pub fn new(label: impl Into<String>, action: Action) -> ChoiceOption {
        ChoiceOption {
            label: label.into(),
            note: String::new(),
            action,
        }
    }

    /// What the typed word is compared with: of an answer with yes or no, only that.
    fn typed_label(&self) -> &str {
        self.label
            .split_once(',')
            .map_or(&self.label, |(answer, _)| answer)
    }
}

impl Choice {
    /// A list. If an option does harm, another one is to be selected first.
    pub fn new(
        title: impl Into<String>,
        note: impl Into<String>,
        options: Vec<ChoiceOption>,
    ) -> Choice {
        let (title, note) = (title.into(), note.into());
        Choice {
            title,
            note,
            text: String::new(),
            options,
            selected: 0,
            typed: TypeAhead::default(),
        }
    }

    /// A question whose preselected answer, `no`, does nothing.
    pub fn question(
        title: impl Into<String>,
        text: impl Into<String>,
        no: &str,
        answers: Vec<ChoiceOption>,
    ) -> Choice {
        let options = std::iter::once(ChoiceOption::new(no, Action::Decline))
            .chain(answers)
            .collect();
        Choice {
            text: text.into(),
            ..Choice::new(title, "", options)
        }
    }

    /// A question with yes and no: `verb` says what yes does.
    pub fn confirm(
        title: impl Into<String>,
        text: impl Into<String>,
        verb: impl AsRef<str>,
        then: Action,
    ) -> Choice {
        Choice::question(
            title,
            text,
            "no",
            vec![ChoiceOption::new(format!("yes, {}", verb.as_ref()), then)],
        )
    }

    /// A question before quitting loses something.
    pub fn confirm_quit(text: impl Into<String>) -> Choice {
        Choice::question(
            "Quit?",
            text,
            "no, stay",
            vec![ChoiceOption::new("yes, quit", Action::Quit)],
        )
    }

    /// A question before a change of shared data.
    pub fn confirm_write(verb: &str, text: impl Into<String>, then: Action) -> Choice {
        let answer = ChoiceOption::new(format!("yes, {verb}"), then);
        Choice::question(
            format!("{}?", capitalize(verb)),
            text,
            "no, change nothing",
            vec![answer],
        )
    }

    /// Whether it asks: its first answer does nothing.
    pub fn is_question(&self) -> bool {
        self.options
            .first()
            .is_some_and(|no| no.action == Action::Decline)
    }

    /// Whether it is answered with yes or no.
    pub fn is_confirmation(&self) -> bool {
        self.is_question() && self.options.len() == 2
    }

    /// Selects the option this many further: the next one around the end, others at most the last.
    pub fn move_selection(&mut self, options: isize) {
        let len = self.options.len().max(1);
        self.selected = match options {
            -1 | 1 => (self.selected + len).saturating_add_signed(options) % len,
            _ => self.selected.saturating_add_signed(options).min(len - 1),
        };
        self.typed.clear();
    }

    pub fn type_key(&mut self, key: Key) {
        self.typed.type_key(
            key,
            &mut self.selected,
            self.options.iter().map(ChoiceOption::typed_label),
        );
    }

    /// Why the typed word selects nothing.
    pub fn rejection(&self) -> Option<String> {
        let found = self
            .typed
            .find(self.options.iter().map(ChoiceOption::typed_label))?;
        found.rejection(self.typed.text())
    }
}

//! The filter form: what the service can narrow the queue by, and nothing else.

use std::collections::BTreeSet;

use super::Outcome;
use crate::app::command::keys::Key;
use crate::domain::queue::{Priority, QueueFilter};
use crate::domain::signals::SignalType;
use crate::ui::field::{PasteTooLong, TextInput};

/// The form. Lines: the priorities, the types, the city, the text.
#[derive(Clone, Debug)]
pub struct FilterForm {
    /// The line that has the keys.
    pub at: usize,
    /// Chosen priorities.
    pub priority: BTreeSet<Priority>,
    /// Chosen types.
    pub signal_type: BTreeSet<SignalType>,
    /// The city.
    pub city: TextInput,
    /// The text.
    pub q: TextInput,
    base: QueueFilter,
}

/// A line of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A priority that can be chosen.
    Priority(&'static Priority),
    /// A type that can be chosen.
    Type(&'static SignalType),
    /// The city.
    City,
    /// The text.
    Text,
}

impl FilterForm {
    /// The form of a filter.
    pub fn new(filter: &QueueFilter) -> Self {
        FilterForm {
            at: 0,
            priority: filter.priority.clone(),
            signal_type: filter.signal_type.clone(),
            city: TextInput::with_text(&filter.city),
            q: TextInput::with_text(&filter.q),
            base: filter.clone(),
        }
    }

    /// The lines, in order: the texts first, they are asked for most.
    pub fn parts() -> Vec<Part> {
        [Part::City, Part::Text]
            .into_iter()
            .chain(Priority::ALL.iter().map(Part::Priority))
            .chain(SignalType::ALL.iter().map(Part::Type))
            .collect()
    }

    /// The line that has the keys.
    pub fn part(&self) -> Part {
        FilterForm::parts().get(self.at).copied().unwrap_or(Part::City)
    }

    /// Whether a line is chosen.
    pub fn chosen(&self, part: Part) -> bool {
        match part {
            Part::Priority(priority) => self.priority.contains(priority),
            Part::Type(kind) => self.signal_type.contains(kind),
            Part::City => !self.city.text().is_empty(),
            Part::Text => !self.q.text().is_empty(),
        }
    }

    /// The filter as it stands in the form.
    pub fn filter(&self) -> QueueFilter {
        QueueFilter {
            priority: self.priority.clone(),
            signal_type: self.signal_type.clone(),
            city: self.city.text().trim().to_owned(),
            q: self.q.text().trim().to_owned(),
            ..self.base.clone()
        }
    }

    fn field(&mut self) -> Option<&mut TextInput> {
        match self.part() {
            Part::City => Some(&mut self.city),
            Part::Text => Some(&mut self.q),
            _ => None,
        }
    }

    /// Gives a key to the form.
    pub fn key(&mut self, key: Key) -> Outcome {
        let is = |name: &str| Some(key) == Key::parse(name);
        let lines = FilterForm::parts().len();
        match () {
            () if is("Esc") => return Outcome::Close,
            () if is("Enter") => return Outcome::Filter(self.filter()),
            () if is("Down") || is("Tab") => self.at = (self.at + 1) % lines,
            () if is("Up") || is("Shift-Tab") => self.at = (self.at + lines - 1) % lines,
            () => match self.part() {
                Part::City | Part::Text => {
                    self.field().map(|field| field.handle_key(key.event()));
                }
                Part::Priority(priority) if is("Space") || is("x") => flip(&mut self.priority, priority),
                Part::Type(kind) if is("Space") || is("x") => flip(&mut self.signal_type, kind),
                _ if is("j") => self.at = (self.at + 1) % lines,
                _ if is("k") => self.at = (self.at + lines - 1) % lines,
                _ => {}
            },
        }
        Outcome::Stay
    }

    /// Gives a paste to the field that has the keys.
    pub fn paste(&mut self, text: &str) -> Option<Result<(), PasteTooLong>> {
        self.field().map(|field| field.paste(text))
    }
}

fn flip<T: Clone + Ord>(set: &mut BTreeSet<T>, value: &T) {
    if !set.remove(value) {
        set.insert(value.clone());
    }
}

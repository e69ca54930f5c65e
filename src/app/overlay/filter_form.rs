//! The filter form: the fields that the service can filter the queue by, and nothing else.

use std::collections::BTreeSet;

use crossterm::event::KeyCode;

use crate::app::command::Scope;
use crate::app::command::keys::Key;
use crate::app::format::humanize;
use crate::app::model::completion::Completion;
use crate::app::model::type_ahead::{TypeAhead, TypedValue};
use crate::domain::cities::strip_state;
use crate::domain::queue::{Priority, QueueFilter};
use crate::domain::signals::SignalType;
use crate::ui::text_input::{PasteTooLong, TextInput};

/// The form, with the fields city, text, priorities and types.
#[derive(Clone, Debug)]
pub struct FilterForm {
    /// Index of the focused field.
    pub cursor: usize,
    pub priority: BTreeSet<Priority>,
    pub signal_type: BTreeSet<SignalType>,
    pub city: TextInput,
    pub q: TextInput,
    /// The city is being completed.
    completion: Option<Completion>,
    /// The word that is typed to go to an option.
    typed: TypeAhead,
    base: QueueFilter,
}

/// A field of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterFormField {
    Priority(&'static Priority),
    Type(&'static SignalType),
    City,
    Text,
}

impl FilterFormField {
    /// The name of an option; a text has none.
    pub fn option_label(self) -> String {
        match self {
            FilterFormField::Priority(priority) => format!("{priority} priority"),
            FilterFormField::Type(kind) => humanize(kind.as_str()),
            FilterFormField::City | FilterFormField::Text => String::new(),
        }
    }
}

/// What was typed into a field, without the field's name in front: `city=Boston`.
fn strip_field(text: &str, field: &str) -> String {
    let value = match text.split_once('=') {
        Some((name, value)) if name.trim().eq_ignore_ascii_case(field) => value,
        _ => text,
    };
    value.trim().to_owned()
}

impl FilterForm {
    pub fn new(filter: &QueueFilter) -> Self {
        FilterForm {
            cursor: 0,
            priority: filter.priority.clone(),
            signal_type: filter.signal_type.clone(),
            city: TextInput::with_selected_text(&filter.city),
            q: TextInput::with_selected_text(&filter.q),
            completion: None,
            typed: TypeAhead::default(),
            base: filter.clone(),
        }
    }

    /// All fields in order; the texts come first because they are used most.
    pub fn all_fields() -> Vec<FilterFormField> {
        [FilterFormField::City, FilterFormField::Text]
            .into_iter()
            .chain(Priority::ALL.iter().map(FilterFormField::Priority))
            .chain(SignalType::ALL.iter().map(FilterFormField::Type))
            .collect()
    }

    pub fn current_field(&self) -> FilterFormField {
        FilterForm::all_fields()
            .get(self.cursor)
            .copied()
            .unwrap_or(FilterFormField::City)
    }

    /// Whether a field is set.
    pub fn is_chosen(&self, part: FilterFormField) -> bool {
        match part {
            FilterFormField::Priority(priority) => self.priority.contains(priority),
            FilterFormField::Type(kind) => self.signal_type.contains(kind),
            FilterFormField::City => !self.city.text().is_empty(),
            FilterFormField::Text => !self.q.text().is_empty(),
        }
    }

    /// The filter that the form describes.
    pub fn to_filter(&self) -> QueueFilter {
        QueueFilter {
            priority: self.priority.clone(),
            signal_type: self.signal_type.clone(),
            city: strip_state(&strip_field(self.city.text(), "city")).to_owned(),
            q: strip_field(self.q.text(), "text"),
            ..self.base.clone()
        }
    }

    fn text_input(&mut self) -> Option<&mut TextInput> {
        match self.current_field() {
            FilterFormField::City => Some(&mut self.city),
            FilterFormField::Text => Some(&mut self.q),
            _ => None,
        }
    }

    /// On an option, characters are keys; in a text field, they are text.
    pub fn scope(&self) -> Scope {
        match self.current_field() {
            FilterFormField::City | FilterFormField::Text => Scope::FilterForm,
            FilterFormField::Priority(_) | FilterFormField::Type(_) => Scope::FilterOptions,
        }
    }

    /// Completes the city, or shows the next or previous one that begins like what was typed.
    /// Returns whether there is one.
    pub fn complete_city(
        &mut self,
        is_forward: bool,
        cities: impl Iterator<Item = String>,
    ) -> bool {
        if self.current_field() != FilterFormField::City {
            return false;
        }
        let start = || Completion::start_whole(self.city.text(), is_forward, cities);
        let Some(text) = Completion::advance(&mut self.completion, is_forward, start) else {
            return false;
        };
        self.city = TextInput::with_text(&text);
        true
    }

    pub fn type_key(&mut self, key: Key) {
        self.completion = None;
        match self.text_input() {
            Some(field) => drop(field.handle_key(key.to_event())),
            None => self.typed.type_key(
                key,
                &mut self.cursor,
                option_labels().iter().map(String::as_str),
            ),
        }
    }

    pub fn typed_word(&self) -> &str {
        self.typed.text()
    }

    fn typed_option(&self) -> Option<TypedValue> {
        self.typed.find(option_labels().iter().map(String::as_str))
    }

    /// Why the typed word is no option.
    pub fn rejection(&self) -> Option<String> {
        self.typed_option()?.rejection(self.typed.text())
    }

    /// Whether a character goes on with the typed word. A space ends the word of an option.
    pub fn continues_text(&self, key: Key) -> bool {
        match self.typed_option() {
            Some(TypedValue::One(_)) => key.to_event().code != KeyCode::Char(' '),
            found => found.is_some(),
        }
    }

    /// Selects the option whose word was typed; returns why there is none.
    pub fn select_typed(&mut self) -> Result<(), String> {
        let (found, rejection) = (self.typed_option(), self.rejection());
        self.typed.clear();
        if matches!(found, Some(TypedValue::One(_))) && !self.is_chosen(self.current_field()) {
            self.toggle_option();
        }
        rejection.map_or(Ok(()), Err)
    }

    pub fn step(&mut self, forward: bool) {
        let fields = FilterForm::all_fields().len();
        self.cursor = (self.cursor + if forward { 1 } else { fields - 1 }) % fields;
        self.typed.clear();
    }

    pub fn toggle_option(&mut self) {
        self.typed.clear();
        match self.current_field() {
            FilterFormField::Priority(priority) => toggle(&mut self.priority, priority),
            FilterFormField::Type(kind) => toggle(&mut self.signal_type, kind),
            FilterFormField::City | FilterFormField::Text => {}
        }
    }

    pub fn paste(&mut self, text: &str) -> Option<Result<(), PasteTooLong>> {
        self.text_input().map(|field| field.paste(text))
    }
}

/// The label of each field; the texts have none.
fn option_labels() -> Vec<String> {
    FilterForm::all_fields()
        .into_iter()
        .map(FilterFormField::option_label)
        .collect()
}

fn toggle<T: Clone + Ord>(set: &mut BTreeSet<T>, value: &T) {
    if !set.remove(value) {
        set.insert(value.clone());
    }
}

//! A word that is typed to choose among values: a whole value, or as much of it as no other value
//! begins with. What means no value chooses nothing.

use crossterm::event::KeyCode;

use crate::app::command::keys::Key;

/// The most characters that are taken: no value is longer.
const MAX_TYPED_CHARS: usize = 80;

/// Which of the values a text means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypedValue {
    /// The one of this index.
    One(usize),
    /// So many of them begin with it.
    Several(usize),
    Unknown,
}

/// The value that a text means, ignoring case, underscores and repeated spaces: the one that it
/// spells out, else the one that begins with it, else the one with a word that does.
pub fn find_value<'a>(text: &str, values: impl Iterator<Item = &'a str>) -> TypedValue {
    let (text, values) = (normalize(text), values.map(normalize).collect::<Vec<_>>());
    let later_words = |value: &str| {
        value
            .match_indices(' ')
            .any(|(at, _)| value[at + 1..].starts_with(&text))
    };
    let ways: [&dyn Fn(&str) -> bool; 3] = [
        &|value| value == text,
        &|value| value.starts_with(&text),
        &later_words,
    ];
    let found = ways.iter().find_map(|means| {
        let found: Vec<usize> = (0..values.len()).filter(|at| means(&values[*at])).collect();
        (!found.is_empty()).then_some(found)
    });
    match found.as_deref() {
        None => TypedValue::Unknown,
        Some([one]) => TypedValue::One(*one),
        Some(several) => TypedValue::Several(several.len()),
    }
}

fn normalize(text: &str) -> String {
    text.replace('_', " ")
        .to_lowercase()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

impl TypedValue {
    /// Why a text does not choose; `None` if it does.
    pub fn rejection(self, text: &str) -> Option<String> {
        match self {
            TypedValue::One(_) => None,
            TypedValue::Several(count) => Some(format!("“{text}” may be any of {count}")),
            TypedValue::Unknown => Some(format!("“{text}” is not one of these")),
        }
    }
}

/// The word that is being typed at a list of values.
#[derive(Clone, Debug, Default)]
pub struct TypeAhead {
    text: String,
    /// What was selected before it.
    selected_before: usize,
}

impl TypeAhead {
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub fn clear(&mut self) {
        self.text.clear();
    }

    /// Types a key, and selects the value that is meant; the one that was selected before, if none
    /// is.
    pub fn type_key<'a>(
        &mut self,
        key: Key,
        selected: &mut usize,
        values: impl Iterator<Item = &'a str>,
    ) {
        if self.is_empty() {
            self.selected_before = *selected;
        }
        match key.to_event().code {
            KeyCode::Backspace => drop(self.text.pop()),
            KeyCode::Char(' ') if self.is_empty() => {}
            KeyCode::Char(c)
                if key.is_character() && self.text.chars().count() < MAX_TYPED_CHARS =>
            {
                self.text.push(c)
            }
            _ => return,
        }
        *selected = match self.find(values) {
            Some(TypedValue::One(at)) => at,
            _ => self.selected_before,
        };
    }

    /// What the word means; `None` if nothing was typed.
    pub fn find<'a>(&self, values: impl Iterator<Item = &'a str>) -> Option<TypedValue> {
        (!self.is_empty()).then(|| find_value(&self.text, values))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(text: &str) -> TypedValue {
        find_value(
            text,
            [
                "Tier 1",
                "Tier 12",
                "permit_filed",
                "permit issued",
                "Disqualified",
                "",
            ]
            .into_iter(),
        )
    }

    #[test]
    fn a_value_is_meant_by_its_whole_text_by_its_beginning_or_by_one_of_its_words() {
        assert_eq!(
            [find("tier 1"), find("TIER_12"), find("permit  filed")],
            [0, 1, 2].map(TypedValue::One)
        );
        assert_eq!(
            [find("permit i"), find("d"), find("issued"), find("12")],
            [3, 4, 3, 1].map(TypedValue::One)
        );
        assert_eq!(
            [find("tier"), find("permit"), find("1")],
            [2; 3].map(TypedValue::Several)
        );
        assert_eq!(
            [find("contacted"), find("tiers"), find("qualified")],
            [TypedValue::Unknown; 3]
        );
    }

    #[test]
    fn what_means_no_value_leaves_the_selection_as_it_was() {
        let select = |text: &str| {
            let (mut typed, mut selected) = (TypeAhead::default(), 1);
            for c in text.chars() {
                let name = if c == ' ' {
                    "Space".to_owned()
                } else {
                    c.to_string()
                };
                typed.type_key(
                    Key::parse(&name).unwrap(),
                    &mut selected,
                    ["no", "later", "yes"].into_iter(),
                );
            }
            selected
        };
        assert_eq!(
            [
                select("y"),
                select("yes"),
                select("n"),
                select("Friday"),
                select("yesterday"),
                select(" y")
            ],
            [2, 2, 0, 1, 1, 2]
        );
    }
}

//! A list that is filtered as the user types, to pick one entry or several.

use std::collections::BTreeSet;

use chrono::{DateTime, FixedOffset};

use crate::app::action::Action;
use crate::app::command::Scope;
use crate::app::command::keys::Key;
use crate::app::format::{humanize, marked_label, pluralize};
use crate::app::model::list_table::ColumnSpec;
use crate::app::panes::explore::messages::ExploreAction;
use crate::app::panes::queue::messages::QueueAction;
use crate::app::panes::subscriptions::messages::SubscriptionsAction;
use crate::app::prompt::PromptKind;
use crate::domain::conditions::ConditionPath;
use crate::domain::field_kind::ListSort;
use crate::domain::subscriptions::MAX_BULK_SUBSCRIPTIONS;
use crate::ui::scroll::ScrollState;
use crate::ui::text_input::{PasteTooLong, TextInput};

#[derive(Clone, Debug)]
pub struct Picker {
    pub title: String,
    /// A remark on the right of the title, with `{ids}` for keys.
    pub note: String,
    /// Sentences above the query.
    pub summary: String,
    /// The query.
    pub field: TextInput,
    /// The cursor, within the matching entries.
    pub scroll: ScrollState,
    /// The last key was typed into the query.
    is_typing: bool,
    pub allows_many: bool,
    entries: Vec<PickerEntry>,
    /// Makes an entry of what is typed.
    typed: Option<(TypedEntryFn, DateTime<FixedOffset>)>,
    /// How to write what can be typed.
    pub typed_example: &'static str,
    /// The entry for what is typed; its index follows those of the others.
    typed_entry: Option<PickerEntry>,
    marked: BTreeSet<usize>,
    kind: PickerKind,
}

/// Makes an entry of a text, by the user's clock; `None` if it means nothing.
pub type TypedEntryFn = fn(&str, DateTime<FixedOffset>) -> Option<PickerEntry>;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PickerEntry {
    /// The wire name.
    pub key: String,
    /// The label where it is not the wire name.
    pub label: String,
    /// A short remark.
    pub note: String,
    /// Details, shown for the entry under the cursor.
    pub detail: String,
}

/// The answer that stands for the order that a list has by itself.
pub const USUAL_ORDER: &str = "usual";

impl PickerEntry {
    /// The order that a list has by itself.
    pub fn of_usual_sort(label: &str) -> PickerEntry {
        PickerEntry {
            key: USUAL_ORDER.to_owned(),
            label: label.to_owned(),
            ..PickerEntry::default()
        }
    }

    /// An order of rows by a column: the usual one, or the reverse of the current one.
    pub fn of_sort(column: &ColumnSpec, now: Option<ListSort>) -> PickerEntry {
        let current = now.filter(|sort| sort.key == column.key);
        let sort = current.map_or_else(|| column.usual_sort(), ListSort::reversed);
        let note = match current {
            Some(_) => "reverse",
            None => sort.direction_label(),
        };
        PickerEntry {
            key: sort.to_string(),
            label: column.title(),
            note: note.to_owned(),
            ..PickerEntry::default()
        }
    }
}

/// What the pick is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PickerKind {
    /// A condition on this field, inside the relation at this place.
    Condition(Option<usize>),
    /// The values of a condition.
    Values(ConditionPath),
    /// Who gets mail about a signal type; may be nobody. It may have been asked because mail is
    /// to be turned on.
    Recipients { turns_mail_on: bool },
    /// Signal types whose priority is to be set.
    Types,
    /// What rules propose for signals; may be none of it.
    Proposals,
    /// The answer to a prompt.
    Answer(PromptKind),
}

impl Picker {
    /// Picks exactly one entry.
    pub fn single_choice(
        title: String,
        note: &str,
        entries: Vec<PickerEntry>,
        purpose: PickerKind,
    ) -> Picker {
        let (field, scroll) = (TextInput::default(), ScrollState::default());
        Picker {
            title,
            note: note.to_owned(),
            summary: String::new(),
            field,
            scroll,
            is_typing: false,
            allows_many: false,
            entries,
            typed: None,
            typed_example: "",
            typed_entry: None,
            marked: BTreeSet::new(),
            kind: purpose,
        }
    }

    /// Offers what is typed as an entry too.
    pub fn with_typed_entry(
        self,
        make: TypedEntryFn,
        now: DateTime<FixedOffset>,
        example: &'static str,
    ) -> Picker {
        Picker {
            typed: Some((make, now)),
            typed_example: example,
            ..self
        }
    }

    fn entry(&self, index: usize) -> Option<&PickerEntry> {
        self.entries.get(index).or(self.typed_entry.as_ref())
    }

    /// Whether a space belongs to the query.
    pub fn continues_text(&self) -> bool {
        self.is_typing && !self.field.text().is_empty()
    }

    fn on_text_changed(&mut self) {
        self.is_typing = true;
        self.scroll = ScrollState::default();
        let text = self.field.text().trim();
        let is_listed = self.entries.iter().any(|entry| entry.key == text);
        self.typed_entry = self
            .typed
            .filter(|_| !is_listed)
            .and_then(|(make, now)| make(text, now));
    }

    /// Picks from entries of which some are `chosen` already; with `several`, more than one can be
    /// marked.
    pub fn multi_choice(
        title: String,
        entries: Vec<PickerEntry>,
        chosen: &[&str],
        several: bool,
        purpose: PickerKind,
    ) -> Picker {
        let marked: BTreeSet<usize> = (0..entries.len())
            .filter(|n| chosen.contains(&entries[*n].key.as_str()))
            .collect();
        let cursor = marked.first().copied().unwrap_or(0);
        let mut picker = Picker::single_choice(
            title,
            if several {
                "{picker.mark} marks several"
            } else {
                ""
            },
            entries,
            purpose,
        );
        picker.scroll.cursor = cursor;
        picker.allows_many = several;
        picker.marked = if several { marked } else { BTreeSet::new() };
        picker
    }

    /// Whether something is said about an entry under the cursor.
    pub fn has_details(&self) -> bool {
        self.entries.iter().any(|entry| !entry.detail.is_empty())
    }

    /// The matching entries, each with whether it is marked.
    pub fn matches(&self) -> Vec<(&PickerEntry, bool)> {
        self.matching_indices()
            .into_iter()
            .filter_map(|n| Some((self.entry(n)?, self.marked.contains(&n))))
            .collect()
    }

    /// The current remark, with `{ids}` for keys; for signal types, how many calls the marked ones
    /// take at most; for proposals, how many are marked. What is typed hides entries: those that
    /// are marked are chosen too, so they are counted.
    pub fn note_text(&self) -> std::borrow::Cow<'_, str> {
        let matching = self.matching_indices();
        let hidden = self
            .marked
            .iter()
            .filter(|entry| !matching.contains(entry))
            .count();
        match (self.kind, self.marked.len()) {
            (_, marked) if hidden > 0 => marked_label(marked, hidden).into(),
            (PickerKind::Types, marked) if marked > 0 => {
                let calls = pluralize(marked.div_ceil(MAX_BULK_SUBSCRIPTIONS), "call");
                format!("{marked} marked, {MAX_BULK_SUBSCRIPTIONS} a call: {calls}").into()
            }
            (PickerKind::Proposals, marked) => {
                format!("{marked} of {} marked", self.entries.len()).into()
            }
            _ => self.note.as_str().into(),
        }
    }

    fn matching_indices(&self) -> Vec<usize> {
        let wanted: Vec<String> = self
            .field
            .text()
            .to_lowercase()
            .split_whitespace()
            .map(str::to_owned)
            .collect();
        let holds = |entry: &PickerEntry| {
            let text = format!(
                "{} {} {} {} {}",
                entry.label,
                entry.key,
                humanize(&entry.key),
                entry.note,
                entry.detail
            )
            .to_lowercase();
            wanted.iter().all(|word| begins_a_word(&text, word))
        };
        let mut found: Vec<usize> = (0..self.entries.len())
            .filter(|n| holds(&self.entries[*n]))
            .collect();
        // A name that starts with the query comes before one that contains it, and that before one
        // whose values or remarks do.
        found.sort_by_key(|n| {
            let entry = &self.entries[*n];
            let name = format!("{} {}", entry.key, humanize(&entry.key)).to_lowercase();
            let Some(first) = wanted.first() else {
                return 0;
            };
            match wanted.iter().all(|word| begins_a_word(&name, word)) {
                true if name.starts_with(first) => 0,
                true => 1,
                false => 2,
            }
        });
        if self.typed_entry.is_some() {
            found.insert(0, self.entries.len());
        }
        found
    }

    /// The cells that its window is wide, where there is room.
    pub fn width(&self) -> u16 {
        if self.kind == PickerKind::Proposals {
            100
        } else {
            66
        }
    }

    /// What is typed into it.
    pub fn label(&self) -> &'static str {
        if self.typed.is_some() {
            "when "
        } else {
            "find "
        }
    }

    /// What accepting it does.
    pub fn verb(&self) -> &'static str {
        if self.kind == PickerKind::Proposals {
            "apply"
        } else {
            "select"
        }
    }

    pub fn scope(&self) -> Scope {
        if self.allows_many {
            Scope::MultiPicker
        } else {
            Scope::Picker
        }
    }

    pub fn type_key(&mut self, key: Key) {
        if self.field.handle_key(key.to_event()) {
            self.on_text_changed();
        }
    }

    pub fn step(&mut self, rows: isize) {
        let len = self.matching_indices().len();
        self.is_typing = false;
        self.scroll.move_cursor(rows, len);
    }

    /// Index of the entry under the cursor.
    fn current_index(&self) -> Option<usize> {
        self.matching_indices().get(self.scroll.cursor).copied()
    }

    /// The remark on the entry under the cursor.
    pub fn current_note(&self) -> Option<&str> {
        Some(self.entry(self.current_index()?)?.note.as_str())
    }

    pub fn toggle_mark(&mut self) {
        self.is_typing = false;
        if let Some(here) = self.current_index()
            && !self.marked.remove(&here)
        {
            self.marked.insert(here);
        }
    }

    /// Unmarks the matching entries, or marks them if none of them is marked.
    pub fn toggle_all_marks(&mut self) {
        let matching = self.matching_indices();
        match matching.iter().any(|entry| self.marked.contains(entry)) {
            true => self.marked.retain(|entry| !matching.contains(entry)),
            false => self.marked.extend(matching),
        }
    }

    pub fn paste(&mut self, text: &str) -> Result<(), PasteTooLong> {
        self.field.paste(text)?;
        self.on_text_changed();
        Ok(())
    }

    pub fn chosen_action(&self) -> Option<Action> {
        let here = self.current_index();
        let keys = |marked: &BTreeSet<usize>| {
            marked
                .iter()
                .map(|n| self.entries[*n].key.clone())
                .collect::<Vec<String>>()
        };
        let or_here = || {
            if self.marked.is_empty() {
                here.map(|here| BTreeSet::from([here]))
            } else {
                Some(self.marked.clone())
            }
        };
        Some(match self.kind {
            PickerKind::Recipients { turns_mail_on } => {
                let ids = keys(&self.marked)
                    .iter()
                    .filter_map(|id| id.parse().ok())
                    .collect();
                SubscriptionsAction::SetRecipients { ids, turns_mail_on }.into()
            }
            PickerKind::Proposals => QueueAction::ApplyRules(
                keys(&self.marked)
                    .iter()
                    .filter_map(|id| id.parse().ok())
                    .collect(),
            )
            .into(),
            PickerKind::Types => SubscriptionsAction::ChoosePriority(keys(&or_here()?)).into(),
            PickerKind::Condition(into) => {
                ExploreAction::AddCondition(into, self.entries[here?].key.clone()).into()
            }
            PickerKind::Values(place) => {
                ExploreAction::SetConditionValues(place, keys(&or_here()?)).into()
            }
            PickerKind::Answer(prompt) if self.allows_many => {
                Action::AnswerPrompt(prompt, keys(&or_here()?).join(" "))
            }
            PickerKind::Answer(prompt) => {
                Action::AnswerPrompt(prompt, self.entry(here?)?.key.clone())
            }
        })
    }
}

/// Whether a word of the text begins so: a key that moves elsewhere, such as `j`, chooses nothing
/// here by accident.
fn begins_a_word(text: &str, start: &str) -> bool {
    let follows_letter = |at: usize| text[..at].ends_with(char::is_alphanumeric);
    text.match_indices(start).any(|(at, _)| !follows_letter(at))
}

//! The input of each field: an operation and a text, and the edit they make to a record.

use serde::{Deserialize, Serialize};

use crate::app::annotation_cache::{AnnotationField, AnnotationValue};
use crate::app::model::type_ahead::{TypedValue, find_value};
use crate::domain::annotate::append_note;
use crate::domain::book::{IcpTier, RecordKind};
use crate::domain::merge;
use crate::ui::text_area::TextArea;
use crate::ui::text_input::TextInput;

/// The operation on a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldOp {
    /// The field is not sent.
    Keep,
    /// The text replaces the value.
    Set,
    Clear,
    /// The listed values are added.
    Add,
    /// The listed values are removed.
    Remove,
    /// The text is appended on a new line.
    Append,
}

/// A field of the form. Tags have two: one to add and one to remove.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FormField {
    Status,
    Tier,
    /// Tags to add.
    Tags,
    /// Tags to remove.
    Untag,
    Notes,
}

#[derive(Clone, Debug)]
pub struct FieldInputs {
    entries: Vec<FieldInput>,
    pub note: TextArea,
    /// The note's text when editing began: the merge base.
    pub note_base: Option<String>,
}

#[derive(Clone, Debug)]
pub struct FieldInput {
    pub line: FormField,
    pub op: FieldOp,
    /// The typed text; for the note see [`FieldInputs::note`].
    pub input: TextInput,
}

/// The input of a form, as it is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedInputs {
    lines: Vec<(FormField, FieldOp, String)>,
    note_base: Option<String>,
}

/// The edit that the form makes to a field of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldEdit {
    Unchanged,
    /// The result depends on the current value, which was not read.
    Relative {
        /// The assumed current value, from which the write starts.
        base: AnnotationValue,
        /// The result for that base; values found when writing are kept.
        value: AnnotationValue,
    },
    Replace(AnnotationValue),
}

impl FieldOp {
    pub fn label(self) -> &'static str {
        match self {
            FieldOp::Keep => "keep",
            FieldOp::Set => "set",
            FieldOp::Clear => "clear",
            FieldOp::Add => "add",
            FieldOp::Remove => "remove",
            FieldOp::Append => "append",
        }
    }

    pub fn description(self) -> &'static str {
        match self {
            FieldOp::Keep => "no change",
            FieldOp::Set => "replace with what you type",
            FieldOp::Clear => "empty the field",
            FieldOp::Add => "add these tags (comma-separated)",
            FieldOp::Remove => "remove these tags (comma-separated)",
            FieldOp::Append => "add lines to the note; {form.enter} starts editing",
        }
    }
}

impl FormField {
    pub fn field(self) -> AnnotationField {
        match self {
            FormField::Tier => AnnotationField::Tier,
            FormField::Status => AnnotationField::Status,
            FormField::Tags | FormField::Untag => AnnotationField::Tags,
            FormField::Notes => AnnotationField::Notes,
        }
    }

    /// The operations, in the order of the arrow keys. The second one is the default for typing.
    pub fn ops(self) -> &'static [FieldOp] {
        match self {
            FormField::Tier | FormField::Status => &[FieldOp::Keep, FieldOp::Set, FieldOp::Clear],
            FormField::Tags => &[FieldOp::Keep, FieldOp::Add, FieldOp::Set, FieldOp::Clear],
            FormField::Untag => &[FieldOp::Keep, FieldOp::Remove],
            FormField::Notes => &[FieldOp::Keep, FieldOp::Append, FieldOp::Set, FieldOp::Clear],
        }
    }
}

/// Splits a typed list: `q3, hotel`.
pub fn parse_list(text: &str) -> AnnotationValue {
    let mut words: AnnotationValue = Vec::new();
    for word in text
        .split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty())
    {
        if !words.iter().any(|known| known == word) {
            words.push(word.to_owned());
        }
    }
    words
}

impl FieldInputs {
    /// An empty form, which begins with the same field for all records. Only accounts have a tier.
    pub fn new(kind: &RecordKind) -> FieldInputs {
        let lines = [
            FormField::Status,
            FormField::Tier,
            FormField::Tags,
            FormField::Notes,
            FormField::Untag,
        ];
        let entries = lines
            .into_iter()
            .filter(|line| *line != FormField::Tier || *kind == RecordKind::Accounts)
            .map(|line| FieldInput {
                line,
                op: FieldOp::Keep,
                input: TextInput::default(),
            })
            .collect();
        FieldInputs {
            entries,
            note: TextArea::default(),
            note_base: None,
        }
    }

    pub fn to_saved(&self) -> SavedInputs {
        let line = |entry: &FieldInput| (entry.line, entry.op, self.text(entry.line).to_owned());
        SavedInputs {
            lines: self.entries.iter().map(line).collect(),
            note_base: self.note_base.clone(),
        }
    }

    /// The same for other records: a note is not compared with theirs.
    pub fn to_saved_for_others(&self) -> SavedInputs {
        SavedInputs {
            note_base: None,
            ..self.to_saved()
        }
    }

    /// Restores stored input.
    pub fn with_saved(mut self, typed: SavedInputs) -> FieldInputs {
        for (line, op, text) in typed.lines {
            self.set(line, op, &text);
        }
        self.note_base = typed.note_base;
        self
    }

    pub fn entries(&self) -> &[FieldInput] {
        &self.entries
    }

    pub fn entry(&self, line: FormField) -> Option<&FieldInput> {
        self.entries.iter().find(|entry| entry.line == line)
    }

    pub fn entry_mut(&mut self, line: FormField) -> Option<&mut FieldInput> {
        self.entries.iter_mut().find(|entry| entry.line == line)
    }

    pub fn op(&self, line: FormField) -> FieldOp {
        self.entry(line).map_or(FieldOp::Keep, |entry| entry.op)
    }

    pub fn text(&self, line: FormField) -> &str {
        match line {
            FormField::Notes => self.note.text(),
            line => self.entry(line).map_or("", |entry| entry.input.text()),
        }
    }

    pub fn set(&mut self, line: FormField, op: FieldOp, text: &str) {
        if line == FormField::Notes {
            self.note = TextArea::with_text(text);
        }
        if let Some(entry) = self.entry_mut(line) {
            entry.op = op;
            entry.input =
                TextInput::with_selected_text(if line == FormField::Notes { "" } else { text });
        }
    }

    /// Merges what the note has become elsewhere into the note that is edited as a whole.
    pub fn merge_note(&mut self, theirs: Option<String>) {
        if self.op(FormField::Notes) == FieldOp::Set
            && let (Some(base), Some(theirs)) = (&self.note_base, theirs)
            && *base != theirs
        {
            let merged = merge::merge_texts(base, &theirs, self.note.text());
            self.note = TextArea::with_text(&merged.text);
            self.note_base = Some(theirs);
        }
    }

    /// Whether the note was opened to be corrected, and is still as it was.
    pub fn is_note_unedited(&self) -> bool {
        self.note_base
            .as_deref()
            .is_some_and(|base| base.trim_end() == self.note.text().trim_end())
    }

    /// Whether nothing was typed and every operation is unchanged.
    pub fn is_untouched(&self) -> bool {
        let is_same = |entry: &FieldInput| {
            entry.line == FormField::Notes && self.is_note_unedited()
                || entry.op == FieldOp::Keep && self.text(entry.line).is_empty()
        };
        self.entries.iter().all(is_same)
    }

    /// Whether closing it would lose nothing: nothing was typed and nothing is to be cleared.
    pub fn is_empty(&self) -> bool {
        let is_blank = |entry: &FieldInput| {
            self.text(entry.line).trim().is_empty()
                || entry.line == FormField::Notes && self.is_note_unedited()
        };
        self.entries
            .iter()
            .all(|entry| entry.op != FieldOp::Clear && is_blank(entry))
    }

    /// The fields that the form changes.
    pub fn touched_fields(&self) -> Vec<AnnotationField> {
        AnnotationField::ALL
            .into_iter()
            .filter(|field| self.field_edit(*field, None) != FieldEdit::Unchanged)
            .collect()
    }

    /// The edit to a field whose value is `before`; None if that was not read.
    pub fn field_edit(
        &self,
        field: AnnotationField,
        before: Option<&AnnotationValue>,
    ) -> FieldEdit {
        match field {
            AnnotationField::Tags => self.tags_edit(before),
            AnnotationField::Notes => self.note_edit(before),
            AnnotationField::Tier => match (self.text_edit(FormField::Tier), self.typed_tier()) {
                (FieldEdit::Replace(text), tier) if !text.is_empty() => tier
                    .map_or(FieldEdit::Unchanged, |tier| {
                        FieldEdit::Replace(vec![tier.as_str().to_owned()])
                    }),
                (edit, _) => edit,
            },
            AnnotationField::Status => self.text_edit(FormField::Status),
        }
    }

    /// The tier that was typed or chosen.
    pub fn typed_tier(&self) -> Option<&'static IcpTier> {
        match self.find_tier() {
            TypedValue::One(at) => IcpTier::ALL.get(at),
            _ => None,
        }
    }

    fn find_tier(&self) -> TypedValue {
        find_value(
            self.text(FormField::Tier),
            IcpTier::ALL.iter().map(IcpTier::as_str),
        )
    }

    /// Why the typed tier cannot be set.
    pub fn tier_rejection(&self) -> Option<String> {
        let is_typed = self.op(FormField::Tier) == FieldOp::Set
            && !self.text(FormField::Tier).trim().is_empty();
        self.find_tier()
            .rejection(self.text(FormField::Tier).trim())
            .filter(|_| is_typed)
    }

    fn text_edit(&self, line: FormField) -> FieldEdit {
        match (self.op(line), self.text(line).trim()) {
            (FieldOp::Clear, _) => FieldEdit::Replace(AnnotationValue::new()),
            (FieldOp::Set, text) if !text.is_empty() => FieldEdit::Replace(vec![text.to_owned()]),
            _ => FieldEdit::Unchanged,
        }
    }

    fn tags_edit(&self, before: Option<&AnnotationValue>) -> FieldEdit {
        let typed = parse_list(self.text(FormField::Tags));
        let gone = if self.op(FormField::Untag) == FieldOp::Remove {
            parse_list(self.text(FormField::Untag))
        } else {
            AnnotationValue::new()
        };
        let mut tags = match self.op(FormField::Tags) {
            FieldOp::Clear => return FieldEdit::Replace(AnnotationValue::new()),
            FieldOp::Set if !typed.is_empty() => typed,
            op => {
                let typed = if op == FieldOp::Add {
                    typed
                } else {
                    AnnotationValue::new()
                };
                match before {
                    _ if typed.is_empty() && gone.is_empty() => return FieldEdit::Unchanged,
                    Some(before) => merge::merge_sets(&AnnotationValue::new(), before, &typed),
                    None => {
                        let value = typed
                            .into_iter()
                            .filter(|tag| !gone.contains(tag))
                            .collect();
                        return FieldEdit::Relative { base: gone, value };
                    }
                }
            }
        };
        tags.retain(|tag| !gone.contains(tag));
        FieldEdit::Replace(tags)
    }

    fn note_edit(&self, before: Option<&AnnotationValue>) -> FieldEdit {
        let typed = self.note.text().trim_end();
        match self.op(FormField::Notes) {
            FieldOp::Clear => FieldEdit::Replace(AnnotationValue::new()),
            // An empty text does not clear the note: clearing is its own operation.
            FieldOp::Set | FieldOp::Append if typed.trim().is_empty() => FieldEdit::Unchanged,
            FieldOp::Set if self.is_note_unedited() => FieldEdit::Unchanged,
            FieldOp::Set => FieldEdit::Replace(vec![typed.to_owned()]),
            FieldOp::Append => match before {
                Some(before) => FieldEdit::Replace(vec![append_note(&before.join("\n"), typed)]),
                None => FieldEdit::Relative {
                    base: AnnotationValue::new(),
                    value: vec![typed.to_owned()],
                },
            },
            _ => FieldEdit::Unchanged,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs_with(line: FormField, op: FieldOp, text: &str) -> FieldInputs {
        let mut form = FieldInputs::new(&RecordKind::Accounts);
        if line == FormField::Notes {
            form.note = TextArea::with_text(text);
        }
        let entry = form.entry_mut(line).unwrap();
        (entry.op, entry.input) = (op, TextInput::with_text(text));
        form
    }

    fn list_of(items: &[&str]) -> AnnotationValue {
        items.iter().map(|item| (*item).to_owned()).collect()
    }

    #[test]
    fn tags_are_added_removed_set_and_cleared_as_a_set() {
        let before = list_of(&["austin", "q3"]);
        for (line, op, text, after) in [
            (
                FormField::Tags,
                FieldOp::Add,
                "hotel, q3,",
                &["austin", "q3", "hotel"][..],
            ),
            (FormField::Tags, FieldOp::Set, "hotel", &["hotel"]),
            (FormField::Tags, FieldOp::Clear, "hotel", &[]),
            (FormField::Untag, FieldOp::Remove, "q3,x", &["austin"]),
        ] {
            assert_eq!(
                inputs_with(line, op, text).field_edit(AnnotationField::Tags, Some(&before)),
                FieldEdit::Replace(list_of(after)),
                "{op:?} {text}"
            );
        }
    }

    #[test]
    fn an_edit_based_on_an_unread_value_is_relative_and_others_are_not() {
        let onto = |base: &[&str], value: &[&str]| FieldEdit::Relative {
            base: list_of(base),
            value: list_of(value),
        };
        assert_eq!(
            inputs_with(FormField::Tags, FieldOp::Add, "q3")
                .field_edit(AnnotationField::Tags, None),
            onto(&[], &["q3"])
        );
        assert_eq!(
            inputs_with(FormField::Untag, FieldOp::Remove, "q3")
                .field_edit(AnnotationField::Tags, None),
            onto(&["q3"], &[])
        );
        assert_eq!(
            inputs_with(FormField::Notes, FieldOp::Append, "x")
                .field_edit(AnnotationField::Notes, None),
            onto(&[], &["x"])
        );
        assert_eq!(
            inputs_with(FormField::Tags, FieldOp::Set, "q3")
                .field_edit(AnnotationField::Tags, None),
            FieldEdit::Replace(list_of(&["q3"]))
        );
        assert_eq!(
            inputs_with(FormField::Status, FieldOp::Set, "called")
                .field_edit(AnnotationField::Status, None),
            FieldEdit::Replace(list_of(&["called"]))
        );
    }

    #[test]
    fn a_note_is_appended_on_its_own_line_and_empty_text_clears_nothing() {
        let before = list_of(&["met at the fair\n"]);
        assert_eq!(
            inputs_with(FormField::Notes, FieldOp::Append, "called")
                .field_edit(AnnotationField::Notes, Some(&before)),
            FieldEdit::Replace(list_of(&["met at the fair\ncalled"]))
        );
        assert_eq!(
            inputs_with(FormField::Notes, FieldOp::Set, "  \n")
                .field_edit(AnnotationField::Notes, Some(&before)),
            FieldEdit::Unchanged
        );
        assert_eq!(
            inputs_with(FormField::Status, FieldOp::Set, " ")
                .field_edit(AnnotationField::Status, None),
            FieldEdit::Unchanged
        );
        assert!(
            inputs_with(FormField::Status, FieldOp::Set, "")
                .touched_fields()
                .is_empty()
                && inputs_with(FormField::Notes, FieldOp::Clear, "").touched_fields()
                    == [AnnotationField::Notes]
        );
    }
}

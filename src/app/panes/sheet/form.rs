//! What a person wants of each field: a line with an operation and a text, and what comes of it for a record.

use serde::{Deserialize, Serialize};

use crate::app::known::{AnnotationField, AnnotationValue};
use crate::domain::book::{IcpTier, RecordKind};
use crate::domain::merge;
use crate::ui::editor::TextArea;
use crate::ui::field::TextInput as Input;

/// What is done with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    /// It is not sent.
    Keep,
    /// It becomes what is typed.
    Set,
    /// It is emptied.
    Clear,
    /// What is typed is added to it.
    Add,
    /// What is typed is taken out of it.
    Remove,
    /// What is typed stands behind it.
    Append,
}

/// A line of the form. Tags have two: what is added and what is taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// The tier.
    Tier,
    /// The status.
    Status,
    /// Tags that come.
    Tags,
    /// Tags that go.
    Untag,
    /// The note.
    Notes,
}

/// The form.
#[derive(Clone, Debug)]
pub struct Form {
    entries: Vec<Entry>,
    /// The note, over several lines.
    pub note: TextArea,
    /// What stood in the note when the person began to change it.
    pub note_base: Option<String>,
}

/// A line with its operation and text.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The line.
    pub line: Line,
    /// What is done.
    pub op: Op,
    /// What is typed; of the note, [`Form::note`] has it.
    pub input: Input,
}

/// What was typed in a form, as it is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Typed {
    lines: Vec<(Line, Op, String)>,
    note_base: Option<String>,
}

/// What comes of the form for a field of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Nothing.
    Keep,
    /// It depends on what stands there, and that was not read. As if this stood there,
    Onto {
        /// which is what the write begins from,
        base: AnnotationValue,
        /// it would become this; what is found there when it is written is kept.
        value: AnnotationValue,
    },
    /// This.
    Becomes(AnnotationValue),
}

impl Op {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Op::Keep => "keep",
            Op::Set => "set",
            Op::Clear => "clear",
            Op::Add => "add",
            Op::Remove => "remove",
            Op::Append => "append",
        }
    }
}

impl Line {
    /// The field that it is about.
    pub fn field(self) -> AnnotationField {
        match self {
            Line::Tier => AnnotationField::Tier,
            Line::Status => AnnotationField::Status,
            Line::Tags | Line::Untag => AnnotationField::Tags,
            Line::Notes => AnnotationField::Notes,
        }
    }

    /// The operations, in the order of the arrows. The second one is what typing means.
    pub fn ops(self) -> &'static [Op] {
        match self {
            Line::Tier | Line::Status => &[Op::Keep, Op::Set, Op::Clear],
            Line::Tags => &[Op::Keep, Op::Add, Op::Set, Op::Clear],
            Line::Untag => &[Op::Keep, Op::Remove],
            Line::Notes => &[Op::Keep, Op::Append, Op::Set, Op::Clear],
        }
    }
}

/// The words of a list that was typed: `q3, hotel`.
pub fn words(text: &str) -> AnnotationValue {
    let mut words: AnnotationValue = Vec::new();
    for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        if !words.iter().any(|known| known == word) {
            words.push(word.to_owned());
        }
    }
    words
}

impl Form {
    /// An empty form; only accounts have a tier.
    pub fn new(shelf: &RecordKind) -> Form {
        let lines = [Line::Tier, Line::Status, Line::Tags, Line::Untag, Line::Notes];
        let entries = lines
            .into_iter()
            .filter(|line| *line != Line::Tier || *shelf == RecordKind::Accounts)
            .map(|line| Entry { line, op: Op::Keep, input: Input::default() })
            .collect();
        Form { entries, note: TextArea::default(), note_base: None }
    }

    /// What was typed in it.
    pub fn typed(&self) -> Typed {
        let line = |entry: &Entry| (entry.line, entry.op, self.text(entry.line).to_owned());
        Typed { lines: self.entries.iter().map(line).collect(), note_base: self.note_base.clone() }
    }

    /// The same form with what was typed before.
    pub fn with(mut self, typed: Typed) -> Form {
        for (line, op, text) in typed.lines {
            let Some(entry) = self.entry_mut(line) else { continue };
            entry.op = op;
            if line == Line::Notes { self.note = TextArea::with_text(&text) } else { entry.input = Input::with_text(&text) }
        }
        self.note_base = typed.note_base;
        self
    }

    /// The lines, in their order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// A line.
    pub fn entry(&self, line: Line) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.line == line)
    }

    /// A line.
    pub fn entry_mut(&mut self, line: Line) -> Option<&mut Entry> {
        self.entries.iter_mut().find(|entry| entry.line == line)
    }

    /// What is done with a line.
    pub fn op(&self, line: Line) -> Op {
        self.entry(line).map_or(Op::Keep, |entry| entry.op)
    }

    /// What is typed in a line.
    pub fn text(&self, line: Line) -> &str {
        match line {
            Line::Notes => self.note.text(),
            line => self.entry(line).map_or("", |entry| entry.input.text()),
        }
    }

    /// Whether nothing was typed and nothing is to be done.
    pub fn is_untouched(&self) -> bool {
        self.entries.iter().all(|entry| entry.op == Op::Keep && self.text(entry.line).is_empty())
    }

    /// Whether nothing would be lost with it: nothing was typed, and nothing is to be cleared.
    pub fn is_empty(&self) -> bool {
        self.entries.iter().all(|entry| entry.op != Op::Clear && self.text(entry.line).trim().is_empty())
    }

    /// The fields that something is to be done with.
    pub fn touched(&self) -> Vec<AnnotationField> {
        AnnotationField::ALL.into_iter().filter(|field| self.wish(*field, None) != Wish::Keep).collect()
    }

    /// What a field becomes that holds `before`; none when that was not read.
    pub fn wish(&self, field: AnnotationField, before: Option<&AnnotationValue>) -> Wish {
        match field {
            AnnotationField::Tags => self.wish_tags(before),
            AnnotationField::Notes => self.wish_note(before),
            AnnotationField::Tier => self.wish_text(Line::Tier),
            AnnotationField::Status => self.wish_text(Line::Status),
        }
    }

    fn wish_text(&self, line: Line) -> Wish {
        match (self.op(line), self.text(line).trim()) {
            (Op::Clear, _) => Wish::Becomes(AnnotationValue::new()),
            (Op::Set, text) if !text.is_empty() => Wish::Becomes(vec![text.to_owned()]),
            _ => Wish::Keep,
        }
    }

    fn wish_tags(&self, before: Option<&AnnotationValue>) -> Wish {
        let typed = words(self.text(Line::Tags));
        let gone = if self.op(Line::Untag) == Op::Remove { words(self.text(Line::Untag)) } else { AnnotationValue::new() };
        let mut tags = match self.op(Line::Tags) {
            Op::Clear => return Wish::Becomes(AnnotationValue::new()),
            Op::Set if !typed.is_empty() => typed,
            op => {
                let typed = if op == Op::Add { typed } else { AnnotationValue::new() };
                match before {
                    _ if typed.is_empty() && gone.is_empty() => return Wish::Keep,
                    Some(before) => merge::merge_sets(&AnnotationValue::new(), before, &typed),
                    None => {
                        let value = typed.into_iter().filter(|tag| !gone.contains(tag)).collect();
                        return Wish::Onto { base: gone, value };
                    }
                }
            }
        };
        tags.retain(|tag| !gone.contains(tag));
        Wish::Becomes(tags)
    }

    fn wish_note(&self, before: Option<&AnnotationValue>) -> Wish {
        let typed = self.note.text().trim_end();
        match self.op(Line::Notes) {
            Op::Clear => Wish::Becomes(AnnotationValue::new()),
            // An emptied note is not a cleared one: clearing has its own word.
            Op::Set | Op::Append if typed.trim().is_empty() => Wish::Keep,
            Op::Set => Wish::Becomes(vec![typed.to_owned()]),
            Op::Append => match before {
                Some(before) if before.is_empty() => Wish::Becomes(vec![typed.to_owned()]),
                Some(before) => Wish::Becomes(vec![format!("{}\n{typed}", before.join("\n").trim_end())]),
                None => Wish::Onto { base: AnnotationValue::new(), value: vec![typed.to_owned()] },
            },
            _ => Wish::Keep,
        }
    }
}

/// A tier as it is chosen by a letter of its name: `1`, `2`, `3`, `d`.
pub fn tier_of(letter: char) -> Option<&'static IcpTier> {
    IcpTier::ALL.iter().find(|tier| tier.as_str().strip_prefix("tier_").unwrap_or(tier.as_str()).starts_with(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(line: Line, op: Op, text: &str) -> Form {
        let mut form = Form::new(&RecordKind::Accounts);
        if line == Line::Notes {
            form.note = TextArea::with_text(text);
        }
        let entry = form.entry_mut(line).unwrap();
        (entry.op, entry.input) = (op, Input::with_text(text));
        form
    }

    fn set(items: &[&str]) -> AnnotationValue {
        items.iter().map(|item| (*item).to_owned()).collect()
    }

    #[test]
    fn tags_are_added_removed_set_and_cleared_as_a_set() {
        let before = set(&["austin", "q3"]);
        for (line, op, text, after) in [
            (Line::Tags, Op::Add, "hotel, q3,", &["austin", "q3", "hotel"][..]),
            (Line::Tags, Op::Set, "hotel", &["hotel"]),
            (Line::Tags, Op::Clear, "hotel", &[]),
            (Line::Untag, Op::Remove, "q3,x", &["austin"]),
        ] {
            assert_eq!(
                form(line, op, text).wish(AnnotationField::Tags, Some(&before)),
                Wish::Becomes(set(after)),
                "{op:?} {text}"
            );
        }
    }

    #[test]
    fn what_depends_on_what_was_not_read_is_unknown_and_the_rest_is_not() {
        let onto = |base: &[&str], value: &[&str]| Wish::Onto { base: set(base), value: set(value) };
        assert_eq!(form(Line::Tags, Op::Add, "q3").wish(AnnotationField::Tags, None), onto(&[], &["q3"]));
        assert_eq!(form(Line::Untag, Op::Remove, "q3").wish(AnnotationField::Tags, None), onto(&["q3"], &[]));
        assert_eq!(form(Line::Notes, Op::Append, "x").wish(AnnotationField::Notes, None), onto(&[], &["x"]));
        assert_eq!(form(Line::Tags, Op::Set, "q3").wish(AnnotationField::Tags, None), Wish::Becomes(set(&["q3"])));
        assert_eq!(form(Line::Status, Op::Set, "called").wish(AnnotationField::Status, None), Wish::Becomes(set(&["called"])));
    }

    #[test]
    fn a_note_is_appended_on_a_line_of_its_own_and_an_empty_text_clears_nothing() {
        let before = set(&["met at the fair\n"]);
        assert_eq!(
            form(Line::Notes, Op::Append, "called").wish(AnnotationField::Notes, Some(&before)),
            Wish::Becomes(set(&["met at the fair\ncalled"]))
        );
        assert_eq!(form(Line::Notes, Op::Set, "  \n").wish(AnnotationField::Notes, Some(&before)), Wish::Keep);
        assert_eq!(form(Line::Status, Op::Set, " ").wish(AnnotationField::Status, None), Wish::Keep);
        assert!(
            form(Line::Status, Op::Set, "").touched().is_empty()
                && form(Line::Notes, Op::Clear, "").touched() == [AnnotationField::Notes]
        );
    }

    #[test]
    fn a_tier_is_chosen_by_a_letter_of_its_name() {
        assert_eq!((tier_of('1'), tier_of('d'), tier_of('x')), (Some(&IcpTier::One), Some(&IcpTier::Disqualified), None));
    }
}

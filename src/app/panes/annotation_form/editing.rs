//! A note or a whole record in the user's own editor, opened from the annotation form.
//!
//! Never here: the record as text (`record_text`).

use super::field_inputs::{FieldOp, FormField};
use super::{AnnotationForm, AnnotationFormPane, record_text};
use crate::app::format::pluralize;
use crate::app::msg::EditorPurpose;
use crate::app::notice::Notice;
use crate::app::{Context, Effect};
use crate::text;
use crate::ui::text_area::TextArea;

impl AnnotationFormPane {
    pub(super) fn open_editor(&mut self, cx: &mut Context) {
        let Some(open) = self
            .form
            .as_mut()
            .filter(|open| open.current_line == FormField::Notes)
        else {
            return self.open_record_in_editor(cx);
        };
        open.start_note();
        let text = format!("{}{}", open.note_instructions(), open.inputs.note.text());
        cx.work.emit(Effect::OpenEditor {
            purpose: EditorPurpose::Note,
            text,
        });
    }

    /// Opens the form's only record in the user's editor, or the text that was not understood the
    /// last time.
    pub(super) fn open_record_in_editor(&mut self, cx: &mut Context) {
        let Some(open) = &self.form else { return };
        let Some(record) = open.single_record() else {
            cx.ui
                .warn("only one record at a time can be edited in your own editor");
            return;
        };
        let text = match self.rejected_text.take_if(|(id, _)| *id == record.id) {
            Some((_, text)) => text,
            None => {
                let facts = cx
                    .records
                    .lists
                    .of_kind(&open.kind)
                    .find_map(|list| Some(list.row(record.id)?.fields()));
                record_text::format_record(open, record, facts.as_ref())
            }
        };
        cx.work.emit(Effect::OpenEditor {
            purpose: EditorPurpose::Record,
            text,
        });
    }

    /// Shows in the form what the text from the user's editor changes.
    pub fn take_edited_record(&mut self, text: String, cx: &mut Context) {
        let Some(open) = &mut self.form else { return };
        let Some(record) = open.single_record() else {
            return;
        };
        match record_text::parse_record(&text, &open.kind, record) {
            Ok(inputs) => {
                open.inputs = inputs.unwrap_or_else(|| open.inputs.clone());
                open.draft = None;
                let is_changed = !open.inputs.touched_fields().is_empty();
                let done = if is_changed {
                    "nothing is sent yet: {form.apply} applies these changes"
                } else {
                    "nothing was changed"
                };
                cx.ui.inform(cx.keymap.expand_keys(done));
            }
            Err(why) => {
                self.rejected_text = Some((record.id, text));
                cx.ui.notice = Some(
                    Notice::error(format!("your text was not understood: {why}"))
                        .with_hint("{form.editor} edits it again"),
                );
            }
        }
    }

    /// Takes over the note from the user's editor.
    pub fn take_edited_note(&mut self, text: &str, cx: &mut Context) {
        if let Some(open) = &mut self.form {
            let own = text
                .lines()
                .skip_while(|line| line.starts_with(NOTE_INSTRUCTION));
            let note = own.collect::<Vec<_>>().join("\n");
            open.inputs.note = TextArea::with_text(note.trim_end());
            cx.ui.notice = None;
        }
    }
}

/// How the lines begin that say whose note it is; they are not part of it.
const NOTE_INSTRUCTION: &str = "# gantry: ";

impl AnnotationForm {
    /// The first lines of the note in the user's editor: whose note it is, and what becomes of the
    /// text.
    fn note_instructions(&self) -> String {
        let records = match self.single_record() {
            Some(record) => format!(
                "{} ({})",
                text::sanitize_line(&record.name),
                self.kind.singular_name()
            ),
            None => pluralize(self.records.len(), self.kind.singular_name()),
        };
        let effect = match self.inputs.op(FormField::Notes) {
            FieldOp::Append => "What you write below is added to the note.",
            _ => "The text below becomes the whole note.",
        };
        format!(
            "{NOTE_INSTRUCTION}note on {records}. {effect} Nothing is sent until you apply the form.\n"
        )
    }
}

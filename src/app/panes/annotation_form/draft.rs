//! Drafts: form input that was not applied. It is saved while typing, offered again for the same records, and dropped once written.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::field_inputs::{FieldInputs, FieldOp, FormField, SavedInputs, parse_list};
use super::{AnnotatedRecord, AnnotationForm};
use crate::app::App;
use crate::app::action::Action;
use crate::app::annotation_cache::AnnotationField;
use crate::app::drafts::DraftName;
use crate::app::format::pluralize;
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::Choice;
use crate::domain::book::RecordKind;
use crate::domain::{drafts, merge};
use crate::ui::text_area::TextArea;
use crate::ui::text_input::TextInput;

/// Form input for some records, as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnnotationDraft {
    /// When it was begun, in microseconds; no two have the same.
    #[serde(skip)]
    pub begun: i64,
    /// When it was last edited.
    #[serde(skip)]
    pub at: DateTime<Utc>,
    /// Another console has it open: this one is a copy.
    #[serde(skip)]
    pub elsewhere: bool,
    pub shelf: RecordKind,
    pub rows: Vec<(Uuid, String)>,
    pub typed: SavedInputs,
    /// The tags of a single record when the draft was made: the merge base, so that a colleague's later changes are kept.
    tags: Option<Vec<String>>,
}

impl AnnotationDraft {
    /// Parses a stored draft; None if it is not of this pane, or a different version of the program wrote it in another format.
    pub fn from_stored(name: &DraftName, stored: &drafts::Draft) -> Option<AnnotationDraft> {
        let DraftName::Annotation(begun) = *name else { return None };
        let draft = AnnotationDraft::deserialize(&stored.content).ok()?;
        Some(AnnotationDraft { begun, at: stored.at, elsewhere: stored.is_open_elsewhere, ..draft })
    }

    pub fn name(&self) -> DraftName {
        DraftName::Annotation(self.begun)
    }

    pub fn is_empty(&self) -> bool {
        FieldInputs::new(&self.shelf).with_saved(self.typed.clone()).is_empty()
    }

    /// What it is for, as text for the user.
    pub fn subject_label(&self) -> String {
        if let [(_, name)] = self.rows.as_slice() { name.clone() } else { pluralize(self.rows.len(), self.shelf.singular_name()) }
    }

    /// The titles of the fields it changes.
    pub fn field_titles(&self) -> Vec<&'static str> {
        FieldInputs::new(&self.shelf)
            .with_saved(self.typed.clone())
            .touched_fields()
            .into_iter()
            .map(AnnotationField::title)
            .collect()
    }

    fn covers_records(&self, shelf: &RecordKind, rows: &[AnnotatedRecord]) -> bool {
        self.shelf == *shelf && rows.iter().all(|row| self.rows.iter().any(|(id, _)| *id == row.id))
    }
}

impl App {
    pub(in crate::app) fn annotation_draft_for(&self, shelf: &RecordKind, rows: &[AnnotatedRecord]) -> Option<AnnotationDraft> {
        self.drafts.annotations.iter().rev().find(|draft| draft.covers_records(shelf, rows)).cloned()
    }

    /// Saves the form's input if it changed since the last save.
    pub(in crate::app) fn save_annotation_draft(&mut self) {
        let Some(sheet) = &mut self.annotation_form else { return };
        let kept = self.drafts.annotations.iter().position(|draft| sheet.edits_draft(draft));
        if sheet.inputs.is_empty() {
            sheet.draft_begun = None;
            if let Some(at) = kept {
                let emptied = self.drafts.annotations.remove(at);
                self.delete_draft(&emptied.name());
            }
            return;
        }
        let typed = sheet.inputs.to_saved();
        let is_of_these =
            |draft: &AnnotationDraft| draft.rows.iter().map(|(id, _)| *id).eq(sheet.records.iter().map(|row| row.id));
        if kept.map(|at| &self.drafts.annotations[at]).is_some_and(|draft| draft.typed == typed && is_of_these(draft)) {
            return;
        }
        let draft = AnnotationDraft {
            begun: *sheet.draft_begun.get_or_insert_with(|| self.now.timestamp_micros()),
            at: self.now,
            elsewhere: false,
            shelf: sheet.kind.clone(),
            rows: sheet.records.iter().map(|row| (row.id, row.name.clone())).collect(),
            typed,
            tags: sheet.single_record().and_then(|row| row.base.value(AnnotationField::Tags).cloned()),
        };
        self.save_draft(&draft.name(), Some(&draft));
        match kept {
            Some(at) => self.drafts.annotations[at] = draft,
            None => self.drafts.annotations.push(draft),
        }
    }

    /// Drops the drafts whose records were all written.
    pub(in crate::app) fn drop_written_drafts(&mut self, written: &[Uuid]) {
        self.remove_annotation_drafts(|draft| draft.rows.iter().all(|(id, _)| written.contains(id)));
    }

    fn remove_annotation_drafts(&mut self, is_done: impl Fn(&AnnotationDraft) -> bool) {
        let (done, left) = std::mem::take(&mut self.drafts.annotations).into_iter().partition(|draft| is_done(draft));
        self.drafts.annotations = left;
        let done: Vec<AnnotationDraft> = done;
        done.iter().for_each(|draft| self.delete_draft(&draft.name()));
    }

    /// Fills the form with the offered draft.
    pub fn apply_offered_draft(&mut self) {
        let Some(sheet) = &mut self.annotation_form else { return };
        let Some(draft) = sheet.draft.take() else { return };
        let is_copy = draft.elsewhere;
        sheet.fill_from_draft(draft);
        self.notice = is_copy.then(|| Notice::warning("another console has this open; you have a copy"));
    }

    /// Discards the offered draft; the next older one is then offered.
    pub(super) fn discard_offered_draft(&mut self) {
        let Some(draft) = self.annotation_form.as_mut().and_then(|sheet| sheet.draft.take()) else { return };
        self.remove_annotation_drafts(|known| known.begun == draft.begun);
        let older = self.annotation_form.as_ref().and_then(|sheet| self.annotation_draft_for(&sheet.kind, &sheet.records));
        if let Some(sheet) = &mut self.annotation_form {
            sheet.draft = older;
        }
        self.notice = Some(Notice::info(format!("draft for {} discarded", draft.subject_label())));
    }

    /// Discards the draft that was begun then.
    pub(in crate::app) fn discard_draft(&mut self, begun: i64) {
        self.annotation_form.take_if(|sheet| sheet.draft_begun == Some(begun));
        self.remove_annotation_drafts(|draft| draft.begun == begun);
        self.notice = Some(Notice::info("Draft discarded. Nothing was written."));
    }

    /// Asks before discarding the open form's input.
    pub(super) fn confirm_discard_draft(&mut self) {
        let Some(draft) =
            self.annotation_form.as_ref().and_then(|sheet| self.drafts.annotations.iter().find(|draft| sheet.edits_draft(draft)))
        else {
            return;
        };
        let text = format!("What you typed for {} was not written and will be lost.", draft.subject_label());
        let then = Action::DiscardDraft(draft.begun);
        self.overlay = Some(Overlay::Choice(Choice::confirm("Discard what you typed?", text, "discard", then)));
    }

    /// Resumes the draft that was begun then, on any screen.
    pub(in crate::app) fn resume_draft(&mut self, begun: i64) {
        let Some(draft) = self.drafts.annotations.iter().find(|draft| draft.begun == begun).cloned() else { return };
        self.open_annotation_form_for(draft.shelf.clone(), draft.rows.clone(), None);
        if let Some(sheet) = &mut self.annotation_form {
            // A note is resumed where it was left.
            sheet.current_line = if draft.field_titles().contains(&AnnotationField::Notes.title()) {
                FormField::Notes
            } else {
                sheet.current_line
            };
            sheet.draft = Some(draft);
        }
        self.apply_offered_draft();
    }
}

impl AnnotationForm {
    /// Whether the form's input is saved as this draft.
    pub(in crate::app) fn edits_draft(&self, draft: &AnnotationDraft) -> bool {
        self.draft_begun == Some(draft.begun)
    }

    /// Fills the form with a draft. A colleague's later changes to the tags of a single record are kept.
    fn fill_from_draft(&mut self, draft: AnnotationDraft) {
        self.draft_begun = (!draft.elsewhere).then_some(draft.begun);
        self.inputs = FieldInputs::new(&self.kind).with_saved(draft.typed);
        let now = self.single_record().and_then(|row| row.base.value(AnnotationField::Tags));
        if let (FieldOp::Set, Some(before), Some(now)) = (self.inputs.op(FormField::Tags), draft.tags, now) {
            let merged = merge::merge_sets(&before, now, &parse_list(self.inputs.text(FormField::Tags)));
            if let Some(entry) = self.inputs.entry_mut(FormField::Tags) {
                entry.input = TextInput::with_text(&merged.join(", "));
            }
        }
        // So are their changes to the note.
        let note = self.single_record().and_then(|row| row.base.value(AnnotationField::Notes)).map(|note| note.join("\n"));
        let form = &mut self.inputs;
        if let (FieldOp::Set, Some(base), Some(theirs)) = (form.op(FormField::Notes), form.note_base.clone(), note)
            && base != theirs
        {
            form.note = TextArea::with_text(&merge::merge_texts(&base, &theirs, form.note.text()).text);
            form.note_base = Some(theirs);
        }
        if self.current_line == FormField::Notes {
            self.start_note();
        }
    }
}

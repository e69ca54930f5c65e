//! The annotation form: what to write on the chosen records, a preview for each of them, and the one batch that writes it.
//!
//! The form opens beside or over its pane and has the keys until it is closed. It is about records, not rows: changes to the list
//! below do not affect it. Nothing is sent before the user applies the form, nothing is read without a price shown first, and no
//! colleague's change is overwritten unseen: each record is read again just before it is written.

pub(crate) mod commands;
mod draft;
pub(crate) mod draw;
pub(crate) mod field_inputs;
pub(crate) mod footer;
pub(crate) mod layout;
mod read_write;
mod write_preview;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};

use uuid::Uuid;

use crate::app::action::Action;
use crate::app::annotation_cache::{AnnotationField, CachedAnnotation};
use crate::app::effect::{Effect, Slot};
use crate::app::model::records::record_name;
use crate::app::notice::Notice;
use crate::app::panes::explore::ExploreAction;
use crate::app::selection::Subject;
use crate::app::{App, Screen};
use crate::domain::book::{Dataset, IcpTier, RecordKind};
use crate::ui::text_area::TextArea;
use crate::ui::text_input::TextInput;
pub use draft::AnnotationDraft;
use field_inputs::{FieldInputs, FieldOp, FormField, parse_list};
pub use write_preview::WritePreview;

/// Most rows of a list that are searched for suggestions.
const MAX_ROWS_SCANNED: usize = 2_000;

/// A record that the form is about.
#[derive(Clone, Debug)]
pub struct AnnotatedRecord {
    pub id: Uuid,
    pub name: String,
    /// What is known of it: the base that a write is compared with.
    pub base: CachedAnnotation,
    /// Fields that had changed when they were read again.
    pub changed_fields: Vec<AnnotationField>,
    pub left_book: bool,
}

#[derive(Clone, Debug)]
pub struct AnnotationForm {
    pub kind: RecordKind,
    /// In list order.
    pub records: Vec<AnnotatedRecord>,
    pub inputs: FieldInputs,
    /// The focused field.
    pub current_line: FormField,
    /// The note is being edited: arrow keys and Enter belong to the text.
    pub is_editing_note: bool,
    /// The first visible line of the preview.
    pub top: usize,
    /// Earlier input for these records that was not applied.
    pub draft: Option<AnnotationDraft>,
    /// The draft that it is saved as, set once there is something to save.
    draft_begun: Option<i64>,
    seen_values: BTreeMap<AnnotationField, Vec<String>>,
    /// While cycling through suggestions: the text typed before, and the index of the shown suggestion.
    cycling: Option<(String, usize)>,
    /// At least one of the records could not be read.
    read_failed: bool,
}

type AnnotationTargets<'a> = Box<dyn Iterator<Item = (Uuid, String)> + 'a>;

impl AnnotationForm {
    /// The record, if the form is about exactly one.
    pub fn single_record(&self) -> Option<&AnnotatedRecord> {
        if let [row] = self.records.as_slice() { Some(row) } else { None }
    }

    /// A draft is offered: nothing has been typed since.
    pub fn offers_draft(&self) -> bool {
        self.draft.is_some() && self.inputs.is_untouched()
    }

    /// Suggestions for a field, most frequent first: all tiers; for tags to remove, the tags of the records.
    pub fn suggestions(&self, line: FormField) -> Vec<String> {
        let typed = self.cycling.as_ref().map_or_else(|| self.inputs.text(line), |(typed, _)| typed.as_str());
        let all: Vec<String> = match line {
            FormField::Notes => return Vec::new(),
            FormField::Tier => return IcpTier::ALL.iter().map(|tier| tier.as_str().to_owned()).collect(),
            FormField::Untag => {
                by_frequency(self.records.iter().filter_map(|row| row.base.value(AnnotationField::Tags)).flatten().cloned())
            }
            FormField::Status | FormField::Tags => self.seen_values.get(&line.field()).cloned().unwrap_or_default(),
        };
        let (before, stem) = split_last_value(line, typed);
        let (taken, stem) = (parse_list(before), stem.to_lowercase());
        let starts = |value: &&String| value.to_lowercase().starts_with(&stem) && **value != stem && !taken.contains(*value);
        all.iter().filter(starts).cloned().collect()
    }

    /// Whether the typed value is not used anywhere yet: a new one, or a typo.
    pub fn is_unseen_value(&self, line: FormField) -> bool {
        let (_, typed) = split_last_value(line, self.inputs.text(line));
        let seen = self.seen_values.get(&line.field());
        line != FormField::Untag && !typed.is_empty() && seen.is_some_and(|seen| !seen.is_empty() && !seen.contains(&typed))
    }

    /// Replaces the value being typed with the next or previous suggestion.
    pub fn cycle_suggestion(&mut self, forward: bool) {
        let line = self.current_line;
        let offers = self.suggestions(line);
        if offers.is_empty() {
            return;
        }
        let typed = self.inputs.text(line).to_owned();
        let stands = offers.iter().position(|offer| *offer == typed).filter(|_| line == FormField::Tier);
        let (typed, at) = match self.cycling.take() {
            Some((typed, at)) if forward => (typed, (at + 1) % offers.len()),
            Some((typed, at)) => (typed, (at + offers.len() - 1) % offers.len()),
            None => {
                let step = |at: usize| if forward { (at + 1) % offers.len() } else { (at + offers.len() - 1) % offers.len() };
                (typed, stands.map_or(if forward { 0 } else { offers.len() - 1 }, step))
            }
        };
        let (before, _) = split_last_value(line, &typed);
        let text = if before.is_empty() { offers[at].clone() } else { format!("{before} {}", offers[at]) };
        if let Some(entry) = self.inputs.entry_mut(line) {
            entry.input = TextInput::with_text(&text);
        }
        self.ensure_op();
        self.cycling = Some((typed, at));
    }

    pub fn go_to_line(&mut self, line: FormField) {
        self.current_line = line;
        self.is_editing_note = false;
        self.cycling = None;
    }

    pub fn step_line(&mut self, forward: bool) {
        let lines: Vec<FormField> = self.inputs.entries().iter().map(|entry| entry.line).collect();
        let at = lines.iter().position(|line| *line == self.current_line).unwrap_or(0);
        self.go_to_line(lines[(at + if forward { 1 } else { lines.len() - 1 }) % lines.len()]);
    }

    pub fn cycle_op(&mut self, forward: bool) {
        let ops = self.current_line.ops();
        let at = ops.iter().position(|op| *op == self.inputs.op(self.current_line)).unwrap_or(0);
        self.set_op(ops[(at + if forward { 1 } else { ops.len() - 1 }) % ops.len()]);
    }

    /// Sets the operation of the current field. Setting a single record's note starts from its current text.
    pub fn set_op(&mut self, op: FieldOp) {
        let line = self.current_line;
        if line == FormField::Notes {
            let now = self.single_record().and_then(|row| row.base.value(AnnotationField::Notes)).map(|note| note.join("\n"));
            let form = &mut self.inputs;
            if op == FieldOp::Set && form.note.text().is_empty() && now.is_some() {
                form.note = TextArea::with_text(now.as_deref().unwrap_or_default());
                form.note_base = now;
            } else if op != FieldOp::Set && form.note_base.as_deref() == Some(form.note.text()) {
                (form.note, form.note_base) = (TextArea::default(), None);
            }
        }
        if let Some(entry) = self.inputs.entry_mut(line) {
            entry.op = op;
        }
    }

    /// Typing implies a change: a kept field switches to its default operation.
    fn ensure_op(&mut self) {
        if self.inputs.op(self.current_line) == FieldOp::Keep {
            self.set_op(self.current_line.ops()[1]);
        }
    }

    /// Starts editing the note.
    pub fn start_note(&mut self) {
        self.go_to_line(FormField::Notes);
        self.ensure_op();
        self.is_editing_note = true;
    }
}

/// The text before the value being typed, and the value's beginning; only tag fields contain several values.
fn split_last_value(line: FormField, typed: &str) -> (&str, String) {
    let cut = match line {
        FormField::Tags | FormField::Untag => typed.rfind(',').map_or(0, |at| at + 1),
        _ => 0,
    };
    (&typed[..cut], typed[cut..].trim().to_owned())
}

fn by_frequency(values: impl Iterator<Item = String>) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    let mut all: Vec<(String, usize)> = counts.into_iter().collect();
    all.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    all.into_iter().map(|(value, _)| value).collect()
}

impl App {
    /// The records that an annotation would be about, with their names: the marked ones or the one under the cursor; for signals,
    /// their projects. The iterator is lazy, so that checking whether there is one is cheap.
    pub fn annotation_targets(&self) -> Option<(RecordKind, AnnotationTargets<'_>)> {
        match self.screen {
            Screen::Record => {
                let Subject::Record(key, name) = &self.subject else { return None };
                let kind = Some(&key.dataset).filter(|dataset| **dataset != Dataset::Signals)?.as_str().into();
                Some((kind, Box::new(std::iter::once((key.id, name.clone())))))
            }
            Screen::Queue | Screen::Detail => {
                let rows = self
                    .triage_targets()
                    .into_iter()
                    .filter_map(|id| self.queue.current_tab().list.row(id))
                    .chain(self.current_signal().filter(|_| self.screen == Screen::Detail));
                let mut seen = HashSet::new();
                let projects = rows.filter_map(move |row| {
                    let id = row.signal.project_id.filter(|id| seen.insert(*id))?;
                    Some((id.0, row.signal.project_name.clone().unwrap_or_else(|| "unnamed".to_owned())))
                });
                Some((RecordKind::Projects, Box::new(projects)))
            }
            _ => {
                let list = self.displayed_list()?;
                let rows =
                    list.selection().into_iter().filter_map(|id| list.row(id)).map(|row| (row.id, record_name(&row.fields())));
                Some((list.source.record_kind()?, Box::new(rows)))
            }
        }
    }

    /// Opens the form for the chosen records, at a field; at the first one by default.
    pub fn open_annotation_form(&mut self, line: Option<FormField>) {
        let Some((shelf, subjects)) = self.annotation_targets() else { return };
        let subjects = subjects.collect();
        self.open_annotation_form_for(shelf, subjects, line);
    }

    fn open_annotation_form_for(&mut self, shelf: RecordKind, subjects: Vec<(Uuid, String)>, line: Option<FormField>) {
        self.perform(Action::Explore(ExploreAction::LeaveListFilter));
        let rows: Vec<AnnotatedRecord> = subjects
            .into_iter()
            .map(|(id, name)| AnnotatedRecord {
                id,
                name,
                base: self.cached_annotation(&shelf, id),
                changed_fields: Vec::new(),
                left_book: false,
            })
            .collect();
        let form = FieldInputs::new(&shelf);
        let draft = self.annotation_draft_for(&shelf, &rows);
        let seen = self.seen_annotation_values(&shelf);
        let at = line.or(form.entries().first().map(|entry| entry.line)).unwrap_or(FormField::Status);
        let mut sheet = AnnotationForm {
            kind: shelf,
            records: rows,
            inputs: form,
            current_line: at,
            is_editing_note: false,
            top: 0,
            draft,
            draft_begun: None,
            seen_values: seen,
            cycling: None,
            read_failed: false,
        };
        if at == FormField::Notes && sheet.draft.is_none() {
            sheet.start_note();
        }
        self.notice = None;
        self.annotation_form = Some(sheet);
    }

    /// The statuses and tags of loaded rows, most frequent first.
    fn seen_annotation_values(&self, shelf: &RecordKind) -> BTreeMap<AnnotationField, Vec<String>> {
        let lists = self.record_lists.of_kind(shelf);
        let fields: Vec<_> = lists.flat_map(|list| list.rows().iter().take(MAX_ROWS_SCANNED)).map(|row| row.fields()).collect();
        let of = |field: AnnotationField| by_frequency(fields.iter().filter_map(|fields| field.read_from(fields)).flatten());
        [AnnotationField::Status, AnnotationField::Tags].into_iter().map(|field| (field, of(field))).collect()
    }

    /// Leaves the note for the form, or the form for the pane; the input is kept.
    pub fn leave_annotation_form(&mut self) {
        let Some(mut sheet) = self.annotation_form.take() else { return };
        if sheet.is_editing_note {
            sheet.is_editing_note = false;
            self.annotation_form = Some(sheet);
            return;
        }
        if self.is_reading_annotated_records() {
            self.effects.push(Effect::Cancel(Slot::AnnotationForm));
        }
        self.notice = None;
        if !sheet.inputs.is_empty() {
            let long = if self.drafts.is_persistent { "" } else { " until you quit" };
            // The form may be about other records than annotating would be about here.
            let here: Vec<Uuid> =
                self.annotation_targets().into_iter().flat_map(|(_, subjects)| subjects.map(|(id, _)| id)).collect();
            let is_here = sheet.records.iter().map(|row| row.id).eq(here);
            let back = if is_here { "{annotate.all} resumes it" } else { "{go.typed} resumes it" };
            self.notice = Some(Notice::info(format!("Nothing was written. Your draft is kept{long}.")).with_hint(back));
        }
    }
}

//! The annotation sheet: what is to be written on the chosen records, what it makes of each of them, and the one batch that does it.
//!
//! The sheet lies beside or over the pane that it was opened from and has the keys until it is left. It is about records, not rows:
//! what the list does meanwhile changes nothing of it. Nothing is sent before the person applies it, nothing is read without a price
//! that stood there, and nothing of a colleague is overwritten unseen: each record is read again right before it is written.

pub mod commands;
mod draft;
pub mod draw;
pub mod field_inputs;
pub mod footer;
pub mod layout;
mod read_write;
mod write_preview;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};

use uuid::Uuid;

use crate::app::annotation_cache::{AnnotationField, CachedAnnotation};
use crate::app::effect::{Effect, Slot};
use crate::app::notice::Notice;
use crate::app::panes::record::record_name;
use crate::app::{App, Screen};
use crate::domain::book::{Dataset, IcpTier, RecordKind};
use crate::ui::text_area::TextArea;
use crate::ui::text_input::TextInput as Input;
pub use draft::AnnotationDraft;
use field_inputs::{FieldInputs, FieldOp, FormLine, parse_list};
pub use write_preview::WritePreview;

/// Rows of a list that are looked through for values to offer.
const MAX_ROWS_SCANNED: usize = 2_000;

/// A record that the sheet is about.
#[derive(Clone, Debug)]
pub struct AnnotatedRecord {
    /// Its id.
    pub id: Uuid,
    /// Its name.
    pub name: String,
    /// What is known of it: the base that a write is compared with.
    pub base: CachedAnnotation,
    /// Fields that stood otherwise when they were read again.
    pub changed_fields: Vec<AnnotationField>,
    /// It has left the book since it was read.
    pub left_book: bool,
}

/// The sheet.
#[derive(Clone, Debug)]
pub struct AnnotationForm {
    /// What the records are.
    pub kind: RecordKind,
    /// The records, in the order of the list.
    pub records: Vec<AnnotatedRecord>,
    /// What is wanted.
    pub inputs: FieldInputs,
    /// The line that has the keys.
    pub current_line: FormLine,
    /// The note is being typed: arrows and Enter are the text's.
    pub is_editing_note: bool,
    /// The first line of the preview on the screen.
    pub top: usize,
    /// What was typed for these records before, and not applied.
    pub draft: Option<AnnotationDraft>,
    /// What stands in it is kept under this name, once something does.
    draft_name: Option<String>,
    seen_values: BTreeMap<AnnotationField, Vec<String>>,
    /// What was typed before values were gone through, and the one that stands there.
    cycling: Option<(String, usize)>,
    /// Of those that are being read one could not be.
    read_failed: bool,
}

/// Records and their names.
type AnnotationTargets<'a> = Box<dyn Iterator<Item = (Uuid, String)> + 'a>;

impl AnnotationForm {
    /// The one record that it is about, when it is one.
    pub fn single_record(&self) -> Option<&AnnotatedRecord> {
        if let [row] = self.records.as_slice() { Some(row) } else { None }
    }

    /// A draft can be taken: nothing was typed over it.
    pub fn offers_draft(&self) -> bool {
        self.draft.is_some() && self.inputs.is_untouched()
    }

    /// Values that can stand in a line, those seen most often first: of a tier all, of tags to remove those of the records.
    pub fn suggestions(&self, line: FormLine) -> Vec<String> {
        let typed = self.cycling.as_ref().map_or_else(|| self.inputs.text(line), |(typed, _)| typed.as_str());
        let all: Vec<String> = match line {
            FormLine::Notes => return Vec::new(),
            FormLine::Tier => return IcpTier::ALL.iter().map(|tier| tier.as_str().to_owned()).collect(),
            FormLine::Untag => {
                by_frequency(self.records.iter().filter_map(|row| row.base.value(AnnotationField::Tags)).flatten().cloned())
            }
            FormLine::Status | FormLine::Tags => self.seen_values.get(&line.field()).cloned().unwrap_or_default(),
        };
        let (before, stem) = split_last_value(line, typed);
        let (taken, stem) = (parse_list(before), stem.to_lowercase());
        let starts = |value: &&String| value.to_lowercase().starts_with(&stem) && **value != stem && !taken.contains(*value);
        all.iter().filter(starts).cloned().collect()
    }

    /// Whether a value that is being typed stands nowhere yet: a new one, or a slip.
    pub fn is_unseen_value(&self, line: FormLine) -> bool {
        let (_, typed) = split_last_value(line, self.inputs.text(line));
        let seen = self.seen_values.get(&line.field());
        line != FormLine::Untag && !typed.is_empty() && seen.is_some_and(|seen| !seen.is_empty() && !seen.contains(&typed))
    }

    /// Puts the next or previous offered value in place of what is being typed.
    pub fn cycle_suggestion(&mut self, forward: bool) {
        let line = self.current_line;
        let offers = self.suggestions(line);
        if offers.is_empty() {
            return;
        }
        let typed = self.inputs.text(line).to_owned();
        let stands = offers.iter().position(|offer| *offer == typed).filter(|_| line == FormLine::Tier);
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
            entry.input = Input::with_text(&text);
        }
        self.ensure_op();
        self.cycling = Some((typed, at));
    }

    /// Goes to another line.
    pub fn go_to_line(&mut self, line: FormLine) {
        self.current_line = line;
        self.is_editing_note = false;
        self.cycling = None;
    }

    /// Goes lines on or back.
    pub fn step_line(&mut self, forward: bool) {
        let lines: Vec<FormLine> = self.inputs.entries().iter().map(|entry| entry.line).collect();
        let at = lines.iter().position(|line| *line == self.current_line).unwrap_or(0);
        self.go_to_line(lines[(at + if forward { 1 } else { lines.len() - 1 }) % lines.len()]);
    }

    /// Takes the next or previous operation of the line.
    pub fn cycle_op(&mut self, forward: bool) {
        let ops = self.current_line.ops();
        let at = ops.iter().position(|op| *op == self.inputs.op(self.current_line)).unwrap_or(0);
        self.set_op(ops[(at + if forward { 1 } else { ops.len() - 1 }) % ops.len()]);
    }

    /// Does this with the line. A note alone that is set is changed from what it is.
    pub fn set_op(&mut self, op: FieldOp) {
        let line = self.current_line;
        if line == FormLine::Notes {
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

    /// What is typed is meant: a line that was kept is so no more.
    fn ensure_op(&mut self) {
        if self.inputs.op(self.current_line) == FieldOp::Keep {
            self.set_op(self.current_line.ops()[1]);
        }
    }

    /// Begins to type the note.
    pub fn start_note(&mut self) {
        self.go_to_line(FormLine::Notes);
        self.ensure_op();
        self.is_editing_note = true;
    }
}

/// What stands before the value that is being typed, and the beginning of that value: only tags hold several.
fn split_last_value(line: FormLine, typed: &str) -> (&str, String) {
    let cut = match line {
        FormLine::Tags | FormLine::Untag => typed.rfind(',').map_or(0, |at| at + 1),
        _ => 0,
    };
    (&typed[..cut], typed[cut..].trim().to_owned())
}

/// Each value once, the most frequent first.
fn by_frequency(values: impl Iterator<Item = String>) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    let mut all: Vec<(String, usize)> = counts.into_iter().collect();
    all.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    all.into_iter().map(|(value, _)| value).collect()
}

impl App {
    /// The records that an annotation would be about, with their names: what is marked, or under the cursor; of signals their
    /// projects. They are read as they are asked for: whether there is one is known from the first.
    pub fn annotation_targets(&self) -> Option<(RecordKind, AnnotationTargets<'_>)> {
        match self.screen {
            Screen::Record => {
                let page = self.page_stack.page().filter(|page| page.key.dataset != Dataset::Signals)?;
                Some((page.key.dataset.as_str().into(), Box::new(std::iter::once((page.key.id, page.name.clone())))))
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

    /// Opens the sheet over the chosen records, at a line; at the first one when none is named.
    pub fn open_annotation_form(&mut self, line: Option<FormLine>) {
        let Some((shelf, subjects)) = self.annotation_targets() else { return };
        let subjects = subjects.collect();
        self.open_annotation_form_for(shelf, subjects, line);
    }

    fn open_annotation_form_for(&mut self, shelf: RecordKind, subjects: Vec<(Uuid, String)>, line: Option<FormLine>) {
        self.leave_list_filter();
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
        let at = line.or(form.entries().first().map(|entry| entry.line)).unwrap_or(FormLine::Status);
        let mut sheet = AnnotationForm {
            kind: shelf,
            records: rows,
            inputs: form,
            current_line: at,
            is_editing_note: false,
            top: 0,
            draft,
            draft_name: None,
            seen_values: seen,
            cycling: None,
            read_failed: false,
        };
        if at == FormLine::Notes && sheet.draft.is_none() {
            sheet.start_note();
        }
        self.notice = None;
        self.annotation_form = Some(sheet);
    }

    /// The statuses and tags of loaded rows, those seen most often first.
    fn seen_annotation_values(&self, shelf: &RecordKind) -> BTreeMap<AnnotationField, Vec<String>> {
        let lists = self.record_lists().filter(|list| list.source.record_kind().as_ref() == Some(shelf));
        let fields: Vec<_> = lists.flat_map(|list| list.rows().iter().take(MAX_ROWS_SCANNED)).map(|row| row.fields()).collect();
        let of = |field: AnnotationField| by_frequency(fields.iter().filter_map(|fields| field.read_from(fields)).flatten());
        [AnnotationField::Status, AnnotationField::Tags].into_iter().map(|field| (field, of(field))).collect()
    }

    /// Leaves the note for the form, or the form for the pane; what was typed is kept.
    pub fn leave_annotation_form(&mut self) {
        let Some(mut sheet) = self.annotation_form.take() else { return };
        if sheet.is_editing_note {
            sheet.is_editing_note = false;
            self.annotation_form = Some(sheet);
            return;
        }
        if !self.record_reads.is_empty() {
            self.effects.push(Effect::Cancel(Slot::Sheet));
        }
        self.notice = None;
        if !sheet.inputs.is_empty() {
            let long = if self.drafts.is_persistent { "" } else { " until you quit" };
            // The sheet may be about other records than those that annotating would be about here.
            let here: Vec<Uuid> =
                self.annotation_targets().into_iter().flat_map(|(_, subjects)| subjects.map(|(id, _)| id)).collect();
            let is_here = sheet.records.iter().map(|row| row.id).eq(here);
            let back = if is_here { "{annotate.all} resumes it" } else { "{go.typed} resumes it" };
            self.notice = Some(Notice::info(format!("Nothing was written. Your draft is kept{long}.")).with_hint(back));
        }
    }
}

//! The annotation form: what to write on the chosen records, a preview for each of them, and the
//! one batch that writes it.
//!
//! The form opens beside or over its pane and has the keys until it is closed. It is about records,
//! not rows: changes to the list below do not affect it. Nothing is sent before the user applies
//! the form, nothing is read without a price shown first, and no colleague's change is overwritten
//! unseen: each record is read again just before it is written.

pub(crate) mod commands;
mod draft;
mod draw;
mod editing;
mod field_inputs;
mod footer;
mod layout;
pub(in crate::app) mod messages;
mod read_write;
mod record_text;
mod write_preview;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use draft::AnnotationDraft;
use field_inputs::{FieldInputs, FieldOp, FormField, SavedInputs, parse_list};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use read_write::is_reading;
use uuid::Uuid;
use write_preview::WritePreview;

use crate::app::Context;
use crate::app::annotation_cache::{AnnotationField, CachedAnnotation};
use crate::app::change::Change;
use crate::app::command::Scope;
use crate::app::context::annotation_cache;
use crate::app::drafts::RESUME_HINT;
use crate::app::effect::{Effect, Slot};
use crate::app::format::{humanize, pluralize};
use crate::app::layout::FrameLayout;
use crate::app::model::frequency::count_values;
use crate::app::model::load_state::LoadState;
use crate::app::notice::Notice;
use crate::app::pane::{Pane, PaneEvent, PaneFocus, step_around};
use crate::app::panes::annotation_form::messages::AnnotationAction;
use crate::domain::book::{IcpTier, RecordKind};
use crate::domain::search::RecordSource;
use crate::ui::text_area::TextArea;
use crate::ui::text_input::{PasteTooLong, TextInput};

/// Most rows of a list that are searched for suggestions.
const MAX_ROWS_SCANNED: usize = 2_000;

/// A record that the form is about.
#[derive(Clone, Debug)]
struct AnnotatedRecord {
    pub id: Uuid,
    pub name: String,
    /// What is known of it: the base that a write is compared with.
    pub base: CachedAnnotation,
    /// Fields that had changed when they were read again.
    pub changed_fields: Vec<AnnotationField>,
    pub left_book: bool,
}

#[derive(Clone, Debug)]
struct AnnotationForm {
    pub kind: RecordKind,
    /// In list order.
    pub records: Vec<AnnotatedRecord>,
    pub inputs: FieldInputs,
    /// The focused field.
    pub current_line: FormField,
    /// The note is being edited: arrow keys and Enter belong to the text.
    pub is_editing_note: bool,
    /// Esc left the note: letters no longer go into it.
    has_left_note: bool,
    /// The first visible line of the preview.
    pub top: usize,
    /// Earlier input for these records that was not applied.
    pub draft: Option<AnnotationDraft>,
    /// The draft that it is saved as, set once there is something to save.
    draft_begun: Option<i64>,
    seen_values: BTreeMap<AnnotationField, Vec<String>>,
    /// Rows of the book were read, or there are none.
    is_book_read: bool,
    /// While cycling through suggestions: the text typed before, and the index of the shown
    /// suggestion.
    cycling: Option<(String, usize)>,
    /// At least one of the records could not be read.
    read_failed: bool,
}

impl AnnotatedRecord {
    fn note(&self) -> Option<String> {
        let note = self.base.value(AnnotationField::Notes)?;
        Some(note.join("\n"))
    }
}

impl AnnotationForm {
    /// The record, if the form is about exactly one.
    pub fn single_record(&self) -> Option<&AnnotatedRecord> {
        if let [row] = self.records.as_slice() {
            Some(row)
        } else {
            None
        }
    }

    /// A draft is offered: nothing has been typed since.
    pub fn offers_draft(&self) -> bool {
        self.draft.is_some() && self.inputs.is_untouched()
    }

    /// Suggestions for a field, most frequent first; all tiers; for tags to remove, the tags of the
    /// records.
    pub fn suggestions(&self, line: FormField) -> Vec<String> {
        let typed = self
            .cycling
            .as_ref()
            .map_or_else(|| self.inputs.text(line), |(typed, _)| typed.as_str());
        let all: Vec<String> = match line {
            FormField::Notes => return Vec::new(),
            FormField::Tier => {
                return IcpTier::ALL
                    .iter()
                    .map(|tier| humanize(tier.as_str()))
                    .collect();
            }
            FormField::Untag => by_frequency(
                self.records
                    .iter()
                    .filter_map(|row| row.base.value(AnnotationField::Tags))
                    .flatten()
                    .cloned(),
            ),
            FormField::Status | FormField::Tags => self
                .seen_values
                .get(&line.field())
                .cloned()
                .unwrap_or_default(),
        };
        let (before, stem) = split_last_value(line, typed);
        let (taken, stem) = (parse_list(before), stem.to_lowercase());
        let starts = |value: &&String| {
            value.to_lowercase().starts_with(&stem) && **value != stem && !taken.contains(*value)
        };
        all.iter().filter(starts).cloned().collect()
    }

    /// Whether the typed value is not used anywhere yet: a new one, or a typo.
    pub fn is_unseen_value(&self, line: FormField) -> bool {
        let (_, typed) = split_last_value(line, self.inputs.text(line));
        let seen = self.seen_values.get(&line.field());
        line != FormField::Untag
            && !typed.is_empty()
            && seen.is_some_and(|seen| !seen.is_empty() && !seen.contains(&typed))
    }

    /// The status that would be written, if the team uses others only, or if none of those in use was
    /// read.
    fn new_status(&self) -> Option<String> {
        let is_set = self.inputs.op(FormField::Status) == FieldOp::Set;
        let status = self.inputs.text(FormField::Status).trim();
        let is_new =
            self.is_unseen_value(FormField::Status) || !status.is_empty() && self.lacks_statuses();
        (is_set && is_new).then(|| status.to_owned())
    }

    /// Whether it is unknown which statuses the team uses.
    fn lacks_statuses(&self) -> bool {
        let seen = self.seen_values.get(&AnnotationField::Status);
        !self.is_book_read && seen.is_none_or(Vec::is_empty)
    }

    /// Replaces the value being typed with the next or previous suggestion.
    pub fn cycle_suggestion(&mut self, forward: bool) {
        let line = self.current_line;
        let offers = self.suggestions(line);
        if offers.is_empty() {
            return;
        }
        let typed = self.inputs.text(line).to_owned();
        let tier = self.inputs.typed_tier().filter(|_| line == FormField::Tier);
        let stands = tier.and_then(|tier| IcpTier::ALL.iter().position(|known| known == tier));
        let (typed, at) = match self.cycling.take() {
            Some((typed, at)) => (typed, step_around(at, offers.len(), forward)),
            None => {
                let first = if forward { 0 } else { offers.len() - 1 };
                let next = |at| step_around(at, offers.len(), forward);
                (typed, stands.map_or(first, next))
            }
        };
        let (before, _) = split_last_value(line, &typed);
        let text = if before.is_empty() {
            offers[at].clone()
        } else {
            format!("{before} {}", offers[at])
        };
        if let Some(entry) = self.inputs.entry_mut(line) {
            entry.input = match line {
                FormField::Tags | FormField::Untag => TextInput::with_text(&text),
                _ => TextInput::with_selected_text(&text),
            };
        }
        self.ensure_op();
        self.cycling = Some((typed, at));
    }

    /// Goes to a field. A tier that was typed in part is completed.
    pub fn go_to_line(&mut self, line: FormField) {
        if let (Some(tier), true) = (
            self.inputs.typed_tier(),
            self.current_line == FormField::Tier && line != FormField::Tier,
        ) {
            self.inputs.set(
                FormField::Tier,
                self.inputs.op(FormField::Tier),
                &humanize(tier.as_str()),
            );
        }
        self.current_line = line;
        (self.is_editing_note, self.has_left_note) = (false, false);
        self.cycling = None;
    }

    pub fn step_line(&mut self, forward: bool) {
        let lines: Vec<FormField> = self
            .inputs
            .entries()
            .iter()
            .map(|entry| entry.line)
            .collect();
        let at = lines
            .iter()
            .position(|line| *line == self.current_line)
            .unwrap_or(0);
        self.go_to_line(lines[step_around(at, lines.len(), forward)]);
    }

    pub fn cycle_op(&mut self, forward: bool) {
        let ops = self.current_line.ops();
        let at = ops
            .iter()
            .position(|op| *op == self.inputs.op(self.current_line))
            .unwrap_or(0);
        self.set_op(ops[step_around(at, ops.len(), forward)]);
    }

    /// Sets the operation of the current field. Setting a single record's note starts from its
    /// current text.
    pub fn set_op(&mut self, op: FieldOp) {
        let line = self.current_line;
        if line == FormField::Notes {
            let now = self.single_record().and_then(AnnotatedRecord::note);
            let form = &mut self.inputs;
            if op == FieldOp::Set && form.note.text().is_empty() && now.is_some() {
                form.note = TextArea::with_text(now.as_deref().unwrap_or_default());
                form.note_base = now;
            } else if op != FieldOp::Set && form.is_note_unedited() {
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

    /// Starts editing the note. The note of a single record is opened as it is, to be corrected or
    /// continued on a new line.
    pub fn start_note(&mut self) {
        self.go_to_line(FormField::Notes);
        let is_known = self.single_record().is_some_and(|row| {
            row.base
                .value(AnnotationField::Notes)
                .is_some_and(|note| !note.is_empty())
        });
        if is_known
            && self.inputs.op(FormField::Notes) == FieldOp::Keep
            && self.inputs.note.text().is_empty()
        {
            self.set_op(FieldOp::Set);
            let note = self.inputs.note.text();
            if !note.ends_with('\n') {
                self.inputs.note = TextArea::with_text(&format!("{note}\n"));
            }
        }
        self.ensure_op();
        self.is_editing_note = true;
    }
}

/// The text before the value being typed, and the value's beginning; only tag fields contain
/// several values.
fn split_last_value(line: FormField, typed: &str) -> (&str, String) {
    let cut = match line {
        FormField::Tags | FormField::Untag => typed.rfind(',').map_or(0, |at| at + 1),
        _ => 0,
    };
    (&typed[..cut], typed[cut..].trim().to_owned())
}

fn by_frequency(values: impl Iterator<Item = String>) -> Vec<String> {
    count_values(values)
        .into_iter()
        .map(|(value, _)| value)
        .collect()
}

#[derive(Clone, Debug, Default)]
pub struct AnnotationFormPane {
    form: Option<AnnotationForm>,
    /// The oldest first.
    drafts: Vec<AnnotationDraft>,
    /// What was last applied, to be repeated on other records.
    last_applied: Option<SavedInputs>,
    /// The new status that the user was last told to be one.
    announced_status: Option<String>,
    /// Drafts whose write failed because the service did not respond, by the time they were begun.
    unsent: BTreeSet<i64>,
    /// The record and the text that was not understood, for the next time it is edited.
    rejected_text: Option<(Uuid, String)>,
    /// The service responds again, and unsent drafts have not been announced yet.
    is_announcement_due: bool,
    area: Rect,
    /// The area of the preview's lines.
    preview_rows: Rect,
    /// How many lines the preview has.
    preview_len: usize,
}

impl AnnotationFormPane {
    pub fn is_open(&self) -> bool {
        self.form.is_some()
    }

    pub fn perform(&mut self, action: AnnotationAction, cx: &mut Context) {
        match action {
            AnnotationAction::Open(kind, records) => self.open(kind, records, None, cx),
            AnnotationAction::Reopen(conflicted) => self.reopen(&conflicted, cx),
            AnnotationAction::Resume(begun) => self.resume_draft(begun, cx),
            AnnotationAction::Discard(begun) => self.discard_draft(begun, cx),
            AnnotationAction::Repeat => self.repeat(cx),
            AnnotationAction::Write(description, changes) => self.write(description, changes, cx),
        }
    }

    /// Opens the form for the records that the user chose, at a field; at the first one by default.
    fn open_chosen(&mut self, line: Option<FormField>, cx: &mut Context) {
        let Some((kind, records)) = cx.chosen_records() else {
            return;
        };
        let records: Vec<(Uuid, String)> = records.collect();
        if records.is_empty() {
            cx.ui.warn("annotate: none of the marked rows is loaded");
            return;
        }
        self.open(kind, records, line, cx);
    }

    /// Opens the form for the chosen records with the input that was last applied.
    fn repeat(&mut self, cx: &mut Context) {
        let Some(last) = self.last_applied.clone() else {
            return;
        };
        self.open_chosen(None, cx);
        let Some(form) = &mut self.form else { return };
        form.inputs = FieldInputs::new(&form.kind).with_saved(last);
        form.draft = None;
        if form.inputs.is_empty() {
            self.form = None;
            cx.ui
                .warn("repeat: the last annotation set only the tier, and only accounts have one");
        }
    }

    fn open(
        &mut self,
        kind: RecordKind,
        records: Vec<(Uuid, String)>,
        line: Option<FormField>,
        cx: &mut Context,
    ) {
        let records: Vec<AnnotatedRecord> = records
            .into_iter()
            .map(|(id, name)| AnnotatedRecord {
                id,
                name,
                base: cx.records.cached_annotation(&kind, id),
                changed_fields: Vec::new(),
                left_book: false,
            })
            .collect();
        let inputs = FieldInputs::new(&kind);
        let draft = self.draft_for(&kind, &records);
        let current_line = line
            .or(inputs.entries().first().map(|entry| entry.line))
            .unwrap_or(FormField::Status);
        let is_book_read = cx.records.lists.of_kind(&kind).any(|list| {
            matches!(list.source, RecordSource::Book(_)) && list.load == LoadState::Ready
        });
        let mut form = AnnotationForm {
            seen_values: seen_values(&kind, cx),
            is_book_read,
            kind,
            records,
            inputs,
            current_line,
            is_editing_note: false,
            has_left_note: false,
            top: 0,
            draft,
            draft_begun: None,
            cycling: None,
            read_failed: false,
        };
        if current_line == FormField::Notes && form.draft.is_none() {
            form.start_note();
        }
        cx.ui.notice = None;
        self.form = Some(form);
    }

    /// Leaves the note for the form, or the form for the pane; the input is kept.
    fn leave(&mut self, cx: &mut Context) {
        let leaves_note = self
            .form
            .as_mut()
            .is_some_and(|form| std::mem::take(&mut form.is_editing_note));
        if leaves_note {
            self.form
                .iter_mut()
                .for_each(|form| form.has_left_note = true);
            cx.ui.notice = None;
            return;
        }
        let Some(form) = self.form.take() else { return };
        self.announced_status = None;
        if is_reading(cx) {
            cx.work.emit(Effect::Cancel(Slot::AnnotationForm));
        }
        cx.ui.notice = None;
        if !form.inputs.is_empty() {
            let long = if cx.drafts.has_persistent_drafts() {
                ""
            } else {
                " until you quit"
            };
            // The form may be about other records than annotating would be about here.
            let here = cx
                .chosen_records()
                .into_iter()
                .flat_map(|(_, records)| records.map(|(id, _)| id));
            let is_here = form.records.iter().map(|row| row.id).eq(here);
            let back = if is_here {
                "{annotate.all} resumes it"
            } else {
                RESUME_HINT
            };
            cx.ui.notice = Some(
                Notice::info(format!("Nothing was written. Your draft is kept{long}."))
                    .with_hint(back),
            );
        }
    }

    /// Scrolls the preview.
    pub fn scroll(&mut self, rows: isize) {
        if let Some(form) = &mut self.form {
            form.top = form.top.saturating_add_signed(rows);
        }
    }
}

/// The statuses and tags of loaded rows, most frequent first.
fn seen_values(kind: &RecordKind, cx: &Context) -> BTreeMap<AnnotationField, Vec<String>> {
    let lists = cx.records.lists.of_kind(kind);
    let fields: Vec<_> = lists
        .flat_map(|list| list.rows().iter().take(MAX_ROWS_SCANNED))
        .map(|row| row.fields())
        .collect();
    // What was written or read for a single record is in no list.
    let cached = || annotation_cache::cached_annotations(kind, &cx.records.annotations);
    let of = |field: AnnotationField| {
        let listed = fields.iter().filter_map(|fields| field.read_from(fields));
        let cached = cached().filter_map(|known| known.value(field).cloned());
        by_frequency(listed.chain(cached).flatten())
    };
    [AnnotationField::Status, AnnotationField::Tags]
        .into_iter()
        .map(|field| (field, of(field)))
        .collect()
}

impl AnnotationFormPane {
    pub(in crate::app) fn paste(&mut self, text: &str) -> Option<Result<(), PasteTooLong>> {
        self.form.as_mut()?.paste(text)
    }
}

impl Pane for AnnotationFormPane {
    fn focus(&self, _cx: &Context) -> PaneFocus {
        Scope::AnnotationForm.into()
    }

    /// Fills `body` with the form.
    fn layout(&mut self, areas: &mut FrameLayout, body: Rect, cx: &mut Context) {
        self.lay_out(areas, body, cx);
    }

    fn draw(&self, cx: &Context, buf: &mut Buffer) -> Option<Position> {
        draw::draw(cx, self.form.as_ref()?, self.area, buf)
    }

    fn on_event(&mut self, event: PaneEvent<'_>, cx: &mut Context) {
        match event {
            PaneEvent::Changed(Change::Annotated(id, known)) => {
                self.rebase_on_own_write(*id, known.clone())
            }
            PaneEvent::Changed(Change::Written(write)) => self.on_written(write, cx),
            PaneEvent::Changed(Change::Reconnected) => {
                self.is_announcement_due = true;
                if !cx.outbox.offline.is_flushing() {
                    self.announce_unsent_drafts(cx);
                }
            }
            PaneEvent::Changed(Change::Counts(_)) if cx.ui.notice.is_none() => {
                self.announce_unsent_drafts(cx)
            }
            PaneEvent::DraftsRestored(drafts) => self.restore(drafts, cx),
            PaneEvent::MessageHandled => self.save_draft(cx),
            _ => {}
        }
    }

    fn unsaved_input(&self) -> Option<String> {
        let records = self.draft_records();
        (records > 0).then(|| format!("what you typed for {}", pluralize(records, "record")))
    }
}

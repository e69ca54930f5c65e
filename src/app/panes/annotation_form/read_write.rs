//! Reads the form's records and writes them: a colleague's change in between is shown before it is
//! overwritten.

use uuid::Uuid;

use crate::app::Context;
use crate::app::annotation_cache::{AnnotationField, CachedAnnotation, annotation_values};
use crate::app::context::bulk_confirmation::BULK_THRESHOLD;
use crate::app::effect::{RecordKey, ServiceCall, Slot};
use crate::app::format::{format_count, pluralize};
use crate::app::msg::CallResult;
use crate::app::notice::Notice;
use crate::app::panes::annotation_form::AnnotationFormPane;
use crate::app::panes::annotation_form::draft::AnnotationDraft;
use crate::app::panes::annotation_form::field_inputs::{FieldOp, FormField, parse_list};
use crate::app::panes::annotation_form::footer::shows_change_count;
use crate::app::panes::annotation_form::messages::{AnnotatedRecordRequest, AnnotationAction};
use crate::app::price::Price;
use crate::domain::merge;
use crate::domain::request_error::RequestErrorKind;
use crate::domain::writes::{ReversibleWrite, WriteOp};
use crate::ui::text_input::TextInput;

impl AnnotationFormPane {
    /// Reads records of the form from the book, for a credit each.
    pub(super) fn read(&mut self, ids: &[Uuid], cx: &mut Context) {
        let Some(form) = &mut self.form else { return };
        form.read_failed = false;
        for id in ids {
            let call = ServiceCall::Record {
                key: RecordKey::for_book(&form.kind, *id),
                bypass_cache: true,
            };
            cx.work.call_service(
                Slot::AnnotationForm,
                call,
                AnnotatedRecordRequest(form.kind.clone(), *id),
            );
        }
        cx.ui.notice = Some(
            Notice::info(format!("reading {}", pluralize(ids.len(), "record")))
                .with_hint("Ctrl-c stops"),
        );
    }

    pub fn on_reply(
        &mut self,
        request: AnnotatedRecordRequest,
        result: CallResult,
        cx: &mut Context,
    ) {
        let AnnotatedRecordRequest(kind, id) = request;
        match cx.store_annotated_record(&kind, id, result) {
            Ok(known) => self.rebase(id, known),
            Err(failure) => {
                match failure.kind {
                    RequestErrorKind::Cancelled => cx.ui.inform("read canceled"),
                    _ => cx.ui.show_failure(
                        "could not load the record",
                        &failure,
                        "{form.read} retries",
                    ),
                }
                if let Some(form) = &mut self.form {
                    form.read_failed = true;
                }
                return;
            }
        }
        if !is_reading(cx) {
            self.report_changes(cx);
        }
    }

    /// Gives a record of the form a new base; the preview follows.
    fn rebase(&mut self, id: Uuid, newer: CachedAnnotation) {
        let Some(form) = &mut self.form else { return };
        let is_only = form.single_record().is_some();
        let overrides =
            |line: FormField| matches!(form.inputs.op(line), FieldOp::Set | FieldOp::Clear);
        let overridden: Vec<AnnotationField> = form
            .inputs
            .entries()
            .iter()
            .map(|entry| entry.line)
            .filter(|line| overrides(*line))
            .map(FormField::field)
            .collect();
        let Some(row) = form.records.iter_mut().find(|row| row.id == id) else {
            return;
        };
        let base = row.base.clone();
        row.left_book = base.in_book() == Some(true) && newer.in_book() == Some(false);
        row.changed_fields = AnnotationField::ALL
            .into_iter()
            .filter(|field| match (base.value(*field), newer.value(*field)) {
                (Some(before), Some(after)) => !field.values_equal(before, after),
                (None, Some(after)) => overridden.contains(field) && !after.is_empty(),
                (_, None) => false,
            })
            .collect();
        row.base.merge(newer);
        let (tags, note) = (row.base.value(AnnotationField::Tags).cloned(), row.note());
        if !is_only {
            return;
        }
        let form = &mut form.inputs;
        if form.op(FormField::Tags) == FieldOp::Set
            && let (Some(before), Some(theirs)) = (base.value(AnnotationField::Tags), tags)
        {
            let merged =
                merge::merge_sets(before, &theirs, &parse_list(form.text(FormField::Tags)));
            if let Some(entry) = form.entry_mut(FormField::Tags) {
                entry.input = TextInput::with_text(&merged.join(", "));
            }
        }
        form.merge_note(note);
    }

    /// Our own write to a record while its form is open is not a colleague's change.
    pub(super) fn rebase_on_own_write(&mut self, id: Uuid, written: CachedAnnotation) {
        self.rebase(id, written);
        let row = self
            .form
            .as_mut()
            .and_then(|form| form.records.iter_mut().find(|row| row.id == id));
        row.into_iter().for_each(|row| row.changed_fields.clear());
    }

    /// All requested records were read: reports what changed in the meantime.
    fn report_changes(&self, cx: &mut Context) {
        let Some(form) = &self.form else { return };
        let touched = form.inputs.touched_fields();
        let moved: Vec<&super::AnnotatedRecord> = form
            .records
            .iter()
            .filter(|row| {
                row.left_book
                    || row
                        .changed_fields
                        .iter()
                        .any(|field| touched.contains(field))
            })
            .collect();
        let Some(first) = moved.first() else {
            if !form.read_failed {
                cx.ui.notice = Some(
                    Notice::success("the records are up to date").with_hint("{form.apply} writes"),
                );
            }
            return;
        };
        let what = match (form.single_record(), first.left_book) {
            (Some(row), true) => format!(
                "{} is no longer in the book; writing saves it again",
                row.name
            ),
            (Some(row), false) => {
                let fields: Vec<&str> = row
                    .changed_fields
                    .iter()
                    .filter(|field| touched.contains(field))
                    .map(|field| field.title())
                    .collect();
                format!(
                    "you have not seen the current {}; see below",
                    fields.join(" and ")
                )
            }
            (None, _) => format!(
                "you have not seen the current values of {}; see below",
                pluralize(moved.len(), "record")
            ),
        };
        cx.ui.notice = Some(Notice::warning(what).with_hint("{form.apply} writes anyway"));
    }

    /// Writes the form's changes. A status that the team does not use yet, as far as is known, may
    /// be a slip: it is written the second time. Each record is read just before it is written; one that changed in
    /// the meantime comes back to the form.
    pub(super) fn apply(&mut self, cx: &mut Context) {
        let Some(form) = &mut self.form else { return };
        if form.inputs.op(FormField::Notes) == FieldOp::Set
            && merge::has_conflict_markers(form.inputs.note.text())
        {
            form.start_note();
            cx.ui.warn("resolve the conflict markers in the note first");
            return;
        }
        if let Some(status) = form.new_status()
            && self.announced_status.as_ref() != Some(&status)
        {
            form.go_to_line(FormField::Status);
            let takes = match form.suggestions(FormField::Status).first() {
                Some(known) => format!(", {{form.offer.next}} takes {known}"),
                None => String::new(),
            };
            let why = match form.lacks_statuses() {
                true => ": the statuses in use have not been read",
                false => " is a new status",
            };
            cx.ui.notice = Some(
                Notice::warning(format!("“{status}”{why}"))
                    .with_hint(format!("{{form.apply}} again writes it{takes}")),
            );
            self.announced_status = Some(status);
            return;
        }
        self.send(cx);
    }

    /// Reopens the form for records that were not written because somebody changed them: shows
    /// their current values with the typed input. Does nothing when something else is open or no
    /// draft for them is kept.
    pub(super) fn reopen(&mut self, overtaken: &[ReversibleWrite], cx: &mut Context) {
        if self.is_open() || cx.ui.has_open_question() {
            return;
        }
        let ids: Vec<Uuid> = overtaken
            .iter()
            .filter_map(|change| change.forward.record_id())
            .collect();
        let has_all = |draft: &&AnnotationDraft| {
            ids.iter()
                .all(|id| draft.rows.iter().any(|(known, _)| known == id))
        };
        let Some(draft) = self.drafts.iter().rev().find(has_all).cloned() else {
            return;
        };
        let rows = draft
            .rows
            .iter()
            .filter(|(id, _)| ids.contains(id))
            .cloned()
            .collect();
        self.open(draft.kind.clone(), rows, None, cx);
        let Some(form) = &mut self.form else { return };
        form.draft = Some(draft);
        self.apply_offered_draft(cx);
        let Some(form) = &mut self.form else { return };
        form.is_editing_note = false;
        let touched = form.inputs.touched_fields();
        for row in &mut form.records {
            let seen = overtaken
                .iter()
                .find(|change| change.forward.record_id() == Some(row.id))
                .and_then(|change| match &change.back {
                    Some(WriteOp::Annotate(_, _, seen)) => Some(annotation_values(seen)),
                    _ => None,
                });
            let seen = seen.unwrap_or_default();
            let saw = |field: AnnotationField| {
                seen.iter()
                    .find(|(seen, _)| *seen == field)
                    .map_or(&[][..], |(_, value)| value.as_slice())
            };
            row.left_book = row.base.in_book() == Some(false);
            row.changed_fields = touched
                .iter()
                .copied()
                .filter(|field| {
                    row.base
                        .value(*field)
                        .is_some_and(|now| !field.values_equal(now, saw(*field)))
                })
                .collect();
        }
        self.report_changes(cx);
    }

    fn send(&mut self, cx: &mut Context) {
        let Some(form) = &self.form else { return };
        let changes = form.write_changes();
        if changes.is_empty() {
            cx.ui.warn("nothing to change");
            return;
        }
        let words = form.change_summary(changes.len());
        // The form shows how many records change, so no question is needed unless the window has no
        // room for that line.
        if changes.len() < BULK_THRESHOLD || shows_change_count(cx, form, self.area) {
            return self.write(words, changes, cx);
        }
        let records = pluralize(changes.len(), form.kind.singular_name());
        let saving = changes
            .iter()
            .filter(|change| matches!(change.back, Some(WriteOp::Forget(..))))
            .count();
        let (changing, all) = (
            format_count(changes.len() as u64),
            format_count(form.records.len() as u64),
        );
        let mut scope = format!(
            "{changing} of {all} change: {}.",
            form.changed_fields_summary()
        );
        if saving > 0 {
            scope.push_str(&format!(
                " {} not in the book yet: will be saved.",
                format_count(saving as u64)
            ));
        }
        match form.write_price() {
            Price::Free => {}
            price => scope.push_str(&format!(" Each is read again first:{}.", price.suffix())),
        }
        scope.push_str(" This applies to the whole team.");
        let write = AnnotationAction::Write(words, changes).into();
        cx.ui
            .confirm_change(&format!("write to {records}"), scope, write);
    }

    /// Writes the form's changes and closes it. The draft is kept until the write is confirmed.
    pub(super) fn write(
        &mut self,
        description: String,
        changes: Vec<ReversibleWrite>,
        cx: &mut Context,
    ) {
        self.save_draft(cx);
        self.last_applied = self
            .form
            .take()
            .map(|form| form.inputs.to_saved_for_others());
        cx.write_changes(description, changes);
    }
}

pub(super) fn is_reading(cx: &Context) -> bool {
    cx.work.requests().is_slot_open(&Slot::AnnotationForm)
}

//! Read before write for annotations: the baseline that the user saw, the values that were found
//! and written, and the question when somebody changed the record in between.
//!
//! Never here: how the two are compared, which is [`crate::domain::annotate`].

use serde_json::{Map, Value as Json};

use crate::app::Context;
use crate::app::action::Action;
use crate::app::annotation_cache::{
    AnnotationField, AnnotationValue, CachedAnnotation, annotation_from_values, annotation_values,
};
use crate::app::context::saved_lists;
use crate::app::model::known_records::KnownRecords;
use crate::app::model::records::record_name;
use crate::app::outbox::Outbox;
use crate::app::outbox::pending_write::PendingWrite;
use crate::app::outbox::undo_history::StepCause;
use crate::app::panes::annotation_form::messages::AnnotationAction;
use crate::domain::annotate::{AnnotationBaseline, CheckedAnnotation};
use crate::domain::batch::BatchItemResult;
use crate::domain::records::Record;
use crate::domain::writes::{ReversibleWrite, WriteOp};

impl Context {
    /// Caches what was read of a record right before its write, whether or not it was then written.
    pub(super) fn cache_checked_record(
        &mut self,
        change: &ReversibleWrite,
        item: &BatchItemResult,
    ) {
        let (WriteOp::Annotate(record_kind, id, _), Some(checked)) =
            (&change.forward, &item.checked)
        else {
            return;
        };
        let now = self.clock.service_now();
        match &checked.before {
            None => self.cache_annotation(record_kind, *id, CachedAnnotation::not_in_book(now)),
            Some(before) => {
                self.work.record_spend(Some(1));
                let fields = before.fields();
                self.outbox.keep_record_name(*id, record_name(&fields));
                let found: Map<String, Json> = fields
                    .iter()
                    .map(|(name, value)| (name.clone(), value.clone()))
                    .collect();
                self.records.update_record(record_kind, *id, &found);
                saved_lists::update_saved_rows(*id, found.into(), &mut self.work);
                self.cache_annotation(
                    record_kind,
                    *id,
                    CachedAnnotation::from_fields(&fields, Some(true), now),
                );
            }
        }
    }

    /// Shows what was not written because somebody changed the record meanwhile: in the annotation
    /// form, or as a question whether to undo or redo anyway.
    pub(super) fn resolve_write_conflicts(
        &mut self,
        write: &PendingWrite,
        changed: &[ReversibleWrite],
    ) {
        if changed.is_empty() {
            return;
        }
        if write.cause() == StepCause::New {
            return self
                .work
                .perform(AnnotationAction::Reopen(changed.to_vec()));
        }
        let over = self.overwrite_conflicts(
            changed
                .iter()
                .filter_map(|change| Some((change.back.as_ref()?, &change.forward))),
        );
        if !over.is_empty() && !self.ui.is_typing() {
            let step = Box::new(write.unapplied_step().first_direction(write.cause()));
            self.confirm_overwrite(
                over,
                if write.cause() == StepCause::Undo {
                    Action::Undo(step)
                } else {
                    Action::Redo(step)
                },
            );
        }
    }
}

/// The values that the user saw of a record. `None` skips the comparison: for a record that is
/// only saved to the book, and for one that the service does not return, once the user was
/// told.
pub(in crate::app) fn seen_values(
    change: &ReversibleWrite,
    cause: StepCause,
    records: &KnownRecords,
    outbox: &Outbox,
) -> Option<AnnotationBaseline> {
    let WriteOp::Annotate(record_kind, id, wanted) = &change.forward else {
        return None;
    };
    if wanted.is_empty() || outbox.is_unreadable_record(*id) {
        return None;
    }
    let known = records.cached_annotation(record_kind, *id);
    let (in_book, mut fields) = match &change.back {
        Some(WriteOp::Forget(..)) => (
            Some(false),
            annotation_values(&annotation_from_values(
                AnnotationField::ALL.map(|field| (field, AnnotationValue::new())),
            )),
        ),
        Some(WriteOp::Annotate(_, _, seen)) => {
            let seen = annotation_values(seen);
            // Only a record of the book has values to be seen.
            let has_value = seen.iter().any(|(_, value)| !value.is_empty());
            let in_book = known.in_book().or(has_value.then_some(true));
            (in_book, seen)
        }
        _ => (known.in_book(), Vec::new()),
    };
    // Undo and redo compare with the newest known value: where it differs from what the step
    // left, the user has confirmed that already.
    for (field, _) in annotation_values(wanted)
        .into_iter()
        .filter(|_| cause != StepCause::New)
    {
        if let Some(now) = known.value(field) {
            fields.retain(|(seen, _)| *seen != field);
            fields.push((field, now.clone()));
        }
    }
    Some(AnnotationBaseline {
        in_book,
        fields: annotation_from_values(fields),
    })
}

/// The change as it was actually written, with the values found right before it as its undo.
pub(super) fn change_as_written(
    change: ReversibleWrite,
    checked: Option<&CheckedAnnotation>,
) -> ReversibleWrite {
    let (WriteOp::Annotate(record_kind, id, _), Some(CheckedAnnotation { before, written })) =
        (&change.forward, checked)
    else {
        return change;
    };
    let before = before.as_ref().map(Record::fields);
    ReversibleWrite::annotate_record(record_kind, *id, before.as_ref(), written.clone())
}

//! Annotations around the read that each of them begins with: what was seen of a record, what was found and written, and what is asked
//! when somebody changed the record in between.
//!
//! Never here: how the two are compared, which is [`crate::domain::annotate`].

use chrono::DateTime;
use serde_json::{Map, Value as Json};
use uuid::Uuid;

use super::App;
use super::acts::Wish;
use super::effect::RecordKey;
use super::intent::Intent;
use super::known::{Field, Known, Value, annotation, values};
use super::panes::record::name_of;
use super::writes::{ReversibleWrite, WriteOp};
use crate::domain::annotate::{AnnotationBaseline, CheckedAnnotation};
use crate::domain::batch::BatchItemResult;
use crate::domain::book::RecordKind;
use crate::domain::search::RecordSource;

impl App {
    /// What was seen of a record that is annotated. Nothing has to have been seen to save it as it is, and a record that the service
    /// does not show is written all the same once that was said.
    pub(super) fn seen_of(&self, change: &ReversibleWrite, wish: Wish) -> Option<AnnotationBaseline> {
        let WriteOp::Annotate(shelf, id, wanted) = &change.forward else { return None };
        if wanted.is_empty() || self.unreadable.contains(id) {
            return None;
        }
        let known = self.known(shelf, *id);
        let (in_book, mut fields) = match &change.back {
            Some(WriteOp::Forget(..)) => (Some(false), values(&annotation(Field::ALL.map(|field| (field, Value::new()))))),
            Some(WriteOp::Annotate(_, _, seen)) => (known.in_book(), values(seen)),
            _ => (known.in_book(), Vec::new()),
        };
        // A step is turned over what is known to stand there now: where that is another value than the step left, it was asked about.
        for (field, _) in values(wanted).into_iter().filter(|_| wish != Wish::Act) {
            if let Some(now) = known.value(field) {
                fields.retain(|(seen, _)| *seen != field);
                fields.push((field, now.clone()));
            }
        }
        Some(AnnotationBaseline { in_book, fields: annotation(fields) })
    }

    /// Takes in what was read of a record right before it was written, or was not.
    pub(super) fn hear_checked(&mut self, change: &ReversibleWrite, item: &BatchItemResult) {
        let (WriteOp::Annotate(shelf, id, _), Some(checked)) = (&change.forward, &item.checked) else { return };
        let now = self.service_now();
        match &checked.before {
            None => self.hear(shelf, *id, Known::outside(now)),
            Some(before) => {
                self.spent(Some(1));
                let fields = before.fields();
                self.record_names.insert(*id, name_of(&fields));
                self.change_record(shelf, *id, &fields.iter().map(|(name, value)| (name.clone(), value.clone())).collect());
                self.hear(shelf, *id, Known::of(&fields, Some(true), now));
            }
        }
    }

    /// Shows what was not written, as somebody changed the record meanwhile: in the sheet, or as a question whether to turn the step.
    pub(super) fn ask_about_changed(&mut self, wish: Wish, changed: &[ReversibleWrite]) {
        if changed.is_empty() {
            return;
        }
        if wish == Wish::Act {
            self.reopen_sheet(changed);
            return;
        }
        let over = self.overridden(changed.iter().filter_map(|change| Some((change.back.as_ref()?, &change.forward))));
        let steps = if wish == Wish::Undo { &self.journal.done } else { &self.journal.undone };
        if let Some(step) = steps.last().cloned().map(Box::new).filter(|_| !over.is_empty() && !self.is_typing()) {
            self.ask_over(over, if wish == Wish::Undo { Intent::Undo(step) } else { Intent::Redo(step) });
        }
    }

    /// Changes a record wherever it stands: in the lists that show such fields, and in the pages that were paid for.
    pub(super) fn change_record(&mut self, shelf: &RecordKind, id: Uuid, fields: &Map<String, Json>) {
        let dataset = shelf.into();
        for list in
            self.lists_mut().filter(|list| list.source.dataset() == dataset && !matches!(list.source, RecordSource::Index(_)))
        {
            list.change(id, |row| {
                let known = row.fields();
                row.with_fields(
                    &fields.iter().filter(|(name, _)| known.contains_field(name)).map(|(n, v)| (n.clone(), v.clone())).collect(),
                )
            });
        }
        if let Some(paid) = self.pages.get_mut(&RecordKey::for_book(shelf, id)) {
            paid.change(fields);
        }
    }
}

/// A change as it was written, with what stood there right before as its way back.
pub(super) fn as_written(change: ReversibleWrite, checked: Option<&CheckedAnnotation>) -> ReversibleWrite {
    let (WriteOp::Annotate(shelf, id, _), Some(CheckedAnnotation { before, written })) = (&change.forward, checked) else {
        return change;
    };
    let forward = WriteOp::Annotate(shelf.clone(), *id, written.clone());
    let back = match before {
        None => WriteOp::Forget(shelf.clone(), *id),
        Some(before) => {
            let stood = Known::of(&before.fields(), Some(true), DateTime::default());
            let fields = values(written).into_iter().filter_map(|(field, _)| Some((field, stood.value(field)?.clone())));
            WriteOp::Annotate(shelf.clone(), *id, annotation(fields))
        }
    };
    ReversibleWrite { forward, back: Some(back) }
}

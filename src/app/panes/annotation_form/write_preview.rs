//! What the form makes of each record: what changes, what it was, and what would have to be read first.

use chrono::{DateTime, Duration, Utc};
use uuid::Uuid;

use super::AnnotationForm;
use super::field_inputs::FieldEdit;
use crate::app::annotation_cache::{AnnotationField, AnnotationValue, annotation_from_values};
use crate::app::format::pluralize;
use crate::app::pending_writes::{ReversibleWrite, WriteOp};

/// What is older was perhaps changed by a colleague since.
const MAX_ROW_AGE: Duration = Duration::seconds(10);

/// What becomes of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct WritePreview {
    /// The record.
    pub id: Uuid,
    /// Fields that change: what stood there, where that is known, and what will.
    pub changes: Vec<(AnnotationField, Option<AnnotationValue>, AnnotationValue)>,
    /// Fields whose change depends on what was not read: what the write begins from, and what it makes of that.
    pub unknown: Vec<(AnnotationField, AnnotationValue, AnnotationValue)>,
    /// The write puts the record in the book, where that is known.
    pub adds_to_book: Option<bool>,
}

impl WritePreview {
    /// Something is written over what was not read.
    pub fn is_blind(&self) -> bool {
        !self.unknown.is_empty() || self.changes.iter().any(|(_, before, _)| before.is_none())
    }

    /// Something is written.
    pub fn has_changes(&self) -> bool {
        !self.changes.is_empty() || !self.unknown.is_empty()
    }
}

impl AnnotationForm {
    /// What becomes of each record, in their order.
    pub fn write_previews(&self) -> Vec<WritePreview> {
        self.records
            .iter()
            .map(|row| {
                let mut plan = WritePreview {
                    id: row.id,
                    changes: Vec::new(),
                    unknown: Vec::new(),
                    adds_to_book: row.base.in_book().map(|is| !is),
                };
                for field in AnnotationField::ALL {
                    let before = row.base.value(field);
                    match self.inputs.field_edit(field, before) {
                        FieldEdit::Unchanged => {}
                        FieldEdit::Relative { base, value } => plan.unknown.push((field, base, value)),
                        FieldEdit::Replace(after) if before.is_some_and(|before| field.values_equal(before, &after)) => {}
                        FieldEdit::Replace(after) => plan.changes.push((field, before.cloned(), after)),
                    }
                }
                plan
            })
            .collect()
    }

    /// The records whose change depends on what was not read, or else those that were not read just now.
    pub fn stale_records(&self, now: DateTime<Utc>) -> Vec<Uuid> {
        let touched = self.inputs.touched_fields();
        let depends: Vec<Uuid> =
            self.write_previews().into_iter().filter(|plan| !plan.unknown.is_empty()).map(|plan| plan.id).collect();
        if !depends.is_empty() {
            return depends;
        }
        let fields = if touched.is_empty() { AnnotationField::ALL.to_vec() } else { touched };
        let is_old = |id: &Uuid| self.fields_read_at(*id, &fields).is_none_or(|at| now - at > MAX_ROW_AGE);
        self.records.iter().map(|row| row.id).filter(is_old).collect()
    }

    /// When the oldest of these fields of a record was read; none when one was not.
    fn fields_read_at(&self, id: Uuid, fields: &[AnnotationField]) -> Option<DateTime<Utc>> {
        let row = self.records.iter().find(|row| row.id == id)?;
        let of_form = fields.iter().filter(|field| self.inputs.entries().iter().any(|entry| entry.line.field() == **field));
        of_form.map(|field| row.base.observed(*field).map(|told| told.observed_at)).min().flatten()
    }

    /// When the oldest field that the form touches was read, of all records.
    pub fn oldest_read_at(&self) -> Option<DateTime<Utc>> {
        let touched = self.inputs.touched_fields();
        self.records.iter().filter_map(|row| self.fields_read_at(row.id, &touched)).min()
    }

    /// Credits that reading these records takes: those known to be outside the book are asked for in vain, and free.
    pub fn read_price(&self, ids: &[Uuid]) -> usize {
        self.records.iter().filter(|row| ids.contains(&row.id) && row.base.in_book() != Some(false)).count()
    }

    /// The plan as writes, each with what was seen of the record as its way back: a record that was outside leaves the book again.
    /// What was not seen is read right before the write, and is part of the way back from then on.
    pub fn write_changes(&self) -> Vec<ReversibleWrite> {
        let part = |id: Uuid, values: Vec<(AnnotationField, AnnotationValue)>| {
            WriteOp::Annotate(self.kind.clone(), id, annotation_from_values(values))
        };
        self.write_previews()
            .into_iter()
            .filter(WritePreview::has_changes)
            .map(|plan| {
                let seen = plan.changes.iter().filter_map(|(field, before, _)| Some((*field, before.clone()?)));
                let seen: Vec<_> = seen.chain(plan.unknown.iter().map(|(field, base, _)| (*field, base.clone()))).collect();
                let back = match plan.adds_to_book {
                    Some(true) => Some(WriteOp::Forget(self.kind.clone(), plan.id)),
                    _ => (!seen.is_empty()).then(|| part(plan.id, seen)),
                };
                let after =
                    plan.changes.into_iter().chain(plan.unknown.into_iter().map(|(field, _, value)| (field, None, value)));
                let after = after.map(|(field, _, after)| (field, after)).collect();
                ReversibleWrite { forward: part(plan.id, after), back }
            })
            .collect()
    }

    /// Credits that writing takes at most: each record is read right before it.
    pub fn write_price(&self) -> usize {
        let writes: Vec<Uuid> = self.write_previews().iter().filter(|plan| plan.has_changes()).map(|plan| plan.id).collect();
        self.read_price(&writes)
    }

    /// What is written, in words: `tags and note of 20 accounts`.
    pub fn change_summary(&self, records: usize) -> String {
        let of = self.single_record().map_or_else(|| pluralize(records, self.kind.singular_name()), |row| row.name.clone());
        format!("{} of {of}", self.touched_summary())
    }

    /// The fields that are written, in words: `tags and note`.
    pub fn touched_summary(&self) -> String {
        let touched: Vec<&str> = self.inputs.touched_fields().into_iter().map(AnnotationField::title).collect();
        match touched.as_slice() {
            [most @ .., last] if !most.is_empty() => format!("{} and {last}", most.join(", ")),
            fields => fields.concat(),
        }
    }
}

//! The effect of the form on each record: what changes, the previous value, and what should be read
//! first.

use chrono::{DateTime, Duration, Utc};
use uuid::Uuid;

use super::field_inputs::FieldEdit;
use super::{AnnotatedRecord, AnnotationForm};
use crate::app::annotation_cache::{AnnotationField, AnnotationValue, annotation_from_values};
use crate::app::format::pluralize;
use crate::app::price::Price;
use crate::domain::writes::{ReversibleWrite, WriteOp};

/// Older data may have been changed by a colleague since.
const MAX_ROW_AGE: Duration = Duration::seconds(10);

/// The effect on one record.
#[derive(Clone, Debug, PartialEq)]
pub struct WritePreview {
    pub id: Uuid,
    /// Fields that change: the previous value if known, and the new one.
    pub changes: Vec<(AnnotationField, Option<AnnotationValue>, AnnotationValue)>,
    /// Fields whose change depends on an unread value: the assumed base, and the result.
    pub unknown: Vec<(AnnotationField, AnnotationValue, AnnotationValue)>,
    /// Whether the write adds the record to the book; None if unknown.
    pub adds_to_book: Option<bool>,
}

impl WritePreview {
    /// An unread value would be overwritten.
    pub fn overwrites_unread_value(&self) -> bool {
        !self.unknown.is_empty() || self.changes.iter().any(|(_, before, _)| before.is_none())
    }

    fn changes_field(&self, field: AnnotationField) -> bool {
        self.changes.iter().any(|(known, ..)| *known == field)
            || self.unknown.iter().any(|(known, ..)| *known == field)
    }

    pub fn has_changes(&self) -> bool {
        !self.changes.is_empty() || !self.unknown.is_empty()
    }
}

impl AnnotationForm {
    /// The effect on each record, in order.
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
                        FieldEdit::Relative { base, value } => {
                            plan.unknown.push((field, base, value))
                        }
                        FieldEdit::Replace(after)
                            if before.is_some_and(|before| field.values_equal(before, &after)) => {}
                        FieldEdit::Replace(after) => {
                            plan.changes.push((field, before.cloned(), after))
                        }
                    }
                }
                plan
            })
            .collect()
    }

    /// The records whose change depends on unread values; if there are none, those that were not
    /// read recently.
    pub fn stale_records(&self, now: DateTime<Utc>) -> Vec<Uuid> {
        let touched = self.inputs.touched_fields();
        let depends: Vec<Uuid> = self
            .write_previews()
            .into_iter()
            .filter(|plan| !plan.unknown.is_empty())
            .map(|plan| plan.id)
            .collect();
        if !depends.is_empty() {
            return depends;
        }
        let fields = if touched.is_empty() {
            AnnotationField::ALL.to_vec()
        } else {
            touched
        };
        let is_old = |id: &Uuid| {
            self.fields_read_at(*id, &fields)
                .is_none_or(|at| now - at > MAX_ROW_AGE)
        };
        self.records
            .iter()
            .map(|row| row.id)
            .filter(is_old)
            .collect()
    }

    /// When the oldest of these fields of a record was read; None if one never was.
    fn fields_read_at(&self, id: Uuid, fields: &[AnnotationField]) -> Option<DateTime<Utc>> {
        let row = self.records.iter().find(|row| row.id == id)?;
        let of_form = fields.iter().filter(|field| {
            self.inputs
                .entries()
                .iter()
                .any(|entry| entry.line.field() == **field)
        });
        of_form
            .map(|field| row.base.observed(*field).map(|read| read.observed_at))
            .min()
            .flatten()
    }

    /// When the oldest field that the form changes was read, over all records.
    pub fn oldest_read_at(&self) -> Option<DateTime<Utc>> {
        let touched = self.inputs.touched_fields();
        self.records
            .iter()
            .filter_map(|row| self.fields_read_at(row.id, &touched))
            .min()
    }

    /// What reading these records costs. Records outside the book are free: the read finds nothing.
    pub fn read_price(&self, ids: &[Uuid]) -> Price {
        let price = |row: &AnnotatedRecord| match row.base.in_book() {
            Some(true) => Price::Credits(1),
            Some(false) => Price::Free,
            None => Price::AtMost(1),
        };
        self.records
            .iter()
            .filter(|row| ids.contains(&row.id))
            .map(price)
            .sum()
    }

    /// The previews as writes, each with the values seen before as its undo: a record that was
    /// outside the book leaves it again. Unread values are read just before the write and become
    /// part of the undo then.
    pub fn write_changes(&self) -> Vec<ReversibleWrite> {
        let part = |id: Uuid, values: Vec<(AnnotationField, AnnotationValue)>| {
            WriteOp::Annotate(self.kind.clone(), id, annotation_from_values(values))
        };
        self.write_previews()
            .into_iter()
            .filter(WritePreview::has_changes)
            .map(|plan| {
                let seen = plan
                    .changes
                    .iter()
                    .filter_map(|(field, before, _)| Some((*field, before.clone()?)));
                let seen: Vec<_> = seen
                    .chain(
                        plan.unknown
                            .iter()
                            .map(|(field, base, _)| (*field, base.clone())),
                    )
                    .collect();
                let back = match plan.adds_to_book {
                    Some(true) => Some(WriteOp::Forget(self.kind.clone(), plan.id)),
                    _ => (!seen.is_empty()).then(|| part(plan.id, seen)),
                };
                let after = plan.changes.into_iter().chain(
                    plan.unknown
                        .into_iter()
                        .map(|(field, _, value)| (field, None, value)),
                );
                let after = after.map(|(field, _, after)| (field, after)).collect();
                ReversibleWrite {
                    forward: part(plan.id, after),
                    back,
                }
            })
            .collect()
    }

    /// What writing costs: each record is read just before.
    pub fn write_price(&self) -> Price {
        let writes: Vec<Uuid> = self
            .write_previews()
            .iter()
            .filter(|plan| plan.has_changes())
            .map(|plan| plan.id)
            .collect();
        self.read_price(&writes)
    }

    /// A summary for the user: `tags and note of 20 accounts`.
    pub fn change_summary(&self, records: usize) -> String {
        let of = self.single_record().map_or_else(
            || pluralize(records, self.kind.singular_name()),
            |row| row.name.clone(),
        );
        format!("{} of {of}", self.changed_fields_summary())
    }

    /// The fields that change on any record: `tags and note`.
    pub fn changed_fields_summary(&self) -> String {
        let plans = self.write_previews();
        let is_changed =
            |field: &AnnotationField| plans.iter().any(|plan| plan.changes_field(*field));
        let changed: Vec<&str> = AnnotationField::ALL
            .into_iter()
            .filter(is_changed)
            .map(AnnotationField::title)
            .collect();
        match changed.as_slice() {
            [most @ .., last] if !most.is_empty() => format!("{} and {last}", most.join(", ")),
            fields => fields.concat(),
        }
    }
}

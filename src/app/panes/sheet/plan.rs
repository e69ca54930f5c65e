//! What the form makes of each record: what changes, what it was, and what would have to be read first.

use chrono::{DateTime, Duration, Utc};
use uuid::Uuid;

use super::Sheet;
use super::form::Wish;
use crate::app::format::plural;
use crate::app::known::{Field, Value, annotation};
use crate::app::writes::{Change, Part};

/// What is older was perhaps changed by a colleague since.
const FRESH: Duration = Duration::seconds(10);

/// What becomes of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The record.
    pub id: Uuid,
    /// Fields that change: what stood there, where that is known, and what will.
    pub changes: Vec<(Field, Option<Value>, Value)>,
    /// Fields whose change depends on what was not read.
    pub unknown: Vec<Field>,
    /// The write puts the record in the book, where that is known.
    pub saves: Option<bool>,
}

impl Sheet {
    /// What becomes of each record, in their order.
    pub fn plan(&self) -> Vec<Plan> {
        self.rows
            .iter()
            .map(|row| {
                let mut plan =
                    Plan { id: row.id, changes: Vec::new(), unknown: Vec::new(), saves: row.known.in_book().map(|is| !is) };
                for field in Field::ALL {
                    let before = row.known.value(field);
                    match self.form.wish(field, before) {
                        Wish::Keep => {}
                        Wish::Unknown => plan.unknown.push(field),
                        Wish::Becomes(after) if before.is_some_and(|before| field.same(before, &after)) => {}
                        Wish::Becomes(after) => plan.changes.push((field, before.cloned(), after)),
                    }
                }
                plan
            })
            .collect()
    }

    /// The records that would have to be read: those whose change depends on it, or else those that were not read just now.
    pub fn unread(&self, now: DateTime<Utc>) -> Vec<Uuid> {
        let touched = self.form.touched();
        let depends: Vec<Uuid> = self.plan().into_iter().filter(|plan| !plan.unknown.is_empty()).map(|plan| plan.id).collect();
        if !depends.is_empty() {
            return depends;
        }
        let fields = if touched.is_empty() { Field::ALL.to_vec() } else { touched };
        let is_old = |id: &Uuid| self.read_at(*id, &fields).is_none_or(|at| now - at > FRESH);
        self.rows.iter().map(|row| row.id).filter(is_old).collect()
    }

    /// When the oldest of these fields of a record was read; none when one was not.
    fn read_at(&self, id: Uuid, fields: &[Field]) -> Option<DateTime<Utc>> {
        let row = self.rows.iter().find(|row| row.id == id)?;
        let of_form = fields.iter().filter(|field| self.form.entries().iter().any(|entry| entry.line.field() == **field));
        of_form.map(|field| row.known.told(*field).map(|told| told.at)).min().flatten()
    }

    /// When the oldest field that the form touches was read, of all records.
    pub fn oldest(&self) -> Option<DateTime<Utc>> {
        let touched = self.form.touched();
        self.rows.iter().filter_map(|row| self.read_at(row.id, &touched)).min()
    }

    /// Credits that reading these records takes: those known to be outside the book are asked for in vain, and free.
    pub fn price(&self, ids: &[Uuid]) -> usize {
        self.rows.iter().filter(|row| ids.contains(&row.id) && row.known.in_book() != Some(false)).count()
    }

    /// The plan as writes, each with its way back: a record that was outside leaves the book again; what was not read stays.
    pub fn changes(&self) -> Vec<Change> {
        let part = |id: Uuid, values: Vec<(Field, Value)>| Part::Annotate(self.shelf.clone(), id, annotation(values));
        self.plan()
            .into_iter()
            .filter(|plan| !plan.changes.is_empty())
            .map(|plan| {
                let before: Option<Vec<(Field, Value)>> =
                    plan.changes.iter().map(|(field, before, _)| Some((*field, before.clone()?))).collect();
                let back = match (plan.saves, before) {
                    (Some(true), _) => Some(Part::Forget(self.shelf.clone(), plan.id)),
                    (_, Some(before)) => Some(part(plan.id, before)),
                    (_, None) => None,
                };
                let after = plan.changes.into_iter().map(|(field, _, after)| (field, after)).collect();
                Change { forward: part(plan.id, after), back }
            })
            .collect()
    }

    /// What is written, in words: `tags and note of 20 accounts`.
    pub fn words(&self, records: usize) -> String {
        let touched: Vec<&str> = self.form.touched().into_iter().map(Field::title).collect();
        let fields = match touched.as_slice() {
            [most @ .., last] if !most.is_empty() => format!("{} and {last}", most.join(", ")),
            fields => fields.concat(),
        };
        let of = self.only().map_or_else(|| plural(records, self.shelf.one()), |row| row.name.clone());
        format!("{fields} of {of}")
    }
}

//! Undo and redo of annotations that a colleague has changed since: tags keep both sides' changes, of the rest it is said what would
//! be written over.
//!
//! Told from memory alone, for nothing: what was read again since the step, by a refresh or a page.

use crate::app::App;
use crate::app::effect::RecordKey;
use crate::app::format::words;
use crate::app::known::{Field, Value, values};
use crate::app::panes::record::name_of;
use crate::app::writes::{ReversibleWrite, WriteOp};
use crate::domain::book::RecordKind;
use crate::domain::merge;
use uuid::Uuid;

/// Fields that are named one by one.
const NAMED: usize = 5;

impl App {
    /// The change that takes this one back, as the record is now.
    pub(in crate::app) fn turned(&self, change: ReversibleWrite) -> Option<ReversibleWrite> {
        let back = self.kept(change.back?, &change.forward);
        Some(ReversibleWrite { forward: back, back: Some(change.forward) })
    }

    /// The change that does this one again, as the record is now.
    pub(in crate::app) fn again(&self, change: ReversibleWrite) -> ReversibleWrite {
        match &change.back {
            Some(back) => ReversibleWrite { forward: self.kept(change.forward.clone(), back), ..change },
            None => change,
        }
    }

    /// A part that is written where `before` was, with the tags that others have put on or taken off since.
    fn kept(&self, part: WriteOp, before: &WriteOp) -> WriteOp {
        if let WriteOp::Skill(order) = part {
            // Done anew, not once more: under a key of its own.
            let key = uuid::Uuid::new_v5(&order.key, self.now.to_rfc3339().as_bytes());
            return WriteOp::Skill(crate::domain::skills::SkillCall { key, ..order });
        }
        let (WriteOp::Annotate(shelf, id, annotation), WriteOp::Annotate(_, _, base)) = (&part, before) else { return part };
        let (Some(mine), Some(base)) = (&annotation.tags, &base.tags) else { return part };
        let known = self.known(shelf, *id);
        let Some(theirs) = known.value(Field::Tags) else { return part };
        let mut annotation = annotation.clone();
        annotation.tags = Some(merge::merge_sets(base, theirs, mine));
        WriteOp::Annotate(shelf.clone(), *id, annotation)
    }

    /// What these writes would write over that is not as the step left it; empty when nothing is known to be.
    pub(in crate::app) fn overridden<'a>(&self, writes: impl Iterator<Item = (&'a WriteOp, &'a WriteOp)>) -> Vec<String> {
        let mut all = Vec::new();
        for (left, part) in writes {
            let (shelf, id, left) = match left {
                WriteOp::Annotate(shelf, id, left) => (shelf, id, values(left)),
                WriteOp::Forget(shelf, id) => (shelf, id, Field::ALL.map(|field| (field, Value::new())).into()),
                other => {
                    all.extend(self.subscription_since(other, part));
                    all.extend(self.role_since(other));
                    continue;
                }
            };
            let known = self.known(shelf, *id);
            let of = |values: &[(Field, Value)], field: Field| {
                values.iter().find(|(f, _)| *f == field).map(|(_, value)| value.clone())
            };
            let says = |field: Field, now: &Value, then: String| {
                format!("{}: {} is {}, {then}", self.name_of_record(shelf, *id), field.title(), said(now))
            };
            match part {
                WriteOp::Annotate(_, _, next) => {
                    for (field, next) in values(next).into_iter().filter(|(field, _)| *field != Field::Tags) {
                        let (Some(now), Some(left)) = (known.value(field), of(&left, field)) else { continue };
                        if !field.same(now, &left) && !field.same(now, &next) {
                            all.push(says(field, now, format!("would become {}", said(&next))));
                        }
                    }
                }
                WriteOp::Forget(..) => {
                    for field in Field::ALL {
                        let Some(now) = known.value(field) else { continue };
                        if !field.same(now, &of(&left, field).unwrap_or_default()) {
                            all.push(says(field, now, "would be lost".to_owned()));
                        }
                    }
                }
                _ => {}
            }
        }
        if all.len() > NAMED {
            let more = all.len() - NAMED;
            all.truncate(NAMED);
            all.push(format!("and {more} more"));
        }
        all
    }

    fn name_of_record(&self, shelf: &RecordKind, id: Uuid) -> String {
        let row = self.lists().filter(|list| list.source.record_kind().as_ref() == Some(shelf)).find_map(|list| list.row(id));
        let page = self.page(&RecordKey::for_book(shelf, id)).map(|paid| &paid.record);
        let read = || self.record_names.get(&id).cloned().unwrap_or_else(|| format!("the {}", shelf.singular_name()));
        row.or(page).map_or_else(read, |row| name_of(&row.fields()))
    }
}

fn said(value: &Value) -> String {
    if value.is_empty() { "empty".to_owned() } else { words(&value.join(", ")) }
}

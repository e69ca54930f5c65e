//! Undo and redo of annotations that a colleague has changed since: tags keep both sides' changes;
//! for other fields, the user is asked before they are overwritten.
//!
//! Decided from memory only, for free: from what was read again since the step, by a refresh or a
//! page.

use uuid::Uuid;

use crate::app::Context;
use crate::app::annotation_cache::{AnnotationField, AnnotationValue, annotation_values};
use crate::app::context::clock::Clock;
use crate::app::effect::RecordKey;
use crate::app::format::humanize;
use crate::app::model::known_records::KnownRecords;
use crate::app::model::records::record_name;
use crate::app::model::views::Views;
use crate::app::outbox::Outbox;
use crate::domain::book::RecordKind;
use crate::domain::merge;
use crate::domain::writes::{ReversibleWrite, WriteOp};

/// More conflicts than this are only counted.
const MAX_CONFLICTS_LISTED: usize = 5;

impl Context {
    /// What these writes would overwrite that is no longer as the step left it; empty when nothing
    /// is known to differ.
    pub(in crate::app::context) fn overwrite_conflicts<'a>(
        &self,
        writes: impl Iterator<Item = (&'a WriteOp, &'a WriteOp)>,
    ) -> Vec<String> {
        let mut all = Vec::new();
        for (left, part) in writes {
            let (record_kind, id, left) = match left {
                WriteOp::Annotate(record_kind, id, left) => {
                    (record_kind, id, annotation_values(left))
                }
                WriteOp::Forget(record_kind, id) => (
                    record_kind,
                    id,
                    AnnotationField::ALL
                        .map(|field| (field, AnnotationValue::new()))
                        .into(),
                ),
                other => {
                    all.extend(self.subscriptions.conflict(other, part));
                    all.extend(self.team.role_conflict(other));
                    all.extend(view_conflict(other, &self.views));
                    continue;
                }
            };
            let known = self.records.cached_annotation(record_kind, *id);
            let of = |values: &[(AnnotationField, AnnotationValue)], field: AnnotationField| {
                values
                    .iter()
                    .find(|(f, _)| *f == field)
                    .map(|(_, value)| value.clone())
            };
            let says = |field: AnnotationField, now: &AnnotationValue, then: String| {
                format!(
                    "{}: {} is {}, {then}",
                    record_display_name(record_kind, *id, &self.records, &self.outbox),
                    field.title(),
                    format_value(now)
                )
            };
            match part {
                WriteOp::Annotate(_, _, next) => {
                    for (field, next) in annotation_values(next)
                        .into_iter()
                        .filter(|(field, _)| *field != AnnotationField::Tags)
                    {
                        let (Some(now), Some(left)) = (known.value(field), of(&left, field)) else {
                            continue;
                        };
                        if !field.values_equal(now, &left) && !field.values_equal(now, &next) {
                            all.push(says(
                                field,
                                now,
                                format!("would become {}", format_value(&next)),
                            ));
                        }
                    }
                }
                WriteOp::Forget(..) => {
                    for field in AnnotationField::ALL {
                        let Some(now) = known.value(field) else {
                            continue;
                        };
                        if !field.values_equal(now, &of(&left, field).unwrap_or_default()) {
                            all.push(says(field, now, "would be lost".to_owned()));
                        }
                    }
                }
                _ => {}
            }
        }
        if all.len() > MAX_CONFLICTS_LISTED {
            let more = all.len() - MAX_CONFLICTS_LISTED;
            all.truncate(MAX_CONFLICTS_LISTED);
            all.push(format!("and {more} more"));
        }
        all
    }
}

/// The change that undoes this one, given the record's current tags.
pub(super) fn inverse_change(
    change: ReversibleWrite,
    clock: &Clock,
    records: &KnownRecords,
) -> Option<ReversibleWrite> {
    let back = merge_concurrent_tags(change.back?, &change.forward, clock, records);
    Some(ReversibleWrite {
        forward: back,
        back: Some(change.forward),
    })
}

/// The change that redoes this one, given the record's current tags.
pub(super) fn rebased_change(
    change: ReversibleWrite,
    clock: &Clock,
    records: &KnownRecords,
) -> ReversibleWrite {
    match &change.back {
        Some(back) => ReversibleWrite {
            forward: merge_concurrent_tags(change.forward.clone(), back, clock, records),
            ..change
        },
        None => change,
    }
}

/// Keeps the tags that others have added or removed since `before`.
fn merge_concurrent_tags(
    part: WriteOp,
    before: &WriteOp,
    clock: &Clock,
    records: &KnownRecords,
) -> WriteOp {
    if let WriteOp::Skill(order) = part {
        // A new call with its own key: the service would ignore a repetition of the old one.
        let key = uuid::Uuid::new_v5(&order.key, clock.now.to_rfc3339().as_bytes());
        return WriteOp::Skill(crate::domain::skills::SkillCall { key, ..order });
    }
    let (WriteOp::Annotate(record_kind, id, annotation), WriteOp::Annotate(_, _, base)) =
        (&part, before)
    else {
        return part;
    };
    let (Some(mine), Some(base)) = (&annotation.tags, &base.tags) else {
        return part;
    };
    let known = records.cached_annotation(record_kind, *id);
    let Some(theirs) = known.value(AnnotationField::Tags) else {
        return part;
    };
    let mut annotation = annotation.clone();
    annotation.tags = Some(merge::merge_sets(base, theirs, mine));
    WriteOp::Annotate(record_kind.clone(), *id, annotation)
}

/// What somebody changed of a View since it was written; as of the last time that the Views
/// were read.
fn view_conflict(left: &WriteOp, views: &Views) -> Option<String> {
    let WriteOp::SaveView(draft) = left else {
        return None;
    };
    let view = views.get(draft.view_id?)?;
    if draft
        .name
        .as_ref()
        .is_some_and(|name| *name != view.title())
    {
        return Some(format!("The View {} was renamed", view.title()));
    }
    let is_changed = draft.definition.is_some() && draft.definition != view.definition;
    is_changed.then(|| format!("The definition of {} was changed", view.title()))
}

fn format_value(value: &AnnotationValue) -> String {
    if value.is_empty() {
        "empty".to_owned()
    } else {
        humanize(&value.join(", "))
    }
}

pub(in crate::app::context) fn record_display_name(
    record_kind: &RecordKind,
    id: Uuid,
    records: &KnownRecords,
    outbox: &Outbox,
) -> String {
    let row = records
        .lists
        .of_kind(record_kind)
        .find_map(|list| list.row(id));
    let page = records
        .fetched
        .get(&RecordKey::for_book(record_kind, id))
        .map(|paid| &paid.record);
    let read = || {
        outbox.record_name(id).map_or_else(
            || format!("the {}", record_kind.singular_name()),
            str::to_owned,
        )
    };
    row.or(page)
        .map_or_else(read, |row| record_name(&row.fields()))
}

//! Merges what lists, pages, reads and own writes know of a record's annotation. The rule is in
//! [`crate::app::annotation_cache`].

use crate::app::context::AnnotationCache;
use uuid::Uuid;

use crate::app::Context;
use crate::app::annotation_cache::{AnnotationField, CachedAnnotation, annotation_from_values};
use crate::app::change::Change;
use crate::app::context::record_lists;
use crate::app::effect::RecordKey;
use crate::app::format::humanize;
use crate::app::msg::{CallResult, RecordReply, payload};
use crate::domain::annotate::AnnotationAddition;
use crate::domain::book::{Annotation, Dataset, RecordKind};
use crate::domain::search::RecordSource;
use crate::domain::writes::{ReversibleWrite, WriteOp};

impl Context {
    /// Merges what lists, fetched pages and the cache know of a record.
    pub fn cached_annotation(&self, record_kind: &RecordKind, id: Uuid) -> CachedAnnotation {
        let key = RecordKey::for_book(record_kind, id);
        let mut known = CachedAnnotation::default();
        for list in self.record_lists.of_kind(record_kind) {
            let (Some(row), Some(at)) = (list.row(id), list.read_at) else {
                continue;
            };
            let fields = row.fields();
            known.merge(match list.source {
                RecordSource::Index(_) => continue,
                RecordSource::View(..) if fields.is_outside_book() => {
                    CachedAnnotation::not_in_book(at)
                }
                RecordSource::View(..) | RecordSource::Book(_) => {
                    CachedAnnotation::from_fields(&fields, Some(true), at)
                }
            });
        }
        if let Some(paid) = self.records.get(&key) {
            known.merge(CachedAnnotation::from_fields(
                &paid.fields,
                Some(true),
                paid.read_at,
            ));
        }
        if let Some(observed) = self.annotation_cache.get(&key) {
            known.merge(observed.clone());
        }
        known
    }

    /// That a record is in the book, and what the team wrote about it, as far as it was read. Reads
    /// nothing.
    pub fn team_words(&self, dataset: &Dataset, id: Uuid) -> Option<String> {
        if *dataset == Dataset::Signals {
            return None;
        }
        let known = self.cached_annotation(&dataset.as_str().into(), id);
        if !known
            .in_book()
            .unwrap_or_else(|| self.queue.facts.is_in_book(id))
        {
            return None;
        }
        let fields = AnnotationField::ALL.into_iter().filter_map(|field| {
            let words: Vec<String> = known
                .value(field)?
                .iter()
                .filter(|word| !word.trim().is_empty())
                .map(|word| {
                    if field == AnnotationField::Tier {
                        humanize(word)
                    } else {
                        word.clone()
                    }
                })
                .collect();
            (!words.is_empty()).then(|| words.join(", "))
        });
        Some(
            std::iter::once("in book".to_owned())
                .chain(fields)
                .collect::<Vec<_>>()
                .join(", "),
        )
    }

    /// Whether a record has all that would be added, as far as lists, pages and the steps that can
    /// be undone tell.
    pub(in crate::app) fn has_annotation(
        &self,
        kind: &RecordKind,
        id: Uuid,
        addition: &AnnotationAddition,
    ) -> bool {
        let changes = self
            .outbox
            .history
            .done
            .iter()
            .flat_map(|step| step.changes());
        let mut written = changes.filter_map(|change| match &change.forward {
            WriteOp::Annotate(of, record, annotation) if (of, *record) == (kind, id) => {
                Some(annotation)
            }
            _ => None,
        });
        self.cached_annotation(kind, id).includes(addition)
            || written.any(|annotation| {
                CachedAnnotation::from_annotation(annotation, self.clock.now).includes(addition)
            })
    }

    /// The change that adds to the annotation of a record, compared with what is known of it. Tags
    /// and a note that were not read are added to, whatever they are; a status that was not read is
    /// not overwritten.
    pub(in crate::app) fn addition_change(
        &self,
        kind: &RecordKind,
        id: Uuid,
        addition: &AnnotationAddition,
    ) -> ReversibleWrite {
        let known = self.cached_annotation(kind, id);
        let value = |field| known.value(field).cloned();
        let (mut after, mut seen) = (Vec::new(), Vec::new());
        if let Some(status) = &addition.status {
            after.push((AnnotationField::Status, vec![status.clone()]));
            seen.extend(
                value(AnnotationField::Status).map(|before| (AnnotationField::Status, before)),
            );
        }
        if !addition.tags.is_empty() {
            let before = value(AnnotationField::Tags).unwrap_or_default();
            let new = addition.tags.iter().filter(|tag| !before.contains(tag));
            after.push((
                AnnotationField::Tags,
                before.iter().chain(new).cloned().collect(),
            ));
            seen.push((AnnotationField::Tags, before));
        }
        if let Some(line) = &addition.note {
            let before = value(AnnotationField::Notes)
                .map(|note| note.join("\n"))
                .unwrap_or_default();
            let texts = [before.trim_end(), line.as_str()];
            let note = texts
                .into_iter()
                .filter(|text| !text.is_empty())
                .collect::<Vec<_>>()
                .join("\n");
            after.push((AnnotationField::Notes, vec![note]));
            seen.push((
                AnnotationField::Notes,
                Some(before)
                    .filter(|text| !text.is_empty())
                    .into_iter()
                    .collect(),
            ));
        }
        let annotate = |values| WriteOp::Annotate(kind.clone(), id, annotation_from_values(values));
        let back = match known.in_book() {
            Some(false) => WriteOp::Forget(kind.clone(), id),
            _ => annotate(seen),
        };
        ReversibleWrite {
            forward: annotate(after),
            back: Some(back),
        }
    }

    /// Remembers what a write or a read reported about a record.
    pub fn cache_annotation(
        &mut self,
        record_kind: &RecordKind,
        id: Uuid,
        known: CachedAnnotation,
    ) {
        if let Some(is_in_book) = known.in_book() {
            let tier = known
                .value(AnnotationField::Tier)
                .map(|tier| tier.first().cloned());
            self.queue.facts.set_in_book(id, is_in_book, tier);
            record_lists::on_facts_changed(&mut self.queue, &self.record_lists);
        }
        if let Some(tags) = known.value(AnnotationField::Tags) {
            let tags = tags.iter().map(String::as_str);
            self.queue.facts.learn_tags(id, tags);
            record_lists::on_facts_changed(&mut self.queue, &self.record_lists);
        }
        if let Some(note) = known.observed(AnnotationField::Notes) {
            let (text, at) = (note.value.join("\n"), note.observed_at);
            self.note_promises(record_kind, id, None, text, at);
        }
        self.annotation_cache
            .entry(RecordKey::for_book(record_kind, id))
            .or_default()
            .merge(known);
    }

    /// Remembers a record that was read from the book, and returns its annotation. A record that is
    /// not there has none.
    pub(in crate::app) fn store_annotated_record(
        &mut self,
        record_kind: &RecordKind,
        id: Uuid,
        result: CallResult,
    ) -> CallResult<CachedAnnotation> {
        let now = self.clock.service_now();
        let known = match payload::<RecordReply>(result) {
            Ok((record, _, credits)) => {
                let known = CachedAnnotation::from_fields(&record.fields(), Some(true), now);
                let key = RecordKey::for_book(record_kind, id);
                self.store_fetched_record(key.clone(), record, credits, None);
                self.work.publish(Change::RecordRead(key));
                known
            }
            Err(failure) if failure.status() == Some(404) => CachedAnnotation::not_in_book(now),
            Err(failure) => return Err(failure),
        };
        self.cache_annotation(record_kind, id, known.clone());
        Ok(known)
    }

    /// The annotation as it was read, complete enough to restore it; `None` when it was never read.
    pub fn restorable_annotation(&self, record_kind: &RecordKind, id: Uuid) -> Option<Annotation> {
        let known = self.cached_annotation(record_kind, id);
        known.observed(AnnotationField::Tags)?;
        let written = AnnotationField::ALL
            .into_iter()
            .filter_map(|field| Some((field, known.value(field)?.clone())));
        Some(annotation_from_values(
            written.filter(|(_, value)| !value.is_empty()),
        ))
    }
}

/// What is known of single records of a kind, besides lists.
pub fn cached_annotations<'a>(
    kind: &RecordKind,
    annotation_cache: &'a AnnotationCache,
) -> impl Iterator<Item = &'a CachedAnnotation> {
    let dataset = RecordKey::for_book(kind, Uuid::nil()).dataset;
    let all = annotation_cache.iter();
    all.filter(move |(key, _)| key.dataset == dataset)
        .map(|(_, known)| known)
}

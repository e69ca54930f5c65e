//! Merges what lists, pages, reads and own writes know of a record's annotation. The rule is in
//! [`crate::app::annotation_cache`].

use uuid::Uuid;

use crate::app::Context;
use crate::app::annotation_cache::{AnnotationCache, AnnotationField, CachedAnnotation};
use crate::app::change::Change;
use crate::app::context::record_lists;
use crate::app::effect::RecordKey;
use crate::app::msg::{CallResult, RecordReply, payload};
use crate::domain::annotate::AnnotationAddition;
use crate::domain::book::RecordKind;
use crate::domain::writes::WriteOp;

impl Context {
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
        self.records.cached_annotation(kind, id).includes(addition)
            || written.any(|annotation| {
                CachedAnnotation::from_annotation(annotation, self.clock.now).includes(addition)
            })
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
            record_lists::on_facts_changed(&mut self.queue, &self.records.lists);
        }
        if let Some(tags) = known.value(AnnotationField::Tags) {
            let tags = tags.iter().map(String::as_str);
            self.queue.facts.learn_tags(id, tags);
            record_lists::on_facts_changed(&mut self.queue, &self.records.lists);
        }
        if let Some(note) = known.observed(AnnotationField::Notes) {
            let (text, at) = (note.value.join("\n"), note.observed_at);
            self.note_promises(record_kind, id, None, text, at);
        }
        self.records
            .annotations
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

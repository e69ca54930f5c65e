//! Merges what lists, pages, reads and own writes know of a record's annotation. The rule is in [`crate::app::annotation_cache`].

use uuid::Uuid;

use crate::app::Context;
use crate::app::annotation_cache::{AnnotationField, CachedAnnotation, annotation_from_values};
use crate::app::effect::RecordKey;
use crate::app::msg::{RecordReply, Reply, payload};
use crate::domain::book::{Annotation, RecordKind};
use crate::domain::request_error::RequestError;
use crate::domain::search::RecordSource;

impl Context {
    /// Merges what lists, fetched pages and the cache know of a record.
    pub fn cached_annotation(&self, record_kind: &RecordKind, id: Uuid) -> CachedAnnotation {
        let key = RecordKey::for_book(record_kind, id);
        let mut known = CachedAnnotation::default();
        for list in self.record_lists.of_kind(record_kind) {
            let (Some(row), Some(at)) = (list.row(id), list.read_at) else { continue };
            let fields = row.fields();
            known.merge(match list.source {
                RecordSource::Index(_) => continue,
                RecordSource::View(..) if fields.is_outside_book() => CachedAnnotation::not_in_book(at),
                RecordSource::View(..) | RecordSource::Book(_) => CachedAnnotation::from_fields(&fields, Some(true), at),
            });
        }
        if let Some(paid) = self.records.get(&key) {
            known.merge(CachedAnnotation::from_fields(&paid.fields, Some(true), paid.read_at));
        }
        if let Some(observed) = self.annotation_cache.get(&key) {
            known.merge(observed.clone());
        }
        known
    }

    /// Remembers what a write or a read reported about a record.
    pub fn cache_annotation(&mut self, record_kind: &RecordKind, id: Uuid, known: CachedAnnotation) {
        if let Some(is_in_book) = known.in_book() {
            let tier = known.value(AnnotationField::Tier).map(|tier| tier.first().cloned());
            self.queue.facts.set_in_book(id, is_in_book, tier);
            self.on_facts_changed();
        }
        self.annotation_cache.entry(RecordKey::for_book(record_kind, id)).or_default().merge(known);
    }

    /// Remembers a record that was read from the book, and returns its annotation. A record that is not there has none.
    pub(in crate::app) fn store_annotated_record(
        &mut self,
        record_kind: &RecordKind,
        id: Uuid,
        result: Result<Reply, RequestError>,
    ) -> Result<CachedAnnotation, RequestError> {
        let now = self.service_now();
        let known = match payload::<RecordReply>(result) {
            Ok((record, _, credits)) => {
                let known = CachedAnnotation::from_fields(&record.fields(), Some(true), now);
                self.store_fetched_record(RecordKey::for_book(record_kind, id), record, credits, None);
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
        let written = AnnotationField::ALL.into_iter().filter_map(|field| Some((field, known.value(field)?.clone())));
        Some(annotation_from_values(written.filter(|(_, value)| !value.is_empty())))
    }
}

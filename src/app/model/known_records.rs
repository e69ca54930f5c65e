//! What was read about accounts, contacts, projects and signals: lists, single records, and what
//! own writes and reads reported about annotations. The rule for merging them is in
//! [`crate::app::annotation_cache`].

use serde_json::{Map, Value as Json};
use uuid::Uuid;

use crate::app::annotation_cache::{
    AnnotationCache, AnnotationField, CachedAnnotation, annotation_from_values,
};
use crate::app::effect::{ListId, RecordKey};
use crate::app::format::humanize;
use crate::app::model::queue::SignalQueue;
use crate::app::model::record_lists::RecordLists;
use crate::app::model::records::FetchedRecords;
use crate::app::selection::{Focus, Subject};
use crate::domain::annotate::AnnotationAddition;
use crate::domain::book::{Annotation, Dataset, RecordKind};
use crate::domain::records::Record;
use crate::domain::search::RecordSource;
use crate::domain::writes::{ReversibleWrite, WriteOp};

#[derive(Default)]
pub struct KnownRecords {
    pub lists: RecordLists,
    pub fetched: FetchedRecords,
    pub annotations: AnnotationCache,
}

impl KnownRecords {
    /// Merges what lists, fetched pages and the cache know of a record.
    pub fn cached_annotation(&self, record_kind: &RecordKind, id: Uuid) -> CachedAnnotation {
        let key = RecordKey::for_book(record_kind, id);
        let mut known = CachedAnnotation::default();
        for list in self.lists.of_kind(record_kind) {
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
        if let Some(paid) = self.fetched.get(&key) {
            known.merge(CachedAnnotation::from_fields(
                &paid.fields,
                Some(true),
                paid.read_at,
            ));
        }
        if let Some(observed) = self.annotations.get(&key) {
            known.merge(observed.clone());
        }
        known
    }

    /// That a record is in the book, and what the team wrote about it, as far as it was read. Reads
    /// nothing.
    pub fn team_words(&self, dataset: &Dataset, id: Uuid, queue: &SignalQueue) -> Option<String> {
        if *dataset == Dataset::Signals {
            return None;
        }
        let known = self.cached_annotation(&dataset.as_str().into(), id);
        if !known
            .in_book()
            .unwrap_or_else(|| queue.facts.is_in_book(id))
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

    /// Whether a record is known to be in the book.
    pub(in crate::app) fn is_known_in_book(&self, kind: &RecordKind, id: Uuid) -> Option<bool> {
        self.cached_annotation(kind, id).in_book()
    }

    /// The record under the cursor, or the open one.
    pub(in crate::app) fn current_record(&self, focus: &Focus) -> Option<&Record> {
        match &focus.subject {
            Subject::Record(key, _) => self.fetched.get(key).map(|paid| &paid.record),
            Subject::Signal(_) => None,
            Subject::None => self.lists.shown_list(focus.list.as_ref())?.current_record(),
        }
    }

    /// The route of a record with the most fields: the book's if it is known to be in it.
    pub fn preferred_key(&self, key: RecordKey) -> RecordKey {
        let in_book = RecordKey {
            in_book: true,
            ..key.clone()
        };
        let book = ListId::Book(key.dataset.as_str().into());
        let mut listed = self.lists.get(&book).into_iter();
        if self.fetched.get(&in_book).is_some() || listed.any(|list| list.row(key.id).is_some()) {
            in_book
        } else {
            key
        }
    }

    /// Updates a record in the lists that show the fields, and in cached pages.
    pub fn update_record(&mut self, kind: &RecordKind, id: Uuid, fields: &Map<String, Json>) {
        let dataset = kind.into();
        let lists = self.lists.of_dataset_mut(&dataset);
        for list in lists.filter(|list| !matches!(list.source, RecordSource::Index(_))) {
            list.update_record(id, |row| {
                let known = row.fields();
                let shown = fields
                    .iter()
                    .filter(|(name, _)| known.contains_field(name))
                    .map(|(name, value)| (name.clone(), value.clone()));
                row.with_fields(&shown.collect())
            });
        }
        self.fetched
            .merge_fields(&RecordKey::for_book(kind, id), fields);
    }
}

//! All lists of records: of Views, of the book and of Explore's runs. Rows, marks and cursor of a
//! list stay together.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::app::effect::ListId;
use crate::app::model::record_list::{LocalAnswer, RecordList, RowCount};
use crate::domain::book::{Dataset, RecordKind};
use crate::domain::records::RecordFields;
use crate::domain::runs::SavedSearch;
use crate::domain::search::{MAX_REPORTED_TOTAL, RecordSource, Search};
use crate::domain::views::View;

#[derive(Clone, Debug)]
pub struct RecordLists {
    by_id: BTreeMap<ListId, RecordList>,
    /// The searches whose rows are saved on this machine; `None` until that is known.
    saved: Option<Vec<SavedSearch>>,
}

impl Default for RecordLists {
    /// The lists of the book, unread.
    fn default() -> Self {
        let list = |kind: &RecordKind| {
            (
                ListId::Book(kind.clone()),
                RecordList::new(RecordSource::Book(kind.clone())),
            )
        };
        RecordLists {
            by_id: RecordKind::ALL.iter().map(list).collect(),
            saved: None,
        }
    }
}

impl RecordLists {
    pub fn get(&self, id: &ListId) -> Option<&RecordList> {
        self.by_id.get(id)
    }

    /// The list that has the focus, if one has.
    pub fn shown_list(&self, focused: Option<&ListId>) -> Option<&RecordList> {
        self.by_id.get(focused?)
    }

    pub fn shown_list_mut(&mut self, focused: Option<&ListId>) -> Option<&mut RecordList> {
        self.by_id.get_mut(focused?)
    }

    pub fn get_mut(&mut self, id: &ListId) -> Option<&mut RecordList> {
        self.by_id.get_mut(id)
    }

    /// Takes the searches whose rows earlier sessions saved.
    pub fn set_saved_searches(&mut self, saved: Vec<SavedSearch>) {
        self.saved = Some(saved);
    }

    /// The rows of a search were saved, or are no longer saved.
    pub fn set_saved(
        &mut self,
        source: &RecordSource,
        search: &Search,
        read_at: Option<DateTime<Utc>>,
    ) {
        let Some(saved) = &mut self.saved else { return };
        saved.retain(|saved| (&saved.source, &saved.search) != (source, search));
        saved.extend(read_at.map(|read_at| SavedSearch {
            source: source.clone(),
            search: search.clone(),
            read_at,
        }));
    }

    /// When the rows of a search that are saved on this machine were read.
    pub fn saved_read_at(&self, source: &RecordSource, search: &Search) -> Option<DateTime<Utc>> {
        let mut saved = self.saved.iter().flatten();
        saved
            .find(|saved| (&saved.source, &saved.search) == (source, search))
            .map(|saved| saved.read_at)
    }

    /// Whether the rows of a search may be saved: they are, or it is not known yet. Searches of the
    /// index are restored as runs.
    pub fn may_be_saved(&self, source: &RecordSource, search: &Search) -> bool {
        let is_run = matches!(source, RecordSource::Index(_));
        !is_run && (self.saved.is_none() || self.saved_read_at(source, search).is_some())
    }

    /// When the rows of a list's search were read that are shown without reading them again.
    pub fn known_read_at(&self, list: &RecordList, search: &Search) -> Option<DateTime<Utc>> {
        list.cached_read_at(search)
            .or_else(|| self.saved_read_at(&list.source, search))
    }

    /// What the rows of a complete list of this source say to a search.
    pub fn local_answer(&self, source: &RecordSource, search: &Search) -> Option<LocalAnswer> {
        let of_source = self.values().filter(|list| list.source == *source);
        of_source
            .filter_map(|list| list.local_answer(search))
            .max_by_key(|answer| answer.read_at)
    }

    /// Explore's newest run of a search.
    pub fn find_run(
        &self,
        source: &RecordSource,
        search: &Search,
    ) -> Option<(&ListId, &RecordList)> {
        let mut newest_first = self.by_id.iter().rev();
        newest_first.find(|(id, list)| {
            matches!(id, ListId::Explore(_)) && list.matches_search(source, search)
        })
    }

    /// Adds an unread list unless there is one.
    pub fn insert_if_missing(&mut self, id: ListId, source: RecordSource) {
        self.by_id
            .entry(id)
            .or_insert_with(|| RecordList::new(source));
    }

    pub fn insert(&mut self, id: ListId, list: RecordList) {
        self.by_id.insert(id, list);
    }

    pub fn remove(&mut self, id: &ListId) {
        self.by_id.remove(id);
    }

    pub fn retain(&mut self, mut keeps: impl FnMut(&ListId) -> bool) {
        self.by_id.retain(|id, _| keeps(id));
    }

    pub fn iter(&self) -> impl Iterator<Item = (&ListId, &RecordList)> {
        self.by_id.iter()
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&ListId, &mut RecordList)> {
        self.by_id.iter_mut()
    }

    pub fn values(&self) -> impl Iterator<Item = &RecordList> {
        self.by_id.values()
    }

    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut RecordList> {
        self.by_id.values_mut()
    }

    /// The known number of records of a View: from its run, or else as the View reports it.
    pub fn count_of_view(&self, view: &View) -> Option<RowCount> {
        let counted = self
            .get(&ListId::View(view.id))
            .and_then(|list| list.unfiltered_total);
        // A Dynamic View is counted like a search.
        let is_capped = |total| !view.is_static() && total == MAX_REPORTED_TOTAL;
        counted.or_else(|| {
            view.records_count.map(|total| RowCount {
                total,
                is_capped: is_capped(total),
            })
        })
    }

    /// The lists of records that can be saved as this kind.
    pub fn of_kind(&self, kind: &RecordKind) -> impl Iterator<Item = &RecordList> {
        self.values()
            .filter(move |list| list.source.record_kind().as_ref() == Some(kind))
    }

    pub fn of_dataset(&self, dataset: &Dataset) -> impl Iterator<Item = &RecordList> {
        self.values()
            .filter(move |list| list.source.dataset() == *dataset)
    }

    pub fn of_dataset_mut(&mut self, dataset: &Dataset) -> impl Iterator<Item = &mut RecordList> {
        self.values_mut()
            .filter(move |list| list.source.dataset() == *dataset)
    }

    /// The fields of a record in the rows read after a time, the oldest first.
    pub fn newer_rows(
        &self,
        dataset: &Dataset,
        id: Uuid,
        than: DateTime<Utc>,
    ) -> Vec<RecordFields> {
        let newer = self.of_dataset(dataset).filter_map(|list| {
            let read_at = list.read_at.filter(|at| *at > than)?;
            Some((read_at, list.row(id)?.fields()))
        });
        let mut newer: Vec<(DateTime<Utc>, RecordFields)> = newer.collect();
        newer.sort_by_key(|(at, _)| *at);
        newer.into_iter().map(|(_, fields)| fields).collect()
    }
}

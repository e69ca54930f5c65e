//! A record's page: its facts, the workspace's annotations, and the related records, each of which opens the next page.
//!
//! One pane for accounts, contacts and projects. A page is one get with everything that it can embed, for a credit; it is cached
//! while the program runs, so that going back or returning costs nothing.

pub(crate) mod commands;
pub(crate) mod details;
pub(crate) mod draw;
pub(crate) mod layout;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use crate::app::effect::{Effect, ListId, RecordKey, ServiceCall, Slot};
use crate::app::msg::{RecordReply, Reply, payload};
use crate::app::records::LoadState;
use crate::app::requests::Request;
use crate::app::{App, Screen};
use crate::domain::ProjectId;
use crate::domain::book::{Dataset, RecordKind};
use crate::domain::projects::ProjectDetails;
use crate::domain::records::{Record, RecordFields};
use crate::domain::request_error::{RequestError, RequestErrorKind};
use crate::ui::scroll::ScrollState;

#[derive(Clone, Debug)]
pub struct FetchedRecord {
    /// The record with its related records.
    pub record: Record,
    /// Its fields, parsed once because a page draws them on every frame.
    pub fields: RecordFields,
    /// Related records by include.
    related: BTreeMap<&'static str, Vec<Record>>,
    /// The record as a project; None for other kinds.
    pub project_details: Option<ProjectDetails>,
    pub read_at: DateTime<Utc>,
    pub credits: Option<u64>,
}

impl FetchedRecord {
    fn new(record: Record, dataset: &Dataset, read_at: DateTime<Utc>, credits: Option<u64>) -> Self {
        let fields = record.fields();
        let around = dataset.available_includes().iter().map(|include| (*include, fields.embedded_records(include))).collect();
        let dossier = (*dataset == Dataset::Projects).then(|| serde_json::from_str(record.json()).ok()).flatten();
        FetchedRecord { record, fields, related: around, project_details: dossier, read_at, credits }
    }

    pub fn related(&self, include: &str) -> &[Record] {
        self.related.get(include).map_or(&[], Vec::as_slice)
    }

    /// Updates the fields it has from a newer row.
    fn update_fields(&mut self, newer: &RecordFields) {
        self.record = self.record.with_refreshed_fields(newer);
        self.fields = self.record.fields();
    }

    /// Merges fields of a newer response.
    pub fn merge_fields(&mut self, newer: &Map<String, Value>) {
        self.record = self.record.with_fields(newer);
        self.fields = self.record.fields();
    }
}

#[derive(Clone, Copy, Debug)]
pub struct FetchedProject<'a> {
    /// The project with its related records.
    pub project_details: &'a ProjectDetails,
    pub read_at: DateTime<Utc>,
    pub credits: Option<u64>,
}

/// An open page and the position in it.
#[derive(Clone, Debug)]
pub struct RecordPage {
    pub key: RecordKey,
    /// Its name, from the row that it was opened from.
    pub name: String,
    /// The tab: facts, related records or payload.
    pub tab: usize,
    /// The related records have the focus.
    pub related_focused: bool,
    /// The cursor in the related records.
    pub related_scroll: ScrollState,
    /// The first visible line of the text.
    pub top: usize,
}

/// The open pages, from the first to the one on the screen.
#[derive(Clone, Debug, Default)]
pub struct PageStack {
    pub pages: Vec<RecordPage>,
    /// The screen that the first page was opened from.
    pub opened_from: Option<Screen>,
}

impl PageStack {
    pub fn page(&self) -> Option<&RecordPage> {
        self.pages.last()
    }

    pub fn page_mut(&mut self) -> Option<&mut RecordPage> {
        self.pages.last_mut()
    }
}

impl RecordPage {
    pub fn tabs(&self) -> Vec<&'static str> {
        let includes = self.key.dataset.available_includes().iter().copied();
        ["facts"].into_iter().chain(includes).chain(["raw"]).collect()
    }

    /// The include that the current tab lists; None for facts and payload.
    pub fn current_include(&self) -> Option<&'static str> {
        self.tab.checked_sub(1).and_then(|at| self.key.dataset.available_includes().get(at)).copied()
    }
}

/// The dataset of an include's records.
pub fn embedded_dataset(include: &str) -> Dataset {
    let plural = if include.ends_with('s') { include.to_owned() } else { format!("{include}s") };
    plural.as_str().into()
}

impl App {
    pub fn open_record(&mut self) {
        let Some(key) = self.current_record_key() else { return };
        let name = self
            .displayed_list()
            .and_then(|list| list.current_record())
            .map(|row| record_name(&row.fields()))
            .unwrap_or_default();
        self.open_record_page(key, name);
    }

    /// Opens a record's page; a paid record is shown from memory.
    pub fn open_record_page(&mut self, key: RecordKey, name: String) {
        let key = self.preferred_record_key(key);
        if self.screen != Screen::Record {
            self.page_stack = PageStack { pages: Vec::new(), opened_from: Some(self.screen) };
        }
        let page =
            RecordPage { key: key.clone(), name, tab: 0, related_focused: false, related_scroll: ScrollState::default(), top: 0 };
        self.page_stack.pages.push(page);
        self.screen = Screen::Record;
        self.notice = None;
        self.read_record(key, false);
    }

    /// The route with the most fields: the book's if the record is known to be in it.
    fn preferred_record_key(&self, key: RecordKey) -> RecordKey {
        let in_book = RecordKey { in_book: true, ..key.clone() };
        let shelf: RecordKind = key.dataset.as_str().into();
        let is_known = self.cached_records.contains_key(&in_book)
            || self.record_lists.get(&ListId::Book(shelf)).is_some_and(|list| list.row(key.id).is_some());
        if is_known { in_book } else { key }
    }

    /// Goes back one page; from the first one, to the screen it was opened from.
    pub fn leave_record_page(&mut self) {
        self.page_stack.pages.pop();
        self.notice = None;
        if self.page_stack.pages.is_empty() {
            self.screen = self.page_stack.opened_from.take().unwrap_or(Screen::Queue);
            if self.previous_screen == Screen::Record {
                self.previous_screen = Screen::Queue;
            }
        }
    }

    /// Requests a record, unless it is cached and `again` is false.
    pub fn read_record(&mut self, key: RecordKey, again: bool) {
        if !again
            && (self.cached_records.contains_key(&key)
                || self.requests.is_open(|request| matches!(request, Request::Record(asked) if *asked == key)))
        {
            return;
        }
        if self.requests.is_open(|request| matches!(request, Request::Record(_))) {
            self.effects.push(Effect::Cancel(Slot::Record));
        }
        self.page_load = LoadState::Loading;
        self.call_service(Slot::Record, ServiceCall::Record { key: key.clone(), bypass_cache: again }, Request::Record(key));
    }

    /// Takes a record, fresh or stored at an earlier time.
    pub(in crate::app) fn on_record_reply(&mut self, key: RecordKey, result: Result<Reply, RequestError>) {
        match payload::<RecordReply>(result) {
            Ok((record, kept, credits)) => {
                self.page_load = LoadState::Ready;
                self.store_fetched_record(key, record, credits, kept);
                self.point_timeline_at_signal();
            }
            Err(failure) if failure.kind == RequestErrorKind::Cancelled => {
                self.page_load = LoadState::Failed("not read: canceled".to_owned())
            }
            // A record that left the book since its row was read is still in the index.
            Err(failure) if failure.status() == Some(404) && key.in_book => {
                let outside = RecordKey { in_book: false, ..key.clone() };
                if let Some(page) = self.page_stack.page_mut().filter(|page| page.key == key) {
                    page.key = outside.clone();
                }
                self.read_record(outside, false);
            }
            Err(failure) => {
                self.page_load = LoadState::Failed(failure.message.clone());
                // A page without content shows the error itself.
                if self.screen != Screen::Record || self.cached_records.contains_key(&key) {
                    self.show_failure("could not load the record", &failure, "{record.reload} retries");
                }
            }
        }
    }

    /// Caches a record that was read now, or paid for earlier at `kept`.
    pub(in crate::app) fn store_fetched_record(
        &mut self,
        key: RecordKey,
        record: Record,
        credits: Option<u64>,
        kept: Option<DateTime<Utc>>,
    ) {
        let paid = FetchedRecord::new(record, &key.dataset, kept.unwrap_or(self.service_now()), credits);
        if kept.is_none() {
            self.update_rows_from_record(&key, &paid.fields);
            self.record_spend(credits);
        }
        self.cached_records.insert(key.clone(), paid);
        self.update_fetched_record(&key);
    }

    /// Updates the rows of a record that was just read: it is newer than they are.
    fn update_rows_from_record(&mut self, key: &RecordKey, newer: &RecordFields) {
        for list in self.record_lists.of_dataset_mut(&key.dataset) {
            list.update_record(key.id, |row| row.with_refreshed_fields(newer));
        }
    }

    /// Updates a cached record from rows that were read after it.
    fn update_fetched_record(&mut self, key: &RecordKey) {
        let Some(read_at) = self.fetched_record(key).map(|paid| paid.read_at) else { return };
        let of_record = self.record_lists.of_dataset(&key.dataset);
        let newer = of_record.filter_map(|list| Some((list.read_at.filter(|at| *at > read_at)?, list.row(key.id)?.fields())));
        let mut newer: Vec<(DateTime<Utc>, RecordFields)> = newer.collect();
        newer.sort_by_key(|(at, _)| *at);
        if let Some(paid) = self.cached_records.get_mut(key) {
            newer.iter().for_each(|(_, fields)| paid.update_fields(fields));
        }
    }

    /// Rows of a list arrived: updates the cached pages of those records.
    pub(in crate::app) fn update_fetched_records(&mut self, shown: &ListId) {
        let Some(list) = self.record_lists.get(shown) else { return };
        let dataset = list.source.dataset();
        let is_in = |key: &&RecordKey| key.dataset == dataset && list.row(key.id).is_some();
        let keys: Vec<RecordKey> = self.cached_records.keys().filter(is_in).cloned().collect();
        keys.iter().for_each(|key| self.update_fetched_record(key));
    }

    pub fn fetched_record(&self, key: &RecordKey) -> Option<&FetchedRecord> {
        self.cached_records.get(key)
    }

    /// A paid project, from the book or from the index.
    pub fn fetched_project(&self, project: Option<ProjectId>) -> Option<FetchedProject<'_>> {
        let id = project?.0;
        let paid = |in_book| self.fetched_record(&RecordKey { dataset: Dataset::Projects, id, in_book });
        let paid = paid(false).or_else(|| paid(true))?;
        Some(FetchedProject { project_details: paid.project_details.as_ref()?, read_at: paid.read_at, credits: paid.credits })
    }

    /// The related records that the current tab lists.
    pub fn related_records(&self) -> &[Record] {
        let listed = || Some((self.page_stack.page()?.current_include()?, self.fetched_record(&self.page_stack.page()?.key)?));
        listed().map_or(&[], |(include, paid)| paid.related(include))
    }
}

/// The display name of a record.
pub fn record_name(fields: &RecordFields) -> String {
    let name = fields.text("name").or(fields.text("project_name")).filter(|name| !name.trim().is_empty());
    name.unwrap_or("unnamed").to_owned()
}

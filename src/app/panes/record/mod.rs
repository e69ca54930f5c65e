//! A record's page: its facts, what the workspace wrote on it, and the records around it, each of which opens the next page.
//!
//! One pane for accounts, contacts and projects. A page is one get with everything that it can embed, a credit; it is kept for as
//! long as the program runs, so that going back, and coming again, spends nothing.

pub mod commands;
pub mod details;
pub mod draw;
pub mod layout;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use crate::app::effect::{Effect, RecordKey, ServiceCall, Slot};
use crate::app::msg::Token;
use crate::app::panes::records::ListId;
use crate::app::records::LoadState;
use crate::app::{App, Screen};
use crate::domain::ProjectId;
use crate::domain::book::{Dataset, RecordKind};
use crate::domain::projects::ProjectDetails;
use crate::domain::records::{Record, RecordFields};
use crate::domain::request_error::{RequestError, RequestErrorKind};
use crate::ui::scroll::ScrollState;

/// A record that was paid for, and when.
#[derive(Clone, Debug)]
pub struct FetchedRecord {
    /// The record and all that is around it.
    pub record: Record,
    /// Its fields, read once: a page draws them on every frame.
    pub fields: RecordFields,
    /// What is around it, by the name of its include.
    related: BTreeMap<&'static str, Vec<Record>>,
    /// The same, read as a project; none of any other record.
    pub project_details: Option<ProjectDetails>,
    /// When it was read, on the service's clock.
    pub read_at: DateTime<Utc>,
    /// What it cost.
    pub credits: Option<u64>,
}

impl FetchedRecord {
    fn new(record: Record, dataset: &Dataset, read_at: DateTime<Utc>, credits: Option<u64>) -> Self {
        let fields = record.fields();
        let around = dataset.available_includes().iter().map(|include| (*include, fields.embedded_records(include))).collect();
        let dossier = (*dataset == Dataset::Projects).then(|| serde_json::from_str(record.json()).ok()).flatten();
        FetchedRecord { record, fields, related: around, project_details: dossier, read_at, credits }
    }

    /// The records that an include embedded.
    pub fn related(&self, include: &str) -> &[Record] {
        self.related.get(include).map_or(&[], Vec::as_slice)
    }

    /// The fields that it has, as a newer row has them.
    fn update_fields(&mut self, newer: &RecordFields) {
        self.record = self.record.with_refreshed_fields(newer);
        self.fields = self.record.fields();
    }

    /// Some of its fields as a newer answer has them.
    pub fn merge_fields(&mut self, newer: &Map<String, Value>) {
        self.record = self.record.with_fields(newer);
        self.fields = self.record.fields();
    }
}

/// A project that was paid for.
#[derive(Clone, Copy, Debug)]
pub struct FetchedProject<'a> {
    /// The project and all that is around it.
    pub project_details: &'a ProjectDetails,
    /// When it was read, on the service's clock.
    pub read_at: DateTime<Utc>,
    /// What it cost.
    pub credits: Option<u64>,
}

/// A page that is open, and where the person is in it.
#[derive(Clone, Debug)]
pub struct RecordPage {
    /// The record.
    pub key: RecordKey,
    /// Its name, as the row that it was opened from had it.
    pub name: String,
    /// The tab: the facts, what is around the record, the payload.
    pub tab: usize,
    /// The keys move in what is around the record.
    pub related_focused: bool,
    /// The cursor in what is around the record.
    pub related_scroll: ScrollState,
    /// The first line of the text on the screen.
    pub top: usize,
}

/// The pages from the first one that was opened to the one on the screen.
#[derive(Clone, Debug, Default)]
pub struct PageStack {
    /// The pages.
    pub pages: Vec<RecordPage>,
    /// Where the first one was opened from.
    pub opened_from: Option<Screen>,
}

impl PageStack {
    /// The page on the screen.
    pub fn page(&self) -> Option<&RecordPage> {
        self.pages.last()
    }

    /// The page on the screen.
    pub fn page_mut(&mut self) -> Option<&mut RecordPage> {
        self.pages.last_mut()
    }
}

impl RecordPage {
    /// The tabs: facts, a list for each include, the payload.
    pub fn tabs(&self) -> Vec<&'static str> {
        let includes = self.key.dataset.available_includes().iter().copied();
        ["facts"].into_iter().chain(includes).chain(["raw"]).collect()
    }

    /// What the tab on the screen lists; none for facts and payload.
    pub fn current_include(&self) -> Option<&'static str> {
        self.tab.checked_sub(1).and_then(|at| self.key.dataset.available_includes().get(at)).copied()
    }
}

/// The dataset of what an include embeds.
pub fn embedded_dataset(include: &str) -> Dataset {
    let plural = if include.ends_with('s') { include.to_owned() } else { format!("{include}s") };
    plural.as_str().into()
}

impl App {
    /// Opens the record under the cursor of the list on the screen.
    pub fn open_record(&mut self) {
        let Some(key) = self.current_record_key() else { return };
        let name = self
            .displayed_list()
            .and_then(|list| list.current_record())
            .map(|row| record_name(&row.fields()))
            .unwrap_or_default();
        self.open_record_page(key, name);
    }

    /// Opens a record's page; what was paid for is shown from memory.
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

    /// The route that tells most: the book's, where the record is known to be in it.
    fn preferred_record_key(&self, key: RecordKey) -> RecordKey {
        let in_book = RecordKey { in_book: true, ..key.clone() };
        let shelf: RecordKind = key.dataset.as_str().into();
        let is_known =
            self.cached_records.contains_key(&in_book) || self.book.list(&shelf).is_some_and(|list| list.row(key.id).is_some());
        if is_known { in_book } else { key }
    }

    /// Goes a page back; from the first one, to where it was opened.
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

    /// Asks for a record, unless it was paid for already or `again` is wanted.
    pub fn read_record(&mut self, key: RecordKey, again: bool) {
        if !again
            && (self.cached_records.contains_key(&key) || self.page_request.as_ref().is_some_and(|(_, asked)| *asked == key))
        {
            return;
        }
        if self.page_request.is_some() {
            self.effects.push(Effect::Cancel(Slot::Record));
        }
        self.page_load = LoadState::Loading;
        let token = self.call_service(Slot::Record, ServiceCall::Record { key: key.clone(), bypass_cache: again });
        self.page_request = Some((token, key));
    }

    /// Takes a record, read just now or kept since then; false when the reply was not asked for.
    pub fn on_record_reply(
        &mut self,
        token: Token,
        result: Result<(Record, Option<u64>), RequestError>,
        kept: Option<DateTime<Utc>>,
    ) -> bool {
        let Some((_, key)) = self.page_request.take_if(|(asked, _)| *asked == token) else { return false };
        match result {
            Ok((record, credits)) => {
                self.page_load = LoadState::Ready;
                self.store_fetched_record(key, record, credits, kept);
                self.point_timeline_at_signal();
            }
            Err(failure) if failure.kind == RequestErrorKind::Cancelled => {
                self.page_load = LoadState::Failed("not read: cancelled".to_owned())
            }
            // What left the book since its row was read is still in the index.
            Err(failure) if failure.status() == Some(404) && key.in_book => {
                let outside = RecordKey { in_book: false, ..key.clone() };
                if let Some(page) = self.page_stack.page_mut().filter(|page| page.key == key) {
                    page.key = outside.clone();
                }
                self.read_record(outside, false);
            }
            Err(failure) => {
                self.page_load = LoadState::Failed(failure.message.clone());
                // A page that has nothing else to show says it in its own place.
                if self.screen != Screen::Record || self.cached_records.contains_key(&key) {
                    self.show_failure("the record could not be read", &failure, "{record.reload} tries again");
                }
            }
        }
        true
    }

    /// Holds a record that was read now, or paid for earlier at `kept`.
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

    /// A record that was read just now is newer than its rows.
    fn update_rows_from_record(&mut self, key: &RecordKey, newer: &RecordFields) {
        for list in self.record_lists_mut().filter(|list| list.source.dataset() == key.dataset) {
            list.update_record(key.id, |row| row.with_refreshed_fields(newer));
        }
    }

    /// Rows that were read after a page are newer than it.
    fn update_fetched_record(&mut self, key: &RecordKey) {
        let Some(read_at) = self.fetched_record(key).map(|paid| paid.read_at) else { return };
        let of_record = self.record_lists().filter(|list| list.source.dataset() == key.dataset);
        let newer = of_record.filter_map(|list| Some((list.read_at.filter(|at| *at > read_at)?, list.row(key.id)?.fields())));
        let mut newer: Vec<(DateTime<Utc>, RecordFields)> = newer.collect();
        newer.sort_by_key(|(at, _)| *at);
        if let Some(paid) = self.cached_records.get_mut(key) {
            newer.iter().for_each(|(_, fields)| paid.update_fields(fields));
        }
    }

    /// Rows of a list came: the pages of those records have what is newer in them.
    pub(in crate::app) fn update_fetched_records(&mut self, shown: &ListId) {
        let Some(list) = self.record_list(shown) else { return };
        let dataset = list.source.dataset();
        let is_in = |key: &&RecordKey| key.dataset == dataset && list.row(key.id).is_some();
        let keys: Vec<RecordKey> = self.cached_records.keys().filter(is_in).cloned().collect();
        keys.iter().for_each(|key| self.update_fetched_record(key));
    }

    /// A record that was paid for.
    pub fn fetched_record(&self, key: &RecordKey) -> Option<&FetchedRecord> {
        self.cached_records.get(key)
    }

    /// A project that was paid for, from the book or from the index.
    pub fn fetched_project(&self, project: Option<ProjectId>) -> Option<FetchedProject<'_>> {
        let id = project?.0;
        let paid = |in_book| self.fetched_record(&RecordKey { dataset: Dataset::Projects, id, in_book });
        let paid = paid(false).or_else(|| paid(true))?;
        Some(FetchedProject { project_details: paid.project_details.as_ref()?, read_at: paid.read_at, credits: paid.credits })
    }

    /// The records around the one on the screen, as its tab lists them.
    pub fn related_records(&self) -> &[Record] {
        let listed = || Some((self.page_stack.page()?.current_include()?, self.fetched_record(&self.page_stack.page()?.key)?));
        listed().map_or(&[], |(include, paid)| paid.related(include))
    }
}

/// What a record is called.
pub fn record_name(fields: &RecordFields) -> String {
    let name = fields.text("name").or(fields.text("project_name")).filter(|name| !name.trim().is_empty());
    name.unwrap_or("unnamed").to_owned()
}

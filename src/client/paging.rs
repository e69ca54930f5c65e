//! Paged lists, by cursor or by offset as the service has it, prefetching one page.
//!
//! A list ends with its cursor, its total or an empty page. The length of a page means nothing: a
//! service may send fewer rows than requested.

use std::collections::HashSet;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::domain::pages::Page;
use crate::domain::queue::QueueSignal;
use crate::domain::records::Record;
use crate::domain::request_error::RequestError;
use crate::domain::search::SearchPage;
use crate::domain::signals::Signal;

use super::search::{MAX_OFFSET, offset_cursor};
use super::{Client, Request, Response, Rows};

/// Full pages read beyond the reported total: an endless chain of cursors has to stop somewhere.
const MAX_PAGES_BEYOND_TOTAL: u64 = 200;
/// Pages in a row with nothing but rows that have come before, after which a free list is given up.
/// A few are no sign of a service that repeats itself: rows that arrive meanwhile move the others.
const MAX_KNOWN_PAGES: u32 = 3;
/// Empty pages in a row after which a list is given up.
const MAX_EMPTY_PAGES: u32 = 3;

/// A row with an identity, used to drop duplicates.
pub trait Keyed {
    /// The identity of the row; `None` if it has none.
    fn row_key(&self) -> Option<String>;
}

impl Keyed for Box<RawValue> {
    /// The id as written in its JSON.
    fn row_key(&self) -> Option<String> {
        #[derive(Deserialize)]
        struct RowWithId<'a> {
            #[serde(borrow)]
            id: &'a RawValue,
        }
        serde_json::from_str::<RowWithId<'_>>(self.get())
            .ok()
            .map(|named| named.id.get().to_owned())
    }
}

impl Keyed for Record {
    fn row_key(&self) -> Option<String> {
        Some(self.id.to_string())
    }
}

impl Keyed for Signal {
    fn row_key(&self) -> Option<String> {
        Some(self.id.to_string())
    }
}

impl Keyed for QueueSignal {
    fn row_key(&self) -> Option<String> {
        self.signal.row_key()
    }
}

/// Why and where reading a list ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ListEnd {
    /// There are, or may be, more pages.
    #[default]
    MorePages,
    /// The service reported the end.
    Complete,
    /// The service reports more rows but does not send them.
    Withheld,
    /// The service repeats itself: reading on would never end.
    Repeating,
}

/// A position in a list, advanced by each page.
#[derive(Debug)]
struct ListPosition {
    request: Request,
    rows_left: u32,
    page_size: u32,
    rows_received: u64,
    offset: u32,
    cursor: Option<String>,
    seen_cursors: HashSet<String>,
    seen_keys: HashSet<String>,
    empty_pages: u32,
    known_pages: u32,
    first_key: Option<String>,
    end: ListEnd,
    /// It started at a cursor, so the number of rows before it is unknown.
    started_at_cursor: bool,
}

impl ListPosition {
    fn new(request: Request, rows: u32, page: u32) -> ListPosition {
        let body = request.body.as_ref();
        let offset = body
            .and_then(|body| body.get("offset")?.as_u64())
            .and_then(|offset| u32::try_from(offset).ok());
        let is_within = body.is_some_and(|body| body.get("search_after").is_some());
        let offset = offset.unwrap_or_default();
        ListPosition {
            request,
            rows_left: rows,
            page_size: page,
            rows_received: u64::from(offset),
            offset,
            cursor: None,
            seen_cursors: HashSet::new(),
            seen_keys: HashSet::new(),
            empty_pages: 0,
            known_pages: 0,
            first_key: None,
            end: ListEnd::MorePages,
            started_at_cursor: is_within,
        }
    }

    fn is_search(&self) -> bool {
        self.request.body.is_some()
    }

    /// The request for the next page, if there is one.
    fn next_request(&self) -> Option<Request> {
        let limit = self.rows_left.min(self.page_size);
        if self.end != ListEnd::MorePages || limit == 0 {
            return None;
        }
        let mut request = self.request.clone();
        match &mut request.body {
            Some(body) => {
                set_field(body, "limit", json!(limit));
                match &self.cursor {
                    Some(cursor) => {
                        set_field(body, "search_after", json!(cursor));
                        body.as_object_mut().and_then(|body| body.remove("offset"));
                    }
                    None if self.offset > 0 => set_field(body, "offset", json!(self.offset)),
                    None => {}
                }
            }
            None => request = request.page(self.offset, limit),
        }
        Some(request)
    }

    /// The cursor of the next page, for resuming a search later.
    fn resume_cursor(&self) -> Option<String> {
        if self.end != ListEnd::MorePages {
            return None;
        }
        self.cursor
            .clone()
            .or_else(|| (self.is_search() && self.offset > 0).then(|| offset_cursor(self.offset)))
    }

    /// Records a page and removes the rows that have come before.
    fn record_page<T: Keyed>(&mut self, rows: &mut Rows<T>) {
        let asked = self.rows_left.min(self.page_size);
        let came = saturating_u32(rows.rows.len() + rows.unreadable);
        let first = rows.rows.first().and_then(Keyed::row_key);
        rows.rows
            .retain(|row| row.row_key().is_none_or(|key| self.seen_keys.insert(key)));
        let fresh = saturating_u32(rows.rows.len() + rows.unreadable);
        self.rows_left = self.rows_left.saturating_sub(came);
        self.rows_received += u64::from(came);
        self.offset = self.offset.saturating_add(came);
        self.empty_pages = if came == 0 { self.empty_pages + 1 } else { 0 };
        if self.empty_pages > 1 {
            // The service advanced by this many rows even if it sent fewer.
            self.offset = self.offset.saturating_add(asked);
        }
        self.known_pages = if came > 0 && fresh == 0 {
            self.known_pages + 1
        } else {
            0
        };
        // Whoever pays for rows, or gets the start of the list again, does not wait for more.
        let starts_over = first.is_some() && first == self.first_key;
        let is_repetition = self.known_pages > 0
            && (self.is_search() || starts_over || self.known_pages >= MAX_KNOWN_PAGES);
        self.first_key = self.first_key.take().or(first);
        self.cursor.clone_from(&rows.search_after);
        let total = rows.total.filter(|_| !rows.total_is_capped);
        let goes_on = match &self.cursor {
            Some(_) => true,
            None if self.started_at_cursor => false,
            None => total.map_or(came > 0 && !rows.reports_end, |total| {
                self.rows_received < total
            }),
        };
        let is_known = self
            .cursor
            .as_ref()
            .is_some_and(|cursor| !self.seen_cursors.insert(cursor.clone()));
        self.end = match () {
            () if !goes_on => ListEnd::Complete,
            () if is_known || is_repetition => ListEnd::Repeating,
            () if self.empty_pages >= MAX_EMPTY_PAGES
                || (self.cursor.is_none() && self.is_search() && self.offset > MAX_OFFSET) =>
            {
                ListEnd::Withheld
            }
            () => ListEnd::MorePages,
        };
        // A capped total marks no end: such a list is read as long as there are cursors.
        if !rows.total_is_capped
            && self.rows_received
                >= rows.total.unwrap_or_default()
                    + MAX_PAGES_BEYOND_TOTAL * u64::from(self.page_size)
        {
            self.rows_left = 0;
        }
    }
}

fn saturating_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// Reads a list page by page. Searches use cursors, `/signals` and `/signals/queue` offsets.
///
/// While one page is in use the next is prefetched, never more than one; dropping the pager cancels
/// that request.
#[derive(Debug)]
pub struct Pager<T> {
    client: Client,
    position: ListPosition,
    prefetch: JoinSet<Result<Response<Rows<T>>, RequestError>>,
}

impl<T: DeserializeOwned + Keyed + Send + 'static> Pager<T> {
    /// Up to `rows` rows of a list, at most `page` per response. A search costs 1 credit per row.
    pub fn new(client: &Client, request: Request, rows: u32, page: u32) -> Pager<T> {
        Pager {
            client: client.clone(),
            position: ListPosition::new(request, rows, page),
            prefetch: JoinSet::new(),
        }
    }

    /// No further page follows.
    pub fn is_finished(&self) -> bool {
        self.position.end != ListEnd::MorePages
    }

    /// Nothing is left to read; false if the list has more rows than were requested.
    pub fn is_complete(&self) -> bool {
        self.position.end == ListEnd::Complete
    }

    /// The service reports more rows but did not send them; reading stopped there.
    pub fn is_withheld(&self) -> bool {
        self.position.end == ListEnd::Withheld
    }

    /// The service sent the same rows or the same cursor twice; reading stopped there.
    pub fn is_repeating(&self) -> bool {
        self.position.end == ListEnd::Repeating
    }

    /// How many more rows are wanted.
    pub fn rows_left(&self) -> u32 {
        self.position.rows_left
    }

    /// The cursor after the pages read so far, for resuming the search; `None` after the last page.
    pub fn resume_cursor(&self) -> Option<String> {
        self.position.resume_cursor()
    }

    /// The next page, without the rows that came before. `None` after the last page, after the
    /// requested number of rows, and when the service repeats itself.
    ///
    /// # Errors
    /// As [`Client::fetch_rows`]; the same page can be requested again.
    pub async fn next(&mut self) -> Result<Option<Response<Rows<T>>>, RequestError> {
        if self.prefetch.is_empty() {
            self.prefetch_next();
        }
        let Some(answer) = self.prefetch.join_next().await else {
            return Ok(None);
        };
        let mut answer = answer.unwrap_or_else(|_| {
            Err(RequestError::new_ambiguous(
                "internal error while reading a page",
            ))
        })?;
        self.position.record_page(&mut answer.value);
        self.prefetch_next();
        Ok(Some(answer))
    }

    /// Requests the next page, if there is one.
    fn prefetch_next(&mut self) {
        if let Some(request) = self.position.next_request() {
            let client = self.client.clone();
            self.prefetch
                .spawn(async move { client.fetch_rows(request).await });
        }
    }
}

impl Client {
    /// A window of a list paged by offset: the requested number of rows, however many the service
    /// sends per page.
    ///
    /// # Errors
    /// As [`Client::fetch_rows`]. If some rows were read before the failure, those are returned.
    pub(super) async fn fetch_window<T: DeserializeOwned + Keyed + Send>(
        &self,
        request: Request,
        offset: u32,
        limit: u32,
    ) -> Result<Response<Page<T>>, RequestError> {
        let mut place = ListPosition {
            offset,
            rows_received: u64::from(offset),
            ..ListPosition::new(request, limit, limit)
        };
        let mut window: Option<Response<Rows<T>>> = None;
        while let Some(request) = place.next_request() {
            let mut answer = match (self.fetch_rows(request).await, &window) {
                (Ok(answer), _) => answer,
                (Err(_), Some(_)) => break,
                (Err(failure), None) => return Err(failure),
            };
            place.record_page(&mut answer.value);
            if let Some(mut before) = window {
                before.value.rows.append(&mut answer.value.rows);
                answer.value = Rows {
                    rows: before.value.rows,
                    unreadable: before.value.unreadable + answer.value.unreadable,
                    ..answer.value
                };
                answer.credits = before
                    .credits
                    .zip(answer.credits)
                    .map(|(before, now)| before.saturating_add(now));
            }
            window = Some(answer);
        }
        let window =
            window.ok_or_else(|| RequestError::new_not_sent("zero rows were requested"))?;
        let next_offset = (place.end == ListEnd::MorePages).then_some(place.offset);
        Ok(window.map(|rows| Page {
            offset,
            next_offset,
            ..rows.into()
        }))
    }

    /// One page of a search and the cursor of the next. An empty page with a cursor is skipped.
    pub async fn search_page(
        &self,
        request: Request,
        limit: u32,
    ) -> Result<Response<SearchPage>, RequestError> {
        let mut place = ListPosition::new(request, limit, limit);
        let mut spent = Some(0);
        loop {
            let Some(request) = place.next_request() else {
                return Err(RequestError::new_not_sent("zero rows were requested"));
            };
            let mut answer = self.fetch_rows::<Record>(request).await?;
            place.record_page(&mut answer.value);
            spent = spent.and_then(|spent| Some(u64::saturating_add(spent, answer.credits?)));
            if answer.value.rows.is_empty()
                && answer.value.unreadable == 0
                && place.end == ListEnd::MorePages
            {
                continue;
            }
            let search_after = place.resume_cursor();
            let found = |rows: Rows<Record>| SearchPage {
                rows: rows.rows,
                unreadable: rows.unreadable,
                total: rows.total,
                total_is_capped: rows.total_is_capped,
                search_after,
                credits: spent,
            };
            return Ok(answer.map(found));
        }
    }
}

fn set_field(body: &mut Value, name: &str, value: Value) {
    if let Some(body) = body.as_object_mut() {
        body.insert(name.to_owned(), value);
    }
}

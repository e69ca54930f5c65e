//! Lists of many pages, by cursor or by offset as the service has it, one page ahead of who reads them.
//!
//! A list ends where its cursor, its total or an empty page says so. How long a page is says nothing: a service may send fewer rows
//! than it was asked for.

use std::collections::HashSet;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::domain::failure::RequestError;
use crate::domain::pages::Page;
use crate::domain::queue::QueueSignal;
use crate::domain::records::Record;
use crate::domain::search::SearchPage;
use crate::domain::signals::Signal;

use super::search::{OFFSET_MAX, by_offset};
use super::{Answer, Client, Request, Rows};

/// Full pages that are read beyond what the list says it has: a cursor that always leads on has to end somewhere.
const BEYOND: u64 = 200;
/// Empty pages in a row before a list is given up.
const EMPTY: u32 = 3;

/// A row that can be told from others.
pub trait Keyed {
    /// What tells it from others; none where it has no such thing.
    fn key(&self) -> Option<String>;
}

impl Keyed for Box<RawValue> {
    /// The id, as it is written in its JSON.
    fn key(&self) -> Option<String> {
        #[derive(Deserialize)]
        struct Named<'a> {
            #[serde(borrow)]
            id: &'a RawValue,
        }
        serde_json::from_str::<Named<'_>>(self.get()).ok().map(|named| named.id.get().to_owned())
    }
}

impl Keyed for Record {
    fn key(&self) -> Option<String> {
        Some(self.id.to_string())
    }
}

impl Keyed for Signal {
    fn key(&self) -> Option<String> {
        Some(self.id.to_string())
    }
}

impl Keyed for QueueSignal {
    fn key(&self) -> Option<String> {
        self.signal.key()
    }
}

/// How far a list has been read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum End {
    /// There is more, or may be.
    #[default]
    Open,
    /// The service said that nothing is left.
    Whole,
    /// The service says that there is more, and does not send it.
    Withheld,
    /// The service sends the same again: reading on would never end.
    Repeats,
}

/// A place in a list, moved on by each page that comes.
#[derive(Debug)]
struct Place {
    request: Request,
    /// Rows that are still wanted.
    left: u32,
    most: u32,
    /// Rows that came.
    came: u64,
    offset: u32,
    cursor: Option<String>,
    cursors: HashSet<String>,
    seen: HashSet<String>,
    empty: u32,
    end: End,
    /// It was begun by a cursor: how many rows stand before it is not known.
    is_within: bool,
}

impl Place {
    fn new(request: Request, rows: u32, page: u32) -> Place {
        let body = request.body.as_ref();
        let offset = body.and_then(|body| body.get("offset")?.as_u64()).and_then(|offset| u32::try_from(offset).ok());
        let is_within = body.is_some_and(|body| body.get("search_after").is_some());
        let offset = offset.unwrap_or_default();
        Place {
            request,
            left: rows,
            most: page,
            came: u64::from(offset),
            offset,
            cursor: None,
            cursors: HashSet::new(),
            seen: HashSet::new(),
            empty: 0,
            end: End::Open,
            is_within,
        }
    }

    fn is_search(&self) -> bool {
        self.request.body.is_some()
    }

    /// The request for the next page, if there is to be one.
    fn next(&self) -> Option<Request> {
        let limit = self.left.min(self.most);
        if self.end != End::Open || limit == 0 {
            return None;
        }
        let mut request = self.request.clone();
        match &mut request.body {
            Some(body) => {
                put(body, "limit", json!(limit));
                match &self.cursor {
                    Some(cursor) => {
                        put(body, "search_after", json!(cursor));
                        body.as_object_mut().and_then(|body| body.remove("offset"));
                    }
                    None if self.offset > 0 => put(body, "offset", json!(self.offset)),
                    None => {}
                }
            }
            None => request = request.page(self.offset, limit),
        }
        Some(request)
    }

    /// Where the next page begins, for a search that is gone on with later; none when there is none.
    fn after(&self) -> Option<String> {
        if self.end != End::Open {
            return None;
        }
        self.cursor.clone().or_else(|| (self.is_search() && self.offset > 0).then(|| by_offset(self.offset)))
    }

    /// Takes a page in: of its rows those stay that have not come before.
    fn take<T: Keyed>(&mut self, rows: &mut Rows<T>) {
        let asked = self.left.min(self.most);
        let came = number(rows.rows.len() + rows.unreadable);
        rows.rows.retain(|row| row.key().is_none_or(|key| self.seen.insert(key)));
        let fresh = number(rows.rows.len() + rows.unreadable);
        self.left = self.left.saturating_sub(came);
        self.came += u64::from(came);
        self.offset = self.offset.saturating_add(came);
        self.empty = if came == 0 { self.empty + 1 } else { 0 };
        if self.empty > 1 {
            // The service looked through so many all the same.
            self.offset = self.offset.saturating_add(asked);
        }
        self.cursor.clone_from(&rows.search_after);
        let total = rows.total.filter(|_| !rows.total_is_capped);
        let goes_on = match &self.cursor {
            Some(_) => true,
            None if self.is_within => false,
            None => total.map_or(came > 0 && !rows.tells_end, |total| self.came < total),
        };
        let is_known = self.cursor.as_ref().is_some_and(|cursor| !self.cursors.insert(cursor.clone()));
        self.end = match () {
            () if !goes_on => End::Whole,
            () if is_known || (came > 0 && fresh == 0) => End::Repeats,
            () if self.empty >= EMPTY || (self.cursor.is_none() && self.is_search() && self.offset > OFFSET_MAX) => End::Withheld,
            () => End::Open,
        };
        // A total that is capped tells no end: such a list is read for as long as its cursors lead on.
        if !rows.total_is_capped && self.came >= rows.total.unwrap_or_default() + BEYOND * u64::from(self.most) {
            self.left = 0;
        }
    }
}

fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// A list that is read on. A search goes by its cursor, `/signals` and `/signals/queue` by their offset.
///
/// While one page is looked at the next is on its way, never more; dropping the list takes that request back.
#[derive(Debug)]
pub struct Pages<T> {
    client: Client,
    place: Place,
    ahead: JoinSet<Result<Answer<Rows<T>>, RequestError>>,
}

impl<T: DeserializeOwned + Keyed + Send + 'static> Pages<T> {
    /// Up to `rows` of a list, at most `page` in one answer. A search costs a credit a row.
    pub fn new(client: &Client, request: Request, rows: u32, page: u32) -> Pages<T> {
        Pages { client: client.clone(), place: Place::new(request, rows, page), ahead: JoinSet::new() }
    }

    /// No page comes after this one.
    pub fn is_over(&self) -> bool {
        self.place.end != End::Open
    }

    /// Nothing is left to read: false while there is more than was asked for.
    pub fn is_whole(&self) -> bool {
        self.place.end == End::Whole
    }

    /// The service says that there is more, and sent nothing of it: the list was left there.
    pub fn is_withheld(&self) -> bool {
        self.place.end == End::Withheld
    }

    /// The service sent the same rows or the same cursor twice: the list was left there.
    pub fn repeats(&self) -> bool {
        self.place.end == End::Repeats
    }

    /// How many more rows were asked for.
    pub fn left(&self) -> u32 {
        self.place.left
    }

    /// Where a search is gone on with after the pages that came; none after the last.
    pub fn after(&self) -> Option<String> {
        self.place.after()
    }

    /// The next page, without the rows that came before; none after the last one, after as many rows as were asked for, and when
    /// the service repeats itself.
    ///
    /// # Errors
    /// As [`Client::rows`]; the same page can be asked for again.
    pub async fn next(&mut self) -> Result<Option<Answer<Rows<T>>>, RequestError> {
        if self.ahead.is_empty() {
            self.ask();
        }
        let Some(answer) = self.ahead.join_next().await else { return Ok(None) };
        let mut answer = answer.unwrap_or_else(|_| Err(RequestError::new_ambiguous("gantry hit a bug while it read a page")))?;
        self.place.take(&mut answer.value);
        self.ask();
        Ok(Some(answer))
    }

    /// Sends for the next page, if there is to be one.
    fn ask(&mut self) {
        if let Some(request) = self.place.next() {
            let client = self.client.clone();
            self.ahead.spawn(async move { client.rows(request).await });
        }
    }
}

impl Client {
    /// A window of a list that goes by offset: as many rows as were asked for, however many of them the service sends at once.
    ///
    /// # Errors
    /// As [`Client::rows`]; where some rows have come, those.
    pub(super) async fn window<T: DeserializeOwned + Keyed>(
        &self,
        request: Request,
        offset: u32,
        limit: u32,
    ) -> Result<Answer<Page<T>>, RequestError> {
        let mut place = Place { offset, came: u64::from(offset), ..Place::new(request, limit, limit) };
        let mut window: Option<Answer<Rows<T>>> = None;
        while let Some(request) = place.next() {
            let mut answer = match (self.rows(request).await, &window) {
                (Ok(answer), _) => answer,
                (Err(_), Some(_)) => break,
                (Err(failure), None) => return Err(failure),
            };
            place.take(&mut answer.value);
            if let Some(mut before) = window {
                before.value.rows.append(&mut answer.value.rows);
                answer.value = Rows {
                    rows: before.value.rows,
                    unreadable: before.value.unreadable + answer.value.unreadable,
                    ..answer.value
                };
                answer.credits = before.credits.zip(answer.credits).map(|(before, now)| before.saturating_add(now));
            }
            window = Some(answer);
        }
        let window = window.ok_or_else(|| RequestError::new_not_sent("a window of no rows was asked for"))?;
        Ok(window.map(|rows| Page { offset, ..rows.into() }))
    }

    /// One page of a search, and where the next begins. An empty page that leads on is passed over.
    ///
    /// # Errors
    /// As [`Client::rows`].
    pub async fn found(&self, request: Request, limit: u32) -> Result<Answer<SearchPage>, RequestError> {
        let mut place = Place::new(request, limit, limit);
        let mut spent = Some(0);
        loop {
            let Some(request) = place.next() else { return Err(RequestError::new_not_sent("a page of no rows was asked for")) };
            let mut answer = self.rows::<Record>(request).await?;
            place.take(&mut answer.value);
            spent = spent.and_then(|spent| Some(u64::saturating_add(spent, answer.credits?)));
            if answer.value.rows.is_empty() && answer.value.unreadable == 0 && place.end == End::Open {
                continue;
            }
            let search_after = place.after();
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

fn put(body: &mut Value, name: &str, value: Value) {
    if let Some(body) = body.as_object_mut() {
        body.insert(name.to_owned(), value);
    }
}

//! Lists of many pages, by cursor or by offset as the route has it, one page ahead of who reads them.

use std::collections::HashSet;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::domain::failure::Failure;

use super::{Answer, Client, Request, Rows};

/// Pages that are read beyond what the list says it has: a cursor that always leads on has to end somewhere.
const BEYOND: u64 = 200;

/// A list that is read on. A search goes by its cursor, `/signals` and `/signals/queue` by their offset.
///
/// While one page is looked at the next is on its way, never more; dropping the list takes that request back.
#[derive(Debug)]
pub struct Pages<T> {
    client: Client,
    request: Request,
    left: u32,
    most: u32,
    asked: u32,
    read: u64,
    offset: u32,
    cursor: Option<String>,
    cursors: HashSet<String>,
    ended: bool,
    /// A cursor came back: reading on would never end.
    repeats: bool,
    ahead: JoinSet<Result<Answer<Rows<T>>, Failure>>,
}

impl<T: DeserializeOwned + Send + 'static> Pages<T> {
    /// Up to `rows` of a list, at most `page` in one answer. A search costs a credit a row.
    pub fn new(client: &Client, request: Request, rows: u32, page: u32) -> Pages<T> {
        Pages {
            client: client.clone(),
            request,
            left: rows,
            most: page,
            asked: 0,
            read: 0,
            offset: 0,
            cursor: None,
            cursors: HashSet::new(),
            ended: false,
            repeats: false,
            ahead: JoinSet::new(),
        }
    }

    /// Nothing is left to read: false while there is more than was asked for.
    pub fn is_whole(&self) -> bool {
        self.ended
    }

    /// How many more rows were asked for.
    pub fn left(&self) -> u32 {
        self.left
    }

    /// The service handed a cursor out twice: the list was left there.
    pub fn repeats(&self) -> bool {
        self.repeats
    }

    /// The next page; none after the last one, after as many rows as were asked for, and when a cursor comes back.
    ///
    /// # Errors
    /// As [`Client::rows`]; the same page can be asked for again.
    pub async fn next(&mut self) -> Result<Option<Answer<Rows<T>>>, Failure> {
        if self.ahead.is_empty() {
            self.ask();
        }
        let Some(answer) = self.ahead.join_next().await else { return Ok(None) };
        let answer = answer.unwrap_or_else(|_| Err(Failure::ambiguous("gantry hit a bug while it read a page")))?;
        let rows = &answer.value;
        let came = u32::try_from(rows.rows.len() + rows.unreadable).unwrap_or(u32::MAX);
        self.left = self.left.saturating_sub(came.max(1));
        self.offset = self.offset.saturating_add(came);
        self.read += 1;
        self.cursor = rows.search_after.clone();
        self.ended = match &self.cursor {
            Some(cursor) => {
                self.repeats = !self.cursors.insert(cursor.clone());
                self.repeats || came == 0
            }
            None if self.request.body.is_some() => true,
            None => came < self.asked || rows.total.is_some_and(|total| u64::from(self.offset) >= total),
        };
        // A total that is capped tells no end: such a list is read for as long as its cursors lead on.
        if rows.total_is_capped || self.read < rows.total.unwrap_or_default() / u64::from(self.most.max(1)) + BEYOND {
            self.ask();
        } else {
            self.left = 0;
        }
        Ok(Some(answer))
    }

    /// Sends for the next page, if there is to be one.
    fn ask(&mut self) {
        let limit = self.left.min(self.most);
        if self.ended || limit == 0 {
            return;
        }
        self.asked = limit;
        let mut request = self.request.clone();
        match &mut request.body {
            Some(body) => {
                put(body, "limit", json!(limit));
                if let Some(cursor) = &self.cursor {
                    put(body, "search_after", json!(cursor));
                }
            }
            None => request = request.page(self.offset, limit),
        }
        let client = self.client.clone();
        self.ahead.spawn(async move { client.rows(request).await });
    }
}

fn put(body: &mut Value, name: &str, value: Value) {
    if let Some(body) = body.as_object_mut() {
        body.insert(name.to_owned(), value);
    }
}

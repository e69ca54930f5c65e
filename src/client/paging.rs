//! Lists of many pages, a page at a time, by cursor or by offset as the route has it.

use std::collections::HashSet;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::domain::failure::Failure;

use super::{Answer, Client, Request, Rows};

/// A list that is read on. A search goes by its cursor, `/signals` and `/signals/queue` by their offset.
#[derive(Debug)]
pub struct Pages {
    client: Client,
    request: Request,
    left: u32,
    most: u32,
    offset: u32,
    cursor: Option<String>,
    cursors: HashSet<String>,
    ended: bool,
}

impl Pages {
    /// Up to `rows` of a list, at most `page` in one answer. A search costs a credit a row.
    pub fn new(client: &Client, request: Request, rows: u32, page: u32) -> Pages {
        Pages {
            client: client.clone(),
            request,
            left: rows,
            most: page,
            offset: 0,
            cursor: None,
            cursors: HashSet::new(),
            ended: false,
        }
    }

    /// Nothing is left to read: false while there is more than was asked for.
    pub fn is_whole(&self) -> bool {
        self.ended
    }

    /// The next page; none after the last one, after as many rows as were asked for, and when a cursor comes back.
    ///
    /// # Errors
    /// As [`Client::rows`]; the same page can be asked for again.
    pub async fn next<T: DeserializeOwned>(&mut self) -> Result<Option<Answer<Rows<T>>>, Failure> {
        let limit = self.left.min(self.most);
        if self.ended || limit == 0 {
            return Ok(None);
        }
        let mut request = self.request.clone();
        let is_search = request.body.is_some();
        match &mut request.body {
            Some(body) => {
                put(body, "limit", json!(limit));
                if let Some(cursor) = &self.cursor {
                    put(body, "search_after", json!(cursor));
                }
            }
            None => request = request.page(self.offset, limit),
        }
        let answer = self.client.rows::<T>(request).await?;
        let rows = &answer.value;
        let came = u32::try_from(rows.rows.len() + rows.unreadable).unwrap_or(u32::MAX);
        self.left = self.left.saturating_sub(came.max(1));
        self.offset = self.offset.saturating_add(came);
        self.cursor = rows.search_after.clone();
        self.ended = match &self.cursor {
            Some(cursor) => came == 0 || !self.cursors.insert(cursor.clone()),
            None if is_search => true,
            None => came < limit || rows.total.is_some_and(|total| u64::from(self.offset) >= total),
        };
        Ok(Some(answer))
    }
}

fn put(body: &mut Value, name: &str, value: Value) {
    if let Some(body) = body.as_object_mut() {
        body.insert(name.to_owned(), value);
    }
}

//! `/workspace/skills`: portable instruction bundles (interface: Workspace: Skills). 0 credits.
//!
//! Every write carries a key, made once for the act: sent again with the same key and body, it is answered as before.

use std::collections::HashSet;
use std::hash::Hash;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::domain::failure::Failure;
pub use crate::domain::skills::{Change, SkillFilter};

use super::{Class, Client, Payload, Request, Rows};

/// The most Skills that are listed: whoever has more narrows the list.
const MOST: u32 = 2_000;

/// The interface does not show where an answer holds the Skills.
const LIST: Payload = Payload::List("skills", "skill", "id");

fn read(route: &str, body: Value, payload: Payload) -> Request {
    Request::post(format!("/workspace/skills/{route}"), body, Class::FreeRead, payload)
}

/// `POST /workspace/skills/find`.
pub fn find(query: &str) -> Request {
    read("find", json!({"query": query}), LIST)
}

/// `POST /workspace/skills/list`.
pub fn list(filter: &SkillFilter) -> Request {
    read("list", json!(filter), LIST)
}

/// `POST /workspace/skills/get`.
pub fn get(id: Uuid) -> Request {
    read("get", json!({"skill_id": id}), Payload::Object("skill"))
}

/// `POST /workspace/skills/get-file`.
pub fn file(id: Uuid, path: &str, revision: Option<u64>) -> Request {
    let mut body = json!({"skill_id": id, "path": path});
    if let (Some(revision), Some(body)) = (revision, body.as_object_mut()) {
        body.insert("revision".to_owned(), revision.into());
    }
    read("get-file", body, Payload::Object("file"))
}

/// `POST /workspace/skills/revisions`.
pub fn revisions(id: Uuid) -> Request {
    read("revisions", json!({"skill_id": id}), Payload::List("revisions", "revision", "revision"))
}

/// `POST /workspace/skills/{change}` under this key; gives a receipt without content.
pub fn change(change: Change, key: Uuid, body: Value) -> Request {
    let request = Request::post(format!("/workspace/skills/{}", change.as_str()), body, Class::Keyed, Payload::Object("receipt"));
    Request { key: Some(key.to_string()), ..request }
}

/// `POST /workspace/skills/{change}/batch`, 1 to 100 items, each under a key of its own.
pub fn change_batch(change: Change, inputs: impl IntoIterator<Item = (Uuid, Value)>) -> Request {
    let keyed = |(key, mut input): (Uuid, Value)| {
        if let Some(input) = input.as_object_mut() {
            input.insert("idempotencyKey".to_owned(), key.to_string().into());
        }
        input
    };
    let inputs: Vec<_> = inputs.into_iter().map(keyed).collect();
    let path = format!("/workspace/skills/{}/batch", change.as_str());
    Request::post(path, json!({"inputs": inputs}), Class::Keyed, Payload::In("results"))
}

/// A page of the list, by offset.
pub fn list_page(filter: &SkillFilter, offset: u32, limit: u32) -> Request {
    let mut request = list(filter);
    if let Some(body) = request.body.as_mut().and_then(Value::as_object_mut) {
        body.extend([("offset".to_owned(), offset.into()), ("limit".to_owned(), limit.into())]);
    }
    request
}

impl Client {
    /// All Skills of a list, page by page, each once by what `id` says of it.
    ///
    /// # Errors
    /// As [`Client::rows`].
    pub async fn skills<T: DeserializeOwned, K: Eq + Hash>(
        &self,
        filter: &SkillFilter,
        id: impl Fn(&T) -> K,
    ) -> Result<Rows<T>, Failure> {
        const PAGE: u32 = 100;
        let mut known = HashSet::new();
        let mut all = Rows {
            rows: Vec::new(),
            unreadable: 0,
            offset: 0,
            total: None,
            total_is_capped: false,
            search_after: None,
            tells_end: false,
        };
        for offset in (0..MOST).step_by(PAGE as usize) {
            let page = self.rows::<T>(list_page(filter, offset, PAGE)).await?.value;
            let (came, before) = (page.rows.len() + page.unreadable, all.rows.len());
            all.rows.extend(page.rows.into_iter().filter(|row| known.insert(id(row))));
            (all.unreadable, all.total) = (all.unreadable + page.unreadable, page.total);
            // A service that pages otherwise sends what was there already: that is the end.
            if came < PAGE as usize || all.rows.len() == before {
                break;
            }
        }
        Ok(all)
    }
}

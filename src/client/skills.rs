//! `/workspace/skills`: portable instruction bundles (interface: Workspace: Skills). 0 credits.
//!
//! Every write has an idempotency key, made once per change: a retry with the same key and body
//! gets the same response.

use std::collections::HashSet;
use std::hash::Hash;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::domain::SkillId;
use crate::domain::request_error::RequestError;
pub use crate::domain::skills::{SkillAction, SkillFilter};

use super::{Client, PayloadPath, Request, RetryClass, Rows};

/// Most Skills that are listed; beyond that, filter the list.
const MAX_SKILLS: usize = 2_000;

/// The interface does not show where a response contains the Skills.
const SKILLS_PAYLOAD: PayloadPath = PayloadPath::List("skills", "skill", "id");

fn read_request(route: &str, body: Value, payload: PayloadPath) -> Request {
    Request::post(
        format!("/workspace/skills/{route}"),
        body,
        RetryClass::FreeRead,
        payload,
    )
}

/// `POST /workspace/skills/find`.
pub fn find(query: &str) -> Request {
    read_request("find", json!({"query": query}), SKILLS_PAYLOAD)
}

/// `POST /workspace/skills/list`.
pub fn list(filter: &SkillFilter) -> Request {
    read_request("list", json!(filter), SKILLS_PAYLOAD)
}

/// `POST /workspace/skills/get`.
pub fn get(id: &SkillId) -> Request {
    read_request("get", json!({"skill_id": id}), PayloadPath::Object("skill"))
}

/// `POST /workspace/skills/get-file`.
pub fn get_file(id: &SkillId, path: &str, revision: Option<u64>) -> Request {
    let mut body = json!({"skill_id": id, "path": path});
    if let (Some(revision), Some(body)) = (revision, body.as_object_mut()) {
        body.insert("revision".to_owned(), revision.into());
    }
    read_request("get-file", body, PayloadPath::Object("file"))
}

/// `POST /workspace/skills/revisions`.
pub fn revisions(id: &SkillId) -> Request {
    read_request(
        "revisions",
        json!({"skill_id": id}),
        PayloadPath::List("revisions", "revision", "revision"),
    )
}

/// `POST /workspace/skills/{change}` with this key; returns a receipt without content.
pub fn change(change: SkillAction, key: Uuid, body: Value) -> Request {
    let request = Request::post(
        format!("/workspace/skills/{}", change.as_str()),
        body,
        RetryClass::WithIdempotencyKey,
        PayloadPath::Object("receipt"),
    );
    Request {
        idempotency_key: Some(key.to_string()),
        ..request
    }
}

/// `POST /workspace/skills/{change}/batch`, 1 to 100 items, each with its own key.
pub fn change_batch(
    change: SkillAction,
    inputs: impl IntoIterator<Item = (Uuid, Value)>,
) -> Request {
    let keyed = |(key, mut input): (Uuid, Value)| {
        if let Some(input) = input.as_object_mut() {
            input.insert("idempotencyKey".to_owned(), key.to_string().into());
        }
        input
    };
    let inputs: Vec<_> = inputs.into_iter().map(keyed).collect();
    let path = format!("/workspace/skills/{}/batch", change.as_str());
    Request::post_batch(
        path,
        json!({"inputs": inputs}),
        RetryClass::WithIdempotencyKey,
    )
}

/// The list from this offset. The interface shows neither `offset` nor `limit` here, so the first
/// page is requested without them.
fn list_from_offset(filter: &SkillFilter, offset: u32) -> Request {
    let mut request = list(filter);
    if let Some(body) = request.body.as_mut().and_then(Value::as_object_mut) {
        body.insert("offset".to_owned(), offset.into());
    }
    request
}

impl Client {
    /// All Skills of a list, page by page, without duplicates by `id`.
    pub async fn skills<T: DeserializeOwned + Send, K: Eq + Hash>(
        &self,
        filter: &SkillFilter,
        id: impl Fn(&T) -> K,
    ) -> Result<Rows<T>, RequestError> {
        let mut known = HashSet::new();
        let mut all = self.fetch_rows::<T>(list(filter)).await?.value;
        all.rows.retain(|row| known.insert(id(row)));
        let mut came = all.rows.len() + all.unreadable;
        while (1..MAX_SKILLS).contains(&came) && all.total.is_none_or(|total| came as u64 != total)
        {
            let page = match self
                .fetch_rows::<T>(list_from_offset(
                    filter,
                    u32::try_from(came).unwrap_or(u32::MAX),
                ))
                .await
            {
                Ok(answer) => answer.value,
                // A service without offsets sends everything at once.
                Err(failure) if failure.is_permanent() => break,
                Err(failure) => return Err(failure),
            };
            let before = all.rows.len();
            came += page.rows.len() + page.unreadable;
            all.rows
                .extend(page.rows.into_iter().filter(|row| known.insert(id(row))));
            (all.unreadable, all.total) =
                (all.unreadable + page.unreadable, page.total.or(all.total));
            // A service that pages differently repeats rows: that is the end.
            if all.rows.len() == before {
                break;
            }
        }
        Ok(all)
    }
}

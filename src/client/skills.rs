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
use crate::interface::RouteId;

use super::{Client, Request, Rows};

/// Most Skills that are listed; beyond that, filter the list.
const MAX_SKILLS: usize = 2_000;

pub fn find(query: &str) -> Request {
    Request::new(RouteId::FindSkills, &[]).with_body(json!({"query": query}))
}

pub fn list(filter: &SkillFilter) -> Request {
    Request::new(RouteId::ListSkills, &[]).with_body(json!(filter))
}

pub fn get(id: &SkillId) -> Request {
    Request::new(RouteId::ShowSkill, &[]).with_body(json!({"skill_id": id}))
}

pub fn get_file(id: &SkillId, path: &str, revision: Option<u64>) -> Request {
    let mut body = json!({"skill_id": id, "path": path});
    if let (Some(revision), Some(body)) = (revision, body.as_object_mut()) {
        body.insert("revision".to_owned(), revision.into());
    }
    Request::new(RouteId::ShowSkillFile, &[]).with_body(body)
}

pub fn revisions(id: &SkillId) -> Request {
    Request::new(RouteId::ListSkillRevisions, &[]).with_body(json!({"skill_id": id}))
}

/// A change with this key; returns a receipt without content.
pub fn change(change: SkillAction, key: Uuid, body: Value) -> Request {
    let (route, _) = routes(change);
    Request {
        idempotency_key: Some(key.to_string()),
        ..Request::new(route, &[]).with_body(body)
    }
}

/// Each item has its own key.
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
    let (_, route) = routes(change);
    Request::new(route, &[]).with_body(json!({"inputs": inputs}))
}

/// The route of a change, and that of its batch.
fn routes(change: SkillAction) -> (RouteId, RouteId) {
    use RouteId::*;
    match change {
        SkillAction::Create => (CreateSkill, CreateSkills),
        SkillAction::Update => (UpdateSkill, UpdateSkills),
        SkillAction::Publish => (PublishSkill, PublishSkills),
        SkillAction::Unpublish => (UnpublishSkill, UnpublishSkills),
        SkillAction::Delete => (DeleteSkill, DeleteSkills),
        SkillAction::Transfer => (TransferSkill, TransferSkills),
        SkillAction::Move => (MoveSkill, MoveSkills),
        SkillAction::Fork => (ForkSkill, ForkSkills),
        SkillAction::Install => (InstallSkill, InstallSkills),
        SkillAction::Uninstall => (UninstallSkill, UninstallSkills),
    }
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

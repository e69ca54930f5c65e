//! `/workspace/skills`: portable instruction bundles (interface: Workspace: Skills). 0 credits.
//!
//! Every write carries a key, made once for the act: sent again with the same key and body, it is answered as before.

use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Class, Payload, Request};

/// What changes a Skill, in the word of its route; each has a `/batch` sibling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Makes a draft.
    Create,
    /// Changes the draft.
    Update,
    /// Shows it to its audience.
    Publish,
    /// Hides it again.
    Unpublish,
    /// Takes it away.
    Delete,
    /// Gives it to another member.
    Transfer,
    /// Gives it another audience.
    Move,
    /// Makes a copy.
    Fork,
    /// Installs an official one.
    Install,
    /// Uninstalls an official one.
    Uninstall,
}

impl Change {
    /// The last segment of its route.
    pub fn as_str(self) -> &'static str {
        match self {
            Change::Create => "create",
            Change::Update => "update",
            Change::Publish => "publish",
            Change::Unpublish => "unpublish",
            Change::Delete => "delete",
            Change::Transfer => "transfer",
            Change::Move => "move",
            Change::Fork => "fork",
            Change::Install => "install",
            Change::Uninstall => "uninstall",
        }
    }
}

/// What a list is narrowed by (interface: Skill filter fields). Empty does not narrow.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SkillFilter {
    /// Text over name, slug and description.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub q: String,
    /// `custom`, `official`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub source: Vec<String>,
    /// `draft`, `published`, `unpublished`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lifecycle: Vec<String>,
    /// `personal`, `workspace`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub audience: Vec<String>,
    /// `installed`, `not_installed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub installed: Option<String>,
    /// A day; changed then or later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_after: Option<chrono::NaiveDate>,
    /// A day; changed then or earlier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_before: Option<chrono::NaiveDate>,
}

fn read(route: &str, body: Value, payload: Payload) -> Request {
    Request::post(format!("/workspace/skills/{route}"), body, Class::FreeRead, payload)
}

/// `POST /workspace/skills/find`.
pub fn find(query: &str) -> Request {
    read("find", json!({"query": query}), Payload::In("skills"))
}

/// `POST /workspace/skills/list`.
pub fn list(filter: &SkillFilter) -> Request {
    read("list", json!(filter), Payload::In("skills"))
}

/// `POST /workspace/skills/get`.
pub fn get(id: Uuid) -> Request {
    read("get", json!({"skill_id": id}), Payload::Data)
}

/// `POST /workspace/skills/get-file`.
pub fn file(id: Uuid, path: &str, revision: Option<u64>) -> Request {
    let mut body = json!({"skill_id": id, "path": path});
    if let (Some(revision), Some(body)) = (revision, body.as_object_mut()) {
        body.insert("revision".to_owned(), revision.into());
    }
    read("get-file", body, Payload::Data)
}

/// `POST /workspace/skills/revisions`.
pub fn revisions(id: Uuid) -> Request {
    read("revisions", json!({"skill_id": id}), Payload::In("revisions"))
}

/// `POST /workspace/skills/{change}`; gives a receipt without content.
pub fn change(change: Change, body: Value) -> Request {
    let request = Request::post(format!("/workspace/skills/{}", change.as_str()), body, Class::Keyed, Payload::Data);
    Request { key: Some(Uuid::new_v4().to_string()), ..request }
}

/// `POST /workspace/skills/{change}/batch`, 1 to 100 items; each gets a key of its own.
pub fn change_batch(change: Change, mut inputs: Vec<Value>) -> Request {
    for input in inputs.iter_mut().filter_map(Value::as_object_mut) {
        input.insert("idempotencyKey".to_owned(), Uuid::new_v4().to_string().into());
    }
    let path = format!("/workspace/skills/{}/batch", change.as_str());
    Request::post(path, json!({"inputs": inputs}), Class::Keyed, Payload::In("results"))
}

//! `/workspace/skills`: portable instruction bundles (interface: Workspace: Skills). 0 credits.
//!
//! Every write carries a key, made once for the act: sent again with the same key and body, it is answered as before.

use serde_json::{Value, json};
use uuid::Uuid;

pub use crate::domain::skills::{Change, SkillFilter};

use crate::domain::skills::Order;

use super::{Class, Payload, Request};

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

/// A page of the list, by offset.
pub fn list_page(filter: &SkillFilter, offset: u32, limit: u32) -> Request {
    let mut request = list(filter);
    if let Some(body) = request.body.as_mut().and_then(Value::as_object_mut) {
        body.extend([("offset".to_owned(), offset.into()), ("limit".to_owned(), limit.into())]);
    }
    request
}

/// One order, under its own key.
pub fn order(order: &Order) -> Request {
    Request { key: Some(order.key.to_string()), ..change(order.change, order.body.clone()) }
}

/// Several orders of one kind, 1 to 100, each under its own key.
pub fn orders(kind: Change, orders: &[Order]) -> Request {
    let inputs = orders.iter().map(|order| {
        let mut input = order.body.clone();
        if let Some(input) = input.as_object_mut() {
            input.insert("idempotencyKey".to_owned(), order.key.to_string().into());
        }
        input
    });
    let path = format!("/workspace/skills/{}/batch", kind.as_str());
    Request::post(path, json!({"inputs": inputs.collect::<Vec<_>>()}), Class::Keyed, Payload::In("results"))
}

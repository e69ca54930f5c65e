//! `/workspace/favorite-views`: a person's favorite Views. 0 credits; requires a user token, API
//! keys are rejected.

use serde_json::{Value, json};

use crate::domain::ViewId;
use crate::domain::views::Favorite;

use super::payload_lookup::list_rows;
use super::{PayloadPath, Request, RetryClass};

/// The interface does not show where a response contains the list of favorites.
const FAVORITES_PAYLOAD: PayloadPath = PayloadPath::List("favorites", "favorite", "view_id");

/// `GET /workspace/favorite-views`.
pub fn list() -> Request {
    Request::get_free("/workspace/favorite-views", FAVORITES_PAYLOAD)
}

/// `POST /workspace/favorite-views/upsert`.
pub fn upsert(view: ViewId) -> Request {
    Request::post_once(
        "/workspace/favorite-views/upsert",
        json!({"view_id": view}),
        PayloadPath::Object("favorite"),
    )
    .verify_with(list(), |there, sent| {
        Some(json!({"data": find_favorite(there, sent.body()?)?}))
    })
    .fill_body_from(list(), |there, sent| {
        Some(json!({"data": find_favorite(there, sent.body()?)?}))
    })
}

/// Finds the favorite that an upsert created in the list of all favorites.
fn find_favorite(list: &Value, sent: &Value) -> Option<Value> {
    let view: ViewId = serde_json::from_value(sent.get("view_id")?.clone()).ok()?;
    let is_it = |there: &Value| {
        serde_json::from_value::<Favorite>(there.clone()).is_ok_and(|it| it.view_id == view)
    };
    list_rows(list, FAVORITES_PAYLOAD)?.into_iter().find(is_it)
}

/// `DELETE /workspace/favorite-views/{viewId}`.
pub fn delete(view: ViewId) -> Request {
    Request::delete(format!("/workspace/favorite-views/{view}"))
}

/// `POST /workspace/favorite-views/upsert/batch`, 1 to 100 Views.
pub fn upsert_batch(views: &[ViewId]) -> Request {
    let inputs: Vec<_> = views.iter().map(|view| json!({"view_id": view})).collect();
    Request::post_batch(
        "/workspace/favorite-views/upsert/batch",
        json!({"inputs": inputs}),
        RetryClass::NonIdempotent,
    )
    .verify_with(list(), |there, sent| {
        let result = |(index, input)| {
            Some(json!({"index": index, "status": "ok", "record": find_favorite(there, input)?}))
        };
        let results: Option<Vec<_>> = sent
            .body()?
            .get("inputs")?
            .as_array()?
            .iter()
            .enumerate()
            .map(result)
            .collect();
        Some(json!({"data": {"results": results?}}))
    })
}

/// `POST /workspace/favorite-views/delete/batch`, 1 to 100 Views.
pub fn delete_batch(views: &[ViewId]) -> Request {
    Request::post_batch(
        "/workspace/favorite-views/delete/batch",
        json!({"ids": views}),
        RetryClass::Idempotent,
    )
}

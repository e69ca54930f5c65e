//! `/workspace/favorite-views`: a person's favorite Views. 0 credits; requires a user token, API
//! keys are rejected.

use serde_json::{Value, json};

use crate::domain::ViewId;
use crate::domain::views::Favorite;
use crate::interface::RouteId;

use super::Request;
use super::payload_lookup::list_rows;

pub fn list() -> Request {
    Request::new(RouteId::ListFavorites, &[])
}

pub fn upsert(view: ViewId) -> Request {
    let find =
        |there: &Value, sent: &Request| Some(json!({"data": find_favorite(there, sent.body()?)?}));
    Request::new(RouteId::UpsertFavorite, &[])
        .with_body(json!({"view_id": view}))
        .verify_with(list(), find)
        .fill_body_from(list(), find)
}

/// Finds the favorite that an upsert created in the list of all favorites.
fn find_favorite(list: &Value, sent: &Value) -> Option<Value> {
    let view: ViewId = serde_json::from_value(sent.get("view_id")?.clone()).ok()?;
    let is_it = |there: &Value| {
        serde_json::from_value::<Favorite>(there.clone()).is_ok_and(|it| it.view_id == view)
    };
    list_rows(list, RouteId::ListFavorites)?
        .into_iter()
        .find(is_it)
}

pub fn delete(view: ViewId) -> Request {
    Request::new(RouteId::DeleteFavorite, &[&view])
}

pub fn upsert_batch(views: &[ViewId]) -> Request {
    let inputs: Vec<_> = views.iter().map(|view| json!({"view_id": view})).collect();
    let request = Request::new(RouteId::UpsertFavorites, &[]).with_body(json!({"inputs": inputs}));
    request.verify_with(list(), |there, sent| {
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

pub fn delete_batch(views: &[ViewId]) -> Request {
    Request::new(RouteId::DeleteFavorites, &[]).with_body(json!({"ids": views}))
}

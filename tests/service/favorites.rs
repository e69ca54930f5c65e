//! Favorite Views (interface: Workspace: Views and Favorites; Authentication 5; decisions 2.8).

use crate::fields::assert_fields;
use crate::support::{TestCaller, TestService};
use serde_json::{Value, json};

const UNKNOWN_ID: &str = "00000000-0000-4000-8000-000000000000";
const FAVORITES_PATH: &str = "/workspace/favorite-views";

/// New Views of the second workspace, whose fourth member has no favorites.
async fn create_views(desk: &TestService, count: usize) -> Vec<String> {
    let mut ids = Vec::new();
    for _ in 0..count {
        let body = json!({"name": "Ours", "dataset": "project", "type": "static"});
        let said = desk.post(&desk.api_key(1), "/workspace/views/upsert", body).await.ok();
        ids.push(said["data"]["id"].as_str().unwrap().to_owned());
    }
    ids
}

fn member_without_favorites(desk: &TestService) -> TestCaller {
    desk.member_caller(1, 3)
}

async fn favorite_order(desk: &TestService, caller: &TestCaller) -> Vec<String> {
    let said = desk.get(caller, FAVORITES_PATH).await.ok();
    let favorites = said["data"]["favorites"].as_array().unwrap().clone();
    assert!(favorites.iter().enumerate().all(|(nth, favorite)| favorite["position"] == nth), "{favorites:?}");
    favorites.iter().map(|favorite| favorite["view_id"].as_str().unwrap().to_owned()).collect()
}

async fn add_favorites(desk: &TestService, views: &[String]) -> Value {
    let inputs: Vec<_> = views.iter().map(|view| json!({"view_id": view})).collect();
    desk.post(&member_without_favorites(desk), &format!("{FAVORITES_PATH}/upsert/batch"), json!({ "inputs": inputs })).await.ok()
}

fn result_codes(said: &Value) -> Vec<&str> {
    said["data"]["results"].as_array().unwrap().iter().map(|result| result["error"]["code"].as_str().unwrap_or("ok")).collect()
}

#[tokio::test]
async fn favorites_require_a_user_token() {
    let desk = TestService::new().await;
    for key in [desk.api_key(0), desk.api_key(0).with_workspace(desk.workspace_id(0)), desk.read_only_key(0)] {
        desk.get(&key, FAVORITES_PATH).await.expect_error(403, "forbidden");
        desk.post(&key, &format!("{FAVORITES_PATH}/upsert"), json!({"view_id": UNKNOWN_ID})).await.expect_error(403, "forbidden");
        desk.delete(&key, &format!("{FAVORITES_PATH}/{UNKNOWN_ID}")).await.expect_error(403, "forbidden");
    }
}

#[tokio::test]
async fn favorite_batch_routes_require_a_user_token() {
    let desk = TestService::new().await;
    for (verb, body) in [("upsert", json!({"inputs": [{"view_id": UNKNOWN_ID}]})), ("delete", json!({"ids": [UNKNOWN_ID]}))] {
        desk.post(&desk.api_key(0), &format!("{FAVORITES_PATH}/{verb}/batch"), body.clone()).await.expect_error(403, "forbidden");
        desk.post(&desk.member_caller(0, 0), &format!("{FAVORITES_PATH}/{verb}/batch"), body).await.ok();
    }
}

#[tokio::test]
async fn a_favorite_is_a_reference_to_a_view_with_a_position() {
    let desk = TestService::new().await;
    let said = desk.get(&desk.member_caller(0, 0), FAVORITES_PATH).await.ok();
    assert_eq!(said["metadata"], json!({"credits": 0}));
    let favorites = said["data"]["favorites"].as_array().unwrap();
    assert!(!favorites.is_empty());
    for favorite in favorites {
        assert_fields(favorite, &[("view_id", "uuid"), ("position", "integer"), ("created_at", "moment"), ("view", "object")]);
        let shape = [("id", "uuid"), ("name", "string"), ("dataset", "account|contact|project"), ("type", "static|dynamic")];
        assert_fields(&favorite["view"], &shape);
        assert_eq!(favorite["view"]["id"], favorite["view_id"]);
    }
}

#[tokio::test]
async fn favorites_are_personal() {
    let desk = TestService::new().await;
    let views = create_views(&desk, 1).await;
    let others = [desk.member_caller(1, 0), desk.member_caller(1, 2)];
    let before = [favorite_order(&desk, &others[0]).await, favorite_order(&desk, &others[1]).await];
    add_favorites(&desk, &views).await;
    assert_eq!(favorite_order(&desk, &member_without_favorites(&desk)).await, views);
    assert_eq!([favorite_order(&desk, &others[0]).await, favorite_order(&desk, &others[1]).await], before);
}

#[tokio::test]
async fn an_upsert_returns_the_favorite_and_appends_new_ones() {
    let desk = TestService::new().await;
    let views = create_views(&desk, 3).await;
    for (nth, view) in views.iter().enumerate() {
        let said =
            desk.post(&member_without_favorites(&desk), &format!("{FAVORITES_PATH}/upsert"), json!({"view_id": view})).await.ok();
        assert_eq!(said["metadata"], json!({"credits": 0}));
        assert_eq!((&said["data"]["view_id"], &said["data"]["position"]), (&json!(view), &json!(nth)));
    }
    assert_eq!(favorite_order(&desk, &member_without_favorites(&desk)).await, views);
}

#[tokio::test]
async fn an_upsert_moves_a_favorite_only_when_it_has_a_position() {
    let desk = TestService::new().await;
    let views = create_views(&desk, 3).await;
    add_favorites(&desk, &views).await;
    for (view, position, expected) in
        [(2, json!(0), [2, 0, 1]), (2, Value::Null, [2, 0, 1]), (2, json!(1), [0, 2, 1]), (0, json!(99), [2, 1, 0])]
    {
        let body = json!({"view_id": views[view], "position": position});
        desk.post(&member_without_favorites(&desk), &format!("{FAVORITES_PATH}/upsert"), body.clone()).await.ok();
        assert_eq!(
            favorite_order(&desk, &member_without_favorites(&desk)).await,
            expected.map(|nth| views[nth].clone()),
            "{body}"
        );
    }
    desk.post(&member_without_favorites(&desk), &format!("{FAVORITES_PATH}/upsert"), json!({"view_id": views[2]})).await.ok();
    assert_eq!(favorite_order(&desk, &member_without_favorites(&desk)).await, [2, 1, 0].map(|nth| views[nth].clone()));
}

#[tokio::test]
async fn an_invalid_favorite_is_rejected() {
    let desk = TestService::new().await;
    let view = create_views(&desk, 1).await.remove(0);
    for body in [
        json!({}),
        json!({"position": 1}),
        json!({"view_id": "x"}),
        json!({"view_id": view, "position": -1}),
        json!({"view_id": view, "position": "first"}),
        json!({"view_id": view, "at": 1}),
    ] {
        desk.post(&member_without_favorites(&desk), &format!("{FAVORITES_PATH}/upsert"), body)
            .await
            .expect_error(400, "bad_request");
    }
    desk.post(&member_without_favorites(&desk), &format!("{FAVORITES_PATH}/upsert"), json!({"view_id": UNKNOWN_ID}))
        .await
        .expect_error(404, "view_not_found");
    assert!(favorite_order(&desk, &member_without_favorites(&desk)).await.is_empty());
}

#[tokio::test]
async fn a_favorite_delete_is_idempotent_and_closes_the_gap() {
    let desk = TestService::new().await;
    let views = create_views(&desk, 3).await;
    add_favorites(&desk, &views).await;
    for _ in 0..2 {
        let said = desk.delete(&member_without_favorites(&desk), &format!("{FAVORITES_PATH}/{}", views[1])).await.ok();
        assert_eq!(said, json!({"data": {"deleted": true, "view_id": views[1]}, "metadata": {"credits": 0}}));
        assert_eq!(favorite_order(&desk, &member_without_favorites(&desk)).await, [views[0].clone(), views[2].clone()]);
    }
}

#[tokio::test]
async fn deleting_a_favorite_keeps_the_view() {
    let desk = TestService::new().await;
    let views = create_views(&desk, 1).await;
    add_favorites(&desk, &views).await;
    desk.delete(&member_without_favorites(&desk), &format!("{FAVORITES_PATH}/{}", views[0])).await.ok();
    desk.get(&desk.api_key(1), &format!("/workspace/views/{}", views[0])).await.ok();
}

#[tokio::test]
async fn favorite_batches_return_results_in_input_order() {
    let desk = TestService::new().await;
    let views = create_views(&desk, 2).await;
    let inputs = json!([{"view_id": views[0]}, {"view_id": UNKNOWN_ID}, {}, 7, {"view_id": views[1]}]);
    let said = desk
        .post(&member_without_favorites(&desk), &format!("{FAVORITES_PATH}/upsert/batch"), json!({ "inputs": inputs }))
        .await
        .ok();
    assert_eq!(result_codes(&said), ["ok", "not_found", "bad_request", "bad_request", "ok"]);
    assert_eq!(said["metadata"], json!({"credits": 0, "succeeded": 2, "failed": 3}));
    assert_eq!(said["data"]["results"][4]["record"]["view_id"], views[1].as_str());
    assert_eq!(favorite_order(&desk, &member_without_favorites(&desk)).await, views);
    let body = json!({"ids": [views[1], UNKNOWN_ID, "x", views[1]]});
    let said = desk.post(&member_without_favorites(&desk), &format!("{FAVORITES_PATH}/delete/batch"), body).await.ok();
    assert_eq!(result_codes(&said), ["ok", "ok", "bad_request", "ok"]);
    assert_eq!(favorite_order(&desk, &member_without_favorites(&desk)).await, [views[0].clone()]);
}

#[tokio::test]
async fn a_favorite_batch_applies_items_in_input_order_and_the_later_one_wins() {
    let desk = TestService::new().await;
    let views = create_views(&desk, 2).await;
    let inputs = json!([{"view_id": views[0]}, {"view_id": views[1]}, {"view_id": views[1], "position": 0}]);
    desk.post(&member_without_favorites(&desk), &format!("{FAVORITES_PATH}/upsert/batch"), json!({ "inputs": inputs }))
        .await
        .ok();
    assert_eq!(favorite_order(&desk, &member_without_favorites(&desk)).await, [views[1].clone(), views[0].clone()]);
}

#[tokio::test]
async fn a_favorite_batch_with_an_invalid_envelope_is_400_and_applies_nothing() {
    let desk = TestService::new().await;
    let view = create_views(&desk, 1).await.remove(0);
    let one = json!({"view_id": view});
    for body in [json!({}), json!({"inputs": []}), json!({"inputs": vec![one.clone(); 101]}), json!({"inputs": one}), json!([])] {
        desk.post(&member_without_favorites(&desk), &format!("{FAVORITES_PATH}/upsert/batch"), body)
            .await
            .expect_error(400, "bad_request");
    }
    for body in [json!({"ids": []}), json!({"ids": vec![UNKNOWN_ID; 101]}), json!({"ids": view})] {
        desk.post(&member_without_favorites(&desk), &format!("{FAVORITES_PATH}/delete/batch"), body)
            .await
            .expect_error(400, "bad_request");
    }
    assert!(favorite_order(&desk, &member_without_favorites(&desk)).await.is_empty());
}

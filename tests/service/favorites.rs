//! Favorite Views (interface: Workspace: Views and Favorites; Authentication 5; decisions 2.8).

use crate::fields::assert_fields;
use crate::support::{TestCaller, TestService};
use serde_json::{Value, json};

const UNKNOWN_ID: &str = "00000000-0000-4000-8000-000000000000";
const FAVORITES_PATH: &str = "/workspace/favorite-views";

/// New Views of the second workspace, whose fourth member has no favorites.
async fn create_views(api: &TestService, count: usize) -> Vec<String> {
    let mut ids = Vec::new();
    for _ in 0..count {
        let body = json!({"name": "Ours", "dataset": "project", "type": "static"});
        let reply = api
            .post(&api.api_key(1), "/workspace/views/upsert", body)
            .await
            .ok();
        ids.push(reply["data"]["id"].as_str().unwrap().to_owned());
    }
    ids
}

fn member_without_favorites(api: &TestService) -> TestCaller {
    api.member_caller(1, 3)
}

async fn favorite_order(api: &TestService, caller: &TestCaller) -> Vec<String> {
    let reply = api.get(caller, FAVORITES_PATH).await.ok();
    let favorites = reply["data"]["favorites"].as_array().unwrap().clone();
    assert!(
        favorites
            .iter()
            .enumerate()
            .all(|(nth, favorite)| favorite["position"] == nth),
        "{favorites:?}"
    );
    favorites
        .iter()
        .map(|favorite| favorite["view_id"].as_str().unwrap().to_owned())
        .collect()
}

async fn add_favorites(api: &TestService, views: &[String]) -> Value {
    let inputs: Vec<_> = views.iter().map(|view| json!({"view_id": view})).collect();
    api.post(
        &member_without_favorites(api),
        &format!("{FAVORITES_PATH}/upsert/batch"),
        json!({ "inputs": inputs }),
    )
    .await
    .ok()
}

fn result_codes(reply: &Value) -> Vec<&str> {
    reply["data"]["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["error"]["code"].as_str().unwrap_or("ok"))
        .collect()
}

#[tokio::test]
async fn favorites_require_a_user_token() {
    let api = TestService::new().await;
    for key in [
        api.api_key(0),
        api.api_key(0).with_workspace(api.workspace_id(0)),
        api.read_only_key(0),
    ] {
        api.get(&key, FAVORITES_PATH)
            .await
            .expect_error(403, "forbidden");
        api.post(
            &key,
            &format!("{FAVORITES_PATH}/upsert"),
            json!({"view_id": UNKNOWN_ID}),
        )
        .await
        .expect_error(403, "forbidden");
        api.delete(&key, &format!("{FAVORITES_PATH}/{UNKNOWN_ID}"))
            .await
            .expect_error(403, "forbidden");
    }
}

#[tokio::test]
async fn favorite_batch_routes_require_a_user_token() {
    let api = TestService::new().await;
    for (verb, body) in [
        ("upsert", json!({"inputs": [{"view_id": UNKNOWN_ID}]})),
        ("delete", json!({"ids": [UNKNOWN_ID]})),
    ] {
        api.post(
            &api.api_key(0),
            &format!("{FAVORITES_PATH}/{verb}/batch"),
            body.clone(),
        )
        .await
        .expect_error(403, "forbidden");
        api.post(
            &api.member_caller(0, 0),
            &format!("{FAVORITES_PATH}/{verb}/batch"),
            body,
        )
        .await
        .ok();
    }
}

#[tokio::test]
async fn a_favorite_is_a_reference_to_a_view_with_a_position() {
    let api = TestService::new().await;
    let reply = api.get(&api.member_caller(0, 0), FAVORITES_PATH).await.ok();
    assert_eq!(reply["metadata"], json!({"credits": 0}));
    let favorites = reply["data"]["favorites"].as_array().unwrap();
    assert!(!favorites.is_empty());
    for favorite in favorites {
        assert_fields(
            favorite,
            &[
                ("view_id", "uuid"),
                ("position", "integer"),
                ("created_at", "moment"),
                ("view", "object"),
            ],
        );
        let shape = [
            ("id", "uuid"),
            ("name", "string"),
            ("dataset", "account|contact|project"),
            ("type", "static|dynamic"),
        ];
        assert_fields(&favorite["view"], &shape);
        assert_eq!(favorite["view"]["id"], favorite["view_id"]);
    }
}

#[tokio::test]
async fn favorites_are_personal() {
    let api = TestService::new().await;
    let views = create_views(&api, 1).await;
    let others = [api.member_caller(1, 0), api.member_caller(1, 2)];
    let before = [
        favorite_order(&api, &others[0]).await,
        favorite_order(&api, &others[1]).await,
    ];
    add_favorites(&api, &views).await;
    assert_eq!(
        favorite_order(&api, &member_without_favorites(&api)).await,
        views
    );
    assert_eq!(
        [
            favorite_order(&api, &others[0]).await,
            favorite_order(&api, &others[1]).await
        ],
        before
    );
}

#[tokio::test]
async fn an_upsert_returns_the_favorite_and_appends_new_ones() {
    let api = TestService::new().await;
    let views = create_views(&api, 3).await;
    for (nth, view) in views.iter().enumerate() {
        let reply = api
            .post(
                &member_without_favorites(&api),
                &format!("{FAVORITES_PATH}/upsert"),
                json!({"view_id": view}),
            )
            .await
            .ok();
        assert_eq!(reply["metadata"], json!({"credits": 0}));
        assert_eq!(
            (&reply["data"]["view_id"], &reply["data"]["position"]),
            (&json!(view), &json!(nth))
        );
    }
    assert_eq!(
        favorite_order(&api, &member_without_favorites(&api)).await,
        views
    );
}

#[tokio::test]
async fn an_upsert_moves_a_favorite_only_when_it_has_a_position() {
    let api = TestService::new().await;
    let views = create_views(&api, 3).await;
    add_favorites(&api, &views).await;
    for (view, position, expected) in [
        (2, json!(0), [2, 0, 1]),
        (2, Value::Null, [2, 0, 1]),
        (2, json!(1), [0, 2, 1]),
        (0, json!(99), [2, 1, 0]),
    ] {
        let body = json!({"view_id": views[view], "position": position});
        api.post(
            &member_without_favorites(&api),
            &format!("{FAVORITES_PATH}/upsert"),
            body.clone(),
        )
        .await
        .ok();
        assert_eq!(
            favorite_order(&api, &member_without_favorites(&api)).await,
            expected.map(|nth| views[nth].clone()),
            "{body}"
        );
    }
    api.post(
        &member_without_favorites(&api),
        &format!("{FAVORITES_PATH}/upsert"),
        json!({"view_id": views[2]}),
    )
    .await
    .ok();
    assert_eq!(
        favorite_order(&api, &member_without_favorites(&api)).await,
        [2, 1, 0].map(|nth| views[nth].clone())
    );
}

#[tokio::test]
async fn an_invalid_favorite_is_rejected() {
    let api = TestService::new().await;
    let view = create_views(&api, 1).await.remove(0);
    for body in [
        json!({}),
        json!({"position": 1}),
        json!({"view_id": "x"}),
        json!({"view_id": view, "position": -1}),
        json!({"view_id": view, "position": "first"}),
        json!({"view_id": view, "at": 1}),
    ] {
        api.post(
            &member_without_favorites(&api),
            &format!("{FAVORITES_PATH}/upsert"),
            body,
        )
        .await
        .expect_error(400, "bad_request");
    }
    api.post(
        &member_without_favorites(&api),
        &format!("{FAVORITES_PATH}/upsert"),
        json!({"view_id": UNKNOWN_ID}),
    )
    .await
    .expect_error(404, "view_not_found");
    assert!(
        favorite_order(&api, &member_without_favorites(&api))
            .await
            .is_empty()
    );
}

#[tokio::test]
async fn a_favorite_delete_is_idempotent_and_closes_the_gap() {
    let api = TestService::new().await;
    let views = create_views(&api, 3).await;
    add_favorites(&api, &views).await;
    for _ in 0..2 {
        let reply = api
            .delete(
                &member_without_favorites(&api),
                &format!("{FAVORITES_PATH}/{}", views[1]),
            )
            .await
            .ok();
        assert_eq!(
            reply,
            json!({"data": {"deleted": true, "view_id": views[1]}, "metadata": {"credits": 0}})
        );
        assert_eq!(
            favorite_order(&api, &member_without_favorites(&api)).await,
            [views[0].clone(), views[2].clone()]
        );
    }
}

#[tokio::test]
async fn deleting_a_favorite_keeps_the_view() {
    let api = TestService::new().await;
    let views = create_views(&api, 1).await;
    add_favorites(&api, &views).await;
    api.delete(
        &member_without_favorites(&api),
        &format!("{FAVORITES_PATH}/{}", views[0]),
    )
    .await
    .ok();
    api.get(&api.api_key(1), &format!("/workspace/views/{}", views[0]))
        .await
        .ok();
}

#[tokio::test]
async fn favorite_batches_return_results_in_input_order() {
    let api = TestService::new().await;
    let views = create_views(&api, 2).await;
    let inputs =
        json!([{"view_id": views[0]}, {"view_id": UNKNOWN_ID}, {}, 7, {"view_id": views[1]}]);
    let reply = api
        .post(
            &member_without_favorites(&api),
            &format!("{FAVORITES_PATH}/upsert/batch"),
            json!({ "inputs": inputs }),
        )
        .await
        .ok();
    assert_eq!(
        result_codes(&reply),
        ["ok", "not_found", "bad_request", "bad_request", "ok"]
    );
    assert_eq!(
        reply["metadata"],
        json!({"credits": 0, "succeeded": 2, "failed": 3})
    );
    assert_eq!(
        reply["data"]["results"][4]["record"]["view_id"],
        views[1].as_str()
    );
    assert_eq!(
        favorite_order(&api, &member_without_favorites(&api)).await,
        views
    );
    let body = json!({"ids": [views[1], UNKNOWN_ID, "x", views[1]]});
    let reply = api
        .post(
            &member_without_favorites(&api),
            &format!("{FAVORITES_PATH}/delete/batch"),
            body,
        )
        .await
        .ok();
    assert_eq!(result_codes(&reply), ["ok", "ok", "bad_request", "ok"]);
    assert_eq!(
        favorite_order(&api, &member_without_favorites(&api)).await,
        [views[0].clone()]
    );
}

#[tokio::test]
async fn a_favorite_batch_applies_items_in_input_order_and_the_later_one_wins() {
    let api = TestService::new().await;
    let views = create_views(&api, 2).await;
    let inputs =
        json!([{"view_id": views[0]}, {"view_id": views[1]}, {"view_id": views[1], "position": 0}]);
    api.post(
        &member_without_favorites(&api),
        &format!("{FAVORITES_PATH}/upsert/batch"),
        json!({ "inputs": inputs }),
    )
    .await
    .ok();
    assert_eq!(
        favorite_order(&api, &member_without_favorites(&api)).await,
        [views[1].clone(), views[0].clone()]
    );
}

#[tokio::test]
async fn a_favorite_batch_with_an_invalid_envelope_is_400_and_applies_nothing() {
    let api = TestService::new().await;
    let view = create_views(&api, 1).await.remove(0);
    let one = json!({"view_id": view});
    for body in [
        json!({}),
        json!({"inputs": []}),
        json!({"inputs": vec![one.clone(); 101]}),
        json!({"inputs": one}),
        json!([]),
    ] {
        api.post(
            &member_without_favorites(&api),
            &format!("{FAVORITES_PATH}/upsert/batch"),
            body,
        )
        .await
        .expect_error(400, "bad_request");
    }
    for body in [
        json!({"ids": []}),
        json!({"ids": vec![UNKNOWN_ID; 101]}),
        json!({"ids": view}),
    ] {
        api.post(
            &member_without_favorites(&api),
            &format!("{FAVORITES_PATH}/delete/batch"),
            body,
        )
        .await
        .expect_error(400, "bad_request");
    }
    assert!(
        favorite_order(&api, &member_without_favorites(&api))
            .await
            .is_empty()
    );
}

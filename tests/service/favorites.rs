//! Favorite Views (interface: Workspace: Views and Favorites; Authentication 5; decisions 2.8).

use crate::fields::has_fields;
use crate::support::{Caller, Desk};
use serde_json::{Value, json};

const NOBODY: &str = "00000000-0000-4000-8000-000000000000";
const PATH: &str = "/workspace/favorite-views";

/// New Views of the second workspace, whose fourth member keeps none as a favorite.
async fn made(desk: &Desk, count: usize) -> Vec<String> {
    let mut ids = Vec::new();
    for _ in 0..count {
        let body = json!({"name": "Ours", "dataset": "project", "type": "static"});
        let said = desk.post(&desk.key(1), "/workspace/views/upsert", body).await.ok();
        ids.push(said["data"]["id"].as_str().unwrap().to_owned());
    }
    ids
}

fn me(desk: &Desk) -> Caller {
    desk.user(1, 3)
}

async fn order(desk: &Desk, caller: &Caller) -> Vec<String> {
    let said = desk.get(caller, PATH).await.ok();
    let favorites = said["data"]["favorites"].as_array().unwrap().clone();
    assert!(favorites.iter().enumerate().all(|(nth, favorite)| favorite["position"] == nth), "{favorites:?}");
    favorites.iter().map(|favorite| favorite["view_id"].as_str().unwrap().to_owned()).collect()
}

async fn keep(desk: &Desk, views: &[String]) -> Value {
    let inputs: Vec<_> = views.iter().map(|view| json!({"view_id": view})).collect();
    desk.post(&me(desk), &format!("{PATH}/upsert/batch"), json!({ "inputs": inputs })).await.ok()
}

fn outcomes(said: &Value) -> Vec<&str> {
    said["data"]["results"].as_array().unwrap().iter().map(|result| result["error"]["code"].as_str().unwrap_or("ok")).collect()
}

#[tokio::test]
async fn favorites_need_a_user_token_and_not_an_api_key() {
    let desk = Desk::new().await;
    for key in [desk.key(0), desk.key(0).naming(desk.id(0)), desk.reading_key(0)] {
        desk.get(&key, PATH).await.refused(403, "forbidden");
        desk.post(&key, &format!("{PATH}/upsert"), json!({"view_id": NOBODY})).await.refused(403, "forbidden");
        desk.delete(&key, &format!("{PATH}/{NOBODY}")).await.refused(403, "forbidden");
    }
}

#[tokio::test]
async fn favorite_batch_routes_need_a_user_token() {
    let desk = Desk::new().await;
    for (verb, body) in [("upsert", json!({"inputs": [{"view_id": NOBODY}]})), ("delete", json!({"ids": [NOBODY]}))] {
        desk.post(&desk.key(0), &format!("{PATH}/{verb}/batch"), body.clone()).await.refused(403, "forbidden");
        desk.post(&desk.user(0, 0), &format!("{PATH}/{verb}/batch"), body).await.ok();
    }
}

#[tokio::test]
async fn a_favorite_is_a_pointer_to_a_view_with_its_place() {
    let desk = Desk::new().await;
    let said = desk.get(&desk.user(0, 0), PATH).await.ok();
    assert_eq!(said["metadata"], json!({"credits": 0}));
    let favorites = said["data"]["favorites"].as_array().unwrap();
    assert!(!favorites.is_empty());
    for favorite in favorites {
        has_fields(favorite, &[("view_id", "uuid"), ("position", "integer"), ("created_at", "moment"), ("view", "object")]);
        let shape = [("id", "uuid"), ("name", "string"), ("dataset", "account|contact|project"), ("type", "static|dynamic")];
        has_fields(&favorite["view"], &shape);
        assert_eq!(favorite["view"]["id"], favorite["view_id"]);
    }
}

#[tokio::test]
async fn favorites_are_personal() {
    let desk = Desk::new().await;
    let views = made(&desk, 1).await;
    let others = [desk.user(1, 0), desk.user(1, 2)];
    let before = [order(&desk, &others[0]).await, order(&desk, &others[1]).await];
    keep(&desk, &views).await;
    assert_eq!(order(&desk, &me(&desk)).await, views);
    assert_eq!([order(&desk, &others[0]).await, order(&desk, &others[1]).await], before);
}

#[tokio::test]
async fn an_upsert_answers_the_favorite_and_new_ones_go_to_the_end() {
    let desk = Desk::new().await;
    let views = made(&desk, 3).await;
    for (nth, view) in views.iter().enumerate() {
        let said = desk.post(&me(&desk), &format!("{PATH}/upsert"), json!({"view_id": view})).await.ok();
        assert_eq!(said["metadata"], json!({"credits": 0}));
        assert_eq!((&said["data"]["view_id"], &said["data"]["position"]), (&json!(view), &json!(nth)));
    }
    assert_eq!(order(&desk, &me(&desk)).await, views);
}

#[tokio::test]
async fn an_upsert_with_a_position_moves_a_favorite_and_one_without_leaves_it() {
    let desk = Desk::new().await;
    let views = made(&desk, 3).await;
    keep(&desk, &views).await;
    for (view, position, expected) in
        [(2, json!(0), [2, 0, 1]), (2, Value::Null, [2, 0, 1]), (2, json!(1), [0, 2, 1]), (0, json!(99), [2, 1, 0])]
    {
        let body = json!({"view_id": views[view], "position": position});
        desk.post(&me(&desk), &format!("{PATH}/upsert"), body.clone()).await.ok();
        assert_eq!(order(&desk, &me(&desk)).await, expected.map(|nth| views[nth].clone()), "{body}");
    }
    desk.post(&me(&desk), &format!("{PATH}/upsert"), json!({"view_id": views[2]})).await.ok();
    assert_eq!(order(&desk, &me(&desk)).await, [2, 1, 0].map(|nth| views[nth].clone()));
}

#[tokio::test]
async fn what_is_no_favorite_is_refused() {
    let desk = Desk::new().await;
    let view = made(&desk, 1).await.remove(0);
    for body in [
        json!({}),
        json!({"position": 1}),
        json!({"view_id": "x"}),
        json!({"view_id": view, "position": -1}),
        json!({"view_id": view, "position": "first"}),
        json!({"view_id": view, "at": 1}),
    ] {
        desk.post(&me(&desk), &format!("{PATH}/upsert"), body).await.refused(400, "bad_request");
    }
    desk.post(&me(&desk), &format!("{PATH}/upsert"), json!({"view_id": NOBODY})).await.refused(404, "view_not_found");
    assert!(order(&desk, &me(&desk)).await.is_empty());
}

#[tokio::test]
async fn a_favorite_delete_is_idempotent_and_closes_the_gap() {
    let desk = Desk::new().await;
    let views = made(&desk, 3).await;
    keep(&desk, &views).await;
    for _ in 0..2 {
        let said = desk.delete(&me(&desk), &format!("{PATH}/{}", views[1])).await.ok();
        assert_eq!(said, json!({"data": {"deleted": true, "view_id": views[1]}, "metadata": {"credits": 0}}));
        assert_eq!(order(&desk, &me(&desk)).await, [views[0].clone(), views[2].clone()]);
    }
}

#[tokio::test]
async fn a_favorite_delete_leaves_the_view() {
    let desk = Desk::new().await;
    let views = made(&desk, 1).await;
    keep(&desk, &views).await;
    desk.delete(&me(&desk), &format!("{PATH}/{}", views[0])).await.ok();
    desk.get(&desk.key(1), &format!("/workspace/views/{}", views[0])).await.ok();
}

#[tokio::test]
async fn favorite_batches_answer_item_by_item_in_input_order() {
    let desk = Desk::new().await;
    let views = made(&desk, 2).await;
    let inputs = json!([{"view_id": views[0]}, {"view_id": NOBODY}, {}, 7, {"view_id": views[1]}]);
    let said = desk.post(&me(&desk), &format!("{PATH}/upsert/batch"), json!({ "inputs": inputs })).await.ok();
    assert_eq!(outcomes(&said), ["ok", "not_found", "bad_request", "bad_request", "ok"]);
    assert_eq!(said["metadata"], json!({"credits": 0, "succeeded": 2, "failed": 3}));
    assert_eq!(said["data"]["results"][4]["record"]["view_id"], views[1].as_str());
    assert_eq!(order(&desk, &me(&desk)).await, views);
    let body = json!({"ids": [views[1], NOBODY, "x", views[1]]});
    let said = desk.post(&me(&desk), &format!("{PATH}/delete/batch"), body).await.ok();
    assert_eq!(outcomes(&said), ["ok", "ok", "bad_request", "ok"]);
    assert_eq!(order(&desk, &me(&desk)).await, [views[0].clone()]);
}

#[tokio::test]
async fn a_favorite_batch_applies_items_in_input_order_and_the_later_one_wins() {
    let desk = Desk::new().await;
    let views = made(&desk, 2).await;
    let inputs = json!([{"view_id": views[0]}, {"view_id": views[1]}, {"view_id": views[1], "position": 0}]);
    desk.post(&me(&desk), &format!("{PATH}/upsert/batch"), json!({ "inputs": inputs })).await.ok();
    assert_eq!(order(&desk, &me(&desk)).await, [views[1].clone(), views[0].clone()]);
}

#[tokio::test]
async fn a_favorite_batch_with_a_bad_envelope_is_400_and_applies_nothing() {
    let desk = Desk::new().await;
    let view = made(&desk, 1).await.remove(0);
    let one = json!({"view_id": view});
    for body in [json!({}), json!({"inputs": []}), json!({"inputs": vec![one.clone(); 101]}), json!({"inputs": one}), json!([])] {
        desk.post(&me(&desk), &format!("{PATH}/upsert/batch"), body).await.refused(400, "bad_request");
    }
    for body in [json!({"ids": []}), json!({"ids": vec![NOBODY; 101]}), json!({"ids": view})] {
        desk.post(&me(&desk), &format!("{PATH}/delete/batch"), body).await.refused(400, "bad_request");
    }
    assert!(order(&desk, &me(&desk)).await.is_empty());
}

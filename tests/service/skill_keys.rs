//! Idempotency keys of Skills, and batches in which each item has its own (interface: Workspace:
//! batch writes, Skills; Limits).

use crate::skills::{
    WRITE_VERBS, create_skill, official_skills, read_skill, skill_bundle, skill_names, skill_path,
    write_skill, write_with_key,
};
use crate::support::{TestCaller, TestService};
use serde_json::{Value, json};

fn batch_item(name: &str, key: &str) -> Value {
    let mut item = skill_bundle(name);
    item["idempotencyKey"] = json!(key);
    item
}

#[tokio::test]
async fn every_write_requires_an_idempotency_key_of_1_to_200_characters() {
    let api = TestService::new().await;
    let key = api.api_key(0);
    for verb in WRITE_VERBS {
        let error = api
            .post(&key, &skill_path(verb), json!({}))
            .await
            .expect_error(400, "bad_request");
        assert_eq!(
            error["issues"][0]["path"],
            json!(["Idempotency-Key"]),
            "{verb}"
        );
        write_with_key(&api, &key, verb, &"k".repeat(201), &json!({}))
            .await
            .expect_error(400, "bad_request");
        write_skill(&api, &api.read_only_key(0), verb, json!({}))
            .await
            .expect_error(403, "forbidden");
    }
    write_with_key(&api, &key, "create", &"k".repeat(200), &skill_bundle("One"))
        .await
        .ok();
    // reads are POST, and allowed with a read-only key
    read_skill(&api, &api.read_only_key(0), "list", json!({})).await;
}

#[tokio::test]
async fn a_reused_key_replays_the_receipt_and_is_409_with_another_body() {
    let api = TestService::new().await;
    let (key, body) = (api.api_key(0), skill_bundle("Zeppelin"));
    let first = write_with_key(&api, &key, "create", "intent-1", &body)
        .await
        .ok();
    let again = write_with_key(&api, &key, "create", "intent-1", &body)
        .await
        .ok();
    assert_eq!(first, again);
    assert_eq!(
        skill_names(&api, &key, "find", json!({"query": "zeppelin"}))
            .await
            .len(),
        1
    );
    write_with_key(&api, &key, "create", "intent-1", &skill_bundle("Twice"))
        .await
        .expect_error(409, "idempotency_conflict");
    // the same body on another route is another write
    let id = json!({"skill_id": first["data"]["skill_id"]});
    write_with_key(&api, &key, "publish", "intent-2", &id)
        .await
        .ok();
    write_with_key(&api, &key, "unpublish", "intent-2", &id)
        .await
        .expect_error(409, "idempotency_conflict");
    // a replay returns the first response, though the Skill is deleted
    write_skill(&api, &key, "delete", id.clone()).await.ok();
    assert_eq!(
        write_with_key(&api, &key, "publish", "intent-2", &id)
            .await
            .ok()["data"]["lifecycle"],
        "published"
    );
    // an error releases the key
    write_with_key(&api, &key, "create", "intent-3", &json!({"name": "x"}))
        .await
        .expect_error(400, "bad_request");
    write_with_key(&api, &key, "create", "intent-3", &skill_bundle("Three"))
        .await
        .ok();
    // callers do not share keys
    write_with_key(
        &api,
        &api.member_caller(0, 2),
        "create",
        "intent-1",
        &skill_bundle("Elsewhere"),
    )
    .await
    .ok();
    write_with_key(
        &api,
        &api.api_key(1),
        "create",
        "intent-1",
        &skill_bundle("Elsewhere"),
    )
    .await
    .ok();
}

#[tokio::test]
async fn an_idempotency_key_lasts_24_hours_even_across_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let begin: chrono::DateTime<chrono::Utc> = "2026-03-01T09:00:00Z".parse().unwrap();
    let options = |hours| gantry::service::ServiceOptions {
        data: gantry::service::Storage::File(folder.path().join("gantry.db")),
        projects: 20,
        as_of: Some(begin + chrono::TimeDelta::hours(hours)),
        ..Default::default()
    };
    let mut ids = Vec::new();
    for hours in [0, 23, 25] {
        let api = TestService::with_options(options(hours)).await;
        let reply = write_with_key(
            &api,
            &api.member_caller(0, 0),
            "create",
            "intent-1",
            &skill_bundle("Once"),
        )
        .await
        .ok();
        ids.push(reply["data"]["skill_id"].clone());
        api.service.stop().await;
    }
    assert_eq!(ids[0], ids[1]);
    assert_ne!(ids[1], ids[2]);
}

#[tokio::test]
async fn parallel_writes_under_one_key_are_one_write() {
    let api = TestService::new().await;
    let (key, body) = (api.api_key(0), skill_bundle("Once"));
    let all = futures_util::future::join_all(
        (0..8).map(|_| write_with_key(&api, &key, "create", "intent-1", &body)),
    )
    .await;
    let ids: Vec<_> = all
        .into_iter()
        .map(|reply| reply.ok()["data"]["skill_id"].clone())
        .collect();
    assert!(ids.iter().all(|id| *id == ids[0]));
}

async fn send_batch(api: &TestService, caller: &TestCaller, verb: &str, inputs: Value) -> Value {
    api.post(
        caller,
        &skill_path(&format!("{verb}/batch")),
        json!({ "inputs": inputs }),
    )
    .await
    .ok()
}

#[tokio::test]
async fn every_write_has_a_batch_with_independent_items() {
    let api = TestService::new().await;
    let key = api.api_key(0);
    let inputs = json!([batch_item("A", "a"), {"name": "no key"}, batch_item("A", "a"), batch_item("B", "a"), 7, batch_item("C", &"c".repeat(201))]);
    let reply = send_batch(&api, &key, "create", inputs).await;
    assert_eq!(
        reply["metadata"],
        json!({"credits": 0, "succeeded": 2, "failed": 4})
    );
    let results = reply["data"]["results"].as_array().unwrap();
    let codes: Vec<_> = results
        .iter()
        .map(|result| result["error"]["code"].as_str().unwrap_or("ok"))
        .collect();
    assert_eq!(
        codes,
        [
            "ok",
            "bad_request",
            "ok",
            "idempotency_conflict",
            "bad_request",
            "bad_request"
        ]
    );
    assert_eq!(results[0]["record"], results[2]["record"]);
    assert_eq!(
        (&results[4]["index"], &results[4]["status"]),
        (&json!(4), &json!("error"))
    );
    // batch items and single writes share their keys
    let single = write_with_key(&api, &key, "create", "a", &skill_bundle("A"))
        .await
        .ok();
    assert_eq!(single["data"], results[0]["record"]);

    let id = results[0]["record"]["skill_id"].clone();
    let user = api.workspace(0).members[2].user_id;
    for (verb, more) in [
        ("update", json!({"name": "Z"})),
        ("publish", json!({})),
        ("unpublish", json!({})),
        ("move", json!({"audience": "workspace"})),
        ("transfer", json!({"user_id": user})),
        ("fork", json!({})),
        ("delete", json!({})),
    ] {
        let mut item = more;
        item["skill_id"] = id.clone();
        item["idempotencyKey"] = json!(format!("{verb}-1"));
        let reply = send_batch(&api, &key, verb, json!([item])).await;
        assert_eq!(reply["metadata"]["succeeded"], 1, "{verb} {reply}");
    }
    let away = official_skills(&api, &key).await[0]["id"].clone();
    for verb in ["install", "uninstall"] {
        let reply = send_batch(
            &api,
            &key,
            verb,
            json!([{"skill_id": away, "idempotencyKey": verb}]),
        )
        .await;
        assert_eq!(reply["data"]["results"][0]["record"]["skill_id"], away);
    }
}

#[tokio::test]
async fn a_batch_is_400_only_for_its_envelope_and_then_nothing_is_applied() {
    let api = TestService::new().await;
    let key = api.api_key(0);
    let mut item = skill_bundle("Never");
    item["idempotencyKey"] = json!("n");
    for body in [
        json!({}),
        json!({"inputs": []}),
        json!({"inputs": vec![item.clone(); 101]}),
        json!({"inputs": item}),
        json!([]),
    ] {
        for verb in WRITE_VERBS {
            api.post(&key, &skill_path(&format!("{verb}/batch")), body.clone())
                .await
                .expect_error(400, "bad_request");
        }
    }
    assert!(
        skill_names(&api, &key, "find", json!({"query": "never"}))
            .await
            .is_empty()
    );
}

#[tokio::test]
async fn batch_deletes_are_idempotent_per_item() {
    let api = TestService::new().await;
    let key = api.api_key(0);
    let id = create_skill(&api, &key, "Once").await;
    let nobody = "00000000-0000-4000-8000-000000000000";
    let inputs = json!([
        {"skill_id": id, "idempotencyKey": "1"}, {"skill_id": id, "idempotencyKey": "2"},
        {"skill_id": nobody, "idempotencyKey": "3"}, {"skill_id": "?", "idempotencyKey": "4"}]);
    let reply = send_batch(&api, &key, "delete", inputs).await;
    let statuses: Vec<_> = reply["data"]["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["status"].clone())
        .collect();
    assert_eq!(statuses, ["ok", "ok", "ok", "error"]);
}

#[tokio::test]
async fn a_batch_item_without_a_valid_key_fails_only_itself() {
    let api = TestService::new().await;
    let key = api.api_key(0);
    for verb in WRITE_VERBS {
        for (odd, is_good) in [
            (Value::Null, false),
            (json!(""), false),
            (json!(7), false),
            (json!("k".repeat(201)), false),
            (json!("k"), true),
            (json!("k".repeat(200)), true),
        ] {
            let mut one =
                json!({"skill_id": "00000000-0000-4000-8000-000000000000", "idempotencyKey": odd});
            if odd.is_null() {
                one.as_object_mut().unwrap().remove("idempotencyKey");
            }
            let reply = send_batch(&api, &key, verb, json!([one])).await;
            let message = reply["data"]["results"][0]["error"]["message"]
                .as_str()
                .unwrap_or_default();
            assert_eq!(
                message.contains("idempotencyKey"),
                !is_good,
                "{verb} {odd} {reply}"
            );
        }
    }
}

#[tokio::test]
async fn single_routes_use_the_header_key_and_batches_the_items_key() {
    let api = TestService::new().await;
    let key = api.api_key(0);
    // a single body has no field for a key
    write_with_key(
        &api,
        &key,
        "create",
        "header",
        &batch_item("One", "in the body"),
    )
    .await
    .expect_error(400, "bad_request");
    // a header does not replace an item's key
    let body = json!({"inputs": [skill_bundle("Two")]});
    let reply = write_with_key(&api, &key, "create/batch", "header", &body)
        .await
        .ok();
    assert_eq!(reply["data"]["results"][0]["error"]["code"], "bad_request");
}

#[tokio::test]
async fn batch_results_are_in_input_order_with_record_or_error() {
    let api = TestService::new().await;
    let reply = send_batch(
        &api,
        &api.api_key(0),
        "create",
        json!([batch_item("A", "a"), 7, batch_item("B", "b")]),
    )
    .await;
    let results = reply["data"]["results"].as_array().unwrap();
    assert_eq!(results.len(), 3);
    for (nth, result) in results.iter().enumerate() {
        let ok = nth != 1;
        let keys: Vec<_> = result
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        assert_eq!(
            keys,
            if ok {
                ["index", "record", "status"]
            } else {
                ["error", "index", "status"]
            }
        );
        assert_eq!(
            (&result["index"], &result["status"]),
            (&json!(nth), &json!(if ok { "ok" } else { "error" }))
        );
    }
}

#[tokio::test]
async fn items_apply_in_input_order_and_the_later_one_wins() {
    let api = TestService::new().await;
    let key = api.api_key(0);
    let id = create_skill(&api, &key, "Start").await;
    let rename = |name: &str| json!({"skill_id": id, "name": name, "idempotencyKey": name});
    send_batch(
        &api,
        &key,
        "update",
        json!([rename("First"), rename("Second")]),
    )
    .await;
    let skill = read_skill(&api, &key, "get", json!({"skill_id": id})).await;
    assert_eq!(
        (&skill["name"], &skill["revision"]),
        (&json!("Second"), &json!(3))
    );
}

#[tokio::test]
async fn a_batch_accepts_100_items() {
    let api = TestService::new().await;
    let inputs: Value = (0..100)
        .map(|nth| batch_item("Many", &nth.to_string()))
        .collect();
    let reply = send_batch(&api, &api.api_key(0), "create", inputs).await;
    assert_eq!(
        reply["metadata"],
        json!({"credits": 0, "succeeded": 100, "failed": 0})
    );
}

#[tokio::test]
async fn a_resent_batch_replays_its_results_and_does_nothing() {
    let api = TestService::new().await;
    let key = api.api_key(0);
    let inputs = json!([batch_item("Zeppelin", "z-1"), batch_item("Zeppelin", "z-2")]);
    let first = send_batch(&api, &key, "create", inputs.clone()).await;
    assert_eq!(send_batch(&api, &key, "create", inputs).await, first);
    assert_eq!(
        skill_names(&api, &key, "find", json!({"query": "zeppelin"}))
            .await
            .len(),
        2
    );
}

#[tokio::test]
async fn a_batch_requires_the_workspace_write_scope() {
    let api = TestService::new().await;
    for verb in WRITE_VERBS {
        let body = json!({"inputs": [batch_item("A", "a")]});
        api.post(
            &api.read_only_key(0),
            &skill_path(&format!("{verb}/batch")),
            body,
        )
        .await
        .expect_error(403, "forbidden");
    }
}

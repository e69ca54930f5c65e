//! Searches over HTTP (interface: Data API, Filter grammar, book searches, Search records).

use crate::support::{TestCaller, TestService};
use serde_json::{Value, json};

async fn credits_used(api: &TestService, caller: &TestCaller) -> i64 {
    api.get(caller, "/workspace/credits").await.ok()["data"]["used"]
        .as_i64()
        .expect("a number")
}

#[tokio::test]
async fn a_search_costs_one_credit_per_row_and_an_error_costs_nothing() {
    let api = TestService::new().await;
    let key = api.api_key(0);
    let before = credits_used(&api, &key).await;
    let mut spent = 0;
    for path in [
        "/data/accounts/search",
        "/data/contacts/search",
        "/data/projects/search",
        "/data/signals/search",
        "/workspace/accounts/search",
        "/workspace/contacts/search",
        "/workspace/projects/search",
    ] {
        let reply = api.post(&key, path, json!({"limit": 3})).await.ok();
        assert_eq!(reply["data"].as_array().unwrap().len(), 3, "{path}");
        let metadata = &reply["metadata"];
        assert_eq!(
            (
                &metadata["credits"],
                &metadata["limit"],
                &metadata["offset"]
            ),
            (&json!(3), &json!(3), &json!(0))
        );
        assert_eq!(metadata.as_object().unwrap().len(), 6);
        spent += 3;
        let none = api.post(&key, path, json!({"offset": 10_000})).await.ok();
        assert_eq!(
            (
                &none["data"],
                &none["metadata"]["credits"],
                &none["metadata"]["search_after"]
            ),
            (&json!([]), &json!(0), &Value::Null)
        );
        api.post(&key, path, json!({"limit": 101}))
            .await
            .expect_error(400, "bad_request");
        api.post(&key, path, json!({"offset": 10_001}))
            .await
            .expect_error(400, "bad_request");
    }
    assert_eq!(credits_used(&api, &key).await - before, spent);
}

#[tokio::test]
async fn include_and_view_id_are_not_supported_in_searches() {
    let api = TestService::new().await;
    let key = api.api_key(0);
    for (path, body) in [
        ("/data/projects/search", json!({"include": ["accounts"]})),
        ("/workspace/accounts/search", json!({"view_id": "x"})),
    ] {
        let error = api
            .post(&key, path, body)
            .await
            .expect_error(400, "bad_request");
        assert_eq!(error["issues"][0]["code"], "unknown_key");
    }
}

#[tokio::test]
async fn a_cursor_of_one_workspace_is_rejected_in_another() {
    let api = TestService::new().await;
    let first = api
        .post(
            &api.api_key(0),
            "/data/projects/search",
            json!({"limit": 5}),
        )
        .await
        .ok();
    let body = json!({"limit": 5, "search_after": first["metadata"]["search_after"]});
    let next = api
        .post(&api.api_key(0), "/data/projects/search", body.clone())
        .await
        .ok();
    assert_eq!(
        (&next["metadata"]["offset"], &next["metadata"]["total"]),
        (&json!(0), &first["metadata"]["total"])
    );
    assert_ne!(next["data"][0], first["data"][0]);
    api.post(&api.api_key(1), "/data/projects/search", body)
        .await
        .expect_error(400, "bad_request");
}

#[tokio::test]
async fn a_view_search_returns_its_dataset_and_null_overlays_outside_the_book() {
    let api = TestService::new().await;
    let key = api.api_key(0);
    let views = api.get(&key, "/workspace/views").await.ok();
    let mut seen = 0;
    for view in views["data"]["views"].as_array().unwrap() {
        let path = format!(
            "/workspace/views/{}/records/search",
            view["id"].as_str().unwrap()
        );
        let reply = api.post(&key, &path, json!({"limit": 100})).await.ok();
        assert_eq!(reply["data"]["dataset"], view["dataset"]);
        let records = reply["data"]["records"].as_array().unwrap();
        assert_eq!(reply["metadata"]["credits"], records.len());
        for record in records
            .iter()
            .filter(|record| record["updated_at"].is_null())
        {
            assert!(
                record["tags"].is_null() && record["workspace_status"].is_null(),
                "{record}"
            );
            seen += 1;
        }
        let narrowed = api
            .post(
                &key,
                &path,
                json!({"filters": {"name": {"value": "zzzzqqqq"}}}),
            )
            .await
            .ok();
        assert_eq!(narrowed["metadata"]["total"], 0);
        let before = api
            .get(
                &key,
                &format!("/workspace/views/{}", view["id"].as_str().unwrap()),
            )
            .await
            .ok();
        assert_eq!(
            before["data"]["definition"], view["definition"],
            "a search does not change the definition"
        );
        api.post(&key, &path, json!({"sort": {"field": "updated_at"}}))
            .await
            .expect_error(400, "bad_request");
    }
    assert!(seen > 0, "a View finds more than the book");
}

#[tokio::test]
async fn a_search_is_charged_only_to_the_callers_workspace() {
    let api = TestService::new().await;
    let (ours, theirs) = (
        credits_used(&api, &api.api_key(0)).await,
        credits_used(&api, &api.api_key(1)).await,
    );
    api.post(
        &api.api_key(0),
        "/data/accounts/search",
        json!({"limit": 7}),
    )
    .await
    .ok();
    api.post(
        &api.member_caller(0, 2),
        "/workspace/accounts/search",
        json!({"limit": 4}),
    )
    .await
    .ok();
    assert_eq!(
        (
            credits_used(&api, &api.api_key(0)).await,
            credits_used(&api, &api.api_key(1)).await
        ),
        (ours + 11, theirs)
    );
}

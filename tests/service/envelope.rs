//! Errors as named in the interface, and batches that are rejected as a whole (interface: Errors;
//! Workspace: batch writes; Limits).

use crate::fields::assert_fields;
use crate::service_with_file::ServiceWithFile;
use crate::support::TestService;
use gantry::interface::routes;
use serde_json::{Value, json};

const UNKNOWN_ID: &str = "00000000-0000-4000-8000-000000000000";

/// The paths of all batches, over a Static View.
fn batch_paths(view: &str) -> Vec<String> {
    let all = routes()
        .into_iter()
        .filter(|route| route.path.ends_with("/batch"));
    all.map(|route| route.path.replace("{id}", view)).collect()
}

async fn create_view(api: &TestService) -> String {
    let body = json!({"name": "Ours", "dataset": "account", "type": "static"});
    let reply = api
        .post(&api.member_caller(0, 0), "/workspace/views/upsert", body)
        .await
        .ok();
    reply["data"]["id"].as_str().unwrap().to_owned()
}

/// The key of a batch's elements, and an element that is invalid everywhere.
fn invalid_element(path: &str) -> (&'static str, Value) {
    let by_id = path.ends_with("/delete/batch") && !path.contains("/skills/");
    if by_id {
        ("ids", json!("nonsense"))
    } else {
        ("inputs", json!({"nonsense": 1}))
    }
}

#[tokio::test]
async fn every_documented_batch_route_exists() {
    let view = "{id}";
    let mut expected = Vec::new();
    for noun in [
        "accounts",
        "projects",
        "contacts",
        "views",
        "favorite-views",
    ] {
        expected.extend(["upsert", "delete"].map(|verb| format!("/workspace/{noun}/{verb}/batch")));
    }
    expected.extend(
        ["add", "delete"].map(|verb| format!("/workspace/views/{view}/records/{verb}/batch")),
    );
    let skills = [
        "create",
        "update",
        "publish",
        "unpublish",
        "delete",
        "transfer",
        "move",
        "fork",
        "install",
        "uninstall",
    ];
    expected.extend(skills.map(|verb| format!("/workspace/skills/{verb}/batch")));
    let mut found = batch_paths(view);
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

#[tokio::test]
async fn an_envelope_problem_is_a_batch_level_400_validation_error() {
    let api = TestService::new().await;
    let view = create_view(&api).await;
    for path in batch_paths(&view) {
        let (key, element) = invalid_element(&path);
        for (what, body, issue) in [
            ("no elements", json!({}), "required"),
            ("an empty array", json!({ key: [] }), "too_small"),
            (
                "101 elements",
                json!({ key: vec![element.clone(); 101] }),
                "too_big",
            ),
            ("no array", json!({ key: element }), "invalid_type"),
            (
                "another key",
                json!({ key: [element], "more": 1 }),
                "unknown_key",
            ),
            ("no object", json!([element]), "invalid_type"),
        ] {
            let error = api
                .post(&api.member_caller(0, 0), &path, body)
                .await
                .expect_error(400, "bad_request");
            assert_fields(
                &error,
                &[
                    ("code", "bad_request"),
                    ("message", "string"),
                    ("issues", "object[]"),
                ],
            );
            assert_eq!(error["issues"][0]["code"], issue, "{path}: {what}");
        }
    }
}

#[tokio::test]
async fn a_malformed_element_fails_only_itself() {
    let api = TestService::new().await;
    let view = create_view(&api).await;
    for path in batch_paths(&view) {
        let (key, element) = invalid_element(&path);
        let odd = [element, json!(7), json!(null), json!([]), json!({})];
        let reply = api
            .post(&api.member_caller(0, 0), &path, json!({ key: odd }))
            .await
            .ok();
        assert_eq!(
            reply["metadata"],
            json!({"credits": 0, "succeeded": 0, "failed": odd.len()}),
            "{path}"
        );
        for (nth, result) in reply["data"]["results"]
            .as_array()
            .unwrap()
            .iter()
            .enumerate()
        {
            assert_eq!(
                (&result["index"], &result["status"]),
                (&json!(nth), &json!("error")),
                "{path}"
            );
            assert_eq!(result["error"]["code"], "bad_request", "{path} {result}");
            assert_fields(
                &result["error"],
                &[("code", "string"), ("message", "string")],
            );
        }
    }
}

#[tokio::test]
async fn every_batch_accepts_100_elements() {
    let api = TestService::new().await;
    let view = create_view(&api).await;
    for path in batch_paths(&view) {
        let (key, element) = invalid_element(&path);
        let reply = api
            .post(
                &api.member_caller(0, 0),
                &path,
                json!({ key: vec![element; 100] }),
            )
            .await
            .ok();
        assert_eq!(
            reply["data"]["results"].as_array().unwrap().len(),
            100,
            "{path}"
        );
    }
}

#[tokio::test]
async fn every_documented_error_has_its_status_and_code() {
    let api = ServiceWithFile::new().await;
    let (key, plain) = (api.api_key(0), api.member_caller(0, 2));
    let made = create_view(&api).await;
    let body = json!({"name": "All", "dataset": "account", "type": "dynamic", "definition": {"conditions": []}});
    let dynamic = api.post(&key, "/workspace/views/upsert", body).await.ok()["data"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let domain = api.query_text(
        "SELECT domain FROM account_domains GROUP BY domain HAVING count(*) > 1 LIMIT 1",
    );
    let silent = crate::support::TestCaller {
        workspace: None,
        ..api.member_caller(0, 0)
    };
    let unsaved = api.unsaved_ids("account", 1).remove(0);
    let with = |key: &str| json!({key: UNKNOWN_ID});
    for (what, reply, status, code) in [
        (
            "a workspace that is not Pro",
            api.get(&api.api_key(2), "/workspace").await,
            403,
            "forbidden",
        ),
        (
            "no member",
            api.get(
                &api.member_caller(0, 0).with_workspace(api.workspace_id(1)),
                "/workspace",
            )
            .await,
            403,
            "forbidden",
        ),
        (
            "Free, Data API",
            api.post(&api.api_key(3), "/data/accounts/search", json!({}))
                .await,
            403,
            "forbidden",
        ),
        (
            "Starter, Data API",
            api.post(&api.api_key(2), "/data/accounts/search", json!({}))
                .await,
            403,
            "forbidden",
        ),
        (
            "a revoke by a member",
            api.delete(&plain, &format!("/workspace/invitations/{UNKNOWN_ID}"))
                .await,
            403,
            "forbidden",
        ),
        (
            "no workspace_id",
            api.get(&silent, "/workspace").await,
            400,
            "bad_request",
        ),
        (
            "unknown in the index",
            api.get(&key, &format!("/data/accounts/{UNKNOWN_ID}")).await,
            404,
            "not_found",
        ),
        (
            "not in the book",
            api.get(&key, &format!("/workspace/accounts/{unsaved}"))
                .await,
            404,
            "not_found",
        ),
        (
            "a match that finds nothing",
            api.post(
                &key,
                "/workspace/accounts/upsert",
                json!({"match": {"domain": "nowhere.example"}}),
            )
            .await,
            404,
            "not_found",
        ),
        (
            "an invitation that is missing",
            api.delete(&key, &format!("/workspace/invitations/{UNKNOWN_ID}"))
                .await,
            404,
            "not_found",
        ),
        (
            "a type not subscribed",
            api.delete(
                &key.with_workspace(api.workspace_id(0)),
                "/signal-subscriptions/environmental_review",
            )
            .await,
            404,
            "not_found",
        ),
        (
            "a match that finds more than one",
            api.post(
                &key,
                "/workspace/accounts/upsert",
                json!({"match": {"domain": domain}}),
            )
            .await,
            409,
            "ambiguous_match",
        ),
        (
            "an unknown View on add",
            api.post(
                &key,
                &format!("/workspace/views/{UNKNOWN_ID}/records/add"),
                with("record_id"),
            )
            .await,
            404,
            "view_not_found",
        ),
        (
            "an unknown View on remove",
            api.delete(
                &key,
                &format!("/workspace/views/{UNKNOWN_ID}/records/{UNKNOWN_ID}"),
            )
            .await,
            404,
            "view_not_found",
        ),
        (
            "an add to a Dynamic View",
            api.post(
                &key,
                &format!("/workspace/views/{dynamic}/records/add"),
                with("record_id"),
            )
            .await,
            400,
            "view_type_mismatch",
        ),
        (
            "a remove from a Dynamic View",
            api.delete(
                &key,
                &format!("/workspace/views/{dynamic}/records/{UNKNOWN_ID}"),
            )
            .await,
            400,
            "view_type_mismatch",
        ),
    ] {
        assert_eq!(
            (reply.status, reply.body["error"]["code"].as_str()),
            (status, Some(code)),
            "{what}: {}",
            reply.text
        );
        let keys: Vec<_> = reply.body.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["error"], "{what}");
        assert!(
            reply.body["error"]["message"]
                .as_str()
                .is_some_and(|message| !message.is_empty()),
            "{what}"
        );
    }
    let reply = api
        .post(
            &key,
            &format!("/workspace/views/{made}/records/add"),
            with("record_id"),
        )
        .await
        .ok();
    assert_eq!(
        reply["data"]["results"][0]["error"]["code"],
        "record_not_found"
    );
}

#[tokio::test]
async fn a_validation_error_lists_every_field_with_its_path_and_a_hint() {
    let api = TestService::new().await;
    let body = json!({"filters": {"stage": {"value": "finished"}, "colour": {"value": 1}, "stories": {"min": "2026-01-01"}},
        "limit": 500});
    let error = api
        .post(&api.api_key(0), "/data/projects/search", body)
        .await
        .expect_error(400, "bad_request");
    let issues = error["issues"].as_array().unwrap();
    let at = |path: Value| {
        issues
            .iter()
            .find(|issue| issue["path"] == path)
            .unwrap_or_else(|| panic!("{path} in {error}"))
    };
    let stage = at(json!(["filters", "stage", "value"]));
    assert_eq!(
        (&stage["code"], &stage["received"]),
        (&json!("invalid_enum_value"), &json!("finished"))
    );
    assert!(
        stage["allowed"]
            .as_array()
            .unwrap()
            .contains(&json!("under_construction"))
    );
    assert_eq!(at(json!(["filters", "colour"]))["code"], "unknown_key");
    assert_eq!(
        at(json!(["filters", "stories", "min"]))["code"],
        "invalid_type"
    );
    assert_eq!(at(json!(["limit"]))["code"], "too_big");
    assert!(issues.iter().all(|issue| issue["message"].is_string()));
}

#[tokio::test]
async fn missing_foreign_accepted_and_revoked_items_are_the_same_404() {
    let api = TestService::new().await;
    let theirs = api
        .get(&api.api_key(1), "/workspace/invitations")
        .await
        .ok()["data"]["invitations"]
        .clone();
    let ours = api
        .get(&api.api_key(0), "/workspace/invitations")
        .await
        .ok()["data"]["invitations"]
        .clone();
    let id = |list: &Value, status: &str| {
        let found = list
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["status"] == status)
            .unwrap();
        found["id"].as_str().unwrap().to_owned()
    };
    let mut messages = std::collections::BTreeSet::new();
    for id in [
        UNKNOWN_ID.to_owned(),
        id(&theirs, "pending"),
        id(&ours, "accepted"),
        id(&ours, "revoked"),
    ] {
        let error = api
            .delete(&api.api_key(0), &format!("/workspace/invitations/{id}"))
            .await
            .expect_error(404, "not_found");
        messages.insert(error["message"].to_string());
    }
    assert_eq!(
        messages.len(),
        1,
        "the message depends on whether the id exists: {messages:?}"
    );
}

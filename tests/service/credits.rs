//! Metering (interface: Limits; decisions 2.3 and 2.5): reads are charged, rejected reads are not,
//! and the limit is enforced.

use crate::fields::assert_fields;
use crate::service_with_file::ServiceWithFile;
use crate::support::TestService;
use gantry::service::{ServiceOptions, Storage};
use serde_json::Value;

/// A service whose first workspace has this many credits left.
async fn start_with_credits_left(folder: &tempfile::TempDir, left: i64) -> TestService {
    let options = ServiceOptions {
        data: Storage::File(folder.path().join("desk.db")),
        projects: 40,
        ..ServiceOptions::default()
    };
    TestService::with_options(options.clone())
        .await
        .service
        .stop()
        .await;
    let conn = rusqlite::Connection::open(folder.path().join("desk.db")).unwrap();
    let minute = chrono::Utc::now().timestamp() / 60;
    conn.execute("DELETE FROM spending", []).unwrap();
    conn.execute(
        "INSERT INTO spending SELECT id, ?1, ?2 FROM workspaces ORDER BY workspaces.rowid LIMIT 1",
        (minute - 600, 250_000 - left),
    )
    .unwrap();
    drop(conn);
    TestService::with_options(options).await
}

async fn any_project_id(api: &TestService) -> String {
    let page = api
        .get(
            &api.api_key(0).with_workspace(api.workspace_id(0)),
            "/signals?limit=1",
        )
        .await
        .ok();
    page["signals"][0]["project_id"]
        .as_str()
        .unwrap()
        .to_owned()
}

async fn credits_state(api: &TestService) -> Value {
    api.get(&api.api_key(0), "/workspace/credits").await.ok()["data"].clone()
}

#[tokio::test]
async fn parallel_reads_never_exceed_the_ceiling_and_rejected_calls_are_free() {
    let folder = tempfile::tempdir().unwrap();
    let api = std::sync::Arc::new(start_with_credits_left(&folder, 7).await);
    let path = format!("/data/projects/{}", any_project_id(&api).await);
    let asked: Vec<_> = (0..40)
        .map(|_| {
            let (api, path) = (api.clone(), path.clone());
            tokio::spawn(async move { api.get(&api.api_key(0), &path).await })
        })
        .collect();
    let (mut served, mut refused) = (0, 0);
    for reply in asked {
        let reply = reply.await.unwrap();
        if reply.status == 200 {
            served += 1;
            continue;
        }
        refused += 1;
        let seconds: i64 = reply.headers["retry-after"]
            .to_str()
            .unwrap()
            .parse()
            .unwrap();
        let error = reply.expect_error(429, "credit_limit_exceeded");
        assert_eq!(
            (&error["details"]["limit"], &error["details"]["used"]),
            (&250_000.into(), &250_000.into())
        );
        assert_eq!(error["details"]["retry_after_seconds"], seconds);
        assert!((13 * 3600..=24 * 3600).contains(&seconds), "{seconds}");
    }
    assert_eq!((served, refused), (7, 33));
    let state = credits_state(&api).await;
    assert_eq!(
        (&state["used"], &state["remaining"], &state["window_hours"]),
        (&250_000.into(), &0.into(), &24.into())
    );
}

#[tokio::test]
async fn meta_reads_queue_and_writes_still_work_at_the_ceiling() {
    let folder = tempfile::tempdir().unwrap();
    let api = start_with_credits_left(&folder, 0).await;
    api.get(&api.api_key(0), "/workspace").await.ok();
    let key = api.api_key(0).with_workspace(api.workspace_id(0));
    let page = api.get(&key, "/signals/queue?limit=1").await.ok();
    let body = serde_json::json!({"workspace_id": api.workspace_id(0), "signal_ids": [page["signals"][0]["id"]], "status": "done"});
    assert_eq!(
        api.post(&api.api_key(0), "/signals/triage", body)
            .await
            .ok()["updated"],
        1
    );
    let path = format!("/data/projects/{}", any_project_id(&api).await);
    api.get(&api.api_key(0), &path)
        .await
        .expect_error(429, "credit_limit_exceeded");
    api.get(&api.api_key(1), &path).await.ok();
}

#[tokio::test]
async fn spending_counts_for_24_hours_and_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let api = start_with_credits_left(&folder, 1000).await;
    let path = format!("/data/projects/{}", any_project_id(&api).await);
    let before = credits_state(&api).await["used"].as_i64().unwrap();
    api.get(&api.api_key(0), &path).await.ok();
    api.service.stop().await;
    let options = ServiceOptions {
        data: Storage::File(folder.path().join("desk.db")),
        ..ServiceOptions::default()
    };
    let again = TestService::with_options(options.clone()).await;
    assert_eq!(credits_state(&again).await["used"], before + 1);
    again.service.stop().await;
    let tomorrow = chrono::Utc::now() + chrono::TimeDelta::hours(15);
    let later = TestService::with_options(ServiceOptions {
        as_of: Some(tomorrow),
        ..options
    })
    .await;
    assert_eq!(
        credits_state(&later).await["used"],
        1,
        "the old spending has left the window"
    );
}

#[tokio::test]
async fn the_ceiling_is_250000_credits_and_the_credits_route_reports_it() {
    let api = TestService::new().await;
    let reply = api
        .get(&api.read_only_key(0), "/workspace/credits")
        .await
        .ok();
    assert_eq!(reply["metadata"], serde_json::json!({"credits": 0}));
    let table = [
        ("limit", "integer"),
        ("used", "integer"),
        ("remaining", "integer"),
        ("window_hours", "integer"),
        ("window_started_at", "moment"),
        ("next_release_at", "moment?"),
        ("signal_read_credits", "integer"),
    ];
    assert_fields(&reply["data"], &table);
    let number = |key: &str| reply["data"][key].as_i64().unwrap();
    assert_eq!((number("limit"), number("window_hours")), (250_000, 24));
    assert_eq!(number("used") + number("remaining"), 250_000);
    let moment = |key: &str| {
        reply["data"][key]
            .as_str()
            .unwrap()
            .parse::<chrono::DateTime<chrono::Utc>>()
            .unwrap()
    };
    let since = chrono::Utc::now() - moment("window_started_at");
    assert!(
        (since - chrono::TimeDelta::hours(24)).num_minutes().abs() < 2,
        "{since}"
    );
    assert!(moment("next_release_at") > chrono::Utc::now());
}

#[tokio::test]
async fn each_workspace_has_a_meter_of_its_own() {
    let api = ServiceWithFile::new().await;
    let path = format!("/data/projects/{}", any_project_id(&api).await);
    let before = (api.credits_used(0).await, api.credits_used(1).await);
    api.get(&api.api_key(0), &path).await.ok();
    api.get(&api.member_caller(0, 3), &path).await.ok();
    assert_eq!(
        (api.credits_used(0).await, api.credits_used(1).await),
        (before.0 + 2, before.1),
        "keys and members of one, together"
    );
}

#[tokio::test]
async fn meta_reads_are_never_throttled() {
    let folder = tempfile::tempdir().unwrap();
    let api = start_with_credits_left(&folder, 0).await;
    for _ in 0..150 {
        for path in ["/workspace", "/workspace/credits"] {
            api.get(&api.api_key(0), path).await.ok();
        }
    }
}

#[tokio::test]
async fn a_rejected_call_costs_nothing() {
    let api = ServiceWithFile::new().await;
    let key = api.api_key(0);
    let before = api.credits_used(0).await;
    for (method, path, body) in [
        (
            "GET",
            "/data/accounts/00000000-0000-4000-8000-000000000000",
            None,
        ),
        (
            "GET",
            "/workspace/accounts/00000000-0000-4000-8000-000000000000",
            None,
        ),
        ("GET", "/data/accounts/nonsense?include=moon", None),
        ("POST", "/data/accounts/search", Some("{\"limit\": 0}")),
        (
            "POST",
            "/workspace/accounts/search",
            Some("{\"filters\": {\"colour\": {}}}"),
        ),
        (
            "POST",
            "/workspace/views/00000000-0000-4000-8000-000000000000/records/search",
            Some("{}"),
        ),
    ] {
        let reply = api.send(&key, method, path, body.map(str::to_owned)).await;
        assert!(reply.status >= 400, "{method} {path}");
        assert_eq!(api.credits_used(0).await, before, "{method} {path}");
    }
}

#[tokio::test]
async fn metered_searches_stop_at_the_ceiling_and_free_routes_continue() {
    let folder = tempfile::tempdir().unwrap();
    let api = start_with_credits_left(&folder, 0).await;
    let key = api.api_key(0);
    let views = api.get(&key, "/workspace/views").await.ok();
    let view = views["data"]["views"][0]["id"].as_str().unwrap().to_owned();
    for path in [
        "/data/accounts/search",
        "/workspace/accounts/search",
        &format!("/workspace/views/{view}/records/search"),
    ] {
        let error = api
            .post(&key, path, serde_json::json!({}))
            .await
            .expect_error(429, "credit_limit_exceeded");
        assert!(
            error["message"].as_str().unwrap().contains("credit"),
            "{error}"
        );
    }
    for path in [
        "/workspace/members",
        "/workspace/invitations",
        "/filters?entity=skill",
        "/workspace/signal-subscriptions",
    ] {
        api.get(&key, path).await.ok();
    }
    api.post(&key, "/workspace/skills/list", serde_json::json!({}))
        .await
        .ok();
    api.post(
        &key,
        "/data/fields/search",
        serde_json::json!({"dataset": "accounts"}),
    )
    .await
    .ok();
}

//! Metering (interface: Limits; decisions 2.3 and 2.5): reads are charged, refused reads are not, and the ceiling holds.

use crate::fields::has_fields;
use crate::shelf::Shelf;
use crate::support::Desk;
use gantry::service::{ServiceOptions, Storage};
use serde_json::Value;

/// A service whose first workspace may spend so many credits more.
async fn with_left(folder: &tempfile::TempDir, left: i64) -> Desk {
    let options =
        ServiceOptions { data: Storage::File(folder.path().join("desk.db")), projects: 40, ..ServiceOptions::default() };
    Desk::with(options.clone()).await.service.stop().await;
    let conn = rusqlite::Connection::open(folder.path().join("desk.db")).unwrap();
    let minute = chrono::Utc::now().timestamp() / 60;
    conn.execute("DELETE FROM spending", []).unwrap();
    conn.execute(
        "INSERT INTO spending SELECT id, ?1, ?2 FROM workspaces ORDER BY workspaces.rowid LIMIT 1",
        (minute - 600, 250_000 - left),
    )
    .unwrap();
    drop(conn);
    Desk::with(options).await
}

async fn any_project(desk: &Desk) -> String {
    let page = desk.get(&desk.key(0).naming(desk.id(0)), "/signals?limit=1").await.ok();
    page["signals"][0]["project_id"].as_str().unwrap().to_owned()
}

async fn credits(desk: &Desk) -> Value {
    desk.get(&desk.key(0), "/workspace/credits").await.ok()["data"].clone()
}

#[tokio::test]
async fn the_ceiling_is_not_passed_by_parallel_reads_and_a_refused_call_costs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let desk = std::sync::Arc::new(with_left(&folder, 7).await);
    let path = format!("/data/projects/{}", any_project(&desk).await);
    let asked: Vec<_> = (0..40)
        .map(|_| {
            let (desk, path) = (desk.clone(), path.clone());
            tokio::spawn(async move { desk.get(&desk.key(0), &path).await })
        })
        .collect();
    let (mut served, mut refused) = (0, 0);
    for said in asked {
        let said = said.await.unwrap();
        if said.status == 200 {
            served += 1;
            continue;
        }
        refused += 1;
        let seconds: i64 = said.headers["retry-after"].to_str().unwrap().parse().unwrap();
        let error = said.refused(429, "credit_limit_exceeded");
        assert_eq!((&error["details"]["limit"], &error["details"]["used"]), (&250_000.into(), &250_000.into()));
        assert_eq!(error["details"]["retry_after_seconds"], seconds);
        assert!((13 * 3600..=24 * 3600).contains(&seconds), "{seconds}");
    }
    assert_eq!((served, refused), (7, 33));
    let state = credits(&desk).await;
    assert_eq!((&state["used"], &state["remaining"], &state["window_hours"]), (&250_000.into(), &0.into(), &24.into()));
}

#[tokio::test]
async fn at_the_ceiling_meta_reads_the_queue_and_writes_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let desk = with_left(&folder, 0).await;
    desk.get(&desk.key(0), "/workspace").await.ok();
    let key = desk.key(0).naming(desk.id(0));
    let page = desk.get(&key, "/signals/queue?limit=1").await.ok();
    let body = serde_json::json!({"workspace_id": desk.id(0), "signal_ids": [page["signals"][0]["id"]], "status": "done"});
    assert_eq!(desk.post(&desk.key(0), "/signals/triage", body).await.ok()["updated"], 1);
    let path = format!("/data/projects/{}", any_project(&desk).await);
    desk.get(&desk.key(0), &path).await.refused(429, "credit_limit_exceeded");
    desk.get(&desk.key(1), &path).await.ok();
}

#[tokio::test]
async fn what_was_spent_more_than_24_hours_ago_does_not_count_and_a_restart_forgets_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let desk = with_left(&folder, 1000).await;
    let path = format!("/data/projects/{}", any_project(&desk).await);
    let before = credits(&desk).await["used"].as_i64().unwrap();
    desk.get(&desk.key(0), &path).await.ok();
    desk.service.stop().await;
    let options = ServiceOptions { data: Storage::File(folder.path().join("desk.db")), ..ServiceOptions::default() };
    let again = Desk::with(options.clone()).await;
    assert_eq!(credits(&again).await["used"], before + 1);
    again.service.stop().await;
    let tomorrow = chrono::Utc::now() + chrono::TimeDelta::hours(15);
    let later = Desk::with(ServiceOptions { as_of: Some(tomorrow), ..options }).await;
    assert_eq!(credits(&later).await["used"], 1, "the old spending has left the window");
}

#[tokio::test]
async fn the_ceiling_is_250000_credits_and_the_state_of_the_meter_says_so() {
    let desk = Desk::new().await;
    let said = desk.get(&desk.reading_key(0), "/workspace/credits").await.ok();
    assert_eq!(said["metadata"], serde_json::json!({"credits": 0}));
    let table = [
        ("limit", "integer"),
        ("used", "integer"),
        ("remaining", "integer"),
        ("window_hours", "integer"),
        ("window_started_at", "moment"),
        ("next_release_at", "moment?"),
    ];
    has_fields(&said["data"], &table);
    let number = |key: &str| said["data"][key].as_i64().unwrap();
    assert_eq!((number("limit"), number("window_hours")), (250_000, 24));
    assert_eq!(number("used") + number("remaining"), 250_000);
    let moment = |key: &str| said["data"][key].as_str().unwrap().parse::<chrono::DateTime<chrono::Utc>>().unwrap();
    let since = chrono::Utc::now() - moment("window_started_at");
    assert!((since - chrono::TimeDelta::hours(24)).num_minutes().abs() < 2, "{since}");
    assert!(moment("next_release_at") > chrono::Utc::now());
}

#[tokio::test]
async fn each_workspace_has_a_meter_of_its_own() {
    let shelf = Shelf::new().await;
    let path = format!("/data/projects/{}", any_project(&shelf).await);
    let before = (shelf.used(0).await, shelf.used(1).await);
    shelf.get(&shelf.key(0), &path).await.ok();
    shelf.get(&shelf.user(0, 3), &path).await.ok();
    assert_eq!((shelf.used(0).await, shelf.used(1).await), (before.0 + 2, before.1), "keys and members of one, together");
}

#[tokio::test]
async fn meta_reads_are_never_throttled() {
    let folder = tempfile::tempdir().unwrap();
    let desk = with_left(&folder, 0).await;
    for _ in 0..150 {
        for path in ["/workspace", "/workspace/credits"] {
            desk.get(&desk.key(0), path).await.ok();
        }
    }
}

#[tokio::test]
async fn a_refused_call_costs_nothing() {
    let shelf = Shelf::new().await;
    let key = shelf.key(0);
    let before = shelf.used(0).await;
    for (method, path, body) in [
        ("GET", "/data/accounts/00000000-0000-4000-8000-000000000000", None),
        ("GET", "/workspace/accounts/00000000-0000-4000-8000-000000000000", None),
        ("GET", "/data/accounts/nonsense?include=moon", None),
        ("POST", "/data/accounts/search", Some("{\"limit\": 0}")),
        ("POST", "/workspace/accounts/search", Some("{\"filters\": {\"colour\": {}}}")),
        ("POST", "/workspace/views/00000000-0000-4000-8000-000000000000/records/search", Some("{}")),
    ] {
        let said = shelf.ask(&key, method, path, body.map(str::to_owned)).await;
        assert!(said.status >= 400, "{method} {path}");
        assert_eq!(shelf.used(0).await, before, "{method} {path}");
    }
}

#[tokio::test]
async fn metered_searches_stop_at_the_ceiling_and_free_routes_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let desk = with_left(&folder, 0).await;
    let key = desk.key(0);
    let views = desk.get(&key, "/workspace/views").await.ok();
    let view = views["data"]["views"][0]["id"].as_str().unwrap().to_owned();
    for path in ["/data/accounts/search", "/workspace/accounts/search", &format!("/workspace/views/{view}/records/search")] {
        let error = desk.post(&key, path, serde_json::json!({})).await.refused(429, "credit_limit_exceeded");
        assert!(error["message"].as_str().unwrap().contains("credit"), "{error}");
    }
    for path in ["/workspace/members", "/workspace/invitations", "/filters?entity=skill", "/workspace/signal-subscriptions"] {
        desk.get(&key, path).await.ok();
    }
    desk.post(&key, "/workspace/skills/list", serde_json::json!({})).await.ok();
    desk.post(&key, "/data/fields/search", serde_json::json!({"dataset": "accounts"})).await.ok();
}

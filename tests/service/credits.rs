//! Metering (interface: Limits; decisions 2.3 and 2.5): reads are charged, refused reads are not, and the ceiling holds.

use crate::support::Desk;
use gantry::service::{Data, Options};
use serde_json::Value;

/// A service whose first workspace may spend so many credits more.
async fn with_left(folder: &tempfile::TempDir, left: i64) -> Desk {
    let options = Options { data: Data::File(folder.path().join("desk.db")), projects: 40, ..Options::default() };
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
    let options = Options { data: Data::File(folder.path().join("desk.db")), ..Options::default() };
    let again = Desk::with(options.clone()).await;
    assert_eq!(credits(&again).await["used"], before + 1);
    again.service.stop().await;
    let tomorrow = chrono::Utc::now() + chrono::TimeDelta::hours(15);
    let later = Desk::with(Options { as_of: Some(tomorrow), ..options }).await;
    assert_eq!(credits(&later).await["used"], 1, "the old spending has left the window");
}

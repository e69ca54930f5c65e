//! What a service keeps when it is restarted with the same file.

use crate::support::TestService;
use gantry::service::{ServiceOptions, Storage};

#[tokio::test]
async fn tokens_and_triage_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let options = || ServiceOptions {
        data: Storage::File(folder.path().join("desk.db")),
        projects: 60,
        ..ServiceOptions::default()
    };
    let before = TestService::with_options(options()).await;
    let ana = before.member_caller(0, 0);
    let page = before
        .get(&ana, "/signals/queue?status=new&limit=3")
        .await
        .ok();
    let ids: Vec<_> = page["signals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|signal| signal["id"].clone())
        .collect();
    let body = serde_json::json!({ "workspace_id": before.workspace_id(0), "signal_ids": ids, "status": "done" });
    assert_eq!(
        before.post(&ana, "/signals/triage", body).await.ok()["updated"],
        3
    );
    let stats = before.get(&ana, "/signals/queue/stats").await.ok();
    before.service.stop().await;
    let after = TestService::with_options(options()).await;
    assert_eq!(after.get(&ana, "/signals/queue/stats").await.ok(), stats);
}

#[tokio::test]
async fn a_cursor_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let options = || ServiceOptions {
        data: Storage::File(folder.path().join("desk.db")),
        projects: 40,
        ..ServiceOptions::default()
    };
    let before = TestService::with_options(options()).await;
    let ana = before.member_caller(0, 0);
    let first = before
        .post(
            &ana,
            "/data/accounts/search",
            serde_json::json!({"limit": 5}),
        )
        .await
        .ok();
    let body = serde_json::json!({"limit": 5, "search_after": first["metadata"]["search_after"]});
    let next = before
        .post(&ana, "/data/accounts/search", body.clone())
        .await
        .ok();
    before.service.stop().await;
    let after = TestService::with_options(options()).await;
    assert_eq!(
        after.post(&ana, "/data/accounts/search", body).await.ok(),
        next
    );
}

//! Several instances of the service on one PostgreSQL database: none is special.

use gantry::service::{ServiceOptions, Storage};
use serde_json::json;

use crate::fields::ids;
use crate::support::TestService;

/// Two instances on one database; `None` if the tests run without PostgreSQL.
#[allow(clippy::print_stderr, reason = "the test runner shows it")]
async fn start_two_instances() -> Option<[TestService; 2]> {
    let one = TestService::new().await;
    let Some(config) = one.postgres.clone() else {
        eprintln!("not run: GANTRY_TEST_DATABASE names no PostgreSQL server");
        return None;
    };
    let data = Storage::Postgres(Box::new(config));
    let other = TestService::with_options(ServiceOptions { data, ..ServiceOptions::default() }).await;
    Some([one, other])
}

#[tokio::test]
async fn what_one_instance_writes_the_other_answers_at_once() {
    let Some([one, other]) = start_two_instances().await else { return };
    let key = one.api_key(0);
    let search = json!({"filters": {"name": {"value": "Zanzibar"}}});
    for service in [&one, &other] {
        assert_eq!(service.post(&key, "/data/projects/search", search.clone()).await.ok()["data"], json!([]));
    }
    let renamed = one.with_database(|conn| {
        let tx = conn.begin_write().unwrap();
        let changed = tx.execute("UPDATE projects SET name = 'Zanzibar Tower' WHERE rowid = 7", []).unwrap();
        tx.commit().unwrap();
        changed
    });
    assert_eq!(renamed, 1);
    for service in [&one, &other] {
        let found = service.post(&key, "/data/projects/search", search.clone()).await.ok();
        assert_eq!(found["data"][0]["name"], "Zanzibar Tower");
    }
    let caller = key.with_workspace(one.workspace_id(0));
    let before = ids(&one.get(&caller, "/signals/queue?status=new&limit=20").await.ok()["signals"]);
    let done = json!({"workspace_id": one.workspace_id(0), "signal_ids": &before[..5], "status": "done"});
    one.post(&key, "/signals/triage", done).await.ok();
    let after = ids(&other.get(&caller, "/signals/queue?status=new&limit=200").await.ok()["signals"]);
    assert!(before[..5].iter().all(|id| !after.contains(id)) && after.contains(&before[5]));
}

#[tokio::test]
async fn the_credits_of_two_instances_are_exact() {
    let Some([one, other]) = start_two_instances().await else { return };
    let key = one.api_key(0);
    let used = async |service: &TestService| service.get(&key, "/workspace/credits").await.ok()["data"]["used"].as_i64().unwrap();
    let before = used(&one).await;
    let id = one.post(&key, "/data/accounts/search", json!({"limit": 1})).await.ok()["data"][0]["id"].clone();
    let path = format!("/data/accounts/{}", id.as_str().unwrap());
    let reads = (0..40).map(|nth| {
        let service = if nth % 2 == 0 { &one } else { &other };
        service.get(&key, &path)
    });
    for reply in futures_util::future::join_all(reads).await {
        assert_eq!(reply.status, 200);
    }
    for service in [&one, &other] {
        assert_eq!(used(service).await, before + 41);
    }
}

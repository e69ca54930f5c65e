//! Moving a service's data between SQLite and PostgreSQL.

use gantry::service::db::migrate::{MovedTable, move_data};
use gantry::service::{ServiceOptions, Storage};
use serde_json::json;

use crate::support::{TestService, test_database};

async fn move_all(from: &Storage, to: &Storage) -> Vec<MovedTable> {
    let (from, to) = (from.clone(), to.clone());
    tokio::task::spawn_blocking(move || move_data(&from, &to, &mut |_, _| ()))
        .await
        .unwrap()
        .unwrap()
}

#[tokio::test]
#[allow(clippy::print_stderr, reason = "the test runner shows it")]
async fn a_database_that_moves_to_postgresql_and_back_is_the_same_and_is_served_in_both_places() {
    let Some(server) = test_database::postgres_server() else {
        eprintln!("not run: GANTRY_TEST_DATABASE names no PostgreSQL server");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let [first, last] = ["first.db", "last.db"].map(|name| Storage::File(folder.path().join(name)));
    let postgres = Storage::Postgres(Box::new(test_database::create_postgres_database(
        &server, None,
    )));
    let options = |data: &Storage| ServiceOptions {
        data: data.clone(),
        projects: 60,
        ..ServiceOptions::default()
    };
    let before = TestService::with_options(options(&first)).await;
    let (caller, key) = (before.member_caller(0, 0), before.api_key(0));
    let search = json!({"limit": 30, "filters": {"name": {"value": "tower"}}});
    let found = before
        .post(&key, "/data/projects/search", search.clone())
        .await
        .ok()["data"]
        .clone();
    let stats = before.get(&caller, "/signals/queue/stats").await.ok();
    let cursor = before
        .post(&key, "/data/accounts/search", json!({"limit": 3}))
        .await
        .ok()["metadata"]["search_after"]
        .clone();
    before.service.stop().await;

    let there = move_all(&first, &postgres).await;
    assert_eq!(move_all(&postgres, &last).await, there);
    for data in [&postgres, &last] {
        let after = TestService::with_options(options(data)).await;
        assert_eq!(
            after
                .post(&key, "/data/projects/search", search.clone())
                .await
                .ok()["data"],
            found,
            "{data}"
        );
        assert_eq!(
            after.get(&caller, "/signals/queue/stats").await.ok(),
            stats,
            "{data}"
        );
        let next = json!({"limit": 3, "search_after": cursor});
        assert_eq!(
            after.post(&key, "/data/accounts/search", next).await.status,
            200,
            "{data}: cursors are valid"
        );
        after.service.stop().await;
    }
}

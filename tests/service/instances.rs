//! Several instances of the service on one PostgreSQL database: none is special.

use gantry::service::db::sql::PostgresConfig;
use gantry::service::{self, ServiceOptions, Storage};
use serde_json::json;

use crate::fields::ids;
use crate::support::{TestService, test_database};

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

/// The server of the tests; `None` if they run without PostgreSQL.
#[allow(clippy::print_stderr, reason = "the test runner shows it")]
fn find_server() -> Option<PostgresConfig> {
    let server = test_database::postgres_server();
    if server.is_none() {
        eprintln!("not run: GANTRY_TEST_DATABASE names no PostgreSQL server");
    }
    server
}

fn options_of(config: &PostgresConfig) -> ServiceOptions {
    ServiceOptions { data: Storage::Postgres(Box::new(config.clone())), projects: 20, ..ServiceOptions::default() }
}

#[tokio::test]
async fn two_instances_that_start_at_once_on_an_empty_database_both_come_up_with_one_sample() {
    let Some(server) = find_server() else { return };
    let config = test_database::create_postgres_database(&server, None);
    let starts = (0..2).map(|_| TestService::with_options(options_of(&config)));
    let started = futures_util::future::join_all(starts).await;
    let [one, other] = started.as_slice() else { panic!("two instances") };
    assert_eq!(one.workspace_id(0), other.workspace_id(0));
    assert_eq!(one.ready().workspaces.len(), other.ready().workspaces.len());
    let caller = one.member_caller(0, 0);
    let stats = one.get(&caller, "/signals/queue/stats").await.ok();
    assert_eq!(other.get(&caller, "/signals/queue/stats").await.ok(), stats, "a token of one works on the other");
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_rejected_in_one_line_and_not_changed() {
    let Some(server) = find_server() else { return };
    let config = test_database::create_postgres_database(&server, None);
    TestService::with_options(options_of(&config)).await.service.stop().await;
    test_database::with_connection(&config, |conn| conn.execute_batch("INSERT INTO schema_version VALUES (999)").unwrap());
    let said = service::start(options_of(&config)).await.err().unwrap().to_string();
    assert!(said.contains("newer gantry (schema 999") && said.contains("install the newer version"), "{said}");
    assert!(!said.contains('\n'), "{said}");
}

#[tokio::test]
async fn searches_read_the_replica_and_the_database_itself_where_the_replica_does_not_answer() {
    let Some([one, _other]) = start_two_instances().await else { return };
    let config = one.postgres.clone().unwrap();
    let search = json!({"limit": 20, "filters": {"name": {"value": "tower"}}});
    let expected = one.post(&one.api_key(0), "/data/projects/search", search.clone()).await.ok();
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let unreachable: PostgresConfig = format!("postgres://ann@{silent}/desk").parse().unwrap();
    for (replica, database) in [(config.clone(), "replica"), (unreachable, "primary")] {
        let service = TestService::with_options(ServiceOptions {
            read_replica: Some(Box::new(replica)),
            metrics_listen: Some("127.0.0.1:0".parse().unwrap()),
            ..options_of(&config)
        })
        .await;
        for _ in 0..3 {
            let found = service.post(&one.api_key(0), "/data/projects/search", search.clone()).await.ok();
            assert_eq!(found["data"], expected["data"], "{database}");
        }
        let url = format!("http://{}/metrics", service.service.metrics_address().unwrap());
        let text = service.http.get(url).send().await.unwrap().text().await.unwrap();
        let line = format!(r#"gantry_replica_searches_total{{database="{database}"}} 3"#);
        assert!(text.contains(&line), "{line} in\n{text}");
    }
}

#[tokio::test]
async fn an_instance_whose_connections_were_cut_while_idle_answers_the_next_requests() {
    let Some([one, _other]) = start_two_instances().await else { return };
    let (caller, key) = (one.member_caller(0, 0), one.api_key(0));
    one.with_database(|conn| {
        let others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
        conn.execute_batch(others).unwrap();
    });
    for _ in 0..6 {
        one.get(&caller, "/signals/queue/stats").await.ok();
        one.post(&key, "/data/projects/search", json!({"limit": 3})).await.ok();
    }
    let row = one.get(&caller, "/signals/queue?status=new&limit=1").await.ok()["signals"][0]["id"].clone();
    let done = json!({"workspace_id": one.workspace_id(0), "signal_ids": [row], "status": "done"});
    assert_eq!(one.post(&caller, "/signals/triage", done).await.ok()["updated"], 1);
}

//! Several instances of the service on one PostgreSQL database: none is special.

use std::time::Duration;

use gantry::service::db::sql::{PostgresConfig, WriteScope};
use gantry::service::{self, MailDestination, ServiceOptions, Storage};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::fields::ids;
use crate::smtp_server::FakeSmtpServer;
use crate::support::{TestResponse, TestService, test_database};

/// Two instances on one database; `None` if the tests run without PostgreSQL.
#[allow(clippy::print_stderr, reason = "the test runner shows it")]
async fn start_two_instances() -> Option<[TestService; 2]> {
    let one = TestService::new().await;
    let Some(config) = one.postgres.clone() else {
        eprintln!("not run on SQLite: a file has one service");
        return None;
    };
    let other = TestService::with_options(options_for(&config)).await;
    Some([one, other])
}

fn options_for(config: &PostgresConfig) -> ServiceOptions {
    ServiceOptions {
        data: Storage::Postgres(Box::new(config.clone())),
        ..ServiceOptions::default()
    }
}

/// Sends the same kind of request many times at once, to the instances in turn.
async fn send_to_both<'s, F: Future<Output = TestResponse>>(
    services: [&'s TestService; 2],
    count: usize,
    send: impl Fn(&'s TestService, usize) -> F,
) -> Vec<TestResponse> {
    futures_util::future::join_all((0..count).map(|nth| send(services[nth % 2], nth))).await
}

#[tokio::test]
async fn what_one_instance_writes_the_other_answers_at_once() {
    let Some([one, other]) = start_two_instances().await else {
        return;
    };
    let key = one.api_key(0);
    let search = json!({"filters": {"name": {"value": "Zanzibar"}}});
    for service in [&one, &other] {
        assert_eq!(
            service
                .post(&key, "/data/projects/search", search.clone())
                .await
                .ok()["data"],
            json!([])
        );
    }
    let renamed = one.with_database(|conn| {
        let tx = conn.begin_write().unwrap();
        let changed = tx
            .execute(
                "UPDATE projects SET name = 'Zanzibar Tower' WHERE rowid = 7",
                [],
            )
            .unwrap();
        tx.commit().unwrap();
        changed
    });
    assert_eq!(renamed, 1);
    for service in [&one, &other] {
        let found = service
            .post(&key, "/data/projects/search", search.clone())
            .await
            .ok();
        assert_eq!(found["data"][0]["name"], "Zanzibar Tower");
    }
    let caller = key.with_workspace(one.workspace_id(0));
    let before = ids(&one
        .get(&caller, "/signals/queue?status=new&limit=20")
        .await
        .ok()["signals"]);
    let done =
        json!({"workspace_id": one.workspace_id(0), "signal_ids": &before[..5], "status": "done"});
    one.post(&key, "/signals/triage", done).await.ok();
    let after = ids(&other
        .get(&caller, "/signals/queue?status=new&limit=200")
        .await
        .ok()["signals"]);
    assert!(before[..5].iter().all(|id| !after.contains(id)) && after.contains(&before[5]));
}

#[tokio::test]
async fn the_credits_of_two_instances_are_exact() {
    let Some([one, other]) = start_two_instances().await else {
        return;
    };
    let key = one.api_key(0);
    let used = async |service: &TestService| {
        service.get(&key, "/workspace/credits").await.ok()["data"]["used"]
            .as_i64()
            .unwrap()
    };
    let before = used(&one).await;
    let id = one
        .post(&key, "/data/accounts/search", json!({"limit": 1}))
        .await
        .ok()["data"][0]["id"]
        .clone();
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

#[tokio::test]
async fn the_credit_limit_is_kept_by_two_instances_together() {
    let Some([one, other]) = start_two_instances().await else {
        return;
    };
    let key = one.api_key(0);
    let id = one
        .post(&key, "/data/accounts/search", json!({"limit": 1}))
        .await
        .ok()["data"][0]["id"]
        .clone();
    let meter = async |service: &TestService| {
        service.get(&key, "/workspace/credits").await.ok()["data"].clone()
    };
    let left = meter(&one).await["remaining"].as_i64().unwrap();
    let workspace: Uuid = one.workspace_id(0).parse().unwrap();
    one.with_database(|conn| {
        let spend = "UPDATE spending SET credits = credits + ?2
            WHERE workspace_id = ?1 AND minute = (SELECT max(minute) FROM spending WHERE workspace_id = ?1)";
        let spent: &[&dyn gantry::service::db::sql::ToSql] = &[&workspace, &(left - 10)];
        assert_eq!(conn.execute(spend, spent).unwrap(), 1);
    });
    let path = format!("/data/accounts/{}", id.as_str().unwrap());
    let replies = send_to_both([&one, &other], 30, |service, _| service.get(&key, &path)).await;
    let with = |status: u16| {
        replies
            .iter()
            .filter(|reply| reply.status == status)
            .count()
    };
    assert_eq!((with(200), with(429)), (10, 20));
    assert_eq!(meter(&other).await["remaining"], 0);
}

#[tokio::test]
async fn a_signal_that_many_triage_at_once_is_counted_once() {
    let Some([one, other]) = start_two_instances().await else {
        return;
    };
    let (key, workspace) = (one.api_key(0), one.workspace_id(0));
    let stats = async |service: &TestService| {
        service
            .get(&key.with_workspace(&workspace), "/signals/queue/stats")
            .await
            .ok()
    };
    let before = stats(&one).await;
    let list = one
        .get(
            &key.with_workspace(&workspace),
            "/signals/queue?status=new&limit=30",
        )
        .await
        .ok();
    let signals = ids(&list["signals"]);
    // parts that overlap, in different orders
    let replies = send_to_both([&one, &other], 24, |service, nth| {
        let mut part: Vec<_> = signals.iter().cycle().skip(5 * nth).take(15).collect();
        part.sort_by_key(|id| (nth.is_multiple_of(3), (*id).clone()));
        let body = json!({"workspace_id": workspace, "signal_ids": part, "status": "done"});
        service.post(&key, "/signals/triage", body)
    })
    .await;
    let updated: Vec<i64> = replies
        .into_iter()
        .map(|reply| reply.ok()["updated"].as_i64().unwrap())
        .collect();
    assert_eq!(updated.iter().sum::<i64>(), 30, "{updated:?}");
    for service in [&one, &other] {
        let after = stats(service).await;
        assert_eq!(
            after["new_count"].as_i64(),
            before["new_count"].as_i64().map(|count| count - 30)
        );
        assert_eq!(
            after["done_count"].as_i64(),
            before["done_count"].as_i64().map(|count| count + 30)
        );
    }
}

#[tokio::test]
async fn a_write_waits_only_for_its_own_workspace_and_not_for_long() {
    let Some([one, other]) = start_two_instances().await else {
        return;
    };
    let [first, second]: [Uuid; 2] = [0, 1].map(|nth| one.workspace_id(nth).parse().unwrap());
    let save = async |service: &TestService, workspace: usize| {
        let key = service.api_key(workspace);
        let found = service
            .post(&key, "/data/projects/search", json!({"limit": 1}))
            .await
            .ok();
        let body = json!({"project_id": found["data"][0]["id"], "notes": "call back"});
        service.post(&key, "/workspace/projects/upsert", body).await
    };
    let (hold, held) = std::sync::mpsc::channel::<()>();
    let (tell, mut told) = tokio::sync::mpsc::channel::<()>(1);
    let config = one.postgres.clone().unwrap();
    let writer = std::thread::spawn(move || {
        crate::support::test_database::with_connection(&config, move |conn| {
            let tx = conn.begin_write_in(WriteScope::Workspace(first)).unwrap();
            tx.execute_batch("SELECT 1").unwrap();
            tell.blocking_send(()).unwrap();
            held.recv().unwrap();
            tx.rollback().unwrap();
        });
    });
    told.recv().await.unwrap();
    for service in [&one, &other] {
        save(service, 1).await.ok();
    }
    let busy = save(&other, 0).await;
    assert_eq!(busy.headers["retry-after"], "1");
    busy.expect_error(503, "unavailable");
    hold.send(()).unwrap();
    writer.join().unwrap();
    save(&other, 0).await.ok();
    let notes = "SELECT count(*) FROM book WHERE notes = 'call back' AND workspace_id IN (?1, ?2)";
    let saved: i64 = one.with_database(|conn| {
        conn.query_row(notes, [first, second], |row| row.get(0))
            .unwrap()
    });
    assert_eq!(saved, 2);
}

#[tokio::test]
async fn three_instances_send_each_mail_once() {
    let one = TestService::new().await;
    let Some(config) = one.postgres.clone() else {
        return;
    };
    let key = one.api_key(0);
    one.with_database(|conn| {
        conn.execute("UPDATE subscriptions SET channels = '[]'", [])
            .unwrap()
    });
    let subscription = json!({"workspace_id": one.workspace_id(0), "channels": ["email"], "notify_all_members": true});
    one.put(&key, "/signal-subscriptions/permit_filed", subscription)
        .await
        .ok();
    let server = FakeSmtpServer::start().await;
    let mut others = Vec::new();
    for _ in 0..3 {
        let mail = Some(MailDestination::Smtp(server.url()));
        others.push(
            TestService::with_options(ServiceOptions {
                mail,
                mail_interval: Duration::from_millis(20),
                ..options_for(&config)
            })
            .await,
        );
    }
    let members = one.workspace(0).members.len();
    let now = chrono::Utc::now().timestamp_millis();
    for round in 1..=3 {
        one.with_database(|conn| {
            let tx = conn.begin_write().unwrap();
            let copy = "INSERT INTO signals (id, project_id, source_id, signal_type, filed_at, discovered_at, source_filing_id)
                SELECT ?1, project_id, source_id, 'permit_filed', ?2, ?2, 'ROUND ' || ?3 FROM signals ORDER BY rowid LIMIT 1";
            let values: &[&dyn gantry::service::db::sql::ToSql] = &[&Uuid::new_v4(), &now, &round.to_string()];
            assert_eq!(tx.execute(copy, values).unwrap(), 1);
            tx.commit().unwrap();
        });
        server.wait_for_mails(round * members).await;
    }
    for other in others {
        other.service.stop().await;
    }
    let mut sent: Vec<(String, String)> = server
        .received()
        .iter()
        .map(|mail| (mail.to.clone(), round_of(&mail.text)))
        .collect();
    let all = sent.len();
    sent.sort();
    sent.dedup();
    assert_eq!((all, sent.len()), (3 * members, 3 * members));
}

fn round_of(mail: &str) -> String {
    mail.split_once("ROUND")
        .map(|(_, rest)| rest.chars().take(3).collect())
        .unwrap_or_default()
}

#[tokio::test]
async fn both_engines_answer_with_the_same_bytes() {
    let Some(server) = crate::support::test_database::postgres_server() else {
        return;
    };
    let as_of = Some("2026-07-09T16:20:00Z".parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let mut engines = Vec::new();
    let postgres = crate::support::test_database::create_postgres_database(&server, None);
    for data in [
        Storage::File(folder.path().join("desk.db")),
        Storage::Postgres(Box::new(postgres)),
    ] {
        engines.push(
            TestService::with_options(ServiceOptions {
                projects: 80,
                as_of,
                data,
                ..ServiceOptions::default()
            })
            .await,
        );
    }
    let id_of = async |path: &str| {
        let found = engines[0]
            .post(&engines[0].api_key(0), path, json!({"limit": 1}))
            .await
            .ok();
        found["data"][0]["id"].as_str().unwrap().to_owned()
    };
    let mut paths = vec![
        "/signals/queue?limit=200".to_owned(),
        "/signals/queue?status=done".to_owned(),
        "/signals/queue/stats".to_owned(),
    ];
    for (dataset, include) in [
        ("projects", "accounts,contacts,signals"),
        ("accounts", "projects,contacts,signals"),
        ("contacts", "account,projects"),
        ("signals", "project,accounts"),
    ] {
        let id = id_of(&format!("/data/{dataset}/search")).await;
        paths.push(format!("/data/{dataset}/{id}?include={include}"));
    }
    paths.push(format!("/signals/{}", id_of("/data/signals/search").await));
    let mut texts = vec![Vec::new(), Vec::new()];
    for (engine, texts) in engines.iter().zip(&mut texts) {
        let key = engine.api_key(0);
        for path in &paths {
            texts.push(
                engine
                    .get(&key.with_workspace(engine.workspace_id(0)), path)
                    .await
                    .text,
            );
        }
        for place in crate::shared_service::SEARCH_PATHS {
            let mut found = engine
                .post(&key, &format!("{place}/search"), json!({"limit": 100}))
                .await;
            let cursor = found.body["metadata"]["search_after"].take();
            if let Value::String(cursor) = cursor {
                found.text = found.text.replace(&cursor, "CURSOR"); // signed with a key of the database
            }
            texts.push(found.text);
        }
    }
    for (sqlite, postgres) in texts[0].iter().zip(&texts[1]) {
        assert_eq!(sqlite, postgres);
    }
    assert!(
        texts[0].iter().any(|text| text.contains(".0,")),
        "there are whole numbers with a fraction"
    );
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
    ServiceOptions {
        data: Storage::Postgres(Box::new(config.clone())),
        projects: 20,
        ..ServiceOptions::default()
    }
}

#[tokio::test]
async fn two_instances_that_start_at_once_on_an_empty_database_both_come_up_with_one_sample() {
    let Some(server) = find_server() else { return };
    let config = test_database::create_postgres_database(&server, None);
    let starts = (0..2).map(|_| TestService::with_options(options_of(&config)));
    let started = futures_util::future::join_all(starts).await;
    let [one, other] = started.as_slice() else {
        panic!("two instances")
    };
    assert_eq!(one.workspace_id(0), other.workspace_id(0));
    assert_eq!(one.ready().workspaces.len(), other.ready().workspaces.len());
    let caller = one.member_caller(0, 0);
    let stats = one.get(&caller, "/signals/queue/stats").await.ok();
    assert_eq!(
        other.get(&caller, "/signals/queue/stats").await.ok(),
        stats,
        "a token of one works on the other"
    );
}

#[tokio::test]
async fn a_database_of_a_newer_or_unreleased_version_is_rejected_in_one_line_and_not_changed() {
    let Some(server) = find_server() else { return };
    let config = test_database::create_postgres_database(&server, None);
    TestService::with_options(options_of(&config))
        .await
        .service
        .stop()
        .await;
    for (version, words) in [
        (
            999,
            ["newer gantry (schema 999", "install the newer version"],
        ),
        (
            4,
            ["earlier build of gantry, schema 4", "export what you need"],
        ),
    ] {
        test_database::with_connection(&config, |conn| {
            conn.execute_batch(&format!("UPDATE schema_version SET version = {version}"))
                .unwrap()
        });
        let said = service::start(options_of(&config))
            .await
            .err()
            .unwrap()
            .to_string();
        assert!(words.iter().all(|part| said.contains(part)), "{said}");
        assert!(!said.contains('\n'), "{said}");
    }
}

#[tokio::test]
async fn searches_read_the_replica_and_the_database_itself_where_the_replica_does_not_answer() {
    let Some([one, _other]) = start_two_instances().await else {
        return;
    };
    let config = one.postgres.clone().unwrap();
    let search = json!({"limit": 20, "filters": {"name": {"value": "tower"}}});
    let expected = one
        .post(&one.api_key(0), "/data/projects/search", search.clone())
        .await
        .ok();
    // a port that no other test can get
    let closed = "127.0.0.1:1".parse().unwrap();
    // it accepts connections, and never says anything
    let mute = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let [unreachable, silent]: [PostgresConfig; 2] = [closed, mute.local_addr().unwrap()]
        .map(|address| format!("postgres://ann@{address}/desk").parse().unwrap());
    for (replica, database) in [
        (config.clone(), "replica"),
        (unreachable, "primary"),
        (silent, "primary"),
    ] {
        let service = TestService::with_options(ServiceOptions {
            read_replica: Some(Box::new(replica)),
            metrics_listen: Some("127.0.0.1:0".parse().unwrap()),
            ..options_of(&config)
        })
        .await;
        for _ in 0..3 {
            let found = service
                .post(&one.api_key(0), "/data/projects/search", search.clone())
                .await
                .ok();
            assert_eq!(found["data"], expected["data"], "{database}");
        }
        let url = format!(
            "http://{}/metrics",
            service.service.metrics_address().unwrap()
        );
        let text = service
            .http
            .get(url)
            .send()
            .await
            .unwrap()
            .text()
            .await
            .unwrap();
        let line = format!(r#"gantry_replica_searches_total{{database="{database}"}} 3"#);
        assert!(text.contains(&line), "{line} in\n{text}");
    }
}

#[tokio::test]
async fn an_instance_whose_connections_were_cut_while_idle_answers_the_next_requests() {
    let Some([one, _other]) = start_two_instances().await else {
        return;
    };
    let (caller, key) = (one.member_caller(0, 0), one.api_key(0));
    one.with_database(|conn| {
        let others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
        conn.execute_batch(others).unwrap();
    });
    for _ in 0..6 {
        one.get(&caller, "/signals/queue/stats").await.ok();
        one.post(&key, "/data/projects/search", json!({"limit": 3}))
            .await
            .ok();
    }
    let row = one
        .get(&caller, "/signals/queue?status=new&limit=1")
        .await
        .ok()["signals"][0]["id"]
        .clone();
    let done = json!({"workspace_id": one.workspace_id(0), "signal_ids": [row], "status": "done"});
    assert_eq!(
        one.post(&caller, "/signals/triage", done).await.ok()["updated"],
        1
    );
}

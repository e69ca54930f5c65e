//! Ready to be distributed: with the tables of workspaces split by workspace, a request reads and
//! writes only its own part. PostgreSQL's hash partitions stand for the shards of an engine such as
//! Citus.

use std::collections::BTreeMap;
use std::time::Duration;

use gantry::service::db::sql::{Conn, PostgresConfig};
use gantry::service::{ServiceOptions, Storage};
use serde_json::json;

use crate::support::TestService;
use crate::support::test_database::{create_postgres_database, postgres_server, with_connection};

/// The tables that are distributed by `workspace_id`, as in docs/operating.md.
const DISTRIBUTED: [&str; 18] = [
    "members",
    "spending",
    "subscriptions",
    "triage",
    "queue",
    "queue_counts",
    "book",
    "atlas_due",
    "views",
    "view_records",
    "favorites",
    "invitations",
    "skills",
    "skill_revisions",
    "skill_receipts",
    "mails",
    "invitation_mails",
    "walls",
];
const SHARDS: usize = 32;

/// Splits each table: same rows, keys, triggers and indexes.
fn split_tables(conn: &Conn) {
    let texts = |sql: &str| -> Vec<String> {
        let mut rows = conn.prepare(sql).unwrap();
        rows.query_map([], |row| row.get(0))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap()
    };
    let tx = conn.begin_write().unwrap();
    for table in DISTRIBUTED {
        let keys = texts(&format!(
            "SELECT 'ALTER TABLE {table} ADD ' || pg_get_constraintdef(oid) FROM pg_constraint
             WHERE conrelid = CAST('{table}' AS regclass) AND contype IN ('p', 'u')"
        ));
        let others = texts(&format!(
            "SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = CAST('{table}' AS regclass)
               AND indexrelid NOT IN (SELECT conindid FROM pg_constraint WHERE conrelid = CAST('{table}' AS regclass))"
        ));
        let triggers = texts(&format!(
            "SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = CAST('{table}' AS regclass) AND NOT tgisinternal"
        ));
        tx.execute_batch(&format!(
            "ALTER TABLE {table} RENAME TO whole; CREATE TABLE {table} (LIKE whole INCLUDING DEFAULTS) PARTITION BY HASH (workspace_id)"
        ))
        .unwrap();
        for nth in 0..SHARDS {
            let part = format!(
                "CREATE TABLE {table}_{nth} PARTITION OF {table} FOR VALUES WITH (MODULUS {SHARDS}, REMAINDER {nth})"
            );
            tx.execute_batch(&part).unwrap();
        }
        tx.execute_batch(&format!(
            "INSERT INTO {table} SELECT * FROM whole; DROP TABLE whole CASCADE"
        ))
        .unwrap();
        keys.iter()
            .chain(&others)
            .chain(&triggers)
            .for_each(|sql| tx.execute_batch(sql).unwrap());
    }
    tx.commit().unwrap();
}

/// How often each part was read or written so far. Connections report it when they end, so this
/// waits until the others have.
fn uses(config: &PostgresConfig) -> BTreeMap<String, i64> {
    let sql = "SELECT relname, coalesce(seq_scan, 0) + coalesce(idx_scan, 0) + n_tup_ins + n_tup_upd + n_tup_del
        FROM pg_stat_user_tables WHERE relname ~ '_[0-9]+$'";
    let others = "SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()";
    with_connection(config, |conn| {
        let count_others = || {
            conn.query_row(others, [], |row| row.get::<_, i64>(0))
                .unwrap()
        };
        while count_others() > 0 {
            std::thread::sleep(Duration::from_millis(20));
        }
        let mut rows = conn.prepare(sql).unwrap();
        rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap()
    })
}

#[tokio::test]
async fn each_request_touches_one_shard_of_the_tables_of_workspaces() {
    let Some(server) = postgres_server() else {
        return;
    };
    let config = create_postgres_database(&server, None);
    let as_of = Some("2026-07-09T16:20:00Z".parse().unwrap());
    let options = || {
        let data = Storage::Postgres(Box::new(config.clone()));
        ServiceOptions {
            data,
            projects: 60,
            as_of,
            ..ServiceOptions::default()
        }
    };
    TestService::with_options(options())
        .await
        .service
        .stop()
        .await;
    with_connection(&config, split_tables);

    // what a start and a stop touch, which concern all workspaces
    let before = uses(&config);
    TestService::with_options(options())
        .await
        .service
        .stop()
        .await;
    let started = uses(&config);
    let service = TestService::with_options(options()).await;
    let (key, member) = (service.api_key(0), service.member_caller(0, 0));
    let id = service.workspace_id(0);
    let here = key.with_workspace(&id);
    let list = service.get(&here, "/signals/queue?limit=3").await.ok();
    let signals: Vec<_> = list["signals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|signal| signal["id"].clone())
        .collect();
    let project = service
        .post(&key, "/data/projects/search", json!({"limit": 1}))
        .await
        .ok()["data"][0]["id"]
        .clone();
    let view = json!({"name": "Towers", "entity_type": "project", "kind": "static"});
    for (path, body) in [
        (
            "/signals/triage",
            json!({"workspace_id": id, "signal_ids": signals, "status": "done"}),
        ),
        (
            "/workspace/projects/upsert",
            json!({"project_id": project, "notes": "n", "tags": ["t"]}),
        ),
        ("/workspace/projects/search", json!({})),
        (
            "/workspace/accounts/search",
            json!({"filters": {"name": {"value": "builders"}}}),
        ),
        (
            "/data/projects/search",
            json!({"filters": {"city": {"value": "austin"}}}),
        ),
        ("/workspace/skills/list", json!({})),
        ("/workspace/views/upsert", view),
    ] {
        let reply = service.post(&key, path, body).await;
        assert!(
            reply.status == 200 || path == "/workspace/views/upsert",
            "{path} {}",
            reply.text
        );
    }
    for path in [
        "/signals/queue/stats",
        "/signals/queue?q=tower",
        "/signals?limit=5",
        "/signal-subscriptions",
    ] {
        service.get(&here, path).await.ok();
    }
    for path in [
        "/workspace",
        "/workspace/credits",
        "/workspace/members",
        "/workspace/views",
        "/workspace/favorite-views",
    ] {
        service.get(&member, path).await.ok();
    }
    service.service.stop().await;
    let after = uses(&config);
    let count =
        |uses: &BTreeMap<String, i64>, part: &str| uses.get(part).copied().unwrap_or_default();
    let touched = |table: &str| -> Vec<usize> {
        let is_touched = |nth: &usize| {
            let part = format!("{table}_{nth}");
            let start = count(&started, &part) - count(&before, &part);
            count(&after, &part) - count(&started, &part) != start
        };
        (0..SHARDS).filter(is_touched).collect()
    };
    let all: BTreeMap<&str, Vec<usize>> = DISTRIBUTED
        .iter()
        .map(|table| (*table, touched(table)))
        .collect();
    let shard = all["book"].clone();
    assert_eq!(shard.len(), 1, "{all:?}");
    assert!(
        [
            "queue",
            "queue_counts",
            "triage",
            "spending",
            "members",
            "subscriptions",
            "skills"
        ]
        .iter()
        .all(|table| all[table] == shard),
        "{all:?}"
    );
    assert!(
        all.values()
            .all(|shards| shards.is_empty() || *shards == shard),
        "{all:?}"
    );
}

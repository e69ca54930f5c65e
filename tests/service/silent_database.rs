//! A PostgreSQL server that hears everything and is heard no more: what the answer to a write says.

use std::time::Duration;

use gantry::service::db::sql::PostgresConfig;
use gantry::service::{ServiceOptions, Storage, TimeLimits};
use serde_json::{Value, json};

use crate::fields::ids;
use crate::postgres_proxy::{PostgresFault, PostgresProxy};
use crate::support::{TestService, test_database};

/// A service whose database is behind a proxy.
struct ProxiedService {
    service: TestService,
    proxy: PostgresProxy,
    database: PostgresConfig,
    /// Keeps the database.
    _direct: TestService,
}

impl ProxiedService {
    /// `None` if the tests run without PostgreSQL.
    #[allow(clippy::print_stderr, reason = "the test runner shows it")]
    async fn start() -> Option<ProxiedService> {
        let direct = TestService::new().await;
        let Some(database) = direct.postgres.clone() else {
            eprintln!("not run on SQLite: a file does not fall silent");
            return None;
        };
        let proxy = PostgresProxy::start(&database).await;
        let service = TestService::with_options(ServiceOptions {
            data: Storage::Postgres(Box::new(proxy.config.clone())),
            metrics_listen: Some("127.0.0.1:0".parse().unwrap()),
            time_limits: TimeLimits {
                write: Duration::from_secs(10),
                ..TimeLimits::default()
            },
            ..ServiceOptions::default()
        })
        .await;
        Some(ProxiedService {
            service,
            proxy,
            database,
            _direct: direct,
        })
    }

    /// Some projects of the index.
    async fn project_ids(&self, count: usize) -> Vec<Value> {
        let found = self
            .service
            .post(
                &self.service.api_key(0),
                "/data/projects/search",
                json!({"limit": count}),
            )
            .await
            .ok();
        ids(&found["data"]).into_iter().map(Value::from).collect()
    }

    async fn save_note(&self, project: &Value, notes: &str) -> crate::support::TestResponse {
        let body = json!({"project_id": project, "notes": notes});
        self.service
            .post(&self.service.api_key(0), "/workspace/projects/upsert", body)
            .await
    }

    /// How many projects have a note in the database itself.
    fn count_notes(&self, notes: &str) -> i64 {
        let count = "SELECT count(*) FROM book WHERE notes = ?1";
        test_database::with_connection(&self.database, |conn| {
            conn.query_row(count, [notes], |row| row.get(0)).unwrap()
        })
    }

    /// Waits until all writes have ended.
    async fn finish_writes(&self) {
        let url = format!(
            "http://{}/metrics",
            self.service.service.metrics_address().unwrap()
        );
        let idle = ["running", "waiting"]
            .map(|jobs| format!("gantry_database_jobs_{jobs}{{pool=\"writer\"}} 0"));
        loop {
            let text = self
                .service
                .http
                .get(&url)
                .send()
                .await
                .unwrap()
                .text()
                .await
                .unwrap();
            if idle.iter().all(|line| text.contains(line)) {
                return;
            }
        }
    }
}

#[tokio::test]
async fn a_write_that_the_database_does_not_answer_is_rejected_and_not_applied_later() {
    let Some(proxied) = ProxiedService::start().await else {
        return;
    };
    let projects = proxied.project_ids(9).await;
    proxied.save_note(&projects[8], "before").await.ok();
    proxied.proxy.set_fault(PostgresFault::HoldAnswers);
    let writes = projects[..8]
        .iter()
        .map(|project| proxied.save_note(project, "call back"));
    for reply in futures_util::future::join_all(writes).await {
        let error = reply.expect_error(503, "unavailable");
        assert!(
            error["message"]
                .as_str()
                .unwrap()
                .contains("nothing was written"),
            "{error}"
        );
    }
    proxied.proxy.set_fault(PostgresFault::Forward);
    proxied.finish_writes().await;
    assert_eq!(
        (
            proxied.count_notes("before"),
            proxied.count_notes("call back")
        ),
        (1, 0)
    );
    proxied.save_note(&projects[0], "call back").await.ok();
    assert_eq!(proxied.count_notes("call back"), 1);
}

#[tokio::test]
async fn a_write_whose_commit_is_not_confirmed_is_reported_as_unknown_and_not_as_rejected() {
    let Some(proxied) = ProxiedService::start().await else {
        return;
    };
    let project = proxied.project_ids(1).await.remove(0);
    proxied.save_note(&project, "before").await.ok();
    proxied.proxy.set_fault(PostgresFault::CutAtCommit);
    let reply = proxied.save_note(&project, "call back").await;
    assert_eq!(
        reply.headers.get("retry-after"),
        None,
        "nobody is asked to repeat it"
    );
    let error = reply.expect_error(504, "outcome_unknown");
    assert!(
        error["message"].as_str().unwrap().contains("unknown"),
        "{error}"
    );
    assert_eq!(proxied.count_notes("call back"), 1, "here it was applied");
}

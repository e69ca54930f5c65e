//! A service with access to its database, to find the records that a test needs.
#![allow(dead_code, reason = "each test uses only a part of it")]

use gantry::service::db::sql::Row;
use uuid::Uuid;

use super::support::TestService;

/// A service whose database is read beside it.
pub struct ServiceWithFile {
    pub inner: TestService,
}

impl std::ops::Deref for ServiceWithFile {
    type Target = TestService;
    fn deref(&self) -> &TestService {
        &self.inner
    }
}

impl ServiceWithFile {
    pub async fn new() -> ServiceWithFile {
        ServiceWithFile {
            inner: TestService::new().await,
        }
    }

    /// Ids of records that no workspace has in its book or in a View: `word` is account, contact or
    /// project.
    pub fn unsaved_ids(&self, word: &str, count: usize) -> Vec<String> {
        self.query_ids(&format!(
            "SELECT id FROM {word}s r WHERE id NOT IN (SELECT record_id FROM book)
             AND id NOT IN (SELECT record_id FROM view_records) ORDER BY rowid LIMIT {count}"
        ))
    }

    /// The ids that a statement returns.
    pub fn query_ids(&self, sql: &str) -> Vec<String> {
        self.with_database(|conn| {
            let mut rows = conn.prepare(sql).expect("a statement");
            rows.query_map([], read_id)
                .expect("rows")
                .map(|id| id.expect("an id"))
                .collect()
        })
    }

    /// The ids that a statement about `?1` returns.
    pub fn query_ids_of(&self, sql: &str, id: &str) -> Vec<String> {
        let id: Uuid = id.parse().expect("an id");
        self.with_database(|conn| {
            let mut rows = conn.prepare(sql).expect("a statement");
            rows.query_map([id], read_id)
                .expect("rows")
                .map(|id| id.expect("an id"))
                .collect()
        })
    }

    /// The only text that a statement returns.
    pub fn query_text(&self, sql: &str) -> String {
        self.with_database(|conn| conn.query_row(sql, [], |row| row.get(0)).expect("a text"))
    }

    /// The only number that a statement returns.
    pub fn query_number(&self, sql: &str) -> i64 {
        self.with_database(|conn| conn.query_row(sql, [], |row| row.get(0)).expect("a number"))
    }

    /// Changes the record `?1`, which must exist.
    pub fn update_record(&self, sql: &str, id: &str) {
        let id: Uuid = id.parse().expect("an id");
        let changed =
            self.with_database(|conn| conn.execute(sql, [id]).expect("the update succeeds"));
        assert_eq!(changed, 1, "{sql}");
    }

    /// The meter of a workspace.
    pub async fn credits_used(&self, workspace: usize) -> i64 {
        let said = self
            .inner
            .get(&self.inner.api_key(workspace), "/workspace/credits")
            .await
            .ok();
        said["data"]["used"].as_i64().expect("a number")
    }
}

fn read_id(row: &Row<'_>) -> gantry::service::db::sql::Result<String> {
    row.get::<_, Uuid>(0).map(|id| id.to_string())
}

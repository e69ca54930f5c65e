//! A service over a file, with access to the file to find the records that a test needs.
#![allow(dead_code, reason = "each test uses only a part of it")]

use rusqlite::Connection;
use uuid::Uuid;

use super::support::TestService;

/// A service and its file.
pub struct ServiceWithFile {
    pub inner: TestService,
    pub database: Connection,
}

impl std::ops::Deref for ServiceWithFile {
    type Target = TestService;
    fn deref(&self) -> &TestService {
        &self.inner
    }
}

impl ServiceWithFile {
    pub async fn new() -> ServiceWithFile {
        let desk = TestService::new().await;
        let file = Connection::open(desk.database_path()).expect("the file");
        ServiceWithFile { inner: desk, database: file }
    }

    /// Ids of records that no workspace has in its book or in a View: `word` is account, contact or project.
    pub fn unsaved_ids(&self, word: &str, count: usize) -> Vec<String> {
        self.query_ids(&format!(
            "SELECT id FROM {word}s r WHERE id NOT IN (SELECT record_id FROM book)
             AND id NOT IN (SELECT record_id FROM view_records) ORDER BY rowid LIMIT {count}"
        ))
    }

    /// The ids that a statement returns.
    pub fn query_ids(&self, sql: &str) -> Vec<String> {
        let mut rows = self.database.prepare(sql).expect("a statement");
        let ids = rows.query_map([], |row| row.get::<_, Uuid>(0)).expect("rows");
        ids.map(|id| id.expect("an id").to_string()).collect()
    }

    /// The only text that a statement returns.
    pub fn query_text(&self, sql: &str) -> String {
        self.database.query_row(sql, [], |row| row.get(0)).expect("a text")
    }

    /// The only number that a statement returns.
    pub fn query_number(&self, sql: &str) -> i64 {
        self.database.query_row(sql, [], |row| row.get(0)).expect("a number")
    }

    /// The meter of a workspace.
    pub async fn credits_used(&self, workspace: usize) -> i64 {
        let said = self.inner.get(&self.inner.api_key(workspace), "/workspace/credits").await.ok();
        said["data"]["used"].as_i64().expect("a number")
    }
}

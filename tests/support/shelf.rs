//! A service over a file, and a look into that file: which records there are that a test needs.
#![allow(dead_code, reason = "each test file uses a part of it")]

use rusqlite::Connection;
use uuid::Uuid;

use super::support::Desk;

/// A service and its file.
pub struct Shelf {
    pub desk: Desk,
    pub file: Connection,
}

impl std::ops::Deref for Shelf {
    type Target = Desk;
    fn deref(&self) -> &Desk {
        &self.desk
    }
}

impl Shelf {
    pub async fn new() -> Shelf {
        let desk = Desk::new().await;
        let file = Connection::open(desk.file()).expect("the file");
        Shelf { desk, file }
    }

    /// Ids of records that no workspace has in its book or in a View: `word` is account, contact or project.
    pub fn unsaved(&self, word: &str, count: usize) -> Vec<String> {
        self.ids(&format!(
            "SELECT id FROM {word}s r WHERE id NOT IN (SELECT record_id FROM book)
             AND id NOT IN (SELECT record_id FROM view_records) ORDER BY rowid LIMIT {count}"
        ))
    }

    /// The ids that a statement finds.
    pub fn ids(&self, sql: &str) -> Vec<String> {
        let mut rows = self.file.prepare(sql).expect("a statement");
        let ids = rows.query_map([], |row| row.get::<_, Uuid>(0)).expect("rows");
        ids.map(|id| id.expect("an id").to_string()).collect()
    }

    /// The one text that a statement finds.
    pub fn text(&self, sql: &str) -> String {
        self.file.query_row(sql, [], |row| row.get(0)).expect("a text")
    }

    /// The one number that a statement finds.
    pub fn number(&self, sql: &str) -> i64 {
        self.file.query_row(sql, [], |row| row.get(0)).expect("a number")
    }

    /// What the meter of a workspace says.
    pub async fn used(&self, workspace: usize) -> i64 {
        let said = self.desk.get(&self.desk.key(workspace), "/workspace/credits").await.ok();
        said["data"]["used"].as_i64().expect("a number")
    }
}

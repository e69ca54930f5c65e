//! Workspaces.

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::sql::{Result, Row, params};
use super::values::{from_millis, to_millis};
use super::{Conn, remembered};
use crate::domain::WorkspaceId;
use crate::domain::workspace::Plan;

#[derive(Clone, Debug, PartialEq)]
pub struct WorkspaceRow {
    pub id: WorkspaceId,
    pub name: String,
    /// What it pays for.
    pub plan: Plan,
    pub created_at: DateTime<Utc>,
}

/// Record counts of a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WorkspaceCounts {
    pub accounts: i64,
    pub contacts: i64,
    pub projects: i64,
    pub views: i64,
    pub members: i64,
}

/// Notes that the database was filled with sample data.
pub fn mark_as_sample(conn: &Conn) -> Result<()> {
    remembered::save(conn, "sample", 1)
}

/// Whether the database was filled with sample data.
pub fn is_sample(conn: &Conn) -> Result<bool> {
    Ok(remembered::load_number(conn, "sample")?.is_some())
}

/// Whether there is no workspace yet, as in a new file.
pub fn is_empty(conn: &Conn) -> Result<bool> {
    Ok(!conn.exists("SELECT 1 FROM workspaces", [])?)
}

pub fn create(conn: &Conn, workspace: &WorkspaceRow) -> Result<()> {
    let sql = "INSERT INTO workspaces (id, name, plan, created_at) VALUES (?1, ?2, ?3, ?4)";
    conn.prepare(sql)?.execute(params![
        workspace.id.0,
        workspace.name,
        workspace.plan.as_str(),
        to_millis(workspace.created_at)
    ])?;
    Ok(())
}

/// All workspaces in order of creation.
pub fn list(conn: &Conn) -> Result<Vec<WorkspaceRow>> {
    let sql = "SELECT id, name, plan, created_at FROM workspaces ORDER BY rowid";
    conn.query_rows(sql, [], workspace_from_row)
}

pub fn get(conn: &Conn, id: WorkspaceId) -> Result<Option<WorkspaceRow>> {
    let sql = "SELECT id, name, plan, created_at FROM workspaces WHERE id = ?1";
    conn.find_row(sql, [id.0], workspace_from_row)
}

pub fn count_records(conn: &Conn, id: WorkspaceId) -> Result<WorkspaceCounts> {
    let mut row = conn.prepare(
        "SELECT count(*) FILTER (WHERE dataset = 'account'), count(*) FILTER (WHERE dataset = 'contact'),
           count(*) FILTER (WHERE dataset = 'project'), (SELECT count(*) FROM views WHERE workspace_id = ?1),
           (SELECT count(*) FROM members WHERE workspace_id = ?1)
         FROM book WHERE workspace_id = ?1",
    )?;
    row.query_row([id.0], |row| {
        Ok(WorkspaceCounts {
            accounts: row.get(0)?,
            contacts: row.get(1)?,
            projects: row.get(2)?,
            views: row.get(3)?,
            members: row.get(4)?,
        })
    })
}

fn workspace_from_row(row: &Row<'_>) -> Result<WorkspaceRow> {
    Ok(WorkspaceRow {
        id: WorkspaceId(row.get(0)?),
        name: row.get(1)?,
        plan: Plan::from(row.get::<_, String>(2)?.as_str()),
        created_at: from_millis(row.get(3)?),
    })
}

//! The book: which records of the index a workspace has saved, and its annotations on them (interface: Workspace: upserts and deletes).
//!
//! A row of the book is an overlay: the record itself stays in the index, and a delete only removes the overlay. Never here: how
//! a record is serialized (see [`super::projection`]).

use chrono::{DateTime, Utc};
use serde_json::json;
use uuid::Uuid;

use super::sql::{OptionalExtension, params};
use super::values::to_millis;
use super::{Conn, DbError, atlas, values};
use crate::domain::WorkspaceId;
use crate::domain::patch::Patch;
use crate::service::dataset::Dataset;

/// How an upsert changes a record's annotations.
#[derive(Clone, Debug, PartialEq)]
pub struct AnnotationChange {
    /// The tier; only for accounts.
    pub icp_tier: Patch<String>,
    /// The status of the team's work on the record.
    pub workspace_status: Patch<String>,
    pub notes: Patch<String>,
    /// The complete set of tags.
    pub tags: Option<Vec<String>>,
}

impl AnnotationChange {
    /// A change that only saves the record.
    #[cfg(test)]
    pub fn save_only() -> AnnotationChange {
        AnnotationChange { icp_tier: Patch::Keep, workspace_status: Patch::Keep, notes: Patch::Keep, tags: None }
    }
}

/// The annotations as stored; tags are JSON text.
#[derive(Clone, Debug, PartialEq)]
struct Annotations {
    icp_tier: Option<String>,
    workspace_status: Option<String>,
    notes: Option<String>,
    tags: String,
}

/// Saves a record in the book, or changes its annotations. `updated_at` only changes if something else does. An account that is
/// new in the book or has a new tier is queued for scoring.
pub fn upsert(
    conn: &Conn,
    workspace: WorkspaceId,
    dataset: Dataset,
    record: Uuid,
    change: AnnotationChange,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    let before = annotations(conn, workspace, dataset, record)?;
    let is_new = before.is_none();
    let old = before.unwrap_or(Annotations { icp_tier: None, workspace_status: None, notes: None, tags: "[]".to_owned() });
    let new = Annotations {
        icp_tier: change.icp_tier.apply(old.icp_tier.clone()),
        workspace_status: change.workspace_status.apply(old.workspace_status.clone()),
        notes: change.notes.apply(old.notes.clone()),
        tags: change.tags.map_or_else(|| old.tags.clone(), |tags| json!(deduplicate(tags)).to_string()),
    };
    if !is_new && new == old {
        return Ok(());
    }
    conn.prepare_cached(
        "INSERT INTO book (workspace_id, dataset, record_id, icp_tier, workspace_status, notes, tags, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)
         ON CONFLICT (workspace_id, dataset, record_id) DO UPDATE SET icp_tier = ?4, workspace_status = ?5, notes = ?6, tags = ?7, updated_at = ?8",
    )?
    .execute(params![
        workspace.0,
        dataset.singular(),
        record,
        new.icp_tier,
        new.workspace_status,
        new.notes,
        new.tags,
        to_millis(now)
    ])?;
    if dataset == Dataset::Accounts && (is_new || new.icp_tier != old.icp_tier) {
        atlas::schedule_score(conn, workspace, record)?;
    }
    Ok(())
}

/// Whether a record is in the book.
pub fn contains(conn: &Conn, workspace: WorkspaceId, dataset: Dataset, record: Uuid) -> Result<bool, DbError> {
    let mut row = conn.prepare_cached("SELECT 1 FROM book WHERE workspace_id = ?1 AND dataset = ?2 AND record_id = ?3")?;
    Ok(row.exists(params![workspace.0, dataset.singular(), record])?)
}

/// Removes a record and its annotations from the book; returns whether it was there.
pub fn remove(conn: &Conn, workspace: WorkspaceId, dataset: Dataset, record: Uuid) -> Result<bool, DbError> {
    let mut gone = conn.prepare_cached("DELETE FROM book WHERE workspace_id = ?1 AND dataset = ?2 AND record_id = ?3")?;
    Ok(gone.execute(params![workspace.0, dataset.singular(), record])? == 1)
}

fn annotations(conn: &Conn, workspace: WorkspaceId, dataset: Dataset, record: Uuid) -> Result<Option<Annotations>, DbError> {
    let mut row = conn.prepare_cached(
        "SELECT icp_tier, workspace_status, notes, tags FROM book WHERE workspace_id = ?1 AND dataset = ?2 AND record_id = ?3",
    )?;
    let read = row.query_row(params![workspace.0, dataset.singular(), record], |row| {
        Ok(Annotations { icp_tier: row.get(0)?, workspace_status: row.get(1)?, notes: row.get(2)?, tags: row.get(3)? })
    });
    let read = read.optional()?;
    // normalized to our own serialization, so that equal tags compare equal as text
    Ok(read.map(|row| Annotations { tags: json!(values::parse_json::<Vec<String>>(&row.tags)).to_string(), ..row }))
}

/// Tags without duplicates, in the order of their first appearance.
fn deduplicate(tags: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::with_capacity(tags.len());
    for tag in tags {
        if !kept.contains(&tag) {
            kept.push(tag);
        }
    }
    kept
}

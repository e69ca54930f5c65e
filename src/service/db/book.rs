//! The book: which records of the index a workspace has saved, and its annotations on them
//! (interface: Workspace: upserts and deletes).
//!
//! A row of the book is an overlay: the record itself stays in the index, and a delete only removes
//! the overlay. Never here: how a record is serialized (see [`super::projection`]).

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde_json::json;
use uuid::Uuid;

use super::sql::{Result, params, params_from_iter};
use super::values::{id_value, json_ids, to_millis};
use super::{Conn, atlas, values};
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

/// The annotations as stored; tags are JSON text.
#[derive(Clone, Debug, PartialEq)]
struct Annotations {
    icp_tier: Option<String>,
    workspace_status: Option<String>,
    notes: Option<String>,
    tags: String,
}

/// A record that was saved some time ago, with its annotations.
pub struct BookEntry {
    pub dataset: Dataset,
    pub record: Uuid,
    /// The tier of an account.
    pub icp_tier: Option<&'static str>,
    /// The score of an account and its trend.
    pub atlas: Option<(i64, &'static str)>,
    /// The status of the team's work on the record.
    pub workspace_status: Option<String>,
    pub notes: Option<String>,
    pub tags: Vec<String>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// Adds a record that is not in the book.
pub fn insert(conn: &Conn, workspace: WorkspaceId, entry: &BookEntry) -> Result<()> {
    let sql = "INSERT INTO book (workspace_id, dataset, record_id, icp_tier, atlas_score, atlas_trend, workspace_status, notes, tags,
           created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
    let (score, trend) = entry.atlas.unzip();
    conn.prepare(sql)?.execute(params![
        workspace.0,
        entry.dataset.singular(),
        entry.record,
        entry.icp_tier,
        score,
        trend,
        entry.workspace_status,
        entry.notes,
        json!(entry.tags).to_string(),
        to_millis(entry.created_at),
        to_millis(entry.updated_at)
    ])?;
    match entry.atlas {
        Some(_) => atlas::schedule_score(conn, workspace, entry.record),
        None => Ok(()),
    }
}

/// Saves a record in the book, or changes its annotations; see [`upsert_all`].
pub fn upsert(
    conn: &Conn,
    workspace: WorkspaceId,
    dataset: Dataset,
    record: Uuid,
    change: AnnotationChange,
    now: DateTime<Utc>,
) -> Result<()> {
    upsert_all(conn, workspace, dataset, vec![(record, change)], now)
}

/// Saves records in the book, or changes their annotations; none of them twice. `updated_at` only
/// changes if something else does. Accounts that are new in the book or have a new tier are scored.
pub fn upsert_all(
    conn: &Conn,
    workspace: WorkspaceId,
    dataset: Dataset,
    changes: Vec<(Uuid, AnnotationChange)>,
    now: DateTime<Utc>,
) -> Result<()> {
    let mut before = load_annotations(
        conn,
        workspace,
        dataset,
        changes.iter().map(|(record, _)| *record),
    )?;
    let (mut values, mut to_score) = (
        vec![
            id_value(workspace.0),
            dataset.singular().to_owned().into(),
            to_millis(now).into(),
        ],
        Vec::new(),
    );
    let mut rows = Vec::new();
    for (record, change) in changes {
        let old = before.remove(&record);
        let is_new = old.is_none();
        let old = old.unwrap_or(Annotations {
            icp_tier: None,
            workspace_status: None,
            notes: None,
            tags: "[]".to_owned(),
        });
        let new = Annotations {
            icp_tier: change.icp_tier.apply(old.icp_tier.clone()),
            workspace_status: change.workspace_status.apply(old.workspace_status.clone()),
            notes: change.notes.apply(old.notes.clone()),
            tags: change.tags.map_or_else(
                || old.tags.clone(),
                |tags| json!(deduplicate(tags)).to_string(),
            ),
        };
        if !is_new && new == old {
            continue;
        }
        if dataset == Dataset::Accounts && (is_new || new.icp_tier != old.icp_tier) {
            to_score.push((record, new.icp_tier.clone()));
        }
        let first = values.len() + 1;
        rows.push(format!(
            "(?1, ?2, ?{first}, ?{}, ?{}, ?{}, ?{}, ?3, ?3)",
            first + 1,
            first + 2,
            first + 3,
            first + 4
        ));
        values.extend([
            id_value(record),
            new.icp_tier.into(),
            new.workspace_status.into(),
            new.notes.into(),
            new.tags.into(),
        ]);
    }
    if rows.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "INSERT INTO book (workspace_id, dataset, record_id, icp_tier, workspace_status, notes, tags, created_at, updated_at)
         VALUES {}
         ON CONFLICT (workspace_id, dataset, record_id) DO UPDATE SET icp_tier = excluded.icp_tier,
           workspace_status = excluded.workspace_status, notes = excluded.notes, tags = excluded.tags, updated_at = excluded.updated_at",
        rows.join(", ")
    );
    conn.execute(&sql, params_from_iter(values))?;
    atlas::compute_scores(conn, workspace, &to_score, now)
}

/// Whether a record is in the book.
pub fn contains(
    conn: &Conn,
    workspace: WorkspaceId,
    dataset: Dataset,
    record: Uuid,
) -> Result<bool> {
    let sql = "SELECT 1 FROM book WHERE workspace_id = ?1 AND dataset = ?2 AND record_id = ?3";
    conn.exists(sql, params![workspace.0, dataset.singular(), record])
}

/// Removes a record and its annotations from the book; returns whether it was there.
pub fn remove(conn: &Conn, workspace: WorkspaceId, dataset: Dataset, record: Uuid) -> Result<bool> {
    let sql = "DELETE FROM book WHERE workspace_id = ?1 AND dataset = ?2 AND record_id = ?3";
    Ok(conn.execute(sql, params![workspace.0, dataset.singular(), record])? == 1)
}

/// The annotations of those of these records that are in the book.
fn load_annotations(
    conn: &Conn,
    workspace: WorkspaceId,
    dataset: Dataset,
    records: impl Iterator<Item = Uuid>,
) -> Result<HashMap<Uuid, Annotations>> {
    let sql = "SELECT record_id, icp_tier, workspace_status, notes, tags FROM book
         WHERE workspace_id = ?1 AND dataset = ?2 AND record_id IN (SELECT unhex(value) FROM json_each(?3))";
    conn.query_rows(
        sql,
        params![workspace.0, dataset.singular(), json_ids(records)],
        |row| {
            let tags: String = row.get(4)?;
            // normalized to our own serialization, so that equal tags compare equal as text
            let tags = json!(values::parse_json::<Vec<String>>(&tags)).to_string();
            Ok((
                row.get(0)?,
                Annotations {
                    icp_tier: row.get(1)?,
                    workspace_status: row.get(2)?,
                    notes: row.get(3)?,
                    tags,
                },
            ))
        },
    )
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

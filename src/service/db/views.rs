//! Views and the records of Static Views (interface: Workspace: Views). Never here: searching a
//! View (see [`crate::service::search`]).

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::Conn;
use super::sql::{Result, Row, params};
use super::values::{from_millis, new_id, to_millis};
use crate::domain::{ViewId, WorkspaceId};
use crate::service::dataset::Dataset;

/// The kind of a View, which never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StoredViewKind {
    /// An explicit list of records.
    Static,
    /// A stored definition.
    Dynamic,
}

impl StoredViewKind {
    /// The names in the interface.
    pub const NAMES: [&'static str; 2] = ["static", "dynamic"];

    pub fn as_str(self) -> &'static str {
        StoredViewKind::NAMES[self as usize]
    }

    /// The kind with a name; any other name means a Static View.
    pub fn from_name(word: &str) -> StoredViewKind {
        if word == "dynamic" {
            StoredViewKind::Dynamic
        } else {
            StoredViewKind::Static
        }
    }
}

/// A View, with the field names of decisions 2.6.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ViewRow {
    pub id: ViewId,
    pub name: String,
    pub description: Option<String>,
    #[serde(serialize_with = "singular")]
    pub dataset: Dataset,
    #[serde(rename = "type")]
    pub kind: StoredViewKind,
    /// Only for Dynamic Views.
    pub definition: Option<Value>,
    /// How a front end may sort it; searches ignore it.
    pub sort: Option<Value>,
    /// How many records a Static View has; for a Dynamic View it is not stored.
    pub records_count: Option<i64>,
    pub created_by: Option<String>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

impl ViewRow {
    /// A new Static View without records.
    pub fn new(
        name: String,
        dataset: Dataset,
        kind: StoredViewKind,
        by: &str,
        now: DateTime<Utc>,
    ) -> ViewRow {
        ViewRow {
            id: ViewId(new_id(now)),
            name,
            description: None,
            dataset,
            kind,
            definition: None,
            sort: None,
            records_count: (kind == StoredViewKind::Static).then_some(0),
            created_by: Some(by.to_owned()),
            created_at: now,
            updated_at: now,
        }
    }
}

fn singular<S: serde::Serializer>(dataset: &Dataset, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(dataset.singular())
}

const SELECT_VIEWS: &str = "SELECT v.id, v.name, v.description, v.dataset, v.kind, v.definition, v.sort,
      CASE v.kind WHEN 'static' THEN
        (SELECT count(*) FROM view_records r WHERE r.workspace_id = v.workspace_id AND r.view_id = v.id) END,
      v.created_by, v.created_at, v.updated_at
    FROM views v WHERE v.workspace_id = ?1";

/// The Views of a workspace by name.
pub fn list(conn: &Conn, workspace: WorkspaceId) -> Result<Vec<ViewRow>> {
    let sql = format!("{SELECT_VIEWS} ORDER BY v.name COLLATE NOCASE, v.id");
    conn.query_rows(&sql, [workspace.0], view_from_row)
}

/// One View.
pub fn get(conn: &Conn, workspace: WorkspaceId, id: ViewId) -> Result<Option<ViewRow>> {
    let sql = format!("{SELECT_VIEWS} AND v.id = ?2");
    conn.find_row(&sql, [workspace.0, id.0], view_from_row)
}

/// Stores a View: a new one, or a new state of an existing one, whose dataset and kind do not
/// change.
pub fn upsert(conn: &Conn, workspace: WorkspaceId, view: &ViewRow) -> Result<()> {
    let text = |value: &Option<Value>| value.as_ref().map(Value::to_string);
    let sql = "INSERT INTO views (workspace_id, id, name, description, dataset, kind, definition, sort, created_by, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
         ON CONFLICT (workspace_id, id) DO UPDATE SET name = ?3, description = ?4, definition = ?7, sort = ?8, updated_at = ?11";
    conn.prepare(sql)?.execute(params![
        workspace.0,
        view.id.0,
        view.name,
        view.description,
        view.dataset.singular(),
        view.kind.as_str(),
        text(&view.definition),
        text(&view.sort),
        view.created_by,
        to_millis(view.created_at),
        to_millis(view.updated_at)
    ])?;
    Ok(())
}

/// Deletes a View with its records and everybody's favorites of it; returns whether it existed.
pub fn remove(conn: &Conn, workspace: WorkspaceId, id: ViewId) -> Result<bool> {
    let sql = "DELETE FROM views WHERE workspace_id = ?1 AND id = ?2";
    Ok(conn.execute(sql, [workspace.0, id.0])? == 1)
}

/// Adds a record to a Static View; idempotent. The caller checks whether it may be added.
pub fn add_record(
    conn: &Conn,
    workspace: WorkspaceId,
    view: ViewId,
    record: Uuid,
    now: DateTime<Utc>,
) -> Result<()> {
    let sql = "INSERT INTO view_records (workspace_id, view_id, record_id, added_at) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING";
    conn.execute(sql, params![workspace.0, view.0, record, to_millis(now)])
        .map(drop)
}

/// Removes a record from a Static View; returns whether it was there. Its annotations in the book
/// stay.
pub fn remove_record(
    conn: &Conn,
    workspace: WorkspaceId,
    view: ViewId,
    record: Uuid,
) -> Result<bool> {
    let sql =
        "DELETE FROM view_records WHERE workspace_id = ?1 AND view_id = ?2 AND record_id = ?3";
    Ok(conn.execute(sql, [workspace.0, view.0, record])? == 1)
}

fn view_from_row(row: &Row<'_>) -> Result<ViewRow> {
    let json = |text: Option<String>| text.and_then(|text| serde_json::from_str(&text).ok());
    Ok(ViewRow {
        id: ViewId(row.get(0)?),
        name: row.get(1)?,
        description: row.get(2)?,
        dataset: Dataset::from_singular(&row.get::<_, String>(3)?).unwrap_or(Dataset::Accounts),
        kind: StoredViewKind::from_name(&row.get::<_, String>(4)?),
        definition: json(row.get(5)?),
        sort: json(row.get(6)?),
        records_count: row.get(7)?,
        created_by: row.get(8)?,
        created_at: from_millis(row.get(9)?),
        updated_at: from_millis(row.get(10)?),
    })
}

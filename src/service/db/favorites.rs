//! Favorite Views: each member's own pointers to Views, in their own order (interface: Workspace:
//! Views and Favorites).
//!
//! Positions run from 0 without gaps as long as no View is deleted; deleting a View deletes its
//! favorites too.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Value, json};

use super::Conn;
use super::sql::{Result, Row, params};
use super::values::{from_millis, to_millis};
use crate::domain::{UserId, ViewId, WorkspaceId};

/// A favorite, with the field names of decisions 2.8.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FavoriteRow {
    pub view_id: ViewId,
    pub position: i64,
    pub created_at: DateTime<Utc>,
    /// The View's `id`, `name`, `dataset` and `type`.
    pub view: Value,
}

/// A member's favorites in their order.
pub fn list(conn: &Conn, workspace: WorkspaceId, user: UserId) -> Result<Vec<FavoriteRow>> {
    let sql = "SELECT f.view_id, f.position, f.created_at, v.name, v.dataset, v.kind
         FROM favorites f JOIN views v ON v.workspace_id = f.workspace_id AND v.id = f.view_id
         WHERE f.workspace_id = ?1 AND f.user_id = ?2 ORDER BY f.position, f.created_at, f.view_id";
    conn.query_rows(sql, [workspace.0, user.0], favorite_from_row)
}

/// Makes a View a favorite, or moves it to a position; the others shift. Without a position, a new
/// favorite is appended and an existing one stays where it is. The View must belong to the
/// workspace.
pub fn upsert(
    conn: &Conn,
    workspace: WorkspaceId,
    user: UserId,
    view: ViewId,
    position: Option<i64>,
    now: DateTime<Utc>,
) -> Result<()> {
    let mut order: Vec<ViewId> = list(conn, workspace, user)?
        .into_iter()
        .map(|favorite| favorite.view_id)
        .collect();
    let stood = order.iter().position(|id| *id == view);
    order.retain(|id| *id != view);
    let place = position.map_or(stood.unwrap_or(order.len()), |position| {
        usize::try_from(position).unwrap_or(usize::MAX)
    });
    order.insert(place.min(order.len()), view);
    let mut row = conn.prepare(
        "INSERT INTO favorites (workspace_id, user_id, view_id, position, created_at) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (workspace_id, user_id, view_id) DO UPDATE SET position = ?4",
    )?;
    for (position, view) in (0i64..).zip(order) {
        row.execute(params![
            workspace.0,
            user.0,
            view.0,
            position,
            to_millis(now)
        ])?;
    }
    Ok(())
}

/// Removes a View from the favorites; returns whether it was one.
pub fn remove(conn: &Conn, workspace: WorkspaceId, user: UserId, view: ViewId) -> Result<bool> {
    let sql = "DELETE FROM favorites WHERE workspace_id = ?1 AND user_id = ?2 AND view_id = ?3";
    let gone = conn.execute(sql, [workspace.0, user.0, view.0])? == 1;
    if gone {
        let mut row =
            conn.prepare("UPDATE favorites SET position = ?4 WHERE workspace_id = ?1 AND user_id = ?2 AND view_id = ?3")?;
        for (position, favorite) in (0i64..).zip(list(conn, workspace, user)?) {
            row.execute(params![workspace.0, user.0, favorite.view_id.0, position])?;
        }
    }
    Ok(gone)
}

fn favorite_from_row(row: &Row<'_>) -> Result<FavoriteRow> {
    let view_id = ViewId(row.get(0)?);
    let (name, dataset, kind): (String, String, String) = (row.get(3)?, row.get(4)?, row.get(5)?);
    Ok(FavoriteRow {
        view_id,
        position: row.get(1)?,
        created_at: from_millis(row.get(2)?),
        view: json!({"id": view_id, "name": name, "dataset": dataset, "type": kind}),
    })
}

//! Skills with their files and revisions (interface: Workspace: Skills; decisions 2.18).
//!
//! A personal Skill is visible only to its owner: for everybody else it does not exist. A revision
//! stores all of its files, so that it can be read without the others; a deleted Skill keeps its
//! revisions.

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::Conn;
use super::sql::{Result, Row, params};
use super::values::{from_millis, parse_json, to_millis};
use crate::domain::WorkspaceId;
use crate::domain::ids::LocalSkillId;
use crate::domain::skills::{SkillAudience, SkillFile, SkillLifecycle, SkillSource};

/// A Skill, with the field names of the decisions (2.18).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SkillRow {
    pub id: LocalSkillId,
    pub slug: String,
    pub name: String,
    pub description: String,
    pub source: SkillSource,
    pub lifecycle: SkillLifecycle,
    pub audience: SkillAudience,
    pub installed: bool,
    pub revision: i64,
    pub created_by: String,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub published_at: Option<DateTime<Utc>>,
    /// Who can see it while it is personal.
    #[serde(skip)]
    pub owner: String,
}

/// A revision of a Skill's files (decisions 2.18).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SkillRevisionRow {
    pub revision: i64,
    pub created_at: DateTime<Utc>,
    pub created_by: String,
}

const SELECT_SKILLS: &str =
    "SELECT id, slug, name, description, source, lifecycle, audience, installed, revision, created_by, created_at,
      updated_at, published_at, owner
    FROM skills WHERE workspace_id = ?1 AND (audience = 'workspace' OR owner = ?2)";

/// The Skills visible to `who`, last changed first, without deleted ones.
pub fn list(conn: &Conn, workspace: WorkspaceId, who: &str) -> Result<Vec<SkillRow>> {
    let sql = format!("{SELECT_SKILLS} AND lifecycle <> 'deleted' ORDER BY updated_at DESC, id");
    conn.query_rows(&sql, params![workspace.0, who], skill_from_row)
}

/// A Skill visible to `who`, even if it is deleted.
pub fn get(
    conn: &Conn,
    workspace: WorkspaceId,
    who: &str,
    id: LocalSkillId,
) -> Result<Option<SkillRow>> {
    let sql = format!("{SELECT_SKILLS} AND id = ?3");
    conn.find_row(&sql, params![workspace.0, who, id.0], skill_from_row)
}

/// Whether any Skill of the workspace, visible or not, uses this slug.
pub fn is_slug_taken(conn: &Conn, workspace: WorkspaceId, slug: &str) -> Result<bool> {
    let sql =
        "SELECT 1 FROM skills WHERE workspace_id = ?1 AND slug = ?2 AND lifecycle <> 'deleted'";
    conn.exists(sql, params![workspace.0, slug])
}

/// Creates a Skill with the files of its revision.
pub fn create(
    conn: &Conn,
    workspace: WorkspaceId,
    skill: &SkillRow,
    files: &[SkillFile],
) -> Result<()> {
    let sql = "INSERT INTO skills (workspace_id, id, slug, name, description, source, lifecycle, audience, installed, revision,
           created_by, created_at, updated_at, published_at, owner)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";
    conn.prepare(sql)?.execute(params![
        workspace.0,
        skill.id.0,
        skill.slug,
        skill.name,
        skill.description,
        skill.source.as_str(),
        skill.lifecycle.as_str(),
        skill.audience.as_str(),
        skill.installed,
        skill.revision,
        skill.created_by,
        to_millis(skill.created_at),
        to_millis(skill.updated_at),
        skill.published_at.map(to_millis),
        skill.owner
    ])?;
    add_revision(conn, workspace, skill, files, &skill.created_by)
}

/// Writes the mutable fields of a Skill.
pub fn update(conn: &Conn, workspace: WorkspaceId, skill: &SkillRow) -> Result<()> {
    let sql = "UPDATE skills SET name = ?3, description = ?4, lifecycle = ?5, audience = ?6, installed = ?7, revision = ?8,
           updated_at = ?9, published_at = ?10, owner = ?11
         WHERE workspace_id = ?1 AND id = ?2";
    conn.prepare(sql)?.execute(params![
        workspace.0,
        skill.id.0,
        skill.name,
        skill.description,
        skill.lifecycle.as_str(),
        skill.audience.as_str(),
        skill.installed,
        skill.revision,
        to_millis(skill.updated_at),
        skill.published_at.map(to_millis),
        skill.owner
    ])?;
    Ok(())
}

/// Stores the files of the Skill's revision.
pub fn add_revision(
    conn: &Conn,
    workspace: WorkspaceId,
    skill: &SkillRow,
    files: &[SkillFile],
    by: &str,
) -> Result<()> {
    let sql = "INSERT INTO skill_revisions (workspace_id, skill_id, revision, files, created_by, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    conn.prepare(sql)?.execute(params![
        workspace.0,
        skill.id.0,
        skill.revision,
        serde_json::json!(files).to_string(),
        by,
        to_millis(skill.updated_at)
    ])?;
    Ok(())
}

/// The files of a revision in their original order; empty if there is no such revision.
pub fn files(
    conn: &Conn,
    workspace: WorkspaceId,
    skill: LocalSkillId,
    revision: i64,
) -> Result<Vec<SkillFile>> {
    let sql = "SELECT files FROM skill_revisions WHERE workspace_id = ?1 AND skill_id = ?2 AND revision = ?3";
    let text = conn.find_row(sql, params![workspace.0, skill.0, revision], |row| {
        row.get::<_, String>(0)
    })?;
    Ok(text.map(|text| parse_json(&text)).unwrap_or_default())
}

/// The revisions of a Skill, newest first.
pub fn revisions(
    conn: &Conn,
    workspace: WorkspaceId,
    skill: LocalSkillId,
) -> Result<Vec<SkillRevisionRow>> {
    let sql = "SELECT revision, created_at, created_by FROM skill_revisions WHERE workspace_id = ?1 AND skill_id = ?2
         ORDER BY revision DESC";
    conn.query_rows(sql, [workspace.0, skill.0], |row| {
        Ok(SkillRevisionRow {
            revision: row.get(0)?,
            created_at: from_millis(row.get(1)?),
            created_by: row.get(2)?,
        })
    })
}

fn skill_from_row(row: &Row<'_>) -> Result<SkillRow> {
    Ok(SkillRow {
        id: LocalSkillId(row.get(0)?),
        slug: row.get(1)?,
        name: row.get(2)?,
        description: row.get::<_, Option<String>>(3)?.unwrap_or_default(),
        source: row.get::<_, String>(4)?.as_str().into(),
        lifecycle: row.get::<_, String>(5)?.as_str().into(),
        audience: row.get::<_, String>(6)?.as_str().into(),
        installed: row.get(7)?,
        revision: row.get(8)?,
        created_by: row.get(9)?,
        created_at: from_millis(row.get(10)?),
        updated_at: from_millis(row.get(11)?),
        published_at: row.get::<_, Option<i64>>(12)?.map(from_millis),
        owner: row.get(13)?,
    })
}

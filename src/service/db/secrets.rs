//! API keys and access tokens: returned once in plain text, stored and looked up as SHA-256
//! digests. Their times are those of the system: one file may be opened as of different days, and
//! what one of these clocks has issued must not be outdated by another.

use chrono::{DateTime, TimeDelta, Utc};
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom, SystemRandom};
use uuid::Uuid;

use super::advance::NEEDS_ADVANCE;
use super::sql::{Result, params};
use super::values::{from_millis, to_millis};
use super::{Conn, advance};
use crate::domain::members::Role;
use crate::domain::workspace::Plan;
use crate::domain::{UserId, WorkspaceId};
use crate::service::clock::read_system_time;

/// The scope of reads.
pub const READ_SCOPE: &str = "workspace:read";
/// The scope of writes (interface: Authentication 4).
pub const WRITE_SCOPE: &str = "workspace:write";

/// What a secret identifies.
#[derive(Clone, Debug, PartialEq)]
pub enum Credential {
    Key(ApiKeyGrant),
    Token(TokenGrant),
}

#[derive(Clone, Debug, PartialEq)]
pub struct TokenGrant {
    pub user: UserId,
    /// The only workspace it is for; `None` for all of its user's.
    pub workspace: Option<WorkspaceId>,
    /// When it was used last, to the day.
    pub used_at: DateTime<Utc>,
}

impl TokenGrant {
    /// Whether to record that it is used: once a day is enough, and a write for every read would be
    /// too much.
    pub fn is_use_due(&self) -> bool {
        read_system_time() - self.used_at >= TimeDelta::days(1)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct ApiKeyGrant {
    /// The workspace of the key.
    pub workspace: WorkspaceId,
    /// The user who issued it.
    pub issued_by: Option<UserId>,
    /// Its first characters.
    pub prefix: String,
    /// What it allows.
    pub scopes: Vec<String>,
}

/// Issues an API key. Its plain text is only available here.
pub fn issue_key(
    conn: &Conn,
    workspace: WorkspaceId,
    issued_by: Option<UserId>,
    scopes: &[&str],
) -> Result<String> {
    let key = new_secret("gak_");
    let sql = "INSERT INTO api_keys (digest, workspace_id, issued_by, prefix, scopes, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    conn.prepare(sql)?.execute(params![
        hash_secret(&key),
        workspace.0,
        issued_by.map(|user| user.0),
        &key[..10],
        scopes.join(" "),
        to_millis(read_system_time())
    ])?;
    Ok(key)
}

/// Issues a user's access token, for one workspace or for all of theirs. Its plain text is only
/// available here.
pub fn issue_token(conn: &Conn, user: UserId, workspace: Option<WorkspaceId>) -> Result<String> {
    let token = new_secret("gat_");
    let sql = "INSERT INTO access_tokens (digest, user_id, workspace_id, created_at, used_at) VALUES (?1, ?2, ?3, ?4, ?4)";
    conn.prepare(sql)?.execute(params![
        hash_secret(&token),
        user.0,
        workspace.map(|id| id.0),
        to_millis(read_system_time())
    ])?;
    Ok(token)
}

/// Who sends a request, and what they are in the workspace that they ask for, or in that of their
/// key.
#[derive(Clone, Debug, PartialEq)]
pub struct Caller {
    pub credential: Credential,
    /// The role of the token's user, or of the user who issued the key; `None` if the token is for
    /// another workspace.
    pub role: Option<Role>,
    /// The plan of the workspace, if there is such a workspace.
    pub plan: Option<Plan>,
    /// Whether time has changed the queues or the projects: see [`super::advance`].
    pub needs_advance: bool,
}

/// The owner of a secret; `None` if it was never issued or has expired. The lookup is by digest, so
/// that its duration reveals nothing about existing secrets. It is one statement, because every
/// request waits for it.
pub fn find_caller(
    conn: &Conn,
    secret: &str,
    asked: Option<WorkspaceId>,
    now: DateTime<Utc>,
) -> Result<Option<Caller>> {
    let [now, first, last, history_start, history, latest] = advance::condition_values(now);
    let sql = format!(
            "SELECT k.workspace_id, k.issued_by, k.prefix, k.scopes, t.user_id, t.workspace_id, t.used_at, m.role, w.plan, {NEEDS_ADVANCE}
             FROM (SELECT CAST(?2 AS BLOB) AS workspace) q
             LEFT JOIN api_keys k ON k.digest = ?1 LEFT JOIN access_tokens t ON t.digest = ?1
             LEFT JOIN workspaces w ON w.id = ifnull(q.workspace, k.workspace_id)
             LEFT JOIN members m ON m.workspace_id = w.id AND m.user_id = ifnull(t.user_id, k.issued_by)
               AND w.id = ifnull(t.workspace_id, w.id)"
        );
    let caller = conn.query_row(
        &sql,
        params![
            hash_secret(secret),
            asked.map(|id| id.0),
            now,
            first,
            last,
            history_start,
            history,
            latest
        ],
        |row| {
            let credential = if let Some(workspace) = row.get::<_, Option<Uuid>>(0)? {
                Credential::Key(ApiKeyGrant {
                    workspace: WorkspaceId(workspace),
                    issued_by: row.get::<_, Option<Uuid>>(1)?.map(UserId),
                    prefix: row.get(2)?,
                    scopes: row
                        .get::<_, String>(3)?
                        .split(' ')
                        .map(str::to_owned)
                        .collect(),
                })
            } else if let Some(user) = row.get::<_, Option<Uuid>>(4)? {
                let workspace = row.get::<_, Option<Uuid>>(5)?.map(WorkspaceId);
                Credential::Token(TokenGrant {
                    user: UserId(user),
                    workspace,
                    used_at: from_millis(row.get(6)?),
                })
            } else {
                return Ok(None);
            };
            let role = row
                .get::<_, Option<String>>(7)?
                .map(|role| Role::from(role.as_str()));
            let plan = row
                .get::<_, Option<String>>(8)?
                .map(|plan| Plan::from(plan.as_str()));
            Ok(Some(Caller {
                credential,
                role,
                plan,
                needs_advance: row.get(9)?,
            }))
        },
    )?;
    Ok(caller)
}

/// Records that a token is used.
pub fn record_use(conn: &Conn, token: &str) -> Result<()> {
    let sql = "UPDATE access_tokens SET used_at = ?2 WHERE digest = ?1 AND used_at < ?2";
    let used = params![hash_secret(token), to_millis(read_system_time())];
    conn.execute(sql, used).map(drop)
}

/// Revokes all tokens of a user.
pub fn revoke_tokens(conn: &Conn, user: UserId) -> Result<()> {
    conn.execute("DELETE FROM access_tokens WHERE user_id = ?1", [user.0])
        .map(drop)
}

/// Revokes the keys that were issued, and the tokens that were used last, longer ago than
/// `lifetime`. Keys of walls are listed, and stay until somebody revokes them.
pub fn revoke_outdated(conn: &Conn, lifetime: TimeDelta) -> Result<()> {
    for old in [
        "DELETE FROM api_keys WHERE created_at < ?1 AND digest NOT IN (SELECT key_digest FROM walls WHERE key_digest IS NOT NULL)",
        "DELETE FROM access_tokens WHERE used_at < ?1",
    ] {
        conn.execute(old, [to_millis(read_system_time() - lifetime)])?;
    }
    Ok(())
}

fn new_secret(prefix: &str) -> String {
    let mut bytes = [0u8; 24];
    SystemRandom::new()
        .fill(&mut bytes)
        .expect("the system provides random bytes");
    bytes.iter().fold(prefix.to_owned(), |text, byte| {
        text + &format!("{byte:02x}")
    })
}

/// The digest of a secret.
pub fn hash_secret(secret: &str) -> Vec<u8> {
    hash_bytes(secret.as_bytes())
}

/// The digest under which a secret is stored.
pub(super) fn hash_bytes(secret: &[u8]) -> Vec<u8> {
    digest(&SHA256, secret).as_ref().to_vec()
}

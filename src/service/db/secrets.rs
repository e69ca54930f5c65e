//! API keys and access tokens: returned once in plain text, stored and looked up as SHA-256 digests.

use chrono::{DateTime, TimeDelta, Utc};
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom, SystemRandom};
use uuid::Uuid;

use super::sql::{OptionalExtension, params};
use super::values::{from_millis, to_millis};
use super::{Conn, DbError};
use crate::domain::{UserId, WorkspaceId};

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
    /// When it was used last, to the day.
    pub used_at: DateTime<Utc>,
}

impl TokenGrant {
    /// Whether to record that it is used: once a day is enough, and a write for every read would be too much.
    pub fn is_use_due(&self, now: DateTime<Utc>) -> bool {
        now - self.used_at >= TimeDelta::days(1)
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
    now: DateTime<Utc>,
) -> Result<String, DbError> {
    let key = new_secret("gak_");
    conn.prepare_cached(
        "INSERT INTO api_keys (digest, workspace_id, issued_by, prefix, scopes, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![
        hash_secret(&key),
        workspace.0,
        issued_by.map(|user| user.0),
        &key[..10],
        scopes.join(" "),
        to_millis(now)
    ])?;
    Ok(key)
}

/// Issues a user's access token. Its plain text is only available here.
pub fn issue_token(conn: &Conn, user: UserId, now: DateTime<Utc>) -> Result<String, DbError> {
    let token = new_secret("gat_");
    conn.prepare_cached("INSERT INTO access_tokens (digest, user_id, created_at, used_at) VALUES (?1, ?2, ?3, ?3)")?
        .execute(params![hash_secret(&token), user.0, to_millis(now)])?;
    Ok(token)
}

/// The owner of a secret; `None` if it was never issued or has expired. The lookup is by digest, so that its duration reveals
/// nothing about existing secrets.
pub fn find_credential(conn: &Conn, secret: &str) -> Result<Option<Credential>, DbError> {
    let digest = hash_secret(secret);
    let key = conn
        .prepare_cached("SELECT workspace_id, issued_by, prefix, scopes FROM api_keys WHERE digest = ?1")?
        .query_row([&digest], |row| {
            Ok(ApiKeyGrant {
                workspace: WorkspaceId(row.get(0)?),
                issued_by: row.get::<_, Option<Uuid>>(1)?.map(UserId),
                prefix: row.get(2)?,
                scopes: row.get::<_, String>(3)?.split(' ').map(str::to_owned).collect(),
            })
        })
        .optional()?;
    if let Some(key) = key {
        return Ok(Some(Credential::Key(key)));
    }
    let token = conn
        .prepare_cached("SELECT user_id, used_at FROM access_tokens WHERE digest = ?1")?
        .query_row([&digest], |row| Ok(TokenGrant { user: UserId(row.get(0)?), used_at: from_millis(row.get(1)?) }))
        .optional()?;
    Ok(token.map(Credential::Token))
}

/// Records that a token is used.
pub fn record_use(conn: &Conn, token: &str, now: DateTime<Utc>) -> Result<(), DbError> {
    conn.prepare_cached("UPDATE access_tokens SET used_at = ?2 WHERE digest = ?1 AND used_at < ?2")?
        .execute(params![hash_secret(token), to_millis(now)])?;
    Ok(())
}

/// Revokes all tokens of a user.
pub fn revoke_tokens(conn: &Conn, user: UserId) -> Result<(), DbError> {
    conn.prepare_cached("DELETE FROM access_tokens WHERE user_id = ?1")?.execute([user.0])?;
    Ok(())
}

/// Revokes the keys that were issued, and the tokens that were used last, before a moment. Keys of walls are listed, and stay until
/// somebody revokes them.
pub fn revoke_outdated(conn: &Conn, moment: DateTime<Utc>) -> Result<(), DbError> {
    for old in [
        "DELETE FROM api_keys WHERE created_at < ?1 AND digest NOT IN (SELECT key_digest FROM walls WHERE key_digest IS NOT NULL)",
        "DELETE FROM access_tokens WHERE used_at < ?1",
    ] {
        conn.execute(old, [to_millis(moment)])?;
    }
    Ok(())
}

fn new_secret(prefix: &str) -> String {
    let mut bytes = [0u8; 24];
    SystemRandom::new().fill(&mut bytes).expect("the system provides random bytes");
    bytes.iter().fold(prefix.to_owned(), |text, byte| text + &format!("{byte:02x}"))
}

fn hash_secret(secret: &str) -> Vec<u8> {
    hash_bytes(secret.as_bytes())
}

/// The digest under which a secret is stored.
pub(super) fn hash_bytes(secret: &[u8]) -> Vec<u8> {
    digest(&SHA256, secret).as_ref().to_vec()
}

//! What a service says once it answers: its address, and who can ask it with which secret. Never stored; see [`super::db::secrets`].

use std::io::Write;
use std::path::Path;

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;

use super::db::{self, Conn, members, secrets, workspaces};
use crate::domain::members::Role;
use crate::domain::workspace::Plan;
use crate::domain::{UserId, WorkspaceId};

/// Days for which the secrets of a start hold.
pub const CREDENTIAL_LIFETIME_DAYS: i64 = 30;

/// The content of the ready file.
#[derive(Clone, Debug, Serialize)]
pub struct StartupInfo {
    /// What all paths are relative to; ends in `/api/v1`.
    pub base_url: String,
    /// All workspaces, in the order of their making: in the sample world the first two are `pro`.
    pub workspaces: Vec<StartupWorkspace>,
}

/// A workspace and its secrets.
#[derive(Clone, Debug, Serialize)]
pub struct StartupWorkspace {
    /// Its id.
    pub id: WorkspaceId,
    /// Its name.
    pub name: String,
    /// Its plan.
    pub plan: Plan,
    /// First a key that may write, then one that may only read; both issued by the owner.
    pub api_keys: Vec<ApiKey>,
    /// Its members, longest first.
    pub members: Vec<StartupMember>,
}

/// An API key, in clear.
#[derive(Clone, Debug, Serialize)]
pub struct ApiKey {
    /// The key itself.
    pub key: String,
    /// What it may do.
    pub scopes: Vec<String>,
}

/// A member and a token of theirs, in clear.
#[derive(Clone, Debug, Serialize)]
pub struct StartupMember {
    /// The user's id.
    pub user_id: UserId,
    /// The address.
    pub email: String,
    /// The role in this workspace.
    pub role: Role,
    /// The token.
    pub access_token: String,
}

impl StartupInfo {
    /// Issues the secrets of this start. Those of earlier starts hold for [`HELD_DAYS`] more: a restart signs nobody out.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn issue(tx: &Conn, base_url: String, now: DateTime<Utc>) -> Result<StartupInfo, db::DbError> {
        secrets::revoke_issued_before(tx, now - Duration::days(CREDENTIAL_LIFETIME_DAYS))?;
        let mut ready = StartupInfo { base_url, workspaces: Vec::new() };
        for workspace in workspaces::list(tx)? {
            let people = members::list(tx, workspace.id)?;
            let issuer = people.iter().find(|member| member.role == Role::Owner).map(|member| member.id);
            let api_keys = [&[secrets::READ_SCOPE, secrets::WRITE_SCOPE][..], &[secrets::READ_SCOPE]]
                .into_iter()
                .map(|scopes| {
                    let key = secrets::issue_key(tx, workspace.id, issuer, scopes, now)?;
                    Ok(ApiKey { key, scopes: scopes.iter().map(|&scope| scope.to_owned()).collect() })
                })
                .collect::<Result<_, db::DbError>>()?;
            let members = people
                .into_iter()
                .map(|member| {
                    let access_token = secrets::issue_token(tx, member.id, now)?;
                    Ok(StartupMember { user_id: member.id, email: member.email, role: member.role, access_token })
                })
                .collect::<Result<_, db::DbError>>()?;
            ready.workspaces.push(StartupWorkspace {
                id: workspace.id,
                name: workspace.name,
                plan: workspace.plan,
                api_keys,
                members,
            });
        }
        Ok(ready)
    }

    /// The workspace that was named, else the first that may be used, and who works in it from this machine: its owner's token, else
    /// that of whoever joined first, so that acts carry a name and Favorites work; a key where there is nobody.
    pub fn default_sign_in(&self, named: Option<WorkspaceId>) -> Option<(WorkspaceId, &str)> {
        let workspace = self.workspaces.iter().find(|workspace| match named {
            Some(id) => workspace.id == id,
            None => workspace.plan == Plan::Pro,
        })?;
        let owner = workspace.members.iter().find(|member| member.role == Role::Owner).or(workspace.members.first());
        let token = owner.map(|member| &member.access_token).or(workspace.api_keys.first().map(|key| &key.key))?;
        Some((workspace.id, token))
    }

    /// Writes the ready file: whole or not at all, for its owner's eyes only (mode 0600).
    ///
    /// # Errors
    /// When the folder or the file cannot be written.
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(folder)?; // made with mode 0600
        serde_json::to_writer_pretty(&mut file, self)?;
        file.write_all(b"\n")?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_sign_in_is_the_workspace_owner_whoever_joined_first() {
        let member = |name: &str, role| StartupMember {
            user_id: UserId(uuid::Uuid::nil()),
            email: format!("{name}@desk.example"),
            role,
            access_token: name.to_owned(),
        };
        let workspace = |nth: u128, plan, members| StartupWorkspace {
            id: WorkspaceId(uuid::Uuid::from_u128(nth)),
            name: "Desk".to_owned(),
            plan,
            api_keys: vec![ApiKey { key: "key".to_owned(), scopes: Vec::new() }],
            members,
        };
        let ready = StartupInfo {
            base_url: String::new(),
            workspaces: vec![
                workspace(1, Plan::Free, Vec::new()),
                workspace(2, Plan::Pro, vec![member("ana", Role::Admin), member("ben", Role::Owner)]),
                workspace(3, Plan::Pro, vec![member("ana", Role::Admin), member("cleo", Role::Member)]),
            ],
        };
        let signed_in = |nth: Option<u128>| {
            let named = nth.map(|nth| WorkspaceId(uuid::Uuid::from_u128(nth)));
            ready.default_sign_in(named).map(|(id, token)| (id.0.as_u128(), token))
        };
        assert_eq!(signed_in(None), Some((2, "ben")), "the first that may be used");
        assert_eq!(signed_in(Some(3)), Some((3, "ana")), "without an owner");
        assert_eq!(signed_in(Some(1)), Some((1, "key")), "without anybody");
        assert_eq!(signed_in(Some(4)), None);
    }
}

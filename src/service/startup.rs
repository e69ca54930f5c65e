//! What a service reports once it is ready: its address, and who can use it with which credential.
//! Never stored; see [`super::db::secrets`].

use std::path::Path;

use chrono::TimeDelta;
use serde::Serialize;

use super::db::{Conn, members, secrets, sql, workspaces};
use crate::domain::certificate::Fingerprint;
use crate::domain::members::Role;
use crate::domain::workspace::Plan;
use crate::domain::{UserId, WorkspaceId};
use crate::platform::files;

/// Days for which the keys of a start are valid, and for which a token is valid after its last use.
pub const CREDENTIAL_LIFETIME_DAYS: i64 = 30;

/// The content of the ready file.
#[derive(Clone, Debug, Serialize)]
pub struct StartupInfo {
    /// The base of all paths; ends in `/api/v1`.
    pub base_url: String,
    /// The fingerprint of the certificate, if the service speaks TLS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Fingerprint>,
    /// All workspaces in order of creation: in the sample world the first two are `pro`.
    pub workspaces: Vec<StartupWorkspace>,
}

/// A workspace and its credentials.
#[derive(Clone, Debug, Serialize)]
pub struct StartupWorkspace {
    pub id: WorkspaceId,
    pub name: String,
    pub plan: Plan,
    /// A read-write key, then a read-only one; both issued by the owner.
    pub api_keys: Vec<ApiKey>,
    /// Its members, longest-standing first.
    pub members: Vec<StartupMember>,
}

/// An API key in plain text.
#[derive(Clone, Debug, Serialize)]
pub struct ApiKey {
    pub key: String,
    /// What it allows.
    pub scopes: Vec<String>,
}

/// A member with a token in plain text.
#[derive(Clone, Debug, Serialize)]
pub struct StartupMember {
    pub user_id: UserId,
    pub email: String,
    pub role: Role,
    pub access_token: String,
}

impl StartupInfo {
    /// Issues the credentials of this start. Those of earlier starts stay valid for
    /// [`CREDENTIAL_LIFETIME_DAYS`], and tokens as long as they are used: a restart signs nobody
    /// out.
    pub fn issue(
        tx: &Conn,
        base_url: String,
        certificate: Option<Fingerprint>,
    ) -> sql::Result<StartupInfo> {
        secrets::revoke_outdated(tx, TimeDelta::days(CREDENTIAL_LIFETIME_DAYS))?;
        let mut ready = StartupInfo {
            base_url,
            certificate,
            workspaces: Vec::new(),
        };
        for workspace in workspaces::list(tx)? {
            let people = members::list(tx, workspace.id)?;
            let issuer = people
                .iter()
                .find(|member| member.role == Role::Owner)
                .map(|member| member.id);
            let api_keys = [
                &[secrets::READ_SCOPE, secrets::WRITE_SCOPE][..],
                &[secrets::READ_SCOPE],
            ]
            .into_iter()
            .map(|scopes| {
                let key = secrets::issue_key(tx, workspace.id, issuer, scopes)?;
                Ok(ApiKey {
                    key,
                    scopes: scopes.iter().map(|&scope| scope.to_owned()).collect(),
                })
            })
            .collect::<sql::Result<_>>()?;
            let members = people
                .into_iter()
                .map(|member| {
                    let access_token = secrets::issue_token(tx, member.id, None)?;
                    Ok(StartupMember {
                        user_id: member.id,
                        email: member.email,
                        role: member.role,
                        access_token,
                    })
                })
                .collect::<sql::Result<_>>()?;
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

    /// The named workspace, otherwise the first usable one, and a credential for it: its owner's
    /// token, otherwise that of the member who joined first, so that changes carry a name and
    /// Favorites work; an API key if there are no members.
    pub fn default_sign_in(&self, named: Option<WorkspaceId>) -> Option<(WorkspaceId, &str)> {
        let workspace = self.workspaces.iter().find(|workspace| match named {
            Some(id) => workspace.id == id,
            None => workspace.plan == Plan::Pro,
        })?;
        let owner = workspace
            .members
            .iter()
            .find(|member| member.role == Role::Owner)
            .or(workspace.members.first());
        let token = owner
            .map(|member| &member.access_token)
            .or(workspace.api_keys.first().map(|key| &key.key))?;
        Some((workspace.id, token))
    }

    /// Writes the ready file atomically and readable only by its owner (mode 0600).
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        files::replace_file(
            path,
            format!("{}\n", serde_json::to_string_pretty(self)?).as_bytes(),
        )
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
            api_keys: vec![ApiKey {
                key: "key".to_owned(),
                scopes: Vec::new(),
            }],
            members,
        };
        let ready = StartupInfo {
            base_url: String::new(),
            certificate: None,
            workspaces: vec![
                workspace(1, Plan::Free, Vec::new()),
                workspace(
                    2,
                    Plan::Pro,
                    vec![member("ana", Role::Admin), member("ben", Role::Owner)],
                ),
                workspace(
                    3,
                    Plan::Pro,
                    vec![member("ana", Role::Admin), member("cleo", Role::Member)],
                ),
            ],
        };
        let signed_in = |nth: Option<u128>| {
            let named = nth.map(|nth| WorkspaceId(uuid::Uuid::from_u128(nth)));
            ready
                .default_sign_in(named)
                .map(|(id, token)| (id.0.as_u128(), token))
        };
        assert_eq!(signed_in(None), Some((2, "ben")), "the first usable one");
        assert_eq!(signed_in(Some(3)), Some((3, "ana")), "without an owner");
        assert_eq!(signed_in(Some(1)), Some((1, "key")), "without anybody");
        assert_eq!(signed_in(Some(4)), None);
    }
}

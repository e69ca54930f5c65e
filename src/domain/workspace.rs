//! The workspace and the caller (`GET /workspace`; the interface does not show its payload, so
//! everything is optional).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::WorkspaceId;
use super::aliased_fields::AliasedFields;
use super::members::Role;
use super::open_enum::open_enum;
use super::person::Person;

open_enum! {
    Plan {
        /// Neither the Data API nor the Workspace API.
        Free = "free",
        /// Neither the Data API nor the Workspace API.
        Starter = "starter",
        /// Everything.
        Pro = "pro",
    }
}

open_enum! {
    /// The kind of credential.
    CallerKind {
        /// An API key: admin-equivalent, no favorites.
        ApiKey = "api_key",
        /// A user's access token.
        User = "user",
    }
}

/// What a service reports about the workspace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "AliasedFields")]
pub struct Workspace {
    pub id: Option<WorkspaceId>,
    pub name: Option<String>,
    pub plan: Option<Plan>,
    pub caller: Option<Caller>,
    /// Whether invitations are sent by mail, where the service reports it: our own service does if
    /// it has a mail server.
    pub sends_invitations: Option<bool>,
}

impl From<AliasedFields> for Workspace {
    fn from(sent: AliasedFields) -> Workspace {
        Workspace {
            id: sent.parse(&["id", "workspace_id", "uuid"]),
            name: sent.text(&["name", "display_name", "title"]),
            plan: sent
                .text(&["plan", "plan_name"])
                .map(|word| Plan::parse_lenient(&word)),
            caller: sent.parse(&["caller", "viewer", "me", "user", "principal"]),
            sends_invitations: sent.parse(&["sends_invitations"]),
        }
    }
}

impl Workspace {
    /// What a person who invites must know about this service.
    pub fn invitation_notice(&self) -> Option<&'static str> {
        (self.sends_invitations == Some(false))
            .then_some("This service sends no mail: pass the join code on yourself.")
    }
}

/// The caller, as seen by the service.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Value")]
pub struct Caller {
    pub kind: Option<CallerKind>,
    /// The user, or the user who issued the key.
    pub user: Option<Person>,
    /// Where the service reports it.
    pub role: Option<Role>,
    /// As reported by the service.
    pub scopes: Vec<String>,
}

impl From<Value> for Caller {
    fn from(sent: Value) -> Caller {
        let person = Person::from_value(&sent);
        let sent: AliasedFields = serde_json::from_value(sent).unwrap_or_default();
        let kind = sent
            .text(&["kind", "type", "credential", "auth_type"])
            .map(|word| CallerKind::from_words(&word));
        Caller {
            // A key may have an id and a name of its own.
            user: match kind {
                Some(CallerKind::ApiKey) => {
                    sent.parse(&["user_id", "user", "issued_by", "created_by", "owner"])
                }
                _ => person,
            },
            kind,
            role: sent
                .text(&["role", "member_role"])
                .map(|word| Role::parse_lenient(&word)),
            scopes: sent.words(&["scopes", "scope", "permissions"]),
        }
    }
}

impl CallerKind {
    /// Services name the two kinds in other words: `API key`, `user_token`.
    fn from_words(words: &str) -> CallerKind {
        match words.to_lowercase() {
            word if word.contains("key") => CallerKind::ApiKey,
            word if word.contains("user") => CallerKind::User,
            _ => words.into(),
        }
    }
}

impl Caller {
    pub fn is_api_key(&self) -> bool {
        self.kind == Some(CallerKind::ApiKey)
    }

    /// Whether the credential certainly lacks the scope to write: each scope that it has is one to
    /// read.
    pub fn cannot_write(&self) -> bool {
        let reads = |scope: &String| {
            scope
                .to_lowercase()
                .trim_end_matches("only")
                .trim_end_matches(['-', '_'])
                .ends_with("read")
        };
        !self.scopes.is_empty() && self.scopes.iter().all(reads)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn scopes_in_other_words_forbid_nothing() {
        for (scopes, cannot_write) in [
            (json!(["workspace:read"]), true),
            (json!(["workspace.read", "signals:READ"]), true),
            (json!("read_only"), true),
            (json!(["workspace:read", "workspace:write"]), false),
            (json!("workspace.read workspace.write"), false),
            (json!(["workspace"]), false),
            (json!(["*"]), false),
            (json!(["full_access"]), false),
            (json!([]), false),
            (json!({"workspace": "read"}), false),
            (json!(null), false),
        ] {
            let caller: Caller = serde_json::from_value(json!({ "scopes": scopes })).unwrap();
            assert_eq!(caller.cannot_write(), cannot_write, "{scopes}");
        }
    }

    #[test]
    fn the_caller_is_read_from_the_names_that_services_use() {
        let id = "018f4d3a-0000-7000-8000-00000000000a";
        for (sent, is_api_key) in [
            (json!({"kind": "user", "user_id": id}), false),
            (
                json!({"type": "USER_TOKEN", "user": {"id": id.to_uppercase(), "name": "Ana"}}),
                false,
            ),
            (
                json!({"kind": "API key", "id": "key_1", "user_id": id}),
                true,
            ),
            (json!({"auth_type": "apikey", "user": id}), true),
            (json!({"kind": "service_account", "userId": id}), false),
        ] {
            let workspace: Workspace =
                serde_json::from_value(json!({"id": id, "me": sent})).unwrap();
            let caller = workspace.caller.unwrap();
            assert_eq!(
                caller
                    .user
                    .as_ref()
                    .and_then(Person::user_id)
                    .map(|id| id.to_string())
                    .as_deref(),
                Some(id),
                "{sent}"
            );
            assert_eq!(caller.is_api_key(), is_api_key, "{sent}");
        }
    }
}

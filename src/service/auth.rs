//! Authentication and authorization before every handler, in the order of the decisions:
//! credentials (401), `workspace_id` (400), membership and plan (403), scope (403), role (403).
//! Success yields an [`Access`], without which no handler can run.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use uuid::Uuid;

use super::api_error::ApiError;
use super::db::secrets::TokenGrant;
use super::db::{Conn, members, secrets};
use super::validation;
use crate::domain::members::Role;
use crate::domain::workspace::{CallerKind, Plan};
use crate::domain::{UserId, WorkspaceId};
use crate::interface::{AllowedCallers, Route, WorkspaceParam};

/// An authorized caller and the workspace of the request.
#[derive(Clone, Debug)]
pub struct Access {
    /// The workspace that is read, changed and charged.
    pub workspace: WorkspaceId,
    pub kind: CallerKind,
    /// The token's user, or the user who issued the key.
    pub user: Option<UserId>,
    /// The role in the workspace; `admin` for a key.
    pub role: Role,
    /// What the credential allows.
    pub scopes: Vec<String>,
    /// The actor recorded with changes: the user's id, or `api_key:<prefix>`.
    pub actor: String,
    /// Whether the use of the caller's token is to be recorded.
    pub is_use_due: bool,
    /// Whether time has changed the queues or the projects since they were brought up to date.
    pub needs_advance: bool,
}

/// The parts of a request that authorization looks at.
pub struct AuthInput<'a> {
    /// The bearer token, if there is exactly one `Authorization` header and it contains one.
    pub token: Option<&'a str>,
    /// `workspace_id` from the query.
    pub query_workspace_id: Option<&'a str>,
    /// The body, if it is JSON.
    pub body: Option<&'a Value>,
    pub now: DateTime<Utc>,
}

/// Authorizes a caller, or returns the first check that failed.
pub fn authorize(route: &Route, conn: &Conn, caller: &AuthInput<'_>) -> Result<Access, ApiError> {
    let token = caller.token.ok_or_else(ApiError::unauthorized)?;
    let asked = requested_workspace(route, caller);
    let named = asked.as_ref().ok().copied().flatten();
    let found = secrets::find_caller(conn, token, named, caller.now)?;
    let secrets::Caller {
        credential,
        role,
        plan,
        needs_advance,
    } = found.ok_or_else(ApiError::unauthorized)?;
    let asked = asked?;
    let access = match credential {
        secrets::Credential::Key(key) => {
            let workspace = asked.unwrap_or(key.workspace);
            let overrides = route.workspace == WorkspaceParam::QueryOverride && role.is_some();
            if workspace != key.workspace && !overrides {
                return Err(not_a_member());
            }
            let name = key.issued_by.map_or_else(
                || format!("api_key:{}", key.prefix),
                |user| user.to_string(),
            );
            let (kind, user, scopes) = (CallerKind::ApiKey, key.issued_by, key.scopes);
            Access {
                workspace,
                kind,
                user,
                role: Role::Admin,
                scopes,
                actor: name,
                is_use_due: false,
                needs_advance,
            }
        }
        secrets::Credential::Token(token) => {
            let user = token.user;
            let Some(workspace) = asked else {
                return Err(missing_workspace_choice(conn, &token, route.workspace)?);
            };
            let role = role.ok_or_else(not_a_member)?;
            let scopes = vec![
                secrets::READ_SCOPE.to_owned(),
                secrets::WRITE_SCOPE.to_owned(),
            ];
            let (kind, is_use_due) = (CallerKind::User, token.is_use_due());
            Access {
                workspace,
                kind,
                user: Some(user),
                role,
                scopes,
                actor: user.to_string(),
                is_use_due,
                needs_advance,
            }
        }
    };
    if plan != Some(Plan::Pro) {
        return Err(ApiError::forbidden("this needs the Pro plan"));
    }
    let needed = if route.is_read() {
        secrets::READ_SCOPE
    } else {
        secrets::WRITE_SCOPE
    };
    if !access.scopes.iter().any(|scope| scope == needed) {
        return Err(ApiError::forbidden(format!(
            "this needs the scope {needed}"
        )));
    }
    match route.callers {
        AllowedCallers::Admins if access.role == Role::Member => {
            Err(ApiError::forbidden("this needs an owner or admin"))
        }
        AllowedCallers::Users if access.kind == CallerKind::ApiKey => Err(ApiError::forbidden(
            "Favorites are personal: use a user token instead of an API key",
        )),
        _ => Ok(access),
    }
}

/// The workspace named by the request.
pub fn requested_workspace(
    route: &Route,
    caller: &AuthInput<'_>,
) -> Result<Option<WorkspaceId>, ApiError> {
    let named = if route.workspace.is_in_query() {
        caller.query_workspace_id.map(Value::from)
    } else {
        caller
            .body
            .and_then(|body| body.get("workspace_id"))
            .cloned()
    };
    match named {
        Some(value) => {
            let id = value.as_str().and_then(|text| Uuid::try_parse(text).ok());
            let refusal = || {
                ApiError::invalid_field(
                    "invalid_type",
                    &["workspace_id".into()],
                    "must be a UUID",
                    validation::expected_type("uuid"),
                )
            };
            id.map(|id| Some(WorkspaceId(id))).ok_or_else(refusal)
        }
        None if matches!(
            route.workspace,
            WorkspaceParam::QueryRequired | WorkspaceParam::BodyRequired
        ) =>
        {
            Err(missing_workspace_id(route.workspace))
        }
        None => Ok(None),
    }
}

fn missing_workspace_id(place: WorkspaceParam) -> ApiError {
    workspace_id_required(place, Value::Null)
}

/// The same for a user, listing the workspaces they can choose.
fn missing_workspace_choice(
    conn: &Conn,
    token: &TokenGrant,
    place: WorkspaceParam,
) -> Result<ApiError, ApiError> {
    let mut workspaces = members::workspaces_of_user(conn, token.user)?;
    workspaces.retain(|id| token.workspace.is_none_or(|only| *id == only));
    Ok(workspace_id_required(
        place,
        json!({ "allowed": workspaces }),
    ))
}

fn workspace_id_required(place: WorkspaceParam, helps: Value) -> ApiError {
    let place = if place.is_in_body() { "body" } else { "query" };
    ApiError::invalid_field(
        "required",
        &["workspace_id".into()],
        format!("is required in the {place}"),
        helps,
    )
}

/// The same message for another team's workspace and for one that does not exist, so that ids
/// cannot be probed.
fn not_a_member() -> ApiError {
    ApiError::forbidden("you are not a member of this workspace")
}

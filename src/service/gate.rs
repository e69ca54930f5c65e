//! The gates that stand before every handler, in the order of the decisions: credentials (401), `workspace_id` (400), membership
//! and plan (403), scope (403), role (403). What passes is an [`Access`], and a handler cannot run without one.

use serde_json::{Value, json};
use uuid::Uuid;

use super::db::{self, Conn, members, secrets, workspaces};
use super::form;
use super::refusal::Refusal;
use crate::domain::members::Role;
use crate::domain::workspace::{CallerKind, Plan};
use crate::domain::{UserId, WorkspaceId};

/// Where a route finds `workspace_id`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the query; an API key may leave it out.
    Query,
    /// In the query of `GET /workspace/members`, where a key may name another workspace of its issuer.
    Overriding,
    /// In the query, always (`/signals*`, `/signal-subscriptions*`: GET and DELETE).
    QueryAlways,
    /// In the body, always (the same: POST and PUT).
    BodyAlways,
    /// In the body; an API key may leave it out (`/filters/ask`).
    Body,
}

/// Who may use a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// Every member, and every key.
    Everyone,
    /// Owners and admins; keys count as admin.
    Admins,
    /// Only a user's token (Favorites).
    Users,
}

/// What a route asks of its caller.
#[derive(Clone, Copy, Debug)]
pub struct Gate {
    /// Where the workspace is named.
    pub place: Place,
    /// Whether the scope `workspace:write` is needed.
    pub writes: bool,
    /// Who may.
    pub who: Who,
}

/// Who is asking, for which workspace: what the gates let through.
#[derive(Clone, Debug)]
pub struct Access {
    /// The workspace that is asked about and charged.
    pub workspace: WorkspaceId,
    /// Key or token.
    pub kind: CallerKind,
    /// The user of a token, or the user who issued the key.
    pub user: Option<UserId>,
    /// The role in the workspace; `admin` for a key.
    pub role: Role,
    /// What the credential may do.
    pub scopes: Vec<String>,
    /// The name under which it marks what it does: the user's id, or `api_key:<prefix>`.
    pub name: String,
}

/// What the gates look at.
pub struct Caller<'a> {
    /// The token of the `Authorization` header, when there is exactly one and it is a bearer's.
    pub token: Option<&'a str>,
    /// `workspace_id` of the query.
    pub query: Option<&'a str>,
    /// The body, when it is JSON.
    pub body: Option<&'a Value>,
}

impl Gate {
    /// Lets a caller pass, or says why not.
    ///
    /// # Errors
    /// The first gate that is shut.
    pub fn pass(&self, conn: &Conn, caller: &Caller<'_>) -> Result<Access, Refusal> {
        let token = caller.token.ok_or_else(Refusal::unauthorized)?;
        let credential = secrets::find(conn, token)?.ok_or_else(Refusal::unauthorized)?;
        let asked = self.asked(caller)?;
        let access = match credential {
            secrets::Credential::Key(key) => {
                let workspace = asked.unwrap_or(key.workspace);
                let issued_here = workspace == key.workspace;
                let overrides = || -> Result<bool, db::Error> {
                    let Some(issuer) = key.issued_by.filter(|_| self.place == Place::Overriding) else { return Ok(false) };
                    Ok(members::role(conn, workspace, issuer)?.is_some())
                };
                if !issued_here && !overrides()? {
                    return Err(not_yours());
                }
                let name = key.issued_by.map_or_else(|| format!("api_key:{}", key.prefix), |user| user.to_string());
                let (kind, user, scopes) = (CallerKind::ApiKey, key.issued_by, key.scopes);
                Access { workspace, kind, user, role: Role::Admin, scopes, name }
            }
            secrets::Credential::Token(user) => {
                let Some(workspace) = asked else { return Err(choose(conn, user, self.place)?) };
                let role = members::role(conn, workspace, user)?.ok_or_else(not_yours)?;
                let scopes = vec![secrets::READ.to_owned(), secrets::WRITE.to_owned()];
                Access { workspace, kind: CallerKind::User, user: Some(user), role, scopes, name: user.to_string() }
            }
        };
        if workspaces::plan(conn, access.workspace)? != Some(Plan::Pro) {
            return Err(Refusal::forbidden("this needs the Pro plan"));
        }
        let needed = if self.writes { secrets::WRITE } else { secrets::READ };
        if !access.scopes.iter().any(|scope| scope == needed) {
            return Err(Refusal::forbidden(format!("this needs the scope {needed}")));
        }
        match self.who {
            Who::Admins if access.role == Role::Member => Err(Refusal::forbidden("this needs an owner or an admin")),
            Who::Users if access.kind == CallerKind::ApiKey => {
                Err(Refusal::forbidden("Favorites are personal: this needs a user token, not an API key"))
            }
            _ => Ok(access),
        }
    }

    /// The workspace that the request names.
    fn asked(&self, caller: &Caller<'_>) -> Result<Option<WorkspaceId>, Refusal> {
        let named = match self.place {
            Place::Query | Place::Overriding | Place::QueryAlways => caller.query.map(Value::from),
            Place::Body | Place::BodyAlways => caller.body.and_then(|body| body.get("workspace_id")).cloned(),
        };
        match named {
            Some(value) => {
                let id = value.as_str().and_then(|text| Uuid::try_parse(text).ok());
                let refusal = || Refusal::issue("invalid_type", &["workspace_id".into()], "is no UUID", form::expected("uuid"));
                id.map(|id| Some(WorkspaceId(id))).ok_or_else(refusal)
            }
            None if matches!(self.place, Place::QueryAlways | Place::BodyAlways) => Err(missing(self.place)),
            None => Ok(None),
        }
    }
}

fn missing(place: Place) -> Refusal {
    required(place, Value::Null)
}

/// The same for a person, with the workspaces that may be named.
fn choose(conn: &Conn, user: UserId, place: Place) -> Result<Refusal, Refusal> {
    let workspaces = members::workspaces(conn, user)?;
    Ok(required(place, json!({ "allowed": workspaces })))
}

fn required(place: Place, helps: Value) -> Refusal {
    let place = if matches!(place, Place::Body | Place::BodyAlways) { "body" } else { "query" };
    Refusal::issue("required", &["workspace_id".into()], format!("is required in the {place}"), helps)
}

/// The same words for a workspace of others and for one that does not exist.
fn not_yours() -> Refusal {
    Refusal::forbidden("not a member of this workspace")
}

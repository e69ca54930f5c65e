//! A request as it arrives: what it needs before its handler can run, within a transaction.

use std::sync::Arc;

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use chrono::{DateTime, Utc};
use serde_json::Value;

use super::api_error::ApiError;
use super::auth::{self, Access, AuthInput};
use super::db::columns::ColumnCache;
use super::db::join_codes::JoinAddress;
use super::db::{self, Conn};
use super::recent_callers::RecentCallers;
use super::request::AuthorizedRequest;
use super::response::ApiResponse;
use super::router::ServedRoute;
use super::validation::InputValue;
use super::writes::WriteClaim;
use crate::domain::WorkspaceId;

/// A request before authorization.
pub struct IncomingRequest {
    pub now: DateTime<Utc>,
    pub path: Vec<(String, String)>,
    pub query: Vec<(String, String)>,
    pub headers: HeaderMap,
    pub body: Result<Option<Value>, String>,
    pub served: Arc<ServedRoute>,
    pub columns: Arc<ColumnCache>,
    pub join_address: Option<Arc<JoinAddress>>,
    /// Of a write.
    pub claim: WriteClaim,
}

impl IncomingRequest {
    /// Brings the queues and the projects up to date, for an authorized caller.
    pub fn catch_up(&self, conn: &Conn) -> Result<(), ApiError> {
        if self.authorize(conn)?.needs_advance {
            db::advance::advance(conn, self.now)?;
        }
        Ok(())
    }

    pub fn authorize(&self, conn: &Conn) -> Result<Access, ApiError> {
        auth::authorize(&self.served.route, conn, &self.auth_input())
    }

    /// The workspace of the request, if its caller was authorized for it a moment ago.
    pub fn recent_workspace(&self, callers: &RecentCallers) -> Option<WorkspaceId> {
        let caller = self.auth_input();
        callers.find_workspace(
            caller.token?,
            auth::requested_workspace(&self.served.route, &caller).ok()?,
            self.now,
        )
    }

    /// Remembers the caller, who was authorized.
    pub fn record_caller(&self, callers: &RecentCallers, access: &Access) {
        let caller = self.auth_input();
        if let (Some(token), Ok(asked)) = (
            caller.token,
            auth::requested_workspace(&self.served.route, &caller),
        ) {
            callers.record(token, asked, access.workspace, self.now);
        }
    }

    fn auth_input(&self) -> AuthInput<'_> {
        let query = self
            .query
            .iter()
            .rev()
            .find(|(key, _)| key == "workspace_id");
        AuthInput {
            token: bearer_token(&self.headers),
            query_workspace_id: query.map(|(_, value)| value.as_str()),
            body: self.body.as_ref().ok().and_then(Option::as_ref),
            now: self.now,
        }
    }

    /// Records that the caller's token is used.
    pub fn record_token_use(&self, conn: &Conn) -> db::sql::Result<()> {
        bearer_token(&self.headers).map_or(Ok(()), |token| db::secrets::record_use(conn, token))
    }

    /// Runs the handler of a write, which is committed next, and records that the caller's token is
    /// used.
    pub fn run_write(
        &self,
        conn: &Conn,
        access: Access,
    ) -> Result<(Access, ApiResponse), ApiError> {
        let done = self.run_authorized_handler(conn, access, self.columns.clone())?;
        if done.0.is_use_due {
            self.record_token_use(conn)?;
        }
        self.claim.commit()?;
        Ok(done)
    }

    /// Runs the handler; `None` if time has changed the data, unless that `is_known`.
    pub fn run_handler_if_current(
        &self,
        conn: &Conn,
        is_known: bool,
    ) -> Result<Option<(Access, ApiResponse)>, ApiError> {
        let Some(access) = self.authorize_if_current(conn, is_known)? else {
            return Ok(None);
        };
        self.run_authorized_handler(conn, access, self.columns.clone())
            .map(Some)
    }

    /// The same before a handler.
    pub fn authorize_if_current(
        &self,
        conn: &Conn,
        is_known: bool,
    ) -> Result<Option<Access>, ApiError> {
        let access = self.authorize(conn)?;
        Ok((is_known || !access.needs_advance).then_some(access))
    }

    /// Runs the handler for a caller who is authorized already, with the columns of this
    /// connection's database.
    pub fn run_authorized_handler(
        &self,
        conn: &Conn,
        access: Access,
        columns: Arc<ColumnCache>,
    ) -> Result<(Access, ApiResponse), ApiError> {
        self.served.reject_unknown_params(&self.query)?;
        let body = self.body.clone().map_err(|error| {
            ApiError::bad_request(format!("the body is not valid JSON: {error}"))
        })?;
        if let Some(body) = &body {
            InputValue::root(body).object()?; // `null` is not an object either: only a missing body counts as an empty one
        }
        let body = body.unwrap_or(Value::Null);
        let key = self
            .headers
            .get("idempotency-key")
            .and_then(|key| key.to_str().ok())
            .map(str::to_owned);
        let ask = AuthorizedRequest {
            access,
            now: self.now,
            path: self.path.clone(),
            query: self.query.clone(),
            body,
            max_items: self.served.route.max_items.unwrap_or(usize::MAX),
            idempotency_key: key,
            columns,
            join_address: self.join_address.clone(),
        };
        let answer = (self.served.handler)(conn, &ask)?;
        Ok((ask.access, answer))
    }
}

/// The bearer token, if there is exactly one `Authorization` header and it contains one.
pub fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let mut all = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (all.next(), all.next()) else {
        return None;
    };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then_some(token.trim())
        .filter(|token| !token.is_empty() && token.len() <= 512)
}

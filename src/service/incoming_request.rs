//! A request as it arrives: what it needs before its handler can run, within a transaction.

use std::sync::Arc;

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use chrono::{DateTime, Utc};
use serde_json::Value;

use super::api_error::ApiError;
use super::auth::{Access, AuthInput};
use super::db::columns::ColumnCache;
use super::db::{self, Conn};
use super::request::AuthorizedRequest;
use super::response::ApiResponse;
use super::router::Route;
use super::validation::InputValue;

/// A request before authorization.
pub struct IncomingRequest {
    pub now: DateTime<Utc>,
    pub path: Vec<(String, String)>,
    pub query: Vec<(String, String)>,
    pub headers: HeaderMap,
    pub body: Result<Option<Value>, String>,
    pub route: Arc<Route>,
    pub columns: Option<Arc<ColumnCache>>,
}

impl IncomingRequest {
    /// Whether time has changed the queues or the projects since the last update.
    pub fn needs_advance(&self, conn: &Conn) -> Result<bool, ApiError> {
        Ok(db::queue::needs_advance(conn, self.now)? || db::project_status::needs_advance(conn, self.now)?)
    }

    /// Brings the queues and the projects up to date, for an authorized caller.
    pub fn catch_up(&self, conn: &Conn) -> Result<(), ApiError> {
        if self.needs_advance(conn)? {
            self.authorize(conn)?;
            db::project_status::advance(conn, self.now)?;
            db::queue::advance(conn, self.now)?;
        }
        Ok(())
    }

    pub fn authorize(&self, conn: &Conn) -> Result<Access, ApiError> {
        let query = self.query.iter().rev().find(|(key, _)| key == "workspace_id");
        let caller = AuthInput {
            token: bearer_token(&self.headers),
            query_workspace_id: query.map(|(_, value)| value.as_str()),
            body: self.body.as_ref().ok().and_then(Option::as_ref),
            now: self.now,
        };
        self.route.auth.authorize(conn, &caller)
    }

    /// Records that the caller's token is used.
    pub fn record_token_use(&self, conn: &Conn) -> Result<(), db::DbError> {
        bearer_token(&self.headers).map_or(Ok(()), |token| db::secrets::record_use(conn, token, self.now))
    }

    /// Runs the handler of a write, and records that the caller's token is used.
    pub fn run_write(&self, conn: &Conn) -> Result<(Access, ApiResponse), ApiError> {
        let done = self.run_handler(conn)?;
        if done.0.is_use_due {
            self.record_token_use(conn)?;
        }
        Ok(done)
    }

    /// Runs the handler; `None` if time has changed the data, unless that `is_known`.
    pub fn run_handler_if_current(&self, conn: &Conn, is_known: bool) -> Result<Option<(Access, ApiResponse)>, ApiError> {
        if self.needs_advance(conn)? && !is_known {
            return Ok(None);
        }
        self.run_handler(conn).map(Some)
    }

    pub fn run_handler(&self, conn: &Conn) -> Result<(Access, ApiResponse), ApiError> {
        let access = self.authorize(conn)?;
        self.run_authorized_handler(conn, access, self.columns.clone())
    }

    /// Runs the handler for a caller who is authorized already, with the columns of this connection's database.
    pub fn run_authorized_handler(
        &self,
        conn: &Conn,
        access: Access,
        columns: Option<Arc<ColumnCache>>,
    ) -> Result<(Access, ApiResponse), ApiError> {
        self.route.reject_unknown_params(&self.query)?;
        let body = self.body.clone().map_err(|error| ApiError::bad_request(format!("the body is not valid JSON: {error}")))?;
        if let Some(body) = &body {
            InputValue::root(body).object()?; // `null` is not an object either: only a missing body counts as an empty one
        }
        let body = body.unwrap_or(Value::Null);
        let key = self.headers.get("idempotency-key").and_then(|key| key.to_str().ok()).map(str::to_owned);
        let ask = AuthorizedRequest {
            access,
            now: self.now,
            path: self.path.clone(),
            query: self.query.clone(),
            body,
            idempotency_key: key,
            columns,
        };
        let answer = (self.route.handler)(conn, &ask)?;
        Ok((ask.access, answer))
    }
}

/// The bearer token, if there is exactly one `Authorization` header and it contains one.
pub fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let mut all = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (all.next(), all.next()) else { return None };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim()).filter(|token| !token.is_empty() && token.len() <= 512)
}

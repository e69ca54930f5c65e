//! Error responses: every answer that is not a 200, in the interface's error envelope (interface:
//! Errors; decisions 2.1 to 2.3).

use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};

use super::db;

/// Why a request was rejected or failed.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiError {
    pub status: StatusCode,
    pub code: &'static str,
    /// `error.message`: what went wrong, for people.
    pub message: String,
    /// `error.issues`: which fields of the request are invalid, and why.
    pub issues: Vec<Value>,
    pub details: Option<Value>,
    /// Seconds to wait before repeating the request.
    pub retry_after: Option<i64>,
}

impl ApiError {
    /// An error with one of the interface's codes.
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        ApiError {
            status,
            code,
            message: message.into(),
            issues: Vec::new(),
            details: None,
            retry_after: None,
        }
    }

    /// 401: missing or unknown credentials. The message does not distinguish the two, so that
    /// nobody can probe for valid ones.
    pub fn unauthorized() -> Self {
        ApiError::new(
            StatusCode::UNAUTHORIZED,
            "unauthorized",
            "a valid API key or user token is required",
        )
    }

    pub fn forbidden(message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    pub fn bad_request(message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::BAD_REQUEST, "bad_request", message)
    }

    /// 404, with the code that most families use.
    pub fn not_found(message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    /// 404 of the View routes, which have their own code.
    pub fn view_not_found() -> Self {
        ApiError::new(
            StatusCode::NOT_FOUND,
            "view_not_found",
            "no such View in this workspace",
        )
    }

    pub fn conflict(code: &'static str, message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::CONFLICT, code, message)
    }

    /// 503: the client may retry.
    pub fn unavailable(message: impl Into<String>) -> Self {
        ApiError {
            retry_after: Some(1),
            ..ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message)
        }
    }

    /// 504: the write was sent to the database, which did not confirm it. A client must not take
    /// that for a rejection, and need not be able to repeat it: there is no `Retry-After`.
    pub fn outcome_unknown() -> Self {
        let message = "the database did not confirm the write: whether it was applied is unknown";
        ApiError::new(StatusCode::GATEWAY_TIMEOUT, "outcome_unknown", message)
    }

    /// Whether the database could not write, for now: it is busy or silent, or its disk is full.
    pub fn is_unwritable(&self) -> bool {
        [
            StatusCode::SERVICE_UNAVAILABLE,
            StatusCode::GATEWAY_TIMEOUT,
            StatusCode::INSUFFICIENT_STORAGE,
        ]
        .contains(&self.status)
    }

    /// 400 about one field: an issue with its code, the path to the field, and a hint (`allowed`,
    /// `expected`).
    pub fn invalid_field(
        code: &str,
        path: &[Value],
        message: impl Into<String>,
        helps: Value,
    ) -> Self {
        let message = message.into();
        let mut issue = Map::from_iter([
            ("code".to_owned(), json!(code)),
            ("path".to_owned(), Value::Array(path.to_vec())),
            ("message".to_owned(), json!(message)),
        ]);
        if let Value::Object(helps) = helps {
            issue.extend(helps);
        }
        let place: Vec<String> = path
            .iter()
            .map(|step| {
                step.as_str()
                    .map_or_else(|| step.to_string(), str::to_owned)
            })
            .collect();
        let message = if place.is_empty() {
            message
        } else {
            format!("{}: {message}", place.join("."))
        };
        ApiError {
            issues: vec![Value::Object(issue)],
            ..ApiError::bad_request(message)
        }
    }

    /// 400 about an unknown key.
    pub fn unknown_key(path: &[Value], allowed: &[&str]) -> Self {
        ApiError::invalid_field(
            "unknown_key",
            path,
            "unknown key",
            json!({ "allowed": allowed }),
        )
    }

    /// `{code, message}`, the form of errors in batch items.
    pub fn to_batch_item(&self) -> Value {
        json!({"code": self.code, "message": self.message})
    }

    /// The error envelope.
    pub fn to_json(&self) -> String {
        let mut error = self.to_batch_item();
        if !self.issues.is_empty() {
            error["issues"] = Value::Array(self.issues.clone());
        }
        if let Some(details) = &self.details {
            error["details"] = details.clone();
        }
        json!({ "error": error }).to_string()
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = (
            self.status,
            [(CONTENT_TYPE, "application/json")],
            self.to_json(),
        )
            .into_response();
        if self.status == StatusCode::UNAUTHORIZED {
            response
                .headers_mut()
                .insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(seconds) = self.retry_after {
            response
                .headers_mut()
                .insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl From<db::DbError> for ApiError {
    fn from(error: db::DbError) -> Self {
        tracing::error!(%error, "database error");
        match error.kind() {
            db::DbErrorKind::Busy => ApiError::unavailable("the database is busy"),
            db::DbErrorKind::CommitUnknown => ApiError::outcome_unknown(),
            // 507 rather than 500: the request is valid and the service is healthy, but retrying is
            // pointless until there is space
            db::DbErrorKind::DiskFull => ApiError::new(
                StatusCode::INSUFFICIENT_STORAGE,
                "storage_full",
                "the service's disk is full: nothing was written",
            ),
            db::DbErrorKind::Corrupt | db::DbErrorKind::Other => ApiError::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal",
                "internal error: see the service's log",
            ),
        }
    }
}

impl From<db::sql::SqlError> for ApiError {
    fn from(error: db::sql::SqlError) -> Self {
        db::DbError::from(error).into()
    }
}

impl From<db::credits::CreditsExhausted> for ApiError {
    fn from(exhausted: db::credits::CreditsExhausted) -> Self {
        ApiError {
            details: Some(exhausted.details()),
            retry_after: Some(exhausted.retry_after),
            ..ApiError::new(
                StatusCode::TOO_MANY_REQUESTS,
                "credit_limit_exceeded",
                format!(
                    "the workspace has used its {} credits for the last 24 hours",
                    db::credits::CREDIT_LIMIT
                ),
            )
        }
    }
}

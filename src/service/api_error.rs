//! Refusals: every answer that is not a 200, in the interface's error envelope (interface: Errors; decisions 2.1 to 2.3).

use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};

use super::db;

/// Why a request is not answered with data.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiError {
    /// The HTTP status.
    pub status: StatusCode,
    /// `error.code`.
    pub code: &'static str,
    /// `error.message`: what failed, for a person.
    pub message: String,
    /// `error.issues`: which fields of the request are wrong, and how.
    pub issues: Vec<Value>,
    /// `error.details`.
    pub details: Option<Value>,
    /// Seconds after which the same request may be answered.
    pub retry_after: Option<i64>,
}

impl ApiError {
    /// A refusal with a code of the interface.
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        ApiError { status, code, message: message.into(), issues: Vec::new(), details: None, retry_after: None }
    }

    /// 401: no credentials, or none that are known. Which of the two is not said.
    pub fn unauthorized() -> Self {
        ApiError::new(StatusCode::UNAUTHORIZED, "unauthorized", "a valid API key or user token is needed")
    }

    /// 403.
    pub fn forbidden(message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    /// 400.
    pub fn bad_request(message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::BAD_REQUEST, "bad_request", message)
    }

    /// 404 with the code of most families.
    pub fn not_found(message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    /// 404 of the View routes.
    pub fn view_not_found() -> Self {
        ApiError::new(StatusCode::NOT_FOUND, "view_not_found", "no such View in this workspace")
    }

    /// 409.
    pub fn conflict(code: &'static str, message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::CONFLICT, code, message)
    }

    /// 503: try again.
    pub fn unavailable(message: impl Into<String>) -> Self {
        ApiError { retry_after: Some(1), ..ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message) }
    }

    /// Whether there is no room to write.
    pub fn is_storage_full(&self) -> bool {
        self.status == StatusCode::INSUFFICIENT_STORAGE
    }

    /// 400 about one field: an issue with its code, the path to the field and what helps (`allowed`, `expected`).
    pub fn invalid_field(code: &str, path: &[Value], message: impl Into<String>, helps: Value) -> Self {
        let message = message.into();
        let mut issue = Map::from_iter([
            ("code".to_owned(), json!(code)),
            ("path".to_owned(), Value::Array(path.to_vec())),
            ("message".to_owned(), json!(message)),
        ]);
        if let Value::Object(helps) = helps {
            issue.extend(helps);
        }
        let place: Vec<String> = path.iter().map(|step| step.as_str().map_or_else(|| step.to_string(), str::to_owned)).collect();
        let message = if place.is_empty() { message } else { format!("{}: {message}", place.join(".")) };
        ApiError { issues: vec![Value::Object(issue)], ..ApiError::bad_request(message) }
    }

    /// 400 about a key that is not among those that are known.
    pub fn unknown_key(path: &[Value], allowed: &[&str]) -> Self {
        ApiError::invalid_field("unknown_key", path, "is not known here", json!({ "allowed": allowed }))
    }

    /// `{code, message}`, as an item of a batch carries it.
    pub fn to_batch_item(&self) -> Value {
        json!({"code": self.code, "message": self.message})
    }

    /// The envelope.
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
        let mut response = (self.status, [(CONTENT_TYPE, "application/json")], self.to_json()).into_response();
        if self.status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl From<db::DbError> for ApiError {
    fn from(error: db::DbError) -> Self {
        tracing::error!(%error, "the database refused");
        match error.kind() {
            db::DbErrorKind::Busy => ApiError::unavailable("the database is busy"),
            // 507 and not 500: the request is right and the service is well, and the client need not ask again before there is room
            db::DbErrorKind::DiskFull => {
                ApiError::new(StatusCode::INSUFFICIENT_STORAGE, "storage_full", "there is no room to write")
            }
            db::DbErrorKind::Corrupt | db::DbErrorKind::Other => {
                ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "the service failed")
            }
        }
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
                format!("the workspace spent its {} credits of the last 24 hours", db::credits::CREDIT_LIMIT),
            )
        }
    }
}

//! What operators and balancers ask: `/healthz`, `/readyz` and `/metrics`, outside the interface
//! and without credentials.
//!
//! Never here: data of a workspace.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::routing::get;
use uuid::Uuid;

use super::db::replica::ReadReplica;
use super::db::{self, DbError};
use super::metrics::{self, DatabaseState};
use super::state::AppState;

const HEALTH_PATH: &str = "/healthz";
const READINESS_PATH: &str = "/readyz";
const METRICS_PATH: &str = "/metrics";

/// The header that identifies a request in the logs of all that it passes.
pub const REQUEST_ID: &str = "x-request-id";
/// The longest id of a caller that is used.
const MAX_REQUEST_ID_LEN: usize = 128;

/// How long the database may take to answer: a balancer asks often, and waits as long for the
/// answer.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(2);

/// Whether a path is one of this module's. Anybody may ask for it, by any name of the host.
pub fn is_operations_path(path: &str) -> bool {
    [HEALTH_PATH, READINESS_PATH, METRICS_PATH].contains(&path)
}

/// The routes on the address of the service: what a balancer needs.
pub fn health_routes(state: Arc<AppState>) -> Router {
    let check = move || {
        let state = state.clone();
        async move { check_readiness(&state).await }
    };
    Router::new()
        .route(HEALTH_PATH, get(async || "ok\n"))
        .route(READINESS_PATH, get(check))
}

/// The routes on the address for operators.
pub fn operator_routes(state: Arc<AppState>) -> Router {
    let shown = state.clone();
    let show = move || {
        let state = shown.clone();
        async move {
            let waiting_mails = ask_database(&state).await;
            let mut pools = state.db.loads();
            pools.extend(state.replica.as_ref().and_then(ReadReplica::load));
            let database = DatabaseState {
                pools,
                waiting_mails,
            };
            (
                [(CONTENT_TYPE, metrics::CONTENT_TYPE)],
                state.metrics.encode(&database),
            )
        }
    };
    health_routes(state).route(METRICS_PATH, get(show))
}

/// Whether requests should be sent here.
async fn check_readiness(state: &AppState) -> (StatusCode, &'static str) {
    if state.is_draining.load(Ordering::Relaxed) {
        return (StatusCode::SERVICE_UNAVAILABLE, "draining\n");
    }
    match ask_database(state).await {
        Some(_) => (StatusCode::OK, "ready\n"),
        None => (
            StatusCode::SERVICE_UNAVAILABLE,
            "the database does not answer\n",
        ),
    }
}

/// The number of mails that wait; `None` if the database does not answer in time.
async fn ask_database(state: &AppState) -> Option<i64> {
    let read = state
        .db
        .read(|conn| db::outbox::count_waiting(conn).map_err(DbError::from));
    tokio::time::timeout(DATABASE_TIMEOUT, read)
        .await
        .ok()?
        .ok()
}

/// The id of a request: the caller's, if it is safe in a log, or a new one.
pub fn request_id(headers: &HeaderMap) -> HeaderValue {
    let is_safe = |id: &&HeaderValue| {
        let text = id.as_bytes();
        (1..=MAX_REQUEST_ID_LEN).contains(&text.len())
            && text
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.:/+=@".contains(byte))
    };
    let mut given = headers.get_all(REQUEST_ID).iter();
    if let (Some(id), None) = (given.next().filter(is_safe), given.next()) {
        return id.clone();
    }
    HeaderValue::from_str(&Uuid::new_v4().to_string())
        .unwrap_or_else(|_| HeaderValue::from_static("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_caller_is_kept_if_it_is_safe_in_a_log() {
        let id = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(
                    REQUEST_ID,
                    HeaderValue::from_bytes(value.as_bytes()).unwrap(),
                );
            }
            request_id(&headers).to_str().unwrap().to_owned()
        };
        let long = "x".repeat(MAX_REQUEST_ID_LEN + 1);
        for kept in ["a", "01J8-x_y.z:7/8+9=", &long[1..]] {
            assert_eq!(id(&[kept]), kept);
        }
        for replaced in [
            &[][..],
            &[""],
            &["a b"],
            &["\"}"],
            &["é"],
            &[long.as_str()],
            &["a", "b"],
        ] {
            let new = id(replaced);
            assert!(Uuid::try_parse(&new).is_ok(), "{replaced:?}: {new}");
        }
        assert_ne!(id(&[]), id(&[]));
    }
}

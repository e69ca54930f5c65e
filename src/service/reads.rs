//! The reads of a request: on which connections they run, and for how long.
//!
//! Never here: what a read returns, charging for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::api_error::ApiError;
use super::auth::Access;
use super::db::Conn;
use super::incoming_request::IncomingRequest;
use super::response::ApiResponse;
use super::state::AppState;

/// Runs the handler of a read; `None` if time has changed the data since the last update, unless
/// that `is_known`. Searches wait for their turn after they are authorized, now or a moment ago.
pub async fn run_read(
    state: &AppState,
    asked: &Arc<IncomingRequest>,
    is_known: bool,
) -> Result<Option<(Access, ApiResponse)>, ApiError> {
    let started = Arc::new(AtomicBool::new(false));
    let read = async {
        let quick = asked.clone();
        if !asked.served.is_search(&asked.query) {
            return state
                .db
                .read(move |tx| quick.run_handler_if_current(tx, is_known))
                .await;
        }
        let recent = asked
            .recent_workspace(&state.recent_callers)
            .filter(|_| state.replica.is_none());
        let workspace = match recent {
            Some(workspace) => workspace,
            None => {
                let authorize = move |tx: &Conn| quick.authorize_if_current(tx, is_known);
                let Some(access) = state.db.read(authorize).await? else {
                    return Ok(None);
                };
                if let Some(answer) = search_replica(state, asked, &access, &started).await {
                    return answer.map(Some);
                }
                access.workspace
            }
        };
        let (search, began) = (asked.clone(), started.clone());
        let run = move |tx: &Conn| {
            began.store(true, Ordering::Relaxed);
            search.run_handler_if_current(tx, is_known)
        };
        state.db.search(workspace, run).await
    };
    let limit = state.time_limits.read;
    with_read_timeout(limit, read, || started.load(Ordering::Relaxed)).await
}

/// The result of a read, which is canceled when it takes too long; `has_started` tells whether it
/// did more than wait.
async fn with_read_timeout<T>(
    limit: Duration,
    read: impl Future<Output = Result<T, ApiError>>,
    has_started: impl Fn() -> bool,
) -> Result<T, ApiError> {
    tokio::time::timeout(limit, read)
        .await
        .unwrap_or_else(|_| Err(read_timed_out(limit, has_started())))
}

pub fn read_timed_out(limit: Duration, has_started: bool) -> ApiError {
    let seconds = limit.as_secs();
    ApiError::unavailable(match has_started {
        true => format!("the search took longer than {seconds} seconds: narrow it"),
        false => format!("the search waited {seconds} seconds for others: try again later"),
    })
}

/// Runs a search on the read replica, for a caller whom the database itself has authorized. `None`
/// if there is no replica for it, or the replica does not answer.
async fn search_replica(
    state: &AppState,
    asked: &Arc<IncomingRequest>,
    access: &Access,
    started: &Arc<AtomicBool>,
) -> Option<Result<(Access, ApiResponse), ApiError>> {
    let replica = state
        .replica
        .as_ref()
        .filter(|_| asked.served.reads_replica)?;
    let workspace = access.workspace;
    let (search, began, access, columns) = (
        asked.clone(),
        started.clone(),
        access.clone(),
        replica.columns(),
    );
    let run = move |tx: &Conn| {
        began.store(true, Ordering::Relaxed);
        search.run_authorized_handler(tx, access, columns)
    };
    let failure = |error: &ApiError| {
        error
            .status
            .is_server_error()
            .then(|| error.message.clone())
    };
    let answer = replica.search(workspace, run, failure).await;
    state.metrics.record_replica_search(answer.is_some());
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_read_that_times_out_gets_503_with_the_reason() {
        let (began, limit) = (tokio::time::Instant::now(), Duration::from_secs(10));
        for (has_started, message) in [
            (true, "the search took longer than 10 seconds: narrow it"),
            (
                false,
                "the search waited 10 seconds for others: try again later",
            ),
        ] {
            let never = std::future::pending::<Result<(), ApiError>>();
            let refusal = with_read_timeout(limit, never, || has_started)
                .await
                .unwrap_err();
            assert_eq!(
                (refusal.status.as_u16(), refusal.message.as_str()),
                (503, message)
            );
        }
        assert_eq!(began.elapsed().as_secs(), 20);
        assert_eq!(
            with_read_timeout(limit, std::future::ready(Ok(7)), || true).await,
            Ok(7)
        );
    }
}

//! The writes of a request: how long they may take, and what is known of one that takes too long.
//!
//! Never here: what a write changes.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::api_error::ApiError;
use super::auth::Access;
use super::db::Conn;
use super::incoming_request::IncomingRequest;
use super::response::ApiResponse;
use super::state::AppState;
use crate::interface::AllowedCallers;

/// Whether a write is committed or given up: whichever comes first.
#[derive(Debug, Default)]
pub struct WriteClaim(OnceLock<WriteFate>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WriteFate {
    Committed,
    GivenUp,
}

impl WriteClaim {
    /// Fails if the write was given up: it need not begin.
    pub fn check(&self) -> Result<(), ApiError> {
        if self.0.get() == Some(&WriteFate::GivenUp) {
            Err(given_up())
        } else {
            Ok(())
        }
    }

    /// To be called after the last statement of the write. Fails if it was given up; otherwise
    /// nobody can give it up any more.
    pub fn commit(&self) -> Result<(), ApiError> {
        self.0.get_or_init(|| WriteFate::Committed);
        self.check()
    }

    /// Gives the write up, unless it is being committed: then the answer is that its outcome is
    /// unknown.
    fn give_up(&self) -> ApiError {
        match self.0.get_or_init(|| WriteFate::GivenUp) {
            WriteFate::GivenUp => given_up(),
            WriteFate::Committed => ApiError::outcome_unknown(),
        }
    }
}

fn given_up() -> ApiError {
    ApiError::unavailable("the write took too long, so nothing was written: try again later")
}

/// The result of a write within a time limit.
pub async fn with_write_timeout<T>(
    claim: &WriteClaim,
    limit: Duration,
    write: impl Future<Output = Result<T, ApiError>>,
) -> Result<T, ApiError> {
    tokio::time::timeout(limit, write)
        .await
        .unwrap_or_else(|_| Err(claim.give_up()))
}

/// Runs the handler of a write, as the only writer of the workspace. What only admins may write is
/// about people, who belong to several workspaces; and once time has changed the data, the queues
/// of all workspaces are brought up to date.
pub async fn run_write(
    state: &AppState,
    asked: &Arc<IncomingRequest>,
    limit: Duration,
) -> Result<(Access, ApiResponse), ApiError> {
    with_write_timeout(&asked.claim, limit, async {
        if asked.served.route.callers != AllowedCallers::Admins {
            let (caller, write) = (asked.clone(), asked.clone());
            let authorize = move |tx: &Conn| {
                caller.claim.check()?;
                let access = caller.authorize(tx)?;
                Ok((access.workspace, access))
            };
            let run = move |tx: &Conn, access: Access| match access.needs_advance {
                true => Ok(None),
                false => write.run_write(tx, access).map(Some),
            };
            let expected = asked.recent_workspace(&state.recent_callers);
            if let Some(done) = state.db.write_workspace(expected, authorize, run).await? {
                return Ok(done);
            }
        }
        let write = asked.clone();
        let run = move |tx: &Conn| {
            write.claim.check()?;
            write.catch_up(tx)?;
            write.run_write(tx, write.authorize(tx)?)
        };
        state.db.write(run).await
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_write_that_takes_too_long_is_given_up_before_its_commit_and_unknown_from_then_on() {
        let began = tokio::time::Instant::now();
        let never = std::future::pending::<Result<(), ApiError>>;
        let waiting = WriteClaim::default();
        assert_eq!(waiting.check(), Ok(()));
        let limit = Duration::from_secs(15);
        let refusal = with_write_timeout(&waiting, limit, never())
            .await
            .unwrap_err();
        assert_eq!(
            (refusal.status.as_u16(), refusal.code, refusal.retry_after),
            (503, "unavailable", Some(1))
        );
        assert_eq!(began.elapsed(), limit);
        assert!(
            waiting.check().is_err() && waiting.commit().is_err(),
            "it is not begun, and not committed, later"
        );

        let committed = WriteClaim::default();
        assert_eq!(committed.commit(), Ok(()));
        let refusal = with_write_timeout(&committed, limit, never())
            .await
            .unwrap_err();
        assert_eq!(
            (refusal.status.as_u16(), refusal.code, refusal.retry_after),
            (504, "outcome_unknown", None)
        );
    }
}

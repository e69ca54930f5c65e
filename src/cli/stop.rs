//! How a verb ends when it does not end well: an exit status and one line.

use std::io;

use crate::config::ConfigError;
use crate::domain::failure::{RequestError, RequestErrorKind};

/// The end of a verb that is not "done". The line says what failed, why in the service's words, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The exit status.
    pub status: u8,
    /// For standard error; nothing is said when it is empty.
    pub line: String,
}

/// Refused or failed, or some items of a batch did.
pub(super) const FAILED: u8 = 1;
/// Wrong usage.
pub(super) const USAGE: u8 = 2;
/// Not signed in, or not allowed.
pub(super) const NOT_ALLOWED: u8 = 3;
/// Not found.
pub(super) const NOT_FOUND: u8 = 4;
/// The service could not be reached, or what became of the request is not known.
pub(super) const NOT_REACHED: u8 = 5;
/// Interrupted.
pub(super) const INTERRUPTED: u8 = 130;

impl Stop {
    /// An end with a status and a line.
    pub fn new(status: u8, line: impl Into<String>) -> Self {
        Stop { status, line: line.into() }
    }

    /// Wrong usage.
    pub fn usage(line: impl Into<String>) -> Self {
        Stop::new(USAGE, line)
    }
}

impl From<RequestError> for Stop {
    fn from(failure: RequestError) -> Self {
        let status = match &failure.kind {
            RequestErrorKind::NotSent | RequestErrorKind::Ambiguous => NOT_REACHED,
            RequestErrorKind::Cancelled => INTERRUPTED,
            RequestErrorKind::OverBudget => FAILED,
            RequestErrorKind::ReadOnly => NOT_ALLOWED,
            RequestErrorKind::Rejected(refusal) => match refusal.status {
                401 | 403 => NOT_ALLOWED,
                404 => NOT_FOUND,
                _ => FAILED,
            },
        };
        Stop::new(status, failure.message)
    }
}

impl From<crate::store::Error> for Stop {
    fn from(error: crate::store::Error) -> Self {
        Stop::new(FAILED, error.to_string())
    }
}

impl From<ConfigError> for Stop {
    fn from(wrong: ConfigError) -> Self {
        Stop::new(if wrong.is_missing_token { NOT_ALLOWED } else { USAGE }, wrong.message)
    }
}

impl From<io::Error> for Stop {
    /// Standard output that nobody reads any more is no fault: `gantry queue list | head` ends quietly.
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Stop::new(0, "");
        }
        Stop::new(FAILED, format!("cannot write: {error}"))
    }
}

/// Says what was being done when something failed.
pub(super) trait Doing<T> {
    /// `Err` becomes "cannot `what`: why".
    fn doing(self, what: &str) -> Result<T, Stop>;
}

impl<T, E: Into<Stop>> Doing<T> for Result<T, E> {
    fn doing(self, what: &str) -> Result<T, Stop> {
        self.map_err(|error| {
            let stop = error.into();
            if stop.line.is_empty() {
                return stop;
            }
            Stop { line: format!("cannot {what}: {}", stop.line), ..stop }
        })
    }
}

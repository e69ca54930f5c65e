//! How a verb ends when it does not end well: an exit status and one line.

use std::io;

use crate::config::ConfigError;
use crate::domain::request_error::{RequestError, RequestErrorKind};

/// The end of a verb that is not "done". The line says what failed, why in the service's words, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CliError {
    /// The exit status.
    pub exit_status: u8,
    /// For standard error; nothing is said when it is empty.
    pub message: String,
}

/// Refused or failed, or some items of a batch did.
pub(super) const EXIT_FAILED: u8 = 1;
/// Wrong usage.
pub(super) const EXIT_USAGE: u8 = 2;
/// Not signed in, or not allowed.
pub(super) const EXIT_NOT_ALLOWED: u8 = 3;
/// Not found.
pub(super) const EXIT_NOT_FOUND: u8 = 4;
/// The service could not be reached, or what became of the request is not known.
pub(super) const EXIT_UNREACHABLE: u8 = 5;
/// Interrupted.
pub(super) const EXIT_INTERRUPTED: u8 = 130;

impl CliError {
    /// An end with a status and a line.
    pub fn new(status: u8, line: impl Into<String>) -> Self {
        CliError { exit_status: status, message: line.into() }
    }

    /// Wrong usage.
    pub fn usage(line: impl Into<String>) -> Self {
        CliError::new(EXIT_USAGE, line)
    }
}

impl From<RequestError> for CliError {
    fn from(failure: RequestError) -> Self {
        let status = match &failure.kind {
            RequestErrorKind::NotSent | RequestErrorKind::Ambiguous => EXIT_UNREACHABLE,
            RequestErrorKind::Cancelled => EXIT_INTERRUPTED,
            RequestErrorKind::OverBudget => EXIT_FAILED,
            RequestErrorKind::ReadOnly => EXIT_NOT_ALLOWED,
            RequestErrorKind::Rejected(refusal) => match refusal.status {
                401 | 403 => EXIT_NOT_ALLOWED,
                404 => EXIT_NOT_FOUND,
                _ => EXIT_FAILED,
            },
        };
        CliError::new(status, failure.message)
    }
}

impl From<crate::store::StoreError> for CliError {
    fn from(error: crate::store::StoreError) -> Self {
        CliError::new(EXIT_FAILED, error.to_string())
    }
}

impl From<ConfigError> for CliError {
    fn from(wrong: ConfigError) -> Self {
        CliError::new(if wrong.is_missing_token { EXIT_NOT_ALLOWED } else { EXIT_USAGE }, wrong.message)
    }
}

impl From<io::Error> for CliError {
    /// Standard output that nobody reads any more is no fault: `gantry queue list | head` ends quietly.
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return CliError::new(0, "");
        }
        CliError::new(EXIT_FAILED, format!("cannot write: {error}"))
    }
}

/// Says what was being done when something failed.
pub(super) trait Context<T> {
    /// `Err` becomes "cannot `what`: why".
    fn context(self, what: &str) -> Result<T, CliError>;
}

impl<T, E: Into<CliError>> Context<T> for Result<T, E> {
    fn context(self, what: &str) -> Result<T, CliError> {
        self.map_err(|error| {
            let stop = error.into();
            if stop.message.is_empty() {
                return stop;
            }
            CliError { message: format!("cannot {what}: {}", stop.message), ..stop }
        })
    }
}

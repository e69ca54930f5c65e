//! CLI errors: an exit status and a one-line message.

use std::io;

use crate::config::ConfigError;
use crate::domain::request_error::{RequestError, RequestErrorKind};

/// Why a command failed. The message says what failed, why (in the service's words) and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CliError {
    pub exit_status: u8,
    /// Printed on standard error unless empty.
    pub message: String,
}

/// Rejected or failed, in whole or for some items of a batch.
pub(super) const EXIT_FAILED: u8 = 1;
pub(super) const EXIT_USAGE: u8 = 2;
/// Not signed in, or not allowed.
pub(super) const EXIT_NOT_ALLOWED: u8 = 3;
pub(super) const EXIT_NOT_FOUND: u8 = 4;
/// The service could not be reached, or the result of the request is unknown.
pub(super) const EXIT_UNREACHABLE: u8 = 5;
pub(super) const EXIT_INTERRUPTED: u8 = 130;

impl CliError {
    pub fn new(status: u8, line: impl Into<String>) -> Self {
        CliError { exit_status: status, message: line.into() }
    }

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
            RequestErrorKind::Rejected(rejection) => match rejection.status {
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
    /// A closed standard output is not an error: `gantry queue list | head` ends quietly.
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return CliError::new(0, "");
        }
        CliError::new(EXIT_FAILED, format!("cannot write: {error}"))
    }
}

/// Adds the failed action to an error message.
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

//! CLI errors: an exit status and a one-line message.

use std::io;

use crate::config::ConfigError;
use crate::domain::exit_status;
use crate::domain::request_error::RequestError;

/// Why a command failed. The message says what failed, why (in the service's words) and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CliError {
    pub exit_status: u8,
    /// Printed on standard error unless empty.
    pub message: String,
}

impl CliError {
    pub fn new(status: u8, line: impl Into<String>) -> Self {
        CliError { exit_status: status, message: line.into() }
    }

    pub fn usage(line: impl Into<String>) -> Self {
        CliError::new(exit_status::USAGE, line)
    }
}

impl From<RequestError> for CliError {
    fn from(failure: RequestError) -> Self {
        CliError::new(failure.exit_status(), failure.message)
    }
}

impl From<crate::store::StoreError> for CliError {
    fn from(error: crate::store::StoreError) -> Self {
        CliError::new(exit_status::FAILED, error.to_string())
    }
}

impl From<ConfigError> for CliError {
    fn from(wrong: ConfigError) -> Self {
        CliError::new(if wrong.is_missing_token { exit_status::NOT_ALLOWED } else { exit_status::USAGE }, wrong.message)
    }
}

impl From<io::Error> for CliError {
    /// A closed standard output is not an error: `gantry queue list | head` ends quietly.
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return CliError::new(0, "");
        }
        CliError::new(exit_status::FAILED, format!("cannot write: {error}"))
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

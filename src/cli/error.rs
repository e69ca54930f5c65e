//! CLI errors: an exit status and a one-line message.

use std::io;
use std::process::ExitCode;

use crate::config::ConfigError;
use crate::domain::exit_status;
use crate::domain::request_error::RequestError;

use super::print;

/// Why a command failed. The message says what failed, why (in the service's words) and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CliError {
    pub exit_status: u8,
    /// `None` if there is nothing to print: the output already says it, or nobody reads it.
    pub message: Option<String>,
}

impl CliError {
    pub fn new(status: u8, line: impl Into<String>) -> Self {
        CliError { exit_status: status, message: Some(line.into()) }
    }

    pub fn usage(line: impl Into<String>) -> Self {
        CliError::new(exit_status::USAGE, line)
    }

    /// Prints the message to standard error, and returns the exit status.
    pub fn report(self) -> ExitCode {
        if let Some(message) = self.message {
            print::write_note(&message);
        }
        ExitCode::from(self.exit_status)
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
            return CliError { exit_status: 0, message: None };
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
            let CliError { exit_status, message } = error.into();
            CliError { exit_status, message: message.map(|why| format!("cannot {what}: {why}")) }
        })
    }
}

//! Standard input, read on a blocking thread so that ^C still works.

use std::io::Read;

use crate::domain::exit_status;

use super::error::CliError;

/// Reads the next line.
pub(super) async fn read_line() -> Result<String, CliError> {
    let read = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).map(|_| line)
    });
    match read.await {
        Ok(Ok(line)) => Ok(line),
        Ok(Err(error)) => Err(CliError::new(exit_status::FAILED, format!("cannot read standard input: {error}"))),
        Err(error) => Err(CliError::new(exit_status::FAILED, error.to_string())),
    }
}

/// Reads everything as text; invalid UTF-8 is replaced.
pub(super) async fn read_all() -> Result<String, CliError> {
    let read = tokio::task::spawn_blocking(|| {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    });
    match read.await {
        Ok(Ok(bytes)) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Ok(Err(error)) => Err(CliError::new(exit_status::FAILED, format!("cannot read standard input: {error}"))),
        Err(error) => Err(CliError::new(exit_status::FAILED, error.to_string())),
    }
}

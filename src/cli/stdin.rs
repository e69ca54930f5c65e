//! Standard input, read to its end without keeping ^C from being heard.

use std::io::Read;

use super::stop::{FAILED, Stop};

/// Its next line.
pub(super) async fn line() -> Result<String, Stop> {
    let read = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).map(|_| line)
    });
    match read.await {
        Ok(Ok(line)) => Ok(line),
        Ok(Err(error)) => Err(Stop::new(FAILED, format!("cannot read standard input: {error}"))),
        Err(error) => Err(Stop::new(FAILED, error.to_string())),
    }
}

/// All of it as text; what is no UTF-8 is replaced.
pub(super) async fn read() -> Result<String, Stop> {
    let read = tokio::task::spawn_blocking(|| {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    });
    match read.await {
        Ok(Ok(bytes)) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Ok(Err(error)) => Err(Stop::new(FAILED, format!("cannot read standard input: {error}"))),
        Err(error) => Err(Stop::new(FAILED, error.to_string())),
    }
}

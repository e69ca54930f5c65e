//! Tokens: from a file that only the owner can read, or from a command. Never from an argument,
//! never shown.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use secrecy::SecretString;

use super::config_error::ConfigError;
use crate::platform::files::has_permissions;

/// The maximum length of a file of secrets.
const MAX_SECRET_FILE_BYTES: u64 = 64 * 1024;

/// Reads a token from a file. Rejects a file that others can read, with the command that fixes it.
pub fn token_from_file(path: &Path) -> Result<SecretString, ConfigError> {
    secret_from_file(path, "token file")
}

/// Reads a password from a file, by the same rules.
pub fn password_from_file(path: &Path) -> Result<SecretString, ConfigError> {
    secret_from_file(path, "password file")
}

fn secret_from_file(path: &Path, what: &str) -> Result<SecretString, ConfigError> {
    let secret = read_private_file(path, what)?;
    match trim_secret(&secret) {
        "" => Err(ConfigError::new(format!(
            "the {what} {} is empty",
            path.display()
        ))),
        secret => Ok(secret.into()),
    }
}

/// Without the spaces, line end and byte order mark that editors and shells leave.
fn trim_secret(text: &str) -> &str {
    text.trim_start_matches('\u{feff}').trim()
}

/// Reads a file that only its owner may read.
pub(super) fn read_private_file(path: &Path, what: &str) -> Result<String, ConfigError> {
    let cannot = |error: std::io::Error| {
        ConfigError::new(format!(
            "cannot read the {what} {}: {error}",
            path.display()
        ))
    };
    let file = std::fs::File::open(path).map_err(cannot)?;
    let metadata = file.metadata().map_err(cannot)?;
    if metadata.is_file() && has_permissions(&metadata, 0o077) {
        return Err(ConfigError::new(format!(
            "others can read the {what} {0}; run: chmod 600 {0}",
            path.display()
        )));
    }
    let mut secret = String::new();
    file.take(MAX_SECRET_FILE_BYTES)
        .read_to_string(&mut secret)
        .map_err(cannot)?;
    Ok(secret)
}

/// Reads a token from a command's output. The command does not inherit `GANTRY_TOKEN`.
pub fn token_from_command(command: &str) -> Result<SecretString, ConfigError> {
    let run = Command::new("sh")
        .args(["-c", command])
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .env_remove("GANTRY_TOKEN")
        .output();
    let output = run.map_err(|error| {
        ConfigError::new(format!("cannot run the token_command {command:?}: {error}"))
    })?;
    if !output.status.success() {
        return Err(ConfigError::new(format!(
            "the token_command {command:?} failed ({})",
            output.status
        )));
    }
    let printed = String::from_utf8(output.stdout).unwrap_or_default();
    match trim_secret(&printed) {
        token if !token.is_empty() => Ok(token.into()),
        _ => Err(ConfigError::new(format!(
            "the token_command {command:?} printed no token"
        ))),
    }
}

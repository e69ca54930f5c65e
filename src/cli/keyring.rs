//! The system's keyring, through its own program: `secret-tool` on Linux, `security` on macOS. The
//! token goes in through standard input, so that it is in no argument.
//!
//! Never here: reading a token for a request; the profile's `token_command` does that.

use std::process::Stdio;

use secrecy::{ExposeSecret as _, SecretString};
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use crate::config;
use crate::platform::tasks;

use super::error::CliError;

/// How the keyring of this system keeps the token of a profile.
struct Keyring {
    program: &'static str,
    install: &'static str,
    store: Vec<String>,
    /// What the program reads from standard input.
    input: fn(profile: &str, token: &str) -> String,
    /// The command of the shell that prints the token.
    lookup: String,
    clear: Vec<String>,
}

fn keyring(profile: &str) -> Keyring {
    let words = |text: String| text.split(' ').map(str::to_owned).collect();
    if cfg!(target_os = "macos") {
        return Keyring {
            program: "security",
            install: "it is part of macOS",
            store: words("-i".to_owned()),
            // In hexadecimal, so that no character of the token has a meaning for the program.
            input: |profile, token| {
                let hex: String = token.bytes().map(|byte| format!("{byte:02x}")).collect();
                format!("add-generic-password -U -s gantry -a {profile} -X {hex}\n")
            },
            lookup: format!("security find-generic-password -s gantry -a {profile} -w"),
            clear: words(format!("delete-generic-password -s gantry -a {profile}")),
        };
    }
    Keyring {
        program: "secret-tool",
        install: "install the package libsecret-tools (Debian, Ubuntu) or libsecret",
        store: words(format!(
            "store --label=gantry service gantry profile {profile}"
        )),
        input: |_, token| token.to_owned(),
        lookup: format!("secret-tool lookup service gantry profile {profile}"),
        clear: words(format!("clear service gantry profile {profile}")),
    }
}

/// Stores the token of a profile, reads it back, and returns the command that prints it.
pub(super) async fn store_token(profile: &str, token: &SecretString) -> Result<String, CliError> {
    config::check_profile_name(profile)?;
    let keyring = keyring(profile);
    let token = token.expose_secret().trim();
    run(&keyring, &keyring.store, &(keyring.input)(profile, token)).await?;
    let lookup = keyring.lookup.clone();
    let read = tasks::run_blocking(move || config::token_from_command(&lookup)).await;
    match read {
        Ok(Ok(read)) if read.expose_secret() == token => Ok(keyring.lookup),
        _ => {
            let why = format!("the keyring did not return the token ({})", keyring.program);
            Err(CliError::failed(why).with_hint("sign in without --keyring"))
        }
    }
}

/// Removes the token of a profile, if this command of its profile says that it is in the keyring.
pub(super) async fn remove_token(profile: &str, token_command: &str) -> Result<(), CliError> {
    let keyring = keyring(profile);
    if keyring.lookup == token_command {
        run(&keyring, &keyring.clear, "").await
    } else {
        Ok(())
    }
}

async fn run(keyring: &Keyring, arguments: &[String], input: &str) -> Result<(), CliError> {
    let program = keyring.program;
    let failed = |why: String| CliError::failed(format!("cannot use the keyring: {why}"));
    let started = Command::new(program)
        .args(arguments)
        .env_remove("GANTRY_TOKEN")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn();
    let mut child = started
        .map_err(|error| failed(format!("{program}: {error}")).with_hint(keyring.install))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that ends early says why on standard error.
        let _ = stdin.write_all(input.as_bytes()).await;
    }
    let output = child
        .wait_with_output()
        .await
        .map_err(|error| failed(format!("{program}: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().next().unwrap_or("no reason given");
    Err(failed(format!("{program} failed: {said}"))
        .with_hint("unlock the keyring, or sign in without --keyring"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_is_in_no_argument() {
        let keyring = keyring("desk");
        let arguments = [keyring.store, keyring.clear].concat();
        assert!(
            arguments
                .iter()
                .all(|argument| !argument.contains("gk_canary"))
        );
        let input = (keyring.input)("desk", "gk_canary");
        assert!(
            input.contains("gk_canary") || input.contains("676b5f63616e617279"),
            "{input}"
        );
    }
}

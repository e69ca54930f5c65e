//! Questions at the terminal before something is lost.
//!
//! A script is not asked: what is piped into gantry, or whose standard error is not a terminal, goes on. `--yes` goes on too.

use std::io::IsTerminal as _;

use super::error::CliError;
use super::{print, stdin};

/// Whether somebody is there to answer.
pub(super) fn can_ask() -> bool {
    print::is_stderr_terminal() && std::io::stdin().is_terminal()
}

/// Asks a question; anything but yes means no.
pub(super) async fn ask(question: &str) -> Result<bool, CliError> {
    print::write_prompt(&format!("{question} [y/N] "));
    let answer = stdin::read_line().await?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

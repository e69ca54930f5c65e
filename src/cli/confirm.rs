//! Questions at the terminal before something is lost.
//!
//! A script is not asked: what is piped into gantry, or whose standard error is not a terminal,
//! goes on. `--yes` goes on too.

use std::io::IsTerminal as _;

use super::error::CliError;
use super::output::Output;
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

impl Output {
    /// Asks whether to go on, if somebody is there to answer. The question names what is lost, and
    /// for whom.
    ///
    /// # Errors
    /// The answer is no: nothing was done.
    pub(super) async fn confirm(self, question: &str) -> Result<(), CliError> {
        if self.assumes_yes || !can_ask() || ask(question).await? {
            return Ok(());
        }
        Err(CliError::failed("canceled; nothing was changed"))
    }
}

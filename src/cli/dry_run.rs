//! `--dry-run`: prints what a write would send, without sending it.

use clap::Args;
use serde::Serialize;
use serde_json::Value;

use crate::client::Request;

use super::columns;
use super::error::CliError;
use super::output::{Output, to_raw_json};
use super::print;

#[derive(Clone, Copy, Debug, Default, Args)]
pub struct DryRun {
    /// Print what would be sent, without sending it
    #[arg(long)]
    pub(super) dry_run: bool,
}

/// A request that is not sent.
#[derive(Serialize)]
struct UnsentRequest<'r> {
    /// Method and path.
    request: String,
    body: Option<&'r Value>,
}

impl DryRun {
    /// Prints the requests if this is a dry run; returns whether it is.
    pub(super) fn print_unsent(
        self,
        output: Output,
        requests: &[Request],
    ) -> Result<bool, CliError> {
        if self.dry_run {
            let unsent = |request: &Request| {
                to_raw_json(&UnsentRequest {
                    request: request.to_string(),
                    body: request.body(),
                })
            };
            let rows: Vec<_> = requests.iter().map(unsent).collect::<Result<_, _>>()?;
            output.print_rows(&rows, columns::UNSENT_REQUEST_COLUMNS)?;
            print::write_note("nothing was sent");
        }
        Ok(self.dry_run)
    }
}

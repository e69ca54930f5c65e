//! Single writes, and `--dry-run`: prints what a write would send, without sending it.

use clap::Args;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::client::Request;

use super::columns::{self, Column};
use super::error::{CliError, Context};
use super::output::Output;
use super::print;
use super::session::Session;

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

/// What is reported of a write.
pub(super) struct Written<T> {
    /// What is done, as in "cannot change Ann".
    pub(super) what: String,
    /// The columns of the response.
    pub(super) columns: &'static [Column],
    /// What was done, as a sentence and as data.
    pub(super) sentence: String,
    pub(super) value: T,
}

/// What is asked and reported when something is removed.
pub(super) struct Removal {
    /// What is done, as in "cannot remove Ann".
    pub(super) what: String,
    pub(super) question: String,
    /// What was done, as a sentence and as data.
    pub(super) sentence: String,
    pub(super) value: Value,
}

impl DryRun {
    /// Sends a single write and returns the response; `None` if this is a dry run.
    pub(super) async fn send(
        self,
        request: Request,
        what: &str,
        session: &Session,
    ) -> Result<Option<Box<RawValue>>, CliError> {
        if self.print_unsent(session.output, [&request])? {
            return Ok(None);
        }
        let response = session.client.fetch_value(request).await.context(what)?;
        Ok(Some(response.value))
    }

    /// Sends a single write, and prints its response; where that is empty, what was done.
    pub(super) async fn write(
        self,
        request: Request,
        written: Written<impl Serialize>,
        session: &Session,
    ) -> Result<(), CliError> {
        match self.send(request, &written.what, session).await? {
            Some(response) => session.output.print_write_result(
                &response,
                written.columns,
                &written.sentence,
                &written.value,
            ),
            None => Ok(()),
        }
    }

    /// Asks, removes and reports it.
    pub(super) async fn remove(
        self,
        request: Request,
        removal: Removal,
        session: &Session,
    ) -> Result<(), CliError> {
        if self.print_unsent(session.output, [&request])? {
            return Ok(());
        }
        session.output.confirm(&removal.question).await?;
        session
            .client
            .execute(request)
            .await
            .context(&removal.what)?;
        session
            .output
            .print_summary(&removal.sentence, &removal.value)
    }

    /// Prints the requests if this is a dry run; returns whether it is.
    pub(super) fn print_unsent<'r>(
        self,
        output: Output,
        requests: impl IntoIterator<Item = &'r Request>,
    ) -> Result<bool, CliError> {
        if self.dry_run {
            let unsent = requests.into_iter().map(|request| UnsentRequest {
                request: request.to_string(),
                body: request.body(),
            });
            output.print_rows(unsent, columns::UNSENT_REQUEST_COLUMNS)?;
            print::write_note("nothing was sent");
        }
        Ok(self.dry_run)
    }
}

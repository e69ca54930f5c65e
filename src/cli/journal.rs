//! `gantry log`: what was written from this machine.

use serde::Serialize;

use crate::domain::handoff::{list_names, record_name};
use crate::domain::journal::SentWrite;

use super::error::CliError;
use super::options::GlobalOptions;
use super::output::{Output, to_raw_json};
use super::session::{self, StoreCell};
use super::time_args::SinceArgs;
use super::{columns, print};

/// This many records are named; the others are counted.
const MAX_NAMES_SHOWN: usize = 3;

/// A row of the log.
#[derive(Serialize)]
struct LogRow<'a> {
    #[serde(flatten)]
    sent: &'a SentWrite,
    /// The first records it changed.
    about: Option<String>,
}

/// Prints the writes journaled for the configured service.
pub(super) async fn print_log(
    window: &SinceArgs,
    options: &GlobalOptions,
    store_cell: &StoreCell,
    output: Output,
) -> Result<(), CliError> {
    let store = session::store_for_options(options, store_cell)?;
    let work = store.recorded_work(window.since).await?;
    if work.sent.is_empty() {
        print::write_note("nothing was written in this period");
    }
    let row = |sent: &SentWrite| {
        let names: Vec<String> = sent.record_keys().into_iter().map(|key| record_name(key, &work.names)).collect();
        to_raw_json(&LogRow { sent, about: list_names(&names, MAX_NAMES_SHOWN) })
    };
    let rows: Vec<_> = work.sent.iter().map(row).collect::<Result<_, _>>()?;
    output.print_rows(&rows, columns::LOG_COLUMNS)
}

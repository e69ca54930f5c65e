//! `gantry cache`: what this machine keeps of what it has read from the profile's service. Works
//! offline.
//!
//! Never here: drafts, the journal, snoozes and the ledger, which are not deleted.

use clap::Subcommand;
use serde::Serialize;

use crate::domain::cache::{CacheKind, CacheUsage};

use super::error::CliError;
use super::list_args::ListArgs;
use super::options::GlobalOptions;
use super::output::Output;
use super::session::{self, StoreCell};
use super::{columns, print};

#[derive(Debug, Subcommand)]
pub enum CacheCommand {
    /// Show what was read and is shown again for free: rows, size, age and what reading it cost
    /// (works offline)
    #[command(after_help = "Example: gantry cache show --sort bytes:desc")]
    Show(ListArgs),
    /// Delete it; reading it again costs credits. Drafts, journal, snoozes and ledger stay (works
    /// offline)
    #[command(after_help = "Example: gantry cache clear --lists")]
    Clear(ClearArgs),
}

#[derive(Debug, clap::Args)]
pub struct ClearArgs {
    /// Delete only the lists: of the book, of Views and Explore's searches
    #[arg(long)]
    lists: bool,
}

/// What was deleted, also printed as JSON.
#[derive(Debug, Serialize)]
struct ClearReport {
    removed: Vec<CacheUsage>,
}

pub(super) async fn run(
    command: &CacheCommand,
    options: &GlobalOptions,
    store_cell: &StoreCell,
    output: Output,
) -> Result<(), CliError> {
    let store = session::store_for_options(options, store_cell)?;
    let usage = store.cache_usage().await?;
    match command {
        CacheCommand::Show(list) => list.print_rows(&usage, columns::CACHE_COLUMNS, output),
        CacheCommand::Clear(args) => {
            let removed: Vec<CacheUsage> = usage
                .into_iter()
                .filter(|usage| usage.kind.is_list() || !args.lists)
                .collect();
            let rows: u64 = removed.iter().map(|usage| usage.rows).sum();
            if rows > 0 {
                let count = print::pluralize(rows, "row");
                output
                    .confirm(&format!(
                        "Delete {count} from this machine? Reading them again costs credits"
                    ))
                    .await?;
            }
            store
                .clear_cache(removed.iter().map(|usage| usage.kind).collect())
                .await?;
            let removed: Vec<CacheUsage> =
                removed.into_iter().filter(|usage| usage.rows > 0).collect();
            output.print_summary(&describe_removed(&removed), &ClearReport { removed })
        }
    }
}

/// `removed: book lists (43 rows, 43 credits), records (2 rows, 2 credits)`.
fn describe_removed(removed: &[CacheUsage]) -> String {
    if removed.is_empty() {
        return "there was nothing to remove".to_owned();
    }
    let part = |usage: &CacheUsage| {
        let credits = usage
            .credits
            .map(|credits| format!(", {}", print::pluralize(credits, "credit")));
        let rows = print::pluralize(usage.rows, "row");
        format!(
            "{} ({rows}{})",
            kind_name(usage.kind),
            credits.unwrap_or_default()
        )
    };
    format!(
        "removed: {}",
        removed.iter().map(part).collect::<Vec<_>>().join(", ")
    )
}

fn kind_name(kind: CacheKind) -> &'static str {
    match kind {
        CacheKind::BookLists => "book lists",
        CacheKind::ViewLists => "View lists",
        CacheKind::Searches => "searches",
        CacheKind::Records => "records",
        CacheKind::Descriptions => "descriptions",
    }
}

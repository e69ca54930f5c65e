//! `gantry queue`: the shared queue, its counts, and triage.

use clap::{Args, Subcommand, ValueEnum};
use clap_complete::ArgValueCompleter;
use serde_json::value::RawValue;

use crate::client::paging::Pager;
use crate::client::{Client, queue};
use crate::domain::queue::{MAX_QUEUE_PAGE_ROWS, Priority, QueueFilter, TriageStatus};
use crate::domain::signals::SignalType;

use super::columns;
use super::completions;
use super::error::{CliError, Context};
use super::ids::IdArgs;
use super::options::OutputFormat;
use super::output::Output;
use super::paging;
use super::print;
use super::triage;
use crate::export::json::RawFields;

#[derive(Debug, Subcommand)]
pub enum QueueCommand {
    /// List signals: new first, then by priority, then by filing date
    #[command(after_help = "Example: gantry --demo queue list --status new --priority high --limit 5")]
    List(QueueListArgs),
    /// Count the new and done signals
    #[command(after_help = "Example: gantry --demo queue stats --json")]
    Stats,
    /// Mark signals as done or new, for the whole workspace
    #[command(
        after_help = "Example: gantry --demo queue list --status new --limit 3 --format csv | tail -n +2 | cut -d, -f1 | gantry --demo queue triage done --stdin"
    )]
    Triage(TriageArgs),
}

#[derive(Debug, Args)]
pub struct QueueListArgs {
    /// Only signals with this status [default: both]
    #[arg(long)]
    status: Vec<TriageStatusArg>,
    #[command(flatten)]
    which: QueueFilterArgs,
    /// Maximum number of signals
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "all")]
    limit: u32,
    /// List all matches
    #[arg(long)]
    all: bool,
}

/// Filters; those that are not given match everything.
#[derive(Clone, Debug, Default, Args)]
pub struct QueueFilterArgs {
    /// Only signals of this type, e.g. permit_filed
    #[arg(long = "type", value_name = "TYPE", add = ArgValueCompleter::new(completions::signal_types))]
    signal_type: Vec<SignalType>,
    /// Only signals of this priority
    #[arg(long)]
    priority: Vec<PriorityArg>,
    /// City of the project
    #[arg(long, default_value = "", hide_default_value = true)]
    city: String,
    /// Text to search for
    #[arg(long, default_value = "", hide_default_value = true)]
    query: String,
}

impl QueueFilterArgs {
    /// The filter for these signals with one of the given statuses.
    pub(super) fn to_filter(&self, status: impl IntoIterator<Item = TriageStatus>) -> QueueFilter {
        QueueFilter {
            status: status.into_iter().collect(),
            signal_type: self.signal_type.iter().cloned().collect(),
            priority: self.priority.iter().map(|&level| level.into()).collect(),
            city: self.city.clone(),
            q: self.query.clone(),
        }
    }
}

#[derive(Debug, Args)]
pub struct TriageArgs {
    /// done removes the signals from the New list for everyone; new restores them
    status: TriageStatusArg,
    #[command(flatten)]
    ids: IdArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum TriageStatusArg {
    /// Not handled yet
    New,
    /// Handled
    Done,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum PriorityArg {
    High,
    Medium,
    Low,
}

impl From<TriageStatusArg> for TriageStatus {
    fn from(status: TriageStatusArg) -> Self {
        match status {
            TriageStatusArg::New => TriageStatus::New,
            TriageStatusArg::Done => TriageStatus::Done,
        }
    }
}

impl From<PriorityArg> for Priority {
    fn from(level: PriorityArg) -> Self {
        match level {
            PriorityArg::High => Priority::High,
            PriorityArg::Medium => Priority::Medium,
            PriorityArg::Low => Priority::Low,
        }
    }
}

pub(super) async fn run(verb: &QueueCommand, client: &Client, output: Output) -> Result<(), CliError> {
    match verb {
        QueueCommand::List(list) => print_list(list, client, output).await.context("list the queue"),
        QueueCommand::Stats => print_stats(client, output).await.context("count the queue"),
        QueueCommand::Triage(triage_args) => {
            let given = triage_args.ids.read().await?;
            triage::run(given, triage_args.status.into(), client, output).await
        }
    }
}

async fn print_list(list: &QueueListArgs, client: &Client, output: Output) -> Result<(), CliError> {
    let filter = list.which.to_filter(list.status.iter().map(|&status| status.into()));
    let most = if list.all { u32::MAX } else { list.limit };
    paging::print_pages(Pager::new(client, queue::list(&filter), most, MAX_QUEUE_PAGE_ROWS), output, columns::QUEUE_COLUMNS).await
}

async fn print_stats(client: &Client, output: Output) -> Result<(), CliError> {
    let stats: Box<RawValue> = client.fetch_value(queue::stats()).await?.value;
    if output.format != OutputFormat::Table {
        return output.print_record(&stats, columns::STATS_COLUMNS);
    }
    output.print_rows(std::slice::from_ref(&stats), columns::STATS_COLUMNS)?;
    let types: Vec<Box<RawValue>> = RawFields::from_raw(&stats)
        .get("type_counts")
        .and_then(|types| serde_json::from_str(types.get()).ok())
        .unwrap_or_default();
    if !types.is_empty() {
        print::write_data("\n")?;
    }
    output.print_rows(&types, columns::TYPE_COUNT_COLUMNS)
}

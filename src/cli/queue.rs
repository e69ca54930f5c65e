//! `gantry queue`: the shared queue, its counts, and triage.

use clap::{Args, Subcommand, ValueEnum};
use clap_complete::ArgValueCompleter;
use serde_json::value::RawValue;

use crate::client::paging::Pages;
use crate::client::{Client, queue};
use crate::domain::queue::{MAX_QUEUE_PAGE_ROWS, Priority, QueueFilter, TriageStatus};
use crate::domain::signals::SignalType;

use super::args::Format;
use super::columns;
use super::complete;
use super::ids::Ids;
use super::output::Output;
use super::paging;
use super::print;
use super::stop::{Doing, Stop};
use super::triage;
use crate::export::json::RawFields;

/// What can be done with the queue.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List signals: new first, then by priority, then by filing
    #[command(after_help = "Example: gantry --demo queue list --status new --priority high --limit 5")]
    List(List),
    /// Show how many signals are new and done
    #[command(after_help = "Example: gantry --demo queue stats --json")]
    Stats,
    /// Mark signals as done or as new, for the whole workspace
    #[command(
        after_help = "Example: gantry --demo queue list --status new --limit 3 --format csv | tail -n +2 | cut -d, -f1 | gantry --demo queue triage done --stdin"
    )]
    Triage(Triage),
}

/// What is listed.
#[derive(Debug, Args)]
pub struct List {
    /// New or done; both unless said
    #[arg(long)]
    status: Vec<Status>,
    #[command(flatten)]
    which: Which,
    /// How many signals
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "all")]
    limit: u32,
    /// All that match
    #[arg(long)]
    all: bool,
}

/// Which signals; what is not said narrows nothing.
#[derive(Clone, Debug, Default, Args)]
pub struct Which {
    /// A type of signal, as permit_filed
    #[arg(long = "type", value_name = "TYPE", add = ArgValueCompleter::new(complete::signal_types))]
    signal_type: Vec<SignalType>,
    /// A priority
    #[arg(long)]
    priority: Vec<Level>,
    /// The project's city
    #[arg(long, default_value = "", hide_default_value = true)]
    city: String,
    /// A text
    #[arg(long, default_value = "", hide_default_value = true)]
    query: String,
}

impl Which {
    /// The filter for those of them that are on one of these sides.
    pub(super) fn filter(&self, status: impl IntoIterator<Item = TriageStatus>) -> QueueFilter {
        QueueFilter {
            status: status.into_iter().collect(),
            signal_type: self.signal_type.iter().cloned().collect(),
            priority: self.priority.iter().map(|&level| level.into()).collect(),
            city: self.city.clone(),
            q: self.query.clone(),
        }
    }
}

/// What is marked, and as what.
#[derive(Debug, Args)]
pub struct Triage {
    /// Done leaves the New list for everyone; new brings back
    status: Status,
    #[command(flatten)]
    ids: Ids,
}

/// `new` or `done`.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Status {
    /// Nobody has dealt with it
    New,
    /// Somebody has
    Done,
}

/// `high`, `medium` or `low`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Level {
    High,
    Medium,
    Low,
}

impl From<Status> for TriageStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::New => TriageStatus::New,
            Status::Done => TriageStatus::Done,
        }
    }
}

impl From<Level> for Priority {
    fn from(level: Level) -> Self {
        match level {
            Level::High => Priority::High,
            Level::Medium => Priority::Medium,
            Level::Low => Priority::Low,
        }
    }
}

pub(super) async fn run(verb: &Verb, client: &Client, output: Output) -> Result<(), Stop> {
    match verb {
        Verb::List(list) => show(list, client, output).await.doing("list the queue"),
        Verb::Stats => stats(client, output).await.doing("count the queue"),
        Verb::Triage(act) => {
            let given = act.ids.read().await?;
            triage::run(given, act.status.into(), client, output).await
        }
    }
}

async fn show(list: &List, client: &Client, output: Output) -> Result<(), Stop> {
    let filter = list.which.filter(list.status.iter().map(|&status| status.into()));
    let most = if list.all { u32::MAX } else { list.limit };
    paging::list(Pages::new(client, queue::list(&filter), most, MAX_QUEUE_PAGE_ROWS), output, columns::QUEUE).await
}

async fn stats(client: &Client, output: Output) -> Result<(), Stop> {
    let stats: Box<RawValue> = client.value(queue::stats()).await?.value;
    if output.format != Format::Table {
        return output.record(&stats, columns::STATS);
    }
    output.rows(std::slice::from_ref(&stats), columns::STATS)?;
    let types: Vec<Box<RawValue>> = RawFields::from_raw(&stats)
        .get("type_counts")
        .and_then(|types| serde_json::from_str(types.get()).ok())
        .unwrap_or_default();
    if !types.is_empty() {
        print::data("\n")?;
    }
    output.rows(&types, columns::TYPE_COUNTS)
}

//! `gantry signals`: the feed of all signals, and a single signal with its source payload.

use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};

use super::columns;
use super::completions;
use super::error::{CliError, Context};
use super::ids::parse_id;
use super::list_args::RowOrder;
use super::paging::{self, ArrangeRows};
use super::session::Session;
use super::time_args::parse_timestamp;
use super::type_args::{filter_help, parse_filter_type};
use crate::client::paging::Pager;
use crate::client::signals::{feed, get};
use crate::domain::feed::FeedFilter;
use crate::domain::queue::MAX_QUEUE_PAGE_ROWS;
use crate::domain::signals::SignalType;
use crate::domain::{AccountId, ProjectId, SignalId};
use clap_complete::ArgValueCompleter;

#[derive(Debug, Subcommand)]
pub enum SignalsCommand {
    /// List all signals, subscribed or not, newest filing first
    #[command(
        after_help = "Example: gantry --demo signals list --type permit_issued --limit 5 --sort filed_at"
    )]
    List(SignalListArgs),
    /// Show a signal with its source payload
    #[command(
        after_help = "Example: gantry --demo signals show $(gantry --demo signals list --limit 1 --format csv | tail -n +2 | cut -d, -f1)"
    )]
    Show {
        /// Signal id
        #[arg(value_parser = parse_id::<SignalId>)]
        id: SignalId,
    },
}

#[derive(Debug, Args)]
pub struct SignalListArgs {
    /// Only signals of this project
    #[arg(long, value_name = "UUID")]
    project: Option<ProjectId>,
    /// Only signals of this account's projects
    #[arg(long, value_name = "UUID")]
    account: Option<AccountId>,
    /// Only signals of this type, e.g. permit_filed
    #[arg(long = "type", value_name = "TYPE", value_parser = parse_filter_type, long_help = filter_help(), add = ArgValueCompleter::new(completions::signal_types))]
    signal_type: Option<SignalType>,
    /// Filed on or after this date
    #[arg(long, value_name = "DATE", value_parser = parse_timestamp)]
    filed_after: Option<DateTime<Utc>>,
    /// Filed before this date (exclusive)
    #[arg(long, value_name = "DATE", value_parser = parse_timestamp)]
    filed_before: Option<DateTime<Utc>>,
    /// Discovered on or after this date
    #[arg(long, value_name = "DATE", value_parser = parse_timestamp)]
    discovered_after: Option<DateTime<Utc>>,
    /// Text in filing id, source address or project name
    #[arg(long, default_value = "", hide_default_value = true)]
    query: String,
    /// City of the project
    #[arg(long, default_value = "", hide_default_value = true)]
    city: String,
    /// Maximum number of signals
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "all")]
    limit: u32,
    /// List all matches
    #[arg(long)]
    all: bool,
    /// Sort the rows that are read, on this machine, by this field of the JSON, with :asc or :desc
    /// [default: as the service]
    #[arg(long, value_name = "FIELD")]
    sort: Option<String>,
}

pub(super) async fn run(verb: &SignalsCommand, session: &Session) -> Result<(), CliError> {
    match verb {
        SignalsCommand::List(list) => {
            let filter = FeedFilter {
                project_id: list.project,
                account_id: list.account,
                signal_type: list.signal_type.clone(),
                filed_after: list.filed_after,
                filed_before: list.filed_before,
                discovered_after: list.discovered_after,
                q: list.query.clone(),
                city: list.city.clone(),
            };
            let most = if list.all { u32::MAX } else { list.limit };
            let pages = Pager::new(&session.client, feed(&filter), most, MAX_QUEUE_PAGE_ROWS);
            let order = list
                .sort
                .as_deref()
                .map(|sort| RowOrder::parse(sort, columns::SIGNAL_LIST_COLUMNS))
                .transpose()?;
            let arrange = order.map(|order| ArrangeRows {
                is_sorted: true,
                apply: Box::new(move |mut rows, _| {
                    order.sort(&mut rows);
                    rows
                }),
            });
            let (output, columns) = (session.output, columns::SIGNAL_LIST_COLUMNS);
            paging::print_arranged_pages(pages, output, columns, arrange)
                .await
                .map(drop)
                .context("list signals")
        }
        SignalsCommand::Show { id } => {
            let what = format!("show the signal {id}");
            session
                .fetch_and_print(get(*id), columns::SIGNAL_LIST_COLUMNS, &what)
                .await
        }
    }
}

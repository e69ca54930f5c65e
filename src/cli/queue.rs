//! `gantry queue`: the shared queue, its counts, and triage.

use std::cell::Cell;
use std::collections::HashSet;

use chrono::{DateTime, Utc};
use clap::builder::TypedValueParser;
use clap::{Args, Subcommand};
use clap_complete::ArgValueCompleter;
use serde_json::value::RawValue;

use crate::client::paging::Pager;
use crate::client::queue;
use crate::domain::SignalId;
use crate::domain::conditions::ConditionLine;
use crate::domain::field_kind::ListSort;
use crate::domain::queue::{
    MAX_QUEUE_PAGE_ROWS, Priority, QueueFilter, QueueSignal, TriageStatus, parse_days,
};
use crate::domain::queue_tabs::ListSettings;
use crate::domain::row_columns::{self, RowFacts, compare_values, find_column};
use crate::domain::row_matcher::RowMatcher;
use crate::domain::signals::SignalType;

use super::aging;
use super::columns;
use super::completions;
use super::error::{CliError, Context};
use super::ids::IdArgs;
use super::list_args::ListArgs;
use super::options::OutputFormat;
use super::paging::{self, ArrangeRows};
use super::print;
use super::session::Session;
use super::snooze::{self, SnoozeArgs, UnsnoozeArgs};
use super::triage;
use super::type_args::{filter_help, parse_filter_type};
use super::word_args::{parse_explained_word, parse_word};
use crate::export::json::RawFields;

/// Maximum number of signals that are listed by default.
const DEFAULT_LIMIT: u32 = 50;

/// The priorities of the interface.
pub(super) const PRIORITIES: [&str; 3] = ["high", "medium", "low"];

#[derive(Debug, Subcommand)]
pub enum QueueCommand {
    /// List signals: new first, then by priority, then by filing date
    #[command(
        after_help = "Example: gantry --demo queue list --status new --priority high --limit 5"
    )]
    List(QueueListArgs),
    /// Count the new and done signals
    #[command(after_help = "Example: gantry --demo queue stats --json")]
    Stats,
    /// Put signals aside until a time or the next filing, on this machine only
    ///
    /// Nothing is sent: for colleagues the signals stay new. WHEN is a duration (4h, 3d, 2w), a day
    /// (tomorrow, monday, 2026-12-01), a day with a time (monday 9:00), or "next filing", which
    /// waits for another signal of the same project.
    #[command(
        after_help = "Example: gantry --demo queue list --status new --limit 3 --json | gantry --demo queue snooze --stdin --until monday"
    )]
    Snooze(SnoozeArgs),
    /// End snoozes: the signals are in the New list of this machine's console again
    #[command(after_help = "Example: gantry --demo queue unsnooze --all")]
    Unsnooze(UnsnoozeArgs),
    /// List the signals that are snoozed on this machine
    #[command(after_help = "Example: gantry --demo queue snoozed --json")]
    Snoozed(ListArgs),
    /// Mark signals as done or new, for the whole workspace
    #[command(
        after_help = "Example: gantry --demo queue list --status new --limit 3 --json | gantry --demo queue triage done --stdin"
    )]
    Triage(TriageArgs),
}

#[derive(Debug, Args)]
pub struct QueueListArgs {
    /// Only signals with this status [default: both]
    #[arg(long, value_parser = parse_status())]
    status: Vec<TriageStatus>,
    #[command(flatten)]
    which: QueueFilterArgs,
    /// Only signals that meet these conditions: 'cost>=5M days<=30'
    ///
    /// All matches of the other options are read, and tested on this machine.
    #[arg(long, value_name = "CONDITIONS", value_parser = parse_conditions, conflicts_with = "aging")]
    filter: Option<ConditionLine>,
    /// Maximum number of signals [default: 50; all with --aging]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "all")]
    limit: Option<u32>,
    /// List all matches
    #[arg(long)]
    all: bool,
    /// Sort the rows that are read, on this machine: days, cost, filed, found, priority, type,
    /// project, address, source [:asc or :desc]
    #[arg(long, value_name = "FIELD", value_parser = parse_sort)]
    sort: Option<ListSort>,
    /// Leave out the signals that are snoozed on this machine
    #[arg(long)]
    hide_snoozed: bool,
    /// Only new signals that leave the queue within this time, soonest first; exits with 1 if there
    /// are any
    #[arg(long, value_name = "DAYS", value_parser = parse_days, conflicts_with_all = ["all", "status", "sort", "hide_snoozed"])]
    aging: Option<i64>,
}

/// Filters; those that are not given match everything.
#[derive(Clone, Debug, Default, Args)]
pub struct QueueFilterArgs {
    /// Only signals of this type, e.g. permit_filed
    #[arg(long = "type", value_name = "TYPE", value_parser = parse_filter_type, long_help = filter_help(), add = ArgValueCompleter::new(completions::signal_types))]
    signal_type: Vec<SignalType>,
    /// Only signals of this priority
    #[arg(long, value_parser = parse_word::<Priority>(PRIORITIES))]
    priority: Vec<Priority>,
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
            priority: self.priority.iter().cloned().collect(),
            city: self.city.clone(),
            q: self.query.clone(),
        }
    }
}

#[derive(Debug, Args)]
pub struct TriageArgs {
    /// done removes the signals from the New list for everyone; new restores them
    #[arg(value_parser = parse_status())]
    status: TriageStatus,
    #[command(flatten)]
    ids: IdArgs,
}

fn parse_status() -> impl TypedValueParser<Value = TriageStatus> {
    parse_explained_word([("new", "Not handled yet"), ("done", "Handled")])
}

pub(super) async fn run(verb: &QueueCommand, session: &Session) -> Result<(), CliError> {
    match verb {
        QueueCommand::List(list) => print_list(list, session).await.context("list the queue"),
        QueueCommand::Snooze(args) => snooze::snooze(args, session).await,
        QueueCommand::Unsnooze(args) => snooze::unsnooze(args, session).await,
        QueueCommand::Snoozed(list) => snooze::print_snoozed(list, session).await,
        QueueCommand::Stats => print_stats(session).await.context("count the queue"),
        QueueCommand::Triage(triage_args) => {
            let given = triage_args.ids.read().await?;
            triage::run(given, triage_args.status.clone(), session).await
        }
    }
}

async fn print_list(list: &QueueListArgs, session: &Session) -> Result<(), CliError> {
    if let Some(days) = list.aging {
        let filter = list.which.to_filter([TriageStatus::New]);
        return aging::print_aging(days, list.limit, &filter, session).await;
    }
    let settings = ListSettings {
        filter: list.which.to_filter(list.status.iter().cloned()),
        conditions: list.filter.clone().unwrap_or_default(),
        sort: list.sort,
    };
    let settings = settings.with_service_filters();
    check_carried(&settings.conditions).map_err(CliError::usage)?;
    let is_tested = !settings.conditions.is_empty();
    let most = match list.all {
        true => u32::MAX,
        false => list.limit.unwrap_or(DEFAULT_LIMIT),
    };
    let pages = Pager::new(
        &session.client,
        queue::list(&settings.filter),
        if is_tested { u32::MAX } else { most },
        MAX_QUEUE_PAGE_ROWS,
    );
    let snoozed = if list.hide_snoozed {
        snooze::snoozed_ids(session).await?
    } else {
        HashSet::new()
    };
    let left_out = Cell::new(0);
    let arrange = ArrangeRows {
        is_sorted: list.sort.is_some(),
        apply: Box::new(|rows, now| {
            let mut rows = arrange_rows(rows, &settings, &snoozed, now);
            left_out.set(rows.len().saturating_sub(most as usize));
            rows.truncate(most as usize);
            rows
        }),
    };
    let arrange =
        Some(arrange).filter(|arrange| arrange.is_sorted || list.hide_snoozed || is_tested);
    let printed =
        paging::print_arranged_pages(pages, session.output, columns::QUEUE_COLUMNS, arrange);
    // A service in this process has said so when it started, and a script asks by itself.
    let read = printed.await?;
    if left_out.get() > 0 {
        print::write_note(&format!(
            "{} more match; use --limit for more or --all for everything",
            left_out.get()
        ));
    }
    if read == 0 && !session.is_local() && print::is_stderr_terminal() {
        explain_empty_queue(session).await;
    }
    Ok(())
}

/// Says why nothing can match, in the words of the console.
async fn explain_empty_queue(session: &Session) {
    let stats = session.client.queue_stats().await;
    if stats.is_ok_and(|stats| stats.value.new_count == 0 && stats.value.done_count == 0) {
        print::write_note(
            "there are no signals of the last 90 days; where all permits are older, gantry serve --data FILE --as-of DATE, \
             or gantry team up with the same options, shows the queue of an earlier day",
        );
    }
}

/// Sorts the rows that meet the conditions, without those that are snoozed. Rows that compare as
/// equal keep the service's order.
fn arrange_rows(
    rows: Vec<Box<RawValue>>,
    settings: &ListSettings,
    snoozed: &HashSet<SignalId>,
    now: DateTime<Utc>,
) -> Vec<Box<RawValue>> {
    let (sort, today) = (settings.sort, Some(now.date_naive()));
    let conditions = RowMatcher::new(&settings.conditions);
    let read = |raw: Box<RawValue>| (serde_json::from_str::<QueueSignal>(raw.get()).ok(), raw);
    let mut rows: Vec<(Option<QueueSignal>, Box<RawValue>)> = rows.into_iter().map(read).collect();
    rows.retain(|(row, _)| match row {
        Some(row) => {
            !snoozed.contains(&row.signal.id) && conditions.matches(&RowFacts::of_row(row, today))
        }
        None => settings.conditions.is_empty(),
    });
    if let Some((sort, column)) = sort.zip(sort.and_then(|sort| find_column(sort.key))) {
        rows.sort_by(|(one, _), (other, _)| match (one, other) {
            (Some(one), Some(other)) => {
                let value = |row| RowFacts::of_row(row, today).value(column);
                compare_values(&value(one), &value(other), sort.is_descending)
            }
            (one, other) => other.is_some().cmp(&one.is_some()),
        });
    }
    rows.into_iter().map(|(_, raw)| raw).collect()
}

/// Parses `--filter`.
fn parse_conditions(text: &str) -> Result<ConditionLine, String> {
    let line = ConditionLine::parse_checked(text, row_columns::queue_fields())?;
    match line.words.first() {
        Some(words) => Err(format!(
            "{words} is not a condition; --query searches for words"
        )),
        None => Ok(line),
    }
}

/// Rejects conditions on what a row of the queue does not carry.
fn check_carried(line: &ConditionLine) -> Result<(), String> {
    for (key, _) in line.conditions.criteria() {
        let column = find_column(key);
        match column.filter(|column| !column.is_in_row()) {
            Some(column) if key == "city" => {
                return Err(format!(
                    "a row of the queue has no {column}; the service can be asked for one: city=Austin"
                ));
            }
            Some(column) => return Err(format!("a row of the queue has no {column}")),
            None => {}
        }
    }
    Ok(())
}

/// Parses `--sort`. What a row of the queue does not carry cannot be sorted by.
fn parse_sort(text: &str) -> Result<ListSort, String> {
    let known = text.replace('_', " ").replace("discovered", "found");
    let sort = row_columns::parse_sort(&known)?;
    let column = find_column(sort.key);
    match column.filter(|column| !column.is_in_row()) {
        Some(column) => Err(format!("a row of the queue has no {column}")),
        None => Ok(sort),
    }
}

async fn print_stats(session: &Session) -> Result<(), CliError> {
    let stats: Box<RawValue> = session.client.fetch_value(queue::stats()).await?.value;
    if session.output.format != OutputFormat::Table {
        return session.output.print_record(&stats, columns::STATS_COLUMNS);
    }
    session
        .output
        .print_rows([&stats], columns::STATS_COLUMNS)?;
    let types: Vec<Box<RawValue>> = RawFields::from_raw(&stats)
        .get("type_counts")
        .and_then(|types| serde_json::from_str(types.get()).ok())
        .unwrap_or_default();
    if !types.is_empty() {
        print::write_data("\n")?;
    }
    session
        .output
        .print_rows(&types, columns::TYPE_COUNT_COLUMNS)
}

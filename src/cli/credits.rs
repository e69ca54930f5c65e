//! `gantry credits`: the service's meter, this machine's ledger, and their comparison.

use chrono::Utc;
use clap::Subcommand;
use serde_json::value::RawValue;

use crate::client::workspace;
use crate::config;
use crate::domain::budgets::Budgets;
use crate::domain::credits::{self as domain, METER_WINDOW, MeterReconciliation};
use crate::domain::handoff::describe_spent;

use super::error::{CliError, Context};
use super::list_args::ListArgs;
use super::options::GlobalOptions;
use super::output::Output;
use super::session::{self, Session, StoreCell};
use super::time_args::SinceArgs;
use super::{columns, journal, print};

#[derive(Debug, clap::Args)]
#[command(after_help = "Example: gantry --demo credits")]
pub struct CreditsArgs {
    #[command(subcommand)]
    verb: Option<CreditsCommand>,
}

#[derive(Debug, Subcommand)]
pub enum CreditsCommand {
    /// Show the credits used within the window (same as gantry credits)
    #[command(after_help = "Example: gantry --demo credits show --json")]
    Show,
    /// List the credits used by this machine's requests, newest first (works offline)
    #[command(after_help = "Example: gantry --demo credits ledger --since 9h")]
    Ledger(LedgerArgs),
    /// Compare the ledger with the meter: the difference was spent by colleagues or elsewhere
    #[command(after_help = "Example: gantry --demo credits settle")]
    Settle,
    /// Show or change the budgets: soft ones ask, hard ones block
    #[command(after_help = "Example: gantry credits budget --soft-day 2000 --hard-day 5000")]
    Budget(BudgetArgs),
}

#[derive(Debug, clap::Args)]
pub struct LedgerArgs {
    #[command(flatten)]
    window: SinceArgs,
    #[command(flatten)]
    list: ListArgs,
}

/// The budgets to change; the others stay.
#[derive(Debug, clap::Args)]
pub struct BudgetArgs {
    /// Ask before one run spends more than this
    #[arg(long, value_name = "CREDITS|none", value_parser = parse_budget_limit)]
    soft_session: Option<BudgetLimit>,
    /// Ask before more than this is spent within 24 hours
    #[arg(long, value_name = "CREDITS|none", value_parser = parse_budget_limit)]
    soft_day: Option<BudgetLimit>,
    /// Reject requests that would make one run spend more than this
    #[arg(long, value_name = "CREDITS|none", value_parser = parse_budget_limit)]
    hard_session: Option<BudgetLimit>,
    /// Reject requests that would spend more than this within 24 hours
    #[arg(long, value_name = "CREDITS|none", value_parser = parse_budget_limit)]
    hard_day: Option<BudgetLimit>,
}

/// A limit, or none.
#[derive(Clone, Copy, Debug)]
struct BudgetLimit(Option<u64>);

fn parse_budget_limit(text: &str) -> Result<BudgetLimit, String> {
    match text {
        "none" => Ok(BudgetLimit(None)),
        text => text
            .parse()
            .map(|credits| BudgetLimit(Some(credits)))
            .map_err(|_| "expected a number of credits, or none".to_owned()),
    }
}

impl CreditsArgs {
    /// Whether it works without a service.
    pub(super) fn is_local(&self) -> bool {
        matches!(
            self.verb,
            Some(CreditsCommand::Ledger(_) | CreditsCommand::Budget(_))
        )
    }
}

/// Prints the ledger of the configured service, or the budgets.
pub(super) async fn run_local(
    credits: &CreditsArgs,
    options: &GlobalOptions,
    store_cell: &StoreCell,
    output: Output,
) -> Result<(), CliError> {
    let LedgerArgs { window, list } = match &credits.verb {
        Some(CreditsCommand::Ledger(ledger)) => ledger,
        Some(CreditsCommand::Budget(changes)) => return change_budgets(changes, output),
        _ => return Ok(()),
    };
    let store = session::store_for_options(options, store_cell)?;
    let since = window.resolve(journal::service_now(options, store, store_cell, output).await)?;
    let entries = store.work_since_service_time(since, None).await?.ledger;
    print::write_note(&describe_spent(&entries));
    list.print_rows(&entries, columns::LEDGER_COLUMNS, output)
}

/// Changes the budgets in the configuration file, and prints them.
fn change_budgets(changes: &BudgetArgs, output: Output) -> Result<(), CliError> {
    let paths = config::Paths::from_env(&config::process_env);
    let change =
        |change: Option<BudgetLimit>, budget| change.map_or(budget, |BudgetLimit(limit)| limit);
    let budgets = config::change_budgets(&paths, |budgets| Budgets {
        soft_session: change(changes.soft_session, budgets.soft_session),
        soft_day: change(changes.soft_day, budgets.soft_day),
        hard_session: change(changes.hard_session, budgets.hard_session),
        hard_day: change(changes.hard_day, budgets.hard_day),
    })?;
    output.print_record(&budgets, columns::BUDGET_COLUMNS)
}

pub(super) async fn run(credits: &CreditsArgs, session: &Session) -> Result<(), CliError> {
    let record = session
        .client
        .fetch_value::<Box<RawValue>>(workspace::get_credits())
        .await
        .context("show the credits")?
        .value;
    let meter: domain::Credits = serde_json::from_str(record.get()).unwrap_or_default();
    let now = Utc::now();
    session.ledger().record_meter_reading(now, &meter);
    if !matches!(credits.verb, Some(CreditsCommand::Settle)) {
        return session
            .output
            .print_record(&record, columns::CREDITS_COLUMNS);
    }
    let used = meter
        .used
        .ok_or_else(|| CliError::failed("the service did not report the credits used"))?;
    let settlement = session.ledger().reconcile(now, used).await?;
    print::write_note(&describe_reconciliation(&settlement));
    session
        .output
        .print_record(&settlement, columns::RECONCILIATION_COLUMNS)
}

fn describe_reconciliation(settlement: &MeterReconciliation) -> String {
    let MeterReconciliation { drift, unknown, .. } = settlement;
    let hours = METER_WINDOW.num_hours();
    match (drift, unknown) {
        (0, _) => format!("the ledger and the meter agree over the last {hours} hours"),
        (1.., 0) => format!("{drift} credits were spent by colleagues or by you elsewhere"),
        (1.., n) => {
            let requests = if *n == 1 {
                "a request".to_owned()
            } else {
                format!("{n} requests")
            };
            format!(
                "{drift} credits were spent by colleagues, by you elsewhere, or by {requests} of unknown price"
            )
        }
        _ => format!(
            "the ledger has {} credits more than the meter: they left its window or were not charged",
            -drift
        ),
    }
}

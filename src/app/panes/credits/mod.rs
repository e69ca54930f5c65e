//! Credits: the meter's rolling window with a forecast, this machine's ledger, drift, and budgets.
//!
//! Everything shown is free: the meter is a meta read and the ledger is local. The ledger only contains requests from this
//! machine; what the meter has beyond it was spent by colleagues, by this user elsewhere, or by requests of unknown price.

pub(crate) mod commands;
pub(crate) mod draw;
pub(crate) mod layout;
pub(crate) mod window;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use chrono::{DateTime, FixedOffset, Utc};

use crate::app::command::Scope;
use crate::app::effect::{ServiceCall, Slot};
use crate::app::msg::{Reply, Token, payload};
use crate::app::panes::all_commands;
use crate::app::records::LoadState;
use crate::app::requests::Request;
use crate::app::{App, Screen};
use crate::domain::budgets::{self, Budgets};
use crate::domain::credits::{LedgerEntry, LedgerReport, UsageSum};
use crate::domain::request_error::RequestError;
use crate::ui::scroll::ScrollState;

/// How the ledger's entries are grouped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LedgerGrouping {
    /// Ungrouped: one line per request.
    #[default]
    Request,
    /// Days in the user's time zone.
    Day,
    /// Screens of the console; the CLI counts as one.
    Screen,
    Route,
    /// Console commands and CLI verbs.
    Reason,
}

impl LedgerGrouping {
    /// In the order of their tabs.
    pub const ALL: [LedgerGrouping; 5] =
        [LedgerGrouping::Request, LedgerGrouping::Day, LedgerGrouping::Screen, LedgerGrouping::Route, LedgerGrouping::Reason];

    pub fn title(self) -> &'static str {
        match self {
            LedgerGrouping::Request => "Requests",
            LedgerGrouping::Day => "Days",
            LedgerGrouping::Screen => "Screens",
            LedgerGrouping::Route => "Routes",
            LedgerGrouping::Reason => "Reasons",
        }
    }

    /// The heading of the name column.
    pub fn heading(self) -> &'static str {
        match self {
            LedgerGrouping::Request | LedgerGrouping::Reason => "REASON",
            LedgerGrouping::Day => "DAY",
            LedgerGrouping::Screen => "SCREEN",
            LedgerGrouping::Route => "ROUTE",
        }
    }
}

/// A group of ledger entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LedgerGroup {
    pub name: String,
    pub requests: u64,
    /// The sum of the known prices.
    pub credits: u64,
    /// Requests with an unknown price.
    pub unpriced: u64,
}

#[derive(Clone, Debug, Default)]
pub struct CreditsPane {
    pub statement: Option<LedgerReport>,
    pub load: LoadState,
    pub read_at: Option<DateTime<Utc>>,
    /// The current tab.
    pub grouping: LedgerGrouping,
    /// The tab's lines, unless it lists requests.
    pub groups: Vec<LedgerGroup>,
    pub scroll: ScrollState,
}

impl CreditsPane {
    /// Number of lines on the current tab.
    pub fn len(&self) -> usize {
        match (self.grouping, &self.statement) {
            (LedgerGrouping::Request, Some(statement)) => statement.latest_entries.len(),
            (LedgerGrouping::Request, None) => 0,
            _ => self.groups.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn current_entry(&self) -> Option<&LedgerEntry> {
        self.statement.as_ref().filter(|_| self.grouping == LedgerGrouping::Request)?.latest_entries.get(self.scroll.cursor)
    }

    pub fn set_grouping(&mut self, by: LedgerGrouping, zone: FixedOffset) {
        self.grouping = by;
        self.scroll = ScrollState::default();
        self.groups = self.statement.as_ref().map(|statement| group_entries(&statement.usage, by, zone)).unwrap_or_default();
    }
}

/// Groups entries: days newest first, everything else by credits, largest first.
pub fn group_entries(tallies: &[UsageSum], by: LedgerGrouping, zone: FixedOffset) -> Vec<LedgerGroup> {
    let mut sums: BTreeMap<String, LedgerGroup> = BTreeMap::new();
    for tally in tallies {
        let name = match by {
            LedgerGrouping::Day => tally.at.with_timezone(&zone).format("%Y-%m-%d").to_string(),
            LedgerGrouping::Screen => screen_of_entry(&tally.reason, &tally.route).to_owned(),
            LedgerGrouping::Route => tally.route.clone(),
            LedgerGrouping::Reason | LedgerGrouping::Request => tally.reason.clone(),
        };
        let sum = sums.entry(name.clone()).or_insert(LedgerGroup { name, ..LedgerGroup::default() });
        sum.requests += tally.requests;
        sum.credits = sum.credits.saturating_add(tally.credits);
        sum.unpriced += tally.unknown;
    }
    let mut sums: Vec<LedgerGroup> = sums.into_values().rev().collect();
    if by != LedgerGrouping::Day {
        sums.sort_by(|a, b| (b.credits, b.unpriced, b.requests, &a.name).cmp(&(a.credits, a.unpriced, a.requests, &b.name)));
    }
    sums
}

/// The screen an entry came from: its command's, or its route's if several screens share the command.
pub fn screen_of_entry(reason: &str, route: &str) -> &'static str {
    let of_route = || match route.split_once(' ').map_or(route, |(_, path)| path) {
        path if path.starts_with("/workspace/views") => Screen::Views.title(),
        path if path.starts_with("/workspace") => Screen::Book.title(),
        path if path.starts_with("/signals") => Screen::Queue.title(),
        _ => Screen::Explore.title(),
    };
    match all_commands().find(|command| command.id == reason).map(|command| command.scope) {
        Some(Scope::Records | Scope::Record | Scope::ListFilter | Scope::Annotate | Scope::AnnotationForm | Scope::Global) => {
            of_route()
        }
        Some(Scope::ViewRecords) => Screen::Views.title(),
        Some(Scope::Builder | Scope::Search | Scope::Results) => Screen::Explore.title(),
        Some(scope) => scope.title(),
        None if ["console", "start", "poll"].contains(&reason) => of_route(),
        None => "Command line",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreditsRequest {
    Ledger,
    SaveBudgets,
}

impl App {
    /// Loads the ledger together with the meter; both are free.
    pub fn read_ledger(&mut self) {
        if self.ledger.load != LoadState::Ready {
            self.ledger.load = LoadState::Loading;
        }
        self.call_service(Slot::Ledger, ServiceCall::Ledger, Request::Credits(CreditsRequest::Ledger));
    }

    pub(in crate::app) fn on_credits_reply(
        &mut self,
        token: Token,
        request: CreditsRequest,
        result: Result<Reply, RequestError>,
    ) {
        match request {
            CreditsRequest::Ledger => self.on_ledger_reply(token, payload(result)),
            CreditsRequest::SaveBudgets => match payload(result) {
                Ok(budgets) => self.on_budgets_saved(budgets),
                Err(failure) => self.show_failure("could not save the budget; the old one still applies", &failure, ""),
            },
        }
    }

    fn on_ledger_reply(&mut self, token: Token, result: Result<LedgerReport, RequestError>) {
        match result {
            Ok(statement) => {
                self.on_meter_reply(token, statement.meter.as_ref().ok().cloned());
                self.budget_guard.update_spent(Some(statement.spent));
                self.ledger.statement = Some(statement);
                self.ledger.load = LoadState::Ready;
                self.ledger.read_at = Some(self.now);
                let scroll = self.ledger.scroll;
                self.ledger.set_grouping(self.ledger.grouping, self.settings.utc_offset);
                self.ledger.scroll = scroll;
            }
            Err(failure) => {
                if self.ledger.statement.is_none() {
                    self.ledger.load = LoadState::Failed(failure.message);
                } else {
                    self.show_failure("could not load the ledger", &failure, "{credits.refresh} retries");
                }
            }
        }
    }

    /// The budgets were saved and now apply.
    fn on_budgets_saved(&mut self, budgets: Budgets) {
        self.settings.budgets = budgets;
        let limits: Vec<String> = budgets::BudgetKind::ALL
            .iter()
            .filter_map(|kind| Some(format!("{} {}", kind.name(), budgets.limit(*kind)?)))
            .collect();
        let words = if limits.is_empty() { "no budgets".to_owned() } else { limits.join(", ") };
        self.notice = Some(crate::app::notice::Notice::success(format!("saved: {words}")));
    }
}

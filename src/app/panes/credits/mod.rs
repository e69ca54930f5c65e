//! Credits: the meter's rolling window with its forecast, the ledger of this machine, drift, and budgets.
//!
//! All that is shown is free: the meter is a meta read and the ledger is this machine's own. The ledger knows the requests of this
//! machine; what the meter has beyond it was spent by colleagues, by this person elsewhere, or by requests of unknown price.

pub mod commands;
pub mod draw;
pub mod layout;
pub mod window;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use chrono::{DateTime, FixedOffset, Utc};

use crate::app::command::{self, Scope};
use crate::app::effect::{ServiceCall, Slot};
use crate::app::msg::Token;
use crate::app::records::LoadState;
use crate::app::{App, Screen};
use crate::domain::budgets::{self, Budgets};
use crate::domain::credits::{LedgerEntry, LedgerReport, UsageSum};
use crate::domain::request_error::RequestError;
use crate::ui::scroll::ScrollState;

/// What the lines of the ledger are put together by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LedgerGrouping {
    /// Each request by itself.
    #[default]
    Request,
    /// Days of the person's clock.
    Day,
    /// Screens of the console, and the command line.
    Screen,
    /// Routes.
    Route,
    /// Commands and verbs.
    Reason,
}

impl LedgerGrouping {
    /// All of them, in the order of their tabs.
    pub const ALL: [LedgerGrouping; 5] =
        [LedgerGrouping::Request, LedgerGrouping::Day, LedgerGrouping::Screen, LedgerGrouping::Route, LedgerGrouping::Reason];

    /// Its tab's name.
    pub fn title(self) -> &'static str {
        match self {
            LedgerGrouping::Request => "Requests",
            LedgerGrouping::Day => "Days",
            LedgerGrouping::Screen => "Screens",
            LedgerGrouping::Route => "Routes",
            LedgerGrouping::Reason => "Reasons",
        }
    }

    /// The heading of what its lines have in common.
    pub fn heading(self) -> &'static str {
        match self {
            LedgerGrouping::Request | LedgerGrouping::Reason => "REASON",
            LedgerGrouping::Day => "DAY",
            LedgerGrouping::Screen => "SCREEN",
            LedgerGrouping::Route => "ROUTE",
        }
    }
}

/// Lines of the ledger put together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LedgerGroup {
    /// What they have in common.
    pub name: String,
    /// Requests.
    pub requests: u64,
    /// What they took, as far as it was told.
    pub credits: u64,
    /// Requests among them whose price nobody told.
    pub unpriced: u64,
}

/// The Credits pane.
#[derive(Clone, Debug, Default)]
pub struct CreditsPane {
    /// What was read last.
    pub statement: Option<LedgerReport>,
    /// How far reading has come.
    pub load: LoadState,
    /// When it was read.
    pub read_at: Option<DateTime<Utc>>,
    /// The tab.
    pub grouping: LedgerGrouping,
    /// The lines of the tab, unless it lists requests.
    pub groups: Vec<LedgerGroup>,
    /// The cursor and the first line on the screen.
    pub scroll: ScrollState,
    pending_read: Option<Token>,
    pending_budget_save: Option<Token>,
}

impl CreditsPane {
    /// How many lines the tab has.
    pub fn len(&self) -> usize {
        match (self.grouping, &self.statement) {
            (LedgerGrouping::Request, Some(statement)) => statement.latest_entries.len(),
            (LedgerGrouping::Request, None) => 0,
            _ => self.groups.len(),
        }
    }

    /// The tab has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The request under the cursor.
    pub fn current_entry(&self) -> Option<&LedgerEntry> {
        self.statement.as_ref().filter(|_| self.grouping == LedgerGrouping::Request)?.latest_entries.get(self.scroll.cursor)
    }

    /// Shows a tab.
    pub fn set_grouping(&mut self, by: LedgerGrouping, zone: FixedOffset) {
        self.grouping = by;
        self.scroll = ScrollState::default();
        self.groups = self.statement.as_ref().map(|statement| group_entries(&statement.usage, by, zone)).unwrap_or_default();
    }
}

/// The lines of a tab: days the newest first, all else what took most first.
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

/// The screen that a line of the ledger came from: its command's, or that of its route where many screens share the command.
pub fn screen_of_entry(reason: &str, route: &str) -> &'static str {
    let of_route = || match route.split_once(' ').map_or(route, |(_, path)| path) {
        path if path.starts_with("/workspace/views") => Screen::Views.title(),
        path if path.starts_with("/workspace") => Screen::Book.title(),
        path if path.starts_with("/signals") => Screen::Queue.title(),
        _ => Screen::Explore.title(),
    };
    match command::all_commands().find(|command| command.id == reason).map(|command| command.scope) {
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

impl App {
    /// Reads the ledger, and the meter beside it: both free.
    pub fn read_ledger(&mut self) {
        if self.ledger.load != LoadState::Ready {
            self.ledger.load = LoadState::Loading;
        }
        self.ledger.pending_read = Some(self.call_service(Slot::Ledger, ServiceCall::Ledger));
    }

    /// Takes the ledger; false when it was not asked for.
    pub fn on_ledger_reply(&mut self, token: Token, result: Result<LedgerReport, RequestError>) -> bool {
        if self.ledger.pending_read.take_if(|asked| *asked == token).is_none() {
            return false;
        }
        match result {
            Ok(statement) => {
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
                    self.show_failure("the ledger could not be read", &failure, "{credits.refresh} tries again");
                }
            }
        }
        true
    }

    /// The budgets are kept, and hold.
    pub fn on_budgets_saved(&mut self, budgets: Budgets) {
        self.ledger.pending_budget_save = None;
        self.settings.budgets = budgets;
        let said: Vec<String> = budgets::BudgetKind::ALL
            .iter()
            .filter_map(|kind| Some(format!("{} {}", kind.name(), budgets.limit(*kind)?)))
            .collect();
        let words = if said.is_empty() { "there is no budget any more".to_owned() } else { said.join(", ") };
        self.notice = Some(crate::app::notice::Notice::success(format!("kept: {words}")));
    }

    /// The budgets could not be kept; false when they were not to be.
    pub fn on_budgets_failed(&mut self, token: Token, failure: &RequestError) -> bool {
        if self.ledger.pending_budget_save.take_if(|asked| *asked == token).is_none() {
            return false;
        }
        self.show_failure("the budget could not be kept, and the old one holds", failure, "");
        true
    }
}

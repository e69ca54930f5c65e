//! Credits: the meter's rolling window with its forecast, the ledger of this machine, drift, and budgets.
//!
//! All that is shown is free: the meter is a meta read and the ledger is this machine's own. The ledger knows the requests of this
//! machine; what the meter has beyond it was spent by colleagues, by this person elsewhere, or by requests of unknown price.

pub mod arrange;
pub mod commands;
pub mod draw;
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
use crate::domain::failure::RequestError;
use crate::ui::scroll::ScrollState;

/// What the lines of the ledger are put together by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
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

impl By {
    /// All of them, in the order of their tabs.
    pub const ALL: [By; 5] = [By::Request, By::Day, By::Screen, By::Route, By::Reason];

    /// Its tab's name.
    pub fn title(self) -> &'static str {
        match self {
            By::Request => "Requests",
            By::Day => "Days",
            By::Screen => "Screens",
            By::Route => "Routes",
            By::Reason => "Reasons",
        }
    }

    /// The heading of what its lines have in common.
    pub fn heading(self) -> &'static str {
        match self {
            By::Request | By::Reason => "REASON",
            By::Day => "DAY",
            By::Screen => "SCREEN",
            By::Route => "ROUTE",
        }
    }
}

/// Lines of the ledger put together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// What they have in common.
    pub name: String,
    /// Requests.
    pub requests: u64,
    /// What they took, as far as it was told.
    pub credits: u64,
    /// Requests among them whose price nobody told.
    pub unknown: u64,
}

/// The Credits pane.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// What was read last.
    pub statement: Option<LedgerReport>,
    /// How far reading has come.
    pub load: LoadState,
    /// When it was read.
    pub read_at: Option<DateTime<Utc>>,
    /// The tab.
    pub by: By,
    /// The lines of the tab, unless it lists requests.
    pub sums: Vec<Sum>,
    /// The cursor and the first line on the screen.
    pub scroll: ScrollState,
    ask: Option<Token>,
    keeping: Option<Token>,
}

impl Ledger {
    /// How many lines the tab has.
    pub fn len(&self) -> usize {
        match (self.by, &self.statement) {
            (By::Request, Some(statement)) => statement.latest_entries.len(),
            (By::Request, None) => 0,
            _ => self.sums.len(),
        }
    }

    /// The tab has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The request under the cursor.
    pub fn current(&self) -> Option<&LedgerEntry> {
        self.statement.as_ref().filter(|_| self.by == By::Request)?.latest_entries.get(self.scroll.cursor)
    }

    /// Shows a tab.
    pub fn show(&mut self, by: By, zone: FixedOffset) {
        self.by = by;
        self.scroll = ScrollState::default();
        self.sums = self.statement.as_ref().map(|statement| sums(&statement.usage, by, zone)).unwrap_or_default();
    }
}

/// The lines of a tab: days the newest first, all else what took most first.
pub fn sums(tallies: &[UsageSum], by: By, zone: FixedOffset) -> Vec<Sum> {
    let mut sums: BTreeMap<String, Sum> = BTreeMap::new();
    for tally in tallies {
        let name = match by {
            By::Day => tally.at.with_timezone(&zone).format("%Y-%m-%d").to_string(),
            By::Screen => screen(&tally.reason, &tally.route).to_owned(),
            By::Route => tally.route.clone(),
            By::Reason | By::Request => tally.reason.clone(),
        };
        let sum = sums.entry(name.clone()).or_insert(Sum { name, ..Sum::default() });
        sum.requests += tally.requests;
        sum.credits = sum.credits.saturating_add(tally.credits);
        sum.unknown += tally.unknown;
    }
    let mut sums: Vec<Sum> = sums.into_values().rev().collect();
    if by != By::Day {
        sums.sort_by(|a, b| (b.credits, b.unknown, b.requests, &a.name).cmp(&(a.credits, a.unknown, a.requests, &b.name)));
    }
    sums
}

/// The screen that a line of the ledger came from: its command's, or that of its route where many screens share the command.
pub fn screen(reason: &str, route: &str) -> &'static str {
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
        self.ledger.ask = Some(self.call_service(Slot::Ledger, ServiceCall::Ledger));
    }

    /// Takes the ledger; false when it was not asked for.
    pub fn ledger_replied(&mut self, token: Token, result: Result<LedgerReport, RequestError>) -> bool {
        if self.ledger.ask.take_if(|asked| *asked == token).is_none() {
            return false;
        }
        match result {
            Ok(statement) => {
                self.budget_guard.update_spent(Some(statement.spent));
                if let Ok(meter) = &statement.meter {
                    self.credits = Some(meter.clone());
                }
                self.ledger.statement = Some(statement);
                self.ledger.load = LoadState::Ready;
                self.ledger.read_at = Some(self.now);
                let scroll = self.ledger.scroll;
                self.ledger.show(self.ledger.by, self.settings.utc_offset);
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
    pub fn budgets_kept(&mut self, budgets: Budgets) {
        self.ledger.keeping = None;
        self.settings.budgets = budgets;
        let said: Vec<String> = budgets::BudgetKind::ALL
            .iter()
            .filter_map(|kind| Some(format!("{} {}", kind.name(), budgets.limit(*kind)?)))
            .collect();
        let words = if said.is_empty() { "there is no budget any more".to_owned() } else { said.join(", ") };
        self.notice = Some(crate::app::notice::Notice::success(format!("kept: {words}")));
    }

    /// The budgets could not be kept; false when they were not to be.
    pub fn budgets_failed(&mut self, token: Token, failure: &RequestError) -> bool {
        if self.ledger.keeping.take_if(|asked| *asked == token).is_none() {
            return false;
        }
        self.show_failure("the budget could not be kept, and the old one holds", failure, "");
        true
    }
}

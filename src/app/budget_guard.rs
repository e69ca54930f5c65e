//! What this machine has spent, and the calls that wait for a confirmation: plain data.

use std::collections::HashSet;

use crate::app::effect::{Effect, ServiceCall, WriteRequest};
use crate::app::msg::Token;
use crate::app::price::Price;
use crate::domain::budgets::CreditsSpent;

/// What was spent, and the requests that wait for a confirmation.
#[derive(Clone, Debug, Default)]
pub struct BudgetGuard {
    /// By this machine, as far as known here.
    pub spent: CreditsSpent,
    pub(in crate::app) held_calls: Vec<Effect>,
    pub(in crate::app) released_calls: Vec<Effect>,
    /// The user chose not to be asked again.
    pub(in crate::app) always_allow: bool,
    /// What the last question cost, as the service stated it.
    pub(in crate::app) question_price: Option<Price>,
    /// How often a price was recorded.
    pub spend_count: u64,
    pub(in crate::app) meter: MeterReads,
}

/// Distinguishes exact meter readings from those that may be older than what was spent since.
#[derive(Clone, Debug, Default)]
pub(in crate::app) struct MeterReads {
    /// Priced calls without a reply.
    pub(in crate::app) priced: HashSet<Token>,
    /// Incremented whenever a priced call begins or ends.
    pub(in crate::app) changes: u64,
    /// Readings in flight, with the value of `changes` when each was requested.
    pub(in crate::app) asked: Vec<(Token, u64)>,
    /// The meter must be read again once no priced call is in flight.
    pub(in crate::app) is_stale: bool,
}

impl BudgetGuard {
    pub fn update_spent(&mut self, spent: Option<CreditsSpent>) {
        self.spent = spent.unwrap_or(self.spent);
    }

    pub fn add_spend(&mut self, credits: u64) {
        self.spent = self.spent.add_credits(credits);
        self.spend_count += 1;
    }
}

impl ServiceCall {
    /// Whether it may cost credits: at a price that is known, or one that the interface does not
    /// state. The rows of the queue are read as the user scrolls, whatever they cost.
    pub fn may_cost(&self) -> bool {
        !matches!(self, ServiceCall::Queue { .. } | ServiceCall::Fields(_))
            && self.max_credits() != Some(0)
    }

    /// Whether it can cost credits.
    pub(in crate::app) fn is_priced(&self) -> bool {
        match self {
            ServiceCall::Record { .. }
            | ServiceCall::Search { .. }
            | ServiceCall::AskQuestion { .. } => true,
            ServiceCall::Write(WriteRequest::Annotate { .. }) => self.max_credits() != Some(0),
            _ => false,
        }
    }
}

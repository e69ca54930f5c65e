//! What this machine has spent, and the calls that wait for a confirmation: plain data.

use crate::domain::request_error::RequestError;
use crate::domain::request_error::RequestErrorKind;
use std::collections::HashSet;

use crate::app::effect::{Effect, ServiceCall, WriteRequest};
use crate::app::msg::Token;
use crate::app::price::Price;
use crate::domain::budgets::CreditsSpent;
use crate::domain::credits::Credits;

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
    /// The meter of the workspace, as last read.
    pub(in crate::app) credits: Option<Credits>,
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

    /// Called for each outgoing call.
    pub fn track_price(&mut self, token: Token, call: &ServiceCall) {
        let meter = &mut self.meter;
        if call.is_priced() {
            meter.priced.insert(token);
            meter.changes += 1;
        } else if matches!(
            call,
            ServiceCall::Credits
                | ServiceCall::Ledger
                | ServiceCall::Signal {
                    is_metered: true,
                    ..
                }
                | ServiceCall::Description {
                    is_metered: true,
                    ..
                }
        ) {
            meter.asked.push((token, meter.changes));
        }
    }

    /// Called for each reply, before it is delivered. Returns whether the call may have cost
    /// something: a canceled one, or one whose reply was lost, may have.
    pub fn track_reply(&mut self, token: Token, failure: Option<&RequestError>) -> bool {
        let meter = &mut self.meter;
        let was_priced = meter.priced.remove(&token);
        meter.changes += u64::from(was_priced);
        if failure.is_some() {
            meter.asked.retain(|(asked, _)| *asked != token);
        }
        was_priced
            && failure.is_none_or(|failure| {
                matches!(
                    failure.kind,
                    RequestErrorKind::Cancelled | RequestErrorKind::Ambiguous
                )
            })
    }

    /// A call that may have cost something was answered, and nobody took note of its price: it was
    /// superseded, or its reply does not say.
    pub fn distrust_meter(&mut self) {
        self.meter.is_stale = true;
    }

    /// Whether no call that may have cost something overlapped with the metered read that is being
    /// delivered.
    pub fn was_only_read(&mut self, token: Token) -> bool {
        let meter = &mut self.meter;
        let asked = meter
            .asked
            .iter()
            .position(|(asked, _)| *asked == token)
            .map(|at| meter.asked.remove(at));
        meter.priced.is_empty() && asked.is_some_and(|(_, changes)| changes == meter.changes)
    }

    pub fn cancel_calls(&mut self, calls: Vec<Effect>) -> Vec<(Token, RequestError)> {
        let message = "it would exceed a soft budget".to_owned();
        let failure = RequestError {
            kind: RequestErrorKind::Cancelled,
            message,
        };
        tokens(calls)
            .inspect(|token| {
                self.meter.priced.remove(token);
            })
            .map(|token| (token, failure.clone()))
            .collect()
    }

    pub fn release_held_calls(&mut self, always: bool) {
        self.always_allow |= always;
        let held = std::mem::take(&mut self.held_calls);
        self.released_calls.extend(held);
    }

    /// Takes what a question cost, if the service states it.
    pub fn learn_question_price(&mut self, credits: Option<u64>) {
        let price = credits.map(Price::of_credits);
        self.question_price = price.or(self.question_price);
    }

    /// What this machine spent, as far as known here.
    pub fn credits_spent(&self) -> CreditsSpent {
        self.spent
    }

    /// How often a price was recorded.
    pub fn spend_count(&self) -> u64 {
        self.spend_count
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
    pub fn is_priced(&self) -> bool {
        match self {
            ServiceCall::Record { .. }
            | ServiceCall::Search { .. }
            | ServiceCall::AskQuestion { .. } => true,
            ServiceCall::Write(WriteRequest::Annotate { .. }) => self.max_credits() != Some(0),
            _ => false,
        }
    }
}

/// The calls among these effects.
pub(in crate::app) fn tokens(calls: Vec<Effect>) -> impl Iterator<Item = Token> {
    calls.into_iter().filter_map(|effect| {
        if let Effect::Call { token, .. } = effect {
            Some(token)
        } else {
            None
        }
    })
}

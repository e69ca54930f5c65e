//! Budgets: what a person is willing to spend per session and within the meter's window of 24
//! hours.
//!
//! A soft budget asks before a request that would exceed it, a hard one rejects it before anything
//! is sent. Only requests of this machine are counted; a request under way counts with the most
//! that it can cost.

use serde::Serialize;

/// The limits; `None` for no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Budgets {
    /// Ask when a session would exceed it.
    pub soft_session: Option<u64>,
    /// Ask when 24 hours would exceed it.
    pub soft_day: Option<u64>,
    /// Reject when a session would exceed it.
    pub hard_session: Option<u64>,
    /// Reject when 24 hours would exceed it.
    pub hard_day: Option<u64>,
}

/// What happens when a budget is exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enforcement {
    Soft,
    Hard,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetPeriod {
    /// One run of the program.
    Session,
    /// The meter's window of 24 hours.
    Day,
}

/// One of the four budgets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetKind(pub Enforcement, pub BudgetPeriod);

/// Credits spent by this machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CreditsSpent {
    pub session: u64,
    pub day: u64,
}

impl CreditsSpent {
    /// Adds credits, saturating: prices come from a service and may be any number.
    pub fn add_credits(self, credits: u64) -> CreditsSpent {
        CreditsSpent {
            session: self.session.saturating_add(credits),
            day: self.day.saturating_add(credits),
        }
    }
}

/// A budget that a request would exceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetExceeded {
    pub kind: BudgetKind,
    pub limit: u64,
    pub spent: u64,
    /// The most the request may cost; `None` if unknown.
    pub max_cost: Option<u64>,
}

impl BudgetKind {
    /// All budgets, the soft ones first.
    pub const ALL: [BudgetKind; 4] = [
        BudgetKind(Enforcement::Soft, BudgetPeriod::Session),
        BudgetKind(Enforcement::Soft, BudgetPeriod::Day),
        BudgetKind(Enforcement::Hard, BudgetPeriod::Session),
        BudgetKind(Enforcement::Hard, BudgetPeriod::Day),
    ];

    /// What it is called.
    pub fn label(self) -> &'static str {
        match self {
            BudgetKind(Enforcement::Soft, BudgetPeriod::Session) => "ask per session",
            BudgetKind(Enforcement::Soft, BudgetPeriod::Day) => "ask per 24 hours",
            BudgetKind(Enforcement::Hard, BudgetPeriod::Session) => "block per session",
            BudgetKind(Enforcement::Hard, BudgetPeriod::Day) => "block per 24 hours",
        }
    }
}

impl Budgets {
    pub fn limit(&self, kind: BudgetKind) -> Option<u64> {
        match kind {
            BudgetKind(Enforcement::Soft, BudgetPeriod::Session) => self.soft_session,
            BudgetKind(Enforcement::Soft, BudgetPeriod::Day) => self.soft_day,
            BudgetKind(Enforcement::Hard, BudgetPeriod::Session) => self.hard_session,
            BudgetKind(Enforcement::Hard, BudgetPeriod::Day) => self.hard_day,
        }
    }

    pub fn with_limit(mut self, kind: BudgetKind, limit: Option<u64>) -> Budgets {
        match kind {
            BudgetKind(Enforcement::Soft, BudgetPeriod::Session) => self.soft_session = limit,
            BudgetKind(Enforcement::Soft, BudgetPeriod::Day) => self.soft_day = limit,
            BudgetKind(Enforcement::Hard, BudgetPeriod::Session) => self.hard_session = limit,
            BudgetKind(Enforcement::Hard, BudgetPeriod::Day) => self.hard_day = limit,
        }
        self
    }

    pub fn is_empty(&self) -> bool {
        *self == Budgets::default()
    }

    /// The first budget of this enforcement that a request would exceed, session before day. A free
    /// request exceeds none; one of unknown cost exceeds a budget that is used up.
    pub fn find_exceeded(
        &self,
        force: Enforcement,
        spent: CreditsSpent,
        most: Option<u64>,
    ) -> Option<BudgetExceeded> {
        [
            (BudgetPeriod::Session, spent.session),
            (BudgetPeriod::Day, spent.day),
        ]
        .into_iter()
        .find_map(|(span, spent)| {
            let kind = BudgetKind(force, span);
            let limit = self.limit(kind)?;
            let is_over = match most {
                Some(0) => false,
                Some(most) => spent.saturating_add(most) > limit,
                None => spent >= limit,
            };
            is_over.then_some(BudgetExceeded {
                kind,
                limit,
                spent,
                max_cost: most,
            })
        })
    }
}

impl std::fmt::Display for BudgetExceeded {
    /// The budget, what is left of it, and what was wanted: `the budget “block per 24 hours” has 50
    /// of 2000 credits left, and this may cost 100`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let left = self.limit.saturating_sub(self.spent);
        write!(
            f,
            "the budget “{}” has {left} of {} credits left, and ",
            self.kind.label(),
            self.limit
        )?;
        match self.max_cost {
            Some(most) => write!(f, "this may cost {most}"),
            None => f.write_str("the cost of this is unknown"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_exceeds_a_budget_by_its_maximum_cost() {
        let budgets = Budgets {
            hard_day: Some(100),
            hard_session: Some(10),
            ..Budgets::default()
        };
        let passed = |session, day, most| {
            budgets
                .find_exceeded(Enforcement::Hard, CreditsSpent { session, day }, most)
                .map(|passed| passed.kind.label())
        };
        assert_eq!(passed(0, 0, Some(10)), None, "the last credit may be spent");
        assert_eq!(passed(0, 0, Some(11)), Some("block per session"));
        assert_eq!(passed(1, 99, Some(2)), Some("block per 24 hours"));
        assert_eq!(
            passed(10, 100, Some(0)),
            None,
            "what is free is never stopped"
        );
        assert_eq!(passed(9, 99, None), None);
        assert_eq!(
            passed(0, 100, None),
            Some("block per 24 hours"),
            "of unknown price, with nothing left"
        );
        assert_eq!(
            budgets.find_exceeded(
                Enforcement::Soft,
                CreditsSpent {
                    session: 999,
                    day: 999
                },
                Some(1)
            ),
            None
        );
    }

    #[test]
    fn an_exceeded_budget_reports_its_name_and_what_is_left() {
        let budgets = Budgets {
            hard_day: Some(2_000),
            ..Budgets::default()
        };
        let words = |day, most| {
            budgets.find_exceeded(Enforcement::Hard, CreditsSpent { session: 0, day }, most)
        };
        assert_eq!(
            words(1_950, Some(100)).unwrap().to_string(),
            "the budget “block per 24 hours” has 50 of 2000 credits left, and this may cost 100"
        );
        assert_eq!(
            words(2_000, None).unwrap().to_string(),
            "the budget “block per 24 hours” has 0 of 2000 credits left, and the cost of this is unknown"
        );
    }
}

//! Budgets: what a person is ready to spend, in one run of the program and within the meter's window of 24 hours.
//!
//! A soft budget asks before a spend that would pass it, a hard one refuses before anything is sent. What is counted is what this
//! machine has booked; a request that is under way counts with the most that it can take.

use serde::Serialize;

/// What may be spent; none where there is no bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Budgets {
    /// Ask when a run of the program would pass it.
    pub soft_session: Option<u64>,
    /// Ask when 24 hours would pass it.
    pub soft_day: Option<u64>,
    /// Refuse when a run of the program would pass it.
    pub hard_session: Option<u64>,
    /// Refuse when 24 hours would pass it.
    pub hard_day: Option<u64>,
}

/// What happens at a budget's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Force {
    /// It asks.
    Soft,
    /// It refuses.
    Hard,
}

/// What a budget is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// One run of the program.
    Session,
    /// The meter's window of 24 hours.
    Day,
}

/// One of the four.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind(pub Force, pub Span);

/// What was spent so far, by this machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Spent {
    /// In this run of the program.
    pub session: u64,
    /// Within the last 24 hours.
    pub day: u64,
}

impl Spent {
    /// The same and so many credits more; prices come from a service and may be any number.
    pub fn plus(self, credits: u64) -> Spent {
        Spent { session: self.session.saturating_add(credits), day: self.day.saturating_add(credits) }
    }
}

/// A budget that a spend would pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// Which one.
    pub kind: Kind,
    /// What may be spent.
    pub limit: u64,
    /// What was.
    pub spent: u64,
    /// What the spend may take; unknown where the interface does not tell.
    pub most: Option<u64>,
}

impl Kind {
    /// All of them, the soft ones first.
    pub const ALL: [Kind; 4] = [
        Kind(Force::Soft, Span::Session),
        Kind(Force::Soft, Span::Day),
        Kind(Force::Hard, Span::Session),
        Kind(Force::Hard, Span::Day),
    ];

    /// Its name in the configuration: `hard_day`.
    pub fn name(self) -> &'static str {
        match self {
            Kind(Force::Soft, Span::Session) => "soft_session",
            Kind(Force::Soft, Span::Day) => "soft_day",
            Kind(Force::Hard, Span::Session) => "hard_session",
            Kind(Force::Hard, Span::Day) => "hard_day",
        }
    }
}

impl Budgets {
    /// A budget.
    pub fn get(&self, kind: Kind) -> Option<u64> {
        match kind {
            Kind(Force::Soft, Span::Session) => self.soft_session,
            Kind(Force::Soft, Span::Day) => self.soft_day,
            Kind(Force::Hard, Span::Session) => self.hard_session,
            Kind(Force::Hard, Span::Day) => self.hard_day,
        }
    }

    /// The same with another budget.
    pub fn with(mut self, kind: Kind, limit: Option<u64>) -> Budgets {
        match kind {
            Kind(Force::Soft, Span::Session) => self.soft_session = limit,
            Kind(Force::Soft, Span::Day) => self.soft_day = limit,
            Kind(Force::Hard, Span::Session) => self.hard_session = limit,
            Kind(Force::Hard, Span::Day) => self.hard_day = limit,
        }
        self
    }

    /// There is none.
    pub fn is_empty(&self) -> bool {
        *self == Budgets::default()
    }

    /// The budget of this force that a spend would pass, the narrower one first. What takes nothing passes none; what is of unknown
    /// price passes one that is used up.
    pub fn passed(&self, force: Force, spent: Spent, most: Option<u64>) -> Option<Passed> {
        [(Span::Session, spent.session), (Span::Day, spent.day)].into_iter().find_map(|(span, spent)| {
            let kind = Kind(force, span);
            let limit = self.get(kind)?;
            let is_over = match most {
                Some(0) => false,
                Some(most) => spent.saturating_add(most) > limit,
                None => spent >= limit,
            };
            is_over.then_some(Passed { kind, limit, spent, most })
        })
    }
}

impl std::fmt::Display for Passed {
    /// Which budget, how much of it is left, and what was wanted: `hard_day has 50 of 2000 credits left, and this may take 100`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let left = self.limit.saturating_sub(self.spent);
        write!(f, "the budget {} has {left} of {} credits left, and ", self.kind.name(), self.limit)?;
        match self.most {
            Some(most) => write!(f, "this may take {most}"),
            None => f.write_str("nobody tells what this takes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spend_passes_a_budget_by_the_most_that_it_may_take() {
        let budgets = Budgets { hard_day: Some(100), hard_session: Some(10), ..Budgets::default() };
        let passed =
            |session, day, most| budgets.passed(Force::Hard, Spent { session, day }, most).map(|passed| passed.kind.name());
        assert_eq!(passed(0, 0, Some(10)), None, "to the last credit");
        assert_eq!(passed(0, 0, Some(11)), Some("hard_session"));
        assert_eq!(passed(1, 99, Some(2)), Some("hard_day"));
        assert_eq!(passed(10, 100, Some(0)), None, "what is free is never stopped");
        assert_eq!(passed(9, 99, None), None);
        assert_eq!(passed(0, 100, None), Some("hard_day"), "of unknown price, with nothing left");
        assert_eq!(budgets.passed(Force::Soft, Spent { session: 999, day: 999 }, Some(1)), None);
    }

    #[test]
    fn a_budget_that_is_passed_says_which_it_is_and_how_much_is_left() {
        let budgets = Budgets { hard_day: Some(2_000), ..Budgets::default() };
        let words = |day, most| budgets.passed(Force::Hard, Spent { session: 0, day }, most);
        assert_eq!(
            words(1_950, Some(100)).unwrap().to_string(),
            "the budget hard_day has 50 of 2000 credits left, and this may take 100"
        );
        assert_eq!(
            words(2_000, None).unwrap().to_string(),
            "the budget hard_day has 0 of 2000 credits left, and nobody tells what this takes"
        );
    }
}

//! What this machine has spent, and soft budgets: a request that would pass one waits until the person has said yes.
//!
//! Every request that leaves the console passes [`App::hold_back`] on its way out, so no pane has to think of budgets. Hard budgets
//! are kept where the requests of all programs pass, in the client.

use super::App;
use super::effect::{Call, Effect, Slot};
use super::format::{count, plural};
use super::intent::Intent;
use super::notice::Notice;
use super::overlay::Overlay;
use super::overlay::choice::{Choice, Pick};
use crate::domain::budgets::{Force, Kind as Budget, Passed, Span, Spent};
use crate::domain::failure::{Failure, Kind};

/// What was spent, and what waits for a word of the person.
#[derive(Clone, Debug, Default)]
pub struct Spending {
    /// By this machine, as far as it is known here.
    pub spent: Spent,
    /// Requests that wait.
    held: Vec<Effect>,
    /// Requests that were let through.
    free: Vec<Effect>,
    /// The person does not want to be asked again.
    is_agreed: bool,
}

impl Spending {
    /// Takes what the ledger says.
    pub fn know(&mut self, spent: Option<Spent>) {
        self.spent = spent.unwrap_or(self.spent);
    }

    /// Credits were spent just now.
    pub fn book(&mut self, credits: u64) {
        self.spent = self.spent.plus(credits);
    }
}

impl App {
    /// Keeps requests that would pass a soft budget from leaving, and asks; of somebody who is typing, a late one is not worth a question.
    pub(super) fn hold_back(&mut self, is_late: bool) {
        if !self.spending.held.is_empty() && !self.asks_to_spend() {
            // A question that was left without an answer is a no.
            let held = std::mem::take(&mut self.spending.held);
            self.decline(held);
            self.notice = Some(Notice::note("nothing was asked for and nothing was spent"));
        }
        if !self.spending.is_agreed {
            let mut wanted = self.spending.spent;
            let (mut passed, mut refused, mut over) = (None, None, Vec::new());
            for effect in std::mem::take(&mut self.out) {
                let most = match &effect {
                    // of unknown price, and never sent but for a person's question
                    Effect::Call { call: Call::Ask { .. }, .. } => None,
                    Effect::Call { call, .. } => Some(call.most().unwrap_or(0)),
                    _ => Some(0),
                };
                match self.settings.budgets.passed(Force::Soft, wanted, most) {
                    Some(limit) => {
                        refused = refused.or(self.settings.budgets.passed(Force::Hard, wanted, most));
                        passed = Some(limit);
                        over.push(effect);
                    }
                    None => self.out.push(effect),
                }
                let most = most.unwrap_or(0);
                wanted = wanted.plus(most);
            }
            match passed {
                Some(Passed { kind, limit, .. }) if is_late && self.is_typing() => {
                    self.decline(over);
                    let text =
                        format!("not asked for: it would pass your budget of {} credits {}", count(limit), span_words(kind));
                    self.notice = Some(Notice::warn(text));
                }
                Some(passed) => match refused {
                    // A question whose answer would be refused is not asked.
                    Some(hard) => self.refuse(over, &hard),
                    None => {
                        self.spending.held.extend(over);
                        self.ask_to_spend(&passed);
                    }
                },
                None => {}
            }
        }
        self.out.append(&mut self.spending.free);
    }

    /// Refuses what would pass a hard budget, as the client would. What was spent is asked for anew: it may be less by now.
    fn refuse(&mut self, calls: Vec<Effect>, hard: &Passed) {
        let failure = Failure { kind: Kind::OverBudget, message: format!("nothing was sent: {hard}") };
        for effect in calls {
            if let Effect::Call { token, .. } = effect {
                self.replied(token, Err(failure.clone()));
            }
        }
        self.call(Slot::Credits, Call::Credits);
    }

    /// A click is no word of the person on a price: what it would spend waits until that was asked.
    pub(super) fn hold_clicked(&mut self) {
        let price = |effect: &Effect| if let Effect::Call { call, .. } = effect { call.most().unwrap_or(0) } else { 0 };
        let most: u64 = self.out.iter().map(price).sum();
        if most == 0 {
            return;
        }
        let (costly, free) = std::mem::take(&mut self.out).into_iter().partition(|effect| price(effect) > 0);
        self.out = free;
        self.spending.held.extend::<Vec<_>>(costly);
        let most = plural(most, "credit");
        let pick = Pick { label: format!("spend up to {most}"), note: String::new(), then: Intent::Spend(false) };
        let text = format!("This takes up to {most}.");
        self.overlay = Some(Overlay::Choice(Choice { text, ..Choice::new("Spend credits?", "", vec![pick]) }));
    }

    fn decline(&mut self, calls: Vec<Effect>) {
        for effect in calls {
            if let Effect::Call { token, .. } = effect {
                let message = "it would pass a soft budget".to_owned();
                self.replied(token, Err(Failure { kind: Kind::Cancelled, message }));
            }
        }
    }

    /// The question is on the screen.
    fn asks_to_spend(&self) -> bool {
        let is_ours = |pick: &Pick| matches!(pick.then, Intent::Spend(_));
        matches!(&self.overlay, Some(Overlay::Choice(choice)) if choice.picks.iter().any(is_ours))
    }

    fn ask_to_spend(&mut self, passed: &Passed) {
        let Passed { kind, limit, spent, most } = *passed;
        let span = span_words(kind);
        let most = most.map(|most| plural(most, "credit"));
        let (takes, spend) = match most {
            Some(most) => (format!("This takes up to {most}"), format!("spend up to {most}")),
            None => ("What this takes is not told".to_owned(), "ask all the same".to_owned()),
        };
        let text = format!("Your budget is {} credits {span}, and {} are spent. {takes}.", count(limit), count(spent));
        let pick = |label: String, always| Pick { label, note: String::new(), then: Intent::Spend(always) };
        let picks = vec![pick(spend, false), pick("spend, and do not ask again until gantry ends".into(), true)];
        self.overlay = Some(Overlay::Choice(Choice { text, ..Choice::new("Over your budget?", kind.name(), picks) }));
    }

    /// Lets through what was held back.
    pub(super) fn spend(&mut self, always: bool) {
        self.spending.is_agreed |= always;
        let held = std::mem::take(&mut self.spending.held);
        self.spending.free.extend(held);
    }
}

fn span_words(budget: Budget) -> &'static str {
    if budget.1 == Span::Session { "in this session" } else { "in 24 hours" }
}

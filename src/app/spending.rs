//! What this machine has spent, and soft budgets: a request that would pass one waits until the person has said yes.
//!
//! Every request that leaves the console passes [`App::hold_back`] on its way out, so no pane has to think of budgets. Hard budgets
//! are kept where the requests of all programs pass, in the client.

use std::collections::HashSet;

use super::App;
use super::effect::{Call, Effect, Slot, Write};
use super::format::{count, plural};
use super::intent::Intent;
use super::msg::Token;
use super::notice::Notice;
use super::overlay::Overlay;
use super::overlay::choice::{Choice, Pick};
use crate::domain::budgets::{BudgetExceeded, BudgetKind as Budget, BudgetPeriod, CreditsSpent, Enforcement};
use crate::domain::credits::Credits;
use crate::domain::failure::{RequestError, RequestErrorKind};

/// What was spent, and what waits for a word of the person.
#[derive(Clone, Debug, Default)]
pub struct Spending {
    /// By this machine, as far as it is known here.
    pub spent: CreditsSpent,
    /// Requests that wait.
    held: Vec<Effect>,
    /// Requests that were let through.
    free: Vec<Effect>,
    /// The person does not want to be asked again.
    is_agreed: bool,
    meter: MeterReads,
}

/// Tells a reading of the meter that is exact from one that may be older than what was spent since.
#[derive(Clone, Debug, Default)]
struct MeterReads {
    /// Priced calls without an answer.
    priced: HashSet<Token>,
    /// Rises whenever a priced call begins or ends.
    changes: u64,
    /// Readings that are on their way, with the count of changes when each was asked for.
    asked: Vec<(Token, u64)>,
    /// The meter must be read again once no priced call is open.
    is_stale: bool,
}

impl Spending {
    /// Takes what the ledger says.
    pub fn know(&mut self, spent: Option<CreditsSpent>) {
        self.spent = spent.unwrap_or(self.spent);
    }

    /// Credits were spent just now.
    pub fn book(&mut self, credits: u64) {
        self.spent = self.spent.add_credits(credits);
    }
}

impl Call {
    /// It can take credits.
    fn is_priced(&self) -> bool {
        match self {
            Call::Record { .. } | Call::Search { .. } | Call::Ask { .. } => true,
            Call::Write(Write::Annotate { .. }) => self.most() != Some(0),
            _ => false,
        }
    }
}

impl App {
    /// A call is about to leave.
    pub(super) fn track_price(&mut self, token: Token, call: &Call) {
        let meter = &mut self.spending.meter;
        if call.is_priced() {
            meter.priced.insert(token);
            meter.changes += 1;
        } else if *call == Call::Credits {
            meter.asked.push((token, meter.changes));
        }
    }

    /// A call was answered. What a priced call took is not known when it was given up or its answer was lost.
    pub(super) fn track_answer(&mut self, token: Token, failure: Option<&RequestError>) {
        let meter = &mut self.spending.meter;
        if meter.priced.remove(&token) {
            meter.changes += 1;
            meter.is_stale |=
                failure.is_some_and(|failure| matches!(failure.kind, RequestErrorKind::Cancelled | RequestErrorKind::Ambiguous));
        }
        if failure.is_some() {
            meter.asked.retain(|(asked, _)| *asked != token);
        }
    }

    /// The meter was read. A reading that overlaps with priced calls may or may not contain them, so it is taken only where nothing
    /// better is known, and the meter is read again once they are through.
    pub(super) fn meter_replied(&mut self, token: Token, credits: Credits) {
        let meter = &mut self.spending.meter;
        let asked = meter.asked.iter().position(|(asked, _)| *asked == token).map(|at| meter.asked.remove(at));
        let is_exact = meter.priced.is_empty() && asked.is_none_or(|(_, changes)| changes == meter.changes);
        if is_exact || self.credits.is_none() {
            self.credits = Some(credits);
        }
        self.spending.meter.is_stale |= !is_exact;
    }

    /// Reads the meter again where it may be wrong and no priced call is open.
    pub(super) fn reread_meter(&mut self) {
        let meter = &mut self.spending.meter;
        if meter.is_stale && meter.priced.is_empty() {
            meter.is_stale = false;
            self.call(Slot::Credits, Call::Credits);
        }
    }

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
                match self.settings.budgets.find_exceeded(Enforcement::Soft, wanted, most) {
                    Some(limit) => {
                        refused = refused.or(self.settings.budgets.find_exceeded(Enforcement::Hard, wanted, most));
                        passed = Some(limit);
                        over.push(effect);
                    }
                    None => self.out.push(effect),
                }
                let most = most.unwrap_or(0);
                wanted = wanted.add_credits(most);
            }
            match passed {
                Some(BudgetExceeded { kind, limit, .. }) if is_late && self.is_typing() => {
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
    fn refuse(&mut self, calls: Vec<Effect>, hard: &BudgetExceeded) {
        let failure = RequestError { kind: RequestErrorKind::OverBudget, message: format!("nothing was sent: {hard}") };
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
                self.spending.meter.priced.remove(&token);
                let message = "it would pass a soft budget".to_owned();
                self.replied(token, Err(RequestError { kind: RequestErrorKind::Cancelled, message }));
            }
        }
    }

    /// The question is on the screen.
    fn asks_to_spend(&self) -> bool {
        let is_ours = |pick: &Pick| matches!(pick.then, Intent::Spend(_));
        matches!(&self.overlay, Some(Overlay::Choice(choice)) if choice.picks.iter().any(is_ours))
    }

    fn ask_to_spend(&mut self, passed: &BudgetExceeded) {
        let BudgetExceeded { kind, limit, spent, max_cost: most } = *passed;
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
    if budget.1 == BudgetPeriod::Session { "in this session" } else { "in 24 hours" }
}

#[cfg(test)]
mod tests {
    use crate::app::effect::Call;
    use crate::app::msg::{Msg, Reply};
    use crate::app::testing::{Console, meter, morning};
    use crate::domain::credits::Credits;
    use crate::domain::failure::{RequestError, RequestErrorKind};

    fn reads(console: &Console) -> usize {
        console.waiting.iter().filter(|(_, call)| *call == Call::Credits).count()
    }

    #[test]
    fn the_meter_is_read_again_when_a_priced_read_was_cancelled() {
        let console = Console::over(morning()).press("Enter");
        let cancelled = RequestError { kind: RequestErrorKind::Cancelled, message: "cancelled".to_owned() };
        assert_eq!(reads(&console), 0);
        assert_eq!(reads(&console.fail(cancelled)), 1, "the service may have charged for it");
        let refused = RequestError::new_not_sent("no network");
        assert_eq!(reads(&Console::over(morning()).press("Enter").fail(refused)), 0, "nothing left this machine");
    }

    #[test]
    fn a_meter_reading_that_overlaps_with_a_priced_read_does_not_take_its_credits_back() {
        let used = |console: &Console| console.app.credits.as_ref().and_then(|credits| credits.used);
        let cancelled = RequestError { kind: RequestErrorKind::Cancelled, message: "cancelled".to_owned() };
        let mut console = Console::over(morning()).press("Enter").fail(cancelled);
        let (asked, _) = console.waiting.pop_back().filter(|(_, call)| *call == Call::Credits).expect("the meter is read");
        let before = used(&console).unwrap();
        let console = console.press("Esc j j Enter").serve();
        assert_eq!(used(&console), Some(before + 1));

        let read_before = Credits { used: Some(before), ..meter() };
        let console = console.send(Msg::Replied(asked, Ok(Reply::Credits(read_before, None))));
        assert_eq!((used(&console), reads(&console)), (Some(before + 1), 1), "what was read is older, and is read again");
        let console = console.serve();
        assert_eq!((used(&console), reads(&console)), (meter().used, 0), "a reading that overlaps with nothing counts");
    }
}

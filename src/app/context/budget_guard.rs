//! Credits spent by this machine, and soft budgets: a request that would exceed one waits until the
//! user has confirmed it.
//!
//! Every request that leaves the console passes [`Context::check_soft_budget`], so panes need not
//! care about budgets. Hard budgets are enforced in the client, where the requests of all programs
//! pass.

use crate::app::action::Action;
use crate::app::context::{Ui, Work, prices};
use crate::app::effect::{Effect, ServiceCall};
use crate::app::format::{format_count, pluralize};
use crate::app::msg::Token;
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::{Choice, ChoiceOption};
use crate::app::price::Price;
use crate::app::{Context, budget_guard};
use crate::domain::budgets::{BudgetExceeded, BudgetKind, BudgetPeriod, CreditsSpent, Enforcement};
use crate::domain::credits::Credits;
use crate::domain::request_error::{RequestError, RequestErrorKind};

impl Work {
    /// Takes a meter reading, from its own call or from the ledger; `None` when the ledger could
    /// not read it. A reading that overlaps with priced calls may or may not include them, so it is
    /// used only if nothing better is known, and the meter is read again once those calls are done.
    pub(in crate::app) fn on_meter_reply(&mut self, credits: Option<Credits>) {
        let token = self.requests.delivered();
        let meter = &mut self.budget.meter;
        let asked = meter
            .asked
            .iter()
            .position(|(asked, _)| *asked == token)
            .map(|at| meter.asked.remove(at));
        let Some(credits) = credits else { return };
        let is_exact =
            meter.priced.is_empty() && asked.is_none_or(|(_, changes)| changes == meter.changes);
        if is_exact || self.budget.credits.is_none() {
            self.budget.credits = Some(credits);
        }
        self.budget.meter.is_stale |= !is_exact;
    }

    /// Updates the meter for credits just spent; reads it again when the price was not reported.
    pub(in crate::app) fn record_spend(&mut self, credits: Option<u64>) {
        self.budget.add_spend(credits.unwrap_or(0));
        match (credits, &mut self.budget.credits) {
            (Some(spent), Some(meter)) => {
                meter.used = meter.used.map(|used| used.saturating_add(spent));
                meter.remaining = meter.remaining.map(|left| left.saturating_sub(spent));
            }
            _ => self.read_meter(),
        }
    }
}

impl Context {
    /// Holds back requests that would exceed a soft budget, and asks. A late request is dropped
    /// while the user is typing: it is not worth interrupting for. Returns the declined calls, each
    /// with its failure, and what to say about them.
    pub(in crate::app) fn check_soft_budget(
        &mut self,
        is_late: bool,
    ) -> (Vec<(Token, RequestError)>, Option<Notice>) {
        let (mut declined, mut notice) = (Vec::new(), None);
        if !self.work.budget.held_calls.is_empty() && !is_spend_question_open(&self.ui) {
            // A question that was closed without an answer means no.
            let held = std::mem::take(&mut self.work.budget.held_calls);
            declined = self.work.budget.cancel_calls(held);
            notice = Some(Notice::info("nothing was sent and nothing was spent"));
        }
        if !self.work.budget.always_allow {
            let mut wanted = self.work.budget.credits_spent();
            let (mut passed, mut refused, mut over) = (None, None, Vec::new());
            for effect in self.work.take_effects() {
                let most = match &effect {
                    // It is only ever sent on the user's request.
                    Effect::Call {
                        call: ServiceCall::AskQuestion { .. },
                        ..
                    } => match prices::question_price(&self.work, &self.settings) {
                        Price::Unstated => None,
                        Price::Credits(most) | Price::AtMost(most) => Some(most),
                        Price::Free => Some(0),
                    },
                    Effect::Call { call, .. } => Some(call.max_credits().unwrap_or(0)),
                    _ => Some(0),
                };
                match self
                    .settings
                    .budgets
                    .find_exceeded(Enforcement::Soft, wanted, most)
                {
                    Some(limit) => {
                        refused = refused.or(self.settings.budgets.find_exceeded(
                            Enforcement::Hard,
                            wanted,
                            most,
                        ));
                        passed = Some(limit);
                        over.push(effect);
                    }
                    None => self.work.emit(effect),
                }
                let most = most.unwrap_or(0);
                wanted = wanted.add_credits(most);
            }
            match passed {
                Some(BudgetExceeded { kind, limit, .. }) if is_late && self.ui.is_typing() => {
                    declined.extend(self.work.budget.cancel_calls(over));
                    let text = format!(
                        "not sent: it would exceed your budget of {} credits {}",
                        format_count(limit),
                        period_label(kind)
                    );
                    notice = Some(Notice::warning(text));
                }
                Some(passed) => match refused {
                    // Do not ask when a hard budget would reject the request anyway.
                    Some(hard) => declined.extend(reject_over_budget(over, &hard, &mut self.work)),
                    None => {
                        self.work.budget.held_calls.extend(over);
                        self.confirm_spend(&passed);
                    }
                },
                None => {}
            }
        }
        self.work.emit_released_calls();
        (declined, notice)
    }

    /// Holds what a key or a click would spend beyond the price that was shown, until the user has
    /// confirmed it.
    pub(in crate::app) fn confirm_unseen_cost(&mut self, shown: Price) {
        let price: Price = self
            .work
            .effects()
            .iter()
            .map(|effect| self.effect_price(effect))
            .sum();
        if price <= shown {
            return;
        }
        self.close_call_form_if_open();
        let effects = self.work.take_effects();
        let (costly, free) = effects
            .into_iter()
            .partition(|effect| self.effect_price(effect) != Price::Free);
        self.work.emit_all(free);
        self.work.budget.held_calls.extend::<Vec<Effect>>(costly);
        let (label, text) = match price {
            Price::Credits(most) | Price::AtMost(most) => {
                let most = pluralize(most, "credit");
                (
                    format!("spend up to {most}"),
                    format!("This costs up to {most}."),
                )
            }
            _ => (
                "read it".to_owned(),
                "The service does not state the price of this.".to_owned(),
            ),
        };
        let reads = |effect: &Effect| match effect {
            Effect::Call { call, .. } => match call {
                ServiceCall::Record { .. } => Some("Read the record?"),
                ServiceCall::Search { .. } | ServiceCall::SavedSearch { .. } => {
                    Some("Read the rows?")
                }
                _ => None,
            },
            _ => None,
        };
        let title = self.work.budget.held_calls.iter().find_map(reads);
        let title = title.unwrap_or("Spend credits?");
        self.ui
            .confirm(title, text, label, Action::ApproveSpend(false));
    }

    fn confirm_spend(&mut self, passed: &BudgetExceeded) {
        let BudgetExceeded {
            kind,
            limit,
            spent,
            max_cost: most,
        } = *passed;
        // The question takes the place of the form; its note is kept.
        self.close_call_form_if_open();
        let span = period_label(kind);
        let most = most.map(|most| pluralize(most, "credit"));
        let (takes, spend) = match most {
            Some(most) => (
                format!("This costs up to {most}"),
                format!("spend up to {most}"),
            ),
            None => ("The price is unknown".to_owned(), "ask anyway".to_owned()),
        };
        let text = format!(
            "Your budget is {} credits {span}; {} are spent. {takes}.",
            format_count(limit),
            format_count(spent)
        );
        let answers = [
            (format!("yes, {spend}"), false),
            ("always, until gantry exits".to_owned(), true),
        ]
        .map(|(label, always)| ChoiceOption::new(label, Action::ApproveSpend(always)));
        let choice = Choice::question(
            "Over your budget?",
            text,
            "no, spend nothing",
            answers.into(),
        );
        self.ui.overlay = Some(Overlay::Choice(Choice {
            note: kind.label().into(),
            ..choice
        }));
    }
}

pub(in crate::app) fn update_spent(spent: CreditsSpent, work: &mut Work) {
    work.budget.update_spent(Some(spent));
}

pub(in crate::app) fn reread_meter(work: &mut Work) {
    let meter = &mut work.budget.meter;
    if meter.is_stale && meter.priced.is_empty() {
        meter.is_stale = false;
        work.read_meter();
    }
}

/// Rejects what would exceed a hard budget, as the client would, and reads the spent credits
/// again: older ones may have left the budget's window.
fn reject_over_budget(
    calls: Vec<Effect>,
    hard: &BudgetExceeded,
    work: &mut Work,
) -> Vec<(Token, RequestError)> {
    let failure = RequestError {
        kind: RequestErrorKind::OverBudget,
        message: format!("not sent: {hard}"),
    };
    work.read_meter();
    budget_guard::tokens(calls)
        .map(|token| (token, failure.clone()))
        .collect()
}

fn is_spend_question_open(ui: &Ui) -> bool {
    let is_ours = |pick: &ChoiceOption| matches!(pick.action, Action::ApproveSpend(_));
    matches!(&ui.overlay, Some(Overlay::Choice(choice)) if choice.options.iter().any(is_ours))
}

fn period_label(budget: BudgetKind) -> &'static str {
    if budget.1 == BudgetPeriod::Session {
        "in this session"
    } else {
        "in 24 hours"
    }
}

#[cfg(test)]
mod tests {
    use crate::app::effect::ServiceCall;
    use crate::app::msg::{Msg, Reply, Token};
    use crate::app::testing::{TestConsole, morning_queue, sample_meter};
    use crate::domain::budgets::CreditsSpent;
    use crate::domain::credits::{Credits, LedgerReport};
    use crate::domain::request_error::{RequestError, RequestErrorKind};

    fn used(console: &TestConsole) -> Option<u64> {
        console
            .context()
            .work
            .budget
            .credits
            .as_ref()
            .and_then(|credits| credits.used)
    }

    fn reply_with_ledger(console: TestConsole, asked: Token, used: Option<u64>) -> TestConsole {
        let meter = Ok(Credits {
            used,
            ..sample_meter()
        });
        let spent = CreditsSpent::default();
        let report = LedgerReport {
            meter,
            reconciliation: None,
            spent,
            readings: vec![],
            usage: vec![],
            latest_entries: vec![],
        };
        console.send(Msg::Replied(asked, Ok(Reply::Ledger(Box::new(report)))))
    }

    fn reads(console: &TestConsole) -> usize {
        console
            .pending_calls
            .iter()
            .filter(|(_, call)| *call == ServiceCall::Credits)
            .count()
    }

    #[test]
    fn the_meter_is_read_again_when_a_priced_read_was_cancelled() {
        let console = TestConsole::with_rows(morning_queue()).press("Enter");
        let cancelled = RequestError {
            kind: RequestErrorKind::Cancelled,
            message: "cancelled".to_owned(),
        };
        assert_eq!(reads(&console), 0);
        assert_eq!(
            reads(&console.fail_next(cancelled)),
            1,
            "the service may have charged for it"
        );
        let refused = RequestError::new_not_sent("no network");
        assert_eq!(
            reads(
                &TestConsole::with_rows(morning_queue())
                    .press("Enter")
                    .fail_next(refused)
            ),
            0,
            "nothing left this machine"
        );
    }

    #[test]
    fn a_meter_reading_that_overlaps_with_a_priced_read_does_not_take_its_credits_back() {
        let cancelled = RequestError {
            kind: RequestErrorKind::Cancelled,
            message: "cancelled".to_owned(),
        };
        let mut console = TestConsole::with_rows(morning_queue())
            .press("Enter")
            .fail_next(cancelled);
        let (asked, _) = console
            .pending_calls
            .pop_back()
            .filter(|(_, call)| *call == ServiceCall::Credits)
            .expect("the meter is read");
        let before = used(&console).unwrap();
        let console = console.press("Esc j j Enter").serve();
        assert_eq!(used(&console), Some(before + 1));

        let read_before = Credits {
            used: Some(before),
            ..sample_meter()
        };
        let console = console.send(Msg::Replied(asked, Ok(Reply::Credits((read_before, None)))));
        assert_eq!(
            (used(&console), reads(&console)),
            (Some(before + 1), 1),
            "the reading is older, so the meter is read again"
        );
        let console = console.serve();
        assert_eq!(
            (used(&console), reads(&console)),
            (sample_meter().used, 0),
            "a reading that overlaps with nothing counts"
        );
    }

    #[test]
    fn a_ledger_read_before_a_priced_read_does_not_take_its_credits_back() {
        let mut console = TestConsole::with_rows(morning_queue()).press("8");
        let (asked, _) = console
            .pending_calls
            .pop_back()
            .filter(|(_, call)| *call == ServiceCall::Ledger)
            .expect("the ledger is read");
        let before = used(&console);
        let console = console.press("1 Enter").serve();
        let after = before.map(|used| used + 1);
        assert_eq!(used(&console), after);
        let console = reply_with_ledger(console, asked, before);
        assert_eq!(
            (used(&console), reads(&console)),
            (after, 1),
            "the reading is older, so the meter is read again"
        );
        assert_eq!(used(&console.serve()), sample_meter().used);
    }

    #[test]
    fn credits_that_the_ledgers_meter_already_includes_are_not_counted_twice() {
        let mut console = TestConsole::with_rows(morning_queue()).press("Enter 8");
        let (asked, _) = console
            .pending_calls
            .pop_back()
            .filter(|(_, call)| *call == ServiceCall::Ledger)
            .expect("the ledger is read");
        let after = used(&console).map(|used| used + 1);
        let console = reply_with_ledger(console, asked, after).serve_next();
        assert_eq!(
            (used(&console), reads(&console)),
            (after, 1),
            "the meter is read again once the priced read is done"
        );
    }
}

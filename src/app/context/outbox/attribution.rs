//! Finishes a triage: reads which of its signals it changed, says so, and makes them an undo step.

use std::collections::HashSet;

use crate::app::Context;
use crate::app::context::Work;
use crate::app::context::outbox::triage_messages::{
    describe_removed, sent_notice, triage_outcome_notice,
};
use crate::app::context::outbox::{deferred_commands, preflight, reconcile};
use crate::app::context::snooze;
use crate::app::effect::{Effect, Slot};
use crate::app::format::{format_count, pluralize};
use crate::app::msg::CallResult;
use crate::app::notice::Notice;
use crate::app::outbox::attribution::AttributionCheck;
use crate::app::outbox::offline::SentSteps;
use crate::app::outbox::pending_write::PendingWrite;
use crate::app::outbox::preflight::UndoRequest;
use crate::app::outbox::undo_history::{StepCause, StepItems, UndoStep};
use crate::app::requests::Request;
use crate::domain::SignalId;
use crate::domain::pages::Page;
use crate::domain::queue::{QueueSignal, QueueTab};

impl Context {
    /// Finishes a triage; where not all of its signals changed, first reads who triaged the others.
    pub(super) fn attribute_triage(&mut self, triage: PendingWrite) {
        let check = AttributionCheck::new(triage);
        if check.is_done() {
            return self.finish_attribution(&check);
        }
        let (changed, applied) = (
            check.triage().changed_count(),
            check.triage().applied_step(),
        );
        let text = format!(
            "{} of {}: checking who did the others",
            format_count(changed),
            applied.description
        );
        self.ui.inform(text);
        request_attribution_page(check, &mut self.work);
    }

    /// Takes a page of a check.
    pub(super) fn on_attribution_page(
        &mut self,
        mut check: AttributionCheck,
        result: CallResult<Page<QueueSignal>>,
    ) {
        match result {
            Ok(page) if check.insert_page(&page) => request_attribution_page(check, &mut self.work),
            _ => {
                self.finish_attribution(&check);
                reconcile::reconcile_if_due(&mut self.work, &mut self.outbox);
            }
        }
    }

    fn finish_attribution(&mut self, check: &AttributionCheck) {
        let triage = check.triage();
        let Some(from) = triage.signals().map(|signals| signals.from) else {
            return;
        };
        let ours: HashSet<SignalId> = check.own_signals(self.team.caller().as_ref());
        let answered = triage.applied_step();
        let applied = own_part(&answered, &ours);
        let already = answered.len() as u64 - triage.changed_count().min(answered.len() as u64);
        let last = check.last_mark(answered.signal_ids().filter(|id| !ours.contains(id)));
        let last = last
            .map(|(by, at)| preflight::user_and_time(by.as_ref(), *at, &self.clock, &self.queue));
        let failed = triage.failed_counts();
        let is_whole = self.insert_triage_steps(triage, &answered, &ours, already);
        let is_queued = failed == [0; 3] && triage.waiting_count() > 0;
        let (done, returned) = match from {
            QueueTab::Done => (0, applied.len()),
            QueueTab::New | QueueTab::Today => (applied.len(), 0),
        };
        let result = SentSteps {
            done,
            returned,
            already: usize::try_from(already).unwrap_or(usize::MAX),
            failed: failed.iter().sum(),
            reason: triage.last_reason().map(str::to_owned),
            ..SentSteps::default()
        };
        let numbers = triage.acts().map(|act| act.number);
        let sent = self.outbox.offline.take_answer(numbers, result);
        self.ui.notice = Some(if applied.is_empty() && failed == [0; 3] && !is_queued {
            let dropped = deferred_commands::drop_deferred_commands(&mut self.outbox);
            Notice::info(format!(
                "{}. Nothing changed{dropped}.",
                nothing_changed_text(from, answered.len(), last)
            ))
        } else {
            let already = (already > 0).then(|| match &last {
                Some(last) if already == 1 => format!("1 was {} by {last}", already_label(from)),
                Some(last) => format!(
                    "{} were {}, the last by {last}",
                    format_count(already),
                    already_label(from)
                ),
                None => format!("{} {}", format_count(already), already_label(from)),
            });
            let notice = triage_outcome_notice(triage, from, &applied, already);
            let dropped = if is_whole || is_queued {
                String::new()
            } else {
                deferred_commands::drop_deferred_commands(&mut self.outbox)
            };
            let notice = Notice {
                text: notice.text + &dropped,
                ..notice
            };
            let is_clean = triage.cause() == StepCause::New && failed == [0; 3] && !is_queued;
            let history = &self.outbox.history;
            match (
                snooze::snoozed_with(triage.step(), &self.outbox),
                history.undo_description(),
            ) {
                (Some(snoozed), _) if is_clean => Notice {
                    text: format!("{}; {snoozed} snoozed, on this machine only", notice.text),
                    ..notice
                }
                .with_hint("{undo} undoes all of it"),
                (None, Some(last)) if is_clean && triage.act_count() > 1 => {
                    notice.with_hint(format!("{{undo}} undoes {last}"))
                }
                _ => notice,
            }
        });
        if let Some(sent) = sent.filter(|sent| sent.steps > 1) {
            self.ui.notice = Some(sent_notice(&sent));
        }
    }

    /// Makes an undo step of each act of a triage, and journals what was not applied of it. Returns
    /// whether every act left one and nothing failed: otherwise undo may hit another act than the
    /// user meant.
    fn insert_triage_steps(
        &mut self,
        triage: &PendingWrite,
        answered: &UndoStep,
        ours: &HashSet<SignalId>,
        already: u64,
    ) -> bool {
        let answered: HashSet<SignalId> = answered.signal_ids().collect();
        let mut is_whole = true;
        for act in triage.acts() {
            let mut applied = own_part(&act.signals_where(|id| answered.contains(&id)), ours);
            is_whole &= !applied.is_empty() && act.signal_ids().all(|id| answered.contains(&id));
            let is_whole_act =
                applied.len() == act.len() && !self.outbox.is_of_earlier_run(act.number);
            let nothing = applied.subset(|_| false);
            if let StepItems::Signals(signals) = &mut applied.items {
                // Nothing reports which of the signals that are New were New before.
                let is_certain = signals.from == QueueTab::New;
                signals.uncertain_count = if is_certain {
                    0
                } else {
                    already.min(signals.rows.len() as u64)
                };
            }
            let step = UndoStep {
                done_at: self.clock.service_now(),
                ..applied
            };
            self.outbox.history.insert_step(triage.cause(), true, step);
            if !is_whole_act {
                let applied = self
                    .outbox
                    .history
                    .applied_by(triage.cause(), act.number)
                    .unwrap_or(nothing);
                self.work.emit(Effect::JournalApplied {
                    slot: Slot::Write(act.number),
                    change: applied.journal_change(),
                    settles_interrupted: false,
                });
            }
        }
        is_whole
    }
}

fn request_attribution_page(check: AttributionCheck, work: &mut Work) {
    let call = check.call();
    work.call_service(
        Slot::Attribution,
        call,
        Request::Undo(UndoRequest::Attribution(Box::new(check))),
    );
}

/// The signals of a step that this user triaged.
fn own_part(answered: &UndoStep, ours: &HashSet<SignalId>) -> UndoStep {
    let mut own = answered.signals_where(|id| ours.contains(&id));
    if own.len() < answered.len()
        && let StepItems::Signals(signals) = &own.items
    {
        own.description = describe_removed(signals.rows.iter());
    }
    own
}

fn already_label(from: QueueTab) -> &'static str {
    if from == QueueTab::New {
        "already done"
    } else {
        "already New"
    }
}

fn nothing_changed_text(from: QueueTab, all: usize, last: Option<String>) -> String {
    match (from, all, last) {
        (QueueTab::New | QueueTab::Today, 1, Some(last)) => format!("Already done by {last}"),
        (QueueTab::New | QueueTab::Today, 1, None) => "Already done".to_owned(),
        (QueueTab::New | QueueTab::Today, n, Some(last)) => {
            format!(
                "All {} were already done, the last by {last}",
                pluralize(n, "signal")
            )
        }
        (QueueTab::New | QueueTab::Today, n, None) => {
            format!("All {} were already done", pluralize(n, "signal"))
        }
        (QueueTab::Done, 1, _) => "Already New".to_owned(),
        (QueueTab::Done, n, _) => format!("All {} were already New", pluralize(n, "signal")),
    }
}

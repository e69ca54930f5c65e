//! Triage that waits until the service responds: steps with signals of their own, each of which can
//! be taken back.

use std::collections::HashSet;

use crate::app::outbox::undo_history::UndoStep;
use crate::domain::SignalId;
use crate::domain::health::Health;
use crate::domain::queue::QueueTab;

#[derive(Clone, Debug, Default)]
pub struct OfflineTriage {
    is_offline: bool,
    /// The service is back, and not everything is sent yet.
    is_flushing: bool,
    /// Something has begun to wait since the service last responded.
    awaits_response: bool,
    /// What waits, in the order of the user's actions.
    waiting: Vec<UndoStep>,
    /// What became of what waited, until all of it is answered.
    sent: SentSteps,
    /// What waited when an earlier run ended, step by step. Its signals are marked, and are sent on
    /// request.
    restored: Vec<(QueueTab, Vec<SignalId>)>,
}

/// What became of the steps that waited, in signals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SentSteps {
    /// The numbers of those without an answer.
    pub open: HashSet<u64>,
    /// How many steps waited.
    pub steps: usize,
    pub done: usize,
    pub returned: usize,
    /// Somebody else has done it meanwhile.
    pub already: usize,
    pub failed: usize,
    /// Why the last of them failed.
    pub reason: Option<String>,
}

impl OfflineTriage {
    /// Takes the result of a request with these steps: adds it to what is known of those that
    /// waited. Returns all of it after the last answer.
    pub fn take_answer(
        &mut self,
        numbers: impl Iterator<Item = u64>,
        result: SentSteps,
    ) -> Option<SentSteps> {
        let answered: Vec<u64> = numbers
            .filter(|number| self.sent.open.remove(number))
            .collect();
        if answered.is_empty() {
            return None;
        }
        self.sent.done += result.done;
        self.sent.returned += result.returned;
        self.sent.already += result.already;
        self.sent.failed += result.failed;
        self.sent.reason = result.reason.or(self.sent.reason.take());
        let is_last = self.sent.open.is_empty() && self.waiting.is_empty();
        is_last.then(|| std::mem::take(&mut self.sent))
    }

    pub fn is_offline(&self) -> bool {
        self.is_offline
    }

    /// The service is back, and what waits was not sent yet.
    pub fn is_flushing(&self) -> bool {
        self.is_flushing
    }

    pub fn is_ready(&self) -> bool {
        self.is_flushing && !self.is_offline
    }

    /// What waits, in the order of the user's actions.
    pub fn waiting(&self) -> &[UndoStep] {
        &self.waiting
    }

    /// What waits in this list.
    pub fn waiting_from(&self, from: QueueTab) -> impl Iterator<Item = SignalId> {
        self.waiting
            .iter()
            .filter(move |step| step.tab_left() == Some(from))
            .flat_map(UndoStep::signal_ids)
    }

    pub fn is_waiting(&self, id: SignalId) -> bool {
        self.waiting_ids().any(|waiting| waiting == id)
    }

    pub fn waiting_ids(&self) -> impl Iterator<Item = SignalId> {
        self.waiting.iter().flat_map(UndoStep::signal_ids)
    }

    /// Adds a step; it was made when its number was given out.
    pub fn add(&mut self, step: UndoStep) {
        let at = self
            .waiting
            .partition_point(|other| other.number <= step.number);
        self.waiting.insert(at, step);
        self.awaits_response = true;
    }

    /// Takes a step that is not to be sent.
    pub fn take(&mut self, number: u64) -> Option<UndoStep> {
        let at = self.waiting.iter().position(|step| step.number == number)?;
        Some(self.waiting.remove(at))
    }

    /// The service responded: returns whether something has begun to wait since it last did.
    pub fn on_response(&mut self) -> bool {
        let begins = std::mem::take(&mut self.awaits_response);
        self.is_flushing |= begins;
        begins
    }

    /// Takes the service's health; returns whether the service is back.
    pub fn set_health(&mut self, health: &Health) -> bool {
        let is_back = self.is_offline && *health == Health::Online;
        self.is_offline = matches!(health, Health::Offline { .. }) || self.is_offline && !is_back;
        self.is_flushing |= is_back;
        is_back
    }

    /// Takes the steps whose signals were looked up in the list that they are to leave, with those
    /// that are still in it.
    pub fn take_checked(
        &mut self,
        from: QueueTab,
        gone: &HashSet<SignalId>,
        there: &HashSet<SignalId>,
    ) -> Vec<UndoStep> {
        let is_checked = |step: &mut UndoStep| {
            step.tab_left() == Some(from)
                && step
                    .signal_ids()
                    .all(|id| gone.contains(&id) || there.contains(&id))
        };
        let checked: Vec<UndoStep> = self.waiting.extract_if(.., is_checked).collect();
        let sendable: Vec<UndoStep> = checked
            .iter()
            .map(|step| step.signals_where(|id| there.contains(&id)))
            .collect();
        let count = |steps: &[UndoStep]| steps.iter().map(UndoStep::len).sum::<usize>();
        self.sent.steps += checked.len();
        self.sent.already += count(&checked) - count(&sendable);
        let sent = sendable.iter().filter(|step| !step.is_empty());
        self.sent.open.extend(sent.map(|step| step.number));
        sendable
    }

    /// Ends the sending of what waits.
    pub fn end_flush(&mut self) {
        self.is_flushing = false;
        if self.sent.open.is_empty() {
            self.sent = SentSteps::default();
        }
    }

    /// Adds a step that waited when an earlier run ended.
    pub fn restore(&mut self, from: QueueTab, ids: Vec<SignalId>) {
        self.restored.push((from, ids));
    }

    /// What waited when an earlier run ended.
    pub fn restored(&self) -> impl Iterator<Item = (QueueTab, &[SignalId])> {
        self.restored
            .iter()
            .map(|(from, ids)| (*from, ids.as_slice()))
    }

    /// Splits signals of a list into the steps that they waited as in an earlier run, and the
    /// others.
    pub fn take_restored(&mut self, from: QueueTab, mut ids: Vec<SignalId>) -> Vec<Vec<SignalId>> {
        let mut steps = Vec::new();
        for (_, restored) in self.restored.iter_mut().filter(|(tab, _)| *tab == from) {
            let step: Vec<SignalId> = ids.extract_if(.., |id| restored.contains(id)).collect();
            restored.retain(|id| !step.contains(id));
            steps.push(step);
        }
        self.restored.retain(|(_, left)| !left.is_empty());
        steps.push(ids);
        steps.retain(|step| !step.is_empty());
        steps
    }
}

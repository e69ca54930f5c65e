//! What follows from a message: calls of the service, other effects, actions and changes.

use std::collections::VecDeque;

use crate::app::action::Action;
use crate::app::budget_guard::BudgetGuard;
use crate::app::change::Change;
use crate::app::connection::HeaderRequest;
use crate::app::effect::{Effect, ServiceCall, Slot};
use crate::app::msg::{Timer, Token};
use crate::app::requests::{Request, Requests, SharedData};

pub(in crate::app) struct Work {
    pub(super) requests: Requests,
    pub(in crate::app) budget: BudgetGuard,
    /// What the runtime does once the update is done.
    effects: Vec<Effect>,
    /// What the console performs once the current handler is done.
    actions: VecDeque<Action>,
    /// What every pane hears of once the current handler is done.
    changes: VecDeque<Change>,
    request_reason: &'static str,
    /// Why the overlay or the prompt was opened.
    question_reason: &'static str,
}

impl Default for Work {
    fn default() -> Work {
        Work {
            requests: Requests::default(),
            budget: BudgetGuard::default(),
            effects: Vec::new(),
            actions: VecDeque::new(),
            changes: VecDeque::new(),
            request_reason: "start",
            question_reason: "start",
        }
    }
}

impl Work {
    /// Has the console perform an action once the current handler is done.
    pub fn perform(&mut self, action: impl Into<Action>) {
        self.actions.push_back(action.into());
    }

    /// Tells every pane of a change of shared data, once the current handler is done.
    pub fn publish(&mut self, change: Change) {
        self.changes.push_back(change);
    }

    /// Calls the service. The reply goes to whoever made this request.
    pub fn call_service(
        &mut self,
        slot: Slot,
        call: ServiceCall,
        request: impl Into<Request>,
    ) -> Token {
        let token = self
            .requests
            .open(slot.clone(), request.into(), self.request_reason);
        self.budget.track_price(token, &call);
        self.effects.push(Effect::Call {
            token,
            slot,
            call,
            reason: self.request_reason,
        });
        token
    }

    /// Has the runtime do something once the update is done.
    pub fn emit(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// Whether the reply that is being delivered has newer data than the last one; from now on it
    /// is the last one.
    pub fn is_newest(&mut self, data: SharedData) -> bool {
        self.requests.is_newest(data)
    }

    /// Cancels the reads of a slot. Nobody waits for their replies any longer.
    pub fn abandon_slot(&mut self, slot: Slot) {
        self.requests.abandon(&slot);
        self.effects.push(Effect::Cancel(slot));
    }

    pub fn set_timer(&mut self, timer: Timer, delay: std::time::Duration) {
        self.effects.push(Effect::SetTimer { timer, delay });
    }

    pub fn next_action(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    pub fn next_change(&mut self) -> Option<Change> {
        self.changes.pop_front()
    }

    pub fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// Attributes what follows to a command or a request.
    pub fn set_request_reason(&mut self, reason: &'static str) {
        self.request_reason = reason;
    }

    /// Attributes the answer to the open question to what opened it.
    pub fn keep_question_reason(&mut self) {
        self.question_reason = self.request_reason;
    }

    /// Why the last update made its calls, for the ledger: the ID of the command that caused them,
    /// or the kind of event.
    pub fn request_reason(&self) -> &'static str {
        self.request_reason
    }

    pub fn requests(&self) -> &Requests {
        &self.requests
    }

    /// Reads the members, to resolve names.
    pub fn read_members(&mut self) {
        self.call_service(
            Slot::Members,
            ServiceCall::Members,
            Request::Header(HeaderRequest::Members),
        );
    }

    pub fn read_meter(&mut self) {
        self.call_service(
            Slot::Credits,
            ServiceCall::Credits,
            Request::Header(HeaderRequest::Meter),
        );
    }

    /// Attributes what follows to the open question.
    pub(super) fn resume_question_reason(&mut self) {
        self.request_reason = self.question_reason;
    }

    pub(super) fn effects(&self) -> &[Effect] {
        &self.effects
    }

    pub(super) fn emit_all(&mut self, effects: impl IntoIterator<Item = Effect>) {
        self.effects.extend(effects);
    }

    /// Sends the calls that the user has agreed to.
    pub(super) fn emit_released_calls(&mut self) {
        self.effects.append(&mut self.budget.released_calls);
    }

    /// Whether no call that may have cost something overlapped with the metered read that is being
    /// delivered.
    pub(super) fn was_only_read(&mut self) -> bool {
        self.budget.was_only_read(self.requests.delivered())
    }

    /// Drops notifications.
    pub fn drop_alerts(&mut self) {
        self.effects
            .retain(|effect| !matches!(effect, Effect::Notify(_)));
    }
}

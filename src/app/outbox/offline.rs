//! Triage that waits until the service responds.

use std::collections::HashSet;

use crate::domain::SignalId;
use crate::domain::health::Health;
use crate::domain::queue::QueueTab;

#[derive(Clone, Debug, Default)]
pub struct OfflineTriage {
    is_offline: bool,
    /// The service is back, and not everything is sent yet.
    is_flushing: bool,
    /// Something waits for the first reply since the start.
    awaits_first_response: bool,
    entries: Vec<(QueueTab, SignalId)>,
}

impl OfflineTriage {
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

    /// What waits, in the order in which it was added.
    pub fn entries(&self) -> impl Iterator<Item = (QueueTab, SignalId)> {
        self.entries.iter().copied()
    }

    pub fn add_signals(&mut self, from: QueueTab, ids: &[SignalId]) {
        self.entries.retain(|(_, id)| !ids.contains(id));
        self.entries.extend(ids.iter().map(|id| (from, *id)));
    }

    pub fn await_first_response(&mut self) {
        self.awaits_first_response = true;
    }

    /// The service responded: returns whether something waited for its first reply.
    pub fn on_response(&mut self) -> bool {
        let is_first = std::mem::take(&mut self.awaits_first_response);
        self.is_flushing |= is_first;
        is_first
    }

    /// Takes the service's health; returns whether the service is back.
    pub fn set_health(&mut self, health: &Health) -> bool {
        let is_back = self.is_offline && *health == Health::Online;
        self.is_offline = matches!(health, Health::Offline { .. }) || self.is_offline && !is_back;
        self.is_flushing |= is_back;
        is_back
    }

    /// These signals of a list were looked up.
    pub fn drop_signals(&mut self, from: QueueTab, ids: HashSet<SignalId>) {
        self.entries.retain(|(tab, id)| *tab != from || !ids.contains(id));
    }

    /// Everything is sent that is still marked; what was unmarked meanwhile is dropped, even if it is marked again later.
    pub fn end_flush(&mut self) {
        self.is_flushing = false;
        self.entries.clear();
    }
}

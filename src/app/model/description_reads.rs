//! Which signals are read for their descriptions, and what such a read costs: plain data.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::app::screen::Screen;
use crate::domain::SignalId;

/// What reading a signal costs. The interface does not state it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SignalPrice {
    #[default]
    Unknown,
    /// Proved by the meter, or known because this program runs the service.
    Free,
    /// As last seen, in credits.
    Costs(u64),
}

#[derive(Clone, Debug, Default)]
pub struct DescriptionReads {
    pub price: SignalPrice,
    /// A read of this session has shown the price; that of an earlier session may have changed.
    pub is_confirmed: bool,
    /// The user asked for these; they were not sent yet.
    pub queued: VecDeque<SignalId>,
    /// How many the user asked for, and how many of them were read.
    pub asked: usize,
    pub read: usize,
    pub in_flight: HashSet<SignalId>,
    /// Those that could not be read, or say nothing: none is read twice on its own.
    pub done: HashSet<SignalId>,
    /// They were offered after a signal was opened.
    pub is_offered: bool,
    /// A read failed: none is sent on its own until the service responds again.
    pub is_halted: bool,
    /// What earlier sessions know of these signals was asked of this machine.
    pub looked_up: HashSet<SignalId>,
    /// How many such questions are open: nothing is requested that may be known already.
    pub open_lookups: usize,
    /// What the screens other than the queue list.
    pub listed: HashMap<Screen, Vec<SignalId>>,
    /// Keys and clicks so far.
    pub activity: u64,
    /// The value of `activity` when the timer for a resting cursor was set, until it elapses.
    pub timer_set_at: Option<u64>,
    /// The value of `activity` at which the cursor has come to rest.
    pub rested_at: Option<u64>,
}

impl DescriptionReads {
    pub fn is_rested(&self) -> bool {
        self.rested_at == Some(self.activity)
    }

    /// Whether reads were seen to be free in this session, and none has failed since.
    pub fn is_free_for_certain(&self) -> bool {
        self.price == SignalPrice::Free && self.is_confirmed && !self.is_halted
    }

    /// Whether the signal is to be read, if nothing is known of it.
    pub fn can_read(&self, signal: SignalId) -> bool {
        !self.in_flight.contains(&signal) && !self.done.contains(&signal)
    }
}

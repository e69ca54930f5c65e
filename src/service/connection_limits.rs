//! Connection limits, per peer and in total, and who is disconnected when they are reached. An idle connection gives way to a new
//! one: first those that never sent a request, then those without a valid token, longest idle first. A connection whose request
//! is in progress is never closed.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

/// Maximum number of connections.
const MAX_CONNECTIONS: usize = 256;
/// Maximum number of connections per address.
const MAX_CONNECTIONS_PER_ADDRESS: usize = 64;

/// All open connections.
#[derive(Default)]
pub struct ConnectionLimiter(Mutex<OpenConnections>);

#[derive(Default)]
struct OpenConnections {
    last_number: u64,
    by_number: BTreeMap<u64, OpenConnection>,
}

struct OpenConnection {
    peer: IpAddr,
    /// Whether a request is in progress, whether one was answered, and whether one had a valid token.
    is_busy: bool,
    was_answered: bool,
    is_authenticated: bool,
    /// When it became idle.
    idle_since: u64,
    eviction: CancellationToken,
}

/// A connection's slot; released when dropped.
pub struct ConnectionSlot {
    limiter: Arc<ConnectionLimiter>,
    number: u64,
    eviction: CancellationToken,
}

impl ConnectionLimiter {
    fn lock(&self) -> MutexGuard<'_, OpenConnections> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A slot for a new connection; `None` if all the slots it could take are busy.
    pub fn acquire(self: &Arc<Self>, peer: IpAddr) -> Option<ConnectionSlot> {
        let mut taken = self.lock();
        let of = |taken: &OpenConnections, peer: IpAddr| taken.by_number.values().filter(|held| held.peer == peer).count();
        let full = if of(&taken, peer) >= MAX_CONNECTIONS_PER_ADDRESS {
            Some(peer)
        } else if taken.by_number.len() >= MAX_CONNECTIONS {
            taken.by_number.values().map(|held| held.peer).max_by_key(|peer| of(&taken, *peer))
        } else {
            None
        };
        if let Some(peer) = full {
            let waiting = taken.by_number.iter().filter(|(_, held)| held.peer == peer && !held.is_busy);
            let number = *waiting.min_by_key(|(_, held)| (held.is_authenticated, held.was_answered, held.idle_since))?.0;
            if let Some(held) = taken.by_number.remove(&number) {
                held.eviction.cancel();
            }
        }
        taken.last_number += 1;
        let (number, vacated) = (taken.last_number, CancellationToken::new());
        let held = OpenConnection {
            peer,
            is_busy: false,
            was_answered: false,
            is_authenticated: false,
            idle_since: number,
            eviction: vacated.clone(),
        };
        taken.by_number.insert(number, held);
        Some(ConnectionSlot { limiter: self.clone(), number, eviction: vacated })
    }
}

impl ConnectionSlot {
    /// A request has arrived.
    pub fn begin_request(&self) {
        if let Some(held) = self.limiter.lock().by_number.get_mut(&self.number) {
            held.is_busy = true;
        }
    }

    /// The request was answered; `is_proven` if its token was valid.
    pub fn end_request(&self, is_proven: bool) {
        let mut taken = self.limiter.lock();
        taken.last_number += 1;
        let since = taken.last_number;
        if let Some(held) = taken.by_number.get_mut(&self.number) {
            (held.is_busy, held.was_answered, held.idle_since) = (false, true, since);
            held.is_authenticated |= is_proven;
        }
    }

    /// Completes when the slot has been given to another connection.
    pub async fn eviction(&self) {
        self.eviction.cancelled().await;
    }

    /// Whether the slot has been given to another connection.
    #[cfg(test)]
    fn is_evicted(&self) -> bool {
        self.eviction.is_cancelled()
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.limiter.lock().by_number.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    #[test]
    fn one_address_never_exceeds_its_share_and_others_can_still_connect() {
        let seats = Arc::new(ConnectionLimiter::default());
        let greedy: Vec<ConnectionSlot> = (0..MAX_CONNECTIONS_PER_ADDRESS).map(|_| seats.acquire(peer(1)).unwrap()).collect();
        greedy.iter().for_each(ConnectionSlot::begin_request);
        assert!(seats.acquire(peer(1)).is_none(), "all slots are busy");
        assert!(seats.acquire(peer(2)).is_some());
    }

    #[test]
    fn idle_connections_are_evicted_unauthenticated_first_and_busy_ones_never() {
        let seats = Arc::new(ConnectionLimiter::default());
        let all: Vec<ConnectionSlot> = (0..MAX_CONNECTIONS_PER_ADDRESS).map(|_| seats.acquire(peer(1)).unwrap()).collect();
        let [busy, silent, stranger, known] = [0, 1, 2, 3];
        all.iter().for_each(ConnectionSlot::begin_request);
        all[known].end_request(true);
        all[stranger].end_request(false);
        assert!(seats.lock().by_number.get_mut(&all[silent].number).map(|held| held.is_busy = false).is_some());
        let mut newer = Vec::new();
        for expected in [silent, stranger, known] {
            let seat = seats.acquire(peer(1)).unwrap();
            seat.begin_request();
            newer.push(seat);
            assert!(all[expected].is_evicted(), "{expected}");
        }
        assert!(!all[busy].is_evicted() && seats.acquire(peer(1)).is_none());
        drop(newer.pop());
        assert!(seats.acquire(peer(1)).is_some(), "a released slot is free");
    }

    #[test]
    fn when_all_slots_are_taken_the_address_with_the_most_loses_one() {
        let seats = Arc::new(ConnectionLimiter::default());
        let few: Vec<ConnectionSlot> = (0..MAX_CONNECTIONS_PER_ADDRESS / 2).map(|_| seats.acquire(peer(9)).unwrap()).collect();
        let rest = MAX_CONNECTIONS - few.len();
        let many: Vec<ConnectionSlot> =
            (0..rest).map(|nth| seats.acquire(peer((nth / MAX_CONNECTIONS_PER_ADDRESS) as u8)).unwrap()).collect();
        assert!(seats.acquire(peer(10)).is_some());
        assert_eq!(
            (few.iter().filter(|seat| seat.is_evicted()).count(), many.iter().filter(|seat| seat.is_evicted()).count()),
            (0, 1)
        );
    }
}

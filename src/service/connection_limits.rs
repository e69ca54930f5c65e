//! Connection limits, per peer and in total, and who is disconnected when they are reached. An idle
//! connection gives way to a new one: first those that never sent a request, then those without a
//! valid token, longest idle first. A connection whose request is in progress is never closed.
//! Requests in progress are limited too: further ones wait for their turn.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::platform::processes::raise_open_file_limit;

use super::api_error::ApiError;

/// Maximum number of connections, if the system allows so many.
const MAX_CONNECTIONS: usize = 12_288;
/// Maximum number of connections per address.
const MAX_CONNECTIONS_PER_ADDRESS: usize = 10_240;
/// Maximum number of requests in progress.
const MAX_REQUESTS: usize = 1024;
/// Maximum number of requests in progress per address.
const MAX_REQUESTS_PER_ADDRESS: usize = 256;
/// From this many addresses on, those without a request are forgotten.
const MAX_ADDRESSES: usize = 16_384;
/// How long a request waits for its turn.
const TURN_TIMEOUT: Duration = Duration::from_secs(10);
/// From this many connections on, the memory of most of them is returned to the system when they
/// end.
const MANY_CONNECTIONS: usize = 1000;
/// Open files that are not connections.
const OTHER_FILES: u64 = 256;

/// All open connections.
pub struct ConnectionLimiter {
    max_connections: usize,
    requests: Arc<Semaphore>,
    /// The turns of each address, which with a trusted proxy is not that of the connection.
    requests_by_address: Mutex<HashMap<IpAddr, Arc<Semaphore>>>,
    open: Mutex<OpenConnections>,
    /// Notified when most of many connections have ended.
    emptied: Notify,
}

#[derive(Default)]
struct OpenConnections {
    last_number: u64,
    /// How many there were at most since most of them ended.
    peak: usize,
    by_number: BTreeMap<u64, OpenConnection>,
    /// How many each peer has.
    by_peer: HashMap<IpAddr, usize>,
}

struct OpenConnection {
    peer: IpAddr,
    /// Whether a request is in progress, whether one was answered, and whether one had a valid
    /// token.
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

/// A request's turn; ends when dropped.
pub struct RequestTurn {
    _of_address: OwnedSemaphorePermit,
    _of_all: OwnedSemaphorePermit,
}

impl Default for ConnectionLimiter {
    fn default() -> Self {
        ConnectionLimiter {
            max_connections: MAX_CONNECTIONS,
            requests: Arc::new(Semaphore::new(MAX_REQUESTS)),
            requests_by_address: Mutex::default(),
            open: Mutex::default(),
            emptied: Notify::new(),
        }
    }
}

impl OpenConnections {
    fn remove(&mut self, number: u64) -> Option<OpenConnection> {
        let removed = self.by_number.remove(&number)?;
        if let Some(count) = self.by_peer.get_mut(&removed.peer) {
            *count -= 1;
            if *count == 0 {
                self.by_peer.remove(&removed.peer);
            }
        }
        Some(removed)
    }

    /// Whether most of many connections have ended, once each time.
    fn record_end(&mut self) -> bool {
        let open = self.by_number.len();
        let has_emptied = self.peak >= MANY_CONNECTIONS && open <= self.peak / 10;
        if has_emptied {
            self.peak = open;
        }
        has_emptied
    }
}

impl ConnectionLimiter {
    /// A limiter for as many connections as this process may have open.
    pub fn for_this_process() -> Self {
        let files = raise_open_file_limit(MAX_CONNECTIONS as u64 + OTHER_FILES);
        // with few files, half of them are connections
        let connections = files.saturating_sub(OTHER_FILES).max(files / 2);
        ConnectionLimiter {
            max_connections: connections as usize,
            ..ConnectionLimiter::default()
        }
    }

    fn lock(&self) -> MutexGuard<'_, OpenConnections> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A slot for a new connection; `None` if all the slots it could take are busy.
    pub fn acquire(self: &Arc<Self>, peer: IpAddr) -> Option<ConnectionSlot> {
        let mut connections = self.lock();
        let full = if connections
            .by_peer
            .get(&peer)
            .is_some_and(|count| *count >= MAX_CONNECTIONS_PER_ADDRESS)
        {
            Some(peer)
        } else if connections.by_number.len() >= self.max_connections {
            connections
                .by_peer
                .iter()
                .max_by_key(|(_, count)| **count)
                .map(|(peer, _)| *peer)
        } else {
            None
        };
        if let Some(peer) = full {
            let waiting = connections
                .by_number
                .iter()
                .filter(|(_, held)| held.peer == peer && !held.is_busy);
            let number = *waiting
                .min_by_key(|(_, held)| {
                    (held.is_authenticated, held.was_answered, held.idle_since)
                })?
                .0;
            if let Some(held) = connections.remove(number) {
                held.eviction.cancel();
            }
        }
        connections.last_number += 1;
        let (number, eviction) = (connections.last_number, CancellationToken::new());
        let held = OpenConnection {
            peer,
            is_busy: false,
            was_answered: false,
            is_authenticated: false,
            idle_since: number,
            eviction: eviction.clone(),
        };
        connections.by_number.insert(number, held);
        *connections.by_peer.entry(peer).or_default() += 1;
        connections.peak = connections.peak.max(connections.by_number.len());
        Some(ConnectionSlot {
            limiter: self.clone(),
            number,
            eviction,
        })
    }

    /// Completes when most of many connections have ended.
    pub async fn emptied(&self) {
        self.emptied.notified().await;
    }

    fn requests_of(&self, address: IpAddr) -> Arc<Semaphore> {
        let mut known = self
            .requests_by_address
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_ADDRESSES {
            known.retain(|_, requests| Arc::strong_count(requests) > 1);
        }
        known
            .entry(address)
            .or_insert_with(|| Arc::new(Semaphore::new(MAX_REQUESTS_PER_ADDRESS)))
            .clone()
    }
}

impl ConnectionSlot {
    /// A request has arrived.
    pub fn begin_request(&self) {
        if let Some(held) = self.limiter.lock().by_number.get_mut(&self.number) {
            held.is_busy = true;
        }
    }

    /// Waits for the turn of a request that has arrived from this address.
    pub async fn request_turn(&self, address: IpAddr) -> Result<RequestTurn, ApiError> {
        let (of_address, of_all) = (
            self.limiter.requests_of(address),
            self.limiter.requests.clone(),
        );
        let turn = async {
            let _of_address = of_address.acquire_owned().await.ok()?;
            Some(RequestTurn {
                _of_address,
                _of_all: of_all.acquire_owned().await.ok()?,
            })
        };
        let waited = tokio::time::timeout(TURN_TIMEOUT, turn).await;
        waited
            .ok()
            .flatten()
            .ok_or_else(|| ApiError::unavailable("too many requests at the same time"))
    }

    /// The request was answered; `is_proven` if its token was valid.
    pub fn end_request(&self, is_proven: bool) {
        let mut connections = self.limiter.lock();
        connections.last_number += 1;
        let since = connections.last_number;
        if let Some(held) = connections.by_number.get_mut(&self.number) {
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
        let mut connections = self.limiter.lock();
        connections.remove(self.number);
        if connections.record_end() {
            self.limiter.emptied.notify_one();
        }
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
        let limiter = Arc::new(ConnectionLimiter::default());
        let greedy: Vec<ConnectionSlot> = (0..MAX_CONNECTIONS_PER_ADDRESS)
            .map(|_| limiter.acquire(peer(1)).unwrap())
            .collect();
        greedy.iter().for_each(ConnectionSlot::begin_request);
        assert!(limiter.acquire(peer(1)).is_none(), "all slots are busy");
        assert!(limiter.acquire(peer(2)).is_some());
    }

    #[test]
    fn idle_connections_are_evicted_unauthenticated_first_and_busy_ones_never() {
        let limiter = Arc::new(ConnectionLimiter::default());
        let all: Vec<ConnectionSlot> = (0..MAX_CONNECTIONS_PER_ADDRESS)
            .map(|_| limiter.acquire(peer(1)).unwrap())
            .collect();
        let [busy, silent, stranger, known] = [0, 1, 2, 3];
        all.iter().for_each(ConnectionSlot::begin_request);
        all[known].end_request(true);
        all[stranger].end_request(false);
        assert!(
            limiter
                .lock()
                .by_number
                .get_mut(&all[silent].number)
                .map(|held| held.is_busy = false)
                .is_some()
        );
        let mut newer = Vec::new();
        for expected in [silent, stranger, known] {
            let slot = limiter.acquire(peer(1)).unwrap();
            slot.begin_request();
            newer.push(slot);
            assert!(all[expected].is_evicted(), "{expected}");
        }
        assert!(!all[busy].is_evicted() && limiter.acquire(peer(1)).is_none());
        drop(newer.pop());
        assert!(
            limiter.acquire(peer(1)).is_some(),
            "a released slot is free"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn the_end_of_most_of_many_connections_is_noticed_and_that_of_a_few_is_not() {
        let limiter = Arc::new(ConnectionLimiter::default());
        let is_noticed = async || {
            tokio::time::timeout(Duration::from_secs(1), limiter.emptied())
                .await
                .is_ok()
        };
        let open = |count: usize| {
            (0..count)
                .map(|_| limiter.acquire(peer(1)).unwrap())
                .collect::<Vec<_>>()
        };
        drop(open(MANY_CONNECTIONS - 1));
        assert!(!is_noticed().await, "a few");
        let mut many = open(MANY_CONNECTIONS);
        many.truncate(MANY_CONNECTIONS / 10 + 1);
        assert!(!is_noticed().await, "not yet most");
        many.pop();
        assert!(is_noticed().await);
        drop(many);
        assert!(!is_noticed().await, "once");
        drop(open(MANY_CONNECTIONS));
        assert!(is_noticed().await, "and again");
    }

    #[tokio::test(start_paused = true)]
    async fn requests_beyond_the_limit_of_an_address_wait_and_others_do_not() {
        let limiter = Arc::new(ConnectionLimiter::default());
        let [greedy, other] = [1, 2].map(|nth| limiter.acquire(peer(nth)).unwrap());
        let mut turns = Vec::new();
        for _ in 0..MAX_REQUESTS_PER_ADDRESS {
            turns.push(greedy.request_turn(peer(1)).await.unwrap());
        }
        let refused = greedy.request_turn(peer(1)).await.err().unwrap();
        assert_eq!(
            (refused.status.as_u16(), refused.retry_after),
            (503, Some(1))
        );
        assert!(other.request_turn(peer(2)).await.is_ok());
        assert!(
            greedy.request_turn(peer(3)).await.is_ok(),
            "another client of the same proxy"
        );
        let waiting = greedy.request_turn(peer(1));
        turns.pop();
        assert!(waiting.await.is_ok());
    }

    #[test]
    fn when_all_slots_are_taken_the_address_with_the_most_loses_one() {
        let limiter = Arc::new(ConnectionLimiter::default());
        let few: Vec<ConnectionSlot> = (0..MAX_CONNECTIONS_PER_ADDRESS / 2)
            .map(|_| limiter.acquire(peer(9)).unwrap())
            .collect();
        let rest = MAX_CONNECTIONS - few.len();
        let many: Vec<ConnectionSlot> = (0..rest)
            .map(|nth| {
                limiter
                    .acquire(peer((nth / MAX_CONNECTIONS_PER_ADDRESS) as u8))
                    .unwrap()
            })
            .collect();
        assert!(limiter.acquire(peer(10)).is_some());
        assert_eq!(
            (
                few.iter().filter(|slot| slot.is_evicted()).count(),
                many.iter().filter(|slot| slot.is_evicted()).count()
            ),
            (0, 1)
        );
    }
}

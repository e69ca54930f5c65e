//! Seats: how many connections there may be, for each peer and in all, and who loses one when they run out. A connection that waits
//! gives way to a new one: first those that never asked anything, then those that never had a valid token, the longest waiting first.
//! A connection whose request is under way is never cut.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

/// Connections at one time.
const ALL: usize = 256;
/// Those of one address among them.
const SHARE: usize = 64;

/// All seats.
#[derive(Default)]
pub struct Seats(Mutex<Taken>);

#[derive(Default)]
struct Taken {
    turn: u64,
    by: BTreeMap<u64, Held>,
}

struct Held {
    peer: IpAddr,
    /// Whether a request is under way, and whether one was answered, and to a valid token.
    is_busy: bool,
    was_answered: bool,
    is_proven: bool,
    /// When it began to wait.
    since: u64,
    vacated: CancellationToken,
}

/// A connection's seat; free again when it is dropped.
pub struct Seat {
    seats: Arc<Seats>,
    number: u64,
    vacated: CancellationToken,
}

impl Seats {
    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A seat for a new connection; none when all that it may have are busy.
    pub fn take(self: &Arc<Self>, peer: IpAddr) -> Option<Seat> {
        let mut taken = self.taken();
        let of = |taken: &Taken, peer: IpAddr| taken.by.values().filter(|held| held.peer == peer).count();
        let full = if of(&taken, peer) >= SHARE {
            Some(peer)
        } else if taken.by.len() >= ALL {
            taken.by.values().map(|held| held.peer).max_by_key(|peer| of(&taken, *peer))
        } else {
            None
        };
        if let Some(peer) = full {
            let waiting = taken.by.iter().filter(|(_, held)| held.peer == peer && !held.is_busy);
            let number = *waiting.min_by_key(|(_, held)| (held.is_proven, held.was_answered, held.since))?.0;
            if let Some(held) = taken.by.remove(&number) {
                held.vacated.cancel();
            }
        }
        taken.turn += 1;
        let (number, vacated) = (taken.turn, CancellationToken::new());
        let held = Held { peer, is_busy: false, was_answered: false, is_proven: false, since: number, vacated: vacated.clone() };
        taken.by.insert(number, held);
        Some(Seat { seats: self.clone(), number, vacated })
    }
}

impl Seat {
    /// A request has come.
    pub fn begin(&self) {
        if let Some(held) = self.seats.taken().by.get_mut(&self.number) {
            held.is_busy = true;
        }
    }

    /// It is answered; its token may have been valid.
    pub fn end(&self, is_proven: bool) {
        let mut taken = self.seats.taken();
        taken.turn += 1;
        let since = taken.turn;
        if let Some(held) = taken.by.get_mut(&self.number) {
            (held.is_busy, held.was_answered, held.since) = (false, true, since);
            held.is_proven |= is_proven;
        }
    }

    /// Returns when the seat is somebody else's.
    pub async fn vacated(&self) {
        self.vacated.cancelled().await;
    }

    /// Whether the seat is somebody else's.
    #[cfg(test)]
    fn is_vacated(&self) -> bool {
        self.vacated.is_cancelled()
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.seats.taken().by.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    #[test]
    fn one_address_never_has_more_than_its_share_and_the_others_have_theirs() {
        let seats = Arc::new(Seats::default());
        let greedy: Vec<Seat> = (0..SHARE).map(|_| seats.take(peer(1)).unwrap()).collect();
        greedy.iter().for_each(Seat::begin);
        assert!(seats.take(peer(1)).is_none(), "all of them are busy");
        assert!(seats.take(peer(2)).is_some());
    }

    #[test]
    fn idle_connections_give_way_those_without_a_valid_token_first_and_busy_ones_never() {
        let seats = Arc::new(Seats::default());
        let all: Vec<Seat> = (0..SHARE).map(|_| seats.take(peer(1)).unwrap()).collect();
        let [busy, silent, stranger, known] = [0, 1, 2, 3];
        all.iter().for_each(Seat::begin);
        all[known].end(true);
        all[stranger].end(false);
        assert!(seats.taken().by.get_mut(&all[silent].number).map(|held| held.is_busy = false).is_some());
        let mut newer = Vec::new();
        for expected in [silent, stranger, known] {
            let seat = seats.take(peer(1)).unwrap();
            seat.begin();
            newer.push(seat);
            assert!(all[expected].is_vacated(), "{expected}");
        }
        assert!(!all[busy].is_vacated() && seats.take(peer(1)).is_none());
        drop(newer.pop());
        assert!(seats.take(peer(1)).is_some(), "a seat that was left is free");
    }

    #[test]
    fn when_all_seats_are_taken_the_address_with_the_most_gives_one() {
        let seats = Arc::new(Seats::default());
        let few: Vec<Seat> = (0..SHARE / 2).map(|_| seats.take(peer(9)).unwrap()).collect();
        let rest = ALL - few.len();
        let many: Vec<Seat> = (0..rest).map(|nth| seats.take(peer((nth / SHARE) as u8)).unwrap()).collect();
        assert!(seats.take(peer(10)).is_some());
        assert_eq!(
            (few.iter().filter(|seat| seat.is_vacated()).count(), many.iter().filter(|seat| seat.is_vacated()).count()),
            (0, 1)
        );
    }
}

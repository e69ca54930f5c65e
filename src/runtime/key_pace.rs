//! Whether keys come faster than anyone reads what lies beside a list: a key that is held down.
//!
//! Keys that wait together are one: a paste is not held. Never here: what is drawn later because of
//! it.

use std::time::Duration;

use tokio::time::Instant;

/// A key is held while keys follow each other within this time; a keyboard repeats at least 20
/// times a second.
const REST_DELAY: Duration = Duration::from_millis(50);

#[derive(Debug, Default)]
pub struct KeyPace {
    /// When the keys that were drawn last arrived.
    drawn: Option<Instant>,
    /// When keys arrived that are not drawn yet.
    waiting: Option<Instant>,
    rests_at: Option<Instant>,
}

impl KeyPace {
    /// A key arrives; returns whether it is held.
    pub fn press(&mut self, now: Instant) -> bool {
        self.waiting = Some(now);
        let is_held = self
            .drawn
            .is_some_and(|last| now.duration_since(last) < REST_DELAY);
        self.rests_at = is_held.then(|| now + REST_DELAY);
        is_held
    }

    /// The frame after all waiting keys is drawn.
    pub fn finish_frame(&mut self) {
        self.drawn = self.waiting.take().or(self.drawn);
    }

    /// When a held key counts as released, unless another arrives before.
    pub fn rests_at(&self) -> Option<Instant> {
        self.rests_at
    }

    pub fn rest(&mut self) {
        self.rests_at = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_held_while_each_comes_soon_after_the_frame_of_the_last() {
        let mut pace = KeyPace::default();
        let start = Instant::now();
        let mut press = |after| {
            let is_held = pace.press(start + Duration::from_millis(after));
            pace.finish_frame();
            (is_held, pace.rests_at().is_some())
        };
        assert_eq!(
            [0, 30, 60, 200, 400]
                .map(&mut press)
                .map(|(is_held, _)| is_held),
            [false, true, true, false, false]
        );
        assert_eq!([430, 600].map(press), [(true, true), (false, false)]);
    }

    #[test]
    fn keys_that_wait_together_are_not_held() {
        let mut pace = KeyPace::default();
        assert!(!(0..200).any(|_| pace.press(Instant::now())));
    }
}

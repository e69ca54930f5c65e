//! Random draws for the sample world, from a seed and nothing else. Never here: a clock or the
//! system's randomness.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use uuid::Uuid;

/// A stream of draws: the same seed and stream give the same draws on every machine.
pub struct SampleRng(ChaCha8Rng);

/// The lowest and the highest number to draw.
pub type Range = (f64, f64);

impl SampleRng {
    /// The stream number `stream` of a seed.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        SampleRng(rng)
    }

    /// Another stream, whose draws depend on those so far.
    pub fn split(&mut self) -> Self {
        SampleRng(ChaCha8Rng::seed_from_u64(self.0.random()))
    }

    /// True with the given probability.
    pub fn random_bool(&mut self, probability: f64) -> bool {
        self.0.random_bool(probability.clamp(0.0, 1.0))
    }

    /// Empties a field with the given probability: an index does not know everything.
    pub fn forget<T: Default>(&mut self, probability: f64, field: &mut T) {
        if self.random_bool(probability) {
            *field = T::default();
        }
    }

    /// A whole number from `low` to `high`, both included.
    pub fn int_between(&mut self, low: i64, high: i64) -> i64 {
        self.0.random_range(low..=high.max(low))
    }

    /// A number from a range.
    pub fn draw_from(&mut self, (low, high): Range) -> f64 {
        low + (high - low) * self.0.random::<f64>()
    }

    /// An exponentially distributed waiting time with the given mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.0.random::<f64>()).max(1e-9).ln()
    }

    /// One of the items; `items` is not empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.0.random_range(0..items.len())]
    }

    /// One of the items, with a preference for the first ones: some firms win more work than
    /// others.
    pub fn pick_skewed<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        let at = self.0.random::<f64>().powf(1.5) * items.len() as f64;
        &items[(at as usize).min(items.len() - 1)]
    }

    /// One of the items, in proportion to their weights.
    pub fn pick_weighted<'a, T>(&mut self, items: &'a [T], weight: impl Fn(&T) -> u32) -> &'a T {
        let total: u32 = items.iter().map(&weight).sum();
        let mut left = self.0.random_range(0..total.max(1));
        let is_drawn = |item: &&T| {
            let drawn = left < weight(item);
            left = left.saturating_sub(weight(item));
            drawn
        };
        items.iter().find(is_drawn).unwrap_or(&items[0])
    }

    /// A new id (UUID version 4).
    pub fn random_id<T: From<Uuid>>(&mut self) -> T {
        let mut bytes = [0; 16];
        self.0.fill_bytes(&mut bytes);
        T::from(uuid::Builder::from_random_bytes(bytes).into_uuid())
    }
}

//! Random draws for the sample world, from a seed and nothing else. Never here: a clock or the
//! system's randomness.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use uuid::Uuid;

/// A stream of draws: the same seed and stream give the same draws on every machine.
pub struct SampleRng(ChaCha8Rng);

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

    /// A whole number from `low` to `high`, both included.
    pub fn int_between(&mut self, low: i64, high: i64) -> i64 {
        self.0.random_range(low..=high.max(low))
    }

    /// A number between `low` and `high`.
    pub fn float_between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.0.random::<f64>()
    }

    /// A number between `low` and `high` (both positive), log-uniformly distributed.
    pub fn log_uniform(&mut self, low: f64, high: f64) -> f64 {
        self.float_between(low.ln(), high.ln()).exp()
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

    /// A random index, in proportion to the weights.
    pub fn weighted_index(&mut self, weights: impl Iterator<Item = u32> + Clone) -> usize {
        let total: u32 = weights.clone().sum();
        let mut left = self.0.random_range(0..total.max(1));
        for (index, weight) in weights.enumerate() {
            if left < weight {
                return index;
            }
            left -= weight;
        }
        0
    }

    /// A new id (UUID version 4).
    pub fn random_id<T: From<Uuid>>(&mut self) -> T {
        let mut bytes = [0; 16];
        self.0.fill_bytes(&mut bytes);
        T::from(uuid::Builder::from_random_bytes(bytes).into_uuid())
    }
}

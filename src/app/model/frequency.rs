//! How often values occur.

use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The values with the number of times that they occur: the most frequent first, equally frequent ones in their order.
pub fn count_values<T: Ord>(values: impl IntoIterator<Item = T>) -> Vec<(T, usize)> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    values.into_iter().for_each(|value| *counts.entry(value).or_default() += 1);
    let mut counts: Vec<(T, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| Reverse(*count));
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_values_come_first_and_equally_frequent_ones_in_their_order() {
        assert_eq!(count_values(["b", "c", "a", "c"]), [("c", 2), ("a", 1), ("b", 1)]);
    }
}

//! Saved searches: searches of the index that the user named, on this machine, with their last
//! counts.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::book::Dataset;
use super::conditions::Conditions;
use super::search::{RecordSource, Search, SortOrder};

/// Most counts that are kept; the oldest is dropped.
const MAX_COUNTS: usize = 30;

/// A search that the user named.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedSearch {
    pub name: String,
    pub dataset: Dataset,
    pub filters: Conditions,
    /// The order; `None` for the route's default.
    pub sort: Option<SortOrder>,
    /// How many rows a question asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    pub saved_at: DateTime<Utc>,
    /// Oldest first.
    #[serde(default)]
    pub counts: Vec<SearchCount>,
}

/// How many rows matched at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchCount {
    /// On the service's clock.
    pub at: DateTime<Utc>,
    pub total: u64,
    /// There were more.
    #[serde(default)]
    pub is_capped: bool,
}

impl NamedSearch {
    pub fn source(&self) -> RecordSource {
        RecordSource::Index(self.dataset.clone())
    }

    pub fn search(&self) -> Search {
        Search {
            filters: self.filters.clone(),
            sort: self.sort.clone(),
            limit: self.limit,
            ..Search::default()
        }
    }

    /// Whether it searches for the same, in the same order.
    pub fn is_search(&self, source: &RecordSource, search: &Search) -> bool {
        self.source() == *source && self.search() == *search
    }

    pub fn last_count(&self) -> Option<&SearchCount> {
        self.counts.last()
    }

    /// Adds a count, unless it is already there.
    pub fn add_count(&mut self, count: SearchCount) {
        if self.last_count().is_some_and(|last| last.at >= count.at) {
            return;
        }
        self.counts.push(count);
        let most = self.counts.len().saturating_sub(MAX_COUNTS);
        self.counts.drain(..most);
    }

    /// How many rows more or fewer match than at the last count of an earlier day, or than at the
    /// first one of the day, and since when. `None` without two counts, and if the service stopped
    /// counting.
    pub fn change(&self) -> Option<(i64, DateTime<Utc>)> {
        let (last, before) = self.counts.split_last()?;
        let earlier = before
            .iter()
            .rev()
            .find(|count| count.at.date_naive() < last.at.date_naive());
        let than = earlier.or(before.first())?;
        let difference = i64::try_from(last.total).ok()? - i64::try_from(than.total).ok()?;
        (!last.is_capped && !than.is_capped).then_some((difference, than.at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(counts: &[(&str, u64)]) -> NamedSearch {
        let saved_at = "2026-07-08T09:00:00Z".parse().unwrap();
        let mut search = NamedSearch {
            name: "Austin".to_owned(),
            dataset: Dataset::Projects,
            filters: Conditions::default(),
            sort: None,
            limit: None,
            saved_at,
            counts: Vec::new(),
        };
        for (at, total) in counts {
            search.add_count(SearchCount {
                at: at.parse().unwrap(),
                total: *total,
                is_capped: false,
            });
        }
        search
    }

    #[test]
    fn a_count_is_compared_with_that_of_the_day_before() {
        let change = |counts: &[(&str, u64)]| {
            search(counts)
                .change()
                .map(|(by, since)| (by, since.to_rfc3339()))
        };
        let yesterday = ("2026-07-08T17:00:00Z", 43);
        assert_eq!(change(&[yesterday]), None);
        let since = |time: &str| time.replace('Z', "+00:00");
        assert_eq!(
            change(&[yesterday, ("2026-07-09T08:00:00Z", 47)]),
            Some((4, since(yesterday.0)))
        );
        let twice = [
            yesterday,
            ("2026-07-09T08:00:00Z", 47),
            ("2026-07-09T09:00:00Z", 46),
        ];
        assert_eq!(
            change(&twice),
            Some((3, since(yesterday.0))),
            "counting twice a day does not hide what is new"
        );
        assert_eq!(
            change(&twice[1..]),
            Some((-1, since("2026-07-09T08:00:00Z")))
        );
    }

    #[test]
    fn a_capped_count_has_no_change_and_the_same_count_is_kept_once() {
        let mut search = search(&[("2026-07-08T17:00:00Z", 43), ("2026-07-08T17:00:00Z", 43)]);
        assert_eq!(search.counts.len(), 1);
        search.add_count(SearchCount {
            at: "2026-07-09T08:00:00Z".parse().unwrap(),
            total: 1000,
            is_capped: true,
        });
        assert_eq!(search.change(), None);
    }
}

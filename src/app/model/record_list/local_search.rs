//! Searches and orders that rows of a list which was read completely can answer: they cost nothing.

use chrono::{DateTime, Utc};

use super::RecordList;
use super::sorting::sort_rows;
use crate::app::format::{format_count, pluralize};
use crate::app::model::load_state::LoadState;
use crate::app::model::record_list::columns::find_column;
use crate::domain::conditions::Conditions;
use crate::domain::conditions::record_test::{matches_condition, remaining_conditions};
use crate::domain::field_kind::ListSort;
use crate::domain::records::Record;
use crate::domain::search::{RecordSource, Search, SortOrder};
use crate::ui::scroll::ScrollState;

/// What the rows of a complete list say to a search.
#[derive(Clone, Debug)]
pub struct LocalAnswer {
    pub rows: Vec<Record>,
    /// How many rows were searched.
    pub searched: usize,
    /// When they were read.
    pub read_at: DateTime<Utc>,
}

impl LocalAnswer {
    /// What applying the search shows.
    pub fn label(&self) -> String {
        let found = format_count(self.rows.len() as u64);
        format!(
            " shows {found} of the {}, 0 cr",
            pluralize(self.searched, "loaded row")
        )
    }
}

/// All rows of a search.
pub(super) struct CompleteRows<'a> {
    pub search: &'a Search,
    pub rows: &'a [Record],
    pub read_at: DateTime<Utc>,
}

impl RecordList {
    /// Whether all rows of its search are loaded.
    pub fn is_complete(&self) -> bool {
        let is_whole = self
            .total
            .is_none_or(|total| total <= self.rows.len() as u64);
        self.load == LoadState::Ready
            && self.next_page.is_none()
            && self.unreadable == 0
            && is_whole
    }

    /// The rows of a search, if those of a complete list include them and can be tested for the
    /// rest of it.
    pub fn local_answer(&self, search: &Search) -> Option<LocalAnswer> {
        let shown = self
            .read_at
            .filter(|_| self.is_complete() && self.searched.is_none());
        let shown = shown.map(|read_at| CompleteRows {
            search: &self.loaded_search,
            rows: &self.rows,
            read_at,
        });
        let all = shown.into_iter().chain(
            self.cached_searches
                .iter()
                .filter_map(|cached| cached.complete_rows()),
        );
        all.filter_map(|all| answer(&self.source, &all, search))
            .max_by_key(|answer| answer.read_at)
    }

    /// Shows what the rows of a complete list say to a search.
    pub fn show_local_answer(&mut self, search: Search, answer: LocalAnswer) {
        self.cache_current_rows();
        self.pending_read = None;
        self.total = Some(answer.rows.len() as u64);
        (
            self.is_capped,
            self.unreadable,
            self.rows_cost,
            self.next_page,
        ) = (false, 0, 0, None);
        (self.searched, self.read_at, self.load) = (
            Some(answer.searched),
            Some(answer.read_at),
            LoadState::Ready,
        );
        (self.lines.scroll, self.range_anchor) = (ScrollState::default(), None);
        (self.loaded_search, self.search) = (search.clone(), search);
        self.rows = answer.rows;
        self.rebuild_index();
        self.check_order();
        self.marks.retain(|id| self.row_indexes.contains_key(id));
    }

    /// How many loaded rows the shown ones were found among, if the service was not asked.
    pub fn searched_rows(&self) -> Option<usize> {
        self.searched
    }
}

fn filters_of(search: &Search) -> Option<Conditions> {
    match &search.raw_filters {
        Some(raw) => Conditions::from_json(raw).ok(),
        None => Some(search.filters.clone()),
    }
}

fn answer(source: &RecordSource, all: &CompleteRows<'_>, search: &Search) -> Option<LocalAnswer> {
    // Words are compared by rules of the service.
    if !search.query.is_empty() && search.query != all.search.query
        || search.query.is_empty() && !all.search.query.is_empty()
    {
        return None;
    }
    let (wider, narrower) = (filters_of(all.search)?, filters_of(search)?);
    let criteria = remaining_conditions(&wider, &narrower)?;
    let mut rows = Vec::new();
    for row in all.rows {
        let mut is_match = true;
        for (key, filter) in &criteria {
            is_match &= matches_condition(row, key, filter)?;
        }
        if is_match {
            rows.push(row.clone());
        }
    }
    if search.sort != all.search.sort {
        let sort = local_sort(source, search.sort.as_ref())?;
        if rows.iter().any(|row| row.field_json(sort.key).is_none()) {
            return None;
        }
        let order = sort_rows(&rows, sort);
        rows = order.into_iter().map(|row| rows[row].clone()).collect();
    }
    Some(LocalAnswer {
        rows,
        searched: all.rows.len(),
        read_at: all.read_at,
    })
}

/// The order of a request, or of its route, as an order of loaded rows.
fn local_sort(source: &RecordSource, sort: Option<&SortOrder>) -> Option<ListSort> {
    let usual = source.sort_keys().first().map(|(field, up)| (*field, *up));
    let (field, is_ascending) = sort
        .map(|sort| (sort.field.as_str(), sort.ascending))
        .or(usual)?;
    let sort = find_column(source, field)?.usual_sort();
    Some(ListSort {
        is_descending: !is_ascending,
        ..sort
    })
}

//! The body of a search: the same for the index, the book and the records of a View (interface: Workspace: book searches).

use serde_json::{Map, Value, json};

use crate::domain::filters::Filters;

/// The most rows of one page (Limits: page size).
pub const PAGE_MAX: u32 = 100;

/// What is searched for. A row costs a credit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Search {
    /// A text; empty for none. The index takes none.
    pub query: String,
    /// Criteria.
    pub filters: Filters,
    /// Criteria as JSON, instead of [`Search::filters`].
    pub raw_filters: Option<Value>,
    /// The order; the route's own when absent.
    pub sort: Option<Sort>,
}

/// An order. The direction is always sent: the interface's default is descending even for names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sort {
    /// A sort key of the route.
    pub field: String,
    /// From the least on.
    pub ascending: bool,
}

impl Search {
    /// The body without its place in the list: paging adds that.
    pub(super) fn body(&self) -> Value {
        let mut body = Map::new();
        if !self.query.trim().is_empty() {
            body.insert("query".to_owned(), self.query.trim().into());
        }
        let filters = self.raw_filters.clone().or_else(|| (!self.filters.is_empty()).then(|| self.filters.to_json()));
        if let Some(filters) = filters {
            body.insert("filters".to_owned(), filters);
        }
        if let Some(sort) = &self.sort {
            body.insert("sort".to_owned(), json!({"field": sort.field, "order": if sort.ascending { "asc" } else { "desc" }}));
        }
        Value::Object(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_asked_is_not_sent_and_an_order_is_never_half() {
        assert_eq!(Search::default().body(), json!({}));
        let sort = Some(Sort { field: "name".to_owned(), ascending: true });
        let search =
            Search { query: " yard ".to_owned(), filters: Filters::parse(["city=Austin"]).unwrap(), sort, ..Search::default() };
        let expected =
            json!({"query": "yard", "filters": {"city": {"value": "Austin"}}, "sort": {"field": "name", "order": "asc"}});
        assert_eq!(search.body(), expected);
    }
}

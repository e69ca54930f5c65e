//! The body of a search: the same for the index, the book and the records of a View (interface:
//! Workspace: book searches).

use serde_json::{Map, Value, json};

use crate::domain::search::{RecordSource, Search};

use super::{Request, book, data, views};

/// The largest offset of a search (interface: Limits).
pub(super) const MAX_OFFSET: u32 = 10_000;
/// Prefix of a cursor made by gantry, not by the service.
const OFFSET_PREFIX: &str = "gantry-offset=";

/// The cursor after `offset` rows, for a service that returns no cursors.
pub(super) fn offset_cursor(offset: u32) -> String {
    format!("{OFFSET_PREFIX}{offset}")
}

/// One page of a search by cursor; 1 credit per row. If the service returned no cursor, the cursor
/// is an offset.
pub fn search_page(
    source: &RecordSource,
    search: &Search,
    after: Option<&str>,
    limit: u32,
) -> Request {
    let mut request = match source {
        RecordSource::Index(dataset) => data::search(dataset, search),
        RecordSource::Book(kind) => book::search(kind, search),
        RecordSource::View(view, _) => views::search_records(*view, search),
    };
    if let Some(body) = request.body.as_mut().and_then(Value::as_object_mut) {
        body.insert("limit".to_owned(), limit.into());
        let offset = |place: &str| place.strip_prefix(OFFSET_PREFIX)?.parse::<u32>().ok();
        body.extend(after.map(|place| match offset(place) {
            Some(offset) => ("offset".to_owned(), offset.into()),
            None => ("search_after".to_owned(), place.into()),
        }));
    }
    request
}

/// The body without its position; paging adds that.
pub(super) fn search_body(search: &Search) -> Value {
    let mut body = Map::new();
    if !search.query.trim().is_empty() {
        body.insert("query".to_owned(), search.query.trim().into());
    }
    if let Some(filters) = search.criteria() {
        body.insert("filters".to_owned(), filters);
    }
    if let Some(sort) = &search.sort {
        body.insert(
            "sort".to_owned(),
            json!({"field": sort.field, "order": if sort.ascending { "asc" } else { "desc" }}),
        );
    }
    Value::Object(body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::conditions::Conditions;
    use crate::domain::search::SortOrder;

    #[test]
    fn empty_fields_are_not_sent_and_a_sort_always_has_field_and_order() {
        assert_eq!(search_body(&Search::default()), json!({}));
        let sort = Some(SortOrder {
            field: "name".to_owned(),
            ascending: true,
        });
        let search = Search {
            query: " yard ".to_owned(),
            filters: Conditions::parse(["city=Austin"]).unwrap(),
            sort,
            ..Search::default()
        };
        let expected = json!({"query": "yard", "filters": {"city": {"value": "Austin"}}, "sort": {"field": "name", "order": "asc"}});
        assert_eq!(search_body(&search), expected);
    }
}

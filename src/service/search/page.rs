//! One page of a search: the request's body, the cursor where it begins, the records of its rows and
//! what the response says about them.

use serde_json::{Value, json};

use super::column_search::{self, FoundRows};
use super::cursor::CursorKey;
use super::definition::ViewDefinition;
use super::grammar::{self, SearchRequest};
use super::{SearchContext, SearchMetadata, SearchResults, SearchScope, as_of};
use crate::service::api_error::ApiError;
use crate::service::dataset::Dataset;
use crate::service::db::projection::{self, Projection};
use crate::service::db::{Conn, project_status};

/// The highest total that is reported (interface: Limits).
const MAX_REPORTED_TOTAL: u32 = 1000;
/// Runs a search.
pub fn find_page(
    conn: &Conn,
    call: &SearchContext<'_>,
    body: &Value,
) -> Result<SearchResults, ApiError> {
    let mut request = grammar::parse_request(call, body)?;
    let tied = cursor_binding(call, &request);
    let definition;
    let mut call = *call;
    if project_status::has_future_signals(conn, call.now)? {
        request.filters = as_of::restrict_as_of(call.dataset, request.filters, call.now);
        if let SearchScope::Dynamic(view, stored) = call.scope {
            definition = ViewDefinition(as_of::restrict_as_of(
                call.dataset,
                stored.0.clone(),
                call.now,
            ));
            call.scope = SearchScope::Dynamic(view, &definition);
        }
    }
    let call = &call;
    let after = match &request.search_after {
        None => None,
        Some(cursor) => Some(CursorKey::load(conn, call.columns)?.verify(cursor, &tied).ok_or_else(|| {
            let message = "is not a cursor of this search: repeat the filters, query and sort it was returned for";
            ApiError::invalid_field("not_allowed", &["search_after".into()], message, Value::Null)
        })?),
    };
    let FoundRows {
        rowids,
        last,
        total,
    } = column_search::find_rows(conn, call, &request, after.as_ref())?;
    let last = match last {
        Some(place) => Some(CursorKey::load(conn, call.columns)?.sign(&place, &tied)),
        None => None,
    };
    let rows = row_projection(call).read_rowids(conn, call.workspace, call.now, &rowids)?;
    let metadata = SearchMetadata {
        total: total.min(MAX_REPORTED_TOTAL),
        total_is_capped: total > MAX_REPORTED_TOTAL,
        limit: request.limit,
        offset: request.offset,
        search_after: last,
        credits: rows.len() as u32,
    };
    Ok(SearchResults { rows, metadata })
}

/// The projection of a search's rows.
fn row_projection(call: &SearchContext<'_>) -> &'static Projection {
    use SearchScope::{Book, Data, Dynamic, Static};
    match (call.dataset, &call.scope) {
        (Dataset::Signals, _) => &projection::SIGNAL,
        (Dataset::Accounts, Data) => &projection::DATA_ACCOUNT,
        (Dataset::Contacts, Data) => &projection::DATA_CONTACT,
        (Dataset::Projects, Data) => &projection::DATA_PROJECT,
        (Dataset::Accounts, Book) => &projection::BOOK_ACCOUNT_ROW,
        (Dataset::Contacts, Book) => &projection::BOOK_CONTACT_ROW,
        (Dataset::Projects, Book) => &projection::BOOK_PROJECT_ROW,
        (Dataset::Accounts, Static(_) | Dynamic(..)) => &projection::VIEW_ACCOUNT_ROW,
        (Dataset::Contacts, Static(_) | Dynamic(..)) => &projection::VIEW_CONTACT_ROW,
        (Dataset::Projects, Static(_) | Dynamic(..)) => &projection::VIEW_PROJECT_ROW,
    }
}

/// What a cursor of this search is tied to.
fn cursor_binding(call: &SearchContext<'_>, request: &SearchRequest) -> String {
    let base = match &call.scope {
        SearchScope::Data => json!("data"),
        SearchScope::Book => json!("book"),
        SearchScope::Static(view) | SearchScope::Dynamic(view, _) => json!(view),
    };
    let sort = request.sort.map(|(key, direction)| (key.key, direction));
    format!(
        "{base} {} {} {:?} {sort:?} {:?}",
        call.workspace,
        call.dataset.plural(),
        request.query,
        request.filters
    )
}

//! `POST /data/{dataset}/search`: searches the index by filters, one credit per row (interface:
//! Data API, Filter grammar).

use crate::service::api_error::ApiError;
use crate::service::dataset::Dataset;
use crate::service::db::Conn;
use crate::service::request::AuthorizedRequest;
use crate::service::response::ApiResponse;
use crate::service::search::{self, SearchContext, SearchScope};

pub fn search(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let dataset = Dataset::from_plural(ask.path_param("dataset"))
        .ok_or_else(|| ApiError::not_found("no such dataset"))?;
    let found = search::run_search(
        conn,
        &search_context(ask, dataset, SearchScope::Data),
        &ask.body,
    )?;
    ApiResponse::with_metadata(&found.rows, &found.metadata, found.metadata.credits)
}

/// A search in this scope, for whoever makes the request.
pub fn search_context<'a>(
    ask: &'a AuthorizedRequest,
    dataset: Dataset,
    scope: SearchScope<'a>,
) -> SearchContext<'a> {
    SearchContext {
        workspace: ask.access.workspace,
        now: ask.now,
        columns: &ask.columns,
        dataset,
        scope,
    }
}

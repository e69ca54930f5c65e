//! `GET /data/{dataset}/{id}`: a record of the index with what `include` requests (interface: Data
//! API).

use super::data_search::search_context;
use crate::service::api_error::ApiError;
use crate::service::dataset::Dataset;
use crate::service::db::Conn;
use crate::service::db::projection::{DATA_ACCOUNT, DATA_CONTACT, DATA_PROJECT, SIGNAL};
use crate::service::request::AuthorizedRequest;
use crate::service::response::ApiResponse;
use crate::service::search::{SearchScope, includes};
use crate::service::validation::InputValue;

/// A record of the index. One credit, whatever is included.
pub fn show(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let dataset = Dataset::from_plural(ask.path_param("dataset"))
        .ok_or_else(|| ApiError::not_found("no such dataset"))?;
    let shape = match dataset {
        Dataset::Accounts => &DATA_ACCOUNT,
        Dataset::Contacts => &DATA_CONTACT,
        Dataset::Projects => &DATA_PROJECT,
        Dataset::Signals => &SIGNAL,
    };
    let missing = || ApiError::not_found("no such record");
    let included = include_keys(ask, dataset)?;
    let id = ask.path_id("id", missing)?;
    let call = search_context(ask, dataset, SearchScope::Data);
    let record = shape
        .read_record(conn, ask.access.workspace, ask.now, id)?
        .ok_or_else(missing)?;
    ApiResponse::with_credits(
        includes::embed_includes(conn, &call, &record, id, &included)?,
        1,
    )
}

/// What `include` requests, without duplicates: repeated parameters or comma-separated lists.
pub fn include_keys(
    ask: &AuthorizedRequest,
    dataset: Dataset,
) -> Result<Vec<&'static str>, ApiError> {
    let (allowed, mut included) = (includes::include_keys(dataset), Vec::new());
    for text in ask
        .query_values("include")
        .flat_map(|list| list.split(','))
        .map(str::trim)
        .filter(|key| !key.is_empty())
    {
        let key = InputValue {
            value: &text.into(),
            path: vec!["include".into()],
        }
        .one_of(&allowed)?;
        if !included.contains(&key) {
            included.push(key);
        }
    }
    Ok(included)
}

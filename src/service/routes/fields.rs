//! Field discovery: what a dataset of the Data API can be filtered by (interface: Data API;
//! decisions 2.16).

use serde_json::json;

use crate::service::api_error::ApiError;
use crate::service::dataset::Dataset;
use crate::service::db::Conn;
use crate::service::request::AuthorizedRequest;
use crate::service::response::ApiResponse;
use crate::service::search::fields::{FilterDialect, filter_keys};
use crate::service::search::vocabulary::{FilterEntity, describe_key};

/// All fields of a dataset.
pub fn search(_: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let at = ask.body_object(&["dataset"])?.required_field("dataset")?;
    let word = at.one_of(&Dataset::ALL.map(Dataset::plural))?;
    let dataset =
        Dataset::from_plural(word).ok_or_else(|| ApiError::not_found("no such dataset"))?;
    ApiResponse::from_data(
        json!({"dataset": word, "fields": FilterEntity::Records(dataset, FilterDialect::Data).fields()}),
    )
}

pub fn show(_: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let dataset = Dataset::from_plural(ask.path_param("dataset"))
        .ok_or_else(|| ApiError::not_found("no such dataset"))?;
    let known = filter_keys(dataset, FilterDialect::Data)
        .into_iter()
        .find(|field| field.key == ask.path_param("key"));
    let field = known.ok_or_else(|| ApiError::not_found("no such field"))?;
    ApiResponse::from_data(describe_key(field, FilterDialect::Data))
}

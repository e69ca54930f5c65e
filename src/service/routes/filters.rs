//! Filter entities: their fields, and questions in plain words translated to filters (interface:
//! Data API; decisions 2.17).

use serde_json::json;

use crate::service::api_error::ApiError;
use crate::service::db::Conn;
use crate::service::request::AuthorizedRequest;
use crate::service::response::ApiResponse;
use crate::service::search::natural_language;
use crate::service::search::vocabulary::FilterEntity;

/// Maximum length of a question, in characters.
const MAX_QUESTION_CHARS: usize = 500;

/// The fields of an entity.
pub fn show(_: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let missing = || {
        ApiError::invalid_field(
            "required",
            &["entity".into()],
            "is required in the query",
            serde_json::Value::Null,
        )
    };
    let name = ask.query_values("entity").last().ok_or_else(missing)?;
    let entity = FilterEntity::from_name(name).ok_or_else(unknown_entity)?;
    ApiResponse::from_data(json!({"entity": name, "fields": entity.fields()}))
}

/// Translates a question to filters, and returns the words that were not understood.
pub fn translate(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let form = ask.body_object(&["entity", "query", "workspace_id"])?;
    let name = form.required_field("entity")?.text().map(str::to_owned)?;
    let question = form
        .required_field("query")?
        .text_of_length(1, MAX_QUESTION_CHARS)
        .map(str::to_owned)?;
    let entity = FilterEntity::from_name(&name).ok_or_else(unknown_entity)?;
    let found = natural_language::translate(conn, entity, &question, ask.now)?;
    let mut explanation = match found.understood.as_slice() {
        [] => "Nothing was understood: no filter is set.".to_owned(),
        understood => format!("Translated by rules: {}.", understood.join("; ")),
    };
    if !found.unmatched.is_empty() && !found.understood.is_empty() {
        explanation.push_str(" Not understood: ");
        explanation.push_str(&found.unmatched.join(", "));
        explanation.push('.');
    }
    let sort = found.sort.map(|(field, ascending)| json!({"field": field, "order": if ascending { "asc" } else { "desc" }}));
    ApiResponse::from_data(
        json!({"entity": name, "filters": found.filters, "sort": sort, "limit": found.limit, "explanation": explanation, "unmatched": found.unmatched}),
    )
}

fn unknown_entity() -> ApiError {
    ApiError::not_found("no such filter entity")
}

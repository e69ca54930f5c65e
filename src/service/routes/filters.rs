//! Filter entities: their fields, and questions in plain words translated to filters (interface:
//! Data API; decisions 2.17).

use serde_json::{Value, json};

use crate::domain::conditions::{Conditions, Test};
use crate::domain::search::SortOrder;
use crate::domain::sentence::describe_search;
use crate::domain::vocabulary::Vocabulary;
use crate::service::api_error::ApiError;
use crate::service::db::Conn;
use crate::service::request::AuthorizedRequest;
use crate::service::response::ApiResponse;
use crate::service::search::natural_language::{self, FilterTranslation};
use crate::service::search::vocabulary::{FilterEntity, SKILL_ENUMS};

/// Maximum length of a question, in characters.
const MAX_QUESTION_CHARS: usize = 500;

/// The fields of an entity.
pub fn show(_: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let missing = || {
        ApiError::invalid_field(
            "required",
            &["entity".into()],
            "is required in the query",
            Value::Null,
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
    let fields = json!(entity.fields());
    let records = format!("{}s", name.trim_end_matches('s'));
    let sentence = describe_search(&records, &found.filters, "", &Vocabulary::from(fields));
    let explanation = match found.filters.is_empty() && found.sort.is_none() {
        true if !found.unmatched.is_empty() => {
            "Nothing was understood: no filter is set.".to_owned()
        }
        _ => explain(&found, &sentence),
    };
    let sort = found.sort.map(|(field, ascending)| json!({"field": field, "order": if ascending { "asc" } else { "desc" }}));
    let filters = match entity {
        FilterEntity::Records(..) => found.filters.to_json(),
        FilterEntity::Skill => write_skill_filters(&found.filters),
    };
    ApiResponse::from_data(
        json!({"entity": name, "filters": filters, "sort": sort, "limit": found.limit, "explanation": explanation, "unmatched": found.unmatched}),
    )
}

/// What was understood of a question, and what was not.
fn explain(found: &FilterTranslation, sentence: &str) -> String {
    let mut explanation = format!("Translated by rules: {sentence}");
    if let Some((field, ascending)) = found.sort {
        let field = field.to_owned();
        let order = SortOrder { field, ascending }.describe();
        explanation.push_str(&match found.limit {
            Some(count) => format!(" The first {count}, {order}."),
            None => format!(" Order: {order}."),
        });
    }
    if !found.unmatched.is_empty() {
        let unmatched = found.unmatched.join(", ");
        explanation.push_str(&format!(" Not understood: {unmatched}."));
    }
    explanation
}

/// The filters of Skills are bare values; both values of a key that takes one are no filter.
fn write_skill_filters(filters: &Conditions) -> Value {
    let values = filters
        .criteria()
        .iter()
        .filter_map(|(key, filter)| match filter {
            Test::Values { values, .. } => Some((key, values)),
            _ => None,
        });
    let is_multi = |key: &str| {
        SKILL_ENUMS
            .iter()
            .any(|(one, _, multi)| *one == key && *multi)
    };
    let written = values.filter_map(|(key, values)| match values.as_slice() {
        values if is_multi(key) => Some((key.clone(), json!(values))),
        [value] => Some((key.clone(), value.clone())),
        _ => None,
    });
    Value::Object(written.collect())
}

fn unknown_entity() -> ApiError {
    ApiError::not_found("no such filter entity")
}

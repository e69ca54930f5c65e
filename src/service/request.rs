//! A request as a handler sees it: past the gates, with its path, its query and its body ready to be read.

use chrono::{DateTime, Utc};
use serde_json::Value;
use uuid::Uuid;

use super::api_error::ApiError;
use super::auth::Access;
use super::validation::{InputObject, InputValue};

/// A request that passed the gates.
#[derive(Clone, Debug)]
pub struct AuthorizedRequest {
    /// Who asks, for which workspace.
    pub access: Access,
    /// What the service's clock showed when it came.
    pub now: DateTime<Utc>,
    /// The parts of the path that the route names.
    pub path: Vec<(String, String)>,
    /// The query's parameters, in order.
    pub query: Vec<(String, String)>,
    /// The body; `null` when there was none.
    pub body: Value,
    /// The `Idempotency-Key` header.
    pub idempotency_key: Option<String>,
}

/// The page of a list that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageParams {
    /// At most this many rows.
    pub limit: i64,
    /// After this many.
    pub offset: i64,
}

impl AuthorizedRequest {
    /// A part of the path.
    pub fn path_param(&self, name: &str) -> &str {
        self.path.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    /// A part of the path that is an id; `missing` is the family's 404 for one that is none.
    pub fn path_id<T: From<Uuid>>(&self, name: &str, missing: impl FnOnce() -> ApiError) -> Result<T, ApiError> {
        Uuid::try_parse(self.path_param(name)).map(T::from).map_err(|_| missing())
    }

    /// The body as an object with no other keys than these.
    pub fn body_object(&self, keys: &[&str]) -> Result<InputObject<'_>, ApiError> {
        InputValue::root(&self.body).object()?.reject_unknown_keys(keys)
    }

    /// A parameter of the query, read by the same rules as a field of a body. The last of several counts.
    pub fn query_param<T>(
        &self,
        name: &str,
        read: impl FnOnce(InputValue<'_>) -> Result<T, ApiError>,
    ) -> Result<Option<T>, ApiError> {
        let Some(text) = self.query_values(name).last() else { return Ok(None) };
        let value = Value::from(text);
        read(InputValue { value: &value, path: vec![name.into()] }).map(Some)
    }

    /// All values of a repeatable parameter.
    pub fn query_values(&self, name: &str) -> impl Iterator<Item = &str> {
        self.query.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// All values of a repeatable parameter, each one of the words that are allowed.
    pub fn query_enums<'w>(&self, name: &str, allowed: &[&'w str]) -> Result<Vec<&'w str>, ApiError> {
        self.query_values(name)
            .map(|text| {
                let value = Value::from(text);
                InputValue { value: &value, path: vec![name.into()] }.one_of(allowed)
            })
            .collect()
    }

    /// `limit` and `offset` of the query.
    pub fn page_params(&self, default: i64, max: i64) -> Result<PageParams, ApiError> {
        let number = |name: &str, min: i64, max: i64| {
            self.query_param(name, |at| {
                let value = at.text()?.parse::<i64>().map_or(Value::Null, Value::from);
                InputValue { value: &value, path: at.path.clone() }.integer(min, max)
            })
        };
        Ok(PageParams { limit: number("limit", 1, max)?.unwrap_or(default), offset: number("offset", 0, i64::MAX)?.unwrap_or(0) })
    }
}

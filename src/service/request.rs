//! A request as handlers see it: authorized, with its path, query and body ready to be read.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::Value;
use uuid::Uuid;

use super::api_error::ApiError;
use super::auth::Access;
use super::db::columns::ColumnCache;
use super::db::join_codes::JoinAddress;
use super::validation::{InputObject, InputValue};

/// An authorized request.
#[derive(Clone, Debug)]
pub struct AuthorizedRequest {
    /// The caller and the workspace.
    pub access: Access,
    /// The service's time when the request arrived.
    pub now: DateTime<Utc>,
    /// The path parameters.
    pub path: Vec<(String, String)>,
    /// The query parameters, in order.
    pub query: Vec<(String, String)>,
    /// The body; `null` if there was none.
    pub body: Value,
    /// The most items that the body may list; only a route with a limit lists any.
    pub max_items: usize,
    pub idempotency_key: Option<String>,
    /// What searches keep in memory.
    pub columns: Arc<ColumnCache>,
    /// Where this service is reached by those who join.
    pub join_address: Option<Arc<JoinAddress>>,
}

/// The requested page of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageParams {
    /// Maximum number of rows.
    pub limit: i64,
    /// Number of rows to skip.
    pub offset: i64,
}

impl AuthorizedRequest {
    /// A path parameter.
    pub fn path_param(&self, name: &str) -> &str {
        self.path
            .iter()
            .find(|(key, _)| key == name)
            .map_or("", |(_, value)| value)
    }

    /// A path parameter that is an id; `missing` is the family's 404 for one that is not.
    pub fn path_id<T: From<Uuid>>(
        &self,
        name: &str,
        missing: impl FnOnce() -> ApiError,
    ) -> Result<T, ApiError> {
        Uuid::try_parse(self.path_param(name))
            .map(T::from)
            .map_err(|_| missing())
    }

    /// The body as an object with no keys but these.
    pub fn body_object(&self, keys: &[&str]) -> Result<InputObject<'_>, ApiError> {
        InputValue::root(&self.body)
            .object()?
            .reject_unknown_keys(keys)
    }

    /// A query parameter, read by the same rules as a field of a body. If it is repeated, the last
    /// one counts.
    pub fn query_param<T>(
        &self,
        name: &str,
        read: impl FnOnce(InputValue<'_>) -> Result<T, ApiError>,
    ) -> Result<Option<T>, ApiError> {
        let Some(text) = self.query_values(name).last() else {
            return Ok(None);
        };
        let value = Value::from(text);
        read(InputValue {
            value: &value,
            path: vec![name.into()],
        })
        .map(Some)
    }

    /// All values of a repeatable parameter.
    pub fn query_values(&self, name: &str) -> impl Iterator<Item = &str> {
        self.query
            .iter()
            .filter(move |(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// All values of a repeatable parameter, each one of the allowed words.
    pub fn query_enums<'w>(
        &self,
        name: &str,
        allowed: &[&'w str],
    ) -> Result<Vec<&'w str>, ApiError> {
        self.query_values(name)
            .map(|text| {
                let value = Value::from(text);
                InputValue {
                    value: &value,
                    path: vec![name.into()],
                }
                .one_of(allowed)
            })
            .collect()
    }

    /// `limit` and `offset` from the query.
    pub fn page_params(&self, default: i64, max: i64) -> Result<PageParams, ApiError> {
        let number = |name: &str, min: i64, max: i64| {
            self.query_param(name, |at| {
                let value = at.text()?.parse::<i64>().map_or(Value::Null, Value::from);
                InputValue {
                    value: &value,
                    path: at.path.clone(),
                }
                .integer(min, max)
            })
        };
        Ok(PageParams {
            limit: number("limit", 1, max)?.unwrap_or(default),
            offset: number("offset", 0, i64::MAX)?.unwrap_or(0),
        })
    }
}

//! A request as a handler sees it: past the gates, with its path, its query and its body ready to be read.

use chrono::{DateTime, Utc};
use serde_json::Value;
use uuid::Uuid;

use super::form::{At, Form};
use super::gate::Access;
use super::refusal::Refusal;

/// A request that passed the gates.
#[derive(Clone, Debug)]
pub struct Ask {
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
pub struct Slice {
    /// At most this many rows.
    pub limit: i64,
    /// After this many.
    pub offset: i64,
}

impl Ask {
    /// A part of the path.
    pub fn part(&self, name: &str) -> &str {
        self.path.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    /// A part of the path that is an id; `missing` is the family's 404 for one that is none.
    pub fn id<T: From<Uuid>>(&self, name: &str, missing: impl FnOnce() -> Refusal) -> Result<T, Refusal> {
        Uuid::try_parse(self.part(name)).map(T::from).map_err(|_| missing())
    }

    /// The body as an object with no other keys than these.
    pub fn form(&self, keys: &[&str]) -> Result<Form<'_>, Refusal> {
        At::root(&self.body).object()?.only(keys)
    }

    /// A parameter of the query, read by the same rules as a field of a body. The last of several counts.
    pub fn param<T>(&self, name: &str, read: impl FnOnce(At<'_>) -> Result<T, Refusal>) -> Result<Option<T>, Refusal> {
        let Some(text) = self.params(name).last() else { return Ok(None) };
        let value = Value::from(text);
        read(At { value: &value, path: vec![name.into()] }).map(Some)
    }

    /// All values of a repeatable parameter.
    pub fn params(&self, name: &str) -> impl Iterator<Item = &str> {
        self.query.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// All values of a repeatable parameter, each one of the words that are allowed.
    pub fn words<'w>(&self, name: &str, allowed: &[&'w str]) -> Result<Vec<&'w str>, Refusal> {
        self.params(name)
            .map(|text| {
                let value = Value::from(text);
                At { value: &value, path: vec![name.into()] }.word(allowed)
            })
            .collect()
    }

    /// `limit` and `offset` of the query.
    pub fn slice(&self, default: i64, max: i64) -> Result<Slice, Refusal> {
        let number = |name: &str, min: i64, max: i64| {
            self.param(name, |at| {
                let value = at.text()?.parse::<i64>().map_or(Value::Null, Value::from);
                At { value: &value, path: at.path.clone() }.whole(min, max)
            })
        };
        Ok(Slice { limit: number("limit", 1, max)?.unwrap_or(default), offset: number("offset", 0, i64::MAX)?.unwrap_or(0) })
    }
}

//! Any route, as a person gives it (`gantry api`).

use serde_json::Value;
use serde_json::value::RawValue;

use crate::domain::failure::Failure;

use super::{Answer, Client, Request};

impl Client {
    /// One request as given; `workspace_id` is added where its family takes it, unless given. Only a GET is ever repeated.
    ///
    /// # Errors
    /// As [`Client::value`], and a method that HTTP does not know.
    pub async fn raw(
        &self,
        method: &str,
        path: &str,
        query: Vec<(String, String)>,
        body: Option<Value>,
    ) -> Result<Answer<Box<RawValue>>, Failure> {
        let method = method.to_ascii_uppercase().parse().map_err(|_| Failure::not_sent(format!("{method:?} is no method")))?;
        let path = format!("/{}", path.trim_start_matches('/'));
        self.value(Request::raw(method, path, query, body)).await
    }
}

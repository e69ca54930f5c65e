//! Any route, as a person gives it (`gantry api`).

use serde_json::Value;

use crate::domain::failure::Failure;

use super::Request;

/// One request as given. Only a GET is ever repeated.
///
/// # Errors
/// A method that HTTP does not know.
pub fn request(method: &str, path: &str, query: Vec<(String, String)>, body: Option<Value>) -> Result<Request, Failure> {
    let method = method.to_ascii_uppercase().parse().map_err(|_| Failure::not_sent(format!("{method:?} is no method")))?;
    Ok(Request::raw(method, format!("/{}", path.trim_start_matches('/')), query, body))
}

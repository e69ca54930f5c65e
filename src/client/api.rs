//! Any route, as a person gives it (`gantry api`).

use reqwest::Url;
use serde_json::Value;

use crate::domain::request_error::RequestError;

use super::Request;

/// One request as given, its path with a query if there is one, and with these parameters more. Only a GET is ever repeated.
///
/// # Errors
/// A method that HTTP does not know, a query that is none.
pub fn raw_request(method: &str, path: &str, more: Vec<(String, String)>, body: Option<Value>) -> Result<Request, RequestError> {
    let method =
        method.to_ascii_uppercase().parse().map_err(|_| RequestError::new_not_sent(format!("{method:?} is no method")))?;
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    // What follows a number sign is never sent.
    let url = Url::parse(&format!("http://localhost/?{}", query.replace('#', "%23")));
    let url = url.map_err(|_| RequestError::new_not_sent(format!("{query:?} is no query")))?;
    let query = url.query_pairs().into_owned().chain(more).collect();
    Ok(Request::raw(method, format!("/{}", path.trim_start_matches('/')), query, body))
}

//! Any route, as typed by a person (`gantry api`).

use reqwest::Url;
use serde_json::Value;

use crate::domain::request_error::RequestError;

use super::Request;

/// Builds a request from a path that may start with `/api/v1` and contain a query, and from
/// additional parameters. Only a read is ever retried.
pub fn raw_request(
    method: &str,
    path: &str,
    more: Vec<(String, String)>,
    body: Option<Value>,
) -> Result<Request, RequestError> {
    let method = method
        .to_ascii_uppercase()
        .parse()
        .map_err(|_| RequestError::new_not_sent(format!("{method:?} is not an HTTP method")))?;
    let path = path.strip_prefix("/api/v1").unwrap_or(path);
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    // An unescaped number sign would start a fragment, which is never sent.
    let url = Url::parse(&format!("http://localhost/?{}", query.replace('#', "%23")));
    let url =
        url.map_err(|_| RequestError::new_not_sent(format!("{query:?} is not a valid query")))?;
    let query = url.query_pairs().into_owned().chain(more).collect();
    Ok(Request::raw(
        method,
        format!("/{}", path.trim_start_matches('/')),
        query,
        body,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_the_same_with_and_without_the_base_of_the_service() {
        for path in [
            "/signals/queue",
            "signals/queue",
            "/api/v1/signals/queue",
            "/api/v1/signals/queue?status=new",
        ] {
            let request = raw_request("get", path, Vec::new(), None).unwrap();
            assert_eq!(request.to_string(), "GET /signals/queue", "{path}");
        }
    }
}

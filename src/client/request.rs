//! A request as data: what it asks for and how it may be retried. The route families build
//! requests; the transport sends them.

use std::borrow::Cow;
use std::fmt::Display;

use reqwest::Method;
use serde_json::Value;

use crate::interface::{PayloadPath, Price, RetryClass, RouteId, WorkspaceParam};

/// Rows of a search without a `limit` (interface: Limits).
const DEFAULT_SEARCH_LIMIT: u64 = 25;

/// A request to the interface. Its path is relative to `{base_url}`; `workspace_id` is added when
/// sending.
#[derive(Clone, Debug)]
pub struct Request {
    pub(super) method: Method,
    pub(super) path: String,
    /// `None` for a path that is not listed.
    pub(super) route: Option<RouteId>,
    pub(super) query: Vec<(Cow<'static, str>, String)>,
    pub(super) body: Option<Value>,
    pub(super) retry_class: RetryClass,
    pub(super) idempotency_key: Option<String>,
    pub(super) payload: PayloadPath,
    pub(super) verify: Option<ReadBack>,
    pub(super) fill_body_from: Option<ReadBack>,
}

/// Finds a write's result in the response of a read.
pub(super) type ReadBackFn = fn(&Value, &Request) -> Option<Value>;

/// How to check by a read whether a write was applied.
#[derive(Clone, Debug)]
pub(super) struct ReadBack {
    /// A free read.
    pub(super) read: Box<Request>,
    /// Extracts the write's own response from that of the read; `None` if the write was not
    /// applied.
    pub(super) extract: ReadBackFn,
}

impl Display for Request {
    /// Method and path for messages: `GET /signals/queue`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

impl Request {
    /// A request to a route, with the values of its path.
    pub(super) fn new(id: RouteId, values: &[&dyn Display]) -> Self {
        let (route, mut values) = (id.route(), values.iter());
        let part = |part: &str| match part.strip_prefix('{') {
            Some(_) => values.next().map(encode_segment).unwrap_or_default(),
            None => part.to_owned(),
        };
        Request {
            method: route.method,
            path: route
                .path
                .split('/')
                .map(part)
                .collect::<Vec<_>>()
                .join("/"),
            route: Some(id),
            query: Vec::new(),
            body: None,
            retry_class: route.retry_class,
            idempotency_key: None,
            payload: route.payload,
            verify: None,
            fill_body_from: None,
        }
    }

    /// Any method and path, for `gantry api`: only a read may be retried.
    pub(super) fn raw(
        method: Method,
        path: String,
        query: Vec<(String, String)>,
        body: Option<Value>,
    ) -> Self {
        let route = RouteId::find(method.as_str(), &path);
        // A path that is not listed may be of a newer service: its searches cost credits, too.
        let is_search = method == Method::POST && path.ends_with("/search");
        let is_unlisted_read = method == Method::GET || is_search;
        let is_read = route.map_or(is_unlisted_read, |id| id.route().is_read());
        let query = query
            .into_iter()
            .map(|(name, value)| (name.into(), value))
            .collect();
        Request {
            method,
            path,
            route,
            query,
            body,
            retry_class: if is_read {
                RetryClass::PaidRead
            } else {
                RetryClass::NonIdempotent
            },
            idempotency_key: None,
            payload: PayloadPath::Root,
            verify: None,
            fill_body_from: None,
        }
    }

    pub(super) fn with_body(self, body: Value) -> Self {
        Request {
            body: Some(body),
            ..self
        }
    }

    /// A write that its route does not list as idempotent may be repeated if this holds.
    pub(super) fn idempotent_if(self, is_idempotent: bool) -> Self {
        let retry_class = match is_idempotent {
            true => RetryClass::Idempotent,
            false => self.retry_class,
        };
        Request {
            retry_class,
            ..self
        }
    }

    /// After a lost response, retry the write only if this read shows that it was not applied.
    pub(super) fn verify_with(self, read: Request, applied: ReadBackFn) -> Self {
        Request {
            verify: Some(ReadBack {
                read: Box::new(read),
                extract: applied,
            }),
            ..self
        }
    }

    /// The write may be answered without a body; this read then supplies what the response would
    /// have contained.
    pub(super) fn fill_body_from(self, read: Request, answer: ReadBackFn) -> Self {
        Request {
            fill_body_from: Some(ReadBack {
                read: Box::new(read),
                extract: answer,
            }),
            ..self
        }
    }

    /// The body without the workspace.
    pub fn body(&self) -> Option<&Value> {
        self.body.as_ref()
    }

    /// Adds a query parameter.
    pub(super) fn query(mut self, name: &'static str, value: impl ToString) -> Self {
        self.query.push((name.into(), value.to_string()));
        self
    }

    /// Adds a parameter for each value.
    pub(super) fn query_each<T: ToString>(
        self,
        name: &'static str,
        values: impl IntoIterator<Item = T>,
    ) -> Self {
        values
            .into_iter()
            .fold(self, |request, value| request.query(name, value))
    }

    /// Adds a parameter unless the text is empty.
    pub(super) fn query_text(self, name: &'static str, value: &str) -> Self {
        if value.trim().is_empty() {
            self
        } else {
            self.query(name, value.trim())
        }
    }

    /// Selects one page of a list paged by offset.
    pub fn page(self, offset: u32, limit: u32) -> Self {
        self.query("limit", limit).query("offset", offset)
    }

    /// The requested number of rows, where there is one.
    pub(super) fn limit(&self) -> Option<u32> {
        let limit = match &self.body {
            Some(body) => body.get("limit")?.as_u64(),
            None => self
                .query
                .iter()
                .find(|(name, _)| name == "limit")?
                .1
                .parse()
                .ok(),
        };
        u32::try_from(limit?).ok()
    }

    /// Limits the number of rows.
    pub(super) fn cap_limit(&mut self, most: Option<u32>) {
        let Some(most) = most.filter(|most| self.limit().is_some_and(|limit| limit > *most)) else {
            return;
        };
        if let Some(body) = self.body.as_mut().and_then(Value::as_object_mut) {
            body.insert("limit".to_owned(), most.into());
        } else if let Some((_, limit)) = self.query.iter_mut().find(|(name, _)| name == "limit") {
            *limit = most.to_string();
        }
    }

    /// Method and path without ids: safe to log, and the unit by which services rate limit.
    pub(super) fn route(&self) -> String {
        let part = |part| {
            if uuid::Uuid::try_parse(part).is_ok() {
                "{id}"
            } else {
                part
            }
        };
        format!(
            "{} {}",
            self.method,
            self.path.split('/').map(part).collect::<Vec<_>>().join("/")
        )
    }

    /// The last id in the path.
    pub(super) fn target_id(&self) -> Option<String> {
        self.path
            .rsplit('/')
            .find(|part| uuid::Uuid::try_parse(part).is_ok())
            .map(str::to_owned)
    }

    /// The most credits it can cost; unknown where the interface does not state the price.
    pub(super) fn max_credits(&self) -> Option<u64> {
        if !self.is_read() {
            return Some(0);
        }
        match self.route?.route().price {
            Price::Free => Some(0),
            Price::PerCall => Some(1),
            Price::PerRow => {
                let limit = self.body.as_ref().and_then(|body| body.get("limit"));
                Some(
                    limit
                        .and_then(Value::as_u64)
                        .unwrap_or(DEFAULT_SEARCH_LIMIT),
                )
            }
            Price::Unknown => None,
        }
    }

    /// Whether it changes nothing, like searches and questions, although they are sent by POST.
    /// Reads time out sooner than writes.
    pub fn is_read(&self) -> bool {
        self.retry_class.is_read()
    }

    /// A 2xx without a body means done: the interface shows no response, or it is a delete, of
    /// which nothing is needed.
    pub(super) fn allows_empty_response(&self) -> bool {
        !self.is_read() && (self.method == Method::DELETE || self.payload.may_be_empty())
    }

    /// Adds the workspace where the route takes it, unless the request already names one.
    pub(super) fn add_workspace(&mut self, workspace: &str) {
        const WORKSPACE_PARAM: &str = "workspace_id";
        let Some(place) = self.workspace_param() else {
            return;
        };
        if place.is_in_body() {
            if let Some(body) = self
                .body
                .get_or_insert_with(|| Value::Object(Default::default()))
                .as_object_mut()
            {
                body.entry(WORKSPACE_PARAM)
                    .or_insert_with(|| workspace.into());
            }
        } else if place.is_in_query() && self.query.iter().all(|(name, _)| name != WORKSPACE_PARAM)
        {
            self.query
                .push((WORKSPACE_PARAM.into(), workspace.to_owned()));
        }
    }

    /// Where the request takes its workspace. A path that is not listed takes it like its family.
    fn workspace_param(&self) -> Option<WorkspaceParam> {
        if let Some(id) = self.route {
            return Some(id.route().workspace);
        }
        let has_body = |method: &Method| !matches!(*method, Method::GET | Method::DELETE);
        let family = self.path.split('/').nth(1);
        let mut routes = RouteId::ALL.iter().map(|id| id.route());
        routes
            .find(|route| {
                Some(route.family()) == family && has_body(&route.method) == has_body(&self.method)
            })
            .map(|route| route.workspace)
    }
}

/// Encodes a text as one path segment. A text that is only `..` still means the folder above, where
/// no route is.
pub(super) fn encode_segment(text: impl ToString) -> String {
    text.to_string()
        .bytes()
        .fold(String::new(), |mut path, byte| {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'~' => {
                    path.push(char::from(byte))
                }
                _ => path.push_str(&format!("%{byte:02X}")),
            }
            path
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn workspace_placement(method: Method, path: &str, body: Option<Value>) -> (bool, bool) {
        let mut request = Request::raw(method, path.to_owned(), Vec::new(), body);
        request.add_workspace("w");
        (
            request.query.iter().any(|(name, _)| name == "workspace_id"),
            request.body.is_some_and(|b| b["workspace_id"] == "w"),
        )
    }

    #[test]
    fn the_workspace_id_goes_into_the_query_or_the_body_by_route_family() {
        const QUERY: (bool, bool) = (true, false);
        const BODY: (bool, bool) = (false, true);
        for (method, path, expected) in [
            (Method::GET, "/signals", QUERY),
            (Method::GET, "/signals/queue/stats", QUERY),
            (Method::POST, "/signals/triage", BODY),
            (Method::GET, "/signal-subscriptions", QUERY),
            (Method::PUT, "/signal-subscriptions/permit_filed", BODY),
            (Method::DELETE, "/signal-subscriptions/permit_filed", QUERY),
            (Method::POST, "/signal-subscriptions/bulk", BODY),
            (Method::POST, "/filters/ask", BODY),
            (Method::GET, "/filters", QUERY),
            (Method::POST, "/data/accounts/search", QUERY),
            (Method::POST, "/workspace/accounts/search", QUERY),
            (Method::GET, "/workspace", QUERY),
            (Method::PATCH, "/workspace/members/1", QUERY),
            (Method::GET, "/signalsmith", (false, false)),
        ] {
            assert_eq!(
                workspace_placement(method, path, Some(json!({}))),
                expected,
                "{path}"
            );
        }
    }

    #[test]
    fn a_workspace_named_by_the_request_is_kept() {
        let query = vec![("workspace_id".to_owned(), "other".to_owned())];
        let mut request = Request::raw(Method::GET, "/workspace/members".to_owned(), query, None);
        request.add_workspace("w");
        assert_eq!(request.query.len(), 1);
    }

    #[test]
    fn a_route_is_the_same_for_all_ids() {
        let request = Request::raw(
            Method::GET,
            format!("/workspace/views/{}/records", uuid::Uuid::nil()),
            vec![],
            None,
        );
        assert_eq!(request.route(), "GET /workspace/views/{id}/records");
    }

    #[test]
    fn a_search_costs_a_credit_a_row_a_get_one_and_undocumented_prices_are_unknown() {
        let most = |method, path: &str, body| {
            Request::raw(method, path.to_owned(), vec![], body).max_credits()
        };
        assert_eq!(
            most(
                Method::POST,
                "/data/projects/search",
                Some(json!({"limit": 50}))
            ),
            Some(50)
        );
        assert_eq!(
            most(Method::POST, "/workspace/accounts/search", Some(json!({}))),
            Some(25)
        );
        assert_eq!(
            most(Method::POST, "/workspace/views/1/records/search", None),
            Some(25)
        );
        let unlisted = "/workspace/permits/search";
        assert_eq!(most(Method::POST, unlisted, Some(json!({}))), None);
        let search = Request::raw(Method::POST, unlisted.to_owned(), vec![], None);
        assert!(search.is_read());
        assert_eq!(most(Method::GET, "/workspace/accounts/1", None), Some(1));
        assert_eq!(most(Method::GET, "/workspace/members", None), Some(0));
        assert_eq!(most(Method::GET, "/signals/queue", None), None);
        assert_eq!(most(Method::POST, "/signals/triage", None), Some(0));
        assert_eq!(most(Method::POST, "/filters/ask", Some(json!({}))), None);
        assert_eq!(
            crate::client::workspace::get_credits().max_credits(),
            Some(0)
        );
        assert_eq!(
            crate::client::data::fields(&crate::domain::book::Dataset::Projects).max_credits(),
            None
        );
    }

    #[test]
    fn a_path_segment_cannot_escape_its_position() {
        assert_eq!(encode_segment("a/../b c"), "a%2F%2E%2E%2Fb%20c");
        assert_eq!(encode_segment("permit_filed"), "permit_filed");
    }
}

//! The interface over HTTP: the only place that knows URLs.
//!
//! A family's file makes [`Request`]s, which are data; the transport sends them by the rules of their class; the decoder reads
//! the answer leniently. A [`Client`] is bound to one origin: its token goes nowhere else.
//!
//! Never here: printing, the clock of the person, what an answer means to a screen.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;
use tokio::sync::watch;

use crate::domain::WorkspaceId;
use crate::domain::health::Health;
use crate::domain::journal::RequestRecorder;
use crate::domain::pages::Page;
use crate::domain::request_error::RequestError;

mod address;
mod annotate;
mod connection_state;
mod decode;
mod error_envelope;
mod error_message;
mod payload_lookup;
mod recording;
mod request;
mod retry_policy;
mod single_item;
mod transport;
mod verify_write;

pub mod api;
pub mod book;
pub mod data;
pub mod favorites;
pub mod invitations;
pub mod members;
pub mod paging;
pub mod queue;
pub mod search;
pub mod signals;
pub mod skills;
pub mod subscriptions;
pub mod views;
pub mod workspace;

use connection_state::ConnectionState;
use retry_policy::RetryBudget;

pub use address::BaseUrl;
pub use request::{PayloadPath, Request};
pub use retry_policy::RetryClass;
pub use transport::Limits;

/// Where a service is and who asks.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// The address, up to and with `/api/v1`.
    pub base_url: String,
    /// An API key or a user token.
    pub token: SecretString,
    /// Sent with every request that takes it: with a user token it must be.
    pub workspace: Option<WorkspaceId>,
}

/// An answer and what came with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Response<T> {
    /// What was asked for.
    pub value: T,
    /// Credits that it took, where the service says so.
    pub credits: Option<u64>,
    /// The service's clock when it answered.
    pub date: Option<DateTime<Utc>>,
    /// An earlier send of the same write may have been applied: what this answer says has changed may be less than what has.
    pub was_retried: bool,
}

impl<T> Response<T> {
    /// The same with another value.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Response<U> {
        Response { value: f(self.value), credits: self.credits, date: self.date, was_retried: self.was_retried }
    }
}

/// Rows of a list and how it goes on (interface: Response metadata; `pagination` of the signal routes).
#[derive(Clone, Debug, PartialEq)]
pub struct Rows<T> {
    /// The rows, in the service's order.
    pub rows: Vec<T>,
    /// Rows that could not be read.
    pub unreadable: usize,
    /// Where the page begins; 0 under a cursor.
    pub offset: u32,
    /// How many match in all, where the service says so.
    pub total: Option<u64>,
    /// `total` is the cap and not the count.
    pub total_is_capped: bool,
    /// The cursor of the next page; none on the last.
    pub search_after: Option<String>,
    /// The answer has a place for that cursor: without one it says whether there is more.
    pub reports_end: bool,
}

impl<T> From<Rows<T>> for Page<T> {
    fn from(rows: Rows<T>) -> Self {
        Page { rows: rows.rows, unreadable: rows.unreadable, offset: rows.offset, total: rows.total }
    }
}

/// A service that can be asked. Cheap to clone: connections, and what was heard of the service, are shared.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    http: reqwest::Client,
    base_url: BaseUrl,
    host: String,
    token: HeaderValue,
    workspace: Option<WorkspaceId>,
    limits: Limits,
    connection: Arc<ConnectionState>,
    recorder: Option<Arc<dyn RequestRecorder>>,
    read_only: bool,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("base", &self.0.base_url).field("workspace", &self.0.workspace).finish_non_exhaustive()
    }
}

impl Client {
    /// A client of one service. Nothing is sent yet.
    ///
    /// # Errors
    /// An address or a token that cannot be used, with what is wrong with it and never the token.
    pub fn new(endpoint: Endpoint) -> Result<Client, RequestError> {
        Client::with_limits(endpoint, Limits::default())
    }

    /// The same with other limits of time and size.
    ///
    /// # Errors
    /// As [`Client::new`].
    pub fn with_limits(endpoint: Endpoint, limits: Limits) -> Result<Client, RequestError> {
        let base = BaseUrl::parse(&endpoint.base_url)?;
        let token = bearer_header(&endpoint.token)?;
        let http = http_builder(&base, &limits)
            .build()
            .map_err(|error| RequestError::new_not_sent(error_message::client_build_error_message(&base.host(), &error)))?;
        let host = base.host();
        let budget = if limits.has_own_budget { RetryBudget::new_full() } else { RetryBudget::process_wide() };
        let link = Arc::new(ConnectionState::new(budget));
        let workspace = endpoint.workspace;
        Ok(Client(Arc::new(Inner {
            http,
            base_url: base,
            host,
            token,
            workspace,
            limits,
            connection: link,
            recorder: None,
            read_only: false,
        })))
    }

    /// The same client for a workspace: connections, and what was heard of the service, stay shared.
    pub fn in_workspace(&self, workspace: WorkspaceId) -> Client {
        Client(Arc::new(Inner { workspace: Some(workspace), ..Inner::clone(&self.0) }))
    }

    /// How the service answers, as it changes.
    pub fn health(&self) -> watch::Receiver<Health> {
        self.0.connection.health()
    }

    /// The person acted: a credential that was refused may be sent again.
    pub fn retry_credential(&self) {
        self.0.connection.retry_credential();
    }

    /// The address that it speaks to.
    pub fn base_url(&self) -> &BaseUrl {
        &self.0.base_url
    }

    /// The workspace that it names.
    pub fn workspace_id(&self) -> Option<WorkspaceId> {
        self.0.workspace
    }

    /// The same client, which tells this recorder what its requests take and what it is about to write.
    pub fn with_recorder(&self, recorder: Arc<dyn RequestRecorder>) -> Client {
        Client(Arc::new(Inner { recorder: Some(recorder), ..Inner::clone(&self.0) }))
    }

    /// The same client; with `true` it refuses every request that changes something, and sends none.
    pub fn with_read_only(&self, read_only: bool) -> Client {
        Client(Arc::new(Inner { read_only, ..Inner::clone(&self.0) }))
    }

    /// Sends a request and reads its payload as one value.
    ///
    /// # Errors
    /// By its three kinds: nothing left, unknown, refused.
    pub async fn fetch_value<T: DeserializeOwned>(&self, request: Request) -> Result<Response<T>, RequestError> {
        self.send_recorded(request, decode::decode_value, |_| None).await
    }

    /// Sends a request of which the answer says nothing that is needed: a delete.
    ///
    /// # Errors
    /// As [`Client::value`].
    pub async fn execute(&self, request: Request) -> Result<Response<()>, RequestError> {
        // What the answer would have held is not read either.
        self.send_recorded(Request { fill_body_from: None, ..request }, decode::decode_empty, |()| None).await
    }

    /// Sends a request and reads its payload as rows, each by itself. A service whose pages are smaller is asked again with its limit.
    ///
    /// # Errors
    /// By its three kinds; a row that cannot be read is counted and is no error.
    pub async fn fetch_rows<T: DeserializeOwned>(&self, mut request: Request) -> Result<Response<Rows<T>>, RequestError> {
        let route = request.route();
        for _ in 0..retry_policy::MAX_LIMIT_RETRIES {
            request.cap_limit(self.0.connection.page_limit(&route));
            let answer = self.fetch_page(request.clone()).await;
            match answer.as_ref().err().and_then(|failure| error_envelope::accepted_limit(failure, request.limit()?)) {
                Some(limit) => self.0.connection.set_page_limit(&route, limit),
                None => return answer,
            }
        }
        self.fetch_page(request).await
    }

    async fn fetch_page<T: DeserializeOwned>(&self, request: Request) -> Result<Response<Rows<T>>, RequestError> {
        self.send_recorded(request, decode::decode_rows, |rows| Some((rows.rows.len() + rows.unreadable) as u64)).await
    }
}

/// Reads rows from the text of an answer, as [`Client::rows`] does.
///
/// # Errors
/// [`Kind::Ambiguous`](crate::domain::failure::Kind::Ambiguous) when the payload is not there or no list.
pub fn read_rows<T: DeserializeOwned>(text: String, payload: PayloadPath) -> Result<Rows<T>, RequestError> {
    let answered = transport::RawResponse { text, date: None, route: "the answer".to_owned(), was_retried: false };
    Ok(decode::decode_rows("the service", &answered, payload)?.value)
}

/// How connections are made: to this origin, without redirects and without repeats of the library's own.
fn http_builder(base: &BaseUrl, limits: &Limits) -> reqwest::ClientBuilder {
    // The process has one provider; who comes second finds it set, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let http = reqwest::Client::builder()
        .user_agent(concat!("gantry/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .connect_timeout(limits.connect_timeout)
        .pool_idle_timeout(std::time::Duration::from_secs(20))
        .tcp_keepalive(std::time::Duration::from_secs(30))
        .http1_max_headers(100);
    let http = if base.is_loopback() { http.no_proxy() } else { http };
    // Plain http needs none of this machine's certificates: a machine without any can use it, and they are not read.
    if base.is_https() { http } else { http.tls_certs_only([]) }
}

/// The header's value; marked so that nothing prints it.
fn bearer_header(token: &SecretString) -> Result<HeaderValue, RequestError> {
    let token = token.expose_secret().trim();
    let refuse = |why: &str| Err(RequestError::new_not_sent(format!("the token {why}")));
    if token.is_empty() {
        return refuse("is empty; give one with --token-file, GANTRY_TOKEN or a profile");
    }
    if token.split_whitespace().nth(1).is_some() {
        return refuse("holds a space or a line end; give the token alone, without \"Bearer\"");
    }
    if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return refuse("holds a character that no token has; was it copied whole?");
    }
    let Ok(mut value) = HeaderValue::try_from(format!("Bearer {token}")) else { return refuse("cannot be sent") };
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::sync::Mutex;
    use std::time::Duration;

    use reqwest::dns::{Addrs, Name, Resolve, Resolving};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    fn client(token: &str) -> Result<Client, RequestError> {
        Client::new(Endpoint {
            base_url: "https://signals.example/api/v1".to_owned(),
            token: token.to_owned().into(),
            workspace: None,
        })
    }

    #[test]
    fn tokens_are_trimmed_and_malformed_ones_are_rejected_without_printing_them() {
        assert!(client(" gk_abc\n").is_ok());
        for wrong in ["", "  ", "Bearer gk_abc", "gk_abc\r\nX-Evil: 1", "gk_äbc", "gk\u{0}abc"] {
            let message = client(wrong).unwrap_err().message;
            assert!(!message.contains("gk"), "{message}");
        }
    }

    /// A client whose names are looked up so.
    fn client_with_resolver(resolver: impl Resolve + 'static) -> Client {
        let endpoint =
            Endpoint { base_url: "http://localhost/api/v1".to_owned(), token: "gk_a".to_owned().into(), workspace: None };
        let limits = Limits { connect_timeout: Duration::from_millis(300), has_own_budget: true, ..Limits::default() };
        let inner = Inner::clone(&Client::with_limits(endpoint, limits).unwrap().0);
        let http = http_builder(&inner.base_url, &limits).dns_resolver(resolver).build().unwrap();
        Client(Arc::new(Inner { http, ..inner }))
    }

    /// The places that a name has, one after the other; the last stays. None is a resolver that fails.
    struct SequenceResolver(Mutex<Vec<Option<SocketAddr>>>);

    impl Resolve for SequenceResolver {
        fn resolve(&self, _: Name) -> Resolving {
            let mut places = self.0.lock().unwrap();
            let place = if places.len() > 1 { places.remove(0) } else { places[0] };
            let found = place.map(|place| Box::new([place].into_iter()) as Addrs);
            Box::pin(async move { found.ok_or_else(|| "no such name".into()) })
        }
    }

    /// A resolver that says nothing.
    struct SilentResolver;

    impl Resolve for SilentResolver {
        fn resolve(&self, _: Name) -> Resolving {
            Box::pin(std::future::pending())
        }
    }

    /// A service that answers so many times with this count, and goes away.
    async fn spawn_server(times: usize, count: u64) -> SocketAddr {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let place = listener.local_addr().unwrap();
        tokio::spawn(async move {
            for _ in 0..times {
                let (mut stream, _) = listener.accept().await.unwrap();
                let _ = stream.read(&mut [0; 4096]).await.unwrap();
                let body = format!("{{\"new_count\":{count}}}");
                let head = format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
                stream.write_all((head + &body).as_bytes()).await.unwrap();
            }
        });
        place
    }

    #[tokio::test]
    async fn a_silent_resolver_times_out_and_a_failing_one_is_retried() {
        let failure = client_with_resolver(SilentResolver).queue_stats().await.unwrap_err();
        assert!(failure.message.contains("took no connection in time"), "{}", failure.message);
        let failure = client_with_resolver(SequenceResolver(Mutex::new(vec![None]))).queue_stats().await.unwrap_err();
        assert!(failure.message.contains("cannot resolve the host localhost"), "{}", failure.message);
        let place = spawn_server(1, 7).await;
        let client = client_with_resolver(SequenceResolver(Mutex::new(vec![None, Some(place)])));
        assert_eq!(client.queue_stats().await.unwrap().value.new_count, 7, "wrong, then right");
    }

    #[tokio::test]
    async fn a_service_that_moved_is_found_at_its_new_address() {
        let (old, new) = (spawn_server(1, 1).await, spawn_server(1, 2).await);
        let client = client_with_resolver(SequenceResolver(Mutex::new(vec![Some(old), Some(old), Some(new)])));
        assert_eq!(client.queue_stats().await.unwrap().value.new_count, 1);
        assert_eq!(client.queue_stats().await.unwrap().value.new_count, 2, "nobody is at the old one any more");
    }

    #[test]
    fn a_client_never_shows_its_token() {
        let shown = format!("{:?}", client("gk_canary").unwrap());
        assert!(!shown.contains("canary"), "{shown}");
    }
}

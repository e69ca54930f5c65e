//! The interface over HTTP: the only place that knows URLs.
//!
//! Each route family's file builds [`Request`]s, which are data; the transport sends them by the
//! rules of their retry class; the decoder reads the responses leniently. A [`Client`] is bound to
//! one origin, and its token is sent nowhere else.
//!
//! Never here: printing, local time, what a response means to a screen.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;
use tokio::sync::watch;

use crate::domain::WorkspaceId;
use crate::domain::certificate::Fingerprint;
use crate::domain::health::Health;
use crate::domain::journal::RequestRecorder;
use crate::domain::pages::Page;
use crate::domain::request_error::RequestError;
use crate::interface::PayloadPath;

mod address;
mod annotate;
mod connection_state;
mod decode;
mod error_envelope;
mod error_message;
mod payload_lookup;
mod pinned_certificate;
mod recording;
mod request;
mod retry_policy;
mod single_item;
mod transport;
mod verify_write;

pub mod api;
pub mod book;
pub mod certificate_check;
pub mod data;
pub mod favorites;
pub mod invitations;
pub mod join;
pub mod members;
pub mod paging;
pub mod queue;
pub mod search;
pub mod signals;
pub mod skills;
pub mod subscriptions;
pub mod views;
pub mod walls;
pub mod workspace;

use connection_state::ConnectionState;
use pinned_certificate::AcceptedCertificate;
use retry_policy::RetryBudget;

pub use address::BaseUrl;
pub use request::Request;
pub use transport::Limits;

/// Where a service is, and with which credential it is called.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// The address, including `/api/v1`.
    pub base_url: String,
    /// An API key or a user token.
    pub token: SecretString,
    /// Sent with every request that takes it; required with a user token.
    pub workspace: Option<WorkspaceId>,
    /// The fingerprint of the only certificate that the service may have (`sha256:…`), instead of
    /// one that this machine trusts.
    pub certificate: Option<String>,
}

/// A response and its metadata.
#[derive(Clone, Debug, PartialEq)]
pub struct Response<T> {
    pub value: T,
    /// Credits used, where the service reports them.
    pub credits: Option<u64>,
    /// The service's clock at the time of the response.
    pub date: Option<DateTime<Utc>>,
    /// An earlier send of the same write may have been applied, so more may have changed than this
    /// response reports.
    pub was_retried: bool,
}

impl<T> Response<T> {
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Response<U> {
        Response {
            value: f(self.value),
            credits: self.credits,
            date: self.date,
            was_retried: self.was_retried,
        }
    }
}

/// Rows of a list and its paging data (interface: Response metadata; `pagination` of the signal
/// routes).
#[derive(Clone, Debug, PartialEq)]
pub struct Rows<T> {
    /// The rows, in the service's order.
    pub rows: Vec<T>,
    /// Rows that could not be decoded.
    pub unreadable: usize,
    /// Offset of the page; 0 with a cursor.
    pub offset: u32,
    /// Total number of matches, where the service reports it.
    pub total: Option<u64>,
    /// `total` is the cap, not the count.
    pub total_is_capped: bool,
    /// The cursor of the next page; `None` on the last.
    pub search_after: Option<String>,
    /// The response has a field for that cursor: if the cursor is missing, there are no more pages.
    pub reports_end: bool,
}

impl<T> From<Rows<T>> for Page<T> {
    fn from(rows: Rows<T>) -> Self {
        Page {
            rows: rows.rows,
            unreadable: rows.unreadable,
            offset: rows.offset,
            total: rows.total,
            next_offset: None,
        }
    }
}

/// A client of one service. Cheap to clone: clones share connections and connection state.
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
        f.debug_struct("Client")
            .field("base", &self.0.base_url)
            .field("workspace", &self.0.workspace)
            .finish_non_exhaustive()
    }
}

impl Client {
    /// Creates a client; nothing is sent yet.
    ///
    /// # Errors
    /// An unusable address or token, with the reason. The token itself is never in the message.
    pub fn new(endpoint: Endpoint) -> Result<Client, RequestError> {
        Client::with_limits(endpoint, Limits::default())
    }

    /// Like [`Client::new`], with other limits on time and size.
    pub fn with_limits(endpoint: Endpoint, limits: Limits) -> Result<Client, RequestError> {
        let base = BaseUrl::parse(&endpoint.base_url)?;
        let token = bearer_header(&endpoint.token)?;
        let pin = endpoint
            .certificate
            .as_deref()
            .map(|pin| parse_pin(&base, pin))
            .transpose()?;
        let http = http_builder(&base, &limits, pin.map(AcceptedCertificate::Pinned))
            .build()
            .map_err(|error| {
                RequestError::new_not_sent(error_message::client_build_error_message(
                    &base.host(),
                    &error,
                ))
            })?;
        let host = base.host();
        let budget = if limits.has_own_budget {
            RetryBudget::new_full()
        } else {
            RetryBudget::process_wide()
        };
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

    /// The same client for another workspace; connections and connection state stay shared.
    pub fn in_workspace(&self, workspace: WorkspaceId) -> Client {
        Client(Arc::new(Inner {
            workspace: Some(workspace),
            ..Inner::clone(&self.0)
        }))
    }

    /// The connection's health, as it changes.
    pub fn health(&self) -> watch::Receiver<Health> {
        self.0.connection.health()
    }

    /// The person asked to try again: a rejected credential may be sent once more.
    pub fn retry_credential(&self) {
        self.0.connection.retry_credential();
    }

    pub fn base_url(&self) -> &BaseUrl {
        &self.0.base_url
    }

    pub fn workspace_id(&self) -> Option<WorkspaceId> {
        self.0.workspace
    }

    /// The same client with a recorder, which sees the cost of each read and every write before it
    /// is sent.
    pub fn with_recorder(&self, recorder: Arc<dyn RequestRecorder>) -> Client {
        Client(Arc::new(Inner {
            recorder: Some(recorder),
            ..Inner::clone(&self.0)
        }))
    }

    /// The same client; with `true` it rejects every write and sends none.
    pub fn with_read_only(&self, read_only: bool) -> Client {
        Client(Arc::new(Inner {
            read_only,
            ..Inner::clone(&self.0)
        }))
    }

    /// Sends a request and decodes its payload as one value.
    pub async fn fetch_value<T: DeserializeOwned + Send>(
        &self,
        request: Request,
    ) -> Result<Response<T>, RequestError> {
        self.send_recorded(request, decode::decode_value, |_| None)
            .await
    }

    /// Sends a request whose response is not needed, such as a delete.
    pub async fn execute(&self, request: Request) -> Result<Response<()>, RequestError> {
        // The response is not needed, so it is not read back either.
        self.send_recorded(
            Request {
                fill_body_from: None,
                ..request
            },
            decode::decode_empty,
            |()| None,
        )
        .await
    }

    /// Sends a write whose response is of use but not needed: `None` if it is not as expected.
    pub async fn fetch_if_shown<T: DeserializeOwned + Send>(
        &self,
        request: Request,
    ) -> Result<Response<Option<T>>, RequestError> {
        self.send_recorded(
            Request {
                fill_body_from: None,
                ..request
            },
            decode::decode_if_shown,
            |_| None,
        )
        .await
    }

    /// Sends a request and decodes its payload as rows, one by one. If the service's pages are
    /// smaller, it is asked again with its limit.
    ///
    /// # Errors
    /// A row that cannot be decoded is counted and is not an error.
    pub async fn fetch_rows<T: DeserializeOwned + Send>(
        &self,
        mut request: Request,
    ) -> Result<Response<Rows<T>>, RequestError> {
        let route = request.route();
        for _ in 0..retry_policy::MAX_LIMIT_RETRIES {
            request.cap_limit(self.0.connection.page_limit(&route));
            let answer = self.fetch_page(request.clone()).await;
            match answer
                .as_ref()
                .err()
                .and_then(|failure| error_envelope::accepted_limit(failure, request.limit()?))
            {
                Some(limit) => self.0.connection.set_page_limit(&route, limit),
                None => return answer,
            }
        }
        self.fetch_page(request).await
    }

    /// The same for a list that has a single page, of which only the rows matter.
    pub async fn fetch_all<T: DeserializeOwned + Send>(
        &self,
        request: Request,
    ) -> Result<Vec<T>, RequestError> {
        Ok(self.fetch_rows(request).await?.value.rows)
    }

    async fn fetch_page<T: DeserializeOwned + Send>(
        &self,
        request: Request,
    ) -> Result<Response<Rows<T>>, RequestError> {
        self.send_recorded(request, decode::decode_rows, |rows| {
            Some((rows.rows.len() + rows.unreadable) as u64)
        })
        .await
    }
}

/// Decodes rows from the text of a response, as [`Client::fetch_rows`] does.
///
/// # Errors
/// [`RequestErrorKind::Ambiguous`](crate::domain::request_error::RequestErrorKind::Ambiguous) if
/// the payload is missing or not a list.
pub fn read_rows<T: DeserializeOwned>(
    text: String,
    payload: PayloadPath,
) -> Result<Rows<T>, RequestError> {
    let answered = transport::RawResponse {
        text,
        date: None,
        credits: None,
        route: "the answer".to_owned(),
        was_retried: false,
    };
    Ok(decode::decode_rows("the service", &answered, payload)?.value)
}

/// The HTTP client: no redirects, and no retries by the library, because the retry policy is ours.
fn http_builder(
    base: &BaseUrl,
    limits: &Limits,
    accepted: Option<AcceptedCertificate>,
) -> reqwest::ClientBuilder {
    // The provider is process-wide; if it is already set, that one is fine.
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
    let http = if base.is_loopback() {
        http.no_proxy()
    } else {
        http
    };
    match accepted {
        Some(accepted) => http.tls_backend_preconfigured(pinned_certificate::tls_config(accepted)),
        None if base.is_https() => http,
        // Plain http needs no certificates, so a machine without any can still use it.
        None => http.tls_certs_only([]),
    }
}

/// The pinned fingerprint. Over plain http it could not be checked.
pub fn parse_pin(base: &BaseUrl, pin: &str) -> Result<Fingerprint, RequestError> {
    let pin = pin
        .parse::<Fingerprint>()
        .map_err(|wrong| RequestError::new_not_sent(format!("{pin:?}: {wrong}")))?;
    if !base.is_https() {
        let host = base.host();
        let why = format!(
            "a certificate is pinned, and http has none: use https://{host}, or remove the pin"
        );
        return Err(RequestError::new_not_sent(why));
    }
    Ok(pin)
}

/// The header value, marked sensitive so that it is never printed.
fn bearer_header(token: &SecretString) -> Result<HeaderValue, RequestError> {
    let token = token.expose_secret().trim();
    let refuse = |why: &str| Err(RequestError::new_not_sent(format!("the token {why}")));
    if token.is_empty() {
        return refuse("is empty; set it with --token-file, GANTRY_TOKEN or a profile");
    }
    if token.split_whitespace().nth(1).is_some() {
        return refuse("contains a space or a line break; give only the token, without \"Bearer\"");
    }
    if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return refuse("contains an invalid character; copy it again");
    }
    let Ok(mut value) = HeaderValue::try_from(format!("Bearer {token}")) else {
        return refuse("cannot be sent");
    };
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
            certificate: None,
        })
    }

    #[test]
    fn tokens_are_trimmed_and_malformed_ones_are_rejected_without_printing_them() {
        assert!(client(" gk_abc\n").is_ok());
        for wrong in [
            "",
            "  ",
            "Bearer gk_abc",
            "gk_abc\r\nX-Evil: 1",
            "gk_äbc",
            "gk\u{0}abc",
        ] {
            let message = client(wrong).unwrap_err().message;
            assert!(!message.contains("gk"), "{message}");
        }
    }

    /// A client that resolves names with `resolver`.
    fn client_with_resolver(resolver: impl Resolve + 'static) -> Client {
        let endpoint = Endpoint {
            base_url: "http://localhost/api/v1".to_owned(),
            token: "gk_a".to_owned().into(),
            workspace: None,
            certificate: None,
        };
        let limits = Limits {
            connect_timeout: Duration::from_millis(300),
            has_own_budget: true,
            ..Limits::default()
        };
        let inner = Inner::clone(&Client::with_limits(endpoint, limits).unwrap().0);
        let http = http_builder(&inner.base_url, &limits, None)
            .dns_resolver(resolver)
            .build()
            .unwrap();
        Client(Arc::new(Inner { http, ..inner }))
    }

    /// Returns these addresses one after the other and repeats the last; `None` fails to resolve.
    struct SequenceResolver(Mutex<Vec<Option<SocketAddr>>>);

    impl Resolve for SequenceResolver {
        fn resolve(&self, _: Name) -> Resolving {
            let mut places = self.0.lock().unwrap();
            let place = if places.len() > 1 {
                places.remove(0)
            } else {
                places[0]
            };
            let found = place.map(|place| Box::new([place].into_iter()) as Addrs);
            Box::pin(async move { found.ok_or_else(|| "no such name".into()) })
        }
    }

    /// A resolver that never answers.
    struct SilentResolver;

    impl Resolve for SilentResolver {
        fn resolve(&self, _: Name) -> Resolving {
            Box::pin(std::future::pending())
        }
    }

    /// Starts a server that answers `times` requests with this count and then closes.
    async fn spawn_server(times: usize, count: u64) -> SocketAddr {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let place = listener.local_addr().unwrap();
        tokio::spawn(async move {
            for _ in 0..times {
                let (mut stream, _) = listener.accept().await.unwrap();
                let _ = stream.read(&mut [0; 4096]).await.unwrap();
                let body = format!("{{\"new_count\":{count}}}");
                let head = format!(
                    "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
                    body.len()
                );
                stream.write_all((head + &body).as_bytes()).await.unwrap();
            }
        });
        place
    }

    #[tokio::test]
    async fn a_silent_resolver_times_out_and_a_failing_one_is_retried() {
        let failure = client_with_resolver(SilentResolver)
            .queue_stats()
            .await
            .unwrap_err();
        assert!(
            failure.message.contains("timed out; check the address"),
            "{}",
            failure.message
        );
        let failure = client_with_resolver(SequenceResolver(Mutex::new(vec![None])))
            .queue_stats()
            .await
            .unwrap_err();
        assert!(
            failure
                .message
                .contains("cannot resolve the host localhost"),
            "{}",
            failure.message
        );
        let place = spawn_server(1, 7).await;
        let client = client_with_resolver(SequenceResolver(Mutex::new(vec![None, Some(place)])));
        assert_eq!(
            client.queue_stats().await.unwrap().value.new_count,
            7,
            "the second address works"
        );
    }

    #[tokio::test]
    async fn a_service_that_moved_is_found_at_its_new_address() {
        let (old, new) = (spawn_server(1, 1).await, spawn_server(1, 2).await);
        let client = client_with_resolver(SequenceResolver(Mutex::new(vec![
            Some(old),
            Some(old),
            Some(new),
        ])));
        assert_eq!(client.queue_stats().await.unwrap().value.new_count, 1);
        assert_eq!(
            client.queue_stats().await.unwrap().value.new_count,
            2,
            "nothing listens on the old address any more"
        );
    }

    #[test]
    fn a_client_never_shows_its_token() {
        let shown = format!("{:?}", client("gk_canary").unwrap());
        assert!(!shown.contains("canary"), "{shown}");
    }
}

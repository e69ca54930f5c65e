//! Connections: accepting, counting, time limits, the log of requests and graceful shutdown. Never
//! here: what a request means.

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::header::{CONNECTION, DATE, HOST};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use super::api_error::ApiError;
use super::body;
use super::clock::Stopwatch;
use super::connection_limits::{ConnectionLimiter, ConnectionSlot};
use super::operations::{self, REQUEST_ID};
use super::router::{Authenticated, RouteTemplate};
use super::routes::join::ClientAddress;
use super::state::AppState;
use super::tls::ServerTls;
use super::write_timeout::WriteTimeout;
use crate::platform::processes::return_free_memory;
use crate::platform::tasks;

/// Time limit for the head of a request.
const HEADER_READ_TIMEOUT: Duration = Duration::from_secs(10);
/// Time for an evicted connection to finish what it is writing.
const EVICTION_TIMEOUT: Duration = Duration::from_millis(500);

/// When a service stops.
#[derive(Clone)]
pub struct Shutdown {
    /// From then on it accepts no connections.
    pub stop: CancellationToken,
    /// How long the requests in progress may take from then on.
    pub drain_timeout: Duration,
}

/// Accepts connections until `shutdown`, then lets the requests in progress finish. With `tls` they
/// are encrypted.
pub async fn serve(
    listener: TcpListener,
    tls: Option<ServerTls>,
    router: Router,
    state: Arc<AppState>,
    shutdown: Shutdown,
) {
    let Shutdown {
        stop,
        drain_timeout,
    } = shutdown;
    let limiter = Arc::new(ConnectionLimiter::for_this_process());
    let (alive, mut ended) = mpsc::channel::<()>(1);
    let abort = CancellationToken::new();
    loop {
        let (stream, peer) = tokio::select! {
            () = stop.cancelled() => break,
            () = limiter.emptied() => {
                tasks::run_blocking(return_free_memory);
                continue;
            }
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => (stream, peer.ip()),
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
        };
        let Some(slot) = limiter.acquire(peer).map(Arc::new) else {
            // Without a slot there is no handshake either: over TLS the connection is closed
            // without an answer.
            if tls.is_none() {
                tasks::spawn(reject_connection(stream));
            }
            continue;
        };
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "cannot set TCP_NODELAY");
        }
        let connection = Connection {
            slot,
            peer,
            router: router.clone(),
            state: state.clone(),
            stop: stop.clone(),
        };
        let (alive, aborted) = (alive.clone(), abort.clone());
        let serving = Box::pin(connection.serve(tls.clone(), stream));
        tasks::spawn(async move {
            aborted.run_until_cancelled_owned(serving).await;
            drop(alive);
        });
    }
    drop((listener, alive));
    if tokio::time::timeout(drain_timeout, ended.recv())
        .await
        .is_err()
    {
        tracing::warn!("requests in progress are aborted");
        abort.cancel();
        ended.recv().await;
    }
}

/// A connection that has a slot.
struct Connection {
    slot: Arc<ConnectionSlot>,
    peer: IpAddr,
    router: Router,
    state: Arc<AppState>,
    stop: CancellationToken,
}

impl Connection {
    /// Serves a connection from its first byte on. Before that it has no buffers, and each further
    /// state is allocated when it begins: there may be thousands of connections that say nothing.
    async fn serve(self, tls: Option<ServerTls>, stream: TcpStream) {
        let mut first = [0];
        let spoken = self
            .unless_ended(tokio::time::timeout(
                HEADER_READ_TIMEOUT,
                stream.peek(&mut first),
            ))
            .await;
        if !matches!(spoken, Some(Ok(Ok(1)))) {
            return;
        }
        let Some(tls) = tls else {
            return Box::pin(self.serve_requests(stream)).await;
        };
        if let Some(Some(stream)) = self.unless_ended(Box::pin(tls.accept(stream))).await {
            Box::pin(self.serve_requests(stream)).await;
        }
    }

    /// The result of a step before the first request; `None` if the connection was evicted, or the
    /// service ends.
    async fn unless_ended<T>(&self, step: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            done = step => Some(done),
            () = self.slot.eviction() => None,
            () = self.stop.cancelled() => None,
        }
    }

    /// Answers requests until the client, an eviction or the end of the service closes the
    /// connection.
    async fn serve_requests(self, stream: impl AsyncRead + AsyncWrite + Unpin) {
        let Connection {
            slot,
            peer,
            router,
            state,
            stop,
        } = self;
        let held_slot = slot.clone();
        let service = hyper::service::service_fn(move |mut request: hyper::Request<Incoming>| {
            let client = state
                .trusted_proxies
                .client_address(peer, request.headers());
            request.extensions_mut().insert(ClientAddress(client));
            let (router, state, slot) = (router.clone(), state.clone(), held_slot.clone());
            async move {
                slot.begin_request();
                let (parts, body) = request.into_parts();
                let (body, unread) = body::lend(body);
                let request = Request::from_parts(parts, body);
                let mut response = match slot.request_turn(client).await {
                    Ok(_turn) => respond(router, &state, request).await,
                    Err(refusal) => {
                        drop(request);
                        refusal.into_response()
                    }
                };
                if !unread.discard().await {
                    response
                        .headers_mut()
                        .insert(CONNECTION, HeaderValue::from_static("close"));
                }
                slot.end_request(response.extensions().get::<Authenticated>().is_some());
                Ok::<_, Infallible>(response)
            }
        });
        let connection = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            // a client that sends nothing more may still read
            .half_close(true)
            .header_read_timeout(HEADER_READ_TIMEOUT)
            .max_buf_size(64 * 1024)
            .serve_connection(TokioIo::new(WriteTimeout::new(stream)), service);
        tokio::pin!(connection);
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = slot.eviction() => {
                connection.as_mut().graceful_shutdown();
                tokio::time::timeout(EVICTION_TIMEOUT, connection.as_mut()).await.unwrap_or(Ok(()))
            }
            () = stop.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.as_mut().await
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection ended early");
        }
    }
}

/// Handles one request: checks its host, limits its time, dates the response by the service's
/// clock, and measures it.
async fn respond(router: Router, state: &AppState, request: Request) -> Response {
    let is_operations = operations::is_operations_path(request.uri().path());
    let (id, method, began) = (
        operations::request_id(request.headers()),
        request.method().clone(),
        Stopwatch::start(),
    );
    let refusal = if is_operations {
        None
    } else {
        check_host(&request, state.public_host.as_deref())
    };
    let mut response = match refusal {
        Some(refusal) => refusal.into_response(),
        None => {
            match tokio::time::timeout(state.time_limits.request, router.oneshot(request)).await {
                Ok(Ok(response)) => response,
                Ok(Err(never)) => match never {},
                Err(_) => ApiError::unavailable("the request took too long").into_response(),
            }
        }
    };
    if let Ok(date) = HeaderValue::from_str(&http_date(state.clock.now())) {
        response.headers_mut().insert(DATE, date);
    }
    if state.is_draining.load(Ordering::Relaxed) {
        // the next request of this client goes to another instance
        response
            .headers_mut()
            .insert(CONNECTION, HeaderValue::from_static("close"));
    }
    if !is_operations {
        record_request(state, &method, &response, began.elapsed(), &id);
    }
    response.headers_mut().insert(REQUEST_ID, id);
    response
}

/// Counts a request, and logs it without what it asked for.
fn record_request(
    state: &AppState,
    method: &Method,
    response: &Response,
    duration: Duration,
    id: &HeaderValue,
) {
    let route = response
        .extensions()
        .get::<RouteTemplate>()
        .map_or("none", |route| route.0);
    state
        .metrics
        .record_request(method, route, response.status(), duration);
    if state.logs_requests {
        let (status, ms) = (
            response.status().as_u16(),
            duration.as_micros() as f64 / 1000.0,
        );
        tracing::info!(%method, route, status, ms, request_id = id.to_str().unwrap_or_default(), "request");
    }
}

/// Protects against DNS rebinding: a web page that resolves its own name to this machine gets a
/// 403, because the host must be an address, `localhost` or the service's public name.
fn check_host(request: &Request, public_host: Option<&str>) -> Option<ApiError> {
    let mut hosts = request.headers().get_all(HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return Some(ApiError::bad_request(
            "a request must have exactly one Host header",
        ));
    };
    let host = host.to_str().unwrap_or_default();
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let address = name.trim_start_matches('[').trim_end_matches(']');
    let is_named = |known: &str| name.eq_ignore_ascii_case(known);
    let known = is_named("localhost")
        || public_host.is_some_and(is_named)
        || address.parse::<std::net::IpAddr>().is_ok();
    (!known).then(|| {
        ApiError::new(
            StatusCode::FORBIDDEN,
            "forbidden",
            "unknown host: use the service's address, localhost or its --public-address",
        )
    })
}

fn http_date(now: chrono::DateTime<chrono::Utc>) -> String {
    now.format("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

/// Sends a connection beyond the limit a 503, without giving it a slot.
async fn reject_connection(mut stream: TcpStream) {
    let body = ApiError::unavailable("too many connections").to_json();
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let sent = tokio::time::timeout(Duration::from_secs(1), async {
        stream.write_all(answer.as_bytes()).await?;
        stream.shutdown().await
    });
    if !matches!(sent.await, Ok(Ok(()))) {
        tracing::debug!("a rejected connection did not read its response");
    }
}

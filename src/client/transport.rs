//! Sending: the token to its own origin only, timeouts, size limits, and retries by route class.
//!
//! Never here: what a route means. No redirect is followed, the HTTP library retries nothing, and
//! only a 2xx with JSON is a success.

use std::pin::pin;
use std::time::Duration;

use chrono::{DateTime, Utc};
use reqwest::{Response, StatusCode, header};
use serde_json::value::RawValue;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::domain::request_error::{RequestError, RequestErrorKind, RequestId};
use crate::interface::RetryClass;

use super::Client;
use super::connection_state::Timestamp;
use super::error_envelope::{self, is_html};
use super::error_message;
use super::request::Request;
use super::retry_policy::{self, AttemptError};

/// A shorter token could be an ordinary word in any message, so it is not redacted.
const MIN_REDACTED_TOKEN_LEN: usize = 6;

/// Limits on time and size. The defaults suit a person who waits.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Until the connection is open: DNS, TCP and TLS.
    pub connect_timeout: Duration,
    /// Until the first byte of a read's response, retries included: silence is reported and not
    /// waited for twice.
    pub first_byte_timeout_read: Duration,
    /// Until the first byte of a write's response.
    pub first_byte_timeout_write: Duration,
    /// The service counts as slow after this long without a first byte.
    pub slow_after: Duration,
    /// Between two chunks of a response.
    pub idle_timeout: Duration,
    /// A response that brings less than [`Limits::min_bytes_per_window`] in this time has stalled.
    pub stall_window: Duration,
    /// See [`Limits::stall_window`].
    pub min_bytes_per_window: usize,
    /// The whole request, retries and pauses included: the longest wait for a slow line that still
    /// moves.
    pub total_timeout: Duration,
    /// Maximum size of a response in bytes, decompressed.
    pub max_response_bytes: usize,
    /// Maximum size of an error response in bytes, decompressed.
    pub max_error_bytes: usize,
    /// Use a retry budget of this client instead of the process-wide one.
    pub has_own_budget: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            connect_timeout: Duration::from_secs(5),
            first_byte_timeout_read: Duration::from_secs(15),
            first_byte_timeout_write: Duration::from_secs(20),
            slow_after: Duration::from_secs(3),
            idle_timeout: Duration::from_secs(10),
            stall_window: Duration::from_secs(15),
            min_bytes_per_window: 64 * 15,
            total_timeout: Duration::from_secs(60),
            max_response_bytes: 8 * 1024 * 1024,
            max_error_bytes: 64 * 1024,
            has_own_budget: false,
        }
    }
}

impl Limits {
    fn first_byte_timeout(&self, request: &Request) -> Duration {
        if request.is_read() {
            self.first_byte_timeout_read
        } else {
            self.first_byte_timeout_write
        }
    }

    /// The limits for this overall timeout: the others shrink in proportion, sizes stay.
    pub fn with_total_timeout(whole: Duration) -> Limits {
        let limits = Limits::default();
        let part =
            |time: Duration| time.mul_f64(whole.as_secs_f64() / limits.total_timeout.as_secs_f64());
        Limits {
            connect_timeout: part(limits.connect_timeout),
            first_byte_timeout_read: part(limits.first_byte_timeout_read),
            first_byte_timeout_write: part(limits.first_byte_timeout_write),
            slow_after: part(limits.slow_after),
            idle_timeout: part(limits.idle_timeout),
            stall_window: part(limits.stall_window),
            min_bytes_per_window: (limits.min_bytes_per_window as f64 * whole.as_secs_f64()
                / limits.total_timeout.as_secs_f64()) as usize,
            total_timeout: whole,
            ..limits
        }
    }
}

/// A 2xx with JSON, or with no body where a write may have none.
pub(super) struct RawResponse {
    pub(super) text: String,
    pub(super) date: Option<DateTime<Utc>>,
    /// What it cost by the header `X-Credits`, which our service sends with every response; the
    /// interface has it in the metadata of most.
    pub(super) credits: Option<u64>,
    /// For messages: `GET /signals/queue`.
    pub(super) route: String,
    /// An earlier send of the same request may have been applied.
    pub(super) was_retried: bool,
}

impl RawResponse {
    pub(super) fn with_value<T>(&self, value: T, credits: Option<u64>) -> super::Response<T> {
        super::Response {
            value,
            credits,
            date: self.date,
            was_retried: self.was_retried,
        }
    }
}

/// One send without a usable response.
struct TransportError {
    error: AttemptError,
    failure: RequestError,
    /// The `Retry-After` of the route, if there was one.
    retry_after: Option<Duration>,
}

impl TransportError {
    fn new(trouble: AttemptError, failure: RequestError) -> Self {
        TransportError {
            error: trouble,
            failure,
            retry_after: None,
        }
    }

    /// Whether it was applied is unknown.
    fn ambiguous(trouble: AttemptError, why: String) -> Self {
        TransportError::new(trouble, RequestError::new_ambiguous(why))
    }
}

impl Client {
    /// Sends a request, and reports how long it took, with all repeats.
    pub(super) async fn send_timed(
        &self,
        request: Request,
    ) -> (Result<RawResponse, RequestError>, Duration) {
        let started = Instant::now();
        let answer = self.send_verified(request).await;
        (answer, started.elapsed())
    }

    /// Sends a request until it succeeds, is rejected, or has been sent as often as its class and
    /// the budget allow. Nothing is sent after a rejected credential or to a rate-limited route.
    /// Dropping the future cancels the request.
    pub(super) async fn send(&self, mut request: Request) -> Result<RawResponse, RequestError> {
        if let Some(workspace) = &self.0.workspace {
            request.add_workspace(&workspace.to_string());
        }
        let (link, limits) = (&self.0.connection, &self.0.limits);
        let route = request.route();
        let most = if link.is_offline() {
            1
        } else {
            retry_policy::MAX_SENDS
        };
        let (mut sends, mut spent, mut repeated) = (0, 0, false);
        let mut patience = limits.first_byte_timeout(&request);
        let mut deadline = None;
        let failure = loop {
            let place = link.acquire().await;
            if let Some(failure) = link.auth_failure() {
                break failure;
            }
            let deadline = *deadline.get_or_insert_with(|| Instant::now() + limits.total_timeout);
            if let Some(wait) = link.throttled_for(&route, current_timestamp()) {
                drop(place);
                let pause = retry_policy::add_jitter(wait, rand::random());
                if wait > retry_policy::MAX_INTERACTIVE_WAIT || Instant::now() + pause >= deadline {
                    break error_envelope::throttled_error(&self.0.host, wait);
                }
                sleep(pause).await;
                continue;
            }
            sends += 1;
            let late = || {
                let words = format!(
                    "{} took longer than {}",
                    self.0.host,
                    error_message::format_seconds(limits.total_timeout)
                );
                TransportError::ambiguous(AttemptError::Final, words)
            };
            let sent = Instant::now();
            let miss = match timeout_at(deadline, self.send_once(&request, sent + patience)).await {
                Ok(Ok(answered)) => {
                    link.budget.refill(spent);
                    link.record_success(current_timestamp());
                    return Ok(RawResponse {
                        was_retried: repeated,
                        ..answered
                    });
                }
                Ok(Err(miss)) => TransportError {
                    failure: self.redact_token(miss.failure),
                    ..miss
                },
                Err(_) => late(),
            };
            drop(place);
            patience = patience.saturating_sub(sent.elapsed());
            tracing::debug!(method = %request.method, route, sends, ms = sent.elapsed().as_millis() as u64, trouble = ?miss.error, "no answer");
            link.record_failure(&route, &miss.failure, miss.retry_after, current_timestamp());
            if repeated
                && request.retry_class == RetryClass::Delete
                && miss.failure.status() == Some(404)
            {
                return Ok(RawResponse {
                    text: String::new(),
                    date: None,
                    credits: None,
                    route: request.to_string(),
                    was_retried: true,
                });
            }
            if self.0.workspace.is_none() && is_missing_workspace(&miss.failure) {
                let words = "no workspace is set; use --workspace, GANTRY_WORKSPACE or the profile's workspace";
                return Err(RequestError {
                    message: words.to_owned(),
                    ..miss.failure
                });
            }
            let pause = retry_policy::backoff(sends, rand::random());
            let soon = miss
                .retry_after
                .is_none_or(|wait| wait <= retry_policy::MAX_INTERACTIVE_WAIT)
                && Instant::now() + pause < deadline;
            if !(soon
                && sends < request.retry_class.max_sends(miss.error).min(most)
                && link.budget.try_spend(retry_policy::RETRY_COST))
            {
                break miss.failure;
            }
            spent += retry_policy::RETRY_COST;
            sleep(pause).await;
            if miss.failure.kind == RequestErrorKind::Ambiguous {
                repeated = true;
                if let Err(why) = self.record_retry(&request).await {
                    break RequestError {
                        message: format!("{}; not retried: {why}", miss.failure.message),
                        ..miss.failure
                    };
                }
            }
        };
        link.record_give_up(&failure, current_timestamp());
        Err(if request.is_read() {
            failure
        } else {
            with_unknown_outcome(failure, repeated)
        })
    }

    /// Removes the token from a failure, in case the service repeats it in its message.
    fn redact_token(&self, mut failure: RequestError) -> RequestError {
        let token = self
            .0
            .token
            .to_str()
            .unwrap_or_default()
            .trim_start_matches("Bearer ");
        if token.len() >= MIN_REDACTED_TOKEN_LEN {
            failure.message = failure.message.replace(token, "(the token)");
            if let RequestErrorKind::Rejected(refusal) = &mut failure.kind {
                refusal.message = refusal.message.replace(token, "(the token)");
                refusal.code = refusal.code.replace(token, "(the token)");
            }
        }
        failure
    }

    /// Sends it once; the first byte must arrive before `silence`.
    async fn send_once(
        &self,
        request: &Request,
        silence: Instant,
    ) -> Result<RawResponse, TransportError> {
        let inner = &self.0;
        let mut builder = inner
            .http
            .request(request.method.clone(), inner.base_url.join(&request.path))
            .header(header::AUTHORIZATION, inner.token.clone())
            .header(header::ACCEPT, "application/json")
            .query(&request.query);
        if let Some(body) = &request.body {
            builder = builder.json(body);
        }
        if let Some(key) = &request.idempotency_key {
            builder = builder.header("Idempotency-Key", key);
        }
        let started = Instant::now();
        let mut sending = pin!(builder.send());
        let slow = silence.min(Instant::now() + inner.limits.slow_after);
        let answer = match timeout_at(slow, &mut sending).await {
            Ok(answer) => Ok(answer),
            Err(_) => {
                inner.connection.record_slow();
                timeout_at(silence, sending).await
            }
        };
        let response = match answer {
            Ok(Ok(response)) => response,
            Ok(Err(error)) if error.is_builder() => {
                return Err(TransportError::new(
                    AttemptError::Final,
                    RequestError::new_not_sent(error_message::connection_error_message(
                        &inner.host,
                        &error,
                    )),
                ));
            }
            Ok(Err(error)) if error.is_connect() => {
                let trouble = if error_message::is_tls(&error) || error.is_timeout() {
                    AttemptError::Final
                } else {
                    AttemptError::NotSent
                };
                return Err(TransportError::new(
                    trouble,
                    RequestError::new_not_sent(error_message::connection_error_message(
                        &inner.host,
                        &error,
                    )),
                ));
            }
            Ok(Err(error)) => {
                return Err(TransportError::ambiguous(
                    AttemptError::Lost,
                    error_message::connection_error_message(&inner.host, &error),
                ));
            }
            Err(_) => {
                let limit = error_message::format_seconds(inner.limits.first_byte_timeout(request));
                let words = format!("{} did not answer within {limit}", inner.host);
                return Err(TransportError::ambiguous(AttemptError::Final, words));
            }
        };
        // The route has no ids, and a query is never logged: it may be what somebody searches for.
        let (route, status, ms) = (
            request.route(),
            response.status().as_u16(),
            started.elapsed().as_millis() as u64,
        );
        let request_id = response
            .headers()
            .get("x-request-id")
            .and_then(|id| id.to_str().ok());
        tracing::debug!(route, status, ms, request_id, "answered");
        self.read_response(request, response).await
    }

    async fn read_response(
        &self,
        request: &Request,
        response: Response,
    ) -> Result<RawResponse, TransportError> {
        let (host, route) = (&self.0.host, request.to_string());
        let status = response.status();
        let text = |name| {
            response
                .headers()
                .get(name)
                .and_then(|value: &header::HeaderValue| value.to_str().ok())
        };
        let date = text(header::DATE)
            .and_then(|date| DateTime::parse_from_rfc2822(date).ok())
            .map(|date| date.with_timezone(&Utc));
        let credits = response.headers().get("x-credits");
        let credits = credits.and_then(|credits| credits.to_str().ok()?.parse().ok());
        // A date is by the service's clock, which it sends in the same response.
        let wait = text(header::RETRY_AFTER).map(|value| {
            retry_policy::parse_retry_after(Some(value), date.unwrap_or_else(Utc::now))
        });
        if status.is_redirection() {
            let there = text(header::LOCATION).and_then(|to| response.url().join(to).ok());
            let there = there
                .and_then(|to| to.host_str().map(str::to_owned))
                .unwrap_or_else(|| "another page".to_owned());
            let words = format!(
                "{host} redirects to {there} ({}), which is not followed; check the address",
                status.as_str()
            );
            return Err(TransportError::ambiguous(AttemptError::Final, words));
        }
        if !status.is_success() {
            let request_id = response
                .headers()
                .get("x-request-id")
                .and_then(|id| id.to_str().ok())
                .map(|id| Box::new(RequestId(id.to_owned())));
            let body = read_body(host, response, &self.0.limits, true)
                .await
                .unwrap_or_default();
            let later = status == StatusCode::TOO_MANY_REQUESTS;
            let wait = if later {
                Some(wait.unwrap_or(retry_policy::DEFAULT_RETRY_AFTER))
            } else {
                wait
            };
            let mut failure = error_envelope::error_from_response(
                host,
                &route,
                status,
                &String::from_utf8_lossy(&body),
                wait,
            );
            if let RequestErrorKind::Rejected(refusal) = &mut failure.kind {
                refusal.request_id = request_id;
            }
            let trouble = match &failure.kind {
                _ if later => AttemptError::Later,
                RequestErrorKind::Ambiguous
                    if status != StatusCode::NETWORK_AUTHENTICATION_REQUIRED =>
                {
                    AttemptError::Lost
                }
                _ => AttemptError::Final,
            };
            return Err(TransportError {
                error: trouble,
                failure,
                retry_after: wait,
            });
        }
        let body = read_body(host, response, &self.0.limits, false).await?;
        let unusable = |what: String| {
            TransportError::ambiguous(
                AttemptError::Unusable,
                format!("{what} from {host} to {route}"),
            )
        };
        let body = body
            .strip_prefix(b"\xef\xbb\xbf")
            .map(<[u8]>::to_vec)
            .unwrap_or(body);
        let text = String::from_utf8(body).map_err(|error| {
            unusable(format!(
                "bad response (invalid UTF-8 at byte {})",
                error.utf8_error().valid_up_to()
            ))
        })?;
        if is_html(&text) {
            let words = format!(
                "a web page answered instead of {host}; sign in to the network or check the address"
            );
            return Err(TransportError::ambiguous(AttemptError::Final, words));
        }
        if text.trim().is_empty() {
            if !request.allows_empty_response() {
                return Err(unusable("empty response".to_owned()));
            }
            return Ok(RawResponse {
                text: String::new(),
                date,
                credits,
                route,
                was_retried: false,
            });
        }
        if let Err(error) = serde_json::from_str::<&RawValue>(&text) {
            return Err(unusable(format!(
                "bad response (invalid JSON at line {}, column {})",
                error.line(),
                error.column()
            )));
        }
        Ok(RawResponse {
            text,
            date,
            credits,
            route,
            was_retried: false,
        })
    }
}

/// Reads a body up to its limit, chunk by chunk as it is decompressed. An error body is cut to the
/// limit.
async fn read_body(
    host: &str,
    mut response: Response,
    limits: &Limits,
    is_refusal: bool,
) -> Result<Vec<u8>, TransportError> {
    let max = if is_refusal {
        limits.max_error_bytes
    } else {
        limits.max_response_bytes
    };
    let mut body = Vec::new();
    let (mut window, mut before) = (Instant::now(), 0);
    let stalled = || {
        TransportError::ambiguous(
            AttemptError::Final,
            format!("the response from {host} stalled"),
        )
    };
    loop {
        let piece = match timeout(limits.idle_timeout, response.chunk()).await {
            Err(_) => return Err(stalled()),
            Ok(Err(error)) => {
                let words = format!(
                    "the response from {host} was cut off after {} bytes ({})",
                    body.len(),
                    error_message::short_reason(&error)
                );
                return Err(TransportError::ambiguous(AttemptError::Lost, words));
            }
            Ok(Ok(None)) => return Ok(body),
            Ok(Ok(Some(piece))) => piece,
        };
        if body.len() + piece.len() > max {
            if is_refusal {
                body.extend(piece.iter().take(max - body.len()));
                return Ok(body);
            }
            let words = format!(
                "the response from {host} is too large (limit {} MiB)",
                max / 1024 / 1024
            );
            return Err(TransportError::ambiguous(AttemptError::Final, words));
        }
        body.extend_from_slice(&piece);
        if window.elapsed() >= limits.stall_window {
            if body.len() - before < limits.min_bytes_per_window {
                return Err(stalled());
            }
            (window, before) = (Instant::now(), body.len());
        }
    }
}

fn current_timestamp() -> Timestamp {
    Timestamp {
        monotonic: Instant::now(),
        wall: Utc::now(),
    }
}

/// The failure of a write. Once a response was lost the outcome stays unknown and the message says
/// so; a rejection only concerns the last send.
fn with_unknown_outcome(failure: RequestError, repeated: bool) -> RequestError {
    if !repeated && failure.kind != RequestErrorKind::Ambiguous {
        return failure;
    }
    let unknown = "whether it was applied is unknown";
    if failure.message.ends_with(unknown) {
        return RequestError::new_ambiguous(failure.message); // the service itself says so
    }
    RequestError::new_ambiguous(format!("{}; {unknown}", failure.message))
}

/// A user token requires a workspace: the service has said so.
fn is_missing_workspace(failure: &RequestError) -> bool {
    failure.status() == Some(400) && failure.message.contains("workspace_id")
}

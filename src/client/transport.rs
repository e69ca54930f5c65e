//! Sending: the token to its own origin alone, time limits, size limits, and repeats by route class.
//!
//! Never here: what a route means. No redirect is followed, nothing is repeated by the HTTP library, and an answer is a success
//! only when it is a 2xx and JSON.

use std::pin::pin;
use std::time::Duration;

use chrono::{DateTime, Utc};
use reqwest::{Response, StatusCode, header};
use serde_json::value::RawValue;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::domain::failure::{RequestError, RequestErrorKind};

use super::Client;
use super::link::Moment;
use super::refusal::{self, is_html};
use super::request::Request;
use super::retry::{self, Class, Trouble};
use super::words;

/// A token that is shorter is a word that any sentence may hold.
const SECRET: usize = 6;

/// How long and how much a request may be. The default is for a person who waits.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// To an open connection: DNS, TCP and TLS.
    pub connect: Duration,
    /// To the first byte of a read's answer, repeats included: silence is told, and not waited for twice.
    pub first_byte_read: Duration,
    /// To the first byte of a write's answer.
    pub first_byte_write: Duration,
    /// After so long without a first byte the service is called slow.
    pub slow: Duration,
    /// Between two pieces of an answer.
    pub idle: Duration,
    /// In each such window an answer brings [`Limits::stalled_bytes`], or it has stalled.
    pub stalled_window: Duration,
    /// See [`Limits::stalled_window`].
    pub stalled_bytes: usize,
    /// The whole of it, repeats and pauses included: a slow line that moves is waited for so long.
    pub whole: Duration,
    /// The most bytes of an answer, after inflating.
    pub answer: usize,
    /// The most bytes of a refusal, after inflating.
    pub refusal: usize,
    /// Repeats are paid from a budget of this client's own and not from the one of the process.
    pub own_budget: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            connect: Duration::from_secs(5),
            first_byte_read: Duration::from_secs(15),
            first_byte_write: Duration::from_secs(20),
            slow: Duration::from_secs(3),
            idle: Duration::from_secs(10),
            stalled_window: Duration::from_secs(15),
            stalled_bytes: 64 * 15,
            whole: Duration::from_secs(60),
            answer: 8 * 1024 * 1024,
            refusal: 64 * 1024,
            own_budget: false,
        }
    }
}

impl Limits {
    fn first_byte(&self, request: &Request) -> Duration {
        if request.is_read() { self.first_byte_read } else { self.first_byte_write }
    }

    /// The limits of a request that may take so long in all: the parts keep their proportion, sizes stay.
    pub fn within(whole: Duration) -> Limits {
        let limits = Limits::default();
        let part = |time: Duration| time.mul_f64(whole.as_secs_f64() / limits.whole.as_secs_f64());
        Limits {
            connect: part(limits.connect),
            first_byte_read: part(limits.first_byte_read),
            first_byte_write: part(limits.first_byte_write),
            slow: part(limits.slow),
            idle: part(limits.idle),
            stalled_window: part(limits.stalled_window),
            stalled_bytes: (limits.stalled_bytes as f64 * whole.as_secs_f64() / limits.whole.as_secs_f64()) as usize,
            whole,
            ..limits
        }
    }
}

/// A 2xx with JSON, or with nothing where a write may be answered so.
pub(super) struct Answered {
    pub(super) text: String,
    pub(super) date: Option<DateTime<Utc>>,
    /// For messages: `GET /signals/queue`.
    pub(super) route: String,
    /// An earlier send of the same request may have been applied.
    pub(super) repeated: bool,
}

/// One send that gave no usable answer.
struct Miss {
    trouble: Trouble,
    failure: RequestError,
    /// How long the service wants the route to be left alone, when it said so.
    wait: Option<Duration>,
}

impl Miss {
    fn new(trouble: Trouble, failure: RequestError) -> Self {
        Miss { trouble, failure, wait: None }
    }
}

impl Client {
    /// Sends a request until it is answered, refused, or has been sent as often as its class and the budget allow. Nothing is sent
    /// after a refused credential, nor to a route that the service wants to be left alone. Dropping this stops the request.
    pub(super) async fn send(&self, mut request: Request) -> Result<Answered, RequestError> {
        if let Some(workspace) = &self.0.workspace {
            request.in_workspace(&workspace.to_string());
        }
        let (link, limits) = (&self.0.link, &self.0.limits);
        let route = request.route();
        let most = if link.is_offline() { 1 } else { retry::SENDS };
        let (mut sends, mut spent, mut repeated) = (0, 0, false);
        let mut patience = limits.first_byte(&request);
        let mut deadline = None;
        let failure = loop {
            let place = link.place().await;
            if let Some(failure) = link.refused() {
                break failure;
            }
            let deadline = *deadline.get_or_insert_with(|| Instant::now() + limits.whole);
            if let Some(wait) = link.hold(&route, now()) {
                drop(place);
                let pause = retry::spread(wait, rand::random());
                if wait > retry::PATIENCE || Instant::now() + pause >= deadline {
                    break refusal::held(&self.0.host, wait);
                }
                sleep(pause).await;
                continue;
            }
            sends += 1;
            let late = || {
                let words = format!("{} took longer than {}", self.0.host, words::seconds(limits.whole));
                Miss::new(Trouble::Final, RequestError::new_ambiguous(words))
            };
            let sent = Instant::now();
            let miss = match timeout_at(deadline, self.once(&request, sent + patience)).await {
                Ok(Ok(answered)) => {
                    link.budget.earn(spent);
                    link.answered(now());
                    return Ok(Answered { repeated, ..answered });
                }
                Ok(Err(miss)) => Miss { failure: self.without_token(miss.failure), ..miss },
                Err(_) => late(),
            };
            drop(place);
            patience = patience.saturating_sub(sent.elapsed());
            tracing::debug!(method = %request.method, route, sends, ms = sent.elapsed().as_millis() as u64, trouble = ?miss.trouble, "no answer");
            link.missed(&route, &miss.failure, miss.wait, now());
            if repeated && request.class == Class::Delete && miss.failure.status() == Some(404) {
                return Ok(Answered { text: String::new(), date: None, route: request.to_string(), repeated: true });
            }
            if self.0.workspace.is_none() && asks_for_a_workspace(&miss.failure) {
                let words = "no workspace is set; name it with --workspace, GANTRY_WORKSPACE or the profile's workspace";
                return Err(RequestError { message: words.to_owned(), ..miss.failure });
            }
            let pause = retry::pause(sends, rand::random());
            let soon = miss.wait.is_none_or(|wait| wait <= retry::PATIENCE) && Instant::now() + pause < deadline;
            if !(soon && sends < request.class.sends(miss.trouble).min(most) && link.budget.spend(retry::PRICE)) {
                break miss.failure;
            }
            spent += retry::PRICE;
            sleep(pause).await;
            if miss.failure.kind == RequestErrorKind::Ambiguous {
                repeated = true;
                if let Err(why) = self.repeat(&request).await {
                    break RequestError {
                        message: format!("{}; it was not asked again: {why}", miss.failure.message),
                        ..miss.failure
                    };
                }
            }
        };
        link.gave_up(&failure, now());
        Err(if request.is_read() { failure } else { told(failure, repeated) })
    }

    /// The failure of a service that repeats the token in its words, without it.
    fn without_token(&self, mut failure: RequestError) -> RequestError {
        let token = self.0.token.to_str().unwrap_or_default().trim_start_matches("Bearer ");
        if token.len() >= SECRET {
            failure.message = failure.message.replace(token, "(the token)");
            if let RequestErrorKind::Rejected(refusal) = &mut failure.kind {
                refusal.message = refusal.message.replace(token, "(the token)");
                refusal.code = refusal.code.replace(token, "(the token)");
            }
        }
        failure
    }

    /// Sends it once; the first byte of its answer has until `silence`.
    async fn once(&self, request: &Request, silence: Instant) -> Result<Answered, Miss> {
        let inner = &self.0;
        let mut builder = inner
            .http
            .request(request.method.clone(), inner.base.join(&request.path))
            .header(header::AUTHORIZATION, inner.token.clone())
            .header(header::ACCEPT, "application/json")
            .query(&request.query);
        if let Some(body) = &request.body {
            builder = builder.json(body);
        }
        if let Some(key) = &request.key {
            builder = builder.header("Idempotency-Key", key);
        }
        let mut sending = pin!(builder.send());
        let slow = silence.min(Instant::now() + inner.limits.slow);
        let answer = match timeout_at(slow, &mut sending).await {
            Ok(answer) => Ok(answer),
            Err(_) => {
                inner.link.slow();
                timeout_at(silence, sending).await
            }
        };
        let response = match answer {
            Ok(Ok(response)) => response,
            Ok(Err(error)) if error.is_builder() => {
                return Err(Miss::new(Trouble::Final, RequestError::new_not_sent(words::of(&inner.host, &error))));
            }
            Ok(Err(error)) if error.is_connect() => {
                let trouble = if words::is_tls(&error) || error.is_timeout() { Trouble::Final } else { Trouble::NotSent };
                return Err(Miss::new(trouble, RequestError::new_not_sent(words::of(&inner.host, &error))));
            }
            Ok(Err(error)) => return Err(Miss::new(Trouble::Lost, RequestError::new_ambiguous(words::of(&inner.host, &error)))),
            Err(_) => {
                let limit = words::seconds(inner.limits.first_byte(request));
                let words = format!("{} did not answer within {limit}", inner.host);
                return Err(Miss::new(Trouble::Final, RequestError::new_ambiguous(words)));
            }
        };
        self.answer(request, response).await
    }

    async fn answer(&self, request: &Request, response: Response) -> Result<Answered, Miss> {
        let (host, route) = (&self.0.host, request.to_string());
        let status = response.status();
        let text = |name| response.headers().get(name).and_then(|value: &header::HeaderValue| value.to_str().ok());
        let date =
            text(header::DATE).and_then(|date| DateTime::parse_from_rfc2822(date).ok()).map(|date| date.with_timezone(&Utc));
        // A date is by the clock of the service, which it tells beside it.
        let wait = text(header::RETRY_AFTER).map(|value| retry::retry_after(Some(value), date.unwrap_or_else(Utc::now)));
        if status.is_redirection() {
            let there = text(header::LOCATION).and_then(|to| response.url().join(to).ok());
            let there = there.and_then(|to| to.host_str().map(str::to_owned)).unwrap_or_else(|| "another page".to_owned());
            let words =
                format!("{host} sends this on to {there} ({}), which is not followed; is the address right?", status.as_str());
            return Err(Miss::new(Trouble::Final, RequestError::new_ambiguous(words)));
        }
        if !status.is_success() {
            let body = read(host, response, &self.0.limits, true).await.unwrap_or_default();
            let later = status == StatusCode::TOO_MANY_REQUESTS;
            let wait = if later { Some(wait.unwrap_or(retry::UNSAID)) } else { wait };
            let failure = refusal::refusal(host, &route, status, &String::from_utf8_lossy(&body), wait);
            let trouble = match &failure.kind {
                _ if later => Trouble::Later,
                RequestErrorKind::Ambiguous if status != StatusCode::NETWORK_AUTHENTICATION_REQUIRED => Trouble::Lost,
                _ => Trouble::Final,
            };
            return Err(Miss { trouble, failure, wait });
        }
        let body = read(host, response, &self.0.limits, false).await?;
        let unusable =
            |what: String| Miss::new(Trouble::Unusable, RequestError::new_ambiguous(format!("{what} from {host} to {route}")));
        let body = body.strip_prefix(b"\xef\xbb\xbf").map(<[u8]>::to_vec).unwrap_or(body);
        let text = String::from_utf8(body)
            .map_err(|error| unusable(format!("bad answer (no UTF-8 at byte {})", error.utf8_error().valid_up_to())))?;
        if is_html(&text) {
            let words = format!("a web page answered instead of {host}: a sign-in page of the network, or a wrong address");
            return Err(Miss::new(Trouble::Final, RequestError::new_ambiguous(words)));
        }
        if text.trim().is_empty() {
            if !request.may_be_answered_empty() {
                return Err(unusable("empty answer".to_owned()));
            }
            return Ok(Answered { text: String::new(), date, route, repeated: false });
        }
        if let Err(error) = serde_json::from_str::<&RawValue>(&text) {
            return Err(unusable(format!("bad answer (no JSON at line {}, column {})", error.line(), error.column())));
        }
        Ok(Answered { text, date, route, repeated: false })
    }
}

/// Reads a body up to its limit, piece by piece as it is inflated. Of a refusal what fits is kept.
async fn read(host: &str, mut response: Response, limits: &Limits, is_refusal: bool) -> Result<Vec<u8>, Miss> {
    let max = if is_refusal { limits.refusal } else { limits.answer };
    let mut body = Vec::new();
    let (mut window, mut before) = (Instant::now(), 0);
    let stalled = || Miss::new(Trouble::Final, RequestError::new_ambiguous(format!("the answer of {host} stalled")));
    loop {
        let piece = match timeout(limits.idle, response.chunk()).await {
            Err(_) => return Err(stalled()),
            Ok(Err(error)) => {
                let words = format!("the answer of {host} broke off after {} bytes ({})", body.len(), words::reason(&error));
                return Err(Miss::new(Trouble::Lost, RequestError::new_ambiguous(words)));
            }
            Ok(Ok(None)) => return Ok(body),
            Ok(Ok(Some(piece))) => piece,
        };
        if body.len() + piece.len() > max {
            if is_refusal {
                body.extend(piece.iter().take(max - body.len()));
                return Ok(body);
            }
            let words = format!("the answer of {host} is too large (limit {} MiB)", max / 1024 / 1024);
            return Err(Miss::new(Trouble::Final, RequestError::new_ambiguous(words)));
        }
        body.extend_from_slice(&piece);
        if window.elapsed() >= limits.stalled_window {
            if body.len() - before < limits.stalled_bytes {
                return Err(stalled());
            }
            (window, before) = (Instant::now(), body.len());
        }
    }
}

fn now() -> Moment {
    Moment { running: Instant::now(), wall: Utc::now() }
}

/// A failure of a write: what was lost once stays unknown, and the message says so. A refusal is of the last send alone.
fn told(failure: RequestError, repeated: bool) -> RequestError {
    if !repeated && failure.kind != RequestErrorKind::Ambiguous {
        return failure;
    }
    RequestError::new_ambiguous(format!("{}; whether it was applied is unknown", failure.message))
}

/// A user token goes with a workspace that is named: the service has said so.
fn asks_for_a_workspace(failure: &RequestError) -> bool {
    failure.status() == Some(400) && failure.message.contains("workspace_id")
}

//! A proxy in front of a service: it records every request, classifies writes, and can change
//! responses.
#![allow(
    clippy::unwrap_used,
    dead_code,
    reason = "each test uses only a part of it"
)]

use std::sync::{Arc, Mutex};

use gantry::interface::routes;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A recorded request.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedRequest {
    /// `POST /signals/triage`, without base and query.
    pub line: String,
    /// The route, as in the service's table.
    pub route: String,
    /// Whether that route requires the write scope.
    pub writes: bool,
    /// The body; null if there is none.
    pub body: Value,
}

/// Changes the response to a request.
pub type ResponseEdit = Box<dyn Fn(&RecordedRequest, Value) -> Value + Send>;

/// The proxy.
pub struct RecordingProxy {
    /// Its address, including `/api/v1`.
    pub base_url: String,
    state: Arc<ProxyState>,
}

struct ProxyState {
    upstream: String,
    routes: Vec<(String, Vec<&'static str>, bool)>,
    requests: Mutex<Vec<RecordedRequest>>,
    lines: Mutex<Vec<String>>,
    response_edit: Mutex<Option<ResponseEdit>>,
}

impl RecordingProxy {
    /// A proxy to the service at this address. Must be called within a tokio runtime.
    pub async fn start(base_url: &str) -> RecordingProxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let own = format!("http://{}/api/v1", listener.local_addr().unwrap());
        let table = routes().into_iter().map(|route| {
            (
                route.method.to_string(),
                route.path.split('/').collect(),
                !route.is_read(),
            )
        });
        let shared = Arc::new(ProxyState {
            upstream: base_url.split('/').nth(2).unwrap().to_owned(),
            routes: table.collect(),
            requests: Mutex::default(),
            lines: Mutex::default(),
            response_edit: Mutex::default(),
        });
        let state = shared.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let state = state.clone();
                tokio::spawn(async move { serve_connection(stream, &state).await });
            }
        });
        RecordingProxy {
            base_url: own,
            state: shared,
        }
    }

    /// Changes every JSON response from now on.
    pub fn edit_responses(
        &self,
        change: impl Fn(&RecordedRequest, Value) -> Value + Send + 'static,
    ) {
        *self.state.response_edit.lock().unwrap() = Some(Box::new(change));
    }

    /// The lines of all requests since the last call, including those taken meanwhile.
    pub fn take_lines(&self) -> Vec<String> {
        std::mem::take(&mut *self.state.lines.lock().unwrap())
    }

    /// The requests since the last call.
    pub fn take_requests(&self) -> Vec<RecordedRequest> {
        std::mem::take(&mut *self.state.requests.lock().unwrap())
    }
}

impl ProxyState {
    fn record_of(&self, head: &str, body: &[u8]) -> RecordedRequest {
        let mut words = head.split(' ');
        let (method, target) = (
            words.next().unwrap_or_default(),
            words.next().unwrap_or_default(),
        );
        let path = target
            .split('?')
            .next()
            .unwrap_or_default()
            .trim_start_matches("/api/v1");
        let parts: Vec<&str> = path.split('/').collect();
        let fits = |template: &[&str]| {
            template.len() == parts.len()
                && template
                    .iter()
                    .zip(&parts)
                    .all(|(of, part)| of == part || of.starts_with('{'))
        };
        let known = self
            .routes
            .iter()
            .filter(|(of, template, _)| of == method && fits(template));
        let route = known.min_by_key(|(_, template, _)| {
            template.iter().filter(|part| part.starts_with('{')).count()
        });
        RecordedRequest {
            line: format!("{method} {path}"),
            route: route
                .map(|(method, template, _)| format!("{method} {}", template.join("/")))
                .unwrap_or_default(),
            // An unknown route counts as a write, so that nothing is missed.
            writes: route.is_none_or(|(_, _, writes)| *writes),
            body: serde_json::from_slice(body).unwrap_or_default(),
        }
    }
}

/// Serves one connection until either side closes it.
async fn serve_connection(mut client: TcpStream, shared: &ProxyState) {
    let _ = client.set_nodelay(true);
    while let Some(request) = read_message(&mut client).await {
        let asked = shared.record_of(&request.head, &request.body);
        shared.lines.lock().unwrap().push(asked.line.clone());
        shared.requests.lock().unwrap().push(asked.clone());
        let Some(answer) = forward_request(&request, &shared.upstream).await else {
            return;
        };
        let body = match (
            &*shared.response_edit.lock().unwrap(),
            serde_json::from_slice::<Value>(&answer.body),
        ) {
            (Some(change), Ok(value)) => change(&asked, value).to_string().into_bytes(),
            _ => answer.body,
        };
        let kept = answer
            .head
            .lines()
            .filter(|line| !line.to_ascii_lowercase().starts_with("content-length"));
        let head: Vec<&str> = kept.collect();
        let length = if answer.head.contains(" 204 ") {
            String::new()
        } else {
            format!("content-length: {}\r\n", body.len())
        };
        let head = format!("{}\r\n{length}\r\n", head.join("\r\n"));
        if client
            .write_all(&[head.as_bytes(), &body].concat())
            .await
            .is_err()
        {
            return;
        }
    }
}

async fn forward_request(request: &HttpMessage, upstream: &str) -> Option<HttpMessage> {
    let mut service = TcpStream::connect(upstream).await.ok()?;
    service.set_nodelay(true).ok()?;
    service
        .write_all(&[request.head.as_bytes(), b"\r\n\r\n", &request.body].concat())
        .await
        .ok()?;
    read_message(&mut service).await
}

struct HttpMessage {
    /// Without the empty line at its end.
    head: String,
    body: Vec<u8>,
}

/// A message with a `content-length`, or without a body.
async fn read_message(stream: &mut TcpStream) -> Option<HttpMessage> {
    let (mut bytes, mut piece) = (Vec::new(), vec![0; 64 * 1024]);
    let mut known: Option<(usize, usize)> = None;
    loop {
        if known.is_none()
            && let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n")
        {
            let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok())
                .unwrap_or(0);
            known = Some((end, length));
        }
        if let Some((end, length)) = known
            && bytes.len() >= end + 4 + length
        {
            return Some(HttpMessage {
                head: String::from_utf8_lossy(&bytes[..end]).into_owned(),
                body: bytes.split_off(end + 4),
            });
        }
        match stream.read(&mut piece).await {
            Ok(read) if read > 0 => bytes.extend_from_slice(&piece[..read]),
            _ => return None,
        }
    }
}

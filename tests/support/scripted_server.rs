//! A misbehaving server: each request gets the next action of a script, the last one repeatedly,
//! and is recorded.
#![allow(
    clippy::unwrap_used,
    dead_code,
    reason = "each test uses only a part of it"
)]

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::sleep;

/// What the server does with a request.
#[derive(Clone, Debug)]
pub enum ScriptedAction {
    /// Responds properly: status, additional header lines, body.
    Respond(u16, &'static str, Vec<u8>),
    /// Sends these bytes and closes.
    SendBytes(Vec<u8>),
    /// Sends nothing and keeps the connection open as long as the client does.
    Hang,
    /// Closes without a response.
    Close,
    /// Resets the connection without a response.
    Reset,
    /// Closes without a response and stops listening.
    Shutdown,
    /// Forwards the request to another server, and its response back.
    Forward(String),
    /// Announces a body and sends a byte of it now and then.
    Trickle(Duration),
    /// Sends these bytes in pieces, with a pause after each.
    SendSlowly(Vec<u8>, Duration),
}

impl ScriptedAction {
    /// 200 with JSON.
    pub fn json(body: &str) -> ScriptedAction {
        ScriptedAction::Respond(200, "content-type: application/json\r\n", body.into())
    }

    /// An error in the interface's envelope.
    pub fn error_response(
        status: u16,
        headers: &'static str,
        code: &str,
        message: &str,
    ) -> ScriptedAction {
        let body = serde_json::json!({"error": {"code": code, "message": message}}).to_string();
        ScriptedAction::Respond(status, headers, body.into())
    }

    /// 200 with JSON, keep-alive, followed by these bytes on the connection.
    pub fn keep_alive(body: &str, more: &str) -> ScriptedAction {
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        ScriptedAction::SendBytes(format!("{head}{body}{more}").into_bytes())
    }

    /// About this many MiB of one letter, as gzip.
    pub fn gzip_bomb(mib: usize) -> ScriptedAction {
        ScriptedAction::Respond(
            200,
            "content-type: application/json\r\ncontent-encoding: gzip\r\n",
            gzip_bomb_bytes(mib * 1024 * 1024),
        )
    }
}

/// A recorded request.
#[derive(Clone, Debug)]
pub struct ReceivedRequest {
    /// `GET /api/v1/workspace?..`.
    pub line: String,
    /// All header lines, in lower case.
    pub headers: String,
    pub body: String,
    /// When it was received.
    pub received_at: Instant,
}

/// The server.
pub struct ScriptedServer {
    /// Its address, including `/api/v1`.
    pub base_url: String,
    requests: Arc<Mutex<Vec<ReceivedRequest>>>,
    request_count: watch::Sender<usize>,
    disconnect_count: watch::Sender<usize>,
}

impl ScriptedServer {
    /// Starts a server with this script.
    pub async fn start(acts: impl IntoIterator<Item = ScriptedAction>) -> ScriptedServer {
        let acts: Vec<ScriptedAction> = acts.into_iter().collect();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/api/v1", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = seen.clone();
        let (came, left) = (watch::Sender::new(0), watch::Sender::new(0));
        let (coming, leaving) = (came.clone(), left.clone());
        tokio::spawn(async move {
            let mut next = 0;
            while let Ok((mut stream, _)) = listener.accept().await {
                let Some(request) = read_request(&mut stream).await else {
                    continue;
                };
                log.lock().unwrap().push(request.clone());
                coming.send_modify(|came| *came += 1);
                let act = acts[next.min(acts.len() - 1)].clone();
                next += 1;
                if matches!(act, ScriptedAction::Shutdown) {
                    return;
                }
                tokio::spawn(perform_action(stream, act, request, leaving.clone()));
            }
        });
        ScriptedServer {
            base_url,
            requests: seen,
            request_count: came,
            disconnect_count: left,
        }
    }

    /// Waits until this many requests have been received.
    pub async fn wait_for_requests(&self, count: usize) {
        self.request_count
            .subscribe()
            .wait_for(|came| *came >= count)
            .await
            .unwrap();
    }

    /// Waits until this many hanging requests were given up by the client.
    pub async fn wait_for_disconnects(&self, count: usize) {
        self.disconnect_count
            .subscribe()
            .wait_for(|left| *left >= count)
            .await
            .unwrap();
    }

    /// All requests so far, in order.
    pub fn requests(&self) -> Vec<ReceivedRequest> {
        self.requests.lock().unwrap().clone()
    }
}

async fn read_request(stream: &mut TcpStream) -> Option<ReceivedRequest> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let (line, headers) = head.split_once("\r\n").unwrap_or((head, ""));
            let headers = headers.to_lowercase();
            let length = headers
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "))
                .map_or(0, |n| n.trim().parse().unwrap());
            if body.len() >= length {
                let line = line.trim_end_matches(" HTTP/1.1").to_owned();
                return Some(ReceivedRequest {
                    line,
                    headers,
                    body: body.to_owned(),
                    received_at: Instant::now(),
                });
            }
        }
        match stream.read(&mut piece).await {
            Ok(n) if n > 0 => bytes.extend_from_slice(&piece[..n]),
            _ => return None,
        }
    }
}

async fn perform_action(
    mut stream: TcpStream,
    act: ScriptedAction,
    request: ReceivedRequest,
    left: watch::Sender<usize>,
) {
    match act {
        ScriptedAction::Respond(status, headers, body) => {
            let head = format!(
                "HTTP/1.1 {status} Whatever\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(head.as_bytes()).await;
            let _ = stream.write_all(&body).await;
        }
        ScriptedAction::SendBytes(bytes) => {
            let _ = stream.write_all(&bytes).await;
        }
        ScriptedAction::Hang => {
            while matches!(stream.read(&mut [0; 64]).await, Ok(n) if n > 0) {}
            left.send_modify(|left| *left += 1);
        }
        ScriptedAction::Close | ScriptedAction::Shutdown => {}
        ScriptedAction::Forward(host) => {
            let mut service = TcpStream::connect(host).await.unwrap();
            let ReceivedRequest {
                line,
                headers,
                body,
                ..
            } = request;
            let whole = format!("{line} HTTP/1.1\r\n{headers}\r\nconnection: close\r\n\r\n{body}");
            service.write_all(whole.as_bytes()).await.unwrap();
            let _ = tokio::io::copy(&mut service, &mut stream).await;
        }
        ScriptedAction::Reset => stream.set_zero_linger().unwrap(),
        ScriptedAction::SendSlowly(bytes, pause) => {
            for piece in bytes.chunks(bytes.len() / 10 + 1) {
                let _ = stream.write_all(piece).await;
                sleep(pause).await;
            }
        }
        ScriptedAction::Trickle(pause) => {
            let _ = stream
                .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n")
                .await;
            while stream.write_all(b" ").await.is_ok() {
                sleep(pause).await;
            }
        }
    }
}

/// A handmade gzip stream: one literal, then copies of it, 258 at a time. It has no end, because
/// nobody should read that far.
fn gzip_bomb_bytes(size: usize) -> Vec<u8> {
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let (mut bits, mut held) = (0u32, 0);
    let mut put = |code: u32, length: u32| {
        // Huffman codes are written with their highest bit first.
        for bit in (0..length).rev() {
            bits |= ((code >> bit) & 1) << held;
            held += 1;
            if held == 8 {
                out.push(bits as u8);
                (bits, held) = (0, 0);
            }
        }
    };
    put(0b1, 1); // the last block,
    put(0b10, 2); // of fixed codes
    put(0x30 + u32::from(b'x'), 8);
    for _ in 0..size / 258 {
        put(0b1100_0101, 8);
        put(0, 5);
    }
    out
}

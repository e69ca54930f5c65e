//! A socket that misbehaves: each request gets the next act of a script, the last one again and again, and is remembered.
#![allow(clippy::unwrap_used, dead_code, reason = "each test uses a part of it")]

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::sleep;

/// What the socket does with a request.
#[derive(Clone, Debug)]
pub enum Act {
    /// Answers properly: status, further header lines, body.
    Answer(u16, &'static str, Vec<u8>),
    /// Sends these bytes and closes.
    Bytes(Vec<u8>),
    /// Says nothing and keeps the connection for as long as the other side does.
    Hang,
    /// Closes without a word.
    Close,
    /// Resets the connection without a word.
    Reset,
    /// Closes without a word, and the socket goes away.
    Leave,
    /// Passes the request on to another socket, and its answer back.
    Pass(String),
    /// Promises a body and sends a byte of it now and then.
    Drip(Duration),
    /// Sends these bytes in pieces, with a pause after each.
    Slowly(Vec<u8>, Duration),
}

impl Act {
    /// 200 with JSON.
    pub fn json(body: &str) -> Act {
        Act::Answer(200, "content-type: application/json\r\n", body.into())
    }

    /// A refusal in the interface's envelope.
    pub fn refusal(status: u16, headers: &'static str, code: &str, message: &str) -> Act {
        let body = serde_json::json!({"error": {"code": code, "message": message}}).to_string();
        Act::Answer(status, headers, body.into())
    }

    /// 200 with JSON that says nothing of the connection's end, and what follows it there.
    pub fn kept(body: &str, more: &str) -> Act {
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", body.len());
        Act::Bytes(format!("{head}{body}{more}").into_bytes())
    }

    /// About so many MiB of one letter, as gzip.
    pub fn gzip_bomb(mib: usize) -> Act {
        Act::Answer(200, "content-type: application/json\r\ncontent-encoding: gzip\r\n", bomb(mib * 1024 * 1024))
    }
}

/// A request as it arrived.
#[derive(Clone, Debug)]
pub struct Seen {
    /// `GET /api/v1/workspace?..`.
    pub line: String,
    /// All header lines, in lower case.
    pub headers: String,
    /// The body.
    pub body: String,
    /// When it had arrived.
    pub at: Instant,
}

/// The socket.
pub struct Hostile {
    /// Its address, up to and with `/api/v1`.
    pub base_url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    came: watch::Sender<usize>,
    left: watch::Sender<usize>,
}

impl Hostile {
    /// Opens a socket that acts so.
    pub async fn start(acts: impl IntoIterator<Item = Act>) -> Hostile {
        let acts: Vec<Act> = acts.into_iter().collect();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/api/v1", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = seen.clone();
        let (came, left) = (watch::Sender::new(0), watch::Sender::new(0));
        let (coming, leaving) = (came.clone(), left.clone());
        tokio::spawn(async move {
            let mut next = 0;
            while let Ok((mut stream, _)) = listener.accept().await {
                let Some(request) = read(&mut stream).await else { continue };
                log.lock().unwrap().push(request.clone());
                coming.send_modify(|came| *came += 1);
                let act = acts[next.min(acts.len() - 1)].clone();
                next += 1;
                if matches!(act, Act::Leave) {
                    return;
                }
                tokio::spawn(perform(stream, act, request, leaving.clone()));
            }
        });
        Hostile { base_url, seen, came, left }
    }

    /// Waits until so many requests have come.
    pub async fn came(&self, count: usize) {
        self.came.subscribe().wait_for(|came| *came >= count).await.unwrap();
    }

    /// Waits until so many requests that hang were given up by the other side.
    pub async fn left(&self, count: usize) {
        self.left.subscribe().wait_for(|left| *left >= count).await.unwrap();
    }

    /// All that came, in order.
    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

async fn read(stream: &mut TcpStream) -> Option<Seen> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let (line, headers) = head.split_once("\r\n").unwrap_or((head, ""));
            let headers = headers.to_lowercase();
            let length =
                headers.lines().find_map(|line| line.strip_prefix("content-length: ")).map_or(0, |n| n.trim().parse().unwrap());
            if body.len() >= length {
                let line = line.trim_end_matches(" HTTP/1.1").to_owned();
                return Some(Seen { line, headers, body: body.to_owned(), at: Instant::now() });
            }
        }
        match stream.read(&mut piece).await {
            Ok(n) if n > 0 => bytes.extend_from_slice(&piece[..n]),
            _ => return None,
        }
    }
}

async fn perform(mut stream: TcpStream, act: Act, request: Seen, left: watch::Sender<usize>) {
    match act {
        Act::Answer(status, headers, body) => {
            let head =
                format!("HTTP/1.1 {status} Whatever\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n", body.len());
            let _ = stream.write_all(head.as_bytes()).await;
            let _ = stream.write_all(&body).await;
        }
        Act::Bytes(bytes) => {
            let _ = stream.write_all(&bytes).await;
        }
        Act::Hang => {
            while matches!(stream.read(&mut [0; 64]).await, Ok(n) if n > 0) {}
            left.send_modify(|left| *left += 1);
        }
        Act::Close | Act::Leave => {}
        Act::Pass(host) => {
            let mut service = TcpStream::connect(host).await.unwrap();
            let Seen { line, headers, body, .. } = request;
            let whole = format!("{line} HTTP/1.1\r\n{headers}\r\nconnection: close\r\n\r\n{body}");
            service.write_all(whole.as_bytes()).await.unwrap();
            let _ = tokio::io::copy(&mut service, &mut stream).await;
        }
        Act::Reset => stream.set_zero_linger().unwrap(),
        Act::Slowly(bytes, pause) => {
            for piece in bytes.chunks(bytes.len() / 10 + 1) {
                let _ = stream.write_all(piece).await;
                sleep(pause).await;
            }
        }
        Act::Drip(pause) => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n").await;
            while stream.write_all(b" ").await.is_ok() {
                sleep(pause).await;
            }
        }
    }
}

/// A gzip file by hand: one literal, then copies of it, 258 at a time. It has no end, for nobody should read that far.
fn bomb(size: usize) -> Vec<u8> {
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let (mut bits, mut held) = (0u32, 0);
    let mut put = |code: u32, length: u32| {
        // A Huffman code goes in with its highest bit first.
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

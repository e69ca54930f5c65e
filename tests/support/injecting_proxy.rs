//! Untrusted texts: what a name, a note or an address may contain to control, fool or break a
//! terminal.
#![allow(
    clippy::unwrap_used,
    dead_code,
    reason = "each test uses only a part of it"
)]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

#[path = "untrusted_text.rs"]
mod untrusted_text;
use untrusted_text::UNTRUSTED_PIECES;
pub use untrusted_text::is_harmless;

/// The `n`-th of these texts; the first hundred thousand are distinct.
pub fn untrusted_text(n: usize) -> String {
    let mut text = format!("{n}");
    let mut rest = n.wrapping_mul(2_654_435_761) >> 3;
    for _ in 0..2 + n % 5 {
        text.push_str(UNTRUSTED_PIECES[rest % UNTRUSTED_PIECES.len()]);
        rest = rest / UNTRUSTED_PIECES.len() + n;
    }
    text
}

/// Replaces each text in a value with an untrusted one, except ids, times and words of the
/// interface.
pub fn replace_texts(value: Value, next: &mut usize) -> Value {
    match value {
        Value::String(_) => {
            *next += 1;
            untrusted_text(*next).into()
        }
        Value::Array(items) => items
            .into_iter()
            .map(|item| replace_texts(item, next))
            .collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, value)| {
                if is_machine_field(&name) {
                    (name, value)
                } else {
                    (name, replace_texts(value, next))
                }
            })
            .collect(),
        other => other,
    }
}

/// Fields read by programs rather than people: an untrusted text there would make the response
/// unreadable, which is tested elsewhere.
fn is_machine_field(name: &str) -> bool {
    name.ends_with("id")
        || name.ends_with("_ids")
        || name.ends_with("_at")
        || [
            "index",
            "dataset",
            "search_after",
            "status",
            "triage_status",
            "type",
        ]
        .contains(&name)
}

/// A proxy in front of a service that puts untrusted texts into each response.
pub struct InjectingProxy {
    /// Its address, including `/api/v1`.
    pub base_url: String,
    injected_count: Arc<AtomicUsize>,
}

impl InjectingProxy {
    /// A proxy to the service at this address.
    pub fn start(base_url: &str) -> InjectingProxy {
        let upstream = base_url.split('/').nth(2).unwrap().to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!("http://{}/api/v1", listener.local_addr().unwrap());
        let texts = Arc::new(AtomicUsize::new(0));
        let shared = texts.clone();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let mut next = shared.load(Ordering::Relaxed);
                let _ = relay_request(&mut stream, &upstream, &mut next);
                shared.store(next, Ordering::Relaxed);
            }
        });
        InjectingProxy {
            base_url,
            injected_count: texts,
        }
    }

    /// How many texts it has injected.
    pub fn injected_count(&self) -> usize {
        self.injected_count.load(Ordering::Relaxed)
    }
}

/// One request per connection.
fn relay_request(stream: &mut TcpStream, upstream: &str, next: &mut usize) -> std::io::Result<()> {
    let request = read_message(stream)?;
    let mut service = TcpStream::connect(upstream)?;
    let (head, body) = request;
    let head: Vec<&str> = head
        .lines()
        .filter(|line| !line.to_ascii_lowercase().starts_with("accept-encoding"))
        .collect();
    service.write_all(
        format!(
            "{}\r\nconnection: close\r\n\r\n",
            head.join("\r\n").trim_end()
        )
        .as_bytes(),
    )?;
    service.write_all(&body)?;
    let (head, body) = read_message(&mut service)?;
    let body = match serde_json::from_slice::<Value>(&body) {
        Ok(value) => replace_texts(value, next).to_string().into_bytes(),
        Err(_) => body,
    };
    let kept = |line: &&str| {
        !["content-length", "connection"]
            .iter()
            .any(|name| line.to_ascii_lowercase().starts_with(name))
    };
    let head: Vec<&str> = head
        .lines()
        .filter(|line| !line.is_empty())
        .filter(kept)
        .collect();
    write!(
        stream,
        "{}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        head.join("\r\n"),
        body.len()
    )?;
    stream.write_all(&body)
}

/// Head and body of a message with a `content-length`.
fn read_message(stream: &mut TcpStream) -> std::io::Result<(String, Vec<u8>)> {
    let (mut bytes, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
            let length = head.lines().find_map(|line| {
                line.to_ascii_lowercase()
                    .strip_prefix("content-length:")?
                    .trim()
                    .parse()
                    .ok()
            });
            if bytes.len() >= end + 4 + length.unwrap_or(0) {
                return Ok((head, bytes.split_off(end + 4)));
            }
        }
        match stream.read(&mut piece)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            read => bytes.extend_from_slice(&piece[..read]),
        }
    }
}

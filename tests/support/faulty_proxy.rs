//! A proxy in front of a service, one request per connection, that can swallow messages: requests
//! that never arrive, responses that never come.
#![allow(clippy::unwrap_used, reason = "a failing test reports the location")]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};

/// What the proxy does with a triage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriageFault {
    /// Forwards it, and the response.
    Forward,
    /// Swallows it.
    HoldRequest,
    /// Forwards it and swallows the response.
    HoldResponse,
}

/// The proxy.
pub struct FaultyProxy {
    /// Its address, including `/api/v1`.
    pub base_url: String,
    state: Arc<(Mutex<(TriageFault, usize)>, Condvar)>,
    is_offline: Arc<AtomicBool>,
}

impl FaultyProxy {
    /// A proxy to the service at this address.
    pub fn start(base_url: &str) -> FaultyProxy {
        let upstream = base_url.split('/').nth(2).unwrap().to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!("http://{}/api/v1", listener.local_addr().unwrap());
        let state = Arc::new((Mutex::new((TriageFault::Forward, 0)), Condvar::new()));
        let away = Arc::new(AtomicBool::new(false));
        let (shared, is_away) = (state.clone(), away.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if is_away.load(Ordering::SeqCst) {
                    continue;
                }
                let (upstream, shared) = (upstream.clone(), shared.clone());
                std::thread::spawn(move || relay_request(stream, &upstream, &shared));
            }
        });
        FaultyProxy {
            base_url,
            state,
            is_offline: away,
        }
    }

    /// Takes the service out of reach, or back.
    pub fn set_offline(&self, away: bool) {
        self.is_offline.store(away, Ordering::SeqCst);
    }

    /// Sets what happens to a triage from now on.
    pub fn set_triage_fault(&self, triage: TriageFault) {
        self.state.0.lock().unwrap().0 = triage;
    }

    /// Waits until this many messages were swallowed.
    pub fn wait_for_held(&self, count: usize) {
        let _state = self
            .state
            .1
            .wait_while(self.state.0.lock().unwrap(), |state| state.1 < count)
            .unwrap();
    }
}

fn relay_request(
    mut stream: TcpStream,
    upstream: &str,
    state: &(Mutex<(TriageFault, usize)>, Condvar),
) -> Option<()> {
    let request = read_request(&mut stream)?;
    let triage = if request.starts_with(b"POST /api/v1/signals/triage") {
        state.0.lock().unwrap().0
    } else {
        TriageFault::Forward
    };
    if triage != TriageFault::HoldRequest {
        let mut service = TcpStream::connect(upstream).ok()?;
        let end = request.windows(2).position(|two| two == b"\r\n")? + 2;
        service.write_all(&request[..end]).ok()?;
        service.write_all(b"connection: close\r\n").ok()?;
        service.write_all(&request[end..]).ok()?;
        let mut answer = Vec::new();
        service.read_to_end(&mut answer).ok()?;
        if triage == TriageFault::Forward {
            return stream.write_all(&answer).ok();
        }
    }
    state.0.lock().unwrap().1 += 1;
    state.1.notify_all();
    // Until the other side gives up.
    stream.read_to_end(&mut Vec::new()).map(drop).ok()
}

/// A complete request.
fn read_request(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        if let Some(head) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let headers = String::from_utf8_lossy(&bytes[..head]).to_lowercase();
            let length = headers
                .lines()
                .find_map(|line| line.strip_prefix("content-length: ")?.trim().parse().ok())
                .unwrap_or(0);
            if bytes.len() >= head + 4 + length {
                return Some(bytes);
            }
        }
        match stream.read(&mut piece) {
            Ok(n) if n > 0 => bytes.extend_from_slice(&piece[..n]),
            _ => return None,
        }
    }
}

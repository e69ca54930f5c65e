//! Requests over loopback HTTP, on a connection that stays open.

use std::io::{Read, Write};
use std::net::TcpStream;

use gantry::service::RunningService;

/// A connection to a service, as its first workspace.
pub struct KeepAliveConnection {
    api_key: String,
    pub workspace_id: String,
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl KeepAliveConnection {
    pub fn connect(service: &RunningService) -> KeepAliveConnection {
        let first = &service.startup_info().workspaces[0];
        let address = service
            .base_url()
            .trim_start_matches("http://")
            .trim_end_matches("/api/v1");
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        KeepAliveConnection {
            api_key: first.api_keys[0].key.clone(),
            workspace_id: first.id.to_string(),
            stream,
            buffer: vec![0; 1 << 20],
        }
    }

    /// Asks and returns the body of the 200. While the machine is so busy that the service gives
    /// up, asks again.
    pub fn send(&mut self, method: &str, path: &str, body: &str) -> &[u8] {
        let (from, to) = loop {
            if let Some(found) = self.try_send(method, path, body) {
                break found;
            }
        };
        &self.buffer[from..to]
    }

    /// Where the body of the 200 is in the buffer; `None` for a 503.
    fn try_send(&mut self, method: &str, path: &str, body: &str) -> Option<(usize, usize)> {
        let joint = if path.contains('?') { '&' } else { '?' };
        let (key, id) = (&self.api_key, &self.workspace_id);
        let head = format!(
            "{method} /api/v1{path}{joint}workspace_id={id} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n"
        );
        let request = format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
        self.stream.write_all(request.as_bytes()).unwrap();
        let (mut filled, mut whole, mut is_unavailable) = (0, None, false);
        while whole.is_none_or(|(_, end)| filled < end) {
            let n = self.stream.read(&mut self.buffer[filled..]).unwrap();
            assert_ne!(n, 0, "the connection ended");
            filled += n;
            if whole.is_none()
                && let Some(at) = self.buffer[..filled]
                    .windows(4)
                    .position(|bytes| bytes == b"\r\n\r\n")
            {
                let head = std::str::from_utf8(&self.buffer[..at])
                    .unwrap()
                    .to_ascii_lowercase();
                let length = head
                    .split("content-length: ")
                    .nth(1)
                    .unwrap()
                    .lines()
                    .next()
                    .unwrap();
                whole = Some((at + 4, at + 4 + length.parse::<usize>().unwrap()));
                is_unavailable = head.starts_with("http/1.1 503");
                assert!(
                    is_unavailable || head.starts_with("http/1.1 200"),
                    "{body}: {head}"
                );
            }
        }
        whole.filter(|_| !is_unavailable)
    }
}

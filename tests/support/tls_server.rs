//! TLS servers with our own certificates (`tests/support/tls`): one authority, and what it has
//! signed.
#![allow(
    clippy::unwrap_used,
    dead_code,
    reason = "each test uses only a part of it"
)]

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// A file in that directory.
pub fn tls_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/support/tls")
        .join(name)
}

/// A server with a certificate; it answers each request with the same JSON.
pub struct TlsServer {
    /// Its address, including `/api/v1`.
    pub base_url: String,
    /// Completed handshakes.
    pub handshake_count: Arc<AtomicUsize>,
    /// What was sent to it.
    requests: Arc<Mutex<Vec<u8>>>,
    fingerprint: [u8; 32],
}

impl TlsServer {
    /// Starts it with `tests/support/tls/NAME.pem`.
    pub fn start(name: &str, json: &'static str) -> TlsServer {
        let certificate: Vec<CertificateDer<'_>> =
            CertificateDer::pem_file_iter(tls_file(&format!("{name}.pem")))
                .unwrap()
                .map(Result::unwrap)
                .collect();
        let digest = ring::digest::digest(&ring::digest::SHA256, &certificate[0]);
        let key = PrivateKeyDer::from_pem_file(tls_file("key.pem")).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap();
        let config = Arc::new(
            config
                .with_no_client_auth()
                .with_single_cert(certificate, key)
                .unwrap(),
        );
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!(
            "https://localhost:{}/api/v1",
            listener.local_addr().unwrap().port()
        );
        let spoken = Arc::new(AtomicUsize::new(0));
        let requests: Arc<Mutex<Vec<u8>>> = Arc::default();
        let (count, received) = (spoken.clone(), requests.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = StreamOwned::new(
                    ServerConnection::new(config.clone()).unwrap(),
                    stream.unwrap(),
                );
                let mut chunk = [0; 4096];
                let Ok(read @ 1..) = stream.read(&mut chunk) else {
                    continue;
                };
                received.lock().unwrap().extend_from_slice(&chunk[..read]);
                count.fetch_add(1, Ordering::SeqCst);
                let length = json.len();
                let _ = write!(
                    stream,
                    "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{json}"
                );
                stream.conn.send_close_notify();
                let _ = stream.flush();
            }
        });
        let fingerprint = digest.as_ref().try_into().unwrap();
        TlsServer {
            base_url,
            handshake_count: spoken,
            requests,
            fingerprint,
        }
    }

    /// The SHA-256 of its certificate.
    pub fn fingerprint(&self) -> [u8; 32] {
        self.fingerprint
    }

    /// Whether this was sent to it.
    pub fn received(&self, text: &str) -> bool {
        self.requests
            .lock()
            .unwrap()
            .windows(text.len())
            .any(|window| window == text.as_bytes())
    }
}

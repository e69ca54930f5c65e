//! TLS: the service's certificate, given as files or created at the first start, and the handshake
//! of a connection.
//!
//! Never here: accepting connections, what a request means.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::api_error::ApiError;
use super::db::Storage;
use crate::domain::certificate::Fingerprint;
use crate::platform::files;

/// Time limit for a handshake, or for the answer to a client that speaks plain http.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// What every TLS connection begins with: the type of a handshake record.
const HANDSHAKE_RECORD: u8 = 0x16;
/// How much of a plain http request is read before it is answered.
const MAX_PLAIN_REQUEST: u64 = 64 * 1024;

/// The certificate of a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CertificateSource {
    /// Created at the first start and kept beside the data file; a service without a file creates
    /// one for each run.
    Created,
    /// PEM files: the certificate with its chain, and its key.
    Files { certificate: PathBuf, key: PathBuf },
}

/// What a service needs to speak TLS.
#[derive(Clone)]
pub struct ServerTls {
    acceptor: TlsAcceptor,
    /// The fingerprint of its certificate.
    pub fingerprint: Fingerprint,
    /// The answer to plain http.
    pub https_url: String,
}

impl ServerTls {
    /// Loads the certificate, or creates it for these names.
    ///
    /// # Errors
    /// What cannot be read, written or used, and what to do.
    pub fn load(
        source: &CertificateSource,
        data: &Storage,
        names: Vec<String>,
        https_url: String,
    ) -> Result<ServerTls, String> {
        let (chain, key) = match (source, data) {
            (CertificateSource::Files { certificate, key }, _) => read_files(certificate, key)?,
            (CertificateSource::Created, Storage::File(data)) => {
                let beside =
                    |extension: &str| PathBuf::from(format!("{}.{extension}", data.display()));
                let (certificate, key) = (beside("cert.pem"), beside("key.pem"));
                if !certificate.exists() && !key.exists() {
                    let created = create_certificate(names)?;
                    // The key first: a certificate without its key would be announced and could not
                    // be used.
                    write_new_file(&key, &created.key, 0o600)?;
                    write_new_file(&certificate, &created.certificate, 0o644)?;
                }
                read_files(&certificate, &key)?
            }
            (CertificateSource::Created, Storage::Memory | Storage::Postgres(_)) => {
                let created = create_certificate(names)?;
                parse(created.certificate.as_bytes(), created.key.as_bytes())?
            }
        };
        let leaf = chain.first().ok_or("the file contains no certificate")?;
        let digest = ring::digest::digest(&ring::digest::SHA256, leaf);
        let fingerprint = Fingerprint(digest.as_ref().try_into().map_err(|_| "no fingerprint")?);
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|config| config.with_no_client_auth().with_single_cert(chain, key));
        let mut config = config.map_err(|error| {
            format!("the certificate and its key do not work together: {error}")
        })?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(ServerTls {
            acceptor: TlsAcceptor::from(Arc::new(config)),
            fingerprint,
            https_url,
        })
    }

    /// Completes the handshake of a new connection. `None` if it failed or took too long; a client
    /// that speaks plain http gets an answer in plain http.
    pub async fn accept(&self, stream: TcpStream) -> Option<TlsStream<TcpStream>> {
        let handshake = async {
            let mut first = [0];
            if stream.peek(&mut first).await? == 1 && first[0] != HANDSHAKE_RECORD {
                return self.answer_plain_http(stream).await.map(|()| None);
            }
            self.acceptor.accept(stream).await.map(Some)
        };
        match tokio::time::timeout(HANDSHAKE_TIMEOUT, handshake).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => {
                tracing::debug!(%error, "a TLS handshake failed");
                None
            }
            Err(_) => {
                tracing::debug!("a TLS handshake took too long");
                None
            }
        }
    }

    async fn answer_plain_http(&self, mut stream: TcpStream) -> io::Result<()> {
        let (mut chunk, mut end) = ([0; 4096], Vec::new());
        // The whole head is read first: closing a connection with unread data could lose the
        // answer.
        while !end.ends_with(b"\r\n\r\n") && !end.windows(4).any(|four| four == b"\r\n\r\n") {
            let read = stream.read(&mut chunk).await?;
            end.extend_from_slice(&chunk[..read]);
            if read == 0 || end.len() as u64 > MAX_PLAIN_REQUEST {
                break;
            }
        }
        let body = ApiError::new(
            StatusCode::BAD_REQUEST,
            "https_required",
            format!("this port speaks https: use {}", self.https_url),
        )
        .to_json();
        let answer = format!(
            "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(answer.as_bytes()).await?;
        stream.shutdown().await?;
        tokio::io::copy(&mut stream.take(MAX_PLAIN_REQUEST), &mut tokio::io::sink())
            .await
            .map(|_| ())
    }
}

/// A certificate and its key in PEM.
struct CreatedCertificate {
    certificate: String,
    key: String,
}

/// Creates a self-signed certificate for host names and addresses. Clients pin it, so it does not
/// expire.
fn create_certificate(names: Vec<String>) -> Result<CreatedCertificate, String> {
    let create = || {
        let mut params = rcgen::CertificateParams::new(names)?;
        params.distinguished_name = rcgen::DistinguishedName::new();
        params
            .distinguished_name
            .push(rcgen::DnType::CommonName, "gantry");
        params.extended_key_usages = vec![rcgen::ExtendedKeyUsagePurpose::ServerAuth];
        let key = rcgen::KeyPair::generate()?;
        let certificate = params.self_signed(&key)?;
        Ok(CreatedCertificate {
            certificate: certificate.pem(),
            key: key.serialize_pem(),
        })
    };
    create().map_err(|error: rcgen::Error| format!("cannot create one: {error}"))
}

/// Writes a file that must not exist yet, atomically.
fn write_new_file(path: &Path, text: &str, mode: u32) -> Result<(), String> {
    let write = || {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(folder)?; // created with mode 0600
        file.write_all(text.as_bytes())?;
        files::set_permissions(file.as_file(), mode)?;
        file.as_file().sync_all()?;
        file.persist_noclobber(path)
            .map_err(|error| error.error)
            .map(|_| ())
    };
    write().map_err(|error: io::Error| format!("cannot write {}: {error}", path.display()))
}

type ChainAndKey = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

fn read_files(certificate: &Path, key: &Path) -> Result<ChainAndKey, String> {
    let read = |path: &Path| {
        std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
    };
    let metadata = std::fs::metadata(key)
        .map_err(|error| format!("cannot read {}: {error}", key.display()))?;
    if files::has_permissions(&metadata, 0o007) {
        return Err(format!(
            "others can read the key {0}; run: chmod 600 {0}",
            key.display()
        ));
    }
    parse(&read(certificate)?, &read(key)?)
        .map_err(|why| format!("{} and {}: {why}", certificate.display(), key.display()))
}

fn parse(certificate: &[u8], key: &[u8]) -> Result<ChainAndKey, String> {
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(certificate).collect();
    let chain = chain
        .ok()
        .filter(|chain| !chain.is_empty())
        .ok_or("the certificate is not in PEM")?;
    Ok((
        chain,
        PrivateKeyDer::from_pem_slice(key).map_err(|_| "the key is not in PEM, or is encrypted")?,
    ))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn load(data: &Path) -> Result<ServerTls, String> {
        let names = vec!["localhost".to_owned(), "192.0.2.7".to_owned()];
        ServerTls::load(
            &CertificateSource::Created,
            &Storage::File(data.to_owned()),
            names,
            String::new(),
        )
    }

    #[test]
    fn a_created_certificate_is_kept_and_only_its_owner_can_read_the_key() {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("desk.db");
        let first = load(&data).unwrap().fingerprint;
        assert_eq!(load(&data).unwrap().fingerprint, first);
        let key = dir.path().join("desk.db.key.pem");
        assert_eq!(
            std::fs::metadata(&key).unwrap().permissions().mode() & 0o777,
            0o600
        );
        let other = load(&dir.path().join("other.db")).unwrap().fingerprint;
        assert_ne!(other, first);

        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o604)).unwrap();
        let message = load(&data).err().unwrap();
        assert!(
            message.contains("others can read the key") && message.contains("chmod 600"),
            "{message}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_never_completes_the_handshake_is_dropped_after_the_limit() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let tls = ServerTls::load(
            &CertificateSource::Created,
            &Storage::Memory,
            vec!["localhost".to_owned()],
            String::new(),
        )
        .unwrap();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        // Nothing, the beginning of a handshake, an http request without its end, and one that is
        // answered and stays open.
        for sent in [
            &b""[..],
            &[HANDSHAKE_RECORD, 3, 1],
            b"GET / HTTP/1.1\r\nHost: lo",
            b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        ] {
            let mut client = TcpStream::connect(address).await.unwrap();
            client.write_all(sent).await.unwrap();
            let (stream, _) = listener.accept().await.unwrap();
            // The paused clock goes on when nothing else can happen.
            let began = tokio::time::Instant::now();
            assert!(tls.accept(stream).await.is_none());
            assert_eq!(
                began.elapsed().as_secs(),
                HANDSHAKE_TIMEOUT.as_secs(),
                "{sent:?}"
            );
            let mut answer = String::new();
            let ended = client.read_to_string(&mut answer).await;
            assert_eq!(
                answer.starts_with("HTTP/1.1 400 "),
                sent.ends_with(b"\r\n\r\n"),
                "{answer:?} {ended:?}"
            );
        }
    }

    #[test]
    fn files_that_do_not_fit_are_rejected_with_their_names() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        load(&path("a.db")).unwrap();
        load(&path("b.db")).unwrap();
        let given = |certificate: &str, key: &str| {
            let files = CertificateSource::Files {
                certificate: path(certificate),
                key: path(key),
            };
            ServerTls::load(&files, &Storage::Memory, Vec::new(), String::new()).err()
        };
        assert_eq!(given("a.db.cert.pem", "a.db.key.pem"), None);
        for (certificate, key, why) in [
            ("a.db.cert.pem", "b.db.key.pem", "do not work together"),
            (
                "a.db.key.pem",
                "a.db.key.pem",
                "the certificate is not in PEM",
            ),
            ("none", "a.db.key.pem", "cannot read"),
        ] {
            let message = given(certificate, key).unwrap();
            assert!(message.contains(why), "{message}");
        }
        std::fs::remove_file(path("a.db.cert.pem")).unwrap();
        assert!(
            load(&path("a.db")).err().unwrap().contains("a.db.cert.pem"),
            "a lost half is not replaced silently"
        );
    }
}

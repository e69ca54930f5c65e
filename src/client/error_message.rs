//! Human-readable messages for transport errors, one line each.

use std::error::Error;
use std::io;

use super::pinned_certificate::UnexpectedCertificate;

/// What helps with the certificate that a service created for itself.
pub(super) const HOW_TO_PIN: &str = "if the service created it, pin it with gantry login";

/// The certificate that a pinned connection rejected.
pub(super) fn unexpected_certificate(error: &reqwest::Error) -> Option<&UnexpectedCertificate> {
    match find_cause(error)? {
        rustls::Error::InvalidCertificate(rustls::CertificateError::Other(other)) => {
            other.0.downcast_ref()
        }
        _ => None,
    }
}

/// The whole message: host, failure, what to do.
pub(super) fn connection_error_message(host: &str, error: &reqwest::Error) -> String {
    if let Some(tls) = find_cause::<rustls::Error>(error) {
        if matches!(tls, rustls::Error::InvalidMessage(_)) {
            return plain_http_message(host, error);
        }
        if let Some(UnexpectedCertificate {
            presented,
            pinned: Some(pinned),
        }) = unexpected_certificate(error)
        {
            return format!(
                "no secure connection to {host}: its certificate is {presented}, but {pinned} is pinned, so nothing was sent. If \
                 whoever runs the service confirms the new one, sign in again with gantry login; otherwise somebody may be \
                 intercepting the connection"
            );
        }
        return format!(
            "no secure connection to {host}: {}",
            certificate_message(tls)
        );
    }
    let is_other = |error: &hyper::Error| {
        error.is_parse() && error.to_string().contains("invalid HTTP version")
    };
    if find_cause::<hyper::Error>(error).is_some_and(is_other)
        && error.url().is_some_and(|url| url.scheme() == "http")
    {
        return format!("{host} did not reply in http; if it uses https, try https://{host}");
    }
    if error.is_builder() {
        return format!("invalid request to {host}: {}", short_reason(error));
    }
    let chain = cause_chain(error);
    if chain.contains("dns error") || chain.contains("failed to lookup") {
        return format!("cannot resolve the host {host}; check the address");
    }
    if error.is_connect() && chain.contains("tunnel error") {
        return format!(
            "the proxy to {host} refused the connection ({}); check HTTPS_PROXY",
            short_reason(error).trim_start_matches("tunnel error: ")
        );
    }
    if error.is_connect() && error.is_timeout() {
        return format!("connection to {host} timed out; check the address and your network");
    }
    if error.is_connect() {
        return format!(
            "cannot reach {host}: {}; check the address and that the service is running",
            short_reason(error)
        );
    }
    format!(
        "lost the connection to {host} before it replied ({})",
        short_reason(error)
    )
}

/// Why the HTTP client could not be created.
pub(super) fn client_build_error_message(host: &str, error: &reqwest::Error) -> String {
    let why = short_reason(error);
    if why.contains("CA certificates") {
        return format!(
            "no secure connection to {host}: this machine has no CA certificates; install the package ca-certificates, or set \
             SSL_CERT_FILE to a certificate file; a service's own certificate can be pinned with gantry login"
        );
    }
    format!("cannot set up connections: {why}")
}

/// The reply was not TLS: the server on that port speaks plain http.
fn plain_http_message(host: &str, error: &reqwest::Error) -> String {
    let is_here = error.url().is_some_and(super::address::is_loopback);
    if is_here {
        return format!("{host} speaks plain http: try http://{host}");
    }
    format!(
        "{host} speaks plain http, which would expose the token to the network; use its https address"
    )
}

/// The cause in two or three words.
pub(super) fn short_reason(error: &reqwest::Error) -> String {
    if let Some(io) = find_cause::<io::Error>(error) {
        match io.kind() {
            io::ErrorKind::ConnectionRefused => return "connection refused".to_owned(),
            io::ErrorKind::ConnectionReset => return "connection reset".to_owned(),
            io::ErrorKind::UnexpectedEof => return "closed too early".to_owned(),
            io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable => {
                return "no route to host".to_owned();
            }
            io::ErrorKind::TimedOut => return "timed out".to_owned(),
            _ => {}
        }
    }
    let mut last: &dyn Error = error;
    while let Some(next) = last.source() {
        last = next;
    }
    super::error_envelope::one_line(&last.to_string(), 120).into_owned()
}

/// Formats a time limit.
pub(super) fn format_seconds(time: std::time::Duration) -> String {
    if time.subsec_millis() == 0 {
        format!("{} s", time.as_secs())
    } else {
        format!("{:.1} s", time.as_secs_f64())
    }
}

/// The failure was in TLS, so a retry would fail as well.
pub(super) fn is_tls(error: &reqwest::Error) -> bool {
    find_cause::<rustls::Error>(error).is_some()
}

fn certificate_message(error: &rustls::Error) -> String {
    use rustls::CertificateError as C;
    let rustls::Error::InvalidCertificate(certificate) = error else {
        return tls_message(error);
    };
    match certificate {
        C::Expired | C::ExpiredContext { .. } => {
            "its certificate has expired, or this machine's clock is wrong".to_owned()
        }
        C::NotValidYet | C::NotValidYetContext { .. } => {
            "its certificate is not valid yet, or this machine's clock is wrong".to_owned()
        }
        C::NotValidForName | C::NotValidForNameContext { .. } => {
            "its certificate is for a different name".to_owned()
        }
        C::UnknownIssuer => {
            format!("this machine does not trust the issuer of its certificate; {HOW_TO_PIN}")
        }
        C::Revoked => "its certificate has been revoked".to_owned(),
        C::BadSignature | C::BadEncoding => "its certificate is damaged".to_owned(),
        C::InvalidPurpose | C::InvalidPurposeContext { .. } => {
            "its certificate is not a server certificate".to_owned()
        }
        C::Other(why) => platform_certificate_message(&why.to_string()),
        _ => "its certificate is not valid".to_owned(),
    }
}

/// The platform verifier's message; for a self-signed certificate it is only the debug output of a
/// Rust error.
fn platform_certificate_message(why: &str) -> String {
    if why.contains("CaUsedAsEndEntity") {
        return format!(
            "its certificate is self-signed, and this machine does not trust it; {HOW_TO_PIN}"
        );
    }
    let is_a_sentence = !why.contains(['(', '{', '"']);
    if is_a_sentence {
        format!("its certificate is not valid: {why}")
    } else {
        "its certificate is not valid".to_owned()
    }
}

/// A TLS error that does not concern the certificate.
fn tls_message(error: &rustls::Error) -> String {
    match error {
        rustls::Error::AlertReceived(alert) => format!("it rejected the TLS handshake ({alert:?})"),
        rustls::Error::PeerIncompatible(_) => "it supports no secure TLS version".to_owned(),
        _ => "TLS failed".to_owned(),
    }
}

/// Finds the first cause of type `E`, also inside I/O errors.
fn find_cause<E: Error + 'static>(error: &reqwest::Error) -> Option<&E> {
    let mut next: Option<&(dyn Error + 'static)> = error.source();
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<E>() {
            return Some(found);
        }
        let inner = error
            .downcast_ref::<io::Error>()
            .and_then(|io| io.get_ref())
            .map(|inner| inner as &(dyn Error + 'static));
        next = inner.or_else(|| error.source());
    }
    None
}

fn cause_chain(error: &reqwest::Error) -> String {
    let (mut words, mut next) = (String::new(), error.source());
    while let Some(error) = next {
        words = format!("{words}: {error}");
        next = error.source();
    }
    words
}

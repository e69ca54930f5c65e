//! What a broken connection is called, in one line for a person.

use std::error::Error;
use std::io;

/// The whole sentence: the host, what failed, what to do.
pub(super) fn of(host: &str, error: &reqwest::Error) -> String {
    if let Some(tls) = cause::<rustls::Error>(error) {
        return format!("no safe connection to {host}: {}", certificate(tls));
    }
    if error.is_builder() {
        return format!("this cannot be asked of {host}: {}", reason(error));
    }
    let chain = chain(error);
    if chain.contains("dns error") || chain.contains("failed to lookup") {
        return format!("cannot resolve the host {host}; is the address right?");
    }
    if error.is_connect() && chain.contains("tunnel error") {
        return format!(
            "the proxy on the way to {host} refused ({}); look at HTTPS_PROXY",
            reason(error).trim_start_matches("tunnel error: ")
        );
    }
    if error.is_connect() && error.is_timeout() {
        return format!("{host} took no connection in time; is the address right, and the network there?");
    }
    if error.is_connect() {
        return format!("cannot reach {host}: {}; is the service running, and the address right?", reason(error));
    }
    format!("the connection to {host} broke before the answer ({})", reason(error))
}

/// Why, in two or three words.
pub(super) fn reason(error: &reqwest::Error) -> String {
    if let Some(io) = cause::<io::Error>(error) {
        match io.kind() {
            io::ErrorKind::ConnectionRefused => return "connection refused".to_owned(),
            io::ErrorKind::ConnectionReset => return "connection reset".to_owned(),
            io::ErrorKind::UnexpectedEof => return "it ended too early".to_owned(),
            io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable => return "no route there".to_owned(),
            io::ErrorKind::TimedOut => return "it timed out".to_owned(),
            _ => {}
        }
    }
    let mut last: &dyn Error = error;
    while let Some(next) = last.source() {
        last = next;
    }
    super::refusal::one_line(&last.to_string(), 120).into_owned()
}

/// A time limit.
pub(super) fn seconds(time: std::time::Duration) -> String {
    if time.subsec_millis() == 0 { format!("{} s", time.as_secs()) } else { format!("{:.1} s", time.as_secs_f64()) }
}

/// The connection failed in TLS: a repeat would fail as well.
pub(super) fn is_tls(error: &reqwest::Error) -> bool {
    cause::<rustls::Error>(error).is_some()
}

fn certificate(error: &rustls::Error) -> String {
    use rustls::CertificateError as C;
    let rustls::Error::InvalidCertificate(certificate) = error else { return error.to_string() };
    match certificate {
        C::Expired | C::ExpiredContext { .. } => "its certificate has expired, or this machine's clock is wrong".to_owned(),
        C::NotValidYet | C::NotValidYetContext { .. } => {
            "its certificate is not valid yet, or this machine's clock is wrong".to_owned()
        }
        C::NotValidForName | C::NotValidForNameContext { .. } => "its certificate is for another name".to_owned(),
        C::UnknownIssuer => "its certificate is signed by nobody this machine trusts".to_owned(),
        C::Other(why) => format!("its certificate does not hold ({why})"),
        other => other.to_string(),
    }
}

/// The first cause of a type, looking into what an I/O error wraps as well.
fn cause<E: Error + 'static>(error: &reqwest::Error) -> Option<&E> {
    let mut next: Option<&(dyn Error + 'static)> = error.source();
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<E>() {
            return Some(found);
        }
        let inner = error.downcast_ref::<io::Error>().and_then(|io| io.get_ref()).map(|inner| inner as &(dyn Error + 'static));
        next = inner.or_else(|| error.source());
    }
    None
}

fn chain(error: &reqwest::Error) -> String {
    let (mut words, mut next) = (String::new(), error.source());
    while let Some(error) = next {
        words = format!("{words}: {error}");
        next = error.source();
    }
    words
}

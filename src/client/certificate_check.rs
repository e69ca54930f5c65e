//! What certificate a service presents, and whether this machine trusts it, before a token is sent.
//!
//! Never here: a token, whom a person trusts.

use super::pinned_certificate::AcceptedCertificate;
use super::transport::Limits;
use super::{BaseUrl, error_message, http_builder};
use crate::domain::certificate::Fingerprint;
use crate::domain::request_error::RequestError;

/// What is known about a service's certificate before a token is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CertificateStatus {
    /// The connection is encrypted and this machine or the pin vouches for it, or it stays on this
    /// machine.
    Trusted,
    /// Nobody vouches for it, or it is not the pinned one: a person has to compare its fingerprint.
    Unknown {
        fingerprint: Fingerprint,
        reason: String,
    },
}

/// Connects without a token and reports whether the connection can be trusted with one.
///
/// # Errors
/// If the service cannot be reached.
pub async fn check_certificate(
    base: &BaseUrl,
    pin: Option<Fingerprint>,
) -> Result<CertificateStatus, RequestError> {
    let accepted = pin.map(AcceptedCertificate::Pinned);
    let failure = match connect(base, accepted).await {
        Ok(()) => return Ok(CertificateStatus::Trusted),
        Err(failure) => failure,
    };
    let reason = RequestError::new_not_sent(match &failure {
        error if error.is_builder() => {
            error_message::client_build_error_message(&base.host(), error)
        }
        error => error_message::connection_error_message(&base.host(), error),
    });
    if !base.is_https() || !(error_message::is_tls(&failure) || failure.is_builder()) {
        return Err(reason);
    }
    let shown = connect(base, Some(AcceptedCertificate::Nothing))
        .await
        .err();
    match shown
        .as_ref()
        .and_then(error_message::unexpected_certificate)
    {
        Some(unexpected) => {
            // Whoever asks is about to offer that.
            let reason = reason
                .message
                .replace(&format!("; {}", error_message::HOW_TO_PIN), "");
            Ok(CertificateStatus::Unknown {
                fingerprint: unexpected.presented,
                reason,
            })
        }
        None => Err(reason),
    }
}

async fn connect(
    base: &BaseUrl,
    accepted: Option<AcceptedCertificate>,
) -> Result<(), reqwest::Error> {
    let limits = Limits::default();
    let http = http_builder(base, &limits, accepted)
        .timeout(limits.connect_timeout + limits.first_byte_timeout_read)
        .build()?;
    http.get(base.join("/workspace")).send().await.map(|_| ())
}

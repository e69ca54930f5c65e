//! Certificates by fingerprint: the verifier that accepts only the pinned one.
//!
//! Never here: a connection, a token, whom a person trusts.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, OtherError, SignatureScheme};

use crate::domain::certificate::Fingerprint;

/// Which certificates a connection accepts instead of those that this machine trusts.
#[derive(Clone, Copy, Debug)]
pub(super) enum AcceptedCertificate {
    Pinned(Fingerprint),
    /// None: the connection only shows which one the service has.
    Nothing,
}

/// A service presented another certificate than the accepted one.
#[derive(Debug, thiserror::Error)]
#[error("not the expected certificate")]
pub(super) struct UnexpectedCertificate {
    pub(super) presented: Fingerprint,
    pub(super) pinned: Option<Fingerprint>,
}

/// The TLS configuration that accepts only this certificate.
pub(super) fn tls_config(accepted: AcceptedCertificate) -> ClientConfig {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = Arc::new(FingerprintVerifier {
        accepted,
        provider: provider.clone(),
    });
    let config =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config
        .expect("ring supports the default versions of TLS")
        .dangerous();
    config
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth()
}

/// Verifies the fingerprint in place of issuer, name and dates, and that the service holds the key
/// of the certificate.
#[derive(Debug)]
struct FingerprintVerifier {
    accepted: AcceptedCertificate,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for FingerprintVerifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let digest = ring::digest::digest(&ring::digest::SHA256, certificate);
        let presented = Fingerprint(
            digest
                .as_ref()
                .try_into()
                .map_err(|_| CertificateError::BadEncoding)?,
        );
        let pinned = match self.accepted {
            AcceptedCertificate::Pinned(pinned) if pinned == presented => {
                return Ok(ServerCertVerified::assertion());
            }
            AcceptedCertificate::Pinned(pinned) => Some(pinned),
            AcceptedCertificate::Nothing => None,
        };
        Err(
            CertificateError::Other(OtherError(Arc::new(UnexpectedCertificate {
                presented,
                pinned,
            })))
            .into(),
        )
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(
            message,
            certificate,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(
            message,
            certificate,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}

//! TLS to a PostgreSQL server: which certificates a connection accepts.
//!
//! Never here: whether TLS is spoken at all, which `sslmode` decides.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::postgres_config::Verification;
use super::{Result, SqlError};

/// What connects with TLS.
pub fn connector(verification: &Verification) -> Result<MakeRustlsConnect> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier: Arc<dyn ServerCertVerifier> = match verification {
        Verification::Nothing => Arc::new(AnyCertificate(provider.clone())),
        Verification::Platform => {
            let verifier = rustls_platform_verifier::Verifier::new(provider.clone());
            Arc::new(verifier.map_err(|error| SqlError::Certificates(error.to_string()))?)
        }
        Verification::Authorities(file) => {
            let unusable =
                |why: String| SqlError::Certificates(format!("{}: {why}", file.display()));
            let mut roots = RootCertStore::empty();
            for certificate in
                CertificateDer::pem_file_iter(file).map_err(|error| unusable(error.to_string()))?
            {
                let added = certificate
                    .map_err(|error| error.to_string())
                    .map(|certificate| roots.add(certificate));
                added
                    .and_then(|added| added.map_err(|error| error.to_string()))
                    .map_err(unusable)?;
            }
            let verifier =
                WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone())
                    .build();
            verifier.map_err(|error| unusable(error.to_string()))?
        }
    };
    let config =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config
        .map_err(|error| SqlError::Certificates(error.to_string()))?
        .dangerous();
    Ok(MakeRustlsConnect::new(
        config
            .with_custom_certificate_verifier(verifier)
            .with_no_client_auth(),
    ))
}

/// Accepts every certificate whose key the server holds, as `sslmode=require` of libpq does.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
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
            &self.0.signature_verification_algorithms,
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
            &self.0.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_authorities_that_cannot_be_used_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        for content in [None, Some("no certificate")] {
            content
                .into_iter()
                .for_each(|text| std::fs::write(&file, text).unwrap());
            let error = connector(&Verification::Authorities(file.clone()))
                .err()
                .unwrap()
                .to_string();
            assert!(error.contains("ca.pem"), "{error}");
        }
    }
}

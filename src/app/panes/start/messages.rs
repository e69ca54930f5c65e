//! What the start screen asks the service and the user.

use crate::domain::certificate::CertificateChange;

/// The sign-in.
#[derive(Clone, Copy, Debug)]
pub struct ConnectRequest;

/// What a choice of this pane does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartAction {
    /// Connect to the service with this certificate.
    AcceptCertificate(CertificateChange),
}

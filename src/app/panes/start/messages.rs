//! What the start screen asks the service and the user.

use crate::domain::certificate::Fingerprint;

/// The sign-in.
#[derive(Clone, Copy, Debug)]
pub struct ConnectRequest;

/// What a choice of this pane does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartAction {
    /// Sign in to a service with this certificate.
    AcceptCertificate(Fingerprint),
}

//! What the start screen asks the service.

/// The sign-in.
#[derive(Clone, Copy, Debug)]
pub struct ConnectRequest;

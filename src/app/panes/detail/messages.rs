//! What a signal's detail asks the service.

use crate::domain::SignalId;

/// The source's payload of a signal.
#[derive(Clone, Copy, Debug)]
pub struct PayloadRequest(pub SignalId);

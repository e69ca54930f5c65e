//! What went wrong with a request, in the three kinds that decide what may be done next.

use std::time::Duration;

/// A request that did not give the answer that was asked for.
///
/// Whether a write was applied is known for [`Kind::NotSent`] (no) and [`Kind::Answered`] (the answer says), never for
/// [`Kind::Ambiguous`]: a connection that breaks cannot tell before from after.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RequestError {
    /// Which of the three kinds.
    pub kind: RequestErrorKind,
    /// What failed and why, in one line for a person; the service's own words where it spoke.
    pub message: String,
}

/// The three kinds of failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestErrorKind {
    /// Nothing left this machine: no such host, refused, TLS, cancelled before it was sent.
    NotSent,
    /// Something may have left: reset, cut, timed out, 408 or 5xx, or a 2xx that is not the expected JSON.
    Ambiguous,
    /// The service answered with a refusal.
    Rejected(ServiceError),
    /// The person took the request back.
    Cancelled,
    /// A budget of the person's forbids it: nothing left this machine.
    OverBudget,
    /// Writes are forbidden by `--read-only`: nothing left this machine.
    ReadOnly,
}

/// A refusal in the interface's error envelope.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServiceError {
    /// The HTTP status.
    pub status: u16,
    /// `error.code`, or empty where the answer was no envelope.
    pub code: String,
    /// `error.message`, as it came.
    pub message: String,
    /// How long to wait before asking again.
    pub retry_after: Option<Duration>,
    /// The values that would have been taken, where the service lists them.
    pub allowed: Vec<String>,
}

impl RequestError {
    /// Nothing was sent.
    pub fn new_not_sent(message: impl Into<String>) -> Self {
        RequestError { kind: RequestErrorKind::NotSent, message: message.into() }
    }

    /// Something may have been applied.
    pub fn new_ambiguous(message: impl Into<String>) -> Self {
        RequestError { kind: RequestErrorKind::Ambiguous, message: message.into() }
    }

    /// The refusal's status, when the service answered.
    pub fn status(&self) -> Option<u16> {
        match &self.kind {
            RequestErrorKind::Rejected(refusal) => Some(refusal.status),
            _ => None,
        }
    }

    /// The service will not have it, however often it is sent.
    pub fn is_permanent(&self) -> bool {
        matches!(self.status(), Some(400 | 404 | 409 | 422))
    }

    /// The credential was not accepted (401).
    pub fn is_signed_out(&self) -> bool {
        self.status() == Some(401)
    }
}

//! Request failures, in the kinds that decide what may be done next.

use std::time::Duration;

/// A failed request.
///
/// Whether a write was applied is known for [`RequestErrorKind::NotSent`] (no) and
/// [`RequestErrorKind::Rejected`] (the response says), never for [`RequestErrorKind::Ambiguous`]: a
/// broken connection does not show on which side of the write it broke.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RequestError {
    pub kind: RequestErrorKind,
    /// What failed and why, in one line for a person; the service's own message where there is one.
    pub message: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestErrorKind {
    /// Nothing left this machine: host not found, connection refused, TLS, cancelled before it was
    /// sent.
    NotSent,
    /// Something may have been sent: reset, cut off, timed out, 408 or 5xx, or a 2xx that is not
    /// the expected JSON.
    Ambiguous,
    /// The service rejected it.
    Rejected(ServiceError),
    /// The person cancelled the request.
    Cancelled,
    /// A budget forbids it: nothing left this machine.
    OverBudget,
    /// `--read-only` forbids writes: nothing left this machine.
    ReadOnly,
    /// The local journal cannot be written: nothing left this machine.
    NotJournaled,
}

/// A rejection, from the interface's error envelope.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServiceError {
    pub status: u16,
    /// `error.code`, or empty if the response was not an envelope.
    pub code: String,
    /// `error.message` with what its issues add, as received.
    pub message: String,
    pub retry_after: Option<Duration>,
    /// The service's name for the request, if it sends one: it helps whoever looks into the
    /// failure.
    pub request_id: Option<Box<RequestId>>,
    /// The accepted values, where the service lists them.
    pub allowed: Box<[String]>,
}

/// The id of a request on the service's side. Boxed, because every result carries the size of its
/// error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(pub String);

impl RequestError {
    pub fn new_not_sent(message: impl Into<String>) -> Self {
        RequestError {
            kind: RequestErrorKind::NotSent,
            message: message.into(),
        }
    }

    pub fn new_ambiguous(message: impl Into<String>) -> Self {
        RequestError {
            kind: RequestErrorKind::Ambiguous,
            message: message.into(),
        }
    }

    /// The status, if the service rejected the request.
    pub fn status(&self) -> Option<u16> {
        match &self.kind {
            RequestErrorKind::Rejected(refusal) => Some(refusal.status),
            _ => None,
        }
    }

    /// How long the service asks to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        match &self.kind {
            RequestErrorKind::Rejected(refusal) => refusal.retry_after,
            _ => None,
        }
    }

    /// It may pass by itself: the service did not answer, or rejected the request for now.
    pub fn is_temporary(&self) -> bool {
        match &self.kind {
            RequestErrorKind::NotSent | RequestErrorKind::Ambiguous => true,
            RequestErrorKind::Rejected(refusal) => {
                matches!(refusal.status, 425 | 429) || refusal.retry_after.is_some()
            }
            RequestErrorKind::Cancelled
            | RequestErrorKind::OverBudget
            | RequestErrorKind::ReadOnly
            | RequestErrorKind::NotJournaled => false,
        }
    }

    /// How long to wait before the request is sent again; `None` if what happened will not pass.
    /// Until the service has answered, its address may be wrong. `interval`: how often it is asked
    /// anyway.
    pub fn retry_pause(&self, has_answered: bool, interval: Option<Duration>) -> Option<Duration> {
        /// A service that does not respond is asked again at most this often.
        const MIN_PAUSE: Duration = Duration::from_secs(30);
        let may_pass =
            self.is_temporary() && (has_answered || self.kind != RequestErrorKind::NotSent);
        may_pass.then(|| {
            self.retry_after()
                .or(interval)
                .unwrap_or_default()
                .max(MIN_PAUSE)
        })
    }

    /// The service will reject the request however often it is sent.
    pub fn is_permanent(&self) -> bool {
        matches!(self.status(), Some(400 | 404 | 409 | 422)) && !self.is_temporary()
    }

    /// The credential was rejected (401).
    pub fn is_unauthorized(&self) -> bool {
        self.status() == Some(401)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_by_itself_is_waited_for_also_before_the_first_counts() {
        let every = Some(Duration::from_secs(60));
        let rejected = |status, retry_after| {
            let refusal = ServiceError {
                status,
                retry_after,
                ..ServiceError::default()
            };
            RequestError {
                kind: RequestErrorKind::Rejected(refusal),
                message: "no".to_owned(),
            }
        };
        let seconds = |failure: &RequestError, has_answered| {
            failure
                .retry_pause(has_answered, every)
                .map(|pause| pause.as_secs())
        };
        for has_answered in [false, true] {
            assert_eq!(
                seconds(
                    &rejected(429, Some(Duration::from_secs(3_600))),
                    has_answered
                ),
                Some(3_600)
            );
            assert_eq!(
                seconds(&rejected(429, Some(Duration::from_secs(1))), has_answered),
                Some(30)
            );
            assert_eq!(
                seconds(&rejected(403, Some(Duration::from_secs(90))), has_answered),
                Some(90)
            );
            assert_eq!(
                seconds(&RequestError::new_ambiguous("502"), has_answered),
                Some(60)
            );
            for status in [400, 401, 403, 404] {
                assert_eq!(
                    seconds(&rejected(status, None), has_answered),
                    None,
                    "{status}"
                );
            }
        }
        let unreachable = RequestError::new_not_sent("connection refused");
        assert_eq!(
            (seconds(&unreachable, false), seconds(&unreachable, true)),
            (None, Some(60))
        );
    }
}

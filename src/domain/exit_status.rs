//! The exit statuses of the program, and the one for each failed request. Scripts depend on the
//! numbers.

use super::request_error::{RequestError, RequestErrorKind};

/// Rejected or failed, in whole or for some items of a batch.
pub const FAILED: u8 = 1;
pub const USAGE: u8 = 2;
/// Not signed in, or not allowed.
pub const NOT_ALLOWED: u8 = 3;
pub const NOT_FOUND: u8 = 4;
/// The service could not be reached, or the result of the request is unknown.
pub const UNREACHABLE: u8 = 5;
pub const INTERRUPTED: u8 = 130;

impl RequestError {
    /// The exit status of a program that ends because of this failure.
    pub fn exit_status(&self) -> u8 {
        match &self.kind {
            RequestErrorKind::NotSent | RequestErrorKind::Ambiguous => UNREACHABLE,
            RequestErrorKind::Cancelled => INTERRUPTED,
            RequestErrorKind::OverBudget | RequestErrorKind::NotJournaled => FAILED,
            RequestErrorKind::ReadOnly => NOT_ALLOWED,
            RequestErrorKind::Rejected(rejection) => match rejection.status {
                401 | 403 => NOT_ALLOWED,
                404 => NOT_FOUND,
                _ => FAILED,
            },
        }
    }
}

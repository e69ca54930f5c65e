//! Why a configuration cannot be used or changed.

/// An unusable configuration: one line with the problem, its location and the fix.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ConfigError {
    pub message: String,
    /// The only problem is a missing token.
    pub is_missing_token: bool,
}

impl ConfigError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        ConfigError {
            message: message.into(),
            is_missing_token: false,
        }
    }

    pub(super) fn missing_token(message: impl Into<String>) -> Self {
        ConfigError {
            message: message.into(),
            is_missing_token: true,
        }
    }
}

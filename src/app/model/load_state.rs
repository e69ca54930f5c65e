//! How far a read has come.

/// The owner keeps the last good value next to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LoadState {
    /// Never requested.
    #[default]
    Idle,
    Loading,
    Ready,
    Failed(String),
}

impl LoadState {
    /// Never loaded, or failed: showing it loads it again.
    pub fn needs_load(&self) -> bool {
        matches!(self, LoadState::Idle | LoadState::Failed(_))
    }

    pub fn is_failed(&self) -> bool {
        matches!(self, LoadState::Failed(_))
    }
}

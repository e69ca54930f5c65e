//! How far reading something has come.

/// A load state; the last good value is kept beside it by whoever holds it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LoadState {
    /// Nobody asked.
    #[default]
    Idle,
    /// Asked, not answered.
    Loading,
    /// Read.
    Ready,
    /// Failed, and why.
    Failed(String),
}

impl LoadState {
    /// Nobody asked yet, or it could not be read: whoever comes to see it asks.
    pub fn needs_load(&self) -> bool {
        matches!(self, LoadState::Idle | LoadState::Failed(_))
    }
}

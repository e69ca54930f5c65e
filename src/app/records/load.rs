//! How far reading something has come.

/// A load state; the last good value is kept beside it by whoever holds it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Load {
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

impl Load {
    /// Nobody asked yet, or it could not be read: whoever comes to see it asks.
    pub fn is_unread(&self) -> bool {
        matches!(self, Load::Idle | Load::Failed(_))
    }
}

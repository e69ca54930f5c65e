//! The tabs that the user saved, as data.

use crate::domain::queue_tabs::{ListSettings, SavedTab};

/// The tabs that the user saved, and which one is shown.
#[derive(Clone, Debug, Default)]
pub struct SavedTabs {
    pub(super) tabs: Vec<SavedTab>,
    /// How many signals each of them has, where that is known for free.
    pub(super) counts: Vec<Option<u64>>,
    /// The one that is shown.
    pub(super) shown: Option<usize>,
    /// The settings of New and Done while a saved tab is shown.
    pub(super) own: ListSettings,
}

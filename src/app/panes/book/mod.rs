//! The book: the accounts, contacts and projects that the workspace has saved, with its annotations.
//!
//! Three lists, one per dataset. Opening the screen reads nothing: Enter does, for the price shown.

pub(crate) mod commands;
pub(crate) mod draw;
pub(crate) mod layout;

#[cfg(test)]
mod tests;

use crate::app::effect::ListId;
use crate::domain::book::RecordKind;

#[derive(Clone, Debug, Default)]
pub struct BookPane {
    /// Index of the current dataset in [`RecordKind::ALL`].
    pub tab: usize,
}

impl BookPane {
    pub fn current_kind(&self) -> &'static RecordKind {
        &RecordKind::ALL[self.tab % RecordKind::ALL.len()]
    }

    pub fn current_list_id(&self) -> ListId {
        ListId::Book(self.current_kind().clone())
    }
}

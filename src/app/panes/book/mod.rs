//! The book: the accounts, contacts and projects that the workspace has saved, and what it wrote on them.
//!
//! Three lists, one a dataset. Opening the screen reads nothing: Enter does, for the price that stands there.

pub mod commands;
pub mod draw;
pub mod layout;

#[cfg(test)]
mod tests;

use super::records::{ListId, RecordList};
use crate::domain::book::RecordKind;
use crate::domain::search::RecordSource;

/// The book pane.
#[derive(Clone, Debug)]
pub struct BookPane {
    /// The lists, in the order of [`Shelf::ALL`].
    pub lists: Vec<RecordList>,
    /// The dataset on the screen, by its place.
    pub tab: usize,
}

impl Default for BookPane {
    fn default() -> Self {
        BookPane {
            lists: RecordKind::ALL.iter().map(|shelf| RecordList::new(RecordSource::Book(shelf.clone()))).collect(),
            tab: 0,
        }
    }
}

impl BookPane {
    /// The dataset on the screen.
    pub fn current_kind(&self) -> &'static RecordKind {
        &RecordKind::ALL[self.tab % RecordKind::ALL.len()]
    }

    /// The list of a dataset.
    pub fn list(&self, shelf: &RecordKind) -> Option<&RecordList> {
        self.lists.get(RecordKind::ALL.iter().position(|known| known == shelf)?)
    }

    /// The list of a dataset.
    pub fn list_mut(&mut self, shelf: &RecordKind) -> Option<&mut RecordList> {
        self.lists.get_mut(RecordKind::ALL.iter().position(|known| known == shelf)?)
    }

    /// The list on the screen.
    pub fn current_list_id(&self) -> ListId {
        ListId::Book(self.current_kind().clone())
    }
}

//! The book: the accounts, contacts and projects that the workspace has saved, with its annotations.
//!
//! Three lists, one per dataset. Opening the screen reads nothing: Enter does, for the price shown.

pub(crate) mod commands;
pub(crate) mod draw;
pub(crate) mod layout;

#[cfg(test)]
mod tests;

use super::records::RecordList;
use crate::app::effect::ListId;
use crate::domain::book::RecordKind;
use crate::domain::search::RecordSource;

#[derive(Clone, Debug)]
pub struct BookPane {
    /// In the order of [`RecordKind::ALL`].
    pub lists: Vec<RecordList>,
    /// Index of the current dataset.
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
    pub fn current_kind(&self) -> &'static RecordKind {
        &RecordKind::ALL[self.tab % RecordKind::ALL.len()]
    }

    pub fn list(&self, shelf: &RecordKind) -> Option<&RecordList> {
        self.lists.get(RecordKind::ALL.iter().position(|known| known == shelf)?)
    }

    pub fn list_mut(&mut self, shelf: &RecordKind) -> Option<&mut RecordList> {
        self.lists.get_mut(RecordKind::ALL.iter().position(|known| known == shelf)?)
    }

    pub fn current_list_id(&self) -> ListId {
        ListId::Book(self.current_kind().clone())
    }
}

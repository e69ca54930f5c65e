//! The saved searches as a list: what the pane holds of them.

use crate::app::model::list_table::ListLines;
use crate::domain::named_searches::NamedSearch;

/// The saved searches, by name.
#[derive(Clone, Debug, Default)]
pub struct SavedSearches {
    pub list: Vec<NamedSearch>,
    /// They have the screen and the keys.
    pub is_open: bool,
    pub lines: ListLines,
}

impl SavedSearches {
    pub fn current(&self) -> Option<&NamedSearch> {
        self.list.get(self.lines.current_row())
    }

    pub fn find(&self, name: &str) -> Option<&NamedSearch> {
        self.list.iter().find(|search| search.name == name)
    }

    pub fn insert(&mut self, search: NamedSearch) {
        self.list.retain(|known| known.name != search.name);
        self.list.push(search);
        self.list
            .sort_by_cached_key(|search| (search.name.to_lowercase(), search.name.clone()));
    }

    pub fn remove(&mut self, name: &str) {
        self.list.retain(|known| known.name != name);
    }
}

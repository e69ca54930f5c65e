//! The saved searches as a list: what the pane holds of them.

use crate::domain::named_searches::NamedSearch;
use crate::ui::scroll::ScrollState;

/// The saved searches, by name.
#[derive(Clone, Debug, Default)]
pub struct SavedSearches {
    pub list: Vec<NamedSearch>,
    /// They have the screen and the keys.
    pub is_open: bool,
    pub scroll: ScrollState,
}

impl SavedSearches {
    pub fn current(&self) -> Option<&NamedSearch> {
        self.list.get(self.scroll.cursor)
    }

    pub fn find(&self, name: &str) -> Option<&NamedSearch> {
        self.list.iter().find(|search| search.name == name)
    }

    pub fn insert(&mut self, search: NamedSearch) {
        self.list.retain(|known| known.name != search.name);
        let name = search.name.clone();
        self.list.push(search);
        self.list
            .sort_by_cached_key(|search| (search.name.to_lowercase(), search.name.clone()));
        self.scroll.cursor = self
            .list
            .iter()
            .position(|search| search.name == name)
            .unwrap_or(0);
    }

    pub fn remove(&mut self, name: &str) {
        self.list.retain(|known| known.name != name);
        self.scroll.cursor = self.scroll.cursor.min(self.list.len().saturating_sub(1));
    }
}

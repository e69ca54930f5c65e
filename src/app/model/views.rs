//! What is saved: the Views of the workspace with the user's favorites, and the searches that the
//! user named on this machine. Reading them is free.

use std::collections::HashSet;

use crate::app::model::load_state::LoadState;
use crate::domain::ViewId;
use crate::domain::book::RecordKind;
use crate::domain::named_searches::{NamedSearch, SearchCount};
use crate::domain::search::{RecordSource, Search};
use crate::domain::views::View;

#[derive(Clone, Debug, Default)]
pub struct Views {
    /// The user's favorites first, then by name.
    list: Vec<View>,
    load: LoadState,
    favorites: HashSet<ViewId>,
    favorites_unavailable: Option<String>,
    /// By name.
    searches: Vec<NamedSearch>,
}

impl Views {
    pub fn list(&self) -> &[View] {
        &self.list
    }

    pub fn load(&self) -> &LoadState {
        &self.load
    }

    pub fn get(&self, id: ViewId) -> Option<&View> {
        self.list.iter().find(|view| view.id == id)
    }

    /// The Views to which records of this kind can be added.
    pub fn static_views(&self, kind: &RecordKind) -> impl Iterator<Item = &View> {
        self.list.iter().filter(move |view| {
            view.is_static() && view.dataset.as_deref() == Some(kind.singular_name())
        })
    }

    pub fn is_favorite(&self, id: ViewId) -> bool {
        self.favorites.contains(&id)
    }

    /// Why favorites are unavailable, if they are: they need a user token.
    pub fn favorites_unavailable(&self) -> Option<&str> {
        self.favorites_unavailable.as_deref()
    }

    /// Keeps showing Views that are loaded.
    pub fn start_load(&mut self) {
        if self.load != LoadState::Ready {
            self.load = LoadState::Loading;
        }
    }

    pub fn fail_load(&mut self, reason: String) {
        self.load = LoadState::Failed(reason);
    }

    pub fn set_list(&mut self, list: Vec<View>) {
        (self.list, self.load) = (list, LoadState::Ready);
        self.sort();
    }

    pub fn remove(&mut self, id: ViewId) {
        self.list.retain(|view| view.id != id);
    }

    pub fn set_favorites(&mut self, favorites: impl Iterator<Item = ViewId>) {
        (self.favorites, self.favorites_unavailable) = (favorites.collect(), None);
        self.sort();
    }

    pub fn set_favorites_unavailable(&mut self, reason: String) {
        self.favorites_unavailable = Some(reason);
    }

    pub fn set_favorite(&mut self, view: ViewId, is_favorite: bool) {
        if is_favorite {
            self.favorites.insert(view);
        } else {
            self.favorites.remove(&view);
        }
        self.sort();
    }

    /// The saved searches.
    pub fn searches(&self) -> &[NamedSearch] {
        &self.searches
    }

    pub fn search(&self, name: &str) -> Option<&NamedSearch> {
        self.searches.iter().find(|search| search.name == name)
    }

    pub fn set_searches(&mut self, searches: Vec<NamedSearch>) {
        self.searches = searches;
    }

    /// Adds a search; it replaces the one of its name.
    pub fn insert_search(&mut self, search: NamedSearch) {
        self.remove_search(&search.name);
        self.searches.push(search);
        self.searches
            .sort_by_cached_key(|search| (search.name.to_lowercase(), search.name.clone()));
    }

    pub fn remove_search(&mut self, name: &str) {
        self.searches.retain(|known| known.name != name);
    }

    /// Adds a count to the saved search that searches for this, if there is one.
    pub fn add_count(
        &mut self,
        source: &RecordSource,
        search: &Search,
        count: SearchCount,
    ) -> Option<&NamedSearch> {
        let mut searches = self.searches.iter_mut();
        let found = searches.find(|saved| saved.is_search(source, search))?;
        found.add_count(count);
        Some(found)
    }

    fn sort(&mut self) {
        let favorites = &self.favorites;
        self.list.sort_by_key(|view| {
            (
                !favorites.contains(&view.id),
                view.title().to_lowercase(),
                view.id,
            )
        });
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewsRequest {
    List,
    Favorites,
}

//! The Views of the workspace and the user's favorites. Reading them is free.

use std::collections::HashSet;

use crate::app::Context;
use crate::app::change::Change;
use crate::app::effect::{ListId, ServiceCall, Slot};
use crate::app::model::load_state::LoadState;
use crate::app::msg::{Reply, payload};
use crate::app::requests::Request;
use crate::domain::ViewId;
use crate::domain::book::RecordKind;
use crate::domain::request_error::RequestError;
use crate::domain::views::{Favorite, View};

#[derive(Clone, Debug, Default)]
pub struct Views {
    /// The user's favorites first, then by name.
    list: Vec<View>,
    load: LoadState,
    favorites: HashSet<ViewId>,
    favorites_unavailable: Option<String>,
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

    pub fn position(&self, id: ViewId) -> Option<usize> {
        self.list.iter().position(|view| view.id == id)
    }

    /// The Views to which records of this kind can be added.
    pub fn static_views(&self, kind: &RecordKind) -> impl Iterator<Item = &View> {
        self.list.iter().filter(move |view| view.is_static() && view.dataset.as_deref() == Some(kind.singular_name()))
    }

    pub fn is_favorite(&self, id: ViewId) -> bool {
        self.favorites.contains(&id)
    }

    /// Why favorites are unavailable, if they are: they need a user token.
    pub fn favorites_unavailable(&self) -> Option<&str> {
        self.favorites_unavailable.as_deref()
    }

    fn sort(&mut self) {
        let favorites = &self.favorites;
        self.list.sort_by_key(|view| (!favorites.contains(&view.id), view.title().to_lowercase(), view.id));
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewsRequest {
    List,
    Favorites,
}

impl Context {
    /// Reads the Views and favorites unless they are loaded.
    pub fn read_missing_views(&mut self) {
        if self.views.load.needs_load() {
            self.read_views();
        }
    }

    pub fn read_views(&mut self) {
        if self.views.load != LoadState::Ready {
            self.views.load = LoadState::Loading;
        }
        self.call_service(Slot::Views, ServiceCall::Views, Request::Views(ViewsRequest::List));
        self.read_favorites();
    }

    fn read_favorites(&mut self) {
        self.call_service(Slot::Favorites, ServiceCall::Favorites, Request::Views(ViewsRequest::Favorites));
    }

    pub(in crate::app) fn on_views_reply(&mut self, request: ViewsRequest, result: Result<Reply, RequestError>) {
        match request {
            ViewsRequest::List => self.on_view_list_reply(payload(result)),
            ViewsRequest::Favorites => self.on_favorites_reply(payload(result)),
        }
    }

    fn on_view_list_reply(&mut self, result: Result<Vec<View>, RequestError>) {
        match result {
            Ok(list) => {
                self.views.list = list;
                self.views.load = LoadState::Ready;
                let views = &self.views;
                self.record_lists.retain(|id| !matches!(id, ListId::View(view) if views.get(*view).is_none()));
                self.sort_views();
            }
            Err(failure) if self.views.list.is_empty() => self.views.load = LoadState::Failed(failure.message),
            Err(failure) => self.show_failure("could not load the Views", &failure, "{views.refresh} retries"),
        }
    }

    /// Handles the favorites. When they are unavailable with this credential, the reason is kept and everything else works.
    fn on_favorites_reply(&mut self, result: Result<Vec<Favorite>, RequestError>) {
        match result {
            Ok(favorites) => {
                self.views.favorites = favorites.into_iter().map(|favorite| favorite.view_id).collect();
                self.views.favorites_unavailable = None;
                self.sort_views();
            }
            Err(failure) => self.views.favorites_unavailable = Some(failure.message),
        }
    }

    /// Takes a favorite that was written. A list that is being read may be older than that.
    pub(in crate::app) fn set_favorite(&mut self, view: ViewId, is_favorite: bool) {
        if is_favorite {
            self.views.favorites.insert(view);
        } else {
            self.views.favorites.remove(&view);
        }
        self.sort_views();
        if self.requests.is_open(|request| matches!(request, Request::Views(ViewsRequest::Favorites))) {
            self.read_favorites();
        }
    }

    fn sort_views(&mut self) {
        self.views.sort();
        self.publish(Change::Views);
    }
}

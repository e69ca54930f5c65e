//! Views: the workspace's saved record sets, and the records of the one that was run.
//!
//! The list is free and read when the screen opens. Running a View costs a credit a row; its rows stay in memory, so that switching
//! between Views costs nothing.

pub(crate) mod commands;
pub(crate) mod draw;
pub(crate) mod layout;

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashSet};

use crate::app::App;
use crate::app::effect::{ListId, ServiceCall, Slot};
use crate::app::msg::{Reply, payload};
use crate::app::panes::records::RecordList;
use crate::app::records::LoadState;
use crate::app::requests::Request;
use crate::domain::ViewId;
use crate::domain::request_error::RequestError;
use crate::domain::search::RecordSource;
use crate::domain::views::{Favorite, View};
use crate::ui::scroll::ScrollState;

#[derive(Clone, Debug, Default)]
pub struct ViewsPane {
    /// The user's favorites first, then by name.
    pub list: Vec<View>,
    pub load: LoadState,
    pub favorites: HashSet<ViewId>,
    /// Why favorites are unavailable, if they are: they need a user token.
    pub favorites_unavailable: Option<String>,
    pub scroll: ScrollState,
    pub marks: BTreeSet<ViewId>,
    pub open: Option<ViewId>,
    /// The records have the focus.
    pub records_focused: bool,
    /// The user has moved in the list or changed something; until then the cursor stays at its top.
    pub was_touched: bool,
}

impl ViewsPane {
    pub fn current_view(&self) -> Option<&View> {
        self.list.get(self.scroll.cursor)
    }

    pub fn get(&self, id: ViewId) -> Option<&View> {
        self.list.iter().find(|view| view.id == id)
    }

    pub fn displayed_view(&self) -> Option<&View> {
        self.get(self.open?)
    }

    /// The Views that a command applies to: the marked ones, or the one under the cursor.
    pub fn selection(&self) -> Vec<ViewId> {
        if self.marks.is_empty() {
            return self.current_view().map(|view| view.id).into_iter().collect();
        }
        self.list.iter().map(|view| view.id).filter(|id| self.marks.contains(id)).collect()
    }

    pub(in crate::app) fn sort_list(&mut self) {
        // An untouched list starts at its top; otherwise the cursor stays on its View.
        let here = self.current_view().map(|view| view.id).filter(|_| self.was_touched);
        let favorites = &self.favorites;
        self.list.sort_by_key(|view| (!favorites.contains(&view.id), view.title().to_lowercase(), view.id));
        let at = here.and_then(|id| self.list.iter().position(|view| view.id == id));
        self.scroll.cursor = at.unwrap_or(self.scroll.cursor).min(self.list.len().saturating_sub(1));
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewsRequest {
    List,
    Favorites,
}

impl App {
    /// Reads the list of Views and the user's favorites; both are free.
    pub fn read_views(&mut self) {
        if self.views.load != LoadState::Ready {
            self.views.load = LoadState::Loading;
        }
        self.call_service(Slot::Views, ServiceCall::Views, Request::Views(ViewsRequest::List));
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
                let there: HashSet<ViewId> = self.views.list.iter().map(|view| view.id).collect();
                self.views.marks.retain(|id| there.contains(id));
                self.record_lists.retain(|id| !matches!(id, ListId::View(view) if !there.contains(view)));
                self.views.sort_list();
            }
            Err(failure) => {
                if self.views.list.is_empty() {
                    self.views.load = LoadState::Failed(failure.message);
                } else {
                    self.show_failure("could not load the Views", &failure, "{views.refresh} retries");
                }
            }
        }
    }

    /// Handles the favorites. When they are unavailable with this credential, the reason is kept and the rest of the screen works.
    fn on_favorites_reply(&mut self, result: Result<Vec<Favorite>, RequestError>) {
        match result {
            Ok(favorites) => {
                self.views.favorites = favorites.into_iter().map(|favorite| favorite.view_id).collect();
                self.views.favorites_unavailable = None;
                self.views.sort_list();
            }
            Err(failure) => self.views.favorites_unavailable = Some(failure.message),
        }
    }

    pub fn displayed_view_records(&self) -> Option<&RecordList> {
        self.record_lists.get(&ListId::View(self.views.open?))
    }

    /// Shows the records of the View under the cursor: the paid rows, or an empty list that waits for Enter.
    pub fn open_view(&mut self) {
        let Some(view) = self.views.current_view() else { return };
        let (id, source) = (view.id, RecordSource::View(view.id, view.record_kind()));
        self.record_lists.insert_if_missing(ListId::View(id), source);
        self.views.open = Some(id);
        self.views.records_focused = true;
    }

    pub fn run_view(&mut self) {
        self.open_view();
        if let Some(view) = self.views.open
            && self.displayed_view_records().is_some_and(|records| records.load != LoadState::Ready && !records.is_reading())
        {
            self.read_first_page(&ListId::View(view));
        }
    }
}

//! Reads the Views and the user's favorites, which is free.

use crate::app::Context;
use crate::app::change::Change;
use crate::app::effect::{ListId, ServiceCall, Slot};
use crate::app::model::views::ViewsRequest;
use crate::app::msg::{CallResult, payload};
use crate::app::requests::Request;
use crate::domain::ViewId;
use crate::domain::views::{Favorite, View};

impl Context {
    /// Reads the Views and favorites unless they are loaded.
    pub fn read_missing_views(&mut self) {
        if self.views.load().needs_load() {
            self.read_views();
        }
    }

    pub fn read_views(&mut self) {
        self.views.start_load();
        self.call_service(
            Slot::Views,
            ServiceCall::Views,
            Request::Views(ViewsRequest::List),
        );
        self.read_favorites();
    }

    fn read_favorites(&mut self) {
        self.call_service(
            Slot::Favorites,
            ServiceCall::Favorites,
            Request::Views(ViewsRequest::Favorites),
        );
    }

    pub(in crate::app) fn on_views_reply(&mut self, request: ViewsRequest, result: CallResult) {
        match request {
            ViewsRequest::List => self.on_view_list_reply(payload(result)),
            ViewsRequest::Favorites => self.on_favorites_reply(payload(result)),
        }
    }

    fn on_view_list_reply(&mut self, result: CallResult<Vec<View>>) {
        match result {
            Ok(list) => {
                self.views.set_list(list);
                let views = &self.views;
                self.record_lists
                    .retain(|id| !matches!(id, ListId::View(view) if views.get(*view).is_none()));
                self.publish(Change::Views);
                self.choose_awaited_view();
            }
            Err(failure) => {
                let hint = match self.new_views.waiting.take() {
                    Some(_) => Some("{records.add} retries"),
                    None if self.views.list().is_empty() => None,
                    None => Some("{views.refresh} retries"),
                };
                if let Some(hint) = hint {
                    self.show_failure("could not load the Views", &failure, hint);
                }
                if self.views.list().is_empty() {
                    self.views.fail_load(failure.message);
                }
            }
        }
    }

    /// Handles the favorites. When they are unavailable with this credential, the reason is kept
    /// and everything else works.
    fn on_favorites_reply(&mut self, result: CallResult<Vec<Favorite>>) {
        match result {
            Ok(favorites) => {
                self.views
                    .set_favorites(favorites.into_iter().map(|favorite| favorite.view_id));
                self.publish(Change::Views);
            }
            Err(failure) => self.views.set_favorites_unavailable(failure.message),
        }
    }

    /// Takes a favorite that was written. A list that is being read may be older than that.
    pub(in crate::app) fn set_favorite(&mut self, view: ViewId, is_favorite: bool) {
        self.views.set_favorite(view, is_favorite);
        self.publish(Change::Views);
        if self
            .requests
            .is_open(|request| matches!(request, Request::Views(ViewsRequest::Favorites)))
        {
            self.read_favorites();
        }
    }
}

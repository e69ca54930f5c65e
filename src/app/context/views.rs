//! Reads the Views and the user's favorites, which is free, and keeps the user's saved searches.

use crate::app::Context;
use crate::app::change::Change;
use crate::app::effect::{Effect, ListId, ServiceCall, Slot};
use crate::app::format::{format_count, format_time_in_sentence};
use crate::app::model::views::ViewsRequest;
use crate::app::msg::{CallResult, payload};
use crate::app::requests::Request;
use crate::domain::ViewId;
use crate::domain::named_searches::{NamedSearch, SearchCount};
use crate::domain::search::RecordSource;
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
        self.work.call_service(
            Slot::Views,
            ServiceCall::Views,
            Request::Views(ViewsRequest::List),
        );
        self.read_favorites();
    }

    fn read_favorites(&mut self) {
        self.work.call_service(
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
                self.work.publish(Change::Views);
                self.choose_awaited_view();
            }
            Err(failure) => {
                let hint = match self.new_views.waiting.take() {
                    Some(_) => Some("{records.add} retries"),
                    None if self.views.list().is_empty() => None,
                    None => Some("{views.refresh} retries"),
                };
                if let Some(hint) = hint {
                    self.ui
                        .show_failure("could not load the Views", &failure, hint);
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
                self.work.publish(Change::Views);
            }
            Err(failure) => self.views.set_favorites_unavailable(failure.message),
        }
    }

    /// Takes a favorite that was written. A list that is being read may be older than that.
    pub(in crate::app) fn set_favorite(&mut self, view: ViewId, is_favorite: bool) {
        self.views.set_favorite(view, is_favorite);
        self.work.publish(Change::Views);
        if self
            .work
            .requests
            .is_open(|request| matches!(request, Request::Views(ViewsRequest::Favorites)))
        {
            self.read_favorites();
        }
    }

    /// Keeps a search under its name, on this machine.
    pub(in crate::app) fn save_search(&mut self, search: NamedSearch) {
        let saved = Some(Box::new(search.clone()));
        self.work
            .emit(Effect::SaveNamedSearch(search.name.clone(), saved));
        self.views.insert_search(search);
        self.work.publish(Change::Views);
    }

    pub(in crate::app) fn delete_search(&mut self, name: &str) {
        self.work
            .emit(Effect::SaveNamedSearch(name.to_owned(), None));
        self.views.remove_search(name);
        self.work.publish(Change::Views);
    }

    /// Rows of a search were read or counted: a saved search remembers how many match, and the
    /// notice says what changed.
    pub(in crate::app) fn save_search_count(&mut self, list: &ListId) {
        let at = self.clock.service_now();
        let Some(list) = self.record_lists.get(list) else {
            return;
        };
        let is_search = matches!(list.source, RecordSource::Index(_));
        let Some(total) = list.total.filter(|_| is_search) else {
            return;
        };
        let count = SearchCount {
            at,
            total,
            is_capped: list.is_capped,
        };
        let Some(search) = self.views.add_count(&list.source, &list.search, count) else {
            return;
        };
        let search = search.clone();
        let change = self.describe_search_change(&search);
        self.save_search(search);
        if let (Some(notice), Some(change)) = (&mut self.ui.notice, change) {
            notice.text = format!("{}; {change}", notice.text);
        }
    }

    /// "+4 since 17:10 yesterday"; `None` if there is nothing to compare with.
    pub(in crate::app) fn describe_search_change(&self, search: &NamedSearch) -> Option<String> {
        let (by, since) = search.change()?;
        let sign = if by < 0 { "-" } else { "+" };
        let since = format_time_in_sentence(since, self.clock.service_now(), self.clock.utc_offset);
        let by = format_count(by.unsigned_abs());
        Some(format!("{sign}{by} since {since}"))
    }
}

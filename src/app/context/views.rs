//! Reads the Views and the user's favorites, which is free, and keeps the user's saved searches.

use crate::app::Context;
use crate::app::change::Change;
use crate::app::context::Work;
use crate::app::context::clock::Clock;
use crate::app::effect::{Effect, ListId, ServiceCall, Slot};
use crate::app::format::{format_count, format_time_in_sentence};
use crate::app::model::views::{Views, ViewsRequest};
use crate::app::msg::{CallResult, payload};
use crate::app::requests::Request;
use crate::domain::ViewId;
use crate::domain::named_searches::{NamedSearch, SearchCount};
use crate::domain::search::RecordSource;
use crate::domain::views::{Favorite, View};

impl Context {
    pub(in crate::app) fn on_views_reply(&mut self, request: ViewsRequest, result: CallResult) {
        match request {
            ViewsRequest::List => self.on_view_list_reply(payload(result)),
            ViewsRequest::Favorites => {
                on_favorites_reply(payload(result), &mut self.work, &mut self.views)
            }
        }
    }

    fn on_view_list_reply(&mut self, result: CallResult<Vec<View>>) {
        match result {
            Ok(list) => {
                self.views.set_list(list);
                let views = &self.views;
                self.records
                    .lists
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

    /// Rows of a search were read or counted: a saved search remembers how many match, and the
    /// notice says what changed.
    pub(in crate::app) fn save_search_count(&mut self, list: &ListId) {
        let at = self.clock.service_now();
        let Some(list) = self.records.lists.get(list) else {
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
        let change = describe_search_change(&search, &self.clock);
        save_search(search, &mut self.work, &mut self.views);
        if let (Some(notice), Some(change)) = (&mut self.ui.notice, change) {
            notice.text = format!("{}; {change}", notice.text);
        }
    }
}

/// Reads the Views and favorites unless they are loaded.
pub fn read_missing_views(work: &mut Work, views: &mut Views) {
    if views.load().needs_load() {
        read_views(work, views);
    }
}

pub fn read_views(work: &mut Work, views: &mut Views) {
    views.start_load();
    work.call_service(
        Slot::Views,
        ServiceCall::Views,
        Request::Views(ViewsRequest::List),
    );
    read_favorites(work);
}

fn read_favorites(work: &mut Work) {
    work.call_service(
        Slot::Favorites,
        ServiceCall::Favorites,
        Request::Views(ViewsRequest::Favorites),
    );
}

/// Handles the favorites. When they are unavailable with this credential, the reason is kept
/// and everything else works.
fn on_favorites_reply(result: CallResult<Vec<Favorite>>, work: &mut Work, views: &mut Views) {
    match result {
        Ok(favorites) => {
            views.set_favorites(favorites.into_iter().map(|favorite| favorite.view_id));
            work.publish(Change::Views);
        }
        Err(failure) => views.set_favorites_unavailable(failure.message),
    }
}

/// Takes a favorite that was written. A list that is being read may be older than that.
pub(in crate::app) fn set_favorite(
    view: ViewId,
    is_favorite: bool,
    work: &mut Work,
    views: &mut Views,
) {
    views.set_favorite(view, is_favorite);
    work.publish(Change::Views);
    if work
        .requests
        .is_open(|request| matches!(request, Request::Views(ViewsRequest::Favorites)))
    {
        read_favorites(work);
    }
}

/// Keeps a search under its name, on this machine.
pub(in crate::app) fn save_search(search: NamedSearch, work: &mut Work, views: &mut Views) {
    let saved = Some(Box::new(search.clone()));
    work.emit(Effect::SaveNamedSearch(search.name.clone(), saved));
    views.insert_search(search);
    work.publish(Change::Views);
}

pub(in crate::app) fn delete_search(name: &str, work: &mut Work, views: &mut Views) {
    work.emit(Effect::SaveNamedSearch(name.to_owned(), None));
    views.remove_search(name);
    work.publish(Change::Views);
}

/// "+4 since 17:10 yesterday"; `None` if there is nothing to compare with.
pub(in crate::app) fn describe_search_change(
    search: &NamedSearch,
    clock: &Clock,
) -> Option<String> {
    let (by, since) = search.change()?;
    let sign = if by < 0 { "-" } else { "+" };
    let since = format_time_in_sentence(since, clock.service_now(), clock.utc_offset);
    let by = format_count(by.unsigned_abs());
    Some(format!("{sign}{by} since {since}"))
}

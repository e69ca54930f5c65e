//! What a list asks the service for, and what it makes of the answers.
//!
//! One read a list is under way at a time, and of two the later counts. What stands there stays, with its filter and its next page,
//! until other rows have come.

use super::{PAGE, Records, Shown};
use crate::app::effect::{Effect, ServiceCall, Slot};
use crate::app::format::{format_count, pluralize};
use crate::app::msg::Token;
use crate::app::notice::Notice;
use crate::app::records::LoadState;
use crate::app::{App, Screen};
use crate::domain::failure::{RequestError, RequestErrorKind};
use crate::domain::search::{MAX_SEARCH_PAGE_ROWS, Search, SearchPage, SortOrder};
use crate::ui::scroll::ScrollState;

/// What a read is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    /// The first page.
    First,
    /// The next page.
    More,
    /// Every page that is left, one after the other.
    Rest,
    /// One row, for the total.
    Count,
}

impl Records {
    /// Reads no page after the one that is on its way.
    pub fn stop(&mut self) {
        if let Some((_, ask @ Ask::Rest)) = &mut self.ask {
            *ask = Ask::More;
        }
    }

    /// Takes a page in; of a row that came twice the newer counts.
    fn take(&mut self, ask: Ask, found: SearchPage) {
        if ask == Ask::First {
            if self.of != self.search {
                self.put_aside();
            }
            self.earlier.retain(|reading| !reading.is_of(&self.search));
            self.rows.clear();
            self.slots.clear();
            self.next = None;
            self.of.clone_from(&self.search);
            self.scroll = ScrollState::default();
            self.range = None;
            self.unreadable = 0;
        }
        self.total = found.total;
        if self.search.is_unfiltered() {
            self.whole_total = found.total;
        }
        self.is_capped = found.total_is_capped;
        self.spent = self.spent.saturating_add(found.credits.unwrap_or(found.rows.len() as u64));
        if ask == Ask::Count {
            return;
        }
        let before = self.rows.len();
        self.unreadable += found.unreadable;
        for row in found.rows {
            if let Some(slot) = self.slots.get(&row.id) {
                self.rows[*slot] = row;
            } else {
                self.slots.insert(row.id, self.rows.len());
                self.rows.push(row);
            }
        }
        let grew = self.rows.len() > before;
        // A cursor that brings nothing new would be paid for without end.
        self.next = found.search_after.filter(|cursor| grew && self.next.as_ref() != Some(cursor));
    }
}

impl App {
    /// Reads a list from its beginning: up to a page, a credit a row. What stands there stays until it came.
    pub fn read_first(&mut self, shown: &Shown) {
        if let Some(list) = self.list_mut(shown) {
            list.load = LoadState::Loading;
        }
        self.read_page(shown, Ask::First);
    }

    /// Reads the next page.
    pub fn read_more(&mut self, shown: &Shown) {
        self.read_page(shown, Ask::More);
    }

    /// Reads every page that is left.
    pub fn read_rest(&mut self, shown: &Shown) {
        self.read_page(shown, Ask::Rest);
    }

    /// Reads how many rows there are: one credit, or none when nothing matches.
    pub fn read_count(&mut self, shown: &Shown) {
        self.read_page(shown, Ask::Count);
    }

    fn read_page(&mut self, shown: &Shown, ask: Ask) {
        let Some(list) = self.list(shown) else { return };
        let limit = match ask {
            Ask::First | Ask::More => PAGE,
            Ask::Rest => MAX_SEARCH_PAGE_ROWS,
            Ask::Count => 1,
        };
        let after = list.next.clone().filter(|_| matches!(ask, Ask::More | Ask::Rest));
        let call = ServiceCall::Search { source: list.source.clone(), search: list.search.clone(), after, limit };
        if list.is_reading() {
            self.effects.push(Effect::Cancel(Slot::Records(shown.clone())));
        }
        let token = self.call_service(Slot::Records(shown.clone()), call);
        if let Some(list) = self.list_mut(shown) {
            list.ask = Some((token, ask));
        }
    }

    /// Takes a page of a list; false when the reply belongs to none.
    pub fn records_replied(&mut self, token: Token, result: Result<SearchPage, RequestError>) -> bool {
        let Some(shown) = self.list_waiting_for(token) else { return false };
        let now = self.service_now();
        let Some(list) = self.list_mut(&shown) else { return false };
        let Some((_, ask)) = list.ask.take() else { return false };
        match result {
            Ok(found) => {
                let credits = found.credits;
                let before = if ask == Ask::First { 0 } else { list.len() };
                list.take(ask, found);
                if ask == Ask::First {
                    list.read_at = Some(now);
                    list.load = LoadState::Ready;
                    list.marks.retain(|id| list.slots.contains_key(id));
                    self.narrowed(&shown);
                }
                self.renew_pages(&shown);
                let Some(list) = self.list_mut(&shown) else { return false };
                match ask {
                    Ask::Count => {
                        let total = list.total.map_or_else(|| "the service does not tell how many".to_owned(), format_count);
                        let more = if list.is_capped { " or more" } else { "" };
                        self.notice = Some(Notice::success(format!("{total}{more} match{}", cost_words(credits))));
                    }
                    Ask::Rest if list.has_more() && !ends_stretch(before, list.len()) => {
                        list.load = LoadState::Ready;
                        let so_far = format_count(list.len() as u64);
                        self.notice = Some(Notice::info(format!("{so_far} rows read")).with_hint("Ctrl-c stops"));
                        self.record_spend(credits);
                        self.keep_run(&shown, before);
                        self.read_page(&shown, Ask::Rest);
                        return true;
                    }
                    _ => {
                        list.load = LoadState::Ready;
                        if ask == Ask::More && list.len() > before {
                            list.scroll.cursor = before;
                        }
                        let now = list.len();
                        let (rows, unreadable) = (pluralize(now - before.min(now), "row"), list.unreadable);
                        let odd = if unreadable > 0 { format!(", {unreadable} unreadable") } else { String::new() };
                        self.notice = Some(Notice::info(format!("{rows} read{odd}{}", cost_words(credits))));
                    }
                }
                self.record_spend(credits);
                self.keep_run(&shown, before);
            }
            Err(failure) => {
                let has_rows = !list.is_empty();
                list.load = match failure.kind {
                    _ if has_rows => {
                        list.search.clone_from(&list.of);
                        LoadState::Ready
                    }
                    RequestErrorKind::Cancelled => LoadState::Idle,
                    _ => LoadState::Failed(failure.message.clone()),
                };
                // An empty list says it in its own place, where that is on the screen.
                match failure.kind {
                    RequestErrorKind::Cancelled => self.notice = Some(Notice::info("the read was given up")),
                    _ if !has_rows && self.shown_list() == Some(shown) => self.notice = None,
                    _ => self.show_failure("the rows could not be read", &failure, "{records.refresh} reads them anew"),
                }
            }
        }
        true
    }

    fn list_waiting_for(&self, token: Token) -> Option<Shown> {
        self.all_shown().find(|shown| self.list(shown).is_some_and(|list| list.ask.is_some_and(|(asked, _)| asked == token)))
    }

    /// Sorts the list on the screen by a key of its route: it is read anew, unless it was read so before.
    pub fn sort_records(&mut self, sort: Option<SortOrder>) {
        // The route's own order is the one without a word of it: the rows that are here are in it.
        let own = self.records().and_then(|list| list.source.sort_keys().first().copied());
        let is_own = |sort: &SortOrder| self.explore.narrow.is_none() && own == Some((sort.field.as_str(), sort.ascending));
        let sort = sort.filter(|sort| !is_own(sort));
        if let Some(narrow) = &mut self.explore.narrow {
            narrow.draft.sort = sort;
            return;
        }
        if self.screen == Screen::Explore {
            self.explore.draft_mut().sort.clone_from(&sort);
        }
        let Some(shown) = self.shown_list() else { return };
        if let Some(search) = self.list(&shown).map(|list| Search { sort, ..list.search.clone() }) {
            self.search_records(&shown, search);
        }
    }
}

/// A read of all rows goes on for so many at a time: a cursor that always leads on must not be paid for without end.
pub(super) fn ends_stretch(before: usize, now: usize) -> bool {
    const STRETCH: usize = 10_000;
    before / STRETCH < now / STRETCH
}

/// What was paid, after a read.
fn cost_words(credits: Option<u64>) -> String {
    match credits {
        Some(credits) => format!(", {}", pluralize(credits, "credit")),
        None => ", price not told".to_owned(),
    }
}

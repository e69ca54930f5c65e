//! Lists of records: what is read into them and when, the search of loaded rows, and whether a map
//! is beside them.
//!
//! A page is read only by a key whose price was shown, never by navigating. One read per list runs
//! at a time; of two, the later wins. The displayed rows stay, with their filter and next page,
//! until other rows have arrived.

use ratatui::layout::Rect;

use crate::app::change::Change;
use crate::app::context::{Ui, list_marks, record_sorting, records, saved_lists};
use crate::app::effect::{Effect, ListId, RecordKey, Slot};
use crate::app::format::{format_count, format_time, pluralize};
use crate::app::list_change::MarkChange;
use crate::app::model::load_state::LoadState;
use crate::app::model::queue::SignalQueue;
use crate::app::model::record_list::{LocalAnswer, RecordList, RecordsRead};
use crate::app::model::record_lists::RecordLists;
use crate::app::model::records::FetchedRecords;
use crate::app::msg::{CallResult, payload};
use crate::app::notice::Notice;
use crate::app::requests::Request;
use crate::app::{AppSettings, Context, Screen};
use crate::domain::ProjectId;
use crate::domain::book::Dataset;
use crate::domain::request_error::RequestErrorKind;
use crate::domain::search::{Search, SearchPage, SortOrder};
use crate::domain::text_query::TextQuery;
use crate::ui::area;
use crate::ui::map::DistanceUnit;

/// The rows of a longer list are decoded only as far as the queue shows them.
const MAX_DECODED_ROWS: usize = 5_000;

/// The preference that shows the map.
const MAP_PREFERENCE: &str = "map";
/// The preference for kilometers; miles by default.
const UNIT_PREFERENCE: &str = "map.units";

impl Context {
    pub fn displayed_list(&self) -> Option<&RecordList> {
        self.records.lists.get(self.ui.focus.list.as_ref()?)
    }

    /// Reads the first page of a list, for a credit a row. The displayed rows stay until it
    /// arrives.
    pub fn read_first_page(&mut self, shown: &ListId) {
        if let Some(list) = self.records.lists.get_mut(shown) {
            list.load = LoadState::Loading;
        }
        self.read_record_page(shown, RecordsRead::First);
    }

    /// Reads this many rows of a list again; the others stay as they are.
    pub(in crate::app) fn refresh_records(&mut self, shown: &ListId, rows: usize) {
        if let Some(list) = self.records.lists.get_mut(shown) {
            list.begin_refresh(rows);
        }
        self.read_first_page(shown);
    }

    pub fn read_next_page(&mut self, shown: &ListId) {
        self.read_record_page(shown, RecordsRead::More);
    }

    pub fn read_remaining_pages(&mut self, shown: &ListId) {
        self.read_record_page(shown, RecordsRead::Rest);
    }

    /// Counts the rows: one credit, or zero when nothing matches.
    pub fn count_records(&mut self, shown: &ListId) {
        self.read_record_page(shown, RecordsRead::Count);
    }

    pub(super) fn read_record_page(&mut self, shown: &ListId, ask: RecordsRead) {
        let saved_sort =
            record_sorting::saved_record_sort(shown, &self.records.lists, &self.settings);
        let Some(list) = self.records.lists.get_mut(shown) else {
            return;
        };
        let was_reading = list.is_reading();
        if list.load != LoadState::Ready && list.is_empty() {
            list.set_sort(saved_sort.or(list.sort()));
        }
        let call = list.start_read(ask);
        if was_reading {
            self.work.emit(Effect::Cancel(Slot::Records(shown.clone())));
        }
        self.work.call_service(
            Slot::Records(shown.clone()),
            call,
            Request::Records(shown.clone()),
        );
    }

    pub(in crate::app) fn on_records_reply(&mut self, shown: ListId, result: CallResult) {
        let now = self.clock.service_now();
        let Some(list) = self.records.lists.get_mut(&shown) else {
            return;
        };
        let Some(ask) = list.take_pending_read() else {
            return;
        };
        if let RecordsRead::Saved { or_first } = ask {
            return self.on_saved_rows_reply(shown, or_first, result);
        }
        match payload::<SearchPage>(result) {
            Ok(found) => {
                let credits = found.credits;
                let before = match ask {
                    RecordsRead::First => 0,
                    RecordsRead::Refresh => list.refreshed_rows().unwrap_or_default(),
                    _ => list.len(),
                };
                list.apply_page(ask, found, now);
                let is_refreshing = list.refreshed_rows().is_some();
                self.learn_rows(&shown, before);
                saved_lists::update_other_lists(&shown, before, &mut self.records.lists);
                if !is_refreshing {
                    saved_lists::save_list_rows(
                        &shown,
                        if ask == RecordsRead::Refresh {
                            0
                        } else {
                            before
                        },
                        &mut self.work,
                        &mut self.records.lists,
                    );
                }
                if ask == RecordsRead::First {
                    self.work.publish(Change::Filtered(shown.clone()));
                }
                records::update_fetched_records(
                    &shown,
                    &self.records.lists,
                    &mut self.records.fetched,
                );
                let Some(list) = self.records.lists.get_mut(&shown) else {
                    return;
                };
                match ask {
                    RecordsRead::Count => {
                        let total = list
                            .total
                            .map_or_else(|| "an unknown number".to_owned(), format_count);
                        let more = if list.is_capped { " or more" } else { "" };
                        self.ui.notice = Some(Notice::success(format!(
                            "{total}{more} match{}",
                            cost_label(credits)
                        )));
                    }
                    _ if is_refreshing => {
                        let fresh = format_count(list.refreshed_rows().unwrap_or_default() as u64);
                        self.ui.notice = Some(
                            Notice::info(format!("{fresh} rows read again"))
                                .with_hint("Ctrl-c stops"),
                        );
                        self.work.record_spend(credits);
                        return self.read_record_page(&shown, RecordsRead::Refresh);
                    }
                    RecordsRead::Rest
                        if list.has_more() && !crosses_read_limit(before, list.len()) =>
                    {
                        list.load = LoadState::Ready;
                        let so_far = format_count(list.len() as u64);
                        self.ui.notice = Some(
                            Notice::info(format!("{so_far} rows read")).with_hint("Ctrl-c stops"),
                        );
                        self.work.record_spend(credits);
                        self.work.publish(Change::RowsRead {
                            list: shown.clone(),
                            first_row: before,
                        });
                        return self.read_record_page(&shown, RecordsRead::Rest);
                    }
                    _ => {
                        list.load = LoadState::Ready;
                        if ask == RecordsRead::More && list.len() > before {
                            let first =
                                list.rows().get(before).and_then(|row| list.line_of(row.id));
                            list.lines.scroll.cursor = first.unwrap_or(list.lines.scroll.cursor);
                        }
                        let now = list.len();
                        let (rows, unreadable) =
                            (pluralize(now - before.min(now), "row"), list.unreadable);
                        let odd = if unreadable > 0 {
                            format!(", {unreadable} unreadable")
                        } else {
                            String::new()
                        };
                        self.ui
                            .inform(format!("{rows} read{odd}{}", cost_label(credits)));
                    }
                }
                self.work.record_spend(credits);
                self.work.publish(Change::RowsRead {
                    list: shown,
                    first_row: before,
                });
            }
            Err(failure) if failure.status() == Some(404) && matches!(shown, ListId::View(_)) => {
                if let ListId::View(id) = shown {
                    self.on_view_gone(id);
                }
            }
            Err(failure) => {
                let was_refreshing = list.refreshed_rows().is_some();
                list.stop_refresh(now);
                list.fail_read(&failure);
                let has_rows = !list.is_empty();
                if was_refreshing {
                    saved_lists::save_list_rows(&shown, 0, &mut self.work, &mut self.records.lists);
                }
                // An empty list shows the error in its own area if it is on the screen.
                match failure.kind {
                    RequestErrorKind::Cancelled => self.ui.inform("read canceled"),
                    _ if !has_rows && self.ui.focus.list.as_ref() == Some(&shown) => {
                        self.ui.notice = None
                    }
                    _ if ask != RecordsRead::First
                        && failure.status() == Some(400)
                        && saved_lists::is_from_earlier_session(&shown, &self.records.lists) =>
                    {
                        self.show_expired_place(&shown);
                    }
                    _ => self.ui.show_failure(
                        "could not load the rows",
                        &failure,
                        "{records.refresh} retries",
                    ),
                }
            }
        }
    }

    /// Learns what the rows of a list from an index on say about signals.
    pub(super) fn learn_rows(&mut self, shown: &ListId, first_row: usize) {
        let Some(list) = self.records.lists.get(shown) else {
            return;
        };
        let dataset = list.source.dataset();
        let facts = &mut self.queue.facts;
        let rows = list.rows().get(first_row..).unwrap_or_default();
        if rows.len() <= MAX_DECODED_ROWS {
            for row in rows {
                facts.learn_record(&dataset, row, list.is_in_book(row).then_some(true));
            }
            self.note_row_promises(shown, first_row);
        } else if dataset == Dataset::Projects {
            // Accounts and contacts are looked up when a project involves them.
            for row in rows {
                if self.queue.has_project(ProjectId(row.id)) {
                    self.queue.facts.learn_record(
                        &dataset,
                        row,
                        list.is_in_book(row).then_some(true),
                    );
                }
            }
        }
        on_facts_changed(&mut self.queue, &self.records.lists);
    }

    /// Sorts the list on the screen by a field of its route: reads it again, unless rows in this
    /// order are cached.
    pub fn sort_records(&mut self, sort: Option<SortOrder>) {
        // The route's default order is the request without a sort: the loaded rows are already in
        // it.
        let own = self
            .records
            .lists
            .shown_list(self.ui.focused_list())
            .and_then(|list| list.source.sort_keys().first().copied());
        let sort = sort.filter(|sort| own != Some((sort.field.as_str(), sort.ascending)));
        let Some(shown) = self.ui.focus.list.clone() else {
            return;
        };
        self.work
            .publish(Change::ListSorted(shown.clone(), sort.clone()));
        if let Some(search) = self.records.lists.get(&shown).map(|list| Search {
            sort,
            ..list.search.clone()
        }) {
            self.search_records(&shown, search);
        }
    }

    /// Shows the rows of another search: cached ones for free, others from the service at their
    /// price.
    pub(in crate::app) fn search_records(&mut self, shown: &ListId, search: Search) {
        let Some(list) = self.records.lists.get(shown) else {
            return;
        };
        let known_at = self.records.lists.known_read_at(list, &search);
        let answer = self.records.lists.local_answer(&list.source, &search);
        if let Some(answer) = answer.filter(|answer| known_at.is_none_or(|at| at < answer.read_at))
        {
            return self.show_local_answer(shown, search, answer);
        }
        if self.show_cached_search(shown, &search) {
            return;
        }
        if let Some(list) = self.records.lists.get_mut(shown) {
            list.search = search;
        }
        self.read_saved_or_first_page(shown);
    }

    /// Shows the rows of a list's search: those of a complete list that has them, or the first page
    /// at its price.
    pub fn answer_or_read(&mut self, shown: &ListId) {
        let Some(list) = self.records.lists.get(shown) else {
            return;
        };
        let search = list.search.clone();
        match self.records.lists.local_answer(&list.source, &search) {
            Some(answer) => {
                self.show_local_answer(shown, search, answer);
                self.work.publish(Change::RowsRead {
                    list: shown.clone(),
                    first_row: 0,
                });
            }
            None => self.read_first_page(shown),
        }
    }

    fn show_local_answer(&mut self, shown: &ListId, search: Search, answer: LocalAnswer) {
        let (found, searched) = (
            format_count(answer.rows.len() as u64),
            pluralize(answer.searched, "loaded row"),
        );
        let read = self.clock.format_time(answer.read_at);
        let Some(list) = self.records.lists.get_mut(shown) else {
            return;
        };
        if list.is_reading() {
            self.work.abandon_slot(Slot::Records(shown.clone()));
        }
        let Some(list) = self.records.lists.get_mut(shown) else {
            return;
        };
        list.show_local_answer(search, answer);
        let price = pluralize(list.first_page_price(), "credit");
        let verb = if found == "1" { "matches" } else { "match" };
        self.ui.notice = Some(
            Notice::info(format!(
                "{found} of the {searched} {verb}, read {read}, 0 credits"
            ))
            .with_hint(format!(
                "{{records.refresh}} asks the service for at most {price}"
            )),
        );
        self.work.publish(Change::Filtered(shown.clone()));
    }

    /// Shows the cached rows of a search; false if there are none.
    pub(in crate::app) fn show_cached_search(&mut self, shown: &ListId, search: &Search) -> bool {
        let (now, zone) = (self.clock.service_now(), self.clock.utc_offset);
        let Some(list) = self.records.lists.get_mut(shown) else {
            return false;
        };
        if !list.restore_cached_rows(search) {
            return false;
        }
        let was_reading = list.take_pending_read().is_some();
        let read = list
            .read_at
            .map(|at| format!(", read {}", format_time(at, now, zone)))
            .unwrap_or_default();
        let text = format!("{}{read}, 0 credits", pluralize(list.len(), "row"));
        if was_reading {
            self.work.abandon_slot(Slot::Records(shown.clone()));
        }
        self.ui.notice = Some(Notice::info(text).with_hint("{records.refresh} refreshes"));
        self.work.publish(Change::Filtered(shown.clone()));
        true
    }

    /// Marks rows of the focused list of records.
    pub(in crate::app) fn change_record_marks(&mut self, change: MarkChange<'_>, rows: &[usize]) {
        let Some(list) = self.records.lists.shown_list_mut(self.ui.focused_list()) else {
            return;
        };
        if change == MarkChange::Range {
            if list.current_record().is_none() {
                self.ui.warn("range: there is no row here");
            } else {
                list.toggle_range();
            }
            return;
        }
        let records = rows.iter().filter_map(|row| list.rows().get(*row));
        let ids: Vec<_> = records.map(|record| record.id).collect();
        let changed = ids.len();
        change.apply(&mut list.marks, ids);
        if change == MarkChange::None {
            list.range_anchor = None;
        }
        let more = if list.has_more() {
            "; more rows are not loaded"
        } else {
            ""
        };
        let marked = format!("{} marked{more}", format_count(list.marks.len() as u64));
        list_marks::report_marks_changed(change, changed, marked, &mut self.ui, &mut self.work);
    }

    /// The command that pays again for a list of an earlier session, which says its price.
    pub(in crate::app) fn priced_refresh(&self) -> Option<&'static str> {
        self.records
            .lists
            .shown_list(self.ui.focused_list())
            .is_some_and(RecordList::is_from_earlier_session)
            .then_some("records.refresh")
    }

    pub fn toggle_distance_unit(&mut self) {
        let (unit, words) = match distance_unit(&self.settings) {
            DistanceUnit::Miles => ("km", "kilometers"),
            DistanceUnit::Kilometers => ("", "miles"),
        };
        self.settings
            .save_preference(UNIT_PREFERENCE, unit, &mut self.work);
        self.ui.inform(format!("the map is in {words}"));
    }

    /// Shows or hides the map; where the place of no row is known, says where one is to be had.
    pub fn toggle_map(&mut self) {
        self.settings.save_preference(
            MAP_PREFERENCE,
            if is_map_shown(&self.settings) {
                ""
            } else {
                "on"
            },
            &mut self.work,
        );
        let Some(id) = self
            .ui
            .focus
            .list
            .clone()
            .filter(|_| is_map_shown(&self.settings))
        else {
            return;
        };
        locate_records(&id, &mut self.records.lists, &self.records.fetched);
        let list = self.records.lists.get(&id);
        if let Some(list) = list.filter(|list| !list.is_empty() && !list.is_located()) {
            let place = list.describe_place_source().unwrap_or_default();
            let notice = Notice::refusal("no map: no row has a location");
            self.ui.notice = Some(notice.with_hint(place));
        } else if self.frame.layout().map.is_empty() && !has_room_for_map(self.map_area()) {
            self.ui.notice = Some(Notice::refusal("no map: the window is too small for one"));
        }
    }

    /// The area that the map would share with its list.
    fn map_area(&self) -> Rect {
        let areas = self.frame.layout();
        match self.ui.screen() {
            Screen::Explore => areas.side_panel,
            _ => areas.panel,
        }
    }

    /// Splits an area into that of a list and that of its map: beside it, or below on a narrow
    /// screen. The map's is empty when it is off, too small or has nothing to show.
    pub(in crate::app) fn split_for_map(&mut self, shown: &ListId, area: Rect) -> (Rect, Rect) {
        if self.settings.preference(MAP_PREFERENCE).is_empty() {
            return (area, Rect::default());
        }
        locate_records(shown, &mut self.records.lists, &self.records.fetched);
        if !self
            .records
            .lists
            .get(shown)
            .is_some_and(|list| list.has_locations() && list.is_located())
        {
            return (area, Rect::default());
        }
        if area.width >= MAP_BESIDE_WIDTH {
            area::split_columns(area, 55)
        } else if has_room_for_map(area) {
            area::split_rows(area, area.height * 45 / 100)
        } else {
            (area, Rect::default())
        }
    }
}

/// The record under the cursor, by the route that returns the most fields.
pub fn current_record_key(ui: &Ui, record_lists: &RecordLists) -> Option<RecordKey> {
    let list = record_lists.shown_list(ui.focused_list())?;
    let row = list.current_record()?;
    Some(RecordKey {
        dataset: list.source.dataset(),
        id: row.id,
        in_book: list.is_in_book(row),
    })
}

/// What is known of signals changed.
pub(in crate::app) fn on_facts_changed(queue: &mut SignalQueue, record_lists: &RecordLists) {
    let facts = &mut queue.facts;
    for list in record_lists
        .values()
        .filter(|list| list.len() > MAX_DECODED_ROWS)
    {
        let rows = facts
            .unmatched()
            .filter_map(|id| list.row(id))
            .filter(|row| list.is_in_book(row));
        for row in rows.collect::<Vec<_>>() {
            facts.learn_record(&list.source.dataset(), row, Some(true));
        }
    }
    facts.summarize();
}

pub(in crate::app) fn report_no_match(query: &TextQuery, ui: &mut Ui) {
    let text = format!("no loaded row matches: {}", query.text());
    ui.warn(text);
}

/// The unit of the map's scale.
pub fn distance_unit(settings: &AppSettings) -> DistanceUnit {
    if settings.preference(UNIT_PREFERENCE).is_empty() {
        DistanceUnit::Miles
    } else {
        DistanceUnit::Kilometers
    }
}

fn locate_records(id: &ListId, record_lists: &mut RecordLists, records: &FetchedRecords) {
    if let Some(list) = record_lists.get_mut(id) {
        list.locate_records(records);
    }
}

pub(in crate::app) fn is_map_shown(settings: &AppSettings) -> bool {
    !settings.preference(MAP_PREFERENCE).is_empty()
}

/// From this width on, a map is beside its list.
const MAP_BESIDE_WIDTH: u16 = 96;

/// Whether a map in this area, beside or below its list, can be read.
fn has_room_for_map(area: Rect) -> bool {
    area.width >= MAP_BESIDE_WIDTH || area.height >= 18
}

/// Reading all rows stops at this many at a time: a cursor that never ends must not be paid for
/// endlessly.
fn crosses_read_limit(before: usize, now: usize) -> bool {
    const ROWS_PER_READ: usize = 10_000;
    before / ROWS_PER_READ < now / ROWS_PER_READ
}

/// The price paid for a read, for the notice.
fn cost_label(credits: Option<u64>) -> String {
    match credits {
        Some(credits) => format!(", {}", pluralize(credits, "credit")),
        None => ", price unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_all_rows_pauses_at_a_limit_however_far_the_cursor_leads() {
        assert!(!crosses_read_limit(50, 150) && crosses_read_limit(9_950, 10_050));
    }
}

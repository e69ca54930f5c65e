//! The order of lists of records: loaded rows are sorted here, for free; all rows are sorted by the
//! service, for the price of reading them again.

use crate::app::context::clock::Clock;
use crate::app::context::{Work, record_columns};
use crate::app::effect::ListId;
use crate::app::format::{format_count, pluralize};
use crate::app::model::list_table::ColumnSpec;
use crate::app::model::record_list::RecordList;
use crate::app::model::record_list::columns::table_of;
use crate::app::model::record_lists::RecordLists;
use crate::app::notice::Notice;
use crate::app::overlay::picker::PickerEntry;
use crate::app::{AppSettings, Context};
use crate::domain::field_kind::ListSort;
use crate::domain::search::{Search, SortOrder};

/// What an answer begins with that the service is asked for.
const BY_SERVICE: &str = "service ";

impl AppSettings {
    /// The columns that the loaded rows of a list can be sorted by: those on the screen first.
    pub fn sortable_columns(&self, list: &RecordList) -> Vec<ColumnSpec> {
        let chosen = record_columns::record_columns(&list.source, self);
        let mut columns = table_of(&list.source).shown_first(&chosen);
        columns.retain(|column| list.has_field(column.key));
        columns
    }
}

impl RecordLists {
    /// The orders that the service offers, with their price; not those that the loaded rows can be
    /// brought into themselves.
    pub(in crate::app) fn service_sorts(
        &self,
        list: &RecordList,
        clock: &Clock,
    ) -> Vec<PickerEntry> {
        let keys = list
            .source
            .sort_keys()
            .iter()
            .filter(|(field, _)| !(list.is_complete() && list.has_field(field)));
        let entry = |(field, is_ascending): &(&str, bool)| {
            let is_current =
                list.sort().is_none() && list.sort_direction(field) == Some(*is_ascending);
            let sort = SortOrder {
                field: (*field).to_owned(),
                ascending: *is_ascending != is_current,
            };
            let search = list.search_sorted_by(sort.clone());
            let price = match self.known_read_at(list, &search) {
                Some(at) => format!("0 cr, read {}", clock.format_time(at)),
                None => format!("at most {} cr", list.first_page_price()),
            };
            let rows = match list.row_count() {
                Some(count) => format!("all {}", count.describe("row")),
                None => "all rows".to_owned(),
            };
            let direction_key = if sort.ascending { "asc" } else { "desc" };
            PickerEntry {
                key: format!("{BY_SERVICE}{field}:{direction_key}"),
                label: match *field {
                    "name" => format!("name, {}", sort.describe()),
                    _ => sort.describe(),
                },
                note: format!("{rows}, {price}"),
                ..PickerEntry::default()
            }
        };
        keys.map(entry).collect()
    }
}

impl Context {
    /// Sorts the list on the screen as the answer says.
    pub fn sort_record_list(&mut self, answer: &str) {
        let Some(shown) = self.ui.focus.list.clone() else {
            return;
        };
        let Some(list) = self.records.lists.get_mut(&shown) else {
            return;
        };
        if let Some(order) = answer.strip_prefix(BY_SERVICE) {
            let (field, direction) = order.split_once(':').unwrap_or((order, ""));
            let sort = SortOrder {
                field: field.to_owned(),
                ascending: direction == "asc",
            };
            list.set_sort(None);
            save_record_sort(&shown, None, &mut self.work, &mut self.settings);
            return self.sort_records(Some(sort));
        }
        let table = table_of(&list.source);
        let sort = table.parse_sort(answer);
        list.set_sort(sort);
        let order = sort.map_or_else(
            || "in the order in which they were read".to_owned(),
            |sort| table.describe_sort(sort),
        );
        self.ui.notice = Some(match list.has_more() {
            false => Notice::info(format!("{order}, 0 credits")),
            true => Notice::info(format!(
                "{order}: only the {} loaded",
                pluralize(list.len(), "row")
            ))
            .with_hint("{records.rest} loads all"),
        });
        save_record_sort(&shown, sort, &mut self.work, &mut self.settings);
    }

    /// Shows the rows of a list in the order in which they were read.
    pub fn clear_record_sort(&mut self, shown: &ListId) {
        if let Some(list) = self
            .records
            .lists
            .get_mut(shown)
            .filter(|list| list.sort().is_some())
        {
            list.set_sort(None);
            save_record_sort(shown, None, &mut self.work, &mut self.settings);
        }
    }
}

fn save_record_sort(
    shown: &ListId,
    sort: Option<ListSort>,
    work: &mut Work,
    settings: &mut AppSettings,
) {
    if let Some(name) = sort_preference(shown) {
        settings.save_preference(
            &name,
            &sort.map(|sort| sort.to_string()).unwrap_or_default(),
            work,
        );
    }
}

/// The order that the user chose for a list in an earlier session.
pub(super) fn saved_record_sort(
    shown: &ListId,
    record_lists: &RecordLists,
    settings: &AppSettings,
) -> Option<ListSort> {
    let table = table_of(&record_lists.get(shown)?.source);
    table.parse_sort(settings.preference(&sort_preference(shown)?))
}

/// The preference that keeps the order of a list. A search of Explore has the order that was built.
fn sort_preference(shown: &ListId) -> Option<String> {
    match shown {
        ListId::Book(kind) => Some(format!("sort.book.{kind}")),
        ListId::View(view) => Some(format!("sort.view.{view}")),
        ListId::Explore(_) => None,
    }
}

impl RecordList {
    /// Which rows are sorted on this machine, and that it is free.
    pub fn sort_note(&self) -> String {
        let loaded = format_count(self.len() as u64);
        match self.total {
            _ if self.is_empty() => "asks the service".to_owned(),
            Some(total) if self.has_more() => {
                format!("{loaded} of {} loaded, 0 cr", pluralize(total, "row"))
            }
            _ if self.has_more() => format!("the {loaded} loaded rows, 0 cr"),
            _ => format!("{}, 0 cr", pluralize(self.len(), "loaded row")),
        }
    }

    /// Its search in another order of its route.
    fn search_sorted_by(&self, sort: SortOrder) -> Search {
        // The route's default order is the request without a sort.
        let is_own = self
            .source
            .sort_keys()
            .first()
            .is_some_and(|own| *own == (sort.field.as_str(), sort.ascending));
        Search {
            sort: Some(sort).filter(|_| !is_own),
            ..self.search.clone()
        }
    }

    /// Whether the loaded rows have a field, as far as the first of them show.
    fn has_field(&self, field: &str) -> bool {
        const TESTED: usize = 50;
        self.rows()
            .iter()
            .take(TESTED)
            .any(|row| row.field_json(field).is_some())
    }
}

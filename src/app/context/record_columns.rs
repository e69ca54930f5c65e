//! The columns that the user chose for lists of records, and what their loaded rows are grouped by.

use uuid::Uuid;

use crate::app::effect::{ListId, RecordKey};
use crate::app::model::known_records::KnownRecords;
use crate::app::model::list_table::ColumnSpec;
use crate::app::model::queue::SignalQueue;
use crate::app::model::record_list::RecordList;
use crate::app::model::record_list::columns::{
    FIRM, PHONE_NUMBER, TEAM, columns_of_search, table_of,
};
use crate::app::model::record_lists::RecordLists;
use crate::app::model::records::record_name;
use crate::app::notice::Notice;
use crate::app::{AppSettings, Context};
use crate::domain::book::{Dataset, RecordKind};
use crate::domain::records::Record;
use crate::domain::search::RecordSource;

/// How many rows are read for a firm or a phone: what the team wrote is only looked up.
const LEARNED_COLUMN_SAMPLE: usize = 100;
/// The columns of a source that are shown once a row has a value there, in their order after the
/// name.
fn learned_columns(source: &RecordSource) -> &'static [ColumnSpec] {
    match (source, source.dataset()) {
        (RecordSource::Index(_), Dataset::Contacts) => const { &[TEAM, FIRM] },
        (RecordSource::Index(_), _) => const { &[TEAM] },
        (_, Dataset::Contacts) => const { &[FIRM, PHONE_NUMBER] },
        _ => &[],
    }
}

impl Context {
    /// The columns of a list: those of its source and, in results of the index, those that its
    /// search names, and what the team wrote if that is known of a row.
    pub fn list_columns(&self, list: &RecordList) -> Vec<ColumnSpec> {
        let mut columns = record_columns(&list.source, &self.settings);
        if matches!(list.source, RecordSource::Index(_)) {
            columns = columns_of_search(&list.source, &list.search, columns);
        }
        for column in learned_columns(&list.source).iter().rev() {
            let is_known = |row: &Record| {
                learned_text(&list.source, row, column.key, &self.queue, &self.records).is_some()
            };
            let looked_at = match column.key == TEAM.key {
                true => usize::MAX,
                false => LEARNED_COLUMN_SAMPLE,
            };
            if list.shown_rows().take(looked_at).any(is_known) {
                columns.insert(1.min(columns.len()), *column);
            }
        }
        columns
    }

    /// The columns that the loaded rows of a list are counted, grouped and sorted by, the ones that
    /// are shown first.
    pub fn all_record_columns(&self, list: &RecordList) -> Vec<ColumnSpec> {
        let mut shown = self.list_columns(list);
        let learned = learned_columns(&list.source);
        let is_learned = |column: &ColumnSpec| learned.iter().any(|other| other.key == column.key);
        shown.retain(|column| !is_learned(column));
        table_of(&list.source).shown_first(&shown)
    }

    /// Groups the loaded rows of a list by a column, or ungroups them.
    pub fn group_records(&mut self, id: &ListId, column: Option<&str>) {
        let Some(list) = self.records.lists.get(id) else {
            return;
        };
        let table = table_of(&list.source);
        let column = column.and_then(|key| table.column(key));
        self.save_group(&table.group_preference(), column);
        arrange_records(id, &mut self.records.lists, &self.settings);
    }

    /// Keeps what a list is grouped by, and says it.
    pub fn save_group(&mut self, preference: &str, column: Option<&ColumnSpec>) {
        self.settings.save_preference(
            preference,
            column.map_or("", |column| column.key),
            &mut self.work,
        );
        self.ui.notice = Some(match column {
            Some(column) => Notice::info(format!("grouped by {}", column.title()))
                .with_hint("{list.group} ungroups"),
            None => Notice::info("not grouped"),
        });
    }
}

/// What other reads told of a row: its list does not say it.
pub fn learned_text(
    source: &RecordSource,
    row: &Record,
    key: &str,
    queue: &SignalQueue,
    records: &KnownRecords,
) -> Option<String> {
    let mut columns = learned_columns(source).iter();
    columns.find(|column| column.key == key)?;
    match key {
        _ if key == TEAM.key => records.team_words(&source.dataset(), row.id, queue),
        _ if key == FIRM.key => account_name(row.fields().text(key)?.parse().ok()?, records),
        _ => Some(
            records
                .fetched
                .indexed_contact(row.id)?
                .text(key)?
                .to_owned(),
        ),
    }
}

/// The user's columns of a source, or the default ones.
pub fn record_columns(source: &RecordSource, settings: &AppSettings) -> Vec<ColumnSpec> {
    settings.chosen_columns(&table_of(source))
}

/// The name of an account that a list or a page has shown.
fn account_name(id: Uuid, records: &KnownRecords) -> Option<String> {
    let mut lists = records.lists.of_dataset(&Dataset::Accounts);
    let listed = lists.find_map(|list| Some(record_name(&list.row(id)?.fields())));
    let opened = || {
        let key = RecordKey::for_book(&RecordKind::Accounts, id);
        Some(record_name(&records.fetched.get(&key)?.fields))
    };
    listed.or_else(opened)
}

/// Groups the loaded rows of a list as the user chose for its source.
pub fn arrange_records(id: &ListId, record_lists: &mut RecordLists, settings: &AppSettings) {
    let Some(list) = record_lists.get(id) else {
        return;
    };
    let table = table_of(&list.source);
    let group = settings.preference(&table.group_preference());
    if group.is_empty() && list.lines.group().is_none() {
        return;
    }
    let group = table.column(group).copied();
    if let Some(list) = record_lists.get_mut(id) {
        list.set_group(group);
    }
}

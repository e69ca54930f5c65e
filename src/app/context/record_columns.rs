//! The columns that the user chose for lists of records, and what their loaded rows are grouped by.

use crate::app::Context;
use crate::app::effect::ListId;
use crate::app::model::list_table::ColumnSpec;
use crate::app::model::record_list::RecordList;
use crate::app::model::record_list::columns::{TEAM, columns_of_search, table_of};
use crate::app::notice::Notice;
use crate::domain::search::RecordSource;

impl Context {
    /// The user's columns of a source, or the default ones. On a narrow screen, the last of the
    /// chosen columns are dropped first.
    pub fn record_columns(&self, source: &RecordSource) -> Vec<ColumnSpec> {
        self.chosen_columns(&table_of(source))
    }

    /// The columns of a list: those of its source and, in results of the index, those that its
    /// search names, and what the team wrote if that is known of a row.
    pub fn list_columns(&self, list: &RecordList) -> Vec<ColumnSpec> {
        let columns = self.record_columns(&list.source);
        if !matches!(list.source, RecordSource::Index(_)) {
            return columns;
        }
        let mut columns = columns_of_search(&list.source, &list.search, columns);
        let dataset = list.source.dataset();
        if list
            .shown_rows()
            .any(|row| self.team_words(&dataset, row.id).is_some())
        {
            columns.insert(1.min(columns.len()), TEAM);
        }
        columns
    }

    /// The columns that the loaded rows of a list are counted, grouped and sorted by, the ones that
    /// are shown first.
    pub fn all_record_columns(&self, list: &RecordList) -> Vec<ColumnSpec> {
        let mut shown = self.list_columns(list);
        shown.retain(|column| column.key != TEAM.key);
        table_of(&list.source).shown_first(&shown)
    }

    /// Groups the loaded rows of a list as the user chose for its source.
    pub fn arrange_records(&mut self, id: &ListId) {
        let Some(list) = self.record_lists.get(id) else {
            return;
        };
        let table = table_of(&list.source);
        let group = self.preference(&table.group_preference());
        if group.is_empty() && list.lines.group().is_none() {
            return;
        }
        let group = table.column(group).copied();
        if let Some(list) = self.record_lists.get_mut(id) {
            list.set_group(group);
        }
    }

    /// Groups the loaded rows of a list by a column, or ungroups them.
    pub fn group_records(&mut self, id: &ListId, column: Option<&str>) {
        let Some(list) = self.record_lists.get(id) else {
            return;
        };
        let table = table_of(&list.source);
        let column = column.and_then(|key| table.column(key));
        self.save_group(&table.group_preference(), column);
        self.arrange_records(id);
    }

    /// Keeps what a list is grouped by, and says it.
    pub fn save_group(&mut self, preference: &str, column: Option<&ColumnSpec>) {
        self.save_preference(preference, column.map_or("", |column| column.key));
        self.notice = Some(match column {
            Some(column) => Notice::info(format!("grouped by {}", column.title()))
                .with_hint("{list.group} ungroups"),
            None => Notice::info("not grouped"),
        });
    }
}

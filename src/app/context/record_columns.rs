//! The columns that the user chose for lists of records.

use crate::app::Context;
use crate::app::format::humanize;
use crate::app::model::column_choice::{ColumnOption, parse_columns};
use crate::app::model::record_list::RecordList;
use crate::app::model::record_list::columns::{
    RecordColumn, TEAM, available_columns, chosen_columns, columns_of_search, columns_preference_key,
};
use crate::app::overlay::Overlay;
use crate::app::overlay::column_list::ColumnList;
use crate::domain::search::RecordSource;

impl Context {
    /// The user's columns of a source, or the default ones. On a narrow screen, the last of the chosen columns are dropped first.
    pub fn record_columns(&self, source: &RecordSource) -> Vec<RecordColumn> {
        chosen_columns(source, self.preference(&columns_preference_key(source)))
    }

    /// The columns of a list: those of its source and, in results of the index, those that its search names, and what the team
    /// wrote if that is known of a row.
    pub fn list_columns(&self, list: &RecordList) -> Vec<RecordColumn> {
        let columns = self.record_columns(&list.source);
        if !matches!(list.source, RecordSource::Index(_)) {
            return columns;
        }
        let mut columns = columns_of_search(&list.source, &list.search, columns);
        let dataset = list.source.dataset();
        if list.shown_rows().any(|row| self.team_words(&dataset, row.id).is_some()) {
            columns.insert(1.min(columns.len()), TEAM);
        }
        columns
    }

    /// Opens the chooser of a source's columns.
    pub fn open_record_columns(&mut self, source: &RecordSource) {
        let preference = columns_preference_key(source);
        let (usual, more) = available_columns(source);
        let option = |(column, is_shown): (&RecordColumn, bool)| ColumnOption {
            key: column.field,
            layout: column.layout,
            description: humanize(column.field),
            is_shown,
            width: None,
        };
        let options = usual.iter().map(|column| (column, true)).chain(more.iter().map(|column| (column, false))).map(option);
        let list = ColumnList::new(preference.clone(), options.collect(), parse_columns(self.preference(&preference)));
        self.overlay = Some(Overlay::Columns(list));
    }
}

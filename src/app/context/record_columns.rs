//! The columns that the user chose for lists of records.

use crate::app::Context;
use crate::app::format::pluralize;
use crate::app::model::record_list::columns::{
    RecordColumn, available_columns, chosen_columns, column_areas, columns_preference_key,
};
use crate::app::notice::Notice;
use crate::domain::search::RecordSource;

impl Context {
    /// The user's columns of a source, or the default ones. On a narrow screen, the last of the chosen columns are dropped first.
    pub fn record_columns(&self, source: &RecordSource) -> Vec<RecordColumn> {
        chosen_columns(source, self.preference(&columns_preference_key(source)))
    }

    /// Sets and saves the columns of a source, and reports those that have no room.
    pub fn set_record_columns(&mut self, source: &RecordSource, fields: &[&str]) {
        let is_usual = available_columns(source).0.iter().map(|column| column.field).eq(fields.iter().copied());
        let fields = if is_usual { String::new() } else { fields.join(" ") };
        self.save_preference(&columns_preference_key(source), &fields);
        let columns = self.record_columns(source);
        let has_room: Vec<usize> =
            column_areas(&columns, self.layout.rows).into_iter().filter_map(|(at, _)| at.checked_sub(1)).collect();
        let left: Vec<&str> = (0..columns.len()).filter(|at| !has_room.contains(at)).map(|at| columns[at].layout.title).collect();
        let shown = pluralize(has_room.len(), "column");
        self.notice = Some(match left.as_slice() {
            [] => Notice::success(format!("{shown}, saved")),
            _ => Notice::warning(format!("{shown}, saved; no room at this width for {}", left.join(", "))),
        });
    }
}

//! The columns that the user chose for lists of records, and what their loaded rows are grouped by.

use ratatui::layout::Rect;

use crate::app::Context;
use crate::app::context::list_tables::FocusedColumns;
use crate::app::effect::ListId;
use crate::app::format::humanize;
use crate::app::model::column_choice::{ColumnOption, parse_columns};
use crate::app::model::list_field::ListField;
use crate::app::model::record_list::RecordList;
use crate::app::model::record_list::columns::{
    RecordColumn, TEAM, available_columns, chosen_columns, column_layouts, columns_of_search,
    columns_preference_key, frozen_column, group_preference_key,
};
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::column_list::ColumnList;
use crate::domain::search::RecordSource;
use crate::ui::table::{ColumnScroll, ColumnWindow};

impl Context {
    /// The user's columns of a source, or the default ones. On a narrow screen, the last of the
    /// chosen columns are dropped first.
    pub fn record_columns(&self, source: &RecordSource) -> Vec<RecordColumn> {
        chosen_columns(source, self.preference(&columns_preference_key(source)))
    }

    /// The columns of a list: those of its source and, in results of the index, those that its
    /// search names, and what the team wrote if that is known of a row.
    pub fn list_columns(&self, list: &RecordList) -> Vec<RecordColumn> {
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

    /// The columns of a list, the shown ones first: what loaded rows are counted, grouped and
    /// sorted by.
    pub fn record_fields(&self, list: &RecordList) -> Vec<ListField> {
        let mut shown = self.list_columns(list);
        shown.retain(|column| column.field != TEAM.field);
        let is_shown =
            |column: &RecordColumn| shown.iter().any(|shown| shown.field == column.field);
        let (usual, more) = available_columns(&list.source);
        let others = usual
            .iter()
            .chain(more)
            .filter(|column| !is_shown(column))
            .map(|column| column.list_field(false));
        shown
            .iter()
            .map(|column| column.list_field(true))
            .chain(others)
            .collect()
    }

    /// The layouts of a list's columns, and which one stays when they are scrolled sideways: the
    /// name.
    pub fn focused_record_columns(&self, list: &RecordList) -> FocusedColumns {
        let columns = self.list_columns(list);
        (
            columns_preference_key(&list.source),
            column_layouts(&columns),
            frozen_column(&columns),
        )
    }

    /// The columns of a list that are visible in this area.
    pub fn visible_record_columns(
        &self,
        list: &RecordList,
        columns: &[RecordColumn],
        rows: Rect,
    ) -> ColumnWindow {
        let skipped = self.skipped_columns(&columns_preference_key(&list.source));
        let area = Rect {
            width: rows.width.saturating_sub(1),
            ..rows
        };
        ColumnWindow::new(
            &column_layouts(columns),
            area,
            ColumnScroll {
                frozen: frozen_column(columns),
                skipped,
            },
        )
    }

    /// Groups the loaded rows of a list as the user chose for its source.
    pub fn arrange_records(&mut self, id: &ListId) {
        let Some(list) = self.record_lists.get(id) else {
            return;
        };
        let group = group_preference_key(&list.source);
        let group = self.preference(&group);
        if group.is_empty() && list.group().is_none() {
            return;
        }
        let group = list.fields().find(|field| field.key == group);
        if let Some(list) = self.record_lists.get_mut(id) {
            list.set_group(group);
        }
    }

    /// Groups the loaded rows of a list by a column, or ungroups them.
    pub fn group_records(&mut self, id: &ListId, column: Option<&str>) {
        let Some(list) = self.record_lists.get(id) else {
            return;
        };
        let preference = group_preference_key(&list.source);
        self.save_group(&preference, column, "{records.group} ungroups");
        self.arrange_records(id);
    }

    /// Keeps what a list is grouped by, and says it.
    pub fn save_group(&mut self, preference: &str, column: Option<&str>, hint: &'static str) {
        self.save_preference(preference, column.unwrap_or_default());
        self.notice = Some(match column {
            Some(column) => {
                Notice::info(format!("grouped by {}", humanize(column))).with_hint(hint)
            }
            None => Notice::info("not grouped"),
        });
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
        let options = usual
            .iter()
            .map(|column| (column, true))
            .chain(more.iter().map(|column| (column, false)))
            .map(option);
        let list = ColumnList::new(
            preference.clone(),
            options.collect(),
            parse_columns(self.preference(&preference)),
        );
        self.overlay = Some(Overlay::Columns(list));
    }
}

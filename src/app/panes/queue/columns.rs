//! The columns of the queue's lists: a column is a field of a row. Which ones are shown, in which
//! order and how wide, is the user's choice.

use ratatui::layout::Rect;

use crate::app::Context;
use crate::app::context::list_tables::FocusedColumns;
use crate::app::model::column_choice::parse_columns;
use crate::app::model::list_table::{ColumnSpec, ListTable};
use crate::domain::queue::QueueTab;
use crate::domain::row_fields::RowField;
use crate::ui::table::{ColumnScroll, ColumnWindow, TableColumn};

/// Minimum width of the table at which sources and filing dates are shown beside descriptions.
const SOURCES_MIN_WIDTH: u16 = 120;
/// Minimum width of the table at which types are written out.
const FULL_TYPES_MIN_WIDTH: u16 = 160;
/// The same where no descriptions need room.
const FULL_TYPES_MIN_WIDTH_WITHOUT_DESCRIPTIONS: u16 = 68;

/// The columns of a tab by default, in order, with the order in which they are dropped from a
/// narrow screen: 0 is never dropped.
fn default_columns(tab: QueueTab) -> &'static [(RowField, u8)] {
    match tab {
        QueueTab::New => &[
            (RowField::Priority, 0),
            (RowField::Type, 5),
            (RowField::Filed, 6),
            (RowField::Project, 0),
            (RowField::Description, 4),
            (RowField::City, 7),
            (RowField::Account, 8),
            (RowField::Source, 9),
            (RowField::Cost, 3),
            (RowField::DaysLeft, 2),
        ],
        QueueTab::Done => &[
            (RowField::Priority, 0),
            (RowField::Type, 0),
            (RowField::Filed, 6),
            (RowField::Project, 0),
            (RowField::Description, 5),
            (RowField::City, 7),
            (RowField::Cost, 4),
            (RowField::TriagedBy, 1),
            (RowField::TriagedAt, 2),
        ],
        QueueTab::Snoozed => &[
            (RowField::Priority, 0),
            (RowField::Type, 0),
            (RowField::Filed, 6),
            (RowField::Project, 0),
            (RowField::Description, 5),
            (RowField::City, 7),
            (RowField::Cost, 4),
            (RowField::TriagedAt, 0),
        ],
    }
}

/// The columns of a tab, as they are by default.
pub(super) fn table_of(tab: QueueTab) -> ListTable {
    let usual = default_columns(tab);
    let column = |field: RowField| {
        let (width, max_width) = field.width().into_inner();
        let names = (field.name(), field.heading());
        let column = ColumnSpec::new(field.kind(), names, (width, 0)).with_name(field.title());
        if max_width > width {
            column.growing_to(max_width)
        } else {
            column
        }
    };
    let shown = usual.iter().map(|(field, drop_order)| {
        let mut shown = column(*field);
        shown.layout.drop_order = *drop_order;
        shown
    });
    let is_usual = |field: &RowField| usual.iter().any(|(known, _)| known == field);
    let others = RowField::ALL.iter().filter(|field| !is_usual(field));
    ListTable {
        name: match tab {
            QueueTab::New => "queue.new",
            QueueTab::Done => "queue.done",
            QueueTab::Snoozed => "queue.snoozed",
        }
        .into(),
        state_width: 2,
        columns: shown
            .chain(others.map(|field| column(*field).hidden()))
            .collect(),
    }
}

/// The columns of a table, and where they are.
pub(super) struct QueueColumns {
    pub fields: Vec<RowField>,
    /// The state, followed by the fields.
    pub layouts: Vec<TableColumn>,
    /// The columns that have room, by their place among the layouts.
    pub window: ColumnWindow,
    /// Types are written out.
    pub has_full_types: bool,
}

impl QueueColumns {
    /// The columns of the current tab in this area.
    pub fn new(cx: &Context, area: Rect) -> QueueColumns {
        let tab = cx.queue.tab;
        // With one cell free at the right border.
        let area = Rect {
            width: area.width.saturating_sub(1),
            ..area
        };
        let has_descriptions = cx.queue.facts.has_descriptions();
        let needed = match (has_descriptions, tab) {
            (true, _) => FULL_TYPES_MIN_WIDTH,
            (false, QueueTab::New) => FULL_TYPES_MIN_WIDTH_WITHOUT_DESCRIPTIONS,
            // Who and when need more room than the days left.
            (false, QueueTab::Done | QueueTab::Snoozed) => {
                FULL_TYPES_MIN_WIDTH_WITHOUT_DESCRIPTIONS + 20
            }
        };
        let has_full_types = area.width + 1 >= needed;
        let mut table = table_of(tab);
        let preference = table.columns_preference();
        let is_chosen =
            parse_columns(cx.preference(&preference)).any(|(key, _)| table.column(key).is_some());
        let is_wide = area.width >= SOURCES_MIN_WIDTH;
        let has_value = |field: RowField| match field {
            RowField::Description => has_descriptions,
            // What is being built says more.
            RowField::Filed => !has_descriptions || is_wide,
            RowField::Source => is_wide,
            RowField::City => cx.queue.facts.has_cities() || has_descriptions,
            RowField::Account => cx.queue.facts.has_book_matches(),
            _ => true,
        };
        for ColumnSpec {
            key,
            layout,
            is_shown,
            ..
        } in &mut table.columns
        {
            let Some(field) = RowField::of_name(key) else {
                continue;
            };
            *is_shown &= is_chosen || has_value(field);
            match field {
                // When it returns is what matters of a snoozed signal.
                RowField::TriagedAt if tab == QueueTab::Snoozed => {
                    (layout.title, layout.width) = ("UNTIL", 15)
                }
                RowField::Type => {
                    // Which filing it is can be told from what is being built, but not the other
                    // way around.
                    if !has_descriptions {
                        layout.drop_order = 0;
                    }
                    if has_full_types {
                        layout.width = 21;
                    } else if has_descriptions && !cx.queue.current_tab().is_grouped() {
                        layout.width = 9;
                    }
                }
                // What is being built takes the room that is left.
                RowField::Project if has_descriptions && is_wide => layout.max_width = 26,
                RowField::Project if has_descriptions => {
                    (layout.width, layout.max_width) = (16, 18)
                }
                RowField::City | RowField::Source if has_descriptions && !has_full_types => {
                    layout.max_width = 0
                }
                _ => {}
            }
        }
        let columns = cx.chosen_columns(&table);
        let layouts = table.layouts(&columns);
        let fields: Vec<RowField> = columns
            .iter()
            .filter_map(|column| RowField::of_name(column.key))
            .collect();
        let frozen = frozen_column(&fields);
        let window = ColumnWindow::new(
            &layouts,
            area,
            ColumnScroll {
                frozen,
                skipped: cx.skipped_columns(&preference),
            },
        );
        QueueColumns {
            fields,
            layouts,
            window,
            has_full_types,
        }
    }
}

/// The place of the project's name among the layouts, or of the first column without it.
fn frozen_column(fields: &[RowField]) -> usize {
    fields
        .iter()
        .position(|field| *field == RowField::Project)
        .unwrap_or(0)
        + 1
}

/// The columns as they are laid out, for scrolling them sideways.
pub(super) fn focused_columns(cx: &Context) -> FocusedColumns {
    let columns = QueueColumns::new(cx, cx.layout().rows);
    let frozen = frozen_column(&columns.fields);
    (
        table_of(cx.queue.tab).columns_preference(),
        columns.layouts,
        frozen,
    )
}

/// The columns that rows of the tab have values in, the ones that the user sees first.
pub(super) fn all_columns(cx: &Context) -> Vec<ColumnSpec> {
    let table = table_of(cx.queue.tab);
    let shown = QueueColumns::new(cx, cx.layout().rows).fields;
    let shown = shown
        .iter()
        .filter_map(|field| table.column(field.name()).copied());
    let mut columns = table.shown_first(&shown.collect::<Vec<_>>());
    let is_done = cx.queue.tab == QueueTab::Done;
    columns.retain(|column| column.is_shown || is_done || !is_of_triage(column));
    columns
}

/// Whether only rows that are done have a value in it.
pub(super) fn is_of_triage(column: &ColumnSpec) -> bool {
    [RowField::TriagedAt, RowField::TriagedBy]
        .map(RowField::name)
        .contains(&column.key)
}

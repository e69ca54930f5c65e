//! The columns of the queue's lists: a column is a field of a row. Which ones are shown, in which
//! order and how wide, is the user's choice.

use ratatui::layout::Rect;

use crate::app::Context;
use crate::app::context::list_tables::FocusedColumns;
use crate::app::format::humanize;
use crate::app::model::column_choice::{ColumnOption, chosen_layout, parse_columns};
use crate::app::overlay::Overlay;
use crate::app::overlay::column_list::ColumnList;
use crate::domain::queue::QueueTab;
use crate::domain::row_fields::RowField;
use crate::ui::table::{ColumnScroll, ColumnWindow, TableColumn};

/// Minimum width of the table at which sources and filing dates are shown beside descriptions.
const SOURCES_MIN_WIDTH: u16 = 120;
/// Minimum width of the table at which types are written out.
const FULL_TYPES_MIN_WIDTH: u16 = 160;
/// The same where no descriptions need room.
const FULL_TYPES_MIN_WIDTH_WITHOUT_DESCRIPTIONS: u16 = 68;

/// The row's state, before the first column.
const STATE_COLUMN: TableColumn = TableColumn {
    title: "",
    width: 2,
    max_width: 0,
    drop_order: 0,
    align_right: false,
};

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

/// The heading and width of a column.
fn layout_of(field: RowField) -> TableColumn {
    TableColumn {
        title: field.heading(),
        width: *field.width().start(),
        max_width: *field.width().end(),
        drop_order: 0,
        align_right: field.kind().is_numeric(),
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
        let layout = |field| match field {
            // When it returns is what matters of a snoozed signal.
            RowField::TriagedAt if tab == QueueTab::Snoozed => TableColumn {
                title: "UNTIL",
                width: 15,
                ..layout_of(field)
            },
            RowField::Type if has_full_types => TableColumn {
                width: 21,
                ..layout_of(field)
            },
            RowField::Type if has_descriptions && !cx.queue.current_tab().is_grouped() => {
                TableColumn {
                    width: 9,
                    ..layout_of(field)
                }
            }
            // What is being built takes the room that is left.
            RowField::Project if has_descriptions && area.width < SOURCES_MIN_WIDTH => {
                TableColumn {
                    width: 16,
                    max_width: 18,
                    ..layout_of(field)
                }
            }
            RowField::Project if has_descriptions => TableColumn {
                max_width: 26,
                ..layout_of(field)
            },
            RowField::City | RowField::Source if has_descriptions && !has_full_types => {
                TableColumn {
                    max_width: 0,
                    ..layout_of(field)
                }
            }
            _ => layout_of(field),
        };
        let chosen = parse_columns(cx.preference(preference_key(tab)));
        let chosen = chosen
            .filter_map(|(key, width)| Some((RowField::parse(key)?, width)))
            .enumerate();
        let mut columns: Vec<(RowField, TableColumn)> = chosen
            .map(|(place, (field, width))| (field, chosen_layout(layout(field), place, width)))
            .collect();
        if columns.is_empty() {
            let has_value = |field: RowField| match field {
                RowField::Description => has_descriptions,
                // What is being built says more.
                RowField::Filed => !has_descriptions || area.width >= SOURCES_MIN_WIDTH,
                RowField::Source => area.width >= SOURCES_MIN_WIDTH,
                RowField::City => cx.queue.facts.has_cities() || has_descriptions,
                RowField::Account => cx.queue.facts.has_book_matches(),
                _ => true,
            };
            let usual = default_columns(tab)
                .iter()
                .copied()
                .filter(|(field, _)| has_value(*field));
            // Which filing it is can be told from what is being built, but not the other way
            // around.
            let drop_order = |field, order| {
                if field == RowField::Type && !has_descriptions {
                    0
                } else {
                    order
                }
            };
            columns = usual
                .map(|(field, order)| {
                    (
                        field,
                        TableColumn {
                            drop_order: drop_order(field, order),
                            ..layout(field)
                        },
                    )
                })
                .collect();
        }
        let fields: Vec<RowField> = columns.iter().map(|(field, _)| *field).collect();
        let layouts: Vec<TableColumn> = std::iter::once(STATE_COLUMN)
            .chain(columns.into_iter().map(|(_, layout)| layout))
            .collect();
        let frozen = frozen_column(&fields);
        let window = ColumnWindow::new(
            &layouts,
            area,
            ColumnScroll {
                frozen,
                skipped: cx.skipped_columns(preference_key(tab)),
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
        preference_key(cx.queue.tab).to_owned(),
        columns.layouts,
        frozen,
    )
}

/// The fields that the user sees, whether they have room or not.
pub(super) fn shown_fields(cx: &Context) -> Vec<RowField> {
    QueueColumns::new(cx, cx.layout().rows).fields
}

fn preference_key(tab: QueueTab) -> &'static str {
    match tab {
        QueueTab::New => "columns.queue.new",
        QueueTab::Done => "columns.queue.done",
        QueueTab::Snoozed => "columns.queue.snoozed",
    }
}

/// Opens the chooser of the current tab's columns.
pub(super) fn open_columns(cx: &mut Context) {
    let tab = cx.queue.tab;
    let usual: Vec<RowField> = default_columns(tab)
        .iter()
        .map(|(field, _)| *field)
        .collect();
    let others = RowField::ALL
        .iter()
        .copied()
        .filter(|field| !usual.contains(field));
    let option = |(field, is_shown): (RowField, bool)| ColumnOption {
        key: field.name(),
        layout: layout_of(field),
        description: humanize(field.title()),
        is_shown,
        width: None,
    };
    let options = usual
        .iter()
        .map(|field| (*field, true))
        .chain(others.map(|field| (field, false)))
        .map(option)
        .collect();
    let preference = preference_key(tab);
    cx.overlay = Some(Overlay::Columns(ColumnList::new(
        preference.to_owned(),
        options,
        parse_columns(cx.preference(preference)),
    )));
}

//! The columns of the ledger: of its requests, and of each way to group them.

use super::{LedgerGroup, LedgerGrouping};
use crate::app::model::list_table::{ListColumn, ListTable};
use crate::domain::credits::LedgerEntry;
use crate::domain::row_fields::RowValue;

const REQUESTS: ListTable = ListTable {
    name: "credits.requests",
    state_width: 1,
    columns: &[
        ListColumn::date("when", "WHEN", 11, 2),
        ListColumn::number("credits", "CR", 6, 0),
        ListColumn::number("rows", "ROWS", 5, 3),
        ListColumn::text("route", "ROUTE", 24, 0).growing_to(44),
        ListColumn::text("reason", "WHY", 12, 1).growing_to(30),
    ],
};

const fn group_columns(key: &'static str, title: &'static str) -> [ListColumn; 4] {
    [
        ListColumn::text(key, title, 14, 0).growing_to(44),
        ListColumn::number("credits", "CR", 6, 0),
        ListColumn::number("requests", "REQUESTS", 8, 2),
        ListColumn::number("unknown", "UNKNOWN", 8, 3),
    ]
}

const DAYS: ListTable = ListTable {
    name: "credits.days",
    state_width: 1,
    columns: const { &group_columns("day", "DAY") },
};
const SCREENS: ListTable = ListTable {
    name: "credits.screens",
    state_width: 1,
    columns: const { &group_columns("screen", "SCREEN") },
};
const ROUTES: ListTable = ListTable {
    name: "credits.routes",
    state_width: 1,
    columns: const { &group_columns("route", "ROUTE") },
};
const REASONS: ListTable = ListTable {
    name: "credits.reasons",
    state_width: 1,
    columns: const { &group_columns("reason", "REASON") },
};

pub(super) fn table_of(grouping: LedgerGrouping) -> &'static ListTable {
    match grouping {
        LedgerGrouping::Request => &REQUESTS,
        LedgerGrouping::Day => &DAYS,
        LedgerGrouping::Screen => &SCREENS,
        LedgerGrouping::Route => &ROUTES,
        LedgerGrouping::Reason => &REASONS,
    }
}

/// What a request has in a column.
pub(super) fn entry_value<'a>(entry: &'a LedgerEntry, key: &str) -> Option<RowValue<'a>> {
    match key {
        "when" => Some(RowValue::Date(entry.at)),
        "credits" => entry.credits.map(RowValue::count),
        "rows" => entry.rows.map(RowValue::count),
        "route" => RowValue::text(Some(&entry.route)),
        _ => RowValue::text(Some(&entry.reason)),
    }
}

/// What a group has in a column.
pub(super) fn group_value<'a>(group: &'a LedgerGroup, key: &str) -> Option<RowValue<'a>> {
    match key {
        "credits" => Some(RowValue::count(group.credits)),
        "requests" => Some(RowValue::count(group.requests)),
        "unknown" => Some(RowValue::count(group.unpriced)),
        _ => RowValue::text(Some(&group.name)),
    }
}

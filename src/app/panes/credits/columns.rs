//! The columns of the ledger: of its requests, and of each way to group them.

use super::draw::format_entry_time;
use super::{CreditsPane, LedgerGroup, LedgerGrouping, describe_reason};
use crate::app::Context;
use crate::app::focused_list::FocusedList;
use crate::app::format::format_count;
use crate::app::list::{List, ListColumn, list_of};
use crate::app::model::list_field::FieldKind;
use crate::app::model::list_table::ListLines;
use crate::domain::credits::LedgerEntry;
use crate::domain::row_columns::RowValue;
use crate::domain::shared_columns::{CREDITS, REASON, ROUTE, ROWS};
use crate::ui::{TextRole, text_span};

struct Requests;

impl List for Requests {
    type Pane = CreditsPane;
    type Item = LedgerEntry;

    const NAME: &'static str = "credits.requests";
    const STATE_WIDTH: u16 = 1;
    const COLUMNS: &'static [ListColumn<Requests>] = &[
        ListColumn::<Self>::new(FieldKind::Date, ("when", "WHEN"), (11, 2), |row| {
            Some(RowValue::Date(row.item.at))
        })
        .drawn(|row| {
            let time = format_entry_time(row.cx, row.item.at);
            text_span(TextRole::Muted, time)
        }),
        ListColumn::<Self>::from_column(CREDITS, (6, 0), |row| {
            row.item.credits.map(RowValue::count)
        })
        .drawn(|row| match row.item.credits {
            Some(0) => text_span(TextRole::Faint, "0"),
            Some(credits) => text_span(TextRole::Strong, format_count(credits)),
            None => text_span(TextRole::Warning, "?"),
        }),
        ListColumn::<Self>::from_column(ROWS, (5, 3), |row| row.item.rows.map(RowValue::count)),
        ListColumn::<Self>::from_column(REASON, (24, 0), |row| {
            RowValue::text(Some(&row.item.reason))
        })
        .growing_to(44)
        .drawn(|row| {
            let words = describe_reason(&row.item.reason, &row.cx.keymap);
            text_span(TextRole::Text, words)
        }),
        ListColumn::<Self>::from_column(ROUTE, (24, 4), |row| {
            RowValue::text(Some(&row.item.route))
        })
        .growing_to(44)
        .drawn(|row| text_span(TextRole::Muted, row.item.route.as_str())),
    ];

    fn items<'a>(pane: &'a CreditsPane, _cx: &'a Context) -> &'a [LedgerEntry] {
        pane.entries()
    }

    fn lines(pane: &CreditsPane) -> &ListLines {
        &pane.lines
    }
}

/// The groups of one of [`LedgerGrouping::ALL`].
struct Groups<const BY: usize>;

const DAYS: usize = LedgerGrouping::Day as usize;
const SCREENS: usize = LedgerGrouping::Screen as usize;
const REASONS: usize = LedgerGrouping::Reason as usize;

impl<const BY: usize> List for Groups<BY> {
    type Pane = CreditsPane;
    type Item = LedgerGroup;

    const NAME: &'static str = match BY {
        DAYS => "credits.days",
        SCREENS => "credits.screens",
        _ => "credits.reasons",
    };
    const STATE_WIDTH: u16 = 1;
    const COLUMNS: &'static [ListColumn<Self>] = &[
        ListColumn::<Self>::new(
            FieldKind::Name,
            match BY {
                DAYS => ("day", "DAY"),
                SCREENS => ("screen", "SCREEN"),
                _ => ("reason", "WHAT FOR"),
            },
            (14, 0),
            |row| RowValue::text(Some(&row.item.name)),
        )
        .growing_to(44),
        ListColumn::<Self>::from_column(CREDITS, (6, 0), |row| {
            Some(RowValue::count(row.item.credits))
        })
        .drawn(|row| {
            let role = if row.item.credits > 0 {
                TextRole::Strong
            } else {
                TextRole::Faint
            };
            text_span(role, format_count(row.item.credits))
        }),
        ListColumn::<Self>::new(FieldKind::Count, ("requests", "REQUESTS"), (8, 2), |row| {
            Some(RowValue::count(row.item.requests))
        }),
        ListColumn::<Self>::new(FieldKind::Count, ("unknown", "NO PRICE"), (8, 3), |row| {
            Some(RowValue::count(row.item.unpriced))
        })
        .drawn(|row| {
            let count = Some(row.item.unpriced).filter(|count| *count > 0);
            let text = count.map(format_count).unwrap_or_default();
            text_span(TextRole::Muted, text)
        }),
    ];

    fn items<'a>(pane: &'a CreditsPane, _cx: &'a Context) -> &'a [LedgerGroup] {
        &pane.groups
    }

    fn lines(pane: &CreditsPane) -> &ListLines {
        &pane.lines
    }
}

/// The list of the current tab.
pub(super) fn current_list<'a>(
    pane: &'a CreditsPane,
    cx: &'a Context,
) -> Box<dyn FocusedList<'a> + 'a> {
    match pane.grouping {
        LedgerGrouping::Request => Box::new(list_of::<Requests>(pane, cx)),
        LedgerGrouping::Day => Box::new(list_of::<Groups<DAYS>>(pane, cx)),
        LedgerGrouping::Screen => Box::new(list_of::<Groups<SCREENS>>(pane, cx)),
        LedgerGrouping::Reason => Box::new(list_of::<Groups<REASONS>>(pane, cx)),
    }
}

//! The columns of the feed.

use super::{FeedPane, project_name};
use crate::app::Context;
use crate::app::format::{format_full_day, humanize};
use crate::app::list::{List, ListColumn, ListRow};
use crate::app::model::list_field::FieldKind;
use crate::app::model::list_table::{ColumnSpec, ListLines};
use crate::domain::lenient::{DateOrDateTime, Number};
use crate::domain::row_columns::RowValue;
use crate::domain::signals::{Signal, SignalType};
use crate::ui::{TextRole, TextSpan, text_span};

/// Minimum width at which types are written out.
const FULL_TYPES_MIN_WIDTH: u16 = 130;

pub(super) struct Feed;

impl List for Feed {
    type Pane = FeedPane;
    type Item = Signal;

    const NAME: &'static str = "feed";
    const STATE_WIDTH: u16 = 1;
    const WIDER_SEARCH: &'static str = "{feed.filter} filters all signals";
    const COLUMNS: &'static [ListColumn<Feed>] = &[
        ListColumn::<Self>::date(("filed", "FILED"), (10, 0), |row| {
            row.item.filed_at.as_ref()
        })
        .drawn(|row| day_cell(row, row.item.filed_at.as_ref())),
        ListColumn::<Self>::new(FieldKind::Word, ("type", "TYPE"), (23, 0), |row| {
            RowValue::text(row.item.signal_type.as_ref().map(|kind| kind.as_str()))
        })
        .drawn(|row| match &row.item.signal_type {
            Some(kind) if row.line.is_none() => text_span(TextRole::Text, humanize(kind.as_str())),
            Some(kind) => text_span(TextRole::Text, type_name(kind, row.cx)),
            None => text_span(TextRole::Faint, row.cx.settings.theme.glyphs().missing),
        }),
        ListColumn::<Self>::new(FieldKind::Name, ("project", "PROJECT"), (15, 0), |row| {
            Some(RowValue::Text(project_name(row.item).into()))
        })
        .growing_to(30),
        ListColumn::<Self>::new(FieldKind::Name, ("description", "WHAT"), (17, 2), |row| {
            RowValue::text(row.cx.queue.facts.description(row.item))
        })
        .growing_to(90),
        ListColumn::<Self>::new(FieldKind::Text, ("city", "CITY"), (11, 3), |row| {
            RowValue::text(row.cx.queue.facts.city(row.item))
        })
        .growing_to(18),
        ListColumn::<Self>::new(FieldKind::Text, ("address", "ADDRESS"), (20, 5), |row| {
            RowValue::text(row.item.project_primary_address.as_deref())
        })
        .growing_to(32),
        ListColumn::<Self>::new(FieldKind::Money, ("cost", "COST"), (7, 1), |row| {
            let cost = row.item.reported_cost_usd.as_ref();
            cost.and_then(Number::as_f64).map(RowValue::Number)
        }),
        ListColumn::<Self>::new(FieldKind::Text, ("source", "SOURCE"), (16, 6), |row| {
            RowValue::text(row.item.source_name())
        })
        .growing_to(32),
        ListColumn::<Self>::date(("found", "FOUND"), (10, 7), |row| {
            row.item.discovered_at.as_ref()
        })
        .drawn(|row| day_cell(row, row.item.discovered_at.as_ref())),
    ];

    fn items<'a>(feed: &'a FeedPane, _cx: &'a Context) -> &'a [Signal] {
        &feed.rows
    }

    fn lines(feed: &FeedPane) -> &ListLines {
        &feed.lines
    }

    fn adjust_column(column: &mut ColumnSpec, cx: &Context) {
        let has_descriptions = cx.queue.facts.has_descriptions();
        column.is_shown &= match column.key {
            "description" => has_descriptions,
            "source" => cx.queue.facts.has_several_sources(),
            "city" => cx.queue.facts.only_city().is_none(),
            // What is being built says more.
            "address" => !has_descriptions,
            _ => true,
        };
        let layout = &mut column.layout;
        match column.key {
            "type" if !has_full_types(cx) => layout.width = 11,
            // What is being built says more than where, and who reported it.
            "project" if has_full_types(cx) => (layout.width, layout.max_width) = (24, 40),
            "description" if has_full_types(cx) => layout.width = 30,
            "source" if has_descriptions => layout.max_width = 0,
            _ => {}
        }
    }

    fn is_outdated(feed: &FeedPane) -> bool {
        feed.is_outdated()
    }

    fn write_keywords(row: &ListRow<'_, Feed>, text: &mut String) {
        text.extend(row.item.source_filing_id.as_deref());
    }
}

fn has_full_types(cx: &Context) -> bool {
    cx.frame.layout().rows.width >= FULL_TYPES_MIN_WIDTH
}

/// What a type is called on the whole screen: in one word where the list has room for no more.
pub(super) fn type_name(kind: &SignalType, cx: &Context) -> String {
    if has_full_types(cx) {
        humanize(kind.as_str())
    } else {
        kind.word().to_owned()
    }
}

fn day_cell<'a>(row: &ListRow<'a, Feed>, day: Option<&DateOrDateTime>) -> TextSpan<'a> {
    match day {
        Some(day) => text_span(TextRole::Muted, format_full_day(day)),
        None => text_span(TextRole::Faint, row.cx.settings.theme.glyphs().missing),
    }
}

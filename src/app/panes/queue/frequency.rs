//! What the loaded rows of the queue are counted by, and the conditions that show only some values.

use crate::app::Context;
use crate::app::model::list_field::{FieldKind, RowValues, ValueBin, ValueFilter};
use crate::app::model::queue::QueueTabState;
use crate::domain::queue::QueueSignal;
use crate::domain::row_conditions::RowConditions;
use crate::domain::row_fields::{RowField, RowValue};

const MAX_ROWS_SUMMED: usize = 10_000;

/// The values of a field in the shown rows.
pub(super) fn column_values<'a>(cx: &'a Context, key: &str) -> Vec<RowValues<'a>> {
    let Some(field) = RowField::parse(key) else {
        return Vec::new();
    };
    let rows = cx.queue.current_tab().shown_rows();
    rows.map(|row| row_values(cx, row, field)).collect()
}

/// The value of a field in the row under the cursor.
pub(super) fn current_values<'a>(cx: &'a Context, key: &str) -> RowValues<'a> {
    let here = RowField::parse(key).zip(cx.queue.current_tab().current_row());
    here.map_or_else(Vec::new, |(field, row)| row_values(cx, row, field))
}

fn row_values<'a>(cx: &'a Context, row: &'a QueueSignal, field: RowField) -> RowValues<'a> {
    let value = cx.queue.describe_row(row).value(field);
    let value = match field {
        RowField::TriagedBy => {
            value.map(|_| RowValue::Text(cx.user_name(row.triaged_by.as_ref()).into()))
        }
        _ => value,
    };
    value.into_iter().collect()
}

/// The reported costs of the marked signals together: `, $84M`. Nothing where none is reported, or
/// too many are marked to sum up for every frame.
pub(super) fn marked_cost(tab: &QueueTabState) -> String {
    let rows = tab
        .marks
        .iter()
        .filter(|id| tab.is_chosen_mark(**id))
        .filter_map(|id| tab.list.row(*id))
        .filter(|_| tab.marks.len() <= MAX_ROWS_SUMMED);
    let cost: f64 = rows
        .filter_map(|row| row.signal.reported_cost_usd.as_ref()?.as_f64())
        .sum();
    if cost > 0.0 {
        format!(", {}", FieldKind::Money.format_number(cost))
    } else {
        String::new()
    }
}

/// The conditions that show only these values; why there are none.
pub(super) fn conditions_of(cx: &Context, filter: &ValueFilter) -> Result<RowConditions, String> {
    let field = RowField::parse(filter.column.key).ok_or("this column cannot be filtered by")?;
    let texts: Vec<String> = filter
        .bins
        .iter()
        .filter_map(|bin| {
            if let ValueBin::Text(text) = bin {
                Some(text.clone())
            } else {
                None
            }
        })
        .flat_map(|text| {
            if field == RowField::TriagedBy {
                users_named(cx, &text)
            } else {
                vec![text]
            }
        })
        .collect();
    let (first, last) = (filter.bins.first(), filter.bins.last());
    match (first, last) {
        _ if texts.len() >= filter.bins.len() => Ok(RowConditions::one_of(field, texts)),
        (Some(ValueBin::Unknown), Some(ValueBin::Unknown)) => Ok(RowConditions::unknown(field)),
        _ if !are_adjacent(&filter.bins) => Err(
            "mark values that are next to each other, and not those that are not known".to_owned(),
        ),
        (Some(ValueBin::Numbers(from, _)), Some(ValueBin::Numbers(_, below))) => {
            Ok(RowConditions::in_range(field, *from, *below))
        }
        (Some(ValueBin::Days(from, _)), Some(ValueBin::Days(_, before))) => {
            Ok(RowConditions::in_days(field, *from, *before))
        }
        _ => Err("mark values only, not those that are not known".to_owned()),
    }
}

/// Each range ends where the next one begins.
fn are_adjacent(bins: &[ValueBin]) -> bool {
    bins.windows(2).all(|pair| match (&pair[0], &pair[1]) {
        (ValueBin::Numbers(_, below), ValueBin::Numbers(from, _)) => below == from,
        (ValueBin::Days(_, before), ValueBin::Days(from, _)) => before == from,
        _ => false,
    })
}

/// The users in the list who have this name, as conditions name them.
fn users_named(cx: &Context, name: &str) -> Vec<String> {
    let users = cx
        .queue
        .current_tab()
        .shown_rows()
        .filter_map(|row| row.triaged_by.as_ref());
    let mut ids: Vec<String> = users
        .filter(|user| cx.user_name(Some(user)) == name)
        .map(|user| user.key().to_owned())
        .collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

//! The conditions that show only some values of a column.

use crate::app::Context;
use crate::app::model::list_field::{ValueBin, ValueFilter};
use crate::domain::row_columns::find_column;
use crate::domain::row_conditions::RowConditions;

/// The conditions that show only these values; why there are none.
pub(super) fn conditions_of(cx: &Context, filter: &ValueFilter) -> Result<RowConditions, String> {
    let column = find_column(filter.column.key).ok_or("this column cannot be filtered by")?;
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
            if column.spec.key == "who" {
                users_named(cx, &text)
            } else {
                vec![text]
            }
        })
        .collect();
    let (first, last) = (filter.bins.first(), filter.bins.last());
    match (first, last) {
        _ if texts.len() >= filter.bins.len() => Ok(RowConditions::one_of(column, texts)),
        (Some(ValueBin::Unknown), Some(ValueBin::Unknown)) => Ok(RowConditions::unknown(column)),
        _ if !are_adjacent(&filter.bins) => Err(
            "mark values that are next to each other, and not those that are not known".to_owned(),
        ),
        (Some(ValueBin::Numbers(from, _)), Some(ValueBin::Numbers(_, below))) => {
            Ok(RowConditions::in_range(column, *from, *below))
        }
        (Some(ValueBin::Days(from, _)), Some(ValueBin::Days(_, before))) => {
            Ok(RowConditions::in_days(column, *from, *before))
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

//! The conditions that show only some values of a column.

use serde_json::Value;

use crate::app::Context;
use crate::app::model::list_field::{ValueBin, ValueFilter};
use crate::domain::conditions::{Conditions, Test, number_value, strict_bound};
use crate::domain::field_kind::FieldKind;
use crate::domain::row_columns::find_column;

/// The conditions that show only these values; why there are none.
pub(super) fn conditions_of(cx: &Context, filter: &ValueFilter) -> Result<Conditions, String> {
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
    let range = |min: Value, max: Value| Test::Range {
        min: Some(min),
        max: Some(max),
        exclude: false,
    };
    let test = match (first, last) {
        _ if texts.len() >= filter.bins.len() => Test::Values {
            // The service finds similar cities, in all rows.
            exact: matches!(column.spec.kind, FieldKind::Name | FieldKind::Text)
                && column.spec.key != "who"
                && (column.spec.key != "city" || texts.len() > 1),
            values: texts.into_iter().map(Value::from).collect(),
            exclude: false,
        },
        (Some(ValueBin::Unknown), Some(ValueBin::Unknown)) => Test::UNKNOWN,
        _ if !are_adjacent(&filter.bins) => {
            return Err(
                "mark values that are next to each other, and not those that are not known"
                    .to_owned(),
            );
        }
        (Some(ValueBin::Numbers(from, _)), Some(ValueBin::Numbers(_, below))) => {
            if from == below {
                range(number_value(*from), number_value(*from))
            } else {
                let max = strict_bound(&number_value(*below), column.spec.key, false);
                range(number_value(*from), max)
            }
        }
        (Some(ValueBin::Days(from, _)), Some(ValueBin::Days(_, before))) => {
            let last = before.pred_opt().unwrap_or(*before);
            range(from.to_string().into(), last.to_string().into())
        }
        _ => return Err("mark values only, not those that are not known".to_owned()),
    };
    Ok(Conditions::single(column.spec.key, test))
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
        .filter(|user| cx.queue.user_name(Some(user)) == name)
        .map(|user| user.key().to_owned())
        .collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

//! Whether the rows of a list of records are grouped.

use crate::app::Context;
use crate::app::command::Availability;

pub(super) fn is_grouped(cx: &Context) -> Availability {
    match cx.displayed_list() {
        Some(list) if list.group().is_some() => Ok(()),
        _ => Err(cx
            .keymap()
            .expand_keys("rows are not grouped; {list.group} groups them")
            .into()),
    }
}

//! Grouping the rows of a list of records.

use crate::app::Context;
use crate::app::action::Action;
use crate::app::command::Availability;

pub(super) fn is_grouped(cx: &Context) -> Availability {
    match cx.displayed_list() {
        Some(list) if list.group().is_some() => Ok(()),
        _ => Err(cx
            .keymap()
            .expand_keys("rows are not grouped; {records.group} groups them")
            .into()),
    }
}

pub(super) fn toggle_group(cx: &mut Context) {
    let is_grouped = cx
        .displayed_list()
        .is_some_and(|list| list.group().is_some());
    cx.perform(if is_grouped {
        Action::GroupList(None)
    } else {
        Action::ChooseGroup
    });
}

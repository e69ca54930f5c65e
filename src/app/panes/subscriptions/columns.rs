//! The columns of the subscriptions. Sorting goes by what is in effect, not by what is staged.

use crate::app::Context;
use crate::app::format::humanize;
use crate::app::model::list_table::{ListColumn, ListTable};
use crate::domain::queue::Priority;
use crate::domain::row_fields::RowValue;
use crate::domain::signals::SignalType;

pub(super) const SUBSCRIPTIONS: ListTable = ListTable {
    name: "subscriptions",
    state_width: 2,
    columns: &[
        ListColumn::text("type", "TYPE", 13, 0).growing_to(23),
        ListColumn::rank("priority", "PRIORITY", 14, 0),
        ListColumn::number("new", "NEW", 5, 0),
        ListColumn::text("mail_to", "MAIL TO", 9, 1),
        ListColumn::date("since", "SINCE", 10, 2),
    ],
};

/// What a type has in a column.
pub(super) fn value(cx: &Context, kind: &SignalType, key: &str) -> Option<RowValue<'static>> {
    let subscription = cx.subscriptions.get(kind);
    match key {
        "type" => Some(RowValue::Text(humanize(kind.as_str()).into())),
        "priority" => {
            let priority = subscription?.priority.as_ref()?;
            let rank = match priority {
                Priority::High => 0,
                Priority::Medium => 1,
                Priority::Low => 2,
                Priority::Other(_) => 3,
            };
            Some(RowValue::Ranked(rank, priority.to_string().into()))
        }
        "new" => subscription?.new_count.map(RowValue::count),
        "mail_to" => Some(RowValue::Text(
            super::draw::mail_label(subscription?).into(),
        )),
        _ => subscription?
            .created_at
            .as_ref()?
            .date_time()
            .map(RowValue::Date),
    }
}

//! The columns of the subscriptions. Sorting goes by what is in effect, not by what is staged.

use super::SubscriptionsPane;
use crate::app::Context;
use crate::app::format::{format_count, humanize};
use crate::app::list::{List, ListColumn, ListRow};
use crate::app::model::list_field::FieldKind;
use crate::app::model::list_table::ListLines;
use crate::app::model::subscriptions::priority_label;
use crate::app::panes::fact_list::priority_role;
use crate::domain::lenient::DateOrDateTime;
use crate::domain::row_columns::RowValue;
use crate::domain::shared_columns::PRIORITY;
use crate::domain::signals::SignalType;
use crate::domain::subscriptions::Subscription;
use crate::domain::writes::WriteOp;
use crate::ui::table::TableCell;
use crate::ui::{TextRole, TextSpan, text_span};

/// From this width of the list on, names are written out.
const WIDE: u16 = 40;

pub(super) struct Subscriptions;

impl List for Subscriptions {
    type Pane = SubscriptionsPane;
    type Item = SignalType;

    const NAME: &'static str = "subscriptions";
    const STATE_WIDTH: u16 = 2;
    const COLUMNS: &'static [ListColumn<Subscriptions>] = &[
        ListColumn::<Self>::new(FieldKind::Name, ("type", "TYPE"), (13, 0), |row| {
            Some(RowValue::Text(humanize(row.item.as_str()).into()))
        })
        .growing_to(23)
        .drawn(|row| {
            let name = if row.is_wide() {
                humanize(row.item.as_str())
            } else {
                row.item.word().to_owned()
            };
            text_span(row.role(), name)
        }),
        ListColumn::<Self>::from_column(PRIORITY, (14, 0), |row| {
            let priority = row.now()?.priority.as_ref()?;
            Some(RowValue::Ranked(
                priority.rank().into(),
                priority.to_string().into(),
            ))
        })
        .drawn_with_tail(|row| row.priority_cell()),
        ListColumn::<Self>::new(FieldKind::Count, ("new", "NEW"), (5, 0), |row| {
            row.now()?.new_count.map(RowValue::count)
        })
        .drawn(|row| {
            let count = row.now().and_then(|it| it.new_count);
            let missing = || row.cx.settings.theme.glyphs().missing.to_owned();
            let count = count.map_or_else(missing, format_count);
            text_span(row.role(), count)
        }),
        ListColumn::<Self>::new(FieldKind::Text, ("mail_to", "MAIL TO"), (9, 1), |row| {
            Some(RowValue::Text(mail_label(row.now()?).into()))
        })
        .drawn(|row| {
            let (now, after) = (row.now(), row.after());
            let role = match &after {
                None => TextRole::Muted,
                Some(after) if now.map(mail_label) != Some(mail_label(after)) => TextRole::Marked,
                Some(_) => row.role(),
            };
            let missing = || row.cx.settings.theme.glyphs().missing.to_owned();
            let shown = after.as_ref().or(now);
            text_span(role, shown.map_or_else(missing, mail_label))
        }),
        ListColumn::<Self>::date(("since", "SINCE"), (10, 2), |row| {
            subscribed_since(row.now()?, row.cx)
        }),
    ];

    fn items<'a>(_pane: &'a SubscriptionsPane, cx: &'a Context) -> &'a [SignalType] {
        cx.subscriptions.types()
    }

    fn lines(pane: &SubscriptionsPane) -> &ListLines {
        &pane.lines
    }

    /// A failed change, one in flight, or a staged one.
    fn state(row: &ListRow<'_, Subscriptions>) -> Vec<TextSpan<'static>> {
        let is_pending =
            |op: &WriteOp| matches!(op, WriteOp::Subscription(of, _) if of == row.item);
        vec![if row.pane.write_errors.contains_key(row.item) {
            text_span(TextRole::Error, "!")
        } else if row.cx.outbox.any_pending(is_pending) {
            text_span(TextRole::Warning, "~")
        } else if row.pane.staged.contains_key(row.item) {
            text_span(TextRole::Marked, row.cx.settings.theme.glyphs().marked)
        } else {
            text_span(TextRole::Text, " ")
        }]
    }

    /// The interface's name of the type.
    fn write_keywords(row: &ListRow<'_, Subscriptions>, text: &mut String) {
        text.push_str(row.item.as_str());
    }
}

impl<'a> ListRow<'a, Subscriptions> {
    fn now(&self) -> Option<&'a Subscription> {
        self.cx.subscriptions.get(self.item)
    }

    /// With the staged changes.
    fn after(&self) -> Option<Subscription> {
        self.pane.subscription_after(self.item, self.cx)
    }

    fn role(&self) -> TextRole {
        if self.now().is_some() || self.after().is_some() {
            TextRole::Text
        } else {
            TextRole::Muted
        }
    }

    fn is_wide(&self) -> bool {
        self.line.is_none() || self.cx.frame.layout().rows.width >= WIDE
    }

    /// The priority; one that is staged after an arrow.
    fn priority_cell(&self) -> TableCell<'a> {
        let glyphs = self.cx.settings.theme.glyphs();
        let (now, after) = (self.now(), self.after());
        let none = if self.is_wide() {
            "none"
        } else {
            glyphs.missing
        };
        let label = |it: Option<&Subscription>| it.map_or(none, priority_label).to_owned();
        let role = |it: Option<&Subscription>| {
            it.map_or(TextRole::Muted, |it| priority_role(it.priority.as_ref()))
        };
        if now.map(priority_label) != after.as_ref().map(priority_label) {
            let was = format!("{} {} ", label(now), glyphs.arrow);
            TableCell {
                text: text_span(TextRole::Muted, was),
                tail: vec![text_span(role(after.as_ref()), label(after.as_ref()))],
            }
        } else if now.is_none() {
            text_span(TextRole::Muted, "not subscribed").into()
        } else {
            text_span(role(now), label(now)).into()
        }
    }
}

/// Since when; of no use where the clock was set to a day before that.
pub(super) fn subscribed_since<'a>(
    now: &'a Subscription,
    cx: &Context,
) -> Option<&'a DateOrDateTime> {
    let today = cx.clock.service_now().date_naive();
    now.created_at
        .as_ref()
        .filter(|since| since.date() <= Some(today))
}

/// Who gets email, in a few cells.
pub(super) fn mail_label(it: &Subscription) -> String {
    match (
        it.has_email(),
        it.notify_all_members,
        it.recipient_user_ids.len(),
    ) {
        (false, ..) => "off".to_owned(),
        (true, true, _) => "everyone".to_owned(),
        (true, false, 0) => "nobody".to_owned(),
        (true, false, 1) => "1 person".to_owned(),
        (true, false, n) => format!("{n} people"),
    }
}

//! The lists of a signal's page: the timeline of its project, and whom to call.

use super::DetailPane;
use crate::app::Context;
use crate::app::format::format_full_day;
use crate::app::list::{List, ListColumn, ListRow};
use crate::app::model::list_field::FieldKind;
use crate::app::model::list_table::ListLines;
use crate::domain::lenient::Number;
use crate::domain::participants::Participant;
use crate::domain::queue::TriageStatus;
use crate::domain::row_columns::RowValue;
use crate::domain::signals::Signal;
use crate::ui::{TextRole, TextSpan, text_span};

/// The signals of the project, newest filing first.
pub(super) struct Timeline;

impl List for Timeline {
    type Pane = DetailPane;
    type Item = Signal;

    const NAME: &'static str = "timeline";
    const STATE_WIDTH: u16 = 2;
    const COLUMNS: &'static [ListColumn<Timeline>] = &[
        ListColumn::<Self>::date(("filed", "FILED"), (10, 0), |row| {
            row.item.filed_at.as_ref()
        }),
        ListColumn::<Self>::new(FieldKind::Word, ("type", "TYPE"), (20, 0), |row| {
            RowValue::text(row.item.signal_type.as_ref().map(|kind| kind.as_str()))
        })
        .growing_to(24),
        ListColumn::<Self>::new(FieldKind::Money, ("cost", "COST"), (7, 1), |row| {
            let cost = row.item.reported_cost_usd.as_ref();
            cost.and_then(Number::as_f64).map(RowValue::Number)
        }),
        ListColumn::<Self>::new(FieldKind::Name, ("description", "WHAT"), (24, 3), |row| {
            RowValue::text(row.cx.queue.facts.filing_description(row.item.id))
        })
        .growing_to(60),
        ListColumn::<Self>::new(FieldKind::Word, ("status", "STATE"), (5, 2), |row| {
            RowValue::text(triage_status(row).map(TriageStatus::as_str))
        })
        .drawn(status_cell),
        ListColumn::<Self>::new(FieldKind::Text, ("source", "SOURCE"), (14, 5), |row| {
            RowValue::text(row.item.source_display_name.as_deref())
        })
        .growing_to(32),
        ListColumn::<Self>::new(FieldKind::Name, ("filing", "FILING"), (14, 4), |row| {
            RowValue::text(row.item.source_filing_id.as_deref())
        })
        .growing_to(20),
    ];

    fn items<'a>(pane: &'a DetailPane, cx: &'a Context) -> &'a [Signal] {
        let open = pane.signal.as_ref().and_then(|open| open.project(cx));
        open.map_or(&[], |read| &read.project_details.signals)
    }

    fn lines(pane: &DetailPane) -> &ListLines {
        &pane.timeline
    }

    fn write_keywords(row: &ListRow<'_, Timeline>, text: &mut String) {
        let filed = row.item.filed_at.as_ref().map(format_full_day);
        let kind = row.item.signal_type.as_ref();
        let kind = kind.map(|kind| kind.as_str().to_owned());
        for word in filed.into_iter().chain(kind) {
            text.extend([word.as_str(), " "]);
        }
    }

    fn state(row: &ListRow<'_, Timeline>) -> Vec<TextSpan<'static>> {
        let glyphs = row.cx.settings.theme.glyphs();
        let open = row.pane.signal.as_ref();
        vec![
            if open.is_some_and(|open| open.row.signal.id == row.item.id) {
                text_span(TextRole::Focus, glyphs.timeline_current)
            } else {
                text_span(TextRole::Faint, glyphs.timeline_entry)
            },
        ]
    }
}

/// New or done, but only if a loaded row of the queue proves it: the signals of a project carry no
/// triage status.
fn triage_status<'a>(row: &ListRow<'a, Timeline>) -> Option<&'a TriageStatus> {
    let queue = &row.cx.queue;
    let mut tabs = [&queue.new, &queue.done].into_iter();
    let row = tabs.find_map(|tab| tab.list.row(row.item.id))?;
    row.triage_status.as_ref()
}

fn status_cell<'a>(row: &ListRow<'a, Timeline>) -> TextSpan<'a> {
    match triage_status(row) {
        Some(TriageStatus::Done) => text_span(TextRole::Success, "done"),
        Some(status) => text_span(TextRole::Text, status.as_str()),
        None => text_span(TextRole::Faint, row.cx.settings.theme.glyphs().missing),
    }
}

/// The firms of the project, each with its people, in the order in which they are called.
pub(super) struct Participants;

impl List for Participants {
    type Pane = DetailPane;
    type Item = Participant;

    const NAME: &'static str = "people";
    const STATE_WIDTH: u16 = 1;
    const COLUMNS: &'static [ListColumn<Participants>] = &[
        ListColumn::<Self>::new(FieldKind::Word, ("role", "ROLE"), (14, 1), |row| {
            RowValue::text(row.item.role.as_deref())
        })
        .growing_to(24),
        ListColumn::<Self>::new(FieldKind::Name, ("name", "NAME"), (18, 0), |row| {
            RowValue::text(Some(row.item.name_or_unnamed()))
        })
        .growing_to(36)
        .drawn(name_cell),
        ListColumn::<Self>::new(FieldKind::Text, ("phone", "PHONE"), (14, 0), |row| {
            RowValue::text(row.item.phone.as_deref())
        }),
        ListColumn::<Self>::new(FieldKind::Text, ("email", "E-MAIL"), (18, 2), |row| {
            RowValue::text(row.item.email.as_deref())
        })
        .growing_to(34),
        ListColumn::<Self>::new(FieldKind::Name, ("firm", "FIRM"), (16, 4), |row| {
            RowValue::text(row.item.firm.as_deref())
        })
        .growing_to(30)
        .hidden(),
        ListColumn::<Self>::new(FieldKind::Text, ("website", "WEBSITE"), (16, 3), |row| {
            RowValue::text(row.item.website.as_deref())
        })
        .growing_to(30),
    ];

    fn items<'a>(pane: &'a DetailPane, _cx: &'a Context) -> &'a [Participant] {
        &pane.participants
    }

    fn lines(pane: &DetailPane) -> &ListLines {
        &pane.participant_lines
    }
}

/// A firm's name stands out; those of its people are below it.
fn name_cell<'a>(row: &ListRow<'a, Participants>) -> TextSpan<'a> {
    let name = row.item.name_or_unnamed();
    if row.item.is_person() {
        text_span(TextRole::Text, format!("  {name}"))
    } else {
        text_span(TextRole::Strong, name)
    }
}

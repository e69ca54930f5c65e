//! Marks the rows of the focused list, whatever they are: one, a range, all, or those that a search
//! finds.

use crate::app::action::Action;
use crate::app::command::{Availability, require, shared};
use crate::app::context::{Ui, Work, record_lists};
use crate::app::list_change::{ListChange, MarkChange};
use crate::app::pane_command::ContextCommand;
use crate::app::prompt::PromptKind;
use crate::app::{Context, Screen};

type Row = ContextCommand;

/// In the order of help.
pub const COMMANDS: &[Row] = &[
    Row::at("list.mark", &shared::MARK, |cx| {
        change_marks(cx, MarkChange::Row)
    })
    .with_description("mark the row, thread or group and move down")
    .with_hint_text(3, |cx| {
        (cx.ui.screen() != Screen::Queue || cx.frame.layout().is_wide).then_some("mark")
    })
    .available_when(|cx| cx.ui.focus.rows.can_mark_row.clone()),
    Row::new(
        "list.range",
        &["v"],
        "range",
        "start a range; press again to mark it",
        |cx| change_marks(cx, MarkChange::Range),
    )
    .available_when(can_mark_range),
    Row::new(
        "list.mark.all",
        &["* a"],
        "all loaded",
        "mark all loaded rows",
        |cx| change_marks(cx, MarkChange::All),
    )
    .available_when(|cx| cx.ui.focus.can_mark()),
    Row::new(
        "list.mark.value",
        &["* ="],
        "mark by",
        "mark the loaded rows with a value of this row, those that a search finds, or the others",
        |cx| {
            cx.work
                .perform(Action::ChooseRowValue(PromptKind::MarkValue))
        },
    )
    .available_when(|cx| cx.ui.focus.can_mark()),
    Row::new(
        "list.mark.none",
        &["* n"],
        "none",
        "clear all marks",
        |cx| change_marks(cx, MarkChange::None),
    )
    .available_when(|cx| cx.ui.focus.can_mark()),
];

fn change_marks(cx: &mut Context, change: MarkChange<'static>) {
    cx.work
        .perform(Action::ChangeList(ListChange::Mark(change)));
}

fn can_mark_range(cx: &Context) -> Availability {
    cx.ui.focus.rows.can_mark_row.clone()?;
    require(cx.ui.focus.rows.has_ranges, "ranges cannot be marked here")
}

/// After the marks of `changed` rows were changed: the cursor moves on, or a notice says how
/// many rows are `marked` now.
pub(in crate::app) fn report_marks_changed(
    change: MarkChange<'_>,
    changed: usize,
    marked: String,
    ui: &mut Ui,
    work: &mut Work,
) {
    match change {
        MarkChange::Row => work.perform(Action::MoveCursor(1)),
        MarkChange::Matches(query) if changed == 0 => record_lists::report_no_match(query, ui),
        MarkChange::None | MarkChange::Range => {}
        _ => ui.inform(marked),
    }
}

//! The commands of the import.

use super::ImportPane;
use super::messages::ImportAction;
use crate::app::Context;
use crate::app::command::{Availability, Scope, require, shared};
use crate::app::format::format_count;
use crate::app::pane_command::PaneCommand;
use crate::app::price::Price;
use crate::domain::list_import::{ColumnRole, LineState, ListImport};

type Row = PaneCommand<ImportPane>;

/// In the order of help.
pub const COMMANDS: &[Row] = &[
    Row::new(
        "import.open",
        &["I"],
        "import",
        "import a list: match names, domains, email addresses or addresses with the index",
        ImportPane::open,
    )
    .in_scope(Scope::Book)
    .with_cost("at most 5 cr a line, after the columns are shown")
    .with_hint_text(11, |_, cx| {
        (cx.frame.layout().frame.width >= 100).then_some("import")
    }),
    Row::at("import.enter", &shared::OPEN, enter)
        .with_words("match", "match the lines; then choose what a line means")
        .with_price("at most 5 cr a line", |pane, _| {
            Price::of_credits(waiting_price(pane).unwrap_or(0))
        })
        .with_hint_text(1, |pane, _| {
            Some(if waiting_price(pane).is_some() {
                "match"
            } else {
                "choose"
            })
        })
        .available_when(can_enter),
    Row::at("import.toggle", &shared::MARK, toggle)
        .with_words(
            "use",
            "change what a column holds; take the match of a line, or leave the line out",
        )
        .with_hint(2)
        .available_when(has_row),
    Row::at("import.words", &shared::EDIT, ImportPane::edit_words)
        .with_words("words", "search the line again by other words")
        .with_cost("at most 3 cr")
        .with_hint_text(5, |pane, _| {
            pane.current_line().is_some().then_some("words")
        })
        .available_when(can_search_line),
    Row::at(
        "import.retry",
        &shared::RETRY,
        ImportPane::search_failed_again,
    )
    .with_description("search the lines again whose search failed")
    .with_price("at most 3 cr a line", |pane, _| {
        Price::of_credits(pane.retry_price())
    })
    .available_when(|pane, _| match pane.import() {
        Some(import)
            if import
                .lines
                .iter()
                .any(|line| matches!(line.state, LineState::Failed(_))) =>
        {
            Ok(())
        }
        _ => Err("no search of a line failed".into()),
    }),
    Row::at("import.save", &shared::SAVE, |pane, cx| {
        pane.confirm_save(cx);
    })
    .with_write()
    .with_hint(3)
    .available_when(ImportPane::can_save),
    Row::at("import.view", &shared::ADD_TO_VIEW, |pane, cx| {
        pane.choose_view(cx);
    })
    .with_write()
    .with_hint(4)
    .available_when(ImportPane::can_save),
    Row::new(
        "import.file",
        &["I"],
        "other file",
        "read another file instead",
        ImportPane::ask_path,
    )
    .with_hint(6),
    Row::at("import.discard", &shared::DELETE, |_, cx| {
        let text = "What was found for its lines is lost; finding it again costs credits. \
                    Saved records stay."
            .to_owned();
        cx.ui.confirm(
            "Discard the import?",
            text,
            "discard it",
            ImportAction::Discard,
        );
    })
    .with_words("discard", "forget the list and what was found for it")
    .available_when(|pane, _| require(pane.list.is_some(), "there is no list")),
];

/// What matching would cost at most; `None` if no line waits.
pub(super) fn waiting_price(pane: &ImportPane) -> Option<u64> {
    match (pane.import(), pane.file()) {
        (Some(import), _) => Some(import.max_credits()).filter(|_| import.waiting_count() > 0),
        (None, Some(file)) => Some(ListImport::new(file).max_credits()),
        (None, None) => None,
    }
}

fn has_row(pane: &ImportPane, _: &Context) -> Availability {
    require(
        pane.row_count() > 0,
        "there is no list; it is read from a file first",
    )
}

fn can_enter(pane: &ImportPane, cx: &Context) -> Availability {
    has_row(pane, cx)?;
    require(
        !pane.is_matching,
        format!(
            "matching: {} waiting",
            format_count(pane.import().map_or(0, ListImport::waiting_count) as u64)
        ),
    )
}

fn can_search_line(pane: &ImportPane, _: &Context) -> Availability {
    match pane.current_line() {
        _ if pane.is_matching => Err("the list is being matched".into()),
        Some(line) if line.state == LineState::Saved => Err("this line is saved".into()),
        Some(_) => Ok(()),
        None => Err("match the list first".into()),
    }
}

fn enter(pane: &mut ImportPane, cx: &mut Context) {
    if waiting_price(pane).is_some() {
        pane.start_matching(cx);
    } else {
        pane.choose_candidate(cx);
    }
}

fn toggle(pane: &mut ImportPane, cx: &mut Context) {
    let column = pane.lines.current_row();
    match pane.file_mut() {
        Some(file) => {
            let role = file
                .roles
                .get(column)
                .map_or(ColumnRole::Name, |role| role.next());
            file.set_role(column, role);
            pane.arrange_lines(cx);
        }
        None => pane.toggle_line(cx),
    }
}

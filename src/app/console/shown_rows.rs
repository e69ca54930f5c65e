//! Copies and exports the focused list as it is shown: the chosen columns in their order, the rows
//! that a search left, as they are sorted. Everything is loaded, so nothing is requested.

use super::list_table;
use crate::app::Context;
use crate::app::action::Action;
use crate::app::context::clipboard::characters;
use crate::app::context::{clipboard, export};
use crate::app::effect::{ServiceCall, Slot};
use crate::app::format::{humanize, pluralize};
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::{Choice, ChoiceOption};
use crate::app::overlay::picker::{Picker, PickerEntry, PickerKind};
use crate::app::panes::Panes;
use crate::app::prompt::{Prompt, PromptKind};
use crate::app::requests::Request;
use crate::app::shown_rows::ShownRows;
use crate::domain::export::ExportFormat;
use crate::export::csv::value_text;
use crate::export::table::{Column, Table, plain_number};
use crate::text;

/// The formats, the most useful first.
const FORMATS: &[ExportFormat] = &[
    ExportFormat::Csv,
    ExportFormat::JsonLines,
    ExportFormat::Markdown,
];

fn table(panes: &Panes, which: ShownRows, cx: &mut Context) -> Option<Table> {
    let table = panes
        .list(cx)
        .and_then(|list| list.exported_rows(which, cx))
        .filter(|table| !table.rows.is_empty());
    if table.is_none() {
        cx.ui.warn("no loaded row to take");
    }
    table
}

/// Copies the marked or current rows.
pub(super) fn copy_rows(panes: &Panes, cx: &mut Context) {
    let Some(table) = table(panes, ShownRows::Chosen, cx) else {
        return;
    };
    let text = table.to_tab_separated();
    let (rows, columns) = (
        pluralize(table.rows.len(), "row"),
        pluralize(table.columns.len(), "column"),
    );
    clipboard::copy_text(
        format!("{rows} of {columns} with a heading, {}", characters(&text)),
        text,
        &mut cx.ui,
        &mut cx.work,
    );
}

/// Lists the columns, to copy one.
pub(super) fn choose_column(panes: &Panes, cx: &mut Context) {
    let Some(table) = table(panes, ShownRows::AllColumns, cx) else {
        return;
    };
    let filled = |at: usize| table.rows.iter().filter(|row| !row[at].is_null()).count();
    let entry = |(at, column): (usize, &Column)| PickerEntry {
        key: column.key.clone(),
        label: humanize(&column.key),
        note: pluralize(filled(at), "value"),
        ..PickerEntry::default()
    };
    let entries = table.columns.iter().enumerate().map(entry).collect();
    let note = format!("of {}", pluralize(table.rows.len(), "row"));
    let kind = PickerKind::Answer(PromptKind::CopiedColumn);
    cx.ui.overlay = Some(Overlay::Picker(Picker::single_choice(
        "Copy a column".to_owned(),
        &note,
        entries,
        kind,
    )));
}

/// Copies a column of the marked rows, or of all shown: a value per line. A row without one is an
/// empty line, so that the column fits beside another.
pub(super) fn copy_column(panes: &Panes, key: &str, cx: &mut Context) {
    let Some(table) = table(panes, ShownRows::AllColumns, cx) else {
        return;
    };
    let Some(at) = table.columns.iter().position(|column| column.key == key) else {
        return;
    };
    let line = |row: &Vec<serde_json::Value>| {
        let value = value_text(&plain_number(&row[at])).replace(['\t', '\r', '\n'], " ");
        text::sanitize_line(&value).into_owned()
    };
    let text = table.rows.iter().map(line).collect::<Vec<_>>().join("\n");
    clipboard::copy_text(
        format!(
            "{} of {}, {}",
            humanize(key),
            pluralize(table.rows.len(), "row"),
            characters(&text)
        ),
        text,
        &mut cx.ui,
        &mut cx.work,
    );
}

/// Lists the formats, with what is exported.
pub(super) fn choose_format(panes: &Panes, cx: &mut Context) {
    let Some(table) = table(panes, ShownRows::MarkedOrAll, cx) else {
        return;
    };
    let scope = format!(
        "{}, {}",
        pluralize(table.rows.len(), "row"),
        pluralize(table.columns.len(), "column")
    );
    let option = |format: &ExportFormat| ChoiceOption {
        label: format!("as shown, as {}", format.title()),
        note: "0 cr".to_owned(),
        action: Action::ChooseShownExportPath(*format),
    };
    cx.ui.overlay = Some(Overlay::Choice(Choice::new(
        "Export",
        scope,
        FORMATS.iter().map(option).collect(),
    )));
}

pub(super) fn ask_path(panes: &Panes, format: ExportFormat, cx: &mut Context) {
    if table(panes, ShownRows::MarkedOrAll, cx).is_none() {
        return;
    }
    let name = match (cx.displayed_list(), list_table::focused_table(panes, cx)) {
        (_, Some(table)) => table.name.replace('.', "-"),
        (Some(list), None) => export::export_file_name(list, &cx.views),
        (None, None) => cx.ui.screen().title().to_lowercase(),
    };
    let path = format!(
        "{name}-{}.{}",
        cx.clock.service_now().format("%Y-%m-%d"),
        format.extension()
    );
    cx.ui.prompt = Some(Prompt::new(
        "file",
        &path,
        PromptKind::ShownExportPath(format),
    ));
}

pub(super) fn export(panes: &Panes, format: ExportFormat, path: &str, cx: &mut Context) {
    if path.is_empty() {
        cx.ui.inform("no file name: nothing was written");
        return;
    }
    let Some(table) = table(panes, ShownRows::MarkedOrAll, cx) else {
        return;
    };
    let text = match format {
        ExportFormat::Csv => table.to_csv(),
        ExportFormat::JsonLines => table.to_json_lines(),
        ExportFormat::Markdown => table.to_markdown(),
    };
    cx.work.call_service(
        Slot::SaveText,
        ServiceCall::SaveText {
            file_name: format.complete_file_name(path),
            text,
        },
        Request::SaveText,
    );
}

#[cfg(test)]
mod tests {
    use super::ShownRows;
    use crate::app::effect::ServiceCall;
    use crate::app::testing::{TestConsole, morning_queue};

    fn book() -> TestConsole {
        TestConsole::with_rows(morning_queue())
            .press("3")
            .serve()
            .press("Enter")
            .serve()
    }

    fn saved(console: &TestConsole) -> (&str, &str) {
        let call = console.calls.iter().rev().find_map(|call| match call {
            ServiceCall::SaveText { file_name, text } => Some((file_name.as_str(), text.as_str())),
            _ => None,
        });
        call.expect("a text was saved")
    }

    #[test]
    fn rows_are_copied_as_shown_with_a_heading_for_a_spreadsheet() {
        let console = book().press("Space Space y r");
        let text = console.copied_text().unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            (lines.len(), lines[0]),
            (3, "NAME\tTYPE\tTIER\tSCORE\tTREND\tSTATUS\tTAGS\tNOTES"),
            "{text}"
        );
        assert!(
            lines.iter().all(|line| line.matches('\t').count() == 7),
            "{text}"
        );
        assert!(
            console
                .notice_text()
                .starts_with("copying 2 rows of 8 columns with a heading, "),
            "{}",
            console.notice_text()
        );
        let current = book().press("y r");
        assert_eq!(current.copied_text().unwrap().lines().count(), 2);
    }

    #[test]
    fn a_column_is_picked_by_name_and_copied_of_all_shown_or_marked_rows() {
        let names = |console: TestConsole| {
            let console = console.press("y v").type_text("name").press("Enter");
            console
                .copied_text()
                .unwrap()
                .lines()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let all = names(book());
        assert!(all.len() > 2, "{all:?}");
        assert_eq!(names(book().press("j Space Space")), all[1..3]);
        assert_eq!(
            names(book().press("/").type_text(&all[1]).press("Enter")),
            [all[1].clone()]
        );
    }

    #[test]
    fn a_file_name_without_an_ending_gets_that_of_its_format() {
        let named = |name: &str| {
            let console = book().press("X Up Enter").type_text(name).press("Enter");
            saved(&console.serve()).0.to_owned()
        };
        assert_eq!(named("dallas list"), "dallas list.md");
        assert_eq!(named("Q3 v1.2"), "Q3 v1.2.md");
        assert_eq!(named("lists.txt"), "lists.txt");
        assert_eq!(named("lists/"), "lists/");
    }

    #[test]
    fn what_is_shown_is_exported_in_three_formats_and_nothing_is_requested() {
        let console = book();
        let calls = console.calls.len();
        for (format, start) in [
            ("as CSV", "name,account_types,"),
            ("JSON Lines", "{\"name\":"),
            ("Markdown", "| NAME "),
        ] {
            let mut console = book().press("X");
            for _ in 0..20 {
                if console.screen_text().lines().any(|line| {
                    line.contains('▌') && line.contains("as shown") && line.contains(format)
                }) {
                    break;
                }
                console = console.press("j");
            }
            let console = console.press("Enter Enter").serve();
            let (name, text) = saved(&console);
            assert!(name.starts_with("book-accounts-2026-"), "{name}");
            assert!(text.starts_with(start), "{text}");
            assert_eq!(console.calls.len(), calls + 1, "only the text is saved");
            assert!(
                console.notice_text().contains("/home/ana/book-accounts-"),
                "{}",
                console.notice_text()
            );
        }
    }

    #[test]
    fn the_rows_of_a_group_are_copied_from_its_heading_and_exported_when_it_is_closed() {
        for keys in ["3 Enter", "g f Down Enter"] {
            let console = TestConsole::with_rows(morning_queue())
                .press(keys)
                .serve()
                .press("T Enter - g g y r");
            let cx = console.context();
            let list = console.app.panes().list(cx).unwrap();
            let (group, all) = (list.rows_under_cursor().len(), list.shown_rows().len());
            assert!(1 < group && group < all, "{keys}: {group} of {all}");
            let copied = console.copied_text().unwrap();
            assert_eq!(copied.lines().count(), group + 1, "{keys}: {copied}");
            let exported = list.exported_rows(ShownRows::MarkedOrAll, cx).unwrap();
            assert_eq!(exported.rows.len(), all, "{keys}");
        }
    }

    #[test]
    fn every_list_can_be_copied_and_exported() {
        for keys in ["1", "2", "4", "6", "7", "3 Enter", "g f Down Enter"] {
            let console = TestConsole::with_rows(morning_queue())
                .poll()
                .serve()
                .press(keys)
                .serve();
            let copied = console.press("y r");
            assert!(
                copied
                    .copied_text()
                    .is_some_and(|text| text.lines().count() == 2),
                "{keys}: {:?} {}",
                copied.copied_text(),
                copied.screen_text()
            );
            let exported = copied.press("X").screen_text();
            assert!(
                exported.contains("as shown, as Markdown"),
                "{keys}: {exported}"
            );
        }
        let queue = TestConsole::with_rows(morning_queue())
            .press("Space Space X Enter Enter")
            .serve();
        let (name, text) = saved(&queue);
        assert!(
            name.starts_with("queue-")
                && text.starts_with("priority,type,")
                && text.lines().count() == 3,
            "{name} {text}"
        );
        assert!(!text.contains(".0,"), "{text}");
        let feed = TestConsole::with_rows(morning_queue())
            .press("g f Down Enter")
            .serve()
            .press("X Enter Enter")
            .serve();
        let (_, text) = saved(&feed);
        assert!(text.starts_with("filed,type,project,"), "{text}");
        assert!(!text.contains("$"), "numbers are exported in full: {text}");
    }
}

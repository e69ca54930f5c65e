//! The commands that copy, in every pane: of the marked rows, or of the one under the cursor.

use crate::app::action::Action;
use crate::app::command::{Availability, Scope, require, shared};
use crate::app::context::global_commands::has_source;
use crate::app::context::{clipboard, queue};
use crate::app::pane_command::ContextCommand;
use crate::app::{Context, Screen};
use crate::domain::SignalId;
use crate::domain::quoting::quote_for_shell;
use crate::domain::search::{RecordSource, Search, SortOrder};

const CURL: &str = "curl -H \"Authorization: Bearer $GANTRY_TOKEN\"";

type Row = ContextCommand;

/// In the order of help.
pub const COMMANDS: &[Row] = &[
    Row::at("source.copy", &shared::COPY_URL, copy_urls).available_when(has_source),
    Row::new(
        "copy.phone",
        &["y p"],
        "phone",
        "copy the phone of the firm or person under the cursor, or of whom to call first",
        |cx| {
            cx.copy_contact(
                "phone",
                |one| one.phone.as_deref(),
                &["public_phone", "phone"],
            )
        },
    )
    .available_when(has_copy_subject),
    Row::new(
        "copy.email",
        &["y e"],
        "e-mail",
        "copy the e-mail address of who is under the cursor, or of whom to write to first",
        |cx| {
            cx.copy_contact(
                "e-mail address",
                |one| one.email.as_deref(),
                &["public_email", "email"],
            )
        },
    )
    .available_when(has_copy_subject),
    Row::at("copy.id", &shared::COPY_ID, |cx| {
        cx.copy_chosen(
            "id",
            |row| Some(row.signal.id.to_string()),
            |record| Some(record.id.to_string()),
        );
    })
    .available_when(has_copy_subject),
    Row::at("copy.name", &shared::COPY_NAME, |cx| {
        cx.copy_chosen(
            "name",
            |row| row.signal.project_name.clone(),
            clipboard::name_of,
        );
    })
    .available_when(has_copy_subject),
    Row::at("copy.address", &shared::COPY_ADDRESS, |cx| {
        cx.copy_chosen(
            "address",
            |row| row.signal.project_primary_address.clone(),
            |record| clipboard::address_of(&record.fields()),
        );
    })
    .available_when(has_copy_subject),
    Row::at("copy.json", &shared::COPY_JSON, Context::copy_chosen_json)
        .available_when(has_copy_subject),
    Row::at("copy.more", &shared::COPY_MORE, |cx| {
        let ids: Vec<_> = cx
            .chosen_signals()
            .iter()
            .map(|row| row.signal.id)
            .collect();
        let curl =
            |id| format!("{CURL} \"$GANTRY_BASE_URL/signals/{id}?workspace_id=$GANTRY_WORKSPACE\"");
        let filter = match (cx.displayed_list(), cx.ui.screen()) {
            (Some(list), _) => Some(search_command(&list.source, &list.search)),
            (None, Screen::Queue | Screen::Detail) => Some(queue::build_queue_command(&cx.queue)),
            (None, _) => None,
        };
        cx.ui.offer_copies([
            (
                "filter, as a gantry command",
                "command",
                filter.into_iter().collect(),
            ),
            (
                "gantry command that shows it",
                "command",
                ids.iter().map(show_command).collect(),
            ),
            (
                "curl command; you add the token",
                "curl command",
                ids.iter().map(curl).collect(),
            ),
        ]);
    }),
    Row::at("copy.rows", &shared::COPY_ROWS, |cx| {
        cx.work.perform(Action::CopyRows);
    })
    .in_scope(Scope::List)
    .available_when(|cx| cx.ui.focus.has_rows()),
    Row::new(
        "copy.column",
        &["y v"],
        "column",
        "copy a column of the marked rows, or of all shown",
        |cx| {
            cx.work.perform(Action::ChooseCopiedColumn);
        },
    )
    .in_scope(Scope::List)
    .available_when(|cx| cx.ui.focus.has_rows()),
];

/// A search of records as a shell command.
pub(in crate::app) fn search_command(source: &RecordSource, search: &Search) -> String {
    let mut command = match source {
        RecordSource::Index(dataset) => format!("gantry data search {dataset}"),
        RecordSource::Book(kind) => format!("gantry book search {kind}"),
        RecordSource::View(view, _) => format!("gantry views search {view}"),
    };
    for term in search.filters.to_terms() {
        command.push_str(&format!(" {}", quote_for_shell(&term)));
    }
    if !search.query.is_empty() {
        command.push_str(&format!(" --query {}", quote_for_shell(&search.query)));
    }
    if let Some(SortOrder { field, ascending }) = &search.sort {
        let order = if *ascending { "asc" } else { "desc" };
        command.push_str(&format!(" --sort {field}:{order}"));
    }
    if let Some(limit) = search.limit {
        command.push_str(&format!(" --limit {limit}"));
    }
    command
}

/// The command that shows a signal.
pub(in crate::app) fn show_command(id: &SignalId) -> String {
    format!("gantry signals show {id}")
}

fn has_copy_subject(cx: &Context) -> Availability {
    require(
        cx.current_signal().is_some() || cx.records.current_record(&cx.ui.focus).is_some(),
        "nothing to copy here",
    )
}

fn copy_urls(cx: &mut Context) {
    cx.copy_chosen("URL", |row| row.signal.source_url.clone(), |_| None);
}

#[cfg(test)]
mod tests {
    use crate::app::testing::{TestConsole, morning_queue};

    #[test]
    fn the_command_of_a_list_lists_the_rows_on_the_screen() {
        let book = TestConsole::with_rows(morning_queue())
            .press("3")
            .serve()
            .press("Enter")
            .serve();
        let copied = |console: &TestConsole| console.copied_text().map(str::to_owned);
        let all = book.press("y y Enter");
        assert_eq!(
            copied(&all).as_deref(),
            Some("gantry book search accounts"),
            "{}",
            all.screen_text()
        );
        let page = all.press("Enter").serve().press("y y");
        assert_eq!(page.notice_text(), "nothing else to copy here");
    }
}

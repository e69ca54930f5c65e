//! The commands that copy, in every pane: of the marked rows, or of the one under the cursor.

use crate::app::Context;
use crate::app::action::Action;
use crate::app::command::{Availability, Scope};
use crate::app::context::clipboard;
use crate::app::context::global_commands::{has_signal, has_source};
use crate::app::pane_command::ContextCommand;

/// In the order of help.
pub const COMMANDS: &[ContextCommand] = &[
    ContextCommand::new(
        "source.copy",
        &["Y"],
        "copy URL",
        "copy the URL of the filing's page, or of those of the marked rows",
        Scope::Global,
        copy_urls,
    )
    .available_when(has_source),
    ContextCommand::new(
        "copy.phone",
        &["y p"],
        "phone",
        "copy the phone of the firm or person under the cursor, or of whom to call first",
        Scope::Global,
        |cx| cx.copy_contact("phone", |one| one.phone.as_deref(), &["public_phone", "phone"]),
    )
    .available_when(has_copy_subject),
    ContextCommand::new(
        "copy.email",
        &["y e"],
        "e-mail",
        "copy the e-mail address of the firm or person under the cursor, or of whom to write to first",
        Scope::Global,
        |cx| cx.copy_contact("e-mail address", |one| one.email.as_deref(), &["public_email", "email"]),
    )
    .available_when(has_copy_subject),
    ContextCommand::new("copy.id", &["y i"], "id", "copy the ids of the marked or current rows", Scope::Global, |cx| {
        cx.copy_chosen("id", |row| Some(row.signal.id.to_string()), |record| Some(record.id.to_string()));
    })
    .available_when(has_copy_subject),
    ContextCommand::new("copy.url", &["y u"], "URL", "copy the URLs of the filings' pages", Scope::Global, copy_urls)
        .available_when(has_source),
    ContextCommand::new("copy.name", &["y n"], "name", "copy the names of the projects or records", Scope::Global, |cx| {
        cx.copy_chosen("name", |row| row.signal.project_name.clone(), clipboard::name_of);
    })
    .available_when(has_copy_subject),
    ContextCommand::new(
        "copy.address",
        &["y a"],
        "address",
        "copy the addresses of the projects or accounts",
        Scope::Global,
        |cx| {
            cx.copy_chosen(
                "address",
                |row| row.signal.project_primary_address.clone(),
                |record| clipboard::address_of(&record.fields()),
            );
        },
    )
    .available_when(has_copy_subject),
    ContextCommand::new(
        "copy.filter",
        &["y f"],
        "filter",
        "copy the filter as a gantry command",
        Scope::Global,
        Context::copy_queue_filter,
    ),
    ContextCommand::new(
        "copy.json",
        &["y j"],
        "JSON",
        "copy the signals or records as JSON, several as JSON Lines",
        Scope::Global,
        Context::copy_chosen_json,
    )
    .available_when(has_copy_subject),
    ContextCommand::new(
        "copy.curl",
        &["y c"],
        "curl",
        "copy the requests for the signals as curl, without the token",
        Scope::Global,
        |cx| {
            cx.copy_chosen("curl command", |row| {
            Some(format!(
                "curl -H \"Authorization: Bearer $GANTRY_TOKEN\" \"$GANTRY_BASE_URL/signals/{}?workspace_id=$GANTRY_WORKSPACE\"",
                row.signal.id
            ))
        }, |_| None);
        },
    )
    .available_when(has_signal),
    ContextCommand::new(
        "copy.command",
        &["y g"],
        "gantry",
        "copy the gantry commands that show the signals",
        Scope::Global,
        |cx| {
            cx.copy_chosen("command", |row| Some(format!("gantry signals show {}", row.signal.id)), |_| None);
        },
    )
    .available_when(has_signal),
    ContextCommand::new(
        "copy.rows",
        &["y r"],
        "rows",
        "copy the marked or current rows as shown, with a heading, for a spreadsheet",
        Scope::List,
        |cx| {
            cx.perform(Action::CopyRows);
        },
    )
    .available_when(Context::has_rows),
    ContextCommand::new(
        "copy.column",
        &["y v"],
        "column",
        "copy a column of the marked rows, or of all shown",
        Scope::List,
        |cx| {
            cx.perform(Action::ChooseCopiedColumn);
        },
    )
    .available_when(Context::has_rows),
];

fn has_copy_subject(cx: &Context) -> Availability {
    if cx.current_signal().is_some() || cx.current_record().is_some() {
        Ok(())
    } else {
        Err("nothing to copy here".into())
    }
}

fn copy_urls(cx: &mut Context) {
    cx.copy_chosen("URL", |row| row.signal.source_url.clone(), |_| None);
}

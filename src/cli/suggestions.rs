//! What was probably meant by a word that the command line does not know.
//!
//! Never here: which words it knows.

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::domain::fuzzy;
use crate::domain::quoting::quote_for_shell;

/// What people look for by these names, with the commands before them, and how it is done.
const OTHER_NAMES: &[(&str, &str)] = &[
    (
        "wall",
        "gantry watch shows the dashboard; gantry team wall-code connects a screen on the wall",
    ),
    (
        "team wall",
        "gantry team wall-code connects a screen on the wall",
    ),
    ("invite", INVITE),
    ("team invite", INVITE),
    ("members invite", INVITE),
    (
        "match",
        "gantry book import FILE matches a list of names with the index",
    ),
    ("search", SEARCH),
    ("find", SEARCH),
    ("data list", SEARCH),
    (
        "list",
        "gantry queue list lists the signals; gantry commands lists the other commands",
    ),
    ("book list", BOOK_LIST),
    ("book accounts list", BOOK_LIST),
    ("book contacts list", BOOK_LIST),
    ("book projects list", BOOK_LIST),
    (
        "export",
        "add --format csv to a command that lists: gantry queue list --all --format csv",
    ),
    (
        "views export",
        "gantry views search VIEW --all --format csv prints its records",
    ),
    ("views run", "gantry views search VIEW lists its records"),
    (
        "report",
        "gantry handoff prints what is done and what is left; gantry credits what was used",
    ),
    (
        "undo",
        "gantry queue triage new ID marks signals new again; in the console z undoes the last change",
    ),
    ("demo", "gantry --demo opens the console on sample data"),
    ("done", TRIAGE),
    ("queue done", TRIAGE),
    ("queue new", "gantry queue triage new ID marks signals new"),
    ("queue triage --status", TRIAGE),
    (
        "snooze",
        "gantry queue snooze ID --until WHEN snoozes signals",
    ),
    (
        "note",
        "gantry book set projects ID --add-note TEXT adds to a note",
    ),
];

const INVITE: &str = "gantry invitations create EMAIL invites a person";
const SEARCH: &str = "gantry data search projects city=Boston searches the index, and gantry book search projects what your team saved";
const BOOK_LIST: &str = "gantry book search accounts lists the saved firms, for 1 credit a row";
const TRIAGE: &str = "gantry queue triage done ID marks signals done";

/// What does the job of the word that is unknown after these commands; with the word.
pub(super) fn find_other_name(error: &clap::Error, names: &str) -> Option<(String, &'static str)> {
    let typed = unknown_word(error)?;
    let path = format!("{names} {typed}");
    let (_, how) = OTHER_NAMES
        .iter()
        .find(|(name, _)| *name == path.trim_start())?;
    Some((typed.to_owned(), how))
}

/// What to write instead, in words; `command` is the last one that the words name.
pub(super) fn suggest(
    error: &clap::Error,
    words: &[OsString],
    program: &Command,
    command: &Command,
) -> Option<String> {
    if error.kind() == ErrorKind::ValueValidation {
        return suggest_search(error, words);
    }
    let is_format = |option: &str| matches!(option, "--csv" | "--jsonl" | "--table");
    let option = unknown_word(error).filter(|word| word.starts_with("--"));
    if let Some(option) = option.filter(|option| is_format(option)) {
        let format = option.trim_start_matches('-');
        return Some(format!("write --format {format}"));
    }
    let takes_conditions = command.get_positionals().any(|arg| arg.get_id() == "terms");
    let condition = option
        .filter(|_| takes_conditions)
        .map(|option| to_condition(option, words));
    match (condition, find_closest(error, program, command)) {
        (Some((condition, true)), _) | (Some((condition, false)), None) => {
            Some(format!("write {condition}"))
        }
        (_, closest) => closest.map(|name| format!("did you mean '{name}'?")),
    }
}

/// The word that is no command, or no option and no argument.
fn unknown_word(error: &clap::Error) -> Option<&str> {
    let kind = match error.kind() {
        ErrorKind::InvalidSubcommand => ContextKind::InvalidSubcommand,
        ErrorKind::UnknownArgument => ContextKind::InvalidArg,
        _ => return None,
    };
    text_of(error, kind)
}

fn text_of(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text),
        _ => None,
    }
}

/// The command, the option or the value whose name is close to what was typed.
fn find_closest(error: &clap::Error, program: &Command, command: &Command) -> Option<String> {
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let names = command.get_subcommands().map(Command::get_name);
            fuzzy::closest_match(unknown_word(error)?, names).map(str::to_owned)
        }
        ErrorKind::UnknownArgument => {
            let typed = unknown_word(error)?.strip_prefix("--")?;
            let arguments = command.get_arguments().chain(program.get_arguments());
            let names = arguments.filter_map(|argument| argument.get_long());
            fuzzy::closest_match(typed, names).map(|name| format!("--{name}"))
        }
        ErrorKind::InvalidValue => {
            let typed = text_of(error, ContextKind::InvalidValue)?;
            let ContextValue::Strings(values) = error.get(ContextKind::ValidValue)? else {
                return None;
            };
            fuzzy::closest_match(typed, values.iter().map(String::as_str)).map(str::to_owned)
        }
        _ => None,
    }
}

/// An option and its value as a condition, and whether the value is one by itself.
fn to_condition(option: &str, words: &[OsString]) -> (String, bool) {
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    let attached = format!("{option}=");
    let after = |at: usize| words.get(at + 1).filter(|next| !next.starts_with('-'));
    let value = words.iter().enumerate().find_map(|(at, word)| match word {
        word if word == option => after(at).map(AsRef::as_ref),
        word => word.strip_prefix(&attached),
    });
    let name = match option.trim_start_matches('-') {
        "query" | "text" => "name",
        name => name,
    };
    match value {
        Some(value) if value.contains(['=', '<', '>']) => (quote_for_shell(value), true),
        Some(value) => (quote_for_shell(&format!("{name}={value}")), false),
        None => (format!("{name}=VALUE"), false),
    }
}

/// How the id is found of a record that was given by its name.
fn suggest_search(error: &clap::Error, words: &[OsString]) -> Option<String> {
    let typed = text_of(error, ContextKind::InvalidValue)?;
    text_of(error, ContextKind::InvalidArg).filter(|arg| *arg == "<ID>")?;
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    let has_name = |word: &&str| matches!(*word, "accounts" | "contacts" | "projects");
    let kind = words.iter().map(AsRef::as_ref).find(has_name)?;
    let group = words
        .iter()
        .find(|word| matches!(word.as_ref(), "book" | "data"))?;
    let condition = quote_for_shell(&format!("name={typed}"));
    Some(format!(
        "to find it: gantry {group} search {kind} {condition}"
    ))
}

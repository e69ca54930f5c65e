//! `gantry commands`: what the command line can do, for people and for programs that call it.
//!
//! Never here: what a command does. Everything is read from the arguments' own definitions.

use clap::{Arg, ArgAction, Command};
use serde::Serialize;

use super::columns::{Column, FieldKind, column, hidden, text_column};
use super::error::CliError;
use super::output::Output;
use super::read_only;

const COMMAND_COLUMNS: &[Column] = &[
    column("command", "COMMAND", FieldKind::Name),
    text_column("description", "DESCRIPTION"),
    hidden("writes"),
    hidden("example"),
];

/// A command of the command line. The first row is `gantry` itself, with the options that all
/// commands have.
#[derive(Debug, PartialEq, Serialize)]
struct CommandRow {
    command: String,
    description: String,
    /// Whether it may change something; `--read-only` rejects it then.
    writes: bool,
    example: String,
    arguments: Vec<ArgumentRow>,
    options: Vec<ArgumentRow>,
}

#[derive(Debug, PartialEq, Serialize)]
struct ArgumentRow {
    /// `--status`, or the name of a positional argument.
    name: String,
    short: Option<String>,
    description: String,
    /// Whether it has a value; a switch has none.
    has_value: bool,
    /// The only values that are accepted; empty if others are.
    values: Vec<String>,
    default: Option<String>,
    required: bool,
    repeatable: bool,
    /// The variable that sets it as well.
    environment: Option<String>,
}

/// Prints all commands of `program`.
pub(super) fn run(mut program: Command, output: Output) -> Result<(), CliError> {
    program.build();
    let mut rows = Vec::new();
    list_commands(&program, "gantry", &mut rows);
    output.print_rows(&rows, COMMAND_COLUMNS)
}

/// Adds a command and those below it. A group such as `gantry queue` does nothing on its own and
/// has no row.
fn list_commands(command: &Command, path: &str, rows: &mut Vec<CommandRow>) {
    let is_program = rows.is_empty();
    if is_program || !command.is_subcommand_required_set() {
        let own = command
            .get_arguments()
            .filter(|arg| !arg.is_hide_set() && (is_program || !arg.is_global_set()));
        let (arguments, options) = own
            .filter(|arg| arg.get_id() != "help")
            .partition::<Vec<_>, _>(|arg| arg.is_positional());
        let verb = path.trim_start_matches("gantry").trim_start();
        rows.push(CommandRow {
            command: path.to_owned(),
            description: command
                .get_about()
                .map(ToString::to_string)
                .unwrap_or_default(),
            writes: !is_program && !read_only::is_read_only(verb),
            example: find_example(command),
            arguments: arguments.into_iter().map(describe_argument).collect(),
            options: options.into_iter().map(describe_argument).collect(),
        });
    }
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        list_commands(verb, &format!("{path} {}", verb.get_name()), rows);
    }
}

/// The first example of a command's help.
fn find_example(command: &Command) -> String {
    let help = command
        .get_after_help()
        .map(ToString::to_string)
        .unwrap_or_default();
    help.lines()
        .find_map(|line| line.strip_prefix("Example: "))
        .unwrap_or_default()
        .to_owned()
}

fn describe_argument(arg: &Arg) -> ArgumentRow {
    let has_value = arg.get_action().takes_values();
    let is_listed = has_value && !arg.is_hide_possible_values_set();
    let values = if is_listed {
        arg.get_possible_values()
    } else {
        Vec::new()
    };
    ArgumentRow {
        name: arg
            .get_long()
            .map_or_else(|| arg.get_id().to_string(), |name| format!("--{name}")),
        short: arg.get_short().map(|letter| format!("-{letter}")),
        description: arg.get_help().map(ToString::to_string).unwrap_or_default(),
        has_value,
        values: values
            .iter()
            .filter(|value| !value.is_hide_set())
            .map(|value| value.get_name().to_owned())
            .collect(),
        default: arg
            .get_default_values()
            .first()
            .filter(|_| has_value)
            .map(|value| value.to_string_lossy().into_owned()),
        required: arg.is_required_set(),
        repeatable: matches!(arg.get_action(), ArgAction::Append | ArgAction::Count)
            || arg
                .get_num_args()
                .is_some_and(|count| count.max_values() > 1),
        environment: arg
            .get_env()
            .map(|name| name.to_string_lossy().into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::args::Args;

    fn rows() -> Vec<CommandRow> {
        let (mut program, mut rows) = (Args::command(), Vec::new());
        program.build();
        list_commands(&program, "gantry", &mut rows);
        rows
    }

    #[test]
    fn a_program_learns_how_to_call_a_command() {
        let rows = rows();
        let list = rows
            .iter()
            .find(|row| row.command == "gantry queue list")
            .unwrap();
        let option = |name: &str| {
            list.options
                .iter()
                .find(|option| option.name == name)
                .unwrap()
        };
        assert!(!list.writes && list.example.starts_with("gantry"));
        assert!(
            option("--status").values.contains(&"done".to_owned()),
            "{:?}",
            option("--status")
        );
        assert!(
            option("--type").repeatable && option("--type").has_value && !option("--all").has_value
        );
        let triage = rows
            .iter()
            .find(|row| row.command == "gantry queue triage")
            .unwrap();
        assert!(triage.writes && triage.arguments[0].required, "{triage:?}");
        assert!(
            rows[0].command == "gantry"
                && rows[0]
                    .options
                    .iter()
                    .any(|option| option.name == "--profile")
        );
        assert!(
            !list.options.iter().any(|option| option.name == "--profile"),
            "the options of all commands are listed once"
        );
    }

    #[test]
    fn every_command_and_every_argument_is_described() {
        for row in rows() {
            assert!(!row.description.is_empty(), "{row:?}");
            for argument in row.arguments.iter().chain(&row.options) {
                assert!(
                    !argument.description.is_empty(),
                    "{}: {argument:?}",
                    row.command
                );
            }
        }
    }
}

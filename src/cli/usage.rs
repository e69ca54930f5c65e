//! What a wrong command line and a request for help print.
//!
//! Never here: which arguments there are.

use std::ffi::{OsStr, OsString};
use std::io;

use clap::Command;
use clap::error::ErrorKind;

use crate::text;

use super::command_groups;
use super::error::CliError;
use super::print;
use super::suggestions;
use super::topics::topic_names;

/// Ends the program after a command line that names nothing to do: prints the help that it asks
/// for, or what is wrong with it.
pub(super) fn exit(error: &clap::Error, words: &[OsString], mut program: Command) -> ! {
    program.build();
    let failure = match error.kind() {
        ErrorKind::DisplayHelp => {
            let is_long = words.iter().any(|word| word == "--help");
            print_command_help(&program, &command_path(&program, &words[1..]), is_long)
                .err()
                .map(CliError::from)
        }
        ErrorKind::DisplayVersion | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            error.exit()
        }
        _ => Some(usage_error(error, words, &program)),
    };
    if asks_for_json(words) {
        print::report_json();
    }
    let status = failure.map_or(0, |error| {
        let status = error.exit_status;
        error.report();
        status
    });
    std::process::exit(i32::from(status))
}

/// Ends the program with an error.
pub(super) fn report(error: CliError) -> ! {
    let status = error.exit_status;
    error.report();
    std::process::exit(i32::from(status))
}

/// Whether the words ask for JSON, although they cannot be read as a whole.
fn asks_for_json(words: &[OsString]) -> bool {
    let is_json = |format: &str| matches!(format, "json" | "jsonl");
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    words.iter().any(|word| {
        word == "--json"
            || word.starts_with("--json=")
            || word.strip_prefix("--format=").is_some_and(is_json)
    }) || words
        .windows(2)
        .any(|pair| pair[0] == "--format" && is_json(&pair[1]))
}

/// A usage error in one line: what is wrong, what was probably meant, and where to read on.
fn usage_error(error: &clap::Error, words: &[OsString], program: &Command) -> CliError {
    let text = error.render().to_string();
    let is_usage =
        |line: &&str| line.starts_with("Usage:") || line.starts_with("For more information");
    let parts: Vec<String> = text
        .lines()
        .take_while(|line| !is_usage(line))
        .map(|line| line.trim().trim_matches(['[', ']']).to_owned())
        .filter(|part| !part.is_empty() && !part.starts_with("tip: "))
        .collect();
    let message = parts.join("; ").replace(":; ", ": ");
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    let path = command_path(program, &words[1..]);
    let names: String = path
        .iter()
        .map(|command| format!(" {}", command.get_name()))
        .collect();
    if let Some((name, how)) = suggestions::find_other_name(error, &names) {
        return CliError::usage(format!("there is no {name} in gantry{names}")).with_hint(how);
    }
    let command = path.last().copied().unwrap_or(program);
    let see = format!("see gantry{names} --help");
    match suggestions::suggest(error, words, program, command) {
        Some(question) if question.ends_with('?') => {
            CliError::usage(format!("{message}; {question}")).with_hint(see)
        }
        Some(advice) => CliError::usage(message).with_hint(format!("{advice}; {see}")),
        None => CliError::usage(message).with_hint(see),
    }
}

/// The commands that the words name, outermost first. Words that name none are skipped: they are
/// options and arguments.
pub(super) fn command_path<'c>(
    program: &'c Command,
    words: &[impl AsRef<OsStr>],
) -> Vec<&'c Command> {
    let mut path: Vec<&Command> = Vec::new();
    for word in words {
        path.extend(path.last().unwrap_or(&program).find_subcommand(word));
    }
    path
}

/// Prints the help of the last command of a path; without one, that of the program. The long help
/// adds explanations and names the options that all commands have.
pub(super) fn print_command_help(
    program: &Command,
    path: &[&Command],
    is_long: bool,
) -> io::Result<()> {
    let is_program = path.is_empty();
    let mut command: Command = (*path.last().unwrap_or(&program)).clone();
    let more = match (is_program, is_long) {
        (true, true) => format!("Topics of gantry help: {}", topic_names().join(", ")),
        (true, false) => "For options and topics, run: gantry --help".to_owned(),
        (false, true) => format!(
            "Global options, explained by gantry --help:\n{}",
            global_option_names(program)
        ),
        (false, false) => "For the options that all commands have, run: gantry --help".to_owned(),
    };
    if is_long && let Some(about) = command.get_long_about().cloned() {
        command = command.about(about);
    }
    let examples = command
        .get_after_help()
        .map(|text| format!("{text}\n\n"))
        .unwrap_or_default();
    let hides_globals = !(is_program && is_long);
    let mut command = command
        .after_help(format!("{examples}{more}"))
        .mut_args(|argument| {
            let is_global = argument.is_global_set() || is_program && argument.get_id() != "help";
            let argument = if is_global && hides_globals {
                argument.hide(true)
            } else {
                argument
            };
            match argument.get_long_help().cloned().filter(|_| is_long) {
                _ if argument.get_id() == "help" => argument
                    .help(if is_long {
                        "Print help; -h prints less"
                    } else {
                        "Print help; --help prints more"
                    })
                    .long_help(None),
                Some(help) => argument.help(help),
                None => argument,
            }
        });
    if is_program {
        command = list_commands_in_groups(command);
    }
    // A group of commands has no options of its own.
    if !is_program && command.has_subcommands() {
        command = command.mut_arg("help", |argument| argument.hide(true));
    }
    // The layout of the short help for both: an option takes a line.
    command.print_help()
}

/// Has the help list the commands in their groups instead of one after the other.
fn list_commands_in_groups(program: Command) -> Command {
    let groups = command_groups::format_groups(&program);
    program
        .override_usage("gantry [OPTIONS] [COMMAND]")
        .help_template(format!(
            "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}\n{{all-args}}{{after-help}}"
        ))
        .mut_subcommands(|command| command.hide(true))
}

/// The names of the options that all commands have, in lines.
fn global_option_names(program: &Command) -> String {
    let globals = program
        .get_arguments()
        .filter(|argument| argument.is_global_set() && !argument.is_hide_set());
    let names: Vec<String> = globals
        .filter_map(|argument| Some(format!("--{}", argument.get_long()?)))
        .collect();
    text::wrap_text(&names.join(" "), MAX_LINE_WIDTH)
        .iter()
        .map(|line| format!("  {line}\n"))
        .collect::<String>()
        .trim_end()
        .to_owned()
}

/// The longest line of names.
const MAX_LINE_WIDTH: usize = 90;

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, Parser as _};

    use super::super::args::Args;
    use super::*;

    #[test]
    fn a_command_by_another_name_leads_to_the_one_that_does_it() {
        for (line, command) in [
            ("gantry wall", "gantry watch"),
            (
                "gantry team invite ben@example.com",
                "gantry invitations create EMAIL",
            ),
            ("gantry match accounts.csv", "gantry book import FILE"),
            ("gantry search Boston", "gantry data search projects"),
            ("gantry export", "--format csv"),
            ("gantry list", "gantry queue list"),
            ("gantry undo", "gantry queue triage new ID"),
            ("gantry report", "gantry handoff"),
            ("gantry demo", "gantry --demo"),
            ("gantry queue done 7", "gantry queue triage done ID"),
            (
                "gantry queue triage ID --status done",
                "gantry queue triage done ID",
            ),
            ("gantry book list", "gantry book search accounts"),
            ("gantry views run Towers", "gantry views search VIEW"),
        ] {
            let error = error_of(line);
            assert!(
                error.contains(command) && !error.contains("did you mean"),
                "{error}"
            );
        }
    }

    fn error_of(line: &str) -> String {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        usage_error(
            &Args::try_parse_from(&words).unwrap_err(),
            &words,
            &Args::command(),
        )
        .to_line()
        .unwrap()
    }

    #[test]
    fn a_wrong_command_line_is_explained_in_one_line() {
        for (line, message) in [
            (
                "gantry queue lst",
                "unrecognized subcommand 'lst'; did you mean 'list'? See gantry queue --help",
            ),
            (
                "gantry views show",
                "the following required arguments were not provided: <VIEW>; see gantry views show --help",
            ),
            (
                "gantry queue list --limt 3",
                "unexpected argument '--limt' found; did you mean '--limit'? See gantry queue list --help",
            ),
        ] {
            assert_eq!(error_of(line), message);
        }
        for (line, end) in [
            ("gantry reprot", "'reprot'; see gantry --help"),
            (
                "gantry queue list --where x",
                "'--where' found; see gantry queue list --help",
            ),
            (
                "gantry queue list --status=open",
                "new, done; see gantry queue list --help",
            ),
            (
                "gantry queue list --csv",
                "found; write --format csv; see gantry queue list --help",
            ),
            (
                "gantry data search projects --city Boston",
                "'--city' found; write city=Boston; see gantry data search --help",
            ),
            (
                "gantry data search projects --where stories>=5",
                "found; write 'stories>=5'; see gantry data search --help",
            ),
            (
                "gantry book show accounts Pell",
                "an id is expected, as lists show it; to find it: gantry book search accounts name=Pell; see gantry book show --help",
            ),
        ] {
            let error = error_of(line);
            assert!(error.ends_with(end), "{line}: {error}");
        }
        let choices = error_of("gantry queue list --format xml");
        assert!(
            choices.starts_with(
                "invalid value 'xml' for '--format <FORMAT>'; possible values: table, json"
            ),
            "{choices}"
        );
        assert!(
            choices.ends_with("see gantry queue list --help"),
            "{choices}"
        );
    }
}

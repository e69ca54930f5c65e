//! What a wrong command line and a request for help print.
//!
//! Never here: which arguments there are.

use std::ffi::OsString;

use clap::Command;
use clap::error::ErrorKind;

use super::error::CliError;

/// Ends the program after a command line that names nothing to do: prints the help that it asks for, or what is wrong with it.
pub(super) fn exit(error: &clap::Error, words: &[OsString], mut program: Command) -> ! {
    program.build();
    let status = match error.kind() {
        ErrorKind::DisplayHelp => print_help(words, program),
        ErrorKind::DisplayVersion | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => error.exit(),
        _ => {
            let error = CliError::usage(format_error(error, words, &program));
            let status = error.exit_status;
            error.report();
            status
        }
    };
    std::process::exit(i32::from(status))
}

/// Ends the program with an error.
pub(super) fn report(error: CliError) -> ! {
    let status = error.exit_status;
    error.report();
    std::process::exit(i32::from(status))
}

/// A usage error in one line: what is wrong, what was probably meant, and where to read on.
fn format_error(error: &clap::Error, words: &[OsString], program: &Command) -> String {
    let text = error.render().to_string();
    let is_usage = |line: &&str| line.starts_with("Usage:") || line.starts_with("For more information");
    let parts: Vec<String> =
        text.lines().take_while(|line| !is_usage(line)).map(rephrase).filter(|part| !part.is_empty()).collect();
    let message = parts.join("; ").replace(":; ", ": ");
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    let see = if message.ends_with('?') { " See" } else { "; see" };
    let command: String = command_path(program, words).iter().map(|name| format!(" {name}")).collect();
    format!("{message}{see} gantry{command} --help")
}

/// The names of the command that the words name.
fn command_path(program: &Command, words: &[OsString]) -> Vec<String> {
    let mut command = program;
    let mut path = Vec::new();
    for word in words.iter().skip(1) {
        if let Some(found) = command.find_subcommand(word) {
            path.push(found.get_name().to_owned());
            command = found;
        }
    }
    path
}

/// A line of an error as part of a sentence.
fn rephrase(line: &str) -> String {
    let line = line.trim();
    let Some(tip) = line.strip_prefix("tip: ") else { return line.trim_matches(['[', ']']).to_owned() };
    match tip.split_once(" exists: ").or_else(|| tip.split_once(" exist: ")) {
        Some((_, meant)) => format!("did you mean {meant}?"),
        None => tip.to_owned(),
    }
}

/// Prints the help of the command that the words name, without the options that all commands have.
fn print_help(words: &[OsString], program: Command) -> u8 {
    let path = command_path(&program, words);
    let is_long = words.iter().any(|word| word == "--help");
    let found = path.iter().try_fold(&program, |command, name| command.find_subcommand(name)).filter(|_| !path.is_empty());
    let mut command = found.map_or_else(|| program.clone(), |command| hide_global_options(command.clone()));
    let printed = if is_long { command.print_long_help() } else { command.print_help() };
    match printed {
        Ok(()) => 0,
        Err(error) => {
            let error = CliError::from(error);
            let status = error.exit_status;
            error.report();
            status
        }
    }
}

fn hide_global_options(command: Command) -> Command {
    let examples = command.get_after_help().map(|text| format!("{text}\n\n")).unwrap_or_default();
    command
        .mut_args(|argument| if argument.is_global_set() { argument.hide(true) } else { argument })
        .after_help(format!("{examples}For the options that all commands have, run: gantry --help"))
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, Parser as _};

    use super::super::args::Args;
    use super::*;

    fn error_of(line: &str) -> String {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        format_error(&Args::try_parse_from(&words).unwrap_err(), &words, &Args::command())
    }

    #[test]
    fn a_wrong_command_line_is_explained_in_one_line() {
        for (line, message) in [
            ("gantry queue lst", "unrecognized subcommand 'lst'; did you mean 'list'? See gantry queue --help"),
            ("gantry views show", "the following required arguments were not provided: <VIEW>; see gantry views show --help"),
            (
                "gantry queue list --limt 3",
                "unexpected argument '--limt' found; did you mean '--limit'? See gantry queue list --help",
            ),
        ] {
            assert_eq!(error_of(line), message);
        }
        let choices = error_of("gantry queue list --format xml");
        assert!(choices.starts_with("invalid value 'xml' for '--format <FORMAT>'; possible values: table, json"), "{choices}");
        assert!(choices.ends_with("see gantry queue list --help"), "{choices}");
    }
}

//! `[alias]`: commands of the user, by short names. An alias is replaced by its words once, before
//! anything else is read.
//!
//! Never here: a shell, what a command does.

use std::ffi::OsString;

use clap::{Args as _, Command};

use crate::config::{self, AliasSetting, Paths, process_env, split_words};
use crate::domain::exit_status;
use crate::domain::fuzzy;
use crate::text;

use super::error::CliError;
use super::options::GlobalOptions;

/// The command line with the alias that it names replaced by its words; `None` if it names none.
/// The configuration is read only for a name that none of `commands` has.
pub(super) fn expand(
    line: &[OsString],
    commands: &Command,
) -> Result<Option<Vec<OsString>>, CliError> {
    let Some((at, name)) = find_verb(line).filter(|(_, name)| !is_command(commands, name)) else {
        return Ok(None);
    };
    // A configuration that cannot be read has no aliases; the command that is not found is reported
    // instead.
    let aliases = config::load_console_texts(&Paths::from_env(&process_env))
        .map(|texts| texts.aliases)
        .unwrap_or_default();
    let Some(alias) = aliases.iter().find(|alias| alias.name == name) else {
        return Ok(None);
    };
    let words = expand_alias(alias, &line[at + 1..], commands).map_err(|why| {
        CliError::from_line(exit_status::USAGE, format!("{}: {why}", alias.defined_at))
    })?;
    Ok(Some([&line[..at], &words].concat()))
}

/// Where the command's name is on the command line, and what it is.
fn find_verb(line: &[OsString]) -> Option<(usize, String)> {
    let program = GlobalOptions::augment_args(Command::new("gantry").disable_help_flag(true))
        .allow_external_subcommands(true);
    let matches = program.try_get_matches_from(line).ok()?;
    let (name, rest) = matches.subcommand()?;
    let arguments = rest.get_many::<OsString>("").map_or(0, Iterator::count);
    Some((line.len().checked_sub(arguments + 1)?, name.to_owned()))
}

fn is_command(commands: &Command, name: &str) -> bool {
    commands.find_subcommand(name).is_some()
}

/// The words of an alias with these arguments: `$1` stands for the first one, and those without a
/// place follow at the end.
fn expand_alias(
    alias: &AliasSetting,
    arguments: &[OsString],
    commands: &Command,
) -> Result<Vec<OsString>, String> {
    let mut is_used = vec![false; arguments.len()];
    let mut words = Vec::new();
    for word in words_of(alias, commands)? {
        let mut filled = OsString::new();
        let mut rest = word.as_str();
        while let Some((before, after)) = rest.split_once('$') {
            filled.push(before);
            let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            match after[..digits].parse::<usize>() {
                Ok(number) if number > 0 => {
                    let needed = if number == 1 {
                        "an argument".to_owned()
                    } else {
                        format!("{number} arguments")
                    };
                    let argument = arguments.get(number - 1);
                    filled.push(
                        argument.ok_or_else(|| format!("alias {} needs {needed}", alias.name))?,
                    );
                    is_used[number - 1] = true;
                }
                _ => filled.push(format!("${}", &after[..digits])),
            }
            rest = &after[digits..];
        }
        filled.push(rest);
        words.push(filled);
    }
    words.extend(
        arguments
            .iter()
            .zip(is_used)
            .filter(|(_, is_used)| !is_used)
            .map(|(argument, _)| argument.clone()),
    );
    Ok(words)
}

/// The words of an alias, of which one has to be a command.
fn words_of(alias: &AliasSetting, commands: &Command) -> Result<Vec<String>, String> {
    let name = &alias.name;
    let words = split_words(&alias.text).map_err(|why| format!("alias {name}: {why}"))?;
    let line: Vec<OsString> = std::iter::once("gantry")
        .chain(words.iter().map(String::as_str))
        .map(OsString::from)
        .collect();
    match find_verb(&line) {
        Some((_, verb)) if is_command(commands, &verb) => Ok(words),
        Some((_, verb)) => {
            let closest =
                fuzzy::closest_match(&verb, commands.get_subcommands().map(Command::get_name));
            let hint = closest
                .map(|closest| format!("; did you mean {closest}?"))
                .unwrap_or_default();
            Err(format!(
                "alias {name}: {verb} is not a command of gantry{hint}"
            ))
        }
        None => Err(format!(
            "alias {name} needs a command of gantry, such as queue list"
        )),
    }
}

/// What is wrong with the aliases of the configuration, a line each.
pub(super) fn find_problems(aliases: &[AliasSetting], commands: &Command) -> Vec<String> {
    let problem = |alias: &AliasSetting| {
        let why = match is_command(commands, &alias.name) {
            true => Some(format!(
                "{} is a command of gantry; an alias cannot replace it",
                alias.name
            )),
            false => words_of(alias, commands).err(),
        };
        why.map(|why| format!("{}: {why}", alias.defined_at))
    };
    aliases.iter().filter_map(problem).collect()
}

/// All commands with the aliases, for completion. It runs in a process that only completes.
pub(super) fn add_aliases(program: Command) -> Command {
    let texts = config::load_console_texts(&Paths::from_env(&process_env)).unwrap_or_default();
    let known = texts
        .aliases
        .into_iter()
        .filter(|alias| !is_command(&program, &alias.name))
        .collect::<Vec<_>>();
    known.into_iter().fold(program, |program, alias| {
        let about = format!("Alias of {}", text::sanitize_line(&alias.text));
        program.subcommand(Command::new(&*alias.name.leak()).about(&*about.leak()))
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::args::Args;

    fn expand_alias(alias: &AliasSetting, arguments: &[OsString]) -> Result<Vec<OsString>, String> {
        super::expand_alias(alias, arguments, &Args::command())
    }

    fn find_problems(aliases: &[AliasSetting]) -> Vec<String> {
        super::find_problems(aliases, &Args::command())
    }

    fn alias(text: &str) -> AliasSetting {
        AliasSetting {
            name: "mine".to_owned(),
            text: text.to_owned(),
            defined_at: "config.toml:2".to_owned(),
        }
    }

    fn line(text: &str) -> Vec<OsString> {
        text.split(' ')
            .filter(|word| !word.is_empty())
            .map(OsString::from)
            .collect()
    }

    #[test]
    fn arguments_fill_their_places_and_the_others_follow() {
        for (text, arguments, expanded) in [
            (
                "queue list --priority high",
                "--json --limit 3",
                "queue list --priority high --json --limit 3",
            ),
            (
                "queue list --city $1 --query $2",
                "Austin tower --json",
                "queue list --city Austin --query tower --json",
            ),
            (
                "data search projects cost>=$1M stage=$$2",
                "5 x",
                "data search projects cost>=5M stage=$x",
            ),
            ("queue list --query $", "a", "queue list --query $ a"),
        ] {
            assert_eq!(
                expand_alias(&alias(text), &line(arguments)),
                Ok(line(expanded)),
                "{text}"
            );
        }
        let quoted = expand_alias(
            &alias("queue list --query '$1'"),
            &[OsString::from("a b; rm -rf")],
        )
        .unwrap();
        assert_eq!(
            quoted.last().unwrap(),
            "a b; rm -rf",
            "an argument stays one word"
        );
    }

    #[test]
    fn the_name_of_a_command_is_found_behind_options() {
        assert_eq!(
            find_verb(&line("gantry --profile queue mine --json")),
            Some((3, "mine".to_owned()))
        );
        assert_eq!(find_verb(&line("gantry --demo")), None);
        let is_command = |name| is_command(&Args::command(), name);
        assert!(is_command("queue") && is_command("profiles") && !is_command("mine"));
    }

    #[test]
    fn what_is_wrong_with_an_alias_is_said_in_one_line() {
        for (text, why) in [
            (
                "queue list 'a",
                "config.toml:2: alias mine: the quote ' is not closed",
            ),
            (
                "",
                "config.toml:2: alias mine needs a command of gantry, such as queue list",
            ),
            (
                "mine --json",
                "config.toml:2: alias mine: mine is not a command of gantry",
            ),
            (
                "queu list",
                "config.toml:2: alias mine: queu is not a command of gantry; did you mean queue?",
            ),
            (
                "!rm -rf",
                "config.toml:2: alias mine: !rm is not a command of gantry",
            ),
        ] {
            let problems = find_problems(&[alias(text)]);
            assert!(
                problems.len() == 1 && problems[0].starts_with(why),
                "{text}: {problems:?}"
            );
        }
        let shadow = AliasSetting {
            name: "queue".to_owned(),
            ..alias("book accounts search")
        };
        assert_eq!(
            find_problems(&[shadow]),
            ["config.toml:2: queue is a command of gantry; an alias cannot replace it"]
        );
        assert_eq!(
            expand_alias(&alias("queue list --city $2"), &line("a")).unwrap_err(),
            "alias mine needs 2 arguments"
        );
        assert_eq!(
            find_problems(&[alias("--demo queue list")]),
            [] as [String; 0]
        );
    }
}

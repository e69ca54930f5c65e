//! The groups in which the program's help lists its commands.
//!
//! Never here: what a command does, or what its own help says.

use std::fmt::Write as _;

use clap::Command;

/// What a group is called, and its commands in the order in which they are needed. The commands in
/// no group are only named, after the last one.
const GROUPS: [(&str, &[&str]); 4] = [
    (
        "Daily work",
        &[
            "queue", "signals", "data", "book", "brief", "promise", "views", "open", "watch",
            "triage", "handoff", "credits",
        ],
    ),
    (
        "Workspace",
        &[
            "subscriptions",
            "favorites",
            "skills",
            "members",
            "invitations",
            "team",
            "workspace",
        ],
    ),
    (
        "This machine",
        &[
            "join", "login", "logout", "profile", "config", "doctor", "log", "cache", "install",
        ],
    ),
    (
        "Running a service",
        &["team up", "import", "layouts", "serve", "migrate"],
    ),
];

/// The commands of `program` as its help lists them.
pub(super) fn format_groups(program: &Command) -> String {
    let styles = program.get_styles();
    let (header, name_style) = (styles.get_header(), styles.get_literal());
    let width = GROUPS
        .iter()
        .flat_map(|(_, names)| *names)
        .map(|name| name.len())
        .max()
        .unwrap_or_default();
    let mut help = String::new();
    for (title, names) in GROUPS {
        let _ = writeln!(help, "{header}{title}:{header:#}");
        for name in names {
            let command = name
                .split(' ')
                .try_fold(program, |command, word| command.find_subcommand(word));
            let about = command
                .and_then(Command::get_about)
                .map(ToString::to_string);
            let about = about.unwrap_or_default();
            let _ = writeln!(help, "  {name_style}{name:width$}{name_style:#}  {about}");
        }
        help.push('\n');
    }
    let _ = writeln!(
        help,
        "{header}More, described by gantry commands:{header:#}"
    );
    let _ = writeln!(help, "  {}", ungrouped_names(program).join(", "));
    help
}

fn ungrouped_names(program: &Command) -> Vec<&str> {
    program
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
        .map(Command::get_name)
        .filter(|name| !GROUPS.iter().any(|(_, names)| names.contains(name)))
        .collect()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::super::args::Args;
    use super::*;

    #[test]
    fn every_command_is_in_one_group_or_named_after_them() {
        let program = Args::command();
        let grouped = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .filter(|name| !name.contains(' '));
        let listed: Vec<&str> = grouped.chain(ungrouped_names(&program)).collect();
        let defined: Vec<&str> = program.get_subcommands().map(Command::get_name).collect();
        assert_eq!(listed, defined, "as listed, and as defined");
    }

    #[test]
    fn the_groups_fit_a_terminal_of_80_columns_and_say_what_each_command_does() {
        let program = Args::command().styles(clap::builder::Styles::plain());
        let help = format_groups(&program);
        for line in help.lines() {
            assert!(line.len() <= 80, "{line}");
        }
        for (_, names) in GROUPS {
            for name in names {
                let line = help
                    .lines()
                    .find(|line| line.starts_with(&format!("  {name}  ")));
                assert!(
                    line.is_some_and(|line| line.len() > name.len() + 20),
                    "{name}: {line:?}"
                );
            }
        }
    }
}

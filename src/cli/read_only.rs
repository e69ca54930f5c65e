//! `--read-only`, and profiles that are read-only: a command that makes changes is rejected before
//! anything is sent or opened.
//!
//! Never here: requests. As a second safeguard the client rejects requests that write, whatever the
//! command.

use crate::config;
use crate::domain::exit_status;

use super::args::{Args, CliCommand};
use super::error::CliError;

/// The commands that change nothing. Commands that are not listed are rejected: a new one that only
/// reads has to be added.
const READ_ONLY_VERBS: &[(&str, &[&str])] = &[
    ("queue", &["list", "stats", "snoozed"]),
    // Triage rejects each answer that would write.
    (
        "",
        &[
            "triage",
            "workspace",
            "credits",
            "log",
            "brief",
            "handoff",
            "watch",
            "profile",
            "open",
            "paths",
            "doctor",
            "keys",
            "commands",
            "help",
            "version",
            "man",
            "completions",
        ],
    ),
    ("signals", &["list", "show"]),
    ("data", &["search", "show", "fields", "filters", "ask"]),
    ("data saved", &["list", "run", "count"]),
    ("book", &["search", "show"]),
    ("book accounts", &["search", "show"]),
    ("book contacts", &["search", "show"]),
    ("book projects", &["search", "show"]),
    ("promise", &["list"]),
    ("views", &["list", "show", "search"]),
    ("favorites", &["list"]),
    ("subscriptions", &["list"]),
    ("skills", &["list", "find", "show", "file", "revisions"]),
    ("members", &["list"]),
    ("invitations", &["list"]),
    ("team", &["status"]),
    ("credits", &["show", "ledger", "settle"]),
    ("log", &["show", "path"]),
    ("profile", &["list", "show"]),
    ("cache", &["show"]),
    ("layouts", &["list", "show"]),
    ("config", &["path", "show", "get", "check", "schema"]),
];

/// The commands that do not use the profile's service: a read-only profile does not concern them.
const VERBS_WITHOUT_PROFILE: &[(&str, &[&str])] = &[
    (
        "",
        &["serve", "import", "migrate", "join", "login", "logout"],
    ),
    ("team", &["up"]),
    ("credits", &["budget"]),
    ("cache", &["clear"]),
    ("config", &["edit", "set", "unset"]),
    ("profile", &["use"]),
    ("install", &["completions", "man", "unit"]),
];

/// Rejects a command that makes changes when `--read-only` is set, or the profile is read-only.
/// With `--dry-run` it makes none.
pub(super) fn check_read_only(args: &Args, env: config::EnvLookup<'_>) -> Result<(), CliError> {
    let is_reading = match &args.verb {
        None => true,
        Some(CliCommand::Api(request)) => request.is_read(),
        Some(_) => is_read_only(&args.verb_path),
    };
    if args.dry_run || is_reading {
        return Ok(());
    }
    let reason = if args.options.read_only {
        "--read-only is set".to_owned()
    } else if is_listed(VERBS_WITHOUT_PROFILE, &args.verb_path) {
        return Ok(());
    } else {
        match config::read_only_profile(&args.options.to_cli_options(), env)? {
            Some(profile) => format!("the profile {profile} is read-only"),
            None => return Ok(()),
        }
    };
    let line = format!(
        "{reason} and gantry {} makes changes; nothing was done",
        args.verb_path
    );
    Err(CliError::new(exit_status::NOT_ALLOWED, line))
}

/// Whether a command (`queue list`) never changes anything.
pub(super) fn is_read_only(verb_path: &str) -> bool {
    is_listed(READ_ONLY_VERBS, verb_path)
}

/// Whether a table of groups and their commands has a command.
fn is_listed(groups: &[(&str, &[&str])], verb_path: &str) -> bool {
    let (group, verb) = verb_path.rsplit_once(' ').unwrap_or(("", verb_path));
    groups
        .iter()
        .any(|(name, verbs)| *name == group && verbs.contains(&verb))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::options::GlobalOptions;

    /// The commands that make changes: at the service, in a database, or in the profiles and
    /// budgets on this machine.
    const WRITE_VERBS: &[&str] = &[
        "queue triage",
        "queue snooze",
        "queue unsnooze",
        "data saved save",
        "data saved rename",
        "data saved delete",
        "book set",
        "book remove",
        "book accounts set",
        "book accounts remove",
        "book contacts set",
        "book contacts remove",
        "book projects set",
        "book projects remove",
        "book import",
        "promise add",
        "promise done",
        "promise move",
        "promise drop",
        "views create",
        "views delete",
        "views add",
        "views remove",
        "favorites add",
        "favorites remove",
        "subscriptions set",
        "subscriptions remove",
        "subscriptions bulk",
        "skills create",
        "skills update",
        "skills publish",
        "skills unpublish",
        "skills delete",
        "skills transfer",
        "skills move",
        "skills fork",
        "skills install",
        "skills uninstall",
        "members add",
        "members set",
        "members remove",
        "invitations create",
        "invitations revoke",
        "invitations renew",
        "team up",
        "team wall-code",
        "team remove-wall",
        "credits budget",
        "cache clear",
        "config edit",
        "config set",
        "config unset",
        "profile use",
        "serve",
        "import",
        "migrate",
        "join",
        "login",
        "logout",
        "install completions",
        "install man",
        "install unit",
        "api", // depends on its method
    ];

    fn verb_paths(command: &clap::Command, path: &str) -> Vec<String> {
        let inner = command
            .get_subcommands()
            .flat_map(|verb| verb_paths(verb, format!("{path} {}", verb.get_name()).trim()));
        let inner: Vec<_> = inner.collect();
        // `credits` without a subcommand is a command too.
        let is_verb =
            inner.is_empty() || (!path.is_empty() && !command.is_subcommand_required_set());
        inner
            .into_iter()
            .chain(is_verb.then(|| path.to_owned()))
            .collect()
    }

    fn read_only_verbs() -> Vec<String> {
        let path = |group: &str, verb: &str| format!("{group} {verb}").trim_start().to_owned();
        let paths = READ_ONLY_VERBS
            .iter()
            .flat_map(|(group, verbs)| verbs.iter().map(move |verb| path(group, verb)));
        paths.collect()
    }

    #[test]
    fn every_verb_is_listed_as_reading_or_writing() {
        let there: BTreeSet<_> = verb_paths(&Args::command(), "").into_iter().collect();
        let reading = read_only_verbs();
        let writing = WRITE_VERBS.iter().map(|&verb| verb.to_owned());
        let known: BTreeSet<_> = reading.iter().cloned().chain(writing).collect();
        assert_eq!(
            there, known,
            "add a new command to READ_ONLY_VERBS or to WRITE_VERBS"
        );
        assert_eq!(
            known.len(),
            reading.len() + WRITE_VERBS.len(),
            "a command is in both lists"
        );
    }

    fn check_verb(verb_path: &str, read_only: bool, dry_run: bool) -> Option<CliError> {
        let args =
            <Args as clap::Parser>::try_parse_from(["gantry", "queue", "triage", "done", "x"])
                .unwrap();
        let options = GlobalOptions {
            read_only,
            ..args.options
        };
        check_read_only(
            &Args {
                verb_path: verb_path.to_owned(),
                dry_run,
                options,
                ..args
            },
            &|_| None,
        )
        .err()
    }

    #[test]
    fn a_writing_verb_is_rejected_only_with_read_only() {
        for verb in WRITE_VERBS.iter().filter(|verb| **verb != "api") {
            let why =
                format!("--read-only is set and gantry {verb} makes changes; nothing was done");
            assert_eq!(
                check_verb(verb, true, false),
                Some(CliError::new(exit_status::NOT_ALLOWED, why))
            );
            assert_eq!(
                (check_verb(verb, false, false), check_verb(verb, true, true)),
                (None, None),
                "{verb}"
            );
        }
        assert!(
            read_only_verbs()
                .iter()
                .all(|verb| check_verb(verb, true, false).is_none())
        );
        assert!(check_verb("a future command", true, false).is_some());
    }

    #[test]
    fn a_read_only_profile_rejects_what_it_would_write() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("gantry");
        std::fs::create_dir(&folder).unwrap();
        let profiles = "profile = \"wall\"\n[profiles.wall]\nbase_url = \"https://a.example/api/v1\"\nread_only = true\n\
                        [profiles.own]\nbase_url = \"https://a.example/api/v1\"\n";
        std::fs::write(folder.join("config.toml"), profiles).unwrap();
        let env =
            |name: &str| (name == "XDG_CONFIG_HOME").then(|| home.path().display().to_string());
        let error = |line: &str, verb_path: &str| {
            let args = <Args as clap::Parser>::try_parse_from(line.split(' ')).unwrap();
            check_read_only(
                &Args {
                    verb_path: verb_path.to_owned(),
                    ..args
                },
                &env,
            )
            .err()
            .and_then(|error| error.message)
        };
        let why =
            "the profile wall is read-only and gantry queue triage makes changes; nothing was done";
        assert_eq!(
            error("gantry queue triage done x", "queue triage").as_deref(),
            Some(why)
        );
        for (line, verb_path) in [
            ("gantry queue list", "queue list"),
            ("gantry --profile own queue triage done x", "queue triage"),
            ("gantry --demo queue triage done x", "queue triage"),
            ("gantry logout own", "logout"),
        ] {
            assert_eq!(error(line, verb_path), None, "{line}");
        }
    }
}

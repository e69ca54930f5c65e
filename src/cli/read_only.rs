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
const READ_ONLY_VERBS: &[&str] = &[
    "queue list",
    "queue stats",
    "queue snoozed",
    "triage", // it rejects each answer that would write
    "signals list",
    "signals show",
    "data search",
    "data show",
    "data fields",
    "data filters",
    "data ask",
    "data saved list",
    "data saved run",
    "data saved count",
    "book search",
    "book show",
    "book accounts search",
    "book accounts show",
    "book contacts search",
    "book contacts show",
    "book projects search",
    "book projects show",
    "views list",
    "views show",
    "views search",
    "favorites list",
    "subscriptions list",
    "skills list",
    "skills find",
    "skills show",
    "skills file",
    "skills revisions",
    "members list",
    "invitations list",
    "team status",
    "workspace",
    "credits",
    "credits show",
    "credits ledger",
    "credits settle",
    "log",
    "log show",
    "log path",
    "handoff",
    "watch",
    "profile",
    "profile list",
    "profile show",
    "open",
    "cache show",
    "layouts list",
    "layouts show",
    "paths",
    "config path",
    "config show",
    "config get",
    "config check",
    "config schema",
    "doctor",
    "keys",
    "commands",
    "help",
    "version",
    "man",
    "completions",
];

/// The commands that do not use the profile's service: a read-only profile does not concern them.
const VERBS_WITHOUT_PROFILE: &[&str] = &[
    "serve",
    "import",
    "migrate",
    "join",
    "team up",
    "login",
    "logout",
    "credits budget",
    "cache clear",
    "config edit",
    "config set",
    "config unset",
    "profile use",
    "install completions",
    "install man",
    "install unit",
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
    } else if VERBS_WITHOUT_PROFILE.contains(&args.verb_path.as_str()) {
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
    READ_ONLY_VERBS.contains(&verb_path)
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

    #[test]
    fn every_verb_is_listed_as_reading_or_writing() {
        let there: BTreeSet<_> = verb_paths(&Args::command(), "").into_iter().collect();
        let known: BTreeSet<_> = READ_ONLY_VERBS
            .iter()
            .chain(WRITE_VERBS)
            .map(|&verb| verb.to_owned())
            .collect();
        assert_eq!(
            there, known,
            "add a new command to READ_ONLY_VERBS or to WRITE_VERBS"
        );
        assert_eq!(
            known.len(),
            READ_ONLY_VERBS.len() + WRITE_VERBS.len(),
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
            READ_ONLY_VERBS
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

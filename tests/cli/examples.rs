//! Every command's help has an example, and every example that needs no further setup works.

use std::process::Command;

use clap::CommandFactory;
use gantry::cli::args::Args;

use crate::spawned_service::SpawnedService;

/// The commands without subcommands, by path, with the text below their help.
pub fn all_verbs(command: &clap::Command, path: &str) -> Vec<(String, String)> {
    let shown = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    let inner: Vec<_> = shown
        .flat_map(|verb| all_verbs(verb, &format!("{path} {}", verb.get_name())))
        .collect();
    if inner.is_empty() {
        let help = command
            .get_after_help()
            .map(ToString::to_string)
            .unwrap_or_default();
        return vec![(path.to_owned(), help)];
    }
    inner
}

pub fn examples_in_help(help: &str) -> impl Iterator<Item = &str> {
    let lines = help
        .lines()
        .map(|line| line.trim_start_matches("Example:").trim());
    lines.filter(|line| line.contains("gantry ") && !line.ends_with(':'))
}

#[test]
fn every_verb_has_an_example_using_it() {
    for (path, help) in all_verbs(&Args::command(), "gantry") {
        let verb = path.rsplit(' ').next().unwrap();
        assert!(
            examples_in_help(&help).any(|example| example.contains(verb)),
            "{path} has no example: {help}"
        );
    }
}

/// They share one service, so that they take seconds; the next test covers `--demo` itself.
#[test]
fn every_demo_example_runs() {
    let served = SpawnedService::start(&[]);
    let mut failed = Vec::new();
    for (_, help) in all_verbs(&Args::command(), "gantry") {
        for example in examples_in_help(&help).filter(|example| {
            example.contains("--demo") || matches!(*example, "gantry keys" | "gantry man")
        }) {
            let output = served.run(&example.replace(" --demo", ""));
            if !output.status.success() || output.stdout.is_empty() {
                let message = String::from_utf8_lossy(&output.stderr);
                failed.push(format!(
                    "{example}\n    {:?} {}",
                    output.status.code(),
                    message.trim()
                ));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn the_demo_needs_no_configuration() {
    let output = Command::new(env!("CARGO_BIN_EXE_gantry"))
        .args(["--demo", "queue", "stats", "--json"])
        .env_clear()
        .output()
        .unwrap();
    let stats: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(
        output.status.success() && stats["new_count"].as_u64() > Some(0),
        "{stats}"
    );
}

//! The verbs for scripts: arguments to client to stdout.
//!
//! Data goes to stdout and nothing else does; notes and the one line of an error go to stderr; the exit status says what kind of
//! end it was. Never here: a URL, a terminal's modes, the console.

use std::process::ExitCode;

use clap::CommandFactory;

pub mod args;

use args::{Args, Verb};

/// A row of the console's command table, as `gantry keys` prints it. `main` fills it in: this layer does not know the console.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct KeyRow {
    /// The command's id (`queue.done`).
    pub id: String,
    /// The keys that run it, as a person types them, separated by spaces.
    pub keys: String,
    /// Its title.
    pub title: String,
    /// What it does, in a sentence.
    pub sentence: String,
    /// Where it holds: the pane or overlay.
    pub place: String,
}

/// Runs a verb to its end and gives the exit status (0 done, 1 refused or failed in part, 2 wrong usage, 3 not signed in or not
/// allowed, 4 not found, 5 not reached, 130 interrupted). Without a verb there is nothing to do: the console is `main`'s.
pub async fn run(args: Args, _keys: Vec<KeyRow>) -> ExitCode {
    match args.verb {
        None => ExitCode::SUCCESS,
        Some(Verb::Completions { shell }) => {
            clap_complete::generate(shell, &mut Args::command(), "gantry", &mut std::io::stdout());
            ExitCode::SUCCESS
        }
    }
}

//! The verbs for scripts: arguments to client to stdout.
//!
//! Data goes to stdout and nothing else does; notes and the one line of an error go to stderr; the exit status says what kind of
//! end it was. A row is printed as the service sent it: a field that this program does not know is in the JSON all the same.
//!
//! Never here: a URL, a terminal's modes, the console.

use std::process::ExitCode;
use std::sync::OnceLock;
use std::time::Duration;

use crate::config::{self, Paths};
use crate::store::Store;

mod api;
pub mod args;
mod batch;
mod book;
mod cell_format;
mod columns;
mod completions;
mod credits;
mod data;
mod dry_run;
mod exit;
mod ids;
mod import;
mod journal;
mod json_lines;
pub mod linear;
mod man;
mod output;
mod paging;
mod print;
mod profiles;
mod progress;
mod queue;
mod read_only;
mod search_args;
mod serve;
mod session;
mod signals;
mod skills;
mod stdin;
mod subscriptions;
mod team;
mod triage;
mod unchanged_signals;
mod views;
mod vocabulary_cache;
pub mod watch;

pub use completions::answer_completion_request as complete;

use args::{Args, CliCommand};
use exit::CliError;
use output::Output;
use session::Session;

/// A row of the console's command table, as `gantry keys` prints it. `main` makes it of the `[keys]` of the configuration: this layer
/// does not know the console.
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

/// The console's commands with the keys that the person wants.
#[derive(Clone, Debug, Default)]
pub struct KeyTable {
    /// A row a command.
    pub rows: Vec<KeyRow>,
    /// What is wrong with the wishes, each on one line with its place.
    pub problems: Vec<String>,
}

/// What this run writes down outlives it: the store that the verb opened, closed at the end however that comes.
pub(crate) type StoreCell = OnceLock<Store>;

/// The disk has so long at the end.
const CLI_STORE_CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// Runs a verb to its end and gives the exit status (0 done, 1 refused or failed in part, 2 wrong usage, 3 not signed in or not
/// allowed, 4 not found, 5 not reached, 130 interrupted). Without a verb there is nothing to do: the console is `main`'s.
pub async fn run(args: Args, keys: fn(config::KeySettings) -> KeyTable) -> ExitCode {
    if let Err(CliError { exit_status: status, message: line }) = read_only::check_read_only(&args) {
        print::write_note(&line);
        return ExitCode::from(status);
    }
    let kept = StoreCell::default();
    let ended = match &args.verb {
        // They have their own end for a signal.
        Some(CliCommand::Serve(serve)) => serve::run(serve, &args).await,
        Some(CliCommand::Import(import)) => import::run(import, Output::from_args(&args)).await,
        _ => tokio::select! {
            // The signal is listened for before the verb begins: one right after a prompt would end the program as it stands.
            biased;
            _ = tokio::signal::ctrl_c() => {
                let so_far = progress::progress_text();
                let line = if so_far.is_empty() { "stopped".to_owned() } else { format!("stopped: {so_far}") };
                Err(CliError::new(exit::EXIT_INTERRUPTED, line))
            }
            ended = run_verb(&args, keys, &kept) => ended,
        },
    };
    if let Some(store) = kept.get() {
        store.close(CLI_STORE_CLOSE_TIMEOUT);
        store.take_notices().iter().for_each(|note| print::write_note(note));
    }
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(CliError { exit_status: status, message: line }) => {
            if !line.is_empty() {
                print::write_note(&line);
            }
            ExitCode::from(status)
        }
    }
}

async fn run_verb(args: &Args, keys: fn(config::KeySettings) -> KeyTable, kept: &StoreCell) -> Result<(), CliError> {
    let output = Output::from_args(args);
    match &args.verb {
        None => return Ok(()),
        Some(CliCommand::Login(_)) => return profiles::login(args, output).await,
        Some(CliCommand::Logout(logout)) => return profiles::logout(logout, output),
        Some(CliCommand::Profiles) => return profiles::list_profiles(output),
        Some(CliCommand::Doctor) => return profiles::run_doctor(args, keys, kept, output).await,
        Some(CliCommand::Log(window)) => return journal::print_log(window, args, kept, output).await,
        Some(CliCommand::Credits(credits)) if credits.is_local() => return credits::run_local(credits, args, kept, output).await,
        Some(CliCommand::Man(man)) => return man::run(man),
        Some(CliCommand::Members(team::MembersCommand::Add(add))) => return team::add_member(add, args, output),
        Some(CliCommand::Keys) => {
            let keys = keys(config::load_keys(&Paths::from_env(&config::process_env))?);
            keys.problems.iter().for_each(|problem| print::write_note(problem));
            let rows: Vec<_> = keys.rows.iter().map(output::to_raw_json).collect::<Result<_, _>>()?;
            return output.print_rows(&rows, columns::KEY_COLUMNS);
        }
        Some(CliCommand::Completions { shell }) => {
            return Ok(print::write_data(&completions::registration_script(*shell)?)?);
        }
        _ => {}
    }
    let desk = Session::open(args, kept).await?;
    let client = &desk.client;
    let ended = match &args.verb {
        Some(CliCommand::Queue(verb)) => queue::run(verb, client, output).await,
        Some(CliCommand::Triage(triage)) => linear::run(triage, args, &desk).await,
        Some(CliCommand::Signals(verb)) => signals::run(verb, client, output).await,
        Some(CliCommand::Data(verb)) => data::run(verb, &desk, output).await,
        Some(CliCommand::Book(verb)) => book::run(verb, client, output).await,
        Some(CliCommand::Views(verb)) => views::run(verb, &desk, output).await,
        Some(CliCommand::Favorites(verb)) => views::run_favorites(verb, client, output).await,
        Some(CliCommand::Subscriptions(verb)) => subscriptions::run(verb, client, output).await,
        Some(CliCommand::Skills(verb)) => skills::run(verb, client, output).await,
        Some(CliCommand::Members(verb)) => team::run_members(verb, client, output).await,
        Some(CliCommand::Invitations(verb)) => team::run_invitations(verb, client, output).await,
        Some(CliCommand::Workspace) => team::print_workspace(client, output).await,
        Some(CliCommand::Credits(verb)) => credits::run(verb, &desk, output).await,
        Some(CliCommand::Handoff(window)) => journal::print_handoff(window, &desk, output).await,
        Some(CliCommand::Watch(watch)) => watch::run(watch, &desk, output).await,
        Some(CliCommand::Api(request)) => api::run(request, client, output).await,
        // All else is done by now.
        _ => Ok(()),
    };
    desk.close().await;
    ended
}

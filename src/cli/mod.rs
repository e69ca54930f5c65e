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
mod cells;
mod columns;
mod complete;
mod credits;
mod data;
mod desk;
mod dry;
mod ids;
mod import;
mod journal;
pub mod linear;
mod man;
mod narrow;
mod objects;
mod output;
mod paging;
mod print;
mod profiles;
mod progress;
mod queue;
mod read_only;
mod serve;
mod signals;
mod skills;
mod stdin;
mod stop;
mod subscriptions;
mod team;
mod triage;
mod unchanged;
mod views;
mod vocabulary;
pub mod watch;

pub use complete::answer as complete;

use args::{Args, Verb};
use desk::Desk;
use output::Output;
use stop::Stop;

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
pub struct Keys {
    /// A row a command.
    pub rows: Vec<KeyRow>,
    /// What is wrong with the wishes, each on one line with its place.
    pub problems: Vec<String>,
}

/// What this run writes down outlives it: the store that the verb opened, closed at the end however that comes.
pub(crate) type Kept = OnceLock<Store>;

/// The disk has so long at the end.
const CLOSING: Duration = Duration::from_secs(5);

/// Runs a verb to its end and gives the exit status (0 done, 1 refused or failed in part, 2 wrong usage, 3 not signed in or not
/// allowed, 4 not found, 5 not reached, 130 interrupted). Without a verb there is nothing to do: the console is `main`'s.
pub async fn run(args: Args, keys: fn(config::KeySettings) -> Keys) -> ExitCode {
    if let Err(Stop { status, line }) = read_only::check(&args) {
        print::note(&line);
        return ExitCode::from(status);
    }
    let kept = Kept::default();
    let ended = match &args.verb {
        // They have their own end for a signal.
        Some(Verb::Serve(serve)) => serve::run(serve, &args).await,
        Some(Verb::Import(import)) => import::run(import, Output::of(&args)).await,
        _ => tokio::select! {
            // The signal is listened for before the verb begins: one right after a prompt would end the program as it stands.
            biased;
            _ = tokio::signal::ctrl_c() => {
                let so_far = progress::so_far();
                let line = if so_far.is_empty() { "stopped".to_owned() } else { format!("stopped: {so_far}") };
                Err(Stop::new(stop::INTERRUPTED, line))
            }
            ended = verb(&args, keys, &kept) => ended,
        },
    };
    if let Some(store) = kept.get() {
        store.close(CLOSING);
        store.notes().iter().for_each(|note| print::note(note));
    }
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(Stop { status, line }) => {
            if !line.is_empty() {
                print::note(&line);
            }
            ExitCode::from(status)
        }
    }
}

async fn verb(args: &Args, keys: fn(config::KeySettings) -> Keys, kept: &Kept) -> Result<(), Stop> {
    let output = Output::of(args);
    match &args.verb {
        None => return Ok(()),
        Some(Verb::Login(_)) => return profiles::login(args, output).await,
        Some(Verb::Logout(logout)) => return profiles::logout(logout, output),
        Some(Verb::Profiles) => return profiles::list(output),
        Some(Verb::Doctor) => return profiles::doctor(args, keys, kept, output).await,
        Some(Verb::Log(window)) => return journal::log(window, args, kept, output).await,
        Some(Verb::Credits(credits)) if credits.is_local() => return credits::local(credits, args, kept, output).await,
        Some(Verb::Man(man)) => return man::run(man),
        Some(Verb::Members(team::Members::Add(add))) => return team::add(add, args, output),
        Some(Verb::Keys) => {
            let keys = keys(config::load_keys(&Paths::from_env(&config::process_env))?);
            keys.problems.iter().for_each(|problem| print::note(problem));
            let rows: Vec<_> = keys.rows.iter().map(output::raw).collect::<Result<_, _>>()?;
            return output.rows(&rows, columns::KEYS);
        }
        Some(Verb::Completions { shell }) => {
            return Ok(print::data(&complete::script(*shell)?)?);
        }
        _ => {}
    }
    let desk = Desk::open(args, kept).await?;
    let client = &desk.client;
    let ended = match &args.verb {
        Some(Verb::Queue(verb)) => queue::run(verb, client, output).await,
        Some(Verb::Triage(triage)) => linear::run(triage, args, &desk).await,
        Some(Verb::Signals(verb)) => signals::run(verb, client, output).await,
        Some(Verb::Data(verb)) => data::run(verb, &desk, output).await,
        Some(Verb::Book(verb)) => book::run(verb, client, output).await,
        Some(Verb::Views(verb)) => views::run(verb, &desk, output).await,
        Some(Verb::Favorites(verb)) => views::run_favorites(verb, client, output).await,
        Some(Verb::Subscriptions(verb)) => subscriptions::run(verb, client, output).await,
        Some(Verb::Skills(verb)) => skills::run(verb, client, output).await,
        Some(Verb::Members(verb)) => team::members(verb, client, output).await,
        Some(Verb::Invitations(verb)) => team::invitations(verb, client, output).await,
        Some(Verb::Workspace) => team::workspace(client, output).await,
        Some(Verb::Credits(verb)) => credits::run(verb, &desk, output).await,
        Some(Verb::Handoff(window)) => journal::handoff(window, &desk, output).await,
        Some(Verb::Watch(watch)) => watch::run(watch, &desk, output).await,
        Some(Verb::Api(request)) => api::run(request, client, output).await,
        // All else is done by now.
        _ => Ok(()),
    };
    desk.close().await;
    ended
}

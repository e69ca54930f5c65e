//! The commands for scripts: arguments → client → stdout.
//!
//! Only data goes to stdout; notes and the one-line error go to stderr; the exit status gives the
//! kind of result. A row is printed as the service sent it, so that the JSON keeps fields that this
//! program does not know.
//!
//! Never here: URLs, terminal modes, the console.

use std::process::ExitCode;

use clap::CommandFactory as _;

use crate::config;
use crate::domain::exit_status;

mod aging;
mod aliases;
mod api;
pub mod args;
mod batch;
mod book;
mod book_import;
mod brief;
mod cache;
mod cell_format;
mod columns;
mod command_groups;
mod command_list;
mod completions;
mod config_schema;
mod confirm;
mod credits;
mod data;
mod database;
mod dry_run;
mod error;
mod handoff;
mod help;
mod ids;
mod import;
mod import_args;
mod import_dialog;
mod import_file;
mod import_follow;
mod import_report;
mod install;
mod join;
mod journal;
mod jq;
mod json_lines;
mod keyring;
mod keys;
mod layouts;
pub(crate) mod linear;
mod list_args;
mod login;
mod man;
mod members;
mod migrate;
mod names;
pub mod open;
mod options;
mod output;
mod pager;
mod paging;
mod print;
mod profiles;
mod progress;
mod promise;
mod queue;
mod read_only;
mod record_annotation;
mod row_template;
mod running_service;
mod saved;
mod search_args;
mod serve;
mod session;
mod setup;
mod signals;
mod skills;
mod snooze;
mod stdin;
mod subscriptions;
mod suggestions;
mod table;
mod team;
mod team_up;
mod time_args;
mod topics;
mod transform;
mod triage;
mod type_args;
mod unchanged_signals;
mod usage;
mod views;
mod vocabulary_cache;
pub(crate) mod watch;
mod watch_alerts;
mod word_args;

pub use error::{CliError, locate_token};
pub use keys::{KeyRow, KeyTable};

use args::{Args, CliCommand};
use output::Output;
use session::{STORE_CLOSE_TIMEOUT, Session, StoreCell};

/// What commands need of the console, on which this layer does not depend.
#[derive(Clone, Copy)]
pub struct ConsoleTools {
    /// The console's commands with the user's keys.
    pub key_table: fn(config::ConsoleTexts) -> KeyTable,
    /// Runs a program that alerts the room.
    pub run_alert: watch_alerts::RunAlert,
}

/// Answers a shell's completion request and exits; returns if there is none.
pub fn complete() {
    completions::answer_completion_request(|| aliases::add_aliases(Args::command()));
}

/// Runs a command and returns the exit status (0 done, 1 rejected or partly failed, 2 usage error,
/// 3 not signed in or not allowed, 4 not found, 5 service unreachable, 130 interrupted). Does
/// nothing without a command: `launch` opens the console.
pub async fn run(args: Args, tools: ConsoleTools) -> ExitCode {
    if let Err(error) = read_only::check_read_only(&args, &config::process_env) {
        return error.report();
    }
    // Tables show dates and numbers as the configuration says.
    config::load_display(&config::Paths::from_env(&config::process_env)).apply();
    let store_cell = StoreCell::default();
    let output = match Output::from_options(&args.options) {
        Ok(output) => output,
        Err(error) => return error.report(),
    };
    let is_login = matches!(args.verb, Some(CliCommand::Login(_)));
    let ended = match &args.verb {
        // These handle signals themselves.
        Some(CliCommand::Serve(serve)) => serve::run(serve, &args.options).await,
        Some(CliCommand::Team(team::TeamCommand::Up(up))) => team_up::run(up, &args.options).await,
        Some(CliCommand::Import(import)) => import::run(import, output).await,
        _ => tokio::select! {
            // Polled first, so that the handler is installed before the command starts: a ^C right
            // after a prompt would otherwise kill the process without a message.
            biased;
            _ = tokio::signal::ctrl_c() => {
                let so_far = progress::progress_text();
                let line = if so_far.is_empty() { "stopped".to_owned() } else { format!("stopped: {so_far}") };
                Err(CliError::new(exit_status::INTERRUPTED, line))
            }
            ended = run_verb(&args, tools, output, &store_cell) => ended,
        },
    };
    if let Some(store) = store_cell.get() {
        store.close(STORE_CLOSE_TIMEOUT);
        store
            .take_notices()
            .iter()
            .for_each(|note| print::write_note(note));
    }
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        // The token of a login is typed, not read from a profile.
        Err(error) if is_login => error.report(),
        Err(error) => error.explain_token(&args.options.to_cli_options()).report(),
    }
}

async fn run_verb(
    args: &Args,
    tools: ConsoleTools,
    output: Output,
    store_cell: &StoreCell,
) -> Result<(), CliError> {
    let ConsoleTools {
        key_table,
        run_alert,
    } = tools;
    let options = &args.options;
    match &args.verb {
        None => return Ok(()),
        Some(CliCommand::Join(join)) => return join::run(join, options, output).await,
        Some(CliCommand::Login(login)) => return login::run(login, options, output).await,
        Some(CliCommand::Logout(logout)) => return profiles::logout(logout, options, output).await,
        Some(CliCommand::Profile(profile)) => return profiles::run(profile, options, output),
        Some(CliCommand::Layouts(verb)) => return layouts::run(verb, output),
        Some(CliCommand::Paths) => return setup::print_paths(output),
        Some(CliCommand::Config(verb)) => {
            return setup::run(verb, options, output, key_table, Args::command);
        }
        Some(CliCommand::Doctor) => {
            return profiles::run_doctor(options, key_table, store_cell, output).await;
        }
        Some(CliCommand::Log(log)) => {
            return journal::run_log(log, options, store_cell, output).await;
        }
        Some(CliCommand::Credits(credits)) if credits.is_local() => {
            return credits::run_local(credits, options, store_cell, output).await;
        }
        Some(CliCommand::Cache(verb)) => {
            return cache::run(verb, options, store_cell, output).await;
        }
        Some(CliCommand::Help(help)) => return help::print_help(help, Args::command()),
        Some(CliCommand::Migrate(migrate)) => return migrate::run(migrate, output).await,
        Some(CliCommand::Version) => return help::print_version(output),
        Some(CliCommand::Man(man)) => return man::run(man, Args::command()),
        Some(CliCommand::Install(install)) => {
            return install::run(install, Args::command(), output);
        }
        Some(CliCommand::Members(members::MembersCommand::Add(add))) => {
            return members::add_member(add, options, output).await;
        }
        Some(CliCommand::Keys) => return keys::run(key_table, output),
        Some(CliCommand::Commands) => return command_list::run(Args::command(), output),
        Some(CliCommand::Completions { shell }) => {
            return Ok(print::write_data(&completions::registration_script(
                *shell,
            )?)?);
        }
        _ => {}
    }
    let session = Session::open(options, &args.verb_path, store_cell, output).await?;
    let ended = match &args.verb {
        Some(CliCommand::Queue(verb)) => queue::run(verb, &session).await,
        Some(CliCommand::Triage(triage)) => linear::run(triage, options, &session).await,
        Some(CliCommand::Signals(verb)) => signals::run(verb, &session).await,
        Some(CliCommand::Data(verb)) => data::run(verb, &session).await,
        Some(CliCommand::Book(verb)) => book::run(verb, &session).await,
        Some(CliCommand::Brief(brief)) => brief::run(brief, &session).await,
        Some(CliCommand::Promise(verb)) => promise::run(verb, &session).await,
        Some(CliCommand::Views(verb)) => views::run(verb, &session).await,
        Some(CliCommand::Favorites(verb)) => views::run_favorites(verb, &session).await,
        Some(CliCommand::Subscriptions(verb)) => subscriptions::run(verb, &session).await,
        Some(CliCommand::Skills(verb)) => skills::run(verb, &session).await,
        Some(CliCommand::Members(verb)) => members::run_members(verb, &session).await,
        Some(CliCommand::Team(verb)) => team::run(verb, &session).await,
        Some(CliCommand::Invitations(verb)) => members::run_invitations(verb, &session).await,
        Some(CliCommand::Workspace) => members::print_workspace(&session).await,
        Some(CliCommand::Credits(verb)) => credits::run(verb, &session).await,
        Some(CliCommand::Handoff(handoff)) => handoff::run(handoff, &session).await,
        Some(CliCommand::Watch(watch)) => watch::run(watch, &session, run_alert).await,
        Some(CliCommand::Api(request)) => api::run(request, &session).await,
        // The others returned above.
        _ => Ok(()),
    };
    session.close().await;
    ended
}

//! Arguments → the console or a command → the exit status.
//!
//! Never here: what a command does (`cli`), what a key does (`app`), terminal modes (`runtime`).

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::cli::CliError;
use crate::cli::args::{Args, CliCommand};
use crate::config::{self, CliOptions, LogLevel};
use crate::platform::processes;
use crate::runtime::configuration_file::ConfigurationFile;
use crate::runtime::event_loop::{EventLoopOptions, ExitReport};
use crate::runtime::external_editor::ExternalEditor;
use crate::runtime::preferences::Preferences;
use crate::runtime::{connect, console_settings, console_texts, log, settings, terminal};
use crate::{app, cli, runtime};
use chrono::Utc;

/// Runs the program with the arguments of this process.
pub fn run() -> ExitCode {
    // Later, this process may not look at itself.
    let program = std::env::current_exe().ok();
    processes::disable_core_dumps();
    cli::complete();
    let args = Args::from_process().or_linear_triage(config::is_accessible(&config::process_env));
    let tokio = match build_runtime(&args) {
        Ok(tokio) => tokio,
        Err(error) => {
            return CliError::failed(format!("cannot start the worker threads: {error}")).report();
        }
    };
    if let Err(error) = tokio.block_on(async { processes::survive_file_size_limit() }) {
        return CliError::failed(format!("cannot handle signals: {error}")).report();
    }
    let status = match args.verb {
        Some(CliCommand::Watch(ref watch)) if !watch.prints_lines(&args.options) => {
            run_console(&tokio, &args.options.to_cli_options(), true, None, program)
        }
        Some(CliCommand::Open(ref open)) => {
            match tokio.block_on(cli::open::find_open_target(&args.options, &open.what)) {
                Ok(target) => run_console(
                    &tokio,
                    &args.options.to_cli_options(),
                    false,
                    Some(start_target(target)),
                    program,
                ),
                Err(error) => error.report(),
            }
        }
        Some(ref verb) => match start_log_of_command(verb) {
            Ok(()) => tokio.block_on(cli::run(
                args,
                cli::ConsoleTools {
                    key_table,
                    run_alert: runtime::program::run_alert_program,
                },
            )),
            Err(error) => error.report(),
        },
        None => {
            let view = args.options.view.clone().map(app::StartTarget::View);
            run_console(&tokio, &args.options.to_cli_options(), false, view, program)
        }
    };
    // Background tasks have nothing left to report: quitting does not wait for the network.
    tokio.shutdown_background();
    status
}

/// A command writes a log file only if `GANTRY_LOG` is set; a service may write to standard error
/// instead.
fn start_log_of_command(command: &CliCommand) -> Result<(), CliError> {
    let state = config::Paths::from_env(&config::process_env).state;
    let level = LogLevel::from_env(&config::process_env).map_err(CliError::usage)?;
    if let Some(format) = command.log_format() {
        log::init_stderr(format, level.unwrap_or_default());
        return Ok(());
    }
    if let (Some(level), Some(state)) = (level, state) {
        log::init(&state, level);
    }
    Ok(())
}

/// A command that calls a service waits more than it works: its own thread is enough. The console
/// has a thread for its requests beside the one that draws, and a service in this process has two.
fn build_runtime(args: &Args) -> std::io::Result<tokio::runtime::Runtime> {
    let has_service = args.options.demo || args.options.local.is_some();
    let mut tokio = match args.verb {
        None | Some(CliCommand::Import(_) | CliCommand::Open(_)) => {
            tokio::runtime::Builder::new_multi_thread()
        }
        Some(ref verb) if verb.is_service() || has_service => {
            tokio::runtime::Builder::new_multi_thread()
        }
        Some(_) => tokio::runtime::Builder::new_current_thread(),
    };
    let is_console = args.verb.is_none() && !has_service;
    tokio
        .worker_threads(if is_console { 1 } else { 2 })
        .enable_all()
        .build()
}

/// The console's commands as data, with the user's key overrides: `cli` does not depend on `app`.
fn key_table(settings: config::ConsoleTexts) -> cli::KeyTable {
    let texts = console_texts::parse(&settings);
    let keymap = app::build_keymap(&texts.key_overrides);
    let row = |rows: Vec<&'static app::command::Command>| {
        let (first, shared) = (rows.first()?, rows.first()?.shared);
        // A place may have keys of its own: those of the others are listed.
        let usual = shared.and_then(|shared| rows.iter().find(|row| row.keys == shared.keys));
        let places: BTreeSet<_> = rows.iter().map(|row| row.scope).collect();
        let places: Vec<_> = places.into_iter().map(|scope| scope.title()).collect();
        Some(cli::KeyRow {
            id: first.common_id().to_owned(),
            keys: keymap.key_names(usual.unwrap_or(first).id).join(", "),
            title: shared.map_or(first.title, |shared| shared.title).to_owned(),
            sentence: shared
                .map_or(first.description, |shared| shared.description)
                .to_owned(),
            place: match places.len() {
                0..=3 => places.join(", "),
                many => format!("{many} places"),
            },
        })
    };
    let problems = keymap.problems().to_vec();
    cli::KeyTable {
        rows: app::command::group_by_command(keymap.commands())
            .into_iter()
            .filter_map(row)
            .collect(),
        problems,
        setting_problems: texts.problems,
    }
}

fn start_target(target: cli::open::OpenTarget) -> app::StartTarget {
    match target {
        cli::open::OpenTarget::View(id) => app::StartTarget::View(id),
        cli::open::OpenTarget::Signal(signal) => app::StartTarget::Signal(signal),
        cli::open::OpenTarget::Record(key, record, credits) => {
            app::StartTarget::Record(key, record, credits)
        }
    }
}

/// Replaces this process by a console with another profile. Variables that name a service or a
/// token would win over the profile.
fn restart_with_profile(program: Option<PathBuf>, options: &CliOptions, name: &str) -> ExitCode {
    let program = program
        .or_else(|| std::env::args_os().next().map(PathBuf::from))
        .unwrap_or_else(|| "gantry".into());
    let mut command = std::process::Command::new(program);
    command.args(["--profile", name]);
    let flags = [
        ("--read-only", options.read_only),
        ("--no-mouse", options.no_mouse),
        ("--ascii", options.ascii),
    ];
    let flags = flags.into_iter().chain([("--no-color", options.no_color)]);
    command.args(flags.filter(|(_, is_set)| *is_set).map(|(flag, _)| flag));
    command.args(options.theme.iter().flat_map(|theme| ["--theme", theme]));
    if let Some(poll) = options.poll {
        command.args(["--poll".to_owned(), format!("{}s", poll.as_secs())]);
    }
    for name in [
        "GANTRY_PROFILE",
        "GANTRY_BASE_URL",
        "GANTRY_TOKEN",
        "GANTRY_TOKEN_FILE",
        "GANTRY_WORKSPACE",
        "GANTRY_CERTIFICATE",
    ] {
        command.env_remove(name);
    }
    let error = processes::replace_process(&mut command);
    CliError::failed(format!("cannot start gantry again: {error}")).report()
}

/// Opens the console; with `watches` only the dashboard.
fn run_console(
    tokio: &tokio::runtime::Runtime,
    options: &CliOptions,
    watches: bool,
    start_at: Option<app::StartTarget>,
    program: Option<PathBuf>,
) -> ExitCode {
    let instead = if watches {
        "watch --plain"
    } else {
        "queue list"
    };
    if let Some(why) = terminal::unsupported_reason() {
        return CliError::usage(format!(
            "the console needs a terminal: {why}; try gantry {instead} or gantry --help"
        ))
        .report();
    }
    let config = match config::resolve_for_console(options, &config::process_env) {
        Ok(config) => config,
        Err(error) => return CliError::from(error).report(),
    };
    let preferences = Preferences::new(config.paths.preferences_file());
    let (settings, mut notes) = console_settings::build_settings(&config, preferences.read());
    let level = LogLevel::from_env(&config::process_env).unwrap_or_else(|why| {
        notes.push(why);
        None
    });
    if let Some(state) = &config.paths.state {
        log::init(state, level.unwrap_or_default());
    }
    let reload_settings = {
        let (options, location, preferences) = (
            options.clone(),
            config.location.clone(),
            preferences.clone(),
        );
        Box::new(move || console_settings::reload_settings(&options, &location, preferences.read()))
    };
    let list_settings = {
        let (options, paths) = (options.clone(), config.paths.clone());
        Box::new(move || settings::list_settings(&paths, &options))
    };
    let start = EventLoopOptions {
        start_at,
        session: app::ConsoleSession {
            label: connect::location_label(&config.location).unwrap_or_default(),
            connected: !matches!(config.location, config::BackendLocation::Unconfigured),
            read_only: config.read_only,
            is_dashboard_only: watches,
        },
        settings,
        connect: connect::target_connector(config.paths.clone(), config.read_only),
        cached_queue: connect::read_cached_queue(&config.paths, &config.location)
            .filter(|_| !watches),
        connect_initially: {
            let (paths, place) = (config.paths.clone(), config.location.clone());
            let read_only = config.read_only;
            Box::new(move || connect::connect_to_location(&paths, place.clone(), read_only))
        },
        queries_terminal: true,
        escape_timeout: config.console.escape_timeout,
        preferences,
        configuration: ConfigurationFile {
            paths: config.paths.clone(),
            problems: notes.clone(),
            reload: reload_settings,
            list: list_settings,
        },
        editor: ExternalEditor::from_env(config.paths.state.clone()),
        now: Utc::now,
        utc_offset: console_settings::local_utc_offset,
    };
    match tokio.block_on(runtime::run_console(start)) {
        Ok(ExitReport {
            status,
            lines,
            next_profile,
        }) => {
            notes
                .iter()
                .chain(&lines)
                .for_each(|line| runtime::print_stderr_line(&cli::locate_token(line, options)));
            match next_profile {
                Some(name) => restart_with_profile(program, options, &name),
                None => ExitCode::from(status),
            }
        }
        Err(error) => CliError::failed(format!("cannot use the terminal: {error}")).report(),
    }
}

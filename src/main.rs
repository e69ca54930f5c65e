//! gantry: arguments → the console or a command → the exit status.
//!
//! Never here: what a command does (`cli`), what a key does (`app`), terminal modes (`runtime`).

use std::collections::BTreeMap;
use std::process::ExitCode;

use chrono::{FixedOffset, Local, Offset as _, Utc};
use gantry::app::command::keymap::{KeyOverride, KeyOverrides};
use gantry::cli::CliError;
use gantry::cli::args::{Args, CliCommand};
use gantry::config::{self, CliOptions, Config};
use gantry::domain::exit_status;
use gantry::domain::queue_tabs::SavedTab;
use gantry::runtime::event_loop::{EventLoopOptions, ExitReport};
use gantry::runtime::external_editor::ExternalEditor;
use gantry::runtime::preferences::Preferences;
use gantry::runtime::{connect, log, terminal};
use gantry::ui::{Background, ColorDepth, ColorScheme, Theme};
use gantry::{app, cli, runtime};

fn main() -> ExitCode {
    runtime::disable_core_dumps();
    cli::complete();
    let args = Args::from_process().or_linear_triage(config::is_accessible(&config::process_env));
    let tokio = match build_runtime(&args) {
        Ok(tokio) => tokio,
        Err(error) => return CliError::new(exit_status::FAILED, format!("cannot start the worker threads: {error}")).report(),
    };
    let status = match args.verb {
        Some(CliCommand::Watch(ref watch)) if !watch.prints_lines(&args.options) => {
            run_console(&tokio, &args.options.to_cli_options(), true)
        }
        Some(_) => tokio.block_on(cli::run(args, key_table)),
        None => run_console(&tokio, &args.options.to_cli_options(), false),
    };
    // Background tasks have nothing left to report: quitting does not wait for the network.
    tokio.shutdown_background();
    status
}

/// A command that calls a service waits more than it works: its own thread is enough. The console has a thread for its requests
/// beside the one that draws, and a service in this process has two.
fn build_runtime(args: &Args) -> std::io::Result<tokio::runtime::Runtime> {
    let has_service = args.options.demo || args.options.local.is_some();
    let mut tokio = match args.verb {
        None | Some(CliCommand::Serve(_) | CliCommand::Import(_)) => tokio::runtime::Builder::new_multi_thread(),
        Some(_) if has_service => tokio::runtime::Builder::new_multi_thread(),
        Some(_) => tokio::runtime::Builder::new_current_thread(),
    };
    let is_console = args.verb.is_none() && !has_service;
    tokio.worker_threads(if is_console { 1 } else { 2 }).enable_all().build()
}

/// The console's commands as data, with the user's key overrides: `cli` does not depend on `app`.
fn key_table(settings: config::KeySettings) -> cli::KeyTable {
    let keymap = app::build_keymap(&key_overrides(settings));
    let row = |command: &'static app::command::Command| cli::KeyRow {
        id: command.id.to_owned(),
        keys: keymap.key_names(command.id).join(", "),
        title: command.title.to_owned(),
        sentence: command.description.to_owned(),
        place: command.scope.title().to_owned(),
    };
    cli::KeyTable { rows: app::all_commands().map(row).collect(), problems: keymap.problems().to_vec() }
}

fn key_overrides(keys: config::KeySettings) -> KeyOverrides {
    let change = |row: config::KeyOverrideSetting| KeyOverride { id: row.id, keys: row.keys, defined_at: row.defined_at };
    KeyOverrides { preset: keys.preset, overrides: keys.overrides.into_iter().map(change).collect() }
}

/// Opens the console; with `watches` only the dashboard.
fn run_console(tokio: &tokio::runtime::Runtime, options: &CliOptions, watches: bool) -> ExitCode {
    let instead = if watches { "watch --plain" } else { "queue list" };
    if let Some(why) = terminal::unsupported_reason() {
        return CliError::usage(format!("the console needs a terminal: {why}; try gantry {instead} or gantry --help")).report();
    }
    let config = match config::resolve(options, &config::process_env) {
        Ok(config) => config,
        Err(error) => return CliError::from(error).report(),
    };
    if config.paths.state.is_absolute() {
        log::init(&config.paths.state);
    }
    let mut notes = config.warnings.clone();
    let (queue_tabs, wrong_tabs) = connect::queue_tabs_from_config(&config.queue_tabs);
    notes.extend(wrong_tabs);
    let preferences = Preferences::new(config.paths.preferences_file());
    let start = EventLoopOptions {
        session: app::ConsoleSession {
            label: connect::location_label(&config.location).unwrap_or_default(),
            connected: !matches!(config.location, config::BackendLocation::Unconfigured),
            read_only: config.console.read_only,
            is_dashboard_only: watches,
        },
        settings: console_settings(&config, preferences.read(), queue_tabs),
        connect: connect::target_connector(config.paths.clone(), config.console.read_only),
        cached_queue: connect::read_cached_queue(&config.paths, &config.location).filter(|_| !watches),
        initial_connection: connect::connect_to_location(&config.paths, config.location.clone(), config.console.read_only),
        queries_background: true,
        preferences,
        config_paths: config.paths.clone(),
        editor: ExternalEditor::from_env(Some(config.paths.state.clone()).filter(|state| state.is_absolute())),
        now: Utc::now,
        utc_offset: local_utc_offset,
    };
    match tokio.block_on(runtime::run_console(start)) {
        Ok(ExitReport { status, lines }) => {
            notes.iter().chain(&lines).for_each(|line| runtime::print_stderr_line(line));
            ExitCode::from(status)
        }
        Err(error) => CliError::new(exit_status::FAILED, format!("cannot use the terminal: {error}")).report(),
    }
}

fn console_settings(config: &Config, saved: BTreeMap<String, String>, queue_tabs: Vec<SavedTab>) -> app::AppSettings {
    let console = &config.console;
    app::AppSettings {
        theme: select_theme(config, &saved),
        is_theme_overridden: console.theme.is_some(),
        key_overrides: key_overrides(config.keys.clone()),
        preferences: saved,
        queue_tabs,
        after_triage: match console.advance {
            config::AdvanceSetting::Next => app::AfterTriage::Next,
            config::AdvanceSetting::Stay => app::AfterTriage::Stay,
            config::AdvanceSetting::Back => app::AfterTriage::Back,
        },
        poll_interval: console.poll,
        mouse_enabled: console.mouse,
        preview_enabled: console.preview,
        has_first_run_card: console.first_run,
        is_sample: matches!(config.location, config::BackendLocation::Local { file: None, .. }),
        budgets: connect::budgets_from_config(config.budgets),
        utc_offset: local_utc_offset(),
        is_clock_simulated: matches!(config.location, config::BackendLocation::Local { as_of: Some(_), .. }),
        dashboard: dashboard_settings(&config.dashboard),
    }
}

fn dashboard_settings(watch: &config::DashboardSettings) -> app::DashboardOptions {
    let page = |page: &config::DashboardPageKind| match page {
        config::DashboardPageKind::Counts => app::DashboardPage::Counts,
        config::DashboardPageKind::Waiting => app::DashboardPage::Waiting,
        config::DashboardPageKind::Team => app::DashboardPage::Team,
    };
    app::DashboardOptions { pages: watch.pages.iter().map(page).collect(), hides_names: watch.hide_names }
}

/// The configured theme, or else the one saved by an earlier session; the same for the background, until the terminal reports it.
fn select_theme(config: &Config, saved: &BTreeMap<String, String>) -> Theme {
    let configured = config.console.theme.map(|theme| match theme {
        config::ThemeName::Auto => ColorScheme::Auto,
        config::ThemeName::Dark => ColorScheme::Dark,
        config::ThemeName::Light => ColorScheme::Light,
        config::ThemeName::HighContrast => ColorScheme::HighContrast,
        config::ThemeName::ColorBlind => ColorScheme::ColorBlind,
        config::ThemeName::Terminal => ColorScheme::Terminal,
    });
    Theme {
        scheme: configured.or(saved.get("theme").and_then(|name| ColorScheme::from_name(name))).unwrap_or_default(),
        background: match config.light_background {
            Some(true) => Background::Light,
            Some(false) => Background::Dark,
            None if saved.contains_key(app::BACKGROUND_PREFERENCE) => Background::Light,
            None => Background::Dark,
        },
        depth: match config.color_support {
            config::ColorSupport::None => ColorDepth::None,
            config::ColorSupport::Ansi16 => ColorDepth::Ansi16,
            config::ColorSupport::Indexed256 => ColorDepth::Indexed256,
            config::ColorSupport::TrueColor => ColorDepth::TrueColor,
        },
        ascii: config.console.ascii,
    }
}

/// The local time zone's current offset from UTC.
fn local_utc_offset() -> FixedOffset {
    Local::now().offset().fix()
}

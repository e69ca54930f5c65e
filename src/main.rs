//! gantry: arguments → the console or a verb → the exit status.
//!
//! Never here: what a verb does (`cli`), what a key does (`app`), a mode of the terminal (`runtime`).

use std::collections::BTreeMap;
use std::process::ExitCode;

use chrono::{FixedOffset, Local, Offset as _, Utc};
use gantry::app::command::Keymap;
use gantry::app::command::keymap::{Change, Wishes};
use gantry::cli::args::{Args, Verb};
use gantry::config::{self, Config, Options};
use gantry::runtime::console::{Ended, Start};
use gantry::runtime::editor::Editor;
use gantry::runtime::preferences::Preferences;
use gantry::runtime::{connect, log, terminal};
use gantry::ui::{Depth, Ground, Scheme, Theme};
use gantry::{app, cli, runtime};

fn main() -> ExitCode {
    runtime::no_core_dumps();
    cli::complete();
    let args = Args::read().or_linear(config::is_accessible(&config::process_env));
    let tokio = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(tokio) => tokio,
        Err(error) => return fail(1, &format!("no threads can be started: {error}")),
    };
    let status = match args.verb {
        Some(Verb::Watch(ref watch)) if !watch.prints_lines(&args) => console(&tokio, &args.options(), true),
        Some(_) => tokio.block_on(cli::run(args, keys)),
        None => console(&tokio, &args.options(), false),
    };
    // What still runs has nothing to say any more: quitting does not wait for the network.
    tokio.shutdown_background();
    status
}

/// The console's commands as data, with the keys that the person wants: the verbs do not know the console.
fn keys(wanted: config::Keys) -> cli::Keys {
    let keymap = Keymap::of(&wishes(wanted));
    let row = |command: &app::command::Command| cli::KeyRow {
        id: command.id.to_owned(),
        keys: keymap.names(command.id).join(", "),
        title: command.title.to_owned(),
        sentence: command.sentence.to_owned(),
        place: command.scope.title().to_owned(),
    };
    cli::Keys { rows: app::command::table().map(row).collect(), problems: keymap.problems().to_vec() }
}

fn wishes(keys: config::Keys) -> Wishes {
    let change = |row: config::Rebound| Change { id: row.id, keys: row.keys, at: row.at };
    Wishes { preset: keys.preset, changes: keys.rebound.into_iter().map(change).collect() }
}

/// Opens the console; with `watches` its wallboard and nothing else.
fn console(tokio: &tokio::runtime::Runtime, options: &Options, watches: bool) -> ExitCode {
    let instead = if watches { "watch --plain" } else { "queue list" };
    if let Some(why) = terminal::unfit() {
        return fail(2, &format!("the console needs a terminal: {why}; try gantry {instead}, or gantry --help"));
    }
    let config = match config::resolve(options, &config::process_env) {
        Ok(config) => config,
        Err(wrong) => return fail(2, &wrong.to_string()),
    };
    if config.paths.state.is_absolute() {
        log::start(&config.paths.state);
    }
    let notes = config.notes.clone();
    let preferences = Preferences::new(config.paths.preferences_file());
    let start = Start {
        session: app::Session {
            label: connect::label(&config.place).unwrap_or_default(),
            connected: !matches!(config.place, config::Place::Nowhere),
            read_only: config.console.read_only,
            watches,
        },
        settings: settings(&config, preferences.read()),
        connect: connect::to_target(config.paths.clone(), config.console.read_only),
        last: connect::last_queue(&config.paths, &config.place).filter(|_| !watches),
        opening: connect::to_place(&config.paths, config.place, config.console.read_only),
        preferences,
        editor: Editor::of_environment(Some(config.paths.state.clone()).filter(|state| state.is_absolute())),
        now: Utc::now,
        offset,
    };
    match tokio.block_on(runtime::open(start)) {
        Ok(Ended { status, lines }) => {
            notes.iter().chain(&lines).for_each(|line| runtime::say(line));
            ExitCode::from(status)
        }
        Err(error) => fail(1, &format!("the terminal cannot be used: {error}")),
    }
}

fn settings(config: &Config, kept: BTreeMap<String, String>) -> app::Settings {
    let console = &config.console;
    app::Settings {
        theme: theme(config, kept.get("theme").and_then(|name| Scheme::named(name))),
        theme_is_said: console.theme.is_some(),
        keys: wishes(config.keys.clone()),
        kept,
        advance: match console.advance {
            config::Advance::Next => app::Advance::Next,
            config::Advance::Stay => app::Advance::Stay,
            config::Advance::Back => app::Advance::Back,
        },
        poll: console.poll,
        mouse: console.mouse,
        preview: console.preview,
        budgets: connect::budgets(config.budgets),
        utc_offset: offset(),
        as_of: matches!(config.place, config::Place::Local { as_of: Some(_), .. }),
        wall: wall(&config.watch),
    }
}

fn wall(watch: &config::Watch) -> app::Wall {
    let page = |page: &config::Page| match page {
        config::Page::Counts => app::WallPage::Counts,
        config::Page::Waiting => app::WallPage::Waiting,
        config::Page::Team => app::WallPage::Team,
    };
    app::Wall { pages: watch.pages.iter().map(page).collect(), hides_names: watch.hide_names }
}

/// What was said of the colours, else what was kept of an earlier session.
fn theme(config: &Config, kept: Option<Scheme>) -> Theme {
    let said = config.console.theme.map(|theme| match theme {
        config::Theme::Auto => Scheme::Auto,
        config::Theme::Dark => Scheme::Dark,
        config::Theme::Light => Scheme::Light,
        config::Theme::HighContrast => Scheme::HighContrast,
        config::Theme::ColourBlind => Scheme::ColourBlind,
        config::Theme::Terminal => Scheme::Terminal,
    });
    Theme {
        scheme: said.or(kept).unwrap_or_default(),
        ground: if config.light == Some(true) { Ground::Light } else { Ground::Dark },
        depth: match config.colours {
            config::Colours::None => Depth::None,
            config::Colours::Sixteen => Depth::Sixteen,
            config::Colours::Many => Depth::Many,
            config::Colours::Full => Depth::Full,
        },
        ascii: config.console.ascii,
    }
}

/// The person's clock, ahead of UTC, as it is now.
fn offset() -> FixedOffset {
    Local::now().offset().fix()
}

fn fail(status: u8, line: &str) -> ExitCode {
    runtime::say(&format!("gantry: {line}"));
    ExitCode::from(status)
}

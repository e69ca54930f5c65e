//! The imperative shell: everything that the console cannot do as a pure state machine.
//!
//! [`event_loop`] is the loop; [`terminal`] owns the modes, [`frame_writer`] turns frames into
//! bytes with `scroll` and `cell_encoder`, [`input`] bytes into messages, [`signals`] signals into
//! events; [`executor`] makes the calls, [`poll`] requests the counts, `suspend` detects that the
//! machine slept, `key_pace` that a key is held down; [`desktop`] reaches the browser, `clipboard`
//! copies, [`external_editor`] the editor, `program` runs custom commands; [`console_settings`]
//! turns the configuration into settings, [`preferences`] saves those chosen on the screen,
//! `draft_writer` drafts; [`log`] is the log. [`run_console()`] joins them.
//!
//! Never here: what a key does or a frame shows (`app`), and URLs (`client`).

pub mod backend;
mod cell_encoder;
mod child_env;
mod clipboard;
pub mod configuration_file;
pub mod connect;
pub mod console_settings;
pub mod console_texts;
pub(crate) mod desktop;
mod draft_writer;
pub mod event;
pub mod event_loop;
pub(crate) mod executor;
mod export_file;
pub mod external_editor;
pub mod frame_writer;
pub mod input;
mod journal_screen;
mod key_pace;
pub mod log;
pub(crate) mod poll;
pub mod preferences;
pub mod program;
mod read_cache;
mod remote_backend;
mod scroll;
mod service_writes;
pub mod settings;
pub(crate) mod signals;
mod stored_facts;
mod suspend;
pub mod terminal;
mod write_log;

use std::io;
use std::time::Instant;

use tokio::sync::mpsc;

use crate::app::ConsoleSession;
use crate::text;
use event_loop::{EVENT_CHANNEL_CAPACITY, EventLoop, EventLoopOptions, ExitReport};
use input::parse::InputParser;

/// Runs the console on the terminal until it ends. The terminal is restored when this returns.
pub async fn run_console(start: EventLoopOptions) -> io::Result<ExitReport> {
    terminal::install_panic_hook();
    let (events, waiting) = mpsc::channel(EVENT_CHANNEL_CAPACITY);
    signals::listen(events.clone())?;
    let terminal = terminal::Terminal::enter(start.settings.mouse_enabled)?;
    let (keys, gone) = (events.clone(), events.clone());
    let parser = InputParser::new(start.escape_timeout, start.queries_terminal, Instant::now());
    input::start_reader(
        parser,
        move |event| keys.blocking_send(event).is_ok(),
        move || signals::handle_hangup(&gone),
    )?;
    let ConsoleSession {
        label,
        connected,
        read_only,
        is_dashboard_only,
    } = &start.session;
    let version = env!("CARGO_PKG_VERSION");
    tracing::info!(
        version,
        service = label,
        connected,
        read_only,
        is_dashboard_only,
        "the console opens"
    );
    start
        .configuration
        .problems
        .iter()
        .for_each(|problem| tracing::warn!(problem, "configuration"));
    let ended = EventLoop::new(start, terminal, terminal::TerminalOutput, events)
        .run(waiting)
        .await;
    tracing::info!(status = ended.status, "the console has ended");
    Ok(ended)
}

/// Prints a line to standard error, on a terminal broken between words; a closed standard error is
/// ignored.
pub fn print_stderr_line(line: &str) {
    use std::io::Write as _;
    let lines = match terminal_size::terminal_size_of(io::stderr()) {
        Some((width, _)) => text::wrap_text(line, width.0.into()).join("\n"),
        None => line.to_owned(),
    };
    let _ = writeln!(io::stderr(), "{lines}");
}

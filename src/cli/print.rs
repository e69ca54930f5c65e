//! The only module that writes to standard output and standard error.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::export::json::format_json;
use crate::text;

/// `--quiet`: no notes.
static IS_QUIET: AtomicBool = AtomicBool::new(false);
/// Errors are JSON, because the data is.
static REPORTS_JSON: AtomicBool = AtomicBool::new(false);

/// Turns off notes and progress for this run; errors and questions stay.
pub(super) fn set_quiet() {
    IS_QUIET.store(true, Ordering::Relaxed);
}

/// Prints errors as JSON from now on.
pub(super) fn report_json() {
    REPORTS_JSON.store(true, Ordering::Relaxed);
}

pub(super) fn reports_json() -> bool {
    REPORTS_JSON.load(Ordering::Relaxed)
}

/// Writes data to standard output unchanged.
pub(super) fn write_data(text: &str) -> io::Result<()> {
    write_bytes(text.as_bytes())
}

pub(super) fn write_bytes(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// Writes a note to standard error, sanitized and on one line, unless `--quiet`. A closed standard
/// error is ignored.
pub(super) fn write_note(line: &str) {
    if !IS_QUIET.load(Ordering::Relaxed) {
        write_error(line);
    }
}

/// Writes an error to standard error like a note, also with `--quiet`.
pub(super) fn write_error(line: &str) {
    let _ = writeln!(io::stderr(), "gantry: {}", text::sanitize_line(line));
}

/// Writes an error to standard error as one line of JSON.
pub(super) fn write_json_error(error: &serde_json::Value) {
    let _ = writeln!(io::stderr(), "{}", format_json(&error.to_string(), false));
}

/// Writes lines of a report to standard error, unchanged: their texts are sanitized. A closed
/// standard error is ignored.
pub(super) fn write_report(lines: &[String]) {
    for line in lines {
        let _ = writeln!(io::stderr(), "{line}");
    }
}

/// Writes a prompt to standard error, and stays on its line.
pub(super) fn write_prompt(prompt: &str) {
    let _ = write!(io::stderr(), "{}", text::sanitize_line(prompt));
    let _ = io::stderr().flush();
}

/// `1 row`, `2 rows`.
pub(super) fn pluralize(n: impl TryInto<u64>, one: &str) -> String {
    let n = n.try_into().unwrap_or(u64::MAX);
    format!("{n} {one}{}", if n == 1 { "" } else { "s" })
}

/// The width of standard output in columns; `None` if it is not a terminal.
pub(super) fn terminal_width() -> Option<u16> {
    if !io::stdout().is_terminal() {
        return None;
    }
    let from_env = std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.parse().ok());
    from_env
        .or_else(|| terminal_size::terminal_size().map(|(width, _)| width.0))
        .or(Some(80))
        .filter(|width| *width > 0)
}

/// Whether standard output is a terminal that shows links (OSC 8).
pub(super) fn supports_links() -> bool {
    supports_hyperlinks::on(supports_hyperlinks::Stream::Stdout)
}

/// The height of standard output in rows; `None` if it is not a terminal.
pub(super) fn terminal_height() -> Option<u16> {
    terminal_size::terminal_size_of(io::stdout()).map(|(_, height)| height.0)
}

/// Whether somebody sees what is written to standard error as it comes.
pub(super) fn is_stderr_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Whether progress may be drawn.
pub(super) fn shows_progress() -> bool {
    is_stderr_terminal() && !IS_QUIET.load(Ordering::Relaxed)
}

//! The one room that writes standard output and standard error.

use std::io::{self, IsTerminal, Write};

use crate::text;

/// Data on standard output, as it is.
pub(super) fn write_data(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// A note on standard error, made safe and on one line. Nobody to read it is no fault.
pub(super) fn write_note(line: &str) {
    let _ = writeln!(io::stderr(), "gantry: {}", text::sanitize_line(line));
}

/// The columns of the terminal that standard output is, or none.
pub(super) fn terminal_width() -> Option<u16> {
    if !io::stdout().is_terminal() {
        return None;
    }
    let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    said.or_else(|| terminal_size::terminal_size().map(|(width, _)| width.0)).or(Some(80)).filter(|width| *width > 0)
}

/// Standard error is a terminal: progress may be drawn there.
pub(super) fn is_stderr_terminal() -> bool {
    io::stderr().is_terminal()
}

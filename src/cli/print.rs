//! The only module that writes to standard output and standard error.

use std::io::{self, IsTerminal, Write};

use crate::text;

/// Writes data to standard output unchanged.
pub(super) fn write_data(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Writes a note to standard error, sanitized and on one line. A closed standard error is ignored.
pub(super) fn write_note(line: &str) {
    let _ = writeln!(io::stderr(), "gantry: {}", text::sanitize_line(line));
}

/// Writes lines of a report to standard error, unchanged: their texts are sanitized. A closed standard error is ignored.
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
pub(super) fn pluralize(n: usize, one: &str) -> String {
    format!("{n} {one}{}", if n == 1 { "" } else { "s" })
}

/// The width of standard output in columns; `None` if it is not a terminal.
pub(super) fn terminal_width() -> Option<u16> {
    if !io::stdout().is_terminal() {
        return None;
    }
    let from_env = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    from_env.or_else(|| terminal_size::terminal_size().map(|(width, _)| width.0)).or(Some(80)).filter(|width| *width > 0)
}

/// Whether standard output is a terminal that shows links (OSC 8).
pub(super) fn supports_links() -> bool {
    supports_hyperlinks::on(supports_hyperlinks::Stream::Stdout)
}

/// Whether progress may be drawn: standard error is a terminal.
pub(super) fn is_stderr_terminal() -> bool {
    io::stderr().is_terminal()
}

//! The imperative shell: terminal, event loop, executor of effects, polling task.

pub mod ask;
pub mod executor;
pub mod input;
pub mod poll;
pub mod screen;
pub mod terminal;

/// One line on standard error. Nobody to read it is no fault.
pub fn say(line: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "{line}");
}

//! Records as text for other programs: CSV, JSON Lines, Markdown and tab-separated, the same in the
//! console and the CLI.
//!
//! The output is safe wherever it is opened: no cell is treated as a formula, and nothing in it can
//! control a terminal.
//!
//! Never here: a file, a request, a screen.

pub(crate) mod csv;
pub(crate) mod json;
pub(crate) mod table;

//! Records as text for other programs: CSV and JSON lines, the same from the console and from the command line.
//!
//! Texts are harmless where they are opened: no cell is taken for a formula, and nothing that could steer a terminal is left.
//!
//! Never here: a file, a request, a screen.

pub mod csv;
pub mod json;

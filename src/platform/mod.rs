//! What differs between operating systems: private files, processes and signals, typed secrets, the
//! terminal. Each function says what other systems than Unix do instead.
//!
//! Never here: what a file contains, which program runs, and what the console draws.

pub mod files;
pub mod hidden_input;
pub mod processes;
pub mod tasks;
pub mod terminal;

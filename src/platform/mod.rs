//! What differs between operating systems: private files, processes and signals, typed secrets. Each function says what other systems
//! than Unix do instead.
//!
//! Never here: what a file contains or which program runs. The terminal of the console is in `runtime`, which is Unix throughout.

pub mod files;
pub mod hidden_input;
pub mod processes;

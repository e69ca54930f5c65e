//! The terminal as a device: its line settings, bytes in and out, its size, and the signals that
//! concern it.
//!
//! Writing and restoring allocate nothing and take no lock, so that a signal handler may do both.
//! Elsewhere than on Unix there is no such terminal: [`IS_SUPPORTED`] says so, and everything that
//! would use one fails.
//!
//! Never here: which bytes are sent, and what a key or a signal does.

mod events;
pub use events::{ControlSignal, ExitSignal, KeyboardState};

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub use unix::*;

#[cfg(not(unix))]
mod unsupported;
#[cfg(not(unix))]
pub use unsupported::*;

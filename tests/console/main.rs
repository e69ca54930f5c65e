//! The console with its runtime, and in a pseudo-terminal.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so by breaking")]

#[path = "../support/pty.rs"]
mod pty;

mod kept;
mod runtime;
mod terminal;

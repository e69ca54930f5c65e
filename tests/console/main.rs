//! The console with its runtime, and in a pseudo-terminal.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so by breaking")]

#[path = "../support/pty.rs"]
mod pty;
#[path = "../support/relay.rs"]
mod relay;
#[path = "../support/served.rs"]
mod served;

mod credits;
mod desk;
#[path = "../support/strangers.rs"]
mod injecting_proxy;

mod day;
mod export;
mod kept;
mod killed;
mod kills;
mod last;
mod runtime;
mod settings;
mod sheet;
mod skills;
mod strangers;
mod terminal;

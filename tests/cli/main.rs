//! The built program as a script sees it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so by breaking")]

#[path = "../support/hostile.rs"]
mod hostile;
#[path = "../support/strangers.rs"]
mod injecting_proxy;
#[path = "../support/pty.rs"]
mod pty;
#[path = "../support/routed.rs"]
mod routed;
#[path = "../support/served.rs"]
mod served;
#[path = "../support/tap.rs"]
mod tap;
#[path = "../support/tls.rs"]
mod tls;

mod credits;
mod examples;
mod faults;
mod golden;
mod host;
mod import;
mod journal;
mod linear;
mod nothing_done;
mod numbers;
mod read_only;
mod routes;
mod secrets;
mod strangers;
mod terminal;
mod variants;
mod verbs;
mod vocabulary;

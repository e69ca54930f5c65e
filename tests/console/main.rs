//! The console with its runtime, and in a pseudo-terminal.
#![allow(clippy::unwrap_used, reason = "a failing test panics")]

#[path = "../support/faulty_proxy.rs"]
mod faulty_proxy;
#[path = "../support/pty.rs"]
mod pty;
#[path = "../support/spawned_service.rs"]
mod spawned_service;

mod credits;
#[path = "../support/injecting_proxy.rs"]
mod injecting_proxy;
mod proxied_service;

mod annotation_form;
mod configuration;
mod crash_loop;
mod crash_recovery;
mod day_of_work;
mod export;
mod log;
mod offline;
mod restart_cache;
mod runtime;
mod settings;
mod skills;
mod start_screen;
mod terminal;
mod untrusted_text;
mod week_of_lists;

//! The built program as a script uses it.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

#[path = "../../src/service/search/tests/documented_conditions.rs"]
mod documented_conditions;
#[path = "../support/injecting_proxy.rs"]
mod injecting_proxy;
#[path = "../support/pty.rs"]
mod pty;
#[path = "../support/recording_proxy.rs"]
mod recording_proxy;
#[path = "../support/scripted_server.rs"]
mod scripted_server;
#[path = "../support/spawned_service.rs"]
mod spawned_service;
#[path = "../support/tls_server.rs"]
mod tls_server;

mod book_import;
mod book_notes;
mod conditions;
mod contract;
mod contract_environment;
mod contract_service;
mod credits;
mod examples;
mod faults;
mod golden;
mod import;
mod import_dialog;
mod import_kinds;
mod import_permits;
mod install;
mod join;
mod journal;
mod linear;
mod no_effect;
mod numbers;
mod os_limits;
mod output;
mod permit_files;
mod promises;
mod read_only;
mod response_variants;
mod route_coverage;
mod secrets;
mod setup;
mod snooze;
mod terminal;
mod tls;
mod untrusted_text;
mod verbs;
mod vocabulary;

/// The home of this run. It is in Cargo's own folder, so that it is removed with the build, and new,
/// because what an earlier build left for a server with the same port would be found.
fn home() -> &'static Path {
    static HOME: LazyLock<PathBuf> = LazyLock::new(|| {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        folder.keep()
    });
    &HOME
}

//! gantry: a terminal console, a command line and a local service for teams that work with
//! construction signals.
//!
//! # Layers
//!
//! | layer | purpose | may depend on |
//! |---|---|---|
//! | [`domain`] | the nouns of the interface as plain data | nothing |
//! | [`platform`] | what differs between operating systems | nothing |
//! | [`text`] | untrusted text made safe; width | nothing |
//! | [`schema`] | the versions of databases; whose an SQLite file is | `platform` |
//! | [`export`] | records as CSV, JSON Lines and Markdown | `text` |
//! | [`config`] | profiles, secrets, paths, settings → one plain value | `domain`, `platform`, `text` |
//! | [`interface`] | the routes, each listed once | `domain` |
//! | [`client`] | the interface over HTTP; the only layer that knows URLs | `domain`, `interface` |
//! | [`service`] | the local service: axum over SQLite, the same interface | `domain`, `platform`, `text`, `schema`, `interface` |
//! | [`store`] | state that survives a crash on this machine: SQLite, one file per profile | `domain`, `platform`, `schema` |
//! | [`ui`] | widgets; depends on ratatui, not on gantry's domain | `text` |
//! | [`app`] | the console as a pure machine: messages in, effects and drawing out | `domain`, `text`, `export`, `ui` |
//! | [`runtime`] | the imperative shell: terminal, event loop, executor, polling task | all but `cli` |
//! | [`cli`] | commands for scripts | all but `app`, `ui`, `runtime` |
//! | `launch` | arguments → the console or a command | all |
//!
//! `runtime` and `cli` start `service` and talk to it only over HTTP. `tests/tidy/`
//! enforces these boundaries.
//!
//! # Start here
//!
//! A keystroke: `runtime` reads it, [`app`]'s `update` turns it into effects, `runtime` runs them
//! through [`client`], and the reply comes back to `update` as a message. A request: `service`'s
//! router picks the handler, which queries the database. `ARCHITECTURE.md` follows both step by
//! step, with file and function names.
//!
//! # Invariants
//!
//! * `app` is a function of its messages: no clock, no files, no threads. Time is an argument, a
//!   request is an effect.
//! * Selection, marks and undo hold record ids, never row numbers.
//! * Nothing that may cost a credit runs by itself; the polling task requests only
//!   `/signals/queue/stats`.
//! * One table with one row per command: keys, footer, help, palette and tests read it.
//! * SQL is in `service::db`, `service::search`, `store` and `schema`; colors are in `ui::theme`; URLs are in
//!   `client`.

pub mod app;
pub mod cli;
pub mod client;
pub mod config;
pub mod domain;
pub(crate) mod export;
pub mod interface;
/// The tests of the library start no program.
#[cfg(not(test))]
pub mod launch;
pub mod platform;
pub mod runtime;
pub mod schema;
pub mod service;
pub mod store;
pub mod text;
pub mod ui;

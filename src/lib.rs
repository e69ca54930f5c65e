//! gantry: a terminal console, a command line and a local service for teams that live off construction signals.
//!
//! # The map
//!
//! | layer | what it is | what it may name |
//! |---|---|---|
//! | [`domain`] | the nouns of the interface as plain data | nothing |
//! | [`text`] | untrusted text made safe; width | nothing |
//! | [`export`] | records as CSV and JSON lines | `text` |
//! | [`config`] | profiles, secrets, paths, settings → one plain value | `text` |
//! | [`client`] | the interface over HTTP; the only place that knows URLs | `domain` |
//! | [`service`] | the local service: axum over SQLite, the same interface | `domain`, `text` |
//! | [`store`] | what must outlive a crash on this machine: SQLite, one file a profile | `domain` |
//! | [`ui`] | widgets; knows ratatui and not gantry | `text` |
//! | [`app`] | the console as a pure machine: messages in, effects and drawing out | `domain`, `text`, `ui` |
//! | [`runtime`] | the imperative shell: terminal, event loop, executor, polling task | all but `cli` |
//! | [`cli`] | the verbs for scripts | all but `app`, `ui`, `runtime` |
//!
//! `service` is started by `main`, `runtime` and `cli`, and spoken to over HTTP alone. `tests/tidy.rs` holds these walls.
//!
//! # Start here
//!
//! A keystroke: `runtime` reads it, [`app`]'s `update` turns it into effects, `runtime` runs them through [`client`], and the
//! reply comes back to `update` as a message. A request: `service`'s router names the route, its handler asks the database.
//!
//! # Invariants
//!
//! * `app` is a function of its messages: no clock, no file, no thread. Time is an argument, a request is an effect.
//! * Selection, marks and undo hold record ids, never row numbers.
//! * Nothing that may cost a credit runs by itself; the polling task asks `/signals/queue/stats` and nothing else.
//! * One row a command, in one table: keys, footer, help, palette and tests read it.
//! * SQL is written in `service::db`, `service::search` and `store`; colour is decided in `ui::theme`; URLs are in `client`.

pub mod app;
pub mod cli;
pub mod client;
pub mod config;
pub mod domain;
pub mod export;
pub mod runtime;
pub mod service;
pub mod store;
pub mod text;
pub mod ui;

//! The console as a pure state machine: messages in, state, effects out, drawing.
//!
//! [`Console::update`] is the only entry point, [`Console::update_layout`] computes rectangles from
//! size and state, and [`Console::draw`] paints. [`Context`] is what the panes share. A failure is
//! state, never an error of `update`; every effect is a value that a test can read. Replies go to
//! whoever asked ([`requests`]).
//!
//! Never here: tokio, HTTP, files, environment variables, a clock. Time comes with each message.

pub(crate) mod action;
pub(crate) mod annotation_cache;
mod budget_guard;
pub(crate) mod change;
pub mod command;
pub(crate) mod connect_target;
mod connection;
mod console;
pub(crate) mod context;
mod dialog_lists;
pub(crate) mod drafts;
pub mod effect;
mod export;
pub(crate) mod focused_list;
mod format;
pub(crate) mod layout;
pub(crate) mod list;
mod list_change;
pub(crate) mod model;
pub mod msg;
pub(crate) mod notice;
pub(crate) mod outbox;
pub(crate) mod overlay;
pub(crate) mod pane;
pub(crate) mod pane_command;
pub(crate) mod panes;
pub(crate) mod price;
pub(crate) mod prompt;
pub(crate) mod requests;
mod screen;
pub mod secret;
mod selection;
pub(crate) mod session;
mod shown_rows;

#[cfg(test)]
pub(crate) mod testing;

pub use console::Console;
pub use context::Context;
pub use effect::Effect;
pub use model::queue::AfterTriage;
pub use msg::Msg;
pub use panes::{all_commands, build_keymap};
pub use screen::Screen;
pub use session::{
    AppSettings, BACKGROUND_PREFERENCE, ConsoleSession, DASHBOARD_MESSAGE_PREFERENCE,
    DASHBOARD_PAGES_PREFERENCE, DashboardOptions, DashboardPage, ExitState, POLL_PREFERENCE,
    ProfileChoice, StartTarget, THEME_PREFERENCE,
};

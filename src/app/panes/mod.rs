//! One folder a pane: its state (`mod.rs`), its rows of the command table, its drawing, its tests.

pub mod detail;
pub mod facts;
pub mod queue;
pub mod start;

//! One folder per pane: state (`mod.rs`), commands, drawing, tests.

pub mod annotation_form;
pub mod book;
pub mod credits;
pub mod detail;
pub mod explore;
pub mod fact_list;
pub mod queue;
pub mod record;
pub mod records;
pub mod skills;
pub mod start;
pub mod subscriptions;
pub mod team;
pub mod views;
pub mod watch;

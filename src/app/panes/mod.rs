//! One folder per pane: state (`mod.rs`), commands, drawing, tests.

pub(crate) mod annotation_form;
pub(crate) mod book;
pub(crate) mod credits;
pub(crate) mod detail;
pub(crate) mod explore;
pub(crate) mod fact_list;
pub(crate) mod queue;
pub(crate) mod record;
pub(crate) mod records;
pub(crate) mod skills;
pub(crate) mod start;
pub(crate) mod subscriptions;
pub(crate) mod team;
pub(crate) mod views;
pub(crate) mod watch;

//! Data that several panes or subsystems read.

pub(crate) mod record_lists;
pub(crate) mod records;
pub(crate) mod subscriptions;
pub(crate) mod views;

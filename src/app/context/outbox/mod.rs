//! Writes of any kind: sending, confirmation, undo, and what waits for the service.

pub(in crate::app) mod attribution;
pub(in crate::app) mod conflicts;
pub(in crate::app) mod deferred_commands;
pub(in crate::app) mod failures;
pub(in crate::app) mod offline;
pub(in crate::app) mod preflight;
pub(in crate::app) mod read_before_write;
pub(in crate::app) mod reconcile;
#[cfg(test)]
mod tests;
pub(in crate::app) mod triage;
pub(in crate::app) mod triage_messages;
pub(in crate::app) mod undo;
pub(in crate::app) mod writes;

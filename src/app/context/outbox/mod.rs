//! Writes of any kind: sending, confirmation, undo, and what waits for the service.

mod attribution;
mod conflicts;
mod deferred_commands;
mod failures;
mod offline;
mod preflight;
mod read_before_write;
mod reconcile;
#[cfg(test)]
mod tests;
mod triage;
mod triage_messages;
mod undo;
mod writes;

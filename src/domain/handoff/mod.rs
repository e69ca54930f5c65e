//! A handoff: what was done from this machine in a period, what is left and what it cost, for the
//! next person.
//!
//! Never here: reading any of it. Only writes are changes: a read is never listed, and what was
//! undone, rejected or changed nothing is never listed as done.

mod changes;
mod open_work;
mod page;
mod recorded;

pub use changes::{HandoffChange, WaitingTriage};
pub use open_work::{OpenWork, TeamWork};
pub use page::{Handoff, HandoffFormat, HandoffRequest};
pub use recorded::{RecordNames, RecordedWork, describe_spent, list_names, record_name};

#[cfg(test)]
mod tests;

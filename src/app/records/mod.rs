//! The records in memory: lists that are read in windows, and load states.

pub mod list;
pub mod load;

pub use list::SignalList;
pub use load::LoadState;

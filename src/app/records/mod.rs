//! The records in memory: lists that are read in windows, and load states.

pub mod list;
pub mod load;

pub use list::List;
pub use load::Load;

//! The records in memory: lists that are read in windows, load states, what is known of a project.

pub mod list;
pub mod load;

pub use list::List;
pub use load::Load;

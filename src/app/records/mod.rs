//! Records in memory: lists that are read in windows, and load states.

pub(crate) mod load_state;
pub(crate) mod signal_list;

pub use load_state::LoadState;

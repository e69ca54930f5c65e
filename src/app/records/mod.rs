//! Records in memory: lists that are read in windows, and load states.

pub mod load_state;
pub mod signal_list;

pub use load_state::LoadState;
pub use signal_list::SignalList;

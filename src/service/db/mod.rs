//! The only room that knows SQLite: its public face is functions over domain types and records.

pub mod index_write;
pub mod records;

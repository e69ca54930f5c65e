//! The local service: axum over SQLite.
pub mod db;
pub mod sample;

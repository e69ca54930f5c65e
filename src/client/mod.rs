//! The interface over HTTP.

//! The client against the local service, and against one that misbehaves.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

#[path = "../support/hostile.rs"]
mod hostile;
#[path = "../support/routed.rs"]
mod routed;

mod faults;
mod paging;
mod routes;
mod variants;

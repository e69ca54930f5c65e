//! The client against the local service, and against a misbehaving server.
#![allow(clippy::unwrap_used, reason = "a failing test reports the location")]

#[path = "../support/scripted_server.rs"]
mod scripted_server;

mod faults;
mod paging;
mod response_variants;
mod route_coverage;

//! The client against the local service, and against one that misbehaves.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

#[path = "../support/route_matching.rs"]
mod route_matching;
#[path = "../support/scripted_server.rs"]
mod scripted_server;

mod faults;
mod paging;
mod response_variants;
mod route_coverage;

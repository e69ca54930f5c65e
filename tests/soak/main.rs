//! The console app with the real client and the real local service, without a terminal and without
//! a clock: what a few keys cannot show. Each test is short by default; CONTRIBUTING.md lists the
//! variables that make it longer.
#![allow(clippy::unwrap_used, reason = "a failing test panics")]

#[path = "../support/recording_proxy.rs"]
mod recording_proxy;
#[path = "../support/test_service.rs"]
mod test_service;

mod actors;
mod annotators;
mod console_driver;
mod counts;
mod fixture;
mod numbers;
mod sequences;

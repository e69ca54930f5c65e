//! The console machine with the real client and the real local service, without a terminal and without a clock: what cannot be told
//! from a few keys. Each test is short unless it is told otherwise; README.md, "Working on it", says how.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so by breaking")]

#[path = "../support/recording_proxy.rs"]
mod recording_proxy;
#[path = "../support/test_service.rs"]
mod test_service;

mod annotators;
mod console_driver;
mod counts;
mod fixture;
mod numbers;
mod sequences;

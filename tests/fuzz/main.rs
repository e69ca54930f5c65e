//! Arbitrary bytes: a bounded run of the fuzz targets, so that `cargo test` reports a broken one.
//!
//! `GANTRY_FUZZ=2000000 cargo test --release --test fuzz` makes that many runs of each; `cargo fuzz
//! run decode` (in `fuzz/`) searches for new paths by coverage. A failing run prints its bytes,
//! which then become a permanent seed here.
#![allow(clippy::unwrap_used, reason = "a failing test panics")]

mod bodies;
mod seeds;

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Runs per target in `cargo test`.
const DEFAULT_RUNS: u32 = 3_000;
/// A run with the console costs as much as this many others.
const CONSOLE_RUN_COST: u32 = 10;

#[test]
fn any_response_is_decoded_or_rejected() {
    fuzz_target(bodies::decode, seeds::RESPONSES, 1);
}

#[test]
fn any_text_is_made_safe() {
    fuzz_target(
        bodies::safe_text,
        bodies::untrusted_text::UNTRUSTED_PIECES,
        1,
    );
}

#[test]
fn any_filter_is_parsed_as_written_or_rejected_with_a_reason() {
    fuzz_target(bodies::filter, seeds::FILTERS, 1);
}

#[test]
fn any_configuration_is_accepted_or_rejected_with_its_line() {
    fuzz_target(bodies::configuration, seeds::CONFIGURATIONS, 1);
}

#[test]
fn any_keys_leave_the_console_running() {
    fuzz_target(bodies::keys, seeds::KEYS, CONSOLE_RUN_COST);
}

/// Runs a target over its seeds and over mutations of them, which are deterministic.
fn fuzz_target(body: fn(&[u8]), seeds: &[&str], cost: u32) {
    let runs = std::env::var("GANTRY_FUZZ")
        .ok()
        .map_or(DEFAULT_RUNS / cost, |runs| {
            runs.parse().expect("a number of runs")
        });
    seeds
        .iter()
        .for_each(|seed| run_guarded(body, seed.as_bytes()));
    let mut rng = ChaCha8Rng::seed_from_u64(u64::from(cost));
    for _ in 0..runs {
        let mut data = pick_seed(&mut rng, seeds).as_bytes().to_vec();
        for _ in 0..rng.random_range(1..8) {
            mutate(&mut rng, &mut data, seeds);
        }
        run_guarded(body, &data);
    }
}

fn run_guarded(body: fn(&[u8]), data: &[u8]) {
    let ended = std::panic::catch_unwind(|| body(data));
    assert!(
        ended.is_ok(),
        "these bytes did it: {:?}, exactly {data:?}",
        String::from_utf8_lossy(data)
    );
}

fn pick_seed<'a>(rng: &mut impl Rng, seeds: &[&'a str]) -> &'a str {
    seeds[rng.random_range(0..seeds.len())]
}

/// Changes, adds, duplicates, moves or removes a piece.
fn mutate(rng: &mut impl Rng, data: &mut Vec<u8>, seeds: &[&str]) {
    let at = rng.random_range(0..=data.len());
    let end = (at + rng.random_range(0..24)).min(data.len());
    match rng.random_range(0..7) {
        0 if at < data.len() => data[at] = rng.random(),
        // Includes bytes that the console target treats as responses and time; they never occur in
        // text.
        1 => data.insert(
            at,
            if rng.random_bool(0.4) {
                rng.random_range(0xf8..0xfd)
            } else {
                rng.random()
            },
        ),
        2 => drop(data.drain(at..end)),
        3 => data.extend_from_within(at..end),
        4 => drop(data.splice(at..at, pick_seed(rng, seeds::MUTATION_PIECES).bytes())),
        5 => {
            let other = pick_seed(rng, seeds).as_bytes();
            let from = rng.random_range(0..=other.len());
            data.splice(at..end, other[from..].iter().copied());
        }
        _ if at < data.len() => data[at] ^= 1 << rng.random_range(0..8),
        _ => {}
    }
    data.truncate(4096);
}

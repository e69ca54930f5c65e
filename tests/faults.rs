//! Checks the table of the 120 faults (`tests/faults.md`): each number is there once, and each test
//! that it names exists and runs.
#![allow(clippy::unwrap_used, reason = "a failing test panics")]

use std::collections::BTreeMap;
use std::path::Path;

const FAULT_TABLE: &str = include_str!("faults.md");

/// A row: its number, its part of the table, and its tests as file and function.
struct FaultRow {
    number: usize,
    section: &'static str,
    tests: Vec<(&'static str, &'static str)>,
    note: &'static str,
}

fn fault_rows() -> Vec<FaultRow> {
    let mut part = "";
    let mut rows = Vec::new();
    for line in FAULT_TABLE.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            part = title;
        }
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let Some(number) = cells.first().and_then(|cell| cell.parse().ok()) else {
            continue;
        };
        let tests = cells[2].split("<br>").filter(|cell| !cell.is_empty());
        let tests = tests.map(|test| {
            test.trim_matches('`')
                .split_once(": ")
                .unwrap_or_else(|| panic!("{test} of {number}"))
        });
        rows.push(FaultRow {
            number,
            section: part,
            tests: tests.collect(),
            note: cells[cells.len() - 1],
        });
    }
    rows
}

/// The test functions of a file.
fn test_functions(file: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
    let mut names = Vec::new();
    let (mut is_test, mut is_ignored) = (false, false);
    for line in text.lines().map(str::trim) {
        is_test |= line.starts_with("#[test]") || line.starts_with("#[tokio::test");
        is_ignored |= line.starts_with("#[ignore");
        let function = line
            .strip_prefix("async fn ")
            .or_else(|| line.strip_prefix("fn "));
        if let Some((name, _)) = function.and_then(|rest| rest.split_once('(')) {
            if is_test && !is_ignored {
                names.push(name.to_owned());
            }
            (is_test, is_ignored) = (false, false);
        }
    }
    names
}

#[test]
fn each_of_the_120_faults_is_in_the_table_once() {
    let mut numbers: Vec<_> = fault_rows().iter().map(|row| row.number).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=120).collect::<Vec<_>>());
}

#[test]
fn every_test_named_in_the_table_exists_and_runs() {
    let mut files: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for row in fault_rows() {
        for (file, name) in row.tests {
            let tests = files.entry(file).or_insert_with(|| test_functions(file));
            assert!(
                tests.iter().any(|test| test == name),
                "fault {}: {file} has no test {name}",
                row.number
            );
        }
    }
}

#[test]
fn every_fault_has_a_test_or_a_reason_for_none() {
    for row in fault_rows() {
        let is_shown = row.section.starts_with("Shown: ");
        assert!(
            !is_shown || !row.tests.is_empty(),
            "fault {} is said to be shown by nothing",
            row.number
        );
        assert!(
            is_shown || !row.note.is_empty() && !row.note.starts_with('`'),
            "fault {} does not say why",
            row.number
        );
    }
}

#[test]
fn the_heading_counts_match_their_rows() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for row in fault_rows() {
        *counts.entry(row.section).or_default() += 1;
    }
    for (part, count) in counts {
        assert!(
            part.ends_with(&format!(": {count}")),
            "{part} has {count} rows"
        );
    }
}

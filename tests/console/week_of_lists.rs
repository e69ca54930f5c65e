//! A week of an analyst: she opens the book and a View daily, filters, clears, sorts, and starts
//! the program again. The meter counts the rows that she had never read, and nothing else.

use crate::pty::{TerminalSession, gantry_program};
use crate::spawned_service::SpawnedService;

fn start_console(served: &SpawnedService) -> TerminalSession {
    let known = served.env.iter().filter(|(name, _)| *name != "PATH");
    known
        .fold(gantry_program(&[]), |program, (name, value)| {
            program.env(name, value)
        })
        .start()
        .wait_for_text("as of")
}

fn credits_used(served: &SpawnedService) -> u64 {
    let output = served.run("gantry credits --json").stdout;
    serde_json::from_slice::<serde_json::Value>(&output).unwrap()["used"]
        .as_u64()
        .unwrap()
}

/// The number of rows of the list on the screen, once all of them are loaded: from "43 of 43".
fn loaded_rows(console: &TerminalSession) -> Option<u64> {
    console.text().lines().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.windows(3).find_map(|words| match words {
            [loaded, "of", all] if loaded == all => loaded.parse().ok(),
            _ => None,
        })
    })
}

/// Reads a list to its end where it was never read, and returns how many rows it has.
fn open_list(console: &mut TerminalSession, is_first: bool) -> u64 {
    if is_first {
        console.wait_for("reads the first 50 rows");
        console.type_keys("\r");
    }
    console.wait_until("all rows", |console| {
        loaded_rows(console).is_some_and(|rows| rows > 0)
    });
    loaded_rows(console).unwrap()
}

/// Filters, clears and sorts a list that was read completely.
fn work_on_list(console: &mut TerminalSession, conditions: &str) {
    console.type_keys("f");
    console.wait_for("add condition");
    console.type_keys("E");
    console.wait_for("conditions");
    console.type_keys("\x15");
    console.type_keys(conditions);
    console.type_keys("\r");
    console.wait_for("loaded rows, 0 cr");
    console.type_keys("\r");
    console.wait_for("match");
    console.type_keys("F");
    console.wait_until("the whole list", |console| {
        !console.text().contains("loaded rows, 0 cr")
    });
    console.type_keys("s");
    console.wait_for("Sort");
    console.type_keys("name\r");
    console.wait_for("sorted by name");
}

fn quit(mut console: TerminalSession) {
    console.type_keys("qqq");
    assert_eq!(console.wait_for_exit(), 0, "{}", console.text());
}

#[test]
fn a_week_of_lists_costs_exactly_the_rows_that_were_never_read() {
    let served = SpawnedService::start(&["--projects", "60"]);
    let before = credits_used(&served);
    let mut never_read = 0;
    for day in 0..5 {
        let mut console = start_console(&served);
        console.type_keys("3");
        let book = open_list(&mut console, day == 0);
        work_on_list(&mut console, "icp_tier=tier_1");
        console.type_keys("2");
        console.wait_for("─ Saved ");
        console.type_keys("j");
        console.wait_until_quiet();
        // Enter reads the rows of a View once; after that it goes to them.
        console.type_keys("\r");
        let view = open_list(&mut console, false);
        work_on_list(&mut console, "account_type=gc");
        quit(console);
        if day == 0 {
            never_read = book + view;
        }
        assert_eq!(
            credits_used(&served) - before,
            never_read,
            "after day {day}"
        );
    }
    assert!(never_read > 20, "{never_read}");
}

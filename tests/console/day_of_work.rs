//! A day's work at the console over real HTTP: the credits in this machine's ledger match the
//! service's meter exactly.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::pty::{TerminalSession, gantry_program};
use crate::spawned_service::SpawnedService;

/// A service, and the machine that works with it.
struct DayOfWork(SpawnedService);

impl DayOfWork {
    fn start_console(&self) -> TerminalSession {
        let known = self.0.env.iter().filter(|(name, _)| *name != "PATH");
        known
            .fold(gantry_program(&[]), |program, (name, value)| {
                program.env(name, value)
            })
            .start()
            .wait_for_text("New 1 of")
    }

    fn verb_json(&self, line: &str) -> Value {
        let said = self.0.run(line);
        serde_json::from_slice(&said.stdout)
            .unwrap_or_else(|_| panic!("{line}: {}", String::from_utf8_lossy(&said.stderr)))
    }

    /// Credits used by anybody, according to the service.
    fn credits_used(&self) -> u64 {
        self.verb_json("gantry credits --json")["used"]
            .as_u64()
            .unwrap()
    }

    /// Credits in this machine's ledger, once it has recorded those since `before`: it is written
    /// in the background.
    fn settled_ledger_total(&self, before: u64) -> u64 {
        let until = Instant::now() + Duration::from_secs(10);
        while self.ledger_total() != self.credits_used() - before && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(50));
        }
        self.ledger_total()
    }

    /// Credits in this machine's ledger.
    fn ledger_total(&self) -> u64 {
        let ledger = self.verb_json("gantry credits ledger --json");
        ledger
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|line| line["credits"].as_u64())
            .sum()
    }
}

/// Types keys, and waits for a text on the screen.
fn press_keys(console: &mut TerminalSession, keys: &str, then: &str) {
    // What was just opened is looked at before a key spends on it.
    console.wait_until_quiet();
    console.type_keys(keys);
    console.wait_for(then);
}

/// Goes back, and waits until a text has disappeared.
fn go_back(console: &mut TerminalSession, gone: &str) {
    console.type_keys("\x1b");
    console.wait_until("going back", |console| !console.text().contains(gone));
}

#[test]
fn the_ledger_matches_the_meter_after_a_day_of_work() {
    let desk = DayOfWork(SpawnedService::start(&[
        "--projects",
        "60",
        "--book",
        "200",
    ]));
    let (before, none) = (desk.credits_used(), desk.ledger_total());
    assert_eq!(none, 0);
    let mut console = desk.start_console();
    // The queue: a signal with its project, triage and undo.
    press_keys(&mut console, "\r", "Firms");
    go_back(&mut console, "Firms");
    press_keys(&mut console, "e", "z undoes");
    press_keys(&mut console, "z", "Z redoes");
    // A View, its next page, one of its records.
    press_keys(&mut console, "2", "★");
    press_keys(&mut console, "\r", "rows read");
    press_keys(&mut console, "\r", "─ raw");
    go_back(&mut console, "─ raw");
    // The book: two pages, and a filtered list.
    press_keys(&mut console, "3", "Enter reads");
    press_keys(&mut console, "\r", "50 of 2");
    press_keys(&mut console, ">", "100 of 2");
    press_keys(&mut console, "\r", "─ raw");
    go_back(&mut console, "─ raw");
    press_keys(&mut console, "f", "filter is valid for this list");
    press_keys(&mut console, "Eicp_tier=tier_1\r", "Tier 1 accounts");
    press_keys(&mut console, "\r", "Tier 1 accounts.   last changed first");
    // Explore: one search counted and then run; another one run.
    press_keys(&mut console, "5", "filter is valid");
    press_keys(&mut console, "Estage=permitted\r", "Permitted projects");
    press_keys(&mut console, "c", "match, 1 credit");
    press_keys(&mut console, "\r", "rows read");
    press_keys(&mut console, "\t", "0 cr");
    press_keys(
        &mut console,
        "E\x15stories>=5\r",
        "Projects with 5 or more stories",
    );
    press_keys(&mut console, "\r", "rows read");

    let spent = desk.settled_ledger_total(before);
    assert!(spent > 150, "{spent}");
    assert_eq!(
        desk.credits_used() - before,
        spent,
        "after a morning of work"
    );

    // Back and forward, other screens, other sizes: all of that is already paid for.
    press_keys(&mut console, "[", "run 1 of 2");
    press_keys(&mut console, "]", "run 2 of 2");
    console.resize(60, 20);
    press_keys(&mut console, "3", "Accounts");
    console.resize(100, 30);
    press_keys(&mut console, "2", "Saved");
    press_keys(&mut console, "1", "New 1 of");
    press_keys(&mut console, "\r", "Firms");
    go_back(&mut console, "Firms");
    press_keys(&mut console, "5", "Explore");
    console.type_keys("qq");
    assert_eq!(console.wait_for_exit(), 0);
    assert_eq!(
        (desk.credits_used() - before, desk.ledger_total()),
        (spent, spent),
        "going back, resizing and switching cost nothing"
    );

    // The same machine in the afternoon: what was paid for in the morning is still available.
    let mut console = desk.start_console();
    press_keys(&mut console, "\r", "Firms");
    go_back(&mut console, "Firms");
    press_keys(&mut console, "5", "Enter shows the");
    press_keys(&mut console, "[", "run 2 of 2");
    press_keys(&mut console, "[", "run 1 of 2");
    press_keys(&mut console, "\r", "permitted");
    console.type_keys("qq");
    assert_eq!(console.wait_for_exit(), 0);
    assert_eq!(
        (desk.credits_used() - before, desk.ledger_total()),
        (spent, spent),
        "opening it again costs nothing"
    );
}

//! A day's work at the console over real HTTP: what this machine says it spent is what the service's own meter says, to the credit.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::pty::{Session, gantry};
use crate::served::Served;

/// A service, and the machine that works with it.
struct Desk(Served);

impl Desk {
    fn console(&self) -> Session {
        let known = self.0.env.iter().filter(|(name, _)| *name != "PATH");
        known.fold(gantry(&[]), |program, (name, value)| program.env(name, value)).start().waited_for("New 1 of")
    }

    fn json(&self, line: &str) -> Value {
        let said = self.0.run(line);
        serde_json::from_slice(&said.stdout).unwrap_or_else(|_| panic!("{line}: {}", String::from_utf8_lossy(&said.stderr)))
    }

    /// What the service says was used, by anybody.
    fn used(&self) -> u64 {
        self.json("gantry credits --json")["used"].as_u64().unwrap()
    }

    /// What the ledger of this machine says was spent, once it has written down what was used since `before`: it writes behind.
    fn written(&self, before: u64) -> u64 {
        let until = Instant::now() + Duration::from_secs(10);
        while self.spent() != self.used() - before && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(50));
        }
        self.spent()
    }

    /// What the ledger of this machine says was spent.
    fn spent(&self) -> u64 {
        let ledger = self.json("gantry credits ledger --json");
        ledger.as_array().unwrap().iter().filter_map(|line| line["credits"].as_u64()).sum()
    }
}

/// Types keys, and waits for what stands on the screen then.
fn press(console: &mut Session, keys: &str, then: &str) {
    console.type_keys(keys);
    console.wait_for(then);
}

/// Goes back, and waits until this stands on the screen no longer.
fn leave(console: &mut Session, gone: &str) {
    console.type_keys("\x1b");
    console.wait_until("going back", |console| !console.text().contains(gone));
}

#[test]
fn after_a_day_at_the_console_the_ledger_agrees_with_the_services_meter_to_the_credit_and_going_back_spent_nothing() {
    let desk = Desk(Served::start(&["--projects", "60", "--book", "200"]));
    let (before, none) = (desk.used(), desk.spent());
    assert_eq!(none, 0);
    let mut console = desk.console();
    // The queue: a signal with its project, triage and its way back.
    press(&mut console, "\r", "Firms");
    leave(&mut console, "Firms");
    press(&mut console, "e", "z undoes");
    press(&mut console, "z", "Z does it");
    // A View, its next page, a record of it.
    press(&mut console, "2", "★");
    press(&mut console, "\r", "rows read");
    press(&mut console, "\r", "─ raw");
    leave(&mut console, "─ raw");
    // The book: two pages, and one that is narrowed.
    press(&mut console, "3", "Enter reads");
    press(&mut console, "\r", "50 of 2");
    press(&mut console, ">", "100 of 2");
    press(&mut console, "\r", "─ raw");
    leave(&mut console, "─ raw");
    press(&mut console, "f", "ok, by the keys of this list");
    press(&mut console, "Eicp_tier=tier_1\r", "Accounts whose icp tier is tier 1");
    press(&mut console, "\r", "icp_tier=tier_1   by");
    // Explore: counted, then run; another one, run.
    press(&mut console, "5", "ok, by the service's own fields");
    press(&mut console, "Estage=permitted\r", "Projects whose stage is permitted");
    press(&mut console, "c", "match, 1 credit");
    press(&mut console, "\r", "rows read");
    press(&mut console, "\t", "0 cr");
    press(&mut console, "E\x15stories>=5\r", "Projects with stories of 5 or more");
    press(&mut console, "\r", "rows read");

    let spent = desk.written(before);
    assert!(spent > 150, "{spent}");
    assert_eq!(desk.used() - before, spent, "after a morning of work");

    // Back and forward, other screens, other sizes: all of that was paid for.
    press(&mut console, "[", "run 1 of 2");
    press(&mut console, "]", "run 2 of 2");
    console.resize(60, 20);
    press(&mut console, "3", "Accounts");
    console.resize(100, 30);
    press(&mut console, "2", "Views");
    press(&mut console, "1", "New 2 of");
    press(&mut console, "k", "New 1 of");
    press(&mut console, "\r", "Firms");
    leave(&mut console, "Firms");
    press(&mut console, "5", "Explore");
    console.type_keys("qq");
    assert_eq!(console.end(), 0);
    assert_eq!((desk.used() - before, desk.spent()), (spent, spent), "going back, resizing and switching");

    // The same machine in the afternoon: what was paid for in the morning is there.
    let mut console = desk.console();
    press(&mut console, "\r", "Firms");
    leave(&mut console, "Firms");
    press(&mut console, "5", "Enter shows the");
    press(&mut console, "[", "run 2 of 2");
    press(&mut console, "[", "run 1 of 2");
    press(&mut console, "\r", "permitted");
    console.type_keys("qq");
    assert_eq!(console.end(), 0);
    assert_eq!((desk.used() - before, desk.spent()), (spent, spent), "opening it again");
}

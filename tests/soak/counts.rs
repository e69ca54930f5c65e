//! Compares the counts on the screens with those of the service.

use gantry::app::Msg;
use gantry::app::command::Scope;
use serde_json::{Value, json};

use crate::console_driver::ConsoleDriver;
use crate::fixture::SoakWorld;
use crate::sequences::press_named_key;

/// Visits every screen and compares each count; with `alone` nobody else has acted, and the meter
/// must be right without a refresh.
pub async fn compare_with_service(machine: &mut ConsoleDriver, world: &SoakWorld, alone: bool) {
    close_everything(machine).await;
    if alone {
        let (shown, used) = (
            number_after(&first_line(machine), "│ "),
            world.credits_used().await,
        );
        expect_number(
            machine,
            "the meter in the header, not read again",
            shown,
            used,
        );
    }
    let stats = compare_queue_with_service(machine, world).await;
    compare_other_screens(machine, world, &stats).await;
}

/// Closes what is open, and shows the queue.
async fn close_everything(machine: &mut ConsoleDriver) {
    for _ in 0..8 {
        press_and_settle(machine, "Esc").await;
    }
    if machine.app.has_open_question() {
        press_and_settle(machine, "Esc").await;
    }
    machine.send(Msg::Resized(160, 40));
    press_and_settle(machine, "1").await;
}

/// Compares the counts of the queue, after a refresh; returns the service's.
pub async fn compare_queue_with_service(machine: &mut ConsoleDriver, world: &SoakWorld) -> Value {
    close_everything(machine).await;
    press_named_key(machine, "F");
    press_named_key(machine, "R");
    machine.request_counts();
    machine.run_until_idle().await;

    let stats = world.get("/signals/queue/stats").await;
    let [new, high, done] = ["new_count", "high_priority_new_count", "done_count"]
        .map(|name| stats[name].as_u64().unwrap());
    let (header, used) = (first_line(machine), world.credits_used().await);
    expect_number(
        machine,
        "NEW in the header",
        number_after(&header, "NEW "),
        new,
    );
    expect_number(
        machine,
        "high in the header",
        number_after(&header, "!").or(Some(0)),
        high,
    );
    expect_number(
        machine,
        "DONE in the header",
        number_after(&header, "DONE "),
        done,
    );
    expect_number(
        machine,
        "the meter in the header",
        number_after(&header, "│ "),
        used,
    );
    // Today, New and Done.
    let mut put_off = 0;
    for key in ["'", "]", "]"] {
        press_and_settle(machine, key).await;
        let screen = machine.screen();
        let tabs = screen_line(&screen, 2);
        let title = screen_line(&screen, 3);
        if title.contains("─ Today") {
            put_off = number_after(&screen, " later   ").unwrap_or(0);
        }
        // What is snoozed on this machine is still new for everybody else. What comes later may be
        // promised, too.
        let shown = number_after(&tabs, " New ").unwrap_or(new);
        let snoozed = new.saturating_sub(shown).min(put_off);
        expect_number(
            machine,
            "the tab New",
            number_after(&tabs, " New "),
            new - snoozed,
        );
        expect_number(machine, "the tab Done", number_after(&tabs, " Done "), done);
        let total = match () {
            // It has parts of New.
            () if title.contains("─ Today") => continue,
            () if title.contains("─ Done") => done,
            () => new - snoozed,
        };
        expect_number(
            machine,
            "the list of the queue",
            number_after(&title, " of ")
                .or(number_after(&title, " ("))
                .or((total == 0).then_some(0)),
            total,
        );
    }
    stats
}

async fn compare_other_screens(machine: &mut ConsoleDriver, world: &SoakWorld, stats: &Value) {
    let views = world.get("/workspace/views").await;
    let views = response_rows(&views).len() as u64;
    press_and_settle(machine, "2").await;
    if machine.app.scope() == Scope::ViewRecords {
        press_named_key(machine, "Tab");
    }
    press_and_settle(machine, "R").await;
    expect_number_after(machine, "Saved", "─ Saved ", views);
    compare_book_lists(machine, world).await;
    press_and_settle(machine, "4").await;
    press_and_settle(machine, "R").await;
    compare_type_counts(machine, stats, "in the subscriptions");
    press_and_settle(machine, "6").await;
    press_and_settle(machine, "R").await;
    let members = world.get("/workspace/members").await;
    let members = response_rows(&members).len() as u64;
    let invitations = world.get("/workspace/invitations?status=pending").await;
    let invitations = response_rows(&invitations).len() as u64;
    expect_number_after(machine, "members", "─ Members ", members);
    expect_number_after(
        machine,
        "pending invitations",
        "─ Invitations ",
        invitations,
    );
    press_and_settle(machine, "8").await;
    press_and_settle(machine, "R").await;
    let used = world.credits_used().await;
    expect_number_after(machine, "the meter of Credits", "│ ", used);
    press_and_settle(machine, "9").await;
    if machine.screen().contains("PAUSED") {
        press_and_settle(machine, "Space").await;
        machine.request_counts();
        machine.run_until_idle().await;
    }
    compare_type_counts(machine, stats, "on the dashboard");
}

/// Each list of the book, refreshed.
async fn compare_book_lists(machine: &mut ConsoleDriver, world: &SoakWorld) {
    press_and_settle(machine, "3").await;
    for _ in 0..3 {
        press_and_settle(machine, "R").await;
        if machine.app.has_open_question() {
            press_and_settle(machine, "Enter").await;
        }
        let screen = machine.screen();
        let Some(family) = ["accounts", "contacts", "projects"]
            .into_iter()
            .find(|family| screen.contains(&format!("Book › {family}")))
        else {
            return machine.report_violation(format!("the book is not shown:\n{screen}"));
        };
        let body = json!({"limit": 1});
        let said = world
            .service
            .post(
                &world.member_caller(0),
                &format!("/workspace/{family}/search"),
                body,
            )
            .await
            .ok();
        let total = said["metadata"]["total"].as_u64().unwrap();
        let foot = screen
            .lines()
            .rev()
            .find(|line| line.contains(" of ") && line.contains(" by "))
            .unwrap_or_default()
            .to_owned();
        if !foot.is_empty() {
            expect_number(
                machine,
                &format!("the list of {family}"),
                number_after(&foot, " of "),
                total,
            );
        }
        press_and_settle(machine, "]").await;
    }
}

/// The counts by type, wherever a line begins with the type.
fn compare_type_counts(machine: &mut ConsoleDriver, stats: &Value, place: &str) {
    let screen = machine.screen();
    for count in stats["type_counts"].as_array().unwrap() {
        let kind = count["signal_type"].as_str().unwrap().replace('_', " ");
        let rest = screen.lines().find_map(|line| {
            let line = line.trim_start_matches(['│', '▌', '●', ' ']);
            let rest = line.strip_prefix(kind.as_str())?.split("││").next()?;
            // The dashboard also has rows of signals, which begin with their type.
            let is_count = place != "on the dashboard" || !rest.contains(char::is_alphabetic);
            is_count.then(|| rest.to_owned())
        });
        let shown = rest.and_then(|rest| {
            rest.split_whitespace()
                .find_map(|word| word.replace(',', "").parse::<u64>().ok())
        });
        if shown.is_some() {
            expect_number(
                machine,
                &format!("{kind} {place}"),
                shown,
                count["new_count"].as_u64().unwrap(),
            );
        }
    }
}

async fn press_and_settle(machine: &mut ConsoleDriver, key: &str) {
    press_named_key(machine, key);
    machine.run_until_idle().await;
}

pub fn response_rows(answer: &Value) -> &[Value] {
    let inner = if answer["data"].is_object() {
        &answer["data"]
    } else {
        answer
    };
    let list = ["data", "views", "members", "invitations"]
        .into_iter()
        .find_map(|name| inner[name].as_array());
    list.unwrap_or_else(|| panic!("a list: {answer}"))
}

fn screen_line(screen: &str, nth: usize) -> String {
    screen.lines().nth(nth).unwrap_or_default().to_owned()
}

fn first_line(machine: &ConsoleDriver) -> String {
    screen_line(&machine.screen(), 0)
}

/// The number after these words.
fn number_after(text: &str, words: &str) -> Option<u64> {
    text.match_indices(words).find_map(|(at, _)| {
        let digits: String = text[at + words.len()..]
            .chars()
            .take_while(|c| c.is_ascii_digit() || *c == ',')
            .collect();
        digits.replace(',', "").parse().ok()
    })
}

fn expect_number_after(machine: &mut ConsoleDriver, what: &str, words: &str, truth: u64) {
    let shown = number_after(&machine.screen(), words);
    expect_number(machine, what, shown, truth);
}

fn expect_number(machine: &mut ConsoleDriver, what: &str, shown: Option<u64>, truth: u64) {
    if shown != Some(truth) {
        let screen: Vec<String> = machine
            .screen()
            .lines()
            .take(12)
            .map(str::to_owned)
            .collect();
        machine.report_violation(format!(
            "{what}: shown {shown:?}, the service says {truth}\n{}",
            screen.join("\n")
        ));
    }
}

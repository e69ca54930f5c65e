//! What the screens say at the end against what the service says.

use gantry::app::Msg;
use gantry::app::command::Scope;
use serde_json::{Value, json};

use crate::machine::Machine;
use crate::sequences::press;
use crate::world::World;

/// Goes to every screen and compares each count; with `alone` nobody else has acted, and the meter is right without being read again.
pub async fn compare(machine: &mut Machine, world: &World, alone: bool) {
    for _ in 0..8 {
        go(machine, "Esc").await;
    }
    if machine.app.has_open_question() {
        go(machine, "Esc").await;
    }
    machine.send(Msg::Resized(160, 40));
    go(machine, "1").await;
    if alone {
        let (shown, used) = (after(&first_line(machine), "│ "), world.used().await);
        expect(machine, "the meter in the header, not read again", shown, used);
    }
    press(machine, "F");
    press(machine, "R");
    machine.ask_counts();
    machine.settle().await;

    let stats = world.get("/signals/queue/stats").await;
    let [new, high, done] = ["new_count", "high_priority_new_count", "done_count"].map(|name| stats[name].as_u64().unwrap());
    let (header, used) = (first_line(machine), world.used().await);
    expect(machine, "NEW in the header", after(&header, "NEW "), new);
    expect(machine, "high in the header", after(&header, "!").or(Some(0)), high);
    expect(machine, "DONE in the header", after(&header, "DONE "), done);
    expect(machine, "the meter in the header", after(&header, "│ "), used);
    for key in ["[", "]"] {
        go(machine, key).await;
        let screen = machine.screen();
        let tabs = line(&screen, 2);
        expect(machine, "the tab New", after(&tabs, " New "), new);
        expect(machine, "the tab Done", after(&tabs, " Done "), done);
        let title = line(&screen, 3);
        let total = if title.contains(" Done ") { done } else { new };
        expect(
            machine,
            "the list of the queue",
            after(&title, " of ").or(after(&title, " over ")).or((total == 0).then_some(0)),
            total,
        );
    }

    let views = world.get("/workspace/views").await;
    let views = rows(&views).len() as u64;
    go(machine, "2").await;
    if machine.app.scope() == Scope::ViewRecords {
        press(machine, "Tab");
    }
    go(machine, "R").await;
    expect_after(machine, "Views", "─ Views ", views);
    books(machine, world).await;
    go(machine, "4").await;
    go(machine, "R").await;
    types(machine, &stats, "in the subscriptions");
    go(machine, "6").await;
    go(machine, "R").await;
    let members = world.get("/workspace/members").await;
    let members = rows(&members).len() as u64;
    let invitations = world.get("/workspace/invitations?status=pending").await;
    let invitations = rows(&invitations).len() as u64;
    expect_after(machine, "members", "─ Members ", members);
    expect_after(machine, "pending invitations", "─ Invitations ", invitations);
    go(machine, "8").await;
    go(machine, "R").await;
    let used = world.used().await;
    expect_after(machine, "the meter of Credits", "│ ", used);
    go(machine, "9").await;
    if machine.screen().contains("PAUSED") {
        go(machine, "Space").await;
        machine.ask_counts();
        machine.settle().await;
    }
    types(machine, &stats, "on the wallboard");
}

/// Each list of the book, read again.
async fn books(machine: &mut Machine, world: &World) {
    go(machine, "3").await;
    for _ in 0..3 {
        go(machine, "R").await;
        if machine.app.has_open_question() {
            go(machine, "Enter").await;
        }
        let screen = machine.screen();
        let Some(family) =
            ["accounts", "contacts", "projects"].into_iter().find(|family| screen.contains(&format!("Book › {family}")))
        else {
            return machine.breaks(format!("the book is not there:\n{screen}"));
        };
        let body = json!({"limit": 1});
        let said = world.desk.post(&world.member(0), &format!("/workspace/{family}/search"), body).await.ok();
        let total = said["metadata"]["total"].as_u64().unwrap();
        let foot =
            screen.lines().rev().find(|line| line.contains(" of ") && line.contains(" by ")).unwrap_or_default().to_owned();
        if !foot.is_empty() {
            expect(machine, &format!("the list of {family}"), after(&foot, " of "), total);
        }
        go(machine, "]").await;
    }
}

/// The counts by type, wherever a line begins with the type.
fn types(machine: &mut Machine, stats: &Value, place: &str) {
    let screen = machine.screen();
    for count in stats["type_counts"].as_array().unwrap() {
        let kind = count["signal_type"].as_str().unwrap().replace('_', " ");
        let rest = screen.lines().find_map(|line| {
            let line = line.trim_start_matches(['│', '▌', '●', ' ']);
            Some(line.strip_prefix(kind.as_str())?.split("││").next().unwrap_or_default().to_owned())
        });
        let shown = rest.and_then(|rest| rest.split_whitespace().find_map(|word| word.replace(',', "").parse::<u64>().ok()));
        if shown.is_some() {
            expect(machine, &format!("{kind} {place}"), shown, count["new_count"].as_u64().unwrap());
        }
    }
}

async fn go(machine: &mut Machine, key: &str) {
    press(machine, key);
    machine.settle().await;
}

fn rows(answer: &Value) -> &[Value] {
    let inner = if answer["data"].is_object() { &answer["data"] } else { answer };
    let list = ["data", "views", "members", "invitations"].into_iter().find_map(|name| inner[name].as_array());
    list.unwrap_or_else(|| panic!("a list: {answer}"))
}

fn line(screen: &str, nth: usize) -> String {
    screen.lines().nth(nth).unwrap_or_default().to_owned()
}

fn first_line(machine: &Machine) -> String {
    line(&machine.screen(), 0)
}

/// The number behind some words.
fn after(text: &str, words: &str) -> Option<u64> {
    text.match_indices(words).find_map(|(at, _)| {
        let digits: String = text[at + words.len()..].chars().take_while(|c| c.is_ascii_digit() || *c == ',').collect();
        digits.replace(',', "").parse().ok()
    })
}

fn expect_after(machine: &mut Machine, what: &str, words: &str, truth: u64) {
    let shown = after(&machine.screen(), words);
    expect(machine, what, shown, truth);
}

fn expect(machine: &mut Machine, what: &str, shown: Option<u64>, truth: u64) {
    if shown != Some(truth) {
        let screen: Vec<String> = machine.screen().lines().take(12).map(str::to_owned).collect();
        machine.breaks(format!("{what}: shown {shown:?}, the service says {truth}\n{}", screen.join("\n")));
    }
}

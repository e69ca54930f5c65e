//! Two people annotate the same records, one by one and many at once: what either of them wrote is there until somebody who saw it
//! takes it away.
//!
//! `GANTRY_MINUTES` says for how long; when it is not set, a few rounds are made. Between the last read of a record and its write the
//! interface leaves a moment in which a write of somebody else is not seen; nobody acts within that moment here.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use gantry::app::command::Scope;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use crate::machine::Machine;
use crate::sequences::{number, press};
use crate::world::World;

/// Rounds in `cargo test`; in each both write once.
const ROUNDS: usize = 12;
/// The records that both work on.
const RECORDS: u32 = 50;

/// The claims on several records, and on one that was read less than ten seconds ago, wait for the write path to read them again.
const MANY_ARE_READ_AGAIN: bool = false;

/// What stands on a record: the words in its status, tags and note.
type Words = BTreeSet<String>;
/// What stands on each record.
type Book = BTreeMap<String, Words>;

#[test]
fn what_two_people_write_on_the_same_records_is_never_gone_unseen() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (broken, writes) = runtime.block_on(work());
    assert!(writes > 5, "{writes} writes");
    assert!(broken.is_empty(), "{} of {writes} writes:\n{}", broken.len(), broken.join("\n"));
}

async fn work() -> (Vec<String>, usize) {
    let world = World::new(5, 40, RECORDS).await;
    let mut chance = ChaCha8Rng::seed_from_u64(number("GANTRY_SEED", 22));
    let (bens, _home) = world.another(1).await;
    let mut people = [Machine::new(world.way.clone(), None, false, (160, 60)), Machine::new(bens, None, false, (160, 60))];
    for person in &mut people {
        person.settle().await;
        for key in ["3", "Enter"] {
            press(person, key);
            person.settle().await;
        }
    }
    let until = std::env::var("GANTRY_MINUTES").is_ok().then(|| Duration::from_secs(60 * number("GANTRY_MINUTES", 10)));
    let (began, mut broken, mut writes, mut round) = (Instant::now(), Vec::new(), 0, 0);
    while until.map_or(round < ROUNDS, |until| began.elapsed() < until) {
        round += 1;
        let first = chance.random_range(0..2);
        let words = [format!("w{round}a"), format!("w{round}b")];
        // Both begin; one of them writes, and then the other does what was begun before.
        let interleaved = chance.random_bool(0.5);
        let mut acts = Vec::new();
        for who in [first, 1 - first] {
            if !MANY_ARE_READ_AGAIN {
                people[who].later();
            }
            acts.push((who, begin(&mut people[who], &words[who], &mut chance).await));
            if !interleaved {
                let (who, act) = acts.remove(0);
                writes += usize::from(finish(&world, &mut people[who], who, &act, &mut broken, round).await);
            }
        }
        for (who, act) in acts {
            writes += usize::from(finish(&world, &mut people[who], who, &act, &mut broken, round).await);
        }
        // At times both wait until what they know is old.
        if chance.random_bool(0.3) {
            people.iter_mut().for_each(Machine::later);
        }
    }
    broken.extend(people.iter_mut().flat_map(|person| std::mem::take(&mut person.broken)));
    (broken, writes)
}

/// Chooses records, opens the sheet and types; what that was, in words.
async fn begin(person: &mut Machine, word: &str, chance: &mut ChaCha8Rng) -> String {
    for key in ["3", "*", "n", "g", "g"] {
        press(person, key);
    }
    for _ in 0..chance.random_range(0..12) {
        press(person, "j");
    }
    let many = match chance.random_range(0..if MANY_ARE_READ_AGAIN { 4 } else { 1 }) {
        0 => 0,
        1 => chance.random_range(2..10),
        2 => chance.random_range(10..30),
        _ => RECORDS,
    };
    if many == RECORDS {
        ["*", "a"].into_iter().for_each(|key| press(person, key));
    } else {
        (0..many).for_each(|_| press(person, "Space"));
    }
    let (line, operation) = [("n", 0), ("n", 0), ("n", 1), ("t", 0), ("t", 0), ("t", 1), ("s", 0)][chance.random_range(0..7)];
    ["a", line].into_iter().for_each(|key| press(person, key));
    person.settle().await;
    if person.app.scope() != Scope::Sheet {
        return String::new();
    }
    if line == "n" {
        press(person, "Esc");
    }
    // What was typed last time and is offered again is not this person's wish now.
    press(person, "Ctrl-x");
    // The note opens with its first operation, the others with none.
    (0..operation + usize::from(line != "n")).for_each(|_| press(person, "Right"));
    let apart = if line == "n" { format!(" {word}") } else { word.to_owned() };
    for c in apart.chars() {
        person.key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE));
    }
    format!("{word} by {line} {} on {}", ["append or add or set", "set"][operation], many.max(1))
}

/// Writes what was begun, answering what is asked; whether anything was written. What is gone was on the screen.
async fn finish(world: &World, person: &mut Machine, who: usize, act: &str, broken: &mut Vec<String>, round: usize) -> bool {
    if act.is_empty() {
        return false;
    }
    let before = book(world).await;
    let mut seen = String::new();
    for _ in 0..5 {
        if person.app.scope() != Scope::Sheet && !person.app.has_question() {
            break;
        }
        seen.push_str(&person.screen());
        press(person, if person.app.has_question() { "Enter" } else { "Ctrl-s" });
        person.settle().await;
    }
    // Nothing would change, or both changed the same lines of a note and somebody has to choose.
    for _ in 0..8 {
        if person.app.scope() == Scope::Sheet || person.app.has_question() {
            press(person, "Esc");
            person.settle().await;
        }
    }
    let after = book(world).await;
    for (record, words) in &before {
        for word in words.difference(&after[record]) {
            if !seen.contains(word.as_str()) {
                let name = ["Ana", "Ben"][who];
                broken.push(format!(
                    "round {round}: {word} on {record} is gone when {name} writes {act}, who never saw it\n{seen}"
                ));
            }
        }
    }
    before != after
}

/// What the service has, asked past both of them.
async fn book(world: &World) -> Book {
    let body = json!({"limit": 100});
    let said = world.desk.post(&world.member(0), "/workspace/accounts/search", body).await.ok();
    let words = |row: &Value| {
        let tags = row["tags"].as_array().cloned().unwrap_or_default();
        let texts = [&row["workspace_status"], &row["notes"]].into_iter().chain(&tags);
        let each = texts.filter_map(Value::as_str).flat_map(str::split_whitespace);
        each.filter(|word| is_ours(word)).map(str::to_owned).collect::<Words>()
    };
    said["data"].as_array().unwrap().iter().map(|row| (row["name"].as_str().unwrap().to_owned(), words(row))).collect()
}

/// `w12a`: a word that one of them has written.
fn is_ours(word: &str) -> bool {
    word.strip_prefix('w').is_some_and(|rest| rest.ends_with(['a', 'b']) && rest[..rest.len() - 1].parse::<u32>().is_ok())
}

//! Two people annotate the same records, one by one and many at once: nothing that either wrote
//! disappears until somebody who saw it removes it.
//!
//! `GANTRY_MINUTES` sets the duration; by default a few rounds are made. Between the last read of a
//! record and its write the interface leaves a gap in which another write is not seen; nobody acts
//! in that gap here.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use gantry::app::command::Scope;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use crate::console_driver::ConsoleDriver;
use crate::fixture::SoakWorld;
use crate::sequences::{env_number, press_named_key};

/// Rounds in `cargo test`; in each both write once.
const DEFAULT_ROUNDS: usize = 12;
/// A workspace has 250,000 credits a day: a new one is created before they are used up.
const CREDITS_OF_A_WORLD: u64 = 200_000;
/// The records that both annotate.
const RECORD_COUNT: u32 = 50;
/// Tall enough for the annotation form to show all records that it would change.
const SCREEN_SIZE: (u16, u16) = (160, 2400);

/// The words in the status, tags and note of a record.
type Words = BTreeSet<String>;
/// The words on each record.
type Book = BTreeMap<String, Words>;

/// An edit that was begun.
struct PendingEdit {
    description: String,
    records: u32,
}

/// Statistics over all writes.
#[derive(Debug, Default)]
struct AnnotatorStats {
    rounds: usize,
    writes: usize,
    /// Writes that were begun for several records.
    bulk_writes: usize,
    /// Writes that were shown again first, because somebody had changed the records.
    conflicts_shown: usize,
    /// Words that were overwritten by somebody to whom they were shown.
    overwritten: usize,
    violations: Vec<String>,
}

#[test]
fn two_people_never_overwrite_each_others_edits_unseen() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let counts = runtime.block_on(run_rounds());
    let AnnotatorStats {
        rounds,
        writes,
        bulk_writes,
        conflicts_shown: shown_again,
        overwritten,
        violations: broken,
    } = &counts;
    eprintln!(
        "{rounds} rounds, {writes} writes, {bulk_writes} of them on several records, {shown_again} shown again; \
         {overwritten} words overwritten after they were shown, {} unseen",
        broken.len()
    );
    assert!(
        broken.is_empty(),
        "{} of {writes} writes:\n{}",
        broken.len(),
        broken.join("\n")
    );
    assert!(
        *writes > 5 && *bulk_writes > 5 && *shown_again > 0,
        "{counts:?}"
    );
}

async fn run_rounds() -> AnnotatorStats {
    let mut rng = ChaCha8Rng::seed_from_u64(env_number("GANTRY_SEED", 24));
    let until = std::env::var("GANTRY_MINUTES")
        .is_ok()
        .then(|| Duration::from_secs(60 * env_number("GANTRY_MINUTES", 10)));
    let (began, mut counts) = (Instant::now(), AnnotatorStats::default());
    let is_over = |counts: &AnnotatorStats| {
        until.map_or(counts.rounds >= DEFAULT_ROUNDS, |until| {
            began.elapsed() >= until
        })
    };
    while !is_over(&counts) {
        let world = SoakWorld::new(5, 40, RECORD_COUNT).await;
        let (bens, _home) = world.connect_member(1).await;
        let mut people = [
            ConsoleDriver::new(world.backend.clone(), None, false, SCREEN_SIZE),
            ConsoleDriver::new(bens, None, false, SCREEN_SIZE),
        ];
        for person in &mut people {
            person.run_until_idle().await;
            for key in ["3", "Enter"] {
                press_named_key(person, key);
                // The digit waits for a count.
                person.run_for(chrono::Duration::seconds(1)).await;
                person.run_until_idle().await;
            }
        }
        while !is_over(&counts) && world.credits_used().await < CREDITS_OF_A_WORLD {
            play_round(&world, &mut people, &mut rng, &mut counts).await;
        }
        counts.violations.extend(
            people
                .iter_mut()
                .flat_map(|person| std::mem::take(&mut person.violations)),
        );
    }
    counts
}

/// Both write something, one after the other or at the same time.
async fn play_round(
    world: &SoakWorld,
    people: &mut [ConsoleDriver; 2],
    rng: &mut ChaCha8Rng,
    counts: &mut AnnotatorStats,
) {
    counts.rounds += 1;
    let round = counts.rounds;
    let first = rng.random_range(0..2);
    let words = [format!("w{round}a"), format!("w{round}b")];
    // Both begin; one of them writes, then the other continues.
    let interleaved = rng.random_bool(0.5);
    let mut acts = Vec::new();
    for who in [first, 1 - first] {
        acts.push((who, begin_edit(&mut people[who], &words[who], rng).await));
        if !interleaved {
            let (who, act) = acts.remove(0);
            finish_edit(world, &mut people[who], who, act, counts).await;
        }
    }
    for (who, act) in acts {
        finish_edit(world, &mut people[who], who, act, counts).await;
    }
    // Sometimes both wait until their data is outdated.
    if rng.random_bool(0.3) {
        people.iter_mut().for_each(ConsoleDriver::advance_minute);
    }
}

/// Selects records, opens the form and types; `None` if no form opened.
async fn begin_edit(
    person: &mut ConsoleDriver,
    word: &str,
    rng: &mut ChaCha8Rng,
) -> Option<PendingEdit> {
    press_named_key(person, "3");
    person.run_for(chrono::Duration::seconds(1)).await;
    for key in ["*", "n", "g", "g"] {
        press_named_key(person, key);
    }
    for _ in 0..rng.random_range(0..12) {
        press_named_key(person, "j");
    }
    let many = match rng.random_range(0..4) {
        0 => 0,
        1 => rng.random_range(2..10),
        2 => rng.random_range(10..30),
        _ => RECORD_COUNT,
    };
    if many == RECORD_COUNT {
        ["*", "a"]
            .into_iter()
            .for_each(|key| press_named_key(person, key));
    } else {
        (0..many).for_each(|_| press_named_key(person, "Space"));
    }
    let (line, operation) = [
        ("n", 0),
        ("n", 0),
        ("n", 1),
        ("t", 0),
        ("t", 0),
        ("t", 1),
        ("s", 0),
    ][rng.random_range(0..7)];
    ["a", line]
        .into_iter()
        .for_each(|key| press_named_key(person, key));
    person.run_until_idle().await;
    if person.app.scope() != Scope::AnnotationForm {
        return None;
    }
    if line == "n" {
        press_named_key(person, "Esc");
    }
    // A draft offered from last time is not wanted now.
    press_named_key(person, "Ctrl-x");
    // The note starts with its first operation, the others with none.
    (0..operation + usize::from(line != "n")).for_each(|_| press_named_key(person, "Right"));
    let apart = if line == "n" {
        format!(" {word}")
    } else {
        word.to_owned()
    };
    for c in apart.chars() {
        person.press_key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE));
    }
    let operation = match (line, operation) {
        ("n", 0) => "append to the note",
        ("t", 0) => "add to the tags",
        ("n", _) => "set the note",
        ("t", _) => "set the tags",
        _ => "set the status",
    };
    Some(PendingEdit {
        description: format!("{word}: {operation} of {}", many.max(1)),
        records: many.max(1),
    })
}

/// Writes what was begun, answering all questions. Whatever disappears must have been shown on the
/// form, under its record.
async fn finish_edit(
    world: &SoakWorld,
    person: &mut ConsoleDriver,
    who: usize,
    begun: Option<PendingEdit>,
    counts: &mut AnnotatorStats,
) {
    let Some(begun) = begun else { return };
    let before = read_book(world).await;
    let (mut shown, mut sheets) = (Vec::new(), 0);
    for _ in 0..5 {
        let has_question = person.app.has_open_question();
        if person.app.scope() != Scope::AnnotationForm && !has_question {
            break;
        }
        if !has_question {
            shown.extend(changes_on_form(&person.screen()));
            sheets += 1;
        }
        for key in if has_question {
            &["y", "Enter"][..]
        } else {
            &["Ctrl-s"]
        } {
            press_named_key(person, key);
        }
        person.run_until_idle().await;
    }
    // Nothing would change, or both changed the same lines of a note and somebody has to choose.
    for _ in 0..8 {
        if person.app.scope() == Scope::AnnotationForm || person.app.has_open_question() {
            press_named_key(person, "Esc");
            person.run_until_idle().await;
        }
    }
    let after = read_book(world).await;
    for (record, words) in &before {
        for word in words.difference(&after[record]) {
            let is_of = |name: &str| {
                name.strip_suffix('…')
                    .map_or(name == record, |cut| record.starts_with(cut))
            };
            if shown
                .iter()
                .any(|(name, line)| is_of(name) && line.contains(word.as_str()))
            {
                counts.overwritten += 1;
                continue;
            }
            let (round, name, act) = (counts.rounds, ["Ana", "Ben"][who], &begun.description);
            let lines: Vec<_> = shown.iter().filter(|(name, _)| is_of(name)).collect();
            counts.violations.push(format!(
                "round {round}: {word} on {record} is gone after {name} did {act}, to whom it was not shown: {lines:?}"
            ));
        }
    }
    let wrote = before != after;
    counts.writes += usize::from(wrote);
    counts.bulk_writes += usize::from(wrote && begun.records > 1);
    counts.conflicts_shown += usize::from(wrote && sheets > 1);
}

/// The lines below "what changes", each with the name of its record, which is truncated if long.
fn changes_on_form(screen: &str) -> Vec<(String, String)> {
    let sheet = screen
        .lines()
        .filter_map(|line| line.split_once("││"))
        .map(|(_, sheet)| sheet);
    let mut lines = Vec::new();
    let mut record = String::new();
    for line in sheet
        .skip_while(|line| !line.contains("what changes"))
        .skip(1)
    {
        let name: String = line.chars().skip(1).take(22).collect();
        if !name.trim().is_empty() {
            record = name.trim().to_owned();
        }
        lines.push((record.clone(), line.chars().skip(23).collect()));
    }
    lines
}

/// The service's data, read directly.
async fn read_book(world: &SoakWorld) -> Book {
    let body = json!({"limit": 100});
    let said = world
        .service
        .post(&world.member_caller(0), "/workspace/accounts/search", body)
        .await
        .ok();
    let words = |row: &Value| {
        let tags = row["tags"].as_array().cloned().unwrap_or_default();
        let texts = [&row["workspace_status"], &row["notes"]]
            .into_iter()
            .chain(&tags);
        let each = texts
            .filter_map(Value::as_str)
            .flat_map(str::split_whitespace);
        each.filter(|word| is_test_word(word))
            .map(str::to_owned)
            .collect::<Words>()
    };
    said["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["name"].as_str().unwrap().to_owned(), words(row)))
        .collect()
}

/// `w12a`: a word written by one of them.
fn is_test_word(word: &str) -> bool {
    word.strip_prefix('w').is_some_and(|rest| {
        rest.ends_with(['a', 'b']) && rest[..rest.len() - 1].parse::<u32>().is_ok()
    })
}

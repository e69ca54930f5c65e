//! Two people, each at a console, and a third one's script, which runs the built program's verbs,
//! act on the same signals at random: nobody's action is undone by somebody else without a question
//! that names them, and once everything is answered every count on every screen is right.
//!
//! `GANTRY_ACTIONS` sets the number of actions (150 by default), `GANTRY_SEED` the seed. Between
//! the check of an undo and its write the interface leaves a gap in which another triage is not
//! seen; nobody acts in that gap here.

use std::collections::HashMap;
use std::path::Path;

use gantry::domain::journal::{EntryCause, JournalChange};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use tokio::process::Command;

use crate::console_driver::ConsoleDriver;
use crate::counts;
use crate::fixture::SoakWorld;
use crate::sequences::{env_number, press_named_key};

/// Actions in `cargo test`.
const DEFAULT_ACTIONS: u64 = 150;

/// Who did what is done, by signal: a member's id.
type DoneBy = HashMap<String, String>;

/// One of the people at a console.
struct Actor {
    console: ConsoleDriver,
    id: String,
}

/// The first names of the members, by id.
type Names = HashMap<String, String>;

#[test]
fn nobody_undoes_the_action_of_somebody_else_without_a_question_that_names_them() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let seed = env_number("GANTRY_SEED", 1);
    let actions = env_number("GANTRY_ACTIONS", DEFAULT_ACTIONS);
    let Findings { broken, own, named } = runtime.block_on(act(seed, actions));
    eprintln!(
        "{actions} actions: {own} own signals put back, and {named} of somebody else after a question that names them"
    );
    assert!(
        broken.is_empty(),
        "seed {seed}: {} claims do not hold:\n{}",
        broken.len(),
        broken.join("\n")
    );
}

/// What undo and redo put back.
#[derive(Default)]
struct Findings {
    broken: Vec<String>,
    /// Signals that the same person had marked done.
    own: usize,
    /// Signals of somebody else whom the question named.
    named: usize,
}

async fn act(seed: u64, actions: u64) -> Findings {
    let world = SoakWorld::new(seed, 12, 5).await;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (other, _home) = world.connect_member(1).await;
    let id = |n: usize| world.service.workspace(0).members[n].user_id.to_string();
    let mut actors = [
        Actor {
            console: ConsoleDriver::new(world.backend.clone(), None, false, (160, 40)),
            id: id(0),
        },
        Actor {
            console: ConsoleDriver::new(other, None, false, (120, 36)),
            id: id(1),
        },
    ];
    let names = first_names(&world).await;
    let mut found = Findings::default();
    for actor in &mut actors {
        actor.console.run_until_idle().await;
    }
    let script_home = tempfile::tempdir().unwrap();
    for _ in 0..actions {
        match rng.random_range(0..10) {
            0 => act_by_script(&world, script_home.path(), &mut rng).await,
            n => {
                let actor = &mut actors[usize::from(n % 2 == 0)];
                act_at_console(actor, &world, &names, &mut rng, &mut found).await;
            }
        }
    }
    for actor in &mut actors {
        counts::compare_queue_with_service(&mut actor.console, &world).await;
        found.broken.append(&mut actor.console.violations);
    }
    found
}

async fn first_names(world: &SoakWorld) -> Names {
    let members = world.get("/workspace/members").await;
    let name = |member: &Value| {
        let name = ["first_name", "display_name", "email"]
            .into_iter()
            .find_map(|field| member[field].as_str())?;
        Some((
            member["id"].as_str()?.to_owned(),
            name.split([' ', '@']).next()?.to_owned(),
        ))
    };
    counts::response_rows(&members)
        .iter()
        .filter_map(name)
        .collect()
}

/// A few signals are marked done, or put back, by a third person's script.
async fn act_by_script(world: &SoakWorld, home: &Path, rng: &mut ChaCha8Rng) {
    let script = world.member_caller(2);
    let (from, to) = if rng.random_bool(0.7) {
        ("new", "done")
    } else {
        ("done", "new")
    };
    let rows = world
        .service
        .get(&script, &format!("/signals/queue?status={from}&limit=10"))
        .await
        .body;
    let ids = rows["signals"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|row| row["id"].as_str());
    let some: Vec<&str> = ids.filter(|_| rng.random_bool(0.3)).collect();
    if some.is_empty() {
        return;
    }
    let mut verb = Command::new(env!("CARGO_BIN_EXE_gantry"));
    verb.env_clear()
        .env("HOME", home)
        .env("GANTRY_BASE_URL", world.service.service.base_url());
    verb.env(
        "GANTRY_TOKEN",
        &world.service.workspace(0).members[2].access_token,
    );
    verb.env("GANTRY_WORKSPACE", world.service.workspace_id(0))
        .args(["queue", "triage", to])
        .args(some);
    let output = verb.output().await.unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(
        matches!(output.status.code(), Some(0 | 1)),
        "{}: {message}",
        output.status
    );
}

/// Who has done what is done now.
async fn done_by(world: &SoakWorld) -> DoneBy {
    let page = world.get("/signals/queue?status=done&limit=200").await;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    page["signals"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|row| (text(&row["id"]), text(&row["triaged_by"])))
        .collect()
}

/// Presses keys; an undo is followed through its check, and what it asks is compared with what it
/// would overwrite.
async fn act_at_console(
    actor: &mut Actor,
    world: &SoakWorld,
    names: &Names,
    rng: &mut ChaCha8Rng,
    found: &mut Findings,
) {
    let keys = [
        "e", "e", "e", "z", "z", "z", "Z", "j", "k", "G", "Space", "Space", "U", "[", "]", "g g",
        "R", "g u", "* n", "poll", "late",
    ];
    let key = keys[rng.random_range(0..keys.len())];
    let console = &mut actor.console;
    match key {
        "poll" => {
            console.advance_minute();
            console.poll().await;
        }
        // Some replies stay on their way.
        "late" => {
            let nth = rng.random_range(0..console.pending_count().max(1));
            console.perform_call(nth).await;
            return console.deliver_result(nth);
        }
        _ => key.split(' ').for_each(|key| press_named_key(console, key)),
    }
    if key == "g u" {
        let down = rng.random_range(0..3);
        (0..down).for_each(|_| press_named_key(console, "j"));
        press_named_key(console, "Enter");
    }
    if !matches!(key, "z" | "Z" | "g u") && rng.random_bool(0.5) {
        return check_writes(actor, &DoneBy::new(), "", names, found);
    }
    let before = done_by(world).await;
    console.run_until_idle().await;
    check_writes(actor, &before, "", names, found);
    if actor.console.app.has_open_question() {
        let question = actor.console.screen();
        let is_accepted = rng.random_bool(0.5);
        press_named_key(
            &mut actor.console,
            if is_accepted { "Enter" } else { "Esc" },
        );
        actor.console.run_until_idle().await;
        check_writes(actor, &before, &question, names, found);
        // A list or another question.
        press_named_key(&mut actor.console, "Esc");
    }
}

/// Undo and redo that were begun since the last check put back only what this person has done, or
/// what the question named.
fn check_writes(
    actor: &mut Actor,
    before: &DoneBy,
    question: &str,
    names: &Names,
    found: &mut Findings,
) {
    let words: String = question.split_whitespace().collect::<Vec<_>>().join(" ");
    for (cause, change) in actor.console.take_journaled() {
        let JournalChange::Triage { after, signals, .. } = change else {
            continue;
        };
        if cause == EntryCause::New || after.as_str() != "new" {
            continue;
        }
        for by in signals
            .iter()
            .filter_map(|signal| before.get(&signal.id.to_string()))
        {
            let name = names.get(by).map_or("?", String::as_str);
            match words.find("Changed since then") {
                _ if *by == actor.id => found.own += 1,
                Some(at) if words[at..].contains(name) => found.named += 1,
                _ => found.broken.push(format!(
                    "an undo put back what {name} had done; on the screen was: {words}"
                )),
            }
        }
    }
}

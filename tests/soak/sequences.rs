//! Random keys on every screen while a colleague works on the same things.
//!
//! `GANTRY_SEQUENCES` sets the number of sequences (24 by default), `GANTRY_SEED` the first seed.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use gantry::app::Msg;
use gantry::app::all_commands;
use gantry::app::command::Command;
use gantry::app::command::keys::Key;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::console_driver::ConsoleDriver;
use crate::counts;
use crate::fixture::SoakWorld;

/// Sequences in `cargo test`.
const DEFAULT_SEQUENCES: u64 = 24;
/// Sequences per service: their writes accumulate.
const SEQUENCES_PER_WORLD: u64 = 30;
/// Words that somebody may type into a palette, a prompt or a filter.
const TYPED_WORDS: &[&str] = &[
    "email",
    "sign",
    "invite",
    "done",
    "back",
    "delete",
    "all",
    "Austin",
    "city=Austin",
    "a@b.example",
    "watching",
    "undo",
];

/// A number from the environment.
pub fn env_number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |text| text.parse().expect("a number"))
}

/// Runs sequences on as many threads as there are cores, each with its own services; returns the
/// violations with their seeds.
fn run_sequences(read_only: bool, sequences: u64) -> Vec<String> {
    let threads = std::thread::available_parallelism().map_or(2, |n| n.get() as u64);
    let from = env_number("GANTRY_SEED", 1);
    let work = move |thread: u64| {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let (mut world, mut broken) = (None, Vec::new());
            for nth in (0..sequences).filter(|nth| nth % threads == thread) {
                if (nth / threads).is_multiple_of(SEQUENCES_PER_WORLD) {
                    world = Some(SoakWorld::new(from + nth, 40, 30).await);
                }
                let said = run_sequence(from + nth, read_only, world.as_ref().unwrap()).await;
                broken.extend(
                    said.into_iter()
                        .map(|what| format!("seed {}: {what}", from + nth)),
                );
            }
            broken
        })
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads)
            .map(|thread| scope.spawn(move || work(thread)))
            .collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    })
}

#[test]
fn no_write_is_sent_without_intent() {
    let broken = run_sequences(false, env_number("GANTRY_SEQUENCES", DEFAULT_SEQUENCES));
    assert!(
        broken.is_empty(),
        "{} claims do not hold:\n{}",
        broken.len(),
        broken.join("\n")
    );
}

#[test]
fn a_read_only_console_sends_no_write_for_any_keys() {
    let broken = run_sequences(true, env_number("GANTRY_SEQUENCES", DEFAULT_SEQUENCES) / 3);
    assert!(
        broken.is_empty(),
        "{} claims do not hold:\n{}",
        broken.len(),
        broken.join("\n")
    );
}

async fn run_sequence(seed: u64, read_only: bool, world: &SoakWorld) -> Vec<String> {
    // Half of the sequences have no colleague: then the screens must be right without a refresh.
    let (mut rng, alone) = (ChaCha8Rng::seed_from_u64(seed), seed.is_multiple_of(2));
    let size = [(120, 36), (200, 60), (80, 24), (60, 20)][rng.random_range(0..4)];
    let mut machine = ConsoleDriver::new(
        world.backend.clone(),
        Some(world.proxy.clone()),
        read_only,
        size,
    );
    machine.run_until_idle().await;
    let commands: Vec<&'static Command> = all_commands()
        .filter(|command| !command.keys.is_empty())
        .collect();
    for _ in 0..rng.random_range(10..60) {
        random_step(&mut machine, world, &commands, &mut rng, alone).await;
        if machine.has_quit {
            break;
        }
    }
    machine.run_until_idle().await;
    if !machine.has_quit {
        counts::compare_with_service(&mut machine, world, alone).await;
    }
    std::mem::take(&mut machine.violations)
}

async fn random_step(
    machine: &mut ConsoleDriver,
    world: &SoakWorld,
    commands: &[&'static Command],
    rng: &mut ChaCha8Rng,
    alone: bool,
) {
    match rng.random_range(0..100) {
        0..25 => {
            let nth = rng.random_range(0..machine.pending_count().max(1));
            machine.perform_call(nth).await;
            if rng.random_bool(0.8) {
                machine.deliver_result(nth);
            }
        }
        25..35 => machine.run_until_idle().await,
        35..40 if !alone => world.act_as_colleague(rng).await,
        40..43 => machine.advance_minute(),
        43..45 => machine.poll().await,
        45..49 => machine.click(rng.random_range(0..120), rng.random_range(0..36)),
        49 => machine.send(Msg::Paste(
            TYPED_WORDS[rng.random_range(0..TYPED_WORDS.len())].to_owned(),
        )),
        50 => machine.send(Msg::Resized(
            rng.random_range(0..200),
            rng.random_range(0..60),
        )),
        51..58 => press_named_key(machine, &rng.random_range(1..10).to_string()),
        _ if machine.app.has_open_question() => match rng.random_range(0..6) {
            0 | 1 => press_named_key(machine, "Enter"),
            2 => press_named_key(machine, "Esc"),
            3 => press_named_key(
                machine,
                ["Down", "Up", "Tab", "Space", "y"][rng.random_range(0..5)],
            ),
            _ => {
                for c in TYPED_WORDS[rng.random_range(0..TYPED_WORDS.len())].chars() {
                    machine.press_key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE));
                }
            }
        },
        _ => {
            let here: Vec<&&'static Command> = commands
                .iter()
                .filter(|command| machine.app.scope().includes(command))
                .collect();
            let from = if rng.random_bool(0.9) && !here.is_empty() {
                *here[rng.random_range(0..here.len())]
            } else {
                commands[rng.random_range(0..commands.len())]
            };
            let keys = from.keys[rng.random_range(0..from.keys.len())];
            keys.split(' ')
                .for_each(|key| press_named_key(machine, key));
        }
    }
}

/// Presses a key by its name.
pub fn press_named_key(machine: &mut ConsoleDriver, key: &str) {
    let key = Key::parse(key).unwrap_or_else(|| Key::parse("Ctrl-s").unwrap());
    machine.press_key(key.to_event());
}

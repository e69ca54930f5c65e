//! Random keys on every screen while a colleague works on the same things.
//!
//! `GANTRY_SEQUENCES` says how many sequences (24 when it is not set), `GANTRY_SEED` which is the first.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use gantry::app::Msg;
use gantry::app::command::keys::Key;
use gantry::app::command::{self, Command};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::counts;
use crate::machine::Machine;
use crate::world::World;

/// Sequences in `cargo test`.
const SEQUENCES: u64 = 24;
/// Sequences of one world: what they write piles up.
const A_WORLD: u64 = 30;
/// Words that somebody may type into a palette, a prompt or a filter.
const WORDS: &[&str] =
    &["email", "sign", "invite", "done", "back", "delete", "all", "Austin", "city=Austin", "a@b.example", "watching", "undo"];

/// A number from the environment.
pub fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |text| text.parse().expect("a number"))
}

/// Runs sequences on as many threads as the machine has, each with worlds of its own; what each breaks, with its seed.
fn run(read_only: bool, sequences: u64) -> Vec<String> {
    let threads = std::thread::available_parallelism().map_or(2, |n| n.get() as u64);
    let from = number("GANTRY_SEED", 1);
    let work = move |thread: u64| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (mut world, mut broken) = (None, Vec::new());
            for nth in (0..sequences).filter(|nth| nth % threads == thread) {
                if (nth / threads).is_multiple_of(A_WORLD) {
                    world = Some(World::new(from + nth, 40, 30).await);
                }
                let said = sequence(from + nth, read_only, world.as_ref().unwrap()).await;
                broken.extend(said.into_iter().map(|what| format!("seed {}: {what}", from + nth)));
            }
            broken
        })
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|thread| scope.spawn(move || work(thread))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn nothing_is_written_that_nobody_meant() {
    let broken = run(false, number("GANTRY_SEQUENCES", SEQUENCES));
    assert!(broken.is_empty(), "{} claims do not hold:\n{}", broken.len(), broken.join("\n"));
}

#[test]
fn a_read_only_console_sends_no_write_whatever_is_pressed() {
    let broken = run(true, number("GANTRY_SEQUENCES", SEQUENCES) / 3);
    assert!(broken.is_empty(), "{} claims do not hold:\n{}", broken.len(), broken.join("\n"));
}

async fn sequence(seed: u64, read_only: bool, world: &World) -> Vec<String> {
    // Half of the sequences without a colleague: what is shown is to be right without being read again.
    let (mut chance, alone) = (ChaCha8Rng::seed_from_u64(seed), seed.is_multiple_of(2));
    let size = [(120, 36), (200, 60), (80, 24), (60, 20)][chance.random_range(0..4)];
    let mut machine = Machine::new(world.way.clone(), Some(world.tap.clone()), read_only, size);
    machine.settle().await;
    let commands: Vec<&Command> = command::all_commands().filter(|command| !command.keys.is_empty()).collect();
    for _ in 0..chance.random_range(10..60) {
        step(&mut machine, world, &commands, &mut chance, alone).await;
        if machine.has_quit {
            break;
        }
    }
    machine.settle().await;
    if !machine.has_quit {
        counts::compare(&mut machine, world, alone).await;
    }
    std::mem::take(&mut machine.broken)
}

async fn step(machine: &mut Machine, world: &World, commands: &[&Command], chance: &mut ChaCha8Rng, alone: bool) {
    match chance.random_range(0..100) {
        0..25 => {
            let nth = chance.random_range(0..machine.waiting().max(1));
            machine.perform(nth).await;
            if chance.random_bool(0.8) {
                machine.deliver(nth);
            }
        }
        25..35 => machine.settle().await,
        35..40 if !alone => world.colleague(chance).await,
        40..43 => machine.later(),
        43..45 => machine.poll().await,
        45..49 => machine.click(chance.random_range(0..120), chance.random_range(0..36)),
        49 => machine.send(Msg::Paste(WORDS[chance.random_range(0..WORDS.len())].to_owned())),
        50 => machine.send(Msg::Resized(chance.random_range(0..200), chance.random_range(0..60))),
        51..58 => press(machine, &chance.random_range(1..10).to_string()),
        _ if machine.app.has_open_question() => match chance.random_range(0..6) {
            0 | 1 => press(machine, "Enter"),
            2 => press(machine, "Esc"),
            3 => press(machine, ["Down", "Up", "Tab", "Space", "y"][chance.random_range(0..5)]),
            _ => {
                for c in WORDS[chance.random_range(0..WORDS.len())].chars() {
                    machine.key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE));
                }
            }
        },
        _ => {
            let here: Vec<&&Command> = commands.iter().filter(|command| machine.app.scope().includes(command)).collect();
            let from = if chance.random_bool(0.9) && !here.is_empty() {
                here[chance.random_range(0..here.len())]
            } else {
                commands[chance.random_range(0..commands.len())]
            };
            let keys = from.keys[chance.random_range(0..from.keys.len())];
            keys.split(' ').for_each(|key| press(machine, key));
        }
    }
}

/// Presses a key by its name.
pub fn press(machine: &mut Machine, key: &str) {
    let key = Key::parse(key).unwrap_or_else(|| Key::parse("Ctrl-s").unwrap());
    machine.key(key.to_event());
}

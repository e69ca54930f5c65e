//! Numbers that no service should send, in every response: nothing panics, nothing grows, nothing
//! is requested endlessly.
//!
//! A console in its own process tours all screens, limited to 100 MiB. By default each value
//! replaces all numbers at once, and some of them individually; `GANTRY_NUMBERS=all` puts each
//! value into each number of each route in turn.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use chrono::Duration;
use gantry::app::Msg;
use rand::SeedableRng;
use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha8Rng;
use rustix::process::{Resource, Rlimit};
use serde_json::{Value, json};

use crate::console_driver::ConsoleDriver;
use crate::fixture::{SoakWorld, connect_new_machine};
use crate::recording_proxy::{RecordedRequest, RecordingProxy};
use crate::sequences::press_named_key;

/// Fields that are changed individually in `cargo test`, each to one value.
const SAMPLED_FIELDS: usize = 6;
/// Memory the console may use, in addition to the program itself.
const MAX_MEMORY_BYTES: u64 = 100 << 20;
/// Requests that a screen may make within ten seconds. The dashboard makes most when it opens:
/// three that show whether rows are free, and five pages of each list.
const MAX_REQUESTS: usize = 13;

/// The value that replaces a number.
fn replacement_values() -> [Value; 6] {
    [
        json!(0),
        json!(-1),
        json!(1_u64 << 31),
        json!(1_u64 << 63),
        json!(1e300),
        json!("text"),
    ]
}

/// One number: its route, and its path within the response.
type Field = (String, String);

#[test]
fn any_number_in_any_answer_is_survived() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let world = runtime.block_on(SoakWorld::new(7, 40, 60));
    let (mut broken, mut plans) = (Vec::new(), 0);
    // Report what kills the process, and let the next one continue after it.
    loop {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args([
            "numbers::a_tour_with_other_numbers",
            "--exact",
            "--ignored",
            "--nocapture",
            "--test-threads=1",
        ]);
        child
            .env("SOAK_BASE_URL", world.service.service.base_url())
            .env("SOAK_WORKSPACE", world.service.workspace_id(0));
        child
            .env(
                "SOAK_TOKEN",
                &world.service.workspace(0).members[0].access_token,
            )
            .env("SOAK_FROM", plans.to_string());
        let ended = child
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let (said, why) = (
            String::from_utf8_lossy(&ended.stdout),
            String::from_utf8_lossy(&ended.stderr),
        );
        plans += said
            .lines()
            .filter(|line| line.starts_with("with "))
            .count();
        let mut with = "";
        for line in said.lines().map(str::trim_end) {
            match line.strip_prefix("broken: ") {
                Some(what) => broken.push(format!("{with}: {what}")),
                None if line.starts_with("with ") => with = line,
                None => {}
            }
        }
        if ended.status.success() || plans == 0 || broken.len() > 40 {
            assert!(plans > 10, "{said}\n{why}");
            break;
        }
        broken.push(format!("{with}: {}: {}", ended.status, why.trim()));
    }
    assert!(
        broken.is_empty(),
        "{} of {plans} plans:\n{}",
        broken.len(),
        broken.join("\n")
    );
}

/// The tour: [`any_number_in_any_answer_is_survived`] runs it in its own process.
#[test]
#[ignore = "run by any_number_in_any_answer_is_survived"]
fn a_tour_with_other_numbers() {
    let Ok(base_url) = std::env::var("SOAK_BASE_URL") else {
        return;
    };
    let data = Rlimit {
        current: Some(MAX_MEMORY_BYTES + (64 << 20)),
        maximum: Some(MAX_MEMORY_BYTES + (64 << 20)),
    };
    rustix::process::setrlimit(Resource::Data, data).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let tap = Arc::new(RecordingProxy::start(&base_url).await);
        let found: Arc<Mutex<BTreeSet<Field>>> = Arc::default();
        let seen = found.clone();
        tap.edit_responses(move |asked, answer| {
            replace_numbers(answer, String::new(), &mut |path, number| {
                seen.lock()
                    .unwrap()
                    .insert((asked.route.clone(), path.to_owned()));
                number
            })
        });
        visit_every_screen(&tap).await;
        let mut rng = ChaCha8Rng::seed_from_u64(14);
        let fields: Vec<Field> = found.lock().unwrap().iter().cloned().collect();
        let mut plans: Vec<(Option<Field>, Value)> =
            replacement_values().map(|value| (None, value)).into();
        let alone = fields
            .iter()
            .flat_map(|field| replacement_values().map(|value| (Some(field.clone()), value)));
        let mut alone: Vec<_> = alone.collect();
        if std::env::var("GANTRY_NUMBERS").is_ok_and(|numbers| numbers == "all") {
            plans.extend(alone);
        } else {
            alone.shuffle(&mut rng);
            plans.extend(alone.into_iter().take(SAMPLED_FIELDS));
        }
        let began = peak_memory_bytes();
        let from = env_var("SOAK_FROM").parse().unwrap();
        for (field, value) in plans.into_iter().skip(from) {
            let name = field
                .as_ref()
                .map_or("every number".to_owned(), |(route, path)| {
                    format!("{path} of {route}")
                });
            print_line(&format!("\nwith {name} as {value}"));
            set_replacement(&tap, field, value);
            visit_every_screen(&tap).await;
            let grown = peak_memory_bytes().saturating_sub(began);
            if grown > MAX_MEMORY_BYTES {
                print_line(&format!("broken: {} MiB more in memory", grown >> 20));
                return;
            }
        }
    });
}

fn set_replacement(tap: &RecordingProxy, field: Option<Field>, value: Value) {
    tap.edit_responses(move |asked: &RecordedRequest, answer| {
        replace_numbers(answer, String::new(), &mut |path, number| match &field {
            Some((route, of)) if *route != asked.route || of != path => number,
            _ => value.clone(),
        })
    });
}

/// Every screen, at two sizes, for ten seconds each.
async fn visit_every_screen(tap: &Arc<RecordingProxy>) {
    let (way, _home) = connect_new_machine(
        &tap.base_url,
        &env_var("SOAK_TOKEN"),
        &env_var("SOAK_WORKSPACE"),
    )
    .await;
    let mut machine = ConsoleDriver::new(way, Some(tap.clone()), false, (120, 36));
    wait_and_check_requests(&mut machine, tap, "the start").await;
    for keys in [
        "Enter", "]", "Esc", "W", "Esc", "G", "T", "] ", "e", "z", "Enter", "2", "Enter", "c",
        "Enter", "Esc", "3", "Enter", ">", "Enter", "Esc", "a t", "n e w", "Ctrl-s", "Enter", "]",
        "Enter", "4", "Enter", "+", "Ctrl-s", "5", "c", "Enter", "G", "6", "Tab", "7", "Enter",
        "d", "Esc", "8", "Enter", "Tab", "9", "c", "1",
    ] {
        keys.split(' ')
            .filter(|key| !key.is_empty())
            .for_each(|key| press_named_key(&mut machine, key));
        wait_and_check_requests(&mut machine, tap, keys).await;
        if keys.len() == 1 && keys.parse::<u8>().is_ok() {
            for (width, height) in [(60, 20), (120, 36)] {
                machine.send(Msg::Resized(width, height));
                wait_and_check_requests(&mut machine, tap, "another size").await;
            }
        }
    }
    for broken in machine.violations {
        print_line(&format!("broken: {broken}"));
    }
}

/// Advances ten seconds and checks the screen.
async fn wait_and_check_requests(machine: &mut ConsoleDriver, tap: &RecordingProxy, place: &str) {
    tap.take_lines();
    machine.run_for(Duration::seconds(10)).await;
    let asked = tap.take_lines();
    if asked.len() > MAX_REQUESTS {
        machine.report_violation(format!(
            "{} requests in ten seconds after {place}: {asked:?}",
            asked.len()
        ));
    }
    let _ = machine.screen();
}

/// Replaces each number in a value; the path to a number consists of names, whatever its index in a
/// list.
fn replace_numbers(
    value: Value,
    path: String,
    change: &mut impl FnMut(&str, Value) -> Value,
) -> Value {
    match value {
        Value::Number(_) => change(&path, value),
        Value::Array(items) => items
            .into_iter()
            .map(|item| replace_numbers(item, path.clone(), change))
            .collect(),
        Value::Object(fields) => {
            let each = fields.into_iter().map(|(name, value)| {
                let path = format!("{path}.{name}");
                (name, replace_numbers(value, path, change))
            });
            each.collect()
        }
        other => other,
    }
}

/// The peak memory of this process in bytes.
fn peak_memory_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok())
        .unwrap_or(0)
        * 1024
}

fn env_var(name: &str) -> String {
    std::env::var(name).unwrap()
}

fn print_line(line: &str) {
    let mut out = std::io::stdout();
    writeln!(out, "{line}").and_then(|()| out.flush()).unwrap();
}

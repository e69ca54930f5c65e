//! Walks over all screens and all keys, with the meter and with a counter of writes.

use crate::app::command::{Command, Scope};
use crate::app::effect::ServiceCall;
use crate::app::msg::Msg;
use crate::app::overlay::Overlay;
use crate::app::panes::all_commands;
use crate::app::testing::TestConsole;

/// How many keys are pressed before the walk starts over, so that one does not prepare the way of
/// the next.
const KEYS_A_START: usize = 8;
/// How often what a key opened is answered.
const MAX_ANSWERS: usize = 5;

/// The commands of a scope with their keys, and those that only the command palette runs, without.
fn keys_of(scope: Scope) -> impl Iterator<Item = (&'static Command, &'static str)> {
    let commands = all_commands().filter(move |command| scope.includes(command));
    commands.flat_map(|command| command.keys.iter().map(move |keys| (command, *keys)))
}

/// The keys that answer what is open; `None` where nothing is.
fn answer(console: &TestConsole) -> Option<&'static str> {
    match (&console.context().ui.overlay, &console.context().ui.prompt) {
        (Some(Overlay::Choice(choice)), _) if choice.options.len() > 1 => Some("Down"),
        (Some(_), _) | (None, Some(_)) => Some("Enter"),
        (None, None) => None,
    }
}

/// Presses every key of every scope, and answers what it opens: `press` presses one and answers the
/// calls that follow.
fn walk(
    start: impl Fn(Scope) -> TestConsole,
    mut press: impl FnMut(TestConsole, Step<'_>) -> TestConsole,
) {
    for scope in Scope::ALL {
        let (mut console, mut path) = (start(*scope), Vec::new());
        let is_first = |console: &TestConsole| {
            (
                console.context().ui.focused_scope(),
                answer(console).is_some(),
            )
        };
        let first = is_first(&console);
        for (command, keys) in keys_of(*scope) {
            let calls = console.calls.len();
            console = press(
                console,
                Step {
                    scope: *scope,
                    path: &path,
                    command: Some(command),
                    keys,
                },
            );
            path.push(keys);
            let was_open = first.1;
            let mut answers = 0;
            while !was_open
                && answers < MAX_ANSWERS
                && let Some(keys) = answer(&console)
            {
                if console
                    .context()
                    .ui
                    .prompt
                    .as_ref()
                    .is_some_and(|prompt| prompt.field.text().is_empty())
                {
                    console = press(
                        console,
                        Step {
                            scope: *scope,
                            path: &path,
                            command: None,
                            keys: "x",
                        },
                    );
                    path.push("x");
                }
                for keys in [keys, "Enter"].iter().skip(usize::from(keys == "Enter")) {
                    console = press(
                        console,
                        Step {
                            scope: *scope,
                            path: &path,
                            command: None,
                            keys,
                        },
                    );
                    path.push(keys);
                }
                answers += 1;
            }
            let has_called = console.calls[calls..]
                .iter()
                .any(|call| call.may_cost() || is_write(call));
            if path.len() >= KEYS_A_START || has_called || is_first(&console) != first {
                (console, path) = (start(*scope), Vec::new());
            }
        }
    }
}

/// A key of the walk.
struct Step<'a> {
    scope: Scope,
    /// The keys before, from the start.
    path: &'a [&'a str],
    /// What it is the key of; `None` where it answers.
    command: Option<&'static Command>,
    keys: &'a str,
}

fn is_write(call: &ServiceCall) -> bool {
    matches!(call, ServiceCall::Triage { .. } | ServiceCall::Write(_))
}

#[test]
fn no_key_writes_on_a_read_only_profile() {
    let (mut presses, mut writes) = (0, Vec::new());
    let read_only = |scope| {
        let mut console = TestConsole::at_scope(scope);
        console.context_mut().session.set_read_only();
        console
    };
    walk(read_only, |console, step| {
        let before = console.calls.len();
        let console = console.press(step.keys).serve();
        presses += 1;
        if console.calls[before..].iter().any(is_write) {
            writes.push(format!(
                "{:?}: {} {}",
                step.scope,
                step.path.join(" "),
                step.keys
            ));
        }
        console
    });
    assert!(
        writes.is_empty(),
        "{} of {presses} keys wrote:\n{}",
        writes.len(),
        writes.join("\n")
    );
    assert!(presses > 3_000, "{presses}");
}

/// What a key cost by the meter. The service does not state the price of some reads.
#[derive(Clone, Copy, Debug)]
struct Charge {
    credits: u64,
    is_unstated: bool,
}

impl Charge {
    /// Whether one of these texts names it.
    fn is_named_in<'a>(self, texts: impl IntoIterator<Item = &'a str>) -> bool {
        let texts: Vec<&str> = texts.into_iter().collect();
        let is_unstated = ["? cr", "not stated", "does not state"]
            .iter()
            .any(|words| texts.iter().any(|text| text.contains(words)));
        let words = texts
            .iter()
            .flat_map(|text| text.split_whitespace())
            .collect::<Vec<_>>();
        let prices = words.windows(2).filter(|pair| pair[1].starts_with("cr"));
        let most = prices
            .filter_map(|pair| pair[0].replace(',', "").parse::<u64>().ok())
            .max();
        is_unstated || !self.is_unstated && most.is_some_and(|most| most >= self.credits)
    }

    /// Whether the frame in which a key is pressed names it: behind the key, or in the dialog that
    /// the key answers.
    fn is_announced(self, console: &TestConsole, step: &Step<'_>) -> bool {
        match &console.context().ui.overlay {
            Some(Overlay::Choice(choice)) => {
                let chosen = &choice.options[choice.selected];
                return self.is_named_in(
                    [&choice.note, &choice.text, &chosen.label, &chosen.note].map(String::as_str),
                );
            }
            Some(Overlay::Picker(picker)) => {
                return self.is_named_in(
                    [picker.note.as_str(), &picker.summary]
                        .into_iter()
                        .chain(picker.current_note()),
                );
            }
            _ => {}
        }
        let labels = match step.command {
            Some(command) if command.scope == Scope::CallOutcome => vec!["1-5".to_owned()],
            Some(command) => console.context().keymap.labels(command.id).to_vec(),
            None => vec!["Enter".to_owned()],
        };
        let frame = console.screen_text();
        let behind_key = |label: &'_ String| {
            let is_alone = |line: &str, at: usize| {
                let around = [
                    line[..at].chars().next_back(),
                    line[at + label.len()..].chars().next(),
                ];
                around
                    .iter()
                    .all(|near| near.is_none_or(|near| !near.is_alphanumeric()))
            };
            frame.lines().any(|line| {
                let mut places = line
                    .match_indices(label.as_str())
                    .filter(|(at, _)| is_alone(line, *at));
                places.any(|(at, _)| self.is_named_in(line[at + label.len()..].split("  ").next()))
            })
        };
        labels.iter().any(behind_key)
    }
}

#[test]
fn every_charge_is_announced_in_the_frame_before() {
    let (mut presses, mut charges, mut faults) = (0, 0, Vec::new());
    for size in [(120, 36), (80, 24), (60, 20)] {
        let start = |scope| {
            TestConsole::at_scope(scope)
                .send(Msg::Resized(size.0, size.1))
                .serve()
        };
        walk(start, |console, step| {
            let (calls, spent) = (console.calls.len(), console.service.spent);
            let console = console.press(step.keys).serve();
            presses += 1;
            let has_no_price = |call: &ServiceCall| call.may_cost() && call.max_credits().is_none();
            let is_unstated = console.calls[calls..].iter().any(has_no_price);
            let charge = Charge {
                credits: console.service.spent - spent,
                is_unstated,
            };
            if charge.credits > 0 || is_unstated {
                charges += 1;
                let before = step.path.iter().fold(start(step.scope), |console, keys| {
                    console.press(keys).serve()
                });
                if !charge.is_announced(&before, &step) {
                    let keys = step
                        .path
                        .iter()
                        .chain([&step.keys])
                        .copied()
                        .collect::<Vec<_>>()
                        .join(" ");
                    faults.push(format!(
                        "{charge:?} for {keys} in {:?} at {size:?}:\n{}",
                        step.scope,
                        before.screen_text()
                    ));
                }
            }
            console
        });
    }
    assert!(
        faults.is_empty(),
        "{} of {charges} charges of {presses} keys:\n{}",
        faults.len(),
        faults.join("\n")
    );
    assert!(charges > 50, "{charges} of {presses}");
}

/// The lists of the screens and of the dialogs: where each is, and the keys from there.
const LISTS: &[(Scope, &str)] = &[
    (Scope::Queue, ""),
    (Scope::Queue, "]"),
    (Scope::Queue, "] ]"),
    (Scope::Detail, "l"),
    (Scope::Feed, ""),
    (Scope::Views, ""),
    (Scope::ViewRecords, ""),
    (Scope::Book, ""),
    (Scope::Book, "] Enter"),
    (Scope::Results, ""),
    (Scope::Record, "l"),
    (Scope::Import, ""),
    (Scope::Subscriptions, ""),
    (Scope::Team, ""),
    (Scope::Team, "Tab"),
    (Scope::Skills, ""),
    (Scope::Credits, ""),
    (Scope::Credits, "]"),
    (Scope::Settings, ""),
    (Scope::History, ""),
    (Scope::Failures, ""),
    (Scope::Journal, ""),
    (Scope::Gaps, ""),
];

/// What can be done with a list.
const LIST_KEYS: &[&str] = &[
    "s", "T", "t", "/", "X", "C", ")", "w", "Space", "v", "* a", "* =", "* n", "& =", "h", "y r",
    "y v",
];

#[test]
fn every_list_key_works_or_says_why_not() {
    let mut faults = Vec::new();
    for (scope, way) in LISTS {
        for key in LIST_KEYS {
            let ways = way.split_whitespace();
            let start = ways.fold(TestConsole::at_scope(*scope), |console, key| {
                console.press(key).serve()
            });
            let start = if *key == "* n" {
                start.press("Space k")
            } else {
                start
            };
            let has_marks = start.screen_text().contains("1 marked");
            if *key == "* n" && !has_marks {
                // there is nothing to clear
                continue;
            }
            let seen = |console: &TestConsole| console.screen_text() + &console.notice_text();
            let before = seen(&start);
            let console = start.press(key).serve();
            if seen(&console) == before || console.notice_text().starts_with("no shortcut") {
                faults.push(format!(
                    "{key} in {scope:?} {way}: {}",
                    console.notice_text()
                ));
            }
        }
    }
    assert!(faults.is_empty(), "without a word:\n{}", faults.join("\n"));
}

//! Walks over all screens and all keys, with a counter of writes.

use crate::app::command::Scope;
use crate::app::effect::ServiceCall;
use crate::app::overlay::Overlay;
use crate::app::panes::all_commands;
use crate::app::testing::TestConsole;

/// How many keys are pressed before the walk starts over, so that one does not prepare the way of the next.
const KEYS_A_START: usize = 8;
/// How often what a key opened is answered.
const MAX_ANSWERS: usize = 5;

/// The keys that do something in a scope.
fn keys_of(scope: Scope) -> impl Iterator<Item = &'static str> {
    all_commands().filter(move |command| scope.includes(command)).flat_map(|command| command.keys).copied()
}

/// The keys that answer what is open; `None` where nothing is.
fn answer(console: &TestConsole) -> Option<&'static str> {
    match (&console.context().overlay, &console.context().prompt) {
        (Some(Overlay::Choice(choice)), _) if choice.options.len() > 1 => Some("Down"),
        (Some(_), _) | (None, Some(_)) => Some("Enter"),
        (None, None) => None,
    }
}

/// Presses every key of every scope, and answers what it opens: `press` presses one and answers the calls that follow.
fn walk(start: impl Fn(Scope) -> TestConsole, mut press: impl FnMut(TestConsole, Step<'_>) -> TestConsole) {
    for scope in Scope::ALL {
        let (mut console, mut path) = (start(*scope), Vec::new());
        let is_first = |console: &TestConsole| (console.app.scope(), answer(console).is_some());
        let first = is_first(&console);
        for keys in keys_of(*scope) {
            let calls = console.calls.len();
            console = press(console, Step { scope: *scope, path: &path, keys });
            path.push(keys);
            let was_open = first.1;
            let mut answers = 0;
            while !was_open
                && answers < MAX_ANSWERS
                && let Some(keys) = answer(&console)
            {
                if console.context().prompt.as_ref().is_some_and(|prompt| prompt.field.text().is_empty()) {
                    console = press(console, Step { scope: *scope, path: &path, keys: "x" });
                    path.push("x");
                }
                for keys in [keys, "Enter"].iter().skip(usize::from(keys == "Enter")) {
                    console = press(console, Step { scope: *scope, path: &path, keys });
                    path.push(keys);
                }
                answers += 1;
            }
            let has_called = console.calls[calls..].iter().any(|call| is_write(call));
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
        console.context_mut().set_read_only();
        console
    };
    walk(read_only, |console, step| {
        let before = console.calls.len();
        let console = console.press(step.keys).serve();
        presses += 1;
        if console.calls[before..].iter().any(is_write) {
            writes.push(format!("{:?}: {} {}", step.scope, step.path.join(" "), step.keys));
        }
        console
    });
    assert!(writes.is_empty(), "{} of {presses} keys wrote:\n{}", writes.len(), writes.join("\n"));
    assert!(presses > 3_000, "{presses}");
}

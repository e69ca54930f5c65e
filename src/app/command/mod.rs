//! One row a command: the table that keys, hints, help, palette, which-key box, `gantry keys` and tests are read from.
//!
//! Nothing else lists commands. A pane adds its rows in its own `commands.rs`; [`table`] is their sum.

pub mod everywhere;
pub mod keys;

use std::borrow::Cow;
use std::sync::LazyLock;

use super::App;
use keys::Key;

/// Where a command works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// In the queue.
    Queue,
    /// In a signal's detail.
    Detail,
    /// In every pane, unless the pane has a command of its own on the key.
    Everywhere,
}

impl Scope {
    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            Scope::Queue => "Queue",
            Scope::Detail => "Detail",
            Scope::Everywhere => "Everywhere",
        }
    }
}

/// Whether a command holds now, and if not, why.
pub type Can = Result<(), Cow<'static, str>>;

/// A row of the table.
pub struct Command {
    /// Its name in configuration and tests: `queue.done`.
    pub id: &'static str,
    /// The keys that run it; a sequence is written with spaces.
    pub keys: &'static [&'static str],
    /// One or two words for the hint line.
    pub title: &'static str,
    /// What it does, in a sentence without a full stop.
    pub sentence: &'static str,
    /// Where it works.
    pub scope: Scope,
    /// It changes data that others see.
    pub writes: bool,
    /// What it costs, in words; empty for nothing.
    pub cost: &'static str,
    /// Its place in the hint line, from 1; 0 keeps it out.
    pub hint: u8,
    /// Whether it holds.
    pub can: fn(&App) -> Can,
    /// Does it.
    pub run: fn(&mut App),
}

impl Command {
    /// A command that always holds, writes nothing, costs nothing and is not hinted at.
    pub const fn new(
        id: &'static str,
        keys: &'static [&'static str],
        title: &'static str,
        sentence: &'static str,
        scope: Scope,
        run: fn(&mut App),
    ) -> Self {
        Command { id, keys, title, sentence, scope, writes: false, cost: "", hint: 0, can: |_| Ok(()), run }
    }

    /// The same command, at this place of the hint line.
    pub const fn hinted(self, place: u8) -> Self {
        Command { hint: place, ..self }
    }

    /// The same command, which writes.
    pub const fn writing(self) -> Self {
        Command { writes: true, ..self }
    }

    /// The same command, which costs.
    pub const fn costing(self, cost: &'static str) -> Self {
        Command { cost, ..self }
    }

    /// The same command, which holds under a condition.
    pub const fn when(self, can: fn(&App) -> Can) -> Self {
        Command { can, ..self }
    }

    /// Its first key as it is written on the screen.
    pub fn key(&self) -> String {
        self.keys.first().map(|key| keys::label(key)).unwrap_or_default()
    }
}

/// All commands, pane by pane.
pub fn table() -> impl Iterator<Item = &'static Command> {
    [super::panes::queue::commands::COMMANDS, super::panes::detail::commands::COMMANDS, everywhere::COMMANDS]
        .into_iter()
        .flatten()
}

/// A command's keys, read.
type Binding = (Vec<Key>, &'static Command);

static BINDINGS: LazyLock<Vec<Binding>> = LazyLock::new(|| {
    table().flat_map(|command| command.keys.iter().filter_map(move |keys| Some((Key::sequence(keys)?, command)))).collect()
});

/// What keys pressed so far lead to.
pub enum Lookup {
    /// A command.
    Command(&'static Command),
    /// More keys are needed.
    Prefix,
    /// Nothing.
    Nothing,
}

/// Looks keys up: the pane's own rows first, then the rows of everywhere.
pub fn look_up(scope: Scope, pressed: &[Key]) -> Lookup {
    for scope in [scope, Scope::Everywhere] {
        let here = || BINDINGS.iter().filter(move |(_, command)| command.scope == scope);
        if let Some((_, command)) = here().find(|(keys, _)| keys == pressed) {
            return Lookup::Command(command);
        }
        if here().any(|(keys, _)| keys.starts_with(pressed)) {
            return Lookup::Prefix;
        }
    }
    Lookup::Nothing
}

/// The commands that may follow a prefix, with the key that is still to be pressed.
pub fn continuations(scope: Scope, pressed: &[Key]) -> Vec<(String, &'static Command)> {
    BINDINGS
        .iter()
        .filter(|(keys, command)| {
            keys.len() > pressed.len()
                && keys.starts_with(pressed)
                && (command.scope == scope || command.scope == Scope::Everywhere)
        })
        .map(|(keys, command)| (keys[pressed.len()].to_string(), *command))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn every_key_of_the_table_can_be_read() {
        for command in table() {
            for keys in command.keys {
                assert!(Key::sequence(keys).is_some(), "{}: {keys}", command.id);
            }
        }
    }

    #[test]
    fn no_key_is_bound_twice_in_a_pane_and_none_hides_a_prefix() {
        let mut seen: HashMap<(Scope, Vec<Key>), &str> = HashMap::new();
        for (keys, command) in BINDINGS.iter() {
            if let Some(other) = seen.insert((command.scope, keys.clone()), command.id) {
                panic!("{} and {other} share {keys:?}", command.id);
            }
        }
        for (scope, keys) in seen.keys() {
            for length in 1..keys.len() {
                assert!(!seen.contains_key(&(*scope, keys[..length].to_vec())), "{keys:?} is hidden by a shorter key");
            }
        }
    }

    #[test]
    fn ids_are_unique_and_every_command_says_what_it_does() {
        let mut seen = std::collections::HashSet::new();
        for command in table() {
            assert!(seen.insert(command.id), "{} twice", command.id);
            assert!(!command.sentence.is_empty() && !command.sentence.ends_with('.'), "{}", command.id);
        }
    }
}

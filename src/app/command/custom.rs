//! Commands of the user: a program to run on a row, or keys that are pressed as if typed. They are
//! checked when the console starts.
//!
//! What is wrong is reported with its line. A command whose key is taken stays in the palette.

use super::keymap::{KeyLookup, Keymap, key_problem};
use super::keys::Key;
use super::{Command, Scope};
use crate::domain::program_template::ProgramTemplate;

/// Begins the IDs of custom commands, and of no others.
const ID_PREFIX: &str = "command.";

impl Command {
    pub fn is_custom(&self) -> bool {
        self.id.starts_with(ID_PREFIX)
    }
}

/// A command as the configuration says it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CustomCommandText {
    pub name: String,
    /// Its own key; may be empty.
    pub key: String,
    pub run: Vec<String>,
    pub keys: String,
    /// File and line.
    pub defined_at: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CustomCommand {
    /// Its row in the command table.
    pub command: &'static Command,
    pub action: CustomAction,
}

#[derive(Clone, Debug, PartialEq)]
pub enum CustomAction {
    Run(ProgramTemplate),
    /// Press these keys.
    Press(Vec<Key>),
}

/// The commands in the configuration, and what is wrong with the others. `keymap` has the console's
/// own keys.
pub fn read_custom_commands(
    texts: &[CustomCommandText],
    keymap: &Keymap,
) -> (Vec<CustomCommand>, Vec<String>) {
    let (mut read, mut problems): (Vec<CustomCommand>, Vec<String>) = (Vec::new(), Vec::new());
    for text in texts {
        let (at, name) = (&text.defined_at, text.name.as_str());
        match read_action(text) {
            Err(why) => problems.push(format!("{at}: the command {name} is left out: {why}")),
            Ok(_) if read.iter().any(|other| other.command.title == name) => {
                problems.push(format!(
                    "{at}: the command {name} is left out: there is another of this name"
                ));
            }
            Ok(action) => {
                let mut row = command_row(text, &action);
                match find_key_conflict(&row, &text.key, keymap, &read) {
                    Some(why) => {
                        problems.push(format!("{at}: the command {name} has no key: {why}"))
                    }
                    None if text.key.is_empty() => {}
                    None => row.keys = Vec::leak(vec![&*String::leak(text.key.clone())]),
                }
                read.push(CustomCommand {
                    command: Box::leak(Box::new(row)),
                    action,
                });
            }
        }
    }
    (read, problems)
}

fn read_action(text: &CustomCommandText) -> Result<CustomAction, String> {
    match (text.run.is_empty(), text.keys.is_empty()) {
        _ if text.name.is_empty() => Err("it needs a name".to_owned()),
        (true, true) => Err("it needs run or keys".to_owned()),
        (false, false) => Err("it has both run and keys".to_owned()),
        (false, true) => Ok(CustomAction::Run(ProgramTemplate::parse(&text.run)?)),
        (true, false) => {
            let wrong = text
                .keys
                .split(' ')
                .find(|key| Key::parse(key).is_none())
                .unwrap_or_default();
            let keys = Key::parse_sequence(&text.keys);
            Ok(CustomAction::Press(keys.ok_or_else(|| {
                format!("keys has an invalid key {wrong:?}")
            })?))
        }
    }
}

/// Its row in the command table, still without a key. The table lives as long as the program, and
/// so do the texts of the row.
fn command_row(text: &CustomCommandText, action: &CustomAction) -> Command {
    let description = match action {
        CustomAction::Run(_) => format!("{}: run {}", text.name, text.run.join(" ")),
        CustomAction::Press(_) => format!("{}: press {}", text.name, text.keys),
    };
    Command::new(
        String::leak(format!("{ID_PREFIX}{}", text.name)),
        &[],
        String::leak(text.name.clone()),
        String::leak(description),
        Scope::Global,
    )
}

/// Why a command cannot have its key.
fn find_key_conflict(
    row: &Command,
    key: &str,
    keymap: &Keymap,
    others: &[CustomCommand],
) -> Option<String> {
    if key.is_empty() {
        return None;
    }
    if let Some(problem) = key_problem(row, key) {
        return Some(problem);
    }
    let keys = Key::parse_sequence(key)?;
    for scope in Scope::ALL.iter().filter(|scope| scope.includes(row)) {
        for pressed in (1..=keys.len()).map(|count| &keys[..count]) {
            match keymap.look_up(*scope, pressed) {
                KeyLookup::Command(taken) => {
                    let names = pressed
                        .iter()
                        .map(ToString::to_string)
                        .collect::<Vec<_>>()
                        .join(" ");
                    return Some(format!("{names} is {} in {}", taken.id, scope.title()));
                }
                KeyLookup::Prefix if pressed.len() == keys.len() => {
                    return Some(format!("{key} begins other commands in {}", scope.title()));
                }
                KeyLookup::Prefix | KeyLookup::Unbound => {}
            }
        }
    }
    let is_same_start = |other: &&CustomCommand| {
        let theirs = other
            .command
            .keys
            .first()
            .and_then(|keys| Key::parse_sequence(keys));
        theirs.is_some_and(|theirs| theirs.starts_with(&keys) || keys.starts_with(&theirs))
    };
    let other = others.iter().find(is_same_start)?;
    Some(format!(
        "{} is {}",
        other.command.keys.join(" "),
        other.command.id
    ))
}

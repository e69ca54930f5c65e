//! The command table: the single source for keys, hints, help, palette, which-key box, `gantry
//! keys` and tests.
//!
//! Nothing else lists commands. Each pane defines its rows in its own `commands.rs`;
//! [`all_commands`](crate::app::panes::all_commands) chains them.

pub mod custom;
pub mod keymap;
pub mod keys;
pub mod shared;
use std::borrow::Cow;

pub use crate::app::screen::Scope;

use shared::SharedCommand;

/// Whether a command is available now; if not, why.
pub type Availability = Result<(), Cow<'static, str>>;

/// Available if this holds; otherwise not, for this reason.
pub fn require(holds: bool, otherwise: impl Into<Cow<'static, str>>) -> Availability {
    if holds { Ok(()) } else { Err(otherwise.into()) }
}

/// A row of the command table: a command in one place.
#[derive(Clone, Copy)]
pub struct Command {
    /// Its ID in configuration and tests: `queue.done`.
    pub id: &'static str,
    /// What it has in common with its rows for other places.
    pub shared: Option<&'static SharedCommand>,
    /// The default keys; a sequence is written with spaces.
    pub keys: &'static [&'static str],
    /// One or two words for the footer.
    pub title: &'static str,
    /// What it does: a sentence without a full stop.
    pub description: &'static str,
    pub scope: Scope,
    /// Changes data that others see.
    pub writes: bool,
    /// Writes as soon as it runs: opens no form and asks nothing first.
    pub writes_immediately: bool,
    /// The price as text; empty when it is free.
    pub cost: &'static str,
    /// Position in the footer, from 1; 0 leaves it out. Those of every screen begin at 16, but for
    /// the commands of lists.
    pub hint: u8,
}

impl Command {
    /// A command that writes nothing, costs nothing and has no hint.
    pub const fn new(
        id: &'static str,
        keys: &'static [&'static str],
        title: &'static str,
        description: &'static str,
        scope: Scope,
    ) -> Command {
        Command {
            id,
            shared: None,
            keys,
            title,
            description,
            scope,
            writes: false,
            writes_immediately: false,
            cost: "",
            hint: 0,
        }
    }

    /// Whether keys that the user chose for this ID are those of this row: its own ID, or that of
    /// the command in all its places, unless this place has keys of its own or takes text.
    pub fn takes_keys_of(&self, id: &str) -> bool {
        let is_usual = |shared: &SharedCommand| {
            shared.id == id && shared.keys == self.keys && !self.scope.takes_text()
        };
        self.id == id || self.shared.is_some_and(is_usual)
    }

    /// The ID of the command in all its places.
    pub fn common_id(&self) -> &'static str {
        self.shared.map_or(self.id, |shared| shared.id)
    }
}

/// The rows of each command, in the order in which the commands are first named.
pub fn group_by_command(
    rows: impl Iterator<Item = &'static Command>,
) -> Vec<Vec<&'static Command>> {
    let mut groups: Vec<Vec<&'static Command>> = Vec::new();
    for row in rows {
        let is_same = |group: &&mut Vec<&'static Command>| {
            group.first().map(|one| one.common_id()) == Some(row.common_id())
        };
        match groups.iter_mut().find(is_same) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    groups
}

impl PartialEq for Command {
    fn eq(&self, other: &Command) -> bool {
        self.id == other.id
    }
}

impl Eq for Command {}

impl std::fmt::Debug for Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id)
    }
}

impl Scope {
    /// Whether a command's keys work here. No writing command works on the dashboard, which may run
    /// unattended.
    pub fn includes(self, command: &Command) -> bool {
        self.find_depth(command.scope).is_some() && !(self == Scope::Watch && command.writes)
    }
}

#[cfg(test)]
mod tests {
    use super::keys::Key;
    use super::*;
    use crate::app::msg::Msg;
    use crate::app::panes::all_commands;
    use crate::app::panes::build_keymap;
    use crate::app::testing::TestConsole;

    #[test]
    fn every_default_key_can_be_parsed() {
        for command in all_commands() {
            for keys in command.keys {
                assert!(
                    Key::parse_sequence(keys).is_some(),
                    "{}: {keys}",
                    command.id
                );
            }
        }
    }

    #[test]
    fn every_default_key_does_something_or_says_why_not() {
        let state = |console: &TestConsole| {
            let marks = console.context().queue.new.marks.len()
                + console
                    .context()
                    .records
                    .lists
                    .values()
                    .map(|list| list.marks.len())
                    .sum::<usize>();
            (
                console.golden(),
                console.effects.len(),
                console.calls.len(),
                marks,
            )
        };
        for command in all_commands() {
            for keys in command.keys {
                let console = TestConsole::at_scope(command.scope);
                let before = state(&console);
                let console = console.press(keys);
                let asked = state(&console);
                let console = console.serve();
                let changed = asked != before || state(&console) != before;
                assert!(
                    changed || IDLE_COMMANDS.contains(&command.id),
                    "{} on {keys} did nothing",
                    command.id
                );
            }
        }
    }

    #[test]
    fn an_overridden_key_works_and_shows_in_footer_help_and_compact_layout() {
        let change = |id: &str, key: &str| keymap::KeyOverride {
            id: id.into(),
            keys: vec![key.into()],
            defined_at: "config.toml:2".into(),
        };
        let keys = keymap::KeyOverrides {
            preset: None,
            overrides: vec![change("queue.done", "Ctrl-e"), change("go.down", "F2")],
            ..Default::default()
        };
        let settings = crate::app::AppSettings {
            key_overrides: keys,
            ..Default::default()
        };
        let console =
            TestConsole::with_size(crate::app::testing::morning_queue(), (120, 36), settings)
                .poll()
                .serve();
        assert!(
            console
                .screen_text()
                .lines()
                .last()
                .unwrap()
                .contains("Ctrl-e done"),
            "{}",
            console.screen_text()
        );
        let console = console.press("?").type_text("Ctrl-e");
        assert!(
            console.screen_text().contains("Ctrl-e"),
            "{}",
            console.screen_text()
        );
        let console = console.press("Esc").send(Msg::Resized(40, 8));
        assert!(
            console.screen_text().contains("Ctrl-e done  F2 next"),
            "{}",
            console.screen_text()
        );
        let console = console.press("e");
        assert!(console.triage_calls().is_empty());
        assert_eq!(console.press("Ctrl-e").triage_calls().len(), 1);
    }

    #[test]
    fn an_overridden_key_shows_wherever_the_screen_names_it() {
        for (scope, id, words) in [
            (Scope::Views, "views.run", "F6 reads"),
            (Scope::Queue, "queue.why", "F6 why"),
            (Scope::Queue, "queue.open", "F6 open"),
            (Scope::Builder, "explore.run", "F6 up to"),
        ] {
            let change = keymap::KeyOverride {
                id: id.into(),
                keys: vec!["F6".into()],
                defined_at: "config.toml:2".into(),
            };
            let mut console = TestConsole::at_scope(scope);
            console
                .context_mut()
                .set_keymap(build_keymap(&keymap::KeyOverrides {
                    preset: None,
                    overrides: vec![change],
                    ..Default::default()
                }));
            assert!(
                console.screen_text().contains(words),
                "{id}: {}",
                console.screen_text()
            );
        }
    }

    #[test]
    fn conflicting_overrides_are_reported_at_startup() {
        let change = |id: &str, at: &str| keymap::KeyOverride {
            id: id.into(),
            keys: vec!["L".into()],
            defined_at: at.into(),
        };
        let changes = vec![
            change("queue.done", "config.toml:4"),
            change("queue.dome", "config.toml:5"),
        ];
        let settings = crate::app::AppSettings {
            key_overrides: keymap::KeyOverrides {
                preset: None,
                overrides: changes,
                ..Default::default()
            },
            ..Default::default()
        };
        let console =
            TestConsole::with_size(crate::app::testing::morning_queue(), (120, 36), settings);
        let notice = console.notice_text();
        assert!(
            notice.starts_with("config.toml:5: unknown command queue.dome"),
            "{notice}"
        );
        assert!(notice.ends_with("; 2 more: gantry keys"), "{notice}");
    }

    /// Commands that do nothing where the test presses them: at the end of a list, with nothing
    /// marked, on the screen they lead to.
    const IDLE_COMMANDS: &[&str] = &[
        "queue.preview.up",
        "queue.preview.down",
        "list.mark.none",
        "detail.previous",
        "go.queue",
        "go.before",
        "back",
        "form.up",
        "subscriptions.down",
        "subscriptions.up",
        "feed.down",
        "feed.up",
        "skill.up",
    ];

    /// All widths and heights up to 200 by 60; every combination only with `GANTRY_SIZES=all`.
    #[test]
    fn every_screen_draws_at_every_size() {
        let each = std::env::var("GANTRY_SIZES").is_ok_and(|sizes| sizes == "all");
        let whole = (0..=200).flat_map(|width| (0..=60).map(move |height| (width, height)));
        let sides = (0..=200)
            .map(|side| (side, side * 7 % 61))
            .chain((0..=60).map(|side| (side * 13 % 201, side)));
        let sizes: Vec<(u16, u16)> = if each {
            whole.collect()
        } else {
            sides.collect()
        };
        for scope in Scope::ALL {
            let mut console = TestConsole::at_scope(*scope);
            for (width, height) in &sizes {
                console = console.send(Msg::Resized(*width, *height));
                let _ = console.draw_to_buffer();
            }
        }
    }

    #[test]
    fn every_scope_draws_at_every_size() {
        for scope in Scope::ALL {
            for keys in ["j", "?", "f", "s", "D", "g"] {
                let mut console = TestConsole::at_scope(*scope).press(keys);
                for width in [0, 1, 2, 3, 20, 49, 50, 60, 80, 110, 300] {
                    for height in [0, 1, 2, 4, 6, 13, 14, 20, 22, 36, 90] {
                        console = console.send(Msg::Resized(width, height));
                        let _ = console.draw_to_buffer();
                    }
                }
            }
        }
    }

    #[test]
    fn there_are_at_most_300_commands_to_learn() {
        let commands = group_by_command(all_commands());
        assert!(
            commands.len() <= 300,
            "{} commands: let one do what two do, or offer it in a list",
            commands.len()
        );
        for rows in commands.iter().filter(|rows| rows[0].shared.is_some()) {
            let places: std::collections::HashSet<_> = rows.iter().map(|row| row.scope).collect();
            assert!(
                rows.len() > 1 && places.len() == rows.len(),
                "{} is one key in each of several places",
                rows[0].id
            );
        }
    }

    #[test]
    fn the_keys_of_a_command_change_in_all_its_places() {
        let refresh = || keymap::KeyOverride {
            id: "refresh".into(),
            keys: vec!["F5".into()],
            defined_at: "config.toml:2".into(),
        };
        let keymap = build_keymap(&keymap::KeyOverrides {
            overrides: vec![refresh()],
            ..Default::default()
        });
        assert_eq!(keymap.problems(), [] as [String; 0]);
        for id in [
            "refresh",
            "views.refresh",
            "team.refresh",
            "records.refresh",
        ] {
            assert_eq!(keymap.labels(id), ["F5"], "{id}");
        }
        let of_team = keymap::KeyOverride {
            id: "team.refresh".into(),
            keys: vec!["F6".into()],
            defined_at: "config.toml:3".into(),
        };
        let keymap = build_keymap(&keymap::KeyOverrides {
            overrides: vec![of_team, refresh()],
            ..Default::default()
        });
        assert_eq!(
            (keymap.label("team.refresh"), keymap.label("views.refresh")),
            ("F6", "F5")
        );
    }

    #[test]
    fn command_ids_are_unique_and_every_command_has_a_description() {
        let mut seen = std::collections::HashSet::new();
        for command in all_commands() {
            assert!(seen.insert(command.id), "{} twice", command.id);
            assert!(
                !command.description.is_empty() && !command.description.ends_with('.'),
                "{}",
                command.id
            );
        }
    }
}

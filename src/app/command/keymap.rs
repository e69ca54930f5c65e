//! The effective keys: the defaults, then a preset, then the user's overrides. Pressed keys are
//! looked up in it; the keys of a scope are gathered when it is first used.
//!
//! A key goes to the innermost scope that binds it. Where two commands of one scope want the same
//! key, or a short sequence hides a longer one, one of them wins and the other is reported with its
//! line of the configuration.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

use foldhash::HashMap;

use super::keys::{self, Key};
use super::{Command, Scope};
use crate::domain::fuzzy;
use crate::ui::{TextRole, TextSpan, text_span};

/// The user's key configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyOverrides {
    /// `None` means `default`.
    pub preset: Option<String>,
    /// In the order of the configuration.
    pub overrides: Vec<KeyOverride>,
    /// The user's own commands.
    pub custom_commands: Vec<&'static Command>,
    /// What is wrong with them, one line each.
    pub custom_problems: Vec<String>,
}

/// Keys that replace a command's default keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyOverride {
    /// The command's ID.
    pub id: String,
    /// An empty list unbinds the command.
    pub keys: Vec<String>,
    /// Where it is defined: file and line.
    pub defined_at: String,
}

/// A preset's name, and the commands whose keys differ from the defaults.
type KeyPreset = (
    &'static str,
    &'static [(&'static str, &'static [&'static str])],
);

pub const PRESETS: &[KeyPreset] = &[
    ("default", &[]),
    (
        "vim",
        &[
            ("queue.done", &["d d", "e"]),
            ("detail.done", &["d d", "e"]),
            ("undo", &["u", "z"]),
            ("redo", &["Ctrl-r", "Z"]),
        ],
    ),
];

/// The result of looking up the keys pressed so far.
#[derive(Clone, Copy)]
pub enum KeyLookup {
    Command(&'static Command),
    /// More keys are needed.
    Prefix,
    Unbound,
}

/// A key sequence that runs a command.
struct KeyBinding {
    keys: Vec<Key>,
    command: &'static Command,
    /// Index of the override that defined it; later ones win. `None` for defaults and presets.
    override_index: Option<usize>,
}

/// What a key sequence means in a scope: a complete binding, or the prefix of one.
#[derive(Clone, Copy)]
enum SequenceTarget {
    Complete(usize),
    Prefix(usize),
}

/// The keys of all commands, and what they mean in each scope.
pub struct Keymap {
    commands: Vec<&'static Command>,
    bindings: Vec<KeyBinding>,
    scopes: HashMap<Scope, OnceLock<ScopeKeys>>,
    labels: HashMap<&'static str, Vec<String>>,
    problems: Vec<String>,
}

/// What the keys mean in a scope.
#[derive(Default)]
struct ScopeKeys {
    targets: HashMap<Vec<Key>, SequenceTarget>,
    /// The commands with a place in the footer.
    hints: Vec<&'static Command>,
    /// Two bindings each, of which the first hides the second.
    clashes: Vec<(usize, usize)>,
}

impl fmt::Debug for Keymap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Keymap({} keys)", self.bindings.len())
    }
}

impl Keymap {
    /// The keys of these commands.
    pub fn new(commands: Vec<&'static Command>, config: &KeyOverrides) -> Keymap {
        let commands = [commands, config.custom_commands.clone()].concat();
        let mut problems = config.custom_problems.clone();
        let preset = config.preset.as_deref().unwrap_or("default");
        let preset = PRESETS
            .iter()
            .find(|(name, _)| *name == preset)
            .map_or(&[][..], |(_, rows)| rows);
        for change in &config.overrides {
            problems.extend(validate_override(change, &commands));
        }
        let mut keymap = Keymap {
            commands,
            bindings: Vec::new(),
            scopes: Scope::ALL
                .iter()
                .map(|scope| (*scope, OnceLock::new()))
                .collect(),
            labels: HashMap::default(),
            problems,
        };
        for command in keymap.commands.clone() {
            let find = |is: &dyn Fn(&str) -> bool| {
                let mut changes = config.overrides.iter();
                changes.rposition(|change| is(&change.id))
            };
            let own = find(&|id| id == command.id);
            let change = own.or_else(|| find(&|id| command.takes_keys_of(id)));
            let of_preset = || {
                preset
                    .iter()
                    .find(|(id, _)| *id == command.id)
                    .map_or(command.keys, |(_, keys)| keys)
            };
            // Keys that cannot work are ignored; where none can, the command keeps those it had.
            let chosen = change
                .and_then(|at| config.overrides.get(at))
                .map(|change| {
                    let usable = |name: &&str| key_problem(command, name).is_none();
                    (
                        change.keys.is_empty(),
                        change
                            .keys
                            .iter()
                            .map(String::as_str)
                            .filter(usable)
                            .collect::<Vec<_>>(),
                    )
                });
            let names = match chosen {
                Some((unbinds, names)) if unbinds || !names.is_empty() => names,
                _ => of_preset().to_vec(),
            };
            let read = |name: &&str| Some((Key::parse_sequence(name)?, (*name).to_owned()));
            let (keys, names): (Vec<_>, Vec<_>) = names.iter().filter_map(read).unzip();
            keymap.labels.insert(
                command.id,
                names
                    .iter()
                    .map(|name| keys::sequence_label(name))
                    .collect(),
            );
            keymap
                .bindings
                .extend(keys.into_iter().map(|keys| KeyBinding {
                    keys,
                    command,
                    override_index: change,
                }));
        }
        // The defaults have no problems, as the tests show.
        if cfg!(not(debug_assertions)) && *config == KeyOverrides::default() {
            return keymap;
        }
        let mut clashes = BTreeMap::new();
        for scope in Scope::ALL {
            for clash in &keymap.scope_keys(*scope).clashes {
                clashes.entry(*clash).or_insert(*scope);
            }
        }
        let messages = clashes.into_iter().filter_map(|((owner, loser), scope)| {
            keymap.conflict_message(owner, loser, scope, &config.overrides)
        });
        let messages: Vec<String> = messages.collect();
        keymap.problems.extend(messages);
        keymap
    }

    fn scope_keys(&self, scope: Scope) -> &ScopeKeys {
        self.scopes[&scope].get_or_init(|| self.bind_scope(scope))
    }

    /// Builds a scope's bindings in priority order: inner scope, then shorter sequence, then latest
    /// override.
    fn bind_scope(&self, scope: Scope) -> ScopeKeys {
        let mut order: Vec<usize> = (0..self.bindings.len())
            .filter(|at| scope.includes(self.bindings[*at].command))
            .collect();
        order.sort_by_cached_key(|at| {
            let binding = &self.bindings[*at];
            (
                scope.find_depth(binding.command.scope),
                binding.keys.len(),
                std::cmp::Reverse(binding.override_index),
            )
        });
        let mut found = ScopeKeys::default();
        let steps = &mut found.targets;
        for at in order {
            let keys = &self.bindings[at].keys;
            let hider = (1..keys.len()).find_map(|n| match steps.get(&keys[..n]) {
                Some(SequenceTarget::Complete(owner)) => Some(*owner),
                _ => None,
            });
            let taken = steps
                .get(keys)
                .map(|(SequenceTarget::Complete(owner) | SequenceTarget::Prefix(owner))| *owner);
            match hider.or(taken) {
                Some(owner) => found.clashes.push((owner, at)),
                None => {
                    steps.insert(keys.clone(), SequenceTarget::Complete(at));
                    for n in 1..keys.len() {
                        steps
                            .entry(keys[..n].to_vec())
                            .or_insert(SequenceTarget::Prefix(at));
                    }
                }
            }
        }
        found.hints = self.collect_hints(scope, steps);
        found
    }

    /// Describes two bindings of which one hides the other. `None` where the default table intends
    /// it, or where the hidden command has another key in that scope.
    fn conflict_message(
        &self,
        owner: usize,
        loser: usize,
        scope: Scope,
        changes: &[KeyOverride],
    ) -> Option<String> {
        let (owner, loser) = (&self.bindings[owner], &self.bindings[loser]);
        let at = owner
            .override_index
            .max(loser.override_index)
            .and_then(|at| changes.get(at))
            .map(|change| change.defined_at.as_str());
        let depth_of = |command: &Command| scope.find_depth(command.scope);
        let same_scope = depth_of(owner.command) == depth_of(loser.command);
        if owner.command.common_id() == loser.command.common_id() {
            return None;
        }
        let steps = &self.scope_keys(scope).targets;
        let has_another = self.bindings.iter().any(|other| {
            let works =
                matches!(steps.get(&other.keys), Some(SequenceTarget::Complete(at)) if self.bindings[*at].command.id == loser.command.id);
            other.command.id == loser.command.id && works
        });
        if !same_scope && (at.is_none() || has_another) {
            return None;
        }
        let (owner_keys, loser_keys) = (format_sequence(&owner.keys), format_sequence(&loser.keys));
        let at = at.map(|at| format!("{at}: ")).unwrap_or_default();
        let place = if same_scope {
            owner.command.scope
        } else {
            scope
        }
        .title();
        let (owner, loser) = (owner.command.id, loser.command.id);
        Some(if owner_keys == loser_keys {
            format!(
                "{at}{owner} and {loser} are both bound to {owner_keys} in {place}; {owner} wins"
            )
        } else {
            format!("{at}{owner_keys} of {owner} hides {loser_keys} of {loser} in {place}")
        })
    }

    /// The problems of the overrides, one line each, with their place in the configuration.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// Inner scopes first, global commands last.
    pub fn look_up(&self, scope: Scope, pressed: &[Key]) -> KeyLookup {
        self.look_up_in(&self.scope_keys(scope).targets, pressed)
    }

    fn look_up_in(&self, steps: &HashMap<Vec<Key>, SequenceTarget>, pressed: &[Key]) -> KeyLookup {
        match steps.get(pressed) {
            Some(SequenceTarget::Complete(at)) => KeyLookup::Command(self.bindings[*at].command),
            Some(SequenceTarget::Prefix(_)) => KeyLookup::Prefix,
            None => KeyLookup::Unbound,
        }
    }

    /// The commands that may follow a prefix, each with the remaining key.
    pub fn continuations(&self, scope: Scope, pressed: &[Key]) -> Vec<(String, &'static Command)> {
        let follows = |binding: &&KeyBinding| {
            let leads = matches!(self.look_up(scope, &binding.keys), KeyLookup::Command(found) if found.id == binding.command.id);
            binding.keys.len() > pressed.len() && binding.keys.starts_with(pressed) && leads
        };
        let rows = self.bindings.iter().filter(follows);
        rows.map(|binding| (binding.keys[pressed.len()].to_string(), binding.command))
            .collect()
    }

    /// A command's keys as the configuration writes them.
    pub fn key_names(&self, id: &str) -> Vec<String> {
        let of = self
            .bindings
            .iter()
            .filter(|binding| binding.command.id == id);
        of.map(|binding| {
            binding
                .keys
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect()
    }

    /// The rows of all commands, in the order of help.
    pub fn commands(&self) -> impl Iterator<Item = &'static Command> {
        self.commands.iter().copied()
    }

    /// A command's keys as the screen shows them.
    pub fn labels(&self, id: &str) -> &[String] {
        self.labels.get(id).map(Vec::as_slice).unwrap_or_default()
    }

    /// The keys that run a command in a scope; keys taken by an inner scope are left out.
    pub fn labels_in_scope(&self, scope: Scope, id: &str) -> Vec<&str> {
        let runs = |binding: &KeyBinding| matches!(self.look_up(scope, &binding.keys), KeyLookup::Command(found) if found.id == id);
        let of = self
            .bindings
            .iter()
            .filter(|binding| binding.command.id == id)
            .zip(self.labels(id));
        of.filter(|(binding, _)| runs(binding))
            .map(|(_, label)| label.as_str())
            .collect()
    }

    /// A command's first key; empty when it has none.
    pub fn label(&self, id: &str) -> &str {
        self.labels(id)
            .first()
            .map(String::as_str)
            .unwrap_or_default()
    }

    /// A command's key as messages name it; for a command without keys, its title for the palette:
    /// `:undo`. The palette cannot run the commands of a dialog.
    pub fn label_or_palette_name(&self, id: &str) -> Cow<'_, str> {
        match (self.labels(id), self.commands().find(|row| row.id == id)) {
            ([first, ..], _) => first.into(),
            ([], Some(row)) if row.scope.is_dialog() => "(no key)".into(),
            ([], row) => format!(":{}", row.map_or(id, |row| row.title)).into(),
        }
    }

    /// Replaces each `{command.id}` in a line by that command's key.
    pub fn expand_keys(&self, line: &str) -> String {
        self.expand_keys_styled(TextRole::Muted, line)
            .iter()
            .map(|piece| piece.text.as_ref())
            .collect()
    }

    /// The same as styled spans: text in `role`, keys as keys.
    pub fn expand_keys_styled<'a>(&'a self, role: TextRole, line: &'a str) -> Vec<TextSpan<'a>> {
        let mut pieces = Vec::new();
        let mut rest = line;
        while let Some((before, inside)) = rest.split_once('{') {
            let (id, after) = inside.split_once('}').unwrap_or((inside, ""));
            pieces.extend([
                text_span(role, before),
                text_span(TextRole::Key, self.label_or_palette_name(id)),
            ]);
            rest = after;
        }
        pieces.push(text_span(role, rest));
        pieces.retain(|piece| !piece.text.is_empty());
        pieces
    }

    /// The commands with a place in the footer of this scope, in order.
    pub fn hints(&self, scope: Scope) -> &[&'static Command] {
        &self.scope_keys(scope).hints
    }

    fn collect_hints(
        &self,
        scope: Scope,
        steps: &HashMap<Vec<Key>, SequenceTarget>,
    ) -> Vec<&'static Command> {
        // A key that an inner scope binds is hinted at only there.
        let works = |row: &Command| {
            let first = self
                .bindings
                .iter()
                .find(|binding| binding.command.id == row.id);
            first.is_some_and(
                |binding| matches!(self.look_up_in(steps, &binding.keys), KeyLookup::Command(found) if found.id == row.id),
            )
        };
        let mut hints: Vec<_> = self
            .commands()
            .filter(|row| row.hint > 0 && scope.includes(row) && works(row))
            .collect();
        hints.sort_by_key(|row| row.hint);
        hints
    }
}

/// Checks an override on its own: unknown commands, invalid keys, reserved keys, text.
fn validate_override(change: &KeyOverride, commands: &[&'static Command]) -> Vec<String> {
    let KeyOverride {
        id, defined_at: at, ..
    } = change;
    let rows = || commands.iter().filter(|row| row.takes_keys_of(id));
    if rows().next().is_none() {
        let ids = commands.iter().flat_map(|row| [row.id, row.common_id()]);
        let hint = match fuzzy::closest_match(id, ids) {
            Some(near) => format!("did you mean {near}?"),
            None => "gantry keys lists them".to_owned(),
        };
        return vec![format!("{at}: unknown command {id}; {hint}")];
    }
    // Where one of its places takes text, the command keeps its usual keys there.
    let fault = |keys: &String| {
        let mut problems = rows().map(|row| key_problem(row, keys));
        let problem = problems.next()??;
        problems
            .all(|other| other.is_some())
            .then(|| format!("{at}: {problem}"))
    };
    change.keys.iter().filter_map(fault).collect()
}

/// Why a key or a sequence of keys cannot run a command.
pub(super) fn key_problem(command: &Command, keys: &str) -> Option<String> {
    let Some(sequence) = Key::parse_sequence(keys) else {
        return Some(format!(
            "invalid key {keys:?}; write keys as j, G, Ctrl-d, Space, F2, or g g for a sequence"
        ));
    };
    let Command { id, scope, .. } = command;
    if *id != "cancel"
        && Key::parse_sequence("Ctrl-c").is_some_and(|cancel| sequence.starts_with(&cancel))
    {
        return Some(format!("Ctrl-c always cancels; {id} needs another key"));
    }
    let place = scope.title().to_lowercase();
    match sequence.as_slice() {
        _ if !scope.takes_text() || command.keys.contains(&keys) => None,
        [key] if key.is_character() => Some(format!(
            "{keys} is text in the {place}; {id} needs Ctrl or a function key"
        )),
        [_] => None,
        _ => Some(format!(
            "{keys} is a sequence; in the {place}, {id} needs a single key with Ctrl or a function key"
        )),
    }
}

fn format_sequence(keys: &[Key]) -> String {
    keys::sequence_label(
        &keys
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(" "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::panes::{all_commands, build_keymap};

    fn overrides(preset: &str, changes: &[(&str, &[&str])]) -> KeyOverrides {
        let change = |(n, (id, keys)): (usize, &(&str, &[&str]))| KeyOverride {
            id: (*id).to_owned(),
            keys: keys.iter().map(|key| (*key).to_owned()).collect(),
            defined_at: format!("config.toml:{}", n + 2),
        };
        KeyOverrides {
            preset: Some(preset.to_owned()),
            overrides: changes.iter().enumerate().map(change).collect(),
            ..KeyOverrides::default()
        }
    }

    fn command_for(keymap: &Keymap, scope: Scope, keys: &str) -> Option<&'static str> {
        match keymap.look_up(scope, &Key::parse_sequence(keys).unwrap()) {
            KeyLookup::Command(command) => Some(command.id),
            _ => None,
        }
    }

    #[test]
    fn presets_bind_known_commands_without_conflicts() {
        for (name, rows) in PRESETS {
            assert_eq!(
                build_keymap(&overrides(name, &[])).problems(),
                [] as [String; 0],
                "{name}"
            );
            for (id, keys) in *rows {
                assert!(all_commands().any(|row| row.id == *id), "{name}: {id}");
                assert!(
                    keys.iter().all(|keys| Key::parse_sequence(keys).is_some()),
                    "{name}: {id}"
                );
            }
        }
    }

    #[test]
    fn each_preset_has_its_well_known_keys() {
        for (preset, scope, keys, id) in [
            ("vim", Scope::Queue, "d d", "queue.done"),
            ("vim", Scope::Queue, "u", "undo"),
            ("vim", Scope::Book, "Ctrl-r", "redo"),
        ] {
            assert_eq!(
                command_for(&build_keymap(&overrides(preset, &[])), scope, keys),
                Some(id),
                "{keys} in {preset}"
            );
        }
    }

    /// The ids in `{braces}` of the texts of the console.
    fn ids_in_messages() -> Vec<String> {
        fn read(folder: &std::path::Path, texts: &mut Vec<String>) {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => read(&path, texts),
                    false => texts.push(std::fs::read_to_string(path).unwrap()),
                }
            }
        }
        let mut texts = Vec::new();
        read(
            std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src/app")),
            &mut texts,
        );
        let is_id = |id: &&str| all_commands().any(|row| row.id == *id);
        let ids = texts.iter().flat_map(|text| {
            text.split('{')
                .skip(1)
                .filter_map(|rest| rest.split_once('}'))
                .map(|(id, _)| id)
        });
        let mut ids: Vec<String> = ids.filter(is_id).map(str::to_owned).collect();
        ids.sort();
        ids.dedup();
        ids
    }

    /// Global commands, and the commands of a scope that do the same there; the tabs are named only
    /// in the queue's messages.
    const SAME_ROLE: &[(&str, &str)] = &[
        ("refresh", ".refresh"),
        ("refresh", ".again"),
        ("back", ".leave"),
        ("tab.next", ".newer"),
        ("tab.previous", ".older"),
        ("source.open", ".source"),
    ];

    /// The keys of lists that the dialogs name which are lists, and no message.
    const NAMED_IN_DIALOGS: &[&str] = &[
        "find",
        "list.sort",
        "list.frequency",
        "list.group",
        "list.mark",
    ];

    #[test]
    fn a_key_in_a_message_runs_what_the_message_says_under_every_preset() {
        let ids = ids_in_messages();
        assert!(
            ids.iter().any(|id| id == "undo") && ids.len() > 20,
            "{ids:?}"
        );
        let mut wrong = Vec::new();
        let presets = PRESETS.iter().map(|(name, _)| overrides(name, &[]));
        let rebound = [
            overrides("default", &[("undo", &["F9"])]),
            overrides("vim", &[("undo", &["Ctrl-y"])]),
        ];
        for wanted in presets.chain(rebound) {
            let keymap = build_keymap(&wanted);
            for id in &ids {
                let command = all_commands().find(|row| row.id == id).unwrap();
                let Some(keys) = keymap.key_names(id).into_iter().next() else {
                    assert!(
                        keymap.label_or_palette_name(id).starts_with(':'),
                        "{id} has no key and is named by its title"
                    );
                    continue;
                };
                // A message about a global command can be read in any scope.
                let screens = || {
                    Scope::ALL
                        .iter()
                        .copied()
                        .filter(|scope| !scope.is_dialog())
                };
                let dialogs = || Scope::ALL.iter().copied().filter(|scope| scope.is_dialog());
                let scopes = if NAMED_IN_DIALOGS.contains(&id.as_str()) {
                    dialogs().filter(|scope| scope.includes(command)).collect()
                } else if matches!(command.scope, Scope::List | Scope::Global) {
                    screens().collect()
                } else {
                    vec![command.scope]
                };
                for scope in scopes {
                    // The form takes letters as text, names its own keys, and opening it clears the
                    // message.
                    let found = command_for(&keymap, scope, &keys)
                        .filter(|_| scope != Scope::AnnotationForm);
                    let Some(found) = found.filter(|found| found != id) else {
                        continue;
                    };
                    if !SAME_ROLE
                        .iter()
                        .any(|(global, own)| id == global && found.ends_with(own))
                    {
                        wrong.push(format!(
                            "{keys} is {found:?} and not {id} in {scope:?} under {:?}",
                            wanted.preset
                        ));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn keys_for_a_command_of_several_places_leave_the_keys_that_a_place_has_by_itself() {
        let usual = build_keymap(&KeyOverrides::default());
        for command in all_commands() {
            let Some(shared) = command.shared else {
                continue;
            };
            let is_own = |row: &&Command| row.id == shared.id && row.keys != shared.keys;
            if all_commands().any(|row| is_own(&row)) {
                continue;
            }
            let keymap = build_keymap(&overrides("default", &[(shared.id, shared.keys)]));
            for row in all_commands() {
                assert_eq!(
                    keymap.labels(row.id),
                    usual.labels(row.id),
                    "{} where {} is restated",
                    row.id,
                    shared.id
                );
            }
        }
    }

    #[test]
    fn an_override_replaces_all_keys_of_a_command() {
        let keymap = build_keymap(&overrides(
            "default",
            &[("queue.done", &["Ctrl-e", "g e"]), ("queue.why", &[])],
        ));
        assert_eq!(
            (
                command_for(&keymap, Scope::Queue, "Ctrl-e"),
                command_for(&keymap, Scope::Queue, "g e")
            ),
            (Some("queue.done"), Some("queue.done"))
        );
        assert_eq!(
            (
                command_for(&keymap, Scope::Queue, "e"),
                command_for(&keymap, Scope::Queue, "W")
            ),
            (None, None)
        );
        assert_eq!(
            (keymap.label("queue.done"), keymap.label("queue.why")),
            ("Ctrl-e", "")
        );
        assert_eq!(keymap.problems(), [] as [String; 0]);
    }

    #[test]
    fn conflicting_and_invalid_overrides_are_reported_with_their_line() {
        for (changes, expected) in [
            (
                &[("queue.done", &["L"][..])][..],
                "config.toml:2: queue.done and queue.load.all are both bound to L in Queue; queue.done wins",
            ),
            (
                &[("go.queue", &["g"])],
                "config.toml:2: g of go.queue hides gg of go.first in Everywhere",
            ),
            (
                &[("queue.why", &["z"]), ("undo", &["z"])],
                "config.toml:3: queue.why and undo are both bound to z in Queue; queue.why wins",
            ),
            (
                &[("queue.dome", &["d"])],
                "config.toml:2: unknown command queue.dome; did you mean queue.done?",
            ),
            (
                &[("make.coffee", &["d"])],
                "config.toml:2: unknown command make.coffee; gantry keys lists them",
            ),
            (
                &[("queue.done", &["Hyper-d"])],
                "config.toml:2: invalid key \"Hyper-d\"; write keys as",
            ),
            (
                &[("queue.done", &["Ctrl-c"])],
                "config.toml:2: Ctrl-c always cancels; queue.done needs",
            ),
            (
                &[("form.apply", &["w"])],
                "config.toml:2: w is text in the annotation form; form.apply needs Ctrl",
            ),
            (
                &[("palette.run", &["Ctrl-x g"])],
                "config.toml:2: Ctrl-x g is a sequence; in the palette, palette.run needs",
            ),
            (
                &[("prompt.submit", &["!"])],
                "config.toml:2: ! is text in the prompt; prompt.submit needs Ctrl",
            ),
            (
                &[("dialog.close", &["Esc", "Down"])],
                "config.toml:2: dialog.close and dialog.down are both bound to Down in Dialogs; dialog.close wins",
            ),
            (
                &[("picker.mark", &["Enter"])],
                "config.toml:2: picker.mark and picker.accept are both bound to Enter in Picker of several; picker.mark wins",
            ),
        ] {
            let keymap = build_keymap(&overrides("default", changes));
            assert!(
                keymap
                    .problems()
                    .iter()
                    .any(|problem| problem.starts_with(expected)),
                "{expected}: {:?}",
                keymap.problems()
            );
        }
    }

    #[test]
    fn keys_that_cannot_work_are_ignored_and_the_command_keeps_the_others() {
        for (id, keys, expected) in [
            ("prompt.submit", &["x"][..], &["Enter"][..]),
            ("palette.run", &["g g", "F2"], &["F2"]),
            ("picker.mark", &["Space", "x"], &["Space"]),
            ("form.apply", &["w"], &["Ctrl-s", "Ctrl-Enter"]),
            ("queue.done", &["Hyper-d"], &["e"]),
            ("queue.done", &["Ctrl-c"], &["e"]),
        ] {
            let keymap = build_keymap(&overrides("default", &[(id, keys)]));
            assert_eq!(
                (keymap.labels(id), keymap.problems().len()),
                (
                    &expected
                        .iter()
                        .map(|key| (*key).to_owned())
                        .collect::<Vec<_>>()[..],
                    1
                ),
                "{id}"
            );
        }
    }

    #[test]
    fn a_conflict_is_solved_by_rebinding_the_other_command() {
        let keymap = build_keymap(&overrides(
            "default",
            &[("queue.done", &["L"]), ("queue.load.all", &["Ctrl-e"])],
        ));
        assert_eq!(keymap.problems(), [] as [String; 0]);
    }

    #[test]
    fn messages_name_the_current_keys() {
        let keymap = build_keymap(&overrides("default", &[("refresh", &["F5"])]));
        assert_eq!(
            keymap.expand_keys("{refresh} retries, {queue.done} sends"),
            "F5 retries, e sends"
        );
        assert_eq!(keymap.expand_keys("nothing to press"), "nothing to press");
    }
}

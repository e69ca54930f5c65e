//! The keys as they are: the table's own, then a preset's, then the person's. Built once; the pressed keys are looked up in it.
//!
//! A key goes to the nearest scope that has it. Where two commands of one scope want the same key, or a short key would hide a longer
//! one, one of them has it and the other is told, with the line of the configuration that wanted it.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, LazyLock};

use super::keys::{self, Key};
use super::{Command, Scope, table};
use crate::text;
use crate::ui::{TextRole, TextSpan, text_span};

/// What the person wants of the keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wishes {
    /// The preset to begin with; none is `default`.
    pub preset: Option<String>,
    /// Commands with keys of their own, in the order in which they were written.
    pub changes: Vec<Change>,
}

/// A command's keys instead of those that it had.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The command.
    pub id: String,
    /// Its keys; none takes all of them away.
    pub keys: Vec<String>,
    /// Where that is written: a file and a line.
    pub at: String,
}

/// A preset: the commands whose keys differ from the table's.
type Preset = (&'static str, &'static [(&'static str, &'static [&'static str])]);

/// The presets, by their names.
pub const PRESETS: &[Preset] = &[
    ("default", &[]),
    ("vim", &[("queue.done", &["d d", "e"]), ("detail.done", &["d d", "e"]), ("undo", &["u", "z"]), ("redo", &["Ctrl-r", "Z"])]),
    ("gmail", &[("undo", &["z"]), ("go.queue", &["1", "g i"]), ("views.delete", &["#", "D"]), ("book.remove", &["#", "D"])]),
    (
        "mutt",
        &[
            ("queue.done", &["d", "; d"]),
            ("queue.new", &["u", "; u"]),
            ("detail.done", &["d"]),
            ("detail.new", &["u"]),
            ("undo", &["z"]),
            ("queue.mark", &["t", "Space"]),
            ("views.mark", &["t", "Space"]),
            ("records.mark", &["t", "Space"]),
            ("queue.filter", &["l", "f"]),
            ("records.narrow", &["l", "f"]),
            ("queue.open", &["Enter", "Right"]),
            ("records.open", &["Enter", "Right"]),
        ],
    ),
];

/// What keys pressed so far lead to.
#[derive(Clone, Copy)]
pub enum Lookup {
    /// A command.
    Command(&'static Command),
    /// More keys are needed.
    Prefix,
    /// Nothing.
    Nothing,
}

/// Keys that run a command.
struct Binding {
    keys: Vec<Key>,
    command: &'static Command,
    /// The change that wanted it; the later one wins. Nothing for the table and the presets.
    change: Option<usize>,
}

/// What a key sequence leads to in a scope: a binding, or the beginning of one.
#[derive(Clone, Copy)]
enum Step {
    Whole(usize),
    Part(usize),
}

/// The keys of every command, and what they lead to in each scope.
pub struct Keymap {
    bindings: Vec<Binding>,
    steps: HashMap<Scope, HashMap<Vec<Key>, Step>>,
    labels: HashMap<&'static str, Vec<String>>,
    hints: HashMap<Scope, Vec<&'static Command>>,
    problems: Vec<String>,
}

static TABLE: LazyLock<Arc<Keymap>> = LazyLock::new(|| Arc::new(Keymap::new(&Wishes::default())));

impl fmt::Debug for Keymap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Keymap({} keys)", self.bindings.len())
    }
}

impl Keymap {
    /// The keys that a person wants; the table's own are built once for all.
    pub fn of(wishes: &Wishes) -> Arc<Keymap> {
        if *wishes == Wishes::default() { Arc::clone(&TABLE) } else { Arc::new(Keymap::new(wishes)) }
    }

    fn new(wishes: &Wishes) -> Keymap {
        let mut problems = Vec::new();
        let preset = wishes.preset.as_deref().unwrap_or("default");
        let preset = PRESETS.iter().find(|(name, _)| *name == preset).map_or(&[][..], |(_, rows)| rows);
        for change in &wishes.changes {
            problems.extend(faults(change));
        }
        let mut keymap =
            Keymap { bindings: Vec::new(), steps: HashMap::new(), labels: HashMap::new(), hints: HashMap::new(), problems };
        for command in table() {
            let change = wishes.changes.iter().rposition(|change| change.id == command.id);
            let of_preset = || preset.iter().find(|(id, _)| *id == command.id).map_or(command.keys, |(_, keys)| keys);
            let names: Vec<&str> = match change.and_then(|at| wishes.changes.get(at)) {
                Some(change) => change.keys.iter().map(String::as_str).collect(),
                None => of_preset().to_vec(),
            };
            let read = |name: &&str| Some((Key::sequence(name)?, (*name).to_owned()));
            let (keys, names): (Vec<_>, Vec<_>) = names.iter().filter_map(read).unzip();
            keymap.labels.insert(command.id, names.iter().map(|name| keys::label(name)).collect());
            keymap.bindings.extend(keys.into_iter().map(|keys| Binding { keys, command, change }));
        }
        let mut clashes = BTreeMap::new();
        for scope in Scope::ALL {
            keymap.lay(*scope, &mut clashes);
        }
        let told = clashes.into_iter().filter_map(|((owner, loser), scope)| keymap.told(owner, loser, scope, &wishes.changes));
        let told: Vec<String> = told.collect();
        keymap.problems.extend(told);
        keymap.hints = Scope::ALL.iter().map(|scope| (*scope, keymap.hints_of(*scope))).collect();
        keymap
    }

    /// Lays a scope's keys: the nearest first, of one scope the shortest first, of one length the person's last word first.
    fn lay(&mut self, scope: Scope, clashes: &mut BTreeMap<(usize, usize), Scope>) {
        let far = |binding: &Binding| scope.chain().iter().position(|near| *near == binding.command.scope);
        let mut order: Vec<usize> = (0..self.bindings.len()).filter(|at| scope.reaches(self.bindings[*at].command)).collect();
        order.sort_by_key(|at| {
            let binding = &self.bindings[*at];
            (far(binding), binding.keys.len(), std::cmp::Reverse(binding.change))
        });
        let steps = self.steps.entry(scope).or_default();
        for at in order {
            let keys = &self.bindings[at].keys;
            let hider = (1..keys.len()).find_map(|n| match steps.get(&keys[..n]) {
                Some(Step::Whole(owner)) => Some(*owner),
                _ => None,
            });
            let taken = steps.get(keys).map(|(Step::Whole(owner) | Step::Part(owner))| *owner);
            match hider.or(taken) {
                Some(owner) => {
                    clashes.entry((owner, at)).or_insert(scope);
                }
                None => {
                    steps.insert(keys.clone(), Step::Whole(at));
                    for n in 1..keys.len() {
                        steps.entry(keys[..n].to_vec()).or_insert(Step::Part(at));
                    }
                }
            }
        }
    }

    /// What to say of two bindings of which one hides the other; nothing where the table means it so, or where the hidden command has
    /// another key in that scope.
    fn told(&self, owner: usize, loser: usize, scope: Scope, changes: &[Change]) -> Option<String> {
        let (owner, loser) = (&self.bindings[owner], &self.bindings[loser]);
        let at = owner.change.max(loser.change).and_then(|at| changes.get(at)).map(|change| change.at.as_str());
        let same_scope = owner.command.scope == loser.command.scope;
        let steps = self.steps.get(&scope)?;
        let has_another = self.bindings.iter().any(|other| {
            let works =
                matches!(steps.get(&other.keys), Some(Step::Whole(at)) if self.bindings[*at].command.id == loser.command.id);
            other.command.id == loser.command.id && works
        });
        if owner.command.id == loser.command.id || (!same_scope && (at.is_none() || has_another)) {
            return None;
        }
        let (owner_keys, loser_keys) = (written(&owner.keys), written(&loser.keys));
        let at = at.map(|at| format!("{at}: ")).unwrap_or_default();
        let place = if same_scope { owner.command.scope } else { scope }.title();
        let (owner, loser) = (owner.command.id, loser.command.id);
        Some(if owner_keys == loser_keys {
            format!("{at}{owner} and {loser} share {owner_keys} in {place}; {owner} has it")
        } else {
            format!("{at}{owner_keys} of {owner} hides {loser_keys} of {loser} in {place}")
        })
    }

    /// What is wrong with the wishes, each on one line with its place.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// Looks keys up: the pane's own rows first, the rows of everywhere last.
    pub fn look_up(&self, scope: Scope, pressed: &[Key]) -> Lookup {
        match self.steps.get(&scope).and_then(|steps| steps.get(pressed)) {
            Some(Step::Whole(at)) => Lookup::Command(self.bindings[*at].command),
            Some(Step::Part(_)) => Lookup::Prefix,
            None => Lookup::Nothing,
        }
    }

    /// The commands that may follow a prefix, with the key that is still to be pressed.
    pub fn continuations(&self, scope: Scope, pressed: &[Key]) -> Vec<(String, &'static Command)> {
        let follows = |binding: &&Binding| {
            let leads = matches!(self.look_up(scope, &binding.keys), Lookup::Command(found) if found.id == binding.command.id);
            binding.keys.len() > pressed.len() && binding.keys.starts_with(pressed) && leads
        };
        let rows = self.bindings.iter().filter(follows);
        rows.map(|binding| (binding.keys[pressed.len()].to_string(), binding.command)).collect()
    }

    /// The keys of a command as the configuration writes them.
    pub fn names(&self, id: &str) -> Vec<String> {
        let of = self.bindings.iter().filter(|binding| binding.command.id == id);
        of.map(|binding| binding.keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")).collect()
    }

    /// The keys of a command as they are written on the screen.
    pub fn labels(&self, id: &str) -> &[String] {
        self.labels.get(id).map(Vec::as_slice).unwrap_or_default()
    }

    /// Those of them that run it in a scope: not the ones that something nearer has taken.
    pub fn labels_in(&self, scope: Scope, id: &str) -> Vec<&str> {
        let runs = |binding: &Binding| matches!(self.look_up(scope, &binding.keys), Lookup::Command(found) if found.id == id);
        let of = self.bindings.iter().filter(|binding| binding.command.id == id).zip(self.labels(id));
        of.filter(|(binding, _)| runs(binding)).map(|(_, label)| label.as_str()).collect()
    }

    /// The first key of a command; empty when it has none.
    pub fn label(&self, id: &str) -> &str {
        self.labels(id).first().map(String::as_str).unwrap_or_default()
    }

    /// The key of a command as a message names it; of one without a key, what finds it in the palette: `:undo`.
    pub fn named(&self, id: &str) -> Cow<'_, str> {
        match self.labels(id) {
            [first, ..] => first.into(),
            [] => format!(":{}", table().find(|row| row.id == id).map_or(id, |row| row.title)).into(),
        }
    }

    /// A line of words in which `{command}` stands for that command's key.
    pub fn words(&self, line: &str) -> String {
        self.pieces(TextRole::Muted, line).iter().map(|piece| piece.text.as_ref()).collect()
    }

    /// The same in pieces: the words in `role`, the keys as keys.
    pub fn pieces<'a>(&'a self, role: TextRole, line: &'a str) -> Vec<TextSpan<'a>> {
        let mut pieces = Vec::new();
        let mut rest = line;
        while let Some((before, inside)) = rest.split_once('{') {
            let (id, after) = inside.split_once('}').unwrap_or((inside, ""));
            pieces.extend([text_span(role, before), text_span(TextRole::Key, self.named(id))]);
            rest = after;
        }
        pieces.push(text_span(role, rest));
        pieces.retain(|piece| !piece.text.is_empty());
        pieces
    }

    /// The commands of a pane and of everywhere that hold a place in the hint line, in order.
    pub fn hints(&self, scope: Scope) -> &[&'static Command] {
        self.hints.get(&scope).map(Vec::as_slice).unwrap_or_default()
    }

    fn hints_of(&self, scope: Scope) -> Vec<&'static Command> {
        // A key that a nearer scope has is hinted at there alone.
        let works = |row: &Command| {
            let first = self.bindings.iter().find(|binding| binding.command.id == row.id);
            first
                .is_some_and(|binding| matches!(self.look_up(scope, &binding.keys), Lookup::Command(found) if found.id == row.id))
        };
        let mut hints: Vec<_> = table().filter(|row| row.hint > 0 && scope.reaches(row) && works(row)).collect();
        // The rows of the pane come before those that it shares with others.
        hints.sort_by_key(|row| (row.scope == Scope::Everywhere, row.hint));
        hints
    }
}

/// What is wrong with a change by itself: a command that is not there, keys that cannot be pressed or are not free.
fn faults(change: &Change) -> Vec<String> {
    let Change { id, at, .. } = change;
    let Some(command) = table().find(|row| row.id == id) else {
        let hint = match text::closest_match(id, table().map(|row| row.id)) {
            Some(near) => format!("did you mean {near}?"),
            None => "gantry keys lists them".to_owned(),
        };
        return vec![format!("{at}: no command is called {id}; {hint}")];
    };
    let fault = |keys: &String| {
        let Some(sequence) = Key::sequence(keys) else {
            return Some(format!(
                "{at}: no key is written {keys:?}; write them like j, G, Ctrl-d, Space, F2, or g g one after the other"
            ));
        };
        if id != "cancel" && Key::sequence("Ctrl-c").is_some_and(|cancel| sequence.starts_with(&cancel)) {
            return Some(format!("{at}: Ctrl-c gives up what is running, always; {id} needs another key"));
        }
        let typed = command.scope == Scope::Sheet && (sequence.len() > 1 || sequence.iter().any(|key| key.is_typed()));
        typed.then(|| format!("{at}: {keys} is text in the annotation sheet; {id} needs a chord or a function key"))
    };
    change.keys.iter().filter_map(fault).collect()
}

fn written(keys: &[Key]) -> String {
    keys::label(&keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wishes(preset: &str, changes: &[(&str, &[&str])]) -> Wishes {
        let change = |(n, (id, keys)): (usize, &(&str, &[&str]))| Change {
            id: (*id).to_owned(),
            keys: keys.iter().map(|key| (*key).to_owned()).collect(),
            at: format!("config.toml:{}", n + 2),
        };
        Wishes { preset: Some(preset.to_owned()), changes: changes.iter().enumerate().map(change).collect() }
    }

    fn runs(keymap: &Keymap, scope: Scope, keys: &str) -> Option<&'static str> {
        match keymap.look_up(scope, &Key::sequence(keys).unwrap()) {
            Lookup::Command(command) => Some(command.id),
            _ => None,
        }
    }

    #[test]
    fn no_preset_binds_a_key_twice_or_hides_one_and_every_row_of_it_is_a_command_with_keys() {
        for (name, rows) in PRESETS {
            assert_eq!(Keymap::of(&wishes(name, &[])).problems(), [] as [String; 0], "{name}");
            for (id, keys) in *rows {
                assert!(table().any(|row| row.id == *id), "{name}: {id}");
                assert!(keys.iter().all(|keys| Key::sequence(keys).is_some()), "{name}: {id}");
            }
        }
    }

    #[test]
    fn each_preset_has_the_keys_that_it_is_known_for() {
        for (preset, scope, keys, id) in [
            ("vim", Scope::Queue, "d d", "queue.done"),
            ("vim", Scope::Queue, "u", "undo"),
            ("vim", Scope::Book, "Ctrl-r", "redo"),
            ("gmail", Scope::Queue, "e", "queue.done"),
            ("gmail", Scope::Queue, "x", "queue.mark"),
            ("gmail", Scope::Queue, "z", "undo"),
            ("gmail", Scope::Views, "#", "views.delete"),
            ("gmail", Scope::Book, "g i", "go.queue"),
            ("mutt", Scope::Queue, "d", "queue.done"),
            ("mutt", Scope::Detail, "u", "detail.new"),
            ("mutt", Scope::Queue, "t", "queue.mark"),
            ("mutt", Scope::Queue, "; d", "queue.done"),
            ("mutt", Scope::Queue, "l", "queue.filter"),
        ] {
            assert_eq!(runs(&Keymap::of(&wishes(preset, &[])), scope, keys), Some(id), "{keys} in {preset}");
        }
    }

    #[test]
    fn a_command_has_the_keys_that_it_was_given_and_no_others() {
        let keymap = Keymap::of(&wishes("default", &[("queue.done", &["Ctrl-e", "g e"]), ("queue.why", &[])]));
        assert_eq!(
            (runs(&keymap, Scope::Queue, "Ctrl-e"), runs(&keymap, Scope::Queue, "g e")),
            (Some("queue.done"), Some("queue.done"))
        );
        assert_eq!((runs(&keymap, Scope::Queue, "e"), runs(&keymap, Scope::Queue, "W")), (None, None));
        assert_eq!((keymap.label("queue.done"), keymap.label("queue.why")), ("Ctrl-e", ""));
        assert_eq!(keymap.problems(), [] as [String; 0]);
    }

    #[test]
    fn what_clashes_or_cannot_be_is_told_by_its_line() {
        for (changes, said) in [
            (
                &[("queue.done", &["Space"][..])][..],
                "config.toml:2: queue.done and queue.mark share Space in Queue; queue.done has it",
            ),
            (&[("go.queue", &["g"])], "config.toml:2: g of go.queue hides gg of go.first in Everywhere"),
            (&[("queue.why", &["z"]), ("undo", &["z"])], "config.toml:3: queue.why and undo share z in Queue; queue.why has it"),
            (&[("queue.dome", &["d"])], "config.toml:2: no command is called queue.dome; did you mean queue.done?"),
            (&[("make.coffee", &["d"])], "config.toml:2: no command is called make.coffee; gantry keys lists them"),
            (&[("queue.done", &["Hyper-d"])], "config.toml:2: no key is written \"Hyper-d\"; write them like"),
            (&[("queue.done", &["Ctrl-c"])], "config.toml:2: Ctrl-c gives up what is running, always; queue.done needs"),
            (&[("sheet.apply", &["w"])], "config.toml:2: w is text in the annotation sheet; sheet.apply needs a chord"),
        ] {
            let keymap = Keymap::of(&wishes("default", changes));
            assert!(keymap.problems().iter().any(|problem| problem.starts_with(said)), "{said}: {:?}", keymap.problems());
        }
    }

    #[test]
    fn a_clash_of_the_default_keys_is_solved_by_giving_the_other_command_a_key() {
        let keymap = Keymap::of(&wishes("default", &[("queue.done", &["Space"]), ("queue.mark", &["x"])]));
        assert_eq!(keymap.problems(), [] as [String; 0]);
    }

    #[test]
    fn words_name_the_keys_as_they_are() {
        let keymap = Keymap::of(&wishes("default", &[("refresh", &["F5"])]));
        assert_eq!(keymap.words("{refresh} tries again, {queue.done} sends"), "F5 tries again, e sends");
        assert_eq!(keymap.words("nothing to press"), "nothing to press");
    }
}

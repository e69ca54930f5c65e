//! The command palette, and help: the same list, which runs nothing.
//!
//! A command that writes or spends is never preselected: running it takes an arrow key. A query
//! matches words and their prefixes, names before descriptions. Commands of other screens are
//! listed with the place where they work, and lead there; those of dialogs only help lists. The
//! palette also takes commands with an argument ([`verbs`]), and finds what was read by its name.
//! In help, a key that is not a letter looks itself up. Without a query, both list what the footer
//! teaches, then folded groups.

mod groups;
pub(in crate::app) mod verbs;

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;

use crate::app::action::Action;
use crate::app::command::keymap::Keymap;
use crate::app::command::keys::Key;
use crate::app::command::{Command, Scope};
use crate::domain::fuzzy::closest_match;
use crate::ui::scroll::ScrollState;
use crate::ui::text_input::{PasteTooLong, TextInput};

pub use groups::HelpGroup;
pub use verbs::{PaletteVerb, VERBS};

/// At most this many Views, records and members are listed for a query.
const MAX_LISTED_DESTINATIONS: usize = 20;
/// Help begins with at most this many commands of the screen.
const FIRST_COMMANDS: usize = 12;
/// The rank of a command whose name begins with the query.
const NAME_BEGINS: u8 = 2;
/// Shorter queries look only at the names of commands with an argument.
const MIN_DESCRIBED: usize = 5;
/// A footer with fewer keys has no room for more.
const MANY_TAUGHT: usize = 8;

/// The palette, or help.
#[derive(Clone, Debug)]
pub struct CommandPalette {
    pub title: &'static str,
    /// The query.
    pub field: TextInput,
    /// The explained line, and the first visible one.
    pub scroll: ScrollState,
    /// The palette runs commands; help does not.
    pub runs_commands: bool,
    /// Enter runs the explained line: it is harmless, or the user moved to it.
    is_selected: bool,
    /// Enter was pressed without a line to run.
    pub is_refused: bool,
    /// The name that the entries are of, where nothing matches the query.
    near: Option<String>,
    scope: Scope,
    keymap: Arc<Keymap>,
    destinations: Vec<Destination>,
    /// What was run before, the latest last, and how far the user went back in it.
    history: Vec<String>,
    recalled: Option<usize>,
    entries: Vec<PaletteEntry>,
    /// What the footer teaches where help was opened.
    taught: Vec<&'static Command>,
    /// The groups that are open.
    open_groups: Vec<HelpGroup>,
}

/// A line of the palette.
#[derive(Clone, Debug)]
pub enum PaletteEntry {
    Command(CommandMatch),
    /// A group of commands, with their number.
    Group {
        group: HelpGroup,
        commands: usize,
        is_open: bool,
    },
    /// A command with an argument that can be typed.
    Verb(&'static PaletteVerb),
    /// A command with the argument that was typed: what it does, or why it does nothing.
    Line(&'static PaletteVerb, Result<Vec<Action>, String>),
    Destination(Destination),
}

/// Something that was read, found by its name.
#[derive(Clone, Debug)]
pub struct Destination {
    pub name: String,
    /// What it is: `View`, `account`, `member`.
    pub kind: String,
    /// Its price, where it may cost something.
    pub cost: &'static str,
    pub action: Action,
}

/// A command that matches the query.
#[derive(Clone, Copy, PartialEq)]
pub struct CommandMatch {
    pub command: &'static Command,
    pub works_here: bool,
}

impl std::fmt::Debug for CommandMatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.command.id)
    }
}

impl PaletteEntry {
    #[cfg(test)]
    pub fn command_match(&self) -> Option<CommandMatch> {
        if let PaletteEntry::Command(found) = self {
            Some(*found)
        } else {
            None
        }
    }

    /// Whether Enter may run it without a step to it: it writes nothing here and costs nothing.
    /// What a command of the user does is not known: its whole name must be typed.
    fn is_harmless(&self, query: &str) -> bool {
        match self {
            PaletteEntry::Command(found) if found.command.is_custom() => {
                found.command.title.to_lowercase() == query
            }
            PaletteEntry::Command(found) => {
                !found.works_here || !found.command.writes && found.command.cost.is_empty()
            }
            PaletteEntry::Group { .. } | PaletteEntry::Verb(_) | PaletteEntry::Line(..) => true,
            PaletteEntry::Destination(place) => place.cost.is_empty(),
        }
    }
}

impl CommandPalette {
    /// The commands of this scope, those first that the footer teaches, then those of dialogs;
    /// read-only.
    pub fn for_help(scope: Scope, keymap: &Arc<Keymap>, taught: Vec<&'static Command>) -> Self {
        let help = CommandPalette::new("Help", false, scope, keymap, Vec::new(), Vec::new());
        let mut help = CommandPalette { taught, ..help };
        help.update_entries();
        help
    }

    /// All commands, what was read, and what was run before.
    pub fn for_commands(
        scope: Scope,
        keymap: &Arc<Keymap>,
        destinations: Vec<Destination>,
        history: Vec<String>,
    ) -> Self {
        CommandPalette::new("Commands", true, scope, keymap, destinations, history)
    }

    fn new(
        title: &'static str,
        runs_commands: bool,
        scope: Scope,
        keymap: &Arc<Keymap>,
        destinations: Vec<Destination>,
        history: Vec<String>,
    ) -> Self {
        let mut palette = CommandPalette {
            title,
            field: TextInput::default(),
            scroll: ScrollState::default(),
            runs_commands,
            is_selected: false,
            is_refused: false,
            near: None,
            scope,
            keymap: Arc::clone(keymap),
            destinations,
            history,
            recalled: None,
            entries: Vec::new(),
            taught: Vec::new(),
            open_groups: Vec::new(),
        };
        palette.update_entries();
        palette
    }

    /// The scope that it was opened in.
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// Best match first.
    pub fn entries(&self) -> &[PaletteEntry] {
        &self.entries
    }

    /// The keys that run a command in this scope; for a command of another screen, its keys there.
    pub fn key_labels(&self, found: CommandMatch) -> Vec<&str> {
        if found.works_here {
            self.keymap.labels_in_scope(self.scope, found.command.id)
        } else {
            self.keymap
                .labels(found.command.id)
                .iter()
                .map(String::as_str)
                .collect()
        }
    }

    /// The explained line.
    pub fn current_entry(&self) -> Option<&PaletteEntry> {
        self.entries.get(self.scroll.cursor)
    }

    /// The line that Enter runs, if it is available.
    pub fn selected_entry(&self) -> Option<&PaletteEntry> {
        self.current_entry()
            .filter(|_| self.runs_commands && self.is_selected)
    }

    /// How many commands are listed without a query.
    pub fn command_count(&self) -> usize {
        self.listed_commands(false).len()
    }

    /// Whether the commands are listed in groups.
    pub fn is_grouped(&self) -> bool {
        self.field.text().trim().is_empty()
    }

    /// What a listed command does: in several places, if none of them was asked for.
    pub fn description_of(&self, found: CommandMatch) -> &'static str {
        match found.command.shared {
            Some(shared) if !found.works_here && self.field.text().is_empty() => shared.description,
            _ => found.command.description,
        }
    }

    /// Opens or closes the group under the cursor.
    pub fn toggle_group(&mut self) {
        let Some(PaletteEntry::Group { group, .. }) = self.current_entry() else {
            return;
        };
        let group = *group;
        match self.open_groups.iter().position(|open| *open == group) {
            Some(at) => drop(self.open_groups.remove(at)),
            None => self.open_groups.push(group),
        }
        self.entries = self.grouped_entries();
    }

    /// Where a command works: `on Views, Book, Explore`, `in Picker`.
    pub fn place_of(&self, command: &Command) -> String {
        if command.scope.is_dialog() {
            return format!("in {}", command.scope.title());
        }
        let mut places: Vec<&str> = Vec::new();
        let rows = || self.keymap.commands();
        let is_same = |row: &&Command| {
            row.common_id() == command.common_id() && row.description == command.description
        };
        for place in Scope::ALL.iter().filter(|place| {
            place.is_place() && rows().filter(is_same).any(|row| place.includes(row))
        }) {
            let title = screen_title_from(*place, self.scope);
            if !places.contains(&title) {
                places.push(title);
            }
        }
        format!("on {}", places.join(", "))
    }

    /// The palette lists what can run on any screen. Help lists what works here and in the dialogs
    /// that open over it; with a query, everything.
    fn listed_rows(&self, has_query: bool) -> impl Iterator<Item = CommandMatch> {
        let (scope, runs_commands) = (self.scope, self.runs_commands);
        self.keymap
            .commands()
            .map(move |command| CommandMatch {
                command,
                works_here: scope.includes(command),
            })
            .filter(move |found| {
                let in_dialog = found.command.scope.is_dialog();
                if runs_commands {
                    !in_dialog
                } else {
                    has_query || found.works_here || in_dialog
                }
            })
    }

    /// Each command once, what works here first.
    fn listed_commands(&self, has_query: bool) -> Vec<CommandMatch> {
        let mut rows: Vec<_> = self.listed_rows(has_query).collect();
        rows.sort_by_key(|found| self.distance_of(*found));
        keep_first_places(rows)
    }

    /// How far out a command works; what works elsewhere is farthest.
    fn distance_of(&self, found: CommandMatch) -> usize {
        self.scope
            .find_depth(found.command.scope)
            .filter(|_| found.works_here)
            .unwrap_or(usize::MAX)
    }

    /// What the footer teaches, then the other commands in groups.
    fn grouped_entries(&self) -> Vec<PaletteEntry> {
        // A narrow footer teaches less than there is room for here.
        let taught = match self.taught.len() {
            0..MANY_TAUGHT => self.keymap.hints(self.scope),
            _ => &self.taught,
        };
        let first = &taught[..taught.len().min(FIRST_COMMANDS)];
        let to_entry = |command| {
            PaletteEntry::Command(CommandMatch {
                command,
                works_here: true,
            })
        };
        let mut entries: Vec<_> = first.iter().copied().map(to_entry).collect();
        let others: Vec<_> = self
            .listed_commands(false)
            .into_iter()
            .filter(|found| !first.contains(&found.command))
            .collect();
        for group in HelpGroup::ALL {
            let members = others
                .iter()
                .filter(|found| HelpGroup::classify(found.command) == group);
            let (commands, is_open) = (members.clone().count(), self.open_groups.contains(&group));
            if commands == 0 {
                continue;
            }
            entries.push(PaletteEntry::Group {
                group,
                commands,
                is_open,
            });
            if is_open {
                entries.extend(members.copied().map(PaletteEntry::Command));
            }
        }
        entries
    }

    /// Types a key. In help, a key that types no character shows what it does; what is typed next
    /// replaces it.
    pub fn type_key(&mut self, key: Key) {
        let is_looked_up = !self.runs_commands && key.is_chord();
        if is_looked_up {
            self.field = TextInput::with_selected_text(&key.to_string());
        }
        if is_looked_up || self.field.handle_key(key.to_event()) {
            self.recalled = None;
            self.update_entries();
        }
    }

    /// The first step selects the explained line; further steps move. Up from an empty query goes
    /// back in the history.
    pub fn move_selection(&mut self, rows: isize) {
        let is_browsing =
            self.recalled.is_some() || self.field.text().is_empty() && !self.is_selected;
        if rows == -1 && is_browsing && self.recall_older() {
            return;
        }
        self.recalled = None;
        if !self.runs_commands || std::mem::replace(&mut self.is_selected, true) {
            self.scroll.move_cursor(rows, self.entries.len());
        }
    }

    fn recall_older(&mut self) -> bool {
        let at = self.recalled.unwrap_or(self.history.len());
        let Some(older) = at.checked_sub(1).and_then(|at| self.history.get(at)) else {
            return self.recalled.is_some();
        };
        self.field = TextInput::with_text(older);
        self.recalled = Some(at - 1);
        self.update_entries();
        true
    }

    /// Puts a text into the field, as if it had been typed.
    pub fn set_text(&mut self, text: &str) {
        self.field = TextInput::with_text(text);
        self.update_entries();
    }

    pub fn paste(&mut self, text: &str) -> Result<(), PasteTooLong> {
        self.field.paste(text)?;
        self.update_entries();
        Ok(())
    }

    /// The name that is listed because nothing matches the query.
    pub fn nearest(&self) -> Option<&str> {
        self.near.as_deref()
    }

    /// Lists what matches the query; otherwise what matches the name nearest to it.
    fn update_entries(&mut self) {
        let text = self.field.text();
        self.entries = self.find_entries(text);
        self.near = match self.entries.is_empty() {
            true => self.nearest_name(&text.to_lowercase()),
            false => None,
        };
        if let Some(near) = &self.near {
            self.entries = self.find_entries(near);
        }
        self.is_refused = false;
        let query = self.field.text().trim().to_lowercase();
        self.is_selected = !query.is_empty()
            && self.near.is_none()
            && self
                .entries
                .first()
                .is_some_and(|entry| entry.is_harmless(&query));
        self.scroll = ScrollState::default();
    }

    /// The name of a command, or of what was read, that is nearest to a query or to its first word.
    fn nearest_name(&self, query: &str) -> Option<String> {
        let mut names: Vec<String> = self
            .listed_rows(true)
            .map(|found| found.command.title.to_lowercase())
            .collect();
        if self.runs_commands {
            names.extend(VERBS.iter().map(|verb| verb.name.to_owned()));
            names.extend(
                self.destinations
                    .iter()
                    .map(|place| place.name.to_lowercase()),
            );
        }
        let find = |typed| closest_match(typed, names.iter().map(String::as_str));
        let near = find(query.trim()).or_else(|| find(query.split_whitespace().next()?));
        near.map(str::to_owned)
    }

    /// A command with its argument comes first, then commands of this screen, what was read, and
    /// commands of other screens; in each, better matches first.
    fn find_entries(&self, text: &str) -> Vec<PaletteEntry> {
        if self.is_grouped() {
            return self.grouped_entries();
        }
        let typed = text.trim();
        let query = typed.to_lowercase();
        let joined = query.replace('-', "");
        let words: Vec<&str> = split_words(&joined).collect();
        let rank = |found: CommandMatch| match () {
            () if self
                .key_labels(found)
                .iter()
                .any(|label| is_same_key(label, typed)) =>
            {
                Some(0)
            }
            () => match_rank(found.command, &query, &words),
        };
        let here = self.listed_commands(false);
        let is_nearest = |found: &CommandMatch| !found.works_here || here.contains(found);
        let mut ranked: Vec<_> = self
            .listed_rows(!query.is_empty())
            .filter(is_nearest)
            .filter_map(|found| Some(((!found.works_here, rank(found)?), found)))
            .collect();
        ranked.sort_by_key(|(order, _)| *order);
        let ranked = keep_first_places(ranked.into_iter().map(|(_, found)| found).collect());
        let here = ranked.iter().take_while(|found| found.works_here).count();
        let is_named = |found: &&CommandMatch| {
            found.works_here && rank(**found).is_some_and(|rank| rank <= NAME_BEGINS)
        };
        let named = ranked.iter().take_while(is_named).count();
        let mut entries: Vec<PaletteEntry> =
            ranked.into_iter().map(PaletteEntry::Command).collect();
        if self.runs_commands && !query.is_empty() {
            let (verbs, is_line) = matching_verbs(text, &query);
            let places = self.matching_destinations(&query, &words);
            let described = described_verbs(&query, &words).filter(|_| !is_line);
            entries.splice(here..here, described.chain(places));
            let at = if is_line { 0 } else { named };
            entries.splice(at..at, verbs);
        }
        entries
    }

    fn matching_destinations(&self, query: &str, words: &[&str]) -> Vec<PaletteEntry> {
        let rank = |place: &&Destination| {
            let name = place.name.to_lowercase();
            match () {
                () if name == query => Some(0),
                () if name.starts_with(query) => Some(1),
                () if !words.is_empty()
                    && words
                        .iter()
                        .all(|word| split_words(&name).any(|own| own.starts_with(word))) =>
                {
                    Some(2)
                }
                () => None,
            }
        };
        let mut found: Vec<_> = self
            .destinations
            .iter()
            .filter_map(|place| Some((rank(&place)?, place)))
            .collect();
        found.sort_by_key(|(rank, _)| *rank);
        found
            .into_iter()
            .take(MAX_LISTED_DESTINATIONS)
            .map(|(_, place)| PaletteEntry::Destination(place.clone()))
            .collect()
    }
}

/// Of a command that does the same in several places, keeps the first row.
fn keep_first_places(mut rows: Vec<CommandMatch>) -> Vec<CommandMatch> {
    let mut seen = HashSet::new();
    rows.retain(|found| seen.insert((found.command.common_id(), found.command.description)));
    rows
}

/// The command whose argument is being typed; otherwise, those that begin with the query.
fn matching_verbs(text: &str, query: &str) -> (Vec<PaletteEntry>, bool) {
    let text = text.trim_start();
    let (name, argument) = text.split_once(' ').unwrap_or((text, ""));
    let is_named = |verb: &&PaletteVerb| verb.name == name.to_lowercase();
    if let Some(verb) = VERBS.iter().find(is_named)
        && (text.contains(' ') || verb.takes_no_argument())
    {
        return (
            vec![PaletteEntry::Line(verb, (verb.parse)(argument.trim()))],
            true,
        );
    }
    (
        VERBS
            .iter()
            .filter(|verb| verb.name.starts_with(query))
            .map(PaletteEntry::Verb)
            .collect(),
        false,
    )
}

/// The commands with an argument that a word describes, and that it does not begin.
fn described_verbs(query: &str, words: &[&str]) -> impl Iterator<Item = PaletteEntry> {
    let is_described = move |verb: &&PaletteVerb| {
        query.len() >= MIN_DESCRIBED
            && !verb.name.starts_with(query)
            && !words.is_empty()
            && words
                .iter()
                .all(|word| split_words(verb.description).any(|own| own == *word))
    };
    VERBS.iter().filter(is_described).map(PaletteEntry::Verb)
}

/// A key is looked up by its label; the case of a letter counts, that of a name does not.
fn is_same_key(label: &str, typed: &str) -> bool {
    label == typed || typed.chars().count() > 2 && label.eq_ignore_ascii_case(typed)
}

/// Ranks a match: whole title or ID, their beginning, words of the name, whole words of the
/// description, prefixes of words.
fn match_rank(command: &Command, query: &str, words: &[&str]) -> Option<u8> {
    let [title, sentence] =
        [command.title, command.description].map(|text| text.to_lowercase().replace('-', ""));
    let name = split_words(&title).chain(split_words(command.id));
    let name: Vec<&str> = name.chain(split_words(synonyms_of(command))).collect();
    let text: Vec<&str> = split_words(&sentence).chain(name.iter().copied()).collect();
    let all = |within: &[&str], is: fn(&str, &str) -> bool| {
        !words.is_empty()
            && words
                .iter()
                .all(|word| within.iter().any(|other| is(other, word)))
    };
    let (begins, same) = (
        |other: &str, word: &str| other.starts_with(word),
        |other: &str, word: &str| other == word,
    );
    match () {
        () if title == query || command.id == query || command.common_id() == query => Some(1),
        () if title.starts_with(query) || command.id.starts_with(query) => Some(NAME_BEGINS),
        () if all(&name, begins) => Some(3),
        () if all(&text, same) => Some(4),
        () if all(&text, begins) => Some(5),
        () => None,
    }
}

/// Other words that people look for a command by.
fn synonyms_of(command: &Command) -> &'static str {
    match command.common_id() {
        "queue.snooze" => "remind reminder follow up followup later call back promise task",
        "queue.done" => "archive",
        "list.export" => "excel spreadsheet download csv print",
        "go.settings" => "options preferences configuration",
        "help" => "tutorial manual shortcuts",
        _ => "",
    }
}

fn split_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

/// A place's name as seen from another place: both halves of a screen share its name, except when
/// seen from the other half.
fn screen_title_from(place: Scope, from: Scope) -> &'static str {
    match (place, from) {
        (Scope::ViewRecords, Scope::Views) => "the records of a View",
        (Scope::Results, Scope::Search | Scope::Builder | Scope::Explore) => "the results",
        (Scope::Search, Scope::Results) => "the builder",
        (Scope::Skill, Scope::Skills) => "an open Skill",
        (Scope::Skills, Scope::Skill) => "the list of Skills",
        (Scope::ViewRecords, _) => "Saved",
        (Scope::Search | Scope::Results, _) => "Explore",
        (Scope::Skill, _) => "Skills",
        (Scope::Detail, _) => "a signal",
        (Scope::Record, _) => "a record's page",
        (Scope::ListFilter, _) => "the filter of a list",
        (Scope::AnnotationForm, _) => "the annotation form",
        (place, _) => place.title(),
    }
}

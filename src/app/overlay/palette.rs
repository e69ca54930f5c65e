//! Commands, found by name, key or sentence. The palette runs them; help is the same list, for reading only.
//!
//! Nothing that writes or spends is ever selected by itself: it takes an arrow key. A query matches words and the beginnings of words,
//! names before sentences. Commands of other screens are listed too, with where they work, and cannot be run from here.

use std::sync::Arc;

use super::Outcome;
use crate::app::App;
use crate::app::command::keys::Key;
use crate::app::command::{self, Can, Command, Keymap, Scope};
use crate::ui::field::{PasteTooLong, TextInput};
use crate::ui::scroll::ScrollState;

/// The palette.
#[derive(Clone, Debug)]
pub struct Palette {
    /// Its heading.
    pub title: &'static str,
    /// What is looked for.
    pub field: TextInput,
    /// The line that is explained, and the first on the screen.
    pub scroll: ScrollState,
    /// It runs commands; help does not.
    pub runs: bool,
    /// Enter runs the line: it is harmless, or the person went to it.
    is_selected: bool,
    scope: Scope,
    keymap: Arc<Keymap>,
    found: Vec<Found>,
}

/// A command that was found.
#[derive(Clone, Copy)]
pub struct Found {
    /// The command.
    pub command: &'static Command,
    /// It works on this screen.
    pub is_here: bool,
}

impl std::fmt::Debug for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.command.id)
    }
}

impl Palette {
    /// What works in this pane, the pane's own first, to be read.
    pub fn help(scope: Scope, keymap: &Arc<Keymap>) -> Self {
        Palette::new("Help", false, scope, keymap)
    }

    /// All commands, to be found by typing and run.
    pub fn all(scope: Scope, keymap: &Arc<Keymap>) -> Self {
        Palette::new("Commands", true, scope, keymap)
    }

    fn new(title: &'static str, runs: bool, scope: Scope, keymap: &Arc<Keymap>) -> Self {
        let (keymap, field, scroll) = (Arc::clone(keymap), TextInput::default(), ScrollState::default());
        let mut palette = Palette { title, field, scroll, runs, is_selected: false, scope, keymap, found: Vec::new() };
        palette.search();
        palette
    }

    /// What was found, best first.
    pub fn found(&self) -> &[Found] {
        &self.found
    }

    /// The keys that run a command where the palette was opened; of a command of another screen, its keys there.
    pub fn keys(&self, found: Found) -> Vec<&str> {
        if found.is_here {
            self.keymap.labels_in(self.scope, found.command.id)
        } else {
            self.keymap.labels(found.command.id).iter().map(String::as_str).collect()
        }
    }

    /// The command on the line that is explained.
    pub fn current(&self) -> Option<Found> {
        self.found.get(self.scroll.cursor).copied()
    }

    /// The command that Enter runs, if its condition holds.
    pub fn selected(&self) -> Option<Found> {
        self.current().filter(|_| self.runs && self.is_selected)
    }

    /// How many commands there are to find.
    pub fn all_count(&self) -> usize {
        if self.runs { command::table().count() } else { self.here().count() }
    }

    /// Where a command of another screen works: `Views, Book, Explore`.
    pub fn places(&self, command: &Command) -> String {
        let mut places: Vec<&str> = Vec::new();
        for place in PLACES.iter().filter(|place| place.reaches(command)) {
            let title = place_title(*place, self.scope);
            if !places.contains(&title) {
                places.push(title);
            }
        }
        places.join(", ")
    }

    /// Whether a command can be run from here, and if not, why.
    pub fn can(&self, found: Found, app: &App) -> Can {
        if found.is_here { (found.command.can)(app) } else { Err(format!("works on {}", self.places(found.command)).into()) }
    }

    fn here(&self) -> impl Iterator<Item = &'static Command> {
        let scope = self.scope;
        command::table().filter(move |row| scope.reaches(row))
    }

    /// Gives a key to the palette.
    pub fn key(&mut self, key: Key, app: &App) -> Outcome {
        let is = |name: &str| Some(key) == Key::parse(name);
        match () {
            () if is("Esc") => return Outcome::Close,
            () if is("Enter") => {
                return match self.selected() {
                    Some(found) if self.can(found, app).is_ok() => Outcome::Run(found.command),
                    _ => Outcome::Stay,
                };
            }
            () if is("Down") || is("Ctrl-n") || is("Tab") => self.step(1),
            () if is("Up") || is("Ctrl-p") || is("Shift-Tab") => self.step(-1),
            () if is("PgDn") => self.step(10),
            () if is("PgUp") => self.step(-10),
            () => {
                if self.field.handle_key(key.event()) {
                    self.search();
                }
            }
        }
        Outcome::Stay
    }

    /// The first step selects the line that is explained; the others move.
    fn step(&mut self, rows: isize) {
        if !self.runs || std::mem::replace(&mut self.is_selected, true) {
            self.scroll.move_cursor(rows, self.found.len());
        }
    }

    /// Gives a paste to the field.
    pub fn paste(&mut self, text: &str) -> Result<(), PasteTooLong> {
        self.field.paste(text)?;
        self.search();
        Ok(())
    }

    /// What works here comes first, then by how well it matches.
    fn search(&mut self) {
        let query = self.field.text().trim().to_lowercase();
        let typed = self.field.text().trim();
        let joined = query.replace('-', "");
        let words: Vec<&str> = words_of(&joined).collect();
        let rank = |found: Found| match () {
            () if query.is_empty() => Some(0),
            () if self.keys(found).contains(&typed) => Some(0),
            () => rank(found.command, &query, &words),
        };
        let listed = |found: &Found| found.is_here || self.runs || !query.is_empty();
        let all = command::table().map(|command| Found { command, is_here: self.scope.reaches(command) }).filter(listed);
        let mut ranked: Vec<_> = all.filter_map(|found| Some(((!found.is_here, rank(found)?), found))).collect();
        ranked.sort_by_key(|(order, _)| *order);
        let found: Vec<Found> = ranked.into_iter().map(|(_, found)| found).collect();
        let is_harmless = |found: &Found| !found.is_here || !found.command.writes && found.command.cost.is_empty();
        self.is_selected = !query.is_empty() && found.first().is_some_and(is_harmless);
        self.scroll = ScrollState::default();
        self.found = found;
    }
}

/// How well a command matches: its name, the words of its name, whole words of its sentence, beginnings of such words.
fn rank(command: &Command, query: &str, words: &[&str]) -> Option<u8> {
    let [title, sentence] = [command.title, command.sentence].map(|text| text.to_lowercase().replace('-', ""));
    let name: Vec<&str> = words_of(&title).chain(words_of(command.id)).collect();
    let text: Vec<&str> = words_of(&sentence).chain(name.iter().copied()).collect();
    let all = |within: &[&str], is: fn(&str, &str) -> bool| {
        !words.is_empty() && words.iter().all(|word| within.iter().any(|other| is(other, word)))
    };
    let (begins, same) = (|other: &str, word: &str| other.starts_with(word), |other: &str, word: &str| other == word);
    match () {
        () if title == query || command.id == query => Some(1),
        () if all(&name, begins) => Some(2),
        () if all(&text, same) => Some(3),
        () if all(&text, begins) => Some(4),
        () => None,
    }
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Where keys are looked up, in the order in which people know the screens.
const PLACES: &[Scope] = &[
    Scope::Queue,
    Scope::Detail,
    Scope::Views,
    Scope::ViewRecords,
    Scope::Book,
    Scope::Subscriptions,
    Scope::Search,
    Scope::Results,
    Scope::Team,
    Scope::Skills,
    Scope::Skill,
    Scope::Credits,
    Scope::Record,
    Scope::Narrow,
    Scope::Sheet,
];

/// The name of a place, as one says it from another: both halves of a screen have its name, except from the other half.
fn place_title(place: Scope, from: Scope) -> &'static str {
    match (place, from) {
        (Scope::ViewRecords, Scope::Views) => "the records of a View",
        (Scope::Views, Scope::ViewRecords) => "the list of Views",
        (Scope::Results, Scope::Search | Scope::Builder | Scope::Explore) => "the results",
        (Scope::Search, Scope::Results) => "the builder",
        (Scope::Skill, Scope::Skills) => "an open Skill",
        (Scope::Skills, Scope::Skill) => "the list of Skills",
        (Scope::ViewRecords, _) => "Views",
        (Scope::Search | Scope::Results, _) => "Explore",
        (Scope::Skill, _) => "Skills",
        (Scope::Detail, _) => "a signal",
        (Scope::Record, _) => "a record's page",
        (Scope::Narrow, _) => "the filter of a list",
        (Scope::Sheet, _) => "the annotation form",
        (place, _) => place.title(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::effect::Call;
    use crate::app::testing::{Console, morning};

    /// Calls that change something for others or cost credits.
    fn harm(console: &Console) -> usize {
        let harms =
            |call: &&Call| matches!(call, Call::Triage { .. } | Call::Write(_)) || call.most().is_some_and(|most| most > 0);
        console.calls.iter().filter(harms).count()
    }

    fn shown(query: &str) -> Console {
        Console::over(morning()).press(":").type_in(query)
    }

    fn found(console: &Console) -> Vec<Found> {
        match &console.app.overlay {
            Some(crate::app::overlay::Overlay::Palette(palette)) => palette.found().to_vec(),
            _ => panic!("no palette: {}", console.screen()),
        }
    }

    #[test]
    fn help_then_enter_runs_nothing_on_any_screen() {
        for scope in Scope::ALL {
            for way in ["Enter", "Down Enter", "PgDn Enter"] {
                let console = Console::at(*scope).press(if *scope == Scope::Sheet { "F1" } else { "?" });
                let before = (console.screen(), console.calls.len());
                let console = console.press(way).serve();
                assert!(console.app.overlay.is_some(), "{scope:?} {way}: {}", console.screen());
                assert_eq!(console.calls.len(), before.1, "{scope:?} {way}");
                assert!(way != "Enter" || console.screen() == before.0, "{scope:?}: Enter moved something");
            }
        }
    }

    #[test]
    fn the_palette_never_selects_what_writes_or_spends_by_itself() {
        let keymap = Keymap::of(&command::keymap::Wishes::default());
        for query in command::table().flat_map(|row| [row.title, row.id]).chain(["e", "D", "sign"]) {
            for scope in &[Scope::Queue, Scope::ViewRecords, Scope::Team] {
                let mut palette = Palette::all(*scope, &keymap);
                palette.paste(query).unwrap();
                let selected = palette.selected().filter(|found| found.is_here).map(|found| found.command);
                let harmless = selected.is_none_or(|command| !command.writes && command.cost.is_empty());
                assert!(harmless, "{query} in {scope:?}");
            }
        }
        let console = shown("sign").press("Enter").serve();
        assert_eq!(harm(&console), 0, "{}", console.screen());
    }

    #[test]
    fn a_writing_command_is_run_from_the_palette_by_going_to_it() {
        assert_eq!(shown("queue.done").press("Enter").triages().len(), 0);
        assert_eq!(shown("queue.done").press("Down Enter").triages().len(), 1);
    }

    #[test]
    fn words_and_their_beginnings_are_found_and_letters_scattered_over_a_sentence_are_not() {
        for (query, wanted, unwanted) in [
            ("email", "team.copy.address", "queue.done"),
            ("csv", "records.export", "queue.preview.up"),
            ("quit", "close", "queue.done"),
            ("export", "records.export", "go.explore"),
            ("invite", "team.invite", "queue.invert"),
            ("half page", "go.half.down", "go.page.down"),
        ] {
            let console = shown(query);
            let ids: Vec<&str> = found(&console).iter().map(|found| found.command.id).collect();
            assert!(ids.contains(&wanted), "{query}: {ids:?}");
            assert!(!ids.contains(&unwanted), "{query}: {ids:?}");
        }
    }

    #[test]
    fn names_come_before_sentences_and_what_works_here_before_other_screens() {
        assert_eq!(found(&shown("undo"))[0].command.id, "undo");
        assert_eq!(found(&shown("filter"))[0].command.id, "queue.filter");
        let all = found(&shown("delete"));
        assert!(all.iter().all(|found| !found.is_here), "{all:?}");
        let all = found(&shown("open"));
        let firsts = all.iter().take_while(|found| found.is_here).count();
        assert!(firsts > 0 && all[firsts..].iter().all(|found| !found.is_here), "{all:?}");
    }

    #[test]
    fn commands_of_other_screens_are_listed_with_where_they_work_and_do_nothing() {
        let console = shown("export");
        assert!(console.screen().contains("Views, Book, Explore"), "{}", console.screen());
        let before = (console.calls.len(), console.effects.len());
        let console = console.press("Enter").serve();
        assert_eq!((console.calls.len(), console.effects.len()), before);
        assert!(console.screen().contains("works on Views, Book, Explore"), "{}", console.screen());
    }

    #[test]
    fn a_query_that_matches_nothing_says_so() {
        let console = shown("zzz");
        assert!(console.screen().contains("No command matches zzz"), "{}", console.screen());
        assert!(console.press("Enter").app.overlay.is_some());
    }
}

//! Commands, found by name, key or sentence, and run. Help is the same list, narrowed to the pane.

use std::sync::Arc;

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::Outcome;
use crate::app::App;
use crate::app::command::keys::Key;
use crate::app::command::{self, Command, Keymap, Scope};
use crate::ui::field::Field;
use crate::ui::scroll::Scroll;

/// The palette.
#[derive(Clone, Debug)]
pub struct Palette {
    /// Its heading.
    pub title: &'static str,
    /// What is looked for.
    pub field: Field,
    /// The line that runs, and the first on the screen.
    pub scroll: Scroll,
    scope: Scope,
    keymap: Arc<Keymap>,
    found: Vec<Found>,
}

/// A command that was found.
#[derive(Clone, Copy)]
pub struct Found(pub &'static Command);

impl std::fmt::Debug for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.id)
    }
}

impl Palette {
    /// What works in this pane, the pane's own first.
    pub fn help(scope: Scope, keymap: &Arc<Keymap>) -> Self {
        Palette::new("Help", scope, keymap)
    }

    /// The same commands, to be found by typing.
    pub fn all(scope: Scope, keymap: &Arc<Keymap>) -> Self {
        Palette::new("Commands", scope, keymap)
    }

    fn new(title: &'static str, scope: Scope, keymap: &Arc<Keymap>) -> Self {
        let keymap = Arc::clone(keymap);
        let mut palette = Palette { title, field: Field::default(), scroll: Scroll::default(), scope, keymap, found: Vec::new() };
        palette.search();
        palette
    }

    /// What was found, best first.
    pub fn found(&self) -> &[Found] {
        &self.found
    }

    /// The keys that run a command where the palette was opened.
    pub fn keys(&self, command: &Command) -> Vec<&str> {
        self.keymap.labels_in(self.scope, command.id)
    }

    /// The command that Enter runs.
    pub fn current(&self) -> Option<&'static Command> {
        self.found.get(self.scroll.cursor).map(|found| found.0)
    }

    /// How many commands there are to find.
    pub fn all_count(&self) -> usize {
        self.commands().count()
    }

    fn commands(&self) -> impl Iterator<Item = &'static Command> {
        let scope = self.scope;
        command::table().filter(move |row| scope.reaches(row))
    }

    /// Gives a key to the palette.
    pub fn key(&mut self, key: Key, app: &App) -> Outcome {
        let is = |name: &str| Some(key) == Key::parse(name);
        let last = self.found.len();
        match () {
            () if is("Esc") => return Outcome::Close,
            () if is("Enter") => {
                return match self.current() {
                    Some(command) if (command.can)(app).is_ok() => Outcome::Run(command),
                    _ => Outcome::Stay,
                };
            }
            () if is("Down") || is("Ctrl-n") || is("Tab") => self.scroll.step(1, last),
            () if is("Up") || is("Ctrl-p") || is("Shift-Tab") => self.scroll.step(-1, last),
            () if is("PgDn") => self.scroll.step(10, last),
            () if is("PgUp") => self.scroll.step(-10, last),
            () => {
                if self.field.key(key.event()) {
                    self.search();
                }
            }
        }
        Outcome::Stay
    }

    /// Gives a paste to the field.
    pub fn paste(&mut self, text: &str) {
        self.field.paste(text);
        self.search();
    }

    /// A key alone finds its command first; anything else is matched against title, sentence and id.
    fn search(&mut self) {
        let wanted = self.field.text().trim().to_owned();
        self.scroll = Scroll::default();
        if wanted.is_empty() {
            self.found = self.commands().map(Found).collect();
            return;
        }
        let mut matcher = Matcher::new(Config::DEFAULT);
        let pattern = Pattern::parse(&wanted, CaseMatching::Ignore, Normalization::Smart);
        let mut buffer = Vec::new();
        let mut ranked: Vec<(u32, &'static Command)> = Vec::new();
        for row in self.commands() {
            let by_key = self.keys(row).contains(&wanted.as_str());
            let text = format!("{} {} {}", row.title, row.sentence, row.id);
            let score = pattern.score(Utf32Str::new(&text, &mut buffer), &mut matcher);
            match (by_key, score) {
                (true, _) => ranked.push((u32::MAX, row)),
                (false, Some(score)) => ranked.push((score, row)),
                (false, None) => {}
            }
        }
        ranked.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        self.found = ranked.into_iter().map(|(_, row)| Found(row)).collect();
    }
}

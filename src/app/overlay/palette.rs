//! The command palette, and help: the same list, which runs nothing.
//!
//! A command that writes or spends is never preselected: running it takes an arrow key. A query matches words and their prefixes,
//! names before descriptions. Commands of other screens are listed with the place where they work, and cannot be run from here;
//! those of dialogs only help lists.

use std::sync::Arc;

use crate::app::command::keymap::Keymap;
use crate::app::command::keys::Key;
use crate::app::command::{Command, Scope};
use crate::ui::scroll::ScrollState;
use crate::ui::text_input::{PasteTooLong, TextInput};

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
    scope: Scope,
    keymap: Arc<Keymap>,
    matches: Vec<CommandMatch>,
}

/// A command that matches the query.
#[derive(Clone, Copy)]
pub struct CommandMatch {
    pub command: &'static Command,
    pub works_here: bool,
}

impl std::fmt::Debug for CommandMatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.command.id)
    }
}

impl CommandPalette {
    /// The commands of this scope, the pane's own first, then those of dialogs; read-only.
    pub fn for_help(scope: Scope, keymap: &Arc<Keymap>) -> Self {
        CommandPalette::new("Help", false, scope, keymap)
    }

    /// All commands, to search and run.
    pub fn for_commands(scope: Scope, keymap: &Arc<Keymap>) -> Self {
        CommandPalette::new("Commands", true, scope, keymap)
    }

    fn new(title: &'static str, runs: bool, scope: Scope, keymap: &Arc<Keymap>) -> Self {
        let (keymap, field, scroll) = (Arc::clone(keymap), TextInput::default(), ScrollState::default());
        let mut palette =
            CommandPalette { title, field, scroll, runs_commands: runs, is_selected: false, scope, keymap, matches: Vec::new() };
        palette.update_matches();
        palette
    }

    /// Best match first.
    pub fn matches(&self) -> &[CommandMatch] {
        &self.matches
    }

    /// The keys that run a command in this scope; for a command of another screen, its keys there.
    pub fn key_labels(&self, found: CommandMatch) -> Vec<&str> {
        if found.works_here {
            self.keymap.labels_in_scope(self.scope, found.command.id)
        } else {
            self.keymap.labels(found.command.id).iter().map(String::as_str).collect()
        }
    }

    /// The command on the explained line.
    pub fn current_match(&self) -> Option<CommandMatch> {
        self.matches.get(self.scroll.cursor).copied()
    }

    /// The command that Enter runs, if it is available.
    pub fn selected_match(&self) -> Option<CommandMatch> {
        self.current_match().filter(|_| self.runs_commands && self.is_selected)
    }

    /// How many commands are listed without a query.
    pub fn command_count(&self) -> usize {
        self.listed_commands(false).count()
    }

    /// Where a command works: `on Views, Book, Explore`, `in Picker`.
    pub fn place_of(&self, command: &Command) -> String {
        if command.scope.is_dialog() {
            return format!("in {}", command.scope.title());
        }
        let mut places: Vec<&str> = Vec::new();
        for place in Scope::ALL.iter().filter(|place| place.is_place() && place.includes(command)) {
            let title = screen_title_from(*place, self.scope);
            if !places.contains(&title) {
                places.push(title);
            }
        }
        format!("on {}", places.join(", "))
    }

    /// The palette lists what can run on any screen. Help lists what works here and in the dialogs that open over it; with a
    /// query, everything.
    fn listed_commands(&self, has_query: bool) -> impl Iterator<Item = CommandMatch> {
        let (scope, runs_commands) = (self.scope, self.runs_commands);
        self.keymap.commands().map(move |command| CommandMatch { command, works_here: scope.includes(command) }).filter(
            move |found| {
                let in_dialog = found.command.scope.is_dialog();
                if runs_commands { !in_dialog } else { has_query || found.works_here || in_dialog }
            },
        )
    }

    pub fn type_key(&mut self, key: Key) {
        if self.field.handle_key(key.to_event()) {
            self.update_matches();
        }
    }

    /// The first step selects the explained line; further steps move.
    pub fn move_selection(&mut self, rows: isize) {
        if !self.runs_commands || std::mem::replace(&mut self.is_selected, true) {
            self.scroll.move_cursor(rows, self.matches.len());
        }
    }

    pub fn paste(&mut self, text: &str) -> Result<(), PasteTooLong> {
        self.field.paste(text)?;
        self.update_matches();
        Ok(())
    }

    /// Commands of this screen come first, then better matches.
    fn update_matches(&mut self) {
        let query = self.field.text().trim().to_lowercase();
        let typed = self.field.text().trim();
        let joined = query.replace('-', "");
        let words: Vec<&str> = split_words(&joined).collect();
        let rank = |found: CommandMatch| match () {
            () if query.is_empty() => Some(0),
            () if self.key_labels(found).contains(&typed) => Some(0),
            () => match_rank(found.command, &query, &words),
        };
        let all = self.listed_commands(!query.is_empty());
        let mut ranked: Vec<_> = all.filter_map(|found| Some(((!found.works_here, rank(found)?), found))).collect();
        ranked.sort_by_key(|(order, _)| *order);
        let found: Vec<CommandMatch> = ranked.into_iter().map(|(_, found)| found).collect();
        let is_harmless = |found: &CommandMatch| !found.works_here || !found.command.writes && found.command.cost.is_empty();
        self.is_selected = !query.is_empty() && found.first().is_some_and(is_harmless);
        self.scroll = ScrollState::default();
        self.matches = found;
    }
}

/// Ranks a match: whole title or ID, words of the name, whole words of the description, prefixes of words.
fn match_rank(command: &Command, query: &str, words: &[&str]) -> Option<u8> {
    let [title, sentence] = [command.title, command.description].map(|text| text.to_lowercase().replace('-', ""));
    let name: Vec<&str> = split_words(&title).chain(split_words(command.id)).collect();
    let text: Vec<&str> = split_words(&sentence).chain(name.iter().copied()).collect();
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

fn split_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// A place's name as seen from another place: both halves of a screen share its name, except when seen from the other half.
fn screen_title_from(place: Scope, from: Scope) -> &'static str {
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
        (Scope::ListFilter, _) => "the filter of a list",
        (Scope::AnnotationForm, _) => "the annotation form",
        (place, _) => place.title(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::effect::ServiceCall;
    use crate::app::panes::{all_commands, build_keymap};
    use crate::app::testing::{TestConsole, morning_queue};

    /// Calls that change something for others or cost credits.
    fn harmful_call_count(console: &TestConsole) -> usize {
        let harms = |call: &&ServiceCall| {
            matches!(call, ServiceCall::Triage { .. } | ServiceCall::Write(_)) || call.max_credits().is_some_and(|most| most > 0)
        };
        console.calls.iter().filter(harms).count()
    }

    fn palette_for(query: &str) -> TestConsole {
        TestConsole::with_rows(morning_queue()).press(":").type_text(query)
    }

    fn palette_matches(console: &TestConsole) -> Vec<CommandMatch> {
        match &console.context().overlay {
            Some(crate::app::overlay::Overlay::Palette(palette)) => palette.matches().to_vec(),
            _ => panic!("no palette: {}", console.screen_text()),
        }
    }

    #[test]
    fn help_then_enter_runs_nothing_on_any_screen() {
        for scope in Scope::ALL.iter().filter(|scope| !scope.is_dialog()) {
            for way in ["Enter", "Down Enter", "PgDn Enter"] {
                let console = TestConsole::at_scope(*scope).press(if *scope == Scope::AnnotationForm { "F1" } else { "?" });
                let before = (console.screen_text(), console.calls.len());
                let console = console.press(way).serve();
                assert!(console.context().overlay.is_some(), "{scope:?} {way}: {}", console.screen_text());
                assert_eq!(console.calls.len(), before.1, "{scope:?} {way}");
                assert!(way != "Enter" || console.screen_text() == before.0, "{scope:?}: Enter moved something");
            }
        }
    }

    #[test]
    fn the_palette_never_preselects_a_command_that_writes_or_spends() {
        let keymap = build_keymap(&crate::app::command::keymap::KeyOverrides::default());
        for query in all_commands().flat_map(|row| [row.title, row.id]).chain(["e", "D", "sign"]) {
            for scope in &[Scope::Queue, Scope::ViewRecords, Scope::Team] {
                let mut palette = CommandPalette::for_commands(*scope, &keymap);
                palette.paste(query).unwrap();
                let selected = palette.selected_match().filter(|found| found.works_here).map(|found| found.command);
                let harmless = selected.is_none_or(|command| !command.writes && command.cost.is_empty());
                assert!(harmless, "{query} in {scope:?}");
            }
        }
        let console = palette_for("sign").press("Enter").serve();
        assert_eq!(harmful_call_count(&console), 0, "{}", console.screen_text());
    }

    #[test]
    fn a_writing_command_runs_only_after_it_was_selected_by_hand() {
        assert_eq!(palette_for("queue.done").press("Enter").triage_calls().len(), 0);
        assert_eq!(palette_for("queue.done").press("Down Enter").triage_calls().len(), 1);
    }

    #[test]
    fn words_and_prefixes_match_and_scattered_letters_do_not() {
        for (query, wanted, unwanted) in [
            ("email", "team.copy.address", "queue.done"),
            ("csv", "records.export", "queue.preview.up"),
            ("quit", "close", "queue.done"),
            ("export", "records.export", "go.explore"),
            ("invite", "team.invite", "queue.invert"),
            ("half page", "go.half.down", "go.page.down"),
        ] {
            let console = palette_for(query);
            let ids: Vec<&str> = palette_matches(&console).iter().map(|found| found.command.id).collect();
            assert!(ids.contains(&wanted), "{query}: {ids:?}");
            assert!(!ids.contains(&unwanted), "{query}: {ids:?}");
        }
    }

    #[test]
    fn names_rank_before_descriptions_and_this_screen_before_others() {
        assert_eq!(palette_matches(&palette_for("undo"))[0].command.id, "undo");
        assert_eq!(palette_matches(&palette_for("filter"))[0].command.id, "queue.filter");
        let all = palette_matches(&palette_for("delete"));
        assert!(all.iter().all(|found| !found.works_here), "{all:?}");
        let all = palette_matches(&palette_for("open"));
        let firsts = all.iter().take_while(|found| found.works_here).count();
        assert!(firsts > 0 && all[firsts..].iter().all(|found| !found.works_here), "{all:?}");
    }

    #[test]
    fn commands_of_other_screens_are_listed_but_do_not_run() {
        let console = palette_for("export");
        assert!(console.screen_text().contains("Views, Book, Explore"), "{}", console.screen_text());
        let before = (console.calls.len(), console.effects.len());
        let console = console.press("Enter").serve();
        assert_eq!((console.calls.len(), console.effects.len()), before);
        assert!(console.screen_text().contains("works on Views, Book, Explore"), "{}", console.screen_text());
    }

    #[test]
    fn a_query_that_matches_nothing_says_so() {
        let console = palette_for("zzz");
        assert!(console.screen_text().contains("No command matches zzz"), "{}", console.screen_text());
        assert!(console.press("Enter").context().overlay.is_some());
    }
}

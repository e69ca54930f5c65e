//! One row a command: the table that keys, hints, help, palette, which-key box, `gantry keys` and tests are read from.
//!
//! Nothing else lists commands. A pane adds its rows in its own `commands.rs`; [`table`] is their sum.

pub mod everywhere;
pub mod keymap;
pub mod keys;

use std::borrow::Cow;

use super::App;
pub use keymap::{Keymap, Lookup};

/// Where a command works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// In the queue.
    Queue,
    /// In a signal's detail.
    Detail,
    /// In the list of Views.
    Views,
    /// In the records of a View.
    ViewRecords,
    /// In the book.
    Book,
    /// In Explore, builder and results alike.
    Explore,
    /// In Explore's builder.
    Builder,
    /// In Explore's builder alone, not in the builder over a list.
    Search,
    /// In the builder over a list.
    Narrow,
    /// In Explore's results.
    Results,
    /// In every list of records.
    Records,
    /// On a record's page.
    Record,
    /// Where records can be chosen to annotate.
    Annotate,
    /// In the annotation sheet.
    Sheet,
    /// In the subscriptions.
    Subscriptions,
    /// In the team.
    Team,
    /// In the list of Skills.
    Skills,
    /// In a Skill.
    Skill,
    /// Where Skills are written.
    SkillWrites,
    /// In the ledger.
    Credits,
    /// On the wallboard.
    Watch,
    /// In every pane, unless the pane has a command of its own on the key.
    Everywhere,
}

impl Scope {
    /// All of them, in the order of help.
    pub const ALL: &[Scope] = &[
        Scope::Queue,
        Scope::Detail,
        Scope::Views,
        Scope::ViewRecords,
        Scope::Book,
        Scope::Explore,
        Scope::Builder,
        Scope::Search,
        Scope::Narrow,
        Scope::Results,
        Scope::Records,
        Scope::Record,
        Scope::Annotate,
        Scope::Sheet,
        Scope::Subscriptions,
        Scope::Team,
        Scope::Skills,
        Scope::Skill,
        Scope::SkillWrites,
        Scope::Credits,
        Scope::Watch,
        Scope::Everywhere,
    ];

    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            Scope::Queue => "Queue",
            Scope::Detail => "Detail",
            Scope::Views => "Views",
            Scope::ViewRecords => "View",
            Scope::Book => "Book",
            Scope::Explore => "Explore",
            Scope::Builder => "Builder",
            Scope::Search => "Search",
            Scope::Narrow => "Filter",
            Scope::Results => "Results",
            Scope::Records => "Records",
            Scope::Record => "Record",
            Scope::Annotate => "Annotate",
            Scope::Sheet => "Annotation sheet",
            Scope::Subscriptions => "Subscriptions",
            Scope::Team => "Team",
            Scope::Skills => "Skills",
            Scope::Skill => "Skill",
            Scope::SkillWrites => "Skills and Skill",
            Scope::Credits => "Credits",
            Scope::Watch => "Watch",
            Scope::Everywhere => "Everywhere",
        }
    }

    /// The scopes whose keys work here, the nearest first.
    pub fn chain(self) -> &'static [Scope] {
        match self {
            Scope::Queue => &[Scope::Queue, Scope::Annotate, Scope::Everywhere],
            Scope::Detail => &[Scope::Detail, Scope::Annotate, Scope::Everywhere],
            Scope::Views => &[Scope::Views, Scope::Everywhere],
            Scope::ViewRecords => &[Scope::ViewRecords, Scope::Records, Scope::Annotate, Scope::Everywhere],
            Scope::Book => &[Scope::Book, Scope::Records, Scope::Annotate, Scope::Everywhere],
            Scope::Explore => &[Scope::Explore, Scope::Everywhere],
            Scope::Builder | Scope::Search => &[Scope::Search, Scope::Builder, Scope::Explore, Scope::Everywhere],
            Scope::Narrow => &[Scope::Narrow, Scope::Builder, Scope::Everywhere],
            Scope::Results => &[Scope::Results, Scope::Records, Scope::Annotate, Scope::Explore, Scope::Everywhere],
            Scope::Records => &[Scope::Records, Scope::Annotate, Scope::Everywhere],
            Scope::Record => &[Scope::Record, Scope::Annotate, Scope::Everywhere],
            Scope::Annotate => &[Scope::Annotate, Scope::Everywhere],
            // Text is typed there: what does not belong to the sheet does nothing.
            Scope::Sheet => &[Scope::Sheet],
            Scope::Subscriptions => &[Scope::Subscriptions, Scope::Everywhere],
            Scope::Team => &[Scope::Team, Scope::Everywhere],
            Scope::Skills | Scope::SkillWrites => &[Scope::Skills, Scope::SkillWrites, Scope::Everywhere],
            Scope::Skill => &[Scope::Skill, Scope::SkillWrites, Scope::Everywhere],
            Scope::Credits => &[Scope::Credits, Scope::Everywhere],
            Scope::Watch => &[Scope::Watch, Scope::Everywhere],
            Scope::Everywhere => &[Scope::Everywhere],
        }
    }

    /// Whether a command's keys work here: on the wallboard none that writes.
    pub fn reaches(self, command: &Command) -> bool {
        self.chain().contains(&command.scope) && !(self == Scope::Watch && command.writes)
    }
}

/// Whether a command holds now, and if not, why.
pub type Can = Result<(), Cow<'static, str>>;

/// A row of the table.
pub struct Command {
    /// Its name in configuration and tests: `queue.done`.
    pub id: &'static str,
    /// The keys that run it unless the person wants others; a sequence is written with spaces.
    pub keys: &'static [&'static str],
    /// One or two words for the hint line.
    pub title: &'static str,
    /// What it does, in a sentence without a full stop.
    pub sentence: &'static str,
    /// Where it works.
    pub scope: Scope,
    /// It changes data that others see.
    pub writes: bool,
    /// It writes as soon as it runs: it opens no form and asks nothing first.
    pub writes_at_once: bool,
    /// What it costs, in words; empty for nothing.
    pub cost: &'static str,
    /// Its place in the hint line, from 1; 0 keeps it out.
    pub hint: u8,
    /// The words of its hint where they depend on what there is; none for no hint.
    pub hint_words: Option<fn(&App) -> Option<&'static str>>,
    /// Whether it waits for what is being written.
    pub waits: fn(&App) -> bool,
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
        Command {
            id,
            keys,
            title,
            sentence,
            scope,
            writes: false,
            writes_at_once: false,
            cost: "",
            hint: 0,
            hint_words: None,
            waits: |_| false,
            can: |_| Ok(()),
            run,
        }
    }

    /// The same command, which follows what is being written.
    pub const fn waiting(self, waits: fn(&App) -> bool) -> Self {
        Command { waits, ..self }
    }

    /// The same command, at this place of the hint line.
    pub const fn hinted(self, place: u8) -> Self {
        Command { hint: place, ..self }
    }

    /// The same command, at this place of the hint line and in the words that fit what there is; none for no hint.
    pub const fn hinted_as(self, place: u8, words: fn(&App) -> Option<&'static str>) -> Self {
        Command { hint: place, hint_words: Some(words), ..self }
    }

    /// How it is hinted at now; none when it does not hold or would mislead.
    pub fn hint(&self, app: &App) -> Option<&'static str> {
        let words = self.hint_words.map_or(Some(self.title), |words| words(app))?;
        (self.can)(app).is_ok().then_some(words)
    }

    /// The same command, which writes.
    pub const fn writing(self) -> Self {
        Command { writes: true, ..self }
    }

    /// The same command, which writes as soon as it runs.
    pub const fn writing_at_once(self) -> Self {
        Command { writes: true, writes_at_once: true, ..self }
    }

    /// The same command, which costs.
    pub const fn costing(self, cost: &'static str) -> Self {
        Command { cost, ..self }
    }

    /// The same command, which holds under a condition.
    pub const fn when(self, can: fn(&App) -> Can) -> Self {
        Command { can, ..self }
    }
}

/// All commands, pane by pane.
pub fn table() -> impl Iterator<Item = &'static Command> {
    use super::panes::{
        book, credits, detail, explore, queue, record, records, sheet, skills, subscriptions, team, views, watch,
    };
    [
        queue::commands::COMMANDS,
        detail::commands::COMMANDS,
        views::commands::COMMANDS,
        book::commands::COMMANDS,
        explore::commands::COMMANDS,
        explore::narrow::COMMANDS,
        records::commands::COMMANDS,
        record::commands::COMMANDS,
        sheet::commands::OPENING,
        sheet::commands::COMMANDS,
        subscriptions::commands::COMMANDS,
        team::commands::COMMANDS,
        skills::commands::COMMANDS,
        credits::commands::COMMANDS,
        watch::commands::COMMANDS,
        everywhere::COMMANDS,
    ]
    .into_iter()
    .flatten()
}

#[cfg(test)]
mod tests {
    use super::keys::Key;
    use super::*;
    use crate::app::msg::Msg;
    use crate::app::testing::Console;

    #[test]
    fn every_key_of_the_table_can_be_read() {
        for command in table() {
            for keys in command.keys {
                assert!(Key::sequence(keys).is_some(), "{}: {keys}", command.id);
            }
        }
    }

    #[test]
    fn every_key_of_the_table_does_something_or_says_why_not() {
        let state = |console: &Console| {
            let marks = console.app.queue.new.marks.len() + console.app.lists().map(|list| list.marks.len()).sum::<usize>();
            (console.golden(), console.effects.len(), console.calls.len(), marks)
        };
        for command in table() {
            for keys in command.keys {
                let console = Console::at(command.scope);
                let before = state(&console);
                let console = console.press(keys);
                let asked = state(&console);
                let console = console.serve();
                let changed = asked != before || state(&console) != before;
                assert!(changed || AT_REST.contains(&command.id), "{} on {keys} did nothing", command.id);
            }
        }
    }

    #[test]
    fn a_key_of_ones_own_stands_in_the_footer_the_help_and_the_smallest_screen_and_works() {
        let change = |id: &str, key: &str| keymap::Change { id: id.into(), keys: vec![key.into()], at: "config.toml:2".into() };
        let keys = keymap::Wishes { preset: None, changes: vec![change("queue.done", "Ctrl-e"), change("go.down", "F2")] };
        let settings = crate::app::Settings { keys, ..Default::default() };
        let console = Console::sized(crate::app::testing::morning(), (120, 36), settings).poll().serve();
        assert!(console.screen().lines().last().unwrap().contains("Ctrl-e done"), "{}", console.screen());
        let console = console.press("?").type_in("Ctrl-e");
        assert!(console.screen().contains("Ctrl-e"), "{}", console.screen());
        let console = console.press("Esc").send(Msg::Resized(40, 8));
        assert!(console.screen().contains("Ctrl-e done  F2 next"), "{}", console.screen());
        let console = console.press("e");
        assert!(console.triages().is_empty());
        assert_eq!(console.press("Ctrl-e").triages().len(), 1);
    }

    #[test]
    fn a_key_of_ones_own_stands_wherever_the_screen_names_it() {
        for (scope, id, words) in [
            (Scope::Views, "views.run", "F6 reads"),
            (Scope::Queue, "queue.why", "F6 why"),
            (Scope::Queue, "queue.open", "F6 reads the"),
            (Scope::Builder, "explore.run", "F6 up to"),
        ] {
            let change = keymap::Change { id: id.into(), keys: vec!["F6".into()], at: "config.toml:2".into() };
            let mut console = Console::at(scope);
            console.app.keymap = Keymap::of(&keymap::Wishes { preset: None, changes: vec![change] });
            assert!(console.screen().contains(words), "{id}: {}", console.screen());
        }
    }

    #[test]
    fn wishes_that_clash_are_told_at_the_start() {
        let change = |id: &str, at: &str| keymap::Change { id: id.into(), keys: vec!["Space".into()], at: at.into() };
        let changes = vec![change("queue.done", "config.toml:4"), change("queue.dome", "config.toml:5")];
        let settings = crate::app::Settings { keys: keymap::Wishes { preset: None, changes }, ..Default::default() };
        let console = Console::sized(crate::app::testing::morning(), (120, 36), settings);
        let notice = console.notice();
        assert!(notice.starts_with("config.toml:5: no command is called queue.dome"), "{notice}");
        assert!(notice.ends_with("; 1 more: gantry keys"), "{notice}");
    }

    /// Commands that have nothing to do where the test presses them: at an end, with nothing marked, on the screen itself.
    const AT_REST: &[&str] = &[
        "queue.preview.up",
        "queue.preview.down",
        "queue.mark.none",
        "detail.previous",
        "go.queue",
        "go.before",
        "records.mark.none",
        "records.up",
        "back",
        "sheet.up",
        "subscriptions.down",
        "subscriptions.up",
        "skills.unmark",
        "skill.up",
    ];

    /// Every width and every height up to 200 by 60; each with each where `GANTRY_SIZES=all` says so.
    #[test]
    fn every_screen_draws_at_every_size() {
        let each = std::env::var("GANTRY_SIZES").is_ok_and(|sizes| sizes == "all");
        let whole = (0..=200).flat_map(|width| (0..=60).map(move |height| (width, height)));
        let sides = (0..=200).map(|side| (side, side * 7 % 61)).chain((0..=60).map(|side| (side * 13 % 201, side)));
        let sizes: Vec<(u16, u16)> = if each { whole.collect() } else { sides.collect() };
        for scope in Scope::ALL {
            let mut console = Console::at(*scope);
            for (width, height) in &sizes {
                console = console.send(Msg::Resized(*width, *height));
                let _ = console.draw();
            }
        }
    }

    #[test]
    fn every_scope_draws_at_every_size() {
        for scope in Scope::ALL {
            for keys in ["j", "?", "f", "s", "D", "g"] {
                let mut console = Console::at(*scope).press(keys);
                for width in [0, 1, 2, 3, 20, 49, 50, 60, 80, 110, 300] {
                    for height in [0, 1, 2, 4, 6, 13, 14, 20, 22, 36, 90] {
                        console = console.send(Msg::Resized(width, height));
                        let _ = console.draw();
                    }
                }
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

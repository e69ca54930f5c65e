//! What the console is told once, at its start, and tells at its end.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::FixedOffset;

use super::{App, Wall, command};
use crate::domain::budgets::Budgets;
use crate::ui::{Palette, Theme};

/// Where the console works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Profile, file or host, for the header.
    pub label: String,
    /// A service is known. Without one the first screen offers the demo, a file and a sign-in.
    pub connected: bool,
    /// Commands that write are off.
    pub read_only: bool,
    /// Nothing but the wallboard is shown, and nothing but the counts is asked for.
    pub watches: bool,
}

/// How the person likes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Borders and marks in ASCII.
    pub ascii: bool,
    /// The colours.
    pub colour: Colour,
    /// Where the cursor goes after an act.
    pub advance: Advance,
    /// How often the stats are asked for.
    pub poll: Duration,
    /// The mouse is captured.
    pub mouse: bool,
    /// The person's clock, ahead of UTC.
    pub utc_offset: FixedOffset,
    /// What the configuration lets the wall show.
    pub wall: Wall,
    /// What may be spent.
    pub budgets: Budgets,
    /// What the person chose in an earlier session, by its name: the columns of a list.
    pub kept: BTreeMap<String, String>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            ascii: false,
            colour: Colour::Dark,
            advance: Advance::Next,
            poll: Duration::from_secs(15),
            mouse: true,
            utc_offset: FixedOffset::east_opt(0).expect("zero is an offset"),
            wall: Wall::default(),
            budgets: Budgets::default(),
            kept: BTreeMap::new(),
        }
    }
}

/// Which colours are drawn. Colour only ever repeats what the text says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colour {
    /// For a dark background.
    #[default]
    Dark,
    /// For a light background.
    Light,
    /// None: bold, dim and reverse only (`NO_COLOR`).
    None,
}

/// Where the cursor goes after signals were marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Advance {
    /// To the next row; in the detail, to the next signal.
    #[default]
    Next,
    /// It stays at its place on the screen; the detail stays open.
    Stay,
    /// To the previous row; the detail closes.
    Back,
}

/// How the program ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exit {
    /// The exit status of the command line: 0 done, 3 not allowed, 5 not reached.
    pub status: u8,
    /// A line for the person after the screen is gone.
    pub line: Option<String>,
}

impl App {
    /// What the person should still read after the screen is gone.
    pub fn closing_lines(&self) -> Vec<String> {
        self.exit.line.iter().cloned().chain(self.drafts_line()).collect()
    }

    /// How the program ends.
    pub fn exit_status(&self) -> u8 {
        self.exit.status
    }

    /// How everything looks.
    pub fn theme(&self) -> Theme {
        let palette = match self.settings.colour {
            Colour::Dark => Palette::Dark,
            Colour::Light => Palette::Light,
            Colour::None => Palette::None,
        };
        Theme { palette, ascii: self.settings.ascii }
    }

    /// Whether commands that write hold, and why not.
    pub fn can_write(&self) -> command::Can {
        if self.session.read_only { Err("read only: nothing is changed here".into()) } else { Ok(()) }
    }
}

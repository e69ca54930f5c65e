//! What the console is told once, at its start, and tells at its end.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::FixedOffset;

use super::command::keymap::Wishes;
use super::intent::Intent;
use super::notice::Notice;
use super::overlay::Overlay;
use super::overlay::choice::{Choice, Pick};
use super::{App, Effect, Wall, command};
use crate::domain::budgets::Budgets;
use crate::ui::{ColorDepth, ColorScheme, Theme};

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
    /// Colours and glyphs. Colour only ever repeats what the text says.
    pub theme: Theme,
    /// The theme was named before the start: another one that is chosen on the screen holds for this session alone.
    pub theme_is_said: bool,
    /// The keys that the person wants.
    pub keys: Wishes,
    /// Where the cursor goes after an act.
    pub advance: Advance,
    /// How often the stats are asked for.
    pub poll: Duration,
    /// The mouse is captured.
    pub mouse: bool,
    /// The queue begins with its preview.
    pub preview: bool,
    /// The person's clock, ahead of UTC.
    pub utc_offset: FixedOffset,
    /// The service's clock was set to a day of the past: that it differs from the person's is no fault.
    pub as_of: bool,
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
            theme: Theme::default(),
            theme_is_said: false,
            keys: Wishes::default(),
            advance: Advance::Next,
            poll: Duration::from_secs(15),
            mouse: true,
            preview: true,
            utc_offset: FixedOffset::east_opt(0).expect("zero is an offset"),
            as_of: false,
            wall: Wall::default(),
            budgets: Budgets::default(),
            kept: BTreeMap::new(),
        }
    }
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
    /// What is wrong with this machine.
    pub said: Vec<String>,
}

impl App {
    /// What the person should still read after the screen is gone.
    pub fn closing_lines(&self) -> Vec<String> {
        self.exit
            .line
            .iter()
            .chain(&self.exit.said)
            .cloned()
            .chain(self.held_line())
            .chain(self.queued_line())
            .chain(self.drafts_line())
            .collect()
    }

    /// Says what is wrong with this machine, now and once more at the end: a line on the screen is soon gone.
    pub(super) fn warn_of_machine(&mut self, line: String) {
        self.notice = Some(Notice::warn(line.clone()));
        self.exit.said.push(format!("gantry: {line}"));
    }

    /// A write was not sent, because it could not be written down first: asks whether it may be sent all the same.
    pub(super) fn ask_to_send_unkept(&mut self, why: &str) {
        if self.is_typing() {
            return;
        }
        let text = format!(
            "Nothing was sent, because it could not be written down first: {why}.\n\nWithout a journal nothing can tell what arrived when gantry is cut off, and undo ends with gantry."
        );
        self.overlay = Some(Overlay::Choice(Choice::confirm("No journal", text, "send without a journal", Intent::SendUnkept)));
    }

    /// Writes are sent without a journal until the program ends.
    pub(super) fn send_unkept(&mut self) {
        self.out.push(Effect::SendUnkept);
        self.notice = Some(Notice::warn("From now on changes are sent without a journal. Do what was not sent once more."));
    }

    /// How the program ends.
    pub fn exit_status(&self) -> u8 {
        self.exit.status
    }

    /// How everything looks.
    pub fn theme(&self) -> Theme {
        self.settings.theme
    }

    /// Offers the schemes of colours.
    pub fn offer_themes(&mut self) {
        let now = self.settings.theme.scheme;
        let pick = |scheme: ColorScheme| Pick {
            label: scheme.name().to_owned(),
            note: if scheme == now { "now".to_owned() } else { scheme.description().to_owned() },
            then: Intent::Theme(scheme),
        };
        let note = if self.settings.theme_is_said { "for this session" } else { "kept for the next" };
        let mut choice = Choice::new("Colours", note, ColorScheme::ALL.map(pick).into());
        choice.at = ColorScheme::ALL.iter().position(|scheme| *scheme == now).unwrap_or_default();
        self.overlay = Some(Overlay::Choice(choice));
    }

    /// Shows the next scheme of colours.
    pub fn next_theme(&mut self) {
        let at = ColorScheme::ALL.iter().position(|scheme| *scheme == self.settings.theme.scheme).unwrap_or_default();
        self.choose_theme(ColorScheme::ALL[(at + 1) % ColorScheme::ALL.len()]);
    }

    /// Shows a scheme of colours, and keeps it unless another one was named before the start.
    pub fn choose_theme(&mut self, scheme: ColorScheme) {
        self.settings.theme.scheme = scheme;
        let shown = if self.settings.theme.depth == ColorDepth::None { "; this terminal is to show none" } else { "" };
        self.notice = Some(Notice::note(format!("colours: {}, {}{shown}", scheme.name(), scheme.description())));
        if !self.settings.theme_is_said {
            self.out.push(Effect::Remember("theme".to_owned(), scheme.name().to_owned()));
        }
    }

    /// Whether commands that write hold, and why not.
    pub fn can_write(&self) -> command::Can {
        if self.session.read_only { Err("read only: nothing is changed here".into()) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::Buffer;
    use ratatui::style::Color;

    use super::*;
    use crate::app::Msg;
    use crate::app::command::Scope;
    use crate::app::testing::{Console, morning, row};
    use crate::ui::Background;

    fn console(theme: Theme, rows: Vec<crate::domain::queue::QueueSignal>) -> Console {
        Console::sized(rows, (120, 36), Settings { theme, ..Settings::default() }).poll().serve()
    }

    fn in_scheme(scheme: ColorScheme) -> Theme {
        Theme { scheme, ..Theme::default() }
    }

    #[test]
    fn colours_are_chosen_from_a_list_and_are_there_at_the_next_start() {
        let console = Console::over(morning()).press(":").type_in("colours").press("Enter");
        assert!(console.screen().contains("high-contrast"), "{}", console.screen());
        let console = console.press("Down Down Down Enter");
        assert_eq!(console.app.theme().scheme, ColorScheme::HighContrast);
        assert!(console.effects.contains(&Effect::Remember("theme".into(), "high-contrast".into())));
    }

    #[test]
    fn colours_that_were_said_before_the_start_come_back_at_the_next_one() {
        let settings = Settings { theme_is_said: true, ..Settings::default() };
        let console = Console::sized(morning(), (120, 36), settings).poll().serve().press("9 t");
        assert_eq!(
            (console.app.theme().scheme, console.notice().as_str()),
            (ColorScheme::Dark, "colours: dark, for a dark ground")
        );
        assert!(!console.effects.iter().any(|effect| matches!(effect, Effect::Remember(..))));
    }

    #[test]
    fn a_change_that_cannot_be_written_down_is_sent_only_when_that_is_wanted() {
        let console =
            Console::over(morning()).press("e").fail(crate::domain::failure::RequestError::new_not_sent("no state directory"));
        let console = console.send(Msg::Pushed(crate::app::msg::Push::Unkept("no state directory".to_owned())));
        assert!(console.screen().contains("send without a journal"), "{}", console.screen());
        assert!(!console.press("Esc").effects.contains(&Effect::SendUnkept));
        let console = Console::over(morning());
        let console = console.send(Msg::Pushed(crate::app::msg::Push::Unkept("no state directory".to_owned()))).press("Enter");
        assert!(console.effects.contains(&Effect::SendUnkept), "{:?}", console.effects);
    }

    #[test]
    fn every_scheme_minds_whether_the_ground_is_light() {
        for scheme in ColorScheme::ALL {
            let before = console(in_scheme(scheme), morning());
            let dark = before.draw();
            let light = before.send(Msg::Ground(Some(Background::Light))).draw();
            assert_ne!(dark, light, "{scheme:?}");
        }
    }

    #[test]
    fn a_terminal_that_does_not_tell_its_ground_changes_nothing() {
        let theme = Theme { background: Background::Light, ..Theme::default() };
        assert_eq!(console(theme, morning()).send(Msg::Ground(None)).app.theme(), theme);
    }

    #[test]
    fn high_contrast_leaves_no_cell_to_the_terminals_own_colours() {
        for scope in Scope::ALL {
            for keys in ["Esc", "?", "f", "y"] {
                let mut console = Console::at(*scope);
                console.app.settings.theme = in_scheme(ColorScheme::HighContrast);
                let buf = console.press(keys).draw();
                let bare = buf.content().iter().position(|cell| cell.fg == Color::Reset || cell.bg == Color::Reset);
                assert_eq!(bare, None, "{scope:?} after {keys}");
            }
        }
    }

    #[test]
    fn no_word_is_drawn_as_faint_as_a_border() {
        for scope in Scope::ALL {
            for keys in ["Esc", "?", "f", "g", "y"] {
                let console = Console::at(*scope).press(keys);
                let (buf, faint) = (console.draw(), console.app.theme().style(crate::ui::TextRole::Faint).fg);
                let width = usize::from(buf.area.width);
                for row in buf.content().chunks(width) {
                    let letters: String =
                        row.iter().map(|cell| if Some(cell.fg) == faint { cell.symbol() } else { " " }).collect();
                    let word = letters.split(|c: char| !c.is_alphabetic()).find(|word| word.chars().count() > 1);
                    assert_eq!(word, None, "{scope:?} after {keys}: {letters}");
                }
            }
        }
    }

    /// A screen as who sees no colours has it: letters, weights and lines.
    fn colourless(mut buf: Buffer) -> Buffer {
        buf.content.iter_mut().for_each(|cell| (cell.fg, cell.bg) = (Color::Reset, Color::Reset));
        buf
    }

    #[test]
    fn what_colours_tell_letters_and_weight_tell_as_well() {
        let lofts = (1, "Harbor Yard Lofts");
        let signal = |n: usize, priority: &str, filed: &str| row(n, priority, "permit_issued", filed, lofts, None);
        // The second was discovered after the console opened.
        let of = |priority: &str| vec![signal(1, priority, "2026-07-02"), signal(2, "low", "2026-07-10")];
        for depth in [ColorDepth::None, ColorDepth::Ansi16, ColorDepth::Indexed256, ColorDepth::TrueColor] {
            for scheme in ColorScheme::ALL {
                let theme = Theme { depth, ..in_scheme(scheme) };
                let queue = |priority: &str| console(theme, of(priority));
                let states = [
                    ("high priority", queue("high"), queue("medium")),
                    ("medium priority", queue("medium"), queue("low")),
                    ("a priority of tomorrow", queue("urgent"), queue("high")),
                    ("a mark", queue("high").press("Space k"), queue("high").press("j k")),
                    ("what is new", queue("high"), queue("high").press("j k")),
                    ("the cursor", queue("high").press("j k"), queue("high").press("j")),
                ];
                for (what, with, without) in states {
                    assert!(colourless(with.draw()) != colourless(without.draw()), "{what} in {theme:?}");
                }
                // Tabs have their names whichever is chosen, so weight alone is compared.
                let tabs = |console: Console| {
                    let y = console.app.areas.tabs.y;
                    let buf = console.draw();
                    (0..30).map(|x| buf[(x, y)].modifier).collect::<Vec<_>>()
                };
                assert_ne!(tabs(queue("high")), tabs(queue("high").press("]").serve()), "the tab in {theme:?}");
                let by_shade = depth > ColorDepth::Ansi16
                    && !matches!(scheme, ColorScheme::HighContrast | ColorScheme::ColorBlind | ColorScheme::Terminal);
                if !by_shade {
                    let (list, preview) = (queue("high"), queue("high").press("Tab"));
                    assert!(colourless(list.draw()) != colourless(preview.draw()), "the keys in {theme:?}");
                }
            }
        }
    }
}

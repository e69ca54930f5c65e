//! The contents of the screen, as a test reads them.

use std::fmt::Write as _;

use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use super::TestConsole;
use crate::app::Msg;

impl TestConsole {
    /// The screen as text, without trailing blanks.
    pub fn screen_text(&self) -> String {
        let buf = self.render_buffer();
        let width = usize::from(buf.area.width.max(1));
        let lines = buf
            .content()
            .chunks(width)
            .map(|row| row.iter().map(|cell| cell.symbol()).collect::<String>());
        lines
            .map(|row| row.trim_end().to_owned())
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// The screen as text with its styled spans below: the contents of a golden file.
    pub fn golden(&self) -> String {
        let buf = self.render_buffer();
        let mut out = format!("{}\n--- styles\n", self.screen_text());
        for (y, row) in buf
            .content()
            .chunks(usize::from(buf.area.width.max(1)))
            .enumerate()
        {
            let mut stretches: Vec<(usize, String)> = Vec::new();
            for (x, cell) in row.iter().enumerate() {
                let style = style_code(cell);
                if stretches.last().is_none_or(|(_, last)| *last != style) {
                    stretches.push((x, style));
                }
            }
            if stretches.iter().any(|(_, style)| style != "-") {
                let line = stretches
                    .iter()
                    .fold(String::new(), |mut line, (x, style)| {
                        let _ = write!(line, " {x}:{style}");
                        line
                    });
                let _ = writeln!(out, "{y:>2}{line}");
            }
        }
        out
    }

    /// Clicks on a text that is on the screen.
    pub fn click_on(self, words: &str) -> Self {
        let screen = self.screen_text();
        let at = screen
            .lines()
            .enumerate()
            .find_map(|(row, line)| Some((line[..line.find(words)?].chars().count(), row)));
        let (column, row) = at.unwrap_or_else(|| panic!("{words} is not on the screen: {screen}"));
        self.click(
            u16::try_from(column).expect("a column"),
            u16::try_from(row).expect("a row"),
        )
    }

    pub fn click(self, column: u16, row: u16) -> Self {
        let kind = MouseEventKind::Down(MouseButton::Left);
        self.send(Msg::Mouse(MouseEvent {
            kind,
            column,
            row,
            modifiers: KeyModifiers::NONE,
        }))
    }

    pub fn draw_to_buffer(&self) -> Buffer {
        self.render_buffer()
    }

    fn render_buffer(&self) -> Buffer {
        let (width, height) = self.context().frame.size();
        let mut buf = Buffer::empty(Rect::new(0, 0, width, height));
        self.app.draw(&mut buf);
        buf
    }
}

fn style_code(cell: &ratatui::buffer::Cell) -> String {
    let mut word = String::new();
    if let ratatui::style::Color::Indexed(n) = cell.fg {
        let _ = write!(word, "{n}");
    }
    if let ratatui::style::Color::Indexed(n) = cell.bg {
        let _ = write!(word, "/{n}");
    }
    for (modifier, letter) in [
        (Modifier::BOLD, 'b'),
        (Modifier::DIM, 'd'),
        (Modifier::REVERSED, 'r'),
        (Modifier::UNDERLINED, 'u'),
    ] {
        if cell.modifier.contains(modifier) {
            word.push(letter);
        }
    }
    if word.is_empty() {
        "-".to_owned()
    } else {
        word
    }
}

/// Compares a screen with its golden file under `tests/golden`. Read a new file before accepting
/// it.
macro_rules! golden {
    ($name:literal, $console:expr) => {
        insta::with_settings!({
            snapshot_path => concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden"),
            prepend_module_to_snapshot => false,
            omit_expression => true,
        }, {
            insta::assert_snapshot!($name, $console.golden());
        });
    };
}
pub(crate) use golden;

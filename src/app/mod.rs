//! The console as a pure machine: messages in, state, effects out, drawing.

pub mod effect;
pub mod msg;
pub mod session;

use chrono::{DateTime, Utc};
use ratatui::buffer::Buffer;
use ratatui::layout::Position;

pub use effect::Effect;
pub use msg::Msg;
pub use session::{Advance, Colour, Session, Settings};

/// The console.
pub struct App;

impl App {
    /// A console of this size, and what it wants first.
    pub fn new(_session: Session, _settings: Settings, _size: (u16, u16), _now: DateTime<Utc>) -> (App, Vec<Effect>) {
        (App, vec![])
    }

    /// The only way in.
    pub fn update(&mut self, _msg: Msg, _now: DateTime<Utc>) -> Vec<Effect> {
        vec![]
    }

    /// Rectangles and scroll, from size and state.
    pub fn arrange(&mut self) {}

    /// Draws everything; answers where the text cursor stands.
    pub fn draw(&self, _buf: &mut Buffer) -> Option<Position> {
        None
    }

    /// What the person should still read after the screen is gone.
    pub fn closing_lines(&self) -> Vec<String> {
        Vec::new()
    }
}

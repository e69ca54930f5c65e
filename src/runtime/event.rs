//! What wakes the loop.

use crate::app::Msg;

/// Something happened outside.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The console is to be told.
    Msg(Msg),
    /// What was typed is to be written down.
    FlushDrafts,
    /// The window has another size.
    Resized,
    /// A signal asks the program to end.
    ExitRequested(ExitSignal),
    /// The shell asks the program to stop for a while.
    Stop,
    /// The program runs again after having been stopped.
    Continued,
    /// The terminal is gone.
    HungUp,
}

/// A signal that ends the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExitSignal {
    /// What people call it.
    pub name: &'static str,
    /// Its number.
    pub number: i32,
}

impl ExitSignal {
    /// The exit status that tells of it.
    pub fn exit_status(self) -> u8 {
        u8::try_from(128 + self.number).unwrap_or(u8::MAX)
    }
}

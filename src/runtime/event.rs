//! Events that wake the event loop.

use crate::app::Msg;

#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A message for the app.
    Msg(Msg),
    /// No program took this text for the clipboard.
    CopyThroughTerminal { what: String, text: String },
    /// Pending drafts are due to be written.
    FlushDrafts,
    /// The window was resized.
    Resized,
    /// A signal asks the program to end.
    ExitRequested(ExitSignal),
    /// The shell asks the program to stop (Ctrl-Z).
    Stop,
    /// The program continues after a stop.
    Continued,
    /// The terminal is gone.
    HungUp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExitSignal {
    /// Its name, such as SIGTERM.
    pub name: &'static str,
    pub number: i32,
}

impl ExitSignal {
    /// The conventional exit status, 128 plus the number.
    pub fn exit_status(self) -> u8 {
        u8::try_from(128 + self.number).unwrap_or(u8::MAX)
    }
}

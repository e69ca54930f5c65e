//! Events that wake the event loop.

use super::input::parse::TerminalReport;
use crate::app::Msg;
use crate::app::msg::Push;
use crate::platform::terminal::ExitSignal;

impl From<Push> for Event {
    fn from(push: Push) -> Event {
        Event::Msg(Msg::Pushed(push))
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A message for the app.
    Msg(Msg),
    /// What the terminal reports about itself, or is to be asked.
    Terminal(TerminalReport),
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

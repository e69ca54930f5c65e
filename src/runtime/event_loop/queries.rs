//! What the terminal is asked: its keyboard protocol, its background, and its type, whose answer
//! shows that all others have come.
//!
//! Never here: reading the answers, which is the parser's.

use std::io;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;

use super::{EventLoop, TerminalControl};
use crate::runtime::event::Event;
use crate::runtime::input::parse::TerminalReport;
use crate::ui::ColorDepth;

/// Asks for the terminal's type. Every terminal answers that, and in order: after its answer none
/// to an earlier query will come, nor anything else that it had sent before.
const TYPE_QUERY: &str = "\x1b[c";
/// Asks for the background color.
const BACKGROUND_QUERY: &str = "\x1b]11;?\x1b\\";
/// Asks whether the Escape key is reported as a sequence: the kitty keyboard protocol.
const KEYBOARD_QUERY: &str = "\x1b[?u";
/// How long the exit waits for an answer. The first frame does not: a later answer changes the
/// colors then.
const EXIT_ANSWER_TIMEOUT: Duration = Duration::from_millis(300);

impl<T: TerminalControl, W: io::Write> EventLoop<T, W> {
    /// Asks before the first frame. The background matters only with colors.
    pub(super) fn query_first(&mut self, depth: ColorDepth) {
        let background = if depth > ColorDepth::None {
            BACKGROUND_QUERY
        } else {
            ""
        };
        self.query_terminal(&format!("{KEYBOARD_QUERY}{background}{TYPE_QUERY}"));
    }

    pub(super) fn on_terminal_report(&mut self, report: TerminalReport) {
        match report {
            TerminalReport::Answered => self.open_queries = self.open_queries.saturating_sub(1),
            TerminalReport::EscapeHeld => self.query_terminal(TYPE_QUERY),
            TerminalReport::KeyboardProtocolOff => {
                if self.terminal.enable_keyboard_protocol() {
                    self.query_terminal(&format!("{KEYBOARD_QUERY}{TYPE_QUERY}"));
                }
            }
        }
    }

    fn query_terminal(&mut self, query: &str) {
        if self.screen.write_raw(query).is_ok() {
            self.open_queries += 1;
            self.queried_at = Instant::now();
        }
    }

    /// Processes events until the terminal has answered or the time since the last query has
    /// passed.
    pub(super) async fn await_answers(&mut self, events: &mut mpsc::Receiver<Event>) {
        while self.open_queries > 0 {
            let until = self.queried_at + EXIT_ANSWER_TIMEOUT;
            let Ok(Some(event)) = tokio::time::timeout_at(until, events.recv()).await else {
                return;
            };
            self.handle_event(event);
        }
    }
}

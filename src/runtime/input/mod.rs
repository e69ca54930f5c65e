//! Keyboard input: one thread that sleeps until the terminal has data or hangs up.
//!
//! The thread owns the reading end, checks for a hang-up before it reads, and passes on complete
//! messages. crossterm's reader is not used: it spins forever on a terminal that vanished and never
//! ends an unterminated paste (its issues 793 and 1060).
//!
//! Never here: what a key does, and window sizes, which come as a signal.

mod decode;
pub mod parse;
mod paste_heuristic;

use std::io;
use std::panic::AssertUnwindSafe;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::event::Event;
use crate::platform::terminal::{Keyboard, KeyboardState};
use parse::InputParser;
use paste_heuristic::PasteDetector;

/// Why reading ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputClosed {
    HungUp,
    /// The receiver is gone.
    ReceiverGone,
}

/// Held by whoever reads the keyboard.
static KEYBOARD_LOCK: Mutex<()> = Mutex::new(());

/// Lends the keyboard to another program while the guard lives: the thread reads nothing meanwhile.
pub fn pause_reader() -> MutexGuard<'static, ()> {
    KEYBOARD_LOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts the thread. `heard` handles each event and returns whether to continue; `gone` is called
/// when the terminal vanishes.
pub fn start_reader(
    parser: InputParser,
    heard: impl FnMut(Event) -> bool + Send + 'static,
    gone: impl FnOnce() + Send + 'static,
) -> io::Result<()> {
    let terminal = Keyboard::open()?;
    std::thread::Builder::new()
        .name("keys".into())
        .spawn(move || {
            // A console without keyboard input is as good as one without a terminal.
            if std::panic::catch_unwind(AssertUnwindSafe(|| read_input(&terminal, parser, heard)))
                .unwrap_or(InputClosed::HungUp)
                == InputClosed::HungUp
            {
                gone();
            }
        })?;
    Ok(())
}

/// Reads until the terminal or the receiver is gone.
fn read_input(
    terminal: &Keyboard,
    mut parser: InputParser,
    mut heard: impl FnMut(Event) -> bool,
) -> InputClosed {
    let (mut burst, mut messages, mut bytes) = (PasteDetector::default(), Vec::new(), [0; 4096]);
    loop {
        let now = Instant::now();
        let patience = [parser.timeout(now), burst.timeout(now)]
            .into_iter()
            .flatten()
            .min();
        let awaited = terminal.wait(patience);
        // Input typed while the keyboard was lent belonged to the other program, which has read it.
        let taken = KEYBOARD_LOCK.try_lock().is_err();
        match awaited {
            KeyboardState::Readable if taken => drop(pause_reader()),
            KeyboardState::Readable => match terminal.read(&mut bytes) {
                Ok(0) => return InputClosed::HungUp,
                Ok(n) => {
                    let now = Instant::now();
                    messages = parser.feed(bytes.get(..n).unwrap_or_default(), now);
                    burst.absorb(&mut messages, now);
                }
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock
                    ) => {}
                Err(_) => return InputClosed::HungUp,
            },
            KeyboardState::TimedOut => {
                let now = Instant::now();
                if burst.timeout(now) == Some(Duration::ZERO) {
                    burst.flush(&mut messages);
                }
                messages.extend(parser.expire(now));
            }
            KeyboardState::Closed => return InputClosed::HungUp,
        }
        let reports = parser.take_reports().into_iter().map(Event::Terminal);
        if !messages
            .drain(..)
            .map(Event::Msg)
            .chain(reports)
            .all(&mut heard)
        {
            return InputClosed::ReceiverGone;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::Msg;
    use crossterm::event::{KeyCode, KeyEvent};
    use std::io::Write;
    use std::sync::mpsc;

    const RECV_TIMEOUT: Duration = Duration::from_secs(5);

    fn spawn_reader() -> (
        std::os::unix::net::UnixStream,
        mpsc::Receiver<Event>,
        std::thread::JoinHandle<InputClosed>,
    ) {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
        let (tx, rx) = mpsc::channel();
        let parser = InputParser::new(Duration::from_millis(40), false, Instant::now());
        let thread = std::thread::spawn(move || {
            read_input(&Keyboard::from_fd(theirs), parser, move |event| {
                tx.send(event).is_ok()
            })
        });
        (ours, rx, thread)
    }

    #[test]
    fn a_lone_escape_is_reported_without_waiting_for_another_key() {
        let (mut keyboard, heard, _thread) = spawn_reader();
        keyboard.write_all(b"\x1b").unwrap();
        assert_eq!(
            heard.recv_timeout(RECV_TIMEOUT).unwrap(),
            Event::Msg(Msg::Key(KeyEvent::from(KeyCode::Esc)))
        );
    }

    #[test]
    fn a_terminal_that_vanishes_ends_the_reader_at_once() {
        let (keyboard, _heard, thread) = spawn_reader();
        drop(keyboard);
        assert_eq!(thread.join().unwrap(), InputClosed::HungUp);
    }
}

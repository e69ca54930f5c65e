//! The same where the console has no terminal.

use std::io;
use std::time::Duration;

use super::events::{ControlSignal, ExitSignal, KeyboardState};

/// Whether a terminal can be used as the console needs it.
pub const IS_SUPPORTED: bool = false;

/// How the terminal edits and echoes lines: there are none.
#[derive(Debug)]
pub struct LineSettings(());

impl LineSettings {
    pub fn read() -> io::Result<LineSettings> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn set_raw(&self) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn restore(&self) {}
}

pub fn write(_bytes: &[u8]) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}

pub fn write_error(_bytes: &[u8]) {}

pub fn wait_writable(_limit: Option<Duration>) -> bool {
    false
}

pub fn window_size() -> Option<(u16, u16)> {
    None
}

pub fn on_abort(_last_words: impl Fn() + Send + Sync + 'static) -> io::Result<()> {
    Ok(())
}

pub fn has_input() -> bool {
    false
}

/// The reading end of the terminal: there is none.
pub struct Keyboard(());

impl Keyboard {
    pub fn open() -> io::Result<Keyboard> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn wait(&self, _limit: Option<Duration>) -> KeyboardState {
        KeyboardState::Closed
    }

    pub fn read(&self, _bytes: &mut [u8]) -> io::Result<usize> {
        Ok(0)
    }
}

/// The signals that ask the program to end: there are none.
pub struct ExitSignals(());

impl ExitSignals {
    pub fn listen() -> io::Result<ExitSignals> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub async fn next(&mut self) -> ExitSignal {
        std::future::pending().await
    }
}

/// The signals by which shell and terminal steer the program: there are none.
pub struct ControlSignals(());

impl ControlSignals {
    pub fn listen() -> io::Result<ControlSignals> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub async fn next(&mut self) -> ControlSignal {
        std::future::pending().await
    }
}

pub fn stop_process_group() {}

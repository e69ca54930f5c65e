//! The only owner of the terminal's modes: raw input, alternate screen, mouse, paste and focus
//! reports, keyboard protocol, the cursor.
//!
//! [`Terminal::enter`] switches them on, [`restore`] switches all of them off: the original line
//! settings, then byte strings. It allocates nothing, takes no lock and ignores errors, so that it
//! can be called from a drop, a panic hook, a signal handler or a watchdog, any number of times.
//!
//! Never here: what is drawn, and reading keys.

use std::io::{self, IsTerminal};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::platform::terminal::{self as device, LineSettings};

/// Alternate screen, paste and focus reports, hidden cursor, cleared page.
const ENTER_SEQUENCE: &[u8] =
    b"\x1b[?1049h\x1b[?2004h\x1b[?1004h\x1b[?25l\x1b[0m\x1b[r\x1b[2J\x1b[H";
/// Presses, drags and the wheel, in the form without a column limit; not every pointer move.
const MOUSE_ON: &[u8] = b"\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &[u8] = b"\x1b[?1006l\x1b[?1002l\x1b[?1000l";
/// The kitty keyboard protocol: the Escape key and keys with Ctrl or Alt are reported as sequences,
/// and with the key in their place on a Latin keyboard. The terminal remembers what was on before;
/// asked again, it only sets the same.
const KEYBOARD_ON: &[u8] = b"\x1b[>5u";
const KEYBOARD_ON_AGAIN: &[u8] = b"\x1b[=5u";
/// As before. Only for terminals that know it: others may print a part of it.
const KEYBOARD_OFF: &[u8] = b"\x1b[<u";
/// Switches off everything that may be on: no frame under way, plain text, no mouse, paste or focus
/// reports, main screen, cursor shown.
const RESTORE_SEQUENCE: &[u8] = b"\x1b[?2026l\x1b[0m\x1b[?1006l\x1b[?1002l\x1b[?1000l\x1b[?2004l\x1b[?1004l\x1b[?1049l\x1b[?25h";

/// Maximum screen size. On a larger terminal only the upper left corner is drawn, so that no
/// reported size decides how much memory is used.
const MAX_SIZE: (u16, u16) = (1_000, 500);

/// The original line settings.
static ORIGINAL_SETTINGS: OnceLock<LineSettings> = OnceLock::new();
static MODES_ON: AtomicBool = AtomicBool::new(false);
static KEYBOARD_IS_ON: AtomicBool = AtomicBool::new(false);

/// The terminal while the console uses it; restored on drop.
pub struct Terminal {
    mouse: bool,
    has_keyboard_protocol: bool,
}

impl Terminal {
    /// Saves the terminal's state, then switches raw input and the modes on.
    pub fn enter(mouse: bool) -> io::Result<Terminal> {
        let _ = ORIGINAL_SETTINGS.set(LineSettings::read()?);
        restore_on_abort()?;
        let terminal = Terminal {
            mouse,
            has_keyboard_protocol: false,
        };
        terminal.enable_modes()?;
        Ok(terminal)
    }

    fn enable_modes(&self) -> io::Result<()> {
        let Some(found) = ORIGINAL_SETTINGS.get() else {
            return Ok(());
        };
        MODES_ON.store(true, Ordering::SeqCst);
        found.set_raw()?;
        write_bytes(ENTER_SEQUENCE);
        if self.mouse {
            write_bytes(MOUSE_ON);
        }
        if self.has_keyboard_protocol {
            let was_on = KEYBOARD_IS_ON.swap(true, Ordering::SeqCst);
            write_bytes(if was_on {
                KEYBOARD_ON_AGAIN
            } else {
                KEYBOARD_ON
            });
        }
        Ok(())
    }
}

impl super::event_loop::TerminalControl for Terminal {
    fn set_mouse(&mut self, on: bool) {
        self.mouse = on;
        write_bytes(if on { MOUSE_ON } else { MOUSE_OFF });
    }

    fn enable_keyboard_protocol(&mut self) -> bool {
        let is_new = !std::mem::replace(&mut self.has_keyboard_protocol, true);
        if is_new {
            KEYBOARD_IS_ON.store(true, Ordering::SeqCst);
            write_bytes(KEYBOARD_ON);
        }
        is_new
    }

    fn release(&mut self) {
        restore();
    }

    fn stop(&mut self) {
        restore();
        device::stop_process_group();
    }

    fn resume(&mut self) {
        if let Err(error) = self.enable_modes() {
            tracing::warn!(%error, "cannot switch the terminal's modes on again");
        }
    }

    fn size(&self) -> (u16, u16) {
        size()
    }

    fn has_input(&self) -> bool {
        device::has_input()
    }
}

/// Unbuffered output to the terminal: each frame is written in one piece.
pub struct TerminalOutput;

impl io::Write for TerminalOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match device::write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                device::wait_writable(None);
                Ok(0)
            }
            written => written,
        }
    }

    fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.write(bytes) {
                Ok(n) => bytes = bytes.get(n..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        restore();
    }
}

/// Restores the terminal. Does nothing if the modes are not on.
///
/// The line settings come first: they never block, while a terminal that reads nothing blocks the
/// bytes forever.
pub fn restore() {
    if !MODES_ON.swap(false, Ordering::SeqCst) {
        return;
    }
    if let Some(found) = ORIGINAL_SETTINGS.get() {
        found.restore();
    }
    // Before the alternate screen is left, which has its own.
    if KEYBOARD_IS_ON.swap(false, Ordering::SeqCst) {
        write_bytes(KEYBOARD_OFF);
    }
    write_bytes(RESTORE_SEQUENCE);
}

/// Restores the terminal on abort: out of memory and a panic within a panic do not unwind.
fn restore_on_abort() -> io::Result<()> {
    static ABORTING: AtomicBool = AtomicBool::new(false);
    static REGISTERED: AtomicBool = AtomicBool::new(false);
    if REGISTERED.swap(true, Ordering::SeqCst) {
        return Ok(());
    }
    device::on_abort(|| {
        if !ABORTING.swap(true, Ordering::SeqCst) {
            restore();
            device::write_error(b"gantry was aborted (SIGABRT)\n");
            // An abort sent from outside must end the program too.
            std::process::abort();
        }
    })
}

/// The terminal's columns and rows; 80 by 24 if unknown, and at most what is drawn.
pub fn size() -> (u16, u16) {
    let (columns, rows) = device::window_size().unwrap_or_default();
    clamp_size(columns, rows)
}

fn clamp_size(columns: u16, rows: u16) -> (u16, u16) {
    if columns == 0 || rows == 0 {
        (80, 24)
    } else {
        (columns.min(MAX_SIZE.0), rows.min(MAX_SIZE.1))
    }
}

/// Why the console cannot run here, if it cannot.
pub fn unsupported_reason() -> Option<&'static str> {
    if !device::IS_SUPPORTED {
        Some("on this system it is not supported")
    } else if !io::stdout().is_terminal() {
        Some("standard output is not a terminal")
    } else if std::env::var_os("TERM").is_some_and(|term| term == "dumb") {
        Some("this terminal cannot position text (TERM=dumb)")
    } else {
        None
    }
}

/// On a panic of the main thread, restores the terminal and prints the location, but nothing of
/// what was shown. A panic of any other thread is a failed request and only goes to the log.
pub fn install_panic_hook() {
    let console = std::thread::current().id();
    std::panic::set_hook(Box::new(move |panic| {
        let place = panic.location().map_or_else(
            || "an unknown location".to_owned(),
            |at| format!("{}:{}", at.file(), at.line()),
        );
        tracing::error!(place, "panic");
        if std::thread::current().id() == console {
            restore();
            super::print_stderr_line(&format!(
                "gantry {} crashed at {place}; please report this line",
                env!("CARGO_PKG_VERSION")
            ));
        }
    }));
}

/// Writes all bytes, in one write if the terminal takes them at once. Gives up after a second
/// without progress.
fn write_bytes(mut bytes: &[u8]) {
    while !bytes.is_empty() {
        match device::write(bytes) {
            Ok(0) => return,
            Ok(n) => bytes = bytes.get(n..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error)
                if error.kind() == io::ErrorKind::WouldBlock
                    && device::wait_writable(Some(Duration::from_secs(1))) => {}
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_a_terminal_reports_is_clamped() {
        assert_eq!(clamp_size(u16::MAX, u16::MAX), MAX_SIZE);
        assert_eq!(clamp_size(400, 120), (400, 120));
        assert_eq!(clamp_size(0, 50), (80, 24));
    }
}

//! The terminal of Unix: termios, poll and signals.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::Signal as Number;
use rustix::stdio::{stderr, stdin, stdout};
use rustix::termios::{OptionalActions, Termios};
use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

use super::events::{ControlSignal, ExitSignal, KeyboardState};

/// Whether a terminal can be used as the console needs it.
pub const IS_SUPPORTED: bool = true;

/// How the terminal edits and echoes lines.
#[derive(Debug)]
pub struct LineSettings(Termios);

impl LineSettings {
    /// Those in effect.
    pub fn read() -> io::Result<LineSettings> {
        Ok(LineSettings(rustix::termios::tcgetattr(stdout())?))
    }

    /// Sets these for raw input: each key at once, without an echo.
    pub fn set_raw(&self) -> io::Result<()> {
        let mut raw = self.0.clone();
        raw.make_raw();
        Ok(rustix::termios::tcsetattr(
            stdout(),
            OptionalActions::Now,
            &raw,
        )?)
    }

    /// Sets these again, if the terminal is there.
    pub fn restore(&self) {
        let _ = rustix::termios::tcsetattr(stdout(), OptionalActions::Now, &self.0);
    }
}

/// Writes bytes to the terminal without a buffer; returns how many it took.
pub fn write(bytes: &[u8]) -> io::Result<usize> {
    Ok(rustix::io::write(stdout(), bytes)?)
}

/// Writes bytes to standard error without a buffer.
pub fn write_error(bytes: &[u8]) {
    let _ = rustix::io::write(stderr(), bytes);
}

/// Waits until the terminal accepts bytes.
pub fn wait_writable(limit: Option<Duration>) -> bool {
    let mut fds = [PollFd::from_borrowed_fd(stdout(), PollFlags::OUT)];
    matches!(rustix::event::poll(&mut fds, to_timespec(limit).as_ref()), Ok(n) if n > 0)
}

/// The terminal's columns and rows, if it reports them.
pub fn window_size() -> Option<(u16, u16)> {
    rustix::termios::tcgetwinsize(stdout())
        .ok()
        .map(|size| (size.ws_col, size.ws_row))
}

/// Calls this once on an abort: out of memory and a panic within a panic do not unwind. It must
/// allocate nothing and take no lock.
#[expect(unsafe_code, reason = "there is no safe way to set a signal handler")]
pub fn on_abort(last_words: impl Fn() + Send + Sync + 'static) -> io::Result<()> {
    // SAFETY: the handler allocates nothing and takes no lock, as this function requires; what this
    // module offers it are write, poll and tcsetattr, all of which are async-signal-safe.
    unsafe { signal_hook_registry::register(Number::ABORT.as_raw(), last_words) }.map(drop)
}

/// Whether keys wait on standard input; unknown where that is no terminal.
pub fn has_input() -> bool {
    io::stdin().is_terminal() && rustix::io::ioctl_fionread(stdin()).is_ok_and(|bytes| bytes > 0)
}

/// The reading end of the terminal.
pub struct Keyboard(OwnedFd);

impl Keyboard {
    /// Standard input if it is a terminal, otherwise the controlling terminal.
    pub fn open() -> io::Result<Keyboard> {
        let input = if io::stdin().is_terminal() {
            io::stdin().as_fd().try_clone_to_owned()?
        } else {
            File::open("/dev/tty")?.into()
        };
        Ok(Keyboard(input))
    }

    /// A keyboard that is typed on through this.
    pub fn from_fd(input: impl Into<OwnedFd>) -> Keyboard {
        Keyboard(input.into())
    }

    /// Waits until a key was typed or the terminal is gone, at most for this time.
    pub fn wait(&self, limit: Option<Duration>) -> KeyboardState {
        let mut fds = [PollFd::new(&self.0, PollFlags::IN)];
        match rustix::io::retry_on_intr(|| {
            rustix::event::poll(&mut fds, to_timespec(limit).as_ref())
        }) {
            Ok(0) => KeyboardState::TimedOut,
            Ok(_) if fds[0].revents().intersects(PollFlags::HUP | PollFlags::ERR) => {
                KeyboardState::Closed
            }
            // Some systems cannot poll a terminal (NVAL): there the read blocks.
            Ok(_) => KeyboardState::Readable,
            Err(_) => KeyboardState::Closed,
        }
    }

    /// Reads what was typed; 0 if the terminal is gone.
    pub fn read(&self, bytes: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(&self.0, bytes)?)
    }
}

fn to_timespec(limit: Option<Duration>) -> Option<Timespec> {
    limit.map(|limit| Timespec {
        tv_sec: limit.as_secs() as i64,
        tv_nsec: i64::from(limit.subsec_nanos()),
    })
}

/// The signals that ask the program to end. While it lives, none ends the program by itself.
pub struct ExitSignals {
    terminate: Stream,
    hang_up: Stream,
    interrupt: Stream,
    quit: Stream,
}

impl ExitSignals {
    pub fn listen() -> io::Result<ExitSignals> {
        Ok(ExitSignals {
            terminate: stream(Number::TERM)?,
            hang_up: stream(Number::HUP)?,
            interrupt: stream(Number::INT)?,
            quit: stream(Number::QUIT)?,
        })
    }

    pub async fn next(&mut self) -> ExitSignal {
        let (name, number) = tokio::select! {
            _ = self.terminate.recv() => ("SIGTERM", Number::TERM),
            _ = self.hang_up.recv() => return ExitSignal::HANG_UP,
            _ = self.interrupt.recv() => ("SIGINT", Number::INT),
            _ = self.quit.recv() => ("SIGQUIT", Number::QUIT),
        };
        ExitSignal {
            name,
            number: number.as_raw(),
        }
    }
}

/// The signals by which shell and terminal steer the program.
pub struct ControlSignals {
    stop: Stream,
    go_on: Stream,
    window: Stream,
}

impl ControlSignals {
    pub fn listen() -> io::Result<ControlSignals> {
        Ok(ControlSignals {
            stop: stream(Number::TSTP)?,
            go_on: stream(Number::CONT)?,
            window: stream(Number::WINCH)?,
        })
    }

    pub async fn next(&mut self) -> ControlSignal {
        tokio::select! {
            _ = self.stop.recv() => ControlSignal::Stop,
            _ = self.go_on.recv() => ControlSignal::Continued,
            _ = self.window.recv() => ControlSignal::Resized,
        }
    }
}

fn stream(number: Number) -> io::Result<Stream> {
    signal(SignalKind::from_raw(number.as_raw()))
}

/// Stops the process group until the shell continues it.
pub fn stop_process_group() {
    let _ = rustix::process::kill_current_process_group(Number::STOP);
}

//! What signals and the keyboard report.

/// A signal that asks the program to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExitSignal {
    /// Its name, such as SIGTERM.
    pub name: &'static str,
    pub number: i32,
}

impl ExitSignal {
    /// The terminal is gone.
    pub const HANG_UP: ExitSignal = ExitSignal {
        name: "SIGHUP",
        number: 1,
    };

    /// The conventional exit status, 128 plus the number.
    pub fn exit_status(self) -> u8 {
        u8::try_from(128 + self.number).unwrap_or(u8::MAX)
    }
}

/// A signal by which shell and terminal steer a running program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlSignal {
    /// The shell asks the program to stop (Ctrl-Z).
    Stop,
    /// The program continues after a stop.
    Continued,
    /// The window was resized.
    Resized,
}

/// What waiting for the keyboard ended with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyboardState {
    Readable,
    TimedOut,
    /// The terminal is gone.
    Closed,
}

//! Input that a terminal does not show, for secrets. Where the echo cannot be turned off, it is
//! shown.

#[cfg(unix)]
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// Turns the echo back on when dropped, however the reading ends.
pub struct HiddenInput {
    #[cfg(unix)]
    shown: Termios,
}

impl HiddenInput {
    /// Turns the echo of standard input off; `None` if it is not a terminal.
    pub fn start() -> Option<HiddenInput> {
        #[cfg(unix)]
        {
            let shown = tcgetattr(std::io::stdin()).ok()?;
            let mut hidden = shown.clone();
            hidden.local_modes.remove(LocalModes::ECHO);
            hidden.local_modes.insert(LocalModes::ECHONL);
            tcsetattr(std::io::stdin(), OptionalActions::Now, &hidden).ok()?;
            Some(HiddenInput { shown })
        }
        #[cfg(not(unix))]
        None
    }
}

#[cfg(unix)]
impl Drop for HiddenInput {
    fn drop(&mut self) {
        let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &self.shown);
    }
}

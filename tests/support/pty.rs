//! A program in a pseudo-terminal: keys in, a screen out, and whether the terminal was restored.
#![allow(dead_code, reason = "each test uses only a part of it")]

use std::num::NonZeroU16;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use pty_process::blocking::{Command, Pty};
use rustix::process::{Pid, Signal, WaitOptions};

/// Longest time that anything may take.
const WAIT_TIMEOUT: Duration = Duration::from_secs(60);
const COLUMNS: u16 = 100;
const ROWS: u16 = 30;

/// A program to start.
pub struct TerminalProgram {
    path: String,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
}

/// gantry with these arguments, its own home and an empty environment.
pub fn gantry_program(arguments: &[&str]) -> TerminalProgram {
    TerminalProgram {
        path: env!("CARGO_BIN_EXE_gantry").into(),
        arguments: arguments
            .iter()
            .map(|argument| (*argument).to_owned())
            .collect(),
        environment: Vec::new(),
    }
}

impl TerminalProgram {
    pub fn env(mut self, name: &str, value: &str) -> TerminalProgram {
        self.environment.push((name.into(), value.into()));
        self
    }

    pub fn start(self) -> TerminalSession {
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        let environment: Vec<(&str, &str)> = self
            .environment
            .iter()
            .map(|(k, v)| (k.as_str(), v.as_str()))
            .collect();
        TerminalSession::start_program(&self.path, &arguments, &environment)
    }
}

/// Turns off the card of the first start, which would cover the screen and take its first key.
pub fn hide_first_run_card(home: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = home.join(".config/gantry");
    let file = folder.join("config.toml");
    let known = std::fs::read_to_string(&file).unwrap_or_default();
    if known.contains("[console]") || std::fs::create_dir_all(&folder).is_err() {
        return;
    }
    std::fs::write(&file, format!("{known}\n[console]\nfirst_run = false\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
}

/// A running program.
pub struct TerminalSession {
    pty: Option<Arc<Pty>>,
    reading_paused: Arc<AtomicBool>,
    child: std::process::Child,
    output: Receiver<Vec<u8>>,
    bytes: Vec<u8>,
    parser: vt100::Parser,
    initial_settings: String,
    _home: tempfile::TempDir,
}

impl TerminalSession {
    pub fn start_program(
        path: &str,
        arguments: &[&str],
        environment: &[(&str, &str)],
    ) -> TerminalSession {
        let home = tempfile::tempdir().unwrap();
        let given_home = environment
            .iter()
            .find(|(name, _)| *name == "HOME")
            .map(|(_, home)| Path::new(home));
        hide_first_run_card(given_home.unwrap_or(home.path()));
        let (pty, pts) = pty_process::blocking::open().unwrap();
        pty.resize(pty_process::Size::new(ROWS, COLUMNS)).unwrap();
        let found = terminal_settings(&pty);
        let child = Command::new(path)
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", home.path())
            .env("TERM", "xterm-256color")
            .envs(environment.iter().copied())
            .spawn(pts)
            .unwrap();
        let pty = Arc::new(pty);
        let (send, output) = channel();
        let reading = Arc::downgrade(&pty);
        let held = Arc::new(AtomicBool::new(false));
        let is_held = held.clone();
        std::thread::spawn(move || {
            let mut buffer = [0; 65536];
            loop {
                // Only the session keeps the terminal open: this thread must not.
                let Some(pty) = reading.upgrade() else { return };
                if is_held.load(Ordering::SeqCst) {
                    std::thread::yield_now();
                    continue;
                }
                let mut fds = [rustix::event::PollFd::new(
                    &*pty,
                    rustix::event::PollFlags::IN,
                )];
                let wait = rustix::event::Timespec {
                    tv_sec: 0,
                    tv_nsec: 20_000_000,
                };
                match rustix::event::poll(&mut fds, Some(&wait)) {
                    Ok(0) => continue,
                    Ok(_) => {}
                    Err(_) => return,
                }
                match rustix::io::read(&*pty, &mut buffer) {
                    Ok(n) if n > 0 => drop(send.send(buffer[..n].to_vec())),
                    _ => return,
                }
            }
        });
        let cells = |n| NonZeroU16::new(n).unwrap();
        let parser = vt100::Parser::new(cells(ROWS), cells(COLUMNS), 0);
        TerminalSession {
            pty: Some(pty),
            reading_paused: held,
            child,
            output,
            bytes: Vec::new(),
            parser,
            initial_settings: found,
            _home: home,
        }
    }

    /// A test of this file, run by itself in a pseudo-terminal.
    pub fn start_ignored_test(name: &str) -> TerminalSession {
        let this = std::env::current_exe().unwrap();
        TerminalSession::start_program(
            &this.to_string_lossy(),
            &["--exact", name, "--ignored", "--nocapture"],
            &[],
        )
    }

    fn pty(&self) -> &Pty {
        self.pty.as_ref().expect("the terminal was closed")
    }

    pub fn screen(&self) -> &vt100::Screen {
        self.parser.screen()
    }

    /// Stops reading the program's output.
    pub fn pause_reading(&self) {
        self.reading_paused.store(true, Ordering::SeqCst);
    }

    /// Stops reading the program's output until it is blocked.
    pub fn fill_until_blocked(&mut self) {
        let name = rustix::pty::ptsname(self.pty(), Vec::new()).unwrap();
        let side = std::fs::OpenOptions::new()
            .write(true)
            .open(std::path::Path::new(name.to_str().unwrap()))
            .unwrap();
        self.pause_reading();
        let began = Instant::now();
        let mut full = 0;
        // The last frame that no longer fits is what blocks it: full once, and full again after one
        // more frame.
        while full < 20 {
            assert!(
                began.elapsed() < WAIT_TIMEOUT,
                "the terminal never filled up"
            );
            self.send_signal(Signal::WINCH);
            self.send_signal(Signal::CONT);
            let mut fds = [rustix::event::PollFd::new(
                &side,
                rustix::event::PollFlags::OUT,
            )];
            let wait = rustix::event::Timespec {
                tv_sec: 0,
                tv_nsec: 20_000_000,
            };
            let is_full = rustix::event::poll(&mut fds, Some(&wait)).unwrap() == 0;
            full = if is_full { full + 1 } else { 0 };
        }
    }

    /// Resumes reading the output.
    pub fn resume_reading(&self) {
        self.reading_paused.store(false, Ordering::SeqCst);
    }

    /// The text on the screen.
    pub fn text(&self) -> String {
        self.screen().contents()
    }

    /// All output so far.
    pub fn all_output(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    pub fn type_keys(&mut self, keys: &str) {
        rustix::io::write(self.pty(), keys.as_bytes()).unwrap();
    }

    pub fn resize(&mut self, columns: u16, rows: u16) {
        self.pty()
            .resize(pty_process::Size::new(rows, columns))
            .unwrap();
        let cells = |n| NonZeroU16::new(n).unwrap();
        self.parser
            .screen_mut()
            .set_size(cells(rows), cells(columns));
    }

    pub fn send_signal(&self, signal: Signal) {
        rustix::process::kill_process(self.pid(), signal).unwrap();
    }

    /// The process id.
    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    pub fn wait_for(&mut self, text: &str) {
        self.wait_until(text, |session| session.text().contains(text));
    }

    pub fn wait_for_text(mut self, text: &str) -> TerminalSession {
        self.wait_for(text);
        self
    }

    pub fn wait_until(&mut self, what: &str, holds: impl Fn(&TerminalSession) -> bool) {
        self.wait_within(WAIT_TIMEOUT, what, holds);
    }

    /// Waits for something that takes longer than a frame.
    pub fn wait_within(
        &mut self,
        limit: Duration,
        what: &str,
        holds: impl Fn(&TerminalSession) -> bool,
    ) {
        let began = Instant::now();
        while !holds(self) {
            let left = limit
                .checked_sub(began.elapsed())
                .unwrap_or_else(|| panic!("no {what:?} on\n{}", self.text()));
            if self
                .read_output(left.min(Duration::from_millis(100)))
                .is_err()
                && !holds(self)
            {
                panic!(
                    "it ended without {what:?}; its last words:\n{}",
                    self.text()
                );
            }
        }
    }

    /// Waits until the program has been silent for a while, if no text is known to wait for.
    pub fn wait_until_quiet(&mut self) {
        let mut heard = usize::MAX;
        while heard != self.bytes.len() {
            heard = self.bytes.len();
            let _ = self.read_output(Duration::from_millis(300));
        }
    }

    fn read_output(&mut self, wait: Duration) -> Result<(), ()> {
        match self.output.recv_timeout(wait) {
            Ok(bytes) => {
                self.parser.process(&bytes);
                self.bytes.extend(bytes);
                Ok(())
            }
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => Err(()),
        }
    }

    /// Waits until the program is stopped, as seen by a shell.
    pub fn wait_stopped(&mut self) {
        let (_, status) = rustix::process::waitpid(Some(self.pid()), WaitOptions::UNTRACED)
            .unwrap()
            .unwrap();
        assert!(status.stopped(), "{status:?}");
    }

    /// Closes the window.
    pub fn close_terminal(&mut self) {
        self.pty = None;
    }

    /// Waits for the end and returns the exit status as a shell reports it.
    pub fn wait_for_exit(&mut self) -> i32 {
        let began = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(
                began.elapsed() < WAIT_TIMEOUT,
                "the program does not end; the screen shows\n{}",
                self.text()
            );
            let _ = self.read_output(Duration::from_millis(5));
        };
        while self.pty.is_some() && self.read_output(WAIT_TIMEOUT).is_ok() {}
        use std::os::unix::process::ExitStatusExt as _;
        status
            .code()
            .unwrap_or_else(|| 128 + status.signal().unwrap_or_default())
    }

    /// The exit status of a program whose output is not read.
    pub fn wait_for_exit_unread(&mut self) -> i32 {
        use std::os::unix::process::ExitStatusExt as _;
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status
                    .code()
                    .unwrap_or_else(|| 128 + status.signal().unwrap_or_default());
            }
            assert!(began.elapsed() < WAIT_TIMEOUT, "the program does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Asserts that the console has taken the terminal.
    pub fn assert_terminal_taken_over(&self) {
        assert!(
            self.screen().alternate_screen()
                && self.screen().hide_cursor()
                && self.screen().bracketed_paste()
        );
        assert_ne!(
            terminal_settings(self.pty()),
            self.initial_settings,
            "the line settings are not raw"
        );
    }

    /// Asserts that the terminal is as it was before the program started.
    pub fn assert_terminal_restored(&self) {
        let screen = self.screen();
        assert!(
            !screen.alternate_screen(),
            "the alternate screen is left on"
        );
        assert!(!screen.hide_cursor(), "the cursor is left hidden");
        assert!(!screen.bracketed_paste(), "bracketed paste is left on");
        assert_eq!(
            screen.mouse_protocol_mode(),
            vt100::MouseProtocolMode::None,
            "the mouse is left on"
        );
        let all = self.all_output();
        for mode in ["1004", "2026", "1000", "1002", "1003"] {
            let last = |suffix| all.rfind(&format!("\x1b[?{mode}{suffix}"));
            assert!(last('h') <= last('l'), "mode {mode} is left on");
        }
        let (on, off) = (
            all.matches("\x1b[>5u").count(),
            all.matches("\x1b[<u").count(),
        );
        assert_eq!(
            on, off,
            "the keyboard protocol is left on, or switched off twice"
        );
        assert_eq!(
            (screen.bold(), screen.inverse(), screen.underline()),
            (false, false, false),
            "a style is left on"
        );
        assert_eq!(
            terminal_settings(self.pty()),
            self.initial_settings,
            "the line settings differ"
        );
    }
}

impl Drop for TerminalSession {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The line settings, in a comparable form.
fn terminal_settings(pty: &Pty) -> String {
    format!("{:?}", rustix::termios::tcgetattr(pty).unwrap())
}

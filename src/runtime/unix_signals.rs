//! Signals as events: one task that listens, and a hard end when the loop does not answer in time.
//!
//! Never here: the terminal's modes, which [`terminal`] owns, beyond asking it for the last restore.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use rustix::process::Signal as Number;
use tokio::signal::unix::{Signal as Stream, SignalKind, signal};
use tokio::sync::mpsc;

use super::event::{Event, ExitSignal};
use super::terminal;

/// The loop has so long to notice that it is to end.
const SHUTDOWN_GRACE: Duration = Duration::from_millis(1500);
/// Once it has noticed, it has so long to hear what became of the writes under way and to put its things away.
const EXIT_TIMEOUT: Duration = Duration::from_millis(2500);
/// A terminal that takes nothing is not waited for longer.
const LAST_OUTPUT_TIMEOUT: Duration = Duration::from_millis(300);

/// The loop has noticed that it is to end.
static LOOP_IS_ENDING: AtomicBool = AtomicBool::new(false);
/// Writes that were sent and not yet answered, and writes that wait to be sent.
static OPEN_WRITES: (AtomicUsize, AtomicUsize) = (AtomicUsize::new(0), AtomicUsize::new(0));

/// The loop ends by itself from here on.
pub fn mark_loop_ending() {
    LOOP_IS_ENDING.store(true, Ordering::SeqCst);
}

/// How many writes were sent and not yet answered, and how many wait: what a hard end says.
pub fn set_open_writes(sent: usize, waiting: usize) {
    OPEN_WRITES.0.store(sent, Ordering::SeqCst);
    OPEN_WRITES.1.store(waiting, Ordering::SeqCst);
}

/// What becomes of writes that are cut off by the end, in words for the person.
pub fn interrupted_writes_message(sent: usize, waiting: usize) -> Vec<String> {
    let changes = |n: usize| if n == 1 { "1 change was".to_owned() } else { format!("{n} changes were") };
    let mut lines = Vec::new();
    if sent > 0 {
        lines.push(format!(
            "gantry: {} sent and not yet answered, and may or may not be done; gantry log shows what",
            changes(sent)
        ));
    }
    if waiting > 0 {
        lines.push(format!("gantry: {} not sent", changes(waiting)));
    }
    lines
}

/// What a terminal that vanished amounts to.
pub const HANGUP: ExitSignal = ExitSignal { name: "SIGHUP", number: Number::HUP.as_raw() };

/// Starts to listen. From here on no signal ends the program without the terminal being given back.
pub fn listen(events: mpsc::Sender<Event>) -> io::Result<()> {
    let stream = |number: Number| signal(SignalKind::from_raw(number.as_raw()));
    let mut ends = ShutdownSignals {
        terminate: stream(Number::TERM)?,
        hang_up: stream(Number::HUP)?,
        interrupt: stream(Number::INT)?,
        quit: stream(Number::QUIT)?,
    };
    let (mut stop, mut go_on, mut window) = (stream(Number::TSTP)?, stream(Number::CONT)?, stream(Number::WINCH)?);
    // Listened to, it no longer ends the program: writing beyond the limit of a file's size is an error like a full disk.
    let _file_size = stream(Number::XFSZ)?;
    // On its own: a loop that is stuck takes no events, and the other signals may have filled the channel.
    let ending = events.clone();
    tokio::spawn(async move {
        loop {
            let signal = ends.next().await;
            force_exit_after(SHUTDOWN_GRACE, signal);
            if ending.send(Event::ExitRequested(signal)).await.is_err() {
                return;
            }
        }
    });
    tokio::spawn(async move {
        loop {
            let event = tokio::select! {
                _ = stop.recv() => Event::Stop,
                _ = go_on.recv() => Event::Continued,
                _ = window.recv() => Event::Resized,
            };
            if events.send(event).await.is_err() {
                return;
            }
        }
    });
    Ok(())
}

/// Gives the terminal back and ends the program when it is still there after this time, whatever it is doing.
pub fn force_exit_after(patience: Duration, signal: ExitSignal) {
    let _ = std::thread::Builder::new().name("last words".into()).spawn(move || {
        std::thread::sleep(patience);
        if LOOP_IS_ENDING.load(Ordering::SeqCst) {
            std::thread::sleep(EXIT_TIMEOUT);
        }
        // The terminal, and standard error with it, may take nothing at all: each is given a moment and not waited for.
        let (said, hears) = std::sync::mpsc::channel();
        let restored = said.clone();
        let _ = std::thread::Builder::new().spawn(move || {
            terminal::restore();
            let _ = restored.send(());
        });
        let _ = hears.recv_timeout(LAST_OUTPUT_TIMEOUT);
        let _ = std::thread::Builder::new().spawn(move || {
            super::print_stderr_line(&format!("gantry ended by {}", signal.name));
            interrupted_writes_message(OPEN_WRITES.0.load(Ordering::SeqCst), OPEN_WRITES.1.load(Ordering::SeqCst))
                .iter()
                .for_each(|line| super::print_stderr_line(line));
            let _ = said.send(());
        });
        let _ = hears.recv_timeout(LAST_OUTPUT_TIMEOUT);
        std::process::exit(i32::from(signal.exit_status()));
    });
}

/// The terminal is gone: the program follows, at the latest when the patience is over.
pub fn handle_hangup(events: &mpsc::Sender<Event>) {
    force_exit_after(SHUTDOWN_GRACE, HANGUP);
    let _ = events.try_send(Event::HungUp);
}

/// Stops the program and all that the shell started with it, until the shell brings them back.
pub fn stop_process_group() {
    let _ = rustix::process::kill_current_process_group(Number::STOP);
}

struct ShutdownSignals {
    terminate: Stream,
    hang_up: Stream,
    interrupt: Stream,
    quit: Stream,
}

impl ShutdownSignals {
    async fn next(&mut self) -> ExitSignal {
        let (name, number) = tokio::select! {
            _ = self.terminate.recv() => ("SIGTERM", Number::TERM),
            _ = self.hang_up.recv() => ("SIGHUP", Number::HUP),
            _ = self.interrupt.recv() => ("SIGINT", Number::INT),
            _ = self.quit.recv() => ("SIGQUIT", Number::QUIT),
        };
        ExitSignal { name, number: number.as_raw() }
    }
}

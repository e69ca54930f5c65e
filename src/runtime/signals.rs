//! Turns signals into events, with a forced exit if the loop does not respond in time.
//!
//! Never here: the terminal's modes, which [`terminal`] owns, except for the final restore.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::mpsc;

use super::event::Event;
use super::terminal;
use crate::platform::tasks;
use crate::platform::terminal::{ControlSignal, ControlSignals, ExitSignal, ExitSignals};

/// How long the loop may take to notice that it must end.
const SHUTDOWN_GRACE: Duration = Duration::from_millis(1500);
/// How long it may then take to wait for writes under way and to clean up.
const EXIT_TIMEOUT: Duration = Duration::from_millis(2500);
/// How long to wait for a terminal that accepts nothing.
const LAST_OUTPUT_TIMEOUT: Duration = Duration::from_millis(300);

static LOOP_IS_ENDING: AtomicBool = AtomicBool::new(false);
/// Writes sent without a response yet, and writes waiting to be sent.
static OPEN_WRITES: (AtomicUsize, AtomicUsize) = (AtomicUsize::new(0), AtomicUsize::new(0));

/// The loop has noticed that it must end.
pub fn mark_loop_ending() {
    LOOP_IS_ENDING.store(true, Ordering::SeqCst);
}

/// The number of writes sent without a response and waiting, for the message of a forced exit.
pub fn set_open_writes(sent: usize, waiting: usize) {
    OPEN_WRITES.0.store(sent, Ordering::SeqCst);
    OPEN_WRITES.1.store(waiting, Ordering::SeqCst);
}

/// What is known about writes interrupted by the exit, for the person.
pub fn interrupted_writes_message(sent: usize, waiting: usize) -> Vec<String> {
    let changes = |n: usize| {
        if n == 1 {
            "1 change was".to_owned()
        } else {
            format!("{n} changes were")
        }
    };
    let mut lines = Vec::new();
    if sent > 0 {
        lines.push(format!(
            "gantry: {} sent but not yet confirmed; gantry log shows what was applied",
            changes(sent)
        ));
    }
    if waiting > 0 {
        lines.push(format!("gantry: {} not sent", changes(waiting)));
    }
    lines
}

/// Starts to listen. From now on no signal ends the program without restoring the terminal.
pub fn listen(events: mpsc::Sender<Event>) -> io::Result<()> {
    let (mut ends, mut controls) = (ExitSignals::listen()?, ControlSignals::listen()?);
    // In its own task: a stuck loop takes no events, and other signals may have filled the channel.
    let ending = events.clone();
    tasks::spawn(async move {
        loop {
            let signal = ends.next().await;
            force_exit_after(SHUTDOWN_GRACE, signal);
            if ending.send(Event::ExitRequested(signal)).await.is_err() {
                return;
            }
        }
    });
    tasks::spawn(async move {
        loop {
            let event = match controls.next().await {
                ControlSignal::Stop => Event::Stop,
                ControlSignal::Continued => Event::Continued,
                ControlSignal::Resized => Event::Resized,
            };
            if events.send(event).await.is_err() {
                return;
            }
        }
    });
    Ok(())
}

/// Restores the terminal and ends the program if it is still running after this time, whatever it
/// is doing.
pub fn force_exit_after(patience: Duration, signal: ExitSignal) {
    let _ = std::thread::Builder::new()
        .name("last words".into())
        .spawn(move || {
            std::thread::sleep(patience);
            if LOOP_IS_ENDING.load(Ordering::SeqCst) {
                std::thread::sleep(EXIT_TIMEOUT);
            }
            // The terminal, and with it standard error, may accept nothing: each gets a moment.
            let (said, hears) = std::sync::mpsc::channel();
            let restored = said.clone();
            let _ = std::thread::Builder::new().spawn(move || {
                terminal::restore();
                let _ = restored.send(());
            });
            let _ = hears.recv_timeout(LAST_OUTPUT_TIMEOUT);
            let _ = std::thread::Builder::new().spawn(move || {
                super::print_stderr_line(&format!("gantry ended by {}", signal.name));
                interrupted_writes_message(
                    OPEN_WRITES.0.load(Ordering::SeqCst),
                    OPEN_WRITES.1.load(Ordering::SeqCst),
                )
                .iter()
                .for_each(|line| super::print_stderr_line(line));
                let _ = said.send(());
            });
            let _ = hears.recv_timeout(LAST_OUTPUT_TIMEOUT);
            std::process::exit(i32::from(signal.exit_status()));
        });
}

/// The terminal is gone: ends the program, at the latest after the grace period.
pub fn handle_hangup(events: &mpsc::Sender<Event>) {
    force_exit_after(SHUTDOWN_GRACE, ExitSignal::HANG_UP);
    let _ = events.try_send(Event::HungUp);
}

//! The loop: takes all that waits, tells the console, does what it wants, draws once.
//!
//! Nothing ticks. The loop sleeps until a key, an answer, a signal or a wait that is over wakes it; then it takes everything
//! that has come, and one frame shows the outcome. The first frame is on the terminal before the first answer can be.
//!
//! Whether the service that the program was started for is there is known after the first frame: the console's own first
//! questions are the check, so it costs neither a request nor a moment. When they are refused before anything was answered the
//! console ends itself, and its line is printed once the terminal is given back.
//!
//! Never here: what a message means, what a frame shows, how bytes travel.

use std::io;
use std::time::Duration;

use chrono::{DateTime, FixedOffset, Utc};
use tokio::sync::mpsc;
use tokio::time::Instant;
use uuid::Uuid;

use super::backend::{BackendConnection, BackendFuture, ConnectFn, LocalWrite};
use super::draft_writer::DraftWriter;
use super::event::{Event, ExitSignal};
use super::executor::{Executor, ExecutorEvent};
use super::external_editor::ExternalEditor;
use super::frame_writer::FrameWriter;
use super::poll::{self, PollCommand};
use super::preferences::Preferences;
use super::{desktop, input, suspend, unix_signals};
use crate::app::msg::Push;
use crate::app::{App, AppSettings, ConsoleSession, Effect, Msg};
use crate::domain::journal::JournalEntry;
use crate::domain::queue::QueueSnapshot;
use crate::domain::request_error::{RequestError, RequestErrorKind};
use crate::text;
use crate::ui::ColorDepth;

/// The most events that one frame takes in: beyond it a flood would starve the screen.
const MAX_EVENTS_PER_FRAME: usize = 4096;
/// What colour lies behind the text, and what kind of terminal it is: every terminal answers the second question, in this order, so
/// its answer says that none comes to the first.
const BACKGROUND_QUERY: &str = "\x1b]11;?\x1b\\\x1b[c";
/// The first frame waits so long for the answer. One that comes later changes the colours of what is shown then.
const STARTUP_BACKGROUND_TIMEOUT: Duration = Duration::from_millis(40);
/// Nobody waits longer for it at the end.
const EXIT_BACKGROUND_TIMEOUT: Duration = Duration::from_millis(300);
/// Writes under way have so long to be answered at the end.
const WRITE_DRAIN_TIMEOUT: Duration = Duration::from_secs(1);
/// A local service has so long to put its things away.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);
/// Events that wait at most; who sends more waits too.
pub const EVENT_CHANNEL_CAPACITY: usize = 1024;

/// The terminal as the loop commands it.
pub trait TerminalControl {
    /// Switches mouse reports.
    fn set_mouse(&mut self, on: bool);
    /// Gives the terminal back for as long as another program has it.
    fn release(&mut self);
    /// Gives the terminal back and stops the program until the shell goes on with it.
    fn stop(&mut self);
    /// Takes the terminal again after a stop.
    fn resume(&mut self);
    /// Columns and rows.
    fn size(&self) -> (u16, u16);
}

/// What the loop is started with.
pub struct EventLoopOptions {
    /// Where the console works.
    pub session: ConsoleSession,
    /// How the person likes it.
    pub settings: AppSettings,
    /// The queue as it stood on the screen last, for the first frame.
    pub cached_queue: Option<QueueSnapshot>,
    /// The service to work with, on its way; without it the console's first screen asks.
    pub initial_connection: Option<BackendFuture<BackendConnection>>,
    /// How a target is reached.
    pub connect: ConnectFn,
    /// Where the person's choices are kept.
    pub preferences: Preferences,
    /// The person's own editor.
    pub editor: ExternalEditor,
    /// The clock.
    pub now: fn() -> DateTime<Utc>,
    /// The person's clock, ahead of UTC: it changes twice a year in many places.
    pub utc_offset: fn() -> FixedOffset,
}

/// How the console ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExitReport {
    /// The exit status.
    pub status: u8,
    /// What the person should still read, on standard error.
    pub lines: Vec<String>,
}

/// The console at work.
pub struct EventLoop<T, W> {
    app: App,
    terminal: T,
    screen: FrameWriter<W>,
    executor: Executor,
    poll_commands: mpsc::Sender<PollCommand>,
    events: mpsc::Sender<Event>,
    preferences: Preferences,
    drafts: DraftWriter,
    editor: ExternalEditor,
    now: fn() -> DateTime<Utc>,
    utc_offset: fn() -> FixedOffset,
    is_stopped: bool,
    /// When the terminal was asked for its ground, until it has said all that it will say.
    background_queried_at: Option<Instant>,
    exit_report: Option<ExitReport>,
}

impl<T: TerminalControl, W: io::Write> EventLoop<T, W> {
    /// Starts the console and its polling task, and asks its first questions.
    pub fn new(start: EventLoopOptions, terminal: T, out: W, events: mpsc::Sender<Event>) -> Self {
        let size = terminal.size();
        let mut executor = Executor::new(start.connect);
        let (orders, ordered) = mpsc::channel(8);
        tokio::spawn(poll::run_poller(start.settings.poll_interval, executor.backend(), ordered, events.clone(), start.now));
        tokio::spawn(poll::watch_health(executor.backend(), events.clone()));
        tokio::spawn(suspend::watch_for_suspend(start.now, events.clone()));
        if let Some(opening) = start.initial_connection {
            executor.await_connection(opening);
        }
        let (app, effects) = App::new(start.session, start.settings, size, (start.now)());
        let mut console = EventLoop {
            app,
            terminal,
            screen: FrameWriter::new(out, size),
            executor,
            poll_commands: orders,
            events,
            preferences: start.preferences,
            drafts: DraftWriter::default(),
            editor: start.editor,
            now: start.now,
            utc_offset: start.utc_offset,
            is_stopped: false,
            background_queried_at: None,
            exit_report: None,
        };
        console.run_effects(effects);
        if let Some(last) = start.cached_queue {
            console.dispatch(Msg::Pushed(Push::QueueSnapshot(Box::new(last))));
        }
        console
    }

    /// Works until the console has ended.
    pub async fn run(mut self, mut events: mpsc::Receiver<Event>) -> ExitReport {
        self.await_background(&mut events, STARTUP_BACKGROUND_TIMEOUT).await;
        loop {
            if let Some(ended) = self.exit_report.take() {
                return self.shut_down(ended, events).await;
            }
            self.draw();
            tokio::select! {
                event = events.recv() => self.handle_event(event.unwrap_or(Event::HungUp)),
                done = self.executor.next_event() => self.finish_task(done),
            }
            for _ in 0..MAX_EVENTS_PER_FRAME {
                match (events.try_recv(), self.executor.try_next_event()) {
                    (Err(_), None) => break,
                    (event, done) => {
                        event.into_iter().for_each(|event| self.handle_event(event));
                        done.into_iter().for_each(|done| self.finish_task(done));
                    }
                }
            }
        }
    }

    async fn shut_down(mut self, mut ended: ExitReport, mut events: mpsc::Receiver<Event>) -> ExitReport {
        unix_signals::mark_loop_ending();
        self.flush_drafts();
        self.finish_writes().await;
        if let Some(last) = self.app.queue_snapshot() {
            self.executor.save_local(LocalWrite::Queue(Box::new(last)));
        }
        // What the terminal still has to say is not typed into the shell.
        self.await_background(&mut events, EXIT_BACKGROUND_TIMEOUT).await;
        let (sent, waiting) = (self.executor.writes_in_flight(), self.executor.writes_queued());
        ended.lines.extend(unix_signals::interrupted_writes_message(sent, waiting));
        ended.lines.extend(self.app.exit_lines().iter().map(|line| text::sanitize_line(line).into_owned()));
        drop(self.terminal);
        // The person has the shell back in any case; a signal's hard end comes later than this.
        let last = tokio::time::timeout(SHUTDOWN_TIMEOUT, self.executor.close()).await.unwrap_or_default();
        ended.lines.extend(last.iter().map(|line| format!("gantry: {}", text::sanitize_line(line))));
        ended
    }

    /// Writes that were meant are sent and answered before the end, as far as that takes no longer than a moment.
    async fn finish_writes(&mut self) {
        let until = Instant::now() + WRITE_DRAIN_TIMEOUT;
        while self.executor.writes_in_flight() + self.executor.writes_queued() > 0 {
            let Ok(done) = tokio::time::timeout_at(until, self.executor.next_event()).await else { return };
            self.finish_task(done);
        }
    }

    /// Asks the terminal for its ground, where that makes a difference.
    pub fn with_background_query(mut self) -> Self {
        let theme = self.app.theme();
        if theme.depth > ColorDepth::None && self.screen.write_raw(BACKGROUND_QUERY).is_ok() {
            self.background_queried_at = Some(Instant::now());
        }
        self
    }

    /// Goes on with what happens until the terminal has answered, at most so long after it was asked.
    async fn await_background(&mut self, events: &mut mpsc::Receiver<Event>, limit: Duration) {
        while let Some(asked) = self.background_queried_at {
            let Ok(event) = tokio::time::timeout_at(asked + limit, events.recv()).await else { return };
            let Some(event) = event else { return };
            let is_told = matches!(event, Event::Msg(Msg::Background(_)));
            self.handle_event(event);
            if is_told && limit == STARTUP_BACKGROUND_TIMEOUT {
                return;
            }
        }
    }

    fn draw(&mut self) {
        if self.is_stopped {
            return;
        }
        self.app.update_layout();
        let app = &self.app;
        if self.screen.draw_frame(|buf| app.draw(buf)).is_err() {
            self.exit(unix_signals::HANGUP.exit_status(), None);
        }
    }

    fn handle_event(&mut self, event: Event) {
        match event {
            Event::Msg(msg) => self.dispatch(msg),
            Event::FlushDrafts => self.flush_drafts(),
            Event::Resized => self.resize(),
            Event::Stop => self.stop(),
            Event::Continued => {
                self.terminal.resume();
                self.is_stopped = false;
                self.resize();
                self.dispatch(Msg::Resumed);
            }
            Event::ExitRequested(signal) => self.exit_on_signal(signal),
            Event::HungUp => self.exit(unix_signals::HANGUP.exit_status(), None),
        }
    }

    fn finish_task(&mut self, done: ExecutorEvent) {
        match done {
            ExecutorEvent::Connected(Ok(_)) => {}
            ExecutorEvent::Connected(Err(failure)) => {
                self.exit(exit_status(&failure), Some(format!("gantry: {}", text::sanitize_line(&failure.message))));
            }
            ExecutorEvent::ExportProgress(token, progress) => self.dispatch(Msg::Pushed(Push::ExportProgressed(token, progress))),
            ExecutorEvent::Replied(token, result) => self.dispatch(Msg::Replied(token, result)),
        }
        for note in self.executor.take_notices() {
            self.dispatch(Msg::Pushed(Push::Warning(note)));
        }
        if let Some(why) = self.executor.take_journal_error() {
            self.dispatch(Msg::Pushed(Push::JournalFailed(why)));
        }
    }

    fn dispatch(&mut self, msg: Msg) {
        if msg == Msg::Background(None) {
            self.background_queried_at = None;
        }
        self.app.set_utc_offset((self.utc_offset)());
        let effects = self.app.update(msg, (self.now)());
        self.run_effects(effects);
    }

    fn run_effects(&mut self, effects: Vec<Effect>) {
        self.execute_effects(effects);
        unix_signals::set_open_writes(self.executor.writes_in_flight(), self.executor.writes_queued());
    }

    fn execute_effects(&mut self, effects: Vec<Effect>) {
        // The calls beside it are to be sent as well.
        if effects.contains(&Effect::Poll)
            && let Some(service) = &*self.executor.backend().borrow()
        {
            service.retry_credential();
        }
        for effect in effects {
            match effect {
                Effect::Call { token, slot, call } => self.executor.submit(token, slot, call, self.app.request_reason()),
                Effect::JournalWrite { slot, op, cause: wish, description: words, change } => {
                    let op = op.unwrap_or_else(Uuid::now_v7);
                    let (at, reason) = ((self.now)(), self.app.request_reason().to_owned());
                    self.executor.record_entry(
                        slot,
                        JournalEntry { op, at, cause: wish, original_op: None, reason, description: words, change },
                    );
                }
                Effect::JournalApplied { slot, change } => self.executor.record_applied(&slot, change),
                Effect::JournalReconciled { status, applied: gone, not_applied: not_gone } => {
                    self.executor.record_reconciliation(status, gone, not_gone)
                }
                Effect::SendUnjournaled => self.executor.allow_unjournaled_writes(),
                Effect::Cancel(slot) => self.executor.cancel(slot),
                Effect::SetTimer { timer, delay: after } => self.send_after(after, Event::Msg(Msg::Elapsed(timer))),
                Effect::SavePreference(name, value) => self.preferences.set(&name, value),
                Effect::SaveDraft { name, content: typed } => {
                    if let Some(after) = self.drafts.enqueue(name, (self.now)(), typed) {
                        self.send_after(after, Event::FlushDrafts);
                    }
                }
                Effect::SaveQueueSnapshot(queue) => self.executor.save_local(LocalWrite::Queue(queue)),
                Effect::SaveSearchRun { run, first_row: from } => self.executor.save_local(LocalWrite::SearchRun(run, from)),
                Effect::CopyToClipboard(text) => match desktop::clipboard_sequence(&text) {
                    Some(bytes) => drop(self.screen.write_raw(&bytes)),
                    None => self
                        .report_failed_effect(format!("nothing was copied: {} bytes are too many for a clipboard", text.len())),
                },
                Effect::Notify(text) => drop(self.screen.write_raw(&desktop::notification_sequence(&text))),
                Effect::OpenUrl(url) => {
                    let (events, page) = (self.events.clone(), url.clone());
                    let not_opened = move |why| {
                        drop(events.blocking_send(Event::Msg(Msg::Pushed(Push::BrowserFailed { url: page, reason: why }))));
                    };
                    if let Err(error) = desktop::open_url(&url, not_opened) {
                        self.dispatch(Msg::Pushed(Push::BrowserFailed { url, reason: error.to_string() }));
                    }
                }
                Effect::Poll => drop(self.poll_commands.try_send(PollCommand::PollNow)),
                Effect::SetPollInterval(every) => drop(self.poll_commands.try_send(PollCommand::SetInterval(every))),
                Effect::CaptureMouse(on) => self.terminal.set_mouse(on),
                Effect::OpenEditor(text) => self.run_editor(&text),
                Effect::Suspend => self.stop(),
                Effect::Repaint => self.screen.invalidate(),
                Effect::Quit => self.exit(self.app.exit_status(), None),
            }
        }
    }

    fn report_failed_effect(&mut self, why: String) {
        self.dispatch(Msg::Pushed(Push::EffectFailed(why)));
    }

    /// The terminal and the keys are the editor's until it ends; what happens meanwhile waits.
    fn run_editor(&mut self, text: &str) {
        let lent = input::pause_reader();
        self.terminal.release();
        let edited = self.editor.edit(text, self.app.max_editor_bytes());
        self.terminal.resume();
        drop(lent);
        self.resize();
        self.screen.invalidate();
        self.dispatch(Msg::EditorClosed(edited));
    }

    fn send_after(&self, after: Duration, event: Event) {
        let events = self.events.clone();
        tokio::spawn(async move {
            tokio::time::sleep(after).await;
            let _ = events.send(event).await;
        });
    }

    fn flush_drafts(&mut self) {
        for (name, (at, typed)) in self.drafts.take_pending() {
            self.executor.save_local(LocalWrite::Draft(name, at, typed));
        }
    }

    fn resize(&mut self) {
        let size = self.terminal.size();
        self.screen.resize(size);
        self.dispatch(Msg::Resized(size.0, size.1));
    }

    fn stop(&mut self) {
        self.is_stopped = true;
        self.terminal.stop();
    }

    fn exit_on_signal(&mut self, signal: ExitSignal) {
        unix_signals::mark_loop_ending();
        self.exit(signal.exit_status(), Some(format!("gantry ended by {}", signal.name)));
    }

    /// The first reason to end is the one that counts.
    fn exit(&mut self, status: u8, line: Option<String>) {
        self.exit_report.get_or_insert_with(|| ExitReport { status, lines: line.into_iter().collect() });
    }
}

/// The exit status that a failure has on the command line.
fn exit_status(failure: &RequestError) -> u8 {
    match (&failure.kind, failure.status()) {
        (_, Some(401 | 403)) => 3,
        (_, Some(404)) => 4,
        (RequestErrorKind::NotSent | RequestErrorKind::Ambiguous, _) => 5,
        (RequestErrorKind::Cancelled, _) => 130,
        _ => 1,
    }
}

//! The event loop: takes all pending events, updates the app, runs its effects, draws once.
//!
//! Nothing ticks. The loop sleeps until a key, a response, a signal or a timer wakes it; then it
//! takes everything that is pending, and one frame shows the result. The first frame is drawn
//! before the first response can arrive.
//!
//! Whether the initial service is reachable is known after the first frame: the app's own first
//! requests are the check, so it costs no extra request and no delay. If they are rejected before
//! anything was answered, the console ends and prints the reason once the terminal is restored.
//!
//! Never here: what a message means, what a frame shows, how bytes are encoded.

mod editing;
mod queries;

use std::io;
use std::time::Duration;

use chrono::{DateTime, FixedOffset, Utc};
use tokio::sync::mpsc;
use tokio::time::Instant;
use uuid::Uuid;

use super::backend::{CacheEntry, ConnectFn, InitialConnectFn, LocalWrite};
use super::configuration_file::ConfigurationFile;
use super::draft_writer::DraftWriter;
use super::event::Event;
use super::executor::{Executor, ExecutorEvent};
use super::external_editor::ExternalEditor;
use super::frame_writer::FrameWriter;
use super::key_pace::KeyPace;
use super::poll::{self, PollCommand};
use super::preferences::Preferences;
use super::{clipboard, desktop, program, signals, stored_facts, suspend};
use crate::app::msg::{Push, Timer};
use crate::app::{AppSettings, Console, ConsoleSession, Effect, Msg, StartTarget};
use crate::domain::journal::JournalEntry;
use crate::domain::queue::QueueSnapshot;
use crate::domain::queue_tabs::SavedTab;
use crate::domain::request_error::RequestError;
use crate::platform::tasks;
use crate::platform::terminal::ExitSignal;
use crate::text;

/// Maximum number of events per frame: beyond it a flood would starve the screen.
const MAX_EVENTS_PER_FRAME: usize = 4096;
/// A digit becomes a command this much later if keys wait to be read: one may make it a count.
const INPUT_GRACE: Duration = Duration::from_millis(50);
/// How long writes under way may take at exit.
const WRITE_DRAIN_TIMEOUT: Duration = Duration::from_secs(1);
/// How long a local service may take to shut down.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);
/// Maximum number of pending events; beyond it senders wait.
pub const EVENT_CHANNEL_CAPACITY: usize = 1024;

/// The terminal as controlled by the loop.
pub trait TerminalControl {
    fn set_mouse(&mut self, on: bool);
    /// Has the Escape key reported as a sequence; false if that was asked for before.
    fn enable_keyboard_protocol(&mut self) -> bool;
    /// Hands the terminal to another program.
    fn release(&mut self);
    /// Restores the terminal and stops the program until the shell continues it.
    fn stop(&mut self);
    /// Takes the terminal back after a stop.
    fn resume(&mut self);
    fn size(&self) -> (u16, u16);
    /// Whether keys wait to be read.
    fn has_input(&self) -> bool;
}

pub struct EventLoopOptions {
    /// Where the console works.
    pub session: ConsoleSession,
    pub settings: AppSettings,
    /// Where the console starts, instead of the queue.
    pub start_at: Option<StartTarget>,
    /// The last queue shown, for the first frame.
    pub cached_queue: Option<QueueSnapshot>,
    /// The initial service; without it the console opens its start screen.
    pub connect_initially: InitialConnectFn,
    pub connect: ConnectFn,
    /// The terminal is asked for its keyboard protocol, and for its background if colors depend on
    /// it.
    pub queries_terminal: bool,
    /// After this time an escape byte is the Escape key, if the terminal answers nothing.
    pub escape_timeout: Duration,
    pub preferences: Preferences,
    pub configuration: ConfigurationFile,
    /// The person's editor.
    pub editor: ExternalEditor,
    pub now: fn() -> DateTime<Utc>,
    /// The local time zone's offset; read each time, because it changes with daylight saving time.
    pub utc_offset: fn() -> FixedOffset,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExitReport {
    pub status: u8,
    /// Lines for standard error.
    pub lines: Vec<String>,
    /// The profile to start again with.
    pub next_profile: Option<String>,
}

pub struct EventLoop<T, W> {
    app: Console,
    terminal: T,
    screen: FrameWriter<W>,
    key_pace: KeyPace,
    executor: Executor,
    connect_initially: InitialConnectFn,
    poll_commands: mpsc::Sender<PollCommand>,
    events: mpsc::Sender<Event>,
    preferences: Preferences,
    configuration: ConfigurationFile,
    /// The tabs of the queue as this console last read them from the configuration, or saved them
    /// there.
    saved_tabs: Vec<SavedTab>,
    drafts: DraftWriter,
    editor: ExternalEditor,
    now: fn() -> DateTime<Utc>,
    utc_offset: fn() -> FixedOffset,
    is_stopped: bool,
    /// The counts are requested after the next frame: nothing delays what is already known.
    polls_after_frame: bool,
    /// How many queries the terminal has not answered yet, and when the last was made.
    open_queries: usize,
    queried_at: Instant,
    exit_report: Option<ExitReport>,
}

impl<T: TerminalControl, W: io::Write> EventLoop<T, W> {
    /// Starts the app and its poller, and makes the first requests.
    pub fn new(start: EventLoopOptions, terminal: T, out: W, events: mpsc::Sender<Event>) -> Self {
        let size = terminal.size();
        let asked_depth = start.queries_terminal.then_some(start.settings.theme.depth);
        let mut executor = Executor::new(start.connect);
        let (orders, ordered) = mpsc::channel(8);
        tasks::spawn(poll::run_poller(
            start.settings.poll_interval,
            executor.backend(),
            ordered,
            events.clone(),
            start.now,
        ));
        tasks::spawn(poll::watch_health(executor.backend(), events.clone()));
        tasks::spawn(suspend::watch_for_suspend(start.now, events.clone()));
        if let Some(opening) = (start.connect_initially)() {
            executor.await_connection(opening);
        }
        let saved_tabs = start.settings.queue_tabs.clone();
        let (app, effects) = Console::new(start.session, start.settings, size, (start.now)());
        let mut console = EventLoop {
            app,
            terminal,
            screen: FrameWriter::new(out, size),
            key_pace: KeyPace::default(),
            executor,
            connect_initially: start.connect_initially,
            poll_commands: orders,
            events,
            preferences: start.preferences,
            configuration: start.configuration,
            saved_tabs,
            drafts: DraftWriter::default(),
            editor: start.editor,
            now: start.now,
            utc_offset: start.utc_offset,
            is_stopped: false,
            polls_after_frame: false,
            open_queries: 0,
            queried_at: Instant::now(),
            exit_report: None,
        };
        // As early as possible: many terminals answer before the first frame is ready.
        if let Some(depth) = asked_depth {
            console.query_first(depth);
        }
        console.run_effects(effects);
        if let Some(last) = start.cached_queue {
            console.dispatch(Msg::Pushed(Push::QueueSnapshot(Box::new(last))));
        }
        console.report_setting_problems();
        if let Some(target) = start.start_at {
            console.dispatch(Msg::Pushed(Push::StartAt(Box::new(target))));
        }
        console
    }

    /// Runs until the console ends.
    pub async fn run(mut self, mut events: mpsc::Receiver<Event>) -> ExitReport {
        self.handle_pending(&mut events);
        loop {
            if let Some(ended) = self.exit_report.take() {
                return self.shut_down(ended, events).await;
            }
            self.draw();
            if std::mem::take(&mut self.polls_after_frame) {
                let _ = self.poll_commands.try_send(PollCommand::PollNow);
            }
            tokio::select! {
                event = events.recv() => self.handle_event(event.unwrap_or(Event::HungUp)),
                done = self.executor.next_event() => self.finish_task(done),
                () = poll::sleep_until(self.key_pace.rests_at()) => self.rest_keys(),
            }
            self.handle_pending(&mut events);
        }
    }

    /// Handles what has come meanwhile: one frame shows all of it.
    fn handle_pending(&mut self, events: &mut mpsc::Receiver<Event>) {
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

    async fn shut_down(
        mut self,
        mut ended: ExitReport,
        mut events: mpsc::Receiver<Event>,
    ) -> ExitReport {
        signals::mark_loop_ending();
        self.flush_drafts();
        self.finish_writes().await;
        if let Some((name, value)) = self.app.visit_preference() {
            self.preferences.set(&name, value);
        }
        if let Some(last) = self.app.queue_snapshot() {
            self.executor.save_local(LocalWrite::Queue(Box::new(last)));
        }
        // Answers that are still to come must not end up in the shell as typed text.
        self.await_answers(&mut events).await;
        let (sent, waiting) = self.open_writes();
        ended
            .lines
            .extend(signals::interrupted_writes_message(sent, waiting));
        ended.lines.extend(
            self.app
                .exit_lines()
                .iter()
                .map(|line| text::sanitize_line(line).into_owned()),
        );
        drop(self.terminal);
        // The shell comes back in any case; a signal's forced exit comes later than this.
        let last = tokio::time::timeout(SHUTDOWN_TIMEOUT, self.executor.close())
            .await
            .unwrap_or_default();
        ended.lines.extend(
            last.iter()
                .map(|line| format!("gantry: {}", text::sanitize_line(line))),
        );
        ended
    }

    /// Sends pending writes and waits for their responses before the end, within a time limit.
    async fn finish_writes(&mut self) {
        let until = Instant::now() + WRITE_DRAIN_TIMEOUT;
        while self.executor.writes_in_flight() + self.executor.writes_queued() > 0 {
            let Ok(done) = tokio::time::timeout_at(until, self.executor.next_event()).await else {
                return;
            };
            self.finish_task(done);
        }
    }

    fn draw(&mut self) {
        if self.is_stopped {
            return;
        }
        self.app.update_layout();
        let app = &self.app;
        if self.screen.draw_frame(|buf| app.draw(buf)).is_err() {
            self.exit(ExitSignal::HANG_UP.exit_status(), None);
        }
        self.key_pace.finish_frame();
    }

    /// The key that was held is released: what was not drawn meanwhile is drawn.
    fn rest_keys(&mut self) {
        self.key_pace.rest();
        self.app.set_key_held(false);
    }

    fn handle_event(&mut self, event: Event) {
        if let Event::Msg(Msg::Key(_)) = event {
            self.app.set_key_held(self.key_pace.press(Instant::now()));
        }
        match event {
            Event::Msg(Msg::Elapsed(Timer::HeldDigits(_))) if self.terminal.has_input() => {
                self.send_after(INPUT_GRACE, event)
            }
            Event::Msg(msg) => self.dispatch(msg),
            Event::Terminal(report) => self.on_terminal_report(report),
            Event::CopyThroughTerminal { what, text } => {
                let copied = clipboard::copy_through_terminal(
                    what,
                    &text,
                    clipboard::FILE_NAME,
                    &mut self.screen,
                );
                self.dispatch(copied);
            }
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
            Event::HungUp => self.exit(ExitSignal::HANG_UP.exit_status(), None),
        }
    }

    fn finish_task(&mut self, done: ExecutorEvent) {
        match done {
            ExecutorEvent::Connected(Ok(service)) => {
                self.dispatch(Msg::Pushed(Push::Connected(service)))
            }
            ExecutorEvent::Connected(Err(failure)) => self.on_connection_failure(&failure),
            ExecutorEvent::ExportProgress(token, progress) => {
                self.dispatch(Msg::Pushed(Push::ExportProgressed(token, progress)))
            }
            ExecutorEvent::Replied(token, result) => self.dispatch(Msg::Replied(token, result)),
        }
        let Some(service) = self.executor.service() else {
            return;
        };
        for note in service.take_notices() {
            self.dispatch(Msg::Pushed(Push::Warning(note)));
        }
        if let Some(why) = service.take_journal_error() {
            self.dispatch(Msg::Pushed(Push::JournalFailed(why)));
        }
    }

    /// Waits for what passes by itself and connects again; ends the console otherwise.
    fn on_connection_failure(&mut self, failure: &RequestError) {
        let reason = text::sanitize_line(&failure.message);
        let retry = failure
            .retry_pause(false, None)
            .zip((self.connect_initially)());
        let Some((pause, opening)) = retry else {
            return self.exit(failure.exit_status(), Some(format!("gantry: {reason}")));
        };
        self.executor.await_connection(Box::pin(async move {
            tokio::time::sleep(pause).await;
            opening.await
        }));
        self.dispatch(Msg::Pushed(Push::Warning(reason.into_owned())));
    }

    fn dispatch(&mut self, msg: Msg) {
        self.app.set_utc_offset((self.utc_offset)());
        let effects = self.app.update(msg, (self.now)());
        self.run_effects(effects);
    }

    fn run_effects(&mut self, effects: Vec<Effect>) {
        self.execute_effects(effects);
        let (sent, waiting) = self.open_writes();
        signals::set_open_writes(sent, waiting);
    }

    /// How many changes were sent without a response yet, and how many wait.
    fn open_writes(&self) -> (usize, usize) {
        (
            self.executor.writes_in_flight(),
            self.executor.writes_queued() + self.app.waiting_write_count(),
        )
    }

    fn execute_effects(&mut self, effects: Vec<Effect>) {
        // The calls next to it must be sent as well.
        if effects.contains(&Effect::Poll)
            && let Some(service) = self.executor.service()
        {
            service.retry_credential();
        }
        for effect in effects {
            match effect {
                Effect::Call {
                    token,
                    slot,
                    call,
                    reason,
                } => self.executor.submit(token, slot, call, reason),
                Effect::JournalWrite {
                    slot,
                    op,
                    cause,
                    description: words,
                    group,
                    change,
                } => {
                    let op = op.unwrap_or_else(Uuid::now_v7);
                    let (at, reason) = ((self.now)(), self.app.request_reason().to_owned());
                    self.executor.record_entry(
                        slot,
                        JournalEntry {
                            op,
                            at,
                            cause,
                            original_op: None,
                            reason,
                            description: words,
                            group,
                            change,
                        },
                    );
                }
                Effect::JournalApplied {
                    slot,
                    change,
                    settles_interrupted,
                } => self
                    .executor
                    .record_applied(&slot, change, settles_interrupted),
                Effect::JournalReconciled {
                    status,
                    applied: gone,
                    not_applied: not_gone,
                } => {
                    if let Some(service) = self.executor.service() {
                        service.record_reconciliation(status, gone, not_gone);
                    }
                }
                Effect::SendUnjournaled => {
                    if let Some(service) = self.executor.service() {
                        service.allow_unjournaled_writes();
                    }
                }
                Effect::Cancel(slot) => self.executor.cancel(slot),
                Effect::SetTimer {
                    timer,
                    delay: after,
                } => self.send_after(after, Event::Msg(Msg::Elapsed(timer))),
                Effect::SavePreference(name, value) => self.preferences.set(&name, value),
                Effect::SaveQueueTabs(tabs) => self.save_queue_tabs(tabs),
                Effect::SaveDraft {
                    name,
                    content: typed,
                } => {
                    if let Some(after) = self.drafts.enqueue(name, (self.now)(), typed) {
                        self.send_after(after, Event::FlushDrafts);
                    }
                }
                Effect::SaveNamedSearch(name, search) => {
                    self.save_cached(CacheEntry::NamedSearch(name, search))
                }
                Effect::SavePromises(note) => self.executor.save_local(LocalWrite::Promises(note)),
                Effect::SaveSnoozes { saved, ended } => {
                    self.executor.save_local(LocalWrite::Snoozes(saved, ended))
                }
                Effect::SaveQueueSnapshot(queue) => {
                    self.executor.save_local(LocalWrite::Queue(queue))
                }
                Effect::LoadFacts(wanted) => {
                    stored_facts::load_facts(wanted, &self.executor, &self.events)
                }
                Effect::SaveDescription(signal, text) => {
                    self.save_cached(CacheEntry::Description(signal, text))
                }
                Effect::SaveFreeSignalReads(is_free) => {
                    self.save_cached(CacheEntry::FreeSignalReads(is_free))
                }
                Effect::SaveSearchRun {
                    run,
                    first_row: from,
                } => self.save_cached(CacheEntry::SearchRun(run, from)),
                Effect::ChangeSavedRows(change) => self.save_cached(CacheEntry::RowsChange(change)),
                Effect::CopyToClipboard { what, text } => {
                    clipboard::copy(what, text.0, &self.events)
                }
                Effect::Notify(text) => drop(
                    self.screen
                        .write_raw(&desktop::notification_sequence(&text)),
                ),
                Effect::OpenUrl(url) => {
                    let (events, page) = (self.events.clone(), url.clone());
                    let not_opened = move |why| {
                        drop(events.blocking_send(Event::from(Push::BrowserFailed {
                            url: page,
                            reason: why,
                        })));
                    };
                    if let Err(error) = desktop::open_url(&url, not_opened) {
                        self.dispatch(Msg::Pushed(Push::BrowserFailed {
                            url,
                            reason: error.to_string(),
                        }));
                    }
                }
                Effect::RunProgram { name, arguments } => {
                    program::start_program(name, arguments, &self.events)
                }
                Effect::RunAlert(arguments) => program::start_alert(arguments, &self.events),
                Effect::Poll => self.polls_after_frame = true,
                Effect::SetPollInterval(every) => {
                    let _ = self.poll_commands.try_send(PollCommand::SetInterval(every));
                }
                Effect::CaptureMouse(on) => self.terminal.set_mouse(on),
                Effect::OpenEditor { purpose, text } => self.run_editor(purpose, &text),
                Effect::ReloadConfiguration => self.reload_configuration(),
                Effect::EditConfiguration => self.edit_configuration(),
                Effect::ReadSettings => self.read_settings(),
                Effect::ChangeSetting { key, text } => self.change_setting(key, text),
                Effect::ApplyBudgets(budgets) => {
                    self.executor.save_local(LocalWrite::Budgets(budgets))
                }
                Effect::Suspend => self.stop(),
                Effect::Repaint => self.screen.invalidate(),
                Effect::SwitchProfile(name) => {
                    self.exit(self.app.exit_status(), None);
                    self.exit_report
                        .iter_mut()
                        .for_each(|ended| ended.next_profile = Some(name.clone()));
                }
                Effect::Quit => self.exit(self.app.exit_status(), None),
            }
        }
    }

    fn save_cached(&self, entry: CacheEntry) {
        self.executor
            .save_local(LocalWrite::Cached(entry, (self.now)()));
    }

    fn send_after(&self, after: Duration, event: Event) {
        let events = self.events.clone();
        tasks::spawn(async move {
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
        signals::mark_loop_ending();
        self.exit(
            signal.exit_status(),
            Some(format!("gantry ended by {}", signal.name)),
        );
    }

    /// Ends the loop; the first reason wins.
    fn exit(&mut self, status: u8, line: Option<String>) {
        self.exit_report.get_or_insert_with(|| ExitReport {
            status,
            lines: line.into_iter().collect(),
            next_profile: None,
        });
    }
}

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

use super::ask::{Answering, Connect, Connection, Keep};
use super::drafts::Drafts;
use super::editor::Editor;
use super::event::{Event, Signal};
use super::executor::{Done, Executor};
use super::poll::{self, Order};
use super::preferences::Preferences;
use super::screen::Screen;
use super::{asleep, desktop, input, signals};
use crate::app::msg::Push;
use crate::app::{App, Effect, Msg, Session, Settings};
use crate::domain::failure::{RequestError, RequestErrorKind};
use crate::domain::journal::JournalEntry;
use crate::domain::queue::QueueSnapshot;
use crate::text;
use crate::ui::ColorDepth;

/// The most events that one frame takes in: beyond it a flood would starve the screen.
const BATCH: usize = 4096;
/// What colour lies behind the text, and what kind of terminal it is: every terminal answers the second question, in this order, so
/// its answer says that none comes to the first.
const ASK_GROUND: &str = "\x1b]11;?\x1b\\\x1b[c";
/// The first frame waits so long for the answer. One that comes later changes the colours of what is shown then.
const GROUND_WAIT: Duration = Duration::from_millis(40);
/// Nobody waits longer for it at the end.
const ANSWER_LIMIT: Duration = Duration::from_millis(300);
/// Writes under way have so long to be answered at the end.
const ANSWERED: Duration = Duration::from_secs(1);
/// A local service has so long to put its things away.
const CLOSING: Duration = Duration::from_secs(1);
/// Events that wait at most; who sends more waits too.
pub const EVENTS: usize = 1024;

/// The terminal as the loop commands it.
pub trait Terminal {
    /// Switches mouse reports.
    fn mouse(&mut self, on: bool);
    /// Gives the terminal back for as long as another program has it.
    fn give(&mut self);
    /// Gives the terminal back and stops the program until the shell goes on with it.
    fn stop(&mut self);
    /// Takes the terminal again after a stop.
    fn go_on(&mut self);
    /// Columns and rows.
    fn size(&self) -> (u16, u16);
}

/// What the loop is started with.
pub struct Start {
    /// Where the console works.
    pub session: Session,
    /// How the person likes it.
    pub settings: Settings,
    /// The queue as it stood on the screen last, for the first frame.
    pub last: Option<QueueSnapshot>,
    /// The service to work with, on its way; without it the console's first screen asks.
    pub opening: Option<Answering<Connection>>,
    /// How a target is reached.
    pub connect: Connect,
    /// Where the person's choices are kept.
    pub preferences: Preferences,
    /// The person's own editor.
    pub editor: Editor,
    /// The clock.
    pub now: fn() -> DateTime<Utc>,
    /// The person's clock, ahead of UTC: it changes twice a year in many places.
    pub offset: fn() -> FixedOffset,
}

/// How the console ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The exit status.
    pub status: u8,
    /// What the person should still read, on standard error.
    pub lines: Vec<String>,
}

/// The console at work.
pub struct Console<T, W> {
    app: App,
    terminal: T,
    screen: Screen<W>,
    executor: Executor,
    orders: mpsc::Sender<Order>,
    events: mpsc::Sender<Event>,
    preferences: Preferences,
    drafts: Drafts,
    editor: Editor,
    now: fn() -> DateTime<Utc>,
    offset: fn() -> FixedOffset,
    stopped: bool,
    /// When the terminal was asked for its ground, until it has said all that it will say.
    asked: Option<Instant>,
    ended: Option<Ended>,
}

impl<T: Terminal, W: io::Write> Console<T, W> {
    /// Starts the console and its polling task, and asks its first questions.
    pub fn new(start: Start, terminal: T, out: W, events: mpsc::Sender<Event>) -> Self {
        let size = terminal.size();
        let mut executor = Executor::new(start.connect);
        let (orders, ordered) = mpsc::channel(8);
        tokio::spawn(poll::run(start.settings.poll, executor.service(), ordered, events.clone(), start.now));
        tokio::spawn(poll::watch_health(executor.service(), events.clone()));
        tokio::spawn(asleep::watch(start.now, events.clone()));
        if let Some(opening) = start.opening {
            executor.open(opening);
        }
        let (app, effects) = App::new(start.session, start.settings, size, (start.now)());
        let mut console = Console {
            app,
            terminal,
            screen: Screen::new(out, size),
            executor,
            orders,
            events,
            preferences: start.preferences,
            drafts: Drafts::default(),
            editor: start.editor,
            now: start.now,
            offset: start.offset,
            stopped: false,
            asked: None,
            ended: None,
        };
        console.run(effects);
        if let Some(last) = start.last {
            console.tell(Msg::Pushed(Push::LastQueue(Box::new(last))));
        }
        console
    }

    /// Works until the console has ended.
    pub async fn work(mut self, mut events: mpsc::Receiver<Event>) -> Ended {
        self.hear_ground(&mut events, GROUND_WAIT).await;
        loop {
            if let Some(ended) = self.ended.take() {
                return self.close(ended, events).await;
            }
            self.draw();
            tokio::select! {
                event = events.recv() => self.hear(event.unwrap_or(Event::HungUp)),
                done = self.executor.next() => self.settle(done),
            }
            for _ in 0..BATCH {
                match (events.try_recv(), self.executor.try_next()) {
                    (Err(_), None) => break,
                    (event, done) => {
                        event.into_iter().for_each(|event| self.hear(event));
                        done.into_iter().for_each(|done| self.settle(done));
                    }
                }
            }
        }
    }

    async fn close(mut self, mut ended: Ended, mut events: mpsc::Receiver<Event>) -> Ended {
        signals::loop_ends();
        self.keep_drafts();
        self.finish_writes().await;
        if let Some(last) = self.app.last_queue() {
            self.executor.keep(Keep::Queue(Box::new(last)));
        }
        // What the terminal still has to say is not typed into the shell.
        self.hear_ground(&mut events, ANSWER_LIMIT).await;
        let (sent, waiting) = (self.executor.writes_under_way(), self.executor.writes_waiting());
        ended.lines.extend(signals::cut_off(sent, waiting));
        ended.lines.extend(self.app.closing_lines().iter().map(|line| text::sanitize_line(line).into_owned()));
        drop(self.terminal);
        // The person has the shell back in any case; a signal's hard end comes later than this.
        let last = tokio::time::timeout(CLOSING, self.executor.close()).await.unwrap_or_default();
        ended.lines.extend(last.iter().map(|line| format!("gantry: {}", text::sanitize_line(line))));
        ended
    }

    /// Writes that were meant are sent and answered before the end, as far as that takes no longer than a moment.
    async fn finish_writes(&mut self) {
        let until = Instant::now() + ANSWERED;
        while self.executor.writes_under_way() + self.executor.writes_waiting() > 0 {
            let Ok(done) = tokio::time::timeout_at(until, self.executor.next()).await else { return };
            self.settle(done);
        }
    }

    /// Asks the terminal for its ground, where that makes a difference.
    pub fn asking_ground(mut self) -> Self {
        let theme = self.app.theme();
        if theme.depth > ColorDepth::None && self.screen.raw(ASK_GROUND).is_ok() {
            self.asked = Some(Instant::now());
        }
        self
    }

    /// Goes on with what happens until the terminal has answered, at most so long after it was asked.
    async fn hear_ground(&mut self, events: &mut mpsc::Receiver<Event>, limit: Duration) {
        while let Some(asked) = self.asked {
            let Ok(event) = tokio::time::timeout_at(asked + limit, events.recv()).await else { return };
            let Some(event) = event else { return };
            let is_told = matches!(event, Event::Msg(Msg::Ground(_)));
            self.hear(event);
            if is_told && limit == GROUND_WAIT {
                return;
            }
        }
    }

    fn draw(&mut self) {
        if self.stopped {
            return;
        }
        self.app.arrange();
        let app = &self.app;
        if self.screen.frame(|buf| app.draw(buf)).is_err() {
            self.end(signals::HANGUP.status(), None);
        }
    }

    fn hear(&mut self, event: Event) {
        match event {
            Event::Msg(msg) => self.tell(msg),
            Event::Keep => self.keep_drafts(),
            Event::Resized => self.resize(),
            Event::Stop => self.stop(),
            Event::Continued => {
                self.terminal.go_on();
                self.stopped = false;
                self.resize();
                self.tell(Msg::Resumed);
            }
            Event::Ended(signal) => self.end_by(signal),
            Event::HungUp => self.end(signals::HANGUP.status(), None),
        }
    }

    fn settle(&mut self, done: Done) {
        match done {
            Done::Opened(Ok(_)) => {}
            Done::Opened(Err(failure)) => {
                self.end(exit_status(&failure), Some(format!("gantry: {}", text::sanitize_line(&failure.message))));
            }
            Done::Exporting(token, progress) => self.tell(Msg::Pushed(Push::Exporting(token, progress))),
            Done::Replied(token, result) => self.tell(Msg::Replied(token, result)),
        }
        for note in self.executor.notes() {
            self.tell(Msg::Pushed(Push::Said(note)));
        }
        if let Some(why) = self.executor.held() {
            self.tell(Msg::Pushed(Push::Unkept(why)));
        }
    }

    fn tell(&mut self, msg: Msg) {
        if msg == Msg::Ground(None) {
            self.asked = None;
        }
        self.app.set_offset((self.offset)());
        let effects = self.app.update(msg, (self.now)());
        self.run(effects);
    }

    fn run(&mut self, effects: Vec<Effect>) {
        self.run_all(effects);
        signals::writes_are(self.executor.writes_under_way(), self.executor.writes_waiting());
    }

    fn run_all(&mut self, effects: Vec<Effect>) {
        // The calls beside it are to be sent as well.
        if effects.contains(&Effect::Poll)
            && let Some(service) = &*self.executor.service().borrow()
        {
            service.try_again();
        }
        for effect in effects {
            match effect {
                Effect::Call { token, slot, call } => self.executor.call(token, slot, call, self.app.reason()),
                Effect::Journal { slot, op, wish, words, change } => {
                    let op = op.unwrap_or_else(Uuid::now_v7);
                    let (at, reason) = ((self.now)(), self.app.reason().to_owned());
                    self.executor.journal(
                        slot,
                        JournalEntry { op, at, cause: wish, original_op: None, reason, description: words, change },
                    );
                }
                Effect::Applied { slot, change } => self.executor.applied(&slot, change),
                Effect::Verified { status, gone, not_gone } => self.executor.verified(status, gone, not_gone),
                Effect::SendUnkept => self.executor.send_unkept(),
                Effect::Cancel(slot) => self.executor.cancel(slot),
                Effect::Wait { timer, after } => self.later(after, Event::Msg(Msg::Elapsed(timer))),
                Effect::Remember(name, value) => self.preferences.remember(&name, value),
                Effect::Keep { name, typed } => {
                    if let Some(after) = self.drafts.take(name, (self.now)(), typed) {
                        self.later(after, Event::Keep);
                    }
                }
                Effect::KeepQueue(queue) => self.executor.keep(Keep::Queue(queue)),
                Effect::Ran { run, from } => self.executor.keep(Keep::Ran(run, from)),
                Effect::Copy(text) => match desktop::copy(&text) {
                    Some(bytes) => drop(self.screen.raw(&bytes)),
                    None => self.unable(format!("nothing was copied: {} bytes are too many for a clipboard", text.len())),
                },
                Effect::Notify(text) => drop(self.screen.raw(&desktop::notification(&text))),
                Effect::Open(url) => {
                    let (events, page) = (self.events.clone(), url.clone());
                    let not_opened = move |why| {
                        drop(events.blocking_send(Event::Msg(Msg::Pushed(Push::NotOpened { url: page, why }))));
                    };
                    if let Err(error) = desktop::open(&url, not_opened) {
                        self.tell(Msg::Pushed(Push::NotOpened { url, why: error.to_string() }));
                    }
                }
                Effect::Poll => drop(self.orders.try_send(Order::Now)),
                Effect::PollEvery(every) => drop(self.orders.try_send(Order::Every(every))),
                Effect::Mouse(on) => self.terminal.mouse(on),
                Effect::Edit(text) => self.edit(&text),
                Effect::Suspend => self.stop(),
                Effect::Repaint => self.screen.forget(),
                Effect::Quit => self.end(self.app.exit_status(), None),
            }
        }
    }

    fn unable(&mut self, why: String) {
        self.tell(Msg::Pushed(Push::Unable(why)));
    }

    /// The terminal and the keys are the editor's until it ends; what happens meanwhile waits.
    fn edit(&mut self, text: &str) {
        let lent = input::lend();
        self.terminal.give();
        let edited = self.editor.edit(text, self.app.edit_max());
        self.terminal.go_on();
        drop(lent);
        self.resize();
        self.screen.forget();
        self.tell(Msg::Edited(edited));
    }

    fn later(&self, after: Duration, event: Event) {
        let events = self.events.clone();
        tokio::spawn(async move {
            tokio::time::sleep(after).await;
            let _ = events.send(event).await;
        });
    }

    fn keep_drafts(&mut self) {
        for (name, (at, typed)) in self.drafts.due() {
            self.executor.keep(Keep::Typed(name, at, typed));
        }
    }

    fn resize(&mut self) {
        let size = self.terminal.size();
        self.screen.resize(size);
        self.tell(Msg::Resized(size.0, size.1));
    }

    fn stop(&mut self) {
        self.stopped = true;
        self.terminal.stop();
    }

    fn end_by(&mut self, signal: Signal) {
        signals::loop_ends();
        self.end(signal.status(), Some(format!("gantry ended by {}", signal.name)));
    }

    /// The first reason to end is the one that counts.
    fn end(&mut self, status: u8, line: Option<String>) {
        self.ended.get_or_insert_with(|| Ended { status, lines: line.into_iter().collect() });
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

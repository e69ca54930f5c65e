//! Drives the console app: calls are answered one by one when the test says so, and every write
//! must have been intended.

use gantry::app::build_keymap;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use chrono::{DateTime, Duration, Utc};
use crossterm::event::{KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use gantry::app::all_commands;
use gantry::app::command::Command;
use gantry::app::command::keymap::{KeyLookup, Keymap};
use gantry::app::command::keys::Key;
use gantry::app::effect::{Effect, ServiceCall, Slot};
use gantry::app::msg::{Msg, Push, Reply, Timer, Token};
use gantry::app::{AppSettings, Console, ConsoleSession};
use gantry::domain::journal::{EntryCause, JournalChange, JournalEntry};
use gantry::domain::request_error::{RequestError, RequestErrorKind};
use gantry::runtime::backend::{Backend, CallContext, LocalWrite};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use uuid::Uuid;

use crate::fixture::CLOCK_START;
use crate::recording_proxy::{RecordedRequest, RecordingProxy};

/// Writes on at least this many items require a confirmation.
const BULK_CONFIRMATION_MIN: usize = 20;

/// A console.
pub struct ConsoleDriver {
    /// The app.
    pub app: Console,
    /// It has asked to quit.
    pub has_quit: bool,
    /// Violations, in order.
    pub violations: Vec<String>,
    backend: Arc<dyn Backend>,
    proxy: Option<Arc<RecordingProxy>>,
    keymap: Arc<Keymap>,
    now: DateTime<Utc>,
    size: (u16, u16),
    pending: Vec<PendingCall>,
    poll: bool,
    /// When each timer fires.
    timers: Vec<(DateTime<Utc>, Timer)>,
    action_ids: HashMap<Slot, Uuid>,
    journaled_slots: HashSet<Slot>,
    read_only: bool,
    key_sequence: Vec<Key>,
    /// Commands that write and were intended, and whether a question was answered since.
    permitted_writes: Vec<(&'static str, bool)>,
    /// The command that opened the current question.
    last_command: Option<&'static Command>,
    /// An arrow key selected a line of the palette.
    palette_line_chosen: bool,
    /// The privacy screen is shown: the next key only closes it.
    is_blank: bool,
    /// The screen on which the annotation form was last applied.
    confirmed_screen: String,
    /// What was journaled since somebody asked, and why it was written.
    journaled: Vec<(EntryCause, JournalChange)>,
    /// The latest events, for the failure report.
    recent_events: VecDeque<String>,
}

struct PendingCall {
    token: Token,
    slot: Slot,
    call: Option<ServiceCall>,
    context: CallContext,
    result: Option<Result<Reply, RequestError>>,
    writes: bool,
}

impl ConsoleDriver {
    /// A console at its start; requests through the proxy are compared with what was intended.
    pub fn new(
        way: Arc<dyn Backend>,
        tap: Option<Arc<RecordingProxy>>,
        read_only: bool,
        size: (u16, u16),
    ) -> ConsoleDriver {
        let now = CLOCK_START.parse().unwrap();
        let session = ConsoleSession {
            label: "soak".to_owned(),
            connected: true,
            read_only,
            is_dashboard_only: false,
        };
        let settings = AppSettings {
            is_clock_simulated: true,
            ..AppSettings::default()
        };
        let keymap = build_keymap(&settings.key_overrides);
        let (app, effects) = Console::new(session, settings, size, now);
        let mut machine = ConsoleDriver {
            app,
            has_quit: false,
            violations: Vec::new(),
            backend: way,
            proxy: tap,
            keymap,
            now,
            size,
            pending: Vec::new(),
            poll: true,
            timers: Vec::new(),
            action_ids: HashMap::new(),
            journaled_slots: HashSet::new(),
            read_only,
            key_sequence: Vec::new(),
            permitted_writes: Vec::new(),
            last_command: None,
            palette_line_chosen: false,
            is_blank: false,
            confirmed_screen: String::new(),
            journaled: Vec::new(),
            recent_events: VecDeque::new(),
        };
        machine.handle_effects(effects);
        machine
    }

    /// The text on the screen.
    pub fn screen(&self) -> String {
        let mut buf = Buffer::empty(Rect::new(0, 0, self.size.0, self.size.1));
        self.app.draw(&mut buf);
        let width = usize::from(self.size.0.max(1));
        let lines = buf
            .content()
            .chunks(width)
            .map(|row| row.iter().map(|cell| cell.symbol()).collect::<String>());
        lines
            .map(|line| line.trim_end().to_owned())
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// Records a violation.
    pub fn report_violation(&mut self, what: impl Into<String>) {
        let trail: Vec<&str> = self.recent_events.iter().map(String::as_str).collect();
        self.violations
            .push(format!("{}\n    after {}", what.into(), trail.join(" ")));
    }

    fn record_event(&mut self, what: impl Into<String>) {
        self.recent_events.push_back(what.into());
        if self.recent_events.len() > 30 {
            self.recent_events.pop_front();
        }
    }

    /// Presses a key.
    pub fn press_key(&mut self, event: KeyEvent) {
        self.record_event(Key::from(event).to_string());
        if std::mem::take(&mut self.is_blank) {
            return self.send(Msg::Key(event));
        }
        let (asked, key) = (self.app.has_open_question(), Key::from(event));
        let meant = if asked {
            None
        } else {
            self.command_for_key(key)
        };
        if let Some(command) = meant {
            if self.pending.is_empty() && !may_write(command) {
                self.permitted_writes.clear();
            }
            if may_write(command) {
                self.permitted_writes.push((command.id, false));
            }
            // The form shows how many of how many it changes, and its own key confirms it.
            if command.id == "form.apply" {
                self.confirmed_screen = self.screen();
            }
            self.last_command = Some(command);
        }
        let is = |name: &str| Some(key) == Key::parse(name);
        let in_palette = asked
            && self
                .last_command
                .is_some_and(|command| command.id == "palette");
        let moves = [
            "Down",
            "Up",
            "Tab",
            "Shift-Tab",
            "PgDn",
            "PgUp",
            "Ctrl-n",
            "Ctrl-p",
        ]
        .into_iter()
        .any(is);
        // A line of the palette selected by an arrow counts like its key; one selected by default
        // does not.
        self.palette_line_chosen =
            in_palette && (moves || (self.palette_line_chosen && is("Enter")));
        let answers = asked && !["Esc", "q", "n", "Ctrl-c"].into_iter().any(is);
        self.now += Duration::milliseconds(70);
        let effects = self.app.update(Msg::Key(event), self.now);
        self.is_blank = self.app.request_reason() == "blank";
        if in_palette && is("Enter") {
            let ran = self.app.request_reason();
            if let Some(command) =
                all_commands().find(|command| command.id == ran && ran != "palette")
            {
                if may_write(command) && self.palette_line_chosen {
                    self.permitted_writes.push((command.id, false));
                }
                self.last_command = Some(command);
            }
        } else if answers && let Some(last) = self.permitted_writes.last_mut() {
            last.1 |= is("Enter");
        }
        self.handle_effects(effects);
    }

    /// The command bound to a key, if nothing is open.
    fn command_for_key(&mut self, key: Key) -> Option<&'static Command> {
        if Some(key) == Key::parse("Ctrl-c") {
            self.key_sequence.clear();
            return None;
        }
        self.key_sequence.push(key);
        match self.keymap.look_up(self.app.scope(), &self.key_sequence) {
            KeyLookup::Prefix => None,
            found => {
                self.key_sequence.clear();
                if let KeyLookup::Command(command) = found {
                    Some(command)
                } else {
                    None
                }
            }
        }
    }

    /// Clicks a cell: what is written there is intended.
    pub fn click(&mut self, column: u16, row: u16) {
        let line = self
            .screen()
            .lines()
            .nth(row.into())
            .unwrap_or_default()
            .to_owned();
        let kind = MouseEventKind::Down(MouseButton::Left);
        let event = MouseEvent {
            kind,
            column,
            row,
            modifiers: KeyModifiers::NONE,
        };
        self.record_event(format!("click({column},{row})"));
        let asked = self.app.has_open_question();
        self.now += Duration::milliseconds(70);
        let effects = self.app.update(Msg::Mouse(event), self.now);
        let ran = self.app.request_reason();
        self.is_blank |= ran == "blank";
        if !asked && let Some(command) = all_commands().find(|command| command.id == ran) {
            let words = self.app.hint_text(command).unwrap_or(command.title);
            let is_written = line.contains(words) || line.contains(command.title);
            if may_write(command) && is_written {
                self.permitted_writes.push((command.id, false));
            }
            self.last_command = Some(command);
        }
        self.handle_effects(effects);
    }

    /// Sends any other message.
    pub fn send(&mut self, msg: Msg) {
        if let Msg::Resized(width, height) = msg {
            self.size = (width, height);
        }
        self.now += Duration::milliseconds(70);
        let effects = self.app.update(msg, self.now);
        self.handle_effects(effects);
    }

    /// Advances the time by a minute.
    pub fn advance_minute(&mut self) {
        self.now += Duration::minutes(1);
        self.poll = true;
        self.fire_timers();
    }

    /// Fires the timers that are due.
    fn fire_timers(&mut self) {
        let now = self.now;
        while let Some(at) = self.timers.iter().position(|(due, _)| *due <= now) {
            let (_, timer) = self.timers.remove(at);
            self.send(Msg::Elapsed(timer));
        }
    }

    /// A poll is wanted.
    pub fn request_counts(&mut self) {
        self.poll = true;
    }

    /// The writes that were begun since the last call, and why.
    pub fn take_journaled(&mut self) -> Vec<(EntryCause, JournalChange)> {
        std::mem::take(&mut self.journaled)
    }

    /// Calls without a reply.
    pub fn pending_count(&self) -> usize {
        self.pending.len()
    }

    fn handle_effects(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Call {
                    token, slot, call, ..
                } => {
                    let writes = matches!(call, ServiceCall::Triage { .. } | ServiceCall::Write(_));
                    let is_journaled = |slot: &Slot| self.journaled_slots.contains(slot);
                    let are_acts_journaled = match &call {
                        ServiceCall::Triage { acts, .. } => {
                            acts.iter().all(|(slot, _)| is_journaled(slot))
                        }
                        _ => true,
                    };
                    if writes && !(is_journaled(&slot) && are_acts_journaled) {
                        self.report_violation(format!("a write was not journaled: {call:?}"));
                    }
                    if writes && self.read_only {
                        self.report_violation(format!("a read-only console writes: {call:?}"));
                    }
                    let op_of = |slot: &Slot| self.action_ids.get(slot).copied();
                    let why = CallContext::new(self.app.request_reason(), &slot, &call, op_of);
                    self.pending.push(PendingCall {
                        token,
                        slot,
                        call: Some(call),
                        context: why,
                        result: None,
                        writes,
                    });
                }
                Effect::JournalWrite {
                    slot,
                    op,
                    cause: wish,
                    description: words,
                    group,
                    change,
                } => {
                    if op.is_none() {
                        self.check_journaled_action(&words, &change);
                    }
                    self.journaled.push((wish.clone(), change.clone()));
                    self.journaled_slots.insert(slot.clone());
                    let op = op.unwrap_or_else(Uuid::now_v7);
                    self.action_ids.insert(slot, op);
                    let reason = self.app.request_reason().to_owned();
                    self.backend.record_entry(JournalEntry {
                        op,
                        at: self.now,
                        cause: wish,
                        original_op: None,
                        reason,
                        description: words,
                        group,
                        change,
                    });
                }
                Effect::JournalApplied {
                    slot,
                    change,
                    settles_interrupted,
                } => {
                    if let Some(op) = self.action_ids.get(&slot) {
                        self.backend.save_local(LocalWrite::AppliedChange {
                            op: *op,
                            change,
                            settles_interrupted,
                        });
                    }
                }
                Effect::JournalReconciled {
                    status,
                    applied: gone,
                    not_applied: not_gone,
                } => self.backend.record_reconciliation(status, gone, not_gone),
                Effect::SaveDraft {
                    name,
                    content: typed,
                } => self
                    .backend
                    .save_local(LocalWrite::Draft(name, self.now, typed)),
                Effect::Cancel(slot) => {
                    for pending in &mut self.pending {
                        let has_left = pending.result.is_some() && pending.writes;
                        if pending.slot == slot && !has_left {
                            let cancelled = RequestError {
                                kind: RequestErrorKind::Cancelled,
                                message: "cancelled".to_owned(),
                            };
                            (pending.call, pending.result) = (None, Some(Err(cancelled)));
                        }
                    }
                }
                Effect::SetTimer {
                    timer,
                    delay: after,
                } => {
                    let after = Duration::from_std(after).unwrap_or(Duration::MAX);
                    self.timers.push((
                        self.now
                            .checked_add_signed(after)
                            .unwrap_or(DateTime::<Utc>::MAX_UTC),
                        timer,
                    ));
                }
                Effect::Poll => self.poll = true,
                Effect::OpenEditor { purpose, text } => {
                    self.send(Msg::EditorClosed(
                        purpose,
                        Ok(format!("{text}\nA line of the editor.\n")),
                    ));
                }
                Effect::Quit => self.has_quit = true,
                _ => {}
            }
        }
    }

    /// A change starts: somebody intended it, and confirmed it if it concerns many items.
    fn check_journaled_action(&mut self, words: &str, change: &JournalChange) {
        let things = match change {
            JournalChange::Triage { signals, .. } => signals.len(),
            JournalChange::Write { things, .. } => *things,
            JournalChange::Snooze { changes } => changes.len(),
        };
        let is_stated = [format!("{things} of "), format!("all {things} change")]
            .iter()
            .any(|words| self.confirmed_screen.contains(words));
        let fits = |permit: &(&str, bool)| {
            things < BULK_CONFIRMATION_MIN || permit.1 || (permit.0 == "form.apply" && is_stated)
        };
        match self.permitted_writes.iter().position(fits) {
            Some(at) => drop(self.permitted_writes.remove(at)),
            None => {
                let why = if things < BULK_CONFIRMATION_MIN {
                    "without a key that writes"
                } else {
                    "without an answered question"
                };
                self.report_violation(format!(
                    "{words} ({things} things) {why}; {} meant {:?}",
                    self.app.request_reason(),
                    self.permitted_writes
                ));
            }
        }
    }

    /// Writes that passed the proxy since the last call.
    fn take_writes(&self) -> Vec<RecordedRequest> {
        let asked = self
            .proxy
            .as_ref()
            .map(|tap| tap.take_requests())
            .unwrap_or_default();
        asked.into_iter().filter(|asked| asked.writes).collect()
    }

    /// Lets the service handle the `nth` pending call; the console gets the reply later.
    pub async fn perform_call(&mut self, nth: usize) {
        let Some(pending) = self
            .pending
            .get_mut(nth)
            .filter(|pending| pending.result.is_none())
        else {
            return;
        };
        let Some(call) = pending.call.take() else {
            return;
        };
        let said = format!("{call:?}");
        let answer = match call {
            // These would go to this machine's disk, or to another service.
            ServiceCall::Export(_) | ServiceCall::SaveText { .. } | ServiceCall::Connect(_) => {
                Err(RequestError::new_not_sent("not in this test"))
            }
            ServiceCall::SetBudgets(budgets) => Ok(Reply::Budgets(budgets)),
            call => {
                self.backend
                    .clone()
                    .call(call, pending.context.clone())
                    .await
            }
        };
        let may_write = pending.writes && !self.read_only;
        pending.result = Some(answer);
        for asked in self.take_writes().into_iter().filter(|_| !may_write) {
            self.report_violation(format!("{} was sent for {said}", asked.line));
        }
    }

    /// Gives the console the result of the `nth` call, if it is known.
    pub fn deliver_result(&mut self, nth: usize) {
        if self
            .pending
            .get(nth)
            .is_some_and(|pending| pending.result.is_some())
        {
            let pending = self.pending.remove(nth);
            let word = if matches!(pending.result, Some(Err(_))) {
                "failed"
            } else {
                "answered"
            };
            self.record_event(format!("<{word} {:?}>", pending.slot));
            self.send(Msg::Replied(pending.token, pending.result.unwrap()));
        }
    }

    /// Polls the counts, if wanted.
    pub async fn poll(&mut self) {
        if !std::mem::take(&mut self.poll) {
            return;
        }
        // Time passes here and not in the service, so the clocks are taken to agree.
        let result = self.backend.clone().queue_stats().await;
        for asked in self.take_writes() {
            self.report_violation(format!("{} was sent by a poll", asked.line));
        }
        self.record_event("<poll>");
        self.send(Msg::Pushed(Push::Stats {
            result: result.map(|(stats, _)| stats),
            skew: Duration::zero(),
        }));
    }

    /// Advances the time: each reply takes a while, timers fire when due, and polls are a second
    /// apart.
    pub async fn run_for(&mut self, time: Duration) {
        let (end, mut polled) = (self.now + time, DateTime::<Utc>::MIN_UTC);
        while self.now < end {
            self.fire_timers();
            if self.poll && self.now - polled >= Duration::seconds(1) {
                polled = self.now;
                self.poll().await;
            } else if self.pending.is_empty() {
                let next = self
                    .timers
                    .iter()
                    .map(|(due, _)| *due)
                    .min()
                    .unwrap_or(end)
                    .min(end);
                let poll = if self.poll {
                    polled + Duration::seconds(1)
                } else {
                    end
                };
                self.now = next.min(poll).max(self.now + Duration::milliseconds(1));
            } else {
                self.now += Duration::milliseconds(30);
                self.perform_call(0).await;
                self.deliver_result(0);
            }
        }
    }

    /// Answers all pending calls and all that follow; reports it if they never end.
    pub async fn run_until_idle(&mut self) {
        for _ in 0..300 {
            self.poll().await;
            if self.pending.is_empty() {
                if self.poll {
                    continue;
                }
                return;
            }
            self.perform_call(0).await;
            self.deliver_result(0);
        }
        let asked: Vec<String> = self
            .pending
            .iter()
            .map(|pending| format!("{:?}", pending.slot))
            .collect();
        self.report_violation(format!("it never stops asking: {asked:?}"));
    }
}

/// Besides the commands that write: a snooze changes nothing for others and is journaled all the
/// same, and the undo list undoes the line that Enter chooses.
fn may_write(command: &Command) -> bool {
    command.writes || command.id.ends_with(".snooze") || command.id == "undo.list"
}

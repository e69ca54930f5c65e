//! Keys, pastes and the mouse: from an event to a command.

use std::time::Duration;

use crossterm::event::{KeyEvent, KeyEventKind, MouseButton, MouseEvent, MouseEventKind};

use super::arrange::Spot;
use super::command::keys::Key;
use super::command::{self, Command, Lookup, Scope};
use super::msg::Timer;
use super::notice::Notice;
use super::overlay::Outcome;
use super::panes::detail::{self, commands::tabs};
use super::{App, Effect, Screen};
use crate::ui::field::Field;

/// A prefix shows what may follow after this.
const WHICH_KEY: Duration = Duration::from_millis(400);
/// Within this a second Ctrl-c quits.
const QUIT_AGAIN: Duration = Duration::from_secs(2);

impl App {
    pub(super) fn key(&mut self, event: KeyEvent) {
        if event.kind == KeyEventKind::Release {
            return;
        }
        let key = Key::from(event);
        if self.is_cancel(key) {
            return self.cancel();
        }
        if let Some(mut overlay) = self.overlay.take() {
            return match overlay.key(key, self) {
                Outcome::Stay => self.overlay = Some(overlay),
                Outcome::Close => {}
                Outcome::Run(command) => self.run(command),
                Outcome::Filter(filter) => self.queue.set_filter(filter),
            };
        }
        if let Some(field) = self.queue.finding.take() {
            return self.key_in_find(field, key);
        }
        if self.screen == Screen::Start {
            return self.key_at_start(key);
        }
        self.pressed.push(key);
        match command::look_up(self.scope(), &self.pressed) {
            Lookup::Command(command) => {
                self.forget_prefix();
                self.run(command);
            }
            Lookup::Prefix => {
                self.prefixes += 1;
                self.out.push(Effect::Wait { timer: Timer::WhichKey(self.prefixes), after: WHICH_KEY });
            }
            Lookup::Nothing => {
                let was_sequence = self.pressed.len() > 1;
                self.forget_prefix();
                if was_sequence {
                    self.notice = Some(Notice::note("no command there").with("? help"));
                }
            }
        }
    }

    fn is_cancel(&self, key: Key) -> bool {
        Some(key) == Key::parse("Ctrl-c")
    }

    fn forget_prefix(&mut self) {
        self.pressed.clear();
        self.showing_continuations = false;
    }

    /// Runs a command, or says why it does not hold.
    pub fn run(&mut self, command: &'static Command) {
        match (command.can)(self) {
            Ok(()) => {
                self.reason = command.id;
                (command.run)(self);
            }
            Err(reason) => self.notice = Some(Notice::warn(format!("{}: {reason}", command.title))),
        }
        self.visit();
    }

    /// The row under the cursor was seen: it is no longer marked as new.
    fn visit(&mut self) {
        if let Some(id) = self.queue.shown().current().map(|row| row.signal.id) {
            self.visited.insert(id);
        }
    }

    fn key_in_find(&mut self, mut field: Field, key: Key) {
        match key {
            key if Some(key) == Key::parse("Esc") => {}
            key if Some(key) == Key::parse("Enter") => {
                self.queue.find = field.text().trim().to_owned();
                if !self.queue.find.is_empty() {
                    self.find(true);
                }
            }
            key => {
                field.key(key.event());
                self.queue.finding = Some(field);
            }
        }
    }

    pub(super) fn paste(&mut self, text: &str) {
        if let Some(overlay) = &mut self.overlay {
            overlay.paste(text);
        } else if let Some(field) = &mut self.queue.finding {
            field.paste(text);
        } else if self.screen == Screen::Start {
            self.start.paste(text);
        } else {
            self.notice = Some(Notice::note("a paste does nothing here; / finds, f filters"));
        }
    }

    pub(super) fn mouse(&mut self, event: MouseEvent) {
        let at = (event.column, event.row).into();
        let wheel = match event.kind {
            MouseEventKind::ScrollDown => 3,
            MouseEventKind::ScrollUp => -3,
            MouseEventKind::Down(MouseButton::Left) => 0,
            _ => return,
        };
        if self.overlay.is_some() {
            if wheel == 0 {
                self.overlay = None;
            }
            return;
        }
        if self.screen == Screen::Start {
            return;
        }
        match self.areas.spot(at) {
            Some(Spot::Row(line)) if wheel == 0 => self.click_row(line),
            Some(Spot::Tab(tab)) if wheel == 0 => self.queue.tab = tab,
            Some(Spot::DetailTab(tab)) if wheel == 0 => self.show_detail_tab(tab),
            Some(Spot::Hint(command)) if wheel == 0 => self.run(command),
            Some(Spot::Preview) if wheel != 0 => {
                self.queue.preview.top = self.queue.preview.top.saturating_add_signed(wheel);
            }
            _ if wheel != 0 => self.step(isize::from(wheel)),
            _ => {}
        }
    }

    /// A click goes to a row; a click on the row that has the cursor opens it.
    fn click_row(&mut self, line: usize) {
        let command = match self.screen {
            Screen::Detail => {
                if let Some(detail) = &mut self.detail {
                    detail.timeline.cursor = line;
                    detail.on_timeline = true;
                }
                return;
            }
            _ if self.queue.shown().scroll.cursor == line => "queue.open",
            _ => {
                self.queue.shown_mut().scroll.cursor = line;
                return self.visit();
            }
        };
        if let Some(command) = command::table().find(|row| row.id == command) {
            self.run(command);
        }
    }

    pub(super) fn elapsed(&mut self, timer: Timer) {
        match timer {
            Timer::WhichKey(prefix) if prefix == self.prefixes && !self.pressed.is_empty() => self.showing_continuations = true,
            Timer::QuitArmed(armed) if armed == self.quit_armed => self.quit_armed += 1,
            _ => {}
        }
    }

    /// Moves the cursor of what has the keys by rows.
    pub fn step(&mut self, rows: isize) {
        if self.screen != Screen::Detail && self.queue.preview.focused && !self.areas.preview.is_empty() {
            let rows = rows.clamp(-1_000, 1_000);
            let top = isize::try_from(self.queue.preview.top).unwrap_or(0).saturating_add(rows).max(0);
            self.queue.preview.top = u16::try_from(top).unwrap_or(u16::MAX);
            return;
        }
        if self.screen != Screen::Detail {
            let tab = self.queue.shown_mut();
            let len = tab.len();
            tab.scroll.step(rows, len);
            self.queue.preview.top = 0;
            return;
        }
        let (on_timeline, entries) = (self.areas.keys_on_timeline, self.areas.entries);
        if let Some(detail) = &mut self.detail {
            if on_timeline {
                detail.timeline.step(rows, entries);
            } else {
                detail.top = detail.top.saturating_add_signed(rows);
            }
        }
    }

    /// Moves by pages, or by a part of one.
    pub fn step_pages(&mut self, pages: isize, part: isize) {
        let rows = isize::try_from(self.areas.rows.height.max(1)).unwrap_or(1);
        self.step(pages * (rows / part).max(1));
    }

    /// Goes to the next or previous tab of the pane.
    pub fn turn(&mut self, forward: bool) {
        match (self.screen, &self.detail) {
            (Screen::Detail, Some(detail)) => {
                let tabs = tabs(self);
                let at = tabs.iter().position(|tab| *tab == detail.tab).unwrap_or(0);
                let to = if forward { at + 1 } else { at + tabs.len() - 1 };
                self.show_detail_tab(tabs[to % tabs.len()]);
            }
            _ => {
                self.queue.tab = self.queue.tab.other();
                self.queue.preview.top = 0;
            }
        }
    }

    fn show_detail_tab(&mut self, tab: detail::Tab) {
        if let Some(detail) = &mut self.detail {
            detail.tab = tab;
            detail.top = 0;
            detail.on_timeline = false;
        }
        self.read_raw();
    }

    /// Closes what is open, then unmarks, then goes back a level; never quits.
    pub fn back(&mut self) {
        if self.queue.preview.focused && self.screen == Screen::Queue {
            self.queue.preview.focused = false;
            return;
        }
        let tab = self.queue.shown_mut();
        match self.screen {
            Screen::Detail => self.screen = Screen::Queue,
            _ if tab.range.is_some() => tab.range = None,
            _ if !tab.marks.is_empty() => tab.marks.clear(),
            _ => self.notice = None,
        }
    }

    /// Closes the screen; on the first one, quits, but not over writes that are on their way.
    pub fn close(&mut self) {
        match self.screen {
            Screen::Detail => self.screen = Screen::Queue,
            _ if self.acts.open.is_empty() => self.out.push(Effect::Quit),
            _ => {
                let waiting: usize = self.acts.open.iter().map(super::acts::Act::waiting).sum();
                self.notice = Some(
                    Notice::warn(format!("{} still on their way", super::format::plural(waiting, "signal")))
                        .with("Ctrl-c twice quits all the same"),
                );
            }
        }
    }

    /// Gives up what runs; a second time within two seconds, quits.
    pub fn cancel(&mut self) {
        let armed = self.quit_armed % 2 == 1;
        if armed {
            self.out.push(Effect::Quit);
            return;
        }
        self.quit_armed += 1;
        self.out.push(Effect::Wait { timer: Timer::QuitArmed(self.quit_armed), after: QUIT_AGAIN });
        self.forget_prefix();
        let running = !self.acts.open.is_empty() || self.dossier_ask.is_some();
        self.cancel_acts();
        if self.dossier_ask.is_some() {
            self.out.push(Effect::Cancel(super::effect::Slot::Dossier));
        }
        let text = if running { "given up; what was sent is waited for" } else { "nothing is running" };
        self.notice = Some(Notice::note(text).with("Ctrl-c again quits"));
    }
}

/// The commands of a pane and of everywhere that hold a place in the hint line, in order.
pub fn hints(scope: Scope) -> Vec<&'static Command> {
    let mut hints: Vec<_> =
        command::table().filter(|row| row.hint > 0 && (row.scope == scope || row.scope == Scope::Everywhere)).collect();
    hints.sort_by_key(|row| row.hint);
    hints
}

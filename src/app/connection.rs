//! Whether the service answers: one state, always on the screen.

use chrono::{DateTime, Duration, Utc};

use super::effect::{Call, Effect, Slot};
use super::notice::Notice;
use super::{App, Screen, msg::Token, overlay::Overlay};
use crate::domain::failure::{Failure, Kind};
use crate::domain::health::Health;
use crate::domain::queue::{QueueSignal, QueueStats};

/// What is known of the connection.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Connection {
    /// How the service answers.
    pub health: Health,
    /// How far its clock is ahead.
    pub skew: Duration,
    /// When the counts were read last.
    pub stats_at: Option<DateTime<Utc>>,
    heard_once: bool,
}

impl App {
    /// Whether there is a service to ask.
    pub fn is_connected(&self) -> bool {
        self.session.connected
    }

    /// Takes note of an answer or of a failure to get one. How the service answers, the client tells by itself.
    pub(super) fn heard(&mut self, failure: Option<&Failure>) {
        let Some(failure) = failure else {
            self.connection.heard_once = true;
            return;
        };
        if !matches!(failure.kind, Kind::Cancelled | Kind::OverBudget) && !self.connection.heard_once && self.is_connected() {
            self.leave(failure);
        }
    }

    /// A service that was never heard of is a wrong address, token or plan: the program says so and ends.
    fn leave(&mut self, failure: &Failure) {
        self.exit.status = match failure.status() {
            Some(401 | 403) => 3,
            Some(404) => 4,
            Some(_) => 1,
            None => 5,
        };
        self.exit.line = Some(format!("gantry: {}", failure.message));
        self.out.push(Effect::Quit);
    }

    /// Takes the counts, or why there are none.
    pub(super) fn polled(&mut self, result: Result<QueueStats, Failure>, skew: Duration) {
        match result {
            Ok(stats) => {
                self.heard(None);
                self.connection.skew = skew;
                self.opened_at.get_or_insert(self.service_now());
                self.connection.stats_at = Some(self.now);
                let counts = (stats.new_count, stats.done_count);
                if self.acts.open.is_empty() {
                    let stale = self.queue.counts.is_some_and(|known| known != counts);
                    self.queue.new.stale |= stale;
                    self.queue.done.stale |= stale;
                    self.queue.counts = Some(counts);
                }
                self.watch_poll(&stats);
                self.stats = Some(stats);
                self.read_wall();
                for tab in [&mut self.queue.new, &mut self.queue.done] {
                    tab.try_again();
                }
                if !self.meta_asked && !self.session.watches {
                    self.call(Slot::Past, Call::Past);
                    self.ask_meta();
                }
                self.verify_if_due();
            }
            Err(failure) => {
                self.watch.polls.1 += 1;
                self.heard(Some(&failure));
            }
        }
    }

    /// Asks for what stands in the header and explains names: all free, none of it polled.
    pub fn ask_meta(&mut self) {
        self.meta_asked = true;
        self.call(Slot::Workspace, Call::Workspace);
        self.call(Slot::Members, Call::Members);
        self.call(Slot::Credits, Call::Credits);
    }

    /// Credits were spent: the meter moves at once, and is read again when the price was not told.
    pub(super) fn spent(&mut self, credits: Option<u64>) {
        self.spending.book(credits.unwrap_or(0));
        match (credits, &mut self.credits) {
            (Some(spent), Some(meter)) => {
                meter.used = meter.used.map(|used| used + spent);
                meter.remaining = meter.remaining.map(|left| left.saturating_sub(spent));
            }
            _ => {
                self.call(Slot::Credits, Call::Credits);
            }
        }
    }

    /// Says what failed and why.
    pub(super) fn failed(&mut self, what: &str, failure: &Failure) {
        self.notice = Some(Notice::bad(format!("{what}: {}", failure.message)).with("{refresh} tries again"));
    }

    /// Says why a signal has its priority: from the workspace's subscriptions, which are read once and on each question.
    pub fn explain_priority(&mut self, row: Option<QueueSignal>) {
        let Some(row) = row else { return };
        let token = self.call(Slot::Subscriptions, Call::Subscriptions);
        self.overlay = Some(Overlay::why(&row, None));
        self.why = Some((token, row));
    }

    /// The subscriptions are read: a priority that was asked about can be explained.
    pub(super) fn explained(&mut self, token: Token) {
        if let Some((_, row)) = self.why.take_if(|(asked, _)| *asked == token)
            && matches!(self.overlay, Some(Overlay::Why(_)))
        {
            self.overlay = Some(Overlay::why(&row, Some(&self.subscriptions.list)));
        }
    }

    pub(super) fn why_failed(&mut self, token: Token, failure: &Failure) -> bool {
        if self.why.take_if(|(asked, _)| *asked == token).is_none() {
            return false;
        }
        self.overlay = None;
        self.failed("the subscriptions could not be read", failure);
        true
    }

    /// The first screen's choice was reached, or not.
    pub(super) fn connected(&mut self, token: Token, result: Result<String, Failure>) {
        if !self.start.take(token) {
            return;
        }
        match result {
            Ok(label) => {
                self.session.label = label;
                self.session.connected = true;
                self.screen = Screen::Queue;
                self.notice = None;
                self.out.push(Effect::Poll);
            }
            Err(failure) => self.start.failed(&failure),
        }
    }

    pub(super) fn start_failed(&mut self, token: Token, failure: Failure) -> bool {
        let ours = self.start.is_waiting_for(token);
        self.connected(token, Err(failure));
        ours
    }
}

#[cfg(test)]
mod tests {
    use crate::app::msg::{Msg, Push};
    use crate::app::testing::{Console, morning};

    #[test]
    fn what_this_machine_could_not_do_is_said() {
        let why = "no browser could be started (not found); the page is https://permits.example.gov/1";
        let console = Console::over(morning()).send(Msg::Pushed(Push::Unable(why.to_owned())));
        assert!(console.screen().contains(why), "{}", console.screen());
    }
}

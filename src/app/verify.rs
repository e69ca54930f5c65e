//! What became of signals whose triage broke off: read, never guessed.
//!
//! A write that broke may or may not have been applied. When the service answers again, the list that the signals came from is
//! read page by page until each was found there (not applied: it stays marked) or the list ends (applied: it leaves).

use std::collections::HashSet;

use chrono::{DateTime, Utc};

use super::App;
use super::effect::{Call, Effect, Slot};
use super::format::{count, plural};
use super::msg::Token;
use super::notice::Notice;
use super::panes::queue::Tab;
use crate::domain::SignalId;
use crate::domain::failure::RequestError;
use crate::domain::pages::Page;
use crate::domain::queue::{MAX_QUEUE_PAGE_ROWS, QueueFilter, QueueSignal, TriageStatus};

/// Pages read before the check gives up: ten thousand rows.
const PAGES: u32 = 50;

/// The check that is due or under way.
#[derive(Clone, Debug, Default)]
pub struct Verify {
    from: Option<Tab>,
    missing: HashSet<SignalId>,
    found: HashSet<SignalId>,
    applied: usize,
    /// What was not applied is sent again by itself until then.
    pub again: Option<DateTime<Utc>>,
    asked: Option<Token>,
    offset: u32,
    /// The check of the other list, after this one.
    next: Option<Box<Verify>>,
}

/// Signals of a triage that did not arrive and is on its way again. Until that is settled the journal does not know how the first
/// one ended, or an end of the program in between would lose it.
pub type Resent = Option<(TriageStatus, Vec<SignalId>)>;

impl Verify {
    /// Signals that came from `from` and whose fate is unknown, and how many of their act were applied for sure. Answers the check
    /// that they are of.
    pub fn begin(&mut self, from: Tab, unknown: &[SignalId], applied: usize) -> &mut Verify {
        if self.from.is_some_and(|other| other != from) {
            return self.next.get_or_insert_default().begin(from, unknown, applied);
        }
        self.from = Some(from);
        self.missing.extend(unknown);
        self.applied += applied;
        // They may stand on a page that was looked through before.
        self.asked = None;
        self
    }

    /// Ends the check; that of the other list is due.
    fn end(&mut self) -> Verify {
        let next = self.next.take().map(|next| *next).unwrap_or_default();
        std::mem::replace(self, next)
    }
}

impl App {
    /// Starts the check when one is due and the service answers.
    pub fn verify_if_due(&mut self) {
        if self.verify.from.is_some() && self.verify.asked.is_none() && self.acts.open.is_empty() {
            self.verify.offset = 0;
            self.verify.missing.extend(std::mem::take(&mut self.verify.found));
            self.ask_verify();
        }
    }

    fn ask_verify(&mut self) {
        let Some(from) = self.verify.from else { return };
        let filter = QueueFilter { status: [from.status()].into(), ..QueueFilter::default() };
        let call = Call::Queue { filter, offset: self.verify.offset, limit: MAX_QUEUE_PAGE_ROWS };
        self.verify.asked = Some(self.call(Slot::Verify, call));
    }

    /// Takes a page of the check; false when the reply belongs to no check.
    pub fn verified(&mut self, token: Token, result: &Result<Page<QueueSignal>, RequestError>) -> bool {
        if self.verify.asked != Some(token) {
            return false;
        }
        self.verify.asked = None;
        let Ok(page) = result else { return true };
        for row in &page.rows {
            if self.verify.missing.remove(&row.signal.id) {
                self.verify.found.insert(row.signal.id);
            }
        }
        self.verify.offset += u32::try_from(page.rows.len() + page.unreadable).unwrap_or(MAX_QUEUE_PAGE_ROWS);
        let ended = page.rows.is_empty() || page.total.is_some_and(|total| u64::from(self.verify.offset) >= total);
        let lacks = page.rows.is_empty() && page.total.is_some_and(|total| u64::from(self.verify.offset) < total);
        if lacks && !self.verify.missing.is_empty() {
            self.verify.end();
            self.notice =
                Some(Notice::warn("the service did not send its whole list, so what was applied is not known; e again is safe"));
        } else if self.verify.missing.is_empty() || ended {
            self.finish_verify();
        } else if self.verify.offset < PAGES * MAX_QUEUE_PAGE_ROWS {
            self.ask_verify();
        } else {
            self.verify.end();
            self.notice = Some(Notice::warn("The list is too long to check what was applied. Doing it again is safe."));
        }
        true
    }

    /// What was sent again is settled: so is the first time.
    pub(super) fn settle_resent(&mut self) {
        if let Some((status, not_gone)) = self.resent.take() {
            self.out.push(Effect::Verified { status, gone: Vec::new(), not_gone });
        }
    }

    fn finish_verify(&mut self) {
        let Verify { from, missing, found, applied, again, .. } = self.verify.end();
        let Some(from) = from else { return };
        let gone: Vec<SignalId> = missing.into_iter().collect();
        let not_gone: Vec<SignalId> = found.iter().copied().collect();
        let status = from.other().status();
        let again = again.is_some_and(|until| self.now <= until) && !not_gone.is_empty() && !self.session.read_only;
        let known = if again { Vec::new() } else { not_gone.clone() };
        self.out.push(Effect::Verified { status: status.clone(), gone: gone.clone(), not_gone: known });
        let tab = self.queue.tab_mut(from);
        tab.unknown.clear();
        for id in &gone {
            tab.marks.remove(id);
        }
        tab.keep_place(|list| {
            list.take(&gone);
        });
        self.queue.new.stale = true;
        self.queue.done.stale = true;
        let verb = if from == Tab::New { "done" } else { "back to New" };
        let settled = applied + gone.len();
        let text = match found.len() {
            0 => format!("checked: all {} {verb}", plural(settled, "signal")),
            left => format!("checked: {} {verb}, {} not and still marked", count(settled as u64), count(left as u64)),
        };
        if again {
            self.resent = Some((status, not_gone.clone()));
            self.triage_now(from, not_gone);
            return;
        }
        self.send_held();
        self.notice =
            Some(if found.is_empty() { Notice::good(text) } else { Notice::warn(text).with("{queue.done} sends them again") });
    }
}

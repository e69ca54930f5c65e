//! Which signals of an act changed. The service answers a triage with a number alone; where that is smaller than what was sent,
//! somebody else was first with some of them. The queue tells who and when, so those are read: only what changed is a step of undo.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};

use super::Step as JournalStep;
use super::earlier::{PAGES, SAME, asks_for};
use crate::app::App;
use crate::app::acts::{self, Wish, outcome};
use crate::app::effect::{Call, Effect, Slot};
use crate::app::format::{count, plural};
use crate::app::msg::Token;
use crate::app::notice::Notice;
use crate::app::panes::queue::Tab;
use crate::app::records::list::Taken;
use crate::domain::SignalId;
use crate::domain::failure::RequestError;
use crate::domain::journal::{JournalChange, TriageMove};
use crate::domain::pages::Page;
use crate::domain::queue::{MAX_QUEUE_PAGE_ROWS, QueueFilter, QueueSignal};

/// What the service answered of an act.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The act.
    pub number: u64,
    /// Why it was done.
    pub wish: Wish,
    /// Where its signals were.
    pub from: Tab,
    /// What it was, in words.
    pub words: String,
    /// When it began, on the service's clock.
    pub began: DateTime<Utc>,
    /// The signals that were answered for.
    pub taken: Vec<Taken>,
    /// The ids of each request, and how many of them changed; none when the request was sent more than once.
    pub parts: Vec<(Vec<SignalId>, Option<u64>)>,
    /// How many were refused, not sent, and unknown.
    pub failed: [usize; 3],
    /// Why.
    pub reason: Option<String>,
}

/// Who triaged a signal, and when.
type Mark = (Option<String>, Option<DateTime<Utc>>);

/// A look at signals of an act of which some stood so already.
#[derive(Clone, Debug)]
pub struct Check {
    token: Token,
    answered: Answered,
    missing: HashSet<SignalId>,
    found: HashMap<SignalId, Mark>,
    filter: QueueFilter,
    offset: u32,
}

impl Answered {
    fn is_whole((ids, changed): &(Vec<SignalId>, Option<u64>)) -> bool {
        *changed == Some(ids.len() as u64)
    }

    /// Signals that changed; all of a part of which that is not known.
    pub fn changed(&self) -> u64 {
        self.parts.iter().map(|(ids, changed)| changed.unwrap_or(ids.len() as u64)).sum()
    }
}

impl App {
    /// Takes what was answered of an act, after a look at who was first where it did not change all of its signals.
    pub(in crate::app) fn settle_answered(&mut self, answered: Answered) {
        let unsure: HashSet<SignalId> =
            answered.parts.iter().filter(|part| !Answered::is_whole(part)).flat_map(|(ids, _)| ids.iter().copied()).collect();
        // Of a signal that is New nothing tells who put it back.
        if unsure.is_empty() || answered.from == Tab::Done {
            return self.finish_answered(answered, HashMap::new());
        }
        let rows: Vec<_> =
            answered.taken.iter().filter(|taken| unsure.contains(&taken.id)).map(|taken| (taken.id, taken.row.clone())).collect();
        let status = answered.from.other().status();
        let filter = asks_for(&rows, QueueFilter { status: [status].into(), ..QueueFilter::default() });
        let text = format!("{} of {}: reading who did the others", count(answered.changed()), answered.words);
        self.notice = Some(Notice::note(text));
        self.check(Check { token: Token(0), answered, missing: unsure, found: HashMap::new(), filter, offset: 0 });
    }

    fn check(&mut self, check: Check) {
        let call = Call::Queue { filter: check.filter.clone(), offset: check.offset, limit: MAX_QUEUE_PAGE_ROWS };
        let token = self.call(Slot::Verify, call);
        self.checks.push(Check { token, ..check });
    }

    /// Takes a page of a look; false when the reply belongs to none.
    pub(in crate::app) fn check_replied(&mut self, token: Token, result: &Result<Page<QueueSignal>, RequestError>) -> bool {
        let Some(at) = self.checks.iter().position(|check| check.token == token) else { return false };
        let mut check = self.checks.remove(at);
        if let Ok(page) = result {
            for row in &page.rows {
                if check.missing.remove(&row.signal.id) {
                    let when = row.triaged_at.as_ref().and_then(|when| when.date_time());
                    check.found.insert(row.signal.id, (row.triaged_by.clone(), when));
                }
            }
            check.offset += u32::try_from(page.rows.len()).unwrap_or(MAX_QUEUE_PAGE_ROWS);
            let ended = page.rows.is_empty() || page.total.is_none_or(|total| u64::from(check.offset) >= total);
            if !check.missing.is_empty() && !ended && check.offset < PAGES * MAX_QUEUE_PAGE_ROWS {
                self.check(check);
                return true;
            }
        }
        self.finish_answered(check.answered, check.found);
        true
    }

    fn finish_answered(&mut self, answered: Answered, found: HashMap<SignalId, Mark>) {
        let ours: HashSet<SignalId> = answered.parts.iter().flat_map(|part| self.ours(part, &found, answered.began)).collect();
        let already = answered.taken.len() as u64 - answered.changed().min(answered.taken.len() as u64);
        let Answered { number, wish, from, words, taken, failed, reason, .. } = answered;
        let all = taken.len();
        let (taken, others): (Vec<Taken>, Vec<Taken>) = taken.into_iter().partition(|taken| ours.contains(&taken.id));
        let mut marks: Vec<&Mark> = others.iter().filter_map(|taken| found.get(&taken.id)).collect();
        marks.sort_by_key(|(_, at)| *at);
        let last = marks.last().map(|(by, at)| self.who_and_when(by.as_deref(), *at));
        let words = if taken.len() == all { words } else { self.words_of(&taken) };
        if taken.len() < all || failed != [0; 3] {
            let row = |taken: &Taken| taken.row.as_ref().and_then(|row| serde_json::to_value(row).ok());
            let signals = taken.iter().map(|taken| TriageMove { id: taken.id.0, row: row(taken) }).collect();
            let change = JournalChange::Triage { before: from.status(), after: from.other().status(), signals };
            self.out.push(Effect::Applied { slot: Slot::Triage(number), change });
        }
        // Of what came back to New nothing tells which it was.
        let doubt = if from == Tab::Done { already.min(taken.len() as u64) } else { 0 };
        self.notice = Some(if taken.is_empty() && failed == [0; 3] {
            Notice::note(format!("{}. Nothing changed{}.", nothing(from, all, last), self.drop_queued()))
        } else {
            let already = (already > 0).then(|| match &last {
                Some(last) if already == 1 => format!("1 was {} by {last}", already_so(from)),
                Some(last) => format!("{} were {}, the last by {last}", count(already), already_so(from)),
                None => format!("{} of them already", count(already)),
            });
            let notice = outcome(wish, from, &words, taken.len(), failed, already, reason);
            let dropped = if failed == [0; 3] { String::new() } else { self.drop_queued() };
            Notice { text: notice.text + &dropped, ..notice }
        });
        self.remember(wish, true, acts::Step { from, words, taken, since: self.service_now(), doubt });
    }

    /// Which signals of a request we changed. Where the look did not tell, all of them: undo looks again, and asks.
    fn ours(&self, part: &(Vec<SignalId>, Option<u64>), found: &HashMap<SignalId, Mark>, began: DateTime<Utc>) -> Vec<SignalId> {
        let (ids, changed) = part;
        let changed = changed.map(|changed| usize::try_from(changed).unwrap_or(usize::MAX));
        match changed {
            Some(0) => return Vec::new(),
            Some(n) if n >= ids.len() => return ids.clone(),
            _ => {}
        }
        let me = self.my_id();
        let is_mine = |(by, at): &Mark| match (&me, changed) {
            (Some(_), Some(_)) => *by == me,
            (None, Some(_)) => true,
            // Of a request that was sent twice it is not told how many changed: those since then.
            (_, None) => (me.is_none() || *by == me) && at.is_none_or(|at| at >= began - SAME),
        };
        let mine = ids.iter().filter_map(|id| Some((*id, found.get(id)?)));
        let mut mine: Vec<(SignalId, &Mark)> = mine.filter(|(_, mark)| is_mine(mark)).collect();
        // Whoever is first keeps the mark, so the newest are those of this act.
        mine.sort_by_key(|(_, (_, at))| std::cmp::Reverse(*at));
        mine.truncate(changed.unwrap_or(usize::MAX));
        let is_told = changed.map_or(!found.is_empty(), |changed| mine.len() == changed);
        if is_told { mine.into_iter().map(|(id, _)| id).collect() } else { ids.clone() }
    }

    /// A step of the journal always tells the way there: undoing turns it, and the redo list holds it as it first was.
    pub(in crate::app) fn remember(&mut self, wish: Wish, arrived: bool, step: acts::Step) {
        if !step.is_empty() {
            let step = if wish == Wish::Undo { step.turned() } else { step };
            self.journal.push_step(&wish.into(), arrived, JournalStep::Triage(step));
        }
    }
}

/// How a signal stood that was there before.
fn already_so(from: Tab) -> &'static str {
    if from == Tab::New { "already done" } else { "already New" }
}

/// Nothing changed, and why.
fn nothing(from: Tab, all: usize, last: Option<String>) -> String {
    match (from, all, last) {
        (Tab::New, 1, Some(last)) => format!("Already done by {last}"),
        (Tab::New, 1, None) => "Already done".to_owned(),
        (Tab::New, n, Some(last)) => format!("All {} were already done, the last by {last}", plural(n, "signal")),
        (Tab::New, n, None) => format!("All {} were already done", plural(n, "signal")),
        (Tab::Done, 1, _) => "Already New".to_owned(),
        (Tab::Done, n, _) => format!("All {} were already New", plural(n, "signal")),
    }
}

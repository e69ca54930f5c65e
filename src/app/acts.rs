//! Acts of triage: optimistic on the screen, sent by hundreds, settled row by row, undone in words.
//!
//! An act takes its rows off the list at once and keeps them until every part of it is settled. A part that was refused puts its
//! rows back, marked, with the reason; a part whose fate is unknown puts them back with a question mark, and
//! [`verify`](super::verify) reads what became of them. What was applied becomes one step of the journal.

use std::collections::{BTreeMap, HashSet};

use chrono::{DateTime, Utc};

use super::App;
use super::effect::{Call, Effect, Slot};
use super::format::{plural, words};
use super::journal::changed::Answered;
use super::msg::Token;
use super::notice::Notice;
use super::panes::queue::Tab;
use super::records::list::Taken;
use crate::domain::SignalId;
use crate::domain::failure::{RequestError, RequestErrorKind};
use crate::domain::journal::{JournalChange, TriageMove};
use crate::domain::queue::{MAX_TRIAGE_SIGNALS, QueueSignal, TriageStatus};

/// Why an act is done: the person's own wish, or a step back or forward in the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// A new act.
    Act,
    /// An act taken back.
    Undo,
    /// An undone act done again.
    Redo,
}

/// An act that is on its way.
#[derive(Clone, Debug)]
pub struct Act {
    number: u64,
    wish: Wish,
    from: Tab,
    words: String,
    /// See [`Step::since`].
    since: DateTime<Utc>,
    /// See [`Step::doubt`].
    doubt: u64,
    /// When it began, on the service's clock.
    began: DateTime<Utc>,
    taken: BTreeMap<SignalId, Taken>,
    waiting: BTreeMap<Token, Vec<SignalId>>,
    /// The ids of each part that was answered, and how many of them changed; none when it was sent more than once.
    answered: Vec<(Vec<SignalId>, Option<u64>)>,
    refused: Vec<SignalId>,
    /// Of those that were refused: what will always be.
    hopeless: HashSet<SignalId>,
    reason: Option<String>,
    unknown: Vec<SignalId>,
    unsent: Vec<SignalId>,
    /// Of those that were not sent: what would be if anything answered.
    held: Vec<SignalId>,
}

impl From<crate::domain::journal::EntryCause> for Wish {
    fn from(wish: crate::domain::journal::EntryCause) -> Self {
        match wish {
            crate::domain::journal::EntryCause::Undo => Wish::Undo,
            crate::domain::journal::EntryCause::Redo => Wish::Redo,
            _ => Wish::Act,
        }
    }
}

impl From<Wish> for crate::domain::journal::EntryCause {
    fn from(wish: Wish) -> Self {
        match wish {
            Wish::Act => Self::New,
            Wish::Undo => Self::Undo,
            Wish::Redo => Self::Redo,
        }
    }
}

impl Act {
    /// Whether a call of this act is answered by a reply with this token.
    pub fn is_waiting_for(&self, token: Token) -> bool {
        self.waiting.contains_key(&token)
    }

    /// Signals whose part is still on its way.
    pub fn waiting(&self) -> usize {
        self.waiting.values().map(Vec::len).sum()
    }
}

/// A step of the journal: what was applied, and how to say it.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Where its signals were.
    pub(super) from: Tab,
    /// What it was.
    pub(super) words: String,
    /// Its signals.
    pub(super) taken: Vec<Taken>,
    /// When it was done.
    pub since: DateTime<Utc>,
    /// So many of its signals stood so before; which, is not known.
    pub doubt: u64,
}

impl Step {
    /// A step as the journal of this machine holds it; none of what is no triage.
    pub(super) fn of(act: crate::domain::journal::JournalEntry) -> Option<Step> {
        let JournalChange::Triage { before, signals, .. } = act.change else { return None };
        let from = if before == TriageStatus::Done { Tab::Done } else { Tab::New };
        let row = |moved: TriageMove| Taken {
            slot: None,
            id: SignalId(moved.id),
            row: moved.row.and_then(|row| serde_json::from_value(row).ok()),
        };
        let step = Step { from, words: act.description, taken: signals.into_iter().map(row).collect(), since: act.at, doubt: 0 };
        Some(step).filter(|step| !step.is_empty())
    }

    /// It is about no signal.
    pub(super) fn is_empty(&self) -> bool {
        self.taken.is_empty()
    }

    /// Where its signals went.
    pub(super) fn there(&self) -> Tab {
        self.from.other()
    }

    /// Its signals, with their rows where they were at hand.
    pub(super) fn signals(&self) -> Vec<(SignalId, Option<QueueSignal>)> {
        self.taken.iter().map(|taken| (taken.id, taken.row.clone())).collect()
    }

    /// The same, told the other way round.
    pub(super) fn turned(self) -> Step {
        Step { from: self.from.other(), ..self }
    }

    /// What it was, in words.
    pub fn words(&self) -> &str {
        &self.words
    }
}

/// The acts that are on their way.
#[derive(Clone, Debug, Default)]
pub struct Acts {
    next: u64,
    /// On their way.
    pub open: Vec<Act>,
    /// The last wish of the person, for `.`.
    pub last: Option<Tab>,
}

impl Acts {
    /// Whether the signal is being written.
    pub fn writes(&self, id: SignalId) -> bool {
        self.open.iter().any(|act| act.taken.contains_key(&id))
    }
}

impl App {
    /// Marks signals that stand in `from`: done, or back to New; many of them only after a question.
    pub fn triage(&mut self, from: Tab, ids: Vec<SignalId>) {
        if self.is_bulk(from, &ids) { self.ask_to_triage(from, ids) } else { self.triage_asked(from, ids) }
    }

    /// The same, asked about already. What is known of an earlier run alone waits until the service answers.
    pub(super) fn triage_asked(&mut self, from: Tab, ids: Vec<SignalId>) {
        if self.queue.last_of(from).is_some() { self.hold_unheard(from, ids) } else { self.triage_now(from, ids) }
    }

    /// The same, at once.
    pub(super) fn triage_now(&mut self, from: Tab, ids: Vec<SignalId>) {
        let ids: Vec<SignalId> = ids.into_iter().filter(|id| !self.acts.writes(*id)).collect();
        if ids.is_empty() {
            return;
        }
        let words = self.describe(from, &ids);
        self.acts.last = Some(from);
        self.journal.undone.clear();
        let taken = self.queue.take(from, &ids, self.settings.advance);
        self.begin(Wish::Act, Step { from, words, taken, since: self.service_now(), doubt: 0 });
    }

    /// Takes a step back.
    pub(super) fn undo_triage(&mut self, step: Step) {
        let back = step.from.other();
        let ids: Vec<SignalId> = step.taken.iter().map(|taken| taken.id).collect();
        self.queue.tab_mut(back).keep_place(|list| {
            list.take(&ids);
        });
        self.queue.tab_mut(step.from).keep_place(|list| list.put_back(step.taken.clone()));
        self.begin(Wish::Undo, step.turned());
    }

    /// Does a step that was taken back again.
    pub(super) fn redo_triage(&mut self, step: Step) {
        let ids: Vec<SignalId> = step.taken.iter().map(|taken| taken.id).collect();
        let taken = self.queue.take(step.from, &ids, self.settings.advance);
        self.begin(Wish::Redo, Step { taken, ..step });
    }

    /// Gives up what has not left yet.
    pub fn cancel_acts(&mut self) {
        for act in &self.acts.open {
            self.out.push(Effect::Cancel(Slot::Triage(act.number)));
        }
    }

    fn begin(&mut self, wish: Wish, step: Step) {
        let Step { from, words, taken, since, doubt } = step;
        self.drop_reads();
        self.acts.next += 1;
        let number = self.acts.next;
        let ids: Vec<SignalId> = taken.iter().map(|taken| taken.id).collect();
        let mut act = Act {
            number,
            wish,
            from,
            words,
            since,
            doubt,
            began: self.service_now(),
            taken: taken.into_iter().map(|taken| (taken.id, taken)).collect(),
            waiting: BTreeMap::new(),
            answered: Vec::new(),
            refused: Vec::new(),
            hopeless: HashSet::new(),
            reason: None,
            unknown: Vec::new(),
            unsent: Vec::new(),
            held: Vec::new(),
        };
        let moved =
            |taken: &Taken| TriageMove { id: taken.id.0, row: taken.row.as_ref().and_then(|row| serde_json::to_value(row).ok()) };
        let signals = act.taken.values().map(moved).collect();
        let change = JournalChange::Triage { before: from.status(), after: from.other().status(), signals };
        self.out.push(Effect::Journal {
            slot: Slot::Triage(number),
            op: None,
            wish: wish.into(),
            words: act.words.clone(),
            change,
        });
        for chunk in ids.chunks(MAX_TRIAGE_SIGNALS) {
            self.send(&mut act, chunk.to_vec());
        }
        let going = if from == Tab::New { "marking done" } else { "putting back to New" };
        self.notice = Some(Notice::note(format!("{going}: {}", act.words)).with("Ctrl-c cancels"));
        self.acts.open.push(act);
    }

    fn send(&mut self, act: &mut Act, ids: Vec<SignalId>) {
        let status = act.from.other().status();
        let token = self.call(Slot::Triage(act.number), Call::Triage { ids: ids.clone(), status });
        act.waiting.insert(token, ids);
    }

    /// Settles the part of an act that a reply belongs to; false when it belongs to none.
    pub fn triaged(&mut self, token: Token, result: Result<Option<u64>, RequestError>) -> bool {
        let Some(at) = self.acts.open.iter().position(|act| act.waiting.contains_key(&token)) else { return false };
        let mut act = self.acts.open.remove(at);
        let ids = act.waiting.remove(&token).unwrap_or_default();
        match result {
            Ok(changed) => act.answered.push((ids, changed)),
            Err(failure) => self.part_failed(&mut act, ids, &failure),
        }
        if act.waiting.is_empty() {
            self.settle(act);
        } else {
            let done = act.taken.len() - act.waiting();
            self.notice = Some(
                Notice::note(format!("{} of {} sent: {}", done, plural(act.taken.len(), "signal"), act.words))
                    .with("Ctrl-c cancels"),
            );
            self.acts.open.insert(at, act);
        }
        true
    }

    /// One id that the service will not have may sink its part: a refused part is sent again in halves, down to that id.
    fn part_failed(&mut self, act: &mut Act, ids: Vec<SignalId>, failure: &RequestError) {
        match &failure.kind {
            RequestErrorKind::Rejected(refusal) if matches!(refusal.status, 400 | 404 | 422) && ids.len() > 1 => {
                let (left, right) = ids.split_at(ids.len() / 2);
                self.send(act, left.to_vec());
                self.send(act, right.to_vec());
            }
            RequestErrorKind::Rejected(_) => {
                act.hopeless.extend(ids.iter().filter(|_| failure.is_permanent()));
                act.refused.extend(ids);
                act.reason = Some(failure.message.clone());
            }
            RequestErrorKind::NotSent | RequestErrorKind::OverBudget | RequestErrorKind::ReadOnly => {
                if failure.kind == RequestErrorKind::NotSent {
                    act.held.extend(&ids);
                }
                act.unsent.extend(ids);
                act.reason = Some(failure.message.clone());
            }
            RequestErrorKind::Cancelled => act.unsent.extend(ids),
            RequestErrorKind::Ambiguous => {
                act.unknown.extend(ids);
                act.reason = Some(failure.message.clone());
            }
        }
    }

    fn settle(&mut self, act: Act) {
        let Act { number, wish, from, words, since, doubt, began, mut taken, answered, refused, hopeless, .. } = act;
        let Act { reason, unknown, unsent, held, .. } = act;
        let all = taken.len();
        let back: Vec<Taken> = [&refused, &unsent, &unknown].into_iter().flatten().filter_map(|id| taken.remove(id)).collect();
        let returned = !back.is_empty();
        let tab = self.queue.tab_mut(from);
        tab.marks.extend(back.iter().map(|taken| taken.id));
        tab.unknown.extend(unknown.iter().copied());
        if wish != Wish::Act {
            let taken: Vec<Taken> = back.iter().filter(|taken| !hopeless.contains(&taken.id)).cloned().collect();
            let words = if taken.len() < all { plural(taken.len(), "signal") } else { words.clone() };
            self.remember(wish, false, Step { from, words, taken, since, doubt });
        }
        // An undone step was put back on the other list at once; what failed leaves it again.
        let failed: Vec<SignalId> = back.iter().map(|taken| taken.id).collect();
        if wish == Wish::Undo {
            self.queue.tab_mut(from.other()).keep_place(|list| {
                list.take(&failed);
            });
            self.queue.new.stale = true;
            self.queue.done.stale = true;
        } else {
            let tab = self.queue.tab_mut(from);
            tab.keep_place(|list| list.put_back(back));
            tab.go_to_first_of(&failed);
            self.queue.tab_mut(from.other()).stale = true;
        }
        let taken: Vec<Taken> = taken.into_values().collect();
        let count = taken.len();
        let words = if returned && count > 0 { plural(count, "signal") } else { words };
        if unknown.is_empty() {
            self.settle_resent();
        } else {
            self.verify.begin(from, &unknown, count);
        }
        let failed = [refused.len(), unsent.len(), unknown.len()];
        let answered = Answered { number, wish, from, words, began, taken, parts: answered, failed, reason };
        self.queue.moved(from, answered.changed());
        self.settle_answered(answered);
        self.hold(from, &held);
        self.out.push(Effect::Poll);
    }

    /// Signals of a list in words.
    pub fn describe(&self, tab: Tab, ids: &[SignalId]) -> String {
        let list = &self.queue.tab(tab).list;
        describe(&ids.iter().filter_map(|id| list.row(*id)).collect::<Vec<_>>(), ids.len())
    }

    /// Signals that were taken off a list, in words.
    pub(super) fn words_of(&self, taken: &[Taken]) -> String {
        describe(&taken.iter().filter_map(|taken| taken.row.as_ref()).collect::<Vec<_>>(), taken.len())
    }
}

/// Signals in words: what they are when it is one, whose they are when they share a project, how many otherwise.
fn describe(rows: &[&QueueSignal], all: usize) -> String {
    let name = |row: &QueueSignal| row.signal.project_name.clone();
    if let ([row], 1) = (rows, all) {
        let what = row.signal.signal_type.as_ref().map_or_else(|| "signal".to_owned(), |kind| words(kind.as_str()));
        return name(row).map_or(what.clone(), |project| format!("{what} on {project}"));
    }
    let projects: HashSet<_> = rows.iter().filter_map(|row| row.signal.project_id).collect();
    let signals = plural(all, "signal");
    match (projects.len(), rows.first().and_then(|row| name(row))) {
        (1, Some(project)) if rows.len() == all => format!("{signals} on {project}"),
        (n, _) if n > 1 => format!("{signals} on {}", plural(n, "project")),
        _ => signals,
    }
}

/// What happened, and to how many, in one line. `already` says of how many it was so before.
pub(super) fn outcome(
    wish: Wish,
    from: Tab,
    words: &str,
    applied: usize,
    failed: [usize; 3],
    already: Option<String>,
    reason: Option<String>,
) -> Notice {
    let [refused, unsent, unknown] = failed;
    let verb = if from == Tab::New { "done" } else { "back to New" };
    let mut parts = Vec::new();
    if applied > 0 {
        parts.push(format!("{verb}: {words}"));
    }
    parts.extend(already);
    for (count, what) in [(refused, "refused"), (unsent, "not sent"), (unknown, "unknown, will be checked")] {
        if count > 0 {
            parts.push(format!("{} {what}", crate::app::format::count(count as u64)));
        }
    }
    let text = parts.join(", ");
    if failed == [0; 3] {
        let hint = if wish == Wish::Undo { "{redo} does it again" } else { "{undo} undoes" };
        return Notice::good(format!("{text}, for everyone")).with(hint);
    }
    let text = match reason {
        Some(reason) => format!("{text}, still marked: {reason}"),
        None => format!("{text}, still marked"),
    };
    Notice::bad(text)
}

impl Tab {
    /// The state of the signals on this tab.
    pub fn status(self) -> TriageStatus {
        match self {
            Tab::New => TriageStatus::New,
            Tab::Done => TriageStatus::Done,
        }
    }
}

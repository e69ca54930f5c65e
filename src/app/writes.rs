//! Writes to the book, to Views, to favorites and to the workspace's settings: sent by hundreds, each record answers for itself, undone in words.
//!
//! A write is made of parts, one a record, each with the part that takes it back. Parts that were applied become one step of the
//! journal and change what is in memory; those that failed stay marked, each with its reason.

use std::collections::{BTreeMap, VecDeque};

use chrono::{DateTime, Utc};
use serde_json::{Map, Value as Json};
use uuid::Uuid;

use super::App;
use super::acts::Wish;
use super::drafts::GO_ON;
use super::effect::{Call, Effect, RecordKey, Slot, Write};
use super::format::count;
use super::journal;
use super::known::Known;
use super::msg::Token;
use super::notice::Notice;
use super::reread::as_written;
use crate::domain::annotate::{AnnotationBaseline, AnnotationWrite, CHANGED_SINCE_CODE, CheckedAnnotation, UNREADABLE_CODE};
use crate::domain::batch::{BatchItemResult, MAX_BATCH_ITEMS};
use crate::domain::book::Annotation;
use crate::domain::failure::{RequestError, RequestErrorKind};
use crate::domain::records::Record;
use crate::domain::subscriptions::{StagedChange, SubscriptionCall};
use crate::domain::writes::invert_writes;
pub use crate::domain::writes::{ReversibleWrite, WriteOp};

/// A step of the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What was done: `tags of 20 accounts`.
    pub words: String,
    /// Its parts.
    pub changes: Vec<ReversibleWrite>,
    /// When it was done: what was read later tells whether somebody changed it since.
    pub since: DateTime<Utc>,
}

/// A request, and the changes that it makes.
pub(super) type Batch = (Write, Vec<ReversibleWrite>);

/// A write on its way.
#[derive(Clone, Debug)]
struct Writing {
    number: u64,
    wish: Wish,
    words: String,
    /// See [`Step::since`].
    since: DateTime<Utc>,
    waiting: BTreeMap<Token, Vec<ReversibleWrite>>,
    /// What leaves when the call before it is answered.
    later: VecDeque<Batch>,
    applied: Vec<ReversibleWrite>,
    /// What did not arrive, or may not have, and why.
    failed: Vec<(ReversibleWrite, String)>,
    /// What the service will not have, and why.
    refused: Vec<(ReversibleWrite, String)>,
    /// What was not written, as somebody changed the record meanwhile.
    overtaken: Vec<(ReversibleWrite, String)>,
    /// What was so already.
    same: Vec<Uuid>,
    /// Nobody answered.
    unanswered: bool,
}

/// The writes on their way.
#[derive(Clone, Debug, Default)]
pub struct Writes {
    next: u64,
    open: Vec<Writing>,
}

impl Writes {
    /// Whether one is on its way.
    pub fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// How many things are being written.
    pub fn waiting(&self) -> usize {
        let later = |writing: &Writing| writing.later.iter().map(|(_, with)| with.len()).sum::<usize>();
        self.open.iter().map(|writing| writing.waiting.values().map(Vec::len).sum::<usize>() + later(writing)).sum()
    }

    /// How many changes the call with this token makes; none when it is no write.
    pub fn changes_of(&self, token: Token) -> Option<usize> {
        self.open.iter().find_map(|writing| writing.waiting.get(&token)).map(Vec::len)
    }

    /// Whether a change is on its way that is one of these.
    pub fn has(&self, is: impl Fn(&WriteOp) -> bool) -> bool {
        let changes = |writing: &Writing| {
            let later = writing.later.iter().flat_map(|(_, with)| with);
            writing.waiting.values().flatten().chain(later).any(|change| is(&change.forward))
        };
        self.open.iter().any(changes)
    }

    /// Whether a record is being written.
    pub fn writes(&self, id: Uuid) -> bool {
        let changes = || self.open.iter().flat_map(|writing| writing.waiting.values().flatten());
        changes().any(|change| change.forward.record_id() == Some(id))
    }
}

/// A request for a part alone. What was seen of a record is compared with what stands there right before it is written.
fn alone(part: WriteOp, seen: Option<AnnotationBaseline>) -> Write {
    match part {
        WriteOp::Annotate(shelf, id, wanted) => {
            Write::Annotate { shelf, items: vec![AnnotationWrite { id, desired: wanted, baseline: seen }] }
        }
        WriteOp::Forget(shelf, id) => Write::Forget { shelf, ids: vec![id] },
        WriteOp::Add(view, id) => Write::Add { view, ids: vec![id] },
        WriteOp::Remove(view, id) => Write::Remove { view, ids: vec![id] },
        WriteOp::Favorite(view, on) => Write::Favorite { view, on },
        WriteOp::SaveView(draft) => Write::SaveView(draft),
        WriteOp::DeleteView(view) => Write::DeleteView(view),
        WriteOp::Subscription(kind, StagedChange::Set(change)) => Write::Subscription(SubscriptionCall::Put(kind, change)),
        WriteOp::Subscription(kind, StagedChange::Unsubscribe) => Write::Subscription(SubscriptionCall::Delete(kind)),
        WriteOp::Team(act) => Write::Team(act),
        WriteOp::Skill(order) => Write::Skills(vec![order]),
    }
}

/// Changes as requests, in their order: those of one kind together. A record that is read first has a request of its own, so that
/// little time passes between the read and the write.
fn batched(changes: Vec<ReversibleWrite>, seen: impl Fn(&ReversibleWrite) -> Option<AnnotationBaseline>) -> Vec<Batch> {
    let mut batches: Vec<Batch> = Vec::new();
    for change in changes {
        let seen = seen(&change);
        if let Some((batch, with)) = batches.last_mut()
            && seen.is_none()
            && join(batch, &change.forward)
        {
            with.push(change);
        } else {
            batches.push((alone(change.forward.clone(), seen), vec![change]));
        }
    }
    batches
}

/// Puts a part into a batch of its kind; false when it needs a request of its own.
fn join(batch: &mut Write, part: &WriteOp) -> bool {
    match (batch, part) {
        (Write::Annotate { shelf, items }, WriteOp::Annotate(of, id, annotation))
            if shelf == of && items.len() < MAX_BATCH_ITEMS && items.iter().all(|item| item.baseline.is_none()) =>
        {
            items.push(AnnotationWrite::new_unchecked(*id, annotation.clone()));
        }
        (Write::Forget { shelf, ids }, WriteOp::Forget(of, id)) if shelf == of && ids.len() < MAX_BATCH_ITEMS => ids.push(*id),
        (Write::Add { view, ids }, WriteOp::Add(of, id)) if view == of && ids.len() < MAX_BATCH_ITEMS => ids.push(*id),
        (Write::Skills(orders), WriteOp::Skill(order))
            if orders.len() < MAX_BATCH_ITEMS && orders.iter().all(|other| other.change == order.change) =>
        {
            orders.push(order.clone());
        }
        (Write::Remove { view, ids }, WriteOp::Remove(of, id)) if view == of && ids.len() < MAX_BATCH_ITEMS => ids.push(*id),
        _ => return false,
    }
    true
}

impl App {
    /// Writes changes, and says what in words.
    pub fn write(&mut self, words: impl Into<String>, changes: Vec<ReversibleWrite>) {
        self.journal.undone.clear();
        self.begin_write(Wish::Act, None, Step { words: words.into(), changes, since: self.service_now() });
    }

    /// Takes a step back.
    pub(super) fn undo_write(&mut self, step: Step) {
        let changes = step.changes.into_iter().rev().filter_map(|change| self.turned(change)).collect();
        self.begin_write(Wish::Undo, None, Step { changes, ..step });
    }

    /// Does a step again.
    pub(super) fn redo_write(&mut self, step: Step) {
        let changes = step.changes.into_iter().map(|change| self.again(change)).collect();
        self.begin_write(Wish::Redo, None, Step { changes, ..step });
    }

    /// Sends an act again of which nobody knows whether it arrived.
    pub(super) fn resend(&mut self, op: Uuid, wish: Wish, step: Step) {
        self.begin_write(wish, Some(op), step);
    }

    /// Gives up what has not left yet.
    pub fn cancel_writes(&mut self) {
        for writing in &mut self.writes.open {
            writing.drop_later("not sent: given up");
            self.out.push(Effect::Cancel(Slot::Write(writing.number)));
        }
    }

    fn begin_write(&mut self, wish: Wish, op: Option<Uuid>, step: Step) {
        let Step { words, changes, since } = step;
        if changes.is_empty() {
            return;
        }
        self.writes.next += 1;
        let number = self.writes.next;
        let change = crate::domain::journal::JournalChange::Write { things: changes.len(), changes: changes.clone() };
        // Each answer to a write of subscriptions is the whole list: they go one after the other, so that the last is the newest.
        let of_subscriptions = changes.iter().any(|change| matches!(change.forward, WriteOp::Subscription(..)));
        let (mut later, applied) =
            if of_subscriptions { self.order_subscriptions(changes) } else { (self.batched(changes, wish), Vec::new()) };
        let at_once = if of_subscriptions { later.len().min(1) } else { later.len() };
        self.out.push(Effect::Journal { slot: Slot::Write(number), op, wish: wish.into(), words: words.clone(), change });
        let waiting: BTreeMap<_, _> =
            later.drain(..at_once).map(|(write, with)| (self.call(Slot::Write(number), Call::Write(write)), with)).collect();
        self.notice = Some(Notice::note(format!("writing: {words}")).with("Ctrl-c cancels"));
        let (failed, refused, overtaken, same) = Default::default();
        let writing =
            Writing { number, wish, words, since, waiting, later, applied, failed, refused, overtaken, same, unanswered: false };
        if writing.waiting.is_empty() { self.settle_write(writing) } else { self.writes.open.push(writing) }
    }

    fn batched(&self, changes: Vec<ReversibleWrite>, wish: Wish) -> VecDeque<Batch> {
        batched(changes, |change| self.seen_of(change, wish)).into()
    }

    /// Settles the part of a write that a reply belongs to; false when it belongs to none.
    pub fn write_replied(&mut self, token: Token, result: Result<Vec<BatchItemResult>, RequestError>) -> bool {
        let Some(at) = self.writes.open.iter().position(|writing| writing.waiting.contains_key(&token)) else { return false };
        let mut writing = self.writes.open.remove(at);
        let changes = writing.waiting.remove(&token).unwrap_or_default();
        match result {
            Ok(items) => {
                let before = writing.applied.len();
                for (index, change) in changes.into_iter().enumerate() {
                    let item = items.iter().find(|item| item.index == index);
                    if let Some(item) = item {
                        self.hear_checked(&change, item);
                    }
                    match item {
                        Some(item) if item.checked.as_ref().is_some_and(CheckedAnnotation::is_noop) && item.is_ok() => {
                            writing.same.extend(change.forward.record_id());
                        }
                        Some(item) if item.is_ok() => {
                            let change = as_written(change, item.checked.as_ref());
                            self.apply(&change.forward, item.record.as_ref());
                            writing.applied.push(change);
                        }
                        Some(item) if item.has_code(CHANGED_SINCE_CODE) => writing.overtaken.push((change, reason(item))),
                        Some(item) if item.has_code(UNREADABLE_CODE) => {
                            self.unreadable.extend(change.forward.record_id());
                            writing.refused.push((change, format!("{}; doing it again writes all the same", reason(item))));
                        }
                        Some(item) => writing.refused.push((change, reason(item))),
                        None => {
                            writing.failed.push((change, "the service said nothing of it; doing it again is safe".to_owned()))
                        }
                    }
                }
                self.drop_gone(&writing.applied[before..]);
            }
            Err(failure) => {
                let is_final = failure.is_permanent();
                if !is_final {
                    writing.drop_later("not sent, as the call before it failed");
                }
                writing.unanswered |= matches!(failure.kind, RequestErrorKind::NotSent | RequestErrorKind::Ambiguous);
                let is_once = changes.iter().any(|change| change.forward.is_non_idempotent());
                let why = match failure.kind {
                    RequestErrorKind::Cancelled => "not sent: given up".to_owned(),
                    RequestErrorKind::NotSent | RequestErrorKind::OverBudget | RequestErrorKind::ReadOnly => {
                        format!("not sent: {}", failure.message)
                    }
                    RequestErrorKind::Rejected(_) => failure.message,
                    RequestErrorKind::Ambiguous if is_once => format!("look before you do it again: {}", failure.message),
                    RequestErrorKind::Ambiguous => format!("doing it again is safe: {}", failure.message),
                };
                let failed = if is_final { &mut writing.refused } else { &mut writing.failed };
                failed.extend(changes.into_iter().map(|change| (change, why.clone())));
            }
        }
        if writing.waiting.is_empty()
            && let Some((write, with)) = writing.later.pop_front()
        {
            let token = self.call(Slot::Write(writing.number), Call::Write(write));
            writing.waiting.insert(token, with);
        }
        if writing.waiting.is_empty() {
            self.settle_write(writing);
        } else {
            self.writes.open.insert(at, writing);
        }
        true
    }

    fn settle_write(&mut self, writing: Writing) {
        let Writing { number, wish, words, since, applied, mut failed, refused, overtaken, same, unanswered, .. } = writing;
        // What did not arrive can be meant again, before anything that was done earlier; what was refused would always be.
        let left = failed.iter().chain(&overtaken).filter(|_| wish != Wish::Act).map(|(change, _)| change.clone()).collect();
        self.remember_write(wish, false, Step { words: words.clone(), changes: left, since });
        let unsettled = failed.len();
        failed.extend(refused);
        let met: Vec<ReversibleWrite> = overtaken.iter().map(|(change, _)| change.clone()).collect();
        failed.extend(overtaken);
        self.keep_applied(number, &applied);
        let touched: Vec<Uuid> = applied.iter().filter_map(|change| change.forward.record_id()).chain(same).collect();
        for list in self.lists_mut() {
            for id in &touched {
                list.reasons.remove(id);
                list.marks.remove(id);
            }
            for (change, why) in &failed {
                if let Some(id) = change.forward.record_id().filter(|id| list.slot_of(*id).is_some()) {
                    list.reasons.insert(id, why.clone());
                    list.marks.insert(id);
                }
            }
        }
        if failed.is_empty() && wish != Wish::Undo {
            self.drop_drafts(&touched);
        }
        self.subscriptions_settled(&applied, &failed);
        self.team_settled(&applied, &failed);
        let annotated = |part: &WriteOp| part.record_id().filter(|_| matches!(part, WriteOp::Annotate(..)));
        let unwritten: Vec<Uuid> = failed.iter().filter_map(|(change, _)| annotated(&change.forward)).collect();
        let go_on = if unanswered && wish == Wish::Act && self.not_written(&unwritten) { GO_ON } else { "" };
        let undoable = applied.iter().any(|change| change.back.is_some());
        let verb = match wish {
            Wish::Act => "done",
            Wish::Undo => "taken back",
            Wish::Redo => "done again",
        };
        let all = applied.len() + failed.len();
        let price = applied.iter().filter(|change| matches!(change.back, Some(WriteOp::Annotate(..)))).count();
        let cost = if price > 0 { format!(", {} cr", count(price as u64)) } else { String::new() };
        let go_on = match wish {
            _ if met.is_empty() => go_on,
            Wish::Act => GO_ON,
            Wish::Undo => "{undo} asks",
            Wish::Redo => "{redo} asks",
        };
        // Undo would take back what was done before this.
        let dropped = if failed.is_empty() && undoable { String::new() } else { self.drop_queued() };
        let notice = match failed.first() {
            None if applied.is_empty() => Notice::note(format!("Nothing changed. It was so already: {words}.")),
            None if !undoable => Notice::good(format!("{verb}: {words}")),
            None => Notice::good(format!("{verb}: {words}")).with(match wish {
                Wish::Undo => format!("{{redo}} does it again{cost}"),
                _ if applied.iter().any(|change| change.back.is_none()) => format!("{{undo}} takes back what can be{cost}"),
                _ => format!("{{undo}} undoes{cost}"),
            }),
            Some((_, why)) if all == 1 => Notice::bad(format!("{words}: {why}")).with(go_on),
            Some((_, why)) => Notice::bad(format!(
                "{} of {} {verb}: {words}; {} still marked: {why}",
                count(applied.len() as u64),
                count(all as u64),
                count(failed.len() as u64)
            ))
            .with(go_on),
        };
        self.notice = Some(Notice { text: notice.text + &dropped, ..notice });
        if applied.iter().any(|change| matches!(change.forward, WriteOp::SaveView(_) | WriteOp::DeleteView(_))) {
            self.read_views();
        }
        self.skills_settled(&words, &applied, &failed, unsettled);
        if undoable {
            self.remember_write(wish, true, Step { words, changes: applied, since: self.service_now() });
        }
        self.ask_about_changed(wish, &met);
    }

    fn remember_write(&mut self, wish: Wish, arrived: bool, step: Step) {
        if !step.changes.is_empty() {
            let changes = if wish == Wish::Undo { invert_writes(step.changes) } else { step.changes };
            self.journal.push_step(&wish.into(), arrived, journal::Step::Write(Step { changes, ..step }));
        }
    }

    /// What a part that was applied changes in memory.
    fn apply(&mut self, part: &WriteOp, newer: Option<&Record>) {
        match part {
            WriteOp::Annotate(shelf, id, annotation) => {
                let mut fields = overlay(annotation);
                // The record is in the book from now on; a row that said otherwise says so no more.
                fields.insert("updated_at".to_owned(), self.service_now().to_rfc3339().into());
                if let Some(newer) = newer {
                    fields.extend(newer.fields().iter().map(|(name, value)| (name.clone(), value.clone())));
                }
                self.change_record(shelf, *id, &fields);
                let now = self.service_now();
                self.hear(shelf, *id, Known::written(annotation, now));
                self.rebase_on_own(*id, Known::written(annotation, now));
                if let Some(newer) = newer {
                    self.hear(shelf, *id, Known::of(&newer.fields(), Some(true), now));
                }
            }
            WriteOp::Forget(shelf, id) => {
                let mut fields = Map::new();
                for name in ["workspace_status", "notes", "tags", "icp_tier", "atlas_score", "atlas_trend", "updated_at"] {
                    fields.insert(name.to_owned(), Json::Null);
                }
                self.change_record(shelf, *id, &fields);
                self.hear(shelf, *id, Known::outside(self.service_now()));
                self.pages.remove(&RecordKey::for_book(shelf, *id));
            }
            WriteOp::Add(..) | WriteOp::Remove(..) => {}
            WriteOp::Favorite(view, on) => {
                if *on {
                    self.views.favorites.insert(*view)
                } else {
                    self.views.favorites.remove(view)
                };
                self.views.order();
            }
            WriteOp::Subscription(..) | WriteOp::Team(_) => {}
            // What the receipts do not tell is read once all of them are there.
            WriteOp::SaveView(_) | WriteOp::DeleteView(_) | WriteOp::Skill(_) => {}
        }
    }

    /// What left the book or a View leaves its list; a call is about one list.
    fn drop_gone(&mut self, applied: &[ReversibleWrite]) {
        let list = match applied.first().map(|change| &change.forward) {
            Some(WriteOp::Forget(shelf, _)) => self.book.list_mut(shelf),
            Some(WriteOp::Remove(view, _)) => self.views.opened.get_mut(view),
            _ => None,
        };
        if let Some(list) = list {
            list.drop_rows(&applied.iter().filter_map(|change| change.forward.record_id()).collect::<Vec<_>>());
        }
    }
}

impl Writing {
    /// What has not left stays here.
    fn drop_later(&mut self, why: &str) {
        let changes = self.later.drain(..).flat_map(|(_, with)| with);
        self.failed.extend(changes.map(|change| (change, why.to_owned())));
    }
}

/// What an annotation writes, as the fields of a record.
fn overlay(annotation: &Annotation) -> Map<String, Json> {
    match serde_json::to_value(annotation) {
        Ok(Json::Object(fields)) => fields,
        _ => Map::new(),
    }
}

fn reason(item: &BatchItemResult) -> String {
    item.error.as_ref().map_or_else(|| "refused without a reason".to_owned(), |error| error.message.clone())
}

//! Writes to the book, Views, favorites and the workspace's settings: sent in batches of a hundred, with a result per record, and
//! undone as one step.
//!
//! A write consists of changes, one per record, each with the change that undoes it. Applied changes become one step of the
//! journal and update what is in memory; failed ones stay marked, each with its reason.

use std::collections::{BTreeMap, VecDeque};

use serde_json::{Map, Value as Json};
use uuid::Uuid;

use crate::app::Context;
use crate::app::annotation_cache::CachedAnnotation;
use crate::app::change::{Change, FinishedWrite};
use crate::app::context::outbox::read_before_write::change_as_written;
use crate::app::drafts::RESUME_HINT;
use crate::app::effect::{Effect, ListId, RecordKey, ServiceCall, Slot};
use crate::app::format::format_count;
use crate::app::msg::Reply;
use crate::app::notice::Notice;
use crate::app::outbox::pending_writes::{PendingWrite, WriteBatch, WritePart};
use crate::app::outbox::undo_history::{StepCause, UndoStep, WriteUndoStep};
use crate::app::outbox::write_batches::{batch_changes, batch_subscription_changes};
use crate::app::requests::Request;
use crate::domain::annotate::{CHANGED_SINCE_CODE, CheckedAnnotation, UNREADABLE_CODE};
use crate::domain::batch::BatchItemResult;
use crate::domain::book::Annotation;
use crate::domain::records::Record;
use crate::domain::request_error::{RequestError, RequestErrorKind};
use crate::domain::writes::invert_writes;

pub use crate::domain::writes::{ReversibleWrite, WriteOp};

impl Context {
    /// Writes changes; `words` describes them to the user.
    pub fn write_changes(&mut self, words: impl Into<String>, changes: Vec<ReversibleWrite>) {
        self.outbox.history.undone.clear();
        self.start_write(StepCause::New, None, WriteUndoStep { description: words.into(), changes, done_at: self.service_now() });
    }

    pub(in crate::app) fn undo_write(&mut self, step: WriteUndoStep) {
        let changes = step.changes.into_iter().rev().filter_map(|change| self.inverse_change(change)).collect();
        self.start_write(StepCause::Undo, None, WriteUndoStep { changes, ..step });
    }

    pub(in crate::app) fn redo_write(&mut self, step: WriteUndoStep) {
        let changes = step.changes.into_iter().map(|change| self.rebased_change(change)).collect();
        self.start_write(StepCause::Redo, None, WriteUndoStep { changes, ..step });
    }

    /// Sends an earlier write again, of which nobody knows whether it arrived.
    pub(in crate::app) fn resend_write(&mut self, op: Uuid, cause: StepCause, step: WriteUndoStep) {
        self.start_write(cause, Some(op), step);
    }

    /// Cancels what has not left yet.
    pub fn cancel_writes(&mut self) {
        for writing in &mut self.outbox.pending_writes.in_flight {
            writing.fail_queued_batches("not sent: canceled");
            self.effects.push(Effect::Cancel(Slot::Write(writing.number)));
        }
    }

    fn start_write(&mut self, cause: StepCause, op: Option<Uuid>, step: WriteUndoStep) {
        let WriteUndoStep { description: words, changes, done_at: since } = step;
        if changes.is_empty() {
            return;
        }
        self.outbox.pending_writes.next_number += 1;
        let number = self.outbox.pending_writes.next_number;
        let change = crate::domain::journal::JournalChange::Write { things: changes.len(), changes: changes.clone() };
        // Each reply to a subscription write is the whole list: they are sent one after the other, so that the last reply is the
        // newest.
        let of_subscriptions = changes.iter().any(|change| matches!(change.forward, WriteOp::Subscription(..)));
        let (mut later, applied) = if of_subscriptions {
            batch_subscription_changes(self.subscriptions.all(), changes)
        } else {
            (self.batch_write_changes(changes, cause), Vec::new())
        };
        let at_once = if of_subscriptions { later.len().min(1) } else { later.len() };
        self.effects.push(Effect::JournalWrite {
            slot: Slot::Write(number),
            op,
            cause: cause.into(),
            description: words.clone(),
            change,
        });
        let first: Vec<WriteBatch> = later.drain(..at_once).collect();
        self.notice = Some(Notice::info(format!("saving: {words}")).with_hint("Ctrl-c cancels"));
        let (failed, refused, overtaken, same) = Default::default();
        let mut writing = PendingWrite {
            number,
            cause,
            description: words,
            done_at: since,
            unanswered: BTreeMap::new(),
            next_part: 0,
            queued_batches: later,
            applied,
            failed,
            rejected: refused,
            conflicted: overtaken,
            unchanged: same,
            got_no_response: false,
        };
        first.into_iter().for_each(|batch| self.send_batch(&mut writing, batch));
        if writing.unanswered.is_empty() {
            self.finish_write(writing)
        } else {
            self.outbox.pending_writes.in_flight.push(writing)
        }
    }

    fn send_batch(&mut self, writing: &mut PendingWrite, (write, changes): WriteBatch) {
        let part = writing.next_part;
        writing.next_part += 1;
        writing.unanswered.insert(part, changes);
        let request = Request::Write(WritePart { number: writing.number, part });
        self.call_service(Slot::Write(writing.number), ServiceCall::Write(write), request);
    }

    fn batch_write_changes(&self, changes: Vec<ReversibleWrite>, cause: StepCause) -> VecDeque<WriteBatch> {
        batch_changes(changes, |change| self.seen_values(change, cause)).into()
    }

    /// Takes the reply to a part of a write.
    pub(in crate::app) fn on_write_reply(&mut self, part: WritePart, result: Result<Reply, RequestError>) {
        let Some(at) = self.outbox.pending_writes.in_flight.iter().position(|writing| writing.number == part.number) else {
            return;
        };
        let mut writing = self.outbox.pending_writes.in_flight.remove(at);
        let changes = writing.unanswered.remove(&part.part).unwrap_or_default();
        // A write of subscriptions is answered with the whole list: all its changes succeeded.
        let of_subscriptions = changes.iter().any(|change| matches!(change.forward, WriteOp::Subscription(..)));
        let items = result.and_then(|reply| match reply {
            Reply::Written(items) if !of_subscriptions => Ok(items),
            Reply::Subscriptions(list) if of_subscriptions => {
                self.store_subscriptions(list);
                Ok((0..changes.len()).map(|index| BatchItemResult { index, ..BatchItemResult::ok() }).collect())
            }
            _ => Err(RequestError::new_ambiguous("unexpected response")),
        });
        match items {
            Ok(items) => {
                let before = writing.applied.len();
                for (index, change) in changes.into_iter().enumerate() {
                    let item = items.iter().find(|item| item.index == index);
                    if let Some(item) = item {
                        self.cache_checked_record(&change, item);
                    }
                    match item {
                        Some(item) if item.checked.as_ref().is_some_and(CheckedAnnotation::is_noop) && item.is_ok() => {
                            writing.unchanged.extend(change.forward.record_id());
                        }
                        Some(item) if item.is_ok() => {
                            let change = change_as_written(change, item.checked.as_ref());
                            self.apply_in_memory(&change.forward, item.record.as_ref());
                            writing.applied.push(change);
                        }
                        Some(item) if item.has_code(CHANGED_SINCE_CODE) => {
                            writing.conflicted.push((change, rejection_reason(item)))
                        }
                        Some(item) if item.has_code(UNREADABLE_CODE) => {
                            self.unreadable_records.extend(change.forward.record_id());
                            writing.rejected.push((change, format!("{}; repeat it to write anyway", rejection_reason(item))));
                        }
                        Some(item) => writing.rejected.push((change, rejection_reason(item))),
                        None => writing.failed.push((change, "the service reported no result; repeating it is safe".to_owned())),
                    }
                }
                self.drop_removed_rows(&writing.applied[before..]);
            }
            Err(failure) => {
                let is_final = failure.is_permanent();
                writing.got_no_response |= matches!(failure.kind, RequestErrorKind::NotSent | RequestErrorKind::Ambiguous);
                let is_once = changes.iter().any(|change| change.forward.is_non_idempotent());
                let why = match failure.kind {
                    RequestErrorKind::Cancelled => "not sent: canceled".to_owned(),
                    RequestErrorKind::NotSent | RequestErrorKind::OverBudget | RequestErrorKind::ReadOnly => {
                        format!("not sent: {}", failure.message.trim_start_matches("not sent: "))
                    }
                    RequestErrorKind::Rejected(_) => failure.message,
                    RequestErrorKind::Ambiguous if is_once => format!("check before you repeat it: {}", failure.message),
                    RequestErrorKind::Ambiguous => format!("repeating it is safe: {}", failure.message),
                };
                let failed = if is_final { &mut writing.rejected } else { &mut writing.failed };
                failed.extend(changes.into_iter().map(|change| (change, why.clone())));
                if !is_final {
                    writing.fail_queued_batches("not sent, because the previous request failed");
                }
            }
        }
        if writing.unanswered.is_empty()
            && let Some(batch) = writing.queued_batches.pop_front()
        {
            self.send_batch(&mut writing, batch);
        }
        if writing.unanswered.is_empty() {
            self.finish_write(writing);
        } else {
            self.outbox.pending_writes.in_flight.insert(at, writing);
        }
    }

    fn finish_write(&mut self, writing: PendingWrite) {
        let PendingWrite {
            number,
            cause,
            description: words,
            done_at: since,
            applied,
            mut failed,
            rejected: refused,
            conflicted: overtaken,
            unchanged: same,
            got_no_response: unanswered,
            ..
        } = writing;
        // What did not arrive can be undone or redone again, before anything older; a rejected change would be rejected every
        // time.
        let left =
            failed.iter().chain(&overtaken).filter(|_| cause != StepCause::New).map(|(change, _)| change.clone()).collect();
        self.push_write_step(cause, false, WriteUndoStep { description: words.clone(), changes: left, done_at: since });
        let unsettled = failed.len();
        failed.extend(refused);
        let met: Vec<ReversibleWrite> = overtaken.iter().map(|(change, _)| change.clone()).collect();
        failed.extend(overtaken);
        self.journal_applied_changes(number, &applied);
        let touched: Vec<Uuid> =
            applied.iter().filter_map(|change| change.forward.record_id()).chain(same.iter().copied()).collect();
        for list in self.record_lists.values_mut() {
            for id in &touched {
                list.write_errors.remove(id);
                list.marks.remove(id);
            }
            for (change, why) in &failed {
                if let Some(id) = change.forward.record_id().filter(|id| list.index_of(*id).is_some()) {
                    list.write_errors.insert(id, why.clone());
                    list.marks.insert(id);
                }
            }
        }
        let undoable = applied.iter().any(|change| change.back.is_some());
        let verb = match cause {
            StepCause::New => "done",
            StepCause::Undo => "undone",
            StepCause::Redo => "redone",
        };
        let all = applied.len() + failed.len();
        let price = applied.iter().filter(|change| matches!(change.back, Some(WriteOp::Annotate(..)))).count();
        let cost = if price > 0 { format!(", {} cr", format_count(price as u64)) } else { String::new() };
        let go_on = match cause {
            _ if met.is_empty() => "",
            StepCause::New => RESUME_HINT,
            StepCause::Undo => "{undo} reviews it",
            StepCause::Redo => "{redo} reviews it",
        };
        // The user meant to undo this write; undo would now hit the one before.
        let dropped = if failed.is_empty() && undoable { String::new() } else { self.drop_deferred_commands() };
        let notice = match failed.first() {
            None if applied.is_empty() => Notice::info(format!("Nothing to change: {words}.")),
            None if !undoable => Notice::success(format!("{verb}: {words}")),
            None => Notice::success(format!("{verb}: {words}")).with_hint(match cause {
                StepCause::Undo => format!("{{redo}} redoes it{cost}"),
                _ if applied.iter().any(|change| change.back.is_none()) => format!("{{undo}} undoes what it can{cost}"),
                _ => format!("{{undo}} undoes{cost}"),
            }),
            Some((_, why)) if all == 1 => Notice::error(format!("{words}: {why}")).with_hint(go_on),
            Some((_, why)) => Notice::error(format!(
                "{} of {} {verb}: {words}; {} still marked: {why}",
                format_count(applied.len() as u64),
                format_count(all as u64),
                format_count(failed.len() as u64)
            ))
            .with_hint(go_on),
        };
        self.notice = Some(Notice { text: notice.text + &dropped, ..notice });
        if applied.iter().any(|change| matches!(change.forward, WriteOp::SaveView(_) | WriteOp::DeleteView(_))) {
            self.read_views();
        }
        self.publish(Change::Written(FinishedWrite {
            description: words.clone(),
            cause,
            applied: applied.clone(),
            unchanged: same,
            failed,
            unsettled,
            got_no_response: unanswered,
        }));
        if undoable {
            self.push_write_step(
                cause,
                true,
                WriteUndoStep { description: words, changes: applied, done_at: self.service_now() },
            );
        }
        self.resolve_write_conflicts(cause, &met);
    }

    fn push_write_step(&mut self, cause: StepCause, arrived: bool, step: WriteUndoStep) {
        if !step.changes.is_empty() {
            let changes = if cause == StepCause::Undo { invert_writes(step.changes) } else { step.changes };
            self.outbox.history.push_step(&cause.into(), arrived, UndoStep::Write(WriteUndoStep { changes, ..step }));
        }
    }

    /// Applies a successful change to what is in memory.
    fn apply_in_memory(&mut self, part: &WriteOp, newer: Option<&Record>) {
        match part {
            WriteOp::Annotate(record_kind, id, annotation) => {
                let mut fields = annotation_fields(annotation);
                // The record is in the book from now on, and so is every row that shows it.
                fields.insert("updated_at".to_owned(), self.service_now().to_rfc3339().into());
                if let Some(newer) = newer {
                    fields.extend(newer.fields().iter().map(|(name, value)| (name.clone(), value.clone())));
                }
                self.update_record_everywhere(record_kind, *id, &fields);
                let now = self.service_now();
                self.cache_annotation(record_kind, *id, CachedAnnotation::from_annotation(annotation, now));
                self.publish(Change::Annotated(*id, CachedAnnotation::from_annotation(annotation, now)));
                if let Some(newer) = newer {
                    self.cache_annotation(record_kind, *id, CachedAnnotation::from_fields(&newer.fields(), Some(true), now));
                }
            }
            WriteOp::Forget(record_kind, id) => {
                let mut fields = Map::new();
                for name in ["workspace_status", "notes", "tags", "icp_tier", "atlas_score", "atlas_trend", "updated_at"] {
                    fields.insert(name.to_owned(), Json::Null);
                }
                self.update_record_everywhere(record_kind, *id, &fields);
                self.cache_annotation(record_kind, *id, CachedAnnotation::not_in_book(self.service_now()));
                self.drop_fetched_record(&RecordKey::for_book(record_kind, *id));
            }
            WriteOp::Add(..) | WriteOp::Remove(..) => {}
            WriteOp::Favorite(view, on) => self.set_favorite(*view, *on),
            WriteOp::Subscription(..) | WriteOp::Team(_) => {}
            // The reply does not contain these: they are read again once all replies are here.
            WriteOp::SaveView(_) | WriteOp::DeleteView(_) | WriteOp::Skill(_) => {}
        }
    }

    /// Removes rows that left the book or a View; all changes of a call are about the same list.
    fn drop_removed_rows(&mut self, applied: &[ReversibleWrite]) {
        let list = match applied.first().map(|change| &change.forward) {
            Some(WriteOp::Forget(record_kind, _)) => ListId::Book(record_kind.clone()),
            Some(WriteOp::Remove(view, _)) => ListId::View(*view),
            _ => return,
        };
        if let Some(list) = self.record_lists.get_mut(&list) {
            list.remove_rows(&applied.iter().filter_map(|change| change.forward.record_id()).collect::<Vec<_>>());
        }
    }
}

/// An annotation as the fields of a record.
fn annotation_fields(annotation: &Annotation) -> Map<String, Json> {
    match serde_json::to_value(annotation) {
        Ok(Json::Object(fields)) => fields,
        _ => Map::new(),
    }
}

fn rejection_reason(item: &BatchItemResult) -> String {
    item.error.as_ref().map_or_else(|| "rejected without a reason".to_owned(), |error| error.message.clone())
}

//! Writes: sent in batches of a hundred, with a result per item, and undone as one step.
//!
//! A write is a triage of signals, or changes of the book, Views, favorites and settings, one per
//! record, each with the change that undoes it. What was applied becomes one undo step and updates
//! what is in memory; what failed stays marked, with its reason.

use serde_json::{Map, Value as Json};
use uuid::Uuid;

use crate::app::Context;
use crate::app::annotation_cache::CachedAnnotation;
use crate::app::change::{Change, FinishedWrite};
use crate::app::context::clock::Clock;
use crate::app::context::new_view::with_created_view;
use crate::app::context::outbox::read_before_write::change_as_written;
use crate::app::context::outbox::{
    conflicts, deferred_commands, offline, read_before_write, triage,
};
use crate::app::context::prices::price_of_replay;
use crate::app::context::{Work, queue, records, saved_lists, subscriptions, views};
use crate::app::drafts::RESUME_HINT;
use crate::app::effect::{Effect, ListId, RecordKey, Slot};
use crate::app::format::{format_count, pluralize};
use crate::app::model::record_list::RecordList;
use crate::app::model::record_lists::RecordLists;
use crate::app::msg::{CallResult, Reply};
use crate::app::notice::Notice;
use crate::app::outbox::LastAct;
use crate::app::outbox::pending_write::{Outcome, PendingWrite, WritePart};
use crate::app::outbox::undo_history::{StepCause, StepItems, UndoStep};
use crate::app::outbox::write_batches::{batch_changes, batch_subscription_changes};
use crate::app::price::Price;
use crate::app::requests::Request;
use crate::domain::annotate::{CHANGED_SINCE_CODE, CheckedAnnotation, UNREADABLE_CODE};
use crate::domain::batch::BatchItemResult;
use crate::domain::book::Annotation;
use crate::domain::members::MemberAction;
use crate::domain::queue::QueueTab;
use crate::domain::records::Record;
use crate::domain::request_error::RequestError;
use crate::domain::runs::SavedRowsChange;
use crate::domain::snooze::SnoozeUntil;
use crate::domain::views::ViewDraft;
use crate::domain::writes::{ReversibleWrite, WriteOp};
use crate::domain::{SignalId, ViewId};

impl Context {
    /// Writes changes; `words` describes them to the user.
    pub fn write_changes(&mut self, words: impl Into<String>, changes: Vec<ReversibleWrite>) {
        self.write_grouped_changes(words, changes, None);
    }

    /// Writes changes that are undone together with the other steps of a group.
    pub(in crate::app::context) fn write_grouped_changes(
        &mut self,
        words: impl Into<String>,
        changes: Vec<ReversibleWrite>,
        group: Option<Uuid>,
    ) {
        let reason = self.work.request_reason();
        if self
            .keymap
            .commands()
            .any(|command| command.id == reason && command.writes)
        {
            self.outbox.last_act = Some(LastAct::Command(reason));
        }
        self.outbox.history.undone.clear();
        let items = StepItems::Changes(changes);
        self.start_write(
            StepCause::New,
            None,
            UndoStep {
                number: 0,
                description: words.into(),
                done_at: self.clock.service_now(),
                group,
                items,
            },
        );
    }

    /// Snoozes signals, marks others done and writes changes, as one step; returns how many snoozes
    /// end too late.
    pub(in crate::app) fn apply_as_one(
        &mut self,
        done: Vec<SignalId>,
        snoozed: &[(SignalId, SnoozeUntil)],
        changes: Vec<ReversibleWrite>,
    ) -> usize {
        let group = Some(self.outbox.new_group(self.clock.now));
        let outlasting = self.snooze_signals(snoozed, None, group);
        self.triage_grouped(QueueTab::New, done, group);
        // The last, so that undo begins with the step that may ask.
        if !changes.is_empty() {
            let description = format!("annotation of {}", pluralize(changes.len(), "record"));
            self.write_grouped_changes(description, changes, group);
        }
        self.outbox.last_act = Some(LastAct::Command(self.work.request_reason()));
        outlasting
    }

    /// Undoes a step.
    pub(super) fn undo_write(&mut self, step: UndoStep) {
        deferred_commands::defer_grouped_undo(&step, &self.keymap, &mut self.outbox);
        let step = match step.items {
            StepItems::Snoozes(_) => return self.replay_snoozes(StepCause::Undo, step.inverse()),
            StepItems::Signals(ref signals) => {
                self.return_signals(signals);
                step.inverse()
            }
            StepItems::Changes(changes) => {
                let changes = changes
                    .into_iter()
                    .rev()
                    .filter_map(|change| {
                        conflicts::inverse_change(change, &self.clock, &self.records)
                    })
                    .collect();
                UndoStep {
                    items: StepItems::Changes(changes),
                    ..step
                }
            }
        };
        self.start_write(StepCause::Undo, None, step);
    }

    /// Does an undone step again.
    pub(super) fn redo_write(&mut self, mut step: UndoStep) {
        deferred_commands::defer_grouped_redo(&step, &self.keymap, &mut self.outbox);
        if step
            .tab_left()
            .is_some_and(|from| offline::must_wait(from, &self.queue, &self.outbox))
        {
            let number = self.outbox.take_number();
            return offline::queue_step(
                UndoStep { number, ..step },
                &mut self.ui,
                &mut self.outbox,
            );
        }
        match &mut step.items {
            StepItems::Signals(signals) => {
                triage::remove_again(signals, &mut self.queue, &self.settings)
            }
            StepItems::Changes(changes) => changes.iter_mut().for_each(|change| {
                *change = conflicts::rebased_change(change.clone(), &self.clock, &self.records)
            }),
            StepItems::Snoozes(_) => return self.replay_snoozes(StepCause::Redo, step),
        }
        self.start_write(StepCause::Redo, None, step);
    }

    /// Cancels what has not left yet.
    pub(in crate::app) fn cancel_writes(&mut self) {
        for write in self.outbox.in_flight_mut() {
            write.cancel();
            self.work.emit(Effect::Cancel(write.slot()));
        }
        while let Some(write) = self.outbox.take_finished() {
            self.finish_write(write);
        }
    }

    /// Sends a step, where anything may be written. `op` is its journal entry when it is sent
    /// again, as nobody knows whether it arrived.
    pub(super) fn start_write(&mut self, cause: StepCause, op: Option<Uuid>, step: UndoStep) {
        if step.is_empty() {
            return;
        }
        let mut write = self
            .outbox
            .open_write(cause, step, self.clock.service_now());
        if op.is_some() {
            write.mark_resent();
        }
        if let Err(reason) = self.team.can_write(&self.session) {
            return self.finish_write(write.refused(&reason));
        }
        if write.signals().is_some() {
            queue::cancel_queue_reads(
                |ask| ask.refresh || cause == StepCause::Undo,
                &mut self.work,
                &mut self.queue,
            );
            // The triage moves rows between the pages of the check; the next poll starts it again.
            self.work.abandon_slot(Slot::Reconcile);
        }
        let step = write.step();
        self.work.emit(Effect::JournalWrite {
            slot: write.slot(),
            op,
            cause: cause.into(),
            description: step.description.clone(),
            group: step.group,
            change: step.journal_change(),
        });
        let (verb, batches) = match &step.items {
            StepItems::Signals(signals) => {
                let verb = if signals.from == QueueTab::New {
                    "marking done"
                } else {
                    "moving back to New"
                };
                (verb, write.triage_batches())
            }
            StepItems::Changes(changes) if write.changes_subscriptions() => {
                // At the start, when a write is sent again, they are not read yet.
                let now = (!write.is_resent()).then(|| self.subscriptions.all());
                ("saving", batch_subscription_changes(now, changes))
            }
            StepItems::Changes(changes) => (
                "saving",
                batch_changes(changes, |change| {
                    read_before_write::seen_values(change, cause, &self.records, &self.outbox)
                }),
            ),
            StepItems::Snoozes(_) => ("saving", Vec::new()),
        };
        self.ui.notice =
            Some(Notice::info(format!("{verb}: {}", step.description)).with_hint("Ctrl-c cancels"));
        write.enqueue(batches);
        match write.signals().map(|signals| signals.from) {
            Some(from) if self.outbox.is_sending_triage(from) => {
                triage::hold_triage(write, &mut self.outbox)
            }
            _ => self.send_or_finish(write),
        }
    }

    /// Sends what can be sent of a write; finishes it once all replies are here.
    pub(super) fn send_or_finish(&mut self, mut write: PendingWrite) {
        for (part, call) in write.take_sendable() {
            self.work
                .call_service(write.slot(), call, Request::Write(part));
        }
        if write.is_finished() {
            self.finish_write(write)
        } else {
            self.outbox.insert(write)
        }
    }

    /// Takes the reply to a request of a write.
    pub(in crate::app) fn on_write_reply(&mut self, part: WritePart, result: CallResult) {
        let Some(mut write) = self.outbox.take(part.number) else {
            return;
        };
        let items = write.take_answered(part);
        let (is_triage, of_subscriptions) =
            (write.signals().is_some(), write.changes_subscriptions());
        match result {
            Ok(Reply::Triaged(changed)) if is_triage => write.settle_signals(items, changed),
            Ok(Reply::Written(results)) if !is_triage && !of_subscriptions => {
                self.settle_changes(&mut write, &items, &results)
            }
            // A write of subscriptions is answered with the whole list: all its changes succeeded.
            Ok(Reply::Subscriptions(list)) if of_subscriptions => {
                subscriptions::store_subscriptions(list, &mut self.work, &mut self.subscriptions);
                let ok = |index| BatchItemResult {
                    index,
                    ..BatchItemResult::ok()
                };
                self.settle_changes(
                    &mut write,
                    &items,
                    &(0..items.len()).map(ok).collect::<Vec<_>>(),
                );
            }
            Ok(_) => {
                write.settle_failure(&items, &RequestError::new_ambiguous("unexpected response"))
            }
            Err(failure) => {
                let first = items
                    .first()
                    .and_then(|item| write.step().changes().get(*item))
                    .cloned();
                let failure = self.explain_gone_view(first, failure);
                write.settle_failure(&items, &failure);
            }
        }
        if is_triage {
            let (all, step) = (write.step().len(), write.step());
            let text = format!(
                "{} of {} sent: {}",
                all - write.pending_count(),
                pluralize(all, "signal"),
                step.description
            );
            self.ui.notice = Some(Notice::info(text).with_hint("Ctrl-c cancels"));
        }
        self.send_or_finish(write);
    }

    /// Settles changes by the results of their request, and applies them to what is in memory.
    fn settle_changes(
        &mut self,
        write: &mut PendingWrite,
        items: &[usize],
        results: &[BatchItemResult],
    ) {
        let mut applied = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let Some(change) = write.step().changes().get(*item).cloned() else {
                continue;
            };
            let result = results.iter().find(|result| result.index == index);
            if let Some(result) = result {
                self.cache_checked_record(&change, result);
            }
            let rejected = |reason, is_permanent| Outcome::Rejected {
                reason,
                is_permanent,
            };
            let outcome = match result {
                Some(result)
                    if result
                        .checked
                        .as_ref()
                        .is_some_and(CheckedAnnotation::is_noop)
                        && result.is_ok() =>
                {
                    if write.is_resent() {
                        // The earlier run had changed it before it ended.
                        write.settle_applied(*item, change);
                        continue;
                    }
                    Outcome::Unchanged
                }
                Some(result) if result.is_ok() => {
                    let change = with_created_view(
                        change_as_written(change, result.checked.as_ref()),
                        result,
                    );
                    self.apply_in_memory(&change.forward, result.record.as_ref());
                    if let (WriteOp::Team(MemberAction::Invite { email, .. }), Some(delivery)) =
                        (&change.forward, &result.delivery)
                    {
                        self.work
                            .publish(Change::Invited(email.clone(), delivery.clone()));
                    }
                    write.settle_applied(*item, change.clone());
                    applied.push(change);
                    continue;
                }
                Some(result) if result.has_code(CHANGED_SINCE_CODE) => {
                    Outcome::Conflicted(rejection_reason(result))
                }
                Some(result) if result.has_code(UNREADABLE_CODE) => {
                    change
                        .forward
                        .record_id()
                        .into_iter()
                        .for_each(|id| self.outbox.add_unreadable_record(id));
                    rejected(
                        format!("{}; repeat it to write anyway", rejection_reason(result)),
                        true,
                    )
                }
                Some(result) => rejected(rejection_reason(result), true),
                None => rejected(
                    "the service reported no result; repeating it is safe".to_owned(),
                    false,
                ),
            };
            write.settle(*item, outcome);
        }
        self.update_list_members(&applied);
    }

    fn finish_write(&mut self, write: PendingWrite) {
        // What was not applied can be undone or redone again.
        if write.cause() != StepCause::New {
            self.outbox
                .history
                .insert_step(write.cause(), false, write.unapplied_step());
        }
        let groups: Vec<Uuid> = write.acts().filter_map(|act| act.group).collect();
        match write.signals().map(|signals| signals.from) {
            Some(from) => {
                self.finish_triage(write, from);
                if let Some(next) = self.outbox.take_waiting_triage(from) {
                    self.send_or_finish(next);
                }
            }
            None => self.finish_changes(&write),
        }
        self.calls.report_unsaved_call(&groups, &mut self.ui);
    }

    fn finish_changes(&mut self, write: &PendingWrite) {
        let (cause, description) = (write.cause(), &write.step().description);
        let is_conflict = |outcome: &Outcome| matches!(outcome, Outcome::Conflicted(_));
        let applied = write.applied_step();
        let unchanged = write.items_where(|outcome| *outcome == Outcome::Unchanged);
        let conflicted = write.failed_changes(is_conflict);
        let met: Vec<ReversibleWrite> = conflicted
            .iter()
            .map(|(change, _)| change.clone())
            .collect();
        let is_dropped = |outcome: &Outcome| matches!(outcome, Outcome::Dropped(_));
        let mut failed = write.failed_changes(|outcome| {
            outcome.is_retriable() && !is_conflict(outcome) && !is_dropped(outcome)
        });
        failed.extend(write.failed_changes(is_dropped));
        let unsettled = failed.len();
        failed.extend(write.failed_changes(|outcome| !outcome.is_retriable()));
        failed.extend(conflicted);
        self.record_change_failures(write, &failed);
        self.work.emit(Effect::JournalApplied {
            slot: write.slot(),
            change: applied.journal_change(),
            // What was never compared or sent stays unknown.
            settles_interrupted: write.is_resent() && failed.is_empty() && unchanged.is_empty(),
        });
        let touched: Vec<Uuid> = applied.record_ids().chain(unchanged.record_ids()).collect();
        for list in self.records.lists.values_mut() {
            for id in &touched {
                list.write_errors.remove(id);
                list.marks.remove(id);
            }
            for (change, why) in &failed {
                if let Some(id) = change
                    .forward
                    .record_id()
                    .filter(|id| list.index_of(*id).is_some())
                {
                    list.write_errors.insert(id, why.clone());
                    list.marks.insert(id);
                }
            }
        }
        self.queue.unmark_projects(&touched);
        // The user meant to undo this write; undo would now hit the one before.
        let is_whole = failed.is_empty() && applied.is_undoable();
        let dropped = if is_whole {
            String::new()
        } else {
            deferred_commands::drop_deferred_commands(&mut self.outbox)
        };
        let notice = write_outcome_notice(write, &applied, &failed, !met.is_empty());
        let notice = if self.is_new_view_filled(applied.changes()) && failed.is_empty() {
            notice.with_hint("{undo} deletes the View")
        } else {
            notice
        };
        self.ui.notice = Some(Notice {
            text: notice.text + &dropped,
            ..notice
        });
        let changes_views = |op: &WriteOp| {
            matches!(
                op,
                WriteOp::SaveView(_)
                    | WriteOp::DeleteView(_)
                    | WriteOp::Add(..)
                    | WriteOp::Remove(..)
            )
        };
        if applied
            .changes()
            .iter()
            .any(|change| changes_views(&change.forward))
        {
            views::read_views(&mut self.work, &mut self.views);
        }
        self.work.publish(Change::Written(FinishedWrite {
            description: description.clone(),
            cause,
            applied: applied.changes().to_vec(),
            unchanged: unchanged.record_ids().collect(),
            failed,
            unsettled,
            got_no_response: write.count(|outcome| {
                matches!(
                    outcome,
                    Outcome::NotSent {
                        is_deferred: true,
                        ..
                    } | Outcome::Unknown(_)
                )
            }) > 0,
        }));
        let created = applied.changes().to_vec();
        let is_final = !applied.is_empty()
            && !applied.is_undoable()
            && !self.is_new_view_filled(applied.changes());
        if is_final && cause == StepCause::New {
            self.outbox
                .set_final_act(write.number(), description.clone());
        }
        if applied.is_undoable() {
            self.outbox.history.insert_step(
                cause,
                true,
                UndoStep {
                    done_at: self.clock.service_now(),
                    ..applied
                },
            );
        }
        self.settle_call(write);
        self.resolve_write_conflicts(write, &met);
        self.on_views_written(write.number(), &created);
    }

    /// Applies a successful change to what is in memory.
    fn apply_in_memory(&mut self, part: &WriteOp, newer: Option<&Record>) {
        match part {
            WriteOp::Annotate(record_kind, id, annotation) => {
                let mut fields = book_fields(annotation, &self.clock);
                if let Some(newer) = newer {
                    fields.extend(
                        newer
                            .fields()
                            .iter()
                            .map(|(name, value)| (name.clone(), value.clone())),
                    );
                }
                self.records.update_record(record_kind, *id, &fields);
                saved_lists::update_saved_rows(*id, fields.clone().into(), &mut self.work);
                let now = self.clock.service_now();
                self.cache_annotation(
                    record_kind,
                    *id,
                    CachedAnnotation::from_annotation(annotation, now),
                );
                self.work.publish(Change::Annotated(
                    *id,
                    CachedAnnotation::from_annotation(annotation, now),
                ));
                if let Some(newer) = newer {
                    self.cache_annotation(
                        record_kind,
                        *id,
                        CachedAnnotation::from_fields(&newer.fields(), Some(true), now),
                    );
                }
            }
            WriteOp::Forget(record_kind, id) => {
                let mut fields = Map::new();
                for name in [
                    "workspace_status",
                    "notes",
                    "tags",
                    "icp_tier",
                    "atlas_score",
                    "atlas_trend",
                    "updated_at",
                ] {
                    fields.insert(name.to_owned(), Json::Null);
                }
                self.records.update_record(record_kind, *id, &fields);
                saved_lists::update_saved_rows(*id, fields.clone().into(), &mut self.work);
                self.cache_annotation(
                    record_kind,
                    *id,
                    CachedAnnotation::not_in_book(self.clock.service_now()),
                );
                records::drop_fetched_record(
                    &RecordKey::for_book(record_kind, *id),
                    &mut self.work,
                    &mut self.records.fetched,
                );
            }
            WriteOp::Add(..) | WriteOp::Remove(..) => {}
            WriteOp::Favorite(view, on) => {
                views::set_favorite(*view, *on, &mut self.work, &mut self.views)
            }
            WriteOp::Subscription(..) | WriteOp::Team(_) => {}
            // The reply does not contain these: they are read again once all replies are here.
            WriteOp::SaveView(ViewDraft {
                view_id: Some(view),
                definition: Some(_),
                ..
            }) => forget_view_rows(*view, &mut self.work, &mut self.records.lists),
            WriteOp::SaveView(_) | WriteOp::Skill(_) => {}
            WriteOp::DeleteView(view) => self
                .work
                .emit(Effect::ChangeSavedRows(SavedRowsChange::DeleteView(*view))),
        }
    }

    /// Removes rows that left the book or a View, and adds those that joined one; all changes of a
    /// call are about the same list.
    fn update_list_members(&mut self, applied: &[ReversibleWrite]) {
        let ids: Vec<Uuid> = applied
            .iter()
            .filter_map(|change| change.forward.record_id())
            .collect();
        let (list, change) = match applied.first().map(|change| &change.forward) {
            Some(WriteOp::Forget(kind, _)) => (
                ListId::Book(kind.clone()),
                SavedRowsChange::LeaveBook(kind.clone(), ids.clone()),
            ),
            Some(WriteOp::Annotate(kind, ..)) => {
                let annotated = applied.iter().filter_map(|change| match &change.forward {
                    WriteOp::Annotate(_, id, annotation) => {
                        Some((*id, book_fields(annotation, &self.clock)))
                    }
                    _ => None,
                });
                let annotated = annotated.collect();
                return saved_lists::add_book_rows(
                    kind,
                    annotated,
                    &mut self.work,
                    &mut self.records.lists,
                );
            }
            Some(WriteOp::Add(view, _)) => {
                return saved_lists::add_view_rows(
                    *view,
                    ids,
                    &mut self.work,
                    &mut self.records.lists,
                );
            }
            Some(WriteOp::Remove(view, _)) => (
                ListId::View(*view),
                SavedRowsChange::LeaveView(*view, ids.clone()),
            ),
            _ => return,
        };
        if let Some(list) = self.records.lists.get_mut(&list) {
            list.remove_rows(&ids);
        }
        self.work.emit(Effect::ChangeSavedRows(change));
    }
}

/// An annotation as the fields of a record, which is in the book from now on, as is every row
/// that shows it.
fn book_fields(annotation: &Annotation, clock: &Clock) -> Map<String, Json> {
    let mut fields = annotation_fields(annotation);
    fields.insert(
        "updated_at".to_owned(),
        clock.service_now().to_rfc3339().into(),
    );
    fields
}

/// The rows of a View whose definition changed are those of another list.
fn forget_view_rows(view: ViewId, work: &mut Work, record_lists: &mut RecordLists) {
    if let Some(list) = record_lists.get_mut(&ListId::View(view)) {
        *list = RecordList::new(list.source.clone());
    }
    work.emit(Effect::ChangeSavedRows(SavedRowsChange::DeleteView(view)));
}

/// An annotation as the fields of a record.
fn annotation_fields(annotation: &Annotation) -> Map<String, Json> {
    match serde_json::to_value(annotation) {
        Ok(Json::Object(fields)) => fields,
        _ => Map::new(),
    }
}

fn rejection_reason(item: &BatchItemResult) -> String {
    item.error.as_ref().map_or_else(
        || "rejected without a reason".to_owned(),
        |error| error.message.clone(),
    )
}

/// Reports what a write of changes did. `met_changes`: somebody changed some of the records
/// meanwhile.
fn write_outcome_notice(
    write: &PendingWrite,
    applied: &UndoStep,
    failed: &[(ReversibleWrite, String)],
    met_changes: bool,
) -> Notice {
    let (cause, words) = (write.cause(), &write.step().description);
    let verb = match cause {
        StepCause::New => "done",
        StepCause::Undo => "undone",
        StepCause::Redo => "redone",
    };
    let all = applied.len() + failed.len();
    let cost = match price_of_replay(applied.changes()) {
        Price::Free => String::new(),
        price => format!(", {}", price.stated()),
    };
    let go_on = match cause {
        _ if !met_changes => "",
        StepCause::New => RESUME_HINT,
        StepCause::Undo => "{undo} reviews it",
        StepCause::Redo => "{redo} reviews it",
    };
    match failed.first() {
        None if applied.is_empty() => Notice::info(format!("Nothing to change: {words}.")),
        None if !applied.is_undoable() => Notice::success(format!("{verb}: {words}")),
        None => Notice::success(format!("{verb}: {words}")).with_hint(match cause {
            StepCause::Undo => format!("{{redo}} redoes{cost}"),
            _ if applied.changes().iter().any(|change| change.back.is_none()) => {
                format!("{{undo}} undoes what it can{cost}")
            }
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
    }
}

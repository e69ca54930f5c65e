//! Logging calls: the outcome as the status of the record, a dated line in its note, and the signal
//! done. Undone as one.
//!
//! No record is read for the form. The record is read again right before it is written, like with
//! any annotation.

use chrono::NaiveDateTime;
use uuid::Uuid;

use crate::app::action::Action;
use crate::app::command::{Availability, require};
use crate::app::context::promises::own_name;
use crate::app::context::{Ui, snooze};
use crate::app::drafts::{DraftName, RestoredDrafts};
use crate::app::model::records::record_name;
use crate::app::notice::Notice;
use crate::app::outbox::pending_write::PendingWrite;
use crate::app::overlay::Overlay;
use crate::app::overlay::call_form::{CallDraft, CallEffect, CallForm, Calls, SentCall};
use crate::app::price::Price;
use crate::app::selection::Subject;
use crate::app::{AppSettings, Context, Screen};
use crate::domain::SignalId;
use crate::domain::annotate::AnnotationAddition;
use crate::domain::book::{Dataset, RecordKind};
use crate::domain::call_outcomes::{AfterCall, CallOutcome};
use crate::domain::promises::{Promise, describe_due};
use crate::domain::queue::QueueTab;
use crate::domain::snooze::{SnoozeUntil, parse_snooze_until};
use crate::domain::writes::ReversibleWrite;

/// What is promised where the note of a call says nothing.
const CALL_AGAIN: &str = "call again";

impl Calls {
    /// Says that a call of these groups was not saved. Its form comes back unless something else is
    /// open: what is typed meanwhile goes into its note and chooses no outcome.
    pub(super) fn report_unsaved_call(&mut self, groups: &[Uuid], ui: &mut Ui) {
        let is_of_groups =
            |call: &CallForm| call.group.is_some_and(|group| groups.contains(&group));
        let Some(at) = self.unsaved.iter().position(is_of_groups) else {
            return;
        };
        let call = &self.unsaved[at];
        let Some(failure) = &call.failure else { return };
        let text = format!(
            "The call on {} was not saved: {failure}. Your note is kept.",
            call.name
        );
        let notice = Notice::error(text);
        if ui.is_typing() {
            ui.notice = Some(notice.with_hint("{annotate.call} resumes it"));
            return;
        }
        ui.notice = Some(notice);
        let form = self.unsaved.remove(at);
        ui.overlay = Some(Overlay::Call(CallForm {
            is_choosing: false,
            ..form
        }));
    }

    /// The outcome with which a call is logged again.
    pub(in crate::app) fn repeated_outcome<'s>(
        &self,
        settings: &'s AppSettings,
    ) -> Option<&'s str> {
        let outcome = settings.call_outcomes.get(self.last_outcome?)?;
        Some(&outcome.label)
    }

    /// Offers the notes of calls that an earlier run did not save.
    pub(in crate::app) fn restore_calls(&mut self, drafts: &RestoredDrafts, ui: &mut Ui) {
        let Some(calls) = drafts.content::<Vec<CallDraft>>(&DraftName::Calls) else {
            return;
        };
        if let Some(first) = calls.first().map(|draft| CallForm::from(draft.clone())) {
            let text = format!("Not saved: a call on {}. Its note is kept.", first.name);
            ui.notice =
                Some(Notice::warning(text).with_hint("{annotate.call} on the record resumes it"));
        }
        self.unsaved.extend(calls.into_iter().map(CallForm::from));
    }
}

impl Context {
    /// Whether a call can be logged here.
    pub(in crate::app) fn can_log_call(&self) -> Availability {
        if self.queue.previous_queue_for(QueueTab::New).is_some() {
            return Err("the service has not responded yet".into());
        }
        let has_failed = self.calls.unsaved.iter().any(|call| call.failure.is_some());
        require(
            has_failed || self.call_here().is_some(),
            "there is no record here",
        )
    }

    /// Opens the form for the signal or record under the cursor. A call that could not be saved
    /// comes first.
    pub(in crate::app) fn open_call_form(&mut self) {
        let failed = self
            .calls
            .unsaved
            .iter()
            .position(|call| call.failure.is_some());
        let here = self.call_here();
        let same = here.as_ref().and_then(|here| {
            self.calls
                .unsaved
                .iter()
                .position(|call| call.id == here.id)
        });
        let form = match failed.or(same) {
            Some(at) => Some(CallForm {
                is_choosing: false,
                ..self.calls.unsaved.remove(at)
            }),
            None => here,
        };
        if let Some(form) = form {
            self.ui.notice = None;
            self.ui.overlay = Some(Overlay::Call(form));
            self.read_call_opening();
        }
    }

    /// Whether `.` can log another call with the same outcome here.
    pub(in crate::app) fn can_repeat_call(&self) -> Availability {
        self.can_log_call()?;
        self.calls.last_outcome.ok_or("no call was logged yet")?;
        let here = self.call_here().ok_or("there is no record here")?;
        let sent = self.calls.in_flight.iter().map(|call| &call.form);
        let mut unsaved = self.calls.unsaved.iter().chain(sent);
        require(
            unsaved.all(|call| call.id != here.id),
            "a call on this record is not saved yet; {annotate.call} resumes it",
        )
    }

    /// Logs a call with the outcome of the last one on the current row, without a note.
    pub(in crate::app) fn repeat_call(&mut self) {
        if let (Some(outcome), Some(form)) = (self.calls.last_outcome, self.call_here()) {
            self.ui.overlay = Some(Overlay::Call(CallForm {
                is_choosing: true,
                ..form
            }));
            self.save_call(outcome);
        }
    }

    pub(in crate::app) fn repeated_call_price(&self) -> Price {
        self.call_here()
            .map_or(Price::Free, |form| self.records.call_form_price(&form))
    }

    /// A new form for what is under the cursor; for a signal it is about the project.
    fn call_here(&self) -> Option<CallForm> {
        match self.ui.screen() {
            _ if let (Screen::Record | Screen::Queue, Subject::Record(key, name)) =
                (self.ui.screen(), &self.ui.focus.subject) =>
            {
                let kind = Some(&key.dataset)
                    .filter(|dataset| **dataset != Dataset::Signals)?
                    .as_str()
                    .into();
                Some(CallForm::new(kind, key.id, name.clone(), None))
            }
            Screen::Queue | Screen::Detail => {
                let signal = &self.current_signal()?.signal;
                let name = signal
                    .project_name
                    .clone()
                    .unwrap_or_else(|| "unnamed".to_owned());
                let new = Some(signal.id).filter(|id| self.queue.new.list.row(*id).is_some());
                let project = signal.project_id?.0;
                Some(CallForm {
                    about: signal.signal_type.clone(),
                    ..CallForm::new(RecordKind::Projects, project, name, new)
                })
            }
            _ => {
                let list = self.records.lists.shown_list(self.ui.focused_list())?;
                let row = list.current_record()?;
                Some(CallForm::new(
                    list.source.record_kind()?,
                    row.id,
                    record_name(&row.fields()),
                    None,
                ))
            }
        }
    }

    /// Makes room for a question.
    pub(in crate::app) fn close_call_form_if_open(&mut self) {
        if matches!(self.ui.overlay, Some(Overlay::Call(_))) {
            self.close_call_form();
        }
    }

    /// Closes the form; the note is kept.
    pub(in crate::app) fn close_call_form(&mut self) {
        self.take_back_marks_of_unsaved_calls();
        let Some(Overlay::Call(form)) = self.ui.overlay.take() else {
            return;
        };
        if !form.note.text().trim().is_empty() {
            let end = if self.drafts.has_persistent_drafts() {
                ""
            } else {
                " until you quit"
            };
            let notice = Notice::info(format!("Nothing was written. Your note is kept{end}."));
            self.ui.notice =
                Some(notice.with_hint("{annotate.call} on the same record resumes it"));
            self.calls.unsaved.push(CallForm {
                failure: None,
                ..form
            });
        } else if form.failure.is_some() {
            let text = format!("The call on {} was not saved.", form.name);
            self.ui.notice = Some(Notice::warning(text).with_hint("{annotate.call} logs it again"));
        }
    }

    /// Saves the call with this outcome and moves on.
    pub(in crate::app) fn save_call(&mut self, outcome: usize) {
        let number = outcome;
        let Some(outcome) = self.settings.call_outcomes.get(outcome).cloned() else {
            return refuse_outcome(&(number + 1).to_string(), &mut self.ui, &self.settings);
        };
        let Some(Overlay::Call(form)) = &self.ui.overlay else {
            return;
        };
        let now = self.clock.local_now();
        let then = outcome.then.keep_promise(form.note.text(), &now);
        let until = match &then {
            AfterCall::Snooze(text) => match parse_snooze_until(text, &now) {
                Ok(until) => Some(until),
                Err(why) => {
                    return self.ui.warn(format!("outcome {}: {why}", outcome.label));
                }
            },
            _ => None,
        };
        if self.outbox.is_record_pending(form.id) {
            let text = format!(
                "{} is still being written; choose the outcome again in a moment",
                form.name
            );
            self.ui.warn(text);
            return;
        }
        let mut form = form.clone();
        self.ui.overlay = None;
        self.pressed.guard_next_keys(&mut self.work);
        self.calls.last_outcome = Some(number);
        let signal = form
            .signal
            .filter(|id| self.queue.new.list.row(*id).is_some());
        let due = match until {
            Some(SnoozeUntil::Time(at)) if signal.is_none() && !form.is_put_off => {
                Some(self.clock.to_local(at))
            }
            _ => None,
        };
        let change = self.call_change(&form, &outcome, due);
        let now = self.clock.service_now();
        let group = form.group.unwrap_or_else(|| self.outbox.new_group(now));
        form.group = Some(group);
        let is_retry = form.failure.take().is_some();
        let description = format!("call on {}: {}", form.name, outcome.label);
        let effect = match (signal, until) {
            (Some(id), Some(until)) => CallEffect::Snoozed {
                until,
                outlasts_queue: self.snooze_signals(&[(id, until)], None, Some(group)) > 0,
            },
            (Some(id), None) if then == AfterCall::Done => {
                self.triage_grouped(QueueTab::New, vec![id], Some(group));
                CallEffect::Done(id)
            }
            _ => due.map_or(CallEffect::None, CallEffect::Promised),
        };
        // It is marked done now, even if the note has to be saved again.
        let form = CallForm {
            signal: None,
            ..form
        };
        self.calls.in_flight.push(SentCall {
            form,
            outcome: outcome.label.clone(),
            effect,
        });
        // The last step, so that undo begins with the half that may ask.
        self.write_grouped_changes(description, vec![change], Some(group));
        if is_retry {
            return;
        }
        if self.ui.screen() == Screen::Detail {
            self.work.perform(Action::GoBack);
        }
        if self.ui.screen() != Screen::Record
            && (signal.is_none() || outcome.then == AfterCall::Nothing)
        {
            self.work.perform(Action::MoveCursor(1));
        }
    }

    /// What is written on the record, compared with what is known of it; what is due then is
    /// promised.
    fn call_change(
        &self,
        form: &CallForm,
        outcome: &CallOutcome,
        due: Option<NaiveDateTime>,
    ) -> ReversibleWrite {
        let today = self.clock.local_now().date_naive();
        let note = form.note.text().trim();
        let me = own_name(&self.team, &self.queue);
        let line = outcome.write_line(today, me.as_deref(), note);
        let what = if note.is_empty() { CALL_AGAIN } else { note };
        let promise = due.map(|due| Promise::new(due, me, what).to_string());
        let lines = [Some(line), promise];
        let addition = AnnotationAddition {
            status: Some(outcome.status.clone()),
            note: Some(lines.into_iter().flatten().collect::<Vec<_>>().join("\n")),
            tags: Vec::new(),
        };
        self.records.addition_change(&form.kind, form.id, &addition)
    }

    /// A write is finished: says what a call did, or keeps the form of one that was not saved.
    pub(super) fn settle_call(&mut self, write: &PendingWrite) {
        let is_of_write =
            |call: &SentCall| call.form.group.is_some() && call.form.group == write.step().group;
        let Some(at) = self
            .calls
            .in_flight
            .iter()
            .position(is_of_write)
            .filter(|_| write.signals().is_none())
        else {
            return;
        };
        let call = self.calls.in_flight.remove(at);
        if let Some((_, failure)) = write.failed_changes(|_| true).into_iter().next() {
            let failure = match call.effect {
                CallEffect::Snoozed { .. } => format!("{failure}; the signal is snoozed already"),
                _ => failure,
            };
            return self.calls.unsaved.push(CallForm {
                failure: Some(failure),
                is_put_off: call.form.is_put_off
                    || matches!(call.effect, CallEffect::Snoozed { .. }),
                ..call.form
            });
        }
        let hint = self.ui.notice.take().map(|notice| notice.hint);
        let notice = self.describe_call(&call);
        self.ui.notice = Some(notice.with_hint(hint.unwrap_or_default()));
    }

    fn describe_call(&self, call: &SentCall) -> Notice {
        let (outcome, name) = (&call.outcome, &call.form.name);
        match call.effect {
            CallEffect::Snoozed {
                until,
                outlasts_queue: true,
            } => Notice::warning(format!(
                "{outcome} noted; {name} will have left the queue by {}",
                snooze::format_until(until, &self.clock)
            )),
            CallEffect::Snoozed { until, .. } => {
                let with = match until {
                    SnoozeUntil::Time(_) => "",
                    SnoozeUntil::NextFiling => "with ",
                };
                Notice::success(format!(
                    "{outcome} noted; {name} is back {with}{}",
                    snooze::format_until(until, &self.clock)
                ))
            }
            // It is back on the list when it could not be marked done.
            CallEffect::Done(id)
                if self.queue.new.list.row(id).is_none() && !self.outbox.offline.is_waiting(id) =>
            {
                Notice::success(format!("{outcome} noted on {name}; done for everyone"))
            }
            CallEffect::Promised(due) => Notice::success(format!(
                "{outcome} noted on {name}; promised for {}",
                describe_due(due, self.clock.local_now().naive_local())
            )),
            CallEffect::Done(_) | CallEffect::None => {
                Notice::success(format!("{outcome} noted on {name}"))
            }
        }
    }

    /// Takes back the marks that wait for the service and belong to calls whose notes are not
    /// saved: saving such a call marks its signal again.
    pub(in crate::app::context) fn take_back_marks_of_unsaved_calls(&mut self) {
        let open = match &mut self.ui.overlay {
            Some(Overlay::Call(form)) => Some(form),
            _ => None,
        };
        let mut marks = Vec::new();
        for form in self.calls.unsaved.iter_mut().chain(open) {
            let mut waiting = self.outbox.offline.waiting().iter();
            let mark = waiting.rfind(|step| form.group.is_some() && step.group == form.group);
            if let Some(step) = mark {
                form.signal = step.signal_ids().next();
                marks.push(step.number);
            }
        }
        for number in marks {
            if let Some(step) = self.outbox.offline.take(number)
                && let Some(from) = step.tab_left()
            {
                let ids: Vec<SignalId> = step.signal_ids().collect();
                self.outbox.reconciliation.drop_signals(from, &ids);
            }
        }
    }

    /// Saves the notes of calls that are not written yet.
    pub(in crate::app) fn save_call_drafts(&mut self) {
        let open = match &self.ui.overlay {
            Some(Overlay::Call(form)) => Some(form),
            _ => None,
        };
        let calls = open
            .into_iter()
            .chain(&self.calls.unsaved)
            .chain(self.calls.in_flight.iter().map(|call| &call.form));
        let has_note = |form: &&CallForm| !form.note.text().trim().is_empty();
        let drafts: Vec<CallDraft> = calls.filter(has_note).map(CallDraft::from).collect();
        self.drafts.save_draft(
            &DraftName::Calls,
            (!drafts.is_empty()).then_some(&drafts),
            &mut self.work,
        );
    }
}

/// Says which outcomes there are.
pub(in crate::app) fn refuse_outcome(number: &str, ui: &mut Ui, settings: &AppSettings) {
    let last = settings.call_outcomes.len();
    ui.warn(format!("there is no outcome {number}; choose 1 to {last}"));
}

#[cfg(test)]
mod tests {
    use chrono::Duration;
    use serde_json::json;

    use crate::app::effect::ServiceCall;
    use crate::app::msg::{Msg, Push};
    use crate::app::testing::{TestConsole, morning_queue, signal_id};
    use crate::app::{AppSettings, ConsoleSession, Screen};
    use crate::domain::call_outcomes::CallOutcome;
    use crate::domain::health::Health;
    use crate::domain::patch::Patch;
    use crate::domain::queue::QueueSignal;
    use crate::domain::request_error::RequestError;
    use crate::domain::writes::WriteOp;

    fn start() -> TestConsole {
        let mut console = TestConsole::with_rows(morning_queue());
        let project = |row: &QueueSignal| json!({ "id": row.signal.project_id, "name": row.signal.project_name });
        let projects = morning_queue()
            .iter()
            .filter_map(|row| project(row).as_object().cloned())
            .collect();
        console.service.records.insert("projects", projects);
        console.serve()
    }

    impl TestConsole {
        /// Agrees to the read before undo or redo, a second later.
        fn confirm(self) -> Self {
            self.advance_time(Duration::seconds(1))
                .press("Enter")
                .serve()
        }
    }

    /// Status and note of the records written, in order.
    fn written(console: &TestConsole) -> Vec<(String, String)> {
        let text = |patch: &Patch<String>| {
            if let Patch::Set(text) = patch {
                text.clone()
            } else {
                String::new()
            }
        };
        let steps = console.context().outbox.history.done.iter();
        let forward = steps
            .flat_map(|step| step.changes())
            .map(|change| &change.forward);
        forward
            .filter_map(|write| match write {
                WriteOp::Annotate(_, _, to) => Some((text(&to.workspace_status), text(&to.notes))),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn five_calls_are_logged_with_four_keys_each_besides_text() {
        let mut console = start();
        for (outcome, text) in [
            ("1", "wants a bid"),
            ("2", ""),
            ("3", ""),
            ("4", "Monday at 9"),
            ("5", ""),
        ] {
            let before = console.cursor_id();
            console = console
                .press("a c")
                .type_text(text)
                .press("Enter")
                .press(outcome)
                .serve();
            assert_ne!(console.cursor_id(), before, "the cursor is on the next row");
        }
        assert_eq!(
            console.service_new_count(),
            13,
            "whoever was not reached is called again"
        );
        assert_eq!(console.context().queue.snoozes.sleeping_count(), 2);
        let written = written(&console);
        assert_eq!(written.len(), 5);
        assert_eq!(
            written[0],
            (
                "reached".to_owned(),
                "2026-07-09 call by Ana R.: reached. wants a bid".to_owned()
            )
        );
        let last_line = |nth: usize| written[nth].1.lines().last().unwrap_or_default().to_owned();
        assert_eq!(last_line(1), "2026-07-09 call by Ana R.: voicemail.");
        assert_eq!(
            last_line(3),
            "2026-07-09 call by Ana R.: meeting set. Monday at 9"
        );
        assert_eq!(console.triage_calls().len(), 3);
    }

    #[test]
    fn one_undo_takes_back_a_whole_call_and_one_redo_repeats_it() {
        let console = start()
            .press("a c")
            .type_text("wants a bid")
            .press("Enter 1")
            .serve();
        assert_eq!(
            (written(&console).len(), console.service_new_count()),
            (1, 15)
        );
        let console = console.press("z").serve();
        assert!(
            console
                .screen_text()
                .contains("read 1 project first, then undo"),
            "{}",
            console.screen_text()
        );
        let console = console.press("Esc");
        assert_eq!(
            (written(&console).len(), console.service_new_count()),
            (1, 15),
            "nothing is undone"
        );
        let console = console.press("z").serve().confirm();
        assert_eq!(
            (written(&console).len(), console.service_new_count()),
            (0, 16),
            "{}",
            console.screen_text()
        );
        assert!(console.context().outbox.history.done.is_empty());
        assert_eq!(
            console.cursor_id(),
            signal_id(1),
            "the cursor is on what came back"
        );
        let console = console.press("Z").serve().confirm();
        assert_eq!(
            (written(&console).len(), console.service_new_count()),
            (1, 15),
            "{}",
            console.screen_text()
        );
        let console = console.press("z").serve().confirm();
        assert_eq!(
            (written(&console).len(), console.service_new_count()),
            (0, 16)
        );
    }

    #[test]
    fn a_call_is_one_line_of_what_can_be_undone_and_one_undo_after_a_restart() {
        let console = start()
            .press("e")
            .serve()
            .press("a c")
            .type_text("wants a bid")
            .press("Enter 1")
            .serve();
        let check = |console: TestConsole| {
            let console = console.press("g u");
            let screen = console.screen_text();
            let text = "call on Union Depot Tower: reached + done: ";
            assert!(
                screen.contains(text) && screen.contains("2 changes"),
                "{screen}"
            );
            assert_eq!(
                screen
                    .lines()
                    .filter(|line| line.contains("09:20 "))
                    .count(),
                2,
                "{screen}"
            );
            console.press("Esc")
        };
        let console = check(console).restart();
        let console = check(console);
        assert_eq!(
            (
                console.context().outbox.history.done.len(),
                console.service_new_count()
            ),
            (3, 14)
        );
        let console = console.press("z").serve().confirm();
        assert_eq!(
            (written(&console).len(), console.service_new_count()),
            (0, 15),
            "{}",
            console.screen_text()
        );
        assert_eq!(console.context().outbox.history.done.len(), 1);
        let console = console.restart().press("Z").serve().confirm();
        assert_eq!(
            (written(&console).len(), console.service_new_count()),
            (1, 14),
            "{}",
            console.screen_text()
        );
    }

    #[test]
    fn an_older_call_is_undone_as_a_whole_from_the_list() {
        let console = start()
            .press("a c Enter 2")
            .serve()
            .press("e")
            .serve()
            .restart();
        let console = console.press("g u j Enter").serve().confirm();
        assert_eq!(
            (written(&console).len(), console.service_new_count()),
            (0, 15),
            "{}",
            console.screen_text()
        );
        assert_eq!(
            console.context().outbox.history.done.len(),
            1,
            "the newer step stays"
        );
    }

    #[test]
    fn undo_right_after_two_calls_takes_back_the_second_one_only() {
        let console = start()
            .press("a c Enter 1")
            .serve()
            .press("a c Enter 4 z")
            .serve()
            .confirm();
        assert_eq!(
            (written(&console).len(), console.service_new_count()),
            (1, 15)
        );
        assert_eq!(console.press("z").serve().confirm().service_new_count(), 16);
    }

    #[test]
    fn a_call_that_is_not_saved_keeps_what_was_typed() {
        let console = start()
            .press("a c")
            .serve()
            .type_text("wants a bid")
            .press("Enter 1");
        let console = console
            .serve_next()
            .fail_next(RequestError::new_not_sent("no network"))
            .serve();
        let text = "The call on Harbor Yard Lofts was not saved: ";
        assert!(
            console.notice_text().starts_with(text),
            "{}",
            console.notice_text()
        );
        assert_eq!(
            console.service_new_count(),
            15,
            "the other half is not undone"
        );
        let screen = console.screen_text();
        assert!(
            screen.contains("Call: Harbor Yard Lofts") && screen.contains("wants a bid"),
            "the form is open again: {screen}"
        );
        let console = console.press("Enter 1").serve();
        assert_eq!(
            written(&console),
            [(
                "reached".to_owned(),
                "2026-07-09 call by Ana R.: reached. wants a bid".to_owned()
            )]
        );
        let console = console.press("z").serve().confirm();
        assert_eq!(
            (written(&console).len(), console.service_new_count()),
            (0, 16),
            "it is still one call"
        );
    }

    #[test]
    fn a_call_that_is_not_saved_in_an_outage_marks_nothing_done_when_the_service_is_back() {
        let mut console = start()
            .press("a c")
            .serve()
            .type_text("wants a bid")
            .press("Enter 1");
        while !console.pending_calls.is_empty() {
            console = console.fail_next(RequestError::new_not_sent("connection refused"));
        }
        let health = |health| Msg::Pushed(Push::Health(health));
        let offline = Health::Offline {
            since: chrono::DateTime::UNIX_EPOCH,
            reason: "connection refused".to_owned(),
        };
        let console = console
            .send(health(offline))
            .press("Esc")
            .send(health(Health::Online))
            .serve();
        assert_eq!(
            (written(&console).len(), console.service_new_count()),
            (0, 16)
        );
        let console = console.press("a c Enter 1").serve();
        assert_eq!(
            (written(&console).len(), console.service_new_count()),
            (1, 15),
            "saved again, it is done: {}",
            console.screen_text()
        );
    }

    #[test]
    fn a_call_on_a_record_with_a_status_that_was_never_read_asks_again_on_the_same_record() {
        let mut console = start();
        let project = console.context().current_signal().unwrap();
        let project = project.signal.project_id.unwrap().0;
        let book = console.service.book.entry(project).or_default();
        book.insert("workspace_status".to_owned(), json!("won"));
        let console = console
            .press("a c")
            .type_text("no answer")
            .press("Enter 1")
            .serve();
        let screen = console.screen_text();
        assert!(
            screen.contains("the record has the status “won” now")
                && screen.contains("Call: Harbor Yard Lofts"),
            "{screen}"
        );
        assert!(written(&console).is_empty());
        let console = console.press("Enter 1").serve();
        assert_eq!(written(&console).len(), 1, "{}", console.screen_text());
        let next = console.press("a c").screen_text();
        assert!(!next.contains("Call: Harbor Yard Lofts"), "{next}");
    }

    #[test]
    fn no_record_is_read_for_the_form_and_it_says_what_is_missing() {
        let console = start();
        let calls = console.calls.len();
        let console = console.press("a c");
        assert!(
            console.calls[calls..]
                .iter()
                .all(|call| matches!(call, ServiceCall::Skills(_))),
            "Skills are free"
        );
        let screen = console.screen_text();
        let unread = "firms and people: not read yet";
        assert!(screen.contains(unread), "{screen}");
        assert!(screen.contains("Ctrl-r read the index 1 cr"), "{screen}");
        assert!(
            screen.contains("not read yet; the book may say who called"),
            "{screen}"
        );
        assert!(
            screen.contains("Enter then 1-5 save for everyone; 1 cr if in the book."),
            "{screen}"
        );
        let console = console.press("Enter 1").serve();
        let reads = |call: &&ServiceCall| matches!(call, ServiceCall::Record { .. });
        assert_eq!(console.calls.iter().filter(reads).count(), 0);
    }

    #[test]
    fn the_form_reads_whom_to_call_and_then_who_called_before() {
        let console = start()
            .press("5")
            .serve()
            .press("k Left Left E")
            .type_text("city=Austin")
            .press("Enter")
            .serve()
            .press("Enter")
            .serve()
            .press("a c");
        let screen = console.screen_text();
        assert!(screen.contains("Ctrl-r read the index 1 cr"), "{screen}");
        let spent = console.service.spent;
        let console = console.press("Ctrl-r").serve();
        let screen = console.screen_text();
        assert_eq!(console.service.spent, spent + 1);
        assert!(screen.contains("D. Okafor"), "{screen}");
        assert!(
            screen.contains("Ctrl-r read the book at most 1 cr"),
            "{screen}"
        );
        let screen = console.press("Ctrl-r").serve().screen_text();
        assert!(!screen.contains("who called before"), "{screen}");
        assert!(!screen.contains("Ctrl-r"), "{screen}");
    }

    #[test]
    fn what_was_read_is_on_the_form() {
        let screen = start()
            .press("j j Enter")
            .serve()
            .press("a c")
            .screen_text();
        for text in [
            "512-555-0142",
            "Calder Residential",
            "D. Okafor",
            "VP Development",
        ] {
            assert!(screen.contains(text), "{text}: {screen}");
        }
    }

    #[test]
    fn firms_stand_in_the_order_of_calls_with_their_people_and_what_is_missing() {
        let mut console = start().press("j j Enter").serve().press("a c");
        for (width, height) in [(120, 36), (60, 20)] {
            console = console.send(Msg::Resized(width, height));
            let screen = console.screen_text();
            let at = |text: &str| screen.find(text).unwrap_or_else(|| panic!("{screen}"));
            assert!(at("Calder Residential") < at("D. Okafor"), "{screen}");
            assert!(at("D. Okafor") < at("Moss & Vale"), "{screen}");
            let line = screen.lines().find(|line| line.contains("Moss & Vale"));
            let line = line.unwrap_or_default();
            assert!(line.contains("engineer") && line.contains(" –"), "{screen}");
        }
    }

    #[test]
    fn the_form_of_an_account_tells_what_is_unread_from_what_is_missing() {
        let list = || start().press("3").serve().press("Enter").serve();
        let screen = list().press("a c").screen_text();
        for text in ["phone    not read yet", "website  https://firm"] {
            assert!(screen.contains(text), "{text}: {screen}");
        }
        let opened = list().press("Enter").serve().press("a c").screen_text();
        assert!(opened.contains("phone    none known"), "{opened}");
    }

    #[test]
    fn the_form_says_what_a_call_costs_which_is_what_is_charged() {
        let known = start().press("2").serve().press("j Enter").serve();
        let known = known.press("a c");
        let screen = known.screen_text();
        assert!(
            screen.contains("Enter then 1-5 save to the book for everyone, free."),
            "{screen}"
        );
        let spent = known.service.spent;
        assert_eq!(known.press("Enter 1").serve().service.spent, spent);
    }

    #[test]
    fn the_keys_of_the_form_fit_into_a_small_window() {
        for keys in ["j j Enter", ""] {
            let console = start().send(Msg::Resized(60, 20));
            let console = keys
                .split_whitespace()
                .fold(console, |console, key| console.press(key).serve());
            let note = console.press("a c").serve().type_text("wants a bid");
            let last = |console: &TestConsole, end: &str| {
                let screen = console.screen_text();
                let keys = screen.lines().find(|line| line.contains("Ctrl-r read"));
                assert!(keys.is_some_and(|line| line.contains(end)), "{screen}");
                let says = screen
                    .lines()
                    .filter(|line| line.contains("save for everyone"));
                assert_eq!(says.count(), 1, "{screen}");
            };
            last(&note, "Esc close, note kept");
            last(&note.press("Enter"), "Tab note   Esc close");
        }
    }

    #[test]
    fn text_after_a_key_that_chose_an_outcome_runs_nothing() {
        let console = start().press("a c Enter").type_text("3pm deck he");
        let report = "no answer noted; Harbor Yard Lofts is back Sat 11 Jul";
        let console = console.serve();
        assert_eq!(console.notice_text(), report);
        assert_eq!(console.service_new_count(), start().service_new_count());
    }

    #[test]
    fn a_call_says_what_became_of_the_signal() {
        let said = |outcome: &str| {
            let console = start().press("a c Enter").press(outcome).serve();
            (console.notice_text(), console.screen_text())
        };
        let (done, screen) = said("1");
        assert_eq!(
            done,
            "reached noted on Harbor Yard Lofts; done for everyone"
        );
        assert!(screen.contains("z undoes"), "{screen}");
        assert_eq!(
            said("2").0,
            "voicemail noted; Harbor Yard Lofts is back Sat 11 Jul"
        );
        let named = start().press("a c").type_text("call back Thursday");
        assert_eq!(
            named.press("Enter 2").serve().notice_text(),
            "voicemail noted; Harbor Yard Lofts is back Thu 16 Jul",
            "the day that the note names"
        );
        let reached = start().press("a c").type_text("call back in 3 weeks");
        let screen = reached.screen_text();
        for outcome in [
            "1 reached (back Thu 30 Jul)",
            "2 voicemail (back Thu 30 Jul)",
        ] {
            assert!(screen.contains(outcome), "{outcome}: {screen}");
        }
        let reached = reached.press("Enter 1").serve();
        assert_eq!(
            reached.notice_text(),
            "reached noted; Harbor Yard Lofts is back Thu 30 Jul"
        );
        assert!(reached.triage_calls().is_empty(), "it is not done");
        let early = start().press("a c 2 Enter Enter 2").serve();
        assert!(
            early.notice_text().starts_with("voicemail noted"),
            "{}",
            early.notice_text()
        );
        let note = early.service.book.values().find_map(|fields| {
            let note = fields.get("notes")?.as_str()?;
            note.contains("voicemail").then(|| note.to_owned())
        });
        assert_eq!(
            note.as_deref(),
            Some("2026-07-09 call by Ana R.: voicemail."),
            "a digit typed too early is no note"
        );
        let wrong = start().press("a c").type_text("vm").press("Enter 9");
        assert_eq!(wrong.notice_text(), "there is no outcome 9; choose 1 to 5");
        assert!(
            wrong
                .press("1")
                .serve()
                .notice_text()
                .starts_with("reached noted"),
            "the outcome is still being chosen"
        );
        let account = start().press("3").serve().press("Enter").serve();
        let account = account.press("a c Enter 1").serve();
        assert_eq!(account.notice_text(), "reached noted on Brightline GC");
        let account = account.press("a c").type_text("call back Thursday");
        assert!(
            account
                .screen_text()
                .contains("1 reached (promise for Thu 16 Jul)"),
            "{}",
            account.screen_text()
        );
        let account = account.press("Enter 1").serve();
        assert_eq!(
            account.notice_text(),
            "reached noted on Calder Residential; promised for 07-16",
            "an account does not come back by itself"
        );
        let outcome = |snooze| CallOutcome::parse("later", "", None, snooze).unwrap();
        let snoozed = |outcome| {
            let console = with_outcomes(vec![outcome]).press("a c Enter 1").serve();
            console.notice_text()
        };
        assert_eq!(
            snoozed(outcome("120d")),
            "later noted; Harbor Yard Lofts will have left the queue by Fri 6 Nov"
        );
        assert_eq!(
            snoozed(outcome("next filing")),
            "later noted; Harbor Yard Lofts is back with the project's next filing"
        );
    }

    #[test]
    fn a_call_whose_signal_was_not_marked_done_does_not_say_so() {
        let console = start()
            .press("a c")
            .serve()
            .press("Enter 1")
            .fail_next(RequestError::new_not_sent("no network"))
            .serve();
        assert!(
            !console.notice_text().contains("done for everyone"),
            "{}",
            console.notice_text()
        );
    }

    #[test]
    fn a_call_in_the_detail_reads_no_other_project() {
        let console = start().press("Enter").serve();
        let records = |console: &TestConsole| {
            console
                .calls
                .iter()
                .filter(|call| matches!(call, ServiceCall::Record { .. }))
                .count()
        };
        let before = records(&console);
        let console = console.press("a c Enter 1").serve();
        assert_eq!(records(&console), before);
        assert_eq!(console.service_new_count(), 15);
        assert!(
            console.screen_text().contains("Queue"),
            "{}",
            console.screen_text()
        );
    }

    #[test]
    fn calls_on_accounts_go_down_the_list() {
        let console = start().press("3").serve().press("Enter").serve();
        let first = console
            .context()
            .displayed_list()
            .and_then(|list| list.current_record())
            .map(|row| row.id);
        let console = console
            .press("a c")
            .type_text("asked for prices")
            .press("Enter 4")
            .serve();
        let second = console
            .context()
            .displayed_list()
            .and_then(|list| list.current_record())
            .map(|row| row.id);
        assert_ne!(first, second);
        let [(status, note)] = &written(&console)[..] else {
            panic!("{:?}", written(&console))
        };
        assert_eq!(status, "meeting set");
        assert!(
            note.ends_with("2026-07-09 call by Ana R.: meeting set. asked for prices"),
            "{note}"
        );
        assert!(console.triage_calls().is_empty());
        let console = console.press("z").serve().confirm();
        assert!(written(&console).is_empty(), "{}", console.screen_text());
    }

    #[test]
    fn a_call_that_fails_twice_snoozes_its_signal_and_promises_nothing() {
        let offline = || RequestError::new_not_sent("no network");
        let once = start().press("a c Enter 2").fail_next(offline());
        let twice = once.press("a c Enter 2").fail_next(offline());
        let saved = twice.press("a c Enter 2").serve();
        let (_, note) = written(&saved).pop().expect("a call that is saved");
        assert!(
            note.starts_with("2026-07-09 call by Ana R.: voicemail."),
            "{note}"
        );
        assert!(
            !note.contains('>'),
            "it comes back as a snooze already: {note}"
        );
    }

    #[test]
    fn digits_are_text_until_the_note_is_left() {
        let console = start().press("a c").type_text("1 of 5").press("Esc");
        assert!(written(&console).is_empty() && console.triage_calls().is_empty());
        assert_eq!(
            console.notice_text(),
            "Nothing was written. Your note is kept until you quit."
        );
        assert!(console.press("a c").screen_text().contains("1 of 5"));
    }

    #[test]
    fn a_read_only_console_logs_no_calls() {
        let session = ConsoleSession {
            label: "demo".into(),
            connected: true,
            read_only: true,
            is_dashboard_only: false,
        };
        let console =
            TestConsole::with_session(session, morning_queue(), (120, 36), AppSettings::default())
                .serve();
        let console = console.press("a c");
        assert_eq!(
            console.notice_text(),
            "call: read-only: changes are disabled"
        );
    }

    fn with_outcomes(outcomes: Vec<CallOutcome>) -> TestConsole {
        let settings = AppSettings {
            call_outcomes: outcomes,
            ..AppSettings::default()
        };
        TestConsole::with_size(morning_queue(), (120, 36), settings)
            .poll()
            .serve()
    }

    #[test]
    fn an_outcome_of_the_configuration_sets_its_status_and_snoozes_or_keeps_the_signal() {
        let outcome = |label: &str, status, done, snooze| {
            CallOutcome::parse(label, status, done, snooze).unwrap()
        };
        let console = with_outcomes(vec![
            outcome("call back", "voicemail", None, "2d"),
            outcome("asked", "", Some(false), ""),
            outcome("won", "customer", None, ""),
        ]);
        let console = console.press("a c");
        let screen = console.screen_text();
        assert!(
            screen.contains("1 call back (snooze 2d)   2 asked (stays new)   3 won (done)"),
            "{screen}"
        );
        assert!(screen.contains("Enter then 1-3 save"), "{screen}");
        let console = console.press("Enter 4").serve();
        assert!(
            console.context().ui.overlay.is_some(),
            "there is no fourth outcome"
        );
        let console = console.press("1").serve();
        assert_eq!(
            written(&console),
            [(
                "voicemail".to_owned(),
                "2026-07-09 call by Ana R.: call back.".to_owned()
            )]
        );
        assert_eq!(
            (
                console.saved_state.snoozes.len(),
                console.service_new_count()
            ),
            (1, 16)
        );
        let console = console.press("z").serve().confirm();
        assert_eq!(
            (written(&console).len(), console.saved_state.snoozes.len()),
            (0, 0),
            "{}",
            console.screen_text()
        );
        let console = console.press("a c Enter 2").serve();
        assert_eq!(
            (written(&console).len(), console.service_new_count()),
            (1, 16)
        );
        assert_ne!(
            console.cursor_id(),
            signal_id(1),
            "the cursor is on the next row"
        );
        assert_eq!(console.press("a c Enter 3").serve().service_new_count(), 15);
    }

    #[test]
    fn the_last_outcome_is_repeated_on_the_next_row_or_says_why_not() {
        let console = start()
            .press("a c")
            .type_text("wants a bid")
            .press("Enter 1")
            .serve()
            .press(". y Enter")
            .serve();
        let (written, new) = (written(&console), console.service_new_count());
        assert_eq!(
            (written[1].0.as_str(), new),
            ("reached", 14),
            "{}",
            console.screen_text()
        );
        assert!(
            written[1]
                .1
                .ends_with("2026-07-09 call by Ana R.: reached."),
            "without the note: {}",
            written[1].1
        );
        let console = console.press("8").serve().press(".");
        assert!(
            console.notice_text().contains("does not work here"),
            "{}",
            console.notice_text()
        );
    }

    #[test]
    fn a_note_survives_a_crash_and_is_offered_on_its_record() {
        let mut console = start().press("a c").type_text("wants a bid");
        console.saved_state.is_persistent = true;
        let console = console.restart().serve();
        assert!(
            console
                .notice_text()
                .starts_with("Not saved: a call on Harbor Yard Lofts."),
            "{}",
            console.notice_text()
        );
        let console = console.press("a c");
        assert!(
            console.screen_text().contains("wants a bid"),
            "{}",
            console.screen_text()
        );
        let console = console.press("Enter 1").serve();
        assert_eq!(
            written(&console),
            [(
                "reached".to_owned(),
                "2026-07-09 call by Ana R.: reached. wants a bid".to_owned()
            )]
        );
        assert!(
            console.saved_state.drafts.is_empty(),
            "what is written is no draft any more"
        );
    }

    #[test]
    fn facts_that_do_not_fit_are_on_further_pages() {
        let mut console = TestConsole::with_size(morning_queue(), (60, 20), AppSettings::default())
            .poll()
            .serve();
        console = console.press("j j Enter").serve().press("a c");
        console = console.send(Msg::Resized(60, 12));
        let pages: Vec<String> = (0..4)
            .map(|_| {
                let screen = console.screen_text();
                console = std::mem::replace(&mut console, start()).press("PgDn");
                screen
            })
            .collect();
        for text in ["512-555-0142", "D. Okafor", "earlier", "1 reached"] {
            assert!(
                pages.iter().any(|page| page.contains(text)),
                "{text}: {}",
                pages[0]
            );
        }
        assert!(pages[0].contains("PgDn 1/"), "{}", pages[0]);
    }

    #[test]
    fn a_call_is_logged_on_the_page_of_an_account() {
        let console = start()
            .press("3")
            .serve()
            .press("Enter")
            .serve()
            .press("Enter")
            .serve();
        assert_eq!(
            console.context().ui.screen(),
            Screen::Record,
            "{}",
            console.screen_text()
        );
        let console = console
            .press("a c")
            .type_text("asked for prices")
            .press("Enter 1")
            .serve();
        assert_eq!(written(&console).len(), 1, "{}", console.screen_text());
        assert_eq!(console.context().ui.screen(), Screen::Record);
    }
}

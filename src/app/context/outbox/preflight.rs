//! Checks before undo and redo: what a step is about is read first, so that nothing a colleague
//! changed meanwhile is overwritten unseen.
//!
//! Signals are read from the queue, which reports who triaged them and when; subscriptions and
//! members are read for free. Records are read from the book, for a price that is confirmed first.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::app::Context;
use crate::app::action::Action;
use crate::app::annotation_cache::{AnnotationField, annotation_values};
use crate::app::context::clock::Clock;
use crate::app::context::outbox::{deferred_commands, reconcile};
use crate::app::context::{Ui, Work};
use crate::app::effect::{RecordKey, ServiceCall, Slot};
use crate::app::format::pluralize;
use crate::app::model::known_records::KnownRecords;
use crate::app::model::queue::SignalQueue;
use crate::app::model::record_lists::RecordLists;
use crate::app::model::views::Views;
use crate::app::msg::CallResult;
use crate::app::notice::Notice;
use crate::app::outbox::preflight::{SignalsPreflight, UndoRequest};
use crate::app::outbox::undo_history::StepItems;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::{Choice, ChoiceOption};
use crate::app::requests::Request;
use crate::domain::book::RecordKind;
use crate::domain::conditions::capitalize;
use crate::domain::pages::Page;
use crate::domain::person::Person;
use crate::domain::queue::QueueSignal;
use crate::domain::request_error::RequestError;
use crate::domain::writes::{ReversibleWrite, WriteOp};

/// What an undo may read without another step to it.
const MAX_CREDITS_AT_ONCE: usize = 20;

impl Context {
    /// Undoes or redoes a step, after checking whether somebody changed what it left.
    pub(in crate::app::context) fn preflight_step(&mut self, intent: Action) {
        let (Action::Undo(step) | Action::Redo(step)) = &intent else {
            return;
        };
        let step = step.clone();
        match &step.items {
            StepItems::Signals(signals) => {
                self.ui.inform(format!(
                    "{}: checking for newer changes",
                    intent.undo_verb()
                ));
                request_preflight_page(
                    SignalsPreflight::new(intent, signals, step.done_at),
                    &mut self.work,
                );
            }
            StepItems::Changes(changes) => self.preflight_write(changes, step.done_at, intent),
            StepItems::Snoozes(_) => self.work.perform(intent),
        }
    }

    /// Takes a page of the check of a step's signals.
    pub(super) fn on_preflight_page(
        &mut self,
        mut check: SignalsPreflight,
        result: CallResult<Page<QueueSignal>>,
    ) {
        match result {
            Ok(page) => check.insert_page(&page, self.team.caller().as_ref(), |by, at| {
                user_and_time(by, at, &self.clock, &self.queue)
            }),
            Err(failure) => return self.report_failed_preflight(check.action(), &failure),
        }
        if check.needs_next_page() {
            return request_preflight_page(check, &mut self.work);
        }
        self.ui.notice = None;
        let (conflicts, action) = check.finish();
        self.confirm_overwrite(conflicts, action);
    }

    /// Reads the settings that a step is about, which is free, and then continues.
    fn preflight_write(
        &mut self,
        changes: &[ReversibleWrite],
        done_at: DateTime<Utc>,
        intent: Action,
    ) {
        let any = |is: fn(&WriteOp) -> bool| changes.iter().any(|change| is(&change.forward));
        if any(|part| matches!(part, WriteOp::Subscription(..))) {
            let request = Request::Undo(UndoRequest::Subscriptions);
            self.work.call_service(
                Slot::PreflightSubscriptions,
                ServiceCall::Subscriptions,
                request,
            );
        }
        if any(|part| matches!(part, WriteOp::Team(_))) {
            self.work.call_service(
                Slot::PreflightMembers,
                ServiceCall::Members,
                Request::Undo(UndoRequest::Members),
            );
        }
        if !is_reading_settings(&self.work) {
            return self.check_write_conflicts(changes, done_at, intent);
        }
        self.ui.inform(format!(
            "{}: checking for newer changes",
            intent.undo_verb()
        ));
        self.outbox.after_reads = Some(intent);
    }

    /// Continues when the last of the settings was read.
    pub(super) fn on_preflight_settings(&mut self, result: CallResult<()>) {
        if result.is_ok() && is_reading_settings(&self.work) {
            return;
        }
        let Some(action) = self.outbox.after_reads.take() else {
            return;
        };
        if let Err(failure) = result {
            return self.report_failed_preflight(&action, &failure);
        }
        self.ui.notice = None;
        if let Action::Undo(step) | Action::Redo(step) = &action {
            let step = step.clone();
            self.check_write_conflicts(step.changes(), step.done_at, action);
        }
    }

    /// Undoes or redoes a write if what it left is known to be current; otherwise reads the records
    /// first.
    fn check_write_conflicts(
        &mut self,
        changes: &[ReversibleWrite],
        done_at: DateTime<Utc>,
        intent: Action,
    ) {
        let is_undo = matches!(intent, Action::Undo(_));
        // What a change left, and what would overwrite it.
        let pair = |change: &'_ ReversibleWrite| {
            let back = change.back.clone()?;
            Some(if is_undo {
                (change.forward.clone(), back)
            } else {
                (back, change.forward.clone())
            })
        };
        let writes: Vec<(WriteOp, WriteOp)> = changes.iter().filter_map(pair).collect();
        let writes: Vec<(&WriteOp, &WriteOp)> =
            writes.iter().map(|(left, part)| (left, part)).collect();
        let unread = records_unread_since(&writes, done_at, &self.records);
        if unread.is_empty() {
            let over = self.overwrite_conflicts(writes.into_iter());
            self.confirm_overwrite(over, intent);
        } else {
            let annotated = writes
                .iter()
                .filter(|(_, part)| matches!(part, WriteOp::Annotate(..)))
                .count();
            confirm_preflight_reads(
                unread,
                annotated,
                writes.len() == annotated,
                intent,
                &mut self.ui,
            );
        }
    }

    /// Reads records, 1 credit each, and then performs the action.
    pub(in crate::app) fn read_records_then(
        &mut self,
        records: Vec<(RecordKind, Uuid)>,
        then: Action,
    ) {
        self.ui.notice = Some(
            Notice::info(format!("reading {}", pluralize(records.len(), "record")))
                .with_hint("Ctrl-c stops"),
        );
        for (record_kind, id) in records {
            let call = ServiceCall::Record {
                key: RecordKey::for_book(&record_kind, id),
                bypass_cache: true,
            };
            self.work.call_service(
                Slot::PreflightRecords,
                call,
                Request::Undo(UndoRequest::Record(record_kind, id)),
            );
        }
        self.outbox.after_reads = Some(then);
    }

    /// Continues when the last of the records was read.
    pub(super) fn on_preflight_record(
        &mut self,
        record_kind: &RecordKind,
        id: Uuid,
        result: CallResult,
    ) {
        let result = self.store_annotated_record(record_kind, id, result);
        if result.is_ok() && self.work.requests.is_slot_open(&Slot::PreflightRecords) {
            return;
        }
        // After a failure nothing waits for the other records.
        let Some(action) = self.outbox.after_reads.take() else {
            return;
        };
        match result {
            Ok(_) => {
                self.ui.notice = None;
                self.preflight_step(action);
            }
            Err(failure) => self.report_failed_preflight(&action, &failure),
        }
    }

    fn report_failed_preflight(&mut self, action: &Action, failure: &RequestError) {
        deferred_commands::drop_deferred_commands(&mut self.outbox);
        reconcile::settle_retried_step(action, &mut self.work, &mut self.outbox);
        let verb = action.undo_verb();
        let what = format!("{verb}: not sent, because newer changes could not be checked");
        self.ui.show_failure(
            &what,
            failure,
            if verb == "redo" {
                "{redo} retries"
            } else {
                "{undo} retries"
            },
        );
    }

    pub(super) fn confirm_overwrite(&mut self, over: Vec<String>, intent: Action) {
        if let Action::Undo(step) = &intent {
            self.outbox.set_checked_conflicts(step, over.clone());
        }
        let deletes = views_deleted_by(&intent, &self.records.lists, &self.views);
        let (verb, changed) = (
            intent.undo_verb(),
            format!("Changed since then. {}.", over.join(". ")),
        );
        let (text, label) = match (over.is_empty(), deletes) {
            (true, None) => return self.work.perform(intent),
            (true, Some(deletes)) => (
                format!("{deletes} Its records stay."),
                "delete the View".to_owned(),
            ),
            (false, deletes) => (
                format!("{changed} {}", deletes.unwrap_or_default()),
                format!("{verb} anyway"),
            ),
        };
        reconcile::settle_retried_step(&intent, &mut self.work, &mut self.outbox);
        show_step_choice(
            verb,
            Choice::confirm(format!("{verb}?"), text.trim_end(), label, intent),
            &mut self.ui,
        );
    }
}

/// Records whose fields may have changed since; for a record that leaves the book, any of its
/// fields.
fn records_unread_since(
    writes: &[(&WriteOp, &WriteOp)],
    since: DateTime<Utc>,
    records: &KnownRecords,
) -> Vec<(RecordKind, Uuid)> {
    let unread = |(_, part): &&(&WriteOp, &WriteOp)| {
        let (record_kind, id, fields): (_, _, Vec<AnnotationField>) = match part {
            WriteOp::Annotate(record_kind, id, next) => (
                record_kind,
                id,
                annotation_values(next)
                    .into_iter()
                    .map(|(field, _)| field)
                    .collect(),
            ),
            WriteOp::Forget(record_kind, id) => {
                (record_kind, id, AnnotationField::for_kind(record_kind))
            }
            _ => return None,
        };
        let key = RecordKey::for_book(record_kind, *id);
        let was_read = records
            .fetched
            .get(&key)
            .is_some_and(|paid| paid.read_at > since);
        let known = records.cached_annotation(record_kind, *id);
        let is_known = was_read
            || fields.into_iter().all(|field| {
                known
                    .observed(field)
                    .is_some_and(|observed| observed.observed_at > since)
            });
        (!is_known).then(|| (record_kind.clone(), *id))
    };
    writes.iter().filter_map(|pair| unread(&pair)).collect()
}

fn request_preflight_page(check: SignalsPreflight, work: &mut Work) {
    let call = check.call();
    work.call_service(
        Slot::Preflight,
        call,
        Request::Undo(UndoRequest::Signals(Box::new(check))),
    );
}

/// A person and a time: `Ben K. at 09:20`.
pub(in crate::app) fn user_and_time(
    by: Option<&Person>,
    at: Option<DateTime<Utc>>,
    clock: &Clock,
    queue: &SignalQueue,
) -> String {
    let who = queue.user_name(by);
    match at {
        Some(at) => format!("{who} at {}", clock.format_time(at)),
        None => who,
    }
}

fn is_reading_settings(work: &Work) -> bool {
    [Slot::PreflightSubscriptions, Slot::PreflightMembers]
        .iter()
        .any(|slot| work.requests.is_slot_open(slot))
}

/// Asks whether to read records before undo or redo. The `annotated` ones are read in any case,
/// each right before its write.
fn confirm_preflight_reads(
    unread: Vec<(RecordKind, Uuid)>,
    annotated: usize,
    are_all: bool,
    intent: Action,
    ui: &mut Ui,
) {
    let verb = intent.undo_verb();
    let records = pluralize(
        unread.len(),
        unread
            .first()
            .map_or("record", |(record_kind, _)| record_kind.singular_name()),
    );
    let text = format!(
        "{} reads {records} first, so that nothing is lost that a colleague has changed since.",
        capitalize(verb)
    );
    let credits = if are_all {
        annotated
    } else {
        unread.len() + annotated
    };
    let note = format!("{credits} cr");
    let reads = |then| ChoiceOption {
        label: format!("read {records} first, then {verb}"),
        note,
        action: then,
    };
    let mut picks = if are_all {
        vec![reads(intent)]
    } else {
        let note = format!("{annotated} cr");
        let without = ChoiceOption {
            label: format!("{verb} without checking"),
            note,
            action: intent.clone(),
        };
        vec![
            reads(Action::ReadRecordsThen(unread, Box::new(intent))),
            without,
        ]
    };
    let nothing = ChoiceOption::new("change nothing", Action::Decline);
    // What costs much is not the first answer.
    match credits > MAX_CREDITS_AT_ONCE {
        true => picks.insert(0, nothing),
        false => picks.push(nothing),
    }
    show_step_choice(
        verb,
        Choice {
            text,
            ..Choice::new(format!("{verb}?"), "", picks)
        },
        ui,
    );
}

/// The View that an undo deletes for everyone, in words: others may use it by now.
fn views_deleted_by(intent: &Action, record_lists: &RecordLists, views: &Views) -> Option<String> {
    let Action::Undo(step) = intent else {
        return None;
    };
    let deleted = |change: &ReversibleWrite| match change.back {
        Some(WriteOp::DeleteView(id)) => Some(id),
        _ => None,
    };
    let view = step
        .changes()
        .iter()
        .filter_map(deleted)
        .find_map(|id| views.get(id))?;
    let records = record_lists
        .count_of_view(view)
        .map(|count| format!(" of {}", count.describe("record")));
    Some(format!(
        "This deletes the View {}{} for everyone.",
        view.title(),
        records.unwrap_or_default()
    ))
}

/// Asks before undo or redo; while the user is typing, shows a notice instead.
fn show_step_choice(verb: &str, choice: Choice, ui: &mut Ui) {
    if ui.is_typing() {
        let hint = if verb == "redo" {
            "{redo} reviews it"
        } else {
            "{undo} reviews it"
        };
        ui.notice = Some(Notice::warning(choice.text).with_hint(hint));
    } else {
        ui.overlay = Some(Overlay::Choice(choice));
    }
}

#[cfg(test)]
mod tests {
    use chrono::Duration;
    use serde_json::{Value, json};

    use crate::app::Effect;
    use crate::app::effect::{ServiceCall, WriteRequest};
    use crate::app::testing::fake_service::{account_id, view_id};
    use crate::app::testing::{TestConsole, morning_queue, signal_id};
    use crate::domain::journal::{EntryCause, JournalChange, JournalEntry, SavedState};
    use crate::domain::queue::TriageStatus;
    use crate::domain::request_error::RequestError;

    fn book_console() -> TestConsole {
        TestConsole::with_rows(morning_queue())
            .press("3")
            .serve()
            .press("Enter")
            .serve()
    }

    /// A status was set on an account, and the program was restarted.
    fn restarted_after_annotation() -> TestConsole {
        book_console()
            .press("a s")
            .type_text("called")
            .press("Ctrl-s Ctrl-s")
            .serve()
            .restart()
    }

    fn status(console: &TestConsole) -> &Value {
        &console.service.book[&account_id(1)]["workspace_status"]
    }

    fn write_count(console: &TestConsole) -> usize {
        console
            .calls
            .iter()
            .filter(|call| matches!(call, ServiceCall::Write(_)))
            .count()
    }

    #[test]
    fn undo_of_an_annotation_after_a_restart_reads_the_record_first() {
        let console = restarted_after_annotation();
        let spent = console.service.spent;
        let console = console.press("z");
        assert!(
            console
                .screen_text()
                .contains("read 1 account first, then undo")
                && console.screen_text().contains("1 cr"),
            "{}",
            console.screen_text()
        );
        assert_eq!(
            (write_count(&console), console.service.spent),
            (0, spent),
            "nothing happens automatically"
        );
        let console = console.press("Enter").serve();
        assert_eq!(
            (status(&console), console.service.spent),
            (&json!("contacted"), spent + 1),
            "{}",
            console.notice_text()
        );
        let console = console.press("Z");
        assert!(
            !console.screen_text().contains("without checking"),
            "{}",
            console.screen_text()
        );
        let console = console.press("Enter").serve();
        assert_eq!(
            (status(&console), console.service.spent),
            (&json!("called"), spent + 2)
        );
        // The undone and redone step survives the next restart unchanged.
        let console = console.restart();
        assert!(
            console
                .context()
                .outbox
                .history
                .undo_description()
                .is_some_and(|words| words.contains("status of Brightline GC"))
        );
        assert_eq!(console.context().outbox.history.redo_description(), None);
    }

    #[test]
    fn redo_is_not_sent_when_its_record_cannot_be_read() {
        let console = book_console()
            .press("D Down Enter")
            .serve()
            .restart()
            .press("z Enter")
            .serve()
            .restart();
        let console = console
            .press("Z Enter")
            .fail_next(RequestError::new_not_sent("no network"));
        let notice = console.notice_text();
        assert!(
            notice.starts_with("redo: not sent, because newer changes could not be checked"),
            "{notice}"
        );
        assert!(console.service.book.contains_key(&account_id(1)));
        assert!(
            !console
                .press("Z Enter")
                .serve()
                .service
                .book
                .contains_key(&account_id(1)),
            "it can be repeated"
        );
    }

    #[test]
    fn undo_after_a_restart_asks_before_overwriting_a_colleagues_change() {
        let mut console = restarted_after_annotation();
        console
            .service
            .book
            .get_mut(&account_id(1))
            .unwrap()
            .insert("workspace_status".into(), json!("won"));
        let console = console.press("z Enter").serve();
        assert!(
            console
                .screen_text()
                .contains("Brightline GC: status is won"),
            "{}",
            console.screen_text()
        );
        assert_eq!(status(&console), &json!("won"));
        assert_eq!(
            status(&console.press("y Enter").serve()),
            &json!("contacted")
        );
    }

    #[test]
    fn an_undo_question_does_not_interrupt_typing_and_waits_for_the_next_undo() {
        let mut console = restarted_after_annotation();
        console
            .service
            .book
            .get_mut(&account_id(1))
            .unwrap()
            .insert("workspace_status".into(), json!("won"));
        let console = console
            .press("z Enter")
            .press("/")
            .type_text("mill")
            .serve()
            .press("Enter");
        assert!(
            console.context().ui.overlay.is_none(),
            "{}",
            console.screen_text()
        );
        let console = console.serve();
        assert_eq!(
            (status(&console), console.context().ui.find.last.as_str()),
            (&json!("won"), "mill")
        );
        assert!(console.press("z").screen_text().contains("undo anyway"));
    }

    #[test]
    fn records_read_since_the_start_are_only_reread_right_before_the_write() {
        let console = restarted_after_annotation()
            .press("3")
            .serve()
            .press("Enter")
            .serve();
        let spent = console.service.spent;
        let console = console.press("z Down Enter").serve();
        assert_eq!(
            (status(&console), console.service.spent),
            (&json!("contacted"), spent + 1)
        );
    }

    #[test]
    fn undo_of_a_batch_reverts_only_what_was_applied() {
        let mut console = book_console();
        console.service.rejecting_records.insert(account_id(2));
        let before = console.service.book.clone();
        let console = console
            .press("* a a s")
            .type_text("called")
            .press("Ctrl-s Ctrl-s")
            .serve();
        assert!(
            console.notice_text().contains("7 of 8"),
            "{}",
            console.notice_text()
        );
        let console = console.restart().press("z Enter").serve();
        assert_eq!(console.service.book, before);
        assert_eq!(
            console
                .calls
                .iter()
                .filter(|call| matches!(call, ServiceCall::Write(WriteRequest::Annotate { .. })))
                .count(),
            7
        );
    }

    #[test]
    fn view_members_and_favorites_are_undone_after_a_restart_for_free() {
        let console = book_console().press("2").serve().press("j b").serve();
        assert!(
            console.service.favorites.contains(&view_id(1)),
            "{}",
            console.notice_text()
        );
        let console = console
            .press("3")
            .serve()
            .press("j j j Space Space +")
            .press("Enter")
            .serve();
        let members = console.service.members[&view_id(1)].len();
        let console = console.restart();
        let spent = console.service.spent;
        let console = console.press("z").serve();
        assert!(
            console.service.members[&view_id(1)].len() < members,
            "{}",
            console.notice_text()
        );
        let console = console.press("z").serve();
        assert!(
            !console.service.favorites.contains(&view_id(1)),
            "{}",
            console.notice_text()
        );
        let console = console.press("Z").serve().press("Z").serve();
        assert_eq!(
            (
                console.service.members[&view_id(1)].len(),
                console.service.spent
            ),
            (members, spent)
        );
    }

    #[test]
    fn undo_of_a_removal_from_the_book_does_not_overwrite_a_colleagues_change() {
        let console = book_console().press("D Down Enter").serve().restart();
        assert!(!console.service.book.contains_key(&account_id(1)));
        let mut console = console;
        console.service.book.insert(
            account_id(1),
            serde_json::from_value(json!({"workspace_status": "won", "tags": []})).unwrap(),
        );
        let console = console.press("z Enter").serve();
        assert!(
            console.screen_text().contains("status is won"),
            "{}",
            console.screen_text()
        );
        console
            .service
            .book
            .get(&account_id(1))
            .map(|overlay| assert_eq!(overlay["workspace_status"], json!("won")))
            .unwrap();
    }

    #[test]
    fn an_interrupted_write_is_reported_and_repeated_only_on_request() {
        let done = book_console()
            .press("a s")
            .type_text("called")
            .press("Ctrl-s Ctrl-s")
            .serve();
        let cut = done
            .saved_state
            .entries
            .last()
            .cloned()
            .into_iter()
            .collect();
        let mut console = book_console();
        console.saved_state = SavedState {
            unconfirmed_writes: cut,
            ..SavedState::default()
        };
        let console = console.restart();
        assert!(
            console
                .notice_text()
                .contains("status of Brightline GC was interrupted"),
            "{}",
            console.notice_text()
        );
        assert_eq!(write_count(&console), 0);
        assert_eq!(status(&console.press("Z Enter").serve()), &json!("called"));
    }

    /// The journal entries of a status that was set, and of its undo.
    fn annotation_and_undo_entries() -> [JournalEntry; 2] {
        let done = book_console()
            .press("a s")
            .type_text("called")
            .press("Ctrl-s Ctrl-s")
            .serve()
            .press("z Enter")
            .serve();
        <[JournalEntry; 2]>::try_from(done.saved_state.entries)
            .unwrap_or_else(|acts| panic!("{acts:?}"))
    }

    /// A program that ended while an undo or redo was in progress; the status is as it was before
    /// that.
    fn interrupted_console(cut: EntryCause, after: Duration) -> TestConsole {
        let [act, undo] = annotation_and_undo_entries();
        let mut console = match cut {
            EntryCause::Undo => book_console()
                .press("a s")
                .type_text("called")
                .press("Ctrl-s Ctrl-s")
                .serve(),
            _ => book_console(),
        };
        let redo = JournalEntry {
            cause: EntryCause::Redo,
            op: uuid::Uuid::from_u128(0xF000),
            ..act.clone()
        };
        console.saved_state = match cut {
            EntryCause::Undo => SavedState {
                entries: vec![act],
                unconfirmed_writes: vec![undo],
                ..SavedState::default()
            },
            _ => SavedState {
                entries: vec![act, undo],
                unconfirmed_writes: vec![redo],
                ..SavedState::default()
            },
        };
        console.restart_after(after)
    }

    #[test]
    fn an_interrupted_undo_or_redo_is_only_resent_on_request() {
        let soon = Duration::seconds(30);
        let console = interrupted_console(EntryCause::Undo, soon);
        assert!(
            console
                .notice_text()
                .starts_with("undo of status of Brightline GC was interrupted"),
            "{}",
            console.notice_text()
        );
        assert_eq!(
            (
                console.context().outbox.history.done.len(),
                console.context().outbox.history.undone.len(),
                write_count(&console)
            ),
            (1, 0, 0)
        );
        assert_eq!(
            status(&console.press("z Enter").serve()),
            &json!("contacted")
        );
        let console = interrupted_console(EntryCause::Redo, soon);
        assert_eq!(
            (
                console.context().outbox.history.done.len(),
                console.context().outbox.history.undone.len(),
                write_count(&console)
            ),
            (0, 1, 0)
        );
        assert_eq!(status(&console.press("Z Enter").serve()), &json!("called"));
    }

    #[test]
    fn an_annotation_whose_undo_was_not_sent_is_the_next_to_be_undone() {
        let console = book_console()
            .press("a s")
            .type_text("called")
            .press("Ctrl-s Ctrl-s")
            .serve();
        let console = console
            .press("j a s")
            .type_text("won")
            .press("Ctrl-s Ctrl-s")
            .serve();
        let console = console
            .press("z Enter")
            .fail_next(RequestError::new_not_sent("no network"));
        let first = console.calls.last().cloned();
        let console = console.press("z Enter");
        assert_eq!(console.calls.last(), first.as_ref());
        let console = console.serve();
        assert!(
            console
                .context()
                .outbox
                .history
                .undo_description()
                .is_some_and(|words| words.contains("Brightline GC"))
        );
        assert_eq!(console.context().outbox.history.undone.len(), 1);
    }

    #[test]
    fn a_recently_interrupted_write_is_resent_as_the_same_journal_entry() {
        let done = book_console()
            .press("a s")
            .type_text("called")
            .press("Ctrl-s Ctrl-s")
            .serve();
        let cut = done.saved_state.entries.last().cloned().unwrap();
        let mut console = book_console();
        console.saved_state = SavedState {
            unconfirmed_writes: vec![cut.clone()],
            ..SavedState::default()
        };
        let console = console.restart_after(Duration::seconds(30));
        assert_eq!(
            (status(&console), write_count(&console)),
            (&json!("called"), 1)
        );
        let same = |effect: &Effect| matches!(effect, Effect::JournalWrite { op, .. } if *op == Some(cut.op));
        assert!(console.effects.iter().any(same), "{:?}", console.effects);
        assert_ne!(
            status(&console.press("z Enter").serve()),
            &json!("called"),
            "it can be undone"
        );
    }

    #[test]
    fn a_resent_write_that_had_been_applied_is_done_and_can_be_undone() {
        let mut console = book_console()
            .press("a s")
            .type_text("called")
            .press("Ctrl-s Ctrl-s")
            .serve();
        let cut = console.saved_state.entries.pop().unwrap();
        console.saved_state.unconfirmed_writes = vec![cut];
        let console = console.restart_after(Duration::seconds(30));
        assert_eq!(console.saved_state.unconfirmed_writes, []);
        assert_eq!(console.context().outbox.history.done.len(), 1);
        let console = console.restart();
        assert_eq!(write_count(&console), 0, "it is not sent once more");
        assert_eq!(
            status(&console.press("z Enter").serve()),
            &json!("contacted")
        );
    }

    #[test]
    fn undo_after_a_restart_asks_before_reverting_a_colleagues_triage() {
        let console = TestConsole::with_rows(morning_queue())
            .press("e")
            .serve()
            .restart();
        let id = signal_id(1);
        // Ben put it back to New and marked it done again.
        let console = console.edit_rows(|rows| {
            let row = rows.iter_mut().find(|row| row.signal.id == id).unwrap();
            row.triaged_by =
                Some(crate::domain::UserId(uuid::Uuid::from_u128(crate::app::testing::BEN)).into());
            row.triaged_at = Some(crate::app::testing::parse_time("2026-07-09T10:00:00Z").into());
        });
        let console = console.press("z").serve();
        assert!(
            console
                .screen_text()
                .contains("Harbor Yard Lofts: done by Ben K. at"),
            "{}",
            console.screen_text()
        );
        assert!(console.triage_calls().is_empty());
        assert_eq!(
            console.press("y Enter").serve().triage_calls(),
            [(1, TriageStatus::New)]
        );
    }

    #[test]
    fn undo_asks_about_signals_that_are_no_longer_where_they_were_left() {
        let console = TestConsole::with_rows(morning_queue())
            .press("e")
            .serve()
            .restart();
        let console = console.edit_rows(|rows| {
            rows.iter_mut()
                .for_each(|row| row.triage_status = Some(TriageStatus::New))
        });
        let console = console
            .advance_time(Duration::minutes(1))
            .press("z")
            .serve();
        assert!(
            console
                .screen_text()
                .contains("1 signal no longer where you left it"),
            "{}",
            console.screen_text()
        );
    }

    #[test]
    fn an_old_journal_entry_without_changes_cannot_be_undone() {
        let change: JournalChange =
            serde_json::from_value(json!({"kind": "write", "things": 3})).unwrap();
        let at = crate::app::testing::parse_time("2026-07-09T08:00:00Z");
        let act = JournalEntry {
            op: uuid::Uuid::nil(),
            at,
            cause: EntryCause::New,
            original_op: None,
            group: None,
            reason: String::new(),
            description: String::new(),
            change,
        };
        let mut console = TestConsole::with_rows(morning_queue());
        console.saved_state.entries.push(act);
        assert_eq!(
            console
                .restart()
                .context()
                .outbox
                .history
                .undo_description(),
            None
        );
    }

    #[test]
    fn undo_anyway_undoes_the_step_that_it_asks_about() {
        let mut console = restarted_after_annotation();
        console
            .service
            .book
            .get_mut(&account_id(1))
            .unwrap()
            .insert("workspace_status".into(), json!("won"));
        let mut console = console.press("z Enter e");
        let triage = console
            .pending_calls
            .iter()
            .position(|(_, call)| matches!(call, ServiceCall::Triage { .. }))
            .unwrap();
        console.pending_calls.swap(0, triage);
        let console = console.serve();
        assert!(
            console
                .screen_text()
                .contains("Brightline GC: status is won"),
            "{}",
            console.screen_text()
        );
        let console = console.press("y Enter").serve();
        assert_eq!(
            (status(&console), console.service_new_count()),
            (&json!("contacted"), 15)
        );
    }

    #[test]
    fn a_write_of_which_nothing_was_applied_is_no_step_after_a_restart() {
        let mut console = book_console();
        console.service.rejecting_records.insert(account_id(1));
        let console = console
            .press("a s")
            .type_text("called")
            .press("Ctrl-s Ctrl-s")
            .serve();
        assert_eq!(console.context().outbox.history.undo_description(), None);
        assert_eq!(
            console
                .restart()
                .context()
                .outbox
                .history
                .undo_description(),
            None
        );
    }
}

//! The lists of past writes: what they show, and what their keys do.

use std::collections::HashSet;

use crate::app::action::Action;
use crate::app::context::outbox::{conflicts, preflight, triage_messages};
use crate::app::context::{Keymap, Ui, Work, clipboard};
use crate::app::effect::{RecordKey, ServiceCall, Slot};
use crate::app::format::{format_count, pluralize};
use crate::app::msg::{CallResult, payload};
use crate::app::outbox::Outbox;
use crate::app::outbox::failures::{FailedItem, Failure};
use crate::app::outbox::undo_history::{StepCause, StepItems, TriagedSignals, UndoStep};
use crate::app::overlay::list_dialog::{
    DialogRows, HistoryEntry, HistoryKind, HistoryTarget, ListDialog,
};
use crate::app::requests::Request;
use crate::app::{Context, Screen};
use crate::domain::journal_lines::JournalLine;
use crate::domain::members::MemberAction;
use crate::domain::queue::QueueTab;
use crate::domain::writes::WriteOp;
use crate::domain::{SignalId, display_format};

/// This many projects or changes are named; the others are counted.
const MAX_NAMES_SHOWN: usize = 3;

impl Ui {
    fn history(&self) -> Option<&DialogRows<HistoryEntry>> {
        match self.list_dialog() {
            Some(ListDialog::History(_, rows)) => Some(rows),
            _ => None,
        }
    }
}

impl Context {
    /// Shows the steps that can be undone.
    pub(in crate::app) fn open_undo_list(&mut self) {
        self.open_history(HistoryKind::Steps, self.undo_entries());
    }

    fn open_history(&mut self, kind: HistoryKind, entries: Vec<HistoryEntry>) {
        self.open_list_dialog(ListDialog::History(kind, DialogRows::new(entries)));
    }

    /// Brings an open list up to date.
    pub(in crate::app) fn refresh_history_list(&mut self) {
        let entries = match self.ui.list_dialog() {
            Some(ListDialog::History(HistoryKind::Steps, _)) => self.undo_entries(),
            Some(ListDialog::History(HistoryKind::Failures, _)) => self.failure_entries(),
            _ => return,
        };
        if let Some(ListDialog::History(_, rows)) = self.ui.list_dialogs.last_mut() {
            rows.set_items(entries);
        }
        self.rearrange_list_dialog();
    }

    pub(in crate::app) fn accept_history_entry(&mut self) {
        let current = self.ui.history().and_then(DialogRows::current);
        match current.map(|entry| entry.target.clone()) {
            Some(HistoryTarget::Step(step)) => self.undo_listed_step(*step),
            Some(HistoryTarget::Failure(failure)) => self.go_to_failure(*failure),
            Some(HistoryTarget::Waiting(tab, id)) => self.go_to_signal(tab, id),
            Some(HistoryTarget::Command(_)) => copy_journal_commands(&mut self.ui, &mut self.work),
            None => self.fold_or_close_dialog(),
        }
    }

    /// Shows what failed in this session, and what waits for the service.
    pub(in crate::app) fn open_failure_list(&mut self) {
        self.open_history(HistoryKind::Failures, self.failure_entries());
    }

    /// Shows what this machine wrote; reads it from the journal first.
    pub(in crate::app) fn open_journal(&mut self) {
        let rows = DialogRows {
            is_loading: true,
            ..DialogRows::new(Vec::new())
        };
        self.open_list_dialog(ListDialog::History(HistoryKind::Journal, rows));
        self.work
            .call_service(Slot::Journal, ServiceCall::Journal, Request::Journal);
    }

    pub(in crate::app) fn on_journal_reply(&mut self, result: CallResult) {
        let result = payload::<Vec<JournalLine>>(result);
        let entries = result.map(|lines| {
            let entries = lines.into_iter().enumerate();
            entries
                .map(|(at, line)| self.journal_entry(at, line))
                .collect()
        });
        let Some(ListDialog::History(HistoryKind::Journal, rows)) = self.ui.list_dialogs.last_mut()
        else {
            return;
        };
        match entries {
            Ok(entries) => {
                *rows = DialogRows::new(entries);
                self.rearrange_list_dialog();
            }
            Err(failure) => {
                self.ui.list_dialogs.clear();
                self.ui
                    .show_failure("could not read the journal", &failure, "{journal} retries");
            }
        }
    }

    fn journal_entry(&self, at: usize, line: JournalLine) -> HistoryEntry {
        let time = self.clock.to_display_time(line.at).format("%H:%M");
        let day = display_format::format_date(self.clock.to_display_time(line.at).date_naive());
        let who = self.team.caller().map_or_else(
            || "from this machine".to_owned(),
            |me| format!("by {}, from this machine", self.queue.user_name(Some(&me))),
        );
        let reason = line.reason.as_ref().map(|reason| format!("Why: {reason}"));
        let details = [line.what.clone(), format!("{day} {time}, {who}")];
        // That it was done goes without saying.
        let result = match line.result.strip_suffix(", done") {
            Some("1 item") => String::new(),
            Some(items) => items.to_owned(),
            None => line.result,
        };
        HistoryEntry {
            id: at.to_string(),
            at: Some(self.clock.to_service_time(line.at)),
            what: line.what,
            size: (1, "write"),
            result,
            is_ok: line.is_ok,
            reason: line.reason,
            details: details.into_iter().chain(reason).collect(),
            target: HistoryTarget::Command(line.command),
        }
    }

    /// Tries the marked failures again, or the current one, or all.
    pub(in crate::app) fn retry_listed_failures(&mut self, is_all: bool) {
        let chosen = self
            .ui
            .history()
            .map_or_else(Vec::new, DialogRows::list_chosen);
        let chosen = chosen.into_iter();
        let chosen = chosen.filter_map(|entry| entry.failure().cloned());
        let mut failures: Vec<Failure> = if is_all {
            self.outbox.failures.iter().cloned().collect()
        } else {
            chosen.collect()
        };
        failures.retain(Failure::can_be_retried);
        if failures.is_empty() {
            self.ui.warn("retry: there is nothing to retry here");
            return;
        }
        self.close_overlay();
        self.retry_failures(failures);
    }

    fn go_to_failure(&mut self, failure: Failure) {
        match failure.item {
            FailedItem::Signal(from, id) => self.go_to_signal(from, id),
            FailedItem::Change(change) => match change.forward {
                WriteOp::Annotate(kind, id, _) | WriteOp::Forget(kind, id) => {
                    self.close_overlay();
                    let name =
                        conflicts::record_display_name(&kind, id, &self.records, &self.outbox);
                    self.work
                        .perform(Action::OpenRecord(RecordKey::for_book(&kind, id), name));
                }
                _ => self.ui.warn("This change has no page."),
            },
        }
    }

    /// Puts the queue's cursor on a signal.
    pub(super) fn go_to_signal(&mut self, tab: QueueTab, id: SignalId) {
        self.close_overlay();
        self.work.perform(Action::GoTo(Screen::Queue));
        self.queue.show_tab_of(tab);
        match self.queue.tab_state(tab).list.row(id) {
            Some(_) => self.queue.tab_state_mut(tab).move_to_first_of(&[id]),
            None => self.ui.warn("This signal is not among the loaded rows."),
        }
    }

    fn failure_entries(&self) -> Vec<HistoryEntry> {
        let failed = self
            .outbox
            .failures
            .iter()
            .rev()
            .map(|failure| HistoryEntry {
                id: format!("{:?}", failure.item),
                at: Some(failure.at),
                what: failure.what.clone(),
                size: (1, "item"),
                result: match failure.cause {
                    StepCause::New => "failed",
                    StepCause::Undo => "undo failed",
                    StepCause::Redo => "redo failed",
                }
                .to_owned(),
                is_ok: false,
                reason: Some(failure.reason.clone()),
                details: [format!("Why: {}", failure.reason)]
                    .into_iter()
                    .chain(describe_repetition(failure, &self.keymap))
                    .collect(),
                target: HistoryTarget::Failure(Box::new(failure.clone())),
            });
        let waiting = self.outbox.outbox_entries(&self.queue).map(|(tab, id)| {
            let is_waiting = self.outbox.offline.is_waiting(id);
            let (result, sent) = if is_waiting {
                ("waits", "Sent when the service responds again.".to_owned())
            } else {
                let command = match tab {
                    QueueTab::Done => "{queue.new}",
                    QueueTab::New | QueueTab::Today => "{queue.done}",
                };
                let sent = format!("Not sent before gantry ended: {command} on its row sends it.");
                ("not sent", self.keymap.expand_keys(&sent))
            };
            HistoryEntry {
                id: id.to_string(),
                at: None,
                what: triage_messages::describe_signals(tab, &[id], &self.queue),
                size: (1, "signal"),
                result: result.to_owned(),
                is_ok: is_waiting,
                reason: None,
                details: vec![sent],
                target: HistoryTarget::Waiting(tab, id),
            }
        });
        failed.chain(waiting).collect()
    }

    /// Undoes a step of the list, unless a newer one has to be undone first.
    fn undo_listed_step(&mut self, step: UndoStep) {
        if self.outbox.offline.waiting().contains(&step) {
            self.close_overlay();
            self.take_back(step.number);
        } else if let Err(reason) = self.team.can_write(&self.session) {
            self.ui.warn(format!("undo: {reason}"));
        } else if self.is_busy() {
            self.ui
                .warn("A write is in progress. Undo this step once it is done.");
        } else if let Some(later) =
            later_conflict(&step, &self.outbox.history.later_conflicts(), &self.outbox)
        {
            let text = format!(
                "Undo a newer step on the same items first: {}.",
                step_text(later)
            );
            self.ui.warn(text);
        } else {
            self.close_overlay();
            self.preflight_step(Action::Undo(Box::new(step)));
        }
    }

    fn undo_entries(&self) -> Vec<HistoryEntry> {
        let mut groups = HashSet::new();
        // Of a group, its newest step stands for all.
        let newest = self
            .outbox
            .history
            .done
            .iter()
            .rev()
            .filter(|step| step.group.is_none_or(|group| groups.insert(group)));
        let later = self.outbox.history.later_conflicts();
        let waiting = self.outbox.offline.waiting().iter().rev().map(|step| {
            let sent = "Sent when the service responds again. Nothing was sent yet.";
            step_entry(&[step], "waits", vec![sent.to_owned()])
        });
        waiting
            .chain(newest.map(|step| self.undo_entry(step, &later)))
            .collect()
    }

    fn undo_entry(&self, step: &UndoStep, later: &[Option<usize>]) -> HistoryEntry {
        let steps = steps_undone_with(step, &self.outbox);
        let later = later_conflict(step, later, &self.outbox);
        let conflicts: Vec<&String> = steps
            .iter()
            .flat_map(|step| self.outbox.checked_conflicts(step))
            .collect();
        let mut details: Vec<String> = steps
            .iter()
            .flat_map(|step| self.step_details(step))
            .collect();
        details.extend(
            conflicts
                .iter()
                .map(|conflict| format!("Checked: {conflict}.")),
        );
        if let Some(later) = later {
            details.push(format!(
                "First undo the newer step on the same items: {}.",
                step_text(later)
            ));
        }
        let state = match (later, conflicts.is_empty()) {
            (Some(_), _) => "not first",
            (None, false) => "changed since",
            (None, true) => "",
        };
        HistoryEntry {
            is_ok: state != "changed since",
            ..step_entry(&steps, state, details)
        }
    }

    fn step_details(&self, step: &UndoStep) -> Vec<String> {
        match &step.items {
            StepItems::Signals(signals) => self.triage_details(signals, step),
            StepItems::Changes(_) => self.change_details(step),
            StepItems::Snoozes(changes) => {
                let (ended, restored): (Vec<_>, Vec<_>) =
                    changes.iter().partition(|change| change.after.is_some());
                let lines = [("ends", ended.len()), ("restores", restored.len())];
                let lines = lines.into_iter().filter(|(_, count)| *count > 0);
                lines
                    .map(|(verb, count)| {
                        let snoozes = pluralize(count, "snooze");
                        format!("Undo {verb} {snoozes}, on this machine only.")
                    })
                    .collect()
            }
        }
    }

    /// What undoing a triage would do now, as far as loaded rows show.
    fn triage_details(&self, signals: &TriagedSignals, step: &UndoStep) -> Vec<String> {
        let (from, to) = (
            self.queue.tab_state(signals.from),
            self.queue.tab_state(signals.from.other()),
        );
        let me = self.team.caller();
        let (mut back, mut theirs, mut last) = (0, 0, None);
        for id in step.signal_ids() {
            if from.list.row(id).is_some() {
                back += 1;
            }
            let others = to
                .list
                .row(id)
                .and_then(|row| Some((row.triaged_by.as_ref()?, row)));
            if let Some((by, row)) =
                others.filter(|(by, _)| me.as_ref().is_some_and(|me| me.is_same(by) == Some(false)))
            {
                theirs += 1;
                last = Some(preflight::user_and_time(
                    Some(by),
                    row.triaged_time(),
                    &self.clock,
                    &self.queue,
                ));
            }
        }
        let goal = if signals.from == QueueTab::New {
            "back to New"
        } else {
            "back to Done"
        };
        let mut lines = vec![format!(
            "Undo puts {} {goal}, for everyone.",
            pluralize(step.len() - back, "signal")
        )];
        let mut names: Vec<&str> = signals
            .rows
            .iter()
            .filter_map(|row| row.row.as_ref()?.signal.project_name.as_deref())
            .collect();
        names.dedup();
        lines.extend(list_names(&names));
        if back > 0 {
            lines.push(format!(
                "{} of them already {}.",
                format_count(back as u64),
                if back == 1 { "is" } else { "are" }
            ));
        }
        if let Some(last) = last {
            lines.push(format!(
                "{theirs} done since by {last}: undo asks before it overwrites that."
            ));
        }
        lines
    }

    /// What undoing changes would do now, as far as this console has read.
    fn change_details(&self, step: &UndoStep) -> Vec<String> {
        let pairs: Vec<_> = step
            .changes()
            .iter()
            .filter_map(|change| Some((&change.forward, change.back.as_ref()?)))
            .collect();
        let fixed = step.len() - pairs.len();
        let mut lines = vec![format!(
            "Undo sets {} back to what it was, for everyone.",
            pluralize(pairs.len(), "change")
        )];
        if fixed > 0 {
            lines.push(format!("{} cannot be undone.", pluralize(fixed, "change")));
        }
        let known = self.overwrite_conflicts(pairs.into_iter());
        lines.extend(
            known
                .into_iter()
                .map(|conflict| format!("Changed since: {conflict}. Undo asks first.")),
        );
        lines
    }
}

/// The newer step that has to be undone before this one, or before another of its group.
fn later_conflict<'a>(
    step: &UndoStep,
    later: &[Option<usize>],
    outbox: &'a Outbox,
) -> Option<&'a UndoStep> {
    let done = &outbox.history.done;
    let is_same =
        |other: &UndoStep| other == step || other.group.is_some() && other.group == step.group;
    let mut conflicts = done
        .iter()
        .zip(later)
        .filter(|(other, _)| is_same(other))
        .filter_map(|(_, later)| done.get((*later)?));
    conflicts.rfind(|later| !is_same(later))
}

/// The steps that are undone with this one, the newest first.
fn steps_undone_with<'a>(step: &'a UndoStep, outbox: &'a Outbox) -> Vec<&'a UndoStep> {
    match step.group {
        Some(group) => outbox
            .history
            .done
            .iter()
            .rev()
            .filter(|other| other.group == Some(group))
            .collect(),
        None => vec![step],
    }
}

/// Copies the marked journal lines, or the current one, as the commands that do the same.
pub(in crate::app) fn copy_journal_commands(ui: &mut Ui, work: &mut Work) {
    let chosen = ui.history().map_or_else(Vec::new, DialogRows::list_chosen);
    let commands = chosen.into_iter().filter_map(|entry| entry.command());
    let commands: Vec<String> = commands.map(str::to_owned).collect();
    if commands.is_empty() {
        ui.warn("no command here");
    } else {
        clipboard::copy_values("command", commands, ui, work);
    }
}

/// How to repeat by hand what is not retried.
fn describe_repetition(failure: &Failure, keymap: &Keymap) -> Option<String> {
    let FailedItem::Change(change) = &failure.item else {
        return None;
    };
    let repeats = match &change.forward {
        _ if failure.can_be_retried() => return None,
        WriteOp::Team(MemberAction::Invite { .. }) => "{team.invite} invites again",
        WriteOp::Team(MemberAction::SetRole(..)) => "{team.role} sets the role again",
        _ => "{team.remove} removes the member",
    };
    let text = format!("On the Team screen ({{go.team}}), {repeats}.");
    Some(keymap.expand_keys(&text))
}

/// The entry of steps that are undone together, the newest first.
fn step_entry(steps: &[&UndoStep], state: &str, details: Vec<String>) -> HistoryEntry {
    let texts: Vec<String> = steps.iter().map(|step| step_text(step)).collect();
    let step = steps[0];
    let unit = match &step.items {
        StepItems::Signals(_) | StepItems::Snoozes(_) if steps.len() == 1 => "signal",
        _ => "change",
    };
    HistoryEntry {
        id: step.number.to_string(),
        at: Some(step.done_at),
        what: texts.join(" + "),
        size: (steps.iter().map(|step| step.len()).sum(), unit),
        result: state.to_owned(),
        is_ok: true,
        reason: None,
        details,
        target: HistoryTarget::Step(Box::new(step.clone())),
    }
}

/// A step in words: what was done.
fn step_text(step: &UndoStep) -> String {
    match &step.items {
        StepItems::Signals(signals) if signals.from == QueueTab::New => {
            format!("done: {}", step.description)
        }
        StepItems::Signals(_) => format!("back to New: {}", step.description),
        StepItems::Changes(_) | StepItems::Snoozes(_) => step.description.clone(),
    }
}

fn list_names(names: &[&str]) -> Option<String> {
    let shown = names
        .iter()
        .take(MAX_NAMES_SHOWN)
        .copied()
        .collect::<Vec<_>>()
        .join(", ");
    match names.len().saturating_sub(MAX_NAMES_SHOWN) {
        0 => Some(shown).filter(|shown| !shown.is_empty()),
        more => Some(format!("{shown} and {more} more")),
    }
}

#[cfg(test)]
mod tests {
    use crate::app::effect::ServiceCall;
    use crate::app::testing::{TestConsole, morning_queue, parse_time, signal_id};
    use crate::domain::journal_lines::JournalLine;
    use crate::domain::queue::TriageStatus;
    use crate::domain::request_error::{RequestError, RequestErrorKind, ServiceError};

    /// Three signals marked done one after the other.
    fn after_three_acts() -> TestConsole {
        (0..3).fold(TestConsole::with_rows(morning_queue()), |console, _| {
            console.press("e").serve()
        })
    }

    fn undo_count(console: &TestConsole) -> usize {
        console.context().outbox.history.done.len()
    }

    #[test]
    fn the_undo_list_shows_the_newest_step_first_with_its_time_and_size() {
        let screen = after_three_acts().press("g u").screen_text();
        let lines: Vec<&str> = screen
            .lines()
            .filter(|line| line.contains("09:20") && line.contains("done:"))
            .collect();
        assert_eq!(lines.len(), 3, "{screen}");
        assert!(
            lines[0].contains("done: permit issued on Mill & 4th") && lines[0].contains("1 signal"),
            "{screen}"
        );
        assert!(
            lines[2].contains("done: permit issued on Harbor Yard Lofts"),
            "{screen}"
        );
        assert!(
            screen.contains("Undo puts 1 signal back to New, for everyone."),
            "{screen}"
        );
    }

    #[test]
    fn an_older_step_is_undone_from_the_list_and_the_newer_ones_stay() {
        let console = after_three_acts().press("g u j j Enter").serve();
        assert_eq!(
            (console.service_new_count(), undo_count(&console)),
            (14, 2),
            "{}",
            console.screen_text()
        );
        assert_eq!(console.rows[0].triage_status, Some(TriageStatus::New));
        let console = console.restart();
        assert_eq!(undo_count(&console), 2);
        let console = console.press("z").serve();
        assert_eq!(
            console.rows[2].triage_status,
            Some(TriageStatus::New),
            "the newest step is still the next to undo"
        );
    }

    #[test]
    fn a_step_whose_signals_changed_again_is_undone_after_the_newer_step() {
        let console = TestConsole::with_rows(morning_queue())
            .press("e")
            .serve()
            .press("]")
            .serve()
            .press("U")
            .serve()
            .press("g u");
        let console = console.press("j");
        assert!(
            console.screen_text().contains("First undo the newer step"),
            "{}",
            console.screen_text()
        );
        let calls = console.calls.len();
        let console = console.press("Enter");
        assert_eq!(console.calls.len(), calls);
        assert!(
            console
                .notice_text()
                .starts_with("Undo a newer step on the same items first"),
            "{}",
            console.notice_text()
        );
    }

    #[test]
    fn the_undo_list_names_a_colleague_once_a_check_found_them() {
        let console = after_three_acts()
            .edit_rows(|rows| rows[2].triage_status = Some(TriageStatus::New))
            .ben_marks_done(&[3]);
        let console = console.press("g u Enter").serve();
        assert!(
            console.screen_text().contains("done by Ben K."),
            "{}",
            console.screen_text()
        );
        let screen = console.press("Esc g u").screen_text();
        assert!(
            screen.contains("changed since") && screen.contains("done by Ben K."),
            "{screen}"
        );
    }

    #[test]
    fn the_cursor_returns_to_what_came_back() {
        let console = after_three_acts().press("G z").serve();
        assert_eq!(console.cursor_id(), signal_id(3), "one signal");
        let console = console
            .press("G * n")
            .press("g g Space Space Space e")
            .serve()
            .press("G z")
            .serve();
        assert_eq!(
            console.cursor_id(),
            signal_id(3),
            "the first of three: {}",
            console.screen_text()
        );
        let console = TestConsole::with_rows(morning_queue())
            .press("Enter")
            .serve()
            .press("e")
            .serve();
        assert_eq!(console.cursor_id(), signal_id(2));
        let spent = console.calls.len();
        let console = console.press("z").serve();
        assert_eq!(
            console.cursor_id(),
            signal_id(1),
            "in an open signal: {}",
            console.screen_text()
        );
        let is_record = |call: &&ServiceCall| matches!(call, ServiceCall::Record { .. });
        assert_eq!(
            console.calls[spent..].iter().filter(is_record).count(),
            0,
            "its project was read before"
        );
    }

    #[test]
    fn a_repeated_annotation_opens_its_form_for_the_current_record() {
        let console = TestConsole::with_rows(morning_queue())
            .press("3")
            .serve()
            .press("Enter")
            .serve();
        let console = console
            .press("a s")
            .type_text("called")
            .press("Ctrl-s Ctrl-s")
            .serve()
            .press("j .");
        let screen = console.screen_text();
        assert!(
            screen.contains("Annotate") && screen.contains("called") && screen.contains("cr"),
            "{screen}"
        );
        let writes = |console: &TestConsole| {
            console
                .calls
                .iter()
                .filter(|call| matches!(call, ServiceCall::Write(_)))
                .count()
        };
        let before = writes(&console);
        let console = console.press("Ctrl-s").serve();
        assert_eq!(writes(&console), before + 1, "{}", console.screen_text());
    }

    #[test]
    fn escape_closes_the_undo_list_and_changes_nothing() {
        let console = after_three_acts();
        let calls = console.calls.len();
        let console = console.press("g u j Esc");
        assert_eq!(
            (
                console.calls.len(),
                undo_count(&console),
                console.context().ui.list_dialog().is_none()
            ),
            (calls, 3, true)
        );
    }

    fn rejected() -> RequestError {
        let refusal = ServiceError {
            status: 500,
            ..ServiceError::default()
        };
        RequestError {
            kind: RequestErrorKind::Rejected(refusal),
            message: "the table is locked".to_owned(),
        }
    }

    #[test]
    fn what_failed_is_listed_with_its_reason_until_a_retry_succeeds() {
        let console = TestConsole::with_rows(morning_queue())
            .press("e")
            .fail_next(rejected())
            .serve()
            .press("g !");
        let screen = console.screen_text();
        assert!(
            screen.contains("permit issued on Harbor Yard Lofts")
                && screen.contains("Why: the table is locked"),
            "{screen}"
        );
        let console = console.press("r").serve();
        assert_eq!(console.service_new_count(), 15, "{}", console.screen_text());
        let screen = console.press("g !").screen_text();
        assert!(
            screen.contains("Nothing failed, and nothing waits."),
            "{screen}"
        );
    }

    #[test]
    fn all_failures_are_retried_with_one_key_and_enter_goes_to_one() {
        let console = TestConsole::with_rows(morning_queue())
            .press("e")
            .fail_next(rejected())
            .serve();
        let console = console
            .press("* n j e")
            .fail_next(rejected())
            .serve()
            .press("* n G g ! Enter");
        assert_eq!(
            console.cursor_id(),
            signal_id(2),
            "{}",
            console.screen_text()
        );
        let console = console.press("g ! R").serve();
        assert_eq!(console.service_new_count(), 14, "{}", console.screen_text());
    }

    #[test]
    fn what_cannot_be_retried_has_no_keys_for_it_and_says_what_to_do() {
        let console = TestConsole::with_rows(morning_queue())
            .press("6")
            .serve()
            .press("i")
            .type_text("new@example.com")
            .press("Enter Enter")
            .fail_next(rejected())
            .serve()
            .press("g !");
        let screen = console.screen_text();
        assert!(
            screen.contains("On the Team screen (6), i invites again."),
            "{screen}"
        );
        assert!(
            !screen.contains("go to it") && !screen.contains("r retry"),
            "{screen}"
        );
        let calls = console.calls.len();
        let console = console.press("r R Enter");
        assert_eq!(console.calls.len(), calls, "{}", console.screen_text());
        assert!(
            console.context().ui.list_dialog().is_some(),
            "the list stays"
        );
    }

    #[test]
    fn a_key_that_may_only_read_lists_what_failed_and_what_was_done_but_undoes_nothing() {
        let mut console = after_three_acts();
        console.context_mut().session.set_read_only();
        let console = console.press("g !");
        let screen = console.screen_text();
        assert!(screen.contains("What failed in this session"), "{screen}");
        let console = console.press("Esc g u");
        let screen = console.screen_text();
        assert!(
            screen.contains("done: permit issued on Mill & 4th"),
            "{screen}"
        );
        let calls = console.calls.len();
        let console = console.press("Enter");
        assert_eq!(console.calls.len(), calls);
        let notice = console.notice_text();
        assert!(notice.starts_with("undo: read-only"), "{notice}");
    }

    #[test]
    fn a_failed_annotation_is_listed_with_its_record_and_retried() {
        let console = TestConsole::with_rows(morning_queue())
            .press("3")
            .serve()
            .press("Enter")
            .serve();
        let console = console
            .press("a s")
            .type_text("called")
            .press("Ctrl-s Ctrl-s")
            .fail_next(rejected())
            .serve()
            .press("g !");
        let screen = console.screen_text();
        assert!(
            screen.contains("Brightline GC: status of Brightline GC")
                && screen.contains("the table is locked"),
            "{screen}"
        );
        let console = console.press("r Down Enter").serve().press("g !");
        assert!(
            console.screen_text().contains("Nothing failed"),
            "{}",
            console.screen_text()
        );
    }

    #[test]
    fn the_journal_lists_writes_and_copies_a_line_as_a_command() {
        let mut console = TestConsole::with_rows(morning_queue());
        console.journal = vec![JournalLine {
            at: parse_time("2026-07-09T08:12:00Z"),
            what: "done: permit issued on Harbor Yard Lofts".to_owned(),
            result: "1 item, done".to_owned(),
            reason: None,
            is_ok: true,
            command: Some("gantry queue triage done 7".to_owned()),
        }];
        let console = console.press("g l");
        assert!(
            console.screen_text().contains("Reading"),
            "{}",
            console.screen_text()
        );
        let console = console.serve();
        let screen = console.screen_text();
        assert!(
            screen.contains("08:12")
                && screen.contains("done: permit issued")
                && screen.contains("from this machine")
                && !screen.contains("gantry queue triage")
                && !screen.contains("1 item, done"),
            "{screen}"
        );
        let console = console.press("y");
        assert_eq!(console.copied_text(), Some("gantry queue triage done 7"));
    }
}

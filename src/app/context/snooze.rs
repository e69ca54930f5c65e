//! Snoozing: puts signals aside on this machine until a time or the next filing of their project.
//! Nothing is sent, and for colleagues the signals stay new. A step of the undo history, like a
//! write.

use chrono::{DateTime, FixedOffset, NaiveTime, Utc};
use uuid::Uuid;

use crate::app::action::Action;
use crate::app::context::clock::Clock;
use crate::app::context::promises;
use crate::app::context::remembered::PutOff;
use crate::app::context::{Work, selection};
use crate::app::effect::{Effect, Slot};
use crate::app::format::pluralize;
use crate::app::model::queue::SignalQueue;
use crate::app::notice::Notice;
use crate::app::outbox::undo_history::{StepCause, StepItems, UndoStep};
use crate::app::outbox::{LastAct, Outbox};
use crate::app::overlay::Overlay;
use crate::app::overlay::picker::{Picker, PickerEntry, PickerKind};
use crate::app::prompt::PromptKind;
use crate::app::{Context, Screen};
use crate::domain::SignalId;
use crate::domain::pages::Page;
use crate::domain::promises::{Promise, describe_due};
use crate::domain::queue::{QueueSignal, QueueTab};
use crate::domain::snooze::{
    Snooze, SnoozeChange, SnoozeUntil, parse_snooze_until, split_snooze_reason,
};

/// What the prompt offers; anything else can be typed.
const CHOICES: &[&str] = &["tomorrow", "monday", "3d", "1 week", NEXT_FILING];
const NEXT_FILING: &str = "next filing";

/// Ends a snooze.
pub(super) const NOW: &str = "now";

/// How to write a time.
const EXAMPLES: &str = "try 3d, 2 weeks, fri or 2026-12-04";

impl Context {
    /// Asks until when signals are to be snoozed.
    pub fn ask_snooze(&mut self, ids: Vec<SignalId>) {
        let is_snoozed = |id: &SignalId| self.queue.snoozes.sleeping_snooze(*id).is_some();
        let now = ids.iter().any(is_snoozed).then(|| PickerEntry {
            key: NOW.to_owned(),
            note: "back to New".to_owned(),
            ..PickerEntry::default()
        });
        let title = format!("Snooze {} until", pluralize(ids.len(), "signal"));
        let summary = "On this machine only; such as: 3d waiting for the lender";
        self.ask_until(title, summary, now, PutOff::Signals(ids));
    }

    pub(super) fn ask_until(
        &mut self,
        title: String,
        summary: &str,
        more: Option<PickerEntry>,
        what: PutOff,
    ) {
        let is_offered = |text: &&&str| matches!(what, PutOff::Signals(_)) || **text != NEXT_FILING;
        let choices = CHOICES.iter().filter(is_offered);
        let now = self.clock.local_now();
        let describe = match what {
            PutOff::Signals(_) | PutOff::Nothing => describe_until,
            PutOff::Promise(..) | PutOff::Moved(_) => describe_promise,
        };
        let entries = choices.filter_map(|text| describe(text, now));
        let entries = entries.chain(more).collect();
        let kind = PickerKind::Answer(PromptKind::PutOffUntil);
        let mut picker = Picker::single_choice(title, "", entries, kind);
        // Above the entries, where it is read at every size.
        picker.summary = summary.to_owned();
        self.snoozing.put_off = what;
        let picker = picker.with_typed_entry(describe, now, EXAMPLES);
        self.ui.overlay = Some(Overlay::Picker(picker));
    }

    /// Puts off what the prompt was opened for.
    pub(in crate::app) fn put_off_until(&mut self, text: &str) {
        match std::mem::take(&mut self.snoozing.put_off) {
            PutOff::Nothing => {}
            PutOff::Signals(ids) => self.snooze(ids, text),
            PutOff::Promise(kind, id, name) => self.promise(&kind, id, &name, text),
            PutOff::Moved(row) => self.move_promise(*row, text),
        }
    }

    /// Snoozes signals until a time as the user writes it.
    pub(in crate::app) fn snooze(&mut self, ids: Vec<SignalId>, text: &str) {
        if text == NOW {
            return self.end_snoozes(&ids);
        }
        let now = self.clock.service_now();
        let (time, reason) = split_snooze_reason(text);
        let until = match parse_snooze_until(time, &now.with_timezone(&self.clock.utc_offset)) {
            Ok(until) => until,
            Err(why) => return self.ui.warn(why),
        };
        let project = |id: &SignalId| {
            let row = self.queue.current_tab().list.row(*id)?;
            row.signal.project_name.clone()
        };
        let what = match ids.as_slice() {
            [id] => project(id),
            _ => None,
        };
        let what = what.unwrap_or_else(|| pluralize(ids.len(), "signal"));
        let outlasting = self.snooze_signals(
            &ids.into_iter().map(|id| (id, until)).collect::<Vec<_>>(),
            reason,
            None,
        );
        self.outbox.last_act = Some(LastAct::Snooze(text.to_owned()));
        let text = format!(
            "Snoozed {what} until {}, on this machine only",
            format_until(until, &self.clock)
        );
        let text = match outlasting {
            0 => text,
            n => format!(
                "{text}; {} will have left the queue by then",
                pluralize(n, "signal")
            ),
        };
        self.ui.notice = Some(Notice::info(text).with_hint("{undo} undoes"));
        if self.ui.screen() == Screen::Detail {
            self.work.perform(Action::GoBack);
        }
    }

    /// Takes the snoozes as they are on disk: a command or another console of this machine may have
    /// changed them.
    pub(in crate::app) fn sync_snoozes(&mut self, read_at: DateTime<Utc>, saved: Vec<Snooze>) {
        // What this console saved since is newer.
        if self
            .snoozing
            .saved_at
            .is_some_and(|saved_at| saved_at >= read_at)
        {
            return;
        }
        let now = self.clock.service_now();
        let kept: Vec<Snooze> = saved
            .into_iter()
            .filter(|snooze| !snooze.has_left_queue(now))
            .collect();
        let changes = self.queue.snoozes.changes_to(kept);
        if !changes.is_empty() {
            let returned = self.queue.change_snoozes(&changes, now);
            self.announce_returned(&returned);
        }
    }

    /// Snoozes each signal until its time, as one step, which may be of a group; returns how many
    /// will have left the queue by then.
    pub(in crate::app) fn snooze_signals(
        &mut self,
        signals: &[(SignalId, SnoozeUntil)],
        reason: Option<&str>,
        group: Option<Uuid>,
    ) -> usize {
        let now = self.clock.service_now();
        let change = |(id, until): &(SignalId, SnoozeUntil)| {
            let before = self.queue.snoozes.get(*id).cloned();
            let row = self
                .queue
                .new
                .list
                .row(*id)
                .or(before.as_ref().map(|snooze| &snooze.row))?
                .clone();
            Some(SnoozeChange {
                id: *id,
                before,
                after: Some(Snooze::new(row, now, *until).with_reason(reason)),
            })
        };
        let changes: Vec<SnoozeChange> = signals.iter().filter_map(change).collect();
        let snoozes = changes.iter().filter_map(|change| change.after.as_ref());
        let outlasting = snoozes.filter(|snooze| snooze.outlasts_queue()).count();
        self.start_snooze(
            format!("snooze of {}", describe_snoozed(&changes)),
            changes,
            group,
        );
        outlasting
    }

    /// Ends the snoozes of these signals.
    pub(in crate::app) fn end_snoozes(&mut self, ids: &[SignalId]) {
        let changes = ended_snoozes(ids, &self.queue);
        if changes.is_empty() {
            return;
        }
        self.outbox.last_act = Some(LastAct::EndSnooze);
        let what = describe_snoozed(&changes);
        self.start_snooze(format!("end of the snooze of {what}"), changes, None);
        self.ui.notice =
            Some(Notice::info(format!("back to New: {what}")).with_hint("{undo} undoes"));
    }

    /// Applies changes of snoozes as a step that can be undone.
    fn start_snooze(
        &mut self,
        description: String,
        changes: Vec<SnoozeChange>,
        group: Option<Uuid>,
    ) {
        if changes.is_empty() {
            return;
        }
        self.outbox.history.undone.clear();
        let step = UndoStep {
            number: self.outbox.take_number(),
            description,
            done_at: self.clock.service_now(),
            group,
            items: StepItems::Snoozes(changes.clone()),
        };
        journal_snoozes(StepCause::New, &step, &mut self.work);
        self.apply_snoozes(&changes);
        self.outbox.history.insert_step(StepCause::New, true, step);
    }

    /// Undoes or redoes a step of snoozes. It concerns nobody else, so nothing is checked before.
    pub(in crate::app) fn replay_snoozes(&mut self, cause: StepCause, step: UndoStep) {
        let step = UndoStep {
            number: self.outbox.take_number(),
            ..step
        };
        let StepItems::Snoozes(changes) = &step.items else {
            return;
        };
        let verb = if cause == StepCause::Undo {
            "undone"
        } else {
            "redone"
        };
        let hint = if cause == StepCause::Undo {
            "{redo} redoes"
        } else {
            "{undo} undoes"
        };
        journal_snoozes(cause, &step, &mut self.work);
        self.apply_snoozes(changes);
        let ids: Vec<SignalId> = changes.iter().map(|change| change.id).collect();
        promises::update_today(self);
        self.queue.current_tab_mut().move_to_first_of(&ids);
        // The triage of the same group was undone before.
        let undone = self.outbox.history.undone.iter();
        let triaged = undone.filter(|other| {
            cause == StepCause::Undo
                && step.group.is_some()
                && other.group == step.group
                && other.tab_left().is_some()
        });
        let mut what: Vec<String> = triaged.map(|other| other.description.clone()).collect();
        what.push(step.description.clone());
        let text = format!("{verb}: {}", what.join(", "));
        self.ui.notice = Some(Notice::info(text).with_hint(hint));
        self.outbox.history.insert_step(cause, true, step);
    }

    /// Changes snoozes on the screen and on disk.
    fn apply_snoozes(&mut self, changes: &[SnoozeChange]) {
        let returned = self.queue.change_snoozes(changes, self.clock.service_now());
        self.snoozing.saved_at = Some(self.clock.now);
        let (saved, ended): (Vec<_>, Vec<_>) =
            changes.iter().partition(|change| change.after.is_some());
        self.work.emit(Effect::SaveSnoozes {
            saved: saved
                .into_iter()
                .filter_map(|change| change.after.clone())
                .collect(),
            ended: ended.into_iter().map(|change| change.id).collect(),
        });
        self.announce_returned(&returned);
    }

    /// Takes the snoozes of earlier runs. Those of signals that have left the queue end.
    pub(in crate::app) fn restore_snoozes(&mut self, snoozes: Vec<Snooze>) {
        let now = self.clock.service_now();
        let (left, kept): (Vec<Snooze>, Vec<Snooze>) = snoozes
            .into_iter()
            .partition(|snooze| snooze.has_left_queue(now));
        let change = |snooze: Snooze| SnoozeChange {
            id: snooze.row.signal.id,
            before: None,
            after: Some(snooze),
        };
        let changes: Vec<SnoozeChange> = kept.into_iter().map(change).collect();
        if !changes.is_empty() {
            let returned = self.queue.change_snoozes(&changes, now);
            self.announce_returned(&returned);
            // Which of them are still new is known once the list has been read again.
            self.queue.new.stale = true;
        }
        if !left.is_empty() {
            let ended = left.iter().map(|snooze| snooze.row.signal.id).collect();
            self.work.emit(Effect::SaveSnoozes {
                saved: Vec::new(),
                ended,
            });
        }
    }

    /// Brings back the signals whose time has come.
    pub(in crate::app) fn wake_snoozes(&mut self) {
        let now = self.clock.service_now();
        if self.queue.snoozes.is_due(now) {
            let returned = self.queue.change_snoozes(&[], now);
            self.announce_returned(&returned);
        }
    }

    /// Takes what a page of New shows about snoozes: filings that were waited for, and signals that
    /// are no longer new.
    pub(in crate::app) fn update_snoozes(&mut self, page: &Page<QueueSignal>) {
        let news = self.queue.snooze_news(page, self.clock.service_now());
        if !news.changed.is_empty() {
            self.apply_snoozes(&news.changed);
        }
        let gone: Vec<SignalId> = news
            .gone
            .iter()
            .map(|row| row.signal.id)
            .filter(|id| !self.outbox.is_signal_pending(*id))
            .collect();
        let changes = ended_snoozes(&gone, &self.queue);
        if !changes.is_empty() {
            let what = describe_snoozed(&changes);
            self.apply_snoozes(&changes);
            self.ui
                .inform(format!("No longer new, so no longer snoozed: {what}"));
        }
    }

    /// Ends the snoozes of signals that are marked done, in the same group of steps: undoing one
    /// brings back the other. Returns the group.
    pub(in crate::app) fn end_snoozes_with(
        &mut self,
        ids: &[SignalId],
        group: Option<Uuid>,
    ) -> Option<Uuid> {
        let changes = ended_snoozes(ids, &self.queue);
        if changes.is_empty() {
            return group;
        }
        let group = group.unwrap_or_else(|| self.outbox.new_group(self.clock.now));
        let description = format!("end of the snooze of {}", describe_snoozed(&changes));
        self.start_snooze(description, changes, Some(group));
        Some(group)
    }

    fn announce_returned(&mut self, returned: &[SignalId]) {
        let names: Vec<&str> = returned
            .iter()
            .filter_map(|id| self.queue.snoozes.get(*id))
            .map(|snooze| snooze.row.signal.project_label())
            .collect();
        if let Some((first, rest)) = names.split_first() {
            self.snoozing.reads = 0;
            let more = if rest.is_empty() {
                String::new()
            } else {
                format!(" and {} more", rest.len())
            };
            self.ui
                .inform(format!("Back from snooze, on top of New: {first}{more}"));
        }
    }

    /// The signals that a snooze on the current tab applies to.
    pub fn snoozable_selection(&self) -> Vec<SignalId> {
        let is_known = |id: &SignalId| match self.queue.tab {
            QueueTab::New => {
                self.queue.new.list.row(*id).is_some() && !self.outbox.is_signal_pending(*id)
            }
            QueueTab::Done => false,
            QueueTab::Today => !self.outbox.is_signal_pending(*id),
        };
        selection::triage_targets(&self.ui, &self.queue)
            .into_iter()
            .filter(is_known)
            .collect()
    }
}

/// What was snoozed in the same group of steps.
pub(in crate::app::context) fn snoozed_with(step: &UndoStep, outbox: &Outbox) -> Option<String> {
    let group = step.group?;
    let is_snooze = |change: &SnoozeChange| change.after.is_some();
    let mut done = outbox.history.done.iter();
    let other =
        done.find(|other| other.group == Some(group) && other.snoozes().iter().any(is_snooze))?;
    Some(describe_snoozed(other.snoozes()))
}

fn describe_snoozed(changes: &[SnoozeChange]) -> String {
    let name = |change: &SnoozeChange| {
        let row = &change.after.as_ref().or(change.before.as_ref())?.row;
        row.signal.project_name.clone()
    };
    match changes {
        [one] => name(one).unwrap_or_else(|| "1 signal".to_owned()),
        more => pluralize(more.len(), "signal"),
    }
}

fn ended_snoozes(ids: &[SignalId], queue: &SignalQueue) -> Vec<SnoozeChange> {
    let snoozes = ids.iter().filter_map(|id| queue.snoozes.get(*id));
    snoozes
        .map(|snooze| SnoozeChange {
            id: snooze.row.signal.id,
            before: Some(snooze.clone()),
            after: None,
        })
        .collect()
}

fn journal_snoozes(cause: StepCause, step: &UndoStep, work: &mut Work) {
    work.emit(Effect::JournalWrite {
        slot: Slot::Write(step.number),
        op: None,
        cause: cause.into(),
        description: step.description.clone(),
        group: step.group,
        change: step.journal_change(),
    });
}

/// When a snoozed signal returns, or since when it is back: `Fri`, `2 days late`.
pub fn describe_return(snooze: &Snooze, clock: &Clock) -> String {
    match (snooze.until, snooze.returned_at) {
        (SnoozeUntil::Time(at), _) | (_, Some(at)) => {
            describe_due(clock.to_local(at), clock.local_now().naive_local())
        }
        (until, None) => format_until_short(until, clock),
    }
}

/// The end of a snooze as text, in the user's time zone.
pub fn format_until(until: SnoozeUntil, clock: &Clock) -> String {
    match until {
        SnoozeUntil::Time(at) => format_day_and_time(at.with_timezone(&clock.utc_offset)),
        SnoozeUntil::NextFiling => "the project's next filing".to_owned(),
    }
}

/// The same in a narrow column.
pub fn format_until_short(until: SnoozeUntil, clock: &Clock) -> String {
    match until {
        SnoozeUntil::Time(at) => {
            let at = at.with_timezone(&clock.utc_offset);
            // A day begins at midnight.
            let format = match at.time() == NaiveTime::MIN {
                true => "%a %m-%d",
                false => "%a %m-%d %H:%M",
            };
            at.format(format).to_string()
        }
        SnoozeUntil::NextFiling => "next filing".to_owned(),
    }
}

/// A day, and the time unless that is its beginning.
fn format_day_and_time(at: DateTime<FixedOffset>) -> String {
    let is_whole_day = at.time() == NaiveTime::MIN;
    let pattern = if is_whole_day {
        "%a %-d %b"
    } else {
        "%a %-d %b, %H:%M"
    };
    at.format(pattern).to_string()
}

/// The same for a promise, which may be for today.
fn describe_promise(text: &str, now: DateTime<FixedOffset>) -> Option<PickerEntry> {
    let promise = Promise::from_words(text, None, &now).ok()?;
    let day = promise
        .due()
        .and_local_timezone(now.timezone())
        .earliest()?;
    Some(PickerEntry {
        key: text.to_owned(),
        note: format!("{}: {}", format_day_and_time(day), promise.text),
        ..PickerEntry::default()
    })
}

/// An entry of the prompt, with the time that it means; `None` if it is not a time that can be
/// snoozed to.
fn describe_until(text: &str, now: DateTime<FixedOffset>) -> Option<PickerEntry> {
    let (until, reason) = split_snooze_reason(text);
    let note = match parse_snooze_until(until, &now).ok()? {
        SnoozeUntil::Time(at) => format_day_and_time(at.with_timezone(&now.timezone())),
        SnoozeUntil::NextFiling => "when another signal of the project arrives".to_owned(),
    };
    let note = reason.map_or(note.clone(), |reason| format!("{note}: {reason}"));
    Some(PickerEntry {
        key: text.to_owned(),
        note,
        ..PickerEntry::default()
    })
}

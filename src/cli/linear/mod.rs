//! `gantry triage`: triage as a conversation, for screen readers, braille displays, slow
//! connections and logs.
//!
//! One signal at a time in whole sentences, one answer per line, nothing that moves on the screen;
//! it works the same over a pipe. It makes the same changes as the console: the same requests,
//! journaled before they are sent, so that each can undo what the other did.
//!
//! Never here: terminal modes, and anything done unasked except reading the next page, and signals
//! where that is known to be free.

mod answers;
mod calls;
mod descriptions;
mod messages;
mod snoozes;
mod steps;

use std::collections::HashMap;

use chrono::{DateTime, Duration, Utc};
use clap::Args;
use uuid::Uuid;

use crate::domain::SignalId;
use crate::domain::journal::{EntryCause, JournalChange, JournalEntry, TriageMove, UndoHistory};
use crate::domain::queue::{
    MAX_QUEUE_PAGE_ROWS, MAX_TRIAGE_SIGNALS, QueueFilter, QueueSignal, TriageStatus,
};
use crate::domain::request_error::RequestError;
use crate::domain::snooze::Snooze;
use crate::text;

use super::error::{CliError, Context};
use super::options::GlobalOptions;
use super::queue::QueueFilterArgs;
use super::session::{Session, await_first_answer};
use super::{print, snooze, stdin, unchanged_signals};
use answers::WordyAnswer;
use steps::{ConversationStep, UndoableStep, restore_steps};

#[derive(Clone, Debug, Default, Args)]
#[command(after_help = "Example: echo done | gantry --demo triage --priority high")]
pub struct LinearTriageArgs {
    /// Line by line, in plain sentences: it always is, so this may be left out
    #[arg(long = "linear")]
    _linear: bool,
    #[command(flatten)]
    which: QueueFilterArgs,
}

/// Goes through the new signals until the user quits or the input ends.
pub(super) async fn run(
    triage: &LinearTriageArgs,
    options: &GlobalOptions,
    session: &Session,
) -> Result<(), CliError> {
    if options.requested_format().is_some() {
        return Err(CliError::usage("triage prints sentences only")
            .with_hint("use gantry queue list --json for data"));
    }
    let mut conversation = Conversation::start(triage, session).await?;
    conversation.go_to_open().await?;
    print_line(messages::ANSWER_PROMPT)?;
    loop {
        let line = stdin::read_line().await?;
        if line.is_empty() || !conversation.handle_answer(line.trim()).await? {
            break;
        }
        print_line("Answer?")?;
    }
    match conversation.has_failed {
        false => Ok(()),
        true => Err(CliError::failed("some answers failed; see above")),
    }
}

const READ_ONLY_MESSAGE: &str = "Read only: nothing was changed.";
const NO_SIGNAL_MESSAGE: &str = "There is no signal here; p goes back.";

/// Prints a line, at a terminal broken between words.
fn print_line(line: &str) -> Result<(), CliError> {
    let lines = match print::terminal_width() {
        Some(width) => text::wrap_text(line, width.into()).join("\n"),
        None => line.to_owned(),
    };
    Ok(print::write_data(&format!("{lines}\n"))?)
}

/// Whether a step is undone or redone, as the beginning of a sentence and of a word.
fn prefixes(cause: &EntryCause) -> (&'static str, &'static str) {
    match cause {
        EntryCause::Undo => ("Un", "un"),
        _ => ("Re", "re"),
    }
}

/// A signal of the list. It stays in the list when done, so that numbers do not shift.
struct ConversationRow {
    signal: QueueSignal,
    is_done: bool,
}

struct Conversation<'d> {
    session: &'d Session,
    filter: QueueFilter,
    rows: Vec<ConversationRow>,
    total: u64,
    position: usize,
    /// The signals that are snoozed on this machine.
    snoozes: HashMap<SignalId, Snooze>,
    history: UndoHistory<UndoableStep>,
    /// A step that the user has to confirm, because a colleague has changed its signals since.
    pending_question: Option<(EntryCause, ConversationStep)>,
    /// What the next line has the words of.
    asks_for_words: Option<WordyAnswer>,
    /// How far the service's clock is ahead of this machine's.
    skew: Duration,
    has_failed: bool,
}

impl<'d> Conversation<'d> {
    async fn start(
        triage: &LinearTriageArgs,
        session: &'d Session,
    ) -> Result<Conversation<'d>, CliError> {
        let answer = await_first_answer(async || session.client.queue_stats().await)
            .await
            .context("read the counts")?;
        let filter = triage.which.to_filter([TriageStatus::New]);
        let skew = answer
            .date
            .map_or_else(Duration::zero, |date| date - Utc::now());
        let history = restore_steps(session, skew).await;
        let now = Utc::now() + skew;
        let mut snoozes = snooze::load_snoozes(&snooze::snooze_store(session), now).await?;
        snoozes.retain(|snooze| !snooze.has_returned(now));
        let mut conversation = Conversation {
            session,
            filter,
            rows: Vec::new(),
            total: 0,
            position: 0,
            snoozes: snoozes
                .into_iter()
                .map(|snooze| (snooze.row.signal.id, snooze))
                .collect(),
            history,
            pending_question: None,
            asks_for_words: None,
            skew,
            has_failed: false,
        };
        print_line(&messages::counts_message(&answer.value))?;
        let has_texts = !conversation.filter.city.is_empty() || !conversation.filter.q.is_empty();
        match conversation.count_snoozed() {
            0 => {}
            // Only the service knows which of them have the city or the text.
            _ if has_texts => print_line("Signals snoozed on this machine are left out.")?,
            1 => print_line("1 signal is snoozed on this machine and left out.")?,
            n => print_line(&format!(
                "{n} signals are snoozed on this machine and left out."
            ))?,
        }
        conversation
            .read_next_page()
            .await
            .context("read the queue")?;
        Ok(conversation)
    }

    /// How many snoozed signals have the types and priorities of the filter.
    fn count_snoozed(&self) -> usize {
        let QueueFilter {
            signal_type,
            priority,
            ..
        } = &self.filter;
        let is_listed = |snooze: &&Snooze| {
            let row = &snooze.row;
            let kind = row.signal.signal_type.as_ref();
            let has_type =
                signal_type.is_empty() || kind.is_some_and(|it| signal_type.contains(it));
            let own = row.priority.as_ref();
            has_type && (priority.is_empty() || own.is_some_and(|it| priority.contains(it)))
        };
        self.snoozes.values().filter(is_listed).count()
    }

    /// Reads the next rows; returns whether there were any.
    async fn read_next_page(&mut self) -> Result<bool, RequestError> {
        let still_new = self.rows.iter().filter(|row| !row.is_done).count();
        let page = self
            .session
            .client
            .queue(
                &self.filter,
                u32::try_from(still_new).unwrap_or(u32::MAX),
                MAX_QUEUE_PAGE_ROWS,
            )
            .await?
            .value;
        let known = self.rows.len();
        self.snoozes
            .retain(|_, snooze| !page.rows.iter().any(|row| snooze.is_ended_by(&row.signal)));
        for signal in page.rows {
            if !self
                .rows
                .iter()
                .any(|row| row.signal.signal.id == signal.signal.id)
            {
                self.rows.push(ConversationRow {
                    signal,
                    is_done: false,
                });
            }
        }
        let left = page
            .total
            .unwrap_or_default()
            .saturating_sub(still_new as u64);
        self.total = left
            .max((self.rows.len() - known) as u64)
            .saturating_add(known as u64);
        Ok(self.rows.len() > known)
    }

    /// Prints the current signal, or that there are no more.
    async fn print_current(&self) -> Result<(), CliError> {
        let Some(row) = self.rows.get(self.position) else {
            let left = self.open_places().count();
            return print_line(&match (self.rows.len(), left) {
                (_, 0) if self.count_snoozed() > 0 => "No other signals are open; the rest are snoozed on this machine. u undoes, q quits.".to_owned(),
                (0, _) => "There are no new signals.".to_owned(),
                (_, 0) => "That was the last one. There are no new signals left. u undoes, q quits.".to_owned(),
                (_, 1) => "That was the last one. You skipped 1 signal that is still new: p goes back to it, q quits.".to_owned(),
                (_, n) => format!("That was the last one. You skipped {n} signals that are still new: p goes back, q quits."),
            });
        };
        let others: Vec<_> = self
            .same_project()
            .filter(|other| other.signal.id != row.signal.signal.id)
            .collect();
        for line in messages::signal_lines(
            &row.signal,
            &self.describe(&row.signal.signal).await,
            self.position + 1,
            self.total,
            &others,
            Utc::now() + self.skew,
        ) {
            print_line(&line)?;
        }
        if row.is_done {
            print_line("It is done.")?;
        } else if let Some(snooze) = self.snoozes.get(&row.signal.signal.id) {
            let until = messages::spoken_until(snooze.until, self.now());
            print_line(&format!("It is snoozed until {until}, on this machine."))?;
        }
        Ok(())
    }

    /// Whether a row is neither done nor snoozed.
    fn is_open(&self, row: &ConversationRow) -> bool {
        !row.is_done && !self.snoozes.contains_key(&row.signal.signal.id)
    }

    /// The places of the rows that are neither done nor snoozed.
    fn open_places(&self) -> impl DoubleEndedIterator<Item = usize> {
        (0..self.rows.len()).filter(move |at| self.is_open(&self.rows[*at]))
    }

    /// The open signals in the list on the current signal's project, and the current one.
    fn same_project(&self) -> impl Iterator<Item = &QueueSignal> {
        let here = self.rows.get(self.position).map(|row| &row.signal.signal);
        let same = move |row: &&ConversationRow| {
            here.is_some_and(|here| {
                here.id == row.signal.signal.id
                    || (here.project_id.is_some()
                        && here.project_id == row.signal.signal.project_id)
            })
        };
        self.rows
            .iter()
            .enumerate()
            .filter(|(at, row)| *at == self.position || self.is_open(row))
            .map(|(_, row)| row)
            .filter(same)
            .map(|row| &row.signal)
    }

    /// Executes an answer; returns false to end the conversation.
    async fn handle_answer(&mut self, answer: &str) -> Result<bool, CliError> {
        let lower = answer.to_lowercase();
        if let Some((cause, step)) = self.pending_question.take() {
            if matches!(lower.as_str(), "y" | "yes") {
                return self.finish_undo_or_redo(cause, step).await.map(|()| true);
            }
            print_line(&format!("Not {}done; nothing changed.", prefixes(&cause).1))?;
            self.restore_step(&cause, step);
        }
        let asked = self.asks_for_words.take();
        if asked.is_some() && matches!(lower.as_str(), "" | "q" | "quit" | "exit") {
            return print_line("Nothing was changed.").map(|()| true);
        }
        let wordy = WordyAnswer::parse_after(asked, answer);
        if let Some((wordy, words)) = wordy {
            if words.is_empty() && self.rows.get(self.position).is_some() {
                self.asks_for_words = Some(wordy);
                return self.ask_for_words(wordy).map(|()| true);
            }
            match wordy {
                WordyAnswer::Snooze => self.snooze(words).await?,
                WordyAnswer::Call => self.log_call(words).await?,
                WordyAnswer::Note => self.add_note(words).await?,
            }
            return Ok(true);
        }
        match lower.as_str() {
            "q" | "quit" | "exit" => return Ok(false),
            "" => self.print_current().await?,
            "d" | "done" => self.mark_done(false).await?,
            "a" | "all" => self.mark_done(true).await?,
            "n" | "next" => self.move_cursor(true).await?,
            "p" | "previous" => self.move_cursor(false).await?,
            "m" | "more" => self.print_project().await?,
            "u" | "undo" => self.undo_or_redo(EntryCause::Undo).await?,
            "r" | "redo" => self.undo_or_redo(EntryCause::Redo).await?,
            "c" | "counts" => self.print_counts().await?,
            "h" | "help" | "?" => messages::HELP_LINES
                .iter()
                .try_for_each(|line| print_line(line))?,
            number
                if number
                    .parse()
                    .is_ok_and(|n: usize| (1..=self.rows.len()).contains(&n)) =>
            {
                self.position = number.parse::<usize>().unwrap_or(1) - 1;
                self.print_current().await?;
            }
            _ => print_line(&format!(
                "{answer:?} is not an answer; nothing was done. h lists the answers."
            ))?,
        }
        Ok(true)
    }

    /// Goes to the next or the previous signal that is open.
    async fn move_cursor(&mut self, forward: bool) -> Result<(), CliError> {
        if forward {
            self.position = (self.position + 1).min(self.rows.len());
            return self.go_to_open().await;
        }
        let previous = self.open_places().rfind(|at| *at < self.position);
        match previous {
            Some(at) => self.position = at,
            None => return print_line("There is no new signal before this one."),
        }
        self.print_current().await
    }

    /// Goes to the first open signal from here on.
    async fn go_to_open(&mut self) -> Result<(), CliError> {
        loop {
            let next = self.open_places().find(|at| *at >= self.position);
            if let Some(at) = next {
                self.position = at;
                return self.print_current().await;
            }
            self.position = self.rows.len();
            match self.read_next_page().await {
                Ok(true) => {}
                Ok(false) => return self.print_current().await,
                Err(failure) => {
                    return self.print_failure("The next signals could not be read", failure);
                }
            }
        }
    }

    /// Marks this signal, or all of its project in the list, done and goes to the next.
    async fn mark_done(&mut self, whole_project: bool) -> Result<(), CliError> {
        let Some(row) = self.rows.get(self.position) else {
            return print_line(NO_SIGNAL_MESSAGE);
        };
        if row.is_done {
            return print_line("It is already done. u undoes the last change, n goes to the next.");
        }
        let id = row.signal.signal.id;
        let chosen: Vec<&QueueSignal> = self
            .same_project()
            .filter(|row| whole_project || row.signal.id == id)
            .collect();
        let moved = |row: &&QueueSignal| TriageMove {
            id: row.signal.id.0,
            row: serde_json::to_value(row).ok(),
        };
        let step = ConversationStep {
            op: None,
            description: messages::triage_description(&chosen),
            before: TriageStatus::New,
            after: TriageStatus::Done,
            signals: chosen.iter().map(moved).collect(),
            done_at: self.now(),
            uncertain: 0,
        };
        let Some(step) = self.send_step(&EntryCause::New, step).await? else {
            return Ok(());
        };
        if !step.signals.is_empty() {
            print_line(&format!(
                "Done: {}, for everyone. u undoes.",
                step.description
            ))?;
            self.history.pop_step(&EntryCause::New);
            self.end_snooze(id);
            self.history
                .push_step(&EntryCause::New, true, UndoableStep::Triage(step));
        }
        self.move_cursor(true).await
    }

    /// Goes to a signal whose change was undone, or behind one whose change was redone.
    async fn go_to_changed(
        &mut self,
        cause: &EntryCause,
        id: Option<Uuid>,
    ) -> Result<(), CliError> {
        let is_it = |row: &ConversationRow| Some(row.signal.signal.id.0) == id;
        let Some(at) = self.rows.iter().position(is_it) else {
            return Ok(());
        };
        self.position = at;
        if *cause == EntryCause::Undo {
            self.print_current().await
        } else {
            self.move_cursor(true).await
        }
    }

    /// The current time on the service's clock.
    fn now(&self) -> DateTime<Utc> {
        Utc::now() + self.skew
    }

    /// Undoes or redoes the last step, after checking whether a colleague has changed its signals
    /// since.
    async fn undo_or_redo(&mut self, cause: EntryCause) -> Result<(), CliError> {
        let (capital, un) = prefixes(&cause);
        let from = match cause {
            EntryCause::Undo => &mut self.history.done,
            _ => &mut self.history.undone,
        };
        let step = match from.pop() {
            Some(UndoableStep::Triage(step)) => step,
            Some(UndoableStep::Snooze(step)) => return self.replay_snooze(cause, *step).await,
            None => return print_line(&format!("There is nothing to {un}do.")),
        };
        let mut step = step.inverse();
        if self.session.is_read_only {
            self.restore_step(&cause, step);
            return print_line(READ_ONLY_MESSAGE);
        }
        let look = match step.check(&self.session.client, self.now()).await {
            Ok(look) => look,
            Err(failure) => {
                self.restore_step(&cause, step);
                let what = format!(
                    "Nothing was {un}done, because the check for a colleague's later changes failed"
                );
                return self.print_failure(&what, failure);
            }
        };
        let (gone, all, before) = (
            look.already_moved.len(),
            step.signals.len(),
            step.before.clone(),
        );
        if gone == all {
            return print_line(&format!(
                "No longer {before}: {}. Nothing changed.",
                step.description
            ));
        }
        step.exclude(&look.already_moved);
        match (gone, all) {
            (0, _) => {}
            (1, all) => print_line(&format!(
                "1 of {all} is no longer {before} and stays as it is."
            ))?,
            (gone, all) => print_line(&format!(
                "{gone} of {all} are no longer {before} and stay as they are."
            ))?,
        }
        let Some(question) = look.question else {
            return self.finish_undo_or_redo(cause, step).await;
        };
        let it = if step.signals.len() == 1 {
            "it"
        } else {
            "them"
        };
        print_line(&format!(
            "{capital}do {}? {question} y {un}does {it} anyway; any other answer changes nothing.",
            step.description
        ))?;
        self.pending_question = Some((cause, step));
        Ok(())
    }

    /// Sends a step that needs no further confirmation.
    async fn finish_undo_or_redo(
        &mut self,
        cause: EntryCause,
        step: ConversationStep,
    ) -> Result<(), CliError> {
        let Some(step) = self.send_step(&cause, step).await? else {
            return Ok(());
        };
        if step.signals.is_empty() {
            return Ok(());
        }
        let (first, after) = (
            step.signals.first().map(|moved| moved.id),
            step.after.clone(),
        );
        let it_is = if step.signals.len() == 1 {
            "It is"
        } else {
            "They are"
        };
        print_line(&format!(
            "{}done: {}. {it_is} {after} again, for everyone.",
            prefixes(&cause).0,
            step.description
        ))?;
        self.history
            .push_step(&cause, true, UndoableStep::Triage(step));
        self.go_to_changed(&cause, first).await
    }

    /// Journals a step and sends it in batches of a hundred. Returns the part that changed,
    /// possibly without signals, or `None` if nothing was sent. Unchanged signals have been
    /// reported by then.
    async fn send_step(
        &mut self,
        cause: &EntryCause,
        mut step: ConversationStep,
    ) -> Result<Option<ConversationStep>, CliError> {
        if self.session.is_read_only {
            self.restore_step(cause, step);
            print_line(READ_ONLY_MESSAGE)?;
            return Ok(None);
        }
        (step.done_at, step.uncertain) = (self.now(), 0);
        let change = |step: &ConversationStep| JournalChange::Triage {
            before: step.before.clone(),
            after: step.after.clone(),
            signals: step.signals.clone(),
        };
        let op = self.record(cause, step.op, &step.description, change(&step));
        let client = self.session.client_for(op);
        let ids: Vec<SignalId> = step
            .signals
            .iter()
            .map(|moved| SignalId(moved.id))
            .collect();
        let (mut sent, mut partly, mut failure) = (0, Vec::new(), None);
        for ids in ids.chunks(MAX_TRIAGE_SIGNALS) {
            match client.triage(ids, &step.after).await {
                Ok(answer) => {
                    sent += ids.len();
                    // If it was sent twice, the first attempt may have changed what the second did
                    // not: undo checks again.
                    if answer.value < ids.len() as u64 && !answer.was_retried {
                        partly.push((ids, answer.value));
                    }
                }
                Err(broken) => {
                    failure = Some(broken);
                    break;
                }
            }
        }
        for row in self
            .rows
            .iter_mut()
            .filter(|row| ids[..sent].contains(&row.signal.signal.id))
        {
            row.is_done = step.after == TriageStatus::Done;
        }
        if let Some(failure) = failure {
            self.print_failure(
                &format!("Not done, {} of {}", ids.len() - sent, ids.len()),
                failure,
            )?;
            if sent == 0 {
                self.restore_step(cause, step);
                return Ok(None);
            }
        }
        step.signals.truncate(sent);
        if !partly.is_empty() {
            let idle: usize = partly
                .iter()
                .map(|(ids, n)| ids.len() - usize::try_from(*n).unwrap_or(ids.len()))
                .sum();
            let found =
                unchanged_signals::find_unchanged(&self.session.client, &partly, &step.after)
                    .await
                    .unwrap_or_default();
            print_line(&messages::unchanged_message(
                &found,
                idle,
                sent,
                &step.after,
                self.now(),
            ))?;
            let none = partly
                .iter()
                .filter(|(_, changed)| *changed == 0)
                .flat_map(|(ids, _)| ids.iter().copied());
            let not_ours: Vec<SignalId> =
                found.iter().map(|signal| signal.id).chain(none).collect();
            step.exclude(&not_ours);
            step.uncertain = idle.saturating_sub(sent - step.signals.len());
            self.session.journal().record_applied(op, change(&step));
        }
        Ok(Some(ConversationStep {
            op: Some(op),
            ..step
        }))
    }

    /// Journals a change, which gets an id.
    fn record(
        &self,
        cause: &EntryCause,
        original_op: Option<Uuid>,
        description: &str,
        change: JournalChange,
    ) -> Uuid {
        let op = Uuid::now_v7();
        self.session.journal().record_entry(JournalEntry {
            op,
            at: Utc::now(),
            cause: cause.clone(),
            original_op,
            group: None,
            reason: "triage".to_owned(),
            description: description.to_owned(),
            change,
        });
        op
    }

    /// Puts a step that could not be undone or redone back into the history.
    fn restore_step(&mut self, cause: &EntryCause, step: ConversationStep) {
        if *cause != EntryCause::New {
            let step = UndoableStep::Triage(step.inverse());
            self.history.push_step(cause, false, step);
        }
    }

    /// Prints a failure as a sentence. A rejected sign-in ends the conversation.
    fn print_failure(&mut self, what: &str, failure: RequestError) -> Result<(), CliError> {
        self.has_failed = true;
        if failure.status() == Some(401) {
            return Err(failure.into());
        }
        print_line(&format!(
            "{what}: {}. Give the same answer to try again.",
            text::sanitize_line(failure.message.trim_end_matches('.'))
        ))
    }

    async fn print_counts(&mut self) -> Result<(), CliError> {
        match self.session.client.queue_stats().await {
            Ok(stats) => print_line(&messages::counts_message(&stats.value)),
            Err(failure) => self.print_failure("The counts could not be read", failure),
        }
    }
}

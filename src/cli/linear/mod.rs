//! `gantry triage --linear`: the queue's triage as a conversation, for screen readers, braille, bad links and logs.
//!
//! One signal at a time in whole sentences, an answer a line, nothing that moves on the screen; over a pipe as at a terminal. The acts
//! are those of the console: the same requests, each in the same journal before it leaves, so that either can take back what the
//! other did.
//!
//! Never here: a mode of the terminal, and anything that the conversation would do unasked but read the next page.

mod steps;
mod told;

use chrono::{DateTime, Duration, Utc};
use clap::Args as Arguments;
use uuid::Uuid;

use crate::config;
use crate::domain::SignalId;
use crate::domain::book::Dataset;
use crate::domain::failure::RequestError;
use crate::domain::journal::{EntryCause, JournalChange, JournalEntry, TriageMove, UndoHistory};
use crate::domain::projects::ProjectDetails;
use crate::domain::queue::{MAX_QUEUE_PAGE_ROWS, MAX_TRIAGE_SIGNALS, QueueFilter, QueueSignal, QueueStats, TriageStatus};
use crate::domain::records::{Record, RecordKey};
use crate::store::records::Kept;

use super::args::Args;
use super::desk::Desk;
use super::queue::Which;
use super::stop::{self, Doing, Stop};
use super::{print, stdin, unchanged};
use steps::{Step, past};

/// Which signals are gone through, and how.
#[derive(Clone, Debug, Default, Arguments)]
#[command(after_help = "Example: echo done | gantry --demo triage --linear --priority high")]
pub struct Triage {
    /// Line by line, in sentences: for screen readers, braille and bad links [env: GANTRY_ACCESSIBLE]
    #[arg(long)]
    linear: bool,
    #[command(flatten)]
    which: Which,
}

/// Goes through the new signals until somebody quits or has no more to say.
pub(super) async fn run(triage: &Triage, args: &Args, desk: &Desk) -> Result<(), Stop> {
    if !triage.linear && !config::is_accessible(&config::process_env) {
        return Err(Stop::usage("gantry triage goes line by line: say so with --linear; gantry alone opens the console"));
    }
    if args.json || args.format.is_some() {
        return Err(Stop::usage("triage --linear speaks in sentences; gantry queue list --json gives data"));
    }
    let mut talk = Talk::begin(triage, args.read_only, desk).await?;
    talk.show()?;
    say(told::ANSWERS)?;
    loop {
        let line = stdin::line().await?;
        if line.is_empty() || !talk.answer(line.trim()).await? {
            break;
        }
        say("Answer?")?;
    }
    match talk.failed {
        false => Ok(()),
        true => Err(Stop::new(stop::FAILED, "not every answer was done; what was not is said above")),
    }
}

const READ_ONLY: &str = "Read only: nothing is changed here.";

fn say(line: &str) -> Result<(), Stop> {
    Ok(print::data(&format!("{line}\n"))?)
}

/// A signal of the list; it keeps its number when it is done.
struct Row {
    signal: QueueSignal,
    is_done: bool,
}

struct Talk<'d> {
    desk: &'d Desk,
    filter: QueueFilter,
    read_only: bool,
    rows: Vec<Row>,
    total: u64,
    at: usize,
    steps: UndoHistory<Step>,
    /// A step that somebody has to agree to, as a colleague changed its signals since.
    question: Option<(EntryCause, Step)>,
    /// How far the service's clock is ahead.
    skew: Duration,
    failed: bool,
}

impl<'d> Talk<'d> {
    async fn begin(triage: &Triage, read_only: bool, desk: &'d Desk) -> Result<Talk<'d>, Stop> {
        let answer = desk.client.stats().await.doing("read the counts")?;
        let filter = triage.which.filter([TriageStatus::New]);
        let skew = answer.date.map_or_else(Duration::zero, |date| date - Utc::now());
        let steps = past(desk, skew).await;
        let (rows, question) = (Vec::new(), None);
        let mut talk = Talk { desk, filter, read_only, rows, total: 0, at: 0, steps, question, skew, failed: false };
        say(&told::counts(&answer.value))?;
        talk.read_on().await.doing("read the queue")?;
        Ok(talk)
    }

    /// Reads the rows after those that are known; answers whether there were any.
    async fn read_on(&mut self) -> Result<bool, RequestError> {
        let still_new = self.rows.iter().filter(|row| !row.is_done).count();
        let page =
            self.desk.client.queue(&self.filter, u32::try_from(still_new).unwrap_or(u32::MAX), MAX_QUEUE_PAGE_ROWS).await?.value;
        let known = self.rows.len();
        for signal in page.rows {
            if !self.rows.iter().any(|row| row.signal.signal.id == signal.signal.id) {
                self.rows.push(Row { signal, is_done: false });
            }
        }
        let left = page.total.unwrap_or_default().saturating_sub(still_new as u64);
        self.total = left.max((self.rows.len() - known) as u64).saturating_add(known as u64);
        Ok(self.rows.len() > known)
    }

    /// Says the signal that is next, or that there is none.
    fn show(&self) -> Result<(), Stop> {
        let Some(row) = self.rows.get(self.at) else {
            let left = self.rows.iter().filter(|row| !row.is_done).count();
            return say(&match (self.rows.len(), left) {
                (0, _) => "Nothing here is new.".to_owned(),
                (_, 0) => "That was the last. Nothing here is new any more. u undoes, q quits.".to_owned(),
                (_, 1) => "That was the last. One that you passed over is new still: p goes back to it, q quits.".to_owned(),
                (_, n) => format!("That was the last. {n} that you passed over are new still: p goes back, q quits."),
            });
        };
        let others: Vec<_> = self.same_project().filter(|other| other.signal.id != row.signal.signal.id).collect();
        for line in told::signal(&row.signal, self.at + 1, self.total, &others, Utc::now() + self.skew) {
            say(&line)?;
        }
        if row.is_done { say("It is done.") } else { Ok(()) }
    }

    /// The new signals of the list on the project of this one, which is among them.
    fn same_project(&self) -> impl Iterator<Item = &QueueSignal> {
        let here = self.rows.get(self.at).map(|row| &row.signal.signal);
        let same = move |row: &&Row| {
            here.is_some_and(|here| {
                here.id == row.signal.signal.id || (here.project_id.is_some() && here.project_id == row.signal.signal.project_id)
            })
        };
        self.rows.iter().filter(|row| !row.is_done).filter(same).map(|row| &row.signal)
    }

    /// Does what was answered; false ends the conversation.
    async fn answer(&mut self, answer: &str) -> Result<bool, Stop> {
        let lower = answer.to_lowercase();
        if let Some((wish, step)) = self.question.take() {
            if matches!(lower.as_str(), "y" | "yes") {
                return self.finish_turn(wish, step).await.map(|()| true);
            }
            say(if wish == EntryCause::Undo { "Not undone; nothing changed." } else { "Not done again; nothing changed." })?;
            self.put_back(&wish, step);
        }
        match lower.as_str() {
            "q" | "quit" | "exit" => return Ok(false),
            "" => self.show()?,
            "d" | "done" => self.mark(false).await?,
            "a" | "all" => self.mark(true).await?,
            "n" | "next" => self.step(true).await?,
            "p" | "previous" => self.step(false).await?,
            "m" | "more" => self.more().await?,
            "u" | "undo" => self.turn(EntryCause::Undo).await?,
            "r" | "redo" => self.turn(EntryCause::Redo).await?,
            "c" | "counts" => self.counts().await?,
            "h" | "help" | "?" => told::HELP.iter().try_for_each(|line| say(line))?,
            number if number.parse().is_ok_and(|n: usize| (1..=self.rows.len()).contains(&n)) => {
                self.at = number.parse::<usize>().unwrap_or(1) - 1;
                self.show()?;
            }
            _ => say(&format!("{answer:?} is no answer; nothing was done. h says what can be answered."))?,
        }
        Ok(true)
    }

    /// Goes to the next or the previous signal that is not done.
    async fn step(&mut self, forward: bool) -> Result<(), Stop> {
        let open = |(_, row): &(usize, &Row)| !row.is_done;
        if !forward {
            match self.rows.iter().enumerate().take(self.at).rfind(open) {
                Some((at, _)) => self.at = at,
                None => return say("Nothing before this is new."),
            }
            return self.show();
        }
        self.at = (self.at + 1).min(self.rows.len());
        loop {
            if let Some((at, _)) = self.rows.iter().enumerate().skip(self.at).find(open) {
                self.at = at;
                return self.show();
            }
            self.at = self.rows.len();
            match self.read_on().await {
                Ok(true) => {}
                Ok(false) => return self.show(),
                Err(failure) => return self.say_failure("The next signals were not read", failure),
            }
        }
    }

    /// Marks this signal done, or all of its project in the list, and goes on.
    async fn mark(&mut self, whole_project: bool) -> Result<(), Stop> {
        let Some(row) = self.rows.get(self.at) else { return say("There is no signal here; p goes back.") };
        if row.is_done {
            return say("It is done already. u takes the last act back, n goes on.");
        }
        let id = row.signal.signal.id;
        let chosen: Vec<&QueueSignal> = self.same_project().filter(|row| whole_project || row.signal.id == id).collect();
        let moved = |row: &&QueueSignal| TriageMove { id: row.signal.id.0, row: serde_json::to_value(row).ok() };
        let step = Step {
            op: None,
            words: told::act(&chosen),
            before: TriageStatus::New,
            after: TriageStatus::Done,
            signals: chosen.iter().map(moved).collect(),
            since: self.now(),
            doubt: 0,
        };
        let Some(step) = self.send(&EntryCause::New, step).await? else { return Ok(()) };
        if !step.signals.is_empty() {
            say(&format!("Done: {}, for everyone. u undoes.", step.words))?;
            self.steps.pop_step(&EntryCause::New);
            self.steps.push_step(&EntryCause::New, true, step);
        }
        self.step(true).await
    }

    /// The moment, on the service's clock.
    fn now(&self) -> DateTime<Utc> {
        Utc::now() + self.skew
    }

    /// Takes the last step back, or does again what was taken back, after a look whether a colleague changed its signals since.
    async fn turn(&mut self, wish: EntryCause) -> Result<(), Stop> {
        let is_undo = wish == EntryCause::Undo;
        let from = if is_undo { &mut self.steps.done } else { &mut self.steps.undone };
        let Some(step) = from.pop() else {
            return say(if is_undo { "There is nothing to undo." } else { "There is nothing to do again." });
        };
        let mut step = step.turned();
        if self.read_only {
            self.put_back(&wish, step);
            return say(READ_ONLY);
        }
        let look = match step.look(&self.desk.client, self.now()).await {
            Ok(look) => look,
            Err(failure) => {
                self.put_back(&wish, step);
                let what = if is_undo { "undone" } else { "done again" };
                let what = format!("Nothing was {what}, because it is not known whether a colleague changed it since");
                return self.say_failure(&what, failure);
            }
        };
        let (gone, all, before) = (look.gone.len(), step.signals.len(), step.before.clone());
        if gone == all {
            return say(&format!("No longer {before}: {}. Nothing changed.", step.words));
        }
        step.leave_out(&look.gone);
        match (gone, all) {
            (0, _) => {}
            (1, all) => say(&format!("1 of {all} is no longer {before} and stays as it is."))?,
            (gone, all) => say(&format!("{gone} of {all} are no longer {before} and stay as they are."))?,
        }
        let Some(question) = look.question else { return self.finish_turn(wish, step).await };
        let it = if step.signals.len() == 1 { "it" } else { "them" };
        let turns = if is_undo { format!("undoes {it}") } else { format!("does {it} again") };
        let (verb, words) = (if is_undo { "Undo" } else { "Redo" }, &step.words);
        say(&format!("{verb} {words}? {question} y {turns} all the same; any other answer changes nothing."))?;
        self.question = Some((wish, step));
        Ok(())
    }

    /// Sends a step that nothing stands against any more.
    async fn finish_turn(&mut self, wish: EntryCause, step: Step) -> Result<(), Stop> {
        let is_undo = wish == EntryCause::Undo;
        let Some(step) = self.send(&wish, step).await? else { return Ok(()) };
        if step.signals.is_empty() {
            return Ok(());
        }
        let (first, after) = (step.signals.first().map(|moved| moved.id), step.after.clone());
        let it_is = if step.signals.len() == 1 { "It is" } else { "They are" };
        say(&format!("{}: {}. {it_is} {after} again, for everyone.", if is_undo { "Undone" } else { "Done again" }, step.words))?;
        self.steps.push_step(&wish, true, step);
        if let Some(at) = self.rows.iter().position(|row| Some(row.signal.signal.id.0) == first) {
            self.at = at;
            return if is_undo { self.show() } else { self.step(true).await };
        }
        Ok(())
    }

    /// Sends a step by hundreds, in the journal first. Gives what of it changed, which may be no signal; nothing when nothing was done.
    /// What did not change was said then.
    async fn send(&mut self, wish: &EntryCause, mut step: Step) -> Result<Option<Step>, Stop> {
        if self.read_only {
            self.put_back(wish, step);
            say(READ_ONLY)?;
            return Ok(None);
        }
        (step.since, step.doubt) = (self.now(), 0);
        let op = Uuid::now_v7();
        let change = |step: &Step| JournalChange::Triage {
            before: step.before.clone(),
            after: step.after.clone(),
            signals: step.signals.clone(),
        };
        let (of, words, reason) = (step.op, step.words.clone(), "triage".to_owned());
        self.desk.journal().begin(JournalEntry {
            op,
            at: Utc::now(),
            cause: wish.clone(),
            original_op: of,
            reason,
            description: words,
            change: change(&step),
        });
        let client = self.desk.acting(op);
        let ids: Vec<SignalId> = step.signals.iter().map(|moved| SignalId(moved.id)).collect();
        let (mut sent, mut partly, mut failure) = (0, Vec::new(), None);
        for ids in ids.chunks(MAX_TRIAGE_SIGNALS) {
            match client.triage(ids, &step.after).await {
                Ok(answer) => {
                    sent += ids.len();
                    // Of what was sent twice, the first send may have changed what the second did not: undo looks again.
                    if answer.value < ids.len() as u64 && !answer.repeated {
                        partly.push((ids, answer.value));
                    }
                }
                Err(broken) => {
                    failure = Some(broken);
                    break;
                }
            }
        }
        for row in self.rows.iter_mut().filter(|row| ids[..sent].contains(&row.signal.signal.id)) {
            row.is_done = step.after == TriageStatus::Done;
        }
        if let Some(failure) = failure {
            self.say_failure(&format!("Not done, {} of {}", ids.len() - sent, ids.len()), failure)?;
            if sent == 0 {
                self.put_back(wish, step);
                return Ok(None);
            }
        }
        step.signals.truncate(sent);
        if !partly.is_empty() {
            let idle: usize = partly.iter().map(|(ids, n)| ids.len() - usize::try_from(*n).unwrap_or(ids.len())).sum();
            let found = unchanged::find(&self.desk.client, &partly, &step.after).await.unwrap_or_default();
            say(&told::unchanged(&found, idle, sent, &step.after, self.now()))?;
            let none = partly.iter().filter(|(_, changed)| *changed == 0).flat_map(|(ids, _)| ids.iter().copied());
            let not_ours: Vec<SignalId> = found.iter().map(|signal| signal.id).chain(none).collect();
            step.leave_out(&not_ours);
            step.doubt = idle.saturating_sub(sent - step.signals.len());
            self.desk.journal().applied(op, change(&step));
        }
        Ok(Some(Step { op: Some(op), ..step }))
    }

    /// A step that could not be turned stays where it was.
    fn put_back(&mut self, wish: &EntryCause, step: Step) {
        if *wish != EntryCause::New {
            self.steps.push_step(wish, false, step.turned());
        }
    }

    /// A failure in a sentence. Without a right to be here the conversation ends.
    fn say_failure(&mut self, what: &str, failure: RequestError) -> Result<(), Stop> {
        self.failed = true;
        if failure.status() == Some(401) {
            return Err(failure.into());
        }
        say(&format!(
            "{what}: {}. The same answer tries again.",
            crate::text::sanitize_line(failure.message.trim_end_matches('.'))
        ))
    }

    /// The project with what stands around it; what was read before costs nothing.
    async fn more(&mut self) -> Result<(), Stop> {
        let Some(id) = self.rows.get(self.at).and_then(|row| row.signal.signal.project_id) else {
            return say("This signal names no project.");
        };
        let key = RecordKey { dataset: Dataset::Projects, id: id.0, in_book: false };
        let (records, now) = (self.desk.records(), Utc::now());
        let record = match records.get(key.clone(), now).await.unwrap_or_default() {
            Some(kept) => {
                let at = kept.read_at.with_timezone(&chrono::Local).format("%B %-d, %H:%M");
                say(&format!("Read before, on {at}: it costs nothing."))?;
                kept.record
            }
            None => match self.desk.acting(Uuid::now_v7()).value::<Record>(crate::client::data::dossier(id)).await {
                Ok(answer) => {
                    let read_at = answer.date.unwrap_or(now);
                    records.keep(key, Kept { record: answer.value.clone(), credits: answer.credits, read_at });
                    answer.value
                }
                Err(failure) => return self.say_failure("The project was not read", failure),
            },
        };
        match serde_json::from_str::<ProjectDetails>(record.json()) {
            Ok(dossier) => told::more(&dossier, now + self.skew).iter().try_for_each(|line| say(line)),
            Err(_) => say("The project cannot be read: it is not as expected."),
        }
    }

    async fn counts(&mut self) -> Result<(), Stop> {
        let stats: Result<QueueStats, RequestError> = self.desk.client.stats().await.map(|answer| answer.value);
        match stats {
            Ok(stats) => say(&told::counts(&stats)),
            Err(failure) => self.say_failure("The counts were not read", failure),
        }
    }
}

//! Before a step is undone or redone, what it is about is read: nothing that a colleague changed meanwhile is overwritten unseen.
//!
//! Signals are read from the queue, which tells who triaged them and when; subscriptions and members are read for nothing. Records
//! are read from the book, for a price that is asked about first.

use std::collections::{BTreeMap, HashSet};

use chrono::{DateTime, Duration, Utc};
use uuid::Uuid;

use crate::app::App;
use crate::app::acts;
use crate::app::effect::{Call, Effect, RecordKey, Slot};
use crate::app::format::{count, moment, plural};
use crate::app::intent::Intent;
use crate::app::journal::Step;
use crate::app::known::{Field, values};
use crate::app::msg::Token;
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::{Choice, Pick};
use crate::app::writes::{self, ReversibleWrite, WriteOp};
use crate::domain::SignalId;
use crate::domain::book::RecordKind;
use crate::domain::failure::RequestError;
use crate::domain::pages::Page;
use crate::domain::queue::{MAX_QUEUE_PAGE_ROWS, QueueFilter, QueueSignal};

/// Pages of the queue that are looked through: a thousand rows.
pub const PAGES: u32 = 5;
/// Two clocks that tell the same moment are so far apart at most.
pub const SAME: Duration = Duration::seconds(30);

/// Signals of a step that are looked up.
#[derive(Clone, Debug)]
pub struct Look {
    token: Token,
    intent: Intent,
    since: DateTime<Utc>,
    filter: QueueFilter,
    offset: u32,
    /// Signals that were not found yet, with their words.
    missing: BTreeMap<SignalId, String>,
    over: Vec<String>,
}

/// Settings that are read before a step is turned.
#[derive(Clone, Debug)]
pub struct Refresh {
    tokens: HashSet<Token>,
    intent: Intent,
}

/// The narrowest question that these signals, now on the list of a status, are all among the answers of.
pub fn asks_for(rows: &[(SignalId, Option<QueueSignal>)], filter: QueueFilter) -> QueueFilter {
    let kind = |(_, row): &(_, Option<QueueSignal>)| row.as_ref()?.signal.signal_type.clone();
    let kinds = rows.iter().map(kind).collect::<Option<_>>().unwrap_or_default();
    // One signal is asked for by its filing.
    let q = match rows {
        [(_, Some(row))] => row.signal.source_filing_id.clone().unwrap_or_default(),
        _ => String::new(),
    };
    QueueFilter { signal_type: kinds, q, ..filter }
}

impl App {
    /// Undoes or redoes a step, after a look whether somebody changed what it left.
    pub(in crate::app) fn turn_step(&mut self, intent: Intent) {
        match &intent {
            Intent::Undo(step) | Intent::Redo(step) => match &**step {
                Step::Triage(step) => self.look_first(step.clone(), intent),
                Step::Write(step) => self.refresh_first(step.clone(), intent),
            },
            _ => self.intend(intent),
        }
    }

    /// Looks whether signals still stand where a step left them.
    fn look_first(&mut self, step: acts::Step, intent: Intent) {
        let is_undo = matches!(intent, Intent::Undo(_));
        let there = if is_undo { step.there() } else { step.there().other() };
        let signals = step.signals();
        let filter = QueueFilter { status: [there.status()].into(), ..QueueFilter::default() };
        let filter = asks_for(&signals, filter);
        let words =
            |row: Option<QueueSignal>| row.and_then(|row| row.signal.project_name).unwrap_or_else(|| "a signal".to_owned());
        let over = match step.doubt {
            0 => Vec::new(),
            n => vec![format!(
                "{} of these {} stood {} before you did this, and it is not known which",
                count(n),
                plural(signals.len(), "signal"),
                if step.there() == crate::app::panes::queue::Tab::Done { "under Done" } else { "under New" }
            )],
        };
        let missing = signals.into_iter().map(|(id, row)| (id, words(row))).collect();
        self.notice = Some(Notice::note(format!("{}: looking whether somebody changed it since", intent.verb())));
        self.look(Look { token: Token(0), intent, since: step.since, filter, offset: 0, missing, over });
    }

    fn look(&mut self, look: Look) {
        let call = Call::Queue { filter: look.filter.clone(), offset: look.offset, limit: MAX_QUEUE_PAGE_ROWS };
        let token = self.call(Slot::Verify, call);
        self.looks = Some(Look { token, ..look });
    }

    /// Takes what was looked up; false when the reply belongs to no look.
    pub(in crate::app) fn looked(&mut self, token: Token, result: &Result<Page<QueueSignal>, RequestError>) -> bool {
        let Some(mut look) = self.looks.take_if(|look| look.token == token) else { return false };
        let verb = look.intent.verb();
        let page = match result {
            Ok(page) => page,
            Err(failure) => {
                self.drop_queued();
                let what = format!("{verb}: nothing was sent, because it is not known whether somebody changed it since");
                self.failed(&what, failure, if verb == "redo" { "{redo} tries again" } else { "{undo} tries again" });
                return true;
            }
        };
        for row in &page.rows {
            let Some(words) = look.missing.remove(&row.signal.id) else { continue };
            let by = row.triaged_by.as_deref();
            let at = row.triaged_at.as_ref().and_then(|when| when.date_time());
            let is_theirs = match self.my_id() {
                Some(me) => by.is_some_and(|by| by != me),
                None => at.is_some_and(|at| (at - look.since).abs() > SAME),
            };
            if is_theirs {
                look.over.push(format!("{words}: done by {}", self.who_and_when(by, at)));
            }
        }
        look.offset += u32::try_from(page.rows.len() + page.unreadable).unwrap_or(MAX_QUEUE_PAGE_ROWS);
        let ended = page.rows.is_empty() || page.total.is_none_or(|total| u64::from(look.offset) >= total);
        if !look.missing.is_empty() && !ended && look.offset < PAGES * MAX_QUEUE_PAGE_ROWS {
            self.look(look);
            return true;
        }
        if !look.missing.is_empty() {
            let gone = plural(look.missing.len(), "signal");
            look.over.push(if ended {
                format!("{gone} no longer where you left {}", if look.missing.len() == 1 { "it" } else { "them" })
            } else {
                format!("{gone} not found in the first {} rows, so not checked", count(u64::from(look.offset)))
            });
        }
        self.notice = None;
        self.ask_over(look.over, look.intent);
        true
    }

    /// Who uses the console, as the queue names people.
    pub(in crate::app) fn my_id(&self) -> Option<String> {
        self.workspace.as_ref().and_then(|workspace| workspace.caller.as_ref()?.user_id).map(|id| id.to_string())
    }

    /// A person and a moment: `Ben K. at 09:20`.
    pub(in crate::app) fn who_and_when(&self, by: Option<&str>, at: Option<DateTime<Utc>>) -> String {
        let who = self.who(by);
        match at {
            Some(at) => format!("{who} at {}", moment(at, self.service_now(), self.settings.utc_offset)),
            None => who,
        }
    }

    /// Reads the settings that a step is about, which is free, and goes on when they are here.
    fn refresh_first(&mut self, step: writes::Step, intent: Intent) {
        let any = |is: fn(&WriteOp) -> bool| step.changes.iter().any(|change| is(&change.forward));
        let mut tokens = HashSet::new();
        if any(|part| matches!(part, WriteOp::Subscription(..))) {
            tokens.insert(self.call(Slot::Subscriptions, Call::Subscriptions));
        }
        if any(|part| matches!(part, WriteOp::Team(_))) {
            tokens.insert(self.call(Slot::Members, Call::Members));
        }
        if tokens.is_empty() {
            return self.turn_write(&step, intent);
        }
        self.notice = Some(Notice::note(format!("{}: looking whether somebody changed it since", intent.verb())));
        self.refreshes = Some(Refresh { tokens, intent });
    }

    /// A call was answered: when it was the last of what is read before a step is turned, the step is.
    pub(in crate::app) fn refreshed(&mut self, token: Token, failure: Option<&RequestError>) {
        let Some(refresh) = &mut self.refreshes else { return };
        if !refresh.tokens.remove(&token) {
            return;
        }
        let is_last = refresh.tokens.is_empty();
        if let Some(failure) = failure {
            let verb = refresh.intent.verb();
            self.refreshes = None;
            self.drop_queued();
            let what = format!("{verb}: nothing was sent, because it is not known whether somebody changed it since");
            return self.failed(&what, failure, if verb == "redo" { "{redo} tries again" } else { "{undo} tries again" });
        }
        if is_last && let Some(Refresh { intent, .. }) = self.refreshes.take() {
            self.notice = None;
            if let Intent::Undo(step) | Intent::Redo(step) = &intent
                && let Step::Write(step) = &**step
            {
                self.turn_write(&step.clone(), intent);
            }
        }
    }

    /// Turns a step of writes when what it left is known to stand there still.
    fn turn_write(&mut self, step: &writes::Step, intent: Intent) {
        let is_undo = matches!(intent, Intent::Undo(_));
        // What a change left, and what is written over it.
        let pair = |change: &'_ ReversibleWrite| {
            let back = change.back.clone()?;
            Some(if is_undo { (change.forward.clone(), back) } else { (back, change.forward.clone()) })
        };
        let writes: Vec<(WriteOp, WriteOp)> = step.changes.iter().filter_map(pair).collect();
        let writes: Vec<(&WriteOp, &WriteOp)> = writes.iter().map(|(left, part)| (left, part)).collect();
        let unread = self.unread_since(&writes, step.since);
        if unread.is_empty() {
            let over = self.overridden(writes.into_iter());
            self.ask_over(over, intent);
        } else {
            let annotated = writes.iter().filter(|(_, part)| matches!(part, WriteOp::Annotate(..))).count();
            self.ask_to_read(unread, annotated, writes.len() == annotated, intent);
        }
    }

    /// Records of which nobody knows what was written on them since then; of a record that leaves the book, all that is.
    fn unread_since(&self, writes: &[(&WriteOp, &WriteOp)], since: DateTime<Utc>) -> Vec<(RecordKind, Uuid)> {
        let unread = |(_, part): &&(&WriteOp, &WriteOp)| {
            let (shelf, id, fields): (_, _, Vec<Field>) = match part {
                WriteOp::Annotate(shelf, id, next) => (shelf, id, values(next).into_iter().map(|(field, _)| field).collect()),
                WriteOp::Forget(shelf, id) => (shelf, id, Field::of(shelf)),
                _ => return None,
            };
            let key = RecordKey::for_book(shelf, *id);
            let was_read = self.page(&key).is_some_and(|paid| paid.read_at > since);
            let known = self.known(shelf, *id);
            let is_known = was_read || fields.into_iter().all(|field| known.told(field).is_some_and(|told| told.at > since));
            (!is_known).then(|| (shelf.clone(), *id))
        };
        writes.iter().filter_map(|pair| unread(&pair)).collect()
    }

    /// Asks whether records may be read before a step is turned. Those that are `annotated` are read anyway, each right before it is
    /// written.
    fn ask_to_read(&mut self, unread: Vec<(RecordKind, Uuid)>, annotated: usize, are_all: bool, intent: Intent) {
        let verb = intent.verb();
        let records = plural(unread.len(), unread.first().map_or("record", |(shelf, _)| shelf.singular_name()));
        let text = format!("A colleague may have changed {records} since you wrote this: nothing was read since.");
        let note = format!("{} cr", if are_all { annotated } else { unread.len() + annotated });
        let reads = |then| Pick { label: format!("read {records} first, then {verb}"), note, then };
        let picks = if are_all {
            vec![reads(intent)]
        } else {
            let note = format!("{annotated} cr");
            let without = Pick { label: format!("{verb} without looking"), note, then: intent.clone() };
            vec![reads(Intent::ReadFirst(unread, Box::new(intent))), without]
        };
        self.ask_before(verb, Choice { text, ..Choice::new(format!("{verb}?"), "", picks) });
    }

    /// Reads records, a credit each, and then does what was meant.
    pub(in crate::app) fn read_first_then(&mut self, records: Vec<(RecordKind, Uuid)>, then: Intent) {
        self.notice = Some(Notice::note(format!("reading {}", plural(records.len(), "record"))).with("Ctrl-c stops"));
        for (shelf, id) in records {
            let key = RecordKey::for_book(&shelf, id);
            let token = self.call(Slot::Sheet, Call::Record { key, again: true });
            self.reads.insert(token, (shelf, id));
        }
        self.reads_then = Some(then);
    }

    /// All that was read for a step is here.
    pub(in crate::app) fn read_and_then(&mut self) -> bool {
        let then = self.reads_then.take();
        self.notice = self.notice.take().filter(|_| then.is_none());
        match then {
            Some(then) => self.turn_step(then),
            None => return false,
        }
        true
    }

    pub(in crate::app) fn ask_over(&mut self, over: Vec<String>, intent: Intent) {
        if over.is_empty() {
            return self.intend(intent);
        }
        let (verb, text) = (intent.verb(), format!("Changed since then. {}.", over.join(". ")));
        self.ask_before(verb, Choice::confirm(format!("{verb}?"), text, format!("{verb} all the same"), intent));
    }

    /// Asks before a step is turned; of somebody who is typing its key asks later.
    fn ask_before(&mut self, verb: &str, choice: Choice) {
        if self.is_typing() {
            let hint = if verb == "redo" { "{redo} asks" } else { "{undo} asks" };
            self.notice = Some(Notice::warn(choice.text).with(hint));
        } else {
            self.overlay = Some(Overlay::Choice(choice));
        }
    }

    /// Keeps what was applied of a write: it can be taken back after any end of the program.
    pub(in crate::app) fn keep_applied(&mut self, number: u64, applied: &[ReversibleWrite]) {
        if !applied.is_empty() {
            let change = crate::domain::journal::JournalChange::Write { things: applied.len(), changes: applied.to_vec() };
            self.out.push(Effect::Applied { slot: Slot::Write(number), change });
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::Duration;
    use serde_json::{Value, json};

    use crate::app::Effect;
    use crate::app::effect::{Call, Write};
    use crate::app::testing::desk::{account_id, view_id};
    use crate::app::testing::{Console, morning, signal_id};
    use crate::domain::failure::RequestError;
    use crate::domain::journal::{EntryCause, JournalChange, JournalEntry, SavedState};
    use crate::domain::queue::TriageStatus;

    fn book() -> Console {
        Console::over(morning()).press("3").serve().press("Enter").serve()
    }

    /// A status was set on an account, and the program was ended and started again.
    fn called() -> Console {
        book().press("a s").type_in("called").press("Ctrl-s").serve().restarted()
    }

    fn status(console: &Console) -> &Value {
        &console.desk.book[&account_id(1)]["workspace_status"]
    }

    fn writes(console: &Console) -> usize {
        console.calls.iter().filter(|call| matches!(call, Call::Write(_))).count()
    }

    #[test]
    fn an_annotation_is_taken_back_after_a_restart_once_the_record_was_read_for_the_price_that_stood_there() {
        let console = called();
        let spent = console.desk.spent;
        let console = console.press("z");
        assert!(
            console.screen().contains("read 1 account first, then undo") && console.screen().contains("1 cr"),
            "{}",
            console.screen()
        );
        assert_eq!((writes(&console), console.desk.spent), (0, spent), "nothing happens by itself");
        let console = console.press("Enter").serve();
        assert_eq!((status(&console), console.desk.spent), (&json!("contacted"), spent + 1), "{}", console.notice());
        let console = console.press("Z");
        assert!(!console.screen().contains("without looking"), "{}", console.screen());
        let console = console.press("Enter").serve();
        assert_eq!((status(&console), console.desk.spent), (&json!("called"), spent + 2));
        // What was taken back and done again stands there the same way after the next restart.
        let console = console.restarted();
        assert!(console.app.journal.undo_words().is_some_and(|words| words.contains("status of Brightline GC")));
        assert_eq!(console.app.journal.redo_words(), None);
    }

    #[test]
    fn what_a_colleague_changed_while_the_program_was_away_is_not_written_over_unasked() {
        let mut console = called();
        console.desk.book.get_mut(&account_id(1)).unwrap().insert("workspace_status".into(), json!("won"));
        let console = console.press("z Enter").serve();
        assert!(console.screen().contains("Brightline GC: status is won"), "{}", console.screen());
        assert_eq!(status(&console), &json!("won"));
        assert_eq!(status(&console.press("Enter").serve()), &json!("contacted"));
    }

    #[test]
    fn what_is_learned_of_a_step_while_one_types_takes_no_keys_and_is_asked_about_by_the_key_again() {
        let mut console = called();
        console.desk.book.get_mut(&account_id(1)).unwrap().insert("workspace_status".into(), json!("won"));
        let console = console.press("z Enter").press("/").type_in("mill").serve().press("Enter");
        assert!(console.app.overlay.is_none(), "{}", console.screen());
        let console = console.serve();
        assert_eq!((status(&console), console.app.find.as_str()), (&json!("won"), "mill"));
        assert!(console.press("z").screen().contains("undo all the same"));
    }

    #[test]
    fn records_that_were_read_since_the_start_are_read_again_only_right_before_the_write() {
        let console = called().press("3").serve().press("Enter").serve();
        let spent = console.desk.spent;
        let console = console.press("z").serve();
        assert_eq!((status(&console), console.desk.spent), (&json!("contacted"), spent + 1));
    }

    #[test]
    fn of_a_batch_only_what_was_applied_is_taken_back() {
        let mut console = book();
        console.desk.stubborn.insert(account_id(2));
        let before = console.desk.book.clone();
        let console = console.press("* a a s").type_in("called").press("Ctrl-s").serve();
        assert!(console.notice().contains("7 of 8"), "{}", console.notice());
        let console = console.restarted().press("z Enter").serve();
        assert_eq!(console.desk.book, before);
        assert_eq!(console.calls.iter().filter(|call| matches!(call, Call::Write(Write::Annotate { .. }))).count(), 7);
    }

    #[test]
    fn members_of_views_and_favorites_come_and_go_again_after_a_restart_for_nothing() {
        let console = book().press("2").serve().press("j b").serve();
        assert!(console.desk.favorites.contains(&view_id(1)), "{}", console.notice());
        let console = console.press("3").serve().press("j j j Space Space +").press("Enter").serve();
        let members = console.desk.members[&view_id(1)].len();
        let console = console.restarted();
        let spent = console.desk.spent;
        let console = console.press("z").serve();
        assert!(console.desk.members[&view_id(1)].len() < members, "{}", console.notice());
        let console = console.press("z").serve();
        assert!(!console.desk.favorites.contains(&view_id(1)), "{}", console.notice());
        let console = console.press("Z").serve().press("Z").serve();
        assert_eq!((console.desk.members[&view_id(1)].len(), console.desk.spent), (members, spent));
    }

    #[test]
    fn a_record_that_was_taken_out_of_the_book_comes_back_after_a_restart_but_not_over_what_a_colleague_wrote_since() {
        let console = book().press("D Down Enter").serve().restarted();
        assert!(!console.desk.book.contains_key(&account_id(1)));
        let mut console = console;
        console.desk.book.insert(account_id(1), serde_json::from_value(json!({"workspace_status": "won", "tags": []})).unwrap());
        let console = console.press("z Enter").serve();
        assert!(console.screen().contains("status is won"), "{}", console.screen());
        console.desk.book.get(&account_id(1)).map(|overlay| assert_eq!(overlay["workspace_status"], json!("won"))).unwrap();
    }

    #[test]
    fn a_write_of_which_nobody_knows_whether_it_arrived_is_said_and_written_again_only_when_that_is_meant() {
        let done = book().press("a s").type_in("called").press("Ctrl-s").serve();
        let cut = done.past.entries.last().cloned().into_iter().collect();
        let mut console = book();
        console.past = SavedState { unconfirmed_writes: cut, ..SavedState::default() };
        let console = console.restarted();
        assert!(console.notice().contains("status of Brightline GC broke off"), "{}", console.notice());
        assert_eq!(writes(&console), 0);
        assert_eq!(status(&console.press("Z Enter").serve()), &json!("called"));
    }

    /// The act of a status that was set, and the act that takes it back.
    fn called_and_taken_back() -> [JournalEntry; 2] {
        let done = book().press("a s").type_in("called").press("Ctrl-s").serve().press("z Down Enter").serve();
        <[JournalEntry; 2]>::try_from(done.past.entries).unwrap_or_else(|acts| panic!("{acts:?}"))
    }

    /// A program that ended when an undo, or what did it again, was on its way; the status stands as it was before that.
    fn cut_off(cut: EntryCause, after: Duration) -> Console {
        let [act, undo] = called_and_taken_back();
        let mut console = match cut {
            EntryCause::Undo => book().press("a s").type_in("called").press("Ctrl-s").serve(),
            _ => book(),
        };
        let redo = JournalEntry { cause: EntryCause::Redo, op: uuid::Uuid::from_u128(9), ..act.clone() };
        console.past = match cut {
            EntryCause::Undo => SavedState { entries: vec![act], unconfirmed_writes: vec![undo], ..SavedState::default() },
            _ => SavedState { entries: vec![act, undo], unconfirmed_writes: vec![redo], ..SavedState::default() },
        };
        console.again(after)
    }

    #[test]
    fn an_undo_that_broke_off_a_moment_ago_is_sent_again_once_and_can_be_done_again() {
        let console = cut_off(EntryCause::Undo, Duration::seconds(30));
        assert_eq!((status(&console), writes(&console)), (&json!("contacted"), 1));
        assert_eq!((console.app.journal.done.len(), console.app.journal.undone.len()), (0, 1));
        let console = cut_off(EntryCause::Redo, Duration::seconds(30));
        assert_eq!((status(&console), writes(&console)), (&json!("called"), 1));
        assert_eq!((console.app.journal.done.len(), console.app.journal.undone.len()), (1, 0));
    }

    #[test]
    fn an_undo_that_broke_off_long_ago_is_undone_when_that_is_meant_and_nothing_else_is_written() {
        let console = cut_off(EntryCause::Undo, Duration::hours(1));
        assert!(console.notice().starts_with("taking back status of Brightline GC broke off"), "{}", console.notice());
        assert_eq!((console.app.journal.done.len(), console.app.journal.undone.len(), writes(&console)), (1, 0, 0));
        assert_eq!(status(&console.press("z Enter").serve()), &json!("contacted"));
        let console = cut_off(EntryCause::Redo, Duration::hours(1));
        assert_eq!((console.app.journal.done.len(), console.app.journal.undone.len(), writes(&console)), (0, 1, 0));
        assert_eq!(status(&console.press("Z Enter").serve()), &json!("called"));
    }

    #[test]
    fn an_annotation_whose_undo_did_not_arrive_is_the_next_to_be_undone() {
        let console = book().press("a s").type_in("called").press("Ctrl-s").serve();
        let console = console.press("j a s").type_in("won").press("Ctrl-s").serve();
        let console = console.press("z Down Enter").fail(RequestError::new_not_sent("no network"));
        let first = console.calls.last().cloned();
        let console = console.press("z Down Enter");
        assert_eq!(console.calls.last(), first.as_ref());
        let console = console.serve();
        assert!(console.app.journal.undo_words().is_some_and(|words| words.contains("Brightline GC")));
        assert_eq!(console.app.journal.undone.len(), 1);
    }

    #[test]
    fn a_write_that_broke_off_a_moment_ago_is_sent_again_by_itself_as_the_same_act() {
        let done = book().press("a s").type_in("called").press("Ctrl-s").serve();
        let cut = done.past.entries.last().cloned().unwrap();
        let mut console = book();
        console.past = SavedState { unconfirmed_writes: vec![cut.clone()], ..SavedState::default() };
        let console = console.again(Duration::seconds(30));
        assert_eq!((status(&console), writes(&console)), (&json!("called"), 1));
        let same = |effect: &Effect| matches!(effect, Effect::Journal { op, .. } if *op == Some(cut.op));
        assert!(console.effects.iter().any(same), "{:?}", console.effects);
        assert_ne!(status(&console.press("z Down Enter").serve()), &json!("called"), "it can be taken back");
    }

    #[test]
    fn signals_that_a_colleague_triaged_since_are_not_put_back_unasked_after_a_restart() {
        let console = Console::over(morning()).press("e").serve().restarted();
        let id = signal_id(1);
        // Ben put it back to New and did it again.
        let console = console.colleague(|rows| {
            let row = rows.iter_mut().find(|row| row.signal.id == id).unwrap();
            row.triaged_by = Some(crate::domain::UserId(uuid::Uuid::from_u128(crate::app::testing::BEN)).to_string());
            row.triaged_at = Some(crate::app::testing::moment("2026-07-09T10:00:00Z").into());
        });
        let console = console.press("z").serve();
        assert!(console.screen().contains("Harbor Yard Lofts: done by Ben K. at"), "{}", console.screen());
        assert!(console.triages().is_empty());
        assert_eq!(console.press("Enter").serve().triages(), [(1, TriageStatus::New)]);
    }

    #[test]
    fn signals_that_are_no_longer_where_they_were_left_are_asked_about() {
        let console = Console::over(morning()).press("e").serve().restarted();
        let console = console.colleague(|rows| rows.iter_mut().for_each(|row| row.triage_status = Some(TriageStatus::New)));
        let console = console.after(Duration::minutes(1)).press("z").serve();
        assert!(console.screen().contains("1 signal no longer where you left it"), "{}", console.screen());
    }

    #[test]
    fn an_act_of_an_older_journal_that_tells_no_parts_is_no_step() {
        let change: JournalChange = serde_json::from_value(json!({"kind": "write", "things": 3})).unwrap();
        let at = crate::app::testing::moment("2026-07-09T08:00:00Z");
        let act = JournalEntry {
            op: uuid::Uuid::nil(),
            at,
            cause: EntryCause::New,
            original_op: None,
            reason: String::new(),
            description: String::new(),
            change,
        };
        let mut console = Console::over(morning());
        console.past.entries.push(act);
        assert_eq!(console.restarted().app.journal.undo_words(), None);
    }
}

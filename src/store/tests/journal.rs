//! What the person did is on disk before it is sent, and what became of it after.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use uuid::Uuid;

use super::super::Store;
use super::{Desk, LIMIT, noon};
use crate::domain::SignalId;
use crate::domain::book::{Annotation, RecordKind};
use crate::domain::journal::{EntryCause, JournalChange, JournalEntry, OutgoingWrite, SavedState, TriageMove, WriteProgress};
use crate::domain::patch::Patch;
use crate::domain::queue::TriageStatus;
use crate::domain::writes::{self, WriteOp};

fn act(op: u128) -> JournalEntry {
    JournalEntry {
        op: Uuid::from_u128(op),
        at: noon() + TimeDelta::seconds(op as i64),
        cause: EntryCause::New,
        original_op: None,
        reason: "queue.done".to_owned(),
        description: "permit filed on Harbor Yard".to_owned(),
        change: JournalChange::Triage {
            before: TriageStatus::New,
            after: TriageStatus::Done,
            signals: vec![TriageMove { id: Uuid::from_u128(9), row: Some(json!({"id": 9})) }],
        },
    }
}

fn write(id: u128) -> OutgoingWrite {
    let ids = [7, 8, 9].map(Uuid::from_u128);
    let body = json!({"signal_ids": ids, "status": "done"});
    OutgoingWrite { id: Uuid::from_u128(id), route: "POST /signals/triage".to_owned(), target: None, body: Some(body) }
}

/// Writes down an act and that it is about to be sent.
pub(super) async fn send(store: &Store, id: u128) {
    let journal = store.journal("m", None);
    journal.begin(act(id));
    journal.sending(Uuid::from_u128(id), "queue.done", act(id).at, write(id)).await.unwrap();
}

/// What a program finds that starts at a moment.
async fn past(store: &Store, meter: &str, since: DateTime<Utc>) -> SavedState {
    store.journal(meter, None).past(since, 9).await.unwrap()
}

/// Which writes are of unknown fate: each was sent so many seconds after noon.
async fn broken(store: &Store, meter: &str) -> Vec<i64> {
    past(store, meter, noon()).await.interrupted_triage.iter().map(|broken| (broken.at - noon()).num_seconds()).collect()
}

#[tokio::test]
async fn a_write_is_on_disk_before_it_is_sent_and_tells_what_became_of_it() {
    let desk = Desk::new();
    let store = desk.store();
    send(&store, 1).await;
    // Another console sees it as soon as it may leave.
    let other = desk.store();
    let sent = other.sent_since(noon()).await.unwrap().remove(0);
    assert_eq!((sent.progress, sent.records, sent.body), (WriteProgress::Sending, 3, write(1).body));
    store.journal("m", None).settled(Uuid::from_u128(1), WriteProgress::Rejected, Some("not today".to_owned()));
    store.close(LIMIT);
    let sent = other.sent_since(noon()).await.unwrap().remove(0);
    assert_eq!((sent.progress, sent.why.as_deref()), (WriteProgress::Rejected, Some("not today")));
    assert_eq!(other.acts_since(noon()).await.unwrap(), [act(1)]);
}

#[tokio::test]
async fn what_a_program_that_died_was_sending_is_unknown_and_what_a_living_one_sends_is_not() {
    let desk = Desk::new();
    let (living, dying) = (desk.store(), desk.store());
    send(&living, 1).await;
    send(&dying, 2).await;
    dying.close(LIMIT);
    let next = desk.store();
    assert_eq!(broken(&next, "m").await, [2]);
    assert_eq!(broken(&next, "another").await, [0; 0], "of another service");
    living.close(LIMIT);
    assert_eq!(broken(&next, "m").await, [1, 2]);
    next.journal("m", None).settled(Uuid::from_u128(1), WriteProgress::Done, None);
    assert_eq!(broken(&next, "m").await, [2]);
    assert!(desk.names().iter().all(|name| !name.contains("run-")), "{:?}", desk.names());
}

#[tokio::test]
async fn what_another_living_program_is_writing_is_seen_until_it_is_answered_or_that_program_has_died() {
    let desk = Desk::new();
    let (here, verb, dying) = (desk.store(), desk.store(), desk.store());
    let seen = async || past(&here, "m", noon()).await.writes_in_other_process;
    send(&here, 1).await;
    assert_eq!(seen().await, 0, "one's own is known");
    send(&verb, 2).await;
    send(&dying, 3).await;
    assert_eq!(seen().await, 6);
    assert_eq!(past(&here, "another", noon()).await.writes_in_other_process, 0, "of another service");
    dying.close(LIMIT);
    assert_eq!(seen().await, 3);
    verb.journal("m", None).settled(Uuid::from_u128(2), WriteProgress::Done, None);
    verb.close(LIMIT);
    assert_eq!(seen().await, 0);
}

#[tokio::test]
async fn the_last_acts_of_which_something_was_done_come_back_in_their_order() {
    let store = Store::in_memory();
    for id in 1..=5 {
        send(&store, id).await;
        let progress = if id == 4 { WriteProgress::Rejected } else { WriteProgress::Done };
        store.journal("m", None).settled(Uuid::from_u128(id), progress, None);
    }
    let last = store.journal("m", None).last(3).await.unwrap();
    assert_eq!(last, [act(2), act(3), act(5)]);
}

#[tokio::test]
async fn of_an_act_that_was_refused_in_part_only_what_was_done_comes_back() {
    let store = Store::in_memory();
    let JournalChange::Triage { before, after, mut signals } = act(1).change else { panic!() };
    signals.push(TriageMove { id: Uuid::from_u128(1), row: None });
    store.journal("m", None).begin(JournalEntry { change: JournalChange::Triage { before, after, signals }, ..act(1) });
    send(&store, 1).await;
    store.journal("m", None).settled(Uuid::from_u128(1), WriteProgress::Done, None);
    assert_eq!(store.journal("m", None).last(3).await.unwrap(), [act(1)]);
}

#[tokio::test]
async fn a_write_of_unknown_fate_is_settled_by_what_was_read_of_its_signals() {
    for (gone, not_gone, progress) in [
        (vec![7, 8, 9], vec![], WriteProgress::Done),
        (vec![7], vec![8, 9], WriteProgress::NotSent),
        (vec![1], vec![], WriteProgress::Unknown),
    ] {
        let store = Store::in_memory();
        let journal = store.journal("m", None);
        send(&store, 1).await;
        journal.settled(Uuid::from_u128(1), WriteProgress::Unknown, None);
        let signals = |ids: Vec<u128>| ids.into_iter().map(|id| SignalId(Uuid::from_u128(id))).collect();
        journal.verified(TriageStatus::New, signals(vec![7, 8, 9]), vec![]);
        journal.verified(TriageStatus::Done, signals(gone), signals(not_gone));
        assert_eq!(store.sent_since(noon()).await.unwrap()[0].progress, progress);
    }
}

/// An act on two accounts, and the write that it sends.
async fn annotate(store: &Store, op: u128, progress: Option<WriteProgress>) -> JournalEntry {
    let part = |n: u128, notes: &str| {
        let annotation = Annotation { notes: Patch::Set(notes.to_owned()), ..Annotation::default() };
        WriteOp::Annotate(RecordKind::Accounts, Uuid::from_u128(n), annotation)
    };
    let changes: Vec<_> = [1, 2].map(|n| writes::ReversibleWrite { forward: part(n, "called"), back: Some(part(n, "")) }).into();
    let act = JournalEntry {
        description: "note of 2 accounts".to_owned(),
        change: JournalChange::Write { things: 2, changes },
        ..act(op)
    };
    let journal = store.journal("m", None);
    journal.begin(act.clone());
    let write = OutgoingWrite { route: "POST /workspace/accounts/batch".to_owned(), ..write(op) };
    journal.sending(Uuid::from_u128(op), "sheet.apply", act.at, write).await.unwrap();
    progress.into_iter().for_each(|progress| journal.settled(Uuid::from_u128(op), progress, None));
    act
}

#[tokio::test]
async fn a_write_to_the_book_is_read_back_with_its_way_back_and_with_what_of_it_was_applied() {
    let desk = Desk::new();
    let store = desk.store();
    let whole = annotate(&store, 1, Some(WriteProgress::Done)).await;
    let part = annotate(&store, 2, Some(WriteProgress::Done)).await;
    annotate(&store, 3, Some(WriteProgress::Rejected)).await;
    let JournalChange::Write { changes, .. } = part.change.clone() else { panic!("a write") };
    let applied = JournalChange::Write { things: 1, changes: changes[..1].to_vec() };
    store.journal("m", None).applied(Uuid::from_u128(2), applied.clone());
    store.close(LIMIT);
    let last = desk.store().journal("m", None).last(9).await.unwrap();
    assert_eq!(last, [whole, JournalEntry { change: applied, ..part }]);
    assert_eq!(desk.store().journal("another", None).last(9).await.unwrap(), []);
}

#[tokio::test]
async fn a_write_that_was_on_its_way_when_its_program_died_is_known_as_such_until_something_else_is_done() {
    let desk = Desk::new();
    let store = desk.store();
    annotate(&store, 1, Some(WriteProgress::Done)).await;
    let cut = annotate(&store, 2, None).await;
    let other = desk.store();
    let later = cut.at + chrono::Duration::seconds(1);
    assert_eq!(past(&other, "m", later).await.unconfirmed_writes, [], "its program lives");
    store.close(LIMIT);
    assert_eq!(past(&other, "m", later).await.unconfirmed_writes, std::slice::from_ref(&cut), "it is the last of all");
    annotate(&other, 3, Some(WriteProgress::Done)).await;
    assert_eq!(past(&other, "m", later).await.unconfirmed_writes, []);
    assert_eq!(past(&other, "m", cut.at).await.unconfirmed_writes, std::slice::from_ref(&cut), "it was a moment ago");
    let (journal, again) = (other.journal("m", None), Uuid::from_u128(9));
    journal.sending(cut.op, "sheet.apply", later, OutgoingWrite { id: again, ..write(2) }).await.unwrap();
    journal.settled(again, WriteProgress::Done, None);
    assert_eq!(past(&other, "m", cut.at).await.unconfirmed_writes, [], "it was sent again");
}

#[tokio::test]
async fn of_a_batch_that_broke_off_each_signal_is_told_as_it_was_found() {
    let desk = Desk::new();
    let store = desk.store();
    send(&store, 1).await;
    let journal = store.journal("m", None);
    journal.settled(Uuid::from_u128(1), WriteProgress::Unknown, Some("the answer was lost".to_owned()));
    let ids = |ids: &[u128]| ids.iter().map(|id| SignalId(Uuid::from_u128(*id))).collect::<Vec<_>>();
    journal.verified(TriageStatus::Done, ids(&[7]), ids(&[8, 9]));
    let told: Vec<(u64, WriteProgress)> =
        store.sent_since(noon()).await.unwrap().into_iter().map(|sent| (sent.records, sent.progress)).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told.contains(&(1, WriteProgress::Done)) && told.contains(&(2, WriteProgress::NotSent)), "{told:?}");
}

#[tokio::test]
async fn without_a_file_nothing_is_sent_until_that_is_wanted_and_the_reason_is_told_once() {
    let store = Store::new(None, noon());
    let journal = store.journal("m", None);
    let sending = || journal.sending(Uuid::from_u128(1), "queue.done", noon(), write(1));
    assert_eq!(sending().await.unwrap_err().to_string(), "no state directory");
    assert_eq!((store.held().as_deref(), store.held()), (Some("no state directory"), None));
    store.send_unkept();
    assert!(sending().await.is_ok());
    let verb = Store::new(None, noon());
    verb.send_without_file();
    assert!(verb.journal("m", None).sending(Uuid::from_u128(1), "queue triage", noon(), write(1)).await.is_ok());
    assert!(verb.notes().iter().any(|note| note.starts_with("no state directory")), "it is said");
}

#[tokio::test]
async fn a_file_that_cannot_be_used_keeps_writes_from_being_sent() {
    let desk = Desk::new();
    send(&desk.store(), 1).await;
    rusqlite::Connection::open(desk.file()).unwrap().pragma_update(None, "application_id", 7).unwrap();
    let store = desk.store();
    let sent = store.journal("m", None).sending(Uuid::from_u128(2), "queue.done", noon(), write(2)).await;
    assert!(sent.is_err() && store.held().is_some_and(|why| why.contains("is not used")), "it is not used, and said");
}

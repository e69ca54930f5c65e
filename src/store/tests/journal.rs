//! Changes are on disk before they are sent, and their results afterwards.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use uuid::Uuid;

use super::super::Store;
use super::{CLOSE_TIMEOUT, StoreFolder, noon};
use crate::domain::SignalId;
use crate::domain::book::{Annotation, RecordKind};
use crate::domain::credits::RequestCost;
use crate::domain::handoff::{Handoff, HandoffFormat, OpenWork};
use crate::domain::journal::{
    EntryCause, JournalChange, JournalEntry, OutgoingWrite, RequestRecorder, SavedState,
    TriageMove, WriteCounts, WriteProgress,
};
use crate::domain::patch::Patch;
use crate::domain::queue::TriageStatus;
use crate::domain::writes::{self, WriteOp};

fn triage_entry(op: u128) -> JournalEntry {
    JournalEntry {
        op: Uuid::from_u128(op),
        at: noon() + TimeDelta::seconds(op as i64),
        cause: EntryCause::New,
        original_op: None,
        group: None,
        reason: "queue.done".to_owned(),
        description: "permit filed on Harbor Yard".to_owned(),
        change: triage_change(TriageStatus::New, TriageStatus::Done),
    }
}

fn triage_change(before: TriageStatus, after: TriageStatus) -> JournalChange {
    let signals = vec![TriageMove {
        id: Uuid::from_u128(9),
        row: Some(json!({"id": 9})),
    }];
    JournalChange::Triage {
        before,
        after,
        signals,
    }
}

fn outgoing_triage(id: u128) -> OutgoingWrite {
    let ids = [7, 8, 9].map(Uuid::from_u128);
    let body = json!({"signal_ids": ids, "status": "done"});
    OutgoingWrite {
        id: Uuid::from_u128(id),
        route: "POST /signals/triage".to_owned(),
        target: None,
        body: Some(body),
    }
}

/// Records a change and a write that is about to be sent.
pub(super) async fn record_entry_and_send(store: &Store, id: u128) {
    let journal = store.journal("m", None);
    journal.record_entry(triage_entry(id));
    journal
        .record_sends(
            "queue.done",
            triage_entry(id).at,
            vec![(Uuid::from_u128(id), outgoing_triage(id))],
        )
        .await
        .unwrap();
}

/// The saved state found by a process starting at this time.
async fn saved_state(store: &Store, meter: &str, since: DateTime<Utc>) -> SavedState {
    store
        .journal(meter, None)
        .saved_state(since, 9)
        .await
        .unwrap()
}

/// The writes with an unknown result, by the seconds after noon at which they were sent.
async fn unknown_writes(store: &Store, meter: &str) -> Vec<i64> {
    saved_state(store, meter, noon())
        .await
        .interrupted_triage
        .iter()
        .map(|broken| (broken.entry.at - noon()).num_seconds())
        .collect()
}

#[tokio::test]
async fn changes_that_share_a_request_are_journaled_apart() {
    let desk = StoreFolder::new();
    let store = desk.store();
    let ops = [1, 2].map(Uuid::from_u128);
    let share = || {
        store
            .recorder("m", None, "queue.done", ops[0], noon)
            .shared_by(vec![(ops[0], 2), (ops[1], 1)])
    };
    let write = outgoing_triage(5);
    for (changed, expected) in [
        (3, [Some(2), Some(1)]),
        (0, [Some(0), Some(0)]),
        (2, [None, None]),
    ] {
        let recorder = share();
        recorder.before_write(write.clone()).await.unwrap();
        recorder.record_response(
            write.id,
            WriteCounts {
                changed: Some(changed),
                ..WriteCounts::default()
            },
        );
        let mut writes = store.writes_since(noon(), None).await.unwrap();
        writes.truncate(2);
        writes.sort_by_key(|write| write.op);
        let counts: Vec<_> = writes
            .iter()
            .map(|write| (write.op, write.records, write.changed))
            .collect();
        assert_eq!(
            counts,
            [(ops[0], 2, expected[0]), (ops[1], 1, expected[1])],
            "of 3, {changed} changed"
        );
    }
    let recorder = share();
    recorder.before_write(write.clone()).await.unwrap();
    recorder.record_outcome(write.id, WriteProgress::Unknown, None);
    let broken = saved_state(&store, "m", noon()).await.interrupted_triage;
    let ids: Vec<Vec<u128>> = broken
        .iter()
        .map(|broken| broken.ids.iter().map(|id| id.0.as_u128()).collect())
        .collect();
    assert_eq!(ids, [vec![7, 8], vec![9]]);
}

#[tokio::test]
async fn a_write_is_on_disk_before_it_is_sent_and_its_outcome_afterwards() {
    let desk = StoreFolder::new();
    let store = desk.store();
    record_entry_and_send(&store, 1).await;
    // Another console sees it as soon as it may be sent.
    let other = desk.store();
    let sent = other.writes_since(noon(), None).await.unwrap().remove(0);
    assert_eq!(
        (sent.progress, sent.records, sent.body),
        (WriteProgress::Sending, 3, outgoing_triage(1).body)
    );
    store.journal("m", None).record_outcome(
        Uuid::from_u128(1),
        WriteProgress::Rejected,
        Some("not today".to_owned()),
    );
    store.close(CLOSE_TIMEOUT);
    let sent = other.writes_since(noon(), None).await.unwrap().remove(0);
    assert_eq!(
        (sent.progress, sent.why.as_deref()),
        (WriteProgress::Rejected, Some("not today"))
    );
    assert_eq!(
        other.journal_entries_since(noon(), None).await.unwrap(),
        [triage_entry(1)]
    );
}

#[tokio::test]
async fn writes_of_a_dead_process_are_unknown_and_those_of_a_live_one_are_not() {
    let desk = StoreFolder::new();
    let (living, dying) = (desk.store(), desk.store());
    record_entry_and_send(&living, 1).await;
    record_entry_and_send(&dying, 2).await;
    dying.close(CLOSE_TIMEOUT);
    let next = desk.store();
    assert_eq!(unknown_writes(&next, "m").await, [2]);
    assert_eq!(
        unknown_writes(&next, "another").await,
        [0; 0],
        "those of another service"
    );
    living.close(CLOSE_TIMEOUT);
    assert_eq!(unknown_writes(&next, "m").await, [1, 2]);
    next.journal("m", None)
        .record_outcome(Uuid::from_u128(1), WriteProgress::Done, None);
    assert_eq!(unknown_writes(&next, "m").await, [2]);
    next.close(CLOSE_TIMEOUT);
    assert!(
        desk.file_names().iter().all(|name| !name.contains("run-")),
        "{:?}",
        desk.file_names()
    );
}

#[tokio::test]
async fn an_interrupted_triage_is_looked_up_by_one_process_only() {
    let desk = StoreFolder::new();
    let (living, dying) = (desk.store(), desk.store());
    record_entry_and_send(&living, 1).await;
    record_entry_and_send(&dying, 2).await;
    living
        .journal("m", None)
        .record_outcome(Uuid::from_u128(1), WriteProgress::Unknown, None);
    assert_eq!(unknown_writes(&living, "m").await, [1]);
    dying.close(CLOSE_TIMEOUT);
    let (next, other) = (desk.store(), desk.store());
    assert_eq!(
        unknown_writes(&next, "m").await,
        [2],
        "the first is looked up by who sent it"
    );
    assert_eq!(
        unknown_writes(&other, "m").await,
        [0; 0],
        "and the second by who started first"
    );
    let not_gone = [7, 8, 9].map(|id| SignalId(Uuid::from_u128(id))).to_vec();
    other
        .journal("m", None)
        .record_reconciliation(TriageStatus::Done, Vec::new(), not_gone);
    other.close(CLOSE_TIMEOUT);
    assert_eq!(
        unknown_writes(&next, "m").await,
        [2],
        "nor does another one settle it"
    );
    next.close(CLOSE_TIMEOUT);
    assert_eq!(
        unknown_writes(&desk.store(), "m").await,
        [2],
        "it is there for the next one"
    );
}

#[tokio::test]
async fn an_interrupted_undo_is_found_as_the_change_that_it_was() {
    let store = Store::in_memory();
    let journal = store.journal("m", None);
    let change = triage_change(TriageStatus::Done, TriageStatus::New);
    let undo = JournalEntry {
        cause: EntryCause::Undo,
        group: Some(Uuid::from_u128(3)),
        change,
        ..triage_entry(2)
    };
    journal.record_entry(undo.clone());
    let body = json!({"signal_ids": [Uuid::from_u128(9)], "status": "new"});
    let write = OutgoingWrite {
        body: Some(body),
        ..outgoing_triage(2)
    };
    journal
        .record_sends("undo", undo.at, vec![(undo.op, write.clone())])
        .await
        .unwrap();
    journal.record_outcome(write.id, WriteProgress::Unknown, None);
    let found = saved_state(&store, "m", noon())
        .await
        .interrupted_triage
        .remove(0);
    assert_eq!(
        (found.entry, found.ids),
        (undo, vec![SignalId(Uuid::from_u128(9))])
    );
}

#[tokio::test]
async fn writes_of_another_process_are_counted_until_answered_or_it_dies() {
    let desk = StoreFolder::new();
    let (here, verb, dying) = (desk.store(), desk.store(), desk.store());
    let seen = async || {
        saved_state(&here, "m", noon())
            .await
            .writes_in_other_process
    };
    record_entry_and_send(&here, 1).await;
    assert_eq!(seen().await, 0, "its own writes are known");
    record_entry_and_send(&verb, 2).await;
    record_entry_and_send(&dying, 3).await;
    assert_eq!(seen().await, 6);
    assert_eq!(
        saved_state(&here, "another", noon())
            .await
            .writes_in_other_process,
        0,
        "those of another service"
    );
    dying.close(CLOSE_TIMEOUT);
    assert_eq!(seen().await, 3);
    verb.journal("m", None)
        .record_outcome(Uuid::from_u128(2), WriteProgress::Done, None);
    verb.close(CLOSE_TIMEOUT);
    assert_eq!(seen().await, 0);
}

#[tokio::test]
async fn the_last_acts_with_an_applied_write_are_restored_in_order() {
    let store = Store::in_memory();
    for id in 1..=5 {
        record_entry_and_send(&store, id).await;
        let progress = if id == 4 {
            WriteProgress::Rejected
        } else {
            WriteProgress::Done
        };
        store
            .journal("m", None)
            .record_outcome(Uuid::from_u128(id), progress, None);
    }
    let last = store.journal("m", None).last_entries(3).await.unwrap();
    assert_eq!(last, [triage_entry(2), triage_entry(3), triage_entry(5)]);
}

#[tokio::test]
async fn a_change_undone_after_a_restart_is_handed_over_as_undone() {
    let desk = StoreFolder::new();
    let undo = JournalEntry {
        cause: EntryCause::Undo,
        original_op: Some(Uuid::from_u128(1)),
        change: triage_change(TriageStatus::Done, TriageStatus::New),
        ..triage_entry(2)
    };
    for (id, entry) in [(1, triage_entry(1)), (2, undo)] {
        let store = desk.store();
        let journal = store.journal("m", None);
        let JournalChange::Triage { after, .. } = &entry.change else {
            panic!("a triage")
        };
        let body = json!({"signal_ids": [Uuid::from_u128(9)], "status": after});
        let write = OutgoingWrite {
            body: Some(body),
            ..outgoing_triage(id)
        };
        journal.record_entry(entry);
        journal
            .record_sends(
                "queue.done",
                triage_entry(id).at,
                vec![(Uuid::from_u128(id), write)],
            )
            .await
            .unwrap();
        journal.record_response(
            Uuid::from_u128(id),
            WriteCounts {
                changed: Some(1),
                ..WriteCounts::default()
            },
        );
        store.close(CLOSE_TIMEOUT);
    }
    let work = desk.store().recorded_work(noon(), None).await.unwrap();
    let page =
        Handoff::new(work, OpenWork::default(), None)
            .to_page(HandoffFormat::Plain, &Utc, |line| line.into());
    assert!(
        page.contains("Undone\n") && !page.contains("Done\n") && !page.contains("back to New"),
        "{page}"
    );
}

#[tokio::test]
async fn a_handoff_of_a_demo_leaves_out_what_other_demos_did() {
    let store = Store::in_memory();
    for (nth, meter) in [(1, "demo 1"), (2, "demo 2"), (3, "https://a.example")] {
        store.journal(meter, None).record_entry(triage_entry(nth));
    }
    let count = async |meter| {
        let work = store.recorded_work(noon(), meter).await.unwrap();
        work.entries.len()
    };
    assert_eq!(count(Some("demo 2")).await, 2);
    assert_eq!(count(Some("https://a.example")).await, 1);
    assert_eq!(count(None).await, 3);
}

#[tokio::test]
async fn only_the_applied_part_of_a_partly_rejected_act_is_restored() {
    let store = Store::in_memory();
    let JournalChange::Triage {
        before,
        after,
        mut signals,
    } = triage_entry(1).change
    else {
        panic!()
    };
    signals.push(TriageMove {
        id: Uuid::from_u128(1),
        row: None,
    });
    store.journal("m", None).record_entry(JournalEntry {
        change: JournalChange::Triage {
            before,
            after,
            signals,
        },
        ..triage_entry(1)
    });
    record_entry_and_send(&store, 1).await;
    store
        .journal("m", None)
        .record_outcome(Uuid::from_u128(1), WriteProgress::Done, None);
    assert_eq!(
        store.journal("m", None).last_entries(3).await.unwrap(),
        [triage_entry(1)]
    );
}

#[tokio::test]
async fn an_unknown_write_is_resolved_by_the_state_of_its_signals() {
    for (gone, not_gone, progress) in [
        (vec![7, 8, 9], vec![], WriteProgress::Done),
        (vec![7], vec![8, 9], WriteProgress::NotSent),
        (vec![1], vec![], WriteProgress::Unknown),
    ] {
        let store = Store::in_memory();
        let journal = store.journal("m", None);
        record_entry_and_send(&store, 1).await;
        journal.record_outcome(Uuid::from_u128(1), WriteProgress::Unknown, None);
        let signals = |ids: Vec<u128>| {
            ids.into_iter()
                .map(|id| SignalId(Uuid::from_u128(id)))
                .collect()
        };
        journal.record_reconciliation(TriageStatus::New, signals(vec![7, 8, 9]), vec![]);
        journal.record_reconciliation(TriageStatus::Done, signals(gone), signals(not_gone));
        assert_eq!(
            store.writes_since(noon(), None).await.unwrap()[0].progress,
            progress
        );
    }
}

/// A change on two accounts, and the write that it sends.
async fn record_annotation(
    store: &Store,
    op: u128,
    progress: Option<WriteProgress>,
) -> JournalEntry {
    let part = |n: u128, notes: &str| {
        let annotation = Annotation {
            notes: Patch::Set(notes.to_owned()),
            ..Annotation::default()
        };
        WriteOp::Annotate(RecordKind::Accounts, Uuid::from_u128(n), annotation)
    };
    let changes: Vec<_> = [1, 2]
        .map(|n| writes::ReversibleWrite {
            forward: part(n, "called"),
            back: Some(part(n, "")),
        })
        .into();
    let act = JournalEntry {
        description: "note of 2 accounts".to_owned(),
        change: JournalChange::Write { things: 2, changes },
        ..triage_entry(op)
    };
    let journal = store.journal("m", None);
    journal.record_entry(act.clone());
    let write = OutgoingWrite {
        route: "POST /workspace/accounts/batch".to_owned(),
        ..outgoing_triage(op)
    };
    journal
        .record_sends("form.apply", act.at, vec![(Uuid::from_u128(op), write)])
        .await
        .unwrap();
    progress
        .into_iter()
        .for_each(|progress| journal.record_outcome(Uuid::from_u128(op), progress, None));
    act
}

#[tokio::test]
async fn a_book_write_is_restored_with_its_inverse_and_its_applied_part() {
    let desk = StoreFolder::new();
    let store = desk.store();
    let whole = record_annotation(&store, 1, Some(WriteProgress::Done)).await;
    let part = record_annotation(&store, 2, Some(WriteProgress::Done)).await;
    record_annotation(&store, 3, Some(WriteProgress::Rejected)).await;
    let JournalChange::Write { changes, .. } = part.change.clone() else {
        panic!("a write")
    };
    let applied = JournalChange::Write {
        things: 1,
        changes: changes[..1].to_vec(),
    };
    store
        .journal("m", None)
        .record_applied(Uuid::from_u128(2), applied.clone());
    store.close(CLOSE_TIMEOUT);
    let last = desk
        .store()
        .journal("m", None)
        .last_entries(9)
        .await
        .unwrap();
    assert_eq!(
        last,
        [
            whole,
            JournalEntry {
                change: applied,
                ..part
            }
        ]
    );
    assert_eq!(
        desk.store()
            .journal("another", None)
            .last_entries(9)
            .await
            .unwrap(),
        []
    );
}

#[tokio::test]
async fn a_write_in_flight_at_a_crash_is_interrupted_until_a_later_act() {
    let desk = StoreFolder::new();
    let store = desk.store();
    record_annotation(&store, 1, Some(WriteProgress::Done)).await;
    let cut = record_annotation(&store, 2, None).await;
    let other = desk.store();
    let later = cut.at + chrono::Duration::seconds(1);
    assert_eq!(
        saved_state(&other, "m", later).await.unconfirmed_writes,
        [],
        "its process is alive"
    );
    store.close(CLOSE_TIMEOUT);
    assert_eq!(
        saved_state(&other, "m", later).await.unconfirmed_writes,
        std::slice::from_ref(&cut),
        "it is the last change of all"
    );
    record_annotation(&other, 3, Some(WriteProgress::Done)).await;
    assert_eq!(saved_state(&other, "m", later).await.unconfirmed_writes, []);
    assert_eq!(
        saved_state(&other, "m", cut.at).await.unconfirmed_writes,
        std::slice::from_ref(&cut),
        "it is recent"
    );
    let (journal, again) = (other.journal("m", None), Uuid::from_u128(9));
    journal
        .record_sends(
            "form.apply",
            later,
            vec![(
                cut.op,
                OutgoingWrite {
                    id: again,
                    ..outgoing_triage(2)
                },
            )],
        )
        .await
        .unwrap();
    journal.record_outcome(again, WriteProgress::Done, None);
    assert_eq!(
        saved_state(&other, "m", cut.at).await.unconfirmed_writes,
        [],
        "it was sent again"
    );
}

#[tokio::test]
async fn an_interrupted_write_that_is_found_applied_is_done() {
    let desk = StoreFolder::new();
    let store = desk.store();
    let cut = record_annotation(&store, 1, Some(WriteProgress::Unknown)).await;
    let other = record_annotation(&store, 2, Some(WriteProgress::Unknown)).await;
    store.journal("m", None).settle_interrupted(cut.op);
    assert_eq!(
        saved_state(&store, "m", noon()).await.unconfirmed_writes,
        std::slice::from_ref(&other)
    );
    let told: Vec<_> = store
        .writes_since(noon(), None)
        .await
        .unwrap()
        .into_iter()
        .filter(|sent| sent.op == cut.op)
        .map(|sent| (sent.progress, sent.why))
        .collect();
    assert_eq!(
        told,
        [(
            WriteProgress::Done,
            Some("checked after an interruption".to_owned())
        )]
    );
}

#[tokio::test]
async fn each_signal_of_an_interrupted_batch_is_recorded_as_it_was_found() {
    let desk = StoreFolder::new();
    let store = desk.store();
    record_entry_and_send(&store, 1).await;
    let journal = store.journal("m", None);
    journal.record_outcome(
        Uuid::from_u128(1),
        WriteProgress::Unknown,
        Some("the answer was lost".to_owned()),
    );
    let ids = |ids: &[u128]| {
        ids.iter()
            .map(|id| SignalId(Uuid::from_u128(*id)))
            .collect::<Vec<_>>()
    };
    journal.record_reconciliation(TriageStatus::Done, ids(&[7]), ids(&[8, 9]));
    let told: Vec<(u64, WriteProgress)> = store
        .writes_since(noon(), None)
        .await
        .unwrap()
        .into_iter()
        .map(|sent| (sent.records, sent.progress))
        .collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(
        told.contains(&(1, WriteProgress::Done)) && told.contains(&(2, WriteProgress::NotSent)),
        "{told:?}"
    );
}

#[tokio::test]
async fn without_a_place_for_its_file_changes_are_sent_and_a_notice_says_so() {
    for (file, reason) in [
        (None, "no state directory"),
        (
            Some("/dev/null/gantry/store.db"),
            "cannot write /dev/null/gantry",
        ),
    ] {
        let store = Store::new(file.map(Into::into), noon());
        let journal = store.journal("m", None);
        let sent = journal
            .record_sends(
                "queue triage",
                noon(),
                vec![(Uuid::from_u128(1), outgoing_triage(1))],
            )
            .await;
        assert!(sent.is_ok());
        let notices = store.take_notices();
        assert!(
            notices
                .iter()
                .any(|notice| notice.starts_with(reason) && notice.contains("not saved")),
            "{notices:?}"
        );
    }
}

#[tokio::test]
async fn a_file_that_cannot_be_used_blocks_changes_until_allowed_and_is_reported_once() {
    let desk = StoreFolder::new();
    record_entry_and_send(&desk.store(), 1).await;
    rusqlite::Connection::open(desk.file())
        .unwrap()
        .pragma_update(None, "application_id", 7)
        .unwrap();
    let store = desk.store();
    let journal = store.journal("m", None);
    let sending = || {
        journal.record_sends(
            "queue.done",
            noon(),
            vec![(Uuid::from_u128(2), outgoing_triage(2))],
        )
    };
    assert!(sending().await.is_err());
    assert!(
        store
            .take_journal_error()
            .is_some_and(|why| why.contains("cannot be used"))
    );
    assert_eq!(store.take_journal_error(), None);
    store.allow_unjournaled_writes();
    assert!(sending().await.is_ok());
}

#[tokio::test]
async fn what_was_recorded_stays_at_its_time_on_a_clock_that_stood_still_between_runs() {
    let desk = StoreFolder::new();
    let ahead = |days| noon() - TimeDelta::days(days);
    let first = desk.store();
    let recorder = first.recorder("m", None, "queue.done", Uuid::from_u128(1), noon);
    recorder.record_service_time(ahead(100));
    record_entry_and_send(&first, 1).await;
    recorder.record_cost(RequestCost {
        id: Uuid::from_u128(3),
        route: "POST /data/signals/search".to_owned(),
        credits: Some(2),
        rows: None,
        max_credits: None,
    });
    recorder.record_response(Uuid::from_u128(1), WriteCounts::default());
    first.close(CLOSE_TIMEOUT);

    // Three days later the service's clock goes on where it stopped.
    let second = desk.store();
    assert_eq!(
        second.last_clock_skew().await.unwrap(),
        TimeDelta::days(-100)
    );
    second.set_clock_skew(TimeDelta::days(-103));
    let at = triage_entry(1).at - TimeDelta::days(100);
    let work = second
        .work_since_service_time(at - TimeDelta::hours(1), None)
        .await
        .unwrap();
    assert_eq!(
        work.entries
            .iter()
            .map(|entry| entry.at)
            .collect::<Vec<_>>(),
        [at]
    );
    assert_eq!(
        work.sent.iter().map(|sent| sent.at).collect::<Vec<_>>(),
        [at]
    );
    assert_eq!(
        work.ledger.iter().map(|entry| entry.at).collect::<Vec<_>>(),
        [noon() - TimeDelta::days(100)]
    );
    assert_eq!(
        second
            .work_since_service_time(at + TimeDelta::hours(1), None)
            .await
            .unwrap()
            .sent,
        []
    );
    let undoable = saved_state(&second, "m", noon()).await.entries;
    assert_eq!(
        undoable[0].at - TimeDelta::days(103),
        at,
        "undo looks for changes since then"
    );
}

#[tokio::test]
async fn a_write_that_was_the_first_request_is_placed_by_its_response() {
    let desk = StoreFolder::new();
    let store = desk.store();
    record_entry_and_send(&store, 1).await;
    let recorder = store.recorder("m", None, "queue triage", Uuid::from_u128(1), noon);
    recorder.record_service_time(noon() + TimeDelta::days(7));
    recorder.record_response(Uuid::from_u128(1), WriteCounts::default());
    assert_eq!(store.last_clock_skew().await.unwrap(), TimeDelta::days(7));
    let work = store.work_since_service_time(noon(), None).await.unwrap();
    let at = triage_entry(1).at + TimeDelta::days(7);
    assert_eq!((work.entries[0].at, work.sent[0].at), (at, at));
}

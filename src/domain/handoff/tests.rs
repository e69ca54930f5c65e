use std::borrow::Cow;

use chrono::{DateTime, Utc};
use serde_json::json;
use uuid::Uuid;

use super::*;
use crate::domain::book::{Annotation, RecordKind};
use crate::domain::credits::LedgerEntry;
use crate::domain::journal::{
    EntryCause, JournalChange, JournalEntry, SentWrite, TriageMove, WriteProgress,
};
use crate::domain::lenient::Number;
use crate::domain::queue::{Priority, QueueSignal, QueueStats, TriageStatus};
use crate::domain::snooze::{Snooze, SnoozeUntil};
use crate::domain::writes::{ReversibleWrite, WriteOp};

fn time(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn ids(ids: &[u128]) -> Vec<Uuid> {
    ids.iter().map(|id| Uuid::from_u128(*id)).collect()
}

/// A triage of these signals, sent at 9:12.
fn triage(op: u128, progress: WriteProgress, signals: &[u128]) -> SentWrite {
    SentWrite {
        id: Uuid::from_u128(op),
        at: time("2026-07-09T09:12:00Z"),
        op: Uuid::from_u128(op),
        reason: "queue.done".to_owned(),
        route: "POST /signals/triage".to_owned(),
        records: signals.len() as u64,
        changed: None,
        rejected: None,
        target: None,
        why: (progress == WriteProgress::Rejected).then(|| "no such <signal>".to_owned()),
        progress,
        body: Some(json!({"signal_ids": ids(signals), "status": "done"})),
    }
}

/// The journal's entry of a triage. Every signal's project has its number.
fn entry(op: u128, cause: EntryCause, signals: &[u128]) -> JournalEntry {
    let row = |id: u128| json!({"id": Uuid::from_u128(id), "signal_type": "permit_issued", "project_name": format!("Project {id}")});
    let signals = signals
        .iter()
        .map(|id| TriageMove {
            id: Uuid::from_u128(*id),
            row: Some(row(*id)),
        })
        .collect();
    let (before, after) = match cause {
        EntryCause::Undo => (TriageStatus::Done, TriageStatus::New),
        _ => (TriageStatus::New, TriageStatus::Done),
    };
    JournalEntry {
        op: Uuid::from_u128(op),
        at: time("2026-07-09T09:12:00Z"),
        cause,
        original_op: None,
        group: None,
        reason: "queue.done".to_owned(),
        description: "signals".to_owned(),
        change: JournalChange::Triage {
            before,
            after,
            signals,
        },
    }
}

fn as_is(line: &str) -> Cow<'_, str> {
    Cow::Borrowed(line)
}

fn page(work: RecordedWork) -> String {
    let work = RecordedWork {
        since: time("2026-07-09T09:00:00Z"),
        ..work
    };
    Handoff::new(work, OpenWork::default(), None).to_page(HandoffFormat::Markdown, &Utc, as_is)
}

/// The page of changes that were all sent and applied.
fn page_of(entries: Vec<JournalEntry>) -> String {
    let write = |entry: &JournalEntry| {
        let JournalChange::Triage { signals, after, .. } = &entry.change else {
            panic!("a triage")
        };
        let keys: Vec<u128> = signals.iter().map(|signal| signal.id.as_u128()).collect();
        let mut sent = triage(entry.op.as_u128(), WriteProgress::Done, &keys);
        sent.body.as_mut().unwrap()["status"] = json!(after);
        sent
    };
    page(RecordedWork {
        sent: entries.iter().rev().map(write).collect(),
        entries,
        ..RecordedWork::default()
    })
}

#[test]
fn what_was_done_names_the_projects() {
    let page = page_of(vec![
        entry(1, EntryCause::New, &[7, 8]),
        entry(2, EntryCause::New, &[9]),
    ]);
    let line = "- 09:12 marked done (3):\n  - permit issued on Project 7\n  - permit issued on Project 8\n  - permit issued on Project 9\n";
    assert!(page.contains(line), "{page}");
    assert!(!page.contains("record"), "{page}");
}

#[test]
fn an_undone_change_is_listed_under_undone_and_not_under_done() {
    let all = page_of(vec![
        entry(1, EntryCause::New, &[7, 8]),
        entry(2, EntryCause::New, &[9]),
        entry(3, EntryCause::Undo, &[7, 8]),
    ]);
    let (done, undone) = all.split_once("## Undone").unwrap();
    assert!(
        done.contains("Project 9") && !done.contains("Project 7"),
        "{all}"
    );
    assert!(
        undone.contains("marked done (2):\n  - permit issued on Project 7\n")
            && !all.contains("back to New"),
        "{all}"
    );

    let redone = page_of(vec![
        entry(1, EntryCause::New, &[7, 8]),
        entry(2, EntryCause::Undo, &[7, 8]),
        entry(3, EntryCause::Redo, &[7, 8]),
    ]);
    assert!(
        redone.contains("## Done") && redone.contains("Project 8") && !redone.contains("## Undone"),
        "{redone}"
    );

    let partly = page_of(vec![
        entry(1, EntryCause::New, &[7, 8]),
        entry(2, EntryCause::Undo, &[7]),
    ]);
    let done = partly.split_once("## Done").unwrap().1;
    assert!(
        done.contains("marked done (2)")
            && done.contains("moved back to New: permit issued on Project 7"),
        "{partly}"
    );
    assert!(!partly.contains("## Undone"), "{partly}");
}

#[test]
fn what_was_undone_is_named_once_and_without_ids() {
    let mut entries = vec![
        entry(1, EntryCause::New, &[7, 8]),
        entry(2, EntryCause::Undo, &[7, 8]),
        entry(3, EntryCause::New, &[7]),
        entry(4, EntryCause::Undo, &[7]),
    ];
    for entry in &mut entries {
        let JournalChange::Triage { signals, .. } = &mut entry.change else {
            panic!("a triage")
        };
        // Nobody knows the name of this one.
        let unnamed = signals.iter_mut().find(|signal| signal.id.as_u128() == 8);
        unnamed.into_iter().for_each(|signal| signal.row = None);
    }
    let page = page_of(entries);
    let undone = page.split_once("## Undone").unwrap().1;
    assert!(
        undone.contains("- 09:12 marked done (3): permit issued on Project 7\n"),
        "{page}"
    );
}

#[test]
fn what_changed_nothing_was_rejected_or_was_not_sent_is_not_done() {
    let all = [
        WriteProgress::Unchanged,
        WriteProgress::NotSent,
        WriteProgress::Rejected,
        WriteProgress::Unknown,
    ];
    let sent = (1..)
        .zip(all)
        .map(|(op, progress)| triage(op, progress, &[op]))
        .collect();
    let page = page(RecordedWork {
        sent,
        ..RecordedWork::default()
    });
    assert!(
        !page.contains("## Done") && !page.contains("marked done"),
        "{page}"
    );
    for title in [
        "## Unchanged",
        "## Not sent",
        "## Rejected",
        "## Unknown: check before you repeat them",
    ] {
        let lines = page.split_once(title).unwrap().1;
        assert!(
            lines.trim_start().starts_with("- 09:12 mark done"),
            "{page}"
        );
    }
    assert!(page.contains("no such \\<signal\\>"), "{page}");
}

#[test]
fn of_a_change_that_was_partly_applied_only_the_applied_part_is_named() {
    let sent = SentWrite {
        changed: Some(1),
        rejected: Some(1),
        ..triage(1, WriteProgress::PartlyDone, &[7, 8])
    };
    let entries = vec![entry(1, EntryCause::New, &[7])];
    let page = page(RecordedWork {
        entries,
        sent: vec![sent],
        ..RecordedWork::default()
    });
    let line =
        "## Partly done\n\n- 09:12 marked done (1 of 2, 1 rejected): permit issued on Project 7\n";
    assert!(page.contains(line) && !page.contains("## Done"), "{page}");
}

#[test]
fn a_request_that_was_rejected_and_sent_again_in_halves_is_not_listed_as_rejected() {
    // The latest request comes first.
    let halves = || {
        vec![
            triage(1, WriteProgress::Rejected, &[9]),
            triage(1, WriteProgress::Done, &[7, 8]),
        ]
    };
    let of = |sent| {
        page(RecordedWork {
            sent,
            ..RecordedWork::default()
        })
    };
    let whole = of([
        halves(),
        vec![triage(1, WriteProgress::Rejected, &[7, 8, 9])],
    ]
    .concat());
    let (done, rejected) = whole.split_once("## Rejected").unwrap();
    assert!(
        done.contains("marked done (2)") && rejected.contains("mark done (1): "),
        "{whole}"
    );
    assert_eq!(
        rejected.matches("\n- ").count(),
        2,
        "one request and the credits used: {whole}"
    );
    let other = of(vec![
        triage(1, WriteProgress::Done, &[7]),
        triage(1, WriteProgress::Rejected, &[7, 8, 9]),
    ]);
    assert!(
        other
            .split_once("## Rejected")
            .unwrap()
            .1
            .contains("mark done (3)"),
        "8 and 9 were not sent again: {other}"
    );
}

#[test]
fn of_a_change_without_a_known_part_the_names_are_not_called_done() {
    let sent = SentWrite {
        changed: Some(1),
        ..triage(1, WriteProgress::Done, &[7, 8])
    };
    let names = RecordNames::from([7, 8].map(|id| (Uuid::from_u128(id), format!("Project {id}"))));
    let page = page(RecordedWork {
        sent: vec![sent],
        names,
        ..RecordedWork::default()
    });
    assert!(
        page.contains("(1 of 2, the others were so before) among:\n  - Project 7\n  - Project 8\n"),
        "{page}"
    );
}

#[test]
fn triage_that_waited_offline_is_listed_once_as_not_sent_until_it_is_sent() {
    let waiting = || triage(1, WriteProgress::NotSent, &[7]);
    let of = |sent| {
        page(RecordedWork {
            sent,
            ..RecordedWork::default()
        })
    };
    let never = of(vec![waiting()]);
    assert!(
        never.contains("## Not sent") && !never.contains("## Done"),
        "{never}"
    );
    let sent = of(vec![triage(2, WriteProgress::Done, &[7, 8]), waiting()]);
    assert!(
        sent.contains("marked done (2)") && !sent.contains("## Not sent"),
        "{sent}"
    );
    let other = of(vec![triage(2, WriteProgress::Done, &[8]), waiting()]);
    assert!(
        other.contains("## Done") && other.contains("## Not sent"),
        "{other}"
    );
    let again = of(vec![waiting(), triage(2, WriteProgress::Done, &[7])]);
    assert!(again.contains("## Not sent"), "it was sent before: {again}");
}

#[test]
fn triage_that_was_never_sent_is_listed_as_waiting_but_not_twice() {
    let names = RecordNames::from([(Uuid::from_u128(8), "Harbor Yard".to_owned())]);
    let work = RecordedWork {
        sent: vec![triage(1, WriteProgress::NotSent, &[7])],
        names,
        ..RecordedWork::default()
    };
    let held = [
        (TriageStatus::New, 7),
        (TriageStatus::New, 8),
        (TriageStatus::Done, 9),
    ];
    let held = held
        .map(|(from, id)| (from, crate::domain::SignalId(Uuid::from_u128(id))))
        .to_vec();
    let page = Handoff::new(work, OpenWork::default().with_waiting(held), None).to_page(
        HandoffFormat::Plain,
        &Utc,
        as_is,
    );
    let waiting = page
        .split_once("Waiting until the service responds\n")
        .unwrap()
        .1;
    let expected = "  mark done: Harbor Yard\n  move back to New: a signal without a name\n\n";
    assert!(
        waiting.starts_with(expected) && page.contains("Not sent\n"),
        "{page}"
    );
}

#[test]
fn what_was_spent_is_said_in_words() {
    let spent = |prices: &[Option<u64>]| {
        let entry = |credits: &Option<u64>| LedgerEntry {
            at: time("2026-07-09T09:12:00Z"),
            credits: *credits,
            settled: false,
            rows: None,
            route: String::new(),
            reason: String::new(),
            op: Uuid::nil(),
            workspace_id: None,
        };
        describe_spent(&prices.iter().map(entry).collect::<Vec<_>>())
    };
    for (prices, words) in [
        (&[][..], "no credits were used"),
        (&[Some(0), Some(0)], "no credits were used"),
        (&[Some(1)], "1 credit"),
        (&[Some(0), Some(12)], "12 credits"),
        (&[None, None], "the price of 2 requests is not known"),
        (
            &[Some(3), None],
            "3 credits; the price of 1 request is not known",
        ),
    ] {
        assert_eq!(spent(prices), words);
    }
}

#[test]
fn an_undo_that_was_not_sent_leaves_the_change_under_done() {
    let entries = vec![
        entry(1, EntryCause::New, &[7]),
        entry(2, EntryCause::Undo, &[7]),
    ];
    let sent = vec![
        triage(2, WriteProgress::NotSent, &[7]),
        triage(1, WriteProgress::Done, &[7]),
    ];
    let page = page(RecordedWork {
        entries,
        sent,
        ..RecordedWork::default()
    });
    assert!(
        page.contains("## Done") && page.contains("## Not sent") && !page.contains("## Undone"),
        "{page}"
    );
}

#[test]
fn what_a_command_wrote_is_told_as_the_console_tells_it() {
    let sent = SentWrite {
        route: "POST /workspace/invitations".to_owned(),
        reason: "invitations create".to_owned(),
        target: None,
        records: 1,
        body: Some(json!({"email": "z@z.example", "role": "member"})),
        why: Some("rejected (already_exists): this address belongs to a member".to_owned()),
        ..triage(1, WriteProgress::Rejected, &[])
    };
    let page = page(RecordedWork {
        sent: vec![sent],
        ..RecordedWork::default()
    });
    assert!(
        page.contains(
            "invitation of z@z.example as member: rejected (already_exists): this address belongs to a member\n"
        ),
        "{page}"
    );
}

#[test]
fn a_record_written_by_a_verb_is_shown_by_its_stored_name() {
    let names = RecordNames::from([(Uuid::from_u128(7), "Harbor *Yard*".to_owned())]);
    let sent = SentWrite {
        route: "POST /workspace/accounts/upsert".to_owned(),
        reason: "book accounts set".to_owned(),
        target: Some(Uuid::from_u128(7).to_string()),
        body: None,
        ..triage(1, WriteProgress::Done, &[7])
    };
    let page = page(RecordedWork {
        sent: vec![sent],
        names,
        ..RecordedWork::default()
    });
    assert!(page.contains("annotation: Harbor \\*Yard\\*\n"), "{page}");
    assert!(page.ends_with("- no credits were used\n"), "{page}");
}

#[test]
fn the_last_note_about_each_record_is_handed_over() {
    let note = |op: u128, record: u128, note: &str| {
        let body = json!({"inputs": [{"account_id": Uuid::from_u128(record), "notes": note}, {"name": "Gensler"}]});
        SentWrite {
            body: Some(body),
            ..triage(op, WriteProgress::Done, &[record, 8])
        }
    };
    let rejected = SentWrite {
        progress: WriteProgress::Rejected,
        ..note(3, 9, "never written")
    };
    let names = RecordNames::from([(Uuid::from_u128(7), "Harbor Yard".to_owned())]);
    let sent = vec![
        rejected,
        note(2, 7, "Ask for Dana\nnot for *Ben*"),
        note(1, 7, "Call back"),
    ];
    let page = page(RecordedWork {
        sent,
        names,
        ..RecordedWork::default()
    });
    assert!(
        page.contains("## Notes written\n\n- Harbor Yard: Ask for Dana\n  - not for \\*Ben\\*\n\n"),
        "{page}"
    );
}

#[test]
fn a_record_that_was_annotated_alone_is_named_as_the_journal_names_it() {
    let id = Uuid::from_u128(7);
    let forward = WriteOp::Annotate(RecordKind::Accounts, id, Annotation::default());
    let named = |description: &str| {
        let changes = vec![ReversibleWrite {
            forward: forward.clone(),
            back: None,
        }];
        let entry = JournalEntry {
            description: description.to_owned(),
            change: JournalChange::Write { things: 1, changes },
            ..entry(1, EntryCause::New, &[])
        };
        let body = json!({"inputs": [{"account_id": id, "notes": "Call back"}]});
        page(RecordedWork {
            entries: vec![entry],
            sent: vec![SentWrite {
                body: Some(body),
                route: "POST /workspace/accounts/upsert/batch".to_owned(),
                ..triage(1, WriteProgress::Done, &[7])
            }],
            ..RecordedWork::default()
        })
    };
    let page = named("status, tags and note of Bank of Boston");
    assert!(page.contains("- Bank of Boston: Call back\n"), "{page}");
    let page = named("1 account of a list saved to the book");
    assert!(
        page.contains("- a record without a name: Call back\n"),
        "{page}"
    );
    assert!(!page.contains(&id.to_string()), "{page}");

    let page = named("call on Bank of Boston: phase 2: reached");
    assert!(
        page.contains("- Bank of Boston: phase 2: Call back\n"),
        "{page}"
    );
}

#[test]
fn no_id_is_ever_printed_and_what_has_no_name_is_counted() {
    let names = RecordNames::from([(Uuid::from_u128(7), "Harbor Yard".to_owned())]);
    let page = page(RecordedWork {
        sent: vec![
            triage(2, WriteProgress::Done, &[7, 8, 9]),
            triage(1, WriteProgress::Rejected, &[4, 5]),
        ],
        names,
        ..RecordedWork::default()
    });
    assert!(
        page.contains("marked done (3):\n  - Harbor Yard\n  - and 2 more\n")
            && page.contains("mark done (2): no such \\<signal\\>\n"),
        "{page}"
    );
    assert!(!page.contains("00000000-"), "{page}");
}

#[test]
fn the_project_of_a_triaged_signal_is_named_as_its_row_names_it() {
    let note = |project: u128, row: serde_json::Value| {
        let mut entry = entry(1, EntryCause::New, &[project]);
        if let JournalChange::Triage { signals, .. } = &mut entry.change {
            signals[0].row = Some(row);
        }
        let body =
            json!({"inputs": [{"project_id": Uuid::from_u128(project), "notes": "Call back"}]});
        page(RecordedWork {
            entries: vec![entry],
            sent: vec![SentWrite {
                body: Some(body),
                route: "POST /workspace/projects/upsert/batch".to_owned(),
                ..triage(2, WriteProgress::Done, &[project])
            }],
            ..RecordedWork::default()
        })
    };
    let (signal, project) = (Uuid::from_u128(1), Uuid::from_u128(7));
    let page = note(
        7,
        json!({"id": signal, "project_id": project, "project_name": "Harbor Yard"}),
    );
    assert!(page.contains("- Harbor Yard: Call back\n"), "{page}");
    let page = note(
        7,
        json!({"id": signal, "project_id": project, "source_display_name": "City of Boston"}),
    );
    assert!(
        page.contains("- a project in Boston: Call back\n"),
        "{page}"
    );
}

#[test]
fn a_note_of_an_undone_change_is_not_handed_over() {
    let body = json!({"inputs": [{"account_id": Uuid::from_u128(7), "notes": "by mistake"}]});
    let entries = vec![
        entry(1, EntryCause::New, &[7]),
        entry(2, EntryCause::Undo, &[7]),
    ];
    let write = |op| SentWrite {
        body: Some(body.clone()),
        ..triage(op, WriteProgress::Done, &[7])
    };
    let page = page(RecordedWork {
        entries,
        sent: vec![write(2), write(1)],
        ..RecordedWork::default()
    });
    assert!(!page.contains("Notes written"), "{page}");
}

fn row(name: &str, filed: &str) -> QueueSignal {
    let row = json!({"id": Uuid::from_u128(1), "signal_type": "permit_issued", "project_name": name, "filed_at": filed,
        "triaged_by": "ben", "triaged_at": "2026-07-09T10:00:00Z"});
    serde_json::from_value(row).unwrap()
}

#[test]
fn what_is_left_says_what_leaves_first_and_what_is_snoozed_until_when() {
    let now = time("2026-07-09T12:00:00Z");
    let mut rows = [
        row("Later", "2026-04-16"),
        row("Later", "2026-04-16"),
        row("Stays", "2026-07-01"),
        row("First", "2026-04-10"),
    ];
    rows[3].priority = Some(Priority::High);
    let until = |until| Snooze::new(row("Harbor Yard", "2026-07-01"), now, until);
    let midnight = until(SnoozeUntil::Time(time("2026-07-12T00:00:00Z")));
    let monday = until(SnoozeUntil::Time(time("2026-07-13T07:00:00Z")))
        .with_reason(Some("waiting for the lender"));
    let snoozes = [midnight, monday, until(SnoozeUntil::NextFiling)];
    let counts = QueueStats {
        new_count: 20,
        high_priority_new_count: 2,
        ..QueueStats::default()
    };
    let open = OpenWork::new(Some(counts))
        .with_queue(rows.iter(), now)
        .with_snoozes(snoozes.iter(), now);
    let page = Handoff::new(RecordedWork::default(), open, None).to_page(
        HandoffFormat::Plain,
        &Utc,
        as_is,
    );
    let expected =
        "\nOpen\n  20 new signals, 2 of them high priority, 3 snoozed on this machine\n  3 leave the queue within 7 days\n  H today: permit issued on First
  in 6 days: permit issued on Later (2)\n\nSnoozed on this machine\n  permit issued on Harbor Yard: until 12 July 2026\n  permit issued on Harbor Yard: until 13 July 2026, 07:00 (waiting for the lender)
  permit issued on Harbor Yard: until the project's next filing\n";
    assert!(page.contains(expected), "{page}");
}

#[test]
fn the_team_is_listed_by_who_marked_what_done_since_then() {
    let mut rows = [row("Harbor Yard", "2026-07-01")];
    rows[0].signal.project_primary_address = Some("101 Harbor Rd, Austin TX".to_owned());
    rows[0].signal.reported_cost_usd = Some(Number::Int(41_200_000));
    let team = |since, is_whole| {
        let team = TeamWork::of_rows(rows.iter(), is_whole, time(since), |by| {
            if by.key() == "ben" {
                "Ben K.".into()
            } else {
                by.key().into()
            }
        });
        Handoff::new(RecordedWork::default(), OpenWork::default(), Some(team)).to_page(
            HandoffFormat::Plain,
            &Utc,
            as_is,
        )
    };
    let page = team("2026-07-09T09:00:00Z", true);
    assert!(
        page.contains(
            "Marked done by the team\n  Ben K. (1):\n    permit issued on Harbor Yard, Austin, $41,200,000\n"
        ),
        "{page}"
    );
    let page = team("2026-07-09T11:00:00Z", true);
    assert!(
        page.contains("Marked done by the team\n  nothing\n"),
        "{page}"
    );
    let page = team("2026-07-09T11:00:00Z", false);
    assert!(page.contains("there may be more"), "{page}");
}

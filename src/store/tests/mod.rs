//! The store with real files in a temporary directory.

mod descriptions;
mod drafts;
mod journal;
mod named_searches;
mod promises;
mod queue;
mod record_lists;
mod records;
mod snoozes;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::Store;
use crate::domain::budgets::Budgets;
use crate::domain::credits::{Credits, RequestCost};

const CLOSE_TIMEOUT: Duration = Duration::from_secs(120);

fn noon() -> DateTime<Utc> {
    DateTime::from_timestamp(1_785_000_000, 0).unwrap()
}

fn spending(credits: Option<u64>) -> RequestCost {
    RequestCost {
        id: Uuid::now_v7(),
        route: "GET /data/projects/{id}".to_owned(),
        credits,
        rows: None,
        max_credits: None,
    }
}

/// A directory with a store's file.
struct StoreFolder {
    folder: tempfile::TempDir,
}

impl StoreFolder {
    fn new() -> StoreFolder {
        StoreFolder {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("state/gantry/desk.db")
    }

    fn store(&self) -> Store {
        Store::new(Some(self.file()), noon())
    }

    /// Records this many credits in a new store and returns its notices.
    fn record_credits(&self, credits: u64) -> Vec<String> {
        let store = self.store();
        store
            .ledger("m", None)
            .record(noon(), "show", Uuid::nil(), spending(Some(credits)));
        store.close(CLOSE_TIMEOUT);
        store.take_notices()
    }

    async fn recorded_credits(&self) -> Vec<Option<u64>> {
        recorded_credits(&self.store()).await
    }

    fn file_names(&self) -> Vec<String> {
        let folder = std::fs::read_dir(self.file().parent().unwrap()).unwrap();
        folder
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }
}

async fn recorded_credits(store: &Store) -> Vec<Option<u64>> {
    store
        .ledger_entries_since(noon() - TimeDelta::days(1), None)
        .await
        .unwrap()
        .into_iter()
        .map(|entry| entry.credits)
        .collect()
}

fn file_mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn recorded_credits_survive_a_restart_in_a_private_file() {
    let desk = StoreFolder::new();
    assert_eq!(desk.record_credits(7), [""; 0]);
    assert_eq!(desk.recorded_credits().await, [Some(7)]);
    assert_eq!(
        (
            file_mode(&desk.file()),
            file_mode(desk.file().parent().unwrap())
        ),
        (0o600, 0o700)
    );
}

#[tokio::test]
async fn several_processes_can_write_to_one_file() {
    let desk = StoreFolder::new();
    let stores: Vec<_> = (0..8).map(|_| desk.store()).collect();
    for store in &stores {
        let ledger = store.ledger("m", None);
        (0..20).for_each(|_| ledger.record(noon(), "show", Uuid::nil(), spending(Some(1))));
    }
    stores.iter().for_each(|store| store.close(CLOSE_TIMEOUT));
    assert_eq!(stores.iter().flat_map(Store::take_notices).count(), 0);
    assert_eq!(desk.recorded_credits().await.len(), 160);
}

#[tokio::test]
async fn a_corrupt_file_is_quarantined_and_reported_once() {
    for (at, what) in [
        (0, "its head"),
        (100, "its first page"),
        (4_096, "a later page"),
    ] {
        let desk = StoreFolder::new();
        desk.record_credits(1);
        let mut bytes = std::fs::read(desk.file()).unwrap();
        let end = (at + 600).min(bytes.len());
        bytes[at..end].fill(0xa5);
        std::fs::write(desk.file(), bytes).unwrap();
        let said = desk.record_credits(2);
        assert!(
            said.len() == 1 && said[0].contains("corrupt-2026"),
            "{what}: {said:?}"
        );
        assert_eq!(desk.record_credits(3), [""; 0], "{what}");
        assert_eq!(desk.recorded_credits().await, [Some(3), Some(2)], "{what}");
        assert!(
            desk.file_names()
                .iter()
                .any(|name| name.starts_with("desk.db.corrupt-")),
            "{:?}",
            desk.file_names()
        );
    }
}

#[tokio::test]
async fn a_large_file_is_checked_only_when_it_was_not_closed_cleanly() {
    let desk = StoreFolder::new();
    desk.record_credits(1);
    let file = rusqlite::Connection::open(desk.file()).unwrap();
    file.execute_batch("CREATE TABLE large (bytes); INSERT INTO large VALUES (zeroblob(9000000))")
        .unwrap();
    let page: u32 = file
        .query_row(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'large'",
            [],
            |row| row.get(0),
        )
        .unwrap();
    drop(file);
    let mut bytes = std::fs::read(desk.file()).unwrap();
    bytes[(page as usize - 1) * 4_096..][..600].fill(0xa5);
    std::fs::write(desk.file(), bytes).unwrap();
    assert_eq!(
        desk.record_credits(2),
        [""; 0],
        "the damage is in a part that is not read"
    );
    std::fs::write(format!("{}-wal", desk.file().display()), "").unwrap();
    assert!(desk.record_credits(3)[0].contains("corrupt-2026"));
}

#[tokio::test]
async fn a_failing_write_does_not_affect_the_other_writes_of_its_batch() {
    for (fault, kept) in [
        ("INSERT INTO nowhere VALUES (1)", vec![Some(2), Some(1)]),
        // Found at the end of a transaction, which fails as a whole.
        (
            "PRAGMA defer_foreign_keys = on; INSERT INTO record_list_rows VALUES (7, 0, x'00', '{}')",
            vec![],
        ),
    ] {
        let store = Store::in_memory();
        let ledger = store.ledger("m", None);
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let held = store.clone();
        let holding =
            tokio::spawn(async move { held.query(move |_| Ok(wait.recv().is_ok())).await });
        tokio::task::yield_now().await; // queue these jobs in one batch
        ledger.record(noon(), "show", Uuid::nil(), spending(Some(1)));
        store.enqueue_write(move |connection| connection.execute_batch(fault));
        ledger.record(
            noon() + TimeDelta::seconds(1),
            "show",
            Uuid::nil(),
            spending(Some(2)),
        );
        let asking = store.clone();
        let asked = tokio::spawn(async move { recorded_credits(&asking).await });
        tokio::task::yield_now().await;
        go.send(()).unwrap();
        assert_eq!(asked.await.unwrap(), kept, "{fault}");
        assert!(holding.await.unwrap().unwrap());
        let said = store.take_notices();
        assert!(
            said.len() == 1 && said[0].starts_with("some spent credits could not be saved: "),
            "{said:?}"
        );
    }
}

#[tokio::test]
async fn a_full_queue_is_reported_as_full_and_not_as_closed() {
    let store = Store::in_memory();
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let held = store.clone();
    let holding = tokio::spawn(async move { held.query(move |_| Ok(wait.recv().is_ok())).await });
    tokio::task::yield_now().await;
    (0..=super::MAX_PENDING_JOBS).for_each(|_| store.enqueue_write(|_| Ok(())));
    let refused = store
        .ledger_entries_since(noon(), None)
        .await
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("too many writes") && !refused.contains("closed"),
        "{refused}"
    );
    go.send(()).unwrap();
    assert!(holding.await.unwrap().unwrap());
}

/// The number of steps that SQLite takes for a query.
async fn count_sql_steps<T>(store: &Store, question: impl Future<Output = T>) -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    let taken = std::sync::Arc::new(AtomicU64::new(0));
    let counted = taken.clone();
    let count = move || {
        counted.fetch_add(1, Ordering::Relaxed);
        false
    };
    store
        .query(move |connection| connection.progress_handler(1, Some(count)))
        .await
        .unwrap();
    question.await;
    store
        .query(|connection| connection.progress_handler(0, None::<fn() -> bool>))
        .await
        .unwrap();
    taken.load(Ordering::Relaxed)
}

#[tokio::test]
async fn queries_of_each_act_do_not_slow_down_as_the_store_grows() {
    let store = Store::in_memory();
    let (ledger, journal) = (store.ledger("m", None), store.journal("m", None));
    journal::record_entry_and_send(&store, 1).await;
    journal.record_outcome(
        Uuid::from_u128(1),
        crate::domain::journal::WriteProgress::Done,
        None,
    );
    let mut taken = Vec::new();
    for others in [0, 500] {
        let write =
            "INSERT INTO sends (id, op, at, meter, owner, reason, route, records, state)
                       SELECT randomblob(16), randomblob(16), at, meter, owner, reason, route, records, state FROM sends LIMIT 1";
        let line = "INSERT INTO ledger (id, at, meter, route, reason, op, session)
                    VALUES (randomblob(16), ?1, 'm', '', '', x'', randomblob(16))";
        let before = (noon() - TimeDelta::days(30)).timestamp_millis();
        for _ in 0..others {
            store.enqueue_write(move |connection| {
                connection
                    .execute(write, [])
                    .and(connection.execute(line, [before]))
                    .map(drop)
            });
        }
        taken.push([
            count_sql_steps(&store, journal.last_entries(10)).await,
            count_sql_steps(&store, journal.saved_state(noon(), 10)).await,
            count_sql_steps(&store, ledger.total_spent(noon())).await,
        ]);
    }
    assert!(
        taken[0]
            .iter()
            .zip(taken[1])
            .all(|(before, after)| after < before + 100),
        "{taken:?}"
    );
}

#[tokio::test]
async fn a_truncated_file_is_quarantined() {
    let desk = StoreFolder::new();
    desk.record_credits(1);
    std::fs::OpenOptions::new()
        .write(true)
        .open(desk.file())
        .unwrap()
        .set_len(4096 + 512)
        .unwrap();
    assert_eq!(desk.record_credits(2).len(), 1);
    assert_eq!(desk.recorded_credits().await, [Some(2)]);
}

#[tokio::test]
async fn a_file_of_another_version_or_program_is_left_untouched_and_named_in_one_line() {
    for (change, why) in [
        (
            "PRAGMA user_version = 18",
            "it was made by an earlier build of gantry, schema 18; move it away, and a new one is created",
        ),
        ("PRAGMA user_version = 999", "install the newer version"),
        ("PRAGMA application_id = 7", "it belongs to another program"),
    ] {
        let desk = StoreFolder::new();
        desk.record_credits(1);
        rusqlite::Connection::open(desk.file())
            .unwrap()
            .execute_batch(change)
            .unwrap();
        let before = std::fs::read(desk.file()).unwrap();
        let store = desk.store();
        store
            .ledger("m", None)
            .record(noon(), "show", Uuid::nil(), spending(Some(2)));
        assert_eq!(
            recorded_credits(&store).await,
            [Some(2)],
            "it works in memory"
        );
        let said = store.take_notices().join("\n");
        let file = desk.file().display().to_string();
        for part in [file.as_str(), why, "not saved"] {
            assert!(said.contains(part) && !said.contains('\n'), "{said}");
        }
        assert_eq!(std::fs::read(desk.file()).unwrap(), before);
    }
}

#[tokio::test]
async fn without_a_usable_path_the_store_is_in_memory_and_says_so() {
    let desk = StoreFolder::new();
    let in_the_way = desk.folder.path().join("state");
    std::fs::write(in_the_way, "no directory").unwrap();
    for store in [desk.store(), Store::new(None, noon())] {
        store
            .ledger("m", None)
            .record(noon(), "show", Uuid::nil(), spending(Some(2)));
        assert_eq!(recorded_credits(&store).await, [Some(2)]);
        assert_eq!(store.take_notices().len(), 1);
    }
}

#[tokio::test]
async fn requests_in_flight_count_at_their_maximum_price_against_a_budget() {
    let desk = StoreFolder::new();
    let (one, other) = (desk.store(), desk.store());
    let budgets = Budgets {
        hard_day: Some(10),
        soft_day: Some(7),
        ..Budgets::default()
    };
    let asked = |most| RequestCost {
        max_credits: Some(most),
        ..spending(None)
    };
    let reserve = async |store: &Store, asked: RequestCost| {
        let passed = store
            .ledger("m", None)
            .reserve(noon(), "search", Uuid::nil(), asked, budgets)
            .await
            .unwrap();
        passed.map(|passed| (passed.kind.label(), passed.spent))
    };
    let first = asked(6);
    assert_eq!(reserve(&one, first.clone()).await, None);
    assert_eq!(
        reserve(&other, asked(6)).await,
        Some(("block per 24 hours", 6)),
        "other consoles count too"
    );
    assert_eq!(
        reserve(&other, asked(4)).await,
        Some(("ask per 24 hours", 6)),
        "a soft budget is reported, and the entry is kept"
    );
    assert_eq!(
        reserve(&one, asked(1)).await,
        Some(("block per 24 hours", 10))
    );
    one.ledger("m", None).record(
        noon(),
        "search",
        Uuid::nil(),
        RequestCost {
            credits: Some(2),
            ..first
        },
    );
    assert_eq!(
        reserve(&one, asked(4)).await,
        Some(("ask per 24 hours", 6)),
        "it cost less than reserved"
    );
    let spent = one.ledger("m", None).total_spent(noon()).await.unwrap();
    assert_eq!(
        (spent.session, spent.day),
        (6, 10),
        "the session counts only this process"
    );
    assert_eq!(
        reserve(
            &one,
            RequestCost {
                max_credits: Some(0),
                ..spending(None)
            }
        )
        .await,
        None,
        "what is free is never stopped"
    );
}

#[test]
fn no_file_is_created_before_the_first_write() {
    let desk = StoreFolder::new();
    desk.store().close(CLOSE_TIMEOUT);
    assert!(!desk.file().exists());
}

#[tokio::test]
async fn an_entry_has_no_price_until_its_response_reports_one() {
    let store = Store::in_memory();
    let ledger = store.ledger("m", None);
    let asked = spending(None);
    ledger.record(noon(), "show", Uuid::nil(), asked.clone());
    assert_eq!(recorded_credits(&store).await, [None]);
    ledger.record(
        noon() + TimeDelta::seconds(1),
        "show",
        Uuid::nil(),
        RequestCost {
            credits: Some(25),
            ..asked
        },
    );
    assert_eq!(recorded_credits(&store).await, [Some(25)]);
}

/// The meter at 100, then the entries, then the meter at `used`: the prices of the entries, and the
/// drift.
async fn credits_and_drift(lines: &[Option<u64>], used: u64) -> (Vec<Option<u64>>, i64) {
    let store = Store::in_memory();
    let ledger = store.ledger("m", None);
    let meter = |used| Credits {
        used: Some(used),
        ..Credits::default()
    };
    ledger.record_meter_reading(noon(), &meter(100));
    let later = |seconds| noon() + TimeDelta::seconds(seconds);
    for credits in lines {
        ledger.record(later(1), "queue list", Uuid::nil(), spending(*credits));
    }
    store.ledger("another", None).record(
        later(1),
        "queue list",
        Uuid::nil(),
        spending(Some(1_000)),
    );
    ledger.record_meter_reading(later(2), &meter(used));
    let settlement = ledger.reconcile(later(2), used).await.unwrap();
    let lines = store
        .ledger_entries_since(noon(), None)
        .await
        .unwrap()
        .into_iter()
        .map(|entry| entry.credits)
        .filter(|c| *c != Some(1_000));
    (lines.collect(), settlement.drift)
}

#[tokio::test]
async fn an_unknown_price_becomes_zero_only_if_the_meter_moved_by_the_recorded_sum() {
    let (mut lines, drift) = credits_and_drift(&[Some(25), None, None], 125).await;
    lines.sort();
    assert_eq!((lines, drift), (vec![Some(0), Some(0), Some(25)], 100));
    let (mut lines, drift) = credits_and_drift(&[Some(25), None], 138).await;
    lines.sort();
    assert_eq!(
        (lines, drift),
        (vec![None, Some(25)], 113),
        "a colleague or the request: unknown"
    );
}

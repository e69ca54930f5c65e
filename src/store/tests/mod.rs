//! Real files in a temporary folder.

mod drafts;
mod journal;
mod queue;
mod records;
mod runs;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::Store;
use crate::domain::budgets::Budgets;
use crate::domain::credits::{Credits, RequestCost};

const LIMIT: Duration = Duration::from_secs(20);

fn noon() -> DateTime<Utc> {
    DateTime::from_timestamp(1_785_000_000, 0).unwrap()
}

fn spending(credits: Option<u64>) -> RequestCost {
    RequestCost { id: Uuid::now_v7(), route: "GET /data/projects/{id}".to_owned(), credits, rows: None, max_credits: None }
}

/// A folder with a store's file in it.
struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    fn new() -> Desk {
        Desk { folder: tempfile::tempdir().unwrap() }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("state/gantry/desk.db")
    }

    fn store(&self) -> Store {
        Store::new(Some(self.file()), noon())
    }

    /// Books so many credits, in a store of its own, and answers what it has to say.
    fn spend(&self, credits: u64) -> Vec<String> {
        let store = self.store();
        store.ledger("m", None).book(noon(), "show", Uuid::nil(), spending(Some(credits)));
        store.close(LIMIT);
        store.notes()
    }

    async fn spent(&self) -> Vec<Option<u64>> {
        spent(&self.store()).await
    }

    fn names(&self) -> Vec<String> {
        let folder = std::fs::read_dir(self.file().parent().unwrap()).unwrap();
        folder.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

async fn spent(store: &Store) -> Vec<Option<u64>> {
    store.spent_since(noon() - TimeDelta::days(1)).await.unwrap().into_iter().map(|entry| entry.credits).collect()
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn what_was_spent_is_there_after_a_restart_and_for_its_owner_alone() {
    let desk = Desk::new();
    assert_eq!(desk.spend(7), [""; 0]);
    assert_eq!(desk.spent().await, [Some(7)]);
    assert_eq!((mode(&desk.file()), mode(desk.file().parent().unwrap())), (0o600, 0o700));
}

#[tokio::test]
async fn several_consoles_write_into_one_file() {
    let desk = Desk::new();
    let stores: Vec<_> = (0..8).map(|_| desk.store()).collect();
    for store in &stores {
        let ledger = store.ledger("m", None);
        (0..20).for_each(|_| ledger.book(noon(), "show", Uuid::nil(), spending(Some(1))));
    }
    stores.iter().for_each(|store| store.close(LIMIT));
    assert_eq!(stores.iter().flat_map(Store::notes).count(), 0);
    assert_eq!(desk.spent().await.len(), 160);
}

#[tokio::test]
async fn a_file_that_is_damaged_anywhere_is_set_aside_once_and_said_once() {
    for (at, what) in [(0, "its head"), (100, "its first page"), (4_096, "a later page")] {
        let desk = Desk::new();
        desk.spend(1);
        let mut bytes = std::fs::read(desk.file()).unwrap();
        let end = (at + 600).min(bytes.len());
        bytes[at..end].fill(0xa5);
        std::fs::write(desk.file(), bytes).unwrap();
        let said = desk.spend(2);
        assert!(said.len() == 1 && said[0].contains("corrupt-2026"), "{what}: {said:?}");
        assert_eq!(desk.spend(3), [""; 0], "{what}");
        assert_eq!(desk.spent().await, [Some(3), Some(2)], "{what}");
        assert!(desk.names().iter().any(|name| name.starts_with("desk.db.corrupt-")), "{:?}", desk.names());
    }
}

#[tokio::test]
async fn a_large_file_is_looked_through_when_nobody_closed_it_and_a_verb_waits_for_that_at_no_other_time() {
    let desk = Desk::new();
    desk.spend(1);
    let file = rusqlite::Connection::open(desk.file()).unwrap();
    file.execute_batch("CREATE TABLE large (bytes); INSERT INTO large VALUES (zeroblob(9000000))").unwrap();
    let page: u32 = file.query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'large'", [], |row| row.get(0)).unwrap();
    drop(file);
    let mut bytes = std::fs::read(desk.file()).unwrap();
    bytes[(page as usize - 1) * 4_096..][..600].fill(0xa5);
    std::fs::write(desk.file(), bytes).unwrap();
    assert_eq!(desk.spend(2), [""; 0], "the damage is in what nobody reads");
    std::fs::write(format!("{}-wal", desk.file().display()), "").unwrap();
    assert!(desk.spend(3)[0].contains("corrupt-2026"));
}

#[tokio::test]
async fn what_cannot_be_written_takes_nothing_with_it_that_waited_beside_it() {
    for (fault, kept) in [
        ("INSERT INTO nowhere VALUES (1)", vec![Some(2), Some(1)]),
        // Found at the end of a transaction: it fails whole.
        ("PRAGMA defer_foreign_keys = on; INSERT INTO run_rows VALUES (7, 0, '{}')", vec![]),
    ] {
        let store = Store::in_memory();
        let ledger = store.ledger("m", None);
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let held = store.clone();
        let holding = tokio::spawn(async move { held.ask(move |_| Ok(wait.recv().is_ok())).await });
        tokio::task::yield_now().await; // what is told now waits together
        ledger.book(noon(), "show", Uuid::nil(), spending(Some(1)));
        store.tell(move |connection| connection.execute_batch(fault));
        ledger.book(noon() + TimeDelta::seconds(1), "show", Uuid::nil(), spending(Some(2)));
        let asking = store.clone();
        let asked = tokio::spawn(async move { spent(&asking).await });
        tokio::task::yield_now().await;
        go.send(()).unwrap();
        assert_eq!(asked.await.unwrap(), kept, "{fault}");
        assert!(holding.await.unwrap().unwrap());
        let said = store.notes();
        assert!(said.len() == 1 && said[0].starts_with("not all that was spent could be written down: "), "{said:?}");
    }
}

#[tokio::test]
async fn more_than_can_wait_is_said_to_be_that_and_not_a_closed_store() {
    let store = Store::in_memory();
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let held = store.clone();
    let holding = tokio::spawn(async move { held.ask(move |_| Ok(wait.recv().is_ok())).await });
    tokio::task::yield_now().await;
    (0..=super::WAITING).for_each(|_| store.tell(|_| Ok(())));
    let refused = store.spent_since(noon()).await.unwrap_err().to_string();
    assert!(refused.contains("too much waits") && !refused.contains("closed"), "{refused}");
    go.send(()).unwrap();
    assert!(holding.await.unwrap().unwrap());
}

/// The steps that SQLite takes for a question.
async fn steps<T>(store: &Store, question: impl Future<Output = T>) -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    let taken = std::sync::Arc::new(AtomicU64::new(0));
    let counted = taken.clone();
    let count = move || {
        counted.fetch_add(1, Ordering::Relaxed);
        false
    };
    store.ask(move |connection| connection.progress_handler(1, Some(count))).await.unwrap();
    question.await;
    store.ask(|connection| connection.progress_handler(0, None::<fn() -> bool>)).await.unwrap();
    taken.load(Ordering::Relaxed)
}

#[tokio::test]
async fn what_is_asked_for_each_act_takes_no_longer_after_a_year_of_others() {
    let store = Store::in_memory();
    let (ledger, journal) = (store.ledger("m", None), store.journal("m", None));
    journal::send(&store, 1).await;
    journal.settled(Uuid::from_u128(1), crate::domain::journal::WriteProgress::Done, None);
    let mut taken = Vec::new();
    for others in [0, 500] {
        let write =
            "INSERT INTO sends SELECT randomblob(16), randomblob(16), at, meter, workspace_id, owner, reason, route, records,
                       body, state, why, changed, rejected, target FROM sends LIMIT 1";
        let line = "INSERT INTO ledger (id, at, meter, route, reason, op, session)
                    VALUES (randomblob(16), ?1, 'm', '', '', x'', randomblob(16))";
        let before = (noon() - TimeDelta::days(30)).timestamp_millis();
        for _ in 0..others {
            store.tell(move |connection| connection.execute(write, []).and(connection.execute(line, [before])).map(drop));
        }
        taken.push([
            steps(&store, journal.last(10)).await,
            steps(&store, journal.past(noon(), 10)).await,
            steps(&store, ledger.spent(noon())).await,
        ]);
    }
    assert!(taken[0].iter().zip(taken[1]).all(|(before, after)| after < before + 100), "{taken:?}");
}

#[tokio::test]
async fn a_file_that_was_cut_is_set_aside() {
    let desk = Desk::new();
    desk.spend(1);
    std::fs::OpenOptions::new().write(true).open(desk.file()).unwrap().set_len(4096 + 512).unwrap();
    assert_eq!(desk.spend(2).len(), 1);
    assert_eq!(desk.spent().await, [Some(2)]);
}

#[tokio::test]
async fn a_file_of_a_newer_version_or_of_another_program_is_left_as_it_is() {
    for change in ["PRAGMA user_version = 99", "PRAGMA application_id = 7"] {
        let desk = Desk::new();
        desk.spend(1);
        rusqlite::Connection::open(desk.file()).unwrap().execute_batch(change).unwrap();
        let before = std::fs::read(desk.file()).unwrap();
        let store = desk.store();
        store.ledger("m", None).book(noon(), "show", Uuid::nil(), spending(Some(2)));
        assert_eq!(spent(&store).await, [Some(2)], "it works in memory");
        let said = store.notes();
        assert!(said.len() == 1 && said[0].contains("not kept"), "{said:?}");
        assert_eq!(std::fs::read(desk.file()).unwrap(), before);
    }
}

#[tokio::test]
async fn a_file_of_an_older_version_is_copied_before_it_is_changed() {
    let desk = Desk::new();
    std::fs::create_dir_all(desk.file().parent().unwrap()).unwrap();
    let old = rusqlite::Connection::open(desk.file()).unwrap();
    old.execute_batch(include_str!("../ledger.sql")).unwrap();
    old.execute_batch("PRAGMA application_id = 0x67747279; PRAGMA user_version = 1").unwrap();
    drop(old);
    assert_eq!(desk.spend(1), [""; 0]);
    assert_eq!(desk.spent().await, [Some(1)]);
    let version = |path: &Path| {
        let conn = rusqlite::Connection::open(path).unwrap();
        conn.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0)).unwrap()
    };
    let copy = desk.file().with_extension("v1.db");
    assert!(version(&copy) == 1 && version(&desk.file()) > 1);
    assert_eq!(mode(&copy), 0o600);
}

#[tokio::test]
async fn without_a_place_for_the_file_the_store_is_in_memory_and_says_so() {
    let desk = Desk::new();
    let in_the_way = desk.folder.path().join("state");
    std::fs::write(in_the_way, "no directory").unwrap();
    for store in [desk.store(), Store::new(None, noon())] {
        store.ledger("m", None).book(noon(), "show", Uuid::nil(), spending(Some(2)));
        assert_eq!(spent(&store).await, [Some(2)]);
        assert_eq!(store.notes().len(), 1);
    }
}

#[tokio::test]
async fn requests_under_way_count_with_the_most_that_they_may_take_so_that_no_two_pass_a_budget_together() {
    let desk = Desk::new();
    let (one, other) = (desk.store(), desk.store());
    let budgets = Budgets { hard_day: Some(10), soft_day: Some(7), ..Budgets::default() };
    let asked = |most| RequestCost { max_credits: Some(most), ..spending(None) };
    let reserve = async |store: &Store, asked: RequestCost| {
        let passed = store.ledger("m", None).reserve(noon(), "search", Uuid::nil(), asked, budgets).await.unwrap();
        passed.map(|passed| (passed.kind.name(), passed.spent))
    };
    let first = asked(6);
    assert_eq!(reserve(&one, first.clone()).await, None);
    assert_eq!(reserve(&other, asked(6)).await, Some(("hard_day", 6)), "of another console too");
    assert_eq!(reserve(&other, asked(4)).await, Some(("soft_day", 6)), "a soft one is said, and the line stands");
    assert_eq!(reserve(&one, asked(1)).await, Some(("hard_day", 10)));
    one.ledger("m", None).book(noon(), "search", Uuid::nil(), RequestCost { credits: Some(2), ..first });
    assert_eq!(reserve(&one, asked(4)).await, Some(("soft_day", 6)), "it took less than it might have");
    let spent = one.ledger("m", None).spent(noon()).await.unwrap();
    assert_eq!((spent.session, spent.day), (6, 10), "the session is this program's alone");
    assert_eq!(
        reserve(&one, RequestCost { max_credits: Some(0), ..spending(None) }).await,
        None,
        "what is free is never stopped"
    );
}

#[test]
fn nothing_is_made_before_something_is_told() {
    let desk = Desk::new();
    desk.store().close(LIMIT);
    assert!(!desk.file().exists());
}

#[tokio::test]
async fn a_line_is_of_unknown_price_until_its_answer_tells_it() {
    let store = Store::in_memory();
    let ledger = store.ledger("m", None);
    let asked = spending(None);
    ledger.book(noon(), "show", Uuid::nil(), asked.clone());
    assert_eq!(spent(&store).await, [None]);
    ledger.book(noon() + TimeDelta::seconds(1), "show", Uuid::nil(), RequestCost { credits: Some(25), ..asked });
    assert_eq!(spent(&store).await, [Some(25)]);
}

/// A meter that stood at 100, then the lines, then the meter at `used`: what the lines are worth, and the drift.
async fn settled(lines: &[Option<u64>], used: u64) -> (Vec<Option<u64>>, i64) {
    let store = Store::in_memory();
    let ledger = store.ledger("m", None);
    let meter = |used| Credits { used: Some(used), ..Credits::default() };
    ledger.read_meter(noon(), &meter(100));
    let later = |seconds| noon() + TimeDelta::seconds(seconds);
    for credits in lines {
        ledger.book(later(1), "queue list", Uuid::nil(), spending(*credits));
    }
    store.ledger("another", None).book(later(1), "queue list", Uuid::nil(), spending(Some(1_000)));
    ledger.read_meter(later(2), &meter(used));
    let settlement = ledger.settlement(later(2), used).await.unwrap();
    let lines = store.spent_since(noon()).await.unwrap().into_iter().map(|entry| entry.credits).filter(|c| *c != Some(1_000));
    (lines.collect(), settlement.drift)
}

#[tokio::test]
async fn an_unknown_price_is_settled_when_the_meter_moved_by_what_was_booked_and_else_it_stays_unknown() {
    let (mut lines, drift) = settled(&[Some(25), None, None], 125).await;
    lines.sort();
    assert_eq!((lines, drift), (vec![Some(0), Some(0), Some(25)], 100));
    let (mut lines, drift) = settled(&[Some(25), None], 138).await;
    lines.sort();
    assert_eq!((lines, drift), (vec![None, Some(25)], 113), "a colleague, or the request: nobody can tell");
}

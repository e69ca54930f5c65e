//! Saved runs are restored with their rows.

use chrono::TimeDelta;
use serde_json::json;
use uuid::Uuid;

use super::super::Store;
use super::{CLOSE_TIMEOUT, StoreFolder, noon};
use crate::domain::book::Dataset;
use crate::domain::filters::Filters;
use crate::domain::records::Record;
use crate::domain::runs::SavedSearchRun;
use crate::domain::search::{RecordSource, Search, SortOrder};

fn rows(range: std::ops::Range<usize>) -> Vec<Record> {
    range.map(|n| Record::try_from(&json!({"id": Uuid::from_u128(n as u128), "name": "Yard", "far": 1.5})).unwrap()).collect()
}

/// A run for some city with its first page read.
fn run_of_city(city: &str, minute: i64) -> SavedSearchRun {
    let sort = Some(SortOrder { field: "name".to_owned(), ascending: true });
    let filters = Filters::parse(["stories>=5".to_owned(), format!("city={city}"), "has_account.role=gc".to_owned()]).unwrap();
    SavedSearchRun {
        sent_at: noon() + TimeDelta::minutes(minute),
        source: RecordSource::Index(Dataset::Projects),
        search: Search { filters, sort, ..Search::default() },
        read_at: Some(noon() + TimeDelta::minutes(minute)),
        total: Some(1_000),
        is_capped: true,
        credits_spent: 50,
        unreadable: 1,
        search_after: Some("50".to_owned()),
        rows: rows(0..50),
    }
}

async fn load_runs(store: &Store) -> Vec<SavedSearchRun> {
    store.runs("m", None).load_all().await.unwrap()
}

#[tokio::test]
async fn a_run_is_restored_with_its_pages_in_order() {
    let desk = StoreFolder::new();
    let store = desk.store();
    let runs = store.runs("m", None);
    let first = run_of_city("Austin", 0);
    runs.save(first.clone(), 0);
    runs.save(SavedSearchRun { rows: rows(50..80), search_after: None, credits_spent: 80, ..first.clone() }, 50);
    runs.save(run_of_city("Dallas", 1), 0);
    store.runs("another", None).save(run_of_city("Houston", 2), 0);
    store.close(CLOSE_TIMEOUT);
    let kept = load_runs(&desk.store()).await;
    assert_eq!(
        kept,
        [SavedSearchRun { rows: rows(0..80), search_after: None, credits_spent: 80, ..first }, run_of_city("Dallas", 1)]
    );
}

#[tokio::test]
async fn a_run_that_is_read_again_replaces_the_stored_one() {
    let store = StoreFolder::new().store();
    let runs = store.runs("m", None);
    runs.save(run_of_city("Austin", 0), 0);
    let again = SavedSearchRun { rows: rows(7..9), search_after: None, ..run_of_city("Austin", 0) };
    runs.save(again.clone(), 0);
    assert_eq!(load_runs(&store).await, [again]);
}

#[tokio::test]
async fn a_long_run_keeps_its_first_pages_and_the_cursor_after_them() {
    let store = StoreFolder::new().store();
    let runs = store.runs("m", None);
    for page in 0..25 {
        let from = page * 100;
        runs.save(
            SavedSearchRun {
                rows: rows(from..from + 100),
                search_after: Some((from + 100).to_string()),
                ..run_of_city("Austin", 0)
            },
            from,
        );
    }
    let kept = load_runs(&store).await.remove(0);
    assert_eq!((kept.rows.len(), kept.search_after.as_deref()), (2_000, Some("2000")));
}

#[tokio::test]
async fn the_newest_fifty_runs_are_kept() {
    let store = StoreFolder::new().store();
    for n in 0..53 {
        store.runs("m", None).save(run_of_city(&format!("City{n}"), n), 0);
    }
    let kept = load_runs(&store).await;
    assert_eq!((kept.len(), kept[0].sent_at), (50, run_of_city("City3", 3).sent_at));
}

#[tokio::test]
async fn the_oldest_runs_are_pruned_when_the_rows_exceed_the_limit() {
    let store = StoreFolder::new().store();
    let long = Record::try_from(&json!({"id": Uuid::nil(), "name": "x".repeat(3 << 20)})).unwrap();
    for n in 0..4 {
        store.runs("m", None).save(SavedSearchRun { rows: vec![long.clone()], ..run_of_city(&format!("City{n}"), n) }, 0);
    }
    let kept = load_runs(&store).await;
    assert_eq!(
        kept.iter().map(|run| run.sent_at).collect::<Vec<_>>(),
        [run_of_city("x", 2).sent_at, run_of_city("x", 3).sent_at]
    );
}

//! A search that was run is there again with its rows.

use chrono::TimeDelta;
use serde_json::json;
use uuid::Uuid;

use super::super::Store;
use super::{Desk, LIMIT, noon};
use crate::domain::book::Dataset;
use crate::domain::filters::Filters;
use crate::domain::records::Record;
use crate::domain::runs::SavedSearchRun;
use crate::domain::search::{RecordSource, Search, SortOrder};

fn rows(range: std::ops::Range<usize>) -> Vec<Record> {
    range.map(|n| Record::try_from(&json!({"id": Uuid::from_u128(n as u128), "name": "Yard", "far": 1.5})).unwrap()).collect()
}

/// A run of some city, its first page read.
fn run(city: &str, minute: i64) -> SavedSearchRun {
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

async fn all(store: &Store) -> Vec<SavedSearchRun> {
    store.runs("m", None).all().await.unwrap()
}

#[tokio::test]
async fn a_run_is_there_again_as_it_was_and_its_pages_follow_on_each_other() {
    let desk = Desk::new();
    let store = desk.store();
    let runs = store.runs("m", None);
    let first = run("Austin", 0);
    runs.keep(first.clone(), 0);
    runs.keep(SavedSearchRun { rows: rows(50..80), search_after: None, credits_spent: 80, ..first.clone() }, 50);
    runs.keep(run("Dallas", 1), 0);
    store.runs("another", None).keep(run("Houston", 2), 0);
    store.close(LIMIT);
    let kept = all(&desk.store()).await;
    assert_eq!(kept, [SavedSearchRun { rows: rows(0..80), search_after: None, credits_spent: 80, ..first }, run("Dallas", 1)]);
}

#[tokio::test]
async fn a_run_that_is_read_anew_takes_the_place_of_what_was_kept() {
    let store = Desk::new().store();
    let runs = store.runs("m", None);
    runs.keep(run("Austin", 0), 0);
    let anew = SavedSearchRun { rows: rows(7..9), search_after: None, ..run("Austin", 0) };
    runs.keep(anew.clone(), 0);
    assert_eq!(all(&store).await, [anew]);
}

#[tokio::test]
async fn of_a_long_run_the_first_pages_are_kept_and_the_place_to_go_on_from_is_theirs() {
    let store = Desk::new().store();
    let runs = store.runs("m", None);
    for page in 0..25 {
        let from = page * 100;
        runs.keep(
            SavedSearchRun { rows: rows(from..from + 100), search_after: Some((from + 100).to_string()), ..run("Austin", 0) },
            from,
        );
    }
    let kept = all(&store).await.remove(0);
    assert_eq!((kept.rows.len(), kept.search_after.as_deref()), (2_000, Some("2000")));
}

#[tokio::test]
async fn the_newest_fifty_are_kept() {
    let store = Desk::new().store();
    for n in 0..53 {
        store.runs("m", None).keep(run(&format!("City{n}"), n), 0);
    }
    let kept = all(&store).await;
    assert_eq!((kept.len(), kept[0].sent_at), (50, run("City3", 3).sent_at));
}

#[tokio::test]
async fn when_the_rows_have_grown_too_many_the_oldest_runs_go() {
    let store = Desk::new().store();
    let long = Record::try_from(&json!({"id": Uuid::nil(), "name": "x".repeat(3 << 20)})).unwrap();
    for n in 0..4 {
        store.runs("m", None).keep(SavedSearchRun { rows: vec![long.clone()], ..run(&format!("City{n}"), n) }, 0);
    }
    let kept = all(&store).await;
    assert_eq!(kept.iter().map(|run| run.sent_at).collect::<Vec<_>>(), [run("x", 2).sent_at, run("x", 3).sent_at]);
}

//! Saved lists are restored with their rows.

use chrono::TimeDelta;
use serde_json::json;
use uuid::Uuid;

use super::super::Store;
use super::super::cache_owner::CacheOwner;
use super::super::record_lists::RecordListStore;
use super::{CLOSE_TIMEOUT, StoreFolder, noon};
use crate::domain::book::{Dataset, RecordKind};
use crate::domain::conditions::Conditions;
use crate::domain::records::Record;
use crate::domain::runs::{SavedRowsChange, SavedSearchRun};
use crate::domain::search::{RecordSource, Search, SortOrder};
use crate::domain::{ViewId, WorkspaceId};

fn owner(token: &str) -> CacheOwner {
    CacheOwner::new("m", None, token)
}

fn rows(range: std::ops::Range<usize>) -> Vec<Record> {
    range
        .map(|n| {
            Record::try_from(&json!({"id": Uuid::from_u128(n as u128), "name": "Yard", "far": 1.5}))
                .unwrap()
        })
        .collect()
}

#[tokio::test]
async fn a_handoff_names_records_that_only_a_list_has_shown() {
    let store = Store::in_memory();
    let (run, at) = (run_of_city("Austin", 0), noon());
    let run = SavedSearchRun {
        rows: rows(1..3),
        ..run
    };
    store.record_lists(owner("a")).save(run, 0, at);
    let id = Uuid::from_u128(2);
    let names = store.record_names(vec![id]).await.unwrap();
    assert_eq!(names, [(id, "Yard".to_owned())].into());
}

/// A run for some city with its first page read.
fn run_of_city(city: &str, minute: i64) -> SavedSearchRun {
    let sort = Some(SortOrder {
        field: "name".to_owned(),
        ascending: true,
    });
    let filters = Conditions::parse([
        "stories>=5".to_owned(),
        format!("city={city}"),
        "has_account.role=gc".to_owned(),
    ])
    .unwrap();
    SavedSearchRun {
        sent_at: noon() + TimeDelta::minutes(minute),
        source: RecordSource::Index(Dataset::Projects),
        search: Search {
            filters,
            sort,
            ..Search::default()
        },
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
    store.record_lists(owner("key")).load_runs().await.unwrap()
}

#[tokio::test]
async fn a_run_is_restored_with_its_pages_in_order() {
    let desk = StoreFolder::new();
    let store = desk.store();
    let runs = store.record_lists(owner("key"));
    let first = run_of_city("Austin", 0);
    runs.save(first.clone(), 0, noon());
    runs.save(
        SavedSearchRun {
            rows: rows(50..80),
            search_after: None,
            credits_spent: 80,
            ..first.clone()
        },
        50,
        noon(),
    );
    runs.save(run_of_city("Dallas", 1), 0, noon());
    store
        .record_lists(owner("another key"))
        .save(run_of_city("Houston", 2), 0, noon());
    store.close(CLOSE_TIMEOUT);
    let kept = load_runs(&desk.store()).await;
    assert_eq!(
        kept,
        [
            SavedSearchRun {
                rows: rows(0..80),
                search_after: None,
                credits_spent: 80,
                ..first
            },
            run_of_city("Dallas", 1)
        ]
    );
}

#[tokio::test]
async fn a_run_that_is_read_again_replaces_the_stored_one() {
    let store = StoreFolder::new().store();
    let runs = store.record_lists(owner("key"));
    runs.save(run_of_city("Austin", 0), 0, noon());
    let again = SavedSearchRun {
        rows: rows(7..9),
        search_after: None,
        ..run_of_city("Austin", 0)
    };
    runs.save(again.clone(), 0, noon());
    assert_eq!(load_runs(&store).await, [again]);
}

#[tokio::test]
async fn a_long_list_keeps_its_first_pages_and_the_cursor_after_them() {
    let store = StoreFolder::new().store();
    let lists = store.record_lists(owner("key"));
    for page in 0..5 {
        let (from, to) = (page * 25_000, (page + 1) * 25_000);
        lists.save(
            SavedSearchRun {
                rows: rows(from..to),
                search_after: Some(to.to_string()),
                ..run_of_city("Austin", 0)
            },
            from,
            noon(),
        );
    }
    let kept = load_runs(&store).await.remove(0);
    assert_eq!(
        (kept.rows.len(), kept.search_after.as_deref()),
        (100_000, Some("100000"))
    );
}

#[tokio::test]
async fn the_newest_fifty_searches_of_the_index_are_kept() {
    let store = StoreFolder::new().store();
    for n in 0..53 {
        store
            .record_lists(owner("key"))
            .save(run_of_city(&format!("City{n}"), n), 0, noon());
    }
    let kept = load_runs(&store).await;
    assert_eq!(
        (kept.len(), kept[0].sent_at),
        (50, run_of_city("City3", 3).sent_at)
    );
}

#[tokio::test]
async fn the_least_recently_used_lists_are_deleted_when_the_rows_exceed_the_limit() {
    let store = StoreFolder::new().store();
    let lists = store.record_lists(owner("key"));
    let list = |n: i64| book_list(&format!("city {n}"));
    let save = |n: i64| lists.save(list(n), 0, noon() + TimeDelta::hours(n));
    (0..2).for_each(save);
    // As if their rows were that long.
    store.enqueue_write(|connection| {
        connection
            .execute("UPDATE record_lists SET bytes = 130 << 20", [])
            .map(drop)
    });
    let used = lists
        .load(list(0).source, list(0).search, noon() + TimeDelta::hours(9))
        .await
        .unwrap();
    assert!(used.is_some());
    save(2);
    let kept: Vec<String> = lists
        .searches()
        .await
        .unwrap()
        .into_iter()
        .map(|saved| saved.search.query)
        .collect();
    assert_eq!(kept, ["city 0", "city 2"]);
}

/// A list of the book with two of its rows read.
fn book_list(query: &str) -> SavedSearchRun {
    let row = |n: u128, status: &str| json!({"id": Uuid::from_u128(n), "name": "Yard", "workspace_status": status, "tags": []});
    SavedSearchRun {
        source: RecordSource::Book(RecordKind::Accounts),
        search: Search {
            query: query.to_owned(),
            ..Search::default()
        },
        total: Some(2),
        is_capped: false,
        rows: [row(1, "cold"), row(2, "active")]
            .iter()
            .map(|row| Record::try_from(row).unwrap())
            .collect(),
        ..run_of_city("x", 0)
    }
}

/// The ids and statuses of the stored rows of a list.
async fn statuses(lists: &RecordListStore, of: &SavedSearchRun) -> Option<Vec<(u128, String)>> {
    let found = lists
        .load(of.source.clone(), of.search.clone(), noon())
        .await
        .unwrap()?;
    let status = |row: &Record| {
        (
            row.id.as_u128(),
            row.fields()
                .text("workspace_status")
                .unwrap_or_default()
                .to_owned(),
        )
    };
    Some(found.rows.iter().map(status).collect())
}

#[tokio::test]
async fn another_token_workspace_or_service_sees_nothing_of_a_list() {
    let desk = StoreFolder::new();
    let store = desk.store();
    store
        .record_lists(owner("key"))
        .save(book_list(""), 0, noon());
    store.close(CLOSE_TIMEOUT);
    let store = desk.store();
    assert!(
        statuses(&store.record_lists(owner("key")), &book_list(""))
            .await
            .is_some()
    );
    let ours = Some(WorkspaceId(Uuid::from_u128(7)));
    for other in [
        owner("another key"),
        CacheOwner::new("m", ours, "key"),
        CacheOwner::new("another", None, "key"),
    ] {
        let lists = store.record_lists(other);
        assert_eq!(
            (
                statuses(&lists, &book_list("")).await,
                lists.searches().await.unwrap()
            ),
            (None, Vec::new())
        );
        lists.change_rows(SavedRowsChange::LeaveBook(
            RecordKind::Accounts,
            vec![Uuid::from_u128(1)],
        ));
    }
    assert_eq!(
        statuses(&store.record_lists(owner("key")), &book_list(""))
            .await
            .unwrap()
            .len(),
        2,
        "nor changes it"
    );
}

#[tokio::test]
async fn own_writes_and_newer_reads_change_the_rows_of_all_lists() {
    let store = StoreFolder::new().store();
    let lists = store.record_lists(owner("key"));
    lists.save(book_list(""), 0, noon());
    lists.save(book_list("yard"), 0, noon());
    let newer = json!({"workspace_status": "won", "hq": "x"})
        .as_object()
        .unwrap()
        .clone();
    lists.change_rows(SavedRowsChange::Update(Uuid::from_u128(1), newer.into()));
    for list in [book_list(""), book_list("yard")] {
        assert_eq!(
            statuses(&lists, &list).await.unwrap(),
            [(1, "won".to_owned()), (2, "active".to_owned())]
        );
    }
    // Another list with the same record is read.
    let row = json!({"id": Uuid::from_u128(2), "workspace_status": "lost"});
    let view = RecordSource::View(ViewId(Uuid::from_u128(5)), RecordKind::Accounts);
    let read = SavedSearchRun {
        source: view,
        rows: vec![Record::try_from(&row).unwrap()],
        ..book_list("")
    };
    lists.save(read.clone(), 0, noon());
    assert_eq!(statuses(&lists, &book_list("")).await.unwrap()[1].1, "lost");
    let kept = lists
        .load(read.source.clone(), Search::default(), noon())
        .await
        .unwrap()
        .unwrap();
    assert!(
        !kept.rows[0].fields().contains_field("hq"),
        "a row has the fields of its route only"
    );
    lists.change_rows(SavedRowsChange::LeaveBook(
        RecordKind::Accounts,
        vec![Uuid::from_u128(1)],
    ));
    assert_eq!(
        statuses(&lists, &book_list("")).await.unwrap(),
        [(2, "lost".to_owned())]
    );
    assert_eq!(
        statuses(&lists, &read).await.unwrap().len(),
        1,
        "a View keeps records that left the book"
    );
    lists.change_rows(SavedRowsChange::DeleteView(ViewId(Uuid::from_u128(5))));
    assert_eq!(statuses(&lists, &read).await, None);
}

#[tokio::test]
async fn a_record_that_joins_a_view_is_added_to_its_list_once() {
    let store = StoreFolder::new().store();
    let lists = store.record_lists(owner("key"));
    let view = ViewId(Uuid::from_u128(5));
    let source = RecordSource::View(view, RecordKind::Accounts);
    let whole = SavedSearchRun {
        source: source.clone(),
        search_after: None,
        ..book_list("")
    };
    let filtered = SavedSearchRun {
        source,
        search_after: None,
        ..book_list("yard")
    };
    lists.save(whole.clone(), 0, noon());
    lists.save(filtered.clone(), 0, noon());
    let joins = |id: u128, row: Option<Record>| {
        SavedRowsChange::JoinView(view, vec![(Uuid::from_u128(id), row)])
    };
    let row =
        Record::try_from(&json!({"id": Uuid::from_u128(3), "workspace_status": "new"})).unwrap();
    lists.change_rows(joins(3, Some(row)));
    lists.change_rows(joins(3, None));
    lists.change_rows(joins(4, None));
    let kept = lists
        .load(whole.source.clone(), whole.search.clone(), noon())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (kept.rows.len(), kept.total),
        (3, Some(4)),
        "the total says that a row is missing"
    );
    assert_eq!(statuses(&lists, &filtered).await.unwrap().len(), 2);
}

#[tokio::test]
async fn pages_are_added_to_a_list_after_some_of_its_rows_were_removed() {
    let store = StoreFolder::new().store();
    let lists = store.record_lists(owner("key"));
    lists.save(book_list(""), 0, noon());
    lists.change_rows(SavedRowsChange::LeaveBook(
        RecordKind::Accounts,
        vec![Uuid::from_u128(1)],
    ));
    let more =
        Record::try_from(&json!({"id": Uuid::from_u128(3), "workspace_status": "new"})).unwrap();
    lists.save(
        SavedSearchRun {
            rows: vec![more],
            ..book_list("")
        },
        1,
        noon(),
    );
    let kept: Vec<u128> = statuses(&lists, &book_list(""))
        .await
        .unwrap()
        .into_iter()
        .map(|(id, _)| id)
        .collect();
    assert_eq!(kept, [2, 3]);
}

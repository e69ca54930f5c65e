//! Records that were paid for are stored as received.

use chrono::TimeDelta;
use serde_json::json;
use uuid::Uuid;

use super::super::Store;
use super::super::cache_owner::CacheOwner;
use super::super::records::{StoredRecord, prune_records};
use super::{CLOSE_TIMEOUT, StoreFolder, noon};
use crate::domain::WorkspaceId;
use crate::domain::book::Dataset;
use crate::domain::records::{Record, RecordKey};

fn owner(meter: &str, workspace: Option<WorkspaceId>) -> CacheOwner {
    CacheOwner::new(meter, workspace, "key")
}

fn record_key(id: u128, in_book: bool) -> RecordKey {
    RecordKey {
        dataset: Dataset::Projects,
        id: Uuid::from_u128(id),
        in_book,
    }
}

fn stored_record(id: u128, name: &str) -> StoredRecord {
    let record = json!({"id": Uuid::from_u128(id), "name": name, "tomorrow": {"x": 1}});
    StoredRecord {
        record: Record::try_from(&record).unwrap(),
        credits: Some(1),
        read_at: noon(),
    }
}

#[tokio::test]
async fn a_record_survives_a_restart_with_its_price_and_read_time() {
    let desk = StoreFolder::new();
    let store = desk.store();
    store
        .records(owner("m", None))
        .save(record_key(1, false), stored_record(1, "Harbor Yard Lofts"));
    store.close(CLOSE_TIMEOUT);
    let records = desk.store().records(owner("m", None));
    let later = noon() + TimeDelta::days(3);
    assert_eq!(
        records.get(record_key(1, false), later).await.unwrap(),
        Some(stored_record(1, "Harbor Yard Lofts"))
    );
    assert_eq!(
        records.get(record_key(2, false), later).await.unwrap(),
        None
    );
}

#[tokio::test]
async fn records_are_stored_per_route_workspace_service_and_token() {
    let store = Store::in_memory();
    let team = Some(WorkspaceId(Uuid::from_u128(7)));
    store
        .records(owner("m", team))
        .save(record_key(1, true), stored_record(1, "of the book"));
    store
        .records(owner("m", team))
        .save(record_key(1, false), stored_record(1, "of the index"));
    let name = async |meter, workspace, token, in_book| {
        let kept = store
            .records(CacheOwner::new(meter, workspace, token))
            .get(record_key(1, in_book), noon())
            .await
            .unwrap();
        kept.map(|kept| kept.record.fields().text("name").unwrap().to_owned())
    };
    assert_eq!(
        name("m", team, "key", true).await.as_deref(),
        Some("of the book")
    );
    assert_eq!(
        name("m", team, "key", false).await.as_deref(),
        Some("of the index")
    );
    assert_eq!(name("m", None, "key", true).await, None);
    assert_eq!(name("another", team, "key", true).await, None);
    assert_eq!(name("m", team, "another key", true).await, None);
}

#[tokio::test]
async fn a_record_is_replaced_when_it_is_read_again_and_removed_when_it_is_written() {
    let store = Store::in_memory();
    let records = store.records(owner("m", None));
    for name in ["old", "new"] {
        records.save(record_key(1, true), stored_record(1, name));
    }
    assert_eq!(
        records.get(record_key(1, true), noon()).await.unwrap(),
        Some(stored_record(1, "new"))
    );
    records.save(record_key(1, false), stored_record(1, "of the index"));
    records.remove(vec![Uuid::from_u128(1)]);
    assert_eq!(
        records.get(record_key(1, true), noon()).await.unwrap(),
        None
    );
    assert!(
        records
            .get(record_key(1, false), noon())
            .await
            .unwrap()
            .is_some(),
        "the index record was not written"
    );
}

#[tokio::test]
async fn the_log_shows_the_newest_stored_name_of_a_record() {
    let store = Store::in_memory();
    let old = StoredRecord {
        read_at: noon() - TimeDelta::hours(1),
        ..stored_record(1, "old")
    };
    store
        .records(owner("m", None))
        .save(record_key(1, true), old);
    store
        .records(owner("m", None))
        .save(record_key(1, false), stored_record(1, "new"));
    store.records(owner("m", None)).save(
        record_key(2, true),
        stored_record(2, "of nobody's interest"),
    );
    let names = store
        .record_names([1, 3].map(Uuid::from_u128).into())
        .await
        .unwrap();
    assert_eq!(names, [(Uuid::from_u128(1), "new".to_owned())].into());
}

#[tokio::test]
async fn the_least_recently_used_records_are_pruned_first() {
    let store = Store::in_memory();
    let records = store.records(owner("m", None));
    (0..8).for_each(|id| records.save(record_key(id, false), stored_record(id, "x")));
    for id in [0, 1, 2, 3, 4, 5] {
        records
            .get(record_key(id, false), noon() + TimeDelta::hours(1))
            .await
            .unwrap();
    }
    store
        .query(|connection| prune_records(connection, 0))
        .await
        .unwrap();
    let mut left = Vec::new();
    for id in 0..8 {
        if records
            .get(record_key(id, false), noon())
            .await
            .unwrap()
            .is_some()
        {
            left.push(id);
        }
    }
    assert!(
        left.len() == 5 && !left.contains(&6) && !left.contains(&7),
        "{left:?}"
    );
}

#[tokio::test]
async fn a_version_lasts_from_the_first_to_the_last_read_that_shows_it() {
    let store = Store::in_memory();
    let records = store.records(owner("m", None));
    let read = |name: &str, days: i64| StoredRecord {
        read_at: noon() + TimeDelta::days(days),
        ..stored_record(1, name)
    };
    for (name, days) in [
        ("Harbor Yard", 0),
        ("Harbor Yard", 3),
        ("Harbor Yard Lofts", 9),
    ] {
        records.save(record_key(1, false), read(name, days));
    }
    let versions = records.versions(Uuid::from_u128(1)).await.unwrap();
    let spans: Vec<_> = versions
        .iter()
        .map(|version| {
            (
                version.fields["name"].as_str().unwrap(),
                version.first_read,
                version.last_read,
            )
        })
        .collect();
    let day = |days| noon() + TimeDelta::days(days);
    assert_eq!(
        spans,
        [
            ("Harbor Yard", day(0), day(3)),
            ("Harbor Yard Lofts", day(9), day(9))
        ]
    );
    assert_eq!(
        store
            .records(owner("another", None))
            .versions(Uuid::from_u128(1))
            .await
            .unwrap(),
        []
    );
    records.save(record_key(1, false), read("", 10));
    for day in 11..60 {
        records.save(record_key(1, false), read(&day.to_string(), day));
    }
    assert_eq!(
        records.versions(Uuid::from_u128(1)).await.unwrap().len(),
        20,
        "the newest are kept"
    );
}

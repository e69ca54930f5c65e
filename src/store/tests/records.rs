//! What was paid for is kept as it came.

use chrono::TimeDelta;
use serde_json::json;
use uuid::Uuid;

use super::super::Store;
use super::super::records::{Kept, prune};
use super::{Desk, LIMIT, noon};
use crate::domain::WorkspaceId;
use crate::domain::book::Dataset;
use crate::domain::records::{Record, RecordKey};

fn key(id: u128, in_book: bool) -> RecordKey {
    RecordKey { dataset: Dataset::Projects, id: Uuid::from_u128(id), in_book }
}

fn kept(id: u128, name: &str) -> Kept {
    let record = json!({"id": Uuid::from_u128(id), "name": name, "tomorrow": {"x": 1}});
    Kept { record: Record::try_from(&record).unwrap(), credits: Some(1), read_at: noon() }
}

#[tokio::test]
async fn a_record_is_there_after_a_restart_as_it_came_with_its_price_and_its_age() {
    let desk = Desk::new();
    let store = desk.store();
    store.records("m", None).keep(key(1, false), kept(1, "Harbor Yard Lofts"));
    store.close(LIMIT);
    let records = desk.store().records("m", None);
    let later = noon() + TimeDelta::days(3);
    assert_eq!(records.get(key(1, false), later).await.unwrap(), Some(kept(1, "Harbor Yard Lofts")));
    assert_eq!(records.get(key(2, false), later).await.unwrap(), None);
}

#[tokio::test]
async fn a_record_is_of_its_route_its_workspace_and_its_service() {
    let store = Store::in_memory();
    let team = Some(WorkspaceId(Uuid::from_u128(7)));
    store.records("m", team).keep(key(1, true), kept(1, "of the book"));
    store.records("m", team).keep(key(1, false), kept(1, "of the index"));
    let name = async |meter, workspace, in_book| {
        let kept = store.records(meter, workspace).get(key(1, in_book), noon()).await.unwrap();
        kept.map(|kept| kept.record.fields().text("name").unwrap().to_owned())
    };
    assert_eq!(name("m", team, true).await.as_deref(), Some("of the book"));
    assert_eq!(name("m", team, false).await.as_deref(), Some("of the index"));
    assert_eq!(name("m", None, true).await, None);
    assert_eq!(name("another", team, true).await, None);
}

#[tokio::test]
async fn a_record_that_is_read_anew_takes_the_place_of_the_old_one_and_one_that_was_written_is_forgotten() {
    let store = Store::in_memory();
    let records = store.records("m", None);
    for name in ["old", "new"] {
        records.keep(key(1, true), kept(1, name));
    }
    assert_eq!(records.get(key(1, true), noon()).await.unwrap(), Some(kept(1, "new")));
    records.keep(key(1, false), kept(1, "of the index"));
    records.forget(vec![Uuid::from_u128(1)]);
    assert_eq!(records.get(key(1, true), noon()).await.unwrap(), None);
    assert!(records.get(key(1, false), noon()).await.unwrap().is_some(), "the index was not written on");
}

#[tokio::test]
async fn a_record_that_is_kept_has_its_newest_name_for_the_log() {
    let store = Store::in_memory();
    let old = Kept { read_at: noon() - TimeDelta::hours(1), ..kept(1, "old") };
    store.records("m", None).keep(key(1, true), old);
    store.records("m", None).keep(key(1, false), kept(1, "new"));
    store.records("m", None).keep(key(2, true), kept(2, "of nobody's interest"));
    let names = store.record_names([1, 3].map(Uuid::from_u128).into()).await.unwrap();
    assert_eq!(names, [(Uuid::from_u128(1), "new".to_owned())].into());
}

#[tokio::test]
async fn when_there_are_too_many_the_ones_that_nobody_wanted_longest_go() {
    let store = Store::in_memory();
    let records = store.records("m", None);
    (0..8).for_each(|id| records.keep(key(id, false), kept(id, "x")));
    for id in [0, 1, 2, 3, 4, 5] {
        records.get(key(id, false), noon() + TimeDelta::hours(1)).await.unwrap();
    }
    store.ask(|connection| prune(connection, 0)).await.unwrap();
    let mut left = Vec::new();
    for id in 0..8 {
        if records.get(key(id, false), noon()).await.unwrap().is_some() {
            left.push(id);
        }
    }
    assert!(left.len() == 5 && !left.contains(&6) && !left.contains(&7), "{left:?}");
}

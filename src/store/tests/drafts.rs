//! Drafts survive any way in which the program ends.

use chrono::TimeDelta;
use serde_json::{Value, json};

use super::super::Store;
use super::super::drafts::{DraftStore, OrphanedDrafts};
use super::{CLOSE_TIMEOUT, StoreFolder, noon};

fn draft_store(store: &Store) -> DraftStore {
    store.drafts("m", None)
}

async fn adopt_orphans(store: &Store) -> OrphanedDrafts {
    draft_store(store).adopt_orphans(noon()).await.unwrap()
}

/// The adopted drafts, each with whether another console has it open.
async fn orphaned_drafts(store: &Store) -> Vec<(String, Value, bool)> {
    adopt_orphans(store)
        .await
        .drafts
        .into_iter()
        .map(|draft| (draft.name, draft.content, draft.is_open_elsewhere))
        .collect()
}

fn save_draft(store: &Store, name: &str, typed: Value) {
    draft_store(store).save(name.to_owned(), noon(), Some(typed));
}

#[tokio::test]
async fn the_last_draft_of_a_name_survives_and_a_dropped_one_does_not() {
    let desk = StoreFolder::new();
    let store = desk.store();
    save_draft(&store, "note", json!("cal"));
    save_draft(&store, "note", json!("called"));
    save_draft(&store, "gone", json!("x"));
    draft_store(&store).save("gone".to_owned(), noon(), None);
    store
        .drafts("another", None)
        .save("theirs".to_owned(), noon(), Some(json!("y")));
    store.close(CLOSE_TIMEOUT);
    assert_eq!(
        orphaned_drafts(&desk.store()).await,
        [("note".to_owned(), json!("called"), false)]
    );
}

#[tokio::test]
async fn a_draft_open_in_another_console_is_a_copy_until_that_console_dies() {
    let desk = StoreFolder::new();
    let (first, second) = (desk.store(), desk.store());
    save_draft(&first, "note", json!("mine"));
    assert!(
        orphaned_drafts(&first).await.is_empty(),
        "it is on disk and not orphaned"
    );
    assert_eq!(
        orphaned_drafts(&second).await,
        [("note".to_owned(), json!("mine"), true)]
    );
    save_draft(&second, "note", json!("the copy"));
    assert_eq!(
        orphaned_drafts(&second).await,
        [("note".to_owned(), json!("mine"), true)]
    );
    first.close(CLOSE_TIMEOUT);
    second.close(CLOSE_TIMEOUT);
    let third = desk.store();
    assert_eq!(
        orphaned_drafts(&third).await,
        [("note".to_owned(), json!("the copy"), false)],
        "the newer of two with the same name"
    );
    third.close(CLOSE_TIMEOUT);
    assert_eq!(orphaned_drafts(&desk.store()).await.len(), 1);
}

#[tokio::test]
async fn a_draft_typed_before_orphans_are_adopted_is_kept() {
    let desk = StoreFolder::new();
    let first = desk.store();
    save_draft(&first, "note", json!("of yesterday"));
    first.close(CLOSE_TIMEOUT);
    let second = desk.store();
    save_draft(&second, "note", json!("of today"));
    assert_eq!(
        orphaned_drafts(&second).await,
        [("note".to_owned(), json!("of yesterday"), false)]
    );
    second.close(CLOSE_TIMEOUT);
    assert_eq!(
        orphaned_drafts(&desk.store()).await,
        [("note".to_owned(), json!("of today"), false)]
    );
}

#[tokio::test]
async fn a_draft_untouched_for_three_months_is_deleted() {
    let desk = StoreFolder::new();
    let store = desk.store();
    draft_store(&store).save(
        "old".to_owned(),
        noon() - TimeDelta::days(91),
        Some(json!("x")),
    );
    save_draft(&store, "new", json!("y"));
    store.close(CLOSE_TIMEOUT);
    assert_eq!(
        orphaned_drafts(&desk.store()).await,
        [("new".to_owned(), json!("y"), false)]
    );
}

#[tokio::test]
async fn when_the_drafts_are_full_the_old_ones_stay_and_a_notice_is_given() {
    let desk = StoreFolder::new();
    let store = desk.store();
    let long = "x".repeat(5 << 20);
    for name in ["a", "b", "c", "d"] {
        save_draft(&store, name, json!(long));
    }
    store.close(CLOSE_TIMEOUT);
    let names: Vec<String> = orphaned_drafts(&desk.store())
        .await
        .into_iter()
        .map(|(name, ..)| name)
        .collect();
    assert_eq!(names, ["a", "b", "c"]);
    assert!(
        store.take_notices()[0].contains("drafts are full"),
        "{:?}",
        store.take_notices()
    );
}

#[tokio::test]
async fn the_store_reports_whether_drafts_are_persistent() {
    assert!(
        adopt_orphans(&StoreFolder::new().store())
            .await
            .is_persistent
    );
    assert!(!adopt_orphans(&Store::in_memory()).await.is_persistent);
}

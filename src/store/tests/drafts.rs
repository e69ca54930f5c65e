//! What was typed is there again, whoever ended the program and how.

use chrono::TimeDelta;
use serde_json::{Value, json};

use super::super::Store;
use super::super::drafts::{Drafts, Left};
use super::{Desk, LIMIT, noon};

fn drafts(store: &Store) -> Drafts {
    store.drafts("m", None)
}

async fn left(store: &Store) -> Left {
    drafts(store).left(noon()).await.unwrap()
}

/// What was left, each with whether another console has it open.
async fn typed(store: &Store) -> Vec<(String, Value, bool)> {
    left(store).await.drafts.into_iter().map(|draft| (draft.name, draft.content, draft.is_open_elsewhere)).collect()
}

fn keep(store: &Store, name: &str, typed: Value) {
    drafts(store).keep(name.to_owned(), noon(), Some(typed));
}

#[tokio::test]
async fn the_last_that_was_typed_under_a_name_is_left_and_what_was_dropped_is_not() {
    let desk = Desk::new();
    let store = desk.store();
    keep(&store, "note", json!("cal"));
    keep(&store, "note", json!("called"));
    keep(&store, "gone", json!("x"));
    drafts(&store).keep("gone".to_owned(), noon(), None);
    store.drafts("another", None).keep("theirs".to_owned(), noon(), Some(json!("y")));
    store.close(LIMIT);
    assert_eq!(typed(&desk.store()).await, [("note".to_owned(), json!("called"), false)]);
}

#[tokio::test]
async fn what_another_console_has_open_is_a_copy_until_that_console_has_died() {
    let desk = Desk::new();
    let (first, second) = (desk.store(), desk.store());
    keep(&first, "note", json!("mine"));
    assert!(typed(&first).await.is_empty(), "it is on disk, and was not left");
    assert_eq!(typed(&second).await, [("note".to_owned(), json!("mine"), true)]);
    keep(&second, "note", json!("the copy"));
    assert_eq!(typed(&second).await, [("note".to_owned(), json!("mine"), true)]);
    first.close(LIMIT);
    second.close(LIMIT);
    let third = desk.store();
    assert_eq!(typed(&third).await, [("note".to_owned(), json!("the copy"), false)], "of two with one name the newer");
    third.close(LIMIT);
    assert_eq!(typed(&desk.store()).await.len(), 1);
}

#[tokio::test]
async fn what_was_typed_before_what_was_left_was_looked_for_stays_beside_it() {
    let desk = Desk::new();
    let first = desk.store();
    keep(&first, "note", json!("of yesterday"));
    first.close(LIMIT);
    let second = desk.store();
    keep(&second, "note", json!("of today"));
    assert_eq!(typed(&second).await, [("note".to_owned(), json!("of yesterday"), false)]);
    second.close(LIMIT);
    assert_eq!(typed(&desk.store()).await, [("note".to_owned(), json!("of today"), false)]);
}

#[tokio::test]
async fn a_draft_that_nobody_came_back_to_in_three_months_is_swept_away() {
    let desk = Desk::new();
    let store = desk.store();
    drafts(&store).keep("old".to_owned(), noon() - TimeDelta::days(91), Some(json!("x")));
    keep(&store, "new", json!("y"));
    store.close(LIMIT);
    assert_eq!(typed(&desk.store()).await, [("new".to_owned(), json!("y"), false)]);
}

#[tokio::test]
async fn when_there_is_no_room_the_old_stay_and_it_is_said() {
    let desk = Desk::new();
    let store = desk.store();
    let long = "x".repeat(5 << 20);
    for name in ["a", "b", "c", "d"] {
        keep(&store, name, json!(long));
    }
    store.close(LIMIT);
    let names: Vec<String> = typed(&desk.store()).await.into_iter().map(|(name, ..)| name).collect();
    assert_eq!(names, ["a", "b", "c"]);
    assert!(store.notes()[0].contains("no room for more drafts"), "{:?}", store.notes());
}

#[tokio::test]
async fn it_is_known_whether_drafts_outlive_the_program() {
    assert!(left(&Desk::new().store()).await.keeps);
    assert!(!left(&Store::in_memory()).await.keeps);
}

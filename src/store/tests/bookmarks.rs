//! Bookmarks on disk.

use serde_json::json;

use super::{CLOSE_TIMEOUT, StoreFolder};
use crate::domain::bookmarks::Bookmark;
use crate::domain::queue::QueueSignal;

fn bookmark(number: u64) -> Bookmark {
    let id = format!("018f4d3a-0000-7000-8000-{number:012}");
    let row: QueueSignal =
        serde_json::from_value(json!({ "id": id, "project_name": format!("Yard {number}") }))
            .unwrap();
    Bookmark {
        at: "2026-07-09T09:20:14Z".parse().unwrap(),
        row,
    }
}

#[tokio::test]
async fn bookmarks_of_a_workspace_survive_a_restart_until_they_are_deleted() {
    let folder = StoreFolder::new();
    let store = folder.store();
    let [one, other] = [1, 2].map(bookmark);
    store.bookmarks("m", None).save(one.id(), Some(one.clone()));
    store
        .bookmarks("m", None)
        .save(other.id(), Some(other.clone()));
    store.bookmarks("m", None).save(one.id(), None);
    store
        .bookmarks("another service", None)
        .save(one.id(), Some(one));
    store.close(CLOSE_TIMEOUT);
    assert_eq!(
        folder
            .store()
            .bookmarks("m", None)
            .load_all()
            .await
            .unwrap(),
        [other]
    );
}

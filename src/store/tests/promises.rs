//! Promises as the console finds them after a restart.

use rusqlite::Connection;
use uuid::Uuid;

use super::{CLOSE_TIMEOUT, StoreFolder};
use crate::domain::book::RecordKind;
use crate::domain::promises::PromisingNote;

fn note(number: u128) -> PromisingNote {
    PromisingNote {
        kind: RecordKind::Accounts,
        id: Uuid::from_u128(number),
        name: format!("Firm {number}"),
        text: "> 2026-12-03 Dana: call".to_owned(),
        noted_at: "2026-07-09T09:20:14Z".parse().unwrap(),
    }
}

#[tokio::test]
async fn promises_of_a_workspace_survive_a_restart_as_last_read() {
    let folder = StoreFolder::new();
    let store = folder.store();
    let [one, other] = [1, 2].map(note);
    let promises = store.promises("m", None);
    promises.save(one.clone());
    promises.save(PromisingNote {
        text: "older".to_owned(),
        ..other.clone()
    });
    promises.save(other.clone());
    let elsewhere = store.promises("another service", None);
    elsewhere.save(note(3));
    store.close(CLOSE_TIMEOUT);
    let found = folder.store().promises("m", None).load_all().await;
    assert_eq!(found.unwrap(), [one, other]);
}

#[test]
fn a_bookmark_of_an_earlier_version_becomes_a_snooze_that_is_over() {
    let connection = Connection::open_in_memory().unwrap();
    let [first, second] = [
        include_str!("../migrations/0001_initial.sql"),
        include_str!("../migrations/0002_promises.sql"),
    ];
    connection.execute_batch(first).unwrap();
    let id = "018f4d3a-0000-7000-8000-000000000007";
    let bookmark = format!(
        r#"{{"at": "2026-07-09T09:20:14Z", "row": {{"id": "{id}", "project_name": "Yard 7"}}}}"#
    );
    connection
        .execute(
            "INSERT INTO bookmarks (meter, workspace_id, signal_id, bookmark) VALUES ('m', NULL, x'07', ?1)",
            [bookmark],
        )
        .unwrap();
    connection.execute_batch(second).unwrap();
    let snooze: String = connection
        .query_row("SELECT snooze FROM snoozes", [], |row| row.get(0))
        .unwrap();
    let snooze: crate::domain::snooze::Snooze = serde_json::from_str(&snooze).unwrap();
    assert_eq!(snooze.row.signal.project_name.as_deref(), Some("Yard 7"));
    assert_eq!(snooze.reason.as_deref(), Some("bookmarked"));
    assert!(snooze.has_returned("2026-07-09T09:20:15Z".parse().unwrap()));
}

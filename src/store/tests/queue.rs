//! The queue that stood on the screen is there for the next start, for who kept it and for nobody else.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;
use uuid::Uuid;

use super::super::queue::QueueFile;
use super::{Desk, LIMIT, noon};
use crate::domain::queue::{QueueSignal, QueueSnapshot};

const BASE: &str = "https://signals.example/api/v1";
const OURS: Uuid = Uuid::from_u128(1);

fn queue(rows: u128) -> QueueSnapshot {
    let row = |n| {
        let row = json!({ "id": Uuid::from_u128(n), "priority": "urgent", "filed_at": "soon", "reported_cost_usd": 1.5, "triage_status": "new" });
        serde_json::from_value::<QueueSignal>(row).unwrap()
    };
    QueueSnapshot { read_at: noon(), total: 1_204, rows: (0..rows).map(row).collect() }
}

fn file(desk: &Desk) -> QueueFile {
    QueueFile::beside(&desk.file(), BASE, OURS, "a token")
}

/// Keeps a queue, in a run of its own.
fn keep(desk: &Desk, rows: u128) {
    let store = desk.store();
    store.keep_queue(file(desk), queue(rows));
    store.close(LIMIT);
    assert_eq!(store.notes(), [""; 0]);
}

#[test]
fn the_last_queue_that_was_kept_is_there_again_as_it_was_for_its_owner_alone() {
    let desk = Desk::new();
    assert_eq!(file(&desk).read(), None);
    keep(&desk, 200);
    keep(&desk, 3);
    assert_eq!(file(&desk).read(), Some(queue(3)));
    let path = desk.file().with_extension("queue");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!std::fs::read_to_string(path).unwrap().contains("token"));
    assert!(desk.names().iter().all(|name| name.starts_with("desk.")), "nothing is left beside: {:?}", desk.names());
}

#[test]
fn another_service_workspace_or_credential_sees_nothing_of_it() {
    let desk = Desk::new();
    keep(&desk, 3);
    for (base, workspace, token, sees) in [
        (BASE, OURS, "a token", true),
        ("https://signals.example/api/v1/", OURS, "a token", true),
        ("https://other.example/api/v1", OURS, "a token", false),
        (BASE, Uuid::from_u128(2), "a token", false),
        (BASE, OURS, "another token", false),
    ] {
        assert_eq!(QueueFile::beside(&desk.file(), base, workspace, token).read().is_some(), sees, "{base} {workspace} {token}");
    }
}

#[test]
fn a_file_that_is_damaged_or_of_another_program_is_as_none_and_the_next_takes_its_place() {
    let desk = Desk::new();
    keep(&desk, 3);
    let path = desk.file().with_extension("queue");
    let whole = std::fs::read(&path).unwrap();
    for damaged in [&whole[..whole.len() / 2], b"", b"\xff\xfe", b"[]", b"{\"of\":1}", b"SQLite format 3\0"] {
        std::fs::write(&path, damaged).unwrap();
        assert_eq!(file(&desk).read(), None);
    }
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    assert_eq!(file(&desk).read(), None);
    keep(&desk, 3);
    std::fs::remove_dir(&path).unwrap();
    keep(&desk, 3);
    assert_eq!(file(&desk).read(), Some(queue(3)));
}

//! The last queue shown is available at the next start, to its owner only.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;
use uuid::Uuid;

use super::super::queue::QueueFile;
use super::{CLOSE_TIMEOUT, StoreFolder, noon};
use crate::domain::queue::{QueueSignal, QueueSnapshot};

const BASE_URL: &str = "https://signals.example/api/v1";
const OUR_WORKSPACE: Uuid = Uuid::from_u128(1);

fn queue(rows: u128) -> QueueSnapshot {
    let row = |n| {
        let row = json!({ "id": Uuid::from_u128(n), "priority": "urgent", "filed_at": "soon", "reported_cost_usd": 1.5, "triage_status": "new" });
        serde_json::from_value::<QueueSignal>(row).unwrap()
    };
    QueueSnapshot {
        read_at: noon(),
        total: 1_204,
        rows: (0..rows).map(row).collect(),
    }
}

fn queue_file(desk: &StoreFolder) -> QueueFile {
    QueueFile::for_store(&desk.file(), BASE_URL, OUR_WORKSPACE, "a token")
}

/// Saves a queue in its own session.
fn save_queue(desk: &StoreFolder, rows: u128) {
    let store = desk.store();
    store.save_queue(queue_file(desk), queue(rows));
    store.close(CLOSE_TIMEOUT);
    assert_eq!(store.take_notices(), [""; 0]);
}

#[test]
fn the_last_saved_queue_is_restored_from_a_private_file() {
    let desk = StoreFolder::new();
    assert_eq!(queue_file(&desk).read(), None);
    save_queue(&desk, 200);
    save_queue(&desk, 3);
    assert_eq!(queue_file(&desk).read(), Some(queue(3)));
    let path = desk.file().with_extension("queue");
    assert_eq!(
        std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert!(!std::fs::read_to_string(path).unwrap().contains("token"));
    assert!(
        desk.file_names()
            .iter()
            .all(|name| name.starts_with("desk.")),
        "no other file is left: {:?}",
        desk.file_names()
    );
}

#[test]
fn another_service_workspace_or_credential_cannot_read_the_saved_queue() {
    let desk = StoreFolder::new();
    save_queue(&desk, 3);
    for (base, workspace, token, sees) in [
        (BASE_URL, OUR_WORKSPACE, "a token", true),
        (
            "https://signals.example/api/v1/",
            OUR_WORKSPACE,
            "a token",
            true,
        ),
        (
            "https://other.example/api/v1",
            OUR_WORKSPACE,
            "a token",
            false,
        ),
        (BASE_URL, Uuid::from_u128(2), "a token", false),
        (BASE_URL, OUR_WORKSPACE, "another token", false),
    ] {
        assert_eq!(
            QueueFile::for_store(&desk.file(), base, workspace, token)
                .read()
                .is_some(),
            sees,
            "{base} {workspace} {token}"
        );
    }
}

#[test]
fn a_corrupt_or_foreign_queue_file_is_ignored_and_replaced() {
    let desk = StoreFolder::new();
    save_queue(&desk, 3);
    let path = desk.file().with_extension("queue");
    let whole = std::fs::read(&path).unwrap();
    for damaged in [
        &whole[..whole.len() / 2],
        b"",
        b"\xff\xfe",
        b"[]",
        b"{\"of\":1}",
        b"SQLite format 3\0",
    ] {
        std::fs::write(&path, damaged).unwrap();
        assert_eq!(queue_file(&desk).read(), None);
    }
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    assert_eq!(queue_file(&desk).read(), None);
    save_queue(&desk, 3);
    std::fs::remove_dir(&path).unwrap();
    save_queue(&desk, 3);
    assert_eq!(queue_file(&desk).read(), Some(queue(3)));
}

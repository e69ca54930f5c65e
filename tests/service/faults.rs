//! Faults of the machine under a service (faults H 111 and 112): a busy, damaged or lost file.
//! Tests that need a full disk or a paused clock are inside the service.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gantry::service::{ServiceOptions, Storage, start};
use serde_json::json;

use crate::support::TestService;

fn file_options(path: &Path) -> ServiceOptions {
    let backup_every = Duration::from_millis(20);
    ServiceOptions {
        data: Storage::File(path.to_owned()),
        projects: 60,
        backup_interval: backup_every,
        ..ServiceOptions::default()
    }
}

/// The first backup of a file, once it exists.
async fn wait_for_backup(path: &Path) -> PathBuf {
    let limit = Instant::now() + Duration::from_secs(20);
    loop {
        let mut found = std::fs::read_dir(path.parent().unwrap())
            .unwrap()
            .map(|entry| entry.unwrap().path());
        if let Some(copy) =
            found.find(|path| path.extension().is_some_and(|ending| ending == "backup"))
        {
            return copy;
        }
        assert!(Instant::now() < limit, "no copy");
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daily_backup_restores_a_lost_database() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("desk.db");
    let api = TestService::with_options(file_options(&path)).await;
    let (key, workspace) = (api.api_key(0), api.workspace_id(0));
    let stats = api
        .get(&key.with_workspace(&workspace), "/signals/queue/stats")
        .await
        .ok();
    let copy = wait_for_backup(&path).await;
    api.service.stop().await;

    std::fs::remove_file(&path).unwrap();
    std::fs::copy(&copy, &path).unwrap();
    let again = TestService::with_options(file_options(&path)).await;
    assert_eq!(
        again
            .get(&key.with_workspace(&workspace), "/signals/queue/stats")
            .await
            .ok(),
        stats,
        "the old key still works"
    );
    again.service.stop().await;
}

#[tokio::test]
async fn a_corrupt_database_is_not_served_and_the_error_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("desk.db");
    TestService::with_options(file_options(&path))
        .await
        .service
        .stop()
        .await;
    let mut bytes = std::fs::read(&path).unwrap();
    for page in bytes.chunks_mut(4096).skip(20).step_by(7) {
        page[..100].fill(0xee);
    }
    std::fs::write(&path, &bytes).unwrap();
    let words = start(file_options(&path))
        .await
        .err()
        .expect("the service must not start")
        .to_string();
    assert!(
        words.contains("desk.db is damaged (")
            && words.contains("was not changed")
            && words.contains(".recover"),
        "{words}"
    );
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_locked_database_is_503_with_retry_after_and_free_reads_continue() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("desk.db");
    let api = TestService::with_options(file_options(&path)).await;
    let key = api.api_key(0).with_workspace(api.workspace_id(0));
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let body = json!({"signal_type": "completion"});
    let write = api.post(&key, "/workspace/signal-subscriptions/upsert", body.clone());
    let read = api.get(&key, "/signals?limit=5");
    let (reply, page) = tokio::join!(write, read);
    page.ok();
    assert_eq!(reply.headers["retry-after"], "1");
    reply.expect_error(503, "unavailable");
    other.execute_batch("ROLLBACK").unwrap();
    api.post(&key, "/workspace/signal-subscriptions/upsert", body)
        .await
        .ok();
}

#[test]
fn new_signals_arrive_again_after_the_database_failed_for_a_while() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("desk.db");
    let mut service = std::process::Command::new(env!("CARGO_BIN_EXE_gantry"))
        .args([
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--projects",
            "60",
            "--arrivals",
            "1s",
            "--log-format",
            "json",
            "--data",
        ])
        .arg(&path)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let lines = |output: &mut dyn std::io::Read, word: &str| {
        BufReader::new(output)
            .lines()
            .map(Result::unwrap)
            .find(|line| line.contains(word))
            .expect("the line")
    };
    lines(service.stdout.as_mut().unwrap(), "http://");
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.busy_timeout(Duration::from_secs(10)).unwrap();
    conn.execute_batch(
        "CREATE TRIGGER fail BEFORE INSERT ON signals BEGIN SELECT RAISE(ABORT, 'no storage'); END",
    )
    .unwrap();
    lines(service.stderr.as_mut().unwrap(), "a new signal is late");
    let count = || {
        conn.query_row("SELECT count(*) FROM signals", [], |row| {
            row.get::<_, i64>(0)
        })
        .unwrap()
    };
    let before = count();
    conn.execute_batch("DROP TRIGGER fail").unwrap();
    let limit = Instant::now() + Duration::from_secs(60);
    while count() == before {
        assert!(Instant::now() < limit, "nothing arrived");
        std::thread::yield_now();
    }
    service.kill().unwrap();
    service.wait().unwrap();
}

//! Records that were paid for are shown again after a restart for free, until they are refreshed.

use std::sync::Arc;

use gantry::app::effect::{RecordKey, ServiceCall};
use gantry::app::msg::Reply;
use gantry::config::{BackendLocation, Paths};
use gantry::domain::annotate::AnnotationWrite;
use gantry::domain::book::{Annotation, Dataset, RecordKind};
use gantry::domain::patch::Patch;
use gantry::runtime::backend::{Backend, CallContext};
use gantry::runtime::connect;
use gantry::service::{self, RunningService, ServiceOptions};

use crate::pty::{TerminalSession, gantry_program};
use crate::spawned_service::SpawnedService;

/// A running service, and a home.
struct CacheFixture {
    service: RunningService,
    home: tempfile::TempDir,
}

impl CacheFixture {
    async fn new() -> CacheFixture {
        let running = service::start(ServiceOptions {
            projects: 40,
            ..ServiceOptions::default()
        })
        .await
        .unwrap();
        CacheFixture {
            service: running,
            home: tempfile::tempdir().unwrap(),
        }
    }

    /// A backend for the service; each is a separate session.
    async fn connect(&self) -> Arc<dyn Backend> {
        let home = self.home.path().display().to_string();
        let paths = Paths::from_env(&|name| (name == "HOME").then(|| home.clone()));
        let workspace = &self.service.startup_info().workspaces[0];
        let place = BackendLocation::Remote {
            label: "desk".to_owned(),
            base_url: self.service.base_url().to_owned(),
            token: workspace.members[0].access_token.clone().into(),
            workspace: Some(workspace.id.to_string()),
            certificate: None,
        };
        connect::connect_to_location(&paths, place, false)
            .unwrap()
            .await
            .unwrap()
            .backend
    }
}

async fn send_call(console: &Arc<dyn Backend>, call: ServiceCall) -> Reply {
    console
        .clone()
        .call(
            call,
            CallContext {
                reason: "test",
                op: uuid::Uuid::nil(),
                shares: Vec::new(),
            },
        )
        .await
        .unwrap()
}

async fn credits_used(console: &Arc<dyn Backend>) -> u64 {
    let Reply::Credits((credits, _)) = send_call(console, ServiceCall::Credits).await else {
        panic!("no credits")
    };
    credits.used.unwrap()
}

/// An account of the book.
async fn first_account(console: &Arc<dyn Backend>) -> RecordKey {
    let source = gantry::domain::search::RecordSource::Book(RecordKind::Accounts);
    let call = ServiceCall::Search {
        source,
        search: Default::default(),
        after: None,
        limit: 1,
    };
    let Reply::SearchPage(found) = send_call(console, call).await else {
        panic!("nothing found")
    };
    RecordKey {
        dataset: Dataset::Accounts,
        id: found.rows[0].id,
        in_book: true,
    }
}

/// Reads a record and returns whether it was stored.
async fn is_read_from_cache(console: &Arc<dyn Backend>, key: &RecordKey, again: bool) -> bool {
    let Reply::Record((record, read_at, credits)) = send_call(
        console,
        ServiceCall::Record {
            key: key.clone(),
            bypass_cache: again,
        },
    )
    .await
    else {
        panic!("no record")
    };
    assert_eq!(
        (record.id, credits),
        (key.id, Some(1)),
        "its cost, now or at the time"
    );
    read_at.is_some()
}

#[tokio::test]
async fn a_record_is_paid_for_once_across_restarts_until_refreshed() {
    let desk = CacheFixture::new().await;
    let console = desk.connect().await;
    let key = first_account(&console).await;
    let before = credits_used(&console).await;
    assert!(!is_read_from_cache(&console, &key, false).await);
    console.close().await;

    let console = desk.connect().await;
    assert!(is_read_from_cache(&console, &key, false).await);
    assert_eq!(
        credits_used(&console).await,
        before + 1,
        "the second time was free"
    );
    assert!(!is_read_from_cache(&console, &key, true).await);
    assert_eq!(credits_used(&console).await, before + 2);
    console.close().await;
    desk.service.stop().await;
}

#[tokio::test]
async fn an_edited_record_is_fetched_again() {
    let desk = CacheFixture::new().await;
    let console = desk.connect().await;
    let key = first_account(&console).await;
    is_read_from_cache(&console, &key, false).await;
    let annotation = Annotation {
        notes: Patch::Set("called".to_owned()),
        ..Annotation::default()
    };
    let write = gantry::app::effect::WriteRequest::Annotate {
        record_kind: RecordKind::Accounts,
        items: vec![AnnotationWrite::new_unchecked(key.id, annotation)],
    };
    send_call(&console, ServiceCall::Write(write)).await;
    assert!(!is_read_from_cache(&console, &key, false).await);
    console.close().await;
    desk.service.stop().await;
}

#[tokio::test]
async fn interrupted_writes_belong_to_their_workspace_only() {
    use gantry::domain::WorkspaceId;
    use gantry::domain::journal::{OutgoingWrite, WriteProgress};
    let room = tempfile::tempdir().unwrap();
    let store = gantry::store::Store::new(Some(room.path().join("desk.db")), chrono::Utc::now());
    let [ours, theirs] = [1, 2].map(|n| Some(WorkspaceId(uuid::Uuid::from_u128(n))));
    let body =
        Some(serde_json::json!({"signal_ids": [uuid::Uuid::from_u128(3)], "status": "done"}));
    let write = OutgoingWrite {
        id: uuid::Uuid::now_v7(),
        route: "POST /signals/triage".to_owned(),
        target: None,
        body,
    };
    let now = chrono::Utc::now();
    let journal = store.journal("https://a.example", ours);
    journal
        .record_sends(
            "test",
            chrono::Utc::now(),
            vec![(uuid::Uuid::now_v7(), write.clone())],
        )
        .await
        .unwrap();
    journal.record_outcome(write.id, WriteProgress::Unknown, None);
    assert_eq!(
        journal
            .saved_state(now, 9)
            .await
            .unwrap()
            .interrupted_triage
            .len(),
        1
    );
    for other in [
        store.journal("https://a.example", theirs),
        store.journal("https://b.example", ours),
    ] {
        assert!(
            other
                .saved_state(now, 9)
                .await
                .unwrap()
                .interrupted_triage
                .is_empty(),
            "another workspace, another service"
        );
    }
}

#[test]
fn a_corrupt_store_is_set_aside_and_reported_on_screen_and_at_exit() {
    let served = SpawnedService::start(&["--projects", "20"]);
    let known = || served.env.iter().filter(|(name, _)| *name != "PATH");
    let console = || {
        known()
            .fold(gantry_program(&[]), |program, (name, value)| {
                program.env(name, value)
            })
            .start()
    };
    let mut first = console().wait_for_text("as of");
    first.type_keys("q");
    assert_eq!(first.wait_for_exit(), 0);
    let state = served.home.path().join(".local/state/gantry");
    let is_store =
        |path: &std::path::PathBuf| path.extension().is_some_and(|ending| ending == "db");
    let file = std::fs::read_dir(&state)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(is_store)
        .unwrap();
    std::fs::write(
        &file,
        "this is no database, and was one before the disk broke",
    )
    .unwrap();
    let mut second = console().wait_for_text("was damaged");
    second.type_keys("j");
    second.wait_for("New 2 of");
    second.type_keys("q");
    assert_eq!(second.wait_for_exit(), 0);
    // Where its lines break depends on the length of the path.
    let all = second.all_output();
    let words: Vec<&str> = all.split_whitespace().collect();
    assert!(
        words.join(" ").contains("a new file was created"),
        "{}",
        second.text()
    );
    let mut third = console().wait_for_text("as of");
    third.type_keys("q");
    assert_eq!(third.wait_for_exit(), 0);
    assert!(!third.all_output().contains("damaged"), "once");
}

/// A console of a spawned service, with another token if there is one.
fn start_console(served: &SpawnedService, token: Option<&str>) -> TerminalSession {
    let known = served.env.iter().filter(|(name, _)| *name != "PATH");
    let program = known.fold(gantry_program(&[]), |program, (name, value)| {
        program.env(name, value)
    });
    match token {
        Some(token) => program.env("GANTRY_TOKEN", token),
        None => program,
    }
    .start()
    .wait_for_text("as of")
}

/// Leaves the screen, and the program.
fn quit(mut console: TerminalSession) {
    console.type_keys("qq");
    assert_eq!(console.wait_for_exit(), 0, "{}", console.text());
}

fn credits_spent(served: &SpawnedService) -> u64 {
    let output = served.run("gantry credits --json").stdout;
    serde_json::from_slice::<serde_json::Value>(&output).unwrap()["used"]
        .as_u64()
        .unwrap()
}

#[test]
fn the_book_of_an_earlier_session_costs_nothing_until_it_is_refreshed() {
    let served = SpawnedService::start(&["--projects", "40"]);
    let mut first = start_console(&served, None);
    first.type_keys("3");
    first.wait_for("Enter reads the first 50 rows");
    first.type_keys("\r");
    first.wait_for(" cr · read ");
    // Its status is set: a write of its own.
    first.type_keys("as");
    first.wait_for("Annotate ");
    first.type_keys("parked\x13\x13");
    first.wait_for("done:");
    quit(first);
    let spent = credits_spent(&served);

    let mut second = start_console(&served, None);
    second.type_keys("3");
    second.wait_for("R refresh costs");
    assert!(
        second.text().contains("parked"),
        "an own write shows in the saved row\n{}",
        second.text()
    );
    second.type_keys("2");
    second.wait_for("─ Saved ");
    second.type_keys("3");
    second.wait_for("R refresh costs");
    quit(second);
    assert_eq!(credits_spent(&served), spent);

    let ready: serde_json::Value =
        serde_json::from_slice(&std::fs::read(served.home.path().join("ready.json")).unwrap())
            .unwrap();
    let members = ready["workspaces"][0]["members"].as_array().unwrap();
    let colleague = members
        .iter()
        .find(|member| member["role"] != "owner")
        .unwrap()["access_token"]
        .as_str()
        .unwrap();
    let mut other = start_console(&served, Some(colleague));
    other.type_keys("3");
    other.wait_for("Enter reads the first 50 rows");
    quit(other);
    assert_eq!(
        credits_spent(&served),
        spent,
        "another token sees nothing of it and spends nothing"
    );

    let mut third = start_console(&served, None);
    third.type_keys("3");
    third.wait_for("R refresh costs");
    third.type_keys("R");
    third.wait_for(" cr · read ");
    quit(third);
    let after = credits_spent(&served);
    assert!(after > spent);

    // What is saved is shown and deleted from the command line.
    let rows_of = |kind: &str| {
        let rows: serde_json::Value =
            serde_json::from_slice(&served.run("gantry cache show --json").stdout).unwrap();
        rows.as_array()
            .unwrap()
            .iter()
            .find(|row| row["kind"] == kind)
            .unwrap()["rows"]
            .as_u64()
            .unwrap()
    };
    let journal = served.run("gantry log").stdout;
    assert!(rows_of("book_lists") > 0 && rows_of("view_lists") == 0);
    let said = String::from_utf8(served.run("gantry cache clear --lists").stdout).unwrap();
    assert!(
        said.starts_with("removed: book lists (") && said.contains("credits)"),
        "{said}"
    );
    assert_eq!(rows_of("book_lists"), 0);
    assert_eq!(served.run("gantry log").stdout, journal);
    assert!(!journal.is_empty());
    let mut fourth = start_console(&served, None);
    fourth.type_keys("3");
    fourth.wait_for("Enter reads the first 50 rows");
    quit(fourth);
    assert_eq!(credits_spent(&served), after);
}

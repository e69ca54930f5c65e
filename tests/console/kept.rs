//! What the console paid for is shown again after a restart, for nothing, until somebody asks anew.

use std::sync::Arc;

use gantry::app::effect::{RecordKey, ServiceCall};
use gantry::app::msg::Reply;
use gantry::config::{BackendLocation, Paths};
use gantry::domain::annotate::AnnotationWrite;
use gantry::domain::book::{Annotation, Dataset, RecordKind};
use gantry::domain::patch::Patch;
use gantry::runtime::ask::{Backend, CallContext};
use gantry::runtime::connect;
use gantry::service::{self, RunningService, ServiceOptions};

use crate::pty::gantry;
use crate::served::Served;

/// A service that runs by itself, and a home.
struct Desk {
    running: RunningService,
    home: tempfile::TempDir,
}

impl Desk {
    async fn new() -> Desk {
        let running = service::start(ServiceOptions { projects: 40, ..ServiceOptions::default() }).await.unwrap();
        Desk { running, home: tempfile::tempdir().unwrap() }
    }

    /// A console's way to the service; each is a run of the program.
    async fn console(&self) -> Arc<dyn Backend> {
        let home = self.home.path().display().to_string();
        let paths = Paths::from_env(&|name| (name == "HOME").then(|| home.clone()));
        let workspace = &self.running.startup_info().workspaces[0];
        let place = BackendLocation::Remote {
            label: "desk".to_owned(),
            base_url: self.running.base_url().to_owned(),
            token: workspace.members[0].access_token.clone().into(),
            workspace: Some(workspace.id.to_string()),
        };
        connect::connect_to_location(&paths, place, false).unwrap().await.unwrap().backend
    }
}

async fn ask(console: &Arc<dyn Backend>, call: ServiceCall) -> Reply {
    console.clone().call(call, CallContext { reason: "test", op: uuid::Uuid::nil() }).await.unwrap()
}

async fn used(console: &Arc<dyn Backend>) -> u64 {
    let Reply::Credits(credits, _) = ask(console, ServiceCall::Credits).await else { panic!("no credits") };
    credits.used.unwrap()
}

/// An account of the book.
async fn account(console: &Arc<dyn Backend>) -> RecordKey {
    let source = gantry::domain::search::RecordSource::Book(RecordKind::Accounts);
    let call = ServiceCall::Search { source, search: Default::default(), after: None, limit: 1 };
    let Reply::SearchPage(found) = ask(console, call).await else { panic!("nothing found") };
    RecordKey { dataset: Dataset::Accounts, id: found.rows[0].id, in_book: true }
}

/// Reads a record: whether it was kept.
async fn read(console: &Arc<dyn Backend>, key: &RecordKey, again: bool) -> bool {
    let Reply::Record { record, read_at, credits } =
        ask(console, ServiceCall::Record { key: key.clone(), bypass_cache: again }).await
    else {
        panic!("no record")
    };
    assert_eq!((record.id, credits), (key.id, Some(1)), "what it cost, now or then");
    read_at.is_some()
}

#[tokio::test]
async fn a_record_is_paid_for_once_whatever_is_restarted_until_it_is_asked_for_anew() {
    let desk = Desk::new().await;
    let console = desk.console().await;
    let key = account(&console).await;
    let before = used(&console).await;
    assert!(!read(&console, &key, false).await);
    console.close().await;

    let console = desk.console().await;
    assert!(read(&console, &key, false).await);
    assert_eq!(used(&console).await, before + 1, "the second time took nothing");
    assert!(!read(&console, &key, true).await);
    assert_eq!(used(&console).await, before + 2);
    console.close().await;
    desk.running.stop().await;
}

#[tokio::test]
async fn a_record_that_was_written_on_is_read_anew() {
    let desk = Desk::new().await;
    let console = desk.console().await;
    let key = account(&console).await;
    read(&console, &key, false).await;
    let annotation = Annotation { notes: Patch::Set("called".to_owned()), ..Annotation::default() };
    let write = gantry::app::effect::WriteRequest::Annotate {
        record_kind: RecordKind::Accounts,
        items: vec![AnnotationWrite::new_unchecked(key.id, annotation)],
    };
    ask(&console, ServiceCall::Write(write)).await;
    assert!(!read(&console, &key, false).await);
    console.close().await;
    desk.running.stop().await;
}

#[tokio::test]
async fn what_broke_off_in_one_workspace_is_nothing_to_another() {
    use gantry::domain::WorkspaceId;
    use gantry::domain::journal::{OutgoingWrite, WriteProgress};
    let room = tempfile::tempdir().unwrap();
    let store = gantry::store::Store::new(Some(room.path().join("desk.db")), chrono::Utc::now());
    let [ours, theirs] = [1, 2].map(|n| Some(WorkspaceId(uuid::Uuid::from_u128(n))));
    let body = Some(serde_json::json!({"signal_ids": [uuid::Uuid::from_u128(3)], "status": "done"}));
    let write = OutgoingWrite { id: uuid::Uuid::now_v7(), route: "POST /signals/triage".to_owned(), target: None, body };
    let now = chrono::Utc::now();
    let journal = store.journal("https://a.example", ours);
    journal.record_send(uuid::Uuid::now_v7(), "test", chrono::Utc::now(), write.clone()).await.unwrap();
    journal.record_outcome(write.id, WriteProgress::Unknown, None);
    assert_eq!(journal.saved_state(now, 9).await.unwrap().interrupted_triage.len(), 1);
    for other in [store.journal("https://a.example", theirs), store.journal("https://b.example", ours)] {
        assert!(other.saved_state(now, 9).await.unwrap().interrupted_triage.is_empty(), "another workspace, another service");
    }
}

#[test]
fn a_damaged_store_is_set_aside_and_said_on_the_screen_and_at_the_end_and_the_work_goes_on() {
    let served = Served::start(&["--projects", "20"]);
    let known = || served.env.iter().filter(|(name, _)| *name != "PATH");
    let console = || known().fold(gantry(&[]), |program, (name, value)| program.env(name, value)).start();
    let mut first = console().waited_for("as of");
    first.type_keys("q");
    assert_eq!(first.end(), 0);
    let state = served.home.path().join(".local/state/gantry");
    let is_store = |path: &std::path::PathBuf| path.extension().is_some_and(|ending| ending == "db");
    let file = std::fs::read_dir(&state).unwrap().map(|entry| entry.unwrap().path()).find(is_store).unwrap();
    std::fs::write(&file, "this is no database, and was one before the disk broke").unwrap();
    let mut second = console().waited_for("was damaged");
    second.type_keys("j");
    second.wait_for("New 2 of");
    second.type_keys("q");
    assert_eq!(second.end(), 0);
    assert!(second.all().contains("a new one begins"), "{}", second.text());
    let mut third = console().waited_for("as of");
    third.type_keys("q");
    assert_eq!(third.end(), 0);
    assert!(!third.all().contains("damaged"), "once");
}

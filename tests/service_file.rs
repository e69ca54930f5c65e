//! A service over a file: what stays, what does not, and what a crash cannot take (faults H; commandline: The local service).

#[path = "support/service.rs"]
mod support;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use gantry::service::{Data, Options};
use serde_json::{Value, json};
use support::{Caller, Desk};

fn over(path: &Path) -> Options {
    Options { data: Data::File(path.to_owned()), projects: 60, ..Options::default() }
}

async fn new_count(desk: &Desk) -> Value {
    desk.get(&desk.key(0).naming(desk.id(0)), "/signals/queue/stats").await.ok()["new_count"].clone()
}

#[tokio::test]
async fn a_file_that_holds_a_workspace_is_kept_as_it_is_and_its_secrets_are_new_at_each_start() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("desk.db");
    let first = Desk::with(over(&path)).await;
    let (old, workspace) = (first.key(0), first.id(0));
    let rows = first.get(&old.naming(&workspace), "/signals/queue?limit=3").await.ok();
    let ids: Vec<_> = rows["signals"].as_array().unwrap().iter().map(|row| row["id"].clone()).collect();
    let body = json!({"workspace_id": workspace, "signal_ids": ids, "status": "done"});
    first.post(&old, "/signals/triage", body).await.ok();
    let count = new_count(&first).await;
    first.service.stop().await;

    let again = Desk::with(Options { seed: 9, projects: 10, ..over(&path) }).await;
    assert_eq!((again.id(0), new_count(&again).await), (workspace, count));
    again.get(&old, "/workspace").await.refused(401, "unauthorized");
    again.service.stop().await;
}

#[tokio::test]
async fn no_secret_is_in_the_file_and_only_its_owner_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("desk.db");
    let desk = Desk::with(over(&path)).await;
    let secrets: Vec<String> = desk
        .ready()
        .workspaces
        .iter()
        .flat_map(|workspace| {
            let keys = workspace.api_keys.iter().map(|key| key.key.clone());
            keys.chain(workspace.members.iter().map(|member| member.access_token.clone())).collect::<Vec<_>>()
        })
        .collect();
    assert!(secrets.len() > 10);
    desk.service.stop().await;
    let bytes = std::fs::read(&path).unwrap();
    for secret in &secrets {
        assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()));
    }
    #[cfg(unix)]
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).unwrap().permissions()) & 0o777, 0o600);
}

#[tokio::test]
async fn as_of_shows_the_queue_of_then_and_hides_what_was_discovered_later() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("desk.db");
    let at = |text: &str| Some(text.parse().unwrap());
    let made = Desk::with(Options { as_of: at("2018-06-01T12:00:00Z"), ..over(&path) }).await;
    let count = new_count(&made).await;
    made.service.stop().await;

    let earlier = Desk::with(Options { as_of: at("2018-05-01T12:00:00Z"), ..over(&path) }).await;
    let key = earlier.key(0).naming(earlier.id(0));
    for path in ["/signals/queue?limit=200", "/signals?limit=200"] {
        let page = earlier.get(&key, path).await.ok();
        let rows = page["signals"].as_array().unwrap();
        assert!(
            !rows.is_empty() && rows.iter().all(|row| row["discovered_at"].as_str().unwrap() <= "2018-05-01T12:10"),
            "{path}"
        );
    }
    earlier.service.stop().await;

    let later = Desk::with(Options { as_of: at("2018-10-01T12:00:00Z"), ..over(&path) }).await;
    assert_eq!(new_count(&later).await, 0, "the history window has passed");
    later.service.stop().await;
    let again = Desk::with(Options { as_of: at("2018-06-01T12:00:00Z"), ..over(&path) }).await;
    assert_eq!(new_count(&again).await, count);
    again.service.stop().await;
}

#[tokio::test]
async fn the_ready_file_is_whole_and_private() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ready.json");
    let desk = Desk::with(Options { projects: 20, ready_file: Some(path.clone()), ..Options::default() }).await;
    let ready: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(ready["base_url"], desk.service.base_url());
    assert!(ready["base_url"].as_str().unwrap().ends_with("/api/v1"));
    let plans: Vec<_> = ready["workspaces"].as_array().unwrap().iter().map(|workspace| workspace["plan"].clone()).collect();
    assert_eq!(plans, ["pro", "pro", "starter", "free"]);
    assert_eq!(ready["workspaces"][0]["api_keys"][0]["scopes"], json!(["workspace:read", "workspace:write"]));
    assert_eq!(ready["workspaces"][0]["api_keys"][1]["scopes"], json!(["workspace:read"]));
    assert_eq!(ready["workspaces"][0]["members"][0]["role"], "owner");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left there");
    #[cfg(unix)]
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).unwrap().permissions()) & 0o777, 0o600);
}

/// The built program serving a file, killed when it is dropped.
struct Served {
    child: Child,
    ready: Value,
}

impl Served {
    fn start(folder: &Path) -> Served {
        let ready_file = folder.join("ready.json");
        let _ = std::fs::remove_file(&ready_file);
        let child = Command::new(env!("CARGO_BIN_EXE_gantry"))
            .args(["serve", "--listen", "127.0.0.1:0", "--projects", "40", "--data"])
            .arg(folder.join("desk.db"))
            .arg("--ready-file")
            .arg(&ready_file)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let limit = Instant::now() + Duration::from_secs(60);
        let ready = loop {
            if let Ok(bytes) = std::fs::read(&ready_file) {
                break serde_json::from_slice(&bytes).unwrap();
            }
            assert!(Instant::now() < limit, "not ready in time");
            std::thread::yield_now();
        };
        Served { child, ready }
    }

    fn caller(&self) -> (Caller, String) {
        let workspace = &self.ready["workspaces"][0];
        let id = workspace["id"].as_str().unwrap().to_owned();
        let secret = workspace["api_keys"][0]["key"].as_str().map(str::to_owned);
        (Caller { secret, workspace: Some(id.clone()) }, id)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test]
async fn after_kill_9_every_answered_write_is_there_and_none_is_half_done() {
    let folder = tempfile::tempdir().unwrap();
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let mut done: Vec<String> = Vec::new();
    for _ in 0..3 {
        let mut served = Served::start(folder.path());
        let base = served.ready["base_url"].as_str().unwrap().to_owned();
        let (caller, workspace) = served.caller();
        let secret = caller.secret.unwrap();
        let url = format!("{base}/signals/queue?workspace_id={workspace}&limit=200");
        let page: Value = http.get(url).bearer_auth(&secret).send().await.unwrap().json().await.unwrap();
        let status: std::collections::BTreeMap<String, Value> = page["signals"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| (row["id"].as_str().unwrap().to_owned(), row["triage_status"].clone()))
            .collect();
        assert!(done.iter().all(|id| status.get(id).is_none_or(|status| status == "done")), "an answered write is gone");
        let open: Vec<String> = status.into_iter().filter(|(_, status)| status == "new").map(|(id, _)| id).collect();
        let acks = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let writers: Vec<_> = open
            .chunks(8)
            .map(|chunk| {
                let (http, acks, base, secret, workspace) =
                    (http.clone(), acks.clone(), base.clone(), secret.clone(), workspace.clone());
                let chunk = chunk.to_vec();
                tokio::spawn(async move {
                    for id in chunk {
                        let body = json!({"workspace_id": workspace, "signal_ids": [id], "status": "done"});
                        let sent = http.post(format!("{base}/signals/triage")).bearer_auth(&secret).json(&body).send().await;
                        if sent.is_ok_and(|answer| answer.status() == 200) {
                            acks.lock().unwrap().push(id);
                        }
                    }
                })
            })
            .collect();
        while acks.lock().unwrap().len() < 5 {
            tokio::task::yield_now().await;
        }
        served.child.kill().unwrap(); // SIGKILL
        for writer in writers {
            writer.await.unwrap();
        }
        done.append(&mut acks.lock().unwrap());
    }
    assert!(done.len() >= 15);
    let conn = rusqlite::Connection::open(folder.path().join("desk.db")).unwrap();
    let sound: String = conn.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
    let counted = "SELECT count(*) FROM (SELECT workspace_id, signal_type, status, count(*) n FROM queue GROUP BY 1, 2, 3) q
        FULL JOIN (SELECT * FROM queue_counts WHERE signals > 0) c USING (workspace_id, signal_type, status) WHERE n IS NOT signals";
    assert_eq!(conn.query_row(counted, [], |row| row.get::<_, i64>(0)).unwrap(), 0, "the counts are those of the queue");
}

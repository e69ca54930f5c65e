//! kill -9 during writes: confirmed writes are stored, and nothing is stored partially (faults H
//! 109 and 110).
//!
//! `GANTRY_KILLS` sets the number of kills (20 by default).

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use reqwest::Client;
use serde_json::{Value, json};

/// The built program serving a file; killed when dropped.
struct KillableService {
    child: Child,
    base_url: String,
    secret: String,
    workspace: String,
    http: Client,
}

impl KillableService {
    fn start(folder: &Path) -> KillableService {
        let ready_file = folder.join("ready.json");
        let _ = std::fs::remove_file(&ready_file);
        let child = Command::new(env!("CARGO_BIN_EXE_gantry"))
            .args([
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--projects",
                "40",
                "--data",
            ])
            .arg(folder.join("desk.db"))
            .arg("--ready-file")
            .arg(&ready_file)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let limit = Instant::now() + Duration::from_secs(60);
        let ready: Value = loop {
            if let Ok(bytes) = std::fs::read(&ready_file) {
                break serde_json::from_slice(&bytes).unwrap();
            }
            assert!(Instant::now() < limit, "not ready in time");
            std::thread::yield_now();
        };
        let word = |pointer: &str| {
            ready
                .pointer(pointer)
                .and_then(Value::as_str)
                .unwrap()
                .to_owned()
        };
        let _ = rustls::crypto::ring::default_provider().install_default();
        KillableService {
            child,
            base_url: word("/base_url"),
            secret: word("/workspaces/0/api_keys/0/key"),
            workspace: word("/workspaces/0/id"),
            http: Client::builder().no_proxy().build().unwrap(),
        }
    }

    async fn get(&self, path: &str) -> Value {
        let joint = if path.contains('?') { '&' } else { '?' };
        let url = format!(
            "{}{path}{joint}workspace_id={}",
            self.base_url, self.workspace
        );
        self.http
            .get(url)
            .bearer_auth(&self.secret)
            .send()
            .await
            .unwrap()
            .json()
            .await
            .unwrap()
    }

    async fn account_ids(&self) -> Vec<String> {
        let feed = self.get("/signals?limit=40").await;
        let mut accounts = Vec::new();
        for row in feed["signals"].as_array().unwrap().iter().step_by(4) {
            let project = self
                .get(&format!(
                    "/data/projects/{}?include=accounts",
                    row["project_id"].as_str().unwrap()
                ))
                .await;
            let here = project["data"]["accounts"].as_array().unwrap().iter();
            accounts.extend(here.map(|account| account["id"].as_str().unwrap().to_owned()));
        }
        accounts.sort();
        accounts.dedup();
        accounts
    }

    async fn post(http: &Client, base: &str, secret: &str, path: &str, body: &Value) -> bool {
        let sent = http
            .post(format!("{base}{path}"))
            .bearer_auth(secret)
            .json(body)
            .send()
            .await;
        sent.is_ok_and(|answer| answer.status() == 200)
    }
}

impl Drop for KillableService {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What was confirmed to the writers, and what they sent last.
#[derive(Default)]
struct AcknowledgedWrites {
    triaged: Vec<String>,
    acknowledged_batch: u64,
    sent_batch: u64,
}

#[expect(clippy::await_holding_lock, reason = "no writer runs during the check")]
#[tokio::test(flavor = "multi_thread")]
async fn kill_9_keeps_every_acknowledged_write_and_no_partial_one() {
    let kills: u64 = std::env::var("GANTRY_KILLS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(20);
    let folder = tempfile::tempdir().unwrap();
    let accounts = KillableService::start(folder.path()).account_ids().await;
    assert!(accounts.len() > 10);
    let writes = Arc::new(Mutex::new(AcknowledgedWrites::default()));
    for kill in 0..kills {
        let mut served = KillableService::start(folder.path());
        assert_acknowledged_writes(&served, &accounts, &writes.lock().unwrap()).await;
        let writers = [
            tokio::spawn(triage_until_killed(&served, writes.clone()).await),
            tokio::spawn(upsert_until_killed(
                &served,
                accounts.clone(),
                writes.clone(),
            )),
        ];
        let before = writes.lock().unwrap().acknowledged_batch;
        let limit = Instant::now() + Duration::from_secs(30);
        // somewhere in the middle: after a few responses to either, a few more each time
        loop {
            let writes = writes.lock().unwrap();
            if writes.acknowledged_batch > before + kill % 3 {
                break;
            }
            assert!(Instant::now() < limit, "no request was answered");
            drop(writes);
            tokio::task::yield_now().await;
        }
        served.child.kill().unwrap(); // SIGKILL
        served.child.wait().unwrap();
        for writer in writers {
            writer.await.unwrap();
        }
    }
    assert_acknowledged_writes(
        &KillableService::start(folder.path()),
        &accounts,
        &writes.lock().unwrap(),
    )
    .await;
    let conn = rusqlite::Connection::open(folder.path().join("desk.db")).unwrap();
    let sound: String = conn
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(sound, "ok");
    let counted = "SELECT count(*) FROM (SELECT workspace_id, signal_type, status, count(*) n FROM queue GROUP BY 1, 2, 3) q
        FULL JOIN (SELECT * FROM queue_counts WHERE signals > 0) c USING (workspace_id, signal_type, status) WHERE n IS NOT signals";
    assert_eq!(
        conn.query_row(counted, [], |row| row.get::<_, i64>(0))
            .unwrap(),
        0,
        "the counts match the queue"
    );
}

/// Triages new signals, a few at a time, until the service is gone.
async fn triage_until_killed(
    served: &KillableService,
    writes: Arc<Mutex<AcknowledgedWrites>>,
) -> impl Future<Output = ()> + use<> {
    let page = served.get("/signals/queue?limit=200&status=new").await;
    let ids: Vec<String> = page["signals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["id"].as_str().unwrap().to_owned())
        .collect();
    let (http, base, secret, workspace) = (
        served.http.clone(),
        served.base_url.clone(),
        served.secret.clone(),
        served.workspace.clone(),
    );
    async move {
        for part in ids.chunks(2) {
            let body = json!({"workspace_id": workspace, "signal_ids": part, "status": "done"});
            if !KillableService::post(&http, &base, &secret, "/signals/triage", &body).await {
                return;
            }
            writes.lock().unwrap().triaged.extend(part.iter().cloned());
        }
    }
}

/// Writes a number to all accounts in a batch, then the next number, until the service is gone.
fn upsert_until_killed(
    served: &KillableService,
    accounts: Vec<String>,
    writes: Arc<Mutex<AcknowledgedWrites>>,
) -> impl Future<Output = ()> + use<> {
    let (http, base, secret) = (
        served.http.clone(),
        served.base_url.clone(),
        served.secret.clone(),
    );
    async move {
        loop {
            let number = {
                let mut writes = writes.lock().unwrap();
                writes.sent_batch += 1;
                writes.sent_batch
            };
            let inputs: Vec<Value> = accounts
                .iter()
                .map(|id| json!({"account_id": id, "workspace_status": number.to_string(), "notes": number.to_string()}))
                .collect();
            if !KillableService::post(
                &http,
                &base,
                &secret,
                "/workspace/accounts/upsert/batch",
                &json!({ "inputs": inputs }),
            )
            .await
            {
                return;
            }
            writes.lock().unwrap().acknowledged_batch = number;
        }
    }
}

async fn assert_acknowledged_writes(
    served: &KillableService,
    accounts: &[String],
    writes: &AcknowledgedWrites,
) {
    let mut status = BTreeMap::new();
    for offset in [0, 200, 400, 600] {
        let page = served
            .get(&format!("/signals/queue?limit=200&offset={offset}"))
            .await;
        for row in page["signals"].as_array().unwrap() {
            status.insert(
                row["id"].as_str().unwrap().to_owned(),
                row["triage_status"] == "done",
            );
        }
    }
    assert!(
        writes
            .triaged
            .iter()
            .all(|id| status.get(id).is_none_or(|done| *done)),
        "a confirmed triage is lost"
    );
    if writes.acknowledged_batch == 0 {
        return;
    }
    let mut numbers = Vec::new();
    for id in accounts {
        let record = served.get(&format!("/workspace/accounts/{id}")).await["data"].clone();
        assert_eq!(
            record["workspace_status"], record["notes"],
            "a partially written item"
        );
        numbers.push(
            record["workspace_status"]
                .as_str()
                .unwrap()
                .parse::<u64>()
                .unwrap(),
        );
    }
    numbers.dedup();
    assert_eq!(numbers.len(), 1, "a partially written batch: {numbers:?}");
    let (answered, sent) = (writes.acknowledged_batch, writes.sent_batch);
    assert!(
        (answered..=sent).contains(&numbers[0]),
        "{answered} confirmed, {} stored, {sent} sent",
        numbers[0]
    );
}

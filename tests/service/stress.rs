//! Instances on one PostgreSQL database that are killed and restarted while many clients write,
//! search and get mail.
//!
//! `GANTRY_MINUTES=10 cargo test --test service killed_instances -- --ignored --nocapture` runs it
//! for ten minutes and prints figures.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use gantry::service::db::sql::ToSql;
use gantry::service::{MailDestination, ServiceOptions, Storage};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::smtp_server::FakeSmtpServer;
use crate::support::test_database::{
    create_postgres_database, temporary_cluster::temporary_cluster, with_connection,
};

const CLIENTS: usize = 64;
const INSTANCES: usize = 2;
/// The variables by which an instance knows its database, its mail server and where to write its
/// ready file.
const INSTANCE_VARIABLES: [&str; 3] = [
    "GANTRY_INSTANCE_DATABASE",
    "GANTRY_INSTANCE_MAIL",
    "GANTRY_INSTANCE_READY_FILE",
];

/// An instance: the process that [`Instance::start`] runs, until it is killed.
#[tokio::test]
#[ignore = "it is a process of the test below"]
async fn serve_an_instance() {
    let [Ok(database), Ok(mail), Ok(ready)] = INSTANCE_VARIABLES.map(std::env::var) else {
        return;
    };
    let _ = rustls::crypto::ring::default_provider().install_default();
    let options = ServiceOptions {
        data: Storage::Postgres(Box::new(database.parse().unwrap())),
        projects: 2000,
        mail: Some(MailDestination::Smtp(mail)),
        mail_interval: Duration::from_millis(200),
        ready_file: Some(PathBuf::from(ready)),
        ..ServiceOptions::default()
    };
    let _service = gantry::service::start(options).await.unwrap();
    std::future::pending::<()>().await;
}

struct Instance {
    process: Child,
    ready: Value,
}

impl Instance {
    async fn start(database: &str, mail: &str, folder: &Path) -> Instance {
        let ready_file = folder.join(format!("{}.json", Uuid::new_v4()));
        let values = [database, mail, &ready_file.display().to_string()].map(str::to_owned);
        let mut instance = Instance {
            process: Command::new(std::env::current_exe().unwrap())
                .args(["--ignored", "--exact", "stress::serve_an_instance"])
                .envs(INSTANCE_VARIABLES.into_iter().zip(values))
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap(),
            ready: Value::Null,
        };
        for _ in 0..3000 {
            if let Ok(bytes) = std::fs::read(&ready_file) {
                instance.ready = serde_json::from_slice(&bytes).unwrap();
                return instance;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the instance is not ready in time");
    }

    fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What the clients share.
struct Team {
    http: reqwest::Client,
    /// The instances that run, by number.
    urls: Mutex<Vec<Option<String>>>,
    keys: Vec<String>,
    workspaces: Vec<String>,
    counts: Mutex<BTreeMap<&'static str, u64>>,
    /// Credits of the searches that were answered, and of those whose connection was lost.
    charged: [AtomicU64; 2],
    unknown: [AtomicU64; 2],
    slowest: AtomicU64,
    stop: CancellationToken,
}

impl Team {
    fn count(&self, what: &'static str) {
        *self.counts.lock().unwrap().entry(what).or_default() += 1;
    }

    /// Sends a request to an instance; `None` if it was not answered.
    async fn send(
        &self,
        workspace: usize,
        nth: usize,
        path: &str,
        body: Value,
        key: Option<&str>,
    ) -> Option<(u16, Value)> {
        let running: Vec<String> = self
            .urls
            .lock()
            .unwrap()
            .iter()
            .flatten()
            .cloned()
            .collect();
        let Some(url) = running.get(nth % running.len().max(1)) else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            return None;
        };
        let mut request = self
            .http
            .post(format!("{url}{path}"))
            .bearer_auth(&self.keys[workspace])
            .json(&body);
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        let began = Instant::now();
        let response = request.send().await.ok()?;
        let status = response.status().as_u16();
        let body = response.json().await.ok()?;
        self.slowest
            .fetch_max(began.elapsed().as_millis() as u64, Ordering::Relaxed);
        assert!(matches!(status, 200 | 503), "{path} {status} {body}");
        Some((status, body))
    }

    /// Repeats a write until it is acknowledged, at one instance or another.
    async fn write(
        &self,
        workspace: usize,
        first: usize,
        what: &'static str,
        path: &str,
        body: Value,
        key: Option<&str>,
    ) -> Value {
        for nth in first.. {
            match self.send(workspace, nth, path, body.clone(), key).await {
                Some((200, answer)) => {
                    self.count(what);
                    return answer;
                }
                Some(_) => self.count("busy"),
                None => self.count("unanswered"),
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        unreachable!()
    }
}

/// What a client was told.
#[derive(Default)]
struct Acknowledged {
    is_done: BTreeMap<String, bool>,
    notes: BTreeMap<String, String>,
    skills: BTreeSet<String>,
}

/// Works on signals and projects that are nobody else's, and searches, until the team stops.
async fn work(
    team: Arc<Team>,
    nth: usize,
    signals: Vec<String>,
    projects: Vec<String>,
) -> Acknowledged {
    let (workspace, mut known) = (nth % 2, Acknowledged::default());
    for turn in 0usize.. {
        if team.stop.is_cancelled() {
            break;
        }
        let done = turn.is_multiple_of(2);
        let body = json!({"workspace_id": team.workspaces[workspace], "signal_ids": signals, "status": if done { "done" } else { "new" }});
        team.write(
            workspace,
            nth + turn,
            "triages",
            "/signals/triage",
            body,
            None,
        )
        .await;
        known
            .is_done
            .extend(signals.iter().map(|id| (id.clone(), done)));
        let (project, note) = (
            projects[turn % projects.len()].clone(),
            format!("client {nth}, turn {turn}"),
        );
        let body = json!({"project_id": project, "notes": note});
        team.write(
            workspace,
            nth + turn,
            "annotations",
            "/workspace/projects/upsert",
            body,
            None,
        )
        .await;
        known.notes.insert(project, note);
        if turn.is_multiple_of(10) {
            let name = format!("Stress {nth} {turn}");
            let body = json!({"name": name, "description": "One of many", "files": [{"path": "SKILL.md", "content": "# One\n"}]});
            team.write(
                workspace,
                nth + turn,
                "Skills",
                "/workspace/skills/create",
                body,
                Some(&format!("{nth}-{turn}")),
            )
            .await;
            known.skills.insert(name);
        }
        let body = json!({"filters": {"name": {"value": "tower"}}, "limit": 3, "offset": turn % 5});
        match team
            .send(
                workspace,
                nth + turn + 1,
                "/data/projects/search",
                body,
                None,
            )
            .await
        {
            Some((200, found)) => {
                team.count("searches");
                team.charged[workspace].fetch_add(
                    found["metadata"]["credits"].as_u64().unwrap(),
                    Ordering::Relaxed,
                );
            }
            Some(_) => team.count("busy"),
            None => {
                team.count("unanswered");
                team.unknown[workspace].fetch_add(3, Ordering::Relaxed);
            }
        }
    }
    known
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "it takes minutes"]
#[allow(clippy::print_stderr, reason = "it reports figures")]
async fn killed_instances_lose_nothing_and_write_nothing_twice() {
    let given = std::env::var("GANTRY_TEST_DATABASE").ok();
    let Some(server) = given.or_else(|| temporary_cluster().map(str::to_owned)) else {
        eprintln!("not run: PostgreSQL is not installed");
        return;
    };
    let minutes = std::env::var("GANTRY_MINUTES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0.5);
    let config = create_postgres_database(&server.parse().unwrap(), None);
    // the same address with another database
    let database = format!(
        "{}/{}",
        server.rsplit_once('/').unwrap().0,
        config.get_dbname().unwrap()
    );
    let (folder, smtp) = (tempfile::tempdir().unwrap(), FakeSmtpServer::start().await);
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut instances = Vec::new();
    for _ in 0..INSTANCES {
        instances.push(Instance::start(&database, &smtp.url(), folder.path()).await);
    }
    let ready = instances[0].ready.clone();
    let text = |pointer: String| {
        ready
            .pointer(&pointer)
            .and_then(Value::as_str)
            .unwrap()
            .to_owned()
    };
    let team = Arc::new(Team {
        http: reqwest::Client::builder()
            .no_proxy()
            .tls_certs_only([])
            .timeout(Duration::from_secs(40))
            .build()
            .unwrap(),
        urls: Mutex::new(
            instances
                .iter()
                .map(|instance| Some(url_of(instance)))
                .collect(),
        ),
        keys: (0..2)
            .map(|nth| text(format!("/workspaces/{nth}/api_keys/0/key")))
            .collect(),
        workspaces: (0..2)
            .map(|nth| text(format!("/workspaces/{nth}/id")))
            .collect(),
        counts: Mutex::default(),
        charged: Default::default(),
        unknown: Default::default(),
        slowest: AtomicU64::new(0),
        stop: CancellationToken::new(),
    });
    let members = ready["workspaces"][0]["members"].as_array().unwrap().len();
    let workspaces: Vec<Uuid> = team
        .workspaces
        .iter()
        .map(|id| id.parse().unwrap())
        .collect();
    let subscribe = "UPDATE subscriptions SET channels = CASE WHEN workspace_id = ?1 AND signal_type = 'permit_filed' THEN '[\"email\"]' ELSE '[]' END,
        notify_all_members = true";
    with_connection(&config, |conn| {
        conn.execute(subscribe, [workspaces[0]]).unwrap()
    });
    let ids = |sql: &str, of: Uuid| -> Vec<String> {
        with_connection(&config, |conn| {
            let mut rows = conn.prepare(sql).unwrap();
            rows.query_map([of], |row| row.get::<_, Uuid>(0))
                .unwrap()
                .map(|id| id.unwrap().to_string())
                .collect()
        })
    };
    let queues: Vec<Vec<String>> = workspaces
        .iter()
        .map(|id| {
            ids(
                "SELECT signal_id FROM queue WHERE workspace_id = ?1 ORDER BY signal_id",
                *id,
            )
        })
        .collect();
    let projects = ids(
        "SELECT id FROM projects WHERE id <> ?1 ORDER BY id",
        Uuid::nil(),
    );
    let used = |of: Uuid| -> u64 {
        let sum = "SELECT CAST(sum(credits) AS BIGINT) FROM spending WHERE workspace_id = ?1";
        with_connection(&config, |conn| {
            conn.query_row(sum, [of], |row| row.get::<_, i64>(0))
                .unwrap()
        }) as u64
    };
    let used_before: Vec<u64> = workspaces.iter().map(|id| used(*id)).collect();

    let share = |all: &[String], nth: usize| {
        all.iter()
            .skip(nth)
            .step_by(CLIENTS)
            .take(8)
            .cloned()
            .collect::<Vec<_>>()
    };
    let clients: Vec<_> = (0..CLIENTS)
        .map(|nth| {
            tokio::spawn(work(
                team.clone(),
                nth,
                share(&queues[nth % 2], nth),
                share(&projects, nth),
            ))
        })
        .collect();
    let end = Instant::now() + Duration::from_secs_f64(60.0 * minutes);
    let (mut kills, mut rounds) = (0, 0);
    while Instant::now() < end {
        let now = chrono::Utc::now().timestamp_millis();
        with_connection(&config, |conn| {
            let copy = "INSERT INTO signals (id, project_id, source_id, signal_type, filed_at, discovered_at, source_filing_id)
                SELECT ?1, project_id, source_id, 'permit_filed', ?2, ?2, ?3 FROM signals ORDER BY rowid LIMIT 1";
            let values: &[&dyn ToSql] = &[&Uuid::new_v4(), &now, &format!("ROUND{rounds:05}")];
            let tx = conn.begin_write().unwrap();
            tx.execute(copy, values).unwrap();
            tx.commit().unwrap();
        });
        rounds += 1;
        tokio::time::sleep(Duration::from_secs(4)).await;
        let victim = kills % INSTANCES;
        team.urls.lock().unwrap()[victim] = None;
        instances[victim].kill();
        kills += 1;
        instances[victim] = Instance::start(&database, &smtp.url(), folder.path()).await;
        team.urls.lock().unwrap()[victim] = Some(url_of(&instances[victim]));
    }
    team.stop.cancel();
    let mut known: Vec<Acknowledged> = Vec::new();
    for client in clients {
        known.push(client.await.unwrap());
    }

    let open_mails = || {
        with_connection(&config, |conn| {
            conn.query_row(
                "SELECT count(*) FROM mails WHERE ended_at IS NULL",
                [],
                |row| row.get::<_, i64>(0),
            )
            .unwrap()
        })
    };
    let patience = Instant::now() + Duration::from_secs(360);
    while open_mails() > 0 && Instant::now() < patience {
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    let done: [BTreeSet<String>; 2] = [0, 1].map(|nth| {
        ids(
            "SELECT signal_id FROM triage WHERE workspace_id = ?1",
            workspaces[nth],
        )
        .into_iter()
        .collect()
    });
    let pairs = |sql: &str, of: Uuid| -> Vec<(String, String)> {
        with_connection(&config, |conn| {
            let mut rows = conn.prepare(sql).unwrap();
            rows.query_map([of], |row| {
                Ok((row.get::<_, Uuid>(0)?.to_string(), row.get(1)?))
            })
            .unwrap()
            .map(Result::unwrap)
            .collect()
        })
    };
    for (nth, known) in known.iter().enumerate() {
        for (signal, is_done) in &known.is_done {
            assert_eq!(
                done[nth % 2].contains(signal),
                *is_done,
                "client {nth}, signal {signal}"
            );
        }
    }
    for (of, workspace) in workspaces.iter().enumerate() {
        let mine = || known.iter().skip(of).step_by(2);
        let notes: BTreeMap<String, String> = pairs(
            "SELECT record_id, notes FROM book WHERE workspace_id = ?1 AND notes IS NOT NULL",
            *workspace,
        )
        .into_iter()
        .collect();
        mine()
            .flat_map(|known| &known.notes)
            .for_each(|(project, note)| assert_eq!(notes.get(project), Some(note)));
        let mut skills: Vec<String> = pairs(
            "SELECT id, name FROM skills WHERE workspace_id = ?1 AND name LIKE 'Stress %'",
            *workspace,
        )
        .into_iter()
        .map(|(_, name)| name)
        .collect();
        skills.sort();
        let expected: Vec<String> = mine()
            .flat_map(|known| known.skills.iter().cloned())
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        assert_eq!(skills, expected, "each Skill is created once");
        let (charged, unknown) = (
            team.charged[of].load(Ordering::Relaxed),
            team.unknown[of].load(Ordering::Relaxed),
        );
        let used = used(*workspace) - used_before[of];
        assert!(
            (charged..=charged + unknown).contains(&used),
            "{used} credits were charged, of {charged} and up to {unknown} more"
        );
        eprintln!(
            "workspace {of}: {used} credits charged, {charged} for answered searches, at most {unknown} for others"
        );
        let counts = "SELECT count(*) FROM queue_counts c WHERE workspace_id = ?1 AND signals <>
            (SELECT count(*) FROM queue q WHERE (q.workspace_id, q.signal_type, q.status) = (c.workspace_id, c.signal_type, c.status))";
        assert_eq!(
            with_connection(&config, |conn| conn
                .query_row(counts, [*workspace], |row| row.get::<_, i64>(0))
                .unwrap()),
            0
        );
    }
    let mails: Vec<(String, String)> = smtp
        .received()
        .iter()
        .flat_map(|mail| {
            let text = mail.text.replace("=\r\n", "");
            let rounds: Vec<_> = text
                .match_indices("ROUND")
                .map(|(at, _)| text[at..].chars().take(10).collect::<String>())
                .collect();
            rounds
                .into_iter()
                .collect::<BTreeSet<_>>()
                .into_iter()
                .map(|round| (mail.to.clone(), round))
                .collect::<Vec<_>>()
        })
        .collect();
    let sent: BTreeSet<_> = mails.iter().cloned().collect();
    let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
    let deadlocks: i64 = with_connection(&config, |conn| {
        conn.query_row(deadlocks, [], |row| row.get(0)).unwrap()
    });
    let counts = team.counts.lock().unwrap().clone();
    eprintln!(
        "{minutes} minutes, {CLIENTS} clients, {kills} kills: {counts:?}, slowest {} ms, deadlocks {deadlocks}",
        team.slowest.load(Ordering::Relaxed)
    );
    eprintln!(
        "{} signals told to {members} members: {} mails of them arrived, {} twice",
        rounds,
        sent.len(),
        mails.len() - sent.len()
    );
    assert_eq!(deadlocks, 0);
    assert_eq!(open_mails(), 0);
    assert_eq!(sent.len(), rounds * members, "no mail is lost");
    assert!(
        mails.len() - sent.len() <= kills,
        "only a kill between the server's acceptance and our mark repeats a mail"
    );
}

fn url_of(instance: &Instance) -> String {
    instance.ready["base_url"].as_str().unwrap().to_owned()
}

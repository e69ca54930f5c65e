//! Two instances behind a balancer, as docs/operating.md describes them: colleagues do not notice
//! that one is replaced.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead as _;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use gantry::client::{Client, Endpoint, data};
use gantry::domain::SignalId;
use gantry::domain::book::Dataset;
use gantry::domain::queue::{QueueFilter, TriageStatus};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::balancer::Balancer;
use crate::support::test_database::{create_postgres_database, database_url, postgres_server};

/// How long the clients may take for a few requests.
const LIMIT: Duration = Duration::from_secs(120);
/// How many colleagues work at the same time.
const COLLEAGUES: usize = 4;
/// How many signals each of them has.
const SIGNALS_EACH: usize = 5;

/// `gantry serve` on the database, on a free port; killed when dropped.
struct Instance {
    process: Child,
    address: SocketAddr,
    ready: Value,
}

impl Instance {
    fn start(database: &str, folder: &Path) -> Instance {
        let ready_file = folder.join("ready.json");
        let mut process = Command::new(env!("CARGO_BIN_EXE_gantry"))
            .args([
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--projects",
                "200",
                "--ready-file",
            ])
            .arg(&ready_file)
            .env("GANTRY_DATABASE_URL", database)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // it prints its address once it is ready
        let mut base_url = String::new();
        std::io::BufReader::new(process.stdout.take().unwrap())
            .read_line(&mut base_url)
            .unwrap();
        let address = base_url
            .trim_start_matches("http://")
            .split('/')
            .next()
            .unwrap()
            .parse()
            .unwrap();
        let ready = serde_json::from_slice(&std::fs::read(ready_file).unwrap()).unwrap();
        Instance {
            process,
            address,
            ready,
        }
    }

    /// Asks it to stop, and waits until it has answered its requests.
    fn stop(&mut self) {
        let asked = Command::new("kill")
            .args(["-TERM", &self.process.id().to_string()])
            .status();
        assert!(asked.unwrap().success());
        assert!(self.process.wait().unwrap().success());
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

/// The turns of all colleagues, as they end.
struct Turns(mpsc::UnboundedReceiver<usize>);

impl Turns {
    /// Waits until every colleague has done this many more turns.
    async fn wait_for_more(&mut self, more: usize) {
        while self.0.try_recv().is_ok() {}
        let mut done = [0; COLLEAGUES];
        while done.iter().any(|turns| *turns < more) {
            let next = tokio::time::timeout(LIMIT, self.0.recv()).await;
            done[next
                .expect("the colleagues are not stuck")
                .expect("they work")] += 1;
        }
    }
}

/// Lists, searches and triages until the end, and returns the status of the signals as it was
/// acknowledged last.
async fn work(
    client: Client,
    nth: usize,
    signals: Vec<SignalId>,
    turns: mpsc::UnboundedSender<usize>,
    stop: CancellationToken,
) -> BTreeMap<SignalId, TriageStatus> {
    let mut acknowledged = BTreeMap::new();
    while !stop.is_cancelled() {
        for status in [TriageStatus::Done, TriageStatus::New] {
            client
                .triage(&signals, &status)
                .await
                .unwrap_or_else(|error| panic!("triage: {error:?}"));
            acknowledged.extend(signals.iter().map(|id| (*id, status.clone())));
            client
                .queue(&QueueFilter::default(), 0, 50)
                .await
                .unwrap_or_else(|error| panic!("queue: {error:?}"));
            let search = data::search(&Dataset::Projects, &Default::default());
            client
                .fetch_rows::<Value>(search)
                .await
                .unwrap_or_else(|error| panic!("search: {error:?}"));
            turns.send(nth).unwrap();
            if stop.is_cancelled() {
                break;
            }
        }
    }
    acknowledged
}

async fn done_signals(client: &Client) -> BTreeSet<SignalId> {
    let filter = QueueFilter {
        status: [TriageStatus::Done].into(),
        ..QueueFilter::default()
    };
    let mut done = BTreeSet::new();
    loop {
        let page = client
            .queue(&filter, u32::try_from(done.len()).unwrap(), 200)
            .await
            .unwrap()
            .value;
        if page.rows.is_empty() {
            return done;
        }
        done.extend(page.rows.iter().map(|row| row.signal.id));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn colleagues_and_a_wall_behind_a_balancer_do_not_notice_that_instances_are_replaced() {
    let Some(server) = postgres_server() else {
        return; // it runs with the other tests on PostgreSQL
    };
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = tempfile::tempdir().unwrap();
    let config = create_postgres_database(&server, None);
    let database = database_url(&config);
    let mut instances = [0, 1].map(|_| Instance::start(&database, folder.path()));
    let balancer =
        Balancer::start(instances.iter().map(|instance| instance.address).collect()).await;
    let base_url = format!("http://{}/api/v1", balancer.address);
    let workspace = &instances[0].ready["workspaces"][0];
    let [token, id] = ["/members/0/access_token", "/id"]
        .map(|at| workspace.pointer(at).unwrap().as_str().unwrap().to_owned());
    let client = || {
        let (base_url, token) = (base_url.clone(), token.clone().into());
        Client::new(Endpoint {
            base_url,
            token,
            workspace: id.parse().ok(),
            certificate: None,
        })
        .unwrap()
    };

    let mut wall = tokio::process::Command::new(env!("CARGO_BIN_EXE_gantry"))
        .args([
            "watch",
            "--plain",
            "--poll",
            "10s",
            "--base-url",
            &base_url,
            "--workspace",
            &id,
        ])
        .env("GANTRY_TOKEN", &token)
        .env("HOME", folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut counts = BufReader::new(wall.stdout.take().unwrap()).lines();
    let mut next_counts = async || {
        tokio::time::timeout(LIMIT, counts.next_line())
            .await
            .unwrap()
            .unwrap()
            .unwrap()
    };
    assert!(next_counts().await.contains("  done "));

    let filter = QueueFilter {
        status: [TriageStatus::New].into(),
        ..QueueFilter::default()
    };
    let queue = client().queue(&filter, 0, 200).await.unwrap().value;
    let ids: Vec<SignalId> = queue.rows.iter().map(|row| row.signal.id).collect();
    assert!(ids.len() > COLLEAGUES * SIGNALS_EACH, "{}", ids.len());
    let ((sender, receiver), stop) = (mpsc::unbounded_channel(), CancellationToken::new());
    let mut turns = Turns(receiver);
    let colleagues: Vec<_> = ids
        .chunks(SIGNALS_EACH)
        .take(COLLEAGUES)
        .enumerate()
        .map(|(nth, signals)| {
            tokio::spawn(work(
                client(),
                nth,
                signals.to_vec(),
                sender.clone(),
                stop.clone(),
            ))
        })
        .collect();
    for round in 0..6 {
        turns.wait_for_more(2).await;
        let victim = round % 2;
        // each is asked to stop, killed, and asked again
        if matches!(round, 2 | 3) {
            instances[victim].kill()
        } else {
            instances[victim].stop()
        }
        turns.wait_for_more(2).await;
        let (database, folder) = (database.clone(), folder.path().to_owned());
        let started = tokio::task::spawn_blocking(move || Instance::start(&database, &folder));
        instances[victim] = started.await.unwrap();
        balancer.replace(victim, instances[victim].address);
    }
    turns.wait_for_more(2).await;
    stop.cancel();
    let mut acknowledged = BTreeMap::new();
    for colleague in colleagues {
        acknowledged.extend(colleague.await.unwrap());
    }
    assert_eq!(acknowledged.len(), COLLEAGUES * SIGNALS_EACH);
    client()
        .triage(&ids[..1], &TriageStatus::Done)
        .await
        .unwrap();
    acknowledged.insert(ids[0], TriageStatus::Done);
    let done = done_signals(&client()).await;
    for (id, status) in &acknowledged {
        assert_eq!(done.contains(id), *status == TriageStatus::Done, "{id}");
    }
    // the wall shows what was written last, and said nothing else
    let last = format!("done {}", done.len());
    while !next_counts().await.ends_with(&last) {}
    wall.start_kill().unwrap();
    let mut notes = String::new();
    wall.stderr
        .take()
        .unwrap()
        .read_to_string(&mut notes)
        .await
        .unwrap();
    assert_eq!(notes, "");
}

/// The example in docs/operating.md is one that nginx accepts.
#[test]
#[allow(clippy::print_stderr, reason = "the test runner shows it")]
fn the_documented_balancer_is_one_that_nginx_accepts() {
    let text = include_str!("../../docs/operating.md");
    let (_, example) = text.split_once("```nginx\n").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let rcgen::CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed(["desk.example".to_owned()]).unwrap();
    std::fs::write(path("desk.pem"), cert.pem()).unwrap();
    std::fs::write(path("desk.key"), signing_key.serialize_pem()).unwrap();
    // its certificate is here, and a port below 1024 is not for everybody
    let example = example
        .replace("/etc/nginx/", &path(""))
        .replace("listen 443", "listen 127.0.0.1:18443");
    let whole = format!(
        "pid {};\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n{example}}}\n",
        path("pid")
    );
    std::fs::write(path("nginx.conf"), whole).unwrap();
    let nginx = ["nginx", "/usr/sbin/nginx"]
        .into_iter()
        .find_map(|program| {
            Command::new(program)
                .args(["-t", "-p", &path(""), "-c", &path("nginx.conf")])
                .output()
                .ok()
        });
    let Some(checked) = nginx else {
        eprintln!("not run: nginx is not installed");
        return;
    };
    assert!(
        checked.status.success(),
        "{}",
        String::from_utf8_lossy(&checked.stderr)
    );
}

//! How long the service takes over loopback HTTP, on one connection that stays open: what the console asks most.
//!
//! The worlds hold 1,000 and 100,000 projects, about four signals each. `GANTRY_BENCH_PROJECTS` takes other sizes:
//! `1000` or `1000,20000`.

#![expect(clippy::unwrap_used, reason = "a bench that cannot go on has failed")]

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::{LazyLock, Mutex, OnceLock};

use divan::Bencher;
use gantry::service::{RunningService, ServiceOptions, Storage, start};
use serde_json::Value;

fn main() {
    divan::main();
}

/// A service and who asks it.
struct BenchService {
    service: RunningService,
    api_key: String,
    workspace_id: String,
}

static RUNTIME: LazyLock<tokio::runtime::Runtime> = LazyLock::new(|| tokio::runtime::Runtime::new().unwrap());
static DATA_FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| tempfile::tempdir().unwrap());

fn project_counts() -> Vec<u32> {
    let wanted = std::env::var("GANTRY_BENCH_PROJECTS").unwrap_or_else(|_| "1000,100000".into());
    wanted.split(',').map(|size| size.parse().unwrap()).collect()
}

/// The world of so many projects, made once.
fn bench_service(projects: u32) -> &'static BenchService {
    static SERVICES: OnceLock<Mutex<BTreeMap<u32, &'static BenchService>>> = OnceLock::new();
    let mut worlds = SERVICES.get_or_init(Mutex::default).lock().unwrap();
    worlds.entry(projects).or_insert_with(|| {
        let data = Storage::File(DATA_FOLDER.path().join(format!("{projects}.db")));
        let service = RUNTIME.block_on(start(ServiceOptions { data, projects, ..ServiceOptions::default() })).unwrap();
        let first = &service.startup_info().workspaces[0];
        let (key, id) = (first.api_keys[0].key.clone(), first.id.to_string());
        Box::leak(Box::new(BenchService { service, api_key: key, workspace_id: id }))
    })
}

/// A connection that stays open.
struct KeepAliveConnection {
    bench: &'static BenchService,
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl KeepAliveConnection {
    fn connect(projects: u32) -> KeepAliveConnection {
        let world = bench_service(projects);
        let address = world.service.base_url().trim_start_matches("http://").trim_end_matches("/api/v1");
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        KeepAliveConnection { bench: world, stream, buffer: vec![0; 1 << 20] }
    }

    /// Asks and returns the body of the 200.
    fn send(&mut self, method: &str, path: &str, body: &str) -> &[u8] {
        let joint = if path.contains('?') { '&' } else { '?' };
        let BenchService { api_key: key, workspace_id: id, .. } = self.bench;
        let head = format!(
            "{method} /api/v1{path}{joint}workspace_id={id} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n"
        );
        let request = format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
        self.stream.write_all(request.as_bytes()).unwrap();
        let (mut filled, mut whole) = (0, None);
        while whole.is_none_or(|(_, end)| filled < end) {
            let n = self.stream.read(&mut self.buffer[filled..]).unwrap();
            assert_ne!(n, 0, "the connection ended");
            filled += n;
            if whole.is_none()
                && let Some(at) = self.buffer[..filled].windows(4).position(|bytes| bytes == b"\r\n\r\n")
            {
                let head = std::str::from_utf8(&self.buffer[..at]).unwrap().to_ascii_lowercase();
                assert!(head.starts_with("http/1.1 200"), "{head}");
                let length = head.split("content-length: ").nth(1).unwrap().lines().next().unwrap();
                whole = Some((at + 4, at + 4 + length.parse::<usize>().unwrap()));
            }
        }
        let (from, to) = whole.unwrap();
        &self.buffer[from..to]
    }
}

fn bench_request(bencher: Bencher, projects: u32, method: &str, path: &str, body: &str) {
    let mut line = KeepAliveConnection::connect(projects);
    bencher.bench_local(|| line.send(method, path, body).len());
}

#[divan::bench(args = project_counts())]
fn queue_stats(bencher: Bencher, projects: u32) {
    bench_request(bencher, projects, "GET", "/signals/queue/stats", "");
}

#[divan::bench(args = project_counts())]
fn queue_page_of_50(bencher: Bencher, projects: u32) {
    bench_request(bencher, projects, "GET", "/signals/queue?status=new", "");
}

#[divan::bench(args = project_counts())]
fn queue_page_of_200(bencher: Bencher, projects: u32) {
    bench_request(bencher, projects, "GET", "/signals/queue?status=new&limit=200", "");
}

#[divan::bench(args = project_counts())]
fn last_queue_page_of_200(bencher: Bencher, projects: u32) {
    let total = serde_json::from_slice::<Value>(KeepAliveConnection::connect(projects).send("GET", "/signals/queue?limit=1", ""))
        .unwrap()["pagination"]["total"]
        .clone();
    let offset = total.as_i64().unwrap() - 200;
    bench_request(bencher, projects, "GET", &format!("/signals/queue?limit=200&offset={}", offset.max(0)), "");
}

#[divan::bench(args = project_counts())]
fn queue_page_of_one_type(bencher: Bencher, projects: u32) {
    bench_request(bencher, projects, "GET", "/signals/queue?signal_type=completion", "");
}

#[divan::bench(args = project_counts())]
fn queue_page_by_text(bencher: Bencher, projects: u32) {
    bench_request(bencher, projects, "GET", "/signals/queue?q=tower", "");
}

#[divan::bench(args = project_counts())]
fn queue_page_by_city(bencher: Bencher, projects: u32) {
    bench_request(bencher, projects, "GET", "/signals/queue?city=austin", "");
}

#[divan::bench(args = project_counts())]
fn feed_page_of_50(bencher: Bencher, projects: u32) {
    bench_request(bencher, projects, "GET", "/signals", "");
}

#[divan::bench(args = project_counts())]
fn project_with_all_its_embeds(bencher: Bencher, projects: u32) {
    let page: Value = serde_json::from_slice(KeepAliveConnection::connect(projects).send("GET", "/signals?limit=1", "")).unwrap();
    let id = page["signals"][0]["project_id"].as_str().unwrap().to_owned();
    bench_request(bencher, projects, "GET", &format!("/data/projects/{id}?include=accounts,contacts,signals"), "");
}

#[divan::bench(args = project_counts())]
fn triage_100_and_restore(bencher: Bencher, projects: u32) {
    let mut line = KeepAliveConnection::connect(projects);
    let page: Value = serde_json::from_slice(line.send("GET", "/signals/queue?status=new&limit=100", "")).unwrap();
    let ids: Vec<_> = page["signals"].as_array().unwrap().iter().map(|row| row["id"].clone()).collect();
    let body = |status: &str| {
        serde_json::json!({"workspace_id": line.bench.workspace_id, "signal_ids": ids, "status": status}).to_string()
    };
    let (done, new) = (body("done"), body("new"));
    bencher.bench_local(|| {
        line.send("POST", "/signals/triage", &done);
        line.send("POST", "/signals/triage", &new).len()
    });
}

#[divan::bench(args = project_counts())]
fn search_by_misspelled_name(bencher: Bencher, projects: u32) {
    bench_request(bencher, projects, "POST", "/data/projects/search", r#"{"filters": {"name": {"value": "towre"}}}"#);
}

#[divan::bench(args = project_counts())]
fn search_by_city(bencher: Bencher, projects: u32) {
    bench_request(bencher, projects, "POST", "/data/projects/search", r#"{"filters": {"city": {"value": "austin"}}}"#);
}

#[divan::bench(args = project_counts())]
fn search_projects_without_a_signal(bencher: Bencher, projects: u32) {
    bench_request(bencher, projects, "POST", "/data/projects/search", r#"{"filters": {"without_signal": {}}}"#);
}

#[divan::bench(args = project_counts())]
fn search_by_a_rare_signal(bencher: Bencher, projects: u32) {
    let filters = r#"{"filters": {"has_signal": {"signal_type": {"value": "entitlement_denial"}}}}"#;
    bench_request(bencher, projects, "POST", "/data/projects/search", filters);
}

/// The page after so many rows, reached by cursors: the first and the last of a walk cost the same.
fn keyset_page(bencher: Bencher, projects: u32, rows: u32) {
    let mut line = KeepAliveConnection::connect(projects);
    let mut body = r#"{"limit": 100}"#.to_owned();
    for _ in 0..rows / 100 {
        let page: Value = serde_json::from_slice(line.send("POST", "/data/projects/search", &body)).unwrap();
        let Some(cursor) = page["metadata"]["search_after"].as_str() else { break };
        body = serde_json::json!({"limit": 100, "search_after": cursor}).to_string();
    }
    bencher.bench_local(|| line.send("POST", "/data/projects/search", &body).len());
}

#[divan::bench(args = project_counts())]
fn keyset_page_of_100_after_the_first(bencher: Bencher, projects: u32) {
    keyset_page(bencher, projects, 100);
}

#[divan::bench(args = project_counts())]
fn keyset_page_of_100_after_10_000_rows(bencher: Bencher, projects: u32) {
    keyset_page(bencher, projects, 10_000.min(projects - 200));
}

#[divan::bench(args = project_counts())]
fn upsert_batch_of_100(bencher: Bencher, projects: u32) {
    let mut line = KeepAliveConnection::connect(projects);
    let page: Value = serde_json::from_slice(line.send("POST", "/data/accounts/search", r#"{"limit": 100}"#)).unwrap();
    let ids: Vec<_> = page["data"].as_array().unwrap().iter().map(|row| row["id"].clone()).collect();
    let mut nth = 0;
    bencher.bench_local(|| {
        nth += 1;
        let status = nth.to_string();
        let inputs: Vec<_> = ids
            .iter()
            .map(|id| serde_json::json!({"account_id": id, "workspace_status": status, "icp_tier": "tier_1"}))
            .collect();
        line.send("POST", "/workspace/accounts/upsert/batch", &serde_json::json!({ "inputs": inputs }).to_string()).len()
    });
}

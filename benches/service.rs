//! How long the service takes over loopback HTTP, on one connection that stays open: what the
//! console asks most.
//!
//! The worlds hold 1,000 and 100,000 projects, about four signals each. `GANTRY_BENCH_PROJECTS`
//! takes other sizes: `1000` or `1000,20000`.

#![expect(clippy::unwrap_used, reason = "a bench that cannot go on has failed")]

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, OnceLock};

use divan::Bencher;
use gantry::service::{RunningService, ServiceOptions, Storage, start};
use serde_json::Value;

use crate::http::KeepAliveConnection;

mod http;

fn main() {
    divan::main();
}

static RUNTIME: LazyLock<tokio::runtime::Runtime> =
    LazyLock::new(|| tokio::runtime::Runtime::new().unwrap());
static DATA_FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| tempfile::tempdir().unwrap());

fn project_counts() -> Vec<u32> {
    let wanted = std::env::var("GANTRY_BENCH_PROJECTS").unwrap_or_else(|_| "1000,100000".into());
    wanted
        .split(',')
        .map(|size| size.parse().unwrap())
        .collect()
}

/// A connection to the service of a world of so many projects, which is made once.
fn connect(projects: u32) -> KeepAliveConnection {
    static SERVICES: OnceLock<Mutex<BTreeMap<u32, RunningService>>> = OnceLock::new();
    let mut services = SERVICES.get_or_init(Mutex::default).lock().unwrap();
    let service = services.entry(projects).or_insert_with(|| {
        let data = Storage::File(DATA_FOLDER.path().join(format!("{projects}.db")));
        RUNTIME
            .block_on(start(ServiceOptions {
                data,
                projects,
                ..ServiceOptions::default()
            }))
            .unwrap()
    });
    KeepAliveConnection::connect(service)
}

fn bench_request(bencher: Bencher, projects: u32, method: &str, path: &str, body: &str) {
    let mut line = connect(projects);
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
    bench_request(
        bencher,
        projects,
        "GET",
        "/signals/queue?status=new&limit=200",
        "",
    );
}

#[divan::bench(args = project_counts())]
fn last_queue_page_of_200(bencher: Bencher, projects: u32) {
    let total = serde_json::from_slice::<Value>(connect(projects).send(
        "GET",
        "/signals/queue?limit=1",
        "",
    ))
    .unwrap()["pagination"]["total"]
        .clone();
    let offset = total.as_i64().unwrap() - 200;
    bench_request(
        bencher,
        projects,
        "GET",
        &format!("/signals/queue?limit=200&offset={}", offset.max(0)),
        "",
    );
}

#[divan::bench(args = project_counts())]
fn queue_page_of_one_type(bencher: Bencher, projects: u32) {
    bench_request(
        bencher,
        projects,
        "GET",
        "/signals/queue?signal_type=completion",
        "",
    );
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
    let page: Value =
        serde_json::from_slice(connect(projects).send("GET", "/signals?limit=1", "")).unwrap();
    let id = page["signals"][0]["project_id"]
        .as_str()
        .unwrap()
        .to_owned();
    bench_request(
        bencher,
        projects,
        "GET",
        &format!("/data/projects/{id}?include=accounts,contacts,signals"),
        "",
    );
}

#[divan::bench(args = project_counts())]
fn triage_100_and_restore(bencher: Bencher, projects: u32) {
    let mut line = connect(projects);
    let page: Value =
        serde_json::from_slice(line.send("GET", "/signals/queue?status=new&limit=100", ""))
            .unwrap();
    let ids: Vec<_> = page["signals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["id"].clone())
        .collect();
    let body = |status: &str| {
        serde_json::json!({"workspace_id": line.workspace_id, "signal_ids": ids, "status": status})
            .to_string()
    };
    let (done, new) = (body("done"), body("new"));
    bencher.bench_local(|| {
        line.send("POST", "/signals/triage", &done);
        line.send("POST", "/signals/triage", &new).len()
    });
}

#[divan::bench(args = project_counts())]
fn search_by_misspelled_name(bencher: Bencher, projects: u32) {
    bench_request(
        bencher,
        projects,
        "POST",
        "/data/projects/search",
        r#"{"filters": {"name": {"value": "towre"}}}"#,
    );
}

#[divan::bench(args = project_counts())]
fn search_by_city(bencher: Bencher, projects: u32) {
    bench_request(
        bencher,
        projects,
        "POST",
        "/data/projects/search",
        r#"{"filters": {"city": {"value": "austin"}}}"#,
    );
}

#[divan::bench(args = project_counts())]
fn search_projects_without_a_signal(bencher: Bencher, projects: u32) {
    bench_request(
        bencher,
        projects,
        "POST",
        "/data/projects/search",
        r#"{"filters": {"without_signal": {}}}"#,
    );
}

#[divan::bench(args = project_counts())]
fn search_by_a_rare_signal(bencher: Bencher, projects: u32) {
    let filters =
        r#"{"filters": {"has_signal": {"signal_type": {"value": "entitlement_denial"}}}}"#;
    bench_request(bencher, projects, "POST", "/data/projects/search", filters);
}

/// The page after so many rows, reached by cursors: the first and the last of a walk cost the same.
fn keyset_page(bencher: Bencher, projects: u32, rows: u32) {
    let mut line = connect(projects);
    let mut body = r#"{"limit": 100}"#.to_owned();
    for _ in 0..rows / 100 {
        let page: Value =
            serde_json::from_slice(line.send("POST", "/data/projects/search", &body)).unwrap();
        let Some(cursor) = page["metadata"]["search_after"].as_str() else {
            break;
        };
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
    let mut line = connect(projects);
    let page: Value =
        serde_json::from_slice(line.send("POST", "/data/accounts/search", r#"{"limit": 100}"#))
            .unwrap();
    let ids: Vec<_> = page["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["id"].clone())
        .collect();
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

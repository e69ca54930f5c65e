//! Who waits for whom: how long the counts of the queue, a page of it and a single record take
//! alone and beside slow searches, writers and an import, and how long a large file takes to open.
//! It prints two tables.
//!
//! The world has 100,000 projects. `GANTRY_BENCH_PROJECTS` takes another size,
//! `GANTRY_BENCH_SECONDS` another time for each row, `GANTRY_BENCH_DATA` a file to keep the world
//! in, and `GANTRY_BENCH_ONLY` the rows whose names contain a text.

#![expect(clippy::unwrap_used, reason = "a bench that cannot go on has failed")]
#![expect(clippy::print_stdout, reason = "the tables are its result")]

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use gantry::service::import::layout::PermitLayout;
use gantry::service::import::{ImportOptions, run_import};
use gantry::service::{RunningService, ServiceOptions, Storage, start};
use serde_json::{Value, json};

/// Searches that no index answers.
const SLOW_SEARCHES: [(&str, &str); 4] = [
    (
        "/data/contacts/search",
        r#"{"filters": {"title": {"value": "engineer"}, "email": {"value": "info", "exclude": true}}, "sort": {"field": "projects_count", "order": "desc"}}"#,
    ),
    (
        "/data/accounts/search",
        r#"{"filters": {"without_signal": {"signal_type": {"value": ["entitlement_denial"]}}, "city": {"value": "boston", "exclude": true}, "without_contact": {}}, "sort": {"field": "name", "order": "asc"}}"#,
    ),
    (
        "/data/projects/search",
        r#"{"filters": {"has_contact": {"title": {"value": "manager"}}, "without_account": {"role": {"value": "gc"}}, "has_signal": {"signal_type": {"value": "permit_issued"}}}}"#,
    ),
    (
        "/data/projects/search",
        r#"{"filters": {"name": {"value": "tower", "exclude": true}, "without_contact": {}}}"#,
    ),
];

/// What happens beside the measured requests.
#[derive(Clone, Copy, Default)]
struct Load {
    searches: usize,
    writers: usize,
    imports: usize,
}

fn main() {
    let number = |name: &str, default: u32| {
        std::env::var(name).map_or(default, |text| text.parse().unwrap())
    };
    let projects = number("GANTRY_BENCH_PROJECTS", 100_000);
    let time = Duration::from_secs(number("GANTRY_BENCH_SECONDS", 5).into());
    let only = std::env::var("GANTRY_BENCH_ONLY").unwrap_or_default();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path =
        std::env::var_os("GANTRY_BENCH_DATA").map_or(folder.path().join("world.db"), PathBuf::from);
    let options = |data| ServiceOptions {
        data,
        projects,
        ..ServiceOptions::default()
    };
    let file = Storage::File(path.clone());
    // made and closed: the first start measured opens it
    runtime.block_on(async { start(options(file.clone())).await.unwrap().stop().await });

    println!(
        "| {:<42} | ms |\n|---|--:|",
        format!(
            "opening {} MB",
            std::fs::metadata(&path).unwrap().len() >> 20
        )
    );
    let began = Instant::now();
    let service = runtime.block_on(start(options(file.clone()))).unwrap();
    println!(
        "| {:<42} | {:.1} |",
        "closed cleanly",
        began.elapsed().as_secs_f64() * 1e3
    );
    if only.is_empty() || "killed".contains(&only) {
        let killed = folder.path().join("killed.db");
        Client::connect(&service).upsert(&Client::connect(&service).account_ids(), 0);
        for ending in ["", "-wal"] {
            let [from, to] =
                [&path, &killed].map(|path| PathBuf::from(format!("{}{ending}", path.display())));
            std::fs::copy(from, to).unwrap();
        }
        let began = Instant::now();
        let other = runtime
            .block_on(start(options(Storage::File(killed))))
            .unwrap();
        println!(
            "| {:<42} | {:.1} |",
            "killed",
            began.elapsed().as_secs_f64() * 1e3
        );
        runtime.block_on(other.stop());
    }

    println!(
        "\n| {:<24} | stats p50 / p99 / max ms | queue | get | searches, writes /s |\n|---|--:|--:|--:|--:|",
        "beside"
    );
    let load = |searches, writers, imports| Load {
        searches,
        writers,
        imports,
    };
    let rows = [
        ("nothing", load(0, 0, 0)),
        ("1 slow search", load(1, 0, 0)),
        ("3 slow searches", load(3, 0, 0)),
        ("8 slow searches", load(8, 0, 0)),
        ("1 writer", load(0, 1, 0)),
        ("4 writers", load(0, 4, 0)),
        ("an import", load(0, 0, 1)),
        ("all together", load(8, 4, 1)),
    ];
    let is_wanted = |name: &&(&str, Load)| name.0.contains(&only);
    for (name, load) in rows.iter().filter(is_wanted) {
        println!("{}", measure(&service, Some(&path), name, *load, time));
    }
    runtime.block_on(service.stop());
    let memory = [
        ("in memory: nothing", load(0, 0, 0)),
        ("in memory: 8 searches", load(8, 0, 0)),
        ("in memory: all", load(8, 4, 0)),
    ];
    let mut memory = memory.iter().filter(is_wanted).peekable();
    if memory.peek().is_some() {
        let service = runtime.block_on(start(options(Storage::Memory))).unwrap();
        for (name, load) in memory {
            println!("{}", measure(&service, None, name, *load, time));
        }
        runtime.block_on(service.stop());
    }
}

/// Measures the three requests beside a load, and returns the row of the table.
fn measure(
    service: &RunningService,
    file: Option<&Path>,
    name: &str,
    load: Load,
    time: Duration,
) -> String {
    let (stop, searches, writes) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    let is_over = || stop.load(Ordering::Relaxed);
    std::thread::scope(|scope| {
        for nth in 0..load.searches {
            let (is_over, searches) = (&is_over, &searches);
            scope.spawn(move || {
                let mut client = Client::connect(service);
                for round in nth.. {
                    if is_over() {
                        break;
                    }
                    let (path, body) = SLOW_SEARCHES[round % SLOW_SEARCHES.len()];
                    // a search that had to wait too long gets a 503
                    client.send("POST", path, body);
                    searches.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for _ in 0..load.writers {
            let (is_over, writes) = (&is_over, &writes);
            scope.spawn(move || {
                let mut client = Client::connect(service);
                let ids = client.account_ids();
                for round in 0.. {
                    if is_over() {
                        break;
                    }
                    client.upsert(&ids, round);
                    writes.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for nth in 0..load.imports {
            scope.spawn(move || import_until(file.unwrap(), nth, is_over));
        }
        let mut client = Client::connect(service);
        let feed: Value =
            serde_json::from_slice(&client.send("GET", "/signals?limit=20", "").1).unwrap();
        let gets: Vec<String> = feed["signals"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| format!("/data/projects/{}", row["project_id"].as_str().unwrap()))
            .collect();
        std::thread::sleep(Duration::from_millis(500)); // until the load is there
        let mut times = [const { Vec::new() }; 3];
        let mut failed = 0;
        let began = Instant::now();
        for nth in 0.. {
            if began.elapsed() > time {
                break;
            }
            for (times, path) in times.iter_mut().zip([
                "/signals/queue/stats",
                "/signals/queue?status=new",
                &gets[nth % gets.len()],
            ]) {
                let sent = Instant::now();
                failed += u32::from(client.send("GET", path, "").0 != 200);
                times.push(sent.elapsed().as_secs_f64() * 1e3);
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        let took = began.elapsed().as_secs_f64() + 0.5;
        stop.store(true, Ordering::Relaxed);
        let mut row = format!("| {name:<24} ");
        for mut times in times {
            times.sort_by(f64::total_cmp);
            let at = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize];
            write!(row, "| {:.2} / {:.1} / {:.1} ", at(0.5), at(0.99), at(1.0)).unwrap();
        }
        let rate = |count: &AtomicU64| count.load(Ordering::Relaxed) as f64 / took;
        write!(row, "| {:.1}, {:.1} |", rate(&searches), rate(&writes)).unwrap();
        if failed > 0 {
            write!(row, " {failed} failed").unwrap();
        }
        row
    })
}

/// Imports rows that are new each time, as another process would.
fn import_until(file: &Path, nth: usize, is_over: impl Fn() -> bool) {
    static ROUND: AtomicU64 = AtomicU64::new(0);
    let folder = tempfile::tempdir().unwrap();
    let (csv, round) = (
        folder.path().join("permits.csv"),
        ROUND.fetch_add(1, Ordering::Relaxed),
    );
    let stamp = std::process::id();
    let mut lines = include_str!("../tests/data/san_francisco_400.csv").lines();
    let mut text = lines.next().unwrap().to_owned();
    let body: Vec<&str> = lines.collect();
    for copy in 0..250 {
        for line in &body {
            let columns: Vec<&str> = line.splitn(7, ',').collect();
            let [permit, kind, words, made, block, lot, rest] = columns[..] else {
                continue;
            };
            let own = format!("{stamp}-{nth}-{round}-{copy}");
            write!(
                text,
                "\n{permit}-{own},{kind},{words},{made},{block},{lot}-{own},{rest}"
            )
            .unwrap();
        }
    }
    std::fs::write(&csv, text).unwrap();
    let options = ImportOptions {
        file: csv,
        layout: PermitLayout::find("san-francisco", &[]).unwrap(),
        data: Storage::File(file.to_owned()),
        dry_run: false,
        rejects: None,
        now: "2026-07-09T16:20:00Z".parse().unwrap(),
    };
    run_import(&options, &mut |_| {
        if is_over() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })
    .unwrap();
}

/// A connection that stays open.
struct Client {
    stream: TcpStream,
    api_key: String,
    workspace: String,
}

impl Client {
    fn connect(service: &RunningService) -> Client {
        let address = service
            .base_url()
            .trim_start_matches("http://")
            .trim_end_matches("/api/v1");
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        let first = &service.startup_info().workspaces[0];
        Client {
            stream,
            api_key: first.api_keys[0].key.clone(),
            workspace: first.id.to_string(),
        }
    }

    fn send(&mut self, method: &str, path: &str, body: &str) -> (u16, Vec<u8>) {
        let joint = if path.contains('?') { '&' } else { '?' };
        let Client {
            api_key, workspace, ..
        } = &self;
        let head = format!(
            "{method} /api/v1{path}{joint}workspace_id={workspace} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {api_key}\r\n"
        );
        self.stream
            .write_all(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes())
            .unwrap();
        let (mut answer, mut part) = (Vec::new(), [0; 1 << 16]);
        loop {
            let n = self.stream.read(&mut part).unwrap();
            assert_ne!(n, 0, "the connection ended");
            answer.extend_from_slice(&part[..n]);
            let Some(at) = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n") else {
                continue;
            };
            let head = std::str::from_utf8(&answer[..at])
                .unwrap()
                .to_ascii_lowercase();
            let length: usize = head
                .split("content-length: ")
                .nth(1)
                .unwrap()
                .lines()
                .next()
                .unwrap()
                .parse()
                .unwrap();
            if answer.len() == at + 4 + length {
                return (head[9..12].parse().unwrap(), answer.split_off(at + 4));
            }
        }
    }

    fn account_ids(&mut self) -> Vec<Value> {
        let page: Value = serde_json::from_slice(
            &self
                .send("POST", "/data/accounts/search", r#"{"limit": 100}"#)
                .1,
        )
        .unwrap();
        page["data"].as_array().map_or(Vec::new(), |rows| {
            rows.iter().map(|row| row["id"].clone()).collect()
        })
    }

    fn upsert(&mut self, ids: &[Value], round: u64) {
        let status = round.to_string();
        let inputs: Vec<_> = ids
            .iter()
            .map(|id| json!({"account_id": id, "workspace_status": status, "icp_tier": "tier_1"}))
            .collect();
        self.send(
            "POST",
            "/workspace/accounts/upsert/batch",
            &json!({ "inputs": inputs }).to_string(),
        );
    }
}

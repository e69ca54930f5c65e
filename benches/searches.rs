//! How long searches over the whole vocabulary take: 500 bodies of a fixed seed, over loopback
//! HTTP. Each is asked several times and counts with its shortest time: the processor time of the
//! whole process, service and client, where the system tells it, so that other programs do not
//! count. It prints the median, the 99th percentile, the worst, and every body above the target;
//! then the other reads that search.
//!
//! `GANTRY_BENCH_PROJECTS` says how many projects there are (100,000), `GANTRY_BENCH_DATA` a file to
//! keep the database in, `GANTRY_BENCH_PASSES` how often each body is asked (5).

#![expect(clippy::unwrap_used, reason = "a bench that cannot go on has failed")]
#![expect(clippy::print_stdout, reason = "the figures")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use gantry::service::{ServiceOptions, Storage, start};
use serde_json::{Value, json};

use crate::bodies::{BodyGenerator, DATASETS};
use crate::http::KeepAliveConnection;

#[path = "../src/service/search/tests/bodies.rs"]
mod bodies;
mod http;

const BODIES: usize = 500;
const SEED: u64 = 1;
const TARGET_MS: f64 = 25.0;
/// How long a service of 100,000 projects reads what searches test.
const PRELOAD: Duration = Duration::from_secs(2);

fn setting<T: FromStr>(name: &str, default: T) -> T {
    std::env::var(name)
        .ok()
        .and_then(|value| value.parse().ok())
        .unwrap_or(default)
}

fn ask(line: &mut KeepAliveConnection, method: &str, path: &str, body: &str) -> Value {
    serde_json::from_slice(line.send(method, path, body)).unwrap()
}

fn generator(line: &mut KeepAliveConnection) -> BodyGenerator {
    let (mut fields, mut records) = (BTreeMap::new(), BTreeMap::new());
    for (dataset, _) in DATASETS {
        let found = ask(
            line,
            "POST",
            "/data/fields/search",
            &json!({ "dataset": dataset }).to_string(),
        );
        fields.insert(
            dataset.to_owned(),
            found["data"]["fields"].as_array().unwrap().clone(),
        );
        let rows = (0..10).flat_map(|nth| {
            let body = json!({"limit": 20, "offset": 1000 * nth, "sort": {"field": "created_at", "order": "asc"}});
            let body = if dataset == "signals" { json!({"limit": 20, "offset": 1000 * nth}) } else { body };
            let page = ask(line, "POST", &format!("/data/{dataset}/search"), &body.to_string());
            page["data"].as_array().unwrap().clone()
        });
        records.insert(dataset.to_owned(), rows.collect());
    }
    BodyGenerator::new(fields, records, SEED)
}

/// The processor time of each thread in nanoseconds; where the system does not tell it, the time.
fn thread_times() -> BTreeMap<OsString, f64> {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else {
        return BTreeMap::from([(OsString::new(), START.elapsed().as_secs_f64() * 1e9)]);
    };
    let time = |task: &std::fs::DirEntry| -> Option<f64> {
        std::fs::read_to_string(task.path().join("schedstat"))
            .ok()?
            .split(' ')
            .next()?
            .parse()
            .ok()
    };
    tasks
        .filter_map(Result::ok)
        .filter_map(|task| Some((task.file_name(), time(&task)?)))
        .collect()
}

/// Milliseconds since `before`.
fn milliseconds_since(before: &BTreeMap<OsString, f64>) -> f64 {
    thread_times()
        .iter()
        .map(|(thread, now)| now - before.get(thread).unwrap_or(&0.0))
        .sum::<f64>()
        / 1e6
}

/// Memory that belongs to the process alone, in MB.
fn anonymous_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"))
        .unwrap_or_default();
    line.split_whitespace()
        .next()
        .and_then(|kb| kb.parse::<f64>().ok())
        .unwrap_or(0.0)
        / 1e3
}

/// A request and its shortest time in milliseconds.
struct TimedRequest {
    method: &'static str,
    path: String,
    body: String,
    best: f64,
    total: Value,
}

impl TimedRequest {
    fn new(method: &'static str, path: impl Into<String>, body: String) -> TimedRequest {
        TimedRequest {
            method,
            path: path.into(),
            body,
            best: f64::MAX,
            total: Value::Null,
        }
    }

    fn send(&mut self, line: &mut KeepAliveConnection) {
        let before = thread_times();
        let found = line.send(self.method, &self.path, &self.body);
        self.best = self.best.min(milliseconds_since(&before));
        if self.total.is_null() {
            let found: Value = serde_json::from_slice(found).unwrap();
            self.total = [&found["metadata"]["total"], &found["pagination"]["total"]]
                .into_iter()
                .find(|t| !t.is_null())
                .cloned()
                .unwrap_or(json!("-"));
        }
    }

    fn print(&self) {
        println!(
            "{:8.1} ms {:>6} {} {} {}",
            self.best, self.total, self.method, self.path, self.body
        );
    }
}

/// The pages of a walk by cursor that begin after so many rows.
fn cursor_pages(line: &mut KeepAliveConnection, sort: &str, rows: &[usize]) -> Vec<TimedRequest> {
    let path = "/data/projects/search";
    let mut body = json!({"limit": 100, "sort": {"field": sort, "order": "desc"}});
    let mut pages = Vec::new();
    for row in (0..=rows[rows.len() - 1]).step_by(100) {
        if rows.contains(&row) {
            pages.push(TimedRequest::new("POST", path, body.to_string()));
        }
        let page = ask(line, "POST", path, &body.to_string());
        let Some(cursor) = page["metadata"]["search_after"].as_str() else {
            break;
        };
        body["search_after"] = json!(cursor);
    }
    pages
}

/// Gives back all credits: the searches of a bench cost more than a day's.
fn reset_credits(file: &Path) {
    rusqlite::Connection::open(file)
        .unwrap()
        .execute("DELETE FROM spending", ())
        .unwrap();
}

fn main() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file: PathBuf = setting("GANTRY_BENCH_DATA", folder.path().join("searches.db"));
    let projects = setting("GANTRY_BENCH_PROJECTS", 100_000);
    let options = ServiceOptions {
        data: Storage::File(file.clone()),
        projects,
        ..ServiceOptions::default()
    };
    let service = runtime.block_on(start(options)).unwrap();
    std::thread::sleep(PRELOAD);
    reset_credits(&file);
    let mut line = KeepAliveConnection::connect(&service);

    let memory_before = anonymous_mb();
    let mut bodies = generator(&mut line);
    let mut searches: Vec<TimedRequest> = (0..BODIES)
        .map(|_| bodies.next_body())
        .map(|(dataset, body)| {
            TimedRequest::new("POST", format!("/data/{dataset}/search"), body.to_string())
        })
        .collect();
    let mut others: Vec<TimedRequest> = [
        "/signals/queue?q=tower",
        "/signals/queue?q=2026",
        "/signals/queue?q=a",
        "/signals/queue?city=san",
        "/workspace/views",
    ]
    .map(|path| TimedRequest::new("GET", path, String::new()))
    .into();
    for sort in ["last_signal_at", "name"] {
        reset_credits(&file);
        others.extend(cursor_pages(
            &mut line,
            sort,
            &[100, 10_000, projects as usize - 1000],
        ));
    }
    for _ in 0..setting("GANTRY_BENCH_PASSES", 5) {
        reset_credits(&file);
        searches
            .iter_mut()
            .chain(&mut others)
            .for_each(|request| request.send(&mut line));
    }
    others.iter().for_each(TimedRequest::print);
    searches.sort_by(|a, b| b.best.total_cmp(&a.best));
    let very_slow = searches.iter().filter(|search| search.best > 100.0).count();
    let slow = searches
        .iter()
        .take_while(|search| search.best > TARGET_MS)
        .count();
    searches[..slow].iter().for_each(TimedRequest::print);
    let at = |share: f64| searches[((1.0 - share) * (BODIES - 1) as f64) as usize].best;
    println!(
        "{:.0} MB of anonymous memory, {:.0} MB before the first search",
        anonymous_mb(),
        memory_before
    );
    println!(
        "median {:.1} ms, 99 % {:.1} ms, worst {:.1} ms; {slow} of {BODIES} above {TARGET_MS} ms, {very_slow} above 100 ms",
        at(0.5),
        at(0.99),
        at(1.0)
    );
}

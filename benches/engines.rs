//! The service on SQLite and on PostgreSQL, in one run: how long a request takes while 1, 8 or 64
//! clients send it, and how many are answered per second. It prints a table.
//!
//! `GANTRY_BENCH_DATABASE` is the address of a PostgreSQL server, on which it creates a database
//! and drops it at the end. What it holds is moved there from the file, so both engines have the
//! same data. `GANTRY_BENCH_PROJECTS` takes other sizes than 1,000 and 100,000 projects, and
//! `GANTRY_BENCH_SECONDS` another time per cell than 1. `GANTRY_BENCH_FILE` is a sample world to
//! measure instead of a new one, and `GANTRY_BENCH_COPY` the database to which it was moved: a
//! large one takes an hour to fill and to move. The requests write to both.

#![expect(clippy::unwrap_used, reason = "a bench that cannot go on has failed")]
#![allow(clippy::print_stdout, reason = "it prints a table")]

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gantry::service::db::migrate::move_data;
use gantry::service::db::sql::{Conn, PostgresConfig, PostgresConn};
use gantry::service::{RunningService, ServiceOptions, Storage, start};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::http::KeepAliveConnection;

mod http;

const CLIENTS: [usize; 3] = [1, 8, 64];

/// A kind of request, with the body of each turn of each client.
struct Case {
    name: &'static str,
    method: &'static str,
    path: String,
    body: Box<dyn Fn(usize, usize) -> String + Sync>,
    /// While they are measured, somebody sends the last case again and again.
    is_beside_writer: bool,
}

fn main() {
    let runtime = Runtime::new().unwrap();
    let read = |name: &str| std::env::var(name).ok();
    let postgres = |url: String| url.parse::<PostgresConfig>().unwrap();
    if let Some(file) = read("GANTRY_BENCH_FILE") {
        let copy = read("GANTRY_BENCH_COPY").map(|url| Storage::Postgres(Box::new(postgres(url))));
        let stores: Vec<Storage> = [Storage::File(file.into())]
            .into_iter()
            .chain(copy)
            .collect();
        return measure_engines(&runtime, "a file", &stores);
    }
    let server = read("GANTRY_BENCH_DATABASE").map(postgres);
    for projects in read("GANTRY_BENCH_PROJECTS")
        .as_deref()
        .unwrap_or("1000,100000")
        .split(',')
    {
        let folder = tempfile::tempdir().unwrap();
        let file = Storage::File(folder.path().join("bench.db"));
        let options = ServiceOptions {
            data: file.clone(),
            projects: projects.parse().unwrap(),
            ..ServiceOptions::default()
        };
        runtime.block_on(async { start(options).await.unwrap().stop().await });
        let mut stores = vec![file];
        let name = format!("gantry_bench_{}", std::process::id());
        if let Some(server) = &server {
            connect(server)
                .execute_batch(&format!("CREATE DATABASE {name} TEMPLATE template0"))
                .unwrap();
            let mut config = server.clone();
            config.dbname(&name);
            stores.push(Storage::Postgres(Box::new(config)));
            move_data(&stores[0], &stores[1], &mut |_, _| {}).unwrap();
        }
        measure_engines(&runtime, &format!("{projects} projects"), &stores);
        if let Some(server) = &server {
            connect(server)
                .execute_batch(&format!("DROP DATABASE {name} WITH (FORCE)"))
                .unwrap();
        }
    }
}

/// Measures the same data on each engine, and prints a table.
fn measure_engines(runtime: &Runtime, title: &str, stores: &[Storage]) {
    let mut tables = Vec::new();
    for data in stores {
        let engine = if matches!(data, Storage::Postgres(_)) {
            "PostgreSQL"
        } else {
            "SQLite"
        };
        let service = runtime
            .block_on(start(ServiceOptions {
                data: data.clone(),
                ..ServiceOptions::default()
            }))
            .unwrap();
        println!("measuring {title}, {engine}");
        tables.push((engine, measure_all(&service, data)));
        runtime.block_on(service.stop());
    }
    println!(
        "\n| {title} | {} |",
        CLIENTS
            .map(|clients| format!("{clients} clients"))
            .join(" | ")
    );
    println!("|---|{}", "---|".repeat(CLIENTS.len()));
    for nth in 0..tables[0].1.len() {
        for (engine, table) in &tables {
            let (name, cells) = &table[nth];
            println!("| {name}, {engine} | {} |", cells.join(" | "));
        }
    }
}

fn connect(config: &PostgresConfig) -> Conn {
    Conn::from_postgres(PostgresConn::connect(config.clone()).unwrap())
}

/// Forgets what was spent, so that no run reaches the limit.
fn reset_credits(data: &Storage) {
    const DELETE: &str = "DELETE FROM spending";
    match data {
        Storage::Postgres(config) => connect(config).execute_batch(DELETE).unwrap(),
        // not as the service opens a file, which checks all of it
        Storage::File(path) => rusqlite::Connection::open(path)
            .unwrap()
            .execute_batch(DELETE)
            .unwrap(),
        Storage::Memory => {}
    }
}

fn measure_all(service: &RunningService, data: &Storage) -> Vec<(&'static str, Vec<String>)> {
    let cases = cases(service);
    let measure = |case: &Case| {
        let cells = CLIENTS.map(|clients| {
            reset_credits(data);
            let writer = cases.last().filter(|_| case.is_beside_writer);
            measure_case(service, case, clients, writer)
        });
        (case.name, cells.to_vec())
    };
    cases.iter().map(measure).collect()
}

/// The median and the rate of a request.
fn measure_case(
    service: &RunningService,
    case: &Case,
    clients: usize,
    writer: Option<&Case>,
) -> String {
    let seconds = std::env::var("GANTRY_BENCH_SECONDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1.0);
    let mut warm = KeepAliveConnection::connect(service);
    for turn in 0..3 {
        warm.send(case.method, &case.path, &(case.body)(clients, turn));
    }
    let (times, is_done) = (Mutex::new(Vec::new()), AtomicBool::new(false));
    let began = Instant::now();
    let took = std::thread::scope(|scope| {
        if let Some(writer) = writer {
            scope.spawn(|| {
                let mut line = KeepAliveConnection::connect(service);
                for turn in 0.. {
                    line.send(writer.method, &writer.path, &(writer.body)(0, turn));
                    if is_done.load(Ordering::Relaxed) {
                        break;
                    }
                }
            });
        }
        let read = |client: usize| {
            let times = &times;
            scope.spawn(move || {
                let mut line = KeepAliveConnection::connect(service);
                let mut own: Vec<Duration> = Vec::new();
                while began.elapsed().as_secs_f64() < seconds && own.len() * clients < 8000 {
                    let body = (case.body)(client, own.len());
                    let asked = Instant::now();
                    line.send(case.method, &case.path, &body);
                    own.push(asked.elapsed());
                }
                times.lock().unwrap().append(&mut own);
            })
        };
        let readers: Vec<_> = (0..clients).map(read).collect();
        readers
            .into_iter()
            .for_each(|reader| reader.join().unwrap());
        is_done.store(true, Ordering::Relaxed);
        began.elapsed().as_secs_f64()
    });
    let mut times = times.into_inner().unwrap();
    times.sort();
    format!(
        "{:.1} ms, {:.0}/s",
        times[times.len() / 2].as_secs_f64() * 1000.0,
        times.len() as f64 / took
    )
}

fn cases(service: &RunningService) -> Vec<Case> {
    let mut line = KeepAliveConnection::connect(service);
    let workspace = line.workspace_id.clone();
    let mut read = |method: &str, path: &str, body: &str| -> Value {
        serde_json::from_slice(line.send(method, path, body)).unwrap()
    };
    let ids = |rows: &Value, key: &str| {
        rows.as_array()
            .unwrap()
            .iter()
            .map(|row| row[key].clone())
            .collect::<Vec<Value>>()
    };
    let signals = ids(
        &read("GET", "/signals/queue?status=new&limit=200", "")["signals"],
        "id",
    );
    let project = read("GET", "/signals?limit=1", "")["signals"][0]["project_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let projects = ids(
        &read("POST", "/data/projects/search", r#"{"limit": 100}"#)["data"],
        "id",
    );
    let mut deep = r#"{"limit": 100}"#.to_owned();
    for _ in 0..100 {
        let page = read("POST", "/data/projects/search", &deep);
        let Some(cursor) = page["metadata"]["search_after"].as_str() else {
            break;
        };
        deep = json!({"limit": 25, "search_after": cursor}).to_string();
    }
    let get = |name, path: &str| Case {
        name,
        method: "GET",
        path: path.to_owned(),
        body: Box::new(|_, _| String::new()),
        is_beside_writer: false,
    };
    let search = |name, body: Value| Case {
        name,
        method: "POST",
        path: "/data/projects/search".to_owned(),
        body: Box::new(move |_, _| body.to_string()),
        is_beside_writer: false,
    };
    let beside_writer = |name, case: Case| Case {
        name,
        is_beside_writer: true,
        ..case
    };
    let triage = move |count: usize| {
        let (signals, workspace) = (signals.clone(), workspace.clone());
        move |client: usize, turn: usize| {
            let some: Vec<&Value> = signals
                .iter()
                .cycle()
                .skip(client * 7)
                .take(count.min(signals.len()))
                .collect();
            let status = if turn.is_multiple_of(2) {
                "done"
            } else {
                "new"
            };
            json!({"workspace_id": workspace, "signal_ids": some, "status": status}).to_string()
        }
    };
    let upserts = move |client: usize, turn: usize| {
        let inputs: Vec<Value> = projects
            .iter()
            .map(|id| json!({"project_id": id, "notes": format!("{client} {turn}")}))
            .collect();
        json!({ "inputs": inputs }).to_string()
    };
    let post = |name, path: &str, body: Box<dyn Fn(usize, usize) -> String + Sync>| Case {
        name,
        method: "POST",
        path: path.to_owned(),
        body,
        is_beside_writer: false,
    };
    vec![
        get("queue stats", "/signals/queue/stats"),
        get("queue, 50 rows", "/signals/queue?status=new"),
        get("queue, 200 rows", "/signals/queue?status=new&limit=200"),
        beside_writer(
            "queue, 50 rows, beside upserts",
            get("", "/signals/queue?status=new"),
        ),
        search("city", json!({"filters": {"city": {"value": "austin"}}})),
        beside_writer(
            "city, beside upserts",
            search("", json!({"filters": {"city": {"value": "austin"}}})),
        ),
        search(
            "name with a typo",
            json!({"filters": {"name": {"value": "towre"}}}),
        ),
        search(
            "rare relation",
            json!({"filters": {"has_signal": {"signal_type": {"value": "entitlement_denial"}}}}),
        ),
        search(
            "common relation",
            json!({"filters": {"has_signal": {"signal_type": {"value": "permit_issued"}}}}),
        ),
        search(
            "without a relation",
            json!({"filters": {"without_signal": {}}}),
        ),
        search(
            "cursor after 10,000 rows",
            serde_json::from_str(&deep).unwrap(),
        ),
        get(
            "project with embeds",
            &format!("/data/projects/{project}?include=accounts,contacts,signals"),
        ),
        post(
            "triage of 1",
            "/signals/triage",
            Box::new(triage.clone()(1)),
        ),
        post("triage of 100", "/signals/triage", Box::new(triage(100))),
        post(
            "upsert of 100",
            "/workspace/projects/upsert/batch",
            Box::new(upserts),
        ),
    ]
}

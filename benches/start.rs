//! The start of the whole program in a pseudo-terminal, beside a bare ratatui program with one
//! request, and a command beside curl. It prints two tables of medians.
//!
//! `GANTRY_BENCH_RUNS` takes another number of runs, `GANTRY_BENCH_PROGRAM` another gantry that
//! takes turns with this one.

#![expect(clippy::unwrap_used, reason = "a bench that cannot go on has failed")]
#![expect(clippy::print_stdout, reason = "the tables are its result")]

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::num::NonZeroU16;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use gantry::service::{RunningService, ServiceOptions, start};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::widgets::{List, ListItem, Paragraph};
use serde_json::Value;

/// The first argument of this program when it is the bare ratatui program.
const PEER: &str = "--peer";
const COLUMNS: u16 = 120;
const ROWS: u16 = 36;
/// How long a program goes on after its first rows, for what it does then.
const SETTLE: Duration = Duration::from_millis(300);

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.get(1).is_some_and(|word| word == PEER) {
        return run_peer(&arguments[2]);
    }
    let runs = std::env::var("GANTRY_BENCH_RUNS").map_or(15, |text| text.parse().unwrap());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let service = runtime.block_on(start(ServiceOptions::default())).unwrap();
    let other = std::env::var("GANTRY_BENCH_PROGRAM").ok();
    let gantries = [
        Some(("gantry", env!("CARGO_BIN_EXE_gantry"))),
        other.as_deref().map(|path| ("other gantry", path)),
    ];
    let gantries: Vec<(&str, &str)> = gantries.into_iter().flatten().collect();
    measure_starts(&service, &gantries, runs);
    measure_verbs(&service, &gantries, runs);
    runtime.block_on(service.stop());
}

/// A program and how it is started.
struct Setup {
    name: String,
    program: String,
    arguments: Vec<String>,
    /// Whether the terminal answers the question for its background.
    answers: bool,
    /// Whether the state folder is kept from run to run.
    keeps_state: bool,
    /// What the screen shows with the first rows.
    ready: &'static str,
}

/// What was measured of one start: milliseconds, MiB and counts.
struct Start {
    first_byte: f64,
    rows: f64,
    cpu_at_rows: f64,
    cpu: f64,
    memory: f64,
    requests: f64,
    connections: f64,
    all_requests: f64,
    all_connections: f64,
}

fn measure_starts(service: &RunningService, gantries: &[(&str, &str)], runs: usize) {
    let proxy = CountingProxy::start(service.base_url());
    let this = std::env::current_exe()
        .unwrap()
        .to_string_lossy()
        .into_owned();
    let mut setups = vec![Setup {
        name: "a bare ratatui program with one GET".to_owned(),
        program: this,
        arguments: vec![PEER.to_owned(), proxy.base_url.clone()],
        answers: true,
        keeps_state: false,
        ready: "rows",
    }];
    for (name, program) in gantries {
        let setup = |what: &str, arguments: &[&str], answers, keeps_state| Setup {
            name: format!("{name}{what}"),
            program: (*program).to_owned(),
            arguments: arguments.iter().map(|word| (*word).to_owned()).collect(),
            answers,
            keeps_state,
            ready: "New 1 of ",
        };
        setups.extend([
            setup("", &[], true, false),
            setup(", a terminal that answers nothing", &[], false, false),
            setup(", with the rows of the last session", &[], true, true),
            setup(" --demo", &["--demo"], true, false),
        ]);
    }
    let homes: Vec<tempfile::TempDir> = setups
        .iter()
        .map(|_| tempfile::tempdir().unwrap())
        .collect();
    let mut found: Vec<Vec<Start>> = setups.iter().map(|_| Vec::new()).collect();
    for run in 0..=runs {
        for ((setup, home), found) in setups.iter().zip(&homes).zip(&mut found) {
            let fresh = tempfile::tempdir().unwrap();
            let measured = setup.start(
                service,
                &proxy,
                if setup.keeps_state {
                    home.path()
                } else {
                    fresh.path()
                },
            );
            // The first run is for the caches.
            if run > 0 {
                found.push(measured);
            }
        }
    }
    println!(
        "| start | first byte ms | first rows ms | CPU ms by then; in all | peak MiB | requests by then; in all | connections |\n|---|--:|--:|--:|--:|--:|--:|"
    );
    for (setup, found) in setups.iter().zip(&found) {
        let of = |value: fn(&Start) -> f64| median(found.iter().map(value).collect());
        println!(
            "| {:<52} | {:.1} | {:.1} | {:.1}; {:.1} | {:.1} | {}; {} | {}; {} |",
            setup.name,
            of(|start| start.first_byte),
            of(|start| start.rows),
            of(|start| start.cpu_at_rows),
            of(|start| start.cpu),
            of(|start| start.memory),
            of(|start| start.requests),
            of(|start| start.all_requests),
            of(|start| start.connections),
            of(|start| start.all_connections),
        );
    }
}

impl Setup {
    /// Starts the program, waits for its first rows, and ends it.
    fn start(
        &self,
        service: &RunningService,
        proxy: &CountingProxy,
        home: &std::path::Path,
    ) -> Start {
        let (mut pty, pts) = pty_process::blocking::open().unwrap();
        pty.resize(pty_process::Size::new(ROWS, COLUMNS)).unwrap();
        let (workspace, token) = service.startup_info().default_sign_in(None).unwrap();
        let mut command = pty_process::blocking::Command::new(&self.program)
            .args(&self.arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", home)
            .env("TERM", "xterm-256color");
        if !self.arguments.iter().any(|word| word == "--demo") {
            command = command
                .env("GANTRY_BASE_URL", &proxy.base_url)
                .env("GANTRY_TOKEN", token)
                .env("GANTRY_WORKSPACE", workspace.to_string());
        }
        proxy.reset();
        let began = Instant::now();
        let mut child = command.spawn(pts).unwrap();
        let cells = |n| NonZeroU16::new(n).unwrap();
        let mut screen = vt100::Parser::new(cells(ROWS), cells(COLUMNS), 0);
        let (mut first_byte, mut is_answered, mut part) = (None, !self.answers, [0; 1 << 16]);
        let rows = loop {
            let n = pty.read(&mut part).unwrap();
            let now = began.elapsed();
            first_byte.get_or_insert(now);
            screen.process(&part[..n]);
            if !is_answered && part[..n].windows(5).any(|bytes| bytes == b"]11;?") {
                pty.write_all(b"\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\\x1b[?62c")
                    .unwrap();
                is_answered = true;
            }
            if screen.screen().contents().contains(self.ready) {
                break now;
            }
            assert!(
                now < Duration::from_secs(20),
                "{}",
                screen.screen().contents()
            );
        };
        let (requests, connections) = proxy.counts();
        let cpu_at_rows = cpu_ms(child.id());
        let reader = std::thread::spawn(move || while pty.read(&mut part).is_ok_and(|n| n > 0) {});
        std::thread::sleep(SETTLE);
        let (cpu, memory) = (cpu_ms(child.id()), peak_memory(child.id()));
        let (all_requests, all_connections) = proxy.counts();
        child.kill().unwrap();
        child.wait().unwrap();
        reader.join().unwrap();
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        Start {
            first_byte: ms(first_byte.unwrap_or_default()),
            rows: ms(rows),
            cpu_at_rows,
            cpu,
            memory,
            requests: requests as f64,
            connections: connections as f64,
            all_requests: all_requests as f64,
            all_connections: all_connections as f64,
        }
    }
}

/// The time on a processor of a process and its threads, in milliseconds.
fn cpu_ms(process: u32) -> f64 {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).unwrap();
    let nanoseconds = tasks.filter_map(|task| {
        let text = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<f64>().ok()
    });
    nanoseconds.sum::<f64>() / 1e6
}

/// The most memory that a process had, in MiB.
fn peak_memory(process: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1024.0
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// A command beside curl, both directly at the service.
fn measure_verbs(service: &RunningService, gantries: &[(&str, &str)], runs: usize) {
    let (workspace, token) = service.startup_info().default_sign_in(None).unwrap();
    let home = tempfile::tempdir().unwrap();
    let url = format!(
        "{}/signals/queue?limit=200&workspace_id={workspace}",
        service.base_url()
    );
    let has_curl = std::process::Command::new("curl")
        .arg("--version")
        .stdout(Stdio::null())
        .status()
        .is_ok();
    let authorization = format!("Authorization: Bearer {token}");
    let mut rows: Vec<(String, Vec<&str>)> = gantries
        .iter()
        .map(|(name, path)| {
            (
                format!("{name} queue list --json"),
                vec![*path, "queue", "list", "--json", "--limit", "200"],
            )
        })
        .collect();
    if has_curl {
        rows.push((
            "curl".to_owned(),
            vec!["curl", "--silent", "--header", &authorization, &url],
        ));
    }
    let mut found: Vec<(Vec<f64>, f64)> = rows.iter().map(|_| (Vec::new(), 0.0)).collect();
    let runs = runs * 4;
    for run in 0..=runs {
        for ((_, line), (times, cpu)) in rows.iter().zip(&mut found) {
            let before = children_cpu_ms();
            let began = Instant::now();
            let mut command = std::process::Command::new(line[0]);
            command
                .args(&line[1..])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .env("HOME", home.path());
            command
                .env("GANTRY_BASE_URL", service.base_url())
                .env("GANTRY_TOKEN", token);
            assert!(
                command
                    .env("GANTRY_WORKSPACE", workspace.to_string())
                    .status()
                    .unwrap()
                    .success()
            );
            if run > 0 {
                times.push(began.elapsed().as_secs_f64() * 1e3);
                *cpu += children_cpu_ms() - before;
            }
        }
    }
    println!("\n| 200 rows of the queue | ms | CPU ms (mean) |\n|---|--:|--:|");
    for ((name, _), (times, cpu)) in rows.iter().zip(found) {
        println!(
            "| {name:<52} | {:.1} | {:.1} |",
            median(times),
            cpu / runs as f64
        );
    }
    if !has_curl {
        println!("| {:<52} | not run | |", "curl");
    }
}

/// The time on a processor of all children that have ended, in steps of a clock tick: only its mean
/// is worth something.
fn children_cpu_ms() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .collect();
    let ticks: f64 = fields[13..15]
        .iter()
        .map(|field| field.parse::<f64>().unwrap())
        .sum();
    ticks * 10.0
}

/// Forwards connections to a service and counts them and their requests.
struct CountingProxy {
    base_url: String,
    requests: Arc<AtomicUsize>,
    connections: Arc<AtomicUsize>,
}

impl CountingProxy {
    fn start(base_url: &str) -> CountingProxy {
        let upstream = host_of(base_url).to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!("http://{}/api/v1", listener.local_addr().unwrap());
        let (requests, connections) =
            (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (counted, connected) = (requests.clone(), connections.clone());
        std::thread::spawn(move || {
            while let Ok((client, _)) = listener.accept() {
                connected.fetch_add(1, Ordering::Relaxed);
                let service = TcpStream::connect(&upstream).unwrap();
                let (back, answers) = (client.try_clone().unwrap(), service.try_clone().unwrap());
                let counted = counted.clone();
                std::thread::spawn(move || forward(client, service, Some(&counted)));
                std::thread::spawn(move || forward(answers, back, None));
            }
        });
        CountingProxy {
            base_url,
            requests,
            connections,
        }
    }

    fn reset(&self) {
        self.requests.store(0, Ordering::Relaxed);
        self.connections.store(0, Ordering::Relaxed);
    }

    fn counts(&self) -> (usize, usize) {
        (
            self.requests.load(Ordering::Relaxed),
            self.connections.load(Ordering::Relaxed),
        )
    }
}

/// Copies bytes until one end closes; each part that ends a head is one request, because a GET has
/// no body.
fn forward(mut from: TcpStream, mut to: TcpStream, counted: Option<&AtomicUsize>) {
    to.set_nodelay(true).unwrap();
    let mut part = [0; 1 << 16];
    while let Ok(n) = from.read(&mut part)
        && n > 0
    {
        if let Some(counted) = counted
            && part[..n].ends_with(b"\r\n\r\n")
        {
            counted.fetch_add(1, Ordering::Relaxed);
        }
        if to.write_all(&part[..n]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}

fn host_of(base_url: &str) -> &str {
    base_url
        .trim_start_matches("http://")
        .trim_end_matches("/api/v1")
}

/// The least that a ratatui program with the same rows does: a frame, a request without a library,
/// and the rows.
fn run_peer(base_url: &str) {
    crossterm::terminal::enable_raw_mode().unwrap();
    let mut out = std::io::stdout();
    crossterm::execute!(out, crossterm::terminal::EnterAlternateScreen).unwrap();
    let mut terminal = Terminal::new(CrosstermBackend::new(out)).unwrap();
    terminal
        .draw(|frame| frame.render_widget(Paragraph::new("loading"), frame.area()))
        .unwrap();
    let [token, workspace] =
        ["GANTRY_TOKEN", "GANTRY_WORKSPACE"].map(|name| std::env::var(name).unwrap());
    let mut stream = TcpStream::connect(host_of(base_url)).unwrap();
    let request = format!(
        "GET /api/v1/signals/queue?status=new&limit=100&offset=0&workspace_id={workspace} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let page: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
    let rows = page["signals"].as_array().unwrap();
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let lines = rows.iter().map(|row| {
        format!(
            "{:<60} {:<30} {}",
            text(row, "project_name"),
            text(row, "signal_type"),
            text(row, "filed_at")
        )
    });
    let items: Vec<ListItem<'_>> = std::iter::once(format!("{} rows", rows.len()))
        .chain(lines)
        .map(ListItem::new)
        .collect();
    terminal
        .draw(|frame| frame.render_widget(List::new(items), frame.area()))
        .unwrap();
    loop {
        std::thread::park();
    }
}

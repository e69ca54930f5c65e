//! The real event loop with a service that answers when the test says so, and a terminal that
//! records writes.

use std::cell::Cell;
use std::collections::VecDeque;
use std::io;
use std::num::NonZeroU16;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use crossterm::event::{KeyCode, KeyEvent};
use gantry::app::effect::ServiceCall;
use gantry::app::msg::Reply;
use gantry::app::{AppSettings, ConsoleSession, Msg};
use gantry::domain::pages::Page;
use gantry::domain::queue::{QueueSignal, QueueStats};
use gantry::domain::request_error::{RequestError, RequestErrorKind, ServiceError};
use gantry::domain::workspace::Workspace;
use gantry::platform::terminal::ExitSignal;
use gantry::runtime::backend::{Backend, BackendConnection, BackendFuture, CallContext};
use gantry::runtime::configuration_file::ConfigurationFile;
use gantry::runtime::event::Event;
use gantry::runtime::event_loop::{
    EVENT_CHANNEL_CAPACITY, EventLoop, EventLoopOptions, ExitReport, TerminalControl,
};
use gantry::runtime::input::parse::TerminalReport;
use gantry::runtime::preferences::Preferences;
use gantry::ui::Background;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;

thread_local! {
    /// The local time zone, in seconds ahead of UTC.
    static OFFSET: Cell<i32> = const { Cell::new(0) };
}

const WAIT_TIMEOUT: Duration = Duration::from_secs(10);

#[tokio::test(start_paused = true)]
async fn the_first_frame_is_drawn_before_the_first_response() {
    let bench = EventLoopFixture::start(BackendBehavior::Never);
    bench
        .wait_until("a frame", |glass| glass.write_count == 1)
        .await;
    assert!(bench.text().contains("bench"), "{}", bench.text());
    bench.quit().await;
}

fn rejection(status: u16, retry_after: u64) -> RequestError {
    let refusal = ServiceError {
        status,
        retry_after: Some(Duration::from_secs(retry_after)).filter(|pause| !pause.is_zero()),
        ..ServiceError::default()
    };
    RequestError {
        kind: RequestErrorKind::Rejected(refusal),
        message: format!("the service said {status}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_service_that_rejects_the_first_contact_for_an_hour_is_asked_again_after_it() {
    let busy = [rejection(429, 3_600), rejection(503, 1)];
    let bench = EventLoopFixture::start_with(BackendBehavior::Empty, false, busy);
    bench
        .wait_until("the reason", |glass| {
            glass
                .parser
                .screen()
                .contents()
                .contains("the service said 429")
        })
        .await;
    assert!(bench.backend.requests.lock().unwrap().is_empty());
    tokio::time::sleep(Duration::from_secs(3_700)).await;
    let asked = bench.backend.requests.lock().unwrap().clone();
    assert!(!asked.is_empty(), "{}", bench.text());
    bench.quit().await;
}

#[tokio::test(start_paused = true)]
async fn a_first_contact_that_cannot_succeed_ends_the_console() {
    let bench = EventLoopFixture::start_with(BackendBehavior::Empty, false, [rejection(401, 0)]);
    let report = bench.task.await.unwrap();
    assert_eq!(report.lines, ["gantry: the service said 401"]);
}

#[tokio::test(start_paused = true)]
async fn the_first_request_is_the_rows_of_the_screen_and_the_next_follows_once_they_are_shown() {
    let mut bench = EventLoopFixture::start(BackendBehavior::Empty);
    bench.wait_until_idle().await;
    let requests = bench.backend.requests.lock().unwrap().clone();
    let (first, rest) = requests.split_first().unwrap();
    assert_eq!(first, &("Queue".to_owned(), false));
    assert!(rest.iter().all(|(_, shown)| *shown), "{requests:?}");
    let names: Vec<_> = rest.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        ["Stats", "SavedState", "Workspace", "Members", "Credits"]
    );
    bench.quit().await;
}

#[tokio::test(start_paused = true)]
async fn after_the_rows_one_request_at_a_time_is_sent() {
    let mut bench = EventLoopFixture::start(BackendBehavior::Slow(Duration::from_millis(30)));
    bench.wait_until_idle().await;
    assert_eq!(*bench.backend.most_open.lock().unwrap(), 1);
    bench.quit().await;
}

#[tokio::test(start_paused = true)]
async fn the_counts_are_requested_although_the_rows_cannot_be_read() {
    let mut bench = EventLoopFixture::start(BackendBehavior::Always(RequestError::new_not_sent(
        "cannot reach nowhere.example",
    )));
    bench.wait_until_idle().await;
    let requests = bench.backend.requests.lock().unwrap().clone();
    assert_eq!(requests[1].0, "Stats", "{requests:?}");
    bench.quit().await;
}

#[tokio::test(start_paused = true)]
async fn two_hundred_keys_at_once_draw_one_frame() {
    let mut bench = EventLoopFixture::start(BackendBehavior::Empty);
    bench
        .wait_until("rest", |glass| glass.text().contains("new"))
        .await;
    bench.wait_until_idle().await;
    let before = bench.write_count();
    let keys: Vec<_> = (0..200)
        .map(|n| {
            if n % 2 == 0 {
                KeyCode::Char('j')
            } else {
                KeyCode::Char('k')
            }
        })
        .collect();
    // All of them are pending when the loop wakes, as when a held key or a paste outruns it.
    for key in keys {
        bench
            .events
            .try_send(Event::Msg(Msg::Key(KeyEvent::from(key))))
            .unwrap();
    }
    bench.wait_until_idle().await;
    assert!(
        bench.write_count() - before <= 1,
        "{} writes",
        bench.write_count() - before
    );
    bench.quit().await;
}

#[tokio::test(start_paused = true)]
async fn keys_are_handled_at_once_while_every_request_hangs() {
    let bench = EventLoopFixture::start(BackendBehavior::Never);
    bench
        .wait_until("a frame", |glass| glass.write_count == 1)
        .await;
    let began = tokio::time::Instant::now();
    for (key, shown) in [(KeyCode::Char('?'), true), (KeyCode::Esc, false)] {
        bench
            .events
            .try_send(Event::Msg(Msg::Key(KeyEvent::from(key))))
            .unwrap();
        bench
            .wait_until("an answer", |glass| {
                glass.text().contains("─ Help ─") == shown
            })
            .await;
    }
    assert_eq!(began.elapsed(), Duration::ZERO);
    bench.quit().await;
}

#[tokio::test(start_paused = true)]
async fn a_thousand_resizes_at_once_draw_one_frame() {
    let mut bench = EventLoopFixture::start(BackendBehavior::Empty);
    bench.wait_until_idle().await;
    let before = bench.write_count();
    for _ in 0..1_000 {
        bench.events.try_send(Event::Resized).unwrap();
    }
    bench.wait_until_idle().await;
    assert!(
        (1..=2).contains(&(bench.write_count() - before)),
        "{} writes",
        bench.write_count() - before
    );
    bench.quit().await;
}

#[tokio::test(start_paused = true)]
async fn a_daylight_saving_change_is_followed() {
    let bench = EventLoopFixture::start(BackendBehavior::Empty);
    bench
        .wait_until("the counts", |glass| glass.text().contains("as of 12:00"))
        .await;
    OFFSET.set(3600);
    bench.events.try_send(Event::Resized).unwrap();
    bench
        .wait_until("an hour later", |glass| {
            glass.text().contains("as of 13:00")
        })
        .await;
    bench.quit().await;
}

#[tokio::test(start_paused = true)]
async fn nothing_is_written_to_the_terminal_while_idle() {
    let mut bench = EventLoopFixture::start(BackendBehavior::Empty);
    bench.wait_until_idle().await;
    let before = bench.write_count();
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(bench.write_count(), before);
    bench.quit().await;
}

#[tokio::test(start_paused = true)]
async fn quitting_does_not_wait_for_the_network() {
    let bench = EventLoopFixture::start(BackendBehavior::Never);
    bench
        .wait_until("a frame", |glass| glass.write_count == 1)
        .await;
    let began = Instant::now();
    let ended = bench.quit().await;
    assert!(
        began.elapsed() < Duration::from_millis(200),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(ended.status, 143);
}

#[tokio::test(start_paused = true)]
async fn quitting_waits_briefly_for_a_write_and_reports_unanswered_ones() {
    let line = "gantry: 1 change was sent but not yet confirmed; gantry log shows what was applied";
    for (behavior, is_answered) in [
        (BackendBehavior::Never, false),
        (BackendBehavior::Slow(Duration::from_millis(700)), true),
    ] {
        let mut bench = EventLoopFixture::start(BackendBehavior::Empty);
        bench.wait_until_idle().await;
        bench.backend.set_behavior(behavior);
        bench
            .events
            .try_send(Event::Msg(Msg::Key(KeyEvent::from(KeyCode::Char('e')))))
            .unwrap();
        bench
            .wait_until("the triage", |glass| glass.text().contains("marking done"))
            .await;
        let began = Instant::now();
        let ended = bench.quit().await;
        assert!(
            began.elapsed() < Duration::from_secs(2),
            "{:?}",
            began.elapsed()
        );
        assert_eq!(ended.lines[0], "gantry ended by SIGTERM");
        assert_eq!(
            ended.lines.iter().any(|said| said == line),
            !is_answered,
            "{:?}",
            ended.lines
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_plan_without_access_exits_with_one_line_and_status_3() {
    let refusal = ServiceError {
        status: 403,
        code: "forbidden".into(),
        message: "needs the Pro plan".into(),
        ..ServiceError::default()
    };
    let failure = RequestError {
        kind: RequestErrorKind::Rejected(refusal),
        message: "the service refused: needs the Pro plan".into(),
    };
    let ended = EventLoopFixture::start(BackendBehavior::Always(failure))
        .wait_for_end()
        .await;
    assert_eq!(ended.status, 3);
    assert_eq!(
        ended.lines[0],
        "gantry: the service refused: needs the Pro plan"
    );
}

#[tokio::test(start_paused = true)]
async fn quitting_before_the_first_response_exits_with_status_5() {
    let mut bench = EventLoopFixture::start(BackendBehavior::Always(RequestError::new_not_sent(
        "cannot reach nowhere.example",
    )));
    bench.wait_until_idle().await;
    assert!(!bench.task.is_finished());
    bench
        .events
        .try_send(Event::Msg(Msg::Key(KeyEvent::from(KeyCode::Char('q')))))
        .unwrap();
    let ended = bench.wait_for_end().await;
    assert_eq!(
        (ended.status, ended.lines[0].as_str()),
        (5, "gantry: cannot reach nowhere.example")
    );
}

#[tokio::test(start_paused = true)]
async fn a_failure_after_the_first_response_is_shown_and_not_fatal() {
    let mut bench = EventLoopFixture::start(BackendBehavior::Empty);
    bench.wait_until_idle().await;
    bench
        .backend
        .set_behavior(BackendBehavior::Always(RequestError::new_not_sent(
            "cannot reach nowhere.example",
        )));
    bench
        .events
        .try_send(Event::Msg(Msg::Key(KeyEvent::from(KeyCode::Char('R')))))
        .unwrap();
    bench.wait_until_idle().await;
    assert!(!bench.task.is_finished());
    bench.quit().await;
}

#[tokio::test(start_paused = true)]
async fn a_key_press_is_one_write_and_lists_use_terminal_scrolling() {
    let mut bench = EventLoopFixture::start(BackendBehavior::Empty);
    bench.wait_until_idle().await;
    let (mut moving, mut scrolling) = (0, 0);
    for n in 0..60 {
        let before = (bench.write_count(), bench.byte_count());
        bench
            .events
            .try_send(Event::Msg(Msg::Key(KeyEvent::from(KeyCode::Char('j')))))
            .unwrap();
        bench.wait_until_idle().await;
        assert_eq!(bench.write_count() - before.0, 1);
        let most = if n < 15 { &mut moving } else { &mut scrolling };
        *most = (bench.byte_count() - before.1).max(*most);
    }
    // Two rows with their background, and the preview next to them.
    assert!(moving <= 512, "{moving} bytes");
    assert!(scrolling <= 1300, "{scrolling} bytes");
    bench.quit().await;
}

#[tokio::test(start_paused = true)]
async fn a_held_key_moves_the_cursor_at_once_and_shows_the_preview_when_it_is_released() {
    let mut bench = EventLoopFixture::start(BackendBehavior::Empty);
    bench.wait_until_idle().await;
    // Only the preview has the name in its border.
    let has_preview = |bench: &EventLoopFixture, row: usize| {
        bench.text().contains(&format!("Harbor Yard {row} ─"))
    };
    for row in 1..8 {
        bench
            .events
            .try_send(Event::Msg(Msg::Key(KeyEvent::from(KeyCode::Char('j')))))
            .unwrap();
        bench
            .wait_until("the cursor", |glass| {
                glass.text().contains(&format!("{} of", row + 1))
            })
            .await;
        assert_eq!(has_preview(&bench, row), row == 1, "{}", bench.text());
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
    tokio::time::sleep(Duration::from_millis(60)).await;
    assert!(has_preview(&bench, 7), "{}", bench.text());
    let before = bench.write_count();
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(bench.write_count(), before, "nothing ticks");
    bench.quit().await;
}

/// Whether there is muted text as on a light background.
fn is_light(glass: &RecordedScreen) -> bool {
    (0..36)
        .flat_map(|y| (0..120).map(move |x| (y, x)))
        .any(|(y, x)| {
            glass
                .parser
                .screen()
                .cell(y, x)
                .is_some_and(|cell| cell.fgcolor() == vt100::Color::Idx(242))
        })
}

#[tokio::test(start_paused = true)]
async fn the_first_frame_uses_the_background_that_the_terminal_reported_by_then() {
    let bench = EventLoopFixture::start_querying_terminal(BackendBehavior::Never);
    assert_eq!(
        bench.byte_count(),
        "\x1b[?u\x1b]11;?\x1b\\\x1b[c".len(),
        "the query is the first thing written"
    );
    bench.report_light_background();
    bench
        .wait_until("a frame", |glass| glass.write_count > 1)
        .await;
    assert!(
        bench.write_count() == 2 && is_light(&bench.output.0.0.lock().unwrap()),
        "{}",
        bench.text()
    );
    bench.quit().await;
}

#[tokio::test(start_paused = true)]
async fn a_terminal_that_never_reports_its_background_is_not_waited_for_and_no_key_is_lost() {
    let bench = EventLoopFixture::start_querying_terminal(BackendBehavior::Empty);
    let began = tokio::time::Instant::now();
    bench
        .events
        .try_send(Event::Msg(Msg::Key(KeyEvent::from(KeyCode::Char('?')))))
        .unwrap();
    bench
        .wait_until("a frame", |glass| glass.write_count > 1)
        .await;
    assert_eq!(began.elapsed(), Duration::ZERO);
    assert!(bench.text().contains("Help"), "{}", bench.text());
    bench.quit().await;
}

#[tokio::test(start_paused = true)]
async fn a_background_reported_late_changes_the_colors_then() {
    let mut bench = EventLoopFixture::start_querying_terminal(BackendBehavior::Empty);
    bench.wait_until_idle().await;
    let before = (bench.text(), bench.write_count());
    bench.report_light_background();
    bench.wait_until_idle().await;
    assert!(is_light(&bench.output.0.0.lock().unwrap()));
    assert_eq!(
        (bench.text(), bench.write_count()),
        (before.0, before.1 + 1)
    );
    bench.quit().await;
}

#[tokio::test(start_paused = true)]
async fn a_response_in_flight_at_exit_is_waited_for_briefly() {
    let bench = EventLoopFixture::start_querying_terminal(BackendBehavior::Never);
    bench
        .wait_until("a frame", |glass| glass.write_count > 1)
        .await;
    let began = tokio::time::Instant::now();
    let (events, quitting) = (bench.events.clone(), bench.quit());
    let answering = async move {
        events
            .send(Event::Terminal(TerminalReport::Answered))
            .await
            .unwrap()
    };
    tokio::join!(quitting, answering);
    assert!(
        began.elapsed() < Duration::from_millis(100),
        "{:?}",
        began.elapsed()
    );
    let bench = EventLoopFixture::start_querying_terminal(BackendBehavior::Never);
    let began = tokio::time::Instant::now();
    bench.quit().await;
    assert!(
        began.elapsed() <= Duration::from_millis(310),
        "{:?}",
        began.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn the_terminal_is_asked_what_an_escape_byte_is_and_for_its_keyboard_protocol() {
    let mut bench = EventLoopFixture::start_querying_terminal(BackendBehavior::Empty);
    bench.report_light_background();
    bench.wait_until_idle().await;
    for (report, query) in [
        (TerminalReport::EscapeHeld, "\x1b[c"),
        (TerminalReport::KeyboardProtocolOff, "\x1b[?u\x1b[c"),
    ] {
        let before = bench.byte_count();
        bench.events.try_send(Event::Terminal(report)).unwrap();
        bench.wait_until_idle().await;
        assert_eq!(bench.byte_count(), before + query.len(), "{report:?}");
    }
    let began = tokio::time::Instant::now();
    let (events, quitting) = (bench.events.clone(), bench.quit());
    let answering = async move {
        for _ in 0..2 {
            events
                .send(Event::Terminal(TerminalReport::Answered))
                .await
                .unwrap();
        }
    };
    tokio::join!(quitting, answering);
    assert!(
        began.elapsed() < Duration::from_millis(100),
        "both are answered: {:?}",
        began.elapsed()
    );
}

/// How the service behaves.
#[derive(Clone)]
enum BackendBehavior {
    Never,
    Empty,
    /// Like `Empty`, after this time.
    Slow(Duration),
    Always(RequestError),
}

/// Signals in the queue.
const QUEUE_LENGTH: u64 = 500;

fn queue_page(offset: u32, limit: u32) -> Page<QueueSignal> {
    let row = |n: u64| {
        serde_json::from_value(serde_json::json!({
            "id": uuid::Uuid::from_u128(u128::from(n) + 1), "signal_type": "permit_issued", "priority": (["high", "medium", "low"][n as usize % 3]),
            "filed_at": format!("2026-07-{:02}", 9 - n % 9), "discovered_at": format!("2026-07-09T08:{:02}:00Z", n % 60),
            "project_id": uuid::Uuid::from_u128(u128::from(n / 2) + 1), "project_name": format!("Harbor Yard {n}"),
            "project_address": format!("{n} Harbor Rd, Austin TX"), "reported_cost_usd": n * 12_345, "filing_id": format!("BP-2026-{n}"),
            "triage_status": "new", "source_name": "Austin Permits",
        }))
        .unwrap()
    };
    let end = QUEUE_LENGTH.min(u64::from(offset) + u64::from(limit));
    let next_offset = u32::try_from(end).ok().filter(|_| end < QUEUE_LENGTH);
    Page {
        rows: (u64::from(offset)..end).map(row).collect(),
        unreadable: 0,
        offset,
        total: Some(QUEUE_LENGTH),
        next_offset,
    }
}

struct ScriptedBackend {
    behavior: Mutex<BackendBehavior>,
    screen: SharedTerminal,
    /// What was requested, and whether the first row was on the screen by then.
    requests: Mutex<Vec<(String, bool)>>,
    /// Requests of the service without an answer, now and at most.
    open: Arc<Mutex<usize>>,
    most_open: Mutex<usize>,
}

impl ScriptedBackend {
    fn set_behavior(&self, answers: BackendBehavior) {
        *self.behavior.lock().unwrap() = answers;
    }

    fn reply<T: Send + 'static>(&self, name: &str, value: Option<T>) -> BackendFuture<T> {
        let shown = self
            .screen
            .0
            .0
            .lock()
            .unwrap()
            .text()
            .contains("Harbor Yard 0");
        self.requests.lock().unwrap().push((name.to_owned(), shown));
        let answers = self.behavior.lock().unwrap().clone();
        let open = self.open.clone();
        // The saved state is read from this machine.
        if name != "SavedState" {
            *open.lock().unwrap() += 1;
            let mut most = self.most_open.lock().unwrap();
            *most = (*most).max(*open.lock().unwrap());
        }
        let is_counted = name != "SavedState";
        Box::pin(async move {
            match answers {
                BackendBehavior::Never => std::future::pending().await,
                BackendBehavior::Empty => {}
                BackendBehavior::Slow(time) => tokio::time::sleep(time).await,
                BackendBehavior::Always(failure) => return Err(failure),
            }
            *open.lock().unwrap() -= usize::from(is_counted);
            value.ok_or_else(|| RequestError::new_not_sent("this test has no such thing"))
        })
    }
}

impl Backend for ScriptedBackend {
    fn call(self: Arc<Self>, call: ServiceCall, _: CallContext) -> BackendFuture<Reply> {
        let words = format!("{call:?}");
        let name = words.split([' ', '(']).next().unwrap();
        let value = match call {
            ServiceCall::Workspace => Some(Reply::Workspace(Workspace::default())),
            ServiceCall::Queue { offset, limit, .. } => {
                Some(Reply::Queue(queue_page(offset, limit)))
            }
            ServiceCall::Members => Some(Reply::Members(vec![])),
            ServiceCall::Subscriptions => Some(Reply::Subscriptions(vec![])),
            _ => None,
        };
        self.reply(name, value)
    }

    fn queue_stats(self: Arc<Self>) -> BackendFuture<(QueueStats, Option<DateTime<Utc>>)> {
        self.reply(
            "Stats",
            Some((
                QueueStats {
                    new_count: QUEUE_LENGTH,
                    ..QueueStats::default()
                },
                None,
            )),
        )
    }
}

/// The terminal: what was written, and how often.
#[derive(Clone)]
struct SharedTerminal(Arc<(Mutex<RecordedScreen>, Notify)>);

struct RecordedScreen {
    parser: vt100::Parser,
    write_count: usize,
    byte_count: usize,
}

impl RecordedScreen {
    fn text(&self) -> String {
        self.parser.screen().contents()
    }
}

impl io::Write for SharedTerminal {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut glass = self.0.0.lock().unwrap();
        glass.parser.process(bytes);
        glass.write_count += 1;
        glass.byte_count += bytes.len();
        self.0.1.notify_waiters();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct NullTerminal;

impl TerminalControl for NullTerminal {
    fn set_mouse(&mut self, _: bool) {}
    fn enable_keyboard_protocol(&mut self) -> bool {
        true
    }
    fn release(&mut self) {}
    fn stop(&mut self) {}
    fn resume(&mut self) {}
    fn size(&self) -> (u16, u16) {
        (120, 36)
    }
    fn has_input(&self) -> bool {
        false
    }
}

struct EventLoopFixture {
    output: SharedTerminal,
    backend: Arc<ScriptedBackend>,
    events: mpsc::Sender<Event>,
    task: JoinHandle<ExitReport>,
}

impl EventLoopFixture {
    fn start(answers: BackendBehavior) -> EventLoopFixture {
        EventLoopFixture::start_with(answers, false, [])
    }

    /// A console that asks the terminal what it is.
    fn start_querying_terminal(answers: BackendBehavior) -> EventLoopFixture {
        EventLoopFixture::start_with(answers, true, [])
    }

    /// A console whose first attempts to connect fail.
    fn start_with<const N: usize>(
        answers: BackendBehavior,
        queries_terminal: bool,
        failures: [RequestError; N],
    ) -> EventLoopFixture {
        let failures = Mutex::new(VecDeque::from(failures));
        let cells = |n| NonZeroU16::new(n).unwrap();
        let parser = vt100::Parser::new(cells(36), cells(120), 0);
        let glass = SharedTerminal(Arc::new((
            Mutex::new(RecordedScreen {
                parser,
                write_count: 0,
                byte_count: 0,
            }),
            Notify::new(),
        )));
        let service = Arc::new(ScriptedBackend {
            behavior: Mutex::new(answers),
            screen: glass.clone(),
            requests: Mutex::default(),
            open: Arc::default(),
            most_open: Mutex::default(),
        });
        let connection = BackendConnection::new(service.clone(), "bench");
        let start = EventLoopOptions {
            start_at: None,
            session: ConsoleSession {
                label: "bench".into(),
                connected: true,
                read_only: false,
                is_dashboard_only: false,
            },
            settings: AppSettings::default(),
            cached_queue: None,
            connect_initially: Box::new(move || {
                let failure = failures.lock().unwrap().pop_front();
                let outcome = failure.map_or(Ok(connection.clone()), Err);
                Some(Box::pin(async move { outcome }))
            }),
            connect: Arc::new(|_| Box::pin(async { Err(RequestError::new_not_sent("nowhere")) })),
            queries_terminal,
            escape_timeout: Duration::ZERO,
            preferences: Preferences::default(),
            configuration: ConfigurationFile {
                paths: gantry::config::Paths::from_env(&|_| None),
                problems: Vec::new(),
                reload: Box::new(|| Ok((AppSettings::default(), Vec::new()))),
                list: Box::new(|| Ok(Vec::new())),
            },
            editor: gantry::runtime::external_editor::ExternalEditor::default(),
            now: || "2026-07-09T12:00:00Z".parse().unwrap(),
            utc_offset: || chrono::FixedOffset::east_opt(OFFSET.get()).unwrap(),
        };
        let (events, waiting) = mpsc::channel(EVENT_CHANNEL_CAPACITY);
        let console = EventLoop::new(start, NullTerminal, glass.clone(), events.clone());
        let work = tokio::spawn(console.run(waiting));
        EventLoopFixture {
            output: glass,
            backend: service,
            events,
            task: work,
        }
    }

    /// The terminal answers what it was asked at the start.
    fn report_light_background(&self) {
        for event in [
            Event::Msg(Msg::Background(Background::Light)),
            Event::Terminal(TerminalReport::Answered),
        ] {
            self.events.try_send(event).unwrap();
        }
    }

    fn text(&self) -> String {
        self.output.0.0.lock().unwrap().text()
    }

    fn write_count(&self) -> usize {
        self.output.0.0.lock().unwrap().write_count
    }

    fn byte_count(&self) -> usize {
        self.output.0.0.lock().unwrap().byte_count
    }

    async fn wait_until(&self, what: &str, holds: impl Fn(&RecordedScreen) -> bool) {
        let waiting = async {
            loop {
                let written = self.output.0.1.notified();
                if holds(&self.output.0.0.lock().unwrap()) {
                    return;
                }
                written.await;
            }
        };
        if tokio::time::timeout(WAIT_TIMEOUT, waiting).await.is_err() {
            panic!("no {what}:\n{}", self.text());
        }
    }

    /// Waits until nothing more can happen. Time is advanced when everything is idle.
    async fn wait_until_idle(&mut self) {
        loop {
            let before = self.write_count();
            tokio::time::sleep(Duration::from_millis(50)).await;
            if self.write_count() == before {
                return;
            }
        }
    }

    async fn quit(self) -> ExitReport {
        self.events
            .try_send(Event::ExitRequested(ExitSignal {
                name: "SIGTERM",
                number: 15,
            }))
            .unwrap();
        self.wait_for_end().await
    }

    async fn wait_for_end(self) -> ExitReport {
        tokio::time::timeout(WAIT_TIMEOUT, self.task)
            .await
            .expect("the loop does not end")
            .unwrap()
    }
}

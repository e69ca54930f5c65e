//! The console under arbitrary terminal bytes, with a service that answers, rejects or stays silent
//! depending on the bytes.

use chrono::{DateTime, Duration, Utc};
use gantry::app::effect::{Effect, ServiceCall, WriteRequest};
use gantry::app::msg::{Msg, Push, Reply, Timer, Token};
use gantry::app::{AppSettings, Console, ConsoleSession};
use gantry::domain::batch::BatchItemResult;
use gantry::domain::credits::Credits;
use gantry::domain::pages::Page;
use gantry::domain::queue::QueueStats;
use gantry::domain::request_error::RequestError;
use gantry::domain::search::SearchPage;
use gantry::domain::vocabulary::Vocabulary;
use gantry::runtime::input::parse::InputParser;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use uuid::Uuid;

use super::untrusted_text::is_harmless;

/// Bytes that are not keys have other meanings here: a response, a resize, time.
const ANSWER_BYTE: u8 = 0xf8;
const REFUSE_BYTE: u8 = 0xf9;
const RESIZE_BYTE: u8 = 0xfa;
const WAIT_BYTE: u8 = 0xfb;
const POLL_BYTE: u8 = 0xfc;

/// Any keys, pastes and mouse moves, at any size and with any responses: the console draws only
/// safe text and never panics.
pub fn keys(data: &[u8]) {
    let mut desk = ConsoleHarness::start();
    let mut now = std::time::Instant::now();
    let mut parser = InputParser::new(std::time::Duration::ZERO, false, now);
    for piece in data.chunk_by(|a, b| *a < ANSWER_BYTE && *b < ANSWER_BYTE) {
        match piece[0] {
            ANSWER_BYTE => desk.answer_next_call(true),
            REFUSE_BYTE => desk.answer_next_call(false),
            RESIZE_BYTE => desk.resize(u16::from(data[0]) + 7, u16::from(data[data.len() - 1]) + 3),
            WAIT_BYTE => desk.elapse_timer(),
            POLL_BYTE => desk.poll(),
            _ => {
                now += std::time::Duration::from_secs(3);
                let read = parser.feed(piece, now);
                let late = parser.expire(now + std::time::Duration::from_secs(2));
                read.into_iter().chain(late).for_each(|msg| desk.send(msg));
            }
        }
    }
    desk.draw();
}

/// The initial terminal size.
const INITIAL_SIZE: (u16, u16) = (100, 30);

struct ConsoleHarness {
    app: Console,
    now: DateTime<Utc>,
    pending_calls: Vec<(Token, ServiceCall)>,
    timers: Vec<Timer>,
    size: (u16, u16),
}

impl ConsoleHarness {
    fn start() -> ConsoleHarness {
        let now = "2026-07-09T09:20:14Z".parse().expect("a valid time");
        let session = ConsoleSession {
            label: "fuzz".to_owned(),
            connected: true,
            read_only: false,
            is_dashboard_only: false,
        };
        let (app, effects) = Console::new(session, AppSettings::default(), INITIAL_SIZE, now);
        let mut desk = ConsoleHarness {
            app,
            now,
            pending_calls: Vec::new(),
            timers: Vec::new(),
            size: INITIAL_SIZE,
        };
        desk.handle_effects(effects);
        desk.poll();
        while !desk.pending_calls.is_empty() {
            desk.answer_next_call(true);
        }
        desk
    }

    fn handle_effects(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Call { token, call, .. } => self.pending_calls.push((token, call)),
                Effect::SetTimer { timer, .. } => self.timers.push(timer),
                _ => {}
            }
        }
    }

    fn send(&mut self, msg: Msg) {
        self.now += Duration::milliseconds(70);
        let effects = self.app.update(msg, self.now);
        self.handle_effects(effects);
    }

    fn poll(&mut self) {
        let stats: QueueStats = from_json(json!({
            "new_count": 12 + self.now.timestamp() % 3, "high_priority_new_count": 4, "done_count": 7,
            "type_counts": [{"signal_type": "permit_issued", "new_count": 12}],
        }));
        self.send(Msg::Pushed(Push::Stats {
            result: Ok(stats),
            skew: Duration::zero(),
        }));
    }

    fn elapse_timer(&mut self) {
        if let Some(timer) = self.timers.pop() {
            self.now += Duration::minutes(1);
            self.send(Msg::Elapsed(timer));
        }
    }

    fn resize(&mut self, a: u16, b: u16) {
        let (width, height) = self.size;
        self.size = (
            width.wrapping_mul(31).wrapping_add(a) % 201,
            height.wrapping_mul(17).wrapping_add(b) % 61,
        );
        self.send(Msg::Resized(self.size.0, self.size.1));
        self.draw();
    }

    fn answer_next_call(&mut self, well: bool) {
        if self.pending_calls.is_empty() {
            return;
        }
        let (token, call) = self.pending_calls.remove(0);
        let reply = if well { reply_to(&call) } else { None };
        let refused = || match token.0 % 3 {
            0 => RequestError::new_not_sent("connection refused"),
            1 => RequestError::new_ambiguous("no answer in time"),
            _ => RequestError::new_not_sent("\u{1b}[31mno\u{202e}\n".repeat(40)),
        };
        self.send(Msg::Replied(token, reply.ok_or_else(refused)));
    }

    fn draw(&self) {
        let mut buf = Buffer::empty(Rect::new(0, 0, self.size.0, self.size.1));
        self.app.draw(&mut buf);
        for cell in buf.content() {
            assert!(
                cell.symbol().chars().all(is_harmless),
                "{:?} is on the screen",
                cell.symbol()
            );
        }
    }
}

fn from_json<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("written for this type")
}

fn nth_id(n: u32) -> Uuid {
    Uuid::from_u128(u128::from(n) + 1)
}

fn nth_record(n: u32) -> Value {
    json!({"id": nth_id(n), "name": format!("Calder \u{1b}]0;{n}\u{7}"), "city": "Austin", "tags": ["a", "b"], "notes": "x\n\u{202e}y",
        "workspace_status": null, "updated_at": "2026-07-01T00:00:00Z", "accounts": [{"id": nth_id(n + 1), "name": "Moss"}],
        "signals": [{"id": nth_id(n + 2), "signal_type": "permit_issued", "filed_at": "2026-07-02"}]})
}

/// The response of a healthy service; `None` for calls that this one does not support.
fn reply_to(call: &ServiceCall) -> Option<Reply> {
    Some(match call {
        ServiceCall::Queue { offset, limit, .. } => {
            let row = |n: u32| {
                from_json(json!({"id": nth_id(n), "signal_type": "permit_issued", "priority": "high", "triage_status": "new",
                "filed_at": "2026-07-02T00:00:00Z", "project_id": nth_id(n / 3), "project_name": "\u{1b}[2JHarbor\u{202e} Yard"}))
            };
            let rows = (*offset..(offset + limit).min(30)).map(row).collect();
            Reply::Queue(Page { rows, offset: *offset, total: Some(30), ..Page::default() })
        }
        ServiceCall::Signal { .. } | ServiceCall::Description { .. } => {
            let signal = json!({"id": nth_id(1), "raw_data": {"description": ["\u{7f}", 1.5, null], "work_desc": "\u{1b}[2J"}});
            Reply::Signal((Box::new(from_json(signal)), None))
        }
        ServiceCall::Record { key, .. } => {
            let n = u32::try_from(key.id.as_u128() % 50).unwrap_or(0);
            Reply::Record((from_json(nth_record(n)), None, Some(1)))
        }
        ServiceCall::Search { limit, .. } => Reply::SearchPage(SearchPage {
            rows: (0..(*limit).min(12)).map(|n| from_json(nth_record(n))).collect(),
            total: Some(12),
            credits: Some(12),
            ..SearchPage::default()
        }),
        ServiceCall::Fields(_) => Reply::Fields(Vocabulary::from(json!({"fields": [
            {"key": "city", "kind": "text"}, {"key": "stories", "kind": "number"},
            {"key": "has_account", "kind": "relation", "related": "accounts", "fields": [{"key": "role", "values": ["gc", "developer"]}]},
        ]}))),
        ServiceCall::Views => Reply::Views(
            (0..6)
                .map(|n| from_json(json!({"id": nth_id(n), "name": format!("View {n}"), "dataset": "account", "type": "static"})))
                .collect(),
        ),
        ServiceCall::Favorites => Reply::Favorites(Vec::new()),
        ServiceCall::Credits => {
            Reply::Credits((from_json::<Credits>(json!({"used": 3, "limit": 250_000, "remaining": 249_997})), None))
        }
        ServiceCall::Members => Reply::Members(Vec::new()),
        ServiceCall::Triage { ids, .. } => Reply::Triaged(Some(ids.len() as u64)),
        ServiceCall::Write(write) => Reply::Written(
            (0..item_count(write)).map(|index| from_json::<BatchItemResult>(json!({"index": index, "status": "ok"}))).collect(),
        ),
        _ => return None,
    })
}

fn item_count(write: &WriteRequest) -> usize {
    match write {
        WriteRequest::Annotate { items, .. } => items.len(),
        WriteRequest::Forget { ids, .. }
        | WriteRequest::Add { ids, .. }
        | WriteRequest::Remove { ids, .. } => ids.len(),
        _ => 1,
    }
}

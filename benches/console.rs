//! One key, one frame: what the console costs at a queue of a hundred thousand signals.
//!
//! `cargo bench --bench console`

use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use divan::Bencher;
use gantry::app::effect::{Effect, ServiceCall};
use gantry::app::msg::{Msg, Reply};
use gantry::app::{AppSettings, Console, ConsoleSession};
use gantry::domain::pages::Page;
use gantry::domain::queue::QueueSignal;
use gantry::domain::{ProjectId, SignalId};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::json;
use uuid::Uuid;

fn main() {
    divan::main();
}

fn now() -> DateTime<Utc> {
    "2026-07-09T09:20:14Z".parse().expect("a moment")
}

fn queue_row(n: u32) -> QueueSignal {
    static ROW: LazyLock<QueueSignal> = LazyLock::new(|| {
        serde_json::from_value(json!({
            "id": Uuid::nil(), "signal_type": "permit_issued", "priority": "high", "triage_status": "new",
            "filed_at": "2026-07-02T00:00:00Z", "discovered_at": "2026-07-03T04:12:00Z", "project_id": Uuid::nil(),
            "project_name": "", "project_primary_address": "210 Harbor Yard Rd, Austin TX", "reported_cost_usd": 41_200_000,
        }))
        .expect("a row")
    });
    let mut row = ROW.clone();
    row.signal.id = SignalId(Uuid::from_u128(u128::from(n) + 1));
    row.signal.project_id = Some(ProjectId(Uuid::from_u128(u128::from(n / 4))));
    row.signal.project_name = Some(format!("Harbor Yard Lofts {}", n / 4));
    row.signal.source_filing_id = Some(format!("BP-2026-{n:06}"));
    row
}

/// A console over `total` rows with the rows in sight read.
fn start_console(total: u32, size: (u16, u16)) -> Console {
    let session = ConsoleSession {
        label: "bench".to_owned(),
        connected: true,
        read_only: false,
        is_dashboard_only: false,
    };
    let (mut app, effects) = Console::new(session, AppSettings::default(), size, now());
    answer_queue_calls(&mut app, effects, total);
    app
}

fn answer_queue_calls(app: &mut Console, mut effects: Vec<Effect>, total: u32) {
    while let Some(effect) = effects.pop() {
        if let Effect::Call {
            token,
            call: ServiceCall::Queue { offset, limit, .. },
            ..
        } = effect
        {
            let rows = (offset..(offset + limit).min(total))
                .map(queue_row)
                .collect();
            let page = Page {
                rows,
                offset,
                total: Some(u64::from(total)),
                ..Page::default()
            };
            effects.extend(app.update(Msg::Replied(token, Ok(Reply::Queue(page))), now()));
        }
    }
}

fn press(app: &mut Console, code: KeyCode) -> Vec<Effect> {
    app.update(Msg::Key(KeyEvent::new(code, KeyModifiers::NONE)), now())
}

fn blank_buffer((width, height): (u16, u16)) -> Buffer {
    Buffer::empty(Rect::new(0, 0, width, height))
}

/// The cursor goes one row down or up: update, arrange, draw.
#[divan::bench(args = [200, 100_000])]
fn move_cursor(bencher: Bencher, total: u32) {
    let mut app = start_console(total, (120, 36));
    let mut buf = blank_buffer((120, 36));
    let mut down = false;
    bencher.bench_local(|| {
        down = !down;
        let effects = press(&mut app, KeyCode::Char(if down { 'j' } else { 'k' }));
        app.draw(&mut buf);
        effects
    });
}

/// A console whose cursor is on the first of `total` rows, all of them read.
fn read_all_rows(total: u32) -> Console {
    let mut app = start_console(total, (120, 36));
    for _ in 0..total / 20 {
        let effects = press(&mut app, KeyCode::PageDown);
        answer_queue_calls(&mut app, effects, total);
    }
    press(&mut app, KeyCode::Home);
    app
}

/// The cursor goes one row down or up in a list of 20,000 read rows, the first of which are marked.
#[divan::bench(args = [0, 5_300, 20_000])]
fn key_with_marks(bencher: Bencher, marks: u32) {
    let mut app = read_all_rows(20_000);
    if marks > 0 {
        let keys = format!("v{}jv", marks - 1);
        keys.chars()
            .for_each(|key| drop(press(&mut app, KeyCode::Char(key))));
    }
    let mut buf = blank_buffer((120, 36));
    let mut down = false;
    bencher.bench_local(|| {
        down = !down;
        let effects = press(&mut app, KeyCode::Char(if down { 'k' } else { 'j' }));
        app.draw(&mut buf);
        effects
    });
}

/// The cursor jumps between the ends of the list.
#[divan::bench(args = [200, 100_000])]
fn jump_to_end(bencher: Bencher, total: u32) {
    let mut app = start_console(total, (120, 36));
    let effects = press(&mut app, KeyCode::End);
    answer_queue_calls(&mut app, effects, total);
    let mut buf = blank_buffer((120, 36));
    let mut end = true;
    bencher.bench_local(|| {
        end = !end;
        let effects = press(&mut app, if end { KeyCode::End } else { KeyCode::Home });
        app.draw(&mut buf);
        effects
    });
}

/// The cursor jumps to the last of a million rows, which are read there; as rows or as threads.
#[divan::bench(args = [false, true])]
fn jump_to_end_of_a_million(bencher: Bencher, is_threaded: bool) {
    const TOTAL: u32 = 1_000_000;
    let mut buf = blank_buffer((120, 36));
    let at_start = || {
        let mut app = start_console(TOTAL, (120, 36));
        if is_threaded {
            press(&mut app, KeyCode::Char('T'));
        }
        app
    };
    bencher.with_inputs(at_start).bench_local_values(|mut app| {
        let effects = press(&mut app, KeyCode::End);
        answer_queue_calls(&mut app, effects, TOTAL);
        app.draw(&mut buf);
        app
    });
}

/// The next page is read while as many rows are kept as ever, as rows or as threads.
#[divan::bench(args = [false, true])]
fn read_page_among_20_000_rows(bencher: Bencher, is_threaded: bool) {
    const TOTAL: u32 = 1_000_000;
    let mut app = start_console(TOTAL, (120, 36));
    if is_threaded {
        press(&mut app, KeyCode::Char('T'));
    }
    let mut read_page = || {
        let mut is_read = false;
        while !is_read {
            let effects = press(&mut app, KeyCode::PageDown);
            is_read = !effects.is_empty();
            answer_queue_calls(&mut app, effects, TOTAL);
        }
    };
    (0..200).for_each(|_| read_page());
    bencher.bench_local(read_page);
}

/// A hundred rows down from the top or up from the end, with the windows that they read.
#[divan::bench(args = [(KeyCode::Home, 'j'), (KeyCode::End, 'k')])]
fn scroll_hundred_rows(bencher: Bencher, (from, step): (KeyCode, char)) {
    const TOTAL: u32 = 100_000;
    let mut buf = blank_buffer((120, 36));
    let at_start = || {
        let mut app = start_console(TOTAL, (120, 36));
        let effects = press(&mut app, from);
        answer_queue_calls(&mut app, effects, TOTAL);
        app
    };
    bencher.with_inputs(at_start).bench_local_values(|mut app| {
        for _ in 0..100 {
            let effects = press(&mut app, KeyCode::Char(step));
            answer_queue_calls(&mut app, effects, TOTAL);
            app.draw(&mut buf);
        }
        app
    });
}

/// A signal is marked done and the act is settled.
#[divan::bench(args = [200, 100_000])]
fn mark_signal_done(bencher: Bencher, total: u32) {
    let mut buf = blank_buffer((120, 36));
    bencher
        .with_inputs(|| start_console(total, (120, 36)))
        .bench_local_values(|mut app| {
            let effects = press(&mut app, KeyCode::Char('e'));
            for effect in effects {
                if let Effect::Call {
                    token,
                    call: ServiceCall::Triage { .. },
                    ..
                } = effect
                {
                    app.update(Msg::Replied(token, Ok(Reply::Triaged(Some(1)))), now());
                }
            }
            app.draw(&mut buf);
            app
        });
}

/// `e` held down: 200 presses with their frames. Each request takes as long as six presses, as 200
/// ms at thirty presses a second.
#[divan::bench(args = [1_000, 100_000])]
fn hold_done_key(bencher: Bencher, total: u32) {
    let mut buf = blank_buffer((120, 36));
    bencher
        .with_inputs(|| start_console(total, (120, 36)))
        .bench_local_values(|mut app| {
            let (mut open, mut done) = (Vec::new(), 0);
            for presses in 1..=200 {
                open.extend(press(&mut app, KeyCode::Char('e')));
                if presses % 6 == 0 {
                    open = answer_triage_and_reads(
                        &mut app,
                        std::mem::take(&mut open),
                        total,
                        &mut done,
                    );
                }
                app.draw(&mut buf);
            }
            app
        });
}

/// Answers what is open, as a service of which `done` signals at the top of the list are done;
/// returns the calls that follow.
fn answer_triage_and_reads(
    app: &mut Console,
    effects: Vec<Effect>,
    total: u32,
    done: &mut u32,
) -> Vec<Effect> {
    let mut next = Vec::new();
    for effect in effects {
        let Effect::Call { token, call, .. } = effect else {
            continue;
        };
        let reply = match call {
            ServiceCall::Triage { ids, .. } => {
                *done += u32::try_from(ids.len()).unwrap_or_default();
                Reply::Triaged(Some(ids.len() as u64))
            }
            ServiceCall::Queue { offset, limit, .. } => {
                let rows = (offset + *done..(offset + *done + limit).min(total))
                    .map(queue_row)
                    .collect();
                Reply::Queue(Page {
                    rows,
                    offset,
                    total: Some(u64::from(total - *done)),
                    ..Page::default()
                })
            }
            _ => continue,
        };
        next.extend(app.update(Msg::Replied(token, Ok(reply)), now()));
    }
    next
}

/// A whole frame from state to cells.
#[divan::bench(args = [(120, 36), (300, 100)])]
fn draw_full_frame(bencher: Bencher, size: (u16, u16)) {
    let app = start_console(100_000, size);
    bencher
        .with_inputs(|| blank_buffer(size))
        .bench_local_refs(|buf| app.draw(buf));
}

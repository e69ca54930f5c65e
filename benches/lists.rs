//! Kept lists of a hundred thousand records: opening one from the store; sorting, grouping and
//! counting its rows in the console.
//!
//! `cargo bench --bench lists`

use std::cell::RefCell;

use chrono::{DateTime, Utc};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use divan::Bencher;
use gantry::app::effect::{Effect, ServiceCall};
use gantry::app::msg::{Msg, Reply};
use gantry::app::{AppSettings, Console, ConsoleSession};
use gantry::domain::book::RecordKind;
use gantry::domain::records::Record;
use gantry::domain::runs::SavedSearchRun;
use gantry::domain::search::{RecordSource, Search};
use gantry::store::Store;
use gantry::store::cache_owner::CacheOwner;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::json;
use uuid::Uuid;

const ROWS: u32 = 100_000;

fn main() {
    divan::main();
}

fn now() -> DateTime<Utc> {
    "2026-07-09T09:20:14Z".parse().expect("a moment")
}

fn source() -> RecordSource {
    RecordSource::Book(RecordKind::Accounts)
}

/// A row of the book, as the interface shows it.
fn book_row(n: u32) -> Record {
    let mixed = n.wrapping_mul(2_654_435_761);
    let word = ["Calder", "Harlan", "Arbor", "Brightline", "Union Depot"][mixed as usize % 5];
    let tier = ["tier_1", "tier_2", "tier_3"][mixed as usize % 3];
    Record::try_from(&json!({
        "id": Uuid::from_u128(u128::from(n) + 1), "name": format!("{word} Construction {mixed}"), "account_types": ["gc", "developer"],
        "domains": [format!("firm{n}.example")], "website": format!("https://www.firm{n}.example"),
        "icp_tier": tier, "workspace_status": "contacted", "notes": "met at the fair",
        "tags": ["austin", "q4"], "atlas_score": mixed % 100, "atlas_trend": "rising",
    }))
    .expect("a record")
}

fn run() -> SavedSearchRun {
    SavedSearchRun {
        sent_at: now(),
        source: source(),
        search: Search::default(),
        read_at: Some(now()),
        total: Some(u64::from(ROWS)),
        is_capped: false,
        credits_spent: u64::from(ROWS),
        unreadable: 0,
        search_after: None,
        rows: (0..ROWS).map(book_row).collect(),
    }
}

/// A console that shows the list: what opening it costs besides the store.
fn open_list(run: SavedSearchRun) -> Console {
    let session = ConsoleSession {
        label: "bench".to_owned(),
        connected: true,
        read_only: false,
        is_dashboard_only: false,
    };
    let (mut app, _) = Console::new(session, AppSettings::default(), (120, 36), now());
    let mut run = Some(Box::new(run));
    for effect in press(&mut app, KeyCode::Char('3')) {
        if let Effect::Call {
            token,
            call: ServiceCall::SavedSearch { .. },
            ..
        } = effect
        {
            app.update(
                Msg::Replied(token, Ok(Reply::SavedSearch(run.take()))),
                now(),
            );
        }
    }
    assert!(run.is_none(), "the list was asked for");
    draw(&mut app);
    app
}

fn press(app: &mut Console, code: KeyCode) -> Vec<Effect> {
    app.update(Msg::Key(KeyEvent::new(code, KeyModifiers::NONE)), now())
}

fn type_line(app: &mut Console, text: &str) {
    text.chars()
        .for_each(|char| drop(press(app, KeyCode::Char(char))));
    press(app, KeyCode::Enter);
}

fn draw(app: &mut Console) {
    let mut buf = Buffer::empty(Rect::new(0, 0, 120, 36));
    app.draw(&mut buf);
    divan::black_box(buf);
}

/// From the key to the frame with the rows, which the store has.
#[divan::bench]
fn open(bencher: Bencher) {
    let folder = tempfile::tempdir().expect("a folder");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime");
    let lists = Store::new(Some(folder.path().join("bench.db")), now())
        .record_lists(CacheOwner::new("m", None, "key"));
    lists.save(run(), 0, now());
    let load = || {
        runtime
            .block_on(lists.load(source(), Search::default(), now()))
            .expect("a store")
            .expect("the list")
    };
    assert_eq!(load().rows.len(), ROWS as usize);
    bencher.bench_local(|| open_list(load()));
}

#[divan::bench]
fn open_without_store(bencher: Bencher) {
    let run = run();
    bencher
        .with_inputs(|| run.clone())
        .bench_local_values(open_list);
}

/// From the answer to the frame, in both directions in turn.
#[divan::bench(args = ["name", "atlas score", "icp tier"])]
fn sort(bencher: Bencher, column: &str) {
    let app = RefCell::new(open_list(run()));
    bencher.bench_local(|| {
        let mut app = app.borrow_mut();
        press(&mut app, KeyCode::Char('s'));
        type_line(&mut app, column);
        draw(&mut app);
    });
}

/// By a column, and back.
#[divan::bench(args = ["icp tier", "atlas score"])]
fn group(bencher: Bencher, column: &str) {
    let app = RefCell::new(open_list(run()));
    bencher.bench_local(|| {
        let mut app = app.borrow_mut();
        press(&mut app, KeyCode::Char('T'));
        type_line(&mut app, column);
        draw(&mut app);
        press(&mut app, KeyCode::Char('T'));
        draw(&mut app);
    });
}

/// The frequency table of a column of 100 numbers.
#[divan::bench]
fn count_values(bencher: Bencher) {
    let app = RefCell::new(open_list(run()));
    let open = |app: &mut Console| {
        press(app, KeyCode::Char('t'));
        draw(app);
    };
    open(&mut app.borrow_mut());
    press(&mut app.borrow_mut(), KeyCode::Char('t'));
    type_line(&mut app.borrow_mut(), "atlas score");
    press(&mut app.borrow_mut(), KeyCode::Esc);
    bencher.bench_local(|| {
        let mut app = app.borrow_mut();
        open(&mut app);
        press(&mut app, KeyCode::Esc);
    });
}

//! Which pages of the queue are read, and when.

use super::{reads, serve_pages, start_with_pages};
use crate::app::AppSettings;
use crate::app::effect::ServiceCall;
use crate::app::format;
use crate::app::msg::{Msg, Reply};
use crate::app::testing::{TestConsole, many_rows, morning_queue, signal_id};
use crate::domain::pages::Page;
use crate::domain::queue::{QueueSignal, TriageStatus};
use crate::domain::request_error::RequestError;

#[test]
fn the_first_request_is_one_page_of_new_signals() {
    let console = TestConsole::with_size(morning_queue(), (120, 36), AppSettings::default());
    assert_eq!(console.calls.len(), 1);
    assert!(
        matches!(&console.calls[0], ServiceCall::Queue { filter, offset: 0, limit: 100 } if filter.status == [TriageStatus::New].into())
    );
}

#[test]
fn the_queue_is_read_again_only_when_the_counts_moved() {
    let console = TestConsole::with_rows(morning_queue());
    let before = console.calls.len();
    let console = console.poll().poll().serve();
    assert_eq!(console.calls.len(), before);
    let console = console.ben_marks_done(&[3]).poll();
    assert_eq!(console.calls.len(), before + 1);
}

/// Takes the pending queue read and builds the reply the service would send now.
fn take_pending_read(console: &mut TestConsole) -> Msg {
    let (token, _) = console.pending_calls.pop_front().unwrap();
    let rows: Vec<_> = console
        .rows
        .iter()
        .filter(|row| row.triage_status == Some(TriageStatus::New))
        .cloned()
        .collect();
    let total = Some(rows.len() as u64);
    Msg::Replied(
        token,
        Ok(Reply::Queue(Page {
            rows,
            unreadable: 0,
            offset: 0,
            total,
            ..Page::default()
        })),
    )
}

#[test]
fn a_page_read_before_a_triage_brings_no_row_back() {
    let mut console = TestConsole::with_rows(morning_queue())
        .ben_marks_done(&[5])
        .poll();
    let old = take_pending_read(&mut console);
    let console = console.press("e").serve().send(old).poll().serve();
    assert_eq!(
        (
            console.context().queue.new.list.slot_of(signal_id(1)),
            console.context().queue.new.list.len()
        ),
        (None, 14)
    );
}

#[test]
fn changes_during_a_read_cause_another_read() {
    let mut console = TestConsole::with_rows(morning_queue())
        .ben_marks_done(&[5])
        .poll();
    let old = take_pending_read(&mut console);
    let console = console.ben_marks_done(&[6]).poll().send(old).serve();
    assert_eq!(
        (
            console.context().queue.new.list.slot_of(signal_id(6)),
            console.context().queue.new.list.len()
        ),
        (None, 14)
    );
}

#[test]
fn our_own_triage_does_not_reload_the_queue() {
    let console = TestConsole::with_rows(morning_queue()).press("e").serve();
    let before = console.calls.len();
    let console = console.poll().serve();
    assert_eq!(console.calls.len(), before, "{:?}", console.calls);
}

#[test]
fn a_list_of_a_hundred_thousand_rows_reads_only_the_visible_rows() {
    let console = TestConsole::with_rows(many_rows(100_000))
        .press("G")
        .serve();
    assert_eq!(console.cursor_id(), signal_id(100_000));
    let read = console
        .calls
        .iter()
        .filter(|call| matches!(call, ServiceCall::Queue { .. }))
        .count();
    assert_eq!(read, 2);
    assert_eq!(console.press("g g").cursor_id(), signal_id(1));
}

#[test]
fn scrolling_up_reads_as_few_windows_as_scrolling_down() {
    let step = |console: TestConsole, key: &str| {
        (0..300).fold(console, |console, _| console.press(key).serve())
    };
    let down = step(TestConsole::with_rows(many_rows(1_000)), "j");
    let end = TestConsole::with_rows(many_rows(1_000)).press("G").serve();
    let before = reads(&end);
    let up = step(end, "k");
    assert_eq!(up.cursor_id(), signal_id(700));
    assert!(
        reads(&up) - before <= reads(&down),
        "{} up, {} down",
        reads(&up) - before,
        reads(&down)
    );
    assert!(reads(&down) <= 4, "{}", reads(&down));
}

/// The page a service with these rows and this total sends.
fn page_of(rows: &[QueueSignal], total: u64, offset: u32, limit: u32) -> Page<QueueSignal> {
    let rows = rows
        .iter()
        .skip(offset as usize)
        .take(limit as usize)
        .cloned()
        .collect();
    Page {
        rows,
        unreadable: 0,
        offset,
        total: Some(total),
        ..Page::default()
    }
}

#[test]
fn a_total_from_the_service_never_sizes_memory_loops_or_layout() {
    let rows = many_rows(40);
    for total in [100_000_000, 1 << 31, 1 << 63, u64::MAX] {
        let page = |offset, limit| page_of(&rows, total, offset, limit);
        let console = start_with_pages(page);
        assert!(
            console
                .screen_text()
                .contains(&format!("New 1 of {}", format::format_count(total))),
            "{}",
            console.screen_text()
        );
        let console = serve_pages(console.press("v j j Space G"), page);
        let console = serve_pages(console.press("k k v G v * a T"), page);
        let console = serve_pages(console.press("T V z ] [ g g n / x Enter"), page);
        assert!(console.press("e").screen_text().contains("gantry"));
        let threads = serve_pages(start_with_pages(page).press("T"), page);
        assert!(reads(&threads) <= 2, "{total}");
    }
}

#[test]
fn a_missing_row_is_requested_once_and_reported() {
    let rows = many_rows(100);
    let page = |offset, limit| page_of(&rows, 101, offset, limit);
    let console = serve_pages(start_with_pages(page).press("G"), page);
    assert_eq!(
        reads(&console),
        2,
        "one read for the row that is counted but missing"
    );
    let screen = console.screen_text();
    assert!(
        screen.contains("row was not sent") && screen.contains("1 missing"),
        "{screen}"
    );
    assert!(
        screen.contains("the service reports 101 rows but sent an empty page after row 100"),
        "{screen}"
    );
    let before = reads(&console);
    let console = serve_pages(console.press("k k j j G g g G").poll(), page);
    assert_eq!(
        reads(&console),
        before,
        "neither moving there nor a poll requests it again"
    );
    let console = serve_pages(console.press("R"), page);
    assert!(reads(&console) > before, "a refresh does");
}

#[test]
fn an_unreadable_last_row_is_requested_once_and_keeps_its_place() {
    let rows = many_rows(99);
    let page = |offset, limit| Page {
        unreadable: 1,
        ..page_of(&rows, 100, offset, limit)
    };
    let console = serve_pages(start_with_pages(page).press("G").poll(), page);
    assert_eq!(reads(&console), 1);
    let screen = console.screen_text();
    assert!(
        screen.contains("unreadable row") && screen.contains("1 unreadable"),
        "{screen}"
    );
}

#[test]
fn contradictory_pages_are_not_read_forever() {
    let rows = many_rows(100);
    // The total grows with each offset, and the offset is ignored.
    let pages: [&dyn Fn(u32, u32) -> Page<QueueSignal>; 2] = [
        &|offset, limit| page_of(&rows, 200 + u64::from(offset), offset % 100, limit),
        &|offset, limit| Page {
            offset,
            ..page_of(&rows, 300, 0, limit)
        },
    ];
    for page in pages {
        let console = start_with_pages(page);
        let console = serve_pages(console.press("G Ctrl-b Ctrl-b Ctrl-b").poll(), page);
        assert!(reads(&console) < 25, "{}", reads(&console));
    }
    let page = |offset: u32, _| Page {
        offset,
        rows: Vec::new(),
        unreadable: 0,
        total: Some(500),
        ..Page::default()
    };
    assert_eq!(reads(&start_with_pages(page)), 1);
}

#[test]
fn threads_stop_reading_after_an_empty_page() {
    let rows = many_rows(40);
    let page = |offset, limit| page_of(&rows, 1 << 31, offset, limit);
    let console = start_with_pages(page);
    let before = reads(&console);
    let console = serve_pages(console.press("T"), page);
    assert_eq!(reads(&console), before + 1);
    let console = serve_pages(console.poll(), page);
    assert_eq!(reads(&console), before + 1, "a poll requests no more of it");
}

#[test]
fn a_failed_read_is_not_repeated_until_the_next_counts() {
    let console = TestConsole::with_rows(many_rows(1_000))
        .press("G")
        .fail_next(RequestError::new_not_sent("connection refused"));
    let before = console.calls.len();
    let console = console.press("k k k k");
    assert_eq!(console.calls.len(), before);
    let console = console.poll();
    assert_eq!(console.calls.len(), before + 1);
    assert_eq!(console.serve().press("G").cursor_id(), signal_id(1_000));
}

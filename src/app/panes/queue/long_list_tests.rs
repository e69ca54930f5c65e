//! Tests of a queue that is longer than what is kept of it.

use super::tests::{reads, serve_pages, start_with_pages};
use crate::app::model::line_order::Line;
use crate::app::model::queue::{QueueTabState, SignalQueue};
use crate::app::model::signal_list::MAX_ROWS_IN_MEMORY;
use crate::app::msg::Msg;
use crate::app::testing::{TestConsole, golden, many_rows, queue_row, signal_id};
use crate::domain::pages::Page;
use crate::domain::queue::{QueueSignal, QueueTab};
use crate::domain::row_columns::find_column;

const MILLION: usize = 1_000_000;

/// A page of a list of a million rows, four of which in a row are on the same project.
fn page_of_million(offset: u32, limit: u32) -> Page<QueueSignal> {
    let row = |n: usize| {
        queue_row(
            n,
            "medium",
            "permit_filed",
            "2026-07-01",
            (n as u128 / 4, &format!("Project {}", n / 4)),
            None,
        )
    };
    let end = MILLION.min((offset + limit) as usize);
    Page {
        offset,
        rows: (offset as usize + 1..=end).map(row).collect(),
        unreadable: 0,
        total: Some(MILLION as u64),
        ..Page::default()
    }
}

fn press(console: TestConsole, keys: &str) -> TestConsole {
    serve_pages(console.press(keys), page_of_million)
}

fn press_times(console: TestConsole, key: &str, times: usize) -> TestConsole {
    (0..times).fold(console, |console, _| press(console, key))
}

fn tab(console: &TestConsole) -> &QueueTabState {
    &console.context().queue.new
}

#[test]
fn every_row_of_a_million_is_a_few_reads_away() {
    // Three hundred lines up are three hundred rows, or sixty threads of four.
    for (mode, up) in [("T T", 999_700), ("T", 999_760)] {
        let console = press(start_with_pages(page_of_million), mode);
        let before = reads(&console);
        let console = press(console, "G");
        assert_eq!(
            (console.cursor_id(), reads(&console) - before),
            (signal_id(MILLION), 1),
            "{mode}"
        );
        let console = press_times(console, "k", 300);
        assert_eq!(console.cursor_id(), signal_id(up), "{mode}");
        assert!(
            reads(&console) - before <= 5,
            "{mode}: {}",
            reads(&console) - before
        );
        let before = reads(&console);
        let console = press(console, "g g");
        assert_eq!(
            (console.cursor_id(), reads(&console) - before),
            (signal_id(1), 0),
            "{mode}"
        );
        let console = press(console, "# 5 0 0 , 0 0 0 Enter");
        assert_eq!(console.cursor_id(), signal_id(500_000), "{mode}");
        assert!(
            reads(&console) - before <= 2,
            "{mode}: {}",
            reads(&console) - before
        );
        let console = press(press(console, "PgUp PgUp PgDn PgDn"), "G g g");
        assert!(
            tab(&console).list.loaded_count() <= 2_000 && reads(&console) - before <= 6,
            "{mode}"
        );
    }
}

#[test]
fn a_row_number_outside_the_list_moves_nothing() {
    for number in ["0", "1000001", "x"] {
        let keys = number
            .chars()
            .map(String::from)
            .collect::<Vec<_>>()
            .join(" ");
        let console = press(
            start_with_pages(page_of_million),
            &format!("j # {keys} Enter"),
        );
        assert_eq!(console.cursor_id(), signal_id(2));
        assert_eq!(
            console.notice_text(),
            format!("no row {number}: the list has 1,000,000 rows")
        );
    }
}

#[test]
fn keys_held_down_at_a_gap_neither_skip_nor_lose_rows() {
    let mut console = press(start_with_pages(page_of_million), "T");
    // A hundred rows are loaded, on 125 lines; nothing is answered while the key is held.
    console = (0..300).fold(console, |console, _| console.press("j"));
    assert!(matches!(
        tab(&console).line_at(125),
        Some(Line::Gap {
            first: 100,
            last: 999_999,
            size: 999_900
        })
    ));
    assert_eq!(tab(&console).scroll.cursor, 125);
    let console = serve_pages(console, page_of_million);
    assert_eq!(console.cursor_id(), signal_id(277), "176 rows into the gap");
    let console = (0..100).fold(console, |console, _| console.press("k"));
    assert_eq!(
        serve_pages(console, page_of_million)
            .context()
            .queue
            .new
            .list
            .slot_of(signal_id(1)),
        Some(0)
    );
}

#[test]
fn grouping_keeps_the_cursor_on_its_row_at_either_end() {
    let console = press(start_with_pages(page_of_million), "G T");
    assert_eq!(console.cursor_id(), signal_id(MILLION));
    let console = press(console, "T");
    assert_eq!(
        (console.cursor_id(), tab(&console).scroll.cursor),
        (signal_id(MILLION), MILLION - 1)
    );
    // The row is not read yet when the rows are grouped.
    let console = serve_pages(console.press("# 4 0 0 0 0 0 Enter T"), page_of_million);
    assert_eq!(console.cursor_id(), signal_id(400_000));
}

#[test]
fn a_refresh_of_threads_reads_the_rows_around_the_cursor() {
    let console = press(start_with_pages(page_of_million), "T # 3 0 0 0 0 0 Enter");
    let before = reads(&console);
    let console = press(console, "R");
    assert_eq!(
        (console.cursor_id(), reads(&console) - before),
        (signal_id(300_000), 1)
    );
    let console = press(press(press(console, "* a"), "G"), "/ 1 1 8 0 5 Enter");
    assert!(
        console
            .notice_text()
            .starts_with("not found in 400 loaded rows"),
        "{}",
        console.notice_text()
    );
    assert_eq!(
        tab(&console).marks.len(),
        200,
        "only what was loaded when it was marked"
    );
}

#[test]
fn marked_rows_that_are_no_longer_loaded_are_counted_before_they_are_triaged() {
    let console = TestConsole::with_rows(many_rows(1_000))
        .press("* a G")
        .serve()
        .press("R")
        .serve()
        .press("e");
    let screen = console.screen_text();
    assert!(
        screen.contains("Mark 100 signals done?") && screen.contains("100 were marked and are no"),
        "{screen}"
    );
    assert!(
        screen.contains("100 marked, $") || screen.contains("100 marked ─"),
        "they are not hidden: {screen}"
    );
    assert_eq!(console.press("Down Enter").serve().service_new_count(), 900);
}

#[test]
fn undo_returns_a_row_behind_a_gap_to_its_place() {
    for mode in ["T T", "T"] {
        let console = TestConsole::with_rows(many_rows(2_000))
            .press(mode)
            .press("G")
            .serve()
            .press("k k k e")
            .serve();
        assert_eq!(console.service_new_count(), 1_999, "{mode}");
        let console = console.press("z").serve();
        assert_eq!(
            (console.service_new_count(), console.cursor_id()),
            (2_000, signal_id(1_997)),
            "{mode}"
        );
        assert_eq!(
            tab(&console).list.slot_of(signal_id(1_997)),
            Some(1_996),
            "{mode}"
        );
    }
}

#[test]
fn a_thread_acts_on_the_rows_that_it_shows() {
    // The same project at both ends of the list, with a gap between them.
    let page = |offset: u32, limit: u32| {
        let mut page = page_of_million(offset, limit);
        for row in page.rows.iter_mut().filter(|row| {
            [1, 2, MILLION - 1, MILLION]
                .map(signal_id)
                .contains(&row.signal.id)
        }) {
            row.signal.project_id = Some(crate::domain::ProjectId(uuid::Uuid::from_u128(7)));
        }
        page
    };
    let console = serve_pages(start_with_pages(page).press("T G"), page);
    let console = serve_pages(console.press("g g Space"), page);
    assert_eq!(tab(&console).marks, [1, 2].map(signal_id).into());
}

/// A list in which the cursor walked through `pages` pages of 200 rows, marking the first row.
fn walk(is_threaded: bool, pages: usize) -> SignalQueue {
    let template = queue_row(
        0,
        "medium",
        "permit_filed",
        "2026-07-01",
        (1, "Harbor Yard Lofts"),
        None,
    );
    let row = |n: usize| {
        let mut row = template.clone();
        (row.signal.id, row.signal.project_id) = (
            signal_id(n),
            Some(crate::domain::ProjectId(uuid::Uuid::from_u128(
                n as u128 / 4,
            ))),
        );
        row
    };
    let mut queue = SignalQueue::default();
    queue.arrange(QueueTab::New, |arrangement| {
        arrangement.group = find_column("project").filter(|_| is_threaded)
    });
    for page in 0..pages {
        let offset = page * 200;
        let rows = (offset + 1..=offset + 200).map(row).collect();
        let cursor = queue.new.current_row().map(|row| row.signal.id);
        queue.change_list(QueueTab::New, |list| {
            list.insert_page(
                Page {
                    offset: offset as u32,
                    rows,
                    unreadable: 0,
                    total: Some(MILLION as u64),
                    ..Page::default()
                },
                200,
                false,
            );
        });
        let tab = &mut queue.new;
        assert!(
            cursor.is_none() || cursor == tab.current_row().map(|row| row.signal.id),
            "the cursor stays on its row"
        );
        assert!(tab.list.loaded_count() <= MAX_ROWS_IN_MEMORY + 1);
        if page == 0 {
            tab.marks.insert(signal_id(1));
            tab.range_anchor = Some(signal_id(2));
        }
        tab.move_to_row(offset + 150);
    }
    queue
}

#[test]
fn rows_are_forgotten_far_from_the_cursor_only() {
    for is_threaded in [false, true] {
        let tab = walk(is_threaded, 120).new;
        let (first, last) = (
            tab.list.slot_of(signal_id(24_000 - 10_000)),
            tab.list.slot_of(signal_id(24_000)),
        );
        assert_eq!(
            (first, last),
            (Some(13_999), Some(23_999)),
            "what is near stays"
        );
        assert_eq!(
            tab.list.row(signal_id(100)).map(|row| row.signal.id),
            None,
            "what is far is forgotten"
        );
        assert_eq!(tab.marks, [signal_id(1)].into(), "marks are ids: they stay");
        assert!(
            tab.range_start().is_some(),
            "and so does the row at which a range began"
        );
        assert!(tab.unread_in_range() > 1_000 && tab.range_count() > 10_000);
    }
}

#[test]
fn golden_screens_of_a_gap() {
    let console = || {
        TestConsole::with_rows(many_rows(94_000))
            .press("T")
            .type_keys("2 0 0 j")
    };
    golden!("queue_gap_120x36", console());
    golden!("queue_gap_80x24", console().send(Msg::Resized(80, 24)));
    golden!("queue_gap_60x20", console().send(Msg::Resized(60, 20)));
}

#[test]
fn the_last_row_is_reached_at_once_in_threads() {
    let console = TestConsole::with_rows(many_rows(1_000))
        .press("T G")
        .serve();
    assert_eq!(console.cursor_id(), signal_id(1_000));
    assert!(
        console.screen_text().contains("Project 250"),
        "{}",
        console.screen_text()
    );
    let console = console.press("g g").serve();
    assert_eq!(console.cursor_id(), signal_id(1));
}

#[test]
fn the_rows_of_a_thread_are_indented_under_its_heading_wherever_the_screen_begins() {
    let console = TestConsole::with_rows(crate::app::testing::morning_queue()).press("T");
    let lines: Vec<String> = console.screen_text().lines().map(str::to_owned).collect();
    let heading = lines
        .iter()
        .position(|line| line.contains("▾ Harbor Yard Lofts (2)"));
    let heading = heading.expect("a thread of two signals");
    assert!(
        lines[heading + 1].contains("├ permit issued"),
        "{}",
        lines[heading + 1]
    );
    assert!(
        lines[heading + 2].contains("└ construction loan"),
        "{}",
        lines[heading + 2]
    );
    let name = |line: &str| {
        line.chars()
            .take(70)
            .collect::<String>()
            .contains("Harbor Yard Lofts")
    };
    assert!(name(&lines[heading]) && !name(&lines[heading + 1]) && !name(&lines[heading + 2]));
    let scrolled = console
        .send(crate::app::Msg::Resized(120, 14))
        .press("G g g j j j j j j");
    let text = scrolled.screen_text();
    assert!(
        text.lines().filter(|line| line.contains("└ ")).count() > 0,
        "{text}"
    );
}

#[test]
fn one_marked_row_that_is_no_longer_loaded_is_not_done_without_a_question() {
    let console = TestConsole::with_rows(many_rows(1_000))
        .press("Space G")
        .serve()
        .press("R")
        .serve()
        .press("e");
    let screen = console.screen_text();
    assert!(
        screen.contains("Mark 1 signal done?")
            && screen.contains("marked before and not loaded now"),
        "{screen}"
    );
    assert!(!screen.contains("reported by"), "{screen}");
    assert!(console.triage_calls().is_empty());
}

//! Tests of sorted and filtered lists.

use super::tests::{reads, serve_pages, start_with_pages};
use crate::app::AppSettings;
use crate::app::context::record_lists;
use crate::app::msg::{Msg, Push};
use crate::app::testing::{
    TestConsole, many_rows, morning_queue, parse_time, queue_row, signal_id,
};
use crate::domain::description::Description;
use crate::domain::pages::Page;
use crate::domain::queue::{QueueSignal, QueueSnapshot};

/// Rows whose later ones leave sooner, and cost more; a row without a cost every ten.
fn rows(count: usize) -> Vec<QueueSignal> {
    let row = |n: usize| {
        let filed = format!(
            "2026-{:02}-{:02}",
            6 - n * 60 / (count + 1) / 30,
            28 - (n * 60 / (count + 1)) % 28
        );
        let cost = (!n.is_multiple_of(10)).then_some(1_000 * n as i64);
        queue_row(
            n,
            "medium",
            "permit_filed",
            &filed,
            (n as u128, &format!("Project {n}")),
            cost,
        )
    };
    (1..=count).map(row).collect()
}

fn first_ids(console: &TestConsole, count: usize) -> Vec<crate::domain::SignalId> {
    console
        .context()
        .queue
        .current_tab()
        .read_lines(0..count)
        .map(|(_, id)| id)
        .collect()
}

#[test]
fn two_keys_sort_all_rows_by_the_days_that_are_left() {
    let console = TestConsole::with_rows(rows(325)).press("j j s");
    assert!(
        console
            .screen_text()
            .contains("loads 225 more rows first (2 requests)"),
        "{}",
        console.screen_text()
    );
    let before = reads(&console);
    let console = console.press("Enter").serve();
    assert_eq!(console.notice_text(), "sorted by days left, soonest first");
    assert_eq!(reads(&console) - before, 2);
    let filed = |id| {
        console
            .context()
            .queue
            .new
            .list
            .row(id)
            .and_then(|row| row.signal.filed_at.clone()?.date())
    };
    let dates: Vec<_> = first_ids(&console, 325).into_iter().map(filed).collect();
    assert!(dates.is_sorted() && dates.len() == 325);
    assert_eq!(
        console.context().queue.new.scroll.cursor,
        0,
        "the first row is of interest"
    );
    assert!(
        console
            .screen_text()
            .contains("New 1 of 325, soonest first to leave"),
        "{}",
        console.screen_text()
    );
    let arrow = console.context().settings.theme.glyphs().sort_ascending;
    let heading = format!("{arrow}LEFT");
    assert!(
        console.screen_text().contains(&heading),
        "{}",
        console.screen_text()
    );
    let console = console.press("s Enter").serve();
    assert_eq!(console.notice_text(), "sorted by days left, latest first");
    let console = console.press("s").type_text("order").press("Enter").serve();
    assert_eq!(
        (console.notice_text().as_str(), first_ids(&console, 1)),
        ("in the usual order", vec![signal_id(1)])
    );
}

#[test]
fn the_order_of_the_last_session_opens_at_its_first_row() {
    let mut settings = AppSettings::default();
    let list = r#"{"sort": "days:asc"}"#.to_owned();
    settings
        .preferences
        .insert("queue.list.acme-west".to_owned(), list);
    let last = QueueSnapshot {
        read_at: parse_time("2026-07-08T17:10:00Z"),
        total: 325,
        rows: rows(200),
    };
    let start = || TestConsole::with_size(rows(325), (120, 36), settings.clone());
    let yesterday = Msg::Pushed(Push::QueueSnapshot(Box::new(last)));
    for console in [start(), start().send(yesterday)] {
        let console = console.poll().serve();
        let tab = &console.context().queue.new;
        assert_eq!((tab.list.loaded_count(), tab.scroll.cursor), (325, 0));
        let console = console.press("j j R").poll().serve();
        assert_eq!(
            console.context().queue.new.scroll.cursor,
            2,
            "from then on the cursor stays on its row"
        );
    }
}

#[test]
fn rows_without_a_cost_come_last_in_both_directions() {
    let last = |keys: &str| {
        let console = TestConsole::with_rows(rows(20)).press(keys).serve();
        (
            first_ids(&console, 1),
            first_ids(&console, 20).split_off(18),
        )
    };
    let (none, ten) = (signal_id(20), signal_id(10));
    assert_eq!(last("s Down Enter"), (vec![signal_id(19)], vec![ten, none]));
    assert_eq!(
        last("s Down Enter s Down Enter"),
        (vec![signal_id(1)], vec![ten, none])
    );
}

#[test]
fn a_long_list_is_sorted_as_far_as_it_is_loaded_and_says_so() {
    let page = |offset: u32, limit: u32| {
        let row = |n: usize| {
            queue_row(
                n,
                "medium",
                "permit_filed",
                "2026-06-01",
                (n as u128, "A"),
                Some(n as i64),
            )
        };
        let rows = (offset as usize + 1..=(offset + limit) as usize)
            .map(row)
            .collect();
        Page {
            offset,
            rows,
            unreadable: 0,
            total: Some(30_000),
            ..Page::default()
        }
    };
    let console = serve_pages(start_with_pages(page).press("s"), page);
    assert!(
        console.screen_text().contains("only the 100 loaded rows"),
        "{}",
        console.screen_text()
    );
    let before = reads(&console);
    let console = serve_pages(console.press("Down Enter"), page);
    let hint = "sorted by cost, largest first: only the 100 loaded of 30,000 rows";
    assert_eq!(
        (console.notice_text().as_str(), reads(&console) - before),
        (hint, 0)
    );
    assert_eq!(first_ids(&console, 1), [signal_id(100)]);
    let console = console.press("L");
    assert!(
        console
            .notice_text()
            .contains("at most 20,000 can be loaded: filter it first"),
        "{}",
        console.notice_text()
    );
    let console = serve_pages(console.press("G"), page);
    assert!(
        reads(&console) - before <= 9,
        "the end of the list is the gap: it is read a few pages at a time"
    );
}

#[test]
fn a_sorted_list_stays_complete_while_it_is_refreshed() {
    let console = TestConsole::with_rows(rows(325))
        .press("s Enter")
        .serve()
        .press("j j j");
    let (cursor, before) = (console.cursor_id(), first_ids(&console, 325));
    let mut console = console.ben_marks_done(&[7]).poll();
    while !console.pending_calls.is_empty() {
        assert!(
            first_ids(&console, 325).len() >= 324,
            "no row is missing until all are read"
        );
        console = console.serve_next();
    }
    let left: Vec<_> = before
        .into_iter()
        .filter(|id| *id != signal_id(7))
        .collect();
    assert_eq!(
        (first_ids(&console, 325), console.cursor_id()),
        (left, cursor)
    );
}

#[test]
fn a_signal_that_is_done_leaves_a_sorted_list_and_the_cursor_goes_on() {
    let console = TestConsole::with_rows(rows(30))
        .press("s Down Enter")
        .serve()
        .press("j");
    let next = first_ids(&console, 3)[2];
    let console = console.press("e").serve();
    assert_eq!(
        (console.cursor_id(), console.context().queue.new.len()),
        (next, 29)
    );
    let console = console.press("z").serve();
    assert_eq!(console.context().queue.new.len(), 30);
    assert_eq!(
        first_ids(&console, 2)[1],
        signal_id(28),
        "it is back in its place"
    );
}

#[test]
fn ctrl_c_stops_loading_all_rows() {
    let console = TestConsole::with_rows(many_rows(900))
        .press("L")
        .serve_next();
    let console = console.press("Ctrl-c").serve();
    assert!(console.context().queue.new.list.loaded_count() < 900);
    assert!(
        console.notice_text().starts_with("canceled"),
        "{}",
        console.notice_text()
    );
    assert_eq!(
        console
            .press("L")
            .serve()
            .context()
            .queue
            .new
            .list
            .loaded_count(),
        900
    );
}

#[test]
fn a_typed_command_shows_what_leaves_within_some_days_and_soonest_first() {
    let console = TestConsole::with_rows(morning_queue())
        .serve()
        .press("8 :")
        .type_text("aging 80")
        .press("Enter")
        .serve();
    let now = console.context().clock.service_now();
    let tab = console.context().queue.current_tab();
    let days: Vec<i64> = (0..tab.len())
        .filter_map(|at| tab.row_at(at)?.days_left(now))
        .collect();
    assert!(
        days.len() > 1 && days.is_sorted() && days.iter().all(|days| *days <= 80),
        "{days:?}"
    );
    let console = console.press(":").type_text("aging").press("Enter").serve();
    assert!(
        console.context().queue.current_tab().len() < days.len(),
        "without a number it is seven days"
    );
}

#[test]
fn every_width_says_what_is_being_built_and_wide_ones_also_where() {
    for (size, has_several_sources, headings) in [
        ((60, 20), true, vec!["New office tower"]),
        ((80, 24), true, vec!["WHAT", "CITY", "COST", "LEFT"]),
        ((120, 36), true, vec!["WHAT", "CITY", "COST", "LEFT"]),
        ((160, 48), true, vec!["TYPE", "WHAT", "CITY"]),
        (
            (200, 60),
            true,
            vec!["TYPE", "FILED", "WHAT", "CITY", "SOURCE"],
        ),
        (
            (200, 60),
            false,
            vec!["TYPE", "FILED", "WHAT", "New 2 of 16, Austin"],
        ),
    ] {
        let mut rows = morning_queue();
        if has_several_sources {
            rows[0].signal.source_display_name = Some("Travis County Clerk".to_owned());
        }
        let mut console = TestConsole::with_size(rows.clone(), size, AppSettings::default());
        for row in rows {
            let described = Description {
                work: Some("New office tower with retail".to_owned()),
                city: Some("Austin".to_owned()),
                ..Description::default()
            };
            console
                .context_mut()
                .queue
                .facts
                .describe_signal(row.signal.id, None, described);
        }
        let cx = console.context_mut();
        record_lists::on_facts_changed(&mut cx.queue, &cx.records.lists);
        let screen = console.poll().serve().press("j").screen_text();
        assert!(
            headings.iter().all(|text| screen.contains(text))
                && screen.contains("New office tower")
                && (has_several_sources || !screen.contains("SOURCE") && !screen.contains("CITY")),
            "{size:?}: {screen}"
        );
    }
}

#[test]
fn a_row_says_what_is_built_where_for_how_much_and_for_how_long_beside_the_preview() {
    let rows = morning_queue();
    let size = (120, 36);
    let mut console = TestConsole::with_size(rows.clone(), size, AppSettings::default());
    for (row, city) in rows.iter().zip(["Austin", "San Francisco"].iter().cycle()) {
        let described = Description {
            work: Some("New office tower with retail".to_owned()),
            city: Some((*city).to_owned()),
            ..Description::default()
        };
        let facts = &mut console.context_mut().queue.facts;
        facts.describe_signal(row.signal.id, None, described);
    }
    console.context_mut().queue.facts.summarize();
    let screen = console.poll().serve().press("j").screen_text();
    for heading in ["TYPE", "PROJECT", "WHAT", "CITY", "COST", "LEFT"] {
        assert!(screen.contains(heading), "{heading}: {screen}");
    }
    let row = screen.lines().nth(5).unwrap_or_default();
    for text in [
        "issued",
        "Harbor Ya",
        "New office towe",
        "Austin",
        "$41.2M",
        "d",
    ] {
        assert!(row.contains(text), "{text}: {screen}");
    }
}

//! Tests of the detail as its users see it.

use crate::app::effect::ServiceCall;
use crate::app::model::description_reads::SignalPrice;
use crate::app::msg::{Msg, ReadCost, Reply};
use crate::app::testing::{TestConsole, golden, morning_queue, signal_id};
use crate::app::{AfterTriage, AppSettings, Screen};
use crate::domain::request_error::RequestError;

fn project_reads(console: &TestConsole) -> usize {
    console
        .calls
        .iter()
        .filter(|call| matches!(call, ServiceCall::Record { .. }))
        .count()
}

#[test]
fn opening_a_signal_reads_its_project_once() {
    let console = TestConsole::with_rows(morning_queue())
        .press("Enter")
        .serve()
        .press("Esc Enter")
        .serve();
    assert_eq!(project_reads(&console), 1);
    assert!(console.screen_text().contains("Calder Residential"));
}

#[test]
fn the_page_shows_the_phone_of_each_firm_and_so_does_the_preview() {
    for (width, height) in [(200, 60), (120, 36), (80, 24), (60, 20)] {
        let console = TestConsole::with_rows(morning_queue())
            .send(Msg::Resized(width, height))
            .press("Enter")
            .serve();
        let screen = console.screen_text();
        let of = |name: &str| screen.lines().find(|line| line.contains(name));
        assert!(
            of("Calder Residential").is_some_and(|line| line.contains("512-555-0142")),
            "{width}: {screen}"
        );
        let preview = console.press("Esc").screen_text();
        assert!(
            width == 60 || preview.contains("call      Calder Residential"),
            "{width}: {preview}"
        );
    }
}

#[test]
fn a_large_screen_shows_what_was_filed_below_the_project_where_that_is_free() {
    let open = |size: (u16, u16), is_free: bool| {
        let mut console = TestConsole::with_rows(morning_queue());
        if is_free {
            let cost = Some(ReadCost::Reported(0));
            let cx = console.context_mut();
            cx.descriptions.learn_signal_price(cost, &mut cx.work);
        }
        let console = console.send(Msg::Resized(size.0, size.1));
        console.press("Enter").serve().screen_text()
    };
    let large = open((200, 60), true);
    for text in ["As filed", "valuation total", "BP-2026-118001"] {
        assert!(large.contains(text), "{text}: {large}");
    }
    for screen in [open((120, 36), true), open((200, 60), false)] {
        assert!(!screen.contains("As filed"), "{screen}");
    }
}

#[test]
fn a_large_screen_reads_each_payload_once_and_only_if_that_is_free_for_certain() {
    let reads = |is_confirmed: bool, is_halted: bool| {
        let mut console = TestConsole::with_rows(morning_queue()).send(Msg::Resized(200, 60));
        console.read_cost = Some(ReadCost::Reported(0));
        let reads = &mut console.context_mut().descriptions;
        reads.price = SignalPrice::Free;
        (reads.is_confirmed, reads.is_halted) = (is_confirmed, is_halted);
        let console = console.press("Enter").serve();
        let opened = console.context().queue.current_tab().current_row();
        let opened = opened.map(|row| row.signal.id);
        let (pages, all): (Vec<_>, Vec<_>) = console
            .calls
            .iter()
            .filter_map(|call| match call {
                ServiceCall::Signal { signal, .. } => Some((*signal, true)),
                ServiceCall::Description { signal, .. } => Some((*signal, false)),
                _ => None,
            })
            .filter(|(id, _)| Some(*id) == opened)
            .partition(|(_, is_page)| *is_page);
        (pages.len(), pages.len() + all.len())
    };
    assert_eq!(reads(true, false), (1, 1), "the same is not read twice");
    assert_eq!(reads(false, false).0, 0, "its first read is metered");
    assert_eq!(reads(true, true).0, 0, "a read has failed");
}

#[test]
fn the_page_shows_the_people_of_the_firms_where_it_has_room() {
    let console = TestConsole::with_rows(morning_queue())
        .press("Enter")
        .serve();
    let screen = console.screen_text();
    assert!(screen.contains("VP Development"), "{screen}");
    let small = console.send(Msg::Resized(80, 24)).screen_text();
    assert!(!small.contains("VP Development"), "{small}");
}

#[test]
fn the_price_is_shown_before_and_the_cost_after() {
    let console = TestConsole::with_rows(morning_queue());
    assert!(console.screen_text().contains("Enter 1 cr"));
    let console = console.press("Enter").serve();
    assert!(console.screen_text().contains("1 credit"));
    assert!(
        console.screen_text().contains("1,285"),
        "the meter moved: {}",
        console.screen_text()
    );
    assert!(console.press("Esc").screen_text().contains("Enter 0 cr"));
}

#[test]
fn the_price_of_the_next_signal_is_shown_before_this_one_is_triaged() {
    let console = TestConsole::with_rows(morning_queue())
        .press("Enter")
        .serve();
    assert!(
        console.screen_text().contains("next 1 cr   1 of 16"),
        "{}",
        console.screen_text()
    );
    let console = console.press("e").serve();
    assert_eq!(project_reads(&console), 2);
    let console = console.press("J").serve();
    assert!(
        console.screen_text().contains("next 0 cr   2 of 15"),
        "the construction loan is on the same project: {}",
        console.screen_text()
    );
    let console = console.press("e").serve();
    assert_eq!(project_reads(&console), 3);
}

#[test]
fn without_room_for_a_price_no_project_is_read_unasked() {
    let console = TestConsole::with_rows(morning_queue())
        .send(Msg::Resized(40, 12))
        .press("Enter J e")
        .serve();
    assert_eq!(project_reads(&console), 0);
    let screen = console.screen_text();
    assert!(
        screen.contains("permit issued") && screen.contains("r loads the project, 1 cr"),
        "{screen}"
    );
    let console = console.press("r").serve();
    assert_eq!(project_reads(&console), 1);
    let screen = console.press("G").screen_text();
    assert!(screen.contains("East Riverside"), "{screen}");
}

#[test]
fn a_signal_without_a_project_offers_no_paid_read() {
    let mut rows = morning_queue();
    rows[0].signal.project_id = None;
    let screen = TestConsole::with_rows(rows)
        .press("Enter")
        .serve()
        .screen_text();
    assert!(
        screen.contains("no project named") && !screen.contains("loads the project"),
        "{screen}"
    );
}

#[test]
fn a_project_paid_for_before_a_restart_is_free_and_shows_when_it_was_read() {
    let mut console = TestConsole::with_rows(morning_queue()).press("Enter");
    let (token, _) = console.pending_calls.pop_front().unwrap();
    let record = serde_json::json!({ "id": console.context().current_signal().unwrap().signal.project_id, "name": "Harbor Yard Lofts" });
    let record = crate::domain::records::Record::try_from(&record).unwrap();
    let read_at = Some(crate::app::testing::parse_time("2026-07-06T08:15:00Z"));
    let console = console.send(Msg::Replied(
        token,
        Ok(Reply::Record((record, read_at, Some(1)))),
    ));
    let screen = console.screen_text();
    assert!(
        screen.contains("read 07-06 08:15") && screen.contains("1,284"),
        "{screen}"
    );
    let console = console.press("r").serve();
    assert!(matches!(
        console.calls.last(),
        Some(ServiceCall::Record {
            bypass_cache: true,
            ..
        })
    ));
    assert!(
        console.screen_text().contains("1,285"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn done_in_the_detail_opens_the_next_signal() {
    let console = TestConsole::with_rows(morning_queue())
        .press("Enter")
        .serve()
        .press("e")
        .serve();
    assert!(console.screen_text().contains("Union Depot Tower"));
    assert_eq!(
        console.context().current_signal().unwrap().signal.id,
        signal_id(2)
    );
    assert_eq!(console.service_new_count(), 15);
}

#[test]
fn repeat_in_the_detail_acts_on_the_open_signal() {
    let console = TestConsole::with_rows(morning_queue())
        .press("Enter")
        .serve()
        .press("e")
        .serve()
        .press(". y Enter")
        .serve();
    assert_eq!(console.service_new_count(), 14);
    assert_eq!(
        console.context().current_signal().map(|row| row.signal.id),
        Some(signal_id(3)),
        "the next one is open"
    );
    let settings = AppSettings {
        after_triage: AfterTriage::Stay,
        ..AppSettings::default()
    };
    let console = TestConsole::with_size(morning_queue(), (120, 36), settings)
        .poll()
        .serve()
        .press("Enter")
        .serve()
        .press("e")
        .serve()
        .press(".");
    assert_eq!(
        (console.triage_calls().len(), console.notice_text()),
        (1, "done, next: this signal is already done".to_owned())
    );
}

#[test]
fn with_advance_stay_the_detail_stays_open() {
    let settings = AppSettings {
        after_triage: AfterTriage::Stay,
        ..AppSettings::default()
    };
    let console = TestConsole::with_size(morning_queue(), (120, 36), settings)
        .poll()
        .serve()
        .press("Enter")
        .serve()
        .press("e")
        .serve();
    assert_eq!(
        console.context().current_signal().unwrap().signal.id,
        signal_id(1)
    );
    assert!(console.press("e").notice_text().contains("already done"));
}

#[test]
fn next_and_previous_go_through_the_list_without_leaving() {
    let console = TestConsole::with_rows(morning_queue())
        .press("Enter")
        .serve()
        .press("J J K")
        .serve();
    assert_eq!(
        console.context().current_signal().unwrap().signal.id,
        signal_id(2)
    );
    assert_eq!(
        console.press("K").serve().press("K").notice_text(),
        "this is the first signal"
    );
}

#[test]
fn a_failed_project_read_is_reported_and_the_signal_stays() {
    let console = TestConsole::with_rows(morning_queue())
        .press("Enter")
        .fail_next(RequestError::new_ambiguous(
            "the answer took longer than 15 s",
        ));
    let screen = console.screen_text();
    assert!(screen.contains("the answer took longer"));
    assert!(screen.contains("permit issued"));
}

#[test]
fn the_raw_payload_is_requested_only_when_its_tab_is_shown() {
    let asked = |console: &TestConsole| {
        console
            .calls
            .iter()
            .any(|call| matches!(call, ServiceCall::Signal { .. }))
    };
    let console = TestConsole::with_rows(morning_queue())
        .press("Enter")
        .serve();
    assert!(!asked(&console));
    let console = console.press("] ]").serve();
    assert!(
        !asked(&console) && console.screen_text().contains("does not state the price"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Down Enter").serve();
    assert!(asked(&console));
    assert!(console.screen_text().contains("\"status\": \"issued\""));
}

#[test]
fn the_timeline_shows_new_or_done_only_where_a_queue_row_proves_it() {
    let console = TestConsole::with_rows(morning_queue())
        .press("Enter")
        .serve();
    let screen = console.screen_text();
    let line = |word: &str| {
        screen
            .lines()
            .find(|line| line.contains(word) && line.contains('○'))
            .unwrap_or_default()
            .to_owned()
    };
    assert!(line("construction loan").contains("new"));
    assert!(!line("pre application").contains("new"));
}

#[test]
fn golden_screens_of_the_detail() {
    golden!(
        "detail_120x36",
        TestConsole::with_rows(morning_queue())
            .press("Enter")
            .serve()
    );
    golden!(
        "detail_80x24",
        TestConsole::with_rows(morning_queue())
            .press("Enter")
            .serve()
            .send(Msg::Resized(80, 24))
    );
    golden!(
        "detail_60x20",
        TestConsole::with_rows(morning_queue())
            .press("Enter")
            .serve()
            .send(Msg::Resized(60, 20))
    );
    golden!(
        "detail_40x12",
        TestConsole::with_rows(morning_queue())
            .send(Msg::Resized(40, 12))
            .press("Enter")
            .serve()
    );
}

#[test]
fn enter_in_the_timeline_opens_that_signal() {
    let console = TestConsole::with_rows(morning_queue())
        .press("Enter")
        .serve()
        .press("Tab");
    let before = console.calls.len();
    let console = console.press("j Enter").serve();
    assert_eq!(
        console.cursor_id(),
        signal_id(6),
        "the queue's cursor follows"
    );
    assert!(
        console.screen_text().contains("construction loan"),
        "{}",
        console.screen_text()
    );
    assert_eq!(console.calls.len(), before, "the project is already read");
    let console = console.press("G Enter");
    assert!(
        console.screen_text().contains("pre application"),
        "{}",
        console.screen_text()
    );
    let console = console.press("e");
    assert!(
        console
            .notice_text()
            .contains("not among the loaded rows of the queue"),
        "{}",
        console.notice_text()
    );
    assert!(console.triage_calls().is_empty());
}

#[test]
fn firms_and_people_are_rows_that_open_for_an_announced_price() {
    let console = TestConsole::with_rows(morning_queue())
        .press("Enter")
        .serve()
        .press("]");
    let screen = console.screen_text();
    let row = |name: &str| {
        screen
            .lines()
            .find(|line| line.contains(name))
            .unwrap_or_default()
    };
    assert!(
        row("Calder Residential").contains("512-555-0142"),
        "{screen}"
    );
    assert!(row("D. Okafor").contains("VP Development"), "{screen}");
    assert!(screen.contains("Enter open 1 cr"), "{screen}");
    let console = console.press("j Enter").serve();
    assert_eq!(project_reads(&console), 2, "the project and the person");
    assert_eq!(console.context().ui.screen(), Screen::Record);
}

#[test]
fn repeat_in_the_detail_snoozes_the_open_signal_after_a_snooze() {
    let console = TestConsole::with_rows(morning_queue())
        .press("H Enter Enter")
        .serve()
        .press(".")
        .serve();
    assert!(
        console.context().queue.snoozes.get(signal_id(2)).is_some(),
        "{}",
        console.notice_text()
    );
    assert_eq!(
        (console.triage_calls().len(), console.service_new_count()),
        (0, 16)
    );
}

//! The detail, in the words of its users.

use crate::app::effect::Call;
use crate::app::msg::{Msg, Reply};
use crate::app::testing::{Console, golden, morning, signal_id};
use crate::app::{Advance, Settings};
use crate::domain::failure::RequestError;

fn dossiers(console: &Console) -> usize {
    console.calls.iter().filter(|call| matches!(call, Call::Record { .. })).count()
}

#[test]
fn opening_a_signal_reads_its_project_once() {
    let console = Console::over(morning()).press("Enter").serve().press("Esc Enter").serve();
    assert_eq!(dossiers(&console), 1);
    assert!(console.screen().contains("Calder Residential"));
}

#[test]
fn the_price_stands_before_and_the_receipt_after() {
    let console = Console::over(morning());
    assert!(console.screen().contains("Enter 1 cr"));
    let console = console.press("Enter").serve();
    assert!(console.screen().contains("1 credit"));
    assert!(console.screen().contains("1,285"), "the meter moved: {}", console.screen());
    assert!(console.press("Esc").screen().contains("Enter 0 cr"));
}

#[test]
fn what_opening_the_next_signal_takes_stands_there_before_one_is_done_with_this() {
    let console = Console::over(morning()).press("Enter").serve();
    assert!(console.screen().contains("next 1 cr   1 of 16"), "{}", console.screen());
    let console = console.press("e").serve();
    assert_eq!(dossiers(&console), 2);
    let console = console.press("J").serve();
    assert!(console.screen().contains("next 0 cr   2 of 15"), "the loan of the same project: {}", console.screen());
    let console = console.press("e").serve();
    assert_eq!(dossiers(&console), 3);
}

#[test]
fn where_there_is_no_room_for_a_price_no_project_is_read_unasked() {
    let console = Console::over(morning()).send(Msg::Resized(40, 12)).press("Enter J e").serve();
    assert_eq!(dossiers(&console), 0);
    let screen = console.screen();
    assert!(screen.contains("permit issued") && screen.contains("r reads the project, 1 cr"), "{screen}");
    let console = console.press("r").serve();
    assert_eq!(dossiers(&console), 1);
    let screen = console.press("G").screen();
    assert!(screen.contains("Calder Residential"), "{screen}");
}

#[test]
fn of_a_signal_without_a_project_none_is_offered_for_a_price() {
    let mut rows = morning();
    rows[0].signal.project_id = None;
    let screen = Console::over(rows).press("Enter").serve().screen();
    assert!(screen.contains("no project is named") && !screen.contains("reads the project"), "{screen}");
}

#[test]
fn a_project_that_was_paid_for_before_a_restart_costs_nothing_and_says_when_it_was_read() {
    let mut console = Console::over(morning()).press("Enter");
    let (token, _) = console.waiting.pop_front().unwrap();
    let record = serde_json::json!({ "id": console.app.signal().unwrap().signal.project_id, "name": "Harbor Yard Lofts" });
    let record = Box::new(crate::domain::records::Record::try_from(&record).unwrap());
    let read_at = Some(crate::app::testing::moment("2026-07-06T08:15:00Z"));
    let console = console.send(Msg::Replied(token, Ok(Reply::Record { record, read_at, credits: Some(1) })));
    let screen = console.screen();
    assert!(screen.contains("read 07-06 08:15") && screen.contains("1,284"), "{screen}");
    let console = console.press("r").serve();
    assert!(matches!(console.calls.last(), Some(Call::Record { again: true, .. })));
    assert!(console.screen().contains("1,285"), "{}", console.screen());
}

#[test]
fn done_in_the_detail_opens_the_next_signal() {
    let console = Console::over(morning()).press("Enter").serve().press("e").serve();
    assert!(console.screen().contains("Union Depot Tower"));
    assert_eq!(console.app.detail.as_ref().unwrap().row.signal.id, signal_id(2));
    assert_eq!(console.new_in_service(), 15);
}

#[test]
fn repeating_an_act_in_the_detail_is_doing_it_there() {
    let console = Console::over(morning()).press("Enter").serve().press("e").serve().press(".").serve();
    assert_eq!(console.new_in_service(), 14);
    assert_eq!(console.app.signal().map(|row| row.signal.id), Some(signal_id(3)), "the next one is open");
    let settings = Settings { advance: Advance::Stay, ..Settings::default() };
    let console =
        Console::sized(morning(), (120, 36), settings).poll().serve().press("Enter").serve().press("e").serve().press(".");
    assert_eq!((console.triages().len(), console.notice()), (1, "repeat: this signal is done already".to_owned()));
}

#[test]
fn with_advance_stay_the_detail_stays_open() {
    let settings = Settings { advance: Advance::Stay, ..Settings::default() };
    let console = Console::sized(morning(), (120, 36), settings).poll().serve().press("Enter").serve().press("e").serve();
    assert_eq!(console.app.detail.as_ref().unwrap().row.signal.id, signal_id(1));
    assert!(console.press("e").notice().contains("done already"));
}

#[test]
fn next_and_previous_go_through_the_list_without_leaving() {
    let console = Console::over(morning()).press("Enter").serve().press("J J K").serve();
    assert_eq!(console.app.detail.as_ref().unwrap().row.signal.id, signal_id(2));
    assert_eq!(console.press("K").serve().press("K").notice(), "this is the first signal");
}

#[test]
fn a_project_that_cannot_be_read_says_so_and_keeps_the_signal() {
    let console = Console::over(morning()).press("Enter").fail(RequestError::new_ambiguous("the answer took longer than 15 s"));
    let screen = console.screen();
    assert!(screen.contains("the answer took longer"));
    assert!(screen.contains("permit issued"));
}

#[test]
fn the_raw_tab_asks_for_the_payload_only_when_it_is_shown() {
    let asked = |console: &Console| console.calls.iter().any(|call| matches!(call, Call::Signal(_)));
    let console = Console::over(morning()).press("Enter").serve();
    assert!(!asked(&console));
    let console = console.press("] ]").serve();
    assert!(asked(&console));
    assert!(console.screen().contains("\"status\": \"issued\""));
}

#[test]
fn the_timeline_says_new_or_done_only_where_a_queue_row_proves_it() {
    let console = Console::over(morning()).press("Enter").serve();
    let screen = console.screen();
    let line = |word: &str| screen.lines().find(|line| line.contains(word) && line.contains('○')).unwrap_or_default().to_owned();
    assert!(line("construction loan").contains("new"));
    assert!(!line("pre application").contains("new"));
}

#[test]
fn golden_screens_of_the_detail() {
    golden!("detail_120x36", Console::over(morning()).press("Enter").serve());
    golden!("detail_80x24", Console::over(morning()).press("Enter").serve().send(Msg::Resized(80, 24)));
    golden!("detail_60x20", Console::over(morning()).press("Enter").serve().send(Msg::Resized(60, 20)));
    golden!("detail_40x12", Console::over(morning()).send(Msg::Resized(40, 12)).press("Enter").serve());
}

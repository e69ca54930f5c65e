//! Where the console starts when the command line says so.

use crate::app::effect::ServiceCall;
use crate::app::msg::{Msg, Push};
use crate::app::testing::{TestConsole, morning_queue};
use crate::app::{Screen, StartTarget};
use crate::domain::book::Dataset;
use crate::domain::records::RecordKey;

fn started_at(target: StartTarget) -> TestConsole {
    TestConsole::with_size(
        morning_queue(),
        (120, 36),
        crate::app::AppSettings::default(),
    )
    .send(Msg::Pushed(Push::StartAt(Box::new(target))))
    .poll()
    .serve()
}

fn paid_calls(console: &TestConsole) -> usize {
    console
        .calls
        .iter()
        .filter(|call| call.max_credits().is_some_and(|most| most > 0))
        .count()
}

#[test]
fn the_console_starts_at_a_view_by_its_name_and_reads_no_record() {
    let title = TestConsole::with_rows(morning_queue())
        .press("2")
        .serve()
        .context()
        .views
        .list()[1]
        .title();
    let console = started_at(StartTarget::View(title.clone()));
    assert_eq!(
        (console.context().ui.screen(), paid_calls(&console)),
        (Screen::Views, 0)
    );
    assert!(
        console.screen_text().contains(&format!("\u{258c} {title}"))
            || console.screen_text().contains(&title)
    );
    let console = started_at(StartTarget::View("Nowhere".to_owned()));
    assert!(
        console
            .notice_text()
            .starts_with("there is no View Nowhere"),
        "{}",
        console.notice_text()
    );
}

#[test]
fn the_console_starts_at_a_signal_with_its_project() {
    let signal = morning_queue()[2].signal.clone();
    let console = started_at(StartTarget::Signal(Box::new(signal)));
    assert_eq!(
        (console.context().ui.screen(), paid_calls(&console)),
        (Screen::Detail, 1)
    );
    assert!(
        console.screen_text().contains("Mill & 4th Mixed Use"),
        "{}",
        console.screen_text()
    );
    assert_eq!(console.press("Esc").context().ui.screen(), Screen::Queue);
}

#[test]
fn a_record_that_was_read_to_find_it_is_not_paid_again() {
    let mut console = TestConsole::with_rows(morning_queue())
        .press("3")
        .serve()
        .press("Enter")
        .serve();
    let id = console
        .context()
        .records
        .lists
        .values()
        .find_map(|list| list.rows().first().map(|row| row.id))
        .unwrap();
    let key = RecordKey {
        dataset: Dataset::Accounts,
        id,
        in_book: false,
    };
    let call = ServiceCall::Record {
        key: key.clone(),
        bypass_cache: false,
    };
    let Ok(crate::app::msg::Reply::Record((record, ..))) = console.reply_to(&call) else {
        panic!("a record")
    };
    let console = started_at(StartTarget::Record(key, Box::new(record), Some(1)));
    assert_eq!(
        (console.context().ui.screen(), paid_calls(&console)),
        (Screen::Record, 0)
    );
}

//! Tests of the book, as its users see it.

use crate::app::msg::Msg;
use crate::app::testing::{TestConsole, golden, morning_queue};

fn book() -> TestConsole {
    TestConsole::with_rows(morning_queue())
        .press("3")
        .serve()
        .press("Enter")
        .serve()
}

#[test]
fn each_dataset_has_a_tab_and_its_own_list() {
    let console = book().press("]").serve();
    assert!(console.screen_text().contains("Book › contacts"));
    assert_eq!(
        console.service.spent, 8,
        "switching to an unread tab does not read it"
    );
    assert!(
        console
            .press("[")
            .screen_text()
            .contains("Calder Residential")
    );
}

#[test]
fn golden_screens_of_the_book() {
    golden!("book_120x36", book().press("Space"));
    golden!("book_80x24", book().send(Msg::Resized(80, 24)));
    golden!("book_60x20", book().send(Msg::Resized(60, 20)));
    golden!("book_40x8", book().send(Msg::Resized(40, 8)));
    golden!(
        "book_unread_80x24",
        TestConsole::with_rows(morning_queue())
            .press("3")
            .serve()
            .send(Msg::Resized(80, 24))
    );
}

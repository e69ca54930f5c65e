//! Tests of the book, as its users see it.

use serde_json::json;
use uuid::Uuid;

use crate::app::msg::Msg;
use crate::app::testing::fake_service::account_id;
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
fn contacts_show_their_firm_and_phone_once_these_were_read() {
    let mut console = book();
    let contact = &mut console.service.records.get_mut("contacts").unwrap()[0];
    contact.insert("account_id".to_owned(), json!(account_id(1)));
    contact.insert("phone".to_owned(), json!("(512) 555-0125"));
    let annotation = json!({"workspace_status": "contacted", "tags": []});
    console.service.book.insert(
        Uuid::from_u128(0x4000),
        annotation.as_object().unwrap().clone(),
    );
    let console = console.press("]").serve().press("Enter").serve();
    let screen = console.screen_text();
    assert!(
        screen.contains("FIRM") && screen.contains("Brightline GC") && !screen.contains("PHONE"),
        "{screen}"
    );
    let console = console.press("Enter").serve().press("i").serve();
    let screen = console.press("Esc").screen_text();
    assert!(
        screen.contains("PHONE") && screen.contains("(512) 555-0125"),
        "{screen}"
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

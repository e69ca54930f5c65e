//! Annotations of records that a colleague changed meanwhile.

use chrono::Duration;
use serde_json::{Value, json};

use super::{book, field, reads, save, saved_drafts, writes};
use crate::app::testing::fake_service::account_id;
use crate::app::testing::{TestConsole, morning_queue};

/// A colleague changes account `n`.
fn with_colleague_write(mut console: TestConsole, n: usize, value: Value) -> TestConsole {
    console
        .service
        .book
        .get_mut(&account_id(n))
        .unwrap()
        .extend(value.as_object().unwrap().clone());
    console
}

#[test]
fn each_record_is_reread_before_its_write_for_the_price_shown() {
    for (marks, price) in [("a s", 1), ("* a a s", 6)] {
        let console = book()
            .press(marks)
            .type_text("contacted")
            .press("Backspace")
            .type_text("d ");
        let console = if price == 1 {
            console.type_text("x")
        } else {
            console
        };
        let screen = console.screen_text();
        assert!(
            screen.contains(&format!("again and writes, {price} cr")),
            "{screen}"
        );
        let spent = console.service.spent;
        let console = save(console).serve();
        assert_eq!(
            (console.service.spent - spent, writes(&console).len()),
            (price, price as usize),
            "{}",
            console.notice_text()
        );
        assert!(
            console
                .screen_text()
                .contains(&format!("undoes, {price} cr")),
            "{}",
            console.screen_text()
        );
    }
}

#[test]
fn a_recent_change_of_a_colleague_is_asked_about_on_many_records_too() {
    for (keys, text, change) in [
        ("a s", "called", json!({"workspace_status": "won"})),
        ("a s Left", "", json!({"workspace_status": "won"})),
        ("a i", "1", json!({"icp_tier": "disqualified"})),
        ("a n Esc Right Enter", "mine", json!({"notes": "theirs"})),
        ("a n Esc Right Right", "", json!({"notes": "theirs"})),
    ] {
        let console = book().press("* a").press(keys).type_text(text);
        let console = save(with_colleague_write(console, 2, change.clone())).serve();
        for (name, value) in change.as_object().unwrap() {
            assert_eq!(field(&console, account_id(2), name), value, "{keys}");
        }
        assert!(
            console.notice_text().contains("not seen the current "),
            "{keys}: {}",
            console.notice_text()
        );
        let screen = console.screen_text();
        assert!(
            screen.contains("Annotate Calder Residential") && screen.contains(" not seen"),
            "{screen}"
        );
        let before = console.service.book.clone();
        let console = console.press("Ctrl-s").serve();
        let changed = console
            .service
            .book
            .iter()
            .filter(|(id, overlay)| before[*id] != **overlay)
            .count();
        assert_eq!(
            changed,
            1,
            "the input is written to the remaining record: {}",
            console.notice_text()
        );
        assert!(saved_drafts(&console).is_empty(), "and the draft is gone");
    }
}

#[test]
fn tags_and_notes_are_added_to_what_a_colleague_just_wrote() {
    let change = json!({"tags": ["austin", "theirs"], "notes": "met at the fair\nAnn: signed"});
    for marks in ["j", "* a"] {
        let console = book()
            .press(marks)
            .press("a t")
            .type_text("mine")
            .press("Tab Enter")
            .type_text("call");
        let console = with_colleague_write(console, 2, change.clone())
            .press("Ctrl-s")
            .serve();
        assert_eq!(
            field(&console, account_id(2), "tags"),
            &json!(["austin", "theirs", "mine"])
        );
        assert_eq!(
            field(&console, account_id(2), "notes"),
            "met at the fair\nAnn: signed\ncall"
        );
        let console = console.press("z Enter").serve();
        assert_eq!(
            field(&console, account_id(2), "tags"),
            &change["tags"],
            "undone to the previous value: {}",
            console.notice_text()
        );
        assert_eq!(field(&console, account_id(2), "notes"), &change["notes"]);
    }
}

#[test]
fn undo_and_redo_ask_before_overwriting_an_unseen_change_of_a_colleague() {
    let console = book()
        .press("* a a s")
        .type_text("called")
        .press("Ctrl-s Ctrl-s")
        .serve();
    let console = with_colleague_write(console, 2, json!({"workspace_status": "won"}))
        .press("z Enter")
        .serve();
    assert_eq!(
        field(&console, account_id(2), "workspace_status"),
        "won",
        "{}",
        console.notice_text()
    );
    assert!(
        console.notice_text().contains("the status “won” now"),
        "{}",
        console.notice_text()
    );
    assert!(
        console.screen_text().contains("status is won")
            && console.screen_text().contains("undo anyway"),
        "{}",
        console.screen_text()
    );
    let console = console.press("y Enter").serve();
    assert_eq!(field(&console, account_id(2), "workspace_status"), "cold");
    let console = with_colleague_write(console, 2, json!({"workspace_status": "lost"}))
        .press("Z Enter")
        .serve();
    assert_eq!(
        field(&console, account_id(2), "workspace_status"),
        "lost",
        "{}",
        console.notice_text()
    );
    assert!(
        console.screen_text().contains("redo anyway"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn a_value_that_a_colleague_already_wrote_is_not_written_again() {
    let console = book().press("a s").type_text("called");
    let console = with_colleague_write(console, 1, json!({"workspace_status": "called"}))
        .press("Ctrl-s Ctrl-s")
        .serve();
    assert_eq!(
        console.notice_text(),
        "Nothing to change: status of Brightline GC."
    );
    assert!(
        console.press("z").notice_text().contains("nothing to undo"),
        "it is not a step"
    );
}

#[test]
fn a_note_draft_keeps_what_a_colleague_wrote_while_the_program_was_closed() {
    let console = with_colleague_write(
        TestConsole::with_rows(morning_queue()),
        1,
        json!({"notes": "one\ntwo"}),
    );
    let console = console.press("3").serve().press("Enter").serve();
    let before = console.press("a n Backspace").type_text(" and more");
    let console = with_colleague_write(
        before.restart(),
        1,
        json!({"notes": "Ann: signed\none\ntwo"}),
    );
    let console = console
        .press("3")
        .serve()
        .press("Enter")
        .serve()
        .press("a n Enter Ctrl-s")
        .serve();
    let console = if writes(&console).is_empty() {
        console.press("Ctrl-s").serve()
    } else {
        console
    };
    let note = field(&console, account_id(1), "notes").as_str().unwrap();
    assert!(
        note.contains("Ann: signed") && note.contains("two and more")
            || console.app.panes().annotation_form.is_open(),
        "{note}"
    );
    assert!(note.contains("Ann: signed"), "{note}");
}

#[test]
fn a_status_changed_by_a_colleague_is_asked_about_before_overwriting() {
    let mut console = book()
        .advance_time(Duration::minutes(3))
        .press("a s")
        .type_text("called");
    console
        .service
        .book
        .get_mut(&account_id(1))
        .unwrap()
        .insert("workspace_status".into(), json!("won"));
    let console = console.press("Ctrl-s Ctrl-s").serve();
    assert_eq!(
        field(&console, account_id(1), "workspace_status"),
        "won",
        "the console asks first"
    );
    assert!(
        console
            .notice_text()
            .contains("not seen the current status"),
        "{}",
        console.notice_text()
    );
    assert!(
        console.screen_text().contains("won → called not seen"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Ctrl-s").serve();
    assert_eq!(field(&console, account_id(1), "workspace_status"), "called");
}

#[test]
fn tags_of_both_are_kept_and_changes_of_other_fields_do_not_conflict() {
    let mut console = book()
        .advance_time(Duration::minutes(3))
        .press("a t")
        .type_text("mine");
    let overlay = console.service.book.get_mut(&account_id(1)).unwrap();
    overlay.insert("tags".into(), json!(["theirs"]));
    let mut console = console.press("Ctrl-s").serve();
    assert_eq!(
        field(&console, account_id(1), "tags"),
        &json!(["theirs", "mine"])
    );
    console
        .service
        .book
        .get_mut(&account_id(1))
        .unwrap()
        .insert("icp_tier".into(), json!("tier_1"));
    let console = console
        .advance_time(Duration::minutes(3))
        .press("a s")
        .type_text("called")
        .press("Ctrl-s Ctrl-s")
        .serve();
    assert_eq!(field(&console, account_id(1), "workspace_status"), "called");
}

#[test]
fn a_note_that_both_changed_is_merged_by_lines_and_a_conflict_keeps_both_texts() {
    let note = |text: &str| -> TestConsole {
        let mut console = TestConsole::with_rows(morning_queue());
        console
            .service
            .book
            .get_mut(&account_id(1))
            .unwrap()
            .insert("notes".into(), json!("one\ntwo\nthree"));
        let console = console
            .press("3")
            .serve()
            .press("Enter")
            .serve()
            .advance_time(Duration::minutes(3));
        // The note is edited from its current text: a line is inserted at the top.
        let mut console = console
            .press("a n Up Up Up Home")
            .type_text("new")
            .press("Enter");
        console
            .service
            .book
            .get_mut(&account_id(1))
            .unwrap()
            .insert("notes".into(), json!(text));
        console.press("Ctrl-s").serve()
    };
    let console = note("one\ntwo\nthree\nfour");
    assert_eq!(
        field(&console, account_id(1), "notes"),
        "new\none\ntwo\nthree\nfour"
    );
    let console = note("theirs\none\ntwo\nthree").press("Ctrl-s");
    assert_eq!(
        field(&console, account_id(1), "notes"),
        "theirs\none\ntwo\nthree"
    );
    assert!(
        console
            .notice_text()
            .contains("resolve the conflict markers"),
        "{}",
        console.notice_text()
    );
    assert!(
        console.screen_text().contains("theirs") && console.screen_text().contains("new"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn a_record_that_left_the_book_is_not_saved_again_without_asking() {
    let mut console = book()
        .advance_time(Duration::minutes(3))
        .press("a s")
        .type_text("called");
    console.service.book.remove(&account_id(1));
    let console = console.press("Ctrl-s Ctrl-s").serve();
    assert!(
        !console.service.book.contains_key(&account_id(1)),
        "{}",
        console.notice_text()
    );
    assert!(
        console.notice_text().contains("no longer in the book"),
        "{}",
        console.notice_text()
    );
    assert!(
        console
            .screen_text()
            .contains("not in the book yet: this saves it for everyone")
    );
}

#[test]
fn the_age_of_many_old_rows_is_shown_and_they_are_reread_on_request() {
    let console = book()
        .advance_time(Duration::minutes(22))
        .press("* a a s")
        .type_text("called");
    assert!(
        console
            .screen_text()
            .contains("read 22 min ago: Ctrl-r reads them now, 8 cr"),
        "{}",
        console.screen_text()
    );
    let mut console = console;
    console
        .service
        .book
        .get_mut(&account_id(2))
        .unwrap()
        .insert("workspace_status".into(), json!("won"));
    let console = console.press("Ctrl-r").serve();
    assert_eq!(reads(&console), 8);
    assert!(
        console
            .notice_text()
            .contains("not seen the current values of 1 record")
            && console.screen_text().contains(" not seen"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn undo_shows_what_it_would_overwrite_when_a_colleague_changed_it() {
    let mut console = book()
        .press("a s")
        .type_text("called")
        .press("Ctrl-s Ctrl-s")
        .serve();
    console
        .service
        .book
        .get_mut(&account_id(1))
        .unwrap()
        .insert("workspace_status".into(), json!("won"));
    let console = console
        .advance_time(Duration::minutes(1))
        .press("R Down Enter")
        .serve()
        .press("z");
    assert!(
        console.screen_text().contains("won") && console.screen_text().contains("undo anyway"),
        "{}",
        console.screen_text()
    );
    assert_eq!(writes(&console).len(), 1);
    let left = console.press("Esc");
    assert_eq!(field(&left, account_id(1), "workspace_status"), "won");
    let console = left.press("z y Enter").serve();
    assert_eq!(
        field(&console, account_id(1), "workspace_status"),
        "contacted"
    );
}

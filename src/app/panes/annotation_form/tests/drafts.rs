//! Drafts of annotations: kept, offered again, and discarded.

use serde_json::{Value, json};

use super::{book, field, saved_drafts, sent, writes};
use crate::app::effect::Effect;
use crate::app::testing::fake_service::account_id;

#[test]
fn typed_text_survives_esc_and_is_offered_again_for_these_records_only() {
    let console = book().press("a s").type_text("called").press("Esc");
    assert!(console.notice_text().contains("kept") && writes(&console).is_empty());
    let other = book().press("a s").type_text("called").press("Esc j a s");
    assert!(!other.screen_text().contains("draft"));
    let console = console.press("a s");
    assert!(
        console
            .screen_text()
            .contains("draft of 09:20: Enter uses it"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Enter Ctrl-s Ctrl-s").serve();
    assert_eq!(sent(&console), [json!({ "workspace_status": "called" })]);
    assert!(
        !console.press("a s").screen_text().contains("draft"),
        "a written draft is gone"
    );
}

#[test]
fn quitting_with_a_draft_asks_first() {
    let console = book().press("a s").type_text("called").press("Esc q q");
    assert!(
        console.screen_text().contains("Quit?") && !console.effects.contains(&Effect::Quit),
        "{}",
        console.screen_text()
    );
    let console = console.press("Enter");
    assert!(!console.effects.contains(&Effect::Quit), "Enter stays");
    assert!(
        console
            .press("q Down Enter")
            .effects
            .contains(&Effect::Quit)
    );
}

#[test]
fn a_half_typed_note_can_be_resumed_from_anywhere_after_a_restart() {
    let console = book()
        .press("a n")
        .type_text("met at the fair, call ba")
        .restart();
    assert!(
        console
            .notice_text()
            .contains("Brightline GC: your draft from 09:20 is kept"),
        "{}",
        console.notice_text()
    );
    let console = console.press("g t");
    assert!(
        console.screen_text().contains("Brightline GC: note"),
        "{}",
        console.screen_text()
    );
    let console = console
        .press("Enter")
        .type_text("ck")
        .press("Ctrl-s")
        .serve();
    assert_eq!(
        sent(&console),
        [json!({ "notes": "met at the fair, call back" })]
    );
    assert!(saved_drafts(&console).is_empty(), "a written draft is gone");
}

#[test]
fn opening_a_record_offers_its_draft_and_never_applies_or_overwrites_it() {
    let before = book()
        .press("a s")
        .type_text("called")
        .press("Tab")
        .type_text("q3");
    let console = before
        .restart()
        .press("3")
        .serve()
        .press("Enter")
        .serve()
        .press("a s");
    assert!(
        console
            .screen_text()
            .contains("draft of 09:20: Enter uses it, Ctrl-x discards it"),
        "{}",
        console.screen_text()
    );
    assert_eq!(
        (writes(&console).len(), saved_drafts(&console).len()),
        (0, 1)
    );
    let console = console.press("Ctrl-x");
    assert!(
        !console.screen_text().contains("draft of") && console.notice_text().contains("discarded")
    );
    assert!(
        console
            .press("Esc g t")
            .notice_text()
            .contains("no unsaved drafts")
    );
}

#[test]
fn emptied_input_is_no_longer_saved() {
    let console = book().press("a n").type_text("x");
    assert_eq!(saved_drafts(&console).len(), 1);
    assert!(saved_drafts(&console.press("Backspace Esc Left")).is_empty());
}

#[test]
fn tags_added_by_a_colleague_while_the_program_was_closed_survive_the_draft() {
    let mut before = book().press("a t Right").type_text("austin, mine");
    before
        .service
        .book
        .get_mut(&account_id(1))
        .unwrap()
        .insert("tags".into(), json!(["austin", "theirs"]));
    let console = before
        .restart()
        .press("3")
        .serve()
        .press("Enter")
        .serve()
        .press("a t Enter Ctrl-s")
        .serve();
    assert_eq!(
        field(&console, account_id(1), "tags"),
        &json!(["austin", "theirs", "mine"])
    );
}

#[test]
fn a_draft_for_another_record_is_restored_by_the_key_that_is_named() {
    let console = book()
        .press("a s")
        .type_text("called")
        .press("Esc 1 g t Enter Esc");
    assert!(
        console.screen_text().contains("gt resumes it"),
        "{}",
        console.screen_text()
    );
    let console = console.press("g t Enter");
    assert!(
        console.screen_text().contains("Annotate Brightline GC")
            && console.screen_text().contains("called"),
        "{}",
        console.screen_text()
    );
    let here = book().press("a s").type_text("called").press("Esc");
    assert!(
        here.screen_text().contains("aa resumes it"),
        "{}",
        here.screen_text()
    );
}

#[test]
fn an_empty_draft_is_not_saved_and_one_of_an_older_version_is_dropped() {
    let console = book().press("a n Esc Esc");
    assert!(
        saved_drafts(&console).is_empty()
            && console
                .press("g t")
                .notice_text()
                .contains("no unsaved drafts")
    );
    let mut console = book().press("a n").type_text("x");
    let empty: Value = serde_json::from_str(
        &console.saved_state.drafts[0]
            .content
            .to_string()
            .replace("\"x\"", "\"\""),
    )
    .unwrap();
    console.saved_state.drafts[0].content = empty;
    let console = console.restart();
    assert!(
        saved_drafts(&console).is_empty()
            && console
                .press("g t")
                .notice_text()
                .contains("no unsaved drafts")
    );
}

#[test]
fn discarding_a_draft_asks_first() {
    let console = book()
        .press("a s")
        .type_text("called")
        .press("Esc g t Enter Ctrl-x");
    assert!(
        console.screen_text().contains("Discard what you typed?")
            && saved_drafts(&console).len() == 1,
        "{}",
        console.screen_text()
    );
    assert_eq!(saved_drafts(&console.press("Esc Esc")).len(), 1);
    let console = book()
        .press("a s")
        .type_text("called")
        .press("Esc g t Enter Ctrl-x y Enter");
    assert!(
        saved_drafts(&console).is_empty()
            && !console.app.panes().annotation_form.is_open()
            && writes(&console).is_empty(),
        "{}",
        console.screen_text()
    );
}

#[test]
fn a_draft_open_in_another_console_is_taken_as_a_copy_and_reported() {
    let mut before = book().press("a n").type_text("mine");
    before.saved_state.drafts[0].is_open_elsewhere = true;
    let console = before.restart().press("g t Enter");
    assert!(
        console
            .notice_text()
            .contains("another console has this open"),
        "{}",
        console.notice_text()
    );
    assert_eq!(
        saved_drafts(&console.type_text("!")).len(),
        2,
        "the copy has its own name"
    );
}

#[test]
fn quitting_with_a_saved_draft_asks_nothing_and_says_where_it_is() {
    let console = book().press("a s").type_text("called").restart().press("q");
    assert!(console.effects.contains(&Effect::Quit));
    assert_eq!(
        console.app.exit_lines(),
        ["gantry: your draft for 1 record is kept; gt resumes it"]
    );
}

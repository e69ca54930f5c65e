//! Tests of the annotation form, as its users see it.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::app::command::Scope;
use crate::app::effect::{Effect, ServiceCall, WriteRequest};
use crate::app::msg::{EditorPurpose, Msg};
use crate::app::testing::fake_service::{FakeService, account_id, accounts_list};
use crate::app::testing::{TestConsole, golden, morning_queue};
use crate::domain::drafts::Draft;
use crate::domain::request_error::RequestError;
use chrono::Duration;

fn book() -> TestConsole {
    TestConsole::with_rows(morning_queue()).press("3").serve().press("Enter").serve()
}

/// The records of the first View: forty accounts, two thirds of them in the book.
fn view() -> TestConsole {
    let mut console = TestConsole::with_rows(morning_queue());
    console.service = FakeService::with_firms(80);
    console.press("2").serve().press("j Enter").serve()
}

fn writes(console: &TestConsole) -> Vec<&WriteRequest> {
    console.calls.iter().filter_map(|call| if let ServiceCall::Write(write) = call { Some(write) } else { None }).collect()
}

fn reads(console: &TestConsole) -> usize {
    console.calls.iter().filter(|call| matches!(call, ServiceCall::Record { .. })).count()
}

fn field<'a>(console: &'a TestConsole, id: Uuid, name: &str) -> &'a Value {
    &console.service.book[&id][name]
}

/// The body of each write, as JSON.
fn sent(console: &TestConsole) -> Vec<Value> {
    let items = writes(console).into_iter().flat_map(|write| match write {
        WriteRequest::Annotate { items, .. } => items.as_slice(),
        _ => panic!("expected an annotation"),
    });
    items.map(|item| json!(item.desired)).collect()
}

/// A colleague changes account `n`.
fn with_colleague_write(mut console: TestConsole, n: usize, value: Value) -> TestConsole {
    console.service.book.get_mut(&account_id(n)).unwrap().extend(value.as_object().unwrap().clone());
    console
}

#[test]
fn errors_and_their_hints_are_readable_to_the_end_on_a_narrow_screen() {
    let console = book().press("Space Space Space a s").type_text("called").press("Ctrl-s");
    let reason = "repeating it is safe: the answer took longer than 15 s; whether it was applied is unknown";
    let late = RequestError::new_ambiguous("the answer took longer than 15 s; whether it was applied is unknown");
    let console = console.fail_next(late.clone()).fail_next(late.clone()).fail_next(late).send(Msg::Resized(60, 20));
    let screen = console.screen_text();
    let words = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(reason), "{}", console.screen_text());
    golden!("sheet_unsure_60x20", console);
    assert!(!console.press("j").screen_text().contains("repeating it is safe"), "the list gets its lines back");
}

#[test]
fn a_change_is_shown_to_the_end_of_the_new_value() {
    let tags = "spec-in, wood, high-rise, followed up in october, asked for drawings, wants a call";
    let screen = book().press("j a t").type_text(tags).screen_text();
    let below = screen.split("what changes").nth(1).unwrap_or_default();
    let preview: String = below.chars().filter(|c| !matches!(c, '│' | '┃' | '\n')).collect();
    let preview = preview.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(preview.contains("austin, spec-in, wood") && preview.contains("wants a call"), "{screen}");
}

#[test]
fn a_long_notice_is_readable_to_its_end_over_an_open_form() {
    let reason = "lost the connection to signals.example before it replied (connection reset)";
    let mut console =
        view().press("j Space a n").type_text("met them").press("Ctrl-r").fail_next(RequestError::new_ambiguous(reason));
    for (columns, rows) in [(120, 36), (80, 24), (60, 20)] {
        console = console.send(Msg::Resized(columns, rows));
        let screen = console.screen_text();
        let words = screen.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(reason) && words.contains("Ctrl-r retries"), "{screen}");
    }
}

#[test]
fn a_first_time_user_annotates_twenty_accounts_of_a_view_undoes_and_redoes_it() {
    let help = view().press("?").type_text("add tags");
    assert!(help.screen_text().contains("at ") && help.screen_text().contains("add or remove tags"), "{}", help.screen_text());
    let mut console = view();
    for _ in 0..20 {
        console = console.press("Space");
    }
    let before = console.service.book.clone();
    let console = console.press("a t").type_text("target-q3").press("Shift-Tab Shift-Tab").type_text("1");
    let console = console.press("Tab Tab Tab Tab Enter").type_text("met at the Q3 fair");
    let inside = (0..20).filter(|n| n % 3 != 0).count();
    let price = format!("each is read again before writing: {inside} cr");
    assert!(console.screen_text().contains(&price), "records outside the book are free: {}", console.screen_text());
    let spent = console.service.spent;
    let console = console.press("Ctrl-s").serve();
    assert_eq!((reads(&console), console.service.spent - spent), (0, inside as u64));
    assert_eq!(console.notice_text(), "done: tier, tags and note of 20 accounts");
    for n in 0..20 {
        let id = account_id(n);
        assert!(field(&console, id, "tags").as_array().unwrap().contains(&json!("target-q3")), "{n}");
        assert_eq!(field(&console, id, "icp_tier"), "tier_1");
        assert!(field(&console, id, "notes").as_str().unwrap().ends_with("met at the Q3 fair"));
    }
    assert_eq!(field(&console, account_id(2), "notes"), "met at the fair\nmet at the Q3 fair");
    assert!(console.screen_text().matches("target-").count() > 5, "the rows show it immediately: {}", console.screen_text());
    let done = console.service.book.clone();
    let console = console.press("z Down Enter").serve();
    let plain = |book: &std::collections::BTreeMap<Uuid, serde_json::Map<String, Value>>| {
        let of = |overlay: &serde_json::Map<String, Value>| ["tags", "notes", "icp_tier"].map(|name| overlay[name].clone());
        book.iter().map(|(id, overlay)| (*id, of(overlay))).collect::<Vec<_>>()
    };
    assert_eq!(plain(&console.service.book), plain(&before), "restored; records that the write saved left the book again");
    let console = console.press("Z Enter").serve();
    assert_eq!(plain(&console.service.book), plain(&done));
}

#[test]
fn only_touched_fields_are_sent_and_unchanged_records_are_skipped() {
    let console = book().press("* a a s").type_text("contacted");
    assert!(console.screen_text().contains("6 of 8 change, 2 unchanged"), "{}", console.screen_text());
    let console = console.press("Ctrl-s").serve();
    assert_eq!(sent(&console), vec![json!({ "workspace_status": "contacted" }); 6]);
}

#[test]
fn each_operation_does_what_its_label_says() {
    for (keys, text, expected) in [
        ("a s", "called", json!({ "workspace_status": "called" })),
        ("a s Left", "", json!({ "workspace_status": null })),
        ("a t", "q3, hotel", json!({ "tags": ["austin", "q3", "hotel"] })),
        ("a t Right Right", "q3", json!({ "tags": ["q3"] })),
        ("a t Left", "", json!({ "tags": [] })),
        ("a t Tab", "austin", json!({ "tags": [] })),
        ("a i", "3", json!({ "icp_tier": "tier_3" })),
        ("a i Left", "", json!({ "icp_tier": null })),
        ("a n", "call in May", json!({ "notes": "call in May" })),
    ] {
        let console = book().press(keys).type_text(text).press("Ctrl-s").serve();
        assert_eq!(sent(&console), [expected], "{keys} {text}");
    }
}

#[test]
fn statuses_and_tags_in_use_are_suggested_by_arrows_and_by_typing() {
    let console = book().press("a s Down");
    assert!(
        console.screen_text().contains("Up Down") && console.screen_text().contains("contacted"),
        "{}",
        console.screen_text()
    );
    let console = book().press("a s").type_text("wat").press("Down Ctrl-s").serve();
    assert_eq!(sent(&console), [json!({ "workspace_status": "watching" })]);
    let console = book().press("a t").type_text("q3, au").press("Down");
    assert!(console.screen_text().contains("q3, austin"), "{}", console.screen_text());
}

#[test]
fn the_arrows_choose_among_all_tiers_and_contacts_have_none() {
    let console = book().press("a i Down Down Down Ctrl-s").serve();
    assert_eq!(sent(&console), [json!({ "icp_tier": "tier_3" })]);
    let mut console = TestConsole::with_rows(morning_queue());
    console.service.book.insert(Uuid::from_u128(0x4000), json!({ "tags": [] }).as_object().unwrap().clone());
    let console = console.press("3 ]").serve().press("Enter").serve().press("a i");
    assert!(console.notice_text().contains("only accounts have a tier"), "{}", console.notice_text());
    assert!(!console.press("a a").screen_text().contains("tier"));
}

#[test]
fn each_record_is_reread_before_its_write_for_the_price_shown() {
    for (marks, price) in [("a s", 1), ("* a a s", 6)] {
        let console = book().press(marks).type_text("contacted").press("Backspace").type_text("d ");
        let console = if price == 1 { console.type_text("x") } else { console };
        let screen = console.screen_text();
        assert!(screen.contains(&format!("read again before writing: {price} cr")), "{screen}");
        let spent = console.service.spent;
        let console = console.press("Ctrl-s").serve();
        assert_eq!((console.service.spent - spent, writes(&console).len()), (price, price as usize), "{}", console.notice_text());
        assert!(console.screen_text().contains(&format!("undoes, {price} cr")), "{}", console.screen_text());
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
        let console = with_colleague_write(console, 2, change.clone()).press("Ctrl-s").serve();
        for (name, value) in change.as_object().unwrap() {
            assert_eq!(field(&console, account_id(2), name), value, "{keys}");
        }
        assert!(console.notice_text().contains("changed since it was read; see below"), "{keys}: {}", console.notice_text());
        let screen = console.screen_text();
        assert!(screen.contains("Annotate Calder Residential") && screen.contains("changed since"), "{screen}");
        let before = console.service.book.clone();
        let console = console.press("Ctrl-s").serve();
        let changed = console.service.book.iter().filter(|(id, overlay)| before[*id] != **overlay).count();
        assert_eq!(changed, 1, "the input is written to the remaining record: {}", console.notice_text());
        assert!(saved_drafts(&console).is_empty(), "and the draft is gone");
    }
}

#[test]
fn tags_and_notes_are_added_to_what_a_colleague_just_wrote() {
    let change = json!({"tags": ["austin", "theirs"], "notes": "met at the fair\nAnn: signed"});
    for marks in ["j", "* a"] {
        let console = book().press(marks).press("a t").type_text("mine").press("Tab Tab Enter").type_text("call");
        let console = with_colleague_write(console, 2, change.clone()).press("Ctrl-s").serve();
        assert_eq!(field(&console, account_id(2), "tags"), &json!(["austin", "theirs", "mine"]));
        assert_eq!(field(&console, account_id(2), "notes"), "met at the fair\nAnn: signed\ncall");
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
    let console = book().press("* a a s").type_text("called").press("Ctrl-s").serve();
    let console = with_colleague_write(console, 2, json!({"workspace_status": "won"})).press("z Enter").serve();
    assert_eq!(field(&console, account_id(2), "workspace_status"), "won", "{}", console.notice_text());
    assert!(console.notice_text().contains("status changed since"), "{}", console.notice_text());
    assert!(
        console.screen_text().contains("status is won") && console.screen_text().contains("undo anyway"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Enter").serve();
    assert_eq!(field(&console, account_id(2), "workspace_status"), "cold");
    let console = with_colleague_write(console, 2, json!({"workspace_status": "lost"})).press("Z Enter").serve();
    assert_eq!(field(&console, account_id(2), "workspace_status"), "lost", "{}", console.notice_text());
    assert!(console.screen_text().contains("redo anyway"), "{}", console.screen_text());
}

#[test]
fn a_value_that_a_colleague_already_wrote_is_not_written_again() {
    let console = book().press("a s").type_text("called");
    let console = with_colleague_write(console, 1, json!({"workspace_status": "called"})).press("Ctrl-s").serve();
    assert_eq!(console.notice_text(), "Nothing to change: status of Brightline GC.");
    assert!(console.press("z").notice_text().contains("nothing to undo"), "it is not a step");
}

#[test]
fn a_note_draft_keeps_what_a_colleague_wrote_while_the_program_was_closed() {
    let console = with_colleague_write(TestConsole::with_rows(morning_queue()), 1, json!({"notes": "one\ntwo"}));
    let console = console.press("3").serve().press("Enter").serve();
    let before = console.press("a n Backspace").type_text(" and more");
    let console = with_colleague_write(before.restart(), 1, json!({"notes": "Ann: signed\none\ntwo"}));
    let console = console.press("3").serve().press("Enter").serve().press("a n Enter Ctrl-s").serve();
    let console = if writes(&console).is_empty() { console.press("Ctrl-s").serve() } else { console };
    let note = field(&console, account_id(1), "notes").as_str().unwrap();
    assert!(
        note.contains("Ann: signed") && note.contains("two and more") || console.app.panes().annotation_form.is_open(),
        "{note}"
    );
    assert!(note.contains("Ann: signed"), "{note}");
}

#[test]
fn a_status_changed_by_a_colleague_is_asked_about_before_overwriting() {
    let mut console = book().advance_time(Duration::minutes(3)).press("a s").type_text("called");
    console.service.book.get_mut(&account_id(1)).unwrap().insert("workspace_status".into(), json!("won"));
    let console = console.press("Ctrl-s").serve();
    assert_eq!(field(&console, account_id(1), "workspace_status"), "won", "the console asks first");
    assert!(console.notice_text().contains("status changed since"), "{}", console.notice_text());
    assert!(console.screen_text().contains("won → called changed since"), "{}", console.screen_text());
    let console = console.press("Ctrl-s").serve();
    assert_eq!(field(&console, account_id(1), "workspace_status"), "called");
}

#[test]
fn tags_of_both_are_kept_and_changes_of_other_fields_do_not_conflict() {
    let mut console = book().advance_time(Duration::minutes(3)).press("a t").type_text("mine");
    let overlay = console.service.book.get_mut(&account_id(1)).unwrap();
    overlay.insert("tags".into(), json!(["theirs"]));
    let mut console = console.press("Ctrl-s").serve();
    assert_eq!(field(&console, account_id(1), "tags"), &json!(["theirs", "mine"]));
    console.service.book.get_mut(&account_id(1)).unwrap().insert("icp_tier".into(), json!("tier_1"));
    let console = console.advance_time(Duration::minutes(3)).press("a s").type_text("called").press("Ctrl-s").serve();
    assert_eq!(field(&console, account_id(1), "workspace_status"), "called");
}

#[test]
fn a_note_that_both_changed_is_merged_by_lines_and_a_conflict_keeps_both_texts() {
    let note = |text: &str| -> TestConsole {
        let mut console = TestConsole::with_rows(morning_queue());
        console.service.book.get_mut(&account_id(1)).unwrap().insert("notes".into(), json!("one\ntwo\nthree"));
        let console = console.press("3").serve().press("Enter").serve().advance_time(Duration::minutes(3));
        // The note is edited from its current text: a line is inserted at the top.
        let mut console = console.press("a n Up Up Up Home").type_text("new").press("Enter");
        console.service.book.get_mut(&account_id(1)).unwrap().insert("notes".into(), json!(text));
        console.press("Ctrl-s").serve()
    };
    let console = note("one\ntwo\nthree\nfour");
    assert_eq!(field(&console, account_id(1), "notes"), "new\none\ntwo\nthree\nfour");
    let console = note("theirs\none\ntwo\nthree").press("Ctrl-s");
    assert_eq!(field(&console, account_id(1), "notes"), "theirs\none\ntwo\nthree");
    assert!(console.notice_text().contains("resolve the conflict markers"), "{}", console.notice_text());
    assert!(console.screen_text().contains("theirs") && console.screen_text().contains("new"), "{}", console.screen_text());
}

#[test]
fn a_record_that_left_the_book_is_not_saved_again_without_asking() {
    let mut console = book().advance_time(Duration::minutes(3)).press("a s").type_text("called");
    console.service.book.remove(&account_id(1));
    let console = console.press("Ctrl-s").serve();
    assert!(!console.service.book.contains_key(&account_id(1)), "{}", console.notice_text());
    assert!(console.notice_text().contains("no longer in the book"), "{}", console.notice_text());
    assert!(console.screen_text().contains("not in the book yet: this saves it for everyone"));
}

#[test]
fn the_age_of_many_old_rows_is_shown_and_they_are_reread_on_request() {
    let console = book().advance_time(Duration::minutes(22)).press("* a a s").type_text("called");
    assert!(console.screen_text().contains("read 22 min ago: Ctrl-r reads them, 8 cr"), "{}", console.screen_text());
    let mut console = console;
    console.service.book.get_mut(&account_id(2)).unwrap().insert("workspace_status".into(), json!("won"));
    let console = console.press("Ctrl-r").serve();
    assert_eq!(reads(&console), 8);
    assert!(
        console.notice_text().contains("1 changed since") && console.screen_text().contains("changed since"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn annotating_a_record_outside_the_book_saves_it_and_undo_removes_it() {
    let console = view().press("a t").type_text("q3");
    assert!(console.screen_text().contains("not in the book yet: this saves it for everyone"), "{}", console.screen_text());
    let console = console.press("Ctrl-s").serve();
    assert!(console.service.book.contains_key(&account_id(0)));
    let console = console.press("z Down Enter").serve();
    assert!(!console.service.book.contains_key(&account_id(0)));
    assert!(console.screen_text().contains("not in book"));
}

#[test]
fn a_rejected_record_stays_marked_with_its_reason_and_the_text_is_kept() {
    let mut console = book();
    console.service.rejecting_records.insert(account_id(2));
    let console = console.press("* a a s").type_text("called").press("Ctrl-s").serve();
    assert!(
        console.notice_text().contains("7 of 8 done") && console.notice_text().contains("it is being merged"),
        "{}",
        console.notice_text()
    );
    assert_eq!(console.context().record_lists.get(&accounts_list()).unwrap().selection(), [account_id(2)]);
    let console = console.press("a a");
    assert!(console.screen_text().contains("draft of 09:20: Enter uses it"), "{}", console.screen_text());
    assert!(console.press("Enter").screen_text().contains("called"));
}

#[test]
fn a_failed_write_loses_no_text() {
    let console =
        book().press("a n").type_text("a long story").press("Ctrl-s").fail_next(RequestError::new_not_sent("no network"));
    assert!(console.notice_text().contains("no network"));
    assert!(console.press("a n Enter").screen_text().contains("a long story"));
}

#[test]
fn typed_text_survives_esc_and_is_offered_again_for_these_records_only() {
    let console = book().press("a s").type_text("called").press("Esc");
    assert!(console.notice_text().contains("kept") && writes(&console).is_empty());
    let other = book().press("a s").type_text("called").press("Esc j a s");
    assert!(!other.screen_text().contains("draft"));
    let console = console.press("a s");
    assert!(console.screen_text().contains("draft of 09:20: Enter uses it"), "{}", console.screen_text());
    let console = console.press("Enter Ctrl-s").serve();
    assert_eq!(sent(&console), [json!({ "workspace_status": "called" })]);
    assert!(!console.press("a s").screen_text().contains("draft"), "a written draft is gone");
}

#[test]
fn quitting_with_a_draft_asks_first() {
    let console = book().press("a s").type_text("called").press("Esc q q");
    assert!(console.screen_text().contains("Quit?") && !console.effects.contains(&Effect::Quit), "{}", console.screen_text());
    assert!(console.press("Enter").effects.contains(&Effect::Quit));
}

#[test]
fn a_status_not_in_use_yet_is_pointed_out_while_typing() {
    let console = book().press("a s").type_text("contactd");
    assert!(console.screen_text().contains("contactd  not in use yet"), "{}", console.screen_text());
    assert!(!console.press("Backspace").type_text("ed").screen_text().contains("not in use yet"));
}

#[test]
fn every_character_is_text_in_the_form_and_no_letter_is_a_command() {
    let console = book().press("a s").type_text("jkqz?:123");
    assert!(console.screen_text().contains("jkqz?:123"));
    let console = console.press("Esc a n").type_text("q z\u{20}?");
    assert!(console.app.panes().annotation_form.form.as_ref().unwrap().inputs.note.text() == "q z ?");
}

#[test]
fn a_record_that_could_not_be_read_is_not_shown_as_current() {
    let console = book().advance_time(Duration::minutes(22)).press("* a a s").type_text("called").press("Ctrl-r");
    let console = console.fail_next(RequestError::new_ambiguous("the answer took longer than 15 s")).serve();
    assert!(console.notice_text().contains("longer than 15 s"), "{}", console.notice_text());
    let console = console.press("Ctrl-r").serve();
    assert!(console.notice_text().contains("the records are up to date"), "{}", console.notice_text());
    assert_eq!(reads(&console), 8 + 1, "records already read are not paid for again");
}

#[test]
fn a_paste_goes_into_the_field_and_keeps_its_lines_in_the_note() {
    let console = book().press("a s").send(Msg::Paste("call\ned\u{1b}".to_owned())).press("Tab Tab Tab");
    let console = console.send(Msg::Paste("one\ntwo\u{1b}".to_owned())).press("Ctrl-s").serve();
    assert_eq!(sent(&console), [json!({ "workspace_status": "call ed", "notes": "one\ntwo" })]);
}

#[test]
fn the_title_and_the_footer_of_the_form_name_the_same_price() {
    let console = view().press("Space").press("Space").press("a t").type_text("q3");
    let screen = console.screen_text();
    assert!(screen.contains("writing costs 1 cr") && screen.contains("read again before writing: 1 cr"), "{screen}");
    assert!(view().press("a t").screen_text().contains("writing costs 0 cr"), "nothing is written yet");
}

#[test]
fn a_bulk_annotation_asks_when_the_window_cannot_show_its_count() {
    let marked = (0..20).fold(view(), |console, _| console.press("Space"));
    let mut console = marked.press("a t").type_text("q3");
    for (width, height) in [(25, 6), (31, 49), (60, 11), (0, 0)] {
        console = console.send(Msg::Resized(width, height));
        assert!(!console.screen_text().contains("all 20 change"), "{}", console.screen_text());
        console = console.press("Ctrl-s").send(Msg::Resized(80, 24));
        let screen = console.screen_text();
        assert!(writes(&console).is_empty() && screen.contains("Write to 20 accounts?"), "{screen}");
        assert!(screen.contains("20 of 20 change: tags."), "{screen}");
        console = console.press("Enter");
        assert!(
            writes(&console).is_empty() && console.app.panes().annotation_form.is_open(),
            "the selected answer changes nothing"
        );
    }
    let asked = console.send(Msg::Resized(25, 6)).press("Ctrl-s");
    assert!(asked.screen_text().contains("20 of 20 change"), "{}", asked.screen_text());
    let console = asked.press("Down Enter").serve();
    assert!(!console.app.panes().annotation_form.is_open() && sent(&console).len() == 20, "{}", console.notice_text());
    assert!(saved_drafts(&console).is_empty(), "a written draft is gone");
}

#[test]
fn a_bulk_annotation_is_written_without_a_question_when_the_form_shows_its_count() {
    let marked = || (0..20).fold(view(), |console, _| console.press("Space"));
    for (width, height) in [(120, 36), (100, 30), (80, 24), (60, 20)] {
        let console = marked().press("a t").type_text("q3").send(Msg::Resized(width, height));
        assert!(console.screen_text().contains("all 20 change"), "{}", console.screen_text());
        let console = console.press("Ctrl-s").serve();
        assert_eq!(sent(&console).len(), 20, "{}", console.screen_text());
    }
}

#[test]
fn a_record_page_is_annotated_like_a_row() {
    let console = book().press("Enter").serve().press("a s").type_text("called").press("Ctrl-s").serve();
    assert_eq!(field(&console, account_id(1), "workspace_status"), "called");
    assert!(console.screen_text().contains("called"), "the page shows it immediately: {}", console.screen_text());
}

#[test]
fn the_projects_of_selected_signals_are_annotated_for_the_price_of_a_read() {
    let console = TestConsole::with_rows(morning_queue()).press("a t").type_text("hot");
    assert!(
        console.screen_text().contains("Annotate Harbor Yard Lofts")
            && console.screen_text().contains("read again before writing: 1 cr")
    );
}

#[test]
fn undo_shows_what_it_would_overwrite_when_a_colleague_changed_it() {
    let mut console = book().press("a s").type_text("called").press("Ctrl-s").serve();
    console.service.book.get_mut(&account_id(1)).unwrap().insert("workspace_status".into(), json!("won"));
    let console = console.advance_time(Duration::minutes(1)).press("R").serve().press("z");
    assert!(console.screen_text().contains("won") && console.screen_text().contains("undo anyway"), "{}", console.screen_text());
    assert_eq!(writes(&console).len(), 1);
    let left = console.press("Esc");
    assert_eq!(field(&left, account_id(1), "workspace_status"), "won");
    let console = left.press("z Enter").serve();
    assert_eq!(field(&console, account_id(1), "workspace_status"), "contacted");
}

#[test]
fn undo_removes_only_the_tag_that_was_added() {
    let mut console = book().press("a t").type_text("mine").press("Ctrl-s").serve();
    console.service.book.get_mut(&account_id(1)).unwrap().insert("tags".into(), json!(["austin", "mine", "theirs"]));
    let console = console.advance_time(Duration::minutes(1)).press("R").serve().press("z").serve();
    assert_eq!(field(&console, account_id(1), "tags"), &json!(["austin", "theirs"]));
}

#[test]
fn the_note_goes_to_the_external_editor_and_comes_back() {
    let console = book().press("a n").type_text("draft").press("Ctrl-o");
    let opened = matches!(console.effects.last(), Some(Effect::OpenEditor { purpose: EditorPurpose::Note, text }) if text.ends_with("draft"));
    assert!(opened, "{:?}", console.effects.last());
    let console = console.send(Msg::EditorClosed(EditorPurpose::Note, Ok("one\ntwo\n".to_owned())));
    assert!(console.screen_text().contains("two"));
    let failed = console.send(Msg::EditorClosed(EditorPurpose::Note, Err("the editor vi failed".to_owned())));
    assert_eq!(failed.notice_text(), "the editor vi failed");
    let console = failed.press("Ctrl-s").serve();
    assert_eq!(sent(&console), [json!({ "notes": "one\ntwo" })]);
    // An empty file from the editor does not clear the note.
    let emptied = book()
        .press("a n")
        .type_text("draft")
        .press("Ctrl-o")
        .send(Msg::EditorClosed(EditorPurpose::Note, Ok(String::new())))
        .press("Ctrl-s");
    assert!(writes(&emptied).is_empty());
}

/// The text that the editor was last opened with.
fn record_text(console: &TestConsole) -> String {
    match console.effects.last() {
        Some(Effect::OpenEditor { purpose: EditorPurpose::Record, text }) => text.clone(),
        other => panic!("no record was opened in the editor: {other:?}"),
    }
}

fn close_editor_with(console: TestConsole, text: &str) -> TestConsole {
    console.send(Msg::EditorClosed(EditorPurpose::Record, Ok(text.to_owned())))
}

#[test]
fn a_record_is_edited_as_a_whole_and_only_changed_fields_are_sent_once_applied() {
    let console = book().press("a e");
    let text = record_text(&console);
    for part in ["# tier_1, tier_2", "tags = [", "austin", "\n# The rest of the record cannot be changed here:\n"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let unchanged = close_editor_with(book().press("a e"), &text);
    assert!(unchanged.notice_text().contains("nothing was changed") && writes(&unchanged.press("Ctrl-s")).is_empty());
    let edited = text.replace("\"austin\"", "\"austin\", \"hotel\"") + "\n";
    let console = close_editor_with(console, &edited);
    assert!(writes(&console).is_empty() && console.notice_text().contains("Ctrl-s applies"), "{}", console.notice_text());
    let console = console.press("Ctrl-s").serve();
    assert_eq!(sent(&console), [json!({ "tags": ["austin", "hotel"] })]);
}

#[test]
fn an_empty_value_clears_a_field_and_an_empty_text_changes_nothing() {
    let console = book().press("a e");
    let text = record_text(&console);
    let cleared =
        close_editor_with(book().press("a e"), &text.replace("tags = [\"austin\"]", "tags = []")).press("Ctrl-s").serve();
    assert_eq!(sent(&cleared), [json!({ "tags": [] })]);
    let emptied = close_editor_with(console, "").press("Ctrl-s");
    assert!(writes(&emptied).is_empty());
}

#[test]
fn a_text_that_is_not_understood_names_its_line_and_opens_again_unchanged() {
    let console = book().press("a e");
    let text = record_text(&console);
    let line = text.lines().count() + 1;
    for (wrong, why) in [
        ("nonsense here", "line"),
        ("icp_tier = \"tier_9\"", "duplicate key"),
        ("colour = \"red\"", "unknown field `colour`"),
        ("icp_tier = 3", "duplicate key"),
    ] {
        let console = close_editor_with(book().press("a e"), &format!("{text}{wrong}\n"));
        let said = console.notice_text();
        assert!(said.contains(why) && said.contains(&format!("line {line}")), "{said}");
        assert_eq!(record_text(&console.press("Ctrl-o")), format!("{text}{wrong}\n"));
    }
    let console = close_editor_with(console, "icp_tier = \"tier_9\"\n");
    assert!(console.notice_text().contains("tier_9 is not a tier; the tiers are tier_1"), "{}", console.notice_text());
}

#[test]
fn in_a_read_only_session_nothing_opens() {
    let mut console = book();
    console.context_mut().session_mut().read_only = true;
    assert!(console.press("a a").notice_text().contains("read-only"));
}

#[test]
fn the_annotation_form_is_drawn_over_every_pane_at_every_size() {
    for scope in [Scope::Queue, Scope::Detail, Scope::ViewRecords, Scope::Book, Scope::Record] {
        let mut console =
            TestConsole::at_scope(scope).press("a n").type_text("a note that is longer than one row of the narrowest");
        assert!(console.app.panes().annotation_form.is_open(), "{scope:?}");
        for width in [0, 1, 3, 20, 50, 60, 64, 80, 100, 110, 300] {
            for height in [0, 1, 4, 6, 13, 14, 20, 22, 24, 30, 36, 90] {
                console = console.send(Msg::Resized(width, height));
                let _ = console.draw_to_buffer();
            }
        }
    }
}

#[test]
fn golden_screens_of_the_annotation_form() {
    let filled = || {
        let console = book()
            .advance_time(Duration::minutes(22))
            .press("Space Space Space a i")
            .type_text("1")
            .press("Tab Tab")
            .type_text("q3");
        console.press("Tab Tab Enter").type_text("07-09 see permit BP-118").press("Esc Shift-Tab Shift-Tab")
    };
    golden!("sheet_120x36", filled());
    golden!("sheet_80x24", filled().send(Msg::Resized(80, 24)));
    golden!("sheet_60x20", filled().send(Msg::Resized(60, 20)));
    golden!("sheet_one_120x36", book().press("a n").type_text("call back"));
    golden!("sheet_empty_80x24", book().press("a a").send(Msg::Resized(80, 24)));
}

/// The drafts stored on this machine.
fn saved_drafts(console: &TestConsole) -> &[Draft] {
    &console.saved_state.drafts
}

#[test]
fn a_half_typed_note_can_be_resumed_from_anywhere_after_a_restart() {
    let console = book().press("a n").type_text("met at the fair, call ba").restart();
    assert!(console.notice_text().contains("Brightline GC: your draft from 09:20 is kept"), "{}", console.notice_text());
    let console = console.press("g t");
    assert!(console.screen_text().contains("Brightline GC: note"), "{}", console.screen_text());
    let console = console.press("Enter").type_text("ck").press("Ctrl-s").serve();
    assert_eq!(sent(&console), [json!({ "notes": "met at the fair, call back" })]);
    assert!(saved_drafts(&console).is_empty(), "a written draft is gone");
}

#[test]
fn opening_a_record_offers_its_draft_and_never_applies_or_overwrites_it() {
    let before = book().press("a s").type_text("called").press("Tab").type_text("q3");
    let console = before.restart().press("3").serve().press("Enter").serve().press("a s");
    assert!(console.screen_text().contains("draft of 09:20: Enter uses it, Ctrl-x discards it"), "{}", console.screen_text());
    assert_eq!((writes(&console).len(), saved_drafts(&console).len()), (0, 1));
    let console = console.press("Ctrl-x");
    assert!(!console.screen_text().contains("draft of") && console.notice_text().contains("discarded"));
    assert!(console.press("Esc g t").notice_text().contains("no unsaved drafts"));
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
    before.service.book.get_mut(&account_id(1)).unwrap().insert("tags".into(), json!(["austin", "theirs"]));
    let console = before.restart().press("3").serve().press("Enter").serve().press("a t Enter Ctrl-s").serve();
    assert_eq!(field(&console, account_id(1), "tags"), &json!(["austin", "theirs", "mine"]));
}

#[test]
fn a_paste_that_is_too_long_is_rejected_as_a_whole() {
    let console = book().press("a n").type_text("mine").send(Msg::Paste("d".repeat(81_040)));
    assert!(
        console.notice_text().contains("81,040 characters") && console.notice_text().contains("Nothing was pasted"),
        "{}",
        console.notice_text()
    );
    let console = console.press("Ctrl-s").serve();
    assert_eq!(field(&console, account_id(1), "notes"), "mine");
    let console = book().press("a s").send(Msg::Paste("d".repeat(5_000)));
    assert!(console.notice_text().contains("room for 4,096") && !console.press("Esc").app.panes().annotation_form.is_open());
}

#[test]
fn a_draft_for_another_record_is_restored_by_the_key_that_is_named() {
    let console = book().press("a s").type_text("called").press("Esc 1 g t Enter Esc");
    assert!(console.screen_text().contains("gt resumes it"), "{}", console.screen_text());
    let console = console.press("g t Enter");
    assert!(
        console.screen_text().contains("Annotate Brightline GC") && console.screen_text().contains("called"),
        "{}",
        console.screen_text()
    );
    let here = book().press("a s").type_text("called").press("Esc");
    assert!(here.screen_text().contains("aa resumes it"), "{}", here.screen_text());
}

#[test]
fn an_empty_draft_is_not_saved_and_one_of_an_older_version_is_dropped() {
    let console = book().press("a n Esc Esc");
    assert!(saved_drafts(&console).is_empty() && console.press("g t").notice_text().contains("no unsaved drafts"));
    let mut console = book().press("a n").type_text("x");
    let empty: Value = serde_json::from_str(&console.saved_state.drafts[0].content.to_string().replace("\"x\"", "\"\"")).unwrap();
    console.saved_state.drafts[0].content = empty;
    let console = console.restart();
    assert!(saved_drafts(&console).is_empty() && console.press("g t").notice_text().contains("no unsaved drafts"));
}

#[test]
fn discarding_a_draft_asks_first() {
    let console = book().press("a s").type_text("called").press("Esc g t Enter Ctrl-x");
    assert!(
        console.screen_text().contains("Discard what you typed?") && saved_drafts(&console).len() == 1,
        "{}",
        console.screen_text()
    );
    assert_eq!(saved_drafts(&console.press("Esc Esc")).len(), 1);
    let console = book().press("a s").type_text("called").press("Esc g t Enter Ctrl-x Enter");
    assert!(
        saved_drafts(&console).is_empty() && !console.app.panes().annotation_form.is_open() && writes(&console).is_empty(),
        "{}",
        console.screen_text()
    );
}

#[test]
fn a_draft_open_in_another_console_is_taken_as_a_copy_and_reported() {
    let mut before = book().press("a n").type_text("mine");
    before.saved_state.drafts[0].is_open_elsewhere = true;
    let console = before.restart().press("g t Enter");
    assert!(console.notice_text().contains("another console has this open"), "{}", console.notice_text());
    assert_eq!(saved_drafts(&console.type_text("!")).len(), 2, "the copy has its own name");
}

#[test]
fn quitting_with_a_saved_draft_asks_nothing_and_says_where_it_is() {
    let console = book().press("a s").type_text("called").restart().press("q");
    assert!(console.effects.contains(&Effect::Quit));
    assert_eq!(console.app.exit_lines(), ["gantry: your draft for 1 record is kept; gt resumes it"]);
}

/// The form of the one account of the book that has a note, at its note.
fn noted() -> TestConsole {
    TestConsole::with_rows(morning_queue()).press("3").serve().press("Enter").serve().press("j a n")
}

#[test]
fn an_existing_note_is_opened_to_be_corrected_or_continued() {
    let console = noted();
    assert!(console.screen_text().contains("you edit the whole note"), "{}", console.screen_text());
    let closed = console.press("Esc Esc");
    assert!(!closed.notice_text().contains("draft"), "opening a note changes nothing: {}", closed.notice_text());
    let continued = noted().type_text("call in May").press("Ctrl-s").serve();
    assert_eq!(field(&continued, account_id(2), "notes"), "met at the fair\ncall in May");
    let corrected = noted().press("Ctrl-u Backspace Ctrl-u").type_text("met at the expo").press("Ctrl-s").serve();
    assert_eq!(field(&corrected, account_id(2), "notes"), "met at the expo");
    let undone = corrected.press("z Enter").serve();
    assert_eq!(field(&undone, account_id(2), "notes"), "met at the fair");
}

#[test]
fn the_preview_shows_the_whole_note() {
    let long = "a long note about the tower crane ".repeat(12);
    let console = noted().type_text(&long).press("Esc");
    let text: String =
        console.screen_text().lines().map(|line| line.trim_matches(|c: char| "│ ".contains(c))).collect::<Vec<_>>().join(" ");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.matches("tower crane").count() > 12, "{}", console.screen_text());
    golden!("form_long_note_120x36", console);
}

#[test]
fn letters_do_not_go_into_a_note_that_esc_has_left() {
    let console = noted().type_text("x").press("Esc").press("j k e");
    assert!(console.notice_text().contains("You left the note."), "{}", console.notice_text());
    let console = console.press("Enter").type_text("y").press("Ctrl-s").serve();
    assert_eq!(field(&console, account_id(2), "notes"), "met at the fair\nxy");
}

#[test]
fn the_note_in_the_editor_names_its_record_and_that_line_is_not_part_of_it() {
    let console = noted().press("Ctrl-o");
    let text = match console.effects.iter().rev().find(|effect| matches!(effect, Effect::OpenEditor { .. })) {
        Some(Effect::OpenEditor { text, .. }) => text.clone(),
        other => panic!("{other:?}"),
    };
    assert!(text.starts_with("# gantry: note on Calder Residential (account). The text below becomes the whole note."), "{text}");
    let edited = text.replace("met at the fair", "# met at the expo");
    let console = console.send(Msg::EditorClosed(EditorPurpose::Note, Ok(edited))).press("Ctrl-s").serve();
    assert_eq!(field(&console, account_id(2), "notes"), "# met at the expo");
}

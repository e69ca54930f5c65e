//! Tests of the annotation form, as its users see it.

mod conflicts;
mod drafts;
mod editor;

use chrono::Duration;
use serde_json::{Value, json};
use uuid::Uuid;

use super::field_inputs::FormField;
use crate::app::command::Scope;
use crate::app::effect::{ListId, ServiceCall, WriteRequest};
use crate::app::model::load_state::LoadState;
use crate::app::model::record_list::RecordList;
use crate::app::msg::Msg;
use crate::app::testing::fake_service::{FakeService, account_id, accounts_list};
use crate::app::testing::{TestConsole, golden, morning_queue};
use crate::domain::book::RecordKind;
use crate::domain::drafts::Draft;
use crate::domain::request_error::RequestError;
use crate::domain::search::RecordSource;

fn book() -> TestConsole {
    TestConsole::with_rows(morning_queue())
        .press("3")
        .serve()
        .press("Enter")
        .serve()
}

/// Saves the form, and says so again when the status is new as far as is known.
fn save(console: TestConsole) -> TestConsole {
    let console = console.press("Ctrl-s");
    let notice = console.notice_text();
    match notice.ends_with("is a new status") || notice.ends_with("in use are not read") {
        true => console.press("Ctrl-s"),
        false => console,
    }
}

/// The records of the first View: forty accounts, two thirds of them in the book.
fn view() -> TestConsole {
    let mut console = TestConsole::with_rows(morning_queue());
    console.service = FakeService::with_firms(80);
    console.press("2").serve().press("j Enter").serve()
}

fn writes(console: &TestConsole) -> Vec<&WriteRequest> {
    console
        .calls
        .iter()
        .filter_map(|call| {
            if let ServiceCall::Write(write) = call {
                Some(write)
            } else {
                None
            }
        })
        .collect()
}

fn reads(console: &TestConsole) -> usize {
    console
        .calls
        .iter()
        .filter(|call| matches!(call, ServiceCall::Record { .. }))
        .count()
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

#[test]
fn errors_and_their_hints_are_readable_to_the_end_on_a_narrow_screen() {
    let console = book()
        .press("Space Space Space a s")
        .type_text("called")
        .press("Ctrl-s Ctrl-s");
    let reason =
        "repeating it is safe: the answer took longer than 15 s; whether it was applied is unknown";
    let late = RequestError::new_ambiguous(
        "the answer took longer than 15 s; whether it was applied is unknown",
    );
    let console = console
        .fail_next(late.clone())
        .fail_next(late.clone())
        .fail_next(late)
        .send(Msg::Resized(60, 20));
    let screen = console.screen_text();
    let words = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(reason), "{}", console.screen_text());
    golden!("sheet_unsure_60x20", console);
    assert!(
        !console
            .press("j")
            .screen_text()
            .contains("repeating it is safe"),
        "the list gets its lines back"
    );
}

#[test]
fn a_change_is_shown_to_the_end_of_the_new_value() {
    let tags = "spec-in, wood, high-rise, followed up in october, asked for drawings, wants a call";
    let screen = book().press("j a t").type_text(tags).screen_text();
    let below = screen.split("what changes").nth(1).unwrap_or_default();
    let preview: String = below
        .chars()
        .filter(|c| !matches!(c, '│' | '┃' | '\n'))
        .collect();
    let preview = preview.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        preview.contains("austin, spec-in, wood") && preview.contains("wants a call"),
        "{screen}"
    );
}

#[test]
fn a_long_notice_is_readable_to_its_end_over_an_open_form() {
    let reason = "lost the connection to signals.example before it replied (connection reset)";
    let mut console = view()
        .press("j Space a n")
        .type_text("met them")
        .press("Ctrl-r")
        .fail_next(RequestError::new_ambiguous(reason));
    for (columns, rows) in [(120, 36), (80, 24), (60, 20)] {
        console = console.send(Msg::Resized(columns, rows));
        let screen = console.screen_text();
        let words = screen.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            words.contains(reason) && words.contains("Ctrl-r retries"),
            "{screen}"
        );
    }
}

#[test]
fn a_first_time_user_annotates_twenty_accounts_of_a_view_undoes_and_redoes_it() {
    let help = view().press("?").type_text("add tags");
    assert!(
        help.screen_text().contains("at ") && help.screen_text().contains("add or remove tags"),
        "{}",
        help.screen_text()
    );
    let mut console = view();
    for _ in 0..20 {
        console = console.press("Space");
    }
    let before = console.service.book.clone();
    let console = console
        .press("a t")
        .type_text("target-q3")
        .press("Shift-Tab")
        .type_text("1");
    let console = console
        .press("Tab Tab Enter")
        .type_text("met at the Q3 fair");
    let inside = (0..20).filter(|n| n % 3 != 0).count();
    let price = format!("Ctrl-s reads each again and writes, {inside} cr");
    assert!(
        console.screen_text().contains(&price),
        "records outside the book are free: {}",
        console.screen_text()
    );
    let spent = console.service.spent;
    let console = console.press("Ctrl-s").serve();
    assert_eq!(
        (reads(&console), console.service.spent - spent),
        (0, inside as u64)
    );
    assert_eq!(
        console.notice_text(),
        "done: tier, tags and note of 20 accounts"
    );
    for n in 0..20 {
        let id = account_id(n);
        assert!(
            field(&console, id, "tags")
                .as_array()
                .unwrap()
                .contains(&json!("target-q3")),
            "{n}"
        );
        assert_eq!(field(&console, id, "icp_tier"), "tier_1");
        assert!(
            field(&console, id, "notes")
                .as_str()
                .unwrap()
                .ends_with("met at the Q3 fair")
        );
    }
    assert_eq!(
        field(&console, account_id(2), "notes"),
        "met at the fair\nmet at the Q3 fair"
    );
    assert!(
        console.screen_text().matches("target-").count() > 5,
        "the rows show it immediately: {}",
        console.screen_text()
    );
    let done = console.service.book.clone();
    let console = console.press("z Down Down Enter").serve();
    let plain = |book: &std::collections::BTreeMap<Uuid, serde_json::Map<String, Value>>| {
        let of = |overlay: &serde_json::Map<String, Value>| {
            ["tags", "notes", "icp_tier"].map(|name| overlay[name].clone())
        };
        book.iter()
            .map(|(id, overlay)| (*id, of(overlay)))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        plain(&console.service.book),
        plain(&before),
        "restored; records that the write saved left the book again"
    );
    let console = console.press("Z Enter").serve();
    assert_eq!(plain(&console.service.book), plain(&done));
}

#[test]
fn only_touched_fields_are_sent_and_unchanged_records_are_skipped() {
    let console = book().press("* a a s").type_text("contacted");
    assert!(
        console.screen_text().contains("6 of 8 change, 2 unchanged"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Ctrl-s").serve();
    assert_eq!(
        sent(&console),
        vec![json!({ "workspace_status": "contacted" }); 6]
    );
}

#[test]
fn the_report_names_only_the_fields_that_changed() {
    let console = book().press("* a a s").type_text("contacted");
    let console = console.press("Tab Tab Tab Tab").type_text("nosuch");
    let console = console.press("Ctrl-s").serve();
    assert_eq!(console.notice_text(), "done: status of 6 accounts");
}

#[test]
fn each_operation_does_what_its_label_says() {
    for (keys, text, expected) in [
        ("a s", "called", json!({ "workspace_status": "called" })),
        ("a s Left", "", json!({ "workspace_status": null })),
        (
            "a t",
            "q3, hotel",
            json!({ "tags": ["austin", "q3", "hotel"] }),
        ),
        ("a t Right Right", "q3", json!({ "tags": ["q3"] })),
        ("a t Left", "", json!({ "tags": [] })),
        ("a t Tab Tab", "austin", json!({ "tags": [] })),
        ("a i", "3", json!({ "icp_tier": "tier_3" })),
        ("a i Left", "", json!({ "icp_tier": null })),
        ("a n", "call in May", json!({ "notes": "call in May" })),
    ] {
        let console = save(book().press(keys).type_text(text)).serve();
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
    let console = book()
        .press("a s")
        .type_text("wat")
        .press("Down Ctrl-s")
        .serve();
    assert_eq!(sent(&console), [json!({ "workspace_status": "watching" })]);
    let console = book().press("a t").type_text("q3, au").press("Down");
    assert!(
        console.screen_text().contains("q3, austin"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn the_arrows_choose_among_all_tiers_and_contacts_have_none() {
    let console = book().press("a i Down Down Down Ctrl-s").serve();
    assert_eq!(sent(&console), [json!({ "icp_tier": "tier_3" })]);
    let mut console = TestConsole::with_rows(morning_queue());
    console.service.book.insert(
        Uuid::from_u128(0x4000),
        json!({ "tags": [] }).as_object().unwrap().clone(),
    );
    let console = console
        .press("3 ]")
        .serve()
        .press("Enter")
        .serve()
        .press("a i");
    assert!(
        console.notice_text().contains("only accounts have a tier"),
        "{}",
        console.notice_text()
    );
    assert!(!console.press("a a").screen_text().contains("tier"));
}

#[test]
fn a_tier_is_typed_as_a_whole_word_and_what_is_no_tier_is_never_written() {
    let tier = |text: &str| book().press("a i").type_text(text).press("Ctrl-s").serve();
    for (text, tier_sent) in [
        ("1", "tier_1"),
        ("tier 1", "tier_1"),
        ("tier_3", "tier_3"),
        ("disqualified", "disqualified"),
        ("Disq", "disqualified"),
    ] {
        assert_eq!(
            sent(&tier(text)),
            [json!({ "icp_tier": tier_sent })],
            "{text}"
        );
    }
    for text in ["contacted", "tier", "12", "disqualifiedx"] {
        let console = tier(text);
        assert!(writes(&console).is_empty(), "{text}");
        assert!(
            console.notice_text().contains(text),
            "{text}: {}",
            console.notice_text()
        );
        assert!(
            console.screen_text().contains(text),
            "what was typed stays: {}",
            console.screen_text()
        );
    }
    let console = book()
        .press("a s")
        .type_text("called")
        .press("Tab")
        .type_text("won")
        .press("Ctrl-s")
        .serve();
    assert!(
        writes(&console).is_empty(),
        "nothing else is written either: {}",
        console.notice_text()
    );
    let console = console
        .press("Ctrl-u")
        .type_text("3")
        .press("Ctrl-s Ctrl-s")
        .serve();
    assert_eq!(
        sent(&console),
        [json!({ "workspace_status": "called", "icp_tier": "tier_3" })]
    );
    let console = book()
        .press("a i")
        .send(Msg::Paste("Tier 3".to_owned()))
        .press("Ctrl-s")
        .serve();
    assert_eq!(sent(&console), [json!({ "icp_tier": "tier_3" })]);
}

#[test]
fn annotating_begins_with_the_status_whatever_the_records_are() {
    for keys in ["3", "3 ]"] {
        let mut console = TestConsole::with_rows(morning_queue());
        console.service.book.insert(
            Uuid::from_u128(0x4000),
            json!({ "tags": [] }).as_object().unwrap().clone(),
        );
        let console = console
            .press(keys)
            .serve()
            .press("Enter")
            .serve()
            .press("a a")
            .type_text("contacted");
        let form = console.app.panes().annotation_form.form.as_ref().unwrap();
        assert_eq!(
            form.inputs.text(FormField::Status),
            "contacted",
            "{keys}: {}",
            console.screen_text()
        );
    }
}

#[test]
fn annotating_a_record_outside_the_book_saves_it_and_undo_removes_it() {
    let console = view().press("a t").type_text("q3");
    assert!(
        console
            .screen_text()
            .contains("not in the book yet: this saves it for everyone"),
        "{}",
        console.screen_text()
    );
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
    let console = console
        .press("* a a s")
        .type_text("called")
        .press("Ctrl-s Ctrl-s")
        .serve();
    assert!(
        console.notice_text().contains("7 of 8 done")
            && console.notice_text().contains("it is being merged"),
        "{}",
        console.notice_text()
    );
    assert_eq!(
        console
            .context()
            .records
            .lists
            .get(&accounts_list())
            .unwrap()
            .selection(),
        [account_id(2)]
    );
    let console = console.press("a a");
    assert!(
        console
            .screen_text()
            .contains("draft of 09:20: Enter uses it"),
        "{}",
        console.screen_text()
    );
    assert!(console.press("Enter").screen_text().contains("called"));
}

#[test]
fn a_failed_write_loses_no_text() {
    let console = book()
        .press("a n")
        .type_text("a long story")
        .press("Ctrl-s")
        .fail_next(RequestError::new_not_sent("no network"));
    assert!(console.notice_text().contains("no network"));
    assert!(
        console
            .press("a n Enter")
            .screen_text()
            .contains("a long story")
    );
}

#[test]
fn a_status_not_in_use_yet_is_pointed_out_while_typing() {
    let console = book().press("a s").type_text("contactd");
    assert!(
        console.screen_text().contains("contactd  not in use yet"),
        "{}",
        console.screen_text()
    );
    assert!(
        !console
            .press("Backspace")
            .type_text("ed")
            .screen_text()
            .contains("not in use yet")
    );
}

#[test]
fn every_character_is_text_in_the_form_and_no_letter_is_a_command() {
    let console = book().press("a s").type_text("jkqz?:123");
    assert!(console.screen_text().contains("jkqz?:123"));
    let console = console.press("Esc a n").type_text("q z\u{20}?");
    assert!(
        console
            .app
            .panes()
            .annotation_form
            .form
            .as_ref()
            .unwrap()
            .inputs
            .note
            .text()
            == "q z ?"
    );
}

#[test]
fn a_record_that_could_not_be_read_is_not_shown_as_current() {
    let console = book()
        .advance_time(Duration::minutes(22))
        .press("* a a s")
        .type_text("called")
        .press("Ctrl-r");
    let console = console
        .fail_next(RequestError::new_ambiguous(
            "the answer took longer than 15 s",
        ))
        .serve();
    assert!(
        console.notice_text().contains("longer than 15 s"),
        "{}",
        console.notice_text()
    );
    let console = console.press("Ctrl-r").serve();
    assert!(
        console.notice_text().contains("the records are up to date"),
        "{}",
        console.notice_text()
    );
    assert_eq!(
        reads(&console),
        8 + 1,
        "records already read are not paid for again"
    );
}

#[test]
fn a_paste_goes_into_the_field_and_keeps_its_lines_in_the_note() {
    let console = book()
        .press("a s")
        .send(Msg::Paste("call\ned\u{1b}".to_owned()))
        .press("Tab Tab Tab");
    let console = console
        .send(Msg::Paste("one\ntwo\u{1b}".to_owned()))
        .press("Ctrl-s Ctrl-s")
        .serve();
    assert_eq!(
        sent(&console),
        [json!({ "workspace_status": "call ed", "notes": "one\ntwo" })]
    );
}

#[test]
fn the_form_and_the_footer_name_the_same_price_which_is_the_one_charged() {
    let two = || view().press("Space Space a t").type_text("q3");
    let screen = two().screen_text();
    assert!(
        screen.contains("Ctrl-s reads each again and writes, 1 cr")
            && screen.contains("Ctrl-s apply 1 cr"),
        "{screen}"
    );
    let outside = || view().press("a t").type_text("q3");
    let screen = outside().screen_text();
    assert!(
        screen.contains("Ctrl-s writes, free") && screen.contains("Ctrl-s apply  "),
        "{screen}"
    );
    let later = view().advance_time(Duration::minutes(22));
    let screen = later.press("a t").type_text("q3").screen_text();
    assert!(
        screen.contains("Ctrl-r reads it now, free") && screen.contains("Ctrl-r refresh  "),
        "{screen}"
    );
    for (form, price) in [(two(), 1), (outside(), 0)] {
        let spent = form.service.spent;
        let console = form.press("Ctrl-s").serve();
        assert_eq!(console.service.spent - spent, price);
    }
    let unread = TestConsole::with_rows(morning_queue())
        .press("a t")
        .type_text("q3");
    let screen = unread.screen_text();
    for text in [
        "Ctrl-r reads it now, at most 1 cr",
        "Ctrl-s reads it and writes, at most 1 cr",
        "Ctrl-s apply at most 1 cr",
    ] {
        assert!(screen.contains(text), "{text}: {screen}");
    }
}

#[test]
fn a_status_that_the_team_does_not_use_is_written_the_second_time() {
    let console = book().press("a s").type_text("wat").press("Ctrl-s").serve();
    assert!(writes(&console).is_empty());
    assert_eq!(console.notice_text(), "“wat” is a new status");
    let screen = console.screen_text();
    assert!(
        screen.contains("Ctrl-s again writes it, Down takes watching"),
        "{screen}"
    );
    let typed = |keys: &str| {
        let console = book().press("a s").type_text("wat").press("Ctrl-s");
        console.press(keys).serve()
    };
    assert_eq!(
        sent(&typed("Down Ctrl-s")),
        [json!({ "workspace_status": "watching" })]
    );
    assert_eq!(
        sent(&typed("Ctrl-s")),
        [json!({ "workspace_status": "wat" })]
    );
    assert!(
        writes(&typed("Backspace Ctrl-s")).is_empty(),
        "“wa” is another one"
    );
    let left = typed("Esc").press("a s Enter Ctrl-s").serve();
    assert!(writes(&left).is_empty(), "{}", left.notice_text());
    let screen = book().press("a s").type_text("called").press("Ctrl-s");
    let screen = screen.screen_text();
    assert!(
        screen.contains("Ctrl-s again writes it") && !screen.contains("takes"),
        "{screen}"
    );
    let from_note = book()
        .press("a s")
        .type_text("wat")
        .press("Tab Tab Tab Enter Ctrl-s");
    assert_eq!(
        sent(&from_note.press("Down Ctrl-s").serve()),
        [json!({ "workspace_status": "watching" })],
        "the arrow works although the note was open"
    );
}

#[test]
fn the_first_status_of_a_team_is_written_at_once() {
    let mut console = TestConsole::with_rows(morning_queue());
    let mut book = RecordList::new(RecordSource::Book(RecordKind::Projects));
    book.load = LoadState::Ready;
    let lists = &mut console.context_mut().records.lists;
    lists.insert(ListId::Book(RecordKind::Projects), book);
    let console = console
        .press("a s")
        .type_text("called")
        .press("Ctrl-s")
        .serve();
    assert_eq!(sent(&console), [json!({ "workspace_status": "called" })]);
}

#[test]
fn a_status_is_written_the_second_time_where_those_in_use_were_not_read() {
    let console = TestConsole::with_rows(morning_queue())
        .press("a s")
        .type_text("aabidding")
        .press("Ctrl-s")
        .serve();
    assert!(writes(&console).is_empty());
    assert_eq!(
        console.notice_text(),
        "“aabidding”: the statuses in use have not been read"
    );
    let console = console.press("Ctrl-s").serve();
    assert_eq!(sent(&console), [json!({ "workspace_status": "aabidding" })]);
}

#[test]
fn only_the_operations_of_the_current_field_are_explained() {
    let status = book().press("a s").screen_text();
    assert!(
        status.contains("set     replace with what you type") && !status.contains("append  "),
        "{status}"
    );
    let tags = book().press("a t").screen_text();
    assert!(
        tags.contains("add     add these tags") && !tags.contains("remove  "),
        "{tags}"
    );
}

#[test]
fn a_bulk_annotation_asks_when_the_window_cannot_show_its_count() {
    let marked = (0..20).fold(view(), |console, _| console.press("Space"));
    let mut console = marked.press("a t").type_text("q3");
    for (width, height) in [(25, 6), (31, 49), (60, 11), (0, 0)] {
        console = console.send(Msg::Resized(width, height));
        let screen = console.screen_text();
        let shows_all = screen.contains("all 20 change") && screen.contains("writes, 13 cr");
        assert!(!shows_all, "{screen}");
        console = console.press("Ctrl-s").send(Msg::Resized(80, 24));
        let screen = console.screen_text();
        assert!(
            writes(&console).is_empty() && screen.contains("Write to 20 accounts?"),
            "{screen}"
        );
        assert!(screen.contains("20 of 20 change: tags."), "{screen}");
        console = console.press("Enter");
        assert!(
            writes(&console).is_empty() && console.app.panes().annotation_form.is_open(),
            "the selected answer changes nothing"
        );
    }
    let asked = console.send(Msg::Resized(25, 6)).press("Ctrl-s");
    assert!(
        asked.screen_text().contains("20 of 20 change"),
        "{}",
        asked.screen_text()
    );
    let console = asked.press("Down Enter").serve();
    assert!(
        !console.app.panes().annotation_form.is_open() && sent(&console).len() == 20,
        "{}",
        console.notice_text()
    );
    assert!(saved_drafts(&console).is_empty(), "a written draft is gone");
}

#[test]
fn a_bulk_annotation_is_written_without_a_question_when_the_form_shows_its_count() {
    let marked = || (0..20).fold(view(), |console, _| console.press("Space"));
    for (width, height) in [(120, 36), (100, 30), (80, 24), (60, 20)] {
        let console = marked()
            .press("a t")
            .type_text("q3")
            .send(Msg::Resized(width, height));
        assert!(
            console.screen_text().contains("all 20 change"),
            "{}",
            console.screen_text()
        );
        let console = console.press("Ctrl-s").serve();
        assert_eq!(sent(&console).len(), 20, "{}", console.screen_text());
    }
}

#[test]
fn a_record_page_is_annotated_like_a_row() {
    let console = book()
        .press("Enter")
        .serve()
        .press("a s")
        .type_text("called")
        .press("Ctrl-s Ctrl-s")
        .serve();
    assert_eq!(field(&console, account_id(1), "workspace_status"), "called");
    assert!(
        console.screen_text().contains("called"),
        "the page shows it immediately: {}",
        console.screen_text()
    );
}

#[test]
fn the_projects_of_selected_signals_are_annotated_for_the_price_of_a_read() {
    let console = TestConsole::with_rows(morning_queue())
        .press("a t")
        .type_text("hot");
    assert!(
        console.screen_text().contains("Annotate Harbor Yard Lofts")
            && console
                .screen_text()
                .contains("reads it and writes, at most 1 cr")
    );
}

#[test]
fn undo_removes_only_the_tag_that_was_added() {
    let mut console = book()
        .press("a t")
        .type_text("mine")
        .press("Ctrl-s")
        .serve();
    console
        .service
        .book
        .get_mut(&account_id(1))
        .unwrap()
        .insert("tags".into(), json!(["austin", "mine", "theirs"]));
    let console = console
        .advance_time(Duration::minutes(1))
        .press("R Down Enter")
        .serve()
        .press("z Down Enter")
        .serve();
    assert_eq!(
        field(&console, account_id(1), "tags"),
        &json!(["austin", "theirs"])
    );
}

#[test]
fn in_a_read_only_session_nothing_opens() {
    let mut console = book();
    console.context_mut().session_mut().read_only = true;
    assert!(console.press("a a").notice_text().contains("read-only"));
}

#[test]
fn the_annotation_form_is_drawn_over_every_pane_at_every_size() {
    for scope in [
        Scope::Queue,
        Scope::Detail,
        Scope::ViewRecords,
        Scope::Book,
        Scope::Record,
    ] {
        let mut console = TestConsole::at_scope(scope)
            .press("a n")
            .type_text("a note that is longer than one row of the narrowest");
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
            .press("Tab")
            .type_text("q3");
        console
            .press("Tab Enter")
            .type_text("07-09 see permit BP-118")
            .press("Esc Shift-Tab")
    };
    golden!("sheet_120x36", filled());
    golden!("sheet_80x24", filled().send(Msg::Resized(80, 24)));
    golden!("sheet_60x20", filled().send(Msg::Resized(60, 20)));
    golden!(
        "sheet_one_120x36",
        book().press("a n").type_text("call back")
    );
    golden!(
        "sheet_empty_80x24",
        book().press("a a").send(Msg::Resized(80, 24))
    );
}

/// The drafts stored on this machine.
fn saved_drafts(console: &TestConsole) -> &[Draft] {
    &console.saved_state.drafts
}

#[test]
fn a_paste_that_is_too_long_is_rejected_as_a_whole() {
    let console = book()
        .press("a n")
        .type_text("mine")
        .send(Msg::Paste("d".repeat(81_040)));
    assert!(
        console.notice_text().contains("81,040 characters")
            && console.notice_text().contains("Nothing was pasted"),
        "{}",
        console.notice_text()
    );
    let console = console.press("Ctrl-s").serve();
    assert_eq!(field(&console, account_id(1), "notes"), "mine");
    let console = book().press("a s").send(Msg::Paste("d".repeat(5_000)));
    assert!(
        console.notice_text().contains("room for 4,096")
            && !console.press("Esc").app.panes().annotation_form.is_open()
    );
}

/// The form of the one account of the book that has a note, at its note.
fn noted() -> TestConsole {
    TestConsole::with_rows(morning_queue())
        .press("3")
        .serve()
        .press("Enter")
        .serve()
        .press("j a n")
}

#[test]
fn an_existing_note_is_opened_to_be_corrected_or_continued() {
    let console = noted();
    assert!(
        console.screen_text().contains("you edit the whole note"),
        "{}",
        console.screen_text()
    );
    let closed = console.press("Esc Esc");
    assert!(
        !closed.notice_text().contains("draft"),
        "opening a note changes nothing: {}",
        closed.notice_text()
    );
    let continued = noted().type_text("call in May").press("Ctrl-s").serve();
    assert_eq!(
        field(&continued, account_id(2), "notes"),
        "met at the fair\ncall in May"
    );
    let corrected = noted()
        .press("Ctrl-u Backspace Ctrl-u")
        .type_text("met at the expo")
        .press("Ctrl-s")
        .serve();
    assert_eq!(field(&corrected, account_id(2), "notes"), "met at the expo");
    let undone = corrected.press("z Enter").serve();
    assert_eq!(field(&undone, account_id(2), "notes"), "met at the fair");
}

#[test]
fn the_preview_shows_the_whole_note() {
    let long = "a long note about the tower crane ".repeat(12);
    let console = noted().type_text(&long).press("Esc");
    let text: String = console
        .screen_text()
        .lines()
        .map(|line| line.trim_matches(|c: char| "│ ".contains(c)))
        .collect::<Vec<_>>()
        .join(" ");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.matches("tower crane").count() > 12,
        "{}",
        console.screen_text()
    );
    golden!("form_long_note_120x36", console);
}

#[test]
fn letters_do_not_go_into_a_note_that_esc_has_left() {
    let console = noted().type_text("x").press("Esc").press("j k e");
    assert!(
        console.notice_text().contains("You left the note."),
        "{}",
        console.notice_text()
    );
    let console = console
        .press("Enter")
        .type_text("y")
        .press("Ctrl-s")
        .serve();
    assert_eq!(
        field(&console, account_id(2), "notes"),
        "met at the fair\nxy"
    );
}

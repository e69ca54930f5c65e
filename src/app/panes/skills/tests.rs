//! Tests of Skills as their users see them.

use serde_json::json;
use uuid::Uuid;

use super::draft_text;
use crate::app::effect::{Effect, ServiceCall};
use crate::app::msg::{EditorPurpose, Msg};
use crate::app::testing::fake_skills::skill_id;
use crate::app::testing::{BEN, TestConsole, golden, morning_queue};
use crate::domain::request_error::{RequestError, RequestErrorKind, ServiceError};
use crate::domain::skills::{SkillAction, SkillFile, SkillLifecycle};

fn skills() -> TestConsole {
    TestConsole::with_rows(morning_queue()).press("7").serve()
}

/// The text the editor was opened with.
fn editor_text(console: &TestConsole) -> String {
    match console
        .effects
        .iter()
        .rev()
        .find(|effect| matches!(effect, Effect::OpenEditor { .. }))
    {
        Some(Effect::OpenEditor { text, .. }) => text.clone(),
        _ => panic!("no editor was opened: {}", console.notice_text()),
    }
}

fn close_editor_with(console: TestConsole, text: &str) -> TestConsole {
    console.send(Msg::EditorClosed(
        EditorPurpose::Skills,
        Ok(text.to_owned()),
    ))
}

fn changes(console: &TestConsole) -> Vec<SkillAction> {
    console
        .service
        .orders
        .iter()
        .map(|order| order.change)
        .collect()
}

const NEW_SKILL_TEXT: &str = "=== skill\nname: First call\naudience: workspace\ndescription: How we open\n=== file: SKILL.md\nHello.\n";

#[test]
fn reading_a_skill_with_files_and_revisions_is_free() {
    let console = skills().press("j Enter").serve();
    let screen = console.screen_text();
    assert!(
        screen.contains("prompts/open.md") && screen.contains("Open with the project"),
        "{screen}"
    );
    let screen = console.press("j").serve().screen_text();
    assert!(screen.contains("Good morning."), "{screen}");
    let screen = skills()
        .press("j Enter")
        .serve()
        .press("[")
        .serve()
        .screen_text();
    assert!(
        screen.contains("revision 1 of 2") && screen.contains("Open with the permit"),
        "{screen}"
    );
    let screen = skills()
        .press("j Enter")
        .serve()
        .press("j [")
        .serve()
        .screen_text();
    assert!(screen.contains("not in this revision"), "{screen}");
}

#[test]
fn a_click_shows_the_file_that_was_clicked() {
    let mut console = TestConsole::with_rows(morning_queue());
    let file = |n: usize| SkillFile::of_text(format!("step-{n}.md"), format!("Text of step {n}."));
    console.service.skills[0].revisions = vec![(1..=12).map(file).collect()];
    let console = console.press("7").serve().press("Enter").serve();
    let console = console.click_on("step-3.md").serve();
    let screen = console.screen_text();
    assert!(screen.contains("Text of step 3."), "{screen}");
    let console = console.press(&["j"; 11].join(" ")).serve();
    let screen = console.click_on("step-7.md").serve().screen_text();
    assert!(
        screen.contains("Text of step 7."),
        "the list is scrolled: {screen}"
    );
}

#[test]
fn two_revisions_are_compared_file_by_file() {
    let console = skills().press("j Enter").serve().press("d");
    assert!(
        console.screen_text().contains("revisions 1 and 2"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Enter").serve();
    let screen = console.screen_text();
    for line in [
        "- Open with the permit.",
        "+ Open with the project.",
        "prompts/open.md  +1",
        "+ Good morning.",
    ] {
        assert!(screen.contains(line), "{line}: {screen}");
    }
    assert!(!console.press("Esc").screen_text().contains("- Open with"));
    assert!(
        skills()
            .press("Enter")
            .serve()
            .press("d")
            .notice_text()
            .contains("only one revision")
    );
}

#[test]
fn the_list_is_filtered_by_its_fields_and_an_invalid_filter_stays_in_the_field() {
    let console = skills()
        .press("f")
        .type_text("lifecycle=draft,unpublished source=mine")
        .press("Enter");
    assert!(
        console.screen_text().contains("source=mine")
            && console.screen_text().contains("one of custom, official"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Ctrl-w").press("Enter").serve();
    let screen = console.screen_text();
    assert!(
        screen.contains("lender-watch")
            && !screen.contains("gc-finder")
            && screen.contains("F all"),
        "{screen}"
    );
    assert!(
        console
            .press("F")
            .serve()
            .screen_text()
            .contains("gc-finder")
    );
    let console = skills().press(";").type_text("gc").press("Enter").serve();
    assert_eq!(
        console.calls.last(),
        Some(&ServiceCall::FindSkills("gc".into()))
    );
    assert!(
        console.screen_text().contains("search \"gc\""),
        "{}",
        console.screen_text()
    );
    assert!(
        console
            .press("f")
            .type_text("source=official lifecycle=draft")
            .press("Enter")
            .serve()
            .screen_text()
            .contains("no matching Skills")
    );
}

#[test]
fn publishing_unpublishing_and_installing_are_done_and_undone() {
    let console = skills().press("G m p y Enter").serve();
    assert_eq!(
        console.service.skills[3].skill.lifecycle,
        Some(SkillLifecycle::Published)
    );
    let console = console.press("z").serve();
    assert_eq!(
        console.service.skills[3].skill.lifecycle,
        Some(SkillLifecycle::Unpublished)
    );
    let keys: std::collections::HashSet<Uuid> = console
        .service
        .orders
        .iter()
        .map(|order| order.key)
        .collect();
    assert_eq!(keys.len(), 2, "each write has its own key");
    let console = console.press("Z").serve().press("z").serve();
    assert_eq!(
        console.service.skills[3].skill.lifecycle,
        Some(SkillLifecycle::Unpublished),
        "redone and undone separately"
    );
    let console = skills().press("j j m x").serve().press("z").serve();
    assert_eq!(
        (changes(&console), console.service.skills[2].skill.installed),
        (
            vec![SkillAction::Uninstall, SkillAction::Install],
            Some(true)
        )
    );
}

#[test]
fn publishing_a_draft_asks_first_and_undo_takes_it_out_of_use() {
    let console = skills().press("m p");
    let screen = console.screen_text();
    assert!(screen.contains("Publish weekly-digest?"), "{screen}");
    assert!(screen.contains("no, change nothing"), "{screen}");
    let refused = skills().press("m p Enter").serve();
    assert!(refused.service.orders.is_empty(), "no is preselected");
    let console = console.press("y Enter").serve().press("z").serve();
    assert_eq!(
        console.service.skills[0].skill.lifecycle,
        Some(SkillLifecycle::Unpublished),
        "{}",
        console.notice_text()
    );
}

#[test]
fn impossible_changes_are_greyed_with_their_reason_and_not_sent() {
    for (keys, why) in [
        ("j m i", "only official Skills can be installed"),
        ("j j m i", "already installed"),
        ("j j m p", "official Skills cannot be changed"),
        ("j m p", "already published"),
        ("j j D", "official Skills cannot be changed"),
        ("j j E", "official Skills cannot be changed"),
        ("m r", "no unanswered requests"),
        ("m e", "no saved draft"),
    ] {
        let console = skills().press(keys);
        assert!(
            console.notice_text().contains(why),
            "{keys}: {}",
            console.notice_text()
        );
        assert!(console.service.orders.is_empty() && console.pending_calls.is_empty());
    }
    let mut console = TestConsole::with_rows(morning_queue());
    let workspace =
        json!({"name": "Acme", "caller": {"kind": "api_key", "scopes": ["workspace:read"]}});
    *console.context_mut().workspace_mut() = serde_json::from_value(workspace).ok();
    let console = console.press("7").serve().press("m p");
    assert!(
        console
            .notice_text()
            .contains("lacks the scope workspace:write"),
        "{}",
        console.notice_text()
    );
}

#[test]
fn marked_skills_are_one_batch_and_rejected_ones_stay_marked_with_the_reason() {
    let mut console = skills();
    console
        .service
        .rejecting_records
        .insert(skill_id(4).as_str().parse().unwrap());
    let console = console.press("Space G Space g g m p y Enter").serve();
    assert_eq!(
        changes(&console),
        [SkillAction::Publish, SkillAction::Publish]
    );
    let writes = console
        .calls
        .iter()
        .filter(|call| matches!(call, ServiceCall::Write(_)))
        .count();
    assert_eq!(writes, 1, "one request");
    assert!(
        console.notice_text().contains("1 of 2")
            && console.notice_text().contains("only its owner may do that"),
        "{}",
        console.notice_text()
    );
    assert_eq!(
        console
            .app
            .panes()
            .skills
            .marks
            .iter()
            .cloned()
            .collect::<Vec<_>>(),
        [skill_id(4)]
    );
    assert!(
        console
            .press("G")
            .screen_text()
            .contains("only its owner may do that")
    );
}

#[test]
fn a_skill_is_forked_moved_transferred_and_deleted() {
    let console = skills()
        .press("j j m f")
        .press("Ctrl-u")
        .type_text("Our finder")
        .press("Enter")
        .serve();
    assert_eq!(
        console.service.skills[0].skill.name.as_deref(),
        Some("Our finder")
    );
    let console = skills().press("j m m p Enter").serve();
    assert_eq!(
        console.service.orders[0].body,
        json!({"skill_id": skill_id(1), "audience": "personal"})
    );
    assert!(console.press("z").serve().service.orders[1].body["audience"] == "workspace");
    let console = skills().press("j m t").press("j j Enter").serve();
    assert_eq!(
        console.service.orders[0].body["user_id"],
        json!(Uuid::from_u128(BEN))
    );
    let console = skills().press("j D");
    assert!(
        console.screen_text().contains("cannot be undone") && console.service.orders.is_empty(),
        "{}",
        console.screen_text()
    );
    assert_eq!(console.press("Down Enter").serve().service.skills.len(), 3);
    let console = skills()
        .press("j Enter")
        .serve()
        .press("D Down Enter")
        .serve();
    assert!(
        console.notice_text().contains("done: delete") && console.app.panes().skills.open.is_none(),
        "{}",
        console.notice_text()
    );
    let gone = ServiceError {
        status: 404,
        code: "not_found".into(),
        ..ServiceError::default()
    };
    let console = skills().press("j Enter").serve().press("R");
    let console = console.fail_next(RequestError {
        kind: RequestErrorKind::Rejected(gone),
        message: "no such Skill".into(),
    });
    assert!(
        console.app.panes().skills.open.is_none()
            && console.notice_text().contains("no longer visible to you"),
        "{}",
        console.notice_text()
    );
}

#[test]
fn a_new_skill_is_written_in_the_editor_and_sent_once_confirmed() {
    let console = skills().press("A");
    assert_eq!(editor_text(&console), draft_text::blank_draft_text());
    let console = close_editor_with(console, NEW_SKILL_TEXT);
    assert!(
        console.screen_text().contains("First call: 1 file") && console.service.orders.is_empty(),
        "{}",
        console.screen_text()
    );
    let console = console.press("y Enter").serve();
    assert_eq!(console.service.orders[0].body["audience"], "workspace");
    assert!(
        console.screen_text().contains("first-call")
            && console.app.panes().skills.unsent_text.is_none(),
        "{}",
        console.screen_text()
    );
    assert!(
        close_editor_with(skills().press("A"), &draft_text::blank_draft_text())
            .notice_text()
            .contains("nothing written")
    );
    assert!(
        close_editor_with(skills().press("A"), "")
            .notice_text()
            .contains("nothing changed")
    );
}

#[test]
fn written_text_survives_a_slip_a_no_a_rejection_and_an_exit() {
    let slip = close_editor_with(skills().press("A"), "=== skill\nnaem: First call\n");
    assert!(
        slip.notice_text().contains("line 2: naem is not a field"),
        "{}",
        slip.notice_text()
    );
    assert!(editor_text(&slip.press("m e")).contains("naem: First call"));

    let no = close_editor_with(skills().press("A"), NEW_SKILL_TEXT).press("Esc");
    assert_eq!(
        editor_text(&no.press("A")),
        NEW_SKILL_TEXT,
        "the next new Skill resumes it"
    );

    let mut refused = skills();
    refused.service.rejecting_records.insert(Uuid::nil());
    let refused = close_editor_with(refused.press("A"), NEW_SKILL_TEXT)
        .press("y Enter")
        .serve();
    assert!(
        refused.notice_text().contains("only its owner may do that"),
        "{}",
        refused.notice_text()
    );
    assert_eq!(editor_text(&refused.press("m e")), NEW_SKILL_TEXT);

    let kept = close_editor_with(skills().press("A"), NEW_SKILL_TEXT);
    let keeps = |effect: &&Effect| matches!(effect, Effect::SaveDraft { name, content: Some(_) } if name == "skills");
    assert!(
        kept.effects.iter().any(|effect| keeps(&effect)),
        "it is saved to disk"
    );
    let dropped = kept.press("Esc").press("m X");
    assert!(dropped.app.panes().skills.unsent_text.is_none());
}

#[test]
fn a_draft_is_edited_in_the_editor_and_only_changes_are_sent() {
    let console = skills().press("j E").serve();
    let text = editor_text(&console);
    assert!(
        text.contains("=== file: prompts/open.md\nGood morning.\n"),
        "{text}"
    );
    let same = close_editor_with(skills().press("j E").serve(), &text);
    assert!(same.notice_text().contains("no changes") && same.service.orders.is_empty());
    let console = close_editor_with(console, &text.replace("Good morning.", "Good day."))
        .press("y Enter")
        .serve();
    let body = &console.service.orders[0].body;
    assert!(
        body.get("name").is_none() && body["files"][1]["content"] == "Good day.\n",
        "{body}"
    );
    let both = skills().press("Space Space E").serve();
    let text = editor_text(&both).replace("description: ", "description: Now: ");
    let both = close_editor_with(both, &text).press("y Enter").serve();
    assert_eq!(
        changes(&both),
        [SkillAction::Update, SkillAction::Update],
        "several in one text"
    );
}

#[test]
fn an_unanswered_request_is_resent_under_its_key() {
    let console = close_editor_with(skills().press("A"), NEW_SKILL_TEXT).press("y Enter");
    let console = console.fail_next(RequestError::new_ambiguous("the connection broke"));
    assert!(
        console
            .notice_text()
            .contains("repeating it is safe: the connection broke"),
        "{}",
        console.notice_text()
    );
    let sent = |console: &TestConsole| {
        let writes = console.calls.iter().filter_map(|call| match call {
            ServiceCall::Write(crate::app::effect::WriteRequest::Skills(orders)) => {
                Some(orders[0].clone())
            }
            _ => None,
        });
        writes.collect::<Vec<_>>()
    };
    let console = console.serve().press("m r").serve();
    let orders = sent(&console);
    assert_eq!(orders.len(), 2);
    assert_eq!(orders[0], orders[1], "the same key and the same bytes");
    assert!(
        console.app.panes().skills.unconfirmed.is_empty()
            && console.app.panes().skills.unsent_text.is_none()
    );
}

#[test]
fn a_rejected_list_says_why() {
    let refusal = ServiceError {
        status: 403,
        code: "forbidden".into(),
        ..ServiceError::default()
    };
    let refused = RequestError {
        kind: RequestErrorKind::Rejected(refusal),
        message: "rejected (forbidden): needs the Pro plan".into(),
    };
    let console = TestConsole::with_rows(morning_queue())
        .press("7")
        .fail_next(refused);
    assert!(
        console.screen_text().contains("needs the Pro plan")
            && console.screen_text().contains("R retries"),
        "{}",
        console.screen_text()
    );
    assert!(
        console
            .press("R")
            .serve()
            .screen_text()
            .contains("gc-finder")
    );
}

#[test]
fn golden_screens_of_the_skills() {
    let open = || skills().press("j Enter").serve();
    golden!("skills_120x36", open());
    golden!("skills_diff_120x36", open().press("d Enter").serve());
    golden!("skills_list_80x24", skills().send(Msg::Resized(80, 24)));
    golden!("skills_open_80x24", open().send(Msg::Resized(80, 24)));
    golden!("skills_open_60x20", open().send(Msg::Resized(60, 20)));
    golden!("skills_list_60x20", skills().send(Msg::Resized(60, 20)));
    golden!(
        "skills_loading_80x24",
        TestConsole::with_rows(morning_queue())
            .press("7")
            .send(Msg::Resized(80, 24))
    );
    let failed = TestConsole::with_rows(morning_queue())
        .press("7")
        .fail_next(RequestError::new_not_sent("cannot reach signals.example"));
    golden!("skills_failed_80x24", failed.send(Msg::Resized(80, 24)));
    let mut empty = TestConsole::with_rows(morning_queue());
    empty.service.skills.clear();
    golden!(
        "skills_empty_80x24",
        empty.press("7").serve().send(Msg::Resized(80, 24))
    );
}

//! Notes and whole records in the external editor.

use serde_json::json;

use super::{book, field, noted, sent, writes};
use crate::app::effect::Effect;
use crate::app::msg::{EditorPurpose, Msg};
use crate::app::testing::TestConsole;
use crate::app::testing::fake_service::account_id;

#[test]
fn the_note_goes_to_the_external_editor_and_comes_back() {
    let console = book().press("a n").type_text("draft").press("Ctrl-o");
    let opened = matches!(console.effects.last(), Some(Effect::OpenEditor { purpose: EditorPurpose::Note, text }) if text.ends_with("draft"));
    assert!(opened, "{:?}", console.effects.last());
    let console = console.send(Msg::EditorClosed(
        EditorPurpose::Note,
        Ok("one\ntwo\n".to_owned()),
    ));
    assert!(console.screen_text().contains("two"));
    let failed = console.send(Msg::EditorClosed(
        EditorPurpose::Note,
        Err("the editor vi failed".to_owned()),
    ));
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
        Some(Effect::OpenEditor {
            purpose: EditorPurpose::Record,
            text,
        }) => text.clone(),
        other => panic!("no record was opened in the editor: {other:?}"),
    }
}

fn close_editor_with(console: TestConsole, text: &str) -> TestConsole {
    console.send(Msg::EditorClosed(
        EditorPurpose::Record,
        Ok(text.to_owned()),
    ))
}

#[test]
fn a_record_is_edited_as_a_whole_and_only_changed_fields_are_sent_once_applied() {
    let console = book().press("a e");
    let text = record_text(&console);
    for part in [
        "# tier_1, tier_2",
        "tags = [",
        "austin",
        "\n# The rest of the record cannot be changed here:\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let unchanged = close_editor_with(book().press("a e"), &text);
    assert!(
        unchanged.notice_text().contains("nothing was changed")
            && writes(&unchanged.press("Ctrl-s")).is_empty()
    );
    let edited = text.replace("\"austin\"", "\"austin\", \"hotel\"") + "\n";
    let console = close_editor_with(console, &edited);
    assert!(
        writes(&console).is_empty() && console.notice_text().contains("Ctrl-s applies"),
        "{}",
        console.notice_text()
    );
    let console = console.press("Ctrl-s").serve();
    assert_eq!(sent(&console), [json!({ "tags": ["austin", "hotel"] })]);
}

#[test]
fn an_empty_value_clears_a_field_and_an_empty_text_changes_nothing() {
    let console = book().press("a e");
    let text = record_text(&console);
    let cleared = close_editor_with(
        book().press("a e"),
        &text.replace("tags = [\"austin\"]", "tags = []"),
    )
    .press("Ctrl-s")
    .serve();
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
        assert!(
            said.contains(why) && said.contains(&format!("line {line}")),
            "{said}"
        );
        assert_eq!(
            record_text(&console.press("Ctrl-o")),
            format!("{text}{wrong}\n")
        );
    }
    let console = close_editor_with(console, "icp_tier = \"tier_9\"\n");
    assert!(
        console
            .notice_text()
            .contains("tier_9 is not a tier; the tiers are tier_1"),
        "{}",
        console.notice_text()
    );
}

#[test]
fn the_note_in_the_editor_names_its_record_and_that_line_is_not_part_of_it() {
    let console = noted().press("Ctrl-o");
    let text = match console
        .effects
        .iter()
        .rev()
        .find(|effect| matches!(effect, Effect::OpenEditor { .. }))
    {
        Some(Effect::OpenEditor { text, .. }) => text.clone(),
        other => panic!("{other:?}"),
    };
    assert!(
        text.starts_with(
            "# gantry: note on Calder Residential (account). The text below becomes the whole note."
        ),
        "{text}"
    );
    let edited = text.replace("met at the fair", "# met at the expo");
    let console = console
        .send(Msg::EditorClosed(EditorPurpose::Note, Ok(edited)))
        .press("Ctrl-s")
        .serve();
    assert_eq!(field(&console, account_id(2), "notes"), "# met at the expo");
}

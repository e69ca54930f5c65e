//! Prompts recall what was answered before.

use std::collections::BTreeMap;

use crate::app::AppSettings;
use crate::app::testing::{TestConsole, morning_queue, signal_id};

fn typed(console: &TestConsole) -> String {
    console.context().prompt.as_ref().expect("a prompt is open").text()
}

fn with_preferences(preferences: &[(&str, &str)]) -> TestConsole {
    let preferences =
        preferences.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect::<BTreeMap<_, _>>();
    let settings = AppSettings { preferences, ..AppSettings::default() };
    TestConsole::with_size(morning_queue(), (120, 36), settings).poll().serve()
}

#[test]
fn a_prompt_recalls_its_answers_and_what_was_being_typed_comes_back() {
    let console = TestConsole::with_rows(morning_queue());
    let console = console.press("& &").type_text("cost>=5M").press("Enter & $").type_text("3M").press("Enter & & Ctrl-u");
    let console = console.type_text("ci").press("Up");
    assert_eq!(typed(&console), "cost>=5M", "another prompt's answers are not among them");
    let console = console.press("Up");
    assert_eq!((typed(&console).as_str(), console.notice_text().as_str()), ("cost>=5M", "no earlier answer"));
    assert_eq!(typed(&console.press("Down")), "ci");
}

#[test]
fn answers_are_recalled_in_the_next_session() {
    let console = TestConsole::with_rows(morning_queue()).press("& &").type_text("cost>=5M").press("Enter");
    let kept = console.context().settings().preferences.clone();
    let kept: Vec<_> = kept.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(typed(&with_preferences(&kept).press("& & Up")), "cost>=5M");
}

#[test]
fn each_answer_is_kept_once_and_only_the_last_twenty() {
    let answers: Vec<String> = (1..=20).map(|n| format!("word {n}")).collect();
    let console = with_preferences(&[("find.history", &answers.join("\n"))]);
    let console = console.press("/").type_text("oak").press("Enter Esc / Up Up Enter");
    let kept = &console.context().settings().preferences["find.history"];
    assert_eq!((kept.lines().count(), kept.lines().next()), (20, Some("word 2")));
    assert!(kept.ends_with("oak\nword 20"), "{kept}");
}

#[test]
fn an_edited_answer_starts_from_the_newest_again() {
    let console = with_preferences(&[("find.history", "oak\nmill")]).press("/ Up Up").type_text("s").press("Up");
    assert_eq!(typed(&console), "mill");
    let console = console.press("Down");
    assert_eq!(typed(&console), "oaks");
    assert_eq!(console.press("Esc").cursor_id(), signal_id(1));
}

#[test]
fn a_row_number_is_not_kept() {
    let console = TestConsole::with_rows(morning_queue());
    let before = console.context().settings().preferences.clone();
    let console = console.press("#").type_text("3").press("Enter");
    assert_eq!((console.cursor_id(), &console.context().settings().preferences), (signal_id(3), &before));
    assert_eq!(typed(&console.press("# Up")), "");
}

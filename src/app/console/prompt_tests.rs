//! Prompts recall what was answered before, and complete words.

use std::collections::BTreeMap;

use crate::app::AppSettings;
use crate::app::testing::{TestConsole, morning_queue, signal_id};
use crate::domain::description::Description;

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

#[test]
fn tab_completes_conditions_from_fields_and_from_what_loaded_rows_have() {
    let typed = |text: &str, keys: &str| {
        let console = TestConsole::with_rows(morning_queue());
        let calls = console.calls.len();
        let console = console.press("& &").type_text(text).press(keys);
        assert_eq!(console.calls.len(), calls, "nothing is requested");
        (console.context().prompt.as_ref().map(|prompt| prompt.text()).unwrap_or_default(), console)
    };
    assert_eq!(typed("cos", "Tab").0, "cost>=");
    assert_eq!(typed("cost>=5M type=", "Tab").0, "cost>=5M type=construction_loan");
    assert_eq!(typed("type=permit", "Tab Tab").0, "type=permit_issued");
    assert_eq!(typed("type=permit", "Tab Tab Shift-Tab").0, "type=permit_filed");
    let (text, console) = typed("nowhere", "Tab");
    assert_eq!((text.as_str(), console.notice_text().as_str()), ("nowhere", "nothing to complete"));
}

#[test]
fn the_city_of_the_filter_is_completed_from_loaded_rows() {
    let mut console = TestConsole::with_rows(morning_queue());
    for (row, city) in morning_queue().iter().zip(["Austin", "San Jose", "San Francisco"]) {
        let known = Description { city: Some(city.to_owned()), ..Description::default() };
        console.context_mut().queue.facts.describe_signal(row.signal.id, None, known);
    }
    let console = console.press("f").type_text("san").press("Ctrl-n Ctrl-n Enter");
    assert_eq!(console.context().queue.filter.city, "San Jose");
}

#[test]
fn the_line_of_conditions_is_completed_from_the_fields_of_the_service() {
    let console = TestConsole::with_rows(morning_queue()).press("5").serve().press("E").type_text("cit").press("Tab");
    assert_eq!(console.context().prompt.as_ref().map(|prompt| prompt.text()), Some("city=".to_owned()));
}

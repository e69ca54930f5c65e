//! Prompts recall what was answered before, and complete words.

use std::collections::BTreeMap;

use crate::app::AppSettings;
use crate::app::command::Scope;
use crate::app::msg::Msg;
use crate::app::panes::all_commands;
use crate::app::testing::fake_workspace::rejection;
use crate::app::testing::{TestConsole, morning_queue, signal_id};
use crate::domain::description::Description;

fn typed(console: &TestConsole) -> String {
    console
        .context()
        .ui
        .prompt
        .as_ref()
        .expect("a prompt is open")
        .text()
}

fn with_preferences(preferences: &[(&str, &str)]) -> TestConsole {
    let preferences = preferences
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect::<BTreeMap<_, _>>();
    let settings = AppSettings {
        preferences,
        ..AppSettings::default()
    };
    TestConsole::with_size(morning_queue(), (120, 36), settings)
        .poll()
        .serve()
}

#[test]
fn a_prompt_recalls_its_answers_and_what_was_being_typed_comes_back() {
    let console = TestConsole::with_rows(morning_queue());
    let console = console
        .press("& &")
        .type_text("cost>=5M")
        .press("Enter #")
        .type_text("3")
        .press("Enter & & Ctrl-u");
    let console = console.type_text("ci").press("Up");
    assert_eq!(
        typed(&console),
        "cost>=5M",
        "another prompt's answers are not among them"
    );
    let console = console.press("Up");
    assert_eq!(
        (typed(&console).as_str(), console.notice_text().as_str()),
        ("cost>=5M", "no earlier answer")
    );
    assert_eq!(typed(&console.press("Down")), "ci");
}

#[test]
fn answers_are_recalled_in_the_next_session() {
    let console = TestConsole::with_rows(morning_queue())
        .press("& &")
        .type_text("cost>=5M")
        .press("Enter");
    let kept = console.context().settings.preferences.clone();
    let kept: Vec<_> = kept
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    assert_eq!(typed(&with_preferences(&kept).press("& & Up")), "cost>=5M");
}

#[test]
fn each_answer_is_kept_once_and_only_the_last_twenty() {
    let answers: Vec<String> = (1..=20).map(|n| format!("word {n}")).collect();
    let console = with_preferences(&[("find.history", &answers.join("\n"))]);
    let console = console
        .press("/")
        .type_text("oak")
        .press("Enter Esc / Up Up Enter");
    let kept = &console.context().settings.preferences["find.history"];
    assert_eq!(
        (kept.lines().count(), kept.lines().next()),
        (20, Some("word 2"))
    );
    assert!(kept.ends_with("oak\nword 20"), "{kept}");
}

#[test]
fn an_edited_answer_starts_from_the_newest_again() {
    let console = with_preferences(&[("find.history", "oak\nmill")])
        .press("/ Up Up")
        .type_text("s")
        .press("Up");
    assert_eq!(typed(&console), "mill");
    let console = console.press("Down");
    assert_eq!(typed(&console), "oaks");
    assert_eq!(console.press("Esc").cursor_id(), signal_id(1));
}

#[test]
fn a_row_number_is_not_kept() {
    let console = TestConsole::with_rows(morning_queue());
    let before = console.context().settings.preferences.clone();
    let console = console.press("#").type_text("3").press("Enter");
    assert_eq!(
        (console.cursor_id(), &console.context().settings.preferences),
        (signal_id(3), &before)
    );
    assert_eq!(typed(&console.press("# Up")), "");
}

#[test]
fn tab_completes_conditions_from_fields_and_from_what_loaded_rows_have() {
    let typed = |text: &str, keys: &str| {
        let console = TestConsole::with_rows(morning_queue());
        let calls = console.calls.len();
        let console = console.press("& &").type_text(text).press(keys);
        assert_eq!(console.calls.len(), calls, "nothing is requested");
        (
            console
                .context()
                .ui
                .prompt
                .as_ref()
                .map(|prompt| prompt.text())
                .unwrap_or_default(),
            console,
        )
    };
    assert_eq!(typed("cos", "Tab").0, "cost>=");
    assert_eq!(
        typed("cost>=5M type=", "Tab").0,
        "cost>=5M type=construction_loan"
    );
    assert_eq!(typed("type=permit", "Tab Tab").0, "type=permit_issued");
    assert_eq!(
        typed("type=permit", "Tab Tab Shift-Tab").0,
        "type=permit_filed"
    );
    let (text, console) = typed("nowhere", "Tab");
    assert_eq!(
        (text.as_str(), console.notice_text().as_str()),
        ("nowhere", "nothing to complete")
    );
}

#[test]
fn the_city_of_the_filter_is_completed_from_loaded_rows() {
    let mut console = TestConsole::with_rows(morning_queue());
    for (row, city) in morning_queue()
        .iter()
        .zip(["Austin", "San Jose", "San Francisco"])
    {
        let known = Description {
            city: Some(city.to_owned()),
            ..Description::default()
        };
        console
            .context_mut()
            .queue
            .facts
            .describe_signal(row.signal.id, None, known);
    }
    let console = console
        .press("f")
        .type_text("san")
        .press("Ctrl-n Ctrl-n Enter");
    assert_eq!(console.context().queue.filter.city, "San Jose");
}

#[test]
fn the_line_of_conditions_is_completed_from_the_fields_of_the_service() {
    let console = TestConsole::with_rows(morning_queue())
        .press("5")
        .serve()
        .press("E")
        .type_text("cit")
        .press("Tab");
    assert_eq!(
        console
            .context()
            .ui
            .prompt
            .as_ref()
            .map(|prompt| prompt.text()),
        Some("city=".to_owned())
    );
}

#[test]
fn typing_replaces_what_a_prompt_began_with_and_other_keys_edit_it() {
    let ask = || {
        let console = TestConsole::with_rows(morning_queue())
            .press("5")
            .serve()
            .press(";")
            .type_text("hotels in Austin");
        console.press("Enter").serve().press(";")
    };
    assert_eq!(typed(&ask()), "hotels in Austin");
    assert_eq!(typed(&ask().type_text("lofts")), "lofts");
    assert_eq!(typed(&ask().send(Msg::Paste("lofts".to_owned()))), "lofts");
    for (keys, text) in [
        ("End", "hotels in Austinx"),
        ("Home", "xhotels in Austin"),
        ("Left", "hotels in Austixn"),
        ("Ctrl-w", "hotels in x"),
    ] {
        assert_eq!(typed(&ask().press(keys).type_text("x")), text, "{keys}");
    }
    assert_eq!(typed(&ask().press("Backspace").type_text("x")), "x");
    let invite = || {
        let mut console = TestConsole::at_scope(Scope::Team);
        console.workspace.write_failure = Some(rejection(409, "already_exists", "it is taken"));
        console
            .press("i")
            .type_text("bea@example.com")
            .press("Enter Enter")
            .serve()
            .press("i")
    };
    assert_eq!(
        typed(&invite()),
        "bea@example.com",
        "the service rejected it"
    );
    assert_eq!(
        typed(&invite().type_text("zoe@example.com")),
        "zoe@example.com"
    );
}

#[test]
fn every_prompt_that_begins_with_a_text_shows_it_selected() {
    let commands: Vec<_> = all_commands()
        .filter(|row| !row.scope.is_dialog())
        .collect();
    let keymap = TestConsole::with_rows(morning_queue())
        .context()
        .keymap
        .clone();
    let mut filled = 0;
    for command in commands {
        let Some(keys) = keymap.key_names(command.id).into_iter().next() else {
            continue;
        };
        let open = || TestConsole::at_scope(command.scope).press(&keys).serve();
        let console = open();
        let Some(prompt) = console
            .context()
            .ui
            .prompt
            .as_ref()
            .filter(|prompt| !prompt.text().is_empty())
        else {
            continue;
        };
        filled += 1;
        assert_eq!(typed(&open().type_text("x")), "x", "{}", command.id);
        let (label, end) = (prompt.label.clone(), open().press("End").draw_to_buffer());
        assert!(
            console.draw_to_buffer() != end,
            "{}: {label} does not show that its text is selected",
            command.id
        );
    }
    assert!(filled >= 5, "{filled}");
}

#[test]
fn a_text_that_was_rejected_is_corrected_where_it_ends() {
    let console = TestConsole::with_rows(morning_queue())
        .press("& &")
        .type_text("size>5")
        .press("Enter");
    assert_eq!(typed(&console.type_text("x")), "size>5x");
}

#[test]
fn typing_in_a_form_replaces_what_a_field_began_with() {
    let filtered = || {
        TestConsole::with_rows(morning_queue())
            .press("f")
            .type_text("Austin")
            .press("Enter")
            .serve()
    };
    let city = |console: TestConsole| console.context().queue.list_settings().filter.city;
    assert_eq!(city(filtered()), "Austin");
    assert_eq!(
        city(filtered().press("f").type_text("Dallas").press("Enter")),
        "Dallas"
    );
    assert_eq!(
        city(filtered().press("f End").type_text("ville").press("Enter")),
        "Austinville"
    );
}

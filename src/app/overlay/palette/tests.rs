//! Tests of the palette and of help as their users see them.

use super::*;
use crate::app::Effect;
use crate::app::effect::ServiceCall;
use crate::app::panes::{all_commands, build_keymap};
use crate::app::testing::{TestConsole, morning_queue};
use crate::domain::budgets::{BudgetKind, BudgetPeriod, Enforcement};

/// Calls that change something for others or cost credits.
fn harmful_call_count(console: &TestConsole) -> usize {
    let harms = |call: &&ServiceCall| {
        matches!(call, ServiceCall::Triage { .. } | ServiceCall::Write(_))
            || call.max_credits().is_some_and(|most| most > 0)
    };
    console.calls.iter().filter(harms).count()
}

fn palette_for(query: &str) -> TestConsole {
    TestConsole::with_rows(morning_queue())
        .press(":")
        .type_text(query)
}

fn palette_matches(console: &TestConsole) -> Vec<CommandMatch> {
    match &console.context().ui.overlay {
        Some(crate::app::overlay::Overlay::Palette(palette)) => palette
            .entries()
            .iter()
            .filter_map(PaletteEntry::command_match)
            .collect(),
        _ => panic!("no palette: {}", console.screen_text()),
    }
}

#[test]
fn help_then_enter_runs_nothing_on_any_screen() {
    for scope in Scope::ALL.iter().filter(|scope| !scope.is_dialog()) {
        for way in ["Enter", "Down Enter", "PgDn Enter"] {
            let console = TestConsole::at_scope(*scope).press(if *scope == Scope::AnnotationForm {
                "F1"
            } else {
                "?"
            });
            let before = (console.screen_text(), console.calls.len());
            let console = console.press(way).serve();
            assert!(
                console.context().ui.overlay.is_some(),
                "{scope:?} {way}: {}",
                console.screen_text()
            );
            assert_eq!(console.calls.len(), before.1, "{scope:?} {way}");
            assert!(
                way != "Enter" || console.screen_text() == before.0,
                "{scope:?}: Enter moved something"
            );
        }
    }
}

#[test]
fn the_palette_never_preselects_a_command_that_writes_or_spends() {
    let keymap = build_keymap(&crate::app::command::keymap::KeyOverrides::default());
    for query in all_commands()
        .flat_map(|row| [row.title, row.id])
        .chain(["e", "D", "sign"])
    {
        for scope in &[Scope::Queue, Scope::ViewRecords, Scope::Team] {
            let mut palette = CommandPalette::for_commands(*scope, &keymap, Vec::new(), Vec::new());
            palette.paste(query).unwrap();
            let selected = palette
                .selected_entry()
                .and_then(PaletteEntry::command_match)
                .filter(|found| found.works_here)
                .map(|found| found.command);
            let harmless =
                selected.is_none_or(|command| !command.writes && command.cost.is_empty());
            assert!(harmless, "{query} in {scope:?}");
        }
    }
    let console = palette_for("sign").press("Enter").serve();
    assert!(
        console.screen_text().contains("selects a line first"),
        "{}",
        console.screen_text()
    );
    assert_eq!(harmful_call_count(&console), 0, "{}", console.screen_text());
}

#[test]
fn a_writing_command_runs_only_after_it_was_selected_by_hand() {
    assert_eq!(
        palette_for("queue.done")
            .press("Enter")
            .triage_calls()
            .len(),
        0
    );
    assert_eq!(
        palette_for("queue.done")
            .press("Down Enter")
            .triage_calls()
            .len(),
        1
    );
}

#[test]
fn without_a_query_the_palette_lists_groups_and_enter_opens_one() {
    let console = palette_for("");
    let screen = console.screen_text();
    assert!(screen.contains("undo, repeat, cancel"), "{screen}");
    let before = palette_matches(&console).len();
    assert!(before < 20, "{before}: {screen}");
    let console = (0..=before).fold(console, |console, _| console.press("Down"));
    let console = console.press("Enter");
    assert!(palette_matches(&console).len() > before);
    assert_eq!(harmful_call_count(&console), 0);
}

#[test]
fn a_reminder_and_a_follow_up_are_found_as_a_snooze() {
    for query in ["remind", "follow up", "follow-up", "reminder"] {
        let found = palette_matches(&palette_for(query));
        assert!(
            found
                .first()
                .is_some_and(|found| found.command.common_id() == "queue.snooze"),
            "{query}: {found:?}"
        );
    }
}

#[test]
fn words_and_prefixes_match_and_scattered_letters_do_not() {
    for (query, wanted, unwanted) in [
        ("email", "team.copy.address", "queue.done"),
        ("csv", "records.export", "queue.preview.up"),
        ("quit", "close", "queue.done"),
        ("export", "records.export", "go.explore"),
        ("invite", "team.invite", "list.sort"),
        ("half page", "go.half.down", "go.page.down"),
    ] {
        let console = palette_for(query);
        let ids: Vec<&str> = palette_matches(&console)
            .iter()
            .map(|found| found.command.id)
            .collect();
        assert!(ids.contains(&wanted), "{query}: {ids:?}");
        assert!(!ids.contains(&unwanted), "{query}: {ids:?}");
    }
}

#[test]
fn names_rank_before_descriptions_and_this_screen_before_others() {
    assert_eq!(palette_matches(&palette_for("undo"))[0].command.id, "undo");
    assert_eq!(
        palette_matches(&palette_for("filter"))[0].command.id,
        "queue.filter"
    );
    let all = palette_matches(&palette_for("invite"));
    assert!(all.iter().all(|found| !found.works_here), "{all:?}");
    let all = palette_matches(&palette_for("open"));
    let firsts = all.iter().take_while(|found| found.works_here).count();
    assert!(
        firsts > 0 && all[firsts..].iter().all(|found| !found.works_here),
        "{all:?}"
    );
}

#[test]
fn a_command_whose_name_begins_with_what_is_typed_comes_first_also_if_it_takes_an_argument() {
    for query in ["hand", "handof", "yesterday", "my day"] {
        let console = palette_for(query);
        let screen = console.screen_text();
        assert!(screen.contains(":handoff"), "{query}: {screen}");
        let console = console.press("Enter").serve();
        assert!(
            console.screen_text().contains("Handoff"),
            "{query}: {}",
            console.screen_text()
        );
    }
}

#[test]
fn a_command_of_another_screen_leads_there_and_does_not_run() {
    let console = palette_for("team.invite");
    assert!(
        console.screen_text().contains("works on Team"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Enter").serve();
    assert_eq!(
        (
            console.context().ui.screen(),
            console.context().ui.has_open_question()
        ),
        (crate::app::Screen::Team, false)
    );
    assert!(
        console.notice_text().starts_with("i: "),
        "{}",
        console.notice_text()
    );
    let writes = [
        ("delete the View", crate::app::Screen::Views),
        ("staged changes", crate::app::Screen::Subscriptions),
    ];
    for (query, screen) in writes {
        let console = palette_for(query).press("Enter").serve();
        assert_eq!(
            (console.context().ui.screen(), harmful_call_count(&console)),
            (screen, 0),
            "{query}"
        );
    }
}

#[test]
fn a_command_of_what_is_opened_from_a_row_says_where_it_works() {
    let console = palette_for("save the record");
    let before = (console.calls.len(), console.effects.len());
    let console = console.press("Enter");
    assert_eq!((console.calls.len(), console.effects.len()), before);
    assert!(
        console.screen_text().contains("works on a record's page"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn a_command_takes_its_argument() {
    let console = palette_for("budget day 2000").press("Enter").serve();
    let saved = console
        .calls
        .iter()
        .any(|call| matches!(call, ServiceCall::SetBudgets(budgets) if budgets.limit(SOFT_DAY) == Some(2_000)));
    assert!(saved, "{:?}", console.calls);
    let console = palette_for("filter high Austin").press("Enter").serve();
    assert_eq!(console.context().queue.filter.city, "Austin");
    assert!(
        console
            .effects
            .iter()
            .any(|effect| format!("{effect:?}").contains("Austin")),
        "it is kept for the next session"
    );
    let console = palette_for("theme light").press("Enter");
    assert_eq!(
        console.context().settings.theme.scheme,
        crate::ui::ColorScheme::Light
    );
    for quit in ["q", "quit"] {
        let console = TestConsole::with_rows(morning_queue())
            .press("3 :")
            .type_text(quit)
            .press("Enter");
        assert!(console.effects.contains(&Effect::Quit), "{quit}");
    }
}

const SOFT_DAY: BudgetKind = BudgetKind(Enforcement::Soft, BudgetPeriod::Day);

#[test]
fn a_wrong_argument_is_explained_and_nothing_happens() {
    let console = palette_for("budget day many");
    assert!(
        console
            .screen_text()
            .contains("many is not a number of credits"),
        "{}",
        console.screen_text()
    );
    let before = console.calls.len();
    let console = console.press("Enter");
    assert!(console.context().ui.overlay.is_some() && console.calls.len() == before);
}

#[test]
fn the_name_of_a_command_with_an_argument_shows_how_to_type_it() {
    let console = palette_for("budg");
    assert!(
        console.screen_text().contains(":budget day 2000"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Ctrl-u").type_text("theme");
    assert!(
        console.screen_text().contains(":theme light"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn views_members_and_loaded_records_are_found_by_name() {
    let read = || {
        TestConsole::with_rows(morning_queue())
            .press("2")
            .serve()
            .press("3")
            .serve()
            .press("Enter")
            .serve()
            .press("1")
    };
    let view = read().context().views.list()[1].title();
    let console = read().press(":").type_text(&view).press("Enter").serve();
    assert_eq!(console.context().ui.screen(), crate::app::Screen::Views);
    assert!(
        console.screen_text().contains(&view),
        "{}",
        console.screen_text()
    );
    let console = read().press(":").type_text("Brightline");
    assert!(
        console.screen_text().contains("Brightline GC"),
        "{}",
        console.screen_text()
    );
    let before = console.calls.len();
    let console = console.press("Enter");
    assert_eq!(
        console.calls.len(),
        before,
        "a record that costs a credit is not preselected"
    );
    let console = console.press("Down Enter").serve();
    assert_eq!(console.context().ui.screen(), crate::app::Screen::Record);
    let console = read().press(":").type_text("Ben").press("Enter").serve();
    assert_eq!(console.context().ui.screen(), crate::app::Screen::Team);
}

#[test]
fn a_view_is_opened_by_its_name_before_the_views_are_read() {
    let title = TestConsole::with_rows(morning_queue())
        .press("2")
        .serve()
        .context()
        .views
        .list()[1]
        .title();
    let console = palette_for(&format!("view {}", title.to_lowercase()))
        .press("Enter")
        .serve();
    assert_eq!(console.context().ui.screen(), crate::app::Screen::Views);
    assert_eq!(harmful_call_count(&console), 0);
    let console = palette_for("view Nowhere").press("Enter").serve();
    assert!(
        console
            .notice_text()
            .starts_with("there is no View Nowhere"),
        "{}",
        console.notice_text()
    );
}

#[test]
fn up_recalls_what_was_run_before_also_after_a_restart() {
    let console = palette_for("filter Austin")
        .press("Enter")
        .serve()
        .press(":")
        .type_text("theme light")
        .press("Enter");
    let recalled = |console: TestConsole| match &console.context().ui.overlay {
        Some(crate::app::overlay::Overlay::Palette(palette)) => palette.field.text().to_owned(),
        _ => String::new(),
    };
    let preferences = console.context().settings.preferences.clone();
    assert_eq!(recalled(console.press(": Up")), "theme light");
    let settings = crate::app::AppSettings {
        preferences,
        ..Default::default()
    };
    let again = || {
        TestConsole::with_size(morning_queue(), (120, 36), settings.clone())
            .poll()
            .serve()
    };
    assert_eq!(recalled(again().press(": Up Up")), "filter Austin");
    let console = again().press(": Up Up Enter").serve();
    assert_eq!(console.context().queue.filter.city, "Austin");
}

#[test]
fn help_says_what_each_screen_is_for_and_what_costs_there() {
    for scope in Scope::ALL
        .iter()
        .filter(|scope| !scope.is_dialog() && !matches!(scope, Scope::List | Scope::Global))
    {
        assert!(!scope.purpose().is_empty(), "{scope:?}");
    }
    let console = TestConsole::with_rows(morning_queue()).press("?");
    assert!(
        console
            .screen_text()
            .contains("opening a signal reads its project, 1 credit once"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn help_looks_up_the_key_that_is_pressed_and_runs_nothing() {
    for (key, expected) in [
        ("Ctrl-d", "go half a page down"),
        ("F1", "list the keys"),
        ("Ctrl-l", "redraw the screen"),
    ] {
        let console = TestConsole::with_rows(morning_queue()).press("?");
        let before = (console.calls.len(), console.effects.len());
        let console = console.press(key);
        let first = palette_matches(&console)[0].command.description;
        assert!(first.starts_with(expected), "{key}: {first}");
        assert_eq!(
            (console.calls.len(), console.effects.len()),
            before,
            "{key}"
        );
        let console = console.type_text("e");
        assert_eq!(
            palette_matches(&console)[0].command.id,
            "queue.done",
            "typing starts again after {key}"
        );
    }
    let console = TestConsole::with_rows(morning_queue())
        .press("?")
        .type_text("gp");
    assert_eq!(palette_matches(&console)[0].command.id, "go.project");
    let console = TestConsole::with_rows(morning_queue())
        .press("?")
        .type_text("enter");
    assert_eq!(palette_matches(&console)[0].command.id, "queue.open");
}

#[test]
fn a_query_that_matches_nothing_says_so() {
    let console = palette_for("zzz");
    assert!(
        console
            .screen_text()
            .contains("No command, View, record or member matches zzz"),
        "{}",
        console.screen_text()
    );
    assert!(console.press("Enter").context().ui.overlay.is_some());
}

#[test]
fn a_typing_error_finds_the_nearest_command_and_runs_nothing_by_itself() {
    for text in ["snoze", "snoze 3d", "SNOOOZE"] {
        let console = TestConsole::with_rows(morning_queue())
            .press(":")
            .type_text(text);
        let screen = console.screen_text();
        assert!(
            screen.contains("did you mean snooze?") && screen.contains(":snooze"),
            "{text}\n{screen}"
        );
        let console = console.press("Enter");
        assert!(console.context().ui.overlay.is_some(), "{text}");
    }
}

#[test]
fn a_filter_by_a_value_that_no_row_has_shows_the_nearest_one() {
    for (text, near) in [("filter hgih", "high"), ("filter Austn", "Austin")] {
        let console = TestConsole::with_rows(morning_queue())
            .press(":")
            .type_text(text)
            .press("Enter");
        assert!(
            console
                .notice_text()
                .ends_with(&format!("is not in the list; showing {near}")),
            "{text}: {}",
            console.notice_text()
        );
    }
}

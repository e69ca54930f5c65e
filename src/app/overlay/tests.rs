//! The keys of overlays, the prompt and the start screen: every one can be changed.

use crate::app::action::Action;
use crate::app::command::keymap::{KeyOverride, KeyOverrides};
use crate::app::command::{Command, Scope};
use crate::app::context::session;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::{Choice, ChoiceOption};
use crate::app::overlay::palette::{CommandPalette, PaletteEntry};
use crate::app::panes::{all_commands, build_keymap};
use crate::app::testing::{TestConsole, morning_queue};

fn dialog_commands() -> impl Iterator<Item = &'static Command> {
    all_commands().filter(|command| command.scope.is_dialog())
}

/// The dialog of a command, where F12 runs it instead of its usual keys.
fn rebound(command: &Command) -> TestConsole {
    let change = KeyOverride {
        id: command.id.into(),
        keys: vec!["F12".into()],
        defined_at: "config.toml:2".into(),
    };
    let mut console = TestConsole::at_scope(command.scope);
    console
        .context_mut()
        .set_keymap(build_keymap(&KeyOverrides {
            preset: None,
            overrides: vec![change],
            ..Default::default()
        }));
    console
}

/// What the keys did: the screen with the usual keys in its hints, the effects and the calls.
fn outcome(mut console: TestConsole) -> (String, usize, usize) {
    console
        .context_mut()
        .set_keymap(build_keymap(&KeyOverrides::default()));
    (console.golden(), console.effects.len(), console.calls.len())
}

#[test]
fn every_key_of_every_dialog_can_be_changed() {
    assert!(
        dialog_commands().count() > 40,
        "{}",
        dialog_commands().count()
    );
    for command in dialog_commands() {
        let before = outcome(TestConsole::at_scope(command.scope));
        for key in command.keys {
            let expected = outcome(TestConsole::at_scope(command.scope).press(key));
            assert!(
                expected != before,
                "{} on {key} does nothing: {}",
                command.id,
                before.0
            );
            let changed = outcome(rebound(command).press("F12"));
            assert!(
                changed == expected,
                "{} on F12: {}\ninstead of\n{}",
                command.id,
                changed.0,
                expected.0
            );
            assert!(
                outcome(rebound(command).press(key)) != expected,
                "{} still runs on {key}",
                command.id
            );
        }
    }
}

/// What the keys of several dialogs are in.
const SHARED: [Scope; 2] = [Scope::DialogList, Scope::FilteredList];

#[test]
fn every_list_in_a_dialog_goes_down_to_its_end_and_closes_with_the_same_keys() {
    for shared in SHARED {
        let is_list = |scope: &&Scope| scope.lookup_chain().contains(&shared) && **scope != shared;
        for scope in Scope::ALL.iter().filter(is_list) {
            let console = || TestConsole::at_scope(*scope);
            let before = outcome(console());
            let closed = console().press("Esc");
            assert_ne!(closed.context().ui.focused_scope(), *scope, "{scope:?}");
            for key in ["Down", "PgDn"] {
                let moved = console().press("Up Up Up Up").press(key);
                let start = outcome(console().press("Up Up Up Up"));
                assert!(outcome(moved) != start, "{scope:?} on {key}");
            }
            if shared == Scope::DialogList {
                let there = outcome(console().press("End"));
                assert!(there != outcome(console().press("Home")), "{scope:?}");
                assert!(outcome(console().press("q")) != before, "{scope:?}");
            }
        }
    }
}

#[test]
fn every_dialog_has_commands_and_keeps_the_keys_of_other_scopes_out() {
    let is_one = |scope: &&Scope| scope.is_dialog() && !SHARED.contains(scope);
    for scope in Scope::ALL.iter().filter(is_one) {
        let console = TestConsole::at_scope(*scope);
        assert_eq!(console.context().ui.focused_scope(), *scope);
        assert!(
            dialog_commands().any(|command| command.scope == *scope),
            "{scope:?}"
        );
        for key in ["Ctrl-z", "F1", "Ctrl-l"] {
            let console = TestConsole::at_scope(*scope).press(key);
            assert_eq!(
                outcome(console),
                outcome(TestConsole::at_scope(*scope)),
                "{scope:?} on {key}"
            );
        }
    }
}

#[test]
fn help_lists_the_keys_of_every_dialog_with_where_they_work() {
    let keymap = build_keymap(&KeyOverrides::default());
    for command in dialog_commands() {
        let mut help = CommandPalette::for_help(Scope::Queue, &keymap, Vec::new());
        help.paste(command.description).unwrap();
        let found = help
            .entries()
            .iter()
            .filter_map(PaletteEntry::command_match)
            .find(|found| found.command.common_id() == command.common_id())
            .unwrap_or_else(|| panic!("{} is not listed", command.id));
        assert!(!help.key_labels(found).is_empty(), "{}", command.id);
        assert_eq!(
            help.place_of(command),
            format!("in {}", command.scope.title())
        );
    }
    let mut console = TestConsole::with_rows(morning_queue());
    let change = KeyOverride {
        id: "picker.mark".into(),
        keys: vec!["F12".into()],
        defined_at: "config.toml:2".into(),
    };
    console
        .context_mut()
        .set_keymap(build_keymap(&KeyOverrides {
            preset: None,
            overrides: vec![change],
            ..Default::default()
        }));
    let screen = console.press("?").type_text("F12").screen_text();
    assert!(
        screen.contains("F12") && screen.contains("in Picker of several"),
        "{screen}"
    );
}

#[test]
fn the_hints_of_a_dialog_name_the_current_keys() {
    for (id, words) in [
        ("palette.run", "F12 run"),
        ("entries.close", "F12 close"),
        ("choice.accept", "F12 select"),
        ("dialog.close", "F12 cancel"),
        ("columns.apply", "F12 apply"),
        ("columns.toggle", "F12 show or hide"),
        ("columns.move.down", "F12 K move"),
        ("columns.move.up", "J F12 move"),
        ("columns.reset", "F12 reset"),
        ("filter.apply", "F12 apply"),
        ("filter.toggle", "F12 select"),
        ("filter.next", "F12 next"),
        ("filter.cancel", "F12 cancel"),
        ("picker.accept", "F12 select"),
        ("picker.mark", "F12 mark"),
        ("picker.mark", "F12 marks; "),
        ("start.open", "F12 open"),
        ("start.up", "F12 Down select"),
        ("start.quit", "F12 quit"),
        ("start.form.continue", "F12 next field"),
        ("start.form.next", "Up F12 move"),
        ("start.form.back", "F12 back"),
    ] {
        let command = dialog_commands().find(|command| command.id == id).unwrap();
        let screen = rebound(command).screen_text();
        assert!(screen.contains(words), "{id}: {screen}");
    }
}

#[test]
fn an_option_is_shown_by_its_name_however_long_the_remark_on_it_is() {
    let option = ChoiceOption {
        label: "Limestone Architecture & Planning".to_owned(),
        note: "similar name: limestonearchitectureplanningskylark.example, Chicago, IL".to_owned(),
        action: Action::Decline,
    };
    let mut console = TestConsole::with_rows(morning_queue());
    let choice = Choice::new("What is it?", "0 cr", vec![option]);
    console.context_mut().ui.overlay = Some(Overlay::Choice(choice));
    let screen = console.screen_text();
    assert!(
        screen.contains("Limestone Architecture & Planning")
            && screen.contains("similar name: limestone"),
        "{screen}"
    );
}

#[test]
fn keys_pressed_before_a_dialog_opens_are_not_continued_in_it() {
    let mut console = TestConsole::with_rows(morning_queue()).press("g");
    let cx = console.context_mut();
    session::open_theme_picker(&mut cx.ui, &cx.settings);
    let selected = console.context().settings.theme.scheme;
    assert_ne!(
        console.press("Down Enter").context().settings.theme.scheme,
        selected
    );
}

#[test]
fn a_word_typed_on_an_option_of_the_filter_selects_it_as_a_whole() {
    let types = |text: &str, keys: &str| {
        let console = TestConsole::with_rows(morning_queue())
            .press("f Tab Tab Tab")
            .type_text(text)
            .press(keys);
        let filter = console.context().queue.list_settings().filter;
        let chosen = filter.priority.iter().map(|word| word.as_str().to_owned());
        (
            chosen
                .chain(
                    filter
                        .signal_type
                        .iter()
                        .map(|word| word.as_str().to_owned()),
                )
                .collect::<Vec<_>>(),
            console,
        )
    };
    assert_eq!(types("permit issued", "Space Enter").0, ["permit_issued"]);
    assert_eq!(types("permit issued", "Enter").0, ["permit_issued"]);
    assert_eq!(types("low", "Enter").0, ["low"]);
    for text in ["a fax, please", "permit", "expired kiosk"] {
        let (chosen, console) = types(text, "Enter");
        assert!(
            chosen.is_empty() && console.context().ui.overlay.is_some(),
            "{text}: {chosen:?}"
        );
        assert!(
            console.notice_text().contains(text),
            "{text}: {}",
            console.notice_text()
        );
    }
}

#[test]
fn a_text_typed_into_a_picker_of_several_marks_nothing() {
    let picker = || TestConsole::at_scope(Scope::Subscriptions).press("B");
    let console = picker().type_text("permit issued").press("Enter");
    assert!(
        console.screen_text().contains("Priority of 1 type"),
        "{}",
        console.screen_text()
    );
    let console = picker()
        .type_text("issued")
        .press("Tab Ctrl-u")
        .type_text("filed")
        .press("Tab Enter");
    assert!(
        console.screen_text().contains("Priority of 2 types"),
        "{}",
        console.screen_text()
    );
    let console = picker().press("Space Down Space Enter");
    assert!(
        console.screen_text().contains("Priority of 2 types"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn a_note_that_goes_on_after_enter_saves_no_call() {
    let console = TestConsole::with_rows(morning_queue())
        .press("a c")
        .type_text("wants a bid")
        .press("Enter");
    let before = console.calls.len();
    let console = console.type_text("for 3 floors");
    let Some(super::Overlay::Call(form)) = &console.context().ui.overlay else {
        panic!("{}", console.notice_text())
    };
    assert_eq!(
        (form.note.text(), console.calls.len()),
        ("wants a bid for 3 floors", before)
    );
}

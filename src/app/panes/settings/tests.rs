use super::*;
use crate::app::msg::{Msg, Push};
use crate::app::testing::{TestConsole, golden, morning_queue};
use crate::app::{AppSettings, ConsoleSession};

/// Settings of every kind.
pub(in crate::app) fn sample_settings() -> Vec<SettingRow> {
    let words = |words: &[&str]| {
        words
            .iter()
            .map(|word| (*word).to_owned())
            .collect::<Vec<_>>()
    };
    let row = |(key, label): (&str, _),
               kind,
               value: &str,
               default: &str,
               source: &str,
               description: &str| SettingRow {
        key: key.to_owned(),
        label,
        description: description.to_owned(),
        kind,
        value: value.to_owned(),
        default: default.to_owned(),
        source: source.to_owned(),
        is_in_file: source.contains("config.toml:"),
        ..SettingRow::default()
    };
    let file = |line: u8| format!("/home/ana/.config/gantry/config.toml:{line}");
    let hidden = row(
        ("profiles.desk.token_command", ""),
        SettingKind::Text,
        "echo secret",
        "",
        &file(4),
        "A shell command that prints the token",
    );
    vec![
        row(
            ("profile", "service at start"),
            SettingKind::Text,
            "desk",
            "",
            &file(1),
            "The profile to use when none is named",
        ),
        SettingRow {
            is_hidden: true,
            applies_at_start: true,
            ..hidden
        },
        row(
            ("console.poll", "read counts every"),
            SettingKind::Typed("10s to 5m, or off"),
            "30s",
            "15s",
            &file(8),
            "How often to read the counts: 10s to 5m, or off; 15s by default",
        ),
        row(
            ("console.theme", "colors"),
            SettingKind::Choice(words(&["auto", "dark", "light"])),
            "auto",
            "auto",
            "default",
            "The colors; auto follows the terminal's background",
        ),
        row(
            ("console.ascii", "plain characters only"),
            SettingKind::Switch,
            "true",
            "false",
            "--ascii",
            "Draw with ASCII characters only",
        ),
        row(
            ("watch.pages", "pages in turn"),
            SettingKind::Choices(words(&["counts", "waiting", "team"])),
            "counts team",
            "counts team",
            "default",
            "The pages of the dashboard, in turn",
        ),
        row(
            ("watch.message", "line for the room"),
            SettingKind::Text,
            "",
            "",
            "",
            "A line for the room, such as Stand-up 9:15",
        ),
        row(
            ("rules", "rules for new signals"),
            SettingKind::Entries,
            "",
            "",
            "default",
            "What to propose for new signals",
        ),
    ]
}

fn settings() -> TestConsole {
    TestConsole::with_rows(morning_queue()).open_settings()
}

fn on(key: &str) -> TestConsole {
    let at = sample_settings()
        .iter()
        .position(|row| row.key == key)
        .unwrap();
    (0..at).fold(settings(), |console, _| console.press("j"))
}

fn change(key: &str, text: Option<&str>) -> Effect {
    Effect::ChangeSetting {
        key: key.to_owned(),
        text: text.map(str::to_owned),
    }
}

fn reply(
    console: TestConsole,
    key: &str,
    text: Option<&str>,
    result: Result<&str, &str>,
) -> TestConsole {
    let result = result.map(str::to_owned).map_err(str::to_owned);
    console.send(Msg::Pushed(Push::SettingChanged {
        key: key.to_owned(),
        text: text.map(str::to_owned),
        result,
    }))
}

#[test]
fn every_setting_is_listed_with_its_value_and_where_that_comes_from() {
    let console = TestConsole::with_rows(morning_queue()).press("g ,");
    assert!(console.effects.contains(&Effect::ReadSettings));
    let screen = on("console.poll").screen_text();
    for text in [
        "poll",
        "30s",
        "15s",
        "config.toml:8",
        "--ascii",
        "How often to read the counts",
        "service desk",
    ] {
        assert!(screen.contains(text), "{text}:\n{screen}");
    }
    let palette = TestConsole::with_rows(morning_queue())
        .press(":")
        .type_text("settings")
        .press("Enter");
    assert!(palette.effects.contains(&Effect::ReadSettings));
}

#[test]
fn enter_switches_picks_or_types_a_value() {
    assert!(
        on("console.ascii")
            .press("Enter")
            .effects
            .contains(&change("console.ascii", Some("false")))
    );
    let picked = on("console.theme")
        .press("Enter")
        .type_text("dark")
        .press("Enter");
    assert!(
        picked
            .effects
            .contains(&change("console.theme", Some("dark")))
    );
    let several = on("watch.pages").press("Enter Down Space Enter");
    assert!(
        several
            .effects
            .contains(&change("watch.pages", Some("counts waiting team"))),
        "{:?}",
        several.effects
    );
    let typed = on("watch.message")
        .press("Enter")
        .type_text("Stand-up 9:15")
        .press("Enter");
    assert!(
        typed
            .effects
            .contains(&change("watch.message", Some("Stand-up 9:15")))
    );
    assert!(
        on("rules")
            .press("Enter")
            .effects
            .contains(&Effect::EditConfiguration)
    );
}

#[test]
fn the_service_at_start_is_picked_from_those_that_have_settings() {
    let picker = on("profile").press("Enter");
    let screen = picker.screen_text();
    assert!(screen.contains("service at start"), "{screen}");
    let picked = picker.type_text("desk").press("Enter");
    assert!(picked.effects.contains(&change("profile", Some("desk"))));
}

#[test]
fn settings_are_named_in_words_and_a_default_that_differs_is_beside_them() {
    let screen = on("console.ascii")
        .send(Msg::Resized(200, 60))
        .screen_text();
    let line = |words: &str| {
        let line = screen.lines().find(|line| line.contains(words));
        line.unwrap_or_else(|| panic!("{words}: {screen}"))
            .to_owned()
    };
    assert!(
        line("plain characters only   ").contains(" on "),
        "{screen}"
    );
    assert!(screen.contains("default  off"), "{screen}");
    let colors = on("console.theme").screen_text();
    assert!(!colors.contains("default  auto"), "{colors}");
}

#[test]
fn a_prompt_says_what_its_setting_is_for() {
    let row = SettingRow {
        key: "profile".to_owned(),
        label: "service at start",
        description: "The service to open when none is named".to_owned(),
        ..SettingRow::default()
    };
    let console = TestConsole::with_rows(morning_queue())
        .press("g ,")
        .send(Msg::Pushed(Push::SettingsRead(Ok(vec![row]))))
        .press("Enter");
    assert_eq!(
        console.notice_text(),
        "The service to open when none is named"
    );
}

#[test]
fn a_rejected_text_stays_in_the_prompt_with_the_reason() {
    let typed = on("console.poll")
        .press("Enter Backspace Backspace Backspace")
        .type_text("1s")
        .press("Enter");
    let why = "console.poll: use off, or 10s to 5m; nothing was changed";
    let console = reply(typed, "console.poll", Some("1s"), Err(why));
    assert_eq!(
        console.notice_text(),
        "read counts every: use off, or 10s to 5m; nothing was changed"
    );
    let again = console
        .type_text("0")
        .press("Backspace Backspace Backspace")
        .type_text("20s")
        .press("Enter");
    assert!(again.effects.contains(&change("console.poll", Some("20s"))));
}

#[test]
fn the_default_returns_and_what_was_chosen_on_the_screen_goes() {
    for key in ["-", "Delete"] {
        assert!(
            on("console.poll")
                .press(key)
                .effects
                .contains(&change("console.poll", None))
        );
    }
    assert!(
        on("watch.message")
            .press("-")
            .notice_text()
            .contains("the file does not set it")
    );
    let mut settings = AppSettings::default();
    settings
        .preferences
        .insert(THEME_PREFERENCE.to_owned(), "light".to_owned());
    let console = TestConsole::with_size(morning_queue(), (120, 36), settings)
        .open_settings()
        .press("j j j");
    assert!(
        console.screen_text().contains("chosen on the screen"),
        "{}",
        console.screen_text()
    );
    let console = console.press("-");
    assert!(console.effects.contains(&Effect::SavePreference(
        THEME_PREFERENCE.to_owned(),
        String::new()
    )));
    assert!(console.effects.contains(&Effect::ReloadConfiguration));
}

#[test]
fn a_change_says_where_it_is_and_when_it_applies() {
    let console = reply(
        on("console.poll"),
        "console.poll",
        Some("20s"),
        Ok("console.poll = \"20s\" in config.toml:8"),
    );
    assert_eq!(
        console.notice_text(),
        "console.poll = \"20s\" in config.toml:8"
    );
    let console = reply(
        on("console.ascii"),
        "console.ascii",
        Some("false"),
        Ok("console.ascii = false in config.toml:9"),
    );
    assert!(
        console
            .notice_text()
            .ends_with("; --ascii overrides it until the next start without it")
    );
    let key = "profiles.desk.token_command";
    let console = reply(
        on(key),
        key,
        Some("pass"),
        Ok("profiles.desk.token_command = \"pass\" (was \"echo secret\")"),
    );
    assert_eq!(
        console.notice_text(),
        "profiles.desk.token_command was changed; it applies at the next start"
    );
}

#[test]
fn a_command_that_may_contain_a_token_is_neither_shown_nor_put_into_the_prompt() {
    let console = on("profiles.desk.token_command");
    assert!(!console.screen_text().contains("echo secret"));
    assert!(!console.press("Enter").screen_text().contains("echo secret"));
}

#[test]
fn a_search_narrows_the_settings_by_all_that_is_known_of_them() {
    let screen = settings()
        .press("/")
        .type_text("dashboard")
        .press("Enter")
        .screen_text();
    assert!(
        screen.contains("pages") && !screen.contains("--ascii"),
        "{screen}"
    );
}

#[test]
fn settings_are_changed_by_who_may_only_read() {
    let session = ConsoleSession {
        label: "wall".to_owned(),
        connected: true,
        read_only: true,
        is_dashboard_only: false,
    };
    let console =
        TestConsole::with_session(session, morning_queue(), (120, 36), AppSettings::default());
    let console = console.open_settings().press("j j j j Enter");
    assert!(
        console
            .effects
            .contains(&change("console.ascii", Some("false")))
    );
}

#[test]
fn a_configuration_that_cannot_be_read_says_why_and_is_read_again_after_a_reload() {
    let why = "/home/ana/.config/gantry/config.toml:3: key with no value, expected `=`";
    let console = TestConsole::with_rows(morning_queue())
        .press("g ,")
        .send(Msg::Pushed(Push::SettingsRead(Err(why.to_owned()))));
    assert!(console.screen_text().contains("config.toml:3"));
    let settings = Box::new(AppSettings::default());
    let console = console.send(Msg::Pushed(Push::SettingsReloaded {
        settings,
        problems: Vec::new(),
    }));
    assert_eq!(
        console
            .effects
            .iter()
            .filter(|effect| **effect == Effect::ReadSettings)
            .count(),
        2
    );
}

#[test]
fn golden_screens_of_the_settings() {
    golden!(
        "settings_200x60",
        on("console.poll").send(Msg::Resized(200, 60))
    );
    golden!("settings_120x36", on("console.ascii"));
    golden!(
        "settings_80x24",
        on("console.theme").send(Msg::Resized(80, 24))
    );
    golden!(
        "settings_60x20",
        on("watch.pages").send(Msg::Resized(60, 20))
    );
    golden!(
        "settings_open_60x20",
        on("profiles.desk.token_command")
            .send(Msg::Resized(60, 20))
            .press("l")
    );
}

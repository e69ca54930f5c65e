//! `config.toml` as a file: its text, who may change it, and what is in it.
//!
//! Never here: the settings (`settings`).

use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::DeTable;

use super::config_error::ConfigError;
use super::keywords::{Keyword as _, ThemeName};
use super::paths::{Paths, is_file_or_missing};
use super::reader::ConfigReader;
use super::setting::SettingTable as _;
use super::settings::{ConfigFile, SETTINGS};
use super::themes::ThemeSettings;
use crate::domain::fuzzy;
use crate::platform::files::has_permissions;

impl ConfigFile {
    /// The error for a profile that the file does not have.
    pub(super) fn unknown_profile(&self, name: &str, path: &Path) -> ConfigError {
        let (path, known) = (path.display(), self.list_profiles());
        ConfigError::new(format!("unknown profile {name} in {path} (known: {known})"))
    }

    /// The names of the profiles.
    pub(super) fn list_profiles(&self) -> String {
        let known: Vec<_> = self.profiles.keys().map(String::as_str).collect();
        match known.as_slice() {
            [] => "none yet; gantry login creates one".to_owned(),
            known => known.join(", "),
        }
    }
}

/// Reads the file; a missing one counts as empty.
pub(super) fn load_config_file(paths: &Paths) -> Result<ConfigFile, ConfigError> {
    paths.config_file().map_or_else(
        |_| Ok(ConfigFile::default()),
        |path| parse_config(&path, &read_text(&path)?),
    )
}

/// The text of the file; empty for a missing one.
pub(super) fn read_text(path: &Path) -> Result<String, ConfigError> {
    check_permissions(path)?;
    let bytes = match std::fs::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        read => read.map_err(|error| {
            ConfigError::new(format!("cannot read {}: {error}", path.display()))
        })?,
    };
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + valid.iter().filter(|byte| **byte == b'\n').count();
        ConfigError::new(format!(
            "{}:{line}: the file is not valid UTF-8",
            path.display()
        ))
    })
}

/// Rejects anything but a regular file, and a file that others can change: it names commands to run
/// and where tokens are sent.
pub(super) fn check_permissions(path: &Path) -> Result<(), ConfigError> {
    if !is_file_or_missing(path) {
        let what = if path.is_dir() {
            "a directory, not a file"
        } else {
            "not a regular file"
        };
        return Err(ConfigError::new(format!("{} is {what}", path.display())));
    }
    if std::fs::metadata(path).is_ok_and(|file| has_permissions(&file, 0o022)) {
        let path = path.display();
        return Err(ConfigError::new(format!(
            "others can change {path}; run: chmod go-w {path}"
        )));
    }
    Ok(())
}

pub(super) fn parse_config(path: &Path, text: &str) -> Result<ConfigFile, ConfigError> {
    let at = |span: Range<usize>| format!("{}:{}", path.display(), line_number(text, span.start));
    let reader = ConfigReader::new(&at);
    let table = DeTable::parse(text).map_err(|error| {
        let why = error.message().lines().next().unwrap_or_default();
        reader.error_at(error.span().unwrap_or_default(), why)
    })?;
    let root = reader.section_of_table(table.get_ref(), SETTINGS);
    let mut file = ConfigFile::read_section(&root);
    if let Some(name) = file
        .console
        .theme
        .take_if(|name| !is_theme(name, &file.theme))
    {
        let value = table
            .get_ref()
            .get("console")
            .and_then(|console| console.get_ref().as_table()?.get("theme"));
        let why = unknown_theme("theme", &name, &file.theme);
        let wrong = reader.error_at(value.map(Spanned::span).unwrap_or_default(), &why);
        reader.value_or_warning::<()>(Err(wrong));
    }
    file.warnings = reader.into_warnings();
    Ok(file)
}

/// Whether there is a theme of this name.
pub(super) fn is_theme(name: &str, themes: &[ThemeSettings]) -> bool {
    ThemeName::WORDS.contains(&name) || themes.iter().any(|theme| theme.name == name)
}

/// What is wrong with a name that no theme has.
pub(super) fn unknown_theme(what: &str, name: &str, themes: &[ThemeSettings]) -> String {
    let custom = themes.iter().map(|theme| theme.name.as_str());
    let known: Vec<&str> = ThemeName::WORDS.iter().copied().chain(custom).collect();
    match fuzzy::closest_match(name, known.iter().copied()) {
        Some(closest) => format!("unknown {what} \"{name}\"; did you mean {closest}?"),
        None => format!("unknown {what} \"{name}\": use {}", known.join(", ")),
    }
}

pub(super) fn line_number(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::{AdvanceSetting, DashboardPageKind, DashboardSettings, KeyOverrideSetting};
    use super::*;

    fn parse_test_config(text: &str) -> Result<ConfigFile, ConfigError> {
        parse_config(Path::new("config.toml"), text)
    }

    #[test]
    fn profiles_and_settings_are_read() {
        let file = parse_test_config(
            "profile = \"desk\"\n[profiles.desk]\nbase_url = \"https://a.example/api/v1\"\ntoken_file = \"desk.token\"\n\
             [console]\npoll = \"30s\"\nadvance = \"stay\"\nmouse = false\ntheme = \"light\"\n",
        )
        .unwrap();
        assert_eq!(file.profile.as_deref(), Some("desk"));
        assert_eq!(
            file.profiles["desk"].token_file.as_deref(),
            Some("desk.token")
        );
        assert_eq!(file.console.poll, Some(Duration::from_secs(30)));
        assert_eq!(
            (
                file.console.advance,
                file.console.mouse,
                file.console.theme.clone()
            ),
            (AdvanceSetting::Stay, false, Some("light".to_owned()))
        );
        assert!(file.warnings.is_empty());
    }

    #[test]
    fn keys_are_read_with_line_numbers_in_file_order() {
        let file = parse_test_config(
            "[keys]\npreset = \"vim\"\nqueue.done = \"d d\"\n\"list.mark\" = [\"x\", \"Space\"]\nundo = []\n\"list.mark.all\" = \"A\"\n",
        )
        .unwrap();
        assert_eq!(file.keys.preset.as_deref(), Some("vim"));
        let row = |id: &str, keys: &[&str], line: usize| KeyOverrideSetting {
            id: id.to_owned(),
            keys: keys.iter().map(|key| (*key).to_owned()).collect(),
            defined_at: format!("config.toml:{line}"),
        };
        assert_eq!(
            file.keys.overrides,
            [
                row("queue.done", &["d d"], 3),
                row("list.mark", &["x", "Space"], 4),
                row("undo", &[], 5),
                row("list.mark.all", &["A"], 6)
            ]
        );
        let notes = parse_test_config("[keys]\npreset = \"emacs\"\n")
            .unwrap()
            .warnings;
        assert_eq!(
            notes,
            ["config.toml:2: unknown value \"emacs\": use default, vim; using the default"]
        );
    }

    #[test]
    fn an_unknown_key_is_reported_with_its_line_and_the_closest_name() {
        let file =
            parse_test_config("[console]\n\nadvanse = \"next\"\n[profiles.a]\nquux = 1\n").unwrap();
        assert_eq!(
            file.warnings,
            [
                "config.toml:5: unknown key quux; known here: base_url, workspace, certificate, token_file, token_command, color, read_only",
                "config.toml:3: unknown key advanse; did you mean advance?",
            ]
        );
    }

    #[test]
    fn an_invalid_value_is_a_warning_and_the_rest_is_read() {
        for (text, expected) in [
            (
                "[console]\nadvance = \"up\"",
                "config.toml:2: unknown value \"up\": use next, stay, back",
            ),
            (
                "[console]\nmouse = 1",
                "config.toml:2: expected true or false",
            ),
            ("profiles = 1", "config.toml:1: expected a table"),
            ("profile = 1", "config.toml:1: expected a string in quotes"),
            (
                "[profiles.a]\nbase_url = 1",
                "config.toml:2: expected a string in quotes",
            ),
            ("console = []", "config.toml:1: expected a table"),
            (
                "[watch]\npages = [\"counts\", \"notes\"]",
                "config.toml:2: unknown value \"notes\": use counts, waiting, team",
            ),
            (
                "[watch]\nquiet = \"night\"",
                "config.toml:2: \"night\" are not hours; write them like 18:00-8:00",
            ),
            (
                "[watch]\non_high = \"notify-send\"",
                "config.toml:2: expected a list: a program and its arguments",
            ),
            (
                "[watch]\nhide_names = \"no\"",
                "config.toml:2: expected true or false",
            ),
            (
                "[keys]\nundo = 5",
                "config.toml:2: expected a string in quotes",
            ),
            (
                "[console]\npoll = \"often\"",
                "config.toml:2: \"often\" is not a duration",
            ),
        ] {
            let file = parse_test_config(&format!("{text}\n[budget]\nhard_day = 5\n")).unwrap();
            let [note] = file.warnings.as_slice() else {
                panic!("{text}: {:?}", file.warnings)
            };
            assert!(
                note.starts_with(expected)
                    && note.ends_with("; using the default")
                    && !note.contains('\n'),
                "{note}"
            );
            assert_eq!(file.budget.limits.hard_day, Some(5), "{text}");
        }
        let watch = parse_test_config("[watch]\npages = [\"notes\", \"team\"]\nhide_names = 1\n")
            .unwrap()
            .watch;
        assert_eq!(
            watch,
            DashboardSettings {
                pages: Some(vec![DashboardPageKind::Team]),
                hide_names: true,
                ..DashboardSettings::default()
            },
            "an invalid value hides names"
        );
    }

    #[test]
    fn a_bad_budget_stops_what_costs_credits_and_nothing_else() {
        for (text, expected) in [
            (
                "hard_day = -1",
                "config.toml:2: expected a number of credits",
            ),
            ("hard_dya = 5", "config.toml:2: unknown budget hard_dya"),
            (
                "hard_day = 9\nsoft_day = \"x\"",
                "config.toml:3: expected a number of credits",
            ),
        ] {
            let file = parse_test_config(&format!("[budget]\n{text}\n[console]\nmouse = false\n"))
                .unwrap();
            let [note] = file.warnings.as_slice() else {
                panic!("{text}: {:?}", file.warnings)
            };
            assert!(
                note.starts_with(expected) && note.ends_with("nothing that costs credits is sent"),
                "{note}"
            );
            assert_eq!(
                (file.budget.limits.hard_session, file.console.mouse),
                (Some(0), false)
            );
            assert!(file.budget.problem.is_some());
        }
    }

    #[test]
    fn a_profile_with_a_token_or_an_unreadable_certificate_cannot_be_used_and_the_others_can() {
        for (text, expected) in [
            (
                "token = \"gk_1\"",
                "config.toml:2: a token does not belong here; save it in a file",
            ),
            (
                "certificate = 1",
                "config.toml:2: expected a string in quotes",
            ),
        ] {
            let file = parse_test_config(&format!(
                "[profiles.a]\n{text}\n[profiles.b]\nbase_url = \"https://b.example\"\n"
            ))
            .unwrap();
            let [note] = file.warnings.as_slice() else {
                panic!("{text}: {:?}", file.warnings)
            };
            assert!(
                note.starts_with(expected) && note.ends_with("; the profile a cannot be used"),
                "{note}"
            );
            assert!(!note.contains("gk_1") && !note.contains('\n'));
            assert!(file.profiles["a"].problem.is_some() && file.profiles["b"].problem.is_none());
        }
        assert!(
            parse_test_config("a = \n")
                .unwrap_err()
                .message
                .starts_with("config.toml:1: ")
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_file_writable_by_others_and_a_pipe_are_rejected() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        std::fs::write(&path, "[console]\nmouse = false\n").unwrap();
        for (mode, is_read) in [(0o600, true), (0o644, true), (0o664, false), (0o646, false)] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            let read = super::read_text(&path);
            assert_eq!(read.is_ok(), is_read, "{mode:o}");
            assert!(
                is_read || read.unwrap_err().message.contains("chmod go-w"),
                "{mode:o}"
            );
        }
        let pipe = folder.path().join("pipe");
        assert!(
            std::process::Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .unwrap()
                .success()
        );
        assert!(
            super::read_text(&pipe)
                .unwrap_err()
                .message
                .ends_with("pipe is not a regular file")
        );
    }
}

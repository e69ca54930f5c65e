//! Single settings by their keys: the values in effect and where they come from.
//!
//! Never here: changing them (`setting_changes`), what a setting does.

use std::ops::Range;

use serde::Serialize;
use serde_json::{Value, json};
use toml::de::{DeTable, DeValue};

use super::file::{line_number, parse_config, read_text};
use super::reader::{ConfigReader, TomlValue};
use super::resolve::POLL_INTERVAL_RANGE;
use super::setting::{Setting, SettingType};
use super::setting_keys::{Entries, Step, find_setting, list_keys};
use super::setting_kinds::{Interval, SettingKind, parse_toml_value};
use super::settings::SETTINGS;
use super::{CliOptions, ConfigError, EnvLookup, Paths, duration, is_accessible};

/// A setting in effect.
#[derive(Clone, Debug, Serialize)]
pub struct SettingValue {
    pub key: String,
    /// `null` if nothing sets it and it has no default.
    pub value: Value,
    /// An option, an environment variable, a file and its line, or `default`.
    pub source: Option<String>,
    /// `null` if it has none.
    pub default: Value,
    /// One sentence without a period.
    pub description: &'static str,
    #[serde(skip)]
    pub setting: Setting,
    /// Why the value in the file is not used.
    #[serde(skip)]
    pub problem: Option<String>,
}

/// Returns the setting with this key, or all that begin with it; without a key all. Entries of
/// lists and of named tables are those of the file.
///
/// # Errors
/// An unknown key, or a configuration file that cannot be read.
pub fn read_settings(
    paths: &Paths,
    key: Option<&str>,
    options: &CliOptions,
    env: EnvLookup<'_>,
) -> Result<Vec<SettingValue>, ConfigError> {
    // Without a folder for it, the file counts as empty.
    let path = paths.config_file().unwrap_or_default();
    let text = if path.as_os_str().is_empty() {
        String::new()
    } else {
        read_text(&path)?
    };
    parse_config(&path, &text)?;
    let root = DeTable::parse(&text)
        .map_err(|error| ConfigError::new(error.message()))?
        .into_inner();
    let keys = match key.map(find_setting).transpose()? {
        Some((_, Some(setting))) => vec![(key.unwrap_or_default().to_owned(), setting)],
        _ => {
            let prefix = key.map(|key| format!("{key}.")).unwrap_or_default();
            let mut keys = Vec::new();
            list_keys(SETTINGS, Entries::Of(&root), "", &mut keys);
            keys.retain(|(name, _)| name.starts_with(&prefix) || Some(name.as_str()) == key);
            keys
        }
    };
    let profiles = super::load_profiles(paths)?;
    let locate = |at: Range<usize>| format!("{}:{}", path.display(), line_number(&text, at.start));
    let reader = ConfigReader::new(&locate);
    let read = |(key, setting): (String, Setting)| {
        let default = toml_value(setting.default);
        let row = |value: Value, source: Option<String>, problem: Option<String>| SettingValue {
            key: key.clone(),
            value,
            source,
            default: default.clone(),
            description: setting.description,
            setting,
            problem,
        };
        if let Some((value, source)) = override_of(&key, options, env) {
            return row(value, Some(source.to_owned()), None);
        }
        let steps = find_setting(&key)
            .map(|(steps, _)| steps_as_written(&root, steps))
            .unwrap_or_default();
        let found = find_value(&root, &steps);
        let problem = match found.map(|found| (found, (setting.check)(&reader, found))) {
            Some((found, Ok(()))) => {
                let value = clamp_interval(&setting.value, to_json(found.get_ref()));
                return row(value, Some(locate(found.span())), None);
            }
            Some((_, Err(wrong))) => Some(wrong.message),
            None => None,
        };
        if let Some(variable) = super::non_utf8_locale(env).filter(|_| key == "console.ascii") {
            return row(json!(true), Some(variable.to_owned()), problem);
        }
        let value = match setting.value {
            _ if key == "profile" => profiles
                .iter()
                .find(|profile| profile.default)
                .map_or(Value::Null, |profile| json!(profile.name)),
            SettingType::Protection if problem.is_some() => json!(true),
            _ => default.clone(),
        };
        let source = (!value.is_null()).then(|| "default".to_owned());
        row(value, source, problem)
    };
    Ok(keys.into_iter().map(read).collect())
}

pub(super) fn find_value<'a, 'i>(
    root: &'a DeTable<'i>,
    steps: &[Step],
) -> Option<&'a TomlValue<'i>> {
    let (first, rest) = steps.split_first()?;
    let Step::Name(name) = first else { return None };
    let found = root.get(name.as_str())?;
    match rest {
        [] => Some(found),
        [Step::Entry(number), rest @ ..] => {
            let entry = found.get_ref().as_array()?.get(number - 1)?;
            if rest.is_empty() {
                Some(entry)
            } else {
                find_value(entry.get_ref().as_table()?, rest)
            }
        }
        _ => find_value(found.get_ref().as_table()?, rest),
    }
}

/// `keys.queue.done` is in the file a table in a table, or a name in quotes, which is used for a
/// new one.
pub(super) fn steps_as_written(root: &DeTable<'_>, steps: Vec<Step>) -> Vec<Step> {
    let names = steps.iter().flat_map(|step| match step {
        Step::Name(name) => name
            .split('.')
            .map(|name| Step::Name(name.to_owned()))
            .collect(),
        Step::Entry(number) => vec![Step::Entry(*number)],
    });
    let nested: Vec<Step> = names.collect();
    let is_value =
        |steps: &[Step]| find_value(root, steps).is_some_and(|found| !found.get_ref().is_table());
    if !is_value(&steps) && is_value(&nested) {
        nested
    } else {
        steps
    }
}

pub(super) fn to_json(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => json!(text),
        DeValue::Integer(number) => {
            json!(i64::from_str_radix(number.as_str(), number.radix()).ok())
        }
        DeValue::Boolean(flag) => json!(flag),
        DeValue::Array(list) => list.iter().map(|value| to_json(value.get_ref())).collect(),
        DeValue::Table(table) => Value::Object(
            table
                .iter()
                .map(|(name, value)| (name.get_ref().to_string(), to_json(value.get_ref())))
                .collect(),
        ),
        DeValue::Float(number) => json!(number.as_str()),
        DeValue::Datetime(time) => json!(time.to_string()),
    }
}

/// A value as TOML; `null` for an empty text.
pub fn toml_value(text: &str) -> Value {
    parse_toml_value(text, |value| to_json(value.get_ref())).unwrap_or_default()
}

/// An interval within its limits; other values as they are.
pub(super) fn clamp_interval(kind: &SettingType, value: Value) -> Value {
    let every = value
        .as_str()
        .filter(|_| is_interval(kind))
        .and_then(|text| duration::parse(text).ok());
    match every {
        Some(every) if !every.is_zero() && !POLL_INTERVAL_RANGE.contains(&every) => {
            json!(format!(
                "{}s",
                every
                    .clamp(*POLL_INTERVAL_RANGE.start(), *POLL_INTERVAL_RANGE.end())
                    .as_secs()
            ))
        }
        _ => value,
    }
}

fn is_interval(kind: &SettingType) -> bool {
    matches!((kind, Interval::TYPE), (SettingType::Formatted(kind), SettingType::Formatted(interval)) if *kind == interval)
}

/// What an option or a variable sets instead of the file.
fn override_of(
    key: &str,
    options: &CliOptions,
    env: EnvLookup<'_>,
) -> Option<(Value, &'static str)> {
    let option = |value: &Option<String>, name| value.as_ref().map(|value| (json!(value), name));
    match key {
        "profile" => option(&options.profile, "--profile")
            .or(option(&env("GANTRY_PROFILE"), "GANTRY_PROFILE")),
        "console.theme" => {
            option(&options.theme, "--theme").or(option(&env("GANTRY_THEME"), "GANTRY_THEME"))
        }
        "console.poll" => {
            let text = |every: std::time::Duration| {
                if every.is_zero() {
                    "off".to_owned()
                } else {
                    format!("{}s", every.as_secs())
                }
            };
            options.poll.map(|every| {
                (
                    clamp_interval(&Interval::TYPE, json!(text(every))),
                    "--poll",
                )
            })
        }
        "console.ascii" if options.ascii => Some((json!(true), "--ascii")),
        "console.ascii" if is_accessible(env) => Some((json!(true), "GANTRY_ACCESSIBLE")),
        "console.mouse" if options.no_mouse => Some((json!(false), "--no-mouse")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::ConsoleTexts;
    use super::super::setting_changes::{SettingChange, set_setting, unset_setting};
    use super::super::setting_keys::list_key_patterns;
    use super::super::template::write_template;
    use super::super::testing::home_with;
    use super::*;

    fn set(paths: &Paths, key: &str, values: &[&str]) -> Result<SettingChange, String> {
        let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        set_setting(paths, key, &values, &|_| Vec::new()).map_err(|error| error.message)
    }

    fn get(paths: &Paths, key: &str) -> SettingValue {
        read_settings(paths, Some(key), &CliOptions::default(), &|_| None)
            .unwrap()
            .remove(0)
    }

    fn read(paths: &Paths) -> String {
        std::fs::read_to_string(paths.config_file().unwrap()).unwrap()
    }

    const COMMENTED: &str = "# head\nprofile = \"desk\" # mine\n\n# services\n[profiles.desk] # the desk\n\
        base_url = \"https://a.example/api/v1\"   # address\n\n# how it looks\n[console]\n  poll   = \"20s\"  # slow\n# end of console\n\n\
        [[rules]] # one\nname = \"small\"\n# tail\n";

    #[test]
    fn every_setting_is_found_and_changed_and_no_comment_is_lost() {
        for before in [COMMENTED.to_owned(), write_template()] {
            for key in list_key_patterns() {
                let (_home, paths) = home_with(&before);
                let key = key.replace("NAME", "desk");
                if before != COMMENTED && key.starts_with("profile") {
                    set(
                        &paths,
                        "profiles.desk.base_url",
                        &["https://a.example/api/v1"],
                    )
                    .unwrap();
                }
                let (entry, name) = key.rsplit_once('.').unwrap_or(("", &key));
                let (_, setting) = find_setting(&key).unwrap();
                let setting = setting.unwrap();
                if entry.ends_with(".1") && name != "name" {
                    // An entry is read only if it has a name.
                    let _ = set(&paths, &format!("{entry}.name"), &["small"]);
                }
                let words = match setting.value {
                    SettingType::Text => vec!["desk".to_owned()],
                    _ => match toml_value(&setting.example()) {
                        Value::Array(words) => words
                            .iter()
                            .map(|word| word.as_str().unwrap().to_owned())
                            .collect(),
                        Value::String(word) => vec![word],
                        other => vec![other.to_string()],
                    },
                };
                let change = set(
                    &paths,
                    &key,
                    &words.iter().map(String::as_str).collect::<Vec<_>>(),
                )
                .unwrap_or_else(|why| panic!("{why}"));
                let now = get(&paths, &key);
                assert_eq!(
                    (now.value, now.source),
                    (change.value, Some(change.source)),
                    "{key}"
                );
                let after = read(&paths);
                let mut rest = after.as_str();
                for comment in before
                    .split_inclusive('\n')
                    .filter_map(|line| Some(line[line.find('#')?..].trim_end()))
                {
                    // The header of a section in the new file becomes a section.
                    let comment = if comment == format!("#[{entry}]") {
                        &comment[1..]
                    } else {
                        comment
                    };
                    let at = rest
                        .find(comment)
                        .unwrap_or_else(|| panic!("{key}: {comment} is lost or moved:\n{after}"));
                    rest = &rest[at + comment.len()..];
                }
            }
        }
    }

    #[test]
    fn a_change_leaves_the_rest_of_the_file_as_it_is_and_says_where() {
        let (_home, paths) = home_with(COMMENTED);
        let change = set(&paths, "console.poll", &["30s"]).unwrap();
        assert_eq!((change.before, change.value), (json!("20s"), json!("30s")));
        assert!(
            change.source.ends_with("config.toml:10"),
            "{}",
            change.source
        );
        assert_eq!(read(&paths), COMMENTED.replace("\"20s\"", "\"30s\""));
        set(&paths, "rules.2.name", &["large"]).unwrap();
        set(&paths, "keys.queue.done", &["d d", "F5"]).unwrap();
        set(&paths, "keys.queue.done", &["x"]).unwrap();
        let text = read(&paths);
        assert!(
            text.contains("[[rules]]\nname = \"large\"\n")
                && text.contains("[keys]\n\"queue.done\" = \"x\"\n"),
            "{text}"
        );
        let (_home, paths) = home_with("[keys]\nqueue.done = \"x\"\n");
        set(&paths, "keys.queue.done", &["[]"]).unwrap();
        assert_eq!(read(&paths), "[keys]\nqueue.done = []\n");
    }

    fn unset(paths: &Paths, key: &str) -> Result<String, String> {
        unset_setting(paths, key, &|_| Vec::new())
            .map(|change| change.to_sentence())
            .map_err(|error| error.message)
    }

    #[test]
    fn a_removed_setting_returns_to_its_default_and_no_comment_is_lost() {
        let (_home, paths) = home_with(COMMENTED);
        assert_eq!(
            unset(&paths, "console.poll").unwrap(),
            "console.poll = \"15s\", the default (was \"20s\")"
        );
        assert_eq!(
            read(&paths),
            COMMENTED.replace("  poll   = \"20s\"  # slow\n", "")
        );
        assert_eq!(
            unset(&paths, "console.poll").unwrap(),
            "console.poll is not set in the file"
        );
        assert_eq!(
            get(&paths, "console.poll").source.as_deref(),
            Some("default")
        );
        unset(&paths, "rules.1").unwrap();
        assert_eq!(
            read(&paths).matches('#').count(),
            COMMENTED.matches('#').count() - 2,
            "{}",
            read(&paths)
        );
        assert_eq!(get(&paths, "rules").value, json!([]));
        let lists = "[call]\noutcomes = [{ label = \"a\", done = false }, { label = \"b\" }]\n[keys]\nqueue.done = \"x\"\n\
            list.mark.all = \"y\"\nconsole.x = 1\n";
        let (_home, paths) = home_with(lists);
        unset(&paths, "call.outcomes.1.done").unwrap();
        unset(&paths, "call.outcomes.2").unwrap();
        unset(&paths, "keys.queue.done").unwrap();
        let left =
            "[call]\noutcomes = [{ label = \"a\"}]\n[keys]\nlist.mark.all = \"y\"\nconsole.x = 1\n";
        assert_eq!(read(&paths), left);
        for (key, why) in [
            ("console", "console is not a single setting"),
            ("console.advanse", "did you mean console.advance?"),
            ("rules", "rules is not a single setting"),
        ] {
            let message = unset(&paths, key).unwrap_err();
            assert!(
                message.contains(why) && !message.contains('\n'),
                "{message}"
            );
        }
        assert_eq!(read(&paths), left);
    }

    #[test]
    fn every_key_has_a_sentence_and_is_found() {
        let (_home, paths) = home_with("");
        let all = read_settings(&paths, None, &CliOptions::default(), &|_| None).unwrap();
        for key in list_key_patterns() {
            let group = key
                .split(".1.")
                .next()
                .unwrap()
                .split(".NAME")
                .next()
                .unwrap();
            let row = all
                .iter()
                .find(|row| row.key == group)
                .unwrap_or_else(|| panic!("{key} is not listed"));
            assert!(
                !row.description.is_empty() && !row.description.ends_with('.'),
                "{key}"
            );
            let found = get(&paths, &key.replace("NAME", "desk"));
            assert!(!found.description.is_empty(), "{key}");
        }
        assert_eq!(get(&paths, "watch.pages").value, json!(["counts", "team"]));
        assert_eq!(
            get(&paths, "call.outcomes").value[1],
            json!({ "label": "voicemail", "snooze": "2d" })
        );
    }

    #[test]
    fn what_cannot_be_set_is_rejected_with_a_reason_and_nothing_is_written() {
        let commented_list = "[watch]\npages = [ # in turn\n\"counts\"]\n";
        let (_home, paths) = home_with(&format!("{COMMENTED}{commented_list}"));
        for (key, values, why) in [
            (
                "console.advanse",
                vec!["next"],
                "did you mean console.advance?",
            ),
            ("poll", vec!["20s"], "did you mean console.poll?"),
            (
                "profiles.desk.colour",
                vec!["red"],
                "did you mean profiles.desk.color?",
            ),
            (
                "console",
                vec!["x"],
                "console is not a single setting; use console.poll, ",
            ),
            (
                "console.poll.x",
                vec!["x"],
                "console.poll has no settings below it",
            ),
            (
                "rules.small.then",
                vec!["done"],
                "the entries have numbers: rules.1",
            ),
            (
                "rules.3.then",
                vec!["done"],
                "rules has 1; rules.2 adds one",
            ),
            ("rules.2.then", vec!["done"], "the tab needs a name"),
            (
                "console.advance",
                vec!["up"],
                "unknown value \"up\": use next, stay, back",
            ),
            ("console.mouse", vec!["off"], "expected true or false"),
            ("console.poll", vec!["1s"], "use off, or 10s to 5m"),
            (
                "budget.hard_day",
                vec!["-1"],
                "expected a number of credits",
            ),
            ("watch.quiet", vec!["night"], "\"night\" are not hours"),
            (
                "watch.message",
                vec!["two", "words"],
                "expected a single value",
            ),
            (
                "watch.pages",
                vec!["waiting"],
                "the list has comments inside",
            ),
            (
                "profiles.depot.color",
                vec!["red"],
                "there is no service depot (known: desk)",
            ),
            (
                "profile",
                vec!["nosuch"],
                "profile: there is no service nosuch (known: desk)",
            ),
        ] {
            let message = set(&paths, key, &values).unwrap_err();
            assert!(
                message.contains(why) && !message.contains('\n'),
                "{key}: {message}"
            );
        }
        let found = |_: ConsoleTexts| {
            vec![format!(
                "{}:4: both are bound to d",
                paths.config_file().unwrap().display()
            )]
        };
        let error = |texts: ConsoleTexts| {
            if texts.keys.overrides.is_empty() {
                Vec::new()
            } else {
                found(texts)
            }
        };
        let rejected =
            set_setting(&paths, "keys.queue.done", &["d".to_owned()], &error).unwrap_err();
        assert_eq!(
            rejected.message,
            "keys.queue.done: both are bound to d; nothing was changed"
        );
        assert_eq!(read(&paths), format!("{COMMENTED}{commented_list}"));
    }

    #[test]
    fn the_value_in_effect_has_a_source() {
        let (_home, paths) = home_with(
            "[console]\npoll = \"1s\"\ntheme = \"light\"\nmouse = 1\n[watch]\nhide_names = 1\n[profiles.a]\n",
        );
        let env = |name: &str| (name == "GANTRY_THEME").then(|| "dark".to_owned());
        let options = CliOptions {
            ascii: true,
            ..CliOptions::default()
        };
        let all = read_settings(&paths, None, &options, &env).unwrap();
        let of = |key: &str| {
            let row = all.iter().find(|row| row.key == key).unwrap();
            let source = row
                .source
                .as_deref()
                .map(|source| source.rsplit('/').next().unwrap());
            (row.value.clone(), source, row.problem.is_some())
        };
        assert_eq!(
            of("console.theme"),
            (json!("dark"), Some("GANTRY_THEME"), false)
        );
        assert_eq!(of("console.ascii"), (json!(true), Some("--ascii"), false));
        assert_eq!(
            of("console.poll"),
            (json!("10s"), Some("config.toml:2"), false)
        );
        assert_eq!(of("console.mouse"), (json!(true), Some("default"), true));
        assert_eq!(of("watch.hide_names"), (json!(true), Some("default"), true));
        assert_eq!(of("watch.message"), (Value::Null, None, false));
        assert_eq!(of("profile"), (json!("a"), Some("default"), false));
        assert_eq!(get(&paths, "console.theme").value, "light");
        let locale = |name: &str| (name == "LANG").then(|| "C".to_owned());
        let ascii = read_settings(
            &paths,
            Some("console.ascii"),
            &CliOptions::default(),
            &locale,
        )
        .unwrap()
        .remove(0);
        assert_eq!(
            (ascii.value, ascii.source.as_deref(), ascii.default),
            (json!(true), Some("LANG"), json!(false))
        );
        let group = read_settings(&paths, Some("profiles.a"), &options, &env).unwrap();
        assert!(
            group.iter().all(|row| row.key.starts_with("profiles.a.")) && group.len() == 7,
            "{group:?}"
        );
    }

    #[test]
    fn the_new_file_has_every_setting_and_is_valid_with_and_without_its_comments() {
        let template = write_template();
        let path = Path::new("config.toml");
        assert_eq!(
            super::super::validate_config(path, &template),
            Ok(Vec::new())
        );
        assert!(
            template
                .lines()
                .all(|line| line.is_empty() || line.starts_with('#'))
        );
        let all: String = template
            .lines()
            .filter_map(|line| line.strip_prefix('#'))
            .filter(|line| !line.starts_with(' '))
            .map(|line| format!("{line}\n"))
            .collect();
        assert_eq!(
            super::super::validate_config(path, &all),
            Ok(Vec::new()),
            "{all}"
        );
        let root = DeTable::parse(&all).unwrap().into_inner();
        for key in list_key_patterns() {
            let (steps, _) = find_setting(&key).unwrap();
            assert!(
                find_value(&root, &steps).is_some(),
                "{key} is not in the new file"
            );
        }
    }
}

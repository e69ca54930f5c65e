//! Single settings by their keys: the value in effect, and changing it in `config.toml`, whose comments and order stay.
//!
//! Never here: what a setting does.

use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toml_edit::{DocumentMut, InlineTable, Item, Table, TableLike};

use super::edit::{create_private_dir, read_for_edit, write_atomically};
use super::file::{line_number, parse_config};
use super::resolve::POLL_INTERVAL_RANGE;
use super::schema::{SETTINGS, Setting, SettingType};
use super::setting_keys::{Entries, Step, find_setting, list_key_patterns, list_keys};
use super::{CliOptions, ConfigError, ConsoleTexts, EnvLookup, Paths, day_span, duration, is_accessible};

/// A setting in effect.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SettingValue {
    pub key: String,
    /// `null` if nothing sets it and it has no default.
    pub value: Value,
    /// An option, an environment variable, a file and its line, or `default`.
    pub source: Option<String>,
    /// Why the value in the file is not used.
    #[serde(skip)]
    pub problem: Option<String>,
}

/// A setting that was changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SettingChange {
    pub key: String,
    pub value: Value,
    /// The value that the file had.
    pub before: Value,
    /// File and line.
    pub source: String,
}

/// Returns the setting with this key, or all that begin with it; without a key all. Entries of lists and of named tables are those
/// of the file.
///
/// # Errors
/// An unknown key, or a configuration file that cannot be read.
pub fn read_settings(
    paths: &Paths,
    key: Option<&str>,
    options: &CliOptions,
    env: EnvLookup<'_>,
) -> Result<Vec<SettingValue>, ConfigError> {
    let path = paths.config_file();
    let text = read_for_edit(&path)?;
    parse_config(&path, &text)?;
    let root = DeTable::parse(&text).map_err(|error| ConfigError::new(error.message()))?.into_inner();
    let keys = match key.map(find_setting).transpose()? {
        Some((_, Some(setting))) => vec![(key.unwrap_or_default().to_owned(), setting)],
        _ => {
            let prefix = key.map(|key| format!("{key}.")).unwrap_or_default();
            let mut keys = Vec::new();
            list_keys(SETTINGS, Entries::Of(&root), "", &mut keys);
            keys.retain(|(name, _)| name.starts_with(&prefix));
            keys
        }
    };
    let profiles = super::load_profiles(paths)?;
    let read = |(key, setting): (String, Setting)| {
        if let Some((value, source)) = override_of(&key, options, env) {
            return SettingValue { key, value, source: Some(source.to_owned()), problem: None };
        }
        let steps = find_setting(&key).map(|(steps, _)| steps_as_written(&root, steps)).unwrap_or_default();
        let found = find_value(&root, &steps).map(|found| {
            let source = format!("{}:{}", path.display(), line_number(&text, found.span().start));
            (clamp_interval(&setting.value, to_json(found.get_ref())), source)
        });
        let checked = found.map(|(value, source)| match check_value(&setting.value, &value) {
            Ok(()) => Ok((value, source)),
            Err(why) => Err(format!("{source}: {why}")),
        });
        let problem = match checked {
            Some(Ok((value, source))) => return SettingValue { key, value, source: Some(source), problem: None },
            Some(Err(problem)) => Some(problem),
            None => None,
        };
        let value = match setting.name {
            "profile" => profiles.iter().find(|profile| profile.default).map_or(Value::Null, |profile| json!(profile.name)),
            // A mistake in these must not show names or allow writes: the reader takes them as true.
            "hide_names" | "read_only" if problem.is_some() => json!(true),
            _ => toml_value(setting.default),
        };
        let source = (!value.is_null()).then(|| "default".to_owned());
        SettingValue { key, value, source, problem }
    };
    Ok(keys.into_iter().map(read).collect())
}

/// Changes a setting in `config.toml`; a list takes several values, or one that is a list in TOML.
///
/// `find_problems` reports what the console finds wrong in its settings. A change that adds a problem is rejected.
///
/// # Errors
/// An unknown key, a value of another type, a file that cannot be changed: nothing is changed then.
pub fn set_setting(
    paths: &Paths,
    key: &str,
    values: &[String],
    find_problems: &dyn Fn(ConsoleTexts) -> Vec<String>,
) -> Result<SettingChange, ConfigError> {
    let (steps, Some(setting)) = find_setting(key)? else {
        let inner = list_key_patterns().into_iter().filter(|name| name.starts_with(&format!("{key}."))).collect::<Vec<_>>();
        let use_inner = if inner.is_empty() { String::new() } else { format!("; use {}", inner.join(", ")) };
        return Err(ConfigError::new(format!("{key} is not a single setting{use_inner}")));
    };
    let rejected = |why: &str| ConfigError::new(format!("{key}: {why}; nothing was changed"));
    let value = parse_value(&setting.value, values).map_err(|why| rejected(&why))?;
    let json = toml_value(&value.to_string());
    check_value(&setting.value, &json).map_err(|why| rejected(&why))?;
    if clamp_interval(&setting.value, json.clone()) != json {
        return Err(rejected("use off, or 10s to 5m"));
    }
    let path = paths.config_file();
    let text = read_for_edit(&path)?;
    let earlier = parse_config(&path, &text);
    if let [Step::Name(table), Step::Name(profile), Step::Name(name)] = steps.as_slice()
        && table == "profiles"
        && name != "base_url"
        && earlier.as_ref().is_ok_and(|file| !file.profiles.contains_key(profile))
    {
        return Err(rejected(&format!("there is no profile {profile}; gantry login creates one")));
    }
    let root = DeTable::parse(&text).map(Spanned::into_inner).unwrap_or_default();
    let steps = steps_as_written(&root, steps);
    let before = find_value(&root, &steps).map_or(Value::Null, |found| to_json(found.get_ref()));
    let Ok(mut document) = uncomment_section(&text, &steps).parse::<DocumentMut>() else {
        return Err(earlier.err().unwrap_or_else(|| rejected("the file is not TOML")));
    };
    put_value(document.as_table_mut(), &steps, value).map_err(|why| rejected(&why))?;
    let changed = document.to_string();
    let file = parse_config(&path, &changed)?;
    let problems = |file: &super::file::ConfigFile| {
        let all = file.warnings.iter().cloned().chain(find_problems(file.texts.clone()));
        all.map(|problem| without_location(&path, &problem)).collect::<Vec<_>>()
    };
    let known = earlier.as_ref().map(problems).unwrap_or_default();
    let added = problems(&file).into_iter().find(|problem| earlier.is_ok() && !known.contains(problem));
    if let Some(problem) = added {
        return Err(rejected(&problem));
    }
    create_private_dir(&paths.config)?;
    if changed != text {
        write_atomically(&path, &changed)?;
    }
    let root = DeTable::parse(&changed).map(Spanned::into_inner).unwrap_or_default();
    let at = find_value(&root, &steps).map_or(0, |found| found.span().start);
    let source = format!("{}:{}", path.display(), line_number(&changed, at));
    Ok(SettingChange { key: key.to_owned(), value: json, before, source })
}

fn find_value<'a, 'i>(root: &'a DeTable<'i>, steps: &[Step]) -> Option<&'a Spanned<DeValue<'i>>> {
    let (first, rest) = steps.split_first()?;
    let Step::Name(name) = first else { return None };
    let found = root.get(name.as_str())?;
    match rest {
        [] => Some(found),
        [Step::Entry(number), rest @ ..] => {
            let entry = found.get_ref().as_array()?.get(number - 1)?;
            if rest.is_empty() { Some(entry) } else { find_value(entry.get_ref().as_table()?, rest) }
        }
        _ => find_value(found.get_ref().as_table()?, rest),
    }
}

/// `keys.queue.done` is in the file a table in a table, or a name in quotes, which is used for a new one.
fn steps_as_written(root: &DeTable<'_>, steps: Vec<Step>) -> Vec<Step> {
    let names = steps.iter().flat_map(|step| match step {
        Step::Name(name) => name.split('.').map(|name| Step::Name(name.to_owned())).collect(),
        Step::Entry(number) => vec![Step::Entry(*number)],
    });
    let nested: Vec<Step> = names.collect();
    let is_value = |steps: &[Step]| find_value(root, steps).is_some_and(|found| !found.get_ref().is_table());
    if !is_value(&steps) && is_value(&nested) { nested } else { steps }
}

fn to_json(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => json!(text),
        DeValue::Integer(number) => json!(i64::from_str_radix(number.as_str(), number.radix()).ok()),
        DeValue::Boolean(flag) => json!(flag),
        DeValue::Array(list) => list.iter().map(|value| to_json(value.get_ref())).collect(),
        DeValue::Table(table) => {
            Value::Object(table.iter().map(|(name, value)| (name.get_ref().to_string(), to_json(value.get_ref()))).collect())
        }
        DeValue::Float(number) => json!(number.as_str()),
        DeValue::Datetime(time) => json!(time.to_string()),
    }
}

/// A value as TOML; `null` for an empty text.
fn toml_value(text: &str) -> Value {
    let line = format!("x = {text}");
    let parsed = DeTable::parse(&line).map(Spanned::into_inner).unwrap_or_default();
    parsed.get("x").map_or(Value::Null, |value| to_json(value.get_ref()))
}

/// The value that the words of a command line mean. Its type is checked later.
fn parse_value(kind: &SettingType, words: &[String]) -> Result<toml_edit::Value, String> {
    let is_list = matches!(kind, SettingType::KeywordList(_) | SettingType::TextList | SettingType::TextOrList);
    Ok(match words {
        [word] if is_list && word.starts_with('[') => {
            word.parse().map_err(|_| format!("{word} is not a list; write it like [\"a\", \"b\"]"))?
        }
        [word] if !matches!(kind, SettingType::KeywordList(_) | SettingType::TextList) => match kind {
            SettingType::Bool => word.parse::<bool>().map_or_else(|_| word.into(), toml_edit::Value::from),
            SettingType::Credits => word.parse::<i64>().map_or_else(|_| word.into(), toml_edit::Value::from),
            _ => word.into(),
        },
        _ if is_list => words.iter().collect::<toml_edit::Array>().into(),
        _ => return Err("expected a single value".to_owned()),
    })
}

/// Checks a value against the type of its setting.
fn check_value(kind: &SettingType, value: &Value) -> Result<(), String> {
    let text = || value.as_str().ok_or_else(|| "expected a text".to_owned());
    let list = |of: &SettingType| {
        let list = value.as_array().ok_or_else(|| "expected a list".to_owned())?;
        list.iter().try_for_each(|value| check_value(of, value))
    };
    match kind {
        SettingType::Bool => value.as_bool().map(drop).ok_or_else(|| "expected true or false".to_owned()),
        SettingType::Credits => value.as_u64().map(drop).ok_or_else(|| "expected a number of credits".to_owned()),
        SettingType::Interval => duration::parse_interval(text()?).map(drop),
        SettingType::Hours => day_span::parse(text()?).map(drop),
        SettingType::Keyword(words) => {
            let word = text()?;
            let unknown = || format!("unknown value \"{word}\": use {}", words.join(", "));
            if words.contains(&word) { Ok(()) } else { Err(unknown()) }
        }
        SettingType::KeywordList(words) => list(&SettingType::Keyword(words)),
        SettingType::TextList => list(&SettingType::Text),
        SettingType::TextOrList if value.is_array() => list(&SettingType::Text),
        _ => text().map(drop),
    }
}

/// An interval within its limits; other values as they are.
fn clamp_interval(kind: &SettingType, value: Value) -> Value {
    let every = value.as_str().filter(|_| matches!(kind, SettingType::Interval)).and_then(|text| duration::parse(text).ok());
    match every {
        Some(every) if !every.is_zero() && !POLL_INTERVAL_RANGE.contains(&every) => {
            json!(format!("{}s", every.clamp(*POLL_INTERVAL_RANGE.start(), *POLL_INTERVAL_RANGE.end()).as_secs()))
        }
        _ => value,
    }
}

/// What an option or a variable sets instead of the file.
fn override_of(key: &str, options: &CliOptions, env: EnvLookup<'_>) -> Option<(Value, &'static str)> {
    let option = |value: &Option<String>, name| value.as_ref().map(|value| (json!(value), name));
    match key {
        "profile" => option(&options.profile, "--profile").or(option(&env("GANTRY_PROFILE"), "GANTRY_PROFILE")),
        "console.theme" => option(&options.theme, "--theme").or(option(&env("GANTRY_THEME"), "GANTRY_THEME")),
        "console.poll" => {
            let text =
                |every: std::time::Duration| if every.is_zero() { "off".to_owned() } else { format!("{}s", every.as_secs()) };
            options.poll.map(|every| (clamp_interval(&SettingType::Interval, json!(text(every))), "--poll"))
        }
        "console.ascii" if options.ascii => Some((json!(true), "--ascii")),
        "console.ascii" if is_accessible(env) => Some((json!(true), "GANTRY_ACCESSIBLE")),
        "console.mouse" if options.no_mouse => Some((json!(false), "--no-mouse")),
        _ => None,
    }
}

/// Makes the section of a setting real where the file has it as a comment, as the file that `write_template` begins with.
fn uncomment_section(text: &str, steps: &[Step]) -> String {
    let [Step::Name(table), Step::Name(_)] = steps else { return text.to_owned() };
    let header = format!("#[{table}]");
    let has_table = DeTable::parse(text).is_ok_and(|root| root.get_ref().contains_key(table.as_str()));
    let mut is_found = has_table;
    let lines = text.split_inclusive('\n').map(|line| {
        let is_header = !is_found && line.trim_end() == header;
        is_found |= is_header;
        if is_header { &line[1..] } else { line }
    });
    lines.collect()
}

/// Puts a value into the table; tables on the way are created.
fn put_value(table: &mut dyn TableLike, steps: &[Step], value: toml_edit::Value) -> Result<(), String> {
    let Some((Step::Name(name), rest)) = steps.split_first() else { return Err("not a setting".to_owned()) };
    match rest {
        [] => {
            let old = table.get_mut(name).and_then(Item::as_value_mut);
            let Some(old) = old else {
                table.insert(name, Item::Value(value));
                return Ok(());
            };
            if old.as_array().is_some_and(has_comment) {
                return Err("the list has comments inside; change it with gantry config edit".to_owned());
            }
            let around = old.decor().clone();
            *old = value;
            *old.decor_mut() = around;
            Ok(())
        }
        [Step::Entry(number), rest @ ..] => {
            let list = table.entry(name).or_insert_with(|| Item::ArrayOfTables(toml_edit::ArrayOfTables::new()));
            let length =
                list.as_array_of_tables().map_or_else(|| list.as_array().map_or(0, |list| list.len()), |list| list.len());
            let entry: Option<&mut dyn TableLike> = match list {
                Item::ArrayOfTables(tables) => {
                    if *number == length + 1 {
                        tables.push(Table::new());
                    }
                    tables.get_mut(number - 1).map(|table| table as &mut dyn TableLike)
                }
                Item::Value(toml_edit::Value::Array(array)) => {
                    if *number == length + 1 {
                        array.push(InlineTable::new());
                    }
                    let inline = array.get_mut(number - 1).and_then(toml_edit::Value::as_inline_table_mut);
                    inline.map(|table| table as &mut dyn TableLike)
                }
                _ => None,
            };
            let entry = entry.ok_or_else(|| format!("{name} has {length}; {name}.{} adds one", length + 1))?;
            put_value(entry, rest, value)
        }
        _ => {
            let mut new = Table::new();
            new.set_implicit(true);
            let inner = table.entry(name).or_insert(Item::Table(new)).as_table_like_mut();
            put_value(inner.ok_or_else(|| format!("{name} is not a table"))?, rest, value)
        }
    }
}

/// Whether there are comments between the values of a list.
fn has_comment(list: &toml_edit::Array) -> bool {
    let is_comment = |text: &toml_edit::RawString| text.as_str().is_some_and(|text| text.contains('#'));
    let around =
        |value: &toml_edit::Value| [value.decor().prefix(), value.decor().suffix()].into_iter().flatten().any(is_comment);
    is_comment(list.trailing()) || list.iter().any(around)
}

/// A problem without its line, which moves when the file changes.
fn without_location(path: &Path, problem: &str) -> String {
    let located = problem.strip_prefix(&format!("{}:", path.display())).and_then(|rest| rest.split_once(": "));
    located.map_or(problem, |(_, problem)| problem).to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::template::write_template;
    use super::*;

    fn home_with(text: &str) -> (tempfile::TempDir, Paths) {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().to_string_lossy().into_owned();
        let paths = Paths::from_env(&move |name| (name == "XDG_CONFIG_HOME").then(|| dir.clone()));
        create_private_dir(&paths.config).unwrap();
        write_atomically(&paths.config_file(), text).unwrap();
        (home, paths)
    }

    fn set(paths: &Paths, key: &str, values: &[&str]) -> Result<SettingChange, String> {
        let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        set_setting(paths, key, &values, &|_| Vec::new()).map_err(|error| error.message)
    }

    fn get(paths: &Paths, key: &str) -> SettingValue {
        read_settings(paths, Some(key), &CliOptions::default(), &|_| None).unwrap().remove(0)
    }

    fn read(paths: &Paths) -> String {
        std::fs::read_to_string(paths.config_file()).unwrap()
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
                if before != COMMENTED && key.starts_with("profiles.") {
                    set(&paths, "profiles.desk.base_url", &["https://a.example/api/v1"]).unwrap();
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
                        Value::Array(words) => words.iter().map(|word| word.as_str().unwrap().to_owned()).collect(),
                        Value::String(word) => vec![word],
                        other => vec![other.to_string()],
                    },
                };
                let change = set(&paths, &key, &words.iter().map(String::as_str).collect::<Vec<_>>())
                    .unwrap_or_else(|why| panic!("{why}"));
                let now = get(&paths, &key);
                assert_eq!((now.value, now.source), (change.value, Some(change.source)), "{key}");
                let after = read(&paths);
                let mut rest = after.as_str();
                for comment in before.split_inclusive('\n').filter_map(|line| Some(line[line.find('#')?..].trim_end())) {
                    // The header of a section in the new file becomes a section.
                    let comment = if comment == format!("#[{entry}]") { &comment[1..] } else { comment };
                    let at = rest.find(comment).unwrap_or_else(|| panic!("{key}: {comment} is lost or moved:\n{after}"));
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
        assert!(change.source.ends_with("config.toml:10"), "{}", change.source);
        assert_eq!(read(&paths), COMMENTED.replace("\"20s\"", "\"30s\""));
        set(&paths, "rules.2.name", &["large"]).unwrap();
        set(&paths, "keys.queue.done", &["d d", "F5"]).unwrap();
        set(&paths, "keys.queue.done", &["x"]).unwrap();
        let text = read(&paths);
        assert!(text.contains("[[rules]]\nname = \"large\"\n") && text.contains("[keys]\n\"queue.done\" = \"x\"\n"), "{text}");
        let (_home, paths) = home_with("[keys]\nqueue.done = \"x\"\n");
        set(&paths, "keys.queue.done", &["[]"]).unwrap();
        assert_eq!(read(&paths), "[keys]\nqueue.done = []\n");
    }

    #[test]
    fn what_cannot_be_set_is_rejected_with_a_reason_and_nothing_is_written() {
        let commented_list = "[watch]\npages = [ # in turn\n\"counts\"]\n";
        let (_home, paths) = home_with(&format!("{COMMENTED}{commented_list}"));
        for (key, values, why) in [
            ("console.advanse", vec!["next"], "did you mean console.advance?"),
            ("poll", vec!["20s"], "did you mean console.poll?"),
            ("profiles.desk.colour", vec!["red"], "did you mean profiles.desk.color?"),
            ("console", vec!["x"], "console is not a single setting; use console.poll, "),
            ("console.poll.x", vec!["x"], "console.poll has no settings below it"),
            ("rules.small.then", vec!["done"], "the entries have numbers: rules.1"),
            ("rules.3.then", vec!["done"], "rules has 1; rules.2 adds one"),
            ("rules.2.then", vec!["done"], "the rule needs a name"),
            ("console.advance", vec!["up"], "unknown value \"up\": use next, stay, back"),
            ("console.mouse", vec!["off"], "expected true or false"),
            ("console.poll", vec!["1s"], "use off, or 10s to 5m"),
            ("budget.hard_day", vec!["-1"], "expected a number of credits"),
            ("watch.quiet", vec!["night"], "\"night\" are not hours"),
            ("watch.message", vec!["two", "words"], "expected a single value"),
            ("watch.pages", vec!["waiting"], "the list has comments inside"),
            ("profiles.depot.color", vec!["red"], "there is no profile depot"),
        ] {
            let message = set(&paths, key, &values).unwrap_err();
            assert!(message.contains(why) && !message.contains('\n'), "{key}: {message}");
        }
        let found = |_: ConsoleTexts| vec![format!("{}:4: both are bound to d", paths.config_file().display())];
        let error = |texts: ConsoleTexts| if texts.keys.overrides.is_empty() { Vec::new() } else { found(texts) };
        let rejected = set_setting(&paths, "keys.queue.done", &["d".to_owned()], &error).unwrap_err();
        assert_eq!(rejected.message, "keys.queue.done: both are bound to d; nothing was changed");
        assert_eq!(read(&paths), format!("{COMMENTED}{commented_list}"));
    }

    #[test]
    fn the_value_in_effect_has_a_source() {
        let (_home, paths) =
            home_with("[console]\npoll = \"1s\"\ntheme = \"light\"\nmouse = 1\n[watch]\nhide_names = 1\n[profiles.a]\n");
        let env = |name: &str| (name == "GANTRY_THEME").then(|| "dark".to_owned());
        let options = CliOptions { ascii: true, ..CliOptions::default() };
        let all = read_settings(&paths, None, &options, &env).unwrap();
        let of = |key: &str| {
            let row = all.iter().find(|row| row.key == key).unwrap();
            let source = row.source.as_deref().map(|source| source.rsplit('/').next().unwrap());
            (row.value.clone(), source, row.problem.is_some())
        };
        assert_eq!(of("console.theme"), (json!("dark"), Some("GANTRY_THEME"), false));
        assert_eq!(of("console.ascii"), (json!(true), Some("--ascii"), false));
        assert_eq!(of("console.poll"), (json!("10s"), Some("config.toml:2"), false));
        assert_eq!(of("console.mouse"), (json!(true), Some("default"), true));
        assert_eq!(of("watch.hide_names"), (json!(true), Some("default"), true));
        assert_eq!(of("watch.message"), (Value::Null, None, false));
        assert_eq!(of("profile"), (json!("a"), Some("default"), false));
        assert_eq!(get(&paths, "console.theme").value, "light");
        let group = read_settings(&paths, Some("profiles.a"), &options, &env).unwrap();
        assert!(group.iter().all(|row| row.key.starts_with("profiles.a.")) && group.len() == 7, "{group:?}");
    }

    #[test]
    fn the_new_file_has_every_setting_and_is_valid_with_and_without_its_comments() {
        let template = write_template();
        let path = Path::new("config.toml");
        assert_eq!(super::super::validate_config(path, &template), Ok(Vec::new()));
        assert!(template.lines().all(|line| line.is_empty() || line.starts_with('#')));
        let all: String = template
            .lines()
            .filter_map(|line| line.strip_prefix('#'))
            .filter(|line| !line.starts_with(' '))
            .map(|line| format!("{line}\n"))
            .collect();
        assert_eq!(super::super::validate_config(path, &all), Ok(Vec::new()), "{all}");
        let root = DeTable::parse(&all).unwrap().into_inner();
        for key in list_key_patterns() {
            let (steps, _) = find_setting(&key).unwrap();
            assert!(find_value(&root, &steps).is_some(), "{key} is not in the new file");
        }
    }
}

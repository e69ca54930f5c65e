//! The kinds of values that settings have: what each is read as, and how it is described.
//!
//! Never here: tables that only one setting has (`setting_tables`).

use std::slice;
use std::time::Duration;

use chrono::FixedOffset;
use toml::de::DeTable;

use super::keywords::Keyword;
use super::reader::{ConfigReader, ReadResult, TomlValue};
use super::setting::{SettingType, TextFormat};
use super::{day_span, duration, time_zone};
use crate::domain::quiet_hours::QuietHours;

pub trait SettingKind {
    type Value;
    const TYPE: SettingType;

    /// The value, or what is wrong with it.
    fn read(reader: &ConfigReader<'_>, value: &TomlValue<'_>) -> ReadResult<Self::Value>;

    /// What can be used of a value; adds a warning for each mistake in it.
    fn read_usable(reader: &ConfigReader<'_>, value: &TomlValue<'_>) -> Option<Self::Value> {
        reader.value_or_warning(Self::read(reader, value))
    }

    /// The value without the setting, whose default is written so.
    fn read_default(toml: &str) -> Option<Self::Value> {
        let reader = ConfigReader::new(&|_| String::new());
        parse_toml_value(toml, |value| Self::read(&reader, value).ok()).flatten()
    }
}

/// A kind of values that gantry writes into the file.
pub trait WrittenKind: SettingKind {
    /// The value as TOML; none if the setting is left out.
    fn write(value: &Self::Value) -> Option<toml::Value>;
}

impl<K: WrittenKind> WrittenKind for Option<K> {
    fn write(value: &Self::Value) -> Option<toml::Value> {
        value.as_ref().and_then(K::write)
    }
}

impl WrittenKind for Protection {
    fn write(is_on: &bool) -> Option<toml::Value> {
        is_on.then(|| true.into())
    }
}

impl WrittenKind for Text {
    fn write(text: &String) -> Option<toml::Value> {
        (!text.is_empty()).then(|| text.as_str().into())
    }
}

impl WrittenKind for Texts {
    fn write(texts: &Vec<String>) -> Option<toml::Value> {
        (!texts.is_empty()).then(|| texts.clone().into())
    }
}

impl WrittenKind for Credits {
    fn write(credits: &u64) -> Option<toml::Value> {
        // TOML has no larger number.
        Some(i64::try_from(*credits).unwrap_or(i64::MAX).into())
    }
}

impl<K: Keyword> WrittenKind for K {
    fn write(meaning: &K) -> Option<toml::Value> {
        Some(meaning.word().into())
    }
}

/// What a value means that is written as TOML; none for an empty text.
pub(super) fn parse_toml_value<T>(toml: &str, read: impl FnOnce(&TomlValue<'_>) -> T) -> Option<T> {
    let line = format!("x = {toml}");
    let table = DeTable::parse(&line).ok()?;
    table.get_ref().get("x").map(read)
}

/// A setting whose default is chosen where its value is used: it is none without a value.
impl<K: SettingKind> SettingKind for Option<K> {
    type Value = Option<K::Value>;
    const TYPE: SettingType = K::TYPE;

    fn read(reader: &ConfigReader<'_>, value: &TomlValue<'_>) -> ReadResult<Self::Value> {
        K::read(reader, value).map(Some)
    }

    fn read_usable(reader: &ConfigReader<'_>, value: &TomlValue<'_>) -> Option<Self::Value> {
        K::read_usable(reader, value).map(Some)
    }

    fn read_default(_: &str) -> Option<Self::Value> {
        None
    }
}

impl SettingKind for bool {
    type Value = bool;
    const TYPE: SettingType = SettingType::Bool;

    fn read(reader: &ConfigReader<'_>, value: &TomlValue<'_>) -> ReadResult<bool> {
        let flag = value.get_ref().as_bool();
        flag.ok_or_else(|| reader.error_at(value.span(), "expected true or false"))
    }
}

/// A flag that protects: whoever sets it wants it, so that a mistake in its value turns it on.
pub struct Protection;

impl SettingKind for Protection {
    type Value = bool;
    const TYPE: SettingType = SettingType::Protection;

    fn read(reader: &ConfigReader<'_>, value: &TomlValue<'_>) -> ReadResult<bool> {
        bool::read(reader, value)
    }

    fn read_usable(reader: &ConfigReader<'_>, value: &TomlValue<'_>) -> Option<bool> {
        bool::read_usable(reader, value).or(Some(true))
    }
}

pub struct Text;

impl SettingKind for Text {
    type Value = String;
    const TYPE: SettingType = SettingType::Text;

    fn read(reader: &ConfigReader<'_>, value: &TomlValue<'_>) -> ReadResult<String> {
        let text = value.get_ref().as_str().map(str::to_owned);
        text.ok_or_else(|| reader.error_at(value.span(), "expected a string in quotes"))
    }
}

/// Keys as they are compared: with one space between them.
pub struct KeySequence;

impl SettingKind for KeySequence {
    type Value = String;
    const TYPE: SettingType = SettingType::Text;

    fn read(reader: &ConfigReader<'_>, value: &TomlValue<'_>) -> ReadResult<String> {
        let text = Text::read(reader, value)?;
        Ok(text.split_whitespace().collect::<Vec<_>>().join(" "))
    }
}

/// A program and its arguments.
pub struct Program;

impl SettingKind for Program {
    type Value = Vec<String>;
    const TYPE: SettingType = SettingType::TextList;

    fn read(reader: &ConfigReader<'_>, value: &TomlValue<'_>) -> ReadResult<Vec<String>> {
        let list = reader.expect_list(value, "a list: a program and its arguments")?;
        list.iter().map(|text| Text::read(reader, text)).collect()
    }
}

/// One text or a list of them.
pub struct Texts;

impl SettingKind for Texts {
    type Value = Vec<String>;
    const TYPE: SettingType = SettingType::TextOrList;

    fn read(reader: &ConfigReader<'_>, value: &TomlValue<'_>) -> ReadResult<Vec<String>> {
        match value.get_ref().as_array() {
            Some(list) => list.iter().map(|text| Text::read(reader, text)).collect(),
            None => Text::read(reader, value).map(|text| vec![text]),
        }
    }

    fn read_usable(reader: &ConfigReader<'_>, value: &TomlValue<'_>) -> Option<Vec<String>> {
        let list = value.get_ref().as_array();
        let list = list.map_or(slice::from_ref(value), |list| &list[..]);
        Some(read_usable_items::<Text>(reader, list))
    }
}

fn read_usable_items<K: SettingKind>(
    reader: &ConfigReader<'_>,
    list: &[TomlValue<'_>],
) -> Vec<K::Value> {
    let items = list.iter();
    items
        .filter_map(|item| K::read_usable(reader, item))
        .collect()
}

pub struct Credits;

impl SettingKind for Credits {
    type Value = u64;
    const TYPE: SettingType = SettingType::Credits;

    fn read(reader: &ConfigReader<'_>, value: &TomlValue<'_>) -> ReadResult<u64> {
        let number = value
            .get_ref()
            .as_integer()
            .and_then(|number| u64::from_str_radix(number.as_str(), number.radix()).ok());
        number.ok_or_else(|| reader.error_at(value.span(), "expected a number of credits"))
    }
}

/// Declares kinds that are written as a text of some form: the function that parses it, and what is
/// said of the form.
macro_rules! text_formats {
    ($($(#[$doc:meta])+ $kind:ident: $value:ty = $parse:expr, $hint:literal, $pattern:literal, $example:literal;)+) => {$(
        $(#[$doc])+
        pub struct $kind;

        impl SettingKind for $kind {
            type Value = $value;
            const TYPE: SettingType = SettingType::Formatted(&TextFormat {
                hint: $hint,
                pattern: $pattern,
                example: $example,
            });

            fn read(reader: &ConfigReader<'_>, value: &TomlValue<'_>) -> ReadResult<$value> {
                reader.parse(value, $parse)
            }
        }
    )+};
}

text_formats! {
    /// `15s`, `2m`, or `off`, which is zero.
    Interval: Duration = duration::parse_interval,
        "10s to 5m, or off", "^ *([0-9]+ *(ms|s|m|min|h)?|off) *$", "15s";
    /// `100ms`.
    Timeout: Duration = duration::parse_timeout,
        "10ms to 5s", "^ *[0-9]+ *(ms|s)? *$", "100ms";
    /// `18:00-8:00`.
    Hours: QuietHours = |text| day_span::parse(text).map(|(from, to)| QuietHours { from, to }),
        "hours such as 18:00-8:00",
        "^ *[0-9]{1,2}(:[0-9]{2})? *- *[0-9]{1,2}(:[0-9]{2})? *$", "18:00-8:00";
    /// `local`, `utc` or `+02:00`.
    TimeZone: Option<FixedOffset> = time_zone::parse,
        "local, utc, or an offset such as +02:00",
        "^ *([lL][oO][cC][aA][lL]|[uU][tT][cC]|[+-][0-9]{2}:[0-9]{2}) *$", "local";
    /// A theme of gantry or one of the user. Whether there is such a theme is checked when all are
    /// read.
    Theme: String = |text| Ok(text.to_owned()),
        "auto, dark, light, high-contrast, colour-blind, terminal, or a theme of yours", "", "auto";
}

impl<K: Keyword> SettingKind for K {
    type Value = K;
    const TYPE: SettingType = SettingType::Keyword(K::WORDS);

    fn read(reader: &ConfigReader<'_>, value: &TomlValue<'_>) -> ReadResult<K> {
        let at = read_word(reader, value, K::WORDS)?;
        Ok(K::MEANINGS[at].1)
    }
}

/// Which of these words the value is.
pub(super) fn read_word(
    reader: &ConfigReader<'_>,
    value: &TomlValue<'_>,
    words: &[&str],
) -> ReadResult<usize> {
    let text = Text::read(reader, value)?;
    let at = words.iter().position(|word| *word == text);
    at.ok_or_else(|| {
        let why = format!("unknown value \"{text}\": use {}", words.join(", "));
        reader.error_at(value.span(), &why)
    })
}

impl<K: Keyword> SettingKind for Vec<K> {
    type Value = Vec<K>;
    const TYPE: SettingType = SettingType::KeywordList(K::WORDS);

    fn read(reader: &ConfigReader<'_>, value: &TomlValue<'_>) -> ReadResult<Vec<K>> {
        let list = reader.expect_list(value, "a list")?;
        list.iter().map(|word| K::read(reader, word)).collect()
    }

    fn read_usable(reader: &ConfigReader<'_>, value: &TomlValue<'_>) -> Option<Vec<K>> {
        let list = reader.value_or_warning(reader.expect_list(value, "a list"))?;
        Some(read_usable_items::<K>(reader, list))
    }
}

//! `[theme.NAME]`: colors of the user, by what they are for.
//!
//! Never here: how a color looks, which theme is used.

use toml::de::DeValue;

use super::keywords::{Keyword as _, ThemeName};
use super::reader::{ConfigReader, ReadResult, TomlValue};
use super::setting::SettingType;
use super::setting_kinds::SettingKind;
use super::setting_tables::check_profile_name;
use super::settings::THEME;

/// `[theme.NAME]`: colors of the user, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThemeSettings {
    pub name: String,
    /// The theme whose colors it has where it sets none: a built-in one.
    pub base: String,
    /// By the names of what they color.
    pub colors: Vec<(String, ThemeColor)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThemeColor {
    /// 24 bits.
    Rgb(u32),
    /// One of the terminal's 256.
    Indexed(u8),
}

/// The names of the terminal's first sixteen colors.
pub(super) const COLOR_NAMES: [&str; 16] = [
    "black",
    "red",
    "green",
    "yellow",
    "blue",
    "magenta",
    "cyan",
    "white",
    "bright-black",
    "bright-red",
    "bright-green",
    "bright-yellow",
    "bright-blue",
    "bright-magenta",
    "bright-cyan",
    "bright-white",
];

/// Parses a color: `#5fd7d7`, a name of the sixteen, or a number of the 256. The error is a
/// one-line message with examples.
pub(super) fn parse_color(text: &str) -> Result<ThemeColor, String> {
    let wrong = || format!("\"{text}\" is not a color; write it like #5fd7d7, bright-blue or 110");
    if let Some(digits) = text.strip_prefix('#') {
        let is_hex = digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        return u32::from_str_radix(digits, 16)
            .ok()
            .filter(|_| is_hex)
            .map(ThemeColor::Rgb)
            .ok_or_else(wrong);
    }
    match COLOR_NAMES.iter().position(|name| *name == text) {
        Some(index) => Ok(ThemeColor::Indexed(u8::try_from(index).unwrap_or_default())),
        None => text.parse().map(ThemeColor::Indexed).map_err(|_| wrong()),
    }
}

pub struct Themes;

impl SettingKind for Themes {
    type Value = Vec<ThemeSettings>;
    const TYPE: SettingType = SettingType::NamedTables(THEME);

    fn read(reader: &ConfigReader<'_>, value: &TomlValue<'_>) -> ReadResult<Self::Value> {
        let mut themes = Vec::new();
        for (name, table) in reader.expect_table(value)? {
            let defined_at = reader.locate(name.span());
            let name = name.get_ref().to_string();
            let problem = match check_profile_name(&name) {
                Err(_) => Some(format!(
                    "\"{name}\" is not a valid name of a theme; use letters, digits, - and _"
                )),
                Ok(()) if ThemeName::WORDS.contains(&name.as_str()) => Some(format!(
                    "{name} is a theme of gantry; a theme of your own needs another name"
                )),
                Ok(()) => None,
            };
            match problem {
                Some(problem) => reader.warn(format!("{defined_at}: {problem}")),
                None => themes.push(read_theme(reader, name, table)),
            }
        }
        Ok(themes)
    }
}

fn read_theme(reader: &ConfigReader<'_>, name: String, table: &TomlValue<'_>) -> ThemeSettings {
    let section = reader.value_or_warning(reader.section(table, THEME));
    let section = section.unwrap_or_else(|| reader.empty_section());
    let base = section.value::<Option<ThemeName>>("base", "");
    let roles = THEME.iter().map(|setting| setting.name);
    let colors: Vec<_> = roles
        .filter(|role| *role != "base")
        .filter_map(|role| {
            let color = section.value::<Option<Color>>(role, "")?;
            Some((role.to_owned(), color))
        })
        .collect();
    let color_of = |role: &str| {
        let found = colors.iter().find(|(name, _)| name == role);
        found.map(|(_, color)| *color)
    };
    if color_of("text").is_some() && color_of("text") == color_of("background") {
        let at = reader.locate(table.span());
        reader.warn(format!(
            "{at}: text and background of theme {name} are the same color"
        ));
    }
    ThemeSettings {
        name,
        base: base.map_or("auto", |base| base.word()).to_owned(),
        colors,
    }
}

/// A color; a number of the 256 may be written without quotes.
pub struct Color;

impl SettingKind for Color {
    type Value = ThemeColor;
    const TYPE: SettingType = SettingType::Color;

    fn read(reader: &ConfigReader<'_>, value: &TomlValue<'_>) -> ReadResult<ThemeColor> {
        match value.get_ref() {
            DeValue::Integer(number) => parse_color(number.as_str()),
            _ => return reader.parse(value, parse_color),
        }
        .map_err(|why| reader.error_at(value.span(), &why))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::file::parse_config;

    #[test]
    fn a_color_is_written_in_three_ways() {
        assert_eq!(parse_color("#5fD7d7"), Ok(ThemeColor::Rgb(0x5f_d7_d7)));
        assert_eq!(parse_color("bright-blue"), Ok(ThemeColor::Indexed(12)));
        assert_eq!(parse_color("110"), Ok(ThemeColor::Indexed(110)));
        for wrong in ["", "#5fd", "#5fd7dg", "#+5fd7d", "256", "-1", "gray"] {
            assert!(parse_color(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn themes_are_read_and_what_is_wrong_in_them_is_reported_with_its_line() {
        let text = "[theme.night]\nbase = \"dark\"\ntext = \"#d0d0d0\"\nhihg = 196\nhigh = 196\nlow = \"gray\"\n[theme.dark]\n\
            [theme.same]\ntext = \"red\"\nbackground = 1\n[console]\ntheme = \"night\"\n";
        let file = parse_config(Path::new("config.toml"), text).unwrap();
        let night = file
            .theme
            .iter()
            .find(|theme| theme.name == "night")
            .unwrap();
        assert_eq!(
            (night.base.as_str(), night.colors.as_slice()),
            (
                "dark",
                &[
                    ("text".to_owned(), ThemeColor::Rgb(0xd0_d0_d0)),
                    ("high".to_owned(), ThemeColor::Indexed(196))
                ][..]
            )
        );
        assert_eq!(file.console.theme.as_deref(), Some("night"));
        let mut warnings = file.warnings.clone();
        warnings.sort();
        assert_eq!(
            warnings,
            [
                "config.toml:4: unknown key hihg; did you mean high?",
                "config.toml:6: \"gray\" is not a color; write it like #5fd7d7, bright-blue or 110; using the default",
                "config.toml:7: dark is a theme of gantry; a theme of your own needs another name",
                "config.toml:8: text and background of theme same are the same color",
            ]
        );
        let unknown = parse_config(
            Path::new("config.toml"),
            "[console]\ntheme = \"nigth\"\n[theme.night]\n",
        )
        .unwrap();
        assert_eq!((&unknown.console.theme, unknown.warnings.len()), (&None, 1));
        assert!(
            unknown.warnings[0]
                .starts_with("config.toml:2: unknown theme \"nigth\"; did you mean night?"),
            "{unknown:?}"
        );
    }
}

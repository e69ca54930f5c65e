//! `[theme.NAME]`: colors of the user, by what they are for.
//!
//! Never here: how a color looks, which theme is used.

use toml::Spanned;
use toml::de::DeValue;

use super::file::ConfigReader;
use super::{ConfigError, ThemeColor, ThemeName, ThemeSettings, check_profile_name, schema};

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

impl ConfigReader<'_> {
    pub(super) fn read_themes(&self, value: &Spanned<DeValue<'_>>) -> Vec<ThemeSettings> {
        let mut themes = Vec::new();
        for (name, table) in self.table_entries(value) {
            let defined_at = (self.locate)(name.span());
            let name = name.get_ref().to_string();
            let problem = match check_profile_name(&name) {
                Err(_) => Some(format!(
                    "\"{name}\" is not a valid name of a theme; use letters, digits, - and _"
                )),
                Ok(()) if ThemeName::from_name(&name).is_some() => Some(format!(
                    "{name} is a theme of gantry; a theme of your own needs another name"
                )),
                Ok(()) => None,
            };
            match problem {
                Some(problem) => self.warn(format!("{defined_at}: {problem}")),
                None => themes.push(self.read_theme(name, table)),
            }
        }
        themes
    }

    fn read_theme(&self, name: String, table: &Spanned<DeValue<'_>>) -> ThemeSettings {
        let mut theme = ThemeSettings {
            name,
            base: "auto".to_owned(),
            colors: Vec::new(),
        };
        for (key, value) in self.table_entries(table) {
            let role = key.get_ref().as_ref();
            if role == "base" {
                let base = self.value_or_warning(
                    self.expect_keyword(value, &ThemeName::NAMES.map(|(name, _)| (name, name))),
                );
                theme.base = base.unwrap_or("auto").to_owned();
            } else if !schema::THEME.iter().any(|known| known.name == role) {
                self.warn_unknown_key(key.span(), role, schema::THEME);
            } else if let Some(color) = self.value_or_warning(self.read_color(value)) {
                theme.colors.push((role.to_owned(), color));
            }
        }
        let of = |role: &str| {
            theme
                .colors
                .iter()
                .find(|(name, _)| name == role)
                .map(|(_, color)| *color)
        };
        if of("text").is_some() && of("text") == of("background") {
            let at = (self.locate)(table.span());
            self.warn(format!(
                "{at}: text and background of theme {} are the same color",
                theme.name
            ));
        }
        theme
    }

    /// A color; a number of the 256 may be written without quotes.
    fn read_color(&self, value: &Spanned<DeValue<'_>>) -> Result<ThemeColor, ConfigError> {
        let text = match value.get_ref() {
            DeValue::Integer(number) => number.as_str().to_owned(),
            _ => self.expect_text(value)?,
        };
        parse_color(&text).map_err(|why| self.error_at(value.span(), &why))
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
            .themes
            .iter()
            .find(|theme| theme.name == "night")
            .unwrap();
        assert_eq!(
            (night.base.as_str(), night.colors.as_slice()),
            (
                "dark",
                &[
                    ("high".to_owned(), ThemeColor::Indexed(196)),
                    ("text".to_owned(), ThemeColor::Rgb(0xd0_d0_d0))
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

//! The Skill filter as one line: `source=official lifecycle=draft,published installed=yes
//! updated_after=2026-01-01 permit`.

use crate::domain::skills::SkillFilter;

/// The values a field accepts (interface: Skill filter fields).
const FIELD_VALUES: [(&str, &[&str]); 4] = [
    ("source", &["custom", "official"]),
    ("lifecycle", &["draft", "published", "unpublished"]),
    ("audience", &["personal", "workspace"]),
    ("installed", &["yes", "no"]),
];
/// The fields and values that may complete a word of a line.
pub fn complete_word() -> Vec<String> {
    let values = FIELD_VALUES
        .iter()
        .flat_map(|(field, values)| values.iter().map(move |value| format!("{field}={value}")));
    values
        .chain(["updated_after=".to_owned(), "updated_before=".to_owned()])
        .collect()
}

/// Maximum length of the search text, in characters.
const MAX_TEXT_LENGTH: usize = 500;

/// Parses a line; words that are not fields are searched for in name, slug and description.
///
/// # Errors
/// A message for the user that names the accepted values.
pub fn parse_filter(line: &str) -> Result<SkillFilter, String> {
    let mut filter = SkillFilter::default();
    let mut text = Vec::new();
    for word in line.split_whitespace() {
        let Some((field, value)) = word.split_once('=') else {
            text.push(word);
            continue;
        };
        let values: Vec<String> = value
            .split(',')
            .filter(|value| !value.is_empty())
            .map(str::to_owned)
            .collect();
        let known = FIELD_VALUES
            .iter()
            .find(|(name, _)| *name == field)
            .map_or(&[][..], |(_, words)| *words);
        if let Some(wrong) = values
            .iter()
            .find(|value| !known.is_empty() && !known.contains(&value.as_str()))
        {
            return Err(format!(
                "{field} must be one of {}, not {wrong}",
                known.join(", ")
            ));
        }
        let day = || {
            value
                .parse()
                .map_err(|_| format!("{field} must be a date like 2026-07-01, not {value}"))
        };
        match (field, values.as_slice()) {
            ("source", _) => filter.source = values,
            ("lifecycle", _) => filter.lifecycle = values,
            ("audience", _) => filter.audience = values,
            ("installed", [yes]) => {
                filter.installed = Some(
                    if yes == "yes" {
                        "installed"
                    } else {
                        "not_installed"
                    }
                    .to_owned(),
                )
            }
            ("installed", _) => return Err("installed must be yes or no".to_owned()),
            ("updated_after", _) => filter.updated_after = Some(day()?),
            ("updated_before", _) => filter.updated_before = Some(day()?),
            _ => {
                return Err(format!(
                    "{field} is not a field; use source, lifecycle, audience, installed, updated_after, updated_before"
                ));
            }
        }
    }
    filter.q = text.join(" ");
    match filter.q.chars().count() {
        0..=MAX_TEXT_LENGTH => Ok(filter),
        long => Err(format!(
            "search text too long: {long} characters, at most {MAX_TEXT_LENGTH}"
        )),
    }
}

pub fn format_filter(filter: &SkillFilter) -> String {
    let mut parts = Vec::new();
    for (field, values) in [
        ("source", &filter.source),
        ("lifecycle", &filter.lifecycle),
        ("audience", &filter.audience),
    ] {
        if !values.is_empty() {
            parts.push(format!("{field}={}", values.join(",")));
        }
    }
    if let Some(installed) = &filter.installed {
        parts.push(format!(
            "installed={}",
            if installed == "installed" {
                "yes"
            } else {
                "no"
            }
        ));
    }
    for (field, day) in [
        ("updated_after", filter.updated_after),
        ("updated_before", filter.updated_before),
    ] {
        parts.extend(day.map(|day| format!("{field}={day}")));
    }
    if !filter.q.is_empty() {
        parts.push(filter.q.clone());
    }
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_filter_of_the_interface_round_trips_through_text() {
        let line = "source=custom,official lifecycle=draft audience=personal installed=no updated_after=2026-01-01 updated_before=2026-07-01 permit call";
        let filter = parse_filter(line).unwrap();
        assert_eq!(
            (filter.q.as_str(), filter.installed.as_deref()),
            ("permit call", Some("not_installed"))
        );
        assert_eq!(format_filter(&filter), line);
        assert_eq!(parse_filter("").unwrap(), SkillFilter::default());
    }

    #[test]
    fn an_error_names_the_accepted_values() {
        for (line, why) in [
            (
                "source=mine",
                "source must be one of custom, official, not mine",
            ),
            (
                "lifecycle=deleted",
                "lifecycle must be one of draft, published, unpublished, not deleted",
            ),
            ("installed=", "installed must be yes or no"),
            (
                "updated_after=soon",
                "updated_after must be a date like 2026-07-01, not soon",
            ),
            ("color=red", "color is not a field"),
        ] {
            assert!(parse_filter(line).unwrap_err().starts_with(why), "{line}");
        }
        assert!(parse_filter(&"x".repeat(501)).is_err());
    }
}

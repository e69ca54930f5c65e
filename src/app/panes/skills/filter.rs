//! What narrows the list of Skills, as one line: `source=official lifecycle=draft,published installed=yes updated_after=2026-01-01 permit`.

use crate::domain::skills::SkillFilter;

/// The words that a field takes (interface: Skill filter fields).
const FIELD_VALUES: [(&str, &[&str]); 4] = [
    ("source", &["custom", "official"]),
    ("lifecycle", &["draft", "published", "unpublished"]),
    ("audience", &["personal", "workspace"]),
    ("installed", &["yes", "no"]),
];
/// The longest text that is looked for.
const MAX_TEXT_LENGTH: usize = 500;

/// A line as a filter; what is no field is looked for in name, slug and description.
///
/// # Errors
/// What is wrong with it, with the words that the field takes.
pub fn parse_filter(line: &str) -> Result<SkillFilter, String> {
    let mut filter = SkillFilter::default();
    let mut text = Vec::new();
    for word in line.split_whitespace() {
        let Some((field, value)) = word.split_once('=') else {
            text.push(word);
            continue;
        };
        let values: Vec<String> = value.split(',').filter(|value| !value.is_empty()).map(str::to_owned).collect();
        let known = FIELD_VALUES.iter().find(|(name, _)| *name == field).map_or(&[][..], |(_, words)| *words);
        if let Some(wrong) = values.iter().find(|value| !known.is_empty() && !known.contains(&value.as_str())) {
            return Err(format!("{field} is one of {}, and not {wrong}", known.join(", ")));
        }
        let day = || value.parse().map_err(|_| format!("{field} is a day like 2026-07-01, and not {value}"));
        match (field, values.as_slice()) {
            ("source", _) => filter.source = values,
            ("lifecycle", _) => filter.lifecycle = values,
            ("audience", _) => filter.audience = values,
            ("installed", [yes]) => filter.installed = Some(if yes == "yes" { "installed" } else { "not_installed" }.to_owned()),
            ("installed", _) => return Err("installed is yes or no".to_owned()),
            ("updated_after", _) => filter.updated_after = Some(day()?),
            ("updated_before", _) => filter.updated_before = Some(day()?),
            _ => {
                return Err(format!(
                    "{field} is no field; there are source, lifecycle, audience, installed, updated_after, updated_before"
                ));
            }
        }
    }
    filter.q = text.join(" ");
    match filter.q.chars().count() {
        0..=MAX_TEXT_LENGTH => Ok(filter),
        long => Err(format!("a text has at most {MAX_TEXT_LENGTH} characters; this one has {long}")),
    }
}

/// A filter as a line.
pub fn format_filter(filter: &SkillFilter) -> String {
    let mut parts = Vec::new();
    for (field, values) in [("source", &filter.source), ("lifecycle", &filter.lifecycle), ("audience", &filter.audience)] {
        if !values.is_empty() {
            parts.push(format!("{field}={}", values.join(",")));
        }
    }
    if let Some(installed) = &filter.installed {
        parts.push(format!("installed={}", if installed == "installed" { "yes" } else { "no" }));
    }
    for (field, day) in [("updated_after", filter.updated_after), ("updated_before", filter.updated_before)] {
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
        let said = "source=custom,official lifecycle=draft audience=personal installed=no updated_after=2026-01-01 updated_before=2026-07-01 permit call";
        let filter = parse_filter(said).unwrap();
        assert_eq!((filter.q.as_str(), filter.installed.as_deref()), ("permit call", Some("not_installed")));
        assert_eq!(format_filter(&filter), said);
        assert_eq!(parse_filter("").unwrap(), SkillFilter::default());
    }

    #[test]
    fn an_error_names_the_accepted_values() {
        for (said, why) in [
            ("source=mine", "source is one of custom, official, and not mine"),
            ("lifecycle=deleted", "lifecycle is one of draft, published, unpublished, and not deleted"),
            ("installed=", "installed is yes or no"),
            ("updated_after=soon", "updated_after is a day like 2026-07-01, and not soon"),
            ("colour=red", "colour is no field"),
        ] {
            assert!(parse_filter(said).unwrap_err().starts_with(why), "{said}");
        }
        assert!(parse_filter(&"x".repeat(501)).is_err());
    }
}

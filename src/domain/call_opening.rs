//! The opening line of a call, from a Skill that is in use. The interface shows neither the files
//! of a Skill nor their format, so a line is taken only from where a Skill clearly has one: a file
//! named after it, or a heading.

use super::signals::SignalType;
use super::skills::{Skill, SkillFileInfo, SkillLifecycle, SkillSource};

/// At most this many Skills are searched.
const MAX_SKILLS: usize = 3;
/// Maximum number of characters of the line.
const MAX_CHARS: usize = 500;

/// The Skills in use whose name or description mentions calls, the likeliest first. An official
/// Skill is in use when it is installed, another when it is published: only official ones can be
/// installed.
pub fn call_skills(skills: Vec<Skill>) -> Vec<Skill> {
    let is_in_use = |skill: &Skill| match (&skill.source, skill.installed) {
        (_, Some(true)) => true,
        (Some(SkillSource::Official), _) => false,
        _ => skill.lifecycle == Some(SkillLifecycle::Published),
    };
    let mut found: Vec<(u8, Skill)> = skills
        .into_iter()
        .filter(is_in_use)
        .map(|skill| (call_rank(&skill), skill))
        .filter(|(rank, _)| *rank > 0)
        .collect();
    found.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
    found.truncate(MAX_SKILLS);
    found.into_iter().map(|(_, skill)| skill).collect()
}

fn call_rank(skill: &Skill) -> u8 {
    let words = |texts: [&Option<String>; 2]| -> Vec<String> {
        let text = texts
            .into_iter()
            .flatten()
            .map(|text| text.to_lowercase())
            .collect::<Vec<_>>()
            .join(" ");
        text.split(|char: char| !char.is_alphanumeric())
            .map(str::to_owned)
            .collect()
    };
    let name = words([&skill.slug, &skill.name]);
    let has =
        |words: &[String], any: &[&str]| words.iter().any(|word| any.contains(&word.as_str()));
    const CALL: &[&str] = &["call", "calls", "calling", "phone"];
    const LINE: &[&str] = &["script", "scripts", "opening", "openings", "opener"];
    match () {
        () if has(&name, CALL) && has(&name, LINE) => 3,
        () if has(&name, CALL) || has(&name, LINE) => 2,
        () if has(&words([&skill.description, &None]), CALL) => 1,
        () => 0,
    }
}

/// The file of a Skill that may have the line.
pub fn opening_file(files: &[SkillFileInfo]) -> Option<&str> {
    let paths = || files.iter().map(|file| file.path.as_str());
    paths()
        .find(|path| is_opening_path(path))
        .or_else(|| paths().find(|path| file_name(path).eq_ignore_ascii_case("SKILL.md")))
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn is_opening_path(path: &str) -> bool {
    let stem = file_name(path)
        .split('.')
        .next()
        .unwrap_or_default()
        .to_lowercase();
    is_opening_word(&stem) || stem == "open"
}

fn is_opening_word(word: &str) -> bool {
    ["opening", "opener"]
        .iter()
        .any(|start| word.starts_with(start))
}

/// The line in a file: its first paragraph if the file is named after it, otherwise the paragraph
/// below a heading such as "Opening".
pub fn opening_line(path: &str, text: &str) -> Option<String> {
    let mut lines = text.lines().map(str::trim);
    if !is_opening_path(path) {
        lines.find(|line| {
            line.starts_with('#') && line.to_lowercase().split(' ').any(is_opening_word)
        })?;
    }
    let mut lines = lines
        .skip_while(|line| line.is_empty() || (is_opening_path(path) && line.starts_with('#')));
    let paragraph: Vec<&str> = lines
        .by_ref()
        .take_while(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.trim_start_matches("> "))
        .collect();
    let line = paragraph.join(" ");
    let line = line.trim_matches(|char: char| char == '"' || char.is_whitespace());
    (!line.is_empty()).then(|| line.chars().take(MAX_CHARS).collect())
}

/// The signals that a line can be about, by the words in it.
const TOPICS: &[(&[&str], &[SignalType])] = &[
    (
        &["permit", "permits"],
        &[
            SignalType::PermitFiled,
            SignalType::PermitIssued,
            SignalType::DemolitionPermit,
        ],
    ),
    (&["demolition"], &[SignalType::DemolitionPermit]),
    (
        &["application", "applied", "filed"],
        &[SignalType::PermitFiled, SignalType::EntitlementApplication],
    ),
    (
        &["issued", "through", "congratulations"],
        &[
            SignalType::PermitIssued,
            SignalType::EntitlementApproval,
            SignalType::ConstructionLoan,
        ],
    ),
    (&["loan", "loans"], &[SignalType::ConstructionLoan]),
    (
        &["entitlement", "entitlements"],
        &[
            SignalType::EntitlementApplication,
            SignalType::EntitlementApproval,
        ],
    ),
    (
        &["approval", "approved"],
        &[SignalType::EntitlementApproval],
    ),
];

/// Whether a line may be said in a call about a signal of this type: nobody is congratulated on a
/// permit because of a loan. A line that names no kind of signal fits every call.
pub fn fits_signal(line: &str, signal: Option<&SignalType>) -> bool {
    let line = line.to_lowercase();
    let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric()).collect();
    let mut topics = TOPICS
        .iter()
        .filter(|(names, _)| names.iter().any(|name| words.contains(name)));
    topics.all(|(_, about)| signal.is_some_and(|signal| about.contains(signal)))
}

/// Fills the placeholders `{name}`, `{me}` and `{workspace}` whose values are known.
pub fn fill_placeholders(line: &str, values: &[(&str, Option<String>)]) -> String {
    values
        .iter()
        .fold(line.to_owned(), |line, (name, value)| match value {
            Some(value) => line.replace(&format!("{{{name}}}"), value),
            None => line,
        })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_line_is_said_only_about_what_it_names() {
        let permit = "I saw that the permit for {name} came through.";
        assert!(fits_signal(permit, Some(&SignalType::PermitIssued)));
        assert!(!fits_signal(permit, Some(&SignalType::ConstructionLoan)));
        assert!(!fits_signal(permit, Some(&SignalType::Withdrawal)));
        assert!(!fits_signal(permit, Some(&SignalType::PermitFiled)));
        assert!(!fits_signal(permit, None), "a record was called, no signal");
        let application = "I saw your permit application.";
        assert!(fits_signal(application, Some(&SignalType::PermitFiled)));
        assert!(!fits_signal(application, Some(&SignalType::PermitIssued)));
        assert!(fits_signal("Hello, this is {me} of Sloan Supply.", None));
    }

    fn skill(fields: Value) -> Skill {
        serde_json::from_value(fields).expect("a Skill")
    }

    #[test]
    fn the_skill_with_call_openings_is_found_among_those_in_use() {
        let all = vec![
            skill(
                json!({"id": "brief", "description": "What to know before you call", "source": "official", "installed": true}),
            ),
            skill(
                json!({"id": "draft", "slug": "call-script", "source": "custom", "lifecycle": "draft"}),
            ),
            skill(
                json!({"id": "sheet", "slug": "call-sheet", "source": "official", "lifecycle": "published", "installed": false}),
            ),
            skill(
                json!({"id": "script", "slug": "permit-call-script", "source": "custom", "lifecycle": "published"}),
            ),
            skill(
                json!({"id": "loans", "slug": "lender-watch", "description": "recalls loans", "source": "official", "installed": true}),
            ),
        ];
        let found: Vec<String> = call_skills(all)
            .into_iter()
            .map(|skill| skill.id.to_string())
            .collect();
        assert_eq!(found, ["script", "brief"]);
    }

    #[test]
    fn a_line_is_taken_only_from_where_a_skill_clearly_has_one() {
        let files = |paths: &[&str]| {
            paths
                .iter()
                .map(|path| SkillFileInfo {
                    path: (*path).to_owned(),
                    size: None,
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(
            opening_file(&files(&["SKILL.md", "prompts/open.md"])),
            Some("prompts/open.md")
        );
        assert_eq!(
            opening_file(&files(&["columns.csv", "SKILL.md"])),
            Some("SKILL.md")
        );
        assert_eq!(opening_file(&files(&["columns.csv"])), None);
        let file = "# Opening\n\nGood morning.\nThis is {me}.\n\nThen wait.";
        assert_eq!(
            opening_line("opening.md", file).as_deref(),
            Some("Good morning. This is {me}.")
        );
        let skill =
            "# Script\nPrepare a sheet.\n\n## Opening line\n> \"Hello {name}\"\n## Then\nWait.";
        assert_eq!(
            opening_line("SKILL.md", skill).as_deref(),
            Some("Hello {name}")
        );
        assert_eq!(
            opening_line("SKILL.md", "# Script\nPrepare a sheet."),
            None,
            "instructions are no line to say"
        );
        assert_eq!(opening_line("SKILL.md", "# Opening\n## Then\nWait."), None);
    }

    #[test]
    fn only_known_placeholders_are_filled() {
        let values = [("name", Some("Elm Yard".to_owned())), ("me", None)];
        assert_eq!(
            fill_placeholders("{me} on {name}, {other}", &values),
            "{me} on Elm Yard, {other}"
        );
    }
}

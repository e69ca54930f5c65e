//! Skills as one text for the user's editor: each Skill's fields, then its files, each after a line
//! with its path.
//!
//! This module both writes and parses the text. A file's line that looks like a marker is escaped
//! with a backslash, so that every file round-trips unchanged.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::domain::SkillId;
use crate::domain::skills::SkillFile;

/// Starts a Skill; followed by the id of an existing one.
const SKILL_MARKER: &str = "=== skill";
/// Starts a file; followed by its path.
const FILE_MARKER: &str = "=== file: ";
/// A file that is not a text: it stays as it is; followed by its path.
const KEPT_MARKER: &str = "=== keep file: ";
/// Prefix of all marker lines.
const FORM_LINE_PREFIX: &str = "===";

/// A Skill as written in the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillDraft {
    /// `None` for a new Skill.
    pub id: Option<SkillId>,
    pub name: String,
    /// For a new Skill only; derived from the name if empty.
    pub slug: String,
    /// For a new Skill only.
    pub audience: String,
    pub description: String,
    pub files: Vec<SkillFile>,
    /// Paths of files that stay as they are, because they cannot be written in a text.
    pub kept: BTreeSet<String>,
}

/// The text for a new Skill.
pub fn blank_draft_text() -> String {
    let bundle = SkillDraft {
        audience: "personal".to_owned(),
        files: vec![SkillFile::of_text("SKILL.md", "\n")],
        ..SkillDraft::default()
    };
    format_drafts(&[bundle])
}

pub fn format_drafts(bundles: &[SkillDraft]) -> String {
    let mut out = String::from(
        "# Lines before the first file that start with # are ignored. An empty text changes nothing.\n",
    );
    for bundle in bundles {
        match &bundle.id {
            Some(id) => out.push_str(&format!(
                "{SKILL_MARKER} {id}\nname: {}\n",
                escape_newlines(&bundle.name)
            )),
            None => out.push_str(&format!(
                "{SKILL_MARKER}\nname: {}\nslug: {}\naudience: {}\n",
                escape_newlines(&bundle.name),
                bundle.slug,
                bundle.audience
            )),
        }
        out.push_str(&format!(
            "description: {}\n",
            escape_newlines(&bundle.description)
        ));
        for file in &bundle.files {
            let Some(text) = file.text() else {
                out.push_str(&format!("{KEPT_MARKER}{}\n", file.path));
                continue;
            };
            out.push_str(&format!("{FILE_MARKER}{}\n", file.path));
            for line in text.split_inclusive('\n') {
                let is_like_ours = line.trim_start_matches('\\').starts_with(FORM_LINE_PREFIX);
                out.push_str(if is_like_ours { "\\" } else { "" });
                out.push_str(line);
            }
            if !text.is_empty() && !text.ends_with('\n') {
                out.push('\n');
            }
        }
    }
    out
}

/// Writes line breaks in a name or description as `\n`.
fn escape_newlines(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('\n', "\\n")
        .replace('\r', "")
}

fn unescape_newlines(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, true) => match chars.next() {
                Some('n') => out.push('\n'),
                Some(other) => out.push(other),
                None => out.push('\\'),
            },
            (c, _) => out.push(c),
        }
    }
    out
}

/// Parses the text.
///
/// # Errors
/// A message with the number of the invalid line.
pub fn parse_drafts(text: &str) -> Result<Vec<SkillDraft>, String> {
    let mut bundles: Vec<SkillDraft> = Vec::new();
    let mut in_file = false;
    for (n, line) in (1..).zip(text.split_inclusive('\n')) {
        let bare = line.trim_end_matches(['\n', '\r']);
        let wrong = |why: &str| Err(format!("line {n}: {why}"));
        if bare == SKILL_MARKER || bare.starts_with("=== skill ") {
            let id = bare[SKILL_MARKER.len()..].trim();
            let id = if id.is_empty() {
                None
            } else {
                Some(
                    id.parse()
                        .map_err(|_| format!("line {n}: {id} is not a Skill id"))?,
                )
            };
            bundles.push(SkillDraft {
                id,
                ..SkillDraft::default()
            });
            in_file = false;
            continue;
        }
        if let Some(path) = bare.strip_prefix(FILE_MARKER) {
            let Some(bundle) = bundles.last_mut() else {
                return wrong("file before any Skill; a line \"=== skill\" is missing above");
            };
            let path = path.trim();
            if path.is_empty() {
                return wrong("this file has no path");
            }
            if bundle.files.iter().any(|file| file.path == path) {
                return Err(format!("line {n}: duplicate file {path}"));
            }
            bundle.files.push(SkillFile::of_text(path, ""));
            in_file = true;
            continue;
        }
        if let (Some(path), Some(bundle)) = (bare.strip_prefix(KEPT_MARKER), bundles.last_mut()) {
            bundle.kept.insert(path.trim().to_owned());
            in_file = false;
            continue;
        }
        if bare.starts_with(FORM_LINE_PREFIX) && !in_file {
            return wrong(
                "a line with === must start a Skill (=== skill) or a file (=== file: PATH)",
            );
        }
        if in_file {
            if let Some(file) = bundles
                .last_mut()
                .and_then(|bundle| bundle.files.last_mut())
            {
                let is_set_off = line.starts_with('\\')
                    && line.trim_start_matches('\\').starts_with(FORM_LINE_PREFIX);
                file.content
                    .push_str(if is_set_off { &line[1..] } else { line });
            }
            continue;
        }
        if bare.trim().is_empty() || bare.starts_with('#') {
            continue;
        }
        let Some((field, value)) = bare.split_once(':') else {
            return wrong("expected a field like \"name: ..\" or a file");
        };
        let Some(bundle) = bundles.last_mut() else {
            return wrong("field before any Skill; a line \"=== skill\" is missing above");
        };
        let value = value.trim();
        match (field.trim(), &bundle.id) {
            ("name", _) => bundle.name = unescape_newlines(value),
            ("description", _) => bundle.description = unescape_newlines(value),
            ("slug", None) => bundle.slug = value.to_owned(),
            ("audience", None) => bundle.audience = value.to_owned(),
            ("slug" | "audience", Some(_)) => {
                return wrong(
                    "slug and audience of an existing Skill cannot be changed here; the command skills.move changes the audience",
                );
            }
            (field, _) => {
                return Err(format!(
                    "line {n}: {field} is not a field; use name, slug, audience, description"
                ));
            }
        }
    }
    match bundles.iter().find(|bundle| bundle.name.trim().is_empty()) {
        Some(_) => Err("a Skill needs a name".to_owned()),
        None => Ok(bundles),
    }
}

impl SkillDraft {
    /// The request body that creates the Skill.
    pub fn create_body(&self) -> Value {
        let mut body =
            json!({"name": self.name, "description": self.description, "files": self.files});
        for (name, value) in [("slug", &self.slug), ("audience", &self.audience)] {
            if let (false, Some(body)) = (value.is_empty(), body.as_object_mut()) {
                body.insert(name.to_owned(), value.as_str().into());
            }
        }
        body
    }

    /// The request body that changes `before` into this draft, with a summary; `None` if nothing
    /// changed.
    pub fn update_body(&self, before: &SkillDraft) -> Option<(Value, String)> {
        let mut body = Map::new();
        let mut words = Vec::new();
        if self.name != before.name {
            body.insert("name".to_owned(), self.name.as_str().into());
            words.push("name".to_owned());
        }
        if self.description != before.description {
            body.insert("description".to_owned(), self.description.as_str().into());
            words.push("description".to_owned());
        }
        let files = self.files_to_send(before);
        if files != before.files {
            let changed = files
                .iter()
                .filter(|file| !before.files.contains(file))
                .map(|file| file.path.clone());
            let gone = before
                .files
                .iter()
                .filter(|was| files.iter().all(|file| file.path != was.path));
            words.extend(changed.chain(gone.map(|file| format!("without {}", file.path))));
            body.insert("files".to_owned(), json!(files));
        }
        let id = self.id.as_ref().filter(|_| !body.is_empty())?;
        body.insert("skill_id".to_owned(), json!(id));
        Some((Value::Object(body), words.join(", ")))
    }

    /// The files to send: those that stay as they were read. Editors append a final line break, so
    /// a file that differs only in that counts as unchanged.
    fn files_to_send(&self, before: &SkillDraft) -> Vec<SkillFile> {
        let same = |file: &SkillFile| {
            let Some(was) = before.files.iter().find(|was| was.path == file.path) else {
                return file.clone();
            };
            let is_same = was.text().is_some_and(|text| {
                text.trim_end_matches('\n') == file.content.trim_end_matches('\n')
            });
            if is_same {
                was.clone()
            } else {
                was.with_text(&file.content)
            }
        };
        let kept = before
            .files
            .iter()
            .filter(|was| self.kept.contains(&was.path))
            .cloned();
        let mut files: Vec<SkillFile> = self.files.iter().map(same).chain(kept).collect();
        files.sort_by_key(|file| {
            before
                .files
                .iter()
                .position(|was| was.path == file.path)
                .unwrap_or(usize::MAX)
        });
        files
    }

    /// A file to keep that is not in the Skill as it was.
    pub fn missing_kept(&self, before: Option<&SkillDraft>) -> Option<&str> {
        let is_there = |path: &&String| {
            before.is_some_and(|before| before.files.iter().any(|file| file.path == **path))
        };
        self.kept
            .iter()
            .find(|path| !is_there(path))
            .map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn draft_with_files(files: &[(&str, &str)]) -> SkillDraft {
        let files = files
            .iter()
            .map(|(path, content)| SkillFile::of_text(*path, *content));
        let id = "call-script.v2".parse::<SkillId>().ok();
        SkillDraft {
            id,
            name: "Call script".into(),
            description: "How we\nopen".into(),
            files: files.collect(),
            ..SkillDraft::default()
        }
    }

    #[test]
    fn a_skill_round_trips_even_if_a_file_looks_like_the_format() {
        let before = draft_with_files(&[
            (
                "SKILL.md",
                "# Title\n=== file: trap\n\\=== deeper\nname: x\n",
            ),
            ("a/b.txt", "no end"),
            ("empty", ""),
        ]);
        let after = parse_drafts(&format_drafts(std::slice::from_ref(&before))).unwrap();
        assert_eq!(after.len(), 1);
        assert_eq!(after[0].update_body(&before), None);
        assert_eq!(after[0].description, before.description);
    }

    #[test]
    fn only_what_changed_is_sent() {
        let before = draft_with_files(&[("SKILL.md", "one\n"), ("old.md", "x\n")]);
        let mut after = before.clone();
        after.description = "Other".into();
        let (body, words) = after.update_body(&before).unwrap();
        assert_eq!(
            (
                words.as_str(),
                body.get("files").is_none(),
                body.get("name").is_none()
            ),
            ("description", true, true)
        );
        after.files = vec![SkillFile::of_text("SKILL.md", "two\n")];
        let (body, words) = after.update_body(&before).unwrap();
        assert_eq!(words, "description, SKILL.md, without old.md");
        assert_eq!(body["files"].as_array().unwrap().len(), 1);
    }

    #[test]
    fn a_file_in_an_encoding_is_edited_as_a_text_and_any_other_is_kept_as_it_was_read() {
        let encoded = |path: &str, content: &str| SkillFile {
            encoding: Some("base64".to_owned()),
            ..SkillFile::of_text(path, content)
        };
        let mut before = draft_with_files(&[("SKILL.md", "one\n")]);
        before.files.extend([
            encoded("call.md", "T25lLg=="),
            encoded("logo.png", "AAEC/w=="),
        ]);
        let text = format_drafts(std::slice::from_ref(&before));
        assert!(
            text.contains("=== file: call.md\nOne.\n=== keep file: logo.png\n"),
            "{text}"
        );
        let parsed = |text: &str| parse_drafts(text).unwrap().remove(0);
        assert_eq!(parsed(&text).update_body(&before), None);
        let (body, words) = parsed(&text.replace("One.", "Two."))
            .update_body(&before)
            .unwrap();
        let expected = [
            SkillFile::of_text("SKILL.md", "one\n"),
            encoded("call.md", "VHdvLgo="),
            encoded("logo.png", "AAEC/w=="),
        ];
        assert_eq!(
            (words.as_str(), &body["files"]),
            ("call.md", &json!(expected))
        );
        let (body, words) = parsed(&text.replace("=== keep file: logo.png\n", ""))
            .update_body(&before)
            .unwrap();
        assert_eq!(
            (words.as_str(), body["files"].as_array().unwrap().len()),
            ("without logo.png", 2)
        );
        let other = parsed(&text.replace("logo.png", "other.png"));
        assert_eq!(
            (
                other.missing_kept(Some(&before)),
                parsed(&text).missing_kept(Some(&before))
            ),
            (Some("other.png"), None)
        );
    }

    #[test]
    fn a_parse_error_names_its_line() {
        for (text, why) in [
            ("name: x\n", "line 1: field before any Skill"),
            ("=== skill\n=== fil: x\n", "line 2: a line with ==="),
            (
                "=== skill\nname: x\n=== file:  \n",
                "line 3: this file has no path",
            ),
            (
                "=== skill\nname: x\n=== file: a\n=== file: a\n",
                "line 4: duplicate file a",
            ),
            (
                "=== skill\nname: x\ncolor: red\n",
                "line 3: color is not a field",
            ),
            ("=== skill x y\n", "line 1: x y is not a Skill id"),
            ("=== skill\n=== file: a\nhello\n", "a Skill needs a name"),
        ] {
            let error = parse_drafts(text).unwrap_err();
            assert!(error.starts_with(why), "{error}");
        }
        assert_eq!(parse_drafts("# nothing\n\n").unwrap(), []);
        assert!(
            parse_drafts(&blank_draft_text())
                .unwrap_err()
                .contains("needs a name"),
            "an empty form is not sent"
        );
    }

    proptest! {
        #[test]
        fn any_text_of_a_file_comes_back(content in "[=\\\\ a-z\n:#]{0,40}") {
            let before = draft_with_files(&[("f", &content), ("g", "end\n")]);
            let after = parse_drafts(&format_drafts(std::slice::from_ref(&before))).unwrap();
            let ended = |text: &str| if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") };
            prop_assert_eq!(&after[0].files[0].content, &ended(&content));
        }
    }
}

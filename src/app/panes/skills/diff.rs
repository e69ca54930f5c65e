//! Line-by-line differences between two revisions of a Skill, file by file.

use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use crate::domain::skills::SkillFile;

/// Unchanged lines shown around a change.
const CONTEXT_LINES: usize = 3;
/// Time limit per file; after that the rest counts as changed.
const DIFF_TIMEOUT: Duration = Duration::from_millis(200);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiffLine {
    /// Start of a file, with the numbers of removed and added lines.
    File(String, usize, usize),
    Unchanged(String),
    Removed(String),
    Added(String),
    /// Unchanged lines left out.
    Gap,
}

/// Compares the files of two revisions: path, old, new; `None` if a revision does not contain the
/// file.
pub fn diff_files<'a>(
    files: impl Iterator<Item = (&'a str, Option<&'a SkillFile>, Option<&'a SkillFile>)>,
) -> Vec<DiffLine> {
    let mut lines = Vec::new();
    let shown = |file: Option<&'a SkillFile>| file.map(SkillFile::shown_text).unwrap_or_default();
    for (path, old, new) in files.filter(|(_, old, new)| is_changed(*old, *new)) {
        let (old, new) = (shown(old), shown(new));
        // Two files that are no texts may be described alike.
        let new = if old == new {
            format!("{new}, changed").into()
        } else {
            new
        };
        let diff = TextDiff::configure()
            .timeout(DIFF_TIMEOUT)
            .diff_lines(old.as_ref(), new.as_ref());
        let head = lines.len();
        let (mut gone, mut came) = (0, 0);
        for (n, group) in diff.grouped_ops(CONTEXT_LINES).iter().enumerate() {
            if n > 0 {
                lines.push(DiffLine::Gap);
            }
            for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
                let text = change.value().trim_end_matches(['\n', '\r']).to_owned();
                lines.push(match change.tag() {
                    ChangeTag::Equal => DiffLine::Unchanged(text),
                    ChangeTag::Delete => {
                        gone += 1;
                        DiffLine::Removed(text)
                    }
                    ChangeTag::Insert => {
                        came += 1;
                        DiffLine::Added(text)
                    }
                });
            }
        }
        lines.insert(head, DiffLine::File(path.to_owned(), gone, came));
    }
    lines
}

/// Whether the content differs, in whatever encoding it is sent.
fn is_changed(old: Option<&SkillFile>, new: Option<&SkillFile>) -> bool {
    match (old, new) {
        (Some(old), Some(new)) => match (old.bytes(), new.bytes()) {
            (Some(old), Some(new)) => old != new,
            _ => old != new,
        },
        (old, new) => old.is_some() != new.is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_file(text: &str) -> SkillFile {
        SkillFile::of_text("", text)
    }

    #[test]
    fn a_file_that_is_not_a_text_is_only_said_to_be_changed() {
        let encoded = |content: &str| SkillFile {
            encoding: Some("base64".to_owned()),
            ..text_file(content)
        };
        let (old, new, text) = (encoded("AAEC/w=="), encoded("AAEC/g=="), encoded("eA=="));
        let plain = text_file("x");
        let lines = diff_files(
            [
                ("logo", Some(&old), Some(&new)),
                ("a", Some(&plain), Some(&text)),
            ]
            .into_iter(),
        );
        let shown = "(not a text: 4 bytes)".to_owned();
        let changed = DiffLine::Added(format!("{shown}, changed"));
        assert_eq!(
            lines,
            [
                DiffLine::File("logo".into(), 1, 1),
                DiffLine::Removed(shown),
                changed
            ]
        );
    }

    #[test]
    fn a_comparison_shows_changes_with_some_context() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\n";
        let new = "a\nb\nc\nd\ne\nF\ng\nh\n";
        let (old, new, same) = (text_file(old), text_file(new), text_file("x"));
        let lines = diff_files(
            [
                ("SKILL.md", Some(&old), Some(&new)),
                ("same", Some(&same), Some(&same)),
            ]
            .into_iter(),
        );
        let same = |text: &str| DiffLine::Unchanged(text.to_owned());
        assert_eq!(
            lines,
            [
                DiffLine::File("SKILL.md".into(), 1, 1),
                same("c"),
                same("d"),
                same("e"),
                DiffLine::Removed("f".into()),
                DiffLine::Added("F".into()),
                same("g"),
                same("h"),
            ]
        );
    }

    #[test]
    fn an_added_or_removed_file_is_all_new_or_all_gone() {
        let (new, old) = (text_file("x\ny\n"), text_file("z\n"));
        let lines =
            diff_files([("new.md", None, Some(&new)), ("old.md", Some(&old), None)].into_iter());
        assert_eq!(lines[0], DiffLine::File("new.md".into(), 0, 2));
        assert_eq!(
            lines[3..],
            [
                DiffLine::File("old.md".into(), 1, 0),
                DiffLine::Removed("z".into())
            ]
        );
    }

    #[test]
    fn comparing_two_long_texts_without_a_common_line_ends_in_time() {
        let text = |word: &str| {
            text_file(
                &(0..20_000)
                    .map(|n| format!("{word} {n}\n"))
                    .collect::<String>(),
            )
        };
        let lines = diff_files([("f", Some(&text("a")), Some(&text("b")))].into_iter());
        assert_eq!(lines[0], DiffLine::File("f".into(), 20_000, 20_000));
    }
}

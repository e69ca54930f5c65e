//! Line-by-line differences between two revisions of a Skill, file by file.

use std::time::Duration;

use similar::{ChangeTag, TextDiff};

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

/// Compares the files of two revisions: path, old text, new text; `None` if a revision does not contain the file.
pub fn diff_files<'a>(files: impl Iterator<Item = (&'a str, Option<&'a str>, Option<&'a str>)>) -> Vec<DiffLine> {
    let mut lines = Vec::new();
    for (path, old, new) in files.filter(|(_, old, new)| old != new) {
        let diff = TextDiff::configure().timeout(DIFF_TIMEOUT).diff_lines(old.unwrap_or_default(), new.unwrap_or_default());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_shows_changes_with_some_context() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\n";
        let new = "a\nb\nc\nd\ne\nF\ng\nh\n";
        let lines = diff_files([("SKILL.md", Some(old), Some(new)), ("same", Some("x"), Some("x"))].into_iter());
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
        let lines = diff_files([("new.md", None, Some("x\ny\n")), ("old.md", Some("z\n"), None)].into_iter());
        assert_eq!(lines[0], DiffLine::File("new.md".into(), 0, 2));
        assert_eq!(lines[3..], [DiffLine::File("old.md".into(), 1, 0), DiffLine::Removed("z".into())]);
    }

    #[test]
    fn comparing_two_long_texts_without_a_common_line_ends_in_time() {
        let text = |word: &str| (0..20_000).map(|n| format!("{word} {n}\n")).collect::<String>();
        let lines = diff_files([("f", Some(text("a").as_str()), Some(text("b").as_str()))].into_iter());
        assert_eq!(lines[0], DiffLine::File("f".into(), 20_000, 20_000));
    }
}

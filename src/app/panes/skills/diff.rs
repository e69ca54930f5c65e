//! What differs between two revisions of a Skill, file by file, as lines.

use std::time::Duration;

use similar::{ChangeTag, TextDiff};

/// Lines around a change.
const AROUND: usize = 3;
/// Two texts are compared for so long; then the rest counts as changed.
const LONGEST: Duration = Duration::from_millis(200);

/// A line of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A file begins, with how many lines went and came.
    File(String, usize, usize),
    /// In both.
    Same(String),
    /// In the older one only.
    Gone(String),
    /// In the newer one only.
    New(String),
    /// Lines that are alike are left out.
    Gap,
}

/// Compares the files of two revisions, each with its text; none where a revision does not have it.
pub fn compare<'a>(files: impl Iterator<Item = (&'a str, Option<&'a str>, Option<&'a str>)>) -> Vec<Line> {
    let mut lines = Vec::new();
    for (path, old, new) in files.filter(|(_, old, new)| old != new) {
        let diff = TextDiff::configure().timeout(LONGEST).diff_lines(old.unwrap_or_default(), new.unwrap_or_default());
        let head = lines.len();
        let (mut gone, mut came) = (0, 0);
        for (n, group) in diff.grouped_ops(AROUND).iter().enumerate() {
            if n > 0 {
                lines.push(Line::Gap);
            }
            for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
                let text = change.value().trim_end_matches(['\n', '\r']).to_owned();
                lines.push(match change.tag() {
                    ChangeTag::Equal => Line::Same(text),
                    ChangeTag::Delete => {
                        gone += 1;
                        Line::Gone(text)
                    }
                    ChangeTag::Insert => {
                        came += 1;
                        Line::New(text)
                    }
                });
            }
        }
        lines.insert(head, Line::File(path.to_owned(), gone, came));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_shows_what_changed_with_a_little_around_it() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\n";
        let new = "a\nb\nc\nd\ne\nF\ng\nh\n";
        let lines = compare([("SKILL.md", Some(old), Some(new)), ("same", Some("x"), Some("x"))].into_iter());
        let same = |text: &str| Line::Same(text.to_owned());
        assert_eq!(
            lines,
            [
                Line::File("SKILL.md".into(), 1, 1),
                same("c"),
                same("d"),
                same("e"),
                Line::Gone("f".into()),
                Line::New("F".into()),
                same("g"),
                same("h"),
            ]
        );
    }

    #[test]
    fn a_file_that_came_or_went_is_all_new_or_all_gone() {
        let lines = compare([("new.md", None, Some("x\ny\n")), ("old.md", Some("z\n"), None)].into_iter());
        assert_eq!(lines[0], Line::File("new.md".into(), 0, 2));
        assert_eq!(lines[3..], [Line::File("old.md".into(), 1, 0), Line::Gone("z".into())]);
    }

    #[test]
    fn two_long_texts_without_a_common_line_are_compared_in_time() {
        let text = |word: &str| (0..20_000).map(|n| format!("{word} {n}\n")).collect::<String>();
        let lines = compare([("f", Some(text("a").as_str()), Some(text("b").as_str()))].into_iter());
        assert_eq!(lines[0], Line::File("f".into(), 20_000, 20_000));
    }
}

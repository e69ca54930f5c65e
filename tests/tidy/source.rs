//! The source files as the rules read them: code, texts and line numbers without the tests. It
//! parses text, not syntax trees.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// One source file: as it is, its code without comments, texts and tests, and its texts.
pub struct SourceFile {
    pub path: PathBuf,
    pub full_text: String,
    pub code: String,
    pub string_literals: Vec<(usize, String)>,
    pub line_count: usize,
    /// The test modules that are files of their own.
    pub test_modules: Vec<String>,
}

impl SourceFile {
    pub fn parse(path: PathBuf, whole: &str) -> SourceFile {
        let (all_code, texts) = split_code_and_strings(whole);
        let (code, dropped) = strip_tests(&all_code);
        let lines = code.lines().count()
            - dropped
                .iter()
                .map(|lines| lines.clone().count())
                .sum::<usize>();
        let texts = texts
            .into_iter()
            .filter(|(line, _)| !dropped.iter().any(|lines| lines.contains(line)))
            .collect();
        let test_lines = dropped
            .iter()
            .filter_map(|lines| all_code.lines().nth(lines.end() - 1));
        let test_modules = test_lines
            .filter_map(|line| Some(line.split_once("mod ")?.1.strip_suffix(';')?.to_owned()))
            .collect();
        SourceFile {
            path,
            full_text: whole.to_owned(),
            code,
            string_literals: texts,
            line_count: lines,
            test_modules,
        }
    }

    /// The path below `src`.
    pub fn display_path(&self) -> String {
        let parts: Vec<_> = self
            .path
            .iter()
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        let below = parts
            .iter()
            .rposition(|part| part == "src")
            .map_or(0, |at| at + 1);
        parts[below..].join("/")
    }

    pub fn layer(&self) -> &str {
        let first = self
            .path
            .iter()
            .skip_while(|part| *part != "src")
            .nth(1)
            .and_then(|part| part.to_str())
            .unwrap_or_default();
        first.trim_end_matches(".rs")
    }

    pub fn is_in(&self, paths: &[&str]) -> bool {
        let own = self.display_path();
        paths
            .iter()
            .any(|path| own == *path || (path.ends_with('/') && own.starts_with(path)))
    }

    pub fn lines_containing(&self, word: &str) -> impl Iterator<Item = usize> {
        let starts_name = word.starts_with(|c: char| c.is_alphanumeric());
        let found: Vec<usize> = self.code.match_indices(word).map(|(at, _)| at).collect();
        let lines: Vec<usize> = found
            .into_iter()
            .filter(|at| {
                !starts_name
                    || !self.code[..*at]
                        .ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':')
            })
            .map(|at| line_number(&self.code, at))
            .collect();
        lines.into_iter()
    }

    /// The layers that the code names: after `crate::`, after the crate's own name, and after
    /// enough `super::`.
    pub fn referenced_layers(&self) -> Vec<(usize, String)> {
        let mut named = Vec::new();
        for root in ["crate::", "gantry::"] {
            for (at, _) in self.code.match_indices(root) {
                let names = first_path_segments(&self.code[at + root.len()..]);
                named.extend(
                    names
                        .into_iter()
                        .map(|name| (line_number(&self.code, at), name)),
                );
            }
        }
        let place = self.display_path();
        let depth = place.split('/').count() - usize::from(place.ends_with("/mod.rs"));
        let up = "super::".repeat(depth);
        for (at, _) in self.code.match_indices(&up) {
            if !self.code[..at].ends_with("super::")
                && !self.code[at + up.len()..].starts_with("super::")
            {
                let names = first_path_segments(&self.code[at + up.len()..]);
                named.extend(
                    names
                        .into_iter()
                        .map(|name| (line_number(&self.code, at), name)),
                );
            }
        }
        named
    }
}

/// The names that a path goes on with: one, or those of a group in braces.
fn first_path_segments(rest: &str) -> Vec<String> {
    let name = |text: &str| {
        text.chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect::<String>()
    };
    let Some(group) = rest.strip_prefix('{') else {
        return vec![name(rest)];
    };
    let (mut names, mut depth, mut item) = (Vec::new(), 0, String::new());
    for c in group.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.push(name(std::mem::take(&mut item).trim())),
            c if depth == 0 => item.push(c),
            _ => {}
        }
    }
    names.push(name(item.trim()));
    names.retain(|name| !name.is_empty());
    names
}

/// The code with comments and texts blanked out, line for line, and the texts with their lines.
fn split_code_and_strings(whole: &str) -> (String, Vec<(usize, String)>) {
    let chars: Vec<char> = whole.chars().collect();
    let (mut code, mut texts, mut at, mut line) = (String::new(), Vec::new(), 0, 1);
    let blank = |code: &mut String, c: char| code.push(if c == '\n' { '\n' } else { ' ' });
    while at < chars.len() {
        let rest = &chars[at..];
        let after_name = || code.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let length = if !matches!(rest[0], '/' | '"' | 'r' | '\'') {
            0
        } else if rest.starts_with(&['/', '/']) {
            rest.iter().position(|c| *c == '\n').unwrap_or(rest.len())
        } else if rest.starts_with(&['/', '*']) {
            (2..rest.len())
                .find(|n| rest[*n..].starts_with(&['*', '/']))
                .map_or(rest.len(), |n| n + 2)
        } else if rest[0] == '"' {
            let mut end = 1;
            while end < rest.len() && rest[end] != '"' {
                end += 1 + usize::from(rest[end] == '\\');
            }
            texts.push((line, rest[1..end.min(rest.len())].iter().collect()));
            (end + 1).min(rest.len())
        } else if rest[0] == 'r' && matches!(rest.get(1), Some('"' | '#')) && !after_name() {
            let marks = rest[1..].iter().take_while(|c| **c == '#').count();
            if rest.get(marks + 1) != Some(&'"') {
                0
            } else {
                let close: Vec<char> = std::iter::once('"')
                    .chain(std::iter::repeat_n('#', marks))
                    .collect();
                let start = marks + 2;
                let end = (start..rest.len())
                    .find(|n| rest[*n..].starts_with(&close))
                    .unwrap_or(rest.len());
                texts.push((line, rest[start..end].iter().collect()));
                (end + close.len()).min(rest.len())
            }
        } else if rest[0] == '\'' && rest.get(2) == Some(&'\'') && rest.get(1) != Some(&'\\') {
            3
        } else if rest.starts_with(&['\'', '\\']) {
            rest.iter()
                .skip(3)
                .position(|c| *c == '\'')
                .map_or(rest.len(), |n| n + 4)
        } else {
            0
        };
        if length == 0 {
            line += usize::from(rest[0] == '\n');
            code.push(rest[0]);
            at += 1;
            continue;
        }
        for c in &rest[..length] {
            line += usize::from(*c == '\n');
            blank(&mut code, *c);
        }
        at += length;
    }
    (code, texts)
}

/// The code with its test items blanked out, and the lines that were theirs.
fn strip_tests(code: &str) -> (String, Vec<std::ops::RangeInclusive<usize>>) {
    let (mut kept, mut dropped) = (String::new(), Vec::new());
    // The first line of the test item, and whether its body has begun.
    let mut test_item: Option<(usize, bool)> = None;
    for (n, line) in code.lines().enumerate() {
        if test_item.is_none() && line.trim_end() == "#[cfg(test)]" {
            test_item = Some((n + 1, false));
        }
        kept.push_str(if test_item.is_none() { line } else { "" });
        kept.push('\n');
        let Some((first, has_body)) = &mut test_item else {
            continue;
        };
        *has_body |= line.contains('{');
        // An item without a body (`pub mod testing;`), or a block that the formatter closes at the
        // margin.
        let is_at_margin = !line.starts_with(' ');
        let is_over = if *has_body {
            is_at_margin && line.ends_with(['}', ';'])
        } else {
            line.trim_end().ends_with(';')
        };
        if is_over {
            dropped.push(*first..=n + 1);
            test_item = None;
        }
    }
    (kept, dropped)
}

fn line_number(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// What a rule found.
#[derive(Default)]
pub struct Violations {
    pub path: String,
    messages: String,
}

impl Violations {
    pub fn add(&mut self, line: usize, what: String) {
        let _ = writeln!(self.messages, "  {}:{line}: {what}", self.path);
    }

    pub fn report(self, remedy: &str) {
        assert!(
            self.messages.is_empty(),
            "\n{}  -> {remedy}\n",
            self.messages
        );
    }
}

/// Every source file that is not a test file, read once for all rules.
pub static SOURCES: LazyLock<Vec<SourceFile>> = LazyLock::new(|| {
    files_with_endings(&source_root().join("src"), &["rs"])
        .into_iter()
        .filter(|path| {
            path.file_stem().is_none_or(|stem| stem != "tests")
                && path.iter().all(|part| part != "tests")
        })
        .map(|path| SourceFile::parse(path.clone(), &fs::read_to_string(path).unwrap()))
        .collect()
});

/// Holds a rule against every source file that is not a test file.
pub fn check_sources(remedy: &str, mut rule: impl FnMut(&SourceFile, &mut Violations)) {
    let mut faults = Violations::default();
    for source in SOURCES.iter() {
        faults.path = relative_path(&source.path);
        rule(source, &mut faults);
    }
    faults.report(remedy);
}

pub fn source_root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

pub fn relative_path(path: &Path) -> String {
    path.strip_prefix(source_root())
        .unwrap_or(path)
        .display()
        .to_string()
}

/// The files below a folder with one of these endings (or names), sorted; not what is built.
pub fn files_with_endings(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path.is_dir() {
            if name != "target" && name != ".git" {
                found.extend(files_with_endings(&path, endings));
            }
        } else if endings
            .iter()
            .any(|ending| name == *ending || name.ends_with(&format!(".{ending}")))
        {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn the_source_parser_skips_strings_comments_and_tests() {
    let source = SourceFile::parse(
        PathBuf::from("src/app/queue.rs"),
        "//! Doc.\nuse crate::{client, domain::{ids, queue}};\nlet a = \"crate::cli\"; // crate::service\nlet b = r#\"SELECT \"1\"\"#;\nlet c: &'a char = &'\"';\n\
         fn f() { super::super::ui::x(); }\n#[cfg(test)]\nmod tests {\n    use crate::runtime;\n}\nuse crate::text;\n",
    );
    let named: Vec<_> = source
        .referenced_layers()
        .into_iter()
        .map(|(_, name)| name)
        .collect();
    assert_eq!(named, ["client", "domain", "text", "ui"]);
    assert_eq!(
        source.string_literals,
        [(3, "crate::cli".to_owned()), (4, "SELECT \"1\"".to_owned())]
    );
}

#[test]
fn the_source_parser_resumes_after_a_test_item_of_any_form() {
    for item in [
        "mod tests;",
        "pub mod testing;",
        "pub(crate) mod testing;",
        "use a::{b, c};",
        "fn f() {}",
        "mod t {\n    fn g() {}\n}",
        "use a::{\n    b,\n};",
    ] {
        let source = SourceFile::parse(
            PathBuf::from("src/app/mod.rs"),
            &format!("//! Doc.\n#[cfg(test)]\n{item}\nfn after() {{}}\n"),
        );
        assert!(
            source.code.contains("fn after"),
            "{item}: what follows is skipped"
        );
        assert!(
            !source.code.contains(item.lines().next().unwrap()),
            "{item}: the item is kept"
        );
    }
}

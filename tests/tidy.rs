//! The walls of the house: who may name whom, and where a clock, a print, a color or SQL has its room.
//!
//! Reads the sources as text. A rule that fails says where, what and what to do instead; a rule that is wrong is changed here,
//! in the table, and not at the place that breaks it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so by breaking")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// What each layer may name besides itself.
const LAYER_DEPENDENCIES: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("text", &[]),
    ("export", &["text"]),
    ("config", &["text"]),
    ("client", &["domain"]),
    ("service", &["domain", "text"]),
    ("store", &["domain"]),
    ("ui", &["text"]),
    ("app", &["domain", "text", "ui"]),
    ("runtime", &["domain", "text", "config", "client", "service", "store", "export", "ui", "app"]),
    ("cli", &["domain", "text", "config", "client", "service", "store", "export"]),
];

/// Which rooms may name a library, and why the others may not.
const LIBRARY_USERS: &[(&str, &[&str], &str)] = &[
    ("reqwest", &["client/"], "only the client speaks HTTP"),
    // The sample world and the import pass a connection on to the database rooms; they write no SQL.
    (
        "rusqlite",
        &["service/db/", "service/search/", "service/sample/", "service/import/", "store/"],
        "only the service's database rooms and the store know SQLite",
    ),
    ("axum", &["service/"], "only the service has routes"),
    ("lettre", &["service/mail/"], "only the mail room sends mail"),
    ("ratatui", &["ui/", "app/", "runtime/"], "only the console draws"),
    ("crossterm", &["ui/", "app/", "runtime/"], "only the console has keys"),
    ("clap", &["cli/", "main.rs"], "only the command line has arguments"),
    (
        "tokio",
        &["client/", "service/", "store/mod.rs", "runtime/", "cli/", "main.rs"],
        "nothing here waits: ask for it with an effect",
    ),
    (
        "std::fs",
        &["config/", "client/", "service/", "store/", "runtime/", "cli/", "main.rs"],
        "no files here: take the text as an argument",
    ),
    ("std::env", &["config/", "client/", "service/", "runtime/", "cli/", "main.rs"], "no environment here: it is an argument"),
    ("std::thread", &["service/", "store/", "runtime/", "cli/", "main.rs"], "no threads here"),
    ("std::net", &["client/", "service/", "runtime/", "cli/", "main.rs"], "no network here"),
];

/// Where time is read (a transport measures its deadlines). Everywhere else it is an argument.
const CLOCK_PATHS: &[&str] = &["runtime/", "client/transport.rs", "service/clock.rs", "cli/", "main.rs"];
const CLOCK_CALLS: &[&str] = &["Utc::now", "Local::now", "SystemTime::now", "Instant::now"];

/// Where standard output and standard error are written.
const PRINT_PATHS: &[&str] = &["cli/print.rs"];
const PRINT_MACROS: &[&str] = &["println!", "eprintln!", "print!", "eprint!", "dbg!"];

/// Where a color has a name: the theme that decides, and the encoder that sends it.
const COLOR_PATHS: &[&str] = &["ui/theme.rs", "ui/theme/", "runtime/frame_writer.rs"];

/// Where SQL is written.
const SQL_PATHS: &[&str] = &["service/db/", "service/search/", "store/"];
const SQL_KEYWORDS: &[&str] =
    &["SELECT ", "INSERT INTO", "INSERT OR", "UPDATE ", "DELETE FROM", "CREATE TABLE", "PRAGMA ", " WHERE ", " ORDER BY "];

/// What lies over the screen, and the first screen: their keys are fixed.
const FIXED_KEY_PATHS: &[&str] = &["app/overlay/", "app/panes/start/"];
/// Words that only look like it, and keys of what lies over the screen.
const KEY_LOOKALIKES: &[(&str, &str)] = &[("b", "means"), ("Enter", "adds"), ("Space", "marks")];

/// Lines of a file without its tests.
const MAX_CODE_LINES: usize = 450;

#[test]
fn layers_depend_only_on_allowed_layers() {
    check_sources("the map is in src/lib.rs and in the table WALLS of this test", |source, faults| {
        let layer = source.layer();
        let Some((_, allowed)) = LAYER_DEPENDENCIES.iter().find(|(name, _)| *name == layer) else {
            if !matches!(layer, "lib" | "main") {
                faults.add(1, format!("the layer {layer} is not on the map"));
            }
            return;
        };
        for (line, named) in source.referenced_layers() {
            if named != layer && !allowed.contains(&named.as_str()) && LAYER_DEPENDENCIES.iter().any(|(name, _)| *name == named) {
                faults.add(line, format!("{layer} names {named}"));
            }
        }
    });
}

#[test]
fn each_library_is_used_only_in_its_modules() {
    check_sources("the rooms are in the table LIBRARIES of this test", |source, faults| {
        for (library, rooms, why) in LIBRARY_USERS {
            if !source.is_in(rooms) {
                for line in source.lines_containing(&format!("{library}::")) {
                    faults.add(line, format!("{library} is named: {why}"));
                }
            }
        }
    });
}

#[test]
fn only_clock_modules_read_the_time() {
    check_sources("take `now` as an argument", |source, faults| {
        if !source.is_in(CLOCK_PATHS) {
            for word in CLOCK_CALLS {
                source.lines_containing(word).for_each(|line| faults.add(line, format!("{word} is called")));
            }
        }
    });
}

#[test]
fn only_the_print_module_prints() {
    check_sources("return the text, or print it through cli::print", |source, faults| {
        if !source.is_in(PRINT_PATHS) {
            for word in PRINT_MACROS {
                source.lines_containing(word).for_each(|line| faults.add(line, format!("{word} is used")));
            }
        }
    });
}

#[test]
fn code_outside_tests_never_unwraps() {
    check_sources("return the failure, or say with `expect` why it cannot be", |source, faults| {
        for word in [".unwrap()", "todo!", "unimplemented!"] {
            source.lines_containing(word).for_each(|line| faults.add(line, format!("{word} outside the tests")));
        }
    });
}

#[test]
fn colours_are_named_only_in_the_theme() {
    check_sources("take a style from ui::theme", |source, faults| {
        if !source.is_in(COLOR_PATHS) {
            source.lines_containing("Color::").for_each(|line| faults.add(line, "a color is named".into()));
        }
    });
}

#[test]
fn console_messages_take_key_names_from_the_keymap() {
    check_sources("write {command}: Notice::with and Keymap::words put its key there", |source, faults| {
        if source.is_in(&["app/"]) && !source.is_in(FIXED_KEY_PATHS) {
            for (line, text) in &source.string_literals {
                if let Some((key, verb)) = literal_key_hint(text).filter(|(key, verb)| !KEY_LOOKALIKES.contains(&(*key, *verb))) {
                    faults.add(*line, format!("a key by hand: {key} {verb}"));
                }
            }
        }
    });
    assert_eq!(literal_key_hint("done: one signal; z undoes"), Some(("z", "undoes")));
    assert_eq!(literal_key_hint("gt goes on with it"), Some(("gt", "goes")));
    assert_eq!(literal_key_hint("{undo} undoes, Ctrl-c stops, a list grows"), None);
}

/// A key and what it does, as in `z undoes`.
fn literal_key_hint(text: &str) -> Option<(&str, &str)> {
    let named = ["Enter", "Esc", "Space", "Tab", "Up", "Down", "Left", "Right", "aa", "gt", "gp"];
    let is_key = |word: &str| match word {
        "a" | "A" | "I" | "Ctrl-c" | "-" | ";" => false,
        word if word.len() == 1 => word.is_ascii() && !word.starts_with(|c: char| c.is_ascii_digit()),
        word => named.contains(&word) || word.starts_with("Ctrl-") || (word.len() == 2 && word.starts_with(['m', 'y', '*'])),
    };
    let is_verb = |word: &str| word.len() > 3 && word.ends_with('s') && word.chars().all(|c| c.is_ascii_lowercase());
    let words: Vec<&str> = text.split([' ', '\n']).collect();
    let pairs = words.iter().zip(words.iter().skip(1)).map(|(key, verb)| (*key, verb.trim_end_matches([',', ';', '.'])));
    pairs.into_iter().find(|(key, verb)| is_key(key) && is_verb(verb) && *key != "my")
}

#[test]
fn sql_is_written_only_in_database_modules() {
    check_sources("ask a function of service::db, service::search or store", |source, faults| {
        if !source.is_in(SQL_PATHS) {
            for (line, text) in &source.string_literals {
                if let Some(word) = SQL_KEYWORDS.iter().find(|word| text.contains(**word)) {
                    faults.add(*line, format!("a text with {:?}", word.trim()));
                }
            }
        }
    });
}

#[test]
fn every_file_has_a_header_and_stays_below_the_line_limit() {
    check_sources(
        "begin with `//!`: what the module is and what it never does; divide it by subject when it is too long",
        |source, faults| {
            if !source.full_text.starts_with("//!") {
                faults.add(1, "no module documentation".into());
            }
            let lines = source.line_count;
            if lines > MAX_CODE_LINES {
                faults.add(lines, format!("{lines} lines without tests, {MAX_CODE_LINES} at most"));
            }
        },
    );
}

#[test]
fn no_todo_and_no_machine_specific_text_is_left() {
    let mut faults = Violations::default();
    // Written in pieces, or this file would find itself.
    let words = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("/wo", "rk/"), concat!("/ro", "ot/")];
    for path in files_with_endings(&source_root(), &["rs", "toml", "md", "sql", "json", "snap", "txt", "run", "yml"]) {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        for (n, line) in text.lines().enumerate() {
            for word in words.iter().filter(|word| line.contains(**word)) {
                faults.path = relative_path(&path);
                faults.add(n + 1, format!("{word:?}"));
            }
        }
    }
    faults.report("do it now, or leave it out");
}

#[test]
fn the_layer_table_matches_the_map_in_lib_rs() {
    let map = fs::read_to_string(source_root().join("src/lib.rs")).unwrap();
    for (layer, _) in LAYER_DEPENDENCIES {
        assert!(map.contains(&format!("mod {layer};")), "{layer} is in the table of this test and not in src/lib.rs");
        assert!(map.contains(&format!("[`{layer}`]")), "{layer} is not on the map in src/lib.rs");
    }
}

#[test]
fn the_source_parser_skips_strings_comments_and_tests() {
    let source = SourceFile::parse(
        PathBuf::from("src/app/queue.rs"),
        "//! Doc.\nuse crate::{client, domain::{ids, queue}};\nlet a = \"crate::cli\"; // crate::service\nlet b = r#\"SELECT \"1\"\"#;\nlet c: &'a char = &'\"';\n\
         fn f() { super::super::ui::x(); }\n#[cfg(test)]\nmod tests {\n    use crate::runtime;\n}\nuse crate::text;\n",
    );
    let named: Vec<_> = source.referenced_layers().into_iter().map(|(_, name)| name).collect();
    assert_eq!(named, ["client", "domain", "text", "ui"]);
    assert_eq!(source.string_literals, [(3, "crate::cli".to_owned()), (4, "SELECT \"1\"".to_owned())]);
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
        let source =
            SourceFile::parse(PathBuf::from("src/app/mod.rs"), &format!("//! Doc.\n#[cfg(test)]\n{item}\nfn after() {{}}\n"));
        assert!(source.code.contains("fn after"), "{item}: what follows is skipped");
        assert!(!source.code.contains(item.lines().next().unwrap()), "{item}: the item is kept");
    }
}

/// Names that more than two types of `src` may share, and why.
const SHARED_TYPE_NAMES: &[(&str, &str)] = &[];

#[test]
fn a_type_name_occurs_at_most_twice() {
    let mut owners: BTreeMap<String, Vec<String>> = BTreeMap::new();
    check_sources("", |source, _| {
        for (line, text) in source.code.lines().enumerate() {
            let text = text.trim_start();
            let text = text
                .strip_prefix("pub")
                .map_or(text, |rest| rest.trim_start_matches(|c: char| c == '(' || c == ')' || c.is_lowercase()).trim_start());
            for keyword in ["struct ", "enum ", "trait ", "union ", "type "] {
                // An associated type of an impl has the name that its trait gives it.
                if let Some(rest) = text
                    .strip_prefix(keyword)
                    .filter(|_| keyword != "type " || !source.code.lines().nth(line).unwrap().starts_with(' '))
                {
                    let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                    owners.entry(name).or_default().push(format!("{}:{}", source.display_path(), line + 1));
                }
            }
        }
    });
    let shared: Vec<_> = owners
        .iter()
        .filter(|(name, places)| places.len() > 2 && !SHARED_TYPE_NAMES.iter().any(|(shared, _)| shared == name))
        .collect();
    assert!(shared.is_empty(), "qualify these names by what they belong to: {shared:#?}");
}

/// Words that are no name of a function that others call: they say neither what is done nor to what.
const BARE_WORDS: &[&str] = &[
    "about",
    "above",
    "after",
    "again",
    "ahead",
    "alone",
    "anew",
    "around",
    "aside",
    "away",
    "back",
    "before",
    "behind",
    "below",
    "beside",
    "besides",
    "beyond",
    "by",
    "far",
    "for",
    "here",
    "in",
    "near",
    "of",
    "off",
    "on",
    "out",
    "over",
    "past",
    "so",
    "soon",
    "there",
    "those",
    "through",
    "to",
    "under",
    "until",
    "up",
    "via",
    "with",
    "within",
    "without",
    "answered",
    "asked",
    "began",
    "broken",
    "built",
    "chosen",
    "done",
    "ended",
    "found",
    "given",
    "gone",
    "heard",
    "held",
    "kept",
    "known",
    "lent",
    "looked",
    "lost",
    "made",
    "meant",
    "moved",
    "named",
    "said",
    "seen",
    "sent",
    "settled",
    "shown",
    "sought",
    "spent",
    "spoken",
    "taken",
    "told",
    "turned",
    "typed",
    "understood",
    "verified",
    "woke",
    "hear",
    "hold",
    "lay",
    "tell",
    "say",
];

#[test]
fn no_public_function_is_a_lone_preposition_or_participle() {
    check_sources("name it by a verb and its object", |source, faults| {
        for (line, text) in source.code.lines().enumerate() {
            let text = text.trim_start();
            if let Some((_, rest)) = text.split_once("fn ").filter(|(before, _)| before.starts_with("pub")) {
                let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                if BARE_WORDS.contains(&name.as_str()) {
                    faults.add(line + 1, format!("fn {name}"));
                }
            }
        }
    });
}

/// Phrases that no user should read, each with its plain form.
const WORDS_TO_AVOID: &[(&str, &str)] = &[
    ("anew", "again"),
    ("unless said", "by default"),
    ("so long", "for a duration"),
    ("what became of", "the result of"),
    ("who asks", "the caller"),
    ("is no id", "is not a valid id"),
    ("are nowhere", "say what is loaded"),
    ("is told", "is shown"),
    ("not told", "unknown"),
    ("does not tell", "does not report"),
    ("taken back", "undone"),
    ("takes back", "undoes"),
    ("broke off", "was interrupted"),
    ("the way to", "the connection to"),
    ("goes on with", "resumes"),
    ("go on with", "resume"),
    ("none is taken", "none is accepted"),
    ("not to be had", "unavailable"),
    ("come free", "are released"),
    ("of its own", "its own"),
    ("it is so already", "no change needed"),
    ("all the same", "anyway"),
    ("a word on", "a note about"),
];

#[test]
fn text_for_people_uses_plain_words() {
    check_sources("use the plain form", |source, faults| {
        if matches!(source.layer(), "app" | "cli" | "client" | "config" | "runtime" | "store" | "domain" | "service") {
            for (line, text) in source.string_literals.iter().filter(|(_, text)| text.contains(' ')) {
                let text = text.to_lowercase();
                for (phrase, plain) in WORDS_TO_AVOID {
                    if text.contains(phrase) {
                        faults.add(*line, format!("{phrase:?}: {plain}"));
                    }
                }
            }
        }
    });
}

/// One source file: as it is, its code without comments, texts and tests, and its texts.
struct SourceFile {
    path: PathBuf,
    full_text: String,
    code: String,
    string_literals: Vec<(usize, String)>,
    line_count: usize,
}

impl SourceFile {
    fn parse(path: PathBuf, whole: &str) -> SourceFile {
        let (code, texts) = split_code_and_strings(whole);
        let (code, dropped) = strip_tests(&code);
        let lines = code.lines().count() - dropped.iter().map(|lines| lines.clone().count()).sum::<usize>();
        let texts = texts.into_iter().filter(|(line, _)| !dropped.iter().any(|lines| lines.contains(line))).collect();
        SourceFile { path, full_text: whole.to_owned(), code, string_literals: texts, line_count: lines }
    }

    /// The path below `src`.
    fn display_path(&self) -> String {
        let parts: Vec<_> = self.path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        let below = parts.iter().rposition(|part| part == "src").map_or(0, |at| at + 1);
        parts[below..].join("/")
    }

    fn layer(&self) -> &str {
        let first = self.path.iter().skip_while(|part| *part != "src").nth(1).and_then(|part| part.to_str()).unwrap_or_default();
        first.trim_end_matches(".rs")
    }

    fn is_in(&self, rooms: &[&str]) -> bool {
        let place = self.display_path();
        rooms.iter().any(|room| place == *room || (room.ends_with('/') && place.starts_with(room)))
    }

    fn lines_containing(&self, word: &str) -> impl Iterator<Item = usize> {
        let starts_name = word.starts_with(|c: char| c.is_alphanumeric());
        let found: Vec<usize> = self.code.match_indices(word).map(|(at, _)| at).collect();
        let lines: Vec<usize> = found
            .into_iter()
            .filter(|at| !starts_name || !self.code[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':'))
            .map(|at| line_number(&self.code, at))
            .collect();
        lines.into_iter()
    }

    /// The layers that the code names: after `crate::`, after the crate's own name, and after enough `super::`.
    fn referenced_layers(&self) -> Vec<(usize, String)> {
        let mut named = Vec::new();
        for root in ["crate::", "gantry::"] {
            for (at, _) in self.code.match_indices(root) {
                let names = first_path_segments(&self.code[at + root.len()..]);
                named.extend(names.into_iter().map(|name| (line_number(&self.code, at), name)));
            }
        }
        let place = self.display_path();
        let depth = place.split('/').count() - usize::from(place.ends_with("/mod.rs"));
        let up = "super::".repeat(depth);
        for (at, _) in self.code.match_indices(&up) {
            if !self.code[..at].ends_with("super::") && !self.code[at + up.len()..].starts_with("super::") {
                let names = first_path_segments(&self.code[at + up.len()..]);
                named.extend(names.into_iter().map(|name| (line_number(&self.code, at), name)));
            }
        }
        named
    }
}

/// The names that a path goes on with: one, or those of a group in braces.
fn first_path_segments(rest: &str) -> Vec<String> {
    let name = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let Some(group) = rest.strip_prefix('{') else { return vec![name(rest)] };
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
        let after_name = code.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let length = if rest.starts_with(&['/', '/']) {
            rest.iter().position(|c| *c == '\n').unwrap_or(rest.len())
        } else if rest.starts_with(&['/', '*']) {
            (2..rest.len()).find(|n| rest[*n..].starts_with(&['*', '/'])).map_or(rest.len(), |n| n + 2)
        } else if rest[0] == '"' {
            let mut end = 1;
            while end < rest.len() && rest[end] != '"' {
                end += 1 + usize::from(rest[end] == '\\');
            }
            texts.push((line, rest[1..end.min(rest.len())].iter().collect()));
            (end + 1).min(rest.len())
        } else if rest[0] == 'r' && !after_name && matches!(rest.get(1), Some('"' | '#')) {
            let marks = rest[1..].iter().take_while(|c| **c == '#').count();
            if rest.get(marks + 1) != Some(&'"') {
                0
            } else {
                let close: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', marks)).collect();
                let start = marks + 2;
                let end = (start..rest.len()).find(|n| rest[*n..].starts_with(&close)).unwrap_or(rest.len());
                texts.push((line, rest[start..end].iter().collect()));
                (end + close.len()).min(rest.len())
            }
        } else if rest[0] == '\'' && rest.get(2) == Some(&'\'') && rest.get(1) != Some(&'\\') {
            3
        } else if rest.starts_with(&['\'', '\\']) {
            rest.iter().skip(3).position(|c| *c == '\'').map_or(rest.len(), |n| n + 4)
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
        let Some((first, has_body)) = &mut test_item else { continue };
        *has_body |= line.contains('{');
        // An item without a body (`pub mod testing;`), or a block that the formatter closes at the margin.
        let is_at_margin = !line.starts_with(' ');
        let is_over = if *has_body { is_at_margin && line.ends_with(['}', ';']) } else { line.trim_end().ends_with(';') };
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
struct Violations {
    path: String,
    messages: String,
}

impl Violations {
    fn add(&mut self, line: usize, what: String) {
        let _ = writeln!(self.messages, "  {}:{line}: {what}", self.path);
    }

    fn report(self, remedy: &str) {
        assert!(self.messages.is_empty(), "\n{}  -> {remedy}\n", self.messages);
    }
}

/// Holds a rule against every source file that is no test.
fn check_sources(remedy: &str, mut rule: impl FnMut(&SourceFile, &mut Violations)) {
    let mut faults = Violations::default();
    for path in files_with_endings(&source_root().join("src"), &["rs"]) {
        if path.file_stem().is_some_and(|stem| stem == "tests") || path.iter().any(|part| part == "tests") {
            continue;
        }
        let source = SourceFile::parse(path.clone(), &fs::read_to_string(&path).unwrap());
        faults.path = relative_path(&path);
        rule(&source, &mut faults);
    }
    faults.report(remedy);
}

fn source_root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn relative_path(path: &Path) -> String {
    path.strip_prefix(source_root()).unwrap_or(path).display().to_string()
}

/// The files below a folder with one of these endings (or names), sorted; not what is built.
fn files_with_endings(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "target" && name != ".git" {
                found.extend(files_with_endings(&path, endings));
            }
        } else if endings.iter().any(|ending| name == *ending || name.ends_with(&format!(".{ending}"))) {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn the_notices_name_every_dependency() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |name: &str| fs::read_to_string(root.join(name)).unwrap();
    let (lock, notices) = (read("Cargo.lock"), read("THIRD-PARTY-NOTICES"));
    // The only one under the Mozilla Public License: who gets the program is told where its source is.
    assert_eq!(lock.contains("name = \"nucleo-matcher\""), notices.contains("https://crates.io/crates/nucleo-matcher"));
    let manifest = read("Cargo.toml");
    let section = manifest.split("[dependencies]").nth(1).unwrap().split("\n[").next().unwrap();
    for name in
        section.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(" = ")).map(|(name, _)| name)
    {
        assert!(notices.contains(&format!("\n{name}: ")), "THIRD-PARTY-NOTICES does not name {name}");
    }
}

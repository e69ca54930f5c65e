//! Which file names an item of which other file, and the cycles of that graph.
//!
//! A path leads to the file that defines its item: re-exports are followed. The import of a module
//! counts where its items are named. Calls of methods are not seen: a file with an `impl` block
//! depends on the file of the type, not the other way round.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::LazyLock;

use crate::source::{SOURCES, SourceFile};
use crate::{LAYER_DEPENDENCIES, limit_fault};

pub static MODULES: LazyLock<ModuleTree> = LazyLock::new(|| ModuleTree::new(&SOURCES));
pub static IMPORTS: LazyLock<ImportGraph> = LazyLock::new(|| ImportGraph::new(&MODULES));

/// How many re-exports are followed from one path.
const MAX_REEXPORTS: usize = 8;

#[test]
fn largest_import_cycle_of_a_layer_is_bounded() {
    let mut faults = String::new();
    for (layer, _) in LAYER_DEPENDENCIES {
        let cycle = IMPORTS.largest_cycle_of(layer);
        let name = format!("files in the largest import cycle of {layer}");
        faults.extend(limit_fault(&name, cycle.len(), || IMPORTS.describe(&cycle)));
    }
    assert!(faults.is_empty(), "{faults}");
}

/// Files by their path below `src`, and which of them names which.
pub struct ImportGraph {
    pub files: Vec<String>,
    pub imports: Vec<Import>,
}

/// The first line of a file that names something of another file.
#[derive(PartialEq)]
pub struct Import {
    pub from: usize,
    pub line: usize,
    pub to: usize,
}

impl ImportGraph {
    pub fn new(tree: &ModuleTree) -> ImportGraph {
        let files: Vec<String> = tree
            .modules
            .values()
            .map(|module| module.file.clone())
            .collect();
        let numbers: HashMap<&String, usize> = files
            .iter()
            .enumerate()
            .map(|(number, file)| (file, number))
            .collect();
        let mut imports = Vec::new();
        for (from, module) in tree.modules.values().enumerate() {
            let mut lines: BTreeMap<usize, usize> = BTreeMap::new();
            for (line, path) in module.named_paths() {
                if let Some(file) = tree.defining_file(module, &path) {
                    lines
                        .entry(numbers[file])
                        .and_modify(|first| *first = line.min(*first))
                        .or_insert(line);
                }
            }
            lines.remove(&from);
            imports.extend(
                lines
                    .into_iter()
                    .map(|(to, line)| Import { from, line, to }),
            );
        }
        ImportGraph { files, imports }
    }

    fn largest_cycle_of(&self, layer: &str) -> Vec<usize> {
        let is_inside = |file: usize| self.files[file].split(['/', '.']).next() == Some(layer);
        self.largest_cycle(
            self.imports
                .iter()
                .filter(|import| is_inside(import.from) && is_inside(import.to)),
        )
    }

    /// The largest set of files that all reach each other through these imports.
    fn largest_cycle<'a>(&self, imports: impl Iterator<Item = &'a Import>) -> Vec<usize> {
        let mut next = vec![Vec::new(); self.files.len()];
        let mut previous = next.clone();
        for import in imports {
            next[import.from].push(import.to);
            previous[import.to].push(import.from);
        }
        let (mut largest, mut is_seen) = (Vec::new(), vec![false; self.files.len()]);
        for file in 0..self.files.len() {
            if !is_seen[file] && !next[file].is_empty() && !previous[file].is_empty() {
                let (forward, backward) = (reachable(file, &next), reachable(file, &previous));
                let cycle: Vec<usize> = (0..self.files.len())
                    .filter(|file| forward[*file] && backward[*file])
                    .collect();
                cycle.iter().for_each(|file| is_seen[*file] = true);
                if cycle.len() > 1.max(largest.len()) {
                    largest = cycle;
                }
            }
        }
        largest
    }

    /// The files of a cycle, and the imports and files without which it would be smallest.
    fn describe(&self, cycle: &[usize]) -> String {
        let is_inside =
            |import: &&Import| cycle.contains(&import.from) && cycle.contains(&import.to);
        let inside: Vec<&Import> = self.imports.iter().filter(is_inside).collect();
        let mut without_import: Vec<(usize, String)> = inside
            .iter()
            .map(|removed| {
                let size = self
                    .largest_cycle(inside.iter().filter(|import| *import != removed).copied())
                    .len();
                (
                    size,
                    format!(
                        "src/{}:{} names src/{}",
                        self.files[removed.from], removed.line, self.files[removed.to]
                    ),
                )
            })
            .collect();
        let mut without_file: Vec<(usize, String)> = cycle
            .iter()
            .map(|file| {
                let size = self
                    .largest_cycle(inside.iter().filter(|import| import.to != *file).copied())
                    .len();
                (size, format!("all that names src/{}", self.files[*file]))
            })
            .collect();
        without_import.sort();
        without_file.sort();
        let mut text = format!("  its files, with {} imports among them:\n", inside.len());
        text.extend(
            cycle
                .iter()
                .map(|file| format!("    src/{}\n", self.files[*file])),
        );
        text.push_str("  how many files are left without:\n");
        for (size, what) in without_import
            .iter()
            .take(12)
            .chain(without_file.iter().take(8))
        {
            let _ = writeln!(text, "    {size}: {what}");
        }
        text
    }
}

/// Which files can be reached from a file, itself among them.
fn reachable(start: usize, next: &[Vec<usize>]) -> Vec<bool> {
    let (mut is_reached, mut open) = (vec![false; next.len()], vec![start]);
    while let Some(file) = open.pop() {
        if !std::mem::replace(&mut is_reached[file], true) {
            open.extend(&next[file]);
        }
    }
    is_reached
}

/// A path as it is written: its names, without generics.
type NamePath<'a> = Vec<&'a str>;

/// The modules of the crate that are files, by their paths.
pub struct ModuleTree<'a> {
    pub modules: BTreeMap<NamePath<'a>, Module<'a>>,
}

pub struct Module<'a> {
    path: NamePath<'a>,
    pub file: String,
    pub tokens: Vec<Token<'a>>,
    uses: Vec<UseItem<'a>>,
    /// What each imported name stands for.
    bindings: HashMap<&'a str, NamePath<'a>>,
    /// Items at the margin of the file.
    defined: HashSet<&'a str>,
}

struct UseItem<'a> {
    line: usize,
    path: NamePath<'a>,
    /// None if it imports all of a module.
    name: Option<&'a str>,
}

impl<'a> ModuleTree<'a> {
    pub fn new(sources: &'a [SourceFile]) -> ModuleTree<'a> {
        let paths: Vec<NamePath> = sources.iter().map(|source| module_path(source)).collect();
        let test_modules: Vec<NamePath> = sources
            .iter()
            .zip(&paths)
            .flat_map(|(source, path)| {
                source
                    .test_modules
                    .iter()
                    .map(|name| [path.as_slice(), &[name.as_str()]].concat())
            })
            .collect();
        let is_test = |path: &NamePath| test_modules.iter().any(|module| path.starts_with(module));
        let modules = sources.iter().zip(paths).filter(|(_, path)| !is_test(path));
        ModuleTree {
            modules: modules
                .map(|(source, path)| (path.clone(), Module::new(path, source)))
                .collect(),
        }
    }

    /// The file of the item that a path in this module names; None for a mere module and for what
    /// is not in the crate.
    pub fn defining_file(&self, module: &Module<'a>, path: &[&'a str]) -> Option<&String> {
        self.resolve(module, path, MAX_REEXPORTS)
    }

    fn resolve(&self, module: &Module<'a>, path: &[&'a str], depth: usize) -> Option<&String> {
        let absolute = self.absolute(module, path, depth)?;
        let length = (0..=absolute.len())
            .rev()
            .find(|length| self.modules.contains_key(&absolute[..*length]))?;
        let (owner, item) = (&self.modules[&absolute[..length]], *absolute.get(length)?);
        if item == "*" || owner.defined.contains(item) {
            return Some(&owner.file);
        }
        let depth = depth.checked_sub(1)?;
        if let Some(bound) = owner.bindings.get(item) {
            return self.resolve(
                owner,
                &[bound.as_slice(), &absolute[length + 1..]].concat(),
                depth,
            );
        }
        let globs = owner.uses.iter().filter(|import| import.name.is_none());
        let mut targets =
            globs.filter_map(|glob| self.absolute(owner, &glob.path[..glob.path.len() - 1], depth));
        let target = targets.find_map(|target| {
            self.modules
                .get(&target)
                .filter(|target| target.defined.contains(item))
        });
        Some(&target.unwrap_or(owner).file)
    }

    /// A path from the root of the crate; None if it leads out of it.
    fn absolute(
        &self,
        module: &Module<'a>,
        path: &[&'a str],
        depth: usize,
    ) -> Option<NamePath<'a>> {
        let (first, rest) = path.split_first()?;
        let mut base = match *first {
            "crate" => Vec::new(),
            "self" => module.path.clone(),
            "super" => module.path.split_last()?.1.to_vec(),
            child
                if self
                    .modules
                    .contains_key(&[module.path.as_slice(), &[child]].concat()) =>
            {
                [module.path.as_slice(), &[child]].concat()
            }
            name => self.absolute(module, module.bindings.get(name)?, depth.checked_sub(1)?)?,
        };
        for name in rest {
            if *name == "super" {
                base.pop()?;
            } else {
                base.push(name);
            }
        }
        Some(base)
    }
}

impl<'a> Module<'a> {
    fn new(path: NamePath<'a>, source: &'a SourceFile) -> Module<'a> {
        let tokens = tokenize(&source.code);
        let (mut uses, mut defined, mut depth) = (Vec::new(), HashSet::new(), 0);
        for (at, token) in tokens.iter().enumerate() {
            let next = |n: usize| tokens.get(at + n).map_or("", |token| token.text);
            match token.text {
                "{" => depth += 1,
                "}" => depth -= 1,
                "use" if is_use(&tokens, at) => {
                    read_use_tree(&tokens, &mut (at + 1), &[], &mut uses)
                }
                "struct" | "enum" | "union" | "trait" | "type" | "fn" | "const" | "static"
                | "mod"
                    if depth == 0 =>
                {
                    defined.insert(next(1));
                }
                "macro_rules" => drop(defined.insert(next(2))),
                _ => {}
            }
        }
        let bindings = uses
            .iter()
            .filter_map(|import: &UseItem| Some((import.name?, import.path.clone())))
            .collect();
        Module {
            path,
            file: source.display_path(),
            tokens,
            uses,
            bindings,
            defined,
        }
    }

    /// What the file names: by `use`, and by paths in its code.
    fn named_paths(&self) -> Vec<(usize, NamePath<'a>)> {
        let mut named: Vec<_> = self
            .uses
            .iter()
            .map(|import| (import.line, import.path.clone()))
            .collect();
        let mut at = 0;
        while at < self.tokens.len() {
            if is_use(&self.tokens, at) {
                while self.tokens.get(at).is_some_and(|token| token.text != ";") {
                    at += 1;
                }
                continue;
            }
            let path = path_at(&self.tokens, at);
            if path.len() > 1 {
                named.push((self.tokens[at].line, path.clone()));
            }
            at += (2 * path.len()).saturating_sub(1).max(1);
        }
        named
    }
}

/// The path from the root of the crate to the module of a file.
fn module_path(source: &SourceFile) -> NamePath<'_> {
    let parts = source
        .path
        .iter()
        .filter_map(|part| part.to_str())
        .collect::<Vec<_>>();
    let below = parts
        .iter()
        .rposition(|part| *part == "src")
        .map_or(0, |at| at + 1);
    let names = parts[below..]
        .iter()
        .map(|part| part.trim_end_matches(".rs"));
    names
        .filter(|name| !matches!(*name, "mod" | "lib"))
        .collect()
}

#[derive(Clone, Copy)]
pub struct Token<'a> {
    pub line: usize,
    pub text: &'a str,
}

impl Token<'_> {
    pub fn is_name(&self) -> bool {
        self.text
            .starts_with(|c: char| c.is_alphabetic() || c == '_')
    }
}

/// Names and numbers, `::`, and all other characters one by one.
pub fn tokenize(code: &str) -> Vec<Token<'_>> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
    let bytes = code.as_bytes();
    let (mut tokens, mut at, mut line) = (Vec::new(), 0, 1);
    while at < bytes.len() {
        let start = at;
        at += 1;
        if is_word(bytes[start]) {
            while at < bytes.len() && is_word(bytes[at]) {
                at += 1;
            }
        } else if code[start..].starts_with("::") {
            at += 1;
        }
        line += usize::from(bytes[start] == b'\n');
        if !bytes[start].is_ascii_whitespace() {
            tokens.push(Token {
                line,
                text: &code[start..at],
            });
        }
    }
    tokens
}

/// The path that starts at a token: names with `::` between them.
pub fn path_at<'a>(tokens: &[Token<'a>], mut at: usize) -> NamePath<'a> {
    let mut path = Vec::new();
    while let Some(token) = tokens.get(at).filter(|token| token.is_name()) {
        path.push(token.text);
        if tokens.get(at + 1).is_none_or(|token| token.text != "::") {
            break;
        }
        at += 2;
    }
    path
}

/// Whether a `use` declaration starts at a token, and not the `use<…>` of a type.
fn is_use(tokens: &[Token<'_>], at: usize) -> bool {
    tokens[at].text == "use" && tokens.get(at + 1).is_some_and(|token| token.text != "<")
}

/// Reads one tree of a `use`, up to the comma, brace or semicolon behind it.
fn read_use_tree<'a>(
    tokens: &[Token<'a>],
    at: &mut usize,
    prefix: &[&'a str],
    uses: &mut Vec<UseItem<'a>>,
) {
    let (mut path, mut rename, mut is_group) = (prefix.to_vec(), None, false);
    let line = tokens.get(*at).map_or(0, |token| token.line);
    while let Some(token) = tokens.get(*at) {
        match token.text {
            "{" => {
                is_group = true;
                while tokens.get(*at).is_some_and(|token| token.text != "}") {
                    *at += 1;
                    read_use_tree(tokens, at, &path, uses);
                }
            }
            "," | "}" | ";" => break,
            "as" => {
                *at += 1;
                rename = tokens.get(*at).map(|token| token.text);
            }
            "::" => {}
            name => path.push(name),
        }
        *at += 1;
    }
    if !is_group && path.len() > prefix.len() {
        if path.last() == Some(&"self") {
            path.pop();
        }
        let name = rename.or(path.last().copied()).filter(|name| *name != "*");
        uses.push(UseItem { line, path, name });
    }
}

/// Every import of a small tree, as `file:line file`.
fn imports_of(files: &[(&str, &str)]) -> Vec<String> {
    let graph = ImportGraph::new(&ModuleTree::new(&parse_files(files)));
    let show = |import: &Import| {
        format!(
            "{}:{} {}",
            graph.files[import.from], import.line, graph.files[import.to]
        )
    };
    graph.imports.iter().map(show).collect()
}

pub fn parse_files(files: &[(&str, &str)]) -> Vec<SourceFile> {
    files
        .iter()
        .map(|(path, text)| SourceFile::parse(PathBuf::from("src").join(path), text))
        .collect()
}

#[test]
fn a_path_leads_to_the_file_that_defines_its_item() {
    let tree = |text| {
        let files = [
            ("lib.rs", "pub mod app;\npub mod domain;"),
            (
                "app/mod.rs",
                "mod keys;\nmod queue;\npub use keys::{Key, press as hit};\npub struct App;\nconst APP: App = App;",
            ),
            ("app/keys.rs", "pub struct Key;\npub fn press() {}"),
            (
                "app/queue/mod.rs",
                "pub mod rows;\npub use rows::*;\npub struct Queue;",
            ),
            ("app/queue/rows.rs", "pub enum Row { One }"),
            ("app/user.rs", text),
            ("domain/mod.rs", "pub struct Id;"),
        ];
        let found = imports_of(&files)
            .into_iter()
            .filter_map(|import| Some(import.strip_prefix("app/user.rs:")?.to_owned()));
        found.collect::<Vec<_>>().join(", ")
    };
    for (text, expected) in [
        ("use crate::app::App;", "1 app/mod.rs"),
        (
            "use super::App as Console;\nimpl Console {}",
            "1 app/mod.rs",
        ),
        ("use super::Key;", "1 app/keys.rs"),
        ("use super::hit;", "1 app/keys.rs"),
        ("fn f() { crate::app::hit() }", "1 app/keys.rs"),
        (
            "use super::{\n    queue::{Queue, rows::Row::{self, One}},\n    App,\n};",
            "3 app/mod.rs, 2 app/queue/mod.rs, 2 app/queue/rows.rs",
        ),
        ("use super::queue::Row;", "1 app/queue/rows.rs"),
        ("use super::queue::*;", "1 app/queue/mod.rs"),
        (
            "use super::queue::{self as list};\n\nfn f(row: &list::rows::Row) {}",
            "3 app/queue/rows.rs",
        ),
        ("use super::queue;", ""),
        ("fn f(id: &dyn crate::domain::Id) {}", "1 domain/mod.rs"),
        (
            "fn f() -> Vec<super::queue::Queue> { crate::domain::Id; vec![] }",
            "1 app/queue/mod.rs, 1 domain/mod.rs",
        ),
        (
            "// crate::app::App\nconst A: &str = \"crate::app::App\";",
            "",
        ),
        ("#[cfg(test)]\nmod t {\n    use super::super::App;\n}", ""),
        ("use std::collections::{HashMap, hash_map::Entry};", ""),
        (
            "fn f() -> impl Fn() + use<> { super::hit }",
            "1 app/keys.rs",
        ),
    ] {
        assert_eq!(tree(text), expected, "{text}");
    }
}

#[test]
fn a_cycle_is_the_files_that_reach_each_other() {
    let files = [
        (
            "app/mod.rs",
            "mod a;\nmod b;\nmod c;\n#[cfg(test)]\npub(crate) mod testing;\npub use c::C;\npub struct App;",
        ),
        ("app/a.rs", "use super::b::B;\npub struct A;"),
        ("app/b.rs", "use super::C;\npub struct B;"),
        ("app/c.rs", "pub struct C;\n\nfn f() -> crate::app::a::A {}"),
        (
            "app/testing/mod.rs",
            "use super::App;\nuse super::a::A;\npub struct Fake;",
        ),
        ("app/d.rs", "use super::a::A;\nuse crate::cli::Args;"),
        ("cli/mod.rs", "use crate::app::d::D;\npub struct Args;"),
    ];
    let graph = ImportGraph::new(&ModuleTree::new(&parse_files(&files)));
    let cycle = graph.largest_cycle_of("app");
    let names: Vec<_> = cycle
        .iter()
        .map(|file| graph.files[*file].as_str())
        .collect();
    assert_eq!(
        names,
        ["app/a.rs", "app/b.rs", "app/c.rs"],
        "without mod.rs, which only declares, and without the tests"
    );
    assert!(
        graph
            .describe(&cycle)
            .contains("0: src/app/c.rs:3 names src/app/a.rs"),
        "{}",
        graph.describe(&cycle)
    );
    assert_eq!(
        graph.largest_cycle_of("cli"),
        [],
        "a cycle through two layers is none of either"
    );
}

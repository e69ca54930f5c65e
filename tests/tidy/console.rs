//! Rules on the console: its struct stays small, and its panes know nothing of each other.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::imports::{
    IMPORTS, ImportGraph, MODULES, Module, ModuleTree, Token, parse_files, path_at, tokenize,
};
use crate::limit_fault;
use crate::source::{SOURCES, SourceFile};

/// The struct of the console and its file: the first of these that exists.
const CONSOLE: &[(&str, &str)] = &[("Console", "app/console/mod.rs")];

/// What the panes share: its struct and the folder of all its `impl` blocks.
const CONTEXT: (&str, &str, &str) = ("Context", "app/context/mod.rs", "app/context/");

/// The struct that holds the panes.
const PANES: (&str, &str) = ("Panes", "app/panes/mod.rs");

/// Folders of src/app/panes that several panes may name, and why. Files beside the folders are
/// shared anyway.
const SHARED_COMPONENTS: &[(&str, &str)] = &[(
    "records",
    "the list of records that Views, the Book and Explore show",
)];

/// What the console and the runtime say to each other: calls, replies and their slots.
const PROTOCOL: &[&str] = &["app/effect.rs", "app/msg.rs"];

/// What a column of the queue is declared with.
const QUEUE_COLUMN: &str = "RowColumn";

/// Columns were these too: a variant of an enum, a match over it, a list of values.
const FORMER_COLUMNS: &[&str] = &["RowField", "ListField", "ColumnValues", "layout_of"];

#[test]
fn the_console_struct_is_implemented_in_few_files() {
    let files = implementing_files(&MODULES);
    check("files with an impl block of the console", &files);
}

#[test]
fn the_console_struct_has_few_fields() {
    let fields: Vec<_> = console(&MODULES)
        .fields
        .into_iter()
        .map(|field| field.name.to_owned())
        .collect();
    check("fields of the console", &fields);
}

/// Each is a subsystem that a handler borrows; the fields of most are private.
#[test]
fn panes_see_few_fields_of_the_context() {
    check(
        "fields of the context that panes see",
        &visible_fields(&MODULES),
    );
}

#[test]
fn the_context_is_implemented_in_its_folder() {
    let (name, _, folder) = CONTEXT;
    let outside: Vec<_> = files_implementing(&MODULES, name)
        .into_iter()
        .filter(|file| !file.starts_with(folder))
        .collect();
    check(
        "files outside its folder with an impl block of the context",
        &outside,
    );
}

#[test]
fn panes_do_not_name_each_other() {
    check(
        "files of a pane that name another pane",
        &named_panes(&IMPORTS),
    );
}

#[test]
fn no_field_of_one_pane_is_named_in_another_panes_folder() {
    check(
        "fields of one pane named in the folder of another",
        &foreign_fields(&MODULES),
    );
}

#[test]
fn the_console_asks_little_of_a_pane() {
    let module = MODULES
        .modules
        .values()
        .find(|module| module.file == "app/pane.rs");
    let tokens = &module.expect("the trait of panes").tokens;
    let at = tokens
        .windows(2)
        .position(|pair| pair[0].text == "trait" && pair[1].text == "Pane");
    let block = block_after(tokens, at.expect("trait Pane"));
    let methods: Vec<String> = block
        .filter(|at| tokens[at - 1].text == "fn")
        .map(|at| tokens[at].text.to_owned())
        .collect();
    check("methods that a pane may have for the console", &methods);
}

/// Measured on the feed, a screen with requests and prompts of its own.
#[test]
fn a_screen_is_registered_in_few_lines() {
    let lines = lines_that_name("feed", "Feed", &MODULES);
    let files: BTreeSet<String> = lines
        .iter()
        .filter_map(|line| Some(line.split_once(':')?.0.to_owned()))
        .collect();
    check(
        "files that register a screen",
        &files.into_iter().collect::<Vec<_>>(),
    );
    check("lines that register a screen", &lines);
}

#[test]
fn the_columns_of_the_queue_are_declared_once_in_one_file() {
    let columns = declared_columns(QUEUE_COLUMN);
    let files: BTreeSet<&str> = columns.iter().map(|(file, _)| file.as_str()).collect();
    let files: Vec<String> = files.into_iter().map(str::to_owned).collect();
    check("files that declare columns of the queue", &files);
    let keys: BTreeSet<&str> = columns.iter().map(|(_, key)| key.as_str()).collect();
    assert_eq!(keys.len(), columns.len(), "{columns:?}");
    assert!(keys.contains("area"), "{keys:?}");
}

/// Measured on columns that are drawn as what they are: of the queue the area, of other lists who
/// gets email for a subscription.
#[test]
fn a_column_is_one_line_in_one_file() {
    let knows_columns = |source: &SourceFile| {
        let path = source.display_path();
        let is_of_queue = path.contains("/queue") || path.contains("row_columns");
        source.layer() != "service" && (is_of_queue || source.code.contains("row_columns"))
    };
    let places = |key: &str, is_searched: &dyn Fn(&SourceFile) -> bool| -> Vec<String> {
        let sources = SOURCES.iter().filter(|source| is_searched(source));
        let lines = sources.flat_map(|source| {
            let named = source.string_literals.iter();
            let named = named.filter(|(_, text)| text == key);
            named.map(|(line, _)| format!("src/{}:{line}", source.display_path()))
        });
        lines.collect()
    };
    let of_queue = places("area", &knows_columns);
    check("lines that name a column of the queue", &of_queue);
    let of_list = places("mail_to", &|source| source.layer() == "app");
    check("lines that name a column of a list", &of_list);
}

#[test]
fn lists_have_one_idea_of_a_column() {
    let mut found = Vec::new();
    for source in SOURCES.iter() {
        let former = FORMER_COLUMNS.iter();
        let named = former.filter(|name| source.full_text.contains(**name));
        found.extend(named.map(|name| format!("src/{} {name}", source.display_path())));
    }
    check("files that name another idea of a column", &found);
}

/// The keys of the columns that are declared with this type, each with its file.
fn declared_columns(declared_type: &str) -> Vec<(String, String)> {
    let mut columns = Vec::new();
    for source in SOURCES.iter() {
        let tokens = tokenize(&source.code);
        for declaration in tokens.windows(3) {
            let [name, path, function] = declaration else {
                continue;
            };
            if (name.text, path.text, function.text) != (declared_type, "::", "new") {
                continue;
            }
            let mut texts = source.string_literals.iter();
            let key = texts.find(|(line, _)| *line >= name.line);
            columns.extend(key.map(|(_, key)| (source.display_path(), key.clone())));
        }
    }
    columns
}

/// Holds the number of findings against its limit.
pub fn check(name: &str, found: &[String]) {
    let fault = limit_fault(name, found.len(), || {
        found.iter().map(|line| format!("    {line}\n")).collect()
    });
    assert!(fault.is_none(), "{}", fault.unwrap_or_default());
}

/// A struct and where it is defined.
struct Struct<'m, 'a> {
    name: &'a str,
    module: &'m Module<'a>,
    fields: Vec<Field<'a>>,
}

struct Field<'a> {
    name: &'a str,
    /// It is visible outside its module.
    is_visible: bool,
    /// The paths in its type.
    types: Vec<Vec<&'a str>>,
}

fn console<'m, 'a>(tree: &'m ModuleTree<'a>) -> Struct<'m, 'a> {
    let found = CONSOLE
        .iter()
        .find_map(|(name, file)| find_struct(tree, name, file));
    found.unwrap_or_else(|| panic!("no struct of CONSOLE exists: {CONSOLE:?}"))
}

fn find_struct<'m, 'a>(tree: &'m ModuleTree<'a>, name: &str, file: &str) -> Option<Struct<'m, 'a>> {
    let module = tree.modules.values().find(|module| module.file == file)?;
    let tokens = &module.tokens;
    let at =
        (1..tokens.len()).find(|at| tokens[at - 1].text == "struct" && tokens[*at].text == name)?;
    let mut fields: Vec<Field> = Vec::new();
    for at in block_after(tokens, at) {
        let is_field = tokens.get(at + 1).is_some_and(|token| token.text == ":")
            && matches!(tokens[at - 1].text, "{" | "," | "pub" | ")" | "]");
        if is_field {
            fields.push(Field {
                name: tokens[at].text,
                is_visible: is_public(tokens, at),
                types: Vec::new(),
            });
        } else if let Some(field) = fields
            .last_mut()
            .filter(|_| tokens[at].is_name() && tokens[at - 1].text != "::")
        {
            field.types.push(path_at(tokens, at));
        }
    }
    Some(Struct {
        name: tokens[at].text,
        module,
        fields,
    })
}

/// Whether `pub` or `pub(…)` stands before a name.
pub fn is_public(tokens: &[Token], at: usize) -> bool {
    let before = match tokens[at - 1].text {
        ")" => (0..at)
            .rev()
            .find(|at| tokens[*at].text == "(")
            .unwrap_or(at),
        _ => at,
    };
    tokens[before - 1].text == "pub"
}

/// The inside of the first pair of braces behind a token.
pub fn block_after(tokens: &[Token], at: usize) -> Range<usize> {
    let (mut start, mut depth) = (None, 0);
    for (at, token) in tokens.iter().enumerate().skip(at) {
        match token.text {
            "{" => {
                start.get_or_insert(at + 1);
                depth += 1;
            }
            "}" => depth -= 1,
            _ => {}
        }
        if let Some(start) = start.filter(|_| depth == 0) {
            return start..at;
        }
    }
    0..0
}

/// The `impl` blocks of these types.
fn impl_blocks(tokens: &[Token], types: &[&str]) -> Vec<Range<usize>> {
    let starts_item =
        |at: usize| at == 0 || matches!(tokens[at - 1].text, "}" | "{" | ";" | "]" | "unsafe");
    let mut blocks = Vec::new();
    for at in (0..tokens.len()).filter(|at| tokens[*at].text == "impl" && starts_item(*at)) {
        let block = block_after(tokens, at);
        // `for` before a type, not `for<'a>`.
        let is_for = |at: &usize| tokens[*at].text == "for" && tokens[at + 1].text != "<";
        let subject = (at..block.start).find(is_for).unwrap_or(at) + 1;
        if path_at(tokens, subject)
            .last()
            .is_some_and(|name| types.contains(name))
        {
            blocks.push(block);
        }
    }
    blocks
}

fn implementing_files(tree: &ModuleTree) -> Vec<String> {
    files_implementing(tree, console(tree).name)
}

fn files_implementing(tree: &ModuleTree, name: &str) -> Vec<String> {
    let modules = tree
        .modules
        .values()
        .filter(|module| module.file.starts_with("app/"));
    modules
        .filter(|module| !impl_blocks(&module.tokens, &[name]).is_empty())
        .map(|module| module.file.clone())
        .collect()
}

fn visible_fields(tree: &ModuleTree) -> Vec<String> {
    let context = find_struct(tree, CONTEXT.0, CONTEXT.1)
        .unwrap_or_else(|| panic!("no struct {}", CONTEXT.0));
    context
        .fields
        .into_iter()
        .filter(|field| field.is_visible)
        .map(|field| field.name.to_owned())
        .collect()
}

/// The lines of app outside a pane's folder that name it. Its routes are not counted: they are the
/// same for every asker.
fn lines_that_name(folder: &str, prefix: &str, tree: &ModuleTree) -> Vec<String> {
    let mut lines = BTreeSet::new();
    for module in tree.modules.values() {
        let is_outside = module.file.starts_with("app/") && pane_of(&module.file) != Some(folder);
        let tokens = module
            .tokens
            .iter()
            .filter(|_| is_outside && !PROTOCOL.contains(&module.file.as_str()));
        for token in tokens.filter(|token| {
            token.is_name() && (token.text == folder || token.text.starts_with(prefix))
        }) {
            lines.insert(format!("src/{}:{}", module.file, token.line));
        }
    }
    lines.into_iter().collect()
}

/// The pane that a file belongs to.
fn pane_of(file: &str) -> Option<&str> {
    Some(file.strip_prefix("app/panes/")?.split_once('/')?.0)
}

fn is_shared(pane: &str) -> bool {
    SHARED_COMPONENTS.iter().any(|(name, _)| *name == pane)
}

/// Each file of a pane with each other pane that it names, at the first place.
fn named_panes(graph: &ImportGraph) -> Vec<String> {
    let mut pairs = BTreeMap::new();
    for import in &graph.imports {
        let (file, target) = (&graph.files[import.from], &graph.files[import.to]);
        if let (Some(own), Some(other)) = (pane_of(file), pane_of(target))
            && own != other
            && !is_shared(other)
        {
            let first: &mut usize = pairs.entry((file, other)).or_insert(import.line);
            *first = import.line.min(*first);
        }
    }
    pairs
        .into_iter()
        .map(|((file, other), line)| format!("src/{file}:{line} names {other}"))
        .collect()
}

/// Each place of a pane's folder that names a field that holds another pane's state.
fn foreign_fields(tree: &ModuleTree) -> Vec<String> {
    let console = console(tree);
    let types = [console.name, PANES.0];
    let mut owners: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for holder in [Some(console), find_struct(tree, PANES.0, PANES.1)]
        .into_iter()
        .flatten()
    {
        for field in &holder.fields {
            let files = field
                .types
                .iter()
                .filter_map(|path| tree.defining_file(holder.module, path));
            owners.entry(field.name).or_default().extend(
                files
                    .filter_map(|file| pane_of(file))
                    .filter(|pane| !is_shared(pane)),
            );
        }
    }
    let mut found = Vec::new();
    for module in tree.modules.values() {
        let Some(own) = pane_of(&module.file) else {
            continue;
        };
        let blocks = impl_blocks(&module.tokens, &types);
        for (at, window) in module.tokens.windows(4).enumerate() {
            let [holder, dot, field, next] = window else {
                continue;
            };
            let is_holder = match holder.text {
                "self" => blocks.iter().any(|block| block.contains(&at)),
                name => matches!(name, "app" | "console" | "panes"),
            };
            let others = owners
                .get(field.text)
                .is_some_and(|owners| owners.iter().any(|owner| *owner != own));
            if is_holder && dot.text == "." && next.text != "(" && others {
                found.push(format!(
                    "src/{}:{} {}.{}",
                    module.file, field.line, holder.text, field.text
                ));
            }
        }
    }
    found
}

#[test]
fn the_rules_see_what_panes_have_of_each_other() {
    let sources = parse_files(&[
        (
            "app/context/mod.rs",
            "pub struct Context {\n    pub(in crate::app) notice: Option<Notice>,\n    pub queue: (u8, u8),\n    effects: Vec<(u8, u8)>,\n}",
        ),
        ("app/header.rs", "impl Context {}"),
        (
            "app/console/mod.rs",
            "use crate::app::panes::Panes;\nuse crate::app::panes::queue::Queue as State;\n\
             pub struct Console {\n    pub(crate) first: Option<State>,\n    #[a]\n    size: (u16, u16),\n    panes: Panes,\n}\n\
             impl Console {\n    fn f(&self) { self.first }\n}",
        ),
        (
            "app/panes/mod.rs",
            "pub mod detail;\npub mod queue;\npub mod records;\npub struct Panes {\n    queue: queue::Queue,\n    list: records::List,\n}",
        ),
        (
            "app/panes/queue/mod.rs",
            "pub struct Queue {\n    queue: u8,\n}\nimpl Queue {\n    fn f(&self) { self.queue }\n}",
        ),
        ("app/panes/records/mod.rs", "pub struct List;"),
        (
            "app/panes/detail/mod.rs",
            "use super::records::List;\nuse super::{Panes, queue};\nstruct Detail { queue: u8 }\n\
             impl Detail {\n    fn f(&self, panes: &Panes, list: impl Fn(&Console)) { self.queue; panes.list; panes.queue.f() }\n}\n\
             impl<'a> From<Detail> for super::super::console::Console {\n    fn f(&self) { self.first; self.first(); queue::Queue }\n}",
        ),
    ]);
    let tree = ModuleTree::new(&sources);
    let fields: Vec<_> = console(&tree)
        .fields
        .into_iter()
        .map(|field| field.name)
        .collect();
    assert_eq!(fields, ["first", "size", "panes"]);
    assert_eq!(visible_fields(&tree), ["notice", "queue"]);
    assert_eq!(files_implementing(&tree, CONTEXT.0), ["app/header.rs"]);
    assert_eq!(
        implementing_files(&tree),
        ["app/console/mod.rs", "app/panes/detail/mod.rs"]
    );
    assert_eq!(
        named_panes(&ImportGraph::new(&tree)),
        ["src/app/panes/detail/mod.rs:8 names queue"]
    );
    let detail = "src/app/panes/detail/mod.rs";
    assert_eq!(
        foreign_fields(&tree),
        [
            format!("{detail}:5 panes.queue"),
            format!("{detail}:8 self.first")
        ]
    );
}

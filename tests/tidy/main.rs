//! The rules of the source tree: which layer may use which, and where a clock, a print, a color or
//! SQL is allowed.
//!
//! Reads the sources as text. A rule that fails says where, what and what to do instead; a rule
//! that is wrong is changed in its table, and not at the place that breaks it.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod console;
mod imports;
mod settings;
mod source;
mod types;
mod words;

use std::cmp::Ordering;
use std::fs;
use std::path::Path;

use source::{Violations, check_sources, files_with_endings, relative_path, source_root};

/// What may only fall: a measured value is the limit, and a lower one becomes the limit. To see
/// where a value comes from, lower its limit.
const LIMITS: &[(&str, usize)] = &[
    ("files in the largest import cycle of app", 6),
    ("files in the largest import cycle of client", 4),
    ("files in the largest import cycle of config", 6),
    ("files in the largest import cycle of domain", 2),
    ("files in the largest import cycle of runtime", 4),
    ("files in the largest import cycle of service", 8),
    ("files in the largest import cycle of ui", 2),
    ("files that register a screen", 3),
    ("lines that register a screen", 10),
    ("fields of the console", 2),
    ("files with an impl block of the console", 9),
    ("fields of the context that panes see", 29),
    (
        "files outside its folder with an impl block of the context",
        0,
    ),
    ("files of a pane that name another pane", 0),
    ("fields of one pane named in the folder of another", 0),
    ("methods that a pane may have for the console", 11),
    ("files that declare columns of the queue", 1),
    ("lines that name a column of the queue", 1),
    ("lines that name a column of a list", 1),
    ("files that name another idea of a column", 0),
    ("lines that describe the example settings", 3),
    ("lines that use the example settings", 2),
];

/// What each layer may name besides itself.
const LAYER_DEPENDENCIES: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("platform", &[]),
    ("text", &[]),
    ("schema", &["platform"]),
    ("interface", &["domain"]),
    ("export", &["text"]),
    ("config", &["domain", "platform", "text"]),
    ("client", &["domain", "interface"]),
    (
        "service",
        &["domain", "platform", "text", "schema", "interface"],
    ),
    ("store", &["domain", "platform", "schema"]),
    ("ui", &["text"]),
    ("app", &["domain", "text", "export", "ui"]),
    (
        "runtime",
        &[
            "domain", "platform", "text", "config", "client", "service", "store", "export", "ui",
            "app",
        ],
    ),
    (
        "cli",
        &[
            "domain",
            "interface",
            "platform",
            "text",
            "config",
            "client",
            "service",
            "store",
            "export",
        ],
    ),
];

/// Which rooms may name a library, and why the others may not.
const LIBRARY_USERS: &[(&str, &[&str], &str)] = &[
    ("reqwest", &["client/"], "only the client speaks HTTP"),
    // SQLite's own: how it is opened, its log, backups, our functions in it. Everything else goes
    // through service/db/sql.
    (
        "rusqlite",
        &[
            "service/db/sql/",
            "service/db/open.rs",
            "service/db/backups.rs",
            "service/db/sqlite_functions.rs",
            "store/",
            "schema.rs",
        ],
        "the engine is behind service/db/sql: use its Conn",
    ),
    (
        "tokio_postgres",
        &["service/db/sql/"],
        "the engine is behind service/db/sql: use its Conn",
    ),
    ("axum", &["service/"], "only the service has routes"),
    (
        "lettre",
        &["service/mail/"],
        "only the mail room sends mail",
    ),
    (
        "ratatui",
        &["ui/", "app/", "runtime/"],
        "only the console draws",
    ),
    (
        "crossterm",
        &["ui/", "app/", "runtime/"],
        "only the console has keys",
    ),
    (
        "clap",
        &["cli/", "launch.rs"],
        "only the command line has arguments",
    ),
    (
        "tokio",
        &[
            "client/",
            "service/",
            "store/mod.rs",
            "platform/",
            "runtime/",
            "cli/",
            "launch.rs",
        ],
        "nothing here waits: ask for it with an effect",
    ),
    (
        "std::fs",
        &[
            "config/",
            "client/",
            "service/",
            "store/",
            "schema.rs",
            "platform/",
            "runtime/",
            "cli/",
            "launch.rs",
        ],
        "no files here: take the text as an argument",
    ),
    (
        "std::env",
        &[
            "config/",
            "client/",
            "service/",
            "runtime/",
            "cli/",
            "launch.rs",
        ],
        "no environment here: it is an argument",
    ),
    (
        "std::thread",
        &[
            "platform/",
            "service/",
            "store/",
            "runtime/",
            "cli/",
            "launch.rs",
        ],
        "no threads here",
    ),
    (
        "std::net",
        &["client/", "service/", "runtime/", "cli/", "launch.rs"],
        "no network here",
    ),
];

/// Where code is for one operating system: everything else asks this layer. The PostgreSQL driver
/// has a type for sockets only on Unix.
const PLATFORM_PATHS: &[&str] = &["platform/", "service/db/sql/postgres_config.rs"];
const PLATFORM_NAMES: &[&str] = &[
    "std::os::",
    "rustix::",
    "tokio::signal::unix",
    "cfg(unix",
    "cfg(not(unix",
    "cfg(target_os",
    ".process_group(",
];

/// Where time is read (a transport measures its deadlines). Everywhere else it is an argument.
const CLOCK_PATHS: &[&str] = &[
    "runtime/",
    "client/transport.rs",
    "service/clock.rs",
    "cli/",
    "launch.rs",
];
const CLOCK_CALLS: &[&str] = &["Utc::now", "Local::now", "SystemTime::now", "Instant::now"];

/// Where standard output and standard error are written.
const PRINT_PATHS: &[&str] = &["cli/print.rs"];
const PRINT_MACROS: &[&str] = &["println!", "eprintln!", "print!", "eprint!", "dbg!"];

/// Where a color has a name: the theme that decides, and the encoder that sends it.
const COLOR_PATHS: &[&str] = &["ui/theme.rs", "ui/theme/", "runtime/cell_encoder.rs"];

/// Where SQL is written.
const SQL_PATHS: &[&str] = &["service/db/", "service/search/", "store/", "schema.rs"];
const SQL_KEYWORDS: &[&str] = &[
    "SELECT ",
    "INSERT INTO",
    "INSERT OR",
    "UPDATE ",
    "DELETE FROM",
    "CREATE TABLE",
    "PRAGMA ",
    " WHERE ",
    " ORDER BY ",
];

/// Lines of a file without its tests.
const MAX_CODE_LINES: usize = 720;

#[test]
fn layers_depend_only_on_allowed_layers() {
    check_sources(
        "the map is in src/lib.rs and in the table LAYER_DEPENDENCIES of this test",
        |source, faults| {
            let layer = source.layer();
            let Some((_, allowed)) = LAYER_DEPENDENCIES.iter().find(|(name, _)| *name == layer)
            else {
                if !matches!(layer, "lib" | "main" | "launch") {
                    faults.add(1, format!("the layer {layer} is not on the map"));
                }
                return;
            };
            for (line, named) in source.referenced_layers() {
                if named != layer
                    && !allowed.contains(&named.as_str())
                    && LAYER_DEPENDENCIES.iter().any(|(name, _)| *name == named)
                {
                    faults.add(line, format!("{layer} names {named}"));
                }
            }
        },
    );
}

#[test]
fn each_library_is_used_only_in_its_modules() {
    check_sources(
        "the modules are in the table LIBRARY_USERS of this test",
        |source, faults| {
            for (library, paths, why) in LIBRARY_USERS {
                if !source.is_in(paths) {
                    for line in source.lines_containing(&format!("{library}::")) {
                        faults.add(line, format!("{library} is named: {why}"));
                    }
                }
            }
        },
    );
}

#[test]
fn only_the_platform_layer_depends_on_an_operating_system() {
    check_sources("use or add a function of src/platform", |source, faults| {
        if !source.is_in(PLATFORM_PATHS) {
            for word in PLATFORM_NAMES {
                source
                    .lines_containing(word)
                    .for_each(|line| faults.add(line, format!("{word} is named")));
            }
        }
    });
}

#[test]
fn tasks_are_spawned_by_the_platform_layer() {
    check_sources("use platform::tasks", |source, faults| {
        if !source.is_in(PLATFORM_PATHS) {
            for call in ["tokio::spawn(", "task::spawn_blocking("] {
                source
                    .lines_containing(call)
                    .for_each(|line| faults.add(line, format!("{call} is called")));
            }
        }
    });
}

#[test]
fn only_clock_modules_read_the_time() {
    check_sources("take `now` as an argument", |source, faults| {
        if !source.is_in(CLOCK_PATHS) {
            for word in CLOCK_CALLS {
                source
                    .lines_containing(word)
                    .for_each(|line| faults.add(line, format!("{word} is called")));
            }
        }
    });
}

#[test]
fn only_the_print_module_prints() {
    check_sources(
        "return the text, or print it through cli::print",
        |source, faults| {
            if !source.is_in(PRINT_PATHS) {
                for word in PRINT_MACROS {
                    source
                        .lines_containing(word)
                        .for_each(|line| faults.add(line, format!("{word} is used")));
                }
            }
        },
    );
}

#[test]
fn code_outside_tests_never_unwraps() {
    check_sources(
        "return the failure, or say with `expect` why it cannot be",
        |source, faults| {
            for word in [".unwrap()", "todo!", "unimplemented!"] {
                source
                    .lines_containing(word)
                    .for_each(|line| faults.add(line, format!("{word} outside the tests")));
            }
        },
    );
}

#[test]
fn colours_are_named_only_in_the_theme() {
    check_sources("take a style from ui::theme", |source, faults| {
        if !source.is_in(COLOR_PATHS) {
            source
                .lines_containing("Color::")
                .for_each(|line| faults.add(line, "a color is named".into()));
        }
    });
}

#[test]
fn sql_is_written_only_in_database_modules() {
    check_sources(
        "ask a function of service::db, service::search or store",
        |source, faults| {
            if !source.is_in(SQL_PATHS) {
                for (line, text) in &source.string_literals {
                    if let Some(word) = SQL_KEYWORDS.iter().find(|word| text.contains(**word)) {
                        faults.add(*line, format!("a text with {:?}", word.trim()));
                    }
                }
            }
        },
    );
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
                faults.add(
                    lines,
                    format!("{lines} lines without tests, {MAX_CODE_LINES} at most"),
                );
            }
        },
    );
}

#[test]
fn no_todo_and_no_machine_specific_text_is_left() {
    let mut faults = Violations::default();
    // Written in pieces, or this file would find itself.
    let words = [
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("/wo", "rk/"),
        concat!("/ro", "ot/"),
    ];
    for path in files_with_endings(
        &source_root(),
        &[
            "rs", "toml", "md", "sql", "json", "snap", "txt", "run", "yml",
        ],
    ) {
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
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
        assert!(
            map.contains(&format!("mod {layer};")),
            "{layer} is in the table of this test and not in src/lib.rs"
        );
        assert!(
            map.contains(&format!("[`{layer}`]")),
            "{layer} is not on the map in src/lib.rs"
        );
    }
}

#[test]
fn the_notices_name_every_dependency() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |name: &str| fs::read_to_string(root.join(name)).unwrap();
    let (lock, notices) = (read("Cargo.lock"), read("THIRD-PARTY-NOTICES"));
    // The only one under the Mozilla Public License: who gets the program is told where its source
    // is.
    assert_eq!(
        lock.contains("name = \"nucleo-matcher\""),
        notices.contains("https://crates.io/crates/nucleo-matcher")
    );
    let manifest = read("Cargo.toml");
    let section = manifest
        .split("[dependencies]")
        .nth(1)
        .unwrap()
        .split("\n[")
        .next()
        .unwrap();
    for name in section
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, _)| name)
    {
        assert!(
            notices.contains(&format!("\n{name}: ")),
            "THIRD-PARTY-NOTICES does not name {name}"
        );
    }
}

/// What is wrong with a measured value that LIMITS bounds; zero where it has no limit.
fn limit_fault(name: &str, measured: usize, details: impl FnOnce() -> String) -> Option<String> {
    let limit = LIMITS
        .iter()
        .find(|(limited, _)| *limited == name)
        .map_or(0, |(_, limit)| *limit);
    match measured.cmp(&limit) {
        Ordering::Equal => None,
        Ordering::Less => Some(format!(
            "\n{name}: {measured}: lower the limit to {measured}\n"
        )),
        Ordering::Greater => Some(format!(
            "\n{name}: {measured}, {limit} at most\n{}",
            details()
        )),
    }
}

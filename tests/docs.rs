//! The pages at the root and in `docs` are true: links and paths resolve, settings, variables and
//! exit codes are complete, and commands run.
//!
//! `BLESS=1 cargo test --test docs` writes `docs/keys.md` from the command table.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "support/openapi.rs"]
mod openapi;
#[path = "support/spawned_service.rs"]
mod spawned_service;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::error::ErrorKind;
use gantry::app::all_commands;
use gantry::app::command::{Command as Row, Scope, group_by_command, keys};
use gantry::cli::args::{Args, CliCommand};
use gantry::config::{self, SETTINGS, Setting, SettingType};

use openapi::OpenApiSpec;
use spawned_service::SpawnedService;

const CONFIGURATION: &str = "docs/configuration.md";
const KEYS: &str = "docs/keys.md";
/// The pages for those who work on gantry.
const DEVELOPER_PAGES: [&str; 2] = ["ARCHITECTURE.md", "CONTRIBUTING.md"];
/// The folders whose files a developer page names by their paths.
const REPOSITORY_FOLDERS: [&str; 7] = [
    "src/", "tests/", "docs/", "assets/", "benches/", "fuzz/", ".ci/",
];

const KEYS_HEAD: &str = "# Keys

These are the default keys of every screen and, at the end, of everything that opens over one, with
what each costs in credits (cr). The same list, with your own keys, is shown by `?` in the console
and by `gantry keys`. [Configuration](configuration.md#keys) explains how to change a key.

A command that works in several places has the same keys in all of them, unless others are named.
A key written as two characters, such as `aa` or `*a`, is pressed one after the other.

<!-- written by tests/docs.rs: BLESS=1 cargo test --test docs -->
";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(page: &str) -> String {
    fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

/// The README, the developer pages and all pages in `docs`, by their paths.
fn pages() -> BTreeMap<String, String> {
    let names = fs::read_dir(root().join("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let pages = names
        .filter(|name| name.ends_with(".md"))
        .map(|name| format!("docs/{name}"));
    let root_pages = ["README.md"]
        .into_iter()
        .chain(DEVELOPER_PAGES)
        .map(str::to_owned);
    pages
        .chain(root_pages)
        .map(|page| (page.clone(), read(&page)))
        .collect()
}

/// The fenced blocks of a page: what stands behind the fence, and the text.
fn blocks(text: &str) -> Vec<(String, String)> {
    let (mut blocks, mut open): (Vec<(String, String)>, bool) = (Vec::new(), false);
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(_) if open => open = false,
            Some(language) => {
                open = true;
                blocks.push((language.to_owned(), String::new()));
            }
            None if open => blocks.last_mut().unwrap().1.push_str(&format!("{line}\n")),
            None => {}
        }
    }
    assert!(!open, "a block is not closed");
    blocks
}

/// A page without its blocks.
fn prose(text: &str) -> String {
    let mut open = false;
    let lines = text.lines().filter(|line| {
        let is_fence = line.starts_with("```");
        open ^= is_fence;
        !open && !is_fence
    });
    lines.map(|line| format!("{line}\n")).collect()
}

/// The commands of a page's shell blocks, a line each.
fn commands(text: &str) -> Vec<String> {
    let shell = blocks(text)
        .into_iter()
        .filter(|(language, _)| language == "sh" || language == "console");
    let lines = shell.flat_map(|(_, block)| {
        block
            .replace("\\\n", " ")
            .lines()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    });
    lines
        .map(|line| line.trim_start_matches("$ ").trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect()
}

/// The code spans of a page's prose.
fn spans(text: &str) -> Vec<String> {
    let prose = prose(text).replace("`` ` ``", "").replace("\\`", "");
    assert!(
        prose.matches('`').count().is_multiple_of(2),
        "a code span is not closed"
    );
    prose
        .split('`')
        .skip(1)
        .step_by(2)
        .map(|span| span.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

#[test]
fn the_list_of_keys_is_the_command_table() {
    let mut page = KEYS_HEAD.to_owned();
    let commands = group_by_command(all_commands());
    let label = |keys: &[&str]| {
        let labels = keys
            .iter()
            .map(|keys| format!("`{}`", keys::sequence_label(keys).replace('`', "\\`")));
        labels.collect::<Vec<_>>().join(" ")
    };
    let with_cost = |text: &str, row: &Row| match row.cost {
        "" => text.to_owned(),
        cost => format!("{text} ({cost})"),
    };
    page.push_str("\n## Several places\n\n| key | does | where |\n|---|---|---|\n");
    for rows in &commands {
        let Some(shared) = rows[0].shared else {
            continue;
        };
        let place = |row: &&Row| {
            let keys = match row.keys == shared.keys {
                true => String::new(),
                false => format!(" {}", label(row.keys)),
            };
            let words = match row.description == shared.description {
                true => String::new(),
                false => format!(": {}", row.description),
            };
            with_cost(&format!("{}{keys}{words}", row.scope.title()), row)
        };
        let mut rows: Vec<_> = rows.clone();
        rows.sort_by_key(|row| row.scope);
        let places: Vec<String> = rows.iter().map(place).collect();
        page.push_str(&format!(
            "| {} | {} | {} |\n",
            label(shared.keys),
            shared.description,
            places.join("; ")
        ));
    }
    for scope in Scope::ALL {
        let is_here = |rows: &&Vec<&'static Row>| {
            rows[0].shared.is_none() && rows[0].scope == *scope && !rows[0].keys.is_empty()
        };
        let rows: Vec<&Row> = commands
            .iter()
            .filter(is_here)
            .map(|rows| rows[0])
            .collect();
        if rows.is_empty() {
            continue;
        }
        page.push_str(&format!(
            "\n## {}\n\n| key | does |\n|---|---|\n",
            scope.title()
        ));
        for row in rows {
            page.push_str(&format!(
                "| {} | {} |\n",
                label(row.keys),
                with_cost(row.description, row)
            ));
        }
    }
    if std::env::var_os("BLESS").is_some() {
        fs::write(root().join(KEYS), page).unwrap();
    } else {
        assert!(
            read(KEYS) == page,
            "{KEYS} is stale: BLESS=1 cargo test --test docs writes it"
        );
    }
}

#[test]
fn the_readme_is_short_and_begins_with_the_two_commands() {
    let readme = read("README.md");
    assert!(
        readme.lines().count() <= 150,
        "the README has {} lines",
        readme.lines().count()
    );
    let beginning: Vec<&str> = readme.lines().take(40).collect();
    for command in ["cargo run --release -- --demo", "cargo test"] {
        assert!(
            beginning.contains(&command),
            "{command} is not in the first 40 lines"
        );
    }
}

/// The targets of a page's links and pictures.
fn links(text: &str) -> Vec<String> {
    prose(text)
        .split("](")
        .skip(1)
        .map(|rest| rest.split(')').next().unwrap().to_owned())
        .collect()
}

/// The anchors that a page's headings make.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text);
    let headings = headings
        .lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| line.trim_start_matches('#').trim().to_lowercase());
    let kept = |c: char| {
        (c.is_alphanumeric() || matches!(c, ' ' | '-' | '_')).then_some(if c == ' ' {
            '-'
        } else {
            c
        })
    };
    headings
        .map(|heading| heading.chars().filter_map(kept).collect())
        .collect()
}

#[test]
fn links_and_anchors_resolve_and_every_page_is_reached() {
    let (pages, mut reached) = (pages(), BTreeSet::from(["README.md".to_owned()]));
    let mut pictures = BTreeSet::new();
    for (page, text) in &pages {
        for link in links(text)
            .into_iter()
            .filter(|link| !link.starts_with("https://"))
        {
            let (path, anchor) = link
                .split_once('#')
                .map_or((link.as_str(), None), |(path, anchor)| (path, Some(anchor)));
            let file = if path.is_empty() {
                root().join(page)
            } else {
                root().join(page).parent().unwrap().join(path)
            };
            let file = file
                .canonicalize()
                .unwrap_or_else(|_| panic!("{page} links to {link}, which is not there"));
            let target = file
                .strip_prefix(root().canonicalize().unwrap())
                .unwrap()
                .display()
                .to_string();
            if let Some(anchor) = anchor {
                assert!(
                    anchors(&pages[&target]).contains(anchor),
                    "{page} links to {link}: {target} has no such heading"
                );
            }
            pictures.extend(target.ends_with(".png").then(|| file.clone()));
            reached.insert(target);
        }
    }
    for page in pages.keys() {
        assert!(reached.contains(page), "no page links to {page}");
    }
    let there: BTreeSet<PathBuf> = fs::read_dir(root().join("docs/images"))
        .unwrap()
        .map(|entry| entry.unwrap().path().canonicalize().unwrap())
        .collect();
    assert_eq!(
        pictures, there,
        "the pictures that are shown, and those that are there"
    );
}

#[test]
fn every_path_in_the_developer_pages_exists() {
    for page in DEVELOPER_PAGES {
        let spans = spans(&read(page));
        let paths: Vec<&String> = spans
            .iter()
            .filter(|span| {
                REPOSITORY_FOLDERS
                    .iter()
                    .any(|folder| span.starts_with(folder))
            })
            .collect();
        assert!(paths.len() > 20, "{page} names only {paths:?}");
        for path in paths {
            // `src/app/panes/NAME/commands.rs` is for the reader to fill in: the folder before NAME
            // exists.
            let known = path
                .split_once("NAME")
                .map_or(path.as_str(), |(folder, _)| folder);
            assert!(
                root().join(known).exists(),
                "{page} names {path}, which does not exist"
            );
        }
    }
}

/// The example of the whole configuration file.
fn example() -> String {
    let blocks = blocks(&read(CONFIGURATION));
    blocks
        .into_iter()
        .find(|(language, _)| language == "toml")
        .expect("the page has an example")
        .1
}

/// The full names of settings: `console.poll`, `profiles.NAME.color`, `queue.tabs.name`.
fn setting_names(settings: &[Setting], table: &str) -> Vec<String> {
    let names = |setting: &Setting| {
        let name = format!("{table}{}", setting.name);
        match setting.value {
            SettingType::Table(inner) | SettingType::TableList(inner) => {
                setting_names(inner, &format!("{name}."))
            }
            SettingType::NamedTables(inner) => setting_names(inner, &format!("{name}.NAME.")),
            _ => vec![name],
        }
    };
    settings.iter().flat_map(names).collect()
}

/// The tables of settings, each with its full name and what stands before the names in it: the
/// entries of a list have short names.
fn setting_tables(settings: &[Setting], before: &str) -> Vec<(String, &'static [Setting], String)> {
    let tables = |setting: &Setting| {
        let name = format!("{before}{}", setting.name);
        let (inner, prefix) = match setting.value {
            SettingType::Table(inner) => (inner, format!("{name}.")),
            SettingType::NamedTables(inner) => (inner, format!("{name}.NAME.")),
            SettingType::TableList(inner) => (inner, String::new()),
            _ => return Vec::new(),
        };
        let nested = setting_tables(inner, &format!("{name}."));
        match nested.is_empty() {
            true => vec![(name, inner, prefix)],
            false => nested,
        }
    };
    settings.iter().flat_map(tables).collect()
}

/// A table of the page as it is made from the settings.
fn describe_settings(settings: &[Setting], prefix: &str) -> String {
    let has_defaults = settings.iter().any(|setting| !setting.default.is_empty());
    let mut table = match has_defaults {
        true => "| key | default | meaning |\n|---|---|---|\n",
        false => "| key | meaning |\n|---|---|\n",
    }
    .to_owned();
    for setting in settings {
        let default = match setting.default.trim_matches('"') {
            "" => " none |".to_owned(),
            default => format!(" `{default}` |"),
        };
        let (first, rest) = setting.description.split_at(1);
        let words = match setting.value {
            SettingType::Keyword(words) | SettingType::KeywordList(words) => {
                format!("; `{}`", words.join("`, `"))
            }
            _ => String::new(),
        };
        table.push_str(&format!(
            "| `{prefix}{}` |{} {}{rest}{words} |\n",
            setting.name,
            if has_defaults { &default } else { "" },
            first.to_lowercase(),
        ));
    }
    table
}

#[test]
fn the_tables_of_settings_say_what_the_program_says() {
    let page = read(CONFIGURATION);
    let mut written = page.clone();
    let tables = setting_tables(SETTINGS, "").into_iter();
    // `[[rules]]` is an older name for tabs.
    for (name, settings, prefix) in tables.filter(|(name, ..)| name != "rules") {
        let head = format!("<!-- {name}, written by tests/docs.rs -->\n\n");
        let (before, after) = written
            .split_once(&head)
            .unwrap_or_else(|| panic!("{CONFIGURATION} has no place for the table {name}"));
        let rest = after.lines().skip_while(|line| line.starts_with('|'));
        let after: String = rest.map(|line| format!("{line}\n")).collect();
        written = format!(
            "{before}{head}{}{after}",
            describe_settings(settings, &prefix)
        );
    }
    if std::env::var_os("BLESS").is_some() {
        fs::write(root().join(CONFIGURATION), written).unwrap();
    } else {
        assert!(
            page == written,
            "{CONFIGURATION} is stale: BLESS=1 cargo test --test docs writes it"
        );
    }
}

#[test]
fn every_setting_is_explained_and_no_other() {
    let page = read(CONFIGURATION);
    let spans: BTreeSet<String> = spans(&page).into_iter().collect();
    let names = setting_names(SETTINGS, "");
    for name in names.iter().filter(|name| *name != "keys") {
        // The entries of a list have short names in the tables.
        let key = name.rsplit('.').next().unwrap();
        assert!(
            spans.contains(name) || spans.contains(key),
            "{CONFIGURATION} does not explain {name}"
        );
    }
    let said_to_exist = spans.iter().filter(|span| {
        ["profiles.", "console.", "display.", "watch.", "budget."]
            .iter()
            .any(|table| span.starts_with(table))
            && !span.contains(' ')
    });
    for name in said_to_exist {
        assert!(
            names.contains(name),
            "{CONFIGURATION} explains {name}, which does not exist"
        );
    }
    for word in config::KeySettings::PRESETS
        .into_iter()
        .chain(config::ThemeName::NAMES.map(|(word, _)| word))
    {
        assert!(
            spans.contains(word) || example().contains(word),
            "{CONFIGURATION} does not name {word}"
        );
    }
}

/// What the schema that gantry prints says against a configuration.
fn schema_violations(config: &str) -> Vec<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_gantry"))
        .args(["config", "schema"])
        .env_clear()
        .output()
        .unwrap();
    let schema = serde_json::from_slice(&output.stdout).unwrap();
    let parsed: toml::Table = config.parse().unwrap();
    OpenApiSpec::from_value(schema).root_violations(&serde_json::to_value(parsed).unwrap())
}

#[test]
fn the_schema_for_editors_accepts_the_example_and_finds_mistakes() {
    assert_eq!(schema_violations(&example()), Vec::<String>::new());
    assert_eq!(
        schema_violations("[keys]\n\"list.mark\" = \"m\"\n\"list.mark.all\" = []\n"),
        Vec::<String>::new()
    );
    for (config, mistake) in [
        (
            "[console]\nadvanse = \"next\"",
            "/console: advanse is not described",
        ),
        (
            "[console]\nadvance = \"up\"",
            "/console/advance: \"up\" is none of [\"next\",\"stay\",\"back\"]",
        ),
        (
            "[profiles.desk]\nread_only = 1",
            "/profiles/desk/read_only: 1 is no \"boolean\"",
        ),
        (
            "[[rules]]\nthen = \"delete\"",
            "/rules/0/then: \"delete\" is none of [\"done\",\"snooze\",\"annotate\"]",
        ),
        (
            "[keys]\nqueue.done = 7",
            "/keys/queue/done: 7 is no [\"string\",\"array\"]",
        ),
    ] {
        assert_eq!(schema_violations(config), [mistake], "{config}");
    }
}

#[test]
fn the_example_of_the_configuration_gives_no_warning() {
    assert_eq!(
        config::validate_config(Path::new("config.toml"), &example()),
        Ok(Vec::new())
    );
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("gantry");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("config.toml"), example()).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_gantry"))
        .args(["--demo", "doctor"])
        .env_clear()
        .env("HOME", home.path())
        .env("XDG_CONFIG_HOME", home.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && said == "gantry: sample data, which ends with this command\n",
        "{said}"
    );
}

/// The sources of the program, without their tests.
fn sources(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match path.is_dir() {
            _ if name.starts_with("test") => {}
            true => found.extend(sources(&path)),
            false => {
                let text = fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]\nmod ").next().unwrap();
                let code = code
                    .lines()
                    .filter(|line| !line.trim_start().starts_with("//"));
                found.push(code.collect::<Vec<_>>().join("\n"));
            }
        }
    }
    found
}

/// The names in the first column of the table below a heading.
fn first_column(page: &str, heading: &str) -> Vec<String> {
    let section = page
        .split(&format!("\n{heading}\n"))
        .nth(1)
        .expect("the heading is there");
    let section = section.split("\n## ").next().unwrap();
    let rows = section
        .lines()
        .skip_while(|line| !line.starts_with("|---"))
        .skip(1)
        .take_while(|line| line.starts_with('|'));
    let cells = rows.map(|row| row.split('|').nth(1).unwrap().replace('`', ""));
    cells
        .flat_map(|cell| {
            cell.split(',')
                .map(|name| name.trim().to_owned())
                .collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn every_environment_variable_is_explained() {
    // Read by libraries, and said in the messages.
    let by_libraries = ["SSL_CERT_FILE", "TMPDIR", "TZ"];
    let is_name = |text: &str| {
        text.len() > 3
            && !text.ends_with('_')
            && text.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
    };
    let mut read_by_code = BTreeSet::new();
    for code in sources(&root().join("src")) {
        let parts: Vec<&str> = code.split('"').collect();
        for pair in parts.windows(2).filter(|pair| is_name(pair[1])) {
            let is_asked_for = ["env(", "var(", "var_os(", "named(", "dir(", "env = "]
                .iter()
                .any(|call| pair[0].ends_with(call));
            if is_asked_for || pair[1].starts_with("GANTRY_") {
                read_by_code.insert(pair[1].to_owned());
            }
        }
    }
    for name in [
        "GANTRY_TOKEN",
        "GANTRY_MAIL",
        "NO_COLOR",
        "XDG_STATE_HOME",
        "EDITOR",
        "HOME",
    ] {
        assert!(
            read_by_code.contains(name),
            "the search finds {read_by_code:?}, and not {name}"
        );
    }
    let explained: BTreeSet<String> =
        first_column(&read(CONFIGURATION), "## Environment variables")
            .into_iter()
            .collect();
    read_by_code.extend(by_libraries.map(str::to_owned));
    assert_eq!(explained, read_by_code, "explained, and read");
}

#[test]
fn every_exit_code_is_explained() {
    let table = read("src/domain/exit_status.rs");
    let constants = table.lines().filter_map(|line| {
        line.split_once(": u8 = ")
            .filter(|(name, _)| name.contains("const "))
    });
    let mut codes: BTreeSet<u8> = constants
        .filter_map(|(_, value)| value.trim_end_matches(';').parse().ok())
        .collect();
    codes.insert(0);
    assert!(codes.contains(&130) && codes.len() > 5, "{codes:?}");
    let explained = first_column(&read(CONFIGURATION), "## Exit codes");
    assert_eq!(
        explained
            .iter()
            .map(|code| code.parse().unwrap())
            .collect::<BTreeSet<u8>>(),
        codes
    );
}

/// The words of a shell's command: blanks separate, quotes hold together; without variables before
/// it and redirections.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in command.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            // What a shell would take for itself is told apart from the same in quotes.
            (None, '<' | '>') => word.get_or_insert_default().push('\u{1}'),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    let end = words
        .iter()
        .position(|word| word.contains('\u{1}'))
        .unwrap_or(words.len());
    words.truncate(end);
    words
        .into_iter()
        .skip_while(|word| {
            word.split('=')
                .next()
                .is_some_and(|name| name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'))
                && word.contains('=')
        })
        .collect()
}

/// Reads a program's arguments like the program itself.
fn parse(program: &[String]) -> Result<Args, clap::Error> {
    Args::from_words(&program.iter().map(OsString::from).collect::<Vec<_>>())
}

/// The programs of a pipe, each with its arguments.
fn pipe(line: &str) -> Vec<Vec<String>> {
    let mut quoted = None;
    let parts = line.split(|c: char| {
        match quoted {
            Some(open) if c == open => quoted = None,
            None if c == '\'' || c == '"' => quoted = Some(c),
            _ => {}
        }
        quoted.is_none() && c == '|'
    });
    parts.map(words).collect()
}

#[test]
fn every_command_of_the_pages_can_be_read() {
    let mut count = 0;
    for (page, text) in pages() {
        // `gantry COMMAND --help`: what is in capitals stands for something.
        let stands_for = |span: &String| {
            span.split([' ', '='])
                .any(|word| word.len() > 1 && word.bytes().all(|b| b.is_ascii_uppercase()))
        };
        let inline = spans(&text)
            .into_iter()
            .filter(|span| span.starts_with("gantry ") && !stands_for(span));
        let lines = commands(&text)
            .into_iter()
            .map(|line| (line, false))
            .chain(inline.map(|line| (line, true)));
        for (line, is_inline) in lines {
            for program in pipe(&line)
                .into_iter()
                .filter(|program| program.first().is_some_and(|name| name == "gantry"))
            {
                count += 1;
                let Err(error) = parse(&program) else {
                    continue;
                };
                // In a sentence a command may stand for itself, without its arguments.
                let is_fine = match error.kind() {
                    ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => true,
                    ErrorKind::MissingRequiredArgument
                    | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => is_inline,
                    _ => false,
                };
                assert!(is_fine, "{page}: {line}\n{error}");
            }
        }
    }
    assert!(count > 40, "{count} commands were found");
}

/// Why a line of the pages is not run by the test after this.
fn is_left_out(line: &str) -> bool {
    let opens_a_screen = |program: &Vec<String>| match parse(program)
        .map(|args| (args.options.json.is_some(), args.verb))
    {
        Ok((json, Some(CliCommand::Watch(_)))) => !json && !program.contains(&"--plain".to_owned()),
        Ok((_, verb)) => {
            verb.as_ref().is_none_or(CliCommand::is_service)
                || matches!(verb, Some(CliCommand::Login(_) | CliCommand::Join(_)))
        }
        Err(_) => false,
    };
    let runs_on = line.contains(" --follow");
    let needs_a_server = line.contains("postgres://") || line.starts_with("createdb ");
    let changes_the_machine = ["cargo ", "sudo ", "podman ", "sha256sum "]
        .iter()
        .any(|program| line.starts_with(program));
    changes_the_machine
        || needs_a_server
        || runs_on
        || line.contains("--profile ")
        || pipe(line)
            .iter()
            .any(|p| p[0] == "gantry" && opens_a_screen(p))
}

/// One service answers them all, so that they take seconds: each is run as it is written, without
/// its `--demo`.
#[test]
fn every_command_that_needs_no_screen_and_no_network_runs() {
    let served = SpawnedService::start(&[]);
    let permits = read("tests/data/san_francisco_400.csv");
    let home = served.home.path();
    let permits: String = permits
        .lines()
        .take(40)
        .map(|line| format!("{line}\n"))
        .collect();
    for name in ["permits.csv", "Building_Permits.csv"] {
        fs::write(home.join(name), &permits).unwrap();
    }
    fs::write(home.join("chicago.csv"), read("tests/data/chicago_60.csv")).unwrap();
    let toronto = "PERMIT_NUM,REVISION_NUM,STREET_NUM,STREET_NAME,STREET_TYPE,APPLICATION_DATE,ISSUED_DATE,STATUS,EST_CONST_COST\n\
        24 100001 BLD,00,1,EXAMPLE,AVE,2024-01-02,2024-02-02,Inspection,10000\n24 100002 BLD,00,2,EXAMPLE,AVE,2024-01-03,2024-02-03,Inspection,20000\n";
    fs::write(home.join("building-permits-active-permits.csv"), toronto).unwrap();
    fs::write(
        home.join("mine.csv"),
        "No,Street,Issued,Cost\n1,12 Main St,01.02.2026,\"95.000,00\"\n",
    )
    .unwrap();
    let german = "Nr;Straße;Datum;Baukosten\nB-1;Hauptstr. 12;03.04.2026;95.000\nB-2;Ahornweg 3;05.04.2026;1.250.000\n";
    fs::write(home.join("springfield.csv"), german).unwrap();
    let layout = blocks(&read("docs/importing.md"))
        .into_iter()
        .find(|(language, _)| language == "toml")
        .unwrap()
        .1;
    fs::write(home.join("springfield.toml"), layout).unwrap();
    fs::create_dir(home.join("man")).unwrap();
    for database in ["desk.db", "sf.db"] {
        let made = served.run(&format!(
            "gantry import permits.csv --layout san-francisco --data {database}"
        ));
        assert!(
            made.status.success(),
            "{}",
            String::from_utf8_lossy(&made.stderr)
        );
    }
    let lines: BTreeSet<String> = pages()
        .values()
        .flat_map(|text| commands(text))
        .filter(|line| !is_left_out(line))
        .collect();
    let mut failed = Vec::new();
    for line in &lines {
        let output = served.run(&format!(
            "export SHELL=/bin/bash; {}",
            line.replace(" --demo", "")
        ));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        // The page answers the question with its next command.
        let asks = output.status.code() == Some(2) && said.contains("1 question to answer");
        if !output.status.success() && !asks {
            failed.push(format!(
                "{line}\n    {:?} {}",
                output.status.code(),
                said.trim()
            ));
        }
    }
    assert!(lines.len() > 20, "{lines:#?}");
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

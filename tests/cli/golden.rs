//! Standard output of every command in every format, as files in `tests/golden/cli`; `BLESS=1`
//! rewrites them.
//!
//! The sample data has a fixed seed and start time. Masked is what the seed does not determine: ids
//! of new records, timestamps after the start, the port and the home folder.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Stdio;

use clap::CommandFactory;
use gantry::cli::args::Args;
use serde_json::{Value, json};

use crate::examples::all_verbs;
use crate::spawned_service::SpawnedService;

/// Shell functions for the lines: `ids COMMAND..` lists ids, `nth N COMMAND..` prints one of them.
pub const SHELL_HELPERS: &str = "ids() { gantry \"$@\" --format csv 2>/dev/null | tail -n +2 | cut -d, -f1 | grep -v ' '; }\nnth() { n=$1; shift; ids \"$@\" | sed -n \"${n}p\"; }\n";

/// The service's start time; a test finishes within a few minutes of it.
const START_TIME: &str = "2026-07-01T17:42:00Z";
/// Prefixes, up to the minute, of the current time, of the day before (the start of a window) and
/// of later days (its end).
const CURRENT_TIME_PREFIXES: &[&str] = &[
    "2026-06-30T17:4",
    "2026-07-01T17:4",
    "2026-07-02T17:4",
    "2026-07-08T17:4",
    "2026-07-15T17:4",
];

/// The command lines of each file; `{n}` is 1 to 4, by format, because some changes work only once
/// per record.
pub const GOLDEN_FILES: &[(&str, &[&str])] = &[
    (
        "queue",
        &[
            "queue list --status new --priority high --limit 3",
            "queue list --query nothing-is-called-so",
            "queue list --status new --all --sort cost --query tower",
            "queue list --status new --sort days:desc --limit 3",
            "queue list --aging 0d",
            "queue stats",
            "queue snooze --until 5d --dry-run $(nth {n} queue list --status new)",
            "queue snooze --until 'next filing' $(nth {n} queue list --status new)",
            "queue list --status new --limit 4 --hide-snoozed",
            "queue snoozed",
            "queue unsnooze --all",
            "queue snoozed",
            "queue triage done $(nth {n} queue list --status new)",
            "queue triage new $(nth {n} queue list --status done) $(nth {n} queue list --status new)",
            "queue triage done --dry-run $(nth 1 queue list)",
        ],
    ),
    (
        "signals",
        &[
            "signals list --type permit_issued --limit 3",
            "signals show $(nth 1 signals list)",
        ],
    ),
    (
        "data",
        &[
            "data search accounts --limit 1",
            "data search contacts --limit 1",
            "data search projects --limit 1",
            "data search signals --limit 1",
            "data show accounts $(nth 1 data search accounts) --include projects",
            "data show contacts $(nth 1 data search contacts) --include account",
            "data show projects $(nth 1 data search projects) --include accounts,signals",
            "data show signals $(nth 1 data search signals) --include project",
            "data fields signals",
            "data fields projects stage",
            "data filters skill",
            "data ask projects 'permitted towers in Austin'",
            "data saved save 'Austin {n}' projects city=Austin without_account.role=gc",
            "data saved count 'Austin {n}'",
            "data saved rename 'Austin {n}' 'Towers {n}'",
            "data saved run 'Towers {n}' --limit 1",
            "data saved list",
            "data saved delete 'Towers {n}'",
        ],
    ),
    (
        "book",
        &[
            "book import list.csv --dry-run",
            "book import list.csv --no-save",
            "book search accounts icp_tier=tier_1 --limit 1",
            "book contacts search --limit 1",
            "book projects search --limit 1",
            "book show accounts $(nth 1 book accounts search) --include contacts",
            "book contacts show $(nth 1 book contacts search) --include account",
            "book projects show $(nth 1 book projects search) --include accounts",
            "book set accounts $(nth 1 book accounts search --sort name) --status called --notes 'Ask for {n}' --tag +round-{n}",
            "book contacts set $(nth 1 book contacts search --sort name) --clear-notes --tags a,b",
            "book projects set $(nth {n} data search projects --sort name) --status open",
            "book set accounts --dry-run $(nth 1 book accounts search --sort name) --status called --clear-notes",
            "book set accounts --dry-run $(ids book accounts search --sort name --limit 2) --tier 1",
            "book remove accounts $(nth {n} book accounts search --sort name)",
            "book contacts remove $(nth {n} book contacts search --sort name)",
            "book projects remove $(nth {n} book projects search --sort name)",
            "promise add accounts $(nth 1 book accounts search --sort name) tomorrow 9:30 call Ann {n}",
            "promise add accounts $(nth 1 book accounts search --sort name) {n}w ask for plans",
            "promise move accounts $(nth 1 book accounts search --sort name) --about plans --to {n}d",
            "promise list",
            "promise list --due",
            "brief --kind accounts $(nth 1 book accounts search --sort name)",
            "brief 'Atelier Gupta'",
            "promise done accounts $(nth 1 book accounts search --sort name) --about Ann",
            "promise drop accounts $(nth 1 book accounts search --sort name)",
        ],
    ),
    (
        "views",
        &[
            "views list",
            "views show $(nth 1 views list)",
            "views search $(nth 1 views list) --limit 2",
            "views create 'Towers {n}' --dataset project --description 'Ten stories and more'",
            "views create --stdin < drafts-{n}.jsonl",
            "views add $(gantry views list --format csv | grep ',account,static,' | head -1 | cut -d, -f1) $(nth {n} book accounts search)",
            "views remove $(gantry views list --format csv | grep ',account,static,' | head -1 | cut -d, -f1) $(nth {n} book accounts search)",
            "views remove $(gantry views list --format csv | grep ',account,static,' | head -1 | cut -d, -f1) $(ids book accounts search --limit 2)",
            "views delete $(gantry views list --format csv | grep ',Towers {n},' | cut -d, -f1)",
        ],
    ),
    (
        "favorites",
        &[
            "favorites list",
            "favorites add $(ids views list)",
            "favorites remove $(nth {n} views list)",
            "favorites add $(nth {n} views list)",
            "favorites remove $(nth {n} views list) $(nth $(({n} + 4)) views list)",
        ],
    ),
    (
        "subscriptions",
        &[
            "subscriptions list",
            "subscriptions set permit_filed --priority low --email --notify-all",
            "subscriptions bulk team_update=high completion",
            "subscriptions list --ids",
            "subscriptions set permit_filed --priority high --ids",
            "subscriptions remove $(nth 1 subscriptions list --ids)",
            "subscriptions remove $(gantry subscriptions list --format csv | tail -n +2 | cut -d, -f1 | head -1)",
        ],
    ),
    (
        "skills",
        &[
            "skills list --source official",
            "skills find permit",
            "skills show $(nth 1 skills list --source official)",
            "skills file $(nth 1 skills list --source official) SKILL.md",
            "skills revisions $(nth 1 skills list --source official)",
            "skills create 'First call {n}' --description 'How we open' --file SKILL.md=/dev/stdin",
            "skills update $(nth 1 skills list --query 'First call {n}') --description 'How we open a call'",
            "skills publish $(nth 1 skills list --query 'First call {n}')",
            "skills unpublish $(nth 1 skills list --query 'First call {n}')",
            "skills move $(nth 1 skills list --query 'First call {n}') --audience workspace",
            "skills transfer $(nth 1 skills list --query 'First call {n}') --to $(nth 2 members list)",
            "skills create --stdin < bundles-{n}.jsonl",
            "skills update $(ids skills list --query 'Second call {n}') --description 'How we go on'",
            "skills publish $(ids skills list --query 'Second call {n}')",
            "skills unpublish $(ids skills list --query 'Second call {n}')",
            "skills move $(ids skills list --query 'Second call {n}') --audience workspace",
            "skills transfer $(ids skills list --query 'Second call {n}') --to $(nth 2 members list)",
            "skills delete $(nth 1 skills list --query 'First call {n}')",
            "skills delete $(ids skills list --query 'Second call {n}')",
            "skills fork $(nth 1 skills list --source official) --name 'Our own {n}'",
            "skills fork $(nth 1 skills list --source official) $(nth 2 skills list --source official)",
            "skills install $(nth 1 skills list --source official) $(nth 2 skills list --source official)",
            "skills uninstall $(nth 1 skills list --source official) $(nth 2 skills list --source official)",
            "skills install $(nth 1 skills list --source official)",
            "skills uninstall $(nth 1 skills list --source official)",
        ],
    ),
    (
        "team",
        &[
            "members list",
            "members set $(gantry members list --format csv | grep ,member, | head -1 | cut -d, -f1) --role member",
            "invitations list",
            "invitations create new{n}@northline.example",
            "team wall-code 'Lobby {n}'",
            "team status",
            "team remove-wall $(gantry team wall-code Hall --format csv | tail -1 | cut -d, -f1)",
            "invitations revoke $(gantry invitations list --format csv | grep ,new{n}@ | cut -d, -f1)",
            "invitations renew new{n}@northline.example",
            "workspace",
            "credits show",
            "api GET /workspace/members",
            "members remove $(gantry members list --format csv | grep -e ,member, -e ,admin, | head -1 | cut -d, -f1)",
        ],
    ),
    (
        "here",
        &[
            "doctor",
            "login --profile desk-{n} --token-file token",
            "profile",
            "profile list",
            "import permits.csv --layout san-francisco --data permits.db --dry-run",
            "logout desk-{n}",
        ],
    ),
];

/// Commands tested elsewhere: they print no records of a service, or times of this machine's clock.
const VERBS_TESTED_ELSEWHERE: &[&str] = &[
    "members add",
    "cache show",
    "cache clear",
    "open",
    "profile use",
    "profile show",
    "layouts list",
    "layouts show",
    "paths",
    "join",
    "team up",
    "config path",
    "config show",
    "config get",
    "config set",
    "config unset",
    "config edit",
    "config check",
    "config schema",
    "migrate",
    "serve",
    "help",
    "version",
    "man",
    "completions",
    "install completions",
    "install man",
    "install unit",
    "keys",
    "commands",
    "credits ledger",
    "credits settle",
    "credits budget",
    "log",
    "log show",
    "log path",
    "handoff",
    "watch",
    "triage",
];

const OUTPUT_FORMATS: [&str; 4] = ["table", "json", "jsonl", "csv"];

fn start_service() -> SpawnedService {
    let served =
        SpawnedService::start(&["--seed", "13", "--projects", "60", "--as-of", START_TIME]);
    write_files(&served);
    served
}

/// Writes the files that the lines use.
pub fn write_files(served: &SpawnedService) {
    let token = served
        .env
        .iter()
        .find(|(name, _)| *name == "GANTRY_TOKEN")
        .unwrap()
        .1
        .clone();
    fs::write(served.home.path().join("token"), token).unwrap();
    fs::set_permissions(
        served.home.path().join("token"),
        std::os::unix::fs::PermissionsExt::from_mode(0o600),
    )
    .unwrap();
    let permits = "Permit Number,Permit Type,Permit Type Definition,Permit Creation Date,Block,Lot,Street Number,Street Name,Street Suffix,Description,Current Status,Filed Date,Issued Date,Estimated Cost,Record ID\n\
                   201812010001,1,new construction,12/01/2018,0001,001,1,Harbor,St,erect a building,filed,12/01/2018,,1000000,1\n\
                   201812010002,1,new construction,,0001,002,2,Harbor,St,no date,filed,,,1000000,2\n";
    fs::write(served.home.path().join("permits.csv"), permits).unwrap();
    let list = "Company,Website\nRiverbend Engineering Group,\n,alderlandcompany.example\n";
    fs::write(served.home.path().join("list.csv"), list).unwrap();
    for n in 1..=OUTPUT_FORMATS.len() {
        let bundle = |what: &str| {
            let files = json!([{"path": "SKILL.md", "content": "Call again."}]);
            json!({"name": format!("Second call {n} {what}"), "description": "How we go on", "files": files}).to_string()
        };
        let draft = |name: String| {
            json!({"id": n, "name": name, "dataset": "account", "type": "static"}).to_string()
        };
        let write = |name: &str, lines: [String; 2]| {
            fs::write(
                served.home.path().join(format!("{name}-{n}.jsonl")),
                lines.join("\n"),
            )
            .unwrap();
        };
        write("bundles", [bundle("here"), bundle("there")]);
        write(
            "drafts",
            ["here", "there"].map(|what| draft(format!("Yards {what} {n}"))),
        );
    }
}

/// Masks what the seed does not determine.
fn mask_variable_parts(text: &str, served: &SpawnedService) -> String {
    let host = served
        .env
        .iter()
        .find(|(name, _)| *name == "GANTRY_BASE_URL")
        .unwrap()
        .1
        .split('/')
        .nth(2)
        .unwrap()
        .to_owned();
    let text = text
        .replace(&host, "HOST")
        .replace(&served.home.path().display().to_string(), "HOME");
    let skew = text
        .split_once("this machine's by ")
        .and_then(|(_, rest)| rest.split_once(" s"))
        .map(|(skew, _)| skew.to_owned());
    let text = skew.map_or(text.clone(), |skew| text.replace(&skew, "SKEW"));
    // The sample data was created some milliseconds after the start time.
    let mut parts = text.split('.');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let fraction = part.len() > 3
            && part.as_bytes()[..3].iter().all(u8::is_ascii_digit)
            && part.as_bytes()[3] == b'Z';
        out.push_str(&if fraction {
            part[3..].to_owned()
        } else {
            format!(".{part}")
        });
    }
    for soon in CURRENT_TIME_PREFIXES {
        while let Some(at) = out.find(soon) {
            let end = at + out[at..].find('Z').unwrap();
            out.replace_range(at..end, &format!("{}(now)", &soon[..11]));
        }
    }
    mask_new_ids(&out)
}

/// Masks ids that the service has just created: the sample's ids have another UUID version.
fn mask_new_ids(text: &str) -> String {
    let text = mask_join_codes(text);
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(at) = (0..rest.len().saturating_sub(35)).find(|at| {
        rest.get(*at..at + 36)
            .and_then(|id| uuid::Uuid::try_parse(id).ok())
            .is_some_and(|id| id.get_version_num() == 7)
    }) {
        out.push_str(&rest[..at]);
        out.push_str("(an id of just now, 36 characters..)");
        rest = &rest[at + 36..];
    }
    out + rest
}

/// Masks join codes, which are random.
fn mask_join_codes(text: &str) -> String {
    let mut parts = text.split("gj_");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str("gj_(a join code)");
        out.push_str(
            part.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_'),
        );
    }
    out
}

/// Asserts that the output contains only data in the format.
fn assert_format(format: &str, out: &str, line: &str) {
    match format {
        "json" => drop(
            serde_json::from_str::<Value>(out)
                .unwrap_or_else(|wrong| panic!("{line}: {wrong}: {out}")),
        ),
        "jsonl" => out.lines().for_each(|row| {
            drop(
                serde_json::from_str::<Value>(row)
                    .unwrap_or_else(|wrong| panic!("{line}: {wrong}: {row}")),
            )
        }),
        // These can have any shape.
        "csv"
            if !["api", "ask", "import"]
                .iter()
                .any(|verb| line.contains(verb)) =>
        {
            let mut csv = csv::Reader::from_reader(out.as_bytes());
            assert!(!csv.headers().unwrap().is_empty(), "{line}");
            csv.records()
                .for_each(|row| drop(row.unwrap_or_else(|wrong| panic!("{line}: {wrong}"))));
        }
        _ => assert!(
            !out.contains(|c: char| c.is_control() && c != '\n'),
            "{line}: {out:?}"
        ),
    }
}

fn assert_matches_golden(file: &str) {
    let (_, lines) = GOLDEN_FILES.iter().find(|(name, _)| *name == file).unwrap();
    let served = start_service();
    let mut text = String::new();
    for line in *lines {
        for (n, format) in OUTPUT_FORMATS.iter().enumerate() {
            let line =
                format!("gantry {line} --format {format}").replace("{n}", &(n + 1).to_string());
            let output = served.run(&format!(
                "{SHELL_HELPERS}echo 'Call the developer first.' | {line}"
            ));
            let (out, err) = (
                String::from_utf8(output.stdout).unwrap(),
                String::from_utf8_lossy(&output.stderr).into_owned(),
            );
            assert!(
                output.status.success(),
                "{line}\n{:?} {err}{out}",
                output.status.code()
            );
            assert_format(format, &out, &line);
            writeln!(text, "$ {line}\n{}", mask_variable_parts(&out, &served)).unwrap();
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/cli/{file}.txt"));
    if std::env::var_os("BLESS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &text).unwrap();
    }
    let saved = fs::read_to_string(&path).unwrap_or_default();
    if let Some((n, (now, before))) = text
        .lines()
        .zip(saved.lines().chain(std::iter::repeat("")))
        .enumerate()
        .find(|(_, (now, before))| now != before)
    {
        panic!(
            "{}:{}\n  was: {before}\n  now: {now}\nBLESS=1 cargo test --test cli golden rewrites it",
            path.display(),
            n + 1
        );
    }
    assert_eq!(
        text,
        saved,
        "{} has more lines than the output",
        path.display()
    );
}

#[test]
fn queue_output_matches_golden() {
    assert_matches_golden("queue");
}

#[test]
fn feed_output_matches_golden() {
    assert_matches_golden("signals");
}

#[test]
fn index_output_matches_golden() {
    assert_matches_golden("data");
}

#[test]
fn book_output_matches_golden() {
    assert_matches_golden("book");
}

#[test]
fn views_output_matches_golden() {
    assert_matches_golden("views");
}

#[test]
fn favorites_output_matches_golden() {
    assert_matches_golden("favorites");
}

#[test]
fn subscriptions_output_matches_golden() {
    assert_matches_golden("subscriptions");
}

#[test]
fn skills_output_matches_golden() {
    assert_matches_golden("skills");
}

#[test]
fn team_output_matches_golden() {
    assert_matches_golden("team");
}

#[test]
fn output_of_offline_verbs_matches_golden() {
    assert_matches_golden("here");
}

#[test]
fn every_verb_has_golden_output() {
    for (path, _) in all_verbs(&Args::command(), "gantry") {
        let verb = path.trim_start_matches("gantry ");
        let has_line = GOLDEN_FILES
            .iter()
            .flat_map(|(_, lines)| *lines)
            .any(|line| {
                line.strip_prefix(verb)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            });
        assert!(
            has_line || VERBS_TESTED_ELSEWHERE.contains(&verb),
            "{verb} has no line in tests/cli/golden.rs"
        );
    }
}

/// The pipe's reader is closed before the program starts.
#[test]
fn every_verb_ends_quietly_on_a_closed_pipe() {
    let served = start_service();
    let reads = [
        "list",
        "search",
        "show",
        "stats",
        "fields",
        "workspace",
        "credits",
        "keys",
        "profile",
        "api",
        "find",
        "file",
    ];
    let lines = GOLDEN_FILES
        .iter()
        .flat_map(|(_, lines)| *lines)
        .filter(|line| {
            reads
                .iter()
                .any(|word| line.split(' ').take(3).any(|part| part == *word))
        });
    for line in lines.copied().chain([
        "man",
        "completions bash",
        "--help",
        "queue list --help",
        "--version",
    ]) {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let format = if line.contains("--help") || line.contains("--version") {
            ""
        } else {
            "--format jsonl"
        };
        let line = format!("exec gantry {line} {format}").replace("{n}", "1");
        let output = served
            .shell_command(&format!("{SHELL_HELPERS}{line}"))
            .stdout(writer)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
            .wait_with_output()
            .unwrap();
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            matches!(output.status.code(), Some(0 | 141)) && !err.contains("panicked"),
            "{line}: {:?} {err}",
            output.status
        );
        // An empty list is noted even then.
        let empty = [
            "",
            "gantry: nothing matches\n",
            "gantry: no signal leaves the queue within 0 days\n",
            "gantry: no profiles yet; gantry login creates one\n",
            "gantry: nothing is promised in the notes that this machine has read\n",
            "gantry: nothing is due in the notes that this machine has read\n",
        ];
        assert!(empty.contains(&err.as_str()), "{line}: {err}");
    }
}

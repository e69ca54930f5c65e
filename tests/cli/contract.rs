//! What scripts, dashboards and acceptance checks rely on, promise by promise: options, variables,
//! exit statuses, the local service, the import of permits, and the commands with their options. It
//! changes only on purpose.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Output, Stdio};

use gantry::cli::args::Args;
use serde_json::Value;

use crate::scripted_server::{ScriptedAction, ScriptedServer};
use crate::spawned_service::{SpawnedService, create_sample_file};

pub const UNKNOWN_ID: &str = "018f4d3a-0000-7000-8000-0000000000ff";

/// The program in an empty home.
pub fn run(home: &std::path::Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gantry"));
    command
        .args(line.split(' '))
        .env_clear()
        .env("HOME", home)
        .current_dir(home)
        .stdin(Stdio::null());
    command.output().unwrap()
}

pub fn parts(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn every_option_is_accepted_on_both_sides_of_the_command() {
    let options = [
        "--profile desk",
        "--demo",
        "--local desk.db",
        "--local desk.db --as-of 2018-12-01",
        "--base-url https://a.example/api/v1",
        "--workspace 018f4d3a-0000-7000-8000-000000000001",
        "--token-file token",
        "--format table",
        "--format json",
        "--format jsonl",
        "--format csv",
        "--json",
        "--no-color",
        "--ascii",
        "--read-only",
        "--profile desk --demo",
        "--profile desk --local desk.db",
    ];
    let parse =
        |line: String| Args::from_words(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
    for option in options {
        for line in [
            format!("gantry {option} queue stats"),
            format!("gantry queue stats {option}"),
            format!("gantry {option}"),
        ] {
            assert!(parse(line.clone()).is_ok(), "{line}");
        }
    }
    assert!(
        parse("gantry --token secret queue stats".to_owned()).is_err(),
        "a secret is in no argument"
    );
}

#[test]
fn every_command_is_there_with_its_options() {
    let home = tempfile::tempdir().unwrap();
    let (_, listed, _) = parts(&run(home.path(), "commands --json"));
    let commands: Vec<Value> = serde_json::from_str(&listed).unwrap();
    let names: BTreeSet<&str> = commands
        .iter()
        .map(|command| command["command"].as_str().unwrap())
        .collect();
    for (group, verbs) in [
        ("queue", "list stats triage"),
        ("signals", "list show"),
        ("data", "search show fields ask"),
        ("book", "search show set remove"),
        ("views", "list show create delete search add remove"),
        ("favorites", "list add remove"),
        ("subscriptions", "list set remove bulk"),
        (
            "skills",
            "list find show create update publish delete fork install",
        ),
        ("members", "list set remove"),
        ("invitations", "list create revoke"),
    ] {
        for verb in verbs.split(' ') {
            assert!(
                names.contains(format!("gantry {group} {verb}").as_str()),
                "{group} {verb}"
            );
        }
    }
    for verb in
        "workspace credits watch serve import api login logout profile doctor keys completions man"
            .split(' ')
    {
        assert!(names.contains(format!("gantry {verb}").as_str()), "{verb}");
    }
    let parse =
        |line: &str| Args::from_words(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
    for line in [
        "gantry profiles",
        "gantry queue list --status new --status done --type permit_filed --priority high --city Austin --query x --limit 5",
        "gantry queue list --all",
        "gantry queue triage done --stdin",
        "gantry book accounts set ID --status S --notes N --tag +A,-B --tier 1",
        "gantry book accounts set ID --clear-status --clear-notes --tags A,B --clear-tier",
        "gantry book contacts search city=Austin",
        "gantry book projects show 018f4d3a-0000-7000-8000-0000000000ff",
        "gantry book accounts remove ID",
        "gantry watch --plain",
        "gantry watch --json",
        "gantry serve --listen 127.0.0.1:0 --data :memory: --seed 1 --projects 5 --arrivals 5s --as-of 2016-07-01 --mail off --ready-file f",
        "gantry import permits.csv --layout chicago --data permits.db --dry-run --rejects rejects.csv",
        "gantry members list --sort email --limit 2",
        "gantry members set ann@a.example --role owner --dry-run",
        "gantry members remove ann@a.example --yes",
        "gantry invitations create new@a.example --role admin",
        "gantry invitations revoke 018f4d3a-0000-7000-8000-0000000000ff",
        "gantry skills list --query x --source official --lifecycle draft --audience workspace --installed true --sort name",
        "gantry skills list --updated-after 2026-01-01 --updated-before 2026-02-01",
        "gantry skills find permit --limit 3",
        "gantry skills show opening",
        "gantry skills file opening SKILL.md --revision 2",
        "gantry skills create Opening --description D --audience workspace --slug opening --file SKILL.md=a.md --file b.md=b.md",
        "gantry skills create --stdin",
        "gantry skills update opening --name N --description D --file SKILL.md=a.md",
        "gantry skills publish --stdin --strict",
        "gantry skills delete one two --dry-run",
        "gantry skills transfer one two --to ann@a.example",
        "gantry skills move one --audience personal",
        "gantry skills fork one --name Ours",
        "gantry skills install one two",
        "gantry workspace --json=id,plan",
        "gantry signals list --sort filed_at:desc --limit 5",
        "gantry log --since 9h --sort at --limit 5",
        "gantry credits ledger --since 9h --sort at:desc --limit 5",
        "gantry profiles --sort name --limit 5",
        "gantry layouts list --sort city --limit 5",
        "gantry cache show --sort bytes:desc --limit 5",
    ] {
        assert!(parse(line).is_ok(), "{line}: {}", parse(line).unwrap_err());
    }
    for line in [
        "gantry members set ann@a.example",
        "gantry members set ann@a.example --role chief",
        "gantry members remove",
        "gantry invitations create new@a.example --role owner",
        "gantry invitations revoke nobody",
        "gantry skills create Opening --file SKILL.md=a.md",
        "gantry skills create Opening --description D --file SKILL.md",
        "gantry skills move one",
        "gantry skills transfer one",
        "gantry skills publish one --stdin",
        "gantry skills list --installed maybe",
        "gantry workspace one",
        "gantry queue list --limit 0",
        "gantry queue list --all --limit 5",
    ] {
        assert!(parse(line).is_err(), "{line}");
    }
}

#[test]
fn members_are_named_by_address_and_only_an_admin_changes_them() {
    let served = SpawnedService::start(&["--projects", "20"]);
    let json = |line: &str| serde_json::from_slice::<Value>(&served.run(line).stdout).unwrap();
    let members = json("gantry members list --json");
    let plain = members
        .as_array()
        .unwrap()
        .iter()
        .find(|member| member["role"] == "member")
        .unwrap();
    let (id, email) = (
        plain["id"].as_str().unwrap(),
        plain["email"].as_str().unwrap(),
    );
    let ready: Value =
        serde_json::from_slice(&std::fs::read(served.home.path().join("ready.json")).unwrap())
            .unwrap();
    let people = ready["workspaces"][0]["members"].as_array().unwrap();
    let token = people
        .iter()
        .find(|person| person["email"] == email)
        .unwrap()["access_token"]
        .as_str()
        .unwrap();
    let role = || {
        json(&format!(
            "gantry members list --jq '[.[] | select(.id == \"{id}\").role]'"
        ))
    };
    for (line, status, now) in [
        (
            format!("GANTRY_TOKEN={token} gantry members set {email} --role admin"),
            3,
            serde_json::json!(["member"]),
        ),
        (
            format!("gantry members set {email} --role admin --dry-run"),
            0,
            serde_json::json!(["member"]),
        ),
        (
            format!("gantry members set {email} --role admin"),
            0,
            serde_json::json!(["admin"]),
        ),
        (
            format!("gantry members set {UNKNOWN_ID} --role admin"),
            4,
            serde_json::json!(["admin"]),
        ),
        (
            "gantry members set nobody@a.example --role admin".to_owned(),
            4,
            serde_json::json!(["admin"]),
        ),
        (
            format!("gantry --read-only members remove {email}"),
            3,
            serde_json::json!(["admin"]),
        ),
        (
            format!("gantry members remove {email}"),
            0,
            serde_json::json!([]),
        ),
        (
            format!("gantry members remove {email}"),
            4,
            serde_json::json!([]),
        ),
    ] {
        let (ended, out, err) = parts(&served.run(&line));
        assert_eq!((ended, role()), (Some(status), now), "{line}: {out}{err}");
    }
    let workspace = json("gantry workspace --json=id,plan,caller");
    let own = served
        .env
        .iter()
        .find(|(name, _)| *name == "GANTRY_WORKSPACE")
        .unwrap()
        .1
        .as_str();
    assert_eq!(
        (&workspace["id"], &workspace["plan"]),
        (&own.into(), &"pro".into()),
        "{workspace}"
    );
    assert_eq!(workspace["caller"]["role"], "owner");
}

#[test]
fn a_removal_that_the_service_does_not_tell_apart_says_so() {
    let served = SpawnedService::start(&["--projects", "60"]);
    let view = "$(gantry views list --jq '[.[] | select(.dataset == \"account\" and .type == \"static\").id][0]')";
    for (line, status, said) in [
        (
            format!("gantry views remove {view} {UNKNOWN_ID}"),
            0,
            "1 removed or not found\n",
        ),
        (
            format!("echo {UNKNOWN_ID} | gantry book remove accounts --stdin"),
            0,
            "1 removed or not found\n",
        ),
        (
            format!("gantry book remove accounts {UNKNOWN_ID}"),
            4,
            "0 removed, 1 failed\n",
        ),
        (
            format!("gantry views remove {UNKNOWN_ID} {UNKNOWN_ID}"),
            4,
            "0 removed, 1 not sent\n",
        ),
    ] {
        let (ended, out, err) = parts(&served.run(&line));
        assert_eq!((ended, out.as_str()), (Some(status), said), "{line}: {err}");
    }
}

#[test]
fn a_token_that_cannot_be_read_is_wrong_usage_and_a_login_finds_its_workspace_or_says_why_not() {
    let served = SpawnedService::start(&["--projects", "20"]);
    for (line, status) in [
        (
            "env -u GANTRY_TOKEN gantry queue stats --token-file missing",
            2,
        ),
        (
            "umask 022; echo x > open; env -u GANTRY_TOKEN gantry queue stats --token-file open",
            2,
        ),
        ("env -u GANTRY_TOKEN gantry queue stats", 3),
        (
            "printenv GANTRY_TOKEN | env -u GANTRY_WORKSPACE gantry login",
            0,
        ),
        (
            "printenv GANTRY_TOKEN | GANTRY_WORKSPACE=018f4d3a-0000-7000-8000-0000000000ff gantry login --profile other",
            3,
        ),
        (
            "echo wrong | env -u GANTRY_WORKSPACE gantry login --profile other",
            3,
        ),
        (
            "gantry login --base-url http://127.0.0.1:1/api/v1 --profile other < ready.json",
            2,
        ),
    ] {
        let (ended, out, err) = parts(&served.run(line));
        assert_eq!(ended, Some(status), "{line}: {out}{err}");
        assert!(status == 0 || err.lines().count() == 1, "{line}: {err}");
    }
}

#[test]
fn a_list_of_this_machine_is_sorted_and_cut() {
    let home = tempfile::tempdir().unwrap();
    let lines = |line: &str| {
        let (status, out, err) = parts(&run(home.path(), line));
        assert_eq!(status, Some(0), "{line}: {err}");
        (out.lines().map(str::to_owned).collect::<Vec<_>>(), err)
    };
    let (all, _) = lines("layouts list --sort name --jq .[].name");
    let (last, note) = lines("layouts list --sort name:desc --limit 2 --jq .[].name");
    assert_eq!(last, all.iter().rev().take(2).cloned().collect::<Vec<_>>());
    assert_eq!(note, format!("gantry: showing 2 of {}\n", all.len()));
    let (days, note) =
        lines("--demo --projects 40 signals list --sort filed_at --limit 20 --jq .[].filed_at");
    assert!(
        days.is_sorted() && days.len() == 20 && note.contains("sorted among themselves"),
        "{days:?} {note}"
    );
    for line in [
        "log",
        "credits ledger",
        "profiles",
        "layouts list",
        "cache show",
        "signals list",
    ] {
        let (status, _, err) = parts(&run(
            home.path(),
            &format!("--demo --projects 20 {line} --sort cityy --json"),
        ));
        let error: Value = serde_json::from_str(err.lines().last().unwrap())
            .unwrap_or_else(|why| panic!("{line}: {why}: {err}"));
        assert_eq!(status, Some(2), "{line}: {err}");
        assert!(
            error["error"]["hint"].as_str().is_some_and(|hint| hint.starts_with("the fields are ") || hint.starts_with("did "))
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_option_beats_a_variable_which_beats_the_profile() {
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join("settings/gantry");
    std::fs::create_dir_all(&config).unwrap();
    let stats = || {
        ScriptedAction::json(
            r#"{"new_count":1,"high_priority_new_count":0,"done_count":0,"type_counts":[]}"#,
        )
    };
    let [option, variable, profile] = [
        ScriptedServer::start([stats()]).await,
        ScriptedServer::start([stats()]).await,
        ScriptedServer::start([stats()]).await,
    ];
    let token = config.join("desk.token");
    std::fs::write(&token, "gk_of_profile").unwrap();
    std::fs::set_permissions(&token, std::fs::Permissions::from_mode(0o600)).unwrap();
    let settings = format!(
        "profile = \"desk\"\n[profiles.desk]\nbase_url = \"{}\"\nworkspace = \"{UNKNOWN_ID}\"\ntoken_file = \"{}\"\n",
        profile.base_url,
        token.display()
    );
    std::fs::write(config.join("config.toml"), settings).unwrap();
    let ask = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gantry"));
        command
            .args(["queue", "stats"])
            .args(arguments)
            .env_clear()
            .env("HOME", home.path());
        command
            .env("XDG_CONFIG_HOME", home.path().join("settings"))
            .envs(variables.iter().copied());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    let counts = || [&option, &variable, &profile].map(|server| server.requests().len());
    ask(&[], &[]);
    assert_eq!(counts(), [0, 0, 1]);
    let by_variable = [
        ("GANTRY_BASE_URL", variable.base_url.as_str()),
        ("GANTRY_TOKEN", "gk_x"),
        ("GANTRY_WORKSPACE", UNKNOWN_ID),
    ];
    ask(&[], &by_variable);
    assert_eq!(counts(), [0, 1, 1]);
    ask(&["--base-url", &option.base_url], &by_variable);
    assert_eq!(counts(), [1, 1, 1]);
}

#[test]
fn an_error_is_one_line_and_its_kind_is_the_exit_status() {
    let served = SpawnedService::start(&["--projects", "40"]);
    let nowhere = "GANTRY_BASE_URL=http://127.0.0.1:1/api/v1";
    for (line, status) in [
        ("gantry queue stats".to_owned(), 0),
        ("gantry queue list --type nonsense".to_owned(), 2),
        (
            format!(
                "gantry queue triage done {UNKNOWN_ID} $(gantry --quiet queue list --limit 1 --jq '.[].id')"
            ),
            1,
        ),
        ("gantry queue list --limit many".to_owned(), 2),
        ("gantry queue lst".to_owned(), 2),
        ("gantry --token secret queue stats".to_owned(), 2),
        ("GANTRY_TOKEN=wrong gantry queue stats".to_owned(), 3),
        (
            format!("gantry --read-only queue triage done {UNKNOWN_ID}"),
            3,
        ),
        (format!("gantry signals show {UNKNOWN_ID}"), 4),
        (format!("gantry queue triage done {UNKNOWN_ID}"), 4),
        (format!("gantry views delete {UNKNOWN_ID}"), 4),
        (format!("gantry book remove accounts {UNKNOWN_ID}"), 4),
        (format!("gantry favorites remove {UNKNOWN_ID}"), 4),
        ("gantry views show nothing-is-called-so".to_owned(), 4),
        (format!("{nowhere} gantry queue stats"), 5),
    ] {
        let (ended, out, err) = parts(&served.run(&line));
        assert_eq!(ended, Some(status), "{line}: {out}{err}");
        assert!(
            err.lines().all(|line| line.starts_with("gantry: ")),
            "{line}: {err}"
        );
        let last = |text: &str| {
            text.lines()
                .filter(|line| !line.contains(UNKNOWN_ID) || text.lines().count() == 1)
                .count()
        };
        assert!(status == 0 || last(&err) == 1, "{line}: {err}");
        // The same as JSON: one object, with the same status.
        let (ended, _, err) = parts(&served.run(&format!("{line} --json --quiet")));
        assert_eq!(ended, Some(status), "{line} --json: {err}");
        if status != 0 {
            let error: Value =
                serde_json::from_str(&err).unwrap_or_else(|why| panic!("{line}: {why}: {err}"));
            assert!(
                error["error"]["code"].is_string() && error["error"]["message"].is_string(),
                "{line}: {err}"
            );
        }
    }
}

#[test]
fn standard_output_is_data_alone_in_every_format_and_without_colors() {
    let served = SpawnedService::start(&["--projects", "40"]);
    for format in ["table", "json", "jsonl", "csv"] {
        let (status, out, err) =
            parts(&served.run(&format!("gantry queue list --limit 3 --format {format}")));
        assert!(
            status == Some(0) && !out.contains('\u{1b}') && !out.contains("showing"),
            "{out}"
        );
        assert!(err.starts_with("gantry: showing 3 of "), "{err}");
        let rows = match format {
            "json" => serde_json::from_str::<Vec<Value>>(&out).unwrap().len(),
            "jsonl" => out
                .lines()
                .filter(|line| serde_json::from_str::<Value>(line).is_ok())
                .count(),
            _ => out.lines().count() - 1,
        };
        assert_eq!(rows, 3, "{format}: {out}");
    }
    let (_, plain, _) = parts(&served.run("gantry watch --plain --once"));
    let (_, json, _) = parts(&served.run("gantry watch --json --once"));
    assert!(
        plain.lines().count() == 1
            && serde_json::from_str::<Value>(&json).unwrap()["new_count"].is_u64(),
        "{plain}{json}"
    );
}

#[test]
fn the_ready_file_names_the_address_keys_and_tokens_of_four_workspaces() {
    let served = SpawnedService::start(&["--projects", "500"]);
    let file = served.home.path().join("ready.json");
    assert_eq!(
        std::fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let ready: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let address = ready["base_url"].as_str().unwrap();
    assert!(
        address.starts_with("http://127.0.0.1:")
            && address.ends_with("/api/v1")
            && !address.contains(":0/"),
        "{address}"
    );
    let workspaces = ready["workspaces"].as_array().unwrap();
    let plans: Vec<&str> = workspaces
        .iter()
        .map(|workspace| workspace["plan"].as_str().unwrap())
        .collect();
    let count = |plan: &str| plans.iter().filter(|known| **known == plan).count();
    assert!(
        plans[0] == "pro" && count("pro") >= 2 && count("starter") == 1 && count("free") == 1,
        "{plans:?}"
    );
    for workspace in workspaces
        .iter()
        .filter(|workspace| workspace["plan"] == "pro")
    {
        let roles: Vec<&str> = workspace["members"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["role"].as_str().unwrap())
            .collect();
        let members = |role: &str| roles.iter().filter(|known| **known == role).count();
        assert!(
            members("owner") >= 1 && members("admin") >= 1 && members("member") >= 2,
            "{roles:?}"
        );
        let scopes: Vec<usize> = workspace["api_keys"]
            .as_array()
            .unwrap()
            .iter()
            .map(|key| key["scopes"].as_array().unwrap().len())
            .collect();
        assert!(scopes.contains(&2) && scopes.contains(&1), "{scopes:?}");
    }
    let json = |line: &str| {
        serde_json::from_slice::<Value>(&served.run(&format!("gantry {line} --json")).stdout)
            .unwrap()
    };
    let stats = json("queue stats");
    assert!(
        stats["new_count"].as_u64() > Some(100) && stats["done_count"].as_u64() > Some(100),
        "{stats}"
    );
    let views = json("views list");
    let kinds: BTreeSet<(String, String)> = views
        .as_array()
        .unwrap()
        .iter()
        .map(|view| {
            (
                view["dataset"].as_str().unwrap().to_owned(),
                view["type"].as_str().unwrap().to_owned(),
            )
        })
        .collect();
    assert_eq!(
        kinds.len(),
        6,
        "static and dynamic over each dataset: {kinds:?}"
    );
    assert!(!json("favorites list").as_array().unwrap().is_empty());
    assert!(json("subscriptions list").as_array().unwrap().len() > 2);
    let pending = json("invitations list")
        .as_array()
        .unwrap()
        .iter()
        .any(|invitation| invitation["status"] == "pending");
    assert!(
        pending
            || served
                .run("gantry invitations list --format csv | grep pending")
                .status
                .success()
    );
}

#[test]
fn an_interrupted_service_ends_with_success_and_a_file_keeps_what_was_written() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("desk.db");
    let mut served = Command::new(env!("CARGO_BIN_EXE_gantry"))
        .args([
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--projects",
            "20",
            "--data",
        ])
        .arg(&file)
        .env_clear()
        .env("HOME", home.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut address = String::new();
    std::io::BufRead::read_line(
        &mut std::io::BufReader::new(served.stdout.take().unwrap()),
        &mut address,
    )
    .unwrap();
    assert!(address.starts_with("http://127.0.0.1:"), "{address}");
    let pid = rustix::process::Pid::from_child(&served);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert_eq!(served.wait().unwrap().code(), Some(0));
    let (status, first, err) = parts(&run(
        home.path(),
        "--local desk.db queue list --limit 1 --json=id --jq .[].id",
    ));
    assert_eq!(status, Some(0), "{err}");
    let (status, _, err) = parts(&run(
        home.path(),
        &format!("--local desk.db queue triage done {}", first.trim()),
    ));
    assert_eq!(status, Some(0), "{err}");
    let (_, done, _) = parts(&run(
        home.path(),
        "--local desk.db queue list --status done --all --jq .[].id",
    ));
    assert!(done.lines().any(|id| id == first.trim()), "{done}");
}

#[test]
fn the_sample_data_is_a_function_of_its_seed_and_its_size() {
    let home = tempfile::tempdir().unwrap();
    let names = |options: &str| {
        let line = format!(
            "--demo --projects 60 {options}book search projects --sort name:asc --limit 5 --jq .[].name"
        );
        let (status, out, err) = parts(&run(home.path(), &line));
        assert_eq!(status, Some(0), "{err}");
        out
    };
    assert_eq!(names(""), names(""));
    create_sample_file(
        &home.path().join("old.db"),
        &["--projects", "40", "--as-of", "2016-07-01"],
    );
    let (_, later, _) = parts(&run(
        home.path(),
        "--local old.db --as-of 2016-07-01 queue list --limit 1 --jq .[].filed_at",
    ));
    assert!(
        later.starts_with("2016-0"),
        "the clock starts at the date: {later}"
    );
}

#[test]
fn permits_are_imported_once_and_a_dry_run_writes_nothing() {
    let home = tempfile::tempdir().unwrap();
    let permits = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/san_francisco_400.csv"
    );
    let import = |more: &str| {
        let line =
            format!("import {permits} --layout san-francisco --data permits.db{more} --json");
        let (status, out, err) = parts(&run(home.path(), &line));
        assert_eq!(status, Some(0), "{err}");
        serde_json::from_str::<Value>(&out).unwrap()
    };
    import(" --dry-run");
    assert!(!home.path().join("permits.db").exists());
    import(" --rejects rejects.csv");
    assert!(home.path().join("rejects.csv").exists());
    let search =
        "--local permits.db --as-of 2018-12-01 data search projects --all --json=id --jq length";
    let (_, before, _) = parts(&run(home.path(), search));
    import("");
    let (status, after, err) = parts(&run(home.path(), search));
    assert_eq!(
        (status, &before),
        (Some(0), &after),
        "the same file again changes nothing: {err}"
    );
    assert!(before.trim().parse::<u32>().unwrap() > 100, "{before}");
}

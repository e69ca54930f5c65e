//! What was not done is never reported as done: ids that do not exist, and signals that did not
//! change.

use serde_json::Value;

use crate::spawned_service::SpawnedService;

const UNKNOWN_ID: &str = "018f4d3a-0000-7000-8000-0000000000ff";

fn output_parts(output: &std::process::Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn deleting_a_missing_record_is_not_found_and_never_reported_as_done() {
    let served = SpawnedService::start(&["--projects", "60"]);
    for verb in [
        "views delete",
        "book accounts remove",
        "book contacts remove",
        "book projects remove",
    ] {
        let (status, out, err) = output_parts(&served.run(&format!("gantry {verb} {UNKNOWN_ID}")));
        assert_eq!(status, Some(4), "{verb}: {out}{err}");
        assert!(
            out.starts_with("0 ") && out.contains("1 failed") && err.contains("not_found"),
            "{verb}: {out}{err}"
        );
    }
    let line = format!(
        "gantry views delete {UNKNOWN_ID} $(gantry views list --format csv | sed -n 2p | cut -d, -f1) --json"
    );
    let (status, out, err) = output_parts(&served.run(&line));
    assert_eq!(status, Some(1), "{out}{err}");
    let rows = serde_json::from_str::<Vec<Value>>(&out).unwrap();
    let of = |is_nobody: bool| {
        rows.iter()
            .find(|row| (row["id"] == UNKNOWN_ID) == is_nobody)
            .unwrap()
    };
    assert_eq!(
        (&of(true)["status"], &of(false)["status"], rows.len()),
        (&"error".into(), &"ok".into(), 2),
        "{out}"
    );
    assert_eq!(of(true)["error"]["code"], "not_found");
    let (status, out, err) =
        output_parts(&served.run(&format!("gantry favorites remove {UNKNOWN_ID}")));
    assert_eq!(
        (status, out.as_str()),
        (Some(4), "0 removed, 1 failed\n"),
        "{err}"
    );
    let known = "$(gantry book accounts search --limit 1 --format csv | sed -n 2p | cut -d, -f1)";
    let (status, out, err) =
        output_parts(&served.run(&format!("gantry book accounts remove {UNKNOWN_ID} {known}")));
    assert_eq!(
        (status, out.as_str()),
        (Some(1), "1 removed, 1 failed\n"),
        "{err}"
    );
    assert!(
        err.contains(&format!("{UNKNOWN_ID}: ")) && err.contains("not_found"),
        "{err}"
    );
    let (status, out, _) = output_parts(&served.run(&format!(
        "echo {UNKNOWN_ID} | gantry book accounts remove --stdin"
    )));
    assert_eq!(
        (status, out.as_str()),
        (Some(0), "1 removed or not found\n"),
        "a batch does not report which"
    );
}

#[test]
fn triage_names_each_unchanged_signal_with_the_reason() {
    let served = SpawnedService::start(&["--projects", "60"]);
    let id = |nth: usize, status: &str| {
        let (_, out, _) = output_parts(&served.run(&format!(
            "gantry queue list --status {status} --format csv | sed -n {}p | cut -d, -f1",
            nth + 1
        )));
        out.trim().to_owned()
    };
    let (fresh, done) = (id(1, "new"), id(1, "done"));
    let (status, out, err) = output_parts(&served.run(&format!(
        "gantry queue triage done {fresh} {done} {UNKNOWN_ID}"
    )));
    assert_eq!(
        (status, out.as_str()),
        (
            Some(1),
            "1 signal changed to done; 2 not changed (1 already done, 1 not in this queue)\n"
        )
    );
    assert!(
        err.contains(&format!("{done}: already done by "))
            && err.contains(" at 20")
            && err.contains(&format!("{UNKNOWN_ID}: not in this queue"))
            && err.contains("gantry: 1 of 3 signals are not in this queue"),
        "{err}"
    );
    assert!(!err.contains(&fresh), "{err}");

    let (_, out, _) = output_parts(&served.run(&format!(
        "gantry queue triage done {fresh} {done} {UNKNOWN_ID} --json"
    )));
    let report: Value = serde_json::from_str(&out).unwrap();
    let reason = |id: &str| {
        report["not_changed"]
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["id"] == id)
            .unwrap()["reason"]
            .clone()
    };
    assert_eq!(
        [reason(&fresh), reason(&done), reason(UNKNOWN_ID)],
        ["already", "already", "not_in_queue"],
        "{out}"
    );
    assert!(out.contains("\"by\"") && out.contains("\"at\""), "{out}");

    let (status, out, err) =
        output_parts(&served.run(&format!("gantry queue triage new {UNKNOWN_ID}")));
    assert_eq!(status, Some(4), "{out}{err}");
    let (status, out, err) =
        output_parts(&served.run(&format!("gantry queue triage new {}", id(1, "new"))));
    assert_eq!(
        (status, out.as_str()),
        (
            Some(0),
            "0 signals changed to new; 1 not changed (1 already new)\n"
        ),
        "{err}"
    );
    assert!(err.contains("already new"), "{err}");
}

#[test]
fn a_member_added_to_the_file_can_sign_in_while_the_service_runs() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("desk.db").display().to_string();
    let served = SpawnedService::start(&["--projects", "20", "--data", &file]);
    let add = |email: &str| {
        output_parts(&served.run(&format!(
            "gantry members add 'Ann Lee' {email} member --local {file} --json"
        )))
    };
    let (status, out, err) = add("Ann@Example.com");
    assert_eq!(status, Some(0), "{out}{err}");
    let added: Value = serde_json::from_str(&out).unwrap();
    let token = added["access_token"].as_str().unwrap();
    assert!(
        err.contains("shown only once") && err.contains("gantry login"),
        "{err}"
    );
    let login = format!(
        "printf %s {token} | GANTRY_WORKSPACE= gantry login --profile ann --base-url $GANTRY_BASE_URL"
    );
    let (status, out, err) = output_parts(&served.run(&login));
    assert_eq!(status, Some(0), "{out}{err}");
    let line = "unset GANTRY_TOKEN GANTRY_BASE_URL GANTRY_WORKSPACE; gantry --profile ann queue triage done \
                $(gantry --profile ann queue list --status new --format csv | sed -n 2p | cut -d, -f1)";
    let (status, out, err) = output_parts(&served.run(line));
    assert_eq!(
        (status, out.as_str()),
        (Some(0), "1 signal changed to done\n"),
        "{err}"
    );
    let (_, list, _) = output_parts(&served.run("gantry members list --json"));
    let people: Vec<Value> = serde_json::from_str(&list).unwrap();
    assert!(
        people
            .iter()
            .any(|person| person["email"] == "ann@example.com"
                && person["display_name"] == "Ann Lee"),
        "{list}"
    );
    let bytes = std::fs::read(&file).unwrap();
    assert!(
        !bytes
            .windows(token.len())
            .any(|part| part == token.as_bytes()),
        "the file does not contain the token itself"
    );

    let (_, again, _) = add("ann@example.com");
    let again: Value = serde_json::from_str(&again).unwrap();
    assert_eq!(again["user_id"], added["user_id"], "the same person");
    assert_ne!(again["access_token"], added["access_token"]);
    let (_, list, _) = output_parts(&served.run("gantry members list --json"));
    assert_eq!(
        serde_json::from_str::<Vec<Value>>(&list).unwrap().len(),
        people.len()
    );
    for (line, status, words) in [
        (
            "gantry members add Ann ann@example.com".to_owned(),
            2,
            "--local FILE",
        ),
        (
            format!("gantry members add Ann nobody --local {file}"),
            2,
            "not an email address",
        ),
        (
            "gantry members add Ann ann@example.com --local missing.db".to_owned(),
            1,
            "No such file",
        ),
    ] {
        let (ended, _, err) = output_parts(&served.run(&line));
        assert!(
            ended == Some(status) && err.contains(words),
            "{line}: {err}"
        );
    }
    assert!(!served.home.path().join("missing.db").exists());
}

#[test]
fn an_invitation_on_the_local_service_says_how_the_person_joins() {
    let served = SpawnedService::start(&["--projects", "20"]);
    let (status, said, err) =
        output_parts(&served.run("gantry invitations create new@northline.example"));
    assert_eq!(status, Some(0), "{err}");
    assert!(
        said.starts_with("new@northline.example, member: has until ")
            && said.contains(" to run gantry join with gj_")
            && said.lines().count() == 1,
        "{said}"
    );
    assert!(
        err.contains("pass the join code on; with it they run: gantry join"),
        "{err}"
    );
}

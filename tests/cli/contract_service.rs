//! The options of the local service that others rely on: what its sample data depends on, arrivals,
//! and mail.

use crate::contract::{parts, run};
use crate::spawned_service::SpawnedService;

/// Names and costs of the sample data of a service with these options.
fn sample(options: &[&str]) -> String {
    let served = SpawnedService::start(options);
    let line = "gantry data search projects --sort name:asc --limit 20 --json=id,name,city; gantry queue stats --json";
    let (status, out, err) = parts(&served.run(line));
    assert_eq!(status, Some(0), "{err}");
    out
}

#[test]
fn the_sample_data_is_a_function_of_seed_projects_and_clock_alone() {
    let with = |seed: &'static str, projects: &'static str| {
        sample(&[
            "--seed",
            seed,
            "--projects",
            projects,
            "--as-of",
            "2016-07-01T12:00:00Z",
        ])
    };
    let first = with("1", "30");
    assert_eq!(first, with("1", "30"), "the same again");
    assert_ne!(first, with("2", "30"), "another seed");
    assert_ne!(first, with("1", "40"), "another size");
}

#[test]
fn new_signals_arrive_at_about_the_given_interval_or_never() {
    let (home, file) = (tempfile::tempdir().unwrap(), "1.db");
    for arrivals in ["soon", "-1s", "5d"] {
        let (status, _, err) = parts(&run(
            home.path(),
            &format!("serve --data {file} --arrivals={arrivals}"),
        ));
        assert!(
            status == Some(2) && err.lines().count() == 1 && err.contains("is not a duration"),
            "{arrivals}: {err}"
        );
    }
    assert!(!home.path().join(file).exists(), "nothing was created");
    let count = |served: &SpawnedService| {
        let (status, out, err) = parts(&served.run("gantry signals list --all --jq length"));
        assert_eq!(status, Some(0), "{err}");
        out.trim().parse::<usize>().unwrap()
    };
    let quiet = SpawnedService::start(&["--projects", "20", "--arrivals", "off"]);
    let before = count(&quiet);
    let served = SpawnedService::start(&["--projects", "20", "--arrivals", "1s"]);
    let first = count(&served);
    let arrived = (0..300).any(|_| count(&served) > first);
    assert!(arrived, "no signal arrived: {first}");
    assert_eq!(count(&quiet), before, "none arrives with --arrivals off");
}

#[test]
fn an_invitation_is_mailed_where_mail_has_a_destination_and_its_code_is_printed_elsewhere() {
    let letters = tempfile::tempdir().unwrap();
    for (mail, is_mailed) in [
        ("off", false),
        (&*letters.path().display().to_string(), true),
    ] {
        let served = SpawnedService::start(&["--projects", "20", "--mail", mail]);
        let (_, out, err) = parts(&served.run("gantry workspace --jq .sends_invitations"));
        assert_eq!(out.trim(), is_mailed.to_string(), "{mail}: {err}");
        let (status, out, err) =
            parts(&served.run("gantry invitations create ann@northline.example --json"));
        assert_eq!(status, Some(0), "{err}");
        let invitation: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(
            (
                invitation["join_code"].is_string(),
                invitation["is_mailed"] == true
            ),
            (!is_mailed, is_mailed),
            "{out}"
        );
    }
}

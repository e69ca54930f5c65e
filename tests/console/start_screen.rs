//! The first start without any configuration, over HTTP and TLS: joining a team, and a service that
//! nobody vouches for.

use std::path::Path;

use crate::pty::{TerminalSession, gantry_program, hide_first_run_card};
use crate::spawned_service::SpawnedService;

fn start_in(home: &Path) -> TerminalSession {
    hide_first_run_card(home);
    gantry_program(&[])
        .env("HOME", home.to_str().unwrap())
        .start()
}

/// Types each text once the one before is on the screen: keys that arrive together are a paste.
fn press_each(console: &mut TerminalSession, texts: &[&str]) {
    for text in texts {
        console.type_keys(text);
        console.wait_until_quiet();
    }
}

/// The fingerprint of the service's certificate.
fn certificate(served: &SpawnedService) -> String {
    let ready: serde_json::Value =
        serde_json::from_slice(&std::fs::read(served.home.path().join("ready.json")).unwrap())
            .unwrap();
    ready["certificate"].as_str().unwrap().to_owned()
}

fn config_text(home: &Path) -> String {
    std::fs::read_to_string(home.join(".config/gantry/config.toml")).unwrap()
}

#[test]
fn somebody_without_a_profile_joins_a_team_on_the_first_screen() {
    let served = SpawnedService::start(&["--tls", "--projects", "20"]);
    let pin = format!("GANTRY_CERTIFICATE={}", certificate(&served));
    let output = served.run(&format!(
        "{pin} gantry invitations create lee@northline.example --json"
    ));
    let invited: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let code = invited["join_code"].as_str().unwrap();
    let lee = tempfile::tempdir().unwrap();
    let mut console = start_in(lee.path()).wait_for_text("Join a team");
    press_each(&mut console, &["jj", "\r"]);
    console.wait_for("begins with gj_");
    press_each(&mut console, &[code, "\r", "\r"]);
    console.wait_for("enter your name");
    press_each(&mut console, &["Lee Park", "\r"]);
    console.wait_for("1 of ");
    assert!(
        !console.all_output().contains(code),
        "the code is not shown"
    );
    console.type_keys("q");
    assert_eq!(console.wait_for_exit(), 0);
    assert!(
        config_text(lee.path()).contains("certificate = \"sha256:"),
        "{}",
        config_text(lee.path())
    );
    start_in(lee.path()).wait_for_text("1 of ");
}

#[test]
fn a_token_is_sent_to_an_unknown_certificate_only_after_it_was_accepted() {
    let served = SpawnedService::start(&["--tls", "--projects", "20"]);
    let env = |name: &str| {
        served
            .env
            .iter()
            .find(|(known, _)| *known == name)
            .unwrap()
            .1
            .clone()
    };
    let ann = tempfile::tempdir().unwrap();
    let mut console = start_in(ann.path()).wait_for_text("Service");
    press_each(&mut console, &["jjj", "\r"]);
    console.wait_for("whoever runs the service");
    press_each(
        &mut console,
        &[
            "\x15",
            &env("GANTRY_BASE_URL"),
            "\r",
            &env("GANTRY_TOKEN"),
            "\r",
            "\r",
        ],
    );
    console.wait_for("The token was not sent");
    console.type_keys("\r");
    console.wait_until("the question is gone", |console| {
        !console.text().contains("The token was not sent")
    });
    assert!(
        !config_text(ann.path()).contains("[profiles"),
        "nothing is saved"
    );
    console.type_keys("\r");
    console.wait_for("The token was not sent");
    press_each(&mut console, &["j", "\r"]);
    console.wait_for("1 of ");
    console.type_keys("q");
    assert_eq!(console.wait_for_exit(), 0);
    assert!(
        config_text(ann.path()).contains(&certificate(&served)),
        "{}",
        config_text(ann.path())
    );
}

//! Tests of the first screen as its users see it.

use crate::app::effect::{ConnectTarget, Effect, ServiceCall};
use crate::app::msg::{ConnectReply, Msg, Reply};
use crate::app::secret::Secret;
use crate::app::testing::{TestConsole, golden};
use crate::app::{AppSettings, ConsoleSession};
use crate::domain::certificate::{CertificateChange, Fingerprint};
use crate::domain::request_error::RequestError;

fn unconfigured() -> TestConsole {
    let session = ConsoleSession {
        label: String::new(),
        connected: false,
        read_only: false,
        is_dashboard_only: false,
    };
    TestConsole::with_session(session, Vec::new(), (80, 24), AppSettings::default())
}

#[test]
fn nothing_is_requested_before_a_choice() {
    assert_eq!(unconfigured().calls, []);
}

#[test]
fn enter_on_the_demo_opens_the_queue() {
    let console = unconfigured().press("Enter").serve();
    assert_eq!(console.calls[0], ServiceCall::Connect(ConnectTarget::Demo));
    assert!(console.screen_text().contains("New"));
}

#[test]
fn typed_text_stays_when_the_sign_in_fails() {
    let console = unconfigured()
        .press("j j j Enter")
        .type_text("gantry.example/api/v1")
        .press("Enter")
        .type_text("gk_1");
    let console = console
        .press("Enter")
        .type_text("6f1e0000-0000-4000-8000-000000000001")
        .press("Enter");
    assert!(
        matches!(&console.calls[0], ServiceCall::Connect(ConnectTarget::Service { base_url, .. }) if base_url == "https://gantry.example/api/v1")
    );
    let console = console.fail_next(RequestError::new_not_sent(
        "no host is called gantry.example",
    ));
    let screen = console.screen_text();
    assert!(
        screen.contains("no host is called gantry.example"),
        "{screen}"
    );
    assert!(screen.contains("gantry.example/api/v1"));
    assert!(!screen.contains("gk_1"), "the token is hidden");
}

#[test]
fn a_sign_in_needs_no_workspace_until_the_service_asks_for_it() {
    let form = || {
        unconfigured()
            .press("j j j Enter")
            .type_text("h/api/v1")
            .press("Enter")
            .type_text("t")
            .press("Enter")
    };
    let console = form().press("Enter");
    assert!(
        matches!(&console.calls[0], ServiceCall::Connect(ConnectTarget::Service { workspace, .. }) if workspace.is_empty())
    );
    let console = console.fail_next(RequestError::new_not_sent(
        "a person's token needs the id of its workspace as well",
    ));
    assert!(
        console
            .screen_text()
            .contains("needs the id of its workspace")
    );
    let console = form().type_text("our team").press("Enter");
    assert_eq!(
        console.calls,
        [],
        "an invalid id is reported before anything is sent"
    );
    assert!(
        console
            .screen_text()
            .contains("The workspace id must be a UUID")
    );
}

#[test]
fn an_address_without_a_scheme_is_tried_with_https_and_an_empty_one_is_asked_for() {
    let form = || unconfigured().press("j j j Enter");
    let console = form()
        .press("Ctrl-u")
        .type_text("192.168.1.20:8484")
        .press("Enter")
        .type_text("t")
        .press("Enter Enter");
    assert!(
        matches!(&console.calls[0], ServiceCall::Connect(ConnectTarget::Service { base_url, .. }) if base_url == "https://192.168.1.20:8484")
    );
    let console = form().press("Enter").type_text("t").press("Enter Enter");
    assert_eq!(console.calls, []);
    assert!(
        console
            .screen_text()
            .contains("Enter the service's address"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn each_field_of_the_service_says_what_it_is_and_where_it_comes_from() {
    let form = unconfigured().press("j j j Enter");
    assert!(
        form.screen_text()
            .contains("whoever runs the service gave it"),
        "{}",
        form.screen_text()
    );
    let form = form.press("Enter");
    assert!(
        form.screen_text().contains("like a password"),
        "{}",
        form.screen_text()
    );
    assert!(
        form.press("Enter")
            .screen_text()
            .contains("Leave this empty")
    );
}

#[test]
fn a_join_code_and_a_name_join_a_team() {
    let code = crate::domain::join_code::JoinCode {
        base_url: "https://192.168.1.20:8484/api/v1".to_owned(),
        fingerprint: None,
        secret: crate::domain::join_code::JoinSecret(*b"0123456789abcdef"),
    };
    let form = unconfigured()
        .press("j j Enter")
        .send(Msg::Paste(code.encode()))
        .press("Enter")
        .type_text("Lee Park");
    assert!(
        !form.screen_text().contains("gj_"),
        "the code is not shown: {}",
        form.screen_text()
    );
    let console = form.press("Enter");
    let target = ConnectTarget::Join {
        code: Secret(code.encode()),
        name: "Lee Park".to_owned(),
        accepted: None,
    };
    assert_eq!(console.calls[0], ServiceCall::Connect(target));
    let console = console.fail_next(RequestError::new_not_sent(
        "this join code was already used",
    ));
    let screen = console.screen_text();
    assert!(
        screen.contains("already used") && screen.contains("Lee Park"),
        "{screen}"
    );
}

fn join_code() -> String {
    let secret = crate::domain::join_code::JoinSecret(*b"0123456789abcdef");
    crate::domain::join_code::JoinCode {
        base_url: "https://192.168.1.20:8484/api/v1".to_owned(),
        fingerprint: None,
        secret,
    }
    .encode()
}

#[test]
fn a_code_pasted_into_any_field_goes_to_the_field_for_it_and_is_never_shown() {
    let code = join_code();
    let to_name = "j j Enter Tab";
    for way in [
        "j",
        "j j Enter",
        to_name,
        "j Enter",
        "j j j Enter",
        "j j j Enter Tab",
        "j j j Enter Tab Tab",
    ] {
        for pasted in [
            code.clone(),
            format!("  {}\r\n{}\n", &code[..20], &code[20..]),
        ] {
            let console = unconfigured().press(way).send(Msg::Paste(pasted));
            let screen = console.screen_text();
            assert!(
                !screen.contains(&code[3..12]) && screen.contains("begins with gj_"),
                "{way}: {screen}"
            );
            let console = console.press("Enter").type_text("Lee").press("Enter");
            let Some(ServiceCall::Connect(ConnectTarget::Join {
                code: sent, name, ..
            })) = console.calls.first()
            else {
                panic!("{way}: {}", console.screen_text())
            };
            assert_eq!(
                (
                    crate::domain::join_code::JoinCode::parse(&sent.0).is_ok(),
                    name.as_str()
                ),
                (true, "Lee"),
                "{way}"
            );
        }
        for token in ["gat_0123456789abcdef", "gak_0123456789abcdef"] {
            let console = unconfigured().press(way).send(Msg::Paste(token.to_owned()));
            let screen = console.screen_text();
            assert!(
                !screen.contains("0123456") && screen.contains("like a password"),
                "{way}: {screen}"
            );
        }
    }
}

#[test]
fn an_incomplete_code_holds_the_cursor_and_the_next_paste_replaces_it() {
    let code = join_code();
    let console = unconfigured()
        .press("j j Enter")
        .send(Msg::Paste(code[..30].to_owned()));
    assert!(
        console.screen_text().contains("incomplete: copy it again"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Enter");
    assert!(
        console.screen_text().contains("incomplete: copy it again"),
        "{}",
        console.screen_text()
    );
    let console = console.send(Msg::Paste(code.clone()));
    assert!(
        !console.screen_text().contains("incomplete"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Enter").type_text("Lee Park").press("Enter");
    let target = ConnectTarget::Join {
        code: Secret(code),
        name: "Lee Park".to_owned(),
        accepted: None,
    };
    assert_eq!(console.calls, [ServiceCall::Connect(target)]);
}

#[test]
fn the_cursor_goes_to_the_field_that_an_error_is_about() {
    let code = join_code();
    let used = unconfigured()
        .press("j j Enter")
        .send(Msg::Paste(code.clone()))
        .press("Enter")
        .type_text("Lee")
        .press("Enter");
    let used = used
        .fail_next(RequestError::new_not_sent(
            "this join code was already used",
        ))
        .press("x");
    assert!(
        used.screen_text().contains("begins with gj_"),
        "{}",
        used.screen_text()
    );
    let console = unconfigured()
        .press("j j j Enter Tab")
        .type_text("t")
        .press("Tab")
        .type_text("our team")
        .press("Enter");
    assert!(
        console
            .screen_text()
            .contains("Enter the service's address"),
        "{}",
        console.screen_text()
    );
    assert!(
        console
            .type_text("h")
            .screen_text()
            .contains("whoever runs the service")
    );
    let typed = unconfigured()
        .press("j j Enter")
        .send(Msg::Paste(code.clone()))
        .press("Enter")
        .type_text(&code)
        .press("Enter");
    assert!(
        typed.calls.is_empty() && !typed.screen_text().contains(&code[3..12]),
        "{}",
        typed.screen_text()
    );
}

#[test]
fn a_text_that_is_no_join_code_is_reported_before_anything_is_sent() {
    let console = unconfigured()
        .press("j j Enter")
        .type_text("hello")
        .press("Enter Enter");
    assert_eq!(console.calls, []);
    assert!(
        console.screen_text().contains("this is not a join code"),
        "{}",
        console.screen_text()
    );
}

fn unknown_certificate() -> TestConsole {
    let form = unconfigured()
        .press("j j j Enter")
        .type_text("192.168.1.20:8484")
        .press("Enter")
        .type_text("gk_1");
    form.press("Enter Enter")
        .answer_next(Ok(Reply::Connect(ConnectReply::UnknownCertificate {
            change: CertificateChange {
                new: Some(Fingerprint([171; 32])),
                pinned: None,
            },
            reason: "this machine does not trust the certificate of 192.168.1.20".to_owned(),
        })))
}

#[test]
fn an_unknown_certificate_is_accepted_only_by_an_explicit_choice() {
    let asked = unknown_certificate();
    let screen = asked.screen_text();
    assert!(
        screen.contains("sha256:abab") && screen.contains("The token was not sent"),
        "{screen}"
    );
    let console = asked.press("Enter");
    assert_eq!(console.calls.len(), 1, "the first answer declines");
    assert!(
        console.screen_text().contains("192.168.1.20:8484"),
        "what was typed stays: {}",
        console.screen_text()
    );
    let console = unknown_certificate().press("j Enter");
    assert!(
        matches!(&console.calls[1], ServiceCall::Connect(ConnectTarget::Service { accepted: Some(change), .. })
        if change.new == Some(Fingerprint([171; 32])))
    );
}

#[test]
fn a_certificate_replaces_the_one_of_a_profile_only_after_a_question_that_shows_both() {
    let code = crate::domain::join_code::JoinCode {
        base_url: "https://192.168.1.20:8484/api/v1".to_owned(),
        fingerprint: Some(Fingerprint([171; 32])),
        secret: crate::domain::join_code::JoinSecret(*b"0123456789abcdef"),
    };
    let change = CertificateChange {
        new: code.fingerprint,
        pinned: Some(Fingerprint([18; 32])),
    };
    let asked = || {
        let form = unconfigured()
            .press("j j Enter")
            .send(Msg::Paste(code.encode()))
            .press("Enter Enter");
        let reason = "profile desk accepts only another certificate of this service".to_owned();
        form.answer_next(Ok(Reply::Connect(ConnectReply::UnknownCertificate {
            change,
            reason,
        })))
    };
    let screen = asked().screen_text();
    for shown in [
        "Nothing was sent: profile desk",
        "sha256:1212",
        "sha256:abab",
        "may be intercepting",
    ] {
        assert!(screen.contains(shown), "{shown}: {screen}");
    }
    assert_eq!(
        asked().press("Enter").calls.len(),
        1,
        "the first answer declines"
    );
    let accepted = asked().press("j Enter");
    let target = ConnectTarget::Join {
        code: Secret(code.encode()),
        name: String::new(),
        accepted: Some(change),
    };
    assert_eq!(accepted.calls[1], ServiceCall::Connect(target));
}

fn small() -> TestConsole {
    let session = ConsoleSession {
        label: String::new(),
        connected: false,
        read_only: false,
        is_dashboard_only: false,
    };
    TestConsole::with_session(session, Vec::new(), (60, 20), AppSettings::default())
}

#[test]
fn a_small_screen_explains_the_chosen_entry() {
    let screen = small().screen_text();
    for text in ["What do you want to open?", "nothing is saved"] {
        assert!(screen.contains(text), "{text}: {screen}");
    }
    let screen = small().press("j j").screen_text();
    assert!(screen.contains("a colleague gave you"), "{screen}");
}

#[test]
fn the_help_of_a_field_covers_no_field_on_a_small_screen() {
    let screen = small().press("j j j Enter").screen_text();
    for text in ["address", "token", "workspace", "whoever runs the service"] {
        assert!(screen.contains(text), "{text}: {screen}");
    }
}

#[test]
fn q_quits() {
    assert_eq!(unconfigured().press("q").effects, [Effect::Quit]);
}

#[test]
fn golden_screens_of_the_start() {
    golden!("start_80x24", unconfigured());
    golden!("start_join_80x24", unconfigured().press("j j Enter"));
    golden!("start_certificate_80x24", unknown_certificate());
    golden!("start_service_80x24", unconfigured().press("j j j Enter"));
    golden!(
        "start_token_80x24",
        unconfigured().press("j j j Enter Enter")
    );
}

//! Tests of the first screen as its users see it.

use crate::app::effect::{ConnectTarget, Effect, ServiceCall};
use crate::app::testing::{TestConsole, golden};
use crate::app::{AppSettings, ConsoleSession};
use crate::domain::request_error::RequestError;

fn unconfigured() -> TestConsole {
    let session = ConsoleSession { label: String::new(), connected: false, read_only: false, is_dashboard_only: false };
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
    let console = unconfigured().press("j j Enter").type_text("gantry.example/api/v1").press("Enter").type_text("gk_1");
    let console = console.press("Enter").type_text("6f1e0000-0000-4000-8000-000000000001").press("Enter");
    assert!(
        matches!(&console.calls[0], ServiceCall::Connect(ConnectTarget::Service { base_url, .. }) if base_url == "https://gantry.example/api/v1")
    );
    let console = console.fail_next(RequestError::new_not_sent("no host is called gantry.example"));
    let screen = console.screen_text();
    assert!(screen.contains("no host is called gantry.example"), "{screen}");
    assert!(screen.contains("gantry.example/api/v1"));
    assert!(!screen.contains("gk_1"), "the token is hidden");
}

#[test]
fn a_sign_in_needs_no_workspace_until_the_service_asks_for_it() {
    let form = || unconfigured().press("j j Enter").type_text("h/api/v1").press("Enter").type_text("t").press("Enter");
    let console = form().press("Enter");
    assert!(matches!(&console.calls[0], ServiceCall::Connect(ConnectTarget::Service { workspace, .. }) if workspace.is_empty()));
    let console = console.fail_next(RequestError::new_not_sent("a person's token needs the id of its workspace as well"));
    assert!(console.screen_text().contains("needs the id of its workspace"));
    let console = form().type_text("our team").press("Enter");
    assert_eq!(console.calls, [], "an invalid id is reported before anything is sent");
    assert!(console.screen_text().contains("The workspace id must be a UUID"));
}

#[test]
fn an_address_without_a_scheme_is_tried_with_https_and_an_empty_one_is_asked_for() {
    let form = || unconfigured().press("j j Enter");
    let console = form().press("Ctrl-u").type_text("192.168.1.20:8484").press("Enter").type_text("t").press("Enter Enter");
    assert!(
        matches!(&console.calls[0], ServiceCall::Connect(ConnectTarget::Service { base_url, .. }) if base_url == "https://192.168.1.20:8484")
    );
    let console = form().press("Enter").type_text("t").press("Enter Enter");
    assert_eq!(console.calls, []);
    assert!(console.screen_text().contains("Enter the service's address"), "{}", console.screen_text());
}

#[test]
fn each_field_of_the_service_says_what_it_is_and_where_it_comes_from() {
    let form = unconfigured().press("j j Enter");
    assert!(form.screen_text().contains("whoever runs the service gave it"), "{}", form.screen_text());
    let form = form.press("Enter");
    assert!(form.screen_text().contains("like a password"), "{}", form.screen_text());
    assert!(form.press("Enter").screen_text().contains("Leave this empty"));
}

#[test]
fn q_quits() {
    assert_eq!(unconfigured().press("q").effects, [Effect::Quit]);
}

#[test]
fn golden_screens_of_the_start() {
    golden!("start_80x24", unconfigured());
    golden!("start_service_80x24", unconfigured().press("j j Enter"));
    golden!("start_token_80x24", unconfigured().press("j j Enter Enter"));
}

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
fn q_quits() {
    assert_eq!(unconfigured().press("q").effects, [Effect::Quit]);
}

#[test]
fn golden_screens_of_the_start() {
    golden!("start_80x24", unconfigured());
    golden!("start_service_80x24", unconfigured().press("j j Enter"));
}

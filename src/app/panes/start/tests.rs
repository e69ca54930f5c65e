//! The first screen, in the words of its users.

use crate::app::effect::{Call, Effect, Target};
use crate::app::testing::{Console, golden};
use crate::app::{Session, Settings};
use crate::domain::failure::Failure;

fn nothing_configured() -> Console {
    let session = Session { label: String::new(), connected: false, read_only: false, watches: false };
    Console::with(session, Vec::new(), (80, 24), Settings::default())
}

#[test]
fn nothing_is_asked_before_a_choice() {
    assert_eq!(nothing_configured().calls, []);
}

#[test]
fn enter_on_the_demo_opens_the_queue() {
    let console = nothing_configured().press("Enter").serve();
    assert_eq!(console.calls[0], Call::Connect(Target::Demo));
    assert!(console.screen().contains("New"));
}

#[test]
fn what_was_typed_stays_when_the_sign_in_fails() {
    let console = nothing_configured().press("j j Enter").type_in("gantry.example/api/v1").press("Enter").type_in("gk_1");
    let console = console.press("Enter").type_in("6f1e0000-0000-4000-8000-000000000001").press("Enter");
    assert!(
        matches!(&console.calls[0], Call::Connect(Target::Service { base_url, .. }) if base_url == "https://gantry.example/api/v1")
    );
    let console = console.fail(Failure::not_sent("no host is called gantry.example"));
    let screen = console.screen();
    assert!(screen.contains("no host is called gantry.example"), "{screen}");
    assert!(screen.contains("gantry.example/api/v1"));
    assert!(!screen.contains("gk_1"), "the token is hidden");
}

#[test]
fn a_missing_workspace_is_told_before_anything_is_sent() {
    let console = nothing_configured().press("j j Enter").type_in("h/api/v1").press("Enter").type_in("t").press("Enter Enter");
    assert_eq!(console.calls, []);
    assert!(console.screen().contains("workspace's id is needed"));
}

#[test]
fn q_quits() {
    assert_eq!(nothing_configured().press("q").effects, [Effect::Quit]);
}

#[test]
fn golden_screens_of_the_start() {
    golden!("start_80x24", nothing_configured());
    golden!("start_service_80x24", nothing_configured().press("j j Enter"));
}

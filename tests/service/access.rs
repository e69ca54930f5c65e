//! Who may ask (interface: Authentication, Errors; decisions: order of gates).

use crate::support::{Caller, Desk};

#[tokio::test]
async fn missing_and_invalid_credentials_get_the_401_envelope() {
    let desk = Desk::new().await;
    for secret in [None, Some("nobody".to_owned()), Some(String::new())] {
        let said = desk.get(&Caller { secret, workspace: None }, "/workspace").await;
        assert_eq!(said.headers["www-authenticate"], "Bearer");
        said.refused(401, "unauthorized");
    }
}

#[tokio::test]
async fn a_key_resolves_its_workspace_and_a_user_token_must_name_it() {
    let desk = Desk::new().await;
    let shown = desk.get(&desk.key(0), "/workspace").await.ok();
    assert_eq!(shown["data"]["id"], desk.id(0));
    assert_eq!(shown["metadata"], serde_json::json!({"credits": 0}));
    let anonymous = Caller { workspace: None, ..desk.user(0, 0) };
    desk.get(&anonymous, "/workspace").await.refused(400, "bad_request");
    assert_eq!(desk.get(&desk.user(0, 2), "/workspace").await.ok()["data"]["caller"]["role"], "member");
}

#[tokio::test]
async fn a_workspace_that_is_not_pro_and_a_stranger_get_403() {
    let desk = Desk::new().await;
    desk.get(&desk.key(2), "/workspace").await.refused(403, "forbidden");
    desk.get(&desk.user(3, 0), "/workspace").await.refused(403, "forbidden");
    desk.get(&desk.user(0, 0).naming(desk.id(1)), "/workspace").await.refused(403, "forbidden");
    desk.get(&desk.key(0).naming(desk.id(1)), "/workspace").await.refused(403, "forbidden");
}

#[tokio::test]
async fn unknown_routes_and_wrong_methods_answer_in_the_envelope() {
    let desk = Desk::new().await;
    desk.get(&desk.key(0), "/nowhere").await.refused(404, "not_found");
    desk.delete(&desk.key(0), "/workspace").await.refused(405, "method_not_allowed");
}

#[tokio::test]
async fn the_date_of_an_answer_is_that_of_the_services_clock() {
    let as_of = "2016-07-01T00:00:00Z".parse().unwrap();
    let desk = Desk::with(gantry::service::Options { as_of: Some(as_of), projects: 20, ..Default::default() }).await;
    let said = desk.get(&desk.key(0), "/workspace").await;
    assert!(said.headers["date"].to_str().unwrap().starts_with("Fri, 01 Jul 2016 00:00:"));
}

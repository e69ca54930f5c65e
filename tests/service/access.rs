//! Who may ask (interface: Authentication, Errors; decisions: order of gates).

use crate::fields::has_fields;
use crate::support::{Caller, Desk};
use gantry::service::{WorkspaceSource, routes};
use serde_json::json;

const NOBODY: &str = "00000000-0000-4000-8000-000000000000";

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
    assert_eq!(shown["metadata"], json!({"credits": 0}));
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
    let desk = Desk::with(gantry::service::ServiceOptions { as_of: Some(as_of), projects: 20, ..Default::default() }).await;
    let said = desk.get(&desk.key(0), "/workspace").await;
    assert!(said.headers["date"].to_str().unwrap().starts_with("Fri, 01 Jul 2016 00:00:"));
}

#[tokio::test]
async fn every_route_takes_an_api_key_or_a_user_token_as_a_bearer() {
    let desk = Desk::new().await;
    for caller in [desk.key(0), desk.user(0, 0)] {
        desk.get(&caller, "/workspace").await.ok();
        desk.get(&caller, "/workspace/members").await.ok();
    }
    let asked = async |header: String| {
        let url = format!("{}/workspace", desk.service.base_url());
        desk.http.get(url).header("authorization", header).send().await.unwrap().status().as_u16()
    };
    let secret = desk.key(0).secret.unwrap();
    for (header, status) in [
        (format!("Bearer {secret}"), 200),
        (format!("bearer {secret}"), 200),
        (format!("Basic {secret}"), 401),
        (secret.clone(), 401),
        (format!("Bearer {secret}x"), 401),
        ("Bearer".to_owned(), 401),
    ] {
        assert_eq!(asked(header.clone()).await, status, "{}", header.replace(&secret, "SECRET"));
    }
}

#[tokio::test]
async fn with_an_api_key_workspace_id_is_optional_but_on_signals_and_signal_subscriptions() {
    let desk = Desk::new().await;
    for route in routes() {
        let path = route.path.replace("{dataset}", "accounts").replace("{key}", "name").replace("{signal_type}", "permit_issued");
        let path = path.split('/').map(|part| if part.starts_with('{') { NOBODY } else { part }).collect::<Vec<_>>().join("/");
        let body = (!matches!(route.method.as_str(), "GET" | "DELETE")).then(|| "{}".to_owned());
        let said = desk.ask(&desk.key(0), route.method.as_str(), &path, body).await;
        let missed = said.body["error"]["issues"][0]["path"] == json!(["workspace_id"]);
        let always = path.starts_with("/signals") || path.starts_with("/signal-subscriptions");
        assert_eq!(missed, always, "{} {path} {}", route.method, said.text);
        assert_eq!(
            always,
            matches!(route.auth.workspace_source, WorkspaceSource::QueryRequired | WorkspaceSource::BodyRequired),
            "{path}"
        );
    }
}

#[tokio::test]
async fn workspace_id_is_in_the_query_of_get_and_delete_and_in_the_body_of_post_and_put() {
    let desk = Desk::new().await;
    let (key, named) = (desk.key(0), desk.key(0).naming(desk.id(0)));
    let own = json!({"workspace_id": desk.id(0)});
    for path in ["/signals", "/signals/queue", "/signals/queue/stats", "/signal-subscriptions"] {
        desk.get(&named, path).await.ok();
        desk.ask(&key, "GET", path, Some(own.to_string())).await.refused(400, "bad_request");
    }
    let gone = "/signal-subscriptions/permit_issued";
    desk.ask(&key, "DELETE", gone, Some(own.to_string())).await.refused(400, "bad_request");
    desk.delete(&named, gone).await.ok();
    desk.put(&named, gone, json!({})).await.refused(400, "bad_request");
    desk.put(&key, gone, own).await.ok();
    for (path, mut body) in [
        ("/signals/triage", json!({"signal_ids": [NOBODY], "status": "done"})),
        ("/signal-subscriptions/bulk", json!({"subscriptions": [{"signal_type": "permit_issued"}]})),
    ] {
        desk.post(&named, path, body.clone()).await.refused(400, "bad_request");
        body["workspace_id"] = json!(desk.id(0));
        desk.post(&key, path, body).await.ok();
    }
}

#[tokio::test]
async fn book_searches_are_posts_with_workspace_id_in_the_query() {
    let desk = Desk::new().await;
    let silent = Caller { workspace: None, ..desk.user(0, 0) };
    for path in ["/workspace/accounts/search", "/workspace/contacts/search", "/workspace/projects/search"] {
        desk.post(&desk.user(0, 0), path, json!({"limit": 1})).await.ok();
        let error = desk.post(&silent, path, json!({"workspace_id": desk.id(0)})).await.refused(400, "bad_request");
        assert_eq!(error["issues"][0]["path"], json!(["workspace_id"]), "{path}");
    }
}

#[tokio::test]
async fn a_question_carries_workspace_id_in_its_body() {
    let desk = Desk::new().await;
    let silent = Caller { workspace: None, ..desk.user(0, 0) };
    let body = json!({"entity": "projects", "query": "hotels", "workspace_id": desk.id(0)});
    desk.post(&silent, "/filters/ask", body).await.ok();
    let body = json!({"entity": "projects", "query": "hotels"});
    desk.post(&desk.user(0, 0), "/filters/ask", body.clone()).await.refused(400, "bad_request");
    desk.post(&desk.key(0), "/filters/ask", body).await.ok();
}

#[tokio::test]
async fn a_key_that_names_another_workspace_never_sees_the_others_rows() {
    let desk = Desk::new().await;
    let key = desk.key(0).naming(desk.id(1));
    for path in ["/workspace", "/workspace/credits", "/workspace/views", "/workspace/members", "/signals/queue", "/signals"] {
        desk.get(&key, path).await.refused(403, "forbidden");
    }
    let triage = json!({"workspace_id": desk.id(1), "signal_ids": [NOBODY], "status": "done"});
    desk.post(&desk.key(0), "/signals/triage", triage).await.refused(403, "forbidden");
}

#[tokio::test]
async fn api_key_callers_count_as_admin_on_administrative_routes() {
    let desk = Desk::new().await;
    let key = desk.key(0);
    assert_eq!(desk.get(&key, "/workspace").await.ok()["data"]["caller"]["role"], "admin");
    desk.get(&key, "/workspace/invitations").await.ok();
    let made = desk.post(&key, "/workspace/invitations", json!({"email": "sam@northline.example"})).await.ok();
    desk.delete(&key, &format!("/workspace/invitations/{}", made["data"]["id"].as_str().unwrap())).await.ok();
    // and not as the owner who issued it
    let owner = format!("/workspace/members/{}", desk.workspace(0).members[0].user_id);
    desk.ask(&key, "PATCH", &owner, Some(json!({"role": "member"}).to_string())).await.refused(403, "forbidden");
}

#[tokio::test]
async fn the_workspace_says_what_it_is_and_who_is_asking() {
    let desk = Desk::new().await;
    let said = desk.get(&desk.user(0, 1), "/workspace").await.ok();
    assert_eq!(said["metadata"], json!({"credits": 0}));
    let table = [
        ("id", "uuid"),
        ("name", "string"),
        ("plan", "pro"),
        ("created_at", "moment"),
        ("caller", "object"),
        ("counts", "object"),
        ("sends_invitations", "boolean"),
    ];
    has_fields(&said["data"], &table);
    let caller = [("kind", "user"), ("user_id", "uuid"), ("role", "admin"), ("scopes", "string[]")];
    has_fields(&said["data"]["caller"], &caller);
    let counts = ["accounts", "contacts", "projects", "views", "members"].map(|key| (key, "integer"));
    has_fields(&said["data"]["counts"], &counts);
    let by_key = desk.get(&desk.reading_key(0), "/workspace").await.ok();
    assert_eq!(
        (&by_key["data"]["caller"]["kind"], &by_key["data"]["caller"]["scopes"]),
        (&json!("api_key"), &json!(["workspace:read"]))
    );
}

#[tokio::test]
async fn the_counts_of_the_workspace_are_those_of_its_lists() {
    let desk = Desk::new().await;
    let counts = desk.get(&desk.key(0), "/workspace").await.ok()["data"]["counts"].clone();
    for noun in ["accounts", "contacts", "projects"] {
        let found = desk.post(&desk.key(0), &format!("/workspace/{noun}/search"), json!({"limit": 1})).await.ok();
        assert_eq!(counts[noun], found["metadata"]["total"], "{noun}");
    }
    for noun in ["views", "members"] {
        let list = desk.get(&desk.key(0), &format!("/workspace/{noun}")).await.ok();
        assert_eq!(counts[noun], list["data"][noun].as_array().unwrap().len(), "{noun}");
    }
}

#[tokio::test]
async fn the_version_is_carried_in_the_base_path_segment_api_v1() {
    let desk = Desk::new().await;
    let base = desk.service.base_url().to_owned();
    assert!(base.ends_with("/api/v1"));
    let asked = async |url: String| {
        let request = desk.http.get(url).bearer_auth(desk.key(0).secret.unwrap());
        request.send().await.unwrap().status().as_u16()
    };
    assert_eq!(asked(format!("{base}/workspace")).await, 200);
    for other in ["/api/v2", "/api", "", "/v1", "/api/v1/api/v1"] {
        assert_eq!(asked(base.replace("/api/v1", other) + "/workspace").await, 404, "{other}");
    }
}

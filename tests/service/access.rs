//! Authentication and authorization (interface: Authentication, Errors; decisions: order of checks).

use crate::fields::assert_fields;
use crate::support::{TestCaller, TestService};
use gantry::service::{WorkspaceSource, routes};
use serde_json::json;

const UNKNOWN_ID: &str = "00000000-0000-4000-8000-000000000000";

#[tokio::test]
async fn missing_and_invalid_credentials_get_the_401_envelope() {
    let desk = TestService::new().await;
    for secret in [None, Some("nobody".to_owned()), Some(String::new())] {
        let said = desk.get(&TestCaller { secret, workspace: None }, "/workspace").await;
        assert_eq!(said.headers["www-authenticate"], "Bearer");
        said.expect_error(401, "unauthorized");
    }
}

#[tokio::test]
async fn a_key_resolves_its_workspace_and_a_user_token_must_name_it() {
    let desk = TestService::new().await;
    let shown = desk.get(&desk.api_key(0), "/workspace").await.ok();
    assert_eq!(shown["data"]["id"], desk.workspace_id(0));
    assert_eq!(shown["metadata"], json!({"credits": 0}));
    let anonymous = TestCaller { workspace: None, ..desk.member_caller(0, 0) };
    desk.get(&anonymous, "/workspace").await.expect_error(400, "bad_request");
    assert_eq!(desk.get(&desk.member_caller(0, 2), "/workspace").await.ok()["data"]["caller"]["role"], "member");
}

#[tokio::test]
async fn non_pro_workspaces_and_non_members_get_403() {
    let desk = TestService::new().await;
    desk.get(&desk.api_key(2), "/workspace").await.expect_error(403, "forbidden");
    desk.get(&desk.member_caller(3, 0), "/workspace").await.expect_error(403, "forbidden");
    desk.get(&desk.member_caller(0, 0).with_workspace(desk.workspace_id(1)), "/workspace").await.expect_error(403, "forbidden");
    desk.get(&desk.api_key(0).with_workspace(desk.workspace_id(1)), "/workspace").await.expect_error(403, "forbidden");
}

#[tokio::test]
async fn unknown_routes_and_wrong_methods_return_the_error_envelope() {
    let desk = TestService::new().await;
    desk.get(&desk.api_key(0), "/nowhere").await.expect_error(404, "not_found");
    desk.delete(&desk.api_key(0), "/workspace").await.expect_error(405, "method_not_allowed");
}

#[tokio::test]
async fn the_date_header_follows_the_services_clock() {
    let as_of = "2016-07-01T00:00:00Z".parse().unwrap();
    let desk =
        TestService::with_options(gantry::service::ServiceOptions { as_of: Some(as_of), projects: 20, ..Default::default() })
            .await;
    let said = desk.get(&desk.api_key(0), "/workspace").await;
    assert!(said.headers["date"].to_str().unwrap().starts_with("Fri, 01 Jul 2016 00:00:"));
}

#[tokio::test]
async fn every_route_accepts_an_api_key_or_user_token_as_bearer() {
    let desk = TestService::new().await;
    for caller in [desk.api_key(0), desk.member_caller(0, 0)] {
        desk.get(&caller, "/workspace").await.ok();
        desk.get(&caller, "/workspace/members").await.ok();
    }
    let asked = async |header: String| {
        let url = format!("{}/workspace", desk.service.base_url());
        desk.http.get(url).header("authorization", header).send().await.unwrap().status().as_u16()
    };
    let secret = desk.api_key(0).secret.unwrap();
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
async fn api_keys_need_workspace_id_only_on_signals_and_signal_subscriptions() {
    let desk = TestService::new().await;
    for route in routes() {
        let path = route.path.replace("{dataset}", "accounts").replace("{key}", "name").replace("{signal_type}", "permit_issued");
        let path =
            path.split('/').map(|part| if part.starts_with('{') { UNKNOWN_ID } else { part }).collect::<Vec<_>>().join("/");
        let body = (!matches!(route.method.as_str(), "GET" | "DELETE")).then(|| "{}".to_owned());
        let said = desk.send(&desk.api_key(0), route.method.as_str(), &path, body).await;
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
    let desk = TestService::new().await;
    let (key, named) = (desk.api_key(0), desk.api_key(0).with_workspace(desk.workspace_id(0)));
    let own = json!({"workspace_id": desk.workspace_id(0)});
    for path in ["/signals", "/signals/queue", "/signals/queue/stats", "/signal-subscriptions"] {
        desk.get(&named, path).await.ok();
        desk.send(&key, "GET", path, Some(own.to_string())).await.expect_error(400, "bad_request");
    }
    let gone = "/signal-subscriptions/permit_issued";
    desk.send(&key, "DELETE", gone, Some(own.to_string())).await.expect_error(400, "bad_request");
    desk.delete(&named, gone).await.ok();
    desk.put(&named, gone, json!({})).await.expect_error(400, "bad_request");
    desk.put(&key, gone, own).await.ok();
    for (path, mut body) in [
        ("/signals/triage", json!({"signal_ids": [UNKNOWN_ID], "status": "done"})),
        ("/signal-subscriptions/bulk", json!({"subscriptions": [{"signal_type": "permit_issued"}]})),
    ] {
        desk.post(&named, path, body.clone()).await.expect_error(400, "bad_request");
        body["workspace_id"] = json!(desk.workspace_id(0));
        desk.post(&key, path, body).await.ok();
    }
}

#[tokio::test]
async fn book_searches_are_posts_with_workspace_id_in_the_query() {
    let desk = TestService::new().await;
    let silent = TestCaller { workspace: None, ..desk.member_caller(0, 0) };
    for path in ["/workspace/accounts/search", "/workspace/contacts/search", "/workspace/projects/search"] {
        desk.post(&desk.member_caller(0, 0), path, json!({"limit": 1})).await.ok();
        let error =
            desk.post(&silent, path, json!({"workspace_id": desk.workspace_id(0)})).await.expect_error(400, "bad_request");
        assert_eq!(error["issues"][0]["path"], json!(["workspace_id"]), "{path}");
    }
}

#[tokio::test]
async fn a_natural_language_query_has_workspace_id_in_its_body() {
    let desk = TestService::new().await;
    let silent = TestCaller { workspace: None, ..desk.member_caller(0, 0) };
    let body = json!({"entity": "projects", "query": "hotels", "workspace_id": desk.workspace_id(0)});
    desk.post(&silent, "/filters/ask", body).await.ok();
    let body = json!({"entity": "projects", "query": "hotels"});
    desk.post(&desk.member_caller(0, 0), "/filters/ask", body.clone()).await.expect_error(400, "bad_request");
    desk.post(&desk.api_key(0), "/filters/ask", body).await.ok();
}

#[tokio::test]
async fn a_key_naming_another_workspace_never_sees_its_rows() {
    let desk = TestService::new().await;
    let key = desk.api_key(0).with_workspace(desk.workspace_id(1));
    for path in ["/workspace", "/workspace/credits", "/workspace/views", "/workspace/members", "/signals/queue", "/signals"] {
        desk.get(&key, path).await.expect_error(403, "forbidden");
    }
    let triage = json!({"workspace_id": desk.workspace_id(1), "signal_ids": [UNKNOWN_ID], "status": "done"});
    desk.post(&desk.api_key(0), "/signals/triage", triage).await.expect_error(403, "forbidden");
}

#[tokio::test]
async fn api_key_callers_count_as_admin_on_administrative_routes() {
    let desk = TestService::new().await;
    let key = desk.api_key(0);
    assert_eq!(desk.get(&key, "/workspace").await.ok()["data"]["caller"]["role"], "admin");
    desk.get(&key, "/workspace/invitations").await.ok();
    let made = desk.post(&key, "/workspace/invitations", json!({"email": "sam@northline.example"})).await.ok();
    desk.delete(&key, &format!("/workspace/invitations/{}", made["data"]["id"].as_str().unwrap())).await.ok();
    // not recorded as the owner who issued it
    let owner = format!("/workspace/members/{}", desk.workspace(0).members[0].user_id);
    desk.send(&key, "PATCH", &owner, Some(json!({"role": "member"}).to_string())).await.expect_error(403, "forbidden");
}

#[tokio::test]
async fn the_workspace_route_describes_the_workspace_and_the_caller() {
    let desk = TestService::new().await;
    let said = desk.get(&desk.member_caller(0, 1), "/workspace").await.ok();
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
    assert_fields(&said["data"], &table);
    let caller = [("kind", "user"), ("user_id", "uuid"), ("role", "admin"), ("scopes", "string[]")];
    assert_fields(&said["data"]["caller"], &caller);
    let counts = ["accounts", "contacts", "projects", "views", "members"].map(|key| (key, "integer"));
    assert_fields(&said["data"]["counts"], &counts);
    let by_key = desk.get(&desk.read_only_key(0), "/workspace").await.ok();
    assert_eq!(
        (&by_key["data"]["caller"]["kind"], &by_key["data"]["caller"]["scopes"]),
        (&json!("api_key"), &json!(["workspace:read"]))
    );
}

#[tokio::test]
async fn workspace_counts_match_its_lists() {
    let desk = TestService::new().await;
    let counts = desk.get(&desk.api_key(0), "/workspace").await.ok()["data"]["counts"].clone();
    for noun in ["accounts", "contacts", "projects"] {
        let found = desk.post(&desk.api_key(0), &format!("/workspace/{noun}/search"), json!({"limit": 1})).await.ok();
        assert_eq!(counts[noun], found["metadata"]["total"], "{noun}");
    }
    for noun in ["views", "members"] {
        let list = desk.get(&desk.api_key(0), &format!("/workspace/{noun}")).await.ok();
        assert_eq!(counts[noun], list["data"][noun].as_array().unwrap().len(), "{noun}");
    }
}

#[tokio::test]
async fn the_base_path_carries_the_version_api_v1() {
    let desk = TestService::new().await;
    let base = desk.service.base_url().to_owned();
    assert!(base.ends_with("/api/v1"));
    let asked = async |url: String| {
        let request = desk.http.get(url).bearer_auth(desk.api_key(0).secret.unwrap());
        request.send().await.unwrap().status().as_u16()
    };
    assert_eq!(asked(format!("{base}/workspace")).await, 200);
    for other in ["/api/v2", "/api", "", "/v1", "/api/v1/api/v1"] {
        assert_eq!(asked(base.replace("/api/v1", other) + "/workspace").await, 404, "{other}");
    }
}

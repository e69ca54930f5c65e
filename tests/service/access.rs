//! Authentication and authorization (interface: Authentication, Errors; decisions: order of
//! checks).

use crate::fields::assert_fields;
use crate::support::{TestCaller, TestService};
use gantry::interface::{WorkspaceParam, routes};
use serde_json::json;

const UNKNOWN_ID: &str = "00000000-0000-4000-8000-000000000000";

#[tokio::test]
async fn missing_and_invalid_credentials_get_the_401_envelope() {
    let api = TestService::new().await;
    for secret in [None, Some("nobody".to_owned()), Some(String::new())] {
        let reply = api
            .get(
                &TestCaller {
                    secret,
                    workspace: None,
                },
                "/workspace",
            )
            .await;
        assert_eq!(reply.headers["www-authenticate"], "Bearer");
        reply.expect_error(401, "unauthorized");
    }
}

#[tokio::test]
async fn a_key_resolves_its_workspace_and_a_user_token_must_name_it() {
    let api = TestService::new().await;
    let shown = api.get(&api.api_key(0), "/workspace").await.ok();
    assert_eq!(shown["data"]["id"], api.workspace_id(0));
    assert_eq!(shown["metadata"], json!({"credits": 0}));
    let anonymous = TestCaller {
        workspace: None,
        ..api.member_caller(0, 0)
    };
    api.get(&anonymous, "/workspace")
        .await
        .expect_error(400, "bad_request");
    assert_eq!(
        api.get(&api.member_caller(0, 2), "/workspace").await.ok()["data"]["caller"]["role"],
        "member"
    );
}

#[tokio::test]
async fn non_pro_workspaces_and_non_members_get_403() {
    let api = TestService::new().await;
    api.get(&api.api_key(2), "/workspace")
        .await
        .expect_error(403, "forbidden");
    api.get(&api.member_caller(3, 0), "/workspace")
        .await
        .expect_error(403, "forbidden");
    api.get(
        &api.member_caller(0, 0).with_workspace(api.workspace_id(1)),
        "/workspace",
    )
    .await
    .expect_error(403, "forbidden");
    api.get(
        &api.api_key(0).with_workspace(api.workspace_id(1)),
        "/workspace",
    )
    .await
    .expect_error(403, "forbidden");
}

#[tokio::test]
async fn unknown_routes_and_wrong_methods_return_the_error_envelope() {
    let api = TestService::new().await;
    api.get(&api.api_key(0), "/nowhere")
        .await
        .expect_error(404, "not_found");
    api.delete(&api.api_key(0), "/workspace")
        .await
        .expect_error(405, "method_not_allowed");
}

#[tokio::test]
async fn the_date_header_follows_the_services_clock() {
    let as_of = "2016-07-01T00:00:00Z".parse().unwrap();
    let api = TestService::with_options(gantry::service::ServiceOptions {
        as_of: Some(as_of),
        projects: 20,
        ..Default::default()
    })
    .await;
    let reply = api.get(&api.api_key(0), "/workspace").await;
    assert!(
        reply.headers["date"]
            .to_str()
            .unwrap()
            .starts_with("Fri, 01 Jul 2016 00:00:")
    );
}

#[tokio::test]
async fn every_route_accepts_an_api_key_or_user_token_as_bearer() {
    let api = TestService::new().await;
    for caller in [api.api_key(0), api.member_caller(0, 0)] {
        api.get(&caller, "/workspace").await.ok();
        api.get(&caller, "/workspace/members").await.ok();
    }
    let asked = async |header: String| {
        let url = format!("{}/workspace", api.service.base_url());
        api.http
            .get(url)
            .header("authorization", header)
            .send()
            .await
            .unwrap()
            .status()
            .as_u16()
    };
    let secret = api.api_key(0).secret.unwrap();
    for (header, status) in [
        (format!("Bearer {secret}"), 200),
        (format!("bearer {secret}"), 200),
        (format!("Basic {secret}"), 401),
        (secret.clone(), 401),
        (format!("Bearer {secret}x"), 401),
        ("Bearer".to_owned(), 401),
    ] {
        assert_eq!(
            asked(header.clone()).await,
            status,
            "{}",
            header.replace(&secret, "SECRET")
        );
    }
}

#[tokio::test]
async fn api_keys_need_workspace_id_only_on_signals_and_signal_subscriptions() {
    let api = TestService::new().await;
    for route in routes() {
        let path = route
            .path
            .replace("{dataset}", "accounts")
            .replace("{key}", "name")
            .replace("{signal_type}", "permit_issued");
        let path = path
            .split('/')
            .map(|part| {
                if part.starts_with('{') {
                    UNKNOWN_ID
                } else {
                    part
                }
            })
            .collect::<Vec<_>>()
            .join("/");
        let body = (!matches!(route.method.as_str(), "GET" | "DELETE")).then(|| "{}".to_owned());
        let reply = api
            .send(&api.api_key(0), route.method.as_str(), &path, body)
            .await;
        let missed = reply.body["error"]["issues"][0]["path"] == json!(["workspace_id"]);
        let always = path.starts_with("/signals") || path.starts_with("/signal-subscriptions");
        assert_eq!(missed, always, "{} {path} {}", route.method, reply.text);
        assert_eq!(
            always,
            matches!(
                route.workspace,
                WorkspaceParam::QueryRequired | WorkspaceParam::BodyRequired
            ),
            "{path}"
        );
    }
}

#[tokio::test]
async fn workspace_id_is_in_the_query_of_get_and_delete_and_in_the_body_of_post_and_put() {
    let api = TestService::new().await;
    let (key, named) = (
        api.api_key(0),
        api.api_key(0).with_workspace(api.workspace_id(0)),
    );
    let own = json!({"workspace_id": api.workspace_id(0)});
    for path in [
        "/signals",
        "/signals/queue",
        "/signals/queue/stats",
        "/signal-subscriptions",
    ] {
        api.get(&named, path).await.ok();
        api.send(&key, "GET", path, Some(own.to_string()))
            .await
            .expect_error(400, "bad_request");
    }
    let gone = "/signal-subscriptions/permit_issued";
    api.send(&key, "DELETE", gone, Some(own.to_string()))
        .await
        .expect_error(400, "bad_request");
    api.delete(&named, gone).await.ok();
    api.put(&named, gone, json!({}))
        .await
        .expect_error(400, "bad_request");
    api.put(&key, gone, own).await.ok();
    for (path, mut body) in [
        (
            "/signals/triage",
            json!({"signal_ids": [UNKNOWN_ID], "status": "done"}),
        ),
        (
            "/signal-subscriptions/bulk",
            json!({"subscriptions": [{"signal_type": "permit_issued"}]}),
        ),
    ] {
        api.post(&named, path, body.clone())
            .await
            .expect_error(400, "bad_request");
        body["workspace_id"] = json!(api.workspace_id(0));
        api.post(&key, path, body).await.ok();
    }
}

#[tokio::test]
async fn book_searches_are_posts_with_workspace_id_in_the_query() {
    let api = TestService::new().await;
    let silent = TestCaller {
        workspace: None,
        ..api.member_caller(0, 0)
    };
    for path in [
        "/workspace/accounts/search",
        "/workspace/contacts/search",
        "/workspace/projects/search",
    ] {
        api.post(&api.member_caller(0, 0), path, json!({"limit": 1}))
            .await
            .ok();
        let error = api
            .post(&silent, path, json!({"workspace_id": api.workspace_id(0)}))
            .await
            .expect_error(400, "bad_request");
        assert_eq!(
            error["issues"][0]["path"],
            json!(["workspace_id"]),
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_natural_language_query_has_workspace_id_in_its_body() {
    let api = TestService::new().await;
    let silent = TestCaller {
        workspace: None,
        ..api.member_caller(0, 0)
    };
    let body =
        json!({"entity": "projects", "query": "hotels", "workspace_id": api.workspace_id(0)});
    api.post(&silent, "/filters/ask", body).await.ok();
    let body = json!({"entity": "projects", "query": "hotels"});
    api.post(&api.member_caller(0, 0), "/filters/ask", body.clone())
        .await
        .expect_error(400, "bad_request");
    api.post(&api.api_key(0), "/filters/ask", body).await.ok();
}

#[tokio::test]
async fn a_key_naming_another_workspace_never_sees_its_rows() {
    let api = TestService::new().await;
    let key = api.api_key(0).with_workspace(api.workspace_id(1));
    for path in [
        "/workspace",
        "/workspace/credits",
        "/workspace/views",
        "/workspace/members",
        "/signals/queue",
        "/signals",
    ] {
        api.get(&key, path).await.expect_error(403, "forbidden");
    }
    let triage =
        json!({"workspace_id": api.workspace_id(1), "signal_ids": [UNKNOWN_ID], "status": "done"});
    api.post(&api.api_key(0), "/signals/triage", triage)
        .await
        .expect_error(403, "forbidden");
}

#[tokio::test]
async fn api_key_callers_count_as_admin_on_administrative_routes() {
    let api = TestService::new().await;
    let key = api.api_key(0);
    assert_eq!(
        api.get(&key, "/workspace").await.ok()["data"]["caller"]["role"],
        "admin"
    );
    api.get(&key, "/workspace/invitations").await.ok();
    let made = api
        .post(
            &key,
            "/workspace/invitations",
            json!({"email": "sam@northline.example"}),
        )
        .await
        .ok();
    api.delete(
        &key,
        &format!(
            "/workspace/invitations/{}",
            made["data"]["id"].as_str().unwrap()
        ),
    )
    .await
    .ok();
    // not recorded as the owner who issued it
    let owner = format!("/workspace/members/{}", api.workspace(0).members[0].user_id);
    api.send(
        &key,
        "PATCH",
        &owner,
        Some(json!({"role": "member"}).to_string()),
    )
    .await
    .expect_error(403, "forbidden");
}

#[tokio::test]
async fn the_workspace_route_describes_the_workspace_and_the_caller() {
    let api = TestService::new().await;
    let reply = api.get(&api.member_caller(0, 1), "/workspace").await.ok();
    assert_eq!(reply["metadata"], json!({"credits": 0}));
    let table = [
        ("id", "uuid"),
        ("name", "string"),
        ("plan", "pro"),
        ("created_at", "moment"),
        ("caller", "object"),
        ("counts", "object"),
        ("sends_invitations", "boolean"),
    ];
    assert_fields(&reply["data"], &table);
    let caller = [
        ("kind", "user"),
        ("user_id", "uuid"),
        ("role", "admin"),
        ("scopes", "string[]"),
    ];
    assert_fields(&reply["data"]["caller"], &caller);
    let counts =
        ["accounts", "contacts", "projects", "views", "members"].map(|key| (key, "integer"));
    assert_fields(&reply["data"]["counts"], &counts);
    let by_key = api.get(&api.read_only_key(0), "/workspace").await.ok();
    assert_eq!(
        (
            &by_key["data"]["caller"]["kind"],
            &by_key["data"]["caller"]["scopes"]
        ),
        (&json!("api_key"), &json!(["workspace:read"]))
    );
}

#[tokio::test]
async fn workspace_counts_match_its_lists() {
    let api = TestService::new().await;
    let counts = api.get(&api.api_key(0), "/workspace").await.ok()["data"]["counts"].clone();
    for noun in ["accounts", "contacts", "projects"] {
        let found = api
            .post(
                &api.api_key(0),
                &format!("/workspace/{noun}/search"),
                json!({"limit": 1}),
            )
            .await
            .ok();
        assert_eq!(counts[noun], found["metadata"]["total"], "{noun}");
    }
    for noun in ["views", "members"] {
        let list = api
            .get(&api.api_key(0), &format!("/workspace/{noun}"))
            .await
            .ok();
        assert_eq!(
            counts[noun],
            list["data"][noun].as_array().unwrap().len(),
            "{noun}"
        );
    }
}

#[tokio::test]
async fn the_base_path_carries_the_version_api_v1() {
    let api = TestService::new().await;
    let base = api.service.base_url().to_owned();
    assert!(base.ends_with("/api/v1"));
    let asked = async |url: String| {
        let request = api
            .http
            .get(url)
            .bearer_auth(api.api_key(0).secret.unwrap());
        request.send().await.unwrap().status().as_u16()
    };
    assert_eq!(asked(format!("{base}/workspace")).await, 200);
    for other in ["/api/v2", "/api", "", "/v1", "/api/v1/api/v1"] {
        assert_eq!(
            asked(base.replace("/api/v1", other) + "/workspace").await,
            404,
            "{other}"
        );
    }
}

//! What operators and balancers see: health, readiness, metrics, ids of requests, and how a service
//! stops.

use std::net::SocketAddr;

use gantry::service::{self, ServiceOptions};
use serde_json::json;

use crate::support::{TestCaller, TestService};

const LOOPBACK: &str = "127.0.0.1:0";

/// The address of a service, without the base of the interface.
fn origin(base_url: &str) -> String {
    base_url.strip_suffix("/api/v1").unwrap().to_owned()
}

async fn get(http: &reqwest::Client, url: String) -> (u16, String) {
    let response = http.get(url).send().await.unwrap();
    (response.status().as_u16(), response.text().await.unwrap())
}

#[tokio::test]
async fn a_balancer_asks_for_health_by_any_name_and_without_credentials() {
    let service = TestService::new().await;
    let origin = origin(service.service.base_url());
    for (path, answer) in [("/healthz", "ok\n"), ("/readyz", "ready\n")] {
        for host in ["127.0.0.1", "desk-1.internal:8484"] {
            let response = service
                .http
                .get(format!("{origin}{path}"))
                .header("host", host)
                .send()
                .await
                .unwrap();
            assert_eq!(
                (
                    response.status().as_u16(),
                    response.text().await.unwrap().as_str()
                ),
                (200, answer),
                "{host}"
            );
        }
    }
    let response = service
        .http
        .get(service.service.base_url())
        .header("host", "desk-1.internal:8484")
        .send()
        .await
        .unwrap();
    assert_eq!(
        response.status(),
        403,
        "the interface answers to its own names only"
    );
}

#[tokio::test]
async fn metrics_count_by_route_and_name_no_workspace_person_or_credential() {
    let closed = TestService::new().await;
    assert_eq!(
        get(
            &closed.http,
            format!("{}/metrics", origin(closed.service.base_url()))
        )
        .await
        .0,
        404,
        "off by default"
    );

    let listen: SocketAddr = LOOPBACK.parse().unwrap();
    let service = TestService::with_options(ServiceOptions {
        metrics_listen: Some(listen),
        ..ServiceOptions::default()
    })
    .await;
    let (key, caller) = (service.api_key(0), service.member_caller(0, 0));
    let found = service
        .post(&key, "/data/accounts/search", json!({"limit": 3}))
        .await
        .ok();
    let id = found["data"][0]["id"].as_str().unwrap().to_owned();
    service
        .get(&key, &format!("/data/accounts/{id}"))
        .await
        .ok();
    service
        .get(&caller, "/signals/queue?status=new&limit=3")
        .await
        .ok();
    service
        .get(&TestCaller::default(), "/workspace")
        .await
        .expect_error(401, "unauthorized");
    service
        .get(&key, "/nowhere")
        .await
        .expect_error(404, "not_found");

    let (status, text) = get(
        &service.http,
        format!(
            "http://{}/metrics",
            service.service.metrics_address().unwrap()
        ),
    )
    .await;
    assert_eq!(status, 200);
    for line in [
        r#"gantry_requests_total{method="POST",route="/data/{dataset}/search",status="2xx"} 1"#,
        r#"gantry_requests_total{method="GET",route="/data/{dataset}/{id}",status="2xx"} 1"#,
        r#"gantry_requests_total{method="GET",route="/signals/queue",status="2xx"} 1"#,
        r#"gantry_requests_total{method="GET",route="/workspace",status="4xx"} 1"#,
        r#"gantry_requests_total{method="GET",route="none",status="4xx"} 1"#,
        r#"gantry_request_duration_seconds_count{method="GET",route="/signals/queue"} 1"#,
        r#"gantry_database_threads{pool="writer"} "#,
        "gantry_database_up 1",
        "gantry_mails_waiting 0",
    ] {
        assert!(
            text.lines().any(|found| found.starts_with(line)),
            "{line} in\n{text}"
        );
    }
    let charged = text
        .lines()
        .find_map(|line| line.strip_prefix("gantry_credits_charged_total "))
        .unwrap();
    assert_eq!(charged, "4", "three accounts of the search, and one");
    let workspace = service.workspace(0);
    let member = &workspace.members[0];
    for secret in [
        id,
        workspace.id.to_string(),
        workspace.name.clone(),
        member.email.clone(),
        member.access_token.clone(),
    ] {
        assert!(!text.contains(&secret), "{secret}");
    }
    let (status, _) = get(
        &service.http,
        format!(
            "http://{}/api/v1/workspace",
            service.service.metrics_address().unwrap()
        ),
    )
    .await;
    assert_eq!(status, 404, "the address of operators has no data");
}

#[tokio::test]
async fn a_request_keeps_the_id_that_its_caller_gave_it() {
    let service = TestService::new().await;
    let url = format!("{}/workspace", service.service.base_url());
    let id = async |given: Option<&str>| {
        let request = service.http.get(&url);
        let request = given
            .into_iter()
            .fold(request, |request, id| request.header("x-request-id", id));
        request.send().await.unwrap().headers()["x-request-id"]
            .to_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(id(Some("balancer-7f3a")).await, "balancer-7f3a");
    let [one, other] = [id(None).await, id(Some("no id \"}")).await];
    assert!(
        uuid::Uuid::try_parse(&one).is_ok()
            && uuid::Uuid::try_parse(&other).is_ok()
            && one != other,
        "{one} {other}"
    );
}

#[tokio::test]
async fn a_service_that_is_asked_to_stop_turns_balancers_away_first_and_answers_meanwhile() {
    let delay = std::time::Duration::from_secs(600);
    let options = ServiceOptions {
        drain_delay: delay,
        projects: 20,
        ..ServiceOptions::default()
    };
    let started = TestService::with_options(options).await;
    let TestService { service, http, .. } = started; // the rest, such as its database, stays
    let base_url = service.base_url().to_owned();
    let origin = origin(&base_url);
    let key = service.startup_info().workspaces[0].api_keys[0].key.clone();
    let ask = async || {
        http.get(format!("{base_url}/workspace"))
            .bearer_auth(&key)
            .send()
            .await
            .unwrap()
    };
    assert_eq!(ask().await.headers().get("connection"), None);
    let stopping = tokio::spawn(service.stop());
    while get(&http, format!("{origin}/readyz")).await != (503, "draining\n".to_owned()) {
        tokio::task::yield_now().await;
    }
    assert_eq!(
        get(&http, format!("{origin}/healthz")).await.0,
        200,
        "the process is up"
    );
    let answer = ask().await;
    assert_eq!(
        (answer.status().as_u16(), &answer.headers()["connection"]),
        (200, &"close".parse().unwrap())
    );
    stopping.abort();
}

#[tokio::test]
async fn an_address_in_use_is_reported_before_anything_is_created() {
    let taken = std::net::TcpListener::bind(LOOPBACK).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("desk.db");
    let data = service::Storage::File(file.clone());
    let listen = taken.local_addr().unwrap();
    let error = service::start(ServiceOptions {
        listen,
        data,
        ..ServiceOptions::default()
    })
    .await
    .err()
    .unwrap();
    assert!(
        error
            .to_string()
            .starts_with(&format!("cannot listen on {listen}")),
        "{error}"
    );
    assert!(!file.exists());
}

//! Malicious requests and slow clients (faults H 103 to 108): rejected with the envelope, without
//! affecting others.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::support::TestService;
use serde_json::json;

fn connect(api: &TestService) -> TcpStream {
    let authority = api
        .service
        .base_url()
        .trim_start_matches("http://")
        .trim_end_matches("/api/v1")
        .to_owned();
    let stream = TcpStream::connect(authority).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    stream
}

/// Sends raw bytes and reads the response until the service closes the connection or goes silent.
async fn send_raw(api: &TestService, bytes: impl Into<Vec<u8>>) -> String {
    let (mut stream, bytes) = (connect(api), bytes.into());
    tokio::task::spawn_blocking(move || {
        let _ = stream.write_all(&bytes);
        stream
            .set_read_timeout(Some(Duration::from_millis(1500)))
            .unwrap();
        let (mut answer, mut part) = (Vec::new(), [0; 4096]);
        while let Ok(n) = stream.read(&mut part) {
            if n == 0 {
                break;
            }
            answer.extend_from_slice(&part[..n]);
        }
        String::from_utf8_lossy(&answer).into_owned()
    })
    .await
    .unwrap()
}

fn status_code(answer: &str) -> &str {
    answer.get(9..12).unwrap_or("closed")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_too_large_body_is_413_before_it_is_read() {
    let api = TestService::new().await;
    let head = "POST /api/v1/signals/triage HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000000\r\n\r\n";
    let answer = send_raw(&api, head).await;
    assert_eq!(status_code(&answer), "413", "{answer}");
    assert!(answer.contains("payload_too_large"));
    let key = api.api_key(0).secret.unwrap();
    let head = format!(
        "Host: localhost\r\nAuthorization: Bearer {key}\r\nTransfer-Encoding: chunked\r\n\r\n"
    );
    let mut endless = format!("POST /api/v1/signals/triage HTTP/1.1\r\n{head}").into_bytes();
    for _ in 0..200 {
        endless.extend_from_slice(b"1000\r\n");
        endless.extend_from_slice(&[b' '; 0x1000]);
        endless.extend_from_slice(b"\r\n");
    }
    let answer = send_raw(&api, endless).await;
    assert!(matches!(status_code(&answer), "413" | "closed"), "{answer}");
    api.get(&api.api_key(0), "/workspace").await.ok();
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_and_deeply_nested_json_is_400_in_the_envelope() {
    let api = TestService::new().await;
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    for body in [
        "{",
        "[]",
        "7",
        "\"text\"",
        "nul",
        "{\"workspace_id\": }",
        "\u{0}",
        deep.as_str(),
    ] {
        let reply = api
            .send(
                &api.api_key(0),
                "POST",
                "/signals/triage",
                Some(body.to_owned()),
            )
            .await;
        reply.expect_error(400, "bad_request");
        let key = api.api_key(0);
        api.send(
            &key,
            "POST",
            "/workspace/signal-subscriptions/upsert",
            Some(body.to_owned()),
        )
        .await
        .expect_error(400, "bad_request");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_is_parsed_as_json_with_any_content_type() {
    let api = TestService::new().await;
    let url = format!("{}/workspace/accounts/search", api.service.base_url());
    let key = api.api_key(0).secret.unwrap();
    let labels = [
        "application/json",
        "application/x-www-form-urlencoded",
        "text/plain",
        "image/png",
        "none of these",
        "",
    ];
    for label in labels {
        let send = async |body: &'static str| {
            let request = api
                .http
                .post(&url)
                .bearer_auth(&key)
                .header("content-type", label)
                .body(body);
            request.send().await.unwrap().status().as_u16()
        };
        assert_eq!(send(r#"{"limit": 1}"#).await, 200, "{label}");
        assert_eq!(send("limit=1").await, 400, "{label}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_foreign_or_missing_host_header_is_rejected() {
    let api = TestService::new().await;
    for (head, wanted) in [
        (
            "Host: evil.example\r\nOrigin: http://evil.example\r\n",
            "403",
        ),
        ("Host: 127.0.0.1.evil.example:80\r\n", "403"),
        ("Host: a.example\r\nHost: localhost\r\n", "400"),
        ("", "400"),
        ("Host: localhost:9\r\n", "401"),
        ("Host: [::1]:9\r\n", "401"),
        ("Host: 127.0.0.1\r\n", "401"),
    ] {
        let answer = send_raw(
            &api,
            format!("GET /api/v1/workspace HTTP/1.1\r\n{head}Connection: close\r\n\r\n"),
        )
        .await;
        assert_eq!(status_code(&answer), wanted, "{head} {answer}");
        assert!(
            answer.contains("{\"error\":{")
                && !answer.to_lowercase().contains("access-control-allow"),
            "{answer}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_with_two_content_lengths_is_not_smuggled() {
    let api = TestService::new().await;
    let inner = "GET /api/v1/workspace HTTP/1.1\r\nHost: localhost\r\n\r\n";
    for head in [
        "Content-Length: 4\r\nContent-Length: 60\r\n".to_owned(),
        "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n".to_owned(),
        "Transfer-Encoding: gzip\r\n".to_owned(),
        "Content-Length: -1\r\n".to_owned(),
    ] {
        let answer =
            send_raw(&api, format!("POST /api/v1/signals/triage HTTP/1.1\r\nHost: localhost\r\n{head}\r\n0\r\n\r\n{inner}"))
                .await;
        assert!(
            answer.matches("HTTP/1.1 401").count() <= 2 && !answer.contains("200 OK"),
            "{head} {answer}"
        );
        assert!(
            answer.starts_with("HTTP/1.1 4") || answer.is_empty(),
            "{head} {answer}"
        );
    }
    let answer = send_raw(&api, "GARBAGE\r\n\r\n").await;
    assert!(matches!(status_code(&answer), "400" | "closed"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_single_bearer_token_is_accepted() {
    let api = TestService::new().await;
    let key = api.api_key(0).secret.unwrap();
    for head in [
        format!("Authorization: Bearer {key}\r\nAuthorization: Bearer {key}\r\n"),
        format!("Authorization: Basic {key}\r\n"),
        format!("Authorization: {key}\r\n"),
        format!("Authorization: Bearer {}\r\n", "x".repeat(5000)),
        format!("Authorization: Bearer {}\r\n", &key[..key.len() - 1]),
        format!("X-Api-Key: {key}\r\n"),
    ] {
        let answer = send_raw(
            &api,
            format!("GET /api/v1/workspace HTTP/1.1\r\nHost: localhost\r\n{head}\r\n"),
        )
        .await;
        assert_eq!(status_code(&answer), "401", "{answer}");
    }
    let answer =
        send_raw(&api, format!("GET /api/v1/workspace HTTP/1.1\r\nHost: localhost\r\nauthorization: bearer  {key} \r\n\r\n"))
            .await;
    assert_eq!(status_code(&answer), "200", "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn request_text_is_never_run_as_sql() {
    let api = TestService::new().await;
    let key = api.api_key(0).with_workspace(api.workspace_id(0));
    let evil = [
        "'",
        "\"",
        "' OR 1=1 --",
        "%",
        "_",
        "%25",
        "\\",
        "*",
        "NEAR(a b)",
        "a\" OR \"b",
        "a AND",
        ";DROP TABLE queue",
        "\u{0}",
        "🏗",
        "(",
        "[",
        "a:b",
        "-a",
    ];
    for text in evil {
        let coded: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
        for path in ["/signals?limit=5&", "/signals/queue?limit=5&"] {
            for name in ["q", "city"] {
                let page = api.get(&key, &format!("{path}{name}={coded}")).await.ok();
                assert!(page["signals"].is_array());
            }
        }
        api.get(&key, &format!("/signals/{coded}"))
            .await
            .expect_error(404, "not_found");
        api.get(&key, &format!("/signals?signal_type={coded}"))
            .await
            .expect_error(400, "bad_request");
    }
    api.get(&key, "/signals/queue/stats").await.ok();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_body_is_not_read_before_the_token_is_validated() {
    let api = TestService::new().await;
    // each announces a body that never arrives: waiting for it would end with 408 after five
    // seconds
    for authorization in ["", "Authorization: Bearer gak_0123456789\r\n"] {
        let head = format!("Host: localhost\r\n{authorization}Content-Length: 8000000\r\n\r\n");
        let answer = send_raw(
            &api,
            format!("POST /api/v1/workspace/views/upsert/batch HTTP/1.1\r\n{head}"),
        )
        .await;
        assert_eq!(status_code(&answer), "401", "{answer}");
    }
}

/// A connection with a request in progress: its token is valid and part of its body has arrived.
fn start_request(api: &TestService) -> TcpStream {
    let mut stream = connect(api);
    let key = api.api_key(0).secret.unwrap();
    let head =
        format!("Host: localhost\r\nAuthorization: Bearer {key}\r\nContent-Length: 10\r\n\r\n");
    let _ =
        stream.write_all(format!("POST /api/v1/signals/triage HTTP/1.1\r\n{head}{{").as_bytes());
    stream
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_above_the_limit_wait_until_others_end() {
    let api = TestService::new().await;
    let held: Vec<TcpStream> = (0..300).map(|_| start_request(&api)).collect();
    let key = api.api_key(0).secret.unwrap();
    let head =
        format!("Host: localhost\r\nAuthorization: Bearer {key}\r\nConnection: close\r\n\r\n");
    let mut waiting: Vec<TcpStream> = (0..100).map(|_| connect(&api)).collect();
    for stream in &mut waiting {
        stream
            .write_all(format!("GET /api/v1/workspace HTTP/1.1\r\n{head}").as_bytes())
            .unwrap();
    }
    drop(held);
    for mut stream in waiting {
        let mut answer = String::new();
        tokio::task::block_in_place(|| stream.read_to_string(&mut answer)).unwrap();
        assert_eq!(status_code(&answer), "200", "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_and_trickling_connections_lock_nobody_out() {
    let api = TestService::new().await;
    let key = api.api_key(0).secret.unwrap();
    let request = format!(
        "GET /api/v1/workspace HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\nConnection: close\r\n\r\n"
    );
    let mut held = Vec::new();
    for nth in 0..200 {
        let mut stream = connect(&api);
        if nth % 2 == 0 {
            stream
                .write_all(b"GET /api/v1/workspace HTTP/1.1\r\nHost: local")
                .unwrap();
        }
        held.push(stream);
        if nth % 20 == 19 {
            let answer = send_raw(&api, request.clone()).await;
            assert_eq!(status_code(&answer), "200", "{nth}: {answer}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_with_too_many_or_too_long_texts_is_400() {
    let api = TestService::new().await;
    let search = async |value: serde_json::Value| {
        let body = json!({"filters": {"name": {"value": value}}});
        api.post(&api.api_key(0), "/data/projects/search", body)
            .await
    };
    for value in [json!(vec!["tower"; 26]), json!("x".repeat(201))] {
        let error = search(value).await.expect_error(400, "bad_request");
        assert_eq!(error["issues"][0]["code"], "too_big", "{error}");
    }
    search(json!(vec!["tower"; 25])).await.ok();
    search(json!("x".repeat(200))).await.ok();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_oversized_view_definition_is_400() {
    let api = TestService::new().await;
    let upsert = async |values: usize| {
        let texts: Vec<String> = (0..values).map(|nth| format!("{nth:0>400}")).collect();
        let definition = json!({"conditions": [{"field": "name", "op": "is", "value": texts}]});
        let view = json!({"name": "Wide", "dataset": "project", "type": "dynamic", "definition": definition});
        api.post(&api.api_key(0), "/workspace/views/upsert", view)
            .await
    };
    let error = upsert(90).await.expect_error(400, "bad_request");
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains("definition: must not be larger than 32 KiB"),
        "{error}"
    );
    upsert(70).await.ok();
}

#[tokio::test(flavor = "multi_thread")]
async fn trickling_request_headers_time_out_while_others_are_served() {
    let api = TestService::new().await;
    let mut slow = connect(&api);
    slow.write_all(b"GET /api/v1/workspace HTTP/1.1\r\nHost: local")
        .unwrap();
    let cut = tokio::task::spawn_blocking(move || {
        let started = std::time::Instant::now();
        let mut answer = Vec::new();
        let _ = slow.read_to_end(&mut answer);
        started.elapsed()
    });
    api.get(&api.api_key(0), "/workspace").await.ok();
    let after = cut.await.unwrap();
    assert!(
        after > Duration::from_secs(5) && after < Duration::from_secs(30),
        "{after:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn shutdown_finishes_requests_in_flight() {
    let api = TestService::new().await;
    let (key, id) = (api.api_key(0), api.workspace_id(0));
    let url = format!(
        "{}/signals/queue?limit=200&workspace_id={id}",
        api.service.base_url()
    );
    let asked: Vec<_> = (0..20)
        .map(|_| {
            tokio::spawn(
                api.http
                    .get(&url)
                    .bearer_auth(key.secret.as_ref().unwrap())
                    .send(),
            )
        })
        .collect();
    let first = api.get(&key, "/workspace").await;
    first.ok();
    api.service.stop().await;
    for answer in asked {
        if let Ok(answer) = answer.await.unwrap() {
            let body: serde_json::Value = answer.json().await.expect("a complete response");
            assert_ne!(body["signals"], json!(null));
        }
    }
}

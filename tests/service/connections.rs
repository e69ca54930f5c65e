//! Connections that are used again: what a rejected request leaves behind, and clients that close
//! their side.

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use crate::support::TestService;

/// A connection that is used for several requests.
struct KeptConnection(BufReader<TcpStream>);

impl KeptConnection {
    async fn open(api: &TestService) -> KeptConnection {
        let authority = api
            .service
            .base_url()
            .trim_start_matches("http://")
            .trim_end_matches("/api/v1");
        KeptConnection(BufReader::new(TcpStream::connect(authority).await.unwrap()))
    }

    /// Sends bytes, as far as the service reads them.
    async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let _ = self.0.write_all(bytes.as_ref()).await;
    }

    /// The head of a response, in lower case, and its body.
    async fn read_response(&mut self) -> (String, Vec<u8>) {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") && self.0.read_line(&mut head).await.unwrap() > 0 {}
        let head = head.to_lowercase();
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "))
            .unwrap_or_else(|| panic!("{head:?}"));
        let mut body = vec![0; length.parse().unwrap()];
        self.0.read_exact(&mut body).await.unwrap();
        (head, body)
    }
}

fn head_of(line: &str, more: &str) -> String {
    let host = if more.contains("Host:") {
        ""
    } else {
        "Host: localhost\r\n"
    };
    format!("{line} HTTP/1.1\r\n{host}{more}\r\n")
}

fn status_of(head: &str) -> &str {
    head.get(9..12).unwrap_or("closed")
}

#[tokio::test]
async fn a_connection_serves_the_next_request_after_one_that_was_rejected_before_its_body_was_read()
{
    let api = TestService::new().await;
    for (line, more, status) in [
        ("POST /api/v1/signals/triage", "", "401"),
        ("POST /api/v1/nowhere", "", "404"),
        ("PATCH /api/v1/signals/triage", "", "405"),
        (
            "POST /api/v1/signals/triage",
            "Host: evil.example\r\n",
            "403",
        ),
    ] {
        let mut connection = KeptConnection::open(&api).await;
        for size in [10, 60_000] {
            let body = vec![b'x'; size];
            let whole = [
                head_of(line, &format!("{more}Content-Length: {size}\r\n")).as_bytes(),
                &body,
            ]
            .concat();
            let head = head_of(line, &format!("{more}Transfer-Encoding: chunked\r\n"));
            let chunked = [
                format!("{head}{size:x}\r\n").as_bytes(),
                &body,
                b"\r\n0\r\n\r\n",
            ]
            .concat();
            for request in [whole, chunked] {
                connection.send(request).await;
                let (head, _) = connection.read_response().await;
                assert_eq!(status_of(&head), status, "{line} with {size} bytes: {head}");
                assert!(!head.contains("connection: close"), "{head}");
            }
        }
    }
}

#[tokio::test]
async fn a_rejected_request_whose_body_is_large_or_does_not_arrive_says_that_the_connection_closes()
{
    let api = TestService::new().await;
    for (size, sent) in [(100_000, 100_000), (8_000_000, 0), (10, 0), (10, 9)] {
        let mut connection = KeptConnection::open(&api).await;
        connection
            .send(head_of(
                "POST /api/v1/workspace/skills/create",
                &format!("Content-Length: {size}\r\n"),
            ))
            .await;
        connection.send(vec![b'x'; sent]).await;
        let (head, _) = connection.read_response().await;
        assert_eq!(status_of(&head), "401");
        assert!(
            head.contains("connection: close"),
            "{sent} of {size} bytes: {head}"
        );
        let mut rest = Vec::new();
        assert!(
            matches!(connection.0.read_to_end(&mut rest).await, Ok(0) | Err(_)),
            "{rest:?}"
        );
    }
}

#[tokio::test]
async fn a_client_that_closes_its_side_after_the_request_gets_the_whole_answer() {
    let api = TestService::new().await;
    let (workspace, secret) = (api.workspace_id(0), api.api_key(0).secret.unwrap());
    let key = format!("Authorization: Bearer {secret}\r\n");
    let search = r#"{"limit": 100}"#;
    for request in [
        head_of(
            &format!("GET /api/v1/signals/queue?limit=200&workspace_id={workspace}"),
            &key,
        ),
        head_of(
            "POST /api/v1/data/projects/search",
            &format!("{key}Content-Length: {}\r\n", search.len()),
        ) + search,
    ] {
        let mut connection = KeptConnection::open(&api).await;
        connection.send(&request).await;
        connection.0.shutdown().await.unwrap();
        let (head, body) = connection.read_response().await;
        assert_eq!(status_of(&head), "200", "{request}");
        assert!(serde_json::from_slice::<serde_json::Value>(&body).is_ok());
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[tokio::test]
async fn the_memory_of_many_connections_is_returned_when_they_end() {
    let wanted = 3000;
    if gantry::platform::processes::raise_open_file_limit(wanted + 256) < wanted + 256 {
        return; // the system does not allow so many
    }
    let service = crate::spawned_service::SpawnedService::start(&["--projects", "20"]);
    let authority = service
        .base_url()
        .trim_start_matches("http://")
        .trim_end_matches("/api/v1")
        .to_owned();
    let mib = || {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", service.process_id())).unwrap();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() >> 10
    };
    let before = mib();
    let mut connections = Vec::new();
    for _ in 0..wanted {
        let mut connection = KeptConnection(BufReader::new(
            TcpStream::connect(&authority).await.unwrap(),
        ));
        connection.send(head_of("GET /api/v1/workspace", "")).await;
        assert_eq!(status_of(&connection.read_response().await.0), "401");
        connections.push(connection);
    }
    let open = mib();
    assert!(open > before + 30, "{open} MiB after {before}");
    drop(connections);
    let limit = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while mib() > before + (open - before) / 4 {
        assert!(
            std::time::Instant::now() < limit,
            "{before} MiB, {open} with the connections, {} after them",
            mib()
        );
        tokio::task::yield_now().await;
    }
}
